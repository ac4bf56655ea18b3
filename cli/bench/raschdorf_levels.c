// raschdorf-levels: Fig. 9 of S. Raschdorf and M. Kolonko, "Loose octree: a data structure for the simulation of polydisperse particle packings"
// (2009): how many of the 10,000 spheres of a finished packing live on each level of the strict and of the loose octree; and, with -o, its Fig. 5 and 7:
// a packing of 50,000 spheres coloured by level. Dark spheres live high up: in the strict octree all that a mid plane cuts.
//
// The expected numbers are those of packings made by another program with the paper's rule. The paper itself prints a histogram without numbers.
#include "bench.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { most_levels = 31, shown_levels = 8 };

typedef struct tree_row {
    const char* law_name;
    const char* law;
    int32_t method;
    double expected[shown_levels];
} tree_row;

static const tree_row rows[] = {
    {"equal", "mono:0.5", SCREE_METHOD_OCTREE, {1417, 2443, 3396, 2591, 153, 0, 0, 0}},
    {"equal", "mono:0.5", SCREE_METHOD_LOOSE_OCTREE, {0, 0, 0, 0, 9300, 700, 0, 0}},
    {"Fuller", bench_fuller, SCREE_METHOD_OCTREE, {796, 1250, 2258, 2726, 2415, 555, 0, 0}},
    {"Fuller", bench_fuller, SCREE_METHOD_LOOSE_OCTREE, {1, 4, 25, 157, 882, 4988, 3943, 0}},
};
enum { row_count = sizeof rows / sizeof *rows };
static const double allowed = 0.05;  // of all spheres, on any level

// The level of each sphere.
static scree_status levels_of(const scree_sphere_set* set, int32_t method, double* level)
{
    scree_index_def def = scree_default_index_def();
    def.method = method;
    def.box = set->box;
    def.skin = -1.0;
    scree_index* index;
    scree_status status = scree_index_create(&def, &index);
    if (status != SCREE_OK)
        return status;
    status = scree_index_update(index, scree_sphere_set_view(set));
    for (int32_t i = 0; i < set->count && status == SCREE_OK; ++i) {
        scree_surroundings around;
        status = scree_index_surroundings(index, i, &around);
        level[i] = around.level;
    }
    scree_index_destroy(index);
    return status;
}

static scree_status add_counts(const scree_sphere_set* set, int32_t method, double weight, double counts[most_levels])
{
    double* level = scree_malloc((size_t)set->count, sizeof *level);
    if (level == NULL)
        return SCREE_ERR_MEMORY;
    scree_status status = levels_of(set, method, level);
    for (int32_t i = 0; i < set->count && status == SCREE_OK; ++i)
        counts[(int)level[i]] += weight;
    scree_free(level);
    return status;
}

// The same colours for both trees, so that they can be compared.
static scree_status draw(const common* co, const scree_sphere_set* set, int32_t method, const char* name, const double* level, double deepest)
{
    char path[bench_path_most], file[64];
    snprintf(file, sizeof file, "raschdorf-levels-%s-%s.png", name, scree_method_name((scree_method)method));
    scree_status status = bench_path(co, file, path);
    if (status != SCREE_OK)
        return status;
    scree_sphere_set view = *set;  // with a column more; what it owns stays the set's
    view.columns = NULL;
    view.column_count = 0;
    scree_column* column;
    status = scree_sphere_set_add(&view, "level", SCREE_COLUMN_DOUBLE, 1, &column);
    if (status == SCREE_OK) {
        memcpy(column->values, level, (size_t)set->count * sizeof *level);
        scree_picture_def def = scree_default_picture_def();
        def.width = 1600;
        def.height = 1400;
        def.colour_by = "level";
        def.map = SCREE_MAP_EMBER;
        def.range[0] = 0.0;
        def.range[1] = deepest;
        def.images = SCREE_IMAGES_FILL;
        def.threads = co->threads;
        def.watch = run_watch("drawing", co->quiet);
        status = scree_picture_write(path, &view, &def);
        run_watch_end();
    }
    scree_sphere_set columns_only = {.dim = view.dim, .column_count = view.column_count, .columns = view.columns};
    scree_sphere_set_free(&columns_only);
    return status;
}

