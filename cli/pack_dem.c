// scree pack --method dem: isotropic compression by simulation. The size of the box is an outcome; --box gives its shape.
#include "packers.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

scree_status pack_dem(const pack_wish* wish, scree_sphere_set* set, bool* converged)
{
    scree_compress_def def = scree_default_compress_def();
    int method = def.method;
    if (!option_choice(wish->args, "index", method_name_at, &method) || !option_number(wish->args, "tolerance", &def.tolerance) ||
        !option_number(wish->args, "pressure", &def.pressure) || !option_number(wish->args, "rate", &def.rate))
        return pack_option_wrong();
    def.method = method;
    def.box = set->box;
    def.start_density = set->dim == 2 ? 0.4 : 0.3;
    def.seed = wish->co->seed;
    def.threads = wish->co->threads;
    scree_rearrange_state state = {0};
    def.state = &state;
    def.watch = pack_watch_density(wish, "compressing", &state.density, &state.overlap);
    scree_packing packed;
    scree_status status = scree_pack_compress(&def, set->count, set->r, &packed);
    pack_watch_end();
    // Whoever stops it gets what there is.
    if (status == SCREE_ERR_CANCELLED && packed.x != NULL)
        status = SCREE_OK;
    if (status == SCREE_OK) {
        memcpy(set->x, packed.x, (size_t)set->count * (size_t)set->dim * sizeof *set->x);
        set->box = packed.box;
        *converged = packed.converged;
        if (!wish->co->quiet && !wish->co->json)
            say("note: %" PRId64 " steps\n", packed.sweeps);
    }
    scree_packing_free(&packed);
    return status;
}
