// What the door for memory (memory.c) knows beside its public functions.
#ifndef SCREE_BASE_MEMORY_H
#define SCREE_BASE_MEMORY_H

#include <stddef.h>

// Bytes that can still be had without the machine running out of memory: free, or held by caches that give way; less where a control group
// limits this process. Reads some files of the system: about 20 microseconds. An allocation of 64 MiB and more asks this and fails if it is larger.
size_t scree_memory_room(void);

// For tests: the answer of the function above from now on; 0: the machine's own again.
void scree_memory_set_room(size_t bytes);

#endif
