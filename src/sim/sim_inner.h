// The members of a simulation, and the pass that computes a step.
//
// Spheres are stored in canonical order (order.c): `rank` is an index into these arrays, `id` the caller's number. A step is one pass
// over blocks of ranks; block by block (pass_body.h):
//
//     candidates -> contacts -> forces on the block's own spheres -> walls -> velocities -> new positions
//
// Positions are read from `x` and written to `next`, so that no block depends on another one; the forces of a block are in a small array of
// the thread that works on it. Each sphere adds up its partners in the order of their ranks, then the boundaries by number: with
// candidates in rows by rank, i < j, this is the order in which they come:
//
//     1. incoming: pairs (i, j) with j in this block and i in an earlier one. Computed here for j and there for i.
//     2. own rows: pairs (i, j) with i in this block, for i, and for j too if it is in the block.
//
// A span is a few blocks. One thread works on the blocks of a span, from the first to the last, with one array of forces for all of them: the forces of a pair
// of two blocks of a span are computed once, with the row, and `incoming` above holds only pairs of two spans. A block is integrated as soon as its own rows are done.
//
// So no sum depends on where blocks and spans end, on the thread that works on them, or on candidates that are not in contact.
//
// Giants, spheres of numbers.giant_radius or more, can have 1e5 contacts: their forces are added up in integers, multiples of numbers.force_quantum, in any
// order and on all threads at once. A contact with a giant is computed once, where its other partner is; the rounded force acts on both. Giants
// are integrated when all blocks are done.
#ifndef SCREE_SIM_SIM_INNER_H
#define SCREE_SIM_SIM_INNER_H

#include "base/parallel.h"
#include "scree/candidates.h"
#include "scree/sim.h"
#include "sim/account.h"
#include "sim/bonds.h"
#include "sim/boundaries.h"
#include "sim/columns.h"
#include "sim/image.h"
#include "sim/laws.h"
#include "sim/motion.h"
#include "sim/quanta.h"
#include "sim/surfaces.h"

#include <math.h>

static const int64_t sim_count_most = 9000000000000000;  // of steps and ids in a state: doubles hold each, and there is room for more
enum { sim_block = 4096 };  // ranks in a block; sums for reports go by blocks too, so their last bits depend on it. None depends on spans

typedef enum sim_mode {
    SIM_REST,     // accelerations only, into `other`: velocities are at this time already. The memory of contacts stays as it is; the other modes advance it
    SIM_BEGIN,    // the same, and contacts begin to remember: a step of no length
    SIM_OBSERVE,  // velocities to this time, accelerations into `other`
    SIM_STEP      // velocities to half a step later, positions to the next time
} sim_mode;

// Position Verlet. `before` has the positions one step before; velocities follow from positions, never positions from velocities.
//
//     step       d = x(n) - before          exact, as long as no sphere moves farther in a step than its distance from the origin
//                x(n+1) = x(n) + (d + a dt^2),      v = (x(n+1) - x(n)) / dt,      before = x(n)
//     observe    v = d / dt + a dt/2,       which is (x(n+1) - x(n-1)) / 2 dt
//     start      before = x - dt (v - a dt/2)
//
// With w(n) = (x(n) - x(n-1)) / dt the first line is w(n+1) = w(n) + a(n) dt, x(n+1) = x(n) + w(n+1) dt: the half-step velocities of velocity Verlet.
// So without rounding x and v of every step are as in velocity Verlet, and the velocities predicted for damping too. Rounding x(n+1) to the
// grid of its size u changes w by u/dt, which stays: the two trajectories separate by about u n^(3/2), and contacts amplify this as any perturbation.

// Rows of four numbers, one for each sphere. Where spheres rotate, rows of two columns alternate, so that a contact reads one cache line of a sphere.
typedef struct sim_rows {
    double (*at)[4];  // NULL: there are none
    int twice;        // 1: every second row
} sim_rows;

static inline __attribute__((always_inline)) double* sim_at(sim_rows rows, int64_t i)
{
    return rows.at[i << rows.twice];
}

// Rows from sphere i on.
static inline __attribute__((always_inline)) sim_rows sim_from(sim_rows rows, int64_t i)
{
    return (sim_rows){.at = rows.at != NULL ? rows.at + (i << rows.twice) : NULL, .twice = rows.twice};
}

typedef struct near_wall {
    int32_t rank;
    int32_t boundary;
} near_wall;

// The memory of contacts, in a list of possible contacts: candidate rows, or spheres near boundaries. Slots of a block are numbered in the order of its rows
// and lie one after the other from the position of its first row on, so that a pass reads and writes only the entries of contacts. A pass reads these and
// writes the next ones; then the two are swapped.
typedef struct sim_slots {
    int32_t *slot, *slot_next;    // by row: which of its block; -1: no contact
    double *words, *words_next;   // law.row.words each, seen from the first of the row
    int64_t capacity;
} sim_slots;

// Results of a block: each block writes its own.
typedef struct block_result {
    double speed_square;  // the largest
    bool finite;          // all speeds are
    int32_t escaped;      // a rank that has left through a boundary; -1: none
    int64_t contacts;     // of own rows
    double seconds_force, seconds_integrate;
    energy_sums sums;     // of drag and local damping; if law.parts.accounts, all
    int32_t crossed, crossed_boundary;  // of those `escaped`: the lowest id whose centre has passed through an exact shape or mesh, if `crosses`
    bool crosses;
} block_result;

