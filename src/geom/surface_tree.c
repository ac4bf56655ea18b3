// The search tree of a surface: a binary tree of boxes over its triangles.
//
//     |-------- root --------|       A node holds the smallest box around its triangles and has two nodes below it, or is a leaf of up to four
//     |--- a ---|   |-- b ---|       triangles. A query goes down into the boxes that it reaches. Triangles are dealt to nodes, not space to
//     |-c-| |-d-|   |e| |--f-|       triangles, so a triangle is in one leaf however long it is, and thin long ones cost no more memory than small
//                                    ones; a grid would have to list them in every cell that they cross, or widen its cells to their length.
//
// A node is divided where the sum of (surface of the box) x (triangles in it) is least, among 16 places on each axis (Wald 2007, "On fast construction of SAH-based
// bounding volume hierarchies"): triangles that are large, or lie across others, end up in few large boxes of their own. Where no place
// divides it, or the tree has grown deep, the middle triangle does, so no leaf is more than 64 nodes away.
//
// Cost: O(n log n) once, one thread; per node 56 bytes, and about two nodes for three triangles. A mesh is rigid, so the tree is never changed.
// The index of spheres is not used for this: it knows an item by the sphere around it, which for long triangles is far too large, and it would search for pairs
// of triangles too.
#include "geom/surface_inner.h"

#include "base/argument.h"
#include "base/array.h"
#include "base/parallel.h"
#include "geom/length.h"
#include "geom/surface_near.h"
#include "geom/vector.h"

#include <inttypes.h>
#include <math.h>

enum { bins = 16, spheres_per_chunk = 64 };

// ---- Building ----------------------------------------------------------------------------------------------------------

typedef struct bounds {
    double lower[3], upper[3];
} bounds;

typedef struct item {
    bounds box;
    int32_t triangle;
} item;

static const bounds nothing = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};

static void widen(bounds* b, const bounds* by)
{
    for (int k = 0; k < 3; ++k) {
        b->lower[k] = by->lower[k] < b->lower[k] ? by->lower[k] : b->lower[k];
        b->upper[k] = by->upper[k] > b->upper[k] ? by->upper[k] : b->upper[k];
    }
}

static double middle(const item* it, int k)
{
    return 0.5 * it->box.lower[k] + 0.5 * it->box.upper[k];
}

static double half_surface(const bounds* b)
{
    double d[3] = {b->upper[0] - b->lower[0], b->upper[1] - b->lower[1], b->upper[2] - b->lower[2]};
    return (d[0] * d[1] + d[1] * d[2]) + d[2] * d[0];
}

// How a node is divided: items whose middle on `axis` is in a bin below `bin` go first. axis -1: by number.
typedef struct cut {
    int axis, bin;
    double lower, scale;  // bin = (middle - lower) * scale
} cut;

static int bin_of(const item* it, const cut* c)
{
    int b = (int)((middle(it, c->axis) - c->lower) * c->scale);
    return b < 0 ? 0 : b < bins ? b : bins - 1;
}

// The best place to divide items at, by boxes of bins.
static cut find_cut(const item* items, int64_t count, const bounds* middles)
{
    cut best = {.axis = -1};
    double least = INFINITY;
    for (int axis = 0; axis < 3; ++axis) {
        double extent = middles->upper[axis] - middles->lower[axis];
        cut c = {.axis = axis, .lower = middles->lower[axis], .scale = bins / extent};
        bounds box[bins];
        int64_t n[bins] = {0}, right_count = 0;
        double right[bins];  // cost of the bins from here on
        if (!(extent > 0.0) || !(c.scale < INFINITY))
            continue;
        for (int b = 0; b < bins; ++b)
            box[b] = nothing;
        for (int64_t i = 0; i < count; ++i) {
            int b = bin_of(&items[i], &c);
            widen(&box[b], &items[i].box);
            ++n[b];
        }
        bounds all = nothing;
        for (int b = bins - 1; b > 0; --b) {
            widen(&all, &box[b]);
            right_count += n[b];
            right[b] = right_count > 0 ? half_surface(&all) * (double)right_count : INFINITY;
        }
        int64_t left_count = 0;
        all = nothing;
        for (int b = 1; b < bins; ++b) {
            widen(&all, &box[b - 1]);
            left_count += n[b - 1];
            double cost = left_count > 0 ? half_surface(&all) * (double)left_count + right[b] : INFINITY;
            if (cost < least) {
                least = cost;
                best = c;
                best.bin = b;
            }
        }
    }
    return best;
}

