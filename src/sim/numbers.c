// From what a user says to what the step needs: masses, stiffness, damping, the time step. The step follows from the shortest contact that two of the
// spheres can have, over all pairs of materials, as the law says.
#include "sim/sim_inner.h"
#include "sim/spring.h"

#include "base/argument.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

double sim_mass(int32_t dim, double material_density, double r)
{
    return dim == 2 ? material_density * pi * (r * r) : material_density * (4.0 / 3.0) * pi * (r * r * r);
}

double sim_mass_of(const scree_sim_def* def, scree_spheres spheres, int64_t i)
{
    const scree_sim_each* each = def->each;
    return sim_mass(spheres.dim, each != NULL && each->material_density != NULL ? each->material_density[i] : def->material_density, spheres.r[i]);
}

static bool is_given_fixed(const scree_sim_def* def, int64_t i)
{
    return def->each != NULL && is_fixed(def->each->fixed, i);
}

static spring_given given_of(const scree_sim_def* def)
{
    return (spring_given){.whose = "sim",
                          .material_density = def->material_density,
                          .stiffness = def->stiffness,
                          .contact_duration = def->contact_duration,
                          .damping = def->damping,
                          .restitution = def->restitution,
                          .step = def->step};
}

// Properties of single spheres.
static scree_status check_each(const scree_sim_each* each, scree_spheres spheres)
{
    for (int32_t i = 0; i < spheres.count; ++i) {
        if (each->material_density != NULL && !spring_is_above(each->material_density[i]))
            return scree_fail(SCREE_ERR_ARGUMENT, "sphere %" PRId32 ": a material density of %g; a number above 0 was expected", i,
                              each->material_density[i]);
        if (each->fixed != NULL && each->fixed[i] > 1)
            return scree_fail(SCREE_ERR_ARGUMENT, "sphere %" PRId32 ": fixed is %d; 0 or 1 was expected", i, each->fixed[i]);
        for (int k = 0; k < spheres.dim && each->force != NULL; ++k)
            if (!(fabs(each->force[(int64_t)i * spheres.dim + k]) <= SCREE_LENGTH_MAX))
                return scree_fail(SCREE_ERR_ARGUMENT, "sphere %" PRId32 ": an external force of %g along %c is not finite", i,
                                  each->force[(int64_t)i * spheres.dim + k], "xyz"[k]);
    }
    return SCREE_OK;
}

// Values of a matrix by pair of materials.
static scree_status check_matrix(const scree_sim_law* law, const double* values, const char* name, double least, double most)
{
    int64_t m = law->material_count;
    for (int64_t e = 0; e < m * m && values != NULL; ++e) {
        int64_t a = e / m, b = e % m;
        if (!(values[e] >= least && values[e] <= most))
            return scree_fail(SCREE_ERR_ARGUMENT, "sim: materials %" PRId64 " and %" PRId64 ": a %s of %g; from %g to %g was expected", a, b, name, values[e], least,
                              most);
        if (values[e] != values[b * m + a])
            return scree_fail(SCREE_ERR_ARGUMENT, "sim: materials %" PRId64 " and %" PRId64 ": a %s of %g one way round and of %g the other", a, b, name, values[e],
                              values[b * m + a]);
    }
    return SCREE_OK;
}

static scree_status check_law(const scree_sim_def* def, law_kind* kind)
{
    const scree_sim_law* law = def->law;
    *kind = LAW_linear;
    if (law == NULL)
        return SCREE_OK;
    for (*kind = 0; *kind < LAW_COUNT && law->name != NULL && strcmp(law->name, law_row_of(*kind).name) != 0;)
        ++*kind;
    if (*kind == LAW_COUNT)
        return scree_fail(SCREE_ERR_ARGUMENT, "sim: there is no law '%.40s'; scree_sim_law_name lists those that there are", law->name);
    if (law->material_count < 0 || law->material_count > UINT16_MAX)
        return scree_fail(SCREE_ERR_ARGUMENT, "sim: %" PRId32 " materials; up to 65535 were expected", law->material_count);
    if (law->material_count == 0 && (law->stiffness != NULL || law->damping != NULL || law->restitution != NULL))
        return scree_fail(SCREE_ERR_ARGUMENT, "sim: parameters by pair of materials, and no number of materials");
    scree_status status = check_matrix(law, law->stiffness, "stiffness", DBL_MIN, DBL_MAX);
    if (status == SCREE_OK)
        status = check_matrix(law, law->damping, "damping", 0.0, DBL_MAX);
    return status == SCREE_OK ? check_matrix(law, law->restitution, "restitution", DBL_MIN, 1.0) : status;
}

