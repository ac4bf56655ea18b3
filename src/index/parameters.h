// Parameters of single methods that a user fixed by hand (the end of scree_index_def): what can be said of them before any
// sphere is seen.
#ifndef SCREE_INDEX_PARAMETERS_H
#define SCREE_INDEX_PARAMETERS_H

#include "scree/index.h"

// ARGUMENT: an invalid value, or one that the method of the def has no use for.
scree_status parameters_check(const scree_index_def* def);

// ARGUMENT: with spheres that reach this far, 2 r_max + gap, a value would lose pairs.
scree_status parameters_check_reach(const scree_index_def* def, double reach);

// How far spheres may reach, gap included, in the cells that were asked for: the shortest side of the longest cells; INFINITY: none were.
double parameters_cell_reach(const scree_index_def* def);

#endif
