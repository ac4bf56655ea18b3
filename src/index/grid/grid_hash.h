// A stack of grids whose spheres come, go and move one at a time: the one-by-one face of linked-cells (one level) and of the
// hierarchical grid (several).
//
//     slots      open addressing:  (level, x, y, z)  ->  the cell's first bucket. Occupied cells only.
//     buckets    three spheres each, x y z r and number side by side, 128 bytes; a fuller cell is a chain of them, all full but the
//                first. A small contiguous bucket is read in one go where a list of links would wait for each of its spheres.
//                (Move and near, ratio 50, 1e4 and 3e5 spheres: 0.77 and 1.5 us; numbers alone in the buckets 0.84 and 2.7; one
//                sphere to a link 1.00 and 3.1, and numbers alone 1.05 and 3.8.)
//     levels     the numbers of its spheres, in one array: a level that holds less than the cells that a query would have to look
//                into is walked from end to end.
//
// Cells are counted by floor on the unbounded line, also below 0, so that spheres may be anywhere; the key keeps the last 19 bits of
// each count, and cells that agree in them share a bucket, which costs a test and no pair. Periodic axes are stretched to whole
// cells and folded.
//
// What a query looks at follows from its own reach and the largest radius of each level, never from the length of the cells. So no
// sphere is ever too large for its level: levels and lengths are a matter of speed alone, and are chosen again when as many spheres
// have been put in as there were.
//
// Every bucket holds a sphere, so that room for as many buckets and cells as there are spheres is enough: a move never fails.
#ifndef SCREE_INDEX_GRID_HASH_H
#define SCREE_INDEX_GRID_HASH_H

#include "index/grid/grid.h"

enum { hash_key_bits = 19, hash_bucket_size = 3 };

typedef struct hash_bucket {
    uint64_t key;   // of the cell
    int32_t next;   // further bucket of the cell, or of the free ones; -1: none
    int32_t count;
    double xr[hash_bucket_size][4];  // copies of it->xr
    int32_t id[hash_bucket_size];
} hash_bucket;

typedef struct hash_slot {
    uint32_t tag;    // leading bits of the key's hash; the first of them are the slot where a search begins
    int32_t bucket;  // -1: empty
} hash_slot;

typedef struct hash_level {
    double limit;     // radii up to this live here, and above the limit of the level before
    double largest;   // of those that are here, or were since it was last empty
    double side[3], inverse[3];
    int64_t cells[3];          // of a periodic axis; 0: endless
    int64_t low[3], high[3];   // where its cells are, or were since it was last empty
    int32_t* ids;
    int64_t count, capacity;
} hash_level;

// How a method cuts spheres into levels; `self` is the method's object. MEMORY.
typedef scree_status (*hash_cut)(void* self, const items* it, const crowding* crowd, grid_wish* wish);

typedef struct hash_way {
    void* self;
    hash_cut cut;
    bool further;           // a sphere that is larger than all levels may have a further one
} hash_way;

typedef struct grid_hash {
    const items* it;
    hash_way way;
    double lower[3];        // where cells are counted from
    double rounding[3];     // what every query's margin takes in, per axis
    double coordinate;      // the largest where most spheres were when the levels were cut
    int32_t levels;
    hash_level level[grid_most_levels];
    int64_t count;          // of spheres
    int64_t inserts, planned;  // spheres put in since the levels were cut, and those that there were then
    int32_t* bucket_of;     // by sphere; -1: not in
    int32_t* at;            // by sphere: where among the level's ids
    int64_t ids_capacity;   // of both
    hash_bucket* buckets;
    int64_t bucket_capacity;
    int32_t buckets_used;   // those beyond were never used
    int32_t free_bucket;    // -1: none
    hash_slot* slots;      // a power of two
    int slot_bits;
    int64_t cell_count;
    change_work* work;      // the grid's: cells looked up and buckets written
} grid_hash;

// The cell of coordinate x on axis k, on the unbounded line. Rising with x whatever the rounding, so that what lies between two
// coordinates lies between their cells. What is too far away to be counted is in the last one.
static const double hash_farthest = 1e15;

static inline int64_t hash_place(const grid_hash* m, const hash_level* level, int k, double x)
{
    double at = (x - m->lower[k]) * level->inverse[k];
    at = at < -hash_farthest ? -hash_farthest : at > hash_farthest ? hash_farthest : at;
    int64_t whole = (int64_t)at;
    return whole - (at < (double)whole);  // floor, without a call
}

static inline uint64_t hash_key(int32_t h, int64_t x, int64_t y, int64_t z)
{
    const uint64_t mask = (UINT64_C(1) << hash_key_bits) - 1;
    return (uint64_t)h << (3 * hash_key_bits) | ((uint64_t)z & mask) << (2 * hash_key_bits) |
           ((uint64_t)y & mask) << hash_key_bits | ((uint64_t)x & mask);
}

static inline uint32_t hash_tag(uint64_t key)
{
    key *= UINT64_C(0x9e3779b97f4a7c15);
    key ^= key >> 32;
    key *= UINT64_C(0xd6e8feb86659fd93);
    return (uint32_t)(key >> 32);
}

// The slot of a cell, or the empty one where it would be.
static inline int64_t hash_find(const grid_hash* m, uint64_t key)
{
    uint32_t tag = hash_tag(key);
    int64_t mask = (INT64_C(1) << m->slot_bits) - 1, s = tag >> (32 - m->slot_bits);
    while (m->slots[s].bucket >= 0 && (m->slots[s].tag != tag || m->buckets[m->slots[s].bucket].key != key))
        s = (s + 1) & mask;
    return s;
}

// What a method's table wants; `self` is a grid, or an object that begins with one. `open` is the method's: by the cut, all items.
scree_status grid_open(grid* g, const items* it, hash_cut cut, bool further);  // MEMORY: as if never opened
scree_status grid_insert(void* self, int32_t i);
void grid_remove(void* self, int32_t i);
scree_status grid_move(void* self, int32_t i, const double from[4]);  // always OK
void grid_near(const void* self, const double xr[4], int32_t own, sink* to);  // grid_near.c
scree_status grid_check(const void* self);
void grid_around(const void* self, int32_t i, scree_surroundings* out);  // grid_near.c
change_work grid_changes(const void* self);

size_t grid_hash_bytes(const grid_hash* m);  // NULL: 0
void grid_hash_free(grid_hash* m);           // NULL is fine

#endif
