// raschdorf-neighbours: Table 1 of S. Raschdorf and M. Kolonko, "Loose octree: a data structure for the simulation of polydisperse particle
// packings" (2009). How many other spheres are stored in the cells or nodes that have to be looked at for one sphere, before any two spheres are
// compared: the mean over the 10,000 spheres of a finished packing, and over packings.
//
// The paper does not say how far around a sphere it looks (its delta_V), nor whether the box is periodic. The grid's 32.9 is that of a periodic cube: with
// walls it would be 29.6 to 30.9. For the trees both are counted: the box alone, and with images across its faces.
//
// Below that its Eq. 3: how many nodes a sphere on level l of the strict octree has to look into at most, and how many it does.
#include "bench.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { most_levels = 31 };

typedef struct count_row {
    int32_t method;
    bool images;      // periodic, or the box alone
    double delta;     // of the look around a sphere, in smallest diameters
    double paper[2];  // equal, Fuller; 0: not in the paper
    double own[2];    // what an independent count of this rule gave; 0: none
    double allowed;   // relative difference from that, or from the paper where there is none
} count_row;

static const count_row rows[] = {
    {SCREE_METHOD_LINKED_CELLS, true, 0.0, {32.9, 9999.0}, {32.9, 9999.0}, 0.005},
    {SCREE_METHOD_OCTREE, true, 0.0, {2027.6, 1188.1}, {1920.0, 1083.0}, 0.10},
    {SCREE_METHOD_OCTREE, true, 0.3, {2027.6, 1188.1}, {2021.0, 1104.0}, 0.10},
    {SCREE_METHOD_OCTREE, false, 0.0, {0.0, 0.0}, {0.0, 0.0}, 0.0},
    {SCREE_METHOD_LOOSE_OCTREE, true, 0.0, {51.7, 31.2}, {47.0, 31.1}, 0.08},
    {SCREE_METHOD_LOOSE_OCTREE, true, 0.05, {51.7, 31.2}, {50.9, 31.8}, 0.08},
    {SCREE_METHOD_LOOSE_OCTREE, true, 0.1, {51.7, 31.2}, {54.8, 32.5}, 0.08},
    {SCREE_METHOD_LOOSE_OCTREE, false, 0.0, {0.0, 0.0}, {0.0, 0.0}, 0.0},
    {SCREE_METHOD_HIERARCHICAL_GRID, true, 0.0, {0.0, 0.0}, {0.0, 0.0}, 0.0},
};
enum { row_count = sizeof rows / sizeof *rows };

typedef struct by_level {
    int64_t spheres, nodes, most_nodes, stored;
} by_level;

typedef struct outcome {
    double spheres, cells;  // means
    double tests;           // that a search for the contacts of one does, across the faces as well
    by_level level[most_levels];
} outcome;

static scree_status count_around(const scree_sphere_set* set, const count_row* row, outcome* out)
{
    *out = (outcome){.spheres = 0.0};
    double least = INFINITY, most = 0.0;
    for (int32_t i = 0; i < set->count; ++i) {
        least = fmin(least, set->r[i]);
        most = fmax(most, set->r[i]);
    }
    scree_index_def def = scree_default_index_def();
    def.method = row->method;
    def.box = set->box;
    for (int k = 0; k < 3; ++k)
        def.box.periodic[k] = row->images;
    def.gap = row->delta * 2.0 * least;
    def.skin = -1.0;
    if (row->method == SCREE_METHOD_LINKED_CELLS)
        def.cell_size = 2.0 * most + def.gap;  // the paper's; left alone, cells would be as long as makes one by one fastest
    scree_index* index;
    scree_status status = scree_index_create(&def, &index);
    if (status != SCREE_OK)
        return status;
    status = scree_index_update(index, scree_sphere_set_view(set));
    for (int32_t i = 0; i < set->count && status == SCREE_OK; ++i) {
        scree_surroundings around;
        status = scree_index_surroundings(index, i, &around);
        if (status != SCREE_OK)
            break;
        out->spheres += (double)around.spheres / set->count;
        out->cells += (double)around.cells / set->count;
        by_level* level = &out->level[around.level < most_levels ? around.level : most_levels - 1];
        ++level->spheres;
        level->nodes += around.cells;
        level->most_nodes = around.cells > level->most_nodes ? around.cells : level->most_nodes;
        level->stored += around.spheres;
        scree_neighbours touching;
        status = scree_index_neighbours(index, i, &touching);
    }
    out->tests = (double)scree_index_get_stats(index).query_tests / set->count;
    scree_index_destroy(index);
    return status;
}

// Its Eq. 3, with the floor in Eq. 2.
static double most_nodes(const scree_sphere_set* set, int level)
{
    double least = INFINITY, sum = level, nodes = 1.0;
    for (int32_t i = 0; i < set->count; ++i)
        least = fmin(least, set->r[i]);
    int deepest = ilogb((set->box.upper[0] - set->box.lower[0]) / (2.0 * least));
    for (int k = level; k <= deepest; ++k, nodes *= 8.0)
        sum += nodes;
    return sum;
}

