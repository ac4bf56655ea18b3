// Queries of scree/query.h. A query walks the trees of all classes, once for each periodic image that it can reach, and skips nodes that cannot contain an answer. The bounds of nodes are
// compared with a margin for rounding; each sphere is then tested exactly. Query points are sorted along the Hilbert curve of the spheres (bvh.h), so that consecutive queries read the same
// memory. A search for the k nearest starts with an upper bound for their distance: the distance of the query from the spheres that the previous query found.
#include "query/walk.h"

#include "base/argument.h"
#include "base/array.h"
#include "base/parallel.h"
#include "base/sort.h"
#include "base/wide.h"
#include "geom/pair.h"

#include <math.h>

// Hits of one chunk of queries.
typedef struct hit_row {
    scree_hit* hit;
    int64_t count, capacity;
} hit_row;

typedef struct asking {
    const scree_bvh* bvh;
    ask_kind kind;
    scree_points points;            // within, nearest
    const double *lower, *upper;    // boxes; of rays origin and direction
    const uint32_t* mask;
    double gap, most;
    int32_t k;
    bool all, once;
    int64_t count;
    scree_hit_visit visit;          // NULL: hits are kept
    bool counts;                    // or only counted: `found`
    double apart;                   // once: a query with a smaller radius reaches no two images of a sphere
    void* context;
    int64_t* found;                 // by query
    hit_row* rows;                  // by chunk
    scree_hit* hit;                 // nearest, if each query finds `each`: where they go
    int64_t each;
    uint32_t* order;                // of points, by place along the curve; NULL: as given
    int64_t* key;                   // while they are sorted
} asking;

enum { chunk_queries = 64, ahead = 6 };

// ---- Answers of one query ---------------------------------------------------------------------------------------------

scree_status walk_make_room(walk_row* row, int64_t more)
{
    enum { spare = 8 };
    if (row->count + more <= row->capacity)
        return SCREE_OK;
    int64_t wanted = row->count + more + row->capacity / 2 + 120;
    scree_status status = scree_resize(&row->value, wanted + spare, sizeof *row->value);
    status = status == SCREE_OK ? scree_resize(&row->spare_value, wanted + spare, sizeof *row->spare_value) : status;
    status = status == SCREE_OK ? scree_resize(&row->seen, wanted + spare, sizeof *row->seen) : status;
    status = status == SCREE_OK ? scree_resize(&row->spare_seen, wanted + spare, sizeof *row->spare_seen) : status;
    status = status == SCREE_OK ? scree_resize(&row->order, wanted + spare, sizeof *row->order) : status;
    if (status == SCREE_OK)
        row->capacity = wanted;
    return status;
}

void walk_row_free(walk_row* row)
{
    scree_free(row->value);
    scree_free(row->spare_value);
    scree_free(row->seen);
    scree_free(row->spare_seen);
    scree_free(row->order);
}

static int32_t shift_of(const walk* w, const walk_seen* seen, int axis)
{
    return seen->shift[axis] - (w->bvh->turns != NULL ? w->bvh->turns[seen->place][axis] : 0);
}

static bool comes_before(const walk* w, uint32_t a, uint32_t b, walk_order by)
{
    const walk_seen *one = &w->row.seen[a], *other = &w->row.seen[b];
    const double value = w->row.value[a], others = w->row.value[b];
    if (by == WALK_BY_VALUE && value != others)
        return value < others;
    if (w->bvh->id[one->place] != w->bvh->id[other->place])
        return w->bvh->id[one->place] < w->bvh->id[other->place];
    if (by == WALK_BY_SPHERE && value != others)
        return value < others;
    for (int k = 0; k < 3; ++k)
        if (shift_of(w, one, k) != shift_of(w, other, k))
            return shift_of(w, one, k) < shift_of(w, other, k);
    return false;
}

// Of a heap whose first comes last.
static void sift_down(const walk* w, uint32_t* heap, int64_t count, int64_t at, walk_order by)
{
    const uint32_t own = heap[at];
    for (int64_t child; (child = 2 * at + 1) < count; at = child) {
        if (child + 1 < count && comes_before(w, heap[child], heap[child + 1], by))
            ++child;
        if (!comes_before(w, own, heap[child], by))
            break;
        heap[at] = heap[child];
    }
    heap[at] = own;
}

