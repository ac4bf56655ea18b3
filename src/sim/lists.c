// What the blocks of a step need beside the spheres: candidates (index/candidates.c keeps them while spheres move), where each block's rows begin, and the
// spheres near each wall: nearer than the skin, since no sphere moves farther than that while the list is held.
#include "sim/sim_inner.h"

#include "base/array.h"
#include "base/clock.h"
#include "base/parallel.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

// ---- Life ----------------------------------------------------------------------------------------------------------

scree_box lists_box(const scree_sim* sim)
{
    scree_box box = sim->def.box;
    for (int k = 0; k < sim->dim; ++k)
        if (!box.periodic[k]) {
            box.lower[k] = -INFINITY;
            box.upper[k] = INFINITY;
        }
    return box;
}

scree_status lists_open(scree_sim* sim)
{
    lists* l = &sim->lists;
    scree_index_def search = *sim->def.search;  // parameters of its method are copied by the index
    search.box = lists_box(sim);
    search.gap = sim->law.reach;
    search.threads = sim->threads;
    search.watch = (scree_watch){0};
    if (sim->drive.given && search.method == SCREE_METHOD_AUTO)
        search.method = SCREE_METHOD_HIERARCHICAL_GRID;  // which searches boxes with any angles
    sim->drive.method = (int32_t)search.method;
    scree_candidates_def def = scree_default_candidates_def();
    def.search = &search;
    def.block = sim->part != NULL ? 0 : sim_block;  // a part deals its rows itself, when it has the rows of others
    def.numbered = sim->law.row.words > 0;
    scree_status status = scree_candidates_create(&def, &l->near);
    if (status != SCREE_OK)
        return status;
    l->own = scree_calloc((size_t)sim->blocks + 1, sizeof *l->own);
    l->wall_first = scree_calloc((size_t)sim->blocks + 1, sizeof *l->wall_first);
    return l->own == NULL || l->wall_first == NULL ? SCREE_ERR_MEMORY : SCREE_OK;
}

scree_status lists_scaled(scree_sim* sim, double factor)
{
    scree_box box = lists_box(sim);
    return scree_candidates_scale(sim->lists.near, &box, sim->def.box.lower, factor);
}

void lists_close(lists* l)
{
    scree_candidates_destroy(l->near);
    scree_free(l->own);
    scree_free(l->wall_first);
    scree_free(l->walls);
    *l = (lists){.near = NULL};
}

size_t lists_bytes(const lists* l)
{
    return (size_t)l->wall_capacity * sizeof *l->walls + scree_candidates_get_stats(l->near).bytes;
}

// ---- Spheres near walls --------------------------------------------------------------------------------------------

typedef struct near_job {
    scree_sim* sim;
    double margin;
    double lower[3], upper[3];  // the faces; infinite where there is none
    bool count_only;
} near_job;

static void set_faces(const scree_sim* sim, near_job* job)
{
    for (int k = 0; k < 3; ++k) {
        const sim_boundary *lower = &sim->boundaries_now[2 * k], *upper = lower + 1;
        job->lower[k] = lower->present ? lower->at[k] : -INFINITY;
        job->upper[k] = upper->present ? upper->at[k] : INFINITY;
    }
}

// Whether any face is near, by the same operations as boundary_surface: of most spheres none is. Without branches, since which face would be near is not known.
static inline bool is_near_face(const near_job* job, const double x[4])
{
    bool near = false;
    for (int k = 0; k < 3; ++k)
        near |= ((x[k] - job->lower[k]) - x[3] < job->margin) | ((job->upper[k] - x[k]) - x[3] < job->margin);
    return near;
}

