// A device in plain C: runs the lanes of each kernel one after the other, block by block and stage by stage, in an order shuffled by a seed. It is available on every machine, gives the same bits as a GPU,
// and shows errors that depend on the order of lanes. Blocks, stages and ranges can be made tiny, so that few spheres reach every case. It is slow and meant for tests.
#include "device/emulate.h"

#include "device/order.h"
#include "device/overlaps.h"
#include "device/pairs.h"
#include "device/remember.h"
#include "device/search.h"
#include "device/shapes.h"
#include "device/step.h"

#include <stdio.h>

typedef struct emulate {
    emulate_sizes size;
    uint64_t state;         // of the shuffling
    char trouble[100];
    int32_t* order;         // of lanes
    search_shared search;
    extent_shared extent;
    long_shared row;
    team_shared team;
    block_sums sums;
} emulate;

static emulate_sizes next_sizes = {.lanes = 64, .short_row = 32, .stage = search_stage, .ranges = search_ranges, .crowd = 255, .batch = 32};

emulate_sizes emulate_usual(void)
{
    return (emulate_sizes){.lanes = 64, .short_row = 32, .stage = search_stage, .ranges = search_ranges, .crowd = 255, .batch = 32};
}

void emulate_set(const emulate_sizes* sizes)
{
    next_sizes = sizes != NULL ? *sizes : emulate_usual();
}

static int emulate_open(void** out)
{
    emulate* e = scree_calloc(1, sizeof *e);
    *out = e;
    if (e == NULL)
        return -1;
    e->size = next_sizes;
    e->state = e->size.seed;
    e->order = scree_malloc((size_t)e->size.lanes, sizeof *e->order);
    if (e->order != NULL)
        return 0;
    scree_free(e);
    *out = NULL;
    return -1;
}

static void emulate_close(void* context)
{
    emulate* e = context;
    scree_free(e->order);
    scree_free(e);
}

static const char* emulate_trouble(void* context)
{
    return ((emulate*)context)->trouble;
}

static const char* emulate_describe(void* context)
{
    (void)context;
    return "emulated device";
}

static int emulate_memory(void* context, size_t* free, size_t* all)
{
    (void)context;
    *free = *all = SIZE_MAX;
    return 0;
}

static int emulate_reserve(void* context, size_t bytes, void** out)
{
    emulate* e = context;
    *out = scree_malloc(bytes > 0 ? bytes : 1, 1);
    if (*out != NULL)
        memset(*out, 0xa5, bytes);  // nothing may depend on what is there
    else
        snprintf(e->trouble, sizeof e->trouble, "cannot allocate %zu bytes", bytes);
    return *out != NULL ? 0 : -1;
}

static void emulate_release(void* context, void* memory)
{
    (void)context;
    scree_free(memory);
}

static int emulate_put(void* context, void* to, const void* from, size_t bytes)
{
    (void)context;
    if (bytes > 0)
        memcpy(to, from, bytes);
    return 0;
}

static int emulate_zero(void* context, void* to, size_t bytes)
{
    (void)context;
    memset(to, 0, bytes);
    return 0;
}

// Digits of 8 bits from the lowest on, each time from one pair of arrays to the other.
#define SORT(name, type)                                                                                              \
    static int name(void* context, type* key[2], uint32_t* value[2], int64_t count, int bits, int* second)           \
    {                                                                                                                 \
        (void)context;                                                                                                \
        int from = 0;                                                                                                 \
        for (int digit = 0; digit < bits; digit += 8) {                                                               \
            int64_t place[257] = {0};                                                                                 \
            type mask = (type)(bits - digit >= 8 ? 255 : (1 << (bits - digit)) - 1);                                  \
            for (int64_t i = 0; i < count; ++i)                                                                       \
                ++place[(key[from][i] >> digit & mask) + 1];                                                          \
            for (int d = 0; d < 256; ++d)                                                                             \
                place[d + 1] += place[d];                                                                             \
            for (int64_t i = 0; i < count; ++i) {                                                                     \
                int64_t to = place[key[from][i] >> digit & mask]++;                                                   \
                key[!from][to] = key[from][i];                                                                        \
                value[!from][to] = value[from][i];                                                                    \
            }                                                                                                         \
            from = !from;                                                                                             \
        }                                                                                                             \
        *second = from;                                                                                               \
        return 0;                                                                                                     \
    }