struct sim_pass {
    sim_mode mode;
    int32_t n;
    const double (*x)[4];  // x y z r
    double (*next)[4];
    sim_rows v;        // and 1 / m
    sim_rows v_next;   // the new ones: v itself, unless spheres rotate: then partners read v of the step before
    sim_rows w;        // spins, and 1 / moment of inertia; these four: only if the law has torques
    sim_rows w_next;
    sim_rows wp;       // predicted for this time
    sim_rows wp_next;  // SIM_REST and SIM_OBSERVE: angular accelerations
    sim_rows p;        // damped: velocities predicted for this time, and 1 / m
    sim_rows p_next;
    double (*before)[4];   // position Verlet: positions one step before, and the radius; else NULL
    const uint8_t* flags;  // NULL: no sphere is fixed
    const double (*force)[4];  // external; NULL: none
    const double (*bond_force)[4];   // of bonds; NULL: there are none
    const double (*bond_torque)[4];
    const int32_t (*ij)[2];    // candidates, by (i, j, shift)
    const int8_t (*shift)[3];  // NULL: no axis is periodic
    const int64_t* own;        // where the rows of each block begin
    const int32_t (*in_ij)[2]; // incoming candidates, span by span
    const int8_t (*in_shift)[3];
    const int64_t* in;         // where the rows of each span begin
    const int64_t* in_row;     // and which rows they are, if contacts remember
    const near_wall* near;
    const int64_t* near_first;
    const sim_boundary* boundaries;  // where they are now
    const uint16_t* material;  // NULL: all are one
    sim_slots pair_slots, wall_slots;
    const int64_t* pair_base;  // where the words of the pairs of each block begin that are read; what a pass writes begins at `own`
    sim_cell cell;
    sim_law law;
    double giant_radius, quantum, per_quantum, torque_quantum, per_torque;  // INFINITY: no giants
    const int32_t* giants;         // their ranks, rising
    int32_t giant_count;
    struct giant_kept* giant_kept; // what blocks put aside of theirs
    double gravity[4], half[4], whole[4];  // half and whole step, 0 in the fourth place: radius and mass stay
    double square[4], per[4];              // position Verlet: the step squared, and 1 over it; 0 in the fourth place
    block_result* result;
    struct sim_desk* desks;        // as many as threads
    int32_t desk_count;
    const sim_surfaces* surfaces;  // NULL: there are no exact shapes and meshes
    sim_slots surface_slots;       // law.row.words + surface_words each
    const int64_t* id;
    const double (*torque)[4];     // external; NULL: none
    const sim_servos* servos;      // NULL: none
    sim_drag drag;
    bool cell_sums;                // the stress of the cell is controlled
    const uint8_t* ghost;          // of a part; NULL: there are none
    bool drives;                   // def.cell
    double middle[3];              // of the box, with it
    int64_t span;                  // blocks in a span
    energy_scales scales;
};

// What one check of the overlaps has found in a block.
typedef struct watch_seen {
    scree_sim_overlaps found;
    double slack;              // all contacts may become deeper by this much before one is too deep
} watch_seen;

typedef struct sim_watch {
    watch_seen* seen;          // of each block
    scree_sim_overlaps found;  // since they were asked for
    int64_t every;             // steps from check to check, at least
    double apart;              // slack of two spheres that do not touch
    double young;              // the largest of all pairs
    double slack, moved;       // of the last check; and how much nearer two spheres can have come since
} sim_watch;

// Memory of a thread that works on a block.
typedef struct sim_desk {
    int32_t taken;        // by a thread; changed atomically
    int32_t overflow;     // number of a giant whose sum overflowed; -1: none
    void* memory;
    int64_t rows;         // room for so many spheres
    sim_rows f;           // forces on the spheres of a span, in it,
    sim_rows t;           // and torques, if the law makes them: each behind the force on its sphere
    int64_t (*sums)[6];   // forces and torques of the giants, in quanta, over all blocks of this thread
    surface_desk surface;
    int64_t cell[6];      // of a controlled cell, in quanta: sums of f_k d_k and of (f / overlap) d_k^2 over contacts
    bool cell_overflow;
} sim_desk;

// A giant between its block and the end of the pass.
typedef struct giant_kept {
    double rest[4], turn[4];  // external force and walls: force and torque
    double v[4], before[4];
} giant_kept;

// Implementations of a pass. All give the same bits.
typedef struct sim_backend {
    const char* name;
    scree_status (*pass)(scree_sim* sim, const sim_pass* pass);  // fills sim->result
} sim_backend;

extern const sim_backend sim_backends[SCREE_BACKEND_COUNT];
scree_status sim_reference_pass(scree_sim* sim, const sim_pass* pass);
scree_status sim_fused_pass(scree_sim* sim, const sim_pass* pass);

// One span of a fused pass, for any machine, with AVX2 and with AVX-512; the same bits.
void sim_span_plain(const sim_pass* pass, int64_t span, sim_desk* desk);
void sim_span_avx2(const sim_pass* pass, int64_t span, sim_desk* desk);
void sim_span_avx512(const sim_pass* pass, int64_t span, sim_desk* desk);
// Which of so many candidates are within reach of the law; room for four more. The same for any machine.
int32_t sim_find_contacts(const sim_pass* pass, const int32_t (*ij)[2], const int8_t (*shift)[3], int32_t count, int32_t* out);
int32_t sim_find_plain(const sim_pass* pass, const int32_t (*ij)[2], const int8_t (*shift)[3], int32_t count, int32_t* out);
int32_t sim_find_avx2(const sim_pass* pass, const int32_t (*ij)[2], const int8_t (*shift)[3], int32_t count, int32_t* out);
void sim_integrate_one(const sim_pass* pass, int32_t rank, double f[4], double t[4], block_result* result);  // what a block does after the forces

static inline bool giant_round(const sim_pass* pass, double force[3], int64_t quanta[3])
{
    return round_to(pass->quantum, pass->per_quantum, force, quanta);
}

static inline bool is_fixed(const uint8_t* flags, int64_t rank)
{
    return flags != NULL && (flags[rank] & 1) != 0;
}

// Quanta of sums over a controlled cell: energies have the quanta of torques; stiffness has coarser ones, since it only sets how fast the control is.
static const double cell_coarser = 0x1p20;

// Whether a contact counts in sums over all. Of one across a border both parts have a row: that of the first sphere's owner counts. One with a giant is in one part only.
static inline bool cell_counts(const sim_pass* pass, int32_t i, int32_t j)
{
    return pass->ghost == NULL || pass->ghost[i] == 0 || pass->x[i][3] >= pass->giant_radius || pass->x[j][3] >= pass->giant_radius;
}

