// The index: checks its input, keeps the copy that methods work on, and returns pairs. Methods find; the index calls
// them through their table (method.h) and never knows how. Lists cache: where the same spheres come again and again, moved a
// little, the method is asked for candidates with a skin around the gap, and then left alone as long as these suffice (list.c).
//
// What an update leaves behind is one of three:
//     plain    the method was built with the gap: pairs are searched.
//     wanted   the method was built with gap + skin: the first call for pairs makes the list. (Not the update, because making
//              it can fail or be stopped, and a failed update must leave the spheres before.)
//     held     the list is good for the spheres as they are now; the method's structure is of some earlier update.
//
// Calls for single spheres (single_spheres.c) leave `moved` set: then the first call for pairs makes a batch of them.
#include "index/index_inner.h"

#include "base/argument.h"
#include "base/array.h"
#include "base/clock.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "geom/length.h"
#include "index/device.h"
#include "index/parameters.h"
#include "scree/device.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

SCREE_DEFAULTS_OF(scree_index_def, scree_default_index_def)
{
    return (scree_index_def){.struct_size = sizeof(scree_index_def), .box = scree_box_open(3)};
}

static scree_status check_gap(double gap)
{
    if (scree_is_length(gap))
        return SCREE_OK;
    return scree_fail(SCREE_ERR_ARGUMENT, "index: a gap of %g is out of range; expected 0, or %g to %g in size", gap, SCREE_LENGTH_MIN,
                      SCREE_LENGTH_MAX);
}

scree_status index_check_tilt(int32_t method, const scree_box* box)
{
    const method_table* asked = method_find((scree_method)method);
    if (asked == NULL || asked->tilted || !scree_box_is_tilted(box))
        return SCREE_OK;
    return scree_fail(SCREE_ERR_UNSUPPORTED, "index: %s does not search tilted boxes (tilt %g, %g, %g); expected hierarchical-grid or all-pairs", asked->name,
                      box->tilt[0], box->dim == 3 ? box->tilt[1] : 0.0, box->dim == 3 ? box->tilt[2] : 0.0);
}

static scree_status check_device(const scree_index_def* def)
{
    if (def->device < 0 || def->device >= SCREE_DEVICE_COUNT)
        return scree_fail(SCREE_ERR_ARGUMENT, "index: there is no device number %d; expected 0 to %d", (int)def->device, SCREE_DEVICE_COUNT - 1);
    if (def->device == SCREE_DEVICE_NONE || def->device == SCREE_DEVICE_AUTO)
        return SCREE_OK;
    if (def->method != SCREE_METHOD_AUTO && def->method != SCREE_METHOD_HIERARCHICAL_GRID)
        return scree_fail(SCREE_ERR_ARGUMENT, "index: device %s does not search by %s; expected auto or hierarchical-grid", scree_device_name(def->device),
                          scree_method_name((scree_method)def->method));
    return SCREE_OK;
}

// Whether the pairs of this many items are searched on a device. AUTO: with copies to the GPU and back an H200 takes 14 to 22 ns per sphere, longer than 16 threads beside it (scree bench device,
// docs/gpu.md#searches), so that about eight threads are as fast.
static bool is_on_device(scree_index* index, int64_t count)
{
    enum { worth = 100000, threads_enough = 8 };
    bool likely = index->def.device == SCREE_DEVICE_AUTO && count >= worth && index->def.method == SCREE_METHOD_AUTO && scree_parallel_threads(index->def.threads) < threads_enough;
    if (likely && !index->device_tried) {
        index->device_tried = true;
        if (index_device_open(SCREE_DEVICE_CUDA, &index->device) != SCREE_OK)
            index->device = NULL;
    }
    return index->device != NULL && (index->def.device != SCREE_DEVICE_AUTO || likely);
}

scree_status scree_index_create(const scree_index_def* given, scree_index** out)
{
    SCREE_EMPTY(out);
    SCREE_NEED_AS(given, "def");
    // A def of an older version is shorter: what it does not know of keeps its default.
    scree_index_def whole = scree_default_index_def();
    scree_status fits = scree_check_struct_size("index", "scree_default_index_def", given->struct_size, offsetof(scree_index_def, watch), sizeof whole);
    if (fits != SCREE_OK)
        return fits;
    memcpy(&whole, given, given->struct_size);
    const scree_index_def* def = &whole;
    if (def->method < 0 || def->method >= SCREE_METHOD_COUNT)
        return scree_fail(SCREE_ERR_ARGUMENT, "index: there is no method number %d; expected 0 to %d", (int)def->method, SCREE_METHOD_COUNT - 1);
    if (check_gap(def->gap) != SCREE_OK)
        return SCREE_ERR_ARGUMENT;
    if (def->threads < 0)
        return scree_fail(SCREE_ERR_ARGUMENT, "index: %d threads; expected 0 for all cores, or more", (int)def->threads);
    if (!(def->skin <= SCREE_LENGTH_MAX) || (def->skin > 0.0 && def->skin < SCREE_LENGTH_MIN))
        return scree_fail(SCREE_ERR_ARGUMENT, "index: a skin of %g is out of range; expected %g to %g, 0 for automatic, below 0 for none", def->skin,
                          SCREE_LENGTH_MIN, SCREE_LENGTH_MAX);
    scree_status status = scree_box_check(&def->box);
    if (status == SCREE_OK)
        status = index_check_tilt(def->method, &def->box);
    if (status == SCREE_OK)
        status = parameters_check(def);
    if (status == SCREE_OK)
        status = check_device(def);
    if (status != SCREE_OK)
        return status;
    scree_index* index = scree_calloc(1, sizeof *index);
    if (index == NULL)
        return SCREE_ERR_MEMORY;
    if (def->device != SCREE_DEVICE_NONE && def->device != SCREE_DEVICE_AUTO)
        status = index_device_open(def->device, &index->device);
    if (status != SCREE_OK) {
        scree_free(index);
        return status;
    }
    index->def = *def;
    for (int32_t h = 0; h < def->cell_size_count; ++h)
        index->cell_sizes[h] = def->cell_sizes[h];
    index->def.cell_sizes = index->cell_sizes;
    index->periodic = scree_box_is_periodic(&def->box);
    index->list.with_shift = index->periodic;
    index->model.pairs = -1.0;
    // So that `shift` is there before the first update too.
    if (index->periodic && SCREE_RESERVE(index->pairs.shift, index->pairs.shift_capacity, 1) != SCREE_OK) {
        index_device_close(index->device);
        scree_free(index);
        return SCREE_ERR_MEMORY;
    }
    *out = index;
    return SCREE_OK;
}

