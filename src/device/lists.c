// Lists of candidates on a device: made by a search and kept while spheres move. A list is valid until two spheres may have approached each other by more than its skin; each step increases an upper bound of
// this distance. Only when the bound exceeds the skin are the displacements themselves measured.
#include "device/flow_inner.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>

static double ordered_double(uint64_t key)
{
    return lane_double_from(key >> 63 ? key & ~((uint64_t)1 << 63) : ~key);
}

// Where centres are: between lower and upper. A sphere that has crossed a periodic box many times since it was wrapped is rejected by the processor's index, which then says so; numbers of images have 8 bits.
scree_status flow_find_extent(flow* f, double lower[3], double upper[3])
{
    sim_device* d = f->d;
    enum { most_turns = 32 };
    double turns;
    uint64_t ends[extent_values];
    search_job job = {.n = f->run->n, .x = (const double(*)[4])block_rows4(d, B_X)};
    TRY(block_reserve(d, B_SMALL, 256));
    job.extent = block_at(d, B_SMALL);
    plan_set_box(&f->run->box, &job.plan);
    DEVICE(d->ops.zero(d->context, job.extent, sizeof ends));
    DEVICE(d->ops.launch(d->context, KERNEL_EXTENT, &job, job.n));
    DEVICE(d->ops.get(d->context, ends, job.extent, sizeof ends));
    for (int k = 0; k < 3; ++k) {
        lower[k] = job.n > 0 ? ordered_double(~ends[k]) : 0.0;
        upper[k] = job.n > 0 ? ordered_double(ends[3 + k]) : 0.0;
    }
    memcpy(&f->largest, &ends[6], sizeof f->largest);
    memcpy(&turns, &ends[7], sizeof turns);
    f->run->gone = !(f->largest <= SCREE_LENGTH_MAX && turns <= most_turns);
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
    TRY(block_reserve(d, B_NEXT, 32 * n));
    TRY(block_reserve(d, B_START, 4 * (n + 1)));
    TRY(block_reserve(d, B_DIR, 16 * (size_t)job->plan.bricks));
    uint32_t *key[2] = {scratch_column(d, n, 0), scratch_column(d, n, 1)}, *value[2] = {scratch_column(d, n, 2), scratch_column(d, n, 3)};
    int second;
    job->key = key[0];
    job->value = value[0];
    job->at = (float(*)[4])scratch_wide(d);
    job->start = block_at(d, B_START);
    job->dir = (uint32_t(*)[4])block_at(d, B_DIR);
    DEVICE(d->ops.launch(d->context, KERNEL_KEYS, job, job->n));
    DEVICE(d->ops.sort(d->context, key, value, job->n, bits_of((uint64_t)job->plan.bricks * 64 - 1), &second));
    job->key = key[second];
    job->value = value[second];
    job->head = key[1 - second];
    job->begun = value[1 - second];
    DEVICE(d->ops.launch(d->context, KERNEL_SORTED, job, job->n));
    DEVICE(d->ops.sums(d->context, job->head, job->begun, job->n));
    DEVICE(d->ops.zero(d->context, job->dir, 16 * (size_t)job->plan.bricks));
    DEVICE(d->ops.launch(d->context, KERNEL_CELLS, job, (int64_t)job->n + 1));
    return SCREE_OK;
}

// Entries that the arrays beside the rows have room for.
static uint64_t entries_room(const flow* f)
{
    const block* b = f->d->blocks;
    uint64_t room = b[B_LIST].bytes / 4;
    if (f->wraps && b[B_SHIFT].bytes / 4 < room)
        room = b[B_SHIFT].bytes / 4;
    if (f->words > 0 && b[B_LIVE].bytes < live_bytes((size_t)room))
        room = b[B_LIVE].bytes < live_bytes(0) ? 0 : (b[B_LIVE].bytes - live_bytes(0)) * 8;
    if (f->words > 0 && b[B_WORDS].bytes / (8 * (size_t)f->words) < room)
        room = b[B_WORDS].bytes / (8 * (size_t)f->words);
    return room;
}

