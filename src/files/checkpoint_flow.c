// Checkpoints of simulations in which spheres are inserted and removed. Their ids have gaps and are in the column "id".
#include "files/checkpoint_flow.h"

#include "base/argument.h"
#include "base/sort.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

scree_status checkpoint_flow_reserve(scree_checkpoint_flow* flow, int64_t count, int64_t sum_count)
{
    *flow = (scree_checkpoint_flow){0};
    if (count == 0)
        return SCREE_OK;
    flow->counts = scree_calloc((size_t)count, sizeof *flow->counts);
    flow->sums = scree_calloc((size_t)sum_count, sizeof *flow->sums);
    flow->count = count;
    flow->sum_count = sum_count;
    if (flow->counts != NULL && flow->sums != NULL)
        return SCREE_OK;
    checkpoint_flow_free(flow);
    return SCREE_ERR_MEMORY;
}

void checkpoint_flow_free(scree_checkpoint_flow* flow)
{
    scree_free(flow->counts);
    scree_free(flow->sums);
    *flow = (scree_checkpoint_flow){0};
}

bool checkpoint_flow_is(const scree_sim_flow* flow, int32_t count)
{
    return flow->inserted > 0 || flow->removed > 0 || flow->next_id != count;
}

void checkpoint_flow_copy(const scree_sim_flow* from, scree_checkpoint_flow* to)
{
    const int64_t counts[SCREE_CHECKPOINT_FLOW_COUNTS] = {from->next_id, from->inserted, from->removed};
    const double sums[SCREE_CHECKPOINT_FLOW_SUMS] = {from->mass_inserted, from->mass_removed, from->energy_inserted, from->energy_removed, from->gravity_inserted, from->gravity_removed};
    memcpy(to->counts, counts, sizeof counts);
    memcpy(to->sums, sums, sizeof sums);
}

scree_sim_flow checkpoint_flow_of(const scree_checkpoint_flow* flow)
{
    const int64_t* n = flow->counts;
    const double* s = flow->sums;
    return (scree_sim_flow){.next_id = n[0],
                            .inserted = n[1],
                            .removed = n[2],
                            .mass_inserted = s[0],
                            .mass_removed = s[1],
                            .energy_inserted = s[2],
                            .energy_removed = s[3],
                            .gravity_inserted = s[4],
                            .gravity_removed = s[5]};
}

bool checkpoint_has_sphere(const scree_checkpoint* c, int64_t id)
{
    const int64_t* ids = c->flow.count > 0 && c->sim == NULL ? scree_checkpoint_get_values(c, "id", SCREE_TYPE_INT64) : NULL;
    if (ids == NULL)
        return id >= 0 && id < (c->flow.count > 0 ? c->flow.counts[0] : c->count);
    int64_t row = scree_first_not_below(ids, c->count, id);
    return row < c->count && ids[row] == id;
}

scree_status checkpoint_flow_check(const scree_checkpoint* c, scree_status status, const char* name)
{
    const scree_checkpoint_flow* f = &c->flow;
    if (f->count == 0)
        return SCREE_OK;
    if (f->count < SCREE_CHECKPOINT_FLOW_COUNTS || f->sum_count < SCREE_CHECKPOINT_FLOW_SUMS || f->counts == NULL || f->sums == NULL)
        return scree_fail(status, "%s: 'flow_counts' has %" PRId64 " and 'flow_sums' %" PRId64 " numbers; expected at least %d and %d", name, f->count, f->sum_count,
                          (int)SCREE_CHECKPOINT_FLOW_COUNTS, (int)SCREE_CHECKPOINT_FLOW_SUMS);
    for (int64_t k = 0; k < f->sum_count; ++k)
        if (!isfinite(f->sums[k]))
            return scree_fail(status, "%s: 'flow_sums': number %" PRId64 " is %g; expected a finite number", name, k, f->sums[k]);
    if (c->sim != NULL)  // the simulation has them
        return SCREE_OK;
    const int64_t* ids = scree_checkpoint_get_values(c, "id", SCREE_TYPE_INT64);
    if (ids == NULL && c->count > 0)
        return scree_fail(status, "%s: spheres were inserted or removed; expected a column 'id' (int64)", name);
    for (int32_t i = 0; i < c->count; ++i)
        if (ids[i] < 0 || (i > 0 && ids[i] <= ids[i - 1]) || ids[i] >= f->counts[0])
            return scree_fail(status, "%s: 'id': row %" PRId32 " is sphere %" PRId64 "; expected rising numbers from 0 on and below %" PRId64, name, i, ids[i], f->counts[0]);
    return SCREE_OK;
}

scree_status scree_checkpoint_set_flow(scree_checkpoint* checkpoint, int64_t count, const int64_t* counts, int64_t sum_count, const double* sums)
{
    SCREE_NEED(checkpoint);
    if (count > 0)
        SCREE_NEED(counts);
    if (sum_count > 0)
        SCREE_NEED(sums);
    if (count < 0 || sum_count < 0)
        return scree_fail(SCREE_ERR_ARGUMENT, "checkpoint: %" PRId64 " counts and %" PRId64 " sums of flow; expected 0 or more", count, sum_count);
    scree_checkpoint_flow made, *old = &checkpoint->flow;
    if (checkpoint_flow_reserve(&made, SCREE_CHECKPOINT_FLOW_COUNTS + count, SCREE_CHECKPOINT_FLOW_SUMS + sum_count) != SCREE_OK)
        return SCREE_ERR_MEMORY;
    made.counts[0] = checkpoint->count;
    if (old->count > 0) {
        memcpy(made.counts, old->counts, SCREE_CHECKPOINT_FLOW_COUNTS * sizeof *made.counts);
        memcpy(made.sums, old->sums, SCREE_CHECKPOINT_FLOW_SUMS * sizeof *made.sums);
    }
    if (count > 0)
        memcpy(made.counts + SCREE_CHECKPOINT_FLOW_COUNTS, counts, (size_t)count * sizeof *counts);
    if (sum_count > 0)
        memcpy(made.sums + SCREE_CHECKPOINT_FLOW_SUMS, sums, (size_t)sum_count * sizeof *sums);
    checkpoint_flow_free(old);
    *old = made;
    checkpoint->format_version = SCREE_CHECKPOINT_VERSION;
    return SCREE_OK;
}