void scree_index_destroy(scree_index* index)
{
    if (index == NULL)
        return;
    for (int m = 0; m < SCREE_METHOD_COUNT; ++m)
        if (index->states[m] != NULL)
            method_find((scree_method)m)->destroy(index->states[m]);
    pair_list_free(&index->pairs);
    pair_list_free(&index->boxes);
    pair_list_free(&index->found);
    list_free(&index->list);
    near_lists_free(&index->near);
    scree_free(index->near_j);
    scree_free(index->xr);
    scree_free(index->turns);
    scree_free(index->half);
    scree_free(index->single_turns);
    scree_free(index->user);
    scree_free(index->mask_group);
    scree_free(index->mask_matrix);
    scree_free(index->in.blocks);
    index_device_close(index->device);
    scree_free(index);
}

void index_trim(scree_index* index)
{
    index_close(index);
    for (int m = 0; m < SCREE_METHOD_COUNT; ++m)
        if (index->states[m] != NULL) {
            method_find((scree_method)m)->destroy(index->states[m]);
            index->states[m] = NULL;
        }
    index->changes_before = index_changes(index);
    index->built = false;
    pair_list_free(&index->found);
    scree_free(index->xr);
    index->xr = NULL;
    index->xr_capacity = 0;
}

// The sphere to name in a message: the one with this coordinate on axis k (-1: with this radius).
static int32_t whose(const intake* in, int k, double value)
{
    const scree_spheres* spheres = &in->spheres;
    for (int64_t i = 0; i < spheres->count; ++i) {
        double found = in->given != NULL ? in->given[i][k < 0 ? 3 : k] : k < 0 ? spheres->r[i] : spheres->x[i * spheres->dim + k];
        if (found == value)
            return (int32_t)i;
    }
    return 0;
}

// Which of the items given as rows is not valid, and why.
static scree_status explain_given(const intake* in)
{
    for (int64_t i = 0; i < in->spheres.count; ++i) {
        const double* row = in->given[i];
        for (int k = 0; k < in->spheres.dim; ++k)
            if (!(fabs(row[k]) <= SCREE_LENGTH_MAX) || (!in->box->periodic[k] && (row[k] < in->box->lower[k] || row[k] > in->box->upper[k])))
                return scree_fail(SCREE_ERR_ARGUMENT, "item %" PRId64 ": %c = %g; expected a number inside the box, at most %g in size", i, "xyz"[k],
                                  row[k], SCREE_LENGTH_MAX);
        if (!(row[3] >= 0.0) || !scree_is_length(row[3]))
            return scree_fail(SCREE_ERR_ARGUMENT, "item %" PRId64 ": a radius of %g; expected 0, or %g to %g", i, row[3], SCREE_LENGTH_MIN,
                              SCREE_LENGTH_MAX);
    }
    return SCREE_OK;
}

// In a tilted box a sphere may be wider than the box is long along an axis; and the tilt takes images to reach.
static scree_status check_tilted_reach(const items* it, int32_t i)
{
    double period = scree_lattice_shortest(it->dim, it->periodic, it->length, it->tilt);
    char who[40] = "the sphere asked about";
    if (i >= 0)
        snprintf(who, sizeof who, "sphere %" PRId32, i);
    if (2.0 * it->r_max > period * (1.0 + 1e-12))  // which is rounded
        return scree_fail(SCREE_ERR_ARGUMENT, "%s: its diameter is %g; expected at most %g, the distance to its own image in the tilted periodic box", who,
                          2.0 * it->r_max, period);
    for (int k = 0; k < it->dim; ++k)
        if (items_images_needed(it, k) > index_most_images)
            return scree_fail(SCREE_ERR_ARGUMENT, "a gap of %g and a tilt of %g, %g, %g span %g periodic boxes of %g on axis %c; expected at most %d",
                              it->gap, it->tilt[0], it->tilt[1], it->tilt[2], items_images_needed(it, k), it->length[k], "xyz"[k], (int)index_most_images);
    return SCREE_OK;
}

scree_status index_check_reach(const items* it, int32_t i)
{
    if (it->tilted)
        return check_tilted_reach(it, i);
    for (int k = 0; k < it->dim; ++k) {
        if (!it->periodic[k])
            continue;
        if (2.0 * it->r_max > it->length[k])
            return i < 0 ? scree_fail(SCREE_ERR_ARGUMENT,
                                      "the query sphere: its diameter %g is larger than the periodic box, %g on axis %c; expected at most that",
                                      2.0 * it->r_max, it->length[k], "xyz"[k])
                         : scree_fail(SCREE_ERR_ARGUMENT,
                                      "sphere %" PRId32 ": its diameter %g is larger than the periodic box, %g on axis %c; expected at most that", i,
                                      2.0 * it->r_max, it->length[k], "xyz"[k]);
        if (items_safe_reach(it, k) > index_most_images * it->length[k])
            return scree_fail(SCREE_ERR_ARGUMENT, "a gap of %g reaches too far; expected at most %d periodic boxes of %g on axis %c",
                              it->gap, (int)index_most_images, it->length[k], "xyz"[k]);
    }
    return SCREE_OK;
}

// In a tilted box a turn moves other coordinates, so that how many turns there are is known sphere by sphere.
static scree_status check_turns(const intake* in, const items* it, const scree_box* box)
{
    for (int64_t i = 0; i < in->spheres.count; ++i) {
        const double* given = in->given != NULL ? in->given[i] : in->spheres.x + i * it->dim;
        double x[3], turns[3];
        for (int k = 0; k < it->dim; ++k)
            x[k] = given[k];
        scree_box_wrap_centre(box, x, turns);
        for (int k = 0; k < it->dim; ++k)
            if (fabs(turns[k]) > index_most_turns)
                return scree_fail(SCREE_ERR_ARGUMENT, "sphere %" PRId64 ": %c = %g lies %g tilted boxes away; expected at most %d: wrap the centres first", i, "xyz"[k], given[k],
                                  fabs(turns[k]), (int)index_most_turns);
    }
    return SCREE_OK;
}

