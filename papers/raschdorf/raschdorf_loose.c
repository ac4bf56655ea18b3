// raschdorf-loose: two numbers that S. Raschdorf and M. Kolonko leave to the reader ("Loose octree: a data structure for the simulation of polydisperse
// particle packings", 2009). Section 3.3: how much larger outer cubes are than cells, k; they take 2. Section 2: the margin of the Verlet lists,
// delta_V; "we cannot give an optimal value".
//
// The paper claims: k = 2 performs very well, larger k lengthens the lists; a small delta_V updates them often, a large one has more neighbours in them.
//
// k: what it takes to make the lists of all spheres of a finished packing, one by one. delta_V: the first sweeps of a packing, one by one; the list that
// adapts itself is the last row. delta_V in smallest diameters.
#include "bench/harness.h"

#include <math.h>
#include <string.h>

// Whose packings are looked at: the paper's two size distributions, or the user's own spheres.
typedef struct subject {
    const char *name, *law;
    const bench_own* own;  // NULL: the paper's
    int32_t count;
} subject;

static scree_status packed(const subject* s, const bench_options* co, scree_sphere_set* out)
{
    if (s->law != NULL)
        return bench_pack(s->law, s->count, co->seed, 1e-3, false, co, out);
    scree_status status = scree_sphere_set_make(3, s->own->set.count, out);  // a file's, as they lie
    if (status == SCREE_OK) {
        memcpy(out->x, s->own->set.x, 3 * (size_t)out->count * sizeof *out->x);
        memcpy(out->r, s->own->set.r, (size_t)out->count * sizeof *out->r);
        out->box = s->own->set.box;
        out->has_box = true;
    }
    return status;
}

typedef struct look {
    double neighbours, tests, nodes;  // for one sphere
    bench_quartiles us;               // microseconds of the processor
} look;

// All neighbours within delta of each, one by one.
static scree_status ask_all(const scree_sphere_set* set, double k, double delta, look* out)
{
    enum { rounds = 5 };
    double us[rounds];
    double least = INFINITY;
    for (int32_t i = 0; i < set->count; ++i)
        least = fmin(least, set->r[i]);
    scree_index_def def = scree_default_index_def();
    def.method = k > 1.0 ? SCREE_METHOD_LOOSE_OCTREE : SCREE_METHOD_OCTREE;
    def.loose_factor = k > 1.0 ? k : 0.0;
    def.box = set->box;
    def.gap = delta * 2.0 * least;
    def.skin = -1.0;
    scree_index* index;
    scree_status status = scree_index_create(&def, &index);
    if (status != SCREE_OK)
        return status;
    status = scree_index_update(index, scree_sphere_set_view(set));
    double found = 0.0;
    for (int round = 0; round < rounds && status == SCREE_OK; ++round) {
        double begin = bench_processor();
        found = 0.0;
        for (int32_t i = 0; i < set->count && status == SCREE_OK; ++i) {
            scree_neighbours near;
            status = scree_index_neighbours(index, i, &near);
            found += status == SCREE_OK ? (double)near.count : 0.0;
        }
        us[round] = (bench_processor() - begin) / set->count * 1e6;
        if (status == SCREE_OK && bench_interrupted())
            status = scree_fail(SCREE_ERR_CANCELLED, "stopped on request");
    }
    scree_index_stats stats = scree_index_get_stats(index);
    if (status == SCREE_OK)
        *out = (look){.neighbours = found / set->count,
                      .tests = (double)stats.query_tests / rounds / set->count,
                      .nodes = (double)stats.query_cells / rounds / set->count,
                      .us = bench_spread(us, rounds)};
    scree_index_destroy(index);
    return status;
}

static scree_status sweep(const bench_options* co, const subject* s, double margin, int sweeps, scree_packing* out, double* seconds)
{
    scree_sphere_set set = {0};
    scree_status status = s->own != NULL ? bench_draw_own(s->own, co->seed, &set) : bench_draw(s->law, s->count, co->seed, &set);
    if (status == SCREE_OK) {
        scree_rearrange_def def = scree_default_rearrange_def();
        def.moves = SCREE_MOVES_ONE_BY_ONE;
        def.method = SCREE_METHOD_LOOSE_OCTREE;
        def.margin = margin;
        def.sweeps = sweeps;
        def.seed = co->seed;
        status = bench_rearranged(&def, &set, co, out, seconds);
    }
    scree_sphere_set_free(&set);
    return status;
}

