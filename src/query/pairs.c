// All pairs of a set in one call, for callers who have no use for an index afterwards: the spheres are brought into the form that an index takes, if they are not in it, one is made
// and asked, and pairs without a common bit in their masks are left out. Cost: that of the index, and a copy of float or strided input.
#include "query/bvh.h"

#include "base/argument.h"
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
