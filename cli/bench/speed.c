// speed: from the caller's arrays to all contacts in memory, cold caches aside. Sets of several size laws, radii times 1.1,
// numbered at random; scree's methods and the plain grid take turns, so that a busy machine is busy for all. "all at once" is what the
// machine can give at most: as many searches on one thread each as there are cores, side by side and apart from each other; its time
// is that of one divided by their number.
#include "bench.h"
#include "findings.h"
#include "plain_grid.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static const bench_set full_sets[] = {
    {"equal", NULL, 1000000, 0.5},
    {"uniform volume 50", "uniform-volume:1:50", 1000000, 0.5},
    {"uniform volume 100", "uniform-volume:1:100", 1000000, 0.4},
    {"uniform volume 1000", "uniform-volume:1:1000", 1000000, 0.2},
    {"two sizes 10", "bidisperse:10", 1000000, 0.4},
    {"uniform size 50", "uniform-size:1:50", 125000, 0.4},
};
enum { set_count = sizeof full_sets / sizeof *full_sets };

typedef struct contestant {
    const char* name;
    int method;       // -1: the plain grid
    int32_t threads;  // 0: all cores; -1: one search on each
} contestant;

static const contestant contestants[] = {
    {"plain grid", -1, 1},
    {"linked-cells", SCREE_METHOD_LINKED_CELLS, 1},
    {"hierarchical-grid", SCREE_METHOD_HIERARCHICAL_GRID, 1},
    {"hierarchical-grid, all cores", SCREE_METHOD_HIERARCHICAL_GRID, 0},
    {"all at once, one thread each", SCREE_METHOD_HIERARCHICAL_GRID, -1},
};
enum { contestant_count = sizeof contestants / sizeof *contestants, most_rounds = 31 };

typedef struct score {
    bool ran;
    int64_t pairs, tests;
    double bytes, seconds[most_rounds];
} score;

// One grid on many sizes takes minutes; it is left out where it would test more than this per sphere.
static bool hopeless(const contestant* c, const scree_sphere_set* set)
{
    if (c->method != SCREE_METHOD_LINKED_CELLS)
        return false;
    scree_box box = scree_spheres_bounds(scree_sphere_set_view(set));
    double largest = 0.0;
    for (int64_t i = 0; i < set->count; ++i)
        largest = fmax(largest, set->r[i]);
    double cells = scree_box_volume(&box) / pow(2.0 * largest, 3.0);
    return 13.5 * set->count / cells > 2000.0;
}

static scree_status run_scree(scree_index* index, const scree_sphere_set* set, score* out, int round)
{
    scree_pairs pairs;
    scree_status status = scree_index_update(index, scree_sphere_set_view(set));
    if (status == SCREE_OK)
        status = scree_index_pairs(index, &pairs);
    if (status != SCREE_OK)
        return status;
    scree_index_stats stats = scree_index_get_stats(index);
    out->pairs = pairs.count;
    out->tests = stats.tests;
    out->bytes = (double)stats.bytes;
    if (round >= 0)
        out->seconds[round] = stats.seconds_build + stats.seconds_search;
    return SCREE_OK;
}

// ---- All at once ---------------------------------------------------------------------------------------------------------

enum { most_cores = 64 };

typedef struct crowd {
    int count;
    scree_index* index[most_cores];
    const scree_sphere_set* set;
} crowd;

typedef struct member {
    const crowd* all;
    int number;
    score found;
    scree_status status;
} member;

static void* run_member(void* context)
{
    member* m = context;
    m->status = run_scree(m->all->index[m->number], m->all->set, &m->found, -1);
    return NULL;
}

static scree_status make_crowd(const scree_sphere_set* set, const scree_index_def* def, crowd* out)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    *out = (crowd){.set = set};
    scree_status status = SCREE_OK;
    while (status == SCREE_OK && out->count < most_cores && out->count < (cores > 1 ? cores : 1)) {
        status = scree_index_create(def, &out->index[out->count]);
        out->count += status == SCREE_OK;
    }
    return status;
}

static scree_status run_crowd(const crowd* all, score* out, int round)
{
    static member members[most_cores];
    pthread_t threads[most_cores];
    bool started[most_cores] = {false};
    double begin = bench_clock();
    for (int k = 0; k < all->count; ++k) {
        members[k] = (member){.all = all, .number = k};
        started[k] = k > 0 && pthread_create(&threads[k], NULL, run_member, &members[k]) == 0;
    }
    for (int k = 0; k < all->count; ++k)
        if (!started[k])
            run_member(&members[k]);
    for (int k = 1; k < all->count; ++k)
        if (started[k])
            pthread_join(threads[k], NULL);
    for (int k = 0; k < all->count; ++k)
        if (members[k].status != SCREE_OK)
            return members[k].status;
    double seconds = (bench_clock() - begin) / all->count;
    out->pairs = members[0].found.pairs;
    out->tests = members[0].found.tests;
    out->bytes = members[0].found.bytes;
    if (round >= 0)
        out->seconds[round] = seconds;
    return SCREE_OK;
}

