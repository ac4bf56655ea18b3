// cells: section 2.2 and 2.4 of Muth et al. (2007): how large linked cells should be.
//
// Eq. 3, how many distances linked cells compute: with m cells along each axis and n_c spheres in each, (3^d n_c^2 / 2 - n_c / 2) m^d. Cells at a wall have fewer neighbours, so that 3 m - 2 in
// place of 3 m rows of cells meet along an axis. The paper claims: nothing is gained with three cells or fewer along an axis; a cell may hold about three spheres; very small cells need updates too
// frequently, very large ones have too many spheres around each.
//
// Still spheres show Eq. 3, in cells from half the box down to one diameter. For the cost of updates spheres move: a cell list holds until one of them may have moved by half of what the cells are
// larger than a diameter, so that cells just above a diameter are updated at every step and large ones hardly ever. These are plain lists in this file, as the paper describes them.
#include "bench/harness.h"

#include <math.h>
#include <string.h>

enum { most_repeats = 16 };

// A hair less than 1, so that cells of 1 are long enough.
static const double diameter = 0.9999;

// `side`^3 equal spheres, one in each cell of a lattice of spacing 1, off its middle at random: cells that are whole numbers of these hold equal numbers. They overlap,
// which is nothing to the search.
static scree_status make_spheres(int side, uint64_t seed, scree_sphere_set* out)
{
    scree_status status = scree_sphere_set_make(3, side * side * side, out);
    if (status != SCREE_OK)
        return status;
    scree_rng rng = scree_rng_make(seed, 3);
    for (int i = 0; i < side * side * side; ++i) {
        const int at[3] = {i % side, i / side % side, i / (side * side)};
        out->r[i] = 0.5 * diameter;
        for (int k = 0; k < 3; ++k)
            out->x[3 * i + k] = at[k] + 0.3 + 0.4 * scree_rng_uniform(&rng);
    }
    out->box = scree_box_sized(3, (double[3]){side, side, side});
    out->has_box = true;
    return SCREE_OK;
}

static double predicted(int m, double per_cell, bool faces)
{
    double around = faces ? pow((3.0 * m - 2.0) / m, 3.0) : 27.0;
    return (around * per_cell * per_cell / 2.0 - per_cell / 2.0) * m * m * m;
}

// One size of cells. Cells that would take seconds are looked at once, and nothing is cold for long then.
static scree_status search(const scree_sphere_set* set, double cell, double expected, int repeats, const bench_options* co, scree_index_stats* stats, bench_quartiles* ms)
{
    scree_index_def def = scree_default_index_def();
    def.method = SCREE_METHOD_LINKED_CELLS;
    def.box = set->box;
    def.skin = -1.0;
    def.threads = co->threads > 0 ? co->threads : 1;
    def.cell_size = cell;
    bool long_one = expected > 3e8;
    int rounds = long_one ? 1 : repeats;
    double seconds[most_repeats] = {0.0};
    scree_index* index = NULL;
    scree_pairs pairs;
    scree_status status = scree_index_create(&def, &index);
    for (int t = long_one ? 0 : -1; t < rounds && status == SCREE_OK; ++t) {
        double begin = bench_timer(def.threads);
        status = scree_index_update(index, scree_sphere_set_view(set));
        if (status == SCREE_OK)
            status = scree_index_pairs(index, &pairs);
        if (status == SCREE_OK && bench_interrupted())
            status = scree_fail(SCREE_ERR_CANCELLED, "stopped on request");
        if (t >= 0)
            seconds[t] = (bench_timer(def.threads) - begin) * 1e3;
    }
    if (status == SCREE_OK) {
        *stats = scree_index_get_stats(index);
        *ms = bench_spread(seconds, rounds);
    }
    scree_index_destroy(index);
    return status;
}

