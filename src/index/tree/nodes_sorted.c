// The octree of all spheres at once: spheres in the order of one walk through the tree, a node before its children.
//
//     spheres    | root | a | a's children ... | b | b's children ... |     the spheres of a branch are contiguous,
//                |<---------------------- of the root --------------->|     and begin with the spheres of its top node
//                       |<------- of a ------->|
//
// Each pair once: a sphere looks at those that stand after it. These are the rest of its own node, all below it, and
// the branches that leave the way from the root after the one that leads to it: at each node of the way the later
// children. Its ancestors, and the neighbours before it, look at it.
//
// The order is that of the leading bits of the cells, interleaved (a Morton curve), ancestors first. It comes from a
// radix sort by as many bits as the deepest level needs; in 3D more than 19 levels make two sorts. Then the nodes are
// made from the last sphere to the first: a node is due when its first branch is complete, and takes the complete ones
// in it as its children.
//
// Cost: build O(n) and some passes of the sort, all but the making of the nodes on all threads; scratch 64 bytes per
// sphere.
#include "index/tree/nodes.h"

#include "base/array.h"
#include "base/morton.h"
#include "base/parallel.h"
#include "geom/pair.h"
#include "index/tree/nodes_met.h"

#include <inttypes.h>

enum {
    block_size = 16384,
    digit_bits = 11,
    digits = 1 << digit_bits,
    level_bits = 5,
    chunk_spheres = 256,
    enough_to_take = 8  // spheres in a branch, before it is worth asking whether all of them are partners
};

// How many bits are set.
#define TWO(b) b, b + 1, b + 1, b + 2
#define FOUR(b) TWO(b), TWO(b + 1), TWO(b + 1), TWO(b + 2)
#define SIX(b) FOUR(b), FOUR(b + 1), FOUR(b + 1), FOUR(b + 2)
static const uint8_t bits_in[256] = {SIX(0), SIX(1), SIX(1), SIX(2)};

struct sort_record {
    uint64_t key;
    int32_t id;
};
typedef struct sort_record record;

static int64_t blocks_of(int64_t n)
{
    return (n + block_size - 1) / block_size;
}

static int64_t block_end(const sorted_nodes* s, int64_t b)
{
    return (b + 1) * block_size < s->it->n ? (b + 1) * block_size : s->it->n;
}

scree_status nodes_prepare(void* self, const items* it)
{
    sorted_nodes* s = &((nodes_method*)self)->sorted;
    int64_t n = it->n;
    if (n > nodes_most_spheres)
        return scree_fail(SCREE_ERR_MEMORY, "octree: %" PRId64 " spheres; expected at most %d", n,
                          (int)nodes_most_spheres);
    if (SCREE_RESERVE(s->nodes, s->node_capacity, 2 * n + 1) != SCREE_OK ||
        SCREE_RESERVE(s->xr, s->xr_capacity, n) != SCREE_OK || SCREE_RESERVE(s->id, s->id_capacity, n) != SCREE_OK ||
        SCREE_RESERVE(s->given, s->given_capacity, n) != SCREE_OK ||
        SCREE_RESERVE(s->places, s->place_capacity, n) != SCREE_OK ||
        SCREE_RESERVE(s->records, s->record_capacity, n) != SCREE_OK ||
        SCREE_RESERVE(s->others, s->other_capacity, n) != SCREE_OK ||
        SCREE_RESERVE(s->counts, s->count_capacity, blocks_of(n) * digits) != SCREE_OK)
        return SCREE_ERR_MEMORY;
    return SCREE_OK;
}

// ---- The order ----------------------------------------------------------------------------------------------------

// What a pass over the blocks needs to know.
typedef struct sort_job {
    sorted_nodes* s;
    int32_t depth;  // levels from the root that the key tells apart
    bool deeper;    // the key is that of the levels below
    int shift;      // of the digit that is sorted by
} sort_job;

static scree_status place_block(void* context, int64_t b)
{
    sorted_nodes* s = context;
    int32_t* on_level = s->counts + b * digits;
    memset(on_level, 0, (nodes_depth + 1) * sizeof *on_level);
    for (int64_t i = b * block_size; i < block_end(s, b); ++i) {
        s->given[i] = nodes_place_of(&s->root, s->it->xr[i]);
        s->records[i].id = (int32_t)i;
        ++on_level[s->given[i].level];
    }
    return SCREE_OK;
}

