// device: steps of a simulation on a GPU beside the processor's, and whether the bits are the same. Without a GPU the emulated device does them, for few spheres: then only the hashes say something.
// Both go the same number of steps, of which the hashes are compared and the processor's time is taken; then the device goes on alone, in one run. Its time is split into lists, steps, and
// the rest (order, and what the processor does). The state stays on the device: copies of it are in no column but the last. Of some systems all pairs are searched from scratch, and lists of a given skin timed.
#include "device_systems.h"
#include "harness.h"

#include "scree/device.h"
#include "scree/index.h"

#include <inttypes.h>
#include <stdio.h>

static const device_case cases[] = {
    {.set = {"equal", NULL, 10000000, 0.5}, .few = 8000, .scale = 1.0, .tiles = 1, .skin = 0.2},
    {.set = {"equal", NULL, 1000000, 0.5}, .few = 4000, .quick = true, .scale = 1.0, .tiles = 1},
    {.set = {"equal", NULL, 64000, 0.5}, .few = 3000, .scale = 1.0, .tiles = 1},
    {.set = {"equal", NULL, 9261, 0.5}, .few = 9261, .quick = true, .scale = 1.0, .tiles = 1, .skin = 0.2},
    {.set = {"equal, periodic, damped", NULL, 1000000, 0.5}, .few = 4000, .periodic = true, .damped = true, .scale = 1.0, .tiles = 1},
    {.set = {"equal, dense", NULL, 1000000, 0.5}, .few = 4000, .quick = true, .damped = true, .scale = 1.03, .tiles = 1},
    {.set = {"equal, friction", NULL, 10000000, 0.5}, .few = 3000, .damped = true, .friction = true, .scale = 1.0, .tiles = 1},
    {.set = {"equal, elastic friction", NULL, 10000000, 0.5}, .few = 3000, .friction = true, .scale = 1.0, .tiles = 1},
    {.set = {"equal, dense, friction", NULL, 1000000, 0.5}, .few = 3000, .damped = true, .friction = true, .scale = 1.03, .tiles = 1},
    {.set = {"equal, dense, friction", NULL, 1000, 0.5}, .few = 1000, .quick = true, .damped = true, .friction = true, .scale = 1.03, .tiles = 1},
    {.set = {"equal, dense, mindlin", NULL, 1000000, 0.5}, .few = 3000, .damped = true, .friction = true, .hertz = true, .scale = 1.03, .tiles = 1},
    {.set = {"uniform volume 50", "uniform-volume:1:50", 10000000, 0.5}, .few = 5000, .scale = 1.0, .tiles = 2, .skin = 0.5},
    {.set = {"uniform volume 1000", "uniform-volume:1:1000", 10000000, 0.5}, .scale = 1.0, .tiles = 2, .skin = 1.0},
    {.set = {"uniform volume 50, friction", "uniform-volume:1:50", 1000000, 0.4}, .few = 4000, .quick = true, .damped = true, .friction = true, .scale = 1.0, .tiles = 1},
    {.set = {"column", "uniform-size:1:1.5", 10000, 0.0}, .few = 1500, .damped = true, .scale = 1.0, .tiles = 1, .heap = HEAP_COLUMN},
    {.set = {"column", "uniform-size:1:1.5", 90000, 0.0}, .damped = true, .scale = 1.0, .tiles = 3, .heap = HEAP_COLUMN},
    {.set = {"column", "uniform-size:1:1.5", 1000000, 0.0}, .damped = true, .scale = 1.0, .tiles = 10, .heap = HEAP_COLUMN},
    {.set = {"column", "uniform-size:1:1.5", 10240000, 0.0}, .damped = true, .scale = 1.0, .tiles = 32, .heap = HEAP_COLUMN},
    {.set = {"column, friction", "uniform-size:1:1.5", 10000, 0.0}, .few = 1500, .quick = true, .damped = true, .friction = true, .scale = 1.0, .tiles = 1, .heap = HEAP_COLUMN},
    {.set = {"column, friction", "uniform-size:1:1.5", 90000, 0.0}, .damped = true, .friction = true, .scale = 1.0, .tiles = 3, .heap = HEAP_COLUMN},
    {.set = {"column, friction", "uniform-size:1:1.5", 1000000, 0.0}, .damped = true, .friction = true, .scale = 1.0, .tiles = 10, .heap = HEAP_COLUMN},
    {.set = {"column, friction", "uniform-size:1:1.5", 10240000, 0.0}, .damped = true, .friction = true, .scale = 1.0, .tiles = 32, .heap = HEAP_COLUMN},
    {.set = {"drum, friction", "uniform-size:1:1.5", 10000, 0.0}, .few = 1500, .quick = true, .damped = true, .friction = true, .scale = 1.0, .tiles = 1, .heap = HEAP_DRUM},
    {.set = {"drum, friction", "uniform-size:1:1.5", 100000, 0.0}, .damped = true, .friction = true, .scale = 1.0, .tiles = 10, .heap = HEAP_DRUM},
    {.set = {"drum, friction", "uniform-size:1:1.5", 1000000, 0.0}, .damped = true, .friction = true, .scale = 1.0, .tiles = 100, .heap = HEAP_DRUM},
    {.set = {"drum, friction", "uniform-size:1:1.5", 10000000, 0.0}, .damped = true, .friction = true, .scale = 1.0, .tiles = 1000, .heap = HEAP_DRUM},
    {.set = {"packed uniform volume 50", "uniform-volume:1:50", 20000, 0.0}, .few = 2000, .periodic = true, .damped = true, .scale = 1.05, .tiles = 1, .heap = HEAP_PACKED},
    {.set = {"packed uniform volume 50", "uniform-volume:1:50", 160000, 0.0}, .periodic = true, .damped = true, .scale = 1.05, .tiles = 2, .heap = HEAP_PACKED},
    {.set = {"packed uniform volume 50", "uniform-volume:1:50", 1280000, 0.0}, .periodic = true, .damped = true, .scale = 1.05, .tiles = 4, .heap = HEAP_PACKED},
    {.set = {"packed uniform volume 50", "uniform-volume:1:50", 10240000, 0.0}, .periodic = true, .damped = true, .scale = 1.05, .tiles = 8, .heap = HEAP_PACKED},
    {.set = {"packed uniform volume 1000, friction", "uniform-volume:1:1000", 50000, 0.0}, .few = 1000, .quick = true, .periodic = true, .damped = true, .friction = true, .scale = 1.03, .tiles = 1, .heap = HEAP_PACKED},
    {.set = {"packed uniform volume 1000, friction", "uniform-volume:1:1000", 400000, 0.0}, .periodic = true, .damped = true, .friction = true, .scale = 1.03, .tiles = 2, .heap = HEAP_PACKED},
    {.set = {"packed uniform volume 1000, friction", "uniform-volume:1:1000", 10800000, 0.0}, .periodic = true, .damped = true, .friction = true, .scale = 1.03, .tiles = 6, .heap = HEAP_PACKED},
    {.set = {"equal", NULL, 100000000, 0.5}, .scale = 1.0, .tiles = 1, .alone = true},
};
enum { case_count = sizeof cases / sizeof *cases };