// What methods need to know before they see the spheres; and whether these can be at all.
static scree_status summarise(scree_index* index, scree_spheres spheres, const double (*given)[4], items* it, bool* any_turns)
{
    const scree_box* box = &index->def.box;
    intake* in = &index->in;
    scree_status status = scree_spheres_check((scree_spheres){.count = 0, .dim = spheres.dim}, box);
    if (status == SCREE_OK && (spheres.count < 0 || (spheres.count > 0 && given == NULL && (spheres.x == NULL || spheres.r == NULL))))
        status = scree_spheres_check(spheres, box);
    if (status != SCREE_OK)
        return status;
    in->spheres = spheres;
    in->given = given;
    in->box = box;
    in->threads = index->def.threads;
    status = intake_scan(in);
    if (status == SCREE_OK && in->doubtful)
        status = given != NULL ? explain_given(in) : scree_spheres_check(spheres, box);  // says what and which
    if (status != SCREE_OK)
        return status;

    *it = (items){.n = spheres.count, .dim = spheres.dim, .gap = index->def.gap, .def = &index->def};
    *any_turns = false;
    if (spheres.count == 0)
        for (int k = 0; k < 3; ++k)
            in->lower[k] = in->upper[k] = 0.0;
    it->r_min = spheres.count > 0 ? in->r_min : 0.0;
    it->r_max = spheres.count > 0 ? in->r_max : 0.0;
    for (int k = 0; k < spheres.dim; ++k) {
        it->periodic[k] = box->periodic[k];
        it->lower[k] = box->periodic[k] ? box->lower[k] : in->lower[k];
        it->length[k] = box->periodic[k] ? box->upper[k] - box->lower[k] : in->upper[k] - in->lower[k];
        if (!box->periodic[k])
            continue;
        const double ends[2] = {in->lower[k], in->upper[k]};
        for (int e = 0; e < 2 && spheres.count > 0; ++e) {
            double turns;
            scree_box_wrap(box, k, ends[e], &turns);
            *any_turns = *any_turns || !(ends[e] >= box->lower[k] && ends[e] < box->upper[k]);
            if (fabs(turns) > index_most_turns && !scree_box_is_tilted(box))
                return scree_fail(SCREE_ERR_ARGUMENT,
                                  "sphere %" PRId32 ": %c = %g lies %g boxes away; expected at most %d: wrap the centres first",
                                  whose(in, k, ends[e]), "xyz"[k], ends[e], fabs(turns), (int)index_most_turns);
        }
    }
    items_set_tilt(it, box);
    status = it->tilted && *any_turns ? check_turns(in, it, box) : SCREE_OK;
    if (status != SCREE_OK)
        return status;
    status = index_check_reach(it, 0);
    return status == SCREE_OK ? status : index_check_reach(it, whose(in, -1, it->r_max));  // only now is its name worth a search
}

// ---- The list ------------------------------------------------------------------------------------------------------

static bool as_before(const scree_index* index, scree_spheres spheres)
{
    return index->method != NULL && spheres.count > 0 && spheres.count == index->it.n && spheres.dim == index->it.dim &&
           spheres.x != NULL && spheres.r != NULL;
}

typedef enum followed { FOLLOWED, TOO_FAR, OTHERS } followed;

// Takes the spheres if the list that is held is good for them. Else nothing has changed: they have moved too far for it, or are
// others.
static followed follow(scree_index* index, scree_spheres spheres)
{
    list* l = &index->list;
    intake* in = &index->in;
    in->spheres = spheres;
    in->given = NULL;
    in->xr = l->spare;
    in->against = (const double(*)[4])l->reference;
    in->against_turns = index->any_turns ? (const int8_t(*)[3])index->turns : NULL;
    in->followed = index->periodic ? l->spare_turns : NULL;
    in->turned = l->spare_turned;
    if (!intake_follow(in))
        return OTHERS;
    if (!(in->moved <= l->limit))
        return TOO_FAR;

    double (*xr)[4] = index->xr;
    int64_t capacity = index->xr_capacity;
    index->xr = l->spare;
    index->xr_capacity = l->spare_capacity;
    l->spare = xr;
    l->spare_capacity = capacity;
    intake_turns* turns = l->turns;
    capacity = l->turns_capacity;
    l->turns = l->spare_turns;
    l->turns_capacity = l->spare_turns_capacity;
    l->spare_turns = turns;
    l->spare_turns_capacity = capacity;
    uint8_t* turned = l->turned;
    capacity = l->turned_capacity;
    l->turned = l->spare_turned;
    l->turned_capacity = l->spare_turned_capacity;
    l->spare_turned = turned;
    l->spare_turned_capacity = capacity;
    index->it.xr = l->xr = (const double(*)[4])index->xr;
    skin_lasted(&index->model, in->moved);
    ++index->list_age;
    return FOLLOWED;
}

// verlet-list: how much wider than any reach its radius is. 0: it searches again each time.
static double verlet_skin(scree_index* index, const items* it, bool same)
{
    const scree_index_def* def = &index->def;
    if (def->verlet_radius > 0.0)
        return def->verlet_radius - items_reach(it);
    if (def->skin > 0.0)
        return def->skin;
    double chosen = same && index->model.known ? skin_choose(&index->model, it, index->in.r_sum / it->n) : 0.0;
    return chosen > 0.0 ? chosen : 0.5 * it->r_max;
}

// Whether a list with this skin can be at all.
bool index_skin_fits(const items* plain, double skin)
{
    items it = *plain;
    it.gap += skin;
    for (int k = 0; k < it.dim; ++k)
        if (it.periodic[k] && items_safe_reach(&it, k) + items_drift(&it, k) > index_most_images * it.length[k])
            return false;
    return it.n > 0 && skin > 8.0 * list_rounding(&it) && items_reach(&it) <= parameters_cell_reach(it.def);
}

