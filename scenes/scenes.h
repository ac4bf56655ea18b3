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
    double ratio;       // r_max / r_min of a uniform-volume law from 1; 1: equal spheres
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

// Random sequential addition: the given radii, largest first, at random places of a cube in which they take up the
// share `density`, none overlapping. The set is in the order of the radii given. Fails with ARGUMENT, naming the sphere,
// if one finds no place in `tries` attempts.
typedef struct addition_def {
    int32_t dim;
    int32_t count;
    const double* r;
    double density;
    bool periodic[3];
    uint64_t seed;
    int64_t tries;      // per sphere
    scree_watch watch;
} addition_def;

addition_def scene_default_addition(void);
scree_status scene_random_addition(const addition_def* def, scree_sphere_set* out);

#endif
