// All pairs of a set in one call, for callers who have no use for an index afterwards: the spheres are brought into the form that an index takes, if they are not in it, one is made
// and asked, and pairs without a common bit in their masks are left out. Cost: that of the index, and a copy of float or strided input.
#include "query/bvh.h"

#include "base/argument.h"
#include "base/parallel.h"
#include "scree/index.h"

// The spheres as an index takes them. Arrays that were made are in `x` and `r`.
typedef struct plain {
    scree_spheres view;
    double *x, *r;
} plain;

static bool is_plain(const scree_points* points)
{
    const int64_t size = sizeof(double);
    return points->type == SCREE_TYPE_FLOAT64 && points->r != NULL && (points->x_stride == 0 || points->x_stride == size * points->dim) &&
           (points->r_stride == 0 || points->r_stride == size);
}

static scree_status make_plain(const scree_points* points, plain* out)
{
    *out = (plain){.view = {.count = points->count, .dim = points->dim}};
    if (is_plain(points)) {
        out->view.x = points->x;
        out->view.r = points->r;
        return SCREE_OK;
    }
    out->x = scree_malloc((size_t)points->count * (size_t)points->dim, sizeof *out->x);
    out->r = scree_malloc((size_t)points->count, sizeof *out->r);
    if (out->x == NULL || out->r == NULL)
        return SCREE_ERR_MEMORY;
    for (int64_t i = 0; i < points->count; ++i) {
        double at[4];
        points_get(points, i, at);
        for (int k = 0; k < points->dim; ++k)
            out->x[i * points->dim + k] = at[k];
        out->r[i] = at[3];
    }
    out->view.x = out->x;
    out->view.r = out->r;
    return SCREE_OK;
}

// The pairs of an index, which is the caller's.
static scree_status search(const scree_index_def* given, const scree_points* points, scree_index** index, scree_pairs* pairs)
{
    scree_index_def own = scree_default_index_def();
    plain spheres = {.x = NULL};
    *index = NULL;
    if (points->dim != 2 && points->dim != 3)
        return scree_fail(SCREE_ERR_ARGUMENT, "spheres: %d dimensions; expected 2 or 3", (int)points->dim);
    own.box = scree_box_open(points->dim);
    scree_status status = points_check_form(points, points->dim, "spheres");
    if (status == SCREE_OK)
        status = scree_index_create(given != NULL ? given : &own, index);
    if (status == SCREE_OK)
        status = make_plain(points, &spheres);
    if (status == SCREE_OK)
        status = scree_index_update(*index, spheres.view);
    if (status == SCREE_OK)
        status = scree_index_pairs(*index, pairs);
    scree_free(spheres.x);
    scree_free(spheres.r);
    return status;
}

static bool may_touch(const scree_points* points, const int32_t ij[2])
{
    return points->mask == NULL || (points->mask[ij[0]] & points->mask[ij[1]]) != 0;
}

SCREE_RESULT_OF(scree_found_pairs, scree_find_pairs, (const scree_index_def* def, scree_points spheres, scree_found_pairs* out), (def, spheres, out))
{
    SCREE_EMPTY(out);
    scree_index* index;
    scree_pairs pairs;
    scree_found_pairs list = {0};
    scree_status status = search(def, &spheres, &index, &pairs);
    if (status == SCREE_OK) {
        for (int64_t p = 0; p < pairs.count; ++p)
            list.count += may_touch(&spheres, pairs.ij[p]);
        list.ij = scree_malloc((size_t)list.count, sizeof *list.ij);
        list.shift = pairs.shift != NULL ? scree_malloc((size_t)list.count, sizeof *list.shift) : NULL;
        if (list.ij == NULL || (pairs.shift != NULL && list.shift == NULL))
            status = SCREE_ERR_MEMORY;
    }
    for (int64_t p = 0, to = 0; status == SCREE_OK && p < pairs.count; ++p)
        if (may_touch(&spheres, pairs.ij[p])) {
            memcpy(list.ij[to], pairs.ij[p], sizeof list.ij[to]);
            if (list.shift != NULL)
                memcpy(list.shift[to], pairs.shift[p], sizeof list.shift[to]);
            ++to;
        }
    scree_index_destroy(index);
    if (status == SCREE_OK)
        *out = list;
    else
        scree_found_pairs_free(&list);
    return status;
}

