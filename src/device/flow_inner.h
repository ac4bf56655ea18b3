// Shared by the files of a run on a device: the device with its memory, and the state of the run.
#ifndef SCREE_DEVICE_FLOW_INNER_H
#define SCREE_DEVICE_FLOW_INNER_H

#include "device/flow.h"

#include "base/clock.h"
#include "scree/base.h"

enum { PART_LISTS, PART_STEPS, PART_ORDER, PART_COPIES, PART_CHECKS, part_count };  // checks: whether lists still hold

// Memory of the device that grows when it has to; what was in it is lost then.
typedef struct block {
    void* at;
    size_t bytes;
} block;

enum {
    B_X, B_NEXT, B_V, B_V_NEXT, B_P, B_P_NEXT, B_BEFORE, B_W, B_W_NEXT, B_WP, B_WP_NEXT, B_FORCE, B_TORQUE, B_REFERENCE,  // 32 bytes a sphere
    B_MATERIAL, B_FLAGS, B_ROW, B_ORIGIN, B_GIANT_OF, B_ORDER_KEY, B_WALL_LIVE, B_WALL_WORDS, B_SMALL,
    B_START, B_DIR, B_COUNT, B_OFF, B_LONG, B_PAIR, B_PAIR_SHIFT,
    B_LIST, B_SHIFT, B_LIVE, B_WORDS, B_OLD_OFF, B_OLD_LIST, B_OLD_SHIFT, B_OLD_LIVE, B_OLD_WORDS, B_FROM, B_TURN, B_SPARE,
    B_MANY, B_BOUNDARIES, B_GIANTS, B_RESULTS, B_LOOK, B_OUT_IJ, B_OUT_SHIFT, B_OUT_WORDS, B_PAID, B_GROUP, B_LOADS, B_DRAG, B_ENERGIES,
    B_SHAPES, B_SHAPE_OFF, B_SHAPE_PART, B_SHAPE_OF, B_SHAPE_SLOT, B_SHAPE_NEXT, B_SHAPE_WORDS, B_SHAPE_NEAR, B_SHAPE_TOUCH, B_SHAPE_TOUCHED, B_SHAPE_WORK, B_SHAPE_CONTACTS, B_SHAPE_TOUCHES,
    B_OLD_SHAPE_OFF, B_OLD_SHAPE_PART, B_OLD_SHAPE_OF, B_OLD_SHAPE_SLOT, B_OLD_SHAPE_WORDS, B_CROSSING, B_SERVOS, B_BONDS, B_BOND_KINDS, B_BOND_FIRST, B_BOND_OF, B_MASK_GROUP, B_MASK_MATRIX, B_OUT_VECTOR, B_OUT_DISTANCE,
    block_count
};

// A state on the device, and the run that it is in.
typedef struct flow {
    sim_device* d;
    device_run* run;
    plan_sizes sizes;
    int32_t words, walls;
    int16_t wall_of[walls_most];
    bool wraps, turns, damped, positions;
    int64_t step;
    bool flying;            // positions are of this step, velocities of half a step before
    int64_t renewed;        // the order, at this step
    bool listed;            // a list is held,
    double used, limit;     // of which so much is used up
    double last_move, skin;
    int64_t made;           // at this step
    bool has_old, renamed, wrapped;  // memory of contacts is in the old rows; ranks have changed since; centres were wrapped
    double extent;          // no coordinate is larger
    bool bounded;           // centres were between these ends,
    double lower[3], upper[3], largest;
    double drift;           // and have moved so far since
    int64_t entries;
    int32_t long_rows;
    bool uploaded;          // boundaries
    sim_boundary* boundaries;
    double gravity[launches_most][3];
    device_load* loads;     // of the launches of a batch
    int64_t found;          // pairs, of flow_find_pairs
    launch_sums* energies;  // of the launches of a batch
    energy_sums paid;       // by a new order, for the pass that comes next
    int32_t shapes, near;   // exact shapes and meshes; spheres near them
    int64_t shape_rows, shape_lanes;  // for which there is scratch memory in each lane; number of lanes
    double outside;         // how far shapes move in a step of this batch at most,
    double travelled;       // and have done since the list was made
    bool crossing;          // a sphere has passed through a boundary that removes it
    int32_t reduced[3];     // boxes by which tilts have become less since the old rows
    sim_cell cells[launches_most];  // of the launches of a batch
} flow;

