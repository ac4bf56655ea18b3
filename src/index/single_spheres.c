// Calls for single spheres: one moves, is inserted or removed, and its neighbours are wanted at once.
//
// The method answers through a structure of its own for this (`open` in method.h), made at the first call after an update. Where
// spheres are moved again and again, lists of single spheres are kept above it (near_lists.c).
//
// A change of the caller goes to `xr` first, and then to the structure. Should memory run out there, the structure is
// given up, not the sphere: it is reopened at the next question, and that call returns the failure if it persists.
#include "index/index_inner.h"

#include "base/argument.h"
#include "base/array.h"
#include "base/sort.h"
#include "geom/length.h"
#include "index/parameters.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

// ---- From all at once to one by one, and back -------------------------------------------------------------------------------

// The turns of single spheres. They are kept apart from the turns of the batch, which its list continues to need.
static scree_status settle_turns(scree_index* index)
{
    if (!index->periodic)
        return SCREE_OK;
    if (SCREE_RESERVE(index->single_turns, index->single_turns_capacity, index->it.n) != SCREE_OK)
        return SCREE_ERR_MEMORY;
    for (int64_t i = 0; i < index->it.n; ++i)
        for (int k = 0; k < 3; ++k)
            index->single_turns[i][k] = (int8_t)index_turns(index, i, k);
    return SCREE_OK;
}

// The spheres become single ones, if they are not yet.
static scree_status begin_singles(scree_index* index)
{
    if (index->on_device)
        return index_check_here(index);
    if (index->method == NULL) {
        scree_status status = scree_index_update(index, (scree_spheres){.count = 0, .dim = index->def.box.dim});
        if (status != SCREE_OK)
            return status;
    }
    if (index->one.def != NULL)
        return SCREE_OK;
    scree_status status = settle_turns(index);
    if (status != SCREE_OK)
        return status;
    index->one = index->it;
    index->one.def = &index->def;
    index->one.gap = index->def.gap;
    index->one.xr = (const double(*)[4])index->xr;
    index->open = false;
    return SCREE_OK;
}

change_work index_changes(const scree_index* index)
{
    change_work sum = {.changes = 0};
    for (int m = 0; m < SCREE_METHOD_COUNT; ++m) {
        const method_table* method = index->states[m] != NULL ? method_find((scree_method)m) : NULL;
        change_work work = method != NULL && method->changes != NULL ? method->changes(index->states[m]) : (change_work){.changes = 0};
        sum.changes += work.changes;
        sum.cells += work.cells;
    }
    return sum;
}

void index_close(scree_index* index)
{
    index->changes_before = index_changes(index);
    index->one = (items){.n = 0};
    index->moved = index->open = false;
    near_lists_close(&index->near);
    index->motion = (near_motion){.moves = 0};
    index->queries = index->query_tests = index->query_box_tests = index->query_cells = 0;
    index->near.refreshes = index->near.tests = index->near.box_tests = index->near.cells = 0;
}

static void changed(scree_index* index)
{
    index->moved = true;
    index_forget_pairs(index);
    index->list.held = false;
}

// Bounds and sizes of the spheres as they are.
static void measure(const scree_index* index, items* it, double* r_sum)
{
    *r_sum = 0.0;
    for (int64_t i = 0; i < it->n; ++i) {
        const double* xr = index->xr[i];
        it->r_min = i == 0 ? xr[3] : fmin(it->r_min, xr[3]);
        it->r_max = i == 0 ? xr[3] : fmax(it->r_max, xr[3]);
        *r_sum += xr[3];
    }
    if (it->n == 0)
        it->r_min = it->r_max = 0.0;
    for (int k = 0; k < it->dim; ++k) {
        const scree_box* box = &index->def.box;
        double low = 0.0, high = 0.0;
        for (int64_t i = 0; i < it->n; ++i) {
            low = i == 0 ? index->xr[i][k] : fmin(low, index->xr[i][k]);
            high = i == 0 ? index->xr[i][k] : fmax(high, index->xr[i][k]);
        }
        it->periodic[k] = box->periodic[k];
        it->lower[k] = box->periodic[k] ? box->lower[k] : low;
        it->length[k] = box->periodic[k] ? box->upper[k] - box->lower[k] : high - low;
    }
    items_set_tilt(it, &index->def.box);
}

