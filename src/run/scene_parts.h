// What a scene comes to for the def of a simulation, part by part. scree_scene_setup_create (setup.c) puts them together for programs, run/simulation.c for runs.
#ifndef SCREE_RUN_SCENE_PARTS_H
#define SCREE_RUN_SCENE_PARTS_H

#include "scene/content.h"
#include "scree/run.h"

// Properties of the single spheres of a scene, for the def of a simulation; arrays are NULL where all spheres are alike. `set` is from scree_scene_make_spheres.
// ARGUMENT: a set without the groups of the scene; MEMORY. UNSUPPORTED: a scene with start_run that does not know the groups of that run.
typedef struct scree_scene_each {
    scree_sim_each each;      // for def.each; the arrays are its own
    double material_density;  // for def.material_density
} scree_scene_each;

scree_status scree_scene_make_each(const scree_scene* scene, const scree_sphere_set* set, scree_scene_each* out);
void scree_scene_each_free(scree_scene_each* each);  // and empties it; NULL or an empty one is fine

// The bonds of a scene, for the def of a simulation: kinds, and the pairs that files list. IO, FORMAT: an unreadable file; MEMORY.
typedef struct scree_scene_bonds {
    scree_sim_bonds_def bonds;  // for def.bonds, if kind_count is not 0; the arrays are its own
    int64_t ij_capacity, kind_capacity;
} scree_scene_bonds;

scree_status scree_scene_make_bonds(const scree_scene* scene, const scree_sphere_set* set, scree_scene_bonds* out);
void scree_scene_bonds_free(scree_scene_bonds* bonds);  // and empties it; NULL or an empty one is fine

// The surfaces of a scene, for the def of a simulation: meshes are read from their files. IO, FORMAT: an unreadable file; ARGUMENT, MEMORY.
typedef struct scree_scene_shapes {
    int32_t count;
    scree_sim_boundary* boundaries;  // for def.boundaries; what they point to is its own, and must outlive the simulation
    scree_exact* exact;
    scree_surface** surfaces;        // NULL where it is no mesh
} scree_scene_shapes;

scree_status scree_scene_make_shapes(const scree_scene* scene, scree_scene_shapes* out);
void scree_scene_shapes_free(scree_scene_shapes* shapes);  // and empties it; NULL or an empty one is fine

#endif