// A contact in the sums of a controlled cell, as own rows have it.
static inline void cell_add(const sim_pass* pass, sim_desk* desk, const double force[3], const double d[3], double distance, double overlap)
{
    double stiffness = 0.0, part[6];
    if (overlap > 0.0 && distance > 0.0)
        stiffness = fabs((force[0] * d[0] + force[1] * d[1]) + force[2] * d[2]) / (distance * overlap);
    for (int k = 0; k < 3; ++k) {
        part[k] = (force[k] * d[k]) * pass->per_torque;
        part[3 + k] = (stiffness * (d[k] * d[k])) * (pass->per_torque / cell_coarser);
    }
    for (int k = 0; k < 6; ++k)
        if (!(fabs(part[k]) < 0x1p62) || __builtin_add_overflow(desk->cell[k], llrint(part[k]), &desk->cell[k]))
            desk->cell_overflow = true;
}

// Force times shift, by the entries of dH/dt.
static inline void cell_add_image(const sim_pass* pass, const double force[3], const int8_t shift[3], energy_sums* sums)
{
    const double parts[SCREE_CELL_COUNT] = {[0] = force[0] * shift[0], [1] = force[1] * shift[1], [2] = force[2] * shift[2],
                                            [SCREE_CELL_XY] = force[0] * shift[1], [SCREE_CELL_XZ] = force[0] * shift[2], [SCREE_CELL_YZ] = force[1] * shift[2]};
    for (int e = 0; e < SCREE_CELL_COUNT && (shift[0] | shift[1] | shift[2]) != 0; ++e)
        energy_add(&pass->scales, ENERGY_IMAGES + e, parts[e], sums);
}

// From so many spheres on, steps with rotation are written past the caches: the arrays do not fit into them. 65536; tests change it.
extern int32_t sim_past_from;

enum { sim_strip = 256 };  // candidates that are tested before the contacts among them are computed

// Contacts with memory, by rank, while their list is rebuilt: (i, j, shift) by row, for boundaries (i, boundary).
typedef struct sim_kept {
    int64_t count;
    int32_t (*ij)[2];
    int64_t ij_capacity;
    int8_t (*shift)[3];
    int64_t shift_capacity;
    double* words;
    int64_t word_capacity;
} sim_kept;

typedef struct sim_memory {
    sim_slots pairs, walls;
    bool kept;               // they are in these two, not in slots
    sim_kept kept_pairs, kept_walls;
    sim_kept sorted;         // scratch
    int64_t* place;          // scratch of the sort
    int64_t place_capacity;
    uint32_t* turn;
    int64_t turn_capacity;
    int64_t* first;          // by block, while they are kept
    int64_t first_capacity;
    // As shown, by id.
    sim_kept shown, shown_walls;
    int64_t (*named)[2];
    int64_t named_capacity;
    // Contacts with exact shapes and meshes: (i, part), and their features in the words.
    sim_slots surfaces;
    sim_kept kept_surfaces, shown_surfaces;
    int32_t* feature;        // as shown
    int64_t feature_capacity;
    scree_sim_memory shown_rows;  // all of them, while a caller reads them in slices
    // memory_hold: words of kept pairs are still in their slots. By block: its slots begin at `held_row`, its first kept pair is `held_first` in kept_pairs.
    bool held;
    int64_t *held_first, *held_row;
    bool stays;              // they have stayed there with the new list too, until the next step writes all words
    int64_t held_first_capacity, held_row_capacity;
} sim_memory;

typedef struct lists {
    scree_candidates* near;
    scree_candidate_rows rows;
    int64_t* own;         // blocks + 1 each: where the rows of each block begin,
    int64_t* wall_first;  // and its spheres near walls
    near_wall* walls;
    int64_t wall_capacity;
    bool unfinished;     // memory ran out while it was made: the next step makes it again
    int64_t span;        // blocks in a span of this list
    double skin;         // of lists that are made from now on; 0: as the def says (costs.c)
} lists;

// A cell that changes (def.cell): numbers only, so that a state is a copy of them. Six: sides, then tilts, as SCREE_CELL_XX counts.
typedef struct cell_values {
    double at[SCREE_CELL_COUNT];        // at step `since`,
    double velocity[SCREE_CELL_COUNT];  // and how they have changed since then
    double removed[3];         // from the tilts so far, by reductions
    double rate[SCREE_CELL_COUNT], controlled, isotropic, constant_volume, stress[3], rate_most, response;  // as it was set,
    double side[3], volume;    // and the cell of that moment
    double contact[3], stiffness[3], kinetic[3];  // controlled: sums of the last pass, and of m u u with the velocities before it
    double images[SCREE_CELL_COUNT];    // of the last pass: sums of block_result.images
    double lasting[3];         // controlled: what the errors of the stresses have added up to
} cell_values;

typedef struct sim_drive {
    bool given;                // def.cell was
    int64_t since;
    cell_values now;
    scree_box first;           // the box at the very start
    sim_cell felt;             // as the last pass saw it
    scree_sim_cell_state shown;
    struct cell_block* blocks; // scratch, by block
    int32_t method;            // scree_method of def.search
    int64_t motion[6];         // controlled: m u u and m u of the spheres, in quanta, of which now.kinetic was made
} sim_drive;

// Contacts by id, while they are put in order.
typedef struct sim_found {
    int64_t count;
    int32_t (*ij)[2];
    int64_t ij_capacity;
    int8_t (*shift)[3];
    int64_t shift_capacity;
    uint64_t* keys;   // scratch of the sort
    int64_t key_capacity;
    int64_t* place;
    int64_t place_capacity;
} sim_found;

// Limits of spheres that may be inserted, so that numbers and the time step hold for them too (insert.c).
typedef struct sim_limits {
    struct limit* of;    // `materials` of them, as the law has them
    int32_t materials;
    double rayleigh_time;
} sim_limits;

// Spheres that passed through boundaries that remove them: first those already removed and not yet taken by the caller, then those that are removed before the next step.
typedef struct sim_crossings {
    bool on;             // there are such boundaries
    int64_t count, seen;
    scree_sim_crossing* list;
    int64_t capacity;
    int64_t* ids;        // of those that were seen
    int64_t ids_capacity;
} sim_crossings;

struct scree_sim {
    scree_sim_def def;
    scree_sim_numbers numbers;
    sim_law law;
    unsigned traits;     // what its spheres have (columns.h)
    int32_t n, dim;
    int64_t blocks;
    int32_t threads;     // that work on it
    bool periodic, walled;
    sim_cell cell;
    int64_t step;
    scree_sim_walls walls;
    bool flying;         // x is of `step`, velocities are half a step behind: a run was cut short in between
    bool failed;         // a sphere was lost; the state is not valid

