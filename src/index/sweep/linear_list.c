// linear-list: box ends in sorted lists, one for each axis, kept in order while spheres move; what happens when two
// ends change places is all there is to do.
//
//     y|          +--3--+           x:  b1 e1 b2 b3 b4 e3 e2 e4
//      |          |  +--|-4---+     y:  b1 b2 e1 e2 b4 b3 e4 e3
//      |          +--|--+     |     A begin that passes an end to its left: two boxes begin to share a stretch
//      |             +--------+     of this axis; if they do on the other axes too, they become a pair (here
//      |       +-----2-----+        only 3 and 4). An end that passes a begin: they part, and the pair goes
//      | +1-+  |           |        out, if it was one.
//      | +--+  +-----------+
//      +------------------------- x
//
// The pairs of boxes, a matrix with few entries, are kept in a hash set (pair_set.h) and given to the exact test. The
// next step begins with lists that are nearly in order, so insertion sort takes n steps and one for each swap. First,
// or when there are too many swaps, all is sorted again, and a sweep along the best axis finds the pairs (box_sweep.c);
// stats.sorts counts these. Other radii or another gap move the ends as motion does, and are followed in the same way.
//
// Where an end is exactly, which way it is rounded, and how periodic images are listed: box_ends.h.
//
// Cost: per step n and the swaps. Spheres that move by v in a box of side S pass 2 n v/S ends on each axis, however far
// away these are on the other axes: n^(5/3) in 3D at constant density and n^(3/2) in 2D. The sort from scratch is O(n),
// its sweep n times the boxes that one plane cuts, n^(5/3) too. Memory O(n + pairs of boxes). Size ratios cost
// little. One by one: a move costs its swaps, the neighbours of a sphere in its place its row of pairs; putting in,
// taking out, a move through a face and asking at a free point cost a walk along one list, O(n) at worst.
//
// The wrong choice for very many spheres, or fast ones: the swaps grow faster than n. Good for some ten thousand
// spheres of any sizes that move little from step to step. One thread keeps the lists; the exact tests are shared by
// all.
// B. Muth, M.-K. Mueller, P. Eberhard, S. Luding, "Contacts between many bodies", section 2 (linked linear list); known
// elsewhere as incremental sort and sweep.
#include "index/sweep/box_lists.h"

#include "geom/pair.h"

enum { pairs_per_chunk = 4096 };

typedef struct linear_list {
    box_lists all;     // of build
    box_lists single;  // of open
} linear_list;

static void* create(void)
{
    linear_list* ll = scree_calloc(1, sizeof *ll);
    if (ll != NULL)
        ll->single.one_by_one = ll->single.pairs.rows = true;
    return ll;
}

static void destroy(void* self)
{
    linear_list* ll = self;
    box_lists_free(&ll->all);
    box_lists_free(&ll->single);
    scree_free(ll);
}

// Nothing can be rejected: there are no parameters, and how much memory is needed shows only later.
static scree_status prepare(void* self, const items* it)
{
    (void)self;
    (void)it;
    return SCREE_OK;
}

static scree_status build(void* self, const items* it)
{
    return box_lists_update(&((linear_list*)self)->all, it);
}

static int64_t chunks(const void* self)
{
    return (((const linear_list*)self)->all.pairs.count + pairs_per_chunk - 1) / pairs_per_chunk;
}

static bool spheres_meet(const items* it, int64_t i, int64_t j, const double offset[3])
{
    return scree_is_pair(it->xr[i], it->xr[j], offset, it->gap);
}

// A stretch of the matrix: of its pairs those that `wants` confirms. Gives how many were looked at.
static inline int64_t confirm(const linear_list* ll, int64_t chunk, bool (*wants)(const items* it, int64_t i, int64_t j, const double offset[3]), sink* to)
{
    const box_lists* l = &ll->all;
    const items* it = l->it;
    int64_t first = chunk * pairs_per_chunk, last = first + pairs_per_chunk;
    last = last < l->pairs.count ? last : l->pairs.count;
    for (int64_t p = first; p < last; ++p) {
        const pair_entry* e = &l->pairs.entries[p];
        const int8_t* s = e->shift;
        const double offset[3] = {s[0] * it->length[0], s[1] * it->length[1], s[2] * it->length[2]};
        if (wants(it, e->i, e->j, offset))
            sink_put(to, e->i, e->j, s[0], s[1], s[2]);
    }
    to->box_tests += chunk == 0 ? l->box_tests : 0;  // what the update has counted
    return last - first;
}

static void pairs(const void* self, int64_t chunk, sink* to)
{
    to->tests += confirm(self, chunk, spheres_meet, to);
}

// The matrix itself, less the few entries that are in it only because ends are rounded outward (box_ends.h).
static void box_pairs(const void* self, int64_t chunk, sink* to)
{
    to->box_tests += confirm(self, chunk, items_boxes_meet, to);
}

static int64_t levels(const void* self)
{
    (void)self;
    return 0;
}

static int64_t swaps(const void* self)
{
    return ((const linear_list*)self)->all.swaps;
}

static int64_t sorts(const void* self)
{
    return ((const linear_list*)self)->all.sorts;
}

static size_t bytes(const void* self)
{
    const linear_list* ll = self;
    return sizeof *ll + box_lists_bytes(&ll->all) + box_lists_bytes(&ll->single);
}

static scree_status validate(const void* self)
{
    return box_lists_check(&((const linear_list*)self)->all);
}

// ---- One by one ---------------------------------------------------------------------------------------------------

static scree_status open(void* self, const items* it)
{
    return box_lists_sort(&((linear_list*)self)->single, it);
}

static scree_status insert(void* self, int32_t i)
{
    return box_lists_insert(&((linear_list*)self)->single, i);
}

static void take_out(void* self, int32_t i)
{
    box_lists_remove(&((linear_list*)self)->single, i);
}

static scree_status move(void* self, int32_t i, const double from[4])
{
    (void)from;  // the lists know
    return box_lists_move(&((linear_list*)self)->single, i);
}

static void near(const void* self, const double xr[4], int32_t own, sink* to)
{
    box_lists_near(&((const linear_list*)self)->single, xr, own, to);
}

static scree_status check(const void* self)
{
    return box_lists_check(&((const linear_list*)self)->single);
}

const method_table linear_list_method = {.name = "linear-list",
                                         .create = create,
                                         .prepare = prepare,
                                         .build = build,
                                         .chunks = chunks,
                                         .pairs = pairs,
                                         .box_pairs = box_pairs,
                                         .levels = levels,
                                         .bytes = bytes,
                                         .validate = validate,
                                         .destroy = destroy,
                                         .swaps = swaps,
                                         .sorts = sorts,
                                         .open = open,
                                         .insert = insert,
                                         .remove = take_out,
                                         .move = move,
                                         .near = near,
                                         .check = check};
