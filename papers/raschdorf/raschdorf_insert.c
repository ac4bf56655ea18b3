// raschdorf-insert: what it costs to insert, move and remove single spheres. S. Raschdorf and M. Kolonko, "Loose octree: a data structure for the
// simulation of polydisperse particle packings" (2009), ask a structure for quick insertion and relocation (section 1). A grid finds the cell of a sphere in O(1)
// (3.1), an octree descends from its root, O(l_max) (3.2), and the loose octree is said to need constant time without a descent (3.3, 5).
//
// Counted are cells or nodes that a change looks up, passes or writes, per change: against the number of spheres, against the ratio of their sizes,
// and against the depth of the tree where every level on the path is occupied. Half of the spheres are in the structure before the other
// half is inserted; then these are moved by up to a tenth of their diameters along each axis, moved to other random positions, and removed. Positions are random, as
// at the start of a rearrangement.
#include "bench/harness.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const int32_t methods[] = {SCREE_METHOD_LINKED_CELLS, SCREE_METHOD_OCTREE, SCREE_METHOD_LOOSE_OCTREE, SCREE_METHOD_HIERARCHICAL_GRID};
static const char* const method_names[] = {"grid", "octree", "loose octree", "hierarchical grid"};
enum { GRID, OCTREE, LOOSE, HIERARCHICAL, method_count };
enum { INSERT, MOVE, JUMP, REMOVE, change_count };
enum { NUMBER, RATIO, DEPTH, series_count };
static const char* const series_names[series_count] = {"number", "ratio", "depth"};
enum { most_points = 8, most_rounds = 9, asked = 300 };

typedef struct point {
    double at;                    // what is varied: spheres, size ratio, depth
    double cells[change_count];   // per change
    double descent;               // nodes from the root to where a sphere is stored, both counted; NaN: not a tree
    bench_quartiles ns[change_count];
} point;

typedef struct curve {
    int count;
    point points[most_points];
} curve;

// Spheres, and other positions of them, drawn in the same way.
typedef struct cloud {
    scree_sphere_set set;
    double (*elsewhere)[3];
} cloud;

static void free_cloud(cloud* c)
{
    scree_sphere_set_free(&c->set);
    scree_free(c->elsewhere);
}

// Random positions in a periodic cube, half filled; sizes of uniform volume up to this ratio.
static scree_status make_random(int32_t count, double ratio, uint64_t seed, cloud* out)
{
    char law[64];
    snprintf(law, sizeof law, "uniform-volume:1:%.17g", ratio);
    scree_sphere_set* set = &out->set;
    scree_status status = bench_draw(ratio > 1.0 ? law : "mono:1", count, seed, set);
    out->elsewhere = scree_malloc((size_t)count, sizeof *out->elsewhere);
    if (status == SCREE_OK && out->elsewhere == NULL)
        status = SCREE_ERR_MEMORY;
    if (status != SCREE_OK)
        return status;
    double volume = 0.0;
    for (int32_t i = 0; i < count; ++i)
        volume += 4.0 / 3.0 * 3.14159265358979323846 * set->r[i] * set->r[i] * set->r[i];
    double side = cbrt(volume / 0.5);
    scree_rng rng = scree_rng_make(seed, 21);
    for (int64_t k = 0; k < 3 * (int64_t)count; ++k) {
        set->x[k] = side * scree_rng_uniform(&rng);
        out->elsewhere[k / 3][k % 3] = side * scree_rng_uniform(&rng);
    }
    set->box = scree_box_sized(3, (double[3]){side, side, side});
    return bench_shuffle(set, seed);
}