    // The spheres, by rank; sim_arrays (columns.h) lists these.
    double (*x)[4];      // x y z r
    double (*other)[4];  // the second buffer: in a pass of SIM_STEP the next positions, which then become x; between runs the accelerations. At other times
                         // scratch (sim_scratch)
    sim_rows v;      // vx vy vz 1/m; between runs of `step`, else half a step on
    sim_rows p;      // damped: velocities predicted for the time of x, and 1 / m
    sim_rows p_next;
    double (*before)[4]; // position Verlet: positions one step before
    int64_t* id;         // the caller's number
    uint64_t* key;       // Morton number at the last renewal of the order
    uint16_t *material, *group;
    uint8_t* flags;      // bit 0: fixed, or driven; bit 1: driven
    double (*force)[4];  // external
    sim_rows v_next; // with rotation: the second buffer of v,
    sim_rows w;      // spin and 1 / moment of inertia, of the moment of v,
    sim_rows w_next;
    sim_rows wp;     // spin predicted for the time of x,
    sim_rows wp_next;  // and the next; between runs the angular accelerations
    int64_t* body;       // rigid body: reserved
    double (*held)[2];   // where there are flags: 1 / m and 1 / moment of inertia of the sphere if it were free
    double (*torque)[4]; // external
    double (*own_force)[4];  // external, without that of the group (external.c); NULL: `force` has both
    double (*own_torque)[4];
    int32_t* row;        // SIM_GAPS: how many ids are lower

    int32_t* giants;     // ranks of the giants, rising
    giant_kept* giant_kept;
    sim_desk* desks;     // one per thread
    int32_t desk_count;
    block_result* result;
    const sim_backend* backend;
    sim_boundary* boundaries;      // faces first
    sim_boundary* boundaries_now;  // where they are at `step`
    sim_boundary* felt;            // as the last pass saw them; velocities may have changed since
    int32_t boundary_count;
    scree_sim_motion* motions;     // as shown
    sim_surfaces surfaces;
    sim_memory memory;
    sim_bonds bonds;
    sim_watch watch;               // def.watch_overlaps
    double account[2 * sim_accounts];  // def.energies: so far; then what the next step adds first of each
    double speed;        // the largest of the last pass
    int64_t contacts;    // of the last pass
    lists lists;
    scree_index* all_pairs;  // def.check: finds the pairs that contacts are compared with
    double seconds_search, seconds_force, seconds_integrate, seconds_other;

    // For scree_sim_get_contacts.
    sim_found found;
    int32_t* rank_of;
    int64_t rank_of_capacity;
    int64_t (*named)[2];
    int64_t named_capacity;
    double* overlap;
    int64_t overlap_capacity;
    double (*normal)[3];
    int64_t normal_capacity;
    double* remembered;
    int64_t remembered_capacity;
    double (*force_of)[3];
    int64_t force_of_capacity;
    double (*friction_of)[3];
    int64_t friction_of_capacity;
    double (*torque_of)[3];
    int64_t torque_of_capacity;
    uint8_t* sliding_of;
    int64_t sliding_of_capacity;
    int32_t* feature_of;
    int64_t feature_of_capacity;
    sim_loads loads;

    int64_t* names;      // SIM_GAPS: ids by row
    scree_sim_flow flow; // inserted and removed spheres
    sim_limits limits;   // of spheres that may be inserted
    sim_drive drive;     // def.cell
    sim_crossings crossings;
    int64_t span;        // blocks in a span of the next list
    struct sim_part* part;  // it is a part of a larger simulation (part.h); NULL: it is whole
    uint8_t* ghost;      // of a part: 1 for spheres that belong to others; NULL: there are none
    const struct sim_runner* runner;  // computes its steps (runner.h); NULL: itself
    void* crew;          // of the runner
    int64_t lists_of_parts;  // that its parts have made
    struct sim_device* device;  // def.device; NULL: none
    double device_skin;         // def.search->skin
    int32_t most;               // spheres at the start and def.later->most
    char device_note[400];      // scree_sim_get_device_note
    bool hears;                 // loops ask the thread's watch: what they make is thrown away when it says stop. Not within a step
    bool device_unsorted;       // contacts that are kept are not in order yet
    bool device_away;           // the device has the state; here is an earlier one,
    bool device_same;           // and this: the device has the state too
    energy_sums pending;        // of this step, from before its pass
    block_result giants_result;     // of the last pass
    bool short_spans;           // of a part: spans of one block, so that more of them are without ghosts (part_pass_early)
    int64_t array_room;         // of a part: spheres for which its arrays have room; 0: for n
    bool hollow;                // its spheres are with its parts (part_whole.c), or were lost there
    const struct sim_keeper* keeper;  // has these then (runner.h), and is called with
    void* kept_by;
};

// Ghosts meet walls where they belong; fixed and driven spheres do not see them.
static inline bool sees_boundaries(const scree_sim* sim, int64_t rank)
{
    return !is_fixed(sim->flags, rank) && (sim->ghost == NULL || sim->ghost[rank] == 0);
}

// Columns, states and contacts are by rising id. `row` is the place of a sphere in that order: its id, unless spheres were removed.
static inline int64_t sim_row(const scree_sim* sim, int64_t rank)
{
    return sim->row != NULL ? sim->row[rank] : sim->id[rank];
}

static inline int64_t sim_id_of(const scree_sim* sim, int64_t row)
{
    return sim->names != NULL ? sim->names[row] : row;
}

// step_length.c
scree_status sim_check_step(const scree_sim* sim, double step);  // ARGUMENT: too long for its contacts
void sim_take_step(scree_sim* sim, double step);            // from now on; accelerations, and positions one step before, are the caller's matter

// insert.c
int64_t sim_row_of(const scree_sim* sim, int64_t id);       // -1: there is no such sphere
scree_status sim_limits_make(scree_sim* sim, scree_spheres spheres);  // what may be inserted, from the spheres that there are and def.later. MEMORY
void sim_limits_close(scree_sim* sim);
double sim_longest_step(const scree_sim* sim);              // that contacts and bonds of the spheres that there are, or may come, accept; INFINITY: nothing can move
scree_status sim_take_ids(scree_sim* sim, const int64_t* ids);  // of the start; ranks are rows then. MEMORY

