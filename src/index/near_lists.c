// Symmetric lists, one per sphere, made from reference places.
//
//     reference of i  o - - -> x  where i is now          i's list: all j whose *reference* is nearer to i's reference than
//                      \                                  r_i + r_j + gap + skin. A sphere that gets farther than skin/2 from
//     reference of j    o -> x  where j is now            its reference gets a new one, and with it a new list.
//
// Two spheres that are not in each other's lists have references at least gap + skin apart, and neither is more than skin/2 away from
// its own: so they are no pair. (The published rule compares a fresh place with places on the way, which loses pairs when spheres
// refresh at different times.) The structure of the method holds references too, so it is touched at refreshes only.
//
// Lists are kept symmetric: i is in j's list when j is in i's. A refresh takes i out of the old lists and puts it into the new.
//
// Cost: a move inside the skin is free, its neighbours cost one test per entry; a refresh is one query of the method and
// some hundred steps in the lists of others. The wrong choice when every move is longer than the skin.
// S. Raschdorf, M. Kolonko, "A comparison of data structures for the simulation of polydisperse particle packings", 2011.
#include "index/near_lists.h"

#include "base/array.h"
#include "geom/pair.h"
#include "index/list.h"

#include <inttypes.h>
#include <math.h>

// ---- Asking a method ----------------------------------------------------------------------------------------------------

scree_status near_ask(const method_table* method, const void* state, const double xr[4], int32_t own, bool with_shift, pair_list* found)
{
    for (int64_t room = 64;; room = found->count) {
        if (SCREE_RESERVE(found->ij, found->ij_capacity, room) != SCREE_OK ||
            (with_shift && SCREE_RESERVE(found->shift, found->shift_capacity, room) != SCREE_OK))
            return SCREE_ERR_MEMORY;
        sink to = {.ij = found->ij, .shift = with_shift ? found->shift : NULL, .room = found->ij_capacity};
        if (with_shift && found->shift_capacity < to.room)
            to.room = found->shift_capacity;
        method->near(state, xr, own, &to);
        found->count = to.count;
        found->tests = to.tests;
        found->box_tests = to.box_tests;
        found->cells = to.cells;
        if (to.count <= to.room)
            return SCREE_OK;
    }
}

// ---- Rows ---------------------------------------------------------------------------------------------------------------

static scree_status row_add(near_row* row, near_entry entry)
{
    if (SCREE_RESERVE(row->entries, row->capacity, (int64_t)row->count + 1) != SCREE_OK)
        return SCREE_ERR_MEMORY;
    row->entries[row->count++] = entry;
    return SCREE_OK;
}

static void row_drop(near_row* row, near_entry entry)
{
    for (int32_t e = 0; e < row->count; ++e)
        if (row->entries[e].j == entry.j && memcmp(row->entries[e].shift, entry.shift, sizeof entry.shift) == 0) {
            row->entries[e] = row->entries[--row->count];
            return;
        }
}

// The same pair, seen from j.
static near_entry mirrored(int32_t i, const near_entry* entry)
{
    return (near_entry){.j = i, .shift = {(int8_t)-entry->shift[0], (int8_t)-entry->shift[1], (int8_t)-entry->shift[2]}};
}

static bool with_shift(const near_lists* lists)
{
    return lists->it.periodic[0] || lists->it.periodic[1] || lists->it.periodic[2];
}

// Takes i out of the lists of others and empties its own.
static void forget_row(near_lists* lists, int32_t i)
{
    near_row* row = &lists->rows[i];
    for (int32_t e = 0; e < row->count; ++e)
        if (row->entries[e].j != i)
            row_drop(&lists->rows[row->entries[e].j], mirrored(i, &row->entries[e]));
    row->count = 0;
}

