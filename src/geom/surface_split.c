// T-junctions: an open edge of one triangle beside several shorter edges of others, whose vertices lie on it.
//
//     a -------- p -------- b        The triangle above has the edge a b, the two below have a p and p b. They share no
//      \        / \        /         edge, so nothing would join them, and at p their forces would add up. The edge is
//       \      /   \      /          split at p, and its triangle with it: a p c and p b c.
//
// Only vertices on open edges are tested: where triangles share all their edges there is no T-junction. A vertex is on
// an edge if it is nearer to it than `near`, and farther than `near` from its ends. Files in single precision round
// every coordinate, so that at coordinates up to 100 a vertex misses an oblique edge by 1.6e-6: `near` is four such
// roundings, or the weld distance if that is more. But it is at most a hundredth of the edge and of the edges at the
// vertex: far from the origin four roundings can be longer than a gap that the mesh means to have. A vertex near two
// sides of a triangle, at a sharp tip, is on the nearer one.
//
// Cost: a walk down the tree for each vertex of an open edge.
#include "geom/surface_inner.h"

#include "base/array.h"
#include "base/parallel.h"
#include "geom/surface_near.h"

#include <assert.h>
#include <float.h>
#include <stdlib.h>

static const double near_part = 1e-2;  // of an edge: a vertex that is farther from it is not on it

// A vertex on an edge.
typedef struct split_point {
    int32_t edge, vertex;
    double share;  // of the way from the edge's first vertex
    double distance;
} split_point;

typedef struct split_list {
    split_point* at;
    int64_t count, capacity;
} split_list;

// Four roundings of single precision, or the weld distance.
static double split_distance(const scree_surface* s)
{
    double largest = 0.0;
    for (int32_t v = 0; v < s->vertices; ++v)
        for (int k = 0; k < 3; ++k)
            largest = fmax(largest, fabs(s->vertex[v][k]));
    return fmax(s->report.weld_distance, 4.0 * 0.5 * FLT_EPSILON * largest);
}

// Whether a triangle at edge e has vertex v.
static bool is_beside(const scree_surface* s, int32_t e, int32_t v)
{
    for (int32_t n = s->edge_start[e]; n < s->edge_start[e + 1]; ++n)
        if (surface_has_vertex(s, s->edge_triangle[n], v))
            return true;
    return false;
}

static double edge_length(const scree_surface* s, int32_t e)
{
    double along[3];
    vec_sub(s->vertex[s->edge[e][1]], s->vertex[s->edge[e][0]], along);
    return vec_length(along);
}

// Whether vertex v is on edge e, and not at its ends. How far it is from it.
static bool is_on_edge(const scree_surface* s, int32_t e, int32_t v, double near, double* distance)
{
    const double* x = s->vertex[v];
    double point[3];
    near = fmin(near, near_part * edge_length(s, e));
    return surface_nearest_on_edge(s, e, x, point, distance) == s->triangles + e && *distance <= near &&
           surface_distance_of_vertex(s, s->edge[e][0], x) > near && surface_distance_of_vertex(s, s->edge[e][1], x) > near;
}

// Whether vertex v, which is on edge e, is nearer to another side of a triangle at e: it splits that side only. Both
// would leave a piece with v twice.
static bool is_on_nearer_side(const scree_surface* s, int32_t e, int32_t v, double near, double distance)
{
    for (int32_t n = s->edge_start[e]; n < s->edge_start[e + 1]; ++n)
        for (int k = 0; k < 3; ++k) {
            const int32_t other = s->side[s->edge_triangle[n]][k];
            double away;
            if (other != e && is_on_edge(s, other, v, near, &away) && (away < distance || (away == distance && other < e)))
                return true;
        }
    return false;
}

// A point at v of edge e, if v is on it.
static scree_status add_point(const scree_surface* s, int32_t e, int32_t v, double near, split_list* list)
{
    const double *x = s->vertex[v], *a = s->vertex[s->edge[e][0]], *b = s->vertex[s->edge[e][1]];
    double distance, along[3], way[3];
    if (!is_on_edge(s, e, v, near, &distance) || is_beside(s, e, v) || is_on_nearer_side(s, e, v, near, distance))
        return SCREE_OK;
    vec_sub(b, a, along);
    vec_sub(x, a, way);
    scree_status status = SCREE_RESERVE(list->at, list->capacity, list->count + 1);
    if (status == SCREE_OK)
        list->at[list->count++] = (split_point){e, v, vec_dot(way, along) / vec_dot(along, along), distance};
    return status;
}

