// The octree one by one: spheres come, go and move, and anyone may ask who is near.
//
// Nodes are in one array and know their parent and their children; spheres of a node are in a list. A node goes as soon as
// it holds no spheres and has fewer than two children. A sphere that moves within its node costs nothing.
//
// The node of a sphere follows from its radius and centre, and a hash table leads to it (nodes_table.h). If it does not exist yet, the table leads
// to the node that it will hang on; where the link to another branch passes its level, a second new node separates them. A node that goes takes
// at most its parent along, which then separates nothing any more. No node counts what hangs on it further down, so no change has to be
// passed up to the root: insertion, removal and a move touch a bounded number of nodes, whatever the depth of the tree.
//
// Near: from the root, into every node whose outer box the ball meets. Every node holds a sphere, or is above one.
//
// There are never more than 2 n + 1 nodes, and room for this many (and two more, for a sphere on its way) is made when a
// sphere comes: a move never needs memory. A sphere outside of the root makes a new tree in a root at least twice as
// large, so that this happens a few times and not again and again.
#include "index/tree/nodes.h"

#include "base/array.h"
#include "geom/pair.h"
#include "index/tree/nodes_met.h"
#include "index/tree/nodes_table.h"

#include <assert.h>
#include <float.h>
#include <inttypes.h>

enum { most_links = 2 };  // that a move follows up, and then down, before it uses the table

static scree_status reserve(linked_nodes* l, int64_t spheres, int64_t numbers)
{
    if (spheres > nodes_most_spheres)
        return scree_fail(SCREE_ERR_MEMORY, "octree: %" PRId64 " spheres; expected at most %d", spheres,
                          (int)nodes_most_spheres);
    if (SCREE_RESERVE(l->nodes, l->node_capacity, 2 * spheres + 3) != SCREE_OK)
        return SCREE_ERR_MEMORY;
    int64_t known = l->sphere_capacity;
    if (SCREE_RESERVE(l->spheres, l->sphere_capacity, numbers) != SCREE_OK)
        return SCREE_ERR_MEMORY;
    for (int64_t i = known; i < l->sphere_capacity; ++i)
        l->spheres[i] = (linked_sphere){.node = -1};
    return table_reserve(l, spheres);
}

// ---- Nodes --------------------------------------------------------------------------------------------------------

// The node of this level that holds the place. There is room.
static int32_t new_node(linked_nodes* l, const nodes_place* at, int32_t level)
{
    int32_t a = l->free_node;
    if (a >= 0) {
        l->free_node = l->nodes[a].parent;
        --l->free_count;
    } else {
        assert(l->node_count < l->node_capacity);
        a = l->node_count++;
    }
    linked_node* node = &l->nodes[a];
    *node = (linked_node){.level = (int8_t)level, .parent = -1, .head = -1};
    for (int k = 0; k < 3; ++k)
        node->cell[k] = at->cell[k] >> (nodes_depth - level) << (nodes_depth - level);
    ++l->work.cells;
    return a;
}

static void attach(linked_nodes* l, int32_t parent, int32_t child)
{
    linked_node *p = &l->nodes[parent], *c = &l->nodes[child];
    int octant = nodes_octant(c->cell, p->level + 1);
    bool first = p->children == 0;
    p->child[octant] = child;
    p->children = (uint8_t)(p->children | 1 << octant);
    c->parent = parent;
    if (first && parent > 0)
        table_add(l, parent);
    if (c->children != 0)
        table_hang(l, child, p->level);
    l->work.cells += 2;
}

static void free_node(linked_nodes* l, int32_t a)
{
    if (l->nodes[a].children != 0)
        table_remove(l, a);
    ++l->work.cells;
    l->nodes[a].parent = l->free_node;
    l->nodes[a].level = -1;
    l->free_node = a;
    ++l->free_count;
}

// Whether a place lies in a node, on the node's level or below.
static inline bool holds(const linked_node* node, const nodes_place* at)
{
    return node->level <= at->level && nodes_common(node->cell, at->cell, node->level) == node->level;
}

// The child of a node on the path to a place; -1: there is none.
static inline int32_t child_towards(const linked_nodes* l, int32_t a, const nodes_place* at)
{
    int octant = nodes_octant(at->cell, l->nodes[a].level + 1);
    int32_t c = (l->nodes[a].children >> octant & 1) != 0 ? l->nodes[a].child[octant] : -1;
    return c >= 0 && holds(&l->nodes[c], at) ? c : -1;
}

