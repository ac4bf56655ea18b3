// cells: Eq. 3 of Muth et al. (2007), how many distances linked cells compute: with m cells along each axis and n_c spheres in each,
// (3^d n_c^2 / 2 - n_c / 2) m^d. Cells at a wall have fewer neighbours, so that 3 m - 2 in place of 3 m rows of cells meet along an axis.
// Cells that are too large test too much, cells that are too small are too many to look at.
#include "bench.h"
#include "findings.h"

#include <math.h>
#include <stdio.h>

enum { most_sizes = 12 };

// `side`^3 equal spheres, one in each cell of a lattice of spacing 1, off its middle by chance: cells that are whole numbers of these hold equal numbers.
static scree_status make_spheres(int side, uint64_t seed, scree_sphere_set* out)
{
    scree_status status = scree_sphere_set_make(3, side * side * side, out);
    if (status != SCREE_OK)
        return status;
    scree_rng rng = scree_rng_make(seed, 3);
    for (int i = 0; i < side * side * side; ++i) {
        const int at[3] = {i % side, i / side % side, i / (side * side)};
        out->r[i] = 0.25;
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
static scree_status search(const scree_sphere_set* set, double cell, double expected, int repeats, const common* co, scree_index_stats* stats, double* ms)
{
    scree_index_def def = scree_default_index_def();
    def.method = SCREE_METHOD_LINKED_CELLS;
    def.box = set->box;
    def.skin = -1.0;
    def.threads = co->threads > 0 ? co->threads : 1;
    def.cell_size = cell;
    bool long_one = expected > 3e8;
    int rounds = long_one ? 1 : repeats;
    double seconds[16] = {0.0};
    scree_index* index = NULL;
    scree_pairs pairs;
    scree_status status = scree_index_create(&def, &index);
    for (int t = long_one ? 0 : -1; t < rounds && status == SCREE_OK; ++t) {
        double begin = bench_timer(def.threads);
        status = scree_index_update(index, scree_sphere_set_view(set));
        if (status == SCREE_OK)
            status = scree_index_pairs(index, &pairs);
        if (status == SCREE_OK && run_interrupted())
            status = scree_fail(SCREE_ERR_CANCELLED, "stopped on request");
        if (t >= 0)
            seconds[t] = bench_timer(def.threads) - begin;
    }
    if (status == SCREE_OK) {
        *stats = scree_index_get_stats(index);
        *ms = bench_median(seconds, rounds) * 1e3;
    }
    scree_index_destroy(index);
    return status;
}

typedef struct curve {
    int count;
    double size[most_sizes], tests[most_sizes], eq[most_sizes], ms[most_sizes];
} curve;

static const char* const columns[] = {"cells_of_axis", "cell_size", "spheres_per_cell", "tests", "eq_3", "eq_3_with_faces", "cells", "ms", NULL};

static scree_status paper_sizes(findings* f, int side, int repeats, const common* co, curve* c)
{
    static const int cells_of_axis[] = {2, 3, 4, 6, 8, 12, 16, 24, 48};
    scree_sphere_set set = {0};
    scree_status status = make_spheres(side, co->seed, &set);
    for (size_t k = 0; k < sizeof cells_of_axis / sizeof *cells_of_axis && status == SCREE_OK; ++k) {
        int m = cells_of_axis[k];
        if (side % m != 0)
            continue;
        double per_cell = pow((double)side / m, 3.0);
        scree_index_stats stats;
        c->size[c->count] = (double)side / m;
        c->eq[c->count] = predicted(m, per_cell, true);
        status = search(&set, c->size[c->count], c->eq[c->count], repeats, co, &stats, &c->ms[c->count]);
        if (status != SCREE_OK)
            break;
        c->tests[c->count] = (double)stats.tests;
        status = findings_row(f, NULL, (const double[]){m, c->size[c->count], per_cell, c->tests[c->count], predicted(m, per_cell, false), c->eq[c->count], (double)stats.cells,
                                                        c->ms[c->count]});
        ++c->count;
    }
    scree_sphere_set_free(&set);
    return status;
}

// The user's spheres, from cells of one largest diameter on. Eq. 3 takes them as spread evenly, m cells along an axis of mean length.
static scree_status own_sizes(findings* f, const bench_own* own, int repeats, const common* co, curve* c, double* widest)
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
        scree_index_stats stats;
        c->size[c->count] = cell;
        c->eq[c->count] = (around * per_cell * per_cell / 2.0 - per_cell / 2.0) * cells;
        status = search(set, cell, c->eq[c->count], repeats, co, &stats, &c->ms[c->count]);
        if (status != SCREE_OK)
            break;
        c->tests[c->count] = (double)stats.tests;
        status = findings_row(f, NULL, (const double[]){m, cell, per_cell, c->tests[c->count], (pow(3.0, set->dim) * per_cell * per_cell / 2.0 - per_cell / 2.0) * cells,
                                                        c->eq[c->count], (double)stats.cells, c->ms[c->count]});
        ++c->count;
    }
    scree_sphere_set_free(&made);
    return status;
}

