// Is a point inside of a closed surface? A ray goes from it along x, and triangles that it crosses are counted, +1 where it leaves through a back and -1 where it
// enters through a front.
//
// Seen along x, the ray is a point q of the (y, z) plane and a triangle a triangle there; q is in it if it lies on the same side of all three edges. What if it lies
// on an edge, or on a vertex? Then q is moved by (e, e^2), e smaller than any number, and the answer is that of the moved point. As it is the same move for all
// triangles, and the side of an edge is asked with its vertices in one order, exactly one of two neighbours has it. The side is a determinant;
// where rounding could have changed its sign it is computed again exactly, as a sum of products each held in two doubles (Shewchuk 1997, "Adaptive precision
// floating-point arithmetic").
//
// Cost: the nodes of the tree through which the ray goes, O(log n) for most surfaces; a ray along a wall of the mesh meets all of its triangles.
#include "geom/surface_inner.h"

#include "base/argument.h"
#include "geom/length.h"
#include "geom/vector.h"

#include <float.h>
#include <math.h>

// ---- Sides, exactly ----------------------------------------------------------------------------------------------------

// Adds b to a sum of n doubles that do not overlap, smallest first; afterwards they are n + 1.
static int grow(double* sum, int n, double b)
{
    double q = b;
    for (int i = 0; i < n; ++i) {
        double both = q + sum[i], part = both - q, rest = (q - (both - part)) + (sum[i] - part);
        sum[i] = rest;
        q = both;
    }
    sum[n] = q;
    return n + 1;
}

static int grow_by_product(double* sum, int n, double a, double b)
{
    double product = a * b;
    n = grow(sum, n, fma(a, b, -product));
    return grow(sum, n, product);
}

static int sign_of(double x)
{
    return (x > 0.0) - (x < 0.0);
}

int surface_side(const double a[3], const double b[3], const double q[3])
{
    double left = (a[1] - q[1]) * (b[2] - q[2]), right = (a[2] - q[2]) * (b[1] - q[1]), turn = left - right;
    if (fabs(turn) > 4.0 * DBL_EPSILON * (fabs(left) + fabs(right)))
        return sign_of(turn);
    double sum[12];
    int n = 0;
    n = grow_by_product(sum, n, a[1], b[2]);
    n = grow_by_product(sum, n, -a[1], q[2]);
    n = grow_by_product(sum, n, -q[1], b[2]);
    n = grow_by_product(sum, n, -a[2], b[1]);
    n = grow_by_product(sum, n, a[2], q[1]);
    n = grow_by_product(sum, n, q[2], b[1]);
    while (--n >= 0)
        if (sum[n] != 0.0)
            return sign_of(sum[n]);
    return a[2] != b[2] ? sign_of(a[2] - b[2]) : sign_of(b[1] - a[1]);
}

// 1: the ray leaves through triangle t; -1: it enters; 0: it does not meet it.
static int crossing(const scree_surface* s, int32_t t, const double x[3])
{
    int turn = 0;
    double low = INFINITY, high = -INFINITY, d[3];
    for (int k = 0; k < 3; ++k) {
        int32_t a = s->triangle[t][k], b = s->triangle[t][(k + 1) % 3];
        int side = a < b ? surface_side(s->vertex[a], s->vertex[b], x) : -surface_side(s->vertex[b], s->vertex[a], x);
        if (side == 0 || (k > 0 && side != turn))
            return 0;
        turn = side;
        low = fmin(low, s->vertex[a][0]);
        high = fmax(high, s->vertex[a][0]);
    }
    if (x[0] < low)
        return turn;
    if (x[0] > high)
        return 0;
    vec_sub(x, s->vertex[s->triangle[t][0]], d);
    return turn * vec_dot(d, s->normal[t]) < 0.0 ? turn : 0;
}

// ---- Public calls------------------------------------------------------------------------------------------------------

scree_status scree_surface_winding(const scree_surface* s, const double x[3], int32_t* winding)
{
    SCREE_EMPTY(winding);
    SCREE_NEED_AS(s, "surface");
    SCREE_NEED(x);
    if (!s->report.closed)
        return scree_fail(SCREE_ERR_ARGUMENT, "surface: it is not closed (open edges: %d, edges with more than two triangles: %d), so it has no inside; expected a closed "
                                              "surface", (int)s->report.open_edges,
                          (int)s->report.crowded_edges);
    for (int k = 0; k < 3; ++k)
        if (!scree_is_length(x[k]))
            return scree_fail(SCREE_ERR_ARGUMENT, "surface: point %c = %g; expected 0 or a size between %g and %g", "xyz"[k], x[k], SCREE_LENGTH_MIN, SCREE_LENGTH_MAX);
    int32_t stack[surface_depth + 2], sum = 0, crossings = 0;
    int top = 0;
    stack[top++] = 0;
    while (top > 0) {
        int32_t n = stack[--top];
        const surface_node* node = &s->node[n];
        if (x[0] > node->upper[0] || x[1] < node->lower[1] || x[1] > node->upper[1] || x[2] < node->lower[2] || x[2] > node->upper[2])
            continue;
        if (node->count == 0) {
            stack[top++] = node->at;
            stack[top++] = n + 1;
        }
        for (int32_t k = 0; k < node->count; ++k) {
            int c = crossing(s, s->order[node->at + k], x);
            sum += c;
            crossings += c != 0;
        }
    }
    *winding = s->report.oriented ? sum : crossings % 2;
    return SCREE_OK;
}
