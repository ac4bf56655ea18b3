// methods: every method on the same sets, asked all three ways: all pairs of spheres that stand still, after all have moved a
// little, and the neighbours of one that has moved. Counters beside the times; what auto chose, and how near that is to the best.
#include "harness.h"

#include <math.h>
#include <stdio.h>

static const double fuller_ratio = 52.7;  // of the loose-octree paper's sample
static const double ratios[] = {1.0, 2.0, 10.0, 50.0, 200.0, 1000.0};
enum { ratio_count = sizeof ratios / sizeof *ratios };
static const int32_t counts[] = {100, 1000, 10000, 100000, 1000000};
enum { count_count = sizeof counts / sizeof *counts };

// A method that took longer than this for one search is left out of larger sets; and so is one that tests all against all where
// that would take longer.
static const double patience = 0.25;
static const double all_against_all = 2e-9;  // seconds per test

typedef struct method_row {
    int method;
    bool ran, slow;
    scree_method chosen;
    double still, moving, single, bare;     // nanoseconds per sphere, per sphere and step, per move with lists and without
    double tests, cells, bytes, work;       // per sphere, of a new search
    double single_tests, bare_tests;        // per move
    int64_t pairs, rebuilds;
    double predicted[SCREE_METHOD_COUNT];  // work per sphere that auto expected
} method_row;

static double smallest(const scree_sphere_set* set)
{
    double least = INFINITY;
    for (int64_t i = 0; i < set->count; ++i)
        least = set->r[i] > 0.0 ? fmin(least, set->r[i]) : least;
    return isfinite(least) ? least : 1.0;
}

static scree_index_def def_of(const scree_sphere_set* set, int method)
{
    scree_index_def def = scree_default_index_def();
    def.method = method;
    def.threads = 1;
    if (set->has_box)
        def.box = set->box;
    return def;
}

// What moves stays between walls.
static double kept_inside(const scree_sphere_set* set, int k, double x)
{
    return !set->has_box || set->box.periodic[k] ? x : fmin(fmax(x, set->box.lower[k]), set->box.upper[k]);
}

// `least`: seconds to repeat a search for, that their median be steady.
static scree_status search_still(const scree_sphere_set* set, double least, method_row* row)
{
    enum { most_rounds = 31 };
    scree_index_def def = def_of(set, row->method);
    def.skin = -1.0;
    scree_index* index;
    scree_pairs pairs;
    scree_status status = scree_index_create(&def, &index);
    if (status != SCREE_OK)
        return status;
    double seconds[most_rounds], sum = 0.0;
    int rounds = 0;
    for (int round = -1; round < most_rounds && (round < 3 || sum < least) && status == SCREE_OK; ++round) {
        // Without this, the methods that remember would see that nothing has moved.
        status = scree_index_update(index, (scree_spheres){.count = 0, .dim = set->dim});
        double begin = bench_timer(1);
        if (status == SCREE_OK)
            status = scree_index_update(index, scree_sphere_set_view(set));
        if (status == SCREE_OK)
            status = scree_index_pairs(index, &pairs);
        double took = bench_timer(1) - begin;
        sum += took;
        if (round >= 0)
            seconds[rounds++] = took;
        if (bench_interrupted())
            status = scree_fail(SCREE_ERR_CANCELLED, "stopped on request");
        if (took > patience && round >= 0)
            break;
    }
    if (status == SCREE_OK) {
        scree_index_stats stats = scree_index_get_stats(index);
        double n = set->count;
        row->chosen = scree_index_method(index);
        row->pairs = pairs.count;
        row->still = bench_median(seconds, rounds) / n * 1e9;
        row->tests = (double)stats.tests / n;
        row->cells = (double)stats.cells / n;
        row->bytes = (double)stats.bytes / n;
        row->work = stats.work / n;
        for (int m = 0; m < SCREE_METHOD_COUNT; ++m)
            row->predicted[m] = scree_index_get_predicted(index, (scree_method)m) / n;
    }
    scree_index_destroy(index);
    return status;
}

