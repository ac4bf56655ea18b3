// The search of the plain grid, compiled by plain_grid.c for any machine and by plain_grid_v3.c for x86-64-v3. Each defines PLAIN_SEARCH, the name of
// the function.
#ifndef BENCH_PLAIN_GRID_BODY_H
#define BENCH_PLAIN_GRID_BODY_H

#include "harness.h"

#include <math.h>
#include <string.h>

enum { plain_most_levels = 40 };

typedef struct plain_level {
    double side, inverse, r_max;
    int32_t cells[3], count, first;  // spheres, and the place of the first one
    int64_t first_cell;
} plain_level;

typedef struct plain_sphere {
    double x, y, z, r;
} plain_sphere;

struct plain_grid {
    int32_t* start;    // of each cell, by place
    int32_t* cell;     // of each sphere, by number
    uint8_t* octave;
    plain_sphere* at;  // by place
    int32_t* id;
    int32_t (*pairs)[2];
    int64_t start_room, sphere_room, pair_room, count, tests;
    plain_level levels[plain_most_levels];
    int level_count;
    double lower[3], upper[3];
    bool failed;       // out of memory
};

int64_t plain_grid_search_any(plain_grid* grid, scree_spheres spheres);
int64_t plain_grid_search_v3(plain_grid* grid, scree_spheres spheres);

// ---- Cells -----------------------------------------------------------------------------------------------------------

static inline int32_t plain_clip(double at, int32_t cells)
{
    int32_t cell = (int32_t)at;
    return cell < 0 ? 0 : cell >= cells ? cells - 1 : cell;
}

static void plain_levels(plain_grid* g, scree_spheres s)
{
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY}, r_min = INFINITY;
    for (int64_t i = 0; i < s.count; ++i)
        r_min = s.r[i] < r_min ? s.r[i] : r_min;
    for (int h = 0; h < plain_most_levels; ++h)
        g->levels[h] = (plain_level){.count = 0};
    float inverse = (float)(1.0 / r_min);
    g->level_count = 0;
    for (int64_t i = 0; i < s.count; ++i) {
        for (int k = 0; k < 3; ++k) {
            double x = s.x[3 * i + k];
            low[k] = x < low[k] ? x : low[k];
            high[k] = x > high[k] ? x : high[k];
        }
        float ratio = (float)s.r[i] * inverse;
        uint32_t bits;
        memcpy(&bits, &ratio, sizeof bits);
        int h = (int)(bits >> 23) - 127;
        h = h < 0 ? 0 : h >= plain_most_levels ? plain_most_levels - 1 : h;
        plain_level* level = &g->levels[h];
        g->octave[i] = (uint8_t)h;
        ++level->count;
        level->r_max = s.r[i] > level->r_max ? s.r[i] : level->r_max;
        g->level_count = h >= g->level_count ? h + 1 : g->level_count;
    }
    memcpy(g->lower, low, sizeof low);
    memcpy(g->upper, high, sizeof high);
}

// A cell to a sphere at most. The number of all cells comes back.
static int64_t plain_cells(plain_grid* g)
{
    int64_t cells = 0;
    int32_t spheres = 0;
    double volume = 1.0;
    for (int k = 0; k < 3; ++k)
        volume *= g->upper[k] - g->lower[k] + 1e-9;
    for (int h = 0; h < g->level_count; ++h) {
        plain_level* level = &g->levels[h];
        level->first = spheres;
        level->first_cell = cells;
        if (level->count == 0)
            continue;
        spheres += level->count;
        level->side = fmax(2.0 * level->r_max * (1.0 + 1e-12), cbrt(volume / level->count));
        level->inverse = 1.0 / level->side;
        for (int k = 0; k < 3; ++k)
            level->cells[k] = (int32_t)((g->upper[k] - g->lower[k]) * level->inverse) + 1;
        cells += (int64_t)level->cells[0] * level->cells[1] * level->cells[2];
    }
    return cells;
}

