// Inside of scree/query.h: how the hierarchy lies in memory.
//
// Spheres are sorted by class of size (a factor of eight in radius) and within a class along a Hilbert curve (base/hilbert.h). Each class is a tree of its own:
// leaves of eight spheres in a row, and above them nodes of eight children, level by level, so that children follow from the number of a node and no links are stored. Coordinates of the
// eight lie axis by axis, for tests of all eight at once (walk_body.h); the last leaf and the last nodes are filled up with NaN, which no test takes. A walk looks into every class;
// there are as many as the logarithm of the size ratio.
#ifndef SCREE_QUERY_BVH_H
#define SCREE_QUERY_BVH_H

#include "scree/query.h"

#include "geom/lattice.h"

#include <string.h>

enum { bvh_fan = 8, bvh_levels_most = 12, bvh_classes_most = 64 };

typedef struct bvh_leaf {
    double x[3][bvh_fan], r[bvh_fan];
} bvh_leaf;

// Of each of eight children: the bounds of its centres, the largest radius and all bits of its spheres.
typedef struct bvh_node {
    double lower[3][bvh_fan], upper[3][bvh_fan], r_max[bvh_fan];
    uint32_t mask[bvh_fan];
} bvh_node;

typedef struct bvh_class {
    int64_t first, last;             // spheres, in the order of the curve
    int64_t leaf, leaves;            // the first leaf, and how many
    int32_t levels;                  // of nodes, from 1; 0 are the leaves
    int64_t level[bvh_levels_most];  // where each begins among the nodes, [0] not used; the top one has one node
} bvh_class;

struct scree_bvh {
    scree_box box;
    int32_t threads;
    scree_watch watch;
    int32_t n, dim;
    bool periodic;
    double length[3], tilt[3];  // of the lattice
    bvh_leaf* leaf;             // sorted, wrapped into the box
    int64_t leaves;
    int32_t* id;                // of each place in the leaves: number as given
    int32_t (*turns)[3];        // boxes that wrapping took away; NULL: no axis is periodic
    uint32_t* mask;             // NULL: all bits
    uint32_t any;               // bits of all spheres
    bvh_node* node;
    int64_t nodes;
    bvh_class* of;
    int32_t classes;
    double first[3], last[3];   // bounds of the centres
    double lower[3], upper[3];  // of all spheres; lower above upper without any
    double extent;              // largest coordinate or radius, for margins of rounding
};

static inline const char* points_x(const scree_points* points, int64_t i)
{
    const int64_t size = points->type == SCREE_TYPE_FLOAT64 ? 8 : 4;
    return (const char*)points->x + i * (points->x_stride != 0 ? points->x_stride : size * points->dim);
}

// Reads sphere or point i of a view: x y z r.
static inline void points_get(const scree_points* points, int64_t i, double out[4])
{
    const bool wide = points->type == SCREE_TYPE_FLOAT64;
    const int64_t size = wide ? 8 : 4, r_stride = points->r_stride != 0 ? points->r_stride : size;
    const char* x = points_x(points, i);
    out[2] = out[3] = 0.0;
    for (int k = 0; k < points->dim; ++k) {
        double value;
        float narrow;
        if (wide) {
            memcpy(&value, x + k * size, sizeof value);
        } else {
            memcpy(&narrow, x + k * size, sizeof narrow);
            value = narrow;
        }
        out[k] = value;
    }
    if (points->r != NULL) {
        const char* r = (const char*)points->r + i * r_stride;
        float narrow;
        if (wide) {
            memcpy(&out[3], r, sizeof out[3]);
        } else {
            memcpy(&narrow, r, sizeof narrow);
            out[3] = narrow;
        }
    }
}

// Whether this can be a view of spheres or points in that dimension; the second one also looks at each of them. `what` begins the message.
scree_status points_check_form(const scree_points* points, int32_t dim, const char* what);
scree_status points_check(const scree_points* points, int32_t dim, const scree_box* box, const char* what);

// The Hilbert curve through a box, with cells so small that few of `count` centres share a key.
typedef struct bvh_curve {
    int dim, bits;
    double lower[3], per, last;
} bvh_curve;
bvh_curve bvh_curve_of(int dim, int64_t count, const double lower[3], const double upper[3]);
uint64_t bvh_key(const bvh_curve* curve, const double x[3]);

// Wraps centre i on periodic axes; turns: the number of boxes subtracted. ARGUMENT: more than 1e8; `what` begins the message.
scree_status bvh_wrap(const scree_bvh* bvh, const char* what, int64_t i, double x[4], int32_t turns[3]);

#endif
