// raschdorf-lists: rearrangement as S. Raschdorf and M. Kolonko do it ("Loose octree: a data structure for the simulation of polydisperse particle
// packings", 2009), one sphere after the other, over each of the structures that they compare and over the hierarchical grid; with Verlet lists of single
// spheres, and asking the structure at each visit. The first sweeps from a random start, where lists are made anew most often. The paper claims:
// lists make the difference small where the structure is rarely asked; of the structures only the loose octree suits both laws.
//
// Then whole packings by both ways of moving, and by visits with each structure: the same packing.
#include "bench.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static const int32_t methods[] = {SCREE_METHOD_LINKED_CELLS, SCREE_METHOD_OCTREE, SCREE_METHOD_LOOSE_OCTREE, SCREE_METHOD_HIERARCHICAL_GRID};
enum { method_count = sizeof methods / sizeof *methods, law_count = 2 };
static const char* const laws[law_count] = {"mono:0.5", bench_fuller};
static const char* const names[law_count] = {"equal", "Fuller"};

typedef struct outcome {
    scree_packing packing;
    double processor;  // seconds of all threads
} outcome;

static scree_status run(const common* co, const char* law, int32_t count, const scree_rearrange_def* asked, outcome* out)
{
    scree_sizes* sizes = NULL;
    double* r = scree_malloc((size_t)count, sizeof *r);
    scree_status status = r == NULL ? SCREE_ERR_MEMORY : scree_sizes_parse(law, 3, &sizes);
    if (status == SCREE_OK)
        status = scree_sizes_draw(sizes, SCREE_SAMPLING_SYSTEMATIC, co->seed, count, r);
    if (status == SCREE_OK) {
        scree_rearrange_def def = *asked;
        for (int k = 0; k < 3; ++k)
            def.box.periodic[k] = true;
        def.seed = co->seed;
        def.threads = co->threads;
        def.watch = run_watch("packing", co->quiet);
        clock_t begin = clock();
        status = scree_pack_rearrange(&def, count, r, &out->packing);
        out->processor = (double)(clock() - begin) / CLOCKS_PER_SEC;
        run_watch_end();
    }
    scree_sizes_free(sizes);
    scree_free(r);
    return status;
}

typedef struct table {
    int64_t rows, law[64], lists[64], method[64], sweeps[64];
    double list_tests[64], index_tests[64], refreshes[64], processor[64], density[64];
} table;

static void keep(table* t, int law, bool lists, int32_t method, const outcome* o, double visits)
{
    t->law[t->rows] = law;
    t->lists[t->rows] = lists;
    t->method[t->rows] = method;
    t->sweeps[t->rows] = o->packing.sweeps;
    t->list_tests[t->rows] = (double)o->packing.tests / visits;
    t->index_tests[t->rows] = (double)o->packing.search_tests / visits;
    t->refreshes[t->rows] = (double)o->packing.refreshes / visits;
    t->processor[t->rows] = o->processor;
    t->density[t->rows++] = o->packing.density;
}

