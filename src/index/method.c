// The table of methods, and the two lengths that all of them need.
#include "index/method.h"

#include "base/parallel.h"

#include <float.h>
#include <math.h>

static const struct {
    const char* name;
    const method_table* table;
} methods[SCREE_METHOD_COUNT] = {
    [SCREE_METHOD_AUTO] = {"auto", NULL},
    [SCREE_METHOD_ALL_PAIRS] = {"all-pairs", &all_pairs_method},
    [SCREE_METHOD_VERLET_LIST] = {"verlet-list", &verlet_list_method},
    [SCREE_METHOD_LINKED_CELLS] = {"linked-cells", &linked_cells_method},
    [SCREE_METHOD_LINEAR_LIST] = {"linear-list", &linear_list_method},
    [SCREE_METHOD_OCTREE] = {"octree", &octree_method},
    [SCREE_METHOD_LOOSE_OCTREE] = {"loose-octree", &loose_octree_method},
    [SCREE_METHOD_HIERARCHICAL_GRID] = {"hierarchical-grid", &hierarchical_grid_method},
};

static bool exists(scree_method method)
{
    return (int)method >= 0 && method < SCREE_METHOD_COUNT;
}

const char* scree_method_name(scree_method method)
{
    return exists(method) ? methods[method].name : NULL;
}

const method_table* method_find(scree_method method)
{
    return exists(method) ? methods[method].table : NULL;
}

void items_set_tilt(items* it, const scree_box* box)
{
    double length[3];
    scree_lattice_of(box, length, it->tilt);
    it->tilted = scree_lattice_tilted(it->tilt);
}

double items_drift(const items* it, int k)
{
    double drift = 0.0;
    for (int m = k + 1; m < it->dim && it->tilted; ++m)
        drift += items_images_needed(it, m) * fabs(scree_lattice_tilt(it->tilt, k, m));
    return drift;
}

double items_safe_reach(const items* it, int k)
{
    double largest = fmax(fabs(it->lower[k]), fabs(it->lower[k] + it->length[k])) + items_drift(it, k);
    return items_reach(it) * (1.0 + 16.0 * DBL_EPSILON) + 16.0 * DBL_EPSILON * (largest + it->length[k]);
}

double items_images_needed(const items* it, int k)
{
    // Wrapped centres are less than L apart, so |s| < reach/L + 1; what the tilt moves images by has to be made up for.
    return it->periodic[k] && items_reach(it) >= 0.0 ? ceil((items_safe_reach(it, k) + items_drift(it, k)) / it->length[k]) : 0.0;
}

int32_t items_images(const items* it, int k)
{
    return (int32_t)items_images_needed(it, k);
}

bool sink_tell(sink* to)
{
    int64_t done = to->tests + to->box_tests + to->cells + to->count, more = done - to->reported;
    to->reported = done;
    return scree_parallel_work(more);
}
