// moving: the same spheres come again and again, moved a little; exact pairs are asked for after each step. With the index'
// list, and a new search each time. Spheres are numbered along a Morton curve, as a simulation keeps them.
#include "harness.h"

typedef struct moving_set {
    bench_set set;
    double scale;  // radii times this
} moving_set;

static const moving_set sets[] = {
    {{"equal", NULL, 1000000, 0.5}, 1.0},
    {{"uniform volume 50", "uniform-volume:1:50", 1000000, 0.5}, 1.1},
};
enum { set_count = sizeof sets / sizeof *sets };

typedef struct outcome {
    int64_t pairs, steps;
    double seconds;  // of all updates and searches
    scree_index_stats stats;
} outcome;

// Steps of random motion by up to 0.5 % of the smallest radius on each axis. The same seed gives the same motion.
static scree_status step_through(const bench_options* co, scree_sphere_set* set, double skin, int64_t steps, outcome* out)
{
    scree_index_def def = scree_default_index_def();
    def.threads = co->threads;
    def.skin = skin;
    scree_index* index;
    scree_status status = scree_index_create(&def, &index);
    if (status != SCREE_OK)
        return status;
    *out = (outcome){.steps = steps};
    scree_rng rng = scree_rng_make(co->seed, 11);
    scree_watch watch = bench_watch("stepping");
    for (int64_t s = 0; s < steps && status == SCREE_OK; ++s) {
        for (int64_t k = 0; k < 3 * (int64_t)set->count; ++k)
            set->x[k] += 0.01 * (scree_rng_uniform(&rng) - 0.5);
        scree_pairs pairs;
        double begin = bench_clock();
        status = scree_index_update(index, scree_sphere_set_view(set));
        if (status == SCREE_OK)
            status = scree_index_pairs(index, &pairs);
        out->seconds += bench_clock() - begin;
        if (status == SCREE_OK)
            out->pairs += pairs.count;
        if (status == SCREE_OK && !watch.tick(watch.context, (double)(s + 1) / (double)steps))
            status = scree_fail(SCREE_ERR_CANCELLED, "stopped on request");
    }
    bench_watch_end();
    out->stats = scree_index_get_stats(index);
    scree_index_destroy(index);
    return status;
}

static scree_status tell(findings* f, const bench_set* what, const scree_sphere_set* set, const char* how, const outcome* o)
{
    double n = set->count;
    return findings_row(f, (const char* const[]){what->name, how},
                        (const double[]){n, (double)o->steps, (double)o->pairs / (double)o->steps / n, (double)o->stats.rebuilds, (double)o->stats.candidates / n,
                                         (double)o->stats.bytes / n, o->seconds / (double)o->steps / n * 1e9});
}

static scree_status run_bench(findings* f, const bench_options* co)
{
    const bool quick = co->quick;
    scree_status status = SCREE_OK;
    for (int s = 0; s < set_count && status == SCREE_OK; ++s) {
        bench_set what = sets[s].set;
        what.count = quick ? what.count / 10 : what.count;
        scree_sphere_set set = {0};
        outcome list = {0}, fresh = {0};
        status = bench_make_set(&what, co, &set);
        if (status == SCREE_OK)
            status = bench_order(&set);
        for (int64_t i = 0; i < set.count; ++i)
            set.r[i] *= sets[s].scale;
        if (status == SCREE_OK)
            status = step_through(co, &set, 0.0, 200, &list);
        if (status == SCREE_OK)
            status = tell(f, &what, &set, "list", &list);
        if (status == SCREE_OK)
            status = step_through(co, &set, -1.0, 20, &fresh);
        if (status == SCREE_OK)
            status = tell(f, &what, &set, "new search", &fresh);
        scree_sphere_set_free(&set);
    }
    return status;
}

const experiment bench_moving = {
    .name = "moving",
    .about = "pairs after each of 200 small steps: with the list of the index, and by a new search",
    .title = "Pairs after each of many small steps",
    .run = run_bench,
    .texts = 2,
    .columns = (const char* const[]){"sizes", "how", "n", "steps", "pairs_per_sphere", "rebuilds", "candidates_per_sphere", "bytes_per_sphere", "ns_per_step", NULL},
    .charts = (const chart[]){{.title = "Time of a step", .y_label = "nanoseconds per sphere and step", .x = "sizes", .y = "ns_per_step", .by = "how"}, {0}},
};
