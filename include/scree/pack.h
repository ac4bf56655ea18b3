// scree/pack.h: packings of spheres in a box or another container.
//
//     scree_place_def def = scree_default_place_def();
//     def.box = box;                                   // closed: walls or periodic per axis
//     def.seed = 7;
//     scree_place_random(&def, count, r, x);           // fills x[count * dim]; no two spheres overlap
//
// The caller gives radii and gets centres in the same order. The same def and radii give the same bits.
#ifndef SCREE_PACK_H
#define SCREE_PACK_H

#include "scree/geom.h"
#include "scree/sizes.h"

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

// The outcome of a call, also of one that failed to place a sphere or was stopped.
typedef struct scree_place_report {
    int32_t placed;        // number of spheres placed
    int64_t tries;         // random sequential addition: centres drawn so far, over all spheres
    double density;        // volume of the placed spheres over that of the box
    double density_asked;  // the same of all spheres
    double spacing;        // lattice: the spacing used; else 0
} scree_place_report;

typedef struct scree_place_def {
    uint32_t struct_size;        // filled by the default function; lets this struct grow between versions
    scree_box box;               // closed on every axis: walls or periodic, in 2D or 3D. The unit cube with walls. Only scree_place_random supports tilted boxes;
                                 // lattices and saturation return UNSUPPORTED
    int32_t container;           // scree_container_kind (scree/geom.h) that the box bounds; BOX. Densities then refer to the container
    uint64_t seed;               // of random sequential addition; 1
    int64_t tries;               // random sequential addition: most tries for one sphere; 1000000
    int32_t threads;             // unused: these calls run on one thread
    scree_watch watch;           // progress and stop; zeroed: none
    scree_place_report* report;  // filled at the end, if def and radii are valid, and by random sequential addition before each tick of the watch; NULL: none
    scree_spheres standing;      // random sequential addition: spheres already in the box, which are not overlapped; borrowed; on periodic axes any image. None
    bool (*clear)(const void* context, const double x[3], double r);  // random sequential addition: a further condition, whether a sphere may be at x; NULL: none
    const void* clear_context;
} scree_place_def;

SCREE_DEFAULTS(scree_place_def, scree_default_place_def)

// Random sequential addition: spheres are placed from large to small, equal ones by number, at random centres where they overlap no earlier sphere,
// no sphere of def.standing, and no image of these. Spheres lie entirely inside walls; on periodic axes centres are in [lower, upper).
// About O(1) tests per try and octave of radius, O(count) memory, at any size ratio. Equal spheres are easy to place up to density 0.30 (2D: 0.40) and
// cannot exceed 0.384 (0.547); wide size distributions reach more.
// ARGUMENT: an invalid def or radius; a sphere larger than the box (also one that would touch its own image); more volume than
// the box has; a sphere that was not placed in def.tries tries: the message names it and suggests a box. MEMORY. CANCELLED: `x` has the spheres placed
// so far, the largest ones; the others are NAN. Otherwise `x` is written on success only.
SCREE_API scree_status scree_place_random(const scree_place_def* def, int32_t count, const double* r, double* x);

// A cubic lattice (2D: square), x fastest, then y, then z; sphere 0 is half a spacing from the lower faces. An axis of length L has
// L / spacing sites, rounded down. Boxes only. Spacing 0: the largest with which all spheres have a site. Spheres as wide as the spacing touch, up to
// rounding. O(count).
// ARGUMENT: an invalid def, radius or spacing; a spacing below the largest diameter; fewer sites than spheres. The message names the
// sphere and the box of this shape that is needed. CANCELLED. `x` is written on success only.
SCREE_API scree_status scree_place_lattice(const scree_place_def* def, double spacing, int32_t count, const double* r, double* x);

