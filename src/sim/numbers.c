// From what a user says to what the step needs: masses, stiffness, damping, the time step.
//
// Two spheres of reduced mass mu that meet are half a swing of a damped spring:
//
//     w0 = sqrt(k / mu)    eta = g / (2 mu)    w = sqrt(w0^2 - eta^2)    t_c = pi / w    e = exp(-eta t_c)
//
// With a restitution given, g = c sqrt(mu) makes eta / w0, and so e, the same for all pairs. The shortest contact is that of the two
// lightest spheres. With one constant g it can happen that they are damped so strongly that they creep apart (eta >= w0); then what the
// step must resolve is their fast decay, and it is named instead of a duration.
#include "sim/sim_inner.h"

#include "base/argument.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

static const double pi = 3.14159265358979323846;
static const double steps_usual = 50.0, steps_least = 10.0;

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

// -ln e / sqrt(pi^2 + ln^2 e): damping as a share of the critical.
static double share_of(double restitution)
{
    double loss = -log(restitution);
    return loss / sqrt(pi * pi + loss * loss);
}

typedef struct contact_time {
    double duration;     // or pi over the decay rate
    double restitution;  // 0: they creep apart
} contact_time;

static contact_time time_of(const sim_law* law, double mu)
{
    double w0 = sqrt(law->k / mu), eta = (law->per_pair ? law->c * sqrt(mu) : law->g) / (2.0 * mu);
    if (eta >= w0)
        return (contact_time){.duration = pi / (eta + sqrt(eta * eta - w0 * w0))};
    double w = sqrt(w0 * w0 - eta * eta), shortest = w;
    // With one g for all, light pairs near the critical damping swing slowly, and w is largest at mu = g^2 / 2k, where w^2 = k^2 / g^2.
    if (!law->per_pair && mu < law->g * law->g / (2.0 * law->k))
        shortest = law->k / law->g;
    return (contact_time){.duration = pi / shortest, .restitution = eta > 0.0 ? exp(-eta * pi / w) : 1.0};
}

static bool is_above(double value)
{
    return value > 0.0 && value <= DBL_MAX;
}