// As many spheres for each level of the octrees down to `depth`, all of them in one corner of the cube, so that the path to the smallest ones has a node on
// every level.
static scree_status make_corner(int depth, int32_t for_each, uint64_t seed, cloud* out)
{
    scree_sphere_set* set = &out->set;
    scree_status status = scree_sphere_set_make(3, depth * for_each, set);
    out->elsewhere = scree_malloc((size_t)depth * (size_t)for_each, sizeof *out->elsewhere);
    if (status == SCREE_OK && out->elsewhere == NULL)
        status = SCREE_ERR_MEMORY;
    if (status != SCREE_OK)
        return status;
    scree_rng rng = scree_rng_make(seed, 22);
    for (int32_t i = 0; i < set->count; ++i) {
        double cell = ldexp(1.0, -(i % depth) - 1);
        set->r[i] = 0.45 * cell;
        for (int k = 0; k < 3; ++k) {
            set->x[3 * i + k] = fmod(4.0 * cell * scree_rng_uniform(&rng), 1.0);
            out->elsewhere[i][k] = fmod(4.0 * cell * scree_rng_uniform(&rng), 1.0);
        }
    }
    set->box = scree_box_sized(3, (double[3]){1.0, 1.0, 1.0});
    return SCREE_OK;
}

// The largest sphere is in the structure from the start, as the paper's grid is made for it.
static void largest_first(scree_sphere_set* set)
{
    int32_t largest = 0;
    for (int32_t i = 1; i < set->count; ++i)
        largest = set->r[i] > set->r[largest] ? i : largest;
    double r = set->r[0];
    set->r[0] = set->r[largest];
    set->r[largest] = r;
}

// The centre moved by up to `most` along each axis, inside the box.
static void move_by(const scree_box* box, scree_rng* rng, double most, double x[3])
{
    for (int k = 0; k < 3; ++k)
        x[k] = scree_box_wrap(box, k, x[k] + most * (2.0 * scree_rng_uniform(rng) - 1.0), NULL);
}

static scree_status mean_descent(scree_index* index, int32_t count, double* out)
{
    scree_status status = SCREE_OK;
    int64_t sum = 0;
    for (int32_t k = 0; k < asked && status == SCREE_OK; ++k) {
        scree_surroundings around;
        status = scree_index_surroundings(index, (int32_t)((int64_t)k * count / asked), &around);
        sum += around.level + 1;
    }
    *out = (double)sum / asked;
    return status;
}

// One round: all changes of one kind after all of the other. Nanoseconds and cells per change; the cells are the same in each round.
static scree_status change_all(const cloud* c, const scree_box* box, scree_index* index, const bench_options* co, double ns[change_count], double cells[change_count], double* descent)
{
    const scree_sphere_set* set = &c->set;
    int32_t half = set->count / 2, changed = set->count - half;
    double(*x)[3] = scree_malloc((size_t)set->count, sizeof *x);
    scree_neighbours near;
    scree_status status = x != NULL ? SCREE_OK : SCREE_ERR_MEMORY;
    if (status == SCREE_OK)
        status = scree_index_update(index, (scree_spheres){.count = half, .dim = 3, .x = set->x, .r = set->r});
    if (status == SCREE_OK)
        status = scree_index_neighbours(index, 0, &near);  // makes the structure
    for (int change = 0; change < change_count && status == SCREE_OK; ++change) {
        scree_rng rng = scree_rng_make(co->seed, 23 + (uint64_t)change);
        for (int32_t i = half; i < set->count; ++i) {  // where to, before the clock runs
            if (change == INSERT)
                memcpy(x[i], &set->x[3 * (int64_t)i], sizeof *x);
            if (change == MOVE)
                move_by(box, &rng, 0.2 * set->r[i], x[i]);
            if (change == JUMP)
                memcpy(x[i], c->elsewhere[i], sizeof *x);
        }
        scree_index_stats before = scree_index_get_stats(index);
        double begin = bench_processor();
        for (int32_t k = 0; k < changed && status == SCREE_OK; ++k) {
            int32_t i = change == REMOVE ? set->count - 1 - k : half + k;
            status = change == INSERT   ? scree_index_insert(index, x[i], set->r[i], NULL)
                     : change == REMOVE ? scree_index_remove(index, i)
                                        : scree_index_move(index, i, x[i]);
        }
        ns[change] = (bench_processor() - begin) / changed * 1e9;
        scree_index_stats now = scree_index_get_stats(index);
        cells[change] = (double)(now.change_cells - before.change_cells) / changed;
        if (status == SCREE_OK && now.changes - before.changes != changed)
            status = scree_fail(SCREE_ERR_ARGUMENT, "raschdorf-insert: %lld changes were counted and %d made; please report this", (long long)(now.changes - before.changes),
                                (int)changed);
        if (status == SCREE_OK && change == INSERT && descent != NULL)
            status = mean_descent(index, set->count, descent);
        if (status == SCREE_OK && bench_interrupted())
            status = scree_fail(SCREE_ERR_CANCELLED, "stopped on request");
    }
    scree_free(x);
    return status;
}

