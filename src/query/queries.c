// Queries of scree/query.h. Each walks through the trees of all classes, once for every image of the box that it can reach, and skips nodes that cannot answer. Bounds of
// nodes are compared with a margin for rounding; what answers is decided sphere by sphere.
#include "query/bvh.h"

#include "base/argument.h"
#include "base/array.h"
#include "base/parallel.h"
#include "geom/pair.h"

#include <math.h>

typedef enum ask_kind { ASK_WITHIN, ASK_NEAREST, ASK_BOX, ASK_RAY } ask_kind;

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
    bool all;
    int64_t count;
    scree_hit_visit visit;          // NULL: hits are kept
    void* context;
    int64_t* found;                 // by query
    hit_row* rows;                  // by chunk
} asking;

// One query on its way through the trees.
typedef struct walk {
    const scree_bvh* bvh;
    const asking* ask;
    uint32_t mask;
    double x[4];                  // within, nearest: centre and radius; of rays the origin
    double lower[3], upper[3];    // what it can reach
    double direction[3];
    double bound;                 // nearest, first of a ray: what is not below it is no answer
    double slack;                 // for rounding in bounds of nodes
    int32_t shift[3];             // image that is looked at
    double offset[3];
    hit_row* to;
    int64_t begin;                // its first hit there
    int64_t work;
    scree_status status;
} walk;

enum { chunk_queries = 64 };

static bool comes_before(const scree_hit* a, const scree_hit* b, bool by_value)
{
    if (by_value && a->value != b->value)
        return a->value < b->value;
    if (a->j != b->j)
        return a->j < b->j;
    for (int k = 0; k < 3; ++k)
        if (a->shift[k] != b->shift[k])
            return a->shift[k] < b->shift[k];
    return false;
}

static void swap_hits(scree_hit* a, scree_hit* b)
{
    scree_hit kept = *a;
    *a = *b;
    *b = kept;
}

// Of a heap whose first comes last.
static void sift_down(scree_hit* heap, int64_t count, int64_t at, bool by_value)
{
    for (;;) {
        int64_t child = 2 * at + 1;
        if (child >= count)
            return;
        if (child + 1 < count && comes_before(&heap[child], &heap[child + 1], by_value))
            ++child;
        if (!comes_before(&heap[at], &heap[child], by_value))
            return;
        swap_hits(&heap[at], &heap[child]);
        at = child;
    }
}

static void sift_up(scree_hit* heap, int64_t at, bool by_value)
{
    while (at > 0 && comes_before(&heap[(at - 1) / 2], &heap[at], by_value)) {
        swap_hits(&heap[(at - 1) / 2], &heap[at]);
        at = (at - 1) / 2;
    }
}

static void sort_hits(scree_hit* hit, int64_t count, bool by_value)
{
    for (int64_t at = count / 2 - 1; at >= 0; --at)
        sift_down(hit, count, at, by_value);
    for (int64_t last = count - 1; last > 0; --last) {
        swap_hits(&hit[0], &hit[last]);
        sift_down(hit, last, 0, by_value);
    }
}

static void add_hit(walk* w, const scree_hit* hit)
{
    if (w->status == SCREE_OK)
        w->status = SCREE_RESERVE(w->to->hit, w->to->capacity, w->to->count + 1);
    if (w->status == SCREE_OK)
        w->to->hit[w->to->count++] = *hit;
}

// Keeps the `most` first of them, as a heap while they come.
static void add_best(walk* w, const scree_hit* hit, int64_t most)
{
    int64_t count = w->to->count - w->begin;
    if (count < most) {
        add_hit(w, hit);
        if (w->status != SCREE_OK)
            return;
        sift_up(w->to->hit + w->begin, count, true);
    } else if (comes_before(hit, &w->to->hit[w->begin], true)) {
        w->to->hit[w->begin] = *hit;
        sift_down(w->to->hit + w->begin, count, 0, true);
    }
    if (w->to->count - w->begin == most)
        w->bound = w->to->hit[w->begin].value;
}

