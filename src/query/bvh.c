// The hierarchy of scree/query.h is made here (bvh.h says how it lies in memory). O(n log n).
#include "query/bvh.h"

#include "base/argument.h"
#include "base/array.h"
#include "base/hilbert.h"
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

// One of the spheres, for the message.
static scree_status check_one(const scree_points* points, int32_t i, const scree_box* box, const char* what)
{
    double at[4];
    points_get(points, i, at);
    scree_status status = scree_spheres_check((scree_spheres){.count = 1, .dim = points->dim, .x = at, .r = &at[3]}, box);
    if (status == SCREE_OK)
        return status;
    char why[200];
    snprintf(why, sizeof why, "%s", scree_error_message());
    const char* rest = strchr(why, ':');  // "sphere 0: ..." of the check of one
    return scree_fail(SCREE_ERR_ARGUMENT, "%s: sphere %d%s", what, (int)i, rest != NULL ? rest : why);
}

static bool are_lengths(const double* values, int64_t count, double least)
{
    int64_t odd = 0;
    for (int64_t e = 0; e < count; ++e)
        odd += !((values[e] >= least) & (fabs(values[e]) <= SCREE_LENGTH_MAX) & ((fabs(values[e]) >= SCREE_LENGTH_MIN) | (values[e] == 0.0)));
    return odd == 0;
}

// A quick check of contiguous arrays of doubles in a box without walls, without branches. False: the slower check decides.
static bool surely_fine(const scree_points* points, const scree_box* box)
{
    const int64_t size = sizeof(double);
    for (int k = 0; k < points->dim; ++k)
        if (!box->periodic[k] && (box->lower[k] > -SCREE_LENGTH_MAX || box->upper[k] < SCREE_LENGTH_MAX))
            return false;
    return points->type == SCREE_TYPE_FLOAT64 && (points->x_stride == 0 || points->x_stride == size * points->dim) && (points->r_stride == 0 || points->r_stride == size) &&
           are_lengths(points->x, (int64_t)points->count * points->dim, -SCREE_LENGTH_MAX) && (points->r == NULL || are_lengths(points->r, points->count, 0.0));
}

scree_status points_check(const scree_points* points, int32_t dim, const scree_box* box, const char* what)
{
    double lower[4] = {0.0, 0.0, 0.0, 0.0}, upper[4] = {0.0, 0.0, 0.0, SCREE_LENGTH_MAX};
    scree_status status = points_check_form(points, dim, what);
    if (status != SCREE_OK || surely_fine(points, box))
        return status;
    for (int k = 0; k < 3; ++k) {
        lower[k] = k < dim && !box->periodic[k] ? fmax(box->lower[k], -SCREE_LENGTH_MAX) : -SCREE_LENGTH_MAX;
        upper[k] = k < dim && !box->periodic[k] ? fmin(box->upper[k], SCREE_LENGTH_MAX) : SCREE_LENGTH_MAX;
    }
    for (int32_t i = 0; i < points->count && status == SCREE_OK; ++i) {
        double at[4] = {0.0, 0.0, 0.0, 0.0};
        bool fine = true;
        points_get(points, i, at);
        for (int k = 0; k < 4; ++k)
            fine &= (at[k] >= lower[k]) & (at[k] <= upper[k]) & ((fabs(at[k]) >= SCREE_LENGTH_MIN) | (at[k] == 0.0));
        if (!fine)
            status = check_one(points, i, box, what);
    }
    return status;
}

scree_status bvh_wrap(const scree_bvh* bvh, const char* what, int64_t i, double x[4], int32_t turns[3])
{
    const double turns_most = 1e8;  // shifts are whole numbers of 32 bits
    double off[3] = {0.0, 0.0, 0.0};
    if (bvh->periodic)
        scree_box_wrap_centre(&bvh->box, x, off);
    for (int k = 2; k >= 0; --k) {  // in this order, since a tilt makes coordinates of earlier axes large
        if (!(fabs(off[k]) <= turns_most))
            return scree_fail(SCREE_ERR_ARGUMENT, "%s: sphere %lld is %g boxes away along axis %d; expected %g at most", what, (long long)i, off[k], k, turns_most);
        turns[k] = (int32_t)off[k];
    }
    return SCREE_OK;
}

typedef struct taken {
    double x[4];
    int32_t turns[3];
} taken;

