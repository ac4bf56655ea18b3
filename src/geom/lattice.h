// Images in periodic boxes, tilted ones among them: the sums that all who look at images have in common, so that they get the same bits.
//
// tilt[k + m - 1] is what the edge vector of axis m adds along an earlier axis k < m. The matrix is triangular: along the last axis only the last shift
// counts, along the one before two, and so on. So images are counted from the last axis to the first, and the block from lower to upper
// is a cell of the lattice as good as the tilted one:
//
//         +-----+-----+          Copies of the block in one row stand side by side, and each row is moved by the tilt against the one below.
//      +--+--+--+--+--+          What leaves the block through the upper face comes in from below, moved back by the tilt.
//      |     |     |
//      +-----+-----+
#ifndef SCREE_GEOM_LATTICE_H
#define SCREE_GEOM_LATTICE_H

#include "scree/geom.h"

#include <math.h>

static inline double scree_lattice_tilt(const double tilt[3], int along, int axis)
{
    return tilt[along + axis - 1];
}

static inline bool scree_lattice_tilted(const double tilt[3])
{
    return tilt[0] != 0.0 || tilt[1] != 0.0 || tilt[2] != 0.0;
}

// Of a box: lengths of periodic axes, 0 for others, and the tilts that its dimension has.
void scree_lattice_of(const scree_box* box, double length[3], double tilt[3]);

// From a sphere to its image. Odd in the shift, as the predicate of pairs needs it; without tilt shift times length, to the last bit.
static inline void scree_lattice_offset(const double length[3], const double tilt[3], int sx, int sy, int sz, double offset[3])
{
    offset[0] = (sx * length[0] + sy * tilt[0]) + sz * tilt[1];
    offset[1] = sy * length[1] + sz * tilt[2];
    offset[2] = sz * length[2];
}

// Adds edge vectors to d until each component on a periodic axis is at most half a length, last axis first; on[k] is how many. Of two images of a sphere whose
// distance is below half of the shortest length this finds that distance.
static inline void scree_lattice_shorten(const bool periodic[3], const double length[3], const double tilt[3], int dim, double d[3], int on[3])
{
    for (int m = dim - 1; m >= 0; --m) {
        on[m] = 0;
        if (!periodic[m] || !(fabs(d[m]) > 0.5 * length[m]))
            continue;
        on[m] = -(int)fmax(fmin(rint(d[m] / length[m]), 1e6), -1e6);
        d[m] += on[m] * length[m];
        for (int k = 0; k < m; ++k)
            d[k] += on[m] * scree_lattice_tilt(tilt, k, m);
    }
}

// The length of the shortest vector of the lattice; INFINITY if no axis is periodic.
double scree_lattice_shortest(int dim, const bool periodic[3], const double length[3], const double tilt[3]);

// The same lattice with tilts of at most half a length.
void scree_lattice_reduce(const double length[3], double tilt[3]);

#endif