// The node where `at` lives, or the deepest one above. `a` is one above that is known already; this many links are followed from there before the table
// is used.
static int32_t find(linked_nodes* l, int32_t a, int links, const nodes_place* at)
{
    for (; l->nodes[a].level < at->level; --links) {
        if (links == 0 && l->nodes[a].children != 0)
            a = table_find(l, at, a, at->level - 1, &l->work.cells);
        int32_t c = child_towards(l, a, at);
        if (c < 0)
            break;
        a = c;
        ++l->work.cells;
    }
    return a;
}

// The same for a sphere that comes from nowhere, or from far away.
static int32_t find_new(linked_nodes* l, const nodes_place* at)
{
    if (at->level == 0)
        return 0;
    int32_t a = find(l, table_find_again(l, at, &l->work.cells), most_links, at);
    const linked_node* node = &l->nodes[a];
    l->above[at->level] = a == 0 || (node->level < at->level && node->children != 0) ? node->level : l->nodes[node->parent].level;
    return a;
}

// The same for a sphere that comes from the node `old`: most of the time a parent is above both.
static int32_t find_from(linked_nodes* l, int32_t old, const nodes_place* at)
{
    int32_t a = old;
    for (int up = 0; up < most_links; ++up) {
        a = l->nodes[a].parent;
        if (a < 0)
            break;
        ++l->work.cells;
        if (holds(&l->nodes[a], at))
            return find(l, a, most_links, at);
    }
    return find_new(l, at);
}

// The node where `at` lives, made if it is not there; `a` is that node or the deepest one above.
static int32_t make_below(linked_nodes* l, int32_t a, const nodes_place* at)
{
    if (l->nodes[a].level == at->level)
        return a;
    int octant = nodes_octant(at->cell, l->nodes[a].level + 1);
    if ((l->nodes[a].children >> octant & 1) != 0) {  // the path and the link to a child part, below the node
        int32_t c = l->nodes[a].child[octant], level = l->nodes[c].level < at->level ? l->nodes[c].level : at->level;
        int32_t parting = new_node(l, at, nodes_common(l->nodes[c].cell, at->cell, level));
        attach(l, a, parting);
        attach(l, parting, c);
        a = parting;
    }
    if (l->nodes[a].level < at->level) {
        int32_t made = new_node(l, at, at->level);
        attach(l, a, made);
        a = made;
    }
    return a;
}

// Removes a node that holds no spheres and has fewer than two children; then the same may hold for its parent.
static void tidy(linked_nodes* l, int32_t a)
{
    while (a > 0 && l->nodes[a].head < 0) {
        linked_node* node = &l->nodes[a];
        int32_t parent = node->parent;
        if ((node->children & (node->children - 1)) != 0)
            return;
        if (node->children != 0) {
            attach(l, parent, node->child[__builtin_ctz(node->children)]);
            free_node(l, a);
            return;
        }
        int octant = nodes_octant(node->cell, l->nodes[parent].level + 1);
        uint8_t left = (uint8_t)(l->nodes[parent].children & ~(1 << octant));
        if (left == 0 && parent > 0)
            table_remove(l, parent);
        l->nodes[parent].children = left;
        free_node(l, a);
        a = parent;
    }
}

// ---- Spheres ------------------------------------------------------------------------------------------------------

static void link_sphere(linked_nodes* l, int32_t i, int32_t a)
{
    linked_node* node = &l->nodes[a];
    l->spheres[i] = (linked_sphere){.node = a, .next = node->head, .previous = -1};
    if (node->head >= 0)
        l->spheres[node->head].previous = i;
    node->head = i;
    ++l->on_level[node->level];
    ++l->work.cells;
}

static void unlink_sphere(linked_nodes* l, int32_t i)
{
    linked_sphere* s = &l->spheres[i];
    --l->on_level[l->nodes[s->node].level];
    if (s->next >= 0)
        l->spheres[s->next].previous = s->previous;
    if (s->previous >= 0)
        l->spheres[s->previous].next = s->next;
    else
        l->nodes[s->node].head = s->next;
    s->node = -1;
    ++l->work.cells;
}

static void put_in(linked_nodes* l, int32_t i)
{
    nodes_place at = nodes_place_of(&l->root, l->it->xr[i]);
    link_sphere(l, i, make_below(l, find_new(l, &at), &at));
    ++l->count;
    l->r_max = fmax(l->r_max, l->it->xr[i][3]);
}

