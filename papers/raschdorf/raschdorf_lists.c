// raschdorf-lists: rearrangement as S. Raschdorf and M. Kolonko do it ("Loose octree: a data structure for the simulation of polydisperse particle
// packings", 2009), one sphere after the other, over each of the structures that they compare and over the hierarchical grid; with Verlet lists of single
// spheres, and asking the structure at each visit. The first sweeps from a random start, where lists are renewed most often.
//
// The paper gives no numbers here. It says that lists are updated seldom, that the loose octree with lists performed best, and that of the three structures
// only the loose octree is appropriate. Compared by counted tests.
//
// Then whole packings by both ways of moving, and by visits with each structure: the same packing.
#include "bench/harness.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const int32_t methods[] = {SCREE_METHOD_LINKED_CELLS, SCREE_METHOD_OCTREE, SCREE_METHOD_LOOSE_OCTREE, SCREE_METHOD_HIERARCHICAL_GRID};
enum { method_count = sizeof methods / sizeof *methods, law_count = 2 };
static const char* const laws[law_count] = {"mono:0.5", bench_fuller};
static const char* const names[law_count] = {"equal", "Fuller"};

typedef struct outcome {
    scree_packing packing;
    double processor;  // seconds of all threads
} outcome;

static scree_status run(const bench_options* co, const char* law, int32_t count, const scree_rearrange_def* asked, outcome* out)
{
    scree_sphere_set set = {0};
    scree_status status = bench_draw(law, count, co->seed, &set);
    if (status == SCREE_OK) {
        scree_rearrange_def def = *asked;
        def.seed = co->seed;
        status = bench_rearranged(&def, &set, co, &out->packing, &out->processor);
    }
    scree_sphere_set_free(&set);
    return status;
}

// Tests per visit of the first sweeps, by size distribution, method, and with lists or without.
typedef struct counted {
    double tests[law_count][method_count][2], by_structure[law_count][method_count], density[law_count][2];
    double updates[law_count], us[law_count][method_count][2];  // lists made per visit, the same for each structure; microseconds of the processor
    bool same;
} counted;

static scree_status first_sweeps(findings* f, const bench_options* co, int32_t count, int sweeps, counted* out)
{
    scree_status status = SCREE_OK;
    out->same = true;
    for (int law = 0; law < law_count && status == SCREE_OK; ++law)
        for (int m = 0; m < method_count; ++m)
            for (int lists = 0; lists < 2 && status == SCREE_OK; ++lists) {
                scree_rearrange_def def = scree_default_rearrange_def();
                def.moves = SCREE_MOVES_ONE_BY_ONE;
                def.method = methods[m];
                def.margin = lists ? 0.0 : -1.0;
                def.sweeps = lists ? sweeps : 10;
                outcome o = {.processor = 0.0};
                status = run(co, laws[law], count, &def, &o);
                if (status != SCREE_OK)
                    break;
                double visits = (double)o.packing.sweeps * count, in_lists = (double)o.packing.tests / visits, by_structure = (double)o.packing.search_tests / visits;
                status = findings_row(f, (const char* const[]){names[law], scree_method_name((scree_method)methods[m])},
                                      (const double[]){lists, (double)o.packing.sweeps, in_lists, by_structure, (double)o.packing.refreshes / visits,
                                                       o.processor / visits * 1e6, o.packing.density});
                out->tests[law][m][lists] = lists ? in_lists + by_structure : by_structure;
                out->us[law][m][lists] = o.processor / visits * 1e6;
                if (lists) {
                    out->by_structure[law][m] = by_structure;
                    out->updates[law] = (double)o.packing.refreshes / visits;
                }
                if (m == 0)
                    out->density[law][lists] = o.packing.density;
                out->same = out->same && o.packing.density == out->density[law][lists];
                scree_packing_free(&o.packing);
            }
    return status;
}

