// linked-cells: one grid whose cells are at least as long as the longest reach, so that partners sit in the same cell or
// in one next to it.
//
//        +---+---+---+      Each pair of cells is looked at once: a sphere takes the rest of its own cell and the cells
//        | x | x | x |      marked x, half of the neighbours: with its own, (3^d + 1)/2 cells.
//        +---+---+---+
//        |   | o | x |      Spheres are kept as copies in the order of their cells, so that three cells in a row are one
//        +---+---+---+      stretch of memory and not lists of links.
//        |   |   |   |
//        +---+---+---+
//
// Periodic axes: neighbours are counted on the endless line of cells and folded back; what the folding skipped is the
// shift of the image. So an axis of one or two cells needs no special case: the same cell comes up again with another
// shift, which is another image. Where even one cell is shorter than the reach (a gap of the order of the box), more
// than one layer of neighbours is taken.
//
// Cost: build O(n), search n times (3^d/2) spheres per cell. Memory O(n): there are never more than a few cells per sphere;
// beyond that cells just become longer than they need to be. The wrong choice when sizes differ much: cells as long as the
// largest sphere hold (r_max/r_min)^d small ones, all tested against each other.
// B. Muth, M.-K. Mueller, P. Eberhard, S. Luding, "Contacts between many bodies", section 2.
//
// The grid itself is grid.c's, with one level.
#include "index/grid.h"

static scree_status prepare(void* self, const items* it)
{
    grid* g = self;
    grid_plan_make(&g->next, it, 1, &it->r_max);
    return grid_reserve(g, it);
}

const method_table linked_cells_method = {.name = "linked-cells",
                                          .create = grid_create,
                                          .prepare = prepare,
                                          .build = grid_build,
                                          .chunks = grid_chunks,
                                          .pairs = grid_pairs,
                                          .levels = grid_levels,
                                          .bytes = grid_bytes,
                                          .validate = grid_validate,
                                          .destroy = grid_destroy};