// No spheres, and the root alone. The table is empty already.
static void clear(linked_nodes* l)
{
    nodes_place all = {.level = 0};
    l->node_count = l->free_count = l->count = 0;
    l->free_node = -1;
    memset(l->on_level, 0, sizeof l->on_level);
    new_node(l, &all, 0);
}

static bool outside(const nodes_root* root, const double x[3])
{
    bool out = false;
    for (int k = 0; k < root->dim; ++k)
        out = out || !(x[k] >= root->lower[k] && x[k] <= root->lower[k] + root->side[0]);
    return out;
}

// A root that holds x too, with some room around, and all spheres put in again.
static void grow(linked_nodes* l, const double x[3])
{
    const nodes_root* old = &l->root;
    double lower[3] = {0.0, 0.0, 0.0}, length[3] = {0.0, 0.0, 0.0}, side = 2.0 * old->side[0];
    for (int k = 0; k < old->dim; ++k) {
        lower[k] = fmin(x[k], old->lower[k]);
        length[k] = fmax(x[k], old->lower[k] + old->side[0]) - lower[k];
        side = fmax(side, 1.25 * length[k]);
    }
    for (int k = 0; k < old->dim; ++k)  // most of the room where the sphere went
        lower[k] -= (side - length[k]) * (x[k] < old->lower[k] ? 0.875 : 0.125);
    l->root = nodes_root_at(old->dim, old->looseness, lower, side);
    table_clear(l);
    clear(l);
    for (int64_t i = 0; i < l->sphere_capacity; ++i)
        if (l->spheres[i].node >= 0)
            put_in(l, (int32_t)i);
}

// A first sphere in empty space says what a length is here: the root begins with it and grows from there.
static void begin_with(linked_nodes* l, const double xr[4])
{
    bool periodic = false;
    double lower[3] = {0.0, 0.0, 0.0}, side = fmax(2.0 * xr[3], SCREE_LENGTH_MIN);
    for (int k = 0; k < l->root.dim; ++k)
        periodic = periodic || l->it->periodic[k];
    for (int k = 0; k < l->root.dim; ++k)
        lower[k] = xr[k] - 0.5 * side;
    if (periodic)
        return;  // the box has said it
    l->root = nodes_root_at(l->root.dim, l->root.looseness, lower, side);
    clear(l);
}

// ---- What the table wants -----------------------------------------------------------------------------------------

scree_status nodes_open(void* self, const items* it)
{
    nodes_method* m = self;
    linked_nodes* l = &m->linked;
    l->it = NULL;
    if (reserve(l, it->n, it->n) != SCREE_OK)
        return SCREE_ERR_MEMORY;
    change_work before = l->work;
    l->it = it;
    l->root = nodes_root_of(it, nodes_looseness(m, it));
    l->r_max = 0.0;
    for (int64_t i = 0; i < l->sphere_capacity; ++i)
        l->spheres[i].node = -1;
    table_clear(l);
    clear(l);
    for (int32_t i = 0; i < it->n; ++i) {
        if (outside(&l->root, it->xr[i]))  // an index that has not updated its bounds since some were inserted
            grow(l, it->xr[i]);
        put_in(l, i);
        if (table_reserve(l, it->n) != SCREE_OK) {
            l->it = NULL;
            return SCREE_ERR_MEMORY;
        }
    }
    l->work = before;
    return SCREE_OK;
}

scree_status nodes_insert(void* self, int32_t i)
{
    linked_nodes* l = &((nodes_method*)self)->linked;
    if (reserve(l, (int64_t)l->count + 1, (int64_t)i + 1) != SCREE_OK)
        return SCREE_ERR_MEMORY;
    assert(l->spheres[i].node < 0);
    ++l->work.changes;
    if (l->count == 0)
        begin_with(l, l->it->xr[i]);
    if (outside(&l->root, l->it->xr[i]))
        grow(l, l->it->xr[i]);
    put_in(l, i);
    return SCREE_OK;
}

void nodes_remove(void* self, int32_t i)
{
    linked_nodes* l = &((nodes_method*)self)->linked;
    int32_t a = l->spheres[i].node;
    assert(a >= 0);
    ++l->work.changes;
    unlink_sphere(l, i);
    --l->count;
    tidy(l, a);
}

