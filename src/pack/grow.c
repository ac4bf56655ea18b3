// Packings by growth (Lubachevsky and Stillinger 1990): hard spheres collide and grow, all by the same factor, until they have their size.
//
//     random sequential addition   ->   a gas whose spheres grow   ->   more and more frequent collisions   ->   the target size, or a high pressure
//
// All radii are r_i * scale(t), so size ratios are constant and any size distribution is packed. Growth heats the gas, because each collision
// adds energy. Time is therefore divided into intervals of some collisions per sphere. After each interval velocities are rescaled,
// clocks are set to 0 and all events are predicted again. The length of an interval follows from the rate: the temperature rises as
// exp(0.6 rate k) in k collisions per sphere, at any density, and a rise by a third is allowed.
//
// The rate is the growth rate of the diameter of the sphere of mean volume, at the end, divided by its thermal velocity. Fast growth reaches high pressures
// early, at low density (0.1: near 0.62 for equal spheres, not jammed: see jammed.c), slow growth late, at high density (0.01: near 0.64). Near jamming gaps close as
// exp(-0.3 rate k): each decade of pressure takes 8 / rate collisions per sphere.
//
// Internally radii are larger by a relative 1e-10, so that the spheres of the given radii are separated by more than
// rounding. If growth ends early, box and positions are scaled instead of the radii. The result is checked from scratch.
//
// A saved packing has the state of the system before all its lists are made (event/state.c), and where growth is: in which stage, how many collisions before the end of the current stretch, and what was
// counted before it. 68 bytes per sphere; while jamming is tested 48 more for the packing at the end of growth.
//
// Cost: see docs/grow.md. Wrong choice if only density matters: collective rearrangement is faster. Right choice for hard spheres in
// thermal motion, for densities between random sequential addition and jamming, and for a state at a given pressure.
#include "event/system.h"

#include "base/argument.h"
#include "base/clock.h"
#include "geom/length.h"
#include "pack/place.h"
#include "pack/saved.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

static const double pi = 3.14159265358979323846;
static const double pressure_most = 1e10;  // where rounding begins to show
static const uint64_t first_stream = UINT64_C(1) << 41;  // those below belong to sizes, positions and thermal starts of simulations

enum { stage_grow, stage_rest, stage_move, stage_count };

// Where growth is: with the state of the system, all that a saved packing has to tell.
typedef struct progress {
    int32_t stage;
    int32_t half;            // stage_move
    int64_t left;            // collisions until the current stretch ends; 0: it has not begun
    double stretch_begin;    // stage_grow: time at which it began
    double scale_begin, done;
    event_rest_course course;  // stage_rest
    int64_t rest_collisions;
    double rest_pressure;
} progress;

typedef struct growing {
    const scree_grow_def* def;
    int dim, unit;       // internal lengths are the given ones times 2^-unit
    int32_t n;
    double* r;           // inside, a little larger than asked
    double *x, *v;
    double length[3];
    double d_mean;       // diameter of the sphere of mean volume
    double swell;        // by what the radii are larger
    double begin, saved;     // readings of the clock
    double density;      // at the full size
    bool over, cancelled;
    scree_status unsaved;    // what the saver returned, if that was a failure
    uint64_t wish;       // of all that decides the bits
    progress at;
    scree_event_rest rest;   // of stage_rest, so far
    scree_growth* out;       // totals, without those of the current stretch
    scree_event_system* system;
} growing;

// ---- Checks ----------------------------------------------------------------------------------------------------------

SCREE_DEFAULTS_OF(scree_grow_def, scree_default_grow_def)
{
    return (scree_grow_def){.struct_size = sizeof(scree_grow_def),
                            .box = scree_box_sized(3, (double[3]){1.0, 1.0, 1.0}),
                            .rate = 0.02,
                            .start_density = 0.25,
                            .restitution = 1.0,
                            .method = SCREE_METHOD_HIERARCHICAL_GRID,
                            .seed = 1,
                            .saver = {.seconds = 30.0}};
}