static bool is_by_pair(const scree_sim_def* def)
{
    const scree_sim_law* law = def->law;
    return law != NULL && (law->stiffness != NULL || law->damping != NULL || law->restitution != NULL);
}

// Every material that can touch something has its place in the matrices.
static scree_status check_materials(const scree_sim_def* def, scree_spheres spheres)
{
    if (!is_by_pair(def))
        return SCREE_OK;
    int32_t m = def->law->material_count;
    for (int32_t i = 0; i < spheres.count && def->each != NULL && def->each->material != NULL; ++i)
        if (def->each->material[i] >= m)
            return scree_fail(SCREE_ERR_ARGUMENT, "sphere %" PRId32 ": material %d; there are parameters for materials 0 to %" PRId32, i,
                              (int)def->each->material[i], m - 1);
    if (def->wall_material < 0 || def->wall_material >= m)
        return scree_fail(SCREE_ERR_ARGUMENT, "sim: walls of material %" PRId32 "; there are parameters for materials 0 to %" PRId32, def->wall_material, m - 1);
    if (def->boundary_count > 0)
        SCREE_NEED_AS(def->boundaries, "boundaries");
    for (int32_t b = 0; b < def->boundary_count; ++b)
        if (def->boundaries[b].material < 0 || def->boundaries[b].material >= m)
            return scree_fail(SCREE_ERR_ARGUMENT, "sim: boundary %" PRId32 " of material %" PRId32 "; there are parameters for materials 0 to %" PRId32, b,
                              def->boundaries[b].material, m - 1);
    return SCREE_OK;
}

static scree_status check(const scree_sim_def* def)
{
    const scree_sim_law* law = def->law;
    bool stiff = law != NULL && law->stiffness != NULL, lossy = law != NULL && (law->damping != NULL || law->restitution != NULL);
    int ways = (def->stiffness != 0.0) + (def->contact_duration != 0.0) + (def->overlap != 0.0);
    if (stiff && ways > 0)
        return scree_fail(SCREE_ERR_ARGUMENT, "sim: a stiffness by pair of materials, and one for all (stiffness, contact duration or overlap); one of them was expected");
    if (lossy && ((law->damping != NULL && law->restitution != NULL) || def->damping != 0.0 || def->restitution != 0.0))
        return scree_fail(SCREE_ERR_ARGUMENT, "sim: several of damping and restitution, by pair of materials or for all; one of them was expected");
    if (!stiff && ways != 1)
        return scree_fail(SCREE_ERR_ARGUMENT, "sim: %s of stiffness, contact duration and overlap are given; exactly one was expected",
                          ways == 0 ? "none" : "several");
    spring_given given = given_of(def);
    scree_status status = spring_check(&given);
    if (status != SCREE_OK)
        return status;
    if (def->overlap != 0.0 && !(def->overlap > 0.0 && def->overlap < 1.0))
        return scree_fail(SCREE_ERR_ARGUMENT, "sim: an overlap of %g radii; a share between 0 and 1 was expected", def->overlap);
    if (def->overlap != 0.0 && !spring_is_above(def->speed))
        return scree_fail(SCREE_ERR_ARGUMENT, "sim: an overlap needs the speed at which spheres meet; %g was given, above 0 was expected",
                          def->speed);
    if (def->overlap == 0.0 && def->speed != 0.0)
        return scree_fail(SCREE_ERR_ARGUMENT, "sim: a speed of %g without an overlap that it would lead to; the two go together", def->speed);
    if (!(def->giants >= 0.0))
        return scree_fail(SCREE_ERR_ARGUMENT, "sim: giants from a radius of %g; above 0, or 0 for automatic, was expected", def->giants);
    return SCREE_OK;
}

// The two lightest and the two heaviest spheres that are not fixed; the lower id first where they are equal. -1: there is none.
typedef struct ends {
    int32_t light[2], heavy[2];
} ends;