static scree_status find_near(void* context, int64_t block)
{
    const near_job* job = context;
    scree_sim* sim = job->sim;
    lists* l = &sim->lists;
    int64_t to = l->wall_first[block], end = (block + 1) * sim_block < sim->n ? (block + 1) * sim_block : sim->n;
    for (int64_t i = block * sim_block; i < end; ++i)
        for (int32_t b = is_near_face(job, sim->x[i]) ? 0 : boundary_faces; b < sim->boundary_count && sees_boundaries(sim, i); ++b) {
            boundary_point at;
            if (!sim->boundaries_now[b].present || sim->boundaries_now[b].shape != NULL)
                continue;
            boundary_surface(&sim->boundaries_now[b], sim->x[i], &at);
            if (!(at.inside - sim->x[i][3] < job->margin))
                continue;
            if (!job->count_only)
                l->walls[to] = (near_wall){.rank = (int32_t)i, .boundary = b};
            ++to;
        }
    if (job->count_only)
        l->wall_first[block] = to;
    return SCREE_OK;
}

static scree_status find_near_walls(scree_sim* sim)
{
    lists* l = &sim->lists;
    near_job job = {.sim = sim, .margin = l->rows.margin + sim->law.reach, .count_only = true};
    memset(l->wall_first, 0, ((size_t)sim->blocks + 1) * sizeof *l->wall_first);
    if (!sim->walled)
        return SCREE_OK;
    sim_boundaries_at(sim, sim->step, sim->boundaries_now);
    set_faces(sim, &job);
    scree_parallel_for(sim->threads, sim->blocks, find_near, &job, NULL);
    int64_t sum = 0;
    for (int64_t b = 0; b <= sim->blocks; ++b) {
        int64_t here = b < sim->blocks ? l->wall_first[b] : 0;
        l->wall_first[b] = sum;
        sum += here;
    }
    if (SCREE_RESERVE(l->walls, l->wall_capacity, sum) != SCREE_OK)
        return SCREE_ERR_MEMORY;
    job.count_only = false;
    return scree_parallel_for(sim->threads, sim->blocks, find_near, &job, NULL);
}

// ---- What went wrong -----------------------------------------------------------------------------------------------

// A sphere is nowhere, or farther away than any length. The one with the lowest id.
static scree_status say_gone(scree_sim* sim)
{
    int32_t gone = -1, axis = 0;
    for (int32_t i = 0; i < sim->n; ++i)
        for (int k = 0; k < sim->dim; ++k)
            if (!(fabs(sim->x[i][k]) <= SCREE_LENGTH_MAX) && (gone < 0 || sim->id[i] < sim->id[gone])) {
                gone = i;
                axis = k;
            }
    sim->failed = true;
    return scree_fail(SCREE_ERR_ARGUMENT,
                      "sim: step %" PRId64 ": sphere %" PRId64 " is at %c = %g, beyond the largest coordinate; expected less than %g. The time step %g is too long, spheres "
                      "overlapped too much at the start, or gravity and velocities are too large",
                      sim->step, sim->id[gone], "xyz"[axis], sim->x[gone][axis], SCREE_LENGTH_MAX, sim->numbers.time_step);
}

// A sphere went round and round a periodic box before it was wrapped. The one with the lowest id.
static scree_status say_many_turns(scree_sim* sim, int32_t rank, int axis)
{
    sim->failed = true;
    return scree_fail(SCREE_ERR_ARGUMENT,
                      "sim: step %" PRId64 ": sphere %" PRId64 " is at %c = %g: it crossed a periodic box of %g many times in less than %" PRId32 " steps; expected less than "
                                                "half a box in each. The time step %g is too long, or spheres overlapped too much at the start",
                      sim->step, sim->id[rank], "xyz"[axis], sim->x[rank][axis], sim->cell.h[axis][axis], sim->def.order_every, sim->numbers.time_step);
}

// The index knows spheres by their rank; users know them by their id.
static scree_status explain(scree_sim* sim, scree_status status)
{
    char message[400];
    snprintf(message, sizeof message, "%s", scree_error_message());
    if (status != SCREE_ERR_ARGUMENT)
        return status;
    int32_t turned = -1, axis = 0;
    for (int32_t i = 0; i < sim->n; ++i)
        for (int k = 0; k < sim->dim; ++k) {
            if (!(fabs(sim->x[i][k]) <= SCREE_LENGTH_MAX))
                return say_gone(sim);
            double far = 16.0 * sim->cell.h[k][k] + fabs(sim->def.box.lower[k]);
            if (sim->cell.h[k][k] > 0.0 && fabs(sim->x[i][k]) > far && (turned < 0 || sim->id[i] < sim->id[turned])) {
                turned = i;
                axis = k;
            }
        }
    if (turned >= 0)
        return say_many_turns(sim, turned, axis);
    return scree_fail(status, "sim: step %" PRId64 ": %s", sim->step, message);
}

