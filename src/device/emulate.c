// A device in plain C: runs the blocks of each kernel one after the other and their lanes in an order shuffled by a seed. Blocks whose lanes work together are run as module.cu runs them: each lane is a fiber,
// which waits for the others of its warp or block where a lane of a GPU does. It is available on every machine, gives the same bits as a GPU, and shows errors that depend on the order of lanes. Blocks, warps,
// stages, ranges and classes of rows can be made tiny, so that few spheres reach every case. It is slow and meant for tests.
//
// Like CUDA graphs, launches that are recorded are kept with the values of their jobs, and repeated with these.
#include "device/emulate.h"

#include "device/intake.h"
#include "device/order.h"
#include "device/overlaps.h"
#include "device/pairs.h"
#include "device/remember.h"
#include "device/search.h"
#include "device/shapes.h"
#include "device/step.h"

#include <stdio.h>

// What the lanes of a block share.
typedef union emulate_shared {
    search_shared search[128 / 4];  // one for each warp
    extent_shared extent;
    sizes_shared sizes;
    long_shared row;
    team_shared team;
} emulate_shared;

// A launch that was recorded; its job follows.
typedef struct kept_launch {
    struct kept_launch* next;
    int kernel;
    int64_t items;
    uint64_t job[];
} kept_launch;

// Launches between `record` and `recorded`, and their name.
typedef struct recording {
    void* key;              // NULL: there is none
    size_t bytes;
    uint64_t used;          // when
    kept_launch *first, **end;
} recording;

enum { recordings_most = 8 };

typedef struct emulate {
    emulate_sizes size;
    uint64_t state;         // of the shuffling
    char trouble[300];
    int32_t* order;         // of lanes
    fibers* fibers;
    recording known[recordings_most];
    recording* now;         // being recorded
    uint64_t clock;
    emulate_shared shared;
    block_sums sums;
    // The launch:
    int kernel;
    const void* job;
    step_traits traits;
    int64_t block, blocks;
} emulate;

static const emulate_sizes usual = {.lanes = 64, .warp = 32, .short_row = 32, .long_warp = 512, .stage = search_stage, .ranges = search_ranges, .flush = search_flush, .crowd = 255, .together = search_shared_cells, .batch = 32, .few = 100};
static emulate_sizes given;  // lanes 0: the usual ones

void emulate_set(const emulate_sizes* sizes)
{
    given = sizes != NULL ? *sizes : usual;
}

static emulate_sizes next_sizes(void)
{
    return given.lanes > 0 ? given : usual;
}

static void forget(recording* r)
{
    while (r->first != NULL) {
        kept_launch* gone = r->first;
        r->first = gone->next;
        scree_free(gone);
    }
    scree_free(r->key);
    *r = (recording){.key = NULL};
}

static void emulate_close(void* context)
{
    emulate* e = context;
    for (int r = 0; r < recordings_most; ++r)
        forget(&e->known[r]);
    fibers_destroy(e->fibers);
    scree_free(e->order);
    scree_free(e);
}

