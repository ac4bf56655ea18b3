// Spheres to the owners of their centres. Movers may jump anywhere; each keeps its key and id, so that it finds its place in the order of any rank. What contacts remember goes to the owner of
// each of the two spheres: who gets it twice, from both, keeps one.
#include "par/ranks.h"

#include "base/array.h"
#include "par/merge.h"

#include <stdlib.h>
#include <string.h>

void own_free(own_spheres* own)
{
    scree_free(own->memory);
    scree_free(own->stub);
    scree_free(own->contact_memory);
    scree_free(own->bond_memory);
    *own = (own_spheres){.count = 0};
}

// ---- Out -----------------------------------------------------------------------------------------------------------

typedef struct leaving {
    int32_t* owner;          // by rank in the part; -1: a ghost
    int32_t* who;            // ranks in the part, by owner,
    int64_t* first;          // and where those of each owner begin
    int64_t (*count)[3];     // spheres, contacts and bonds for each rank
    char** to[3];            // where the next of each goes
    scree_sim_memory memory;
    size_t contact_bytes;
} leaving;

static void free_leaving(leaving* l)
{
    scree_free(l->owner);
    scree_free(l->who);
    scree_free(l->first);
    scree_free(l->count);
    scree_free(l->to[0]);
    scree_free(l->to[1]);
    scree_free(l->to[2]);
}

// The one or two owners of a contact.
static int owners_of(const leaving* l, const scree_sim* sim, int64_t c, int32_t out[2])
{
    int count = 0;
    for (int e = 0; e < 2; ++e) {
        int64_t id = l->memory.ij[c][e];
        int32_t rank = id >= 0 ? part_rank_of(sim, id) : -1, owner = rank >= 0 ? l->owner[rank] : -1;
        if (owner >= 0 && (count == 0 || out[0] != owner))
            out[count++] = owner;
    }
    return count;
}

// The same of a bond.
static int owners_of_bond(const leaving* l, const scree_sim* sim, int64_t b, int32_t out[2])
{
    int32_t rank[2];
    int count = 0;
    part_bond_ranks(sim, b, rank);
    for (int side = 0; side < 2; ++side) {
        int32_t owner = rank[side] >= 0 ? l->owner[rank[side]] : -1;
        if (owner >= 0 && (count == 0 || out[0] != owner))
            out[count++] = owner;
    }
    return count;
}

static scree_status count_leaving(leaving* l, par_rank* me, const par_forest* forest, scree_sim* sim)
{
    size_t n = (size_t)part_count(sim), ranks = (size_t)forest->ranks;
    l->owner = scree_malloc(n, sizeof *l->owner);
    l->who = scree_malloc(n, sizeof *l->who);
    l->first = scree_calloc(ranks + 1, sizeof *l->first);
    l->count = scree_calloc(ranks, sizeof *l->count);
    l->to[0] = scree_calloc(ranks, sizeof *l->to[0]);
    l->to[1] = scree_calloc(ranks, sizeof *l->to[1]);
    l->to[2] = scree_calloc(ranks, sizeof *l->to[2]);
    if (l->owner == NULL || l->who == NULL || l->first == NULL || l->count == NULL || l->to[0] == NULL || l->to[1] == NULL || l->to[2] == NULL)
        return SCREE_ERR_MEMORY;
    for (int32_t i = 0; i < part_count(sim); ++i) {
        part_stub stub;
        part_stub_of(sim, i, &stub);
        l->owner[i] = part_is_ghost(sim, i) ? -1 : forest_owner(forest, forest_key(forest, stub.x));
        if (l->owner[i] >= 0)
            ++l->count[l->owner[i]][0];
    }
    for (size_t p = 0; p < ranks; ++p)
        l->first[p + 1] = l->first[p] + l->count[p][0];
    for (int32_t i = 0; i < part_count(sim); ++i)
        if (l->owner[i] >= 0)
            l->who[l->first[l->owner[i]]++] = i;
    for (size_t p = ranks; p > 0; --p)
        l->first[p] = l->first[p - 1];
    l->first[0] = 0;
    scree_status status = part_memory(sim, &l->memory);
    l->contact_bytes = sizeof(contact_head) + (size_t)l->memory.words * sizeof(double);
    for (int64_t c = 0; c < l->memory.count && status == SCREE_OK; ++c) {
        int32_t owner[2];
        for (int e = owners_of(l, sim, c, owner); e > 0; --e)
            ++l->count[owner[e - 1]][1];
    }
    for (int64_t b = 0; b < part_bond_count(sim); ++b) {
        int32_t owner[2];
        for (int e = owners_of_bond(l, sim, b, owner); e > 0; --e)
            ++l->count[owner[e - 1]][2];
    }
    for (int32_t p = 0; p < forest->ranks && status == SCREE_OK; ++p) {
        int64_t bytes = (int64_t)sizeof *l->count + l->count[p][0] * (int64_t)me->own.bytes + l->count[p][1] * (int64_t)l->contact_bytes + l->count[p][2] * (int64_t)part_bond_bytes();
        if (p != me->rank && (l->count[p][0] > 0 || l->count[p][1] > 0 || l->count[p][2] > 0))
            status = par_post_add(me->out, p, bytes);
    }
    return status;
}

