// raschdorf-neighbours: Table 1 of S. Raschdorf and M. Kolonko, "Loose octree: a data structure for the simulation of polydisperse particle
// packings" (2009). How many other spheres are stored in the cells or nodes that have to be looked at for one sphere, before any two spheres are
// compared: the mean over the 10,000 spheres of a finished packing, and over packings.
//
// The paper claims the numbers of Table 1; that the octree has about 40 times as many as the loose octree; and that there are about 40 % fewer in the polydisperse case.
//
// The paper does not say how far around a sphere it looks (its delta_V), nor whether the box is periodic. The grid's 32.9 is that of a periodic cube: with
// walls it would be 29.6 to 30.9. For the trees several deltas are counted; 0.1 smallest diameters fits the paper's four numbers best, and is what is judged and drawn. The box alone,
// without images across its faces, is counted too.
//
// Quick packings have an eighth of the spheres, so that the cube is half as long. What does not depend on their number is compared with the paper then: the grid and the loose octree with equal
// spheres. A plain loop over all nodes (plain_octree.c) counts the same for some spheres of each packing.
//
// Below that its Eq. 3: how many nodes a sphere on level l of the strict octree has to look into at most, and how many it does.
#include "bench/harness.h"

#include <math.h>

enum { most_levels = 31, asked_plainly = 30 };

typedef struct count_row {
    int32_t method;
    bool images;      // periodic, or the box alone
    double delta;     // of the look around a sphere, in smallest diameters
    bool judged;      // beside the paper, and drawn
} count_row;

static const count_row rows[] = {
    {SCREE_METHOD_LINKED_CELLS, true, 0.0, true},
    {SCREE_METHOD_OCTREE, true, 0.0, false},
    {SCREE_METHOD_OCTREE, true, 0.05, false},
    {SCREE_METHOD_OCTREE, true, 0.1, true},
    {SCREE_METHOD_OCTREE, true, 0.3, false},
    {SCREE_METHOD_OCTREE, false, 0.0, false},
    {SCREE_METHOD_LOOSE_OCTREE, true, 0.0, false},
    {SCREE_METHOD_LOOSE_OCTREE, true, 0.05, false},
    {SCREE_METHOD_LOOSE_OCTREE, true, 0.1, true},
    {SCREE_METHOD_LOOSE_OCTREE, true, 0.3, false},
    {SCREE_METHOD_LOOSE_OCTREE, false, 0.0, false},
    {SCREE_METHOD_HIERARCHICAL_GRID, true, 0.0, true},
};
enum { row_count = sizeof rows / sizeof *rows };

typedef struct by_level {
    int64_t spheres, nodes, most_nodes, stored;
} by_level;

typedef struct outcome {
    double spheres, cells;  // means
    double tests;           // that a search for the contacts of one does, across the faces as well
    double to_plain;        // the count of some spheres to that of a plain loop; NaN: there is none
    by_level level[most_levels];
} outcome;

// What a plain loop counts for every so-and-so-many-th sphere. MEMORY.
static scree_status count_plainly(const scree_sphere_set* set, const count_row* row, double gap, double cell, int32_t step, double* out)
{
    scree_spheres view = scree_sphere_set_view(set);
    bool grid = row->method == SCREE_METHOD_LINKED_CELLS, loose = row->method == SCREE_METHOD_LOOSE_OCTREE;
    plain_node* nodes = scree_malloc((size_t)set->count, sizeof *nodes);
    if (nodes == NULL)
        return SCREE_ERR_MEMORY;
    for (int32_t i = 0; i < set->count; ++i)
        nodes[i] = plain_octree_node(&set->box, loose, &set->x[3 * (int64_t)i], set->r[i]);
    *out = 0.0;
    for (int32_t i = 0; i < set->count; i += step)
        *out += (double)(grid ? plain_cells_around(view, &set->box, cell, i) : plain_octree_around(view, &set->box, nodes, loose, gap, i));
    scree_free(nodes);
    return SCREE_OK;
}