// ---- Public calls--------------------------------------------------------------------------------------------------

scree_status lists_take(scree_sim* sim)
{
    lists* l = &sim->lists;
    l->span = sim->span;
    for (int64_t b = 0; b < sim->blocks; ++b)
        l->own[b] = l->rows.start[b * sim_block];
    l->own[sim->blocks] = l->rows.count;
    scree_status status = find_near_walls(sim);
    if (status == SCREE_OK)
        status = surfaces_find_near(sim, l->rows.margin + sim->law.reach);
    return status == SCREE_OK ? memory_give(sim) : status;
}

static scree_status make(scree_sim* sim, scree_candidate_items* now)
{
    lists* l = &sim->lists;
    scree_status status = memory_hold(sim);
    if (status != SCREE_OK)
        return status;
    now->others = true;
    now->block = (int32_t)(sim->span * sim_block);
    l->unfinished = true;
    status = scree_candidates_update(l->near, now);
    if (status == SCREE_OK)
        status = scree_candidates_get_rows(l->near, &l->rows);
    if (status != SCREE_OK)
        return explain(sim, status);
    status = lists_take(sim);
    l->unfinished = status != SCREE_OK;
    return status;
}

double sim_wall_speed(const scree_sim* sim)
{
    return sim_wall_speed_at(sim, sim->step);
}

double sim_wall_speed_at(const scree_sim* sim, int64_t step)
{
    double wall = 0.0;
    for (int face = 0; face < boundary_faces; ++face)
        wall = fmax(wall, fabs(sim->walls.velocity[face / 2][face % 2]));
    for (int32_t b = boundary_faces; b < sim->boundary_count; ++b) {
        const double* v = sim->boundaries[b].velocity;
        if (sim->boundaries[b].shape != NULL)
            wall = fmax(wall, shape_speed(&sim->boundaries[b]));
        wall = fmax(wall, sqrt((v[0] * v[0] + v[1] * v[1]) + v[2] * v[2]));
    }
    return sim->loads.moving ? fmax(wall, motion_speed(sim, step)) : wall;
}

scree_status lists_ready(scree_sim* sim, bool others)
{
    lists* l = &sim->lists;
    double begin = scree_clock(), dt = sim->numbers.time_step;
    scree_candidate_items now = scree_default_candidate_items();
    now.count = sim->n;
    now.xr = (const double(*)[4])sim->x;
    now.still = sim->flags;
    now.moved = sim->speed > 0.0 ? fmax(sim->speed * dt, DBL_MIN) : DBL_MIN;  // all may be at rest, which is known
    now.outside_moved = sim_wall_speed(sim) * dt;
    now.expected = sim->speed * dt;
    now.found = sim->contacts;
    now.skin = l->skin;
    now.others = others;
    bool holds = false;
    scree_status status = SCREE_OK;
    if (sim->drive.given) {
        scree_box box = lists_box(sim);
        status = scree_candidates_deform(l->near, &box);
    }
    if (cell_is_driven(sim)) {  // displacements are measured, from where the cell has taken each centre
        now.moved = NAN;
        now.expected = l->rows.build > 0 ? 0.0 : now.expected;
    }
    if (status == SCREE_OK)
        status = scree_candidates_hold(l->near, &now, &holds);
    if (status != SCREE_OK)
        status = explain(sim, status);
    if (status == SCREE_OK && (!holds || l->unfinished || l->span != sim->span))
        status = make(sim, &now);
    sim->seconds_search += scree_clock() - begin;
    return status;
}
