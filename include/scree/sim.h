// scree/sim.h: simulation of spheres by the discrete element method (DEM).
//
//     scree_sim_def def = scree_default_sim_def();
//     def.box = box;                                   // walls, periodic or open per axis
//     def.gravity[2] = -9.81;
//     def.material_density = 2500.0;
//     def.stiffness = 1e5;
//     def.restitution = 0.9;
//     scree_sim* sim;
//     scree_sim_create(&def, spheres, velocities, &sim);
//     scree_sim_run(sim, 10000);                       // steps
//     scree_sim_report report;
//     scree_sim_measure(sim, &report);                 // energies, contacts, ...
//     scree_sim_destroy(sim);
//
// Contact law: by default, two spheres that overlap by delta repel each other with f = (k delta + g d(delta)/dt) n (which can attract briefly
// if damping is strong), and do not rotate. def.law selects other parts: Hertz, friction with rotation, rolling and twisting
// resistance, adhesion, liquid bridges. Walls act by the same law as bodies of infinite mass.
// Integration: velocity Verlet, or position Verlet (def.integrator). With damping the law uses velocities at the time of the positions, predicted
// by half a step, so the error is of second order.
//
// Same bits: for the same start the trajectory does not depend on method, skin, threads, instruction set, or on how often the simulation is
// inspected, stopped and continued (scree_sim_get_state). scree_sim_hash shows it.
// Units: any consistent units. Spheres are identified by their number in the given arrays (id), here and in messages.
// A simulation may be used by one thread at a time.
#ifndef SCREE_SIM_H
#define SCREE_SIM_H

#include "scree/device.h"
#include "scree/geom.h"
#include "scree/index.h"
#include "scree/surface.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum scree_integrator {
    SCREE_INTEGRATOR_VELOCITY_VERLET = 0,  // v += a dt/2, x += v dt, forces, v += a dt/2
    SCREE_INTEGRATOR_POSITION_VERLET,      // x(t + dt) = 2 x(t) - x(t - dt) + a(t) dt^2, as in the papers of Muth et al. The same trajectory
                                           // except for rounding errors, which are larger; 32 bytes per sphere more
    SCREE_INTEGRATOR_COUNT
} scree_integrator;

SCREE_API const char* scree_integrator_name(scree_integrator integrator);  // "position-verlet"; NULL if there is no such number

// Properties of single spheres: arrays of `count`, by id; NULL: the same for all.
typedef struct scree_sim_each {
    uint32_t struct_size;            // filled by the default function
    const double* material_density;  // NULL: def.material_density
    const uint16_t* material;        // number of the material; NULL: 0
    const uint16_t* group;           // number of the group; NULL: 0
    const uint8_t* fixed;            // 1: the sphere does not move and acts on others as a body of infinite mass; NULL: none
    const double* force;             // count * dim: external force on each; NULL: none
    const double* spin;              // count * 3 (in 2D too): initial angular velocity; NULL: 0. Used only if the law has rotation (def.law)
    const double* inertia;           // moment of inertia; NULL: 2/5 m r^2, in 2D 1/2 m r^2; INFINITY: it does not rotate
    const int64_t* id;               // ascending, from 0 on; NULL: 0, 1, 2, ..., for inserted spheres the numbers after the highest so far
} scree_sim_each;

SCREE_DEFAULTS(scree_sim_each, scree_default_sim_each)

// Spheres that may be inserted while the simulation runs (scree_sim_insert): stiffness, time step and everything else that follows from sizes and masses then take them into
// account. For a range of sizes, give the smallest and the largest of each material. An entry stands for any number of such spheres.
typedef struct scree_sim_later {
    uint32_t struct_size;            // filled by the default function
    int32_t count;
    const double* r;                 // radii
    const double* material_density;  // NULL: def.material_density
    const uint16_t* material;        // NULL: 0
    const uint8_t* fixed;            // NULL: none
    int64_t most;                    // so many will be inserted at most; 0: not known. scree_sim_get_device_bytes and SCREE_DEVICE_AUTO count them; no result depends on it
} scree_sim_later;

SCREE_DEFAULTS(scree_sim_later, scree_default_sim_later)

// The contact law is composed of parts: a normal force with damping and, optionally, friction, resistance to rolling and to twisting, and
// liquid bridges. docs/laws.md has the formulas.

// Material of a sphere or wall, for hertz, jkr and dmt.
typedef struct scree_sim_material {
    uint32_t struct_size;         // filled by the default function
    double young;                 // Young's modulus
    double poisson;               // Poisson's ratio, from 0 to 0.5
} scree_sim_material;

// Parameters of a pair of materials. Give one of damping, restitution and viscous_time, the same one for all pairs; all 0: the value of the def.
typedef struct scree_sim_pair {
    uint32_t struct_size;         // filled by the default function
    double stiffness;             // linear: k. 0: from stiffness, contact_duration or overlap of the def
    double damping;               // constant g
    double restitution;           // constant coefficient of restitution
    double viscous_time;          // hertz: the time A of Kuwabara and Kono
    double friction;              // (0) mu: contacts stick up to mu times the normal force
    double friction_dynamic;      // of sliding contacts, at most `friction`; 0: the same
    double tangential_stiffness;  // linear: k_t / k (2/7)
    double tangential_damping;    // g_t / g (1)
    double rolling_friction;      // (0) mu_r
    double rolling_stiffness;     // k_r / k_t (1)
    double rolling_damping;       // g_r / g_t (0)
    double twisting_friction;     // (0) a length: the largest torque over the normal force
    double twisting_stiffness;    // spring: torque per radian; 0: k_t times the square of the reduced radius
    double surface_energy;        // jkr, dmt: gamma; the work of adhesion is 2 gamma
    double bridge_volume;         // of liquid between two that touch; 0: no bridge
    double surface_tension;       // of that liquid
    double wetting_angle;         // radians, from 0 to pi/2
    double k2, kc;                // plastic: stiffness of unloading at full depth, at least k; strength of cohesion
    double plastic_depth;         // plastic: phi_f, where unloading reaches k2: at an overlap of k2 / (k2 - k) phi_f 2 R*
    double twisting_damping;      // spring: over g_t times the square of the reduced radius (0)
} scree_sim_pair;

SCREE_DEFAULTS(scree_sim_material, scree_default_sim_material)
SCREE_DEFAULTS(scree_sim_pair, scree_default_sim_pair)

// Effective moduli E* and G* of two materials (docs/laws.md); NAN without them.
SCREE_API double scree_sim_effective_young(const scree_sim_material* a, const scree_sim_material* b);
SCREE_API double scree_sim_effective_shear(const scree_sim_material* a, const scree_sim_material* b);

