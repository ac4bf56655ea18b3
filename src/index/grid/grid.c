// Building a stack of grids: the sort of the spheres into cells, where cells are kept, all or by rank (occupied rows: grid_rows.c).
//
// The sort goes in two steps, so that no step writes all over memory however the spheres are numbered:
//   1. by bucket: the cells of all levels are cut into some hundred ranges. Blocks of spheres count what they have for
//      each bucket, the counts become places, and each block copies its spheres there;
//   2. inside each bucket, which by now fits into a cache, by cell, with a counting sort.
// Both steps run on all threads over blocks and buckets that depend on the data alone, and both are stable: inside a cell
// ids rise. Cells by rank are counted by their rank in place of their number. Ranks of a bucket begin at the place of its first sphere, so
// that no bucket waits for another; since a bucket has at most as many occupied cells as spheres, there is room, and some ranks belong
// to no cell. Cost O(n + cells); scratch 24 bytes per sphere.
#include "index/grid/grid.h"

#include "base/array.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/wide.h"
#include "index/grid/grid_hash.h"
#include "index/grid/grid_search.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>

enum { block_size = grid_block_size, lanes = 16 };

typedef grid_record record;

// ---- The sort ----------------------------------------------------------------------------------------------------

// Six columns of four bytes in one block, one stride apart, so that the search finds them all from one address. The stride is not near a multiple of a
// page: then the same place of all columns would fall into the same lines of a cache.
static scree_status reserve_columns(grid* g, int64_t wanted, bool one_thread)
{
    if (wanted <= g->sorted_capacity)
        return SCREE_OK;
    enum { page = 1024, apart = 144 };  // in numbers
    int64_t stride = (wanted + 15) / 16 * 16, before = g->sorted_capacity;
    if (stride > page && stride % page < apart)
        stride += apart - stride % page;
    float* columns = scree_malloc(6 * (size_t)stride, sizeof *columns);
    if (columns == NULL)
        return SCREE_ERR_MEMORY;
    if (one_thread)
        scree_memory_fetch(columns, 6 * (size_t)stride * sizeof *columns);
    for (int c = 0; c < 6 && before > 0; ++c)  // what is built stays valid, should something else fail
        memcpy(columns + c * stride, g->xs + c * before, (size_t)before * sizeof *columns);
    scree_free(g->xs);
    g->xs = columns;
    g->ys = columns + stride;
    g->zs = columns + 2 * stride;
    g->rs = columns + 3 * stride;
    g->id = (int32_t*)(columns + 4 * stride);
    g->cell = (uint32_t*)(columns + 5 * stride);
    g->sorted_capacity = stride;
    return SCREE_OK;
}

scree_status grid_reserve(grid* g, const items* it)
{
    const grid_plan* plan = &g->next;
    int64_t blocks = ((int64_t)it->n + block_size - 1) / block_size;
    if (reserve_columns(g, (int64_t)it->n + lanes, it->threads == 1) != SCREE_OK)
        return SCREE_ERR_MEMORY;
    bool lent = it->scratch_bytes >= (size_t)it->n * sizeof *g->records;
    if ((!lent && SCREE_RESERVE(g->records, g->record_capacity, it->n) != SCREE_OK) ||
        SCREE_RESERVE(g->start, g->start_capacity, plan->form == GRID_ALL_CELLS ? plan->cell_count + 2 : (int64_t)it->n + 1) != SCREE_OK ||
        (plan->form == GRID_OCCUPIED_ROWS && SCREE_RESERVE(g->row_key, g->row_capacity, it->n) != SCREE_OK) ||
        (plan->form == GRID_CELLS_BY_RANK && (SCREE_RESERVE(g->bits, g->bits_capacity, (plan->cell_count >> 6) + 1) != SCREE_OK ||
                                              SCREE_RESERVE(g->rank, g->rank_capacity, (plan->cell_count >> 6) + 1) != SCREE_OK)) ||
        SCREE_RESERVE(g->counts, g->count_capacity, blocks * plan->bucket_count + 1) != SCREE_OK)
        return SCREE_ERR_MEMORY;
    return SCREE_OK;
}

static inline uint32_t cell_of(const grid_plan* plan, const double xr[4])
{
    const grid_level* level = &plan->level[grid_level_of(plan, xr[3])];
    int64_t cell = level->first_cell;
    for (int k = 0; k < 3; ++k)
        cell += level->stride[k] * grid_cell(plan, level, k, xr[k]);
    return (uint32_t)cell;
}

