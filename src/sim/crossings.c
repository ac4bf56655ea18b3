// Spheres that are removed when their centres pass through a boundary that says so (scree_sim_boundary.removes).
//
// Before each pass of a step they are searched for in the list of near spheres that the pass uses: so none is missed. If there are any, the step stops at that moment as at the end of a
// run, they are removed by an exchange as any others (insert.c), and the next step begins. All this follows from positions and velocities alone, so it does not depend on
// the number of threads or on where runs end, and a restored state continues in the same way. Each sphere counts once, at the boundary with the lowest number.
#include "sim/sim_inner.h"

#include "base/argument.h"
#include "base/array.h"
#include "base/parallel.h"
#include "sim/boundaries.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

typedef struct crossing_job {
    scree_sim* sim;
    sim_pass pass;
    int32_t any;
} crossing_job;

static bool passes_wall(const sim_pass* pass, const near_wall* near)
{
    const sim_boundary* b = &pass->boundaries[near->boundary];
    boundary_point at;
    if (!b->removes)
        return false;
    boundary_surface(b, pass->x[near->rank], &at);
    return at.inside < 0.0;
}

static bool passes_shape(const sim_pass* pass, const surface_near* group, surface_desk* desk)
{
    if (!pass->boundaries[group->boundary].removes)
        return false;
    int64_t found = surface_find(pass, group, desk, desk->touches);
    return surface_crossed(pass, group, desk->touches, found);
}

static scree_status add(scree_sim* sim, int64_t step, int32_t rank, int32_t boundary)
{
    sim_crossings* c = &sim->crossings;
    int64_t n = c->count + c->seen;
    if (SCREE_RESERVE(c->list, c->capacity, n + 1) != SCREE_OK || SCREE_RESERVE(c->ids, c->ids_capacity, c->seen + 1) != SCREE_OK)
        return SCREE_ERR_MEMORY;
    c->list[n] = (scree_sim_crossing){.id = sim->id[rank], .step = step, .boundary = boundary, .group = group_of(sim->group, rank), .mass = 1.0 / sim_at(sim->v, rank)[3]};
    ++c->seen;
    return SCREE_OK;
}

static scree_status look_at_block(void* context, int64_t block)
{
    crossing_job* job = context;
    const sim_pass* pass = &job->pass;
    const sim_surfaces* s = pass->surfaces;
    bool any = false;
    for (int64_t e = pass->near_first[block]; e < pass->near_first[block + 1] && !any; ++e)
        any = passes_wall(pass, &pass->near[e]);
    if (s != NULL && !any) {
        sim_desk* desk = sim_desk_take(pass);
        for (int64_t g = s->group_first[block]; g < s->group_first[block + 1] && !any; ++g)
            any = passes_shape(pass, &s->group[g], &desk->surface);
        sim_desk_give_back(desk);
    }
    if (any)
        __atomic_store_n(&job->any, 1, __ATOMIC_RELAXED);
    return SCREE_OK;
}

static scree_status list_block(crossing_job* job, int64_t block)
{
    const sim_pass* pass = &job->pass;
    const sim_surfaces* s = pass->surfaces;
    scree_status status = SCREE_OK;
    for (int64_t e = pass->near_first[block]; e < pass->near_first[block + 1] && status == SCREE_OK; ++e)
        if (passes_wall(pass, &pass->near[e]))
            status = add(job->sim, job->sim->step, pass->near[e].rank, pass->near[e].boundary);
    sim_desk* desk = sim_desk_take(pass);
    for (int64_t g = s != NULL ? s->group_first[block] : 0; s != NULL && g < s->group_first[block + 1] && status == SCREE_OK; ++g)
        if (passes_shape(pass, &s->group[g], &desk->surface))
            status = add(job->sim, job->sim->step, s->group[g].rank, s->group[g].boundary);
    sim_desk_give_back(desk);
    return status;
}