// Centres and radii of `xr` in arrays like a caller's, for prepare. MEMORY.
static scree_status lay_open(scree_index* index, items* it)
{
    if (SCREE_RESERVE(index->list.spare, index->list.spare_capacity, (int64_t)it->n + 1) != SCREE_OK)  // never NULL
        return SCREE_ERR_MEMORY;
    double *x = (double*)index->list.spare, *r = x + (int64_t)it->n * it->dim;
    for (int64_t i = 0; i < it->n; ++i) {
        for (int k = 0; k < it->dim; ++k)
            x[i * it->dim + k] = index->xr[i][k];
        r[i] = index->xr[i][3];
    }
    it->x = x;
    it->r = r;
    return SCREE_OK;
}

scree_status index_refresh(scree_index* index)
{
    if (!index->moved)
        return SCREE_OK;
    double r_sum;
    items it = {.n = index->one.n, .dim = index->one.dim, .gap = index->def.gap, .def = &index->def, .threads = index->def.threads};
    measure(index, &it, &r_sum);
    scree_status status = lay_open(index, &it);
    if (status != SCREE_OK)
        return status;
    // As if they had come by an update: a list that follows them needs what the scan reserves.
    index->in.spheres = (scree_spheres){.count = it.n, .dim = it.dim, .x = it.x, .r = it.r};
    index->in.given = NULL;
    index->in.box = &index->def.box;
    index->in.threads = index->def.threads;
    status = intake_scan(&index->in);
    if (status == SCREE_OK && index->periodic)
        status = SCREE_RESERVE(index->turns, index->turns_capacity, it.n);
    if (status != SCREE_OK)
        return status;
    index->in.r_sum = r_sum;
    double skin = index_decide_skin(index, &it, false);
    it.scratch = NULL;  // pairs that were handed out are still good, should something fail
    it.scratch_bytes = 0;
    it.gap += skin;
    crowding crowd;
    double predicted[SCREE_METHOD_COUNT];
    scree_method chosen = index_choose(index, &it, &crowd, predicted);
    status = index_want_state(index, chosen);
    if (status == SCREE_OK)
        status = method_find(chosen)->prepare(index->states[chosen], &it);
    if (status != SCREE_OK)
        return status;
    it.x = it.r = NULL;
    it.crowd = NULL;
    it.xr = (const double(*)[4])index->xr;
    index->it = it;
    index->any_half = false;
    if (index->periodic && it.n > 0)
        memcpy(index->turns, index->single_turns, (size_t)it.n * sizeof *index->turns);
    index->any_turns = index->periodic;
    memcpy(index->predicted, predicted, sizeof predicted);
    index->method = method_find(chosen);
    index->chosen = chosen;
    index->model = (skin_model){.pairs = -1.0};
    index->wanted = skin;
    ++index->rebuilds;
    index->built = index->method->build(index->states[chosen], &index->it) == SCREE_OK;
    index->moved = false;
    return SCREE_OK;
}

// ---- The structure for single spheres -----------------------------------------------------------------------------------------

static double mean_radius(const scree_index* index)
{
    double sum = 0.0;
    for (int64_t i = 0; i < index->one.n; ++i)
        sum += index->xr[i][3];
    return index->one.n > 0 ? sum / index->one.n : 0.0;
}

// The margin for lists of single spheres; 0: no lists.
static double near_skin(const scree_index* index)
{
    if (index->def.method == SCREE_METHOD_VERLET_LIST) {  // which has nothing else
        double radius = index->def.verlet_radius, mean = mean_radius(index);
        double chosen = index->def.skin > 0.0 ? index->def.skin : skin_choose_single(&index->motion, &index->one, mean);
        return radius > 0.0 ? fmax(radius - items_reach(&index->one), 0.0) : chosen > 0.0 ? chosen : 0.5 * mean;
    }
    if (index->def.skin != 0.0)
        return fmax(index->def.skin, 0.0);
    return skin_choose_single(&index->motion, &index->one, mean_radius(index));
}

static scree_status open_singles(scree_index* index)
{
    double r_sum;
    measure(index, &index->one, &r_sum);
    scree_method by = (scree_method)index->def.method;
    if (by == SCREE_METHOD_AUTO) {
        double work[SCREE_METHOD_COUNT];
        method_forecast_one(&index->one, work);
        by = method_cheapest(work);
    }
    scree_status status = index_want_state(index, by);
    if (status != SCREE_OK)
        return status;
    index->open_by = by;
    index->open_count = index->one.n;
    double skin = near_skin(index);
    if (skin > 0.0 && index_skin_fits(&index->one, skin))
        status = near_lists_open(&index->near, method_find(by), index->states[by], &index->one, skin);
    else
        status = method_find(by)->open(index->states[by], &index->one);
    index->open = status == SCREE_OK;
    return status;
}