// Brings those that go first to the front; how many they are.
static int64_t divide(item* items, int64_t count, const cut* c)
{
    int64_t i = 0, j = count;
    while (i < j)
        if (bin_of(&items[i], c) < c->bin) {
            ++i;
        } else {
            item held = items[i];
            items[i] = items[--j];
            items[j] = held;
        }
    return i;
}

static void bound(const item* items, int64_t count, bounds* all, bounds* middles)
{
    *all = *middles = nothing;
    for (int64_t i = 0; i < count; ++i) {
        bounds m;
        widen(all, &items[i].box);
        for (int k = 0; k < 3; ++k)
            m.lower[k] = m.upper[k] = middle(&items[i], k);
        widen(middles, &m);
    }
}

typedef struct part {
    int64_t begin, end;
    int32_t parent;  // whose second child it is; -1: first child, or the root
    int depth;
} part;

static scree_status build_nodes(scree_surface* s, item* items)
{
    part stack[surface_depth + 2];
    int top = 0;
    int64_t capacity = 0;
    stack[top++] = (part){.end = s->triangles, .parent = -1};
    while (top > 0) {
        part p = stack[--top];
        int64_t count = p.end - p.begin;
        bounds all, middles;
        // a large part is looked at once more for each node
        scree_status status = scree_watch_own("surface", count > 4096 ? 0 : s->nodes, s->triangles);
        if (status == SCREE_OK)
            status = SCREE_RESERVE(s->node, capacity, s->nodes + 1);
        if (status != SCREE_OK)
            return status;
        bound(items + p.begin, count, &all, &middles);
        surface_node* node = &s->node[s->nodes];
        memcpy(node->lower, all.lower, sizeof node->lower);
        memcpy(node->upper, all.upper, sizeof node->upper);
        if (p.parent >= 0)
            s->node[p.parent].at = s->nodes;
        node->at = (int32_t)p.begin;
        node->count = count <= surface_leaf ? (int32_t)count : 0;
        if (count > surface_leaf) {
            cut c = p.depth < surface_depth / 2 ? find_cut(items + p.begin, count, &middles) : (cut){.axis = -1};
            int64_t first = c.axis >= 0 ? divide(items + p.begin, count, &c) : count / 2;
            if (first == 0 || first == count)
                first = count / 2;
            stack[top++] = (part){p.begin + first, p.end, s->nodes, p.depth + 1};
            stack[top++] = (part){p.begin, p.begin + first, -1, p.depth + 1};
        }
        ++s->nodes;
    }
    return scree_resize(&s->node, s->nodes, sizeof *s->node);
}

scree_status surface_tree_build(scree_surface* s)
{
    item* items = scree_malloc((size_t)s->triangles, sizeof *items);
    s->order = scree_malloc((size_t)s->triangles, sizeof *s->order);
    if (items == NULL || s->order == NULL) {
        scree_free(items);
        return SCREE_ERR_MEMORY;
    }
    for (int32_t t = 0; t < s->triangles; ++t) {
        items[t] = (item){.box = nothing, .triangle = t};
        for (int k = 0; k < 3; ++k) {
            bounds point;
            memcpy(point.lower, s->vertex[s->triangle[t][k]], sizeof point.lower);
            memcpy(point.upper, point.lower, sizeof point.upper);
            widen(&items[t].box, &point);
        }
    }
    scree_status status = build_nodes(s, items);
    for (int32_t n = 0; n < s->triangles && status == SCREE_OK; ++n)
        s->order[n] = items[n].triangle;
    scree_free(items);
    return status;
}

// ---- Searching ---------------------------------------------------------------------------------------------------------

int64_t scree_surface_near(const scree_surface* s, const double x[3], double reach, int32_t* out, int64_t room)
{
    SCREE_NEED_NAMED(s, "surface", 0);
    SCREE_NEED_OR(x, 0);
    return surface_near_of(s, x, reach, out, out == NULL ? 0 : room);
}

scree_status scree_surface_closest(const scree_surface* s, const double x[3], scree_surface_contact* out)
{
    SCREE_EMPTY(out);
    SCREE_NEED_AS(s, "surface");
    SCREE_NEED(x);
    for (int k = 0; k < 3; ++k)
        if (!scree_is_length(x[k]))
            return scree_fail(SCREE_ERR_ARGUMENT, "surface: point %c = %g; expected 0 or a size between %g and %g", "xyz"[k], x[k], SCREE_LENGTH_MIN, SCREE_LENGTH_MAX);
    int32_t stack[surface_depth + 2];
    int top = 0;
    scree_surface_contact best = {.distance = INFINITY};
    int32_t best_triangle = INT32_MAX;
    stack[top++] = 0;
    while (top > 0) {
        int32_t n = stack[--top];
        const surface_node* node = &s->node[n];
        if (surface_square_to_box(node, x) * (1.0 - 1e-12) > best.distance * best.distance)
            continue;
        if (node->count == 0) {  // the nearer one is looked into first
            bool first = surface_square_to_box(&s->node[n + 1], x) <= surface_square_to_box(&s->node[node->at], x);
            stack[top++] = first ? node->at : n + 1;
            stack[top++] = first ? n + 1 : node->at;
        }
        for (int32_t k = 0; k < node->count; ++k) {
            int32_t t = s->order[node->at + k];
            scree_surface_contact c;
            surface_triangle_closest(s, t, x, &c);
            if (c.distance < best.distance || (c.distance == best.distance && t < best_triangle)) {
                best = c;
                best_triangle = t;
            }
        }
    }
    *out = best;
    out->load = 0.0;
    return SCREE_OK;
}