static scree_status measure(const cloud* c, int m, int rounds, const bench_options* co, point* out)
{
    double ns[change_count][most_rounds];
    scree_index_def def = scree_default_index_def();
    def.method = methods[m];
    def.box = c->set.box;
    for (int k = 0; k < 3; ++k)
        def.box.periodic[k] = true;
    def.skin = -1.0;
    def.threads = 1;
    out->descent = NAN;
    scree_status status = SCREE_OK;
    for (int round = 0; round < rounds && status == SCREE_OK; ++round) {
        double here[change_count];
        scree_index* index;
        status = scree_index_create(&def, &index);
        if (status != SCREE_OK)
            return status;
        bool tree = (m == OCTREE || m == LOOSE) && round == 0;
        status = change_all(c, &def.box, index, co, here, out->cells, tree ? &out->descent : NULL);
        for (int k = 0; k < change_count && status == SCREE_OK; ++k)
            ns[k][round] = here[k];
        scree_index_destroy(index);
    }
    for (int k = 0; k < change_count && status == SCREE_OK; ++k)
        out->ns[k] = bench_spread(ns[k], rounds);
    return status;
}

static scree_status run_point(findings* f, int series, double at, const cloud* c, int rounds, const bench_options* co, curve curves[method_count])
{
    const scree_sphere_set* set = &c->set;
    double least = INFINITY, most = 0.0;
    for (int32_t i = 0; i < set->count; ++i) {
        least = fmin(least, set->r[i]);
        most = fmax(most, set->r[i]);
    }
    scree_status status = SCREE_OK;
    for (int m = 0; m < method_count && status == SCREE_OK; ++m) {
        point* p = &curves[m].points[curves[m].count++];
        *p = (point){.at = at};
        status = measure(c, m, rounds, co, p);
        if (status == SCREE_OK)
            status = findings_row(f, (const char* const[]){series_names[series], scree_method_name((scree_method)methods[m])},
                                  (const double[]){set->count, most / least, p->descent, p->cells[INSERT], p->cells[MOVE], p->cells[JUMP], p->cells[REMOVE],
                                                   p->ns[INSERT].median, p->ns[INSERT].low, p->ns[INSERT].high, p->ns[MOVE].median, p->ns[MOVE].low, p->ns[MOVE].high,
                                                   p->ns[JUMP].median, p->ns[JUMP].low, p->ns[JUMP].high});
    }
    return status;
}

static scree_status run_series(findings* f, int series, bool quick, const bench_options* co, curve curves[method_count])
{
    static const double numbers[] = {500, 4000, 32000, 256000}, ratios[] = {1, 4, 16, 64, 256, 1024}, depths[] = {4, 8, 12, 16, 20};
    const int rounds = 5;
    int count = series == NUMBER ? (quick ? 3 : 4) : series == RATIO ? 6 : 5;
    scree_status status = SCREE_OK;
    for (int k = 0; k < count && status == SCREE_OK; ++k) {
        double at = series == NUMBER ? numbers[k] : series == RATIO ? ratios[k] : depths[k];
        cloud c = {.elsewhere = NULL};
        if (series == NUMBER)
            status = make_random((int32_t)at, 10.0, co->seed, &c);
        else if (series == RATIO)
            status = make_random(quick ? 4000 : 32000, at, co->seed, &c);
        else
            status = make_corner((int)at, 100, co->seed, &c);
        if (status == SCREE_OK) {
            largest_first(&c.set);
            status = run_point(f, series, at, &c, rounds, co, curves);
        }
        free_cloud(&c);
    }
    return status;
}