// A parameter that only one law has, beyond those of scree_sim_pair.
typedef struct scree_sim_parameter {
    const char* name;           // "reach"
    const char* unit;           // in words: "largest radius", "1"
    double least, most;         // its range
    double standard;            // where it is not given
} scree_sim_parameter;

// The parameters of a law, by its name; NULL: linear. Returns their number; the first `room` are written to `out` (NULL: none). Below 0: there is no such law, or no memory.
SCREE_ROWS(scree_sim_law_parameters, (const char* law, scree_sim_parameter* out, int32_t room), (law, out, room))

typedef struct scree_sim_law_value {
    const char* name;           // of a parameter
    int32_t material[2];        // of these two materials, in either order; -1, -1: of all
    double value;
} scree_sim_law_value;

typedef struct scree_sim_law {
    uint32_t struct_size;       // filled by the default function
    const char* name;           // normal force: "linear", "hertz", "jkr", "dmt", "plastic"; NULL: linear. scree_sim_law_name lists all
    const char* tangential;     // "none", "linear", "mindlin"; NULL: as fits the normal force if a pair has friction, else none
    const char* rolling;        // "none", "spring"; NULL: spring if a pair has rolling friction
    const char* twisting;       // "none", "spring", "marshall"; NULL: spring if a pair has twisting friction
    bool no_pull;               // damping never attracts: without adhesion a normal force below 0 is set to 0; restitutions stay exact
    int32_t material_count;     // materials of spheres, walls and boundaries are below this; 0: without `materials` and `pairs`
    const scree_sim_material* materials;  // material_count; NULL: not given
    const scree_sim_pair* pairs;  // material_count rows and columns, symmetric, materials a and b at [a * material_count + b]; NULL: the values of the def
    const scree_sim_law_value* values;  // of parameters that only this law has (scree_sim_law_parameters): value_count of them, a later one in place of an earlier one
    int32_t value_count;
} scree_sim_law;

SCREE_DEFAULTS(scree_sim_law, scree_default_sim_law)
SCREE_API const char* scree_sim_law_name(int32_t number);  // from 0 on; NULL: no such number

// Bonds connect two spheres in addition to their contact (parallel bonds), as in rock and concrete. A bond is a short beam of cement between two spheres
// with a circular cross section (2D: a strip). It resists stretching, shearing, bending and twisting until it breaks permanently. docs/laws.md has the formulas.
typedef struct scree_sim_bond {    // a kind of bond
    uint32_t struct_size;         // filled by the default function
    double gap;                   // spheres whose surfaces are at most this far apart at the start are bonded; 0: touching spheres; below 0: only the pairs of a list (-1)
    int32_t between[2];           // only spheres of these two materials, for bonds made by the gap; -1: any (-1, -1)
    double radius;                // of the bond over the smaller radius of the two (1)
    double young;                 // Young's modulus: k_n = young A / length
    double shear;                 // shear modulus: k_s = shear A / length; 0: 0.4 young
    double bending, twisting;     // factors of the stiffnesses young I / length and shear J / length (1, 1)
    double damping;               // of all four, over the critical damping of the two spheres (0), at most 1
    double tensile_strength;      // it breaks beyond this tensile stress, bending included (INFINITY)
    double shear_strength;        // ... or beyond this shear stress, twisting included (INFINITY),
    double friction;              // which grows by this factor times the compressive stress (0)
} scree_sim_bond;

SCREE_DEFAULTS(scree_sim_bond, scree_default_sim_bond)

// The bonds of a simulation: the pairs of the list, then all pairs that a kind makes by its gap and that are not in the list; the first kind that fits counts.
typedef struct scree_sim_bonds_def {
    uint32_t struct_size;         // filled by the default function
    int32_t kind_count;           // at least 1
    const scree_sim_bond* kinds;
    int64_t count;                // of the list
    const int64_t (*ij)[2];       // ids; in a periodic box the nearest images
    const int32_t* kind;          // of each; NULL: 0
    const double* length;         // rest length of each; NULL: the distance at the start
} scree_sim_bonds_def;

SCREE_DEFAULTS(scree_sim_bonds_def, scree_default_sim_bonds_def)

// An obstacle for spheres, in addition to the walls of the box.
typedef struct scree_sim_boundary {
    uint32_t struct_size;       // filled by the default function
    const char* kind;           // "cylinder" (without ends; 3D only), "sphere" (in 2D a circle); ignored with `exact` or `surface`
    double at[3];               // its centre; of a cylinder a point on the axis
    double axis[3];             // direction of a cylinder, of any length (z)
    double radius;
    bool outside;               // spheres are outside it; else inside
    int32_t material;
    double velocity[3];
    double spin[3];             // angular velocity about `at`; of a cylinder along its axis
    // A boundary of any shape (docs/surface.md): one of these instead of kind, at, axis, radius and outside. Spheres can be on both sides, and have one contact for each
    // flat region, edge or vertex that they touch. In periodic boxes without tilt, shapes of finite
    // extent have images, as spheres have: each side must be at least the diameter of their bounding sphere plus four radii of the largest sphere. Infinite planes and cylinders must continue along periodic axes.
    const scree_exact* exact;   // borrowed for the call. 2D: a plane, a cylinder along z, a sphere
    const scree_surface* surface;  // a mesh, borrowed until the simulation is destroyed. 3D only
    double about[3];            // centre of rotation; it moves with the velocity. A plane rotates only about its normal, an infinite cylinder about its axis
    const char* name;           // borrowed for the call, at most 31 bytes; NULL: "mesh 6", "cone 7", ...
    bool one_sided;             // it acts only on spheres whose centres are on its front. For a mesh also if its own def says so
    bool removes;               // a sphere whose centre passes through it is removed at that step, as scree_sim_remove does (scree_sim_take_crossings); else the run ends with an error.
                                // UNSUPPORTED with bonds and def.cell
} scree_sim_boundary;

SCREE_DEFAULTS(scree_sim_boundary, scree_default_sim_boundary)

// Implementations of the step. They give the same bits.
typedef enum scree_backend {
    SCREE_BACKEND_FUSED = 0,    // blocks of spheres on many threads, with AVX2 or AVX-512 if the machine has it
    SCREE_BACKEND_REFERENCE,    // plain loops on one thread: the reference for the other
    SCREE_BACKEND_COUNT
} scree_backend;

SCREE_API const char* scree_backend_name(int32_t number);  // "reference"; NULL for an unknown number

