// grow: hard spheres in motion. Collisions per second of plain motion (the growth before it left out), and growth to dense packings from sizes to
// a packing without overlaps; and where equal spheres come to a reduced pressure of 1e8, begun as a gas and begun far from equilibrium. One run each; times are of the processor, which depends less on what else the machine does.
#include "harness.h"

#include "scree/pack.h"

#include <math.h>

static const struct {
    const char* name;
    const char* law;
    int32_t count;
    bool walls;
    double density, rate, collisions;  // collisions per sphere of plain motion; 0: growth alone
    double quick;                      // rate at which it grows to the density first, to go on from there with `rate` to a pressure of 1e8; 0: not so
} sets[] = {
    {"equal, motion", "mono:0.5", 10000, false, 0.45, 0.1, 200.0, 0.0},
    {"uniform volume 10, motion", "uniform-volume:1:10", 10000, false, 0.45, 0.1, 200.0, 0.0},
    {"equal, growth", "mono:0.5", 10000, false, 0.62, 0.1, 0.0, 0.0},
    {"uniform volume 10, growth", "uniform-volume:1:10", 10000, false, 0.62, 0.1, 0.0, 0.0},
    {"equal, slow growth", "mono:0.5", 10000, false, 0.634, 0.022, 0.0, 0.0},
    {"equal, from a gas to a pressure of 1e8", "mono:0.5", 10000, false, 0.3, 0.0224, 0.0, 0.1},
    {"equal, from a quick packing to 1e8", "mono:0.5", 10000, false, 0.5935, 0.0224, 0.0, 0.23},
    {"equal, growth", "mono:0.5", 125000, false, 0.6, 0.1, 0.0, 0.0},
    {"bidisperse 50, growth", "bidisperse:50", 125001, false, 0.6, 0.1, 0.0, 0.0},
    {"uniform volume 50, growth", "uniform-volume:1:50", 125001, true, 0.62, 0.1, 0.0, 0.0},
};
enum { set_count = sizeof sets / sizeof *sets };

typedef struct row {
    scree_growth grown;  // numbers only
    double cpu;
    double at_rest;      // pressure that is left at constant size; NAN if not looked at
} row;

// Motion: the packing once more as a system of its own, so that only motion is timed.
static scree_status move(const bench_options* co, scree_spheres spheres, double collisions, row* out)
{
    scree_event_def def = scree_default_event_def();
    def.box = out->grown.box;
    def.threads = co->threads;
    def.watch = bench_watch("moving");
    scree_event_system* system;
    scree_status status = scree_event_create(&def, spheres, out->grown.v, &system);
    if (status != SCREE_OK)
        return status;
    scree_event_until until = scree_default_event_until();
    until.collisions = (int64_t)(0.05 * collisions * spheres.count);
    status = scree_event_run(system, &until);
    scree_event_reset_stats(system);
    until.collisions = (int64_t)(0.5 * collisions * spheres.count);
    double begin = bench_processor();
    if (status == SCREE_OK)
        status = scree_event_run(system, &until);
    out->cpu = bench_processor() - begin;
    scree_event_stats s = scree_event_get_stats(system);
    out->grown.reduced_pressure = s.reduced_pressure;
    out->grown.collisions = s.collisions;
    out->grown.predictions = s.predictions;
    out->grown.tests = s.tests;
    out->grown.refreshes = s.refreshes;
    scree_event_destroy(system);
    bench_watch_end();
    return status;
}

// Grows on at another rate till the reduced pressure is 1e8, with velocities set back every 20 collisions per sphere. The spheres are equal, of diameter 1.
static scree_status press(const bench_options* co, scree_spheres spheres, double rate, row* out)
{
    scree_event_def def = scree_default_event_def();
    def.box = out->grown.box;
    def.rate = rate;
    def.threads = co->threads;
    def.watch = bench_watch("growing on");
    scree_event_system* system;
    scree_status status = scree_event_create(&def, spheres, out->grown.v, &system);
    if (status != SCREE_OK)
        return status;
    scree_event_until until = scree_default_event_until();
    until.collisions = 10 * (int64_t)spheres.count;
    scree_growth* g = &out->grown;
    g->collisions = g->predictions = g->tests = g->refreshes = 0;
    double begin = bench_processor();
    do {
        scree_event_reset_stats(system);
        status = scree_event_set_temperature(system, 1.0);
        if (status == SCREE_OK)
            status = scree_event_run(system, &until);
        scree_event_stats s = scree_event_get_stats(system);
        g->reduced_pressure = s.reduced_pressure;
        g->density = s.density;
        g->collisions += s.collisions;
        g->predictions += s.predictions;
        g->tests += s.tests;
        g->refreshes += s.refreshes;
    } while (status == SCREE_OK && g->reduced_pressure < 1e8);
    out->cpu = bench_processor() - begin;
    scree_event_rest rest = {0};
    if (status == SCREE_OK)
        status = scree_event_is_jammed(system, g->reduced_pressure, &rest);
    out->at_rest = rest.reduced_pressure;
    scree_event_destroy(system);
    bench_watch_end();
    return status;
}

