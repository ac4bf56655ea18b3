// What the files share that make a surface and ask it: surface.c (welding, numbering, report), surface_tree.c (search),
// surface_winding.c.
#ifndef SCREE_GEOM_SURFACE_INNER_H
#define SCREE_GEOM_SURFACE_INNER_H

#include "geom/surface_data.h"

// surface_tree.c: builds the tree over all triangles. MEMORY. The report's `bytes` are counted afterwards.
scree_status surface_tree_build(scree_surface* s);

// surface_winding.c: on which side of the line from a to b the point q lies, in the (y, z) plane, exactly: 1 left, -1
// right; 0: a and b are one point there. q is moved by (e, e^2), with e smaller than any number, so it is never on the
// line.
int surface_side(const double a[3], const double b[3], const double q[3]);

// surface_split.c: T-junctions. Splits open edges where vertices lie on them, with their triangles (MEMORY). `on_edge`
// is of each vertex, 0 at first: the vertices that are on an edge are marked and counted. If *points is above 0, pieces
// may be there twice, and edges, edges of vertices and the tree are out of date. What stays open goes into the report.
scree_status surface_split_edges(scree_surface* s, uint8_t* on_edge, int64_t* points);
scree_status surface_find_faults(scree_surface* s);

#endif
