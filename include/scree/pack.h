// scree/pack.h: spheres put into a box or another container.
//
//     scree_place_def def = scree_default_place_def();
//     def.box = box;                                   // closed: walls or periodic per axis
//     def.seed = 7;
//     scree_place_random(&def, count, r, x);           // fills x[count * dim]; no two spheres overlap
//
// Radii are given and centres come out, in the same order. The same def and radii give the same bits.
#ifndef SCREE_PACK_H
#define SCREE_PACK_H

#include "scree/geom.h"
#include "scree/sizes.h"

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

// What became of a call, also of one that found no place or was stopped.
typedef struct scree_place_report {
    int32_t placed;        // spheres that have a place
    int64_t tries;         // random sequential addition: centres drawn so far, over all spheres
    double density;        // share of the box that the placed spheres take up
    double density_asked;  // that all would
    double spacing;        // lattice: the one taken; else 0
} scree_place_report;

typedef struct scree_place_def {
    uint32_t struct_size;        // filled by the default function; lets this struct grow between versions
    scree_box box;               // closed on every axis: walls or periodic, of any shape and place, in 2D or 3D. The unit cube with walls. Tilted ones for
                                 // scree_place_random alone; lattices and saturation answer UNSUPPORTED
    int32_t container;           // scree_container_kind (scree/geom.h) that the box bounds; BOX. Densities then refer to the container
    uint64_t seed;               // of random sequential addition; 1
    int64_t tries;               // random sequential addition: for each sphere; 1000000
    int32_t threads;             // 0: all cores. Both calls here go one by one and use a single one
    scree_watch watch;           // progress and stop; zeroed: none
    scree_place_report* report;  // filled at the end, once def and radii have passed the checks, and by random sequential addition before each tick of the watch; NULL: not wanted
    scree_spheres standing;      // random sequential addition: spheres that are there already and are not overlapped; borrowed; on periodic axes anywhere. None
    bool (*clear)(const void* context, const double x[3], double r);  // random sequential addition: whether a sphere may be there, also asked of it; NULL: everywhere
    const void* clear_context;
} scree_place_def;

SCREE_DEFAULTS(scree_place_def, scree_default_place_def)

// Random sequential addition: the spheres, large ones first and equal ones by number, at random centres where they overlap none
// that is there (def.standing among them), nor an image of it. At walls they stay inside as a whole; on periodic axes centres are in [lower, upper).
// About O(1) tests per try and octave of radius, O(count) memory, at any size ratio. Equal spheres are easy up to density 0.30 (2D: 0.40) and
// never pass 0.384 (0.547); wide size distributions reach more.
// ARGUMENT: an invalid def or radius; a sphere larger than the box (also one that would meet its own image); more volume than
// the box has; a sphere that found no place in def.tries: the message names it and guesses a box. MEMORY. CANCELLED: those that have a place
// already, the largest, are in `x`, and the others are NAN. Else `x` is written on success only.
SCREE_API scree_status scree_place_random(const scree_place_def* def, int32_t count, const double* r, double* x);

// A cubic lattice (2D: square): sphere 0 half a spacing from the lower faces, then on along x, y, z, x fastest. An axis of length L holds
// L / spacing sites, rounded down. Boxes only. Spacing 0: the largest with which all find a site. Spheres of the diameter of the spacing touch, up to
// rounding. O(count).
// ARGUMENT: an invalid def, radius or spacing; a spacing below the largest diameter; fewer sites than spheres. The message names the
// sphere and the box of this shape that is needed. CANCELLED. `x` is written on success only.
SCREE_API scree_status scree_place_lattice(const scree_place_def* def, double spacing, int32_t count, const double* r, double* x);

// What came of addition until nothing more fits.
typedef struct scree_saturation {
    int32_t placed;    // spheres that have a place
    int32_t listed;    // how many of them came the first time through the list
    int32_t refused;   // radii of the list that then found no place, with proof. Together the whole list, unless it was stopped
    int32_t rounds;    // times through the list, the last one perhaps not to its end
    int64_t tries;     // centres drawn
    double density;    // share of the container that the placed spheres take up
    double open;       // share of the space of centres not yet known to be excluded, for the current radius
    double full_from;  // provably no sphere of this radius or a larger one finds a place anywhere; INFINITY: nothing is proven
    bool saturated;    // full_from is the smallest radius of the list
} scree_saturation;