// The structure is reopened at the next question.
static void give_up(scree_index* index)
{
    near_lists_close(&index->near);
    index->open = false;
}

// Whether the skin of the lists is no longer possible with the current largest sphere.
static bool outgrown(const scree_index* index)
{
    return index->near.held && !index_skin_fits(&index->one, index->near.skin);
}

// Lists begin when enough moves have been seen, and are rebuilt when moves have become much shorter or longer.
static void reconsider_lists(scree_index* index)
{
    if (index->def.skin != 0.0 || !index->open || index->motion.moves < 4 * (int64_t)index->one.n + 64)
        return;
    double skin = near_skin(index), now = index->near.held ? index->near.skin : 0.0;
    index->motion = (near_motion){.moves = index->one.n, .path = index->motion.path / (double)index->motion.moves * index->one.n};
    if (skin > 2.0 * now || skin < 0.5 * now)
        give_up(index);
}

// ---- Checks -------------------------------------------------------------------------------------------------------------------

static scree_status check_number(const scree_index* index, int32_t i)
{
    if (index->on_device)
        return index_check_here(index);
    int32_t n = scree_index_get_count(index);
    if (i >= 0 && i < n)
        return SCREE_OK;
    return scree_fail(SCREE_ERR_ARGUMENT, "index: there is no sphere %" PRId32 "; expected 0 or more and less than %" PRId32, i, n);
}

// A centre and radius in words, for sphere i (-1: one that is asked about).
static scree_status check_sphere(const scree_index* index, int32_t i, const double* x, double r)
{
    const scree_box* box = &index->def.box;
    char who[32] = "the sphere asked about";
    if (i >= 0)
        snprintf(who, sizeof who, "sphere %" PRId32, i);
    double wrapped[3] = {0.0, 0.0, 0.0}, turns[3];
    for (int k = 0; k < box->dim; ++k) {
        if (!scree_is_length(x[k]))
            return scree_fail(SCREE_ERR_ARGUMENT, "%s: %c = %g is not a length; expected a finite number", who, "xyz"[k], x[k]);
        wrapped[k] = x[k];
    }
    scree_box_wrap_centre(box, wrapped, turns);
    for (int k = 0; k < box->dim; ++k) {
        if (fabs(turns[k]) > index_most_turns)
            return scree_fail(SCREE_ERR_ARGUMENT, "%s: %c = %g lies %g boxes away; expected at most %d: wrap the centres first", who, "xyz"[k], x[k],
                              fabs(turns[k]), (int)index_most_turns);
        if (i >= 0 && !box->periodic[k] && !(x[k] >= box->lower[k] && x[k] <= box->upper[k]))
            return scree_fail(SCREE_ERR_ARGUMENT, "%s: %c = %g lies outside the walls; expected %g to %g", who, "xyz"[k], x[k], box->lower[k],
                              box->upper[k]);
    }
    if (!scree_is_length(r) || r < 0.0)
        return scree_fail(SCREE_ERR_ARGUMENT, "%s: radius %g is not a length; expected 0 or more", who, r);
    return SCREE_OK;
}

// Whether the box can hold a sphere of this radius.
static scree_status check_radius(const scree_index* index, int32_t i, double r)
{
    items it = index->one;
    it.r_max = fmax(it.r_max, r);
    if (!(it.r_max > index->one.r_max))
        return SCREE_OK;
    scree_status status = index_check_reach(&it, i);
    return status == SCREE_OK && i >= 0 ? parameters_check_reach(&index->def, items_reach(&it)) : status;
}

// Puts a centre where sphere i stands, wrapped.
static void place(scree_index* index, int32_t i, const double* x)
{
    double turns[3];
    for (int k = 0; k < index->one.dim; ++k)
        index->xr[i][k] = x[k];
    scree_box_wrap_centre(&index->def.box, index->xr[i], turns);
    for (int k = 0; k < index->one.dim && index->periodic; ++k)
        index->single_turns[i][k] = (int8_t)turns[k];
}

// ---- Changes --------------------------------------------------------------------------------------------------------------------