static scree_status reserve_rows(flow* f, size_t pairs, size_t entries)
{
    sim_device* d = f->d;
    TRY(block_reserve(d, B_PAIR, sizeof(found_pair) * pairs));
    TRY(block_reserve(d, B_LIST, 4 * entries));
    if (f->wraps) {
        TRY(block_reserve(d, B_PAIR_SHIFT, 4 * (d->blocks[B_PAIR].bytes / sizeof(found_pair))));
        TRY(block_reserve(d, B_SHIFT, 4 * entries));
    }
    if (f->words > 0) {
        TRY(block_reserve(d, B_LIVE, live_bytes(entries)));
        TRY(block_reserve(d, B_WORDS, 8 * (size_t)f->words * entries));
    }
    return SCREE_OK;
}

// From pairs to sorted rows. All kernels are queued without waiting; if the memory then turns out to be too small, they are repeated with more.
static scree_status make_rows(flow* f, search_job* job)
{
    sim_device* d = f->d;
    size_t n = (size_t)job->n;
    struct {
        uint64_t pairs, long_rows;
        uint32_t entries, unused;
    } result = {0};
    TRY(block_reserve(d, B_COUNT, 4 * (n + 1)));
    TRY(block_reserve(d, B_OFF, 4 * (n + 1)));
    TRY(block_reserve(d, B_SMALL, 256));
    TRY(block_reserve(d, B_PAIR, flow_first_pairs(n)));
    if (entries_room(f) == 0)
        TRY(reserve_rows(f, 0, n + 64));
    job->count = block_at(d, B_SMALL);
    job->row = block_at(d, B_COUNT);
    job->off = block_at(d, B_OFF);
    for (;;) {
        TRY(reserve_rows(f, 0, 0));
        job->pair = block_at(d, B_PAIR);
        job->room = d->blocks[B_PAIR].bytes / sizeof(found_pair);
        job->pair_shift = f->wraps ? block_at(d, B_PAIR_SHIFT) : NULL;
        job->entries = entries_room(f);
        job->list = block_at(d, B_LIST);
        job->shift = f->wraps ? block_at(d, B_SHIFT) : NULL;
        TRY(block_reserve(d, B_LONG, 4 * ((size_t)job->entries / ((size_t)job->short_row + 1) + 1)));
        job->long_row = block_at(d, B_LONG);
        job->scratch = block_at(d, B_PAIR);
        job->stride = d->pairs > 0 && (uint64_t)(d->pairs + d->pairs / 8) + 1024 < job->room ? d->pairs + d->pairs / 8 + 1024 : (int64_t)job->room;
        DEVICE(d->ops.zero(d->context, job->count, 2 * sizeof *job->count));
        DEVICE(d->ops.zero(d->context, job->row, 4 * (n + 1)));
        DEVICE(d->ops.launch(d->context, KERNEL_SEARCH, job, job->n));
        DEVICE(d->ops.sums(d->context, job->row, block_at(d, B_OFF), (int64_t)n + 1));
        DEVICE(d->ops.copy(d->context, job->count + 2, job->off + n, sizeof result.entries));
        DEVICE(d->ops.launch(d->context, KERNEL_FILL, job, job->stride));
        DEVICE(d->ops.launch(d->context, KERNEL_ROWS, job, job->n));
        DEVICE(d->ops.get(d->context, &result, job->count, sizeof result));
        if (result.pairs >= INT32_MAX)
            return scree_fail(SCREE_ERR_UNSUPPORTED, "device %s: %" PRIu64 " candidate pairs; expected fewer than %d", d->ops.name, result.pairs, INT32_MAX);
        if (result.pairs <= job->room && result.entries <= job->entries)
            break;
        TRY(reserve_rows(f, result.pairs <= job->room ? 0 : (size_t)(result.pairs + result.pairs / 8), result.entries <= job->entries ? 0 : (size_t)result.entries + result.entries / 8 + 64));
    }
    d->pairs = (int64_t)result.pairs;
    f->entries = result.entries;
    job->long_rows = f->long_rows = (int32_t)result.long_rows;
    if (job->long_rows > 0)
        DEVICE(d->ops.launch(d->context, KERNEL_LONG_ROWS, job, job->long_rows));
    return SCREE_OK;
}

