// Canonical order: spheres are stored along a Morton curve through the box, so that neighbours in space are mostly neighbours in
// memory. Since sums are in this order, it affects the exact result: it is renewed, and spheres are wrapped into periodic axes,
// only at steps that are multiples of def.order_every, never when a new list is made.
//
// The order is by (key, id). A key is the Morton number of a cell of the centre at the last renewal and is kept with the sphere: spheres that are sorted
// by key and id stand in the same relative order wherever they are, and a state that has the keys has the order. Cells are cubes, 2^21 (2D: 2^31) of them
// along the longest side; a shorter side uses the first of them. Along an axis with walls or periodic the side is the side of the box; along an
// open axis it is the extent of the centres.
#include "sim/sim_inner.h"

#include "base/morton.h"
#include "base/parallel.h"
#include "base/sort.h"

#include <math.h>
#include <string.h>

enum { block = 16384 };

typedef struct order_job {
    scree_sim* sim;
    double lower[3], inverse;  // cells per length
    double cells;
    int64_t* key;
    uint32_t* word;
    energy_sums* work;         // that the cell does so, by block: ENERGY_PAID; NULL: not counted
    energy_scales scales;
    int8_t (*turns)[3];        // by which centres are wrapped, where contacts remember or bonds hold
} order_job;

static int64_t end_of(const scree_sim* sim, int64_t b)
{
    return (b + 1) * block < sim->n ? (b + 1) * block : sim->n;
}

static scree_status wrap_block(void* context, int64_t b)
{
    const order_job* job = context;
    scree_sim* sim = job->sim;
    for (int64_t i = b * block; i < end_of(sim, b); ++i) {
        double turns[3] = {0.0, 0.0, 0.0}, work = 0.0;
        cell_wrap(sim, i, turns, &work);
        if (job->work != NULL && (sim->ghost == NULL || sim->ghost[i] == 0))
            energy_add(&job->scales, ENERGY_PAID, work, &job->work[b]);
        for (int k = 0; k < sim->dim && job->turns != NULL; ++k)
            job->turns[i][k] = (int8_t)(sim->def.box.periodic[k] ? turns[k] : 0.0);
    }
    return SCREE_OK;
}

// Contacts that remember name images of their partners: these follow.
static scree_status wrap(order_job* job)
{
    scree_sim* sim = job->sim;
    if (!sim->periodic)
        return SCREE_OK;
    if (sim->memory.kept_pairs.count > 0 || sim->bonds.count > 0) {
        job->turns = scree_calloc((size_t)sim->n, sizeof *job->turns);
        if (job->turns == NULL)
            return SCREE_ERR_MEMORY;
    }
    int64_t blocks = ((int64_t)sim->n + block - 1) / block;
    if (sim->cell.moves && sim->law.parts.accounts) {
        job->work = scree_calloc((size_t)blocks, sizeof *job->work);
        if (job->work == NULL) {
            scree_free(job->turns);
            return SCREE_ERR_MEMORY;
        }
        job->scales = sim_scales(&sim->numbers);
    }
    scree_parallel_for(sim->threads, blocks, wrap_block, job, NULL);
    for (int64_t b = 0; b < blocks && job->work != NULL; ++b)
        energy_join(&sim->pending, &job->work[b]);
    scree_free(job->work);
    memory_wrapped(sim, (const int8_t(*)[3])job->turns);
    bonds_wrapped(sim, (const int8_t(*)[3])job->turns);
    scree_free(job->turns);
    return SCREE_OK;
}

static scree_status make_keys(void* context, int64_t b)
{
    order_job* job = context;
    scree_sim* sim = job->sim;
    for (int64_t i = b * block; i < end_of(sim, b); ++i) {
        uint64_t cell[3] = {0};
        for (int k = 0; k < sim->dim; ++k) {
            double at = (sim->x[i][k] - job->lower[k]) * job->inverse;
            cell[k] = (uint64_t)(at > 0.0 ? fmin(at, job->cells - 1.0) : 0.0);
        }
        sim->key[i] = scree_morton_key(sim->dim, cell);
    }
    return SCREE_OK;
}

// Keys in the order of ids, with the rank of each: the sort is stable, so equal keys come out by id.
static scree_status lay_out(void* context, int64_t b)
{
    order_job* job = context;
    const scree_sim* sim = job->sim;
    for (int64_t i = b * block; i < end_of(sim, b); ++i) {
        job->key[sim_row(sim, i)] = (int64_t)sim->key[i];
        job->word[sim_row(sim, i)] = (uint32_t)i;
    }
    return SCREE_OK;
}

typedef struct gather_job {
    const scree_sim* sim;
    const uint32_t* from;
    const char* in;
    char* out;
    size_t bytes, step;  // of an item, and from one to the next
} gather_job;