static scree_status measure(int s, int32_t count, const bench_options* co, row* out)
{
    scree_sphere_set set = {0};
    scree_status status = bench_draw(sets[s].law, count, co->seed, &set);
    if (status == SCREE_OK) {
        scree_grow_def def = scree_default_grow_def();
        for (int k = 0; k < 3; ++k)
            def.box.periodic[k] = !sets[s].walls;
        def.density = sets[s].density;
        def.rate = sets[s].quick > 0.0 ? sets[s].quick : sets[s].rate;
        def.seed = co->seed;
        def.threads = co->threads;
        def.watch = bench_watch("growing");
        double begin = bench_processor();
        status = scree_pack_grow(&def, count, set.r, &out->grown);
        out->cpu = bench_processor() - begin;
        bench_watch_end();
    }
    if (status == SCREE_OK && sets[s].collisions > 0.0)
        status = move(co, (scree_spheres){.count = count, .dim = 3, .x = out->grown.x, .r = set.r}, sets[s].collisions, out);
    if (status == SCREE_OK && sets[s].quick > 0.0)
        status = press(co, (scree_spheres){.count = count, .dim = 3, .x = out->grown.x, .r = set.r}, sets[s].rate, out);
    scree_sphere_set_free(&set);
    return status;
}

static scree_status run_bench(findings* f, const bench_options* co)
{
    const bool quick = co->quick;
    scree_status status = SCREE_OK;
    for (int s = 0; s < set_count && status == SCREE_OK; ++s) {
        if (quick && (sets[s].count > 10000 || sets[s].quick > 0.0))
            continue;
        int32_t count = quick ? sets[s].count / 5 : sets[s].count;
        row r = {.at_rest = NAN};
        status = measure(s, count, co, &r);
        const scree_growth* g = &r.grown;
        double hits = fmax((double)g->collisions, 1.0);
        if (status == SCREE_OK)
            status = findings_row(f, &sets[s].name, (const double[]){count, g->density, sets[s].collisions > 0.0 ? 0.0 : sets[s].rate, g->reduced_pressure, (double)g->collisions,
                                                                     (double)g->predictions / hits, (double)g->tests / hits, (double)g->refreshes / hits, r.cpu, hits / r.cpu, r.at_rest});
        scree_growth_free(&r.grown);
    }
    findings_note(f, "predictions, tests and refreshes per collision. Rate 0: plain motion. reduced_pressure_at_rest: what is left of the pressure at constant size, where growth went to 1e8; 1e4 or more is jammed.");
    return status;
}

const experiment bench_grow = {
    .name = "grow",
    .about = "hard spheres: collisions per second, and growth to dense packings",
    .title = "Hard spheres: collisions per second, growth to dense packings",
    .run = run_bench,
    .texts = 1,
    .columns = (const char* const[]){"sizes", "n", "density", "rate", "reduced_pressure", "collisions", "predictions", "tests", "refreshes", "cpu_s", "per_second", "reduced_pressure_at_rest", NULL},
    .claims = (const claim[]){
        {.quantity = "equal spheres at density 0.45: reduced pressure", .source = "Carnahan and Starling 1969", .paper = 9.3847, .least = 9.244, .most = 9.5255, .column = "reduced_pressure",
         .rows = "sizes=equal motion"},
        {0}},
    .charts = (const chart[]){{.title = "Collisions per second of the processor", .y_label = "collisions per second", .x = "sizes", .y = "per_second"}, {0}},
};