// Edges of the triangles near vertex v.
static scree_status find_points_at(const scree_surface* s, int32_t v, double near, split_list* list)
{
    int32_t stack[surface_depth + 2];
    int top = 0;
    scree_status status = SCREE_OK;
    stack[top++] = 0;
    while (top > 0 && status == SCREE_OK) {
        int32_t n = stack[--top];
        const surface_node* node = &s->node[n];
        if (!(surface_square_to_box(node, s->vertex[v]) <= near * near * 1.01))
            continue;
        if (node->count == 0) {
            stack[top++] = node->at;
            stack[top++] = n + 1;
        }
        for (int32_t k = 0; k < node->count; ++k)
            for (int side = 0; side < 3 && status == SCREE_OK; ++side) {
                const int32_t t = s->order[node->at + k], e = s->side[t][side];
                if (s->edge_triangle[s->edge_start[e]] == t)  // each edge once
                    status = add_point(s, e, v, near, list);
            }
    }
    return status;
}

static scree_status find_points(const scree_surface* s, double near, split_list* list)
{
    scree_status status = SCREE_OK;
    for (int32_t v = 0; v < s->vertices && status == SCREE_OK; ++v) {
        bool open = false;
        double within = near;
        status = scree_watch_own("surface", v, s->vertices);
        for (int32_t n = s->vertex_start[v]; n < s->vertex_start[v + 1]; ++n) {
            const int32_t e = s->vertex_edge[n];
            open = open || s->edge_start[e + 1] - s->edge_start[e] == 1;
            within = fmin(within, near_part * edge_length(s, e));
        }
        if (open && status == SCREE_OK)
            status = find_points_at(s, v, within, list);
    }
    return status;
}

static int by_edge(const void* a, const void* b)
{
    const split_point *one = a, *other = b;
    if (one->edge != other->edge)
        return one->edge < other->edge ? -1 : 1;
    if (one->share != other->share)
        return one->share < other->share ? -1 : 1;
    return one->vertex < other->vertex ? -1 : one->vertex > other->vertex;
}

// ---- Triangles ---------------------------------------------------------------------------------------------------------

// A triangle, and the points on its sides in the direction in which it runs along them.
typedef struct split_piece {
    int32_t vertex[3];
    int64_t first[3];
    int32_t count[3], step[3];
} split_piece;

typedef struct split_triangles {
    const split_point* points;
    int32_t (*triangle)[3];
    int32_t* source;
    int64_t count, capacity, source_capacity;
} split_triangles;

// At the middle point of a side that has some, and both halves again: as deep as the number of points has digits.
static scree_status divide(split_triangles* to, const split_piece* piece, int32_t source)
{
    const int32_t* v = piece->vertex;
    int side = 0;
    assert(v[0] != v[1] && v[1] != v[2] && v[2] != v[0]);  // is_on_nearer_side
    while (side < 3 && piece->count[side] == 0)
        ++side;
    if (side == 3) {
        scree_status status = SCREE_RESERVE(to->triangle, to->capacity, to->count + 1);
        if (status == SCREE_OK)
            status = SCREE_RESERVE(to->source, to->source_capacity, to->count + 1);
        if (status != SCREE_OK)
            return status;
        memcpy(to->triangle[to->count], v, sizeof piece->vertex);
        to->source[to->count++] = source;
        return SCREE_OK;
    }
    const int next = (side + 1) % 3, last = (side + 2) % 3;
    const int32_t half = piece->count[side] / 2, point = to->points[piece->first[side] + (int64_t)half * piece->step[side]].vertex;
    split_piece one = *piece, other = *piece;
    one.vertex[next] = point;
    one.count[side] = half;
    one.count[next] = 0;
    other.vertex[side] = point;
    other.first[side] = piece->first[side] + (int64_t)(half + 1) * piece->step[side];
    other.count[side] = piece->count[side] - half - 1;
    other.count[last] = 0;
    scree_status status = divide(to, &one, source);
    return status == SCREE_OK ? divide(to, &other, source) : status;
}

static scree_status divide_all(const scree_surface* s, const split_list* list, split_triangles* to)
{
    int64_t* first = scree_calloc((size_t)s->edges + 1, sizeof *first);
    if (first == NULL)
        return SCREE_ERR_MEMORY;
    for (int64_t p = 0; p < list->count; ++p)
        ++first[list->at[p].edge + 1];
    for (int32_t e = 0; e < s->edges; ++e)
        first[e + 1] += first[e];
    scree_status status = SCREE_OK;
    for (int32_t t = 0; t < s->triangles && status == SCREE_OK; ++t) {
        split_piece piece;
        for (int k = 0; k < 3; ++k) {
            const int32_t e = s->side[t][k];
            const bool forward = s->triangle[t][k] == s->edge[e][0];
            piece.vertex[k] = s->triangle[t][k];
            piece.first[k] = forward ? first[e] : first[e + 1] - 1;
            piece.count[k] = (int32_t)(first[e + 1] - first[e]);
            piece.step[k] = forward ? 1 : -1;
        }
        status = scree_watch_own("surface", t, s->triangles);
        if (status == SCREE_OK)
            status = divide(to, &piece, s->source[t]);
    }
    scree_free(first);
    return status;
}

