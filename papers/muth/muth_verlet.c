// muth-verlet: sections 2.1 and 2.4 of Muth et al. (2007): the radius R_v of Verlet lists and the number of steps for which a list serves. "Both parameters are interdependent, because the value for
// the radius is inversely related to the rate at which the list must be rebuilt"; the best radius "depends on the velocity of the particles and on the density of the system"; "for relatively dense
// systems, an update of only each 100th time step can be enough."
//
// Both are varied, over the same motion: equal spheres that collide, loose and dense, seen every tenth step; fast ones are the same motion with every tenth of these frames. A list is made by testing
// all pairs. The index rejects a step in which a list could have lost a pair: that limits the interval for each radius.
#include "bench/harness.h"

#include <math.h>

enum { radius_count = 11, interval_count = 5, turns = 3, steps_of_frame = 10, fast = 10, never = 1000000 };

static const double radii[radius_count] = {2.1, 2.2, 2.4, 2.8, 3.5, 4.2, 5.0, 6.0, 7.0, 8.5, 10.0};  // in radii; the paper: 5
static const int32_t intervals[interval_count] = {1, 3, 10, 30, 100};  // in frames

typedef struct frame_pairs {
    int64_t count;
    uint64_t sum;
} frame_pairs;

typedef struct motion {
    const char* name;
    scree_sphere_set set;
    double* x;           // frames of 3 n
    frame_pairs* found;  // by the hierarchical grid
    int frames, stride;
    double path;         // of a frame, root mean square, in radii
} motion;

static frame_pairs sum_of(const scree_pairs* pairs)
{
    frame_pairs all = {.count = pairs->count};
    for (int64_t k = 0; k < pairs->count; ++k)
        all.sum += ((uint64_t)pairs->ij[k][0] * 0x9e3779b97f4a7c15u ^ (uint64_t)pairs->ij[k][1]) * 0x7fb5d329728ea185u;
    return all;
}

static scree_status search(scree_index* index, const motion* m, int frame, scree_pairs* pairs)
{
    scree_status status = scree_index_update(index, (scree_spheres){.count = m->set.count, .dim = 3, .x = m->x + (int64_t)frame * m->stride * 3 * m->set.count, .r = m->set.r});
    return status == SCREE_OK ? scree_index_pairs(index, pairs) : status;
}

// Spheres that collide under the 1 % rule, frame by frame, and their pairs.
static scree_status shoot(double density, int32_t count, int frames, const bench_options* co, motion* out)
{
    *out = (motion){.frames = frames, .stride = 1};
    scree_status status = bench_make_set(&(bench_set){.name = "spheres", .count = count, .density = density}, co, &out->set);
    const int64_t numbers = 3 * (int64_t)out->set.count;
    scree_thermal_def warm = scree_default_thermal_def();
    scree_sim_def def = scree_default_sim_def();
    def.box = out->set.box;
    def.stiffness = warm.stiffness = 1e4;
    warm.material_density = def.material_density;
    warm.seed = co->seed;
    def.threads = co->threads;
    scree_sim* sim = NULL;
    scree_index_def grid = scree_default_index_def();
    grid.method = SCREE_METHOD_HIERARCHICAL_GRID;
    grid.skin = -1.0;
    scree_index* index = NULL;
    out->x = status == SCREE_OK ? scree_malloc((size_t)numbers * (size_t)frames, sizeof *out->x) : NULL;
    out->found = scree_malloc((size_t)frames, sizeof *out->found);
    if (status == SCREE_OK && (out->x == NULL || out->found == NULL))
        status = SCREE_ERR_MEMORY;
    if (status == SCREE_OK)
        status = scree_thermal_velocities(&warm, scree_sphere_set_view(&out->set), out->x);
    if (status == SCREE_OK)
        status = scree_sim_create(&def, scree_sphere_set_view(&out->set), out->x, &sim);
    if (status == SCREE_OK)
        status = scree_sim_run(sim, 1000);  // until they overlap as steadily as they will
    if (status == SCREE_OK)
        status = scree_index_create(&grid, &index);
    scree_watch watch = bench_watch("moving");
    double square = 0.0;
    for (int frame = 0; frame < frames && status == SCREE_OK; ++frame) {
        scree_pairs pairs;
        double* x = out->x + frame * numbers;
        status = scree_sim_run(sim, steps_of_frame);
        if (status == SCREE_OK)
            status = scree_sim_get_column(sim, "x", x);
        if (status == SCREE_OK)
            status = search(index, out, frame, &pairs);
        if (status == SCREE_OK)
            out->found[frame] = sum_of(&pairs);
        for (int64_t k = 0; k < numbers && frame > 0; ++k)
            square += (x[k] - x[k - numbers]) * (x[k] - x[k - numbers]);
        if (status == SCREE_OK && watch.tick != NULL && !watch.tick(watch.context, (double)frame / frames))
            status = scree_fail(SCREE_ERR_CANCELLED, "stopped on request");
    }
    bench_watch_end();
    out->path = sqrt(square / (double)(frames - 1) / out->set.count);
    scree_index_destroy(index);
    scree_sim_destroy(sim);
    return status;
}

