// muth-matrix: Fig. 8 and 9 of Muth et al. (2007): 300 discs, numbered in sequence, at the beginning and two seconds later, and who touches whom
// as a matrix: near the diagonal at first, all over later, since neighbours mix.
#include "bench.h"
#include "findings.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { disc_count = 300 };

// Row by row from below, so that numbers follow places.
static int by_place(const void* a, const void* b)
{
    const double *p = a, *q = b, row = 2.5e-3;
    double rows = floor(p[1] / row) - floor(q[1] / row);
    if (rows != 0.0)
        return rows < 0.0 ? -1 : 1;
    return (p[0] > q[0]) - (p[0] < q[0]);
}

static scree_status make_discs(uint64_t seed, scree_sphere_set* out)
{
    scree_sizes* sizes = NULL;
    scree_status status = scree_sphere_set_make(2, disc_count, out);
    if (status == SCREE_OK)
        status = scree_sizes_parse("uniform-size:0.5e-3:1.5e-3", 2, &sizes);
    if (status == SCREE_OK)
        status = scree_sizes_draw(sizes, SCREE_SAMPLING_SHIFTED, seed, disc_count, out->r);
    scree_sizes_free(sizes);
    if (status != SCREE_OK)
        return status;
    scree_place_def def = scree_default_place_def();
    out->box = def.box = scree_box_sized(2, (double[3]){0.035, 0.070, 0.0});
    out->has_box = true;
    def.seed = seed;
    status = scree_place_random(&def, disc_count, out->r, out->x);
    if (status != SCREE_OK)
        return status;
    double rows[disc_count][3];
    for (int i = 0; i < disc_count; ++i) {
        rows[i][0] = out->x[2 * i];
        rows[i][1] = out->x[2 * i + 1];
        rows[i][2] = out->r[i];
    }
    qsort(rows, disc_count, sizeof *rows, by_place);
    for (int i = 0; i < disc_count; ++i) {
        out->x[2 * i] = rows[i][0];
        out->x[2 * i + 1] = rows[i][1];
        out->r[i] = rows[i][2];
    }
    return SCREE_OK;
}

// Pairs whose boxes come near: half a radius of the smallest, so that a loose heap shows its neighbours too.
static scree_status show(findings* f, double time, const scree_sphere_set* set, double* mean_distance)
{
    scree_index_def def = scree_default_index_def();
    def.box = set->box;
    def.gap = 0.25e-3;
    scree_index* index = NULL;
    scree_pairs pairs;
    scree_status status = scree_index_create(&def, &index);
    if (status == SCREE_OK)
        status = scree_index_update(index, scree_sphere_set_view(set));
    if (status == SCREE_OK)
        status = scree_index_pairs(index, &pairs);
    double *i = NULL, *j = NULL;
    if (status == SCREE_OK) {
        i = scree_malloc((size_t)pairs.count + 1, sizeof *i);
        j = scree_malloc((size_t)pairs.count + 1, sizeof *j);
        status = i == NULL || j == NULL ? SCREE_ERR_MEMORY : SCREE_OK;
    }
    if (status == SCREE_OK) {
        double sum = 0.0;
        for (int64_t k = 0; k < pairs.count; ++k) {
            i[k] = pairs.ij[k][0];
            j[k] = pairs.ij[k][1];
            sum += j[k] - i[k];
        }
        *mean_distance = pairs.count > 0 ? sum / (double)pairs.count : 0.0;
        char title[80], suffix[24];
        snprintf(title, sizeof title, "Contact matrix at t = %g s", time);
        snprintf(suffix, sizeof suffix, "t%g", time);
        scree_series series = {.count = (int32_t)pairs.count, .x = i, .y = j, .style = SCREE_SERIES_POINTS};
        scree_plot plot = scree_default_plot();
        plot.width = plot.height = 900;
        plot.title = title;
        plot.x_label = "i";
        plot.y_label = "j";
        plot.x_range[0] = plot.y_range[0] = 0.0;
        plot.x_range[1] = plot.y_range[1] = disc_count;
        plot.series = &series;
        plot.series_count = 1;
        findings_plot(f, suffix, &plot);
        snprintf(suffix, sizeof suffix, "discs-t%g", time);
        scree_picture_def look = scree_default_picture_def();
        look.width = 700;
        look.height = 1000;
        findings_picture(f, suffix, set, &look);
        status = findings_row(f, NULL, (const double[]){time, (double)pairs.count, *mean_distance});
    }
    scree_free(i);
    scree_free(j);
    scree_index_destroy(index);
    return status;
}

exit_code bench_muth_matrix(const arguments* args, const common* co, bool quick)
{
    findings* f = findings_open(args, co, "muth-matrix", "300 discs and their contact matrix");
    findings_columns(f, 0, (const char* const[]){"time", "near_pairs", "mean_index_distance", NULL});
    scree_sphere_set set = {0};
    scree_status status = make_discs(co->seed, &set);
    scree_sim_def def = scree_default_sim_def();
    def.box = set.box;
    def.gravity[1] = -9.81;
    def.stiffness = 1e6;
    def.material_density = 7000.0;
    def.threads = co->threads;
    def.watch = run_watch("falling", co->quiet);
    scree_sim* sim = NULL;
    double first = 0.0, last = 0.0, end = quick ? 0.2 : 2.0;
    if (status == SCREE_OK)
        status = scree_sim_create(&def, scree_sphere_set_view(&set), NULL, &sim);
    if (status == SCREE_OK)
        status = show(f, 0.0, &set, &first);
    if (status == SCREE_OK) {
        status = scree_sim_run(sim, (int64_t)(end / scree_sim_get_numbers(sim).step));
        run_watch_end();
    }
    if (status == SCREE_OK) {
        scree_sim_state state = {.x = set.x};
        status = scree_sim_get_state(sim, &state);
    }
    if (status == SCREE_OK)
        status = show(f, end, &set, &last);
    findings_paper(f, "Fig. 8 and 9: numbered in sequence, discs touch those with near numbers at first; two seconds later, without dissipation, the matrix "
                      "has entries everywhere.");
    if (status == SCREE_OK && last > 1.5 * first)
        findings_agrees(f, "partners are %.0f numbers apart at t = 0, %.0f at t = %g s, more than 1.5 times as many", first, last, end);
    else if (status == SCREE_OK)
        findings_differs(f, "partners are %.0f numbers apart at t = 0, %.0f at t = %g s, not more than 1.5 times as many", first, last, end);
    findings_note(f, "Stiffness 1e6 and a step of 1/50 contact in place of 1e7 and 1e-7 s, which would be 2e7 steps; with 1e4 discs that fall this deep go through the floor.");
    scree_sim_destroy(sim);
    scree_sphere_set_free(&set);
    return findings_close(f, status);
}
