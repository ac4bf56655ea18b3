#include "harness.h"

#include <math.h>
#include <string.h>

// The number of the cell that holds a coordinate counted from the lower face; what is outside belongs to the cell at the face.
static double cell_of(double at, double side, double cells)
{
    return fmin(fmax(floor(at / side), 0.0), cells - 1.0);
}

plain_node plain_octree_node(const scree_box* cube, bool loose, const double x[3], double r)
{
    double s = cube->upper[0] - cube->lower[0];
    int level = 0;
    for (bool fits = true; fits && level + 1 < plain_octree_levels;) {
        double side = ldexp(s, -(level + 1)), cells = ldexp(1.0, level + 1);
        for (int k = 0; k < 3; ++k) {
            double at = x[k] - cube->lower[k];
            if (loose)
                fits = fits && fabs(at - (cell_of(at, side, cells) + 0.5) * side) + r <= side;
            else
                fits = fits && cell_of(at - r, side, cells) == cell_of(at + r, side, cells);
        }
        fits = fits || (loose && 2.0 * r <= side);  // then it fits wherever it lies
        level += fits;
    }
    plain_node node = {.level = level, .side = ldexp(s, -level)};
    for (int k = 0; k < 3; ++k)
        node.low[k] = cell_of(x[k] - cube->lower[k], node.side, ldexp(1.0, level)) * node.side;
    return node;
}

static bool meets(const plain_node* node, double s, bool loose, const double centre[3], double reach)
{
    double sum = 0.0, out = loose ? 0.5 * node->side : 0.0;
    for (int k = 0; k < 3; ++k) {
        double at = centre[k];
        if (!loose) {  // strict nodes at the faces have no end there, but only a sphere that enters the cube looks into them
            if (at + reach < 0.0 || at - reach > s)
                return false;
            at = fmin(fmax(at, 0.0), s);
        }
        double beyond = fmax(fmax((node->low[k] - out) - at, at - (node->low[k] + node->side + out)), 0.0);
        sum += beyond * beyond;
    }
    return sum <= reach * reach;
}

int64_t plain_octree_around(scree_spheres spheres, const scree_box* cube, const plain_node* nodes, bool loose, double gap, int32_t i)
{
    double s = cube->upper[0] - cube->lower[0], reach = spheres.r[i] + gap;
    int64_t sum = 0;
    for (int32_t j = 0; j < spheres.count; ++j) {
        bool met = nodes[j].level == 0;
        for (int image = 0; image < 27 && !met && j != i; ++image) {
            const int shift[3] = {image % 3 - 1, image / 3 % 3 - 1, image / 9 - 1};
            double centre[3];
            for (int k = 0; k < 3; ++k)
                centre[k] = spheres.x[3 * (int64_t)i + k] - cube->lower[k] + shift[k] * s;
            met = meets(&nodes[j], s, loose, centre, reach);
        }
        sum += met && j != i;
    }
    return sum;
}

int64_t plain_cells_around(scree_spheres spheres, const scree_box* cube, double cell, int32_t i)
{
    double s = cube->upper[0] - cube->lower[0], cells = fmax(floor(s / cell), 1.0);
    int64_t sum = 0;
    for (int32_t j = 0; j < spheres.count; ++j) {
        bool near = j != i;
        for (int k = 0; k < 3; ++k) {
            double mine = cell_of(spheres.x[3 * (int64_t)i + k] - cube->lower[k], s / cells, cells);
            double apart = fabs(cell_of(spheres.x[3 * (int64_t)j + k] - cube->lower[k], s / cells, cells) - mine);
            near = near && (apart <= 1.0 || apart == cells - 1.0);
        }
        sum += near;
    }
    return sum;
}

// The part of an axis where no plane between cells of this level cuts a sphere. Where spheres are longer than cells, what the planes cut overlaps, and only the cells at the
// two faces are left.
static double uncut(double s, double d, int level)
{
    double side = ldexp(s, -level);
    return d <= side ? 1.0 - (ldexp(1.0, level) - 1.0) * d / s : level == 0 ? 1.0 : fmax(2.0 * (side - 0.5 * d) / s, 0.0);
}

double plain_octree_share(double s, double d, bool loose, int level)
{
    if (!loose) {
        double here = uncut(s, d, level), below = uncut(s, d, level + 1);
        return here * here * here - below * below * below;
    }
    int least = 0;
    while (least + 2 < plain_octree_levels && d <= ldexp(s, -(least + 1)))
        ++least;
    double deeper = fmin(fmax(2.0 - d / ldexp(s, -(least + 1)), 0.0), 1.0);
    deeper *= deeper * deeper;
    return level == least ? 1.0 - deeper : level == least + 1 ? deeper : 0.0;
}

