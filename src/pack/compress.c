// Isotropic compression by simulation: spheres without friction and gravity are compressed until they jam at a given pressure.
//
//     random, loose   ->   the box shrinks, spheres collide and lose energy   ->   jammed: the box follows the pressure   ->   at rest
//
// The simulation is an ordinary scree_sim. Every `interval` steps the pressure is measured, and box and centres are scaled together, so that the
// change does not have to propagate from the walls. Until the pressure first exceeds the target, the sides shorten at a constant rate. After
// that a proportional-integral control sets the strain rate:
//
//     d(strain)/dt = near * e + sum over time of far * e,     e = (p - P) / (stiffness of the packing)
//
// The integral is needed because a packing that yields does so at almost the target pressure.
//
// Collisions dissipate energy, but near jamming the slow modes keep the distances of contacts and are hardly damped. Once the target was
// reached, all velocities are therefore set to 0 whenever the kinetic energy begins to fall, which is when the system passes through its equilibrium (dynamic
// relaxation). The first target pressure is higher than the final one and is lowered in stages, because more compressed packings relax
// faster: 2.5 times fewer steps, and densities that are higher by 0.001 to 0.002.
//
// The unit of time is T, the contact duration of two spheres of mean volume. Internally the stiffness is 1, and lengths are scaled by a power of two.
//
// Cost: a step is a twentieth of the shortest contact, while T follows the mean volume; so the number of steps grows with the power 3/2 of the size ratio.
// Wrong choice if only density matters: rearrangement is ten times faster and leaves no overlaps.
#include "base/argument.h"
#include "base/clock.h"
#include "geom/length.h"
#include "pack/place.h"
#include "scree/index.h"
#include "scree/sim.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum {
    interval = 20,          // steps between measurements of the pressure
    looks_per_balance = 16  // looks between sums over net forces
};

static const double pi = 3.14159265358979323846;
static const double answer_near = 0.35, answer_far = 0.075;  // as above, by T and T^2: an answer in some 3 T, without swinging
static const double drag_time = 10.0;    // in which velocities are lost before the pressure is reached, in T
static const double stage_first = 1e-2, stage_ratio = 0.25;  // pressures of the stages
static const double loose = 0.05;        // tolerance of all but the last
static const double modulus = 1.2;       // d(pressure)/d(strain of a side) of a jammed packing of equal spheres, by the mean field of springs

typedef struct press {
    const scree_compress_def* def;
    int32_t n, dim;
    int unit;           // internal lengths are the given ones times 2^-unit
    double* x;          // n * dim: positions, later velocities or accelerations
    double* r;          // inside
    double mean;        // diameter
    double volume;      // of all spheres
    scree_sim* sim;
    double wish;        // the pressure to reach, inside
    double stage;       // the one to reach for now
    double period;      // T
    double limit;       // of the rate of strain
    double rate;        // what has been missing for long
    bool reached;       // the pressure was once what it is to be
    double pressure;    // at the last look
    double overlap;     // the largest then, in smaller diameters
    double kinetic;     // energy, then
    double imbalance;   // net forces by contact forces; INFINITY: not known
    double start, expected;  // densities, for progress: expected is an estimate where somebody watches
    double began;
    bool cancelled;
} press;

SCREE_DEFAULTS_OF(scree_compress_def, scree_default_compress_def)
{
    return (scree_compress_def){.struct_size = sizeof(scree_compress_def),
                                .box = scree_box_sized(3, (double[3]){1.0, 1.0, 1.0}),
                                .pressure = 1e-4,
                                .rate = 1e-3,
                                .restitution = 0.3,
                                .start_density = 0.3,
                                .tolerance = 1e-2,
                                .steps = 10000000,
                                .method = SCREE_METHOD_AUTO,
                                .seed = 1};
}

// ---- Checks --------------------------------------------------------------------------------------------------------

static scree_status check_def(const scree_compress_def* def)
{
    static const char what[] = "compression";
    scree_status fits = scree_check_struct_size(what, "scree_default_compress_def", def->struct_size, sizeof *def, sizeof *def);
    if (fits != SCREE_OK)
        return fits;
    const placing_number numbers[] = {{"pressure", def->pressure, 1e-8, 0.1},           {"rate", def->rate, 1e-7, 0.1},
                   {"restitution", def->restitution, 1e-3, 1.0},     {"start_density", def->start_density, 0.01, 0.6},
                   {"tolerance", def->tolerance, 1e-6, 0.5},         {"seconds", def->seconds, 0.0, 1e12}};
    scree_status status = placing_check_numbers(what, numbers, sizeof numbers / sizeof *numbers, def->threads);
    if (status != SCREE_OK)
        return status;
    if (def->steps < 0)
        return scree_fail(SCREE_ERR_ARGUMENT, "%s: steps = %" PRId64 "; expected 0 or more", what, def->steps);
    status = scree_box_check(&def->box);
    if (status == SCREE_OK)
        status = scree_box_reject_tilt(&def->box, what);
    return status == SCREE_OK ? placing_check_ends(what, &def->box) : status;
}

