// all-pairs: every sphere against every other, and every image that could touch. The simplest method, and therefore the reference
// of all other methods.
//
// Cost: n(n-1)/2 tests; for each periodic axis of length L times 1 + 2 reach/L, because only spheres near a face look at images. The right choice below some dozens of
// spheres, where any structure costs more than it saves; the wrong one everywhere else.
#include "index/all_pairs.h"

#include <math.h>

void* all_pairs_create(void)
{
    return scree_calloc(1, sizeof(all_pairs));
}

static scree_status prepare(void* self, const items* it)
{
    (void)self;
    (void)it;
    return SCREE_OK;
}

scree_status all_pairs_build(void* self, const items* it)
{
    ((all_pairs*)self)->it = it;
    return SCREE_OK;
}

int64_t all_pairs_chunks(const void* self)
{
    const items* it = ((const all_pairs*)self)->it;
    return ((int64_t)it->n + all_pairs_rows - 1) / all_pairs_rows;
}

static bool is_pair(const items* it, int64_t i, int64_t j, const double offset[3])
{
    return scree_is_pair(it->xr[i], it->xr[j], offset, it->gap);
}

static void pairs(const void* self, int64_t chunk, sink* to)
{
    all_pairs_walk(self, chunk, is_pair, to);
}

// Boxes reach no farther along an axis than spheres do, so the images looked at are enough.
static void box_pairs(const void* self, int64_t chunk, sink* to)
{
    int64_t before = to->tests;
    all_pairs_walk(self, chunk, items_boxes_meet, to);
    to->box_tests += to->tests - before;
    to->tests = before;
}

int64_t all_pairs_levels(const void* self)
{
    (void)self;
    return 0;
}

size_t all_pairs_bytes(const void* self)
{
    (void)self;
    return sizeof(all_pairs);
}

scree_status all_pairs_validate(const void* self)
{
    (void)self;
    return SCREE_OK;
}

// ---- One by one: nothing is kept but where the spheres are ----------------------------------------------------------

scree_status all_pairs_open(void* self, const items* it)
{
    ((all_pairs*)self)->open = it;
    return SCREE_OK;
}

scree_status all_pairs_insert(void* self, int32_t i)
{
    (void)self;
    (void)i;
    return SCREE_OK;
}

void all_pairs_remove(void* self, int32_t i)
{
    (void)self;
    (void)i;
}

scree_status all_pairs_move(void* self, int32_t i, const double from[4])
{
    (void)self;
    (void)i;
    (void)from;
    return SCREE_OK;
}

// A query may be larger than all spheres, so its images are counted from its own reach.
void all_pairs_near(const void* self, const double xr[4], int32_t own, sink* to)
{
    const items* it = ((const all_pairs*)self)->open;
    items wide = *it;
    wide.r_max = fmax(it->r_max, xr[3]);
    int32_t images[3] = {items_images(&wide, 0), items_images(&wide, 1), items_images(&wide, 2)};
    double reach[3];
    all_pairs_reach(&wide, reach);
    for (int sx = -images[0]; sx <= images[0]; ++sx)
        for (int sy = -images[1]; sy <= images[1]; ++sy)
            for (int sz = -images[2]; sz <= images[2]; ++sz) {
                double offset[3];
                items_offset(it, sx, sy, sz, offset);
                if (!all_pairs_reaches(it, xr, offset, reach))
                    continue;
                int32_t left_out = sx == 0 && sy == 0 && sz == 0 ? own : -1;
                for (int32_t j = 0; j < it->n; ++j)
                    if (scree_is_pair(xr, it->xr[j], offset, it->gap) && j != left_out)
                        sink_put_near(to, own, j, sx, sy, sz);
                to->tests += it->n;
            }
}

const method_table all_pairs_method = {.name = "all-pairs",
                                       .tilted = true,
                                       .create = all_pairs_create,
                                       .prepare = prepare,
                                       .build = all_pairs_build,
                                       .chunks = all_pairs_chunks,
                                       .pairs = pairs,
                                       .box_pairs = box_pairs,
                                       ALL_PAIRS_REST};