struct sim_exchange;
struct sim_look;
void sim_exchange_insert(scree_sim* part, const struct sim_exchange* given);  // the last of its spheres are those that come
scree_status sim_exchange_count(scree_sim* whole, const struct sim_exchange* given, const struct sim_look* gone, int32_t giants);  // parts have the spheres: count, names, numbers and flow, but for what comes. MEMORY

void sim_room_free(scree_sim* sim);                         // all arrays by rank and by block

// numbers.c: masses, stiffness, damping, step. ARGUMENT.
// law->many is the caller's, to free. MEMORY
scree_status sim_numbers_find(const scree_sim_def* def, scree_spheres spheres, scree_sim_numbers* out, sim_law* law);
scree_status sim_numbers_bonds(const scree_sim_def* def, scree_spheres spheres, const struct sim_runner* runner, scree_sim_numbers* numbers, sim_law* law, bond_finder* out);  // what bonds add. ARGUMENT, MEMORY
double sim_mass(int32_t dim, double material_density, double r);
double sim_mass_of(const scree_sim_def* def, scree_spheres spheres, int64_t i);
double sim_inertia_of(const scree_sim_def* def, scree_spheres spheres, int64_t i);

// sim.c
// What a def points to, as this version knows it.
typedef struct sim_given {
    scree_sim_each each;
    scree_index_def search;
    scree_sim_law law;
    scree_sim_bonds_def bonds;
    scree_sim_later later;
    scree_sim_cell cell;
} sim_given;

scree_status sim_take_def(const scree_sim_def* from, scree_sim_def* def, sim_given* given);  // def then points to `given`. ARGUMENT
scree_status sim_check_motion(const scree_sim_def* def, const double gravity[3], const double turn[3], const double velocity[3][2]);
// Makes sure that a state between runs is here, for calls that read the arrays of spheres, contacts too, or that change something. ARGUMENT: a run was cut short in the middle of a step. MEMORY, UNSUPPORTED: it
// is on a device, and does not come.
scree_status sim_check_seen(const scree_sim* sim);
// The same for calls that the parts of a simulation can answer, wherever the spheres are (overview.h, sim_columns_get): as sim_check_seen, and as sim_check_looked.
scree_status sim_check_known(const scree_sim* sim);
scree_status sim_check_asked(const scree_sim* sim);
scree_status sim_check_looked(const scree_sim* sim);
scree_status sim_check_still(const scree_sim* sim);
scree_status sim_take_in(scree_sim* sim, scree_spheres spheres, const double* v, int64_t first);  // n spheres, whose ids are from `first` on, with def.each. CANCELLED
void sim_predict_now(scree_sim* sim);                       // predicted velocities become the current ones
sim_mode sim_settles_in(const scree_sim* sim, bool begins); // the mode of the pass of
// In loops that make something: asks the thread's watch at every 4096th item if the simulation hears, else nothing.
static inline scree_status sim_ask(const scree_sim* sim, int64_t item, int64_t count)
{
    return sim->hears ? scree_watch_own("sim", item, count) : SCREE_OK;
}

scree_status sim_settle(scree_sim* sim, bool others, bool begins);  // accelerations at x and v, which are of one moment; contacts begin to remember
scree_status sim_say_hollow(const scree_sim* sim);  // ARGUMENT
struct sim_change;
scree_status sim_change_there(scree_sim* sim, const struct sim_change* change);  // of a simulation whose spheres are with its parts (runner.h)
scree_status sim_settle_again(scree_sim* sim);      // the forces of this moment after a change that leaves spheres where they are. MEMORY
scree_status sim_take_state(scree_sim* sim, const scree_sim_state* state, bool here);  // scree_sim_set_state; here: all columns but flags are in its arrays already, by row, and are right
void sim_set_before(scree_sim* sim);                        // position Verlet: the positions one step before that agree with x, v and a of one moment

void sim_launch(scree_sim* sim);                            // a step begins: velocities half a step on, positions to the next moment
void sim_arrive(scree_sim* sim);                            // the next positions become the current ones
void sim_swap_velocities(scree_sim* sim);                   // with rotation: swaps in v and w that a pass has written
scree_status sim_set_threads(scree_sim* sim);               // as many as def.threads says, with a desk for each. MEMORY
scree_status sim_desks_make(scree_sim* sim);                // the same; whatever desks there were stay the caller's. MEMORY: nothing has changed
void sim_desks_free(sim_desk* desks, int32_t count);
scree_status sim_room_make(scree_sim* sim);                 // arrays of spheres, blocks and giants for n, blocks, traits and numbers. MEMORY

// state.c: bits of what a contact remembers, with its name; values seen from i, the lower id.
int64_t sim_name_of(int64_t j, int32_t feature);            // of a contact with a boundary, in its hash: j, if it has no features (-1)
uint64_t sim_mix_contact(int64_t i, int64_t j, const int8_t* shift, const double* values, int words);

