// raschdorf-lists: rearrangement as S. Raschdorf and M. Kolonko do it ("Loose octree: a data structure for the simulation of polydisperse particle
// packings", 2009), one sphere after the other, over each of the structures that they compare and over the hierarchical grid; with Verlet lists of single
// spheres, and asking the structure at each visit. The first sweeps from a random start, where lists are renewed most often.
//
// The paper gives no numbers here. It claims that lists are updated seldom, that the loose octree with lists "performed best with respect to run time", and that of the three structures
// only the loose octree is appropriate. Run time is judged by processor time, in turns; counted tests stand beside it.
//
// Then whole packings by both ways of moving, and by visits with each structure: the same packing.
#include "bench/harness.h"

#include <math.h>

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

enum { most_turns = 3, most_rivals = 2 * method_count, HYBRID = 2 * 2 + 1 };  // HYBRID: the loose octree with lists

typedef struct contestant {
    double in_lists, by_structure, made, us[most_turns], quotient[most_turns];
} contestant;

static scree_status first_sweeps(findings* f, const bench_options* co, int law, int32_t count, int sweeps)
{
    const int turns = co->quick ? 2 : most_turns;
    contestant all[most_rivals];
    double densities[2] = {NAN, NAN};
    scree_status status = SCREE_OK;
    for (int t = 0; t < turns; ++t)
        for (int k = 0; k < most_rivals && status == SCREE_OK; ++k) {
            const int lists = k % 2;
            scree_rearrange_def def = scree_default_rearrange_def();
            def.moves = SCREE_MOVES_ONE_BY_ONE;
            def.method = methods[k / 2];
            def.margin = lists ? 0.0 : -1.0;
            def.sweeps = lists ? sweeps : 10;
            outcome o = {.processor = 0.0};
            status = run(co, laws[law], count, &def, &o);
            const double visits = (double)o.packing.sweeps * count;
            all[k].in_lists = (double)o.packing.tests / visits;
            all[k].by_structure = (double)o.packing.search_tests / visits;
            all[k].made = (double)o.packing.refreshes / visits;
            all[k].us[t] = o.processor / visits * 1e6;
            if (status == SCREE_OK && o.packing.density != (isnan(densities[lists]) ? o.packing.density : densities[lists]))
                status = scree_fail(SCREE_ERR_ARGUMENT, "two structures lead to different packings; please report this");
            densities[lists] = o.packing.density;
            scree_packing_free(&o.packing);
        }
    for (int t = 0; t < turns && status == SCREE_OK; ++t)
        for (int k = 0; k < most_rivals; ++k)
            all[k].quotient[t] = all[k].us[t] / all[HYBRID].us[t];
    for (int k = 0; k < most_rivals && status == SCREE_OK; ++k) {
        contestant* c = &all[k];
        const contestant* hybrid = &all[HYBRID];
        const bench_quartiles us = bench_spread(c->us, turns), by = bench_spread(c->quotient, turns);
        const double tests = c->by_structure + (k % 2 ? c->in_lists : 0.0), best = hybrid->by_structure + hybrid->in_lists;
        status = findings_row(f, (const char* const[]){names[law], scree_method_name((scree_method)methods[k / 2])},
                              (const double[]){k % 2, k % 2 ? sweeps : 10, c->in_lists, c->by_structure, c->made, us.median, us.low, us.high, densities[k % 2], tests, tests / best, c->made > 0.0 ? 1.0 / c->made : NAN,
                                               by.median, by.low, by.high, k != HYBRID && k < 2 * (method_count - 1)});
    }
    return status;
}

static scree_status whole_packings(findings* f, const bench_options* co, int32_t count)
{
    static const struct {
        int32_t moves, method;
        double tolerance[law_count];
    } whole[] = {{SCREE_MOVES_TOGETHER, SCREE_METHOD_LOOSE_OCTREE, {1e-3, 1e-3}},
                 {SCREE_MOVES_ONE_BY_ONE, SCREE_METHOD_LOOSE_OCTREE, {1e-3, 1e-2}},
                 {SCREE_MOVES_ONE_BY_ONE, SCREE_METHOD_HIERARCHICAL_GRID, {1e-3, 1e-2}}};
    scree_status status = SCREE_OK;
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
            if (status == SCREE_OK && w == 2 && o.packing.density != before)
                status = scree_fail(SCREE_ERR_ARGUMENT, "two structures lead to different packings; please report this");
            before = o.packing.density;
            scree_packing_free(&o.packing);
        }
    }
    return status;
}

