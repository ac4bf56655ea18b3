// Contacts of spheres with friction, rolling, twisting and adhesion, written down plainly: the reference of the faster versions. One thread, all pairs, double
// precision, no optimisation. For a few hundred spheres at most.
//
// A grain_system is a start: spheres, box, gravity, contact law, step. grain_begin copies it, grain_step advances it by one step. Vectors have three
// components; in 2D z is 0 and spheres are discs (moment of inertia m r^2 / 2). Positions are never wrapped into a periodic box, so a contact keeps its shift.
#ifndef TESTS_GRAIN_PLAIN_H
#define TESTS_GRAIN_PLAIN_H

#include <stdbool.h>
#include <stdint.h>

// ---- Contact law -----------------------------------------------------------------------------------------------------

typedef enum grain_normal { GRAIN_LINEAR, GRAIN_HERTZ, GRAIN_JKR, GRAIN_DMT, GRAIN_PLASTIC } grain_normal;

typedef enum grain_damping {
    GRAIN_UNDAMPED,
    GRAIN_DASHPOT,      // constant coefficient `damping`
    GRAIN_RESTITUTION,  // the coefficient that gives `restitution`, whatever masses and speeds
    GRAIN_VISCOELASTIC  // tangent stiffness times `viscous_time`
} grain_damping;

typedef enum grain_tangential { GRAIN_FRICTIONLESS, GRAIN_TANGENTIAL_LINEAR, GRAIN_MINDLIN } grain_tangential;
typedef enum grain_rolling { GRAIN_ROLLING_FREE, GRAIN_ROLLING_SPRING } grain_rolling;
typedef enum grain_twisting { GRAIN_TWISTING_FREE, GRAIN_TWISTING_SPRING, GRAIN_MARSHALL } grain_twisting;

// Time levels and lever arms.
typedef enum grain_rule {
    GRAIN_HALF_STEP,  // springs grow by the motion at the half step, with the normal of the half step; dashpots by predicted velocities; arms r - overlap/2
    GRAIN_LAMMPS_CLASSIC,  // gran/hooke/history: half-step velocities, full-step normal, arms r, springs projected without keeping their length
    GRAIN_LAMMPS_GRANULAR  // pair granular: the same, springs keep their length, torque with arms r - overlap/2
} grain_rule;

enum { GRAIN_MATERIALS = 4 };

typedef struct grain_law {
    grain_normal normal;
    grain_damping damps;
    grain_tangential tangential;
    grain_rolling rolling;
    grain_twisting twisting;
    grain_rule rule;
    bool pull;            // the dashpot may pull spheres together while they part
    bool takes_over;      // a sliding spring takes the capped force less that of the dashpot, as in LAMMPS; false: only if that is not more than it had, else
                          // it keeps its own force, cut to the cap
    bool half_stiffness;  // springs whose stiffness grows with the contact radius: they grow with the smaller one of the half and of the full step (second
                          // order; of JKR the mean of the radii before and after stands for the half step); false: with that of the full step
    bool twirl;           // tangential springs turn with the mean spin about the normal
    double young[GRAIN_MATERIALS], poisson[GRAIN_MATERIALS];  // of each material; young INFINITY: rigid
    double stiffness;                                         // linear: force per length
    double damping;                                           // force per speed
    double restitution;
    double viscous_time;
    double friction;              // until a contact slides
    double friction_dynamic;      // while it slides; below 0: the same
    double tangential_stiffness;  // linear: ratio to `stiffness`, to k1 of a plastic contact, or to the slope 2 E* a of Hertz, JKR and DMT
    double tangential_damping;    // ratio to the normal dashpot; Mindlin with restitution: to 2 sqrt(5/6) b sqrt(S_t m*)
    double rolling_friction;
    double rolling_stiffness;   // ratio to the tangential stiffness
    double rolling_damping;     // ratio to the tangential dashpot
    double twisting_friction;   // a length
    double twisting_stiffness;  // torque per radian
    double twisting_damping;    // of GRAIN_TWISTING_SPRING: over the tangential dashpot times R*^2
    double surface_energy;      // JKR and DMT: gamma; the work of adhesion is 2 gamma
    double bridge_volume;       // liquid bridge; 0: none
    double surface_tension, wetting_angle;
    double k1, k2, kc, plastic_depth;  // plastic: loading, unloading, cohesive stiffness; phi_f
} grain_law;

// Linear, undamped, pull, twirl, half_stiffness; tangential ratio 2/7, rolling ratio 1, friction_dynamic as friction; the rest 0.
grain_law grain_default_law(void);

// ---- System ----------------------------------------------------------------------------------------------------------

typedef struct grain_sphere {
    double x[3], v[3], w[3];  // w: angular velocity
    double r, density;        // mass per volume, in 2D per area
    int material;
    bool fixed;  // neither moves nor turns; a body of infinite mass
} grain_sphere;

