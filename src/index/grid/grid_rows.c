// Occupied rows: the sort for grids with far more cells than spheres.
//
//     row_key   | level | z | y |     rises
//     start     | first place  |      of each row; inside a row spheres are sorted by x cell, then by id
//
// A sort by samples. Keys of some spheres are drawn, sorted and cut into some hundred ranges; blocks of spheres count what they
// have for each range, the counts become places, and each block deals its spheres out; then every range is sorted on its own. A row
// lies in one range. O(n log n), on all threads.
#include "index/grid/grid.h"

#include "base/parallel.h"
#include "base/sort.h"
#include "index/grid/grid_search.h"

#include <inttypes.h>
#include <string.h>

enum { block_size = grid_block_size, most_buckets = grid_most_buckets, samples = 4096 };

typedef struct entry {
    uint64_t row;
    uint32_t x;
    int32_t id;
} entry;

typedef struct rows_job {
    grid* g;
    entry* entries;
    int64_t splitter_count;
    uint64_t splitters[most_buckets];
    int32_t first[most_buckets + 1];  // place of the first sphere of each bucket
    int32_t rows[most_buckets + 1];   // how many rows each bucket has; then where they begin
} rows_job;

static entry entry_of(const grid* g, int32_t i)
{
    const double* xr = g->it->xr[i];
    int32_t h = grid_level_of(&g->plan, xr[3]);
    const grid_level* level = &g->plan.level[h];
    return (entry){.row = grid_row_key(h, grid_cell(&g->plan, level, 1, xr[1]), grid_cell(&g->plan, level, 2, xr[2])),
                   .x = (uint32_t)grid_cell(&g->plan, level, 0, xr[0]),
                   .id = i};
}