// ---- Verdicts --------------------------------------------------------------------------------------------------------

// O(1): at no point of the series more than this many times the count of the first. A descent grows by more: with the number of spheres, and with the depth.
static const double allowed[series_count] = {[NUMBER] = 1.25, [DEPTH] = 1.5};

// By size ratio the share of spheres that need new nodes rises, because the small ones of a wide distribution are far apart: there O(1) means that even if
// all of them do, the count has this bound. Two look-ups, two new nodes (one for the sphere, one that separates its branch), both ends of their three links,
// and the list that the sphere is put into.
static const double most_new = 2 + 2 + 6 + 1;

static void compare(findings* f, int series, int m, int change, const char* what, const curve* c)
{
    static const char* const varied[series_count] = {"spheres", "as size ratio", "levels"};
    double from = c->points[0].at, to = c->points[c->count - 1].at, first = c->points[0].cells[change], least = INFINITY, most = 0.0;
    for (int k = 0; k < c->count; ++k) {
        least = fmin(least, c->points[k].cells[change]);
        most = fmax(most, c->points[k].cells[change]);
    }
    double limit = series == RATIO ? most_new : allowed[series] * first;
    const char* meaning = series == RATIO ? "two look-ups and two new nodes" : series == NUMBER ? "1.25 times the first" : "1.5 times the first";
    if (most <= limit)
        findings_agrees(f, "%s, %s: %.1f to %.1f cells or nodes from %g to %g %s, not above %.1f (%s)", method_names[m], what, least, most, from, to, varied[series], limit, meaning);
    else
        findings_differs(f, "%s, %s: %.1f to %.1f cells or nodes from %g to %g %s, above %.1f (%s)", method_names[m], what, least, most, from, to, varied[series], limit, meaning);
}

// ---- Figures ---------------------------------------------------------------------------------------------------------

typedef struct lines {
    double x[most_points], y[method_count + 1][most_points], low[method_count][most_points], high[method_count][most_points];
    scree_series series[method_count + 1];
} lines;

static void plot_cells(findings* f, int series, const curve curves[method_count])
{
    static const char* const suffixes[series_count] = {"", "ratio", "depth"};
    static const char* const labels[series_count] = {"spheres", "size ratio", "levels with spheres in one corner"};
    static lines l;
    int count = curves[0].count;
    for (int k = 0; k < count; ++k) {
        l.x[k] = curves[0].points[k].at;
        for (int m = 0; m < method_count; ++m)
            l.y[m][k] = curves[m].points[k].cells[INSERT];
        l.y[method_count][k] = curves[LOOSE].points[k].descent;
    }
    for (int m = 0; m < method_count; ++m)
        l.series[m] = (scree_series){.name = method_names[m], .count = count, .x = l.x, .y = l.y[m]};
    l.series[method_count] =
        (scree_series){.name = "descent from the root", .count = count, .x = l.x, .y = l.y[method_count], .style = SCREE_SERIES_DASHES};
    scree_plot plot = scree_default_plot();
    plot.title = "Insertion of one sphere";
    plot.x_label = labels[series];
    plot.y_label = "cells or nodes touched";
    plot.x_log = series != DEPTH;
    plot.y_range[0] = 0.0;
    plot.series = l.series;
    plot.series_count = method_count + 1;
    findings_plot(f, suffixes[series], &plot);
}

