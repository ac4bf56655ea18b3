// A surface from triangles: vertices welded, triangles without area or given twice left out, edges and vertices
// numbered, and what there is to say about it.
//
// Files give each triangle its own three corners. Neighbours share an edge only if their corners are the same vertex,
// so corners with the same bits become one vertex (a hash table, O(n)), then vertices within a small part of the
// shortest edge: exporters round the same point differently. For the second step space is cut into cubes of 1024 such
// distances; only a vertex near the side of its cube looks into the next one, and a cube that small holds few vertices.
// Vertices are joined in chains: what is near a vertex that is near another becomes the same one.
//
// Everything is numbered by its first appearance (vertices, triangles) or by its vertices (edges), so numbers depend on
// the input only.
//
// Cost: O(n) for the hash tables, O(n) for the radix sort of the edges, O(n log n) for the search tree
// (surface_tree.c).
#include "geom/surface_inner.h"

#include "base/argument.h"
#include "base/array.h"
#include "base/parallel.h"
#include "base/sort.h"
#include "base/triples.h"
#include "geom/vector.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

static const double no_area = 1e-9;  // a triangle lower than this part of its longest edge is none

SCREE_DEFAULTS_OF(scree_surface_def, scree_default_surface_def)
{
    return (scree_surface_def){.struct_size = sizeof(scree_surface_def), .weld = 1e-6};
}

// ---- Welding -----------------------------------------------------------------------------------------------------------

// What is needed only while a surface is made.
typedef struct weld {
    const scree_triangles* given;
    scree_triples points;    // coordinates by vertex, as bits
    uint32_t* corner;        // vertex of each corner
    uint32_t* joined;        // a vertex that each is joined to, no higher; itself: none
    scree_triples cubes;
    int64_t *first, *next;   // the vertices of each cube, as lists; -1: the end
    scree_triples kept;      // triangles by their vertices
    int32_t* kept_source;
    int32_t* number;         // of each vertex in the surface; -1: none yet
} weld;

static void weld_free(weld* w)
{
    scree_triples_free(&w->points);
    scree_triples_free(&w->cubes);
    scree_triples_free(&w->kept);
    scree_free(w->corner);
    scree_free(w->joined);
    scree_free(w->first);
    scree_free(w->next);
    scree_free(w->kept_source);
    scree_free(w->number);
}

static void point_of(const weld* w, uint32_t v, double x[3])
{
    memcpy(x, w->points.key[v], 3 * sizeof *x);
}

static double distance(const double a[3], const double b[3])
{
    double d[3];
    vec_sub(a, b, d);
    return vec_length(d);
}

static scree_status weld_equal(weld* w)
{
    int64_t corners = 3 * (int64_t)w->given->count;
    w->corner = scree_malloc((size_t)corners, sizeof *w->corner);
    if (w->corner == NULL)
        return SCREE_ERR_MEMORY;
    for (int64_t c = 0; c < corners; ++c) {
        double x[3];
        uint64_t key[3];
        for (int k = 0; k < 3; ++k)
            x[k] = w->given->xyz[3 * c + k] + 0.0;  // -0 is 0
        memcpy(key, x, sizeof key);
        scree_status status = scree_watch_own("surface", c, corners);
        if (status == SCREE_OK)
            status = scree_triples_add(&w->points, key, &w->corner[c]);
        if (status != SCREE_OK)
            return status;
    }
    w->joined = scree_malloc((size_t)w->points.count, sizeof *w->joined);
    if (w->joined == NULL)
        return SCREE_ERR_MEMORY;
    for (int64_t v = 0; v < w->points.count; ++v)
        w->joined[v] = (uint32_t)v;
    return SCREE_OK;
}

static double shortest_edge(const weld* w)
{
    double shortest = INFINITY;
    for (int64_t c = 0; c < 3 * (int64_t)w->given->count; ++c) {
        uint32_t a = w->corner[c], b = w->corner[c % 3 == 2 ? c - 2 : c + 1];
        double x[3], y[3];
        point_of(w, a, x);
        point_of(w, b, y);
        if (a != b)
            shortest = fmin(shortest, distance(x, y));
    }
    return shortest;
}