void walk_sort(walk* w, walk_order by, int64_t most)
{
    enum { few = 32 };
    walk_row* row = &w->row;
    const int64_t count = row->count;
    uint32_t* order = row->order;
    for (int64_t e = 0; e < count; ++e)
        order[e] = (uint32_t)e;
    if (count <= few) {
        for (int64_t e = 1; e < count; ++e) {
            const uint32_t own = order[e];
            int64_t at = e;
            for (; at > 0 && comes_before(w, own, order[at - 1], by); --at)
                order[at] = order[at - 1];
            order[at] = own;
        }
    } else {
        for (int64_t at = count / 2 - 1; at >= 0; --at)
            sift_down(w, order, count, at, by);
        for (int64_t last = count - 1; last > 0; --last) {
            const uint32_t first = order[0];
            order[0] = order[last];
            order[last] = first;
            sift_down(w, order, last, 0, by);
        }
    }
    row->count = count < most ? count : most;
    for (int64_t e = 0; e < row->count; ++e) {
        row->spare_value[e] = row->value[order[e]];
        row->spare_seen[e] = row->seen[order[e]];
    }
    if (row->count > 0) {
        memcpy(row->value, row->spare_value, (size_t)row->count * sizeof *row->value);
        memcpy(row->seen, row->spare_seen, (size_t)row->count * sizeof *row->seen);
    }
}

void walk_keep_once(walk* w)
{
    walk_row* row = &w->row;
    int64_t kept = 0;
    walk_sort(w, WALK_BY_SPHERE, row->count);
    for (int64_t e = 0; e < row->count; ++e)
        if (kept == 0 || row->seen[e].place != row->seen[kept - 1].place) {
            row->value[kept] = row->value[e];
            row->seen[kept++] = row->seen[e];
        }
    row->count = kept;
}

static void put_hits(const walk* w, const int32_t turns[3], scree_hit* to)
{
    const scree_bvh* bvh = w->bvh;
    for (int64_t e = 0; e < w->row.count; ++e) {
        const walk_seen* seen = &w->row.seen[e];
        to[e] = (scree_hit){.j = bvh->id[seen->place], .value = w->row.value[e]};
        for (int k = 0; k < 3 && bvh->turns != NULL; ++k)
            to[e].shift[k] = shift_of(w, seen, k) + turns[k];
    }
}

static void walk_class(walk* w, const bvh_class* of)
{
#if defined(__x86_64__)
    if (scree_has_avx2()) {
        walk_class_avx2(w, of);
        return;
    }
#endif
    walk_class_plain(w, of);
}

static double distance(const walk_last* last, const double x[4])
{
#if defined(__x86_64__)
    if (scree_has_avx2())
        return walk_distance_avx2(last, x);
#endif
    return walk_distance_plain(last, x);
}

static void walk_select(walk* w)
{
#if defined(__x86_64__)
    if (scree_has_avx2()) {
        walk_select_avx2(w);
        return;
    }
#endif
    walk_select_plain(w);
}

// A single query may reach many images.
static bool goes_on(walk* w)
{
    if (w->work < scree_work_unasked / 4)
        return true;
    if (!scree_parallel_work(4 * w->work))
        w->status = scree_fail(SCREE_ERR_CANCELLED, "query: stopped on request");
    w->work = 0;
    return w->status == SCREE_OK;
}

static void walk_image(walk* w)
{
    const scree_bvh* bvh = w->bvh;
    double far = 0.0;  // a sum, which is no smaller than the largest
    scree_lattice_offset(bvh->length, bvh->tilt, w->shift[0], w->shift[1], w->shift[2], w->offset);
    for (int k = 0; k < bvh->dim; ++k)
        far += fabs(w->offset[k]) + fabs(w->x[k]);
    w->slack = 1e-13 * (far + bvh->extent + fabs(w->x[3])) + 1e-150;  // more than nothing, so that a pair at the distance 0 is below it
    w->work += 16;
    for (int32_t c = 0; c < bvh->classes && w->status == SCREE_OK && goes_on(w); ++c)
        walk_class(w, &bvh->of[c]);
}

