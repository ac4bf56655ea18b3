// muth-3d: Fig. 12 of Muth et al. (2007): the same as muth-2d for equal spheres in three dimensions, where the paper fits exponents.
//
// The paper gives neither a start nor velocities nor a box. Here spheres are placed at random in a cube with one of the paper's cells for each, and move by the 1 %
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

static const double fits[] = {1.8, 1.15, 1.36};  // the paper's: Verlet lists, linked cells, linked linear list

// Swaps of a gas: two ends on an axis of length S swap if they move past each other, and move by s along it, root mean square. All 2 n ends of an axis are spread
// over it, so that each passes 2 n / S times the mean of |s_i - s_j|, 2 s / sqrt(pi), and of each swap two take part.
static double expected_swaps(double n, double path_in_radii)
{
    double radius = 5e-4, length = cbrt(n) * 2e-3, path = path_in_radii * radius;
    return 3.0 * 2.0 * n / length * 2.0 * path / sqrt(3.14159265358979323846);
}

static void compare_swaps(findings* f, const muth_series* s)
{
    static const double tolerance = 0.1;
    double worst = 0.0;
    for (int k = 0; k < s->plan.stride_count; ++k)
        for (int i = 0; i < s->systems; ++i) {
            const muth_cost* c = muth_list_cost(s, k, i);
            double off = c->swaps / expected_swaps(s->n[i], c->path) - 1.0;
            worst = fabs(off) > fabs(worst) ? off : worst;
        }
    const muth_cost* last = muth_list_cost(s, s->plan.stride_count - 1, s->systems - 1);
    double expected = expected_swaps(s->n[s->systems - 1], last->path);
    if (fabs(worst) <= tolerance)
        findings_agrees(f, "linear-list: %.1f swaps per sphere at %.2g radii between two searches, the formula for a gas gives %.1f; over all paths and systems within "
                           "%.0f %% (10 %% allowed). It grows as n^(2/3) times the path", last->swaps, last->path, expected, 100.0 * fabs(worst));
    else
        findings_differs(f, "linear-list: %.1f swaps per sphere at %.2g radii between two searches, the formula for a gas gives %.1f; over all paths and systems it is "
                            "off by up to %.0f %% (10 %% allowed)", last->swaps, last->path, expected, 100.0 * fabs(worst));
}

// The weight of a swap with which the exponent at this path is the one wanted; NAN: none up to 1e4.
static double weight_for(const muth_series* s, double path, double exponent)
{
    double low = 1.0, high = 1e4;
    if (muth_list_exponent(s, path, low) > exponent || muth_list_exponent(s, path, high) < exponent)
        return NAN;
    for (int times = 0; times < 60; ++times) {
        double middle = sqrt(low * high);
        if (muth_list_exponent(s, path, middle) < exponent)
            low = middle;
        else
            high = middle;
    }
    return low;
}

// The time of a swap in units of that of a box end that stays, in the largest system: from searches with the fewest and with the most swaps.
static double swap_time(const muth_series* s)
{
    const muth_cost *few = muth_list_cost(s, -1, s->systems - 1), *many = muth_list_cost(s, s->plan.stride_count - 1, s->systems - 1);
    return (many->seconds - few->seconds) / (many->swaps - few->swaps) / (few->seconds / 6.0);
}

// Which speed gives the paper's exponent of the linked linear list. The 1 % rule means a mean overlap of 0.01 radii; overlaps go with the speed.
static void compare_speed(findings* f, const muth_series* s, const muth_exponents* e)
{
    static const double times_most = 100.0;  // mean overlap: one radius
    double wanted = fits[MUTH_LIST], step = muth_list_path(s, -1), path = muth_list_reaches(s, wanted, 1.0), steeper = muth_list_reaches(s, e->work[MUTH_CELLS], 1.0),
           most = muth_list_path(s, s->plan.stride_count - 1), limit = times_most * step, weight = weight_for(s, limit, wanted);
    if (isnan(path))
        findings_differs(f, "linear-list: n^%.2f is reached at no speed up to %.2g radii per step", wanted, most);
    else if (path <= limit)
        findings_agrees(f, "linear-list: n^%.2f is reached where spheres move by %.2g radii in a step: %.0f times the speed of the 1 %% rule, at which the paper's "
                           "springs still hold them apart (%.0f times at most)", wanted, path, path / step, times_most);
    else
        findings_differs(f, "linear-list: n^%.2f is reached only where spheres move by %.2g radii in a step, %.0f times the speed of the 1 %% rule; the paper's "
                            "springs hold them apart up to %.0f times, n^%.2f", wanted, path, path / step, times_most, muth_list_exponent(s, limit, 1.0));
    if (!isnan(steeper))
        findings_note(f, "linear-list is steeper than linked-cells from %.2g radii per step on, %.0f times the speed of the 1 %% rule.", steeper, steeper / step);
    if (!isnan(weight))
        findings_note(f, "At %.0f times the speed of the 1 %% rule two spheres that meet overlap by one radius on average: the paper's springs cannot hold faster ones "
                         "apart. There the exponent is %.2f if a swap costs as much as a look at a box end, and %.2f if it costs %.0f times as much: that is what the "
                         "paper's program would need, whose swaps change linked lists, the positions in the other lists and a sparse matrix. Here a swap takes %.1f "
                         "times as long.", times_most, muth_list_exponent(s, limit, 1.0), wanted, weight,
                      swap_time(s));
}