// How many splitters a key is not below.
static int64_t bucket_of(const rows_job* job, uint64_t key)
{
    int64_t low = 0, high = job->splitter_count;
    while (low < high) {
        int64_t middle = (low + high) / 2;
        if (job->splitters[middle] <= key)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void draw_splitters(rows_job* job)
{
    const grid* g = job->g;
    uint64_t keys[samples];
    int64_t count = g->it->n < samples ? g->it->n : samples;
    scree_rng rng = scree_rng_make(0, 1);
    for (int64_t s = 0; s < count; ++s)
        keys[s] = entry_of(g, (int32_t)scree_rng_below(&rng, (uint64_t)g->it->n)).row;
    scree_sort_keys(keys, count);
    for (int64_t b = 1; b < g->plan.bucket_count; ++b) {
        uint64_t key = keys[b * count / g->plan.bucket_count];
        if (job->splitter_count == 0 || key > job->splitters[job->splitter_count - 1])
            job->splitters[job->splitter_count++] = key;
    }
}

static scree_status count_block(void* context, int64_t b)
{
    rows_job* job = context;
    grid* g = job->g;
    int32_t* counts = g->counts + b * g->plan.bucket_count;
    memset(counts, 0, (size_t)g->plan.bucket_count * sizeof *counts);
    int64_t end = (b + 1) * block_size < g->it->n ? (b + 1) * block_size : g->it->n;
    for (int64_t i = b * block_size; i < end; ++i) {
        g->cell[i] = (uint32_t)bucket_of(job, entry_of(g, (int32_t)i).row);  // for now
        ++counts[g->cell[i]];
    }
    return SCREE_OK;
}

static scree_status deal_block(void* context, int64_t b)
{
    rows_job* job = context;
    grid* g = job->g;
    int32_t* place = g->counts + b * g->plan.bucket_count;
    int64_t end = (b + 1) * block_size < g->it->n ? (b + 1) * block_size : g->it->n;
    for (int64_t i = b * block_size; i < end; ++i)
        job->entries[place[g->cell[i]]++] = entry_of(g, (int32_t)i);
    return SCREE_OK;
}

static inline bool before(const entry* a, const entry* b)
{
    return a->row != b->row ? a->row < b->row : a->x != b->x ? a->x < b->x : a->id < b->id;
}

static void sift_down(entry* entries, int64_t root, int64_t count)
{
    entry value = entries[root];
    for (int64_t child; (child = 2 * root + 1) < count; root = child) {
        child += child + 1 < count && before(&entries[child], &entries[child + 1]);
        if (!before(&value, &entries[child]))
            break;
        entries[root] = entries[child];
    }
    entries[root] = value;
}

static void sort_entries(entry* entries, int64_t count)
{
    for (int64_t root = count / 2 - 1; root >= 0; --root)
        sift_down(entries, root, count);
    for (int64_t last = count - 1; last > 0; --last) {
        entry largest = entries[0];
        entries[0] = entries[last];
        entries[last] = largest;
        sift_down(entries, 0, last);
    }
}

// Sorts a bucket, puts its spheres into their places, and counts its rows.
static scree_status sort_bucket(void* context, int64_t bucket)
{
    rows_job* job = context;
    grid* g = job->g;
    const items* it = g->it;
    int32_t first = job->first[bucket], last = job->first[bucket + 1], rows = 0;
    double scale = (double)g->scale;
    sort_entries(job->entries + first, last - first);
    for (int32_t p = first; p < last; ++p) {
        const entry* from = &job->entries[p];
        const double* xr = it->xr[from->id];
        g->xs[p] = (float)((xr[0] - it->lower[0]) * scale);
        g->ys[p] = (float)((xr[1] - it->lower[1]) * scale);
        g->zs[p] = (float)((xr[2] - it->lower[2]) * scale);
        g->rs[p] = (float)(xr[3] * scale);
        g->id[p] = from->id;
        rows += p == first || from->row != job->entries[p - 1].row;
    }
    job->rows[bucket] = rows;
    return SCREE_OK;
}

// g->cell served for the buckets until now.
static scree_status list_rows(void* context, int64_t bucket)
{
    rows_job* job = context;
    grid* g = job->g;
    int32_t first = job->first[bucket], last = job->first[bucket + 1], row = job->rows[bucket];
    for (int32_t p = first; p < last; ++p) {
        const entry* from = &job->entries[p];
        g->cell[p] = from->x;
        if (p > first && from->row == job->entries[p - 1].row)
            continue;
        g->row_key[row] = from->row;
        g->start[row++] = p;
    }
    return SCREE_OK;
}

void grid_rows_sort(grid* g)
{
    const items* it = g->it;
    int64_t buckets = g->plan.bucket_count, blocks = ((int64_t)it->n + block_size - 1) / block_size;
    rows_job job = {.g = g, .entries = (entry*)(void*)g->sorting};
    _Static_assert(sizeof(entry) <= sizeof(grid_record), "entries are sorted in the room of records");
    g->row_count = 0;
    g->start[0] = 0;
    memset(g->first_row, 0, sizeof g->first_row);
    if (it->n == 0)
        return;
    draw_splitters(&job);
    scree_parallel_for(it->threads, blocks, count_block, &job, NULL);
    int32_t sum = 0;
    for (int64_t bucket = 0; bucket < buckets; ++bucket) {
        job.first[bucket] = sum;
        for (int64_t b = 0; b < blocks; ++b) {
            int32_t* count = &g->counts[b * buckets + bucket];
            int32_t here = *count;
            *count = sum;
            sum += here;
        }
    }
    job.first[buckets] = sum;
    scree_parallel_for(it->threads, blocks, deal_block, &job, NULL);
    scree_parallel_for(it->threads, buckets, sort_bucket, &job, NULL);
    for (int64_t bucket = 0; bucket < buckets; ++bucket) {
        int32_t here = job.rows[bucket];
        job.rows[bucket] = g->row_count;
        g->row_count += here;
    }
    scree_parallel_for(it->threads, buckets, list_rows, &job, NULL);
    g->start[g->row_count] = it->n;
    for (int32_t h = 0; h <= g->plan.levels; ++h)
        g->first_row[h] = h < g->plan.levels ? grid_find_row(g, 0, g->row_count, grid_row_key(h, 0, 0)) : g->row_count;
}

scree_status grid_rows_validate(const grid* g)
{
    int64_t sum = 0;
    for (int32_t row = 0; row < g->row_count; ++row) {
        if (g->start[row] >= g->start[row + 1] || (row > 0 && g->row_key[row] <= g->row_key[row - 1]))
            return scree_fail(SCREE_ERR_ARGUMENT, "grid: row %" PRId32 " is empty or out of order; expected ascending rows with spheres", row);
        for (int32_t p = g->start[row]; p < g->start[row + 1]; ++p) {
            int32_t i = g->id[p];
            entry e = i >= 0 && i < g->it->n ? entry_of(g, i) : (entry){.id = -1};
            bool later = p == g->start[row] || g->cell[p - 1] < g->cell[p] ||
                         (g->cell[p - 1] == g->cell[p] && g->id[p - 1] < i);
            if (e.id != i || e.row != g->row_key[row] || e.x != g->cell[p] || !later)
                return scree_fail(SCREE_ERR_ARGUMENT, "grid: row %" PRId32 " holds sphere %" PRId32 "; expected it in another row", row, i);
            sum += i;
        }
    }
    if (g->start[0] != 0 || g->start[g->row_count] != g->it->n || sum != (int64_t)g->it->n * ((int64_t)g->it->n - 1) / 2)
        return scree_fail(SCREE_ERR_ARGUMENT, "grid: a sphere is in no row or in two; expected each in one");
    return SCREE_OK;
}