// How the periodic cell changes while the simulation runs. Velocities are in the laboratory frame: an image at x + H s, with H the matrix of the cell (edge
// vectors in its columns) and s integers, has the velocity v + dH/dt s, and a sphere that is wrapped by s boxes loses dH/dt s. Whenever dH/dt changes, also at the
// start, each sphere gets the change times its relative position in the cell, counted from the centre. It therefore makes no difference which image is taken as the sphere,
// and a cell that starts to move carries its content along. The centre of the box is fixed.
//
// Rates are engineering strain rates: sides and tilts change with constant speeds, rate times the cell as it is when they are set. Stress is controlled by
//
//     rate of axis k = (e_k + sum of e_k dt / (20 response)) / (K_k response),     e_k = stress_k - target_k,     at most rate_most in size,
//
// at every step. The stress includes contacts and motion. K_k is the current stiffness of the contacts: the sum of (f / overlap) d_k^2 over the volume. The
// sum of e_k, which removes a constant error, is over steps at which e_k is below a tenth of the target.
enum { SCREE_CELL_XX = 0, SCREE_CELL_YY, SCREE_CELL_ZZ, SCREE_CELL_XY, SCREE_CELL_XZ, SCREE_CELL_YZ, SCREE_CELL_COUNT };

typedef struct scree_sim_cell {
    uint32_t struct_size;
    double rate[6];           // strain rates, SCREE_CELL_XX, ...: XY is the shear with flow along x and gradient along y. Not 0 only on periodic
                              // axes; in 2D only XX, YY and XY
    uint32_t controlled;      // bit k: the normal stress on axis k is controlled, with the target stress[k]; rate[k] must be 0
    double stress[3];         // targets; pressure is positive
    bool isotropic;           // all axes without a rate, which must be periodic, change by the same rate; stress[0] is the target of the mean normal stress. `controlled` must
                              // be 0
    bool constant_volume;     // periodic axes that are not controlled and have no rate change by a common factor that keeps the volume constant
    double rate_most;         // of controlled axes, above 0
    double response;          // time; 0: duration of the shortest contact. With much shorter times dashpots make the control unstable
} scree_sim_cell;

SCREE_DEFAULTS(scree_sim_cell, scree_default_sim_cell)  // at rest

typedef struct scree_sim_def {
    uint32_t struct_size;   // filled by the default function; lets this struct grow between versions
    scree_box box;          // centres start inside the walls, or anywhere on periodic axes
    double wall_velocity[3][2];  // of the lower and upper wall of each axis, along it; 0 where there is no wall
    double gravity[3];      // acceleration
    double gravity_turn[3]; // angular velocity with which gravity rotates; in 2D only [2]; 0: constant
    double material_density;  // mass per volume, in 2D per area (1)
    // Stiffness: exactly one of these is above 0.
    double stiffness;         // k
    double contact_duration;  // sets k: a collision of the two lightest spheres lasts this long
    double overlap;           // sets k: the two heaviest spheres overlap by at most this fraction of the smaller radius
    double speed;             // when they collide at this speed. hertz, jkr and dmt: impact speed for which the time step is chosen; needed without `time_step`
    // Dissipation: at most one of these.
    double damping;         // g, one constant for all contacts
    double restitution;     // coefficient of restitution, sets g for each contact; 0: `damping` is used
    double time_step;       // 0: 1/50 of the shortest contact duration, or less where springs or dashpots need it (docs/laws.md)
    int32_t order_every;    // steps between renewals of the spheres' order in memory (1000); affects the exact result
    const scree_index_def* search;  // borrowed for the call; NULL: the default. Method, skin and parameters; its box, gap, sorted, threads and watch are
                            // not used. rebuild_every counts steps; skin < 0: every step makes a new list
    int32_t threads;        // 0: all cores. The result does not depend on it
    bool check;             // compares the contacts of every step with all pairs, O(n^2): a test of the search
    scree_watch watch;      // progress and stop of scree_sim_run; zeroed: none
    int32_t integrator;     // scree_integrator; VELOCITY_VERLET
    const scree_sim_each* each;  // borrowed for the call; NULL: all spheres have the same properties and none is fixed
    double giants;          // spheres with this radius or more sum their forces as integers (docs/sim.md); affects the exact result. 0: 64 times
                            // the median radius; INFINITY: none
    const scree_sim_law* law;  // borrowed for the call; NULL: linear, with the numbers above for all pairs
    int32_t wall_material;     // of the walls of the box, and of the round wall of the container
    int32_t container;         // scree_container_kind that the box bounds (scree/geom.h); BOX
    const scree_sim_boundary* boundaries;  // boundary_count of them, borrowed for the call
    int32_t boundary_count;
    int32_t backend;           // scree_backend; FUSED
    bool energies;             // sum dissipated energies and the work of walls, gravity and forces, for the report
    const scree_sim_bonds_def* bonds;  // borrowed for the call; NULL: none
    double watch_overlaps;     // monitor overlaps above this fraction of the smaller radius, and contacts too short for the step
                            // (scree_sim_take_overlaps); 0: off. The result does not depend on it
    const scree_sim_later* later;  // borrowed for the call; NULL: only spheres that the time step of the initial ones suits can be inserted
    const scree_sim_cell* cell;  // borrowed for the call; NULL: periodic sides are constant. With it the method is hierarchical-grid unless def.search has
                            // another; fixed spheres, bonds and boundaries other than the walls of the box are UNSUPPORTED
    const int32_t* face_materials;  // of the walls of the box one by one: six numbers, lower x, upper x, lower y, ..., borrowed for the call; NULL: wall_material
    bool walls_remove;      // the walls of the box and the round wall of the container remove spheres that pass through them, as scree_sim_boundary.removes
    int32_t device;            // scree_device that computes the steps; NONE: the processor. The result does not depend on it. UNSUPPORTED: there is no such device, or it does
                               // not support a feature (docs/gpu.md). It searches by its own grid and computes forces itself: def.search->method is used when the processor searches (contacts that are
                               // read), and CUDA and EMULATE with a backend other than FUSED are ARGUMENT
} scree_sim_def;

SCREE_DEFAULTS(scree_sim_def, scree_default_sim_def)

typedef struct scree_sim scree_sim;

// Centres, radii (above 0) and velocities (count * dim; NULL: at rest) are copied. ARGUMENT: an invalid def or sphere;
// a step that is too long (the message names the pair and the part of the law that need a shorter one). UNSUPPORTED: a combination of features that is not simulated
// yet. MEMORY.
SCREE_API scree_status scree_sim_create(const scree_sim_def* def, scree_spheres spheres, const double* v, scree_sim** out);
SCREE_API void scree_sim_destroy(scree_sim* sim);  // NULL is fine

