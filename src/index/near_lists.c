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
// Lists are kept symmetric (near_rows.c): i is in j's list when j is in i's. neighbours.c is the same service for programs that keep the spheres themselves and want the
// candidates; here the index keeps them and answers exactly.
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

scree_status near_ask(const method_table* method, const void* state, const double xr[4], int32_t own, bool with_shift, pair_output* found)
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
// The index allows images up to 60 boxes away, so that the number of one has a byte for each axis.

enum { image_here = 0x808080 };

static inline int32_t image_of(const int8_t shift[3])
{
    return image_here + shift[0] + 256 * (shift[1] + 256 * shift[2]);
}

static inline int shift_of(int32_t image, int k)
{
    return (image >> (8 * k) & 255) - 128;
}

static bool with_shift(const near_lists* lists)
{
    return lists->it.periodic[0] || lists->it.periodic[1] || lists->it.periodic[2];
}

// Asks the method who is near i's reference.
static scree_status find_row(near_lists* lists, int32_t i)
{
    pair_output* found = &lists->found;
    scree_status status = near_ask(lists->method, lists->state, lists->reference[i], i, with_shift(lists), found);
    lists->tests += found->tests;
    lists->box_tests += found->box_tests;
    lists->cells += found->cells;
    if (status != SCREE_OK || SCREE_RESERVE(lists->j, lists->j_capacity, found->count + 1) != SCREE_OK ||
        SCREE_RESERVE(lists->image, lists->image_capacity, found->count + 1) != SCREE_OK)
        return SCREE_ERR_MEMORY;
    for (int64_t p = 0; p < found->count; ++p) {
        lists->j[p] = found->ij[p][1];
        lists->image[p] = with_shift(lists) ? image_of(found->shift[p]) : image_here;
    }
    return SCREE_OK;
}

// Renews its row, and rows of others with it.
static scree_status renew_row(near_lists* lists, int32_t i)
{
    scree_neighbour_change change;
    scree_status status = find_row(lists, i);
    return status == SCREE_OK ? near_rows_replace(&lists->rows, i, (int32_t)lists->found.count, lists->j, lists->image, &change) : status;
}

// ---- Life ---------------------------------------------------------------------------------------------------------------

static scree_status make_room(near_lists* lists, int64_t n)
{
    if (SCREE_RESERVE(lists->reference, lists->reference_capacity, n) != SCREE_OK || SCREE_RESERVE(lists->on, lists->on_capacity, n) != SCREE_OK)
        return SCREE_ERR_MEMORY;
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
    if (status == SCREE_OK)
        status = near_rows_begin(&lists->rows, one->n, image_here);
    for (int32_t i = 0; i < one->n && status == SCREE_OK; ++i)
        set_reference(lists, i);
    if (status == SCREE_OK)
        status = method->open(state, &lists->it);
    for (int32_t i = 0; i < one->n && status == SCREE_OK; ++i) {
        status = find_row(lists, i);
        if (status == SCREE_OK)
            status = near_rows_fill(&lists->rows, i, (int32_t)lists->found.count, lists->j, lists->image);
    }
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
    const items* it = &lists->it;
    double away[3] = {0.0, 0.0, 0.0}, square = 0.0;
    int on[3] = {0, 0, 0};
    for (int k = 0; k < it->dim; ++k)
        away[k] = lists->xr[i][k] - lists->reference[i][k];
    scree_lattice_shorten(it->periodic, it->length, it->tilt, it->dim, away, on);
    for (int k = 0; k < it->dim; ++k) {
        lists->on[i][k] = (int8_t)on[k];
        square += away[k] * away[k];
    }
    return sqrt(square);
}

scree_status near_lists_move(near_lists* lists, int32_t i)
{
    if (displacement(lists, i) <= lists->limit)
        return SCREE_OK;
    double from[4];
    memcpy(from, lists->reference[i], sizeof from);
    set_reference(lists, i);
    scree_status status = lists->method->move(lists->state, i, from);
    if (status == SCREE_OK)
        status = renew_row(lists, i);
    ++lists->refreshes;
    lists->held = status == SCREE_OK;
    return status;
}

scree_status near_lists_insert(near_lists* lists, const items* one)
{
    int32_t i = one->n - 1;
    lists->xr = one->xr;
    scree_status status = make_room(lists, one->n);
    if (status == SCREE_OK)
        status = near_rows_append(&lists->rows);
    if (status == SCREE_OK) {
        lists->it.n = one->n;
        lists->it.r_min = one->r_min;
        lists->it.r_max = one->r_max;
        lists->limit = 0.5 * (lists->skin - list_rounding(&lists->it));
        set_reference(lists, i);
        status = lists->method->insert(lists->state, i);
    }
    if (status == SCREE_OK)
        status = renew_row(lists, i);
    lists->held = status == SCREE_OK;
    return status;
}

