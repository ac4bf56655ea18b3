// raschdorf-loose: two numbers that S. Raschdorf and M. Kolonko leave to the reader ("Loose octree: a data structure for the simulation of polydisperse
// particle packings", 2009). Section 3.3: how much larger outer cubes are than cells, k; they take 2. Section 2: the margin of the Verlet lists,
// delta_V; "we cannot give an optimal value".
//
// k: what it takes to make the lists of all spheres of a finished packing, one by one. delta_V: the first sweeps of a packing, one by one; the list that
// adapts itself is the last row. delta_V in smallest diameters.
#include "bench.h"
#include "findings.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { most_laws = 2 };

// Whose packings are looked at: the paper's two laws, or the user's own spheres.
typedef struct subject {
    const char *name, *law;
    const bench_own* own;  // NULL: the paper's
    int32_t count;
} subject;

static scree_status packed(const subject* s, const common* co, scree_sphere_set* out)
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

// All neighbours within delta of each, one by one: counts and microseconds for one, the best of three.
static scree_status ask_all(const scree_sphere_set* set, double k, double delta, double out[4])
{
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
    int rounds = k > 1.0 ? 3 : 1;
    for (int round = 0; round < rounds && status == SCREE_OK; ++round) {
        double begin = bench_processor();
        found = 0.0;
        for (int32_t i = 0; i < set->count && status == SCREE_OK; ++i) {
            scree_neighbours near;
            status = scree_index_neighbours(index, i, &near);
            found += status == SCREE_OK ? (double)near.count : 0.0;
        }
        double each = (bench_processor() - begin) / set->count * 1e6;
        out[3] = round == 0 ? each : fmin(out[3], each);
    }
    scree_index_stats stats = scree_index_get_stats(index);
    out[0] = found / set->count;
    out[1] = (double)stats.query_tests / rounds / set->count;
    out[2] = (double)stats.query_cells / rounds / set->count;
    scree_index_destroy(index);
    return status;
}

static scree_status sweep(const common* co, const subject* s, double margin, scree_packing* out, double* seconds)
{
    scree_sphere_set set = {0};
    scree_status status = s->own != NULL ? bench_draw_own(s->own, co->seed, &set) : bench_draw(s->law, s->count, co->seed, &set);
    if (status == SCREE_OK) {
        scree_rearrange_def def = scree_default_rearrange_def();
        for (int k = 0; k < 3; ++k)
            def.box.periodic[k] = true;
        def.moves = SCREE_MOVES_ONE_BY_ONE;
        def.method = SCREE_METHOD_LOOSE_OCTREE;
        def.margin = margin;
        def.sweeps = 600;
        def.seed = co->seed;
        def.threads = co->threads;
        def.watch = run_watch("packing", co->quiet);
        double begin = bench_processor();
        status = scree_pack_rearrange(&def, s->count, set.r, out);
        *seconds = bench_processor() - begin;
        run_watch_end();
    }
    scree_sphere_set_free(&set);
    return status;
}

static const double ks[] = {1.0, 1.1, 1.25, 1.5, 1.75, 2.0, 2.5, 3.0, 4.0}, deltas[] = {0.0, 0.1, 0.5};
static const double margins[] = {0.02, 0.05, 0.1, 0.2, 0.4, 0.8, 0.0};
enum { k_count = sizeof ks / sizeof *ks, delta_count = sizeof deltas / sizeof *deltas, margin_count = sizeof margins / sizeof *margins };

// A node costs about as much as six tests: fitted to the times of this table (Fuller, delta 0.1: k = 1.1 and 4).
static const double node_weight = 6.0;

static scree_status tell_looseness(findings* f, const common* co, int law_count, const subject* laws, double cost[most_laws][delta_count][k_count])
{
    scree_status status = SCREE_OK;
    for (int law = 0; law < law_count && status == SCREE_OK; ++law) {
        scree_sphere_set set = {0};
        status = packed(&laws[law], co, &set);
        for (int d = 0; d < delta_count; ++d)
            for (int k = 0; k < k_count && status == SCREE_OK; ++k) {
                double counts[4] = {0.0, 0.0, 0.0, 0.0};
                status = ask_all(&set, ks[k], deltas[d], counts);
                if (status != SCREE_OK)
                    break;
                cost[law][d][k] = counts[1] + node_weight * counts[2];
                status = findings_row(f, &laws[law].name, (const double[]){ks[k], deltas[d], counts[0], counts[1], counts[2], cost[law][d][k], counts[3]});
            }
        scree_sphere_set_free(&set);
    }
    return status;
}