// t where the ray enters sphere x; below 0: it does not.
static double enters(const walk* w, const double x[4])
{
    double m[3], b = 0.0, c = 0.0, a = 0.0;
    for (int k = 0; k < 3; ++k) {
        m[k] = (x[k] - w->x[k]) + w->offset[k];
        b += m[k] * w->direction[k];
        c += m[k] * m[k];
        a += w->direction[k] * w->direction[k];
    }
    c -= x[3] * x[3];
    if (c <= 0.0)
        return 0.0;
    double rest = b * b - a * c;
    return b > 0.0 && rest >= 0.0 ? c / (b + sqrt(rest)) : -1.0;
}

// Distance of the centre from the box.
static double from_box(const walk* w, const double x[4])
{
    double square = 0.0;
    for (int k = 0; k < w->bvh->dim; ++k) {
        double at = x[k] + w->offset[k], out = fmax(fmax(w->lower[k] - at, at - w->upper[k]), 0.0);
        square += out * out;
    }
    return sqrt(square);
}

static void test(walk* w, int64_t i)
{
    const scree_bvh* bvh = w->bvh;
    const double* x = bvh->xr[i];
    if (bvh->mask != NULL && (bvh->mask[i] & w->mask) == 0)
        return;
    scree_hit hit = {.j = bvh->id[i]};
    for (int k = 0; k < bvh->dim && bvh->turns != NULL; ++k)
        hit.shift[k] = w->shift[k] - bvh->turns[i][k];
    switch (w->ask->kind) {
    case ASK_WITHIN:
        if (!scree_is_pair(w->x, x, w->offset, w->ask->gap))
            return;
        hit.value = sqrt(scree_square_distance(w->x, x, w->offset)) - (w->x[3] + x[3]);
        add_hit(w, &hit);
        break;
    case ASK_NEAREST:
        hit.value = sqrt(scree_square_distance(w->x, x, w->offset)) - (w->x[3] + x[3]);
        if (hit.value < w->bound || (hit.value == w->bound && w->to->count - w->begin == w->ask->k))
            add_best(w, &hit, w->ask->k);
        break;
    case ASK_BOX:
        hit.value = from_box(w, x);
        if (hit.value <= x[3])
            add_hit(w, &hit);
        break;
    case ASK_RAY:
        hit.value = enters(w, x);
        if (hit.value < 0.0 || hit.value > w->bound)
            return;
        if (w->ask->all)
            add_hit(w, &hit);
        else
            add_best(w, &hit, 1);
        break;
    }
}

// A number that no answer inside the node is below: a distance, or t. INFINITY: there is none inside.
static double least(const walk* w, const bvh_node* node)
{
    if ((node->mask & w->mask) == 0)
        return INFINITY;
    if (w->ask->kind == ASK_RAY) {
        double from = 0.0, to = w->ask->most;
        for (int k = 0; k < w->bvh->dim; ++k) {
            double low = (node->lower[k] - w->x[k]) + w->offset[k] - w->slack, high = (node->upper[k] - w->x[k]) + w->offset[k] + w->slack;
            if (w->direction[k] == 0.0) {
                if (low > 0.0 || high < 0.0)
                    return INFINITY;
                continue;
            }
            double one = low / w->direction[k], other = high / w->direction[k];
            from = fmax(from, fmin(one, other) * (1.0 - 1e-12));
            to = fmin(to, fmax(one, other) * (1.0 + 1e-12));
        }
        return from <= to ? from : INFINITY;
    }
    double square = 0.0;
    for (int k = 0; k < w->bvh->dim; ++k) {
        double low = w->lower[k] - w->offset[k], high = w->upper[k] - w->offset[k];
        if (w->ask->kind != ASK_NEAREST) {
            if (low > node->upper[k] + w->slack || high < node->lower[k] - w->slack)
                return INFINITY;
            continue;
        }
        double at = w->x[k] - w->offset[k], out = fmax(fmax(node->lower[k] - at, at - node->upper[k]), 0.0);
        square += out * out;
    }
    if (w->ask->kind != ASK_NEAREST)
        return 0.0;
    return (square > 0.0 ? sqrt(square) * (1.0 - 1e-12) : -node->r_max) - w->x[3] - w->slack;
}

typedef struct visit_next {
    double least;
    int32_t level;
    int64_t node;
} visit_next;

