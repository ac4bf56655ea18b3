// The set of pairs: entries, the table that finds them, and the rows.
#include "index/pair_set.h"

#include "base/array.h"
#include "base/parallel.h"
#include "geom/pair.h"

#include <inttypes.h>

// Hands are 31 bits wide.
enum { most_pairs = INT32_MAX / 2 };

// ---- The table ----------------------------------------------------------------------------------------------------

static pair_entry canonical(int32_t i, int32_t j, const int s[3])
{
    bool turn = i > j || (i == j && scree_shift_is_ahead(-s[0], -s[1], -s[2]));
    int sign = turn ? -1 : 1;
    return (pair_entry){.i = turn ? j : i,
                        .j = turn ? i : j,
                        .shift = {(int8_t)(sign * s[0]), (int8_t)(sign * s[1]), (int8_t)(sign * s[2])}};
}

static bool equal(const pair_entry* a, const pair_entry* b)
{
    return a->i == b->i && a->j == b->j && memcmp(a->shift, b->shift, sizeof a->shift) == 0;
}

// The slot where a pair would stand if no other did.
static int64_t home(const pair_set* set, const pair_entry* e)
{
    uint64_t h = (uint64_t)(uint32_t)e->i << 32 | (uint32_t)e->j;
    h ^= ((uint64_t)(uint8_t)e->shift[0] << 16 | (uint64_t)(uint8_t)e->shift[1] << 8 | (uint8_t)e->shift[2]) *
         0xD6E8FEB86659FD93u;
    h = (h ^ h >> 32) * 0x9E3779B97F4A7C15u;
    h = (h ^ h >> 29) * 0xBF58476D1CE4E5B9u;
    return (int64_t)(h >> 32 & (uint64_t)(set->slot_count - 1));
}

// The slot of the pair, or the free one where it belongs. There is always a free one.
static int64_t slot_of(const pair_set* set, const pair_entry* e)
{
    int64_t slot = home(set, e);
    while (set->slots[slot] != 0 && !equal(&set->entries[set->slots[slot] - 1], e))
        slot = (slot + 1) & (set->slot_count - 1);
    return slot;
}

// Frees a slot. What stands behind it, up to the next free one, moves back if that brings it no farther ahead than its
// home.
static void free_slot(pair_set* set, int64_t hole)
{
    int64_t mask = set->slot_count - 1;
    for (int64_t slot = (hole + 1) & mask; set->slots[slot] != 0; slot = (slot + 1) & mask) {
        int64_t own = home(set, &set->entries[set->slots[slot] - 1]);
        if (((slot - own) & mask) >= ((slot - hole) & mask)) {
            set->slots[hole] = set->slots[slot];
            hole = slot;
        }
    }
    set->slots[hole] = 0;
}

// Twice as many slots, at most half of them taken.
static scree_status grow(pair_set* set)
{
    int64_t wanted = set->slot_count == 0 ? 64 : 2 * set->slot_count;
    uint32_t* slots = scree_calloc((size_t)wanted, sizeof *slots);
    if (slots == NULL)
        return SCREE_ERR_MEMORY;
    uint32_t* before = set->slots;
    int64_t count_before = set->slot_count;
    set->slots = slots;
    set->slot_count = wanted;
    enum { unasked = scree_work_unasked / 16 };  // an entry is a step through memory
    for (int64_t e = 0; e < set->count; ++e) {
        if (e % unasked == unasked - 1 && !scree_watch_goes_on(set->watch, 0.0)) {
            scree_free(slots);
            set->slots = before;
            set->slot_count = count_before;
            return scree_fail(SCREE_ERR_CANCELLED, "stopped on request");
        }
        set->slots[slot_of(set, &set->entries[e])] = (uint32_t)e + 1;
    }
    scree_free(before);
    return SCREE_OK;
}

// ---- Rows ---------------------------------------------------------------------------------------------------------

static int32_t owner(const pair_set* set, int64_t hand)
{
    const pair_entry* e = &set->entries[hand / 2];
    return hand % 2 == 0 ? e->i : e->j;
}

static void link_hand(pair_set* set, int32_t hand)
{
    int32_t* first = &set->first[owner(set, hand)];
    set->links[hand / 2].next[hand % 2] = *first;
    set->links[hand / 2].before[hand % 2] = -1;
    if (*first >= 0)
        set->links[*first / 2].before[*first % 2] = hand;
    *first = hand;
}

static void unlink_hand(pair_set* set, int32_t hand)
{
    int32_t before = set->links[hand / 2].before[hand % 2], next = set->links[hand / 2].next[hand % 2];
    if (before >= 0)
        set->links[before / 2].next[before % 2] = next;
    else
        set->first[owner(set, hand)] = next;
    if (next >= 0)
        set->links[next / 2].before[next % 2] = before;
}

// Moves the last entry into the place of e, which is in no row any more. Unlinking and linking again is simplest, and
// leaves the order of rows to history, which it is anyway.
static void move_last(pair_set* set, int64_t e)
{
    int64_t last = set->count - 1;
    if (e != last) {
        set->slots[slot_of(set, &set->entries[last])] = (uint32_t)e + 1;
        for (int32_t side = 0; side < 2 && set->rows; ++side)
            unlink_hand(set, (int32_t)(2 * last + side));
        set->entries[e] = set->entries[last];
        for (int32_t side = 0; side < 2 && set->rows; ++side)
            link_hand(set, (int32_t)(2 * e + side));
    }
    --set->count;
}

