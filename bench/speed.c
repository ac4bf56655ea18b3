// speed: from the caller's arrays to all contacts in memory. Sets of several size distributions, radii times 1.1, numbered at random; scree's methods and
// the plain grid take turns, so that a busy machine is busy for all. One thread is timed by its processor time, several by the clock. Cold is the first search
// of a process: each is a child that is forked before this process has searched at all, so that every page is still to be had from the
// system. "all at once" is what the machine can give at most: as many searches on one thread each as there are cores, side by side and apart from each
// other; its time is that of one divided by their number.
#include "harness.h"

#include <malloc.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

typedef enum making { AS_LAW, TWO_CLUSTERS, SETTLED_COLUMN, OWN_FILE } making;

typedef struct speed_set {
    bench_set of;
    making how;
} speed_set;

static const speed_set full_sets[] = {
    {{"equal", NULL, 1000000, 0.5}, AS_LAW},
    {{"two sizes 10", "bidisperse:10", 1000000, 0.4}, AS_LAW},
    {{"uniform volume 50", "uniform-volume:1:50", 1000000, 0.5}, AS_LAW},
    {{"uniform volume 100", "uniform-volume:1:100", 1000000, 0.4}, AS_LAW},
    {{"uniform volume 1000", "uniform-volume:1:1000", 1000000, 0.2}, AS_LAW},
    {{"uniform size 50", "uniform-size:1:50", 125000, 0.4}, AS_LAW},
    {{"lognormal 1.0", "lognormal:1:1", 1000000, 0.3}, AS_LAW},
    {{"two clusters", "uniform-volume:1:10", 1000000, 0.4}, TWO_CLUSTERS},
    {{"settled column", "uniform-size:1:2", 1000000, 0.0}, SETTLED_COLUMN},
};
enum { set_count = sizeof full_sets / sizeof *full_sets };

typedef struct contestant {
    const char* name;
    int method;       // -1: the plain grid
    int32_t threads;  // 0: all cores; -1: one search on each
    bool sorted, cold;
} contestant;

static const contestant contestants[] = {
    {"plain grid", -1, 1, false, true},
    {"linked-cells", SCREE_METHOD_LINKED_CELLS, 1, false, false},
    {"hierarchical-grid", SCREE_METHOD_HIERARCHICAL_GRID, 1, false, true},
    {"hierarchical-grid, sorted pairs", SCREE_METHOD_HIERARCHICAL_GRID, 1, true, true},
    {"hierarchical-grid, all cores", SCREE_METHOD_HIERARCHICAL_GRID, 0, false, false},
    {"all at once, one thread each", SCREE_METHOD_HIERARCHICAL_GRID, -1, false, false},
};
enum { contestant_count = sizeof contestants / sizeof *contestants, rounds = 9 };

