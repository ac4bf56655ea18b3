// A set of pairs (i, j, shift) in their canonical form (index.h): each at most once, added and taken out one at a time,
// in memory O(pairs). The linear list's matrix, of which all but a few entries per sphere would be zero.
//
// Pairs stand one after the other, without holes, so that threads can share them by stretches; a hash table with open
// addressing says where each stands. Taking one out puts the last one in its place, and mends the table by moving back
// what stood behind it (no tombstones: a set that lives through millions of changes is as quick as a new one).
//
// With rows, the pairs of each sphere are also linked into a list. A pair has two hands: hand 2 e is in the row of i,
// hand 2 e + 1 in the row of j; both are in the same row if i = j, because such a sphere has two neighbours there, one
// on each side.
#ifndef SCREE_INDEX_PAIR_SET_H
#define SCREE_INDEX_PAIR_SET_H

#include "scree/base.h"

typedef struct pair_entry {
    int32_t i, j;
    int8_t shift[3];
} pair_entry;

typedef struct pair_links {
    int32_t next[2], before[2];  // hands in the rows of i and of j; -1: none
} pair_links;

typedef struct pair_set {
    bool rows;  // set it before the first use
    pair_entry* entries;
    int64_t count, capacity;
    uint32_t* slots;     // entry + 1; 0: free
    int64_t slot_count;  // a power of two, or 0
    pair_links* links;   // rows only
    int64_t link_capacity;
    int32_t* first;      // rows only: a hand for each sphere; -1: none
    int64_t first_count, first_capacity;
    const scree_watch* watch;  // asked while a large table grows; NULL: none
} pair_set;

scree_status pair_set_clear(pair_set* set, int64_t spheres);  // empty, with rows for this many spheres; MEMORY
scree_status pair_set_widen(pair_set* set, int64_t spheres);  // rows for this many, the new ones empty; MEMORY

// A pair that is there already stays. Any i and j, in any form; never i = j without a shift. MEMORY, CANCELLED: not added.
scree_status pair_set_add(pair_set* set, int32_t i, int32_t j, const int shift[3]);
void pair_set_remove(pair_set* set, int32_t i, int32_t j, const int shift[3]);  // if it is there
bool pair_set_has(const pair_set* set, int32_t i, int32_t j, const int shift[3]);

void pair_set_remove_of(pair_set* set, int32_t i);                 // the row of i; O(its length)
void pair_set_remove_marked(pair_set* set, const uint8_t* marked); // all pairs of marked spheres; O(pairs)

scree_status pair_set_check(const pair_set* set);  // table and rows are in order: ARGUMENT if not
size_t pair_set_bytes(const pair_set* set);
void pair_set_free(pair_set* set);

#endif
