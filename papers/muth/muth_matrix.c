// muth-matrix: Fig. 8 and 9 of Muth et al. (2007): 300 discs, numbered in sequence, at the beginning and two seconds later, and the matrix of box
// collisions that the linked linear list keeps meanwhile: near the diagonal at first, anywhere later, since neighbours mix, and always sparse.
//
// The list is updated every 50 steps, one contact duration of the two lightest discs, so the second matrix is the first one after some ten thousand
// updates by swaps. Both are compared with all pairs.
#include "bench/harness.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { disc_count = 300, near_diagonal = disc_count / 10, steps_per_update = 50 };

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
    scree_sizes_destroy(sizes);
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

// ---- The matrix ------------------------------------------------------------------------------------------------------

typedef struct matrix {
    int64_t boxes, contacts;
    double near;      // share of the box collisions at most near_diagonal numbers from the diagonal
    double distance;  // their mean distance from it
    double filled;    // share of the n (n - 1) / 2 places that they take
} matrix;

static scree_status make_index(const scree_sphere_set* set, int32_t method, scree_index** out)
{
    scree_index_def def = scree_default_index_def();
    def.method = method;
    def.box = set->box;
    def.skin = -1.0;
    def.sorted = true;
    return scree_index_create(&def, out);
}

// That the list has what a comparison of all boxes gives.
static scree_status compare_with_all_pairs(const scree_sphere_set* set, scree_pairs found)
{
    scree_index* index = NULL;
    scree_pairs wanted;
    scree_status status = make_index(set, SCREE_METHOD_ALL_PAIRS, &index);
    if (status == SCREE_OK)
        status = scree_index_update(index, scree_sphere_set_view(set));
    if (status == SCREE_OK)
        status = scree_index_box_pairs(index, &wanted);
    if (status == SCREE_OK && (found.count != wanted.count || (found.count > 0 && memcmp(found.ij, wanted.ij, (size_t)found.count * sizeof *found.ij) != 0)))
        status = scree_fail(SCREE_ERR_ARGUMENT, "%" PRId64 " box pairs by linear-list and %" PRId64 " by all-pairs, or others; please report this", found.count, wanted.count);
    scree_index_destroy(index);
    return status;
}

static void measure(scree_pairs boxes, matrix* out)
{
    out->boxes = boxes.count;
    double near = 0.0, sum = 0.0, count = fmax((double)boxes.count, 1.0);
    for (int64_t p = 0; p < boxes.count; ++p) {
        int32_t apart = boxes.ij[p][1] - boxes.ij[p][0];
        near += apart <= near_diagonal;
        sum += apart;
    }
    out->near = near / count;
    out->distance = sum / count;
    out->filled = (double)boxes.count / (0.5 * disc_count * (disc_count - 1.0));
}

// Entries as points: i to the right, j upwards, so that they stand above the diagonal. `room` is to be freed.
static scree_status entries(const char* name, scree_pairs pairs, double** room, scree_series* out)
{
    *room = scree_malloc(2 * (size_t)pairs.count + 1, sizeof **room);
    if (*room == NULL)
        return SCREE_ERR_MEMORY;
    for (int64_t p = 0; p < pairs.count; ++p) {
        (*room)[p] = pairs.ij[p][0];
        (*room)[pairs.count + p] = pairs.ij[p][1];
    }
    *out = (scree_series){.name = name, .count = (int32_t)pairs.count, .x = *room, .y = *room + pairs.count, .style = SCREE_SERIES_POINTS};
    return SCREE_OK;
}

