// scree pack --method grow: event-driven growth to a density, into a box, or until jammed; then plain motion, if some is wished for.
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
        !option_choice(wish->args, "index", method_name_at, &method))
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
        return scree_fail(SCREE_ERR_ARGUMENT, "grow: --pressure %g; a reduced pressure is above 1, and above 1000 or so where spheres jam", def.pressure);
    def.box = set->box;
    def.seed = wish->co->seed;
    def.threads = wish->co->threads;
    double density = 0.0;
    def.density_now = &density;
    def.watch = pack_watch_density(wish, "growing", &density, NULL);
    scree_growth grown;
    scree_status status = scree_pack_grow(&def, set->count, set->r, &grown);
    pack_watch_end();
    // Whoever stops it gets what there is: a valid packing, in a larger box.
    if (status == SCREE_ERR_CANCELLED && grown.x != NULL)
        status = SCREE_OK;
    if (status == SCREE_OK) {
        memcpy(set->x, grown.x, (size_t)set->count * (size_t)set->dim * sizeof *set->x);
        set->box = grown.box;
        *converged = grown.converged;
        if (!wish->co->quiet && !wish->co->json)
            say("note: %s after %" PRId64 " collisions, at reduced pressure %.4g%s\n",
                    grown.reached             ? "grown"
                    : grown.jammed            ? "jammed"
                    : grown.slower_rate > 0.0 ? "not jammed"
                                              : "stopped",
                    grown.collisions, grown.pressure, grown.reached || isinf(def.density) ? "" : "; the box is larger than asked for");
        if (!wish->co->quiet && grown.slower_rate > 0.0)
            say("note: --rate %g is too fast for these spheres to jam: at constant size the pressure falls to %.4g; try --rate %g\n", def.rate,
                    grown.pressure_at_rest, grown.slower_rate);
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
    result_number(res, "reduced_pressure", grown_last.pressure);
    result_about(res, "", "p V / (n T)");
    if (!isnan(grown_last.pressure_at_rest)) {
        result_number(res, "reduced_pressure_at_rest", grown_last.pressure_at_rest);
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