// What a tree is made from.
typedef struct making {
    scree_bvh* bvh;
    taken* sphere;              // as given, wrapped
    int64_t *key, *spare_key;
    uint32_t *word, *spare_word;  // the order
} making;

static scree_status take(const scree_bvh* bvh, const scree_points* spheres, int32_t i, taken* to)
{
    points_get(spheres, i, to->x);
    return bvh_wrap(bvh, "spheres", i, to->x, to->turns);
}

bvh_curve bvh_curve_of(int dim, int64_t count, const double lower[3], const double upper[3])
{
    double side = 0.0;
    int bits = 3;  // a few cells for each
    for (; count > 1; count >>= 1)
        ++bits;
    bvh_curve curve = {.dim = dim, .bits = (bits + dim - 1) / dim};
    for (int k = 0; k < 3; ++k) {
        curve.lower[k] = lower[k];
        side = fmax(side, upper[k] - lower[k]);
    }
    curve.per = side > 0.0 ? ldexp(1.0, curve.bits) / side : 0.0;
    curve.last = ldexp(1.0, curve.bits) - 1.0;
    return curve;
}

uint64_t bvh_key(const bvh_curve* curve, const double x[3])
{
    uint64_t cell[3] = {0, 0, 0};
    for (int k = 0; k < curve->dim; ++k) {
        double at = (x[k] - curve->lower[k]) * curve->per;  // of a side near 1e-140 it may be infinite
        at = at < curve->last ? at : curve->last;
        cell[k] = at > 0.0 ? (uint64_t)(int64_t)at : 0;
    }
    return scree_hilbert_key(curve->dim, curve->bits, cell);
}

static scree_status ask(const scree_bvh* bvh, int64_t i)
{
    if (bvh->watch.tick == NULL)
        return scree_watch_own("bvh", i, bvh->n);
    return i % 4096 != 0 || scree_watch_goes_on(&bvh->watch, (double)i / bvh->n) ? SCREE_OK : scree_fail(SCREE_ERR_CANCELLED, "bvh: stopped on request");
}

enum { class_shift = 57 };  // above the bits of the curve

