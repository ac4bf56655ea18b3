// octree: a cube, its eight octants (four quadrants in 2D), theirs, and so on. Each sphere lives in the smallest of
// these cells that holds it whole.
//
//     +-------+---+---+   a, b and c are small enough for the smallest cells, and each lives in one. d is as small,
//     |       | a |   |   but a mid plane of the whole square cuts it: it stays in the root.
//     |       +---+---+
//     |       | b | c |   Who touches the ball of a sphere? Walk from the root into every cell that the ball meets,
//     +-------d---+---+   with the gap around it: own branch, ancestors, and the adjacent cells. (The paper looks at
//     |       |       |   the own branch only, which is right at gap 0 and loses pairs at any larger one.)
//     |       |       |
//     |       |       |
//     +-------+-------+
//
// Cost: build O(n). Its weakness are the spheres that mid planes cut: about 6 r/s0 of all spheres of radius r stay in
// the root of a cube of side s0, and every query tests all of them: of the order of n^(2/3) tests for the
// neighbours of one among n equal spheres. All pairs at once cost less, because those high up look down and go only
// where their ball goes: left are the pairs among those that are cut together, of the order of n^(1/3) per sphere.
// Memory O(n): at most 2 n + 1 nodes.
// The wrong choice always: it is the tree to compare the loose octree with, which mends just this.
// S. Raschdorf, M. Kolonko, "Loose octree: a data structure for the simulation of polydisperse particle packings", 2009.
// (There a sphere is inserted by a way down from the root. Here its node follows from the leading bits that its two ends share.)
//
// Nodes, order and search are nodes.h's; a strict octree is one whose outer cubes are its cells.
#include "index/tree/nodes.h"

static void* create(void)
{
    return nodes_create(false);
}

const method_table octree_method = {.name = "octree", .create = create, NODES_REST};
