// A tree over the centres: each node halves its spheres along its longest side and knows the box of its centres and its
// largest radius. It answers what a grid cannot without knowing the answer: how far is the nearest surface; and it does
// not mind clusters. Nodes are numbered as in a heap: 1 is the root, 2v and 2v + 1 the halves of v, so that the spheres of a
// node follow from its number. Build O(n log n), memory O(n).
#ifndef SCREE_MEASURE_TREE_H
#define SCREE_MEASURE_TREE_H

#include "measure/measured.h"

typedef struct measure_node {
    double lower[3], upper[3];  // of the centres
    double r_max;
} measure_node;

typedef struct measure_tree {
    int32_t n;
    int depth;            // the leaves are the nodes 2^depth .. 2^(depth+1) - 1
    double (*xr)[4];      // the spheres in the order of the leaves ...
    int32_t* id;          // ... and who they are
    measure_node* nodes;  // [0] is not used
    double slack;         // more than all rounding between a node's distance and that of a sphere in it
} measure_tree;

enum { tree_stack = 64 };  // more nodes than ever wait to be visited: one per level

// A part of the work, as the caller's watch sees it.
typedef struct measure_part {
    const scree_watch* whole;
    double from, to;
} measure_part;

scree_watch measure_part_watch(measure_part* part);  // valid as long as the part

// MEMORY, CANCELLED; nothing to free then.
scree_status measure_tree_make(const measured* m, const scree_watch* watch, measure_tree* out);
void measure_tree_free(measure_tree* tree);

// The spheres of node v are at the positions first .. last-1; v lies `level` below the root.
static inline int64_t tree_first(const measure_tree* tree, int64_t v, int level)
{
    return (int64_t)tree->n * (v - ((int64_t)1 << level)) >> level;
}

static inline int64_t tree_last(const measure_tree* tree, int64_t v, int level)
{
    return (int64_t)tree->n * (v + 1 - ((int64_t)1 << level)) >> level;
}

// Square of the distance from a point to the box of a node's centres.
static inline double node_square(const measure_node* node, const double q[3])
{
    double sum = 0.0;
    for (int k = 0; k < 3; ++k) {
        double below = node->lower[k] - q[k], above = q[k] - node->upper[k];
        double out = below > above ? below : above;
        sum += out > 0.0 ? out * out : 0.0;
    }
    return sum;
}

#endif
