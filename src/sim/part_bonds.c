// Bonds of parts (part.h). A bond is stored in the parts of both of its spheres and computed in both, from the same numbers. An intact bond has both spheres there. For a broken one each part has at least its own
// sphere, and counts how that one was wrapped since: the shift follows from both counts when the bond is assembled.
#include "sim/part_inner.h"

#include "base/array.h"
#include "base/sort.h"
#include "sim/bond_work.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
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

void part_bond_pack(const scree_sim* sim, int64_t at, bool measured, char* out)
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
    if (measured && record.of.broken_at < 0)
        record.distance = bond_distance(sim, &record.of);
    memcpy(out, &record, sizeof record);
}

void part_bond_look(const char* record, part_bond_seen* out)
{
    part_bond b;
    memcpy(&b, record, sizeof b);
    *out = (part_bond_seen){.id = {b.id[0], b.id[1]}, .holds = b.of.broken_at < 0, .distance = b.distance};
}

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

// ---- Of spheres that are not made yet --------------------------------------------------------------------------------

void part_source_bonds_begin(const part_source* source)
{
    bonds_begin(source->bonds);
}

scree_status part_source_bonds_next(const part_source* source, scree_pairs pairs)
{
    return bonds_next(source->bonds, pairs);
}

int64_t part_source_bond_count(const part_source* source)
{
    return source->bonds->slice.count;
}

void part_source_bond_ends(const part_source* source, int64_t at, double x[2][3])
{
    const int32_t* ij = source->bonds->slice.ij[at];
    const int dim = source->spheres.dim;
    for (int side = 0; side < 2; ++side)
        for (int k = 0; k < 3; ++k)
            x[side][k] = k < dim ? source->spheres.x[(int64_t)ij[side] * dim + k] : 0.0;
}

void part_source_bond_pack(const scree_sim* whole, const part_source* source, int64_t at, char* out)
{
    const int32_t* ij = source->bonds->slice.ij[at];
    const scree_box* box = &whole->def.box;
    part_bond record;
    double x[2][3];
    memset(&record, 0, sizeof record);
    record.of = bond_from_table(source->def, source->spheres, &source->bonds->slice, at);
    record.of.number += source->bonds->first;
    record.owned = 3;
    record.distance = bond_length_now(source->def, source->spheres, ij[0], ij[1], record.of.shift);
    part_source_bond_ends(source, at, x);
    for (int side = 0; side < 2; ++side) {
        record.id[side] = source->each != NULL && source->each->id != NULL ? source->each->id[ij[side]] : ij[side];
        for (int k = 0; k < whole->dim; ++k) {  // the spheres are wrapped when they are made (part_pour)
            double turns = 0.0;
            (void)scree_box_wrap(box, k, x[side][k], &turns);
            if (box->periodic[k])
                record.of.shift[k] = (int8_t)(record.of.shift[k] + (side == 0 ? -turns : turns));
        }
    }
    memcpy(out, &record, sizeof record);
}

// ---- By number -------------------------------------------------------------------------------------------------------

int64_t part_bond_number(const scree_sim* sim, int64_t at)
{
    return sim->bonds.bonds[at].number;
}

scree_status part_bonds_sort(const scree_sim* sim, int64_t* out, int64_t* count)
{
    int64_t n = 0;
    int64_t* key = scree_malloc(2 * (size_t)sim->bonds.count + 1, sizeof *key);
    uint32_t* word = scree_malloc(2 * (size_t)sim->bonds.count + 1, sizeof *word);
    scree_status status = key == NULL || word == NULL ? SCREE_ERR_MEMORY : SCREE_OK;
    for (int64_t at = 0; at < sim->bonds.count && status == SCREE_OK; ++at) {
        const bond* b = &sim->bonds.bonds[at];
        bool own = false;
        for (int side = 0; side < 2; ++side)
            own = own || (b->rank[side] >= 0 && sim->ghost[b->rank[side]] == 0);
        if (own) {
            key[n] = b->number;
            word[n++] = (uint32_t)at;
        }
    }
    if (status == SCREE_OK)
        scree_sort_with(key, word, key + n, word + n, n);
    for (int64_t k = 0; k < n && status == SCREE_OK; ++k)
        out[k] = word[k];
    *count = n;
    scree_free(key);
    scree_free(word);
    return status;
}

// ---- A state ---------------------------------------------------------------------------------------------------------

typedef struct bond_state {
    int64_t number, broken_at;
    double released, distance, words[bond_words];
    int8_t shift[3];
    uint8_t cause;
} bond_state;

