// The edges of one polygon in a tree of boxes, so that questions about the boundary do not cost its length.
//
// Edges stand in the order of the boundary, eight to a leaf; a node's box holds the run of edges below it. Consecutive edges are
// neighbours in space, so runs have small boxes without any sorting. Nodes are numbered as in a heap (root 1, children 2k and 2k + 1), with a
// power of two of leaves, the last ones empty; so a walk needs no stack, and leaves come in the order of the boundary.
//
// Cost: O(n) to make; a question O(log n) and the leaves that it really meets. All in the body's own axes: nothing changes when it moves.
#ifndef SCREE_POLYGON_EDGES_H
#define SCREE_POLYGON_EDGES_H

#include "scree/polygon.h"

#include <math.h>

enum { edge_leaf = 8 };

typedef struct edge_tree {
    int32_t n, leaves;
    double (*p)[2];    // n + 1 vertices, counter-clockwise, the last is the first again
    double (*t)[3];    // n: direction (length 1) and length of each edge
    double (*box)[4];  // 2 * leaves: lower x y, upper x y
} edge_tree;

// Copies n vertices, `centre` subtracted. MEMORY: nothing is held.
scree_status edge_tree_make(edge_tree* tree, int32_t n, const double* xy, const double centre[2]);
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

// The first edge of the next leaf whose box meets `box`, from *node on (1 to begin with); -1: no more.
static inline int32_t edge_leaf_in(const edge_tree* tree, const double box[4], int32_t* node)
{
    while (*node != 0) {
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

bool edge_tree_contains(const edge_tree* tree, const double x[2]);
edge_near edge_tree_nearest(const edge_tree* tree, const double x[2]);
// The same if it is nearer than this square of a distance; else edge is -1.
edge_near edge_tree_nearest_within(const edge_tree* tree, const double x[2], double square);

// Whether no two edges cross or touch but neighbours at their common vertex. ARGUMENT names them.
scree_status edge_tree_check_simple(const edge_tree* tree);

#endif
