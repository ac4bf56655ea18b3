// scree pack --method grow: event-driven growth to a density, into a box, or until jammed; then plain motion, if some is wished for.
#include "packers.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static scree_growth result;  // numbers only, for the report
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
    result = grown;
    scree_growth_free(&grown);
    result.x = result.v = NULL;
    return status;
}

void pack_grow_tell(report* rep)
{
    if (rep->page != NULL) {
        scree_report_number(rep->page, "rate", rate_asked, "", "growth of the diameter over the thermal velocity");
        scree_report_value(rep->page, "jammed", result.jammed ? "yes" : "no", "");
        scree_report_number(rep->page, "pressure", result.pressure, "", "reduced: p V / (n T)");
        if (!isnan(result.pressure_at_rest))
            scree_report_number(rep->page, "pressure at rest", result.pressure_at_rest, "", "what is left of it at constant size");
        if (result.slower_rate > 0.0)
            scree_report_number(rep->page, "rate to try", result.slower_rate, "", "this one is too fast for these spheres to jam");
        scree_report_number(rep->page, "collision rate", result.collision_rate, "", "per sphere; time in mean diameters over their thermal velocity");
        scree_report_number(rep->page, "mean free time", result.mean_free_time, "", "");
        scree_report_number(rep->page, "temperature", result.temperature, "", "1 at the beginning");
        scree_report_integer(rep->page, "collisions", result.collisions, "", "");
        return;
    }
    report_number(rep, "rate", rate_asked);
    report_bool(rep, "jammed", result.jammed);
    report_number(rep, "pressure", result.pressure);
    if (!isnan(result.pressure_at_rest))
        report_number(rep, "pressure_at_rest", result.pressure_at_rest);
    if (result.slower_rate > 0.0)
        report_number(rep, "slower_rate", result.slower_rate);
    report_number(rep, "collision_rate", result.collision_rate);
    report_number(rep, "mean_free_time", result.mean_free_time);
    report_number(rep, "temperature", result.temperature);
    report_integer(rep, "collisions", result.collisions);
}