// What an older caller does not know has its default.
static scree_status take_def(const scree_grow_def* given, scree_grow_def* def)
{
    *def = scree_default_grow_def();
    scree_status fits = scree_check_struct_size("growth", "scree_default_grow_def", given->struct_size, offsetof(scree_grow_def, saver), sizeof *def);
    if (fits == SCREE_OK)
        memcpy(def, given, given->struct_size);
    return fits;
}

static scree_status check_def(const scree_grow_def* def)
{
    static const char what[] = "growth";
    const placing_number numbers[] = {{"density", isinf(def->density) && def->density > 0.0 ? 0.0 : def->density, 0.0, 1.0},
                   {"pressure", def->pressure, 0.0, 1e12},
                   {"rate", def->rate, 1e-6, 1e3},
                   {"start_density", def->start_density, 0.0, 1.0},
                   {"collisions", def->collisions, 0.0, 1e12},
                   {"restitution", def->restitution, 0.0, 1.0},
                   {"seconds", def->seconds, 0.0, 1e12},
                   {"saver.seconds", def->saver.seconds, 0.0, 1e12}};
    scree_status status = placing_check_numbers(what, numbers, sizeof numbers / sizeof *numbers, def->threads);
    if (status != SCREE_OK)
        return status;
    status = scree_box_check(&def->box);
    if (status == SCREE_OK)
        status = scree_box_reject_tilt(&def->box, what);
    return status == SCREE_OK ? placing_check_ends(what, &def->box) : status;
}

// ---- Start -------------------------------------------------------------------------------------------------------------

static double power(int dim, double r)
{
    return dim == 2 ? r * r : r * r * r;
}

// The box inside, and what density the spheres have in it at their size.
static scree_status size_box(growing* g, double volume, double r_max, double* density)
{
    const scree_grow_def* def = g->def;
    double product = 1.0, shortest = INFINITY, longest = 0.0, side = 0.0;
    for (int k = 0; k < g->dim; ++k)
        side = fmax(side, def->box.upper[k] - def->box.lower[k]);
    bool as_it_is = def->density == 0.0;
    for (int k = 0; k < g->dim; ++k) {
        double length = def->box.upper[k] - def->box.lower[k];
        g->length[k] = as_it_is ? ldexp(length, -g->unit) : length / side;
        product *= g->length[k];
        shortest = fmin(shortest, g->length[k]);
        longest = fmax(longest, g->length[k]);
    }
    if (!as_it_is) {
        double wanted = def->density;
        if (isinf(wanted) && g->dim == 2)
            wanted = 0.84;
        else if (isinf(wanted)) {
            scree_status status = scree_predict_density(g->dim, g->n, g->r, &wanted);
            if (status != SCREE_OK)
                return status;
        }
        double scale = pow(volume / (wanted * product), 1.0 / g->dim);
        if (isinf(def->density))
            scale = fmax(scale, 2.0 * r_max / shortest * (1.0 + 1e-6));
        for (int k = 0; k < g->dim; ++k)
            g->length[k] *= scale;
        product *= power(g->dim, scale);
        shortest *= scale;
        longest *= scale;
    }
    *density = volume / product;
    if (!(*density <= 1.0))
        return scree_fail(SCREE_ERR_ARGUMENT, "growth: the spheres have %g times the volume of the box; expected less than 1", *density);
    // Positions are rounded to some last digits of where the box is, and the smallest spheres are to be apart by more than that.
    double far = 0.0, r_min = INFINITY;
    for (int k = 0; k < g->dim; ++k)
        far = fmax(far, ldexp(fabs(def->box.lower[k]), -g->unit));
    for (int32_t i = 0; i < g->n; ++i)
        r_min = fmin(r_min, g->r[i]);
    g->swell = fmax(1e-10, 16.0 * DBL_EPSILON * (longest + far) / r_min);
    if (!(g->swell <= 1e-3))
        return scree_fail(SCREE_ERR_ARGUMENT,
                          "growth: the box begins at %g, %g and has sides of %g; double precision does not resolve positions there for the smallest radius, %g; expected a box nearer to the origin",
                          def->box.lower[0], def->box.lower[1], ldexp(longest, g->unit), ldexp(r_min, g->unit));
    if (!(2.0 * r_max * (1.0 + g->swell) * (1.0 + 1e-12) <= shortest))
        return scree_fail(SCREE_ERR_ARGUMENT, "growth: the largest sphere has diameter %g; expected less than the shortest side of the box, %g", ldexp(2.0 * r_max, g->unit),
                          ldexp(shortest, g->unit));
    return SCREE_OK;
}

