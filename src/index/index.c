// The door: checks what comes in, keeps the copy that methods work on, and hands out pairs. Methods find; the door asks
// them through their table (method.h) and never knows how.
#include "index/method.h"

#include "base/array.h"
#include "base/clock.h"
#include "geom/length.h"
#include "index/intake.h"
#include "index/pair_list.h"

#include <inttypes.h>
#include <math.h>

// With centres at most 32 boxes away and reaches of at most 60 boxes, every shift fits into an int8.
enum { most_turns = 32, most_images = 60 };

struct scree_index {
    scree_index_def def;
    bool periodic;
    const method_table* method;  // NULL before the first update
    scree_method chosen;
    void* states[SCREE_METHOD_COUNT];  // each made when first needed
    items it;                          // it.xr is `xr`
    double (*xr)[4];
    int64_t xr_capacity;
    int8_t (*turns)[3];  // how many boxes each sphere was wrapped by; read only if `any_turns`
    int64_t turns_capacity;
    bool any_turns;
    intake in;
    pair_list pairs;
    bool have_pairs;
    double seconds_build, seconds_search;
};

scree_index_def scree_default_index_def(void)
{
    return (scree_index_def){.struct_size = sizeof(scree_index_def), .box = scree_box_open(3)};
}

scree_status scree_index_create(const scree_index_def* given, scree_index** out)
{
    // A def of an older version is shorter: what it does not know of keeps its default.
    scree_index_def whole = scree_default_index_def();
    if (given->struct_size < offsetof(scree_index_def, watch) || given->struct_size > sizeof whole)
        return scree_fail(SCREE_ERR_ARGUMENT, "index: the def has size %u; begin with scree_default_index_def()",
                          (unsigned)given->struct_size);
    memcpy(&whole, given, given->struct_size);
    const scree_index_def* def = &whole;
    if (def->method < 0 || def->method >= SCREE_METHOD_COUNT)
        return scree_fail(SCREE_ERR_ARGUMENT, "index: there is no method number %d", (int)def->method);
    if (!scree_method_available((scree_method)def->method))
        return scree_fail(SCREE_ERR_UNSUPPORTED, "the method '%s' is not in this version (all-pairs, linked-cells and hierarchical-grid are)",
                          scree_method_name((scree_method)def->method));
    if (!scree_is_length(def->gap))
        return scree_fail(SCREE_ERR_ARGUMENT, "index: a gap of %g is out of range: 0, or %g to %g in size", def->gap,
                          SCREE_LENGTH_MIN, SCREE_LENGTH_MAX);
    if (def->threads < 0)
        return scree_fail(SCREE_ERR_ARGUMENT, "index: %d threads (0 means all cores)", (int)def->threads);
    scree_status status = scree_box_check(&def->box);
    if (status != SCREE_OK)
        return status;
    scree_index* index = scree_calloc(1, sizeof *index);
    if (index == NULL)
        return SCREE_ERR_MEMORY;
    index->def = *def;
    index->periodic = scree_box_is_periodic(&def->box);
    // So that `shift` is there before the first update too.
    if (index->periodic && SCREE_RESERVE(index->pairs.shift, index->pairs.shift_capacity, 1) != SCREE_OK) {
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
    scree_free(index->xr);
    scree_free(index->turns);
    scree_free(index->in.blocks);
    scree_free(index);
}

// The sphere to name in a message: the one with this coordinate on axis k (-1: with this radius).
static int32_t whose(scree_spheres spheres, int k, double value)
{
    for (int64_t i = 0; i < spheres.count; ++i)
        if ((k < 0 ? spheres.r[i] : spheres.x[i * spheres.dim + k]) == value)
            return (int32_t)i;
    return 0;
}

// What methods need to know before they see the spheres; and whether these can be at all.
static scree_status summarise(scree_index* index, scree_spheres spheres, items* it, bool* any_turns)
{
    const scree_box* box = &index->def.box;
    intake* in = &index->in;
    scree_status status = scree_spheres_check((scree_spheres){.count = 0, .dim = spheres.dim}, box);
    if (status == SCREE_OK && (spheres.count < 0 || (spheres.count > 0 && (spheres.x == NULL || spheres.r == NULL))))
        status = scree_spheres_check(spheres, box);
    if (status != SCREE_OK)
        return status;
    in->spheres = spheres;
    in->box = box;
    in->threads = index->def.threads;
    status = intake_scan(in);
    if (status == SCREE_OK && in->doubtful)
        status = scree_spheres_check(spheres, box);  // says what and which
    if (status != SCREE_OK)
        return status;

    *it = (items){.n = spheres.count, .dim = spheres.dim, .gap = index->def.gap};
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
            if (fabs(turns) > most_turns)
                return scree_fail(SCREE_ERR_ARGUMENT,
                                  "sphere %" PRId32 ": %c = %g lies %g boxes away; at most %d can be wrapped",
                                  whose(spheres, k, ends[e]), "xyz"[k], ends[e], fabs(turns), (int)most_turns);
        }
        if (2.0 * it->r_max > it->length[k])
            return scree_fail(SCREE_ERR_ARGUMENT,
                              "sphere %" PRId32 ": its diameter %g is larger than the periodic box, %g on axis %c",
                              whose(spheres, -1, it->r_max), 2.0 * it->r_max, it->length[k], "xyz"[k]);
        if (items_safe_reach(it, k) > most_images * it->length[k])
            return scree_fail(SCREE_ERR_ARGUMENT, "a gap of %g reaches over more than %d periodic boxes of %g on axis %c",
                              it->gap, (int)most_images, it->length[k], "xyz"[k]);
    }
    return SCREE_OK;
}