size_t part_bond_state_bytes(void)
{
    return (sizeof(bond_state) + 7) / 8 * 8;
}

void part_bond_state_put(const scree_sim_bonds* state, int64_t number, const scree_box* box, const double* x[2], char* out)
{
    bond_state s;
    double square = 0.0;
    memset(&s, 0, sizeof s);
    s.number = number;
    s.broken_at = state->broken_at[number];
    s.released = state->released[number];
    s.cause = state->cause[number];
    memcpy(s.words, state->values + number * bond_words, sizeof s.words);
    for (int k = 0; k < box->dim; ++k) {
        s.shift[k] = state->shift != NULL ? state->shift[number][k] : 0;
        double d = x[0][k] - x[1][k] - (box->periodic[k] ? s.shift[k] * (box->upper[k] - box->lower[k]) : 0.0);
        square += d * d;
    }
    s.distance = sqrt(square);
    memcpy(out, &s, sizeof s);
}

static void set_record(part_bond* b, const bond_state* s)
{
    if (b->of.turned)
        turn(b);
    b->of.broken_at = s->broken_at;
    b->of.released = s->released;
    b->of.cause = s->cause;
    b->distance = s->distance;
    memcpy(b->of.words, s->words, sizeof s->words);
    memcpy(b->of.shift, s->shift, sizeof s->shift);
    memset(b->of.drift, 0, sizeof b->of.drift);
    if (s->broken_at >= 0)
        bond_clear_forces(&b->of);
}

scree_status part_bonds_set(char* records, int64_t count, const char* states, int64_t state_count)
{
    part_bond* all = scree_malloc((size_t)count + 1, sizeof *all);
    if (all == NULL)
        return SCREE_ERR_MEMORY;
    for (int64_t b = 0; b < count; ++b)
        memcpy(all + b, records + (size_t)b * part_bond_bytes(), sizeof *all);
    if (count > 1)
        qsort(all, (size_t)count, sizeof *all, by_number);
    for (int64_t e = 0, b = 0; e < state_count; ++e) {  // these rise
        bond_state s;
        memcpy(&s, states + (size_t)e * part_bond_state_bytes(), sizeof s);
        while (b < count && all[b].of.number < s.number)
            ++b;
        for (; b < count && all[b].of.number == s.number; ++b)
            set_record(&all[b], &s);
    }
    for (int64_t b = 0; b < count; ++b)
        memcpy(records + (size_t)b * part_bond_bytes(), all + b, sizeof *all);
    scree_free(all);
    return SCREE_OK;
}

// ---- In ------------------------------------------------------------------------------------------------------------

// What the owner of the other side knows.
static void join(part_bond* to, part_bond* from)
{
    if (from->id[0] != to->id[0])
        turn(from);
    for (int side = 0; side < 2; ++side)
        if ((from->owned >> side & 1) != 0)
            memcpy(to->of.drift[side], from->of.drift[side], sizeof to->of.drift[side]);
    to->owned |= from->owned;
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
        join(last, &all[e]);
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
    double (*force)[3], (*torque)[3];
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
    scree_free(b->force);
    scree_free(b->torque);
    scree_free(b);
}

// Arrays of `count` bonds, as they are shown.
static scree_status make_shown(part_bonds* b, const scree_sim* whole, int64_t count)
{
    size_t n = (size_t)count + 1;
    b->ij = scree_malloc(n, sizeof *b->ij);
    b->shift = scree_malloc(n, sizeof *b->shift);
    b->kind = scree_malloc(n, sizeof *b->kind);
    b->length = scree_malloc(n, sizeof *b->length);
    b->values = scree_malloc(n * bond_words, sizeof *b->values);
    b->released = scree_malloc(n, sizeof *b->released);
    b->broken_at = scree_malloc(n, sizeof *b->broken_at);
    b->cause = scree_malloc(n, sizeof *b->cause);
    b->force = scree_malloc(n, sizeof *b->force);
    b->torque = scree_malloc(n, sizeof *b->torque);
    if (b->ij == NULL || b->shift == NULL || b->kind == NULL || b->length == NULL || b->values == NULL || b->released == NULL || b->broken_at == NULL || b->cause == NULL || b->force == NULL || b->torque == NULL)
        return SCREE_ERR_MEMORY;
    b->shown = (scree_sim_bonds){.count = count,
                                 .ij = (const int64_t(*)[2])b->ij,
                                 .shift = whole->periodic ? (const int8_t(*)[3])b->shift : NULL,
                                 .kind = b->kind,
                                 .length = b->length,
                                 .values = b->values,
                                 .broken_at = b->broken_at,
                                 .cause = b->cause,
                                 .released = b->released,
                                 .force = (const double(*)[3])b->force,
                                 .torque = (const double(*)[3])b->torque,
                                 .dissipated = whole->bonds.dissipated,
                                 .dissipated_next = whole->bonds.dissipated_next};
    return SCREE_OK;
}

