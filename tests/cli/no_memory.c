// Loaded before the C library (LD_PRELOAD): its n-th allocation fails, n = SCREE_FAIL_AT. The library's own hook
// (scree_memory_fail_at) is not within reach of a script, and does not see what the program takes.
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

extern void* __libc_malloc(size_t bytes);
extern void* __libc_calloc(size_t count, size_t size);
void* malloc(size_t bytes);
void* calloc(size_t count, size_t size);

static bool fails(void)
{
    static atomic_int calls;
    const char* at = getenv("SCREE_FAIL_AT");
    return at != NULL && atomic_fetch_add(&calls, 1) + 1 == atoi(at);
}

void* malloc(size_t bytes)
{
    return fails() ? NULL : __libc_malloc(bytes);
}

void* calloc(size_t count, size_t size)
{
    return fails() ? NULL : __libc_calloc(count, size);
}
