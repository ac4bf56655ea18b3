// A walk of one query through the trees of scree/query.h: what it knows, and the two forms that are compiled of it (walk_body.h).
#ifndef SCREE_QUERY_WALK_H
#define SCREE_QUERY_WALK_H

#include "query/bvh.h"

typedef enum ask_kind { ASK_WITHIN, ASK_NEAREST, ASK_BOX, ASK_RAY } ask_kind;

// Hits, and room for more; of the nearest, also their distances, beside each other.
typedef struct hit_row {
    scree_hit* hit;
    double* value;
    int64_t count, capacity, value_capacity;
} hit_row;

// One query on its way through the trees.
typedef struct walk {
    const scree_bvh* bvh;
    ask_kind kind;
    bool all;                     // of a ray
    uint32_t mask;
    double x[4];                  // within, nearest: centre and radius; of rays the origin
    double lower[3], upper[3];    // what it can reach
    double direction[3];
    double bound;                 // within: the gap; nearest, rays: what is above it is no answer
    double most;                  // nearest: what is not below it is no answer
    int64_t k;                    // so many of the nearest; fewer than `keep` are kept while they come
    double slack;                 // for rounding in bounds of nodes
    int32_t shift[3];             // image that is looked at
    double offset[3];
    hit_row* to;
    int64_t begin;                // its first hit there
    int64_t work;
    scree_status status;
} walk;

bool walk_comes_before(const scree_hit* a, const scree_hit* b, bool by_value);
void walk_sort(scree_hit* hit, int64_t count, bool by_value);

// Looks into one class, at the image w->shift.
void walk_class_plain(walk* w, const bvh_class* of);
void walk_class_avx2(walk* w, const bvh_class* of);

// Leaves the k nearest of the hits, sorted, and sets the bound.
void walk_select_plain(walk* w);
void walk_select_avx2(walk* w);

#endif
