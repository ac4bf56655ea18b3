// Transfers spheres between the whole simulation and its parts in slices, so that messages need little memory, and the process of rank 0 no more than the whole and its own part.
#include "par/ranks.h"

#include "base/array.h"
#include "base/sort.h"
#include "par/pairs.h"

#include <string.h>

enum { KIND_SPHERE, KIND_CONTACT, KIND_BOND, kind_count, KIND_STATE = kind_count };  // the last: of bonds, while a state is set
enum { slice_most = 1 << 15 };  // spheres, contacts or bonds that rank 0 has in messages at once

static int64_t slice_of(const scree_par* par)
{
    return par->slice > 0 ? par->slice : slice_most;
}

int32_t slice_size(const scree_par* par, int32_t count)
{
    return count < slice_of(par) ? count : (int32_t)slice_of(par);
}

// Of a record of each kind.
static void find_bytes(const scree_sim* part, size_t out[kind_count])
{
    out[KIND_SPHERE] = part_bytes(part, PART_START);
    out[KIND_CONTACT] = sizeof(contact_head) + (size_t)part_words(part) * sizeof(double);
    out[KIND_BOND] = part_bond_bytes();
}

void contact_put(const scree_sim_memory* memory, int64_t c, int32_t words, char* to)
{
    contact_head head = {.ij = {memory->ij[c][0], memory->ij[c][1]}, .feature = memory->feature != NULL ? memory->feature[c] : -1};
    if (memory->shift != NULL)
        memcpy(head.shift, memory->shift[c], 3);
    memcpy(to, &head, sizeof head);
    memset(to + sizeof head, 0, (size_t)words * sizeof(double));
    memcpy(to + sizeof head, memory->values + c * memory->words, (size_t)memory->words * sizeof(double));
}

// ---- To the parts --------------------------------------------------------------------------------------------------

// What rank 0 works with.
typedef struct handing {
    par_team* team;
    const sphere_giver* giver;
    scree_sim* whole;        // whose ranks are handed out: all, or a slice,
    int64_t base;            // from this sphere on
    scree_sim_memory memory;
    size_t bytes[kind_count];
    int64_t (*count)[kind_count];  // of each rank: of all, then of a slice
    char** to;               // where the next of each goes
    int32_t *owner, *who;    // of a slice; and its spheres by owner,
    int64_t* next;           // where the next of each goes
    const int32_t* owners;   // of a state: by row (part_row_of)
} handing;

static int32_t owner_of(const handing* h, int32_t i)
{
    part_stub stub;
    part_stub_of(h->whole, i, &stub);
    return forest_owner(&h->team->forest, forest_key(&h->team->forest, stub.x));
}

// The one or two owners of a contact or a bond.
static int owners_of(const handing* h, int kind, int64_t c, int32_t out[2])
{
    int32_t rank[2];
    int count = 0;
    double x[2][3];
    const bool source = kind == KIND_BOND && h->giver->source != NULL, state = kind == KIND_BOND && h->owners != NULL;
    if (source)
        part_source_bond_ends(h->giver->source, c, x);
    else if (kind == KIND_BOND && !state)
        part_bond_ranks(h->whole, c, rank);
    for (int e = 0; e < 2; ++e) {
        if (source) {
            int32_t one = forest_owner(&h->team->forest, forest_key(&h->team->forest, x[e]));
            if (count == 0 || out[0] != one)
                out[count++] = one;
            continue;
        }
        int64_t id = kind == KIND_CONTACT ? h->memory.ij[c][e] : state ? h->giver->bonds->ij[c][e] : -1;
        int32_t i = kind == KIND_BOND && !state ? rank[e] : id >= 0 && h->owners == NULL ? part_rank_of(h->whole, id) : -1;
        int32_t owner = i >= 0 ? owner_of(h, i) : id >= 0 && h->owners != NULL ? h->owners[part_row_of(h->giver->from, id)] : -1;
        if (owner >= 0 && (count == 0 || out[0] != owner))
            out[count++] = owner;
    }
    return count;
}

