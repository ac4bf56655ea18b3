// What a surface of triangles holds. Besides the files that make it, devices read it: all pointers of a copy lead to their memory.
#ifndef SCREE_GEOM_SURFACE_DATA_H
#define SCREE_GEOM_SURFACE_DATA_H

#include "scree/surface.h"

// A node of the search tree, in depth-first order: the first child of an inner node comes right behind it.
typedef struct surface_node {
    double lower[3], upper[3];  // of all triangles below it, exact
    int32_t at;                 // leaf: its first triangle in `order`; else the second child
    int32_t count;              // triangles of a leaf; 0: an inner node
} surface_node;

enum { surface_leaf = 4, surface_depth = 64 };  // most triangles of a leaf; most nodes on the way to one

struct scree_surface {
    scree_surface_def def;
    scree_surface_report report;
    double grain;        // coordinates are not known better than this: some roundings of the largest
    int32_t triangles, edges, vertices, dropped;
    double (*vertex)[3];
    int32_t (*triangle)[3];
    int32_t (*side)[3];
    int32_t (*edge)[2];
    double (*normal)[3];
    double (*vertex_normal)[3];  // normals of its triangles, weighted by their angles there: tells front from back (Baerentzen and Aanaes 2005)
    int32_t *edge_start, *edge_triangle, *vertex_start, *vertex_edge;
    uint8_t* pinched;            // of each vertex: triangles meet there that no edges join there
    int32_t *source, *dropped_source, *dropped_for;
    int32_t nodes;
    surface_node* node;
    int32_t* order;              // triangles, leaf by leaf
};

#endif
