// The path of one sphere down a heap to its rest. See roll.c.
#ifndef SCREE_PACK_ROLL_H
#define SCREE_PACK_ROLL_H

#include "pack/heap.h"

enum { roll_most_walls = 6 };

typedef struct roller {
    heap* h;
    int dim;
    bool central;        // down is towards the origin, not along -z
    double scale;        // of coordinates, for what rounding can do
    scree_rng rng;       // for the rare sphere that stands on a needle's point
    int64_t moves;       // so far, over all spheres
    // For the present sphere:
    int wall_count;
    obstacle walls[roll_most_walls];
    double r, tol;       // surfaces nearer than tol touch
    double step;         // radius of a neighbour query; adapted on the path
    double step_least;
} roller;

// From x, where nothing is in the way, to where it rests. *rests false: it did not find one, and x is of no use. MEMORY.
scree_status roll_down(roller* ro, double x[3], bool* rests);

// Moves a centre at rest so that it is `apart` from those three (2D: two) that hold it. Looks at what heap_gather found last.
void roll_set_apart(const roller* ro, double apart, double x[3]);
void roll_lift(const roller* ro, double by, double x[3]);  // straight up

// The height that never rises on the way: z, or the square of the distance from the origin.
double roll_height(const roller* ro, const double x[3]);

#endif