static uint32_t lowest(weld* w, uint32_t v)
{
    while (w->joined[v] != v)
        v = w->joined[v] = w->joined[w->joined[v]];
    return v;
}

static void join(weld* w, uint32_t a, uint32_t b)
{
    a = lowest(w, a);
    b = lowest(w, b);
    w->joined[a > b ? a : b] = a > b ? b : a;
}

// Looks for partners of vertex v in one cube, among the lower ones, which are in the lists already.
static void join_in_cube(weld* w, uint32_t v, const double x[3], const int64_t cube[3], double near)
{
    uint64_t key[3] = {(uint64_t)cube[0], (uint64_t)cube[1], (uint64_t)cube[2]};
    int64_t number = scree_triples_find(&w->cubes, key);
    for (int64_t u = number < 0 ? -1 : w->first[number]; u >= 0; u = w->next[u]) {
        double y[3];
        point_of(w, (uint32_t)u, y);
        if (distance(x, y) <= near)
            join(w, v, (uint32_t)u);
    }
}

// Vertices nearer than `near` become one.
static scree_status weld_near(weld* w, double near)
{
    int64_t count = w->points.count;
    double side = 1024.0 * near;
    w->first = scree_malloc((size_t)count, sizeof *w->first);
    w->next = scree_malloc((size_t)count, sizeof *w->next);
    if (w->first == NULL || w->next == NULL)
        return SCREE_ERR_MEMORY;
    for (int64_t v = 0; v < count; ++v) {
        double x[3];
        int64_t own[3], low[3], high[3];
        point_of(w, (uint32_t)v, x);
        for (int k = 0; k < 3; ++k) {
            own[k] = (int64_t)floor(x[k] / side);
            low[k] = (int64_t)floor((x[k] - 2.0 * near) / side);  // twice: the division is rounded
            high[k] = (int64_t)floor((x[k] + 2.0 * near) / side);
        }
        int64_t cube[3];
        for (cube[2] = low[2]; cube[2] <= high[2]; ++cube[2])
            for (cube[1] = low[1]; cube[1] <= high[1]; ++cube[1])
                for (cube[0] = low[0]; cube[0] <= high[0]; ++cube[0])
                    join_in_cube(w, (uint32_t)v, x, cube, near);
        uint64_t key[3] = {(uint64_t)own[0], (uint64_t)own[1], (uint64_t)own[2]};
        uint32_t number;
        int64_t before = w->cubes.count;
        scree_status status = scree_watch_own("surface", v, count);
        if (status == SCREE_OK)
            status = scree_triples_add(&w->cubes, key, &number);
        if (status != SCREE_OK)
            return status;
        w->next[v] = w->cubes.count > before ? -1 : w->first[number];
        w->first[number] = v;
    }
    return SCREE_OK;
}

static scree_status weld_all(weld* w, scree_surface* s)
{
    scree_status status = weld_equal(w);
    if (status != SCREE_OK)
        return status;
    double largest = 0.0;
    for (int64_t c = 0; c < 9 * (int64_t)w->given->count; ++c)
        largest = fmax(largest, fabs(w->given->xyz[c]));
    s->grain = 8.0 * DBL_EPSILON * largest;
    double near = s->def.weld * shortest_edge(w);
    // Below what coordinates can tell apart there is nothing to find.
    if (!(near > 1e-15 * largest) || !(near < INFINITY))
        return SCREE_OK;
    status = weld_near(w, near);
    s->report.weld_distance = near;
    for (int64_t v = 0; v < w->points.count && status == SCREE_OK; ++v)
        s->report.welded += lowest(w, (uint32_t)v) != v;
    return status;
}

// ---- Triangles and vertices --------------------------------------------------------------------------------------------