scree_status near_lists_resize(near_lists* lists, const items* one, int32_t i)
{
    lists->method->remove(lists->state, i);
    lists->it.r_min = one->r_min;
    lists->it.r_max = one->r_max;
    lists->limit = 0.5 * (lists->skin - list_rounding(&lists->it));
    set_reference(lists, i);
    scree_status status = lists->method->insert(lists->state, i);
    if (status == SCREE_OK)
        status = renew_row(lists, i);
    ++lists->refreshes;
    lists->held = status == SCREE_OK;
    return status;
}

scree_status near_lists_remove(near_lists* lists, int32_t i)
{
    int32_t last = lists->it.n - 1;
    scree_status status = near_rows_remove(&lists->rows, i);
    lists->method->remove(lists->state, i);
    if (i != last) {
        lists->method->remove(lists->state, last);
        memcpy(lists->reference[i], lists->reference[last], sizeof lists->reference[i]);
        memcpy(lists->on[i], lists->on[last], sizeof lists->on[i]);
        scree_status put = lists->method->insert(lists->state, i);
        status = status == SCREE_OK ? put : status;
    }
    lists->it.n = last;
    lists->held = status == SCREE_OK;
    return status;
}

// ---- Questions ----------------------------------------------------------------------------------------------------------

void near_lists_near(const near_lists* lists, int32_t i, sink* to)
{
    const scree_neighbour_row row = lists->rows.row[i];
    const items* it = &lists->it;
    for (int64_t e = row.at; e < row.at + row.count; ++e) {
        int32_t j = lists->rows.j[e], image = lists->rows.image[e];
        const int8_t *mine = lists->on[i], *theirs = lists->on[j];
        int shift[3];
        double offset[3];
        for (int k = 0; k < 3; ++k)
            shift[k] = shift_of(image, k) - mine[k] + theirs[k];
        items_offset(it, shift[0], shift[1], shift[2], offset);
        if (scree_is_pair(lists->xr[i], lists->xr[j], offset, lists->gap))
            sink_put_near(to, i, j, shift[0], shift[1], shift[2]);
    }
    to->tests += row.count;
}

int64_t near_lists_confirm(const near_lists* lists, const double xr[4], sink* found)
{
    int64_t left = 0;
    found->tests += found->count;
    for (int64_t p = 0; p < found->count; ++p) {
        int32_t j = found->ij[p][1];
        double offset[3] = {0.0, 0.0, 0.0};
        int8_t shift[3] = {0, 0, 0};
        for (int k = 0; k < 3 && found->shift != NULL; ++k)
            shift[k] = (int8_t)(found->shift[p][k] + lists->on[j][k]);
        items_offset(&lists->it, shift[0], shift[1], shift[2], offset);
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

// Rows that are symmetric, and no sphere farther from its reference than allowed.
scree_status near_lists_validate(const near_lists* lists)
{
    scree_status status = lists->method->check(lists->state);
    for (int32_t i = 0; i < lists->it.n && status == SCREE_OK; ++i) {
        double square = 0.0, offset[3];
        const int8_t* on = lists->on[i];
        items_offset(&lists->it, on[0], on[1], on[2], offset);
        for (int k = 0; k < lists->it.dim; ++k) {
            double away = lists->xr[i][k] - lists->reference[i][k] + offset[k];
            square += away * away;
        }
        if (!(sqrt(square) <= 0.5 * lists->skin))
            return scree_fail(SCREE_ERR_ARGUMENT, "lists: sphere %" PRId32 " is %g from its reference; expected at most half the skin of %g", i,
                              sqrt(square), lists->skin);
    }
    return status == SCREE_OK ? near_rows_validate(&lists->rows) : status;
}

size_t near_lists_bytes(const near_lists* lists)
{
    return (size_t)lists->reference_capacity * sizeof *lists->reference + (size_t)lists->on_capacity * sizeof *lists->on + near_rows_bytes(&lists->rows) +
           pair_list_bytes(&lists->found) + (size_t)(lists->j_capacity + lists->image_capacity) * sizeof *lists->j;
}

void near_lists_free(near_lists* lists)
{
    near_rows_free(&lists->rows);
    scree_free(lists->reference);
    scree_free(lists->on);
    scree_free(lists->j);
    scree_free(lists->image);
    pair_list_free(&lists->found);
    *lists = (near_lists){.held = false};
}
