// Searching a stack of grids. The body (grid_search_body.h) is compiled once for any machine and once with AVX2; the
// pairs, their order and the counters are the same.
#ifndef SCREE_INDEX_GRID_SEARCH_H
#define SCREE_INDEX_GRID_SEARCH_H

#include "index/grid.h"

// A chunk of the search is this many spheres in the order of the grid, wherever their rows begin and end: so that even a
// grid of one cell is shared by all threads and can be stopped.
enum { grid_chunk_spheres = 1024 };

// For tests: use the plain version even where the machine could do more.
extern bool grid_plain_only;

void grid_search_plain(const grid* g, int64_t chunk, sink* to);
void grid_search_avx2(const grid* g, int64_t chunk, sink* to);

// The cell of coordinate x on axis k, on the endless line of cells (cut where it is far beyond any grid). Rising with x
// whatever the rounding, so that what lies between two coordinates lies between their cells.
static inline int64_t grid_place(const grid_level* level, const items* it, int k, double x)
{
    double at = (x - it->lower[k]) * level->inverse[k];
    at = at < -1e15 ? -1e15 : at > 1e15 ? 1e15 : at;
    int64_t whole = (int64_t)at;
    return whole - (at < (double)whole);  // floor, without a call
}

// The same for a centre: inside the grid.
static inline int64_t grid_cell(const grid_level* level, const items* it, int k, double x)
{
    double at = (x - it->lower[k]) * level->inverse[k], last = level->cells[k] - 1;
    return at > 0.0 ? (int64_t)(at < last ? at : last) : 0;
}

// The cells that [x - half, x + half] meets: on the endless line, or inside the walls.
static inline void grid_range(const grid_level* level, const items* it, int k, double x, double half, int64_t range[2])
{
    range[0] = grid_place(level, it, k, x - half);
    range[1] = grid_place(level, it, k, x + half);
    if (it->periodic[k])
        return;
    range[0] = range[0] < 0 ? 0 : range[0];
    // A centre on the upper wall is in the last cell, so that cell is met by whatever reaches beyond it.
    range[1] = range[1] >= level->cells[k] ? level->cells[k] - 1 : range[1];
    range[0] = range[0] >= level->cells[k] ? level->cells[k] - 1 : range[0];
}

#endif