scree_status scree_index_update(scree_index* index, scree_spheres spheres)
{
    double begin = scree_clock();
    items it;
    bool any_turns;
    scree_status status = summarise(index, spheres, &it, &any_turns);
    if (status != SCREE_OK)
        return status;

    scree_method chosen = (scree_method)index->def.method;
    if (chosen == SCREE_METHOD_AUTO)
        chosen = method_choose(&it);
    const method_table* method = method_find(chosen);
    if (index->states[chosen] == NULL)
        index->states[chosen] = method->create();
    if (index->states[chosen] == NULL)
        return SCREE_ERR_MEMORY;
    if (SCREE_RESERVE(index->xr, index->xr_capacity, spheres.count) != SCREE_OK)
        return SCREE_ERR_MEMORY;
    index->it.xr = (const double(*)[4])index->xr;  // reserving may have moved it
    if (any_turns && SCREE_RESERVE(index->turns, index->turns_capacity, spheres.count) != SCREE_OK)
        return SCREE_ERR_MEMORY;
    it.r = spheres.r;
    it.threads = index->def.threads;
    if (method->prepare(index->states[chosen], &it) != SCREE_OK)
        return SCREE_ERR_MEMORY;

    // From here on nothing can fail.
    index->any_turns = any_turns;
    index->in.xr = index->xr;
    index->in.turns = any_turns ? index->turns : NULL;
    intake_copy(&index->in);
    index->it = it;
    index->it.xr = (const double(*)[4])index->xr;
    index->method = method;
    index->chosen = chosen;
    method->build(index->states[chosen], &index->it);
    index->have_pairs = false;
    index->seconds_build = scree_clock() - begin;
    index->seconds_search = 0.0;
    return SCREE_OK;
}

// Shifts are found between wrapped centres; the caller knows the centres as given.
static void turn_back(scree_index* index)
{
    for (int64_t p = 0; p < index->pairs.count; ++p) {
        const int8_t* ti = index->turns[index->pairs.ij[p][0]];
        const int8_t* tj = index->turns[index->pairs.ij[p][1]];
        for (int k = 0; k < 3; ++k)
            index->pairs.shift[p][k] = (int8_t)(index->pairs.shift[p][k] + ti[k] - tj[k]);
    }
}

scree_status scree_index_pairs(scree_index* index, scree_pairs* out)
{
    if (index->method != NULL && !index->have_pairs) {
        double begin = scree_clock();
        scree_status status = pair_list_fill(&index->pairs, index->method, index->states[index->chosen], &index->it,
                                             index->periodic, index->def.threads, &index->def.watch);
        if (status != SCREE_OK)
            return status;
        if (index->any_turns)
            turn_back(index);
        if (index->def.sorted)
            status = pair_list_sort(&index->pairs, index->it.n, index->periodic, index->def.threads);
        if (status != SCREE_OK)
            return status;
        index->have_pairs = true;
        index->seconds_search = scree_clock() - begin;
    }
    *out = (scree_pairs){.count = index->pairs.count,
                         .ij = (const int32_t(*)[2])index->pairs.ij,
                         .shift = index->periodic ? (const int8_t(*)[3])index->pairs.shift : NULL};
    return SCREE_OK;
}

scree_method scree_index_method(const scree_index* index)
{
    return index->method == NULL ? (scree_method)index->def.method : index->chosen;
}

scree_index_stats scree_index_get_stats(const scree_index* index)
{
    scree_index_stats stats = {.size_ratio = 1.0,
                               .bytes = sizeof *index + (size_t)index->xr_capacity * sizeof *index->xr +
                                        (size_t)index->turns_capacity * sizeof *index->turns +
                                        pair_list_bytes(&index->pairs)};
    for (int m = 0; m < SCREE_METHOD_COUNT; ++m)
        if (index->states[m] != NULL)
            stats.bytes += method_find((scree_method)m)->bytes(index->states[m]);
    if (index->method == NULL)
        return stats;
    stats.levels = index->method->levels(index->states[index->chosen]);
    stats.seconds_build = index->seconds_build;
    stats.seconds_search = index->seconds_search;
    if (index->it.r_max > 0.0)
        stats.size_ratio = index->it.r_min > 0.0 ? index->it.r_max / index->it.r_min : INFINITY;
    if (index->have_pairs) {
        stats.tests = index->pairs.tests;
        stats.cells = index->pairs.cells;
    }
    return stats;
}

scree_status scree_index_validate(const scree_index* index)
{
    return index->method == NULL ? SCREE_OK : index->method->validate(index->states[index->chosen]);
}