static scree_status draw_both(const common* co, const char* name, const char* law, int32_t count)
{
    static const int32_t methods[2] = {SCREE_METHOD_OCTREE, SCREE_METHOD_LOOSE_OCTREE};
    scree_sphere_set set = {0};
    scree_status status = bench_pack(law, count, co->seed, 1e-3, false, co, &set);
    double* level[2] = {scree_malloc((size_t)count, sizeof **level), scree_malloc((size_t)count, sizeof **level)};
    if (status == SCREE_OK && (level[0] == NULL || level[1] == NULL))
        status = SCREE_ERR_MEMORY;
    double deepest = 0.0;
    for (int m = 0; m < 2 && status == SCREE_OK; ++m) {
        status = levels_of(&set, methods[m], level[m]);
        for (int32_t i = 0; i < count && status == SCREE_OK; ++i)
            deepest = fmax(deepest, level[m][i]);
    }
    for (int m = 0; m < 2 && status == SCREE_OK; ++m)
        status = draw(co, &set, methods[m], name, level[m], deepest);
    scree_free(level[0]);
    scree_free(level[1]);
    scree_sphere_set_free(&set);
    return status;
}

exit_code bench_raschdorf_levels(const arguments* args, const common* co, bool quick)
{
    const int packings = quick ? 1 : 10;
    double counts[row_count][most_levels] = {{0}};
    char path[bench_path_most];
    scree_status status = bench_path(co, "raschdorf-levels.csv", path);
    for (int q = 0; q < row_count; q += 2)
        for (int p = 0; p < packings && status == SCREE_OK; ++p) {
            scree_sphere_set set = {0};
            status = bench_pack(rows[q].law, 10000, co->seed + (uint64_t)p, q == 0 ? 0.01 : 0.02, true, co, &set);
            for (int t = q; t < q + 2 && status == SCREE_OK; ++t)
                status = add_counts(&set, rows[t].method, 1.0 / packings, counts[t]);
            scree_sphere_set_free(&set);
        }
    int off = 0, total = 0;
    double law_of[row_count * shown_levels], method_of[row_count * shown_levels], level_of[row_count * shown_levels];
    double spheres_of[row_count * shown_levels], expected_of[row_count * shown_levels];
    if (status == SCREE_OK)
        printf("spheres on each level, of 10000; mean of %d packing%s; expected ones below\n%-8s %-14s", packings, packings == 1 ? "" : "s", "sizes",
               "tree");
    for (int l = 0; l < shown_levels && status == SCREE_OK; ++l)
        printf(" %8d", l);
    for (int q = 0; q < row_count && status == SCREE_OK; ++q) {
        double worst = 0.0;
        printf("\n%-8s %-14s", rows[q].law_name, scree_method_name((scree_method)rows[q].method));
        for (int l = 0; l < shown_levels; ++l, ++total) {
            printf(" %8.1f", counts[q][l]);
            worst = fmax(worst, fabs(counts[q][l] - rows[q].expected[l]) / 10000.0);
            law_of[total] = q / 2;
            method_of[total] = rows[q].method;
            level_of[total] = l;
            spheres_of[total] = counts[q][l];
            expected_of[total] = rows[q].expected[l];
        }
        printf("\n%-8s %-14s", "", "");
        for (int l = 0; l < shown_levels; ++l)
            printf(" %8.0f", rows[q].expected[l]);
        printf("  %s", worst <= allowed ? "" : "OFF");
        off += worst > allowed;
    }
    if (status == SCREE_OK)
        printf("\n");
    if (status == SCREE_OK && path[0] != '\0') {
        scree_table_column columns[] = {{.name = "law", .values = law_of}, {.name = "method", .values = method_of}, {.name = "level", .values = level_of},
                                        {.name = "spheres", .values = spheres_of}, {.name = "expected", .values = expected_of}};
        status = scree_write_table(path, NULL, total, sizeof columns / sizeof *columns, columns);
    }
    if (status == SCREE_OK && path[0] != '\0')
        status = draw_both(co, "equal", "mono:0.5", quick ? 5000 : 50000);
    if (status == SCREE_OK && path[0] != '\0')
        status = draw_both(co, "fuller", bench_fuller, quick ? 5000 : 50000);
    if (status != SCREE_OK)
        return run_failed(args, status);
    if (off > 0)
        fprintf(stderr, "scree bench: %d histograms are farther from what was expected than they may be\n", off);
    return off > 0 ? EXIT_FAILED : EXIT_DONE;
}
