// scree/neighbours.h: one neighbour list per sphere, for a program that moves its spheres one at a time.
//
//     scree_index_def search = scree_default_index_def();
//     search.gap = gap + skin;
//     search.skin = -1.0;                              // the lists are kept here, not in the index
//     scree_index* index;                              // holds the reference points of the lists
//     scree_index_create(&search, &index);
//     scree_index_update(index, spheres);
//     scree_neighbour_lists_def def = scree_default_neighbour_lists_def();
//     def.index = index;
//     scree_neighbour_lists* lists;
//     scree_neighbour_lists_create(&def, &lists);
//     scree_neighbour_lists_make(lists, skin);         // all lists, at the centres that the index holds
//     for (;;) {
//         scree_neighbour_rows rows;
//         scree_neighbour_lists_get_rows(lists, &rows);    // test the entries of sphere i, move it to x
//         scree_neighbour_lists_move(lists, i, x, NULL);  // rebuilds the list of i when a pair could be missing from it
//     }
//
// A list holds all spheres whose reference points have a gap below that of the index: the gap that is wanted and the skin. No sphere is farther than half a
// skin from its reference point, so every pair with a gap below `gap` is in the lists of both spheres. Lists are symmetric: when i is in the list
// of j, j is in that of i, through the opposite image. The images of a sphere itself are not listed: they move with it.
//
// For spheres that all move at each step, scree/candidates.h is cheaper. Lists belong to one thread at a time; any number of threads may read rows.
#ifndef SCREE_NEIGHBOURS_H
#define SCREE_NEIGHBOURS_H

#include "scree/index.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct scree_neighbour_lists scree_neighbour_lists;

typedef struct scree_neighbour_lists_def {
    uint32_t struct_size;  // filled by the default function; lets this struct grow between versions
    scree_index* index;    // borrowed as long as the lists are there. It holds reference points; while lists are held, only they may move
                           // spheres in it. Best with def.skin < 0
    int32_t images;        // images are up to this many boxes away on each axis, 1 to 7; 7
    bool sorted;           // rows rise by (j, image), which costs a little more per change; else rows that were changed are in no fixed order
    bool steady;           // lists are made all at once only: rows have no room to grow
    int32_t threads;       // 0: all cores. The lists do not depend on it
} scree_neighbour_lists_def;

SCREE_DEFAULTS(scree_neighbour_lists_def, scree_default_neighbour_lists_def)

// ARGUMENT: no index; images or threads out of range. MEMORY. *out is NULL then.
SCREE_API scree_status scree_neighbour_lists_create(const scree_neighbour_lists_def* def, scree_neighbour_lists** out);
SCREE_API void scree_neighbour_lists_destroy(scree_neighbour_lists* lists);  // NULL is fine; the index stays

// All lists, from the pairs of the index: after an update of it, or for other references. `skin`: the part of the index's gap that is margin, 0 or more.
// O(pairs), shared by the threads. ARGUMENT: an invalid skin; an image that is more than def.images boxes away (wrap the centres). MEMORY, CANCELLED.
// After a failure no lists are held.
SCREE_API scree_status scree_neighbour_lists_make(scree_neighbour_lists* lists, double skin);

// What a change of one list did to the others: added[k] is the place, in the new list of the sphere, of an entry that was not in the old one.
typedef struct scree_neighbour_change {
    int32_t count;         // of entries that are new
    const int32_t* added;  // valid until the next change
    int32_t dropped;       // entries that were removed
    bool far;              // an image is more than def.images boxes away: no lists are held any more. Wrap the centres, update the index, make all
} scree_neighbour_change;

// Sphere i is at x (dim numbers) now. If that is farther from its reference point than half the skin, it gets a new reference point and list. Where lists are
// not wanted yet, steps may add up: only the distance from the reference counts. `change` may be NULL; `far` is then ARGUMENT.
// Centres continue across periodic faces; one that was wrapped gets a new list.
// ARGUMENT: no such sphere, no lists are held, what scree_index_move rejects. MEMORY: no lists are held after that.
SCREE_API scree_status scree_neighbour_lists_move(scree_neighbour_lists* lists, int32_t i, const double* x, scree_neighbour_change* change);

