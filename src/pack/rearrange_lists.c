// Verlet lists of single spheres, kept symmetric, made from reference places (Raschdorf and Kolonko, section 2, with one repair).
//
//     reference of i  o - - -> x  where i is now          i's list: all j whose *reference* is nearer to i's reference than r_i + r_j + delta.
//                      \                                  A sphere that has gone delta/4 from its reference gets a new one, and with it a new list;
//     reference of j    o -> x  where j is now            no step is longer than delta/4.
//
// Two spheres that are not in each other's lists have references with a gap of delta or more, and neither is ever more than delta/2 from its own: so
// they do not overlap. The paper compares i where it is with the others where they are, which is not safe: j may stand delta/2 beyond its own reference
// when i's list is made and come back by delta before its own is due. The index holds references too, and is touched at refreshes only.
//
// All rows are in one pool, each with some room to grow; one that outgrows it moves to the end of the pool. Rows are kept rising, so that sums over
// them do not depend on how they came to be.
//
// Cost: a refresh is one move and one question to the index, and a shift of half a row in each list that i enters or leaves.
#include "rearrange_lists.h"

#include "base/array.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { spare = 4, none = shift_codes / 2 };

static inline int64_t key_of(entry e)
{
    return (int64_t)e.j * shift_codes + e.image;
}

static inline entry mirrored(int32_t i, entry e)
{
    return (entry){i, 2 * none - e.image};
}

static int32_t room_for(int32_t count)
{
    return count + count / 4 + spare;
}

scree_status lists_take(lists* l, pile* p)
{
    if (l->row == NULL) {
        l->row = scree_calloc((size_t)p->n, sizeof *l->row);
        if (l->row == NULL)
            return SCREE_ERR_MEMORY;
    }
    int64_t need = 0;
    for (int32_t i = 0; i < p->n; ++i) {
        int32_t count = (int32_t)(p->start[i + 1] - p->start[i]);
        l->row[i] = (list_row){.at = need, .count = count, .room = room_for(count)};
        need += l->row[i].room;
    }
    if (SCREE_RESERVE(l->pool, l->pool_capacity, need) != SCREE_OK)
        return SCREE_ERR_MEMORY;
    for (int32_t i = 0; i < p->n; ++i)
        for (int32_t e = 0; e < l->row[i].count; ++e)
            l->pool[l->row[i].at + e] = (entry){p->partner[p->start[i] + e], p->image[p->start[i] + e]};
    l->pool_used = need;
    l->total = p->candidates;
    return SCREE_OK;
}

double lists_limit(const pile* p)
{
    return fmax(p->skin - 64.0 * DBL_EPSILON * fmax(p->length[0], fmax(p->length[1], p->length[2])), 0.0);
}

