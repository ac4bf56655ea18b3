// scree/index.h: all contacts, or near pairs, among spheres.
//
//     scree_index_def def = scree_default_index_def();
//     def.box = box;                                   // or leave it: open space in 3D
//     scree_index* index;
//     scree_index_create(&def, &index);
//     scree_index_update(index, spheres);              // copies what it needs
//     scree_pairs pairs;
//     scree_index_pairs(index, &pairs);                // pairs.ij[0 .. count-1], valid until the next change
//     scree_index_destroy(index);
//
// Every method gives the same set of pairs, decided by one predicate: gap < def.gap, exactly as computed in doubles.
// An index may be used by one thread at a time; different indices are independent.
#ifndef SCREE_INDEX_H
#define SCREE_INDEX_H

#include "scree/geom.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum scree_method {
    SCREE_METHOD_AUTO = 0,  // chooses by predicted work
    SCREE_METHOD_ALL_PAIRS,
    SCREE_METHOD_VERLET_LIST,
    SCREE_METHOD_LINKED_CELLS,
    SCREE_METHOD_LINEAR_LIST,
    SCREE_METHOD_OCTREE,
    SCREE_METHOD_LOOSE_OCTREE,
    SCREE_METHOD_HIERARCHICAL_GRID,
    SCREE_METHOD_COUNT
} scree_method;

SCREE_API const char* scree_method_name(scree_method method);  // "linked-cells"; NULL if there is no such method

typedef enum scree_direction {   // between two levels of the hierarchical grid
    SCREE_DIRECTION_CHEAPER = 0,  // the cheaper one, for each pair of levels
    SCREE_DIRECTION_FINER,        // from the larger sphere into the finer grid (Ogarko and Luding)
    SCREE_DIRECTION_COARSER,      // from the smaller sphere into the coarser grid
    SCREE_DIRECTION_COUNT
} scree_direction;

typedef enum scree_range {     // cells of another level that are searched for a sphere of radius r, along each axis
    SCREE_RANGE_TIGHT = 0,     // cells within r + the largest radius on that level, limited to the ball
    SCREE_RANGE_HALF_CELL,     // cells within r + half a cell (Ogarko and Luding)
    SCREE_RANGE_IWAI,          // cells within r, and one more layer (Iwai et al.)
    SCREE_RANGE_COUNT
} scree_range;

typedef enum scree_box_test {  // |dx|, |dy|, |dz| < r_i + r_j + gap before the exact test
    SCREE_BOX_TEST_AUTO = 0,   // off: one instruction tests eight candidates exactly, so a box test does not help
    SCREE_BOX_TEST_ON,
    SCREE_BOX_TEST_OFF,
    SCREE_BOX_TEST_COUNT
} scree_box_test;

// Names as in flags and scenes: "cheaper", "half-cell", "on"; NULL if there is no such number.
SCREE_API const char* scree_direction_name(scree_direction direction);
SCREE_API const char* scree_range_name(scree_range range);
SCREE_API const char* scree_box_test_name(scree_box_test box_test);

