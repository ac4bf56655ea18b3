// Rows of single spheres, symmetric: what near_lists.c (inside the index) and neighbours.c (for everybody) keep their lists in.
#ifndef SCREE_INDEX_NEAR_ROWS_H
#define SCREE_INDEX_NEAR_ROWS_H

#include "scree/neighbours.h"

typedef struct near_rows {
    int32_t n;
    int32_t here;             // number of the image that is none; 2 here - m is image m seen from the other side
    bool sorted;              // rows rise by (j, image)
    scree_neighbour_row* row;
    int64_t row_capacity;
    int32_t *j, *image;       // the pool
    int64_t j_capacity, image_capacity;
    int64_t end;              // where nothing of it is taken any more
    int64_t used;             // room that rows have, and that they had before they moved
    uint8_t* imaged;
    int64_t imaged_capacity;
    int64_t entries;
    int32_t *mark, *chain, *added;  // scratch of a change; mark is -1 between changes
    int64_t mark_capacity, chain_capacity, added_capacity;
    int64_t scratch;          // entries that chain, kept and added have room for
    uint8_t* kept;
    int64_t kept_capacity;
    uint64_t* keys;           // scratch of all rows
    int64_t keys_capacity;
    int64_t* place;
    int64_t place_capacity;
} near_rows;

// All rows from pairs, in no special order; pairs of a sphere with its own images are left out. Rows rise by (j, image), images as in scree_neighbour_image. `steady`:
// without room to grow. ARGUMENT: an image that is farther away than `images`. MEMORY. The rows are of no use then.
scree_status near_rows_make(near_rows* rows, int32_t n, const scree_pairs* pairs, int32_t images, bool steady, int32_t threads);

// Or one row after the other: n empty ones first, then each filled; who fills in what must fill in the same from the other side. MEMORY.
scree_status near_rows_begin(near_rows* rows, int32_t n, int32_t here);
scree_status near_rows_fill(near_rows* rows, int32_t i, int32_t count, const int32_t* j, const int32_t* image);

// Row i becomes these entries, which are not in the pool; other rows are changed to fit. `change->added` holds which are new. MEMORY: the rows are of no use
// then.
scree_status near_rows_replace(near_rows* rows, int32_t i, int32_t count, const int32_t* j, const int32_t* image, scree_neighbour_change* change);

scree_status near_rows_append(near_rows* rows);      // one more sphere, with an empty row. MEMORY: as before
scree_status near_rows_remove(near_rows* rows, int32_t i);  // the row of i goes; the last sphere takes its number. MEMORY: of no use then

// Each entry from both sides, none twice, rows rising if they should. ARGUMENT: what does not hold.
scree_status near_rows_validate(const near_rows* rows);
size_t near_rows_bytes(const near_rows* rows);
void near_rows_free(near_rows* rows);

#endif