typedef struct cost {
    int steps;       // that were searched
    bool kept;       // no pair was lost
    double tests;    // per sphere and step
    int64_t wrong;   // steps with other pairs than the grid's
    bench_quartiles ns;
} cost;

// One radius and interval: three lists, or ten steps, or as far as the frames go.
static scree_status follow(const motion* m, double radius, int32_t interval, int repeats, cost* out)
{
    const int frames = m->frames / m->stride, wanted = 3 * (int64_t)interval < 10 ? 10 : 3 * (int64_t)interval < frames ? 3 * interval : frames;
    const double n = m->set.count;
    double seconds[turns];
    scree_status status = SCREE_OK;
    for (int t = 0; t < repeats && status == SCREE_OK; ++t) {
        scree_index_def def = scree_default_index_def();
        def.method = SCREE_METHOD_VERLET_LIST;
        def.verlet_radius = radius;
        def.rebuild_every = interval;
        def.threads = 1;
        scree_index* index = NULL;
        *out = (cost){.kept = true};
        seconds[t] = 0.0;
        status = scree_index_create(&def, &index);
        while (status == SCREE_OK && out->kept && out->steps < wanted) {
            scree_pairs pairs = {0};
            double begin = bench_timer(1);
            status = search(index, m, out->steps, &pairs);
            seconds[t] += bench_timer(1) - begin;
            out->kept = status != SCREE_ERR_ARGUMENT || out->steps == 0;
            if (!out->kept) {
                status = SCREE_OK;
                break;
            }
            frame_pairs found = status == SCREE_OK ? sum_of(&pairs) : (frame_pairs){0}, right = m->found[out->steps * m->stride];
            out->wrong += found.count != right.count || found.sum != right.sum;
            out->tests += status == SCREE_OK ? (double)scree_index_get_stats(index).tests / n : 0.0;
            ++out->steps;
        }
        scree_index_destroy(index);
        if (bench_interrupted())
            status = scree_fail(SCREE_ERR_CANCELLED, "stopped on request");
        seconds[t] *= 1e9 / n / out->steps;
        out->tests /= out->steps;
    }
    if (status == SCREE_OK)
        out->ns = bench_spread(seconds, repeats);
    return status;
}

typedef struct choice {
    double radius, interval, tests;
} choice;

static scree_status vary(findings* f, const motion* m, choice* best, double longest[radius_count])
{
    scree_status status = SCREE_OK;
    *best = (choice){.tests = INFINITY};
    for (int r = 0; r < radius_count && status == SCREE_OK; ++r) {
        cost c;
        status = follow(m, radii[r], never, 1, &c);
        longest[r] = c.kept ? (double)NAN : c.steps - 1.0;  // the list of step 0 served so many more
        for (int k = 0; k <= interval_count && status == SCREE_OK; ++k) {  // the last: the longest that keeps all pairs
            const int32_t interval = k < interval_count ? intervals[k] : isnan(longest[r]) ? 0 : (int32_t)longest[r];
            if (interval < 1 || interval > m->frames / m->stride)
                continue;
            status = follow(m, radii[r], interval, turns, &c);
            if (status == SCREE_OK)
                status = findings_row(f, &m->name, (const double[]){m->set.count, radii[r], steps_of_frame * interval, m->path * m->stride, c.kept, (double)c.wrong, c.tests, c.ns.median, c.ns.low,
                                                                       c.ns.high});
            if (c.kept && c.tests < best->tests)
                *best = (choice){radii[r], steps_of_frame * interval, c.tests};
        }
    }
    return status;
}

