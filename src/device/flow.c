// A run on a device: lists that are kept while spheres move, batches of steps, new orders. The kernels are the device's; this file decides which are launched, when, and with what.
//
// A batch is launched without looking. Each launch reads how far spheres may have come since the list was made, and does nothing if that is too far; the batch then goes on from there with a new list.
// Only when the bound is used up are true displacements measured.
#include "device/flow.h"

#include "base/array.h"
#include "base/clock.h"
#include "scree/base.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>

enum { PART_LISTS, PART_STEPS, PART_ORDER, PART_COPIES, part_count };

// Memory of the device that grows when it has to; what was in it is lost then.
typedef struct block {
    void* at;
    size_t bytes;
} block;

enum {
    B_X, B_NEXT, B_V, B_V_NEXT, B_P, B_P_NEXT, B_BEFORE, B_W, B_W_NEXT, B_WP, B_WP_NEXT, B_FORCE, B_TORQUE, B_REFERENCE,  // 32 bytes a sphere
    B_MATERIAL, B_FLAGS, B_ROW, B_ORIGIN, B_GIANT_OF, B_ORDER_KEY, B_WALL_LIVE, B_WALL_WORDS, B_SMALL,
    B_KEY_0, B_KEY_1, B_VALUE_0, B_VALUE_1, B_AT, B_HEAD, B_BEGUN, B_START, B_DIR, B_COUNT, B_OFF, B_LONG, B_PAIR, B_PAIR_SHIFT,
    B_LIST, B_SHIFT, B_LIVE, B_WORDS, B_OLD_OFF, B_OLD_LIST, B_OLD_SHIFT, B_OLD_LIVE, B_OLD_WORDS, B_FROM, B_TURN,
    B_MANY, B_BOUNDARIES, B_GIANTS, B_TOLD, B_LOOK, B_OUT_IJ, B_OUT_SHIFT, B_OUT_WORDS, B_GROUP, B_LOADS,
    block_count
};

struct sim_device {
    device_ops ops;
    void* context;
    block blocks[block_count];
    size_t held;
    double seconds[part_count];
    double skin;            // of the next list, while it is chosen here
};

// Of one run.
typedef struct flow {
    sim_device* d;
    device_run* run;
    plan_sizes sizes;
    int32_t words, walls;
    int8_t wall_slot[walls_most];
    bool wraps, turns, damped, positions;
    int64_t step;
    bool listed;            // a list is held,
    double used, limit;     // of which so much is used up
    double last_move, skin;
    int64_t made;           // at this step
    bool has_old, renamed, wrapped;  // memory of contacts is in the old rows; ranks have changed since; centres were wrapped
    double extent;
    int64_t entries;
    int32_t long_rows;
    bool uploaded;          // boundaries
    sim_boundary* boundaries;
    double gravity[launches_most][3];
    device_load* loads;     // of the launches of a batch
} flow;

// ---- Calls ---------------------------------------------------------------------------------------------------------------

static scree_status failed(sim_device* d)
{
    return scree_fail(SCREE_ERR_UNSUPPORTED, "device %s: %s", d->ops.name, d->ops.trouble(d->context));
}

#define TRY(call)                              \
    do {                                       \
        scree_status status_ = (call);         \
        if (status_ != SCREE_OK)               \
            return status_;                    \
    } while (0)
#define DEVICE(call)                           \
    do {                                       \
        if ((call) != 0)                       \
            return failed(d);                  \
    } while (0)

static scree_status reserve(sim_device* d, int b, size_t bytes)
{
    block* at = &d->blocks[b];
    if (at->at != NULL && bytes <= at->bytes)
        return SCREE_OK;
    if (at->at != NULL)
        d->ops.release(d->context, at->at);
    d->held -= at->bytes;
    *at = (block){.at = NULL};
    size_t wanted = bytes > 0 ? bytes : 1;
    if (d->ops.reserve(d->context, wanted, &at->at) != 0) {
        size_t free = 0, all = 0;
        at->at = NULL;
        d->ops.memory(d->context, &free, &all);
        return scree_fail(SCREE_ERR_MEMORY, "device %s: %zu bytes more are needed beside %zu; %zu of %zu are free", d->ops.name, wanted, d->held, free, all);
    }
    at->bytes = wanted;
    d->held += wanted;
    return SCREE_OK;
}

static void exchange(sim_device* d, int a, int b)
{
    block other = d->blocks[a];
    d->blocks[a] = d->blocks[b];
    d->blocks[b] = other;
}

static void* at(const sim_device* d, int b)
{
    return d->blocks[b].at;
}

static double (*rows4(const sim_device* d, int b))[4]
{
    return (double(*)[4])d->blocks[b].at;
}

static scree_status put(sim_device* d, int b, const void* from, size_t bytes)
{
    TRY(reserve(d, b, bytes));
    DEVICE(d->ops.put(d->context, at(d, b), from, bytes));
    return SCREE_OK;
}

static void spent(sim_device* d, int part, double* since)
{
    double now = scree_clock();
    d->seconds[part] += now - *since;
    *since = now;
}

// ---- Lists ---------------------------------------------------------------------------------------------------------------