// Runs and searches that are the same on every machine, and take little time: their bits are compared with those that a GPU gave (tools/gpu_table). Among them are sets that mistakes were found with.
static const device_case named[] = {
    {.set = {"gas", NULL, 1000, 0.5}, .scale = 1.0, .tiles = 1, .steps = 400},
    {.set = {"gas, uniform volume 50", "uniform-volume:1:50", 2000, 0.4}, .scale = 1.0, .tiles = 1, .steps = 400, .overlap = 0.15},
    {.set = {"gas, uniform volume 200", "uniform-volume:1:200", 3000, 0.3}, .periodic = true, .scale = 1.0, .tiles = 1, .steps = 400, .overlap = 0.5},
    {.set = {"gas, periodic, damped", NULL, 1000, 0.5}, .periodic = true, .damped = true, .scale = 1.0, .tiles = 1, .steps = 400},
    {.set = {"two sizes, periodic, damped", "bidisperse:5", 1000, 0.4}, .periodic = true, .damped = true, .scale = 1.1, .tiles = 1, .steps = 400},
    {.set = {"dense, damped", NULL, 729, 0.5}, .damped = true, .scale = 1.03, .tiles = 1, .steps = 250},
    {.set = {"elastic friction", NULL, 729, 0.5}, .friction = true, .scale = 1.0, .tiles = 1, .steps = 250},
    {.set = {"dense, friction", NULL, 729, 0.5}, .damped = true, .friction = true, .scale = 1.03, .tiles = 1, .steps = 250},
    {.set = {"dense, mindlin, rolling", NULL, 729, 0.5}, .damped = true, .friction = true, .hertz = true, .scale = 1.03, .tiles = 1, .steps = 250},
    {.set = {"column", "uniform-size:1:1.5", 500, 0.0}, .damped = true, .scale = 1.0, .tiles = 1, .heap = HEAP_COLUMN, .steps = 250},
    {.set = {"column, friction", "uniform-size:1:1.5", 500, 0.0}, .damped = true, .friction = true, .scale = 1.0, .tiles = 1, .heap = HEAP_COLUMN, .steps = 250},
    {.set = {"drum, friction", "uniform-size:1:1.5", 500, 0.0}, .damped = true, .friction = true, .scale = 1.0, .tiles = 1, .heap = HEAP_DRUM, .steps = 250},
    {.set = {"packed uniform volume 50", "uniform-volume:1:50", 1000, 0.0}, .periodic = true, .damped = true, .scale = 1.05, .tiles = 1, .heap = HEAP_PACKED, .steps = 250},
    {.set = {"packed uniform volume 1000, friction", "uniform-volume:1:1000", 1000, 0.0}, .periodic = true, .damped = true, .friction = true, .scale = 1.03, .tiles = 1, .heap = HEAP_PACKED, .steps = 250},
    {.set = {"one sphere alone", NULL, 1, 0.0}, .damped = true, .friction = true, .scale = 1.0, .tiles = 1, .heap = HEAP_LARGE, .steps = 250},
    {.set = {"31 spheres", "uniform-size:1:1.5", 31, 0.0}, .damped = true, .friction = true, .scale = 1.0, .tiles = 1, .heap = HEAP_COLUMN, .steps = 250},
    {.set = {"33 spheres", "uniform-size:1:1.5", 33, 0.0}, .damped = true, .friction = true, .scale = 1.0, .tiles = 1, .heap = HEAP_COLUMN, .steps = 250},
    {.set = {"257 spheres", "uniform-size:1:1.5", 257, 0.0}, .damped = true, .friction = true, .scale = 1.0, .tiles = 1, .heap = HEAP_COLUMN, .steps = 250},
    {.set = {"all others on one sphere", NULL, 2001, 0.0}, .damped = true, .scale = 1.0, .tiles = 1, .heap = HEAP_LARGE, .steps = 200},
    {.set = {"all others on one sphere, friction", NULL, 1001, 0.0}, .damped = true, .friction = true, .scale = 1.0, .tiles = 1, .heap = HEAP_LARGE, .steps = 200},
    {.set = {"skin above the smallest cells", "uniform-volume:1:20", 1000, 0.4}, .periodic = true, .scale = 1.0, .tiles = 1, .steps = 400, .list_skin = 5.0, .overlap = 0.5},
};
enum { named_count = sizeof named / sizeof *named, all_count = case_count + named_count };