static bool has_area(const double a[3], const double b[3], const double c[3])
{
    double ab[3], ac[3], bc[3], across[3];
    vec_sub(b, a, ab);
    vec_sub(c, a, ac);
    vec_sub(c, b, bc);
    vec_cross(ab, ac, across);
    double longest = fmax(vec_length(ab), fmax(vec_length(ac), vec_length(bc)));
    double unit[3];
    return vec_normalise(across, unit) > no_area * (longest * longest);
}

static scree_status drop(scree_surface* s, int64_t* capacity, int32_t source, int32_t reason)
{
    int64_t room = *capacity;
    scree_status status = SCREE_RESERVE(s->dropped_source, room, s->dropped + 1);
    if (status == SCREE_OK)
        status = SCREE_RESERVE(s->dropped_for, *capacity, s->dropped + 1);
    if (status != SCREE_OK)
        return status;
    s->dropped_source[s->dropped] = source;
    s->dropped_for[s->dropped++] = reason;
    return SCREE_OK;
}

static void put_in_order(uint64_t a[3])
{
    for (int k = 0; k < 3; ++k) {
        int l = k == 1 ? 1 : 0;  // compare 0 1, 1 2, 0 1
        if (a[l] > a[l + 1]) {
            uint64_t held = a[l];
            a[l] = a[l + 1];
            a[l + 1] = held;
        }
    }
}

// Adds a triangle to those of the surface, or to those left out if one of the surface has the same vertices.
static scree_status keep_triangle(scree_triples* kept, scree_surface* s, int64_t* capacity, const int32_t v[3], int32_t source)
{
    uint64_t key[3] = {(uint64_t)v[0], (uint64_t)v[1], (uint64_t)v[2]};
    uint32_t number;
    put_in_order(key);
    scree_status status = scree_triples_add(kept, key, &number);
    if (status != SCREE_OK)
        return status;
    if ((int64_t)number < s->triangles) {
        ++s->report.duplicate;
        return drop(s, capacity, source, s->source[number]);
    }
    for (int k = 0; k < 3; ++k)
        s->triangle[s->triangles][k] = v[k];
    s->source[s->triangles++] = source;
    return SCREE_OK;
}

// Which triangles stay: their vertices (numbers of points) in s->triangle.
static scree_status keep_triangles(weld* w, scree_surface* s)
{
    size_t n = (size_t)w->given->count;
    int64_t capacity = 0;
    s->triangle = scree_malloc(n, sizeof *s->triangle);
    s->source = scree_malloc(n, sizeof *s->source);
    if (s->triangle == NULL || s->source == NULL)
        return SCREE_ERR_MEMORY;
    for (int32_t t = 0; t < w->given->count; ++t) {
        int32_t v[3];
        double x[3][3];
        for (int k = 0; k < 3; ++k) {
            v[k] = (int32_t)lowest(w, w->corner[3 * (int64_t)t + k]);
            point_of(w, (uint32_t)v[k], x[k]);
        }
        scree_status status = scree_watch_own("surface", t, w->given->count);
        if (status != SCREE_OK)
            return status;
        if (v[0] == v[1] || v[1] == v[2] || v[2] == v[0] || !has_area(x[0], x[1], x[2])) {
            status = drop(s, &capacity, t, -1);
            ++s->report.degenerate;
        } else {
            status = keep_triangle(&w->kept, s, &capacity, v, t);
        }
        if (status != SCREE_OK)
            return status;
    }
    if (s->triangles == 0)
        return scree_fail(SCREE_ERR_ARGUMENT, "surface: none of its %" PRId32 " triangles has an area; expected at least one with an area", w->given->count);
    if (s->dropped == 0)
        return SCREE_OK;
    scree_status status = scree_resize(&s->triangle, s->triangles, sizeof *s->triangle);
    return status == SCREE_OK ? scree_resize(&s->source, s->triangles, sizeof *s->source) : status;
}

static int by_number(const void* a, const void* b)
{
    const int64_t one = *(const int64_t*)a, other = *(const int64_t*)b;
    return one < other ? -1 : one > other;
}

