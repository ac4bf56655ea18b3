// Sends spheres to the owners of their centres, which may be any rank. Each keeps its key and id, which determine its position in the order of the receiving rank. The memory of a contact goes to the owners
// of both spheres; a rank that receives it twice keeps one copy.
#include "par/ranks.h"

#include "base/array.h"
#include "base/sort.h"

#include <stdlib.h>
#include <string.h>

void own_free(own_spheres* own)
{
    scree_free(own->memory);
    scree_free(own->from);
    scree_free(own->contact_memory);
    scree_free(own->bond_memory);
    scree_free(own->state_memory);
    *own = (own_spheres){.count = 0};
}

// ---- Out -----------------------------------------------------------------------------------------------------------

typedef struct leaving {
    const int32_t* owner;    // by rank in the part; -1: a ghost
    int32_t* who;            // ranks in the part of those that leave, by owner,
    int64_t* first;          // and where each owner begins
    int64_t (*count)[3];     // spheres, contacts and bonds for each rank
    char** to[3];            // where the next of each goes
    scree_sim_memory memory;
    size_t contact_bytes;
} leaving;

static void free_leaving(leaving* l)
{
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

// Those that stay are in own->from, by rank.
static scree_status find_owners(leaving* l, par_rank* me, const par_forest* forest)
{
    own_spheres* own = &me->own;
    const scree_sim* sim = me->sim;
    const double (*x)[4] = part_places(sim);
    int32_t n = part_count(sim), leave = 0;
    size_t ranks = (size_t)forest->ranks;
    if (SCREE_RESERVE(me->scratch, me->scratch_capacity, (int64_t)n + 1) != SCREE_OK || SCREE_RESERVE(own->from, own->from_capacity, (int64_t)n + 1) != SCREE_OK)
        return SCREE_ERR_MEMORY;
    forest_home home = forest_no_home();
    const uint8_t* ghost = part_ghosts(sim);
    int32_t *owner = me->scratch, stay = 0;
    l->owner = owner;
    for (int32_t i = 0; i < n; ++i) {
        int32_t run = n - i < forest_run ? n - i : forest_run;
        if (i % forest_run == 0 && (ghost == NULL || memchr(ghost + i, 1, (size_t)run) == NULL) && forest_are_home(forest, me->rank, x + i, run, 0.0, 0.0, &home)) {
            for (int32_t last = i + run; i < last; ++i) {
                owner[i] = me->rank;
                own->from[stay++] = i;
            }
            --i;
            continue;
        }
        owner[i] = ghost != NULL && ghost[i] != 0 ? -1 : forest_is_home(forest, me->rank, x[i], 0.0, &home) ? me->rank : forest_owner(forest, forest_key(forest, x[i]));
        if (owner[i] == me->rank)
            own->from[stay++] = i;
        else
            leave += owner[i] >= 0;
    }
    l->count[me->rank][0] = stay;
    l->who = scree_malloc((size_t)leave + 1, sizeof *l->who);
    if (l->who == NULL)
        return SCREE_ERR_MEMORY;
    for (int32_t i = 0; i < n && leave > 0; ++i)
        if (owner[i] >= 0 && owner[i] != me->rank)
            ++l->count[owner[i]][0];
    for (size_t p = 0; p < ranks; ++p)
        l->first[p + 1] = l->first[p] + ((int32_t)p == me->rank ? 0 : l->count[p][0]);
    for (int32_t i = 0; i < n && leave > 0; ++i)
        if (owner[i] >= 0 && owner[i] != me->rank)
            l->who[l->first[owner[i]]++] = i;
    for (size_t p = ranks; p > 0; --p)
        l->first[p] = l->first[p - 1];
    l->first[0] = 0;
    return SCREE_OK;
}

static scree_status count_leaving(leaving* l, par_rank* me, const par_forest* forest, scree_sim* sim)
{
    size_t ranks = (size_t)forest->ranks;
    l->first = scree_calloc(ranks + 1, sizeof *l->first);
    l->count = scree_calloc(ranks, sizeof *l->count);
    l->to[0] = scree_calloc(ranks, sizeof *l->to[0]);
    l->to[1] = scree_calloc(ranks, sizeof *l->to[1]);
    l->to[2] = scree_calloc(ranks, sizeof *l->to[2]);
    if (l->first == NULL || l->count == NULL || l->to[0] == NULL || l->to[1] == NULL || l->to[2] == NULL || find_owners(l, me, forest) != SCREE_OK)
        return SCREE_ERR_MEMORY;
    scree_status status = part_memory(sim, true, &l->memory);
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

static scree_status put_leaving(leaving* l, par_rank* me, const scree_sim* sim, int32_t ranks)
{
    own_spheres* own = &me->own;
    int64_t stay = l->count[me->rank][0], stay_contacts = l->count[me->rank][1], stay_bonds = l->count[me->rank][2];
    if (par_post_lay(me->out) != SCREE_OK || SCREE_RESERVE(own->contact_memory, own->contact_capacity, stay_contacts * (int64_t)l->contact_bytes + 8) != SCREE_OK ||
        SCREE_RESERVE(own->bond_memory, own->bond_capacity, stay_bonds * (int64_t)part_bond_bytes() + 8) != SCREE_OK)
        return SCREE_ERR_MEMORY;
    for (int32_t m = 0; m < me->out->count; ++m) {
        int32_t p = me->out->mail[m].peer;
        memcpy(me->out->mail[m].data, l->count[p], sizeof *l->count);
        l->to[0][p] = me->out->mail[m].data + sizeof *l->count;
        l->to[1][p] = l->to[0][p] + (size_t)l->count[p][0] * own->bytes;
        l->to[2][p] = l->to[1][p] + (size_t)l->count[p][1] * l->contact_bytes;
    }
    l->to[1][me->rank] = own->contact_memory;
    l->to[2][me->rank] = own->bond_memory;
    for (int32_t p = 0; p < ranks; ++p)
        if (p != me->rank && l->count[p][0] > 0)
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
            part_bond_pack(sim, b, true, l->to[2][owner[e - 1]]);
            l->to[2][owner[e - 1]] += part_bond_bytes();
        }
    }
    own->count = (int32_t)stay;
    own->contacts = stay_contacts;
    own->bonds = stay_bonds;
    return SCREE_OK;
}

