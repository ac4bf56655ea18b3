#include "files/checkpoint_bonds.h"

#include "base/parallel.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

void checkpoint_bonds_free(scree_checkpoint_bonds* b)
{
    scree_free(b->ij);
    scree_free(b->shift);
    scree_free(b->kind);
    scree_free(b->length);
    scree_free(b->values);
    scree_free(b->released);
    scree_free(b->broken_at);
    scree_free(b->cause);
    *b = (scree_checkpoint_bonds){0};
}

scree_status checkpoint_bonds_reserve(scree_checkpoint_bonds* b, int64_t count, bool periodic)
{
    size_t n = (size_t)count;
    if (count == 0)
        return SCREE_OK;
    *b = (scree_checkpoint_bonds){.count = count,
                                  .periodic = periodic,
                                  .ij = scree_malloc(n, sizeof *b->ij),
                                  .shift = periodic ? scree_malloc(n, sizeof *b->shift) : NULL,
                                  .kind = scree_malloc(n, sizeof *b->kind),
                                  .length = scree_malloc(n, sizeof *b->length),
                                  .values = scree_malloc(n * SCREE_BOND_WORDS, sizeof *b->values),
                                  .released = scree_malloc(n, sizeof *b->released),
                                  .broken_at = scree_malloc(n, sizeof *b->broken_at),
                                  .cause = scree_malloc(n, sizeof *b->cause)};
    if (b->ij != NULL && (!periodic || b->shift != NULL) && b->kind != NULL && b->length != NULL && b->values != NULL && b->released != NULL && b->broken_at != NULL &&
        b->cause != NULL)
        return SCREE_OK;
    checkpoint_bonds_free(b);
    return SCREE_ERR_MEMORY;
}

static scree_status copy(const scree_sim_bonds* from, scree_checkpoint_bonds* to, bool stops)
{
    const size_t n = (size_t)from->count;
    const struct {
        void* to;
        const void* from;
        size_t bytes;
    } arrays[] = {{to->ij, from->ij, sizeof *to->ij},
                  {to->periodic ? to->shift : NULL, from->shift, sizeof *to->shift},
                  {to->kind, from->kind, sizeof *to->kind},
                  {to->length, from->length, sizeof *to->length},
                  {to->values, from->values, SCREE_BOND_WORDS * sizeof *to->values},
                  {to->released, from->released, sizeof *to->released},
                  {to->broken_at, from->broken_at, sizeof *to->broken_at},
                  {to->cause, from->cause, sizeof *to->cause}};
    scree_status status = SCREE_OK;
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays && n > 0 && status == SCREE_OK; ++k) {
        if (arrays[k].to != NULL)
            memcpy(arrays[k].to, arrays[k].from, n * arrays[k].bytes);
        status = stops ? scree_watch_own("checkpoint", 0, 1) : SCREE_OK;
    }
    if (n > 0) {
        to->sums[0] = from->dissipated;
        to->sums[1] = from->dissipated_next;
    }
    return status;
}

scree_status checkpoint_bonds_copy(const scree_sim_bonds* from, scree_checkpoint_bonds* to)
{
    return copy(from, to, true);
}

void checkpoint_bonds_overwrite(const scree_sim_bonds* from, scree_checkpoint_bonds* to)
{
    (void)copy(from, to, false);
}

scree_sim_bonds checkpoint_bonds_of(const scree_checkpoint_bonds* b)
{
    return (scree_sim_bonds){.count = b->count,
                             .ij = (const int64_t(*)[2])b->ij,
                             .shift = (const int8_t(*)[3])b->shift,
                             .kind = b->kind,
                             .length = b->length,
                             .values = b->values,
                             .broken_at = b->broken_at,
                             .cause = b->cause,
                             .released = b->released,
                             .dissipated = b->sums[0],
                             .dissipated_next = b->sums[1]};
}

// What a hash needs; scree_sim_set_state compares the rest with the bonds of the simulation.
scree_status checkpoint_bonds_check(const scree_checkpoint* c, scree_status status, const char* name)
{
    const scree_checkpoint_bonds* b = &c->bonds;
    if (b->count < 0 || b->count > INT32_MAX)
        return scree_fail(status, "%s: %" PRId64 " bonds; expected 0 to %d", name, b->count, INT32_MAX);
    if (c->sim != NULL && b->ij == NULL)  // the simulation has them
        return SCREE_OK;
    if (b->count > 0 && (b->ij == NULL || b->kind == NULL || b->length == NULL || b->values == NULL || b->broken_at == NULL || b->cause == NULL || b->released == NULL ||
                         (b->periodic && b->shift == NULL)))
        return scree_fail(status, "%s: %" PRId64 " bonds, and one of their arrays is NULL; expected all", name, b->count);
    for (int64_t k = 0; k < b->count; ++k) {
        if (b->ij[k][0] < 0 || b->ij[k][0] >= b->ij[k][1] || b->ij[k][1] >= c->count)
            return scree_fail(status, "%s: 'bond_ij': bond %" PRId64 " is between spheres %" PRId64 " and %" PRId64 "; expected two below %d, the lower first", name, k,
                              b->ij[k][0], b->ij[k][1], (int)c->count);
        if (b->broken_at[k] > c->step)
            return scree_fail(status, "%s: 'bond_broken_at': bond %" PRId64 " broke at step %" PRId64 "; expected a step up to %" PRId64 ", that of the checkpoint", name, k, b->broken_at[k], c->step);
        if (!(b->length[k] > 0.0 && b->length[k] <= SCREE_LENGTH_MAX))
            return scree_fail(status, "%s: 'bond_length': bond %" PRId64 " has a length of %g; expected a number above 0", name, k, b->length[k]);
    }
    return SCREE_OK;
}
