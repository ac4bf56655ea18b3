// scree pack dem: isotropic compression by simulation. The size of the box is an outcome; --box gives its shape.
#include "packers.h"
#include "ranks.h"

#include <inttypes.h>

scree_status pack_dem(const pack_wish* wish, scree_sphere_set* set, bool* converged)
{
    scree_compress_def def = scree_default_compress_def();
    int method = def.method;
    if (!option_choice(wish->args, "method", method_name_at, &method) || !option_number(wish->args, "tolerance", &def.tolerance) ||
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
    status = pack_take(status, packed.count, packed.x, &packed.box, set);
    *converged = packed.converged;
    if (status == SCREE_OK && !wish->co->quiet && !wish->co->json)
        say("note: %" PRId64 " steps\n", packed.sweeps);
    scree_packing_free(&packed);
    return status;
}

static const option options[] = {
    PACK_SIZES,
    PACK_COUNT,
    {"box", 'b', "LX,LY,LZ", "shape of the box; its size is a result (default: a cube)"},
    PERIODIC_OPTION,
    PACK_DIM,
    PACK_SAMPLING,
    {"pressure", 0, "P", "pressure at the end, in stiffness over mean diameter (default 1e-4)"},
    {"rate", 0, "R", "strain per contact duration (default 1e-3)"},
    {"tolerance", 0, "T", "relative error of pressure and force balance at the end (default 1e-2)"},
    PACK_STABLE,
    PACK_SEARCH,
    RANKS_OPTION,
    PACK_OUTPUT,
    {0},
};

static const rejected_option rejected[] = {
    {"density", "the density is a result; give --count, and --box for the shape of the box"},
    {"container", "this method packs into boxes only"},
    {0},
};

const command cmd_pack_dem = {
    .name = "pack dem",
    .usage = "--sizes SIZES --count N [--pressure P] [--periodic AXES] -o FILE [OPTIONS]",
    .about = "isotropic compression of soft spheres by simulation",
    .details = "The spheres are compressed to a jammed state at --pressure; they overlap a little. The size of the box is a result.",
    .example = "  scree pack dem --sizes bidisperse:1.4 --count 1000 --periodic xyz -o jammed.vtp",
    .rejected = rejected,
    PACK_METHOD,
};
