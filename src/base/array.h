// Growable arrays: a pointer, a count and a capacity that their owner keeps as it likes, and this one way to grow them.
// Counts are 64 bits wide. Capacity grows by half, large ones by an eighth (they are memory that counts, and the system moves them by
// pages, without copying), so that appending one by one costs O(1) each.
#ifndef SCREE_BASE_ARRAY_H
#define SCREE_BASE_ARRAY_H

#include "scree/base.h"

#include <string.h>

// Gives the array room for just `count` elements of `size` bytes; `data` is the address of the array's pointer. On failure
// nothing has changed.
static inline scree_status scree_resize(void* data, int64_t count, size_t size)
{
    void* block;
    memcpy(&block, data, sizeof block);  // by bytes: the pointer's type is the caller's, not void*
    block = scree_realloc(block, (size_t)count, size);
    if (block == NULL)
        return SCREE_ERR_MEMORY;
    memcpy(data, &block, sizeof block);
    return SCREE_OK;
}

// Makes room for at least `wanted` elements of `size` bytes; `data` is the address of the array's pointer. The contents
// stay. On failure nothing has changed. Call it through SCREE_RESERVE.
static inline scree_status scree_reserve(void* data, int64_t* capacity, int64_t wanted, size_t size)
{
    if (wanted <= *capacity)
        return SCREE_OK;
    int64_t roomy = *capacity + *capacity / (*capacity < 65536 ? 2 : 8);
    int64_t next = wanted > roomy ? wanted : roomy;
    scree_status status = scree_resize(data, next, size);
    if (status == SCREE_OK)
        *capacity = next;
    return status;
}

#define SCREE_RESERVE(data, capacity, wanted) scree_reserve(&(data), &(capacity), (wanted), sizeof *(data))

#endif