static scree_status run_bench(findings* f, const bench_options* co)
{
    static const struct {
        const char* name;
        double density;
        int stride;
    } systems[] = {{"loose slow", 0.05, 1}, {"loose fast", 0.05, fast}, {"dense slow", 0.5, 1}, {"dense fast", 0.5, fast}};
    enum { system_count = sizeof systems / sizeof *systems };
    motion m = {.frames = 0};
    choice best[system_count];
    double longest[system_count][radius_count];
    scree_status status = SCREE_OK;
    for (int s = 0; s < system_count && status == SCREE_OK; ++s) {
        if (systems[s].stride == 1) {
            scree_sphere_set_free(&m.set);
            scree_free(m.x);
            scree_free(m.found);
            status = shoot(systems[s].density, co->quick ? 512 : 1728, co->quick ? 320 : 640, co, &m);
        }
        m.name = systems[s].name;
        m.stride = systems[s].stride;
        if (status == SCREE_OK)
            status = vary(f, &m, &best[s], longest[s]);
    }
    findings_table(f, "limits", 1, (const char* const[]){"system", "radius", "margin", "longest_interval", NULL});
    for (int s = 0; s < system_count && status == SCREE_OK; ++s)
        for (int r = 0; r < radius_count && status == SCREE_OK; ++r)
            if (!isnan(longest[s][r]) && longest[s][r] > 0.0)
                status = findings_row(f, &systems[s].name, (const double[]){radii[r], radii[r] - 2.0, steps_of_frame * longest[s][r]});
    findings_table(f, "best", 1, (const char* const[]){"system", "radius", "interval", "tests_per_sphere", NULL});
    for (int s = 0; s < system_count && status == SCREE_OK; ++s)
        status = findings_row(f, &systems[s].name, (const double[]){best[s].radius, best[s].interval, best[s].tests});
    scree_sphere_set_free(&m.set);
    scree_free(m.x);
    scree_free(m.found);
    findings_paper(f, "Section 2.1: \"Both parameters are interdependent, because the value for the radius is inversely related to the rate at which the list must be rebuilt\"; \"The optimal size of the zone "
                      "around the bodies depends on the velocity of the particles and on the density of the system\"; \"For relatively dense systems, an update of only each 100th time step can be enough.\"");
    findings_note(f, "Lengths in radii, intervals in time steps, of which every %dth is searched; a contact of two spheres lasts 50. Slow: two spheres that meet overlap by 0.01 radii on average; fast: %d times as "
                     "fast. kept 0: the list would have lost a pair, so that the radius does not go with the interval. A list costs n (n - 1) / 2 tests; the best radius and interval are those with the "
                     "fewest tests that lose no pair.", (int)steps_of_frame, (int)fast);
    return status;
}

#define GROWS(name)                                                                                                                                                              \
    {.quantity = name ": longest interval against the margin of the radius, exponent", .source = "Section 2.1", .words = "inversely related to the rate", .least = 0.8, .most = 1.25,\
     .how = CLAIM_SLOPE, .table = "limits", .column = "longest_interval", .against = "margin", .rows = "system=" name}

const experiment bench_muth_verlet = {
    .name = "muth-verlet",
    .about = "Muth et al., Section 2.1: radius of Verlet lists against the interval between two of them",
    .title = "Verlet lists: radius and interval",
    .paper = true,
    .run = run_bench,
    .texts = 1,
    .columns = (const char* const[]){"system", "n", "radius", "interval", "path_of_frame", "kept", "wrong", "tests_per_sphere", "ns", "ns_low", "ns_high", NULL},
    .claims = (const claim[]){
        {.quantity = "steps with other pairs than the hierarchical grid's", .words = "none", .least = 0.0, .most = 0.0, .how = CLAIM_MOST, .column = "wrong"},
        GROWS("loose slow"),
        GROWS("dense slow"),
        {.quantity = "dense slow: R_v = 5 radii serves 100 steps", .source = "Section 2.1", .words = "can be enough", .least = 1.0, .most = 1.0, .column = "kept",
         .rows = "system=dense slow;radius=5;interval=100"},
        {.quantity = "loose slow: best R_v in radii", .source = "Section 2.1", .words = "not the smallest, not the largest", .least = 2.15, .most = 9.0, .table = "best", .column = "radius",
         .rows = "system=loose slow"},
        {.quantity = "loose: best R_v of fast spheres by that of slow ones", .source = "Section 2.1", .words = "depends on the velocity", .least = 1.05, .most = 5.0, .how = CLAIM_RATIO,
         .table = "best", .column = "radius", .rows = "system=loose fast", .over = "system=loose slow"},
        {.quantity = "slow: best R_v of dense spheres by that of loose ones", .source = "Section 2.1", .words = "depends on the density", .least = 0.2, .most = 0.95, .how = CLAIM_RATIO,
         .table = "best", .column = "radius", .rows = "system=dense slow", .over = "system=loose slow"},
        {0}},
    .charts = (const chart[]){
        {.title = "The longest interval in which no pair is lost", .x_label = "margin R_v - 2 in radii", .y_label = "steps", .table = "limits", .x = "margin", .y = "longest_interval", .by = "system",
         .x_log = true, .y_log = true},
        {.suffix = "work", .title = "Tests at each radius with an interval of 100 steps", .x_label = "R_v in radii", .y_label = "tests per sphere and step", .x = "radius", .y = "tests_per_sphere",
         .by = "system", .rows = "interval=100;kept=1", .y_log = true},
        {0}},
};
