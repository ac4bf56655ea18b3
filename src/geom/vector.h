// Vectors of three numbers, for surfaces.
#ifndef SCREE_GEOM_VECTOR_H
#define SCREE_GEOM_VECTOR_H

#include "base/both.h"

#include <math.h>

SCREE_BOTH double vec_dot(const double a[3], const double b[3])
{
    return (a[0] * b[0] + a[1] * b[1]) + a[2] * b[2];
}

SCREE_BOTH void vec_sub(const double a[3], const double b[3], double out[3])
{
    for (int k = 0; k < 3; ++k)
        out[k] = a[k] - b[k];
}

SCREE_BOTH void vec_cross(const double a[3], const double b[3], double out[3])
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

SCREE_BOTH double vec_length(const double a[3])
{
    return sqrt(vec_dot(a, a));
}

// Of length 1, where a has a direction at all; its length comes back. Lengths from 1e-140 to 1e140 have squares, but products of four do not: what may be a product
// is brought near 1 first.
SCREE_BOTH double vec_normalise(const double a[3], double out[3])
{
    double most = fmax(fabs(a[0]), fmax(fabs(a[1]), fabs(a[2])));
    if (!(most > 0.0)) {
        out[0] = out[1] = out[2] = 0.0;
        return 0.0;
    }
    double b[3] = {a[0] / most, a[1] / most, a[2] / most}, length = vec_length(b);
    for (int k = 0; k < 3; ++k)
        out[k] = b[k] / length;
    return most * length;
}

#endif
