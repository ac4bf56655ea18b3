// A runner computes the steps of simulations together with other processes (src/par); without one the simulation computes them itself.
#ifndef SCREE_SIM_RUNNER_H
#define SCREE_SIM_RUNNER_H

#include "scree/loads.h"
#include "sim/overview.h"

struct part_source;

typedef struct sim_runner {
    void* context;
    scree_status (*check)(void* context, const scree_sim* sim);               // of one that was just made. UNSUPPORTED: it cannot run it
    scree_status (*create)(void* context, scree_sim* sim, const struct part_source* source, void** crew);  // the spheres of one that has all but these, and bonds by the pairs found last; *crew has them then. MEMORY, ARGUMENT
    scree_status (*run)(void* context, scree_sim* sim, void** crew, int64_t steps);  // as scree_sim_run; *crew, NULL at first, is its own
    void (*moved)(void* crew, scree_sim* sim);                                // the simulation of this crew is at another address
    void (*forget)(void* context, void* crew);                                // the simulation is destroyed
    // Pairs of the spheres of a simulation that is not made yet: each rank keeps those that it has found.
    scree_status (*find_pairs)(void* context, const scree_index_def* search, scree_spheres spheres);  // as scree_par_find_pairs
    scree_status (*next_pairs)(void* context, scree_pairs* out);              // as scree_par_pairs_next
    void (*end_pairs)(void* context);                                         // there may be none
} sim_runner;

// For all simulations that are made from now on, until the program ends; NULL: they run themselves. Once, before any is made.
void sim_set_runner(const sim_runner* runner);

// Something that is set between runs: each part sets it as a simulation of its own would.
typedef enum change_kind { CHANGE_GRAVITY, CHANGE_WALLS, CHANGE_MOTION, CHANGE_LOAD, CHANGE_STEP, CHANGE_CELL, CHANGE_FORCE, CHANGE_RELEASE, CHANGE_WORK, CHANGE_NOTHING } change_kind;
typedef struct sim_change {
    change_kind kind;
    int32_t target;               // CHANGE_MOTION: a boundary; CHANGE_FORCE, CHANGE_RELEASE: a group
    double values[6];             // gravity and turn; velocities of walls; velocity and spin; the length of a step; a force; CHANGE_WORK: of external forces, that is added
    const scree_sim_load* load;   // CHANGE_LOAD: one that passes scree_signal_check
    const scree_sim_cell* cell;   // CHANGE_CELL
} sim_change;

// Spheres that go and spheres that come, as scree_sim_exchange has checked them.
typedef struct sim_exchange {
    int64_t remove;
    const int64_t* ids;           // of those that go, rising
    scree_spheres spheres;        // that come,
    const double* v;              // NULL: at rest
    const scree_sim_each* each;
    const int64_t* come;          // and their ids, rising
    double duration, longest;     // of the shortest contact that they may have; of steps
} sim_exchange;

// Who has the spheres of a simulation between its runs (sim->hollow); it knows all else itself. MEMORY
typedef struct sim_keeper {
    scree_status (*fetch)(void* keeper);                                      // the simulation gets them
    scree_status (*look)(void* keeper, look_kind kind, sim_look* look);       // as look_row.look of all spheres; `look` is as sim_look_make has made it
    scree_status (*rows)(void* keeper, const rows_wish* wish, rows_take* take, void* context);  // each sphere, in any order
    scree_status (*memory)(void* keeper, int64_t first, int64_t count, scree_sim_memory* out, int64_t* all);  // as scree_sim_get_memory_rows; count < 0: all of them. Until the next call or run
    scree_status (*bonds)(void* keeper, int64_t first, int64_t count, scree_sim_bonds* out);  // as scree_sim_get_bond_rows; there are so many. Until the next call or run
    scree_status (*contacts)(void* keeper, scree_sim_contacts* out);          // as scree_sim_get_contacts; until the next run
    scree_status (*take)(void* keeper, const rows_state* state, rows_give* give, void* context);  // the simulation has taken all of a state but its columns: those
    scree_status (*exchange)(void* keeper, const sim_exchange* given);        // all is checked. Where it fails, the spheres are lost
    scree_status (*external)(void* keeper, const bool which[2], rows_give* give, void* context);  // external forces [0] and torques [1] of each sphere, which are valid. Where it fails, the spheres are lost
    scree_status (*change)(void* keeper, const sim_change* change);           // as the function that sets it. ARGUMENT, UNSUPPORTED: nothing has changed
} sim_keeper;

#endif