static const double ks[] = {1.0, 1.1, 1.25, 1.5, 1.75, 2.0, 2.5, 3.0, 4.0}, deltas[] = {0.0, 0.1, 0.5};
static const double margins[] = {0.02, 0.05, 0.1, 0.2, 0.4, 0.8, 0.0};
enum { k_count = sizeof ks / sizeof *ks, delta_count = sizeof deltas / sizeof *deltas, margin_count = sizeof margins / sizeof *margins };

// A node costs about as much as six tests: fitted to the times of this table (Fuller, delta 0.1: k = 1.1 and 4).
static const double node_weight = 6.0;

static scree_status tell_looseness(findings* f, const bench_options* co, const subject* s)
{
    scree_sphere_set set = {0};
    scree_status status = packed(s, co, &set);
    for (int d = 0; d < delta_count; ++d) {
        look l[k_count];
        double least = INFINITY, fastest = INFINITY;
        for (int k = 0; k < k_count && status == SCREE_OK; ++k) {
            status = ask_all(&set, ks[k], deltas[d], &l[k]);
            least = status == SCREE_OK ? fmin(least, l[k].tests + node_weight * l[k].nodes) : least;
            fastest = status == SCREE_OK ? fmin(fastest, l[k].us.median) : fastest;
        }
        for (int k = 0; k < k_count && status == SCREE_OK; ++k) {
            const double work = l[k].tests + node_weight * l[k].nodes;
            status = findings_row(f, &s->name, (const double[]){ks[k], deltas[d], l[k].neighbours, l[k].tests, l[k].nodes, work, l[k].us.median, l[k].us.low, l[k].us.high, work / least,
                                                                l[k].us.median / fastest, l[k].us.low / fastest, l[k].us.high / fastest});
        }
    }
    scree_sphere_set_free(&set);
    return status;
}

static scree_status tell_margins(findings* f, const bench_options* co, const subject* s, int sweeps)
{
    scree_status status = SCREE_OK;
    for (int m = 0; m < margin_count && status == SCREE_OK; ++m) {
        scree_packing p = {0};
        double seconds;
        status = sweep(co, s, margins[m], sweeps, &p, &seconds);
        const double visits = (double)p.sweeps * s->count;
        if (status == SCREE_OK)
            status = findings_row(f, &s->name, (const double[]){margins[m], (double)p.tests / visits, (double)p.search_tests / visits, (double)p.refreshes / visits, seconds / visits * 1e6,
                                                                ((double)p.tests + (double)p.search_tests) / visits, -(double)p.tests / visits, margins[m] > 0.0});
        scree_packing_free(&p);
    }
    return status;
}

static scree_status run_bench(findings* f, const bench_options* co)
{
    bench_own own;
    scree_status status = bench_own_get(co, 3, 10000, 0.0, &own);
    const int32_t count = own.given ? own.count : co->quick ? 1000 : 10000;
    const int sweeps = co->quick ? 100 : 600, law_count = own.given ? 1 : 2;
    const subject mine[] = {{own.name, own.law, &own, own.count}}, papers[] = {{"equal", "mono:0.5", NULL, count}, {"Fuller", bench_fuller, NULL, count}};
    const subject* laws = own.given ? mine : papers;
    if (own.given)
        findings_own(f, own.name);
    for (int law = 0; law < law_count && status == SCREE_OK; ++law)
        status = tell_looseness(f, co, &laws[law]);
    findings_table(f, "margins", 1, (const char* const[]){"sizes", "margin", "tests_in_lists", "tests_by_structure", "lists_made", "cpu_us", "tests_all", "shorter", "fixed", NULL});
    for (int law = 0; law < law_count && status == SCREE_OK; ++law)
        status = tell_margins(f, co, &laws[law], sweeps);
    findings_paper(f, "Section 3.3: \"To avoid the hotspots along the splitting planes large values of k are preferable. On the other hand, large values of k cause large overlap between nodes of one "
                      "level. This in turn leads to longer Verlet lists of neighbours\". \"As already stated by Ulrich, k = 2 is a value that performs very well.\"");
    findings_paper(f, "Section 2, on delta_V: \"if it is chosen too small compared to the sphere movements, the lists have to be updated very often, if it is large the lists contain more neighbours "
                      "which have to be checked for overlap\"; \"We cannot give an optimal value\".");
    findings_note(f, "%d spheres. Looseness: a finished packing, each sphere asked once; times are medians and quartiles of five rounds. Work: tests, and 6 for each node. Margins: the first %d sweeps one by "
                     "one from random positions; margin 0: it adapts itself. Performs very well: at most 1.25 times the best k.", (int)count, sweeps);
    scree_sphere_set_free(&own.set);
    return status;
}

