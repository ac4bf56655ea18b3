// Symmetric rows in one pool.
//
//     row     | 0: at, count, room | 1: ... |
//     pool    [ 4 9 17 . . ][ 0 3 . . ][ ... ]      j beside image; dots: room to grow
//
// A row that outgrows its room moves to the end of the pool. What it leaves behind, as what the row of a sphere that goes does, is lost until all rows are rebuilt, or
// until eight times as much of the pool is used as rows need; then they are pushed together.
//
// One row is replaced by comparing the old one with the new. Partners of the new one are marked, several images of one partner in a chain. What is old and not marked
// is dropped from the row of the partner, what is new and was not there is added to it; most entries are in both, and cost two looks at a mark.
//
// All rows: both sides of each pair are dealt into buckets of rows, and each bucket is put in order by row and partner: work that threads share, and rows that
// come out the same whatever the order of the pairs.
//
// Cost: O(row) for a change, and half a row for each row of another that changes. All rows: O(pairs). Memory: 8 bytes an entry and a quarter for
// room, 21 a sphere; 16 a pair of scratch when all rows are made.
#include "index/near_rows.h"

#include "base/array.h"
#include "base/parallel.h"
#include "base/sort.h"

#include <assert.h>
#include <inttypes.h>

enum { spare = 4 };

static int32_t room_for(int32_t count)
{
    return count + count / 4 + spare;
}

static inline int32_t opposite(const near_rows* rows, int32_t image)
{
    return 2 * rows->here - image;
}

// ---- Memory --------------------------------------------------------------------------------------------------------

static scree_status make_pool(near_rows* rows, int64_t wanted)
{
    return SCREE_RESERVE(rows->j, rows->j_capacity, wanted) == SCREE_OK && SCREE_RESERVE(rows->image, rows->image_capacity, wanted) == SCREE_OK
               ? SCREE_OK
               : SCREE_ERR_MEMORY;
}

static scree_status make_rows(near_rows* rows, int64_t n)
{
    int64_t marked = rows->mark_capacity;
    if (SCREE_RESERVE(rows->row, rows->row_capacity, n + 1) != SCREE_OK || SCREE_RESERVE(rows->imaged, rows->imaged_capacity, n + 1) != SCREE_OK ||
        SCREE_RESERVE(rows->mark, rows->mark_capacity, n + 1) != SCREE_OK)  // never NULL
        return SCREE_ERR_MEMORY;
    for (int64_t i = marked; i < rows->mark_capacity; ++i)
        rows->mark[i] = -1;
    return SCREE_OK;
}

// Rows in their order, each with the room that it would get now.
static scree_status push_together(near_rows* rows)
{
    int64_t need = 0;
    for (int32_t i = 0; i < rows->n; ++i)
        need += room_for(rows->row[i].count);
    int32_t *j = scree_malloc((size_t)need + 1, sizeof *j), *image = scree_malloc((size_t)need + 1, sizeof *image);
    if (j == NULL || image == NULL) {
        scree_free(j);
        scree_free(image);
        return SCREE_ERR_MEMORY;
    }
    int64_t at = 0;
    for (int32_t i = 0; i < rows->n; ++i) {
        scree_neighbour_row* row = &rows->row[i];
        memcpy(j + at, rows->j + row->at, (size_t)row->count * sizeof *j);
        memcpy(image + at, rows->image + row->at, (size_t)row->count * sizeof *image);
        row->at = at;
        row->room = room_for(row->count);
        at += row->room;
    }
    scree_free(rows->j);
    scree_free(rows->image);
    rows->j = j;
    rows->image = image;
    rows->j_capacity = rows->image_capacity = need + 1;
    rows->end = rows->used = need;
    return SCREE_OK;
}

