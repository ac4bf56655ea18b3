// raschdorf-neighbours: Table 1 of S. Raschdorf and M. Kolonko, "Loose octree: a data structure for the simulation of polydisperse particle
// packings" (2009). How many other spheres are stored in the cells or nodes that have to be looked at for one sphere, before any two spheres are
// compared: the mean over the 10,000 spheres of a finished packing, and over packings.
//
// The paper does not say how far around a sphere it looks (its delta_V), nor whether the box is periodic. The grid's 32.9 is that of a periodic cube: with
// walls it would be 29.6 to 30.9. For the trees several deltas are counted, and the one that fits the paper's four numbers best is compared with them. The box alone,
// without images across its faces, is counted too.
//
// Quick packings have an eighth of the spheres, so that the cube is half as long. What does not depend on their number is compared with the paper then: the grid and the loose octree with equal
// spheres. A plain loop over all nodes (plain_octree.c) counts the same for some spheres of each packing.
//
// Below that its Eq. 3: how many nodes a sphere on level l of the strict octree has to look into at most, and how many it does.
#include "bench/harness.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { most_levels = 31, asked_plainly = 30 };

typedef struct count_row {
    int32_t method;
    bool images;      // periodic, or the box alone
    double delta;     // of the look around a sphere, in smallest diameters
    double paper[2];  // equal, Fuller; 0: not in the paper
} count_row;

static const count_row rows[] = {
    {SCREE_METHOD_LINKED_CELLS, true, 0.0, {32.9, 9999.0}},
    {SCREE_METHOD_OCTREE, true, 0.0, {2027.6, 1188.1}},
    {SCREE_METHOD_OCTREE, true, 0.05, {2027.6, 1188.1}},
    {SCREE_METHOD_OCTREE, true, 0.1, {2027.6, 1188.1}},
    {SCREE_METHOD_OCTREE, true, 0.3, {2027.6, 1188.1}},
    {SCREE_METHOD_OCTREE, false, 0.0, {0.0, 0.0}},
    {SCREE_METHOD_LOOSE_OCTREE, true, 0.0, {51.7, 31.2}},
    {SCREE_METHOD_LOOSE_OCTREE, true, 0.05, {51.7, 31.2}},
    {SCREE_METHOD_LOOSE_OCTREE, true, 0.1, {51.7, 31.2}},
    {SCREE_METHOD_LOOSE_OCTREE, true, 0.3, {51.7, 31.2}},
    {SCREE_METHOD_LOOSE_OCTREE, false, 0.0, {0.0, 0.0}},
    {SCREE_METHOD_HIERARCHICAL_GRID, true, 0.0, {0.0, 0.0}},
};
enum { row_count = sizeof rows / sizeof *rows };
enum { EQUAL, FULLER };
static const double grid_allowed = 0.01, tree_allowed = 0.1, plain_allowed = 0.005;  // relative

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

// Whether a number of the paper holds for so many spheres.
static bool comparable(const count_row* r, int law, int32_t count)
{
    return r->paper[law] > 0.0 && (count == 10000 || (law == EQUAL && r->method != SCREE_METHOD_OCTREE));
}

static scree_status tell_law(findings* f, const char* name, int law, int32_t count, const table* t)
{
    scree_status status = SCREE_OK;
    double worst = 0.0;
    for (int q = 0; q < row_count && status == SCREE_OK; ++q) {
        const count_row* r = &rows[q];
        status = findings_row(f, (const char* const[]){name, scree_method_name((scree_method)r->method)},
                              (const double[]){r->images, r->delta, t->spheres[q], t->least[q], t->most[q], t->cells[q], t->tests[q],
                                               law >= 0 && comparable(r, law, count) ? r->paper[law] : NAN, t->to_plain[q]});
        if (!isnan(t->to_plain[q]))
            worst = fmax(worst, fabs(t->to_plain[q] - 1.0));
    }
    if (isnan(t->to_plain[0]))
        findings_note(f, "%s: not in a periodic cube; no plain loop counts it.", name);
    else if (worst <= plain_allowed)
        findings_agrees(f, "%s: what the index counts is within %.2g %% of a plain loop over the nodes of all spheres (%g %% allowed)", name, 100.0 * worst, 100.0 * plain_allowed);
    else
        findings_differs(f, "%s: what the index counts is %.2g %% off a plain loop over the nodes of all spheres, more than %g %%", name, 100.0 * worst, 100.0 * plain_allowed);
    findings_note(f, "%s: density %.4f.", name, t->density);
    return status;
}