// Nearer ones are looked into first, since what they give may rule out the others.
static void walk_class(walk* w, const bvh_class* of)
{
    visit_next stack[bvh_levels_most * bvh_fan];
    int depth = 0;
    double top = least(w, &w->bvh->node[of->level[of->levels] - 1]);
    if (top != INFINITY && !(top > w->bound))
        stack[depth++] = (visit_next){top, of->levels - 1, 0};
    while (depth > 0 && w->status == SCREE_OK) {
        visit_next now = stack[--depth];
        if (now.least > w->bound)
            continue;
        if (now.level == 0) {
            int64_t first = of->first + now.node * bvh_leaf, last = first + bvh_leaf < of->last ? first + bvh_leaf : of->last;
            for (int64_t i = first; i < last; ++i)
                test(w, i);
            w->work += last - first;
            continue;
        }
        int64_t below = of->level[now.level] - of->level[now.level - 1], first = now.node * bvh_fan, last = first + bvh_fan < below ? first + bvh_fan : below;
        int begin = depth;
        for (int64_t child = first; child < last; ++child) {
            visit_next next = {least(w, &w->bvh->node[of->level[now.level - 1] + child]), now.level - 1, child};
            if (next.least == INFINITY || next.least > w->bound)
                continue;
            int at = depth++;
            for (; at > begin && stack[at - 1].least < next.least; --at)
                stack[at] = stack[at - 1];
            stack[at] = next;
        }
        w->work += last - first;
    }
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
    double far = 0.0;
    scree_lattice_offset(bvh->length, bvh->tilt, w->shift[0], w->shift[1], w->shift[2], w->offset);
    for (int k = 0; k < bvh->dim; ++k)
        far = fmax(far, fmax(fabs(w->offset[k]), fabs(w->x[k])));
    w->slack = 1e-13 * (far + bvh->extent + fabs(w->x[3]));
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
    for (int k = 0; k < bvh->dim; ++k)
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

// In a periodic box the distance up to which images are searched grows until k are found: farther ones are not among the nearest.
static void walk_nearest(walk* w)
{
    const scree_bvh* bvh = w->bvh;
    const asking* ask = w->ask;
    uint32_t any = 0;
    for (int32_t c = 0; c < bvh->classes; ++c)
        any |= bvh->node[bvh->of[c].level[bvh->of[c].levels] - 1].mask;
    if ((any & w->mask) == 0)
        return;
    // If all spheres are at one point, start with a part of the box: a reach of 0 would not grow by doubling.
    double reach = 0.0, shortest = INFINITY;
    for (int k = 0; k < bvh->dim; ++k) {
        reach = fmax(reach, bvh->upper[k] - bvh->lower[k]);
        shortest = bvh->box.periodic[k] ? fmin(shortest, bvh->length[k]) : shortest;
    }
    reach = bvh->periodic ? fmax(reach, 1e-3 * shortest) : reach;
    reach *= bvh->dim == 3 ? cbrt((double)ask->k / bvh->n) : sqrt((double)ask->k / bvh->n);
    for (; w->status == SCREE_OK; reach *= 2.0) {
        bool whole = !bvh->periodic || !(reach < ask->most);
        w->bound = whole ? ask->most : reach;
        w->to->count = w->begin;
        set_reach(w, whole && !bvh->periodic ? 0.0 : w->bound + w->x[3]);
        walk_all(w);
        if (whole || w->to->count - w->begin == ask->k)
            return;
    }
}

static void ask_one(walk* w, int64_t q)
{
    const asking* ask = w->ask;
    const scree_bvh* bvh = w->bvh;
    int32_t turns[3] = {0, 0, 0};
    w->mask = ask->mask != NULL ? ask->mask[q] : UINT32_MAX;
    w->begin = w->to->count;
    w->bound = INFINITY;
    if (ask->kind == ASK_WITHIN || ask->kind == ASK_NEAREST) {
        points_get(&ask->points, q, w->x);
        bvh_wrap(bvh, w->x, turns);
        if (ask->kind == ASK_NEAREST) {
            walk_nearest(w);
        } else {
            set_reach(w, w->x[3] + ask->gap);
            walk_all(w);
        }
    } else {
        for (int k = 0; k < bvh->dim; ++k) {
            double a = ask->lower[q * bvh->dim + k], b = ask->upper[q * bvh->dim + k];
            w->x[k] = a;
            w->direction[k] = b;
            w->lower[k] = a;
            w->upper[k] = b;
            if (ask->kind == ASK_RAY) {
                double end = bvh->box.periodic[k] ? a + ask->most * b : a;
                w->lower[k] = fmin(a, end);
                w->upper[k] = fmax(a, end);
            }
        }
        if (ask->kind == ASK_RAY)
            w->bound = ask->most;
        walk_all(w);
    }
    int64_t count = w->to->count - w->begin;
    scree_hit* hit = count > 0 ? w->to->hit + w->begin : NULL;
    if (count > 1)
        sort_hits(hit, count, ask->kind == ASK_NEAREST || ask->kind == ASK_RAY);
    for (int64_t h = 0; h < count; ++h)
        for (int k = 0; k < 3; ++k)
            hit[h].shift[k] += turns[k];
}

static scree_status ask_chunk(void* context, int64_t chunk)
{
    asking* ask = context;
    int64_t last = (chunk + 1) * chunk_queries < ask->count ? (chunk + 1) * chunk_queries : ask->count;
    hit_row own = {.hit = NULL};
    walk w = {.bvh = ask->bvh, .ask = ask, .to = ask->visit == NULL ? &ask->rows[chunk] : &own, .status = SCREE_OK};
    for (int64_t q = chunk * chunk_queries; q < last && w.status == SCREE_OK; ++q) {
        if (ask->visit != NULL)
            own.count = 0;
        ask_one(&w, q);
        if (w.status != SCREE_OK)
            break;
        if (ask->visit == NULL)
            ask->found[q] = w.to->count - w.begin;
        for (int64_t h = 0; h < own.count; ++h)
            if (!ask->visit(ask->context, q, &own.hit[h]))
                break;
        if (!scree_parallel_work(4 * w.work + 64))
            break;
        w.work = 0;
    }
    scree_free(own.hit);
    return w.status;
}

static scree_status ask_all(asking* ask, scree_hits* out)
{
    const scree_bvh* bvh = ask->bvh;
    int64_t chunks = (ask->count + chunk_queries - 1) / chunk_queries, total = 0;
    const scree_watch watch = bvh->watch.tick != NULL ? bvh->watch : scree_get_watch();
    scree_status status = SCREE_OK;
    if (out != NULL) {
        out->first = scree_calloc((size_t)ask->count + 1, sizeof *out->first);
        ask->rows = scree_calloc((size_t)chunks, sizeof *ask->rows);
        if (out->first == NULL || ask->rows == NULL)
            status = SCREE_ERR_MEMORY;
        else
            ask->found = out->first + 1;
    }
    if (status == SCREE_OK)
        status = scree_parallel_for(bvh->threads, chunks, ask_chunk, ask, &watch);
    for (int64_t q = 0; q < ask->count && status == SCREE_OK && out != NULL; ++q)
        out->first[q + 1] = total += out->first[q + 1];
    if (status == SCREE_OK && out != NULL) {
        out->queries = ask->count;
        out->hit = scree_malloc((size_t)total, sizeof *out->hit);
        if (out->hit == NULL)
            status = SCREE_ERR_MEMORY;
    }
    for (int64_t c = 0, at = 0; c < chunks && ask->rows != NULL; ++c) {
        if (status == SCREE_OK && ask->rows[c].count > 0)
            memcpy(out->hit + at, ask->rows[c].hit, (size_t)ask->rows[c].count * sizeof *out->hit);
        at += ask->rows[c].count;
        scree_free(ask->rows[c].hit);
    }
    scree_free(ask->rows);
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

SCREE_RESULT_OF(scree_hits, scree_bvh_nearest, (const scree_bvh* bvh, scree_points queries, int32_t k, double most, scree_hits* out), (bvh, queries, k, most, out))
{
    asking ask;
    SCREE_EMPTY(out);
    SCREE_NEED(bvh);
    if (k < 1)
        return scree_fail(SCREE_ERR_ARGUMENT, "nearest: k is %d; expected 1 or more", (int)k);
    if (isnan(most))
        return scree_fail(SCREE_ERR_ARGUMENT, "nearest: the largest distance is not a number; expected 0 or more, or infinity");
    scree_status status = ask_points(bvh, ASK_NEAREST, queries, &ask);
    ask.k = k;
    ask.most = most;
    return status == SCREE_OK ? ask_all(&ask, out) : status;
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
