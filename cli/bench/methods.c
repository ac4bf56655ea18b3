// methods: every method on the same sets, asked all three ways: all pairs of spheres that stand still, after all have moved a
// little, and the neighbours of one that has moved. Counters beside the times; what auto chose, and how near that is to the best.
#include "bench.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

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
    double tests, cells, bytes, work;       // per sphere, of a search anew
    double single_tests, bare_tests;        // per move
    int64_t pairs, rebuilds;
} method_row;

static scree_status search_still(const scree_sphere_set* set, method_row* row)
{
    enum { most_rounds = 31 };
    scree_index_def def = scree_default_index_def();
    def.method = row->method;
    def.threads = 1;
    def.skin = -1.0;
    scree_index* index;
    scree_pairs pairs;
    scree_status status = scree_index_create(&def, &index);
    if (status != SCREE_OK)
        return status;
    double seconds[most_rounds], sum = 0.0;
    int rounds = 0;
    for (int round = -1; round < most_rounds && (round < 3 || sum < 0.1) && status == SCREE_OK; ++round) {
        // Without this, the methods that remember would see that nothing has moved.
        status = scree_index_update(index, (scree_spheres){.count = 0, .dim = 3});
        double begin = bench_clock();
        if (status == SCREE_OK)
            status = scree_index_update(index, scree_sphere_set_view(set));
        if (status == SCREE_OK)
            status = scree_index_pairs(index, &pairs);
        double took = bench_clock() - begin;
        sum += took;
        if (round >= 0)
            seconds[rounds++] = took;
        if (run_interrupted())
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
    }
    scree_index_destroy(index);
    return status;
}