int32_t scree_index_get_count(const scree_index* index)
{
    SCREE_NEED_OR(index, 0);
    if (index->on_device)
        return index->there;
    return index->one.def != NULL ? index->one.n : index->method != NULL ? index->it.n : 0;
}

scree_status scree_index_get(const scree_index* index, int32_t i, double* x, double* r)
{
    SCREE_NEED(index);
    scree_status status = check_number(index, i);
    if (status != SCREE_OK)
        return status;
    for (int k = 0; k < index->it.dim && x != NULL; ++k)
        x[k] = index->xr[i][k];
    if (r != NULL)
        *r = index->xr[i][3];
    return SCREE_OK;
}

scree_status scree_index_get_all(const scree_index* index, double (*xr)[4])
{
    SCREE_NEED(index);
    int32_t n = scree_index_get_count(index);
    if (n > 0)
        SCREE_NEED(xr);
    if (index->on_device)
        return index_check_here(index);
    for (int64_t i = 0; i < n; ++i) {
        for (int k = 0; k < 3; ++k)
            xr[i][k] = k < index->it.dim ? index_given(index, i, k) : 0.0;
        xr[i][3] = index->xr[i][3];
    }
    return SCREE_OK;
}

// Room for the numbers of all spheres; new ones are 0. MEMORY.
static scree_status want_user(scree_index* index)
{
    int64_t n = scree_index_get_count(index);
    scree_status status = SCREE_RESERVE(index->user, index->user_capacity, n);
    if (status == SCREE_OK && n > index->user_count) {
        memset(index->user + index->user_count, 0, (size_t)(n - index->user_count) * sizeof *index->user);
        index->user_count = n;
    }
    return status;
}

scree_status scree_index_set_user(scree_index* index, int32_t i, int64_t user)
{
    SCREE_NEED(index);
    scree_status status = check_number(index, i);
    if (status == SCREE_OK)
        status = want_user(index);
    if (status == SCREE_OK)
        index->user[i] = user;
    return status;
}

scree_status scree_index_get_user(const scree_index* index, int32_t i, int64_t* user)
{
    SCREE_EMPTY(user);
    SCREE_NEED(index);
    scree_status status = check_number(index, i);
    if (status == SCREE_OK && i < index->user_count)
        *user = index->user[i];
    return status;
}

scree_status scree_index_set_user_all(scree_index* index, const int64_t* user)
{
    SCREE_NEED(index);
    int64_t n = scree_index_get_count(index);
    if (user == NULL || n == 0) {
        index_cut_user(index, 0);
        return SCREE_OK;
    }
    scree_status status = want_user(index);
    if (status == SCREE_OK)
        memcpy(index->user, user, (size_t)n * sizeof *user);
    return status;
}

scree_status scree_index_get_user_all(const scree_index* index, int64_t* user)
{
    SCREE_NEED(index);
    int64_t n = scree_index_get_count(index);
    if (n > 0)
        SCREE_NEED(user);
    for (int64_t i = 0; i < n; ++i)
        user[i] = i < index->user_count ? index->user[i] : 0;
    return SCREE_OK;
}

// A structure that failed to follow a change is given up.
static void followed(scree_index* index, scree_status status)
{
    if (status != SCREE_OK)
        give_up(index);
}

scree_status scree_index_move(scree_index* index, int32_t i, const double* x)
{
    SCREE_NEED(index);
    SCREE_NEED(x);
    scree_status status = check_number(index, i);
    if (status == SCREE_OK)
        status = check_sphere(index, i, x, 0.0);
    if (status == SCREE_OK)
        status = begin_singles(index);
    if (status != SCREE_OK)
        return status;
    double from[4], away[3] = {0.0, 0.0, 0.0}, square = 0.0;
    int on[3];
    memcpy(from, index->xr[i], sizeof from);
    place(index, i, x);
    for (int k = 0; k < index->one.dim; ++k)
        away[k] = index->xr[i][k] - from[k];
    scree_lattice_shorten(index->one.periodic, index->one.length, index->one.tilt, index->one.dim, away, on);
    for (int k = 0; k < index->one.dim; ++k)
        square += away[k] * away[k];
    ++index->motion.moves;
    index->motion.path += sqrt(square);
    changed(index);
    if (index->open && index->near.held)
        followed(index, near_lists_move(&index->near, i));
    else if (index->open)
        followed(index, method_find(index->open_by)->move(index->states[index->open_by], i, from));
    reconsider_lists(index);
    return SCREE_OK;
}

