// raschdorf-lists: rearrangement as S. Raschdorf and M. Kolonko do it ("Loose octree: a data structure for the simulation of polydisperse particle
// packings", 2009), one sphere after the other, over each of the structures that they compare and over the hierarchical grid; with Verlet lists of single
// spheres, and asking the structure at each visit. The first sweeps from a random start, where lists are made anew most often. The paper claims:
// lists make the difference small where the structure is rarely asked; of the structures only the loose octree suits both laws.
//
// Then whole packings by both ways of moving, and by visits with each structure: the same packing.
#include "bench.h"
#include "findings.h"

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

static scree_status run(const common* co, const char* law, int32_t count, const scree_rearrange_def* asked, outcome* out)
{
    scree_sphere_set set = {0};
    scree_status status = bench_draw(law, count, co->seed, &set);
    if (status == SCREE_OK) {
        scree_rearrange_def def = *asked;
        for (int k = 0; k < 3; ++k)
            def.box.periodic[k] = true;
        def.seed = co->seed;
        def.threads = co->threads;
        def.watch = run_watch("packing", co->quiet);
        double begin = bench_processor();
        status = scree_pack_rearrange(&def, count, set.r, &out->packing);
        out->processor = bench_processor() - begin;
        run_watch_end();
    }
    scree_sphere_set_free(&set);
    return status;
}

// Tests per visit of the first sweeps, by law, method, and with lists or without.
typedef struct counted {
    double tests[law_count][method_count][2], by_structure[law_count][method_count], density[law_count][2];
    bool same;
} counted;

static scree_status first_sweeps(findings* f, const common* co, int32_t count, counted* out)
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
                def.sweeps = lists ? 200 : 10;
                outcome o = {.processor = 0.0};
                status = run(co, laws[law], count, &def, &o);
                if (status != SCREE_OK)
                    break;
                double visits = (double)o.packing.sweeps * count, in_lists = (double)o.packing.tests / visits, by_structure = (double)o.packing.search_tests / visits;
                status = findings_row(f, (const char* const[]){names[law], scree_method_name((scree_method)methods[m])},
                                      (const double[]){lists, (double)o.packing.sweeps, in_lists, by_structure, (double)o.packing.refreshes / visits,
                                                       o.processor / visits * 1e6, o.packing.density});
                out->tests[law][m][lists] = lists ? in_lists + by_structure : by_structure;
                if (lists)
                    out->by_structure[law][m] = by_structure;
                if (m == 0)
                    out->density[law][lists] = o.packing.density;
                out->same = out->same && o.packing.density == out->density[law][lists];
                scree_packing_free(&o.packing);
            }
    return status;
}

static scree_status whole_packings(findings* f, const common* co, int32_t count, bool* same)
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
    double x[method_count], y[law_count][method_count];
    for (int law = 0; law < law_count; ++law)
        for (int m = 0; m < method_count; ++m) {
            x[m] = m + 1;
            y[law][m] = c->tests[law][m][0];
        }
    scree_series series[] = {{.name = "equal, no lists", .count = method_count, .x = x, .y = y[0], .style = SCREE_SERIES_POINTS, .colour = 1},
                             {.name = "equal, behind lists", .count = method_count, .x = x, .y = c->by_structure[0], .style = SCREE_SERIES_POINTS, .colour = 2},
                             {.name = "Fuller, no lists", .count = method_count, .x = x, .y = y[1], .style = SCREE_SERIES_POINTS, .colour = 3},
                             {.name = "Fuller, behind lists", .count = method_count, .x = x, .y = c->by_structure[1], .style = SCREE_SERIES_POINTS, .colour = 4}};
    scree_plot plot = scree_default_plot();
    plot.title = "Tests by the structure for each visit of a sphere";
    plot.x_label = "1 grid, 2 octree, 3 loose octree, 4 hierarchical grid";
    plot.y_label = "tests per visit";
    plot.x_range[0] = 0.4;
    plot.x_range[1] = method_count + 0.6;
    plot.y_range[0] = 1.0;
    plot.y_range[1] = 1e5;
    plot.y_log = true;
    plot.series = series;
    plot.series_count = 4;
    findings_plot(f, "", &plot);
}