static scree_status add_size(findings* f, const scree_sphere_set* set, double m, double cell, double per_cell, double eq_3, double with_faces, int repeats, const bench_options* co)
{
    scree_index_stats stats;
    bench_quartiles ms;
    const double n = (double)set->count, tests_of_all = 0.5 * n * (n - 1.0);
    scree_status status = search(set, cell, with_faces, repeats, co, &stats, &ms);
    return status != SCREE_OK ? status : findings_row(f, NULL, (const double[]){m, cell, per_cell, (double)stats.tests, eq_3, with_faces, (double)stats.cells, ms.median, ms.low, ms.high,
                                                                  (double)stats.tests / with_faces, (double)stats.tests / tests_of_all});
}

static const char* const columns[] = {"cells_of_axis", "cell_size", "spheres_per_cell", "tests", "eq_3", "eq_3_with_faces", "cells", "ms", "ms_low", "ms_high", "tests_by_eq_3", "tests_by_all_pairs", NULL};

static scree_status paper_sizes(findings* f, int side, int repeats, const bench_options* co)
{
    static const int cells_of_axis[] = {2, 3, 4, 6, 8, 12, 16, 24, 48};
    const int three = (int)lround(side / cbrt(3.0));  // about three spheres in each
    scree_sphere_set set = {0};
    scree_status status = make_spheres(side, co->seed, &set);
    int before = 0;
    for (size_t k = 0; k < sizeof cells_of_axis / sizeof *cells_of_axis && status == SCREE_OK; ++k) {
        int m = cells_of_axis[k];
        if (side % m != 0)
            continue;
        for (int turn = before < three && m > three ? 0 : 1; turn < 2 && status == SCREE_OK; ++turn) {
            int n = turn == 0 ? three : m;
            double per_cell = pow((double)side / n, 3.0);
            status = add_size(f, &set, n, (double)side / n, per_cell, predicted(n, per_cell, false), predicted(n, per_cell, true), repeats, co);
        }
        before = m;
    }
    scree_sphere_set_free(&set);
    return status;
}

// The user's spheres, from cells of one largest diameter on. Eq. 3 takes them as spread evenly, m cells along an axis of mean length.
static scree_status own_sizes(findings* f, const bench_own* own, int repeats, const bench_options* co)
{
    static const double factors[] = {1.0, 1.2, 1.5, 2.0, 2.5, 3.0, 4.0, 6.0, 8.0, 12.0};
    scree_sphere_set made = {0};
    scree_status status = SCREE_OK;
    if (own->law != NULL)
        status = bench_make_set(&(bench_set){.name = own->name, .law = own->law, .count = own->count, .density = own->density}, co, &made);
    const scree_sphere_set* set = own->law != NULL ? &made : &own->set;
    double length = 1.0, r_max = 0.0;
    for (int k = 0; k < set->dim && status == SCREE_OK; ++k)
        length *= set->box.upper[k] - set->box.lower[k];
    length = pow(length, 1.0 / set->dim);
    for (int32_t i = 0; i < set->count && status == SCREE_OK; ++i)
        r_max = fmax(r_max, set->r[i]);
    for (size_t k = 0; k < sizeof factors / sizeof *factors && status == SCREE_OK; ++k) {
        double cell = factors[k] * 2.0 * r_max, m = length / cell, per_cell = set->count / pow(m, set->dim);
        if (k > 0 && m < 1.0)
            break;
        double around = pow(fmax((3.0 * m - 2.0) / m, 1.0), set->dim), cells = pow(m, set->dim);
        status = add_size(f, set, m, cell, per_cell, (pow(3.0, set->dim) * per_cell * per_cell / 2.0 - per_cell / 2.0) * cells,
                          (around * per_cell * per_cell / 2.0 - per_cell / 2.0) * cells, repeats, co);
    }
    scree_sphere_set_free(&made);
    return status;
}

// ---- Motion ----------------------------------------------------------------------------------------------------------

