// Functions of memory.c that are not public.
#ifndef SCREE_BASE_MEMORY_H
#define SCREE_BASE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Bytes that can still be allocated without the machine running out of memory: free, or in caches that can be dropped; less where a control group
// limits this process. Reads some files of the system: about 20 microseconds. An allocation of 64 MiB and more asks this and fails if it is larger.
size_t scree_memory_room(void);

// Whether this many bytes fit into it. The system is asked only about 64 MiB and more: a search of few spheres takes less time than that.
bool scree_memory_fits(size_t bytes);

// For tests: the answer of the function above from now on; 0: the machine's own again.
void scree_memory_set_room(size_t bytes);

// What was freed goes back to the system: the allocator keeps blocks of up to 32 MiB for allocations to come. Where large arrays are not needed for long.
void scree_memory_return(void);

// Pages of 2 MiB for the inside of a block, where the system has them: for a large block that is used for long and nearly all of it. The first access to such a page can take longer, when the
// system has to move others.
void scree_memory_large_pages(void* block, size_t bytes);

// Asks for the pages of a new block that is about to be written as a whole, all at once: that takes less time than one by one at the first access to each. For one thread: several are faster on their own.
void scree_memory_fetch(void* block, size_t bytes);

// ---- How much is used -------------------------------------------------------------------------------------------------
// Bytes of blocks as malloc gives them. The sizes of blocks from an allocator of the caller (scree_set_allocator) are not known and count as 0.
int64_t scree_memory_bytes(void);              // in the whole process, now
int64_t scree_memory_peak(bool restart);       // the most at once since the start, or since the last call with `restart`

// The part of a thread's memory that belongs to one thing: what is allocated while the meter is that of the thread. Blocks must be freed under the meter under which they were allocated, or under none.
typedef struct scree_meter {
    int64_t held, peak;
    struct scree_meter* within;                // counts the same blocks and others; NULL: none
} scree_meter;
scree_meter* scree_memory_measure(scree_meter* meter);  // of this thread from now on; NULL: none. Returns the one before

#endif