static scree_box inner_box(const growing* g)
{
    scree_box box = {.dim = g->dim};
    for (int k = 0; k < g->dim; ++k) {
        box.upper[k] = g->length[k];
        box.periodic[k] = g->def->box.periodic[k];
    }
    return box;
}

// Placing is not part of the progress that the caller sees, but it can be stopped.
static bool tick_placing(void* context, double done)
{
    growing* g = context;
    (void)done;
    g->cancelled = g->cancelled || !g->def->watch.tick(g->def->watch.context, 0.0);
    return !g->cancelled;
}

// Random sequential addition of spheres that are a part of their size; the part is what comes out.
static scree_status place(growing* g, double density, double* out)
{
    scree_place_def def = scree_default_place_def();
    def.box = inner_box(g);
    def.seed = g->def->seed;
    def.tries = 10000;
    if (g->def->watch.tick != NULL)
        def.watch = (scree_watch){.tick = tick_placing, .context = g};
    double* r = scree_malloc((size_t)g->n, sizeof *r);
    if (r == NULL)
        return SCREE_ERR_MEMORY;
    double part = fmin(pow(g->def->start_density / density, 1.0 / g->dim), 1.0);
    scree_status status = SCREE_ERR_ARGUMENT;
    while (status == SCREE_ERR_ARGUMENT) {
        for (int32_t i = 0; i < g->n; ++i)
            r[i] = part * g->r[i];
        status = scree_place_random(&def, g->n, r, g->x);
        if (status == SCREE_ERR_ARGUMENT && part == 0.0)
            break;
        *out = part;
        part = part > 0.05 ? 0.85 * part : 0.0;
    }
    scree_free(r);
    return status;
}

// As in a gas of temperature 1, masses as r^dim and 1 in the mean, without a motion of all.
static void set_velocities(growing* g)
{
    double mean = power(g->dim, 0.5 * g->d_mean), momentum[3] = {0.0, 0.0, 0.0};
    for (int32_t i = 0; i < g->n; ++i) {
        scree_rng rng = scree_rng_make(g->def->seed, first_stream + (uint64_t)i);
        double mass = power(g->dim, g->r[i]) / mean, width = 1.0 / sqrt(mass), normal[4];
        for (int pair = 0; pair < 2; ++pair) {
            double length = sqrt(-2.0 * log(1.0 - scree_rng_uniform(&rng))), angle = 2.0 * pi * scree_rng_uniform(&rng);
            normal[2 * pair] = length * cos(angle);
            normal[2 * pair + 1] = length * sin(angle);
        }
        for (int k = 0; k < g->dim; ++k) {
            g->v[(int64_t)i * g->dim + k] = width * normal[k];
            momentum[k] += mass * (width * normal[k]);
        }
    }
    for (int32_t i = 0; i < g->n && g->n > 1; ++i)
        for (int k = 0; k < g->dim; ++k)
            g->v[(int64_t)i * g->dim + k] -= momentum[k] / g->n;
}

