// What the benches after V. Ogarko and S. Luding, "A fast multilevel algorithm for contact detection of arbitrarily polydisperse objects" (2012),
// share: their systems (ogarko_systems.c), and one search or one step with the settings of the paper (ogarko_search.c).
#ifndef PAPERS_OGARKO_H
#define PAPERS_OGARKO_H

#include "bench/harness.h"

// ---- Systems -------------------------------------------------------------------------------------------------------

// How a system was made.
typedef struct ogarko_system {
    scree_sphere_set set;  // owned
    double rate;           // of the growth that reached the density
    double hard, soft;     // collisions per sphere at the final size: of hard spheres, and of soft ones after them
    int64_t steps;         // of the soft ones
    double contacts;       // at the end, per sphere
} ogarko_system;

// Points at random in a cube with walls grow to the density as hard spheres, collide a few times, and then move as soft spheres. The same call gives the same system;
// systems are kept until bench_forget, since several benches ask for the same. ARGUMENT: growth jams below the density; CANCELLED, MEMORY.
scree_status ogarko_make(const char* law, int32_t count, double density, const bench_options* co, ogarko_system* out);
void ogarko_free(ogarko_system* system);

// One line for a page: how they were made.
void ogarko_describe(findings* f, const char* name, const ogarko_system* system);

// Soft spheres in motion under the 1 % rule. `def` has all but the box and the stiffness.
scree_status ogarko_set_in_motion(scree_sim_def def, const scree_sphere_set* set, uint64_t seed, scree_sim** out);

// ---- One search ----------------------------------------------------------------------------------------------------

typedef struct ogarko_search {
    int32_t levels, direction, range, box_test;
    int32_t sizes;              // cell sizes given in place of levels
    const double* cell_sizes;
} ogarko_search;

extern const ogarko_search ogarko_paper_search;  // from the larger sphere into the finer grid, r + half a cell, boxes tested before distances

typedef struct ogarko_cost {
    double tests, box_tests, cells;  // per sphere
    double work;                     // box tests (or tests, if there are none), and ogarko_cell_cost for each cell
    int64_t pairs, levels;
    bench_quartiles seconds;         // NAN if it was not timed
} ogarko_cost;

// What a look into a cell counts as, in tests: 0.5. It depends on the program and the machine; with this number the K of the paper's model T ~ N L (m + K), fitted to counted work,
// comes out as in the paper (ogarko_levels.c), where it is taken as ogarko_k, 0.3.
extern const double ogarko_cell_cost, ogarko_k;

// Counters of one search, and the spread of the time of `repeats` warm ones; 0: counters alone. At most 31.
scree_status ogarko_find(const scree_sphere_set* set, const ogarko_search* how, int repeats, const bench_options* co, ogarko_cost* out);

// Whole steps of simulations that search in every step, in turns of `steps` steps: seconds of a step, and in the same turn by those of the first. set NULL: does not take part.
typedef struct ogarko_turn {
    const scree_sphere_set* set;
    ogarko_search how;
    bench_quartiles seconds, quotient;
} ogarko_turn;
scree_status ogarko_turns(ogarko_turn* all, int count, int steps, const bench_options* co);  // at most 8

#endif