// Ranks of h->whole are the spheres from `first` on.
static scree_status pour(handing* h, int64_t first, int64_t last)
{
    if (h->giver->source == NULL)
        return SCREE_OK;
    h->base = first;
    return part_pour(h->whole, h->giver->source, h->giver->sides, first, (int32_t)(last - first));
}

static int64_t total_of(const sphere_giver* giver)
{
    return giver->source != NULL ? giver->source->spheres.count : giver->from != NULL ? part_count(giver->from) : 0;
}

static int64_t bonds_of(const handing* h)
{
    return h->owners != NULL ? (h->giver->bonds != NULL ? h->giver->bonds->count : 0) : h->whole != NULL && h->giver->source == NULL ? part_bond_count(h->whole) : 0;
}

static scree_status count_all(handing* h)
{
    int64_t all_spheres = total_of(h->giver), slice = slice_of(h->team->par);
    scree_status status = SCREE_OK;
    for (int64_t first = 0; first < all_spheres && status == SCREE_OK; first += slice) {
        int64_t last = first + slice < all_spheres ? first + slice : all_spheres;
        status = pour(h, first, last);
        for (int64_t i = first; i < last && status == SCREE_OK; ++i)
            ++h->count[owner_of(h, (int32_t)(i - h->base))][KIND_SPHERE];
    }
    if (status == SCREE_OK && h->giver->source == NULL)
        status = part_memory(h->whole, true, &h->memory);
    const int64_t all[kind_count] = {0, h->memory.count, bonds_of(h)};
    for (int kind = KIND_CONTACT; kind < kind_count && status == SCREE_OK; ++kind)
        for (int64_t c = 0; c < all[kind]; ++c) {
            int32_t owner[2];
            for (int e = owners_of(h, kind, c, owner); e > 0; --e)
                ++h->count[owner[e - 1]][kind];
        }
    return status;
}

// A message to each rank that gets some, and h->to where they begin.
static scree_status lay_mail(handing* h, int kind)
{
    par_post* out = &h->team->posts[POST_OUT][0];
    scree_status status = SCREE_OK;
    par_post_clear(out);
    for (int32_t p = 0; p < h->team->par->ranks && status == SCREE_OK; ++p)
        if (h->count[p][kind] > 0)
            status = par_post_add(out, p, h->count[p][kind] * (int64_t)h->bytes[kind]);
    if (status == SCREE_OK)
        status = par_post_lay(out);
    for (int32_t m = 0; m < out->count && status == SCREE_OK; ++m)
        h->to[out->mail[m].peer] = out->mail[m].data;
    return status;
}

static scree_status hand_spheres(handing* h, int64_t first, int64_t last)
{
    for (int32_t p = 0; p < h->team->par->ranks; ++p)
        h->count[p][KIND_SPHERE] = 0;
    scree_status status = pour(h, first, last);
    for (int64_t i = first; i < last && status == SCREE_OK; ++i) {
        h->owner[i - first] = owner_of(h, (int32_t)(i - h->base));
        ++h->count[h->owner[i - first]][KIND_SPHERE];
    }
    if (status == SCREE_OK)
        status = lay_mail(h, KIND_SPHERE);
    int64_t begin = 0;  // where each owner begins in h->who
    for (int32_t p = 0; p < h->team->par->ranks; ++p) {
        h->next[p] = begin;
        begin += h->count[p][KIND_SPHERE];
    }
    for (int64_t i = first; i < last && status == SCREE_OK; ++i)
        h->who[h->next[h->owner[i - first]]++] = (int32_t)(i - h->base);
    for (int32_t p = 0; p < h->team->par->ranks && status == SCREE_OK; ++p)
        if (h->count[p][KIND_SPHERE] > 0)
            part_pack(h->whole, PART_START, h->who + (h->next[p] - h->count[p][KIND_SPHERE]), (int32_t)h->count[p][KIND_SPHERE], h->to[p]);
    return status;
}

// Of a bond of a state.
static void put_state(const handing* h, int64_t b, char* to)
{
    const scree_sim* whole = h->giver->from;
    const scree_box* box = part_box(whole);
    const double* x[2];
    for (int side = 0; side < 2; ++side)
        x[side] = h->giver->x + part_row_of(whole, h->giver->bonds->ij[b][side]) * box->dim;
    part_bond_state_put(h->giver->bonds, b, box, x, to);
}

