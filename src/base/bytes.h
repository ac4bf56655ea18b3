// Values one after the other in a block of memory, to be sent to a process of the same program: no format for files.
#ifndef SCREE_BASE_BYTES_H
#define SCREE_BASE_BYTES_H

#include "base/array.h"

typedef struct scree_bytes {
    char* data;
    int64_t count, capacity;
    int64_t at;          // where the next value is read
    scree_status status; // MEMORY: something was not written, or is not there
} scree_bytes;

static inline void scree_bytes_put(scree_bytes* bytes, const void* from, size_t size)
{
    if (bytes->status == SCREE_OK)
        bytes->status = SCREE_RESERVE(bytes->data, bytes->capacity, bytes->count + (int64_t)size + 1);
    if (bytes->status != SCREE_OK || size == 0)
        return;
    memcpy(bytes->data + bytes->count, from, size);
    bytes->count += (int64_t)size;
}

static inline void scree_bytes_take(scree_bytes* bytes, void* to, size_t size)
{
    if (bytes->count - bytes->at < (int64_t)size)
        bytes->status = SCREE_ERR_MEMORY;
    if (bytes->status != SCREE_OK || size == 0)
        return;
    memcpy(to, bytes->data + bytes->at, size);
    bytes->at += (int64_t)size;
}

// The same into a block of its own; NULL and status MEMORY if there is no room.
static inline void* scree_bytes_take_block(scree_bytes* bytes, int64_t count, size_t size)
{
    void* block = bytes->status == SCREE_OK ? scree_malloc((size_t)count, size) : NULL;
    if (block == NULL)
        bytes->status = SCREE_ERR_MEMORY;
    else
        scree_bytes_take(bytes, block, (size_t)count * size);
    return block;
}

#endif