// The skin to build with for these spheres; 0: plain. `same`: as many as before, and the list, if one was held, did not
// break for other radii.
double index_decide_skin(scree_index* index, const items* it, bool same)
{
    double skin = index->def.skin;
    skin_model* model = &index->model;
    if (index->no_list || is_on_device(index, it->n))
        return 0.0;
    if (index->def.method == SCREE_METHOD_VERLET_LIST) {
        skin = verlet_skin(index, it, same);
    } else if (skin == 0.0) {
        if (!same || !model->known)
            return 0.0;
        if (model->wait > 0) {
            --model->wait;
            return 0.0;
        }
        skin = skin_choose(model, it, index->in.r_sum / it->n);
    }
    return skin > 0.0 && index_skin_fits(it, skin) ? skin : 0.0;
}

scree_status index_want_state(scree_index* index, scree_method method)
{
    if (index->states[method] == NULL)
        index->states[method] = method_find(method)->create();
    return index->states[method] == NULL ? SCREE_ERR_MEMORY : SCREE_OK;
}

scree_method index_choose(const scree_index* index, items* it, crowding* crowd, double predicted[SCREE_METHOD_COUNT])
{
    memset(predicted, 0, SCREE_METHOD_COUNT * sizeof *predicted);
    if (index->def.method != SCREE_METHOD_AUTO)
        return (scree_method)index->def.method;
    if (index->device != NULL)
        return SCREE_METHOD_HIERARCHICAL_GRID;
    crowding_measure(crowd, it);
    it->crowd = crowd;
    method_forecast(it, crowd, predicted);
    return method_cheapest(predicted);
}

void index_xr_moved(scree_index* index)
{
    index->it.xr = index->one.xr = index->list.xr = index->near.xr = (const double(*)[4])index->xr;
}

// Waking another thread takes time, and it waits for more work for up to a millisecond afterwards. Where the caller left the number of threads open, a search
// that is shorter than that uses one: at some 64 tests for each sphere, or all pairs.
static int32_t worthwhile(int32_t threads, int64_t n, scree_method method)
{
    int64_t tests = method == SCREE_METHOD_ALL_PAIRS ? n * n / 2 : 64 * n;
    return threads == 0 && tests < 1 << 17 ? 1 : threads;
}

// The pairs that were found last, if there are any, are not wanted any more once a build begins: until new ones are found their memory is scratch. Not in
// candidates.c, which continues using them.
static void lend_scratch(const scree_index* index, items* it)
{
    it->scratch = index->no_list ? NULL : index->pairs.ij;
    it->scratch_bytes = index->no_list ? 0 : (size_t)index->pairs.ij_capacity * sizeof *index->pairs.ij;
}

// Enough of it for the method. MEMORY.
static scree_status reserve_scratch(scree_index* index, const method_table* method, items* it)
{
    size_t pair = sizeof *index->pairs.ij;
    int64_t pairs = (int64_t)(((size_t)it->n * method->scratch + pair - 1) / pair);
    bool more = !index->no_list && pairs > index->pairs.ij_capacity;
    if (more && SCREE_RESERVE(index->pairs.ij, index->pairs.ij_capacity, pairs) != SCREE_OK)
        return SCREE_ERR_MEMORY;
    if (more && it->threads == 1)
        scree_memory_fetch(index->pairs.ij, (size_t)pairs * pair);
    lend_scratch(index, it);
    return SCREE_OK;
}

// The method's structure for `it`, with the scratch that was there when it was prepared.
static scree_status build(scree_index* index)
{
    lend_scratch(index, &index->it);
    scree_status status = index->method->build(index->states[index->chosen], &index->it);
    index->it.scratch = NULL;
    index->it.scratch_bytes = 0;
    return status;
}

// There is room for them.
static void keep_half(scree_index* index, scree_spheres spheres, const double* half, int stride)
{
    index->any_half = half != NULL && spheres.count > 0;
    for (int64_t i = 0; i < spheres.count && index->any_half; ++i)
        for (int k = 0; k < spheres.dim; ++k)
            index->half[i][k] = half[i * stride + k];
}