// Those that stay come first among the own ones.
static scree_status put_leaving(leaving* l, par_rank* me, const scree_sim* sim, int32_t ranks)
{
    own_spheres* own = &me->own;
    int64_t stay = l->count[me->rank][0], stay_contacts = l->count[me->rank][1], stay_bonds = l->count[me->rank][2];
    if (par_post_lay(me->out) != SCREE_OK || SCREE_RESERVE(own->memory, own->capacity, stay * (int64_t)own->bytes + 8) != SCREE_OK ||
        SCREE_RESERVE(own->contact_memory, own->contact_capacity, stay_contacts * (int64_t)l->contact_bytes + 8) != SCREE_OK ||
        SCREE_RESERVE(own->bond_memory, own->bond_capacity, stay_bonds * (int64_t)part_bond_bytes() + 8) != SCREE_OK)
        return SCREE_ERR_MEMORY;
    for (int32_t m = 0; m < me->out->count; ++m) {
        int32_t p = me->out->mail[m].peer;
        memcpy(me->out->mail[m].data, l->count[p], sizeof *l->count);
        l->to[0][p] = me->out->mail[m].data + sizeof *l->count;
        l->to[1][p] = l->to[0][p] + (size_t)l->count[p][0] * own->bytes;
        l->to[2][p] = l->to[1][p] + (size_t)l->count[p][1] * l->contact_bytes;
    }
    l->to[0][me->rank] = own->memory;
    l->to[1][me->rank] = own->contact_memory;
    l->to[2][me->rank] = own->bond_memory;
    for (int32_t p = 0; p < ranks; ++p)
        if (l->count[p][0] > 0)
            part_pack(sim, own->what, l->who + l->first[p], (int32_t)l->count[p][0], l->to[0][p]);
    for (int64_t c = 0; c < l->memory.count; ++c) {
        int32_t owner[2];
        contact_head head = {.ij = {l->memory.ij[c][0], l->memory.ij[c][1]}, .feature = l->memory.feature != NULL ? l->memory.feature[c] : -1};
        if (l->memory.shift != NULL)
            memcpy(head.shift, l->memory.shift[c], 3);
        for (int e = owners_of(l, sim, c, owner); e > 0; --e) {
            char** to = &l->to[1][owner[e - 1]];
            memcpy(*to, &head, sizeof head);
            memcpy(*to + sizeof head, l->memory.values + c * l->memory.words, (size_t)l->memory.words * sizeof(double));
            *to += l->contact_bytes;
        }
    }
    for (int64_t b = 0; b < part_bond_count(sim); ++b) {
        int32_t owner[2];
        for (int e = owners_of_bond(l, sim, b, owner); e > 0; --e) {
            part_bond_pack(sim, b, l->to[2][owner[e - 1]]);
            l->to[2][owner[e - 1]] += part_bond_bytes();
        }
    }
    own->count = (int32_t)stay;
    own->contacts = stay_contacts;
    own->bonds = stay_bonds;
    return SCREE_OK;
}

