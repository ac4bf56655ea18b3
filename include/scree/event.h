// scree/event.h: hard spheres, from collision to collision; at rest in size, or all growing at one rate.
//
//     scree_event_def def = scree_default_event_def();
//     def.box = box;                                      // closed: walls or periodic per axis
//     scree_event_system* system;
//     scree_event_create(&def, spheres, v, &system);      // no two may overlap
//     scree_event_until until = scree_default_event_until();
//     until.collisions = 100 * (int64_t)spheres.count;
//     scree_event_run(system, &until);
//     scree_event_stats s = scree_event_get_stats(system); // s.pressure, s.collision_rate, ...
//     scree_event_destroy(system);
//
// Between collisions spheres fly straight; radii are scale(t) times those given, scale(t) = scale + rate * t. Each collision is
// found and carried out at its time, so nothing ever overlaps beyond rounding. Below, dense packings made that way: scree_pack_grow.
// Lengths, times and masses are in the caller's units; temperature is energy (k_B = 1). Collisions come one after the other: only
// making lists uses threads. The same input gives the same bits, whatever the method of the index and the number of threads.
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
    double restitution;    // share of the normal velocity that a collision gives back, 0 .. 1; 1. Well below 1, dense clusters come to
                           // collide without end in a finite time (inelastic collapse): give a limit of collisions
    const double* mass;    // of each sphere, above 0; NULL: r^dim, in units of their mean. Borrowed for scree_event_create
    int32_t method;        // scree_method that makes all lists; the list of one is made in cells of its own. HIERARCHICAL_GRID
    int32_t threads;       // 0: all cores, for making lists
    scree_watch watch;     // progress and stop of scree_event_run; zeroed: none
} scree_event_def;

typedef struct scree_event_system scree_event_system;

SCREE_API scree_event_def scree_default_event_def(void);

// Centres and velocities (interleaved, dim each) and radii are copied. Radii are above 0. O(n) memory, about 800 bytes a sphere.
// ARGUMENT: an invalid def; scree_spheres_check's reasons; a velocity or mass that is no number; without masses, radii of a ratio above
// 1e60; spheres that overlap (by more than 1e-9 of their distance of touching), have the same centre or stick out through a wall, the first is
// named; a periodic axis shorter than a diameter. MEMORY.
SCREE_API scree_status scree_event_create(const scree_event_def* def, scree_spheres spheres, const double* v, scree_event_system** out);
SCREE_API void scree_event_destroy(scree_event_system* system);  // NULL is fine

// Where a run ends: at whichever comes first.
typedef struct scree_event_until {
    double time;         // of the system's clock, which is 0 at the beginning and never runs back. INFINITY
    double scale;        // of the radii. INFINITY
    int64_t collisions;  // between spheres, from now on. INT64_MAX
} scree_event_until;

SCREE_API scree_event_until scree_default_event_until(void);

// About 1 microsecond per collision at moderate sizes and densities. OK also when nothing can happen any more (time is then as
// asked, or stays if there is no end to it; one sphere alone never collides). Radii stop growing, and so does time, where a sphere comes to touch its own image.
// CANCELLED: the watch said stop. MEMORY. In both cases the system is whole, at a time somewhat later than before, and can continue.
SCREE_API scree_status scree_event_run(scree_event_system* system, const scree_event_until* until);

// A collision: of sphere i with the image of j that is `shift` boxes away, or with a wall. The shift is for centres as they are kept
// inside, which are in the box at the beginning and then fly on.
typedef struct scree_event_hit {
    double time;
    int32_t i, j;  // j: -1 for a wall
    int32_t axis;  // of the wall; else -1
    int32_t side;  // 0: the lower wall, 1: the upper one; else 0
} scree_event_hit;

// Runs up to and with the next collision, of either kind. hit.i is -1 if there is none before `time`. Errors as scree_event_run.
SCREE_API scree_status scree_event_next(scree_event_system* system, double time, scree_event_hit* hit);

