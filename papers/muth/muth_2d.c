// muth-2d: Fig. 10 and 11 of Muth et al. (2007).
//
// The paper lets 244 to 7800 discs of different sizes fall and plots the computation time of Verlet lists, linked cells and the linked linear list against their number, joined at the smallest. It
// claims: the curve of Verlet lists is the steepest and not linear, both others are almost linear; all three jump between 1950 and 3900 discs, because the density varies from 0.670 to 0.678.
//
// The paper says what its boxes are filled to, but not how its discs begin and how long they fall. Here they grow into the paper's boxes and fall from rest for 0.1 s:
// about the time in which the tallest column, 280 mm at a density of 0.68, becomes a heap. What depends on how far discs move is shown as a function of it: the linked
// linear list is also searched at every 100th, 300th, ... step.
#include "muth.h"

#include <math.h>
#include <stdio.h>

// Boxes of the paper, in cells of 7 mm; radii are times `scale`.
static scree_status make_scaled_discs(const muth_series* s, int32_t count, double scale, const bench_options* co, muth_system* out)
{
    static const struct {
        int32_t count, wide, tall;
    } boxes[] = {{244, 5, 5}, {488, 5, 10}, {975, 10, 10}, {1950, 10, 20}, {3900, 20, 20}, {7800, 20, 40}};
    char scene[muth_scene_size] = "";
    for (size_t k = 0; k < sizeof boxes / sizeof *boxes; ++k)
        if (boxes[k].count == count)
            snprintf(scene, sizeof scene,
                     "dimension: 2\n"
                     "box: {size: [%.17g, %.17g]}\n"
                     "gravity: [0, -9.81]\n"
                     "spheres: {count: %d, sizes: \"uniform-size:%.17g:%.17g\", place: grow, material_density: 7000, velocity: zero}\n"
                     "contact: {law: linear, stiffness: 1e7, damping: 0}\n"
                     "time: {step: 1e-7, steps: %lld}\n",
                     boxes[k].wide * 7e-3, boxes[k].tall * 7e-3, (int)count, 0.5e-3 * scale, 1.5e-3 * scale, (long long)s->plan.steps);
    return muth_make(scene, s->cell, co, out);
}

static scree_status make_discs(const muth_series* s, int32_t count, const bench_options* co, muth_system* out)
{
    return make_scaled_discs(s, count, 1.0, co, out);
}

// The paper explains a jump of its curves between 1950 and 3900 discs by a density that varies from 0.670 to 0.678. So the last but one system (in the full
// series that of 3900) once more, with radii for a density of 0.670.
static scree_status try_density(findings* f, const muth_series* s, const bench_options* co)
{
    const muth_found* dense = &s->found[s->systems - 2];
    muth_system sparse = {0};
    muth_found found;
    scree_status status = make_scaled_discs(s, s->counts[s->systems - 2], sqrt(0.670 / dense->density), co, &sparse);
    if (status == SCREE_OK)
        status = muth_watch(&(muth_plan){.name = "falling", .steps = s->plan.steps, .windows = s->plan.windows}, &sparse, co, &found);
    muth_free(&sparse);
    findings_table(f, "density", 1, (const char* const[]){"method", "n", "density", "density_sparse", "work_per_sphere", "work_sparse", "change", NULL});
    for (int way = 0; way <= MUTH_LIST && status == SCREE_OK; ++way) {
        const double work[2] = {dense->way[way].work, found.way[way].work};
        status = findings_row(f, &muth_names[way], (const double[]){dense->count, dense->density, found.density, work[0], work[1], fabs(work[0] / work[1] - 1.0)});
    }
    return status;
}

// Whether work and time per disc jump where the paper's curves do, from 1950 to 3900: beside what they do from 975 to 1950 and from 3900 to 7800.
static scree_status look_for_jump(findings* f, const muth_series* s)
{
    scree_status status = SCREE_OK;
    findings_table(f, "jump", 1, (const char* const[]){"method", "work", "time", NULL});
    for (int way = 0; way <= MUTH_LIST && s->systems == 6 && status == SCREE_OK; ++way) {
        const muth_found* found = &s->found[2];
        double jump[2];
        for (int k = 0; k < 2; ++k) {
            double y[4];
            for (int i = 0; i < 4; ++i)
                y[i] = k == 0 ? found[i].way[way].work : found[i].way[way].seconds;
            jump[k] = fabs(y[2] / y[1] / sqrt(y[1] / y[0] * y[3] / y[2]) - 1.0);
        }
        status = findings_row(f, &muth_names[way], jump);
    }
    return status;
}