// Where an entry is in a rising row, or would be.
static int32_t find(const entry* row, int32_t count, entry e)
{
    int32_t low = 0, high = count;
    while (low < high) {
        int32_t middle = low + (high - low) / 2;
        if (key_of(row[middle]) < key_of(e))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void drop(lists* l, int32_t i, entry e)
{
    list_row* row = &l->row[i];
    entry* at = l->pool + row->at;
    int32_t k = find(at, row->count, e);
    memmove(at + k, at + k + 1, (size_t)(--row->count - k) * sizeof *at);
}

static scree_status make_room(lists* l, int32_t i, int32_t count)
{
    list_row* row = &l->row[i];
    if (count <= row->room)
        return SCREE_OK;
    int32_t room = room_for(count);
    if (SCREE_RESERVE(l->pool, l->pool_capacity, l->pool_used + room) != SCREE_OK)
        return SCREE_ERR_MEMORY;
    memcpy(l->pool + l->pool_used, l->pool + row->at, (size_t)row->count * sizeof *l->pool);
    row->at = l->pool_used;
    row->room = room;
    l->pool_used += room;
    return SCREE_OK;
}

static scree_status add(lists* l, int32_t i, entry e)
{
    if (make_room(l, i, l->row[i].count + 1) != SCREE_OK)
        return SCREE_ERR_MEMORY;
    list_row* row = &l->row[i];
    entry* at = l->pool + row->at;
    int32_t k = find(at, row->count, e);
    memmove(at + k + 1, at + k, (size_t)(row->count++ - k) * sizeof *at);
    at[k] = e;
    return SCREE_OK;
}

// What the index finds near i's new reference, rising.
static scree_status ask(lists* l, pile* p, int32_t i, int64_t* count, bool* far)
{
    scree_neighbours near;
    scree_status status = scree_index_move(p->index, i, p->reference[i]);
    if (status == SCREE_OK)
        status = scree_index_neighbours(p->index, i, &near);
    if (status == SCREE_OK)
        status = SCREE_RESERVE(l->fresh, l->fresh_capacity, near.count + 1);  // never NULL
    if (status != SCREE_OK)
        return status;
    const int wide = 2 * shift_most + 1;
    *count = 0;
    for (int64_t q = 0; q < near.count; ++q) {
        if (near.j[q] == i)
            continue;  // a sphere and its own image never come to overlap: radii only shrink
        int code = 0;
        if (near.shift != NULL) {
            const int8_t* s = near.shift[q];
            for (int k = 0; k < 3; ++k)
                *far = *far || s[k] < -shift_most || s[k] > shift_most;
            code = s[0] + wide * (s[1] + wide * s[2]);
        }
        entry e = {near.j[q], none + code};
        int64_t at = (*count)++;
        for (; at > 0 && key_of(l->fresh[at - 1]) > key_of(e); --at)  // they come by (j, shift), the image counts shifts from z on
            l->fresh[at] = l->fresh[at - 1];
        l->fresh[at] = e;
    }
    return SCREE_OK;
}

scree_status lists_refresh(lists* l, pile* p, int32_t i, bool* far)
{
    memcpy(p->reference[i], p->x[i], sizeof p->reference[i]);
    ++l->refreshes;
    int64_t count;
    scree_status status = ask(l, p, i, &count, far);
    if (status != SCREE_OK || *far)
        return status;
    int64_t before = l->row[i].count;
    if (SCREE_RESERVE(l->old, l->old_capacity, before + 1) != SCREE_OK || make_room(l, i, (int32_t)count) != SCREE_OK)
        return SCREE_ERR_MEMORY;
    memcpy(l->old, l->pool + l->row[i].at, (size_t)before * sizeof *l->old);
    memcpy(l->pool + l->row[i].at, l->fresh, (size_t)count * sizeof *l->fresh);
    l->row[i].count = (int32_t)count;
    l->total += 2 * (count - before);
    for (int64_t a = 0, b = 0; a < before || b < count;) {
        int64_t left = a < before ? key_of(l->old[a]) : INT64_MAX, right = b < count ? key_of(l->fresh[b]) : INT64_MAX;
        if (left < right)
            drop(l, l->old[a].j, mirrored(i, l->old[a]));
        else if (right < left && add(l, l->fresh[b].j, mirrored(i, l->fresh[b])) != SCREE_OK)
            return SCREE_ERR_MEMORY;
        a += left <= right;
        b += right <= left;
    }
    return SCREE_OK;
}

static bool listed(const lists* l, int32_t i, entry e)
{
    const entry* row = l->pool + l->row[i].at;
    int32_t k = find(row, l->row[i].count, e);
    return k < l->row[i].count && key_of(row[k]) == key_of(e);
}

scree_status lists_validate(const lists* l, const pile* p)
{
    int64_t total = 0;
    for (int32_t i = 0; i < p->n; ++i) {
        const entry* row = l->pool + l->row[i].at;
        for (int32_t e = 0; e < l->row[i].count; ++e)
            if (row[e].j == i || (e > 0 && key_of(row[e - 1]) >= key_of(row[e])) || !listed(l, row[e].j, mirrored(i, row[e])))
                return scree_fail(SCREE_ERR_ARGUMENT, "lists: entry %" PRId32 " of sphere %" PRId32 " (%" PRId32 ") is out of order, or not in both", e, i,
                                  row[e].j);
        total += l->row[i].count;
    }
    if (total != l->total)
        return scree_fail(SCREE_ERR_ARGUMENT, "lists: %" PRId64 " entries are counted and %" PRId64 " are there", l->total, total);
    return SCREE_OK;
}

void lists_free(lists* l)
{
    scree_free(l->row);
    scree_free(l->pool);
    scree_free(l->old);
    scree_free(l->fresh);
    *l = (lists){0};
}
