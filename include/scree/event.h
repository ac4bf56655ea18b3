// scree/event.h: event-driven dynamics of hard spheres, of constant size or all growing at one rate.
//
//     scree_event_def def = scree_default_event_def();
//     def.box = box;                                      // closed: walls or periodic per axis
//     scree_event_system* system;
//     scree_event_create(&def, spheres, v, &system);      // no two may overlap
//     scree_event_until until = scree_default_event_until();
//     until.collisions = 100 * (int64_t)spheres.count;
//     scree_event_run(system, &until);
//     scree_event_stats s = scree_event_get_stats(system); // s.reduced_pressure, s.collision_rate, ...
//     scree_event_destroy(system);
//
// Between collisions spheres move along straight lines; radii are the given ones times scale(t) = scale + rate * t. Each collision is
// computed at its exact time, so no overlap exceeds rounding. scree_pack_grow (scree/pack.h) makes dense packings in this way.
// Lengths, times and masses are in the caller's units; temperature is energy (k_B = 1). Collisions are processed one after the other: threads are used
// only to make lists. The same input gives the same bits, for any method of the index and number of threads.
#ifndef SCREE_EVENT_H
#define SCREE_EVENT_H

#include "scree/geom.h"
#include "scree/index.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct scree_event_def {
    uint32_t struct_size;  // filled by the default function; lets this struct grow between versions
    scree_box box;         // closed on every axis: walls or periodic, 2D or 3D. The unit cube with walls
    double scale;          // of the radii at time 0, 0 or more; 1. At 0 all are points
    double rate;           // its growth per time, 0 or more; 0
    double restitution;    // coefficient of restitution, 0 to 1; 1. Well below 1, dense clusters can have infinitely many collisions in a
                           // finite time (inelastic collapse): set a limit of collisions
    const double* mass;    // of each sphere, above 0; NULL: r^dim, in units of their mean. Borrowed for scree_event_create
    int32_t method;        // scree_method that makes the lists of all spheres; the list of a single sphere is made from a grid of its own. HIERARCHICAL_GRID
    int32_t threads;       // 0: all cores, for making lists
    scree_watch watch;     // progress and stop of scree_event_run; zeroed: none
} scree_event_def;

typedef struct scree_event_system scree_event_system;

SCREE_DEFAULTS(scree_event_def, scree_default_event_def)

// Centres and velocities (interleaved, dim each) and radii are copied. Radii are above 0. O(n) memory, about 800 bytes a sphere.
// ARGUMENT: an invalid def; scree_spheres_check's reasons; a velocity or mass that is not finite; without masses, radii with a ratio above
// 1e60; spheres that overlap (by more than 1e-9 of the sum of their radii), have the same centre or extend beyond a wall (the message names the first);
// a periodic axis shorter than a diameter. MEMORY.
SCREE_API scree_status scree_event_create(const scree_event_def* def, scree_spheres spheres, const double* v, scree_event_system** out);
SCREE_API void scree_event_destroy(scree_event_system* system);  // NULL is fine

// When a run ends: at the first of these.
typedef struct scree_event_until {
    uint32_t struct_size;  // filled by the default function; lets this struct grow between versions
    double time;           // of the system, which starts at 0. INFINITY
    double scale;          // of the radii. INFINITY
    int64_t collisions;    // between spheres, from now on. INT64_MAX
} scree_event_until;

SCREE_DEFAULTS(scree_event_until, scree_default_event_until)

// About 1 microsecond per collision at moderate sizes and densities. OK also if no event remains; time then advances to `until.time`, or stays if that is infinite. Growth and time stop
// when a sphere touches its own image.
// CANCELLED: the watch returned false. MEMORY. In both cases the system is consistent, at a later time than before, and can continue.
SCREE_API scree_status scree_event_run(scree_event_system* system, const scree_event_until* until);

// A collision of sphere i with sphere j, or with a wall.
typedef struct scree_event_hit {
    double time;
    int32_t i, j;  // j: -1 for a wall
    int32_t axis;  // of the wall; else -1
    int32_t side;  // 0: the lower wall, 1: the upper one; else 0
} scree_event_hit;

