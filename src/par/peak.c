// See peak.h. Each block has its size before it; bytes are those that were asked for.
#include "par/peak.h"

#include <stdlib.h>
#include <string.h>

static int64_t held, peak;

enum { head = 64 };  // before each block: its size; as large as the largest alignment

static void count(int64_t bytes)
{
    int64_t now = __atomic_add_fetch(&held, bytes, __ATOMIC_RELAXED);
    for (int64_t most = __atomic_load_n(&peak, __ATOMIC_RELAXED); now > most && !__atomic_compare_exchange_n(&peak, &most, now, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);)
        ;
}

static void* allocate(void* context, size_t bytes, size_t alignment)
{
    (void)context;
    (void)alignment;
    char* block = aligned_alloc(head, (bytes + 2 * head - 1) / head * head);
    if (block == NULL)
        return NULL;
    memcpy(block, &bytes, sizeof bytes);
    count((int64_t)bytes);
    return block + head;
}

static void* resize(void* context, void* block, size_t bytes)
{
    size_t before = 0;
    if (block == NULL)
        return allocate(context, bytes, head);
    memcpy(&before, (char*)block - head, sizeof before);
    char* moved = realloc((char*)block - head, bytes + head);
    if (moved == NULL)
        return NULL;
    memcpy(moved, &bytes, sizeof bytes);
    count((int64_t)bytes - (int64_t)before);
    return moved + head;
}

static void release(void* context, void* block)
{
    size_t bytes;
    (void)context;
    memcpy(&bytes, (char*)block - head, sizeof bytes);
    count(-(int64_t)bytes);
    free((char*)block - head);
}

scree_status peak_count(void)
{
    const scree_allocator counting = {.allocate = allocate, .resize = resize, .release = release};
    return scree_set_allocator(&counting);
}

int64_t peak_bytes(bool restart)
{
    int64_t most = peak;
    if (restart)
        peak = held;
    return most;
}

int64_t peak_held(void)
{
    return held;
}
