// What a step costs on this machine: seconds for each sphere and for each candidate pair, and for lists.
//
// Trajectories do not depend on the skin. So the steps of one simulation can be timed with lists of different skins: positions and contacts are what they would be anyway, the number of candidates is not. The times of a step
// without its list, over the number of candidates, lie on a line whose slope is the cost of a candidate, and whose value at 0 is that of all spheres; what contacts cost is in the latter. It is fitted by least squares.
//
// The skins take turns, and of each the shortest time counts: other programs on the machine make times longer, never shorter. Takes some seconds, with large systems some hundred steps. Wrong where spheres in different
// places cost very different times, since it has one number for all of them.
#include "sim/sim_inner.h"

#include "base/argument.h"
#include "base/clock.h"

#include <inttypes.h>
#include <math.h>

enum { skins = 3, turns_least = 3, turns_most = 25 };
static const double of_skin[skins] = {1.0, 0.5, 2.0};
static const double least_spread = 0.1;      // of the candidates, relative: with less their cost cannot be told from that of spheres
static const double of_sphere = 5.0;         // candidates that a sphere costs, where the measurement does not tell: as in the partition
static const double seconds_of_turn = 0.005, seconds_least = 0.1, seconds_most = 2.0;  // a turn is short enough that some are not interrupted
enum { lists_wanted = 3 };

void sim_costs_fit(double n, int count, const double* candidates, const double* seconds, scree_sim_costs* out)
{
    double c = 0.0, t = 0.0, cc = 0.0, ct = 0.0, square = 0.0, product = 0.0, low = INFINITY, high = 0.0;
    for (int k = 0; k < count; ++k) {
        c += candidates[k] / count;
        t += seconds[k] / count;
        const double both = of_sphere * n + candidates[k];
        square += both * both;
        product += both * seconds[k];
        low = fmin(low, candidates[k]);
        high = fmax(high, candidates[k]);
    }
    for (int k = 0; k < count; ++k) {
        cc += (candidates[k] - c) * (candidates[k] - c);
        ct += (candidates[k] - c) * (seconds[k] - t);
    }
    double slope = high > low * (1.0 + least_spread) ? ct / cc : 0.0, rest = t - slope * c;
    if (slope < 0.0) {
        slope = 0.0;
        rest = t;
    } else if (rest < 0.0) {  // spheres do cost something, and other states have other numbers of candidates
        slope = product / square;
        rest = slope * of_sphere * n;
    }
    out->seconds_sphere = n > 0.0 ? rest / n : 0.0;
    out->seconds_candidate = slope;
    out->error = 0.0;
    for (int k = 0; k < count; ++k)
        out->error = seconds[k] > 0.0 ? fmax(out->error, fabs(rest + slope * candidates[k] - seconds[k]) / seconds[k]) : out->error;
}

// Steps as in a run, until some lists were made; at most so many.
static scree_status count_lists(scree_sim* sim, int64_t most, scree_sim_costs* out)
{
    const double begin = scree_clock();
    const int64_t first = sim->lists.rows.build;
    double took = 0.0;
    scree_status status = SCREE_OK;
    for (int64_t some = 1; status == SCREE_OK && out->steps < most && took < seconds_most && (took < seconds_least || sim->lists.rows.build - first < lists_wanted); some = took < 0.1 * seconds_most ? 2 * some : some) {
        some = some < most - out->steps ? some : most - out->steps;
        status = scree_sim_run(sim, some);
        out->steps += some;
        if (status == SCREE_OK)
            status = scree_watch_own("sim", 0, 1);
        took = scree_clock() - begin;
    }
    out->lists = sim->lists.rows.build - first;
    out->seconds_step = took / (double)out->steps;
    return status;
}

typedef struct turn {
    double candidates, list, step;  // of the list; seconds of making it, and of a step without lists
} turn;

// With a new list of the skin that is wanted, after a step that has it in the cache.
static scree_status take_turn(scree_sim* sim, int64_t steps, turn* out)
{
    double before = sim->seconds_search;
    sim->lists.unfinished = true;
    scree_status status = scree_sim_run(sim, 1);
    out->list = sim->seconds_search - before;
    before = sim->seconds_search;
    const double begin = scree_clock();
    if (status == SCREE_OK)
        status = scree_watch_own("sim", 0, 1);
    if (status == SCREE_OK)
        status = scree_sim_run(sim, steps);
    out->step = fmax(0.0, scree_clock() - begin - (sim->seconds_search - before)) / (double)steps;
    out->candidates = (double)sim->lists.rows.count;
    return status;
}

// Of a simulation that has spheres.
static scree_status find_costs(scree_sim* sim, int64_t most, scree_sim_costs* out)
{
    scree_status status = count_lists(sim, most / 2 > 1 ? most / 2 : 1, out);
    const double skin = scree_candidates_get_stats(sim->lists.near).skin, begin = scree_clock();
    const int64_t left = most - out->steps, share = left / (turns_least * skins) - 1;  // for each of the fewest turns, its first step left out
    const int64_t wanted = out->seconds_step > 0.0 ? (int64_t)fmin(ceil(seconds_of_turn / out->seconds_step), 1000.0) : 1, steps = share < 1 ? 1 : share < wanted ? share : wanted;
    double candidates[skins] = {0.0}, seconds[skins], list = INFINITY;
    for (int t = 0; status == SCREE_OK && t < turns_most && (t == 0 || (t + 1) * skins * (steps + 1) <= left) && (t < turns_least || scree_clock() - begin < seconds_most); ++t)
        for (int k = 0; k < skins && status == SCREE_OK; ++k) {
            turn one;
            sim->lists.skin = of_skin[k] * skin;
            status = take_turn(sim, steps, &one);
            if (status == SCREE_OK)
                status = scree_watch_own("sim", 0, 1);
            candidates[k] = one.candidates;
            seconds[k] = t == 0 ? one.step : fmin(seconds[k], one.step);
            list = k == 0 ? fmin(list, one.list) : list;
        }
    sim->lists.skin = 0.0;
    sim->lists.unfinished = true;  // the next list has the skin of the simulation again
    if (status != SCREE_OK)
        return status;
    out->seconds_lists = list * (double)out->lists / (double)out->steps;
    sim_costs_fit((double)sim->n, skins, candidates, seconds, out);
    return SCREE_OK;
}

SCREE_RESULT_OF(scree_sim_costs, scree_sim_find_costs, (scree_sim* sim, int64_t most, scree_sim_costs* out), (sim, most, out))
{
    SCREE_EMPTY(out);
    SCREE_NEED(sim);
    if (sim->runner != NULL || sim->device != NULL)
        return scree_fail(SCREE_ERR_UNSUPPORTED, "sim: the steps are made by %s; expected a simulation of this process alone", sim->device != NULL ? "a device" : "several ranks");
    if (most < 1 + 2 * skins)
        return scree_fail(SCREE_ERR_ARGUMENT, "sim: %" PRId64 " steps to measure costs by; expected %d or more", most, 1 + 2 * skins);
    scree_sim_costs costs = {0};
    scree_status status = sim_check_still(sim);
    if (status == SCREE_OK && sim->n > 0)
        status = find_costs(sim, most, &costs);
    if (status == SCREE_OK)
        *out = costs;
    return status;
}
