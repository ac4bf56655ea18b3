// Bonds of parts (part.h). A bond is stored in the parts of both of its spheres and computed in both, from the same numbers. An intact bond has both spheres there. For a broken one each part has at least its own
// sphere, and counts how that one was wrapped since: the shift follows from both counts when the bond is assembled.
#include "sim/part_inner.h"

#include "base/array.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

typedef struct part_bond {
    int64_t id[2];       // of its two sides
    int64_t owned;       // bits: which of them was own where this record comes from
    double distance;     // of the two
    bond of;
} part_bond;

size_t part_bond_bytes(void)
{
    return (sizeof(part_bond) + 7) / 8 * 8;
}

int64_t part_bond_count(const scree_sim* sim)
{
    return sim->bonds.count;
}

bool part_has_bonds(const scree_sim* sim)
{
    return sim->numbers.bond_count > 0;
}

void part_bond_ranks(const scree_sim* sim, int64_t at, int32_t out[2])
{
    memcpy(out, sim->bonds.bonds[at].rank, 2 * sizeof *out);
}

void part_bond_pack(const scree_sim* sim, int64_t at, char* out)
{
    part_bond record;
    memset(&record, 0, sizeof record);
    record.of = sim->bonds.bonds[at];
    const int32_t* rank = record.of.rank;
    for (int side = 0; side < 2; ++side) {
        record.id[side] = rank[side] >= 0 ? sim->id[rank[side]] : record.of.gone;
        if (rank[side] >= 0 && (sim->ghost == NULL || sim->ghost[rank[side]] == 0))
            record.owned |= (int64_t)1 << side;
    }
    if (record.of.broken_at < 0)
        record.distance = bond_distance(sim, &record.of);
    memcpy(out, &record, sizeof record);
}

void part_bond_look(const char* record, part_bond_seen* out)
{
    part_bond b;
    memcpy(&b, record, sizeof b);
    *out = (part_bond_seen){.id = {b.id[0], b.id[1]}, .holds = b.of.broken_at < 0, .distance = b.distance};
}

// ---- In ------------------------------------------------------------------------------------------------------------

static int by_number(const void* a, const void* b)
{
    const part_bond *s = a, *t = b;
    return s->of.number != t->of.number ? (s->of.number < t->of.number ? -1 : 1) : 0;
}

static void turn(part_bond* b)
{
    int64_t id = b->id[0];
    bond_turn_round(&b->of);
    b->id[0] = b->id[1];
    b->id[1] = id;
    b->owned = (b->owned & 1) << 1 | (b->owned >> 1 & 1);
}

// Each once, by number, with what the owners of its two sides know.
static int64_t join_twins(part_bond* all, int64_t count)
{
    int64_t to = 0;
    if (count > 1)
        qsort(all, (size_t)count, sizeof *all, by_number);
    for (int64_t e = 0; e < count; ++e) {
        part_bond* last = to > 0 ? &all[to - 1] : NULL;
        if (last == NULL || last->of.number != all[e].of.number) {
            all[to++] = all[e];
            continue;
        }
        if (all[e].id[0] != last->id[0])
            turn(&all[e]);
        for (int side = 0; side < 2; ++side)
            if ((all[e].owned >> side & 1) != 0)
                memcpy(last->of.drift[side], all[e].of.drift[side], sizeof last->of.drift[side]);
        last->owned |= all[e].owned;
    }
    return to;
}

static scree_status unpack(const char* records, int64_t count, part_bond** out, int64_t* joined)
{
    *out = scree_malloc((size_t)count + 1, sizeof **out);
    if (*out == NULL)
        return SCREE_ERR_MEMORY;
    for (int64_t b = 0; b < count; ++b)
        memcpy(*out + b, records + (size_t)b * part_bond_bytes(), sizeof **out);
    *joined = join_twins(*out, count);
    return SCREE_OK;
}

scree_status part_bonds_take(scree_sim* sim, const char* records, int64_t count)
{
    part_bond* all;
    if (!part_has_bonds(sim))
        return SCREE_OK;
    scree_status status = unpack(records, count, &all, &count);
    if (status == SCREE_OK)
        status = part_rank_rows(sim);
    bond* bonds = scree_malloc((size_t)count + 1, sizeof *bonds);
    if (status == SCREE_OK && bonds == NULL)
        status = SCREE_ERR_MEMORY;
    for (int64_t b = 0; b < count && status == SCREE_OK; ++b) {
        bonds[b] = all[b].of;
        for (int side = 0; side < 2; ++side) {
            bonds[b].rank[side] = part_rank_of(sim, all[b].id[side]);
            if (bonds[b].rank[side] < 0)
                bonds[b].gone = all[b].id[side];
            if (bonds[b].rank[side] < 0 && bonds[b].broken_at < 0 && status == SCREE_OK)
                status = scree_fail(SCREE_ERR_ARGUMENT, "sim: a rank has the bond of spheres %" PRId64 " and %" PRId64 ", but not the second sphere. This is a bug; please report it", all[b].id[1 - side], all[b].id[side]);
        }
    }
    if (status == SCREE_OK)
        status = bonds_set(sim, bonds, count);
    scree_free(bonds);
    scree_free(all);
    return status;
}

