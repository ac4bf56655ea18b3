// A face of the box: a plane across an axis.
#ifndef SCREE_SIM_BOUNDARY_FACE_H
#define SCREE_SIM_BOUNDARY_FACE_H

#include "sim/boundary.h"

SCREE_BOTH void boundary_face_surface(const sim_boundary* b, const double x[3], boundary_point* out)
{
    int k = b->axis[0] != 0.0 ? 0 : b->axis[1] != 0.0 ? 1 : 2;
    double at = k == 0 ? x[0] : k == 1 ? x[1] : x[2];  // not x[k]: devices keep x in registers
    out->inside = b->sign * (at - b->at[k]);
    for (int l = 0; l < 3; ++l)
        out->n[l] = l == k ? b->sign : 0.0;
}

static inline scree_status boundary_face_check(const sim_boundary* b, int dim)
{
    (void)b;
    (void)dim;
    return scree_fail(SCREE_ERR_ARGUMENT, "faces of the box are not added as boundaries; expected another kind");
}

#endif
