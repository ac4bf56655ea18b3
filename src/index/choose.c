// auto: the method with the least predicted work for this set. Work is counted, with fixed weights, and never timed: so the choice
// is the same on every machine, in every run and on any number of threads. The unit is one exact test of a grid.
//
//     work = n * per_sphere + tests * per_test + (box tests + swaps) * per_box + cells * per_cell
//
// What a method counts is weighed by its own weights: a test of the grids is an eighth of an instruction's, one of the trees waits for
// memory. They were fitted to `scree bench methods` and need to be right to some tens of per cent only: where two methods come close it
// does not matter which is taken.
#include "index/choose.h"

#include <math.h>

typedef struct weights {
    double per_sphere, per_test, per_box, per_cell;
} weights;

static const weights weigh[SCREE_METHOD_COUNT] = {
    [SCREE_METHOD_ALL_PAIRS] = {0.0, 2.5, 0.0, 0.0},
    [SCREE_METHOD_VERLET_LIST] = {20.0, 2.5, 0.0, 0.0},
    [SCREE_METHOD_LINKED_CELLS] = {56.0, 0.6, 1.0, 1.25},
    [SCREE_METHOD_LINEAR_LIST] = {350.0, 2.5, 1.1, 0.0},
    [SCREE_METHOD_OCTREE] = {20.0, 2.5, 0.0, 60.0},
    [SCREE_METHOD_LOOSE_OCTREE] = {20.0, 2.5, 0.0, 32.0},
    [SCREE_METHOD_HIERARCHICAL_GRID] = {60.0, 0.6, 1.0, 2.5},
};

double method_work(scree_method method, double n, double tests, double boxes, double cells)
{
    const weights* w = &weigh[method];
    return n * w->per_sphere + tests * w->per_test + boxes * w->per_box + cells * w->per_cell;
}

// Companions of a sphere in cells as long as the longest reach, or as long as few enough cells are.
static double companions(const items* it, const crowding* crowd)
{
    double side = 0.0, volume = 1.0;
    for (int k = 0; k < it->dim; ++k) {
        side = fmax(side, items_safe_reach(it, k));
        volume *= fmax(crowd->length[k], side);
    }
    double shortest = crowd->crowded ? 0.0 : pow(volume / (4.0 * it->n + 64.0), 1.0 / it->dim);
    return fmin(crowding_companions(crowd, fmax(side, shortest)), it->n);
}

// Copies of the box that a sphere looks at, its own included: on a periodic axis one more on either side, but only for the share reach / length of the
// spheres, which are near that face. Spheres are taken to be spread evenly.
static double copies(const items* it)
{
    double product = 1.0;
    for (int k = 0; k < it->dim; ++k)
        if (it->periodic[k])
            product *= 1.0 + 2.0 * items_safe_reach(it, k) / it->length[k];
    return product;
}

// Little costs more than a few spheres: laying out cells, classes of sizes, nodes.
static void add_fixed_costs(double work[SCREE_METHOD_COUNT])
{
    for (int m = SCREE_METHOD_VERLET_LIST; m < SCREE_METHOD_COUNT; ++m)
        work[m] += m == SCREE_METHOD_HIERARCHICAL_GRID ? 8000.0 : 2500.0;
}

// What does not search tilted boxes is never chosen for one.
static void leave_out_tilted(const items* it, double work[SCREE_METHOD_COUNT])
{
    for (int m = 1; m < SCREE_METHOD_COUNT && it->tilted; ++m)
        if (!method_find((scree_method)m)->tilted)
            work[m] = INFINITY;
}

