// Symmetric lists of single spheres in a pile, made from reference places (rearrange_lists.c).
#ifndef SCREE_PACK_REARRANGE_LISTS_H
#define SCREE_PACK_REARRANGE_LISTS_H

#include "rearrange_inner.h"

typedef struct entry {
    int32_t j;
    int32_t image;  // number of the image in the pile's `offset`
} entry;

typedef struct list_row {
    int64_t at;  // in the pool
    int32_t count, room;
} list_row;

typedef struct lists {
    list_row* row;
    entry* pool;
    int64_t pool_capacity, pool_used;
    entry *old, *fresh;  // scratch of a refresh
    int64_t old_capacity, fresh_capacity;
    int64_t total;       // entries of all rows
    int64_t refreshes;
} lists;

// From the rows of the pile, just made: rising by (j, image), each pair from both sides. MEMORY.
scree_status lists_take(lists* l, pile* p);

// Sphere i gets a reference where it is now, and a new list. The index of the pile holds the references. `far`: an image is farther away than can be
// said; all is to be made anew, with wrapped places. MEMORY.
scree_status lists_refresh(lists* l, pile* p, int32_t i, bool* far);

// Lists serve while no sphere is farther from its reference than half of this: the skin, less what rounding could take away.
double lists_limit(const pile* p);

// Each entry from both sides, rows rising. ARGUMENT: what does not hold.
scree_status lists_validate(const lists* l, const pile* p);

void lists_free(lists* l);

const lists* pile_visits_lists(const pile* p);  // those that visits one by one go by, for tests; only between its begin and end

#endif
