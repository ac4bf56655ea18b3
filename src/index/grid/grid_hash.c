// Spheres one by one in hashed cells: levels and cells, the hash, and its changes. Queries are in grid_near.c.
//
// Cost: insert, remove and move into another cell O(1), some ten nanoseconds while it fits into the caches; a move inside a cell
// writes the copy in the bucket. Memory O(n) wherever the spheres are: at most a bucket (128 bytes), three slots (8 bytes each) and
// three numbers for each sphere, and half as much again to grow into.
//
// Deletion leaves no marks: what follows an emptied slot and could stand nearer to where its search begins moves up, so that no
// number of moves back and forth makes a search longer.
#include "index/grid/grid_hash.h"

#include "base/array.h"

#include <assert.h>
#include <float.h>
#include <inttypes.h>
#include <math.h>

// A sphere that is larger than all others makes room for those that are larger still, so that sizes which rise do not cost a
// renewal or a level each: by this factor in cells that all share, and in a level of its own.
static const double spare_size = 1.25, spare_level = 2.0;
// Cells need not be shorter than what makes them hold about this many spheres of their level: a full bucket is tested in about the
// time that it takes to find it.
static const double full_enough = 3.0;

// ---- Levels -------------------------------------------------------------------------------------------------------

// Cells that hold about `full_enough` of this many spheres, or shorter than `enough` already.
static double side_by_crowding(const items* it, const crowding* crowd, double spheres, double enough)
{
    double side = crowd->widest, share = spheres / fmax(it->n, 1.0);
    for (int step = 0; step < 400 && side > enough && crowding_companions(crowd, side) * share > full_enough; ++step)
        side *= 0.8;
    return side;
}

// How long the cells of a level of radii up to r are. `side`: at least this; `spheres`: how many there will be, 0 if cells shall
// not become longer for their sake.
static double choose_side(const grid_hash* m, const items* it, const crowding* crowd, double r, double side, double spheres)
{
    // Cells that rounding does not resolve where most spheres are, or shorter than any length, are useless.
    side = fmax(fmax(side, 2.0 * r + it->gap), fmax(256.0 * DBL_EPSILON * m->coordinate, SCREE_LENGTH_MIN));
    return spheres > 0.0 ? fmax(side, side_by_crowding(it, crowd, spheres, side)) : side;
}

static void lay_level(grid_hash* m, double limit, const double side[3])
{
    const items* it = m->it;
    assert(m->levels < grid_most_levels);
    hash_level* level = &m->level[m->levels++];
    *level = (hash_level){.limit = limit, .side = {1.0, 1.0, 1.0}};
    for (int k = 0; k < it->dim; ++k) {
        level->side[k] = side[k];
        if (it->periodic[k]) {
            double most = (double)(1 << hash_key_bits);
            level->cells[k] = (int64_t)fmin(fmax(floor(it->length[k] / side[k]), 1.0), most);
            level->side[k] = it->length[k] / (double)level->cells[k];
        }
        level->inverse[k] = 1.0 / level->side[k];
    }
}

// The level of a radius; -1 if it is too large for all.
static int32_t level_of(const grid_hash* m, double r)
{
    for (int32_t h = 0; h < m->levels; ++h)
        if (r <= m->level[h].limit)
            return h;
    return -1;
}

static uint64_t key_in_level(const grid_hash* m, int32_t h, const double xr[4], int64_t place[3])
{
    const hash_level* level = &m->level[h];
    for (int k = 0; k < 3; ++k) {
        place[k] = hash_place(m, level, k, xr[k]);
        if (level->cells[k] > 0)  // rounding may put what is inside the box just beside it
            place[k] = place[k] < 0 ? 0 : place[k] >= level->cells[k] ? level->cells[k] - 1 : place[k];
    }
    return hash_key(h, place[0], place[1], place[2]);
}

// ---- The hash ------------------------------------------------------------------------------------------------------

