// Connected spheres, by union-find. On periodic axes each sphere stores its image relative to the root of its tree,
// summed along the pairs that joined them. A further pair within a tree closes a loop; if the sum of images along the
// loop is not 0, the loop winds around the box.
#ifndef SCREE_MEASURE_FOREST_H
#define SCREE_MEASURE_FOREST_H

#include "scree/base.h"

typedef struct forest {
    int32_t* parent;
    int32_t (*away)[3];  // image relative to the parent, in boxes
    uint8_t* faces;      // of a root: bit 2 k + side, the cluster touches that wall
    uint8_t* winds;      // of a root: bit k
} forest;

scree_status forest_make(int32_t n, forest* out);  // every sphere by itself. MEMORY; to be freed after a failure too
void forest_free(forest* f);
int32_t forest_root(const forest* f, int32_t i);   // the first sphere of its tree
void forest_join(const forest* f, int32_t i, int32_t j, const int8_t* shift);  // shift NULL: the same image
void forest_touch(const forest* f, int32_t i, int face);  // the tree of i touches wall number `face`

#endif
