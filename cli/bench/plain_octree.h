// The octrees of S. Raschdorf and M. Kolonko by their definitions, sphere by sphere, and what a random position makes of them: references for the library's octrees, which
// share no code with these. In a periodic cube.
#ifndef CLI_BENCH_PLAIN_OCTREE_H
#define CLI_BENCH_PLAIN_OCTREE_H

#include "scree/geom.h"

enum { plain_octree_levels = 31 };

typedef struct plain_node {
    int level;
    double low[3], side;  // its cell
} plain_node;

// The node that stores a sphere: the smallest cell that holds it whole, where the faces of the cube do not count; or, loose, the smallest cell that holds its centre and whose
// outer cube, twice as long, holds it whole.
plain_node plain_octree_node(const scree_box* cube, bool loose, const double x[3], double r);

// How many spheres other than i are stored in nodes that sphere i, with `gap` around it, or an image of it meets; the root counts always. `nodes`: of all spheres.
int64_t plain_octree_around(scree_spheres spheres, const scree_box* cube, const plain_node* nodes, bool loose, double gap, int32_t i);

// How many spheres other than i are in the cell of i's centre and the 26 next to it; cells at least `cell` long.
int64_t plain_cells_around(scree_spheres spheres, const scree_box* cube, double cell, int32_t i);

// The probability that a sphere of diameter d, anywhere in a cube of side s, is stored on this level. Strict: it must not be cut by one of the 2^l - 1 planes
// between the cells of level l, each of which cuts the part d/s of an axis: (1 - (2^l - 1) d/s)^3 of all spheres no longer than the cells are on level l or deeper. Loose: the level is floor(log2(s/d)), or
// one more if the centre lies well within the child: on each axis with the probability 2 - d/(side of the child).
double plain_octree_share(double s, double d, bool loose, int level);

#endif