// What limits the time step.
typedef enum scree_sim_limit {
    SCREE_SIM_LIMIT_CONTACT = 0,  // a tenth of the shortest contact
    SCREE_SIM_LIMIT_RAYLEIGH,     // 0.4 of the shortest Rayleigh time
    SCREE_SIM_LIMIT_NORMAL,       // this and the following: springs and dashpots of this part, which oscillate or decay faster than contacts last
    SCREE_SIM_LIMIT_TANGENTIAL,
    SCREE_SIM_LIMIT_ROLLING,
    SCREE_SIM_LIMIT_TWISTING,
    SCREE_SIM_LIMIT_COUNT
} scree_sim_limit;

SCREE_API const char* scree_sim_limit_name(int32_t number);  // "tangential"; NULL for an unknown number

// Parameters derived from the def.
typedef struct scree_sim_numbers {
    double stiffness;
    double time_step;
    double contact_duration;  // the shortest that two of these spheres (or one and a wall) can have
    int64_t shortest_contact[2];  // the two spheres that have it; [1] is -1 for a wall or a fixed sphere; -2: one of def.later
    double longest_time_step;  // that is accepted
    double restitution_min, restitution_max;  // over all pairs; 0: overdamped
    double mass_min, mass_max, mass;  // of spheres that are not fixed; mass: their sum
    double radius_min, radius_max;
    double giant_radius;      // from which on forces are summed as integers
    double force_quantum;     // unit of these integers
    int32_t giant_count;
    int32_t fixed;            // spheres that are fixed
    double rayleigh_time;     // hertz, jkr and dmt: the shortest of all spheres, pi r sqrt(rho / G) / (0.1631 nu + 0.8766); else 0
    double overlap_expected;  // the same: largest overlap of a collision at def.speed, over the smaller radius; 0: not known
    double torque_quantum;    // the same for torques
    int64_t bond_count;
    double bond_period;       // half the period of the fastest oscillation of two bonded spheres; 0: there are no bonds
    int64_t bond_fastest[2];  // the two spheres of that bond
    int32_t longest_time_step_by;  // scree_sim_limit: what longest_time_step follows from,
    int64_t longest_time_step_of[2];  // and of which spheres; [1] is -1 for a wall, a fixed sphere, and with Rayleigh; -2: one of def.later
} scree_sim_numbers;

SCREE_VALUE(scree_sim_numbers, scree_sim_get_numbers, (const scree_sim* sim), (sim))
SCREE_API scree_integrator scree_sim_get_integrator(const scree_sim* sim);
SCREE_API int32_t scree_sim_get_device(const scree_sim* sim);  // scree_device that computes its steps; never AUTO
SCREE_API size_t scree_sim_get_device_bytes(const scree_sim* sim);  // memory on its device; before the first run an estimate, with def.later->most. 0: no device
SCREE_API const char* scree_sim_get_device_note(const scree_sim* sim);  // name of its device ("NVIDIA H200"). Without a device: why AUTO uses the processor, or ""

// The same without creating a simulation. ARGUMENT as scree_sim_create, for radii and contact parameters.
SCREE_RESULT(scree_sim_find_numbers, (const scree_sim_def* def, scree_spheres spheres, scree_sim_numbers* out), (def, spheres, out))

// Makes this many steps. CANCELLED: the watch returned false; the steps done so far count, and another call continues. ARGUMENT: the centre of a sphere has passed
// a wall or a boundary that does not remove it, or is not finite: the message names the sphere and the step, and the simulation cannot continue. MEMORY.
SCREE_API scree_status scree_sim_run(scree_sim* sim, int64_t steps);

// ---- Insertion and removal ---------------------------------------------------------------------------------------
// Spheres can be inserted and removed between steps. Ids are never used twice: an inserted sphere gets the next one, and after a removal ids have gaps. Wherever this
// header says "by id", values are in ascending order of ids; the column "id" has them. The order in memory is renewed at such a step, which affects the exact
// result. Contacts of other spheres keep their memory. Accelerations are recomputed for inserted spheres and for spheres that touch an inserted or removed one;
// all others continue unchanged. A change takes about as long as ten steps, for any number of spheres.

// Removes `count` spheres by their ids, and inserts others; centres, radii and velocities (NULL: at rest) as scree_sim_create has them. *first (may be NULL) is the id
// of the first inserted sphere; without each->id the others follow. each->id may give ascending ids that are not in use, so that a removed sphere can be inserted elsewhere. `each` is borrowed for the
// call, with the rules of scree_sim_create. ARGUMENT: no such sphere, or the same one twice; an inserted sphere that is not valid, lies
// beyond a wall or boundary, or needs a shorter time step than the simulation has (def.later announces it); the simulation was interrupted
// within a step. UNSUPPORTED: to remove from a simulation with bonds; one with def.cell. Inserted spheres have no bonds.
// MEMORY. After a failure nothing has changed, except that the simulation cannot continue if there is not enough memory to restore the candidate list.
SCREE_API scree_status scree_sim_exchange(scree_sim* sim, int64_t count, const int64_t* ids, scree_spheres spheres, const double* v, const scree_sim_each* each, int64_t* first);
SCREE_API scree_status scree_sim_insert(scree_sim* sim, scree_spheres spheres, const double* v, const scree_sim_each* each, int64_t* first);  // without removing
SCREE_API scree_status scree_sim_remove(scree_sim* sim, int64_t count, const int64_t* ids);  // without inserting

// A sphere that was removed because its centre passed through a removing boundary (scree_sim_boundary.removes, scree_sim_def.walls_remove).
typedef struct scree_sim_crossing {
    int64_t id;
    int64_t step;      // at which it was removed
    int32_t boundary;  // number, as scree_sim_get_boundaries has it; of several the lowest
    int32_t group;     // that it was in
    double mass;
} scree_sim_crossing;

// Returns the length of the list of crossings, sorted by (step, id). The first `room` entries are written to `out` (NULL: none) and removed from the list. States do not contain the list.
SCREE_API int64_t scree_sim_take_crossings(scree_sim* sim, scree_sim_crossing* out, int64_t room);

// Distance of a point (dim numbers) from the nearest wall or boundary as they are now; below 0: beyond one; INFINITY: there is none.
SCREE_API double scree_sim_clearance(const scree_sim* sim, const double* x);