// Triangles left out, by their numbers among those given, then by the numbers of those that they repeat.
static scree_status sort_dropped(scree_surface* s)
{
    int64_t* key = scree_malloc((size_t)s->dropped, sizeof *key);
    if (key == NULL)
        return SCREE_ERR_MEMORY;
    for (int32_t d = 0; d < s->dropped; ++d)
        key[d] = (int64_t)s->dropped_source[d] << 32 | (uint32_t)(s->dropped_for[d] + 1);
    qsort(key, (size_t)s->dropped, sizeof *key, by_number);
    for (int32_t d = 0; d < s->dropped; ++d) {
        s->dropped_source[d] = (int32_t)(key[d] >> 32);
        s->dropped_for[d] = (int32_t)(key[d] & 0xffffffff) - 1;
    }
    scree_free(key);
    return SCREE_OK;
}

// Leaves out the pieces of split triangles that have the vertices of an earlier triangle or piece.
static scree_status drop_repeated(scree_surface* s)
{
    const int32_t count = s->triangles;
    int64_t capacity = s->dropped;
    scree_triples kept = {0};
    scree_status status = SCREE_OK;
    s->triangles = 0;
    for (int32_t t = 0; t < count && status == SCREE_OK; ++t) {
        const int32_t v[3] = {s->triangle[t][0], s->triangle[t][1], s->triangle[t][2]};
        status = keep_triangle(&kept, s, &capacity, v, s->source[t]);
    }
    scree_triples_free(&kept);
    if (status != SCREE_OK || s->triangles == count)
        return status;
    status = scree_resize(&s->triangle, s->triangles, sizeof *s->triangle);
    if (status == SCREE_OK)
        status = scree_resize(&s->source, s->triangles, sizeof *s->source);
    return status == SCREE_OK ? sort_dropped(s) : status;
}

// Numbers the vertices that are left, by first appearance.
static scree_status number_vertices(weld* w, scree_surface* s)
{
    w->number = scree_malloc((size_t)w->points.count, sizeof *w->number);
    s->vertex = scree_malloc((size_t)w->points.count, sizeof *s->vertex);
    if (w->number == NULL || s->vertex == NULL)
        return SCREE_ERR_MEMORY;
    for (int64_t v = 0; v < w->points.count; ++v)
        w->number[v] = -1;
    for (int32_t t = 0; t < s->triangles; ++t)
        for (int k = 0; k < 3; ++k) {
            int32_t* v = &s->triangle[t][k];
            if (w->number[*v] < 0) {
                point_of(w, (uint32_t)*v, s->vertex[s->vertices]);
                w->number[*v] = s->vertices++;
            }
            *v = w->number[*v];
        }
    return s->vertices == w->points.count ? SCREE_OK : scree_resize(&s->vertex, s->vertices, sizeof *s->vertex);
}

// ---- Edges -------------------------------------------------------------------------------------------------------------

// Edges by (lower vertex, higher vertex), from the sides of all triangles in sorted order.
static void take_edges(scree_surface* s, const int64_t* key, const uint32_t* word)
{
    int64_t sides = 3 * (int64_t)s->triangles;
    int32_t e = -1;
    for (int64_t n = 0; n < sides; ++n) {
        if (n == 0 || key[n] != key[n - 1]) {
            ++e;
            s->edge[e][0] = (int32_t)(key[n] >> 32);
            s->edge[e][1] = (int32_t)(key[n] & 0xffffffff);
            s->edge_start[e] = (int32_t)n;
        }
        s->edge_triangle[n] = (int32_t)(word[n] / 3);
        s->side[word[n] / 3][word[n] % 3] = e;
    }
    s->edges = e + 1;
    s->edge_start[s->edges] = (int32_t)sides;
}