static scree_status hand_pairs(handing* h, int kind, int64_t first, int64_t last)
{
    int32_t owner[2];
    for (int32_t p = 0; p < h->team->par->ranks; ++p)
        h->count[p][kind] = 0;
    for (int64_t c = first; c < last; ++c)
        for (int e = owners_of(h, kind, c, owner); e > 0; --e)
            ++h->count[owner[e - 1]][kind];
    scree_status status = lay_mail(h, kind);
    for (int64_t c = first; c < last && status == SCREE_OK; ++c)
        for (int e = owners_of(h, kind, c, owner); e > 0; --e) {
            char** to = &h->to[owner[e - 1]];
            if (kind == KIND_CONTACT)
                contact_put(&h->memory, c, part_words(h->team->rank[0].sim), *to);
            else if (h->owners != NULL)
                put_state(h, c, *to);
            else if (h->giver->source != NULL)
                part_source_bond_pack(h->whole, h->giver->source, c, *to);
            else
                part_bond_pack(h->whole, c, true, *to);
            *to += h->bytes[kind];
        }
    return status;
}

// What has come, behind what was there: room is made before.
static void append(par_team* team, int kind, size_t bytes)
{
    for (int32_t l = 0; par_turn(team->par, l); ++l) {
        own_spheres* own = &team->rank[l].own;
        const par_post* in = &team->posts[POST_IN][l];
        for (int32_t m = 0; m < in->count; ++m) {
            char* to = kind == KIND_SPHERE ? own->memory : kind == KIND_CONTACT ? own->contact_memory : kind == KIND_BOND ? own->bond_memory : own->state_memory;
            int64_t at = kind == KIND_SPHERE ? own->count : kind == KIND_CONTACT ? own->contacts : kind == KIND_BOND ? own->bonds : own->states, more = in->mail[m].bytes / (int64_t)bytes;
            memcpy(to + (size_t)at * bytes, in->mail[m].data, (size_t)in->mail[m].bytes);
            if (kind == KIND_SPHERE)
                own->count += (int32_t)more;
            else if (kind == KIND_CONTACT)
                own->contacts += more;
            else if (kind == KIND_BOND)
                own->bonds += more;
            else
                own->states += more;
        }
    }
}

static scree_status make_room(par_rank* me, const int64_t count[kind_count], const size_t bytes[kind_count])
{
    own_spheres* own = &me->own;
    own->what = PART_START;
    own->bytes = bytes[KIND_SPHERE];
    own->count = 0;
    own->contacts = own->bonds = 0;
    if (count[KIND_SPHERE] > INT32_MAX)
        return scree_fail(SCREE_ERR_ARGUMENT, "par: rank %d would own %lld spheres; expected at most 2147483647: use more ranks", (int)me->rank, (long long)count[KIND_SPHERE]);
    return SCREE_RESERVE(own->memory, own->capacity, count[KIND_SPHERE] * (int64_t)own->bytes + 8) != SCREE_OK ||
                   SCREE_RESERVE(own->contact_memory, own->contact_capacity, count[KIND_CONTACT] * (int64_t)bytes[KIND_CONTACT] + 8) != SCREE_OK ||
                   SCREE_RESERVE(own->bond_memory, own->bond_capacity, count[KIND_BOND] * (int64_t)bytes[KIND_BOND] + 8) != SCREE_OK ||
                   SCREE_RESERVE(own->from, own->from_capacity, count[KIND_SPHERE] + 1) != SCREE_OK
               ? SCREE_ERR_MEMORY
               : SCREE_OK;
}

// Those that were made in the order of ids, by (key, id). MEMORY
static scree_status sort_own(own_spheres* own)
{
    size_t n = (size_t)own->count;
    int64_t* key = scree_malloc(2 * n + 1, sizeof *key);
    uint32_t* word = scree_malloc(2 * n + 1, sizeof *word);
    if (key != NULL && word != NULL) {
        for (size_t i = 0; i < n; ++i) {
            part_stub stub;
            memcpy(&stub, own->memory + i * own->bytes, sizeof stub);
            key[i] = (int64_t)stub.key;
            word[i] = (uint32_t)i;
        }
        scree_sort_with(key, word, key + n, word + n, own->count);  // it is stable
        for (size_t i = 0; i < n; ++i)
            own->from[i] = -1 - (int32_t)word[i];
    }
    scree_status status = key == NULL || word == NULL ? SCREE_ERR_MEMORY : SCREE_OK;
    scree_free(key);
    scree_free(word);
    return status;
}

