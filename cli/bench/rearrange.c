// rearrange: dense packings in a periodic cube by collective rearrangement, from sizes to a packing without overlaps. One run each; beside the time on
// the clock stands that of all threads together, which depends less on what else the machine does. The Fuller sample is packed with each
// method of the index that the paper compares and on one and two threads (0: all cores), and must come out the same.
#include "bench.h"

#include "scree/index.h"
#include "scree/pack.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static const char fuller[] = "fuller:1:684.75:0.5:70";

static const struct {
    const char* name;
    const char* law;
    int32_t count, method, threads;  // threads 0: as asked
} sets[] = {
    {"equal", "mono:1", 10000, SCREE_METHOD_HIERARCHICAL_GRID, 0},
    {"uniform size 10", "uniform-size:1:10", 10000, SCREE_METHOD_HIERARCHICAL_GRID, 0},
    {"uniform volume 10", "uniform-volume:1:10", 10000, SCREE_METHOD_HIERARCHICAL_GRID, 0},
    {"Fuller", fuller, 10000, SCREE_METHOD_HIERARCHICAL_GRID, 0},
    {"Fuller", fuller, 10000, SCREE_METHOD_LOOSE_OCTREE, 0},
    {"Fuller", fuller, 10000, SCREE_METHOD_OCTREE, 0},
    {"Fuller", fuller, 1000, SCREE_METHOD_LINKED_CELLS, 0},  // all pairs, or nearly: cells as wide as the largest sphere
    {"Fuller", fuller, 100000, SCREE_METHOD_LOOSE_OCTREE, 0},
    {"Fuller", fuller, 100000, SCREE_METHOD_HIERARCHICAL_GRID, 1},
    {"Fuller", fuller, 100000, SCREE_METHOD_HIERARCHICAL_GRID, 2},
};
enum { set_count = sizeof sets / sizeof *sets };

static scree_status pack(const char* law, int32_t count, int32_t method, int32_t threads, const common* co, scree_packing* out)
{
    scree_sizes* sizes = NULL;
    double* r = scree_malloc((size_t)count, sizeof *r);
    scree_status status = r == NULL ? SCREE_ERR_MEMORY : scree_sizes_parse(law, 3, &sizes);
    if (status == SCREE_OK)
        status = scree_sizes_draw(sizes, SCREE_SAMPLING_SYSTEMATIC, co->seed, count, r);
    if (status == SCREE_OK) {
        scree_rearrange_def def = scree_default_rearrange_def();
        for (int k = 0; k < 3; ++k)
            def.box.periodic[k] = true;
        def.method = method;
        def.seed = co->seed;
        def.threads = threads > 0 ? threads : co->threads;
        def.watch = run_watch("packing", co->quiet);
        status = scree_pack_rearrange(&def, count, r, out);
        run_watch_end();
    }
    scree_sizes_free(sizes);
    scree_free(r);
    return status;
}

exit_code bench_rearrange(const arguments* args, const common* co, bool quick)
{
    printf("%-18s %8s  %-18s %7s %9s %9s %9s %8s %8s %9s %9s %9s\n", "sizes", "spheres", "method", "threads", "density", "net", "overlap", "sweeps", "rebuilds",
           "tests/n", "seconds", "CPU s");
    int64_t numbers[set_count], counts[set_count], threads[set_count], sweeps[set_count], rebuilds[set_count], rows = 0;
    double density[set_count], seconds[set_count], processor[set_count];
    for (int s = 0; s < set_count; ++s) {
        if (quick && sets[s].count > 10000)
            continue;
        int32_t count = quick ? sets[s].count / 10 : sets[s].count;
        scree_packing p = {0};
        clock_t begin = clock();
        scree_status status = pack(sets[s].law, count, sets[s].method, sets[s].threads, co, &p);
        double used = (double)(clock() - begin) / CLOCKS_PER_SEC;
        if (status == SCREE_OK) {
            printf("%-18s %8" PRId32 "  %-18s %7d %9.5f %9.5f %9.1e %8" PRId64 " %8" PRId64 " %9.1f %9.2f %9.2f\n", sets[s].name, count,
                   scree_method_name((scree_method)sets[s].method), (int)(sets[s].threads > 0 ? sets[s].threads : co->threads),
                   p.density, p.density_net, p.overlap_left, p.sweeps, p.rebuilds, (double)p.tests / (double)(p.sweeps > 0 ? p.sweeps : 1) / count, p.seconds, used);
            fflush(stdout);
            numbers[rows] = s;
            counts[rows] = count;
            threads[rows] = sets[s].threads > 0 ? sets[s].threads : co->threads;
            sweeps[rows] = p.sweeps;
            rebuilds[rows] = p.rebuilds;
            density[rows] = p.density;
            seconds[rows] = p.seconds;
            processor[rows++] = used;
        }
        scree_packing_free(&p);
        if (status != SCREE_OK)
            return run_failed(args, status);
        if (rows > 1 && sets[s].law == sets[s - 1].law && counts[rows - 1] == counts[rows - 2] && density[rows - 1] != density[rows - 2]) {
            fprintf(stderr, "scree bench: two methods of the index lead to different packings; please report this\n");
            return EXIT_FAILED;
        }
    }
    if (co->out != NULL) {
        scree_table_column columns[] = {{.name = "set", .integers = numbers},       {.name = "spheres", .integers = counts},
                                        {.name = "threads", .integers = threads},   {.name = "sweeps", .integers = sweeps},     {.name = "rebuilds", .integers = rebuilds},
                                        {.name = "density", .values = density},     {.name = "seconds", .values = seconds},
                                        {.name = "cpu_seconds", .values = processor}};
        scree_status status = scree_write_table(co->out, NULL, rows, sizeof columns / sizeof *columns, columns);
        if (status != SCREE_OK)
            return run_failed(args, status);
    }
    return EXIT_DONE;
}