// Asks the method who is near i's reference. `mirror`: and puts i into their lists.
static scree_status fill_row(near_lists* lists, int32_t i, bool mirror)
{
    pair_list* found = &lists->found;
    scree_status status = near_ask(lists->method, lists->state, lists->reference[i], i, with_shift(lists), found);
    for (int64_t p = 0; p < found->count && status == SCREE_OK; ++p) {
        near_entry entry = {.j = found->ij[p][1]};
        if (with_shift(lists))
            memcpy(entry.shift, found->shift[p], sizeof entry.shift);
        status = row_add(&lists->rows[i], entry);
        if (status == SCREE_OK && mirror && entry.j != i)
            status = row_add(&lists->rows[entry.j], mirrored(i, &entry));
    }
    lists->tests += found->tests;
    lists->box_tests += found->box_tests;
    lists->cells += found->cells;
    return status;
}

// ---- Life ---------------------------------------------------------------------------------------------------------------

static scree_status make_room(near_lists* lists, int64_t n)
{
    int64_t before = lists->row_capacity;
    if (SCREE_RESERVE(lists->reference, lists->reference_capacity, n) != SCREE_OK ||
        SCREE_RESERVE(lists->on, lists->on_capacity, n) != SCREE_OK || SCREE_RESERVE(lists->rows, lists->row_capacity, n) != SCREE_OK)
        return SCREE_ERR_MEMORY;
    for (int64_t i = before; i < lists->row_capacity; ++i)
        lists->rows[i] = (near_row){.count = 0};
    lists->it.xr = (const double(*)[4])lists->reference;
    return SCREE_OK;
}

static void set_reference(near_lists* lists, int32_t i)
{
    memcpy(lists->reference[i], lists->xr[i], sizeof lists->reference[i]);
    memset(lists->on[i], 0, sizeof lists->on[i]);
}

scree_status near_lists_open(near_lists* lists, const method_table* method, void* state, const items* one, double skin)
{
    lists->held = false;
    lists->method = method;
    lists->state = state;
    lists->it = *one;
    lists->it.gap = one->gap + skin;
    lists->gap = one->gap;
    lists->skin = skin;
    lists->limit = 0.5 * (skin - list_rounding(&lists->it));
    lists->xr = one->xr;
    scree_status status = make_room(lists, one->n);
    for (int32_t i = 0; i < one->n && status == SCREE_OK; ++i) {
        lists->rows[i].count = 0;
        set_reference(lists, i);
    }
    if (status == SCREE_OK)
        status = method->open(state, &lists->it);
    for (int32_t i = 0; i < one->n && status == SCREE_OK; ++i)
        status = fill_row(lists, i, false);
    lists->held = status == SCREE_OK;
    return status;
}

void near_lists_close(near_lists* lists)
{
    lists->held = false;
}

// How far i is from its reference, the shorter way round on periodic axes; and by how many boxes that way is off.
static double displacement(near_lists* lists, int32_t i)
{
    double square = 0.0;
    for (int k = 0; k < lists->it.dim; ++k) {
        double away = lists->xr[i][k] - lists->reference[i][k];
        int8_t on = 0;
        if (lists->it.periodic[k] && fabs(away) > 0.5 * lists->it.length[k]) {
            on = away > 0.0 ? -1 : 1;
            away += on * lists->it.length[k];
        }
        lists->on[i][k] = on;
        square += away * away;
    }
    return sqrt(square);
}

scree_status near_lists_move(near_lists* lists, int32_t i)
{
    if (displacement(lists, i) <= lists->limit)
        return SCREE_OK;
    double from[4];
    memcpy(from, lists->reference[i], sizeof from);
    forget_row(lists, i);
    set_reference(lists, i);
    scree_status status = lists->method->move(lists->state, i, from);
    if (status == SCREE_OK)
        status = fill_row(lists, i, true);
    ++lists->refreshes;
    lists->held = status == SCREE_OK;
    return status;
}

