// The octree of all spheres at once: nodes and spheres in the order of one walk through the tree, a node before its children.
//
//     node       0  1  2  3  4  5  6          0 is the root; 1 has the children 2 and 3; 4 has the children 5 and 6
//     skip       7  4  3  4  7  6  7          where the walk goes on if a node is not looked into
//     spheres    first ....................   those of a branch are one stretch
//
// So a search is a loop over an array and not a descent: look into a node and go on to the next, or skip its branch. And "each pair
// once" needs no test: sphere p begins at its own node and meets only spheres that stand after it. Its ancestors, and the
// neighbours before it, have looked at it.
//
// The order is that of the leading bits of the cells, interleaved (a Morton curve), ancestors first. It comes from a radix sort by
// as many bits as the deepest level needs; in 3D more than 19 levels make two sorts. Then the nodes are written from the last to the
// first: each knows its branch when it is written, and a node where branches part is due when its first branch is complete.
//
// Cost: build O(n) and some passes of the sort, all but the writing of the nodes on all threads; scratch 48 bytes per sphere.
#include "index/nodes.h"

#include "base/array.h"
#include "base/parallel.h"
#include "geom/pair.h"

#include <inttypes.h>

enum {
    block_size = 16384,
    digit_bits = 11,
    digits = 1 << digit_bits,
    level_bits = 5,
    chunk_spheres = 256,
    enough_to_take = 8  // spheres in a branch, before it is worth asking whether all of them are partners
};

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
    if (SCREE_RESERVE(s->nodes, s->node_capacity, 2 * n + 2) != SCREE_OK || SCREE_RESERVE(s->xr, s->xr_capacity, n) != SCREE_OK ||
        SCREE_RESERVE(s->id, s->id_capacity, n) != SCREE_OK || SCREE_RESERVE(s->given, s->given_capacity, n) != SCREE_OK ||
        SCREE_RESERVE(s->places, s->place_capacity, n) != SCREE_OK ||
        SCREE_RESERVE(s->records, s->record_capacity, n) != SCREE_OK ||
        SCREE_RESERVE(s->others, s->other_capacity, n) != SCREE_OK ||
        SCREE_RESERVE(s->counts, s->count_capacity, blocks_of(n) * digits) != SCREE_OK)
        return SCREE_ERR_MEMORY;
    return SCREE_OK;
}

// ---- The order -------------------------------------------------------------------------------------------------------