static scree_status gather_block(void* context, int64_t b)
{
    const gather_job* job = context;
    const char* in = job->in;
    char* out = job->out;
    if (job->step == 4 * sizeof(double))
        for (int64_t i = b * block; i < end_of(job->sim, b); ++i)
            memcpy(out + 4 * sizeof(double) * (size_t)i, in + 4 * sizeof(double) * job->from[i], 4 * sizeof(double));
    else
        for (int64_t i = b * block; i < end_of(job->sim, b); ++i)
            memcpy(out + job->bytes * (size_t)i, in + job->step * job->from[i], job->bytes);
    return SCREE_OK;
}

// All arrays that follow the spheres, each by way of `other`; one that is laid out like it changes places with it.
void sim_order_gather(scree_sim* sim, const uint32_t* from, bool keys)
{
    for (int a = 0; a < sim_array_count; ++a) {
        const sim_array* array = &sim_arrays[a];
        char* items = sim_items(sim, array->at);
        if (items == NULL || !(array->ordered || (keys && array->at == offsetof(scree_sim, key))))
            continue;
        size_t step = sim_step_of(sim, array->at, array->bytes, array->rows);
        gather_job job = {.sim = sim, .from = from, .in = items, .out = (char*)sim->other, .bytes = array->bytes, .step = step};
        scree_parallel_for(sim->threads, ((int64_t)sim->n + block - 1) / block, gather_block, &job, NULL);
        if (step == sizeof *sim->other) {
            sim_set_items(sim, array->at, sim->other);
            sim->other = (double(*)[4])(void*)items;
        } else {
            for (int64_t i = 0; i < sim->n; ++i)
                memcpy(items + (size_t)i * step, (char*)sim->other + (size_t)i * array->bytes, array->bytes);
        }
    }
}

scree_status sim_order_by_keys(scree_sim* sim)
{
    int64_t n = sim->n, blocks = (n + block - 1) / block;
    // The sort's four arrays fit into the 32 bytes that each sphere has in `other`.
    order_job job = {.sim = sim, .key = (int64_t*)sim->other};
    int64_t* spare_key = job.key + n;
    job.word = (uint32_t*)(spare_key + n);
    uint32_t* spare_word = job.word + n;
    scree_parallel_for(sim->threads, blocks, lay_out, &job, NULL);
    scree_status status = scree_sort_with_threads(sim->threads, job.key, job.word, spare_key, spare_word, n);
    if (status != SCREE_OK)
        return status;
    uint32_t* from = scree_malloc((size_t)n, sizeof *from);
    if (from == NULL)
        return SCREE_ERR_MEMORY;
    memcpy(from, job.word, (size_t)n * sizeof *from);
    status = sim_ask(sim, 0, 1);
    if (status == SCREE_OK)
        status = memory_rename(sim, from);
    if (status == SCREE_OK) {
        memcpy(sim->key, job.key, (size_t)n * sizeof *sim->key);
        sim_order_gather(sim, from, false);
        status = sim_ask(sim, 0, 1);
        if (status == SCREE_OK)
            status = bonds_rename(sim, from);
        sim_giants_find(sim);
    }
    scree_free(from);
    return status;
}

scree_status sim_order_wrap(scree_sim* sim)
{
    order_job job = {.sim = sim};
    scree_status status = memory_keep(sim);
    if (status != SCREE_OK)
        return status;
    cell_renew(sim);
    return wrap(&job);
}

scree_status sim_order_wrap_centres(scree_sim* sim)
{
    order_job job = {.sim = sim};
    return wrap(&job);
}

void sim_order_sides(const scree_sim* sim, double sides[3][2])
{
    for (int k = 0; k < sim->dim; ++k) {
        double lower = sim->def.box.lower[k], upper = sim->def.box.upper[k];
        if (!(lower > -INFINITY && upper < INFINITY)) {
            lower = INFINITY, upper = -INFINITY;
            for (int64_t i = 0; i < sim->n; ++i) {
                if (sim->ghost != NULL && sim->ghost[i] != 0)  // it counts where it is own
                    continue;
                lower = fmin(lower, sim->x[i][k]);
                upper = fmax(upper, sim->x[i][k]);
            }
        }
        sides[k][0] = lower;
        sides[k][1] = upper;
    }
}

void sim_order_keys(scree_sim* sim, const double sides[3][2])
{
    order_job job = {.sim = sim, .cells = sim->dim == 2 ? 2147483648.0 : 2097152.0};
    double longest = 0.0;
    for (int k = 0; k < sim->dim; ++k) {
        job.lower[k] = sides[k][0];
        longest = fmax(longest, sides[k][1] - sides[k][0]);
    }
    job.inverse = longest > 0.0 ? job.cells / longest : 0.0;
    scree_parallel_for(sim->threads, ((int64_t)sim->n + block - 1) / block, make_keys, &job, NULL);
}

scree_status sim_order_renew(scree_sim* sim)
{
    double sides[3][2];
    scree_status status = sim_order_wrap(sim);
    if (status != SCREE_OK)
        return status;
    sim_order_sides(sim, sides);
    sim_order_keys(sim, (const double(*)[2])sides);
    status = sim_ask(sim, 0, 1);
    return status == SCREE_OK ? sim_order_by_keys(sim) : status;
}