// The items come from `given`, or if it is NULL from `spheres`. `half`: half sides of boxes, `stride` numbers each; NULL: spheres.
static scree_status update(scree_index* index, scree_spheres spheres, const double (*given)[4], const double* half, int stride)
{
    double begin = scree_clock();
    bool same = as_before(index, spheres), was_held = index->list.held;
    if (half != NULL && spheres.count > 0 && SCREE_RESERVE(index->half, index->half_capacity, spheres.count) != SCREE_OK)
        return SCREE_ERR_MEMORY;
    if (index->it.half != NULL)
        index->it.half = (const double(*)[3])index->half;
    bool due = index->def.rebuild_every > 0 && index->list_age + 1 >= index->def.rebuild_every;
    if (same && was_held && !due) {
        followed how = follow(index, spheres);
        if (how == TOO_FAR && index->def.rebuild_every > 0)
            return scree_fail(SCREE_ERR_ARGUMENT,
                              "verlet-list: %" PRId32 " updates after it was made, spheres have moved by %g together and the list allows "
                              "%g; rebuild_every %" PRId32 " would lose pairs; expected a smaller one",
                              index->list_age + 1, index->in.moved, index->list.limit, index->def.rebuild_every);
        if (how == FOLLOWED) {
            keep_half(index, spheres, half, stride);
            index_close(index);
            index_forget_pairs(index);
            index->seconds_build = scree_clock() - begin;
            index->seconds_search = 0.0;
            return SCREE_OK;
        }
        same = index->in.same_radii;
    }
    items it;
    bool any_turns;
    scree_status status = summarise(index, spheres, given, &it, &any_turns);
    if (status != SCREE_OK)
        return status;

    // What the list has taught is kept apart until nothing can fail any more.
    skin_model before = index->model;
    if (was_held)
        skin_broke(&index->model);
    double skin = index_decide_skin(index, &it, same);
    skin_model after = index->model;
    index->model = before;
    it.gap += skin;
    it.x = spheres.x;
    it.r = spheres.r;
    it.xr = given;
    crowding crowd;
    double predicted[SCREE_METHOD_COUNT];
    scree_method chosen = index_choose(index, &it, &crowd, predicted);
    it.threads = worthwhile(index->def.threads, it.n, chosen);
    const method_table* method = method_find(chosen);
    status = index_want_state(index, chosen);
    if (status != SCREE_OK)
        return status;
    bool more = spheres.count > index->xr_capacity && it.threads == 1;
    if (SCREE_RESERVE(index->xr, index->xr_capacity, spheres.count) != SCREE_OK)
        return SCREE_ERR_MEMORY;
    if (more)
        scree_memory_fetch(index->xr, (size_t)spheres.count * sizeof *index->xr);
    index_xr_moved(index);
    if (any_turns && SCREE_RESERVE(index->turns, index->turns_capacity, spheres.count) != SCREE_OK)
        return SCREE_ERR_MEMORY;
    status = reserve_scratch(index, method, &it);
    if (status == SCREE_OK)
        status = method->prepare(index->states[chosen], &it);
    if (status != SCREE_OK)
        return status;

    // From here on nothing can fail.
    index->on_device = false;
    index_close(index);
    index_cut_user(index, spheres.count);
    index->model = after;
    index->any_turns = any_turns;
    index->in.xr = index->xr;
    index->in.turns = any_turns ? index->turns : NULL;
    bool adapts = index->def.skin == 0.0 || index->def.method == SCREE_METHOD_VERLET_LIST;
    index->in.against = as_before(index, spheres) && adapts ? (const double(*)[4])index->xr : NULL;
    index->in.against_turns = NULL;
    index->in.followed = NULL;
    intake_copy(&index->in);
    index->model.known = index->in.same_radii;  // never without `against`
    index->model.step = index->in.moved;
    if (!index->model.known)
        index->model = (skin_model){.pairs = -1.0};
    index->it = it;
    index->it.xr = (const double(*)[4])index->xr;
    index->it.x = index->it.r = NULL;
    index->it.crowd = NULL;
    keep_half(index, spheres, half, stride);
    // A list outlives the boxes of one update: candidates for it come from the spheres alone.
    index->it.half = index->any_half && skin == 0.0 ? (const double(*)[3])index->half : NULL;
    memcpy(index->predicted, predicted, sizeof predicted);
    index->method = method;
    index->chosen = chosen;
    index->list.held = false;
    index->wanted = skin;
    ++index->rebuilds;
    index->built = !is_on_device(index, it.n) && build(index) == SCREE_OK;  // else when something is asked that needs it
    index_forget_pairs(index);
    index->seconds_build = scree_clock() - begin;
    index->seconds_search = 0.0;
    return SCREE_OK;
}

scree_status scree_index_update(scree_index* index, scree_spheres spheres)
{
    SCREE_NEED(index);
    return update(index, spheres, NULL, NULL, 0);
}

scree_status scree_index_update_boxes(scree_index* index, scree_spheres spheres, const double* half)
{
    SCREE_NEED(index);
    for (int64_t e = 0; half != NULL && e < (int64_t)spheres.count * spheres.dim; ++e)
        if (!(half[e] >= 0.0) || !scree_is_length(half[e]))
            return scree_fail(SCREE_ERR_ARGUMENT, "item %" PRId64 ": half a side of %g along %c; expected 0, or %g to %g", e / spheres.dim, half[e],
                              "xyz"[e % spheres.dim], SCREE_LENGTH_MIN, SCREE_LENGTH_MAX);
    return update(index, spheres, NULL, half, spheres.dim);
}

scree_status index_update_items(scree_index* index, int32_t count, const double (*xr)[4], const double (*half)[3])
{
    if (count > 0 && xr == NULL)
        return scree_fail(SCREE_ERR_ARGUMENT, "%" PRId32 " items without an array; expected one", count);
    return update(index, (scree_spheres){.count = count, .dim = index->def.box.dim}, xr, half != NULL ? half[0] : NULL, 3);
}

scree_status scree_index_set_gap(scree_index* index, double gap)
{
    SCREE_NEED(index);
    scree_status status = check_gap(gap);
    if (status != SCREE_OK)
        return status;
    index_close(index);
    index->def.gap = gap;
    index->method = NULL;
    index->on_device = false;
    index->list.held = false;
    index_forget_pairs(index);
    index->pairs.count = index->boxes.count = 0;
    return SCREE_OK;
}

scree_status scree_index_set_mask(scree_index* index, const scree_pair_mask* mask)
{
    SCREE_NEED(index);
    scree_status status = mask != NULL ? mask_check(mask, "index") : SCREE_OK;
    if (status != SCREE_OK)
        return status;
    scree_pair_mask copy = {.count = 0};
    int32_t* group = NULL;
    uint8_t* matrix = NULL;
    if (mask != NULL) {
        const size_t entries = mask->matrix != NULL ? (size_t)mask->groups * (size_t)mask->groups : 0;
        group = scree_malloc((size_t)mask->count + 1, sizeof *group);  // never NULL
        matrix = mask->matrix != NULL ? scree_malloc(entries + 1, 1) : NULL;
        if (group == NULL || (mask->matrix != NULL && matrix == NULL)) {
            scree_free(group);
            scree_free(matrix);
            return SCREE_ERR_MEMORY;
        }
        if (mask->count > 0)
            memcpy(group, mask->group, (size_t)mask->count * sizeof *group);
        if (entries > 0)
            memcpy(matrix, mask->matrix, entries);
        copy = (scree_pair_mask){.count = mask->count, .group = group, .groups = mask->matrix != NULL ? mask->groups : 0, .matrix = matrix};
    }
    scree_free(index->mask_group);
    scree_free(index->mask_matrix);
    index->mask = copy;
    index->mask_group = group;
    index->mask_matrix = matrix;
    index->mask_there = false;
    index->mask_capacity = mask != NULL ? (int64_t)mask->count + 1 : 0;
    index_forget_pairs(index);
    return SCREE_OK;
}

scree_status scree_index_get_mask(const scree_index* index, scree_pair_mask* out)
{
    SCREE_EMPTY(out);
    SCREE_NEED(index);
    *out = index->mask;
    return SCREE_OK;
}

