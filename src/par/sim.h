// One simulation on many ranks, with the bits of a simulation on one.
//
// The process of rank 0 has the simulation as a whole, a scree_sim like any other: what is asked or changed between runs goes to it. A run hands its spheres to the parts of the ranks (part.h), these make the steps, and when
// somebody looks at the whole again, it gets the state of the parts. So states, files and reports come from the code that a single process has, whatever the number of ranks.
#ifndef SCREE_PAR_SIM_H
#define SCREE_PAR_SIM_H

#include "par/par.h"
#include "scree/sim.h"

typedef struct par_sim par_sim;

// The same def, spheres and velocities on all processes. ARGUMENT as scree_sim_create; UNSUPPORTED: what several ranks cannot simulate yet, by name. MEMORY
scree_status par_sim_create(scree_par* par, const scree_sim_def* def, scree_spheres spheres, const double* v, par_sim** out);
void par_sim_destroy(par_sim* sim);

// As scree_sim_run. Where it fails on one rank it fails on all, and the whole is as it was when it was last looked at. CANCELLED: the watch of the process of rank 0 said stop.
scree_status par_sim_run(par_sim* sim, int64_t steps);

// The whole, as it is now; *out is NULL on processes that do not have rank 0. With `changes` it may be changed in any way until the next run, which begins with it. MEMORY
scree_status par_sim_whole(par_sim* sim, bool changes, scree_sim** out);

typedef struct par_counts {
    int64_t own, shown, ghosts, peers, sent;   // of one rank: spheres, copies that the last search got, ghosts, ranks that it shares them with, bytes sent in each step
    int64_t candidates;
    int64_t lists, moved;     // lists made since the start
} par_counts;
void par_sim_counts(const par_sim* sim, int32_t local, par_counts* out);  // of a local rank

// For tests: markers at each new order come from this seed instead of weights; 0: from weights.
void par_sim_set_chance(par_sim* sim, uint64_t seed);

#endif