static bool tick(void* context, double done)
{
    (void)done;
    growing* g = context;
    g->at.done = fmax(g->at.done, (event_scale_now(g->system) - g->at.scale_begin) / (1.0 + 1e-9 - g->at.scale_begin));
    if (g->def->density_now != NULL)
        *g->def->density_now = g->density * power(g->dim, event_scale_now(g->system));
    if (g->def->watch.tick != NULL && !g->def->watch.tick(g->def->watch.context, fmin(fmax(g->at.done, 0.0), 1.0)))
        g->cancelled = true;
    g->over = g->over || (g->def->seconds > 0.0 && scree_clock() - g->begin >= g->def->seconds);
    return !g->cancelled && !g->over;
}

// ---- Saved packings ----------------------------------------------------------------------------------------------------

static const saved_kind kind = {"scree-gr", 1};

typedef struct saved {
    saved_head head;
    progress at;
    int64_t collisions, predictions, tests, refreshes, rebuilds;
    double reduced_pressure, collision_rate, time, temperature, at_rest, slower_rate;
    int32_t reached, jammed;
    event_saved system;
} saved;

// All that decides the bits: not threads, method, limits, or who watches.
static uint64_t wish_of(const growing* g, const double* r)
{
    const scree_grow_def* def = g->def;
    double numbers[24] = {def->density, def->pressure, def->rate, def->start_density, def->collisions, def->restitution, g->dim, g->n};
    int used = 8;
    for (int k = 0; k < g->dim; ++k) {
        numbers[used++] = def->box.upper[k] - def->box.lower[k];
        numbers[used++] = def->box.lower[k];
        numbers[used++] = def->box.periodic[k];
    }
    uint64_t sum = saved_mix(saved_sum(numbers, (size_t)used * sizeof *numbers), &def->seed, sizeof def->seed);
    return saved_mix(sum, r, (size_t)g->n * sizeof *r);
}

static scree_status save(void* context, const scree_event_system* s, int64_t left)
{
    growing* g = context;
    const scree_growth* o = g->out;
    if (scree_clock() - g->saved < g->def->saver.seconds)
        return SCREE_OK;
    saved head;
    memset(&head, 0, sizeof head);  // what is between members is saved too
    head.head.wish = g->wish;
    head.head.count = g->n;
    head.head.dim = g->dim;
    head.at = g->at;
    head.at.left = left;
    head.at.rest_collisions = g->rest.collisions;
    head.at.rest_pressure = g->rest.reduced_pressure;
    head.collisions = o->collisions;
    head.predictions = o->predictions;
    head.tests = o->tests;
    head.refreshes = o->refreshes;
    head.rebuilds = o->rebuilds;
    head.reduced_pressure = o->reduced_pressure;
    head.collision_rate = o->collision_rate;
    head.time = o->time;
    head.temperature = o->temperature;
    head.at_rest = o->reduced_pressure_at_rest;
    head.slower_rate = o->slower_rate;
    head.reached = o->reached;
    head.jammed = o->jammed;
    head.system = event_save(s);
    size_t n = (size_t)g->n, vectors = n * (size_t)g->dim * sizeof(double);
    // While jamming is tested, the packing is the one at the end of growth, which the system has left.
    const scree_bytes piece[] = {{&head, sizeof head}, {s->line, n * sizeof *s->line}, {g->x, vectors}, {o->v, vectors}, {s->id, n * sizeof *s->id}};
    const scree_bytes plain[] = {piece[0], piece[1], piece[4]};
    bool resting = g->at.stage == stage_rest;
    g->unsaved = saved_write(&g->def->saver, &kind, &head.head, resting ? 5 : 3, resting ? piece : plain);
    g->saved = scree_clock();
    return g->unsaved;
}