// The bonds of a source, by the pairs that the ranks have found (par->found): slice by slice, first counted, then sent. MEMORY
static scree_status hand_found(handing* h)
{
    par_team* team = h->team;
    scree_par* par = team->par;
    const part_source* source = h->giver->source;
    const int64_t slice = slice_of(par);
    scree_status status = SCREE_OK;
    for (int32_t p = 0; p < par->ranks; ++p)
        h->count[p][KIND_BOND] = 0;
    for (int turn = 0; turn < 2 && status == SCREE_OK; ++turn) {
        bool more = true;
        if (source != NULL)
            part_source_bonds_begin(source);
        while (more && status == SCREE_OK) {
            scree_pairs pairs = {.count = 0};
            int64_t count = 0;
            more = false;
            if (par->found != NULL)
                status = pairs_next_all(par->found, &pairs, &more);
            if (status == SCREE_OK && source != NULL)
                status = part_source_bonds_next(source, pairs);
            if (status == SCREE_OK && source != NULL)
                count = part_source_bond_count(source);
            status = par_agree(par, status);
            if (status == SCREE_OK && turn == 1)
                status = par_spread(par, &count, (int64_t)sizeof count);
            for (int64_t c = 0; c < count && turn == 0; ++c) {
                int32_t owner[2];
                for (int e = owners_of(h, KIND_BOND, c, owner); e > 0; --e)
                    ++h->count[owner[e - 1]][KIND_BOND];
            }
            for (int64_t first = 0; first < count && turn == 1 && status == SCREE_OK; first += slice) {
                status = par_agree(par, source != NULL ? hand_pairs(h, KIND_BOND, first, first + slice < count ? first + slice : count) : SCREE_OK);
                if (status == SCREE_OK)
                    status = par_send(par, team->posts[POST_OUT], team->posts[POST_IN]);
                if (status == SCREE_OK)
                    append(team, KIND_BOND, h->bytes[KIND_BOND]);
            }
        }
        if (status == SCREE_OK && turn == 0)
            status = par_spread(par, h->count, par->ranks * (int64_t)sizeof *h->count);
        for (int32_t l = 0; status == SCREE_OK && turn == 0 && par_turn(par, l); ++l) {
            own_spheres* own = &team->rank[l].own;
            status = SCREE_RESERVE(own->bond_memory, own->bond_capacity, h->count[team->rank[l].rank][KIND_BOND] * (int64_t)h->bytes[KIND_BOND] + 8);
        }
        status = par_agree(par, status);
    }
    pairs_free_all(par->found);
    par->found = NULL;
    return status;
}

