// A cylinder without ends, with the spheres inside or around it. It may turn about its own axis.
#ifndef SCREE_SIM_BOUNDARY_CYLINDER_H
#define SCREE_SIM_BOUNDARY_CYLINDER_H

#include "sim/boundary_sphere.h"

SCREE_BOTH void boundary_cylinder_surface(const sim_boundary* b, const double x[3], boundary_point* out)
{
    double d[3] = {x[0] - b->at[0], x[1] - b->at[1], x[2] - b->at[2]};
    double along = (d[0] * b->axis[0] + d[1] * b->axis[1]) + d[2] * b->axis[2];
    for (int k = 0; k < 3; ++k)
        d[k] -= along * b->axis[k];
    boundary_round(b, d, out);
}

static inline scree_status boundary_cylinder_check(const sim_boundary* b, int dim)
{
    if (dim != 3)
        return scree_fail(SCREE_ERR_ARGUMENT, "a cylinder in two dimensions; expected a sphere, its section");
    if (!(b->radius > 0.0 && b->radius <= SCREE_LENGTH_MAX))
        return scree_fail(SCREE_ERR_ARGUMENT, "a radius of %g; expected a length above 0", b->radius);
    double along = (b->spin[0] * b->axis[0] + b->spin[1] * b->axis[1]) + b->spin[2] * b->axis[2];
    for (int k = 0; k < 3; ++k)
        if (!(fabs(b->spin[k] - along * b->axis[k]) <= 1e-12 * fabs(along)))
            return scree_fail(SCREE_ERR_ARGUMENT, "a spin of %g %g %g; expected one about its own axis", b->spin[0], b->spin[1], b->spin[2]);
    return SCREE_OK;
}

#endif