static scree_status whole_packings(findings* f, const bench_options* co, int32_t count, bool* same)
{
    static const struct {
        int32_t moves, method;
        double tolerance[law_count];
    } whole[] = {{SCREE_MOVES_TOGETHER, SCREE_METHOD_LOOSE_OCTREE, {1e-3, 1e-3}},
                 {SCREE_MOVES_ONE_BY_ONE, SCREE_METHOD_LOOSE_OCTREE, {1e-3, 1e-2}},
                 {SCREE_MOVES_ONE_BY_ONE, SCREE_METHOD_HIERARCHICAL_GRID, {1e-3, 1e-2}}};
    scree_status status = SCREE_OK;
    *same = true;
    for (int law = 0; law < law_count && status == SCREE_OK; ++law) {
        double before = 0.0;
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
            status = findings_row(f, (const char* const[]){names[law], scree_moves_name((scree_moves)whole[w].moves), scree_method_name((scree_method)whole[w].method)},
                                  (const double[]){def.tolerance, o.packing.density, o.packing.density_net, (double)o.packing.sweeps, (double)o.packing.tests / visits,
                                                   (double)o.packing.search_tests / visits, o.processor});
            *same = *same && (w != 2 || o.packing.density == before);
            before = o.packing.density;
            scree_packing_free(&o.packing);
        }
    }
    return status;
}

static void plot_tests(findings* f, const counted* c)
{
    static const char* const structures[method_count] = {"grid", "octree", "loose octree", "hierarchical grid"};
    double x[method_count], y[law_count][2][method_count];
    for (int law = 0; law < law_count; ++law)
        for (int m = 0; m < method_count; ++m) {
            x[m] = m;
            for (int lists = 0; lists < 2; ++lists)
                y[law][lists][m] = c->tests[law][m][lists];
        }
    scree_series series[] = {{.name = "equal, no lists", .count = method_count, .x = x, .y = y[0][0], .style = SCREE_SERIES_POINTS, .colour = 1},
                             {.name = "equal, with lists", .count = method_count, .x = x, .y = y[0][1], .style = SCREE_SERIES_POINTS, .colour = 2},
                             {.name = "Fuller, no lists", .count = method_count, .x = x, .y = y[1][0], .style = SCREE_SERIES_POINTS, .colour = 3},
                             {.name = "Fuller, with lists", .count = method_count, .x = x, .y = y[1][1], .style = SCREE_SERIES_POINTS, .colour = 4}};
    scree_plot plot = scree_default_plot();
    plot.title = "Tests for each visit of a sphere, in lists and by the structure";
    plot.y_label = "tests per visit";
    plot.names = structures;
    plot.name_count = method_count;
    plot.y_range[0] = 1.0;
    plot.y_range[1] = 1e5;
    plot.y_log = true;
    plot.series = series;
    plot.series_count = 4;
    findings_plot(f, "", &plot);
}

enum { GRID, OCTREE, LOOSE, compared };  // the paper's, by place in `methods`

// "Updates do not occur too often": less than one for so many visits.
static const double seldom = 5.0;