scree_status hand_out(par_team* team, const sphere_giver* giver)
{
    scree_par* par = team->par;
    scree_sim* whole = giver->from;
    int64_t slice = slice_of(par), totals[kind_count] = {0};
    handing h = {.team = team, .giver = giver, .whole = whole};
    find_bytes(team->rank[0].sim, h.bytes);
    h.count = scree_calloc((size_t)par->ranks, sizeof *h.count);
    h.to = scree_calloc((size_t)par->ranks, sizeof *h.to);
    h.next = scree_calloc((size_t)par->ranks, sizeof *h.next);
    h.owner = whole != NULL ? scree_malloc((size_t)slice, sizeof *h.owner) : NULL;
    h.who = whole != NULL ? scree_malloc((size_t)slice, sizeof *h.who) : NULL;
    scree_status status = h.count == NULL || h.to == NULL || h.next == NULL || (whole != NULL && (h.owner == NULL || h.who == NULL)) ? SCREE_ERR_MEMORY : SCREE_OK;
    if (status == SCREE_OK && whole != NULL)
        status = count_all(&h);
    status = par_agree(par, status);
    if (status == SCREE_OK)
        status = par_spread(par, h.count, par->ranks * (int64_t)sizeof *h.count);
    for (int32_t l = 0; status == SCREE_OK && par_turn(par, l); ++l)
        status = make_room(&team->rank[l], h.count[team->rank[l].rank], h.bytes);
    status = par_agree(par, status);
    if (status == SCREE_OK) {
        totals[KIND_SPHERE] = total_of(giver);
        totals[KIND_CONTACT] = h.memory.count;
        totals[KIND_BOND] = bonds_of(&h);
        status = par_spread(par, totals, (int64_t)sizeof totals);
    }
    for (int32_t l = 0; par_turn(par, l); ++l)
        par_post_clear(&team->posts[POST_OUT][l]);
    for (int kind = 0; kind < kind_count; ++kind)
        for (int64_t first = 0; first < totals[kind] && status == SCREE_OK; first += slice) {
            int64_t last = first + slice < totals[kind] ? first + slice : totals[kind];
            if (whole != NULL)
                status = kind == KIND_SPHERE ? hand_spheres(&h, first, last) : hand_pairs(&h, kind, first, last);
            status = par_agree(par, status);
            if (status == SCREE_OK)
                status = par_send(par, team->posts[POST_OUT], team->posts[POST_IN]);
            if (status == SCREE_OK)
                append(team, kind, h.bytes[kind]);
        }
    if (status == SCREE_OK && giver->by_id && part_has_bonds(team->rank[0].sim))
        status = hand_found(&h);
    for (int32_t l = 0; status == SCREE_OK && par_turn(par, l); ++l) {
        own_spheres* own = &team->rank[l].own;
        for (int32_t i = 0; i < own->count && !giver->by_id; ++i)  // the whole has them in order
            own->from[i] = -1 - i;
        if (giver->by_id)
            status = sort_own(own);
    }
    if (giver->by_id)
        status = par_agree(par, status);
    scree_free(h.count);
    scree_free(h.to);
    scree_free(h.next);
    scree_free(h.owner);
    scree_free(h.who);
    return status;
}

// Who owns which sphere, to rank 0: some ids at a time. MEMORY
static scree_status find_owners(par_team* team, const scree_sim* whole, int32_t* owners)
{
    scree_par* par = team->par;
    int64_t slice = slice_of(par), share = slice > par->ranks ? slice / par->ranks : 1;
    double* most = scree_malloc((size_t)par->local, sizeof *most);
    scree_status status = par_agree(par, most == NULL ? SCREE_ERR_MEMORY : SCREE_OK);
    for (int32_t l = 0; status == SCREE_OK && par_turn(par, l); ++l)
        most[l] = (double)team->rank[l].own.count;
    if (status == SCREE_OK)
        status = par_max(par, most, 1);
    for (int64_t first = 0; status == SCREE_OK && first < (int64_t)most[0]; first += share) {
        for (int32_t l = 0; status == SCREE_OK && par_turn(par, l); ++l) {
            par_post* out = &team->posts[POST_OUT][l];
            const par_rank* me = &team->rank[l];
            int64_t left = me->own.count - first, count = left < share ? left : share;
            par_post_clear(out);
            if (count > 0)
                status = par_post_add(out, 0, count * (int64_t)sizeof(int64_t));
            if (status == SCREE_OK)
                status = par_post_lay(out);
            for (int64_t e = 0; e < count && status == SCREE_OK; ++e) {
                part_stub stub;
                own_stub(me, (int32_t)(first + e), &stub);
                memcpy(out->mail[0].data + (size_t)e * sizeof stub.id, &stub.id, sizeof stub.id);
            }
        }
        status = par_agree(par, status);
        if (status == SCREE_OK)
            status = par_send(par, team->posts[POST_OUT], team->posts[POST_IN]);
        const par_post* in = &team->posts[POST_IN][0];
        for (int32_t m = 0; par->first == 0 && m < in->count && status == SCREE_OK; ++m) {
            const int64_t* ids = (const int64_t*)(const void*)in->mail[m].data;
            for (int64_t e = 0; e < in->mail[m].bytes / (int64_t)sizeof *ids; ++e)
                owners[part_row_of(whole, ids[e])] = in->mail[m].peer;
        }
    }
    scree_free(most);
    return status;
}