// All velocities are multiplied so that the temperature becomes this one (above 0; nothing happens to spheres at rest). O(n).
SCREE_API scree_status scree_event_set_temperature(scree_event_system* system, double temperature);
SCREE_API scree_status scree_event_set_rate(scree_event_system* system, double rate);

// Centres (in [lower, upper) on periodic axes) and velocities at the time of the clock, in the order given; either may be NULL. O(n).
SCREE_API void scree_event_get(const scree_event_system* system, double* x, double* v);

// Since the beginning, or since scree_event_measure_anew: `span`, collisions and what is computed from them.
typedef struct scree_event_stats {
    int32_t n;
    double time, scale;       // now
    double density;           // now: volume of the spheres to that of the box
    double energy;            // kinetic, now
    double temperature;       // now: 2 energy / (dim n)
    double momentum[3];       // now
    double span;              // time that it was measured for
    int64_t collisions;       // between spheres
    int64_t wall_collisions;
    double collision_rate;    // of a sphere: 2 collisions / (n span); NAN if span is 0, as the next two
    double mean_free_time;    // 1 / collision_rate
    double pressure;          // reduced, p V / (n T): 1 + sum of impulse times distance over dim n T span, T being the mean over the span
    int64_t predictions;      // how often a sphere's next event was looked for
    int64_t tests;            // partners looked at for it
    int64_t refreshes;        // lists of single spheres rebuilt
    int64_t rebuilds;         // of all lists at once
    int64_t entries;          // in all lists, now; each pair counts twice
    double skin;              // a list holds all within this gap, now
} scree_event_stats;

SCREE_API scree_event_stats scree_event_get_stats(const scree_event_system* system);  // O(n)
SCREE_API void scree_event_measure_anew(scree_event_system* system);

// Whether the spheres are jammed. The pressure measured while they grow does not say so: it is that of being pushed together. So growth ends (the rate becomes 0),
// and they continue at constant size: four quarters of T = 400 collisions per sphere, or 10 / rate (at most 1e5) where that is more; `rate` is as in scree_grow_def. Then windows
// of T, 2 T and 4 T, until one has at least 75 % of the pressure of the one before (the first: of the highest quarter). Jammed: in each quarter and window
// the reduced pressure is at least 1e4, or half of `pressure` where that is less; and afterwards the spheres that are no rattlers have at least 95 % of the
// dim N - (periodic axes) + 1 contacts, walls included, that make N of them rigid. Contacts are nearer than 1e-3 diameters of the sphere of mean volume, or twenty
// mean gaps (20 / pressure) where that is more. Also jammed: a sphere that reaches from wall to wall or to its own image, to 1e-3 of its diameter.
typedef struct scree_event_rest {
    bool jammed;
    double pressure;     // reduced, between spheres or on the walls, whichever is higher, over the last window; NAN if nothing collides
    double contacts;     // found, over those needed
    int32_t rattlers;    // held by fewer than dim + 1 others and walls
    int64_t collisions;  // between spheres, that the check took
} scree_event_rest;

// `pressure`: the one that growth reached; 0: very high. Ends with the first quarter or window that has too little pressure. ARGUMENT: a pressure that is no number or below 0;
// CANCELLED, MEMORY: as scree_event_run; `jammed` is then false.
SCREE_API scree_status scree_event_is_jammed(scree_event_system* system, double pressure, scree_event_rest* out);

// Checks everything, slowly (all pairs). SCREE_OK, or ARGUMENT with what does not hold (our mistake, not yours).
SCREE_API scree_status scree_event_validate(scree_event_system* system);

// ---- Packings by growth ------------------------------------------------------------------------------------------
// Spheres of any size distribution begin small, at random places, fly about and grow, all by the same factor, until they have their size in
// the box, or jam (Lubachevsky and Stillinger). The slower, the denser; below a rate of 0.001 equal spheres form crystals.
//
//     scree_grow_def def = scree_default_grow_def();
//     def.density = 0.62;
//     scree_growth g;
//     scree_pack_grow(&def, count, r, &g);    // g.x[count * dim] in g.box; the radii are yours, as given
//     scree_growth_free(&g);