// Random addition until nothing more fits, and that is proven. The radii, from large to small, get random centres, evenly over all that is
// free, or are refused because provably no centre fits. That is round one. Then the list is used again, for the radii that may still
// find a place, each as often as makes about as many as are there already, and so on, until the smallest radius is refused:
// random sequential addition of the law that the list stands for, in rounds. At most `rounds` of them; 0: until saturated; 1: each radius once at most.
// Equal spheres end at about density 0.384 in large periodic boxes (2D: 0.547).
// *out is a new set with def.box, the spheres in the order in which they came; free it with scree_sphere_set_free. `report` is filled before each
// tick of the watch and at the end; NULL: not wanted. def.tries is not looked at; one thread is used.
// O(placed) memory, up to 1.6 kB for a sphere and 0.4 kB for a disc; 70 to 300 microseconds for a sphere, 10 to 50 for a disc; a millisecond where many
// different radii of the list are refused.
// ARGUMENT: an invalid def or radius; no radii; r = 0; a sphere larger than the box; room for more than 2^31 spheres. MEMORY.
// CANCELLED: *out holds the spheres placed so far and has to be freed, too.
SCREE_API scree_status scree_place_until_full(const scree_place_def* def, int32_t count, const double* r, int32_t rounds,
                                              scree_saturation* report, scree_sphere_set* out);

// The same for equal spheres (discs): how many is an outcome.
SCREE_API scree_status scree_place_saturated(const scree_place_def* def, double r, scree_sphere_set* out);

// The density of a random close packing of spheres with these radii in a large box, as Farr and Groot estimate it (2009): 0.643 for
// equal ones. Packings that are made come to within -0.03 to +0.01 of it for size ratios up to 10; walls, and largest spheres
// that are not small beside the box, make them looser. No chance in it: the order of the radii does not matter. O(count log count).
// ARGUMENT: no spheres, a radius that is none, none above 0. UNSUPPORTED: dim 2, for which there is no such estimate. MEMORY.
SCREE_API scree_status scree_predict_density(int32_t dim, int32_t count, const double* r, double* density);

// ---- Collective rearrangement --------------------------------------------------------------------------------------
// Dense packings of any size distribution: a random start in a box too small for them, then all move so as to lessen their overlaps while the
// box grows a little now and then, until next to none are left (Raschdorf and Kolonko).
//
//     scree_rearrange_def def = scree_default_rearrange_def();
//     def.box.periodic[0] = def.box.periodic[1] = def.box.periodic[2] = true;
//     scree_packing packing;
//     scree_pack_rearrange(&def, count, r, &packing);   // packing.x[count * dim] in packing.box; the radii are yours, as given
//     scree_packing_free(&packing);

// Progress, for the watch.
typedef struct scree_rearrange_state {
    int64_t sweeps;
    double density;  // overlaps counted twice: falls as the box grows
    double overlap;  // the largest, relative to the smaller diameter
} scree_rearrange_state;

typedef enum scree_moves {
    SCREE_MOVES_TOGETHER = 0,  // all at once, with momentum: fewest sweeps, densest
    SCREE_MOVES_ONE_BY_ONE,    // one after the other, each at once, all overlaps alike: as in the paper
    SCREE_MOVES_COUNT
} scree_moves;

typedef enum scree_centres {  // at the start
    SCREE_CENTRES_SPREAD = 0,  // random sequential addition of smaller spheres: no small sphere starts deep inside a large one
    SCREE_CENTRES_RANDOM,      // every centre drawn by itself, uniform over the container: as in the paper
    SCREE_CENTRES_COUNT
} scree_centres;

// "one-by-one", "random"; NULL if there is no such number.
SCREE_API const char* scree_moves_name(scree_moves moves);
SCREE_API const char* scree_centres_name(scree_centres centres);

typedef struct scree_bytes {
    const void* data;  // NULL: none
    size_t size;
} scree_bytes;