typedef struct scree_index_def {
    uint32_t struct_size;  // filled by the default function; lets this struct grow between versions
    int32_t method;        // scree_method; AUTO chooses by number, sizes and density
    scree_box box;         // walls, periodic or open per axis; dimension 2 or 3
    double gap;            // pairs with gap < this are reported; 0: touching pairs only; may be negative
    bool sorted;           // pairs by (i, j, shift); else in an order determined by method, list and input
    int32_t threads;       // 0: all cores, or one if the set is small. The result does not depend on it
    scree_watch watch;     // progress and stop for the searches; zeroed: none
    double skin;           // margin of the cached candidate lists. 0: chosen and adapted by the index, which may also decide
                           // not to cache; > 0: this one, from the first update on; < 0: never cache. No pair depends on it
    // Parameters of single methods, for comparisons; 0: chosen by the method. ARGUMENT if def.method is another method,
    // and at the update if pairs would be lost.
    double cell_size;          // linked-cells: at least 2 r_max + gap
    int32_t levels;            // hierarchical-grid: number of levels, divided as by scree_find_levels; fewer where equal radii cannot be separated
    int32_t cell_size_count;   // hierarchical-grid: number of cell sizes, one per level, ascending, the last at least 2 r_max + gap;
    const double* cell_sizes;  // copied by scree_index_create
    int32_t direction;         // hierarchical-grid: scree_direction
    int32_t range;             // hierarchical-grid: scree_range
    int32_t box_test;          // linked-cells, hierarchical-grid: scree_box_test
    double verlet_radius;      // verlet-list: centres nearer than this are listed; more than 2 r_max + gap
    int32_t rebuild_every;     // verlet-list: rebuilt after this many updates, as in the paper, regardless of displacements;
                               // an update that would lose pairs is rejected. 0: rebuilt when a pair could be missing
    double loose_factor;       // loose-octree: side of outer cubes to that of cells, above 1; 0: 2
    double cell_sides[3];      // linked-cells: sides along x, y and z, in place of cell_size; each at least 2 r_max + gap. All 0: not given. In 2D the third is 0
    int32_t device;            // scree_device (scree/device.h): where scree_index_pairs searches; the pairs are the same, and sorted. Only with the methods AUTO and
                               // HIERARCHICAL_GRID. UNSUPPORTED: it is not available. AUTO: the GPU, if it is available, from 100 000 spheres on and with fewer than
                               // 8 threads: copies to it and back take longer than a search by many threads
} scree_index_def;

typedef struct scree_index scree_index;

// Which spheres may be pairs, by their groups: spheres of one molecule or clump are to be left out, for instance. A pair of a sphere and an image of it counts as one of its group with itself.
typedef struct scree_pair_mask {
    int32_t count;          // of spheres
    const int32_t* group;   // of each sphere: 0 or more, and less than `groups` if there is a matrix
    int32_t groups;         // rows of the matrix; not used without one
    const uint8_t* matrix;  // groups x groups, symmetric. 1: spheres of the two groups pair; 0: they do not. NULL: spheres pair unless their groups are equal
} scree_pair_mask;

// Each unordered pair of touching images once. i < j; or i = j with the first non-zero shift positive (a sphere that
// touches its own image). The image of j is at x_j + shift * L, with the centres given to the update; in a tilted box the offset is scree_box_offset(box, shift).
typedef struct scree_pairs {
    int64_t count;
    const int32_t (*ij)[2];
    const int8_t (*shift)[3];  // NULL when no axis is periodic
} scree_pairs;

// Counted work of the last update and of the last search, for pairs or for box pairs. All members except the seconds are the same in every run and for any number of threads.
typedef struct scree_index_stats {
    int64_t tests;         // exact tests, i.e. evaluations of the predicate
    int64_t box_tests;     // box tests: with def.box_test, in linear-list, and for box pairs
    int64_t cells;         // cells (or nodes) visited, over all spheres
    int64_t levels;        // of the structure: 1 for one grid, 0 for none
    double size_ratio;     // r_max / r_min; 1 without spheres, INFINITY if r_min is 0 and r_max is not
    size_t bytes;          // memory held by the index now, pairs included
    double seconds_build;  // from the caller's arrays to the structure
    double seconds_search; // from the structure to the pairs in memory
    int64_t rebuilds;      // updates so far that rebuilt the structure of the method; the others used the list
    int64_t list_build;    // number of the current list, 1 for the first; 0: there is no list
    int64_t candidates;    // in the list; 0: there is no list
    double skin;           // of the list; 0: there is no list
    int64_t swaps;         // linear-list: swaps of box ends in the last update of its sorted lists (an update that uses the candidate list of
                           // the index does not update them)
    int64_t sorts;         // linear-list: how often its box ends were sorted from scratch so far
    double work;           // of the last new search: a weighted sum of its counters, in units of a test of a grid
    // Single spheres, since the last update:
    int64_t queries;       // calls of scree_index_neighbours and scree_index_query
    int64_t query_tests;   // exact tests of these, and of the lists made for them
    int64_t query_box_tests;  // box tests (linear-list: box ends passed)
    int64_t query_cells;   // cells or nodes visited
    int64_t refreshes;     // lists of single spheres that were rebuilt
    double near_skin;      // margin of the lists of single spheres; 0: there are none
    int64_t changes;       // insertions, removals and moves of single spheres in the structure; 0: a method without cells. With lists only
                           // refreshes change the structure; a removal renumbers the last sphere, which counts as two more
    int64_t change_cells;  // cells or nodes that these changes looked up, passed or wrote
    double seconds_device; // part of seconds_search: on a device, from centres in its memory to all pairs in its memory, before they are sorted and copied
} scree_index_stats;

