// scree pack rearrange: collective rearrangement. The size of the box is an outcome; --box gives its shape.
#include "packers.h"

#include <inttypes.h>

const char* moves_name_at(int m)
{
    return scree_moves_name((scree_moves)m);
}

const char* centres_name_at(int c)
{
    return scree_centres_name((scree_centres)c);
}

static scree_packing made;  // of the last packing, for the report; without its centres

void pack_rearrange_tell(result* res)
{
    result_number(res, "density_net", made.density_net);
    result_number(res, "overlap_left", made.overlap_left);
    result_integer(res, "sweeps", made.sweeps);
    result_integer(res, "growths", made.growths);
}

scree_status pack_rearrange(const pack_wish* wish, scree_sphere_set* set, bool* converged)
{
    scree_rearrange_def def = option_given(wish->args, "as-paper") ? scree_paper_rearrange_def() : scree_default_rearrange_def();
    int method = def.method, moves = def.moves, centres = def.centres;
    if (!option_choice(wish->args, "method", method_name_at, &method) || !option_choice(wish->args, "moves", moves_name_at, &moves) ||
        !option_choice(wish->args, "centres", centres_name_at, &centres) || !option_number(wish->args, "tolerance", &def.tolerance) ||
        !option_number(wish->args, "growth", &def.growth) || !option_number(wish->args, "attraction", &def.attraction) ||
        !option_number(wish->args, "start-density", &def.start_density) || !option_number(wish->args, "list-margin", &def.margin) ||
        !option_number(wish->args, "list-margin-least", &def.margin_least) || !option_integer(wish->args, "warm-up", 0, INT64_MAX, &def.warm_up))
        return pack_option_wrong();
    def.moves = moves;
    def.centres = centres;
    def.method = method;
    def.box = set->box;
    def.seed = wish->co->seed;
    def.threads = wish->co->threads;
    def.container = wish->container;
    scree_rearrange_state state = {0};
    def.state = &state;
    def.watch = pack_watch_density(wish, "rearranging", &state.density, &state.overlap);
    scree_packing packed = {0};
    pack_checkpoint checkpoint;
    scree_status status = pack_checkpoint_open(wish, pack_stage_dense, &checkpoint);
    def.saver = checkpoint.saver;
    def.resume = checkpoint.resume;
    if (status == SCREE_OK)
        status = scree_pack_rearrange(&def, set->count, set->r, &packed);
    pack_watch_end();
    status = pack_checkpoint_blame(&checkpoint, status);
    pack_checkpoint_close(&checkpoint);
    made = packed;
    made.x = NULL;
    status = pack_take(status, packed.count, packed.x, &packed.box, set);
    *converged = packed.converged;
    if (status == SCREE_OK) {
        if (!packed.converged && !wish->co->quiet)
            say("note: not converged: after %" PRId64 " sweeps the largest overlap is %.2g of a diameter (expected %.2g) at density %.4f; "
                "without overlaps the density is %.4f\n",
                packed.sweeps, packed.overlap_left, def.tolerance, packed.density_net, packed.density);
        else if (!wish->co->quiet && !wish->co->json)
            say("note: %" PRId64 " sweeps; with the last overlaps (%.2g of a diameter) the density was %.4f\n",
                packed.sweeps, packed.overlap_left, packed.density_net);
    }
    scree_packing_free(&packed);
    return status;
}

static const option options[] = {
    PACK_SIZES,
    PACK_COUNT,
    {"box", 'b', "LX,LY,LZ", "shape of the box; its size is a result (default: a cube)"},
    PACK_CONTAINER,
    PERIODIC_OPTION,
    PACK_DIM,
    PACK_SAMPLING,
    {"tolerance", 0, "T", "stop when no overlap exceeds T smaller diameters; the remaining overlaps are removed by scaling (default 1e-4)"},
    {"growth", 0, "G", "growth of the box, above 0, at most 1 (default 0.012); a smaller value is slower and denser"},
    {"start-density", 0, "NU", "volume of the spheres over that of the box at the start (default 0.9)"},
    {"warm-up", 0, "N", "sweeps before the box grows for the first time (default 300)"},
    {"attraction", 0, "A", "spheres without overlap move towards their nearest neighbour by this fraction of half the gap in each sweep, 0 to 1 (default 0)"},
    {"centres", 0, "HOW", "initial centres: spread (default), without small spheres deep inside large ones, or random, as in the paper"},
    {"moves", 0, "HOW", "together (default) or one-by-one, each sphere at once, as in the paper: slower, and less dense for wide size distributions"},
    {"list-margin", 0, "D", "with one-by-one moves: delta_V, the margin of the Verlet lists, in smallest diameters (default 0: chosen); below 0: no lists"},
    {"list-margin-least", 0, "D", "with --list-margin: delta_V falls to this value as the spheres come to rest (default 0: constant)"},
    {"as-paper", 0, NULL, "the settings of Raschdorf and Kolonko, except for options that are given (docs/rearrange.md)"},
    PACK_STABLE,
    PACK_SEARCH,
    {"checkpoint", 0, "FILE", "save the state there, with --stable also in FILE.stable; the same command continues from it to the same result. It is removed when the packing has been written"},
    {"checkpoint-every", 0, "S", "with --checkpoint: seconds between two checkpoints (default 30)"},
    PACK_OUTPUT,
    {0},
};

const command cmd_pack_rearrange = {
    .name = "pack rearrange",
    .usage = "--sizes SIZES --count N [--periodic AXES] [--stable] -o FILE [OPTIONS]",
    .about = "collective rearrangement: dense packings of any size distribution",
    .details = "The box is a result; --box gives its shape. After Ctrl-C or --time the current state is written, with converged false. density_net includes overlaps of at most "
               "overlap_left smaller diameters, which the final scaling removes.\n"
               "For wide size distributions most spheres end as rattlers, with hardly any contacts. --stable ends in force balance: net forces below 1e-6 of the mean "
               "contact force, as many contacts as an isostatic packing (stable_contacts, stable_isostatic).",
    .example = "  scree pack rearrange --sizes uniform-volume:1:10 --count 5000 --periodic xyz -o dense.vtp --picture dense.png",
    .rejected = pack_no_density,
    PACK_METHOD,
};
