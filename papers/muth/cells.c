// cells: section 2.2 of Muth et al. (2007). Eq. 3, how many distances linked cells compute: with m cells along each axis and n_c spheres in each,
// (3^d n_c^2 / 2 - n_c / 2) m^d. Cells at a wall have fewer neighbours, so that 3 m - 2 in place of 3 m rows of cells meet along an axis. The rule that a cell should
// hold about three spheres; and that nothing is gained with three cells or fewer along an axis.
//
// Cells from half the box down to one diameter, the smallest that are allowed: larger ones test too much, smaller ones are too many to look at.
#include "bench/harness.h"

#include <math.h>
#include <stdio.h>

enum { most_sizes = 16, most_repeats = 16 };

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

typedef struct curve {
    int count;
    double size[most_sizes], per_cell[most_sizes], tests[most_sizes], eq[most_sizes], ms[most_sizes], low[most_sizes], high[most_sizes];
} curve;

// One row, and its point of the curve.
static scree_status add_size(findings* f, const scree_sphere_set* set, double m, double cell, double per_cell, double eq_3, double with_faces, int repeats, const bench_options* co, curve* c)
{
    scree_index_stats stats;
    bench_quartiles ms;
    scree_status status = search(set, cell, with_faces, repeats, co, &stats, &ms);
    if (status != SCREE_OK)
        return status;
    int k = c->count++;
    c->size[k] = cell;
    c->per_cell[k] = per_cell;
    c->tests[k] = (double)stats.tests;
    c->eq[k] = with_faces;
    c->ms[k] = ms.median;
    c->low[k] = ms.low;
    c->high[k] = ms.high;
    return findings_row(f, NULL, (const double[]){m, cell, per_cell, c->tests[k], eq_3, with_faces, (double)stats.cells, ms.median, ms.low, ms.high});
}

static const char* const columns[] = {"cells_of_axis", "cell_size", "spheres_per_cell", "tests", "eq_3", "eq_3_with_faces", "cells", "ms", "ms_low", "ms_high", NULL};

static scree_status paper_sizes(findings* f, int side, int repeats, const bench_options* co, curve* c)
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
            status = add_size(f, &set, n, (double)side / n, per_cell, predicted(n, per_cell, false), predicted(n, per_cell, true), repeats, co, c);
        }
        before = m;
    }
    scree_sphere_set_free(&set);
    return status;
}

// The user's spheres, from cells of one largest diameter on. Eq. 3 takes them as spread evenly, m cells along an axis of mean length.
static scree_status own_sizes(findings* f, const bench_own* own, int repeats, const bench_options* co, curve* c, double* widest)
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
    *widest = 2.0 * r_max;
    for (size_t k = 0; k < sizeof factors / sizeof *factors && status == SCREE_OK; ++k) {
        double cell = factors[k] * *widest, m = length / cell, per_cell = set->count / pow(m, set->dim);
        if (k > 0 && m < 1.0)
            break;
        double around = pow(fmax((3.0 * m - 2.0) / m, 1.0), set->dim), cells = pow(m, set->dim);
        status = add_size(f, set, m, cell, per_cell, (pow(3.0, set->dim) * per_cell * per_cell / 2.0 - per_cell / 2.0) * cells,
                          (around * per_cell * per_cell / 2.0 - per_cell / 2.0) * cells, repeats, co, c);
    }
    scree_sphere_set_free(&made);
    return status;
}

// ---- Verdicts --------------------------------------------------------------------------------------------------------

// Times are compared with a wide margin: a size of cells is good if it takes at most this many times as long as the fastest.
static const double slow = 1.5, count_allowed = 0.05;

static void compare_paper(findings* f, const curve* c, int side)
{
    double worst = 0.0, n = (double)side * side * side, all = n * (n - 1.0) / 2.0;
    int fastest = 0, three = 0, last = c->count - 1, few = -1;
    for (int k = 0; k < c->count; ++k) {
        worst = fmax(worst, fabs(c->tests[k] / c->eq[k] - 1.0));
        fastest = c->ms[k] < c->ms[fastest] ? k : fastest;
        three = fabs(c->per_cell[k] - 3.0) < fabs(c->per_cell[three] - 3.0) ? k : three;
        few = c->size[k] * 3.0 >= side * (1.0 - 1e-9) ? k : few;
    }
    if (worst <= count_allowed)
        findings_agrees(f, "counted tests are within %.2g %% of Eq. 3 with the faces accounted for, from half the box to one diameter (%g %% allowed)", 100.0 * worst, 100.0 * count_allowed);
    else
        findings_differs(f, "counted tests are up to %.2g %% off Eq. 3 with the faces accounted for (%g %% allowed)", 100.0 * worst, 100.0 * count_allowed);
    if (c->tests[few] >= 0.9 * all)
        findings_agrees(f, "with three cells along an axis %.2f of all pairs are tested, at least 0.9: nothing is gained", c->tests[few] / all);
    else
        findings_differs(f, "with three cells along an axis %.2f of all pairs are tested, less than 0.9: Eq. 3 gives all of them, but cells at walls have fewer neighbours", c->tests[few] / all);
    double ratio = c->ms[three] / c->ms[fastest];
    if (ratio <= slow)
        findings_agrees(f, "cells of %.2g diameters, with %.1f spheres each, take %.2f times as long as the fastest, of %.2g diameters (%g allowed): about three per cell is a good rule", c->size[three],
                        c->per_cell[three], ratio, c->size[fastest], slow);
    else
        findings_differs(f, "cells of %.2g diameters, with %.1f spheres each, take %.2f times as long as the fastest, of %.2g diameters, more than %g", c->size[three], c->per_cell[three],
                         ratio, c->size[fastest], slow);
    if (c->ms[0] > slow * c->ms[fastest])
        findings_agrees(f, "very large cells are inefficient: half the box wide they take %.3g times as long as the fastest (more than %g)", c->ms[0] / c->ms[fastest], slow);
    else
        findings_differs(f, "very large cells, half the box wide, take only %.3g times as long as the fastest (not more than %g)", c->ms[0] / c->ms[fastest], slow);
    findings_note(f, "The smallest cells that are allowed, one diameter wide, hold one sphere each and take %.2f times as long as the fastest.", c->ms[last] / c->ms[fastest]);
    findings_note(f, "%d equal spheres, one in each cell of a lattice, so that cells of whole diameters hold equally many. Times are medians and quartiles%s.", side * side * side,
                  c->low[0] < c->high[0] ? "" : " (one run where a search takes seconds)");
}

