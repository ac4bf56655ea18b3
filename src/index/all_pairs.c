// all-pairs: every sphere against every other, and every image that could touch. Nothing to get wrong, and so the judge
// of all other methods.
//
// Cost: n(n-1)/2 tests, times 3 for each periodic axis (two more images). The right choice below some dozens of
// spheres, where any structure costs more than it saves; the wrong one everywhere else.
#include "index/method.h"

#include "geom/pair.h"

#include <math.h>

enum { rows_per_chunk = 64 };

typedef struct all_pairs {
    const items* it;    // of what was built
    const items* open;  // and of what came one by one
} all_pairs;

static void* create(void)
{
    return scree_calloc(1, sizeof(all_pairs));
}

static scree_status prepare(void* self, const items* it)
{
    (void)self;
    (void)it;
    return SCREE_OK;
}

static scree_status build(void* self, const items* it)
{
    ((all_pairs*)self)->it = it;
    return SCREE_OK;
}

static int64_t chunks(const void* self)
{
    const items* it = ((const all_pairs*)self)->it;
    return ((int64_t)it->n + rows_per_chunk - 1) / rows_per_chunk;
}

// Rows i of the chunk against all j >= i, over all images; i itself only against its own images ahead.
static void pairs(const void* self, int64_t chunk, sink* to)
{
    const items* it = ((const all_pairs*)self)->it;
    int32_t images[3] = {items_images(it, 0), items_images(it, 1), items_images(it, 2)};
    int64_t end = (chunk + 1) * rows_per_chunk < it->n ? (chunk + 1) * rows_per_chunk : it->n;
    for (int sx = -images[0]; sx <= images[0]; ++sx)
        for (int sy = -images[1]; sy <= images[1]; ++sy)
            for (int sz = -images[2]; sz <= images[2]; ++sz) {
                double offset[3] = {sx * it->length[0], sy * it->length[1], sz * it->length[2]};
                bool ahead = sx > 0 || (sx == 0 && (sy > 0 || (sy == 0 && sz > 0)));
                for (int64_t i = chunk * rows_per_chunk; i < end; ++i) {
                    int64_t first = ahead ? i : i + 1;
                    for (int64_t j = first; j < it->n; ++j)
                        if (scree_is_pair(it->xr[i], it->xr[j], offset, it->gap))
                            sink_put(to, (int32_t)i, (int32_t)j, sx, sy, sz);
                    to->tests += it->n - first;
                }
            }
}

static int64_t levels(const void* self)
{
    (void)self;
    return 0;
}

static size_t bytes(const void* self)
{
    (void)self;
    return sizeof(all_pairs);
}

static scree_status validate(const void* self)
{
    (void)self;
    return SCREE_OK;
}

// ---- One by one: nothing is kept but where the spheres are ----------------------------------------------------------

static scree_status open(void* self, const items* it)
{
    ((all_pairs*)self)->open = it;
    return SCREE_OK;
}

static scree_status insert(void* self, int32_t i)
{
    (void)self;
    (void)i;
    return SCREE_OK;
}

static void remove_one(void* self, int32_t i)
{
    (void)self;
    (void)i;
}

static scree_status move(void* self, int32_t i, const double from[4])
{
    (void)self;
    (void)i;
    (void)from;
    return SCREE_OK;
}

// A query may be larger than all spheres, so its images are counted from its own reach.
static void near(const void* self, const double xr[4], int32_t own, sink* to)
{
    const items* it = ((const all_pairs*)self)->open;
    items wide = *it;
    wide.r_max = fmax(it->r_max, xr[3]);
    int32_t images[3] = {items_images(&wide, 0), items_images(&wide, 1), items_images(&wide, 2)};
    for (int sx = -images[0]; sx <= images[0]; ++sx)
        for (int sy = -images[1]; sy <= images[1]; ++sy)
            for (int sz = -images[2]; sz <= images[2]; ++sz) {
                double offset[3] = {sx * it->length[0], sy * it->length[1], sz * it->length[2]};
                int32_t left_out = sx == 0 && sy == 0 && sz == 0 ? own : -1;
                for (int32_t j = 0; j < it->n; ++j)
                    if (scree_is_pair(xr, it->xr[j], offset, it->gap) && j != left_out)
                        sink_put_near(to, own, j, sx, sy, sz);
                to->tests += it->n;
            }
}

const method_table all_pairs_method = {.name = "all-pairs",
                                       .create = create,
                                       .prepare = prepare,
                                       .build = build,
                                       .chunks = chunks,
                                       .pairs = pairs,
                                       .levels = levels,
                                       .bytes = bytes,
                                       .validate = validate,
                                       .destroy = scree_free,
                                       .open = open,
                                       .insert = insert,
                                       .remove = remove_one,
                                       .move = move,
                                       .near = near,
                                       .check = validate};
