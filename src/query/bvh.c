// The hierarchy of scree/query.h is made here (bvh.h says how it lies in memory). O(n log n).
#include "query/bvh.h"

#include "base/argument.h"
#include "base/array.h"
#include "base/morton.h"
#include "base/parallel.h"
#include "base/sort.h"

#include <math.h>
#include <stdio.h>

scree_points scree_points_of(scree_spheres spheres)
{
    return (scree_points){.count = spheres.count, .dim = spheres.dim, .type = SCREE_TYPE_FLOAT64, .x = spheres.x, .r = spheres.r};
}

SCREE_DEFAULTS_OF(scree_bvh_def, scree_default_bvh_def)
{
    return (scree_bvh_def){.struct_size = sizeof(scree_bvh_def)};
}

scree_status points_check_form(const scree_points* points, int32_t dim, const char* what)
{
    if (points->count < 0)
        return scree_fail(SCREE_ERR_ARGUMENT, "%s: a count of %d; expected 0 or more", what, (int)points->count);
    if (points->dim != dim)
        return scree_fail(SCREE_ERR_ARGUMENT, "%s: %d dimensions; expected %d", what, (int)points->dim, (int)dim);
    if (points->type != SCREE_TYPE_FLOAT64 && points->type != SCREE_TYPE_FLOAT32)
        return scree_fail(SCREE_ERR_ARGUMENT, "%s: type %d; expected SCREE_TYPE_FLOAT64 or SCREE_TYPE_FLOAT32", what, (int)points->type);
    if (points->count > 0 && points->x == NULL)
        return scree_fail(SCREE_ERR_ARGUMENT, "%s: x of %d points is NULL; expected an array", what, (int)points->count);
    return SCREE_OK;
}

scree_status points_check(const scree_points* points, int32_t dim, const scree_box* box, const char* what)
{
    scree_status form = points_check_form(points, dim, what);
    if (form != SCREE_OK)
        return form;
    for (int32_t i = 0; i < points->count; ++i) {
        double at[4];
        points_get(points, i, at);
        scree_status status = scree_spheres_check((scree_spheres){.count = 1, .dim = dim, .x = at, .r = &at[3]}, box);
        if (status == SCREE_OK)
            continue;
        char why[200];
        snprintf(why, sizeof why, "%s", scree_error_message());
        const char* rest = strchr(why, ':');  // "sphere 0: ..." of the check of one
        return scree_fail(SCREE_ERR_ARGUMENT, "%s: sphere %d%s", what, (int)i, rest != NULL ? rest : why);
    }
    return SCREE_OK;
}

void bvh_wrap(const scree_bvh* bvh, double x[4], int32_t turns[3])
{
    double off[3] = {0.0, 0.0, 0.0};
    if (bvh->periodic)
        scree_box_wrap_centre(&bvh->box, x, off);
    for (int k = 0; k < 3; ++k)
        turns[k] = (int32_t)off[k];
}

// Centres farther away than this many boxes are rejected: shifts are whole numbers of 32 bits.
static const double turns_most = 1e8;

// Copies sphere i as given to place `at`.
static scree_status take(scree_bvh* bvh, const scree_points* spheres, int32_t i, int64_t at)
{
    double off[3] = {0.0, 0.0, 0.0}, *x = bvh->xr[at];
    points_get(spheres, i, x);
    if (bvh->periodic) {
        scree_box_wrap_centre(&bvh->box, x, off);
        for (int k = 0; k < bvh->dim; ++k) {
            if (fabs(off[k]) > turns_most)
                return scree_fail(SCREE_ERR_ARGUMENT, "spheres: sphere %d is %g boxes away along axis %d; expected %g at most", (int)i, off[k], k, turns_most);
            bvh->turns[at][k] = (int32_t)off[k];
        }
    }
    bvh->id[at] = i;
    if (bvh->mask != NULL)
        bvh->mask[at] = spheres->mask[i];
    return SCREE_OK;
}

// Class of size, place along the Morton curve through the bounds of the centres, number: in this order of bits, so that one sort gives the order.
static uint64_t key_of(int dim, const double x[4], const double lower[3], const double per[3], int exponent_max, int32_t i)
{
    enum { number_bits = 31, morton_bits = 27 };
    const uint64_t cells = dim == 3 ? 1u << (morton_bits / 3) : 1u << (morton_bits / 2);
    uint64_t cell[3] = {0, 0, 0}, size = bvh_classes_most - 1;
    if (x[3] > 0.0) {
        uint64_t below = (uint64_t)(exponent_max - ilogb(x[3])) / 2;
        size = below < size ? below : size;
    }
    for (int k = 0; k < dim; ++k) {
        double at = (x[k] - lower[k]) * per[k] * (double)cells;
        cell[k] = at > 0.0 ? (uint64_t)fmin(at, (double)(cells - 1)) : 0;
    }
    return size << (number_bits + morton_bits) | scree_morton_key(dim, cell) << number_bits | (uint64_t)i;
}