SCREE_DEFAULTS(scree_index_def, scree_default_index_def)

// ARGUMENT: an invalid def; UNSUPPORTED: a method other than AUTO, ALL_PAIRS and HIERARCHICAL_GRID in a tilted box; MEMORY.
SCREE_API scree_status scree_index_create(const scree_index_def* def, scree_index** out);
SCREE_API void scree_index_destroy(scree_index* index);  // NULL is fine

// Replaces all spheres; positions, radii and count may differ. The spheres are borrowed for the call only. ARGUMENT: scree_spheres_check's
// reasons; a periodic axis (in a tilted box: scree_box_period) shorter than a sphere's diameter; a centre more than 32 boxes away; gap, with the tilt, above 60
// boxes. MEMORY.
// After a failure the index still contains the previous spheres.
// If the same spheres are updated repeatedly with small displacements, the index may keep a list of candidates (pairs with gap <
// def.gap + skin) and test only these, until the two largest displacements since the list was made add up to the skin.
SCREE_API scree_status scree_index_update(scree_index* index, scree_spheres spheres);

// For items that are smaller than their bounding spheres: each lies inside the box with the half sides half[i * dim + k] about x_i, and inside its sphere.
// Pairs are pairs of spheres, but pairs whose boxes are farther apart than the gap along some axis may be left out. Only
// linear-list without a list of candidates (def.skin < 0) does this; other methods and single moves use only the spheres.
// `half` NULL: scree_index_update. ARGUMENT as there, or for an invalid half side.
SCREE_API scree_status scree_index_update_boxes(scree_index* index, scree_spheres spheres, const double* half);

// Spheres in the memory of the device that def.device names: CUDA or EMULATE (whose memory is that of the processor).
typedef struct scree_device_spheres {
    int32_t count, dim;
    const double* x;  // count x dim centres, on the device
    const double* r;  // count radii, on the device; NULL: all are `radius`
    double radius;
    void* stream;     // cudaStream_t on which they are written; NULL: the default stream of CUDA
} scree_device_spheres;

// scree_index_update for spheres in device memory: nothing is copied to the processor but a few numbers. The arrays are read when `stream` has come to this call, and may be changed or freed on
// it afterwards. The index then finds pairs only: scree_index_pairs_on_device, and scree_index_pairs, which copies them to the processor; calls for single spheres and their centres are UNSUPPORTED until
// scree_index_update. ARGUMENT as there, no device in the def, or an array that is not in its memory; MEMORY. After a failure the index contains no spheres.
SCREE_API scree_status scree_index_update_on_device(scree_index* index, const scree_device_spheres* spheres);

// Replaces def.gap for all later updates; until the next update the index contains no spheres. ARGUMENT.
SCREE_API scree_status scree_index_set_gap(scree_index* index, double gap);

// Sets the mask of scree_index_pairs, _box_pairs and _neighbours, and of neighbour lists made from this index: pairs of two groups that do not pair are left out of the results. The arrays are
// copied. NULL: no mask. Groups follow their spheres: after a removal sphere i has the group of the former last sphere, an inserted sphere has group 0 until scree_index_set_group, and updates
// keep groups by number. Searches fail with ARGUMENT unless there are as many groups as spheres. The probe sphere of scree_index_query has no group.
// ARGUMENT: a group that is negative or has no row in the matrix; a matrix that is not symmetric or has entries other than 0 and 1. MEMORY. After a failure the mask is as it was.
SCREE_API scree_status scree_index_set_mask(scree_index* index, const scree_pair_mask* mask);
SCREE_API scree_status scree_index_get_mask(const scree_index* index, scree_pair_mask* out);  // as it is now, valid until the next call that changes it or the spheres; group NULL: none
SCREE_API scree_status scree_index_set_group(scree_index* index, int32_t i, int32_t group);  // ARGUMENT: no mask, no such sphere, or an invalid group

