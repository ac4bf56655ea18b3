// raschdorf-insert: sections 3 and 5 of S. Raschdorf and M. Kolonko, "Loose octree: a data structure for the simulation of polydisperse particle packings" (2009): what it costs to insert, move and
// remove single spheres.
//
// The paper claims: a grid finds the cell of a sphere in O(1) (3.1); an octree descends from its root, which needs O(l_max) steps in the worst case (3.2); the loose octree needs constant time without
// a descent, which "makes this fast insertion strategy much more valuable than the one in the 'strict' octree case", since it is used after each update of a position (3.3, 5).
//
// Counted are cells or nodes that a change looks up, passes or writes, per change: against the number of spheres, against the ratio of their sizes,
// and against the depth of the tree where every level on the path is occupied. Half of the spheres are in the structure before the other
// half is inserted; then these are moved by up to a tenth of their diameters along each axis, moved to other random positions, and removed. Positions are random, as
// at the start of a rearrangement. The octree of the library does not descend; the paper's is the plain one of bench/plain_octree.c. Rounds of all structures take turns.
#include "bench/harness.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { GRID, OCTREE, LOOSE, HIERARCHICAL, DESCENDING, structure_count };
static const int32_t methods[] = {SCREE_METHOD_LINKED_CELLS, SCREE_METHOD_OCTREE, SCREE_METHOD_LOOSE_OCTREE, SCREE_METHOD_HIERARCHICAL_GRID};
enum { INSERT, MOVE, JUMP, REMOVE, change_count };
enum { NUMBER, RATIO, DEPTH, series_count };
static const char* const series_names[series_count] = {"number", "ratio", "depth"};
enum { rounds = 5, asked = 300 };

typedef struct point {
    double cells[change_count];   // per change
    double descent, deepest;      // levels from the root to where a sphere is stored, both counted: mean and most; NaN: not a tree
    double ns[change_count][rounds];
} point;

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

// One of the structures: an index of the library, or the plain octree.
typedef struct structure {
    scree_index* index;
    plain_tree* tree;
    const double* r;
} structure;

static scree_status change_one(structure* s, int change, int32_t i, const double x[3])
{
    if (s->tree != NULL) {
        if (change != INSERT)
            plain_tree_remove(s->tree, i);
        return change != REMOVE ? plain_tree_insert(s->tree, i, x, s->r[i]) : SCREE_OK;
    }
    return change == INSERT ? scree_index_insert(s->index, x, s->r[i], NULL) : change == REMOVE ? scree_index_remove(s->index, i) : scree_index_move(s->index, i, x);
}

static int64_t cells_of(const structure* s)
{
    return s->tree != NULL ? plain_tree_steps(s->tree) : scree_index_get_stats(s->index).change_cells;
}

// With the first half of the spheres.
static scree_status open_structure(const cloud* c, const scree_box* box, int m, structure* out)
{
    const int32_t half = c->set.count / 2;
    scree_index_def def = scree_default_index_def();
    scree_neighbours near;
    scree_status status = SCREE_OK;
    *out = (structure){.r = c->set.r};
    if (m == DESCENDING) {
        out->tree = plain_tree_create(box, (int32_t)c->set.count);
        status = out->tree != NULL ? SCREE_OK : SCREE_ERR_MEMORY;
        for (int32_t i = 0; i < half && status == SCREE_OK; ++i)
            status = plain_tree_insert(out->tree, i, &c->set.x[3 * (int64_t)i], c->set.r[i]);
        return status;
    }
    def.method = methods[m];
    def.box = *box;
    def.skin = -1.0;
    def.threads = 1;
    status = scree_index_create(&def, &out->index);
    if (status == SCREE_OK)
        status = scree_index_update(out->index, (scree_spheres){.count = half, .dim = 3, .x = c->set.x, .r = c->set.r});
    return status == SCREE_OK ? scree_index_neighbours(out->index, 0, &near) : status;  // makes the structure
}