static scree_status run_bench(findings* f, const bench_options* co)
{
    const int32_t count = co->quick ? 1000 : 10000, packed = co->quick ? 200 : 10000;
    scree_status status = SCREE_OK;
    for (int law = 0; law < law_count && status == SCREE_OK; ++law)
        status = first_sweeps(f, co, law, count, co->quick ? 100 : 200);
    findings_table(f, "packings", 3, (const char* const[]){"sizes", "moves", "structure", "tolerance", "density", "net", "sweeps", "tests_in_lists", "tests_by_structure", "cpu_s", NULL});
    if (status == SCREE_OK)
        status = whole_packings(f, co, packed);
    findings_paper(f, "Section 2: lists \"have to be updated only if one of its members has been moved over a larger distance. In CR iterations movements are typically very small so that updates do "
                      "not occur too often.\"");
    findings_paper(f, "Section 1: \"In our experiments, a hybrid data structure performed best with respect to run time. It consists of a loose octree for the global location information of all "
                      "spheres and a local neighbourhood list for the contact search of each sphere.\"");
    findings_paper(f, "Section 4: \"the loose octree is the only appropriate choice among these three spatial indexing techniques\".");
    findings_note(f, "Whatever the structure, the packing is the same; the benchmark fails otherwise. Not too often: every 5 visits or less often. Rivals (column): the other structures of the paper, with "
                     "lists and without, and the loose octree without.");
    findings_note(f, "%d spheres from random positions; the first %d sweeps (10 without lists), where lists are renewed most often. All counts and times per visit of a sphere; times are medians and "
                     "quartiles of %d turns. Whole packings: %d spheres.", (int)count, co->quick ? 100 : 200, co->quick ? 2 : most_turns, (int)packed);
    return status;
}

#define OF_LAW(name)                                                                                                                                                    \
    {.quantity = name ": visits of a sphere for each update of its list", .source = "Section 2", .words = "not too often", .least = 5.0, .most = 1e4, .column = "visits_by_update", \
     .rows = "sizes=" name ";structure=loose-octree;lists=1"},                                                                                                          \
    {.quantity = name ": time of the fastest rival by that of the loose octree with lists", .source = "Section 1", .words = "performed best with respect to run time", .least = 1.0, .most = 1e4, \
     .how = CLAIM_LEAST, .column = "us_by_hybrid", .rows = "sizes=" name ";rival=1", .timed = true},                                                                    \
    {.quantity = name ": tests of the rival with fewest by those of the loose octree with lists", .source = "Section 1", .words = "performed best", .least = 1.0, .most = 1e4, .how = CLAIM_LEAST, \
     .column = "tests_by_hybrid", .rows = "sizes=" name ";rival=1"},                                                                                                    \
    {.quantity = name ", no lists: tests in the octree by those in the loose octree", .source = "Section 4", .words = "the only appropriate choice", .least = 5.0, .most = 1e4, \
     .how = CLAIM_RATIO, .column = "tests_all", .rows = "sizes=" name ";structure=octree;lists=0", .over = "sizes=" name ";structure=loose-octree;lists=0"}

const experiment bench_raschdorf_lists = {
    .name = "raschdorf-lists",
    .about = "their sections 2 and 4: rearrangement one by one over each structure, with and without lists",
    .title = "Rearrangement one by one over each structure, with and without lists",
    .paper = true,
    .run = run_bench,
    .texts = 2,
    .columns = (const char* const[]){"sizes", "structure", "lists", "sweeps", "tests_in_lists", "tests_by_structure", "lists_made", "cpu_us", "cpu_us_low", "cpu_us_high", "density", "tests_all",
                                     "tests_by_hybrid", "visits_by_update", "us_by_hybrid", "us_by_hybrid_low", "us_by_hybrid_high", "rival", NULL},
    .claims = (const claim[]){
        OF_LAW("equal"),
        OF_LAW("Fuller"),
        {.quantity = "Fuller, no lists: tests in the grid by those in the loose octree", .source = "Section 4", .words = "the only appropriate choice", .least = 5.0, .most = 1e5, .how = CLAIM_RATIO,
         .column = "tests_all", .rows = "sizes=Fuller;structure=linked-cells;lists=0", .over = "sizes=Fuller;structure=loose-octree;lists=0"},
        {0}},
    .charts = (const chart[]){
        {.title = "Tests for each visit of a sphere with lists, in lists and by the structure", .y_label = "tests per visit", .x = "structure", .y = "tests_all", .by = "sizes", .rows = "lists=1"},
        {.suffix = "time", .title = "Time for each visit of a sphere with lists", .y_label = "microseconds of the processor", .x = "structure", .y = "cpu_us", .by = "sizes", .rows = "lists=1"},
        {0}},
};