// The outcome of a saturated random sequential addition.
typedef struct scree_saturation {
    int32_t placed;    // number of spheres placed
    int32_t listed;    // placed in the first round
    int32_t refused;   // radii that provably did not fit in the first round. listed + refused is the whole list, unless the call was stopped
    int32_t rounds;    // passes through the list; the last one may be incomplete
    int64_t tries;     // centres drawn
    double density;    // volume of the placed spheres over that of the container
    double open;       // fraction of the volume that may still be free for a centre of the current radius
    double full_from;  // provably no sphere of this radius or a larger one fits; INFINITY: nothing is proven
    bool saturated;    // full_from is the smallest radius of the list
} scree_saturation;

// Random sequential addition until provably no further sphere fits. In the first round each radius of the list, from large to small, gets a random centre, uniform over all free
// points, or is left out because provably no centre is free for it. In further rounds sizes that may still fit are drawn from the list again, about as many as there are
// spheres, until the smallest radius is left out. The list represents a size distribution. At most `rounds` rounds; 0: until saturated; 1: each radius at most once.
// Equal spheres end at a density of about 0.384 in large periodic boxes (2D: 0.547).
// *out is a new set with def.box, the spheres in the order of placement; free it with scree_sphere_set_free. `report` is filled before each
// tick of the watch and at the end; NULL: none. def.tries is ignored; one thread is used.
// O(placed) memory, up to 1.6 kB for a sphere and 0.4 kB for a disc; 70 to 300 microseconds for a sphere, 10 to 50 for a disc; a millisecond where many
// different radii of the list do not fit.
// ARGUMENT: an invalid def or radius; no radii; r = 0; a sphere larger than the box; more than 2^31 spheres would fit. MEMORY.
// CANCELLED: *out has the spheres placed so far; free it too.
SCREE_API scree_status scree_place_until_full(const scree_place_def* def, int32_t count, const double* r, int32_t rounds,
                                              scree_saturation* report, scree_sphere_set* out);

// The same for equal spheres (discs); their number is a result.
SCREE_API scree_status scree_place_saturated(const scree_place_def* def, double r, scree_sphere_set* out);

// The density of a random close packing of spheres with these radii in a large box, estimated by the method of Farr and Groot (2009): 0.643 for
// equal spheres. Actual packings are within -0.03 to +0.01 of it for size ratios up to 10; walls, and spheres
// that are large compared with the box, make them looser. Deterministic; the order of the radii does not matter. O(count log count).
// ARGUMENT: no spheres, an invalid radius, no radius above 0. UNSUPPORTED: dim 2, for which there is no such estimate. MEMORY.
SCREE_API scree_status scree_predict_density(int32_t dim, int32_t count, const double* r, double* density);

// ---- Collective rearrangement --------------------------------------------------------------------------------------
// Dense packings of any size distribution: spheres start at random in a box that is too small, then move apart to reduce their overlaps while the
// box grows in small steps, until almost no overlap is left (Raschdorf and Kolonko).
//
//     scree_rearrange_def def = scree_default_rearrange_def();
//     def.box.periodic[0] = def.box.periodic[1] = def.box.periodic[2] = true;
//     scree_packing packing;
//     scree_pack_rearrange(&def, count, r, &packing);   // packing.x[count * dim] in packing.box, with the radii r
//     scree_packing_free(&packing);

// Progress, for the watch.
typedef struct scree_rearrange_state {
    int64_t sweeps;
    double density;  // overlaps counted twice: falls as the box grows
    double overlap;  // the largest, relative to the smaller diameter
} scree_rearrange_state;

typedef enum scree_moves {
    SCREE_MOVES_TOGETHER = 0,  // all at once, with momentum: fewest sweeps, densest
    SCREE_MOVES_ONE_BY_ONE,    // one after the other, all overlaps with equal weight: as in the paper
    SCREE_MOVES_COUNT
} scree_moves;

typedef enum scree_centres {  // at the start
    SCREE_CENTRES_SPREAD = 0,  // random sequential addition of smaller spheres: no small sphere starts deep inside a large one
    SCREE_CENTRES_RANDOM,      // independent centres, uniform over the container: as in the paper
    SCREE_CENTRES_COUNT
} scree_centres;