struct sim_device {
    device_ops ops;
    void* context;
    block blocks[block_count];
    size_t held;
    double seconds[part_count];
    double skin;            // of the next list, while it is chosen here,
    double skin_lists, skin_steps;  // and the times of both parts when the last one was chosen
    int64_t pairs;          // of the last list,
    int64_t lists;          // and how many there were
    sim_boundary* boundaries;  // of a run
    device_load* loads;
    flow state;             // that it has,
    bool holds;             // if it has one
    const sim_shape* shapes;  // of the device, by boundary; NULL: they are not there yet
    plan_sizes placed;      // of spheres of the caller (index_device_put),
    bool placed_turned;     // some of which were wrapped
};

scree_status flow_failed(sim_device* d);

#define TRY(call)                              \
    do {                                       \
        scree_status status_ = (call);         \
        if (status_ != SCREE_OK)               \
            return status_;                    \
    } while (0)
#define DEVICE(call)                           \
    do {                                       \
        if ((call) != 0)                       \
            return flow_failed(d);             \
    } while (0)

// ---- blocks.c ------------------------------------------------------------------------------------------------------------

scree_status block_reserve(sim_device* d, int b, size_t bytes);  // MEMORY
scree_status block_put(sim_device* d, int b, const void* from, size_t bytes);
scree_status block_get(sim_device* d, int b, void* to, size_t bytes);  // to NULL: nothing
void blocks_forget(sim_device* d, const int* which, int count);  // nobody reads what is in them before it is written again
void flow_spent(sim_device* d, int part, double* since);

static inline void block_exchange(sim_device* d, int a, int b)
{
    block other = d->blocks[a];
    d->blocks[a] = d->blocks[b];
    d->blocks[b] = other;
}

static inline void* block_at(const sim_device* d, int b)
{
    return d->blocks[b].at;
}

static inline double (*block_rows4(const sim_device* d, int b))[4]
{
    return (double(*)[4])d->blocks[b].at;
}

// While a list is made or the order renewed, the positions of the next step do not exist yet. Their memory serves as scratch: keys or centres as floats, 16 bytes for each sphere, and four columns of 4 bytes.
static inline void* scratch_wide(const sim_device* d)
{
    return block_at(d, B_NEXT);
}

static inline uint32_t* scratch_column(const sim_device* d, size_t n, int column)
{
    return (uint32_t*)block_at(d, B_NEXT) + (4 + (size_t)column) * n;
}

// Room for pairs before the first search, in bytes. Lists of spheres of one size are longer; the search then says how many pairs there are.
static inline size_t flow_first_pairs(size_t n)
{
    return sizeof(found_pair) * (n / 2 + 64);
}

// ---- lists.c -------------------------------------------------------------------------------------------------------------

scree_status flow_find_extent(flow* f, double lower[3], double upper[3]);  // where centres are
search_job flow_search_job(const flow* f);
scree_status flow_find_pairs(flow* f, search_job* job);  // all of job->plan, into job->pair: f->found of them. MEMORY, UNSUPPORTED
row_set flow_rows_of(const flow* f, bool old);
memory_job flow_memory_job(const flow* f);
void flow_put_aside(flow* f);               // the list that was becomes the old one, whose contacts hand on what they remember
scree_status flow_list_ready(flow* f);      // makes sure that there is a valid list for the current positions

// ---- shapes.c ------------------------------------------------------------------------------------------------------------

scree_status flow_put_shapes(flow* f);
shape_set flow_shape_set(const flow* f, bool old);
void flow_put_aside_shapes(flow* f);
scree_status flow_list_shapes(flow* f);     // spheres near them, and what their contacts remembered
scree_status flow_put_shape_memory(flow* f);
scree_status flow_get_shape_memory(flow* f);
double flow_rounding(const flow* f);        // of a move, and how far shapes go in a step

// ---- renewal.c, steps.c, overlaps.c, copies.c -------------------------------------------------------------------------------

scree_status flow_renew_order(flow* f);     // sim_order_renew
step_job flow_step_job(const flow* f, step_mode mode, int index);
scree_status flow_tell_boundaries(flow* f, int many);  // uploads boundaries and gravity of the next `many` steps
scree_status flow_launch(flow* f);          // begins a step: velocities half a step later, positions of the next step
scree_status flow_run_batch(flow* f, int many);  // launches up to `many` steps; f->step is then the step reached
scree_status flow_observe(flow* f);         // velocities of this moment, and accelerations
scree_status flow_list_crossings(flow* f);  // spheres that have passed through boundaries that remove them, to run->crossings
scree_status flow_look(flow* f);            // at overlaps, if it is the step for it
scree_status flow_put_all(flow* f);
scree_status flow_put_bonds(flow* f);
scree_status flow_get_all(flow* f, bool whole);  // the state at the end, or at the step that failed

#endif