// memory.c: what contacts remember, where the law has words; else these do nothing.
scree_status memory_keep(scree_sim* sim);                    // out of their slots, before ranks or rows change. MEMORY
scree_status memory_hold(scree_sim* sim);                    // the same before rows change and ranks do not, which spares a copy. MEMORY
void memory_wrapped(scree_sim* sim, const int8_t (*turns)[3]);  // centres were, by whole boxes; those that are kept. NULL: none was
scree_status memory_rename(scree_sim* sim, const uint32_t* from);  // rank i is what was rank from[i]; those that are kept. MEMORY: nothing has changed
const int64_t* memory_base(const scree_sim* sim);            // where the words of the pairs of each block begin
scree_status memory_give(scree_sim* sim);                    // those that are kept to the rows of a new list. MEMORY
void memory_advance(scree_sim* sim);                         // a pass has written the next
bool memory_begins(const scree_sim_memory* given);  // contacts of a state remember nothing yet
// What contacts remember now, for a state with these centres (by row): names of images as they are there, without contacts that have ended. Free it in any case. MEMORY, ARGUMENT
typedef struct memory_copy {
    scree_sim_memory memory;
    int64_t (*ij)[2];
    int8_t (*shift)[3];
    double* values;
    int32_t* feature;
} memory_copy;
scree_status memory_copy_make(scree_sim* sim, const double* x, memory_copy* out);
void memory_copy_free(memory_copy* copy);
// The shift of a pair whose spheres are at x, and were at `before` (by row) with the shift `was`. False: it does not fit, and is 0.
bool sim_shift_to(const scree_sim* sim, const int64_t ij[2], const int8_t was[3], const double* before, const double* x, int8_t out[3]);
scree_status memory_check(scree_sim* sim, const scree_sim_memory* given, const double* x, const double* radius);  // of a state with these centres and radii by row; NULL: the simulation has the radii. ARGUMENT, MEMORY
// Contacts by id, whether they are in slots or kept. MEMORY. `between_parts`: with shapes, surface_words follow the words of the law, so that a contact goes on where it is sent.
scree_status memory_show(scree_sim* sim, bool between_parts, scree_sim_memory* out);
int32_t memory_words(const scree_sim* sim, bool between_parts);  // of a contact there
scree_status memory_take(scree_sim* sim, const scree_sim_memory* given);  // with or without surface_words. They are kept then; what was there before is dropped. MEMORY
scree_status memory_sort(scree_sim* sim);                    // those that are kept, by rank. MEMORY
void memory_add_springs(scree_sim* sim, bool minus);            // to what is pending: what all contacts of a part would lose if they ended, or the opposite
uint64_t memory_hash(const scree_sim* sim);                  // 0 where contacts remember nothing
void memory_close(sim_memory* memory);
size_t memory_bytes(const scree_sim* sim);

// order.c: wraps, makes keys and puts spheres in canonical order, at positions that are final. `other` is scratch. MEMORY
scree_status sim_order_renew(scree_sim* sim);
scree_status sim_order_wrap(scree_sim* sim);                // its steps: centres into the box,
scree_status sim_order_wrap_centres(scree_sim* sim);        // the same, where no contacts are
void sim_order_sides(const scree_sim* sim, double sides[3][2]);  // lower and upper ends of what the cells of keys are laid over,
void sim_order_keys(scree_sim* sim, const double sides[3][2]);   // and the keys
scree_status sim_order_by_keys(scree_sim* sim);             // the same with the keys as they are: by (key, id)
void sim_order_gather(scree_sim* sim, const uint32_t* from, bool keys);  // rank i is what was rank from[i], in all arrays that follow the spheres; the keys too, if they are wanted

// giants.c
void sim_giants_find(scree_sim* sim);                       // after every new order
void sim_giants_begin(scree_sim* sim);                      // their sums are zero
scree_status sim_giants_end(scree_sim* sim, const sim_pass* pass, block_result* result);  // integrates them. ARGUMENT: a sum overflowed
int32_t sim_giant_number(const sim_pass* pass, int32_t rank);

// A coordinate as the index takes it. Motion may bring one closer to 0 than any length that it accepts; that is 0 to it.
static inline double sim_length(double x)
{
    return fabs(x) < SCREE_LENGTH_MIN ? 0.0 : x;
}

// boundary.c
bool sim_has_wall(const scree_sim_def* def, int face);
int32_t sim_wall_materials(const scree_sim_def* def, int32_t out[boundary_faces + 1]);  // what its walls are made of, some maybe twice; returns how many
scree_status sim_boundaries_make(scree_sim* sim);           // ARGUMENT, MEMORY
scree_status sim_boundaries_hold(const scree_sim* sim, const double* x, const uint8_t* flags, const sim_boundary* at);  // no centre, by id, is beyond a boundary, except of fixed and driven spheres (flags NULL: there are none). ARGUMENT
scree_status sim_motions_check(const scree_sim* sim, const scree_sim_state* state);  // ARGUMENT
void sim_motions_set(const scree_sim_state* state, sim_boundary* boundaries);

// lists.c: candidates, incoming, near walls.
scree_status lists_open(scree_sim* sim);                // ARGUMENT, MEMORY
void sim_costs_fit(double n, int count, const double* candidates, const double* seconds, scree_sim_costs* out);  // costs.c: the line through times of steps over numbers of candidates
scree_status lists_ready(scree_sim* sim, bool others);  // complete for the current positions; `others`: ranks have changed
scree_status lists_take(scree_sim* sim);                // the rest, when `rows` are up to date. MEMORY
scree_box lists_box(const scree_sim* sim);              // as the index sees it: walls belong to the law
scree_status lists_scaled(scree_sim* sim, double factor);  // box and centres were, about the lower corner
void lists_close(lists* l);
size_t lists_bytes(const lists* l);

// cell.c: the periodic cell, at rest and moving.
scree_status cell_check(const scree_sim_def* def, const scree_sim_cell* cell);  // what can be checked without spheres. ARGUMENT, UNSUPPORTED
scree_status cell_make(scree_sim* sim);                 // from def.box and def.cell. MEMORY
void cell_scaled(scree_sim* sim);                       // sim->def.box is another one
void cell_close(scree_sim* sim);
scree_status cell_begin(scree_sim* sim);                // sets def.cell, when the spheres are there. MEMORY
scree_status cell_go(scree_sim* sim);                   // the cell, and sim->def.box, of sim->step. ARGUMENT: it is too small for the spheres
bool cell_reduce(scree_sim* sim, double n[3]);          // tilts xy, xz, yz above half a box, by so many boxes; false: nothing changes
scree_status cell_at(const scree_sim* sim, int64_t step, scree_box* box, sim_cell* cell);  // as it is then. ARGUMENT: it is too small
void cell_renew(scree_sim* sim);                        // tilts above half a box are reduced; contacts that are kept follow
void cell_wrap(const scree_sim* sim, int64_t rank, double turns[3], double* work);  // a centre into the box; to *work: the kinetic energy that it gets so
scree_status cell_passed(scree_sim* sim, const sim_pass* pass);  // after a pass: sums of a controlled cell; in SIM_STEP its next rate. ARGUMENT
void cell_launched(scree_sim* sim);                     // a step begins: the same for the accelerations that are known
void cell_account(scree_sim* sim, const sim_pass* pass, const double sums[ENERGY_COUNT]); // the power of the cell, after a pass
void cell_peculiar(const scree_sim* sim, const double x[3], double flow[3]);  // velocity of the cell at x, from its middle
bool cell_is_controlled(const scree_sim* sim);          // by stresses
void cell_get_motion(const scree_sim* sim, int64_t out[6]);  // of a part: sums of its own spheres, of which all parts together make
void cell_set_motion(scree_sim* sim, const int64_t sums[6]);  // the kinetic stress
scree_status cell_reserve(scree_sim* sim);              // scratch for as many blocks as there are now. MEMORY
bool cell_is_driven(const scree_sim* sim);              // it moves, or can do so at the next step
double cell_speed(const scree_sim* sim);                // no image is faster than its sphere by more than this for each box that it is away
typedef struct cell_kept {  // the cell before that of a state was taken
    sim_drive drive;
    sim_cell cell;
    scree_box box;
} cell_kept;

