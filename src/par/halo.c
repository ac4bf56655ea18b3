// Ghosts: the spheres of other ranks that a rank needs, and its list.
//
// A pair is found by the owner of the smaller sphere (of equal ones that of the first by key and id, of equal giants by id). So a sphere is sent only to ranks that may own a centre within twice its radius and the skin:
// a few ranks even for large spheres, and none for most. The finder then sends the pair and the smaller sphere to the owner of the larger one. Both compute the force, so forces are never sent.
//
//     round 1   stubs of own spheres, to the ranks that may need them
//               search among own spheres and received stubs; pairs whose smaller sphere is own are kept
//     round 2   back to each sender: which of its spheres are used, the smaller spheres that it needs, and the pairs
//               both sides now have the same two sets; sorted by (key, id) they are the lists of spheres that are sent and received in each step
//     round 3   records of all ghosts
//
// A pair with a giant is not reported to another rank: its force is added up in integers over all ranks (sim_inner.h), so the owner of the giant needs none of its partners. The memory of such a contact is stored by the owner
// of the smaller sphere alone. For equal giants the id decides which one this is, since keys change with the order.
#include "par/ranks.h"

#include "base/array.h"
#include "base/clock.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- What one rank works with while a list is made -----------------------------------------------------------------

// A sphere that was shown by another rank.
typedef struct seen {
    const part_stub* stub;
    int32_t post, number;     // of the message, and in it
    bool used;                // it has a pair here
} seen;

typedef struct reported_pair {
    int32_t smaller, larger;  // index of the smaller sphere among the reported ones, and of the larger among the ghosts
    int8_t shift[4];
} reported_pair;

// A reported pair, while it is collected.
typedef struct telling {
    int32_t post, own;        // to whom (message of round 1 that came in), and the smaller sphere
    reported_pair pair;
} telling;

typedef struct row {
    int32_t ij[2];
    int8_t shift[4];
} row;

// A ghost, or an own sphere that is one elsewhere.
typedef struct shared {
    int32_t peer;
    int32_t number;           // own: among the own ones; ghost: its rank in the part
    uint64_t key;
    int64_t id;
    const part_stub* stub;    // of a ghost
} shared;

typedef struct halo {
    par_rank* me;
    par_post *out, *in, *back, *reported;
    forest_hits hits;         // what is shown: own spheres by (key, id) to each rank
    seen* seen;               // shown to this rank, by (key, id)
    int32_t seen_count, all;  // and all in the search: own ones and these
    part_items items;         // of the search
    int32_t* of;              // by place in it: number of an own sphere, or -1 - that of one that was shown; when rows are made, the rank of an own sphere in the part
    double extent, largest;   // of the items: largest coordinate and radius
    part_rows found;
    int64_t kept;             // rows of them that are kept
    int64_t* across;          // rows of them with a sphere of another rank
    int64_t across_count, across_capacity;
    telling* telling;
    int64_t telling_count, telling_capacity;
    row* rows;                // that were reported
    int64_t row_count, row_capacity;
    shared *send, *recv;
    int64_t send_count, send_capacity, recv_count, recv_capacity;
    int32_t* own_at;          // ranks of own spheres in the part
    bool* tie;                // of rows of two equal giants, in their order: whether the first has the smaller id
    int64_t tie_count, tie_capacity;
    bool periodic;
} halo;

static void halo_free(halo* h)
{
    scree_free(h->hits.hit);
    scree_free(h->seen);
    scree_free(h->across);
    scree_free(h->telling);
    scree_free(h->tie);
    scree_free(h->rows);
    scree_free(h->send);
    scree_free(h->recv);
}

// ---- Round 1 -------------------------------------------------------------------------------------------------------

typedef struct named {
    int64_t id;
    int32_t number;
} named;

static int by_id(const void* a, const void* b)
{
    const named *s = a, *t = b;
    return (s->id > t->id) - (s->id < t->id);
}

// Its number; -1: there is none of this id.
static int32_t find_id(const named* all, int64_t count, int64_t id)
{
    const named wanted = {.id = id}, *is = count > 0 ? bsearch(&wanted, all, (size_t)count, sizeof *all, by_id) : NULL;
    return is != NULL ? is->number : -1;
}

// Own spheres are shown to the owners of those to which they are bonded. *out: by how much farther each reaches than 0; NULL: there are no bonds.
static scree_status reach_bonds(const halo* h, double** out)
{
    const own_spheres* own = &h->me->own;
    *out = NULL;
    if (own->bonds == 0)
        return SCREE_OK;
    named* all = scree_malloc((size_t)own->count + 1, sizeof *all);
    double* reach = *out = scree_calloc((size_t)own->count + 1, sizeof *reach);
    if (all == NULL || reach == NULL) {
        scree_free(all);
        return SCREE_ERR_MEMORY;
    }
    for (int32_t i = 0; i < own->count; ++i) {
        part_stub stub;
        own_stub(h->me, i, &stub);
        all[i] = (named){.id = stub.id, .number = i};
    }
    if (own->count > 1)
        qsort(all, (size_t)own->count, sizeof *all, by_id);
    for (int64_t b = 0; b < own->bonds; ++b) {
        part_bond_seen bond;
        part_bond_look(own->bond_memory + (size_t)b * part_bond_bytes(), &bond);
        for (int side = 0; side < 2 && bond.holds; ++side) {
            int32_t i = find_id(all, own->count, bond.id[side]);
            if (i >= 0 && !(reach[i] >= bond.distance * (1.0 + 1e-9)))
                reach[i] = bond.distance * (1.0 + 1e-9);
        }
    }
    scree_free(all);
    return SCREE_OK;
}

