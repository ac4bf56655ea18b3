// What the strict and the loose octree have in common. They differ in one thing: in which node a sphere lives.
//
// The root is a cube. A node of level l is one of the 2^(dim l) cells of side s0/2^l; its *outer box* is what its
// spheres never stick out of. Centres are numbered in 2^30 cells along each side of the root (so 30 is the deepest
// level), and the cell of any level is made of the leading bits: no search, no rounding that could differ from one
// place to another.
//
// The tree is compressed: there is a node where spheres live and where branches part, and nowhere else. So there are
// never more than 2 n + 1 nodes, also where spheres of radius 0 sink down to level 30 alone.
//
// Two forms, side by side in one object:
//     sorted   nodes_sorted.c   all spheres at once: nodes and spheres in the order of a walk through the tree
//     linked   nodes_linked.c   one by one: nodes with links to their children, spheres in lists, and
//              nodes_table.h    inner nodes by level and cell, so that no sphere has to descend from the root
#ifndef SCREE_INDEX_NODES_H
#define SCREE_INDEX_NODES_H

#include "index/method.h"

#include <math.h>

enum {
    nodes_depth = 30,
    nodes_stack = 8 * (nodes_depth + 1),    // what waits on the way down a tree: at most eight for each level
    nodes_most_spheres = INT32_MAX / 2 - 2  // so that nodes can be numbered
};

// Where a sphere lives.
typedef struct nodes_place {
    uint32_t cell[3];  // the node's lower corner, in cells of level 30; 0 on axes that are not there
    int32_t level;
} nodes_place;

typedef struct nodes_root {
    int32_t dim;
    double looseness;  // side of outer cubes to that of cells; 1: the strict octree
    double lower[3];
    double side[nodes_depth + 1];  // of the levels
    double largest;                // |coordinate| inside the root
    double units;                  // cells of level 30 in a length of 1
    float axes[4];                 // 1 on axes that are there, else 0
    float out[nodes_depth + 1];    // how far outer boxes stick out of cells, in cells of level 30
} nodes_root;

// A ball, in cells of level 30 (nodes_met.h). `square` is enough for every sphere that could be its partner; spheres
// with their centre inside `certain` are partners for sure (0: none are).
typedef struct nodes_ball {
    int32_t centre[4];  // cut off far from the root: nearer to every node, and not farther away; the last is 0
    float square, certain;
} nodes_ball;

// The smallest cube that holds the box on periodic axes and the centres on others.
nodes_root nodes_root_of(const items* it, double looseness);

// The same with a cube of its own.
nodes_root nodes_root_at(int32_t dim, double looseness, const double lower[3], double side);

nodes_place nodes_place_of(const nodes_root* root, const double xr[4]);

// The ball of radius `reach` about x - offset.
nodes_ball nodes_ball_at(const nodes_root* root, const double x[3], const double offset[3], double reach);

// Images of others that a ball of this reach about x could meet, from first[k] to last[k] boxes away; `reach` must
// contain their radii. 0 .. 0 on axes that are not periodic.
void nodes_images(const items* it, const double x[3], double reach, int32_t first[3], int32_t last[3]);

// The deepest level whose cell holds both, at most `most`.
static inline int32_t nodes_common(const uint32_t a[3], const uint32_t b[3], int32_t most)
{
    uint32_t differ = (a[0] ^ b[0]) | (a[1] ^ b[1]) | (a[2] ^ b[2]);
    int32_t level = differ == 0 ? nodes_depth : nodes_depth - 32 + __builtin_clz(differ);
    return level < most ? level : most;
}

// Which child of a node of level - 1 the cell lies in.
static inline int nodes_octant(const uint32_t cell[3], int32_t level)
{
    int bit = nodes_depth - level;
    return (int)((cell[0] >> bit & 1) | (cell[1] >> bit & 1) << 1 | (cell[2] >> bit & 1) << 2);
}

// ---- The object behind both methods -------------------------------------------------------------------------------