// Takes the state of a packing, from time to time: pieces to be kept one after the other, valid for the call. A packing continues from them with the same bits. A status
// other than OK ends the packing with it; scree_fail gives both status and message.
typedef struct scree_pack_saver {
    scree_status (*save)(void* context, int32_t count, const scree_bytes* pieces);  // NULL: nothing is saved
    void* context;
    double seconds;  // between two; 30
} scree_pack_saver;

typedef struct scree_rearrange_def {
    uint32_t struct_size;  // filled by the default function; lets this struct grow between versions
    scree_box box;         // shape, lower corner, walls or periodic per axis, 2D or 3D. The size follows from the spheres: of the lengths only
                           // the ratios matter. The unit cube with walls. It may be tilted (scree/geom.h), for two of the methods below
    int32_t container;     // scree_container_kind (scree/geom.h) that the box bounds; BOX. It grows as a whole, and densities are of it
    double start_density;  // volume of the spheres to that of the box at the start, 0.01 to 2; 0.9. Lower if the largest sphere would not fit
    int32_t centres;       // scree_centres: how they are placed at the start; SPREAD
    double tolerance;      // ends when no overlap is above this, relative to the smaller diameter; 1e-4. What is left is taken away by scaling
    double growth;         // part, 0 .. 1, of the mean relative overlap (root mean square) by which the box grows at a time; 0.012. Less: slower, denser
    double balance;        // the box grows when forces have come down to this part of the overlaps they are made of; 0.05
    int64_t warm_up;       // sweeps before it grows for the first time; 300
    int64_t sweeps;        // most of them; 0: no limit; 1000000. At the limit `converged` is false
    double seconds;        // time limit, looked at where the watch is; 0: none. Only the end depends on the clock
    double attraction;     // a sphere without overlap moves towards its nearest neighbour, by this share, 0 to 1, of half the gap between them, in
                           // each sweep; one by one at most a quarter of the margin. 0: it stays
    int32_t moves;         // scree_moves; TOGETHER
    double margin;         // one by one: the paper's delta_V, margin of the lists of single spheres, in smallest diameters. 0: chosen by counted work;
                           // < 0: no lists, the index is asked at each visit (on one thread)
    double margin_least;   // one by one, with a margin above 0: delta_V falls from it to this as the spheres come to rest, and never rises; at most
                           // the margin. 0: delta_V stays as it is
    int32_t method;        // scree_method (scree/index.h) that finds the candidates. No bit of the packing depends on it. HIERARCHICAL_GRID
    uint64_t seed;         // 1
    int32_t threads;       // 0: all cores. No bit of the packing depends on it
    scree_watch watch;     // progress and stop; zeroed: none. Part done: by the logarithm of the largest overlap, which falls evenly
    scree_rearrange_state* state;  // filled before each tick of the watch; NULL: not wanted
    scree_pack_saver saver;  // keeps the state, 92 bytes for a sphere; moves TOGETHER only
    scree_bytes resume;    // what a saver was given, joined: the packing continues from there; borrowed for the call. The saved packing must have had the same radii and the same def, except
                           // for threads, method, limits and watch. None
} scree_rearrange_def;

typedef struct scree_packing {
    int32_t count;
    double* x;            // count * dim, in the order of the radii; owned
    scree_box box;        // as it became: shape and lower corner as asked
    int32_t container;    // as asked
    double density;       // of these radii in this box, without any overlap
    double max_overlap;   // largest, a length, among these centres: 0, recounted from scratch
    double overlap_left;  // the largest before the final scaling, in smaller diameters, as def.tolerance is
    double density_net;   // net volume of the spheres, the plain sum of their volumes, to that of the container before the final scaling: space where
                          // spheres overlap counts once for each of them. The scaling by c, which takes the last overlaps away, makes it
                          // density = density_net / c^dim
    bool converged;       // overlap_left came below the tolerance
    int64_t sweeps;       // times that all spheres moved
    int64_t growths;      // times that the box grew
    int64_t rebuilds;     // of the candidate list
    int64_t tests;        // candidates looked at, over all sweeps; each pair from both sides
    int64_t refreshes;    // one by one: lists of single spheres rebuilt
    int64_t search_tests; // one by one: exact tests of the index
    double seconds;
} scree_packing;

SCREE_DEFAULTS(scree_rearrange_def, scree_default_rearrange_def)