static scree_status ask(const scree_bvh* bvh, int32_t i)
{
    if (bvh->watch.tick == NULL)
        return scree_watch_own("bvh", i, bvh->n);
    return i % 4096 != 0 || scree_watch_goes_on(&bvh->watch, (double)i / bvh->n) ? SCREE_OK : scree_fail(SCREE_ERR_CANCELLED, "bvh: stopped on request");
}

static scree_status sort_spheres(scree_bvh* bvh, const scree_points* spheres)
{
    double lower[3] = {0.0, 0.0, 0.0}, upper[3] = {0.0, 0.0, 0.0}, per[3] = {0.0, 0.0, 0.0}, r_max = 0.0;
    scree_status status = SCREE_OK;
    uint64_t* key = scree_malloc((size_t)bvh->n, sizeof *key);
    if (key == NULL)
        return SCREE_ERR_MEMORY;
    for (int32_t i = 0; i < bvh->n && status == SCREE_OK; ++i) {
        status = ask(bvh, i);
        if (status == SCREE_OK)
            status = take(bvh, spheres, i, i);
        for (int k = 0; k < bvh->dim; ++k) {
            lower[k] = i == 0 ? bvh->xr[i][k] : fmin(lower[k], bvh->xr[i][k]);
            upper[k] = i == 0 ? bvh->xr[i][k] : fmax(upper[k], bvh->xr[i][k]);
        }
        r_max = fmax(r_max, bvh->xr[i][3]);
    }
    for (int k = 0; k < bvh->dim; ++k)
        per[k] = upper[k] > lower[k] ? 1.0 / (upper[k] - lower[k]) : 0.0;
    for (int32_t i = 0; i < bvh->n && status == SCREE_OK; ++i)
        key[i] = key_of(bvh->dim, bvh->xr[i], lower, per, r_max > 0.0 ? ilogb(r_max) : 0, i);
    if (status == SCREE_OK)
        scree_sort_keys(key, bvh->n);
    for (int32_t at = 0; at < bvh->n && status == SCREE_OK; ++at) {
        int32_t i = (int32_t)(key[at] & 0x7fffffff), size = (int32_t)(key[at] >> 58);
        status = ask(bvh, at);
        if (status == SCREE_OK)
            status = take(bvh, spheres, i, at);
        if (at == 0 || size != (int32_t)(key[at - 1] >> 58))
            bvh->of[bvh->classes++] = (bvh_class){.first = at};
        bvh->of[bvh->classes - 1].last = at + 1;
    }
    scree_free(key);
    return status;
}

static void join(bvh_node* node, const bvh_node* more)
{
    for (int k = 0; k < 3; ++k) {
        node->lower[k] = fmin(node->lower[k], more->lower[k]);
        node->upper[k] = fmax(node->upper[k], more->upper[k]);
    }
    node->r_max = fmax(node->r_max, more->r_max);
    node->mask |= more->mask;
}

static bvh_node node_of(const scree_bvh* bvh, int64_t i)
{
    const double* x = bvh->xr[i];
    bvh_node node = {.r_max = x[3], .mask = bvh->mask != NULL ? bvh->mask[i] : UINT32_MAX};
    for (int k = 0; k < bvh->dim; ++k) {
        node.lower[k] = x[k] - x[3];
        node.upper[k] = x[k] + x[3];
    }
    return node;
}

static int64_t share(int64_t count, int64_t of)
{
    return (count + of - 1) / of;
}