scree_status near_lists_insert(near_lists* lists, const items* one)
{
    int32_t i = one->n - 1;
    lists->xr = one->xr;
    scree_status status = make_room(lists, one->n);
    if (status == SCREE_OK) {
        lists->it.n = one->n;
        lists->it.r_min = one->r_min;
        lists->it.r_max = one->r_max;
        lists->limit = 0.5 * (lists->skin - list_rounding(&lists->it));
        lists->rows[i].count = 0;
        set_reference(lists, i);
        status = lists->method->insert(lists->state, i);
    }
    if (status == SCREE_OK)
        status = fill_row(lists, i, true);
    lists->held = status == SCREE_OK;
    return status;
}

scree_status near_lists_resize(near_lists* lists, const items* one, int32_t i)
{
    forget_row(lists, i);
    lists->method->remove(lists->state, i);
    lists->it.r_min = one->r_min;
    lists->it.r_max = one->r_max;
    lists->limit = 0.5 * (lists->skin - list_rounding(&lists->it));
    set_reference(lists, i);
    scree_status status = lists->method->insert(lists->state, i);
    if (status == SCREE_OK)
        status = fill_row(lists, i, true);
    ++lists->refreshes;
    lists->held = status == SCREE_OK;
    return status;
}

// The last becomes i: in its own row, and wherever it is listed.
static void renumber(near_lists* lists, int32_t last, int32_t i)
{
    near_row spare = lists->rows[i];
    lists->rows[i] = lists->rows[last];
    lists->rows[last] = spare;
    near_row* row = &lists->rows[i];
    for (int32_t e = 0; e < row->count; ++e) {
        int32_t j = row->entries[e].j;
        if (j == last) {
            row->entries[e].j = i;
            continue;
        }
        near_entry wanted = mirrored(last, &row->entries[e]);
        near_row* other = &lists->rows[j];
        for (int32_t f = 0; f < other->count; ++f)
            if (other->entries[f].j == last && memcmp(other->entries[f].shift, wanted.shift, sizeof wanted.shift) == 0)
                other->entries[f].j = i;
    }
    memcpy(lists->reference[i], lists->reference[last], sizeof lists->reference[i]);
    memcpy(lists->on[i], lists->on[last], sizeof lists->on[i]);
}

scree_status near_lists_remove(near_lists* lists, int32_t i)
{
    int32_t last = lists->it.n - 1;
    scree_status status = SCREE_OK;
    forget_row(lists, i);
    lists->method->remove(lists->state, i);
    if (i != last) {
        lists->method->remove(lists->state, last);
        renumber(lists, last, i);
        status = lists->method->insert(lists->state, i);
    }
    lists->it.n = last;
    lists->held = status == SCREE_OK;
    return status;
}

// ---- Questions ----------------------------------------------------------------------------------------------------------

void near_lists_near(const near_lists* lists, int32_t i, sink* to)
{
    const near_row* row = &lists->rows[i];
    const items* it = &lists->it;
    for (int32_t e = 0; e < row->count; ++e) {
        const near_entry* entry = &row->entries[e];
        const int8_t *mine = lists->on[i], *theirs = lists->on[entry->j];
        int shift[3];
        double offset[3];
        for (int k = 0; k < 3; ++k) {
            shift[k] = entry->shift[k] - mine[k] + theirs[k];
            offset[k] = shift[k] * it->length[k];
        }
        if (scree_is_pair(lists->xr[i], lists->xr[entry->j], offset, lists->gap))
            sink_put_near(to, i, entry->j, shift[0], shift[1], shift[2]);
    }
    to->tests += row->count;
}