// Images along axis `axis` and the axes before it, given the images along later axes (lattice.h: the matrix is triangular).
static void walk_images(walk* w, int axis)
{
    const scree_bvh* bvh = w->bvh;
    if (axis < 0) {
        walk_image(w);
        return;
    }
    w->shift[axis] = 0;
    if (!bvh->box.periodic[axis]) {
        walk_images(w, axis - 1);
        return;
    }
    double off = 0.0, length = bvh->length[axis];
    for (int m = axis + 1; m < bvh->dim; ++m)
        off += w->shift[m] * scree_lattice_tilt(bvh->tilt, axis, m);
    double first = ceil((w->lower[axis] - bvh->upper[axis] - off) / length - 1e-9), last = floor((w->upper[axis] - bvh->lower[axis] - off) / length + 1e-9);
    if (first > last)
        return;
    if (!(fmax(fabs(first), fabs(last)) < 1e9)) {
        w->status = scree_fail(SCREE_ERR_ARGUMENT, "query: it reaches images %g to %g boxes away along axis %d; expected less than 1e9", first, last, axis);
        return;
    }
    for (int32_t s = (int32_t)first; s <= (int32_t)last && w->status == SCREE_OK; ++s) {
        w->shift[axis] = s;
        walk_images(w, axis - 1);
    }
    w->shift[axis] = 0;
}

static void walk_all(walk* w)
{
    const double images_most = 1e6;
    const scree_bvh* bvh = w->bvh;
    double images = 1.0;
    for (int k = 0; k < bvh->dim && bvh->periodic; ++k)
        if (bvh->box.periodic[k])
            images *= 1.0 + fmax(((w->upper[k] - w->lower[k]) + (bvh->upper[k] - bvh->lower[k])) / bvh->length[k], 0.0);
    if (bvh->n > 0 && !(images <= images_most))
        w->status = scree_fail(SCREE_ERR_ARGUMENT, "query: it reaches %g images of the periodic box; expected %g at most", images, images_most);
    else if (bvh->n > 0)
        walk_images(w, bvh->dim - 1);
}

static void set_reach(walk* w, double reach)
{
    for (int k = 0; k < w->bvh->dim; ++k) {
        w->lower[k] = w->x[k] - reach;
        w->upper[k] = w->x[k] + reach;
    }
}

// An upper bound for the distance of the k-th nearest sphere: by the spheres that the previous query found, or by its own bound and the triangle inequality.
static double bound_by(const walk* w, const walk_last* last)
{
    if (!last->known || last->mask != w->mask)
        return INFINITY;
    const double zero[3] = {0.0, 0.0, 0.0};
    double apart = 0.0, size = w->bvh->extent + fabs(w->x[3]) + fabs(last->x[3]) + fabs(last->value);
    for (int k = 0; k < 3; ++k)
        size += fabs(w->x[k]) + fabs(last->x[k]);
    if (last->count == 0)
        apart = sqrt(scree_square_distance(w->x, last->x, zero));
    return (last->count > 0 ? distance(last, w->x) : last->value + apart + (last->x[3] - w->x[3])) + 1e-13 * (size + apart);
}

static void remember_sphere(const walk* w, const walk_seen* seen, walk_last* last, int at)
{
    const bvh_leaf* leaf = &w->bvh->leaf[seen->place / bvh_fan];
    double offset[3];
    scree_lattice_offset(w->bvh->length, w->bvh->tilt, seen->shift[0], seen->shift[1], seen->shift[2], offset);
    for (int k = 0; k < 3; ++k)
        last->at[k][at] = leaf->x[k][seen->place % bvh_fan] + offset[k];
    last->at[3][at] = leaf->r[seen->place % bvh_fan];
}

static void remember(const walk* w, walk_last* last)
{
    const walk_row* row = &w->row;
    const bool known = row->count == w->k, by_leaf = known && w->k == 1 && w->bvh->mask == NULL;
    walk_seen leaf = row->count > 0 ? row->seen[0] : (walk_seen){.place = 0};
    leaf.place -= leaf.place % bvh_fan;
    const bool same = by_leaf && last->by_leaf && memcmp(&leaf, &last->leaf, sizeof leaf) == 0;
    last->known = known;
    last->by_leaf = by_leaf;
    if (!known)
        return;
    last->value = row->value[w->k - 1];
    last->mask = w->mask;
    last->leaf = leaf;
    memcpy(last->x, w->x, sizeof last->x);
    last->count = by_leaf ? bvh_fan : w->k <= walk_last_most ? ((int)w->k + 3) / 4 * 4 : 0;
    for (int e = 0; e < last->count && !same; ++e) {
        walk_seen seen = by_leaf ? leaf : row->seen[e < w->k ? e : w->k - 1];
        seen.place += by_leaf ? (uint32_t)e : 0;
        remember_sphere(w, &seen, last, e);
    }
}