static void remove_entry(pair_set* set, int64_t e)
{
    for (int32_t side = 0; side < 2 && set->rows; ++side)
        unlink_hand(set, (int32_t)(2 * e + side));
    free_slot(set, slot_of(set, &set->entries[e]));
    move_last(set, e);
}

// ---- What others call ---------------------------------------------------------------------------------------------

scree_status pair_set_widen(pair_set* set, int64_t spheres)
{
    if (!set->rows || spheres <= set->first_count)
        return SCREE_OK;
    if (SCREE_RESERVE(set->first, set->first_capacity, spheres) != SCREE_OK)
        return SCREE_ERR_MEMORY;
    for (int64_t i = set->first_count; i < spheres; ++i)
        set->first[i] = -1;
    set->first_count = spheres;
    return SCREE_OK;
}

scree_status pair_set_clear(pair_set* set, int64_t spheres)
{
    set->count = 0;
    set->first_count = 0;
    if (set->slot_count > 0)
        memset(set->slots, 0, (size_t)set->slot_count * sizeof *set->slots);
    return pair_set_widen(set, spheres);
}

// Adds the number of pairs to the message of the failed allocation.
static scree_status no_room(const pair_set* set)
{
    return scree_fail(SCREE_ERR_MEMORY, "linear-list: cannot store more than %" PRId64 " pairs of boxes: %s", set->count, scree_error_message());
}

scree_status pair_set_add(pair_set* set, int32_t i, int32_t j, const int shift[3])
{
    scree_status status = 2 * (set->count + 1) > set->slot_count ? grow(set) : SCREE_OK;
    if (status != SCREE_OK)
        return status == SCREE_ERR_MEMORY ? no_room(set) : status;
    pair_entry e = canonical(i, j, shift);
    int64_t slot = slot_of(set, &e);
    if (set->slots[slot] != 0)
        return SCREE_OK;
    if (set->count >= most_pairs)
        return scree_fail(SCREE_ERR_MEMORY, "linear-list: too many pairs of boxes; expected at most %d", (int)most_pairs);
    if (SCREE_RESERVE(set->entries, set->capacity, set->count + 1) != SCREE_OK ||
        (set->rows && SCREE_RESERVE(set->links, set->link_capacity, set->count + 1) != SCREE_OK))
        return no_room(set);
    set->entries[set->count] = e;
    set->slots[slot] = (uint32_t)++set->count;
    for (int32_t side = 0; side < 2 && set->rows; ++side)
        link_hand(set, (int32_t)(2 * (set->count - 1) + side));
    return SCREE_OK;
}

void pair_set_remove(pair_set* set, int32_t i, int32_t j, const int shift[3])
{
    if (set->count == 0)
        return;
    pair_entry e = canonical(i, j, shift);
    int64_t slot = slot_of(set, &e);
    if (set->slots[slot] != 0)
        remove_entry(set, (int64_t)set->slots[slot] - 1);
}

bool pair_set_has(const pair_set* set, int32_t i, int32_t j, const int shift[3])
{
    pair_entry e = canonical(i, j, shift);
    return set->count > 0 && set->slots[slot_of(set, &e)] != 0;
}

void pair_set_remove_of(pair_set* set, int32_t i)
{
    while (set->first[i] >= 0)
        remove_entry(set, set->first[i] / 2);
}

void pair_set_remove_marked(pair_set* set, const uint8_t* marked)
{
    for (int64_t e = set->count - 1; e >= 0; --e)  // backward: what moves into the place of e has been looked at
        if (marked[set->entries[e].i] | marked[set->entries[e].j])
            remove_entry(set, e);
}

scree_status pair_set_check(const pair_set* set)
{
    int64_t taken = 0, hands = 0;
    for (int64_t slot = 0; slot < set->slot_count; ++slot)
        taken += set->slots[slot] != 0;
    if (taken != set->count)
        return scree_fail(SCREE_ERR_ARGUMENT, "pair set: %" PRId64 " slots; expected %" PRId64 ", one for each pair", taken, set->count);
    for (int64_t e = 0; e < set->count; ++e)
        if (set->slots[slot_of(set, &set->entries[e])] != (uint32_t)e + 1)
            return scree_fail(SCREE_ERR_ARGUMENT, "pair set: pair %" PRId64 " is not found in its table; expected every pair there", e);
    for (int64_t i = 0; i < set->first_count && set->rows; ++i)
        for (int32_t hand = set->first[i], before = -1; hand >= 0;
             before = hand, hand = set->links[hand / 2].next[hand % 2]) {
            if (++hands > 2 * set->count || hand / 2 >= set->count || owner(set, hand) != i ||
                set->links[hand / 2].before[hand % 2] != before)
                return scree_fail(SCREE_ERR_ARGUMENT, "pair set: the row of %" PRId64 " is broken; expected a chain of pairs of this sphere", i);
        }
    if (set->rows && hands != 2 * set->count)
        return scree_fail(SCREE_ERR_ARGUMENT, "pair set: %" PRId64 " entries of rows; expected two for each of %" PRId64 " pairs", hands, set->count);
    return SCREE_OK;
}

size_t pair_set_bytes(const pair_set* set)
{
    return (size_t)set->capacity * sizeof *set->entries + (size_t)set->slot_count * sizeof *set->slots +
           (size_t)set->link_capacity * sizeof *set->links + (size_t)set->first_capacity * sizeof *set->first;
}

void pair_set_free(pair_set* set)
{
    scree_free(set->entries);
    scree_free(set->slots);
    scree_free(set->links);
    scree_free(set->first);
    *set = (pair_set){.rows = set->rows};
}