// The cells' bits, interleaved, and then the level: ancestors before descendants.
static uint64_t key_of(const sort_job* job, const nodes_place* at)
{
    uint32_t rest = (uint32_t)(nodes_depth - job->depth), below = (1u << rest) - 1u;
    uint64_t c[3];
    for (int k = 0; k < 3; ++k)
        c[k] = job->deeper ? at->cell[k] & below : at->cell[k] >> rest;
    uint64_t cells = scree_morton_key(job->s->root.dim, c);
    int32_t level = job->deeper || at->level <= job->depth ? at->level : job->depth + 1;
    return cells << level_bits | (uint64_t)level;
}

static scree_status make_keys(void* context, int64_t b)
{
    sort_job* job = context;
    sorted_nodes* s = job->s;
    for (int64_t p = b * block_size; p < block_end(s, b); ++p)
        s->records[p].key = key_of(job, &s->given[s->records[p].id]);
    return SCREE_OK;
}

static scree_status count_digits(void* context, int64_t b)
{
    sort_job* job = context;
    sorted_nodes* s = job->s;
    int32_t* counts = s->counts + b * digits;
    memset(counts, 0, digits * sizeof *counts);
    for (int64_t p = b * block_size; p < block_end(s, b); ++p)
        ++counts[s->records[p].key >> job->shift & (digits - 1)];
    return SCREE_OK;
}

static scree_status scatter(void* context, int64_t b)
{
    sort_job* job = context;
    sorted_nodes* s = job->s;
    int32_t* place = s->counts + b * digits;
    for (int64_t p = b * block_size; p < block_end(s, b); ++p)
        s->others[place[s->records[p].key >> job->shift & (digits - 1)]++] = s->records[p];
    return SCREE_OK;
}

// From counts to places, block after block inside each digit, so that the sort is stable.
static void counts_to_places(sorted_nodes* s, int64_t blocks)
{
    int32_t sum = 0;
    for (int64_t d = 0; d < digits; ++d)
        for (int64_t b = 0; b < blocks; ++b) {
            int32_t* count = &s->counts[b * digits + d];
            int32_t here = *count;
            *count = sum;
            sum += here;
        }
}

static void sort_by_key(sort_job* job, int bits)
{
    sorted_nodes* s = job->s;
    int64_t blocks = blocks_of(s->it->n);
    int32_t threads = s->it->threads;
    scree_parallel_for(threads, blocks, make_keys, job, NULL);
    for (job->shift = 0; job->shift < bits; job->shift += digit_bits) {
        scree_parallel_for(threads, blocks, count_digits, job, NULL);
        counts_to_places(s, blocks);
        scree_parallel_for(threads, blocks, scatter, job, NULL);
        record* swap = s->records;
        s->records = s->others;
        s->others = swap;
        int64_t capacity = s->record_capacity;
        s->record_capacity = s->other_capacity;
        s->other_capacity = capacity;
    }
}

static scree_status gather_block(void* context, int64_t b)
{
    sorted_nodes* s = context;
    for (int64_t p = b * block_size; p < block_end(s, b); ++p) {
        int32_t i = s->records[p].id;
        memcpy(s->xr[p], s->it->xr[i], sizeof *s->xr);
        s->places[p] = s->given[i];
        s->id[p] = i;
    }
    return SCREE_OK;
}

static void put_in_order(sorted_nodes* s)
{
    int64_t blocks = blocks_of(s->it->n);
    scree_parallel_for(s->it->threads, blocks, place_block, s, NULL);
    int32_t deepest = 0, dim = s->root.dim, most = (64 - level_bits) / dim;
    for (int32_t level = 0; level <= nodes_depth; ++level) {
        s->on_level[level] = 0;
        for (int64_t b = 0; b < blocks; ++b)
            s->on_level[level] += s->counts[b * digits + level];
        deepest = s->on_level[level] > 0 ? level : deepest;
    }
    sort_job job = {.s = s, .depth = deepest < most ? deepest : most};
    if (deepest > most) {
        job.deeper = true;
        sort_by_key(&job, (nodes_depth - most) * dim + level_bits);
        job.deeper = false;
    }
    sort_by_key(&job, job.depth * dim + level_bits);
    scree_parallel_for(s->it->threads, blocks, gather_block, s, NULL);
}