// About as far as the k nearest are. Of spheres that are all in one place, a part of the box: from 0 it would never grow.
static double first_reach(const scree_bvh* bvh, int64_t k)
{
    double reach = 0.0, shortest = INFINITY;
    for (int a = 0; a < bvh->dim; ++a) {
        reach = fmax(reach, bvh->upper[a] - bvh->lower[a]);
        shortest = bvh->box.periodic[a] ? fmin(shortest, bvh->length[a]) : shortest;
    }
    return fmax(reach, 1e-3 * shortest) * (bvh->dim == 3 ? cbrt((double)k / bvh->n) : sqrt((double)k / bvh->n));
}

// The nearest image of a sphere is at most half a length away along each axis of a box that is not tilted: no others are walked, however long the box is.
static void set_reach_once(walk* w)
{
    const scree_bvh* bvh = w->bvh;
    if (scree_box_is_tilted(&bvh->box))
        return;
    for (int k = 0; k < bvh->dim; ++k)
        if (bvh->box.periodic[k]) {
            const double half = 0.5000001 * bvh->length[k];
            w->lower[k] = fmax(w->lower[k], w->x[k] - half);
            w->upper[k] = fmin(w->upper[k], w->x[k] + half);
        }
}

// In a periodic box the distance up to which images are searched grows until k are found: farther ones are not among the nearest.
static void walk_nearest(walk* w, walk_last* last)
{
    const scree_bvh* bvh = w->bvh;
    const double known = bound_by(w, last);
    last->known = false;
    w->loose = known == INFINITY;
    double reach = bvh->periodic ? fmin(first_reach(bvh, w->k), known) : INFINITY;
    for (; w->status == SCREE_OK; reach *= 2.0) {
        const bool whole = !bvh->periodic || !(reach < w->most);
        w->bound = fmin(whole ? w->most : reach, known);
        w->row.count = 0;
        set_reach(w, whole && !bvh->periodic ? 0.0 : w->bound + w->x[3]);
        if (w->once)
            set_reach_once(w);
        walk_all(w);
        if (w->once && w->status == SCREE_OK)
            walk_keep_once(w);
        if (whole || w->row.count >= w->k)
            break;
    }
    if (w->status == SCREE_OK)
        walk_select(w);
    if (w->status == SCREE_OK)
        remember(w, last);
}

// At most `most` of the spheres that may answer: no more can be found if each is found once.
static int64_t count_answering(const walk* w, int64_t most, walk_last* last)
{
    const scree_bvh* bvh = w->bvh;
    if (bvh->mask == NULL)
        return most < bvh->n ? most : bvh->n;
    if (!last->counted || last->counted_mask != w->mask) {
        last->answering = 0;
        for (int64_t i = 0; i < bvh->leaves * bvh_fan; ++i)
            last->answering += !isnan(bvh->leaf[i / bvh_fan].r[i % bvh_fan]) && (bvh->mask[i] & w->mask) != 0;
        last->counted = true;
        last->counted_mask = w->mask;
    }
    return most < last->answering ? most : last->answering;
}