// "one-by-one", "random"; NULL if there is no such number.
SCREE_API const char* scree_moves_name(scree_moves moves);
SCREE_API const char* scree_centres_name(scree_centres centres);

typedef struct scree_bytes {
    const void* data;  // NULL: none
    size_t size;
} scree_bytes;

// Saves the state of a packing from time to time: pieces of bytes, to be stored one after the other, valid during the call. A packing continues from them with the same bits. If `save` returns
// another status than OK, the packing ends with it; scree_fail gives both status and message.
typedef struct scree_pack_saver {
    scree_status (*save)(void* context, int32_t count, const scree_bytes* pieces);  // NULL: nothing is saved
    void* context;
    double seconds;  // between two saves; 30
} scree_pack_saver;

typedef struct scree_rearrange_def {
    uint32_t struct_size;  // filled by the default function; lets this struct grow between versions
    scree_box box;         // shape, lower corner, walls or periodic per axis, 2D or 3D. Its size is a result: only the ratios of the sides
                           // matter. The unit cube with walls. Two of the methods below support tilted boxes (scree/geom.h)
    int32_t container;     // scree_container_kind (scree/geom.h) that the box bounds; BOX. It grows as a whole; densities refer to it
    double start_density;  // volume of the spheres to that of the box at the start, 0.01 to 2; 0.9. Lower if the largest sphere would not fit
    int32_t centres;       // scree_centres: how they are placed at the start; SPREAD
    double tolerance;      // ends when no overlap is above this, relative to the smaller diameter; 1e-4. The remaining overlaps are removed by scaling
    double growth;         // growth of the box in one step, as a fraction, 0 to 1, of the mean relative overlap (root mean square); 0.012. Smaller: slower, denser
    double balance;        // the box grows when net forces are below this fraction of the overlaps; 0.05
    int64_t warm_up;       // sweeps before it grows for the first time; 300
    int64_t sweeps;        // limit; 0: none; 1000000. At the limit `converged` is false
    double seconds;        // time limit, checked with the watch; 0: none. Only the end depends on the clock
    double attraction;     // a sphere without overlap moves towards its nearest neighbour, by this fraction, 0 to 1, of half the gap between them, in
                           // each sweep; one by one at most a quarter of the margin. 0: none
    int32_t moves;         // scree_moves; TOGETHER
    double margin;         // one by one: the paper's delta_V, margin of the lists of single spheres, in smallest diameters. 0: chosen by counted work;
                           // below 0: no lists, a query of the index at each visit (on one thread)
    double margin_least;   // one by one, with a margin above 0: delta_V falls from it to this value as the spheres come to rest; at most
                           // the margin. 0: delta_V is constant
    int32_t method;        // scree_method (scree/index.h) that finds the candidates. No bit of the packing depends on it. HIERARCHICAL_GRID
    uint64_t seed;         // 1
    int32_t threads;       // 0: all cores. No bit of the packing depends on it
    scree_watch watch;     // progress and stop; zeroed: none. The progress is that of the logarithm of the largest overlap, which falls steadily
    scree_rearrange_state* state;  // filled before each tick of the watch; NULL: none
    scree_pack_saver saver;  // saves the state, 100 bytes per sphere, one by one 105; not with a margin below 0
    scree_bytes resume;    // what a saver was given, joined: the packing continues from there; borrowed for the call. The saved packing must have had the same radii and the same def, except
                           // for threads, method, limits and watch. None
} scree_rearrange_def;

typedef struct scree_packing {
    int32_t count;
    double* x;            // count * dim, in the order of the radii; owned
    scree_box box;        // its size is a result; shape and lower corner as in the def
    int32_t container;    // as in the def
    double density;       // of these radii in this box
    double max_overlap;   // largest overlap, a length, recomputed from the centres: 0
    double overlap_left;  // largest overlap before the final scaling, in smaller diameters, as def.tolerance
    double density_net;   // volume of the spheres over that of the container before the final scaling; volume where
                          // spheres overlap counts for each of them. Scaling by c removes the last overlaps:
                          // density = density_net / c^dim
    bool converged;       // overlap_left is below the tolerance
    int64_t sweeps;       // in one sweep all spheres move once
    int64_t growths;      // steps in which the box grew
    int64_t rebuilds;     // of the candidate list
    int64_t tests;        // candidates tested, over all sweeps; each pair from both sides
    int64_t refreshes;    // one by one: lists of single spheres rebuilt
    int64_t search_tests; // one by one: exact tests of the index
    double seconds;
} scree_packing;