// Of parts: velocities of spheres that are made; sums over all parts when the rate has changed, and in a mould. MEMORY, ARGUMENT
bool cell_is_reduced(const scree_sim* sim);             // tilts are at most half a box, or the cell does not change
scree_status cell_pour(scree_sim* mould);
int64_t cell_rate_count(void);
void cell_get_rate(const scree_sim* part, int64_t parts, int64_t* out);
scree_status cell_set_rate(scree_sim* part, const int64_t* in);
scree_status cell_add_motion(scree_sim* whole, const scree_sim* mould);
void cell_clear_motion(scree_sim* part);

const scree_sim_cell_state* cell_state(scree_sim* sim);  // NULL: it does not change
scree_status cell_state_take(scree_sim* sim, const scree_sim_state* state, cell_kept* kept);  // ARGUMENT: nothing has changed
void cell_state_undo(scree_sim* sim, const cell_kept* kept);
scree_status cell_reject(const scree_sim* sim, const char* what);  // UNSUPPORTED: a cell that changes cannot have it

void cell_state_sums(scree_sim* sim, const scree_sim_cell_state* state);  // and what the next step begins with

// contact_output.c: one contact as the pass sees it, whatever the law. False: there is none. Words go on as the mode of the pass says.
typedef struct sim_seen {
    double overlap;
    double distance;     // of centres; of a boundary: of the centre from it
    double d[3];         // from the second to the first; of a boundary: the normal
    double force[3];     // on the first
    double friction[3];  // of it across the normal
    double torque[3];    // on the first,
    double torque_second[3];  // and of two spheres on the second
    double twist[4];     // of it that does not come from the force; only of boundaries
    bool sliding;
} sim_seen;

bool sim_see_pair(const sim_pass* pass, int32_t i, int32_t j, const int8_t* shift, bool held, double* words, sim_seen* out);
// observe.c: what spheres that are marked by 1 have, and the contacts that one of them has. Their partners are marked by 2 beside it.
typedef struct sim_energy {
    double mass, energy, gravity;
} sim_energy;

// Contact of row c, and of entry e of those near walls, as the pass sees it; what it remembers to `memory`. False: there is none.
bool sim_contact_of_row(const sim_pass* pass, int64_t c, sim_seen* out, double* memory);
bool sim_contact_of_entry(const sim_pass* pass, int64_t e, sim_seen* out, double* memory);
scree_status sim_contacts_find(scree_sim* sim, scree_sim_contacts* out);  // scree_sim_get_contacts; for a part, contacts with its ghosts included. MEMORY
size_t sim_bytes(const scree_sim* sim);  // scree_sim_report.bytes
void sim_energy_of(const scree_sim* sim, uint8_t* marks, sim_energy* out);
struct sim_total;
enum { MARKED_FIXED, marked_counts };    // counts of LOOK_MARKED: marked spheres that are fixed
void sim_energy_from(const struct sim_total* totals, sim_energy* out);  // of LOOK_MARKED
double sim_marked_rest(const struct sim_look* look, int32_t count, const double* masses);  // the mass of all that are not marked and not fixed, and these masses

bool sim_see_wall(const sim_pass* pass, near_wall near, bool held, double* words, sim_seen* out);
bool sim_see_touch(const sim_pass* pass, const surface_touch* touch, bool held, double* words, sim_seen* out);
struct grain_batch;
void sim_grains_of_touches(const sim_pass* pass, bool looks, const surface_touch* const* touch, struct grain_batch* batch);  // one for each contact of the batch

// surface_pass.c: forces and torques of exact shapes and meshes on the spheres of a block, f and t of its first sphere on, t only if they turn.
void sim_surfaces_add(const sim_pass* pass, int64_t block, sim_rows f, sim_rows t, sim_desk* desk, block_result* result);
// Each contact of a block as the last pass saw it, in the order of rows. `words`: what it remembers.
typedef void sim_touch_visit(void* context, const surface_touch* touch, const double* words, const sim_seen* seen);
void sim_surfaces_visit(const sim_pass* pass, int64_t block, sim_touch_visit* visit, void* context);
scree_status sim_say_crossed(scree_sim* sim);

// crossings.c: boundaries that remove what passes through them.
scree_status crossings_check(scree_sim* sim);   // whether there are any. UNSUPPORTED
scree_status crossings_look(scree_sim* sim);    // before a pass of a step: crossings.seen. MEMORY
scree_status crossings_take(scree_sim* sim, int64_t step, int64_t count, const uint64_t* who);  // the same of a device: place in the order of ids and boundary of each. MEMORY
scree_status crossings_remove(scree_sim* sim);  // what was seen, after the pass; where it fails, what was seen waits. MEMORY
void crossings_close(scree_sim* sim);

// energy.c: energies by kind.
energy_scales sim_scales(const scree_sim_numbers* numbers);
void sim_powers(const sim_pass* pass, int64_t first, int64_t last, sim_rows v, energy_kind kind, energy_sums* out);  // of gravity and external forces on ranks that are no giants
void sim_powers_of(const sim_pass* pass, int64_t rank, const double v[4], energy_kind kind, energy_sums* out);
void sim_driven(const sim_pass* pass, int64_t first, int64_t last, sim_rows f, sim_rows t, block_result* result);  // of spheres that are driven or turn and are fixed, on the others; f, t: from `first` on
double sim_driven_of(const sim_pass* pass, int64_t rank, const double f[4], const double t[4]);

