// raschdorf-loose: two numbers that S. Raschdorf and M. Kolonko leave to the reader ("Loose octree: a data structure for the simulation of polydisperse
// particle packings", 2009). Section 3.3: how much larger outer cubes are than cells, k; they take 2. Section 2: the margin of the Verlet lists,
// delta_V; "we cannot give an optimal value".
//
// k: what it takes to make the lists of all spheres of a finished packing, one by one. delta_V: the first sweeps of a packing, one by one; the list that
// adapts itself is the last row. delta_V in smallest diameters.
#include "bench/harness.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { most_laws = 2 };

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

// What is compared and drawn: at delta 0.1, by k; and by margin.
typedef struct measured_pack {
    double tests[k_count], nodes[k_count], work[k_count];
    double in_lists[margin_count], made[margin_count], all[margin_count];
} measured_pack;
enum { compared_delta = 1 };

static scree_status tell_looseness(findings* f, const bench_options* co, int law_count, const subject* laws, measured_pack results[most_laws])
{
    scree_status status = SCREE_OK;
    for (int law = 0; law < law_count && status == SCREE_OK; ++law) {
        scree_sphere_set set = {0};
        status = packed(&laws[law], co, &set);
        for (int d = 0; d < delta_count; ++d)
            for (int k = 0; k < k_count && status == SCREE_OK; ++k) {
                look l = {0};
                status = ask_all(&set, ks[k], deltas[d], &l);
                if (status != SCREE_OK)
                    break;
                double work = l.tests + node_weight * l.nodes;
                if (d == compared_delta) {
                    results[law].tests[k] = l.tests;
                    results[law].nodes[k] = l.nodes;
                    results[law].work[k] = work;
                }
                status = findings_row(f, &laws[law].name, (const double[]){ks[k], deltas[d], l.neighbours, l.tests, l.nodes, work, l.us.median, l.us.low, l.us.high});
            }
        scree_sphere_set_free(&set);
    }
    return status;
}

static scree_status tell_margins(findings* f, const bench_options* co, int law_count, const subject* laws, int sweeps, measured_pack results[most_laws])
{
    scree_status status = SCREE_OK;
    for (int law = 0; law < law_count && status == SCREE_OK; ++law)
        for (int m = 0; m < margin_count && status == SCREE_OK; ++m) {
            scree_packing p = {0};
            double seconds;
            status = sweep(co, &laws[law], margins[m], sweeps, &p, &seconds);
            if (status != SCREE_OK)
                break;
            double visits = (double)p.sweeps * laws[law].count;
            results[law].in_lists[m] = (double)p.tests / visits;
            results[law].made[m] = (double)p.refreshes / visits;
            results[law].all[m] = ((double)p.tests + (double)p.search_tests) / visits;
            status = findings_row(f, &laws[law].name, (const double[]){margins[m], (double)p.tests / visits, (double)p.search_tests / visits, (double)p.refreshes / visits,
                                                                   seconds / visits * 1e6});
            scree_packing_free(&p);
        }
    return status;
}

// "Performs very well": not more than so many times the work of the best k.
static const double near_the_best = 1.25;

static void compare_looseness(findings* f, const char* name, const measured_pack* r)
{
    int strict = 0, two = 5, widest = k_count - 1, best = 0;
    for (int k = 0; k < k_count; ++k)
        best = r->work[k] < r->work[best] ? k : best;
    double ratio = r->work[two] / r->work[best];
    if (ratio <= near_the_best)
        findings_agrees(f, "%s: with k = 2 a look-around takes %.2f times the least work (tests and %g for each node, delta 0.1 d), that of k = %g; %g allowed for \"performs very well\"",
                        name, ratio, node_weight, ks[best], near_the_best);
    else
        findings_differs(f, "%s: with k = 2 a look-around takes %.2f times the least work (tests and %g for each node, delta 0.1 d), that of k = %g; more than the %g allowed for \"performs very "
                         "well\"", name, ratio, node_weight, ks[best], near_the_best);
    if (r->work[strict] > 2.0 * r->work[two])
        findings_agrees(f, "%s: looseness avoids hotspots: the strict octree (k = 1) takes %.1f times the work of k = 2, more than twice", name, r->work[strict] / r->work[two]);
    else
        findings_differs(f, "%s: the strict octree (k = 1) takes only %.1f times the work of k = 2, not more than twice", name, r->work[strict] / r->work[two]);
    if (r->tests[widest] > r->tests[two])
        findings_agrees(f, "%s: large k leads to more candidates: %.1f tests with k = %g, %.1f with k = 2", name, r->tests[widest], ks[widest], r->tests[two]);
    else
        findings_differs(f, "%s: large k does not lead to more candidates, but to more nodes: %.1f tests in %.0f nodes with k = %g, %.1f in %.0f with k = 2; spheres sink deeper, and the outer cube "
                         "around each becomes smaller", name, r->tests[widest], r->nodes[widest], ks[widest], r->tests[two], r->nodes[two]);
}