static void draw(findings* f, double time, const scree_sphere_set* set, scree_series boxes, scree_series contacts)
{
    char title[80], suffix[24];
    snprintf(title, sizeof title, "Box collisions at t = %g s", time);
    snprintf(suffix, sizeof suffix, "t%g", time);
    const scree_series series[] = {boxes, contacts};
    scree_plot plot = scree_default_plot();
    plot.width = 1000;
    plot.height = 900;
    plot.title = title;
    plot.x_label = "i";
    plot.y_label = "j";
    plot.x_range[0] = plot.y_range[0] = 0.0;
    plot.x_range[1] = plot.y_range[1] = disc_count;
    plot.series = series;
    plot.series_count = 2;
    findings_plot(f, suffix, &plot);
    scree_picture_def look = scree_default_picture_def();
    look.width = 700;
    look.height = 1000;
    snprintf(suffix, sizeof suffix, "discs-t%g", time);
    findings_picture(f, suffix, set, &look);
}

// The list is up to date: its matrix as a figure, a row and numbers.
static scree_status show(findings* f, scree_index* index, double time, double swaps, const scree_sphere_set* set, matrix* out)
{
    scree_pairs pairs;
    double *boxes = NULL, *contacts = NULL;
    scree_series series[2];
    scree_status status = scree_index_box_pairs(index, &pairs);
    if (status == SCREE_OK)
        status = compare_with_all_pairs(set, pairs);
    if (status == SCREE_OK) {
        measure(pairs, out);
        status = entries("box collision", pairs, &boxes, &series[0]);
    }
    if (status == SCREE_OK)
        status = scree_index_pairs(index, &pairs);
    if (status == SCREE_OK)
        status = entries("contact", pairs, &contacts, &series[1]);
    if (status == SCREE_OK) {
        out->contacts = pairs.count;
        draw(f, time, set, series[0], series[1]);
        status = findings_row(f, NULL, (const double[]){time, (double)out->boxes, (double)out->contacts, out->near, out->distance, out->filled,
                                                        (double)scree_index_get_stats(index).sorts, swaps});
    }
    scree_free(boxes);
    scree_free(contacts);
    return status;
}

// ---- The bench -------------------------------------------------------------------------------------------------------

// Lets the discs fall until `end`, with the list behind them. Swaps of all updates together.
static scree_status follow(scree_sim* sim, scree_index* index, double end, scree_sphere_set* set, double* swaps)
{
    int64_t steps = llround(end / scree_sim_get_numbers(sim).time_step);
    scree_watch watch = bench_watch("falling");
    scree_status status = SCREE_OK;
    while (scree_sim_get_step(sim) < steps && status == SCREE_OK) {
        if (!watch.tick(watch.context, (double)scree_sim_get_step(sim) / (double)steps)) {
            status = scree_fail(SCREE_ERR_CANCELLED, "stopped on request");
            break;
        }
        int64_t left = steps - scree_sim_get_step(sim);
        status = scree_sim_run(sim, left < steps_per_update ? left : steps_per_update);
        if (status == SCREE_OK)
            status = scree_sim_get_column(sim, "x", set->x);
        if (status == SCREE_OK)
            status = scree_index_update(index, scree_sphere_set_view(set));
        *swaps += (double)scree_index_get_stats(index).swaps;
    }
    bench_watch_end();
    return status;
}