static scree_status restore(growing* g, const scree_event_def* def)
{
    static const char what[] = "growth";
    scree_bytes from = g->def->resume;
    saved head;
    scree_status status = saved_read(what, &kind, from, g->n, &head.head, sizeof head);
    if (status != SCREE_OK)
        return status;
    if (head.head.wish != g->wish || head.head.count != g->n || head.head.dim != g->dim)
        return scree_fail(SCREE_ERR_ARGUMENT,
                          "%s: the saved packing has %" PRId32 " spheres in %dD after %" PRId64 " collisions, with other sizes, seed, box or settings; expected the same packing", what,
                          head.head.count, (int)head.head.dim, head.system.work.collisions);
    size_t n = (size_t)g->n, vectors = n * (size_t)g->dim * sizeof(double), expected = sizeof head + n * (sizeof(event_sphere) + sizeof(int32_t));
    expected += head.at.stage == stage_rest ? 2 * vectors : 0;
    if (from.size != expected || head.at.stage < 0 || head.at.stage >= stage_count || head.at.left <= 0)
        return scree_fail(SCREE_ERR_FORMAT, "%s: the saved packing has %zu bytes in stage %d; expected %zu bytes, a stage from 0 to %d", what, from.size, (int)head.at.stage, expected,
                          stage_count - 1);
    // Copied, because bytes may begin anywhere.
    event_sphere* line = scree_malloc(n, sizeof *line);
    int32_t* id = scree_malloc(n, sizeof *id);
    if (line == NULL || id == NULL) {
        scree_free(line);
        scree_free(id);
        return SCREE_ERR_MEMORY;
    }
    const char* at = (const char*)from.data + sizeof head;
    memcpy(line, at, n * sizeof *line);
    at += n * sizeof *line;
    if (head.at.stage == stage_rest) {
        memcpy(g->x, at, vectors);
        memcpy(g->out->v, at + vectors, vectors);
        at += 2 * vectors;
    }
    memcpy(id, at, n * sizeof *id);
    status = event_restore(what, def, (scree_spheres){.count = g->n, .dim = g->dim, .x = g->x, .r = g->r}, &head.system, line, id, &g->system);
    scree_free(line);
    scree_free(id);
    if (status != SCREE_OK)
        return status;
    g->at = head.at;
    g->rest = (scree_event_rest){.collisions = head.at.rest_collisions, .reduced_pressure = head.at.rest_pressure};
    scree_growth* o = g->out;
    o->collisions = head.collisions;
    o->predictions = head.predictions;
    o->tests = head.tests;
    o->refreshes = head.refreshes;
    o->rebuilds = head.rebuilds;
    o->reduced_pressure = head.reduced_pressure;
    o->collision_rate = head.collision_rate;
    o->time = head.time;
    o->temperature = head.temperature;
    o->reduced_pressure_at_rest = head.at_rest;
    o->slower_rate = head.slower_rate;
    o->reached = head.reached != 0;
    o->jammed = head.jammed != 0;
    return SCREE_OK;
}

static scree_status start(growing* g, const double* r)
{
    double r_max = 0.0, volume = 0.0, mean = 0.0, density;
    for (int32_t i = 0; i < g->n; ++i)
        r_max = fmax(r_max, r[i]);
    g->unit = ilogb(r_max);
    for (int32_t i = 0; i < g->n; ++i) {
        g->r[i] = ldexp(r[i], -g->unit);
        mean += power(g->dim, g->r[i]) / g->n;
        volume += (g->dim == 2 ? pi : 4.0 / 3.0 * pi) * power(g->dim, g->r[i]);
    }
    g->d_mean = 2.0 * pow(mean, 1.0 / g->dim);
    scree_status status = size_box(g, volume, ldexp(r_max, -g->unit), &density);
    if (status != SCREE_OK)
        return status;
    for (int32_t i = 0; i < g->n; ++i)
        g->r[i] *= 1.0 + g->swell;
    g->density = density;
    scree_event_def def = scree_default_event_def();
    def.box = inner_box(g);
    def.rate = g->def->rate / g->d_mean;
    def.method = g->def->method;
    def.threads = g->def->threads;
    def.watch = (scree_watch){.tick = tick, .context = g};
    bool saves = g->def->saver.save != NULL, resumes = g->def->resume.data != NULL;
    if (saves || resumes)
        g->wish = wish_of(g, r);
    if (resumes) {
        status = restore(g, &def);
    } else {
        status = place(g, density, &g->at.scale_begin);
        if (status != SCREE_OK)
            return status;
        set_velocities(g);
        def.scale = g->at.scale_begin;
        status = scree_event_create(&def, (scree_spheres){.count = g->n, .dim = g->dim, .x = g->x, .r = g->r}, g->v, &g->system);
    }
    if (status == SCREE_OK && saves) {
        g->system->before_lists = save;
        g->system->before_lists_context = g;
    }
    g->saved = scree_clock();
    return status;
}