typedef struct outcome {
    uint64_t hash;
    double seconds, lists, steps, copy;  // copy: of the state, total
    int64_t timed;          // steps
    size_t bytes;
    int64_t contacts, wall_contacts, rebuilds;
} outcome;

// A search from scratch, and lists of candidates in a run.
typedef struct searched {
    const char* name;
    int32_t device, count;
    int64_t pairs;
    uint64_t hash;          // of the pairs
    double seconds, whole;  // from centres to pairs in the device's memory, or on the processor; all of scree_index_pairs
    double list;            // seconds of one
    int64_t lists;
} searched;

// `first` steps without and `warm` with a hash at their end; then `steps`.
static scree_status go(const device_case* what, const bench_options* co, const scree_sphere_set* set, const double* v, int32_t device, int64_t first, int64_t warm, int64_t steps, outcome* out)
{
    device_setup setup;
    device_case_set_up(what, co, set, &setup);
    setup.def.device = device;
    scree_sim* sim;
    scree_sim_report before, after;
    scree_status status = scree_sim_create(&setup.def, scree_sphere_set_view(set), v, &sim);
    if (status != SCREE_OK)
        return status;
    status = scree_sim_run(sim, first);
    double begin = bench_clock();
    if (status == SCREE_OK)
        status = scree_sim_run(sim, warm);
    out->seconds = bench_clock() - begin;
    out->timed = warm;
    if (status == SCREE_OK)
        out->hash = scree_sim_hash(sim);
    if (status == SCREE_OK)
        status = scree_sim_measure(sim, &before);
    begin = bench_clock();
    if (status == SCREE_OK && steps > 0)
        status = scree_sim_run(sim, steps);
    if (steps > 0) {
        out->seconds = bench_clock() - begin;
        out->timed = steps;
    }
    begin = bench_clock();
    if (status == SCREE_OK && steps > 0)
        status = scree_sim_get_state(sim, &(scree_sim_state){.column_count = 0});
    out->copy = bench_clock() - begin;
    if (status == SCREE_OK)
        status = scree_sim_measure(sim, &after);
    if (status == SCREE_OK) {
        out->lists = after.seconds_search - before.seconds_search;
        out->steps = after.seconds_force + after.seconds_integrate - before.seconds_force - before.seconds_integrate;
        out->bytes = scree_sim_get_device_bytes(sim);
        out->contacts = after.contacts;
        out->wall_contacts = after.wall_contacts;
        out->rebuilds = after.rebuilds;
    }
    scree_sim_destroy(sim);
    return status == SCREE_OK && bench_interrupted() ? scree_fail(SCREE_ERR_CANCELLED, "stopped on request") : status;
}

