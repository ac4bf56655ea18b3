// What a simulation holds, and the pass that is its heart.
//
// Spheres stand in memory in canonical order (order.c): `rank` is a place in these arrays, `id` the caller's number. A step is one pass
// over blocks of ranks; block by block (pass_body.h):
//
//     candidates -> contacts -> forces on the block's own spheres -> walls -> velocities -> new places
//
// Places are read from `x` and written to `next`, so that a block never sees what another has done; forces live on the stack of
// whoever works on the block and never reach memory. Each sphere adds up its partners in the order of their ranks, then the walls by axis,
// lower before upper: with candidates in rows by rank, i < j, this is the order in which they come:
//
//     1. incoming: pairs (i, j) with j in this block and i in an earlier one. Worked out here for j and there for i.
//     2. own rows: pairs (i, j) with i in this block, for i, and for j too if it stands in the block.
//
// So no sum depends on where blocks end, on who works on them, or on the candidates that are no contacts.
#ifndef SCREE_SIM_SIM_INNER_H
#define SCREE_SIM_SIM_INNER_H

#include "index/pair_list.h"
#include "scree/candidates.h"
#include "scree/sim.h"

#include <math.h>

enum { sim_block = 4096 };  // ranks in a block; sums for reports go by blocks too, so their last bits depend on it

typedef enum sim_mode {
    SIM_REST,     // accelerations only, into `next`: velocities are those of this time already
    SIM_OBSERVE,  // velocities to this time, accelerations into `next`
    SIM_STEP      // velocities to half a step on, places to the next time
} sim_mode;

// Position Verlet. `before` has the places one step before, and velocities are worked out from places: never the other way round.
//
//     step       d = x(n) - before          exact, as long as nobody moves farther in a step than it is from the origin
//                x(n+1) = x(n) + (d + a dt^2),      v = (x(n+1) - x(n)) / dt,      before = x(n)
//     observe    v = d / dt + a dt/2,       which is (x(n+1) - x(n-1)) / 2 dt
//     start      before = x - dt (v - a dt/2)
//
// With w(n) = (x(n) - x(n-1)) / dt the first line is w(n+1) = w(n) + a(n) dt, x(n+1) = x(n) + w(n+1) dt: the half-step velocities of velocity Verlet.
// So without rounding x and v of every step are those of velocity Verlet, and the velocities predicted for damping too. Rounding x(n+1) to the
// grid of its size u changes w by u/dt, which stays: the places of the two part by about u n^(3/2), and contacts spread that as they spread anything.

typedef struct sim_law {
    double k;
    bool damped;
    bool per_pair;  // g = c sqrt(mu); else g
    double g, c;
} sim_law;

typedef struct near_wall {
    int32_t rank;
    int32_t face;  // 2 axis + (0 lower, 1 upper)
} near_wall;

// What a block tells: each writes its own.
typedef struct block_told {
    double speed_square;  // the largest
    bool finite;          // all speeds are
    int32_t escaped;      // a rank that has left through a wall; -1: none
    int32_t face;         // through which
    int64_t contacts;     // of own rows
    double seconds_force, seconds_integrate;
} block_told;

typedef struct sim_pass {
    sim_mode mode;
    int32_t n;
    const double (*x)[4];  // x y z r
    double (*next)[4];
    double (*v)[4];        // and 1 / m
    const double (*p)[4];  // damped: velocities predicted for this time
    double (*p_next)[4];
    double (*before)[4];   // position Verlet: places one step before, and the radius; else NULL
    const int32_t (*ij)[2];    // candidates, by (i, j, shift)
    const int8_t (*shift)[3];  // NULL: no axis is periodic
    const int64_t* own;        // where the rows of each block begin
    const int32_t (*in_ij)[2]; // incoming candidates, block by block
    const int8_t (*in_shift)[3];
    const int64_t* in;         // where those of each block begin
    const near_wall* near;
    const int64_t* near_first;
    double wall_at[6], wall_v[6];  // by face
    double length[3];              // of periodic axes, else 0
    sim_law law;
    double gravity[4], half[4], whole[4];  // half and whole step, 0 in the fourth place: radius and mass stay
    double square[4], per[4];              // position Verlet: the step squared, and 1 over it; 0 in the fourth place
    block_told* told;
} sim_pass;

// One block of a pass, for any machine and with AVX2; the same bits.
void sim_block_plain(const sim_pass* pass, int64_t block);
void sim_block_avx2(const sim_pass* pass, int64_t block);

