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
// Periodic axes: neighbours are counted on the unbounded line of cells and folded back; what the folding skipped is the
// shift of the image. So an axis of one or two cells needs no special case: the same cell comes up again with another
// shift, which is another image. Where even one cell is shorter than the reach (a gap of the order of the box), more
// than one layer of neighbours is taken.
//
// Cost: build O(n), search n times (3^d/2) spheres per cell. Cells are as short as the reach allows, because every longer one holds
// more to test. Memory O(n): where that would make more than a few cells per sphere, they become longer, or, if the spheres
// crowd in a small part of their box, only occupied rows of cells are kept. The wrong choice when sizes differ much: cells
// as long as the largest sphere hold (r_max/r_min)^d small ones, all tested against each other. Cells need not be cubes: sides can be given for each axis,
// none of them shorter than the reach.
// B. Muth, M.-K. Mueller, P. Eberhard, S. Luding, "Contacts between many bodies", section 2.
//
// The grid itself is grid.c's, with one level.
#include "index/grid/grid_hash.h"

// As fixed by hand, cubes or not; 0: not at all.
static double side_of(const items* it, int k)
{
    return it->def->cell_sides[0] > 0.0 ? it->def->cell_sides[k] : it->def->cell_size;
}

static scree_status cut(void* self, const items* it, const crowding* crowd, grid_wish* wish)
{
    (void)self;
    (void)crowd;
    *wish = (grid_wish){.levels = 1, .as_said = side_of(it, 0) > 0.0};
    wish->r_max[0] = wish->largest[0] = it->r_max;
    for (int k = 0; k < 3; ++k)
        wish->side[0][k] = side_of(it, k);
    wish->spheres[0] = it->n;
    return SCREE_OK;
}

static scree_status prepare(void* self, const items* it)
{
    grid* g = self;
    for (int k = 0; k < it->dim; ++k)
        if (side_of(it, k) > 0.0 && side_of(it, k) < items_reach(it)) {
            const char along[2] = {"xyz"[k], '\0'};
            bool cubes = it->def->cell_size > 0.0;
            return scree_fail(SCREE_ERR_ARGUMENT, "linked-cells: a cell %s%s of %g would lose pairs: radii go up to %g, with a gap of %g; expected at least %g",
                              cubes ? "size" : "side along ", cubes ? "" : along, side_of(it, k), it->r_max, it->gap, items_reach(it));
        }
    crowding crowd = crowding_of(it);
    grid_wish wish;
    cut(self, it, &crowd, &wish);
    grid_plan_make(&g->next, it, &wish, &crowd);
    return grid_reserve(g, it);
}

// One by one: the same cells. A sphere larger than all before makes them longer, which means all spheres again.
static scree_status open(void* self, const items* it)
{
    return grid_open(self, it, cut, false);
}

const method_table linked_cells_method = {.name = "linked-cells",
                                          .scratch = sizeof(grid_record),
                                          .create = grid_create,
                                          .prepare = prepare,
                                          .build = grid_build,
                                          .chunks = grid_chunks,
                                          .pairs = grid_pairs,
                                          .levels = grid_levels,
                                          .bytes = grid_bytes,
                                          .validate = grid_validate,
                                          .destroy = grid_destroy,
                                          .open = open,
                                          .insert = grid_insert,
                                          .remove = grid_remove,
                                          .move = grid_move,
                                          .near = grid_near,
                                          .check = grid_check,
                                          .around = grid_around,
                                          .changes = grid_changes};