static void print_levels(const char* name, const scree_sphere_set* set, const outcome* o)
{
    printf("\nEq. 3, strict octree, %s: nodes to look into for a sphere on level l, at most and as counted\n%6s %9s %12s %9s %9s %12s\n", name, "level",
           "spheres", "Eq. 3", "largest", "mean", "spheres seen");
    for (int l = 0; l < most_levels; ++l)
        if (o->level[l].spheres > 0) {
            double n = (double)o->level[l].spheres;
            printf("%6d %9" PRId64 " %12.0f %9" PRId64 " %9.1f %12.1f\n", l, o->level[l].spheres, most_nodes(set, l), o->level[l].most_nodes,
                   (double)o->level[l].nodes / n, (double)o->level[l].stored / n);
        }
}

exit_code bench_raschdorf_neighbours(const arguments* args, const common* co, bool quick)
{
    static const char* const laws[2] = {"mono:0.5", bench_fuller};
    static const char* const names[2] = {"equal", "Fuller"};
    const int packings = quick ? 1 : 10;
    char path[bench_path_most];
    scree_status status = bench_path(co, "raschdorf-neighbours.csv", path);
    int64_t law_of[2 * row_count], method_of[2 * row_count], images_of[2 * row_count];
    double delta_of[2 * row_count], spheres_of[2 * row_count], cells_of[2 * row_count], tests_of[2 * row_count], paper_of[2 * row_count], own_of[2 * row_count];
    int total = 0, off = 0;
    for (int law = 0; law < 2 && status == SCREE_OK; ++law) {
        double sum[row_count] = {0}, cells[row_count] = {0}, tests[row_count] = {0}, least[row_count], most[row_count] = {0}, density = 0.0;
        outcome strict = {.spheres = 0.0};
        scree_sphere_set kept = {0};
        for (int p = 0; p < packings && status == SCREE_OK; ++p) {
            scree_sphere_set set = {0};
            status = bench_pack(laws[law], 10000, co->seed + (uint64_t)p, law == 0 ? 0.01 : 0.02, true, co, &set);
            for (int q = 0; q < row_count && status == SCREE_OK; ++q) {
                outcome o;
                status = count_around(&set, &rows[q], &o);
                sum[q] += o.spheres / packings;
                cells[q] += o.cells / packings;
                tests[q] += o.tests / packings;
                least[q] = p == 0 ? o.spheres : fmin(least[q], o.spheres);
                most[q] = fmax(most[q], o.spheres);
                if (p == 0 && rows[q].method == SCREE_METHOD_OCTREE && !rows[q].images)
                    strict = o;
            }
            density += status == SCREE_OK ? bench_density(&set) / packings : 0.0;
            if (p == 0)
                kept = set;
            else
                scree_sphere_set_free(&set);
        }
        if (status == SCREE_OK) {
            printf("%s%s, 10000 spheres, %d packing%s, density %.4f\n%-18s %-7s %7s %10s %19s %9s %9s %9s %9s  %s\n", law > 0 ? "\n" : "", names[law], packings,
                   packings == 1 ? "" : "s", density, "structure", "images", "delta/d", "spheres", "over packings", "cells", "tests", "paper", "expected", "");
            for (int q = 0; q < row_count; ++q) {
                double expected = rows[q].own[law] > 0.0 ? rows[q].own[law] : rows[q].paper[law];
                bool fits = expected == 0.0 || fabs(sum[q] - expected) <= rows[q].allowed * expected;
                off += !fits;
                char range[32], paper[16] = "", own[16] = "";
                snprintf(range, sizeof range, "%.1f .. %.1f", least[q], most[q]);
                if (rows[q].paper[law] > 0.0)
                    snprintf(paper, sizeof paper, "%.1f", rows[q].paper[law]);
                if (rows[q].own[law] > 0.0)
                    snprintf(own, sizeof own, "%.1f", rows[q].own[law]);
                printf("%-18s %-7s %7.2f %10.1f %19s %9.1f %9.1f %9s %9s  %s\n", scree_method_name((scree_method)rows[q].method), rows[q].images ? "yes" : "no",
                       rows[q].delta, sum[q], range, cells[q], tests[q], paper, own, fits ? "" : "OFF");
                law_of[total] = law;
                method_of[total] = rows[q].method;
                images_of[total] = rows[q].images;
                delta_of[total] = rows[q].delta;
                spheres_of[total] = sum[q];
                cells_of[total] = cells[q];
                tests_of[total] = tests[q];
                paper_of[total] = rows[q].paper[law];
                own_of[total++] = rows[q].own[law];
            }
            print_levels(names[law], &kept, &strict);
            fflush(stdout);
        }
        scree_sphere_set_free(&kept);
    }
    if (status == SCREE_OK && path[0] != '\0') {
        scree_table_column columns[] = {{.name = "law", .integers = law_of},      {.name = "method", .integers = method_of},
                                        {.name = "images", .integers = images_of}, {.name = "delta", .values = delta_of},
                                        {.name = "spheres", .values = spheres_of}, {.name = "cells", .values = cells_of},
                                        {.name = "tests", .values = tests_of},     {.name = "paper", .values = paper_of},
                                        {.name = "expected", .values = own_of}};
        status = scree_write_table(path, NULL, total, sizeof columns / sizeof *columns, columns);
    }
    if (status != SCREE_OK)
        return run_failed(args, status);
    if (off > 0)
        fprintf(stderr, "scree bench: %d counts are farther from what was expected than they may be\n", off);
    return off > 0 ? EXIT_FAILED : EXIT_DONE;
}