// ---- Start ---------------------------------------------------------------------------------------------------------

// A box of the asked shape in which the spheres have this density; it begins at 0.
static scree_box box_of_density(const press* p, double density)
{
    const scree_box* asked = &p->def->box;
    scree_box box = {.dim = p->dim};
    double longest = 0.0, product = 1.0;
    for (int k = 0; k < p->dim; ++k)
        longest = fmax(longest, asked->upper[k] - asked->lower[k]);
    for (int k = 0; k < p->dim; ++k) {
        box.upper[k] = (asked->upper[k] - asked->lower[k]) / longest;
        box.periodic[k] = asked->periodic[k];
        product *= box.upper[k];
    }
    for (int k = 0; k < p->dim; ++k)
        box.upper[k] *= pow(p->volume / (density * product), 1.0 / p->dim);
    return box;
}

// Placing is not part of the progress that the caller sees.
static bool still_at_0(void* context, double done)
{
    const scree_watch* watch = context;
    (void)done;
    return watch->tick(watch->context, 0.0);
}

static scree_status scatter(press* p, scree_box* box)
{
    scree_place_def place = scree_default_place_def();
    place.seed = p->def->seed;
    place.tries = 10000;
    scree_watch watch = p->def->watch;
    if (watch.tick != NULL)
        place.watch = (scree_watch){.tick = still_at_0, .context = &watch};
    scree_status status = SCREE_ERR_ARGUMENT;
    double density = p->def->start_density;
    for (; status == SCREE_ERR_ARGUMENT && density > 1e-4; density *= 0.8) {
        *box = place.box = box_of_density(p, density);
        status = scree_place_random(&place, p->n, p->r, p->x);
        p->start = density;
    }
    return status;
}

static scree_status begin(press* p)
{
    scree_box box;
    scree_status status = scatter(p, &box);
    if (status != SCREE_OK)
        return status;
    p->expected = 0.84;
    if (p->dim == 3 && p->def->watch.tick != NULL)  // it takes as long as thousands of steps of a few spheres
        status = scree_predict_density(p->dim, p->n, p->r, &p->expected);
    if (status != SCREE_OK)
        return status;
    double mass = p->volume / p->n;  // the mean one, at material density 1
    scree_sim_def def = scree_default_sim_def();
    def.box = box;
    def.stiffness = 1.0;
    def.restitution = p->def->restitution;
    scree_index_def search = scree_default_index_def();
    search.method = p->def->method;
    def.search = &search;
    def.threads = p->def->threads;
    scree_spheres spheres = {.count = p->n, .dim = p->dim, .x = p->x, .r = p->r};
    scree_sim_numbers numbers;
    status = scree_sim_find_numbers(&def, spheres, &numbers);
    if (status != SCREE_OK)
        return status;
    def.time_step = numbers.contact_duration / 20.0;
    p->period = pi * sqrt(0.5 * mass);
    p->limit = p->def->rate / p->period;
    p->wish = p->def->pressure / pow(p->mean, p->dim - 2);
    p->stage = fmax(p->wish, stage_first / pow(p->mean, p->dim - 2));
    return scree_sim_create(&def, spheres, NULL, &p->sim);
}

static scree_status press_open(const scree_compress_def* def, int32_t n, const double* r, press** out)
{
    press* p = scree_calloc(1, sizeof *p);
    if (p == NULL)
        return SCREE_ERR_MEMORY;
    *out = p;
    p->def = def;
    p->n = n;
    p->dim = def->box.dim;
    p->began = scree_clock();
    p->imbalance = INFINITY;
    p->x = scree_malloc((size_t)n * (size_t)p->dim, sizeof *p->x);
    p->r = scree_malloc((size_t)n, sizeof *p->r);
    if (p->x == NULL || p->r == NULL)
        return SCREE_ERR_MEMORY;
    double r_max = 0.0;
    for (int32_t i = 0; i < n; ++i)
        r_max = fmax(r_max, r[i]);
    p->unit = ilogb(r_max);
    for (int32_t i = 0; i < n; ++i) {
        p->r[i] = ldexp(r[i], -p->unit);
        p->mean += 2.0 * p->r[i] / n;
        p->volume += placing_ball(p->dim, p->r[i]);
    }
    return begin(p);
}

