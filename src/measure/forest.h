// Spheres that are connected, by union-find. On periodic axes every sphere also knows by how many boxes it is away from the root of its tree, along the pairs that joined them: a pair within
// a tree closes a loop; if the images do not come out even, the loop winds around the box.
#ifndef SCREE_MEASURE_FOREST_H
#define SCREE_MEASURE_FOREST_H

#include "scree/base.h"

typedef struct forest {
    int32_t* parent;
    int32_t (*away)[3];  // boxes from the parent
    uint8_t* faces;      // of a root: bit 2 k + side, the cluster touches that wall
    uint8_t* winds;      // of a root: bit k
} forest;

scree_status forest_make(int32_t n, forest* out);  // every sphere by itself. MEMORY; to be freed after a failure too
void forest_free(forest* f);
int32_t forest_root(const forest* f, int32_t i);   // the first sphere of its tree
void forest_join(const forest* f, int32_t i, int32_t j, const int8_t* shift);  // shift NULL: the same image
void forest_touch(const forest* f, int32_t i, int face);  // the tree of i touches wall number `face`

#endif
