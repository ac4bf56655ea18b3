// The tree of edges: construction and queries (edges.h has the idea).
#include "polygon/edges.h"

#include <float.h>
#include <inttypes.h>
#include <string.h>

void edge_tree_free(edge_tree* tree)
{
    scree_free(tree->p);
    scree_free(tree->t);
    scree_free(tree->box);
    *tree = (edge_tree){0};
}

size_t edge_tree_bytes(const edge_tree* tree)
{
    return tree->n == 0 ? 0
                        : ((size_t)tree->n + 1) * sizeof *tree->p + (size_t)tree->n * sizeof *tree->t + 2 * (size_t)tree->leaves * sizeof *tree->box;
}

static void widen(double box[4], const double x[2])
{
    for (int k = 0; k < 2; ++k) {
        box[k] = fmin(box[k], x[k]);
        box[k + 2] = fmax(box[k + 2], x[k]);
    }
}

static scree_status fill(edge_tree* tree, const double* xy, const double centre[2], polygon_watch* watch)
{
    int32_t n = tree->n;
    scree_status status = SCREE_OK;
    for (int32_t i = 0; i <= n && status == SCREE_OK; ++i) {
        for (int k = 0; k < 2; ++k)
            tree->p[i][k] = xy[2 * (int64_t)(i < n ? i : 0) + k] - centre[k];
        status = polygon_watch_work(watch, vertex_units / 4);
    }
    for (int32_t i = 0; i < n && status == SCREE_OK; ++i) {
        double dx = tree->p[i + 1][0] - tree->p[i][0], dy = tree->p[i + 1][1] - tree->p[i][1], length = sqrt(dx * dx + dy * dy);
        tree->t[i][0] = length > 0.0 ? dx / length : 0.0;
        tree->t[i][1] = length > 0.0 ? dy / length : 0.0;
        tree->t[i][2] = length;
        status = polygon_watch_work(watch, vertex_units);
    }
    for (int32_t node = 2 * tree->leaves - 1; node > 0 && status == SCREE_OK; --node) {
        double* box = tree->box[node];
        box[0] = box[1] = INFINITY;
        box[2] = box[3] = -INFINITY;
        status = polygon_watch_work(watch, vertex_units * (node < tree->leaves ? 1 : edge_leaf / 2));
        if (node < tree->leaves) {
            for (int k = 0; k < 2; ++k) {  // not by their corners: an empty one has none
                box[k] = fmin(tree->box[2 * node][k], tree->box[2 * node + 1][k]);
                box[k + 2] = fmax(tree->box[2 * node][k + 2], tree->box[2 * node + 1][k + 2]);
            }
            continue;
        }
        int64_t first = (int64_t)(node - tree->leaves) * edge_leaf;
        for (int64_t i = first; i <= first + edge_leaf && i <= n && first < n; ++i)
            widen(box, tree->p[i]);
    }
    return status;
}

scree_status edge_tree_make(edge_tree* tree, int32_t n, const double* xy, const double centre[2], polygon_watch* watch)
{
    *tree = (edge_tree){.n = n, .leaves = 1};
    while ((int64_t)tree->leaves * edge_leaf < n)
        tree->leaves *= 2;
    tree->p = scree_malloc((size_t)n + 1, sizeof *tree->p);
    tree->t = scree_malloc((size_t)n, sizeof *tree->t);
    tree->box = scree_malloc(2 * (size_t)tree->leaves, sizeof *tree->box);
    scree_status status = tree->p != NULL && tree->t != NULL && tree->box != NULL ? fill(tree, xy, centre, watch) : SCREE_ERR_MEMORY;
    if (status != SCREE_OK)
        edge_tree_free(tree);
    return status;
}

// The vertices where the run of edges below a node begins and ends.
static void ends_of(const edge_tree* tree, int32_t node, int32_t* first, int32_t* last)
{
    int64_t a = node, b = node;
    while (a < tree->leaves) {
        a = 2 * a;
        b = 2 * b + 1;
    }
    a = (a - tree->leaves) * edge_leaf;
    b = (b - tree->leaves + 1) * edge_leaf;
    *first = (int32_t)(a < tree->n ? a : tree->n);
    *last = (int32_t)(b < tree->n ? b : tree->n);
}

bool edge_tree_contains(const edge_tree* tree, const double x[2], int64_t* looked)
{
    int odd = 0;
    int64_t count = 0;
    for (int32_t node = 1; node != 0;) {
        const double* b = tree->box[node];
        ++count;
        if (b[1] > x[1] || b[3] <= x[1] || x[0] >= b[2]) {  // all above, all below or on, all to the left
            node = edge_skip(node);
            continue;
        }
        if (x[0] < b[0]) {  // all to the right: it counts how often the run goes through the ray, and only whether that is odd
            int32_t first, last;
            ends_of(tree, node, &first, &last);
            odd ^= (tree->p[first][1] > x[1]) != (tree->p[last][1] > x[1]);
            node = edge_skip(node);
            continue;
        }
        if (node < tree->leaves) {
            node *= 2;
            continue;
        }
        int32_t first = (node - tree->leaves) * edge_leaf, end = edge_leaf_end(tree, first);
        for (int32_t e = first; e < end; ++e)
            odd ^= edge_right_of(tree->p[e], tree->p[e + 1], x);
        count += edge_leaf;
        node = edge_skip(node);
    }
    *looked += count;
    return odd != 0;
}

static double box_square(const double box[4], const double x[2])
{
    double dx = edge_most(edge_most(box[0] - x[0], x[0] - box[2]), 0.0), dy = edge_most(edge_most(box[1] - x[1], x[1] - box[3]), 0.0);
    return dx * dx + dy * dy;
}

