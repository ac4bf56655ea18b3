// What a length is, in one place: the range that scree/geom.h allows.
#ifndef SCREE_GEOM_LENGTH_H
#define SCREE_GEOM_LENGTH_H

#include "scree/geom.h"

#include <math.h>

// Whether x, of either sign, is 0 or between SCREE_LENGTH_MIN and SCREE_LENGTH_MAX in size. Written so that a NaN is not.
static inline bool scree_is_length(double x)
{
    double size = fabs(x);
    return (size >= SCREE_LENGTH_MIN && size <= SCREE_LENGTH_MAX) || size == 0.0;
}

#endif