SORT(emulate_sort, uint32_t)
SORT(emulate_sort_wide, uint64_t)

static int emulate_sums(void* context, const uint32_t* in, uint32_t* out, int64_t count)
{
    (void)context;
    uint32_t sum = 0;
    for (int64_t i = 0; i < count; ++i) {
        uint32_t here = in[i];
        out[i] = sum;
        sum += here;
    }
    return 0;
}

// ---- Kernels -------------------------------------------------------------------------------------------------------------

static uint64_t draw(emulate* e)
{
    e->state = e->state * 6364136223846793005u + 1442695040888963407u;
    return e->state >> 33;
}

static void shuffle(emulate* e)
{
    int32_t width = e->size.lanes;
    for (int32_t l = 0; l < width; ++l)
        e->order[l] = l;
    for (int32_t l = width - 1; l > 0 && e->size.seed != 0; --l) {
        int32_t other = (int32_t)(draw(e) % (uint64_t)(l + 1)), was = e->order[l];
        e->order[l] = e->order[other];
        e->order[other] = was;
    }
}

static int64_t blocks_of(const emulate* e, int64_t items)
{
    return (items + e->size.lanes - 1) / e->size.lanes;
}

// As many partners at a time as rows have entries that one lane works on, up to 8.
static step_traits step_traits_few(const step_job* job)
{
    step_traits traits = step_traits_of(job);
    traits.ahead = job->long_row < ahead_most ? job->long_row : ahead_most;
    traits.apart = traits.early = job->n % 2 == 0 && !job->parts_given;
    traits.lazy = traits.early && !traits.rows && !traits.damped && !traits.accounts && !traits.drag;
    return traits;
}

static void lane_of(int kernel, const void* job, int64_t i)
{
    const step_job* step = job;
    switch (kernel) {
    case KERNEL_KEYS:
        keys_lane(job, i);
        break;
    case KERNEL_SORTED:
        sorted_lane(job, i);
        break;
    case KERNEL_CELLS:
        cells_lane(job, i);
        break;
    case KERNEL_FILL:
        fill_lane(job, i);
        break;
    case KERNEL_ROWS:
        rows_lane(job, ((const search_job*)job)->shift != NULL, i);
        break;
    case KERNEL_HAND_ON:
        hand_on_lane(job, i);
        break;
    case KERNEL_LIVE:
        live_lane(job, i);
        break;
    case KERNEL_TAKE_OUT:
        take_out_lane(job, i);
        break;
    case KERNEL_LAUNCH:
        launch_lane(step, step->law.damped, step->law.turns, i);
        break;
    case KERNEL_STEP:
    case KERNEL_SHAPES:
    case KERNEL_BONDS:
    case KERNEL_GIANTS: {
        block_sums sums;
        energies_clear(&sums, 0, 1);
        if (kernel == KERNEL_STEP)
            step_lane(step, step_traits_few(step), step->law.parts, i, &sums);
        else if (kernel == KERNEL_BONDS)
            bonds_lane(step, i, &sums);
        else if (kernel == KERNEL_SHAPES)
            shapes_lane(step, step_traits_of(step), step->law.parts, i % 2 != 0, i, &sums);
        else
            giants_lane(step, step->law.turns, i, &sums);
        if (step->energies != NULL)
            energies_put(step, &sums, 0, 1);
        break;
    }
    case KERNEL_LOOK:
    case KERNEL_NAME:
        look_lane(job, kernel == KERNEL_NAME, i);
        break;
    case KERNEL_LOOK_SHAPES:
    case KERNEL_NAME_SHAPES:
        look_shapes_lane(job, kernel == KERNEL_NAME_SHAPES, i);
        break;
    case KERNEL_CROSS:
        cross_lane(job, i);
        break;
    case KERNEL_CROSS_SHAPES:
        cross_shapes_lane(job, i);
        break;
    case KERNEL_SHAPE_COUNT:
        shape_count_lane(job, i);
        break;
    case KERNEL_SHAPE_FILL:
        shape_fill_lane(job, i);
        break;
    case KERNEL_PAIR_SHIFTS:
        pair_shifts_lane(job, i);
        break;
    case KERNEL_PAIR_KEYS:
        pair_keys_lane(job, i);
        break;
    case KERNEL_PAIR_OUT:
        pair_out_lane(job, i);
        break;
    case KERNEL_WAY:
        way_lane(job, i);
        break;
    case KERNEL_WRAP:
        wrap_lane(job, i);
        break;
    case KERNEL_GATHER:
        gather_lane(job, i);
        break;
    case KERNEL_TURN:
        turn_lane(job, i);
        break;
    default:
        break;
    }
}