static void look_in_leaf(const edge_tree* tree, int32_t node, const double x[2], edge_near* best)
{
    int32_t first = (node - tree->leaves) * edge_leaf, end = edge_leaf_end(tree, first);
    for (int32_t e = first; e < end; ++e) {
        double along, square = edge_square(tree->p[e], tree->p[e + 1], tree->t[e], x, &along);
        if (square < best->square || (square == best->square && e < best->edge))
            *best = (edge_near){.edge = e, .along = along, .square = square};
    }
}

edge_near edge_tree_nearest_within(const edge_tree* tree, const double x[2], double square, int64_t* looked)
{
    edge_near best = {.edge = -1, .square = square};
    int64_t count = 0;
    if (tree->leaves > 1) {  // a good guess first: most of the tree is then left out
        int32_t node = 1;
        while (node < tree->leaves)
            node = box_square(tree->box[2 * node], x) <= box_square(tree->box[2 * node + 1], x) ? 2 * node : 2 * node + 1;
        look_in_leaf(tree, node, x, &best);
    }
    for (int32_t node = 1; node != 0;) {
        // A little less than the distance to the box, for rounding: never leave out what is equally near.
        bool near = box_square(tree->box[node], x) * (1.0 - 1e-12) <= best.square;
        ++count;
        if (near && node < tree->leaves) {
            node *= 2;
            continue;
        }
        if (near) {
            look_in_leaf(tree, node, x, &best);
            count += edge_leaf;
        }
        node = edge_skip(node);
    }
    *looked += count;
    return best;
}

edge_near edge_tree_nearest(const edge_tree* tree, const double x[2], int64_t* looked)
{
    return edge_tree_nearest_within(tree, x, INFINITY, looked);
}

// ---- Simple or not -----------------------------------------------------------------------------------------------------

// On which side of the line from a to b: 1 left, -1 right, 0 on it, within rounding.
static int side_of(const double a[2], const double b[2], const double x[2])
{
    double one = (b[0] - a[0]) * (x[1] - a[1]), two = (b[1] - a[1]) * (x[0] - a[0]), det = one - two;
    double doubt = 4.0 * DBL_EPSILON * (fabs(one) + fabs(two));
    return det > doubt ? 1 : det < -doubt ? -1 : 0;
}

static bool between(const double a[2], const double b[2], const double x[2])
{
    return fmin(a[0], b[0]) <= x[0] && x[0] <= fmax(a[0], b[0]) && fmin(a[1], b[1]) <= x[1] && x[1] <= fmax(a[1], b[1]);
}

typedef enum meeting { APART, TOUCH, CROSS } meeting;

static meeting meet(const double a[2], const double b[2], const double c[2], const double d[2])
{
    int ac = side_of(a, b, c), ad = side_of(a, b, d), ca = side_of(c, d, a), cb = side_of(c, d, b);
    if (ac * ad < 0 && ca * cb < 0)
        return CROSS;
    if ((ac == 0 && between(a, b, c)) || (ad == 0 && between(a, b, d)) || (ca == 0 && between(c, d, a)) || (cb == 0 && between(c, d, b)))
        return TOUCH;
    return APART;
}

scree_status edge_tree_check_simple(const edge_tree* tree, polygon_watch* watch)
{
    int32_t n = tree->n;
    for (int32_t e = 0; e < n; ++e) {
        const double *a = tree->p[e], *b = tree->p[e + 1];
        int32_t next = e + 1 < n ? e + 1 : 0;
        if (!(tree->t[e][2] > 0.0))
            return scree_fail(SCREE_ERR_ARGUMENT, "edge %" PRId32 " has no length: vertices %" PRId32 " and %" PRId32 " are the same point %g %g; expected different ones", e, e,
                              next, a[0], a[1]);
        const double *c = tree->p[next + 1], *u = tree->t[e], *w = tree->t[next];
        if (side_of(a, b, c) == 0 && u[0] * w[0] + u[1] * w[1] < 0.0)
            return scree_fail(SCREE_ERR_ARGUMENT, "edges %" PRId32 " and %" PRId32 " coincide: a spike at vertex %" PRId32 ", %g %g; expected an outline with an inside", e, next,
                              next, b[0], b[1]);
        scree_status status = polygon_watch_work(watch, vertex_units);
        if (status != SCREE_OK)
            return status;
    }
    for (int32_t e = 0; e < n; ++e) {
        const double *a = tree->p[e], *b = tree->p[e + 1];
        double box[4] = {fmin(a[0], b[0]), fmin(a[1], b[1]), fmax(a[0], b[0]), fmax(a[1], b[1])};
        int32_t node = 1, first;
        int64_t looked = 0;  // at nodes: many for an edge of a spiral, few of them leaves
        while ((first = edge_leaf_counted(tree, box, &node, &looked)) >= 0) {
            scree_status status = polygon_watch_work(watch, node_units * looked + vertex_units / 2 * edge_leaf);
            if (status != SCREE_OK)
                return status;
            looked = 0;
            for (int32_t f = first; f < edge_leaf_end(tree, first); ++f) {
                if (f <= e + 1 || (e == 0 && f == n - 1))
                    continue;
                meeting how = meet(a, b, tree->p[f], tree->p[f + 1]);
                if (how != APART)
                    return scree_fail(SCREE_ERR_ARGUMENT, "edges %" PRId32 " (%g %g to %g %g) and %" PRId32 " (%g %g to %g %g) %s; expected an outline that does not cross or touch itself", e, a[0], a[1], b[0],
                                      b[1], f, tree->p[f][0], tree->p[f][1], tree->p[f + 1][0], tree->p[f + 1][1],
                                      how == CROSS ? "cross" : "touch");
            }
        }
        scree_status status = polygon_watch_work(watch, node_units * looked);
        if (status != SCREE_OK)
            return status;
    }
    return SCREE_OK;
}