// Whether this own sphere and those behind it stand side by side in the part.
static bool is_run(const par_rank* me, int32_t i)
{
    const int32_t* from = me->own.from + i;
    bool is = me->own.count - i >= forest_run && from[0] >= 0;
    for (int32_t e = 1; e < forest_run && is; ++e)
        is = from[e] == from[0] + e;
    return is;
}

// The ranks whose spheres may touch own ones: none for spheres deep in the region of this rank.
static scree_status find_hits(halo* h, const par_forest* forest, double skin)
{
    const par_rank* me = h->me;
    const double reach = part_reach(me->sim) + skin;
    double* bonded = NULL;
    forest_ball* balls = NULL;
    int32_t *number = h->me->scratch, count = 0;
    int64_t capacity = 0;
    scree_status status = reach_bonds(h, &bonded);
    forest_home home = forest_no_home();
    const double (*place)[4] = part_places(me->sim);
    for (int32_t i = 0; i < me->own.count && status == SCREE_OK; ++i) {
        if (i % forest_run == 0 && bonded == NULL && is_run(me, i) && forest_are_home(forest, me->rank, place + me->own.from[i], forest_run, 2.0, reach, &home)) {
            i += forest_run - 1;
            continue;
        }
        const double* x = me->own.from[i] >= 0 ? place[me->own.from[i]] : own_place(me, i);
        double far = 2.0 * x[3] + reach;
        if (bonded != NULL && bonded[i] > far)
            far = bonded[i];
        if (forest_is_home(forest, me->rank, x, far, &home))
            continue;
        forest_ball ball = {.x = {x[0], x[1], x[2]}, .reach = far};
        status = SCREE_RESERVE(balls, capacity, (int64_t)count + 1);
        if (status == SCREE_OK) {
            number[count] = i;
            balls[count++] = ball;
        }
    }
    scree_status met = forest_meet(forest, me->rank, status == SCREE_OK ? count : 0, balls, &h->hits);  // all ranks must call it
    status = status == SCREE_OK ? met : status;
    for (int64_t e = 0; e < h->hits.count && status == SCREE_OK; ++e)
        h->hits.hit[e].ball = number[h->hits.hit[e].ball];
    scree_free(balls);
    scree_free(bonded);
    return status;
}

static scree_status show(halo* h, const par_forest* forest, double skin)
{
    scree_status reserved = SCREE_RESERVE(h->me->scratch, h->me->scratch_capacity, (int64_t)h->me->own.count + 1);
    if (reserved != SCREE_OK)
        h->me->own.count = 0;  // all ranks must ask the forest
    if (find_hits(h, forest, skin) != SCREE_OK || reserved != SCREE_OK)
        return SCREE_ERR_MEMORY;
    const forest_hit* hits = h->hits.hit;
    par_post_clear(h->out);
    for (int64_t first = 0, last; first < h->hits.count; first = last) {
        for (last = first; last < h->hits.count && hits[last].rank == hits[first].rank;)
            ++last;
        if (par_post_add(h->out, hits[first].rank, (last - first) * (int64_t)sizeof(part_stub)) != SCREE_OK)
            return SCREE_ERR_MEMORY;
    }
    if (par_post_lay(h->out) != SCREE_OK)
        return SCREE_ERR_MEMORY;
    int32_t m = 0;
    for (int64_t e = 0, first = 0; e < h->hits.count; ++e) {
        while (h->out->mail[m].peer != hits[e].rank) {
            ++m;
            first = e;
        }
        part_stub stub;
        own_stub(h->me, hits[e].ball, &stub);
        memcpy(h->out->mail[m].data + (size_t)(e - first) * sizeof stub, &stub, sizeof stub);
    }
    return SCREE_OK;
}

// ---- Search --------------------------------------------------------------------------------------------------------

static int by_order(const void* a, const void* b)
{
    const part_stub *s = ((const seen*)a)->stub, *t = ((const seen*)b)->stub;
    return part_is_before(s, t) ? -1 : part_is_before(t, s) ? 1 : 0;
}

static scree_status collect_seen(halo* h)
{
    int64_t count = 0;
    for (int32_t m = 0; m < h->in->count; ++m)
        count += h->in->mail[m].bytes / (int64_t)sizeof(part_stub);
    if (h->me->own.count + count > INT32_MAX)
        return scree_fail(SCREE_ERR_ARGUMENT, "par: rank %d would hold %lld spheres; expected at most 2147483647: use more ranks", (int)h->me->rank, (long long)(h->me->own.count + count));
    h->seen = scree_calloc((size_t)count + 1, sizeof *h->seen);
    if (h->seen == NULL)
        return SCREE_ERR_MEMORY;
    for (int32_t m = 0; m < h->in->count; ++m)
        for (int64_t e = 0; e < h->in->mail[m].bytes / (int64_t)sizeof(part_stub); ++e)
            h->seen[h->seen_count++] = (seen){.stub = (const part_stub*)(const void*)h->in->mail[m].data + e, .post = m, .number = (int32_t)e};
    h->me->shown = h->seen_count;
    if (h->in->count > 1)  // each message is in order
        qsort(h->seen, (size_t)h->seen_count, sizeof *h->seen, by_order);
    return SCREE_OK;
}

