// The walk for any machine. The reference for the wider version.
#include "query/walk.h"

#include <math.h>

// Children whose centres may be nearer to `at` than reach and their largest radius; the squares of the distances of their bounds.
static inline unsigned near_children(const bvh_node* node, const double at[3], double reach, double square[bvh_fan])
{
    unsigned near = 0;
    for (int e = 0; e < bvh_fan; ++e) {
        double sum = 0.0, most = reach + node->r_max[e];
        for (int k = 0; k < 3; ++k) {
            double low = node->lower[k][e] - at[k], high = at[k] - node->upper[k][e], out = low > high ? low : high;
            out = out > 0.0 ? out : 0.0;
            sum += out * out;
        }
        square[e] = sum * (1.0 - 1e-12);
        near |= (unsigned)(most > 0.0 && square[e] <= most * most) << e;
    }
    return near;
}

// Spheres of a leaf that are a pair with x (geom/pair.h), and the squares of their distances.
static inline unsigned near_spheres(const bvh_leaf* leaf, const double x[4], const double offset[3], double gap, double square[bvh_fan])
{
    unsigned near = 0;
    for (int e = 0; e < bvh_fan; ++e) {
        double dx = (x[0] - leaf->x[0][e]) - offset[0], dy = (x[1] - leaf->x[1][e]) - offset[1], dz = (x[2] - leaf->x[2][e]) - offset[2];
        double reach = (x[3] + leaf->r[e]) + gap;
        square[e] = (dx * dx + dy * dy) + dz * dz;
        near |= (unsigned)(reach > 0.0 && square[e] < reach * reach) << e;
    }
    return near;
}

// Distances of surfaces, and which of them are not above the bound and below `most`.
static inline unsigned values_of(const bvh_leaf* leaf, double r, const double square[bvh_fan], double bound, double most, double value[bvh_fan])
{
    unsigned best = 0;
    for (int e = 0; e < bvh_fan; ++e) {
        value[e] = sqrt(square[e]) - (r + leaf->r[e]);
        best |= (unsigned)(value[e] <= bound && value[e] < most) << e;
    }
    return best;
}

// Adds first + e for each bit e to a list with room for eight more; the new count.
static inline int put_children(uint32_t* list, int count, unsigned near, uint32_t first)
{
    for (; near != 0; near &= near - 1)
        list[count++] = first + (uint32_t)__builtin_ctz(near);
    return count;
}

static inline int count_below(const double* values, int64_t count, double value)
{
    int below = 0;
    for (int64_t e = 0; e < count; ++e)
        below += values[e] < value;
    return below;
}

double walk_distance_plain(const walk_last* last, const double x[4])
{
    double found = last->by_leaf ? INFINITY : -INFINITY;
    for (int e = 0; e < last->count; ++e) {
        double dx = x[0] - last->at[0][e], dy = x[1] - last->at[1][e], dz = x[2] - last->at[2][e];
        double own = sqrt((dx * dx + dy * dy) + dz * dz) - last->at[3][e];
        found = (last->by_leaf ? own < found : own > found) ? own : found;
    }
    return found - x[3];
}

#define WALK_CLASS walk_class_plain
#define WALK_SELECT walk_select_plain
#include "query/walk_body.h"
