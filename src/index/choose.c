// auto: the method with the least predicted work for this set. Counted work, not time, so that the choice is the same on
// every machine and every run. The unit is one exact test.
#include "index/method.h"

#include <math.h>

// What one cell costs to look into, in exact tests: the K of Ogarko and Luding, 0.2 to 0.45 on their machines.
static const double cell_cost = 0.3;
// What it costs to put one sphere into its cell.
static const double sort_cost = 4.0;

static double all_pairs_cost(const items* it)
{
    double images = 1.0;
    for (int k = 0; k < 3; ++k)
        images *= 1.0 + 2.0 * items_images(it, k);
    return 0.5 * it->n * (double)it->n * images;
}

// If the spheres were spread evenly.
static double linked_cells_cost(const items* it)
{
    double neighbours = 1.0, cells = 1.0;
    for (int k = 0; k < it->dim; ++k) {
        double count = fmax(1.0, floor(it->length[k] / items_safe_reach(it, k)));
        neighbours *= it->periodic[k] || count > 1.0 ? 3.0 : 1.0;
        cells *= count;
    }
    cells = fmin(cells, (double)it->n + 8.0);
    double occupied = fmin(cells, it->n);
    return sort_cost * it->n + 0.5 * neighbours * (it->n * (it->n / cells) + cell_cost * occupied);
}

scree_method method_choose(const items* it)
{
    if (items_reach(it) <= 0.0)
        return SCREE_METHOD_LINKED_CELLS;  // there are no pairs, and this method sees it at once
    return all_pairs_cost(it) <= linked_cells_cost(it) ? SCREE_METHOD_ALL_PAIRS : SCREE_METHOD_LINKED_CELLS;
}
