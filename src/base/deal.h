// Rows of pairs (i, j), dealt to the blocks of their second item: with these a thread that owns a block of items has all their pairs at hand.
#ifndef SCREE_BASE_DEAL_H
#define SCREE_BASE_DEAL_H

#include "scree/base.h"

typedef struct scree_rows {
    int32_t items;
    int64_t count;             // of rows,
    const int32_t (*ij)[2];    // by i
    const int8_t (*shift)[3];  // NULL: they have none
} scree_rows;

// Copies of all rows whose items are in different blocks, by the block of j and then as in the rows. Begins zeroed; scree_dealt_free frees it.
typedef struct scree_dealt {
    int32_t block;             // items in a block
    bool numbered;             // the number of each row is wanted
    int64_t blocks;
    int64_t* start;            // blocks + 1
    int32_t (*ij)[2];
    int8_t (*shift)[3];
    int64_t* row;
    int64_t start_capacity, ij_capacity, shift_capacity, row_capacity;
    int64_t* place;            // [chunk][block] while rows are dealt
    int64_t place_capacity;
} scree_dealt;

scree_status scree_deal(scree_dealt* dealt, const scree_rows* rows, int32_t threads, const scree_watch* watch);  // O(rows), shared by the threads. MEMORY, CANCELLED
size_t scree_dealt_bytes(const scree_dealt* dealt);
void scree_dealt_free(scree_dealt* dealt);

#endif