static void press_close(press* p)
{
    scree_sim_destroy(p->sim);
    scree_free(p->x);
    scree_free(p->r);
    scree_free(p);
}

// ---- Pressing ------------------------------------------------------------------------------------------------------

static double density_now(const press* p)
{
    scree_box box = scree_sim_get_box(p->sim);
    return p->volume / scree_box_volume(&box);
}

// Net forces by contact forces, both as roots of mean squares over spheres and contacts.
static scree_status find_imbalance(press* p, const scree_sim_report* report)
{
    scree_status status = scree_sim_get_column(p->sim, "a", p->x);
    if (status != SCREE_OK)
        return status;
    double squares = 0.0;
    for (int32_t i = 0; i < p->n; ++i) {
        double mass = placing_ball(p->dim, p->r[i]), square = 0.0;
        for (int k = 0; k < p->dim; ++k)
            square += p->x[(int64_t)i * p->dim + k] * p->x[(int64_t)i * p->dim + k];
        squares += mass * mass * square;
    }
    int64_t contacts = report->contacts + report->wall_contacts;
    p->imbalance = contacts > 0 ? sqrt(squares / p->n / (2.0 * report->energy_contact / (double)contacts)) : INFINITY;
    return SCREE_OK;
}

// From the start to the pressure is one part in three of the way, from there to balance the rest.
static double progress(const press* p)
{
    if (!p->reached) {
        double way = (density_now(p) - p->start) / (p->expected - p->start);
        return fmin(fmax(way, 0.0), 1.0) / 3.0;
    }
    double most = fmin(fmax(p->imbalance, p->def->tolerance), 1.0);
    return (1.0 + 2.0 * log(most) / log(fmin(p->def->tolerance, 0.5))) / 3.0;
}

static bool goes_on(press* p)
{
    const scree_compress_def* def = p->def;
    if (def->state != NULL)
        *def->state = (scree_rearrange_state){.sweeps = scree_sim_get_step(p->sim), .density = density_now(p), .overlap = p->overlap};
    if (def->watch.tick != NULL && !def->watch.tick(def->watch.context, progress(p))) {
        p->cancelled = true;
        return false;
    }
    return (def->seconds == 0.0 || scree_clock() - p->began < def->seconds) && (def->steps == 0 || scree_sim_get_step(p->sim) < def->steps);
}

static scree_status compress(press* p, bool* converged)
{
    double dt = scree_sim_get_numbers(p->sim).time_step, span = interval * dt;
    double soft = modulus / pow(p->mean, p->dim - 2);  // of the packing, stiffness 1
    for (int64_t look = 1; goes_on(p); ++look) {
        scree_sim_report report;
        scree_status status = scree_sim_run(p->sim, interval);
        if (status == SCREE_OK)
            status = scree_sim_measure(p->sim, &report);
        if (status != SCREE_OK)
            return status;
        // Of contacts alone: virial / (dim V) up to rounding. This form keeps the exact results that packings have had so far.
        scree_box box = scree_sim_get_box(p->sim);
        double size = p->dim * scree_box_volume(&box);
        p->pressure = (2.0 * report.energy_kinetic + report.virial) / size - 2.0 * report.energy_kinetic / size;
        p->overlap = 0.5 * report.max_overlap_relative;
        p->reached = p->reached || p->pressure > p->stage;
        double off = p->pressure / p->stage - 1.0;
        if (p->reached && look % looks_per_balance == 0) {
            status = find_imbalance(p, &report);
            if (status != SCREE_OK)
                return status;
            bool last = p->stage <= p->wish;
            double enough = last ? p->def->tolerance : fmax(p->def->tolerance, loose);
            if (fabs(off) <= enough && p->imbalance <= enough) {
                if (last) {
                    *converged = true;
                    return SCREE_OK;
                }
                p->stage = fmax(p->wish, p->stage * stage_ratio);
            }
        }
        double strain = -p->limit;
        if (p->reached) {
            double missing = (p->pressure - p->stage) / soft, period = p->period;
            p->rate = fmin(fmax(p->rate + answer_far * missing * span / (period * period), -p->limit), p->limit);
            strain = fmin(fmax(answer_near * missing / period + p->rate, -p->limit), p->limit);
        }
        double keep = !p->reached ? exp(-span / (drag_time * p->period)) : report.energy_kinetic < p->kinetic ? 0.0 : 1.0;
        p->kinetic = keep * report.energy_kinetic;
        status = scree_sim_scale(p->sim, 1.0 + strain * span, keep);
        if (status != SCREE_OK)
            return status;
    }
    return SCREE_OK;
}

