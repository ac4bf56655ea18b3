// All memory is allocated here: checked sizes, a message on failure, and a hook with which tests make the n-th allocation fail.
//
// Operating systems promise more memory than they have, and kill a process when it is used. So a large block is compared with the free memory
// first: if it does not fit, the allocation fails at once, and the message has both numbers.
#define _DEFAULT_SOURCE  // madvise
#include "base/memory.h"

#include "base/argument.h"

#include <inttypes.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

// ---- How much there is ---------------------------------------------------------------------------------------------

static _Atomic size_t room_for_tests;

// The number behind `key` in a file of the system, or its first number for ""; SIZE_MAX: there is none.
static size_t number_in(const char* path, const char* key)
{
    char line[256];
    size_t number = SIZE_MAX, length = strlen(key);
    FILE* file = fopen(path, "r");
    while (file != NULL && number == SIZE_MAX && fgets(line, sizeof line, file) != NULL) {
        unsigned long long found;
        if (strncmp(line, key, length) == 0 && sscanf(line + length, "%llu", &found) == 1)
            number = (size_t)found;
    }
    if (file != NULL)
        fclose(file);
    return number;
}

// What the limit of this process on its memory (ulimit -v) leaves; SIZE_MAX: there is none.
static size_t limit_left(void)
{
    struct rlimit limit;
    long page = sysconf(_SC_PAGESIZE);
    size_t pages = getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY ? number_in("/proc/self/statm", "") : SIZE_MAX;
    if (pages == SIZE_MAX || page <= 0)
        return SIZE_MAX;
    size_t used = pages * (size_t)page;
    return limit.rlim_cur > used ? (size_t)limit.rlim_cur - used : 0;
}

size_t scree_memory_room(void)
{
    size_t set = atomic_load(&room_for_tests);
    if (set > 0)
        return set;
    size_t kibi = number_in("/proc/meminfo", "MemAvailable:"), room = SIZE_MAX;
    long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    if (kibi <= SIZE_MAX / 1024)
        room = 1024 * kibi;
    else if (pages > 0 && page > 0)
        room = (size_t)pages * (size_t)page;
    size_t most = number_in("/sys/fs/cgroup/memory.max", ""), used = number_in("/sys/fs/cgroup/memory.current", "");
    if (most != SIZE_MAX && used != SIZE_MAX) {
        size_t left = most > used ? most - used : 0;
        room = left < room ? left : room;
    }
    size_t left = limit_left();
    return left < room ? left : room;
}

void scree_memory_set_room(size_t bytes)
{
    atomic_store(&room_for_tests, bytes);
}

void scree_memory_return(void)
{
    malloc_trim(0);
}

void scree_memory_large_pages(void* block, size_t bytes)
{
#if defined(MADV_HUGEPAGE)
    enum { page = 2 << 20 };
    uintptr_t first = ((uintptr_t)block + page - 1) / page * page, last = ((uintptr_t)block + bytes) / page * page;
    if (first < last)
        madvise((char*)block + (first - (uintptr_t)block), last - first, MADV_HUGEPAGE);  // rejected: pages of another size
#else
    (void)block;
    (void)bytes;
#endif
}

void scree_memory_fetch(void* block, size_t bytes)
{
#if defined(MADV_POPULATE_WRITE)
    enum { page = 4096, worth = 1 << 20 };
    uintptr_t first = ((uintptr_t)block + page - 1) / page * page, last = ((uintptr_t)block + bytes) / page * page;
    if (bytes >= worth)
        madvise((char*)block + (first - (uintptr_t)block), last - first, MADV_POPULATE_WRITE);  // rejected: they come one by one
#else
    (void)block;
    (void)bytes;
#endif
}

// ---- Allocation ------------------------------------------------------------------------------------------------------

enum { worth_asking = 64 << 20 };

// `held`: bytes that a block has already.
static bool has_room(size_t bytes, size_t held)
{
    size_t more = bytes > held ? bytes - held : 0, least = atomic_load(&room_for_tests) > 0 ? 4096 : worth_asking;
    return more < least || more <= scree_memory_room();
}

bool scree_memory_fits(size_t bytes)
{
    return has_room(bytes, 0);
}

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

// ---- Whose memory it is ------------------------------------------------------------------------------------------------

static scree_allocator own;   // `allocate` NULL: malloc
static _Atomic int64_t held;  // blocks

int64_t scree_memory_held(void)
{
    return atomic_load(&held);
}