// A sphere alone in a leaf takes the leaf along, if that still hangs on the same link of its parent `a`: no other node changes.
static bool takes_along(linked_nodes* l, int32_t i, int32_t a, const nodes_place* at)
{
    int32_t old = l->spheres[i].node;
    linked_node* leaf = &l->nodes[old];
    if (leaf->parent != a || leaf->children != 0 || leaf->head != i || l->spheres[i].next >= 0 || l->nodes[a].level == at->level ||
        nodes_octant(at->cell, l->nodes[a].level + 1) != nodes_octant(leaf->cell, l->nodes[a].level + 1))
        return false;
    --l->on_level[leaf->level];
    ++l->on_level[at->level];
    leaf->level = (int8_t)at->level;
    memcpy(leaf->cell, at->cell, sizeof leaf->cell);
    return true;
}

scree_status nodes_move(void* self, int32_t i, const double from[4])
{
    linked_nodes* l = &((nodes_method*)self)->linked;
    (void)from;  // the node knows
    ++l->work.changes;
    if (outside(&l->root, l->it->xr[i])) {
        grow(l, l->it->xr[i]);
        return SCREE_OK;
    }
    nodes_place at = nodes_place_of(&l->root, l->it->xr[i]);
    int32_t old = l->spheres[i].node;
    ++l->work.cells;
    if (l->nodes[old].level == at.level && nodes_common(l->nodes[old].cell, at.cell, nodes_depth) == nodes_depth)
        return SCREE_OK;
    int32_t a = find_from(l, old, &at);
    if (takes_along(l, i, a, &at))
        return SCREE_OK;
    a = make_below(l, a, &at);
    unlink_sphere(l, i);
    link_sphere(l, i, a);
    tidy(l, old);
    return SCREE_OK;
}

// ---- Near ---------------------------------------------------------------------------------------------------------

// Who asks, and the image of all others that is looked at.
typedef struct asker {
    const linked_nodes* l;
    sink* to;
    const double* xr;
    int32_t own;   // -1 for images: they may be partners of their own sphere
    int32_t name;  // what the pairs say
    int shift[3];
    double offset[3];
    nodes_ball ball;
} asker;

static void put(const asker* q, int32_t j)
{
    sink_put_near(q->to, q->name, j, q->shift[0], q->shift[1], q->shift[2]);
}

// The whole branch, without tests.
static void take(const asker* q, int32_t branch)
{
    const linked_nodes* l = q->l;
    int32_t stack[nodes_stack], depth = 0;
    stack[depth++] = branch;
    while (depth > 0) {
        const linked_node* node = &l->nodes[stack[--depth]];
        ++q->to->cells;
        for (int32_t j = node->head; j >= 0; j = l->spheres[j].next)
            if (j != q->own)
                put(q, j);
        for (unsigned rest = node->children; rest != 0; rest &= rest - 1)
            stack[depth++] = node->child[__builtin_ctz(rest)];
    }
}

static void test(const asker* q, const linked_node* node)
{
    const linked_nodes* l = q->l;
    for (int32_t j = node->head; j >= 0; j = l->spheres[j].next) {
        if (j == q->own)
            continue;
        ++q->to->tests;
        if (scree_is_pair(q->xr, l->it->xr[j], q->offset, l->it->gap))
            put(q, j);
    }
}

static void walk(const asker* q)
{
    const linked_nodes* l = q->l;
    int32_t stack[nodes_stack], depth = 0;
    int8_t above[nodes_stack];  // levels of the parents
    stack[depth] = 0;
    above[depth++] = -1;
    while (depth > 0) {
        int32_t a = stack[--depth];
        const linked_node* node = &l->nodes[a];
        if (node->level > above[depth] + 1 && !nodes_meet(&l->root, node->cell, node->level, &q->ball))
            continue;
        unsigned met = node->children == 0 ? 0 : node->children & nodes_met(&l->root, node->cell, node->level, &q->ball);
        if (met != 0 && met == node->children && nodes_certain(&l->root, node->cell, node->level, &q->ball)) {
            take(q, a);
            continue;
        }
        ++q->to->cells;
        test(q, node);
        for (; met != 0; met &= met - 1) {
            stack[depth] = node->child[__builtin_ctz(met)];
            __builtin_prefetch(&l->nodes[stack[depth]]);  // all but the last have time to arrive
            above[depth++] = node->level;
        }
    }
}