static void compare(findings* f, const matrix* first, const matrix* last, double end)
{
    const double n = disc_count, b = near_diagonal, by_chance = b * (2.0 * n - b - 1.0) / (n * (n - 1.0));
    findings_paper(f, "Fig. 8: 300 particles, floating with zero velocity at first, and after 2 s in which gravity has accelerated them and they have collided, without dissipation and friction.");
    findings_paper(f, "Fig. 9, left: \"Since the particle numbers are initially sequential, the entries in the matrix [...] are close to the diagonal, showing that only neighboring bodies have "
                      "colliding bounding boxes.\" This is only true for that numbering.");
    findings_paper(f, "Fig. 9, right: \"Nevertheless, the matrix is quite sparse always\". Only the upper triangle is used; the diagonal is empty.");
    if (first->near >= 0.95)
        findings_agrees(f, "at t = 0 %.0f %% of the %lld box collisions are at most %d numbers from the diagonal, a tenth of the discs; 95 %% counts as close to it", 100.0 * first->near,
                        (long long)first->boxes, near_diagonal);
    else
        findings_differs(f, "at t = 0 only %.0f %% of the %lld box collisions are at most %d numbers from the diagonal; 95 %% would count as close to it", 100.0 * first->near,
                         (long long)first->boxes, near_diagonal);
    if (last->near < 0.5)
        findings_agrees(f, "at t = %g s %.0f %% of %lld are, less than half (of numbers drawn by chance %.0f %% would be): the numbering has lost its order", end, 100.0 * last->near,
                        (long long)last->boxes, 100.0 * by_chance);
    else
        findings_differs(f, "at t = %g s still %.0f %% of %lld are, not less than half (of numbers drawn by chance %.0f %% would be)", end, 100.0 * last->near, (long long)last->boxes,
                         100.0 * by_chance);
    double most = 100.0 * fmax(first->filled, last->filled);
    if (most <= 5.0)
        findings_agrees(f, "at both times at most %.1f %% of the %d entries above the diagonal are occupied; up to 5 %% counts as quite sparse", most, disc_count * (disc_count - 1) / 2);
    else
        findings_differs(f, "%.1f %% of the %d entries above the diagonal are occupied, more than the 5 %% that would count as quite sparse", most, disc_count * (disc_count - 1) / 2);
}

static scree_status run_bench(findings* f, const bench_options* co)
{
    const bool quick = co->quick;
    scree_sphere_set set = {0};
    scree_status status = make_discs(co->seed, &set);
    scree_sim_def def = scree_default_sim_def();
    def.box = set.box;
    def.gravity[1] = -9.81;
    def.stiffness = 1e6;
    def.material_density = 7000.0;
    def.threads = co->threads;
    scree_sim* sim = NULL;
    scree_index* index = NULL;
    matrix first = {0}, last = {0};
    double end = quick ? 0.5 : 2.0, swaps = 0.0;
    if (status == SCREE_OK)
        status = scree_sim_create(&def, scree_sphere_set_view(&set), NULL, &sim);
    if (status == SCREE_OK)
        status = make_index(&set, SCREE_METHOD_LINEAR_LIST, &index);
    if (status == SCREE_OK)
        status = scree_index_update(index, scree_sphere_set_view(&set));
    if (status == SCREE_OK)
        status = show(f, index, 0.0, swaps, &set, &first);
    if (status == SCREE_OK)
        status = follow(sim, index, end, &set, &swaps);
    if (status == SCREE_OK)
        status = show(f, index, end, swaps, &set, &last);
    if (status == SCREE_OK) {
        int64_t sorts = scree_index_get_stats(index).sorts;
        compare(f, &first, &last, end);
        findings_note(f, "The list is updated every %d steps, by %.3g swaps altogether; it was sorted from scratch %lld time%s. All pairs give the same two matrices; the benchmark fails otherwise.",
                      steps_per_update, swaps, (long long)sorts, sorts == 1 ? "" : "s");
        findings_note(f, "The paper gives neither sizes, box nor material for Fig. 8. Ours are taken from its section 3.1 (radii 0.5 to 1.5 mm, 7000 kg/m2), at random in 35 mm x 70 mm, numbered row by row. "
                         "Stiffness 1e6 and a step of 1/50 contact in place of 1e7 and 1e-7 s, which would be 2e7 steps; with 1e4 discs that fall this deep go through the floor.");
    }
    scree_index_destroy(index);
    scree_sim_destroy(sim);
    scree_sphere_set_free(&set);
    return status;
}

const experiment bench_muth_matrix = {
    .name = "muth-matrix",
    .about = "Muth et al., Fig. 8, 9: 300 discs and the matrix of their box collisions",
    .title = "300 discs and the matrix of their box collisions",
    .paper = true,
    .run = run_bench,
    .texts = 0,
    .columns = (const char* const[]){"time", "box_pairs", "contacts", "near_diagonal", "mean_index_distance", "filled", "sorts", "swaps", NULL},
};