SCREE_DEFAULTS(scree_rearrange_def, scree_default_rearrange_def)

// The same with the settings of the paper: one by one, random centres in a container as large as the net volume of the spheres (start_density 1),
// attraction 1, delta_V from 0.5 to 0.04 smallest diameters, the loose octree; growth 0.05, tolerance 1e-3. docs/rearrange.md says which of these are from the paper
// and which are our choice. The container stays the unit cube with walls.
SCREE_DEFAULTS(scree_rearrange_def, scree_paper_rearrange_def)

// No two spheres of the packing overlap, images included, by the predicate of the index; they lie entirely inside walls, round ones too (scree_container_depth); centres are in
// [lower, upper) on periodic axes. Radii are not changed: positions and box are scaled at the end by the factor that the closest pair needs.
// The same def and radii give the same bits. O(count) memory and time per sweep at any size ratio; some thousand sweeps.
// ARGUMENT: an invalid def or radius (radii are above 0 here), a saved state of another packing; FORMAT: a saved state that is damaged; MEMORY: `out` is zeroed. CANCELLED: the watch returned false; `out` then has
// a valid packing that is less dense, with `converged` false, or nothing (x is NULL) if the first centres were still being placed. Free it in any case.
SCREE_RESULT(scree_pack_rearrange, (const scree_rearrange_def* def, int32_t count, const double* r, scree_packing* out), (def, count, r, out))
SCREE_RELEASE(scree_packing, scree_packing_free)  // frees x and zeroes it; a zeroed one is fine

// ---- Mechanically stable packings ----------------------------------------------------------------------------------
// A packing without overlaps has almost no contacts, and no forces that hold it. Here the spheres of any packing become soft and are
// compressed, or expanded, in small steps, each followed by a minimisation of their elastic energy, until contacts have a
// small overlap and all forces balance: a frictionless jammed state with a contact network that carries its load.
//
//     scree_stable_def def = scree_default_stable_def();
//     def.box = packing.box;
//     scree_packing stable;
//     scree_pack_stable(&def, count, r, packing.x, &stable);
//
// Springs are linear: two spheres that overlap by o repel each other with the force k o, k = 2 r_i r_j / (r_i + r_j) in 3D and 1 in 2D (in an arbitrary unit); a wall acts as
// a sphere of the same size. Spheres of all sizes then overlap by about the same fraction of their diameter.

// Contacts and forces of a packing of soft spheres. Contacts are overlaps, with the forces above. Computed from the centres alone.
typedef struct scree_stability {
    int64_t contacts;       // overlaps of two spheres, or of a sphere and a wall
    int64_t bearing;        // the contacts among them that have no rattler
    int64_t isostatic;      // contacts of an isostatic packing: dim (n - rattlers) + 1, less one for each rigid motion of all spheres: along a periodic axis, around the axis of
                            // a cylinder or circle, three in a sphere
    int32_t rattlers;       // spheres with fewer than dim + 1 contacts, removed repeatedly
    double coordination;    // contacts per sphere without rattlers; a contact of two spheres counts for both, one with a wall once
    double overlap;         // mean of overlap / (r_i + r_j), root mean square weighted by stiffness: the pressure in units of stiffness
    double force;           // mean contact force, with k as above
    double residual;        // largest net force on a sphere over the mean contact force. 0 without contacts
} scree_stability;