static scree_status leave(par_rank* me, const par_forest* forest, scree_sim* sim, part_what what)
{
    leaving l = {.owner = NULL};
    par_post_clear(me->out);
    me->own.what = what;
    me->own.bytes = part_bytes(me->sim, what);
    me->own.count = 0;
    me->own.contacts = me->own.bonds = 0;
    if (sim == NULL)
        return par_post_lay(me->out);
    scree_status status = count_leaving(&l, me, forest, sim);
    if (status == SCREE_OK)
        status = put_leaving(&l, me, sim, forest->ranks);
    free_leaving(&l);
    return status;
}

// ---- In ------------------------------------------------------------------------------------------------------------

static int by_key(const void* a, const void* b)
{
    const part_stub *s = *(const part_stub* const*)a, *t = *(const part_stub* const*)b;
    return part_is_before(s, t) ? -1 : part_is_before(t, s) ? 1 : 0;
}

// `sorted`: those that stay are.
static scree_status arrive(par_rank* me, int words, bool sorted)
{
    own_spheres* own = &me->own;
    size_t contact_bytes = sizeof(contact_head) + (size_t)words * sizeof(double);
    int64_t count = own->count, contacts = own->contacts, bonds = own->bonds, stay = sorted ? count : 0;
    for (int32_t m = 0; m < me->in->count; ++m) {
        int64_t more[3];
        memcpy(more, me->in->mail[m].data, sizeof more);
        count += more[0];
        contacts += more[1];
        bonds += more[2];
    }
    if (count > INT32_MAX)
        return scree_fail(SCREE_ERR_ARGUMENT, "par: rank %d would own %lld spheres; use more ranks", (int)me->rank, (long long)count);
    if (SCREE_RESERVE(own->memory, own->capacity, count * (int64_t)own->bytes + 8) != SCREE_OK || SCREE_RESERVE(own->contact_memory, own->contact_capacity, contacts * (int64_t)contact_bytes + 8) != SCREE_OK ||
        SCREE_RESERVE(own->stub, own->stub_capacity, count + 1) != SCREE_OK || SCREE_RESERVE(own->bond_memory, own->bond_capacity, bonds * (int64_t)part_bond_bytes() + 8) != SCREE_OK)
        return SCREE_ERR_MEMORY;
    for (int32_t m = 0; m < me->in->count; ++m) {
        int64_t more[3];
        const char* data = me->in->mail[m].data;
        memcpy(more, data, sizeof more);
        data += sizeof more;
        memcpy(own->memory + (size_t)own->count * own->bytes, data, (size_t)more[0] * own->bytes);
        memcpy(own->contact_memory + (size_t)own->contacts * contact_bytes, data + (size_t)more[0] * own->bytes, (size_t)more[1] * contact_bytes);
        memcpy(own->bond_memory + (size_t)own->bonds * part_bond_bytes(), data + (size_t)more[0] * own->bytes + (size_t)more[1] * contact_bytes, (size_t)more[2] * part_bond_bytes());
        own->count += (int32_t)more[0];
        own->contacts += more[1];
        own->bonds += more[2];
    }
    for (int32_t i = 0; i < own->count; ++i)
        own->stub[i] = (const part_stub*)(const void*)(own->memory + (size_t)i * own->bytes);
    merge_sorted(own->stub, (size_t)stay, (size_t)own->count, sizeof *own->stub, by_key);
    return SCREE_OK;
}

