// Searching a stack of grids. The body (grid_search_body.h) is compiled for any machine, for AVX2 and for AVX-512; the
// pairs, their order and the counters are the same.
#ifndef SCREE_INDEX_GRID_SEARCH_H
#define SCREE_INDEX_GRID_SEARCH_H

#include "index/grid/grid.h"

#include <math.h>

// A chunk of the search is this many spheres of one level in the order of the grid, wherever their rows begin and end: so that even
// a grid of one cell is shared by all threads and can be stopped. Spheres that look into other levels have far more to do.
enum { grid_chunk_spheres = 1024, grid_chunk_lookers = 64 };

static inline int32_t grid_chunk_size(const grid_level* level)
{
    return level->looks == 0 ? grid_chunk_spheres : grid_chunk_lookers;
}

// The level of a chunk and its spheres, begin .. end-1.
static inline int32_t grid_chunk(const grid* g, int64_t chunk, int32_t* begin, int32_t* end)
{
    int32_t h = 0;
    while (chunk >= g->level_chunk[h + 1])
        ++h;
    int64_t size = grid_chunk_size(&g->plan.level[h]), first = g->level_first[h] + (chunk - g->level_chunk[h]) * size;
    *begin = (int32_t)first;
    *end = (int32_t)(first + size < g->level_first[h + 1] ? first + size : g->level_first[h + 1]);
    return h;
}

void grid_search_plain(const grid* g, int64_t chunk, sink* to);
void grid_search_avx2(const grid* g, int64_t chunk, sink* to);
void grid_search_avx512(const grid* g, int64_t chunk, sink* to);
void grid_search_boxed(const grid* g, int64_t chunk, sink* to);  // any machine, with the box test before the exact one

// The cell of coordinate x on axis k, on the unbounded line of cells (cut where it is far beyond any grid). Rising with x
// whatever the rounding, so that what lies between two coordinates lies between their cells.
static inline int64_t grid_place(const grid_plan* plan, const grid_level* level, int k, double x)
{
    double at = (x - plan->lower[k]) * level->inverse[k];
    at = at < -1e15 ? -1e15 : at > 1e15 ? 1e15 : at;
    int64_t whole = (int64_t)at;
    return whole - (at < (double)whole);  // floor, without a call
}

// The same for a centre: inside the grid.
static inline int64_t grid_cell(const grid_plan* plan, const grid_level* level, int k, double x)
{
    double at = (x - plan->lower[k]) * level->inverse[k], last = level->cells[k] - 1;
    return at > 0.0 ? (int64_t)(at < last ? at : last) : 0;
}

// On an axis that is not periodic, what of a range is inside. The first and the last cell hold all that lies beyond them, so they
// are met by whatever reaches beyond.
static inline void grid_clip(const grid_level* level, const items* it, int k, int64_t range[2])
{
    if (it->periodic[k])
        return;
    int64_t last = level->cells[k] - 1;
    for (int e = 0; e < 2; ++e)
        range[e] = range[e] < 0 ? 0 : range[e] > last ? last : range[e];
}

// The cells that [x - half, x + half] meets: on the unbounded line, or inside the walls.
static inline void grid_range(const grid* g, const grid_level* level, int k, double x, double half, int64_t range[2])
{
    range[0] = grid_place(&g->plan, level, k, x - half);
    range[1] = grid_place(&g->plan, level, k, x + half);
    grid_clip(level, g->it, k, range);
}

// The cells of another level that a sphere looks into along axis k by the rules of the papers. A gap is half of it each sphere's.
// Both hold every partner, because a cell is at least as long as a diameter of its level and the gap; where a periodic box is shorter
// than that, half a cell means half of what it should be, and a layer as many as that needs.
static inline void grid_look(const grid* g, const grid_level* level, int k, const double xr[4], int64_t range[2])
{
    const items* it = g->it;
    double half_cell = fmax(0.5 * level->side[k], level->r_max + 0.5 * it->gap);
    bool iwai = g->plan.range == SCREE_RANGE_IWAI;
    int64_t layers = iwai && level->side[k] > 0.0 ? (int64_t)ceil(half_cell / level->side[k]) : 0;
    double half = xr[3] + 0.5 * it->gap + (iwai ? 0.0 : half_cell) + g->plan.margin[k];
    range[0] = grid_place(&g->plan, level, k, xr[k] - half) - layers;
    range[1] = grid_place(&g->plan, level, k, xr[k] + half) + layers;
    grid_clip(level, it, k, range);
}

// ---- Cells by rank ------------------------------------------------------------------------------------------------

// Whether there is a sphere in the cells first .. last.
static inline bool grid_any(const grid* g, int64_t first, int64_t last)
{
    int64_t word = first >> 6, end = last >> 6;
    uint64_t from = UINT64_MAX << (first & 63), until = UINT64_MAX >> (63 - (last & 63));
    if (word == end)
        return (g->bits[word] & from & until) != 0;
    uint64_t met = (g->bits[word] & from) | (g->bits[end] & until);
    for (++word; word < end; ++word)
        met |= g->bits[word];
    return met != 0;
}

// ---- Occupied rows ------------------------------------------------------------------------------------------------

static inline uint64_t grid_row_key(int32_t level, int64_t y, int64_t z)
{
    return (uint64_t)level << 58 | (uint64_t)z << 29 | (uint64_t)y;
}

static inline int64_t grid_row_y(uint64_t key)
{
    return (int64_t)(key & ((UINT64_C(1) << 29) - 1));
}

static inline int64_t grid_row_z(uint64_t key)
{
    return grid_row_y(key >> 29);
}

// The first of the rows first .. last-1 whose key is not below this one; `last` if there is none.
static inline int32_t grid_find_row(const grid* g, int32_t first, int32_t last, uint64_t key)
{
    while (first < last) {
        int32_t middle = first + (last - first) / 2;
        if (g->row_key[middle] < key)
            first = middle + 1;
        else
            last = middle;
    }
    return first;
}

// The first of the places first .. last-1 of one row whose cell is x or a later one; `last` if there is none.
static inline int32_t grid_find_cell(const grid* g, int32_t first, int32_t last, int64_t x)
{
    while (first < last) {
        int32_t middle = first + (last - first) / 2;
        if ((int64_t)g->cell[middle] < x)
            first = middle + 1;
        else
            last = middle;
    }
    return first;
}

#endif
