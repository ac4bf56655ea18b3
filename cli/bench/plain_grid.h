// A yardstick: a hierarchical grid in plain C that is as quick as plain C makes it. One level per octave of radius, cells by a counting sort,
// rows of cells along x as one stretch of memory, half of the neighbours inside a level, rows cut to the ball between levels, from the level for which that
// takes fewer rows, and a store without a branch for each candidate. Doubles, one thread, no periodic axes, pairs in no order. It shares no code with the
// library, so its pairs are a reference as well.
#ifndef CLI_BENCH_PLAIN_GRID_H
#define CLI_BENCH_PLAIN_GRID_H

#include "scree/geom.h"

typedef struct plain_grid plain_grid;

plain_grid* plain_grid_create(void);  // NULL: out of memory
void plain_grid_destroy(plain_grid* grid);

// All touching pairs of spheres in 3D; the number comes back, or -1 if memory ran out. Buffers are kept between calls.
int64_t plain_grid_pairs(plain_grid* grid, scree_spheres spheres, int64_t* tests);

// What the last call found, in no order; and the bytes of all buffers.
const int32_t (*plain_grid_found(const plain_grid* grid))[2];
size_t plain_grid_bytes(const plain_grid* grid);

#endif
