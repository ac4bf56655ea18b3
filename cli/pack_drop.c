// scree pack drop: sequential deposition. The height is an outcome. The sizes arrive mixed, by the seed, and the file keeps the order of arrival.
#include "packers.h"

#include <inttypes.h>
#include <math.h>

static void mix(const pack_wish* wish, scree_sphere_set* set)
{
    scree_rng rng = scree_rng_make(wish->co->seed, 6);
    for (int32_t i = set->count - 1; i > 0; --i) {
        int32_t j = (int32_t)scree_rng_below(&rng, (uint64_t)i + 1);
        double r = set->r[i];
        set->r[i] = set->r[j];
        set->r[j] = r;
    }
}

// Without --box: a base on which the heap becomes about as high as it is wide; a sphere that they fill to a half.
static void choose_base(const pack_wish* wish, scree_sphere_set* set)
{
    scree_container unit = {.kind = wish->container, .box = scree_box_sized(set->dim, (double[3]){1.0, 1.0, 1.0})};
    double density = wish->container == SCREE_CONTAINER_SPHERE ? 0.45 : set->dim == 2 ? 0.8 : 0.58, largest = 0.0;
    double side = pow(scree_spheres_volume(scree_sphere_set_view(set)) / density / scree_container_volume(&unit), 1.0 / set->dim);
    for (int32_t i = 0; i < set->count; ++i)
        largest = fmax(largest, 2.0 * set->r[i]);
    for (int k = 0; k < set->dim; ++k)
        set->box.upper[k] = fmax(side, 1.05 * largest);
}

scree_status pack_drop(const pack_wish* wish, scree_sphere_set* set, bool* converged)
{
    scree_drop_def def = scree_default_drop_def();
    int64_t lowest = 1;
    if (!option_integer(wish->args, "lowest", 1, 1000000, &lowest))
        return pack_option_wrong();
    mix(wish, set);
    if (!wish->has_box)
        choose_base(wish, set);
    def.box = set->box;
    def.container = wish->container;
    def.centre = option_given(wish->args, "centre");
    def.lowest = (int32_t)lowest;
    def.seed = wish->co->seed;
    def.threads = wish->co->threads;
    double density = 0.0;
    def.density_now = &density;
    def.watch = pack_watch_density(wish, "dropping", &density, NULL);
    scree_packing packed;
    int32_t asked = set->count;
    scree_status status = scree_pack_drop(&def, set->count, set->r, &packed);
    pack_watch_end();
    bool stopped = status == SCREE_ERR_CANCELLED;
    status = pack_take(status, packed.count, packed.x, &packed.box, set);
    *converged = packed.converged;
    if (status == SCREE_OK) {
        if (packed.count > 0 && !wish->co->quiet && !wish->co->json)
            say("note: each sphere tested %.0f others on average\n", (double)packed.tests / packed.count);
        if (!packed.converged && !wish->co->quiet)
            say("note: %" PRId32 " of %" PRId32 " spheres were placed%s\n", packed.count, asked,
                stopped                                     ? ""
                : wish->container == SCREE_CONTAINER_SPHERE ? "; the sphere is full"
                                                            : "; the next one found no stable position; please report this");
    }
    scree_packing_free(&packed);
    return status;
}

static const option options[] = {
    PACK_SIZES,
    PACK_COUNT,
    {"lowest", 0, "K", "drop each sphere K times from random positions and keep the lowest result (default 1)"},
    {"centre", 0, NULL, "drop towards a centre from random directions: a cluster around the origin without walls"},
    {"box", 'b', "LX,LY,LZ", "box size, from the origin; the height is a result and may be left out (default: about as wide as high)"},
    PACK_CONTAINER,
    PERIODIC_OPTION,
    PACK_DIM,
    PACK_SAMPLING,
    PACK_STABLE,
    PACK_STABLE_SEARCH,
    PACK_OUTPUT,
    {0},
};

const command cmd_pack_drop = {
    .name = "pack drop",
    .usage = "--sizes SIZES --count N [--lowest K] [--container NAME] [--box LX,LY] [--periodic AXES] -o FILE [OPTIONS]",
    .about = "sequential deposition: spheres fall and roll to rest one by one",
    .details = "Sizes arrive in random order. The height is a result. The file keeps the order of arrival.",
    .example = "  scree pack drop --sizes uniform-size:1:3 --count 5000 --container cylinder -o heap.vtp --picture heap.png",
    .rejected = pack_no_density,
    PACK_METHOD,
};
