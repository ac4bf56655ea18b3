// muth-ratio: what section 4 of Muth et al. (2007) leaves open: "it might be interesting to use LLL for polydisperse systems with even wider size distributions". The
// linked linear list against linked cells and the hierarchical grid, for size ratios from 1 to 50, with motion, which is what its cost depends on.
//
// Always equally many spheres at the same density, uniform volume (each interval of radii holds the same volume), at equal temperature: velocities by the 1 % rule. The
// list is searched at every step and at every 10th, 30th, 100th and 200th.
#include "muth.h"

#include <math.h>
#include <stdio.h>

enum { ratio_count = 6 };

static const double ratios[ratio_count] = {1.0, 2.0, 5.0, 10.0, 20.0, 50.0};

static scree_status make_spheres(int32_t count, double ratio, int64_t steps, const bench_options* co, muth_system* out)
{
    char scene[500], law[64] = "mono:1";
    if (ratio > 1.0)
        snprintf(law, sizeof law, "uniform-volume:1:%g", ratio);
    snprintf(scene, sizeof scene,
             "dimension: 3\n"
             "spheres: {count: %d, density: 0.3, sizes: \"%s\", place: random, velocity: thermal}\n"
             "contact: {law: linear, stiffness: 1, damping: 0}\n"
             "time: {step: auto, steps: %lld}\n",
             (int)count, law, (long long)steps);
    return muth_make(scene, 0.0, co, out);
}

// Swaps per sphere of a gas at equal temperature whose spheres move by `path` mean radii, root mean square along an axis. Two box ends on an axis of length S swap if
// they move past each other: 2 n / S times the mean of |s_i - s_j| for each sphere, which for normally distributed s is sqrt(2 / pi) sqrt(s_i^2 + s_j^2), with s_i as
// r_i^(-3/2).
static double expected_swaps(const scree_sphere_set* set, double path)
{
    int64_t step = set->count / 300 > 0 ? set->count / 300 : 1, samples = 0;
    double mean_radius = 0.0, mean_square = 0.0, mean_distance = 0.0, n = (double)set->count;
    for (int64_t i = 0; i < set->count; ++i) {
        mean_radius += set->r[i] / n;
        mean_square += pow(set->r[i], -3.0) / n;
    }
    for (int64_t i = 0; i < set->count; i += step)
        for (int64_t j = 0; j < set->count; j += step, ++samples)
            mean_distance += sqrt(2.0 / 3.14159265358979323846 * (pow(set->r[i], -3.0) + pow(set->r[j], -3.0)) / mean_square) * path * mean_radius;
    return 3.0 * 2.0 * n / (set->box.upper[0] - set->box.lower[0]) * mean_distance / (double)samples;
}

static scree_status run_bench(findings* f, const bench_options* co)
{
    const bool quick = co->quick;
    muth_plan plan = {.name = "moving", .first = MUTH_CELLS, .stride_count = 4, .stride = {10, 30, 100, 200}, .before = quick ? 300 : 1000, .steps = quick ? 600 : 3000,
                      .windows = quick ? 1 : 5};
    const int32_t n = quick ? 2000 : 10000;
    muth_found found[ratio_count];
    double expected[ratio_count][muth_most_strides + 1];
    scree_status status = SCREE_OK;
    for (int i = 0; i < ratio_count && status == SCREE_OK; ++i) {
        muth_system system = {0};
        status = make_spheres(n, ratios[i], plan.steps, co, &system);
        if (status == SCREE_OK)
            status = muth_watch(&plan, &system, co, &found[i]);
        for (int k = -1; k < plan.stride_count && status == SCREE_OK; ++k)
            expected[i][k + 1] = expected_swaps(&system.set, k < 0 ? found[i].path : found[i].stride[k].path);
        muth_free(&system);
        if (status == SCREE_OK)
            status = muth_rows(f, &plan, ratios[i], &found[i], &found[0]);
    }
    if (status == SCREE_OK)
        status = muth_paths(f, &plan, ratio_count, ratios, found, (const double (*)[muth_most_strides + 1])expected);
    if (status == SCREE_OK)
        status = muth_runs(f, &plan, ratio_count, found);
    findings_paper(f, "Section 4: \"In the future, it might be interesting to use LLL for polydisperse systems with even wider size distributions.\" The paper's own size ratios "
                      "end at 5. Abstract: \"Only LLL performs well for strongly different particle sizes.\"");
    findings_note(f, "%d spheres of uniform volume at density 0.3 in a cube with walls, velocities by the 1 %% rule, so that large spheres are slow; %lld steps of "
                     "1/50 of the shortest contact, of which %d were searched by all methods. Swaps go as n^(2/3) times the path, so that with more spheres the path up to which the list does less work "
                     "than the hierarchical grid is shorter, as n^(-2/3).", (int)n, (long long)plan.steps, plan.windows * muth_window);
    findings_note(f, "Performs well: at most twice the work per sphere at ratio 50 that it does for equal spheres.");
    return status;
}