static scree_status leave(par_rank* me, const par_forest* forest)
{
    leaving l = {.owner = NULL};
    par_post_clear(me->out);
    me->own.what = PART_MOVE;
    me->own.bytes = part_bytes(me->sim, PART_MOVE);
    me->own.count = 0;
    me->own.contacts = me->own.bonds = 0;
    scree_status status = count_leaving(&l, me, forest, me->sim);
    if (status == SCREE_OK)
        status = put_leaving(&l, me, me->sim, forest->ranks);
    free_leaving(&l);
    return status;
}

// ---- In ------------------------------------------------------------------------------------------------------------

static const part_stub* record_of(const own_spheres* own, int32_t from)
{
    return (const part_stub*)(const void*)(own->memory + (size_t)(-1 - from) * own->bytes);
}

void own_stub(const par_rank* me, int32_t i, part_stub* out)
{
    int32_t from = me->own.from[i];
    if (from >= 0)
        part_stub_of(me->sim, from, out);
    else
        memcpy(out, record_of(&me->own, from), sizeof *out);
}

const double* own_place(const par_rank* me, int32_t i)
{
    int32_t from = me->own.from[i];
    return from >= 0 ? part_places(me->sim)[from] : record_of(&me->own, from)->x;
}

static int by_key(const void* a, const void* b)
{
    const part_stub *s = *(const part_stub* const*)a, *t = *(const part_stub* const*)b;
    return part_is_before(s, t) ? -1 : part_is_before(t, s) ? 1 : 0;
}