// A gas in a cube with walls: `n` spheres of diameter 1 that fly past each other; only their neighbours matter here.
typedef struct gas {
    int32_t n;
    double side, *x, *v, *from;  // from: where they were at the last update
} gas;

// Cell lists: the first sphere of each cell and the next of each sphere.
typedef struct lists {
    int m;
    int32_t *first, *next;
    int64_t updates, tests, found;
} lists;

static void step_gas(gas* g, double* most)
{
    *most = 0.0;
    for (int32_t i = 0; i < g->n; ++i) {
        double moved = 0.0;
        for (int k = 3 * i; k < 3 * i + 3; ++k) {
            g->x[k] += g->v[k];
            if (g->x[k] < 0.0 || g->x[k] >= g->side) {
                g->v[k] = -g->v[k];
                g->x[k] += g->v[k];
            }
            moved += (g->x[k] - g->from[k]) * (g->x[k] - g->from[k]);
        }
        *most = fmax(*most, moved);
    }
    *most = sqrt(*most);
}

static int cell_of(const gas* g, const lists* l, int32_t i)
{
    int at = 0;
    for (int k = 2; k >= 0; --k)
        at = at * l->m + (int)(g->from[3 * i + k] / g->side * l->m);
    return at;
}

static void update(gas* g, lists* l)
{
    ++l->updates;
    memcpy(g->from, g->x, 3 * (size_t)g->n * sizeof *g->x);
    memset(l->first, 0xff, (size_t)l->m * (size_t)l->m * (size_t)l->m * sizeof *l->first);  // -1
    for (int32_t i = 0; i < g->n; ++i) {
        const int c = cell_of(g, l, i);
        l->next[i] = l->first[c];
        l->first[c] = i;
    }
}

static void test_cells(const gas* g, lists* l, int a, int b)
{
    for (int32_t i = l->first[a]; i >= 0; i = l->next[i])
        for (int32_t j = a == b ? l->next[i] : l->first[b]; j >= 0; j = l->next[j]) {
            double d[3] = {g->x[3 * i] - g->x[3 * j], g->x[3 * i + 1] - g->x[3 * j + 1], g->x[3 * i + 2] - g->x[3 * j + 2]};
            ++l->tests;
            l->found += d[0] * d[0] + d[1] * d[1] + d[2] * d[2] < 1.0;
        }
}

// Own cell and 13 neighbours of each.
static void search_lists(const gas* g, lists* l)
{
    const int m = l->m;
    for (int c = 0; c < m * m * m; ++c) {
        const int at[3] = {c % m, c / m % m, c / (m * m)};
        for (int o = 13; o < 27 && l->first[c] >= 0; ++o) {
            const int to[3] = {at[0] + o % 3 - 1, at[1] + o / 3 % 3 - 1, at[2] + o / 9 - 1};
            if (to[0] >= 0 && to[1] >= 0 && to[0] < m && to[1] < m && to[2] < m)
                test_cells(g, l, c, to[0] + m * (to[1] + m * to[2]));
        }
    }
}

static scree_status make_gas(double side, double speed, uint64_t seed, gas* g)
{
    scree_rng rng = scree_rng_make(seed, 5);
    *g = (gas){.n = (int32_t)(0.5 * side * side * side), .side = side};
    g->x = scree_calloc(9 * (size_t)g->n, sizeof *g->x);
    if (g->x == NULL)
        return SCREE_ERR_MEMORY;
    g->v = g->x + 3 * (int64_t)g->n;
    g->from = g->v + 3 * (int64_t)g->n;
    for (int k = 0; k < 3 * g->n; ++k) {
        g->x[k] = side * scree_rng_uniform(&rng);
        g->v[k] = speed * 3.4641016 * (scree_rng_uniform(&rng) - 0.5);
    }
    return SCREE_OK;
}

