// raschdorf-neighbours: Table 1 of S. Raschdorf and M. Kolonko, "Loose octree: a data structure for the simulation of polydisperse particle
// packings" (2009). How many other spheres are stored in the cells or nodes that have to be looked at for one sphere, before any two spheres are
// compared: the mean over the 10,000 spheres of a finished packing, and over packings.
//
// The paper does not say how far around a sphere it looks (its delta_V), nor whether the box is periodic. The grid's 32.9 is that of a periodic cube: with
// walls it would be 29.6 to 30.9. For the trees both are counted: the box alone, and with images across its faces.
//
// Below that its Eq. 3: how many nodes a sphere on level l of the strict octree has to look into at most, and how many it does.
#include "bench.h"
#include "findings.h"

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

// Means over packings of one law.
typedef struct table {
    double spheres[row_count], least[row_count], most[row_count], cells[row_count], tests[row_count], density;
    double boundary[most_levels];  // Eq. 3, of the first packing
    outcome strict;                // of the first packing, without images
} table;

static scree_status count_law(const char* law, int32_t count, double tolerance, int packings, const common* co, const scree_sphere_set* given, table* out)
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
            status = run_interrupted() ? scree_fail(SCREE_ERR_CANCELLED, "stopped on request") : count_around(set, &rows[q], &o);
            if (status != SCREE_OK)
                break;
            out->spheres[q] += o.spheres / packings;
            out->cells[q] += o.cells / packings;
            out->tests[q] += o.tests / packings;
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