typedef struct score {
    bool ran;
    int64_t pairs, tests;
    double bytes, seconds[rounds], cold[rounds];
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

// ---- Sets ----------------------------------------------------------------------------------------------------------------

// Half of the spheres in each of two cubes at opposite corners of a cube three times as long.
static scree_status make_clusters(const bench_set* what, const bench_options* co, scree_sphere_set* out)
{
    bench_set half = *what;
    half.count = what->count / 2;
    scree_sphere_set one = {0}, both = {0};
    scree_status status = bench_make_set(&half, co, &one);
    if (status == SCREE_OK)
        status = scree_sphere_set_make(3, 2 * one.count, &both);
    for (int64_t i = 0; i < 2 * (int64_t)one.count && status == SCREE_OK; ++i) {
        int64_t from = i % one.count;
        both.r[i] = one.r[from];
        for (int k = 0; k < 3; ++k)
            both.x[3 * i + k] = one.x[3 * from + k] + (i < one.count ? 0.0 : 2.0 * (one.box.upper[k] - one.box.lower[k]));
    }
    scree_sphere_set_free(&one);
    if (status == SCREE_OK)
        *out = both;
    return status;
}

// Spheres that have fallen into a column one by one. It is 27 times as high as wide for a million of them.
static scree_status make_column(const bench_set* what, const bench_options* co, scree_sphere_set* out)
{
    scree_sphere_set set = {0};
    scree_packing packing = {0};
    scree_status status = bench_draw(what->law, what->count, co->seed, &set);
    if (status == SCREE_OK) {
        bench_shuffle_radii(&set, co->seed);
        scree_drop_def def = scree_default_drop_def();
        def.box.upper[0] = def.box.upper[1] = cbrt((double)what->count);
        def.seed = co->seed;
        def.watch = bench_watch(what->name);
        status = scree_pack_drop(&def, set.count, set.r, &packing);
        bench_watch_end();
    }
    for (int64_t k = 0; k < 3 * (int64_t)set.count && status == SCREE_OK; ++k)
        set.x[k] = packing.x[k];
    scree_packing_free(&packing);
    if (status == SCREE_OK)
        *out = set;
    else
        scree_sphere_set_free(&set);
    return status;
}

static scree_status make_set(const speed_set* what, const bench_options* co, bench_own* own, scree_sphere_set* out)
{
    scree_status status = SCREE_OK;
    if (what->how == OWN_FILE) {
        *out = own->set;
        own->set = (scree_sphere_set){0};
        return SCREE_OK;  // as it is: numbers and radii are the user's
    }
    if (what->how == TWO_CLUSTERS)
        status = make_clusters(&what->of, co, out);
    else if (what->how == SETTLED_COLUMN)
        status = make_column(&what->of, co, out);
    else
        status = bench_make_set(&what->of, co, out);
    if (status == SCREE_OK)
        status = bench_shuffle(out, co->seed);
    for (int64_t i = 0; i < out->count && status == SCREE_OK; ++i)
        out->r[i] *= 1.1;
    return status;
}

// ---- One search ----------------------------------------------------------------------------------------------------------

static scree_index_def def_of(const contestant* c)
{
    scree_index_def def = scree_default_index_def();
    def.method = c->method < 0 ? SCREE_METHOD_AUTO : c->method;
    def.threads = c->threads < 0 ? 1 : c->threads;
    def.sorted = c->sorted;
    def.skin = -1.0;  // from scratch each time: no list, which would see that nothing has moved
    return def;
}

static scree_status run_scree(scree_index* index, int32_t threads, const scree_sphere_set* set, score* out, int round)
{
    scree_pairs pairs;
    double begin = bench_timer(threads);
    scree_status status = scree_index_update(index, scree_sphere_set_view(set));
    if (status == SCREE_OK)
        status = scree_index_pairs(index, &pairs);
    if (status != SCREE_OK)
        return status;
    if (round >= 0)
        out->seconds[round] = bench_timer(threads) - begin;
    scree_index_stats stats = scree_index_get_stats(index);
    out->pairs = pairs.count;
    out->tests = stats.tests;
    out->bytes = (double)stats.bytes;
    return SCREE_OK;
}

static scree_status run_plain(plain_grid* plain, const scree_sphere_set* set, score* out, int round)
{
    double begin = bench_timer(1);
    out->pairs = plain_grid_pairs(plain, scree_sphere_set_view(set), &out->tests);
    if (round >= 0)
        out->seconds[round] = bench_timer(1) - begin;
    out->bytes = (double)plain_grid_bytes(plain);
    return out->pairs < 0 ? SCREE_ERR_MEMORY : bench_interrupted() ? SCREE_ERR_CANCELLED : SCREE_OK;
}

// ---- Cold ----------------------------------------------------------------------------------------------------------------

// In a child: all that a first search does, from making the index on. The allocator is as that of a new process: it takes large blocks from the system, and has not
// learned from blocks that were freed before.
static scree_status search_first(const contestant* c, const scree_sphere_set* set, double* seconds)
{
    scree_index* index = NULL;
    score found;
    mallopt(M_MMAP_THRESHOLD, 128 << 10);
    double begin = bench_timer(1);
    scree_status status;
    if (c->method < 0) {
        plain_grid* plain = plain_grid_create();
        status = plain == NULL ? SCREE_ERR_MEMORY : run_plain(plain, set, &found, -1);
    } else {
        scree_index_def def = def_of(c);
        status = scree_index_create(&def, &index);
        if (status == SCREE_OK)
            status = run_scree(index, 1, set, &found, -1);
    }
    *seconds = bench_timer(1) - begin;
    return status;
}

static scree_status run_cold(const contestant* c, const scree_sphere_set* set, double* seconds)
{
    int ends[2];
    *seconds = NAN;
    if (pipe(ends) != 0)
        return scree_fail(SCREE_ERR_IO, "no pipe for a search in a process of its own");
    malloc_trim(0);
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        double taken = NAN;
        scree_status status = search_first(c, set, &taken);
        bool passed = write(ends[1], &taken, sizeof taken) == (ssize_t)sizeof taken;
        _exit(status == SCREE_OK && passed ? 0 : 1);
    }
    close(ends[1]);
    int how = 1;
    bool passed = child > 0 && read(ends[0], seconds, sizeof *seconds) == (ssize_t)sizeof *seconds;
    close(ends[0]);
    if (child > 0)
        waitpid(child, &how, 0);
    if (bench_interrupted())
        return SCREE_ERR_CANCELLED;
    return passed && how == 0 ? SCREE_OK : scree_fail(SCREE_ERR_MEMORY, "%s: the search in a process of its own failed", c->name);
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
    m->status = run_scree(m->all->index[m->number], 1, m->all->set, &m->found, -1);
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

static scree_status compete(const scree_sphere_set* set, score scores[contestant_count])
{
    scree_index* indices[contestant_count] = {NULL};
    crowd all = {.count = 0};
    plain_grid* plain = NULL;
    scree_status status = SCREE_OK;
    for (int c = 0; c < contestant_count; ++c)
        scores[c] = (score){.ran = !hopeless(&contestants[c], set)};
    for (int round = 0; round < rounds && status == SCREE_OK; ++round)
        for (int c = 0; c < contestant_count && status == SCREE_OK; ++c)
            if (contestants[c].cold)
                status = run_cold(&contestants[c], set, &scores[c].cold[round]);
    if (status == SCREE_OK && (plain = plain_grid_create()) == NULL)
        status = SCREE_ERR_MEMORY;
    for (int c = 0; c < contestant_count && status == SCREE_OK; ++c) {
        scree_index_def def = def_of(&contestants[c]);
        if (contestants[c].threads < 0)
            status = make_crowd(set, &def, &all);
        else if (contestants[c].method >= 0)
            status = scree_index_create(&def, &indices[c]);
    }
    for (int round = -1; round < rounds && status == SCREE_OK; ++round)  // the first one warms up
        for (int c = 0; c < contestant_count && status == SCREE_OK; ++c)
            if (scores[c].ran)
                status = contestants[c].method < 0    ? run_plain(plain, set, &scores[c], round)
                         : contestants[c].threads < 0 ? run_crowd(&all, &scores[c], round)
                                                      : run_scree(indices[c], contestants[c].threads, set, &scores[c], round);
    for (int c = 0; c < contestant_count; ++c)
        scree_index_destroy(indices[c]);
    for (int k = 0; k < all.count; ++k)
        scree_index_destroy(all.index[k]);
    plain_grid_destroy(plain);
    return status;
}

// Rows of one set.
static scree_status report_set(findings* f, const bench_set* what, int32_t count, score scores[contestant_count])
{
    double n = count, plain = bench_median(scores[0].seconds, rounds), plain_cold = bench_median(scores[0].cold, rounds);
    scree_status status = SCREE_OK;
    for (int c = 0; c < contestant_count && status == SCREE_OK; ++c) {
        if (!scores[c].ran)
            continue;
        double time = bench_median(scores[c].seconds, rounds), cold = contestants[c].cold ? bench_median(scores[c].cold, rounds) : NAN;
        status = findings_row(f, (const char* const[]){what->name, contestants[c].name},
                              (const double[]){n, (double)scores[c].pairs, (double)scores[c].tests / n, scores[c].bytes / n, time / n * 1e9, time / plain,
                                               cold / n * 1e9, cold / plain_cold});
        if (status == SCREE_OK && scores[c].pairs != scores[0].pairs)
            status = scree_fail(SCREE_ERR_ARGUMENT, "the methods disagree on the number of pairs; please report this");
    }
    return status;
}

static scree_status run_bench(findings* f, const bench_options* co)
{
    const bool quick = co->quick;
    bench_own own;
    scree_status status = bench_own_get(co, 3, 1000000, 0.4, &own);
    int sets = own.given ? 1 : set_count;
    for (int s = 0; s < sets && status == SCREE_OK; ++s) {
        speed_set what = full_sets[s];
        if (own.given)
            what = (speed_set){{own.name, own.law, own.count, own.density}, own.law == NULL ? OWN_FILE : AS_LAW};
        else if (quick)
            what.of.count = what.of.count < 100000 ? what.of.count : 100000;
        scree_sphere_set set = {0};
        score scores[contestant_count];
        status = make_set(&what, co, &own, &set);
        if (status == SCREE_OK)
            status = compete(&set, scores);
        if (status == SCREE_OK)
            status = report_set(f, &what.of, set.count, scores);
        scree_sphere_set_free(&set);
    }
    findings_note(f, "All find the same number of pairs; the benchmark fails otherwise.");
    findings_note(f, "Medians of %d, in turns. One thread: processor time; several: the clock. Cold: the first search of a process.", (int)rounds);
    findings_note(f, "Linked cells are left out where they would test more than 2000 for a sphere.");
    scree_sphere_set_free(&own.set);
    return status;
}

const experiment bench_speed = {
    .name = "speed",
    .about = "all contacts from scratch: scree's methods and a plain grid, side by side",
    .title = "All contacts from scratch",
    .takes = TAKES_OWN | TAKES_DENSITY | TAKES_COUNT,
    .run = run_bench,
    .texts = 2,
    .columns = (const char* const[]){"sizes", "method", "n", "pairs", "tests_per_sphere", "bytes_per_sphere", "ns_per_sphere",
                                                 "relative_to_plain", "cold_ns_per_sphere", "cold_relative_to_plain", NULL},
    .charts = (const chart[]){{.title = "Time to find all contacts", .y_label = "nanoseconds per sphere", .x = "sizes", .y = "ns_per_sphere", .by = "method", .y_log = true, .points = true}, {0}},
};