scree_status migrate(par_team* team, scree_sim* const* from, part_what what, bool others)
{
    scree_par* par = team->par;
    scree_status status = SCREE_OK;
    for (int32_t l = 0; l < par->local && status == SCREE_OK; ++l) {
        team->rank[l].out = &team->posts[POST_OUT][l];
        team->rank[l].in = &team->posts[POST_IN][l];
        status = leave(&team->rank[l], &team->forest, from[l], what);
    }
    status = par_agree(par, status);
    if (status == SCREE_OK)
        status = par_send(par, team->posts[POST_OUT], team->posts[POST_IN]);
    for (int32_t l = 0; l < par->local && status == SCREE_OK; ++l) {
        int32_t words = 0;
        scree_sim_get_law(team->rank[l].sim, &words);
        status = arrive(&team->rank[l], words, !others);
    }
    return par_agree(par, status);
}

// ---- Contacts in order ---------------------------------------------------------------------------------------------

typedef struct sortable {
    const contact_head* head;
    int64_t turn;
} sortable;

// Pairs by (i, j, shift); then those of boundaries by (i, boundary), in the order in which their one owner sent them.
static int by_name(const void* a, const void* b)
{
    const sortable *s = a, *t = b;
    const contact_head *x = s->head, *y = t->head;
    bool wall[2] = {x->ij[1] < 0, y->ij[1] < 0};
    if (wall[0] != wall[1])
        return wall[1] ? -1 : 1;
    if (x->ij[0] != y->ij[0])
        return x->ij[0] < y->ij[0] ? -1 : 1;
    if (x->ij[1] != y->ij[1])
        return (x->ij[1] < y->ij[1]) != wall[0] ? -1 : 1;
    for (int k = 0; k < 3; ++k)
        if (x->shift[k] != y->shift[k])
            return x->shift[k] < y->shift[k] ? -1 : 1;
    return wall[0] ? (s->turn > t->turn) - (s->turn < t->turn) : 0;
}

scree_status contacts_sorted(own_spheres* own, int words, bool shifted, scree_sim_memory* out)
{
    size_t count = (size_t)own->contacts + 1, bytes = sizeof(contact_head) + (size_t)words * sizeof(double);
    *out = (scree_sim_memory){.words = words};
    sortable* sorted = scree_malloc(count, sizeof *sorted);
    int64_t (*ij)[2] = scree_malloc(count, sizeof *ij);
    int8_t (*shift)[3] = shifted ? scree_malloc(count, sizeof *shift) : NULL;
    int32_t* feature = scree_malloc(count, sizeof *feature);
    double* values = scree_malloc(count * (size_t)words, sizeof *values);
    out->ij = (const int64_t(*)[2])ij;
    out->shift = (const int8_t(*)[3])shift;
    out->feature = feature;
    out->values = values;
    if (sorted == NULL || ij == NULL || (shifted && shift == NULL) || feature == NULL || values == NULL) {
        scree_free(sorted);
        contacts_free(out);
        return SCREE_ERR_MEMORY;
    }
    for (int64_t c = 0; c < own->contacts; ++c)
        sorted[c] = (sortable){.head = (const contact_head*)(const void*)(own->contact_memory + (size_t)c * bytes), .turn = c};
    if (own->contacts > 1)
        qsort(sorted, (size_t)own->contacts, sizeof *sorted, by_name);
    for (int64_t c = 0; c < own->contacts; ++c) {
        const contact_head* head = sorted[c].head;
        if (c > 0 && head->ij[1] >= 0 && by_name(&sorted[c - 1], &sorted[c]) == 0)
            continue;  // the twin
        int64_t to = out->count++;
        memcpy(ij[to], head->ij, sizeof *ij);
        if (shifted)
            memcpy(shift[to], head->shift, sizeof *shift);
        feature[to] = head->feature;
        memcpy(values + to * words, head + 1, (size_t)words * sizeof *values);
    }
    scree_free(sorted);
    return SCREE_OK;
}

void contacts_free(scree_sim_memory* memory)
{
    scree_free((void*)(uintptr_t)memory->ij);
    scree_free((void*)(uintptr_t)memory->shift);
    scree_free((void*)(uintptr_t)memory->feature);
    scree_free((void*)(uintptr_t)memory->values);
    *memory = (scree_sim_memory){0};
}