// Those that have come, among those that stay and are in order.
static scree_status merge_arrivals(par_rank* me, int32_t stay)
{
    own_spheres* own = &me->own;
    int32_t more = own->count - stay;
    if (more == 0)
        return SCREE_OK;
    const part_stub** come = scree_malloc((size_t)more, sizeof *come);
    if (come == NULL)
        return SCREE_ERR_MEMORY;
    for (int32_t e = 0; e < more; ++e)
        come[e] = record_of(own, -1 - e);
    qsort(come, (size_t)more, sizeof *come, by_key);
    // From the end: each goes to its place before another one needs that.
    const uint64_t* key = part_key_array(me->sim);
    const int64_t* id = part_id_array(me->sim);
    for (int32_t to = own->count - 1; more > 0; --to) {
        const part_stub last = {.key = stay > 0 ? key[own->from[stay - 1]] : 0, .id = stay > 0 ? id[own->from[stay - 1]] : -1};
        if (stay == 0 || part_is_before(&last, come[more - 1])) {
            --more;
            own->from[to] = -1 - (int32_t)((size_t)((const char*)come[more] - own->memory) / own->bytes);
        } else {
            own->from[to] = own->from[--stay];
        }
    }
    scree_free(come);
    return SCREE_OK;
}

// All of them, in whatever order they are.
static scree_status sort_all(par_rank* me, int32_t stay)
{
    own_spheres* own = &me->own;
    size_t n = (size_t)own->count;
    int64_t* key = scree_malloc(2 * n + 1, sizeof *key);
    uint32_t* word = scree_malloc(2 * n + 1, sizeof *word);
    scree_status status = key == NULL || word == NULL ? SCREE_ERR_MEMORY : SCREE_OK;
    const uint64_t* keys = part_key_array(me->sim);
    for (int32_t i = 0; i < own->count && status == SCREE_OK; ++i) {
        int32_t from = i < stay ? own->from[i] : stay - 1 - i;
        key[i] = (int64_t)(from >= 0 ? keys[from] : record_of(own, from)->key);
        word[i] = (uint32_t)from;
    }
    if (status == SCREE_OK)
        scree_sort_with(key, word, key + n, word + n, own->count);
    for (int32_t i = 0; i < own->count && status == SCREE_OK; ++i)
        own->from[i] = (int32_t)word[i];
    // Equal keys are rare: by id.
    for (int32_t i = 1; i < own->count && status == SCREE_OK; ++i) {
        part_stub a, b;
        int32_t mine = own->from[i], to = i;
        if (key[i] != key[i - 1])
            continue;
        own_stub(me, i, &a);
        for (; to > 0 && key[to - 1] == key[i]; --to) {
            own_stub(me, to - 1, &b);
            if (b.id < a.id)
                break;
            own->from[to] = own->from[to - 1];
        }
        own->from[to] = mine;
    }
    scree_free(key);
    scree_free(word);
    return status;
}

// `sorted`: those that stay are.
static scree_status arrive(par_rank* me, int words, bool sorted)
{
    own_spheres* own = &me->own;
    size_t contact_bytes = sizeof(contact_head) + (size_t)words * sizeof(double);
    int64_t count = own->count, contacts = own->contacts, bonds = own->bonds;
    int32_t stay = own->count;
    for (int32_t m = 0; m < me->in->count; ++m) {
        int64_t more[3];
        memcpy(more, me->in->mail[m].data, sizeof more);
        count += more[0];
        contacts += more[1];
        bonds += more[2];
    }
    if (count > INT32_MAX)
        return scree_fail(SCREE_ERR_ARGUMENT, "par: rank %d would own %lld spheres; expected at most 2147483647: use more ranks", (int)me->rank, (long long)count);
    if (SCREE_RESERVE(own->memory, own->capacity, (count - stay) * (int64_t)own->bytes + 8) != SCREE_OK || SCREE_RESERVE(own->contact_memory, own->contact_capacity, contacts * (int64_t)contact_bytes + 8) != SCREE_OK ||
        SCREE_RESERVE(own->from, own->from_capacity, count + 1) != SCREE_OK || SCREE_RESERVE(own->bond_memory, own->bond_capacity, bonds * (int64_t)part_bond_bytes() + 8) != SCREE_OK)
        return SCREE_ERR_MEMORY;
    for (int32_t m = 0; m < me->in->count; ++m) {
        int64_t more[3];
        const char* data = me->in->mail[m].data;
        memcpy(more, data, sizeof more);
        data += sizeof more;
        memcpy(own->memory + (size_t)(own->count - stay) * own->bytes, data, (size_t)more[0] * own->bytes);
        memcpy(own->contact_memory + (size_t)own->contacts * contact_bytes, data + (size_t)more[0] * own->bytes, (size_t)more[1] * contact_bytes);
        memcpy(own->bond_memory + (size_t)own->bonds * part_bond_bytes(), data + (size_t)more[0] * own->bytes + (size_t)more[1] * contact_bytes, (size_t)more[2] * part_bond_bytes());
        own->count += (int32_t)more[0];
        own->contacts += more[1];
        own->bonds += more[2];
    }
    return sorted ? merge_arrivals(me, stay) : sort_all(me, stay);
}