// The group of a new sphere is 0.
static scree_status add_group(scree_index* index, int32_t n)
{
    if (index->mask.count != n)
        return mask_check_count(&index->mask, n, "index");
    if (index->mask.matrix != NULL && index->mask.groups == 0)
        return scree_fail(SCREE_ERR_ARGUMENT, "index: the mask has a matrix without rows, and no group for a new sphere; expected a row at least");
    scree_status status = SCREE_RESERVE(index->mask_group, index->mask_capacity, (int64_t)n + 1);
    index->mask.group = index->mask_group;
    if (status == SCREE_OK)
        index->mask_group[index->mask.count++] = 0;
    index->mask_there = false;
    return status;
}

scree_status scree_index_set_group(scree_index* index, int32_t i, int32_t group)
{
    SCREE_NEED(index);
    scree_status status = check_number(index, i);
    if (status == SCREE_OK && (index->mask.group == NULL || i >= index->mask.count))
        status = scree_fail(SCREE_ERR_ARGUMENT, "index: sphere %" PRId32 " has no group; expected scree_index_set_mask before", i);
    if (status == SCREE_OK && (group < 0 || (index->mask.matrix != NULL && group >= index->mask.groups)))
        status = scree_fail(SCREE_ERR_ARGUMENT, "index: group %" PRId32 " for sphere %" PRId32 "; expected 0 or more%s", group, i,
                            index->mask.matrix != NULL ? ", and a row of the matrix" : "");
    if (status != SCREE_OK)
        return status;
    index->mask_group[i] = group;
    index->mask_there = false;
    index_forget_pairs(index);
    return SCREE_OK;
}

scree_status scree_index_insert(scree_index* index, const double* x, double r, int32_t* i)
{
    SCREE_NEED(index);
    SCREE_NEED(x);
    scree_status status = begin_singles(index);
    int32_t n = index->one.n;
    if (status == SCREE_OK && n == INT32_MAX)
        status = scree_fail(SCREE_ERR_ARGUMENT, "index: it holds %" PRId32 " spheres, the largest number; expected no further one", n);
    if (status == SCREE_OK)
        status = check_sphere(index, n, x, r);
    if (status == SCREE_OK)
        status = check_radius(index, n, r);
    if (status == SCREE_OK)
        status = SCREE_RESERVE(index->xr, index->xr_capacity, (int64_t)n + 1);
    index_xr_moved(index);
    if (status == SCREE_OK && index->periodic)
        status = SCREE_RESERVE(index->single_turns, index->single_turns_capacity, (int64_t)n + 1);
    if (status == SCREE_OK && index->mask.group != NULL)
        status = add_group(index, n);
    if (status != SCREE_OK)
        return status;
    memset(index->xr[n], 0, sizeof index->xr[n]);
    if (index->periodic)
        memset(index->single_turns[n], 0, sizeof index->single_turns[n]);
    place(index, n, x);
    index->xr[n][3] = r + 0.0;  // no -0
    index->one.r_min = n == 0 ? r : fmin(index->one.r_min, r);
    index->one.r_max = n == 0 ? r : fmax(index->one.r_max, r);
    index->one.n = n + 1;
    changed(index);
    if (index->one.n > 4 * (int64_t)index->open_count + 64 || outgrown(index))  // what was right for few is not for many
        give_up(index);
    if (index->open && index->near.held)
        followed(index, near_lists_insert(&index->near, &index->one));
    else if (index->open)
        followed(index, method_find(index->open_by)->insert(index->states[index->open_by], n));
    if (i != NULL)
        *i = n;
    return SCREE_OK;
}

scree_status scree_index_remove(scree_index* index, int32_t i)
{
    SCREE_NEED(index);
    scree_status status = check_number(index, i);
    if (status == SCREE_OK)
        status = begin_singles(index);
    if (status != SCREE_OK)
        return status;
    int32_t last = index->one.n - 1;
    const method_table* method = method_find(index->open_by);
    void* state = index->states[index->open_by];
    bool lists = index->open && index->near.held, plain = index->open && !lists;
    if (lists)
        status = near_lists_remove(&index->near, i);
    if (plain)
        method->remove(state, i);
    if (plain && i != last)
        method->remove(state, last);
    memcpy(index->xr[i], index->xr[last], sizeof index->xr[i]);
    if (index->periodic)
        memcpy(index->single_turns[i], index->single_turns[last], sizeof index->single_turns[i]);
    if (i < index->user_count)
        index->user[i] = last < index->user_count ? index->user[last] : 0;
    index_cut_user(index, last);
    index_remove_group(index, i, last);
    index->one.n = last;
    changed(index);
    if (plain && i != last)
        status = method->insert(state, i);
    followed(index, status);
    return SCREE_OK;
}