// ---- Rows --------------------------------------------------------------------------------------------------------------

typedef struct rows_job {
    const scree_surface* surface;
    int32_t count;
    const double (*xr)[4];
    double skin;
    scree_surface_rows* rows;
    bool count_only;
} rows_job;

static scree_status find_rows(void* context, int64_t chunk)
{
    const rows_job* job = context;
    scree_surface_rows* rows = job->rows;
    int64_t end = (chunk + 1) * spheres_per_chunk < job->count ? (chunk + 1) * spheres_per_chunk : job->count;
    for (int64_t i = chunk * spheres_per_chunk; i < end; ++i) {
        double reach = job->xr[i][3] + job->skin;
        if (job->count_only)
            rows->start[i + 1] = scree_surface_near(job->surface, job->xr[i], reach, NULL, 0);
        else if (rows->start[i + 1] > rows->start[i])
            (void)scree_surface_near(job->surface, job->xr[i], reach, rows->triangle + rows->start[i], rows->start[i + 1] - rows->start[i]);
    }
    return SCREE_OK;
}

static scree_status check_spheres(int32_t count, const double (*xr)[4], double skin)
{
    if (count < 0 || (count > 0 && xr == NULL))
        return scree_fail(SCREE_ERR_ARGUMENT, "surface: %" PRId32 " spheres%s; expected 0 or more, with xr", count, count < 0 ? ", a negative number" : ": xr is NULL");
    if (!(skin >= 0.0 && scree_is_length(skin)))
        return scree_fail(SCREE_ERR_ARGUMENT, "surface: skin %g is not a length; expected 0 or more", skin);
    for (int32_t i = 0; i < count; ++i)
        for (int k = 0; k < 4; ++k)
            if (!scree_is_length(xr[i][k]) || (k == 3 && xr[i][k] < 0.0))
                return scree_fail(SCREE_ERR_ARGUMENT, "sphere %" PRId32 ": %s = %g is not a length; expected a finite number, for the radius 0 or more", i, k == 3 ? "radius" : k == 2 ? "z" : k == 1 ? "y" : "x", xr[i][k]);
    return SCREE_OK;
}

scree_status scree_surface_rows_make(const scree_surface* surface, int32_t count, const double (*xr)[4], double skin, int32_t threads, scree_surface_rows* rows)
{
    SCREE_NEED(rows);
    rows->count = 0;
    SCREE_NEED(surface);
    scree_status status = check_spheres(count, xr, skin);
    if (status == SCREE_OK && threads < 0)
        status = scree_fail(SCREE_ERR_ARGUMENT, "surface: threads %" PRId32 "; expected 0 for all cores, or more", threads);
    if (status == SCREE_OK)
        status = SCREE_RESERVE(rows->start, rows->start_capacity, (int64_t)count + 1);
    if (status != SCREE_OK)
        return status;
    rows_job job = {.surface = surface, .count = count, .xr = xr, .skin = skin, .rows = rows, .count_only = true};
    int64_t chunks = ((int64_t)count + spheres_per_chunk - 1) / spheres_per_chunk;
    rows->start[0] = 0;
    const scree_watch own = scree_get_watch();
    status = scree_parallel_for(threads, chunks, find_rows, &job, &own);
    for (int32_t i = 0; i < count && status == SCREE_OK; ++i)
        rows->start[i + 1] += rows->start[i];
    if (status == SCREE_OK)
        status = SCREE_RESERVE(rows->triangle, rows->triangle_capacity, rows->start[count]);
    job.count_only = false;
    if (status == SCREE_OK)
        status = scree_parallel_for(threads, chunks, find_rows, &job, &own);
    if (status == SCREE_OK)
        rows->count = count;
    return status;
}

void scree_surface_rows_free(scree_surface_rows* rows)
{
    if (rows == NULL)
        return;
    scree_free(rows->start);
    scree_free(rows->triangle);
    *rows = (scree_surface_rows){0};
}
