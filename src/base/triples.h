// Numbers for triples of words: equal triples get the same number, 0, 1, 2 ... in the order in which they first come. A hash table with open addressing, O(1) for
// each; 24 to 60 bytes per triple. The numbers do not depend on the hash.
#ifndef SCREE_BASE_TRIPLES_H
#define SCREE_BASE_TRIPLES_H

#include "scree/base.h"

typedef struct scree_triples {
    int64_t count;
    uint64_t (*key)[3];  // by number
    int64_t key_capacity;
    uint32_t* slot;      // number + 1; 0: free
    uint64_t slots;      // a power of two, or 0
} scree_triples;

// The number of a triple, which is added if it is new. At most 2^32 - 2 triples. MEMORY. Begin with a zeroed struct.
scree_status scree_triples_add(scree_triples* triples, const uint64_t key[3], uint32_t* number);

// The number of a triple; -1: it is not there.
int64_t scree_triples_find(const scree_triples* triples, const uint64_t key[3]);

void scree_triples_free(scree_triples* triples);

#endif
