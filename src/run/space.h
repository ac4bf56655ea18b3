// Regions of a scene as parts of space.
#ifndef SCREE_RUN_SPACE_H
#define SCREE_RUN_SPACE_H

#include "scene/content.h"
#include "scree/surface.h"

// A region, ready for questions. A mesh is read from its file.
typedef struct scene_space {
    scree_scene_region region;  // its normal has length 1; texts stay the scene's
    double axis[3], length;     // of a cylinder; the axis has length 1
    int32_t dim;
    scree_surface* mesh;        // NULL: none
    double lower[3], upper[3];  // that hold it; infinite of half-spaces
} scene_space;

scree_status scree_space_open(const scree_scene_region* region, int32_t dim, scene_space* out);  // IO, FORMAT, ARGUMENT: the mesh; MEMORY
void scree_space_close(scene_space* space);
bool scree_space_has(const scene_space* space, const double* x);              // a point, dim numbers
bool scree_space_holds(const scene_space* space, const double* x, double r);  // a sphere as a whole
double scree_space_volume(const scene_space* space);                          // INFINITY: of a half-space
void scree_space_draw(const scene_space* space, double r, scree_rng* rng, double* x);  // a centre, evenly over a box that holds all where a sphere of this radius can be

#endif
