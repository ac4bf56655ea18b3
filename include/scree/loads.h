// scree/loads.h: loads that act on a simulation and may change with time: gravity, forces and torques on groups, driven groups, walls and boundaries that move or are
// force-controlled, drag.
//
//     scree_sim_load shaking = scree_default_sim_load();
//     shaking.kind = SCREE_LOAD_BOUNDARY_PATH;            // the floor of the box goes up and down
//     shaking.target = 4;                                 // lower z
//     shaking.value = (scree_signal){.kind = SCREE_SIGNAL_SINE, .to = {0.0, 0.0, 1e-3}, .frequency = 50.0};
//     scree_sim_set_load(sim, &shaking);
//
// A load acts from the step at which it is set until another load of the same kind and target replaces it. Its values are computed from the number of the step, so
// interruptions do not affect them. Loads are part of the state (scree_sim_state.loads) and of checkpoints.
#ifndef SCREE_LOADS_H
#define SCREE_LOADS_H

#include "scree/sim.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- A function of time ------------------------------------------------------------------------------------------

typedef enum scree_signal_kind {
    SCREE_SIGNAL_CONSTANT = 0,
    SCREE_SIGNAL_RAMP,      // from `value` to `to` within the time `over`, then constant
    SCREE_SIGNAL_SINE,      // value + to sin(2 pi frequency t + phase)
    SCREE_SIGNAL_TABLE,     // linear between rows; constant before the first and after the last row
    SCREE_SIGNAL_COUNT
} scree_signal_kind;

SCREE_API const char* scree_signal_name(int32_t number);  // "ramp"; NULL for an unknown number

// Up to three numbers that depend on the time t since the signal began. Zeroed: 0 at all times.
typedef struct scree_signal {
    int32_t kind;           // scree_signal_kind
    double value[3];
    double to[3];
    double over;            // above 0
    double frequency;       // 1/time, 0 or more
    double phase;           // radians
    int32_t count;          // of rows, 1 or more
    const double* table;    // count rows of 4: the time, ascending, and three numbers. Borrowed
} scree_signal;

SCREE_API scree_status scree_signal_check(const scree_signal* signal);  // ARGUMENT: an invalid signal
// These need a signal that passes the check. Cost: O(log rows); for the integral of a table O(rows).
SCREE_API void scree_signal_at(const scree_signal* signal, double time, double out[3]);
SCREE_API void scree_signal_rate(const scree_signal* signal, double time, double out[3]);      // its derivative; at a corner the right-hand one
SCREE_API void scree_signal_integral(const scree_signal* signal, double time, double out[3]);  // from 0 to `time`

// ---- Loads -------------------------------------------------------------------------------------------------------

typedef enum scree_load {
    SCREE_LOAD_GRAVITY = 0,        // acceleration. It ends a rotation of gravity
    SCREE_LOAD_TURN,               // gravity rotates with this angular velocity, radians per time, about a constant axis
    SCREE_LOAD_FORCE,              // external force on each sphere of a group
    SCREE_LOAD_TORQUE,             // external torque on each sphere of a group; needs a law with rotation
    SCREE_LOAD_VELOCITY,           // a group is driven: it moves with this velocity and acts on others as bodies of infinite mass
    SCREE_LOAD_SPIN,               // a group is driven: each of its spheres rotates with this spin. If only one of velocity and spin is given, the other is 0
    SCREE_LOAD_BOUNDARY_VELOCITY,  // of a wall of the box or of another boundary
    SCREE_LOAD_BOUNDARY_SPIN,      // of a boundary that can rotate
    SCREE_LOAD_BOUNDARY_PATH,      // displacement since the load was set, minus the initial value: an oscillation, or a path from a table
    SCREE_LOAD_SERVO_FORCE,        // it moves along `direction`, at most with `speed`, so that it exerts this force [0]
    SCREE_LOAD_SERVO_PRESSURE,     // ... with this force per area
    SCREE_LOAD_SERVO_TORQUE,       // it rotates about `direction`, at most with the spin `speed`, so that it exerts this torque [0] on the spheres
    SCREE_LOAD_DRAG,               // force -(c + per_mass m) v and torque -(c_spin + per_mass I) w on each sphere: c, per_mass and c_spin
    SCREE_LOAD_LOCAL_DAMPING,      // Cundall's: each component of force and torque is reduced by this fraction [0] where it accelerates the motion, and increased by it where it
                                   // slows the motion down; 0 or more, below 1
    SCREE_LOAD_COUNT
} scree_load;

SCREE_API const char* scree_load_name(int32_t number);  // "gravity"; NULL for an unknown number

typedef struct scree_sim_load {
    uint32_t struct_size;   // filled by the default function
    int32_t kind;           // scree_load
    int32_t target;         // number of the group, or of the boundary as scree_sim_get_boundaries has them; 0 for gravity, drag and local damping
    scree_signal value;     // its table is copied
    double speed;           // servo: the largest; above 0
    double direction[3];    // servo: of any length; 0 0 0: the inward normal of a face, the axis of a cylinder
    double area;            // servo of a pressure; 0: the area of the face between the current positions of the other walls
} scree_sim_load;

SCREE_DEFAULTS(scree_sim_load, scree_default_sim_load)

// Acts from now on and replaces a load of the same kind and target; a boundary has one of velocity, path and servo. A constant value has the same effect as
// scree_sim_set_gravity, scree_sim_set_group_force or scree_sim_set_motion. ARGUMENT: invalid values; no such group or boundary; a servo without a
// direction. UNSUPPORTED: gravity that rotates and changes in another way at the same time. MEMORY.
SCREE_API scree_status scree_sim_set_load(scree_sim* sim, const scree_sim_load* load);

// Spheres of a group that are driven or fixed move freely from now on, with their current velocities. ARGUMENT: no such group; a sphere that is too light for the time
// step. MEMORY.
SCREE_API scree_status scree_sim_release_group(scree_sim* sim, int32_t group);

// The active loads that are not constant, and drag and local damping. Returns their number; the first `room` are written to `out` (NULL: none), with tables that are valid until
// the next call on this simulation.
SCREE_ROWS(scree_sim_get_loads, (const scree_sim* sim, scree_sim_load* out, int32_t room), (sim, out, room))

// ---- Groups ------------------------------------------------------------------------------------------------------

typedef struct scree_sim_group_report {
    int64_t count;           // spheres
    int64_t held;            // spheres that are fixed or driven; the following members are without these
    double mass;
    double energy_kinetic, energy_rotation;
    double momentum[3];
} scree_sim_group_report;

// Returns the highest number of a group plus one; the first `room` reports are written to `out` (NULL: none). Below 0: the simulation was interrupted within a step, or out of memory.
SCREE_ROWS(scree_sim_get_groups, (const scree_sim* sim, scree_sim_group_report* out, int32_t room), (sim, out, room))

#ifdef __cplusplus
}
#endif
#endif
