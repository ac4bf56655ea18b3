// A sphere, in 2D a circle, with the spheres inside or around it.
#ifndef SCREE_SIM_BOUNDARY_SPHERE_H
#define SCREE_SIM_BOUNDARY_SPHERE_H

#include "sim/boundary.h"

// Of a round surface, from the vector d from its centre to x. At the centre the normal is undefined; (1, 0, 0) is returned.
SCREE_BOTH void boundary_round(const sim_boundary* b, const double d[3], boundary_point* out)
{
    double distance = sqrt((d[0] * d[0] + d[1] * d[1]) + d[2] * d[2]);
    out->inside = b->sign * (b->radius - distance);
    for (int k = 0; k < 3; ++k)
        out->n[k] = distance > 0.0 ? -b->sign * (d[k] / distance) : k == 0 ? -b->sign : 0.0;
}

SCREE_BOTH void boundary_sphere_surface(const sim_boundary* b, const double x[3], boundary_point* out)
{
    double d[3] = {x[0] - b->at[0], x[1] - b->at[1], x[2] - b->at[2]};
    boundary_round(b, d, out);
}

static inline scree_status boundary_sphere_check(const sim_boundary* b, int dim)
{
    if (!(b->radius > 0.0 && b->radius <= SCREE_LENGTH_MAX))
        return scree_fail(SCREE_ERR_ARGUMENT, "a radius of %g; expected a length above 0", b->radius);
    if (dim == 2 && (b->at[2] != 0.0 || b->velocity[2] != 0.0 || b->spin[0] != 0.0 || b->spin[1] != 0.0))
        return scree_fail(SCREE_ERR_ARGUMENT, "it leaves the plane; expected a position and velocity in the plane and a spin about z in two dimensions");
    return SCREE_OK;
}

#endif