static scree_status count_block(void* context, int64_t b)
{
    grid* g = context;
    const items* it = g->it;
    const grid_plan* plan = &g->plan;
    int32_t* counts = g->counts + b * plan->bucket_count;
    memset(counts, 0, (size_t)plan->bucket_count * sizeof *counts);
    int64_t end = (b + 1) * block_size < it->n ? (b + 1) * block_size : it->n;
#if defined(__x86_64__)
    if (scree_has_avx2()) {
        grid_count_avx2(g, b * block_size, end, counts);
        return SCREE_OK;
    }
#endif
    for (int64_t i = b * block_size; i < end; ++i) {
        uint32_t cell = cell_of(plan, it->xr[i]);
        g->cell[i] = cell;  // in input order for now
        ++counts[cell >> plan->shift];
    }
    return SCREE_OK;
}

static scree_status scatter_block(void* context, int64_t b)
{
    grid* g = context;
    const items* it = g->it;
    record* records = g->sorting;
    int32_t* place = g->counts + b * g->plan.bucket_count;
    double scale = (double)g->scale;
    int64_t end = (b + 1) * block_size < it->n ? (b + 1) * block_size : it->n;
#if defined(__x86_64__)
    if (scree_has_avx2()) {
        grid_scatter_avx2(g, b * block_size, end, place);
        return SCREE_OK;
    }
#endif
    for (int64_t i = b * block_size; i < end; ++i) {
        const double* xr = it->xr[i];
        records[place[g->cell[i] >> g->plan.shift]++] = (record){.x = (float)((xr[0] - it->lower[0]) * scale),
                                                                 .y = (float)((xr[1] - it->lower[1]) * scale),
                                                                 .z = (float)((xr[2] - it->lower[2]) * scale),
                                                                 .r = (float)(xr[3] * scale),
                                                                 .cell = g->cell[i],
                                                                 .id = (int32_t)i};
    }
    return SCREE_OK;
}

// The range of spheres of a bucket, that is of all its cells.
static void bucket_range(const grid* g, int64_t bucket, int32_t* first, int32_t* last)
{
    // After the scatter, the last block's place is where the next bucket begins.
    int64_t blocks = ((int64_t)g->it->n + block_size - 1) / block_size;
    const int32_t* ends = g->counts + (blocks - 1) * g->plan.bucket_count;
    *first = bucket > 0 ? ends[bucket - 1] : 0;
    *last = ends[bucket];
}

// start[k] has the number of spheres with key k, for k from `begin` to end - 1: makes it the place of the first one, with `first` for
// the first key. Keys are numbers of cells or ranks.
static inline __attribute__((always_inline)) void place_bucket(grid* g, int32_t first, int32_t last, int64_t begin, int64_t end, bool by_rank)
{
    const record* records = g->sorting;
    int32_t* start = g->start;
    int32_t sum = first;
    for (int c = 0; c < 6; ++c)  // lines that are written in no order are asked for in order
        for (int32_t p = first; p < last; p += 16)
            __builtin_prefetch(g->xs + c * g->sorted_capacity + p, 1);
    for (int64_t k = begin; k < end; ++k)
        start[k] = sum += start[k];
    for (int32_t p = last - 1; p >= first; --p) {
        const record* from = &records[p];
        int32_t to = --start[by_rank ? (int64_t)grid_rank(g, from->cell) : (int64_t)from->cell];
        g->xs[to] = from->x;
        g->ys[to] = from->y;
        g->zs[to] = from->z;
        g->rs[to] = from->r;
        g->id[to] = from->id;
        g->cell[to] = from->cell;
    }
}

static scree_status sort_bucket(void* context, int64_t bucket)
{
    grid* g = context;
    const grid_plan* plan = &g->plan;
    const record* records = g->sorting;
    int32_t first, last;
    bucket_range(g, bucket, &first, &last);
    int64_t cell = bucket << plan->shift, end = (bucket + 1) << plan->shift;
    if (end > plan->cell_count + 1)
        end = plan->cell_count + 1;
    int32_t* start = g->start;
    for (int64_t c = cell; c < end; ++c)
        start[c] = 0;
    for (int32_t p = first; p < last; ++p)
        ++start[records[p].cell];
    place_bucket(g, first, last, cell, end, false);
    return SCREE_OK;
}