static void put_slot(hash_slot* slots, int bits, hash_slot what)
{
    int64_t mask = (INT64_C(1) << bits) - 1, s = what.tag >> (32 - bits);
    while (slots[s].bucket >= 0)
        s = (s + 1) & mask;
    slots[s] = what;
}

static void erase_slot(grid_hash* m, int64_t hole)
{
    int64_t mask = (INT64_C(1) << m->slot_bits) - 1;
    for (int64_t s = (hole + 1) & mask; m->slots[s].bucket >= 0; s = (s + 1) & mask) {
        int64_t home = m->slots[s].tag >> (32 - m->slot_bits);
        if (((s - home) & mask) >= ((s - hole) & mask)) {  // its search passes the hole
            m->slots[hole] = m->slots[s];
            hole = s;
        }
    }
    m->slots[hole].bucket = -1;
    --m->cell_count;
}

// Slots for this many cells, at most three quarters of them taken. MEMORY.
static scree_status reserve_slots(grid_hash* m, int64_t cells)
{
    int bits = m->slot_bits > 0 ? m->slot_bits : 4;
    while (cells > (INT64_C(3) << bits) / 4)
        ++bits;
    if (bits == m->slot_bits)
        return SCREE_OK;
    hash_slot* slots = scree_malloc((size_t)1 << bits, sizeof *slots);
    if (slots == NULL)
        return SCREE_ERR_MEMORY;
    for (int64_t s = 0; s < INT64_C(1) << bits; ++s)
        slots[s].bucket = -1;
    for (int64_t s = 0; m->slot_bits > 0 && s < INT64_C(1) << m->slot_bits; ++s)
        if (m->slots[s].bucket >= 0)
            put_slot(slots, bits, m->slots[s]);
    scree_free(m->slots);
    m->slots = slots;
    m->slot_bits = bits;
    return SCREE_OK;
}

// ---- Cells -----------------------------------------------------------------------------------------------------------

static int32_t new_bucket(grid_hash* m, uint64_t key, int32_t next)
{
    int32_t b = m->free_bucket;
    if (b >= 0)
        m->free_bucket = m->buckets[b].next;
    else
        b = m->buckets_used++;
    assert(b < m->bucket_capacity);
    m->buckets[b] = (hash_bucket){.key = key, .next = next};
    return b;
}

static void put_into_cell(grid_hash* m, int32_t i, uint64_t key)
{
    int64_t s = hash_find(m, key);
    int32_t b = m->slots[s].bucket;
    if (b < 0) {
        m->slots[s] = (hash_slot){.tag = hash_tag(key), .bucket = b = new_bucket(m, key, -1)};
        ++m->cell_count;
    } else if (m->buckets[b].count == hash_bucket_size) {
        m->slots[s].bucket = b = new_bucket(m, key, b);
    }
    hash_bucket* bucket = &m->buckets[b];
    memcpy(bucket->xr[bucket->count], m->it->xr[i], sizeof bucket->xr[0]);
    bucket->id[bucket->count++] = i;
    m->bucket_of[i] = b;
    m->work->cells += 2;
}

static int32_t entry_of(const hash_bucket* bucket, int32_t i)
{
    int32_t e = 0;
    while (e + 1 < bucket->count && bucket->id[e] != i)
        ++e;
    assert(bucket->id[e] == i);
    return e;
}

// The hole is filled from the cell's first bucket, which alone may be less than full.
static void take_from_cell(grid_hash* m, int32_t i)
{
    hash_bucket* bucket = &m->buckets[m->bucket_of[i]];
    int64_t s = hash_find(m, bucket->key);
    int32_t head = m->slots[s].bucket, e = entry_of(bucket, i);
    hash_bucket* from = &m->buckets[head];
    int32_t last = --from->count, moved = from->id[last];
    memmove(bucket->xr[e], from->xr[last], sizeof bucket->xr[0]);
    bucket->id[e] = moved;
    m->work->cells += bucket != from ? 3 : 2;
    m->bucket_of[moved] = m->bucket_of[i];
    m->bucket_of[i] = -1;
    if (last > 0)
        return;
    if (from->next >= 0)
        m->slots[s].bucket = from->next;
    else
        erase_slot(m, s);
    from->next = m->free_bucket;
    m->free_bucket = head;
}

