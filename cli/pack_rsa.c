// scree pack --method rsa: random sequential addition, at a density or until nothing more fits.
#include "packers.h"

double pack_rsa_density(int32_t dim)
{
    return dim == 2 ? 0.25 : 0.15;  // also for a handful of spheres between walls
}

static scree_status saturate(const pack_wish* wish, scree_place_def* def, scree_sphere_set* set)
{
    double r = scree_sizes_min(wish->sizes);
    if (r != scree_sizes_max(wish->sizes))
        return scree_fail(SCREE_ERR_ARGUMENT, "--saturate is for equal spheres, mono:R, and the sizes %s are not equal",
                          scree_sizes_text(wish->sizes));
    scree_sphere_set full;
    scree_status status = scree_place_saturated(def, r, &full);
    if (status == SCREE_OK) {
        scree_sphere_set_free(set);
        *set = full;
    }
    return status;
}

scree_status pack_rsa(const pack_wish* wish, scree_sphere_set* set, bool* converged)
{
    scree_place_def def = scree_default_place_def();
    def.box = set->box;
    def.container = wish->container;
    def.seed = wish->co->seed;
    def.threads = wish->co->threads;
    def.watch = pack_watch(wish, wish->saturate ? "saturating" : "placing spheres");
    scree_status status = wish->saturate ? saturate(wish, &def, set) : scree_place_random(&def, set->count, set->r, set->x);
    pack_watch_end();
    *converged = status == SCREE_OK;
    return status;
}