static scree_status measure_descent(const structure* s, int32_t count, point* out)
{
    scree_status status = SCREE_OK;
    out->descent = out->deepest = 0.0;
    for (int32_t k = 0; k < asked && status == SCREE_OK; ++k) {
        const int32_t i = (int32_t)((int64_t)k * count / asked);
        scree_surroundings around = {.level = s->tree != NULL ? plain_tree_level(s->tree, i) : 0};
        if (s->tree == NULL)
            status = scree_index_surroundings(s->index, i, &around);
        out->descent += (around.level + 1.0) / asked;
        out->deepest = fmax(out->deepest, around.level + 1.0);
    }
    return status;
}

// One round: all changes of one kind after all of the other. The cells are the same in each round.
static scree_status change_all(const cloud* c, const scree_box* box, int m, int round, const bench_options* co, point* out)
{
    const scree_sphere_set* set = &c->set;
    const int32_t half = set->count / 2, changed = set->count - half;
    double(*x)[3] = scree_malloc((size_t)set->count, sizeof *x);
    structure s = {.index = NULL};
    scree_status status = x != NULL ? open_structure(c, box, m, &s) : SCREE_ERR_MEMORY;
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
        const int64_t before = cells_of(&s);
        const double begin = bench_processor();
        for (int32_t k = 0; k < changed && status == SCREE_OK; ++k) {
            const int32_t i = change == REMOVE ? set->count - 1 - k : half + k;
            status = change_one(&s, change, i, x[i]);
        }
        out->ns[change][round] = (bench_processor() - begin) / changed * 1e9;
        out->cells[change] = (double)(cells_of(&s) - before) / changed;
        if (status == SCREE_OK && change == INSERT && round == 0 && m != GRID && m != HIERARCHICAL)
            status = measure_descent(&s, (int32_t)set->count, out);
        if (status == SCREE_OK && bench_interrupted())
            status = scree_fail(SCREE_ERR_CANCELLED, "stopped on request");
    }
    scree_index_destroy(s.index);
    plain_tree_destroy(s.tree);
    scree_free(x);
    return status;
}

// first: the cells of insertion and jump at the first point of the series, to be set there.
static scree_status run_point(findings* f, int series, double at, const cloud* c, const bench_options* co, double first[structure_count][2])
{
    const scree_sphere_set* set = &c->set;
    scree_box box = set->box;
    double least = INFINITY, most = 0.0;
    point points[structure_count] = {{.descent = NAN}};
    scree_status status = SCREE_OK;
    for (int32_t i = 0; i < set->count; ++i) {
        least = fmin(least, set->r[i]);
        most = fmax(most, set->r[i]);
    }
    for (int k = 0; k < 3; ++k)
        box.periodic[k] = true;
    points[GRID].descent = points[GRID].deepest = points[HIERARCHICAL].descent = points[HIERARCHICAL].deepest = NAN;
    for (int round = 0; round < rounds; ++round)
        for (int m = 0; m < structure_count && status == SCREE_OK; ++m)
            status = change_all(c, &box, m, round, co, &points[m]);
    for (int m = 0; m < structure_count && status == SCREE_OK; ++m) {
        const point* p = &points[m];
        bench_quartiles ns[change_count], by_loose;
        double quotient[rounds];
        for (int round = 0; round < rounds; ++round)
            quotient[round] = p->ns[MOVE][round] / points[LOOSE].ns[MOVE][round];
        by_loose = bench_spread(quotient, rounds);
        for (int k = 0; k < change_count; ++k) {
            double values[rounds];
            memcpy(values, p->ns[k], sizeof values);
            ns[k] = bench_spread(values, rounds);
        }
        if (isnan(first[m][0])) {
            first[m][0] = p->cells[INSERT];
            first[m][1] = p->cells[JUMP];
        }
        status = findings_row(f, (const char* const[]){series_names[series], m == DESCENDING ? "descending octree" : scree_method_name((scree_method)methods[m])},
                              (const double[]){set->count, most / least, p->descent, p->cells[INSERT], p->cells[MOVE], p->cells[JUMP], p->cells[REMOVE], ns[INSERT].median, ns[INSERT].low,
                                               ns[INSERT].high, ns[MOVE].median, ns[MOVE].low, ns[MOVE].high, ns[JUMP].median, at, p->deepest, p->cells[INSERT] / first[m][0],
                                               p->cells[JUMP] / first[m][1], by_loose.median, by_loose.low, by_loose.high});
    }
    return status;
}