// ---- The nodes ----------------------------------------------------------------------------------------------------

static inline bool same_node(const nodes_place* a, const nodes_place* b)
{
    return a->level == b->level && nodes_common(a->cell, b->cell, nodes_depth) == nodes_depth;
}

// How deep the ways to two nodes are one.
static inline int32_t shared(const nodes_place* a, const nodes_place* b)
{
    return nodes_common(a->cell, b->cell, a->level < b->level ? a->level : b->level);
}

// Nodes that are complete and wait for their parent; the last is the first in order. At most eight for each level of
// the way.
typedef struct waiting {
    sorted_node node[nodes_stack + 1];
    int32_t count;
} waiting;

// The node of this level that holds sphere p, the first of its branch; `own` spheres live there. What waits and lies in
// it becomes its children.
static void make_node(sorted_nodes* s, waiting* w, int64_t p, int64_t own, int32_t level)
{
    sorted_node node = {
        .level = (int8_t)level, .first = (int32_t)p, .own_end = (int32_t)(p + own), .end = (int32_t)(p + own)};
    for (int k = 0; k < 3 && s->it->n > 0; ++k)
        node.cell[k] = s->places[p].cell[k] >> (nodes_depth - level) << (nodes_depth - level);
    node.first_child = (int32_t)s->node_count;
    while (w->count > 0 && nodes_common(w->node[w->count - 1].cell, node.cell, level) == level) {
        const sorted_node* child = &w->node[--w->count];
        node.children = (uint8_t)(node.children | 1 << nodes_octant(child->cell, level + 1));
        node.end = child->end;
        s->nodes[s->node_count] = *child;
        s->nodes[s->node_count++].deeper = child->level > level + 1;
    }
    w->node[w->count++] = node;
}

// How deep sphere p shares its way with the waiting node after the one that it begins; -1: there is none.
static int32_t parting(const sorted_nodes* s, const waiting* w, int64_t p)
{
    if (w->count < 2)
        return -1;
    const sorted_node* after = &w->node[w->count - 2];
    int32_t mine = w->node[w->count - 1].level;
    return nodes_common(s->places[p].cell, after->cell, mine < after->level ? mine : after->level);
}

static void make_nodes(sorted_nodes* s)
{
    waiting w = {.count = 0};
    int64_t n = s->it->n;
    s->node_count = 0;
    for (int64_t end = n; end > 0;) {
        int64_t p = end - 1;
        while (p > 0 && same_node(&s->places[p - 1], &s->places[p]))
            --p;
        make_node(s, &w, p, end - p, s->places[p].level);
        // Nodes that begin with this one: where it parts from what follows, as long as what came before is not in them.
        int32_t before = p > 0 ? shared(&s->places[p - 1], &s->places[p]) : -1;
        for (int32_t level; (level = parting(s, &w, p)) > before;)
            make_node(s, &w, p, 0, level);
        end = p;
    }
    if (w.count == 0 || w.node[0].level > 0)
        make_node(s, &w, 0, 0, 0);
    s->nodes[s->node_count++] = w.node[0];
}

scree_status nodes_build(void* self, const items* it)
{
    nodes_method* m = self;
    sorted_nodes* s = &m->sorted;
    s->it = it;
    s->root = nodes_root_of(it, nodes_looseness(m, it));
    put_in_order(s);
    make_nodes(s);
    return SCREE_OK;
}

// ---- The search ---------------------------------------------------------------------------------------------------

int64_t nodes_chunks(const void* self)
{
    return ((int64_t)((const nodes_method*)self)->sorted.it->n + chunk_spheres - 1) / chunk_spheres;
}

// One sphere, and the image of all others that is looked at.
typedef struct walker {
    const sorted_nodes* s;
    sink* to;
    int64_t place;
    const sorted_node* home;  // where the sphere lives
    int shift[3];
    double offset[3];
    nodes_ball ball;
} walker;

