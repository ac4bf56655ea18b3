// rearrange: dense packings in a periodic cube by collective rearrangement, from sizes to a packing without overlaps. One run each; beside the time on
// the clock stands that of all threads together, which depends less on what else the machine does. The Fuller sample is packed with each
// method of the index that the paper compares and on one and two threads (0: all cores), and must come out the same.
#include "harness.h"

#include <math.h>
#include <string.h>

static const struct {
    const char* name;
    const char* law;
    int32_t count, method, threads;  // threads 0: as asked
} sets[] = {
    {"equal", "mono:1", 10000, SCREE_METHOD_HIERARCHICAL_GRID, 0},
    {"uniform size 10", "uniform-size:1:10", 10000, SCREE_METHOD_HIERARCHICAL_GRID, 0},
    {"uniform volume 10", "uniform-volume:1:10", 10000, SCREE_METHOD_HIERARCHICAL_GRID, 0},
    {"Fuller", bench_fuller, 10000, SCREE_METHOD_HIERARCHICAL_GRID, 0},
    {"Fuller", bench_fuller, 10000, SCREE_METHOD_LOOSE_OCTREE, 0},
    {"Fuller", bench_fuller, 10000, SCREE_METHOD_OCTREE, 0},
    {"Fuller", bench_fuller, 1000, SCREE_METHOD_LINKED_CELLS, 0},  // all pairs, or nearly: cells as wide as the largest sphere
    {"Fuller", bench_fuller, 100000, SCREE_METHOD_LOOSE_OCTREE, 0},
    {"Fuller", bench_fuller, 100000, SCREE_METHOD_HIERARCHICAL_GRID, 1},
    {"Fuller", bench_fuller, 100000, SCREE_METHOD_HIERARCHICAL_GRID, 2},
};
enum { set_count = sizeof sets / sizeof *sets };

static scree_status pack(const char* law, int32_t count, int32_t method, int32_t threads, const bench_options* co, scree_packing* out, double* processor)
{
    scree_sphere_set set = {0};
    scree_status status = bench_draw(law, count, co->seed, &set);
    if (status == SCREE_OK) {
        scree_rearrange_def def = scree_default_rearrange_def();
        def.method = method;
        def.seed = co->seed;
        def.threads = threads;
        status = bench_rearranged(&def, &set, co, out, processor);
    }
    scree_sphere_set_free(&set);
    return status;
}

static scree_status run_bench(findings* f, const bench_options* co)
{
    const bool quick = co->quick;
    double before = 0.0;
    int32_t count_before = 0;
    scree_status status = SCREE_OK;
    for (int s = 0; s < set_count && status == SCREE_OK; ++s) {
        if (quick && sets[s].count > 10000)
            continue;
        int32_t count = quick ? sets[s].count / 10 : sets[s].count;
        scree_packing p = {0};
        double used = 0.0;
        status = pack(sets[s].law, count, sets[s].method, sets[s].threads, co, &p, &used);
        if (status == SCREE_OK)
            status = findings_row(f, (const char* const[]){sets[s].name, scree_method_name((scree_method)sets[s].method)},
                                  (const double[]){count, sets[s].threads > 0 ? sets[s].threads : co->threads, p.density, p.density_net, p.overlap_left, (double)p.sweeps,
                                                   (double)p.rebuilds, (double)p.tests / (double)(p.sweeps > 0 ? p.sweeps : 1) / count, p.seconds, used});
        if (status == SCREE_OK && count == count_before && s > 0 && sets[s].law == sets[s - 1].law && p.density != before)
            status = scree_fail(SCREE_ERR_ARGUMENT, "two methods of the index lead to different packings; please report this");
        before = p.density;
        count_before = count;
        scree_packing_free(&p);
    }
    findings_note(f, "Whatever the method of the index and the number of threads, the packing is the same; the benchmark fails otherwise.");
    findings_note(f, "threads 0: all cores.");
    return status;
}

const experiment bench_rearrange = {
    .name = "rearrange",
    .about = "dense packings by collective rearrangement: density, sweeps, seconds",
    .title = "Dense packings by collective rearrangement",
    .run = run_bench,
    .texts = 2,
    .columns = (const char* const[]){"sizes", "method", "n", "threads", "density", "net", "overlap", "sweeps", "rebuilds", "tests_per_sphere", "seconds", "cpu_s",
                                                 NULL},
    .claims = (const claim[]){
        {.quantity = "equal spheres: least density", .source = "random close packing", .paper = 0.64, .least = 0.625, .most = 0.655, .how = CLAIM_LEAST, .column = "density", .rows = "sizes=equal"},
        {0}},
    .charts = (const chart[]){{.title = "Density after rearrangement", .y_label = "density", .x = "sizes", .y = "density"}, {0}},
};