// The same with the settings of the paper: one by one, random centres in a container as large as the net volume of the spheres (start_density 1),
// attraction 1, delta_V from 0.5 to 0.04 smallest diameters, the loose octree; growth 0.05, tolerance 1e-3. docs/rearrange.md says what of this the paper
// gives and what is ours. The container stays the unit cube with walls.
SCREE_DEFAULTS(scree_rearrange_def, scree_paper_rearrange_def)

// No two spheres of the packing overlap, images counted, by the predicate of the index; at walls, round ones too, they are inside as a whole (scree_container_depth); centres are in
// [lower, upper) on periodic axes. Radii enter as they are: positions and box are scaled at the end by what the closest pair needs.
// The same def and radii give the same bits. O(count) memory and time per sweep at any size ratio; some thousand sweeps.
// ARGUMENT: an invalid def or radius (radii are above 0 here), a saved state of another packing; FORMAT: a saved state that is damaged; MEMORY: `out` is zeroed. CANCELLED: the watch said stop; `out` then holds
// a packing all the same, valid but not dense, with `converged` false, or nothing (x is NULL) if the first centres were still being placed. Free it in any case.
SCREE_RESULT(scree_pack_rearrange, (const scree_rearrange_def* def, int32_t count, const double* r, scree_packing* out), (def, count, r, out))
SCREE_RELEASE(scree_packing, scree_packing_free)  // frees x and zeroes it; a zeroed one is fine

// ---- Mechanically stable packings ----------------------------------------------------------------------------------
// A packing without overlap has next to no contacts: nothing holds its spheres but that they cannot get past each other. Here the spheres of any packing
// are made soft and compressed, or decompressed, in small steps, each followed by a minimisation of their elastic energy, until they
// press each other by a small overlap and all forces balance: a frictionless jammed state, with the contacts that carry it.
//
//     scree_stable_def def = scree_default_stable_def();
//     def.box = packing.box;
//     scree_packing stable;
//     scree_pack_stable(&def, count, r, packing.x, &stable);
//
// Springs are linear: two spheres that overlap by o push each other by k o, k = 2 r_i r_j / (r_i + r_j) in 3D and 1 in 2D (in a unit that does not matter); a wall is
// a partner as large as the sphere. All sizes then overlap by about the same part of their diameter.

// What holds a packing of soft spheres. Contacts are overlaps; the forces are those above. Found from the centres alone.
typedef struct scree_stability {
    int64_t contacts;       // pairs that overlap, and spheres and walls that do
    int64_t bearing;        // of these, between spheres that are no rattlers
    int64_t isostatic;      // how many it takes to hold these spheres: dim (n - rattlers) + 1, less one for each motion of all together: along a periodic axis, around that of
                            // a cylinder or circle, three in a sphere
    int32_t rattlers;       // held by fewer than dim + 1 contacts, and left out one after the other
    double coordination;    // contacts per sphere that is no rattler, those with walls counted once and pairs for each of the two
    double overlap;         // mean of overlap / (r_i + r_j), root mean square weighted by stiffness: the pressure in units of stiffness
    double force;           // mean contact force; the force of an overlap of one unit of length has the size k above
    double residual;        // largest net force on a sphere, over that mean. 0 without contacts
} scree_stability;

typedef struct scree_stable_def {
    uint32_t struct_size;  // filled by the default function; lets this struct grow between versions
    scree_box box;         // in which the centres are; it becomes larger or smaller as a whole. The unit cube with walls
    int32_t container;     // scree_container_kind (scree/geom.h) that the box bounds; BOX
    double overlap;        // at the end, as in scree_stability; reached to a factor of 1.5; 1e-4. Less: closer to isostatic, and slower
    double tolerance;      // largest residual at the end; 1e-6
    int64_t sweeps;        // most of them; 0: no limit; 1000000. At the limit `converged` is false
    double seconds;        // time limit; 0: none. Only the end depends on the clock
    int32_t method;        // scree_method that finds the candidates. No bit depends on it. HIERARCHICAL_GRID
    int32_t threads;       // 0: all cores. No bit depends on it
    scree_watch watch;     // progress and stop; zeroed: none
    scree_rearrange_state* state;  // filled before each tick of the watch; overlap is then that of scree_stability; NULL: not wanted
} scree_stable_def;