static void compare_margins(findings* f, const char* name, const measured_pack* r)
{
    bool longer = true, rarer = true;
    int last = margin_count - 2, best = 0;  // the last one adapts itself
    for (int m = 0; m < last; ++m) {
        longer = longer && r->in_lists[m + 1] >= r->in_lists[m];
        rarer = rarer && r->made[m + 1] <= r->made[m];
    }
    for (int m = 0; m <= last; ++m)
        best = r->all[m] < r->all[best] ? m : best;
    if (longer && rarer)
        findings_agrees(f, "%s: from margin %g d to %g d lists grow from %.1f to %.1f tests a visit and are updated every %.1f and every %.1f visits, both without a step back", name, margins[0],
                        margins[last], r->in_lists[0], r->in_lists[last], 1.0 / r->made[0], 1.0 / r->made[last]);
    else
        findings_differs(f, "%s: from margin %g d to %g d lists do not always grow or are not always updated less often: %.1f to %.1f tests a visit, updated every %.1f and every %.1f visits", name,
                         margins[0], margins[last], r->in_lists[0], r->in_lists[last], 1.0 / r->made[0], 1.0 / r->made[last]);
    findings_note(f, "%s: of fixed margins %g d needs the fewest tests, %.1f a visit; the margin that adapts itself %.1f.", name, margins[best], r->all[best], r->all[margin_count - 1]);
}

static void plot_both(findings* f, int law_count, const subject* laws, const measured_pack results[most_laws])
{
    scree_series series[most_laws], by_margin[most_laws];
    for (int law = 0; law < law_count; ++law) {
        series[law] = (scree_series){.name = laws[law].name, .count = k_count, .x = ks, .y = results[law].work};
        by_margin[law] = (scree_series){.name = laws[law].name, .count = margin_count - 1, .x = margins, .y = results[law].all};
    }
    scree_plot plot = scree_default_plot();
    plot.title = "Neighbours of one sphere within 0.1 d, by looseness (1: strict octree)";
    plot.x_label = "k";
    plot.y_label = "work: tests, and 6 for each node";
    plot.y_log = true;
    plot.series = series;
    plot.series_count = law_count;
    findings_plot(f, "", &plot);
    plot.title = "Tests for each visit of a sphere, by the margin of its list";
    plot.x_label = "margin, in smallest diameters";
    plot.y_label = "tests in lists and by the structure";
    plot.x_log = true;
    plot.series = by_margin;
    findings_plot(f, "margins", &plot);
}

static scree_status run_bench(findings* f, const bench_options* co)
{
    const bool quick = co->quick;
    bench_own own;
    scree_status status = bench_own_get(co, 3, 10000, 0.0, &own);
    const int32_t count = own.given ? own.count : quick ? 1000 : 10000;
    const int sweeps = quick ? 100 : 600;
    const subject mine[] = {{own.name, own.law, &own, own.count}}, papers[] = {{"equal", "mono:0.5", NULL, count}, {"Fuller", bench_fuller, NULL, count}};
    const subject* laws = own.given ? mine : papers;
    const int law_count = own.given ? 1 : 2;
    static measured_pack results[most_laws];
    if (own.given)
        findings_own(f, own.name);
    if (status == SCREE_OK)
        status = tell_looseness(f, co, law_count, laws, results);
    findings_table(f, "margins", 1, (const char* const[]){"sizes", "margin", "tests_in_lists", "tests_by_structure", "lists_made", "cpu_us", NULL});
    if (status == SCREE_OK)
        status = tell_margins(f, co, law_count, laws, sweeps, results);
    findings_paper(f, "Section 3.3: \"To avoid the hotspots along the splitting planes large values of k are preferable. On the other hand, large values of k cause large overlap between nodes of one "
                      "level. This in turn leads to longer Verlet lists of neighbours\". \"As already stated by Ulrich, k = 2 is a value that performs very well.\"");
    findings_paper(f, "Section 2, on delta_V: \"if it is chosen too small compared to the sphere movements, the lists have to be updated very often, if it is large the lists contain more neighbours "
                      "which have to be checked for overlap\"; \"We cannot give an optimal value\".");
    for (int law = 0; law < law_count && status == SCREE_OK; ++law) {
        compare_looseness(f, laws[law].name, &results[law]);
        compare_margins(f, laws[law].name, &results[law]);
    }
    if (status == SCREE_OK)
        plot_both(f, law_count, laws, results);
    findings_note(f, "%d spheres. Looseness: a finished packing, each sphere asked once; times are medians and quartiles of five rounds, and are not compared. Margins: the first %d sweeps one by one from "
                     "random positions; margin 0: it adapts itself.", (int)count, sweeps);
    scree_sphere_set_free(&own.set);
    return status;
}

const experiment bench_raschdorf_loose = {
    .name = "raschdorf-loose",
    .about = "their sections 2 and 3.3: what the looseness k and the margin of the lists cost",
    .title = "The looseness k, and the margin of the lists",
    .paper = true,
    .takes = TAKES_OWN | TAKES_COUNT,
    .run = run_bench,
    .texts = 1,
    .columns = (const char* const[]){"sizes", "k", "delta", "neighbours", "tests", "nodes", "work", "cpu_us", "cpu_low", "cpu_high", NULL},
};