static scree_status make_nodes(scree_bvh* bvh)
{
    int64_t nodes = 0;
    for (int32_t c = 0; c < bvh->classes; ++c) {
        bvh_class* of = &bvh->of[c];
        int64_t count = share(of->last - of->first, bvh_leaf);
        for (of->levels = 0; ; ++of->levels, count = share(count, bvh_fan)) {
            of->level[of->levels] = nodes;
            nodes += count;
            if (count == 1)
                break;
        }
        of->level[++of->levels] = nodes;
    }
    bvh->nodes = nodes;
    bvh->node = scree_malloc((size_t)nodes, sizeof *bvh->node);
    if (bvh->node == NULL)
        return SCREE_ERR_MEMORY;
    for (int32_t c = 0; c < bvh->classes; ++c) {
        const bvh_class* of = &bvh->of[c];
        for (int64_t i = of->first; i < of->last; ++i) {
            scree_status status = ask(bvh, (int32_t)i);
            if (status != SCREE_OK)
                return status;
            bvh_node one = node_of(bvh, i), *leaf = &bvh->node[of->level[0] + (i - of->first) / bvh_leaf];
            if ((i - of->first) % bvh_leaf == 0)
                *leaf = one;
            else
                join(leaf, &one);
        }
        for (int32_t l = 1; l < of->levels; ++l)
            for (int64_t child = of->level[l - 1]; child < of->level[l]; ++child) {
                bvh_node* node = &bvh->node[of->level[l] + (child - of->level[l - 1]) / bvh_fan];
                if ((child - of->level[l - 1]) % bvh_fan == 0)
                    *node = bvh->node[child];
                else
                    join(node, &bvh->node[child]);
            }
        const bvh_node* top = &bvh->node[of->level[of->levels] - 1];
        for (int k = 0; k < bvh->dim; ++k) {
            bvh->lower[k] = c == 0 ? top->lower[k] : fmin(bvh->lower[k], top->lower[k]);
            bvh->upper[k] = c == 0 ? top->upper[k] : fmax(bvh->upper[k], top->upper[k]);
            bvh->extent = fmax(bvh->extent, fmax(fabs(top->lower[k]), fabs(top->upper[k])));
        }
        bvh->extent = fmax(bvh->extent, top->r_max);
    }
    return SCREE_OK;
}

scree_status scree_bvh_create(const scree_bvh_def* given, scree_points spheres, scree_bvh** out)
{
    scree_bvh_def def = scree_default_bvh_def();
    SCREE_EMPTY(out);
    scree_status status = given != NULL ? scree_check_struct_size("bvh", "scree_default_bvh_def", given->struct_size, sizeof def, sizeof def) : SCREE_OK;
    if (status != SCREE_OK)
        return status;
    if (given != NULL)
        memcpy(&def, given, sizeof def);
    scree_box box = def.box != NULL ? *def.box : scree_box_open(spheres.dim == 2 ? 2 : 3);
    if (def.threads < 0)
        return scree_fail(SCREE_ERR_ARGUMENT, "bvh: %d threads; expected 0 or more", (int)def.threads);
    status = scree_box_check(&box);
    if (status == SCREE_OK)
        status = points_check(&spheres, box.dim, &box, "spheres");
    if (status != SCREE_OK)
        return status;
    scree_bvh* bvh = scree_calloc(1, sizeof *bvh);
    if (bvh == NULL)
        return SCREE_ERR_MEMORY;
    bvh->box = box;
    bvh->threads = def.threads;
    bvh->watch = def.watch;
    bvh->n = spheres.count;
    bvh->dim = box.dim;
    bvh->periodic = scree_box_is_periodic(&box);
    scree_lattice_of(&box, bvh->length, bvh->tilt);
    bvh->xr = scree_malloc((size_t)bvh->n, sizeof *bvh->xr);
    bvh->id = scree_malloc((size_t)bvh->n, sizeof *bvh->id);
    bvh->of = scree_calloc(bvh_classes_most, sizeof *bvh->of);
    if (bvh->periodic)
        bvh->turns = scree_calloc((size_t)bvh->n, sizeof *bvh->turns);
    if (spheres.mask != NULL)
        bvh->mask = scree_malloc((size_t)bvh->n, sizeof *bvh->mask);
    if (bvh->xr == NULL || bvh->id == NULL || bvh->of == NULL || (bvh->periodic && bvh->turns == NULL) || (spheres.mask != NULL && bvh->mask == NULL))
        status = SCREE_ERR_MEMORY;
    if (status == SCREE_OK)
        status = sort_spheres(bvh, &spheres);
    if (status == SCREE_OK)
        status = make_nodes(bvh);
    if (status != SCREE_OK) {
        scree_bvh_destroy(bvh);
        return status;
    }
    *out = bvh;
    return SCREE_OK;
}

void scree_bvh_destroy(scree_bvh* bvh)
{
    if (bvh == NULL)
        return;
    scree_free(bvh->xr);
    scree_free(bvh->id);
    scree_free(bvh->turns);
    scree_free(bvh->mask);
    scree_free(bvh->node);
    scree_free(bvh->of);
    scree_free(bvh);
}

int32_t scree_bvh_get_count(const scree_bvh* bvh)
{
    SCREE_NEED_OR(bvh, 0);
    return bvh->n;
}

size_t scree_bvh_get_bytes(const scree_bvh* bvh)
{
    SCREE_NEED_OR(bvh, 0);
    size_t each = sizeof *bvh->xr + sizeof *bvh->id + (bvh->turns != NULL ? sizeof *bvh->turns : 0) + (bvh->mask != NULL ? sizeof *bvh->mask : 0);
    return sizeof *bvh + (size_t)bvh->n * each + (size_t)bvh->nodes * sizeof *bvh->node + bvh_classes_most * sizeof *bvh->of;
}