// With a larger skin lists last longer and steps take more time. The optimum is near a certain share of the time for lists. On a device whose timings are meaningless, lists last 25 to 120 steps.
static void choose_skin(flow* f)
{
    device_run* run = f->run;
    sim_device* d = f->d;
    // Rows of few entries cost a step next to nothing: then lists are to last long. (An entry moves about a quarter of the bytes that a sphere itself does.)
    const double entries = run->n > 0 ? (double)f->entries / run->n : 0.0, best = fmax(0.004, fmin(run->n <= d->ops.few ? 0.1 : 0.06, 0.5 * entries / (4.0 + entries)));
    double mean = f->sizes.mean, lasted = (double)(f->step - f->made), lists = d->seconds[PART_LISTS] + d->seconds[PART_CHECKS] - d->skin_lists, all = lists + d->seconds[PART_STEPS] - d->skin_steps;
    if (run->skin > 0.0) {
        f->skin = run->skin;
        return;
    }
    if (!(d->skin > 0.0))
        d->skin = 0.3 * mean;
    else if (f->listed && d->ops.timed && all > 0.0)
        d->skin *= fmin(fmax(sqrt(lists / all / best), 1.0 / 1.3), entries < 1.0 ? 4.0 : 2.0);  // rows of few entries stay short
    else if (f->listed && lasted < 25.0 && !d->ops.timed)
        d->skin *= 1.2;
    else if (f->listed && lasted > 120.0 && !d->ops.timed)
        d->skin /= 1.2;
    d->skin_lists = d->seconds[PART_LISTS] + d->seconds[PART_CHECKS];
    d->skin_steps = d->seconds[PART_STEPS];
    d->skin = fmin(fmax(d->skin, 0.05 * mean), 3.0 * mean);
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
                        .turn = f->wrapped ? (const int8_t(*)[4])block_at(d, B_TURN) : NULL,
                        .reduced = {f->reduced[0], f->reduced[1], f->reduced[2]}};
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
    flow_put_aside_shapes(f);
    f->has_old = true;
}

// With more room if it was too little.
scree_status flow_find_pairs(flow* f, search_job* job)
{
    sim_device* d = f->d;
    uint64_t found;
    TRY(sort_cells(f, job));
    TRY(block_reserve(d, B_SMALL, 256));
    TRY(block_reserve(d, B_PAIR, flow_first_pairs((size_t)job->n)));
    for (;;) {
        job->count = block_at(d, B_SMALL);
        job->pair = block_at(d, B_PAIR);
        job->room = d->blocks[B_PAIR].bytes / sizeof(found_pair);
        if (f->wraps)
            TRY(block_reserve(d, B_PAIR_SHIFT, 4 * (size_t)job->room));
        job->pair_shift = f->wraps ? block_at(d, B_PAIR_SHIFT) : NULL;
        DEVICE(d->ops.zero(d->context, job->count, 2 * sizeof *job->count));
        DEVICE(d->ops.launch(d->context, KERNEL_SEARCH, job, job->n));
        DEVICE(d->ops.get(d->context, &found, job->count, sizeof found));
        if (found >= INT32_MAX)
            return scree_fail(SCREE_ERR_UNSUPPORTED, "device %s: %" PRIu64 " pairs; expected fewer than %d", d->ops.name, found, INT32_MAX);
        if (found <= job->room)
            break;
        TRY(block_reserve(d, B_PAIR, sizeof(found_pair) * (size_t)(found + found / 8)));
    }
    f->found = (int64_t)found;
    return SCREE_OK;
}

search_job flow_search_job(const flow* f)
{
    const sim_device* d = f->d;
    const device_run* run = f->run;
    return (search_job){.n = run->n,
                        .stage = d->ops.stage,
                        .ranges = d->ops.ranges,
                        .flush = d->ops.flush,
                        .crowd = d->ops.crowd,
                        .together = d->ops.together,
                        .short_row = d->ops.short_row,
                        .x = (const double(*)[4])block_rows4(d, B_X),
                        .flags = run->flags != NULL ? block_at(d, B_FLAGS) : NULL,
                        .giant_radius = run->giant_count > 0 ? run->giant_radius : INFINITY};
}

