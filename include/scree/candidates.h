// scree/candidates.h: neighbour lists for a program that moves its items itself.
//
//     scree_candidates_def def = scree_default_candidates_def();
//     def.search = &search;                            // a scree_index_def: method, box, threads, gap, skin
//     scree_candidates* near;
//     scree_candidates_create(&def, &near);
//     for (;;) {                                       // each step
//         scree_candidate_items items = scree_default_candidate_items();
//         items.count = n;
//         items.xr = xr;
//         items.moved = fastest * dt;
//         scree_candidates_update(near, &items);       // makes a new list only when a pair could be missing from the old one
//         scree_candidate_rows rows;
//         scree_candidates_get_rows(near, &rows);          // test these pairs, move the items
//     }
//     scree_candidates_destroy(near);
//
// After an update every pair of items with a gap below search.gap is among the rows. The list holds all pairs with a gap below search.gap + skin, so it
// stays complete until the displacements of two items add up to more than the skin. The skin is chosen by counted work unless search.skin is positive;
// with search.skin < 0 every update makes a new list. No result depends on the skin or on the number of threads.
//
// An object may be used by one thread at a time.
#ifndef SCREE_CANDIDATES_H
#define SCREE_CANDIDATES_H

#include "scree/index.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct scree_candidates scree_candidates;

typedef struct scree_candidates_def {
    uint32_t struct_size;           // filled by the default function; lets this struct grow between versions
    const scree_index_def* search;  // borrowed for scree_candidates_create; NULL: the default. `sorted` is not used: rows are always sorted
    int32_t block;                  // items in a block of transposed rows (below); 0: no transposed rows
    bool numbered;                  // transposed rows include the numbers of their rows (in_row)
} scree_candidates_def;

SCREE_DEFAULTS(scree_candidates_def, scree_default_candidates_def)

// ARGUMENT: what scree_index_create rejects; a negative block. MEMORY. *out is NULL then.
SCREE_API scree_status scree_candidates_create(const scree_candidates_def* def, scree_candidates** out);
SCREE_API void scree_candidates_destroy(scree_candidates* candidates);  // NULL is fine

// The items of one update. All arrays are borrowed for the call only.
typedef struct scree_candidate_items {
    uint32_t struct_size;       // filled by the default function
    int32_t count;
    const double (*xr)[4];      // x y z r; z = 0 in 2D
    const double (*half)[3];    // half sides of boxes about x; each item lies in its box and in its sphere. Pairs whose boxes are farther apart than
                                // gap + skin along an axis are left out. NULL: spheres
    const uint8_t* still;       // 1: never moves; pairs of two such items are left out. NULL: all move
    const scree_pair_mask* mask;  // pairs of items whose groups do not pair are left out; the mask changes only with `others`. NULL: none
    double moved;               // upper bound of the displacement of any item since the last update, above 0 (DBL_MIN: none has moved); 0 or NAN (the default): not known, all
                                // displacements are measured (on periodic axes to the nearest image: none may be half a box or more since the list was made)
    const double* ways;         // the two largest displacements since the list was made (of any point of an item), if the caller has
                                // measured them; NULL: they are measured from xr when needed
    double outside_moved;       // the same bound for objects that are not items (walls) but whose distance to items the caller keeps with
                                // the list: a list also expires when the displacements of an item and such an object add up to more than the skin
    double expected;            // expected displacement of the fastest item until the next update; only the skin depends on it. 0: as in the last one
    int64_t found;              // number of rows that were pairs when last tested; only the skin depends on it. Below 0 (the default): not known
    double skin;                // of a list that this update makes, at most half of the shortest periodic side; 0: search.skin applies
    bool others;                // items differ from the last update (number, order, radii, wrapped centres): a new list is made
    int32_t block;              // items in a block of transposed rows, if a new list is made; 0: def.block
} scree_candidate_items;

SCREE_DEFAULTS(scree_candidate_items, scree_default_candidate_items)

