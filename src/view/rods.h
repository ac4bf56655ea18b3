// Rods of a page: cut at periodic faces, so that the page can draw each as it is.
#ifndef SCREE_VIEW_RODS_H
#define SCREE_VIEW_RODS_H

#include "scree/picture.h"

// ARGUMENT: an end or a value that is not finite; MEMORY. `out` is the caller's (scree_rods_free).
scree_status view_cut_rods(const scree_sphere_set* set, const scree_rods* rods, scree_rods* out);

#endif