// Leaves the answers in w->row, sorted; turns: boxes that wrapping took away from the query.
static void ask_one(walk* w, const asking* ask, int64_t q, walk_last* last, int32_t turns[3])
{
    const scree_bvh* bvh = w->bvh;
    double most = ask->most;
    int scale = 0;  // exponent of the length of a ray's direction, which is divided out: squares could overflow or underflow
    w->mask = ask->mask != NULL ? ask->mask[q] : UINT32_MAX;
    w->row.count = 0;
    w->bound = INFINITY;
    if (ask->kind == ASK_WITHIN || ask->kind == ASK_NEAREST) {
        points_get(&ask->points, q, w->x);
        w->status = bvh_wrap(bvh, "queries", q, w->x, turns);
    }
    if (w->status != SCREE_OK || (bvh->any & w->mask) == 0)
        return;
    if (ask->kind == ASK_WITHIN || ask->kind == ASK_NEAREST) {
        if (ask->kind == ASK_NEAREST) {
            w->k = ask->once ? count_answering(w, ask->k, last) : ask->k;
            walk_nearest(w, last);
        } else {
            w->bound = ask->gap;
            w->counts = ask->counts && (!ask->once || w->x[3] < ask->apart);
            set_reach(w, w->x[3] + ask->gap);
            walk_all(w);
        }
    } else {
        if (ask->kind == ASK_RAY) {
            double size = 0.0;
            for (int k = 0; k < bvh->dim; ++k)
                size = fmax(size, fabs(ask->upper[q * bvh->dim + k]));
            scale = ilogb(size);
            most = ldexp(most, scale);
        }
        for (int k = 0; k < bvh->dim; ++k) {
            double a = ask->lower[q * bvh->dim + k], b = ldexp(ask->upper[q * bvh->dim + k], -scale);
            w->x[k] = a;
            w->direction[k] = b;
            w->lower[k] = a;
            w->upper[k] = b;
            if (ask->kind == ASK_RAY) {
                double end = bvh->box.periodic[k] ? a + most * b : a;
                w->lower[k] = fmin(a, end);
                w->upper[k] = fmax(a, end);
            }
        }
        if (ask->kind == ASK_RAY)
            w->bound = most;
        walk_all(w);
    }
    if (w->status == SCREE_OK && ask->counts && !w->counts)
        walk_keep_once(w);
    if (w->status == SCREE_OK && ask->kind != ASK_NEAREST && !ask->counts)
        walk_sort(w, ask->kind == ASK_RAY ? WALK_BY_VALUE : WALK_BY_SHIFT, ask->kind == ASK_RAY && !ask->all ? 1 : w->row.count);
    for (int64_t e = 0; e < w->row.count && ask->kind == ASK_RAY; ++e)
        w->row.value[e] = ldexp(w->row.value[e], -scale);
}

static scree_status ask_chunk(void* context, int64_t chunk)
{
    asking* ask = context;
    const int64_t end = (chunk + 1) * chunk_queries < ask->count ? (chunk + 1) * chunk_queries : ask->count;
    hit_row own = {.hit = NULL}, *row = ask->visit != NULL || ask->counts ? &own : &ask->rows[chunk];
    walk_last last = {.known = false};
    walk w = {.bvh = ask->bvh, .kind = ask->kind, .all = ask->all, .k = ask->k, .once = ask->kind == ASK_NEAREST && ask->once && ask->bvh->periodic, .most = ask->kind == ASK_NEAREST ? ask->most : INFINITY, .status = SCREE_OK};
    for (int64_t e = chunk * chunk_queries; e < end && w.status == SCREE_OK; ++e) {
        const int64_t q = ask->order != NULL ? (int64_t)ask->order[e] : e;
        int32_t turns[3] = {0, 0, 0};
        if (ask->order != NULL && e + ahead < ask->count)
            __builtin_prefetch(points_x(&ask->points, ask->order[e + ahead]));
        ask_one(&w, ask, q, &last, turns);
        scree_hit* to = ask->hit != NULL ? ask->hit + q * ask->each : NULL;
        if (to == NULL && w.status == SCREE_OK && !ask->counts) {
            row->count = ask->visit != NULL ? 0 : row->count;
            w.status = SCREE_RESERVE(row->hit, row->capacity, row->count + w.row.count);
            to = row->hit != NULL ? row->hit + row->count : NULL;
        }
        if (w.status != SCREE_OK)
            break;
        if (w.row.count > 0 && !ask->counts)
            put_hits(&w, turns, to);
        row->count += w.row.count;
        if (ask->found != NULL)
            ask->found[q] = w.row.count;
        for (int64_t h = 0; ask->visit != NULL && h < w.row.count; ++h)
            if (!ask->visit(ask->context, q, &own.hit[h]))
                break;
        if (!scree_parallel_work(4 * w.work + 64))
            break;
        w.work = 0;
    }
    scree_free(own.hit);
    walk_row_free(&w.row);
    return w.status;
}

// ---- Order of the points ----------------------------------------------------------------------------------------------

enum { key_points = 4096 };

static scree_status key_chunk(void* context, int64_t chunk)
{
    asking* ask = context;
    const scree_bvh* bvh = ask->bvh;
    const int64_t end = (chunk + 1) * key_points < ask->count ? (chunk + 1) * key_points : ask->count;
    const bvh_curve curve = bvh_curve_of(bvh->dim, ask->count, bvh->first, bvh->last);
    for (int64_t q = chunk * key_points; q < end; ++q) {
        double x[4];
        int32_t turns[3];
        points_get(&ask->points, q, x);
        const scree_status status = bvh_wrap(bvh, "queries", q, x, turns);
        if (status != SCREE_OK)
            return status;
        ask->key[q] = (int64_t)bvh_key(&curve, x);
        ask->order[q] = (uint32_t)q;
    }
    scree_parallel_work(16 * key_points);
    return SCREE_OK;
}