static void take(const walker* w, int64_t first, int64_t end)
{
    int32_t i = w->s->id[w->place];
    for (int64_t p = first; p < end; ++p)
        sink_put(w->to, i, w->s->id[p], w->shift[0], w->shift[1], w->shift[2]);
}

static void test(const walker* w, int64_t first, int64_t end)
{
    const sorted_nodes* s = w->s;
    const double* xr = s->xr[w->place];
    for (int64_t p = first; p < end; ++p)
        if (scree_is_pair(xr, s->xr[p], w->offset, s->it->gap))
            sink_put(w->to, s->id[w->place], s->id[p], w->shift[0], w->shift[1], w->shift[2]);
    w->to->tests += end - first;
}

// The children of a node that the ball meets, from `children`; puts them onto the stack.
static inline int32_t push(const walker* w, const sorted_node* node, unsigned children, int32_t* stack, int32_t depth)
{
    unsigned met = children == 0 ? 0 : children & nodes_met(&w->s->root, node->cell, node->level, &w->ball);
    for (; met != 0; met &= met - 1) {
        unsigned before = node->children & ((met & (0u - met)) - 1u);
        stack[depth++] = node->first_child + bits_in[before];
    }
    return depth;
}

// From the root to the sphere's node, past all branches that leave the way later; then everything that hangs on these.
static void walk(const walker* w)
{
    const sorted_nodes* s = w->s;
    const sorted_node *node = &s->nodes[s->node_count - 1], *home = w->home;
    int32_t stack[2 * nodes_stack], depth = 0;
    while (node != home) {
        unsigned octant = (unsigned)nodes_octant(home->cell, node->level + 1);
        depth = push(w, node, node->children & (0xfeu << octant), stack, depth);
        node = &s->nodes[node->first_child + bits_in[node->children & ((1u << octant) - 1u)]];
    }
    int64_t first = w->place + 1, looked = 1;
    test(w, first, node->own_end);
    depth = push(w, node, node->children, stack, depth);
    while (depth > 0) {
        node = &s->nodes[stack[--depth]];
        if (node->deeper && !nodes_meet(&s->root, node->cell, node->level, &w->ball))
            continue;
        ++looked;
        if (node->end - node->first >= enough_to_take && nodes_certain(&s->root, node->cell, node->level, &w->ball)) {
            take(w, node->first, node->end);
            continue;
        }
        test(w, node->first, node->own_end);
        depth = push(w, node, node->children, stack, depth);
    }
    w->to->cells += looked;
}

static void search_sphere(walker* w)
{
    const sorted_nodes* s = w->s;
    const items* it = s->it;
    const double* xr = s->xr[w->place];
    int32_t first[3], last[3];
    nodes_images(it, xr, xr[3] + it->r_max + it->gap, first, last);
    for (int sx = first[0]; sx <= last[0]; ++sx)
        for (int sy = first[1]; sy <= last[1]; ++sy)
            for (int sz = first[2]; sz <= last[2]; ++sz) {
                for (int k = 0; k < 3; ++k) {
                    w->shift[k] = k == 0 ? sx : k == 1 ? sy : sz;
                    w->offset[k] = w->shift[k] * it->length[k];
                }
                if (scree_shift_is_ahead(sx, sy, sz)) {  // its own image
                    ++w->to->tests;
                    if (scree_is_pair(xr, xr, w->offset, it->gap))
                        take(w, w->place, w->place + 1);
                }
                w->ball = nodes_ball_at(&s->root, xr, w->offset, xr[3] + it->gap);
                walk(w);
            }
}

// The node where a sphere lives: from the root towards it.
static const sorted_node* home_of(const sorted_nodes* s, int64_t p)
{
    const sorted_node* node = &s->nodes[s->node_count - 1];
    while (p >= node->own_end) {
        unsigned octant = (unsigned)nodes_octant(s->places[p].cell, node->level + 1);
        node = &s->nodes[node->first_child + bits_in[node->children & ((1u << octant) - 1u)]];
    }
    return node;
}

