// Lists of candidates on a device: made by a search, kept while spheres move. A list holds until two spheres may have come closer than its skin; the bound for that is what each launch of a step adds to. Only
// when the bound is used up are true displacements measured.
#include "device/flow_inner.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>

static double ordered_double(uint64_t key)
{
    uint64_t bits = key >> 63 ? key & ~((uint64_t)1 << 63) : ~key;
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

// Where centres are: between lower and upper.
scree_status flow_find_extent(flow* f, double lower[3], double upper[3])
{
    sim_device* d = f->d;
    uint64_t ends[extent_values];
    search_job job = {.n = f->run->n, .x = (const double(*)[4])block_rows4(d, B_X)};
    TRY(block_reserve(d, B_SMALL, 256));
    job.extent = block_at(d, B_SMALL);
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

row_set flow_rows_of(const flow* f, bool old)
{
    const sim_device* d = f->d;
    return (row_set){.off = block_at(d, old ? B_OLD_OFF : B_OFF),
                     .list = block_at(d, old ? B_OLD_LIST : B_LIST),
                     .shift = f->wraps ? block_at(d, old ? B_OLD_SHIFT : B_SHIFT) : NULL,
                     .live = f->words > 0 ? block_at(d, old ? B_OLD_LIVE : B_LIVE) : NULL,
                     .words = f->words > 0 ? block_at(d, old ? B_OLD_WORDS : B_WORDS) : NULL};
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
        TRY(block_reserve(d, b, 4 * n));
    TRY(block_reserve(d, B_AT, 16 * n));
    TRY(block_reserve(d, B_HEAD, 4 * (n + 1)));
    TRY(block_reserve(d, B_BEGUN, 4 * (n + 1)));
    TRY(block_reserve(d, B_START, 4 * (n + 1)));
    TRY(block_reserve(d, B_DIR, 16 * (size_t)job->plan.bricks));
    uint32_t *key[2] = {block_at(d, B_KEY_0), block_at(d, B_KEY_1)}, *value[2] = {block_at(d, B_VALUE_0), block_at(d, B_VALUE_1)};
    int second;
    job->key = key[0];
    job->value = value[0];
    job->at = (float(*)[4])block_at(d, B_AT);
    job->head = block_at(d, B_HEAD);
    job->begun = block_at(d, B_BEGUN);
    job->start = block_at(d, B_START);
    job->dir = (uint32_t(*)[4])block_at(d, B_DIR);
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

// With more room if it was too little.
scree_status flow_find_pairs(flow* f, search_job* job)
{
    sim_device* d = f->d;
    size_t n = (size_t)job->n;
    TRY(sort_cells(f, job));
    uint64_t count[2] = {0, 0};
    TRY(block_reserve(d, B_COUNT, 4 * (n + 1)));
    TRY(block_reserve(d, B_OFF, 4 * (n + 1)));
    TRY(block_reserve(d, B_SMALL, 256));
    if (block_at(d, B_PAIR) == NULL)
        TRY(block_reserve(d, B_PAIR, sizeof(found_pair) * (3 * n + 64)));
    job->count = block_at(d, B_SMALL);
    job->row = job->exact ? NULL : block_at(d, B_COUNT);
    for (;;) {
        job->pair = block_at(d, B_PAIR);
        job->room = d->blocks[B_PAIR].bytes / sizeof(found_pair);
        if (f->wraps)
            TRY(block_reserve(d, B_PAIR_SHIFT, 4 * (size_t)job->room));
        job->pair_shift = f->wraps ? block_at(d, B_PAIR_SHIFT) : NULL;
        DEVICE(d->ops.zero(d->context, job->count, sizeof count));
        if (job->row != NULL)
            DEVICE(d->ops.zero(d->context, job->row, 4 * (n + 1)));
        DEVICE(d->ops.launch(d->context, KERNEL_SEARCH, job, job->n));
        if (job->row != NULL)
            DEVICE(d->ops.sums(d->context, job->row, block_at(d, B_OFF), (int64_t)n + 1));
        DEVICE(d->ops.get(d->context, count, job->count, sizeof count));
        job->found = count[0];
        if (job->found <= job->room)
            return SCREE_OK;
        if (job->found >= INT32_MAX)
            return scree_fail(SCREE_ERR_UNSUPPORTED, "device %s: %" PRIu64 " candidates; below %d was expected", d->ops.name, job->found, INT32_MAX);
        TRY(block_reserve(d, B_PAIR, sizeof(found_pair) * (size_t)(job->found + job->found / 8)));
    }
}

static scree_status sort_rows(flow* f, search_job* job)
{
    sim_device* d = f->d;
    uint64_t count[2];
    uint32_t entries;
    job->off = block_at(d, B_OFF);
    DEVICE(d->ops.get(d->context, &entries, job->off + job->n, sizeof entries));
    f->entries = entries;
    size_t room = (size_t)entries + entries / 8 + 64;
    if (d->blocks[B_LIST].bytes < 4 * (size_t)entries || block_at(d, B_LIST) == NULL)
        TRY(block_reserve(d, B_LIST, 4 * room));
    if (f->wraps && (d->blocks[B_SHIFT].bytes < 4 * (size_t)entries || block_at(d, B_SHIFT) == NULL))
        TRY(block_reserve(d, B_SHIFT, 4 * room));
    if (f->words > 0 && (d->blocks[B_LIVE].bytes < (size_t)entries || block_at(d, B_LIVE) == NULL))
        TRY(block_reserve(d, B_LIVE, room));
    if (f->words > 0 && (d->blocks[B_WORDS].bytes < 8 * (size_t)f->words * entries || block_at(d, B_WORDS) == NULL))
        TRY(block_reserve(d, B_WORDS, 8 * (size_t)f->words * room));
    job->list = block_at(d, B_LIST);
    job->shift = f->wraps ? block_at(d, B_SHIFT) : NULL;
    TRY(block_reserve(d, B_LONG, 4 * ((size_t)f->entries / ((size_t)job->short_row + 1) + 1)));
    job->long_row = block_at(d, B_LONG);
    job->scratch = block_at(d, B_PAIR);
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

memory_job flow_memory_job(const flow* f)
{
    const sim_device* d = f->d;
    return (memory_job){.n = f->run->n,
                        .words = f->words,
                        .odd = f->run->law->row.odd,
                        .x = (const double(*)[4])block_rows4(d, B_X),
                        .giant_radius = f->run->giant_count > 0 ? f->run->giant_radius : INFINITY,
                        .old = flow_rows_of(f, true),
                        .now = flow_rows_of(f, false),
                        .from = f->renamed ? block_at(d, B_FROM) : NULL,
                        .turn = f->wrapped ? (const int8_t(*)[4])block_at(d, B_TURN) : NULL};
}

// The list that was becomes the old one, whose contacts hand on what they remember.
void flow_put_aside(flow* f)
{
    sim_device* d = f->d;
    if (f->words == 0 || f->has_old)
        return;
    block_exchange(d, B_OFF, B_OLD_OFF);
    block_exchange(d, B_LIST, B_OLD_LIST);
    block_exchange(d, B_SHIFT, B_OLD_SHIFT);
    block_exchange(d, B_LIVE, B_OLD_LIVE);
    block_exchange(d, B_WORDS, B_OLD_WORDS);
    f->has_old = true;
}

search_job flow_search_job(const flow* f)
{
    const sim_device* d = f->d;
    const device_run* run = f->run;
    return (search_job){.n = run->n,
                        .stage = d->ops.stage,
                        .ranges = d->ops.ranges,
                        .crowd = d->ops.crowd,
                        .short_row = d->ops.short_row,
                        .x = (const double(*)[4])block_rows4(d, B_X),
                        .flags = run->flags != NULL ? block_at(d, B_FLAGS) : NULL,
                        .giant_radius = run->giant_count > 0 ? run->giant_radius : INFINITY};
}

static scree_status make_list(flow* f)
{
    sim_device* d = f->d;
    device_run* run = f->run;
    double lower[3], upper[3], begin = scree_clock();
    choose_skin(f);
    if (f->listed)
        flow_put_aside(f);
    f->listed = false;
    TRY(flow_find_extent(f, lower, upper));
    if (run->gone)
        return SCREE_OK;
    search_job job = flow_search_job(f);
    plan_make(&f->sizes, &run->box, lower, upper, run->law->reach + f->skin, &job.plan);
    TRY(flow_find_pairs(f, &job));
    TRY(sort_rows(f, &job));
    if (f->words > 0) {
        memory_job hand = flow_memory_job(f);
        if (f->has_old)
            DEVICE(d->ops.launch(d->context, KERNEL_HAND_ON, &hand, hand.n));
        else
            DEVICE(d->ops.zero(d->context, block_at(d, B_LIVE), (size_t)f->entries));
    }
    f->has_old = f->renamed = f->wrapped = false;
    TRY(block_reserve(d, B_REFERENCE, 32 * (size_t)run->n));
    DEVICE(d->ops.copy(d->context, block_at(d, B_REFERENCE), block_at(d, B_X), 32 * (size_t)run->n));
    f->used = 0.0;
    f->limit = run->skin < 0.0 ? 0.0 : fmax(0.0, f->skin * (1.0 - 1e-9) - 64.0 * DBL_EPSILON * (f->extent + f->skin));
    f->listed = true;
    f->made = f->step;
    flow_spent(d, PART_LISTS, &begin);
    return SCREE_OK;
}

// A list for the places as they are.
scree_status flow_list_ready(flow* f)
{
    sim_device* d = f->d;
    if (f->listed && f->used <= f->limit && f->run->skin >= 0.0)
        return SCREE_OK;
    if (f->listed && f->run->skin >= 0.0) {
        double square, begin = scree_clock();
        way_job job = {.n = f->run->n, .x = (const double(*)[4])block_rows4(d, B_X), .reference = (const double(*)[4])block_rows4(d, B_REFERENCE), .most = block_at(d, B_SMALL)};
        DEVICE(d->ops.zero(d->context, job.most, sizeof *job.most));
        DEVICE(d->ops.launch(d->context, KERNEL_WAY, &job, job.n));
        DEVICE(d->ops.get(d->context, &square, job.most, sizeof square));
        double way = 2.0 * (sqrt(square) * (1.0 + 1e-12) + 4.0 * DBL_EPSILON * f->extent);
        flow_spent(d, PART_LISTS, &begin);
        if (way + 8.0 * f->last_move <= f->limit) {
            f->used = way;
            return SCREE_OK;
        }
    }
    return make_list(f);
}