static scree_status order_points(asking* ask, const scree_watch* watch)
{
    const int32_t threads = ask->bvh->threads;
    int64_t* spare_key = scree_malloc((size_t)ask->count, sizeof *spare_key);
    uint32_t* spare = scree_malloc((size_t)ask->count, sizeof *spare);
    ask->key = scree_malloc((size_t)ask->count, sizeof *ask->key);
    ask->order = scree_malloc((size_t)ask->count, sizeof *ask->order);
    scree_status status = spare_key != NULL && spare != NULL && ask->key != NULL && ask->order != NULL ? SCREE_OK : SCREE_ERR_MEMORY;
    if (status == SCREE_OK)
        status = scree_parallel_for(threads, (ask->count + key_points - 1) / key_points, key_chunk, ask, watch);
    if (status == SCREE_OK)
        status = scree_sort_with_threads(scree_parallel_threads(threads), ask->key, ask->order, spare_key, spare, ask->count);
    scree_free(ask->key);
    scree_free(spare_key);
    scree_free(spare);
    return status;
}

// ---- All queries of a call --------------------------------------------------------------------------------------------

// How many each query finds, if that is known: of the nearest without limits.
static int64_t each_finds(const asking* ask)
{
    const scree_bvh* bvh = ask->bvh;
    if (ask->kind != ASK_NEAREST || bvh->n == 0 || ask->mask != NULL || bvh->mask != NULL || ask->most < INFINITY)
        return 0;
    return (bvh->periodic && !ask->once) || ask->k < bvh->n ? ask->k : bvh->n;
}

static scree_status put_together(const asking* ask, int64_t chunks, scree_hits* out)
{
    int64_t total = 0;
    for (int64_t q = 0; q < ask->count; ++q)
        out->first[q + 1] = total += out->first[q + 1];
    if (ask->hit != NULL)
        return SCREE_OK;
    out->hit = scree_malloc((size_t)total, sizeof *out->hit);
    if (out->hit == NULL)
        return SCREE_ERR_MEMORY;
    for (int64_t c = 0; c < chunks; ++c) {
        const scree_hit* from = ask->rows[c].hit;
        for (int64_t e = c * chunk_queries; e < (c + 1) * chunk_queries && e < ask->count; ++e) {
            const int64_t q = ask->order != NULL ? (int64_t)ask->order[e] : e, count = out->first[q + 1] - out->first[q];
            if (count == 0)  // also where `from` is NULL, because the whole chunk found nothing
                continue;
            memcpy(out->hit + out->first[q], from, (size_t)count * sizeof *from);
            from += count;
        }
    }
    return SCREE_OK;
}

static scree_status ask_all(asking* ask, scree_hits* out)
{
    const scree_bvh* bvh = ask->bvh;
    const int64_t chunks = (ask->count + chunk_queries - 1) / chunk_queries;
    const scree_watch watch = bvh->watch.tick != NULL ? bvh->watch : scree_get_watch();
    scree_status status = SCREE_OK;
    if (out != NULL) {
        ask->each = each_finds(ask);
        out->queries = ask->count;
        out->first = scree_calloc((size_t)ask->count + 1, sizeof *out->first);
        ask->rows = scree_calloc((size_t)chunks, sizeof *ask->rows);
        ask->hit = out->hit = ask->each > 0 ? scree_malloc((size_t)(ask->count * ask->each), sizeof *out->hit) : NULL;
        if (out->first == NULL || ask->rows == NULL || (ask->each > 0 && out->hit == NULL))
            status = SCREE_ERR_MEMORY;
        else
            ask->found = out->first + 1;
    }
    if (status == SCREE_OK && ask->count > chunk_queries && (ask->kind == ASK_WITHIN || ask->kind == ASK_NEAREST))
        status = order_points(ask, &watch);
    if (status == SCREE_OK)
        status = scree_parallel_for(bvh->threads, chunks, ask_chunk, ask, &watch);
    if (status == SCREE_OK && out != NULL)
        status = put_together(ask, chunks, out);
    for (int64_t c = 0; c < chunks && ask->rows != NULL; ++c)
        scree_free(ask->rows[c].hit);
    scree_free(ask->rows);
    scree_free(ask->order);
    if (status != SCREE_OK && out != NULL)
        scree_hits_free(out);
    return status;
}

