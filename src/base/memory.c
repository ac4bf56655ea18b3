// The one door for memory: checked sizes, a message on failure, and a hook with which tests make the n-th allocation fail.
#include "scree/base.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static _Atomic int64_t allocations;  // since the hook was last set
static _Atomic int64_t fail_at;      // 0: never

int64_t scree_memory_fail_at(int64_t n)
{
    atomic_store(&fail_at, n);
    return atomic_exchange(&allocations, 0);
}

// Whether this allocation may go ahead; `bytes` is what to ask for (never 0, whose answer malloc leaves open).
static bool admit(size_t count, size_t size, size_t* bytes)
{
    int64_t number = atomic_fetch_add(&allocations, 1) + 1;
    bool fits = size == 0 || count <= (size_t)PTRDIFF_MAX / size;
    *bytes = fits ? count * size : SIZE_MAX;
    if (fits && number != atomic_load(&fail_at)) {
        if (*bytes == 0)
            *bytes = 1;
        return true;
    }
    return false;
}

static void* checked(void* block, size_t count, size_t size)
{
    if (block == NULL)
        scree_fail(SCREE_ERR_MEMORY, "out of memory: %zu times %zu bytes are not to be had", count, size);
    return block;
}

// Arrays begin at a cache line, so that records of 32 bytes never lie across two. What the system gives for a large block begins 16
// bytes behind a page.
enum { line = 64, large = 4096 };

static void* take(size_t bytes)
{
    return bytes < large ? malloc(bytes) : aligned_alloc(line, (bytes + line - 1) / line * line);
}

// A large block that was aligned mostly stays so: it is moved by whole pages.
static void* take_again(void* block, size_t bytes)
{
    if (block == NULL)
        return take(bytes);
    void* moved = realloc(block, bytes);
    if (moved == NULL || bytes < large || (uintptr_t)moved % line == 0)
        return moved;
    void* aligned = take(bytes);
    if (aligned == NULL)
        return moved;
    memcpy(aligned, moved, bytes);
    free(moved);
    return aligned;
}

void* scree_malloc(size_t count, size_t size)
{
    size_t bytes;
    return checked(admit(count, size, &bytes) ? take(bytes) : NULL, count, size);
}

void* scree_calloc(size_t count, size_t size)
{
    size_t bytes;
    return checked(admit(count, size, &bytes) ? calloc(bytes, 1) : NULL, count, size);
}

void* scree_realloc(void* block, size_t count, size_t size)
{
    size_t bytes;
    return checked(admit(count, size, &bytes) ? take_again(block, bytes) : NULL, count, size);
}

void scree_free(void* block)
{
    free(block);
}