static scree_status run_bench(findings* f, const bench_options* co)
{
    const bool quick = co->quick;
    static const int32_t counts[] = {244, 488, 975, 1950, 3900, 7800};
    muth_series s = {.dim = 2, .systems = quick ? 3 : 6, .counts = counts, .cell = 7e-3, .pictures = true, .make = make_discs,
                     .plan = {.name = "falling", .steps = quick ? 100000 : 1000000, .windows = quick ? 5 : 20, .stride_count = 6,
                              .stride = {100, 300, 1000, 3000, 10000, 30000}}};
    bench_own own;
    scree_status status = bench_own_get(co, 0, 8000, 0.25, &own);
    if (status == SCREE_OK && own.given)
        return muth_series_own(f, &s, &own, co);
    if (status == SCREE_OK)
        status = muth_series_run(f, &s, co);
    findings_paper(f, "Fig. 10 and 11: \"the curve for the Verlet method is the steepest, increasing non-linearly with n, whereas both other curves display very "
                      "similar, almost linear behavior.\" The figure's values are not printed.");
    findings_paper(f, "\"All three curves show a jump between 1950 and 3900 particles. However, the reason for this are changes in the density of the system, which "
                      "varies from 0.670 to 0.678.\"");
    if (status == SCREE_OK)
        status = try_density(f, &s, co);
    if (status == SCREE_OK)
        status = look_for_jump(f, &s);
    findings_note(f, "Discs grow into the paper's boxes (5 x 5 to 20 x 40 cells of 7 mm) and fall from rest for %g s. The paper does not say how its discs begin or how long they fall. Swaps of discs that "
                     "move independently would go as n^1.5.", (double)s.plan.steps * 1e-7);
    findings_note(f, "Jump: work and time per disc from 1950 to 3900, beside the doublings before and after; 10 %% would show in a logarithmic figure.");
    return status;
}

#define GROWS(method_name, low, high, said)                                                                                                                               \
    {.quantity = method_name ": exponent of the time with n", .source = "Fig. 11", .words = said, .least = low, .most = high, .how = CLAIM_SLOPE, .column = "ms", .against = "n", \
     .rows = "method=" method_name, .timed = true},                                                                                                                       \
    {.quantity = method_name ": exponent of the counted work with n", .source = "Fig. 11", .words = said, .least = low, .most = high, .how = CLAIM_SLOPE, .column = "work", .against = "n", \
     .rows = "method=" method_name}

const experiment bench_muth_2d = {
    .name = "muth-2d",
    .about = "Muth et al., Fig. 10, 11: discs, cost of a step against their number",
    .title = "Discs of different sizes: Verlet lists, linked cells, linked linear list",
    .paper = true,
    .takes = TAKES_SIZES | TAKES_DENSITY | TAKES_COUNT,
    .run = run_bench,
    .texts = 1,
    .columns = muth_columns,
    .claims = (const claim[]){
        GROWS("verlet-list", 1.2, 2.0, "not linear"),
        GROWS("linked-cells", 0.9, 1.1, "almost linear"),
        GROWS("linear-list", 0.9, 1.1, "almost linear"),
        {.quantity = "exponent of the counted work: verlet-list by linked-cells", .source = "Fig. 11", .words = "the steepest", .least = 1.1, .most = 2.0, .how = CLAIM_RATIO, .table = "growth",
         .column = "work", .rows = "method=verlet-list", .over = "method=linked-cells"},
        {.quantity = "exponent of the counted work: verlet-list by linear-list", .source = "Fig. 11", .words = "the steepest", .least = 1.1, .most = 2.0, .how = CLAIM_RATIO, .table = "growth",
         .column = "work", .rows = "method=verlet-list", .over = "method=linear-list"},
        {.quantity = "jump of the counted work from 1950 to 3900 discs, largest of the methods", .source = "Fig. 11", .words = "a jump", .least = 0.1, .most = 10.0, .how = CLAIM_MOST, .table = "jump",
         .column = "work", .full = true},
        {.quantity = "change of the counted work by a density of 0.670 in place of 0.677, largest of the methods", .source = "Fig. 11", .words = "explains the jump", .least = 0.1, .most = 10.0,
         .how = CLAIM_MOST, .table = "density", .column = "change", .full = true},
        {0}},
    .charts = (const chart[]){MUTH_SERIES_CHARTS(NULL), {0}},
};