typedef struct scree_grow_def {
    uint32_t struct_size;  // filled by the default function; lets this struct grow between versions
    scree_box box;         // walls or periodic per axis, 2D or 3D. The unit cube with walls
    double density;        // to grow to, in a box of the shape and lower corner of `box`; 0: the box is as large as it is; INFINITY: grow till
                           // jammed, the size of the box being an outcome. 0
    double pressure;       // reduced pressure (or that on the walls) at which growth ends; if scree_event_is_jammed holds then, that is an end as good as the
                           // density; 0: 1e10, and `converged` is then said only if the density was reached (or if there was none). 0
    double rate;           // growth of the diameter of the sphere of mean volume, at the end, over its mean thermal velocity sqrt(T/m).
                           // 0.1 is quick, 0.01 or less is needed to jam, 0.001 is slow; 0.02
    double start_density;  // of the random sequential addition that it begins with; less if that finds no room. 0: points. 0.25; discs find room to 0.35
    double collisions;     // per sphere, when grown: plain motion at constant size, the second half of which is measured; 0
    double restitution;    // of that motion; 1
    double seconds;        // time limit, looked at where the watch is; 0: none. Only the end depends on the clock
    int32_t method;        // as above. No bit depends on it. HIERARCHICAL_GRID
    uint64_t seed;         // of places and velocities; 1
    int32_t threads;       // 0: all cores, for making lists
    scree_watch watch;     // progress and stop; zeroed: none
    double* density_now;   // filled before each tick of the watch; NULL: not wanted
} scree_grow_def;

typedef struct scree_growth {
    int32_t count;
    double* x;              // count * dim, in the order of the radii, as growth ended (after plain motion, if there was some); owned
    double* v;              // velocities, at temperature 1 and a mean mass of 1 (masses are as r^dim); owned
    scree_box box;          // in which the radii have their size: as asked if `reached`; larger, of the same shape, if not
    double density;         // of the radii in it
    bool reached;           // the density asked for
    bool jammed;            // growth came to the pressure, and scree_event_is_jammed says so
    bool converged;         // came to an end that was asked for
    double pressure;        // reduced, over the last stretch of growth (or of plain motion, if there was some)
    double pressure_at_rest;  // that of scree_event_rest, for this packing at constant size; NAN if growth did not come to the pressure
    double slower_rate;     // to try where growth came to the pressure and is not jammed: a quarter of def.rate; else 0
    double collision_rate;  // per sphere and time; time in units of the mean sphere's diameter over its thermal velocity
    double mean_free_time;
    double temperature;     // at the end of plain motion; mean mass 1, 1 at its beginning
    double time;            // that growth took, in these units
    int64_t collisions;     // in total
    int64_t predictions, tests, refreshes, rebuilds;  // as in scree_event_stats, in total
    double seconds;
} scree_growth;

SCREE_API scree_grow_def scree_default_grow_def(void);

// No two spheres of the packing overlap, images counted, by the predicate of the index, and at walls they are inside as a whole; centres are
// in [lower, upper) on periodic axes: looked at from scratch before it is handed over. The same def and radii give the same bits.
// ARGUMENT: an invalid def or radius (radii are above 0 here), a density above 1, a sphere larger than the box; MEMORY: `out` is
// zeroed. CANCELLED: the watch said stop; `out` then holds a packing all the same, valid but looser, in a larger box, with `converged`
// false (zeroed if it had not begun to grow). Free it in any case.
SCREE_API scree_status scree_pack_grow(const scree_grow_def* def, int32_t count, const double* r, scree_growth* out);
SCREE_API void scree_growth_free(scree_growth* growth);  // and zeroes it; a zeroed one is fine

#ifdef __cplusplus
}
#endif
#endif