static void widen(hash_level* level, const int64_t place[3])
{
    for (int k = 0; k < 3; ++k) {
        level->low[k] = place[k] < level->low[k] ? place[k] : level->low[k];
        level->high[k] = place[k] > level->high[k] ? place[k] : level->high[k];
    }
}

// ---- Spheres ---------------------------------------------------------------------------------------------------------

// Room for sphere i on level h. MEMORY.
static scree_status reserve(grid_hash* m, int32_t i, int32_t h)
{
    hash_level* level = &m->level[h];
    if ((int64_t)i + 1 > m->ids_capacity) {
        int64_t roomy = m->ids_capacity + m->ids_capacity / 2, more = roomy > (int64_t)i + 1 ? roomy : (int64_t)i + 1;
        if (scree_resize(&m->bucket_of, more, sizeof *m->bucket_of) != SCREE_OK ||
            scree_resize(&m->at, more, sizeof *m->at) != SCREE_OK)
            return SCREE_ERR_MEMORY;
        for (int64_t j = m->ids_capacity; j < more; ++j)
            m->bucket_of[j] = -1;
        m->ids_capacity = more;
    }
    if (SCREE_RESERVE(m->buckets, m->bucket_capacity, m->count + 1) != SCREE_OK ||
        SCREE_RESERVE(level->ids, level->capacity, level->count + 1) != SCREE_OK)
        return SCREE_ERR_MEMORY;
    return reserve_slots(m, m->count + 1);
}

static void put(grid_hash* m, int32_t i, int32_t h)
{
    hash_level* level = &m->level[h];
    int64_t place[3];
    uint64_t key = key_in_level(m, h, m->it->xr[i], place);
    if (level->count == 0) {
        level->largest = 0.0;
        memcpy(level->low, place, sizeof place);
        memcpy(level->high, place, sizeof place);
    }
    widen(level, place);
    level->largest = fmax(level->largest, m->it->xr[i][3]);
    m->at[i] = (int32_t)level->count;
    level->ids[level->count++] = i;
    ++m->count;
    put_into_cell(m, i, key);
}

// ---- The plan --------------------------------------------------------------------------------------------------------

// The items as they are: r_min and r_max, and on axes that are not periodic the extent.
static void measure(items* now)
{
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    now->r_min = now->n > 0 ? INFINITY : 0.0;
    now->r_max = 0.0;
    for (int32_t i = 0; i < now->n; ++i) {
        const double* xr = now->xr[i];
        for (int k = 0; k < 3; ++k) {
            low[k] = xr[k] < low[k] ? xr[k] : low[k];
            high[k] = xr[k] > high[k] ? xr[k] : high[k];
        }
        now->r_min = xr[3] < now->r_min ? xr[3] : now->r_min;
        now->r_max = xr[3] > now->r_max ? xr[3] : now->r_max;
    }
    for (int k = 0; k < 3; ++k)
        if (!now->periodic[k]) {
            now->lower[k] = now->n > 0 ? low[k] : 0.0;
            now->length[k] = now->n > 0 ? high[k] - low[k] : 0.0;
        }
}