static scree_status rank_bucket(void* context, int64_t bucket)
{
    grid* g = context;
    const grid_plan* plan = &g->plan;
    const record* records = g->sorting;
    int32_t first, last;
    bucket_range(g, bucket, &first, &last);
    int64_t word = bucket << (plan->shift - 6), end = (bucket + 1) << (plan->shift - 6);
    if (end > (plan->cell_count >> 6) + 1)
        end = (plan->cell_count >> 6) + 1;
    memset(g->bits + word, 0, (size_t)(end - word) * sizeof *g->bits);
    for (int32_t p = first; p < last; ++p)
        g->bits[records[p].cell >> 6] |= UINT64_C(1) << (records[p].cell & 63);
    int32_t rank = first;
    for (; word < end; ++word) {
        g->rank[word] = rank;
        rank += grid_count_bits(g->bits[word]);
    }
    for (int32_t k = first; k < rank; ++k)
        g->start[k] = 0;
    for (int32_t p = first; p < last; ++p)
        ++g->start[grid_rank(g, records[p].cell)];
    place_bucket(g, first, last, first, rank, true);
    if (rank < last)
        g->start[rank] = last;  // of what follows the last occupied cell; the next bucket has it if it begins there
    return SCREE_OK;
}

static void sort_into_cells(grid* g)
{
    const items* it = g->it;
    const grid_plan* plan = &g->plan;
    int64_t blocks = ((int64_t)it->n + block_size - 1) / block_size;
    scree_parallel_for(it->threads, blocks, count_block, g, NULL);
    int32_t sum = 0;
    for (int64_t bucket = 0; bucket < plan->bucket_count; ++bucket)
        for (int64_t b = 0; b < blocks; ++b) {
            int32_t* count = &g->counts[b * plan->bucket_count + bucket];
            int32_t here = *count;
            *count = sum;
            sum += here;
        }
    scree_parallel_for(it->threads, blocks, scatter_block, g, NULL);
    bool by_rank = plan->form == GRID_CELLS_BY_RANK;
    if (blocks > 0)
        scree_parallel_for(it->threads, plan->bucket_count, by_rank ? rank_bucket : sort_bucket, g, NULL);
    else  // all cells are kept: by rank there are more than the spheres are worth
        memset(g->start, 0, ((size_t)plan->cell_count + 1) * sizeof *g->start);
    g->start[by_rank ? it->n : plan->cell_count] = it->n;
}

// Chunks of the levels below h, from where the levels begin.
static int64_t chunks_before(const grid* g, int32_t h)
{
    int64_t size = grid_chunk_size(&g->plan.level[h - 1]);
    return g->level_chunk[h - 1] + (g->level_first[h] - g->level_first[h - 1] + size - 1) / size;
}

scree_status grid_build(void* self, const items* it)
{
    grid* g = self;
    g->it = it;
    g->plan = g->next;
    const grid_plan* plan = &g->plan;
    g->sorting = it->scratch_bytes >= (size_t)it->n * sizeof *g->sorting ? it->scratch : g->records;
    // Floats near 1 for the largest sphere; and far from trouble whatever the unit of length.
    double unit = it->r_max > 0.0 ? it->r_max : fmax(fabs(it->gap), SCREE_LENGTH_MIN);
    double extent = 2.0 * it->r_max + fabs(it->gap);
    for (int k = 0; k < 3; ++k)
        extent = fmax(extent, it->length[k]);
    int exponent = -ilogb(unit);
    double scale = ldexp(1.0, exponent);
    bool fits = scale > 1e-30 && scale < 1e30 && extent * scale < 1e15;
    g->scale = fits ? (float)scale : 0.0f;
    g->gap = (float)(it->gap * scale);
    // Each coordinate, offset and difference is off by at most 2^-24 of the extent, some ten of them in total; radii
    // likewise. Sixteen times 2 * 2^-24 is twice what is needed. Without a scale everything is in doubt.
    g->doubt = fits ? (float)(extent * scale * 0x1p-19) : INFINITY;

    bool rows = plan->form == GRID_OCCUPIED_ROWS, by_rank = plan->form == GRID_CELLS_BY_RANK;
    if (rows)
        grid_rows_sort(g);
    else
        sort_into_cells(g);
    g->level_chunk[0] = 0;
    for (int32_t h = 0; h < plan->levels; ++h) {
        g->level_first[h] = rows ? g->start[g->first_row[h]] : grid_start(g, plan->level[h].first_cell, by_rank);
        if (h > 0)
            g->level_chunk[h] = chunks_before(g, h);
    }
    g->sorting = NULL;
    g->level_first[plan->levels] = it->n;
    g->level_chunk[plan->levels] = chunks_before(g, plan->levels);
    for (int c = 0; c < lanes; ++c) {
        int64_t p = (int64_t)it->n + c;
        g->xs[p] = g->ys[p] = g->zs[p] = g->rs[p] = 0.0f;
        g->id[p] = 0;
        g->cell[p] = 0;
    }
    return SCREE_OK;
}