static void compare_spheres(findings* f, const muth_series* s, const muth_exponents* e)
{
    static const double close = 0.1;
    for (int way = 0; way <= MUTH_LIST; ++way)
        if (fabs(e->work[way] - fits[way]) <= close)
            findings_agrees(f, "%s: counted work grows as n^%.2f (time n^%.2f); paper n^%.2f, %.1f allowed", muth_names[way], e->work[way], e->time[way], fits[way],
                            close);
        else
            findings_differs(f, "%s: counted work grows as n^%.2f (time n^%.2f); paper n^%.2f, %.1f allowed", muth_names[way], e->work[way], e->time[way], fits[way],
                             close);
    if (e->work[MUTH_CELLS] < e->work[MUTH_LIST])
        findings_agrees(f, "linked-cells, n^%.2f, grows more slowly than linear-list, n^%.2f, as in the paper (n^1.15 and n^1.36)", e->work[MUTH_CELLS],
                        e->work[MUTH_LIST]);
    else
        findings_differs(f, "linked-cells, n^%.2f, does not grow more slowly than linear-list, n^%.2f; in the paper n^1.15 and n^1.36", e->work[MUTH_CELLS],
                         e->work[MUTH_LIST]);
    compare_swaps(f, s);
    compare_speed(f, s, e);
    double m[] = {cbrt(s->n[0]), cbrt(s->n[s->systems - 1])};
    findings_note(f, "linked-cells: cells at the walls have fewer neighbours, so that work per sphere goes as ((3 m - 2) / m)^3 with m cells along an axis; that alone "
                     "makes n^%.2f.",
                  1.0 + 3.0 * log((3.0 - 2.0 / m[1]) / (3.0 - 2.0 / m[0])) / log(s->n[s->systems - 1] / s->n[0]));
}

static scree_status run_bench(findings* f, const bench_options* co)
{
    const bool quick = co->quick;
    static const int32_t counts[] = {512, 2197, 5832, 12167, 21952, 35937, 59319};
    muth_series s = {.dim = 3, .systems = quick ? 4 : 7, .counts = counts, .cell = 2e-3, .make = make_spheres,
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
    if (status == SCREE_OK) {
        muth_exponents e = muth_series_exponents(&s);
        compare_spheres(f, &s, &e);
        muth_plot_growth(f, &s, fits);
        muth_plot_paths(f, &s);
        muth_plot_exponents(f, &s, fits[MUTH_LIST], 100.0 * muth_list_path(&s, -1));
        muth_note_exponents(f, &e, MUTH_GRID);
        muth_note_motion(f, &s);
        findings_note(f, "The paper gives neither velocities nor a box. Here spheres are placed at random in a cube with one cell of 2 mm for each, density %.4f, with "
                         "velocities by the 1 %% rule: two that meet overlap by 0.01 radii on average. Searching every k-th step is the same as a search at every step "
                         "of spheres k times as fast, on springs k^2 times as stiff.", s.found[0].density);
        findings_note(f, "The paper prints 59320 for its largest system; all others are cubes of whole numbers, and 39^3 = 59319, which is run here.");
    }
    return status;
}

const experiment bench_muth_3d = {
    .name = "muth-3d",
    .about = "Muth et al., Fig. 12: the same for equal spheres",
    .title = "Equal spheres: Verlet lists, linked cells, linked linear list",
    .paper = true,
    .takes = TAKES_SIZES | TAKES_DENSITY | TAKES_COUNT,
    .run = run_bench,
    .texts = 1,
    .columns = muth_columns,
};