// Where centres are, or between which ends they must be: the cells need not fit tightly. Measured again when spheres may have moved farther than a hundredth of the longest side, and in tilted boxes always: one
// turn along an axis may be many along another.
static scree_status find_bounds(flow* f, double lower[3], double upper[3])
{
    double longest = 0.0;
    for (int k = 0; k < 3; ++k)
        longest = fmax(longest, f->upper[k] - f->lower[k]);
    if (!f->listed || !f->bounded || f->run->box.tilt[0] != 0.0 || f->run->box.tilt[1] != 0.0 || f->run->box.tilt[2] != 0.0 || !(f->drift < 0.01 * longest) || !(f->largest + f->drift <= SCREE_LENGTH_MAX)) {
        TRY(flow_find_extent(f, f->lower, f->upper));
        f->bounded = !f->run->gone;
        f->drift = 0.0;
    }
    f->extent = f->largest + f->drift;
    for (int k = 0; k < 3; ++k) {
        lower[k] = f->lower[k] - f->drift;
        upper[k] = f->upper[k] + f->drift;
    }
    return SCREE_OK;
}

static scree_status make_list(flow* f)
{
    sim_device* d = f->d;
    device_run* run = f->run;
    double lower[3], upper[3], begin = scree_clock();
    choose_skin(f);
    if (run->accounts)  // a contact that has just ended is to be in the list, so that what it held is seen to be lost
        f->skin = fmax(f->skin, 2.5 * f->last_move);
    if (f->listed) {
        f->drift += 0.5 * f->used;
        flow_put_aside(f);
    }
    TRY(find_bounds(f, lower, upper));
    f->listed = false;
    if (run->gone)
        return SCREE_OK;
    static const int before[] = {B_NEXT, B_START, B_DIR, B_COUNT, B_OFF, B_LONG, B_PAIR, B_PAIR_SHIFT, B_LIST, B_SHIFT, B_LIVE, B_WORDS, B_REFERENCE};
    blocks_forget(d, before, sizeof before / sizeof *before);
    TRY(block_reserve(d, B_REFERENCE, 32 * (size_t)run->n));
    search_job job = flow_search_job(f);
    job.reference = block_rows4(d, B_REFERENCE);
    plan_make(&f->sizes, &run->box, lower, upper, run->law->reach + f->skin, &job.plan);
    TRY(sort_cells(f, &job));
    TRY(make_rows(f, &job));
    if (f->words > 0) {
        memory_job hand = flow_memory_job(f);
        DEVICE(d->ops.zero(d->context, block_at(d, B_LIVE), live_bytes((size_t)f->entries)));
        if (f->has_old)
            DEVICE(d->ops.launch(d->context, KERNEL_HAND_ON, &hand, hand.n));
    }
    TRY(flow_list_shapes(f));
    static const int after[] = {B_NEXT, B_START, B_DIR, B_COUNT, B_PAIR, B_PAIR_SHIFT, B_OLD_OFF, B_OLD_LIST, B_OLD_SHIFT, B_OLD_LIVE, B_OLD_WORDS, B_FROM, B_TURN};
    blocks_forget(d, after, sizeof after / sizeof *after);
    f->has_old = f->renamed = f->wrapped = false;
    memset(f->reduced, 0, sizeof f->reduced);
    f->used = f->travelled = 0.0;
    f->limit = run->skin < 0.0 ? 0.0 : fmax(0.0, f->skin * (1.0 - 1e-9) - 64.0 * DBL_EPSILON * (f->extent + f->skin));
    f->listed = true;
    f->made = f->step;
    ++d->lists;
    flow_spent(d, PART_LISTS, &begin);
    return SCREE_OK;
}

// Makes sure that there is a valid list for the current positions.
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
        double way = 2.0 * (sqrt(square) * (1.0 + 1e-12) + 4.0 * DBL_EPSILON * f->extent + f->travelled);
        flow_spent(d, PART_CHECKS, &begin);
        if (way + 2.0 * f->last_move * fmax(4.0, 0.1 * (double)(f->step - f->made)) <= f->limit) {  // else a new one is made soon anyway
            f->used = way;
            return SCREE_OK;
        }
    }
    return make_list(f);
}