// ---- End -----------------------------------------------------------------------------------------------------------

// Positions outside, radii as given.
static scree_status lay_out(press* p, scree_packing* out)
{
    scree_status status = scree_sim_get_column(p->sim, "x", p->x);
    if (status != SCREE_OK)
        return status;
    scree_box box = scree_sim_get_box(p->sim);
    for (int k = 0; k < p->dim; ++k)
        out->box.upper[k] = out->box.lower[k] + ldexp(box.upper[k], p->unit);
    for (int64_t e = 0; e < (int64_t)p->n * p->dim; ++e) {
        int k = (int)(e % p->dim);
        out->x[e] = out->box.lower[k] + ldexp(p->x[e], p->unit);
        if (out->box.periodic[k])
            out->x[e] = scree_box_wrap(&out->box, k, out->x[e], NULL);
    }
    out->density = out->density_net = p->volume / scree_box_volume(&box);
    out->sweeps = scree_sim_get_step(p->sim);
    return SCREE_OK;
}

// The largest, relative to the smaller diameter, from scratch.
static scree_status find_overlap(const scree_compress_def* asked, const double* r, scree_packing* out)
{
    scree_index_def def = scree_default_index_def();
    def.box = out->box;
    def.skin = -1.0;
    def.threads = asked->threads;
    scree_index* index;
    scree_pairs pairs = {0};
    scree_status status = scree_index_create(&def, &index);
    if (status != SCREE_OK)
        return status;
    int dim = out->box.dim;
    status = scree_index_update(index, (scree_spheres){.count = out->count, .dim = dim, .x = out->x, .r = r});
    if (status == SCREE_OK)
        status = scree_index_pairs(index, &pairs);
    for (int64_t q = 0; status == SCREE_OK && q < pairs.count; ++q) {
        int32_t i = pairs.ij[q][0], j = pairs.ij[q][1];
        double square = 0.0;
        for (int k = 0; k < dim; ++k) {
            double d = out->x[(int64_t)i * dim + k] - out->x[(int64_t)j * dim + k];
            if (pairs.shift != NULL)
                d -= pairs.shift[q][k] * (out->box.upper[k] - out->box.lower[k]);
            square += d * d;
        }
        double overlap = r[i] + r[j] - sqrt(square);
        out->max_overlap = fmax(out->max_overlap, overlap);
        out->overlap_left = fmax(out->overlap_left, overlap / (2.0 * fmin(r[i], r[j])));
    }
    for (int64_t e = 0; status == SCREE_OK && e < (int64_t)out->count * dim; ++e) {
        int k = (int)(e % dim);
        double radius = r[e / dim], free = fmin(out->x[e] - out->box.lower[k], out->box.upper[k] - out->x[e]);
        if (!out->box.periodic[k]) {
            out->max_overlap = fmax(out->max_overlap, radius - free);
            out->overlap_left = fmax(out->overlap_left, (radius - free) / (2.0 * radius));
        }
    }
    scree_index_destroy(index);
    return status;
}

SCREE_RESULT_OF(scree_packing, scree_pack_compress, (const scree_compress_def* def, int32_t count, const double* r, scree_packing* out), (def, count, r, out))
{
    SCREE_EMPTY(out);
    SCREE_NEED(def);
    scree_status status = check_def(def);
    if (status == SCREE_OK)
        status = placing_check_radii("compression", count, r);
    if (status != SCREE_OK)
        return status;
    scree_packing made = {.count = count, .box = def->box, .converged = count == 0};
    made.x = scree_calloc((size_t)count * (size_t)def->box.dim, sizeof *made.x);
    if (made.x == NULL)
        return SCREE_ERR_MEMORY;
    if (count == 0) {
        *out = made;
        return SCREE_OK;
    }
    press* p = NULL;
    status = press_open(def, count, r, &p);
    if (status == SCREE_OK)
        status = compress(p, &made.converged);
    if (status == SCREE_OK)
        status = lay_out(p, &made);
    if (status == SCREE_OK)
        status = find_overlap(def, r, &made);
    bool cancelled = false;
    if (p != NULL) {
        made.seconds = scree_clock() - p->began;
        cancelled = p->cancelled;
        press_close(p);
    }
    if (status != SCREE_OK) {
        scree_packing_free(&made);
        return status;
    }
    *out = made;
    return cancelled ? scree_fail(SCREE_ERR_CANCELLED, "compression: stopped on request after %" PRId64 " steps, at density %.4g", made.sweeps,
                                  made.density)
                     : SCREE_OK;
}
