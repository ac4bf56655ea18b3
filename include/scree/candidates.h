// scree/candidates.h: neighbour lists for a program that moves its items itself.
//
//     scree_candidates_def def = scree_default_candidates_def();
//     def.search = &search;                            // a scree_index_def: method, box, threads, gap, skin
//     scree_candidates* near;
//     scree_candidates_create(&def, &near);
//     for (;;) {                                       // each step
//         scree_candidate_items items = {.count = n, .xr = xr, .moved = fastest * dt};
//         scree_candidates_update(near, &items);       // makes a new list only when a pair could be missing from the old one
//         scree_candidate_rows rows;
//         scree_candidates_get_rows(near, &rows);          // test these pairs, move the items
//     }
//     scree_candidates_destroy(near);
//
// After an update every pair of items with a gap below search.gap is among the rows. The list holds all pairs with a gap below search.gap + skin, so it
// stays complete until two items have moved by more than the skin together. The skin is chosen by counted work unless search.skin is positive;
// with search.skin < 0 every update makes a new list. No result depends on the skin or on the number of threads.
//
// A list belongs to one thread at a time.
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
    int32_t block;                  // items in a block of transposed rows (below); 0: none are wanted
    bool numbered;                  // transposed rows come with the numbers of their rows
} scree_candidates_def;

SCREE_DEFAULTS(scree_candidates_def, scree_default_candidates_def)

// ARGUMENT: what scree_index_create rejects; a negative block. MEMORY. *out is NULL then.
SCREE_API scree_status scree_candidates_create(const scree_candidates_def* def, scree_candidates** out);
SCREE_API void scree_candidates_destroy(scree_candidates* candidates);  // NULL is fine

// The items of one update. All arrays are borrowed for the call only.
typedef struct scree_candidate_items {
    int32_t count;
    const double (*xr)[4];      // x y z r; z = 0 in 2D
    const double (*half)[3];    // half sides of boxes about x, each item lies in its box and in its sphere: pairs whose boxes are farther apart than
                                // gap + skin along an axis are left out. NULL: spheres
    const uint8_t* still;       // 1: never moves; pairs of two such items are left out. NULL: all move
    const int32_t* body;        // pairs of items with the same number are left out. NULL: none
    double moved;               // no item has moved farther than this since the last update; NAN: not known, all displacements are measured (by the
                                // shorter way round on periodic axes: none may be half a box or more since the list was made)
    const double* ways;         // the two largest displacements since the list was made (any point of an item counts), where the caller has
                                // measured them; NULL: they are measured by xr when needed
    double outside_moved;       // the same bound for things that are no items but whose distance to items the caller keeps with
                                // the list (walls): a list is over too when one item and such a thing have moved by more than the skin together
    double expected;            // how far the fastest will move until the next update; only the skin depends on it. 0: as in the last one
    int64_t found;              // how many rows were pairs when last tested; only the skin depends on it. Below 0: not known
    double skin;                // of a list that this update makes, at most half of the shortest periodic side; 0: as search.skin says
    bool others;                // items differ from the last update (number, order, radii, wrapped centres): a new list is made
    int32_t block;              // items in a block of transposed rows, if a new list is made; 0: def.block
} scree_candidate_items;

// Makes sure that the list is complete for these items. Radii may change only with `others`. On periodic axes centres may lie outside the box, up to 16
// boxes away. ARGUMENT: an item that is not valid, named by its place in the array; search.rebuild_every kept a list for too long. MEMORY,
// CANCELLED. After a failure no list is held.
SCREE_API scree_status scree_candidates_update(scree_candidates* candidates, const scree_candidate_items* now);

// The first half of an update, for a caller whose items are costly to lay out: whether the list that is held is still complete. If not, an update with
// `others` makes the next one. With `ways`, xr may be NULL here. ARGUMENT as for an update.
SCREE_API scree_status scree_candidates_hold(scree_candidates* candidates, const scree_candidate_items* now, bool* holds);

// For a caller that keeps parts of one set in several objects, whose lists must have one skin: the skin that the next list of this one would have, if the last one held for `age` updates, in the first of which
// two items moved by ways[0] together, and by ways[1] until its end. now->expected, found and skin as for an update, which then gets the skin that all agree on. ARGUMENT as for an update.
SCREE_API scree_status scree_candidates_next_skin(scree_candidates* candidates, const scree_candidate_items* now, int64_t age, const double ways[2], double* out);

// For the same caller, before its first list: the skin that the list of all these items would have, of which no two move farther than 2 * expected in an update. ARGUMENT as for an update.
SCREE_API scree_status scree_candidates_first_skin(scree_candidates* candidates, scree_spheres spheres, double expected, double* out);

// Rows by (i, j, shift), i < j, or i = j with the first non-zero shift positive. Transposed rows are copies of all rows whose items are in different
// blocks, by the block of j and then as in the rows: with them a thread that owns a block of items has all their pairs at hand.
typedef struct scree_candidate_rows {
    int64_t build;              // rises with each new list
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
    double margin;              // no item has moved farther than this since the list was made, and none will while it is held
} scree_candidate_rows;

// Valid until the next update. No rows before the first one. ARGUMENT: no list is held, because the last update failed.
SCREE_RESULT(scree_candidates_get_rows, (const scree_candidates* candidates, scree_candidate_rows* out), (candidates, out))

// Centres, and the box on periodic axes, were scaled by a factor about a point, radii were not: the list is kept where it stays complete. `box` is the one
// after scaling; the same axes must be periodic. ARGUMENT.
SCREE_API scree_status scree_candidates_scale(scree_candidates* candidates, const scree_box* box, const double about[3], double factor);

// The periodic box has become another one, with the same axes periodic: centres are expected to have followed it by the affine map from the one to the other,
// and displacements are measured from there. The list is kept where it stays complete; the next update has `moved` NAN. ARGUMENT; UNSUPPORTED: a tilted box
// that the method does not search.
SCREE_API scree_status scree_candidates_deform(scree_candidates* candidates, const scree_box* box);

// Frees all but the list: its rows stay as they are, and the next update makes a new one. NULL is fine.
SCREE_API void scree_candidates_trim(scree_candidates* candidates);
SCREE_API void scree_candidates_clear(scree_candidates* candidates);  // the list too: there are no rows until the next update

SCREE_API scree_status scree_candidates_set_threads(scree_candidates* candidates, int32_t threads);  // ARGUMENT: negative

typedef struct scree_candidates_stats {
    int64_t builds;      // lists made
    int64_t candidates;  // rows of the list that is held
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