exit_code bench_raschdorf_lists(const arguments* args, const common* co, bool quick)
{
    const int32_t count = quick ? 1000 : 10000;
    static table t;
    char path[bench_path_most];
    scree_status status = bench_path(co, "raschdorf-lists.csv", path);
    t.rows = 0;
    bool differ = false;
    if (status == SCREE_OK)
        printf("the first sweeps, %" PRId32 " spheres; all counts and times per visit\n%-8s %-18s %-5s %7s %12s %12s %12s %12s\n", count, "sizes", "structure",
               "lists", "sweeps", "in lists", "by structure", "lists made", "CPU us");
    for (int law = 0; law < law_count && status == SCREE_OK; ++law)
        for (int m = 0; m < method_count; ++m)
            for (int lists = 0; lists < 2 && status == SCREE_OK; ++lists) {
                scree_rearrange_def def = scree_default_rearrange_def();
                def.moves = SCREE_MOVES_ONE_BY_ONE;
                def.method = methods[m];
                def.margin = lists ? 0.0 : -1.0;
                def.sweeps = lists ? 200 : 10;
                outcome o = {.processor = 0.0};
                status = run(co, laws[law], count, &def, &o);
                if (status != SCREE_OK)
                    break;
                double visits = (double)o.packing.sweeps * count;
                printf("%-8s %-18s %-5s %7" PRId64 " %12.2f %12.2f %12.4f %12.3f\n", names[law], scree_method_name((scree_method)methods[m]),
                       lists ? "yes" : "no", o.packing.sweeps, (double)o.packing.tests / visits, (double)o.packing.search_tests / visits,
                       (double)o.packing.refreshes / visits, o.processor / visits * 1e6);
                fflush(stdout);
                keep(&t, law, lists, methods[m], &o, visits);
                differ = differ || (m > 0 && o.packing.density != t.density[t.rows - 3]);
                scree_packing_free(&o.packing);
            }
    static const struct {
        int32_t moves, method;
        double tolerance[law_count];
    } whole[] = {{SCREE_MOVES_TOGETHER, SCREE_METHOD_LOOSE_OCTREE, {1e-3, 1e-3}},
                 {SCREE_MOVES_ONE_BY_ONE, SCREE_METHOD_LOOSE_OCTREE, {1e-3, 1e-2}},
                 {SCREE_MOVES_ONE_BY_ONE, SCREE_METHOD_HIERARCHICAL_GRID, {1e-3, 1e-2}}};
    if (status == SCREE_OK)
        printf("\nwhole packings\n%-8s %-11s %-18s %10s %9s %9s %9s %12s %12s %9s\n", "sizes", "moves", "structure", "tolerance", "density", "net", "sweeps",
               "in lists", "by structure", "CPU s");
    for (int law = 0; law < law_count && status == SCREE_OK; ++law)
        for (size_t w = 0; w < sizeof whole / sizeof *whole && status == SCREE_OK; ++w) {
            scree_rearrange_def def = scree_default_rearrange_def();
            def.moves = whole[w].moves;
            def.method = whole[w].method;
            def.tolerance = whole[w].tolerance[law];
            outcome o = {.processor = 0.0};
            status = run(co, laws[law], count, &def, &o);
            if (status != SCREE_OK)
                break;
            double visits = (double)o.packing.sweeps * count;
            printf("%-8s %-11s %-18s %10g %9.4f %9.4f %9" PRId64 " %12.2f %12.2f %9.2f\n", names[law], scree_moves_name((scree_moves)whole[w].moves),
                   scree_method_name((scree_method)whole[w].method), def.tolerance, o.packing.density, o.packing.density_net, o.packing.sweeps,
                   (double)o.packing.tests / visits, (double)o.packing.search_tests / visits, o.processor);
            fflush(stdout);
            keep(&t, law, true, whole[w].method, &o, visits);
            differ = differ || (w == 2 && t.density[t.rows - 1] != t.density[t.rows - 2]);
            scree_packing_free(&o.packing);
        }
    if (status == SCREE_OK && path[0] != '\0') {
        scree_table_column columns[] = {{.name = "law", .integers = t.law},
                                        {.name = "lists", .integers = t.lists},
                                        {.name = "method", .integers = t.method},
                                        {.name = "sweeps", .integers = t.sweeps},
                                        {.name = "tests_in_lists", .values = t.list_tests},
                                        {.name = "tests_by_structure", .values = t.index_tests},
                                        {.name = "lists_made", .values = t.refreshes},
                                        {.name = "cpu_seconds", .values = t.processor},
                                        {.name = "density", .values = t.density}};
        status = scree_write_table(path, NULL, t.rows, sizeof columns / sizeof *columns, columns);
    }
    if (status != SCREE_OK)
        return run_failed(args, status);
    if (differ)
        fprintf(stderr, "scree bench: two structures lead to different packings; please report this\n");
    return differ ? EXIT_FAILED : EXIT_DONE;
}
