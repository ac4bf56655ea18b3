// One simulation on many ranks, with the bits of a simulation on one.
//
// The process of rank 0 has the simulation as a whole, a scree_sim like any other: it is read and changed between runs. A run distributes its spheres to the parts of the ranks (part.h), which compute
// the steps and keep the spheres afterwards. Sums over all spheres and columns are then computed from the parts; for everything else, and for every change, the whole gets the state of the parts.
// So states, files and reports come from the same code as in a single process, for any number of ranks. The whole is distributed again only if it was changed in between.
//
// The functions are for the process of rank 0; all others are in par_serve at that time.
#ifndef SCREE_PAR_SIM_H
#define SCREE_PAR_SIM_H

#include "par/par.h"
#include "scree/sim.h"

typedef struct par_sim par_sim;
struct part_source;

scree_status par_sim_check(const scree_sim* whole);  // UNSUPPORTED: what several ranks cannot simulate yet, by name

// `whole` is borrowed until the end. UNSUPPORTED, MEMORY
scree_status par_sim_create(scree_par* par, scree_sim* whole, par_sim** out);
// The spheres of a whole that was made without them (sim/runner.h). MEMORY, ARGUMENT
scree_status par_sim_make(par_sim* sim, const struct part_source* source);

void par_sim_destroy(par_sim* sim);  // the whole has the spheres again, or has failed for lack of memory
void par_sim_move(par_sim* sim, scree_sim* whole);  // the whole is at another address
void par_sim_forget(par_sim* sim);   // the same, where the whole is destroyed

// As scree_sim_run of the whole. Where it fails on one rank it fails on all.
scree_status par_sim_run(par_sim* sim, int64_t steps);

// Does what the process of rank 0 asks for, until it calls par_end.
scree_status par_serve(scree_par* par);
void par_end(scree_par* par);

// Of one local rank.
typedef struct par_counts {
    int64_t own, shown, ghosts, peers;  // spheres, copies that the last search got, ghosts, ranks that it shares spheres with
    int64_t sent;                       // bytes in each step
    int64_t candidates, lists;          // of the list; and lists made since the start
    int64_t inner;                      // blocks that are worked on while messages are under way
} par_counts;
void par_sim_counts(const par_sim* sim, int32_t local, par_counts* out);

// What all ranks have: sums over them, the most and the least that one has. UNSUPPORTED, MEMORY
scree_status par_sim_plan(par_sim* sim, scree_sim_plan* out);    // when they begin with the whole as it is now; no step is made
scree_status par_sim_shares(par_sim* sim, scree_sim_plan* out);  // as they are

// For tests: markers come from this seed instead of weights, others for each list; 0: from weights.
void par_sim_set_chance(par_sim* sim, uint64_t seed);

#endif