SCREE_DEFAULTS(scree_stable_def, scree_default_stable_def)

// x[count * dim]: a packing in def.box, overlapping or not; the closer to jammed, the quicker. In `out`, to be freed: centres and box; max_overlap, a length, and
// overlap_left in smaller diameters, with walls; density_net is the density; growths counts changes of the box, all as for scree_pack_rearrange. `converged`: overlap and residual, as
// scree_find_stability has them, are as asked for. O(count) memory and time per sweep; some thousand sweeps.
// ARGUMENT: an invalid def, centre or radius; MEMORY: `out` is zeroed. CANCELLED: the watch said stop; `out` holds what was reached.
SCREE_RESULT(scree_pack_stable, (const scree_stable_def* def, int32_t count, const double* r, const double* x, scree_packing* out), (def, count, r, x, out))

// The same measures for any spheres in a closed box. O(count). ARGUMENT: invalid spheres or an invalid box. MEMORY.
SCREE_RESULT(scree_find_stability, (const scree_box* box, int32_t container, int32_t threads, scree_spheres spheres, scree_stability* out), (box, container, threads, spheres, out))

// ---- Hierarchical packing ------------------------------------------------------------------------------------------
// The density of recipes of any size ratio, such as concrete from 0.1 micrometres to 32 mm: sizes are divided into classes, and windows of a few classes each are packed by
// collective rearrangement, from the finest up. In each window the finest class stands for everything finer. docs/rearrange.md says what of this is exact and what is a model.
//
//     scree_hierarchy_def def = scree_default_hierarchy_def();
//     scree_hierarchy h;
//     scree_pack_hierarchy(&def, sizes, &h);     // h.density +- h.error; h.levels[k].sample is a packing to look into
//     scree_hierarchy_free(&h);

typedef struct scree_hierarchy_def {
    uint32_t struct_size;  // filled by the default function; lets this struct grow between versions
    int32_t dim;           // 3
    double class_ratio;    // classes are at most so wide (to 0.1 %), 1.1 to 100; sqrt(10): two to a decade
    int32_t window;        // classes in a window, 2 to 32; 3. More: closer to a packing of the whole, with many more spheres
    double reach;          // beyond a gap of more than 2 between sizes: largest size ratio of a window, 2 to 200; 20. What is finer is enlarged to that
    int32_t spheres;       // in a window, 50 and more; 20000. More where there would be fewer than 12 of a coarsest class that has a quarter of the volume
    int32_t repeats;       // packings of each window, for the error; 3
    int32_t method;        // scree_method that finds the candidates. No bit depends on it. HIERARCHICAL_GRID
    uint64_t seed;         // 1
    int32_t threads;       // 0: all cores. No bit depends on it
    scree_watch watch;     // progress and stop; zeroed: none
} scree_hierarchy_def;

typedef struct scree_hierarchy_level {  // of one class; coarse first. Classes without mass are left out
    double r_min, r_max;
    double share;           // of the solid volume of the recipe; times the density of the recipe: of space
    double alone;           // density of this class by itself
    double alone_error;     // standard errors, from the repeats; NAN for one repeat
    double density;         // of this class and all finer ones, without the coarser ones
    double error;           // of that, from the repeats of this and all finer windows; the model has an error of its own
    double window_density;  // of the window's packings, mean
    double enlarged;        // factor of the finest class of the window; 1 unless sizes have a wide gap there
    int32_t classes;        // in the window: this one and the next ones
    int32_t spheres;
    scree_sphere_set sample;  // the first packing of the window, periodic, in the unit of the sizes up to a factor near 1; coarsest class first; owned
} scree_hierarchy_level;

typedef struct scree_hierarchy {
    int32_t count;
    scree_hierarchy_level* levels;  // owned
    double density, error;          // of the recipe
    double seconds;
} scree_hierarchy;

SCREE_DEFAULTS(scree_hierarchy_def, scree_default_hierarchy_def)

// The same def and sizes give the same bits. Distributions without an end (lognormal) are cut where 1e-4 of the mass is beyond.
// ARGUMENT: an invalid def; a window that would need more than 5 million spheres. MEMORY. CANCELLED: the watch said stop. `out` is zeroed then.
SCREE_RESULT(scree_pack_hierarchy, (const scree_hierarchy_def* def, const scree_sizes* sizes, scree_hierarchy* out), (def, sizes, out))
SCREE_RELEASE(scree_hierarchy, scree_hierarchy_free)  // NULL and a zeroed one are fine

