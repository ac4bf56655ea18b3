// The table of kinds of boundaries: an entry and an include for each (boundary.h says what one is).
#ifndef SCREE_SIM_BOUNDARIES_H
#define SCREE_SIM_BOUNDARIES_H

#include "sim/boundary_cylinder.h"
#include "sim/boundary_face.h"
#include "sim/boundary_sphere.h"
#include "sim/boundary_surface.h"

#define SIM_BOUNDARIES(BOUNDARY) \
    BOUNDARY(face)               \
    BOUNDARY(cylinder)           \
    BOUNDARY(sphere)             \
    BOUNDARY(any)

#define BOUNDARY(name) BOUNDARY_##name,
typedef enum boundary_kind { SIM_BOUNDARIES(BOUNDARY) BOUNDARY_COUNT } boundary_kind;
#undef BOUNDARY

static inline const char* boundary_name(boundary_kind kind)
{
#define BOUNDARY(name)    \
    case BOUNDARY_##name: \
        return #name;
    switch (kind) {
        SIM_BOUNDARIES(BOUNDARY)
    case BOUNDARY_COUNT:
        break;
    }
#undef BOUNDARY
    return NULL;
}

SCREE_BOTH void boundary_surface(const sim_boundary* b, const double x[3], boundary_point* out)
{
#define BOUNDARY(name)                        \
    case BOUNDARY_##name:                     \
        boundary_##name##_surface(b, x, out); \
        return;
    switch ((boundary_kind)b->kind) {
        SIM_BOUNDARIES(BOUNDARY)
    case BOUNDARY_COUNT:
        break;
    }
#undef BOUNDARY
    *out = (boundary_point){.inside = INFINITY};
}

static inline scree_status boundary_check(const sim_boundary* b, int dim)
{
#define BOUNDARY(name)    \
    case BOUNDARY_##name: \
        return boundary_##name##_check(b, dim);
    switch ((boundary_kind)b->kind) {
        SIM_BOUNDARIES(BOUNDARY)
    case BOUNDARY_COUNT:
        break;
    }
#undef BOUNDARY
    return SCREE_OK;
}

#endif
