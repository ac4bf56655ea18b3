// A stack of grids: what linked cells (one grid) and the hierarchical grid (several) are made of.
//
// Spheres are kept sorted by level, then by cell, cells row by row along x. A run of cells next to each other in a row is
// then one stretch of memory, and a search is a matter of a few stretches:
//
//     start:   cell ->  place of its first sphere; one empty cell closes each row, so that the neighbours of a row's
//                       first cell need no special case
//     xs ys zs rs       coordinates and radii in single precision, scaled and relative to the grid's corner
//     id                which sphere stands at each place
//
// Single precision halves what has to be read and doubles what one instruction tests. It never decides: a distance that
// is nearer to the threshold than the rounding of single precision could tell is tested again with the one predicate.
#ifndef SCREE_INDEX_GRID_H
#define SCREE_INDEX_GRID_H

#include "index/method.h"

typedef struct grid_level {
    double r_max;         // the largest radius that lives here (the plan's, then the true one)
    double side[3];
    double inverse[3];    // cells per length
    int32_t cells[3];
    int32_t layers[3];    // how many cells away partners of this level can be
    bool single;          // one layer at most, and x not periodic: rows in the midst need no care
    int64_t first_cell;   // number of cell (0, 0, 0) among the cells of all levels
    int64_t stride[3];    // from a cell to the next along each axis: 1, cells + 1, ...
} grid_level;

enum { grid_most_levels = 64 };

typedef struct grid_plan {
    int32_t levels;
    grid_level level[grid_most_levels];
    int64_t cell_count;  // of all levels, closing cells included
    int32_t shift;       // buckets of the sort hold 2^shift cells
    int64_t bucket_count;
    double margin[3];    // added to every range: rounding between coordinates and cells
} grid_plan;

typedef struct grid {
    const items* it;
    grid_plan plan;   // of what is built
    grid_plan next;   // of what will be built
    float scale;      // lengths times this are the floats below
    float gap;        // scaled
    float doubt;      // distances this near to the threshold are tested again
    int32_t* start;   // cell_count + 1
    int64_t start_capacity;
    float *xs, *ys, *zs, *rs;  // n, and some more that may be read but mean nothing
    int32_t* id;
    uint32_t* cell;   // of the sphere at each place
    int64_t sorted_capacity;
    struct grid_record* records;  // scratch of the sort
    int64_t record_capacity;
    int32_t* counts;  // scratch of the sort: spheres per block and bucket
    int64_t count_capacity;
} grid;

// Lays out levels whose r_max rise; level h holds the radii above level h-1's r_max up to its own. The last r_max must be
// at least items.r_max.
void grid_plan_make(grid_plan* plan, const items* it, int32_t levels, const double* r_max);

// Room for g->next. MEMORY; what the grid holds stays valid.
scree_status grid_reserve(grid* g, const items* it);

// The rest is what a method's table wants; `self` is a grid, or an object that begins with one.
void* grid_create(void);
scree_status grid_build(void* self, const items* it);  // by g->next; always OK
int64_t grid_chunks(const void* self);
void grid_pairs(const void* self, int64_t chunk, sink* to);
int64_t grid_levels(const void* self);
size_t grid_bytes(const void* self);
scree_status grid_validate(const void* self);
void grid_destroy(void* self);

#endif