void nodes_near(const void* self, const double xr[4], int32_t own, sink* to)
{
    const linked_nodes* l = &((const nodes_method*)self)->linked;
    const items* it = l->it;
    double reach = (xr[3] + l->r_max) + it->gap;
    int32_t first[3], last[3];
    if (!(reach > 0.0) || l->count == 0)
        return;
    nodes_images(it, xr, reach, first, last);
    asker q = {.l = l, .to = to, .xr = xr, .name = own};
    for (int sx = first[0]; sx <= last[0]; ++sx)
        for (int sy = first[1]; sy <= last[1]; ++sy)
            for (int sz = first[2]; sz <= last[2]; ++sz) {
                for (int k = 0; k < 3; ++k) {
                    q.shift[k] = k == 0 ? sx : k == 1 ? sy : sz;
                    q.offset[k] = q.shift[k] * it->length[k];
                }
                q.own = sx == 0 && sy == 0 && sz == 0 ? own : -1;
                q.ball = nodes_ball_at(&l->root, xr, q.offset, xr[3] + it->gap);
                walk(&q);
            }
}

// ---- Around -------------------------------------------------------------------------------------------------------

// Whether the sphere, at this offset, enters the box. Only then its nodes count in the strict tree, whose nodes at the faces have no end.
static bool enters(const linked_nodes* l, const double xr[4], const double offset[3])
{
    for (int k = 0; k < l->root.dim; ++k) {
        double at = (xr[k] - offset[k]) - l->it->lower[k], reach = xr[3] + l->it->gap;
        if (l->it->periodic[k] && (at + reach < 0.0 || at - reach > l->it->length[k]))
            return false;
    }
    return true;
}

// Whether any image of the sphere meets a node.
static bool meets(const linked_nodes* l, const linked_node* node, const double xr[4], const int32_t first[3], const int32_t last[3])
{
    for (int sx = first[0]; sx <= last[0]; ++sx)
        for (int sy = first[1]; sy <= last[1]; ++sy)
            for (int sz = first[2]; sz <= last[2]; ++sz) {
                double offset[3] = {sx * l->it->length[0], sy * l->it->length[1], sz * l->it->length[2]};
                nodes_ball ball = nodes_ball_at(&l->root, xr, offset, xr[3] + l->it->gap);
                if ((l->root.looseness > 1.0 || enters(l, xr, offset)) && nodes_meet(&l->root, node->cell, node->level, &ball))
                    return true;
            }
    return false;
}

void nodes_around(const void* self, int32_t i, scree_surroundings* out)
{
    const linked_nodes* l = &((const nodes_method*)self)->linked;
    const double* xr = l->it->xr[i];
    int32_t stack[nodes_stack], depth = 0, first[3], last[3];
    // Outer cubes of level 1 stick out of the box by this much, also where no sphere in them does.
    double out_of_box = 0.5 * (l->root.looseness - 1.0) * l->root.side[1];
    nodes_images(l->it, xr, (xr[3] + fmax(l->r_max, out_of_box)) + l->it->gap, first, last);
    *out = (scree_surroundings){.level = l->nodes[l->spheres[i].node].level};
    stack[depth++] = 0;
    while (depth > 0) {
        const linked_node* node = &l->nodes[stack[--depth]];
        if (node->parent >= 0 && !meets(l, node, xr, first, last))  // the root is looked at in any case
            continue;
        ++out->cells;
        for (int32_t j = node->head; j >= 0; j = l->spheres[j].next)
            out->spheres += j != i;
        for (unsigned rest = node->children; rest != 0; rest &= rest - 1)
            stack[depth++] = node->child[__builtin_ctz(rest)];
    }
}

// ---- Check --------------------------------------------------------------------------------------------------------