enum { search_rounds = 5 };

// All pairs of the spheres with radii times 1.1, each time from scratch: the median. Of named runs pairs with a gap below 0.2, since large spheres of some would not fit into their box.
static scree_status search(const device_case* what, const bench_options* co, const scree_sphere_set* set, int32_t device, searched* out)
{
    scree_index_def def = scree_default_index_def();
    device_setup setup;
    device_case_set_up(what, co, set, &setup);
    def.box = setup.def.box;
    def.sorted = true;
    def.skin = -1.0;
    def.gap = what->steps > 0 ? 0.2 : 0.0;
    def.threads = co->threads;
    def.device = device;
    scree_spheres spheres = scree_sphere_set_view(set);
    scree_index* index = NULL;
    double seconds[search_rounds], whole[search_rounds], *r = scree_malloc((size_t)set->count + 1, sizeof *r);
    scree_pairs pairs = {0};
    scree_status status = r == NULL ? SCREE_ERR_MEMORY : scree_index_create(&def, &index);
    for (int64_t i = 0; i < set->count && status == SCREE_OK; ++i)
        r[i] = (what->steps > 0 ? 1.0 : 1.1) * set->r[i];
    spheres.r = r;
    for (int round = -1; round < search_rounds && status == SCREE_OK; ++round) {  // the first one reserves memory
        status = scree_index_update(index, spheres);
        const double begin = bench_clock();
        if (status == SCREE_OK)
            status = scree_index_pairs(index, &pairs);
        if (status != SCREE_OK || round < 0)
            continue;
        const scree_index_stats stats = scree_index_get_stats(index);
        whole[round] = bench_clock() - begin;
        seconds[round] = device == SCREE_DEVICE_NONE ? stats.seconds_build + stats.seconds_search : stats.seconds_device;
    }
    if (status == SCREE_OK) {
        out->seconds = bench_median(seconds, search_rounds);
        out->whole = bench_median(whole, search_rounds);
        out->pairs = pairs.count;
        out->hash = 1469598103934665603u;
        for (int64_t p = 0; p < pairs.count; ++p)
            out->hash = (out->hash ^ ((uint64_t)(uint32_t)pairs.ij[p][0] << 32 | (uint32_t)pairs.ij[p][1])) * 1099511628211u;
    }
    scree_index_destroy(index);
    scree_free(r);
    return status;
}

// Lists of a run with the given skin, without the first ones, which reserve memory.
static scree_status list(const device_case* what, const bench_options* co, const scree_sphere_set* set, const double* v, searched* out)
{
    enum { first = 100, steps = 1000 };
    device_setup setup;
    device_case_set_up(what, co, set, &setup);
    setup.def.device = out->device;
    scree_index_def how = scree_default_index_def();
    how.skin = what->skin;
    setup.def.search = &how;
    scree_sim* sim;
    scree_sim_report before = {0}, after = {0};
    scree_status status = scree_sim_create(&setup.def, scree_sphere_set_view(set), v, &sim);
    if (status != SCREE_OK)
        return status;
    status = scree_sim_run(sim, first);
    if (status == SCREE_OK)
        status = scree_sim_measure(sim, &before);
    if (status == SCREE_OK)
        status = scree_sim_run(sim, steps);
    if (status == SCREE_OK)
        status = scree_sim_measure(sim, &after);
    out->lists = after.rebuilds - before.rebuilds;
    out->list = out->lists > 0 ? (after.seconds_search - before.seconds_search) / (double)out->lists : 0.0;
    scree_sim_destroy(sim);
    return status;
}

