// The arguments of kernels: one struct for each; all pointers are to device memory.
#ifndef SCREE_DEVICE_JOBS_H
#define SCREE_DEVICE_JOBS_H

#define SCREE_ONE_LANE
#include "device/grid.h"
#include "sim/account.h"
#include "sim/bond_work.h"
#include "sim/boundaries.h"
#include "sim/device.h"
#include "sim/grain.h"
#include "sim/image.h"
#include "sim/surface_keep.h"

// Numbers of kernels: what ops.h launches.
enum {
    KERNEL_EXTENT,
    KERNEL_KEYS,
    KERNEL_SORTED,
    KERNEL_CELLS,
    KERNEL_SEARCH,
    KERNEL_FILL,
    KERNEL_ROWS,
    KERNEL_LONG_ROWS,
    KERNEL_HAND_ON,
    KERNEL_LAUNCH,
    KERNEL_STEP,
    KERNEL_LONG_STEP,
    KERNEL_GIANTS,
    KERNEL_WAY,
    KERNEL_WRAP,
    KERNEL_GATHER,
    KERNEL_TURN,
    KERNEL_LIVE,
    KERNEL_TAKE_OUT,
    KERNEL_LOOK,
    KERNEL_NAME,
    KERNEL_LOOK_SHAPES,
    KERNEL_NAME_SHAPES,
    KERNEL_PAIR_SHIFTS,
    KERNEL_PAIR_KEYS,
    KERNEL_PAIR_OUT,
    KERNEL_PAIR_VECTORS,
    KERNEL_INTAKE,
    KERNEL_SIZES,
    KERNEL_SHAPE_COUNT,
    KERNEL_SHAPE_FILL,
    KERNEL_SHAPES,
    KERNEL_BONDS,
    KERNEL_CROSS,
    KERNEL_CROSS_SHAPES,
    KERNEL_COUNT
};

// ---- Search --------------------------------------------------------------------------------------------------------

typedef struct found_pair {
    int32_t i, j;           // i < j, or i = j
    uint32_t slot_i, slot_j;  // positions in their rows; slot_nowhere: not in that row
} found_pair;

static const uint32_t slot_nowhere = 0xffffffffu;

typedef struct search_job {
    int32_t n;
    int32_t stage, ranges, crowd;  // pairs that a warp collects, stretches that a lane does; the longest stretch. At most search_stage, search_ranges, 255
    int32_t together;       // cells of a level that the lanes of a warp look at together, at most
    bool exact;             // pairs with a gap of `gap` or more are left out; else some with more than plan.reach are found too
    grid_plan plan;
    const double (*x)[4];
    double (*reference)[4]; // where spheres were when the list was made; NULL: nobody asks
    const uint8_t* flags;   // NULL: no sphere is fixed
    double giant_radius;
    uint32_t* key;
    uint32_t* value;        // rank of each, in the order of keys
    float (*at)[4];         // the centre from the lower corner, and the radius, in the order of keys
    uint32_t* head;         // 1 where a cell begins; then how many have begun before
    uint32_t* begun;
    uint32_t* start;        // the first sphere of each cell that has any
    uint32_t (*dir)[4];     // mask, first cell
    uint64_t* extent;       // [8]: lower and upper ends of x, y, z as lane_ordered, and bits of the largest coordinate and of the largest number of boxes that a centre is away
    uint32_t* row;          // entries in each row
    const uint32_t* off;
    found_pair* pair;
    uint32_t* pair_shift;   // named as from i; NULL: no axis is periodic
    uint64_t room;          // for pairs
    uint64_t* count;        // [2]: pairs found; long rows
    int32_t* list;
    uint32_t* shift;
    int32_t short_row;      // rows up to this are sorted, and worked on, by one lane
    int32_t* long_row;
    int32_t long_rows;
    int32_t flush;          // stretches that a lane has collected before its warp goes through all of them
    uint64_t* scratch;      // one per entry
    uint64_t entries;       // room in the rows
    int64_t stride;         // lanes that fill rows
    double gap;             // exact: at most plan.reach
    const int32_t* group;   // of each sphere; NULL: no mask
    const uint8_t* matrix;  // of groups; NULL: spheres pair unless their groups are equal
    int32_t groups;
    float unsure;           // exact: two spheres whose distance in floats is below the reach by more than this are surely a pair
} search_job;

enum { search_lanes = 32, search_stage = 192, search_ranges = 16, search_flush = 8, search_shared_cells = 64 };

// What a warp of the search shares.
typedef struct search_shared {
    uint32_t many;
    uint64_t first;
    uint32_t kept[search_stage][2];  // lane and number among the pairs that it found; place of the other
    uint32_t start[search_ranges][search_lanes];
    uint8_t length[search_ranges][search_lanes];
    int32_t own[search_lanes];     // spheres that look,
    uint32_t base[search_lanes];   // and where in their rows that begins which they found
    uint32_t kept_shift[search_stage];  // images; last: without images there is no room for it
} search_shared;

