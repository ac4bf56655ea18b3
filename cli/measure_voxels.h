// The part of scree measure that is about space: voxel images and porosity profiles.
#ifndef CLI_MEASURE_VOXELS_H
#define CLI_MEASURE_VOXELS_H

#include "common.h"

#include "scree/measure.h"

typedef struct voxels_wishes {
    bool voxels, porosity;
    scree_voxels_def grid;
    int grid_axes;  // numbers that --voxels has
    scree_porosity_def profile;
} voxels_wishes;

typedef struct voxels_found {
    scree_voxels voxels;
    scree_porosity porosity;
} voxels_found;

bool voxels_wishes_of(const arguments* args, const common* co, voxels_wishes* out);  // prints what is wrong and returns false

// What was found is to be freed, after a failure too.
scree_status voxels_measure(const voxels_wishes* wishes, const common* co, const scree_measure_def* def, scree_spheres spheres, voxels_found* out);
scree_status voxels_write(const common* co, const voxels_found* found);  // PREFIX-voxels.vti and PREFIX-voxels.npy
void voxels_tell(result* res, const voxels_found* found);
void voxels_free(voxels_found* found);

const char* porosity_name_at(int k);

#endif
