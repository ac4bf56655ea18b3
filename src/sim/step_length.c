// Steps that change their length.
//
// A moment is known by its step number, and times follow from it: walls, loads and cells ask how long it is from the step at which something began to that of now. While all steps are as long as
// they are now this is a product. When the length changes, the list of paces keeps how long steps were before:
//
//     paces            {until 1000, 0.01}, {until 1500, 0.002}; now 0.004
//     0 ... 1000       0.01 each
//     1000 ... 1500    0.002 each
//     1500 ...         0.004 each
//
// The list is part of the loads of a state (loads.c). Cost of a change: a pass, and of a time after it one addition for each change.
#include "sim/runner.h"
#include "sim/sim_inner.h"

#include "base/argument.h"
#include "base/array.h"

#include <inttypes.h>
#include <math.h>

double sim_time_between(const scree_sim* sim, int64_t since, int64_t step)
{
    const sim_loads* l = &sim->loads;
    if (l->pace_count == 0)
        return (double)(step - since) * sim->numbers.time_step;
    if (step < since)
        return -sim_time_between(sim, step, since);
    double time = 0.0;
    for (int64_t n = 0; n < l->pace_count && since < step; ++n) {
        int64_t until = l->paces[n].until < step ? l->paces[n].until : step;
        if (until <= since)
            continue;
        time += (double)(until - since) * l->paces[n].length;
        since = until;
    }
    return time + (double)(step - since) * sim->numbers.time_step;
}

// ARGUMENT: a contact of two that there are, or may come, does not accept it.
scree_status sim_check_step(const scree_sim* sim, double step)
{
    double longest = sim_longest_step(sim);
    if (!(step > 0.0 && step <= SCREE_LENGTH_MAX))
        return scree_fail(SCREE_ERR_ARGUMENT, "sim: time step %g; expected a number above 0", step);
    if (step > longest)
        return scree_fail(SCREE_ERR_ARGUMENT, "sim: time step %g; expected at most %g: the shortest contact of these spheres lasts %g", step, longest,
                          sim->numbers.contact_duration);
    return SCREE_OK;
}

// How often contacts are looked at follows from the step; what was seen stays. Where parts have the spheres, they find how deep those that do not touch yet may come.
static void watch_again(scree_sim* sim)
{
    scree_sim_overlaps found = sim->watch.found;
    double apart = sim->watch.apart;
    if (sim->hollow)
        sim_watch_open(sim);
    else
        sim_watch_begin(sim);
    sim->watch.found = found;
    sim->watch.apart = sim->hollow ? apart : sim->watch.apart;
}

void sim_take_step(scree_sim* sim, double step)
{
    sim->def.time_step = sim->numbers.time_step = step;
    watch_again(sim);
}

scree_status scree_sim_set_time_step(scree_sim* sim, double step)
{
    SCREE_NEED(sim);
    if (sim->hollow)
        return sim_change_there(sim, &(sim_change){.kind = CHANGE_STEP, .values = {step}});
    sim_loads* l = &sim->loads;
    double before = sim->numbers.time_step;
    scree_status status = sim_check_still(sim);
    if (status == SCREE_OK)
        status = sim_check_step(sim, step);
    if (status != SCREE_OK || step == before)
        return status;
    status = SCREE_RESERVE(l->paces, l->pace_capacity, l->pace_count + 1);
    if (status != SCREE_OK)
        return status;
    int64_t count = l->pace_count, last = count > 0 ? l->paces[count - 1].until : 0;
    if (sim->step > last)
        l->paces[l->pace_count++] = (sim_pace){.until = sim->step, .length = before};
    sim_take_step(sim, step);
    status = sim_settle_again(sim);  // what the next step adds first to sums of work is half of its length
    if (status == SCREE_OK)
        return SCREE_OK;
    l->pace_count = count;
    sim_take_step(sim, before);
    return status;
}
