// grow: hard spheres in motion. Collisions per second of plain motion (the growth before it left out), and growth to dense packings from sizes to
// a packing without overlaps. One run each; times are of the processor, which depends less on what else the machine does.
#include "bench.h"

#include "scree/event.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <time.h>

static const struct {
    const char* name;
    const char* law;
    int32_t count;
    bool walls;
    double density, rate, collisions;  // collisions per sphere of plain motion; 0: growth alone
} sets[] = {
    {"equal, motion", "mono:0.5", 10000, false, 0.45, 0.1, 200.0},
    {"uniform volume 10, motion", "uniform-volume:1:10", 10000, false, 0.45, 0.1, 200.0},
    {"equal, growth", "mono:0.5", 10000, false, 0.62, 0.1, 0.0},
    {"uniform volume 10, growth", "uniform-volume:1:10", 10000, false, 0.62, 0.1, 0.0},
    {"equal, slow growth", "mono:0.5", 10000, false, 0.634, 0.022, 0.0},
    {"equal, growth", "mono:0.5", 125000, false, 0.6, 0.1, 0.0},
    {"bidisperse 50, growth", "bidisperse:50", 125001, false, 0.6, 0.1, 0.0},
    {"uniform volume 50, growth", "uniform-volume:1:50", 125001, true, 0.62, 0.1, 0.0},
};
enum { set_count = sizeof sets / sizeof *sets };

typedef struct row {
    scree_growth grown;  // numbers only
    double cpu;
} row;

static double processor_seconds(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

// Motion: the packing once more as a system of its own, so that only motion is timed.
static scree_status move(const common* co, scree_spheres spheres, double collisions, row* out)
{
    scree_event_def def = scree_default_event_def();
    def.box = out->grown.box;
    def.threads = co->threads;
    def.watch = run_watch("moving", co->quiet);
    scree_event_system* system;
    scree_status status = scree_event_create(&def, spheres, out->grown.v, &system);
    if (status != SCREE_OK)
        return status;
    scree_event_until until = scree_default_event_until();
    until.collisions = (int64_t)(0.05 * collisions * spheres.count);
    status = scree_event_run(system, &until);
    scree_event_measure_anew(system);
    until.collisions = (int64_t)(0.5 * collisions * spheres.count);
    double begin = processor_seconds();
    if (status == SCREE_OK)
        status = scree_event_run(system, &until);
    out->cpu = processor_seconds() - begin;
    scree_event_stats s = scree_event_get_stats(system);
    out->grown.pressure = s.pressure;
    out->grown.collisions = s.collisions;
    out->grown.predictions = s.predictions;
    out->grown.tests = s.tests;
    out->grown.refreshes = s.refreshes;
    scree_event_destroy(system);
    run_watch_end();
    return status;
}

static scree_status measure(int s, int32_t count, const common* co, row* out)
{
    scree_sizes* sizes = NULL;
    double* r = scree_malloc((size_t)count, sizeof *r);
    scree_status status = r == NULL ? SCREE_ERR_MEMORY : scree_sizes_parse(sets[s].law, 3, &sizes);
    if (status == SCREE_OK)
        status = scree_sizes_draw(sizes, SCREE_SAMPLING_SYSTEMATIC, co->seed, count, r);
    if (status == SCREE_OK) {
        scree_grow_def def = scree_default_grow_def();
        for (int k = 0; k < 3; ++k)
            def.box.periodic[k] = !sets[s].walls;
        def.density = sets[s].density;
        def.rate = sets[s].rate;
        def.seed = co->seed;
        def.threads = co->threads;
        def.watch = run_watch("growing", co->quiet);
        double begin = processor_seconds();
        status = scree_pack_grow(&def, count, r, &out->grown);
        out->cpu = processor_seconds() - begin;
        run_watch_end();
    }
    if (status == SCREE_OK && sets[s].collisions > 0.0)
        status = move(co, (scree_spheres){.count = count, .dim = 3, .x = out->grown.x, .r = r}, sets[s].collisions, out);
    scree_sizes_free(sizes);
    scree_free(r);
    return status;
}

exit_code bench_grow(const arguments* args, const common* co, bool quick)
{
    printf("%-26s %8s %9s %6s %10s %11s %8s %8s %8s %9s %11s\n", "sizes", "spheres", "density", "rate", "pressure", "collisions", "predict",
           "tests", "refresh", "CPU s", "per second");
    int64_t numbers[set_count], counts[set_count], collisions[set_count], rows = 0;
    double density[set_count], seconds[set_count], speed[set_count];
    for (int s = 0; s < set_count; ++s) {
        if (quick && sets[s].count > 10000)
            continue;
        int32_t count = quick ? sets[s].count / 5 : sets[s].count;
        row r = {0};
        scree_status status = measure(s, count, co, &r);
        const scree_growth* g = &r.grown;
        if (status == SCREE_OK) {
            double hits = (double)g->collisions;
            printf("%-26s %8" PRId32 " %9.5f %6g %10.4g %11" PRId64 " %8.2f %8.1f %8.3f %9.2f %11.3g\n", sets[s].name, count, g->density,
                   sets[s].collisions > 0.0 ? 0.0 : sets[s].rate, g->pressure, g->collisions, (double)g->predictions / hits,
                   (double)g->tests / hits, (double)g->refreshes / hits, r.cpu, hits / r.cpu);
            fflush(stdout);
            numbers[rows] = s;
            counts[rows] = count;
            collisions[rows] = g->collisions;
            density[rows] = g->density;
            seconds[rows] = r.cpu;
            speed[rows++] = hits / r.cpu;
        }
        scree_growth_free(&r.grown);
        if (status != SCREE_OK)
            return run_failed(args, status);
    }
    printf("predict, tests, refresh: per collision\n");
    if (co->out != NULL) {
        scree_table_column columns[] = {{.name = "set", .integers = numbers},     {.name = "spheres", .integers = counts},
                                        {.name = "density", .values = density},   {.name = "collisions", .integers = collisions},
                                        {.name = "cpu_seconds", .values = seconds}, {.name = "per_second", .values = speed}};
        scree_status status = scree_write_table(co->out, NULL, rows, sizeof columns / sizeof *columns, columns);
        if (status != SCREE_OK)
            return run_failed(args, status);
    }
    return EXIT_DONE;
}
