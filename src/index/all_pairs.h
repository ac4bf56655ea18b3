// What is tested all against all: all-pairs itself, and the making of verlet-list's list.
#ifndef SCREE_INDEX_ALL_PAIRS_H
#define SCREE_INDEX_ALL_PAIRS_H

#include "geom/pair.h"
#include "index/method.h"

typedef struct all_pairs {
    const items* it;
    const items* open;  // one by one
} all_pairs;

enum { all_pairs_rows = 64 };  // of a chunk

typedef bool (*all_pairs_wants)(const items* it, int64_t i, int64_t j, const double offset[3]);

// Whether a sphere at x can reach the copy of the box that is `offset` away. All centres are in the box, so all of the copy is farther than `reach` on an axis
// or it is not; most spheres are too far from all faces. `reach` is items_safe_reach, with a margin for rounding.
static inline bool all_pairs_reaches(const items* it, const double x[4], const double offset[3], const double reach[3])
{
    for (int k = 0; k < it->dim; ++k) {
        double farthest = (x[k] - it->lower[k]) - offset[k];  // from the lower end of the copy; from its upper end one length less
        if (offset[k] != 0.0 && (farthest - it->length[k] >= reach[k] || farthest <= -reach[k]))
            return false;
    }
    return true;
}

static inline void all_pairs_reach(const items* it, double reach[3])
{
    for (int k = 0; k < it->dim; ++k)
        reach[k] = items_safe_reach(it, k) * (1.0 + 1e-11);  // verlet-list's radius is compared with a margin of its own
}

// Rows i of the chunk against all j >= i, over all images that i can reach; i itself only against its own images ahead.
static inline void all_pairs_walk(const all_pairs* self, int64_t chunk, all_pairs_wants wants, sink* to)
{
    const items* it = self->it;
    int32_t images[3] = {items_images(it, 0), items_images(it, 1), items_images(it, 2)};
    int64_t end = (chunk + 1) * all_pairs_rows < it->n ? (chunk + 1) * all_pairs_rows : it->n;
    double reach[3];
    all_pairs_reach(it, reach);
    for (int sx = -images[0]; sx <= images[0]; ++sx)
        for (int sy = -images[1]; sy <= images[1]; ++sy)
            for (int sz = -images[2]; sz <= images[2]; ++sz) {
                double offset[3];
                items_offset(it, sx, sy, sz, offset);
                bool ahead = scree_shift_is_ahead(sx, sy, sz);
                for (int64_t i = chunk * all_pairs_rows; i < end; ++i) {
                    if (!all_pairs_reaches(it, it->xr[i], offset, reach))
                        continue;
                    int64_t first = ahead ? i : i + 1;
                    for (int64_t j = first; j < it->n; ++j)
                        if (wants(it, i, j, offset))
                            sink_put(to, (int32_t)i, (int32_t)j, sx, sy, sz);
                    to->tests += it->n - first;
                    if (sink_stops(to))
                        return;
                }
            }
}

void* all_pairs_create(void);
scree_status all_pairs_build(void* self, const items* it);
int64_t all_pairs_chunks(const void* self);
int64_t all_pairs_levels(const void* self);
size_t all_pairs_bytes(const void* self);
scree_status all_pairs_validate(const void* self);
scree_status all_pairs_open(void* self, const items* it);
scree_status all_pairs_insert(void* self, int32_t i);
void all_pairs_remove(void* self, int32_t i);
scree_status all_pairs_move(void* self, int32_t i, const double from[4]);
void all_pairs_near(const void* self, const double xr[4], int32_t own, sink* to);

// The entries of a table that do not depend on what is wanted.
#define ALL_PAIRS_REST                                                                                                              \
    .levels = all_pairs_levels, .bytes = all_pairs_bytes, .validate = all_pairs_validate, .destroy = scree_free,                    \
    .open = all_pairs_open, .insert = all_pairs_insert, .remove = all_pairs_remove, .move = all_pairs_move,                         \
    .near = all_pairs_near, .check = all_pairs_validate

#endif