// All pairs of the spheres of the last update (none before the first). `out` is valid until the next call on this index.
// MEMORY, CANCELLED.
SCREE_API scree_status scree_index_pairs(scree_index* index, scree_pairs* out);

// The same pairs for spheres that were given in device memory, as arrays in device memory (out->ij, out->shift). With def.sorted they are sorted, which takes about as long as the search. `full`: each pair in
// both directions, (i, j, shift) and (j, i, -shift). What is queued on `stream` after this call finds them complete; they are valid until the next call on this index.
// ARGUMENT: the spheres are not in device memory; UNSUPPORTED: 2^30 pairs or more; MEMORY.
SCREE_API scree_status scree_index_pairs_on_device(scree_index* index, bool full, void* stream, scree_pairs* out);

// The vectors from i to the image of j and their lengths, for the pairs that the last call gave, in device memory: dim numbers for each pair and one. ARGUMENT: the last call on the index gave no pairs
// in device memory. MEMORY.
SCREE_API scree_status scree_index_vectors_on_device(scree_index* index, void* stream, const double** vector, const double** distance);

// For further streams. lead: work queued on `stream` after this call starts once the arrays of the two calls above are complete. follow: device work of later calls on the index starts once the work
// queued on `stream` before this call is complete.
// ARGUMENT: the index has no device.
SCREE_API scree_status scree_index_lead_on_device(scree_index* index, void* stream);
SCREE_API scree_status scree_index_follow_on_device(scree_index* index, void* stream);

// All pairs whose bounding boxes overlap or touch: the matrix of the linked linear list, before any exact test (Muth et
// al. 2007, Fig. 7 and 9). Boxes are closed, x - h to x + h on each axis, with h = r (after scree_index_update_boxes the smaller of r and half).
// (i, j, shift) is a box pair if on every axis
//
//     |(x_i - x_j) - shift * L|  <=  (h_i + h_j) + def.gap
//
// as computed in doubles from centres wrapped into the box on periodic axes. Boxes may therefore be apart by up to the gap, each pair of
// scree_index_pairs is a box pair too, and a box pair need not be a pair. Form, order and images as there; `out` is valid until the next call on
// this index. Can be mixed with all other calls: box pairs refer to the current spheres, also after single moves (half sides are discarded then).
// A list of candidates is not changed.
// linear-list returns its matrix, O(n + box pairs) after the update (if there is a list of candidates, the sorted lists are updated first);
// all-pairs tests every pair and image, as the reference. UNSUPPORTED: def.method is another one, or AUTO. MEMORY, CANCELLED.
SCREE_API scree_status scree_index_box_pairs(scree_index* index, scree_pairs* out);

// ---- Single spheres ----------------------------------------------------------------------------------------------
// Spheres are moved, inserted and removed one at a time, and neighbours of one sphere are found: for rearrangement, deposition, growth. These calls can be mixed
// with the calls above: pairs refer to the current spheres, and an update replaces them all.
//
//     scree_index_move(index, i, x);
//     scree_neighbours near;
//     scree_index_neighbours(index, i, &near);
//
// Spheres are numbered 0 .. count-1. A call that fails with ARGUMENT or MEMORY has changed nothing.

typedef struct scree_neighbours {
    int64_t count;
    const int32_t* j;          // may be the sphere itself, through its own images
    const int8_t (*shift)[3];  // of the image of j, at x_j + shift * L; centres as given; NULL when no axis is periodic
} scree_neighbours;

SCREE_API int32_t scree_index_get_count(const scree_index* index);
// The centre (dim numbers, inside the box on periodic axes) and radius of sphere i; either may be NULL. ARGUMENT.
SCREE_API scree_status scree_index_get(const scree_index* index, int32_t i, double* x, double* r);
// All spheres in the form that scree_candidates_update reads: x y z r with z = 0 in 2D, scree_index_get_count rows. Centres as given, up to
// the rounding of wrapping. `xr` may be NULL if there are no spheres. ARGUMENT.
SCREE_API scree_status scree_index_get_all(const scree_index* index, double (*xr)[4]);