// `cube`: the set lies in a periodic cube, and a plain loop can count it.
static scree_status count_around(const scree_sphere_set* set, const count_row* row, bool cube, outcome* out)
{
    *out = (outcome){.to_plain = NAN};
    int32_t step = set->count / asked_plainly + 1;
    double here = 0.0, plain = 0.0;
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
        here += i % step == 0 ? (double)around.spheres : 0.0;
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
    if (status == SCREE_OK && cube && row->images && row->method != SCREE_METHOD_HIERARCHICAL_GRID) {
        status = count_plainly(set, row, def.gap, def.cell_size, step, &plain);
        out->to_plain = plain > 0.0 ? here / plain : 1.0;
    }
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

// Means over packings of one size distribution.
typedef struct table {
    double spheres[row_count], least[row_count], most[row_count], cells[row_count], tests[row_count], to_plain[row_count], density;
    double boundary[most_levels];  // Eq. 3, of the first packing
    outcome strict;                // of the first packing, without images
} table;

static scree_status count_law(const char* law, int32_t count, double tolerance, int packings, const bench_options* co, const scree_sphere_set* given, table* out)
{
    *out = (table){.density = 0.0};
    scree_status status = SCREE_OK;
    for (int p = 0; p < packings && status == SCREE_OK; ++p) {
        scree_sphere_set made = {0};
        if (given == NULL)
            status = bench_pack(law, count, co->seed + (uint64_t)p, tolerance, true, co, &made);
        const scree_sphere_set* set = given != NULL ? given : &made;
        for (int q = 0; q < row_count && status == SCREE_OK; ++q) {
            outcome o;
            status = bench_interrupted() ? scree_fail(SCREE_ERR_CANCELLED, "stopped on request") : count_around(set, &rows[q], given == NULL, &o);
            if (status != SCREE_OK)
                break;
            out->spheres[q] += o.spheres / packings;
            out->cells[q] += o.cells / packings;
            out->tests[q] += o.tests / packings;
            out->to_plain[q] = p == 0 || fabs(o.to_plain - 1.0) > fabs(out->to_plain[q] - 1.0) ? o.to_plain : out->to_plain[q];
            out->least[q] = p == 0 ? o.spheres : fmin(out->least[q], o.spheres);
            out->most[q] = fmax(out->most[q], o.spheres);
            if (p == 0 && rows[q].method == SCREE_METHOD_OCTREE && !rows[q].images)
                out->strict = o;
        }
        if (status == SCREE_OK)
            out->density += bench_density(set) / packings;
        for (int l = 0; l < most_levels && p == 0 && status == SCREE_OK; ++l)
            out->boundary[l] = most_nodes(set, l);
        scree_sphere_set_free(&made);
    }
    return status;
}

static scree_status tell_law(findings* f, const char* name, const table* t)
{
    scree_status status = SCREE_OK;
    for (int q = 0; q < row_count && status == SCREE_OK; ++q)
        status = findings_row(f, (const char* const[]){name, scree_method_name((scree_method)rows[q].method)},
                              (const double[]){rows[q].images, rows[q].delta, t->spheres[q], t->least[q], t->most[q], t->cells[q], t->tests[q], rows[q].judged, t->to_plain[q]});
    findings_note(f, "%s: density %.4f.", name, t->density);
    return status;
}

static scree_status tell_nodes(findings* f, const char* name, const table* t)
{
    scree_status status = SCREE_OK;
    for (int l = 0; l < most_levels && status == SCREE_OK; ++l) {
        const by_level* level = &t->strict.level[l];
        double n = (double)level->spheres;
        if (level->spheres > 0)
            status = findings_row(f, &name, (const double[]){l, n, t->boundary[l], (double)level->most_nodes, (double)level->nodes / n, (double)level->stored / n, (double)level->most_nodes / t->boundary[l]});
    }
    return status;
}

static scree_status run_bench(findings* f, const bench_options* co)
{
    static const char* const laws[2] = {"mono:0.5", bench_fuller};
    static const char* const names[2] = {"equal", "Fuller"};
    static table tables[2];
    bench_own own;
    scree_status status = bench_own_get(co, 3, 10000, 0.0, &own);
    const int32_t count = own.given ? own.count : co->quick ? 1250 : 10000;
    const int packings = own.given ? (own.law != NULL && !co->quick ? 3 : 1) : co->quick ? 1 : 10, law_count = own.given ? 1 : 2;
    if (own.given)
        findings_own(f, own.name);
    for (int law = 0; law < law_count && status == SCREE_OK; ++law) {
        if (own.given)
            status = count_law(own.law, count, 0.02, packings, co, own.law == NULL ? &own.set : NULL, &tables[law]);
        else
            status = count_law(laws[law], count, law == 0 ? 0.01 : 0.02, packings, co, NULL, &tables[law]);
        if (status == SCREE_OK)
            status = tell_law(f, own.given ? own.name : names[law], &tables[law]);
    }
    findings_table(f, "nodes", 1, (const char* const[]){"sizes", "level", "spheres", "eq_3", "most_nodes", "mean_nodes", "mean_stored", "by_eq_3", NULL});
    for (int law = 0; law < law_count && status == SCREE_OK; ++law)
        status = tell_nodes(f, own.given ? own.name : names[law], &tables[law]);
    findings_paper(f, "Table 1, means over ten packings of 10000 spheres: grid 32.9 (equal) and 9999.0 (Fuller), octree 2027.6 and 1188.1, loose octree 51.7 and 31.2.");
    findings_paper(f, "\"Both hierarchical tree structures perform better in the polydisperse than in the monodisperse case, with about 40%% less neighbours in the polydisperse case. Comparing the "
                      "loose octree to the ordinary octree, the latter delivers about 40 times more neighbours than its loose counterpart.\"");
    findings_paper(f, "Eq. 3: at most so many nodes for a sphere on level l of the strict octree.");
    findings_note(f, "%d packing%s, periodic, made one by one by rearrangement as in the paper. Column to_plain: the count for some thirty spheres, divided by that of a plain loop "
                     "over the nodes of all spheres. The paper does not give its delta (how far around a sphere one looks, in smallest diameters); of 0, 0.05, 0.1 and 0.3, 0.1 fits its numbers for the trees "
                     "best, and is judged and drawn.", packings, packings == 1 ? "" : "s");
    scree_sphere_set_free(&own.set);
    return status;
}

#define TABLE_1(sizes_name, structure_name, value, low, high, is_full)                                                                                              \
    {.quantity = sizes_name ", " structure_name ": other spheres in the cells or nodes visited", .source = "Table 1", .paper = value, .least = low, .most = high, .column = "spheres", \
     .rows = "sizes=" sizes_name ";structure=" structure_name ";judged=1", .full = is_full}
#define QUOTIENT(what, value, low, high, of, by)                                                                                                                        \
    {.quantity = what, .source = "Section 4", .paper = value, .least = low, .most = high, .how = CLAIM_RATIO, .column = "spheres", .rows = of ";judged=1", .over = by ";judged=1", .full = true}

const experiment bench_raschdorf_neighbours = {
    .name = "raschdorf-neighbours",
    .about = "Raschdorf and Kolonko, Table 1: spheres in the cells or nodes that a search visits, by structure",
    .title = "Spheres in the cells or nodes that a search visits",
    .paper = true,
    .takes = TAKES_OWN | TAKES_COUNT,
    .run = run_bench,
    .texts = 2,
    .columns = (const char* const[]){"sizes", "structure", "images", "delta", "spheres", "least", "most", "cells", "tests", "judged", "to_plain", NULL},
    .claims = (const claim[]){
        TABLE_1("equal", "linked-cells", 32.9, 32.57, 33.23, false),
        TABLE_1("Fuller", "linked-cells", 9999.0, 9899.0, 10099.0, true),
        TABLE_1("equal", "octree", 2027.6, 1824.8, 2230.4, true),
        TABLE_1("Fuller", "octree", 1188.1, 1069.3, 1306.9, true),
        TABLE_1("equal", "loose-octree", 51.7, 46.5, 56.9, false),
        TABLE_1("Fuller", "loose-octree", 31.2, 28.1, 34.3, true),
        QUOTIENT("equal: octree by loose octree", 40, 30, 50, "sizes=equal;structure=octree", "sizes=equal;structure=loose-octree"),
        QUOTIENT("Fuller: octree by loose octree", 40, 30, 50, "sizes=Fuller;structure=octree", "sizes=Fuller;structure=loose-octree"),
        QUOTIENT("octree: Fuller by equal", 0.6, 0.5, 0.7, "sizes=Fuller;structure=octree", "sizes=equal;structure=octree"),
        QUOTIENT("loose octree: Fuller by equal", 0.6, 0.5, 0.7, "sizes=Fuller;structure=loose-octree", "sizes=equal;structure=loose-octree"),
        {.quantity = "nodes that a sphere of the strict octree looks into by those of Eq. 3, most of all levels", .source = "Eq. 3", .words = "at most", .least = 0.0, .most = 1.0, .how = CLAIM_MOST,
         .table = "nodes", .column = "by_eq_3"},
        {.quantity = "count by that of a plain loop over all nodes, least", .least = 0.995, .most = 1.005, .how = CLAIM_LEAST, .column = "to_plain"},
        {.quantity = "count by that of a plain loop over all nodes, most", .least = 0.995, .most = 1.005, .how = CLAIM_MOST, .column = "to_plain"},
        {0}},
    .charts = (const chart[]){
        {.suffix = "equal", .title = "Equal spheres: other spheres in the cells or nodes visited", .y_label = "spheres", .x = "structure", .y = "spheres", .rows = "judged=1;sizes=equal", .points = true,
         .y_log = true, .paper = (const chart_points[]){{"Table 1", 3, {{0, 32.9}, {1, 2027.6}, {2, 51.7}}}, {0}}},
        {.suffix = "fuller", .title = "The Fuller sample: other spheres in the cells or nodes visited", .y_label = "spheres", .x = "structure", .y = "spheres", .rows = "judged=1;sizes=Fuller",
         .points = true, .y_log = true, .paper = (const chart_points[]){{"Table 1", 3, {{0, 9999.0}, {1, 1188.1}, {2, 31.2}}}, {0}}},
        {.title = "Other spheres in the cells or nodes visited", .y_label = "spheres", .x = "structure", .y = "spheres", .rows = "judged=1", .points = true, .y_log = true, .own = true},
        {0}},
};