int64_t near_lists_confirm(const near_lists* lists, const double xr[4], sink* found)
{
    int64_t left = 0;
    found->tests += found->count;
    for (int64_t p = 0; p < found->count; ++p) {
        int32_t j = found->ij[p][1];
        double offset[3] = {0.0, 0.0, 0.0};
        int8_t shift[3] = {0, 0, 0};
        for (int k = 0; k < 3 && found->shift != NULL; ++k) {
            shift[k] = (int8_t)(found->shift[p][k] + lists->on[j][k]);
            offset[k] = shift[k] * lists->it.length[k];
        }
        if (!scree_is_pair(xr, lists->xr[j], offset, lists->gap))
            continue;
        found->ij[left][0] = found->ij[p][0];
        found->ij[left][1] = j;
        if (found->shift != NULL)
            memcpy(found->shift[left], shift, sizeof shift);
        ++left;
    }
    return left;
}

double near_choose_skin(const near_motion* motion, const items* it, double mean_r)
{
    // Making all lists costs as much as a query for each sphere; so wait until as many moves have been seen.
    if (motion->moves < it->n || motion->moves < 16 || !(mean_r > 0.0))
        return 0.0;
    double step = motion->path / (double)motion->moves, d = 2.0 * mean_r;
    // A test costs 1, a refresh some 500; some 30 spheres stand in a shell of one diameter. Moves that all go in one direction reach
    // skin/2 after skin / (2 step) of them, and the sum 30 s/d + 500 (2 step)/s would be least at s^2 = 33 step d. Most wander, and
    // then a list lasts much longer: half that skin was better on all sets of `scree bench methods`.
    double skin = sqrt(8.0 * step * d);
    return fmin(skin, 0.5 * d) > 4.0 * step ? fmin(skin, 0.5 * d) : 0.0;
}

// Each entry in both lists, none twice, and no sphere farther from its reference than allowed.
scree_status near_lists_validate(const near_lists* lists)
{
    scree_status status = lists->method->check(lists->state);
    for (int32_t i = 0; i < lists->it.n && status == SCREE_OK; ++i) {
        const near_row* row = &lists->rows[i];
        double square = 0.0;
        for (int k = 0; k < lists->it.dim; ++k) {
            double away = lists->xr[i][k] - lists->reference[i][k] + lists->on[i][k] * lists->it.length[k];
            square += away * away;
        }
        if (!(sqrt(square) <= 0.5 * lists->skin))
            return scree_fail(SCREE_ERR_ARGUMENT, "lists: sphere %" PRId32 " is %g from its reference with a skin of %g", i,
                              sqrt(square), lists->skin);
        for (int32_t e = 0; e < row->count; ++e) {
            near_entry wanted = mirrored(i, &row->entries[e]);
            if (row->entries[e].j < 0 || row->entries[e].j >= lists->it.n)
                return scree_fail(SCREE_ERR_ARGUMENT, "lists: sphere %" PRId32 " lists %" PRId32, i, row->entries[e].j);
            const near_row* other = &lists->rows[row->entries[e].j];
            int found = 0;
            for (int32_t f = 0; f < other->count; ++f)
                found += other->entries[f].j == i && memcmp(other->entries[f].shift, wanted.shift, sizeof wanted.shift) == 0;
            if (found != 1)
                return scree_fail(SCREE_ERR_ARGUMENT, "lists: %" PRId32 " lists %" PRId32 ", which lists it %d times", i,
                                  row->entries[e].j, found);
        }
    }
    return status;
}

size_t near_lists_bytes(const near_lists* lists)
{
    size_t bytes = (size_t)lists->reference_capacity * sizeof *lists->reference + (size_t)lists->on_capacity * sizeof *lists->on +
                   (size_t)lists->row_capacity * sizeof *lists->rows + pair_list_bytes(&lists->found);
    for (int64_t i = 0; i < lists->row_capacity; ++i)
        bytes += (size_t)lists->rows[i].capacity * sizeof *lists->rows[i].entries;
    return bytes;
}

void near_lists_free(near_lists* lists)
{
    for (int64_t i = 0; i < lists->row_capacity; ++i)
        scree_free(lists->rows[i].entries);
    scree_free(lists->rows);
    scree_free(lists->reference);
    scree_free(lists->on);
    pair_list_free(&lists->found);
    *lists = (near_lists){.held = false};
}