// Steps of up to 0.5 % of the smallest radius on each axis, first searches and rebuilds included.
static scree_status search_moving(const scree_sphere_set* set, method_row* row)
{
    enum { steps = 20 };
    scree_index_def def = def_of(set, row->method);
    scree_index* index;
    scree_pairs pairs;
    scree_status status = scree_index_create(&def, &index);
    const int64_t dim = set->dim, numbers = dim * set->count;
    const double step = 0.01 * smallest(set);
    double* x = scree_malloc((size_t)numbers, sizeof *x);
    if (status == SCREE_OK && x == NULL)
        status = SCREE_ERR_MEMORY;
    scree_rng rng = scree_rng_make(1, 11);
    double seconds = 0.0;
    for (int64_t k = 0; k < numbers && status == SCREE_OK; ++k)
        x[k] = set->x[k];
    for (int s = 0; s < steps && status == SCREE_OK; ++s) {
        for (int64_t k = 0; k < numbers; ++k)
            x[k] = kept_inside(set, (int)(k % dim), x[k] + step * (scree_rng_uniform(&rng) - 0.5));
        double begin = bench_timer(1);
        status = scree_index_update(index, (scree_spheres){.count = set->count, .dim = set->dim, .x = x, .r = set->r});
        if (status == SCREE_OK)
            status = scree_index_pairs(index, &pairs);
        seconds += bench_timer(1) - begin;
        if (bench_interrupted())
            status = scree_fail(SCREE_ERR_CANCELLED, "stopped on request");
    }
    row->moving = seconds / steps / set->count * 1e9;
    row->rebuilds = status == SCREE_OK ? scree_index_get_stats(index).rebuilds : 0;
    scree_free(x);
    scree_index_destroy(index);
    return status;
}

// Moves of 1 % of the smallest diameter, spheres in turn, each asked for its neighbours at once. The first round over all spheres
// warms up.
static scree_status search_single(const scree_sphere_set* set, int method, double skin, double* nanoseconds, double* tests)
{
    scree_index_def def = def_of(set, method);
    def.skin = skin;
    scree_index* index;
    scree_neighbours near;
    scree_status status = scree_index_create(&def, &index);
    if (status == SCREE_OK)
        status = scree_index_update(index, scree_sphere_set_view(set));
    scree_rng rng = scree_rng_make(1, 13);
    const double length = 0.02 * smallest(set);
    int64_t warm = skin < 0.0 ? 500 : set->count < 20000 ? 5 * (int64_t)set->count : 2000, timed = set->count < 20000 ? set->count : 20000, before = 0;
    double begin = 0.0, from_start = bench_timer(1);
    for (int64_t m = -warm; m < timed && status == SCREE_OK; ++m) {
        if (m == 0) {
            begin = bench_timer(1);
            before = scree_index_get_stats(index).query_tests;
        }
        int32_t i = (int32_t)((m + warm) * 7919 % set->count);
        double x[3], step[3], square = 0.0;
        status = scree_index_get(index, i, x, NULL);
        for (int k = 0; k < set->dim; ++k) {
            step[k] = scree_rng_uniform(&rng) - 0.5;
            square += step[k] * step[k];
        }
        for (int k = 0; k < set->dim; ++k)
            x[k] = kept_inside(set, k, x[k] + length * step[k] / sqrt(square + 1e-30));
        if (status == SCREE_OK)
            status = scree_index_move(index, i, x);
        if (status == SCREE_OK)
            status = scree_index_neighbours(index, i, &near);
        if (m < 0 && m % 64 == 0 && bench_timer(1) - from_start > 4.0)
            m = -1;  // enough of warming up
        if (bench_interrupted())
            status = scree_fail(SCREE_ERR_CANCELLED, "stopped on request");
        if (m >= 0 && m % 64 == 63 && bench_timer(1) - begin > 4.0)
            timed = m + 1;
    }
    if (status == SCREE_OK) {
        *nanoseconds = (bench_timer(1) - begin) / (double)timed * 1e9;
        *tests = (double)(scree_index_get_stats(index).query_tests - before) / (double)timed;
    }
    scree_index_destroy(index);
    return status;
}