// Levels for these spheres, none of which is in yet. `spare`: larger ones are on their way. MEMORY.
static scree_status plan(grid_hash* m, const items* now, bool spare)
{
    crowding crowd;
    grid_wish wish;
    crowding_measure(&crowd, now);
    for (int k = 0; k < 3; ++k) {
        m->lower[k] = crowd.lower[k];
        m->coordinate = fmax(m->coordinate, fabs(crowd.lower[k]) + crowd.length[k]);
        m->rounding[k] = fabs(crowd.lower[k]) + (now->periodic[k] ? 2.0 * now->length[k] : 0.0) + items_drift(now, k);
    }
    m->planned = now->n;
    if (now->n == 0)
        return SCREE_OK;
    if (m->way.cut(m->way.self, now, &crowd, &wish) != SCREE_OK)
        return SCREE_ERR_MEMORY;
    for (int32_t h = 0; h < wish.levels; ++h) {
        bool last = h + 1 == wish.levels;
        double limit = wish.r_max[h] * (spare && last ? spare_size : 1.0);
        double side[3], shortest = INFINITY;
        for (int k = 0; k < now->dim; ++k)
            shortest = fmin(shortest, wish.side[h][k]);
        if (last && shortest > 0.0)  // cells that were made long by hand have room for larger ones
            limit = fmax(limit, 0.5 * (shortest - now->gap));
        for (int k = 0; k < 3; ++k) {
            bool same = k > 0 && wish.side[h][k] == wish.side[h][0];
            side[k] = same ? side[0] : choose_side(m, now, &crowd, limit, wish.side[h][k], wish.as_said ? 0.0 : (double)wish.spheres[h]);
        }
        lay_level(m, limit, side);
    }
    return SCREE_OK;
}

// Spheres with these numbers (NULL: 0 to n-1) at these places. NULL: out of memory.
static grid_hash* make(const items* it, hash_way way, int32_t n, const int32_t* ids, const double (*xr)[4], bool spare)
{
    grid_hash* m = scree_calloc(1, sizeof *m);
    if (m == NULL)
        return NULL;
    m->it = it;
    m->way = way;
    m->work = &((grid*)way.self)->work;
    m->free_bucket = -1;
    items now = *it;
    now.n = n;
    now.xr = xr;
    now.x = now.r = NULL;
    measure(&now);
    bool done = plan(m, &now, spare) == SCREE_OK && SCREE_RESERVE(m->buckets, m->bucket_capacity, n) == SCREE_OK &&
                reserve_slots(m, n) == SCREE_OK;
    for (int32_t k = 0; done && k < n; ++k) {
        int32_t i = ids != NULL ? ids[k] : k, h = level_of(m, xr[k][3]);
        done = reserve(m, i, h) == SCREE_OK;
        if (done)
            put(m, i, h);
    }
    if (!done)
        grid_hash_free(m);
    return done ? m : NULL;
}

scree_status grid_open(grid* g, const items* it, hash_cut cut, bool further)
{
    grid_hash_free(g->moves);
    change_work before = g->work;
    g->moves = make(it, (hash_way){.self = g, .cut = cut, .further = further}, it->n, NULL, it->xr, false);
    g->work = before;
    return g->moves != NULL ? SCREE_OK : SCREE_ERR_MEMORY;
}

// All spheres and i again, with levels that suit them. MEMORY: as it was.
static scree_status renew(grid* g, int32_t i, bool spare)
{
    grid_hash* old = g->moves;
    double (*xr)[4] = scree_malloc((size_t)old->count + 1, sizeof *xr);
    int32_t* ids = scree_malloc((size_t)old->count + 1, sizeof *ids);
    grid_hash* fresh = NULL;
    if (xr != NULL && ids != NULL) {
        int32_t n = 0;
        for (int32_t h = 0; h < old->levels; ++h)
            for (int64_t k = 0; k < old->level[h].count; ++k)
                ids[n++] = old->level[h].ids[k];
        ids[n++] = i;
        for (int32_t k = 0; k < n; ++k)
            memcpy(xr[k], old->it->xr[ids[k]], sizeof xr[k]);
        fresh = make(old->it, old->way, n, ids, (const double(*)[4])xr, spare);
    }
    scree_free(xr);
    scree_free(ids);
    if (fresh == NULL)
        return SCREE_ERR_MEMORY;
    grid_hash_free(old);
    g->moves = fresh;
    return SCREE_OK;
}