exit_code bench_raschdorf_lists(const arguments* args, const common* co, bool quick)
{
    const int32_t count = quick ? 1000 : 10000;
    static counted c;
    bool same = true;
    findings* f = findings_open(args, co, "raschdorf-lists", "Rearrangement one by one over each structure, with and without lists");
    findings_columns(f, 2, (const char* const[]){"sizes", "structure", "lists", "sweeps", "tests_in_lists", "tests_by_structure", "lists_made", "cpu_us", "density", NULL});
    scree_status status = first_sweeps(f, co, count, &c);
    findings_table(f, "packings", 3, (const char* const[]){"sizes", "moves", "structure", "tolerance", "density", "net", "sweeps", "tests_in_lists", "tests_by_structure",
                                                           "cpu_s", NULL});
    if (status == SCREE_OK)
        status = whole_packings(f, co, count, &same);
    if (status == SCREE_OK && !(same && c.same))
        status = scree_fail(SCREE_ERR_ARGUMENT, "two structures lead to different packings; please report this");
    findings_paper(f, "Sections 2 and 4: with Verlet lists of single spheres the structure is asked rarely, and which one it is matters little then; of the three only the "
                      "loose octree suits equal spheres and the Fuller sample.");
    if (status == SCREE_OK) {
        double saved = INFINITY;
        for (int law = 0; law < law_count; ++law)
            for (int m = 0; m < method_count; ++m)
                saved = fmin(saved, c.tests[law][m][0] / c.by_structure[law][m]);
        if (saved > 3.0)
            findings_agrees(f, "behind lists every structure does at least %.1f times fewer tests (more than 3 expected; the paper gives no number)", saved);
        else
            findings_differs(f, "behind lists one structure does only %.1f times fewer tests (more than 3 expected; the paper gives no number)", saved);
        enum { grid, tree, loose };  // by place in `methods`
        if (c.tests[1][grid][0] > 10.0 * c.tests[1][loose][0] && c.tests[0][tree][0] > 5.0 * c.tests[0][loose][0] && c.tests[1][tree][0] > 5.0 * c.tests[1][loose][0])
            findings_agrees(f, "without lists the octree does more than 5 times the tests of the loose octree, and the grid on the Fuller sample more than 10 times: equal %.0f (grid), %.0f "
                            "(octree), %.0f (loose octree) tests for a visit; Fuller %.0f, %.0f, %.0f", c.tests[0][grid][0], c.tests[0][tree][0], c.tests[0][loose][0],
                            c.tests[1][grid][0], c.tests[1][tree][0], c.tests[1][loose][0]);
        else
            findings_differs(f, "without lists the octree does not do more than 5 times the tests of the loose octree, or the grid on the Fuller sample not more than 10 times: equal %.0f "
                             "(grid), %.0f (octree), %.0f (loose octree) tests for a visit; Fuller %.0f, %.0f, %.0f", c.tests[0][grid][0], c.tests[0][tree][0],
                             c.tests[0][loose][0], c.tests[1][grid][0], c.tests[1][tree][0], c.tests[1][loose][0]);
        findings_note(f, "Whatever the structure, the packing is the same; the benchmark fails otherwise.");
        double most = 0.0, least = INFINITY;
        for (int m = 0; m <= loose; ++m) {
            most = fmax(most, c.tests[1][m][1]);
            least = fmin(least, c.tests[1][m][1]);
        }
        if (most < 2.0 * least)
            findings_agrees(f, "with lists the structures differ by a factor of %.2f in tests on the Fuller sample, in the first sweeps (allowed 2)", most / least);
        else
            findings_differs(f, "with lists the structures still differ by a factor of %.0f in tests on the Fuller sample, in the first sweeps (allowed 2)", most / least);
        plot_tests(f, &c);
    }
    findings_note(f, "%d spheres from random places; the first 200 sweeps (10 without lists), where lists are made anew most often. All counts per visit of a sphere.", (int)count);
    return findings_close(f, status);
}
