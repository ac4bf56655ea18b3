// A walk of one query through the trees of scree/query.h: what it knows, and the two forms that are compiled of it (walk_body.h).
#ifndef SCREE_QUERY_WALK_H
#define SCREE_QUERY_WALK_H

#include "query/bvh.h"

typedef enum ask_kind { ASK_WITHIN, ASK_NEAREST, ASK_BOX, ASK_RAY } ask_kind;

// A sphere that answers: its place in the leaves, and the image that was looked at.
typedef struct walk_seen {
    uint32_t place;
    int32_t shift[3];
} walk_seen;

// Answers of one query, and their values beside them. There is room for eight more than `capacity`. The other arrays are for sorting.
typedef struct walk_row {
    double *value, *spare_value;
    walk_seen *seen, *spare_seen;
    uint32_t* order;
    int64_t count, capacity;
} walk_row;

// The result of the previous query for the k nearest: the distance of the k-th, and the spheres unless k is too large. With k = 1 and without masks, all spheres of the leaf.
enum { walk_last_most = 64 };
typedef struct walk_last {
    bool known, by_leaf;
    uint32_t mask;
    double x[4], value;
    walk_seen leaf;                // by_leaf: its first place
    int count;                     // of the spheres in `at`, a multiple of four; 0: none are stored
    double at[4][walk_last_most];  // x, y, z and r; NaN: none
    bool counted;                  // of the spheres with a bit of this mask there are `answering`
    uint32_t counted_mask;
    int64_t answering;
} walk_last;

// One query on its way through the trees.
typedef struct walk {
    const scree_bvh* bvh;
    ask_kind kind;
    bool all;                     // of a ray
    bool loose;                   // nearest: little is known about the bound
    uint32_t mask;
    double x[4];                  // within, nearest: centre and radius; of rays the origin
    double lower[3], upper[3];    // what it can reach
    double direction[3];
    double bound;                 // within: the gap; nearest, rays: what is above it is no answer
    double most;                  // nearest: what is not below it is no answer
    int64_t k;                    // so many of the nearest
    bool once;                    // nearest: of the images of a sphere only the nearest
    bool counts;                  // within: row.count is all that is wanted
    double slack;                 // for rounding in bounds of nodes
    int32_t shift[3];             // image that is looked at
    double offset[3];
    walk_row row;
    int64_t work;
    scree_status status;
} walk;

scree_status walk_make_room(walk_row* row, int64_t more);
void walk_row_free(walk_row* row);

// Sorts them by (value, number, shift), by (number, shift) or by (number, value, shift), and keeps the first `most`.
typedef enum walk_order { WALK_BY_VALUE, WALK_BY_SHIFT, WALK_BY_SPHERE } walk_order;
void walk_sort(walk* w, walk_order by, int64_t most);
void walk_keep_once(walk* w);  // of each sphere its nearest image

// Looks into one class, at the image w->shift.
void walk_class_plain(walk* w, const bvh_class* of);
void walk_class_avx2(walk* w, const bvh_class* of);

// Leaves the k nearest, sorted, and sets the bound.
void walk_select_plain(walk* w);
void walk_select_avx2(walk* w);

// The largest distance of the query from what the last one has found; by_leaf: the smallest.
double walk_distance_plain(const walk_last* last, const double x[4]);
double walk_distance_avx2(const walk_last* last, const double x[4]);

#endif
