// The walk for any machine. The reference for the wider version.
#include "query/walk.h"

#include "base/array.h"

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

static inline int count_below(const double* values, int64_t count, double value)
{
    int below = 0;
    for (int64_t e = 0; e < count; ++e)
        below += values[e] < value;
    return below;
}

#define WALK_CLASS walk_class_plain
#define WALK_SELECT walk_select_plain
#include "query/walk_body.h"