static scree_status number_edges(scree_surface* s)
{
    int64_t sides = 3 * (int64_t)s->triangles;
    int64_t *key = scree_malloc((size_t)sides, sizeof *key), *spare_key = scree_malloc((size_t)sides, sizeof *spare_key);
    uint32_t *word = scree_malloc((size_t)sides, sizeof *word), *spare_word = scree_malloc((size_t)sides, sizeof *spare_word);
    s->side = scree_malloc((size_t)s->triangles, sizeof *s->side);
    s->edge = scree_malloc((size_t)sides, sizeof *s->edge);
    s->edge_start = scree_malloc((size_t)sides + 1, sizeof *s->edge_start);
    s->edge_triangle = scree_malloc((size_t)sides, sizeof *s->edge_triangle);
    scree_status status = SCREE_OK;
    if (key == NULL || spare_key == NULL || word == NULL || spare_word == NULL || s->side == NULL || s->edge == NULL || s->edge_start == NULL ||
        s->edge_triangle == NULL)
        status = SCREE_ERR_MEMORY;
    for (int64_t n = 0; n < sides && status == SCREE_OK; ++n) {
        status = scree_watch_own("surface", n, sides);
        int64_t a = s->triangle[n / 3][n % 3], b = s->triangle[n / 3][(n + 1) % 3];
        key[n] = a < b ? a << 32 | b : b << 32 | a;
        word[n] = (uint32_t)n;
    }
    if (status == SCREE_OK)
        status = scree_sort_with_threads(s->def.threads, key, word, spare_key, spare_word, sides);
    if (status == SCREE_OK)
        take_edges(s, key, word);
    scree_free(key);
    scree_free(spare_key);
    scree_free(word);
    scree_free(spare_word);
    if (status == SCREE_OK)
        status = scree_resize(&s->edge, s->edges, sizeof *s->edge);
    return status == SCREE_OK ? scree_resize(&s->edge_start, s->edges + 1, sizeof *s->edge_start) : status;
}

static scree_status number_edges_of_vertices(scree_surface* s)
{
    s->vertex_start = scree_calloc((size_t)s->vertices + 1, sizeof *s->vertex_start);
    s->vertex_edge = scree_malloc(2 * (size_t)s->edges, sizeof *s->vertex_edge);
    if (s->vertex_start == NULL || s->vertex_edge == NULL)
        return SCREE_ERR_MEMORY;
    for (int32_t e = 0; e < s->edges; ++e)
        for (int k = 0; k < 2; ++k)
            ++s->vertex_start[s->edge[e][k]];
    int32_t sum = 0;
    for (int32_t v = 0; v <= s->vertices; ++v) {  // where each row ends; filling from behind brings it to its begin
        sum += v < s->vertices ? s->vertex_start[v] : 0;
        s->vertex_start[v] = sum;
    }
    for (int32_t e = s->edges - 1; e >= 0; --e)
        for (int k = 0; k < 2; ++k)
            s->vertex_edge[--s->vertex_start[s->edge[e][k]]] = e;
    return SCREE_OK;
}

// Vertices at which triangles meet that no chain of edges at the vertex joins. `parent`: of each triangle in the
// union-find forest of the vertex.
static scree_status find_pinched(scree_surface* s)
{
    int32_t* parent = scree_malloc((size_t)s->triangles, sizeof *parent);
    s->pinched = scree_calloc((size_t)s->vertices, sizeof *s->pinched);
    if (parent == NULL || s->pinched == NULL) {
        scree_free(parent);
        return SCREE_ERR_MEMORY;
    }
    scree_status status = SCREE_OK;
    for (int32_t v = 0; v < s->vertices && status == SCREE_OK; ++v) {
        int32_t roots_twice = 0;
        status = scree_watch_own("surface", v, s->vertices);
        for (int pass = 0; pass < 3; ++pass)  // 0: every triangle is a root; 1: union; 2: count roots, each seen from two edges
            for (int32_t n = s->vertex_start[v]; n < s->vertex_start[v + 1]; ++n) {
                const int32_t first = s->edge_start[s->vertex_edge[n]], end = s->edge_start[s->vertex_edge[n] + 1];
                for (int32_t m = first; m < end; ++m) {
                    int32_t a = s->edge_triangle[first], b = s->edge_triangle[m];
                    if (pass == 0)
                        parent[b] = b;
                    while (pass == 1 && parent[a] != a)
                        a = parent[a] = parent[parent[a]];
                    while (pass == 1 && parent[b] != b)
                        b = parent[b] = parent[parent[b]];
                    if (pass == 1)
                        parent[a > b ? a : b] = a > b ? b : a;
                    roots_twice += pass == 2 && parent[b] == b;
                }
            }
        s->pinched[v] = roots_twice > 2;
        s->report.pinched += roots_twice > 2;
    }
    scree_free(parent);
    return status;
}