static scree_status run_bench(findings* f, const bench_options* co)
{
    static const double numbers[] = {500, 4000, 32000, 256000}, ratios[] = {1, 4, 16, 64, 256, 1024}, depths[] = {4, 8, 12, 16, 20};
    const int32_t count = co->quick ? 4000 : 32000;
    scree_status status = SCREE_OK;
    for (int series = 0; series < series_count; ++series) {
        const int points = series == NUMBER ? (co->quick ? 3 : 4) : series == RATIO ? 6 : 5;
        double first[structure_count][2] = {{NAN, NAN}, {NAN, NAN}, {NAN, NAN}, {NAN, NAN}, {NAN, NAN}};
        for (int k = 0; k < points && status == SCREE_OK; ++k) {
            const double at = series == NUMBER ? numbers[k] : series == RATIO ? ratios[k] : depths[k];
            cloud c = {.elsewhere = NULL};
            if (series == DEPTH)
                status = make_corner((int)at, 100, co->seed, &c);
            else
                status = series == NUMBER ? make_random((int32_t)at, 10.0, co->seed, &c) : make_random(count, at, co->seed, &c);
            if (status == SCREE_OK) {
                largest_first(&c.set);
                status = run_point(f, series, at, &c, co, first);
            }
            free_cloud(&c);
        }
    }
    findings_paper(f, "Section 3.1, grid: \"the cell can be determined from the coordinates of the sphere center in O(1), independently of the number of spheres\".");
    findings_paper(f, "Section 3.2, octree: \"all spheres are placed as deep into the tree as possible, this needs O(l_max) steps per sphere in the worst case\".");
    findings_paper(f, "Section 5, loose octree: \"It allows to insert spheres into the tree in constant time without the need for traversing it.\" Section 3.3: the same steps are used \"after each "
                      "update of a sphere's position during the rearrangement, which makes this fast insertion strategy much more valuable than the one in the 'strict' octree case\".");
    findings_note(f, "Cells or nodes that a change looks up, passes or writes (stats.change_cells; of the descending octree: nodes passed). By number: uniform volume 1 to 10; by size ratio: uniform volume, "
                     "%d spheres; by depth: 100 spheres for each level, all in one corner. The library's octree does not descend: level and cell of a sphere follow from the leading bits that its two ends "
                     "share.", (int)count);
    findings_note(f, "Columns move: by up to a tenth of the diameter along each axis; jump: to another random position. Times are medians and quartiles of five rounds in turns. Constant: at no point of a "
                     "series more than 1.5 times the count of its first. Much more valuable: half the cost or less.");
    return status;
}

#define CONSTANT(series_name, structure_name, column_name, what, where)                                                                                                 \
    {.quantity = structure_name ", by " series_name ": largest count of " what " by the first", .source = where, .words = "constant", .least = 0.5, .most = 1.5, .how = CLAIM_MOST, \
     .column = column_name, .rows = "series=" series_name ";structure=" structure_name}
#define INSERT_CHART(suffix_name, series_name, label, logarithmic)                                                                                                      \
    {.suffix = suffix_name, .title = "Insertion of one sphere", .x_label = label, .y_label = "cells or nodes touched", .x = "at", .y = "insert_cells", .by = "structure", \
     .rows = "series=" series_name, .x_log = logarithmic}

