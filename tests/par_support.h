// Systems that ranks share, and what a simulation in one process shows of them: for the tests of src/par.
#ifndef SCREE_PAR_SUPPORT_H
#define SCREE_PAR_SUPPORT_H

#include "scree/checkpoint.h"
#include "sim_support.h"

#include "par/sim.h"
#include "sim/sim_inner.h"

typedef struct par_system {
    const char* name;
    scree_sphere_set set;
    double *v, *spin;
    uint8_t* fixed;
    uint16_t *material, *group;
    double* force;
    int64_t* id;
    scree_sim_each each;
    scree_sim_law law;
    scree_sim_pair pairs[4];
    scree_sim_material materials[2];
    scree_sim_boundary boundary[2];
    scree_exact exact[2];
    scree_surface* mesh;
    scree_sim_def def;
    void (*begin)(scree_sim* sim);   // what is set before the first step
    scree_sim_cell cell;
    bool has_cell;
    void (*changes)(scree_sim* sim, int turn);  // between runs, spheres come and go
    scree_sim_bond bond;
    scree_sim_bonds_def bonds;
    bool has_bonds;
    double skin;         // of the first list; 0: any
    scree_index_def search;
} par_system;

typedef par_system (*par_maker)(uint64_t seed);

enum { par_looks = 3 };  // what one process shows after each of some runs
extern const int64_t par_pieces[par_looks];  // of so many steps

void par_begin(par_system* s);  // its def has all that it points to
// Simulations that are made from here on are shared by so many ranks, in this process; 0: by none, and NULL. The end takes NULL too.
scree_par* par_begin_shared(int32_t ranks);
void par_end_shared(scree_par* par);
void par_free(par_system* s);
uint64_t par_shown(scree_sim* sim);  // all of it, bit by bit: its state, what is measured of it, the accounts of energies
void par_run_alone(par_system* s, uint64_t hash[par_looks]);
void par_run_shared(par_system* s, int32_t ranks, bool there, uint64_t chance, const uint64_t hash[par_looks]);  // `there`: the spheres are made by the ranks; else in one process, and handed out
void par_compare(const par_maker* makers, size_t count);  // with borders by weight and by chance
void par_give_spin(par_system* s, uint64_t seed);
void par_drive_groups(scree_sim* sim);
void par_swap_some(scree_sim* sim, int turn);  // some spheres go, one of them comes back, others come

extern double par_part;  // of their numbers of spheres that gases have: 1, unless a test says less
par_system par_gas(int dim, int32_t count, double ratio, unsigned periodic, double density, uint64_t seed);
par_system par_elastic(uint64_t seed);
par_system par_damped(uint64_t seed);
par_system par_walls(uint64_t seed);
par_system par_tight(uint64_t seed);
par_system par_flat(uint64_t seed);
par_system par_open_box(uint64_t seed);
par_system par_giant(uint64_t seed);
par_system par_position_verlet(uint64_t seed);
par_system par_fixed(uint64_t seed);
par_system par_record(uint64_t seed);
par_system par_friction(uint64_t seed);
par_system par_fast_friction(uint64_t seed);
par_system par_hertz(uint64_t seed);
par_system par_two_materials(uint64_t seed);
par_system par_flat_friction(uint64_t seed);
par_system par_giant_friction(uint64_t seed);
par_system par_numbered(uint64_t seed);
par_system par_equal_giants(uint64_t seed);
par_system par_sticky(uint64_t seed);
par_system par_surfaces(uint64_t seed);
par_system par_groups(uint64_t seed);
par_system par_bonded_groups(uint64_t seed);
par_system par_giant_groups(uint64_t seed);
par_system par_groups_by_positions(uint64_t seed);
par_system par_bonded(uint64_t seed);
par_system par_bonded_giant(uint64_t seed);
par_system par_dragged(uint64_t seed);
par_system par_dragged_giant(uint64_t seed);
par_system par_servo(uint64_t seed);
par_system par_sieve(uint64_t seed);
par_system par_sheared(uint64_t seed);
par_system par_sheared_flat(uint64_t seed);
par_system par_pressed(uint64_t seed);
par_system par_triaxial(uint64_t seed);
par_system par_constant_volume(uint64_t seed);
par_system par_tilted(uint64_t seed);

#endif