// As the sphere of the lower id sees it, with the shift that both owners together know.
static void straighten(part_bond* b)
{
    if (b->of.turned)
        turn(b);
    for (int k = 0; k < 3; ++k) {
        b->of.shift[k] = (int8_t)(b->of.shift[k] + b->of.drift[0][k] + b->of.drift[1][k]);
        b->of.drift[0][k] = b->of.drift[1][k] = 0;
    }
}

static void show_one(part_bonds* to, int64_t e, const part_bond* from)
{
    memcpy(to->ij[e], from->id, sizeof from->id);
    memcpy(to->shift[e], from->of.shift, sizeof from->of.shift);
    memcpy(to->values + e * bond_words, from->of.words, sizeof from->of.words);
    to->kind[e] = from->of.kind;
    to->length[e] = from->of.length;
    to->released[e] = from->of.released;
    to->broken_at[e] = from->of.broken_at;
    to->cause[e] = from->of.cause;
    bond_show_forces(&from->of, to->force[e], to->torque[e]);
}

scree_status part_bonds_room(const scree_sim* whole, int64_t count, part_bonds** out)
{
    part_bonds* b = *out = scree_calloc(1, sizeof *b);
    return b == NULL ? SCREE_ERR_MEMORY : make_shown(b, whole, count);
}

scree_status part_bonds_show(part_bonds* to, int64_t first, const char* records, int64_t count)
{
    part_bond one, *all = scree_malloc((size_t)count + 1, sizeof *all);  // by number: those that follow `begin`
    int32_t* at = scree_malloc((size_t)count + 1, sizeof *at);           // where they are; -1: nowhere yet
    scree_status status = all == NULL || at == NULL ? SCREE_ERR_MEMORY : SCREE_OK;
    int64_t begin = INT64_MAX, joined = 0;
    for (int64_t e = 0; e < count && status == SCREE_OK; ++e) {
        memcpy(&one, records + (size_t)e * part_bond_bytes(), sizeof one);
        begin = one.of.number < begin ? one.of.number : begin;
        at[e] = -1;
    }
    for (int64_t e = 0; e < count && status == SCREE_OK; ++e) {
        memcpy(&one, records + (size_t)e * part_bond_bytes(), sizeof one);
        int64_t place = one.of.number - begin;
        assert(place < count && one.of.number - first < to->shown.count);  // they are without gaps
        if (at[place] >= 0) {
            join(&all[at[place]], &one);
        } else {
            at[place] = (int32_t)joined;
            all[joined++] = one;
        }
    }
    for (int64_t e = 0; e < joined; ++e) {
        straighten(&all[e]);
        show_one(to, all[e].of.number - first, &all[e]);
    }
    scree_free(all);
    scree_free(at);
    return status;
}

const scree_sim_bonds* part_bonds_shown(const part_bonds* b)
{
    return &b->shown;
}

scree_status part_bonds_gather(const scree_sim* whole, const char* records, int64_t count, part_bonds** out)
{
    *out = NULL;
    if (!part_has_bonds(whole))
        return SCREE_OK;
    part_bonds* b = *out = scree_calloc(1, sizeof *b);
    if (b == NULL || unpack(records, count, &b->all, &b->count) != SCREE_OK || make_shown(b, whole, b->count) != SCREE_OK)
        return SCREE_ERR_MEMORY;
    for (int64_t e = 0; e < b->count; ++e) {
        straighten(&b->all[e]);
        show_one(b, e, &b->all[e]);
    }
    return SCREE_OK;
}

scree_status part_bonds_join(scree_sim* whole, const part_bonds* b)
{
    if (b == NULL)
        return SCREE_OK;
    bond* bonds = scree_malloc((size_t)b->count + 1, sizeof *bonds);
    if (bonds == NULL)
        return SCREE_ERR_MEMORY;
    for (int64_t e = 0; e < b->count; ++e) {
        bonds[e] = b->all[e].of;
        for (int side = 0; side < 2; ++side)
            bonds[e].rank[side] = (int32_t)sim_row_of(whole, b->all[e].id[side]);
    }
    scree_status status = bonds_set(whole, bonds, b->count);
    scree_free(bonds);
    return status;
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
