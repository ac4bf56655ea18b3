// Checks of overlaps during a simulation (def.watch_overlaps): overlaps beyond a share of the smaller radius and, for laws whose contacts become stiffer with depth
// (hertz, jkr, dmt), contacts that are too short for the time step.
//
// Overlaps are checked five times in the shortest contact and at least every 10 steps, with hertz, jkr and dmt every 5: five checks of half an oscillation see at least 95 % of its depth. A check
// computes one distance per candidate, with the loop of the pass, and takes about half the time of a step without friction. Most checks are skipped: two surfaces approach by at most twice the largest speed, so a
// check gives a bound on how long no overlap can become too deep, however the spheres move:
//
//     slack = the least additional depth that some contact may reach      no check, as long as the sum of 2 v_max dt since the last one is below it
//
// A skipped check would have found nothing, so results do not depend on which checks are skipped. Checks come before the pass, when the list of candidates is complete for the
// centres, and do not change the trajectory. Blocks are checked independently, and joined in order.
#include "sim/contact.h"
#include "sim/grain.h"

#include "base/argument.h"
#include "base/parallel.h"
#include "geom/pair.h"

static const double pi = 3.14159265358979323846;

enum { steps_least = 10 };  // that a contact must last

typedef struct watch_job {
    const scree_sim* sim;
    sim_pass pass;
    bool curved;
} watch_job;

static bool is_curved(const sim_law* law)
{
    return grain_is_curved(law->parts.normal);
}

// The overlap at which a contact is too short for the step: half a swing pi / sqrt(2 E* a / m*), a = sqrt(R* overlap), is `steps_least` steps.
static double depth_too_short(double young, double inverse, double radius, double step)
{
    double a = pi * pi / (2.0 * young * inverse * (steps_least * step) * (steps_least * step));
    return a * a / radius;
}

void sim_watch_open(scree_sim* sim)
{
    sim_watch* watch = &sim->watch;
    double steps = sim->numbers.contact_duration / (5.0 * sim->numbers.time_step) + 1e-9;
    watch->young = 0.0;
    for (int64_t e = 0; e < (int64_t)sim->law.materials * sim->law.materials; ++e)
        watch->young = fmax(watch->young, sim->law.many != NULL ? sim->law.many[e].young : sim->law.one.young);
    watch->every = (int64_t)fmax(1.0, fmin(steps, is_curved(&sim->law) ? 5.0 : 10.0));
    watch->apart = INFINITY;
    watch->found.shortest.duration = INFINITY;
}

// Of two spheres that do not touch yet: the inverse mass of the lighter one is at least half of the sum, and the reduced radius is below its radius.
void sim_watch_meet(scree_sim* sim, double r, double inverse)
{
    sim_watch* watch = &sim->watch;
    watch->apart = fmin(watch->apart, sim->def.watch_overlaps * r);
    if (is_curved(&sim->law) && inverse > 0.0)
        watch->apart = fmin(watch->apart, depth_too_short(watch->young, 2.0 * inverse, r, sim->numbers.time_step));
}

void sim_watch_begin(scree_sim* sim)
{
    sim_watch_open(sim);
    for (int32_t i = 0; i < sim->n; ++i)
        sim_watch_meet(sim, sim->x[i][3], sim_at(sim->v, i)[3]);
}

const double* sim_watch_place(const double* a, const double* b, bool turned)
{
    return b == NULL || a[3] < b[3] || (a[3] == b[3] && !turned) ? a : b;
}

// j: a rank, or -1 - boundary. r: the smaller radius; radius: the reduced one; inverse: sum of inverse masses.
static void take(const watch_job* job, int32_t i, int32_t j, double overlap, double r, double radius, double inverse, const law_pair* with, watch_seen* out)
{
    const scree_sim* sim = job->sim;
    int64_t first = sim->id[i], second = j >= 0 ? sim->id[j] : j;
    bool turned = j >= 0 && second < first;
    double length = sim->numbers.time_step, share = sim->def.watch_overlaps, deep = INFINITY;
    const double* at = sim_watch_place(sim->x[i], j >= 0 ? sim->x[j] : NULL, turned);
    scree_sim_overlap one = {.step = sim->step,
                             .ij = {turned ? second : first, turned ? first : second},
                             .overlap = overlap,
                             .relative = overlap / r,
                             .duration = INFINITY,
                             .at = {at[0], at[1], at[2]}};
    if (job->curved && inverse > 0.0) {
        deep = depth_too_short(with->young, inverse, radius, length);
        one.duration = pi / sqrt(2.0 * with->young * sqrt(radius * overlap) * inverse);
    }
    out->slack = fmin(out->slack, fmin(share * r, deep) - overlap);
    if (one.relative > share && one.relative > out->found.deepest.relative)
        out->found.deepest = one;
    if (one.duration < steps_least * length && one.duration < out->found.shortest.duration)
        out->found.shortest = one;
}

typedef struct watch_touches {
    const watch_job* job;
    watch_seen* seen;
} watch_touches;