// ---- The octree that descends ----------------------------------------------------------------------------------------

typedef struct tree_node {
    int32_t child[8], parent, first;  // -1: none; first: of the spheres stored here
} tree_node;

struct plain_tree {
    scree_box cube;
    tree_node* nodes;
    int32_t node_count, node_room, free_node;  // free_node: nodes that were deleted, linked by their parents
    int32_t *next, *before, *at;               // of each sphere: its neighbours in the list of its node, and that node
    int64_t steps;
};

static int32_t new_node(plain_tree* t, int32_t parent)
{
    int32_t n = t->free_node;
    if (n >= 0) {
        t->free_node = t->nodes[n].parent;
    } else if (t->node_count == t->node_room) {
        tree_node* wider = scree_realloc(t->nodes, 2 * (size_t)t->node_room + 64, sizeof *wider);
        if (wider == NULL)
            return -1;
        t->nodes = wider;
        t->node_room = 2 * t->node_room + 64;
    }
    n = n >= 0 ? n : t->node_count++;
    t->nodes[n] = (tree_node){.parent = parent, .first = -1};
    memset(t->nodes[n].child, 0xff, sizeof t->nodes[n].child);  // -1
    return n;
}

plain_tree* plain_tree_create(const scree_box* cube, int32_t spheres)
{
    plain_tree* t = scree_calloc(1, sizeof *t);
    if (t == NULL)
        return NULL;
    *t = (plain_tree){.cube = *cube, .free_node = -1, .next = scree_malloc(3 * (size_t)spheres, sizeof *t->next)};
    if (t->next == NULL || new_node(t, -1) < 0) {
        plain_tree_destroy(t);
        return NULL;
    }
    t->before = t->next + spheres;
    t->at = t->before + spheres;
    return t;
}

void plain_tree_destroy(plain_tree* t)
{
    if (t == NULL)
        return;
    scree_free(t->nodes);
    scree_free(t->next);
    scree_free(t);
}

scree_status plain_tree_insert(plain_tree* t, int32_t i, const double x[3], double r)
{
    double side = t->cube.upper[0] - t->cube.lower[0], low[3] = {0.0, 0.0, 0.0};
    const double s = side;
    int32_t node = 0;
    ++t->steps;
    for (int level = 0; level + 1 < plain_octree_levels; ++level) {
        int octant = 0;
        bool fits = true;
        side *= 0.5;
        for (int k = 0; k < 3; ++k) {
            const double at = x[k] - t->cube.lower[k], from = low[k] + (at >= low[k] + side ? side : 0.0);
            octant |= (from > low[k]) << k;
            fits = fits && (at - r >= from || from == 0.0) && (at + r < from + side || from + side == s);  // the faces of the cube do not count
            low[k] = from;
        }
        if (!fits)
            break;
        if (t->nodes[node].child[octant] < 0) {
            int32_t made = new_node(t, node);
            if (made < 0)
                return SCREE_ERR_MEMORY;
            t->nodes[node].child[octant] = made;
        }
        node = t->nodes[node].child[octant];
        ++t->steps;
    }
    t->at[i] = node;
    t->before[i] = -1;
    t->next[i] = t->nodes[node].first;
    if (t->next[i] >= 0)
        t->before[t->next[i]] = i;
    t->nodes[node].first = i;
    return SCREE_OK;
}

// Nodes without spheres and without children are deleted, upwards.
void plain_tree_remove(plain_tree* t, int32_t i)
{
    int32_t node = t->at[i];
    ++t->steps;
    if (t->next[i] >= 0)
        t->before[t->next[i]] = t->before[i];
    if (t->before[i] >= 0)
        t->next[t->before[i]] = t->next[i];
    else
        t->nodes[node].first = t->next[i];
    while (node > 0 && t->nodes[node].first < 0) {
        const int32_t parent = t->nodes[node].parent;
        bool leaf = true;
        for (int c = 0; c < 8; ++c)
            leaf = leaf && t->nodes[node].child[c] < 0;
        if (!leaf)
            break;
        for (int c = 0; c < 8; ++c)
            if (t->nodes[parent].child[c] == node)
                t->nodes[parent].child[c] = -1;
        t->nodes[node].parent = t->free_node;
        t->free_node = node;
        node = parent;
        ++t->steps;
    }
}

int plain_tree_level(const plain_tree* t, int32_t i)
{
    int level = 0;
    for (int32_t node = t->at[i]; node > 0; node = t->nodes[node].parent)
        ++level;
    return level;
}

int64_t plain_tree_steps(const plain_tree* t)
{
    return t->steps;
}