static ends find_ends(const scree_sim_def* def, scree_spheres spheres)
{
    ends e = {.light = {-1, -1}, .heavy = {-1, -1}};
    double light[2] = {INFINITY, INFINITY}, heavy[2] = {-1.0, -1.0};
    for (int32_t i = 0; i < spheres.count; ++i) {
        if (is_given_fixed(def, i))
            continue;
        double m = sim_mass_of(def, spheres, i);
        int l = m < light[0] ? 0 : m < light[1] ? 1 : 2, h = m > heavy[0] ? 0 : m > heavy[1] ? 1 : 2;
        if (l == 0) {
            light[1] = light[0];
            e.light[1] = e.light[0];
        }
        if (l < 2) {
            light[l] = m;
            e.light[l] = i;
        }
        if (h == 0) {
            heavy[1] = heavy[0];
            e.heavy[1] = e.heavy[0];
        }
        if (h < 2) {
            heavy[h] = m;
            e.heavy[h] = i;
        }
    }
    return e;
}

// The radius that half of the spheres do not exceed. Radii are positive, so that their bits rise with them: digit by digit from the first.
static double median_radius(scree_spheres spheres)
{
    enum { digit_bits = 11, values = 1 << digit_bits };
    uint64_t prefix = 0, known = 0;
    int64_t left = ((int64_t)spheres.count - 1) / 2;
    for (int shift = 55; shift >= 0 && spheres.count > 0; shift -= digit_bits) {
        int64_t counts[values] = {0};
        for (int32_t i = 0; i < spheres.count; ++i) {
            uint64_t bits;
            memcpy(&bits, &spheres.r[i], sizeof bits);
            if ((bits & known) == prefix)
                ++counts[bits >> shift & (values - 1)];
        }
        uint64_t digit = 0;
        for (; left >= counts[digit]; ++digit)
            left -= counts[digit];
        prefix |= digit << shift;
        known |= (uint64_t)(values - 1) << shift;
    }
    double median;
    memcpy(&median, &prefix, sizeof median);
    return median;
}

static const double giant_ratio = 64.0;

// Quanta are fine enough that rounding is far below what a contact law is good for, and 2^63 of them hold what 1e6 spheres pressed in by a radius do.
static void find_giants(const scree_sim_def* def, scree_spheres spheres, double stiffest, scree_sim_numbers* out)
{
    out->giant_radius = spheres.count == 0 ? INFINITY : def->giants > 0.0 ? def->giants : giant_ratio * median_radius(spheres);
    for (int32_t i = 0; i < spheres.count; ++i)
        out->giant_count += spheres.r[i] >= out->giant_radius;
    int exponent = ilogb(stiffest * out->radius_least);  // of 0: INT_MIN
    if (spheres.count > 0)
        out->force_quantum = ldexp(1.0, exponent < -960 ? -1000 : exponent - 40);
}

static double reduced(double a, double b)
{
    return a / (a + b) * b;
}

static double stiffness_of(const scree_sim_def* def, double mu_light, double mu_heavy, double r_heavy)
{
    spring_given given = given_of(def);
    if (def->stiffness > 0.0 || def->contact_duration > 0.0)
        return spring_stiffness(&given, mu_light);
    double rate = def->speed / (def->overlap * r_heavy);
    return mu_heavy * rate * rate;
}

// Coefficients of all pairs of materials, from those of the def and from k, the stiffness for all. MEMORY
static scree_status make_law(const scree_sim_def* def, law_kind kind, double k, double r_most, sim_law* law)
{
    const scree_sim_law* given = def->law;
    *law = (sim_law){.kind = (int32_t)kind, .row = law_row_of(kind), .materials = is_by_pair(def) ? given->material_count : 1, .one = {.k = k}};
    law->per_pair = def->restitution > 0.0 || (given != NULL && given->restitution != NULL);
    if (is_by_pair(def)) {
        law->many = scree_malloc((size_t)law->materials * (size_t)law->materials, sizeof *law->many);
        if (law->many == NULL)
            return SCREE_ERR_MEMORY;
    }
    int64_t pairs = (int64_t)law->materials * law->materials;
    for (int64_t e = 0; e < pairs; ++e) {
        law_pair* with = law->many != NULL ? &law->many[e] : &law->one;
        double restitution = law->many != NULL && given->restitution != NULL ? given->restitution[e] : def->restitution;
        double damping = law->many != NULL && given->damping != NULL ? given->damping[e] : def->damping;
        *with = spring_pair(law->many != NULL && given->stiffness != NULL ? given->stiffness[e] : k, damping, restitution);
        law->damped = law->damped || (law->per_pair ? with->c > 0.0 : with->g > 0.0);
        if (law->row.reach != NULL)
            law->reach = fmax(law->reach, law->row.reach(with, r_most));
    }
    law->per_pair = law->per_pair && law->damped;
    return SCREE_OK;
}