const experiment bench_muth_ratio = {
    .name = "muth-ratio",
    .about = "their section 4: the linked linear list in motion, size ratios 1 to 50",
    .title = "The linked linear list in motion, against the size ratio",
    .paper = true,
    .run = run_bench,
    .texts = 1,
    .columns = muth_columns,
    .claims = (const claim[]){
        {.quantity = "linear-list: work per sphere at ratio 50 by that at ratio 1, a search at every step", .source = "Abstract", .words = "performs well", .least = 0.0, .most = 2.0,
         .how = CLAIM_RATIO, .table = "paths", .column = "work_per_sphere", .rows = "ratio=50;steps_between=1", .over = "ratio=1;steps_between=1"},
        {.quantity = "linear-list: work per sphere at ratio 50 by that at ratio 1, a search at every 200th step", .source = "Abstract", .words = "performs well", .least = 0.0, .most = 2.0,
         .how = CLAIM_RATIO, .table = "paths", .column = "work_per_sphere", .rows = "ratio=50;steps_between=200", .over = "ratio=1;steps_between=200"},
        {.quantity = "linear-list: time per sphere at ratio 50 by that at ratio 1", .source = "Abstract", .words = "performs well", .least = 0.0, .most = 2.0, .how = CLAIM_RATIO,
         .column = "ns_per_sphere", .rows = "method=linear-list;ratio=50", .over = "method=linear-list;ratio=1", .timed = true},
        {.quantity = "linked-cells: work per sphere at ratio 50 by that at ratio 1", .source = "Abstract", .words = "does not perform well", .least = 2.0, .most = 1e6, .how = CLAIM_RATIO,
         .column = "work_per_sphere", .rows = "method=linked-cells;ratio=50", .over = "method=linked-cells;ratio=1"},
        {.quantity = "hierarchical-grid, which the paper does not have: work per sphere at ratio 50 by that at ratio 1", .source = "Abstract", .words = "only LLL performs well", .least = 2.0,
         .most = 1e6, .how = CLAIM_RATIO, .column = "work_per_sphere", .rows = "method=hierarchical-grid;ratio=50", .over = "method=hierarchical-grid;ratio=1"},
        {.quantity = "swaps by the formula for a gas at equal temperature, least of all ratios and paths", .least = 0.9, .most = 1.1, .how = CLAIM_LEAST, .table = "paths",
         .column = "swaps_by_expected"},
        {.quantity = "swaps by the formula for a gas at equal temperature, most of all ratios and paths", .least = 0.9, .most = 1.1, .how = CLAIM_MOST, .table = "paths",
         .column = "swaps_by_expected"},
        {0}},
    .charts = (const chart[]){
        {.title = "Counted work per sphere and search against the size ratio, in motion", .x_label = "size ratio", .y_label = "tests, cells, swaps and box ends", .x = "ratio",
         .y = "work_per_sphere", .by = "method", .x_log = true, .y_log = true},
        {.suffix = "paths", .title = "Linked linear list: counted work by steps between two searches", .x_label = "size ratio", .y_label = "tests, swaps and box ends", .table = "paths", .x = "ratio",
         .y = "work_per_sphere", .by = "steps_between", .x_log = true, .y_log = true},
        {.suffix = "time", .title = "Time per sphere and step against the size ratio, in motion", .x_label = "size ratio", .y_label = "nanoseconds, median and quartiles", .x = "ratio",
         .y = "ns_per_sphere", .by = "method", .x_log = true, .y_log = true},
        {0}},
};