// Sorts the spheres from `first` to `last` along the curve through their bounds, the classes of size first, if r_max is not below 0. Where many have the same key, they are sorted again
// within bounds of their own: of sets in clusters no part stays without an order, unless all its centres are the same.
static scree_status sort_range(making* m, int64_t first, int64_t last, double r_max)
{
    const int largest = r_max > 0.0 ? ilogb(r_max) : 0;
    double lower[3] = {INFINITY, INFINITY, INFINITY}, upper[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (int64_t e = first; e < last; ++e)
        for (int k = 0; k < 3; ++k) {
            double x = m->sphere[m->word[e]].x[k];
            lower[k] = x < lower[k] ? x : lower[k];
            upper[k] = x > upper[k] ? x : upper[k];
        }
    if (r_max < 0.0 && lower[0] == upper[0] && lower[1] == upper[1] && lower[2] == upper[2])
        return SCREE_OK;
    const bvh_curve curve = bvh_curve_of(m->bvh->dim, last - first, lower, upper);
    double own = -1.0;
    int64_t own_size = 0;
    for (int64_t e = first; e < last; ++e) {
        scree_status status = ask(m->bvh, e);
        if (status != SCREE_OK)
            return status;
        const double* x = m->sphere[m->word[e]].x;
        if (r_max >= 0.0 && x[3] != own) {
            own = x[3];
            own_size = own > 0.0 ? (largest - ilogb(own)) / 3 : bvh_classes_most - 1;
            own_size = own_size < bvh_classes_most ? own_size : bvh_classes_most - 1;
        }
        m->key[e] = own_size << class_shift | (int64_t)bvh_key(&curve, x);
    }
    scree_sort_with(m->key + first, m->word + first, m->spare_key + first, m->spare_word + first, last - first);
    scree_status status = SCREE_OK;
    for (int64_t begin = first, end; begin < last && status == SCREE_OK; begin = end) {
        for (end = begin + 1; end < last && m->key[end] == m->key[begin]; ++end)
            ;
        if (end - begin > bvh_fan) {
            int64_t key = m->key[begin];
            status = sort_range(m, begin, end, -1.0);
            for (int64_t e = begin; e < end; ++e)
                m->key[e] = key;
        }
    }
    return status;
}

static int64_t share(int64_t count)
{
    return (count + bvh_fan - 1) / bvh_fan;
}

// The classes, and where their leaves and nodes begin.
static void make_classes(const making* m)
{
    scree_bvh* bvh = m->bvh;
    for (int64_t first = 0, last; first < bvh->n; first = last) {
        const int64_t size = m->key[first] >> class_shift;
        for (last = first + 1; last < bvh->n && m->key[last] >> class_shift == size; ++last)
            ;
        bvh_class* of = &bvh->of[bvh->classes++];
        *of = (bvh_class){.first = first, .last = last, .leaf = bvh->leaves, .leaves = share(last - first)};
        bvh->leaves += of->leaves;
        for (int64_t count = of->leaves; of->levels == 0 || count > 1;) {
            count = share(count);
            of->level[++of->levels] = bvh->nodes;
            bvh->nodes += count;
        }
    }
}

static scree_status make_leaves(const making* m, const uint32_t* mask)
{
    scree_bvh* bvh = m->bvh;
    for (int32_t c = 0; c < bvh->classes; ++c) {
        const bvh_class* of = &bvh->of[c];
        for (int64_t e = of->first, at = of->leaf * bvh_fan; at < (of->leaf + of->leaves) * bvh_fan; ++e, ++at) {
            bvh_leaf* leaf = &bvh->leaf[at / bvh_fan];
            const int lane = (int)(at % bvh_fan);
            const taken* sphere = e < of->last ? &m->sphere[m->word[e]] : NULL;
            scree_status status = ask(bvh, e);
            if (status != SCREE_OK)
                return status;
            for (int k = 0; k < 3; ++k)
                leaf->x[k][lane] = sphere != NULL ? sphere->x[k] : NAN;
            leaf->r[lane] = sphere != NULL ? sphere->x[3] : NAN;
            bvh->id[at] = sphere != NULL ? (int32_t)m->word[e] : -1;
            if (bvh->mask != NULL)
                bvh->mask[at] = sphere != NULL ? mask[m->word[e]] : 0;
            for (int k = 0; k < 3 && bvh->turns != NULL; ++k)
                bvh->turns[at][k] = sphere != NULL ? sphere->turns[k] : 0;
        }
    }
    return SCREE_OK;
}

// Of all children of a node, in one lane of the node above.
static void join(const bvh_node* below, bvh_node* above, int lane)
{
    for (int e = 0; e < bvh_fan && !isnan(below->r_max[e]); ++e) {
        for (int k = 0; k < 3; ++k) {
            double low = below->lower[k][e], high = below->upper[k][e];
            above->lower[k][lane] = e == 0 || low < above->lower[k][lane] ? low : above->lower[k][lane];
            above->upper[k][lane] = e == 0 || high > above->upper[k][lane] ? high : above->upper[k][lane];
        }
        above->r_max[lane] = e == 0 || below->r_max[e] > above->r_max[lane] ? below->r_max[e] : above->r_max[lane];
        above->mask[lane] = (e == 0 ? 0 : above->mask[lane]) | below->mask[e];
    }
}

static const bvh_node none = {.r_max = {NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN}};

// A leaf as a node with eight children.
static void open_leaf(const scree_bvh* bvh, int64_t i, bvh_node* out)
{
    const bvh_leaf* leaf = &bvh->leaf[i];
    memcpy(out->lower, leaf->x, sizeof out->lower);
    memcpy(out->upper, leaf->x, sizeof out->upper);
    memcpy(out->r_max, leaf->r, sizeof out->r_max);
    for (int e = 0; e < bvh_fan; ++e)
        out->mask[e] = bvh->mask != NULL ? bvh->mask[i * bvh_fan + e] : UINT32_MAX;
}

static scree_status make_nodes(scree_bvh* bvh)
{
    for (int64_t i = 0; i < bvh->nodes; ++i)
        bvh->node[i] = none;
    for (int32_t c = 0; c < bvh->classes; ++c) {
        const bvh_class* of = &bvh->of[c];
        for (int64_t i = 0; i < of->leaves; ++i) {
            bvh_node leaf;
            scree_status status = ask(bvh, i * bvh_fan);
            if (status != SCREE_OK)
                return status;
            open_leaf(bvh, of->leaf + i, &leaf);
            join(&leaf, &bvh->node[of->level[1] + i / bvh_fan], (int)(i % bvh_fan));
        }
        for (int32_t l = 2; l <= of->levels; ++l)
            for (int64_t i = of->level[l - 1]; i < of->level[l]; ++i)
                join(&bvh->node[i], &bvh->node[of->level[l] + (i - of->level[l - 1]) / bvh_fan], (int)((i - of->level[l - 1]) % bvh_fan));
        bvh_node top = none;
        join(&bvh->node[of->level[of->levels]], &top, 0);
        for (int k = 0; k < bvh->dim; ++k) {
            double first = top.lower[k][0], last = top.upper[k][0], lower = first - top.r_max[0], upper = last + top.r_max[0];
            bvh->first[k] = c == 0 ? first : fmin(bvh->first[k], first);
            bvh->last[k] = c == 0 ? last : fmax(bvh->last[k], last);
            bvh->lower[k] = c == 0 ? lower : fmin(bvh->lower[k], lower);
            bvh->upper[k] = c == 0 ? upper : fmax(bvh->upper[k], upper);
            bvh->extent = fmax(bvh->extent, fmax(fabs(lower), fabs(upper)));
        }
        bvh->extent = fmax(bvh->extent, top.r_max[0]);
        bvh->any |= top.mask[0];
    }
    return SCREE_OK;
}

static scree_status make(making* m, const scree_points* spheres)
{
    scree_bvh* bvh = m->bvh;
    double r_max = 0.0;
    m->sphere = scree_malloc((size_t)bvh->n, sizeof *m->sphere);
    m->key = scree_malloc((size_t)bvh->n, sizeof *m->key);
    m->spare_key = scree_malloc((size_t)bvh->n, sizeof *m->spare_key);
    m->word = scree_malloc((size_t)bvh->n, sizeof *m->word);
    m->spare_word = scree_malloc((size_t)bvh->n, sizeof *m->spare_word);
    if (m->sphere == NULL || m->key == NULL || m->spare_key == NULL || m->word == NULL || m->spare_word == NULL)
        return SCREE_ERR_MEMORY;
    for (int32_t i = 0; i < bvh->n; ++i) {
        scree_status status = ask(bvh, i);
        if (status == SCREE_OK)
            status = take(bvh, spheres, i, &m->sphere[i]);
        if (status != SCREE_OK)
            return status;
        m->word[i] = (uint32_t)i;
        r_max = m->sphere[i].x[3] > r_max ? m->sphere[i].x[3] : r_max;
    }
    scree_status status = sort_range(m, 0, bvh->n, r_max);
    if (status != SCREE_OK)
        return status;
    make_classes(m);
    const size_t places = (size_t)(bvh->leaves * bvh_fan);
    bvh->leaf = scree_malloc((size_t)bvh->leaves, sizeof *bvh->leaf);
    bvh->id = scree_malloc(places, sizeof *bvh->id);
    bvh->turns = bvh->periodic ? scree_malloc(places, sizeof *bvh->turns) : NULL;
    bvh->mask = spheres->mask != NULL ? scree_malloc(places, sizeof *bvh->mask) : NULL;
    bvh->node = scree_malloc((size_t)bvh->nodes, sizeof *bvh->node);
    if (bvh->leaf == NULL || bvh->id == NULL || (bvh->periodic && bvh->turns == NULL) || (spheres->mask != NULL && bvh->mask == NULL) || bvh->node == NULL)
        return SCREE_ERR_MEMORY;
    status = make_leaves(m, spheres->mask);
    return status == SCREE_OK ? make_nodes(bvh) : status;
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
    making m = {.bvh = bvh};
    bvh->of = scree_calloc(bvh_classes_most, sizeof *bvh->of);
    status = bvh->of != NULL ? make(&m, &spheres) : SCREE_ERR_MEMORY;
    scree_free(m.sphere);
    scree_free(m.key);
    scree_free(m.spare_key);
    scree_free(m.word);
    scree_free(m.spare_word);
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
    scree_free(bvh->leaf);
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
    const size_t each = sizeof *bvh->id + (bvh->turns != NULL ? sizeof *bvh->turns : 0) + (bvh->mask != NULL ? sizeof *bvh->mask : 0);
    return sizeof *bvh + (size_t)bvh->leaves * (sizeof *bvh->leaf + bvh_fan * each) + (size_t)bvh->nodes * sizeof *bvh->node + bvh_classes_most * sizeof *bvh->of;
}