static scree_status tell_law(findings* f, const char* name, int law, const table* t)
{
    scree_status status = SCREE_OK;
    for (int q = 0; q < row_count && status == SCREE_OK; ++q) {
        const count_row* r = &rows[q];
        double paper = law >= 0 ? r->paper[law] : 0.0, own = law >= 0 ? r->own[law] : 0.0, expected = own > 0.0 ? own : paper;
        const char* method = scree_method_name((scree_method)r->method);
        status = findings_row(f, (const char* const[]){name, method},
                              (const double[]){r->images, r->delta, t->spheres[q], t->least[q], t->most[q], t->cells[q], t->tests[q], paper > 0.0 ? paper : NAN,
                                               own > 0.0 ? own : NAN});
        if (expected > 0.0 && fabs(t->spheres[q] - expected) <= r->allowed * expected)
            findings_agrees(f, "%s, %s, delta %g d: %.1f spheres where one has to look; paper %.1f, an independent count %.1f, allowed %g %%", name, method, r->delta, t->spheres[q], paper,
                            own, 100.0 * r->allowed);
        else if (expected > 0.0)
            findings_differs(f, "%s, %s, delta %g d: %.1f spheres where one has to look; paper %.1f, an independent count %.1f, more than %g %% away", name, method, r->delta,
                             t->spheres[q], paper, own, 100.0 * r->allowed);
    }
    findings_note(f, "%s: density %.4f. Its delta (how far around a sphere one looks, in smallest diameters) the paper does not give.", name, t->density);
    return status;
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

// Bars: the look-around of the three structures and of ours, delta 0, with images.
static void plot_rows(findings* f, const char* suffix, const char* title, int law, const table* t)
{
    double x[row_count], here[row_count], paper[row_count], y_least = INFINITY;
    int count = 0;
    for (int q = 0; q < row_count; ++q)
        if (rows[q].images && rows[q].delta == 0.0) {
            x[count] = count + 1;
            here[count] = t->spheres[q];
            paper[count] = law >= 0 && rows[q].paper[law] > 0.0 ? rows[q].paper[law] : NAN;
            y_least = fmin(y_least, here[count]);
            ++count;
        }
    scree_series series[] = {{.name = "here", .count = count, .x = x, .y = here, .style = SCREE_SERIES_POINTS},
                             {.name = "paper", .count = count, .x = x, .y = paper, .style = SCREE_SERIES_HOLLOW}};
    scree_plot plot = scree_default_plot();
    plot.title = title;
    plot.x_label = "1 grid, 2 octree, 3 loose octree, 4 hierarchical grid (not in the paper)";
    plot.y_label = "spheres where one has to look";
    plot.x_range[0] = 0.4;
    plot.x_range[1] = count + 0.6;
    plot.y_range[0] = y_least > 10.0 ? 10.0 : 1.0;
    plot.y_range[1] = 20000.0;
    plot.y_log = true;
    plot.series = series;
    plot.series_count = law >= 0 ? 2 : 1;
    findings_plot(f, suffix, &plot);
}

exit_code bench_raschdorf_neighbours(const arguments* args, const common* co, bool quick)
{
    static const char* const laws[2] = {"mono:0.5", bench_fuller};
    static const char* const names[2] = {"equal", "Fuller"};
    static table tables[2];
    findings* f = findings_open(args, co, "raschdorf-neighbours", "Spheres stored where one has to look");
    findings_columns(f, 2, (const char* const[]){"sizes", "structure", "images", "delta", "spheres", "least", "most", "cells", "tests", "paper", "expected", NULL});
    bench_own own;
    scree_status status = bench_own_get(args, co, 3, 10000, 0.0, &own);
    int packings = quick ? 1 : 10, law_count = own.given ? 1 : 2;
    if (own.given) {
        findings_own(f, own.name);
        packings = own.law != NULL && !quick ? 3 : 1;
    }
    for (int law = 0; law < law_count && status == SCREE_OK; ++law) {
        if (own.given)
            status = count_law(own.law, own.count, 0.02, packings, co, own.law == NULL ? &own.set : NULL, &tables[law]);
        else
            status = count_law(laws[law], 10000, law == 0 ? 0.01 : 0.02, packings, co, NULL, &tables[law]);
        if (status == SCREE_OK)
            status = tell_law(f, own.given ? own.name : names[law], own.given ? -1 : law, &tables[law]);
    }
    findings_table(f, "nodes", 1, (const char* const[]){"sizes", "level", "spheres", "eq_3", "most_nodes", "mean_nodes", "mean_stored", NULL});
    for (int law = 0; law < law_count && status == SCREE_OK; ++law) {
        status = tell_nodes(f, own.given ? own.name : names[law], &tables[law]);
        const table* t = &tables[law];
        bool below = true;
        for (int l = 0; l < most_levels; ++l)
            below = below && (t->strict.level[l].spheres == 0 || (double)t->strict.level[l].most_nodes <= t->boundary[l]);
        if (below)
            findings_agrees(f, "%s: no sphere of the strict octree has to look into more nodes than Eq. 3 says", own.given ? own.name : names[law]);
        else
            findings_differs(f, "%s: some sphere of the strict octree has to look into more nodes than Eq. 3 says", own.given ? own.name : names[law]);
    }
    if (status == SCREE_OK && own.given)
        plot_rows(f, "", own.name, -1, &tables[0]);
    for (int law = 0; law < 2 && status == SCREE_OK && !own.given; ++law)
        plot_rows(f, law == 0 ? "equal" : "fuller", law == 0 ? "10000 equal spheres" : "The Fuller sample of 10000 spheres", law, &tables[law]);
    findings_paper(f, "Table 1, means over ten packings of 10000 spheres: grid 32.9 (equal) and 9999 (Fuller), octree 2027.6 and 1188.1, loose octree 51.7 and 31.2.");
    findings_paper(f, "Eq. 3: at most so many nodes for a sphere on level l of the strict octree.");
    findings_note(f, "%d packing%s, periodic, made one by one by rearrangement as in the paper. Agreement is judged by an independent count of the same rule where there is "
                     "one; the strict octree of the paper lies 5 to 10 %% above every rule that was tried.", packings, packings == 1 ? "" : "s");
    scree_sphere_set_free(&own.set);
    return findings_close(f, status);
}
