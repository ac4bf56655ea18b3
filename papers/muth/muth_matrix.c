// muth-matrix: Fig. 8 and 9 of Muth et al. (2007): 300 discs, numbered in sequence, at the beginning and two seconds later, and the matrix of box
// collisions that the linked linear list keeps meanwhile. The paper claims: near the diagonal at first, anywhere later, since neighbours mix, and always sparse.
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

// Shares of box collisions, their mean distance from the diagonal, and the share of the n (n - 1) / 2 places that they take.
static void measure(double time, scree_pairs boxes, int64_t contacts, double sorts, double swaps, double row[8])
{
    double near = 0.0, sum = 0.0, count = fmax((double)boxes.count, 1.0);
    for (int64_t p = 0; p < boxes.count; ++p) {
        int32_t apart = boxes.ij[p][1] - boxes.ij[p][0];
        near += apart <= near_diagonal;
        sum += apart;
    }
    memcpy(row, (const double[]){time, (double)boxes.count, (double)contacts, near / count, sum / count, (double)boxes.count / (0.5 * disc_count * (disc_count - 1.0)), sorts, swaps}, 8 * sizeof *row);
}

// Entries as points: i to the right, j upwards, so that they stand above the diagonal.
static scree_status tell_entries(findings* f, const char* name, double time, scree_pairs pairs)
{
    scree_status status = SCREE_OK;
    for (int64_t p = 0; p < pairs.count && status == SCREE_OK; ++p)
        status = findings_point(f, &name, (const double[]){time, pairs.ij[p][0], pairs.ij[p][1]});
    return status;
}

// The list is up to date: its matrix, a picture, and a row for later.
static scree_status show(findings* f, scree_index* index, double time, double swaps, const scree_sphere_set* set, double row[8])
{
    scree_pairs boxes, pairs;
    scree_status status = scree_index_pairs(index, &pairs);
    const int64_t contacts = pairs.count;
    if (status == SCREE_OK)
        status = tell_entries(f, "contact", time, pairs);
    if (status == SCREE_OK)
        status = scree_index_box_pairs(index, &boxes);
    if (status == SCREE_OK)
        status = compare_with_all_pairs(set, boxes);
    if (status == SCREE_OK)
        status = tell_entries(f, "box collision", time, boxes);
    scree_picture_def look = scree_default_picture_def();
    look.width = 700;
    look.height = 1000;
    findings_picture(f, time > 0.0 ? "discs-end" : "discs-t0", set, &look);
    if (status == SCREE_OK)
        measure(time, boxes, contacts, (double)scree_index_get_stats(index).sorts, swaps, row);
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
    double end = quick ? 0.5 : 2.0, swaps = 0.0, rows[2][8];
    if (status == SCREE_OK)
        status = scree_sim_create(&def, scree_sphere_set_view(&set), NULL, &sim);
    if (status == SCREE_OK)
        status = make_index(&set, SCREE_METHOD_LINEAR_LIST, &index);
    if (status == SCREE_OK)
        status = scree_index_update(index, scree_sphere_set_view(&set));
    if (status == SCREE_OK)
        status = show(f, index, 0.0, swaps, &set, rows[0]);
    if (status == SCREE_OK)
        status = follow(sim, index, end, &set, &swaps);
    if (status == SCREE_OK)
        status = show(f, index, end, swaps, &set, rows[1]);
    findings_table(f, "times", 0, (const char* const[]){"time", "box_pairs", "contacts", "near_diagonal", "mean_index_distance", "filled", "sorts", "swaps", NULL});
    for (int k = 0; k < 2 && status == SCREE_OK; ++k)
        status = findings_row(f, NULL, rows[k]);
    findings_paper(f, "Fig. 8: 300 particles, floating with zero velocity at first, and after 2 s in which gravity has accelerated them and they have collided, without dissipation and friction.");
    findings_paper(f, "Fig. 9, left: \"Since the particle numbers are initially sequential, the entries in the matrix [...] are close to the diagonal, showing that only neighboring bodies have "
                      "colliding bounding boxes.\" This is only true for that numbering.");
    findings_paper(f, "Fig. 9, right: \"Nevertheless, the matrix is quite sparse always\". Only the upper triangle is used; the diagonal is empty.");
    findings_note(f, "The list is updated every %d steps. All pairs give the same two matrices; the benchmark fails otherwise. near_diagonal: at most %d numbers from the diagonal, a tenth of the discs; of "
                     "numbers drawn by chance 0.19 would be.", steps_per_update, near_diagonal);
    findings_note(f, "The paper gives neither sizes, box nor material for Fig. 8. Ours are taken from its section 3.1 (radii 0.5 to 1.5 mm, 7000 kg/m2), at random in 35 mm x 70 mm, numbered row by row. "
                     "Stiffness 1e6 and a step of 1/50 contact in place of 1e7 and 1e-7 s, which would be 2e7 steps; with 1e4 discs that fall this deep go through the floor.");
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
    .texts = 1,
    .columns = (const char* const[]){"entry", "time", "i", "j", NULL},
    .claims = (const claim[]){
        {.quantity = "t = 0: share of box collisions near the diagonal", .source = "Fig. 9", .words = "close to the diagonal", .least = 0.95, .most = 1.0, .table = "times", .column = "near_diagonal",
         .rows = "time=least"},
        {.quantity = "at the end: share of box collisions near the diagonal", .source = "Fig. 9", .words = "the order is lost", .least = 0.0, .most = 0.5, .table = "times", .column = "near_diagonal",
         .rows = "time=most"},
        {.quantity = "share of the matrix that is occupied, more of both times", .source = "Fig. 9", .words = "quite sparse always", .least = 0.0, .most = 0.05, .how = CLAIM_MOST,
         .table = "times", .column = "filled"},
        {0}},
    .charts = (const chart[]){
        {.suffix = "t0", .title = "Box collisions at t = 0", .x_label = "i", .y_label = "j", .x = "i", .y = "j", .by = "entry", .rows = "time=0", .points = true},
        {.suffix = "end", .title = "Box collisions at the end", .x_label = "i", .y_label = "j", .x = "i", .y = "j", .by = "entry", .rows = "time=most", .points = true},
        {0}},
};