// ---- Growth ------------------------------------------------------------------------------------------------------------

static bool stopped(scree_status status)
{
    return status == SCREE_ERR_CANCELLED;
}

// Counts of a stretch of motion are added; its rates replace the rates of the stretch before.
static void add_stretch(const growing* g, const scree_event_stats* s, scree_growth* out)
{
    out->collisions += s->collisions;
    out->predictions += s->predictions;
    out->tests += s->tests;
    out->refreshes += s->refreshes;
    out->rebuilds += s->rebuilds;
    out->reduced_pressure = s->reduced_pressure;
    out->collision_rate = s->collision_rate * g->d_mean;
}

static scree_status grow(growing* g, scree_growth* out)
{
    const scree_grow_def* def = g->def;
    bool endless = isinf(def->density);
    double per_sphere = fmin(fmax(0.5 / def->rate, 2.0), 20.0), limit = def->pressure > 0.0 ? def->pressure : pressure_most;
    scree_event_until until = scree_default_event_until();
    if (!endless)
        until.scale = 1.0;
    for (;; g->at.left = 0) {
        scree_status status = SCREE_OK;
        until.collisions = g->at.left;
        if (g->at.left == 0) {
            until.collisions = (int64_t)(0.5 * per_sphere * g->n) + 10;
            g->at.stretch_begin = scree_event_get_stats(g->system).time;
            scree_event_reset_stats(g->system);
            status = scree_event_set_temperature(g->system, 1.0);
            // Spheres that have room beside each other may jam between walls: those collisions heat as well, and are an end too.
            g->system->wall_limit = until.collisions;
        }
        if (status == SCREE_OK)
            status = scree_event_run(g->system, &until);
        g->system->wall_limit = INT64_MAX;
        scree_event_stats s = scree_event_get_stats(g->system);
        double at_walls = event_wall_pressure(g->system);
        add_stretch(g, &s, out);
        out->time = s.time / g->d_mean;
        out->temperature = 1.0;
        out->reached = !endless && s.scale >= 1.0 - 1e-13;
        out->jammed = s.reduced_pressure > limit || at_walls > limit || (!out->reached && status == SCREE_OK && !(s.time > g->at.stretch_begin));
        if (status != SCREE_OK || out->reached || out->jammed)
            return status;
    }
}

// The packing is the one that growth ended with; whether it is jammed is found out by going on from there.
static scree_status check_jammed(growing* g, scree_growth* out)
{
    scree_status status = event_rest_run(g->system, &g->at.course, g->at.left, &g->rest);
    out->collisions += g->rest.collisions;
    out->reduced_pressure_at_rest = g->rest.reduced_pressure;
    out->jammed = g->rest.jammed;
    if (status == SCREE_OK && !g->rest.jammed)
        out->slower_rate = 0.25 * g->def->rate;
    g->at.left = 0;
    return status;
}