scree_status scree_set_allocator(const scree_allocator* allocator)
{
    if (allocator != NULL) {
        SCREE_NEED_AS(allocator->allocate, "allocator->allocate");
        SCREE_NEED_AS(allocator->resize, "allocator->resize");
        SCREE_NEED_AS(allocator->release, "allocator->release");
    }
    int64_t blocks = scree_memory_held();
    if (blocks != 0)
        return scree_fail(SCREE_ERR_ARGUMENT, "allocator: %" PRId64 " blocks are still held; expected none when it changes", blocks);
    own = allocator != NULL ? *allocator : (scree_allocator){0};
    return SCREE_OK;
}

static void* checked(void* block, size_t count, size_t size)
{
    if (block == NULL)
        scree_fail(SCREE_ERR_MEMORY, "out of memory: %zu times %zu bytes were needed, and %zu bytes are free", count, size, scree_memory_room());
    return block;
}

// Arrays begin at a cache line, so that records of 32 bytes never lie across two. What the system gives for a large block begins 16
// bytes behind a page.
enum { line = 64, large = 4096 };

static void* take(size_t bytes)
{
    if (own.allocate != NULL)
        return own.allocate(own.context, bytes, bytes < large ? sizeof(max_align_t) : line);
    return bytes < large ? malloc(bytes) : aligned_alloc(line, (bytes + line - 1) / line * line);
}

// A large block that was aligned mostly stays so: it is moved by whole pages.
static void* take_again(void* block, size_t bytes)
{
    if (block == NULL)
        return take(bytes);
    if (own.allocate != NULL)
        return own.resize(own.context, block, bytes);
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

static void* take_zeroed(size_t bytes)
{
    if (own.allocate == NULL)
        return calloc(bytes, 1);
    void* block = take(bytes);
    return block != NULL ? memset(block, 0, bytes) : NULL;
}

// What malloc gave for a block. Of memory that is not malloc's it is not known; the answer is then 0.
static size_t size_of(void* block)
{
    return block != NULL && own.allocate == NULL ? malloc_usable_size(block) : 0;
}

static _Atomic int64_t bytes_held, bytes_peak;
static _Thread_local scree_meter* meter;

static void count_bytes(int64_t more)
{
    int64_t now = atomic_fetch_add_explicit(&bytes_held, more, memory_order_relaxed) + more;
    for (int64_t most = atomic_load_explicit(&bytes_peak, memory_order_relaxed); now > most && !atomic_compare_exchange_weak_explicit(&bytes_peak, &most, now, memory_order_relaxed, memory_order_relaxed);)
        ;
    for (scree_meter* m = meter; m != NULL; m = m->within) {
        m->held += more;
        m->peak = m->held > m->peak ? m->held : m->peak;
    }
}

int64_t scree_memory_bytes(void)
{
    return atomic_load_explicit(&bytes_held, memory_order_relaxed);
}

int64_t scree_memory_peak(bool restart)
{
    int64_t peak = atomic_load_explicit(&bytes_peak, memory_order_relaxed);
    if (restart)
        atomic_store_explicit(&bytes_peak, scree_memory_bytes(), memory_order_relaxed);
    return peak;
}

scree_meter* scree_memory_measure(scree_meter* next)
{
    scree_meter* before = meter;
    meter = next;
    return before;
}

static void* counted(void* block)
{
    if (block != NULL) {
        atomic_fetch_add_explicit(&held, 1, memory_order_relaxed);
        count_bytes((int64_t)size_of(block));
    }
    return block;
}

void* scree_malloc(size_t count, size_t size)
{
    size_t bytes;
    return checked(counted(admit(count, size, &bytes) && has_room(bytes, 0) ? take(bytes) : NULL), count, size);
}

void* scree_calloc(size_t count, size_t size)
{
    size_t bytes;
    return checked(counted(admit(count, size, &bytes) && has_room(bytes, 0) ? take_zeroed(bytes) : NULL), count, size);
}

void* scree_realloc(void* block, size_t count, size_t size)
{
    size_t bytes;
    int64_t before = (int64_t)size_of(block);
    void* moved = admit(count, size, &bytes) && has_room(bytes, (size_t)before) ? take_again(block, bytes) : NULL;
    if (block == NULL)
        return checked(counted(moved), count, size);
    if (moved != NULL)
        count_bytes((int64_t)size_of(moved) - before);
    return checked(moved, count, size);
}

void scree_free(void* block)
{
    if (block == NULL)
        return;
    atomic_fetch_sub_explicit(&held, 1, memory_order_relaxed);
    count_bytes(-(int64_t)size_of(block));
    if (own.allocate != NULL)
        own.release(own.context, block);
    else
        free(block);
}