// ---- Sequential deposition -----------------------------------------------------------------------------------------
// One sphere after the other falls from a random place above, rolls down over those that are there, and stays where three (discs: two) or
// the floor hold it. Exact geometry without forces: quick, and looser than rearrangement; about 0.58 for equal spheres away from walls.
//
//     scree_drop_def def = scree_default_drop_def();
//     def.box.upper[0] = def.box.upper[1] = 20.0;
//     scree_packing packing;
//     scree_pack_drop(&def, count, r, &packing);   // packing.x[packing.count * dim] in packing.box

typedef struct scree_drop_def {
    uint32_t struct_size;  // filled by the default function; lets this struct grow between versions
    scree_box box;         // down is the last axis; the floor is its lower end, its upper end is an outcome. Walls or periodic on the others. In
                           // a sphere nothing is an outcome. The unit cube with walls
    int32_t container;     // scree_container_kind; a cylinder stands upright, of a sphere the inside is filled from its ceiling. BOX
    bool centre;           // down is towards a centre: a cluster around the origin, from random directions, without box or container; false
    int32_t lowest;        // of this many falls from random places the one that ends lowest counts; 1
    uint64_t seed;         // 1
    int32_t threads;       // 0: all cores. One is used: each sphere waits for the one before
    scree_watch watch;     // progress and stop; zeroed: none
    double* density_now;   // below the highest top, filled before each tick of the watch; NULL: not wanted
} scree_drop_def;

SCREE_DEFAULTS(scree_drop_def, scree_default_drop_def)

// The spheres arrive in the order of r, which matters: mix the sizes beforehand, if they are sorted. No two overlap, images counted, by the predicate
// of the index, and none sticks out through a wall by that of the container. Each was stable when it came: the direction up is a sum, with
// weights that are not negative, of directions from its supports and walls. Supports are apart by rounding; in slots as wide as the sphere by up
// to 1e-4 radii.
// The box ends at the highest top (centre: is the bounding box). The same def and radii give the same bits. O(count) memory; some ten microseconds
// for a sphere, at any count, more by the size ratio.
// ARGUMENT: an invalid def or radius (radii are above 0 here), a sphere that is too large; MEMORY: `out` is zeroed. CANCELLED: the watch
// said stop; `out` holds the first out->count spheres, with `converged` false. In a sphere that is full before all are in, the call gives OK and
// the same; so it does where a sphere found no rest in 200 falls, this indicates a bug; please report it. Free it in any case.
SCREE_RESULT(scree_pack_drop, (const scree_drop_def* def, int32_t count, const double* r, scree_packing* out), (def, count, r, out))

// ---- Compression ---------------------------------------------------------------------------------------------------
// A jammed state of frictionless spheres under a given pressure, by simulation (scree/sim.h): spheres at random are compressed from all
// sides, collide and lose energy, until the pressure is the one asked for and every force is balanced. They are soft and overlap a little,
// the more the higher the pressure: by about `pressure` diameters.
//
//     scree_compress_def def = scree_default_compress_def();
//     def.pressure = 1e-4;
//     scree_packing packing;
//     scree_pack_compress(&def, count, r, &packing);

typedef struct scree_compress_def {
    uint32_t struct_size;  // filled by the default function; lets this struct grow between versions
    scree_box box;         // shape, lower corner, walls or periodic per axis, 2D or 3D; the size is an outcome. The unit cube with walls
    double pressure;       // at the end, in units of stiffness / (mean diameter)^(dim - 2); 1e-4
    double rate;           // of compression before they jam: share by which the sides shorten while two spheres of mean volume touch; 1e-3.
                           // Slower: a little denser
    double restitution;    // of collisions, above 0, at most 1; 0.3
    double start_density;  // of the random start; 0.3; discs find room to 0.4. Lower if they do not find room
    double tolerance;      // ends when the pressure is right to this share, and net forces are this share of contact forces; 1e-2
    int64_t steps;         // most of them; 0: no limit; 10000000. At the limit `converged` is false
    double seconds;        // time limit; 0: none. Only the end depends on the clock
    int32_t method;        // scree_method that finds the candidates. No bit depends on it. AUTO
    uint64_t seed;         // 1
    int32_t threads;       // 0: all cores. No bit depends on it
    scree_watch watch;     // progress and stop; zeroed: none
    scree_rearrange_state* state;  // filled before each tick of the watch, sweeps being steps; NULL: not wanted
} scree_compress_def;

