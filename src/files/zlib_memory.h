// zlib with the memory of scree.
#ifndef SCREE_FILES_ZLIB_MEMORY_H
#define SCREE_FILES_ZLIB_MEMORY_H

#include "scree/base.h"

#include <zlib.h>

static inline void* zlib_allocate(void* unused, unsigned count, unsigned size)
{
    (void)unused;
    return scree_malloc(count, size);
}

static inline void zlib_free(void* unused, void* block)
{
    (void)unused;
    scree_free(block);
}

// A stream before inflateInit or deflateInit.
static inline z_stream zlib_stream(void)
{
    return (z_stream){.zalloc = zlib_allocate, .zfree = zlib_free};
}

#endif