// Properties of single spheres.
static scree_status check_each(const scree_sim_each* each, scree_spheres spheres)
{
    for (int32_t i = 0; i < spheres.count; ++i) {
        if (each->material_density != NULL && !is_above(each->material_density[i]))
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

static scree_status check(const scree_sim_def* def)
{
    if (!is_above(def->material_density))
        return scree_fail(SCREE_ERR_ARGUMENT, "sim: a material density of %g; a number above 0 was expected", def->material_density);
    int ways = (def->stiffness != 0.0) + (def->contact_duration != 0.0) + (def->overlap != 0.0);
    if (ways != 1)
        return scree_fail(SCREE_ERR_ARGUMENT, "sim: %s of stiffness, contact duration and overlap are given; exactly one was expected",
                          ways == 0 ? "none" : "several");
    if (def->stiffness != 0.0 && !is_above(def->stiffness))
        return scree_fail(SCREE_ERR_ARGUMENT, "sim: a stiffness of %g; a number above 0 was expected", def->stiffness);
    if (def->contact_duration != 0.0 && !is_above(def->contact_duration))
        return scree_fail(SCREE_ERR_ARGUMENT, "sim: a contact duration of %g; a time above 0 was expected", def->contact_duration);
    if (def->overlap != 0.0 && !(def->overlap > 0.0 && def->overlap < 1.0))
        return scree_fail(SCREE_ERR_ARGUMENT, "sim: an overlap of %g radii; a share between 0 and 1 was expected", def->overlap);
    if (def->overlap != 0.0 && !is_above(def->speed))
        return scree_fail(SCREE_ERR_ARGUMENT, "sim: an overlap needs the speed at which spheres meet; %g was given, above 0 was expected",
                          def->speed);
    if (def->overlap == 0.0 && def->speed != 0.0)
        return scree_fail(SCREE_ERR_ARGUMENT, "sim: a speed of %g without an overlap that it would lead to; the two go together", def->speed);
    if (!(def->damping >= 0.0 && def->damping <= DBL_MAX))
        return scree_fail(SCREE_ERR_ARGUMENT, "sim: a damping of %g; 0 or more was expected", def->damping);
    if (!(def->restitution >= 0.0 && def->restitution <= 1.0))
        return scree_fail(SCREE_ERR_ARGUMENT, "sim: a restitution of %g; above 0 and up to 1 was expected", def->restitution);
    if (def->restitution > 0.0 && def->damping > 0.0)
        return scree_fail(SCREE_ERR_ARGUMENT, "sim: a damping of %g and a restitution of %g; one of them was expected", def->damping,
                          def->restitution);
    if (!(def->step >= 0.0 && def->step <= DBL_MAX))
        return scree_fail(SCREE_ERR_ARGUMENT, "sim: a time step of %g; above 0, or 0 for automatic, was expected", def->step);
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
static void find_giants(const scree_sim_def* def, scree_spheres spheres, const sim_law* law, scree_sim_numbers* out)
{
    out->giant_radius = spheres.count == 0 ? INFINITY : def->giants > 0.0 ? def->giants : giant_ratio * median_radius(spheres);
    for (int32_t i = 0; i < spheres.count; ++i)
        out->giant_count += spheres.r[i] >= out->giant_radius;
    int exponent = ilogb(law->k * out->radius_least);  // of 0: INT_MIN
    if (spheres.count > 0)
        out->force_quantum = ldexp(1.0, exponent < -960 ? -1000 : exponent - 40);
}

static double reduced(double a, double b)
{
    return a / (a + b) * b;
}

static double stiffness_of(const scree_sim_def* def, double mu_light, double mu_heavy, double r_heavy)
{
    if (def->stiffness > 0.0)
        return def->stiffness;
    if (def->contact_duration > 0.0) {
        double swing = pi / def->contact_duration, loss = def->restitution > 0.0 ? log(def->restitution) / def->contact_duration
                                                                                 : def->damping / (2.0 * mu_light);
        return mu_light * (swing * swing + loss * loss);
    }
    double rate = def->speed / (def->overlap * r_heavy);
    return mu_heavy * rate * rate;
}

scree_status sim_numbers_find(const scree_sim_def* def, scree_spheres spheres, scree_sim_numbers* out, sim_law* law)
{
    scree_status status = check(def);
    if (status == SCREE_OK && def->each != NULL)
        status = check_each(def->each, spheres);
    if (status != SCREE_OK)
        return status;
    *out = (scree_sim_numbers){.shortest = {-1, -1}, .restitution_least = 1.0, .restitution_most = 1.0};
    for (int32_t i = 0; i < spheres.count; ++i) {
        double mass = sim_mass_of(def, spheres, i);
        if (!(spheres.r[i] > 0.0) || !is_above(mass) || !is_above(1.0 / mass))
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
    *law = (sim_law){.k = stiffness_of(def, mu_light, mu_heavy, r_heavy), .per_pair = def->restitution > 0.0, .g = def->damping};
    if (!is_above(law->k))
        return scree_fail(SCREE_ERR_ARGUMENT, "sim: the stiffness comes out as %g; other masses, durations or overlaps are needed", law->k);
    if (law->per_pair)
        law->c = 2.0 * share_of(def->restitution) * sqrt(law->k);
    law->damped = law->per_pair ? law->c > 0.0 : law->g > 0.0;
    law->per_pair = law->per_pair && law->damped;
    find_giants(def, spheres, law, out);

    contact_time shortest = time_of(law, mu_light);
    contact_time mildest = time_of(law, heavy[0]);  // the heaviest, against a wall
    out->stiffness = law->k;
    out->contact_duration = shortest.duration;
    out->restitution_least = shortest.restitution;
    out->restitution_most = mildest.restitution;
    out->longest_step = shortest.duration / steps_least;
    out->step = def->step > 0.0 ? def->step : shortest.duration / steps_usual;
    if (!is_above(out->step))
        return scree_fail(SCREE_ERR_ARGUMENT, "sim: the time step comes out as %g", out->step);
    if (out->step <= out->longest_step || movers == 0)
        return SCREE_OK;
    if (movers == 1)
        return scree_fail(SCREE_ERR_ARGUMENT,
                          "sim: a time step of %g is too large: sphere %" PRId64 " touches a wall for %g; at most a tenth of that, %g, is accepted, "
                          "and a fiftieth is usual",
                          out->step, out->shortest[0], shortest.duration, out->longest_step);
    return scree_fail(SCREE_ERR_ARGUMENT,
                      "sim: a time step of %g is too large: spheres %" PRId64 " and %" PRId64 " (radii %g and %g) touch for %g; at most a tenth of "
                      "that, %g, is accepted, and a fiftieth is usual",
                      out->step, out->shortest[0], out->shortest[1], spheres.r[out->shortest[0]], spheres.r[out->shortest[1]],
                      shortest.duration, out->longest_step);
}

scree_status scree_sim_find_numbers(const scree_sim_def* def, scree_spheres spheres, scree_sim_numbers* out)
{
    SCREE_EMPTY(out);
    SCREE_NEED(def);
    sim_law law;
    scree_sim_numbers numbers;
    scree_sim_def whole;
    scree_sim_each each;
    scree_index_def search;
    scree_status status = sim_take_def(def, &whole, &each, &search);
    if (status == SCREE_OK)
        status = scree_spheres_check(spheres, NULL);
    if (status == SCREE_OK)
        status = sim_numbers_find(&whole, spheres, &numbers, &law);
    if (status == SCREE_OK)
        *out = numbers;
    return status;
}