static void compare(findings* f, const counted* c)
{
    for (int law = 0; law < law_count; ++law) {
        double visits = 1.0 / c->updates[law];
        if (visits >= seldom)
            findings_agrees(f, "%s: the list of a sphere is updated every %.0f visits, from a random start on; \"not too often\" is taken as every %g or more", names[law], visits, seldom);
        else
            findings_differs(f, "%s: the list of a sphere is updated every %.1f visits, from a random start on; \"not too often\" is taken as every %g or more", names[law], visits, seldom);
    }
    for (int law = 0; law < law_count; ++law) {
        double hybrid = c->tests[law][LOOSE][1], least = INFINITY;
        int best = 0, with = 0;
        for (int m = 0; m < compared; ++m)
            for (int lists = 0; lists < 2; ++lists)
                if (c->tests[law][m][lists] < least && !(m == LOOSE && lists)) {
                    least = c->tests[law][m][lists];
                    best = m;
                    with = lists;
                }
        const char* other = scree_method_name((scree_method)methods[best]);
        if (hybrid <= least)
            findings_agrees(f, "%s: the loose octree with lists needs the fewest tests per visit of the paper's structures, %.1f; next %s %s lists, %.1f", names[law], hybrid, other,
                            with ? "with" : "without", least);
        else
            findings_differs(f, "%s: the loose octree with lists needs %.1f tests per visit, %s %s lists fewer, %.1f", names[law], hybrid, other, with ? "with" : "without", least);
    }
    const double grid = c->tests[1][GRID][0] / c->tests[1][LOOSE][0], equal = c->tests[0][OCTREE][0] / c->tests[0][LOOSE][0], fuller = c->tests[1][OCTREE][0] / c->tests[1][LOOSE][0];
    if (grid > 5.0 && equal > 5.0 && fuller > 5.0)
        findings_agrees(f, "without lists the octree needs %.0f (equal) and %.0f (Fuller) times the tests of the loose octree, and the grid %.0f times on the Fuller sample: each above 5, so that only "
                        "the loose octree is appropriate for both", equal, fuller, grid);
    else
        findings_differs(f, "without lists the octree needs %.1f (equal) and %.1f (Fuller) times the tests of the loose octree, and the grid %.1f times on the Fuller sample: not each above 5",
                         equal, fuller, grid);
    for (int law = 0; law < law_count; ++law)
        findings_note(f, "%s, with lists: CPU microseconds per visit, one run: grid %.2f, octree %.2f, loose octree %.2f, hierarchical grid %.2f. Times are not compared.", names[law],
                      c->us[law][GRID][1], c->us[law][OCTREE][1], c->us[law][LOOSE][1], c->us[law][compared][1]);
}

static scree_status run_bench(findings* f, const bench_options* co)
{
    const bool quick = co->quick;
    const int32_t count = quick ? 1000 : 10000, packed = quick ? 200 : 10000;
    static counted c;
    bool same = true;
    scree_status status = first_sweeps(f, co, count, quick ? 100 : 200, &c);
    findings_table(f, "packings", 3, (const char* const[]){"sizes", "moves", "structure", "tolerance", "density", "net", "sweeps", "tests_in_lists", "tests_by_structure",
                                                           "cpu_s", NULL});
    if (status == SCREE_OK)
        status = whole_packings(f, co, packed, &same);
    if (status == SCREE_OK && !(same && c.same))
        status = scree_fail(SCREE_ERR_ARGUMENT, "two structures lead to different packings; please report this");
    findings_paper(f, "Section 2: lists \"have to be updated only if one of its members has been moved over a larger distance. In CR iterations movements are typically very small so that updates do "
                      "not occur too often.\"");
    findings_paper(f, "Section 1: \"In our experiments, a hybrid data structure performed best with respect to run time. It consists of a loose octree for the global location information of all "
                      "spheres and a local neighbourhood list for the contact search of each sphere.\"");
    findings_paper(f, "Section 4: \"the loose octree is the only appropriate choice among these three spatial indexing techniques\".");
    if (status == SCREE_OK) {
        compare(f, &c);
        plot_tests(f, &c);
    }
    findings_note(f, "Whatever the structure, the packing is the same; the benchmark fails otherwise.");
    findings_note(f, "%d spheres from random positions; the first %d sweeps (10 without lists), where lists are renewed most often. All counts per visit of a sphere. Whole packings: %d "
                     "spheres.", (int)count, quick ? 100 : 200, (int)packed);
    return status;
}

const experiment bench_raschdorf_lists = {
    .name = "raschdorf-lists",
    .about = "their sections 2 and 4: rearrangement one by one over each structure, with and without lists",
    .title = "Rearrangement one by one over each structure, with and without lists",
    .paper = true,
    .run = run_bench,
    .texts = 2,
    .columns = (const char* const[]){"sizes", "structure", "lists", "sweeps", "tests_in_lists", "tests_by_structure", "lists_made", "cpu_us", "density", NULL},
};