// Inserted and removed spheres since the simulation was created.
typedef struct scree_sim_flow {
    int64_t next_id;              // id of the next inserted sphere
    int64_t inserted, removed;    // spheres
    double mass_inserted, mass_removed;  // without fixed ones
    double energy_inserted, energy_removed;    // their kinetic, rotational and contact energy at that moment
    double gravity_inserted, gravity_removed;  // potential energy in gravity, 0 at the origin
} scree_sim_flow;

// An overlap found by def.watch_overlaps.
typedef struct scree_sim_overlap {
    int64_t step;         // when
    int64_t ij[2];        // spheres, i < j; j is -1 - b for boundary b
    double overlap;       // length
    double relative;      // over the smaller radius
    double duration;      // hertz, jkr and dmt: half a swing with the stiffness of this depth; INFINITY with other laws
    double at[3];         // centre of the smaller sphere, of equal ones that of ij[0]; z = 0 in 2D. On periodic axes it may be outside of the box
} scree_sim_overlap;

typedef struct scree_sim_overlaps {
    scree_sim_overlap deepest;   // by `relative`; 0: none was above def.watch_overlaps
    scree_sim_overlap shortest;  // by `duration`; INFINITY: none was below 10 steps
} scree_sim_overlaps;

// The extremes since the last call, or since the start, checked five times per shortest contact. ARGUMENT: def.watch_overlaps is 0.
SCREE_RESULT(scree_sim_take_overlaps, (scree_sim* sim, scree_sim_overlaps* out), (sim, out))

SCREE_API int64_t scree_sim_get_step(const scree_sim* sim);  // steps done, from 0
SCREE_API double scree_sim_get_time(const scree_sim* sim);   // of its steps so far
SCREE_API int32_t scree_sim_get_count(const scree_sim* sim);
SCREE_API scree_box scree_sim_get_box(const scree_sim* sim); // with the current positions of walls
SCREE_API double scree_sim_get_volume(const scree_sim* sim); // current volume of the box or container; INFINITY if it is open

SCREE_API void scree_sim_get_gravity(const scree_sim* sim, double gravity[3], double turn[3]);  // current values; 0 if sim is NULL

// From the next step on. ARGUMENT.
SCREE_API scree_status scree_sim_set_gravity(scree_sim* sim, const double gravity[3], const double turn[3]);
SCREE_API scree_status scree_sim_set_wall_velocity(scree_sim* sim, const double velocity[3][2]);
SCREE_API scree_status scree_sim_set_group_force(scree_sim* sim, int32_t group, const double force[3]);  // external force on each sphere of the group

// External forces (count * dim) and torques (count * 3, also in 2D) of single spheres, in ascending order of ids, from the next step on until they are set again; NULL: as they are. They replace
// def.each.force, and those of groups (scree_sim_set_group_force, scree/loads.h) are added to them. Contacts keep their memory, and nothing is searched or computed again: O(n), on a device and on several
// ranks the arrays are sent there. Their work is work_forces of the report. An inserted sphere begins with each->force, to which that of its group is added from then on.
// ARGUMENT: a value that is not finite, torques with a law without rotation, the simulation was interrupted within a step; MEMORY. After a failure nothing has changed.
SCREE_API scree_status scree_sim_set_external(scree_sim* sim, const double* forces, const double* torques);
SCREE_API scree_status scree_sim_get_external(const scree_sim* sim, double* forces, double* torques);  // current ones, without those of groups; before they are set def.each.force, and 0 where the group has a force
SCREE_API scree_status scree_sim_set_threads(scree_sim* sim, int32_t threads);

// From the next step on; rates refer to the current cell. ARGUMENT: invalid values; the simulation was created without def.cell. UNSUPPORTED: a shear that
// the search method does not support.
SCREE_API scree_status scree_sim_set_cell(scree_sim* sim, const scree_sim_cell* cell);

// The current cell. All 0 for a simulation without def.cell.
typedef struct scree_sim_cell_report {
    bool set;                          // the cell changes, by the def or by scree_sim_set_cell; else all members are 0
    double side[3], tilt[3];           // now; tilts xy, xz, yz, reduced by whole boxes
    double rate[6];                    // strain rates of the next step
    double strain[6];                  // since the simulation was created: change of the sides over the initial ones; change of the tilt over the side of its later
                                       // axis, without the reductions
    double stress[3];                  // as used by the control; 0 without control
    double velocity[6];                // of the sides and tilts, in the next step
} scree_sim_cell_report;

SCREE_RESULT(scree_sim_get_cell, (const scree_sim* sim, scree_sim_cell_report* out), (sim, out))  // ARGUMENT: NULL
SCREE_API scree_status scree_sim_check_cell(const scree_sim* sim, const scree_sim_cell* cell);  // whether scree_sim_set_cell would accept it; the same errors

// Changes the contact parameters from now on: law, stiffness, damping, restitution, and the materials of walls and boundaries. `def` and `spheres` are as for
// scree_sim_create with the current spheres, by id: box, container, boundaries, each, later, bonds (from scree_sim_get_bonds), cell and search as at the start; centres, velocities and
// everything else are ignored. The current accelerations are recomputed. With def.energies, the change of contact energy
// counts as work of forces. ARGUMENT: as scree_sim_create, a time step that is too long for the new contacts too; other spheres. UNSUPPORTED: another law, or another
// part of it (friction can be added later only if the law named its tangential part at the start). MEMORY. After a failure nothing has changed. Takes about as long as scree_sim_create.
SCREE_API scree_status scree_sim_set_contacts(scree_sim* sim, const scree_sim_def* def, scree_spheres spheres);

// Changes the time step from now on. Positions, velocities, spins, the memory of contacts and all sums are kept; the current accelerations are recomputed, and with
// position Verlet the position one step before becomes x - step (v - step a / 2), which keeps the current velocity. Earlier steps count with the length that they had (scree_sim_get_time, loads, walls,
// cells). ARGUMENT: not above 0, or longer than numbers.longest_time_step or than spheres inserted since allow. MEMORY. On failure nothing has changed. Costs one pass over the contacts.
SCREE_API scree_status scree_sim_set_time_step(scree_sim* sim, double time_step);

// Scales box, walls and centres by `centres` about the lower corner, and velocities by `velocities`; radii stay. Both factors are above 0 (`velocities`
// may be 0). The box must be closed on every axis. It is not part of the state: a state taken afterwards is for a simulation with the scaled box
// (scree_sim_get_box). ARGUMENT: invalid factors, a periodic axis that would become shorter than a diameter. MEMORY: the simulation cannot
// continue. About the time of a step.
SCREE_API scree_status scree_sim_scale(scree_sim* sim, double centres, double velocities);