// Makes sure that the list is complete for these items. Radii may change only with `others`. On periodic axes centres may lie outside the box, up to 16
// boxes away. ARGUMENT: an invalid item, named by its index; search.rebuild_every kept a list for too long. MEMORY,
// CANCELLED. After a failure there is no list.
SCREE_API scree_status scree_candidates_update(scree_candidates* candidates, const scree_candidate_items* now);

// The first half of an update, for callers whose items are costly to convert: *holds is true if the current list is still complete. If not, an update with
// `others` makes the next one. With `ways`, xr may be NULL here. ARGUMENT as for an update.
SCREE_API scree_status scree_candidates_hold(scree_candidates* candidates, const scree_candidate_items* now, bool* holds);

// For callers that keep parts of one set in several objects, whose lists must have a common skin: the skin that the next list of this object would have. The last list was valid for `age` updates; the
// two largest displacements added up to ways[0] in its first update and to ways[1] at its end. now->expected, found and skin as for an update, to which the caller then gives the common skin. ARGUMENT as for an update.
SCREE_API scree_status scree_candidates_next_skin(scree_candidates* candidates, const scree_candidate_items* now, int64_t age, const double ways[2], double* out);

// For the same callers, before the first list: the skin that a list of all these items would have, if no two of them move by more than 2 * expected in total in an update. ARGUMENT as for an update.
SCREE_API scree_status scree_candidates_first_skin(scree_candidates* candidates, scree_spheres spheres, double expected, double* out);

// Rows by (i, j, shift), i < j, or i = j with the first non-zero shift positive. Transposed rows are copies of all rows whose items are in different
// blocks, sorted by the block of j and then as in the rows: a thread that owns a block of items then has all their pairs.
typedef struct scree_candidate_rows {
    int64_t build;              // increases with each new list
    int64_t count;              // of rows
    int32_t items;
    const int32_t (*ij)[2];
    const int8_t (*shift)[3];   // of the image of j, at x_j + shift * L; x as given when the list was made; NULL when no axis is periodic
    const int64_t* start;       // items + 1: the rows of item i
    int64_t blocks;             // of transposed rows; 0: none
    const int64_t* in_start;    // blocks + 1
    const int32_t (*in_ij)[2];
    const int8_t (*in_shift)[3];
    const int64_t* in_row;      // def.numbered: the number of each in the rows; else NULL
    double skin;
    double margin;              // upper bound of the displacement of any item while this list is valid
} scree_candidate_rows;

// Valid until the next update. No rows before the first one. ARGUMENT: there is no list, because the last update failed.
SCREE_RESULT(scree_candidates_get_rows, (const scree_candidates* candidates, scree_candidate_rows* out), (candidates, out))

// Call it after centres, and the box on periodic axes, were scaled by a factor about a point, with unchanged radii: the list is kept if it stays complete. `box` is the box
// after scaling; the same axes must be periodic. ARGUMENT.
SCREE_API scree_status scree_candidates_scale(scree_candidates* candidates, const scree_box* box, const double about[3], double factor);

// Call it after the periodic box has changed to `box`, with the same periodic axes: displacements are then measured relative to the affine map from the old box to the
// new one. The list is kept if it stays complete; the next update needs `moved` NAN. ARGUMENT; UNSUPPORTED: a tilted box
// that the method does not support.
SCREE_API scree_status scree_candidates_deform(scree_candidates* candidates, const scree_box* box);

// Frees all memory except the list: its rows stay valid, and the next update makes a new list. NULL is fine.
SCREE_API void scree_candidates_trim(scree_candidates* candidates);
SCREE_API void scree_candidates_clear(scree_candidates* candidates);  // the list too: there are no rows until the next update

SCREE_API scree_status scree_candidates_set_threads(scree_candidates* candidates, int32_t threads);  // ARGUMENT: negative

typedef struct scree_candidates_stats {
    int64_t builds;      // lists made
    int64_t candidates;  // rows of the current list
    double skin;
    int32_t method;      // scree_method that made it
    double work;         // of the last search, in tests of a grid
    size_t bytes;
} scree_candidates_stats;

SCREE_VALUE(scree_candidates_stats, scree_candidates_get_stats, (const scree_candidates* candidates), (candidates))

#ifdef __cplusplus
}
#endif
#endif