// What a pass over the blocks needs to know.
typedef struct sort_job {
    sorted_nodes* s;
    int32_t depth;   // levels from the root that the key tells apart
    bool deeper;     // the key is that of the levels below
    int shift;       // of the digit that is sorted by
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

static uint64_t spread_by_two(uint64_t bits)  // two zeros after each of 20 bits
{
    bits = (bits | bits << 32) & 0x1f00000000ffff;
    bits = (bits | bits << 16) & 0x1f0000ff0000ff;
    bits = (bits | bits << 8) & 0x100f00f00f00f00f;
    bits = (bits | bits << 4) & 0x10c30c30c30c30c3;
    return (bits | bits << 2) & 0x1249249249249249;
}

static uint64_t spread_by_one(uint64_t bits)  // a zero after each of 30 bits
{
    bits = (bits | bits << 16) & 0x0000ffff0000ffff;
    bits = (bits | bits << 8) & 0x00ff00ff00ff00ff;
    bits = (bits | bits << 4) & 0x0f0f0f0f0f0f0f0f;
    bits = (bits | bits << 2) & 0x3333333333333333;
    return (bits | bits << 1) & 0x5555555555555555;
}

// The cells' bits, interleaved, and then the level: ancestors before descendants.
static uint64_t key_of(const sort_job* job, const nodes_place* at)
{
    uint32_t rest = (uint32_t)(nodes_depth - job->depth), below = (1u << rest) - 1u;
    uint64_t c[3];
    for (int k = 0; k < 3; ++k)
        c[k] = job->deeper ? at->cell[k] & below : at->cell[k] >> rest;
    uint64_t cells = job->s->root.dim == 3 ? spread_by_two(c[0]) | spread_by_two(c[1]) << 1 | spread_by_two(c[2]) << 2
                                           : spread_by_one(c[0]) | spread_by_one(c[1]) << 1;
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

// ---- The nodes -------------------------------------------------------------------------------------------------------

static inline bool same_node(const nodes_place* a, const nodes_place* b)
{
    return a->level == b->level && nodes_common(a->cell, b->cell, nodes_depth) == nodes_depth;
}

// How deep the nodes of two spheres share their way; -1 before the first sphere.
static int32_t shared(const sorted_nodes* s, int64_t p, int64_t q)
{
    const nodes_place *a = &s->places[p], *b = &s->places[q];
    return p < 0 ? -1 : nodes_common(a->cell, b->cell, a->level < b->level ? a->level : b->level);
}

// One node for each place, one wherever ways part and nobody lives, and the root. The levels on the way from the root to the node
// at hand are kept as bits.
static int64_t count_nodes(const sorted_nodes* s)
{
    int64_t nodes = 1;
    uint32_t way = 1;
    for (int64_t p = 0; p < s->it->n; ++p) {
        if (p > 0 && same_node(&s->places[p - 1], &s->places[p]))
            continue;
        int32_t parting = p > 0 ? shared(s, p - 1, p) : 0;
        way &= (2u << parting) - 1u;
        nodes += (way >> parting & 1u) == 0;
        way |= 1u << parting;
        nodes += (way >> s->places[p].level & 1u) == 0;
        way |= 1u << s->places[p].level;
    }
    return nodes;
}

// Writes node number k, whose first sphere (its own, or of its first branch) is p. Its branch is all that follows and lies in it.
static void write_node(sorted_nodes* s, int64_t k, int64_t p, int32_t level)
{
    nodes_place at = s->places[p];
    for (int e = 0; e < 3; ++e)
        at.cell[e] = at.cell[e] >> (nodes_depth - level) << (nodes_depth - level);
    at.level = level;
    sorted_node* node = &s->nodes[k];
    nodes_box(&s->root, &at, node->lower, node->upper);
    node->first = (int32_t)p;
    int64_t next = k + 1;
    while (next < s->node_count && nodes_common(s->places[s->nodes[next].first].cell, at.cell, level) == level)
        next = s->nodes[next].skip;
    node->skip = (int32_t)next;
}

static void write_nodes(sorted_nodes* s)
{
    int64_t n = s->it->n, k = s->node_count;
    s->nodes[k] = (sorted_node){.skip = (int32_t)k, .first = (int32_t)n};
    for (int64_t end = n; end > 0;) {
        int64_t p = end - 1;
        while (p > 0 && same_node(&s->places[p - 1], &s->places[p]))
            --p;
        int32_t level = s->places[p].level, before = shared(s, p - 1, p);
        write_node(s, --k, p, level);
        // Nodes that begin with this one: where it parts from what follows, as long as what came before is not in them.
        while (s->nodes[k].skip < s->node_count) {
            int64_t follower = s->nodes[s->nodes[k].skip].first;
            int32_t parting = shared(s, p, follower);
            parting = parting < level ? parting : level;
            if (parting <= before)
                break;
            level = parting;
            write_node(s, --k, p, level);
        }
        end = p;
    }
    if (k > 0) {
        nodes_place all = {.level = 0};
        s->nodes[0] = (sorted_node){.skip = (int32_t)s->node_count};
        nodes_box(&s->root, &all, s->nodes[0].lower, s->nodes[0].upper);
    }
}

scree_status nodes_build(void* self, const items* it)
{
    nodes_method* m = self;
    sorted_nodes* s = &m->sorted;
    s->it = it;
    s->root = nodes_root_of(it, nodes_looseness(m, it));
    put_in_order(s);
    s->node_count = count_nodes(s);
    write_nodes(s);
    return SCREE_OK;
}

// ---- The search ------------------------------------------------------------------------------------------------------

int64_t nodes_chunks(const void* self)
{
    return ((int64_t)((const nodes_method*)self)->sorted.it->n + chunk_spheres - 1) / chunk_spheres;
}

// One sphere, and the image of all others that is looked at.
typedef struct walker {
    const sorted_nodes* s;
    sink* to;
    int64_t place;
    int shift[3];
    double offset[3];
    nodes_ball ball;
} walker;

static inline bool apart(const sorted_node* node, const nodes_ball* ball)
{
    if ((node->lower[0] > ball->upper[0]) | (node->upper[0] < ball->lower[0]) | (node->lower[1] > ball->upper[1]) |
        (node->upper[1] < ball->lower[1]) | (node->lower[2] > ball->upper[2]) | (node->upper[2] < ball->lower[2]))
        return true;
    float x = (float)nodes_beyond(ball->centre[0], node->lower[0], node->upper[0]);
    float y = (float)nodes_beyond(ball->centre[1], node->lower[1], node->upper[1]);
    float z = (float)nodes_beyond(ball->centre[2], node->lower[2], node->upper[2]);
    return x * x + y * y + z * z > ball->square;
}

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

// From the sphere's own node on.
static void walk(const walker* w, int64_t node)
{
    const sorted_nodes* s = w->s;
    int64_t next = w->place + 1, looked = 0;
    for (int64_t k = node; k < s->node_count;) {
        const sorted_node* at = &s->nodes[k];
        if (apart(at, &w->ball)) {
            k = at->skip;
            continue;
        }
        ++looked;
        int64_t first = at->first > next ? at->first : next, end = s->nodes[at->skip].first;
        if (end - first >= enough_to_take && nodes_certain(&w->ball, at->lower, at->upper)) {
            take(w, first, end);
            k = at->skip;
            continue;
        }
        ++k;
        end = s->nodes[k].first;
        if (end > first)
            test(w, first, end);
    }
    w->to->cells += looked;
}

static void search_sphere(walker* w, int64_t node)
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
                if (sx > 0 || (sx == 0 && (sy > 0 || (sy == 0 && sz > 0)))) {  // its own image
                    ++w->to->tests;
                    if (scree_is_pair(xr, xr, w->offset, it->gap))
                        take(w, w->place, w->place + 1);
                }
                w->ball = nodes_ball_at(&s->root, xr, w->offset, xr[3] + it->gap);
                walk(w, node);
            }
}

