// The lists from scratch: all ends sorted on each axis, then one sweep that finds the boxes that meet.
//
//     axis k   ..b1...b2...e1....b3..e2.....     walking along one list, a box is active from its begin to its end;
//              active: 1   12  2     23  3       where one begins, it is tested against the active on the other axes
//
// The tests are between places in the other lists, not values: 32 bits each, so that one instruction has four of them,
// and the answer is the same, because the lists are in order. How many tests there will be on each axis is counted
// before, and the axis with the fewest is taken. Boxes that have ghosts on another axis count as active all along it,
// and are looked at closer when the rest of the test has let them through (box_meet).
//
// Cost: the sort is a radix sort, O(n). The sweep has n times the boxes that one plane cuts, n^(5/3) tests in 3D for
// equal spheres.
#include "index/sweep/box_lists.h"

#include "base/array.h"
#include "base/parallel.h"
#include "base/sort.h"

enum { lanes = 16 };

static scree_status fill_list(box_lists* l, int k)
{
    box_list* list = &l->list[k];
    int64_t count = 2 * l->n;
    for (int64_t g = 0; g < l->ghost_count; ++g)
        count += 2 * (l->ghosts[g].axis == k);
    if (count > INT32_MAX)
        return scree_fail(SCREE_ERR_MEMORY, "linear-list: too many box ends; expected fewer spheres");
    if (SCREE_RESERVE(list->key, list->key_capacity, count) != SCREE_OK ||
        SCREE_RESERVE(list->word, list->word_capacity, count) != SCREE_OK ||
        SCREE_RESERVE(l->spare_key, l->spare_key_capacity, count) != SCREE_OK ||
        SCREE_RESERVE(l->spare_word, l->spare_word_capacity, count) != SCREE_OK)
        return SCREE_ERR_MEMORY;
    int64_t at = 0;
    for (int64_t i = 0; i < l->n; ++i)
        for (int which = 0; which < 2; ++which, ++at) {
            list->key[at] = l->box[i][k][which];
            list->word[at] = box_word_of(l, i);
        }
    for (int64_t g = 0; g < l->ghost_count; ++g)
        for (int which = 0; which < 2 && l->ghosts[g].axis == k; ++which, ++at) {
            list->key[at] = l->ghosts[g].end[which];
            list->word[at] = box_word_of_ghost(g);
        }
    list->count = at;
    scree_sort_with(list->key, list->word, l->spare_key, l->spare_word, at);
    return SCREE_OK;
}

scree_status box_lists_sort(box_lists* l, const items* it)
{
    l->ready = false;
    l->it = it;
    l->dim = it->dim;
    l->periodic = false;
    for (int k = 0; k < it->dim; ++k) {
        l->axis[k] = box_axis_of(it, k);
        l->list[k].widest = 0.0;
        l->periodic = l->periodic || it->periodic[k];
    }
    l->n = l->here = l->ghost_count = 0;
    l->unused = -1;
    if (pair_set_clear(&l->pairs, it->n) != SCREE_OK || box_lists_room(l, it->n) != SCREE_OK)
        return SCREE_ERR_MEMORY;
    for (int32_t i = 0; i < it->n; ++i)
        if (box_lists_settle(l, i) != SCREE_OK)
            return SCREE_ERR_MEMORY;
    for (int k = 0; k < it->dim; ++k)
        if (fill_list(l, k) != SCREE_OK)
            return SCREE_ERR_MEMORY;
    l->pairs.watch = it->def == NULL ? NULL : &it->def->watch;
    scree_status status = box_lists_sweep(l);
    l->pairs.watch = NULL;
    if (status != SCREE_OK)
        return status;
    ++l->sorts;
    l->ready = true;
    return SCREE_OK;
}

// ---- The sweep ----------------------------------------------------------------------------------------------------

// How many tests a sweep along axis k would make, and how many are active at most.
static int64_t count_tests(const box_lists* l, int k, int64_t* most)
{
    const box_list* list = &l->list[k];
    int64_t active = 0, tests = 0;
    *most = 0;
    for (int64_t e = 0; e < list->count; ++e) {
        if ((list->key[e] & 1) != 0) {
            --active;
        } else {
            tests += active++;
            *most = active > *most ? active : *most;
        }
    }
    return tests;
}

// Where the main intervals stand in each list. Who has ghosts on an axis stands everywhere on it.
static void find_ranks(box_lists* l)
{
    for (int k = 0; k < l->dim; ++k)
        for (int64_t e = 0; e < l->list[k].count; ++e)
            if ((l->list[k].word[e] & box_word_ghost) == 0)
                l->rank[l->list[k].word[e] & box_word_number][k][l->list[k].key[e] & 1] = (int32_t)e;
    for (int64_t g = 0; g < l->ghost_count; ++g) {
        l->rank[l->ghosts[g].owner][l->ghosts[g].axis][0] = -1;
        l->rank[l->ghosts[g].owner][l->ghosts[g].axis][1] = INT32_MAX;
    }
}