typedef struct scree_stable_def {
    uint32_t struct_size;  // filled by the default function; lets this struct grow between versions
    scree_box box;         // of the given centres; it is scaled as a whole. The unit cube with walls
    int32_t container;     // scree_container_kind (scree/geom.h) that the box bounds; BOX
    double overlap;        // at the end, as in scree_stability, within a factor of 1.5; 1e-4. Smaller: closer to isostatic, and slower
    double tolerance;      // largest residual at the end; 1e-6
    int64_t sweeps;        // limit; 0: none; 1000000. At the limit `converged` is false
    double seconds;        // time limit; 0: none. Only the end depends on the clock
    int32_t method;        // scree_method that finds the candidates. No bit depends on it. HIERARCHICAL_GRID
    int32_t threads;       // 0: all cores. No bit depends on it
    scree_watch watch;     // progress and stop; zeroed: none
    scree_rearrange_state* state;  // filled before each tick of the watch, with the overlap as in scree_stability; NULL: none
    scree_pack_saver saver;  // saves the state, at most 764 bytes per sphere
    scree_bytes resume;    // what a saver was given, joined: it continues from there; borrowed for the call. The saved packing must have had the same centres, radii and def, except
                           // for threads, method, limits and watch. None
} scree_stable_def;

SCREE_DEFAULTS(scree_stable_def, scree_default_stable_def)

// x[count * dim]: a packing in def.box, with or without overlaps; the closer to jammed, the faster. In `out`, to be freed: centres and box; max_overlap, a length, and
// overlap_left in smaller diameters, with walls; density_net is the density; growths counts changes of the box, all as for scree_pack_rearrange. `converged`: overlap and residual, as
// scree_find_stability computes them, are as requested. O(count) memory and time per sweep; some thousand sweeps.
// ARGUMENT: an invalid def, centre or radius; MEMORY: `out` is zeroed. CANCELLED: the watch returned false; `out` has the current state.
SCREE_RESULT(scree_pack_stable, (const scree_stable_def* def, int32_t count, const double* r, const double* x, scree_packing* out), (def, count, r, x, out))

// The same measures for any spheres in a closed box. O(count). ARGUMENT: invalid spheres or an invalid box. MEMORY.
SCREE_RESULT(scree_find_stability, (const scree_box* box, int32_t container, int32_t threads, scree_spheres spheres, scree_stability* out), (box, container, threads, spheres, out))

// ---- Hierarchical packing ------------------------------------------------------------------------------------------
// The density of mixtures of any size ratio, such as concrete from 0.1 micrometres to 32 mm: sizes are divided into classes, and windows of a few classes each are packed by
// collective rearrangement, from the finest up. In each window the finest class represents everything finer. docs/rearrange.md says what is exact and what is a model.
//
//     scree_hierarchy_def def = scree_default_hierarchy_def();
//     scree_hierarchy h;
//     scree_pack_hierarchy(&def, sizes, &h);     // h.density +- h.error; h.levels[k].sample is a packing to look into
//     scree_hierarchy_free(&h);

typedef struct scree_hierarchy_def {
    uint32_t struct_size;  // filled by the default function; lets this struct grow between versions
    int32_t dim;           // 3
    double class_ratio;    // largest size ratio within a class (to 0.1 %), 1.1 to 100; 2
    int32_t window;        // classes in a window, 2 to 32; 3. More: closer to a packing of all sizes, with many more spheres
    double reach;          // beyond a gap of more than 2 between sizes: largest size ratio of a window, 2 to 200; 20. Finer sizes are enlarged to it and to half of it
    int32_t spheres;       // in a window, 50 and more; 5000. Increased if a coarsest class with a quarter of the volume would have fewer than 12, one with most of it fewer than spheres / 40 or 60
    int32_t repeats;       // packings of each window, for the error; 3
    int32_t method;        // scree_method that finds the candidates. No bit depends on it. HIERARCHICAL_GRID
    uint64_t seed;         // 1
    int32_t threads;       // 0: all cores. No bit depends on it
    scree_watch watch;     // progress and stop; zeroed: none
} scree_hierarchy_def;