static void plain_sort(plain_grid* g, scree_spheres s, int64_t cells)
{
    memset(g->start, 0, ((size_t)cells + 1) * sizeof *g->start);
    const double lower[3] = {g->lower[0], g->lower[1], g->lower[2]};
    for (int64_t i = 0; i < s.count; ++i) {
        const plain_level* level = &g->levels[g->octave[i]];
        int32_t x = plain_clip((s.x[3 * i] - lower[0]) * level->inverse, level->cells[0]);
        int32_t y = plain_clip((s.x[3 * i + 1] - lower[1]) * level->inverse, level->cells[1]);
        int32_t z = plain_clip((s.x[3 * i + 2] - lower[2]) * level->inverse, level->cells[2]);
        int32_t cell = (int32_t)level->first_cell + (z * level->cells[1] + y) * level->cells[0] + x;
        g->cell[i] = cell;
        ++g->start[cell];
    }
    int32_t sum = 0;
    for (int64_t c = 0; c < cells; ++c)
        g->start[c] = sum += g->start[c];
    g->start[cells] = sum;
    for (int64_t i = (int64_t)s.count - 1; i >= 0; --i) {
        int32_t to = --g->start[g->cell[i]];
        g->at[to] = (plain_sphere){s.x[3 * i], s.x[3 * i + 1], s.x[3 * i + 2], s.r[i]};
        g->id[to] = (int32_t)i;
    }
}

// ---- Tests -----------------------------------------------------------------------------------------------------------

static __attribute__((noinline)) void plain_grow(plain_grid* g, int64_t needed)
{
    int64_t room = g->pair_room > 0 ? g->pair_room : 1024;
    while (room < needed)
        room += room / 2 + 1;
    void* grown = scree_realloc(g->pairs, (size_t)room, sizeof *g->pairs);
    g->failed = grown == NULL;
    if (grown != NULL) {
        g->pairs = grown;
        g->pair_room = room;
    }
}

// The sphere at place a against the places first .. last-1: each candidate is written, and stays if it touches.
static inline void plain_run(plain_grid* g, int32_t a, int32_t first, int32_t last)
{
    if (__builtin_expect(g->count + (last - first) + 1 > g->pair_room, 0))
        plain_grow(g, g->count + (last - first) + 1);
    if (__builtin_expect(g->failed, 0))
        return;
    const plain_sphere p = g->at[a], *at = g->at;
    const int32_t own = g->id[a], *id = g->id;
    int32_t(*out)[2] = g->pairs + g->count;
    for (int32_t b = first; b < last; ++b) {
        double dx = p.x - at[b].x, dy = p.y - at[b].y, dz = p.z - at[b].z, reach = p.r + at[b].r;
        (*out)[0] = own;
        (*out)[1] = id[b];
        out += (dx * dx + dy * dy) + dz * dz < reach * reach;
    }
    g->count = out - g->pairs;
    g->tests += last - first;
}

// Inside a level: the rest of a cell and its row's next cell, and three cells in each of the four rows ahead.
static void plain_within(plain_grid* g, const plain_level* level)
{
    static const int dy[4] = {1, -1, 0, 1}, dz[4] = {0, 1, 1, 1};
    const int32_t nx = level->cells[0], ny = level->cells[1], nz = level->cells[2];
    const int32_t* start = g->start + level->first_cell;
    for (int32_t z = 0; z < nz; ++z)
        for (int32_t y = 0; y < ny; ++y) {
            int32_t row = (z * ny + y) * nx, ahead[4], rows = 0;
            if (start[row] == start[row + nx])
                continue;
            for (int k = 0; k < 4; ++k)
                if (y + dy[k] >= 0 && y + dy[k] < ny && z + dz[k] < nz)
                    ahead[rows++] = ((z + dz[k]) * ny + y + dy[k]) * nx;
            for (int32_t x = 0; x < nx; ++x) {
                int32_t first = start[row + x], last = start[row + x + 1], from[4], to[4];
                if (first == last)
                    continue;
                int32_t low = x > 0 ? x - 1 : 0, high = x + 1 < nx ? x + 2 : nx, until = start[row + high];
                for (int k = 0; k < rows; ++k) {
                    from[k] = start[ahead[k] + low];
                    to[k] = start[ahead[k] + high];
                }
                for (int32_t a = first; a < last; ++a) {
                    plain_run(g, a, a + 1, until);
                    for (int k = 0; k < rows; ++k)
                        plain_run(g, a, from[k], to[k]);
                }
            }
        }
}

