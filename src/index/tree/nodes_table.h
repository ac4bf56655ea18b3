// Inner nodes of the linked octree, hashed by level and cell: finds the node of a sphere without descending the tree.
//
// Entries that share a slot are chained through the nodes. A node that has children has an entry under its level and cell. Leaves come and go all
// the time and have none: they are found through their parents. So one look-up, of the level above, and a link lead to a node that exists, however
// deep it is.
//
// If the parent has no such child, or does not exist itself, the deepest node on the path from the root is needed, because a new node will hang on it.
// The tree is compressed, so most levels of a path may have no node, and climbing level by level would cost as much as descending.
// Therefore a node whose parent is more than one level above it may have a second entry, its *handle*: of the levels that the link from the
// parent passes, the one that is divisible by the largest power of two.
//
//     level   0   1   2   3   4   5   6   7        node c hangs on the root; the link passes the levels 1 to 6, and its handle is 4.
//             root------------+-------c            A search between 0 and 7 looks up level 4 first and finds c, or knows that no inner
//                             handle               node of this path is deeper than 3
//
// A search between two levels looks up the level between them that is divisible by the largest power of two. If any link between inner nodes of the
// path passes that level, it has its handle there. So each look-up halves the levels that are left: at most five for 30 levels.
// (D. Belazzougui, P. Boldi, R. Pagh, S. Vigna, "Monotone minimal perfect hashing", 2009: z-fast tries.) Before that the search looks up
// the levels right above, and before that, for a new sphere, the level where the last one of its own level found its parent.
//
// Cost: one look-up and a link most of the time, at most nine look-ups. Memory: 2 to 4 bytes per sphere (up to 16 where they
// are far apart), and 12 in each node. The root is not in the table.
#ifndef SCREE_INDEX_NODES_TABLE_H
#define SCREE_INDEX_NODES_TABLE_H

#include "index/tree/nodes.h"

#include "base/array.h"

#include <assert.h>

enum { table_first = 3 };  // levels right above, looked up before the search by halves

// Entry 2 a is node a under its own level, 2 a + 1 under its handle.
static inline int32_t table_level(const linked_nodes* l, uint32_t entry)
{
    const linked_node* node = &l->nodes[entry >> 1];
    return (entry & 1) != 0 ? node->handle : node->level;
}

static inline uint32_t table_slot(const linked_nodes* l, const uint32_t cell[3], int32_t level)
{
    uint64_t bits = (UINT64_C(1) << nodes_depth) - (UINT64_C(1) << (nodes_depth - level)), xy;  // the leading ones of each
    memcpy(&xy, cell, sizeof xy);
    uint64_t key = (xy & (bits << 32 | bits)) * UINT64_C(0x9e3779b97f4a7c15) + ((cell[2] & bits) + bits) * UINT64_C(0xc2b2ae3d27d4eb4f);
    key ^= key >> 32;
    key *= UINT64_C(0xd6e8feb86659fd93);
    return (uint32_t)(key >> (64 - l->slot_bits));
}

// Of the levels from low + 1 to high the one that is divisible by the largest power of two.
static inline int32_t table_fattest(int32_t low, int32_t high)
{
    assert(low < high);
    return high >> (31 - __builtin_clz((uint32_t)(low ^ high))) << (31 - __builtin_clz((uint32_t)(low ^ high)));
}

static inline void table_put(linked_nodes* l, uint32_t entry)
{
    linked_node* node = &l->nodes[entry >> 1];
    uint32_t* slot = &l->slots[table_slot(l, node->cell, table_level(l, entry))];
    node->next[entry & 1] = *slot;
    *slot = entry;
    ++l->entry_count;
}

static inline void table_take(linked_nodes* l, uint32_t entry)
{
    const linked_node* node = &l->nodes[entry >> 1];
    uint32_t* at = &l->slots[table_slot(l, node->cell, table_level(l, entry))];
    for (; *at != entry; at = &l->nodes[*at >> 1].next[*at & 1])
        ++l->work.cells;
    *at = node->next[entry & 1];
    --l->entry_count;
}

static inline void table_clear(linked_nodes* l)
{
    memset(l->slots, 0xff, sizeof *l->slots << l->slot_bits);
    l->entry_count = 0;
}

// Slots for half the number of spheres, and for all entries: dense spheres need about one entry for three of them; spheres that are far apart,
// with long links, up to two each. MEMORY: as it was.
static inline scree_status table_reserve(linked_nodes* l, int64_t spheres)
{
    int bits = l->slot_bits > 0 ? l->slot_bits : 4;
    while (spheres / 2 > INT64_C(1) << bits || l->entry_count > INT64_C(1) << bits)
        ++bits;
    if (bits == l->slot_bits)
        return SCREE_OK;
    uint32_t* slots = scree_malloc((size_t)1 << bits, sizeof *slots);
    if (slots == NULL)
        return SCREE_ERR_MEMORY;
    scree_free(l->slots);
    l->slots = slots;
    l->slot_bits = bits;
    table_clear(l);
    for (int32_t a = 1; a < l->node_count; ++a) {
        if (l->nodes[a].level < 0 || l->nodes[a].children == 0)
            continue;
        table_put(l, 2 * (uint32_t)a);
        if (l->nodes[a].handle != l->nodes[a].level)
            table_put(l, 2 * (uint32_t)a + 1);
    }
    return SCREE_OK;
}

