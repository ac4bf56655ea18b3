// Cells of reference points: the neighbours of one reference point. Built with the lists, then updated as single references move.
#ifndef SCREE_EVENT_CELLS_H
#define SCREE_EVENT_CELLS_H

#include "scree/geom.h"

#include <stdbool.h>
#include <stdint.h>

enum { cells_most_levels = 24, cells_bucket_size = 4 };

typedef struct cells_bucket {
    float x[cells_bucket_size], y[cells_bucket_size], z[cells_bucket_size], reach[cells_bucket_size];
    int32_t id[cells_bucket_size];
    int32_t count, next;  // next: further bucket of the cell, or of the free ones; -1: none
    int32_t unused[2];
} cells_bucket;

typedef struct cells_level {
    double side[3], inverse[3];
    int64_t count[3];
    double reach;     // the largest here
    int64_t first;    // of its cells in `head`
    int32_t spheres;
} cells_level;

typedef struct event_cells {
    int dim, levels;
    double length[3], margin;  // margin: what rounding to float may do to a distance
    bool periodic[3];
    cells_level level[cells_most_levels];
    double (*at)[4];           // by sphere: its reference, wrapped into the box, and how far it reaches
    int8_t (*turns)[4];        // boxes that the reference is away from there; its level
    int64_t* cell_of;
    int32_t* bucket_of;
    cells_bucket* buckets;     // room for one each, which is more than can be
    int32_t buckets_used, free_bucket;
    int32_t* head;             // first bucket of a cell; -1: empty
    int64_t head_capacity;
    int32_t *hit_j, *hit_image;  // of the last look
    int64_t hit_j_capacity, hit_image_capacity;
    int64_t hit_room;          // of both
    int32_t hit_count;
    int64_t tests;             // since the beginning
} event_cells;

scree_status event_cells_reserve(event_cells* c, int dim, const double length[3], const bool periodic[3], int32_t n);  // once
// Inserts all n spheres from scratch; reach: one each. MEMORY.
scree_status event_cells_fill(event_cells* c, int32_t n, const double (*reference)[4], const double* reach);
void event_cells_move(event_cells* c, int32_t i, const double reference[3]);
// All others whose reference, or an image of it, is nearer to that of i than both reach: `hit_j`, and which image, of references as
// given.
scree_status event_cells_look(event_cells* c, int32_t i);
void event_cells_free(event_cells* c);

#endif