typedef enum grain_side { GRAIN_OPEN, GRAIN_WALLED, GRAIN_PERIODIC } grain_side;

typedef struct grain_system {
    int dim;
    double lower[3], upper[3];  // where an axis is not open
    grain_side side[3];
    double wall_velocity[3][2];  // of the lower and upper wall, along the axis
    int wall_material;
    double gravity[3];
    grain_law law;
    double step;
    int64_t steps, every;  // length of the run, and steps between the frames that a case looks at
    int32_t count;
    grain_sphere* spheres;
} grain_system;

typedef struct grain_energies {
    double kinetic, rotation;
    double normal, tangential, rolling, twisting, bridge;  // in springs
    double gravity;                                        // potential, 0 at the origin
    double lost_normal;                                    // in normal dashpots
    double lost_dashpot;                                   // in tangential, rolling and twisting dashpots, while contacts stick
    double lost_slip;                                      // by sliding, of all three kinds
    double lost_left;                                      // left in springs when contacts ended
    double lost_stiffness;                                 // by changes of the stiffness of loaded springs (Mindlin)
    double lost_plastic;
    double lost_adhesion;  // JKR: forming and breaking of contacts; liquid bridges: breaking
    double wall_work;      // done by moving walls on spheres
} grain_energies;

double grain_energy_stored(const grain_energies* e);  // motion, springs and gravity
double grain_energy_lost(const grain_energies* e);
double grain_energy_total(const grain_energies* e);  // stored + lost - wall_work: constant

// What a contact remembers.
typedef struct grain_spring {
    double force[3];    // elastic force (rolling: divided by R*; twisting: torque in [0])
    double applied[3];  // elastic and dashpot, as applied
    double stiffness;   // of the last step
    bool sliding;
} grain_spring;

typedef struct grain_contact {
    int32_t i, j;  // j < 0: wall -1 - j, that is 2 axis + (0 lower, 1 upper)
    int shift[3];
    bool solid;  // the spheres touch; else only a liquid bridge holds
    bool wet;
    double n[3], overlap, radius;  // radius: R*
    double force_normal;           // on i along n, without the bridge
    double force[3];               // on i, all of it
    double elastic;                // normal, without dashpot and bridge
    double depth;                  // plastic: delta_max
    double a;                      // radius of the contact area
    double spring_energy;          // normal
    grain_spring tangential, rolling, twisting;
} grain_contact;

typedef struct grain_sim {
    grain_system now;  // its spheres are the state
    int64_t done;
    double *mass, *inertia;  // INFINITY: fixed
    double (*a)[3], (*alpha)[3];
    double (*v_half)[3], (*w_half)[3], (*v_now)[3], (*w_now)[3];
    double wall[3][2];  // where they are now
    double damping_share;
    grain_contact *contacts, *before;
    int64_t contact_count, before_count, room, before_room;
    grain_energies lost;              // only the lost_* and wall_work of it
    double power_normal, power_wall;  // of the last step
} grain_sim;

grain_sim* grain_begin(const grain_system* start);
void grain_step(grain_sim* sim);
grain_energies grain_measure(const grain_sim* sim);
void grain_end(grain_sim* sim);

// ---- Parts, for tests ------------------------------------------------------------------------------------------------

// Damping as a share of critical damping: what gives this restitution to a linear contact (dashpot 2 b sqrt(k m*)), and by the same b to a Hertz contact
// (dashpot sqrt(5) b sqrt(4/3 E* a m*)). Without pull the contact ends where its force would begin to pull.
double grain_damping_share(double restitution, bool pull);
double grain_restitution(double share, bool pull);

double grain_mass(int dim, const grain_sphere* sphere);
double grain_inertia_share(int dim);                               // kappa: I/(m r^2)
double grain_effective_young(const grain_law* law, int a, int b);  // E*
double grain_effective_shear(const grain_law* law, int a, int b);  // G*

// JKR: contact radius at this overlap, R* = radius; the overlap at which the contact breaks; the energy at a contact radius, 0 at a = 0.
double grain_jkr_radius(double young, double gamma, double radius, double overlap);
double grain_jkr_end(double young, double gamma, double radius);
double grain_jkr_force(double young, double gamma, double radius, double a);
double grain_jkr_energy(double young, double gamma, double radius, double a);

// Plastic contact: force at this overlap. *depth, the largest overlap so far, follows; *stiffness: of unloading.
double grain_plastic_force(const grain_law* law, double radius, double overlap, double* depth, double* stiffness);

// Liquid bridge at this gap: force (negative), energy (0 at gap 0), and the gap at which it breaks. Of two equal spheres r the force at touch is 2 pi r times
// the tension (Derjaguin), and r is 2 R*.
double grain_bridge_force(const grain_law* law, double radius, double gap);
double grain_bridge_energy(const grain_law* law, double radius, double gap);
double grain_bridge_end(const grain_law* law);

#endif