// ---- The table -------------------------------------------------------------------------------------------------------

scree_status grid_insert(void* self, int32_t i)
{
    grid* g = self;
    grid_hash* m = g->moves;
    double r = m->it->xr[i][3];
    assert(i >= m->ids_capacity || m->bucket_of[i] < 0);
    ++m->work->changes;
    // Levels that were cut for other spheres: at worst a single one, for the large ones that came first.
    if (m->inserts > m->planned + 64)
        return renew(g, i, false);
    int32_t h = level_of(m, r);
    if (h < 0 && (!m->way.further || m->levels == 0 || m->levels == grid_most_levels))
        return renew(g, i, m->levels > 0);
    if (h < 0) {
        double side = choose_side(m, m->it, NULL, spare_level * r, 0.0, 0.0);
        lay_level(m, spare_level * r, (const double[3]){side, side, side});
    }
    h = h < 0 ? m->levels - 1 : h;
    if (reserve(m, i, h) != SCREE_OK)
        return SCREE_ERR_MEMORY;
    put(m, i, h);
    ++m->inserts;
    return SCREE_OK;
}

void grid_remove(void* self, int32_t i)
{
    grid_hash* m = ((grid*)self)->moves;
    hash_level* level = &m->level[m->buckets[m->bucket_of[i]].key >> (3 * hash_key_bits)];
    int32_t last = level->ids[--level->count];
    ++m->work->changes;
    level->ids[m->at[i]] = last;
    m->at[last] = m->at[i];
    --m->count;
    take_from_cell(m, i);
}

scree_status grid_move(void* self, int32_t i, const double from[4])
{
    (void)from;  // the bucket knows
    grid_hash* m = ((grid*)self)->moves;
    hash_bucket* bucket = &m->buckets[m->bucket_of[i]];
    int32_t h = (int32_t)(bucket->key >> (3 * hash_key_bits));
    int64_t place[3];
    uint64_t key = key_in_level(m, h, m->it->xr[i], place);
    widen(&m->level[h], place);  // cells that share a key may be far apart
    ++m->work->changes;
    ++m->work->cells;
    if (key == bucket->key) {
        memcpy(bucket->xr[entry_of(bucket, i)], m->it->xr[i], sizeof bucket->xr[0]);
        return SCREE_OK;
    }
    take_from_cell(m, i);
    put_into_cell(m, i, key);
    return SCREE_OK;
}

change_work grid_changes(const void* self)
{
    return ((const grid*)self)->work;
}

size_t grid_hash_bytes(const grid_hash* m)
{
    if (m == NULL)
        return 0;
    size_t bytes = sizeof *m + (size_t)m->ids_capacity * (sizeof *m->bucket_of + sizeof *m->at) +
                   (size_t)m->bucket_capacity * sizeof *m->buckets + (m->slot_bits > 0 ? sizeof *m->slots << m->slot_bits : 0);
    for (int32_t h = 0; h < m->levels; ++h)
        bytes += (size_t)m->level[h].capacity * sizeof *m->level[h].ids;
    return bytes;
}

void grid_hash_free(grid_hash* m)
{
    if (m == NULL)
        return;
    for (int32_t h = 0; h < m->levels; ++h)
        scree_free(m->level[h].ids);
    scree_free(m->bucket_of);
    scree_free(m->at);
    scree_free(m->buckets);
    scree_free(m->slots);
    scree_free(m);
}

// ---- The check -------------------------------------------------------------------------------------------------------

