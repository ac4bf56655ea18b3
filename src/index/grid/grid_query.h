// One sphere on its way through the grids: what both versions of the search share.
#ifndef SCREE_INDEX_GRID_QUERY_H
#define SCREE_INDEX_GRID_QUERY_H

#include "geom/pair.h"
#include "index/grid/grid_search.h"

#include <math.h>
#include <string.h>

typedef struct query {
    float x[3];  // of the sphere, minus the image's offset: subtract the partner's and it is the distance
    float r;     // radius plus gap
    int32_t id;
    int image[3];
} query;

// The query of the sphere at place a for partners in this image. In a tilted box from the offset as a whole: its terms may be far larger than their sum, and floats
// would lose it. `tilted` is a literal where it counts, so that other boxes do without.
static inline query make_query(const grid* g, int32_t a, const int image[3], bool tilted)
{
    query q = {.x = {g->xs[a], g->ys[a], g->zs[a]}, .r = g->rs[a] + g->gap, .id = g->id[a]};
    double offset[3] = {0.0, 0.0, 0.0};
    if (tilted)
        items_offset(g->it, image[0], image[1], image[2], offset);
    for (int k = 0; k < 3; ++k) {
        q.image[k] = image[k];
        if (tilted)
            q.x[k] -= (float)(offset[k] * (double)g->scale);
        else if (image[k] != 0)
            q.x[k] -= (float)(image[k] * g->it->length[k] * (double)g->scale);
    }
    return q;
}

// The exact test with the image of the query.
static inline bool surely(const grid* g, const query* q, int32_t b)
{
    const items* it = g->it;
    double offset[3];
    items_offset(it, q->image[0], q->image[1], q->image[2], offset);
    return scree_is_pair(it->xr[q->id], it->xr[g->id[b]], offset, it->gap);
}

// The square of the least distance on axis k between x and the cells at place p (on the unbounded line), less the margin. The first
// and the last cell of an axis that is not periodic have no end.
static inline double plane_square(const grid* g, const grid_level* level, int k, double x, int64_t p)
{
    double lower = g->plan.lower[k] + (double)p * level->side[k], upper = lower + level->side[k];
    double below = lower - x, above = x - upper;
    if (!g->it->periodic[k]) {
        below = p == 0 ? 0.0 : below;
        above = p == level->cells[k] - 1 ? 0.0 : above;
    }
    double away = fmax(below, above) - g->plan.margin[k];
    return away > 0.0 ? away * away : 0.0;
}

// Folds place p of axis k back onto the grid; false beyond a wall.
static inline bool fold_axis(const grid* g, const grid_level* level, int k, int64_t* p, int* image)
{
    int64_t n = level->cells[k];
    *image = (int)grid_turn(*p, n);
    if (*image == 0)
        return true;
    *p -= *image * n;
    return g->it->periodic[k];
}

// In a tilted box images are not only whole boxes away: where a sphere stands, as seen from those in image_y and image_z.
static inline double tilted_y(const items* it, const double xr[4], int image_z)
{
    return xr[1] - image_z * it->tilt[2];
}

static inline double tilted_x(const items* it, const double xr[4], int image_y, int image_z)
{
    return xr[0] - (image_y * it->tilt[0] + image_z * it->tilt[1]);
}

// By how many cells of axis k what `drift` moves must be looked for farther down, at least and at most: the same for all spheres of a cell.
static inline void drift_cells(const grid_level* level, int k, double drift, int64_t cells[2])
{
    double by = drift * level->inverse[k], slack = 1e-9 * (1.0 + fabs(by));
    cells[0] = drift == 0.0 ? 0 : -(int64_t)ceil(by + slack);
    cells[1] = drift == 0.0 ? 0 : -(int64_t)floor(by - slack);
}

// Some cells of one row, in one image.
typedef struct row_run {
    int64_t first, last;
    int image[3];
} row_run;

enum { most_runs = 128 };

// Runs that wait to be tested for one sphere.
typedef struct run_list {
    int count;
    row_run run[most_runs];
} run_list;

#endif
