// Sorts pairs of numbers with an image each, (i, j, shift), on many threads: the order in which lists of pairs and contacts are handed out.
#ifndef SCREE_BASE_PAIR_SORT_H
#define SCREE_BASE_PAIR_SORT_H

#include "scree/base.h"

// All memory is the caller's.
typedef struct pair_sort {
    int64_t count;       // of pairs
    int32_t n;           // numbers i are below this
    int32_t (*ij)[2];    // i and j, both 0 or more; sorted in place
    int8_t (*shift)[3];  // moved with them; NULL: none
    uint64_t* keys;      // scratch: count
    int64_t* place;      // scratch: scree_pair_sort_places(n)
    int64_t* rows;       // out: pairs of i are at rows[i] .. rows[i + 1] - 1, n + 1 numbers; NULL: not wanted
} pair_sort;

int64_t scree_pair_sort_places(int32_t n);

// By (i, j, shift). O(pairs + n) except for the sort inside each row. CANCELLED: the watch (may be NULL) said so; the pairs are of no use then.
scree_status scree_sort_pairs(const pair_sort* pairs, int32_t threads, const scree_watch* watch);

#endif