// Shifts are found between wrapped centres; the caller knows the centres as given.
static scree_status turn_back(const scree_index* index, pair_output* pairs)
{
    for (int64_t p = 0; p < pairs->count; ++p) {
        if (p % scree_work_unasked == scree_work_unasked - 1 && !scree_watch_goes_on(&index->def.watch, 1.0))
            return scree_fail(SCREE_ERR_CANCELLED, "stopped on request");
        int32_t i = pairs->ij[p][0], j = pairs->ij[p][1];
        for (int k = 0; k < 3; ++k)
            pairs->shift[p][k] = (int8_t)(pairs->shift[p][k] + index_turns(index, i, k) - index_turns(index, j, k));
    }
    return SCREE_OK;
}

// All pairs within the gap that the method was built with.
static scree_status search(scree_index* index, pair_output* to)
{
    scree_status status = index->built ? SCREE_OK : build(index);
    index->built = status == SCREE_OK;
    if (status == SCREE_OK)
        status = pair_list_fill(to, index->method, index->states[index->chosen], &index->it, index->periodic,
                                index->it.threads, &index->def.watch);
    if (status == SCREE_OK && index->any_turns)
        status = turn_back(index, to);
    if (status == SCREE_OK)
        skin_searched(&index->model, &index->it, to->tests, to->cells, to->count);
    return status;
}

// From wanted to held.
static scree_status make_list(scree_index* index)
{
    list* l = &index->list;
    l->found.to_sort = true;
    scree_status status = search(index, &l->found);
    if (status == SCREE_OK)
        status = list_make(l, &index->it, index->def.gap, index->wanted, index->any_turns ? (const int8_t(*)[3])index->turns : NULL);
    if (status != SCREE_OK)
        return status;
    index->list_age = 0;
    index->model.candidates = (double)l->found.count;
    index->model.skin = l->skin;
    return SCREE_OK;
}

// Whether the mask, if there is one, is for these spheres.
static scree_status check_mask(const scree_index* index)
{
    return index->mask.group == NULL ? SCREE_OK : mask_check_count(&index->mask, scree_index_get_count(index), "index");
}

static scree_status pairs_room(void* context, int64_t count, int32_t (**ij)[2], int8_t (**shift)[3])
{
    scree_index* index = context;
    pair_output* to = &index->pairs;
    to->count = 0;
    if (SCREE_RESERVE(to->ij, to->ij_capacity, count) != SCREE_OK || (index->periodic && SCREE_RESERVE(to->shift, to->shift_capacity, count) != SCREE_OK))
        return SCREE_ERR_MEMORY;
    to->count = count;
    to->tests = to->box_tests = to->cells = 0;  // not counted
    *ij = to->ij;
    *shift = index->periodic ? to->shift : NULL;
    return SCREE_OK;
}

static index_device_search device_search(scree_index* index, int32_t n, const double (*x)[4])
{
    return (index_device_search){.box = &index->def.box,
                                 .n = n,
                                 .x = x,
                                 .gap = index->def.gap,
                                 .mask = index->mask.group != NULL ? &index->mask : NULL,
                                 .mask_there = index->mask_there,
                                 .room = pairs_room,
                                 .context = index};
}

static scree_status search_there(scree_index* index, int32_t n, const double (*x)[4])
{
    index->pairs_there = (scree_pairs){.ij = NULL};
    const index_device_search search = device_search(index, n, x);
    scree_status status = index_device_pairs(index->device, &search);
    index->mask_there = status == SCREE_OK && n > 0 && index->pairs.count > 0;  // else it may not have come to it
    return status;
}

static scree_status find_pairs(scree_index* index)
{
    list* l = &index->list;
    scree_status status = SCREE_OK;
    if (is_on_device(index, index->it.n) && index->it.half == NULL && index->wanted == 0.0) {
        status = search_there(index, index->it.n, index->it.xr);
        return status == SCREE_OK && index->any_turns ? turn_back(index, &index->pairs) : status;
    }
    if (index->wanted == 0.0) {
        index->pairs.to_sort = index->def.sorted;
        status = search(index, &index->pairs);
        if (status == SCREE_OK && index->mask.group != NULL)
            status = mask_apply(&index->mask, &index->pairs, index->periodic, index->it.threads, &index->def.watch);
        if (status == SCREE_OK && index->def.sorted)
            status = pair_list_sort(&index->pairs, index->it.n, index->periodic, index->it.threads, &index->def.watch);
    } else {
        bool fresh = !l->held;
        if (fresh)
            status = make_list(index);
        if (status == SCREE_OK)
            status = pair_list_fill(&index->pairs, &list_method, l, &index->it, index->periodic, index->it.threads, &index->def.watch);
        if (status == SCREE_OK && index->mask.group != NULL)
            status = mask_apply(&index->mask, &index->pairs, index->periodic, index->it.threads, &index->def.watch);
        if (status == SCREE_OK && fresh) {
            index->pairs.tests += l->found.tests;
            index->pairs.box_tests += l->found.box_tests;
            index->pairs.cells += l->found.cells;
        }
    }
    if (status == SCREE_OK)
        index->model.pairs = (double)index->pairs.count;
    return status;
}

scree_status scree_index_pairs(scree_index* index, scree_pairs* out)
{
    SCREE_EMPTY(out);
    SCREE_NEED(index);
    scree_status status = check_mask(index);
    if (status == SCREE_OK)
        status = index_refresh(index);
    if (status != SCREE_OK)
        return status;
    if ((index->method != NULL || index->on_device) && !index->have_pairs) {
        double begin = scree_clock();
        status = index->on_device ? search_there(index, index->there, NULL) : find_pairs(index);
        if (status != SCREE_OK)
            return status;
        index->have_pairs = true;
        index->boxes_last = false;
        index->seconds_search = scree_clock() - begin;
    }
    *out = (scree_pairs){.count = index->pairs.count,
                         .ij = (const int32_t(*)[2])index->pairs.ij,
                         .shift = index->periodic ? (const int8_t(*)[3])index->pairs.shift : NULL};
    return SCREE_OK;
}

// ---- Spheres in the memory of the device ---------------------------------------------------------------------------

scree_status index_check_here(const scree_index* index)
{
    if (!index->on_device)
        return SCREE_OK;
    return scree_fail(SCREE_ERR_UNSUPPORTED, "index: its %" PRId32 " spheres are in the memory of device %s; expected scree_index_update, with spheres in that of the processor", index->there,
                      scree_device_name(scree_index_get_device(index)));
}

