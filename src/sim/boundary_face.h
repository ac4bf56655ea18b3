// A face of the box: a plane across an axis.
#ifndef SCREE_SIM_BOUNDARY_FACE_H
#define SCREE_SIM_BOUNDARY_FACE_H

#include "sim/boundary.h"

static inline void boundary_face_surface(const sim_boundary* b, const double x[3], boundary_point* out)
{
    int k = b->axis[0] != 0.0 ? 0 : b->axis[1] != 0.0 ? 1 : 2;
    out->inside = b->sign * (x[k] - b->at[k]);
    for (int l = 0; l < 3; ++l)
        out->n[l] = l == k ? b->sign : 0.0;
}

static inline scree_status boundary_face_check(const sim_boundary* b, int dim)
{
    (void)b;
    (void)dim;
    return scree_fail(SCREE_ERR_ARGUMENT, "faces are those of the box");
}

#endif
