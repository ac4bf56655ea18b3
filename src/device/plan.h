// The levels and cells of a search.
#ifndef SCREE_DEVICE_PLAN_H
#define SCREE_DEVICE_PLAN_H

#include "device/grid.h"
#include "scree/geom.h"

enum { plan_bins = 512 };

// How many spheres there are of each size: bins of equal ratio from the smallest to the largest.
typedef struct plan_sizes {
    int64_t count;
    double least, most, mean;
    int64_t in[plan_bins];
    double largest[plan_bins];  // radius in each bin; 0: it is empty
} plan_sizes;

void plan_measure(const double (*x)[4], int64_t count, plan_sizes* out);

void plan_set_box(const scree_box* box, grid_plan* out);  // its periodic axes, no levels

// For centres between lower and upper (periodic axes: the box's own ends), pairs with a gap below `reach`.
void plan_make(const plan_sizes* sizes, const scree_box* box, const double lower[3], const double upper[3], double reach, grid_plan* out);

#endif
