// Canonical order: spheres stand in memory along a Morton curve through the box, so that neighbours in space are mostly neighbours in
// memory. Since sums are in this order, it is part of what the bits depend on: it is renewed, and spheres are wrapped into periodic axes,
// only at steps that are multiples of def.order_every, never when a list happens to be made anew.
//
// Key: cells of a grid of 2^21 per axis (2^31 in 2D), over the box where it has walls or is periodic, and over the centres where it
// is open; equal keys by id.
#include "sim/sim_inner.h"

#include "base/morton.h"
#include "base/parallel.h"
#include "base/sort.h"

#include <math.h>
#include <string.h>

enum { block = 16384 };

typedef struct order_job {
    scree_sim* sim;
    double lower[3], inverse[3];
    double cells;
    uint32_t* order;
    int64_t* key;
} order_job;

static int64_t end_of(const scree_sim* sim, int64_t b)
{
    return (b + 1) * block < sim->n ? (b + 1) * block : sim->n;
}

static scree_status wrap_block(void* context, int64_t b)
{
    scree_sim* sim = ((order_job*)context)->sim;
    for (int64_t i = b * block; i < end_of(sim, b); ++i)
        for (int k = 0; k < sim->dim; ++k) {
            double turns;
            sim->x[i][k] = scree_box_wrap(&sim->def.box, k, sim->x[i][k], &turns);
            if (sim->before != NULL)
                sim->before[i][k] -= turns * sim->length[k];
        }
    return SCREE_OK;
}

static scree_status make_keys(void* context, int64_t b)
{
    order_job* job = context;
    scree_sim* sim = job->sim;
    for (int64_t i = b * block; i < end_of(sim, b); ++i) {
        uint64_t cell[3] = {0};
        for (int k = 0; k < sim->dim; ++k) {
            double at = (sim->x[i][k] - job->lower[k]) * job->inverse[k];
            cell[k] = (uint64_t)(at > 0.0 ? fmin(at, job->cells - 1.0) : 0.0);
        }
        // Sorted by place in the array of ids: the sort is stable, so equal keys come out by id.
        job->key[sim->id[i]] = (int64_t)scree_morton_key(sim->dim, cell);
    }
    return SCREE_OK;
}

typedef struct gather_job {
    const scree_sim* sim;
    const uint32_t* from;
    const double (*in)[4];
    double (*out)[4];
} gather_job;

static scree_status gather_block(void* context, int64_t b)
{
    const gather_job* job = context;
    for (int64_t i = b * block; i < end_of(job->sim, b); ++i)
        memcpy(job->out[i], job->in[job->from[i]], sizeof job->out[i]);
    return SCREE_OK;
}

// `rows` in the new order; the old array becomes the scratch.
static void gather(scree_sim* sim, const uint32_t* from, double (**rows)[4], double (**scratch)[4])
{
    gather_job job = {.sim = sim, .from = from, .in = (const double(*)[4])*rows, .out = *scratch};
    scree_parallel_for(sim->threads, ((int64_t)sim->n + block - 1) / block, gather_block, &job, NULL);
    double (*old)[4] = *rows;
    *rows = *scratch;
    *scratch = old;
}

void sim_order_renew(scree_sim* sim)
{
    int64_t n = sim->n, blocks = (n + block - 1) / block;
    order_job job = {.sim = sim, .cells = sim->dim == 2 ? 2147483648.0 : 2097152.0};
    if (sim->periodic)
        scree_parallel_for(sim->threads, blocks, wrap_block, &job, NULL);
    for (int k = 0; k < sim->dim; ++k) {
        double lower = sim->def.box.lower[k], upper = sim->def.box.upper[k];
        if (!(lower > -INFINITY && upper < INFINITY)) {
            lower = INFINITY, upper = -INFINITY;
            for (int64_t i = 0; i < n; ++i) {
                lower = fmin(lower, sim->x[i][k]);
                upper = fmax(upper, sim->x[i][k]);
            }
        }
        job.lower[k] = lower;
        job.inverse[k] = upper > lower ? job.cells / (upper - lower) : 0.0;
    }
    // The sort's four arrays fit into the 32 bytes that each sphere has in `next`: keys first, then words.
    job.key = (int64_t*)sim->next;
    int64_t* spare_key = job.key + n;
    uint32_t *word = (uint32_t*)(spare_key + n), *spare_word = word + n;
    scree_parallel_for(sim->threads, blocks, make_keys, &job, NULL);
    for (int64_t i = 0; i < n; ++i)
        word[i] = (uint32_t)i;
    scree_sort_with(job.key, word, spare_key, spare_word, n);

    // word[rank] is the id that stands there now. Where it stood before:
    int32_t* was_at = (int32_t*)spare_word;
    for (int64_t i = 0; i < n; ++i)
        was_at[sim->id[i]] = (int32_t)i;
    for (int64_t rank = 0; rank < n; ++rank)
        sim->id[rank] = was_at[word[rank]];
    // For a moment `id` tells where each rank's sphere stood; the true ids are still in `word`, which is in the scratch.
    memcpy(sim->rank_of, word, (size_t)n * sizeof *word);
    gather(sim, (const uint32_t*)sim->id, &sim->x, &sim->next);
    gather(sim, (const uint32_t*)sim->id, &sim->v, &sim->next);
    if (sim->law.damped)
        gather(sim, (const uint32_t*)sim->id, &sim->p, &sim->next);
    if (sim->before != NULL)
        gather(sim, (const uint32_t*)sim->id, &sim->before, &sim->next);
    memcpy(sim->id, sim->rank_of, (size_t)n * sizeof *sim->id);
}