scree_status migrate(par_team* team, bool others)
{
    scree_par* par = team->par;
    scree_status status = SCREE_OK;
    for (int32_t l = 0; status == SCREE_OK && par_turn(par, l); ++l) {
        team->rank[l].out = &team->posts[POST_OUT][l];
        team->rank[l].in = &team->posts[POST_IN][l];
        status = leave(&team->rank[l], &team->forest);
    }
    status = par_agree(par, status);
    if (status == SCREE_OK)
        status = par_send(par, team->posts[POST_OUT], team->posts[POST_IN]);
    for (int32_t l = 0; status == SCREE_OK && par_turn(par, l); ++l) {
        status = arrive(&team->rank[l], part_words(team->rank[l].sim), !others);
    }
    return par_agree(par, status);
}

// ---- Contacts in order ---------------------------------------------------------------------------------------------

typedef struct sortable {
    const contact_head* head;
    int64_t turn;
} sortable;

// Pairs by (i, j, shift); then contacts with boundaries by (i, boundary), in the order in which their owner sent them.
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

// Arrays of `count` contacts and one more. MEMORY: there are none
static scree_status make_contacts(int64_t count, int32_t words, bool shifted, scree_sim_memory* out)
{
    size_t room = (size_t)count + 1;
    *out = (scree_sim_memory){.count = count,
                              .words = words,
                              .ij = scree_malloc(room, sizeof *out->ij),
                              .shift = shifted ? scree_malloc(room, sizeof *out->shift) : NULL,
                              .feature = scree_malloc(room, sizeof *out->feature),
                              .values = scree_malloc(room * (size_t)words, sizeof *out->values)};
    if (out->ij != NULL && (out->shift != NULL || !shifted) && out->feature != NULL && out->values != NULL)
        return SCREE_OK;
    contacts_free(out);
    return SCREE_ERR_MEMORY;
}

scree_status contacts_room(int64_t count, int32_t words, const scree_sim* sim, scree_sim_memory* out)
{
    return make_contacts(count, words, scree_box_is_periodic(part_box(sim)), out);
}

void contacts_copy(const scree_sim_memory* from, scree_sim_memory* to, int64_t first)
{
    size_t count = (size_t)from->count;
    memcpy((void*)(uintptr_t)to->ij[first], from->ij, count * sizeof *to->ij);
    if (to->shift != NULL)
        memcpy((void*)(uintptr_t)to->shift[first], from->shift, count * sizeof *to->shift);
    memcpy((void*)(uintptr_t)(to->feature + first), from->feature, count * sizeof *to->feature);
    if (to->words > 0)
        memcpy((void*)(uintptr_t)(to->values + first * to->words), from->values, count * (size_t)to->words * sizeof *to->values);
}

scree_status contacts_sorted(own_spheres* own, int words, bool shifted, scree_sim_memory* out)
{
    size_t bytes = sizeof(contact_head) + (size_t)words * sizeof(double);
    sortable* sorted = scree_malloc((size_t)own->contacts + 1, sizeof *sorted);
    *out = (scree_sim_memory){0};
    if (sorted == NULL || make_contacts(own->contacts, words, shifted, out) != SCREE_OK) {
        scree_free(sorted);
        return SCREE_ERR_MEMORY;
    }
    int64_t (*ij)[2] = (void*)(uintptr_t)out->ij;
    int8_t (*shift)[3] = (void*)(uintptr_t)out->shift;
    int32_t* feature = (void*)(uintptr_t)out->feature;
    double* values = (void*)(uintptr_t)out->values;
    out->count = 0;
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