scree_status scree_index_set_radius(scree_index* index, int32_t i, double r)
{
    SCREE_NEED(index);
    scree_status status = check_number(index, i);
    if (status == SCREE_OK && (!scree_is_length(r) || r < 0.0))
        status = scree_fail(SCREE_ERR_ARGUMENT, "sphere %" PRId32 ": radius %g is not a length; expected 0 or more", i, r);
    if (status == SCREE_OK)
        status = begin_singles(index);
    if (status == SCREE_OK)
        status = check_radius(index, i, r);
    if (status != SCREE_OK)
        return status;
    const method_table* method = method_find(index->open_by);
    bool plain = index->open && !index->near.held;
    if (plain)
        method->remove(index->states[index->open_by], i);
    index->xr[i][3] = r + 0.0;
    index->one.r_min = fmin(index->one.r_min, r);
    index->one.r_max = fmax(index->one.r_max, r);
    changed(index);
    if (plain)
        status = method->insert(index->states[index->open_by], i);
    else if (index->open && outgrown(index))
        give_up(index);
    else if (index->open)
        status = near_lists_resize(&index->near, &index->one, i);
    followed(index, status);
    return SCREE_OK;
}

// All of xr is another: the structure is reopened.
static void replaced(scree_index* index)
{
    give_up(index);
    double r_sum;
    measure(index, &index->one, &r_sum);
    changed(index);
}

static int32_t largest_of(const scree_index* index, const items* it)
{
    int32_t largest = 0;
    while (largest < it->n && index->xr[largest][3] < it->r_max)
        ++largest;
    return largest;
}

scree_status scree_index_set_box(scree_index* index, const scree_box* box)
{
    SCREE_NEED(index);
    SCREE_NEED(box);
    scree_status status = scree_box_check(box);
    if (status == SCREE_OK)
        status = index_check_tilt(index->def.method, box);
    if (status == SCREE_OK && box->dim != index->def.box.dim)
        status = scree_fail(SCREE_ERR_ARGUMENT, "index: a box of %d dimensions; expected %d, as the spheres have", (int)box->dim,
                            (int)index->def.box.dim);
    if (status == SCREE_OK)
        status = begin_singles(index);
    scree_box before = index->def.box;
    bool was_periodic = index->periodic;
    if (status != SCREE_OK)
        return status;
    index->def.box = *box;
    index->periodic = scree_box_is_periodic(box);
    for (int32_t i = 0; i < index->one.n && status == SCREE_OK; ++i)
        status = check_sphere(index, i, index->xr[i], index->xr[i][3]);
    items it = index->one;
    double r_sum;
    measure(index, &it, &r_sum);
    int32_t largest = largest_of(index, &it);
    if (status == SCREE_OK)
        status = index_check_reach(&it, largest);
    if (status == SCREE_OK && index->periodic &&
        (SCREE_RESERVE(index->single_turns, index->single_turns_capacity, (int64_t)it.n + 1) != SCREE_OK ||
         SCREE_RESERVE(index->pairs.shift, index->pairs.shift_capacity, 1) != SCREE_OK))
        status = SCREE_ERR_MEMORY;
    if (status != SCREE_OK) {
        index->def.box = before;
        index->periodic = was_periodic;
        return status;
    }
    index->list.with_shift = index->periodic;
    for (int32_t i = 0; i < index->one.n; ++i) {
        double x[3];
        memcpy(x, index->xr[i], sizeof x);
        if (index->periodic)
            memset(index->single_turns[i], 0, sizeof index->single_turns[i]);
        place(index, i, x);
    }
    replaced(index);
    return SCREE_OK;
}

