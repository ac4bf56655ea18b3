// The root of an octree, where spheres live in it, and balls in its units.
//
// Strict: the cells of level 30 that hold the two ends of a sphere on each axis share some leading bits; the deepest
// node that holds the sphere whole has just these. The faces of the root do not count as cuts: what sticks out there
// lives as if it ended at the face, and the outer boxes of nodes at a face are endless beyond it. (In terms of
// distances: a ball is moved onto the root first.)
//
// Loose: a sphere of diameter d fits into the outer cube of every cell of side s >= d/(k - 1) that holds its centre:
// level floor(log2((k - 1) s0/d)). If it happens to lie well within the child that holds its centre, it goes there, one
// level deeper.
#include "index/tree/nodes.h"

#include "base/array.h"

#include <float.h>

nodes_root nodes_root_at(int32_t dim, double looseness, const double lower[3], double side)
{
    nodes_root root = {.dim = dim, .looseness = looseness, .units = (double)(1 << nodes_depth) / side};
    for (int32_t level = 0; level <= nodes_depth; ++level) {
        root.side[level] = ldexp(side, -level);
        double cells = ldexp(1.0, nodes_depth - level);
        root.out[level] = (float)(cells * (0.5 * (looseness - 1.0) * (1.0 + 1e-5) + 1e-5));
    }
    for (int k = 0; k < dim; ++k) {
        root.lower[k] = lower[k];
        root.axes[k] = 1.0f;
        root.largest = fmax(root.largest, fmax(fabs(lower[k]), fabs(lower[k] + side)));
    }
    return root;
}

nodes_root nodes_root_of(const items* it, double looseness)
{
    double side = 0.0;
    for (int k = 0; k < it->dim; ++k)
        side = fmax(side, it->length[k]);
    if (!(side > 0.0))
        side = it->r_max > 0.0 ? 2.0 * it->r_max : 1.0;  // all centres are one
    return nodes_root_at(it->dim, looseness, it->lower, side);
}

// The cell of level 30 that holds a coordinate; what is outside is held by the cell at the face.
static inline uint32_t cell_at(const nodes_root* root, int k, double x)
{
    double at = (x - root->lower[k]) * root->units;
    return at >= (double)(1 << nodes_depth) ? (1u << nodes_depth) - 1 : at > 0.0 ? (uint32_t)at : 0;
}

static inline void cut_to_level(nodes_place* at, int32_t level)
{
    at->level = level;
    for (int k = 0; k < 3; ++k)
        at->cell[k] = at->cell[k] >> (nodes_depth - level) << (nodes_depth - level);
}

static nodes_place place_strictly(const nodes_root* root, const double xr[4])
{
    nodes_place at = {.level = 0};
    uint32_t ends[3] = {0, 0, 0};
    for (int k = 0; k < root->dim; ++k) {
        at.cell[k] = cell_at(root, k, xr[k] - xr[3]);
        ends[k] = cell_at(root, k, xr[k] + xr[3]);
    }
    cut_to_level(&at, nodes_common(at.cell, ends, nodes_depth));
    return at;
}

// The deepest level whose outer cubes hold a sphere wherever it lies in the cell. Also at d = (k - 1) s_l, to the last
// bit: of two doubles a < b the quotient is at most 1 - 2^-53, which is a double itself, so no rounding lifts it over a
// power of 2.
static int32_t level_of(const nodes_root* root, double d)
{
    double ratio = d > 0.0 ? (root->looseness - 1.0) * root->side[0] / d : INFINITY;
    if (!(ratio < (double)(1 << nodes_depth)))
        return nodes_depth;
    uint32_t whole = ratio >= 1.0 ? (uint32_t)ratio : 1u;
    return 31 - __builtin_clz(whole);  // floor(log2), without a call
}

static bool fits_child(const nodes_root* root, const double xr[4], const uint32_t cell[3], int32_t level)
{
    double unit = root->side[nodes_depth], side = root->side[level];
    for (int k = 0; k < root->dim; ++k) {
        uint32_t corner = cell[k] >> (nodes_depth - level) << (nodes_depth - level);
        double centre = root->lower[k] + (corner * unit + 0.5 * side);
        if (!(fabs(xr[k] - centre) + xr[3] <= 0.5 * root->looseness * side))
            return false;
    }
    return true;
}

