// scree pack grow: event-driven growth to a density, into a box, or until jammed; then plain motion, if some is wished for.
#include "packers.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static scree_growth grown_last;  // numbers only, for the report
static double rate_asked;

double pack_grow_density(int32_t dim)
{
    return dim == 2 ? 0.7 : 0.55;  // of the cube to begin with; without --density and --box it grows until jammed
}

static bool read_options(const pack_wish* wish, scree_grow_def* def)
{
    int method = def->method;
    if (!option_number(wish->args, "rate", &def->rate) || !option_number(wish->args, "pressure", &def->pressure) ||
        !option_number(wish->args, "collisions", &def->collisions) || !option_number(wish->args, "restitution", &def->restitution) ||
        !option_number(wish->args, "start-density", &def->start_density) ||
        !option_choice(wish->args, "method", method_name_at, &method))
        return false;
    def->method = method;
    bool until_jammed = wish->density == 0.0 && !wish->has_box;
    if (until_jammed && !option_given(wish->args, "rate"))
        def->rate = 0.01;  // at 0.02 most packings give way at constant size
    rate_asked = def->rate;
    if (def->rate == 0.0) {  // no growth is wished for, only motion: get there quickly
        def->rate = 0.1;
        if (!option_given(wish->args, "collisions"))
            def->collisions = 100.0;
    }
    if (until_jammed) {
        def->density = INFINITY;
        if (!option_given(wish->args, "pressure"))
            def->pressure = 1e6;
    }
    return true;
}

scree_status pack_grow(const pack_wish* wish, scree_sphere_set* set, bool* converged)
{
    scree_grow_def def = scree_default_grow_def();
    if (!read_options(wish, &def))
        return pack_option_wrong();
    if (option_given(wish->args, "pressure") && !(def.pressure > 1.0))
        return scree_fail(SCREE_ERR_ARGUMENT, "--pressure is %g; expected a reduced pressure above 1 (jammed spheres have about 1000 or more)", def.pressure);
    def.box = set->box;
    def.seed = wish->co->seed;
    def.threads = wish->co->threads;
    double density = 0.0;
    def.density_now = &density;
    def.watch = pack_watch_density(wish, "growing", &density, NULL);
    scree_growth grown;
    scree_status status = scree_pack_grow(&def, set->count, set->r, &grown);
    pack_watch_end();
    // When stopped, the result is what there is: a valid packing, in a larger box.
    status = pack_take(status, set->count, grown.x, &grown.box, set);
    *converged = grown.converged;
    if (status == SCREE_OK) {
        if (!wish->co->quiet && !wish->co->json)
            say("note: %s after %" PRId64 " collisions at reduced pressure %.4g%s\n",
                    grown.reached             ? "grown"
                    : grown.jammed            ? "jammed"
                    : grown.slower_rate > 0.0 ? "not jammed"
                                              : "stopped",
                    grown.collisions, grown.reduced_pressure, grown.reached || isinf(def.density) ? "" : "; the box is larger than requested");
        if (!wish->co->quiet && grown.slower_rate > 0.0)
            say("note: --rate %g is too fast for these spheres to jam: at constant size the pressure falls to %.4g; try --rate %g\n", def.rate,
                    grown.reduced_pressure_at_rest, grown.slower_rate);
    }
    grown_last = grown;
    scree_growth_free(&grown);
    grown_last.x = grown_last.v = NULL;
    return status;
}

void pack_grow_tell(result* res)
{
    result_number(res, "rate", rate_asked);
    result_about(res, "", "growth rate of the diameter over the thermal velocity");
    result_bool(res, "jammed", grown_last.jammed);
    result_number(res, "reduced_pressure", grown_last.reduced_pressure);
    result_about(res, "", "p V / (n T)");
    if (!isnan(grown_last.reduced_pressure_at_rest)) {
        result_number(res, "reduced_pressure_at_rest", grown_last.reduced_pressure_at_rest);
        result_about(res, "", "at constant size");
    }
    if (grown_last.slower_rate > 0.0) {
        result_number(res, "slower_rate", grown_last.slower_rate);
        result_about(res, "", "try this rate: the one used is too fast for these spheres to jam");
    }
    result_number(res, "collision_rate", grown_last.collision_rate);
    result_about(res, "", "per sphere; time in mean diameters over the thermal velocity");
    result_number(res, "mean_free_time", grown_last.mean_free_time);
    result_number(res, "temperature", grown_last.temperature);
    result_about(res, "", "1 at the start");
    result_integer(res, "collisions", grown_last.collisions);
}

static const option options[] = {
    PACK_SIZES,
    PACK_COUNT,
    {"density", 0, "NU", "volume fraction to reach (default without --box: until jammed)"},
    {"box", 'b', "LX,LY,LZ", "box size, from the origin (default: a cube by count and density)"},
    PERIODIC_OPTION,
    PACK_DIM,
    PACK_SAMPLING,
    {"rate", 0, "R", "growth rate of the diameter over the thermal velocity (default 0.02; until jammed 0.01); 0.1 is fast, 0.001 slow and dense; 0: motion only"},
    {"start-density", 0, "NU", "density of the random sequential addition before the growth, lower if the spheres do not fit (default 0.25); 0: points"},
    {"pressure", 0, "P", "stop at this reduced pressure (default without --density and --box: 1e6); jammed if it stays at constant size"},
    {"collisions", 0, "K", "afterwards, collisions per sphere at constant size, half of them measured (default 0; at rate 0: 100)"},
    {"restitution", 0, "E", "coefficient of restitution of these collisions, 0 to 1 (default 1)"},
    PACK_STABLE,
    PACK_SEARCH,
    PACK_OUTPUT,
    {0},
};

const command cmd_pack_grow = {
    .name = "pack grow",
    .usage = "--sizes SIZES --count N [--density NU | --box LX,LY,LZ] [--rate R] [--periodic AXES] -o FILE [OPTIONS]",
    .about = "event-driven growth of hard spheres in motion: to a density, into a box, or until jammed",
    .details = "Two of --count, --density and --box give the third; with --count alone the spheres grow until they jam. Spheres that cannot reach the density end in a "
               "larger box, with converged false.\n"
               "Jammed: at constant size the pressure becomes steady and stays high, and there are enough contacts. Otherwise a slower --rate is suggested.",
    .example = "  scree pack grow --sizes uniform-size:1:3 --count 1000 --density 0.6 --periodic xyz -o grown.vtp",
    .rejected = pack_boxes_only,
    PACK_METHOD,
};
