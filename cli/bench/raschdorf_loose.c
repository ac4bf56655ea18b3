// raschdorf-loose: two numbers that S. Raschdorf and M. Kolonko leave to the reader ("Loose octree: a data structure for the simulation of polydisperse
// particle packings", 2009). Section 3.3: how much larger outer cubes are than cells, k; they take 2. Section 2: the margin of the Verlet lists,
// delta_V; "we cannot give an optimal value".
//
// k: what it takes to make the lists of all spheres of a finished packing, one by one. delta_V: the first sweeps of a packing, one by one; the list that
// adapts itself is the last row. delta_V in smallest diameters.
#include "bench.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <time.h>

enum { law_count = 2 };
static const char* const laws[law_count] = {"mono:0.5", bench_fuller};
static const char* const names[law_count] = {"equal", "Fuller"};

static double cpu_now(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

// All neighbours within delta of each, one by one: counts and microseconds for one, the best of three.
static scree_status ask_all(const scree_sphere_set* set, double k, double delta, double out[4])
{
    double least = INFINITY;
    for (int32_t i = 0; i < set->count; ++i)
        least = fmin(least, set->r[i]);
    scree_index_def def = scree_default_index_def();
    def.method = k > 1.0 ? SCREE_METHOD_LOOSE_OCTREE : SCREE_METHOD_OCTREE;
    def.loose_factor = k > 1.0 ? k : 0.0;
    def.box = set->box;
    def.gap = delta * 2.0 * least;
    def.skin = -1.0;
    scree_index* index;
    scree_status status = scree_index_create(&def, &index);
    if (status != SCREE_OK)
        return status;
    status = scree_index_update(index, scree_sphere_set_view(set));
    double found = 0.0;
    int rounds = k > 1.0 ? 3 : 1;
    for (int round = 0; round < rounds && status == SCREE_OK; ++round) {
        double begin = cpu_now();
        found = 0.0;
        for (int32_t i = 0; i < set->count && status == SCREE_OK; ++i) {
            scree_neighbours near;
            status = scree_index_neighbours(index, i, &near);
            found += status == SCREE_OK ? (double)near.count : 0.0;
        }
        double each = (cpu_now() - begin) / set->count * 1e6;
        out[3] = round == 0 ? each : fmin(out[3], each);
    }
    scree_index_stats stats = scree_index_get_stats(index);
    out[0] = found / set->count;
    out[1] = (double)stats.query_tests / rounds / set->count;
    out[2] = (double)stats.query_cells / rounds / set->count;
    scree_index_destroy(index);
    return status;
}

static scree_status sweep(const common* co, const char* law, int32_t count, double margin, scree_packing* out, double* seconds)
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
        def.moves = SCREE_MOVES_ONE_BY_ONE;
        def.method = SCREE_METHOD_LOOSE_OCTREE;
        def.margin = margin;
        def.sweeps = 600;
        def.seed = co->seed;
        def.threads = co->threads;
        def.watch = run_watch("packing", co->quiet);
        double begin = cpu_now();
        status = scree_pack_rearrange(&def, count, r, out);
        *seconds = cpu_now() - begin;
        run_watch_end();
    }
    scree_sizes_free(sizes);
    scree_free(r);
    return status;
}

exit_code bench_raschdorf_loose(const arguments* args, const common* co, bool quick)
{
    const int32_t count = quick ? 2000 : 10000;
    static const double ks[] = {1.0, 1.1, 1.25, 1.5, 1.75, 2.0, 2.5, 3.0, 4.0}, deltas[] = {0.0, 0.1, 0.5};
    static const double margins[] = {0.02, 0.05, 0.1, 0.2, 0.4, 0.8, 0.0};
    enum { k_count = sizeof ks / sizeof *ks, delta_count = sizeof deltas / sizeof *deltas, margin_count = sizeof margins / sizeof *margins };
    enum { most = law_count * (k_count * delta_count + margin_count) };
    double law_of[most], k_of[most], delta_of[most], tests_of[most], cells_of[most], micro_of[most];
    int64_t rows = 0;
    char path[bench_path_most];
    scree_status status = bench_path(co, "raschdorf-loose.csv", path);
    if (status == SCREE_OK)
        printf("looseness: neighbours of one in a finished packing of %" PRId32 "; k = 1 is the strict octree\n%-8s %6s %8s %11s %10s %10s %10s\n", count,
               "sizes", "k", "delta/d", "neighbours", "tests", "nodes", "CPU us");
    for (int law = 0; law < law_count && status == SCREE_OK; ++law) {
        scree_sphere_set set = {0};
        status = bench_pack(laws[law], count, co->seed, 1e-3, false, co, &set);
        for (int d = 0; d < delta_count; ++d)
            for (int k = 0; k < k_count && status == SCREE_OK; ++k) {
                double counts[4] = {0.0, 0.0, 0.0, 0.0};
                status = ask_all(&set, ks[k], deltas[d], counts);
                if (status != SCREE_OK)
                    break;
                printf("%-8s %6.2f %8.2f %11.2f %10.1f %10.1f %10.3f\n", names[law], ks[k], deltas[d], counts[0], counts[1], counts[2], counts[3]);
                law_of[rows] = law;
                k_of[rows] = ks[k];
                delta_of[rows] = deltas[d];
                tests_of[rows] = counts[1];
                cells_of[rows] = counts[2];
                micro_of[rows++] = counts[3];
            }
        scree_sphere_set_free(&set);
        fflush(stdout);
    }
    if (status == SCREE_OK)
        printf("\ndelta_V: the first 600 sweeps of %" PRId32 " spheres, one by one; 0: chosen by what it costs\n%-8s %8s %12s %12s %12s %12s\n", count, "sizes",
               "delta/d", "in lists", "by structure", "lists made", "CPU us");
    for (int law = 0; law < law_count && status == SCREE_OK; ++law)
        for (int m = 0; m < margin_count && status == SCREE_OK; ++m) {
            scree_packing p = {0};
            double seconds;
            status = sweep(co, laws[law], count, margins[m], &p, &seconds);
            if (status != SCREE_OK)
                break;
            double visits = (double)p.sweeps * count;
            printf("%-8s %8.2f %12.2f %12.2f %12.4f %12.3f\n", names[law], margins[m], (double)p.tests / visits, (double)p.search_tests / visits,
                   (double)p.refreshes / visits, seconds / visits * 1e6);
            fflush(stdout);
            law_of[rows] = law;
            k_of[rows] = 2.0;
            delta_of[rows] = margins[m];
            tests_of[rows] = (double)p.tests / visits;
            cells_of[rows] = (double)p.refreshes / visits;
            micro_of[rows++] = seconds / visits * 1e6;
            scree_packing_free(&p);
        }
    if (status == SCREE_OK && path[0] != '\0') {
        scree_table_column columns[] = {{.name = "law", .values = law_of},     {.name = "k", .values = k_of},
                                        {.name = "delta", .values = delta_of}, {.name = "tests", .values = tests_of},
                                        {.name = "nodes_or_lists_made", .values = cells_of}, {.name = "cpu_microseconds", .values = micro_of}};
        status = scree_write_table(path, NULL, rows, sizeof columns / sizeof *columns, columns);
    }
    return status == SCREE_OK ? EXIT_DONE : run_failed(args, status);
}