// Cells with m along an axis: a few hundred steps, in rounds, all sizes of cells taking turns by rounds of their own gas.
static scree_status move_sizes(findings* f, double side, const bench_options* co)
{
    enum { sizes = 12, rounds = 5 };
    static const double cell[sizes] = {1.0, 1.01, 1.02, 1.05, 1.1, 1.2, 1.4, 1.8, 2.5, 4.0, 6.0, 8.0};
    const int steps_most = co->quick ? 20 : 40;
    int steps[sizes];  // fewer for large cells, which take long
    gas g[sizes] = {{0}};
    lists l[sizes] = {{0}};
    double ms[sizes][rounds];
    scree_status status = SCREE_OK;
    for (int s = 0; s < sizes && status == SCREE_OK; ++s) {
        steps[s] = cell[s] < 4.0 ? steps_most : steps_most / 10;
        l[s].m = (int)floor(side / cell[s] + 1e-9);
        status = make_gas(cell[s] * l[s].m, 0.005, co->seed, &g[s]);
        l[s].first = scree_malloc((size_t)(l[s].m * l[s].m * l[s].m + 1), sizeof *l[s].first);
        l[s].next = scree_malloc((size_t)g[s].n, sizeof *l[s].next);
        if (status == SCREE_OK && (l[s].first == NULL || l[s].next == NULL))
            status = SCREE_ERR_MEMORY;
        if (status == SCREE_OK)
            update(&g[s], &l[s]);
    }
    for (int t = 0; t < rounds && status == SCREE_OK; ++t)
        for (int s = 0; s < sizes && status == SCREE_OK; ++s) {
            double seconds = 0.0;
            for (int k = 0; k < steps[s]; ++k) {
                double most;
                step_gas(&g[s], &most);
                double begin = bench_timer(1);
                if (most > 0.5 * (cell[s] - 1.0))  // two of them may have come closer by twice as much
                    update(&g[s], &l[s]);
                search_lists(&g[s], &l[s]);
                seconds += bench_timer(1) - begin;
            }
            ms[s][t] = seconds / steps[s] * 1e9 / g[s].n;
            if (bench_interrupted())
                status = scree_fail(SCREE_ERR_CANCELLED, "stopped on request");
        }
    double best = INFINITY;
    bench_quartiles q[sizes];
    for (int s = 0; s < sizes && status == SCREE_OK; ++s) {
        q[s] = bench_spread(ms[s], rounds);
        best = fmin(best, q[s].median);
    }
    for (int s = 0; s < sizes && status == SCREE_OK; ++s)
        status = findings_row(f, NULL, (const double[]){cell[s], g[s].n / pow(l[s].m, 3.0), (double)l[s].updates / (rounds * steps[s]), (double)l[s].tests / (rounds * steps[s]) / g[s].n,
                                                        (double)l[s].found / (rounds * steps[s]) / g[s].n, q[s].median, q[s].low, q[s].high, q[s].median / best, q[s].low / best, q[s].high / best});
    for (int s = 0; s < sizes; ++s) {
        scree_free(g[s].x);
        scree_free(l[s].first);
        scree_free(l[s].next);
    }
    return status;
}

