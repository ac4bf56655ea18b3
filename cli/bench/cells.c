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

exit_code bench_cells(const arguments* args, const common* co, bool quick)
{
    static const int cells_of_axis[] = {2, 3, 4, 6, 8, 12, 16, 24, 48};
    const int side = quick ? 24 : 48, repeats = quick ? 3 : 9;
    findings* f = findings_open(args, co, "cells", "Linked cells: how large?");
    findings_columns(f, 0, (const char* const[]){"cells_of_axis", "cell_size", "spheres_per_cell", "tests", "eq_3", "eq_3_with_faces", "cells", "ms", NULL});
    scree_sphere_set set = {0};
    scree_status status = make_spheres(side, co->seed, &set);
    double size[most_sizes], tests[most_sizes], eq[most_sizes], ms[most_sizes], worst = 0.0, best = INFINITY;
    int sizes = 0, fastest = 0;
    for (size_t k = 0; k < sizeof cells_of_axis / sizeof *cells_of_axis && status == SCREE_OK; ++k) {
        int m = cells_of_axis[k];
        if (side % m != 0)
            continue;
        scree_index_def def = scree_default_index_def();
        def.method = SCREE_METHOD_LINKED_CELLS;
        def.box = set.box;
        def.skin = -1.0;
        def.threads = co->threads > 0 ? co->threads : 1;
        def.cell_size = (double)side / m;
        bool long_one = predicted(m, pow((double)side / m, 3.0), true) > 3e8;  // seconds: once will do, and nothing is cold for long
        int rounds = long_one ? 1 : repeats;
        double seconds[16] = {0.0};
        scree_index* index = NULL;
        scree_pairs pairs;
        status = scree_index_create(&def, &index);
        for (int t = long_one ? 0 : -1; t < rounds && status == SCREE_OK; ++t) {
            double begin = bench_timer(def.threads);
            status = scree_index_update(index, scree_sphere_set_view(&set));
            if (status == SCREE_OK)
                status = scree_index_pairs(index, &pairs);
            if (status == SCREE_OK && run_interrupted())
                status = scree_fail(SCREE_ERR_CANCELLED, "stopped on request");
            if (t >= 0)
                seconds[t] = bench_timer(def.threads) - begin;
        }
        if (status == SCREE_OK) {
            scree_index_stats stats = scree_index_get_stats(index);
            double per_cell = pow((double)side / m, 3.0);
            size[sizes] = def.cell_size;
            tests[sizes] = (double)stats.tests;
            eq[sizes] = predicted(m, per_cell, true);
            ms[sizes] = bench_median(seconds, rounds) * 1e3;
            worst = fmax(worst, fabs(tests[sizes] / eq[sizes] - 1.0));
            if (ms[sizes] < best) {
                best = ms[sizes];
                fastest = sizes;
            }
            status = findings_row(f, NULL, (const double[]){m, size[sizes], per_cell, tests[sizes], predicted(m, per_cell, false), eq[sizes], (double)stats.cells, ms[sizes]});
            ++sizes;
        }
        scree_index_destroy(index);
    }
    findings_paper(f, "Eq. 3: the number of distances follows from the number of cells; nothing is gained with three cells or fewer along an axis; too small and too "
                      "large cells are inefficient.");
    if (status == SCREE_OK) {
        findings_agrees(f, worst < 0.03, "counted tests are within %.2g %% of Eq. 3 with the faces accounted for", 100.0 * worst);
        findings_agrees(f, fastest > 0, "the fastest cells are %.3g diameters wide; the largest take %.3g times as long", size[fastest] / 0.5, ms[0] / best);
        scree_series series[] = {{.name = "counted", .count = sizes, .x = size, .y = tests, .style = SCREE_SERIES_POINTS},
                                 {.name = "Eq. 3 with faces", .count = sizes, .x = size, .y = eq, .style = SCREE_SERIES_DASHES}};
        scree_plot plot = scree_default_plot();
        plot.title = "Distances computed";
        plot.x_label = "cell size (diameter 0.5)";
        plot.y_label = "tests";
        plot.x_log = plot.y_log = true;
        plot.series = series;
        plot.series_count = 2;
        findings_plot(f, "", &plot);
        scree_series time = {.count = sizes, .x = size, .y = ms};
        plot.title = "Time to find all pairs";
        plot.y_label = "milliseconds";
        plot.series = &time;
        plot.series_count = 1;
        findings_plot(f, "time", &plot);
    }
    findings_note(f, "%d equal spheres, one in each cell of a lattice, so that all cells hold equally many. Cells smaller than two diameters, which would hold less than one, are "
                     "not tried.", side * side * side);
    scree_sphere_set_free(&set);
    return findings_close(f, status);
}
