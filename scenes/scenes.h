// Named systems of spheres, each built from a seed, shared by the program, tests, benchmarks and examples. Sees the
// public headers only.
//
//     scene_params params = scene_default_params();
//     params.count = 1000;
//     scree_sphere_set set;
//     scene_make("cloud", &params, &set);
#ifndef SCENES_H
#define SCENES_H

#include "scree/geom.h"
#include "scree/sizes.h"

typedef struct scene_params {
    int32_t dim;
    int32_t count;      // some scenes round it down to what their pattern allows
    double ratio;       // r_max / r_min of a uniform-volume distribution from 1; 1: equal spheres
    bool periodic[3];
    uint64_t seed;
} scene_params;

scene_params scene_default_params(void);  // 1000 equal spheres in 3D, walls, seed 1

typedef struct scene {
    const char* name;
    const char* about;
    scree_status (*make)(const scene_params* params, scree_sphere_set* out);
} scene;

extern const scene scene_table[];
extern const int scene_count;

// The set carries its box and is the caller's. ARGUMENT: no such scene; MEMORY.
scree_status scene_make(const char* name, const scene_params* params, scree_sphere_set* out);

// Gives the set the cube from 0, with walls, of which its spheres take up the share `density`; side 1 if they have no volume.
// ARGUMENT: a density that is not between 0 and 1, or one at which the cube is smaller than a sphere.
scree_status scene_set_cube(scree_sphere_set* set, double density);

#endif
