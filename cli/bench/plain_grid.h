// A yardstick: the hierarchical grid as one writes it in an afternoon. One level per octave of radius, counting sort, one
// candidate at a time in doubles, one thread, no periodic axes. It shares no code with the library, so its pairs are a
// judge as well.
#ifndef CLI_BENCH_PLAIN_GRID_H
#define CLI_BENCH_PLAIN_GRID_H

#include "scree/geom.h"

typedef struct plain_grid plain_grid;

plain_grid* plain_grid_create(void);  // NULL: out of memory
void plain_grid_destroy(plain_grid* grid);

// All touching pairs of spheres in 3D; the number comes back, or -1 if memory ran out. Buffers are kept between calls.
int64_t plain_grid_pairs(plain_grid* grid, scree_spheres spheres, int64_t* tests);

#endif