static scree_status check_sphere(const linked_nodes* l, int32_t a, int32_t i)
{
    const linked_node* node = &l->nodes[a];
    const double* xr = l->it->xr[i];
    nodes_place at = nodes_place_of(&l->root, xr);
    if (l->spheres[i].node != a || at.level != node->level ||
        nodes_common(at.cell, node->cell, nodes_depth) != nodes_depth)
        return scree_fail(SCREE_ERR_ARGUMENT, "octree: sphere %" PRId32 " does not belong to its node; expected another level than %d", i,
                          node->level);
    // In numbers of its own: the centre in the cell, the sphere in the outer cube, give or take rounding. At the faces
    // of the root it may stick out of a strict node, and of the root itself in any case.
    double side = l->root.side[node->level], slack = 64.0 * DBL_EPSILON * (l->root.largest + side);
    double out = 0.5 * (l->root.looseness - 1.0) * side;
    for (int k = 0; k < l->root.dim; ++k) {
        double low = l->root.lower[k] + node->cell[k] * l->root.side[nodes_depth], high = low + side;
        bool at_low = node->cell[k] == 0,
             at_high = node->cell[k] + (1u << (nodes_depth - node->level)) == 1u << nodes_depth;
        double low_out = node->level == 0 ? INFINITY : at_low && l->root.looseness == 1.0 ? INFINITY : out;
        double high_out = node->level == 0 ? INFINITY : at_high && l->root.looseness == 1.0 ? INFINITY : out;
        if (!(xr[k] >= low - slack && xr[k] <= high + slack && xr[k] - xr[3] >= low - low_out - slack &&
              xr[k] + xr[3] <= high + high_out + slack))
            return scree_fail(SCREE_ERR_ARGUMENT,
                              "octree: sphere %" PRId32 " extends beyond its node of level %d on axis %c; expected it inside", i,
                              node->level, "xyz"[k]);
    }
    return SCREE_OK;
}

// What lives in this node and hangs on it; adds its spheres to the sum.
static scree_status check_node(const linked_nodes* l, int32_t a, int64_t* spheres)
{
    const linked_node* node = &l->nodes[a];
    int64_t here = 0;
    for (int32_t i = node->head, before = -1; i >= 0; before = i, i = l->spheres[i].next) {
        scree_status status = check_sphere(l, a, i);
        if (status != SCREE_OK)
            return status;
        if (l->spheres[i].previous != before)
            return scree_fail(SCREE_ERR_ARGUMENT, "octree: the list of node %" PRId32 " is broken at sphere %" PRId32 "; expected links in both directions",
                              a, i);
        ++here;
    }
    for (unsigned rest = node->children; rest != 0; rest &= rest - 1) {
        int octant = __builtin_ctz(rest);
        const linked_node* child = &l->nodes[node->child[octant]];
        if (child->parent != a || child->level <= node->level || nodes_octant(child->cell, node->level + 1) != octant ||
            nodes_common(child->cell, node->cell, node->level) != node->level)
            return scree_fail(SCREE_ERR_ARGUMENT, "octree: node %" PRId32 " is not a child of node %" PRId32 "; expected it one level below, in its octant",
                              node->child[octant], a);
    }
    *spheres += here;
    if (a > 0 && here == 0 && (node->children & (node->children - 1)) == 0)
        return scree_fail(SCREE_ERR_ARGUMENT, "octree: node %" PRId32 " is empty; expected no empty nodes", a);
    return SCREE_OK;
}

scree_status nodes_check(const void* self)
{
    const linked_nodes* l = &((const nodes_method*)self)->linked;
    int32_t stack[nodes_stack], depth = 0;
    int64_t nodes = 0, spheres = 0, in_nodes = 0, on_level = 0;
    if (l->it == NULL)
        return SCREE_OK;
    stack[depth++] = 0;
    while (depth > 0) {
        int32_t a = stack[--depth];
        scree_status status = check_node(l, a, &in_nodes);
        if (status != SCREE_OK)
            return status;
        ++nodes;
        for (unsigned rest = l->nodes[a].children; rest != 0; rest &= rest - 1)
            stack[depth++] = l->nodes[a].child[__builtin_ctz(rest)];
    }
    for (int64_t i = 0; i < l->sphere_capacity; ++i)
        spheres += l->spheres[i].node >= 0;
    for (int level = 0; level <= nodes_depth; ++level)
        on_level += l->on_level[level];
    if (nodes + l->free_count != l->node_count || spheres != l->count || in_nodes != spheres || on_level != spheres)
        return scree_fail(SCREE_ERR_ARGUMENT,
                          "octree: %" PRId64 " nodes and %" PRId64 " spheres are connected; expected %" PRId32 " and %" PRId32,
                          nodes, in_nodes, l->node_count - l->free_count, l->count);
    return table_check(l);
}

change_work nodes_changes(const void* self)
{
    return ((const nodes_method*)self)->linked.work;
}

size_t linked_bytes(const linked_nodes* l)
{
    return (size_t)l->node_capacity * sizeof *l->nodes + (size_t)l->sphere_capacity * sizeof *l->spheres +
           (l->slot_bits > 0 ? sizeof *l->slots << l->slot_bits : 0);
}

void linked_free(linked_nodes* l)
{
    scree_free(l->nodes);
    scree_free(l->spheres);
    scree_free(l->slots);
    *l = (linked_nodes){0};
}