// Steps of up to 0.5 % of the smallest radius on each axis, first searches and rebuilds included.
static scree_status search_moving(const scree_sphere_set* set, method_row* row)
{
    enum { steps = 20 };
    scree_index_def def = scree_default_index_def();
    def.method = row->method;
    def.threads = 1;
    scree_index* index;
    scree_pairs pairs;
    scree_status status = scree_index_create(&def, &index);
    double* x = scree_malloc(3 * (size_t)set->count, sizeof *x);
    if (status == SCREE_OK && x == NULL)
        status = SCREE_ERR_MEMORY;
    scree_rng rng = scree_rng_make(1, 11);
    double seconds = 0.0;
    for (int64_t k = 0; k < 3 * (int64_t)set->count && status == SCREE_OK; ++k)
        x[k] = set->x[k];
    for (int s = 0; s < steps && status == SCREE_OK; ++s) {
        for (int64_t k = 0; k < 3 * (int64_t)set->count; ++k)
            x[k] += 0.01 * (scree_rng_uniform(&rng) - 0.5);
        double begin = bench_clock();
        status = scree_index_update(index, (scree_spheres){.count = set->count, .dim = 3, .x = x, .r = set->r});
        if (status == SCREE_OK)
            status = scree_index_pairs(index, &pairs);
        seconds += bench_clock() - begin;
        if (run_interrupted())
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
    scree_index_def def = scree_default_index_def();
    def.method = method;
    def.skin = skin;
    scree_index* index;
    scree_neighbours near;
    scree_status status = scree_index_create(&def, &index);
    if (status == SCREE_OK)
        status = scree_index_update(index, scree_sphere_set_view(set));
    scree_rng rng = scree_rng_make(1, 13);
    int64_t warm = skin < 0.0 ? 500 : set->count < 20000 ? 5 * (int64_t)set->count : 2000, timed = set->count < 20000 ? set->count : 20000, before = 0;
    double begin = 0.0, from_start = bench_clock();
    for (int64_t m = -warm; m < timed && status == SCREE_OK; ++m) {
        if (m == 0) {
            begin = bench_clock();
            before = scree_index_get_stats(index).query_tests;
        }
        int32_t i = (int32_t)((m + warm) * 7919 % set->count);
        double x[3], step[3], square = 0.0;
        status = scree_index_get(index, i, x, NULL);
        for (int k = 0; k < 3; ++k) {
            step[k] = scree_rng_uniform(&rng) - 0.5;
            square += step[k] * step[k];
        }
        for (int k = 0; k < 3; ++k)
            x[k] += 0.02 * step[k] / sqrt(square + 1e-30);
        if (status == SCREE_OK)
            status = scree_index_move(index, i, x);
        if (status == SCREE_OK)
            status = scree_index_neighbours(index, i, &near);
        if (m < 0 && bench_clock() - from_start > 4.0)
            m = -1;  // enough of warming up
        if (run_interrupted())
            status = scree_fail(SCREE_ERR_CANCELLED, "stopped on request");
        if (m >= 0 && m % 64 == 63 && bench_clock() - begin > 4.0)
            timed = m + 1;
    }
    if (status == SCREE_OK) {
        *nanoseconds = (bench_clock() - begin) / (double)timed * 1e9;
        *tests = (double)(scree_index_get_stats(index).query_tests - before) / (double)timed;
    }
    scree_index_destroy(index);
    return status;
}

// All methods in turns, three times where that takes no time; medians.
static scree_status compete(const scree_sphere_set* set, const bool tired[SCREE_METHOD_COUNT], method_row rows[SCREE_METHOD_COUNT])
{
    enum { most_turns = 3 };
    int turns = set->count <= 10000 ? most_turns : 1;
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
            status = search_still(set, row);
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

static void print_row(double ratio, int32_t n, const method_row* row)
{
    printf("%6g %9" PRId32 "  %-18s", ratio, n, scree_method_name((scree_method)row->method));
    if (!row->ran) {
        printf(" left out\n");
        return;
    }
    printf("%10.1f %9.1f %8.0f %8.0f %10.1f %10.1f %9" PRId64 " %9.0f %8.1f %9.0f %8.1f\n", row->tests, row->cells, row->work, row->bytes,
           row->still, row->moving, row->rebuilds, row->single, row->single_tests, row->bare, row->bare_tests);
    fflush(stdout);
}

typedef struct method_table_rows {
    int64_t rows;
    double* column[15];
} method_table_rows;

static scree_status keep_row(method_table_rows* kept, double ratio, int32_t n, const method_row* row)
{
    const double values[15] = {ratio,       (double)n,    row->method,           (double)row->pairs, row->tests,  row->cells, row->work,
                               row->bytes,  row->still,   row->moving,           (double)row->rebuilds, row->single, row->single_tests, row->bare, row->bare_tests};
    for (int c = 0; c < 15; ++c) {
        double* grown = scree_realloc(kept->column[c], (size_t)kept->rows + 1, sizeof *grown);
        if (grown == NULL)
            return SCREE_ERR_MEMORY;
        kept->column[c] = grown;
        grown[kept->rows] = values[c];
    }
    ++kept->rows;
    return SCREE_OK;
}

// How auto did against the best of the others.
static void judge_auto(double ratio, int32_t n, const method_row rows[SCREE_METHOD_COUNT])
{
    const method_row* own = &rows[SCREE_METHOD_AUTO];
    double still = INFINITY, moving = INFINITY, single = INFINITY, work = INFINITY;
    for (int m = 1; m < SCREE_METHOD_COUNT; ++m)
        if (rows[m].ran) {
            still = fmin(still, rows[m].still);
            moving = rows[m].moving > 0.0 ? fmin(moving, rows[m].moving) : moving;
            single = fmin(single, rows[m].single);
            work = rows[m].work > 0.0 ? fmin(work, rows[m].work) : work;
        }
    printf("%6g %9" PRId32 "  auto took %s: work %.2f of the least; time %.2f still, %.2f moving, %.2f one by one of the best\n", ratio, n,
           scree_method_name(own->chosen), own->work / work, own->still / still, own->moving / moving, own->single / single);
    fflush(stdout);
}

static scree_status run_set(const bench_set* what, double ratio, const common* co, bool tired[SCREE_METHOD_COUNT], method_table_rows* kept)
{
    scree_sphere_set set = {0};
    scree_status status = bench_make_set(what, co, &set);
    if (status == SCREE_ERR_ARGUMENT) {  // so few spheres of so many sizes do not fit into a box
        printf("%6g %9" PRId32 "  left out: %s\n", ratio, what->count, scree_error_message());
        return SCREE_OK;
    }
    if (status == SCREE_OK)
        status = bench_order(&set);
    for (int64_t i = 0; i < set.count; ++i)
        set.r[i] *= 1.1;
    int64_t pairs = -1;
    method_row rows[SCREE_METHOD_COUNT];
    if (status == SCREE_OK)
        status = compete(&set, tired, rows);
    for (int m = 0; m < SCREE_METHOD_COUNT && status == SCREE_OK; ++m) {
        method_row row = rows[m];
        tired[m] = tired[m] || row.slow;
        print_row(ratio, set.count, &row);
        if (status == SCREE_OK && row.ran)
            status = keep_row(kept, ratio, set.count, &row);
        if (row.ran && status == SCREE_OK && pairs >= 0 && row.pairs != pairs)
            status = scree_fail(SCREE_ERR_ARGUMENT, "the methods disagree on the number of pairs; please report this");
        pairs = row.ran ? row.pairs : pairs;
    }
    if (status == SCREE_OK)
        judge_auto(ratio, set.count, rows);
    scree_sphere_set_free(&set);
    return status;
}

static scree_status run_law(double ratio, int32_t count, const common* co, bool tired[SCREE_METHOD_COUNT], method_table_rows* kept)
{
    char law[64];
    snprintf(law, sizeof law, "uniform-volume:1:%g", ratio);
    bench_set what = {"methods", ratio > 1.0 ? law : NULL, count, ratio > 100.0 ? 0.2 : 0.4};
    return run_set(&what, ratio, co, tired, kept);
}

exit_code bench_methods(const arguments* args, const common* co, bool quick)
{
    static const char* const names[15] = {"ratio",          "n",          "method",          "pairs",    "tests_per_sphere", "cells_per_sphere", "work_per_sphere",
                                          "bytes_per_sphere", "ns_still", "ns_moving", "rebuilds", "ns_single",        "tests_single", "ns_no_lists", "tests_no_lists"};
    method_table_rows kept = {.rows = 0};
    scree_status status = SCREE_OK;
    printf("%6s %9s  %-18s%10s %9s %8s %8s %10s %10s %9s %9s %8s %9s %8s\n", "ratio", "spheres", "method", "tests/n", "cells/n", "work/n", "bytes/n",
           "ns/n still", "ns/n moved", "rebuilds", "ns/move", "tests", "no lists", "tests");
    for (int r = 0; r < ratio_count && status == SCREE_OK; ++r) {
        bool tired[SCREE_METHOD_COUNT] = {false};
        for (int c = 0; c < (quick ? count_count - 2 : count_count) && status == SCREE_OK; ++c)
            status = run_law(ratios[r], counts[c], co, tired, &kept);
    }
    // The sample of the loose-octree paper.
    bool tired[SCREE_METHOD_COUNT] = {false};
    if (status == SCREE_OK)
        status = run_set(&(bench_set){"fuller", "fuller:1:684.75:0.5:70", 10000, 0.5}, 52.7, co, tired, &kept);
    if (status == SCREE_OK && co->out != NULL) {
        scree_table_column columns[15];
        for (int c = 0; c < 15; ++c)
            columns[c] = (scree_table_column){.name = names[c], .values = kept.column[c]};
        status = scree_write_table(co->out, NULL, kept.rows, 15, columns);
    }
    for (int c = 0; c < 15; ++c)
        scree_free(kept.column[c]);
    return status == SCREE_OK ? EXIT_DONE : run_failed(args, status);
}