// One kind of a state: contacts, which own->contact_memory gets, or bonds, which own->state_memory gets.
static scree_status hand_kind(handing* h, int kind, int64_t total)
{
    par_team* team = h->team;
    scree_par* par = team->par;
    const bool first = par->first == 0;
    const int64_t slice = slice_of(par);
    scree_status status = SCREE_OK;
    for (int32_t p = 0; p < par->ranks; ++p)
        h->count[p][kind] = 0;
    for (int64_t c = 0; first && c < total; ++c) {
        int32_t owner[2];
        for (int e = owners_of(h, kind, c, owner); e > 0; --e)
            ++h->count[owner[e - 1]][kind];
    }
    status = par_spread(par, h->count, par->ranks * (int64_t)sizeof *h->count);
    for (int32_t l = 0; status == SCREE_OK && par_turn(par, l); ++l) {
        own_spheres* own = &team->rank[l].own;
        int64_t more = h->count[team->rank[l].rank][kind], bytes = (int64_t)h->bytes[kind];
        status = kind == KIND_CONTACT ? SCREE_RESERVE(own->contact_memory, own->contact_capacity, (own->contacts + more) * bytes + 8) : SCREE_RESERVE(own->state_memory, own->state_capacity, more * bytes + 8);
    }
    status = par_agree(par, status);
    for (int32_t l = 0; par_turn(par, l); ++l)
        par_post_clear(&team->posts[POST_OUT][l]);
    for (int64_t from = 0; from < total && status == SCREE_OK; from += slice) {
        status = par_agree(par, first ? hand_pairs(h, kind, from, from + slice < total ? from + slice : total) : SCREE_OK);
        if (status == SCREE_OK)
            status = par_send(par, team->posts[POST_OUT], team->posts[POST_IN]);
        if (status == SCREE_OK)
            append(team, kind == KIND_BOND ? KIND_STATE : kind, h->bytes[kind]);
    }
    return status;
}

scree_status hand_contacts(par_team* team, const sphere_giver* giver)
{
    scree_par* par = team->par;
    const bool first = par->first == 0;
    int64_t total[2] = {giver->memory != NULL ? giver->memory->count : 0, giver->bonds != NULL ? giver->bonds->count : 0};
    scree_status status = par_spread(par, total, (int64_t)sizeof total);
    if (status != SCREE_OK || (total[0] == 0 && total[1] == 0))
        return status;
    handing h = {.team = team, .giver = giver};
    if (first && giver->memory != NULL)
        h.memory = *giver->memory;
    find_bytes(team->rank[0].sim, h.bytes);
    h.bytes[KIND_BOND] = part_bond_state_bytes();
    h.count = scree_calloc((size_t)par->ranks, sizeof *h.count);
    h.to = scree_calloc((size_t)par->ranks, sizeof *h.to);
    int32_t* owners = first ? scree_malloc((size_t)part_count(giver->from) + 1, sizeof *owners) : NULL;
    h.owners = owners;
    status = par_agree(par, h.count == NULL || h.to == NULL || (first && owners == NULL) ? SCREE_ERR_MEMORY : SCREE_OK);
    if (status == SCREE_OK)
        status = find_owners(team, giver->from, owners);
    if (status == SCREE_OK && total[0] > 0)
        status = hand_kind(&h, KIND_CONTACT, total[0]);
    if (status == SCREE_OK && total[1] > 0)
        status = hand_kind(&h, KIND_BOND, total[1]);
    for (int32_t l = 0; status == SCREE_OK && total[1] > 0 && par_turn(par, l); ++l) {
        own_spheres* own = &team->rank[l].own;
        status = part_bonds_set(own->bond_memory, own->bonds, own->state_memory, own->states);
    }
    for (int32_t l = 0; par_turn(par, l); ++l) {
        own_spheres* own = &team->rank[l].own;
        scree_free(own->state_memory);
        own->state_memory = NULL;
        own->states = own->state_capacity = 0;
    }
    status = par_agree(par, status);
    scree_free(owners);
    scree_free(h.count);
    scree_free(h.to);
    return status;
}

