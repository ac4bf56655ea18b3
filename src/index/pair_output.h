// Pairs in memory: filled chunk by chunk on many threads without allocating there, joined in the order of the chunks,
// and sorted on request.
#ifndef SCREE_INDEX_PAIR_OUTPUT_H
#define SCREE_INDEX_PAIR_OUTPUT_H

#include "index/method.h"

typedef struct pair_output {
    int32_t (*ij)[2];
    int64_t ij_capacity;
    int8_t (*shift)[3];  // not used unless `with_shift` was said
    int64_t shift_capacity;
    int64_t count;
    sink* chunks;  // one per chunk of the method
    int64_t chunk_capacity;
    uint64_t* keys;  // scratch of the sort
    int64_t key_capacity;
    bool to_sort;    // set by a caller that will sort it: the memory for that counts from the beginning
    bool with_rows;  // set by callers that want them:
    int64_t* rows;   // after a sort: row i is rows[i] .. rows[i + 1] - 1
    int64_t row_capacity;
    int64_t* place;  // scratch
    int64_t place_capacity;
    uint8_t* filled;  // chunks that are; scratch of a fill on several threads
    int64_t filled_capacity;
    int64_t tests, box_tests, cells;  // counted work of the last fill
} pair_output;

// All pairs of a built method. On failure (MEMORY, CANCELLED) the list is empty. If they would not fit into memory, they are counted without being
// kept, and the message says how many they are.
scree_status pair_list_fill(pair_output* list, const method_table* method, const void* self, const items* it,
                            bool with_shift, int32_t threads, const scree_watch* watch);

// By (i, j, shift). O(pairs + n) except for the sort inside each row. On failure (MEMORY, CANCELLED) the list is of no use.
scree_status pair_list_sort(pair_output* list, int32_t n, bool with_shift, int32_t threads, const scree_watch* watch);

size_t pair_list_bytes(const pair_output* list);
void pair_list_free(pair_output* list);  // and zeroes it

#endif