// Where the row of each sphere begins. Every pair is looked at before anything is written.
static scree_status count_rows(int32_t count, const scree_pairs* half, int64_t* first)
{
    for (int64_t p = 0; p < half->count; ++p) {
        const int32_t *ij = half->ij[p], *before = half->ij[p > 0 ? p - 1 : 0];
        scree_status status = scree_watch_own("pairs", p, half->count);
        if (status != SCREE_OK)
            return status;
        if (ij[0] < 0 || ij[0] > ij[1] || ij[1] >= count)
            return scree_fail(SCREE_ERR_ARGUMENT, "pairs: pair %lld is (%d, %d) of %d spheres; expected 0 <= i <= j < %d", (long long)p, (int)ij[0], (int)ij[1], (int)count, (int)count);
        if (before[0] > ij[0] || (before[0] == ij[0] && before[1] > ij[1]))
            return scree_fail(SCREE_ERR_ARGUMENT, "pairs: pair %lld, (%d, %d), follows (%d, %d); expected sorted pairs", (long long)p, (int)ij[0], (int)ij[1], (int)before[0], (int)before[1]);
        for (int k = 0; k < 3 && half->shift != NULL; ++k)
            if (half->shift[p][k] == INT8_MIN)
                return scree_fail(SCREE_ERR_ARGUMENT, "pairs: pair %lld has the shift %d along axis %d; expected -127 to 127, so that the other direction has one", (long long)p, (int)half->shift[p][k], k);
        ++first[ij[0] + 1];
        ++first[ij[1] + 1];
    }
    for (int32_t i = 0; i < count; ++i)
        first[i + 1] += first[i];
    return SCREE_OK;
}

static void put_pair(scree_found_pairs* to, int64_t at, int32_t i, int32_t j, const int8_t* shift, int sign)
{
    to->ij[at][0] = i;
    to->ij[at][1] = j;
    for (int k = 0; k < 3 && to->shift != NULL; ++k)
        to->shift[at][k] = (int8_t)(sign * shift[k]);
}

// In the row of a sphere its pairs with lower numbers come first: those in which it is j, by i. Of several images of a pair the order is turned round with the sign.
static scree_status fill_rows(const scree_pairs* half, int64_t* next, scree_found_pairs* to)
{
    for (int64_t p = 0, end; p < half->count; p = end) {
        const int32_t* ij = half->ij[p];
        for (end = p + 1; end < half->count && half->ij[end][0] == ij[0] && half->ij[end][1] == ij[1]; ++end)
            ;
        for (int64_t e = end - 1; e >= p; --e) {
            scree_status status = scree_watch_own("pairs", e, half->count);
            if (status != SCREE_OK)
                return status;
            put_pair(to, next[ij[1]]++, ij[1], ij[0], half->shift != NULL ? half->shift[e] : NULL, -1);
        }
    }
    for (int64_t p = 0; p < half->count; ++p) {
        scree_status status = scree_watch_own("pairs", p, half->count);
        if (status != SCREE_OK)
            return status;
        put_pair(to, next[half->ij[p][0]]++, half->ij[p][0], half->ij[p][1], half->shift != NULL ? half->shift[p] : NULL, 1);
    }
    return SCREE_OK;
}

SCREE_RESULT_OF(scree_found_pairs, scree_full_pairs, (int32_t count, scree_pairs half, scree_found_pairs* out), (count, half, out))
{
    SCREE_EMPTY(out);
    if (count < 0 || half.count < 0)
        return scree_fail(SCREE_ERR_ARGUMENT, "pairs: %lld pairs of %d spheres; expected 0 or more of both", (long long)half.count, (int)count);
    if (half.count > 0)
        SCREE_NEED(half.ij);
    scree_found_pairs list = {.count = 2 * half.count};
    int64_t* first = scree_calloc((size_t)count + 1, sizeof *first);
    list.ij = scree_malloc((size_t)list.count, sizeof *list.ij);
    list.shift = half.shift != NULL ? scree_malloc((size_t)list.count, sizeof *list.shift) : NULL;
    scree_status status = first != NULL && list.ij != NULL && (half.shift == NULL || list.shift != NULL) ? count_rows(count, &half, first) : SCREE_ERR_MEMORY;
    if (status == SCREE_OK)
        status = fill_rows(&half, first, &list);
    scree_free(first);
    if (status == SCREE_OK)
        *out = list;
    else
        scree_found_pairs_free(&list);
    return status;
}

scree_status scree_visit_pairs(const scree_index_def* def, scree_points spheres, scree_pair_visit visit, void* context)
{
    if (visit == NULL)
        return scree_fail(SCREE_ERR_ARGUMENT, "%s: visit is NULL; expected a function", __func__);
    scree_index* index;
    scree_pairs pairs;
    scree_status status = search(def, &spheres, &index, &pairs);
    bool wanted = status == SCREE_OK;
    for (int64_t p = 0; wanted && p < pairs.count; ++p)
        if (may_touch(&spheres, pairs.ij[p]))
            wanted = visit(context, pairs.ij[p][0], pairs.ij[p][1], pairs.shift != NULL ? pairs.shift[p] : NULL);
    scree_index_destroy(index);
    return status;
}

SCREE_RELEASE_OF(scree_found_pairs, scree_found_pairs_free)
{
    if (given == NULL)
        return;
    scree_free(given->ij);
    scree_free(given->shift);
    *given = (scree_found_pairs){0};
}