scree_status hand_keys(par_team* team, const sphere_giver* giver, forest_load* loads)
{
    scree_par* par = team->par;
    int64_t slice = slice_of(par), total = total_of(giver);
    handing h = {.team = team, .giver = giver, .whole = giver->from};
    scree_status status = par_spread(par, &total, (int64_t)sizeof total);
    int64_t share = (total + par->ranks - 1) / par->ranks;
    for (int32_t l = 0; status == SCREE_OK && par_turn(par, l); ++l) {
        uint64_t* key = scree_malloc((size_t)share + 1, sizeof *key);
        int64_t* weight = scree_malloc((size_t)share + 1, sizeof *weight);
        loads[l] = (forest_load){.key = key, .weight = weight};
        status = key == NULL || weight == NULL ? SCREE_ERR_MEMORY : SCREE_OK;
    }
    status = par_agree(par, status);
    for (int32_t l = 0; par_turn(par, l); ++l)
        par_post_clear(&team->posts[POST_OUT][l]);
    for (int32_t p = 0; p < par->ranks && status == SCREE_OK; ++p)  // to each rank as many, some at a time
        for (int64_t first = p * share, end = first + share < total ? first + share : total; first < end && status == SCREE_OK; first += slice) {
            int64_t last = first + slice < end ? first + slice : end;
            if (giver->from != NULL) {
                par_post* out = &team->posts[POST_OUT][0];
                par_post_clear(out);
                status = par_post_add(out, p, (last - first) * (int64_t)sizeof(uint64_t));
                if (status == SCREE_OK)
                    status = par_post_lay(out);
                if (status == SCREE_OK)
                    status = pour(&h, first, last);
                for (int64_t i = first; i < last && status == SCREE_OK; ++i) {
                    part_stub stub;
                    part_stub_of(h.whole, (int32_t)(i - h.base), &stub);
                    uint64_t key = forest_key(&team->forest, stub.x);
                    memcpy(out->mail[0].data + (size_t)(i - first) * sizeof key, &key, sizeof key);
                }
            }
            status = par_agree(par, status);
            if (status == SCREE_OK)
                status = par_send(par, team->posts[POST_OUT], team->posts[POST_IN]);
            for (int32_t l = 0; status == SCREE_OK && par_turn(par, l); ++l) {
                const par_post* in = &team->posts[POST_IN][l];
                for (int32_t m = 0; m < in->count; ++m) {
                    memcpy((uint64_t*)(uintptr_t)loads[l].key + loads[l].count, in->mail[m].data, (size_t)in->mail[m].bytes);
                    loads[l].count += in->mail[m].bytes / (int64_t)sizeof(uint64_t);
                }
            }
        }
    return status;
}

// ---- And back ------------------------------------------------------------------------------------------------------

typedef struct handed {
    par_team* team;
    int64_t* at;             // [local]: the next of each
    int64_t* left;           // [local]: that are to be sent
    scree_sim_memory* memory;  // [local]
    double* most;            // [local]
    int32_t* who;            // of a slice
    int64_t share;           // of each rank in a slice
} handed;

static bool is_mine(const handed* h, int32_t l, int kind, int64_t e)
{
    const scree_sim* sim = h->team->rank[l].sim;
    int32_t rank[2];
    if (kind == KIND_SPHERE)
        return !part_is_ghost(sim, (int32_t)e);
    if (kind == KIND_BOND)
        part_bond_ranks(sim, e, rank);
    for (int k = 0; k < 2; ++k) {
        int64_t id = kind == KIND_CONTACT ? h->memory[l].ij[e][k] : -1;
        int32_t i = kind == KIND_BOND ? rank[k] : id >= 0 ? part_rank_of(sim, id) : -1;
        if (i >= 0 && !part_is_ghost(sim, i))
            return true;
    }
    return false;
}

static int64_t count_mine(handed* h, int32_t l, int kind)
{
    const scree_sim* sim = h->team->rank[l].sim;
    int64_t all = kind == KIND_SPHERE ? part_count(sim) : kind == KIND_CONTACT ? h->memory[l].count : part_bond_count(sim), count = 0;
    for (int64_t e = 0; e < all; ++e)
        count += is_mine(h, l, kind, e);
    h->at[l] = 0;
    h->left[l] = count;
    return count;
}