static void plot_times(findings* f, const curve curves[method_count])
{
    static lines l;
    int count = curves[0].count;
    for (int k = 0; k < count; ++k) {
        l.x[k] = curves[0].points[k].at;
        for (int m = 0; m < method_count; ++m) {
            const bench_quartiles* ns = &curves[m].points[k].ns[INSERT];
            l.y[m][k] = ns->median;
            l.low[m][k] = ns->low;
            l.high[m][k] = ns->high;
        }
    }
    for (int m = 0; m < method_count; ++m)
        l.series[m] = (scree_series){.name = method_names[m], .count = count, .x = l.x, .y = l.y[m], .low = l.low[m], .high = l.high[m]};
    scree_plot plot = scree_default_plot();
    plot.title = "Time to insert one sphere";
    plot.x_label = "spheres";
    plot.y_label = "nanoseconds of the processor";
    plot.x_log = true;
    plot.y_range[0] = 0.0;
    plot.series = l.series;
    plot.series_count = method_count;
    findings_plot(f, "time", &plot);
}

static scree_status run_bench(findings* f, const bench_options* co)
{
    const bool quick = co->quick;
    static curve curves[series_count][method_count];
    memset(curves, 0, sizeof curves);
    scree_status status = SCREE_OK;
    for (int s = 0; s < series_count && status == SCREE_OK; ++s)
        status = run_series(f, s, quick, co, curves[s]);
    findings_paper(f, "Section 3.1, grid: \"the cell can be determined from the coordinates of the sphere center in O(1), independently of the number of spheres\".");
    findings_paper(f, "Section 3.2, octree: \"all spheres are placed as deep into the tree as possible, this needs O(l_max) steps per sphere in the worst case\".");
    findings_paper(f, "Section 5, loose octree: \"It allows to insert spheres into the tree in constant time without the need for traversing it.\" Section 3.3: the same steps are used \"after each "
                      "update of a sphere's position during the rearrangement\".");
    if (status == SCREE_OK) {
        for (int s = 0; s < series_count; ++s)
            compare(f, s, LOOSE, INSERT, "insertion", &curves[s][LOOSE]);
        compare(f, NUMBER, LOOSE, JUMP, "relocation to another random position", &curves[NUMBER][LOOSE]);
        compare(f, DEPTH, LOOSE, JUMP, "relocation to another random position", &curves[DEPTH][LOOSE]);
        compare(f, NUMBER, GRID, INSERT, "insertion", &curves[NUMBER][GRID]);
        const point* deepest = &curves[DEPTH][OCTREE].points[curves[DEPTH][OCTREE].count - 1];
        findings_note(f, "The strict octree of scree does not descend either: level and cell of a sphere follow from the leading bits that its two ends share. At %g levels it "
                         "touches %.1f nodes, where the paper's descent would pass %.1f (column descent: the mean over the spheres).", deepest->at, deepest->cells[INSERT],
                      deepest->descent);
        for (int s = 0; s < series_count; ++s)
            plot_cells(f, s, curves[s]);
        plot_times(f, curves[NUMBER]);
    }
    findings_note(f, "Cells or nodes that a change looks up, passes or writes (stats.change_cells). By number: uniform volume 1 to 10; by size ratio: uniform volume, %d "
                     "spheres; by depth: 100 spheres for each level, all in one corner.", quick ? 4000 : 32000);
    findings_note(f, "Columns move: by up to a tenth of the diameter along each axis; jump: to another random position. Times are medians and quartiles of five rounds, and are not compared.");
    return status;
}

const experiment bench_raschdorf_insert = {
    .name = "raschdorf-insert",
    .about = "their sections 3 and 5: cells or nodes that an insertion and a relocation touch, by structure",
    .title = "Insertion and relocation of single spheres",
    .paper = true,
    .run = run_bench,
    .texts = 2,
    .columns = (const char* const[]){"series", "structure", "n", "size_ratio", "descent", "insert_cells", "move_cells", "jump_cells", "remove_cells", "insert_ns",
                                                 "insert_low", "insert_high", "move_ns", "move_low", "move_high", "jump_ns", "jump_low", "jump_high", NULL},
};