SCREE_API scree_status scree_index_move(scree_index* index, int32_t i, const double* x);
SCREE_API scree_status scree_index_insert(scree_index* index, const double* x, double r, int32_t* i);  // its number: the last
SCREE_API scree_status scree_index_remove(scree_index* index, int32_t i);  // the last sphere takes the number i
SCREE_API scree_status scree_index_set_radius(scree_index* index, int32_t i, double r);
// Centres are unchanged (on axes that were periodic: wrapped into the old box) and must be inside the new walls. UNSUPPORTED: a tilted box that the method does not support.
SCREE_API scree_status scree_index_set_box(scree_index* index, const scree_box* box);
// Box and centres times one factor, radii times another; both above 0 (radii: or 0).
SCREE_API scree_status scree_index_scale(scree_index* index, double centres, double radii);

// User data: one number per sphere, such as an id or a pointer as intptr_t. 0 until it is set. The index does not use it. It follows its sphere: after a
// removal sphere i has the value of the former last sphere. Updates keep it by number; new spheres have 0. The functions with _all read and write scree_index_get_count numbers.
//
//     for (int64_t n = 0; n < near.count; ++n) {
//         scree_index_get_user(index, near.j[n], &user);
//         touch((body*)(intptr_t)user);
//     }
//
// ARGUMENT: there is no such sphere. MEMORY: only when the first value is set, or after spheres were added.
SCREE_API scree_status scree_index_set_user(scree_index* index, int32_t i, int64_t user);
SCREE_API scree_status scree_index_get_user(const scree_index* index, int32_t i, int64_t* user);
SCREE_API scree_status scree_index_set_user_all(scree_index* index, const int64_t* user);      // NULL: all 0
SCREE_API scree_status scree_index_get_user_all(const scree_index* index, int64_t* user);      // may be NULL if there are no spheres

// Spheres with a gap below def.gap to sphere i, or to a probe of radius r at x. By (j, shift) if
// def.sorted. Valid until the next call on this index.
SCREE_API scree_status scree_index_neighbours(scree_index* index, int32_t i, scree_neighbours* out);
SCREE_API scree_status scree_index_query(scree_index* index, const double* x, double r, scree_neighbours* out);

// The cells or nodes around one sphere that a search visits before any two spheres are compared, and the spheres in them, as Raschdorf
// and Kolonko count them (their Table 1 and Fig. 9). A cell or node counts once, even if several of its images are near.
//     linked-cells        the cell of the centre and all adjacent cells
//     hierarchical-grid   on each level the cells within the radius, the largest radius on that level and the gap
//     octree              the nodes that the sphere or an image of it intersects, enlarged by the gap. This is as in the paper; searches across periodic faces
//                         visit more nodes, because other spheres also extend through the faces (stats.query_cells)
//     loose-octree        the nodes whose outer cube the sphere or an image of it intersects
typedef struct scree_surroundings {
    int32_t level;    // where the sphere itself is stored: 0 is the root of a tree, the finest of grids
    int64_t cells;    // cells or nodes that are not empty (in a tree also nodes at which branches divide)
    int64_t spheres;  // stored there, without the sphere itself
} scree_surroundings;

// For counting; slow. ARGUMENT: no such sphere; there are lists of single spheres (set def.skin < 0).
// UNSUPPORTED: a method without cells (all-pairs, verlet-list, linear-list), or a tilted box. MEMORY.
SCREE_RESULT(scree_index_surroundings, (scree_index* index, int32_t i, scree_surroundings* out), (index, i, out))

// ---- Statistics -------------------------------------------------------------------------------------------------

SCREE_API int32_t scree_index_get_device(const scree_index* index);                    // scree_device that searches for its pairs; never AUTO
SCREE_API scree_method scree_index_method(const scree_index* index);  // the method of the def, or the one that AUTO chose at the last update
SCREE_VALUE(scree_index_stats, scree_index_get_stats, (const scree_index* index), (index))

// The `work` that AUTO predicted for a method at the last update; for AUTO: for the method that it chose. 0: def.method is not AUTO, or there is no
// such method.
// INFINITY: the method does not support this box.
SCREE_API double scree_index_get_predicted(const scree_index* index, scree_method method);

// Checks internal data structures; slow. ARGUMENT: the message names what is inconsistent (this indicates a bug; please report it).
SCREE_API scree_status scree_index_validate(const scree_index* index);

#ifdef __cplusplus
}
#endif
#endif