// On the processor, then on the device.
static scree_status search_both(const device_case* what, const bench_options* co, const scree_sphere_set* set, const double* v, int32_t device, bool real, searched out[2])
{
    scree_status status = SCREE_OK;
    for (int d = 0; d < 2 && status == SCREE_OK; ++d) {
        out[d] = (searched){.name = what->set.name, .device = d == 0 ? SCREE_DEVICE_NONE : device, .count = set->count};
        status = search(what, co, set, out[d].device, &out[d]);
    }
    if (status == SCREE_OK && real)
        status = list(what, co, set, v, &out[1]);
    return status;
}

static scree_status tell_search(findings* f, const searched* s)
{
    char hash[20];
    const double each = 1e9 / s->count;
    snprintf(hash, sizeof hash, "%016" PRIx64, s->hash);
    return findings_row(f, (const char* const[]){s->name, scree_device_name(s->device), hash},
                        (const double[]){s->count, (double)s->pairs / s->count, s->seconds * each, s->whole * each, s->list * each, (double)s->lists});
}

static scree_status tell(findings* f, const char* name, int32_t device, int32_t count, const outcome* o)
{
    char hash[20];
    double each = 1e9 / (double)o->timed / count;
    snprintf(hash, sizeof hash, "%016" PRIx64, o->hash);
    bool processor = device == SCREE_DEVICE_NONE;
    return findings_row(f, (const char* const[]){name, scree_device_name(device), hash},
                        (const double[]){count, (double)o->timed, (double)o->contacts / count, (double)o->bytes / count, o->seconds * each, processor ? 0.0 : o->lists * each,
                                         processor ? 0.0 : o->steps * each, 1e6 * o->seconds / (double)o->timed, processor ? 0.0 : 1e9 * o->copy / count});
}

static scree_status tell_named(findings* f, const device_case* what, int32_t device, int32_t count, const outcome* o, const searched* s)
{
    char hash[20], hash_pairs[20];
    snprintf(hash, sizeof hash, "%016" PRIx64, o->hash);
    snprintf(hash_pairs, sizeof hash_pairs, "%016" PRIx64, s->hash);
    return findings_row(f, (const char* const[]){what->set.name, scree_device_name(device), hash, hash_pairs},
                        (const double[]){count, (double)what->steps, (double)(o->contacts + o->wall_contacts) / count, (double)s->pairs / count, (double)o->rebuilds, (double)o->bytes,
                                         1e6 * o->seconds / (double)o->timed});
}

// A search and a run, on the processor and on the device. same: how many of the two have the same bits on both.
static scree_status go_named(findings* f, const device_case* what, const bench_options* co, int32_t device, int* same)
{
    const int64_t first = 20;  // not in the time
    scree_sphere_set set = {0};
    outcome run[2] = {{0}};
    searched found[2] = {{0}};
    double* v = NULL;
    scree_status status = device_case_make(what, co, &set, &v);
    if (status == SCREE_OK)
        status = search_both(what, co, &set, v, device, false, found);
    for (int d = 0; d < 2 && status == SCREE_OK; ++d) {
        const int32_t on = d == 0 ? SCREE_DEVICE_NONE : device;
        status = go(what, co, &set, v, on, first, what->steps - first, 0, &run[d]);
        if (status == SCREE_OK)
            status = tell_named(f, what, on, set.count, &run[d], &found[d]);
    }
    *same = (run[0].hash == run[1].hash) + (found[0].pairs == found[1].pairs && found[0].hash == found[1].hash);
    scree_free(v);
    scree_sphere_set_free(&set);
    return status;
}