static scree_status tell_margins(findings* f, const common* co, int law_count, const subject* laws, double cost[most_laws][margin_count])
{
    scree_status status = SCREE_OK;
    for (int law = 0; law < law_count && status == SCREE_OK; ++law)
        for (int m = 0; m < margin_count && status == SCREE_OK; ++m) {
            scree_packing p = {0};
            double seconds;
            status = sweep(co, &laws[law], margins[m], &p, &seconds);
            if (status != SCREE_OK)
                break;
            double visits = (double)p.sweeps * laws[law].count;
            cost[law][m] = ((double)p.tests + (double)p.search_tests) / visits;
            status = findings_row(f, &laws[law].name, (const double[]){margins[m], (double)p.tests / visits, (double)p.search_tests / visits, (double)p.refreshes / visits,
                                                                   seconds / visits * 1e6});
            scree_packing_free(&p);
        }
    return status;
}

exit_code bench_raschdorf_loose(const arguments* args, const common* co, bool quick)
{
    bench_own own;
    scree_status status = bench_own_get(args, co, 3, 10000, 0.0, &own);
    const int32_t count = own.given ? own.count : quick ? 2000 : 10000;
    const subject mine[] = {{own.name, own.law, &own, own.count}}, papers[] = {{"equal", "mono:0.5", NULL, count}, {"Fuller", bench_fuller, NULL, count}};
    const subject* laws = own.given ? mine : papers;
    const int law_count = own.given ? 1 : 2;
    static double cost[most_laws][delta_count][k_count], lists[most_laws][margin_count];
    findings* f = findings_open(args, co, "raschdorf-loose", "The looseness k, and the margin of the lists");
    findings_columns(f, 1, (const char* const[]){"sizes", "k", "delta", "neighbours", "tests", "nodes", "work", "cpu_us", NULL});
    if (own.given)
        findings_own(f, own.name);
    if (status == SCREE_OK)
        status = tell_looseness(f, co, law_count, laws, cost);
    findings_table(f, "margins", 1, (const char* const[]){"sizes", "margin", "tests_in_lists", "tests_by_structure", "lists_made", "cpu_us", NULL});
    if (status == SCREE_OK)
        status = tell_margins(f, co, law_count, laws, lists);
    findings_paper(f, "Section 3.3: outer cubes twice as long as cells, k = 2. Section 2: an optimal margin of the lists, delta_V, cannot be given.");
    for (int law = 0; law < law_count && status == SCREE_OK; ++law) {
        int two = 5, best = 0, narrow = 0;
        for (int k = 0; k < k_count; ++k)
            best = cost[law][1][k] < cost[law][1][best] ? k : best;
        if (cost[law][1][two] < 1.5 * cost[law][1][best] && cost[law][1][0] > 2.0 * cost[law][1][two])
            findings_agrees(f, "%s: k = 2 is near the best: work of a look-around (tests and %g for each node, delta 0.1 d) is least with k = %g; with k = 2 it is "
                            "%.2f times that (allowed 1.5), in the strict octree %.1f times (more than twice that of k = 2)", laws[law].name, node_weight, ks[best],
                            cost[law][1][two] / cost[law][1][best], cost[law][1][0] / cost[law][1][best]);
        else
            findings_differs(f, "%s: k = 2 is not near the best, or the strict octree not far from it: work of a look-around (tests and %g for each node, delta 0.1 d) is least with k = %g; "
                             "with k = 2 it is %.2f times that (allowed 1.5), in the strict octree %.1f times (more than twice that of k = 2 expected)", laws[law].name,
                             node_weight, ks[best], cost[law][1][two] / cost[law][1][best], cost[law][1][0] / cost[law][1][best]);
        for (int m = 0; m + 1 < margin_count; ++m)
            narrow = lists[law][m] < lists[law][narrow] ? m : narrow;
        findings_note(f, "%s: of fixed margins %g d needs the fewest tests, %.1f a visit; the margin that adapts itself %.1f.", laws[law].name, margins[narrow], lists[law][narrow],
                      lists[law][margin_count - 1]);
    }
    if (status == SCREE_OK) {
        scree_series series[most_laws], by_margin[most_laws];
        for (int law = 0; law < law_count; ++law) {
            series[law] = (scree_series){.name = laws[law].name, .count = k_count, .x = ks, .y = cost[law][1]};
            by_margin[law] = (scree_series){.name = laws[law].name, .count = margin_count - 1, .x = margins, .y = lists[law]};
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
    findings_note(f, "%d spheres. Looseness: a finished packing, each sphere asked once. Margins: the first 600 sweeps one by one from random places; margin 0: it adapts itself.",
                  (int)count);
    scree_sphere_set_free(&own.set);
    return findings_close(f, status);
}
