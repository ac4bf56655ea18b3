// Sorting what is mostly sorted: spheres that stay stand in order, and few come.
#ifndef SCREE_PAR_MERGE_H
#define SCREE_PAR_MERGE_H

#include <stddef.h>

// The first `sorted` of `count` items of `size` bytes are; the others are sorted and merged with them, which takes O(count) beside the sort of these. Where memory is short, all are sorted.
void merge_sorted(void* items, size_t sorted, size_t count, size_t size, int (*compare)(const void*, const void*));

#endif