// ---- The contest ---------------------------------------------------------------------------------------------------------

static scree_status compete(const scree_sphere_set* set, int rounds, score scores[contestant_count])
{
    scree_index* indices[contestant_count] = {NULL};
    crowd all = {.count = 0};
    plain_grid* plain = plain_grid_create();
    scree_status status = plain == NULL ? SCREE_ERR_MEMORY : SCREE_OK;
    for (int c = 0; c < contestant_count && status == SCREE_OK; ++c) {
        scores[c] = (score){.ran = !hopeless(&contestants[c], set)};
        scree_index_def def = scree_default_index_def();
        def.method = contestants[c].method < 0 ? SCREE_METHOD_AUTO : contestants[c].method;
        def.threads = contestants[c].threads < 0 ? 1 : contestants[c].threads;
        def.skin = -1.0;  // from scratch each time: no list, which would see that nothing has moved
        if (contestants[c].threads < 0)
            status = make_crowd(set, &def, &all);
        else if (contestants[c].method >= 0)
            status = scree_index_create(&def, &indices[c]);
    }
    for (int round = -1; round < rounds && status == SCREE_OK; ++round)  // the first one warms up
        for (int c = 0; c < contestant_count && status == SCREE_OK; ++c) {
            if (!scores[c].ran)
                continue;
            if (contestants[c].method >= 0) {
                status = contestants[c].threads < 0 ? run_crowd(&all, &scores[c], round) : run_scree(indices[c], set, &scores[c], round);
                continue;
            }
            double begin = bench_clock();
            scores[c].pairs = plain_grid_pairs(plain, scree_sphere_set_view(set), &scores[c].tests);
            if (scores[c].pairs < 0)
                status = SCREE_ERR_MEMORY;
            if (round >= 0)
                scores[c].seconds[round] = bench_clock() - begin;
            if (run_interrupted())
                status = SCREE_ERR_CANCELLED;
        }
    for (int c = 0; c < contestant_count; ++c)
        scree_index_destroy(indices[c]);
    for (int k = 0; k < all.count; ++k)
        scree_index_destroy(all.index[k]);
    plain_grid_destroy(plain);
    return status;
}

exit_code bench_speed(const arguments* args, const common* co, bool quick)
{
    int rounds = quick ? 9 : 15;
    findings* f = findings_open(args, co, "speed", "All contacts from scratch");
    findings_columns(f, 2, (const char* const[]){"sizes", "method", "spheres", "pairs", "tests_per_sphere", "bytes_per_sphere", "ns_per_sphere", "relative_to_plain", NULL});
    double number[set_count], times[contestant_count][set_count];
    const char* names[set_count];
    scree_status status = SCREE_OK;
    for (int s = 0; s < set_count && status == SCREE_OK; ++s) {
        bench_set what = full_sets[s];
        if (quick)
            what.count = what.count < 100000 ? what.count : 100000;
        scree_sphere_set set = {0};
        score scores[contestant_count];
        status = bench_make_set(&what, co, &set);
        if (status == SCREE_OK)
            status = bench_shuffle(&set, co->seed);
        for (int64_t i = 0; i < set.count; ++i)
            set.r[i] *= 1.1;
        if (status == SCREE_OK)
            status = compete(&set, rounds, scores);
        double n = set.count, plain = status == SCREE_OK ? bench_median(scores[0].seconds, rounds) : 0.0;
        number[s] = s;
        names[s] = full_sets[s].name;
        for (int c = 0; c < contestant_count && status == SCREE_OK; ++c) {
            times[c][s] = NAN;
            if (!scores[c].ran)
                continue;
            double time = bench_median(scores[c].seconds, rounds);
            times[c][s] = time / n * 1e9;
            status = findings_row(f, (const char* const[]){what.name, contestants[c].name},
                                  (const double[]){n, (double)scores[c].pairs, (double)scores[c].tests / n, scores[c].bytes / n, time / n * 1e9, time / plain});
            if (status == SCREE_OK && scores[c].pairs != scores[0].pairs)
                status = scree_fail(SCREE_ERR_ARGUMENT, "the methods disagree on the number of pairs; please report this");
        }
        scree_sphere_set_free(&set);
    }
    if (status == SCREE_OK) {
        scree_series series[contestant_count];
        for (int c = 0; c < contestant_count; ++c)
            series[c] = (scree_series){.name = contestants[c].name, .count = set_count, .x = number, .y = times[c], .style = SCREE_SERIES_POINTS};
        scree_plot plot = scree_default_plot();
        plot.title = "Time to find all contacts";
        plot.names = names;
        plot.name_count = set_count;
        plot.y_label = "nanoseconds per sphere";
        plot.y_log = true;
        plot.series = series;
        plot.series_count = contestant_count;
        findings_plot(f, "", &plot);
        findings_note(f, "All find the same number of pairs; the benchmark fails otherwise.");
    }
    findings_note(f, "Linked cells are left out where they would test more than 2000 for a sphere.");
    return findings_close(f, status);
}