// Stages of the kernels whose blocks work together.
static int stages_of(int kernel)
{
    return kernel == KERNEL_SEARCH ? 4 : kernel == KERNEL_EXTENT || kernel == KERNEL_LONG_ROWS ? 2 : 1;
}

static void stage_of(emulate* e, int kernel, const void* job, int stage, int64_t block, int64_t blocks, int lane)
{
    const int width = e->size.lanes;
    const int64_t i = block * width + lane;
    switch (kernel) {
    case KERNEL_EXTENT:
        if (stage == 0)
            extent_collect(job, &e->extent, i, blocks * width, lane);
        else
            for (int value = lane; value < extent_values; value += width)
                extent_join(job, &e->extent, value, width);
        break;
    case KERNEL_LONG_ROWS:
        if (stage == 0)
            long_row_copy(job, block, lane, width);
        else
            long_row_place(job, block, lane, width);
        break;
    case KERNEL_SEARCH:
        if (stage == 0)
            search_begin(&e->search, lane);
        else if (stage == 1)
            search_look(job, search_traits_of(job), &e->search, i, lane);
        else if (stage == 2)
            search_reserve(job, &e->search, lane);
        else
            search_write(job, search_traits_of(job), &e->search, lane, width);
        break;
    default:
        lane_of(kernel, job, i);
        break;
    }
}

// One stage of a block: all lanes, in some order.
#define ALL_LANES(e, call)                                  \
    do {                                                    \
        shuffle(e);                                         \
        for (int32_t l_ = 0; l_ < (e)->size.lanes; ++l_) {  \
            int lane = (e)->order[l_];                      \
            call;                                           \
        }                                                   \
    } while (0)

static void long_step(emulate* e, const step_job* job, int64_t row)
{
    const step_traits traits = step_traits_of(job);
    const law_parts parts = job->law.parts;
    const int64_t i = job->long_rows[row];
    const uint32_t length = job->rows.off[i + 1] - job->rows.off[i];
    const int group = 0, base = 0;
    if (long_is_over(job))
        return;
    ALL_LANES(e, energies_clear(&e->sums, lane, e->size.lanes));
    ALL_LANES(e, long_begin(job, traits, parts, &e->row, row, group, base, lane));
    const uint32_t width = (uint32_t)e->size.lanes;
    uint32_t queued = 0, then = 0;
    for (uint32_t first = 0; first < length; first += width * long_ahead) {
        ALL_LANES(e, long_scan(job, traits, parts, &e->row, row, first, base, lane));
        ALL_LANES(e, then = long_queue(job, &e->row, row, first, queued, base, lane, (int)width));
        queued = then;
        if (queued < width && first + width * long_ahead < length)
            continue;
        for (uint32_t from = 0; from < queued; from += width) {
            ALL_LANES(e, long_work(job, traits, parts, &e->row, row, queued, from, base, lane, &e->sums));
            for (int part = 0; part < 7; ++part)  // one lane for each, or a lane for several
                long_add(traits, parts, &e->row, queued, from, group, base, part, (int)width);
        }
        queued = 0;
    }
    ALL_LANES(e, long_end(job, traits, parts, &e->row, row, group, base, lane, &e->sums));
    if (job->energies != NULL)
        ALL_LANES(e, energies_put(job, &e->sums, lane, e->size.lanes));
}