void nodes_pairs(const void* self, int64_t chunk, sink* to)
{
    const sorted_nodes* s = &((const nodes_method*)self)->sorted;
    if (items_reach(s->it) <= 0.0)
        return;
    int64_t end = (chunk + 1) * chunk_spheres < s->it->n ? (chunk + 1) * chunk_spheres : s->it->n;
    walker w = {.s = s, .to = to};
    for (w.place = chunk * chunk_spheres; w.place < end; ++w.place) {
        if (w.home == NULL || w.place >= w.home->own_end)
            w.home = home_of(s, w.place);
        search_sphere(&w);
        if (sink_stops(to))
            return;
    }
}

// ---- The rest -----------------------------------------------------------------------------------------------------

// A node's own spheres belong there, and its children take up the rest of its branch in order.
static scree_status validate_node(const sorted_nodes* s, int64_t k)
{
    const sorted_node* node = &s->nodes[k];
    int64_t next = node->own_end;
    int32_t c = node->first_child;
    for (unsigned rest = node->children; rest != 0; rest &= rest - 1, ++c) {
        const sorted_node* child = &s->nodes[c];
        if (c < 0 || c >= k || child->first != next || child->level <= node->level ||
            nodes_octant(child->cell, node->level + 1) != __builtin_ctz(rest) ||
            nodes_common(child->cell, node->cell, node->level) != node->level)
            return scree_fail(SCREE_ERR_ARGUMENT, "octree: node %" PRId32 " is not a child of node %" PRId64 "; expected it one level below, in its octant", c, k);
        next = child->end;
    }
    if (next != node->end)
        return scree_fail(SCREE_ERR_ARGUMENT,
                          "octree: node %" PRId64 " ends at sphere %" PRId32 "; expected %" PRId64 ", where its children end", k,
                          node->end, next);
    for (int64_t p = node->first; p < node->own_end; ++p) {
        int32_t i = s->id[p];
        if (i < 0 || i >= s->it->n || memcmp(s->xr[p], s->it->xr[i], sizeof *s->xr) != 0)
            return scree_fail(SCREE_ERR_ARGUMENT, "octree: position %" PRId64 " differs from sphere %" PRId32 "; expected its centre and radius",
                              p, i);
        nodes_place at = nodes_place_of(&s->root, s->xr[p]);
        if (at.level != node->level || nodes_common(at.cell, node->cell, nodes_depth) != nodes_depth)
            return scree_fail(SCREE_ERR_ARGUMENT, "octree: sphere %" PRId32 " does not belong to node %" PRId64 "; expected another node", i, k);
    }
    return SCREE_OK;
}

scree_status nodes_validate(const void* self)
{
    const sorted_nodes* s = &((const nodes_method*)self)->sorted;
    int64_t sum = 0, n = s->it->n, children = 0;
    const sorted_node* root = &s->nodes[s->node_count - 1];
    if (root->level != 0 || root->first != 0 || root->end != n)
        return scree_fail(SCREE_ERR_ARGUMENT, "octree: the root does not hold all spheres; expected all");
    for (int64_t k = 0; k < s->node_count; ++k) {
        scree_status status = validate_node(s, k);
        if (status != SCREE_OK)
            return status;
        children += bits_in[s->nodes[k].children];
    }
    for (int64_t p = 0; p < n; ++p)
        sum += s->id[p];
    if (sum != n * (n - 1) / 2 || children != s->node_count - 1)
        return scree_fail(SCREE_ERR_ARGUMENT, "octree: a sphere or a node is missing or there twice; expected each once");
    return SCREE_OK;
}

size_t sorted_bytes(const sorted_nodes* s)
{
    return (size_t)s->node_capacity * sizeof *s->nodes + (size_t)s->xr_capacity * sizeof *s->xr +
           (size_t)s->id_capacity * sizeof *s->id +
           (size_t)(s->given_capacity + s->place_capacity) * sizeof *s->places +
           (size_t)(s->record_capacity + s->other_capacity) * sizeof *s->records +
           (size_t)s->count_capacity * sizeof *s->counts;
}

void sorted_free(sorted_nodes* s)
{
    scree_free(s->nodes);
    scree_free(s->xr);
    scree_free(s->id);
    scree_free(s->given);
    scree_free(s->places);
    scree_free(s->records);
    scree_free(s->others);
    scree_free(s->counts);
    *s = (sorted_nodes){0};
}