static const uint32_t search_no_slot = 0x7ffffffu;  // it is not in the row of the one that found it

// Pairs that are put in order.
typedef struct pair_job {
    int64_t count;
    const found_pair* pair;
    const uint32_t* shift;  // NULL: no axis is periodic
    const uint32_t* from;   // numbers of the pairs, in the order so far; NULL: as they are
    uint32_t* key;
    uint64_t* wide;
    uint32_t* value;
    int32_t (*ij)[2];
    int8_t* named;          // shifts, three for each
    const int8_t (*turn)[4];  // boxes that each centre was wrapped by; NULL: none was, or the processor adds them
    int32_t bits;           // of the number of a sphere
    int64_t half;           // pairs that were found: those from here on are the same in the other direction
    // Vectors:
    int32_t dim;
    double length[3], tilt[3];
    const double (*x)[4];
    double *vector, *distance;
} pair_job;

// ---- Spheres in the memory of the device -------------------------------------------------------------------------------------

enum { intake_bins = 512, intake_turns_most = 32 };
enum { INTAKE_BAD, INTAKE_TURNED, INTAKE_LEAST, INTAKE_MOST, intake_values };  // what is found: all bits of the first invalid sphere turned; whether any was wrapped; bits of radii, of the least turned

typedef struct intake_job {
    int32_t n, dim;
    const double* x;        // as given
    const double* r;
    double (*to)[4];        // wrapped
    int8_t (*turn)[4];
    bool periodic[3];
    double lower[3], upper[3], tilt[3];
    double radius;          // of all, if r is NULL
    double length_least, length_most;
    uint64_t* found;        // [intake_values]
    double r_least;         // smaller radii count as this one
    int32_t bin_shift;      // bins are ranges of the leading bits of a radius
    uint32_t* in;           // [intake_bins]: spheres,
    uint64_t* largest;      // and bits of the largest radius
} intake_job;

// ---- Rows, and what contacts remember ------------------------------------------------------------------------------------

typedef struct row_set {
    uint32_t* off;          // n + 1
    int32_t* list;          // partners, by rank and image
    uint32_t* shift;        // images, named as from the lower rank; NULL: no axis is periodic
    uint32_t* live;         // of laws with words: whether there is a contact, one bit for each entry (row_live),
    double* words;          // and what it remembers, as the lower rank sees it: the same in both rows
} row_set;

// Bytes of `live` for so many entries: whole words, and one more, so that row_live may always read two.
static inline size_t live_bytes(size_t entries)
{
    return 4 * (entries / 32 + 2);
}

// Bits of the 32 entries from `first` on: whether each is a contact. Rows share words, so that changes are atomic.
LANE uint32_t row_live_ahead(const row_set* rows, uint64_t first)
{
    const uint32_t* at = rows->live + first / 32;
    return (uint32_t)((at[0] | (uint64_t)at[1] << 32) >> first % 32);
}

// The same of `count` entries, at most 32.
LANE uint32_t row_live(const row_set* rows, uint64_t first, uint32_t count)
{
    return row_live_ahead(rows, first) & (count < 32 ? (1u << count) - 1 : 0xffffffffu);
}

LANE void row_begins(const row_set* rows, uint64_t e)
{
    lane_or(&rows->live[e / 32], 1u << e % 32);
}

LANE void row_ends(const row_set* rows, uint64_t e)
{
    lane_and(&rows->live[e / 32], ~(1u << e % 32));
}

typedef struct memory_job {
    int32_t n;
    int32_t words;
    uint32_t odd;           // words that change their sign when the two are exchanged
    const double (*x)[4];
    double giant_radius;
    row_set old, now;
    const uint32_t* from;   // old ranks; NULL: they have not changed
    const int8_t (*turn)[4];  // by old rank: how often each was wrapped; NULL: none was
    int32_t reduced[3];     // number of boxes by which the tilts of the cell were reduced (cell_renew of src/sim) before centres were wrapped
    uint32_t* count;        // of each row
    const uint32_t* place;
    int32_t (*ij)[2];
    uint32_t* named;
    double* out;
} memory_job;

// ---- The step --------------------------------------------------------------------------------------------------------

enum { TROUBLE_ESCAPED = 1, TROUBLE_LOST = 2, TROUBLE_GIANT = 4, TROUBLE_REMOVES = 8 };  // the last: a centre has passed through a boundary that removes it, before the step
enum { walls_most = 32 };  // bits of a word

// Results of a launch.
typedef struct launch_result {
    double way;             // how much closer two may have come before it, since the list was made
    uint64_t speed;         // bits of the largest square of a speed
    uint32_t trouble;
    uint32_t unused;
    uint64_t contacts;      // MODE_OBSERVE only
    uint64_t crossed;       // place in the order of ids and boundary of the first centre that has passed through a shape, all bits turned; 0: none has
} launch_result;