static void compare_own(findings* f, const curve* c, double widest)
{
    double worst = 0.0;
    int fastest = 0, slowest = 0;
    for (int k = 0; k < c->count; ++k) {
        worst = fmax(worst, fabs(c->tests[k] / c->eq[k] - 1.0));
        fastest = c->ms[k] < c->ms[fastest] ? k : fastest;
        slowest = c->ms[k] > c->ms[slowest] ? k : slowest;
    }
    if (c->ms[slowest] > slow * c->ms[fastest])
        findings_agrees(f, "the size of cells matters: the fastest are %.3g of the largest diameters wide and hold %.2g spheres; the slowest, %.3g wide, take %.3g times as long (more than %g)",
                        c->size[fastest] / widest, c->per_cell[fastest], c->size[slowest] / widest, c->ms[slowest] / c->ms[fastest], slow);
    else
        findings_differs(f, "the size of cells hardly matters: the fastest are %.3g of the largest diameters wide and hold %.2g spheres; the slowest, %.3g wide, take only %.3g times as long (not more "
                         "than %g)", c->size[fastest] / widest, c->per_cell[fastest], c->size[slowest] / widest, c->ms[slowest] / c->ms[fastest], slow);
    findings_note(f, "Spheres as they are given are not spread evenly over cells; Eq. 3, which takes them so, is off by up to a factor of %.3g.", worst + 1.0);
}

static void plot_both(findings* f, const curve* c, double widest)
{
    scree_series series[] = {{.name = "counted", .count = c->count, .x = c->size, .y = c->tests, .style = SCREE_SERIES_POINTS},
                             {.name = "Eq. 3 with faces", .count = c->count, .x = c->size, .y = c->eq, .style = SCREE_SERIES_DASHES}};
    char label[64];
    snprintf(label, sizeof label, "cell size (largest diameter %.3g)", widest);
    scree_plot plot = scree_default_plot();
    plot.title = "Distances computed";
    plot.x_label = label;
    plot.y_label = "tests";
    plot.x_log = plot.y_log = true;
    plot.series = series;
    plot.series_count = 2;
    findings_plot(f, "", &plot);
    scree_series time = {.count = c->count, .x = c->size, .y = c->ms, .low = c->low, .high = c->high};
    plot.title = "Time to find all pairs";
    plot.y_label = "milliseconds";
    plot.series = &time;
    plot.series_count = 1;
    findings_plot(f, "time", &plot);
}

static scree_status run_bench(findings* f, const bench_options* co)
{
    const bool quick = co->quick;
    const int side = quick ? 24 : 48, repeats = quick ? 5 : 9;
    static curve c;
    c.count = 0;
    double widest = diameter;
    bench_own own;
    scree_status status = bench_own_get(co, 0, 10000, 0.4, &own);
    if (own.given)
        findings_own(f, own.name);
    if (status == SCREE_OK)
        status = own.given ? own_sizes(f, &own, repeats, co, &c, &widest) : paper_sizes(f, side, repeats, co, &c);
    findings_paper(f, "Section 2.2: \"the cell sizes all need to exceed at least the size of the largest particle. [...] The size of the cells can be selected such that one cell contains about three "
                      "particles\".");
    findings_paper(f, "Eq. 3: the number of distances follows from the number of cells. \"For systems with m <= 3, there is no benefit in using any NDS\" (neighbour data structure).");
    findings_paper(f, "Section 2.4: \"If the cells are either very small or very large, the contact detection is inefficient because updates are too frequently necessary or too many particles are in "
                      "the neighborhood, respectively.\"");
    if (status == SCREE_OK) {
        if (own.given)
            compare_own(f, &c, widest);
        else
            compare_paper(f, &c, side);
        plot_both(f, &c, widest);
    }
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
};