enum { sim_strip = 256 };  // candidates that are tested before the contacts among them are worked on

typedef struct lists {
    scree_candidates* near;
    scree_candidate_rows rows;
    int64_t* own;         // blocks + 1 each: where the rows of each block begin,
    int64_t* wall_first;  // and its spheres near walls
    near_wall* walls;
    int64_t wall_capacity;
} lists;

struct scree_sim {
    scree_sim_def def;
    scree_sim_numbers numbers;
    sim_law law;
    int32_t n, dim;
    int32_t groups;      // 1 + the highest number in def.each->group
    int64_t blocks;
    int32_t threads;     // that work on it
    bool periodic, walled;
    double length[3];    // of periodic axes, else 0
    double mean_radius;
    int64_t step;
    scree_sim_walls walls;
    bool flying;         // x is of `step`, velocities are half a step behind: a run was cut short in between
    bool failed;         // a sphere was lost; nothing can be said any more
    double (*x)[4];      // x y z r
    double (*next)[4];   // the next places; between runs the accelerations
    double (*v)[4];      // vx vy vz 1/m; between runs of `step`, else half a step on
    double (*p)[4];      // damped: velocities predicted for the time of x
    double (*p_next)[4];
    double (*before)[4]; // position Verlet: places one step before; else NULL
    int32_t* id;         // who stands at each rank
    block_told* told;
    double felt_wall[6]; // velocities of the walls in the last pass, by face; they may have changed since
    double speed;        // the largest of the last pass
    int64_t contacts;    // of the last pass
    lists lists;
    scree_index* judge;  // def.check: all pairs
    double seconds_search, seconds_force, seconds_integrate, seconds_other;

    // For scree_sim_get_contacts.
    pair_list found;
    int32_t* rank_of;
    double* overlap;
    int64_t overlap_capacity;
    double (*normal)[3];
    int64_t normal_capacity;
    double (*force)[3];
    int64_t force_capacity;
};

// numbers.c: masses, stiffness, damping, step. ARGUMENT.
scree_status sim_numbers_find(const scree_sim_def* def, scree_spheres spheres, scree_sim_numbers* out, sim_law* law);
double sim_mass(int32_t dim, double material_density, double r);

// each.c: checks def->each. ARGUMENT; UNSUPPORTED: what is not simulated yet.
scree_status sim_each_check(const scree_sim_def* def, scree_spheres spheres);
int32_t sim_each_groups(const scree_sim_def* def, int32_t count);

// sim.c
bool sim_has_wall(const scree_box* box, int face);
scree_status sim_check_motion(const scree_box* box, const double gravity[3], const double turn[3], const double velocity[3][2]);
scree_status sim_check_still(const scree_sim* sim);         // ARGUMENT: a run was cut short in the middle of a step
scree_status sim_settle(scree_sim* sim, bool others);       // accelerations at x and v, which are of one moment
void sim_set_before(scree_sim* sim);                        // position Verlet: places from which x, v and a, of one moment, follow

// order.c: canonical order and wrapping, at places that are final; `next` is scratch.
void sim_order_renew(scree_sim* sim);

// A coordinate as the index takes it. Motion may bring one closer to 0 than any length that it accepts; that is 0 to it.
static inline double sim_length(double x)
{
    return fabs(x) < SCREE_LENGTH_MIN ? 0.0 : x;
}

// lists.c: candidates, incoming, near walls.
scree_status lists_open(scree_sim* sim);                // ARGUMENT, MEMORY
scree_status lists_ready(scree_sim* sim, bool others);  // good for the places as they are now; `others`: ranks have changed
scree_box lists_box(const scree_sim* sim);              // as the index sees it: walls are the law's matter
scree_status lists_scaled(scree_sim* sim, double factor);  // box and centres were, about the lower corner
void lists_close(lists* l);
size_t lists_bytes(const lists* l);

// step.c
void sim_walls_at(const scree_sim* sim, int64_t step, double at[6], double velocity[6]);
void sim_gravity_at(const scree_sim* sim, int64_t step, double gravity[4]);
void sim_pass_make(const scree_sim* sim, sim_mode mode, sim_pass* pass);
scree_status sim_pass_run(scree_sim* sim, sim_mode mode);  // forces at x, and what the mode says. ARGUMENT: a sphere is lost
scree_status sim_judge(scree_sim* sim);                    // contacts among the candidates against all pairs. ARGUMENT, MEMORY

#endif