// A block of a step by a law of parts.
static void team_step(emulate* e, const step_job* job, int64_t block)
{
    const step_traits traits = step_traits_few(job);
    const law_parts parts = job->law.parts;
    const int width = e->size.lanes, slots = e->size.stage < team_slots ? e->size.stage : team_slots;
    ALL_LANES(e, energies_clear(&e->sums, lane, width); team_begin(&e->team, lane));
    ALL_LANES(e, team_scan(job, traits, parts, &e->team, slots, team_sphere(job, block, lane), lane));
    for (uint32_t begin = 0; begin < e->team.many; begin += (uint32_t)slots) {
        if (begin > 0)
            ALL_LANES(e, team_queue(job, parts, &e->team, slots, begin, lane));
        ALL_LANES(e, team_work(job, traits, parts, &e->team, slots, begin, block, lane, width, &e->sums));
        ALL_LANES(e, team_add(job, traits, parts, &e->team, slots, begin, lane));
    }
    ALL_LANES(e, team_end(job, traits, parts, &e->team, team_sphere(job, block, lane), lane, &e->sums));
    if (job->energies != NULL)
        ALL_LANES(e, energies_put(job, &e->sums, lane, e->size.lanes));
}

static int emulate_launch(void* context, int kernel, const void* job, int64_t items)
{
    emulate* e = context;
    for (int64_t row = 0; kernel == KERNEL_LONG_STEP && row < items && row < ((const step_job*)job)->head->long_count; ++row)
        long_step(e, job, row);
    if (kernel == KERNEL_LONG_STEP)
        return 0;
    int64_t blocks = kernel == KERNEL_LONG_ROWS ? items : kernel == KERNEL_EXTENT ? (items > e->size.lanes ? 2 : 1) : blocks_of(e, items);
    bool down = e->size.seed != 0 && (draw(e) & 1) != 0;
    if (kernel == KERNEL_STEP && ((const step_job*)job)->parts_given) {
        const int32_t team = ((const step_job*)job)->team;
        blocks = (items + team - 1) / team;
        for (int64_t b = 0; b < blocks; ++b)
            team_step(e, job, down ? blocks - 1 - b : b);
        return 0;
    }
    for (int64_t b = 0; b < blocks; ++b)
        for (int stage = 0; stage < stages_of(kernel); ++stage) {
            shuffle(e);
            for (int32_t l = 0; l < e->size.lanes; ++l)
                stage_of(e, kernel, job, stage, down ? blocks - 1 - b : b, blocks, e->order[l]);
        }
    return 0;
}

// Nothing is kept: every batch is launched.
static int emulate_record(void* context, const void* key, size_t bytes)
{
    (void)context;
    return key == NULL || bytes == 0;
}

static int emulate_recorded(void* context, bool complete)
{
    (void)context;
    (void)complete;
    return 0;
}

static int emulate_replay(void* context, const void* key, size_t bytes)
{
    return emulate_record(context, key, bytes) - 1;
}

static int64_t emulate_slots(void* context)
{
    return ((emulate*)context)->size.lanes;
}

// Sometimes fewer spheres than lanes.
static int32_t emulate_team(void* context, int64_t count)
{
    const int32_t width = ((emulate*)context)->size.lanes;
    return count % 3 != 0 && width > 1 ? width / 2 + 1 : width;
}

void emulate_ops(device_ops* out)
{
    *out = (device_ops){.version = device_ops_version,
                       .job_bytes = device_job_bytes(),
                       .name = "emulate",
                       .open = emulate_open,
                       .close = emulate_close,
                       .trouble = emulate_trouble,
                       .describe = emulate_describe,
                       .memory = emulate_memory,
                       .reserve = emulate_reserve,
                       .release = emulate_release,
                       .put = emulate_put,
                       .get = emulate_put,
                       .zero = emulate_zero,
                       .copy = emulate_put,
                       .sort = emulate_sort,
                       .sort_wide = emulate_sort_wide,
                       .sums = emulate_sums,
                       .launch = emulate_launch,
                       .slots = emulate_slots,
                       .team = emulate_team,
                       .record = emulate_record,
                       .recorded = emulate_recorded,
                       .replay = emulate_replay,
                       .few = 100,
                       .short_row = next_sizes.short_row,
                       .stage = next_sizes.stage,
                       .ranges = next_sizes.ranges,
                       .crowd = next_sizes.crowd,
                       .together = next_sizes.stage < search_stage ? 8 : search_shared_cells,
                       .batch = next_sizes.batch};
}