// Whether the box can hold them; the largest is looked for only to be named.
static scree_status check_reach_there(scree_index* index, const scree_device_spheres* spheres, double r_most)
{
    const scree_box* box = &index->def.box;
    items it = {.n = spheres->count, .dim = spheres->dim, .gap = index->def.gap, .def = &index->def, .r_max = r_most};
    for (int k = 0; k < spheres->dim; ++k) {
        it.periodic[k] = box->periodic[k];
        it.lower[k] = box->periodic[k] ? box->lower[k] : 0.0;
        it.length[k] = box->periodic[k] ? box->upper[k] - box->lower[k] : 0.0;
    }
    items_set_tilt(&it, box);
    scree_status status = index_check_reach(&it, 0);
    if (status != SCREE_ERR_ARGUMENT)
        return status;
    if (spheres->r == NULL)
        return status;
    double* r = scree_malloc((size_t)spheres->count, sizeof *r);
    int32_t i = 0;
    status = r == NULL ? SCREE_ERR_MEMORY : index_device_radii(index->device, spheres, r);
    while (status == SCREE_OK && i + 1 < spheres->count && r[i] < r_most)
        ++i;
    scree_free(r);
    return status == SCREE_OK ? index_check_reach(&it, i) : status;
}

scree_status scree_index_update_on_device(scree_index* index, const scree_device_spheres* spheres)
{
    SCREE_NEED(index);
    SCREE_NEED(spheres);
    const scree_box* box = &index->def.box;
    if (index->device == NULL || index->def.device == SCREE_DEVICE_AUTO)
        return scree_fail(SCREE_ERR_ARGUMENT, "index: its device is %s; expected cuda or emulate for spheres in device memory", scree_device_name(index->def.device));
    if (spheres->dim != box->dim)
        return scree_fail(SCREE_ERR_ARGUMENT, "the spheres have %d dimensions and the box has %d; expected the same", (int)spheres->dim, (int)box->dim);
    if (spheres->count < 0 || (spheres->count > 0 && spheres->x == NULL))
        return scree_fail(SCREE_ERR_ARGUMENT, "index: %" PRId32 " spheres in device memory%s; expected 0 or more, with arrays", spheres->count, spheres->count > 0 ? " without an array" : "");
    index_close(index);
    index_cut_user(index, spheres->count);
    index->method = NULL;
    index->list.held = index->on_device = false;
    index->pairs_there = (scree_pairs){.ij = NULL};
    index->pairs.count = index->boxes.count = 0;
    index_forget_pairs(index);
    double begin = scree_clock(), r_most;
    scree_status status = index_device_put(index->device, box, spheres, &r_most);
    if (status == SCREE_OK && spheres->count > 0)
        status = check_reach_there(index, spheres, r_most);
    index->on_device = status == SCREE_OK;
    index->there = spheres->count;
    index->seconds_build = scree_clock() - begin;
    return status;
}

scree_status scree_index_pairs_on_device(scree_index* index, bool full, void* stream, scree_pairs* out)
{
    SCREE_EMPTY(out);
    SCREE_NEED(index);
    if (!index->on_device)
        return scree_fail(SCREE_ERR_ARGUMENT, "index: there are no spheres in device memory; expected scree_index_update_on_device before");
    scree_status status = check_mask(index);
    if (status != SCREE_OK)
        return status;
    double begin = scree_clock();
    const index_device_search search = device_search(index, index->there, NULL);
    status = index_device_pairs_there(index->device, &search, index->def.sorted, full, stream, out);
    index->mask_there = status == SCREE_OK && out->count > 0;
    index->pairs_there = status == SCREE_OK ? *out : (scree_pairs){.ij = NULL};
    index->seconds_search = scree_clock() - begin;
    return status;
}

scree_status scree_index_vectors_on_device(scree_index* index, void* stream, const double** vector, const double** distance)
{
    SCREE_EMPTY(vector);
    SCREE_EMPTY(distance);
    SCREE_NEED(index);
    if (!index->on_device || index->pairs_there.ij == NULL)
        return scree_fail(SCREE_ERR_ARGUMENT, "index: there are no pairs in device memory; expected scree_index_pairs_on_device before");
    return index_device_vectors(index->device, &index->def.box, &index->pairs_there, stream, vector, distance);
}

static scree_status meet(scree_index* index, void* stream, bool follow)
{
    if (index->device == NULL)
        return scree_fail(SCREE_ERR_ARGUMENT, "index: its device is %s; expected cuda or emulate", scree_device_name(index->def.device));
    return index_device_meet(index->device, stream, follow);
}

scree_status scree_index_lead_on_device(scree_index* index, void* stream)
{
    SCREE_NEED(index);
    return meet(index, stream, false);
}

scree_status scree_index_follow_on_device(scree_index* index, void* stream)
{
    SCREE_NEED(index);
    return meet(index, stream, true);
}

// Pairs of boxes of the spheres as they are now, by a method that has them. Where a list is wanted or held, the method was built with gap + skin, and
// maybe for spheres that have moved on since: it is brought up to date with the gap alone, and the list stays as it is.
static scree_status find_box_pairs(scree_index* index)
{
    const items* it = &index->it;
    void* state = index->states[index->chosen];
    bool plain = index->wanted == 0.0;
    if (!plain) {
        index->boxed = index->it;
        index->boxed.gap = index->def.gap;
        index->boxed.half = index->any_half ? (const double(*)[3])index->half : NULL;
        it = &index->boxed;
        index->built = false;
    }
    scree_status status = index->built ? SCREE_OK : index->method->build(state, it);
    if (plain)
        index->built = status == SCREE_OK;
    const method_table boxes = {.name = index->method->name, .chunks = index->method->chunks, .pairs = index->method->box_pairs};
    index->boxes.to_sort = index->def.sorted;
    if (status == SCREE_OK)
        status = pair_list_fill(&index->boxes, &boxes, state, it, index->periodic, it->threads, &index->def.watch);
    if (status == SCREE_OK && index->periodic)
        status = turn_back(index, &index->boxes);
    if (status == SCREE_OK && index->mask.group != NULL)
        status = mask_apply(&index->mask, &index->boxes, index->periodic, it->threads, &index->def.watch);
    if (status == SCREE_OK && index->def.sorted)
        status = pair_list_sort(&index->boxes, it->n, index->periodic, it->threads, &index->def.watch);
    return status;
}