static scree_status ask_points(const scree_bvh* bvh, ask_kind kind, scree_points queries, asking* ask)
{
    *ask = (asking){.bvh = bvh, .kind = kind, .points = queries, .mask = queries.mask, .count = queries.count};
    scree_box box = bvh->box;  // queries may lie outside of walls
    for (int k = 0; k < 3; ++k)
        if (!box.periodic[k]) {
            box.lower[k] = -INFINITY;
            box.upper[k] = INFINITY;
        }
    return points_check(&queries, bvh->dim, &box, "queries");
}

static scree_status check_gap(double gap)
{
    if (!(fabs(gap) <= SCREE_LENGTH_MAX))
        return scree_fail(SCREE_ERR_ARGUMENT, "query: a gap of %g; expected a length", gap);
    return SCREE_OK;
}

// Hits go to `out`, or to `visit`.
static scree_status ask_within(const scree_bvh* bvh, scree_points queries, double gap, scree_hit_visit visit, void* context, scree_hits* out)
{
    asking ask;
    scree_status status = ask_points(bvh, ASK_WITHIN, queries, &ask);
    if (status == SCREE_OK)
        status = check_gap(gap);
    ask.gap = gap;
    ask.visit = visit;
    ask.context = context;
    return status == SCREE_OK ? ask_all(&ask, out) : status;
}

SCREE_RESULT_OF(scree_hits, scree_bvh_within, (const scree_bvh* bvh, scree_points queries, double gap, scree_hits* out), (bvh, queries, gap, out))
{
    SCREE_EMPTY(out);
    SCREE_NEED(bvh);
    return ask_within(bvh, queries, gap, NULL, NULL, out);
}

scree_status scree_bvh_visit_within(const scree_bvh* bvh, scree_points queries, double gap, scree_hit_visit visit, void* context)
{
    SCREE_NEED(bvh);
    SCREE_NEED(visit);
    return ask_within(bvh, queries, gap, visit, context, NULL);
}

// Two images of a sphere are at least the shortest side apart, in a tilted box too, whose matrix is triangular. Both are within reach of a query only if twice the distance of the centres is more.
static double find_apart(const scree_bvh* bvh, double gap)
{
    double shortest = INFINITY, largest = 0.0;
    for (int k = 0; k < bvh->dim; ++k)
        shortest = bvh->box.periodic[k] ? fmin(shortest, bvh->length[k]) : shortest;
    for (int64_t i = 0; i < bvh->leaves * bvh_fan; ++i)
        largest = fmax(largest, bvh->leaf[i / bvh_fan].r[i % bvh_fan]);  // NaN where there is none
    return (0.5 - 1e-9) * shortest - largest - gap;
}

scree_status scree_bvh_count_within(const scree_bvh* bvh, scree_points queries, double gap, bool once, int64_t* counts)
{
    asking ask;
    SCREE_NEED(bvh);
    if (queries.count > 0)
        SCREE_NEED(counts);
    scree_status status = ask_points(bvh, ASK_WITHIN, queries, &ask);
    if (status == SCREE_OK)
        status = check_gap(gap);
    ask.gap = gap;
    ask.counts = true;
    ask.once = once && bvh->periodic;
    ask.apart = ask.once ? find_apart(bvh, gap) : 0.0;
    ask.found = counts;
    return status == SCREE_OK ? ask_all(&ask, NULL) : status;
}

static scree_status ask_nearest(const scree_bvh* bvh, scree_points queries, int32_t k, double most, bool once, scree_hits* out)
{
    asking ask;
    if (k < 1)
        return scree_fail(SCREE_ERR_ARGUMENT, "nearest: k is %d; expected 1 or more", (int)k);
    if (isnan(most))
        return scree_fail(SCREE_ERR_ARGUMENT, "nearest: the largest distance is not a number; expected a number or infinity");
    scree_status status = ask_points(bvh, ASK_NEAREST, queries, &ask);
    ask.k = k;
    ask.most = most;
    ask.once = once;
    return status == SCREE_OK ? ask_all(&ask, out) : status;
}