#define OF_LAW(name)                                                                                                                                                    \
    {.quantity = name ": time of a look-around with k = 2 by that with the best k", .source = "Section 3.3", .words = "performs very well", .least = 0.8, .most = 1.25, .column = "us_by_best", \
     .rows = "sizes=" name ";delta=0.1;k=2", .timed = true},                                                                                                            \
    {.quantity = name ": work of a look-around with k = 2 by that with the best k", .source = "Section 3.3", .words = "performs very well", .least = 1.0, .most = 1.25, .column = "work_by_best", \
     .rows = "sizes=" name ";delta=0.1;k=2"},                                                                                                                           \
    {.quantity = name ": work of a look-around in the strict octree by that with k = 2", .source = "Section 3.3", .words = "avoids the hotspots", .least = 2.0, .most = 1e3, \
     .how = CLAIM_RATIO, .column = "work", .rows = "sizes=" name ";delta=0.1;k=1", .over = "sizes=" name ";delta=0.1;k=2"},                                             \
    {.quantity = name ": candidates of a look-around with k = 4 by those with k = 2", .source = "Section 3.3", .words = "longer lists", .least = 1.0, .most = 1e3, .how = CLAIM_RATIO, \
     .column = "tests", .rows = "sizes=" name ";delta=0.1;k=4", .over = "sizes=" name ";delta=0.1;k=2"},                                                                \
    {.quantity = name ": how often lists become shorter as the margin grows", .source = "Section 2", .words = "more neighbours", .least = 0.0, .most = 0.0, .how = CLAIM_RISES, .table = "margins", \
     .column = "shorter", .rows = "sizes=" name ";fixed=1"},                                                                                                            \
    {.quantity = name ": how often lists are updated more often as the margin grows", .source = "Section 2", .words = "updated less often", .least = 0.0, .most = 0.0, .how = CLAIM_RISES, \
     .table = "margins", .column = "lists_made", .rows = "sizes=" name ";fixed=1"}

const experiment bench_raschdorf_loose = {
    .name = "raschdorf-loose",
    .about = "their sections 2 and 3.3: what the looseness k and the margin of the lists cost",
    .title = "The looseness k, and the margin of the lists",
    .paper = true,
    .takes = TAKES_OWN | TAKES_COUNT,
    .run = run_bench,
    .texts = 1,
    .columns = (const char* const[]){"sizes", "k", "delta", "neighbours", "tests", "nodes", "work", "cpu_us", "cpu_us_low", "cpu_us_high", "work_by_best", "us_by_best", "us_by_best_low",
                                     "us_by_best_high", NULL},
    .claims = (const claim[]){OF_LAW("equal"), OF_LAW("Fuller"), {0}},
    .charts = (const chart[]){
        {.title = "Neighbours of one sphere within 0.1 d, by looseness (1: strict octree)", .x_label = "k", .y_label = "work: tests, and 6 for each node", .x = "k", .y = "work", .by = "sizes",
         .rows = "delta=0.1", .y_log = true},
        {.suffix = "margins", .title = "Tests for each visit of a sphere, by the margin of its list", .x_label = "margin, in smallest diameters", .y_label = "tests in lists and by the structure",
         .table = "margins", .x = "margin", .y = "tests_all", .by = "sizes", .rows = "fixed=1", .x_log = true, .y_log = true},
        {0}},
};