// What changes from one batch of launches to the next: in the device's memory, so that launches can be repeated as they are.
typedef struct batch_head {
    double used, limit;     // how much closer two may have come since the list was made; up to where it holds
    double rounding;        // of a move
    int32_t many;           // launches that count
    int32_t long_count;
    int32_t near_count;     // spheres near shapes
    int32_t unused;
} batch_head;

enum { launches_most = 64 };  // of a batch

typedef struct batch_results {
    batch_head head;
    launch_result result[launches_most];
} batch_results;

enum { energy_kinds = ENERGY_COUNT };  // that lanes add up

typedef struct launch_sums {
    sim_sum of[energy_kinds];
    uint64_t beyond;        // lanes that had a term that is too large
} launch_sums;

// Sums of a giant: the low 64 bits of each, and all from bit 40 on, which show whether those overflowed. What walls and outer forces add is kept beside.
typedef struct giant_sums {
    uint64_t low[6];
    int64_t high[6];
    double rest[3], turn[3];
    int32_t rank;
    int32_t unused;
} giant_sums;

// A servo, and what it measures of a launch: whole quanta, and all from bit 40 on as of giants.
typedef struct servo_sums {
    int32_t boundary;
    bool torque;
    double direction[3], per[2];  // quanta per force or torque, and per resistance
    uint64_t low[3];
    int64_t high[3];
    uint64_t beyond;        // a contact was
} servo_sums;

// Exact shapes and meshes: spheres near them, and what their contacts remember and do.
typedef struct shape_set {
    int32_t count;          // of shapes; 0: nothing of this is there
    const sim_shape* shapes;  // by boundary
    uint32_t* off;          // n + 1: rows of each sphere, sorted by boundary and part
    int32_t* part;          // of its shape
    uint8_t* boundary;
    int32_t *slot, *next;   // of laws with words: the row itself where there is a contact, else -1
    double* words;          // of the law, and surface_words
    int32_t* near;          // spheres that have rows
    double (*touch)[6];     // forces and torques of a step, from twice the first row of each sphere on,
    uint32_t* touched;      // and how many there are
    surface_work* work;     // `work_room` for each lane
    scree_surface_contact* contacts;  // `room`
    surface_touch* touches; // `room`
    int64_t work_room, room, lanes;
} shape_set;

typedef struct shape_job {
    int32_t n, boundary_count;
    double margin;
    sim_cell cell;
    const double (*x)[4];
    const uint8_t* flags;
    const sim_boundary* boundaries;
    shape_set now, old;
    bool has_old;
    int32_t wide;           // words of a slot; 0: contacts remember nothing
    int32_t near_count;
    const uint32_t* from;   // old ranks; NULL: they have not changed
    uint32_t* count;        // rows of each
    uint64_t* result;         // [3]
} shape_job;

typedef enum step_mode { MODE_STEP, MODE_OBSERVE } step_mode;

// What every kernel of a step reads stands first: of few spheres a launch waits for each 64 bytes of it.
typedef struct step_job {
    int32_t n;
    int32_t mode;
    int32_t index;          // of the launch in its batch
    int32_t boundary_count;
    int32_t team;           // spheres of a block with teams: as many as it has lanes, or fewer
    const double (*x)[4];
    double (*next)[4];
    double (*v)[4], (*v_next)[4];  // read by velocity_read
    row_set rows;
    const batch_head* head;
    launch_result* result;
    double half, whole, gravity[3];
    double face[boundary_faces];  // where the walls of the box are now; infinitely far: there is none
    sim_law law;
    int32_t long_row;       // rows with more entries than this are worked on by blocks:
    bool teams;             // contacts are computed by teams of lanes; else each lane computes those of a sphere
    const int32_t* long_rows;  // head->long_count of them
    const double (*w)[4];
    double (*w_next)[4];
    const double (*wp)[4];
    double (*wp_next)[4];
    const double (*p)[4];
    double (*p_next)[4];
    double (*before)[4];
    const uint8_t* flags;
    const double (*force)[4], (*torque)[4];
    const uint16_t* material;
    uint32_t* wall_live;    // bits
    double* wall_words;     // [wall][sphere][word]
    const sim_boundary* boundaries;
    int16_t wall_of[walls_most];  // numbers of the boundaries that are walls: present, and no shape
    int32_t wall_count;
    bool rounds;            // some are no faces of the box
    sim_cell cell;
    double giant_radius, quantum, per_quantum, torque_quantum, per_torque;
    const int32_t* giant_of;  // number of each giant, by rank
    giant_sums* giants;
    int32_t giant_count;
    int32_t long_warp;      // of the rows with more than long_row entries, those up to this are worked on by warps
    double square, per;
    const device_load* loads;
    int32_t load_count;
    bool adds[2];           // forces and torques of loads are added to the columns
    const uint16_t* group;
    const sim_drag* drag;   // of each launch; NULL: none
    launch_sums* energies;  // of each launch; NULL: not requested
    energy_scales scales;
    const int32_t* row;     // place of each in the order of ids; only where there are shapes, or boundaries that remove
    bool removes;           // some boundaries do
    bool drives;            // the cell is given a motion, which does work
    uint64_t* crossing;     // spheres that have passed through one, by place in the order of ids and boundary; crossing[0] is their number. NULL: only whether there are any is reported
    uint64_t crossing_room;
    shape_set shapes;
    servo_sums* servos;     // of a launch that is alone in its batch
    int32_t servo_count;
    int64_t bond_count;
    bond* bonds;
    const scree_sim_bond* bond_kinds;
    const int64_t *bond_first, *bond_of;  // by rank (sim/bonds.h)
    int64_t number;         // of the step
} step_job;