SCREE_RESULT_OF(scree_hits, scree_bvh_nearest, (const scree_bvh* bvh, scree_points queries, int32_t k, double most, scree_hits* out), (bvh, queries, k, most, out))
{
    SCREE_EMPTY(out);
    SCREE_NEED(bvh);
    return ask_nearest(bvh, queries, k, most, false, out);
}

SCREE_RESULT_OF(scree_hits, scree_bvh_nearest_spheres, (const scree_bvh* bvh, scree_points queries, int32_t k, double most, scree_hits* out), (bvh, queries, k, most, out))
{
    SCREE_EMPTY(out);
    SCREE_NEED(bvh);
    return ask_nearest(bvh, queries, k, most, true, out);
}

// Rows of dim numbers that are lengths.
static scree_status check_rows(const char* what, int dim, int64_t count, const double* rows)
{
    for (int64_t e = 0; e < count * dim; ++e)
        if (!(fabs(rows[e]) <= SCREE_LENGTH_MAX))
            return scree_fail(SCREE_ERR_ARGUMENT, "query %lld: %s[%d] is %g; expected a number up to %g", (long long)(e / dim), what, (int)(e % dim), rows[e], SCREE_LENGTH_MAX);
    return SCREE_OK;
}

SCREE_RESULT_OF(scree_hits, scree_bvh_boxes, (const scree_bvh* bvh, int64_t count, const double* lower, const double* upper, const uint32_t* mask, scree_hits* out), (bvh, count, lower, upper, mask, out))
{
    SCREE_EMPTY(out);
    SCREE_NEED(bvh);
    if (count < 0)
        return scree_fail(SCREE_ERR_ARGUMENT, "query: %lld boxes; expected 0 or more", (long long)count);
    if (count > 0) {
        SCREE_NEED(lower);
        SCREE_NEED(upper);
    }
    scree_status status = check_rows("lower", bvh->dim, count, lower);
    if (status == SCREE_OK)
        status = check_rows("upper", bvh->dim, count, upper);
    for (int64_t e = 0; e < count * bvh->dim && status == SCREE_OK; ++e)
        if (lower[e] > upper[e])
            status = scree_fail(SCREE_ERR_ARGUMENT, "query %lld: lower[%d] is %g, above upper, %g; expected at most that", (long long)(e / bvh->dim), (int)(e % bvh->dim), lower[e], upper[e]);
    asking ask = {.bvh = bvh, .kind = ASK_BOX, .lower = lower, .upper = upper, .mask = mask, .count = count};
    return status == SCREE_OK ? ask_all(&ask, out) : status;
}

SCREE_RESULT_OF(scree_hits, scree_bvh_rays, (const scree_bvh* bvh, int64_t count, const double* origin, const double* direction, double most, bool all, const uint32_t* mask, scree_hits* out),
                (bvh, count, origin, direction, most, all, mask, out))
{
    SCREE_EMPTY(out);
    SCREE_NEED(bvh);
    if (count < 0)
        return scree_fail(SCREE_ERR_ARGUMENT, "query: %lld rays; expected 0 or more", (long long)count);
    if (count > 0) {
        SCREE_NEED(origin);
        SCREE_NEED(direction);
    }
    if (!(most >= 0.0) || (bvh->periodic && most == INFINITY))
        return scree_fail(SCREE_ERR_ARGUMENT, "rays: they end at t = %g; expected 0 or more%s", most, bvh->periodic ? ", and in a periodic box a finite number" : "");
    scree_status status = check_rows("origin", bvh->dim, count, origin);
    if (status == SCREE_OK)
        status = check_rows("direction", bvh->dim, count, direction);
    for (int64_t q = 0; q < count && status == SCREE_OK; ++q) {
        const double* d = direction + q * bvh->dim;
        double size = fmax(fmax(fabs(d[0]), fabs(d[1])), bvh->dim == 3 ? fabs(d[2]) : 0.0);
        if (size == 0.0)
            status = scree_fail(SCREE_ERR_ARGUMENT, "query %lld: the direction has length 0; expected a vector of any other length", (long long)q);
    }
    asking ask = {.bvh = bvh, .kind = ASK_RAY, .lower = origin, .upper = direction, .most = most, .all = all, .mask = mask, .count = count};
    return status == SCREE_OK ? ask_all(&ask, out) : status;
}

SCREE_RELEASE_OF(scree_hits, scree_hits_free)
{
    if (given == NULL)
        return;
    scree_free(given->first);
    scree_free(given->hit);
    *given = (scree_hits){.queries = 0};
}