typedef struct scree_hierarchy_level {  // of one class; coarse first. Classes without mass are left out
    double radius_min, radius_max;
    double share;           // fraction of the solid volume of the mixture
    double alone;           // density of this class alone
    double alone_error;     // standard error, from the repeats; NAN for one repeat
    double density;         // of this class and all finer ones, without the coarser ones
    double error;           // of it, both parts below; NAN for one repeat
    double window_density;  // of the packings of the sample's window, mean
    double enlarged;        // factor of the finest class of the window; 1 unless sizes have a wide gap there
    int32_t classes;        // in the window: this one and the next ones
    int32_t spheres;
    scree_sphere_set sample;  // the first packing of the window, periodic, in the unit of the sizes up to a factor near 1; coarsest class first; owned
    double error_statistical;  // standard error, from the repeats of this and all finer windows; NAN for one repeat
    double error_model;        // from how two different substitutes for the finer sizes, or two extrapolations over a gap, disagree here and in all finer windows
} scree_hierarchy_level;

typedef struct scree_hierarchy {
    int32_t count;
    scree_hierarchy_level* levels;  // owned
    double density, error;          // of the mixture, as in levels[0]
    double seconds;
    double error_statistical, error_model;
} scree_hierarchy;

SCREE_DEFAULTS(scree_hierarchy_def, scree_default_hierarchy_def)

// The same def and sizes give the same bits. Distributions without an end (lognormal) are cut where 1e-4 of the mass is beyond.
// ARGUMENT: an invalid def; a window that would need more than 5 million spheres. MEMORY. CANCELLED: the watch returned false. `out` is zeroed then.
SCREE_RESULT(scree_pack_hierarchy, (const scree_hierarchy_def* def, const scree_sizes* sizes, scree_hierarchy* out), (def, sizes, out))
SCREE_RELEASE(scree_hierarchy, scree_hierarchy_free)  // NULL and a zeroed one are fine

// ---- Sequential deposition -----------------------------------------------------------------------------------------
// Spheres fall one at a time from random positions, roll down over earlier spheres, and stop where three of them (discs: two) or
// the floor support them. Exact geometry without forces: fast, and looser than rearrangement; density about 0.58 for equal spheres away from walls.
//
//     scree_drop_def def = scree_default_drop_def();
//     def.box.upper[0] = def.box.upper[1] = 20.0;
//     scree_packing packing;
//     scree_pack_drop(&def, count, r, &packing);   // packing.x[packing.count * dim] in packing.box

typedef struct scree_drop_def {
    uint32_t struct_size;  // filled by the default function; lets this struct grow between versions
    scree_box box;         // the last axis is vertical; its lower end is the floor, its upper end a result (except in a sphere). Walls or periodic on the
                           // others. The unit cube with walls
    int32_t container;     // scree_container_kind; a cylinder is upright; a sphere is filled from its top. BOX
    bool centre;           // spheres fall towards the origin from random directions and form a cluster, without box or container; false
    int32_t lowest;        // each sphere falls this many times from random positions, and the lowest result is used; 1
    uint64_t seed;         // 1
    int32_t threads;       // unused: spheres fall one after the other
    scree_watch watch;     // progress and stop; zeroed: none
    double* density_now;   // up to the highest top, filled before each tick of the watch; NULL: none
} scree_drop_def;

SCREE_DEFAULTS(scree_drop_def, scree_default_drop_def)

// The spheres arrive in the order of r; shuffle sorted radii beforehand. No two spheres overlap, images included, by the predicate
// of the index, and none is outside the container. Each was stable when it arrived: the direction up is a sum, with
// non-negative weights, of the directions from its supports and walls. The gap to its supports is rounding; in slots as wide as the sphere it is up
// to 1e-4 radii.
// The box ends at the highest top (with `centre` it is the bounding box). The same def and radii give the same bits. O(count) memory; some ten microseconds
// per sphere, at any count, more for larger size ratios.
// ARGUMENT: an invalid def or radius (radii are above 0 here), a sphere that is too large; MEMORY: `out` is zeroed. CANCELLED: the watch
// returned false; `out` has the first out->count spheres, with `converged` false. The same with OK if a spherical container is full before all spheres are in it, or if a sphere
// did not come to rest in 200 falls (this indicates a bug; please report it). Free it in any case.
SCREE_RESULT(scree_pack_drop, (const scree_drop_def* def, int32_t count, const double* r, scree_packing* out), (def, count, r, out))

