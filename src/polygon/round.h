// Rounded polygons: the outline with its sides moved inwards by r (the core), swept by a disc of radius r. Sides stay
// where they were drawn, convex corners are rounded, concave ones stay sharp.
//
//           P drawn                 t    turning angle of the corner, h = t / 2
//           /\                      C    vertex of the core, r / cos h from P on the bisector
//        T1/..\T2     T: where the  lost: the two triangles C T P without the sector, (tan h - h) r^2
//         / \C/ \     arc begins
//
// The core of an outline is taken at most halfway to the offset at which its first side vanishes, or a concave corner
// meets another side.
#ifndef SCREE_POLYGON_ROUND_H
#define SCREE_POLYGON_ROUND_H

#include "polygon/edges.h"

// An outline without vertices on straight sides, counter-clockwise.
typedef struct round_outline {
    int32_t n;
    double (*p)[2];     // n
    int32_t* number;    // n: of the vertex as it was given
    double equal;       // radius of the circle of equal area
    double most;        // largest radius of corners that this outline allows, if it is below rounding * equal; else at
                        // least that
    scree_polygon_numbers sharp;
} round_outline;

// The polygon must be simple. `rounding`: the wanted radius of corners in units of `equal`; limits above it are not
// searched for. MEMORY, CANCELLED. ARGUMENT: fewer than three corners.
scree_status round_open(scree_polygon polygon, double rounding, polygon_watch* watch, round_outline* out);
void round_close(round_outline* outline);

typedef struct round_core {
    edge_tree tree;         // about the centre of mass of the rounded outline, or as drawn
    int32_t* number;        // tree.n: of the vertex as it was given
    double (*outline)[2];   // the rounded outline with arcs as chords
    int32_t outline_count;
    double r;
    double wanted;          // radius without the limit of the outline
    scree_polygon_rounded numbers;
} round_core;

// CANCELLED, MEMORY: nothing is held.
scree_status round_core_make(const round_outline* outline, double r, bool as_drawn, polygon_watch* watch, round_core* out);
void round_core_free(round_core* core);
size_t round_core_bytes(const round_core* core);

#endif