const experiment bench_raschdorf_insert = {
    .name = "raschdorf-insert",
    .about = "their sections 3 and 5: cells or nodes that an insertion and a relocation touch, by structure",
    .title = "Insertion and relocation of single spheres",
    .paper = true,
    .run = run_bench,
    .texts = 2,
    .columns = (const char* const[]){"series", "structure", "n", "size_ratio", "descent", "insert_cells", "move_cells", "jump_cells", "remove_cells", "insert_ns", "insert_ns_low", "insert_ns_high",
                                     "move_ns", "move_ns_low", "move_ns_high", "jump_ns", "at", "deepest", "insert_growth", "jump_growth", "move_by_loose", "move_by_loose_low", "move_by_loose_high",
                                     NULL},
    .claims = (const claim[]){
        CONSTANT("number", "linked-cells", "insert_growth", "insertion", "Section 3.1"),
        CONSTANT("number", "loose-octree", "insert_growth", "insertion", "Section 5"),
        CONSTANT("ratio", "loose-octree", "insert_growth", "insertion", "Section 5"),
        CONSTANT("depth", "loose-octree", "insert_growth", "insertion", "Section 5"),
        CONSTANT("number", "loose-octree", "jump_growth", "relocation", "Section 3.3"),
        CONSTANT("ratio", "loose-octree", "jump_growth", "relocation", "Section 3.3"),
        CONSTANT("depth", "loose-octree", "jump_growth", "relocation", "Section 3.3"),
        {.quantity = "descending octree, by depth: exponent of the longest descent with the number of levels", .source = "Section 3.2", .words = "O(l_max)", .least = 0.8, .most = 1.1,
         .how = CLAIM_SLOPE, .column = "deepest", .against = "at", .rows = "series=depth;structure=descending octree"},
        {.quantity = "deepest series, insertion: nodes of the descending octree by those of the loose octree", .source = "Section 3.3", .words = "much more valuable", .least = 2.0, .most = 100.0,
         .how = CLAIM_RATIO, .column = "insert_cells", .rows = "series=depth;structure=descending octree;at=most", .over = "series=depth;structure=loose-octree;at=most"},
        {.quantity = "most spheres, relocation by a tenth: nodes of the descending octree by those of the loose octree", .source = "Section 3.3", .words = "much more valuable", .least = 2.0,
         .most = 100.0, .how = CLAIM_RATIO, .column = "move_cells", .rows = "series=number;structure=descending octree;at=most", .over = "series=number;structure=loose-octree;at=most"},
        {.quantity = "largest size ratio, relocation by a tenth: time in the descending octree by that in the loose octree", .source = "Section 3.3", .words = "much more valuable", .least = 2.0,
         .most = 100.0, .column = "move_by_loose", .rows = "series=ratio;structure=descending octree;at=most", .timed = true},
        {.quantity = "most spheres, relocation by a tenth: time in the descending octree by that in the loose octree", .source = "Section 3.3", .words = "much more valuable", .least = 2.0,
         .most = 100.0, .column = "move_by_loose", .rows = "series=number;structure=descending octree;at=most", .timed = true},
        {.quantity = "mean level by depth, the descending octree by that of the library, which does not descend", .least = 0.999, .most = 1.001, .how = CLAIM_RATIO, .column = "descent",
         .rows = "series=depth;structure=descending octree;at=most", .over = "series=depth;structure=octree;at=most"},
        {0}},
    .charts = (const chart[]){
        INSERT_CHART("", "number", "spheres", true),
        INSERT_CHART("ratio", "ratio", "size ratio", true),
        INSERT_CHART("depth", "depth", "levels with spheres in one corner", false),
        {.suffix = "time", .title = "Relocation of one sphere by up to a tenth of its diameter", .x_label = "spheres", .y_label = "nanoseconds", .x = "at", .y = "move_ns", .by = "structure",
         .rows = "series=number", .x_log = true, .y_log = true},
        {0}},
};