// Spheres of one material that move.
typedef struct of_material {
    int32_t light[2];   // the two lightest; -1: there is none
    double mass[2];
    double heaviest;
    bool stands;        // or walls, boundaries and fixed spheres are of it
} of_material;

static int32_t material_of(const scree_sim_def* def, int64_t i)
{
    return def->each != NULL && def->each->material != NULL ? def->each->material[i] : 0;
}

static void find_materials(const scree_sim_def* def, scree_spheres spheres, int32_t count, of_material* out)
{
    for (int32_t a = 0; a < count; ++a)
        out[a] = (of_material){.light = {-1, -1}, .mass = {INFINITY, INFINITY}};
    out[def->wall_material].stands = true;
    for (int32_t b = 0; b < def->boundary_count; ++b)
        out[def->boundaries[b].material].stands = true;
    for (int32_t i = 0; i < spheres.count; ++i) {
        of_material* m = &out[material_of(def, i)];
        if (is_given_fixed(def, i)) {
            m->stands = true;
            continue;
        }
        double mass = sim_mass_of(def, spheres, i);
        m->heaviest = fmax(m->heaviest, mass);
        int at = mass < m->mass[0] ? 0 : mass < m->mass[1] ? 1 : 2;
        if (at == 0) {
            m->mass[1] = m->mass[0];
            m->light[1] = m->light[0];
        }
        if (at < 2) {
            m->mass[at] = mass;
            m->light[at] = i;
        }
    }
}

static void take_contact(const sim_law* law, const law_pair* with, double mu, int32_t i, int32_t j, scree_sim_numbers* out)
{
    contact_time time = law->row.time(law, with, mu);
    out->restitution_least = fmin(out->restitution_least, time.restitution);
    if (!(time.duration < out->contact_duration))
        return;
    out->contact_duration = time.duration;
    out->shortest[0] = j >= 0 && j < i ? j : i;
    out->shortest[1] = j >= 0 && j < i ? i : j;
}

// The shortest contact over all pairs of materials, and the mildest.
static scree_status find_shortest(const scree_sim_def* def, scree_spheres spheres, const sim_law* law, scree_sim_numbers* out)
{
    of_material* all = scree_malloc((size_t)law->materials, sizeof *all);
    if (all == NULL)
        return SCREE_ERR_MEMORY;
    find_materials(def, spheres, law->materials, all);
    out->contact_duration = INFINITY;
    out->restitution_most = 0.0;
    for (int32_t a = 0; a < law->materials; ++a)
        for (int32_t b = a; b < law->materials; ++b) {
            const law_pair* with = &law->many[(int64_t)a * law->materials + b];
            const of_material *one = &all[a], *other = &all[b];
            int second = a == b;
            if (one->light[0] >= 0 && other->light[second] >= 0)
                take_contact(law, with, reduced(one->mass[0], other->mass[second]), one->light[0], other->light[second], out);
            if (one->light[0] >= 0 && other->stands)
                take_contact(law, with, one->mass[0], one->light[0], -1, out);
            if (other->light[0] >= 0 && one->stands)
                take_contact(law, with, other->mass[0], other->light[0], -1, out);
            double heaviest = fmax(one->heaviest, other->heaviest);
            if (heaviest > 0.0 && (one->heaviest > 0.0 || one->stands) && (other->heaviest > 0.0 || other->stands))
                out->restitution_most = fmax(out->restitution_most, law->row.time(law, with, heaviest).restitution);
        }
    scree_free(all);
    return SCREE_OK;
}

