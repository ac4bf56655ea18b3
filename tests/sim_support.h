// What tests of simulations share: a gas to begin with, states that own their arrays, and the closed form of one contact.
#ifndef TESTS_SIM_SUPPORT_H
#define TESTS_SIM_SUPPORT_H

#include "support.h"

#include "scenes.h"
#include "scree/pack.h"
#include "scree/sim.h"

static const double sim_pi = 3.14159265358979323846;

// ---- Chance ----------------------------------------------------------------------------------------------------------

double sim_between(scree_rng* rng, double low, double high);

// A direction, each as likely as any other; z is 0 in 2D.
void sim_direction(scree_rng* rng, int dim, double out[3]);

// ---- Boxes, masses ---------------------------------------------------------------------------------------------------

scree_box sim_cube(int dim, double size, bool periodic);
double sim_test_mass(int dim, double density, double r);

// ---- States ----------------------------------------------------------------------------------------------------------

// A state with its usual columns by name; those that are NULL are left out. `order` is not a column: who has each rank, from the keys.
typedef struct sim_copy {
    int64_t step;
    scree_sim_walls walls;
    double *x, *v, *a, *x_before, *force;
    uint64_t* key;
    int32_t* order;
} sim_copy;

// A simulation of these spheres; v may be NULL: all are at rest. To be destroyed.
scree_sim* sim_made(const scree_sim_def* def, int32_t count, const double* x, const double* r, const double* v);

scree_status sim_copy_get(const scree_sim* sim, sim_copy* out);
scree_status sim_copy_set(scree_sim* sim, const sim_copy* copy);
sim_copy sim_copy_make(int32_t count, int dim);  // owns x, v, a and key
void sim_copy_free(sim_copy* copy);
scree_sim_report sim_report_of(scree_sim* sim);

// All state columns, the memory of contacts and bonds, into another simulation.
void sim_hand_over(scree_sim* from, scree_sim* to);

// Momentum and angular momentum of spheres of density 1, and a scale of both.
typedef struct sim_sums {
    double momentum[3], angular[3], scale;
} sim_sums;

sim_sums sim_sums_of(const scree_sim* sim, const double* r);

// ---- A gas -----------------------------------------------------------------------------------------------------------

// Spheres at random that do not overlap, with radii from 0.5 to 0.5 * ratio (equal in logarithm), and their volume share.
scree_sphere_set sim_gas(int dim, int32_t count, double ratio, double density, bool periodic, uint64_t seed);
double* sim_thermal(scree_spheres spheres, double temperature, uint64_t seed);

// ---- One contact, in closed form -------------------------------------------------------------------------------------

typedef struct swing {
    double duration, restitution;
    double overlap;  // the largest, per unit of the speed of approach
} swing;

// Spring k, dashpot g, reduced mass mu; less than critically damped.
swing swing_of(double k, double g, double mu);

// Contact parameters by pair of materials from matrices; NULL: as they are by default.
void sim_pairs(int count, const double* stiffness, const double* damping, const double* restitution, scree_sim_pair* out);

// The dashpot with which a pair of that reduced mass has this restitution.
double dashpot_of(double k, double restitution, double mu);

#endif