// A node of the sorted form. The children are next to each other.
typedef struct sorted_node {
    uint32_t cell[3];
    int8_t level;
    uint8_t children;  // bits
    uint8_t deeper;    // more than one level below its parent
    int32_t first_child;
    int32_t first, own_end, end;  // spheres that live here: from first to own_end; and below: from there to end
} sorted_node;

typedef struct sorted_nodes {
    const items* it;
    nodes_root root;
    sorted_node* nodes;  // children before their parent; the root is the last
    int64_t node_capacity, node_count;
    double (*xr)[4];  // spheres in the order of the nodes
    int64_t xr_capacity;
    int32_t* id;
    int64_t id_capacity;
    nodes_place *given, *places;  // in the order of the input, of the nodes
    int64_t given_capacity, place_capacity;
    struct sort_record *records, *others;
    int64_t record_capacity, other_capacity;
    int32_t* counts;  // scratch: per block
    int64_t count_capacity;
    int64_t on_level[nodes_depth + 1];
} sorted_nodes;

typedef struct linked_node {  // 64 bytes; what a search reads first
    int8_t level;      // -1: free
    uint8_t children;  // bits
    int8_t handle;     // of an inner node: the level of its second entry in the table; its own level: it has none
    int32_t head;      // the first sphere that lives here, or -1
    uint32_t cell[3];
    int32_t child[8];  // where `children` has a bit
    int32_t parent;    // -1: the root
    uint32_t next[2];  // in the chains of the table
} linked_node;

typedef struct linked_sphere {
    int32_t node;  // -1: not in
    int32_t next, previous;
} linked_sphere;

typedef struct linked_nodes {
    const items* it;  // NULL: closed
    nodes_root root;
    double r_max;        // of all that ever were in
    linked_node* nodes;  // the root is number 0
    int64_t node_capacity;
    int32_t node_count;  // with those that are free
    int32_t free_node;   // linked by their parent; -1: none
    int32_t free_count;
    int32_t count;       // of spheres
    linked_sphere* spheres;
    int64_t sphere_capacity;
    uint32_t* slots;     // of the table, a power of two; UINT32_MAX: empty
    int slot_bits;
    int64_t entry_count;
    int8_t above[nodes_depth + 1];  // for each level: that of the inner node above the sphere that was inserted last
    change_work work;
    int64_t on_level[nodes_depth + 1];
} linked_nodes;

typedef struct nodes_method {
    bool loose;
    sorted_nodes sorted;
    linked_nodes linked;
} nodes_method;

// What the tables of both methods want.
void* nodes_create(bool loose);
double nodes_looseness(const nodes_method* m, const items* it);
scree_status nodes_prepare(void* self, const items* it);
scree_status nodes_build(void* self, const items* it);
int64_t nodes_chunks(const void* self);
void nodes_pairs(const void* self, int64_t chunk, sink* to);
int64_t nodes_levels(const void* self);
size_t nodes_bytes(const void* self);
scree_status nodes_validate(const void* self);
void nodes_destroy(void* self);

scree_status nodes_open(void* self, const items* it);
scree_status nodes_insert(void* self, int32_t i);
void nodes_remove(void* self, int32_t i);
scree_status nodes_move(void* self, int32_t i, const double from[4]);
void nodes_near(const void* self, const double xr[4], int32_t own, sink* to);
scree_status nodes_check(const void* self);
void nodes_around(const void* self, int32_t i, scree_surroundings* out);
change_work nodes_changes(const void* self);

// The entries of their tables, except for name and create.
#define NODES_REST                                                                                                                  \
    .prepare = nodes_prepare, .build = nodes_build, .chunks = nodes_chunks, .pairs = nodes_pairs, .levels = nodes_levels,           \
    .bytes = nodes_bytes, .validate = nodes_validate, .destroy = nodes_destroy, .open = nodes_open, .insert = nodes_insert,         \
    .remove = nodes_remove, .move = nodes_move, .near = nodes_near, .check = nodes_check, .around = nodes_around,                   \
    .changes = nodes_changes

size_t sorted_bytes(const sorted_nodes* s);
size_t linked_bytes(const linked_nodes* l);
void sorted_free(sorted_nodes* s);
void linked_free(linked_nodes* l);

#endif