static int emulate_open(void** out)
{
    emulate* e = scree_calloc(1, sizeof *e);
    *out = e;
    if (e == NULL)
        return -1;
    e->size = next_sizes();
    e->state = e->size.seed;
    e->order = scree_malloc((size_t)e->size.lanes, sizeof *e->order);
    e->fibers = fibers_create(e->size.lanes, e->size.warp, e->size.seed, e->size.falling);
    if (e->order != NULL && e->fibers != NULL)
        return 0;
    emulate_close(e);
    *out = NULL;
    return -1;
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

// NaN as a float and as a double; out of range as an index.
static void spoil(void* at, size_t bytes)
{
    static const uint32_t pattern = 0x7ff7a5a5;
    size_t done = bytes < sizeof pattern ? bytes : sizeof pattern;
    memcpy(at, &pattern, done);
    for (; done < bytes; done *= 2)
        memcpy((char*)at + done, at, bytes - done < done ? bytes - done : done);
}

static int emulate_reserve(void* context, size_t bytes, void** out)
{
    emulate* e = context;
    *out = scree_malloc(bytes > 0 ? bytes : 1, 1);
    if (*out != NULL)
        spoil(*out, bytes);  // nothing may depend on what is there
    else
        snprintf(e->trouble, sizeof e->trouble, "cannot allocate %zu bytes", bytes);
    return *out != NULL ? 0 : -1;
}

static void emulate_forget(void* context, void* at, size_t bytes)
{
    (void)context;
    spoil(at, bytes);
}

static void emulate_release(void* context, void* memory)
{
    (void)context;
    scree_free(memory);
}

// A recording has launches only: a copy would be repeated with what its source holds then, and nobody can wait for a result.
static bool is_recording(emulate* e, const char* what)
{
    if (e->now != NULL)
        snprintf(e->trouble, sizeof e->trouble, "%s while launches are recorded", what);
    return e->now != NULL;
}

static int emulate_put(void* context, void* to, const void* from, size_t bytes)
{
    if (is_recording(context, "a copy"))
        return 1;
    if (bytes > 0)
        memcpy(to, from, bytes);
    return 0;
}

static int emulate_zero(void* context, void* to, size_t bytes)
{
    if (is_recording(context, "memory is cleared"))
        return 1;
    memset(to, 0, bytes);
    return 0;
}

// Digits of 8 bits from the lowest on, each time from one pair of arrays to the other.
#define SORT(name, type)                                                                                              \
    static int name(void* context, type* key[2], uint32_t* value[2], int64_t count, int bits, int* second)           \
    {                                                                                                                 \
        int from = 0;                                                                                                 \
        if (is_recording(context, "a sort"))                                                                          \
            return 1;                                                                                                 \
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
    uint32_t sum = 0;
    if (is_recording(context, "a prefix sum"))
        return 1;
    for (int64_t i = 0; i < count; ++i) {
        uint32_t here = in[i];
        out[i] = sum;
        sum += here;
    }
    return 0;
}

// Its memory is that of the processor, and nothing is left undone when a call returns.
static int emulate_holds(void* context, const void* at)
{
    emulate* e = context;
    snprintf(e->trouble, sizeof e->trouble, "a null pointer");
    return at == NULL;
}

static int emulate_stream(void* context, void* stream)
{
    (void)context;
    (void)stream;
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
        e->order[l] = e->size.falling ? width - 1 - l : l;
    for (int32_t l = width - 1; l > 0 && e->size.seed != 0; --l) {
        int32_t other = (int32_t)(draw(e) % (uint64_t)(l + 1)), was = e->order[l];
        e->order[l] = e->order[other];
        e->order[other] = was;
    }
}

static bool draw_bit(emulate* e)
{
    return (draw(e) & 1) != 0;
}

// Of a step of short rows: kernels are compiled with different ones, so each launch has others. The results are the same.
static step_traits draw_traits(emulate* e, const step_job* job)
{
    step_traits traits = step_traits_of(job);
    const bool shuffled = e->size.seed != 0;
    traits.ahead = shuffled ? 1 + (int)(draw(e) % ahead_most) : ahead_most;
    traits.apart = !job->teams && (!shuffled || draw_bit(e));
    traits.early = !job->teams && (!shuffled || draw_bit(e));
    traits.lazy = !job->teams && !traits.rows && !traits.damped && !traits.accounts && !traits.drag && (!shuffled || draw_bit(e));
    return traits;
}

// Kernels whose lanes work on their own; false: it is none of these.
static bool lane_of(int kernel, const void* job, int64_t i)
{
    switch (kernel) {
    case KERNEL_KEYS:
        keys_lane(job, i);
        return true;
    case KERNEL_SORTED:
        sorted_lane(job, i);
        return true;
    case KERNEL_CELLS:
        cells_lane(job, i);
        return true;
    case KERNEL_FILL:
        fill_lane(job, i);
        return true;
    case KERNEL_ROWS:
        rows_lane(job, ((const search_job*)job)->shift != NULL, i);
        return true;
    case KERNEL_HAND_ON:
        hand_on_lane(job, i);
        return true;
    case KERNEL_LIVE:
        live_lane(job, i);
        return true;
    case KERNEL_TAKE_OUT:
        take_out_lane(job, i);
        return true;
    case KERNEL_LOOK:
    case KERNEL_NAME:
        look_lane(job, kernel == KERNEL_NAME, i);
        return true;
    case KERNEL_LOOK_SHAPES:
    case KERNEL_NAME_SHAPES:
        look_shapes_lane(job, kernel == KERNEL_NAME_SHAPES, i);
        return true;
    case KERNEL_CROSS:
        cross_lane(job, i);
        return true;
    case KERNEL_CROSS_SHAPES:
        cross_shapes_lane(job, i);
        return true;
    case KERNEL_SHAPE_COUNT:
        shape_count_lane(job, i);
        return true;
    case KERNEL_SHAPE_FILL:
        shape_fill_lane(job, i);
        return true;
    case KERNEL_PAIR_SHIFTS:
        pair_shifts_lane(job, i);
        return true;
    case KERNEL_PAIR_KEYS:
        pair_keys_lane(job, i);
        return true;
    case KERNEL_PAIR_OUT:
        pair_out_lane(job, i);
        return true;
    case KERNEL_PAIR_VECTORS:
        pair_vectors_lane(job, i);
        return true;
    case KERNEL_WRAP:
        wrap_lane(job, i);
        return true;
    case KERNEL_GATHER:
        gather_lane(job, i);
        return true;
    case KERNEL_TURN:
        turn_lane(job, i);
        return true;
    default:
        return false;
    }
}

// ---- Kernels whose lanes wait for each other: the same as in module.cu ---------------------------------------------------------

static void wait_for_block(void)
{
    fibers_meet_block("a barrier of the block");
}

static void wait_for_warp(void)
{
    lane_show("a barrier of the warp", 0);
}

static void extent_block(emulate* e, int lane)
{
    const int width = e->size.lanes;
    extent_collect(e->job, &e->shared.extent, e->block * width + lane, e->blocks * width, lane);
    wait_for_block();
    for (int value = lane; value < extent_values; value += width)  // blocks may have fewer lanes
        extent_join(e->job, &e->shared.extent, value, width);
}

static void intake_block(emulate* e, int lane)
{
    const int width = e->size.lanes;
    intake_collect(e->job, &e->shared.extent, e->block * width + lane, e->blocks * width, lane);
    wait_for_block();
    for (int value = lane; value < intake_values; value += width)
        intake_join(e->job, &e->shared.extent, value, width);
}

static void sizes_block(emulate* e, int lane)
{
    const int width = e->size.lanes;
    sizes_begin(&e->shared.sizes, lane, width);
    wait_for_block();
    sizes_collect(e->job, &e->shared.sizes, e->block * width + lane, e->blocks * width);
    wait_for_block();
    sizes_join(e->job, &e->shared.sizes, lane, width);
}

static void search_warp(emulate* e, int64_t i, int warp)
{
    const search_job* job = e->job;
    const search_traits traits = search_traits_of(job);
    search_shared* shared = &e->shared.search[warp];
    const int lane = lane_in_warp();
    search_begin(shared, lane);
    wait_for_warp();
    search_look(job, traits, shared, i, lane);
    wait_for_warp();
    search_reserve(job, shared, lane);
    wait_for_warp();
    search_write(job, traits, shared, lane);
}

static void long_rows_block(emulate* e, int lane)
{
    long_row_copy(e->job, e->block, lane, e->size.lanes);
    wait_for_block();
    long_row_place(e->job, e->block, lane, e->size.lanes);
}

// A block of a step with teams.
static void team_block(emulate* e, const step_job* job, int lane)
{
    const law_parts parts = job->law.parts;
    const int width = e->size.lanes, slots = e->size.stage < team_slots ? e->size.stage : team_slots;
    team_shared* shared = &e->shared.team;
    team_begin(shared, lane);
    wait_for_block();
    team_scan(job, e->traits, parts, shared, slots, team_sphere(job, e->block, lane), lane);
    wait_for_block();
    for (uint32_t begin = 0; begin < shared->many; begin += (uint32_t)slots) {
        if (begin > 0) {
            team_queue(job, parts, shared, slots, begin, lane);
            wait_for_block();
        }
        team_work(job, e->traits, parts, shared, slots, begin, e->block, lane, width, &e->sums);
        wait_for_block();
        team_add(job, e->traits, parts, shared, slots, begin, lane);
    }
    team_end(job, e->traits, parts, shared, team_sphere(job, e->block, lane), lane, &e->sums);
}

static int long_groups_of(const emulate* e)
{
    const int warps = e->size.lanes / e->size.warp;
    return warps < long_groups ? warps : long_groups;
}

static void long_step_block(emulate* e, const step_job* job, int lane)
{
    enum { terms_most = 8 };  // before sums are carried
    const step_traits traits = step_traits_of(job);
    const law_parts parts = job->law.parts;
    long_shared* shared = &e->shared.row;
    const int groups = long_groups_of(e);
    const int64_t rows = job->head->long_count, first_row = e->block * groups;
    uint32_t terms = 0;
    for (int round = 0; round <= groups && first_row < rows; ++round) {
        const bool all = round > 0;
        const int width = all ? e->size.lanes : e->size.warp, group = all ? 0 : lane / e->size.warp, base = width * group;
        const int64_t row = first_row + (all ? round - 1 : group);
        if (row >= rows || group >= groups)
            continue;
        const uint32_t length = job->rows.off[job->long_rows[row] + 1] - job->rows.off[job->long_rows[row]];
        if ((length > (uint32_t)job->long_warp) != all)
            continue;
        void (*meet)(void) = all ? wait_for_block : wait_for_warp;
        uint32_t queued = 0;
        meet();
        long_begin(job, traits, parts, shared, row, group, base, lane);
        for (uint32_t first = 0; first < length; first += (uint32_t)width * long_ahead) {
            long_scan(job, traits, parts, shared, row, first, base, lane);
            meet();
            queued = long_queue(job, shared, row, first, queued, base, lane, width);
            meet();
            if (queued < (uint32_t)width && first + (uint32_t)width * long_ahead < length)
                continue;
            for (uint32_t from = 0; from < queued; from += (uint32_t)width) {
                long_work(job, traits, parts, shared, row, queued, from, base, lane, &e->sums);
                meet();
                for (int part = lane - base; part < 7; part += width)  // groups may have fewer lanes
                    long_add(parts, shared, queued, from, group, base, part, width);
                meet();
            }
            terms += all ? queued : 0;
            queued = 0;
            if (all && terms >= terms_most) {
                energies_carry(&e->sums, lane, width);
                terms = 0;
                meet();
            }
        }
        meet();
        long_end(job, traits, parts, shared, row, group, base, lane, &e->sums);
    }
}

// Kernels of a step: with the sums of a block, if energies are requested.
static void step_block(emulate* e, int lane)
{
    const step_job* job = e->job;
    const int64_t i = e->block * e->size.lanes + lane;
    const bool sums = job->energies != NULL;
    if (e->kernel == KERNEL_LONG_STEP && long_is_over(job))
        return;
    if (sums) {
        energies_clear(&e->sums, lane, e->size.lanes);
        wait_for_block();
    }
    if (e->kernel == KERNEL_STEP && job->teams)
        team_block(e, job, lane);
    else if (e->kernel == KERNEL_STEP)
        step_lane(job, e->traits, job->law.parts, i, &e->sums);
    else if (e->kernel == KERNEL_LONG_STEP)
        long_step_block(e, job, lane);
    else if (e->kernel == KERNEL_BONDS)
        bonds_lane(job, i, &e->sums);
    else if (e->kernel == KERNEL_SHAPES)
        shapes_lane(job, step_traits_of(job), job->law.parts, e->block % 2 != 0, i, &e->sums);
    else
        giants_lane(job, job->law.turns, i, &e->sums);
    if (sums) {
        wait_for_block();
        energies_put(job, &e->sums, lane, e->size.lanes);
    }
}

static void fiber_of(void* context, int lane)
{
    emulate* e = context;
    const int64_t i = e->block * e->size.lanes + lane;
    const step_job* step = e->job;
    switch (e->kernel) {
    case KERNEL_EXTENT:
        extent_block(e, lane);
        break;
    case KERNEL_INTAKE:
        intake_block(e, lane);
        break;
    case KERNEL_SIZES:
        sizes_block(e, lane);
        break;
    case KERNEL_SEARCH:
        search_warp(e, i, lane / e->size.warp);
        break;
    case KERNEL_LONG_ROWS:
        long_rows_block(e, lane);
        break;
    case KERNEL_WAY:
        way_lane(e->job, i);
        break;
    case KERNEL_LAUNCH:
        launch_lane(step, step->law.damped, step->law.turns, i);
        break;
    default:
        step_block(e, lane);
        break;
    }
}

// ---- Launches --------------------------------------------------------------------------------------------------------------

static bool has_fibers(int kernel)
{
    switch (kernel) {
    case KERNEL_EXTENT:
    case KERNEL_INTAKE:
    case KERNEL_SIZES:
    case KERNEL_SEARCH:
    case KERNEL_LONG_ROWS:
    case KERNEL_WAY:
    case KERNEL_LAUNCH:
    case KERNEL_STEP:
    case KERNEL_LONG_STEP:
    case KERNEL_BONDS:
    case KERNEL_SHAPES:
    case KERNEL_GIANTS:
        return true;
    default:
        return false;
    }
}

static int64_t blocks_of(const emulate* e, int kernel, const void* job, int64_t items)
{
    int64_t each = e->size.lanes;
    if (kernel == KERNEL_EXTENT || kernel == KERNEL_INTAKE || kernel == KERNEL_SIZES)
        return items > each ? 2 : 1;
    if (kernel == KERNEL_LONG_ROWS)
        each = 1;
    if (kernel == KERNEL_LONG_STEP)
        each = long_groups_of(e);
    if (kernel == KERNEL_STEP && ((const step_job*)job)->teams)
        each = ((const step_job*)job)->team;
    return (items + each - 1) / each;
}

static size_t shared_bytes(const emulate* e)
{
    switch (e->kernel) {
    case KERNEL_SEARCH:
        return (size_t)(e->size.lanes / e->size.warp) * sizeof *e->shared.search;
    case KERNEL_EXTENT:
    case KERNEL_INTAKE:
        return sizeof e->shared.extent;
    case KERNEL_SIZES:
        return sizeof e->shared.sizes;
    case KERNEL_LONG_STEP:
        return sizeof e->shared.row;
    case KERNEL_STEP:
        return ((const step_job*)e->job)->teams ? sizeof e->shared.team : 0;
    default:
        return 0;
    }
}

static bool run_block(emulate* e)
{
    if (has_fibers(e->kernel)) {
        if (e->size.seed != 0)
            spoil(&e->shared, shared_bytes(e));  // no block may depend on what the one before has left
        return fibers_run(e->fibers, fiber_of, e);
    }
    shuffle(e);
    for (int32_t l = 0; l < e->size.lanes; ++l)
        if (!lane_of(e->kernel, e->job, e->block * e->size.lanes + e->order[l])) {
            snprintf(e->trouble, sizeof e->trouble, "unknown kernel");
            return false;
        }
    return fibers_trouble(e->fibers)[0] == '\0';
}

static int run_launch(emulate* e, int kernel, const void* job, int64_t items)
{
    if (items <= 0)
        return 0;
    const bool down = e->size.seed != 0 ? draw_bit(e) : e->size.falling;
    e->kernel = kernel;
    e->job = job;
    e->blocks = blocks_of(e, kernel, job, items);
    if (kernel == KERNEL_STEP)
        e->traits = draw_traits(e, job);
    fibers_use(e->fibers);
    for (int64_t b = 0; b < e->blocks; ++b) {
        e->block = down ? e->blocks - 1 - b : b;
        if (run_block(e))
            continue;
        if (e->trouble[0] == '\0')
            snprintf(e->trouble, sizeof e->trouble, "kernel %d, block %lld: %s", kernel, (long long)e->block, fibers_trouble(e->fibers));
        return 1;
    }
    return 0;
}

// ---- Launches that are repeated ----------------------------------------------------------------------------------------------

// Those of a step, which are the only ones that are recorded.
static bool has_step_job(int kernel)
{
    return kernel == KERNEL_STEP || kernel == KERNEL_LONG_STEP || kernel == KERNEL_GIANTS || kernel == KERNEL_SHAPES || kernel == KERNEL_BONDS || kernel == KERNEL_CROSS || kernel == KERNEL_CROSS_SHAPES;
}

static int run_recording(emulate* e, const recording* r)
{
    for (const kept_launch* l = r->first; l != NULL; l = l->next)
        if (run_launch(e, l->kernel, l->job, l->items) != 0)
            return 1;
    return 0;
}

static int emulate_launch(void* context, int kernel, const void* job, int64_t items)
{
    emulate* e = context;
    recording* r = e->now;
    if (r == NULL)
        return run_launch(e, kernel, job, items);
    if (!has_step_job(kernel))
        return is_recording(e, "a kernel that is no part of a step");
    kept_launch* kept = scree_malloc(1, sizeof *kept + sizeof(step_job));
    if (kept != NULL) {
        *kept = (kept_launch){.kernel = kernel, .items = items};
        memcpy(kept->job, job, sizeof(step_job));
        *r->end = kept;
        r->end = &kept->next;
        return 0;
    }
    // No memory: nothing is kept.
    e->now = NULL;
    const bool failed = run_recording(e, r) != 0;
    forget(r);
    return failed || run_launch(e, kernel, job, items) != 0;
}

// In the place of the one that was not used for the longest time.
static int emulate_record(void* context, const void* key, size_t bytes)
{
    emulate* e = context;
    recording* oldest = &e->known[0];
    for (int r = 0; r < recordings_most; ++r)
        if (e->known[r].used < oldest->used)
            oldest = &e->known[r];
    void* name = scree_malloc(1, bytes);
    if (name == NULL)
        return 0;  // nothing is kept
    memcpy(name, key, bytes);
    forget(oldest);
    *oldest = (recording){.key = name, .bytes = bytes, .used = ++e->clock, .end = &oldest->first};
    e->now = oldest;
    return 0;
}

static int emulate_recorded(void* context, bool complete)
{
    emulate* e = context;
    recording* r = e->now;
    e->now = NULL;
    if (r == NULL)
        return 0;
    if (complete && run_recording(e, r) == 0)
        return 0;
    forget(r);
    return complete;
}

static int emulate_replay(void* context, const void* key, size_t bytes)
{
    emulate* e = context;
    for (int k = 0; k < recordings_most; ++k) {
        recording* r = &e->known[k];
        if (r->key == NULL || r->bytes != bytes || memcmp(r->key, key, bytes) != 0)
            continue;
        r->used = ++e->clock;
        return run_recording(e, r);
    }
    return -1;
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
    const emulate_sizes size = next_sizes();
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
                       .forget = emulate_forget,
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
                       .holds = emulate_holds,
                       .follow = emulate_stream,
                       .lead = emulate_stream,
                       .record = emulate_record,
                       .recorded = emulate_recorded,
                       .replay = emulate_replay,
                       .few = size.few,
                       .short_row = size.short_row,
                       .long_warp = size.long_warp,
                       .stage = size.stage,
                       .ranges = size.ranges,
                       .flush = size.flush,
                       .crowd = size.crowd,
                       .together = size.together,
                       .batch = size.batch};
}