scree_status sim_numbers_find(const scree_sim_def* def, scree_spheres spheres, scree_sim_numbers* out, sim_law* law)
{
    law_kind kind;
    *law = (sim_law){.kind = LAW_linear};
    scree_status status = check_law(def, &kind);
    if (status == SCREE_OK)
        status = check(def);
    if (status == SCREE_OK && def->each != NULL)
        status = check_each(def->each, spheres);
    if (status == SCREE_OK)
        status = check_materials(def, spheres);
    if (status != SCREE_OK)
        return status;
    *out = (scree_sim_numbers){.shortest = {-1, -1}, .restitution_least = 1.0, .restitution_most = 1.0};
    for (int32_t i = 0; i < spheres.count; ++i) {
        double mass = sim_mass_of(def, spheres, i);
        if (!(spheres.r[i] > 0.0) || !spring_is_above(mass) || !spring_is_above(1.0 / mass))
            return scree_fail(SCREE_ERR_ARGUMENT, "sphere %" PRId32 ": radius %g gives it a mass of %g, which cannot be moved", i, spheres.r[i],
                              mass);
        out->fixed_count += is_given_fixed(def, i);
        out->mass_sum += is_given_fixed(def, i) ? 0.0 : mass;
        out->radius_least = i == 0 ? spheres.r[i] : fmin(out->radius_least, spheres.r[i]);
        out->radius_most = fmax(out->radius_most, spheres.r[i]);
    }
    ends e = find_ends(def, spheres);
    int32_t movers = spheres.count - out->fixed_count;
    double light[2] = {1.0, 1.0}, heavy[2] = {1.0, 1.0};
    for (int k = 0; k < 2 && movers > 0; ++k) {
        light[k] = e.light[k] < 0 ? INFINITY : sim_mass_of(def, spheres, e.light[k]);
        heavy[k] = e.heavy[k] < 0 ? INFINITY : sim_mass_of(def, spheres, e.heavy[k]);
        out->shortest[k] = e.light[k];
    }
    if (movers > 0) {
        out->mass_least = light[0];
        out->mass_most = heavy[0];
    }
    // A sphere alone has only walls and fixed spheres to meet.
    double mu_light = movers > 1 ? reduced(light[0], light[1]) : light[0];
    double mu_heavy = movers > 1 ? reduced(heavy[0], heavy[1]) : heavy[0];
    double r_heavy = movers > 1 ? fmin(spheres.r[e.heavy[0]], spheres.r[e.heavy[1]]) : movers > 0 ? spheres.r[e.heavy[0]] : 1.0;
    bool stiff = def->law != NULL && def->law->stiffness != NULL;
    double k = stiff ? 1.0 : stiffness_of(def, mu_light, mu_heavy, r_heavy);
    if (!spring_is_above(k))
        return scree_fail(SCREE_ERR_ARGUMENT, "sim: the stiffness comes out as %g; other masses, durations or overlaps are needed", k);
    status = make_law(def, kind, k, out->radius_most, law);
    if (status == SCREE_OK && law->many != NULL && movers > 0)
        status = find_shortest(def, spheres, law, out);
    if (status != SCREE_OK)
        return status;
    out->stiffness = law->one.k;
    for (int64_t p = 0; law->many != NULL && p < (int64_t)law->materials * law->materials; ++p)
        out->stiffness = p == 0 ? law->many[p].k : fmax(out->stiffness, law->many[p].k);
    find_giants(def, spheres, out->stiffness, out);
    if (law->many == NULL || movers == 0) {
        const law_pair* with = law->many != NULL ? law->many : &law->one;
        contact_time shortest = law->row.time(law, with, mu_light);
        out->contact_duration = shortest.duration;
        out->restitution_least = shortest.restitution;
        out->restitution_most = law->row.time(law, with, heavy[0]).restitution;  // the heaviest, against a wall
    }
    spring_given given = given_of(def);
    status = spring_step(&given, out->contact_duration, &out->longest_step, &out->step);
    if (status != SCREE_OK || out->step <= out->longest_step || movers == 0)
        return status;
    if (out->shortest[1] < 0)
        return scree_fail(SCREE_ERR_ARGUMENT,
                          "sim: a time step of %g is too large: sphere %" PRId64 " touches a wall for %g; at most a tenth of that, %g, is accepted, "
                          "and a fiftieth is usual",
                          out->step, out->shortest[0], out->contact_duration, out->longest_step);
    return scree_fail(SCREE_ERR_ARGUMENT,
                      "sim: a time step of %g is too large: spheres %" PRId64 " and %" PRId64 " (radii %g and %g) touch for %g; at most a tenth of "
                      "that, %g, is accepted, and a fiftieth is usual",
                      out->step, out->shortest[0], out->shortest[1], spheres.r[out->shortest[0]], spheres.r[out->shortest[1]],
                      out->contact_duration, out->longest_step);
}

scree_status scree_sim_find_numbers(const scree_sim_def* def, scree_spheres spheres, scree_sim_numbers* out)
{
    SCREE_EMPTY(out);
    SCREE_NEED(def);
    sim_law law;
    scree_sim_numbers numbers;
    scree_sim_def whole;
    sim_given given;
    scree_status status = sim_take_def(def, &whole, &given);
    if (status == SCREE_OK)
        status = scree_spheres_check(spheres, NULL);
    if (status != SCREE_OK)
        return status;
    status = sim_numbers_find(&whole, spheres, &numbers, &law);
    scree_free(law.many);
    if (status == SCREE_OK)
        *out = numbers;
    return status;
}
