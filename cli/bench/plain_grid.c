#include "plain_grid.h"

#include <math.h>
#include <string.h>

enum { most_levels = 64 };

typedef struct level {
    double side, r_max;
    int64_t cells[3], first;  // number of its first cell
} level;

struct plain_grid {
    int32_t* start;
    int32_t* cell;
    int32_t* id;
    double (*xr)[4];
    int32_t (*pairs)[2];
    int64_t start_room, sphere_room, pair_room;
    level levels[most_levels];
    int count;
    double lower[3];
};

plain_grid* plain_grid_create(void)
{
    return scree_calloc(1, sizeof(plain_grid));
}

void plain_grid_destroy(plain_grid* grid)
{
    if (grid == NULL)
        return;
    scree_free(grid->start);
    scree_free(grid->cell);
    scree_free(grid->id);
    scree_free(grid->xr);
    scree_free(grid->pairs);
    scree_free(grid);
}

// Octaves from the smallest radius up; cells as long as the octave's largest diameter, or longer where there would be many.
static int64_t plan(plain_grid* grid, scree_spheres s)
{
    double upper[3] = {-INFINITY, -INFINITY, -INFINITY}, r_min = INFINITY, r_max = 0.0;
    for (int k = 0; k < 3; ++k)
        grid->lower[k] = INFINITY;
    for (int64_t i = 0; i < s.count; ++i) {
        r_min = fmin(r_min, s.r[i]);
        r_max = fmax(r_max, s.r[i]);
        for (int k = 0; k < 3; ++k) {
            grid->lower[k] = fmin(grid->lower[k], s.x[3 * i + k]);
            upper[k] = fmax(upper[k], s.x[3 * i + k]);
        }
    }
    int64_t total = 0;
    grid->count = 0;
    for (double r = 2.0 * r_min; grid->count < most_levels; r *= 2.0) {
        level* l = &grid->levels[grid->count++];
        l->r_max = fmin(r, r_max);
        for (l->side = 2.0 * l->r_max * (1.0 + 1e-9);; l->side *= 1.2) {
            double product = 1.0;
            for (int k = 0; k < 3; ++k) {
                l->cells[k] = (int64_t)floor((upper[k] - grid->lower[k]) / l->side) + 1;
                product *= (double)l->cells[k];
            }
            if (product < 8.0 * s.count + 64.0)
                break;
        }
        l->first = total;
        total += l->cells[0] * l->cells[1] * l->cells[2];
        if (r >= r_max)
            break;
    }
    return total;
}

static int level_of(const plain_grid* grid, double r)
{
    int h = 0;
    while (h + 1 < grid->count && r > grid->levels[h].r_max)
        ++h;
    return h;
}

static int64_t place(const plain_grid* grid, const level* l, int k, double x)
{
    return (int64_t)floor((x - grid->lower[k]) / l->side);
}

static bool reserve(plain_grid* grid, int64_t n, int64_t cells)
{
    if (cells + 1 > grid->start_room) {
        scree_free(grid->start);
        grid->start = scree_malloc((size_t)cells + 1, sizeof *grid->start);
        grid->start_room = cells + 1;
    }
    if (n > grid->sphere_room) {
        scree_free(grid->cell);
        scree_free(grid->id);
        scree_free(grid->xr);
        grid->cell = scree_malloc((size_t)n, sizeof *grid->cell);
        grid->id = scree_malloc((size_t)n, sizeof *grid->id);
        grid->xr = scree_malloc((size_t)n, sizeof *grid->xr);
        grid->sphere_room = n;
    }
    return grid->start != NULL && grid->cell != NULL && grid->id != NULL && grid->xr != NULL;
}

static bool put(plain_grid* grid, int64_t count, int32_t i, int32_t j)
{
    if (count == grid->pair_room) {
        int64_t room = count * 2 + 1024;
        void* grown = scree_realloc(grid->pairs, (size_t)room, sizeof *grid->pairs);
        if (grown == NULL)
            return false;
        grid->pairs = grown;
        grid->pair_room = room;
    }
    grid->pairs[count][0] = i < j ? i : j;
    grid->pairs[count][1] = i < j ? j : i;
    return true;
}

// Sphere at place a against the places first .. last-1.
static bool against(plain_grid* grid, int32_t a, int32_t first, int32_t last, int64_t* count, int64_t* tests)
{
    const double* p = grid->xr[a];
    for (int32_t b = first; b < last; ++b) {
        const double* q = grid->xr[b];
        double dx = p[0] - q[0], dy = p[1] - q[1], dz = p[2] - q[2], reach = p[3] + q[3];
        if ((dx * dx + dy * dy) + dz * dz < reach * reach) {
            if (!put(grid, *count, grid->id[a], grid->id[b]))
                return false;
            ++*count;
        }
    }
    *tests += last - first;
    return true;
}

static bool search(plain_grid* grid, int32_t a, int64_t* count, int64_t* tests)
{
    const double* p = grid->xr[a];
    int own = level_of(grid, p[3]);
    bool fine = true;
    for (int h = own; h >= 0; --h) {
        const level* l = &grid->levels[h];
        int64_t from[3], to[3];
        for (int k = 0; k < 3; ++k) {
            double reach = (p[3] + l->r_max) * (1.0 + 1e-9);
            int64_t at = place(grid, l, k, p[k]);
            from[k] = h == own ? at - 1 : place(grid, l, k, p[k] - reach);
            to[k] = h == own ? at + 1 : place(grid, l, k, p[k] + reach);
            from[k] = from[k] < 0 ? 0 : from[k];
            to[k] = to[k] >= l->cells[k] ? l->cells[k] - 1 : to[k];
        }
        for (int64_t z = from[2]; z <= to[2]; ++z)
            for (int64_t y = from[1]; y <= to[1]; ++y) {
                int64_t row = l->first + (z * l->cells[1] + y) * l->cells[0];
                int32_t first = grid->start[row + from[0]], last = grid->start[row + to[0] + 1];
                if (h == own && first <= a)  // each pair of a level once: what stands behind
                    first = a + 1;
                if (first < last)
                    fine = fine && against(grid, a, first, last, count, tests);
            }
    }
    return fine;
}

int64_t plain_grid_pairs(plain_grid* grid, scree_spheres s, int64_t* tests)
{
    *tests = 0;
    if (s.count == 0)
        return 0;
    int64_t cells = plan(grid, s);
    if (!reserve(grid, s.count, cells))
        return -1;
    memset(grid->start, 0, ((size_t)cells + 1) * sizeof *grid->start);
    for (int64_t i = 0; i < s.count; ++i) {
        const level* l = &grid->levels[level_of(grid, s.r[i])];
        int64_t c[3];
        for (int k = 0; k < 3; ++k)
            c[k] = place(grid, l, k, s.x[3 * i + k]);
        grid->cell[i] = (int32_t)(l->first + (c[2] * l->cells[1] + c[1]) * l->cells[0] + c[0]);
        ++grid->start[grid->cell[i]];
    }
    for (int64_t c = 1; c <= cells; ++c)
        grid->start[c] += grid->start[c - 1];
    for (int64_t i = (int64_t)s.count - 1; i >= 0; --i) {
        int32_t at = --grid->start[grid->cell[i]];
        grid->id[at] = (int32_t)i;
        for (int k = 0; k < 3; ++k)
            grid->xr[at][k] = s.x[3 * i + k];
        grid->xr[at][3] = s.r[i];
    }
    int64_t count = 0;
    for (int32_t a = 0; a < s.count; ++a)
        if (!search(grid, a, &count, tests))
            return -1;
    return count;
}