// ---- Normals and the report --------------------------------------------------------------------------------------------

// The normal of a triangle that was given: pieces of it without an area of their own have it too.
static void normal_given(const scree_triangles* given, int32_t source, double out[3])
{
    const double* x = given->xyz + 9 * (int64_t)source;
    double to[3], back[3], across[3];
    vec_sub(x + 3, x, to);
    vec_sub(x + 6, x, back);
    vec_cross(to, back, across);
    vec_normalise(across, out);
}

static scree_status make_normals(scree_surface* s, const scree_triangles* given)
{
    s->normal = scree_malloc((size_t)s->triangles, sizeof *s->normal);
    s->vertex_normal = scree_calloc((size_t)s->vertices, sizeof *s->vertex_normal);
    if (s->normal == NULL || s->vertex_normal == NULL)
        return SCREE_ERR_MEMORY;
    for (int32_t t = 0; t < s->triangles; ++t) {
        const double* x[3] = {s->vertex[s->triangle[t][0]], s->vertex[s->triangle[t][1]], s->vertex[s->triangle[t][2]]};
        double twice = 0.0;
        scree_status status = scree_watch_own("surface", t, s->triangles);
        if (status != SCREE_OK)
            return status;
        for (int k = 0; k < 3; ++k) {
            double to[3], back[3], across[3];
            vec_sub(x[(k + 1) % 3], x[k], to);
            vec_sub(x[(k + 2) % 3], x[k], back);
            vec_cross(to, back, across);
            double unit[3], length = vec_normalise(across, unit);
            if (k == 0) {
                if (has_area(x[0], x[1], x[2]))
                    memcpy(s->normal[t], unit, sizeof unit);
                else
                    normal_given(given, s->source[t], s->normal[t]);
                twice = length;
            }
            double angle = atan2(length, vec_dot(to, back));
            for (int c = 0; c < 3; ++c)
                s->vertex_normal[s->triangle[t][k]][c] += angle * s->normal[t][c];
        }
        s->report.area += 0.5 * twice;
    }
    return SCREE_OK;
}

static bool runs_forward(const scree_surface* s, int32_t t, int32_t e)
{
    for (int k = 0; k < 3; ++k)
        if (s->side[t][k] == e)
            return s->triangle[t][k] == s->edge[e][0];
    return false;
}

static void report_edges(scree_surface* s)
{
    scree_surface_report* r = &s->report;
    bool even = true;
    r->shortest_edge = INFINITY;
    for (int32_t e = 0; e < s->edges; ++e) {
        int32_t count = s->edge_start[e + 1] - s->edge_start[e], forward = 0;
        for (int32_t n = s->edge_start[e]; n < s->edge_start[e + 1]; ++n)
            forward += runs_forward(s, s->edge_triangle[n], e);
        r->open_edges += count == 1;
        r->crowded_edges += count > 2;
        even = even && count % 2 == 0;
        int32_t more = 2 * forward - count;  // forward ones less backward ones; an odd count never gives 0
        r->turned_edges += more < -(count % 2) || more > count % 2;
        double length = distance(s->vertex[s->edge[e][0]], s->vertex[s->edge[e][1]]);
        r->shortest_edge = fmin(r->shortest_edge, length);
        r->longest_edge = fmax(r->longest_edge, length);
    }
    r->closed = even;
    r->oriented = r->turned_edges == 0;
}

