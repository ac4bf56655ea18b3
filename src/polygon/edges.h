// The edges of one polygon in a tree of boxes, so that queries about the boundary do not cost its length.
//
// Edges are stored in the order of the boundary, eight to a leaf; the box of a node contains the run of edges below it. Consecutive edges are
// close in space, so runs have small boxes without sorting. Nodes are numbered as in a heap (root 1, children 2k and 2k + 1), with a
// power of two of leaves, the last ones empty; so a traversal needs no stack, and leaves come in the order of the boundary.
//
// Cost: O(n) to build; a query O(log n) and the leaves that it meets. All in the body's own axes: nothing changes when it moves.
#ifndef SCREE_POLYGON_EDGES_H
#define SCREE_POLYGON_EDGES_H

#include "base/parallel.h"
#include "scree/polygon.h"

#include <math.h>

enum { edge_leaf = 8 };
enum { vertex_units = 16, body_units = 64, pair_units = 64, node_units = 2 };  // work with a vertex, a body, a pair of them and a node or edge of a tree, for the watch

// Asks a watch outside of parallel loops, after scree_work_unasked units of work.
typedef struct polygon_watch {
    const scree_watch* watch;  // NULL: none
    int64_t unasked;           // work since the last question
    double done;               // the progress that it reports
} polygon_watch;

// `w` may be NULL. CANCELLED.
static inline scree_status polygon_watch_work(polygon_watch* w, int64_t units)
{
    if (w == NULL || w->watch == NULL || (w->unasked += units) < scree_work_unasked)
        return SCREE_OK;
    w->unasked = 0;
    return scree_watch_goes_on(w->watch, w->done) ? SCREE_OK : scree_fail(SCREE_ERR_CANCELLED, "polygons: stopped on request");
}

typedef struct edge_tree {
    int32_t n, leaves;
    double (*p)[2];    // n + 1 vertices, counter-clockwise, the last is the first again
    double (*t)[3];    // n: direction (length 1) and length of each edge
    double (*box)[4];  // 2 * leaves: lower x y, upper x y
} edge_tree;

// Copies n vertices, `centre` subtracted. `watch` may be NULL. MEMORY, CANCELLED: nothing is held.
scree_status edge_tree_make(edge_tree* tree, int32_t n, const double* xy, const double centre[2], polygon_watch* watch);
void edge_tree_free(edge_tree* tree);
size_t edge_tree_bytes(const edge_tree* tree);

// As fmin and fmax for numbers; those are calls where NaNs count.
static inline double edge_least(double a, double b)
{
    return a < b ? a : b;
}

static inline double edge_most(double a, double b)
{
    return a > b ? a : b;
}

// The node after this one and all below it; 0: none.
static inline int32_t edge_skip(int32_t node)
{
    while ((node & 1) != 0)
        node >>= 1;
    return node == 0 ? 0 : node + 1;
}

// The first edge of the next leaf whose box meets `box`, from *node on (1 to begin with); -1: no more. Adds the visited nodes.
static inline int32_t edge_leaf_counted(const edge_tree* tree, const double box[4], int32_t* node, int64_t* looked)
{
    while (*node != 0) {
        ++*looked;
        const double* b = tree->box[*node];
        bool meets = (b[0] <= box[2]) & (box[0] <= b[2]) & (b[1] <= box[3]) & (box[1] <= b[3]);
        int32_t at = *node;
        if (meets && at < tree->leaves) {
            *node = 2 * at;
            continue;
        }
        *node = edge_skip(at);
        if (meets)
            return (at - tree->leaves) * edge_leaf;
    }
    return -1;
}

static inline int32_t edge_leaf_end(const edge_tree* tree, int32_t first)
{
    return first + edge_leaf < tree->n ? first + edge_leaf : tree->n;
}

// Whether the edge from a to b is met by the ray from x to the right: half open, so that a vertex on the ray counts once or twice as it
// should, and horizontal edges never. Beside the edge's box the answer needs no arithmetic: so a run of edges beside x can be answered by its two
// ends, and the tree agrees with a plain loop to the last bit.
static inline int edge_right_of(const double a[2], const double b[2], const double x[2])
{
    if ((a[1] > x[1]) == (b[1] > x[1]))
        return 0;
    if (x[0] < edge_least(a[0], b[0]))
        return 1;
    if (x[0] >= edge_most(a[0], b[0]))
        return 0;
    double side = (b[0] - a[0]) * (x[1] - a[1]) - (b[1] - a[1]) * (x[0] - a[0]);
    return b[1] > a[1] ? side > 0.0 : side < 0.0;
}

// The square of the distance from x to the edge, and how far along it the nearest point is, clamped to 0 .. length.
static inline double edge_square(const double a[2], const double b[2], const double t[3], const double x[2], double* along)
{
    double dx = x[0] - a[0], dy = x[1] - a[1], s = t[0] * dx + t[1] * dy;
    if (s <= 0.0) {
        *along = 0.0;
        return dx * dx + dy * dy;
    }
    if (s >= t[2]) {
        dx = x[0] - b[0];
        dy = x[1] - b[1];
        *along = t[2];
        return dx * dx + dy * dy;
    }
    *along = s;
    double h = t[0] * dy - t[1] * dx;
    return h * h;
}

typedef struct edge_near {
    int32_t edge;   // the first of those equally near
    double along;   // 0: at its first vertex; its length: at the second one; else between
    double square;  // of the distance
} edge_near;

// Each adds the visited nodes and edges to *looked: usually O(log n), but all of them for the centre of a circle.
bool edge_tree_contains(const edge_tree* tree, const double x[2], int64_t* looked);
edge_near edge_tree_nearest(const edge_tree* tree, const double x[2], int64_t* looked);
// The same if it is nearer than this square of a distance; else edge is -1.
edge_near edge_tree_nearest_within(const edge_tree* tree, const double x[2], double square, int64_t* looked);

// Whether no two edges cross or touch but neighbours at their common vertex. `watch` may be NULL. ARGUMENT names them. CANCELLED.
scree_status edge_tree_check_simple(const edge_tree* tree, polygon_watch* watch);

// shape.c: scree_polygon_check and scree_polygon_measure, which ask. `watch` may be NULL. CANCELLED.
scree_status polygon_check(scree_polygon polygon, polygon_watch* watch);
scree_status polygon_measure(scree_polygon polygon, polygon_watch* watch, scree_polygon_numbers* out);

#endif