// ---- All bonds in one simulation again -----------------------------------------------------------------------------

struct part_bonds {
    part_bond* all;
    int64_t count;
    scree_sim_bonds shown;
    int64_t (*ij)[2];
    int8_t (*shift)[3];
    int32_t* kind;
    double *length, *values, *released;
    int64_t* broken_at;
    uint8_t* cause;
};

void part_bonds_free(part_bonds* b)
{
    if (b == NULL)
        return;
    scree_free(b->all);
    scree_free(b->ij);
    scree_free(b->shift);
    scree_free(b->kind);
    scree_free(b->length);
    scree_free(b->values);
    scree_free(b->released);
    scree_free(b->broken_at);
    scree_free(b->cause);
    scree_free(b);
}

scree_status part_bonds_gather(const scree_sim* whole, const char* records, int64_t count, part_bonds** out)
{
    *out = NULL;
    if (!part_has_bonds(whole))
        return SCREE_OK;
    part_bonds* b = *out = scree_calloc(1, sizeof *b);
    if (b == NULL || unpack(records, count, &b->all, &b->count) != SCREE_OK)
        return SCREE_ERR_MEMORY;
    size_t n = (size_t)b->count;
    b->ij = scree_malloc(n, sizeof *b->ij);
    b->shift = scree_malloc(n, sizeof *b->shift);
    b->kind = scree_malloc(n, sizeof *b->kind);
    b->length = scree_malloc(n, sizeof *b->length);
    b->values = scree_malloc(n * bond_words, sizeof *b->values);
    b->released = scree_malloc(n, sizeof *b->released);
    b->broken_at = scree_malloc(n, sizeof *b->broken_at);
    b->cause = scree_malloc(n, sizeof *b->cause);
    if (b->ij == NULL || b->shift == NULL || b->kind == NULL || b->length == NULL || b->values == NULL || b->released == NULL || b->broken_at == NULL || b->cause == NULL)
        return SCREE_ERR_MEMORY;
    for (int64_t e = 0; e < b->count; ++e) {
        part_bond* from = &b->all[e];
        if (from->of.turned)
            turn(from);
        for (int k = 0; k < 3; ++k) {
            from->of.shift[k] = (int8_t)(from->of.shift[k] + from->of.drift[0][k] + from->of.drift[1][k]);
            from->of.drift[0][k] = from->of.drift[1][k] = 0;
        }
        memcpy(b->ij[e], from->id, sizeof from->id);
        memcpy(b->shift[e], from->of.shift, sizeof from->of.shift);
        memcpy(b->values + e * bond_words, from->of.words, sizeof from->of.words);
        b->kind[e] = from->of.kind;
        b->length[e] = from->of.length;
        b->released[e] = from->of.released;
        b->broken_at[e] = from->of.broken_at;
        b->cause[e] = from->of.cause;
    }
    b->shown = (scree_sim_bonds){.count = b->count,
                                 .ij = (const int64_t(*)[2])b->ij,
                                 .shift = whole->periodic ? (const int8_t(*)[3])b->shift : NULL,
                                 .kind = b->kind,
                                 .length = b->length,
                                 .values = b->values,
                                 .broken_at = b->broken_at,
                                 .cause = b->cause,
                                 .released = b->released};
    return SCREE_OK;
}

const scree_sim_bonds* part_bonds_state(part_bonds* b, const scree_sim* part)
{
    if (b == NULL)
        return NULL;
    b->shown.dissipated = part->bonds.dissipated;
    b->shown.dissipated_next = part->bonds.dissipated_next;
    return &b->shown;
}

// Forces are from the last pass: a bond that broke in it has half of them.
void part_bonds_put_forces(scree_sim* whole, const part_bonds* b)
{
    for (int64_t at = 0; b != NULL && at < whole->bonds.count; ++at) {
        bond *to = &whole->bonds.bonds[at], from = b->all[to->number].of;
        if (from.broken_at >= 0 && from.broken_at < whole->step)
            continue;
        if (to->turned)
            bond_turn_round(&from);
        memcpy(to->force, from.force, sizeof to->force);
        memcpy(to->torque, from.torque, sizeof to->torque);
    }
}