// ---- State -------------------------------------------------------------------------------------------------------
// Everything that a simulation with the same def and spheres needs to continue as if it had never been stopped: step, walls, all columns of
// SCREE_USE_STATE, and loads. The caller owns the arrays, by id.
typedef struct scree_sim_walls {
    double at[3][2];        // positions of the walls
    int64_t since;          // at this step
    double velocity[3][2];  // their velocities since then
    double gravity[3], turn[3];
    int64_t gravity_since;  // step at which gravity had this direction
} scree_sim_walls;

// How a boundary moves.
typedef struct scree_sim_motion {
    double at[3];           // position of its point `at`
    int64_t since;          // at this step
    double velocity[3], spin[3];  // its motion since then
    double turn[3][3];      // exact shapes and meshes: rotation matrix from the axes that it was given in, at this step; zero: not rotated
} scree_sim_motion;

// The memory of contacts, for laws that have one: contacts by (i, j, shift), contacts with boundaries last.
typedef struct scree_sim_memory {
    int64_t count;
    int32_t words;             // numbers per contact
    const int64_t (*ij)[2];    // as in scree_sim_contacts
    const int8_t (*shift)[3];  // NULL when no axis is periodic
    const double* values;      // count * words, seen from i
    const int32_t* feature;    // of contacts with exact shapes and meshes, else -1; NULL: no boundary is one. Several contacts of a sphere with one boundary are in the order of
                               // the first triangle at each
} scree_sim_memory;

typedef struct scree_sim_values {
    const char* name;  // of a column (below)
    void* data;        // count * components of its type, by id
} scree_sim_values;

// Bonds, by (i, j, shift), including broken ones.
enum { SCREE_BOND_WORDS = 7 };
enum { SCREE_BOND_HOLDS = 0, SCREE_BOND_TENSION, SCREE_BOND_SHEAR };  // why it broke

typedef struct scree_sim_bonds {
    int64_t count;
    const int64_t (*ij)[2];    // ids, i < j
    const int8_t (*shift)[3];  // of the image of j, at x_j + shift * L; NULL when no axis is periodic
    const int32_t* kind;
    const double* length;      // rest length
    const double* values;      // count * SCREE_BOND_WORDS: shear displacement (3), bending angles (3), twisting angle, seen from i; 0 for broken bonds
    const int64_t* broken_at;  // the step; -1: intact
    const uint8_t* cause;      // SCREE_BOND_HOLDS, ...
    const double* released;    // energy stored in it when it broke
    const double (*force)[3];  // current force on i; NULL in a state given by the caller
    const double (*torque)[3];
    double dissipated;         // by the dashpots of all bonds so far
    double dissipated_next;    // first term that the next step adds
} scree_sim_bonds;

// Internal numbers of a cell that changes, for checkpoints.
enum { SCREE_CELL_VALUES = 56 };

typedef struct scree_sim_cell_state {
    int64_t since;             // step since which it changes with the current rates
    double values[SCREE_CELL_VALUES];
} scree_sim_cell_state;

SCREE_API bool scree_sim_cell_moves(const scree_sim_cell_state* state);  // whether any side or tilt changes
// The state of a cell at `step`, with steps of this length, for a simulation that begins from there at step 0; periodic sides and tilts of `box` are set to their values at that step.
SCREE_API scree_sim_cell_state scree_sim_cell_from(const scree_sim_cell_state* state, int64_t step, double length, scree_box* box);

typedef struct scree_sim_state {
    int64_t step;
    scree_sim_walls walls;
    int32_t column_count;
    const scree_sim_values* columns;
    int32_t motion_count;             // of boundaries other than the walls of the box
    const scree_sim_motion* motions;  // NULL: unchanged
    const scree_sim_memory* memory;   // NULL: contacts remember what they do when the state is set, as far as they are contacts of it; a zeroed one: nothing
    int32_t account_count;            // sums of def.energies, for scree_sim_set_state and checkpoints
    const double* account;            // NULL: they begin at 0
    const scree_sim_bonds* bonds;     // NULL: bonds keep their present state, broken ones too; a zeroed one: all are new, broken ones too, between the nearest images
    int64_t load_count;               // loads (scree/loads.h) as numbers, for scree_sim_set_state and checkpoints
    const double* loads;              // NULL: unchanged; with load_count 0: there are none
    const scree_sim_flow* flow;       // NULL: no sphere was inserted or removed
    const scree_sim_cell_state* cell; // with def.cell; NULL: none, the cell is unchanged
    double time_step;                 // time step from here on (scree_sim_set_time_step); 0: unchanged
} scree_sim_state;

// Fills step, time_step, walls, motions, loads, flow and cell (valid until the next call on this simulation) and the data of all named columns; not the memory, which has its own
// function. ARGUMENT: no such column; the simulation was interrupted within a step.
SCREE_API scree_status scree_sim_get_state(const scree_sim* sim, scree_sim_state* out);
SCREE_API scree_status scree_sim_get_memory(scree_sim* sim, scree_sim_memory* out);  // valid until the next call on this simulation. ARGUMENT, MEMORY
// At most `count` of these contacts, from number `first` on, so that callers need no memory for all of them; *all: total number. Valid as above. Begin with first = 0; further calls then refer to the same state.
SCREE_API scree_status scree_sim_get_memory_rows(scree_sim* sim, int64_t first, int64_t count, scree_sim_memory* out, int64_t* all);  // ARGUMENT, MEMORY
SCREE_API scree_status scree_sim_get_bonds(scree_sim* sim, scree_sim_bonds* out);    // valid until the next call on this simulation; count 0 if it has none. ARGUMENT, MEMORY
SCREE_API scree_status scree_sim_get_bond_rows(scree_sim* sim, int64_t first, int64_t count, scree_sim_bonds* out, int64_t* all);  // a part of them, as scree_sim_get_memory_rows. ARGUMENT, MEMORY
SCREE_API const char* scree_sim_get_law(const scree_sim* sim, int32_t* words);  // name of its law; *words (may be NULL): numbers in the memory of a contact

// Sets a state. "x" and "v" are needed; without "a" accelerations are computed, without "key" spheres are sorted by position, without "x_before" it is computed
// from x, v and a; without "force" it is unchanged. With x and v alone the simulation continues from there, but not with the same bits as the one they were taken
// from. Columns that are given with the spheres (SCREE_USE_GIVEN) must be equal. ARGUMENT: an invalid value (the message names the sphere); nothing has
// changed. Contacts keep their memory and bonds what they are unless the state has its own: friction goes on, and what broke stays broken, where positions or velocities alone are set. A simulation that
// failed or was interrupted has no memory to keep; of its bonds those that hold are as new. MEMORY.
SCREE_API scree_status scree_sim_set_state(scree_sim* sim, const scree_sim_state* state);

