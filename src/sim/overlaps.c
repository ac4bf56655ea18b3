// The watch over overlaps while a simulation steps (def.watch_overlaps): the deepest overlap, and of the laws whose contacts become stiffer as they become deeper (hertz, jkr, dmt) the
// contact that is the shortest for its depth.
//
// It looks on every fifth part of the shortest contact, and at least every 10 steps, before the pass, when the list of candidates is good for the centres. Half a swing that is looked at
// five times shows at least 95 % of its depth, and overlaps of heavier spheres last longer. With hertz, jkr and dmt it looks at least every 5 steps: a contact that is too deep for the step
// is shorter than what the step was made for. A look is one distance per candidate; docs/run.md has what that costs. Nothing in it changes what comes next. Blocks look on their own, and are joined in order.
#include "sim/contact.h"
#include "sim/grain.h"

#include "base/argument.h"
#include "base/parallel.h"

static const double pi = 3.14159265358979323846;

typedef struct watch_job {
    const scree_sim* sim;
    sim_pass pass;
} watch_job;

static bool is_curved(const sim_law* law)
{
    return law->kind >= (int32_t)law_single_count && grain_is_curved(law->parts.normal);
}

int64_t sim_watch_every(const sim_law* law, const scree_sim_numbers* numbers)
{
    double steps = numbers->contact_duration / (5.0 * numbers->step) + 1e-9, most = is_curved(law) ? 5.0 : 10.0;
    return (int64_t)fmax(1.0, fmin(steps, most));
}

// j: a rank, or -1 - boundary. r: the smaller radius; radius: the reduced one; inverse: sum of inverse masses.
static void take(const watch_job* job, int32_t i, int32_t j, double overlap, double r, double radius, double inverse, const law_pair* with, scree_sim_overlaps* out)
{
    int64_t first = job->sim->id[i], second = j >= 0 ? job->sim->id[j] : j, step = job->sim->step;
    if (j >= 0 && second < first) {
        int64_t other = first;
        first = second;
        second = other;
    }
    if (overlap > out->deepest.relative * r)
        out->deepest = (scree_sim_overlap){.step = step, .ij = {first, second}, .overlap = overlap, .relative = overlap / r, .duration = INFINITY};
    if (!is_curved(&job->pass.law) || !(inverse > 0.0))
        return;
    double duration = pi / sqrt(2.0 * with->young * sqrt(radius * overlap) * inverse);
    if (duration < out->shortest.duration)
        out->shortest = (scree_sim_overlap){.step = step, .ij = {first, second}, .overlap = overlap, .relative = overlap / r, .duration = duration};
}

static scree_status look_at_block(void* context, int64_t block)
{
    const watch_job* job = context;
    const sim_pass* pass = &job->pass;
    scree_sim_overlaps found = {.shortest = {.duration = INFINITY}};
    for (int64_t c = pass->own[block]; c < pass->own[block + 1]; ++c) {
        int32_t i = pass->ij[c][0], j = pass->ij[c][1];
        const double *a = pass->x[i], *b = pass->x[j];
        double d[3] = {a[0] - b[0], a[1] - b[1], a[2] - b[2]}, sum = a[3] + b[3];
        if (pass->shift != NULL) {
            double offset[3];
            cell_offset(&pass->cell, pass->shift[c], offset);
            for (int k = 0; k < 3; ++k)
                d[k] -= offset[k];
        }
        double square = (d[0] * d[0] + d[1] * d[1]) + d[2] * d[2];
        if (square < sum * sum)
            take(job, i, j, sum - sqrt(square), fmin(a[3], b[3]), a[3] * b[3] / sum, pass->v[i][3] + pass->v[j][3], law_with(&pass->law, pass->material, i, j), &found);
    }
    for (int64_t e = pass->near_first[block]; e < pass->near_first[block + 1]; ++e) {
        near_wall near = pass->near[e];
        const double* x = pass->x[near.rank];
        boundary_point at;
        boundary_surface(&pass->boundaries[near.boundary], x, &at);
        if (at.inside < x[3])
            take(job, near.rank, -1 - near.boundary, x[3] - at.inside, x[3], x[3], pass->v[near.rank][3],
                 law_with_material(&pass->law, pass->material, near.rank, pass->boundaries[near.boundary].material), &found);
    }
    job->sim->seen[block] = found;
    return SCREE_OK;
}

void sim_watch_overlaps(scree_sim* sim)
{
    watch_job job = {.sim = sim};
    sim_pass_make(sim, SIM_REST, &job.pass);
    scree_parallel_for(sim->threads, sim->blocks, look_at_block, &job, NULL);
    for (int64_t b = 0; b < sim->blocks; ++b) {
        if (sim->seen[b].deepest.relative > sim->overlaps.deepest.relative)
            sim->overlaps.deepest = sim->seen[b].deepest;
        if (sim->seen[b].shortest.duration < sim->overlaps.shortest.duration)
            sim->overlaps.shortest = sim->seen[b].shortest;
    }
}

scree_status scree_sim_take_overlaps(scree_sim* sim, scree_sim_overlaps* out)
{
    SCREE_EMPTY(out);
    SCREE_NEED(sim);
    if (!sim->def.watch_overlaps)
        return scree_fail(SCREE_ERR_ARGUMENT, "sim: overlaps were not watched; def.watch_overlaps was expected");
    *out = sim->overlaps;
    sim->overlaps = (scree_sim_overlaps){.shortest = {.duration = INFINITY}};
    return SCREE_OK;
}