SCREE_DEFAULTS(scree_compress_def, scree_default_compress_def)

// In `out` max_overlap is that of the packing, a length, with other spheres and walls, counted from scratch; overlap_left the largest in smaller diameters;
// density_net is the density; sweeps are steps. All spheres have one material. The same def and radii give the same bits.
// O(count) memory and time per step; some ten thousand steps for equal spheres, more for wide laws: steps follow the lightest spheres,
// and what lasts follows the heavy ones.
// ARGUMENT: an invalid def or radius (radii are above 0), a box that would become smaller than the largest sphere; MEMORY: `out` is
// zeroed. CANCELLED: the watch said stop; `out` then holds what was reached, with `converged` false, or nothing (x is NULL) if that was before the
// spheres had found their first places. Free it in any case.
SCREE_RESULT(scree_pack_compress, (const scree_compress_def* def, int32_t count, const double* r, scree_packing* out), (def, count, r, out))

// ---- Packings by growth ------------------------------------------------------------------------------------------
// Spheres of any size distribution begin small, at random positions, fly about and grow, all by the same factor, until they have their size in
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
    double pressure;       // reduced pressure (or that on the walls) at which growth ends; if scree_event_is_jammed (scree/event.h) holds then, that is an end as good as the
                           // density; 0: 1e10, and `converged` is then said only if the density was reached (or if there was none). 0
    double rate;           // growth of the diameter of the sphere of mean volume, at the end, over its mean thermal velocity sqrt(T/m).
                           // 0.1 is quick, 0.01 or less is needed to jam, 0.001 is slow; 0.02
    double start_density;  // of the random addition that it begins with; less if that finds no room. 0: points. 0.25; discs find room to 0.35
    double collisions;     // per sphere, when grown: plain motion at constant size, the second half of which is measured; 0
    double restitution;    // of that motion; 1
    double seconds;        // time limit, looked at where the watch is; 0: none. Only the end depends on the clock
    int32_t method;        // scree_method (scree/index.h). No bit depends on it. HIERARCHICAL_GRID
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
    double reduced_pressure;  // p V / (n T), over the last stretch of growth (or of plain motion, if there was some)
    double reduced_pressure_at_rest;  // that of scree_event_rest, for this packing at constant size; NAN if growth did not come to the pressure
    double slower_rate;     // to try where growth came to the pressure and is not jammed: a quarter of def.rate; else 0
    double collision_rate;  // per sphere and time; time in units of the mean sphere's diameter over its thermal velocity
    double mean_free_time;
    double temperature;     // at the end of plain motion; mean mass 1, 1 at its beginning
    double time;            // that growth took, in these units
    int64_t collisions;     // total
    int64_t predictions, tests, refreshes, rebuilds;  // totals, as in scree_event_stats
    double seconds;
} scree_growth;

SCREE_DEFAULTS(scree_grow_def, scree_default_grow_def)

// No two spheres of the packing overlap, images counted, by the predicate of the index, and at walls they are inside as a whole; centres are
// in [lower, upper) on periodic axes: looked at from scratch before it is handed over. The same def and radii give the same bits.
// ARGUMENT: an invalid def or radius (radii are above 0 here), a density above 1, a sphere larger than the box; MEMORY: `out` is
// zeroed. CANCELLED: the watch said stop; `out` then holds a packing all the same, valid but looser, in a larger box, with `converged`
// false (zeroed if it had not begun to grow). Free it in any case.
SCREE_RESULT(scree_pack_grow, (const scree_grow_def* def, int32_t count, const double* r, scree_growth* out), (def, count, r, out))
SCREE_RELEASE(scree_growth, scree_growth_free)  // and zeroes it; a zeroed one is fine

#ifdef __cplusplus
}
#endif
#endif