// All methods in turns, three times where that takes no time; medians.
static scree_status compete(const scree_sphere_set* set, bool quick, const bool tired[SCREE_METHOD_COUNT], method_row rows[SCREE_METHOD_COUNT])
{
    enum { most_turns = 3 };
    int turns = set->count <= 10000 && !quick ? most_turns : 1;
    double still[SCREE_METHOD_COUNT][most_turns], moving[SCREE_METHOD_COUNT][most_turns];
    double single[SCREE_METHOD_COUNT][most_turns], bare[SCREE_METHOD_COUNT][most_turns];
    scree_status status = SCREE_OK;
    double all = 0.5 * all_against_all * set->count * (double)set->count;
    for (int m = 0; m < SCREE_METHOD_COUNT; ++m) {
        bool hopeless = (m == SCREE_METHOD_ALL_PAIRS || m == SCREE_METHOD_VERLET_LIST) && all > patience;
        rows[m] = (method_row){.method = m, .ran = !tired[m] && !hopeless};
    }
    for (int turn = 0; turn < turns; ++turn)
        for (int m = 0; m < SCREE_METHOD_COUNT && status == SCREE_OK; ++m) {
            method_row* row = &rows[m];
            if (!row->ran)
                continue;
            status = search_still(set, quick ? 0.005 : 0.05, row);
            row->slow = row->still * 1e-9 * set->count > patience;
            if (status == SCREE_OK && !row->slow)
                status = search_moving(set, row);
            if (status == SCREE_OK)
                status = search_single(set, m, 0.0, &row->single, &row->single_tests);
            if (status == SCREE_OK)
                status = search_single(set, m, -1.0, &row->bare, &row->bare_tests);
            still[m][turn] = row->still;
            moving[m][turn] = row->moving;
            single[m][turn] = row->single;
            bare[m][turn] = row->bare;
        }
    for (int m = 0; m < SCREE_METHOD_COUNT && status == SCREE_OK; ++m)
        if (rows[m].ran) {
            rows[m].still = bench_median(still[m], turns);
            rows[m].moving = bench_median(moving[m], turns);
            rows[m].single = bench_median(single[m], turns);
            rows[m].bare = bench_median(bare[m], turns);
        }
    return status;
}

// ---- What was found --------------------------------------------------------------------------------------------------

static const char* const columns[] = {"method",    "ratio",     "n",        "pairs",     "tests_per_sphere", "cells_per_sphere", "work_per_sphere", "bytes_per_sphere",
                                      "ns_still",  "ns_moving", "rebuilds", "ns_single", "tests_single",     "ns_no_lists",      "tests_no_lists",  "about_10000", NULL};

static scree_status tell_row(findings* f, double ratio, int32_t n, const method_row* row)
{
    const char* name = scree_method_name((scree_method)row->method);
    return findings_row(f, &name, (const double[]){ratio, n, (double)row->pairs, row->tests, row->cells, row->work > 0.0 ? row->work : NAN, row->bytes, row->still, row->slow ? NAN : row->moving,
                                                   (double)row->rebuilds, row->single, row->single_tests, row->bare, row->bare_tests,
                                                   n > 3000 && n < 20000 && ratio != fuller_ratio});
}

// How auto did against the best of the others; only counted work is compared.
static scree_status tell_auto(findings* f, double ratio, int32_t n, const method_row rows[SCREE_METHOD_COUNT])
{
    const method_row* own = &rows[SCREE_METHOD_AUTO];
    double still = INFINITY, moving = INFINITY, single = INFINITY, work = INFINITY;
    int least = SCREE_METHOD_AUTO;
    for (int m = 1; m < SCREE_METHOD_COUNT; ++m)
        if (rows[m].ran) {
            still = fmin(still, rows[m].still);
            moving = rows[m].moving > 0.0 ? fmin(moving, rows[m].moving) : moving;
            single = fmin(single, rows[m].single);
            if (rows[m].work > 0.0 && rows[m].work < work) {
                work = rows[m].work;
                least = m;
            }
        }
    double by_work = own->work / work;
    return findings_row(f, (const char* const[]){scree_method_name(own->chosen), scree_method_name((scree_method)least)},
                        (const double[]){ratio, n, own->work, work, by_work, own->still / still, own->moving / moving, own->single / single});
}