// ---- Columns -----------------------------------------------------------------------------------------------------
// The data of each sphere, by name: positions, velocities and everything else that this simulation needs.
enum {  // uses
    SCREE_USE_STATE = 1,       // changes while the simulation runs; part of its state
    SCREE_USE_GIVEN = 2,       // fixed when the simulation is made
    SCREE_USE_CHECKPOINT = 4,  // in checkpoints
    SCREE_USE_FRAME = 8,       // of interest in frames
    SCREE_USE_HASHED = 16      // in scree_sim_hash
};

typedef struct scree_sim_column {
    const char* name;     // "x"
    int32_t type;         // scree_type
    int32_t components;   // values of a sphere
    uint32_t uses;
    const char* meaning;
} scree_sim_column;

// How many columns the simulation has; the first `room` of them are written to `out` (NULL: none).
SCREE_ROWS(scree_sim_get_columns, (const scree_sim* sim, scree_sim_column* out, int32_t room), (sim, out, room))

// The values of one column, count * components, by id. ARGUMENT: no such column; the simulation was interrupted within a step.
SCREE_API scree_status scree_sim_get_column(const scree_sim* sim, const char* name, void* out);

// The values of some columns, of `count` spheres from row `first` on. Rows are in ascending order of ids; if no sphere was removed, they are the ids. In addition to the columns above
// there is "contacts", an int64_t: the number of contacts of each sphere, walls included. With this call a large simulation can be written slice by slice, also one that several processes share
// (scree/par.h). MEMORY, ARGUMENT: as above, and rows that do not exist.
SCREE_API scree_status scree_sim_get_rows(const scree_sim* sim, int64_t first, int64_t count, int32_t column_count, const scree_sim_values* columns);

// 64 bits over the step, all x, v and (with rotation) spins by id, the memory of contacts, and bonds.
SCREE_API uint64_t scree_sim_hash(const scree_sim* sim);
SCREE_API uint64_t scree_sim_state_hash(const scree_sim_state* state, int32_t count, int32_t dim);  // of a state with x and v, and with flow the ids; 0 if x or v is missing

// ---- Measuring ---------------------------------------------------------------------------------------------------

typedef struct scree_sim_report {
    int64_t step;
    double time;
    double energy_kinetic;
    double energy_contact;    // of springs, including walls
    double energy_gravity;    // 0 at the origin
    double energy_potential;  // contact and gravity
    double momentum[3];
    double pressure;          // (sum of m |v - v_mean|^2 + virial) / (dim V), v_mean of the centre of mass; 0 if the box is
                              // open. A common motion of all spheres does not contribute
    double virial;            // sum of f.d over contacts, d from centre to centre or wall, f at x and v
    int64_t contacts;         // between spheres; each image in contact counts
    int64_t wall_contacts;
    double max_overlap;       // of two spheres, or of a sphere and a wall: a length
    double max_overlap_relative;  // largest overlap / smaller radius, as max_overlap_relative of scree/measure.h
    double speed_max;
    int64_t rebuilds;         // of the candidate list, so far
    int64_t candidates;       // in it now
    double skin;
    int32_t method;           // scree_method that found them
    size_t bytes;             // held by the simulation, index included
    double seconds_search, seconds_force, seconds_integrate, seconds_other;  // so far. Forces and integration are one pass over blocks of
                              // spheres, timed separately in each block
    // The stress tensor is the sum of these two, each symmetric, [axis][axis]; in 2D z has 0. Positive under pressure: their traces add up to dim * pressure,
    // to rounding (of giants: to that of their forces, scree_sim_numbers.force_quantum). 0 if the box is open.
    double kinetic_stress[3][3];  // sum of m (v - v_mean) (v - v_mean)^T / V, v_mean as for the pressure. Of a cell that moves: relative to the motion of the
                              // cell too, here and in the pressure
    double contact_stress[3][3];  // sum of f d^T / V over contacts, f and d as for the virial; with friction its symmetric part
    double energy_rotation;       // rotational; not included in energy_kinetic
    // energy_contact by kind of spring. Adhesion and liquid bridges are in the first.
    double energy_normal, energy_tangential, energy_rolling, energy_twisting;
    // With def.energies, since the simulation was created; else 0. Energy is dissipated by dashpots, by sliding, and with the energy left in springs when
    // contacts ended.
    double dissipated_normal, dissipated_tangential, dissipated_rolling, dissipated_twisting;
    double work_walls, work_gravity, work_forces;  // on the spheres; work_walls: of walls, boundaries, rotating fixed spheres, and the cell. Kinetic, rotational and contact energy plus all dissipated energy minus these three is constant
    int64_t sliding;              // sliding contacts, including walls
    // Bonds. Their forces are included in the virial, the pressure and contact_stress, but not in energy_contact. With bonds the constant sum also includes energy_bonds,
    // dissipated_bonds and released_bonds.
    int64_t bonds, bonds_broken;  // intact, and broken so far
    double energy_bonds;          // of intact bonds
    double dissipated_bonds;      // by their dashpots so far
    double released_bonds;        // energy of bonds when they broke
    double dissipated_drag, dissipated_local;  // by drag and by local damping (scree/loads.h) so far; terms of the constant sum
    scree_sim_flow flow;          // inserted and removed spheres. The constant sum also has -energy_inserted and +energy_removed
} scree_sim_report;

SCREE_RESULT(scree_sim_measure, (scree_sim* sim, scree_sim_report* out), (sim, out))

// What a step takes on this machine, with the threads of the simulation.
typedef struct scree_sim_costs {
    double seconds_sphere;     // of a step without lists, for each sphere,
    double seconds_candidate;  // and for each candidate pair: n * seconds_sphere + candidates * seconds_candidate fits the times of steps with lists of three skins, by least squares. Neither is below 0: where a fit
                               // would be, a candidate costs nothing, or a sphere as much as five candidates. The second is 0 if the numbers of candidates differ by less than a tenth
    double seconds_lists;      // for new lists, per step: that of one list, times `lists` over `steps`
    double seconds_step;       // of a step as it was measured, lists included. All other times are the shortest of several
    double error;              // of the fit: the largest difference to a measured time, relative
    int64_t steps, lists;      // steps as in a run, and new lists within them
} scree_sim_costs;

