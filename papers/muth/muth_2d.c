// muth-2d: Fig. 10 and 11 of Muth et al. (2007): what finding the contacts of discs costs per step, by Verlet lists, linked cells and the linked linear list, as their
// number grows at constant density.
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

// The method of the paper whose change is the largest.
static muth_way largest(const double change[MUTH_LIST + 1])
{
    muth_way where = MUTH_VERLET;
    for (int way = MUTH_CELLS; way <= MUTH_LIST; ++way)
        if (fabs(change[way]) > fabs(change[where]))
            where = (muth_way)way;
    return where;
}

// The paper explains a jump of its curves between 1950 and 3900 discs by a density that varies from 0.670 to 0.678. So the last but one system (in the full
// series that of 3900) once more, with radii for a density of 0.670.
static scree_status try_density(findings* f, const muth_series* s, const bench_options* co)
{
    static const double lowest = 0.670, visible = 0.1;
    int system = s->systems - 2;
    const muth_found* dense = &s->found[system];
    muth_system sparse = {0};
    muth_found found;
    scree_status status = make_scaled_discs(s, s->counts[system], sqrt(lowest / dense->density), co, &sparse);
    if (status == SCREE_OK)
        status = muth_watch(&(muth_plan){.name = "falling", .steps = s->plan.steps, .windows = s->plan.windows}, &sparse, co, &found);
    muth_free(&sparse);
    findings_table(f, "density", 1, (const char* const[]){"method", "n", "density", "work_per_sphere", NULL});
    double change[MUTH_LIST + 1];
    for (int way = 0; way <= MUTH_LIST && status == SCREE_OK; ++way) {
        change[way] = dense->way[way].work / found.way[way].work - 1.0;
        status = findings_row(f, &muth_names[way], (const double[]){s->n[system], found.density, found.way[way].work});
        if (status == SCREE_OK)
            status = findings_row(f, &muth_names[way], (const double[]){s->n[system], dense->density, dense->way[way].work});
    }
    if (status != SCREE_OK)
        return status;
    muth_way where = largest(change);
    double most = change[where];
    if (fabs(most) >= visible)
        findings_agrees(f, "from a density of %.3f to %.3f the counted work of %.0f discs changes by %.1f %% (%s), which a logarithmic figure shows (10 %% or more)",
                        found.density,
                        dense->density, s->n[system], 100.0 * most, muth_names[where]);
    else
        findings_differs(f, "from a density of %.3f to %.3f the counted work of %.0f discs changes by at most %.1f %% (%s): too little for a jump (10 %% or more), so "
                            "the densities do not explain the paper's", found.density, dense->density, s->n[system], 100.0 * most, muth_names[where]);
    return SCREE_OK;
}

// Whether work per disc jumps where the paper's curves do, from 1950 to 3900: beside what it does from 975 to 1950 and from 3900 to 7800.
static void look_for_jump(findings* f, const muth_series* s)
{
    static const double visible = 0.1;
    if (s->systems < 6)
        return;
    double jump[MUTH_LIST + 1];
    for (int way = 0; way <= MUTH_LIST; ++way) {
        const double work[] = {s->found[2].way[way].work, s->found[3].way[way].work, s->found[4].way[way].work, s->found[5].way[way].work};
        jump[way] = work[2] / work[1] / sqrt(work[1] / work[0] * work[3] / work[2]) - 1.0;
    }
    muth_way where = largest(jump);
    double most = jump[where];
    if (fabs(most) >= visible)
        findings_agrees(f, "from 1950 to 3900 discs the counted work per disc jumps by %.1f %% (%s; 10 %% or more beside the doublings before and after), at densities "
                           "of %.4f and %.4f", 100.0 * most,
                        muth_names[where], s->found[3].density, s->found[4].density);
    else
        findings_differs(f, "from 1950 to 3900 discs the counted work per disc does not jump: %.1f %% (%s) beside the doublings before and after, 10 %% would show; "
                            "the densities here are %.4f and %.4f", 100.0 * most, muth_names[where], s->found[3].density, s->found[4].density);
}

static void compare_discs(findings* f, const muth_series* s, const muth_exponents* e)
{
    static const double close = 0.1;
    double others = fmax(e->work[MUTH_CELLS], e->work[MUTH_LIST]);
    if (e->work[MUTH_VERLET] > others + close)
        findings_agrees(f, "verlet-list: counted work grows as n^%.2f (time n^%.2f), steeper by more than %.1f than the others, n^%.2f at most", e->work[MUTH_VERLET],
                        e->time[MUTH_VERLET], close, others);
    else
        findings_differs(f, "verlet-list: counted work grows as n^%.2f (time n^%.2f), not steeper by %.1f than the others, n^%.2f", e->work[MUTH_VERLET],
                         e->time[MUTH_VERLET],
                         close, others);
    for (int way = MUTH_CELLS; way <= MUTH_LIST; ++way)
        if (fabs(e->work[way] - 1.0) <= close)
            findings_agrees(f, "%s: counted work grows as n^%.2f (time n^%.2f), almost linearly: within %.1f of n^1", muth_names[way], e->work[way], e->time[way],
                            close);
        else
            findings_differs(f, "%s: counted work grows as n^%.2f (time n^%.2f), not within %.1f of n^1", muth_names[way], e->work[way], e->time[way], close);
    double bend = muth_list_reaches(s, 1.0 + close, 1.0), step = muth_list_path(s, -1), steepest = 0.0;
    for (int k = 0; k < s->plan.stride_count; ++k)
        steepest = fmax(steepest, muth_list_exponent(s, muth_list_path(s, k), 1.0));
    if (isnan(bend))
        findings_note(f, "linear-list stays within n^%.2f up to %.2g mean radii between two searches.", 1.0 + close, muth_list_path(s, s->plan.stride_count - 1));
    else
        findings_note(f, "linear-list is almost linear because discs move by only %.1g mean radii in a step of 1e-7 s. Its work passes n^%.2f where they move by %.2g mean radii between two "
                         "searches, %.0f steps, and becomes n^%.2f at most. Swaps of discs that move independently would go as n^1.5.", step, 1.0 + close, bend, bend / step, steepest);
    look_for_jump(f, s);
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
    if (status == SCREE_OK) {
        muth_exponents e = muth_series_exponents(&s);
        compare_discs(f, &s, &e);
        status = try_density(f, &s, co);
        muth_plot_growth(f, &s, NULL);
        muth_plot_paths(f, &s);
        muth_plot_exponents(f, &s, 0.0, 0.0);
        muth_note_exponents(f, &e, MUTH_GRID);
        muth_note_motion(f, &s);
        findings_note(f, "Discs grow into the paper's boxes (5 x 5 to 20 x 40 cells of 7 mm), densities %.4f to %.4f, and fall from rest for %g s. The paper does not "
                         "say how its discs begin or how long they fall.", s.found[s.systems - 1].density, s.found[0].density, (double)s.plan.steps * 1e-7);
    }
    return status;
}

const experiment bench_muth_2d = {
    .name = "muth-2d",
    .about = "Muth et al., Fig. 10, 11: discs, cost of a step against their number",
    .title = "Discs of different sizes: Verlet lists, linked cells, linked linear list",
    .paper = true,
    .takes = TAKES_SIZES | TAKES_DENSITY | TAKES_COUNT,
    .run = run_bench,
    .texts = 1,
    .columns = muth_columns,
};
