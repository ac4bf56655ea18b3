// How crowded spheres stand. A box tells their mean number per volume, but a set may fill a thousandth of its bounding box: a heap
// and one stray sphere, clusters, a spiral. The companions of a sphere determine the cost of a grid: how many others sit in its
// cell, for cells of a given side. They are estimated from a sample of at most a thousand spheres, for all sides at once.
#ifndef SCREE_INDEX_CROWDING_H
#define SCREE_INDEX_CROWDING_H

#include "index/method.h"

enum { crowding_octaves = 21 };

typedef struct crowding {
    int32_t dim;
    int32_t last;       // the sample covers octaves 0 .. last; finer ones are taken to continue evenly
    double lower[3], length[3];  // the core: where the spheres are, except for some that strayed far off; on periodic axes the box
    double widest;      // side of the cells of octave 0; octave k has half the side of k - 1
    double n;
    double companions[crowding_octaves];
    bool crowded;       // far more companions, on some octave, than evenly spread spheres would have
} crowding;

// From it->x, as it is in `prepare`; from it->xr where that is NULL.
void crowding_measure(crowding* out, const items* it);

// The same, or what the index has measured.
crowding crowding_of(const items* it);

// Companions in cells of this side.
double crowding_companions(const crowding* crowd, double side);

#endif