// Time and work of one set, all methods in turns; their rows into the first table. `rows` stay for the second.
static scree_status run_set(findings* f, scree_sphere_set* set, double ratio, bool quick, bool tired[SCREE_METHOD_COUNT], method_row rows[SCREE_METHOD_COUNT])
{
    int64_t pairs = -1;
    scree_status status = compete(set, quick, tired, rows);
    for (int m = 0; m < SCREE_METHOD_COUNT && status == SCREE_OK; ++m) {
        const method_row* row = &rows[m];
        tired[m] = tired[m] || row->slow;
        if (!row->ran)
            continue;
        status = tell_row(f, ratio, set->count, row);
        if (status == SCREE_OK && pairs >= 0 && row->pairs != pairs)
            status = scree_fail(SCREE_ERR_ARGUMENT, "the methods disagree on the number of pairs; please report this");
        pairs = row->pairs;
    }
    return status;
}

typedef struct kept_set {
    double ratio;
    int32_t count;
    method_row rows[SCREE_METHOD_COUNT];
} kept_set;

static scree_status run_law(findings* f, const bench_set* what, double ratio, bool quick, const bench_options* co, bool tired[SCREE_METHOD_COUNT], kept_set* kept, int* kept_count)
{
    scree_sphere_set set = {0};
    scree_status status = bench_make_set(what, co, &set);
    if (status == SCREE_ERR_ARGUMENT) {  // so few spheres of so many sizes do not fit into a box
        findings_note(f, "Ratio %g, %d spheres: left out: %s", ratio, (int)what->count, scree_error_message());
        return SCREE_OK;
    }
    if (status == SCREE_OK)
        status = bench_order(&set);
    for (int64_t i = 0; i < set.count; ++i)
        set.r[i] *= 1.1;
    set.has_box = false;  // some reach over the walls now
    if (status == SCREE_OK)
        status = run_set(f, &set, ratio, quick, tired, kept[*kept_count].rows);
    kept[*kept_count].ratio = ratio;
    kept[*kept_count].count = set.count;
    *kept_count += status == SCREE_OK;
    scree_sphere_set_free(&set);
    return status;
}

static const char* const choice_columns[] = {"auto_took", "least_work",     "ratio",           "n",           "work_of_auto", "least_work_per_sphere",
                                             "by_work",   "by_time_still",  "by_time_moving",  "by_time_single", NULL};

// The user's spheres: the same contest, and why auto chose as it did.
static scree_status run_own(findings* f, bench_own* own, bool quick, const bench_options* co)
{
    static method_row rows[SCREE_METHOD_COUNT];
    bool tired[SCREE_METHOD_COUNT] = {false};
    scree_sphere_set made = {0};
    scree_status status = SCREE_OK;
    if (own->law != NULL)
        status = bench_make_set(&(bench_set){own->name, own->law, own->count, own->density}, co, &made);
    scree_sphere_set* set = own->law != NULL ? &made : &own->set;
    double largest = 0.0;
    for (int64_t i = 0; i < set->count; ++i)
        largest = fmax(largest, set->r[i]);
    double ratio = largest / smallest(set);
    if (status == SCREE_OK)
        status = run_set(f, set, ratio, quick, tired, rows);
    findings_table(f, "choice", 2, choice_columns);
    if (status == SCREE_OK)
        status = tell_auto(f, ratio, set->count, rows);
    findings_table(f, "why", 1, (const char* const[]){"method", "expected_work", "counted_work", NULL});
    for (int m = 1; m < SCREE_METHOD_COUNT && status == SCREE_OK; ++m) {
        const char* name = scree_method_name((scree_method)m);
        const double expected = rows[SCREE_METHOD_AUTO].predicted[m];
        status = findings_row(f, &name, (const double[]){expected > 0.0 ? expected : NAN, rows[m].ran && rows[m].work > 0.0 ? rows[m].work : NAN});
    }
    scree_sphere_set_free(&made);
    return status;
}