static scree_status run_bench(findings* f, const bench_options* co)
{
    const int side = co->quick ? 24 : 48, repeats = co->quick ? 5 : 9;
    bench_own own;
    scree_status status = bench_own_get(co, 0, 10000, 0.4, &own);
    if (own.given)
        findings_own(f, own.name);
    if (status == SCREE_OK)
        status = own.given ? own_sizes(f, &own, repeats, co) : paper_sizes(f, side, repeats, co);
    findings_table(f, "moving", 0, (const char* const[]){"cell_size", "spheres_per_cell", "updates_per_step", "tests_per_sphere", "pairs_per_sphere", "ns_per_sphere", "ns_per_sphere_low",
                                                         "ns_per_sphere_high", "by_best", "by_best_low", "by_best_high", NULL});
    if (status == SCREE_OK && !own.given)
        status = move_sizes(f, co->quick ? 16.0 : 48.0, co);
    findings_paper(f, "Section 2.2: \"the cell sizes all need to exceed at least the size of the largest particle. [...] The size of the cells can be selected such that one cell contains about three "
                      "particles\".");
    findings_paper(f, "Eq. 3: the number of distances follows from the number of cells. \"For systems with m <= 3, there is no benefit in using any NDS\" (neighbour data structure).");
    findings_paper(f, "Section 2.4: \"If the cells are either very small or very large, the contact detection is inefficient because updates are too frequently necessary or too many particles are in "
                      "the neighborhood, respectively.\"");
    findings_note(f, "Still: %d equal spheres, one in each cell of a lattice, so that cells of whole diameters hold equally many. Moving: half a sphere per cubic diameter, each moves by 0.005 diameters per "
                     "step and axis (root mean square), cell lists are kept as long as they are sure to hold. Times are medians and quartiles of rounds in turns; inefficient: 1.5 times the time of the "
                     "best size or more.", side * side * side);
    scree_sphere_set_free(&own.set);
    return status;
}

const experiment bench_cells = {
    .name = "cells",
    .about = "Muth et al., Eq. 3: tests against the size of cells, predicted and counted",
    .title = "Linked cells: how large?",
    .paper = true,
    .takes = TAKES_OWN | TAKES_DENSITY | TAKES_COUNT,
    .run = run_bench,
    .texts = 0,
    .columns = columns,
    .claims = (const claim[]){
        {.quantity = "counted tests by Eq. 3 with the faces accounted for, least of all sizes", .source = "Eq. 3", .paper = 1, .least = 0.95, .most = 1.05, .how = CLAIM_LEAST,
         .column = "tests_by_eq_3"},
        {.quantity = "counted tests by Eq. 3 with the faces accounted for, most of all sizes", .source = "Eq. 3", .paper = 1, .least = 0.95, .most = 1.05, .how = CLAIM_MOST,
         .column = "tests_by_eq_3"},
        {.quantity = "three cells along an axis: tests by those of all pairs", .source = "Eq. 3", .words = "no benefit", .least = 0.9, .most = 1.0, .column = "tests_by_all_pairs",
         .rows = "cells_of_axis=3"},
        {.quantity = "about three spheres in a cell (1.8 diameters): time of a step by that of the best size", .source = "Section 2.2", .words = "can be selected so", .least = 0.9, .most = 1.2,
         .table = "moving", .column = "by_best", .rows = "cell_size=1.8", .timed = true},
        {.quantity = "very small cells (1 diameter): time of a step by that of the best size", .source = "Section 2.4", .words = "inefficient", .least = 1.5, .most = 100.0, .table = "moving",
         .column = "by_best", .rows = "cell_size=1", .timed = true},
        {.quantity = "very large cells (8 diameters): time of a step by that of the best size", .source = "Section 2.4", .words = "inefficient", .least = 1.5, .most = 1e4, .table = "moving",
         .column = "by_best", .rows = "cell_size=8", .timed = true},
        {.quantity = "updates per step with cells of 1 diameter", .source = "Section 2.4", .words = "updates are too frequently necessary", .least = 0.99, .most = 1.01, .table = "moving",
         .column = "updates_per_step", .rows = "cell_size=1"},
        {0}},
    .charts = (const chart[]){
        {.title = "Distances computed", .x_label = "cell size", .y_label = "tests", .x = "cell_size", .y = "tests", .x_log = true, .y_log = true},
        {.suffix = "time", .title = "Time to find all pairs of still spheres", .x_label = "cell size", .y_label = "milliseconds", .x = "cell_size", .y = "ms", .x_log = true, .y_log = true},
        {.suffix = "moving", .title = "Moving spheres: time of a step by the size of cells", .x_label = "cell size in diameters", .y_label = "nanoseconds per sphere", .table = "moving", .x = "cell_size",
         .y = "ns_per_sphere", .x_log = true, .y_log = true},
        {0}},
};