// Sphere i, number k of level h.
static bool sphere_is_right(const grid_hash* m, int32_t h, int64_t k, int32_t i)
{
    const hash_level* level = &m->level[h];
    if (i < 0 || i >= m->it->n || i >= m->ids_capacity || m->at[i] != k)
        return false;
    if (m->bucket_of[i] < 0 || m->bucket_of[i] >= m->buckets_used)
        return false;
    const double* xr = m->it->xr[i];
    const hash_bucket* bucket = &m->buckets[m->bucket_of[i]];
    int64_t place[3];
    uint64_t key = key_in_level(m, h, xr, place);
    bool right = level_of(m, xr[3]) == h && xr[3] <= level->largest && bucket->key == key;
    for (int a = 0; a < 3; ++a)
        right = right && place[a] >= level->low[a] && place[a] <= level->high[a];
    int found = 0;
    for (int32_t e = 0; e < bucket->count; ++e)
        found += bucket->id[e] == i && memcmp(bucket->xr[e], xr, sizeof bucket->xr[e]) == 0;
    return right && found == 1;
}

// The chain of one slot: how many spheres and buckets it has, or -1 if it is not right.
static int64_t count_chain(const grid_hash* m, int64_t s, int64_t* buckets)
{
    int64_t spheres = 0;
    int32_t head = m->slots[s].bucket;
    uint64_t key = m->buckets[head].key;
    if (m->slots[s].tag != hash_tag(key) || hash_find(m, key) != s)
        return -1;
    for (int32_t b = head; b >= 0; b = m->buckets[b].next) {
        const hash_bucket* bucket = &m->buckets[b];
        if (b >= m->buckets_used || ++*buckets > m->buckets_used || bucket->key != key || bucket->count < 1 ||
            bucket->count > hash_bucket_size || (b != head && bucket->count < hash_bucket_size))
            return -1;
        for (int32_t e = 0; e < bucket->count; ++e)
            if (bucket->id[e] < 0 || bucket->id[e] >= m->ids_capacity || m->bucket_of[bucket->id[e]] != b)
                return -1;
        spheres += bucket->count;
    }
    return spheres;
}

static scree_status check_cells(const grid_hash* m)
{
    int64_t cells = 0, spheres = 0, buckets = 0;
    for (int64_t s = 0; s < INT64_C(1) << m->slot_bits; ++s) {
        if (m->slots[s].bucket < 0)
            continue;
        int64_t here = count_chain(m, s, &buckets);
        if (here < 0)
            return scree_fail(SCREE_ERR_ARGUMENT, "grid: the cell in slot %" PRId64 " is wrong; expected a cell with spheres of this slot", s);
        spheres += here;
        ++cells;
    }
    for (int32_t b = m->free_bucket; b >= 0 && buckets <= m->buckets_used; b = m->buckets[b].next)
        ++buckets;
    if (cells != m->cell_count || spheres != m->count || buckets != m->buckets_used)
        return scree_fail(SCREE_ERR_ARGUMENT,
                          "grid: cells found, expected: %" PRId64 ", %" PRId64 "; spheres: %" PRId64 ", %" PRId64 "; buckets: %" PRId64 ", %" PRId32,
                          cells, m->cell_count, spheres, m->count, buckets, m->buckets_used);
    return SCREE_OK;
}

scree_status grid_check(const void* self)
{
    const grid_hash* m = ((const grid*)self)->moves;
    int64_t sum = 0;
    for (int32_t h = 0; h < m->levels; ++h) {
        const hash_level* level = &m->level[h];
        if (h > 0 && !(level->limit >= m->level[h - 1].limit))
            return scree_fail(SCREE_ERR_ARGUMENT, "grid: level %" PRId32 " is for smaller spheres than the one before; expected ascending sizes", h);
        for (int64_t k = 0; k < level->count; ++k)
            if (!sphere_is_right(m, h, k, level->ids[k]))
                return scree_fail(SCREE_ERR_ARGUMENT, "grid: sphere %" PRId32 " of level %" PRId32 " is wrong; expected it in another level or cell",
                                  level->ids[k], h);
        sum += level->count;
    }
    if (sum != m->count || m->count != m->it->n)
        return scree_fail(SCREE_ERR_ARGUMENT, "grid: the levels hold %" PRId64 " spheres, the cells %" PRId64 "; expected %" PRId32,
                          sum, m->count, m->it->n);
    return check_cells(m);
}