// ---- Compression ---------------------------------------------------------------------------------------------------
// A jammed state of frictionless spheres under a given pressure, by simulation (scree/sim.h): spheres at random positions are compressed from all
// sides, collide and lose energy, until the pressure has the requested value and all forces balance. The spheres are soft and overlap
// by about `pressure` diameters.
//
//     scree_compress_def def = scree_default_compress_def();
//     def.pressure = 1e-4;
//     scree_packing packing;
//     scree_pack_compress(&def, count, r, &packing);

typedef struct scree_compress_def {
    uint32_t struct_size;  // filled by the default function; lets this struct grow between versions
    scree_box box;         // shape, lower corner, walls or periodic per axis, 2D or 3D; the size is a result. The unit cube with walls
    double pressure;       // at the end, in units of stiffness / (mean diameter)^(dim - 2); 1e-4
    double rate;           // of compression before they jam: relative shortening of the sides during a contact of two spheres of mean volume; 1e-3.
                           // Slower: slightly denser
    double restitution;    // of collisions, above 0, at most 1; 0.3
    double start_density;  // of the random start; 0.3 (discs: up to 0.4). Reduced if the spheres do not fit
    double tolerance;      // relative error of the pressure, and net forces relative to contact forces, at the end; 1e-2
    int64_t steps;         // limit; 0: none; 10000000. At the limit `converged` is false
    double seconds;        // time limit; 0: none. Only the end depends on the clock
    int32_t method;        // scree_method that finds the candidates. No bit depends on it. AUTO
    uint64_t seed;         // 1
    int32_t threads;       // 0: all cores. No bit depends on it
    scree_watch watch;     // progress and stop; zeroed: none
    scree_rearrange_state* state;  // filled before each tick of the watch; `sweeps` counts steps; NULL: none
} scree_compress_def;

SCREE_DEFAULTS(scree_compress_def, scree_default_compress_def)

// In `out` max_overlap is the largest overlap of the packing with spheres and walls, a length, recomputed from the centres; overlap_left is the largest in smaller diameters;
// density_net is the density; sweeps are steps. All spheres have the same material. The same def and radii give the same bits.
// O(count) memory and time per step; some ten thousand steps for equal spheres, more for wide size distributions: the time step follows from the lightest spheres,
// the duration from the heavy ones.
// ARGUMENT: an invalid def or radius (radii are above 0), a box that would become smaller than the largest sphere; MEMORY: `out` is
// zeroed. CANCELLED: the watch returned false; `out` then has the current state, with `converged` false, or nothing (x is NULL) if the first
// centres were still being placed. Free it in any case.
SCREE_RESULT(scree_pack_compress, (const scree_compress_def* def, int32_t count, const double* r, scree_packing* out), (def, count, r, out))

// ---- Packings by growth ------------------------------------------------------------------------------------------
// Hard spheres of any size distribution start small, at random positions, move, collide and grow, all by the same factor, until they have their size in
// the box, or jam (Lubachevsky and Stillinger). Slower growth gives denser packings; below a rate of 0.001 equal spheres crystallise.
//
//     scree_grow_def def = scree_default_grow_def();
//     def.density = 0.62;
//     scree_growth g;
//     scree_pack_grow(&def, count, r, &g);    // g.x[count * dim] in g.box, with the radii r
//     scree_growth_free(&g);