// Between levels: the rows of the other one that the ball of the sphere meets, each cut to its chord. First and last cells have what lies beyond.
static void plain_between(plain_grid* g, int32_t a, const plain_level* level)
{
    const plain_sphere* p = &g->at[a];
    const double reach = (p->r + level->r_max) * (1.0 + 1e-12), side = level->side, inverse = level->inverse;
    const double x = p->x - g->lower[0], y = p->y - g->lower[1], z = p->z - g->lower[2];
    const int32_t nx = level->cells[0], ny = level->cells[1], nz = level->cells[2];
    const int32_t* start = g->start + level->first_cell;
    int32_t z1 = plain_clip((z + reach) * inverse, nz), y0 = plain_clip((y - reach) * inverse, ny), y1 = plain_clip((y + reach) * inverse, ny);
    for (int32_t cz = plain_clip((z - reach) * inverse, nz); cz <= z1; ++cz) {
        double dz = z < cz * side ? cz * side - z : z > (cz + 1) * side ? z - (cz + 1) * side : 0.0;
        double left = reach * reach - (cz == 0 || cz == nz - 1 ? 0.0 : dz * dz);
        if (left <= 0.0)
            continue;
        for (int32_t cy = y0; cy <= y1; ++cy) {
            double dy = y < cy * side ? cy * side - y : y > (cy + 1) * side ? y - (cy + 1) * side : 0.0;
            double rest = left - (cy == 0 || cy == ny - 1 ? 0.0 : dy * dy);
            if (rest <= 0.0)
                continue;
            double half = sqrt(rest) * (1.0 + 1e-12);
            const int32_t* row = start + (int64_t)(cz * ny + cy) * nx;
            int32_t first = row[plain_clip((x - half) * inverse, nx)], last = row[plain_clip((x + half) * inverse, nx) + 1];
            if (first < last)
                plain_run(g, a, first, last);
        }
    }
}

// Rows that all spheres of one level look into on another.
static double plain_rows(const plain_level* from, const plain_level* into)
{
    double along = 2.0 * (from->r_max + into->r_max) * into->inverse + 1.0;
    return from->count * fmin(along, into->cells[1]) * fmin(along, into->cells[2]);
}

int64_t PLAIN_SEARCH(plain_grid* g, scree_spheres s)
{
    plain_levels(g, s);
    int64_t cells = plain_cells(g);
    if (cells + 1 > g->start_room) {
        scree_free(g->start);
        g->start_room = cells + 1 + cells / 4;
        g->start = scree_malloc((size_t)g->start_room, sizeof *g->start);
        g->start_room = g->start != NULL ? g->start_room : 0;
    }
    if (g->start == NULL)
        return -1;
    plain_sort(g, s, cells);
    g->count = g->tests = 0;
    g->failed = false;
    for (int h = 0; h < g->level_count; ++h) {
        if (g->levels[h].count == 0)
            continue;
        plain_within(g, &g->levels[h]);
        for (int t = 0; t < h; ++t) {
            const plain_level *from = &g->levels[h], *into = &g->levels[t];
            if (into->count == 0)
                continue;
            if (plain_rows(into, from) < plain_rows(from, into)) {
                from = &g->levels[t];
                into = &g->levels[h];
            }
            for (int32_t a = from->first; a < from->first + from->count; ++a)
                plain_between(g, a, into);
        }
    }
    return g->failed ? -1 : g->count;
}

#endif