static void look_at_touch(void* context, const surface_touch* touch, const double* words, const sim_seen* contact)
{
    const watch_touches* to = context;
    const sim_pass* pass = &to->job->pass;
    const double* x = pass->x[touch->rank];
    (void)words;
    if (contact->overlap > 0.0 && !surface_is_link(touch))
        take(to->job, touch->rank, -1 - touch->boundary, contact->overlap, x[3], x[3], sim_at(pass->v, touch->rank)[3],
             law_with_material(&pass->law, pass->material, touch->rank, pass->boundaries[touch->boundary].material), to->seen);
}

static void look_at_pair(const watch_job* job, int64_t row, watch_seen* seen)
{
    const sim_pass* pass = &job->pass;
    const int32_t i = pass->ij[row][0], j = pass->ij[row][1];
    const double *a = pass->x[i], *b = pass->x[j];
    double offset[3] = {0.0, 0.0, 0.0}, sum = a[3] + b[3];
    if (pass->shift != NULL)
        cell_offset(&pass->cell, pass->shift[row], offset);
    const double square = scree_square_distance(a, b, offset), overlap = sum - sqrt(square), r = a[3] < b[3] ? a[3] : b[3];
    if (!(square < sum * sum))  // the reach of the law may be longer
        return;
    const double rest = job->sim->def.watch_overlaps * r - overlap;
    if (!job->curved && rest > 0.0 && rest >= seen->slack)  // as most: `take` would change nothing
        return;
    take(job, i, j, overlap, r, a[3] * b[3] / sum, sim_at(pass->v, i)[3] + sim_at(pass->v, j)[3], law_with(&pass->law, pass->material, i, j), seen);
}

static scree_status look_at_block(void* context, int64_t block)
{
    const watch_job* job = context;
    const sim_pass* pass = &job->pass;
    watch_seen seen = {.found = {.shortest = {.duration = INFINITY}}, .slack = job->sim->watch.apart};
    for (int64_t c = pass->own[block]; c < pass->own[block + 1]; c += sim_strip) {
        const int32_t most = pass->own[block + 1] - c < sim_strip ? (int32_t)(pass->own[block + 1] - c) : sim_strip;
        int32_t found[sim_strip + 4];
        const int32_t count = sim_find_contacts(pass, pass->ij + c, pass->shift == NULL ? NULL : pass->shift + c, most, found);
        for (int32_t e = 0; e < count; ++e)
            look_at_pair(job, c + found[e], &seen);
    }
    for (int64_t e = pass->near_first[block]; e < pass->near_first[block + 1]; ++e) {
        near_wall near = pass->near[e];
        const double* x = pass->x[near.rank];
        boundary_point at;
        boundary_surface(&pass->boundaries[near.boundary], x, &at);
        if (at.inside < x[3])
            take(job, near.rank, -1 - near.boundary, x[3] - at.inside, x[3], x[3], sim_at(pass->v, near.rank)[3],
                 law_with_material(&pass->law, pass->material, near.rank, pass->boundaries[near.boundary].material), &seen);
    }
    sim_surfaces_visit(pass, block, look_at_touch, &(watch_touches){.job = job, .seen = &seen});
    job->sim->watch.seen[block] = seen;
    return SCREE_OK;
}

void sim_watch_step(scree_sim* sim)
{
    sim_watch* watch = &sim->watch;
    watch->moved += (2.0 * sim->speed + sim_wall_speed(sim) + 4.0 * cell_speed(sim)) * sim->numbers.time_step;
    if (sim->step % watch->every != 0 || watch->moved < watch->slack)
        return;
    watch_job job = {.sim = sim};
    sim_pass_make(sim, SIM_REST, &job.pass);
    job.curved = is_curved(&sim->law);
    scree_parallel_for(sim->threads, sim->blocks, look_at_block, &job, NULL);
    watch->moved = 0.0;
    watch->slack = watch->apart;
    for (int64_t b = 0; b < sim->blocks; ++b) {
        const watch_seen* seen = &watch->seen[b];
        watch->slack = fmin(watch->slack, seen->slack);
        if (seen->found.deepest.relative > watch->found.deepest.relative)
            watch->found.deepest = seen->found.deepest;
        if (seen->found.shortest.duration < watch->found.shortest.duration)
            watch->found.shortest = seen->found.shortest;
    }
}

bool sim_watch_is_curved(const scree_sim* sim)
{
    return is_curved(&sim->law);
}

double sim_watch_brief(const scree_sim* sim)
{
    return steps_least * sim->numbers.time_step;
}

SCREE_RESULT_OF(scree_sim_overlaps, scree_sim_take_overlaps, (scree_sim* sim, scree_sim_overlaps* out), (sim, out))
{
    SCREE_EMPTY(out);
    SCREE_NEED(sim);
    if (!(sim->def.watch_overlaps > 0.0))
        return scree_fail(SCREE_ERR_ARGUMENT, "sim: watch_overlaps of the definition is 0, so overlaps were not monitored; expected above 0");
    *out = sim->watch.found;
    sim->watch.found = (scree_sim_overlaps){.shortest = {.duration = INFINITY}};
    return SCREE_OK;
}