// drag.c: before the motion; giants come later, one by one.
void sim_drag_block(const sim_pass* pass, int64_t first, int64_t last, sim_rows f, sim_rows t, block_result* result);  // f, t: from `first` on; no t: nothing turns
void sim_drag_one(const sim_pass* pass, int64_t rank, double f[4], double* t, block_result* result);
void sim_drag_account(scree_sim* sim, const sim_pass* pass, const double sums[ENERGY_COUNT]);
void sim_drag_launch(scree_sim* sim);

// overlaps.c: def.watch_overlaps
void sim_watch_begin(scree_sim* sim);
void sim_watch_open(scree_sim* sim);                        // the same, sphere by sphere,
void sim_watch_meet(scree_sim* sim, double r, double inverse);  // each with its radius and 1 / mass
void sim_watch_step(scree_sim* sim);  // before each pass of a step
const double* sim_watch_place(const double* a, const double* b, bool turned);  // the smaller of two spheres x y z r (b NULL: a wall), of equal ones the one of the lower id; turned: b has it
bool sim_watch_is_curved(const scree_sim* sim);  // durations are looked at too:
double sim_watch_brief(const scree_sim* sim);    // shorter contacts are reported

double sim_wall_speed(const scree_sim* sim);  // lists.c: the largest of walls and boundaries
double sim_wall_speed_at(const scree_sim* sim, int64_t step);
void sim_ended(const sim_pass* pass, int32_t i, int32_t j, bool wall, const double* words, double lost[owners]);  // energy of the springs of a contact that has ended
double sim_formed(const sim_pass* pass, int32_t i, int32_t j, bool wall, double overlap);  // what is lost when a liquid bridge forms
bool sim_has_sums(const scree_sim* sim);                    // some of energy_sums are wanted
void sim_sums_of_pass(const scree_sim* sim, const sim_pass* pass, energy_sums* out);  // of all blocks, of the giants and what is pending
scree_status sim_account(scree_sim* sim, const sim_pass* pass, const energy_sums* sums, double values[ENERGY_COUNT]);  // after a pass; what the sums are. ARGUMENT: a term is too large
void sim_account_launch(scree_sim* sim, const sim_pass* pass);  // a step begins; powers with the new velocities are in `result`
void sim_account_pending(scree_sim* sim);                   // at once, between runs

// on_device.c
scree_status sim_device_check(const scree_sim* sim);        // UNSUPPORTED: something that devices cannot do
scree_status sim_device_begin(scree_sim* sim);              // opens def.device. UNSUPPORTED, MEMORY
scree_status sim_device_run(scree_sim* sim, int64_t last);  // to this step, from one that has begun
scree_status sim_device_fetch(scree_sim* sim);              // the state from the device, if it is there only. MEMORY, UNSUPPORTED
scree_status sim_device_leave(scree_sim* sim);              // the same; and what the device has is not used again
bool sim_device_is_kept(const scree_sim* sim);              // the next run goes on with what the device has
scree_status sim_device_shift(scree_sim* sim, double (*const more[2])[4]);  // what the device has gets the external forces [0] and torques [1] of now, and accelerations that change by these, by rank; NULL: unchanged. MEMORY, UNSUPPORTED
scree_status sim_device_mend(scree_sim* sim);               // after that the list of the processor, if it is out of date. MEMORY

// step.c
void sim_walls_at(const scree_sim* sim, int64_t step, double at[6], double velocity[6]);
const char* sim_boundary_name(const scree_sim* sim, int32_t number, char room[boundary_name_room]);  // "lower x", "cylinder 6"
void sim_boundaries_at(const scree_sim* sim, int64_t step, sim_boundary* out);
void sim_gravity_at(const scree_sim* sim, int64_t step, double gravity[4]);
void sim_turn_gravity(int dim, const double gravity[3], const double angle[3], double out[3]);  // about the axis along `angle`, by its length
void sim_set_gravity_now(scree_sim* sim, const double before[3], const double gravity[3]);       // sim.c: the accelerations of this moment
scree_status sim_say_escaped(scree_sim* sim);               // a pass found one beyond a wall
scree_status sim_say_lost(scree_sim* sim, sim_rows v);  // or one that is too fast
void sim_pass_make(const scree_sim* sim, sim_mode mode, sim_pass* pass);
void sim_boundaries_as_felt(const scree_sim* sim);          // boundaries_now: where they are, with the velocities that the last pass saw
void sim_pass_of_forces(const scree_sim* sim, sim_pass* pass);  // the pass that computed the accelerations of this moment
scree_status sim_pass_run(scree_sim* sim, sim_mode mode);  // forces at x, and what the mode says. ARGUMENT: a sphere is lost
scree_status sim_pass_begin(scree_sim* sim, sim_mode mode, sim_pass* pass);  // its three parts: all blocks,
void sim_pass_prepare(scree_sim* sim, sim_mode mode, sim_pass* pass);           // (before these: what all of them need;
scree_status sim_fused_spans(scree_sim* sim, const sim_pass* pass, const int32_t* spans, int64_t count);  // and some spans of them, where sim_fused_pass would do all)
scree_status sim_pass_giants(scree_sim* sim, const sim_pass* pass);             // the giants, from their sums,
scree_status sim_pass_end(scree_sim* sim, const sim_pass* pass, const energy_sums* sums, double begin);  // and what follows from sums (NULL: none are wanted) and blocks; `begin`: clock of the first
sim_desk* sim_desk_take(const sim_pass* pass);             // one for this thread
void sim_desk_give_back(sim_desk* desk);
scree_status sim_verify_contacts(scree_sim* sim);                    // contacts among the candidates against all pairs. ARGUMENT, MEMORY
scree_status sim_verify_heard(scree_sim* sim);                       // the same, and the thread's watch stops it. CANCELLED
scree_status sim_find_all_pairs(scree_sim* sim, int32_t count, const double (*xr)[4], scree_pairs* out);  // all pairs of spheres that touch. MEMORY
scree_status sim_say_differs(const scree_sim* sim, int64_t one, int64_t other);  // ids of two about which they differ

#endif
