// How wide a skin pays: counted work with fixed weights, never the clock.
#ifndef SCREE_INDEX_SKIN_H
#define SCREE_INDEX_SKIN_H

#include "index/method.h"

typedef struct skin_model {
    bool known;         // `step` is: the last two updates had the same radii
    double step;        // by how much the two fastest spheres moved in one update, added
    double power;       // of the updates, that displacements grow with: 1 flying, 1/2 wandering; 0: not seen yet
    double first;       // the two largest displacements one update after the list was made
    double last;        // and at the last update that the list lasted
    int64_t steps;      // updates that the list has lasted
    int32_t fails;      // lists in a row that did not last for one update
    int64_t wait;       // updates to let pass before another try
    double work;        // of a new search, as counted last; 0: not seen yet
    double pairs;       // found last; -1: not seen yet
    double candidates;  // of the last list; 0: not seen yet
    double skin;        // of the last list
} skin_model;

// The skin that makes the work per update least; 0: a new search each time is about as good. `mean_r`: of the radii.
double skin_choose(const skin_model* model, const items* it, double mean_r);

// A new search was counted.
void skin_searched(skin_model* model, const items* it, int64_t tests, int64_t cells, int64_t found);

// An update came through with the list; moved: the two largest displacements since it was made, added.
void skin_lasted(skin_model* model, double moved);

// The list did not last.
void skin_broke(skin_model* model);

// How far single spheres are moved.
typedef struct near_motion {
    int64_t moves;
    double path;  // sum of the lengths of the moves
} near_motion;

// For lists of single spheres (near_lists.c): the skin that makes moves of this length cheapest; 0: not worth it (yet).
double skin_choose_single(const near_motion* motion, const items* it, double mean_r);

#endif