static inline void table_remove(linked_nodes* l, int32_t a)
{
    table_take(l, 2 * (uint32_t)a);
    if (l->nodes[a].handle != l->nodes[a].level)
        table_take(l, 2 * (uint32_t)a + 1);
}

// The parent of a node in the table is now one of this level.
static inline void table_hang(linked_nodes* l, int32_t a, int32_t level)
{
    linked_node* node = &l->nodes[a];
    int32_t handle = table_fattest(level, node->level);
    if (handle == node->handle)
        return;
    if (node->handle != node->level)
        table_take(l, 2 * (uint32_t)a + 1);
    node->handle = (int8_t)handle;
    if (handle != node->level)
        table_put(l, 2 * (uint32_t)a + 1);
}

// A node, not the root, that gets its first child.
static inline void table_add(linked_nodes* l, int32_t a)
{
    l->nodes[a].handle = l->nodes[a].level;
    table_put(l, 2 * (uint32_t)a);
    table_hang(l, a, l->nodes[l->nodes[a].parent].level);
}

// The node that has an entry for this level of the path; -1: none. Counts the look-up and the entries that it passes.
static inline int32_t table_look(const linked_nodes* l, const uint32_t cell[3], int32_t level, int64_t* touched)
{
    ++*touched;
    for (uint32_t e = l->slots[table_slot(l, cell, level)]; e != UINT32_MAX; e = l->nodes[e >> 1].next[e & 1]) {
        if (table_level(l, e) == level && nodes_common(l->nodes[e >> 1].cell, cell, level) == level)
            return (int32_t)(e >> 1);
        ++*touched;
    }
    return -1;
}

// The deepest inner node above the level of `at` on the path to it, where no one is deeper than `high`. `deepest` is one that is known already, at
// least the root. If the path continues, then to one of its children.
static inline int32_t table_find(const linked_nodes* l, const nodes_place* at, int32_t deepest, int32_t high, int64_t* touched)
{
    int32_t low = l->nodes[deepest].level;
    while (low < high) {
        int32_t level = at->level - high <= table_first ? high : table_fattest(low, high);
        int32_t a = table_look(l, at->cell, level, touched);
        if (a < 0) {
            high = level - 1;
            continue;
        }
        const linked_node* node = &l->nodes[a];
        if (node->level >= at->level || nodes_common(node->cell, at->cell, node->level) < node->level)
            return node->parent;  // the link to this node passes the level, and then leaves the path or ends it
        deepest = a;
        low = node->level;
    }
    return deepest;
}

// The same; first where it was for the last sphere of this level. Where spheres are dense that is right above, else some levels further up.
static inline int32_t table_find_again(linked_nodes* l, const nodes_place* at, int64_t* touched)
{
    int32_t level = l->above[at->level], high = at->level - 1;
    if (level <= 0 || level > high)
        return table_find(l, at, 0, high, touched);
    int32_t a = table_look(l, at->cell, level, touched);
    if (a < 0)
        return table_find(l, at, 0, level == high ? high - 1 : high, touched);
    const linked_node* node = &l->nodes[a];
    return node->level >= at->level || nodes_common(node->cell, at->cell, node->level) < node->level ? node->parent : a;
}

static inline scree_status table_check(const linked_nodes* l)
{
    int64_t entries = 0, wanted = 0, touched = 0;
    for (int64_t s = 0; s < INT64_C(1) << l->slot_bits; ++s)
        for (uint32_t e = l->slots[s]; e != UINT32_MAX && entries <= 2 * (int64_t)l->node_count; e = l->nodes[e >> 1].next[e & 1])
            ++entries;
    for (int32_t a = 1; a < l->node_count; ++a) {
        const linked_node* node = &l->nodes[a];
        if (node->level < 0)
            continue;
        nodes_place at = {.level = node->level};
        memcpy(at.cell, node->cell, sizeof at.cell);
        bool leads = table_find(l, &at, 0, at.level - 1, &touched) == node->parent;
        if (node->children == 0 && leads)
            continue;
        if (!leads || node->handle != table_fattest(l->nodes[node->parent].level, node->level) || table_look(l, node->cell, node->level, &touched) != a ||
            table_look(l, node->cell, node->handle, &touched) != a)
            return scree_fail(SCREE_ERR_ARGUMENT, "octree: the table does not lead to node %d of level %d; expected an entry for it", (int)a, (int)node->level);
        wanted += node->handle != node->level ? 2 : 1;
    }
    if (entries != wanted || l->entry_count != wanted)
        return scree_fail(SCREE_ERR_ARGUMENT, "octree: the table has %lld entries and counts %lld; expected %lld", (long long)entries,
                          (long long)l->entry_count, (long long)wanted);
    return SCREE_OK;
}

#endif