void* grid_create(void)
{
    return scree_calloc(1, sizeof(grid));
}

int64_t grid_chunks(const void* self)
{
    const grid* g = self;
    return g->level_chunk[g->plan.levels];
}

int64_t grid_levels(const void* self)
{
    return ((const grid*)self)->plan.levels;
}

void grid_pairs(const void* self, int64_t chunk, sink* to)
{
    const grid* g = self;
    if (items_reach(g->it) <= 0.0)
        return;
    if (g->plan.box_test) {
        grid_search_boxed(g, chunk, to);
        return;
    }
#if defined(__x86_64__)
    if (scree_has_avx512() && __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("fma")) {
        grid_search_avx512(g, chunk, to);
        return;
    }
    if (scree_has_avx2()) {
        grid_search_avx2(g, chunk, to);
        return;
    }
#endif
    grid_search_plain(g, chunk, to);
}

size_t grid_bytes(const void* self)
{
    const grid* g = self;
    return sizeof *g + (size_t)g->start_capacity * sizeof *g->start + (size_t)g->sorted_capacity * 24 +
           (size_t)g->record_capacity * sizeof(record) + (size_t)g->count_capacity * sizeof *g->counts +
           (size_t)g->row_capacity * sizeof *g->row_key + (size_t)g->bits_capacity * sizeof *g->bits +
           (size_t)g->rank_capacity * sizeof *g->rank + grid_hash_bytes(g->moves);
}

scree_status grid_validate(const void* self)
{
    const grid* g = self;
    const items* it = g->it;
    int64_t sum = 0;
    if (g->plan.form == GRID_OCCUPIED_ROWS)
        return grid_rows_validate(g);
    bool by_rank = g->plan.form == GRID_CELLS_BY_RANK;
    int32_t begin = grid_start(g, 0, by_rank), end = grid_start(g, g->plan.cell_count, by_rank);
    if (begin != 0 || end != it->n)
        return scree_fail(SCREE_ERR_ARGUMENT, "grid: the cells hold spheres %" PRId32 " to %" PRId32 "; expected 0 to %" PRId32, begin, end, it->n);
    for (int64_t c = 0; c < g->plan.cell_count; ++c) {
        int32_t first = grid_start(g, c, by_rank), last = grid_start(g, c + 1, by_rank);
        if (by_rank && (g->bits[c >> 6] >> (c & 63) & 1) != (first < last))
            return scree_fail(SCREE_ERR_ARGUMENT, "grid: the bit of cell %" PRId64 " is wrong; expected 1 where the cell holds spheres", c);
        for (int32_t p = first; p < last; ++p) {
            int32_t i = g->id[p];
            if (i < 0 || i >= it->n || cell_of(&g->plan, it->xr[i]) != c || g->cell[p] != c)
                return scree_fail(SCREE_ERR_ARGUMENT, "grid: cell %" PRId64 " holds sphere %" PRId32 "; expected it in another cell", c, i);
            if (p > first && g->id[p - 1] >= i)
                return scree_fail(SCREE_ERR_ARGUMENT, "grid: cell %" PRId64 " is out of order; expected ascending ids", c);
            sum += i;
        }
    }
    if (sum != (int64_t)it->n * ((int64_t)it->n - 1) / 2)
        return scree_fail(SCREE_ERR_ARGUMENT, "grid: a sphere is in no cell or in two; expected each in one");
    return SCREE_OK;
}

void grid_destroy(void* self)
{
    grid* g = self;
    scree_free(g->start);
    scree_free(g->row_key);
    scree_free(g->bits);
    scree_free(g->rank);
    scree_free(g->xs);  // with the other columns
    scree_free(g->records);
    scree_free(g->counts);
    grid_hash_free(g->moves);
    scree_free(g);
}
