// Sorting where it happens: no calls back, the same order everywhere, and no memory but where it says so.
#ifndef SCREE_BASE_SORT_H
#define SCREE_BASE_SORT_H

#include "scree/base.h"

// Rising. O(n log n), and next to nothing for short rows. Doubles from +0 on may be sorted by their bits.
void scree_sort_keys(uint64_t* key, int64_t count);

// Rising, each key with the word beside it; equal keys keep their order. O(n). The spare arrays are as long.
void scree_sort_with(int64_t* key, uint32_t* word, int64_t* spare_key, uint32_t* spare_word, int64_t count);

// The same on several threads. MEMORY: 16 KiB per thread for counting.
scree_status scree_sort_with_threads(int32_t threads, int64_t* key, uint32_t* word, int64_t* spare_key, uint32_t* spare_word, int64_t count);

// The first of rising numbers that is not below `value`; `count` if there is none. O(log count).
static inline int64_t scree_first_not_below(const int64_t* rising, int64_t count, int64_t value)
{
    int64_t low = 0, high = count;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (rising[middle] < value)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

#endif