static scree_status reserve_active(box_active* active, int64_t most)
{
    most = (most + lanes - 1) / lanes * lanes;
    if (most <= active->capacity)
        return SCREE_OK;
    int32_t* block = scree_calloc((size_t)most, 5 * sizeof *block);
    if (block == NULL)
        return SCREE_ERR_MEMORY;
    scree_free(active->lo[0]);
    active->capacity = most;
    active->lo[0] = block;
    active->hi[0] = block + most;
    active->lo[1] = block + 2 * most;
    active->hi[1] = block + 3 * most;
    active->word = (uint32_t*)(block + 4 * most);
    return SCREE_OK;
}

typedef struct sweep_box {
    int32_t lo[2], hi[2];
    uint32_t word;
} sweep_box;

static inline int may_meet(const box_active* active, int64_t t, const sweep_box* b)
{
    return (active->lo[0][t] < b->hi[0]) & (active->hi[0][t] > b->lo[0]) & (active->lo[1][t] < b->hi[1]) &
           (active->hi[1][t] > b->lo[1]);
}

// One box against all active ones; some at a time, because hardly any meet.
static void test_active(box_lists* l, int k, const sweep_box* b, int64_t count)
{
    const box_active active = l->active;
    const sweep_box own = *b;
    for (int64_t from = 0; from < count; from += lanes) {
        int any = 0;
        for (int64_t t = from; t < from + lanes; ++t)
            any |= may_meet(&active, t, &own);
        if (any == 0)
            continue;
        for (int64_t t = from; t < from + lanes && t < count && l->status == SCREE_OK; ++t)
            if (may_meet(&active, t, &own))
                box_meet(l, k, own.word, active.word[t], true);
    }
}

// Where an active interval stands among the active is kept at a place that the sweep has no other use for.
static int32_t* slot_of(box_lists* l, int k, uint32_t word)
{
    int32_t number = (int32_t)(word & box_word_number);
    return (word & box_word_ghost) != 0 ? &l->ghosts[number].slot : &l->rank[number][k][0];
}

static void enter(box_lists* l, int k, uint32_t word, int64_t* count)
{
    const int other[2] = {k == 0 ? 1 : 0, k == 2 ? 1 : 2};
    box_active* active = &l->active;
    sweep_box b = {.lo = {-1, -1}, .hi = {INT32_MAX, INT32_MAX}, .word = word};
    for (int o = 0; o < 2 && other[o] < l->dim; ++o) {
        b.lo[o] = l->rank[box_owner(l, word)][other[o]][0];
        b.hi[o] = l->rank[box_owner(l, word)][other[o]][1];
    }
    test_active(l, k, &b, *count);
    l->unasked += *count + 1;
    if (l->status == SCREE_OK && l->unasked > scree_work_unasked) {
        l->unasked = 0;
        if (!scree_watch_goes_on(&l->it->def->watch, 0.0))
            l->status = scree_fail(SCREE_ERR_CANCELLED, "stopped on request");
    }
    if ((word & box_word_care) != 0)
        box_meet(l, k, word, word, true);
    for (int o = 0; o < 2; ++o) {
        active->lo[o][*count] = b.lo[o];
        active->hi[o][*count] = b.hi[o];
    }
    active->word[*count] = word;
    *slot_of(l, k, word) = (int32_t)(*count)++;
}

// The last of the active takes its place.
static void leave(box_lists* l, int k, uint32_t word, int64_t* count)
{
    box_active* active = &l->active;
    int32_t slot = *slot_of(l, k, word);
    int64_t last = --*count;
    for (int o = 0; o < 2; ++o) {
        active->lo[o][slot] = active->lo[o][last];
        active->hi[o][slot] = active->hi[o][last];
    }
    active->word[slot] = active->word[last];
    *slot_of(l, k, active->word[last]) = slot;
}

scree_status box_lists_sweep(box_lists* l)
{
    int k = 0;
    int64_t most = 0, count = 0;
    l->sweep_tests = INT64_MAX;
    for (int axis = 0; axis < l->dim; ++axis) {
        int64_t active, tests = count_tests(l, axis, &active);
        if (tests < l->sweep_tests) {
            k = axis;
            most = active;
            l->sweep_tests = tests;
        }
    }
    if (SCREE_RESERVE(l->rank, l->rank_capacity, l->n) != SCREE_OK || reserve_active(&l->active, most) != SCREE_OK)
        return SCREE_ERR_MEMORY;
    find_ranks(l);
    l->box_tests += l->sweep_tests;
    l->status = SCREE_OK;
    for (int64_t e = 0; e < l->list[k].count && l->status == SCREE_OK; ++e) {
        if ((l->list[k].key[e] & 1) == 0)
            enter(l, k, l->list[k].word[e], &count);
        else
            leave(l, k, l->list[k].word[e], &count);
    }
    return l->status;
}