scree_status scree_index_scale(scree_index* index, double centres, double radii)
{
    SCREE_NEED(index);
    if (!(centres > 0.0 && centres < INFINITY) || !(radii >= 0.0 && radii < INFINITY))
        return scree_fail(SCREE_ERR_ARGUMENT, "index: factors of %g for centres and %g for radii; expected above 0", centres, radii);
    scree_status status = begin_singles(index);
    if (status != SCREE_OK)
        return status;
    scree_box box = index->def.box;
    for (int k = 0; k < box.dim; ++k) {
        box.lower[k] *= centres;
        box.upper[k] *= centres;
    }
    for (int t = 0; t < 3; ++t)
        box.tilt[t] *= centres;
    status = scree_box_check(&box);
    items it = index->one;
    double r_sum;
    measure(index, &it, &r_sum);
    for (int64_t i = 0; i < it.n && status == SCREE_OK; ++i) {
        bool fits = scree_is_length(index->xr[i][3] * radii);
        for (int k = 0; k < it.dim; ++k)
            fits = fits && scree_is_length(index->xr[i][k] * centres);
        if (!fits)
            status = scree_fail(SCREE_ERR_ARGUMENT, "sphere %" PRId64 ": a factor of %g for its centre or %g for its radius is too large or too small; expected lengths from %g to %g", i, centres,
                                radii, SCREE_LENGTH_MIN, SCREE_LENGTH_MAX);
    }
    int32_t largest = largest_of(index, &it);
    it.r_max *= radii;
    for (int k = 0; k < it.dim; ++k)
        it.length[k] = box.periodic[k] ? box.upper[k] - box.lower[k] : it.length[k] * centres;
    items_set_tilt(&it, &box);
    if (status == SCREE_OK)
        status = index_check_reach(&it, largest);
    if (status == SCREE_OK)
        status = parameters_check_reach(&index->def, items_reach(&it));
    if (status != SCREE_OK)
        return status;
    index->def.box = box;
    for (int64_t i = 0; i < it.n; ++i) {
        double turns[3];
        for (int k = 0; k < it.dim; ++k)
            index->xr[i][k] *= centres;
        scree_box_wrap_centre(&box, index->xr[i], turns);  // may have been rounded up to the upper end
        for (int k = 0; k < it.dim && index->periodic; ++k)
            index->single_turns[i][k] = (int8_t)(index->single_turns[i][k] + (int)turns[k]);
        index->xr[i][3] *= radii;
    }
    replaced(index);
    return SCREE_OK;
}

// ---- Questions --------------------------------------------------------------------------------------------------------------------

// From shifts between wrapped centres to shifts between centres as given; in order if wanted. One key holds j and the shift.
static scree_status hand_out(scree_index* index, const int8_t turns[3], scree_neighbours* out)
{
    pair_output* found = &index->found;
    int64_t count = found->count;
    if (SCREE_RESERVE(found->keys, found->key_capacity, count) != SCREE_OK ||
        SCREE_RESERVE(index->near_j, index->near_j_capacity, count + 1) != SCREE_OK)  // never NULL
        return SCREE_ERR_MEMORY;
    for (int64_t p = 0; p < count; ++p) {
        int32_t j = found->ij[p][1];
        found->keys[p] = (uint64_t)(uint32_t)j << 24;
        for (int k = 0; k < 3 && index->periodic; ++k)
            found->keys[p] |= (uint64_t)(found->shift[p][k] + turns[k] - index->single_turns[j][k] + 128) << (16 - 8 * k);
    }
    if (index->def.sorted)
        scree_sort_keys(found->keys, count);
    for (int64_t p = 0; p < count; ++p) {
        index->near_j[p] = (int32_t)(found->keys[p] >> 24);
        for (int k = 0; k < 3 && index->periodic; ++k)
            found->shift[p][k] = (int8_t)((int)(found->keys[p] >> (16 - 8 * k) & 255) - 128);
    }
    *out = (scree_neighbours){.count = count,
                              .j = index->near_j,
                              .shift = index->periodic ? (const int8_t(*)[3])found->shift : NULL};
    return SCREE_OK;
}

// The structure is there, and so is room for an answer.
static scree_status be_ready(scree_index* index)
{
    scree_status status = begin_singles(index);
    if (status == SCREE_OK && !index->open)
        status = open_singles(index);
    if (status == SCREE_OK && index->periodic)
        status = SCREE_RESERVE(index->found.shift, index->found.shift_capacity, 1);  // never NULL
    return status;
}

static void count_query(scree_index* index)
{
    ++index->queries;
    index->query_tests += index->found.tests;
    index->query_box_tests += index->found.box_tests;
    index->query_cells += index->found.cells;
}

// The lists are a method for this moment: near_ask makes room for what they find.
static void near_by_lists(const void* state, const double xr[4], int32_t own, sink* to)
{
    (void)xr;
    near_lists_near(state, own, to);
}

