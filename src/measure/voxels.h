// Voxels of a set that has been prepared: for scree_measure_voxels, and for slabs of a porosity profile.
#ifndef SCREE_MEASURE_VOXELS_H
#define SCREE_MEASURE_VOXELS_H

#include "measure/measured.h"

// Whether images of spheres can be listed one by one: ARGUMENT if a sphere is longer than 16 periodic boxes.
scree_status voxels_check_images(const measured* m, const char* what);

// out: dim, cells, lower and size are set; what was made is to be freed, after a failure too. MEMORY, CANCELLED.
scree_status voxels_of(const measured* m, bool labels, bool fractions, scree_voxels* out);

#endif