// Six times the volume of the tetrahedra between triangles and the first vertex.
static double volume_of(const scree_surface* s)
{
    double sum = 0.0;
    const double* o = s->vertex[0];
    for (int32_t t = 0; t < s->triangles; ++t) {
        double a[3], b[3], c[3], across[3];
        vec_sub(s->vertex[s->triangle[t][0]], o, a);
        vec_sub(s->vertex[s->triangle[t][1]], o, b);
        vec_sub(s->vertex[s->triangle[t][2]], o, c);
        vec_cross(b, c, across);
        sum += vec_dot(a, across);
    }
    return sum / 6.0;
}

static void make_report(scree_surface* s)
{
    scree_surface_report* r = &s->report;
    r->triangles = s->triangles;
    r->edges = s->edges;
    r->vertices = s->vertices;
    report_edges(s);
    r->volume = r->closed && r->oriented ? volume_of(s) : NAN;
    memcpy(r->lower, s->node[0].lower, sizeof r->lower);
    memcpy(r->upper, s->node[0].upper, sizeof r->upper);
    size_t t = (size_t)s->triangles, e = (size_t)s->edges, v = (size_t)s->vertices;
    r->bytes = sizeof *s + t * (sizeof *s->triangle + sizeof *s->side + sizeof *s->normal + sizeof *s->source + sizeof *s->order);
    r->bytes += e * (sizeof *s->edge + sizeof *s->edge_start + 2 * sizeof *s->vertex_edge) + 3 * t * sizeof *s->edge_triangle;
    r->bytes += v * (sizeof *s->vertex + sizeof *s->vertex_normal + sizeof *s->vertex_start + sizeof *s->pinched);
    r->bytes += (size_t)s->nodes * sizeof *s->node + (size_t)s->dropped * (sizeof *s->dropped_source + sizeof *s->dropped_for);
}

// ---- Life --------------------------------------------------------------------------------------------------------------

static scree_status check_def(const scree_surface_def* def)
{
    scree_status status = scree_check_struct_size("surface", "scree_default_surface_def", def->struct_size, sizeof *def, sizeof *def);
    if (status != SCREE_OK)
        return status;
    if (!(def->weld >= 0.0 && def->weld <= 0.25))
        return scree_fail(SCREE_ERR_ARGUMENT, "surface: weld %g; expected 0 to 0.25 of the shortest edge", def->weld);
    if (def->threads < 0)
        return scree_fail(SCREE_ERR_ARGUMENT, "surface: threads %" PRId32 "; expected 0 for all cores, or more", def->threads);
    return SCREE_OK;
}

enum { split_rounds = 8 };  // pieces of a split triangle may have further vertices on their new sides: hardly ever

static bool has_open_edge(const scree_surface* s)
{
    for (int32_t e = 0; e < s->edges; ++e)
        if (s->edge_start[e + 1] - s->edge_start[e] == 1)
            return true;
    return false;
}

// Edges, edges of vertices and the tree; what there was of them before goes.
static scree_status build(scree_surface* s)
{
    scree_free(s->edge);
    scree_free(s->side);
    scree_free(s->edge_start);
    scree_free(s->edge_triangle);
    scree_free(s->vertex_start);
    scree_free(s->vertex_edge);
    scree_free(s->node);
    scree_free(s->order);
    s->edge = NULL;
    s->side = NULL;
    s->edge_start = s->edge_triangle = s->vertex_start = s->vertex_edge = s->order = NULL;
    s->node = NULL;
    s->nodes = 0;
    scree_status status = number_edges(s);
    if (status == SCREE_OK)
        status = number_edges_of_vertices(s);
    return status == SCREE_OK ? surface_tree_build(s) : status;
}