// The last node that begins at or before a place: the one where the sphere lives.
static int64_t node_of(const sorted_nodes* s, int64_t place)
{
    int64_t low = 0, high = s->node_count;
    while (high - low > 1) {
        int64_t middle = low + (high - low) / 2;
        if (s->nodes[middle].first <= place)
            low = middle;
        else
            high = middle;
    }
    return low;
}

void nodes_pairs(const void* self, int64_t chunk, sink* to)
{
    const sorted_nodes* s = &((const nodes_method*)self)->sorted;
    if (items_reach(s->it) <= 0.0)
        return;
    int64_t end = (chunk + 1) * chunk_spheres < s->it->n ? (chunk + 1) * chunk_spheres : s->it->n;
    int64_t node = node_of(s, chunk * chunk_spheres);
    for (int64_t p = chunk * chunk_spheres; p < end; ++p) {
        while (s->nodes[node + 1].first <= p)
            ++node;
        walker w = {.s = s, .to = to, .place = p};
        search_sphere(&w, node);
    }
}

// ---- The rest --------------------------------------------------------------------------------------------------------

// A node's box holds its spheres whole, and lies in its parent's.
static scree_status validate_node(const sorted_nodes* s, int64_t k)
{
    const sorted_node* node = &s->nodes[k];
    for (int64_t child = k + 1; child < node->skip; child = s->nodes[child].skip)
        for (int e = 0; e < 3; ++e)
            if (s->nodes[child].skip > node->skip || s->nodes[child].skip <= child || s->nodes[child].lower[e] < node->lower[e] ||
                s->nodes[child].upper[e] > node->upper[e])
                return scree_fail(SCREE_ERR_ARGUMENT, "octree: node %" PRId64 " does not hold its child %" PRId64, k, child);
    for (int64_t p = node->first; p < s->nodes[k + 1].first; ++p) {
        int32_t i = s->id[p], lower[3], upper[3];
        if (i < 0 || i >= s->it->n || memcmp(s->xr[p], s->it->xr[i], sizeof *s->xr) != 0)
            return scree_fail(SCREE_ERR_ARGUMENT, "octree: place %" PRId64 " does not hold sphere %" PRId32 " as it is", p, i);
        nodes_place at = nodes_place_of(&s->root, s->xr[p]);
        nodes_box(&s->root, &at, lower, upper);
        if (memcmp(lower, node->lower, sizeof lower) != 0 || memcmp(upper, node->upper, sizeof upper) != 0)
            return scree_fail(SCREE_ERR_ARGUMENT, "octree: sphere %" PRId32 " does not belong to node %" PRId64, i, k);
    }
    return SCREE_OK;
}

scree_status nodes_validate(const void* self)
{
    const sorted_nodes* s = &((const nodes_method*)self)->sorted;
    int64_t sum = 0, n = s->it->n;
    if (s->node_count < 1 || s->nodes[0].skip != s->node_count || s->nodes[0].first != 0 || s->nodes[s->node_count].first != n)
        return scree_fail(SCREE_ERR_ARGUMENT, "octree: the root does not hold all nodes");
    for (int64_t k = 0; k < s->node_count; ++k) {
        if (s->nodes[k].first > s->nodes[k + 1].first || s->nodes[k].skip <= k || s->nodes[k].skip > s->node_count)
            return scree_fail(SCREE_ERR_ARGUMENT, "octree: node %" PRId64 " is out of order", k);
        scree_status status = validate_node(s, k);
        if (status != SCREE_OK)
            return status;
    }
    for (int64_t p = 0; p < n; ++p)
        sum += s->id[p];
    if (sum != n * (n - 1) / 2)
        return scree_fail(SCREE_ERR_ARGUMENT, "octree: not every sphere is in a node once");
    return SCREE_OK;
}

size_t sorted_bytes(const sorted_nodes* s)
{
    return (size_t)s->node_capacity * sizeof *s->nodes + (size_t)s->xr_capacity * sizeof *s->xr +
           (size_t)s->id_capacity * sizeof *s->id + (size_t)(s->given_capacity + s->place_capacity) * sizeof *s->places +
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