// Plain motion: half of it to forget the growth, half to measure.
static scree_status move(growing* g, scree_growth* out)
{
    scree_event_until until = scree_default_event_until();
    scree_status status = SCREE_OK;
    if (g->at.left == 0) {
        g->system->def.restitution = g->def->restitution;
        status = scree_event_set_rate(g->system, 0.0);
        if (status == SCREE_OK)
            status = scree_event_set_temperature(g->system, 1.0);
    }
    for (; g->at.half < 2 && status == SCREE_OK; ++g->at.half, g->at.left = 0) {
        until.collisions = g->at.left;
        if (g->at.left == 0) {
            until.collisions = (int64_t)(0.25 * g->def->collisions * g->n) + 1;
            scree_event_reset_stats(g->system);
        }
        status = scree_event_run(g->system, &until);
        scree_event_stats s = scree_event_get_stats(g->system);
        add_stretch(g, &s, out);
        out->temperature = s.temperature;
    }
    return status;
}

// ---- End ---------------------------------------------------------------------------------------------------------------

static void lay_out(growing* g, const double* r, double scale, scree_growth* out)
{
    const scree_box* box = &g->def->box;
    out->box = *box;
    for (int k = 0; k < g->dim; ++k)
        if (scale != 1.0 || g->def->density != 0.0)  // the caller's own box stays as it is, to the last bit
            out->box.upper[k] = box->lower[k] + ldexp(g->length[k] * scale, g->unit);
    for (int32_t i = 0; i < g->n; ++i)
        for (int k = 0; k < g->dim; ++k) {
            int64_t at = (int64_t)i * g->dim + k;
            double x = box->lower[k] + ldexp(g->x[at] * scale, g->unit);
            if (box->periodic[k])
                x = scree_box_wrap(&out->box, k, x, NULL);
            else
                x = fmin(fmax(x, box->lower[k] + r[i]), out->box.upper[k] - r[i]);
            out->x[at] = x;
        }
}

static scree_status count_overlaps(const growing* g, const double* r, const scree_growth* out, int64_t* count)
{
    *count = 0;
    for (int32_t i = 0; i < g->n; ++i)
        for (int k = 0; k < g->dim; ++k) {
            double x = out->x[(int64_t)i * g->dim + k], lower = out->box.lower[k], upper = out->box.upper[k];
            *count += out->box.periodic[k] ? 2.0 * r[i] > upper - lower : !(x >= lower + r[i] && x <= upper - r[i]);
        }
    if (*count > 0)
        return SCREE_OK;
    scree_index_def def = scree_default_index_def();
    def.box = out->box;
    def.skin = -1.0;
    def.threads = g->def->threads;
    scree_index* index;
    scree_pairs pairs = {0};
    scree_status status = scree_index_create(&def, &index);
    if (status != SCREE_OK)
        return status;
    status = scree_index_update(index, (scree_spheres){.count = g->n, .dim = g->dim, .x = out->x, .r = r});
    if (status == SCREE_OK)
        status = scree_index_pairs(index, &pairs);
    *count = pairs.count;
    scree_index_destroy(index);
    return status;
}

static scree_status finish(growing* g, const double* r, scree_growth* out)
{
    double scale = out->reached ? 1.0 : 1.0 / scree_event_get_stats(g->system).scale;
    for (int64_t at = 0; at < (int64_t)g->n * g->dim; ++at)
        out->v[at] = ldexp(out->v[at], g->unit);
    int64_t overlaps = 1;
    double margin = 0.0;
    while (overlaps > 0) {
        if (margin > 0.5)
            return scree_fail(SCREE_ERR_ARGUMENT, "growth: the box begins at %g, %g; double precision does not resolve positions there for spheres of this size; expected a box nearer to the origin",
                              g->def->box.lower[0], g->def->box.lower[1]);
        lay_out(g, r, scale * (1.0 + margin), out);
        scree_status status = count_overlaps(g, r, out, &overlaps);
        if (status != SCREE_OK)
            return status;
        margin = margin == 0.0 ? 1e-13 : 2.0 * margin;
    }
    out->density = scree_spheres_volume((scree_spheres){.count = g->n, .dim = g->dim, .x = out->x, .r = r}) / scree_box_volume(&out->box);
    return SCREE_OK;
}