// Builds the surface, and again after each round in which edges were split.
static scree_status build_split(scree_surface* s)
{
    uint8_t* on_edge = scree_calloc((size_t)s->vertices, sizeof *on_edge);
    scree_status status = on_edge == NULL ? SCREE_ERR_MEMORY : build(s);
    int64_t points = 1;
    for (int round = 0; status == SCREE_OK && points > 0 && round < split_rounds; ++round) {
        points = 0;
        if (has_open_edge(s))
            status = surface_split_edges(s, on_edge, &points);
        if (status == SCREE_OK && points > 0)
            status = drop_repeated(s);
        if (status == SCREE_OK && points > 0)
            status = build(s);
    }
    scree_free(on_edge);
    return status;
}

scree_status scree_surface_create(const scree_surface_def* def, const scree_triangles* triangles, scree_surface** out)
{
    SCREE_EMPTY(out);
    SCREE_NEED(def);
    SCREE_NEED(triangles);
    scree_status status = check_def(def);
    if (status == SCREE_OK)
        status = scree_triangles_check(triangles);
    if (status == SCREE_OK && triangles->count == 0)
        status = scree_fail(SCREE_ERR_ARGUMENT, "surface: 0 triangles; expected at least one");
    if (status != SCREE_OK)
        return status;
    scree_surface* s = scree_calloc(1, sizeof *s);
    if (s == NULL)
        return SCREE_ERR_MEMORY;
    s->def = *def;
    s->report.one_sided = s->def.one_sided;
    s->report.corners = 3 * (int64_t)triangles->count;
    weld w = {.given = triangles};
    status = weld_all(&w, s);
    if (status == SCREE_OK)
        status = keep_triangles(&w, s);
    if (status == SCREE_OK)
        status = number_vertices(&w, s);
    weld_free(&w);
    if (status == SCREE_OK)
        status = build_split(s);
    if (status == SCREE_OK)
        status = find_pinched(s);
    if (status == SCREE_OK)
        status = make_normals(s, triangles);
    if (status == SCREE_OK) {
        make_report(s);
        status = surface_find_faults(s);
    }
    if (status != SCREE_OK) {
        scree_surface_destroy(s);
        return status;
    }
    *out = s;
    return SCREE_OK;
}

void scree_surface_destroy(scree_surface* s)
{
    if (s == NULL)
        return;
    void* blocks[] = {s->vertex,       s->triangle,    s->side,            s->edge,   s->normal,         s->vertex_normal, s->pinched, s->edge_start, s->edge_triangle,
                      s->vertex_start, s->vertex_edge, s->source, s->dropped_source, s->dropped_for,   s->node,  s->order};
    for (size_t k = 0; k < sizeof blocks / sizeof *blocks; ++k)
        scree_free(blocks[k]);
    scree_free(s);
}

SCREE_VALUE_OF(scree_surface_report, scree_surface_get_report, (const scree_surface* surface), (surface))
{
    SCREE_NEED_OR(surface, (scree_surface_report){0});
    return surface->report;
}

SCREE_VALUE_OF(scree_surface_arrays, scree_surface_get_arrays, (const scree_surface* surface), (surface))
{
    SCREE_NEED_OR(surface, (scree_surface_arrays){0});
    const scree_surface* s = surface;
    return (scree_surface_arrays){.triangles = s->triangles,
                                  .edges = s->edges,
                                  .vertices = s->vertices,
                                  .vertex = (const double(*)[3])s->vertex,
                                  .triangle = (const int32_t(*)[3])s->triangle,
                                  .side = (const int32_t(*)[3])s->side,
                                  .edge = (const int32_t(*)[2])s->edge,
                                  .normal = (const double(*)[3])s->normal,
                                  .edge_start = s->edge_start,
                                  .edge_triangle = s->edge_triangle,
                                  .vertex_start = s->vertex_start,
                                  .vertex_edge = s->vertex_edge,
                                  .source = s->source,
                                  .dropped = s->dropped,
                                  .dropped_source = s->dropped_source,
                                  .dropped_for = s->dropped_for};
}