// What a step has to look at. Constants in kernels that are compiled for themselves; the others ask the job.
typedef struct step_traits {
    bool teams;             // contacts are computed by teams of lanes
    bool steps;             // spheres move; else they are observed
    bool giants, images, positions, fixed, forces, materials, damped;
    bool loads;             // of groups
    int ahead;              // partners that are read at a time, at most 8: few where many lanes work beside each other, many where one waits for the other
    bool apart;             // contacts of a row are computed after all of its candidates were tested
    bool early;             // velocities are loaded before contacts are searched for, not only prefetched
    bool rows;              // velocities are rows of four: see velocity_read
    bool lazy;              // masses are read where there are forces
    bool accounts;          // energies are added up,
    bool drag;              // and of drag alone
    bool shapes, servos, bonds;
} step_traits;

LANE step_traits step_traits_of(const step_job* job)
{
    step_traits traits;
    traits.ahead = 2;
    traits.apart = traits.early = traits.lazy = false;
    traits.rows = job->law.turns;
    traits.steps = job->mode == MODE_STEP;
    traits.teams = job->teams;
    traits.giants = job->giant_count > 0;
    traits.images = job->rows.shift != NULL;
    traits.positions = job->before != NULL;
    traits.fixed = job->flags != NULL;
    traits.forces = job->force != NULL || job->torque != NULL;
    traits.materials = job->law.many != NULL;
    traits.damped = job->law.damped;
    traits.loads = job->load_count > 0;
    traits.accounts = job->energies != NULL && job->law.parts.accounts;
    traits.drag = job->drag != NULL;
    traits.shapes = job->shapes.count > 0;
    traits.servos = job->servo_count > 0;
    traits.bonds = job->bond_count > 0;
    return traits;
}

// A look at overlaps: bits of doubles from 0 on, of durations turned round, so that the largest are looked for.
typedef struct look_result {
    uint64_t deepest, shortest;
    uint64_t deepest_before, shortest_before;
    uint64_t deepest_key, deepest_overlap, deepest_duration;
    uint64_t shortest_key, shortest_overlap, shortest_relative;
} look_result;

typedef struct look_job {
    step_job step;
    bool curved;            // contacts become stiffer as they become deeper
    double share;           // overlaps above this share of the smaller radius,
    double brief;           // and durations below this are reported
    look_result* result;
    int32_t near_count;     // spheres near shapes
} look_job;

// ---- Order, ways -------------------------------------------------------------------------------------------------------

typedef struct way_job {
    int32_t n;
    const double (*x)[4], (*reference)[4];
    uint64_t* most;         // bits of the largest square
} way_job;

typedef struct order_job {
    int32_t n, dim;
    bool periodic[3];
    double box_lower[3], box_upper[3];
    double lower[3], inverse, cells;
    sim_cell cell;
    double step;
    double (*x)[4], (*before)[4];
    double (*v)[4], (*p)[4];  // p NULL: no predicted velocities
    bool rows;              // as in step_traits
    launch_sums* paid;      // ENERGY_PAID: energy gained by velocities when spheres are wrapped in a moving cell; NULL: not requested
    sum_scale scale;
    const int32_t* row;     // place of each in the order of ids
    uint64_t* key;          // by that place
    uint32_t* word;         // rank that has it
    int8_t (*turn)[4];      // NULL: not requested
} order_job;

// Velocities of the host, rows of four, to streams, or back.
typedef struct turn_job {
    int32_t n;
    bool back;
    int64_t first, count;   // spheres of this piece
    double (*rows)[4];
    double* streams;
} turn_job;

typedef struct gather_job {
    int32_t n;
    uint32_t bytes;         // of an item
    const uint32_t* from;   // NULL: the item is its own number, of 4 bytes
    const void* in;
    void* out;
} gather_job;

#endif
