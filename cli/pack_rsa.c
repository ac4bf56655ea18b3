// scree pack --method rsa: random sequential addition, at a density or until nothing more fits.
#include "packers.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

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
    scree_sphere_set full = {0};
    scree_status status = scree_place_saturated(def, r, &full);
    if (status == SCREE_OK || full.count > 0) {
        scree_sphere_set_free(set);
        *set = full;
    }
    return status;
}

// Stopped: those that have no place are left out. False: none has one.
static bool keep_placed(scree_sphere_set* set)
{
    int64_t kept = 0;
    for (int64_t i = 0; i < set->count; ++i) {
        if (isnan(set->x[i * set->dim]))
            continue;
        set->r[kept] = set->r[i];
        memmove(set->x + kept++ * set->dim, set->x + i * set->dim, (size_t)set->dim * sizeof *set->x);
    }
    set->count = (int32_t)kept;
    return kept > 0;
}

scree_status pack_rsa(const pack_wish* wish, scree_sphere_set* set, bool* converged)
{
    scree_place_def def = scree_default_place_def();
    def.box = set->box;
    def.container = wish->container;
    def.seed = wish->co->seed;
    def.threads = wish->co->threads;
    def.watch = pack_watch(wish, wish->saturate ? "saturating" : "placing spheres");
    int32_t asked = set->count;
    scree_status status = wish->saturate ? saturate(wish, &def, set) : scree_place_random(&def, set->count, set->r, set->x);
    pack_watch_end();
    *converged = status == SCREE_OK;
    // Whoever stops it gets what is there.
    if (status == SCREE_ERR_CANCELLED && (wish->saturate ? set->count > 1 : keep_placed(set))) {
        status = SCREE_OK;
        if (!wish->co->quiet && !wish->saturate)
            fprintf(stderr, "note: %" PRId64 " of %" PRId32 " spheres, the largest, have a place\n", (int64_t)set->count, asked);
    }
    return status;
}
