// Exact shapes and meshes. Spheres can be on both sides of them and have several contacts, so that no single point says how far inside they are: surfaces.h does
// what boundary_NAME_surface does for the others.
#ifndef SCREE_SIM_BOUNDARY_SURFACE_H
#define SCREE_SIM_BOUNDARY_SURFACE_H

#include "sim/boundary.h"

SCREE_BOTH void boundary_any_surface(const sim_boundary* b, const double x[3], boundary_point* out)
{
    (void)b;
    (void)x;
    *out = (boundary_point){.inside = INFINITY};
}

scree_status boundary_any_check(const sim_boundary* b, int dim);  // surface_shapes.c

#endif