scree_status scree_index_box_pairs(scree_index* index, scree_pairs* out)
{
    SCREE_EMPTY(out);
    SCREE_NEED(index);
    const method_table* asked = method_find((scree_method)index->def.method);
    if (asked == NULL || asked->box_pairs == NULL)
        return scree_fail(SCREE_ERR_UNSUPPORTED, "index: %s does not find box pairs; expected linear-list or all-pairs",
                          scree_method_name((scree_method)index->def.method));
    scree_status status = check_mask(index);
    if (status == SCREE_OK)
        status = index_refresh(index);
    if (status == SCREE_OK && index->periodic)
        status = SCREE_RESERVE(index->boxes.shift, index->boxes.shift_capacity, 1);  // never NULL
    if (status == SCREE_OK && index->method != NULL && !index->have_boxes) {
        double begin = scree_clock();
        status = find_box_pairs(index);
        index->have_boxes = index->boxes_last = status == SCREE_OK;
        index->seconds_search = scree_clock() - begin;
    }
    if (status != SCREE_OK)
        return status;
    *out = (scree_pairs){.count = index->boxes.count,
                         .ij = (const int32_t(*)[2])index->boxes.ij,
                         .shift = index->periodic ? (const int8_t(*)[3])index->boxes.shift : NULL};
    return SCREE_OK;
}

scree_method scree_index_method(const scree_index* index)
{
    SCREE_NEED_OR(index, SCREE_METHOD_AUTO);
    return index->method == NULL ? (scree_method)index->def.method : index->chosen;
}

int32_t scree_index_get_device(const scree_index* index)
{
    SCREE_NEED_OR(index, SCREE_DEVICE_NONE);
    return index->device == NULL ? SCREE_DEVICE_NONE : index->def.device == SCREE_DEVICE_AUTO ? SCREE_DEVICE_CUDA : index->def.device;
}

SCREE_VALUE_OF(scree_index_stats, scree_index_get_stats, (const scree_index* index), (index))
{
    SCREE_NEED_OR(index, (scree_index_stats){0});
    scree_index_stats stats = {.size_ratio = 1.0,
                               .bytes = sizeof *index + (size_t)index->xr_capacity * sizeof *index->xr +
                                        (size_t)index->turns_capacity * sizeof *index->turns +
                                        (size_t)index->half_capacity * sizeof *index->half +
                                        (size_t)index->single_turns_capacity * sizeof *index->single_turns +
                                        (size_t)index->user_capacity * sizeof *index->user +
                                        (size_t)index->mask_capacity * sizeof *index->mask_group + (size_t)index->mask.groups * (size_t)index->mask.groups +
                                        intake_bytes(&index->in) +
                                        pair_list_bytes(&index->pairs) + pair_list_bytes(&index->boxes) + pair_list_bytes(&index->found) +
                                        index_device_bytes(index->device) + list_bytes(&index->list) + near_lists_bytes(&index->near) +
                                        (size_t)index->near_j_capacity * sizeof *index->near_j,
                               .rebuilds = index->rebuilds,
                               .seconds_device = index_device_seconds(index->device),
                               .queries = index->queries,
                               .query_tests = index->query_tests + index->near.tests,
                               .query_box_tests = index->query_box_tests + index->near.box_tests,
                               .query_cells = index->query_cells + index->near.cells,
                               .refreshes = index->near.refreshes,
                               .near_skin = index->near.held ? index->near.skin : 0.0};
    if (index->list.held) {
        stats.list_build = index->list.build;
        stats.candidates = index->list.found.count;
        stats.skin = index->list.skin;
    }
    change_work changes = index_changes(index);
    stats.changes = changes.changes - index->changes_before.changes;
    stats.change_cells = changes.cells - index->changes_before.cells;
    for (int m = 0; m < SCREE_METHOD_COUNT; ++m)
        if (index->states[m] != NULL)
            stats.bytes += method_find((scree_method)m)->bytes(index->states[m]);
    if (index->method == NULL || index->states[index->chosen] == NULL)
        return stats;
    stats.levels = index->method->levels(index->states[index->chosen]);
    if (index->method->swaps != NULL)
        stats.swaps = index->method->swaps(index->states[index->chosen]);
    if (index->method->sorts != NULL)
        stats.sorts = index->method->sorts(index->states[index->chosen]);
    stats.seconds_build = index->seconds_build;
    stats.seconds_search = index->seconds_search;
    const items* it = index->one.def != NULL ? &index->one : &index->it;
    if (it->r_max > 0.0)
        stats.size_ratio = it->r_min > 0.0 ? it->r_max / it->r_min : INFINITY;
    if (index->have_pairs || index->have_boxes) {
        const pair_output* last = index->boxes_last && index->have_boxes ? &index->boxes : &index->pairs;
        stats.tests = last->tests;
        stats.box_tests = last->box_tests;
        stats.cells = last->cells;
        if (!index->list.held)
            stats.work = method_work(index->chosen, index->it.n, (double)stats.tests, (double)(stats.box_tests + stats.swaps), (double)stats.cells);
    }
    return stats;
}

double scree_index_get_predicted(const scree_index* index, scree_method method)
{
    SCREE_NEED_OR(index, 0.0);
    return index->method != NULL && scree_method_name(method) != NULL ? index->predicted[method] : 0.0;
}

scree_status scree_index_validate(const scree_index* index)
{
    SCREE_NEED(index);
    if (index->method == NULL)
        return SCREE_OK;
    if (index->open) {
        scree_status status = index->near.held ? near_lists_validate(&index->near)
                                               : method_find(index->open_by)->check(index->states[index->open_by]);
        if (status != SCREE_OK)
            return status;
    }
    if (index->moved)
        return SCREE_OK;
    if (index->list.held)
        return list_validate(&index->list);
    return index->built ? index->method->validate(index->states[index->chosen]) : SCREE_OK;
}