static scree_status hand_back(handed* h, int32_t l, int kind, size_t bytes)
{
    par_post* out = &h->team->posts[POST_OUT][l];
    int64_t count = h->left[l] < h->share ? h->left[l] : h->share;
    par_post_clear(out);
    if (count > 0 && par_post_add(out, 0, count * (int64_t)bytes) != SCREE_OK)
        return SCREE_ERR_MEMORY;
    if (par_post_lay(out) != SCREE_OK)
        return SCREE_ERR_MEMORY;
    for (int64_t k = 0; k < count; ++k) {
        while (!is_mine(h, l, kind, h->at[l]))
            ++h->at[l];
        if (kind == KIND_SPHERE)
            h->who[k] = (int32_t)h->at[l];
        else if (kind == KIND_CONTACT)
            contact_put(&h->memory[l], h->at[l], h->memory[l].words, out->mail[0].data + (size_t)k * bytes);
        else
            part_bond_pack(h->team->rank[l].sim, h->at[l], false, out->mail[0].data + (size_t)k * bytes);
        ++h->at[l];
    }
    if (kind == KIND_SPHERE && count > 0)
        part_pack(h->team->rank[l].sim, PART_START, h->who, (int32_t)count, out->mail[0].data);
    h->left[l] -= count;
    return SCREE_OK;
}

// All of a kind.
static scree_status back(handed* h, int kind, size_t bytes, const slice_taker* taker)
{
    par_team* team = h->team;
    scree_par* par = team->par;
    for (int32_t l = 0; par_turn(par, l); ++l)
        h->most[l] = (double)count_mine(h, l, kind);
    scree_status status = par_max(par, h->most, 1);
    int64_t turns = status == SCREE_OK ? ((int64_t)h->most[0] + h->share - 1) / h->share : 0;
    for (int64_t turn = 0; turn < turns && status == SCREE_OK; ++turn) {
        for (int32_t l = 0; status == SCREE_OK && par_turn(par, l); ++l)
            status = hand_back(h, l, kind, bytes);
        status = par_agree(par, status);
        if (status == SCREE_OK)
            status = par_send(par, team->posts[POST_OUT], team->posts[POST_IN]);
        const par_post* in = &team->posts[POST_IN][0];
        for (int32_t m = 0; par->first == 0 && m < in->count && status == SCREE_OK; ++m)
            status = taker->take[kind](taker->context, in->mail[m].data, in->mail[m].bytes / (int64_t)bytes);
        status = par_agree(par, status);
    }
    return status;
}

scree_status hand_in(par_team* team, const slice_taker* taker)
{
    scree_par* par = team->par;
    size_t local = (size_t)par->local;
    int64_t slice = slice_of(par);
    size_t bytes[kind_count];
    find_bytes(team->rank[0].sim, bytes);
    const bool wanted[kind_count] = {true, part_remembers(team->rank[0].sim), part_has_bonds(team->rank[0].sim)};
    handed h = {.team = team, .share = slice > par->ranks ? slice / par->ranks : 1};
    h.at = scree_calloc(local, sizeof *h.at);
    h.left = scree_calloc(local, sizeof *h.left);
    h.memory = scree_calloc(local, sizeof *h.memory);
    h.most = scree_calloc(local, sizeof *h.most);
    h.who = scree_malloc((size_t)h.share, sizeof *h.who);
    scree_status status = h.at == NULL || h.left == NULL || h.memory == NULL || h.most == NULL || h.who == NULL ? SCREE_ERR_MEMORY : SCREE_OK;
    for (int32_t l = 0; status == SCREE_OK && par_turn(par, l); ++l)
        status = part_memory(team->rank[l].sim, true, &h.memory[l]);
    status = par_agree(par, status);
    for (int kind = 0; kind < kind_count; ++kind)
        if (status == SCREE_OK && wanted[kind])
            status = back(&h, kind, bytes[kind], taker);
    scree_free(h.at);
    scree_free(h.left);
    scree_free(h.memory);
    scree_free(h.most);
    scree_free(h.who);
    return status;
}