exit_code bench_cells(const arguments* args, const common* co, bool quick)
{
    const int side = quick ? 24 : 48, repeats = quick ? 3 : 9;
    findings* f = findings_open(args, co, "cells", "Linked cells: how large?");
    findings_columns(f, 0, columns);
    curve c = {.count = 0};
    double widest = 0.5, worst = 0.0;
    bench_own own;
    scree_status status = bench_own_get(args, co, 0, 10000, 0.4, &own);
    if (own.given)
        findings_own(f, own.name);
    if (status == SCREE_OK)
        status = own.given ? own_sizes(f, &own, repeats, co, &c, &widest) : paper_sizes(f, side, repeats, co, &c);
    findings_paper(f, "Eq. 3: the number of distances follows from the number of cells; nothing is gained with three cells or fewer along an axis; too small and too "
                      "large cells are inefficient.");
    if (status == SCREE_OK) {
        int fastest = 0, slowest = 0;
        for (int k = 0; k < c.count; ++k) {
            worst = fmax(worst, fabs(c.tests[k] / c.eq[k] - 1.0));
            fastest = c.ms[k] < c.ms[fastest] ? k : fastest;
            slowest = c.ms[k] > c.ms[slowest] ? k : slowest;
        }
        if (own.given) {
            if (c.ms[slowest] > 1.2 * c.ms[fastest])
                findings_agrees(f, "the size of cells matters: the fastest are %.3g of the largest diameters wide; the slowest, %.3g wide, take %.3g times as long (more than 1.2)",
                                c.size[fastest] / widest, c.size[slowest] / widest, c.ms[slowest] / c.ms[fastest]);
            else
                findings_differs(f, "the size of cells hardly matters: the fastest are %.3g of the largest diameters wide; the slowest, %.3g wide, take only %.3g times as long (not more than 1.2)",
                                 c.size[fastest] / widest, c.size[slowest] / widest, c.ms[slowest] / c.ms[fastest]);
            findings_note(f, "Spheres as they are given are not spread evenly over cells; Eq. 3, which takes them so, is off by up to a factor of %.3g.", worst + 1.0);
        } else {
            if (worst < 0.03)
                findings_agrees(f, "counted tests are within %.2g %% of Eq. 3 with the faces accounted for (allowed 3 %%)", 100.0 * worst);
            else
                findings_differs(f, "counted tests are up to %.2g %% off Eq. 3 with the faces accounted for (allowed 3 %%)", 100.0 * worst);
            if (fastest > 0)
                findings_agrees(f, "small cells are faster: the fastest are %.3g diameters wide; the largest take %.3g times as long", c.size[fastest] / widest, c.ms[0] / c.ms[fastest]);
            else
                findings_differs(f, "the largest cells, %.3g diameters wide, are the fastest", c.size[0] / widest);
            findings_note(f, "%d equal spheres, one in each cell of a lattice, so that all cells hold equally many. Cells smaller than two diameters, which would hold less than one, are "
                             "not tried.", side * side * side);
        }
        scree_series series[] = {{.name = "counted", .count = c.count, .x = c.size, .y = c.tests, .style = SCREE_SERIES_POINTS},
                                 {.name = "Eq. 3 with faces", .count = c.count, .x = c.size, .y = c.eq, .style = SCREE_SERIES_DASHES}};
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
        scree_series time = {.count = c.count, .x = c.size, .y = c.ms};
        plot.title = "Time to find all pairs";
        plot.y_label = "milliseconds";
        plot.series = &time;
        plot.series_count = 1;
        findings_plot(f, "time", &plot);
    }
    scree_sphere_set_free(&own.set);
    return findings_close(f, status);
}