static scree_status pack(growing* g, const double* r, scree_growth* out)
{
    size_t n = (size_t)g->n, dim = (size_t)g->dim;
    out->x = scree_malloc(n * dim, sizeof *out->x);
    out->v = scree_malloc(n * dim, sizeof *out->v);
    g->x = scree_malloc(n * dim, sizeof *g->x);
    g->v = scree_malloc(n * dim, sizeof *g->v);
    g->r = scree_malloc(n, sizeof *g->r);
    if (out->x == NULL || out->v == NULL || g->x == NULL || g->v == NULL || g->r == NULL)
        return SCREE_ERR_MEMORY;
    out->reduced_pressure_at_rest = NAN;
    if (n == 0) {
        out->box = g->def->box;
        out->reached = out->converged = true;
        return SCREE_OK;
    }
    scree_status status = start(g, r);
    if (status != SCREE_OK)
        return status;
    if (g->at.stage == stage_grow) {
        status = grow(g, out);
        scree_event_get_state(g->system, g->x, out->v);
        g->at.left = 0;
        g->at.stage = status == SCREE_OK && out->jammed ? stage_rest : stage_move;
        out->jammed = false;
        if (g->at.stage == stage_rest) {
            g->rest.reduced_pressure = NAN;
            status = event_rest_begin(g->system, g->def->pressure > 0.0 ? g->def->pressure : pressure_most, &g->at.course);
        }
    }
    if (status == SCREE_OK && g->at.stage == stage_rest) {
        status = check_jammed(g, out);
        g->at.stage = stage_move;
    }
    if (status == SCREE_OK && g->def->collisions > 0.0 && g->n > 1) {  // one alone never collides
        status = move(g, out);
        scree_event_get_state(g->system, g->x, out->v);
    }
    if (g->unsaved != SCREE_OK)
        return g->unsaved;
    if (status != SCREE_OK && !stopped(status))
        return status;
    out->mean_free_time = 1.0 / out->collision_rate;
    out->converged = status == SCREE_OK && (out->reached || (out->jammed && (g->def->pressure > 0.0 || isinf(g->def->density))));
    scree_status end = finish(g, r, out);
    if (end != SCREE_OK)
        return end;
    return g->cancelled ? scree_fail(SCREE_ERR_CANCELLED, "growth: stopped on request at density %g", out->density) : SCREE_OK;
}

SCREE_RESULT_OF(scree_growth, scree_pack_grow, (const scree_grow_def* def, int32_t count, const double* r, scree_growth* out), (def, count, r, out))
{
    SCREE_EMPTY(out);
    SCREE_NEED(def);
    scree_grow_def whole;
    scree_status status = take_def(def, &whole);
    if (status == SCREE_OK)
        status = check_def(&whole);
    if (status == SCREE_OK)
        status = placing_check_radii("growth", count, r);
    if (status != SCREE_OK)
        return status;
    growing g = {.def = &whole, .dim = whole.box.dim, .n = count, .begin = scree_clock(), .out = out};
    out->count = count;
    status = pack(&g, r, out);
    if (status != SCREE_OK && (status != SCREE_ERR_CANCELLED || g.unsaved != SCREE_OK || g.system == NULL))
        scree_growth_free(out);
    else
        out->seconds = scree_clock() - g.begin;
    scree_event_destroy(g.system);
    scree_free(g.x);
    scree_free(g.v);
    scree_free(g.r);
    return status;
}

SCREE_RELEASE_OF(scree_growth, scree_growth_free)
{
    if (given == NULL)
        return;
    scree_free(given->x);
    scree_free(given->v);
    memset(given, 0, sizeof *given);
}