static nodes_place place_loosely(const nodes_root* root, const double xr[4])
{
    nodes_place at = {.level = 0};
    for (int k = 0; k < root->dim; ++k)
        at.cell[k] = cell_at(root, k, xr[k]);
    int32_t level = level_of(root, 2.0 * xr[3]);
    if (level < nodes_depth && fits_child(root, xr, at.cell, level + 1))
        ++level;
    cut_to_level(&at, level);
    return at;
}

nodes_place nodes_place_of(const nodes_root* root, const double xr[4])
{
    return root->looseness > 1.0 ? place_loosely(root, xr) : place_strictly(root, xr);
}

nodes_ball nodes_ball_at(const nodes_root* root, const double x[3], const double offset[3], double reach)
{
    nodes_ball ball = {.square = 0.0f};
    const double one = (double)(1 << nodes_depth), endless = 1e38;  // more than any square that comes up
    double units = root->units, largest = root->largest + fabs(reach);
    double least = root->looseness > 1.0 ? 1.0 - one : 0.0, most = root->looseness > 1.0 ? 2.0 * one - 1.0 : one;
    bool far = false;
    for (int k = 0; k < root->dim; ++k) {
        double at = ((x[k] - offset[k]) - root->lower[k]) * units;
        largest = fmax(largest, fabs(x[k]) + fabs(offset[k]));
        far = far || !(at >= least && at <= most);
        ball.centre[k] = (int32_t)(at >= least ? at <= most ? at : most : least);
    }
    double margin = 64.0 * DBL_EPSILON * largest * units + 4.0;
    double wide = (fmax(reach, 0.0) * units + margin) * (1.0 + 1e-6), narrow = reach * units * (1.0 - 1e-6) - margin;
    ball.square = (float)fmin(wide * wide * (1.0 + 1e-6), endless);
    ball.certain = narrow > 0.0 && !far ? (float)fmin(narrow * narrow * (1.0 - 1e-6), endless) : 0.0f;
    return ball;
}

void nodes_images(const items* it, const double x[3], double reach, int32_t first[3], int32_t last[3])
{
    for (int k = 0; k < 3; ++k) {
        first[k] = last[k] = 0;
        if (k >= it->dim || !it->periodic[k])
            continue;
        double length = it->length[k], at = x[k] - it->lower[k];
        double most = reach * (1.0 + 1e-9) + 1e-9 * length + 64.0 * DBL_EPSILON * (fabs(x[k]) + fabs(it->lower[k]));
        first[k] = (int32_t)fmax(ceil((at - length - most) / length), -INT8_MAX);  // no shift can say more
        last[k] = (int32_t)fmin(floor((at + most) / length), INT8_MAX);
    }
}

// ---- The object ---------------------------------------------------------------------------------------------------

void* nodes_create(bool loose)
{
    nodes_method* m = scree_calloc(1, sizeof *m);
    if (m != NULL)
        m->loose = loose;
    return m;
}

double nodes_looseness(const nodes_method* m, const items* it)
{
    return !m->loose ? 1.0 : it->def->loose_factor > 0.0 ? it->def->loose_factor : 2.0;
}

int64_t nodes_levels(const void* self)
{
    const nodes_method* m = self;
    const int64_t* on_level = m->sorted.it != NULL ? m->sorted.on_level : m->linked.on_level;
    int64_t used = 0;
    for (int level = 0; level <= nodes_depth; ++level)
        used += on_level[level] > 0;
    return used;
}

size_t nodes_bytes(const void* self)
{
    const nodes_method* m = self;
    return sizeof *m + sorted_bytes(&m->sorted) + linked_bytes(&m->linked);
}

void nodes_destroy(void* self)
{
    nodes_method* m = self;
    sorted_free(&m->sorted);
    linked_free(&m->linked);
    scree_free(m);
}
