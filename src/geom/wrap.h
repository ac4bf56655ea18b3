// A coordinate of a periodic axis, wrapped into the box: one text for processors and devices.
#ifndef SCREE_GEOM_WRAP_H
#define SCREE_GEOM_WRAP_H

#include "base/both.h"

#include <math.h>

// Between lower and upper; *turns: how many lengths it was away.
SCREE_BOTH double wrap_between(double lower, double upper, double x, double* turns)
{
    *turns = 0.0;
    if (x >= lower && x < upper)
        return x;
    double length = upper - lower, n = floor((x - lower) / length);
    x -= n * length;
    // Rounding can leave x a hair outside; the nearest place inside is then an end, which is one and the same point.
    if (x < lower)
        x = lower;
    if (x >= upper) {
        x = lower;
        n += 1.0;
    }
    *turns = n;
    return x;
}

#endif
