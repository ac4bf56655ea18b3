// auto: the method with the least predicted work for this set. Counted work, not time, so that the choice is the same on
// every machine and every run. The unit is one exact test.
#include "index/method.h"

#include <math.h>

// Putting one sphere into its cell, in tests.
static const double sort_cost = 10.0;
// Looking into the rows of one sphere's neighbours, in tests: what cells cost even if they are empty.
static const double rows_cost = 25.0;
// A single grid with more tests per sphere than this is worth cutting into levels. Below it the two do the same.
static const double most_tests = 60.0;

static double all_pairs_tests(const items* it)
{
    double images = 1.0;
    for (int k = 0; k < 3; ++k)
        images *= 1.0 + 2.0 * items_images(it, k);
    return 0.5 * it->n * images;
}

// Per sphere, if they were spread evenly.
static double linked_cells_tests(const items* it)
{
    double neighbours = 1.0, cells = 1.0;
    for (int k = 0; k < it->dim; ++k) {
        double count = fmax(1.0, floor(it->length[k] / items_safe_reach(it, k)));
        neighbours *= it->periodic[k] ? 3.0 : 3.0 - 2.0 / count;  // at walls there is nobody beyond
        cells *= count;
    }
    return 0.5 * neighbours * it->n / fmin(cells, 4.0 * it->n + 1.0);
}

scree_method method_choose(const items* it)
{
    if (items_reach(it) <= 0.0)
        return SCREE_METHOD_LINKED_CELLS;  // there are no pairs, and this method sees it at once
    double cells = linked_cells_tests(it);
    if (all_pairs_tests(it) <= sort_cost + rows_cost + fmin(cells, most_tests))
        return SCREE_METHOD_ALL_PAIRS;
    return it->r_max > it->r_min && cells > most_tests ? SCREE_METHOD_HIERARCHICAL_GRID : SCREE_METHOD_LINKED_CELLS;
}

// One by one, a query of all spheres costs n tests, one of a grid looks into some ten cells; several levels pay where sizes differ.
scree_method method_choose_one(const items* it)
{
    if (it->n < 16)
        return SCREE_METHOD_ALL_PAIRS;
    return it->r_max > 1.5 * it->r_min ? SCREE_METHOD_HIERARCHICAL_GRID : SCREE_METHOD_LINKED_CELLS;
}