typedef struct scree_grow_def {
    uint32_t struct_size;  // filled by the default function; lets this struct grow between versions
    scree_box box;         // walls or periodic per axis, 2D or 3D. The unit cube with walls
    double density;        // to reach, in a box with the shape and lower corner of `box`; 0: in `box` itself; INFINITY: grow until
                           // jammed; the size of the box is then a result. 0
    double pressure;       // reduced pressure (of spheres, or on the walls) at which growth ends; if scree_event_is_jammed (scree/event.h) then holds, the packing is `converged`;
                           // 0: 1e10, and only a reached density counts as converged (unless it is INFINITY). 0
    double rate;           // growth of the diameter of the sphere of mean volume, at the end, over its mean thermal velocity sqrt(T/m).
                           // 0.1 is quick, 0.01 or less is needed to jam, 0.001 is slow; 0.02
    double start_density;  // of the random sequential addition at the start; reduced if the spheres do not fit. 0: points. 0.25 (discs: up to 0.35)
    double collisions;     // per sphere, after the growth, at constant size; the second half is measured; 0
    double restitution;    // of that motion; 1
    double seconds;        // time limit, checked with the watch; 0: none. Only the end depends on the clock
    int32_t method;        // scree_method (scree/index.h). No bit depends on it. HIERARCHICAL_GRID
    uint64_t seed;         // of positions and velocities; 1
    int32_t threads;       // 0: all cores, for making lists
    scree_watch watch;     // progress and stop; zeroed: none
    double* density_now;   // filled before each tick of the watch; NULL: none
    scree_pack_saver saver;  // saves the state, at most 116 bytes per sphere, when all lists are rebuilt: at the latest about every 60 collisions per sphere
    scree_bytes resume;    // what a saver was given, joined: growth continues from there; borrowed for the call. The saved packing must have had the same radii and the same def, except
                           // for threads, method, limits and watch. None
} scree_grow_def;

typedef struct scree_growth {
    int32_t count;
    double* x;              // count * dim, in the order of the radii, at the end of growth and of the motion after it; owned
    double* v;              // velocities, at temperature 1 and a mean mass of 1 (masses are proportional to r^dim); owned
    scree_box box;          // in which the radii have their size: the requested one if `reached`; otherwise larger, of the same shape
    double density;         // of the radii in it
    bool reached;           // the requested density
    bool jammed;            // growth reached the pressure, and scree_event_is_jammed holds
    bool converged;         // ended as requested
    double reduced_pressure;  // p V / (n T), over the last stretch of growth, or of the motion after it
    double reduced_pressure_at_rest;  // as in scree_event_rest: of this packing at constant size; NAN if growth did not reach the pressure
    double slower_rate;     // to try if growth reached the pressure without jamming: a quarter of def.rate; else 0
    double collision_rate;  // per sphere and time; time in units of the mean sphere's diameter over its thermal velocity
    double mean_free_time;
    double temperature;     // at the end of the motion at constant size; 1 at its beginning
    double time;            // of the growth, in these units
    int64_t collisions;     // total
    int64_t predictions, tests, refreshes, rebuilds;  // totals, as in scree_event_stats
    double seconds;
} scree_growth;

SCREE_DEFAULTS(scree_grow_def, scree_default_grow_def)

// No two spheres of the packing overlap, images included, by the predicate of the index, and they lie entirely inside walls; centres are
// in [lower, upper) on periodic axes. This is checked from the centres alone before the call returns. The same def and radii give the same bits.
// ARGUMENT: an invalid def or radius (radii are above 0 here), a density above 1, a sphere larger than the box, a saved state of another packing; FORMAT: a saved state that is
// damaged; MEMORY: `out` is zeroed. CANCELLED: the watch returned false; `out` then has a valid, looser packing in a larger box, with `converged`
// false (zeroed if growth had not started). Free it in any case.
SCREE_RESULT(scree_pack_grow, (const scree_grow_def* def, int32_t count, const double* r, scree_growth* out), (def, count, r, out))
SCREE_RELEASE(scree_growth, scree_growth_free)  // and zeroes it; a zeroed one is fine

#ifdef __cplusplus
}
#endif
#endif
