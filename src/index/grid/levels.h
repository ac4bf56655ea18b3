// Appendix A on classes of sizes: radii that rise, and how many spheres have each. The exact call has a class for every
// radius, the index one for every small step of it.
#ifndef SCREE_INDEX_LEVELS_H
#define SCREE_INDEX_LEVELS_H

#include "scree/levels.h"

typedef struct size_classes {
    int64_t count;
    const double* r;         // rising
    const int64_t* spheres;  // with that radius
    int32_t dim;
    double length[3];        // of the box
    double margin;           // added to every diameter
    const struct crowding* crowd;  // NULL: spread evenly over the box; else how crowded they stand
    const double* cells;     // how many cells as long as the class needs there are: levels_count_cells
    scree_status* watched;   // NULL: nobody is asked; else the watch of the thread is, before each pass, which is left out from CANCELLED on
} size_classes;

// Fills cells[0 .. count-1] and hands it to `sizes`, whose other members are set. Once, because all that follows asks for it often.
void levels_count_cells(size_classes* sizes, double* cells);

// Levels for a given m, from the smallest on: where they end (r_max[h]) and how many spheres they hold; either may be
// NULL, and so may `fullest`, the largest number of spheres per cell of a level that ends with several spheres of one class. Stops counting at most + 1.
int32_t levels_for(const size_classes* sizes, double m, int32_t most, double* r_max, int64_t* spheres, double* fullest);

// The least m, to a multiple of `resolution` (or to 1 % of itself, whichever is coarser if `rough`), that needs at most
// `levels` levels.
double levels_least_m(const size_classes* sizes, int32_t levels, double resolution, bool rough);

#endif