static int by_id(const void* a, const void* b)
{
    const scree_sim_crossing *p = a, *q = b;
    return p->id != q->id ? (p->id > q->id) - (p->id < q->id) : (p->boundary > q->boundary) - (p->boundary < q->boundary);
}

// By id; each once, at the boundary with the lowest number.
static void sort_seen(sim_crossings* c)
{
    scree_sim_crossing* list = c->list + c->count;
    qsort(list, (size_t)c->seen, sizeof *list, by_id);
    int64_t n = 0;
    for (int64_t k = 0; k < c->seen; ++k)
        if (n == 0 || list[k].id != list[n - 1].id) {
            c->ids[n] = list[k].id;
            list[n++] = list[k];
        }
    c->seen = n;
}

scree_status crossings_look(scree_sim* sim)
{
    sim_crossings* c = &sim->crossings;
    crossing_job job = {.sim = sim};
    c->seen = 0;
    sim_pass_make(sim, SIM_OBSERVE, &job.pass);
    scree_status status = scree_parallel_for(sim->threads, sim->blocks, look_at_block, &job, NULL);
    if (status != SCREE_OK || job.any == 0)
        return status;
    for (int64_t b = 0; b < sim->blocks && status == SCREE_OK; ++b)
        status = list_block(&job, b);
    if (status != SCREE_OK) {
        c->seen = 0;
        return status;
    }
    sort_seen(c);
    return SCREE_OK;
}

scree_status crossings_take(scree_sim* sim, int64_t step, int64_t count, const uint64_t* who)
{
    sim_crossings* c = &sim->crossings;
    c->seen = 0;
    if (SCREE_RESERVE(sim->rank_of, sim->rank_of_capacity, sim->n) != SCREE_OK)
        return SCREE_ERR_MEMORY;
    for (int32_t rank = 0; rank < sim->n; ++rank)
        sim->rank_of[sim_row(sim, rank)] = rank;
    for (int64_t k = 0; k < count; ++k)
        if (add(sim, step, sim->rank_of[who[k] >> 32], (int32_t)(who[k] & 0xffffffff)) != SCREE_OK) {
            c->seen = 0;
            return SCREE_ERR_MEMORY;
        }
    sort_seen(c);
    return SCREE_OK;
}

scree_status crossings_remove(scree_sim* sim)
{
    sim_crossings* c = &sim->crossings;
    int64_t seen = c->seen;
    c->seen = 0;
    scree_status status = scree_sim_remove(sim, seen, c->ids);
    if (status == SCREE_OK)
        c->count += seen;
    else
        c->seen = seen;
    return status;
}

scree_status crossings_check(scree_sim* sim)
{
    for (int32_t b = 0; b < sim->boundary_count; ++b)
        sim->crossings.on = sim->crossings.on || sim->boundaries[b].removes;
    if (!sim->crossings.on)
        return SCREE_OK;
    if (sim->numbers.bond_count > 0)
        return scree_fail(SCREE_ERR_UNSUPPORTED, "sim: a boundary removes spheres that pass through it, and there are bonds (%" PRId64 "); expected none, as bonded spheres are never removed", sim->numbers.bond_count);
    return cell_reject(sim, "boundaries that remove what passes through them");
}

int64_t scree_sim_take_crossings(scree_sim* sim, scree_sim_crossing* out, int64_t room)
{
    SCREE_NEED_OR(sim, 0);
    sim_crossings* c = &sim->crossings;
    int64_t count = c->count, taken = out == NULL || room < 0 ? 0 : room < count ? room : count, rest = count + c->seen - taken;
    if (taken == 0)
        return count;
    memcpy(out, c->list, (size_t)taken * sizeof *out);
    memmove(c->list, c->list + taken, (size_t)rest * sizeof *c->list);
    c->count -= taken;
    return count;
}

void crossings_close(scree_sim* sim)
{
    scree_free(sim->crossings.list);
    scree_free(sim->crossings.ids);
}