void method_forecast(const items* it, const crowding* crowd, double work[SCREE_METHOD_COUNT])
{
    double n = it->n, images = copies(it), stencil = 0.5, near_cells = 1.0;
    for (int m = 0; m < SCREE_METHOD_COUNT; ++m)
        work[m] = 0.0;
    if (it->n == 0)
        add_fixed_costs(work);
    leave_out_tilted(it, work);
    if (it->n == 0 || items_reach(it) <= 0.0)
        return;
    for (int k = 0; k < it->dim; ++k) {
        double count = fmax(1.0, floor(crowd->length[k] / items_safe_reach(it, k)));
        stencil *= it->periodic[k] ? 3.0 : 3.0 - 2.0 / count;  // no spheres beyond walls
        near_cells *= 3.0;
    }
    double one_grid = fmin(stencil * companions(it, crowd), 0.5 * n * images), cells = 0.5 * (near_cells + 1.0);
    // With levels there are twenty to thirty tests per sphere, or as many as with one grid if that is fewer.
    double levels = it->r_max > 1.05 * it->r_min ? fmin(one_grid, 45.0) : one_grid;
    double third = cbrt(n);
    work[SCREE_METHOD_ALL_PAIRS] = method_work(SCREE_METHOD_ALL_PAIRS, n, 0.5 * n * n * images, 0.0, 0.0);
    work[SCREE_METHOD_VERLET_LIST] = method_work(SCREE_METHOD_VERLET_LIST, n, 0.5 * n * n * images, 0.0, 0.0);
    work[SCREE_METHOD_LINKED_CELLS] = method_work(SCREE_METHOD_LINKED_CELLS, n, n * one_grid, 0.0, n * cells);
    work[SCREE_METHOD_HIERARCHICAL_GRID] = method_work(SCREE_METHOD_HIERARCHICAL_GRID, n, n * levels, 0.0, n * cells);
    // Whom a sphere meets along the axis that is swept; spheres cut by mid planes, which are the more the finer the tree; some fifteen
    // nodes.
    work[SCREE_METHOD_LINEAR_LIST] = method_work(SCREE_METHOD_LINEAR_LIST, n, n * 3.0, n * 0.8 * third * third, 0.0);
    double widest = 0.0;
    for (int k = 0; k < it->dim; ++k)
        widest = fmax(widest, it->length[k]);
    double leaf = crowding_companions(crowd, ldexp(widest, -30));  // a tree has no smaller cells
    work[SCREE_METHOD_OCTREE] = method_work(SCREE_METHOD_OCTREE, n, n * (12.0 * third + leaf), 0.0, n * 4.5 * images);
    work[SCREE_METHOD_LOOSE_OCTREE] = method_work(SCREE_METHOD_LOOSE_OCTREE, n, n * (12.0 + leaf), 0.0, n * 16.0);
    add_fixed_costs(work);
    leave_out_tilted(it, work);
    work[SCREE_METHOD_AUTO] = work[method_cheapest(work)];
}

scree_method method_cheapest(const double work[SCREE_METHOD_COUNT])
{
    int best = SCREE_METHOD_LINKED_CELLS;  // where spheres cannot touch, it sees that at once
    for (int m = 1; m < SCREE_METHOD_COUNT; ++m)
        if (work[m] < work[best])
            best = m;
    return (scree_method)best;
}

// One by one, a question costs n tests without a structure, some ten cells in a grid, some twenty nodes in a tree; several levels pay where
// sizes differ.
void method_forecast_one(const items* it, double work[SCREE_METHOD_COUNT])
{
    double n = it->n, ratio = it->r_min > 0.0 ? it->r_max / it->r_min : 100.0, images = copies(it);
    double crowd = fmin(8.0 * pow(fmin(ratio, 1e3), it->dim), n);  // in cells as long as the largest
    work[SCREE_METHOD_ALL_PAIRS] = work[SCREE_METHOD_VERLET_LIST] = 2.5 * n * images;
    work[SCREE_METHOD_LINKED_CELLS] = 250.0 + 2.5 * crowd;
    work[SCREE_METHOD_HIERARCHICAL_GRID] = 300.0 + 2.5 * fmin(crowd, 60.0);
    work[SCREE_METHOD_LINEAR_LIST] = 600.0 + 0.02 * n;
    work[SCREE_METHOD_OCTREE] = 600.0 + 50.0 * cbrt(n);
    work[SCREE_METHOD_LOOSE_OCTREE] = 1000.0;
    leave_out_tilted(it, work);
    work[SCREE_METHOD_AUTO] = work[method_cheapest(work)];
}