// Keys and ids of own spheres, of which most are where the part has them.
typedef struct own_keys {
    const par_rank* me;
    const uint64_t* key;
    const int64_t* id;
} own_keys;

// The first of i .. end - 1 that is not before something, or end: by steps of twice the length, then by halves, since few spheres of others come between many own ones.
static inline int64_t first_not_before(int64_t i, int64_t end, bool (*is_before)(const void* context, int64_t i), const void* context)
{
    int64_t low = i, high, step = 1;
    for (high = i; high < end && is_before(context, high); step *= 2) {
        low = high + 1;
        high = end - high > step ? high + step : end;
    }
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (is_before(context, middle))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

typedef struct key_search {
    const own_keys* own;
    uint64_t key;
    int64_t id;
} key_search;

static inline bool own_is_before(const void* context, int64_t i)
{
    const key_search* s = context;
    int32_t from = s->own->me->own.from[i];
    if (from >= 0)
        return s->own->key[from] != s->key ? s->own->key[from] < s->key : s->own->id[from] < s->id;
    part_stub stub;
    own_stub(s->own->me, (int32_t)i, &stub);
    return stub.key != s->key ? stub.key < s->key : stub.id < s->id;
}

// The first own sphere from i on that is not before (key, id).
static int32_t own_until(const own_keys* own, int32_t i, uint64_t key, int64_t id)
{
    return (int32_t)first_not_before(i, own->me->own.count, own_is_before, &(key_search){.own = own, .key = key, .id = id});
}

static own_keys keys_of(const par_rank* me)
{
    return (own_keys){.me = me, .key = part_key_array(me->sim), .id = part_id_array(me->sim)};
}

// most: the largest coordinates, and radius.
static inline void lay_item(const double from[4], double to[4], double most[4])
{
    for (int k = 0; k < 4; ++k) {
        double size = fabs(from[k]);
        to[k] = from[k];
        most[k] = size > most[k] ? size : most[k];
    }
}

// Own spheres and those that were shown, by (key, id), as items of the search.
static scree_status lay_items(halo* h)
{
    par_rank* me = h->me;
    h->all = me->own.count + h->seen_count;
    if (part_search_room(me->sim, h->all, &h->items) != SCREE_OK || SCREE_RESERVE(me->of, me->of_capacity, (int64_t)h->all + 1) != SCREE_OK)
        return SCREE_ERR_MEMORY;
    h->of = me->of;
    const part_items to = h->items;
    const double (*place)[4] = part_places(me->sim);
    const int32_t* from = me->own.from;
    own_keys keys = keys_of(me);
    int32_t i = 0, at = 0;
    double most[4] = {0.0, 0.0, 0.0, 0.0};
    for (int32_t s = 0; s <= h->seen_count; ++s) {
        const part_stub* next = s < h->seen_count ? h->seen[s].stub : NULL;
        for (int32_t end = next != NULL ? own_until(&keys, i, next->key, next->id) : me->own.count; i < end; ++i, ++at) {
            lay_item(from[i] >= 0 ? place[from[i]] : own_place(me, i), to.xr[at], most);
            h->of[at] = i;
            if (to.still != NULL) {
                part_stub stub;
                own_stub(me, i, &stub);
                to.still[at] = (uint8_t)stub.fixed;
            }
        }
        if (next == NULL)
            break;
        lay_item(next->x, to.xr[at], most);
        if (to.still != NULL)
            to.still[at] = (uint8_t)next->fixed;
        h->of[at++] = -1 - s;
    }
    h->extent = most[0] > most[1] ? most[0] : most[1];
    h->extent = most[2] > h->extent ? most[2] : h->extent;
    h->largest = most[3];
    return SCREE_OK;
}

// The smaller sphere of a row; of equal ones the first, but for giants (is_tie).
static bool first_is_smaller(const halo* h, int64_t c)
{
    return h->items.xr[h->found.ij[c][0]][3] <= h->items.xr[h->found.ij[c][1]][3];
}

static bool is_tie(const halo* h, int64_t c)
{
    const double r[2] = {h->items.xr[h->found.ij[c][0]][3], h->items.xr[h->found.ij[c][1]][3]};
    return r[0] == r[1] && part_is_giant(h->me->sim, &(part_stub){.x = {0.0, 0.0, 0.0, r[0]}});
}

// Of an own sphere, or of one that was shown.
static int64_t id_of(const halo* h, int32_t of)
{
    part_stub stub;
    if (of < 0)
        return h->seen[-1 - of].stub->id;
    own_stub(h->me, of, &stub);
    return stub.id;
}

static scree_status add_tie(halo* h, bool first)
{
    if (SCREE_RESERVE(h->tie, h->tie_capacity, h->tie_count + 1) != SCREE_OK)
        return SCREE_ERR_MEMORY;
    h->tie[h->tie_count++] = first;
    return SCREE_OK;
}

static scree_status search(halo* h, double skin)
{
    scree_status status = collect_seen(h);
    if (status == SCREE_OK)
        status = lay_items(h);
    if (status == SCREE_OK)
        status = part_search(h->me->sim, h->all, skin, &h->found);
    if (status != SCREE_OK)
        return status;
    h->periodic = scree_box_is_periodic(part_box(h->me->sim));
    h->kept = h->found.count;
    for (int64_t c = 0; c < h->found.count && h->seen_count > 0; ++c) {
        int32_t a = h->of[h->found.ij[c][0]], b = h->of[h->found.ij[c][1]];
        if ((a | b) >= 0)
            continue;
        if (SCREE_RESERVE(h->across, h->across_capacity, h->across_count + 1) != SCREE_OK)
            return SCREE_ERR_MEMORY;
        h->across[h->across_count++] = c;
        bool first = first_is_smaller(h, c);
        if (is_tie(h, c)) {
            first = id_of(h, a) < id_of(h, b);
            if (add_tie(h, first) != SCREE_OK)
                return SCREE_ERR_MEMORY;
        }
        int32_t smaller = first ? a : b, larger = first ? b : a;
        if (smaller < 0) {
            --h->kept;
            continue;
        }
        seen* other = &h->seen[-1 - larger];
        other->used = true;
        if (part_is_giant(h->me->sim, other->stub))
            continue;
        if (SCREE_RESERVE(h->telling, h->telling_capacity, h->telling_count + 1) != SCREE_OK)
            return SCREE_ERR_MEMORY;
        telling* tell = &h->telling[h->telling_count++];
        *tell = (telling){.post = other->post, .own = smaller, .pair = {.larger = other->number}};
        if (h->found.shift != NULL)
            memcpy(tell->pair.shift, h->found.shift[c], sizeof *h->found.shift);
    }
    return SCREE_OK;
}

// Spheres of others that are bonded to own ones are used. Their owners find the same, so that bonds need not be reported.
static scree_status use_bonds(halo* h)
{
    const own_spheres* own = &h->me->own;
    if (own->bonds == 0)
        return SCREE_OK;
    named* all = scree_malloc((size_t)h->seen_count + 1, sizeof *all);
    int64_t count = 0;
    if (all == NULL)
        return SCREE_ERR_MEMORY;
    for (int32_t i = 0; i < h->seen_count; ++i)
        all[count++] = (named){.id = h->seen[i].stub->id, .number = i};
    if (count > 1)
        qsort(all, (size_t)count, sizeof *all, by_id);
    for (int64_t b = 0; b < own->bonds; ++b) {
        part_bond_seen bond;
        part_bond_look(own->bond_memory + (size_t)b * part_bond_bytes(), &bond);
        for (int side = 0; side < 2 && bond.holds; ++side) {
            int32_t i = find_id(all, count, bond.id[side]);
            if (i >= 0)
                h->seen[i].used = true;
        }
    }
    scree_free(all);
    return SCREE_OK;
}

// ---- Round 2 -------------------------------------------------------------------------------------------------------

static int by_telling(const void* a, const void* b)
{
    const telling *s = a, *t = b;
    return s->post != t->post ? (s->post < t->post ? -1 : 1) : (s->own > t->own) - (s->own < t->own);
}

static scree_status share(shared** list, int64_t* count, int64_t* capacity, shared one)
{
    if (SCREE_RESERVE(*list, *capacity, *count + 1) != SCREE_OK)
        return SCREE_ERR_MEMORY;
    (*list)[(*count)++] = one;
    return SCREE_OK;
}

// An own sphere is sent to this peer, in each step.
static scree_status share_own(halo* h, int32_t peer, int32_t own)
{
    part_stub stub;
    own_stub(h->me, own, &stub);
    return share(&h->send, &h->send_count, &h->send_capacity, (shared){.peer = peer, .number = own, .key = stub.key, .id = stub.id});
}

static scree_status share_ghost(halo* h, int32_t peer, const part_stub* stub)
{
    return share(&h->recv, &h->recv_count, &h->recv_capacity, (shared){.peer = peer, .key = stub->key, .id = stub->id, .stub = stub});
}

// A message: {used, smaller, pairs}, numbers of those used, stubs of the smaller, pairs.
typedef struct reported_head {
    int64_t used, smaller, pairs;
} reported_head;

static int64_t round_up(int64_t bytes)
{
    return (bytes + 7) / 8 * 8;
}

static scree_status tell(halo* h)
{
    int32_t posts = h->in->count;
    reported_head* heads = scree_calloc((size_t)posts + 1, sizeof *heads);
    if (heads == NULL)
        return SCREE_ERR_MEMORY;
    if (h->telling_count > 1)
        qsort(h->telling, (size_t)h->telling_count, sizeof *h->telling, by_telling);
    for (int32_t i = 0; i < h->seen_count; ++i)
        if (h->seen[i].used)
            ++heads[h->seen[i].post].used;
    for (int64_t e = 0; e < h->telling_count; ++e) {
        telling* t = &h->telling[e];
        bool same = e > 0 && t[-1].post == t->post && t[-1].own == t->own;
        heads[t->post].smaller += !same;
        ++heads[t->post].pairs;
        t->pair.smaller = (int32_t)heads[t->post].smaller - 1;
    }
    par_post_clear(h->back);
    scree_status status = SCREE_OK;
    for (int32_t m = 0; m < posts && status == SCREE_OK; ++m)
        if (heads[m].used > 0)
            status = par_post_add(h->back, h->in->mail[m].peer,
                                  (int64_t)sizeof *heads + round_up(heads[m].used * (int64_t)sizeof(int32_t)) + heads[m].smaller * (int64_t)sizeof(part_stub) + heads[m].pairs * (int64_t)sizeof(reported_pair));
    if (status == SCREE_OK)
        status = par_post_lay(h->back);
    int64_t next = 0;
    for (int32_t m = 0, b = 0; m < posts && status == SCREE_OK; ++m) {
        if (heads[m].used == 0)
            continue;
        char* data = h->back->mail[b++].data;
        memcpy(data, &heads[m], sizeof *heads);
        int32_t *used = (int32_t*)(void*)(data + sizeof *heads), count = 0, peer = h->in->mail[m].peer;
        part_stub* smaller = (part_stub*)(void*)(data + sizeof *heads + round_up(heads[m].used * (int64_t)sizeof(int32_t)));
        reported_pair* pairs = (reported_pair*)(void*)(smaller + heads[m].smaller);
        for (int32_t i = 0; i < h->seen_count && status == SCREE_OK; ++i)
            if (h->seen[i].used && h->seen[i].post == m) {
                used[count++] = h->seen[i].number;
                status = share_ghost(h, peer, h->seen[i].stub);
            }
        for (; next < h->telling_count && h->telling[next].post == m && status == SCREE_OK; ++next) {
            const telling* t = &h->telling[next];
            *pairs++ = t->pair;
            if (next > 0 && t[-1].post == m && t[-1].own == t->own)
                continue;
            own_stub(h->me, t->own, &smaller[t->pair.smaller]);
            status = share_own(h, peer, t->own);
        }
    }
    scree_free(heads);
    return status;
}

// ---- Ghosts --------------------------------------------------------------------------------------------------------

// Of a message of round 2.
typedef struct heard {
    reported_head head;
    const int32_t* used;
    const part_stub* smaller;
    const reported_pair* pairs;
    const forest_hit* shown;  // what was shown to that peer
} heard;

static void hear(const halo* h, int32_t m, heard* out)
{
    const char* data = h->reported->mail[m].data;
    memcpy(&out->head, data, sizeof out->head);
    out->used = (const int32_t*)(const void*)(data + sizeof out->head);
    out->smaller = (const part_stub*)(const void*)(data + sizeof out->head + round_up(out->head.used * (int64_t)sizeof(int32_t)));
    out->pairs = (const reported_pair*)(const void*)(out->smaller + out->head.smaller);
    int64_t first = 0;
    while (h->hits.hit[first].rank != h->reported->mail[m].peer)
        ++first;
    out->shown = h->hits.hit + first;
}

static int by_share(const void* a, const void* b)
{
    const shared *s = a, *t = b;
    if (s->peer != t->peer)
        return s->peer < t->peer ? -1 : 1;
    if (s->key != t->key)
        return s->key < t->key ? -1 : 1;
    return (s->id > t->id) - (s->id < t->id);
}

// By (peer, key, id), each once.
static int64_t sort_shared(shared* list, int64_t count)
{
    int64_t to = 0;
    if (count > 1)
        qsort(list, (size_t)count, sizeof *list, by_share);
    for (int64_t e = 0; e < count; ++e)
        if (to == 0 || by_share(&list[to - 1], &list[e]) != 0)
            list[to++] = list[e];
    return to;
}

static scree_status collect_shared(halo* h)
{
    scree_status status = SCREE_OK;
    for (int32_t m = 0; m < h->reported->count && status == SCREE_OK; ++m) {
        heard from;
        int32_t peer = h->reported->mail[m].peer;
        hear(h, m, &from);
        for (int64_t e = 0; e < from.head.used && status == SCREE_OK; ++e)
            status = share_own(h, peer, from.shown[from.used[e]].ball);
        for (int64_t e = 0; e < from.head.smaller && status == SCREE_OK; ++e)
            status = share_ghost(h, peer, &from.smaller[e]);
    }
    h->send_count = sort_shared(h->send, h->send_count);
    h->recv_count = sort_shared(h->recv, h->recv_count);
    return status;
}

// A ghost in the list of what is received, by (key, id) of a sphere of this peer.
static int64_t find_ghost(const halo* h, int32_t peer, const part_stub* stub)
{
    const shared wanted = {.peer = peer, .key = stub->key, .id = stub->id};
    int64_t low = 0, high = h->recv_count - 1;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (by_share(&h->recv[middle], &wanted) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static int by_row(const void* a, const void* b)
{
    const row *s = a, *t = b;
    for (int e = 0; e < 2; ++e)
        if (s->ij[e] != t->ij[e])
            return s->ij[e] < t->ij[e] ? -1 : 1;
    for (int k = 0; k < 3; ++k)
        if (s->shift[k] != t->shift[k])
            return s->shift[k] < t->shift[k] ? -1 : 1;
    return 0;
}

static int by_ghost(const void* a, const void* b)
{
    const shared *s = *(shared* const*)a, *t = *(shared* const*)b;
    if (s->key != t->key)
        return s->key < t->key ? -1 : 1;
    return (s->id > t->id) - (s->id < t->id);
}

// Own spheres and ghosts by (key, id): the ranks of both in the new part. `from`: ranks that own ones had, or part_comes.
static scree_status make_order(halo* h, int32_t* from, int32_t n)
{
    par_rank* me = h->me;
    shared** ghosts = scree_malloc((size_t)h->recv_count + 1, sizeof *ghosts);
    if (ghosts == NULL)
        return SCREE_ERR_MEMORY;
    for (int64_t g = 0; g < h->recv_count; ++g)
        ghosts[g] = &h->recv[g];
    if (h->recv_count > 1)
        qsort(ghosts, (size_t)h->recv_count, sizeof *ghosts, by_ghost);
    memset(me->ghost, 0, (size_t)n);
    h->own_at = me->scratch;
    own_keys keys = keys_of(me);
    int32_t i = 0, at = 0;
    for (int64_t g = 0; g <= h->recv_count; ++g) {
        shared* next = g < h->recv_count ? ghosts[g] : NULL;
        for (int32_t end = next != NULL ? own_until(&keys, i, next->key, next->id) : me->own.count; i < end; ++i, ++at) {
            h->own_at[i] = at;
            from[at] = me->own.from[i] >= 0 ? me->own.from[i] : part_comes;
        }
        if (next == NULL)
            break;
        me->ghost[at] = 1;
        from[at] = part_comes;
        next->number = at++;
    }
    scree_free(ghosts);
    return SCREE_OK;
}

// Reported rows, by ranks in the part, sorted.
static scree_status take_reported(halo* h)
{
    for (int32_t m = 0; m < h->reported->count; ++m) {
        heard from;
        hear(h, m, &from);
        if (SCREE_RESERVE(h->rows, h->row_capacity, h->row_count + from.head.pairs) != SCREE_OK)
            return SCREE_ERR_MEMORY;
        for (int64_t e = 0; e < from.head.pairs; ++e) {
            const reported_pair* pair = &from.pairs[e];
            int32_t ghost = h->recv[find_ghost(h, h->reported->mail[m].peer, &from.smaller[pair->smaller])].number, own = h->own_at[from.shown[pair->larger].ball];
            row* to = &h->rows[h->row_count++];
            *to = (row){.ij = {ghost < own ? ghost : own, ghost < own ? own : ghost}};
            memcpy(to->shift, pair->shift, sizeof to->shift);
        }
    }
    if (h->row_count > 1)
        qsort(h->rows, (size_t)h->row_count, sizeof *h->rows, by_row);
    return SCREE_OK;
}

// Where the rows of the part go.
typedef struct row_output {
    int32_t (*ij)[2];
    int8_t (*shift)[3];       // NULL: no axis is periodic
    int64_t count;
} row_output;

static void put_row(row_output* out, const row* one)
{
    memcpy(out->ij[out->count], one->ij, sizeof *out->ij);
    if (out->shift != NULL)
        memcpy(out->shift[out->count], one->shift, sizeof *out->shift);
    ++out->count;
}

// Found rows of two own spheres.
static void put_own_rows(const halo* h, int64_t first, int64_t last, row_output* out)
{
    const int32_t (*found)[2] = h->found.ij + first;
    int32_t (*to)[2] = out->ij + out->count;
    for (int64_t c = 0; c < last - first; ++c) {
        to[c][0] = h->of[found[c][0]];
        to[c][1] = h->of[found[c][1]];
    }
    if (out->shift != NULL && last > first)
        memcpy(out->shift[out->count], h->found.shift[first], (size_t)(last - first) * sizeof *out->shift);
    out->count += last - first;
}

typedef struct row_search {
    const halo* h;
    const row* other;
} row_search;

static inline bool own_row_is_before(const void* context, int64_t c)
{
    const row_search* s = context;
    const part_rows* found = &s->h->found;
    row one = {.ij = {s->h->of[found->ij[c][0]], s->h->of[found->ij[c][1]]}};
    if (one.ij[0] == s->other->ij[0] && found->shift != NULL)
        memcpy(one.shift, found->shift[c], sizeof *found->shift);
    return by_row(&one, s->other) < 0;
}

// The first found row of two own spheres, from row c on and before `end`, that is not before this one.
static int64_t own_rows_until(const halo* h, int64_t c, int64_t end, const row* other)
{
    return first_not_before(c, end, own_row_is_before, &(row_search){.h = h, .other = other});
}

// A found row with a sphere of another rank. False: the owner of that one, which is the smaller, has it.
static bool take_across(const halo* h, int64_t c, int64_t* tie, row* out)
{
    const int32_t of[2] = {h->of[h->found.ij[c][0]], h->of[h->found.ij[c][1]]};
    bool first = is_tie(h, c) ? h->tie[(*tie)++] : first_is_smaller(h, c);
    if (of[first ? 0 : 1] < 0)
        return false;
    *out = (row){.ij = {of[0], of[1]}};
    for (int e = 0; e < 2; ++e)
        if (of[e] < 0) {
            const seen* other = &h->seen[-1 - of[e]];
            out->ij[e] = h->recv[find_ghost(h, h->in->mail[other->post].peer, other->stub)].number;
        }
    if (h->found.shift != NULL)
        memcpy(out->shift, h->found.shift[c], sizeof *h->found.shift);
    return true;
}

// Rows of the part: pairs that were found here and pairs that were reported. Nearly all are of two own spheres, and stand side by side.
static scree_status make_rows(halo* h)
{
    row_output out = {.count = 0};
    scree_status status = take_reported(h);
    if (status == SCREE_OK)
        status = part_rows_room(h->me->sim, h->kept + h->row_count, &out.ij, &out.shift);
    if (status != SCREE_OK)
        return status;
    for (int32_t at = 0; at < h->all; ++at)
        h->of[at] = h->of[at] >= 0 ? h->own_at[h->of[at]] : h->of[at];
    int64_t c = 0, tie = 0, reported = 0;
    for (int64_t e = 0; e <= h->across_count; ++e, ++c) {
        int64_t next = e < h->across_count ? h->across[e] : h->found.count;
        while (c < next) {
            int64_t until = reported < h->row_count ? own_rows_until(h, c, next, &h->rows[reported]) : next;
            put_own_rows(h, c, until, &out);
            c = until;
            if (c < next)
                put_row(&out, &h->rows[reported++]);
        }
        row one;
        if (e == h->across_count || !take_across(h, c, &tie, &one))
            continue;
        while (reported < h->row_count && by_row(&h->rows[reported], &one) < 0)
            put_row(&out, &h->rows[reported++]);
        put_row(&out, &one);
    }
    while (reported < h->row_count)
        put_row(&out, &h->rows[reported++]);
    h->row_count = out.count;
    return SCREE_OK;
}

static scree_status make_peers(halo* h)
{
    par_rank* me = h->me;
    me->peer_count = 0;
    if (SCREE_RESERVE(me->send, me->send_capacity, h->send_count + 1) != SCREE_OK || SCREE_RESERVE(me->recv, me->recv_capacity, h->recv_count + 1) != SCREE_OK)
        return SCREE_ERR_MEMORY;
    for (int64_t s = 0, r = 0; s < h->send_count || r < h->recv_count;) {
        int32_t peer = s == h->send_count || (r < h->recv_count && h->recv[r].peer < h->send[s].peer) ? h->recv[r].peer : h->send[s].peer;
        halo_peer to = {.rank = peer, .send_first = s, .recv_first = r};
        for (; s < h->send_count && h->send[s].peer == peer; ++s)
            me->send[s] = h->own_at[h->send[s].number];
        for (; r < h->recv_count && h->recv[r].peer == peer; ++r)
            me->recv[r] = h->recv[r].number;
        to.send_count = (int32_t)(s - to.send_first);
        to.recv_count = (int32_t)(r - to.recv_first);
        if (SCREE_RESERVE(me->peers, me->peer_capacity, (int64_t)me->peer_count + 1) != SCREE_OK)
            return SCREE_ERR_MEMORY;
        me->peers[me->peer_count++] = to;
    }
    return SCREE_OK;
}

// ---- Messages of ghosts --------------------------------------------------------------------------------------------

// Room for messages that have `bytes` for each sphere. What comes is known too.
static scree_status lay_step(const par_rank* me, size_t bytes, par_post* out, par_post* in)
{
    par_post_clear(out);
    par_post_clear(in);
    scree_status status = SCREE_OK;
    for (int32_t p = 0; p < me->peer_count && status == SCREE_OK; ++p) {
        const halo_peer* peer = &me->peers[p];
        if (peer->send_count > 0)
            status = par_post_add(out, peer->rank, peer->send_count * (int64_t)bytes);
        if (status == SCREE_OK && peer->recv_count > 0)
            status = par_post_add(in, peer->rank, peer->recv_count * (int64_t)bytes);
    }
    if (status == SCREE_OK)
        status = par_post_lay(out);
    return status == SCREE_OK ? par_post_lay(in) : status;
}

static void pack_step(const par_rank* me, part_what what, const par_post* out)
{
    for (int32_t p = 0, m = 0; p < me->peer_count; ++p) {
        const halo_peer* peer = &me->peers[p];
        if (peer->send_count > 0)
            part_pack(me->sim, what, me->send + peer->send_first, peer->send_count, out->mail[m++].data);
    }
}

static void unpack_step(const par_rank* me, part_what what, const par_post* in)
{
    for (int32_t p = 0, m = 0; p < me->peer_count; ++p) {
        const halo_peer* peer = &me->peers[p];
        if (peer->recv_count > 0)
            part_unpack(me->sim, what, me->recv + peer->recv_first, peer->recv_count, in->mail[m++].data);
    }
}

// Records of all ghosts, in messages of their own.
static scree_status exchange(par_team* team, part_what what, par_post* out, par_post* in)
{
    scree_par* par = team->par;
    scree_status status = SCREE_OK;
    for (int32_t l = 0; status == SCREE_OK && par_turn(par, l); ++l) {
        status = lay_step(&team->rank[l], part_bytes(team->rank[l].sim, what), &out[l], &in[l]);
        if (status == SCREE_OK)
            pack_step(&team->rank[l], what, &out[l]);
    }
    status = par_agree(par, status);
    if (status == SCREE_OK)
        status = par_swap(par, out, in);
    for (int32_t l = 0; status == SCREE_OK && par_turn(par, l); ++l)
        unpack_step(&team->rank[l], what, &in[l]);
    return status;
}

scree_status halo_look(par_team* team)
{
    return exchange(team, PART_LOOK, team->posts[POST_BACK], team->posts[POST_REPORTED]);  // the messages of steps stay as they are
}

scree_status halo_refresh_begin(par_team* team)
{
    for (int32_t l = 0; par_turn(team->par, l); ++l)
        pack_step(&team->rank[l], PART_STEP, &team->posts[POST_STEP_OUT][l]);
    return par_swap_begin(team->par, team->posts[POST_STEP_OUT], team->posts[POST_STEP_IN]);
}

scree_status halo_refresh_end(par_team* team)
{
    double begin = scree_clock();
    scree_status status = par_swap_end(team->par, team->posts[POST_STEP_OUT], team->posts[POST_STEP_IN]);
    part_add_wait(team->rank[0].sim, scree_clock() - begin);
    for (int32_t l = 0; status == SCREE_OK && par_turn(team->par, l); ++l)
        unpack_step(&team->rank[l], PART_STEP, &team->posts[POST_STEP_IN][l]);
    return status;
}

scree_status halo_refresh(par_team* team)
{
    scree_status status = halo_refresh_begin(team);
    return status == SCREE_OK ? halo_refresh_end(team) : status;
}

// ---- A new list ----------------------------------------------------------------------------------------------------

// The part gets its arrays, own spheres and the places of its ghosts.
static scree_status fill(halo* h)
{
    par_rank* me = h->me;
    scree_status status = collect_shared(h);
    if (status != SCREE_OK)
        return status;
    int64_t n = me->own.count + h->recv_count;
    if (n > INT32_MAX)
        return scree_fail(SCREE_ERR_ARGUMENT, "par: rank %d would hold %lld spheres; expected at most 2147483647: use more ranks", (int)me->rank, (long long)n);
    int32_t* from = scree_malloc((size_t)n + 1, sizeof *from);
    if (from == NULL || SCREE_RESERVE(me->ghost, me->ghost_capacity, n + 1) != SCREE_OK || SCREE_RESERVE(me->scratch, me->scratch_capacity, n + 1) != SCREE_OK)
        status = SCREE_ERR_MEMORY;
    if (status == SCREE_OK)
        status = make_order(h, from, (int32_t)n);
    if (status == SCREE_OK)
        status = make_rows(h);
    if (status == SCREE_OK)
        status = make_peers(h);
    if (status == SCREE_OK)
        status = part_room(me->sim, (int32_t)n, from, me->own.what == PART_MOVE, me->ghost);
    // Those that have come, by record.
    int32_t come = 0, *to = from;
    for (int32_t i = 0; i < me->own.count && status == SCREE_OK; ++i)
        if (me->own.from[i] < 0) {
            to[-1 - me->own.from[i]] = h->own_at[i];
            ++come;
        }
    if (status == SCREE_OK)
        part_unpack(me->sim, me->own.what, to, come, me->own.memory);
    scree_free(from);
    return status;
}

static scree_status finish(halo* h, double skin)
{
    par_rank* me = h->me;
    const int32_t words = part_words(me->sim);
    scree_sim_memory memory = {0};
    scree_status status = words > 0 ? contacts_sorted(&me->own, words, h->periodic, &memory) : SCREE_OK;
    if (status == SCREE_OK && words > 0)
        status = part_memory_take(me->sim, &memory);
    contacts_free(&memory);
    if (status == SCREE_OK)
        status = part_bonds_take(me->sim, me->own.bond_memory, me->own.bonds);
    if (status == SCREE_OK)
        status = part_lists(me->sim, &(part_list){.count = h->row_count, .skin = skin, .extent = h->extent, .largest = h->largest, .items = h->all, .of = h->of});
    me->own_count = me->own.count;
    me->work = (double)work_of_sphere * me->own.count + (double)work_of_candidate * (double)h->row_count;
    return status;
}

scree_status halo_make(par_team* team, double skin)
{
    scree_par* par = team->par;
    par_aside(par);
    halo* halos = scree_calloc((size_t)par->local, sizeof *halos);
    par_aside_end(par);
    scree_status status = par_agree(par, halos == NULL ? SCREE_ERR_MEMORY : SCREE_OK);
    if (status != SCREE_OK) {
        scree_free(halos);
        return status;
    }
    for (int32_t l = 0; par_turn(par, l); ++l)
        halos[l] = (halo){.me = &team->rank[l], .out = &team->posts[POST_OUT][l], .in = &team->posts[POST_IN][l], .back = &team->posts[POST_BACK][l], .reported = &team->posts[POST_REPORTED][l]};
    for (int32_t l = 0; status == SCREE_OK && par_turn(par, l); ++l)
        status = show(&halos[l], &team->forest, skin);
    status = par_agree(par, status);
    if (status == SCREE_OK)
        status = par_send(par, team->posts[POST_OUT], team->posts[POST_IN]);
    for (int32_t l = 0; status == SCREE_OK && par_turn(par, l); ++l) {
        status = search(&halos[l], skin);
        if (status == SCREE_OK)
            status = use_bonds(&halos[l]);
        if (status == SCREE_OK)
            status = tell(&halos[l]);
    }
    status = par_agree(par, status);
    if (status == SCREE_OK)
        status = par_send(par, team->posts[POST_BACK], team->posts[POST_REPORTED]);
    for (int32_t l = 0; status == SCREE_OK && par_turn(par, l); ++l)
        status = fill(&halos[l]);
    status = par_agree(par, status);
    if (status == SCREE_OK)
        status = exchange(team, team->rank[0].own.what, team->posts[POST_STEP_OUT], team->posts[POST_STEP_IN]);  // whole ones: their places are new
    for (int32_t l = 0; status == SCREE_OK && par_turn(par, l); ++l) {
        status = finish(&halos[l], skin);
        if (status == SCREE_OK)
            status = lay_step(&team->rank[l], part_bytes(team->rank[l].sim, PART_STEP), &team->posts[POST_STEP_OUT][l], &team->posts[POST_STEP_IN][l]);
    }
    for (int32_t l = 0; par_turn(par, l); ++l)
        halo_free(&halos[l]);
    par_aside(par);
    scree_free(halos);
    par_aside_end(par);
    return par_agree(par, status);
}
