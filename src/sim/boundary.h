// Boundaries, as a table: what spheres cannot pass. A kind of boundary is one header, boundary_NAME.h, and one entry of SIM_BOUNDARIES (boundaries.h). The
// header has
//
//     static inline void boundary_NAME_surface(const sim_boundary* b, const double x[3], boundary_point* out);
//     static inline scree_status boundary_NAME_check(const sim_boundary* b, int dim);    // ARGUMENT, without a place
//
// Boundary 0 to 5 are the faces of the box, lower before upper on each axis, whether it has walls there or not; then come the round wall of the
// container, if it has one, and those that were given with the simulation. A sphere has at most one contact with each, but for exact shapes and meshes (surfaces.h).
//
// A boundary moves with a velocity and turns with a spin about its point `at`, from where it was at a step and the steps since, not added up: the same at any
// time however one came to it.
#ifndef SCREE_SIM_BOUNDARY_H
#define SCREE_SIM_BOUNDARY_H

#include "base/both.h"
#include "scree/sim.h"

#include <math.h>

enum { boundary_faces = 6, boundary_name_room = 32 };

typedef struct sim_boundary {
    int32_t kind;        // number in SIM_BOUNDARIES
    uint16_t material;
    bool present;        // else no sphere can touch it
    double sign;         // 1: spheres are inside; -1: outside. A face: 1 lower, -1 upper
    double at[3];        // a point of it, or its middle, at the step `since`, or now
    double axis[3];      // direction, of length 1
    double radius;
    double velocity[3], spin[3];
    int64_t since;
    // Exact shapes and meshes (surfaces.h).
    const struct sim_shape* shape;  // NULL: it is neither
    double turn[3][3];              // from its own axes to the axes of the box, at `since` or now
    double turn_half[3][3];         // half a step before now
    bool turned;                    // else both are the identity
    double speed;                   // the largest of its points; only now
    bool removes;                   // what passes through it; else that is an error
} sim_boundary;

// The surface as a sphere sees it.
typedef struct boundary_point {
    double inside;  // distance of the centre from it; below 0: the centre is beyond it
    double n[3];    // normal, from the surface to the centre of a sphere that has not passed it; length 1
} boundary_point;

// boundary.c: the boundaries of a box or container at rest: its faces, and the round wall if it has one. Returns how many; there is room for boundary_faces + 1.
int32_t boundaries_of_container(const scree_container* container, uint16_t material, sim_boundary* out);
bool boundary_is_wall(const scree_container* container, int face);  // whether there is a wall: not on axes along which the container is round
const char* boundary_title(const sim_boundary* b, int32_t number, char room[boundary_name_room]);  // "lower x", "cylinder 6"

void boundary_keep_turn(const sim_boundary* now, sim_boundary* to);

// Of the surface where a sphere at x touches it: `reach` from x against the normal.
SCREE_BOTH void boundary_velocity(const sim_boundary* b, const double x[3], const double n[3], double reach, double out[3])
{
    double arm[3] = {(x[0] - reach * n[0]) - b->at[0], (x[1] - reach * n[1]) - b->at[1], (x[2] - reach * n[2]) - b->at[2]};
    for (int k = 0; k < 3; ++k) {
        int l = (k + 1) % 3, m = (k + 2) % 3;
        out[k] = b->velocity[k] + (b->spin[l] * arm[m] - b->spin[m] * arm[l]);
    }
}

#endif