scree_status surface_split_edges(scree_surface* s, uint8_t* on_edge, int64_t* points)
{
    split_list list = {.at = NULL};
    split_triangles to = {.triangle = NULL};
    scree_status status = find_points(s, split_distance(s), &list);
    *points = list.count;
    for (int64_t p = 0; p < list.count; ++p) {
        s->report.split += on_edge[list.at[p].vertex] == 0;
        on_edge[list.at[p].vertex] = 1;
        s->report.split_distance = fmax(s->report.split_distance, list.at[p].distance);
    }
    if (status == SCREE_OK && list.count > 0) {
        qsort(list.at, (size_t)list.count, sizeof *list.at, by_edge);
        to.points = list.at;
        status = divide_all(s, &list, &to);
    }
    if (status == SCREE_OK && to.count > SCREE_TRIANGLES_MAX)
        status = scree_fail(SCREE_ERR_ARGUMENT, "surface: %lld triangles once edges are split where vertices lie on them; expected at most %d",
                            (long long)to.count, SCREE_TRIANGLES_MAX);
    if (status == SCREE_OK && list.count > 0) {
        scree_free(s->triangle);
        scree_free(s->source);
        s->triangle = to.triangle;
        s->source = to.source;
        s->triangles = (int32_t)to.count;
    } else {
        scree_free(to.triangle);
        scree_free(to.source);
    }
    scree_free(list.at);
    return status;
}

// ---- What stays open -----------------------------------------------------------------------------------------------------

enum { close_most = 256 };  // at most this many nearby triangles are examined

// Whether a triangle at edge e is folded back onto x, which belongs to another triangle at it: the angle between them
// is below 0.01.
static bool is_folded_at(const scree_surface* s, int32_t e, const double x[3], double distance)
{
    double point[3], from_edge;
    surface_nearest_on_edge(s, e, x, point, &from_edge);
    return distance < near_part * from_edge;
}

// Whether triangle `other` is on the middle x of triangle t. Neighbours at an edge are near each other's middle where
// triangles are very low: they must be folded.
static bool is_on(const scree_surface* s, int32_t t, int32_t other, const double x[3])
{
    double distance;
    surface_nearest_on_triangle(s, other, x, &distance);
    for (int k = 0; k < 3; ++k)
        for (int l = 0; l < 3; ++l)
            if (s->side[t][k] == s->side[other][l])
                return is_folded_at(s, s->side[t][k], x, distance);
    return other != t;
}

static bool is_on_any(const scree_surface* s, int32_t t, const double x[3], double near)
{
    int32_t found[close_most];
    const int64_t count = surface_near_of(s, x, near, found, close_most);
    for (int64_t n = 0; n < count && n < close_most; ++n)
        if (found[n] != t && is_on(s, t, found[n], x))
            return true;
    return count > close_most;
}

scree_status surface_find_faults(scree_surface* s)
{
    const double near = split_distance(s);
    scree_status status = SCREE_OK;
    for (int32_t e = 0; e < s->edges && status == SCREE_OK; ++e) {
        int32_t found[2];
        double middle[3];
        status = scree_watch_own("surface", e, s->edges);
        if (s->edge_start[e + 1] - s->edge_start[e] != 1)
            continue;
        for (int k = 0; k < 3; ++k)
            middle[k] = 0.5 * (s->vertex[s->edge[e][0]][k] + s->vertex[s->edge[e][1]][k]);
        s->report.cracks += surface_near_of(s, middle, 1e-3 * edge_length(s, e), found, 2) > 1;  // its own triangle is one
    }
    for (int32_t t = 0; t < s->triangles && status == SCREE_OK; ++t) {
        double middle[3], within = near;
        status = scree_watch_own("surface", t, s->triangles);
        for (int k = 0; k < 3; ++k) {
            middle[k] = (s->vertex[s->triangle[t][0]][k] + s->vertex[s->triangle[t][1]][k] + s->vertex[s->triangle[t][2]][k]) / 3.0;
            within = fmin(within, near_part * edge_length(s, s->side[t][k]));
        }
        s->report.overlaps += is_on_any(s, t, middle, within);
    }
    return status;
}