static const method_table lists_method = {.name = "lists", .near = near_by_lists};

// Of what was found for sphere i, those that do not pair with it.
static void leave_out(scree_index* index, int32_t i)
{
    pair_output* found = &index->found;
    int64_t to = 0;
    for (int64_t p = 0; p < found->count; ++p) {
        if (!mask_pairs(&index->mask, i, found->ij[p][1]))
            continue;
        found->ij[to][1] = found->ij[p][1];
        for (int k = 0; k < 3 && index->periodic; ++k)
            found->shift[to][k] = found->shift[p][k];
        ++to;
    }
    found->count = to;
}

scree_status scree_index_neighbours(scree_index* index, int32_t i, scree_neighbours* out)
{
    SCREE_EMPTY(out);
    SCREE_NEED(index);
    scree_status status = check_number(index, i);
    if (status == SCREE_OK && index->mask.group != NULL)
        status = mask_check_count(&index->mask, scree_index_get_count(index), "index");
    if (status == SCREE_OK)
        status = be_ready(index);
    if (status == SCREE_OK && index->near.held)
        status = near_ask(&lists_method, &index->near, index->xr[i], i, index->periodic, &index->found);
    else if (status == SCREE_OK)
        status = near_ask(method_find(index->open_by), index->states[index->open_by], index->xr[i], i, index->periodic, &index->found);
    if (status != SCREE_OK)
        return status;
    count_query(index);
    if (index->mask.group != NULL)
        leave_out(index, i);
    static const int8_t none[3] = {0, 0, 0};
    return hand_out(index, index->periodic ? index->single_turns[i] : none, out);
}

// Spheres that are near where something is now, found where they were: the lists' structure holds references, which are at most
// skin/2 away from the places.
static void near_by_references(const void* state, const double xr[4], int32_t own, sink* to)
{
    const near_lists* lists = state;
    sink all = *to;
    lists->method->near(lists->state, xr, own, &all);
    to->count = all.count > all.room ? all.count : near_lists_confirm(lists, xr, &all);  // too many: asked again with more room
    to->tests = all.tests;
    to->box_tests = all.box_tests;
    to->cells = all.cells;
}

static const method_table references_method = {.name = "references", .near = near_by_references};

scree_status scree_index_query(scree_index* index, const double* x, double r, scree_neighbours* out)
{
    SCREE_EMPTY(out);
    SCREE_NEED(index);
    SCREE_NEED(x);
    scree_status status = check_sphere(index, -1, x, r);
    if (status == SCREE_OK)
        status = be_ready(index);
    if (status == SCREE_OK)
        status = check_radius(index, -1, r);
    if (status != SCREE_OK)
        return status;
    double xr[4] = {0.0, 0.0, 0.0, r}, away[3] = {0.0, 0.0, 0.0};
    for (int k = 0; k < index->one.dim; ++k)
        xr[k] = x[k];
    scree_box_wrap_centre(&index->def.box, xr, away);
    const int8_t turns[3] = {(int8_t)away[0], (int8_t)away[1], (int8_t)away[2]};
    if (index->near.held)
        status = near_ask(&references_method, &index->near, xr, -1, index->periodic, &index->found);
    else
        status = near_ask(method_find(index->open_by), index->states[index->open_by], xr, -1, index->periodic, &index->found);
    if (status != SCREE_OK)
        return status;
    count_query(index);
    return hand_out(index, turns, out);
}

SCREE_RESULT_OF(scree_surroundings, scree_index_surroundings, (scree_index* index, int32_t i, scree_surroundings* out), (index, i, out))
{
    SCREE_EMPTY(out);
    SCREE_NEED(index);
    scree_status status = check_number(index, i);
    if (status == SCREE_OK)
        status = be_ready(index);
    if (status != SCREE_OK)
        return status;
    const method_table* method = method_find(index->open_by);
    if (method->around == NULL)
        return scree_fail(SCREE_ERR_UNSUPPORTED, "index: %s does not store spheres in cells; expected linked-cells, hierarchical-grid, octree or loose-octree",
                          method->name);
    if (index->one.tilted)
        return scree_box_reject_tilt(&index->def.box, "index: surroundings");
    if (index->near.held)
        return scree_fail(SCREE_ERR_ARGUMENT, "index: there are lists of single spheres, with a skin of %g; expected def.skin < 0",
                          index->near.skin);
    method->around(index->states[index->open_by], i, out);
    return SCREE_OK;
}
