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
// A list contains all spheres whose reference points have a gap below that of the index, which is the required gap plus the skin. No sphere is farther than half a
// skin from its reference point, so every pair with a gap below `gap` is in the lists of both spheres. Lists are symmetric: if i is in the list
// of j, j is in the list of i, with the opposite image. The images of a sphere itself are not listed: they move with it.
//
// If all spheres move at each step, scree/candidates.h is cheaper. Lists may be changed by one thread at a time; any number of threads may read rows.
#ifndef SCREE_NEIGHBOURS_H
#define SCREE_NEIGHBOURS_H

#include "scree/index.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct scree_neighbour_lists scree_neighbour_lists;

typedef struct scree_neighbour_lists_def {
    uint32_t struct_size;  // filled by the default function; lets this struct grow between versions
    scree_index* index;    // borrowed until the lists are destroyed. It contains the reference points; while there are lists, only they may move
                           // spheres in it. Best with def.skin < 0
    int32_t images;        // images are up to this many boxes away on each axis, 1 to 7; 7
    bool sorted;           // rows are always sorted by (j, image), which costs slightly more per change; else changed rows are in no fixed order
    bool steady;           // lists are only made all at once: rows have no reserve to grow
    int32_t threads;       // 0: all cores. The lists do not depend on it
} scree_neighbour_lists_def;

SCREE_DEFAULTS(scree_neighbour_lists_def, scree_default_neighbour_lists_def)

// ARGUMENT: no index; images or threads out of range. MEMORY. *out is NULL then.
SCREE_API scree_status scree_neighbour_lists_create(const scree_neighbour_lists_def* def, scree_neighbour_lists** out);
SCREE_API void scree_neighbour_lists_destroy(scree_neighbour_lists* lists);  // NULL is fine; the index stays

// Makes all lists from the pairs of the index: after an update of the index, or for new reference points. `skin`: the part of the gap of the index that is the margin, 0 or more.
// O(pairs), on all threads. ARGUMENT: an invalid skin; an image that is more than def.images boxes away (wrap the centres). MEMORY, CANCELLED.
// After a failure there are no lists.
SCREE_API scree_status scree_neighbour_lists_make(scree_neighbour_lists* lists, double skin);

// The result of a change of one list: added[k] is the position, in the new list of the sphere, of an entry that was not in the old one.
typedef struct scree_neighbour_change {
    int32_t count;         // of entries that are new
    const int32_t* added;  // valid until the next change
    int32_t dropped;       // entries that were removed
    bool far;              // an image is more than def.images boxes away: there are no lists any more. Wrap the centres, update the index, make all lists
} scree_neighbour_change;

// Moves sphere i to x (dim numbers). If that is farther from its reference point than half the skin, it gets a new reference point and list. Several moves may be
// combined into one call: only the distance from the reference point matters. `change` may be NULL; `far` is then ARGUMENT.
// Centres are not wrapped at periodic faces; a centre that was wrapped gets a new list.
// ARGUMENT: no such sphere, no lists, what scree_index_move rejects. MEMORY: there are no lists afterwards.
SCREE_API scree_status scree_neighbour_lists_move(scree_neighbour_lists* lists, int32_t i, const double* x, scree_neighbour_change* change);

// The same for callers that measure the distance themselves: a new reference point at x and a new list in any case. One search of the index.
SCREE_API scree_status scree_neighbour_lists_refresh(scree_neighbour_lists* lists, int32_t i, const double* x, scree_neighbour_change* change);

// The same for callers with their own search: the list of i becomes these entries (sorted by (j, image) if def.sorted; without i itself; none
// twice), and the other lists are updated to match. The index is not changed. ARGUMENT as above, or an invalid sphere or image.
SCREE_API scree_status scree_neighbour_lists_replace(scree_neighbour_lists* lists, int32_t i, int32_t count, const int32_t* j, const int32_t* image,
                                                     scree_neighbour_change* change);

typedef struct scree_neighbour_row {
    int64_t at;     // the entries of the row are at .. at + count - 1
    int32_t count;
    int32_t room;   // count plus the reserve to grow
} scree_neighbour_row;

typedef struct scree_neighbour_rows {
    int32_t count;                   // of spheres, and of rows
    const scree_neighbour_row* row;  // one for each sphere
    const int32_t* j;                // entries: the other sphere,
    const int32_t* image;            // and which image of it, by number (below)
    const uint8_t* imaged;           // by sphere. 0: no entry of its row is an image. 1: some are, or were
    int64_t entries;                 // total of all rows; each pair counts twice
    int64_t used;                    // length of j and image, including the reserve between rows and moved rows
    int64_t build;                   // increases when all lists are made
} scree_neighbour_rows;

// Valid until the next change of any list. Rows of 0 spheres before the first scree_neighbour_lists_make. ARGUMENT: there are no lists, because a call failed.
SCREE_RESULT(scree_neighbour_lists_get_rows, (const scree_neighbour_lists* lists, scree_neighbour_rows* out), (lists, out))

// The number of the image of j at x_j + shift * L; numbers are in the order of (z, y, x), with the centres given to the index. Shift 0 has the number `here`, and the pair seen from
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

// Checks that rows are symmetric, contain no entry twice, and are sorted if required. Slow. ARGUMENT: the message names what is inconsistent (this indicates a bug; please report it).
SCREE_API scree_status scree_neighbour_lists_validate(const scree_neighbour_lists* lists);

// The factor by which to change a skin. A wider skin saves work because lists last longer, and adds work because they are longer. At the best width a small change
// saves as much as it adds. `saved` and `added` are these two amounts of counted work for the current skin, in the same unit. The factor is the square root of
// their ratio, between 1/2 and 2. Lists that lasted for different times are compared by work per step.
SCREE_API double scree_skin_factor(double saved, double added);

#ifdef __cplusplus
}
#endif
#endif
