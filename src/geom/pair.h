// The one predicate. Whatever the method, this decides whether two spheres are a pair, so that all methods, tests and
// tools agree to the last bit:
//
//     d^2 < (r_i + r_j + G)^2,    d = (x_i - x_j) - shift * L,    summed as (dx^2 + dy^2) + dz^2
//
// with shift * L from geom/lattice.h, in tilted boxes too.
//
// The form of d matters: it is odd, so that (i, j, s) and (j, i, -s) give the same square. Structures around it may
// offer too much and never too little. Two facts that they may use, both exact in floating point because rounding is
// monotone: if |d_k| >= r_i + r_j + G on one axis, the pair is none; and a sphere's bits enter only through x and r.
//
// Boxes are decided by a predicate of the same form: half sides h_i and h_j about the centres, closed, G in between,
//
//     |d_k| <= h_i + h_j + G    on each axis k.
//
// With h = r it holds for every pair of spheres, by the first of the two facts.
#ifndef SCREE_GEOM_PAIR_H
#define SCREE_GEOM_PAIR_H

#include "base/both.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// a, b: x y z r, z = 0 in 2D. offset: from a sphere to its image (geom/lattice.h).
SCREE_BOTH double scree_square_distance(const double a[4], const double b[4], const double offset[3])
{
    double dx = (a[0] - b[0]) - offset[0];
    double dy = (a[1] - b[1]) - offset[1];
    double dz = (a[2] - b[2]) - offset[2];
    return (dx * dx + dy * dy) + dz * dz;
}

SCREE_BOTH bool scree_is_pair(const double a[4], const double b[4], const double offset[3], double gap)
{
    double reach = (a[3] + b[3]) + gap;
    return reach > 0.0 && scree_square_distance(a, b, offset) < reach * reach;
}

// Whether spheres of two groups pair, by a symmetric matrix of 0 and 1. NULL: unless the groups are equal.
SCREE_BOTH bool scree_groups_pair(int32_t a, int32_t b, const uint8_t* matrix, int32_t groups)
{
    return matrix != NULL ? matrix[(int64_t)a * groups + b] != 0 : a != b;
}

// Whether two intervals, half a side to each side of a and of b, meet along one axis.
static inline bool scree_boxes_meet_along(double a, double half_a, double b, double half_b, double offset, double gap)
{
    return fabs((a - b) - offset) <= (half_a + half_b) + gap;
}

// A sphere and its own image are one pair with two names, s and -s: its name is the one whose first shift that is not 0 is
// positive. False where all are 0.
SCREE_BOTH bool scree_shift_is_ahead(int sx, int sy, int sz)
{
    return sx > 0 || (sx == 0 && (sy > 0 || (sy == 0 && sz > 0)));
}

#endif