static scree_status run_bench(findings* f, const bench_options* co)
{
    const bool quick = co->quick;
    scree_device_about about;
    bool real = scree_device_describe(SCREE_DEVICE_CUDA, &about) == SCREE_OK;
    char why[300];
    snprintf(why, sizeof why, "%s", real ? about.name : scree_error_message());
    const int first_part = co->systems[0] > 0 ? co->systems[0] : 1, last_part = co->systems[0] > 0 ? co->systems[1] : all_count;
    scree_status status = SCREE_OK;
    int32_t device = real ? SCREE_DEVICE_CUDA : SCREE_DEVICE_EMULATE, same = 0, done = 0, same_pairs = 0, searches = 0, same_named = 0, done_named = 0;
    searched found[case_count][2];
    for (int c = 0; c < case_count && status == SCREE_OK; ++c) {
        device_case what = cases[c];
        if ((quick && !what.quick) || (!real && what.few == 0) || c + 1 < first_part || c + 1 > last_part)
            continue;
        if (what.few != what.set.count)  // else the same everywhere, so that hashes can be compared with another machine (tools/gpu_table)
            what.set.count = !real ? what.few / (quick ? 4 : 1) : quick ? what.set.count / 10 : what.set.count;
        if (!real)
            what.tiles = 1;
        const int64_t first = 20, warm = 80, steps = !real ? 0 : what.alone ? 100 : what.set.count < 100000 ? 20000 : 500;
        scree_sphere_set set = {0};
        outcome cpu = {0}, gpu = {0};
        double* v = NULL;
        status = device_case_make(&what, co, &set, &v);
        if (status == SCREE_OK && !what.alone)
            status = go(&what, co, &set, v, SCREE_DEVICE_NONE, first, warm, 0, &cpu);
        if (status == SCREE_OK && !what.alone)
            status = tell(f, what.set.name, SCREE_DEVICE_NONE, set.count, &cpu);
        if (status == SCREE_OK)
            status = go(&what, co, &set, v, device, first, warm, steps, &gpu);
        if (status == SCREE_OK)
            status = tell(f, what.set.name, device, set.count, &gpu);
        same += status == SCREE_OK && !what.alone && cpu.hash == gpu.hash;
        done += !what.alone;
        if (status == SCREE_OK && what.skin > 0.0) {
            status = search_both(&what, co, &set, v, device, real, found[searches]);
            same_pairs += status == SCREE_OK && found[searches][0].pairs == found[searches][1].pairs && found[searches][0].hash == found[searches][1].hash;
            ++searches;
        }
        scree_free(v);
        scree_sphere_set_free(&set);
    }
    findings_table(f, "search", 3, (const char* const[]){"run", "device", "hash", "n", "pairs_per_sphere", "ns_search", "ns_pairs", "ns_list", "lists", NULL});
    for (int s = 0; s < 2 * searches && status == SCREE_OK; ++s)
        status = tell_search(f, &found[s / 2][s % 2]);
    findings_table(f, "named", 4, (const char* const[]){"run", "device", "hash", "hash_pairs", "n", "steps", "contacts_per_sphere", "pairs_per_sphere", "lists", "device_bytes", "us_per_step", NULL});
    for (int c = case_count; c < all_count && status == SCREE_OK; ++c) {
        int equal = 0;
        if (c + 1 < first_part || c + 1 > last_part)
            continue;
        status = go_named(f, &named[c - case_count], co, device, &equal);
        same_named += equal;
        done_named += 2;
    }
    if (status == SCREE_OK) {
        findings_note(f, "The device is %s: %s.", scree_device_name(device), why);
        findings_note(f, "%d of %d runs have the same bits on the device and on the processor.", (int)same, (int)done);
        findings_note(f, "%d of %d searches have found the same pairs, in the same order.", (int)same_pairs, (int)searches);
        findings_note(f, "%d of %d named runs and searches of their spheres have the same bits on the device and on the processor.", (int)same_named, (int)done_named);
        findings_note(f, "ns_search: pairs of radii times 1.1, from centres in the device's memory to pairs there, unsorted (processor: the whole search). "
                         "ns_pairs: scree_index_pairs, with copies and sorting. ns_list: a new list in a run, as sorted full rows.");
        if (same_named != done_named)
            status = scree_fail(SCREE_ERR_ARGUMENT, "bench device: %d of %d named runs and searches differ from the processor's. Please report this", (int)(done_named - same_named), (int)done_named);
        else if (same != done)
            status = scree_fail(SCREE_ERR_ARGUMENT, "bench device: %d of %d runs differ from the processor's. Please report this", (int)(done - same), (int)done);
        else if (same_pairs != searches)
            status = scree_fail(SCREE_ERR_ARGUMENT, "bench device: %d of %d searches have other pairs than the processor's. Please report this", (int)(searches - same_pairs), (int)searches);
    }
    return status;
}

const experiment bench_device = {
    .name = "device",
    .about = "steps on a GPU, compared with the processor: times, and whether the bits are the same",
    .title = "Steps on a device, compared with the processor",
    .takes = TAKES_SYSTEMS,
    .systems = all_count,
    .run = run_bench,
    .texts = 3,
    .columns = (const char* const[]){"run", "device", "hash", "n", "steps", "contacts_per_sphere", "device_bytes_per_sphere", "ns_per_step", "ns_lists", "ns_steps", "us_per_step", "ns_copy", NULL},
};
