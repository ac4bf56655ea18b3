// The contacts of a part against all pairs (part.h): def.check of a simulation in parts.
#include "geom/pair.h"
#include "sim/part_inner.h"

#include <string.h>

bool part_is_verified(const scree_sim* sim)
{
    return sim->def.check;
}

// Whether a pair is in the list of this part: its smaller sphere is own, or the larger one is and is no giant (par/halo.c).
static bool is_wanted(const scree_sim* sim, const part_stub* a, const part_stub* b, bool own_a, bool own_b)
{
    bool first = a->x[3] == b->x[3] && part_is_giant(sim, a) ? a->id < b->id : a->x[3] <= b->x[3];
    return first ? own_a || (own_b && !part_is_giant(sim, b)) : own_b || (own_a && !part_is_giant(sim, a));
}

scree_status part_verify_contacts(scree_sim* sim, int32_t count, const part_stub* const* stubs)
{
    const scree_candidate_rows* l = &sim->lists.rows;
    double (*xr)[4] = scree_malloc((size_t)count + 1, sizeof *xr);
    int32_t* place = scree_malloc((size_t)sim->n + 1, sizeof *place);  // of the part's spheres among all
    uint8_t* own = scree_calloc((size_t)count + 1, 1);
    scree_pairs truth = {0};
    scree_status status = xr == NULL || place == NULL || own == NULL ? SCREE_ERR_MEMORY : SCREE_OK;
    for (int32_t i = 0; i < count && status == SCREE_OK; ++i)
        memcpy(xr[i], stubs[i]->x, sizeof *xr);
    for (int32_t rank = 0, i = 0; rank < sim->n && status == SCREE_OK; ++rank, ++i) {
        while (i < count && stubs[i]->id != sim->id[rank])
            ++i;
        if (i == count) {
            status = scree_fail(SCREE_ERR_ARGUMENT, "sim: a rank has its spheres in another order than the others. This is a bug; please report it");
            break;
        }
        place[rank] = i;
        own[i] = sim->ghost[rank] == 0;
    }
    if (status == SCREE_OK)
        status = sim_find_all_pairs(sim, count, (const double(*)[4])xr, &truth);
    for (int64_t c = 0, t = 0; c <= l->count && status == SCREE_OK; ++c) {
        double offset[3] = {0.0, 0.0, 0.0};
        bool here = c < l->count;
        int32_t ij[2] = {here ? place[l->ij[c][0]] : 0, here ? place[l->ij[c][1]] : 0};
        if (sim->periodic && here)
            cell_offset(&sim->cell, l->shift[c], offset);
        if (here && !scree_is_pair(xr[ij[0]], xr[ij[1]], offset, 0.0))
            continue;
        for (; t < truth.count; ++t) {
            const part_stub *a = stubs[truth.ij[t][0]], *b = stubs[truth.ij[t][1]];
            if (is_wanted(sim, a, b, own[truth.ij[t][0]] != 0, own[truth.ij[t][1]] != 0) && !(a->fixed != 0 && b->fixed != 0))
                break;
        }
        bool more = t < truth.count;
        if (more && here && memcmp(truth.ij[t], ij, sizeof ij) == 0 && (!sim->periodic || memcmp(truth.shift[t], l->shift[c], sizeof *l->shift) == 0)) {
            ++t;
            continue;
        }
        if (more || here)
            status = sim_say_differs(sim, stubs[more ? truth.ij[t][0] : ij[0]]->id, stubs[more ? truth.ij[t][1] : ij[1]]->id);
    }
    scree_free(xr);
    scree_free(place);
    scree_free(own);
    return status;
}
