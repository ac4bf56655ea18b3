// Functions of memory.c that are not public.
#ifndef SCREE_BASE_MEMORY_H
#define SCREE_BASE_MEMORY_H

#include <stddef.h>

// Bytes that can still be allocated without the machine running out of memory: free, or in caches that can be dropped; less where a control group
// limits this process. Reads some files of the system: about 20 microseconds. An allocation of 64 MiB and more asks this and fails if it is larger.
size_t scree_memory_room(void);

// For tests: the answer of the function above from now on; 0: the machine's own again.
void scree_memory_set_room(size_t bytes);

#endif
