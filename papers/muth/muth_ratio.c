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

// The path between searches at which the list does as much work as the hierarchical grid. Beyond the longest one that was run: by a straight line, since swaps go with
// the path.
static double even_path(const muth_plan* plan, const muth_found* found)
{
    double path[muth_most_strides + 1], list[muth_most_strides + 1], grid[muth_most_strides + 1];
    for (int k = -1; k < plan->stride_count; ++k) {
        const muth_cost* c = k < 0 ? &found->way[MUTH_LIST] : &found->stride[k];
        path[k + 1] = c->path;
        list[k + 1] = c->work;
        grid[k + 1] = found->way[MUTH_GRID].work;
    }
    double even = muth_crossing(path, list, grid, plan->stride_count + 1);
    int last = plan->stride_count;
    return isnan(even) ? path[last] + (path[last] - path[last - 1]) * (grid[last] - list[last]) / (list[last] - list[last - 1]) : even;
}

static double least_work(const muth_found* found, muth_way way)
{
    double least = INFINITY;
    for (int i = 0; i < ratio_count; ++i)
        least = fmin(least, found[i].way[way].work);
    return least;
}

static double most_work(const muth_found* found, muth_way way)
{
    double most = 0.0;
    for (int i = 0; i < ratio_count; ++i)
        most = fmax(most, found[i].way[way].work);
    return most;
}

static void compare(findings* f, const muth_plan* plan, const muth_found* found, double worst, double grown_most)
{
    static const double tolerance = 0.1;
    const muth_found *equal = &found[0], *wide = &found[ratio_count - 1];
    double list = wide->way[MUTH_LIST].work / equal->way[MUTH_LIST].work, fast = wide->stride[plan->stride_count - 1].work / equal->stride[plan->stride_count - 1].work,
           cells = wide->way[MUTH_CELLS].work / equal->way[MUTH_CELLS].work, grid = wide->way[MUTH_GRID].work / equal->way[MUTH_GRID].work;
    if (fmax(list, fast) <= grown_most && cells > grown_most)
        findings_agrees(f, "from ratio 1 to 50 the work per sphere of the linked linear list becomes %.2f times as much, and %.2f times with a search every %dth step "
                           "(at most %g allowed); that of linked cells %.0f times", list, fast, (int)plan->stride[plan->stride_count - 1], grown_most, cells);
    else
        findings_differs(f, "from ratio 1 to 50 the work per sphere of the linked linear list becomes %.2f times as much, and %.2f times with a search every %dth "
                            "step; that of linked cells %.0f times: not at most and above %g", list, fast, (int)plan->stride[plan->stride_count - 1], cells,
                         grown_most);
    if (grid > grown_most)
        findings_agrees(f, "the hierarchical grid, made for different sizes, does %.2f times the work per sphere at ratio 50, more than %g times: of the methods here "
                           "the list alone stays", grid, grown_most);
    else
        findings_differs(f, "\"only LLL\": the hierarchical grid, which the paper does not have, does %.2f times the work per sphere at ratio 50, at most %g times, "
                            "and so performs well too", grid,
                         grown_most);
    if (worst <= tolerance)
        findings_agrees(f, "swaps agree with the formula for a gas at equal temperature within %.0f %% at all ratios and paths (10 %% allowed)", 100.0 * worst);
    else
        findings_differs(f, "swaps are up to %.0f %% off the formula for a gas at equal temperature (10 %% allowed)", 100.0 * worst);
}

static void plot(findings* f, const muth_plan* plan, const muth_found* found, const double* even)
{
    double work[MUTH_WAYS][ratio_count], time[MUTH_WAYS][ratio_count], low[MUTH_WAYS][ratio_count], high[MUTH_WAYS][ratio_count], list[muth_most_strides][ratio_count];
    for (int i = 0; i < ratio_count; ++i) {
        for (int way = MUTH_CELLS; way < MUTH_WAYS; ++way) {
            const muth_cost* c = &found[i].way[way];
            work[way][i] = c->work;
            time[way][i] = c->seconds * 1e9;
            low[way][i] = c->seconds_low * 1e9;
            high[way][i] = c->seconds_high * 1e9;
        }
        for (int k = 0; k < plan->stride_count; ++k)
            list[k][i] = found[i].stride[k].work;
    }
    scree_series series[MUTH_WAYS + muth_most_strides];
    char names[muth_most_strides][48];
    int count = 0;
    for (int way = MUTH_CELLS; way < MUTH_WAYS; ++way)
        series[count++] = (scree_series){.name = muth_names[way], .count = ratio_count, .x = ratios, .y = work[way], .colour = way + 1};
    for (int k = 1; k < plan->stride_count; ++k) {  // every 10th is next to every step
        snprintf(names[k], sizeof names[k], "linear-list, every %dth step", (int)plan->stride[k]);
        series[count++] = (scree_series){.name = names[k], .count = ratio_count, .x = ratios, .y = list[k], .colour = MUTH_WAYS + k};
    }
    scree_plot drawn = scree_default_plot();
    drawn.title = "Counted work per sphere and search against the size ratio, in motion";
    drawn.x_label = "size ratio";
    drawn.y_label = "tests, cells, swaps and box ends";
    drawn.x_log = drawn.y_log = true;
    drawn.series = series;
    drawn.series_count = count;
    findings_plot(f, "", &drawn);

    count = 0;
    for (int way = MUTH_CELLS; way < MUTH_WAYS; ++way)
        series[count++] = (scree_series){.name = muth_names[way], .count = ratio_count, .x = ratios, .y = time[way], .colour = way + 1, .low = low[way], .high = high[way]};
    drawn.title = "Time per sphere and step against the size ratio, in motion";
    drawn.y_label = "nanoseconds, median and quartiles";
    drawn.series_count = count;
    findings_plot(f, "time", &drawn);

    series[0] = (scree_series){.count = ratio_count, .x = ratios, .y = even, .colour = MUTH_LIST + 1};
    drawn.title = "Up to this path the linked linear list does less work than the hierarchical grid";
    drawn.y_label = "path between searches, in mean radii";
    drawn.series_count = 1;
    findings_plot(f, "even", &drawn);
}