// The delta that fits the paper's numbers for both trees best, by the largest relative difference.
static double best_delta(const table tables[2], int32_t count)
{
    double best = 0.0, least = INFINITY;
    for (int c = 0; c < row_count; ++c) {
        double worst = 0.0;
        for (int q = 0; q < row_count; ++q)
            for (int law = EQUAL; law <= FULLER; ++law)
                if (rows[q].method != SCREE_METHOD_LINKED_CELLS && rows[q].delta == rows[c].delta && comparable(&rows[q], law, count))
                    worst = fmax(worst, fabs(tables[law].spheres[q] / rows[q].paper[law] - 1.0));
        if (rows[c].images && rows[c].method == SCREE_METHOD_LOOSE_OCTREE && worst < least) {
            least = worst;
            best = rows[c].delta;
        }
    }
    return best;
}

static void compare(findings* f, const table tables[2], int32_t count)
{
    static const char* const names[2] = {"equal", "Fuller"};
    double delta = best_delta(tables, count), at[2][2];  // tree, law
    for (int q = 0; q < row_count; ++q)
        for (int law = EQUAL; law <= FULLER; ++law) {
            bool grid = rows[q].method == SCREE_METHOD_LINKED_CELLS;
            if (!rows[q].images || (!grid && rows[q].delta != delta) || rows[q].paper[law] == 0.0)
                continue;
            if (!grid)
                at[rows[q].method == SCREE_METHOD_LOOSE_OCTREE][law] = tables[law].spheres[q];
            if (!comparable(&rows[q], law, count))
                continue;
            double here = tables[law].spheres[q], paper = rows[q].paper[law], allowed = grid ? grid_allowed : tree_allowed;
            const char* method = scree_method_name((scree_method)rows[q].method);
            if (fabs(here / paper - 1.0) <= allowed)
                findings_agrees(f, "%s, %s, delta %g d: %.1f other spheres in the cells or nodes visited; Table 1: %.1f, %g %% allowed", names[law], method, rows[q].delta, here, paper, 100.0 * allowed);
            else
                findings_differs(f, "%s, %s, delta %g d: %.1f other spheres in the cells or nodes visited; Table 1: %.1f, %.1f %% away with %g %% allowed", names[law], method, rows[q].delta, here,
                                 paper, 100.0 * fabs(here / paper - 1.0), 100.0 * allowed);
        }
    findings_note(f, "The paper does not give its delta (how far around a sphere one looks, in smallest diameters). Of 0, 0.05, 0.1 and 0.3, %g fits its numbers for the trees best and is compared.",
                  delta);
    if (count != 10000) {
        findings_note(f, "With %d spheres only those numbers of the paper are compared that do not depend on how many there are.", (int)count);
        return;
    }
    for (int law = EQUAL; law <= FULLER; ++law) {
        double ratio = at[0][law] / at[1][law];
        if (ratio >= 30.0 && ratio <= 50.0)
            findings_agrees(f, "%s: the octree has %.1f times as many as the loose octree; the paper: about 40 times, 30 to 50 allowed", names[law], ratio);
        else
            findings_differs(f, "%s: the octree has %.1f times as many as the loose octree, not 30 to 50; the paper: about 40 times", names[law], ratio);
    }
    for (int tree = 0; tree < 2; ++tree) {
        double less = 100.0 * (1.0 - at[tree][FULLER] / at[tree][EQUAL]);
        if (less >= 30.0 && less <= 50.0)
            findings_agrees(f, "%s: %.0f %% fewer in the Fuller sample than among equal spheres; the paper: about 40 %%, 30 to 50 allowed", tree == 0 ? "octree" : "loose octree", less);
        else
            findings_differs(f, "%s: %.0f %% fewer in the Fuller sample than among equal spheres, not 30 to 50 %%; the paper: about 40 %%", tree == 0 ? "octree" : "loose octree", less);
    }
}

static scree_status tell_nodes(findings* f, const char* name, const table* t)
{
    scree_status status = SCREE_OK;
    for (int l = 0; l < most_levels && status == SCREE_OK; ++l) {
        const by_level* level = &t->strict.level[l];
        double n = (double)level->spheres;
        if (level->spheres > 0)
            status = findings_row(f, &name, (const double[]){l, n, t->boundary[l], (double)level->most_nodes, (double)level->nodes / n, (double)level->stored / n});
    }
    return status;
}

// The look-around of the three structures and of ours, delta 0, with images; the paper's numbers where they can be compared.
static void plot_rows(findings* f, const char* suffix, const char* title, int law, int32_t spheres, const table* t)
{
    static const char* const names[] = {"grid", "octree", "loose octree", "hierarchical grid"};
    double x[row_count], here[row_count], paper[row_count], y_least = INFINITY;
    int count = 0;
    for (int q = 0; q < row_count; ++q)
        if (rows[q].images && rows[q].delta == 0.0) {
            x[count] = count;
            here[count] = t->spheres[q];
            paper[count] = law >= 0 && comparable(&rows[q], law, spheres) ? rows[q].paper[law] : NAN;
            y_least = fmin(y_least, here[count]);
            ++count;
        }
    scree_series series[] = {{.name = "here", .count = count, .x = x, .y = here, .style = SCREE_SERIES_POINTS},
                             {.name = "paper", .count = count, .x = x, .y = paper, .style = SCREE_SERIES_HOLLOW}};
    scree_plot plot = scree_default_plot();
    plot.title = title;
    plot.y_label = "spheres in the cells or nodes visited";
    plot.names = names;
    plot.name_count = count;
    plot.y_range[0] = y_least > 10.0 ? 10.0 : 1.0;
    plot.y_range[1] = 20000.0;
    plot.y_log = true;
    plot.series = series;
    plot.series_count = law >= 0 ? 2 : 1;
    findings_plot(f, suffix, &plot);
}

