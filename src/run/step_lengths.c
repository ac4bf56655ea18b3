// Conversion between times and steps in runs whose changes set the time step: a list of intervals with a constant time step, each with its first step and time. A change takes effect at the
// first step that is not before its time, so the list follows from the scene and the first time step alone, and a resumed run has the same list.
#include "run/run_inner.h"

#include "base/argument.h"
#include "base/array.h"
#include "scene/place.h"

#include <inttypes.h>
#include <math.h>

int64_t run_step_of(double time, double length)
{
    double steps = time / length;
    return steps < 9e15 ? (int64_t)ceil(steps - 1e-9 * fmax(1.0, steps)) : INT64_MAX;
}

int64_t run_paces_step(const run_paces* paces, double time)
{
    int64_t n = paces->count - 1;
    while (n > 0 && !(time > paces->list[n].time))
        --n;
    const run_pace* pace = &paces->list[n];
    int64_t steps = run_step_of(time - pace->time, pace->length);
    return steps < INT64_MAX - pace->from ? pace->from + steps : INT64_MAX;
}

static const run_pace* pace_of(const run_paces* paces, int64_t step)
{
    int64_t n = paces->count - 1;
    while (n > 0 && step <= paces->list[n].from)
        --n;
    return &paces->list[n];
}

double run_paces_time(const run_paces* paces, int64_t step)
{
    const run_pace* pace = pace_of(paces, step);
    return pace->time + (double)(step - pace->from) * pace->length;
}

double run_paces_between(const run_paces* paces, int64_t since, int64_t step)
{
    const run_pace* pace = pace_of(paces, step);
    return since >= pace->from ? (double)(step - since) * pace->length : run_paces_time(paces, step) - run_paces_time(paces, since);
}

scree_status run_paces_make(const scree_scene* scene, double first, run_paces* out)
{
    out->count = 0;
    for (int64_t c = -1; c < scene->change_count; ++c) {
        if (c >= 0 && (!scene->changes[c].sets_time || isinf(scene->changes[c].due)))  // that one has not happened yet
            continue;
        if (SCREE_RESERVE(out->list, out->capacity, out->count + 1) != SCREE_OK)
            return SCREE_ERR_MEMORY;
        run_pace next = {.length = first};
        if (c >= 0) {
            next.from = run_paces_step(out, scene->changes[c].due);
            next.time = run_paces_time(out, next.from);
            next.length = scene->changes[c].scene->sim.time_step;
        }
        out->list[out->count] = next;
        out->count += out->count == 0 || next.from > out->list[out->count - 1].from;
        out->list[out->count - 1] = next;  // two at one step: the later one
    }
    return SCREE_OK;
}

void run_paces_free(run_paces* paces)
{
    scree_free(paces->list);
    *paces = (run_paces){0};
}

double run_paces_longest(const run_paces* paces)
{
    double longest = 0.0;
    for (int64_t n = 0; n < paces->count; ++n)
        longest = fmax(longest, paces->list[n].length);
    return longest;
}

int64_t run_step_at(const scree_run* run, double time)
{
    return run_paces_step(&run->paces, time);
}

double run_time_of(const scree_run* run, int64_t step)
{
    return run_paces_time(&run->paces, step);
}

double scree_run_get_end(const scree_run* run)
{
    SCREE_NEED_OR(run, NAN);
    return run_time_of(run, run->steps);
}