static scree_status run_bench(findings* f, const bench_options* co)
{
    const bool quick = co->quick;
    static const double grown_most = 2.0;
    muth_plan plan = {.name = "moving", .first = MUTH_CELLS, .stride_count = 4, .stride = {10, 30, 100, 200}, .before = quick ? 300 : 1000, .steps = quick ? 600 : 3000,
                      .windows = quick ? 1 : 5};
    int32_t n = quick ? 2000 : 10000;
    muth_found found[ratio_count];
    double even[ratio_count], expected[ratio_count][muth_most_strides + 1], worst = 0.0;
    scree_status status = SCREE_OK;
    for (int i = 0; i < ratio_count && status == SCREE_OK; ++i) {
        muth_system system = {0};
        status = make_spheres(n, ratios[i], plan.steps, co, &system);
        if (status == SCREE_OK)
            status = muth_watch(&plan, &system, co, &found[i]);
        for (int k = 0; k <= plan.stride_count && status == SCREE_OK; ++k)
            expected[i][k] = expected_swaps(&system.set, k == 0 ? found[i].path : found[i].stride[k - 1].path);
        muth_free(&system);
        if (status == SCREE_OK)
            status = muth_rows(f, &plan, ratios[i], &found[i]);
    }
    findings_table(f, "paths", 0, (const char* const[]){"ratio", "steps_between", "path_in_radii", "swaps_per_sphere", "swaps_expected", "work_per_sphere", "searches",
                                                        "sorts", NULL});
    for (int i = 0; i < ratio_count && status == SCREE_OK; ++i)
        for (int k = 0; k <= plan.stride_count && status == SCREE_OK; ++k) {
            const muth_cost* c = k == 0 ? &found[i].way[MUTH_LIST] : &found[i].stride[k - 1];
            worst = fmax(worst, fabs(c->swaps / expected[i][k] - 1.0));
            status = findings_row(f, NULL, (const double[]){ratios[i], k == 0 ? 1.0 : (double)plan.stride[k - 1], c->path, c->swaps, expected[i][k], c->work, (double)c->searches,
                                                            (double)c->sorts});
        }
    if (status == SCREE_OK)
        status = muth_runs(f, &plan, ratio_count, found);
    findings_paper(f, "Section 4: \"In the future, it might be interesting to use LLL for polydisperse systems with even wider size distributions.\" The paper's own size ratios "
                      "end at 5. Abstract: \"Only LLL performs well for strongly different particle sizes.\"");
    if (status == SCREE_OK) {
        for (int i = 0; i < ratio_count; ++i)
            even[i] = even_path(&plan, &found[i]);
        compare(f, &plan, found, worst, grown_most);
        plot(f, &plan, found, even);
        findings_note(f, "With a search at every step (%.2g to %.2g mean radii) the list does %.1f to %.1f operations per sphere, 6 of them looks at box ends, the "
                         "hierarchical grid %.0f to %.0f. The list does more than the grid from %.2g mean radii on at ratio 1, from %.2g at ratio 50. Swaps go as "
                         "n^(2/3) times the path, so that with more spheres these paths are shorter, as n^(-2/3).", found[ratio_count - 1].path, found[0].path,
                      least_work(found, MUTH_LIST), most_work(found, MUTH_LIST),
                      least_work(found, MUTH_GRID), most_work(found, MUTH_GRID), even[0], even[ratio_count - 1]);
        findings_note(f, "%d spheres of uniform volume at density 0.3 in a cube with walls, velocities by the 1 %% rule, so that large spheres are slow; %lld steps of "
                         "1/50 of the shortest contact, of which %d were searched by all methods. In a step %.4g pairs touch at ratio 1, %.4g at ratio 50.", (int)n,
                      (long long)plan.steps, plan.windows * muth_window, found[0].contacts,
                      found[ratio_count - 1].contacts);
    }
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
};