static double ordered_double(uint64_t key)
{
    uint64_t bits = key >> 63 ? key & ~((uint64_t)1 << 63) : ~key;
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

// Where centres are: between lower and upper.
static scree_status find_extent(flow* f, double lower[3], double upper[3])
{
    sim_device* d = f->d;
    uint64_t ends[extent_values];
    search_job job = {.n = f->run->n, .x = (const double(*)[4])rows4(d, B_X)};
    TRY(reserve(d, B_SMALL, 256));
    job.extent = at(d, B_SMALL);
    DEVICE(d->ops.zero(d->context, job.extent, sizeof ends));
    DEVICE(d->ops.launch(d->context, KERNEL_EXTENT, &job, job.n));
    DEVICE(d->ops.get(d->context, ends, job.extent, sizeof ends));
    for (int k = 0; k < 3; ++k) {
        lower[k] = job.n > 0 ? ordered_double(~ends[k]) : 0.0;
        upper[k] = job.n > 0 ? ordered_double(ends[3 + k]) : 0.0;
    }
    memcpy(&f->extent, &ends[6], sizeof f->extent);
    f->run->gone = !(f->extent <= SCREE_LENGTH_MAX);
    return SCREE_OK;
}

static row_set rows_of(const flow* f, bool old)
{
    const sim_device* d = f->d;
    return (row_set){.off = at(d, old ? B_OLD_OFF : B_OFF),
                     .list = at(d, old ? B_OLD_LIST : B_LIST),
                     .shift = f->wraps ? at(d, old ? B_OLD_SHIFT : B_SHIFT) : NULL,
                     .live = f->words > 0 ? at(d, old ? B_OLD_LIVE : B_LIVE) : NULL,
                     .words = f->words > 0 ? at(d, old ? B_OLD_WORDS : B_WORDS) : NULL};
}

static int bits_of(uint64_t most)
{
    int bits = 1;
    while (bits < 63 && most >> bits != 0)
        ++bits;
    return bits;
}

// Spheres into cells, up to the directory.
static scree_status sort_cells(flow* f, search_job* job)
{
    sim_device* d = f->d;
    size_t n = (size_t)job->n;
    for (int b = B_KEY_0; b <= B_VALUE_1; ++b)
        TRY(reserve(d, b, 4 * n));
    TRY(reserve(d, B_AT, 16 * n));
    TRY(reserve(d, B_HEAD, 4 * (n + 1)));
    TRY(reserve(d, B_BEGUN, 4 * (n + 1)));
    TRY(reserve(d, B_START, 4 * (n + 1)));
    TRY(reserve(d, B_DIR, 16 * (size_t)job->plan.bricks));
    uint32_t *key[2] = {at(d, B_KEY_0), at(d, B_KEY_1)}, *value[2] = {at(d, B_VALUE_0), at(d, B_VALUE_1)};
    int second;
    job->key = key[0];
    job->value = value[0];
    job->at = (float(*)[4])at(d, B_AT);
    job->head = at(d, B_HEAD);
    job->begun = at(d, B_BEGUN);
    job->start = at(d, B_START);
    job->dir = (uint32_t(*)[4])at(d, B_DIR);
    DEVICE(d->ops.launch(d->context, KERNEL_KEYS, job, job->n));
    DEVICE(d->ops.sort(d->context, key, value, job->n, bits_of((uint64_t)job->plan.bricks * 64 - 1), &second));
    job->key = key[second];
    job->value = value[second];
    DEVICE(d->ops.launch(d->context, KERNEL_SORTED, job, job->n));
    DEVICE(d->ops.launch(d->context, KERNEL_HEADS, job, (int64_t)job->n + 1));
    DEVICE(d->ops.sums(d->context, job->head, job->begun, (int64_t)job->n + 1));
    DEVICE(d->ops.launch(d->context, KERNEL_CELLS, job, (int64_t)job->n + 1));
    DEVICE(d->ops.zero(d->context, job->dir, 16 * (size_t)job->plan.bricks));
    DEVICE(d->ops.launch(d->context, KERNEL_BRICKS, job, job->n));
    return SCREE_OK;
}

// Pairs; with more room if it was too little.
static scree_status find_pairs(flow* f, search_job* job)
{
    sim_device* d = f->d;
    size_t n = (size_t)job->n;
    uint64_t count[2] = {0, 0};
    TRY(reserve(d, B_COUNT, 4 * (n + 1)));
    TRY(reserve(d, B_OFF, 4 * (n + 1)));
    TRY(reserve(d, B_SMALL, 256));
    if (at(d, B_PAIR) == NULL)
        TRY(reserve(d, B_PAIR, sizeof(found_pair) * (3 * n + 64)));
    job->count = at(d, B_SMALL);
    job->row = at(d, B_COUNT);
    for (;;) {
        job->pair = at(d, B_PAIR);
        job->room = d->blocks[B_PAIR].bytes / sizeof(found_pair);
        if (f->wraps)
            TRY(reserve(d, B_PAIR_SHIFT, 4 * (size_t)job->room));
        job->pair_shift = f->wraps ? at(d, B_PAIR_SHIFT) : NULL;
        DEVICE(d->ops.zero(d->context, job->count, sizeof count));
        DEVICE(d->ops.zero(d->context, job->row, 4 * (n + 1)));
        DEVICE(d->ops.launch(d->context, KERNEL_SEARCH, job, job->n));
        DEVICE(d->ops.sums(d->context, job->row, at(d, B_OFF), (int64_t)n + 1));
        DEVICE(d->ops.get(d->context, count, job->count, sizeof count));
        job->found = count[0];
        if (job->found <= job->room)
            return SCREE_OK;
        if (job->found >= INT32_MAX)
            return scree_fail(SCREE_ERR_UNSUPPORTED, "device %s: %" PRIu64 " candidates; below %d was expected", d->ops.name, job->found, INT32_MAX);
        TRY(reserve(d, B_PAIR, sizeof(found_pair) * (size_t)(job->found + job->found / 8)));
    }
}

static scree_status sort_rows(flow* f, search_job* job)
{
    sim_device* d = f->d;
    uint64_t count[2];
    uint32_t entries;
    job->off = at(d, B_OFF);
    DEVICE(d->ops.get(d->context, &entries, job->off + job->n, sizeof entries));
    f->entries = entries;
    size_t room = (size_t)entries + entries / 8 + 64;
    if (d->blocks[B_LIST].bytes < 4 * (size_t)entries || at(d, B_LIST) == NULL)
        TRY(reserve(d, B_LIST, 4 * room));
    if (f->wraps && (d->blocks[B_SHIFT].bytes < 4 * (size_t)entries || at(d, B_SHIFT) == NULL))
        TRY(reserve(d, B_SHIFT, 4 * room));
    if (f->words > 0 && (d->blocks[B_LIVE].bytes < (size_t)entries || at(d, B_LIVE) == NULL))
        TRY(reserve(d, B_LIVE, room));
    if (f->words > 0 && (d->blocks[B_WORDS].bytes < 8 * (size_t)f->words * entries || at(d, B_WORDS) == NULL))
        TRY(reserve(d, B_WORDS, 8 * (size_t)f->words * room));
    job->list = at(d, B_LIST);
    job->shift = f->wraps ? at(d, B_SHIFT) : NULL;
    TRY(reserve(d, B_LONG, 4 * ((size_t)f->entries / ((size_t)job->short_row + 1) + 1)));
    job->long_row = at(d, B_LONG);
    job->scratch = at(d, B_PAIR);
    DEVICE(d->ops.launch(d->context, KERNEL_FILL, job, (int64_t)job->found));
    DEVICE(d->ops.launch(d->context, KERNEL_ROWS, job, job->n));
    DEVICE(d->ops.get(d->context, count, job->count, sizeof count));
    job->long_rows = f->long_rows = (int32_t)count[1];
    if (job->long_rows > 0)
        DEVICE(d->ops.launch(d->context, KERNEL_LONG_ROWS, job, job->long_rows));
    return SCREE_OK;
}

static void choose_skin(flow* f)
{
    device_run* run = f->run;
    sim_device* d = f->d;
    double mean = f->sizes.mean, lasted = (double)(f->step - f->made);
    if (run->skin > 0.0) {
        f->skin = run->skin;
        return;
    }
    if (!(d->skin > 0.0))
        d->skin = 0.4 * mean;
    else if (f->listed && lasted < 25.0)
        d->skin *= 1.2;
    else if (f->listed && lasted > 120.0)
        d->skin /= 1.2;
    d->skin = fmin(fmax(d->skin, 0.05 * mean), 2.0 * mean);
    f->skin = d->skin;
}

static memory_job memory_job_of(const flow* f)
{
    const sim_device* d = f->d;
    return (memory_job){.n = f->run->n,
                        .words = f->words,
                        .odd = f->run->law->row.odd,
                        .x = (const double(*)[4])rows4(d, B_X),
                        .giant_radius = f->run->giant_count > 0 ? f->run->giant_radius : INFINITY,
                        .old = rows_of(f, true),
                        .now = rows_of(f, false),
                        .from = f->renamed ? at(d, B_FROM) : NULL,
                        .turn = f->wrapped ? (const int8_t(*)[4])at(d, B_TURN) : NULL};
}

// The list that was becomes the old one, whose contacts hand on what they remember.
static void put_aside(flow* f)
{
    sim_device* d = f->d;
    if (f->words == 0 || f->has_old)
        return;
    exchange(d, B_OFF, B_OLD_OFF);
    exchange(d, B_LIST, B_OLD_LIST);
    exchange(d, B_SHIFT, B_OLD_SHIFT);
    exchange(d, B_LIVE, B_OLD_LIVE);
    exchange(d, B_WORDS, B_OLD_WORDS);
    f->has_old = true;
}

static scree_status make_list(flow* f)
{
    sim_device* d = f->d;
    device_run* run = f->run;
    double lower[3], upper[3], begin = scree_clock();
    choose_skin(f);
    if (f->listed)
        put_aside(f);
    f->listed = false;
    TRY(find_extent(f, lower, upper));
    if (run->gone)
        return SCREE_OK;
    search_job job = {.n = run->n,
                      .stage = d->ops.stage,
                      .ranges = d->ops.ranges,
                      .crowd = d->ops.crowd,
                      .short_row = d->ops.short_row,
                      .x = (const double(*)[4])rows4(d, B_X),
                      .flags = run->flags != NULL ? at(d, B_FLAGS) : NULL,
                      .giant_radius = run->giant_count > 0 ? run->giant_radius : INFINITY};
    plan_make(&f->sizes, &run->box, lower, upper, run->law->reach + f->skin, &job.plan);
    TRY(sort_cells(f, &job));
    TRY(find_pairs(f, &job));
    TRY(sort_rows(f, &job));
    if (f->words > 0) {
        memory_job hand = memory_job_of(f);
        if (f->has_old)
            DEVICE(d->ops.launch(d->context, KERNEL_HAND_ON, &hand, hand.n));
        else
            DEVICE(d->ops.zero(d->context, at(d, B_LIVE), (size_t)f->entries));
    }
    f->has_old = f->renamed = f->wrapped = false;
    TRY(reserve(d, B_REFERENCE, 32 * (size_t)run->n));
    DEVICE(d->ops.copy(d->context, at(d, B_REFERENCE), at(d, B_X), 32 * (size_t)run->n));
    f->used = 0.0;
    f->limit = run->skin < 0.0 ? 0.0 : fmax(0.0, f->skin * (1.0 - 1e-9) - 64.0 * DBL_EPSILON * (f->extent + f->skin));
    f->listed = true;
    f->made = f->step;
    spent(d, PART_LISTS, &begin);
    return SCREE_OK;
}

// A list for the places as they are.
static scree_status list_ready(flow* f)
{
    sim_device* d = f->d;
    if (f->listed && f->used <= f->limit && f->run->skin >= 0.0)
        return SCREE_OK;
    if (f->listed && f->run->skin >= 0.0) {
        double square, begin = scree_clock();
        way_job job = {.n = f->run->n, .x = (const double(*)[4])rows4(d, B_X), .reference = (const double(*)[4])rows4(d, B_REFERENCE), .most = at(d, B_SMALL)};
        DEVICE(d->ops.zero(d->context, job.most, sizeof *job.most));
        DEVICE(d->ops.launch(d->context, KERNEL_WAY, &job, job.n));
        DEVICE(d->ops.get(d->context, &square, job.most, sizeof square));
        double way = 2.0 * (sqrt(square) * (1.0 + 1e-12) + 4.0 * DBL_EPSILON * f->extent);
        spent(d, PART_LISTS, &begin);
        if (way + 8.0 * f->last_move <= f->limit) {
            f->used = way;
            return SCREE_OK;
        }
    }
    return make_list(f);
}

// ---- Order -----------------------------------------------------------------------------------------------------------------

static scree_status gather(flow* f, int b, const uint32_t* from, size_t bytes)
{
    sim_device* d = f->d;
    if (at(d, b) == NULL)
        return SCREE_OK;
    TRY(reserve(d, B_NEXT, bytes * (size_t)f->run->n));
    gather_job job = {.n = f->run->n, .bytes = (uint32_t)bytes, .from = from, .in = at(d, b), .out = at(d, B_NEXT)};
    DEVICE(d->ops.launch(d->context, KERNEL_GATHER, &job, job.n));
    if (bytes == 32)
        exchange(d, b, B_NEXT);
    else
        DEVICE(d->ops.copy(d->context, at(d, b), at(d, B_NEXT), bytes * (size_t)f->run->n));
    return SCREE_OK;
}

// sim_order_renew
static scree_status renew_order(flow* f)
{
    sim_device* d = f->d;
    device_run* run = f->run;
    size_t n = (size_t)run->n;
    double begin = scree_clock(), lower[3] = {0.0, 0.0, 0.0}, upper[3] = {0.0, 0.0, 0.0}, longest = 0.0;
    bool open = false;
    for (int k = 0; k < run->dim; ++k)
        open = open || !(run->box.lower[k] > -INFINITY && run->box.upper[k] < INFINITY);
    if (open)
        TRY(find_extent(f, lower, upper));
    if (f->listed)
        put_aside(f);
    f->listed = false;
    for (int b = B_KEY_0; b <= B_VALUE_1; ++b)
        TRY(reserve(d, b, 4 * n));
    TRY(reserve(d, B_AT, 16 * n));
    order_job job = {.n = run->n, .dim = run->dim, .cells = run->dim == 2 ? 2147483648.0 : 2097152.0, .x = rows4(d, B_X), .before = f->positions ? rows4(d, B_BEFORE) : NULL, .row = at(d, B_ROW)};
    for (int k = 0; k < run->dim; ++k) {
        double low = run->box.lower[k], high = run->box.upper[k];
        job.periodic[k] = run->box.periodic[k];
        job.box_lower[k] = low;
        job.box_upper[k] = high;
        job.side[k] = run->cell.h[k][k];
        if (!(low > -INFINITY && high < INFINITY)) {
            low = lower[k];
            high = upper[k];
        }
        job.lower[k] = low;
        longest = fmax(longest, high - low);
    }
    job.inverse = longest > 0.0 ? job.cells / longest : 0.0;
    uint64_t* key[2] = {at(d, B_AT), (uint64_t*)at(d, B_AT) + n};
    uint32_t* word[2] = {at(d, B_VALUE_0), at(d, B_VALUE_1)};
    int second;
    job.key = key[0];
    job.word = word[0];
    if (f->words > 0 && f->wraps) {
        TRY(reserve(d, B_TURN, 4 * n));
        DEVICE(d->ops.zero(d->context, at(d, B_TURN), 4 * n));
        job.turn = (int8_t(*)[4])at(d, B_TURN);
        f->wrapped = true;
    }
    DEVICE(d->ops.launch(d->context, KERNEL_WRAP, &job, job.n));
    DEVICE(d->ops.sort_wide(d->context, key, word, job.n, run->dim == 2 ? 62 : 63, &second));
    DEVICE(d->ops.copy(d->context, at(d, B_ORDER_KEY), key[second], 8 * n));
    TRY(reserve(d, B_FROM, 4 * n));
    DEVICE(d->ops.copy(d->context, at(d, B_FROM), word[second], 4 * n));
    f->renamed = true;
    static const int whole[] = {B_X, B_V, B_P, B_BEFORE, B_W, B_WP, B_FORCE, B_TORQUE};
    const uint32_t* from = at(d, B_FROM);
    const bool has[] = {true, true, f->damped, f->positions, f->turns, f->turns, run->force != NULL, run->torque != NULL};
    for (int b = 0; b < 8; ++b)
        if (has[b])
            TRY(gather(f, whole[b], from, 32));
    if (run->material != NULL)
        TRY(gather(f, B_MATERIAL, from, 2));
    if (run->flags != NULL)
        TRY(gather(f, B_FLAGS, from, 1));
    if (run->load_count > 0 && run->group != NULL)
        TRY(gather(f, B_GROUP, from, 2));
    TRY(gather(f, B_ROW, from, 4));
    TRY(gather(f, B_ORIGIN, from, 4));
    if (run->giant_count > 0)
        TRY(gather(f, B_GIANT_OF, from, 4));
    if (f->words > 0 && f->walls > 0) {
        size_t bytes = 8 * (size_t)f->words;
        TRY(gather(f, B_WALL_LIVE, from, 4));
        for (int32_t w = 0; w < f->walls; ++w) {
            char* there = (char*)at(d, B_WALL_WORDS) + (size_t)w * n * bytes;
            TRY(reserve(d, B_NEXT, bytes * n));
            gather_job walls = {.n = run->n, .bytes = (uint32_t)bytes, .from = from, .in = there, .out = at(d, B_NEXT)};
            DEVICE(d->ops.launch(d->context, KERNEL_GATHER, &walls, walls.n));
            DEVICE(d->ops.copy(d->context, there, at(d, B_NEXT), bytes * n));
        }
    }
    spent(d, PART_ORDER, &begin);
    return SCREE_OK;
}

// ---- Steps ---------------------------------------------------------------------------------------------------------------

static step_job step_job_of(const flow* f, step_mode mode, int index)
{
    const sim_device* d = f->d;
    const device_run* run = f->run;
    double (*none)[4] = NULL;
    step_job job = {.n = run->n,
                    .mode = (int32_t)mode,
                    .index = index,
                    .boundary_count = run->boundary_count,
                    .x = (const double(*)[4])rows4(d, B_X),
                    .next = rows4(d, B_NEXT),
                    .v = rows4(d, B_V),
                    .v_next = rows4(d, f->turns ? B_V_NEXT : B_V),
                    .w = (const double(*)[4])(f->turns ? rows4(d, B_W) : none),
                    .w_next = f->turns ? rows4(d, B_W_NEXT) : none,
                    .wp = (const double(*)[4])(f->turns ? rows4(d, B_WP) : none),
                    .wp_next = f->turns ? rows4(d, B_WP_NEXT) : none,
                    .p = (const double(*)[4])(f->damped ? rows4(d, B_P) : none),
                    .p_next = f->damped ? rows4(d, B_P_NEXT) : none,
                    .before = f->positions ? rows4(d, B_BEFORE) : none,
                    .flags = run->flags != NULL ? at(d, B_FLAGS) : NULL,
                    .force = (const double(*)[4])(run->force != NULL ? rows4(d, B_FORCE) : none),
                    .torque = (const double(*)[4])(run->torque != NULL ? rows4(d, B_TORQUE) : none),
                    .material = run->material != NULL ? at(d, B_MATERIAL) : NULL,
                    .rows = rows_of(f, false),
                    .wall_live = f->words > 0 && f->walls > 0 ? at(d, B_WALL_LIVE) : NULL,
                    .wall_words = f->words > 0 && f->walls > 0 ? at(d, B_WALL_WORDS) : NULL,
                    .boundaries = (const sim_boundary*)at(d, B_BOUNDARIES) + (run->moves ? (int64_t)index * run->boundary_count : 0),
                    .law = *run->law,
                    .parts_given = run->grains,
                    .cell = run->cell,
                    .giant_radius = run->giant_count > 0 ? run->giant_radius : INFINITY,
                    .quantum = run->quantum,
                    .per_quantum = 1.0 / run->quantum,
                    .torque_quantum = run->torque_quantum,
                    .per_torque = 1.0 / run->torque_quantum,
                    .giant_of = run->giant_count > 0 ? at(d, B_GIANT_OF) : NULL,
                    .giants = run->giant_count > 0 ? at(d, B_GIANTS) : NULL,
                    .giant_count = run->giant_count,
                    .half = 0.5 * run->step,
                    .whole = run->step,
                    .square = run->step * run->step,
                    .per = 1.0 / run->step,
                    .used = f->used,
                    .limit = f->limit,
                    .rounding = 4.0 * DBL_EPSILON * (f->extent + f->skin),
                    .told = at(d, B_TOLD),
                    .long_row = d->ops.short_row,
                    .long_count = f->long_rows,
                    .long_rows = at(d, B_LONG),
                    .loads = run->load_count > 0 ? (const device_load*)at(d, B_LOADS) + (int64_t)index * run->load_count : NULL,
                    .load_count = run->load_count,
                    .group = run->load_count > 0 && run->group != NULL ? at(d, B_GROUP) : NULL};
    const sim_boundary* faces = f->boundaries + (run->moves ? (int64_t)index * run->boundary_count : 0);
    for (int face = 0; face < boundary_faces; ++face)
        job.face[face] = face < run->boundary_count && faces[face].present ? faces[face].at[face / 2] : face % 2 == 0 ? -INFINITY : INFINITY;
    memcpy(job.wall_slot, f->wall_slot, sizeof job.wall_slot);
    memcpy(job.gravity, f->gravity[run->moves ? index : 0], sizeof job.gravity);
    job.law.many = run->law->many != NULL ? at(d, B_MANY) : NULL;
    return job;
}

// Boundaries and gravity of these steps.
static scree_status tell_boundaries(flow* f, int many)
{
    sim_device* d = f->d;
    const device_run* run = f->run;
    if (f->uploaded && !run->moves)
        return SCREE_OK;
    many = run->moves ? many : 1;
    for (int q = 0; q < many; ++q)
        run->now(run->context, f->step + q, f->boundaries + (int64_t)q * run->boundary_count, f->gravity[q]);
    f->uploaded = true;
    return put(d, B_BOUNDARIES, f->boundaries, (size_t)many * (size_t)run->boundary_count * sizeof *f->boundaries);
}

// The same for loads of groups. `ends`: of the pass that observes.
static scree_status tell_loads(flow* f, int many, bool ends)
{
    sim_device* d = f->d;
    const device_run* run = f->run;
    if (run->load_count == 0)
        return SCREE_OK;
    for (int q = 0; q < many; ++q)
        run->loads(run->context, f->step + q, ends, f->loads + (int64_t)q * run->load_count);
    return put(d, B_LOADS, f->loads, (size_t)many * (size_t)run->load_count * sizeof *f->loads);
}

static void arrived(flow* f)
{
    sim_device* d = f->d;
    exchange(d, B_X, B_NEXT);
    if (f->damped)
        exchange(d, B_P, B_P_NEXT);
    if (f->turns) {
        exchange(d, B_V, B_V_NEXT);
        exchange(d, B_W, B_W_NEXT);
        exchange(d, B_WP, B_WP_NEXT);
    }
}

static scree_status launch(flow* f, step_mode mode, int index)
{
    sim_device* d = f->d;
    step_job job = step_job_of(f, mode, index);
    DEVICE(d->ops.launch(d->context, KERNEL_STEP, &job, job.n));
    if (job.long_count > 0)
        DEVICE(d->ops.launch(d->context, KERNEL_LONG_STEP, &job, job.long_count));
    if (job.giant_count > 0)
        DEVICE(d->ops.launch(d->context, KERNEL_GIANTS, &job, job.giant_count));
    return SCREE_OK;
}

// ---- Overlaps ------------------------------------------------------------------------------------------------------------

static uint64_t bits_from(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static double double_from(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static scree_status name_overlap(flow* f, uint64_t key, device_overlap* out)
{
    sim_device* d = f->d;
    const uint32_t* origin = at(d, B_ORIGIN);
    uint32_t i = (uint32_t)(~key >> 32), from;
    int32_t j = (int32_t)(uint32_t)~key;
    out->found = true;
    out->step = f->step;
    DEVICE(d->ops.get(d->context, &from, origin + i, sizeof from));
    out->i = (int32_t)from;
    out->j = j;
    if (j >= 0) {
        DEVICE(d->ops.get(d->context, &from, origin + j, sizeof from));
        out->j = (int32_t)from;
    }
    return SCREE_OK;
}

// Before the pass of a step that is one for it, as sim_watch_step does. The looks that it leaves out would find nothing.
static scree_status look(flow* f)
{
    sim_device* d = f->d;
    device_run* run = f->run;
    if (run->look_every == 0 || f->step % run->look_every != 0)
        return SCREE_OK;
    TRY(tell_boundaries(f, 1));
    look_told told = {.deepest_before = bits_from(run->deepest.relative), .shortest_before = ~bits_from(run->shortest.duration)};
    TRY(put(d, B_LOOK, &told, sizeof told));
    look_job job = {.step = step_job_of(f, MODE_STEP, 0), .curved = run->look_curved, .share = run->look_share, .brief = run->look_brief, .told = at(d, B_LOOK)};
    DEVICE(d->ops.launch(d->context, KERNEL_LOOK, &job, run->n));
    DEVICE(d->ops.launch(d->context, KERNEL_NAME, &job, run->n));
    DEVICE(d->ops.get(d->context, &told, at(d, B_LOOK), sizeof told));
    if (told.deepest > told.deepest_before) {
        run->deepest = (device_overlap){.overlap = double_from(told.deepest_overlap), .relative = double_from(told.deepest), .duration = double_from(told.deepest_duration)};
        TRY(name_overlap(f, told.deepest_key, &run->deepest));
    }
    if (told.shortest > told.shortest_before) {
        run->shortest = (device_overlap){.overlap = double_from(told.shortest_overlap), .relative = double_from(told.shortest_relative), .duration = double_from(~told.shortest)};
        TRY(name_overlap(f, told.shortest_key, &run->shortest));
    }
    return SCREE_OK;
}

// Launches `many` steps. What was done: f->step is there then.
static scree_status run_batch(flow* f, int many)
{
    sim_device* d = f->d;
    launch_told told[launches_most];
    double begin = scree_clock();
    size_t bytes = (size_t)many * sizeof *told;
    TRY(tell_boundaries(f, many));
    TRY(tell_loads(f, many, false));
    DEVICE(d->ops.zero(d->context, at(d, B_TOLD), bytes));
    for (int q = 0; q < many; ++q) {
        TRY(launch(f, MODE_STEP, q));
        arrived(f);
    }
    DEVICE(d->ops.get(d->context, told, at(d, B_TOLD), bytes));
    int done = 0;
    while (done < many && told[done].way <= f->limit && told[done].trouble == 0)
        ++done;
    bool trouble = done < many && told[done].way <= f->limit;
    for (int q = many; q > done; --q)
        arrived(f);  // they did nothing, or what they did does not count: back, by the same exchange
    f->step += done;
    if (done > 0) {
        double square;
        memcpy(&square, &told[done - 1].speed, sizeof square);
        f->run->speed = sqrt(square);
        f->last_move = f->run->speed * f->run->step * (1.0 + 1e-12) + 4.0 * DBL_EPSILON * (f->extent + f->skin);
        f->used = told[done - 1].way + 2.0 * f->last_move;
    }
    if (trouble)
        f->run->trouble = told[done].trouble;
    spent(d, PART_STEPS, &begin);
    return SCREE_OK;
}

// Velocities of this moment, and accelerations.
static scree_status observe(flow* f)
{
    sim_device* d = f->d;
    launch_told told;
    double begin = scree_clock(), square;
    TRY(tell_boundaries(f, 1));
    TRY(tell_loads(f, 1, true));
    DEVICE(d->ops.zero(d->context, at(d, B_TOLD), sizeof told));
    TRY(launch(f, MODE_OBSERVE, 0));
    DEVICE(d->ops.get(d->context, &told, at(d, B_TOLD), sizeof told));
    memcpy(&square, &told.speed, sizeof square);
    f->run->speed = sqrt(square);
    f->run->contacts = (int64_t)told.contacts;
    f->run->trouble = told.trouble;
    if (f->turns && told.trouble == 0) {
        exchange(d, B_V, B_V_NEXT);
        exchange(d, B_W, B_W_NEXT);
    }
    spent(d, PART_STEPS, &begin);
    return SCREE_OK;
}

// ---- Back and forth ----------------------------------------------------------------------------------------------------------

// What contacts remember, as rows of which each partner has one.
static scree_status put_memory(flow* f)
{
    sim_device* d = f->d;
    device_run* run = f->run;
    size_t n = (size_t)run->n, words = (size_t)f->words;
    const device_contacts* in = &run->pairs;
    double giant = run->giant_count > 0 ? run->giant_radius : INFINITY;
    uint32_t* off = scree_calloc(n + 2, sizeof *off);
    int32_t* list = scree_malloc(2 * (size_t)in->count + 1, sizeof *list);
    uint32_t* shift = scree_malloc(2 * (size_t)in->count + 1, sizeof *shift);
    uint8_t* live = scree_malloc(2 * (size_t)in->count + 1, sizeof *live);
    double* out = scree_malloc((2 * (size_t)in->count + 1) * words, sizeof *out);
    scree_status status = off == NULL || list == NULL || shift == NULL || live == NULL || out == NULL ? SCREE_ERR_MEMORY : SCREE_OK;
    // Rows of the second first: partners of lower rank come first in each row. off[i + 2] counts row i; then off[i + 1] is where it goes on.
    for (int pass = 0; pass < 2 && status == SCREE_OK; ++pass) {
        for (int side = 1; side >= 0; --side)
            for (int64_t c = 0; c < in->count; ++c) {
                int32_t i = in->ij[c][0], j = in->ij[c][1], row = side == 0 ? i : j;
                bool first = run->x[i][3] >= giant, second = run->x[j][3] >= giant;
                if (side == 0 ? first && !second : second || i == j)
                    continue;
                if (pass == 0) {
                    ++off[row + 2];
                    continue;
                }
                uint32_t e = off[row + 1]++;
                list[e] = side == 0 ? j : i;
                shift[e] = in->shift != NULL ? shift_pack(in->shift[c][0], in->shift[c][1], in->shift[c][2]) : (uint32_t)shift_none;
                live[e] = 1;
                memcpy(out + e * words, in->words + (size_t)c * words, words * sizeof *out);
            }
        for (size_t i = 0; i <= n && pass == 0; ++i)
            off[i + 1] += off[i];
    }
    size_t entries = status == SCREE_OK ? off[n] : 0;
    if (status == SCREE_OK)
        status = put(d, B_OLD_OFF, off, (n + 1) * sizeof *off);
    if (status == SCREE_OK)
        status = put(d, B_OLD_LIST, list, entries * sizeof *list);
    if (status == SCREE_OK && f->wraps)
        status = put(d, B_OLD_SHIFT, shift, entries * sizeof *shift);
    if (status == SCREE_OK)
        status = put(d, B_OLD_LIVE, live, entries);
    if (status == SCREE_OK)
        status = put(d, B_OLD_WORDS, out, entries * words * sizeof *out);
    f->has_old = status == SCREE_OK;
    scree_free(off);
    scree_free(list);
    scree_free(shift);
    scree_free(live);
    scree_free(out);
    return status;
}

static scree_status put_wall_memory(flow* f)
{
    sim_device* d = f->d;
    device_run* run = f->run;
    size_t n = (size_t)run->n, words = (size_t)f->words;
    const device_contacts* in = &run->walls;
    uint32_t* live = scree_calloc(n + 1, sizeof *live);
    double* out = scree_calloc(n * words * (size_t)f->walls + 1, sizeof *out);
    scree_status status = live == NULL || out == NULL ? SCREE_ERR_MEMORY : SCREE_OK;
    for (int64_t c = 0; c < in->count && status == SCREE_OK; ++c) {
        int32_t i = in->ij[c][0], b = in->ij[c][1];
        live[i] |= 1u << b;
        memcpy(out + ((size_t)f->wall_slot[b] * n + (size_t)i) * words, in->words + (size_t)c * words, words * sizeof *out);
    }
    if (status == SCREE_OK)
        status = put(d, B_WALL_LIVE, live, n * sizeof *live);
    if (status == SCREE_OK)
        status = put(d, B_WALL_WORDS, out, n * words * (size_t)f->walls * sizeof *out);
    scree_free(live);
    scree_free(out);
    return status;
}

static scree_status put_giants(flow* f)
{
    sim_device* d = f->d;
    device_run* run = f->run;
    int32_t *number = scree_malloc((size_t)run->n + 1, sizeof *number), count = 0;
    if (number == NULL)
        return SCREE_ERR_MEMORY;
    for (int32_t i = 0; i < run->n; ++i)
        number[i] = run->x[i][3] >= run->giant_radius ? count++ : -1;
    scree_status status = put(d, B_GIANT_OF, number, (size_t)run->n * sizeof *number);
    scree_free(number);
    if (status == SCREE_OK)
        status = reserve(d, B_GIANTS, (size_t)run->giant_count * sizeof(giant_sums));
    if (status == SCREE_OK && d->ops.zero(d->context, at(d, B_GIANTS), (size_t)run->giant_count * sizeof(giant_sums)) != 0)
        status = failed(d);
    return status;
}

static scree_status put_all(flow* f)
{
    sim_device* d = f->d;
    device_run* run = f->run;
    size_t n = (size_t)run->n, rows = 32 * n;
    double begin = scree_clock();
    TRY(put(d, B_X, run->x, rows));
    TRY(put(d, B_V, run->v, rows));
    TRY(reserve(d, B_NEXT, rows));
    if (f->damped) {
        TRY(put(d, B_P, run->p, rows));
        TRY(reserve(d, B_P_NEXT, rows));
    }
    if (f->positions)
        TRY(put(d, B_BEFORE, run->before, rows));
    if (f->turns) {
        TRY(put(d, B_W, run->w, rows));
        TRY(put(d, B_WP, run->wp, rows));
        TRY(reserve(d, B_V_NEXT, rows));
        TRY(reserve(d, B_W_NEXT, rows));
        TRY(reserve(d, B_WP_NEXT, rows));
    }
    if (run->force != NULL)
        TRY(put(d, B_FORCE, run->force, rows));
    if (run->torque != NULL)
        TRY(put(d, B_TORQUE, run->torque, rows));
    if (run->material != NULL)
        TRY(put(d, B_MATERIAL, run->material, 2 * n));
    if (run->flags != NULL)
        TRY(put(d, B_FLAGS, run->flags, n));
    if (run->load_count > 0 && run->group != NULL)
        TRY(put(d, B_GROUP, run->group, 2 * n));
    if (run->law->many != NULL)
        TRY(put(d, B_MANY, run->law->many, (size_t)run->law->materials * (size_t)run->law->materials * sizeof *run->law->many));
    TRY(put(d, B_ORDER_KEY, run->key, 8 * n));
    TRY(put(d, B_ROW, run->row, 4 * n));
    for (int32_t i = 0; i < run->n; ++i)
        run->from[i] = (uint32_t)i;
    TRY(put(d, B_ORIGIN, run->from, 4 * n));
    if (run->giant_count > 0)
        TRY(put_giants(f));
    if (f->words > 0)
        TRY(put_memory(f));
    if (f->words > 0 && f->walls > 0)
        TRY(put_wall_memory(f));
    TRY(reserve(d, B_TOLD, launches_most * sizeof(launch_told)));
    TRY(reserve(d, B_SMALL, 256));
    spent(d, PART_COPIES, &begin);
    return SCREE_OK;
}

static scree_status get(sim_device* d, int b, void* to, size_t bytes)
{
    if (to != NULL)
        DEVICE(d->ops.get(d->context, to, at(d, b), bytes));
    return SCREE_OK;
}

static scree_status get_memory(flow* f)
{
    sim_device* d = f->d;
    device_run* run = f->run;
    size_t n = (size_t)run->n, words = (size_t)f->words;
    uint32_t live = 0, *named = NULL, *walls = NULL;
    double* wall_words = NULL;
    int64_t wall_count = 0;
    memory_job job = memory_job_of(f);
    job.count = at(d, B_COUNT);
    job.place = at(d, B_HEAD);
    DEVICE(d->ops.launch(d->context, KERNEL_LIVE, &job, (int64_t)n + 1));
    DEVICE(d->ops.sums(d->context, job.count, at(d, B_HEAD), (int64_t)n + 1));
    DEVICE(d->ops.get(d->context, &live, job.place + n, sizeof live));
    TRY(reserve(d, B_OUT_IJ, 8 * (size_t)live));
    TRY(reserve(d, B_OUT_WORDS, 8 * words * live));
    if (f->wraps)
        TRY(reserve(d, B_OUT_SHIFT, 4 * (size_t)live));
    job.ij = (int32_t(*)[2])at(d, B_OUT_IJ);
    job.named = f->wraps ? at(d, B_OUT_SHIFT) : NULL;
    job.out = at(d, B_OUT_WORDS);
    DEVICE(d->ops.launch(d->context, KERNEL_TAKE_OUT, &job, job.n));
    walls = scree_calloc(n + 1, sizeof *walls);
    named = scree_malloc((size_t)live + 1, sizeof *named);
    wall_words = scree_malloc(n * words * (size_t)f->walls + 1, sizeof *wall_words);
    scree_status status = walls == NULL || named == NULL || wall_words == NULL ? SCREE_ERR_MEMORY : SCREE_OK;
    if (status == SCREE_OK && f->walls > 0)
        status = get(d, B_WALL_LIVE, walls, 4 * n);
    if (status == SCREE_OK && f->walls > 0)
        status = get(d, B_WALL_WORDS, wall_words, n * words * (size_t)f->walls * sizeof *wall_words);
    for (size_t i = 0; i < n && status == SCREE_OK; ++i)
        wall_count += lane_bits_of(walls[i]);
    device_contacts pairs_out = {.count = 0}, walls_out = {.count = 0};
    if (status == SCREE_OK)
        status = run->room(run->context, (int64_t)live, wall_count, &pairs_out, &walls_out);
    run->coming = status == SCREE_OK;
    if (status == SCREE_OK)
        status = get(d, B_OUT_IJ, pairs_out.ij, 8 * (size_t)live);
    if (status == SCREE_OK)
        status = get(d, B_OUT_WORDS, pairs_out.words, 8 * words * live);
    if (status == SCREE_OK && f->wraps)
        status = get(d, B_OUT_SHIFT, named, 4 * (size_t)live);
    for (uint32_t c = 0; c < live && f->wraps && status == SCREE_OK; ++c)
        shift_unpack(named[c], pairs_out.shift[c]);
    int64_t to = 0;
    for (size_t i = 0; i < n && status == SCREE_OK; ++i)
        for (int32_t b = 0; b < run->boundary_count; ++b)
            if (walls[i] >> b & 1) {
                walls_out.ij[to][0] = (int32_t)i;
                walls_out.ij[to][1] = b;
                memcpy(walls_out.words + (size_t)to++ * words, wall_words + ((size_t)f->wall_slot[b] * n + i) * words, words * sizeof *wall_words);
            }
    scree_free(walls);
    scree_free(named);
    scree_free(wall_words);
    return status;
}

// The state at the end, or where a pass ran into trouble.
static scree_status get_all(flow* f, bool whole)
{
    sim_device* d = f->d;
    device_run* run = f->run;
    size_t n = (size_t)run->n, rows = 32 * n;
    double begin = scree_clock();
    if (whole && f->words > 0)  // first: it needs memory
        TRY(get_memory(f));
    run->coming = true;
    TRY(get(d, B_X, run->x, rows));
    TRY(get(d, whole || !f->turns ? B_V : B_V_NEXT, run->v, rows));
    TRY(get(d, B_P, f->damped ? run->p : NULL, rows));
    TRY(get(d, B_BEFORE, f->positions ? run->before : NULL, rows));
    TRY(get(d, B_W, f->turns ? run->w : NULL, rows));
    TRY(get(d, B_WP, f->turns ? run->wp : NULL, rows));
    TRY(get(d, B_ORDER_KEY, run->key, 8 * n));
    TRY(get(d, B_ORIGIN, run->from, 4 * n));
    if (whole) {
        TRY(get(d, B_NEXT, run->a, rows));
        TRY(get(d, B_WP_NEXT, f->turns ? run->turn : NULL, rows));
    }
    run->at = f->step;
    spent(d, PART_COPIES, &begin);
    return SCREE_OK;
}

// ---- The run ---------------------------------------------------------------------------------------------------------------

static scree_status go(flow* f)
{
    device_run* run = f->run;
    TRY(put_all(f));
    f->step = run->at;
    for (;;) {
        bool end = f->step >= run->last;
        if (!end && run->tick != NULL && !run->tick(run->context, f->step))
            end = run->stopped = true;
        if (f->step % run->order_every == 0)
            TRY(renew_order(f));
        TRY(list_ready(f));
        if (run->gone)
            return get_all(f, false);
        TRY(look(f));
        if (end)
            TRY(observe(f));
        if (end && run->trouble == 0)
            return get_all(f, true);
        if (run->trouble == 0) {
            int64_t many = run->order_every - f->step % run->order_every;
            many = many < run->last - f->step ? many : run->last - f->step;
            many = many < f->d->ops.batch ? many : f->d->ops.batch;
            if (f->last_move > 0.0 && (f->limit - f->used) / (2.0 * f->last_move) + 1.0 < (double)many)  // more would find the list over
                many = (int64_t)((f->limit - f->used) / (2.0 * f->last_move)) + 1;
            if (run->look_every > 0 && many > run->look_every - f->step % run->look_every)
                many = run->look_every - f->step % run->look_every;
            TRY(run_batch(f, (int)many));
        }
        if (run->trouble != 0)
            return get_all(f, false);
    }
}

scree_status device_go(sim_device* d, device_run* run)
{
    flow f = {.d = d,
              .run = run,
              .words = run->law->row.words,
              .wraps = scree_box_is_periodic(&run->box),
              .turns = run->law->turns,
              .damped = run->law->damped,
              .positions = run->before != NULL};
    plan_measure((const double(*)[4])run->x, run->n, &f.sizes);
    run->trouble = 0;
    run->gone = run->stopped = run->coming = false;
    f.boundaries = scree_malloc((size_t)launches_most * (size_t)run->boundary_count + 1, sizeof *f.boundaries);
    f.loads = scree_malloc((size_t)launches_most * (size_t)run->load_count + 1, sizeof *f.loads);
    if (f.boundaries == NULL || f.loads == NULL) {
        scree_free(f.boundaries);
        scree_free(f.loads);
        return SCREE_ERR_MEMORY;
    }
    run->now(run->context, run->at, f.boundaries, f.gravity[0]);
    for (int32_t b = 0; b < run->boundary_count; ++b)
        if (f.boundaries[b].present)
            f.wall_slot[b] = (int8_t)f.walls++;
    scree_status status = go(&f);
    scree_free(f.boundaries);
    scree_free(f.loads);
    return status;
}

size_t device_bytes(const sim_device* d)
{
    return d != NULL ? d->held : 0;
}

size_t device_need(const device_run* run)
{
    enum { candidates = 6 };
    const size_t words = (size_t)run->law->row.words, image = scree_box_is_periodic(&run->box) ? 4u : 0u;
    size_t sphere = 4u * 32u + (run->law->damped ? 64u : 0u) + (run->law->turns ? 6u * 32u : 0u);  // x, next, v, reference; p; spins
    sphere += 72u;                                                                                // keys, values, floats, cells, rows, order
    sphere += candidates * (sizeof(found_pair) + image);
    size_t entry = 4u + image + (words > 0 ? 1u + 8u * words : 0u);
    sphere += 2u * candidates * entry * (words > 0 ? 2u : 1u);
    sphere += words > 0 ? 4u + 8u * words * (size_t)run->boundary_count : 0u;
    return (size_t)run->n * sphere + ((size_t)1 << 22);
}

double device_seconds(const sim_device* d, int part)
{
    return d != NULL && part >= 0 && part < part_count ? d->seconds[part] : 0.0;
}

// ---- Life ----------------------------------------------------------------------------------------------------------------

scree_status device_open_ops(const device_ops* ops, sim_device** out)
{
    sim_device* d = scree_calloc(1, sizeof *d);
    *out = NULL;
    if (d == NULL)
        return SCREE_ERR_MEMORY;
    d->ops = *ops;
    if (d->ops.open(&d->context) != 0) {
        scree_status status = d->context == NULL ? SCREE_ERR_MEMORY : scree_fail(SCREE_ERR_UNSUPPORTED, "device %s: %s", d->ops.name, d->ops.trouble(d->context));
        if (d->context != NULL)
            d->ops.close(d->context);
        scree_free(d);
        return status;
    }
    *out = d;
    return SCREE_OK;
}

const char* device_name(const sim_device* d)
{
    return d->ops.describe(d->context);
}

void device_memory(const sim_device* d, size_t* free, size_t* all)
{
    *free = *all = 0;
    d->ops.memory(d->context, free, all);
}

void device_close(sim_device* d)
{
    if (d == NULL)
        return;
    for (int b = 0; b < block_count; ++b)
        if (d->blocks[b].at != NULL)
            d->ops.release(d->context, d->blocks[b].at);
    d->ops.close(d->context);
    scree_free(d);
}
