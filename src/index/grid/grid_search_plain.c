// The search of the grids for any machine: one candidate at a time. The reference for the wider version.
#include "index/grid/grid_query.h"

typedef query lanes;

static inline lanes lanes_of(const grid* g, int32_t a, const int image[3], bool tilted)
{
    return make_query(g, a, image, tilted);
}

static inline void lanes_next(const grid* g, lanes* q, int32_t a)
{
    *q = make_query(g, a, (const int[3]){0, 0, 0}, false);
}

static inline void test_run(const grid* g, const lanes* q, int32_t first, int32_t last, sink* to)
{
    to->tests += last - first;
    for (int32_t b = first; b < last; ++b) {
        float dx = q->x[0] - g->xs[b], dy = q->x[1] - g->ys[b], dz = q->x[2] - g->zs[b];
        float square = (dx * dx + dy * dy) + dz * dz;
        float reach = q->r + g->rs[b];
        float high = reach + g->doubt;
        if (square > high * high)
            continue;
        float low = fmaxf(reach - g->doubt, 0.0f);
        if (square < low * low || surely(g, q, b))
            sink_put(to, q->id, g->id[b], q->image[0], q->image[1], q->image[2]);
    }
}

static inline int64_t quick_runs(const grid* g, const lanes* q, int runs, const int32_t first[], const int32_t last[], int32_t (*ij)[2], int64_t count)
{
    (void)g, (void)q, (void)runs, (void)first, (void)last, (void)ij;
    return count;
}

#define QUICK_RUNS 0
#define SEARCH grid_search_plain
#include "index/grid/grid_search_body.h"
