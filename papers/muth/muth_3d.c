// muth-3d: Fig. 12 of Muth et al. (2007): 512 to 59320 equal spheres.
//
// The paper plots the computation time of the three methods against the number of spheres, scaled, and fits it by (0.027 n)^1.8 with Verlet lists, (0.12 n)^1.36 with the linked linear list and
// (0.2 n)^1.15 with linked cells: "LC has the best performance: the gradient is lower than for LLL."
//
// It gives neither a start nor velocities nor a box. Here spheres are placed at random in a cube with one of the paper's cells for each, and move by the 1 %
// rule; a contact lasts 1608 steps, and after 2500 their number is steady. The linked linear list is also searched at every 30th to 3000th step: what it would do with
// spheres that much faster.
#include "muth.h"

#include <math.h>
#include <stdio.h>

static scree_status make_spheres(const muth_series* s, int32_t count, const bench_options* co, muth_system* out)
{
    char scene[muth_scene_size];
    double side = (double)lround(cbrt(count)) / 500.0;  // cells of 2 mm
    snprintf(scene, sizeof scene,
             "dimension: 3\n"
             "box: {size: [%.17g, %.17g, %.17g]}\n"
             "spheres: {count: %d, sizes: \"mono:5e-4\", place: random, material_density: 1e10, velocity: thermal}\n"
             "contact: {law: linear, stiffness: 1e5, damping: 0}\n"
             "time: {step: 1e-5, steps: %lld}\n",
             side, side, side, (int)count, (long long)s->plan.steps);
    return muth_make(scene, s->cell, co, out);
}

// Swaps of a gas: two ends on an axis of length S swap if they move past each other, and move by s along it, root mean square. All 2 n ends of an axis are spread
// over it, so that each passes 2 n / S times the mean of |s_i - s_j|, 2 s / sqrt(pi), and of each swap two take part.
static double expected_swaps(double n, double path_in_radii)
{
    double radius = 5e-4, length = cbrt(n) * 2e-3, path = path_in_radii * radius;
    return 3.0 * 2.0 * n / length * 2.0 * path / sqrt(3.14159265358979323846);
}

static scree_status run_bench(findings* f, const bench_options* co)
{
    const bool quick = co->quick;
    static const int32_t counts[] = {512, 2197, 5832, 12167, 21952, 35937, 59319};
    muth_series s = {.dim = 3, .systems = quick ? 4 : 7, .counts = counts, .cell = 2e-3, .make = make_spheres, .swaps = expected_swaps,
                     .plan = {.name = "moving", .before = quick ? 1000 : 2500, .steps = quick ? 3000 : 15000, .windows = quick ? 1 : 5, .stride_count = 5,
                              .stride = {30, 100, 300, 1000, 3000}}};
    bench_own own;
    scree_status status = bench_own_get(co, 0, 8000, 0.25, &own);
    if (status == SCREE_OK && own.given)
        return muth_series_own(f, &s, &own, co);
    if (status == SCREE_OK)
        status = muth_series_run(f, &s, co);
    findings_paper(f, "Fig. 12: computation time, scaled, is fitted by (0.027 n)^1.8 with Verlet lists, (0.12 n)^1.36 with the linked linear list, (0.2 n)^1.15 with "
                      "linked cells; \"LC has the best performance: the gradient is lower than for LLL.\"");
    findings_note(f, "The paper gives neither velocities nor a box. Here spheres are placed at random in a cube with one cell of 2 mm for each, with "
                     "velocities by the 1 %% rule: two that meet overlap by 0.01 radii on average. Searching every k-th step is the same as a search at every step "
                     "of spheres k times as fast, on springs k^2 times as stiff. At 100 times the speed two spheres that meet overlap by one radius on average: the paper's springs cannot hold faster "
                     "ones apart.");
    findings_note(f, "linked-cells: cells at the walls have fewer neighbours, so that work per sphere goes as ((3 m - 2) / m)^3 with m cells along an axis; that alone makes n^1.04.");
    findings_note(f, "The paper prints 59320 for its largest system; all others are cubes of whole numbers, and 39^3 = 59319, which is run here.");
    return status;
}

#define GROWS(method_name, value)                                                                                                                                         \
    {.quantity = method_name ": exponent of the time with n", .source = "Fig. 12", .paper = value, .least = value - 0.1, .most = value + 0.1, .how = CLAIM_SLOPE, .column = "ms", \
     .against = "n", .rows = "method=" method_name, .timed = true},                                                                                                       \
    {.quantity = method_name ": exponent of the counted work with n", .source = "Fig. 12", .paper = value, .least = value - 0.1, .most = value + 0.1, .how = CLAIM_SLOPE, .column = "work", \
     .against = "n", .rows = "method=" method_name}

// The paper's fits, joined at 512.
static const chart_points fits[] = {{"paper's fit n^1.8", 3, {{512, 1}, {5832, 79.76}, {59319, 5188.8}}},
                                    {"paper's fit n^1.15", 3, {{512, 1}, {5832, 16.41}, {59319, 236.3}}},
                                    {"paper's fit n^1.36", 3, {{512, 1}, {5832, 27.35}, {59319, 641.1}}},
                                    {0}};

const experiment bench_muth_3d = {
    .name = "muth-3d",
    .about = "Muth et al., Fig. 12: the same for equal spheres",
    .title = "Equal spheres: Verlet lists, linked cells, linked linear list",
    .paper = true,
    .takes = TAKES_SIZES | TAKES_DENSITY | TAKES_COUNT,
    .run = run_bench,
    .texts = 1,
    .columns = muth_columns,
    .claims = (const claim[]){
        GROWS("verlet-list", 1.8),
        GROWS("linked-cells", 1.15),
        GROWS("linear-list", 1.36),
        {.quantity = "exponent of the time: linked-cells by linear-list", .source = "Fig. 12", .paper = 1.15 / 1.36, .least = 0.0, .most = 0.999, .how = CLAIM_RATIO, .table = "growth",
         .column = "time", .rows = "method=linked-cells", .over = "method=linear-list"},
        {.quantity = "exponent of the counted work: linked-cells by linear-list", .source = "Fig. 12", .paper = 1.15 / 1.36, .least = 0.0, .most = 0.999, .how = CLAIM_RATIO, .table = "growth",
         .column = "work", .rows = "method=linked-cells", .over = "method=linear-list"},
        {.quantity = "linear-list: largest exponent of the counted work at speeds at which the paper's springs hold spheres apart", .source = "Fig. 12", .paper = 1.36, .least = 1.26, .most = 1.46,
         .how = CLAIM_MOST, .table = "exponents", .column = "exponent", .rows = "swap_costs=a swap costs as much as a look at a box end;held=1"},
        {.quantity = "linear-list: swaps by the formula for a gas, least of all paths and systems", .least = 0.9, .most = 1.1, .how = CLAIM_LEAST, .table = "paths", .column = "swaps_by_expected"},
        {.quantity = "linear-list: swaps by the formula for a gas, most of all paths and systems", .least = 0.9, .most = 1.1, .how = CLAIM_MOST, .table = "paths", .column = "swaps_by_expected"},
        {0}},
    .charts = (const chart[]){MUTH_SERIES_CHARTS(fits), {0}},
};