static scree_status run_bench(findings* f, const bench_options* co)
{
    const bool quick = co->quick;
    enum { most_sets = ratio_count * count_count + 1 };
    bench_own own;
    kept_set* kept = scree_calloc(most_sets, sizeof *kept);
    int kept_count = 0;
    scree_status status = bench_own_get(co, 0, 10000, 0.4, &own);
    if (status == SCREE_OK && kept == NULL)
        status = SCREE_ERR_MEMORY;
    if (own.given) {
        findings_own(f, own.name);
        if (status == SCREE_OK)
            status = run_own(f, &own, quick, co);
    }
    for (int r = 0; r < ratio_count && status == SCREE_OK && !own.given; ++r) {
        bool tired[SCREE_METHOD_COUNT] = {false};
        for (int c = 0; c < (quick ? count_count - 2 : count_count) && status == SCREE_OK; ++c) {
            char law[64];
            snprintf(law, sizeof law, "uniform-volume:1:%g", ratios[r]);
            status = run_law(f, &(bench_set){"methods", ratios[r] > 1.0 ? law : NULL, quick && counts[c] > 2000 ? 2000 : counts[c], ratios[r] > 100.0 ? 0.2 : 0.4}, ratios[r], quick, co,
                             tired, kept, &kept_count);
        }
    }
    bool tired[SCREE_METHOD_COUNT] = {false};
    if (status == SCREE_OK && !own.given)  // the sample of the loose-octree paper
        status = run_law(f, &(bench_set){"fuller", bench_fuller, quick ? 2000 : 10000, 0.5}, fuller_ratio, quick, co, tired, kept, &kept_count);
    if (!own.given) {
        findings_table(f, "choice", 2, choice_columns);
        for (int k = 0; k < kept_count && status == SCREE_OK; ++k)
            status = tell_auto(f, kept[k].ratio, kept[k].count, kept[k].rows);
        findings_note(f, "Not from a paper: the same comparison for all methods. Uniform volume by size ratio, radii times 1.1 after random sequential addition, so that some touch.");
    }
    findings_note(f, "Work: counters weighed by fixed costs, in tests of a grid, of a new search. Moving: 20 steps of up to 0.5 %% of the smallest radius along each axis. single: a "
                     "sphere moves and its neighbours are queried, with lists of single spheres and without. Methods that took more than %g s are left out of larger sets.", patience);
    scree_free(kept);
    scree_sphere_set_free(&own.set);
    return status;
}

#define METHODS_CHART(suffix_name, title_text, x_text, y_text, x_column, y_column, which) \
    {.suffix = suffix_name, .title = title_text, .x_label = x_text, .y_label = y_text, .x = x_column, .y = y_column, .by = "method", .rows = which, .x_log = true, .y_log = true}

const experiment bench_methods = {
    .name = "methods",
    .about = "every method: all pairs still and moving, neighbours one by one; over size ratios and numbers",
    .title = "Every method, and what auto chose",
    .paper = true,
    .takes = TAKES_OWN | TAKES_DENSITY | TAKES_COUNT,
    .run = run_bench,
    .texts = 1,
    .columns = columns,
    .claims = (const claim[]){
        {.quantity = "counted work of the method that auto took by the least of all methods, worst of all sets", .least = 0.9, .most = 1.1, .how = CLAIM_MOST, .table = "choice", .column = "by_work"},
        {0}},
    .charts = (const chart[]){
        METHODS_CHART("time-1", "All pairs of equal spheres, one thread", "spheres", "nanoseconds per sphere", "n", "ns_still", "ratio=1"),
        METHODS_CHART("time-50", "All pairs, uniform volume, size ratio 50, one thread", "spheres", "nanoseconds per sphere", "n", "ns_still", "ratio=50"),
        METHODS_CHART("ratio", "All pairs of some 10,000 spheres against the size ratio, one thread", "size ratio", "nanoseconds per sphere", "ratio", "ns_still", "about_10000=1"),
        METHODS_CHART("move", "A move and its neighbours, without lists, size ratio 50", "spheres", "nanoseconds", "n", "ns_no_lists", "ratio=50"),
        METHODS_CHART("work-50", "Counted work, uniform volume, size ratio 50", "spheres", "tests of a grid, per sphere", "n", "work_per_sphere", "ratio=50"),
        {.title = "Work of each method as counted", .y_label = "tests of a grid, per sphere", .table = "why", .x = "method", .y = "counted_work", .y_log = true, .points = true},
        {0}},
};
