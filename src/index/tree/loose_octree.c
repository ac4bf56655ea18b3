// loose-octree: an octree whose nodes reach beyond their cells. A node of side s owns the spheres whose centre lies in
// its cell and that fit into its outer cube, k times as long about the same centre (k = 2 unless def.loose_factor says
// otherwise).
//
//     +- - - - - - -+   The sphere o is cut by the border of its cell, and in a strict octree it would have to climb
//     |  +-------+  |   until no border cuts it. Here it may stick out by (k - 1) s/2 on each side: every sphere of
//     |  |       o  |   diameter d <= (k - 1) s fits, wherever its centre lies. So its level follows from its size
//     |  |       |  |   alone,
//     |  +-------+  |       level = floor(log2((k - 1) s0/d)),
//     +- - - - - - -+   and its node from its centre: no sphere stays at a high level because of its position.
//
// A sphere in the middle of a cell may fit into the next smaller cube as well; then it goes there, one level deeper.
//
// Search: walk from the root into every node whose outer cube meets the ball (with the gap around it). The outer cubes
// of children never stick out of their parent's, so a branch that is missed at its top is missed whole; this holds for
// any k > 1.
//
// Cost: build O(n), search O(n log(size ratio)): some (2 + d/s)^dim nodes on each level, all but a few missed at their
// parents. One by one: insertion, removal and a move touch a bounded number of nodes, whatever the depth (nodes_table.h). Memory O(n): at
// most 2 n + 1 nodes.
// The wrong choice for all pairs of many spheres at once, where the hierarchical grid does the same with longer
// stretches and free ratios between its levels; and where one sphere strays so far that thirty halvings of the root do not
// reach the size of the others. The right one where spheres move one at a time. k below 1.5 keeps spheres too high, above 3
// makes outer cubes overlap too much.
// S. Raschdorf, M. Kolonko, "Loose octree: a data structure for the simulation of polydisperse particle packings", 2009.
// (The paper has the ceiling in place of the floor above; its own inequality gives the floor.)
//
// Nodes, order and search are nodes.h's.
#include "index/tree/nodes.h"

static void* create(void)
{
    return nodes_create(true);
}

const method_table loose_octree_method = {.name = "loose-octree", .create = create, NODES_REST};