static scree_status run_bench(findings* f, const bench_options* co)
{
    const bool quick = co->quick;
    static const char* const laws[2] = {"mono:0.5", bench_fuller};
    static const char* const names[2] = {"equal", "Fuller"};
    static table tables[2];
    bench_own own;
    scree_status status = bench_own_get(co, 3, 10000, 0.0, &own);
    const int32_t count = own.given ? own.count : quick ? 1250 : 10000;
    int packings = quick ? 1 : 10, law_count = own.given ? 1 : 2;
    if (own.given) {
        findings_own(f, own.name);
        packings = own.law != NULL && !quick ? 3 : 1;
    }
    for (int law = 0; law < law_count && status == SCREE_OK; ++law) {
        if (own.given)
            status = count_law(own.law, count, 0.02, packings, co, own.law == NULL ? &own.set : NULL, &tables[law]);
        else
            status = count_law(laws[law], count, law == 0 ? 0.01 : 0.02, packings, co, NULL, &tables[law]);
        if (status == SCREE_OK)
            status = tell_law(f, own.given ? own.name : names[law], own.given ? -1 : law, count, &tables[law]);
    }
    if (status == SCREE_OK && !own.given)
        compare(f, tables, count);
    findings_table(f, "nodes", 1, (const char* const[]){"sizes", "level", "spheres", "eq_3", "most_nodes", "mean_nodes", "mean_stored", NULL});
    for (int law = 0; law < law_count && status == SCREE_OK; ++law) {
        status = tell_nodes(f, own.given ? own.name : names[law], &tables[law]);
        const table* t = &tables[law];
        double worst = 0.0;
        for (int l = 0; l < most_levels; ++l)
            if (t->strict.level[l].spheres > 0)
                worst = fmax(worst, (double)t->strict.level[l].most_nodes / t->boundary[l]);
        const char* name = own.given ? own.name : names[law];
        if (worst <= 1.0)
            findings_agrees(f, "%s: on no level of the strict octree a sphere has to look into more nodes than Eq. 3 says; in the root at most %lld, by Eq. 3 at most %.0f", name,
                            (long long)t->strict.level[0].most_nodes, t->boundary[0]);
        else
            findings_differs(f, "%s: on some level of the strict octree a sphere has to look into %.2f times as many nodes as Eq. 3 allows", name, worst);
    }
    if (status == SCREE_OK && own.given)
        plot_rows(f, "", own.name, -1, count, &tables[0]);
    for (int law = 0; law < 2 && status == SCREE_OK && !own.given; ++law) {
        char title[64];
        snprintf(title, sizeof title, law == EQUAL ? "%d equal spheres" : "The Fuller sample of %d spheres", (int)count);
        plot_rows(f, law == EQUAL ? "equal" : "fuller", title, law, count, &tables[law]);
    }
    findings_paper(f, "Table 1, means over ten packings of 10000 spheres: grid 32.9 (equal) and 9999.0 (Fuller), octree 2027.6 and 1188.1, loose octree 51.7 and 31.2.");
    findings_paper(f, "\"Both hierarchical tree structures perform better in the polydisperse than in the monodisperse case, with about 40%% less neighbours in the polydisperse case. Comparing the "
                      "loose octree to the ordinary octree, the latter delivers about 40 times more neighbours than its loose counterpart.\"");
    findings_paper(f, "Eq. 3: at most so many nodes for a sphere on level l of the strict octree.");
    findings_note(f, "%d packing%s, periodic, made one by one by rearrangement as in the paper. Column to_plain: the count for some thirty spheres, divided by that of a plain loop "
                     "over the nodes of all spheres.", packings, packings == 1 ? "" : "s");
    scree_sphere_set_free(&own.set);
    return status;
}

const experiment bench_raschdorf_neighbours = {
    .name = "raschdorf-neighbours",
    .about = "Raschdorf and Kolonko, Table 1: spheres in the cells or nodes that a search visits, by structure",
    .title = "Spheres in the cells or nodes that a search visits",
    .paper = true,
    .takes = TAKES_OWN | TAKES_COUNT,
    .run = run_bench,
    .texts = 2,
    .columns = (const char* const[]){"sizes", "structure", "images", "delta", "spheres", "least", "most", "cells", "tests", "paper", "to_plain", NULL},
};