// Makes at most `most` steps and measures them, for some seconds. The steps are those of scree_sim_run, bit for bit. ARGUMENT: `most` below 7; UNSUPPORTED: a device or several ranks make the steps; else as scree_sim_run
SCREE_RESULT(scree_sim_find_costs, (scree_sim* sim, int64_t most, scree_sim_costs* out), (sim, most, out))

// What the ranks that share a simulation have of it (docs/processes.md).
#define SCREE_SIM_RANKS_MOST 65536
typedef struct scree_sim_share {
    int64_t own;         // spheres
    int64_t ghosts;      // copies of spheres of other ranks, renewed in each step
    int64_t peers;       // ranks with which it shares spheres: this many messages in each step
    int64_t sent;        // bytes of them
    int64_t candidates;  // rows of its list
    int64_t work;        // of a step, in the units by which the ranks get equal parts
    int64_t bytes;       // the most memory that its process had at once. Rank 0, whose process has more, does not count here where there are others
} scree_sim_share;

typedef struct scree_sim_plan {
    int32_t ranks;
    scree_sim_share sum;   // over all ranks
    scree_sim_share most;  // that one rank has: each number by itself
    int64_t first;         // the most bytes that the process of rank 0 had at once, its rank included
    scree_sim_share least; // that one rank has: each number by itself
    int64_t held;          // bytes that all processes but that of rank 0 have now,
    int64_t held_most;     // one of them has,
    int64_t held_first;    // and that of rank 0
} scree_sim_plan;

// Of a simulation that ranks share (scree_par_share), as it is. What they had at most is since the last call, or the start. ARGUMENT: none do, or it was just made and they have nothing of it before its first step; MEMORY
SCREE_RESULT(scree_sim_get_shares, (scree_sim* sim, scree_sim_plan* out), (sim, out))

// How `ranks` ranks would share a simulation as it is now. Their parts are made in this process, where all of them together need their memory; the simulation stays as it is. `first` is what process 0 would have if it
// made the simulation by scree_sim_create: rank 0, the arrays that it gives, and one slice of spheres. ARGUMENT: fewer than 1 or more than SCREE_SIM_RANKS_MOST ranks; UNSUPPORTED: what several processes cannot
// simulate yet; MEMORY
SCREE_RESULT(scree_sim_find_plan, (scree_sim* sim, int32_t ranks, scree_sim_plan* out), (sim, ranks, out))

// The boundaries: 0 to 5 are the faces of the box, lower x, upper x, lower y and so on, whether it has walls there or not; then the round wall of the
// container, if it has one, and def.boundaries. Forces are the current ones, as in scree_sim_contacts.
typedef struct scree_sim_boundary_report {
    char name[32];          // "lower x", "cylinder 6"
    int64_t contacts;
    double at[3];           // now; of a face: where it crosses its axis
    double velocity[3], spin[3];
    double force[3];        // of the spheres on it
    double torque[3];       // of these forces about `at`
    double power;           // transferred to the spheres: the forces on them times the velocities of the surface there
    bool present;           // false: there is no wall, and nothing can touch it
    double turn[3][3];      // exact shapes and meshes: current rotation matrix; else the identity
} scree_sim_boundary_report;

// Returns the number of boundaries; the first `room` of them are written to `out` (NULL: none). Below 0: the simulation was interrupted within a step, or out of memory.
SCREE_ROWS(scree_sim_get_boundaries, (scree_sim* sim, scree_sim_boundary_report* out, int32_t room), (sim, out, room))

// Sets the motion of a boundary (number 6 or more) from the next step on. ARGUMENT.
SCREE_API scree_status scree_sim_set_motion(scree_sim* sim, int32_t boundary, const double velocity[3], const double spin[3]);

// All current contacts, by (i, j, shift), contacts with boundaries last. Valid until the next call on this simulation. MEMORY.
typedef struct scree_sim_contacts {
    int64_t count;
    int64_t pair_count;        // contacts between spheres
    const int64_t (*ij)[2];    // ids, i < j; or i = j; j < 0: boundary -1 - j, a wall of the box is -1 - (2 axis + (0 lower, 1 upper))
    const int8_t (*shift)[3];  // of the image of j, at x_j + shift * L; NULL when no axis is periodic
    const double* overlap;
    const double (*normal)[3]; // from j to i, length 1
    const double (*force)[3];  // on i, as used for the acceleration of this moment: the sum over the contacts of a sphere is m (a - g) with
                               // a of scree_sim_get_state, up to rounding. With damping the law sees the velocities predicted for this moment,
                               // v of the last half step + a of the last step * step / 2, which differ from the v of the state by O(step^2).
                               // Right after scree_sim_set_state with accelerations (as after a resume) the prediction is not known, and damped
                               // forces are computed from x and v, until the next step
    int32_t words;             // numbers in the memory of a contact
    const double* memory;      // count * words, seen from i; NULL: the law has no memory
    const double (*tangential)[3];  // tangential part of the force; NULL: the law has no friction
    const double (*torque)[3]; // on i, by friction, rolling and twisting; NULL: the law has no torques
    const uint8_t* sliding;    // 1: the friction is at its limit; NULL as tangential
    const int32_t* feature;    // which triangle, edge or vertex of an exact shape or mesh (scree/surface.h), else -1; NULL: no boundary is one
} scree_sim_contacts;

SCREE_API scree_status scree_sim_get_contacts(scree_sim* sim, scree_sim_contacts* out);

// Checks internal data structures; slow. ARGUMENT: the message names what is inconsistent (this indicates a bug; please report it).
SCREE_API scree_status scree_sim_validate(scree_sim* sim);

// ---- Starts ------------------------------------------------------------------------------------------------------
// Random velocities: each component of sphere i has variance T / m_i; with `still` the total momentum is then removed.
// The 1 % rule of Ogarko and Luding: two colliding spheres overlap by `overlap` radii of the smallest on average, if
// T = 2 k (overlap r_min)^2 / pi (mean over collisions, independent of masses).
typedef struct scree_thermal_def {
    uint32_t struct_size;
    double temperature;       // mean of m v^2 per axis; 0: by the rule
    double overlap;           // of the rule (0.01)
    double stiffness;         // of the rule
    double material_density;
    bool still;               // no total momentum (true)
    uint64_t seed;
} scree_thermal_def;

SCREE_DEFAULTS(scree_thermal_def, scree_default_thermal_def)
SCREE_API scree_status scree_thermal_velocities(const scree_thermal_def* def, scree_spheres spheres, double* v);  // count * dim

#ifdef __cplusplus
}
#endif
#endif
