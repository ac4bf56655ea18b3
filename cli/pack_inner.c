// How dense a packing is away from what disturbs it: walls, and for heaps the floor and the surface, which is rough.
#include "packers.h"

#include "scree/measure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int compare(const void* a, const void* b)
{
    double x = *(const double*)a, y = *(const double*)b;
    return x < y ? -1 : x > y;
}

// Where the lower parts of the surface are: 5 % of the last tenth of the spheres ended below. NAN: no memory, or hardly any spheres.
static double surface_of(const scree_sphere_set* set)
{
    int32_t last = set->count / 10;
    double* z = last > 0 ? scree_malloc((size_t)last, sizeof *z) : NULL;
    if (z == NULL)
        return NAN;
    for (int32_t i = 0; i < last; ++i)
        z[i] = set->x[((int64_t)(set->count - last + i) + 1) * set->dim - 1];
    qsort(z, (size_t)last, sizeof *z, compare);
    double level = z[last / 20];
    scree_free(z);
    return level;
}

static double density_in(const scree_container* c, const scree_sphere_set* set)
{
    const double pi = 3.14159265358979323846;
    double volume = 0.0;
    for (int64_t i = 0; i < set->count; ++i) {
        double r = set->r[i], share = scree_sphere_container_share(c, set->x + i * set->dim, r);
        volume += share * (set->dim == 2 ? pi * r * r : 4.0 / 3.0 * pi * r * r * r);
    }
    return volume / scree_container_volume(c);
}

// Around a centre: a ball of 0.7 times the radius that the cluster would have if it were one, at density 0.6.
static double density_of_cluster(const scree_sphere_set* set)
{
    scree_container unit = {.kind = SCREE_CONTAINER_SPHERE, .box = scree_box_sized(set->dim, (double[3]){2.0, 2.0, 2.0})};
    double radius = 0.7 * pow(scree_spheres_volume(scree_sphere_set_view(set)) / 0.6 / scree_container_volume(&unit), 1.0 / set->dim);
    for (int k = 0; k < set->dim; ++k) {
        unit.box.lower[k] = -radius;
        unit.box.upper[k] = radius;
    }
    return density_in(&unit, set);
}

double pack_inner_density(const pack_wish* wish, const packer* how, const scree_sphere_set* set)
{
    double largest = 0.0;
    for (int32_t i = 0; i < set->count; ++i)
        largest = fmax(largest, 2.0 * set->r[i]);
    if (set->count == 0)
        return NAN;
    if (how->heaps && option_given(wish->args, "centre"))
        return density_of_cluster(set);
    if (how->heaps && wish->container == SCREE_CONTAINER_SPHERE)
        return NAN;  // what is away from both a round wall and a level surface is no container
    scree_container inner = {.kind = wish->container, .box = set->box};
    for (int k = 0; k < set->dim; ++k) {
        double side = set->box.upper[k] - set->box.lower[k], margin = fmin(largest, 0.25 * side);
        if (set->box.periodic[k])
            continue;
        inner.box.lower[k] += margin;
        inner.box.upper[k] -= margin;
    }
    if (how->heaps) {
        int up = set->dim - 1;
        double floor_level = set->box.lower[up], surface = surface_of(set);
        inner.box.lower[up] = floor_level + fmin(2.0 * largest, 0.25 * (surface - floor_level));
        inner.box.upper[up] = surface - fmin(2.0 * largest, 0.25 * (surface - floor_level));
    }
    for (int k = 0; k < set->dim; ++k)  // what is thinner than a sphere is no bulk
        if (!(inner.box.upper[k] - inner.box.lower[k] >= largest))
            return NAN;
    return density_in(&inner, set);
}