// Runs up to the next collision, of either kind, and includes it. out->i is -1 if there is none before `time`. Errors as scree_event_run.
SCREE_RESULT(scree_event_next, (scree_event_system* system, double time, scree_event_hit* out), (system, time, out))

// Scales all velocities to this temperature, above 0. No effect if all spheres are at rest. O(n).
SCREE_API scree_status scree_event_set_temperature(scree_event_system* system, double temperature);
SCREE_API scree_status scree_event_set_rate(scree_event_system* system, double rate);

// Centres (in [lower, upper) on periodic axes) and velocities at the current time, in the order given to scree_event_create; either may be NULL. O(n).
SCREE_API void scree_event_get_state(const scree_event_system* system, double* x, double* v);

// Since the beginning, or since scree_event_reset_stats: `span`, collisions and what is computed from them.
typedef struct scree_event_stats {
    int32_t n;
    double time, scale;       // now
    double density;           // now: volume of the spheres to that of the box
    double energy;            // kinetic, now
    double temperature;       // now: 2 energy / (dim n)
    double momentum[3];       // now
    double span;              // duration of the measurement
    int64_t collisions;       // between spheres
    int64_t wall_collisions;
    double collision_rate;    // of a sphere: 2 collisions / (n span). This and the next two are NAN if span is 0
    double mean_free_time;    // 1 / collision_rate
    double reduced_pressure;  // p V / (n T): 1 + sum of impulse times distance over dim n T span, T being the mean over the span
    int64_t predictions;      // computations of the next event of a sphere
    int64_t tests;            // partners tested in them
    int64_t refreshes;        // lists of single spheres rebuilt
    int64_t rebuilds;         // of all lists at once
    int64_t entries;          // total of all lists, now; each pair counts twice
    double skin;              // lists contain all spheres within this gap, now
} scree_event_stats;

SCREE_VALUE(scree_event_stats, scree_event_get_stats, (const scree_event_system* system), (system))  // O(n)
SCREE_API void scree_event_reset_stats(scree_event_system* system);

// Tests whether the spheres are jammed. The pressure during growth does not show it, because growth pushes the spheres together. Growth is therefore switched off (the rate becomes 0),
// and the spheres continue at constant size: four quarters of T = 400 collisions per sphere, or 10 / rate (at most 1e5) where that is more; `rate` is as in scree_grow_def. Then windows
// of T, 2 T and 4 T, until one has at least 75 % of the pressure of the one before (the first: of the highest quarter). Jammed: in each quarter and window
// the reduced pressure is at least 1e4, or half of `pressure` where that is less; and afterwards the spheres that are no rattlers have at least 95 % of the
// dim N - (periodic axes) + 1 contacts, walls included, that make N of them rigid. Contacts are nearer than 1e-3 diameters of the sphere of mean volume, or twenty
// mean gaps (20 / pressure) where that is more. Also jammed: a sphere that reaches from wall to wall or to its own image, to 1e-3 of its diameter.
typedef struct scree_event_rest {
    bool jammed;
    double reduced_pressure;  // between spheres or on the walls, whichever is higher, over the last window; NAN if nothing collides
    double contacts;     // found, over the number needed
    int32_t rattlers;    // spheres held by fewer than dim + 1 neighbours and walls
    int64_t collisions;  // between spheres during the test
} scree_event_rest;

// `pressure`: reached by the growth; 0: very high. Ends with the first quarter or window in which the pressure is too low. ARGUMENT: a pressure that is not a number or below 0;
// CANCELLED, MEMORY: as scree_event_run; `jammed` is then false.
SCREE_RESULT(scree_event_is_jammed, (scree_event_system* system, double pressure, scree_event_rest* out), (system, pressure, out))

// Checks all internal data (all pairs; slow). SCREE_OK, or ARGUMENT with the inconsistency, which indicates a bug.
SCREE_API scree_status scree_event_validate(scree_event_system* system);

#ifdef __cplusplus
}
#endif
#endif