// The same for a caller that measures the distance itself: a new reference point at x and a new list in any case. One search of the index.
SCREE_API scree_status scree_neighbour_lists_refresh(scree_neighbour_lists* lists, int32_t i, const double* x, scree_neighbour_change* change);

// The same for a caller that has searched itself: the list of i becomes these entries (rising by (j, image) if def.sorted; i itself is not meant to be among them; none
// twice), and others are changed to fit. The index is not touched. ARGUMENT as above, or an entry that names no sphere or image.
SCREE_API scree_status scree_neighbour_lists_replace(scree_neighbour_lists* lists, int32_t i, int32_t count, const int32_t* j, const int32_t* image,
                                                     scree_neighbour_change* change);

typedef struct scree_neighbour_row {
    int64_t at;     // the entries of the row are at .. at + count - 1
    int32_t count;
    int32_t room;   // count and room to grow
} scree_neighbour_row;

typedef struct scree_neighbour_rows {
    int32_t count;                   // of spheres, and of rows
    const scree_neighbour_row* row;  // one for each sphere
    const int32_t* j;                // entries: the other sphere,
    const int32_t* image;            // and which image of it, by number (below)
    const uint8_t* imaged;           // by sphere. 0: each entry of its row is a sphere itself, none is an image. 1: some are, or were
    int64_t entries;                 // total of all rows; each pair counts twice
    int64_t used;                    // of j and image, with the room between rows and rows that have moved
    int64_t build;                   // rises when all lists are made
} scree_neighbour_rows;

// Valid until the next change of any list. Rows of 0 spheres before the first scree_neighbour_lists_make. ARGUMENT: no lists are held, because a call failed.
SCREE_RESULT(scree_neighbour_lists_get_rows, (const scree_neighbour_lists* lists, scree_neighbour_rows* out), (lists, out))

// The image of j at x_j + shift * L, in numbers of images rising by (z, y, x); x as given to the index. shift 0 has the number `here`, and the pair seen from
// j has the number 2 * here - image.
static inline int32_t scree_neighbour_here(int32_t images)
{
    int32_t wide = 2 * images + 1;
    return (wide * wide * wide) / 2;
}

static inline int32_t scree_neighbour_image(int32_t images, int x, int y, int z)
{
    int32_t wide = 2 * images + 1;
    return scree_neighbour_here(images) + x + wide * (y + wide * z);
}

static inline void scree_neighbour_shift(int32_t images, int32_t image, int shift[3])
{
    int32_t wide = 2 * images + 1;
    shift[0] = image % wide - images;
    shift[1] = image / wide % wide - images;
    shift[2] = image / (wide * wide) - images;
}

typedef struct scree_neighbour_stats {
    int64_t builds;     // times that all lists were made
    int64_t refreshes;  // lists of single spheres that were rebuilt
    int64_t entries;    // total of all rows
    double skin;
    size_t bytes;       // without the index
} scree_neighbour_stats;

SCREE_VALUE(scree_neighbour_stats, scree_neighbour_lists_get_stats, (const scree_neighbour_lists* lists), (lists))

// Checks that rows are symmetric, hold no entry twice, and rise if they should. Slow. ARGUMENT: what does not hold (this indicates a bug; please report it).
SCREE_API scree_status scree_neighbour_lists_validate(const scree_neighbour_lists* lists);

// By which factor to change a skin. A wider skin saves work because lists last longer, and adds work because they are longer. At the best width a small change
// saves as much as it adds; `saved` and `added` are these two amounts of counted work for the skin as it is, in one unit. The factor is the square root of
// their ratio, between 1/2 and 2. Two lists that lasted for different times are compared by work per step.
SCREE_API double scree_skin_factor(double saved, double added);

#ifdef __cplusplus
}
#endif
#endif