static scree_status make_room(near_rows* rows, int32_t i, int32_t count)
{
    scree_neighbour_row* row = &rows->row[i];
    if (count <= row->room)
        return SCREE_OK;
    if (rows->used > 8 * (rows->entries + 8 * (int64_t)rows->n) && push_together(rows) != SCREE_OK)
        return SCREE_ERR_MEMORY;
    int32_t room = room_for(count);
    if (make_pool(rows, rows->end + room) != SCREE_OK)
        return SCREE_ERR_MEMORY;
    memcpy(rows->j + rows->end, rows->j + row->at, (size_t)row->count * sizeof *rows->j);
    memcpy(rows->image + rows->end, rows->image + row->at, (size_t)row->count * sizeof *rows->image);
    row->at = rows->end;
    row->room = room;
    rows->end += room;
    rows->used += room;
    return SCREE_OK;
}

// ---- One row -------------------------------------------------------------------------------------------------------

// Where an entry is in a rising row, or would be.
static int32_t find_rising(const near_rows* rows, const scree_neighbour_row* row, int32_t j, int32_t image)
{
    const int32_t *js = rows->j + row->at, *images = rows->image + row->at;
    int32_t low = 0, high = row->count;
    while (low < high) {
        int32_t middle = low + (high - low) / 2;
        if (js[middle] < j || (js[middle] == j && images[middle] < image))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool is_listed(const near_rows* rows, int32_t i, int32_t j, int32_t image)
{
    const scree_neighbour_row* row = &rows->row[i];
    int32_t at = rows->sorted ? find_rising(rows, row, j, image) : 0;
    while (!rows->sorted && at < row->count && (rows->j[row->at + at] != j || rows->image[row->at + at] != image))
        ++at;
    return at < row->count && rows->j[row->at + at] == j && rows->image[row->at + at] == image;
}

// An entry that is there.
static inline void drop(near_rows* rows, int32_t i, int32_t j, int32_t image)
{
    scree_neighbour_row* row = &rows->row[i];
    int32_t at = 0, *js = rows->j + row->at, *images = rows->image + row->at;
    assert(is_listed(rows, i, j, image));
    --rows->entries;
    if (!rows->sorted) {
        while (js[at] != j || images[at] != image)
            ++at;
        int32_t last = --row->count;
        js[at] = js[last];
        images[at] = images[last];
        return;
    }
    at = find_rising(rows, row, j, image);
    size_t behind = (size_t)(--row->count - at);
    memmove(js + at, js + at + 1, behind * sizeof *js);
    memmove(images + at, images + at + 1, behind * sizeof *images);
}

static inline scree_status add(near_rows* rows, int32_t i, int32_t j, int32_t image)
{
    scree_neighbour_row* row = &rows->row[i];
    if (row->count == row->room && make_room(rows, i, row->count + 1) != SCREE_OK)
        return SCREE_ERR_MEMORY;
    int32_t *js = rows->j + row->at, *images = rows->image + row->at, at = row->count;
    if (rows->sorted) {
        at = find_rising(rows, row, j, image);
        memmove(js + at + 1, js + at, (size_t)(row->count - at) * sizeof *js);
        memmove(images + at + 1, images + at, (size_t)(row->count - at) * sizeof *images);
    }
    js[at] = j;
    images[at] = image;
    ++row->count;
    ++rows->entries;
    rows->imaged[i] |= image != rows->here;
    return SCREE_OK;
}

static void write_row(near_rows* rows, int32_t i, int32_t count, const int32_t* j, const int32_t* image)
{
    scree_neighbour_row* row = &rows->row[i];
    if (count > 0) {
        memcpy(rows->j + row->at, j, (size_t)count * sizeof *j);
        memcpy(rows->image + row->at, image, (size_t)count * sizeof *image);
    }
    rows->entries += count - row->count;
    row->count = count;
}

static scree_status make_scratch(near_rows* rows, int64_t count)
{
    if (SCREE_RESERVE(rows->chain, rows->chain_capacity, count) != SCREE_OK || SCREE_RESERVE(rows->kept, rows->kept_capacity, count) != SCREE_OK ||
        SCREE_RESERVE(rows->added, rows->added_capacity, count) != SCREE_OK)
        return SCREE_ERR_MEMORY;
    rows->scratch = count;
    return SCREE_OK;
}

// Marks are taken back up to (not including) entry h.
static scree_status reject(near_rows* rows, int32_t i, int32_t h, int32_t count, const int32_t* j, const int32_t* image)
{
    for (int32_t k = count - 1; k > h; --k)
        rows->mark[j[k]] = -1;
    return scree_fail(SCREE_ERR_ARGUMENT,
                      "neighbour lists: entry %" PRId32 " of sphere %" PRId32 " is image %" PRId32 " of sphere %" PRId32 "; expected spheres below %" PRId32 ", and images 0 to %" PRId32,
                      h, i, image[h], j[h], rows->n, 2 * rows->here);
}

scree_status near_rows_replace(near_rows* rows, int32_t i, int32_t count, const int32_t* j, const int32_t* image, scree_neighbour_change* change)
{
    *change = (scree_neighbour_change){0};
    if (count >= rows->scratch && make_scratch(rows, 2 * (int64_t)count + 16) != SCREE_OK)
        return SCREE_ERR_MEMORY;
    int32_t *mark = rows->mark, *chain = rows->chain, *added = rows->added;
    const uint32_t n = (uint32_t)rows->n, images = 2 * (uint32_t)rows->here;
    uint8_t* kept = rows->kept;
    for (int32_t h = count - 1; h >= 0; --h) {
        if ((uint32_t)j[h] >= n || (uint32_t)image[h] > images)
            return reject(rows, i, h, count, j, image);
        __builtin_prefetch(&rows->row[j[h]]);
        chain[h] = mark[j[h]];
        mark[j[h]] = h;
        kept[h] = 0;
    }
    const int32_t *old = rows->j + rows->row[i].at, *old_image = rows->image + rows->row[i].at, before = rows->row[i].count;
    int32_t fresh = 0, left = 0;
    for (int32_t e = 0; e < before; ++e) {
        int32_t h = mark[old[e]];
        while (h >= 0 && image[h] != old_image[e])
            h = chain[h];
        if (h >= 0) {
            kept[h] = 1;
            continue;
        }
        ++left;
        if (old[e] != i)
            drop(rows, old[e], i, opposite(rows, old_image[e]));
    }
    scree_status status = SCREE_OK;
    for (int32_t h = 0; h < count; ++h) {
        mark[j[h]] = -1;
        if (kept[h] || status != SCREE_OK)
            continue;
        added[fresh++] = h;
        rows->imaged[i] |= image[h] != rows->here;
        if (j[h] != i)
            status = add(rows, j[h], i, opposite(rows, image[h]));
    }
    if (status == SCREE_OK && count > rows->row[i].room)
        status = make_room(rows, i, count);
    if (status != SCREE_OK)
        return status;
    write_row(rows, i, count, j, image);
    *change = (scree_neighbour_change){.count = fresh, .added = added, .dropped = left};
    return SCREE_OK;
}

// ---- One after the other ------------------------------------------------------------------------------------------

scree_status near_rows_begin(near_rows* rows, int32_t n, int32_t here)
{
    if (make_rows(rows, n) != SCREE_OK || make_pool(rows, 1) != SCREE_OK)  // never NULL
        return SCREE_ERR_MEMORY;
    rows->n = n;
    rows->here = here;
    rows->end = rows->used = rows->entries = 0;
    memset(rows->imaged, 0, (size_t)n);
    for (int32_t i = 0; i < n; ++i)
        rows->row[i] = (scree_neighbour_row){0};
    return SCREE_OK;
}

scree_status near_rows_fill(near_rows* rows, int32_t i, int32_t count, const int32_t* j, const int32_t* image)
{
    int32_t room = room_for(count);
    if (make_pool(rows, rows->end + room) != SCREE_OK)
        return SCREE_ERR_MEMORY;
    rows->row[i] = (scree_neighbour_row){.at = rows->end, .room = room};
    rows->end += room;
    rows->used += room;
    for (int32_t h = 0; h < count; ++h)
        rows->imaged[i] |= image[h] != rows->here;
    write_row(rows, i, count, j, image);
    return SCREE_OK;
}

scree_status near_rows_append(near_rows* rows)
{
    if (make_rows(rows, (int64_t)rows->n + 1) != SCREE_OK)
        return SCREE_ERR_MEMORY;
    rows->row[rows->n] = (scree_neighbour_row){0};
    rows->imaged[rows->n] = 0;
    ++rows->n;
    return SCREE_OK;
}

scree_status near_rows_remove(near_rows* rows, int32_t i)
{
    scree_neighbour_change change;
    scree_status status = near_rows_replace(rows, i, 0, NULL, NULL, &change);
    int32_t last = rows->n - 1;
    scree_neighbour_row* row = &rows->row[last];
    for (int32_t e = 0; e < row->count && i != last && status == SCREE_OK; ++e) {
        int32_t j = rows->j[row->at + e], seen = opposite(rows, rows->image[row->at + e]);
        if (j == last && !rows->sorted)
            rows->j[row->at + e] = i;
        if (j == last)
            continue;
        drop(rows, j, last, seen);
        status = add(rows, j, i, seen);  // has room
    }
    while (i != last && row->count > 0 && rows->j[row->at + row->count - 1] == last && status == SCREE_OK) {  // its own images: last in a rising row
        --rows->entries;
        status = add(rows, last, i, rows->image[row->at + --row->count]);
    }
    rows->row[i] = rows->row[last];
    rows->imaged[i] = rows->imaged[last];
    rows->n = last;
    return status;
}

// ---- All rows ------------------------------------------------------------------------------------------------------
// A side of a pair is a key: row inside its bucket, partner, image, from the highest bits to the lowest.

enum { rows_per_bucket = 1024, image_bits = 12, row_shift = 31 + image_bits, most_blocks = 64, pairs_per_block = 16384 };

typedef struct row_job {
    near_rows* rows;
    const scree_pairs* pairs;
    int32_t images;
    bool steady;
    int64_t buckets, per_block;
    int64_t* place;  // [block][bucket]: how many sides, then where they go; one row more for where buckets begin
} row_job;

static int64_t pairs_end(const row_job* job, int64_t b)
{
    return (b + 1) * job->per_block < job->pairs->count ? (b + 1) * job->per_block : job->pairs->count;
}

static scree_status count_block(void* context, int64_t b)
{
    const row_job* job = context;
    int64_t* counts = job->place + b * job->buckets;
    memset(counts, 0, (size_t)job->buckets * sizeof *counts);
    for (int64_t q = b * job->per_block; q < pairs_end(job, b); ++q) {
        int32_t i = job->pairs->ij[q][0], j = job->pairs->ij[q][1];
        counts[i / rows_per_bucket] += i != j;
        counts[j / rows_per_bucket] += i != j;
    }
    return SCREE_OK;
}

static inline bool is_far(const int8_t s[3], int32_t most)
{
    const uint32_t range = 2 * (uint32_t)most;
    return (uint32_t)(s[0] + most) > range || (uint32_t)(s[1] + most) > range || (uint32_t)(s[2] + most) > range;
}

static scree_status deal_block(void* context, int64_t b)
{
    const row_job* job = context;
    int64_t* place = job->place + b * job->buckets;
    uint64_t* keys = job->rows->keys;
    const int32_t most = job->images, wide = 2 * most + 1, none = job->rows->here;
    for (int64_t q = b * job->per_block; q < pairs_end(job, b); ++q) {
        int32_t i = job->pairs->ij[q][0], j = job->pairs->ij[q][1], code = 0;
        if (i == j)
            continue;
        if (job->pairs->shift != NULL && (job->pairs->shift[q][0] | job->pairs->shift[q][1] | job->pairs->shift[q][2]) != 0) {
            const int8_t* s = job->pairs->shift[q];
            if (is_far(s, most))
                return scree_fail(SCREE_ERR_ARGUMENT,
                                  "neighbour lists: spheres %" PRId32 " and %" PRId32 " are near through an image %d %d %d boxes away; expected at most %" PRId32
                                  "; wrap the centres",
                                  i, j, s[0], s[1], s[2], most);
            code = s[0] + wide * (s[1] + wide * s[2]);
        }
        keys[place[i / rows_per_bucket]++] =
            (uint64_t)(i % rows_per_bucket) << row_shift | (uint64_t)(uint32_t)j << image_bits | (uint64_t)(none + code);
        keys[place[j / rows_per_bucket]++] =
            (uint64_t)(j % rows_per_bucket) << row_shift | (uint64_t)(uint32_t)i << image_bits | (uint64_t)(none - code);
    }
    return SCREE_OK;
}

// Puts a row in order, through scratch as long as it. Insertion for the usual short row.
static bool order_row(near_rows* rows, const scree_neighbour_row* row, uint64_t* key)
{
    int32_t *j = rows->j + row->at, *image = rows->image + row->at;
    const uint64_t image_mask = (1u << image_bits) - 1;
    bool imaged = false;
    const int32_t count = row->count, here = rows->here;
    if (count <= 40) {
        for (int32_t a = 0; a < count; ++a) {
            uint64_t value = (uint64_t)(uint32_t)j[a] << image_bits | (uint32_t)image[a];
            int32_t b = a;
            for (; b > 0 && key[b - 1] > value; --b)
                key[b] = key[b - 1];
            key[b] = value;
        }
    } else {
        for (int32_t a = 0; a < count; ++a)
            key[a] = (uint64_t)(uint32_t)j[a] << image_bits | (uint32_t)image[a];
        scree_sort_keys(key, count);
    }
    for (int32_t a = 0; a < count; ++a) {
        j[a] = (int32_t)(key[a] >> image_bits);
        image[a] = (int32_t)(key[a] & image_mask);
        imaged |= (int32_t)(key[a] & image_mask) != here;
    }
    return imaged;
}

// The pool is laid out by bounds that a bucket knows: its rows begin where the sides before it, a quarter more and some for each row, end.
static int64_t pool_begin(const row_job* job, int64_t sides, int64_t row)
{
    return job->steady ? sides : sides + sides / 4 + spare * row;
}

static scree_status row_bucket(void* context, int64_t bucket)
{
    const row_job* job = context;
    near_rows* rows = job->rows;
    const int64_t* begins = job->place + most_blocks * job->buckets;
    int64_t begin = begins[bucket], end = begins[bucket + 1], first = bucket * rows_per_bucket;
    int64_t count = first + rows_per_bucket < rows->n ? rows_per_bucket : rows->n - first;
    const uint64_t image_mask = (1u << image_bits) - 1;
    int64_t at[rows_per_bucket] = {0}, to = pool_begin(job, begin, first);
    for (int64_t q = begin; q < end; ++q)
        ++at[rows->keys[q] >> row_shift];
    for (int64_t k = 0; k < count; ++k) {
        int32_t length = (int32_t)at[k];
        rows->row[first + k] = (scree_neighbour_row){.at = to, .count = length, .room = job->steady ? length : room_for(length)};
        at[k] = to;
        to += rows->row[first + k].room;
    }
    for (int64_t q = begin; q < end; ++q) {
        uint64_t key = rows->keys[q];
        int64_t e = at[key >> row_shift]++;
        rows->j[e] = (int32_t)(key >> image_bits & INT32_MAX);
        rows->image[e] = (int32_t)(key & image_mask);
    }
    for (int64_t k = 0; k < count; ++k)  // the keys of the bucket are no longer needed
        rows->imaged[first + k] = order_row(rows, &rows->row[first + k], rows->keys + begin);
    return SCREE_OK;
}

scree_status near_rows_make(near_rows* rows, int32_t n, const scree_pairs* pairs, int32_t images, bool steady, int32_t threads)
{
    row_job job = {.rows = rows, .pairs = pairs, .images = images, .steady = steady, .buckets = ((int64_t)n + rows_per_bucket - 1) / rows_per_bucket};
    job.per_block = pairs->count / most_blocks + 1;
    job.per_block = job.per_block > pairs_per_block ? job.per_block : pairs_per_block;
    int64_t blocks = (pairs->count + job.per_block - 1) / job.per_block, sides = 2 * pairs->count, next = 0;
    if (make_rows(rows, n) != SCREE_OK || SCREE_RESERVE(rows->keys, rows->keys_capacity, sides + 1) != SCREE_OK ||
        SCREE_RESERVE(rows->place, rows->place_capacity, (most_blocks + 1) * job.buckets + 1) != SCREE_OK ||
        make_pool(rows, pool_begin(&job, sides, n) + 1) != SCREE_OK)
        return SCREE_ERR_MEMORY;
    rows->n = n;
    rows->here = scree_neighbour_here(images);
    job.place = rows->place;
    scree_parallel_for(threads, blocks, count_block, &job, NULL);
    int64_t* begins = job.place + most_blocks * job.buckets;
    for (int64_t bucket = 0; bucket < job.buckets; ++bucket) {
        begins[bucket] = next;
        for (int64_t b = 0; b < blocks; ++b) {
            int64_t count = job.place[b * job.buckets + bucket];
            job.place[b * job.buckets + bucket] = next;
            next += count;
        }
    }
    begins[job.buckets] = next;
    rows->entries = next;
    scree_status status = scree_parallel_for(threads, blocks, deal_block, &job, NULL);
    if (status != SCREE_OK)
        return status;
    scree_parallel_for(threads, job.buckets, row_bucket, &job, NULL);
    rows->end = pool_begin(&job, next, n);
    rows->used = 0;
    for (int32_t i = 0; i < n; ++i)
        rows->used += rows->row[i].room;
    return SCREE_OK;
}

// ---- Everything, slowly --------------------------------------------------------------------------------------------

scree_status near_rows_validate(const near_rows* rows)
{
    int64_t entries = 0;
    for (int32_t i = 0; i < rows->n; ++i) {
        const scree_neighbour_row* row = &rows->row[i];
        const int32_t *js = rows->j + row->at, *images = rows->image + row->at;
        for (int32_t e = 0; e < row->count; ++e) {
            bool rises = e == 0 || js[e - 1] < js[e] || (js[e - 1] == js[e] && images[e - 1] < images[e]), twice = false;
            for (int32_t f = 0; f < e && !rows->sorted; ++f)
                twice |= js[f] == js[e] && images[f] == images[e];
            if (js[e] < 0 || js[e] >= rows->n || twice || (rows->sorted && !rises) || !is_listed(rows, js[e], i, opposite(rows, images[e])))
                return scree_fail(SCREE_ERR_ARGUMENT,
                                  "neighbour lists: entry %" PRId32 " of sphere %" PRId32 ", image %" PRId32 " of sphere %" PRId32
                                  ", is out of order, there twice, or not in both lists; expected ascending entries, each in both lists",
                                  e, i, images[e], js[e]);
            if (images[e] != rows->here && !rows->imaged[i])
                return scree_fail(SCREE_ERR_ARGUMENT, "neighbour lists: sphere %" PRId32 " has an image in its row and is marked as having none; expected a mark", i);
        }
        entries += row->count;
    }
    if (entries != rows->entries)
        return scree_fail(SCREE_ERR_ARGUMENT, "neighbour lists: %" PRId64 " entries are counted; expected %" PRId64, rows->entries, entries);
    return SCREE_OK;
}

size_t near_rows_bytes(const near_rows* rows)
{
    return (size_t)rows->row_capacity * sizeof *rows->row + (size_t)(rows->j_capacity + rows->image_capacity) * sizeof *rows->j +
           (size_t)rows->imaged_capacity + (size_t)(rows->mark_capacity + rows->chain_capacity + rows->added_capacity) * sizeof *rows->mark +
           (size_t)rows->kept_capacity + (size_t)rows->keys_capacity * sizeof *rows->keys +
           (size_t)rows->place_capacity * sizeof *rows->place;
}

void near_rows_free(near_rows* rows)
{
    scree_free(rows->row);
    scree_free(rows->j);
    scree_free(rows->image);
    scree_free(rows->imaged);
    scree_free(rows->mark);
    scree_free(rows->chain);
    scree_free(rows->added);
    scree_free(rows->kept);
    scree_free(rows->keys);
    scree_free(rows->place);
    *rows = (near_rows){.sorted = rows->sorted};
}
