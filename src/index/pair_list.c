// How pairs get from many threads into one array.
//
// Each chunk owns a stretch of the array. What a chunk will need is not known before it has run, so it is guessed; a
// chunk that runs out of room goes on counting, and is run again once the stretches have been laid out anew with the
// room that it asked for. The guess is what the same chunk needed last time, if there was one: in a steady simulation
// nothing is run twice and nothing is allocated. At the end the stretches are pushed together, in order.
#include "index/pair_list.h"

#include "base/array.h"
#include "base/parallel.h"

typedef struct fill_job {
    const method_table* method;
    const void* self;
    sink* chunks;
} fill_job;

// Runs a chunk unless it has run and had the room it needed. `count` is -1 before the first run.
static scree_status fill_chunk(void* context, int64_t c)
{
    fill_job* job = context;
    sink* to = &job->chunks[c];
    if (to->count >= 0 && to->count <= to->room)
        return SCREE_OK;
    to->count = to->tests = to->cells = 0;
    job->method->pairs(job->self, c, to);
    return SCREE_OK;
}

// Gives each chunk `wanted room` in the array, in order, keeping what complete chunks hold. Stretches never move
// downward, so that moving from the last to the first overwrites nothing.
static scree_status lay_out(pair_list* list, int64_t chunks, bool with_shift)
{
    int64_t total = 0;
    for (int64_t c = 0; c < chunks; ++c) {
        const sink* to = &list->chunks[c];
        total += to->count > to->room ? to->count : to->room;
    }
    if (SCREE_RESERVE(list->ij, list->ij_capacity, total) != SCREE_OK)
        return SCREE_ERR_MEMORY;
    if (with_shift && SCREE_RESERVE(list->shift, list->shift_capacity, total + 1) != SCREE_OK)  // never NULL
        return SCREE_ERR_MEMORY;

    int64_t old_begin = 0;  // of the stretch after the last one
    for (int64_t c = 0; c < chunks; ++c)
        old_begin += list->chunks[c].room;
    int64_t begin = total;
    for (int64_t c = chunks - 1; c >= 0; --c) {
        sink* to = &list->chunks[c];
        int64_t room = to->count > to->room ? to->count : to->room;
        begin -= room;
        old_begin -= to->room;
        if (to->count >= 0 && to->count <= to->room && begin != old_begin) {
            memmove(list->ij + begin, list->ij + old_begin, (size_t)to->count * sizeof *list->ij);
            if (with_shift)
                memmove(list->shift + begin, list->shift + old_begin, (size_t)to->count * sizeof *list->shift);
        }
        if (to->count > to->room)
            to->count = -1;  // to be run again
        to->room = room;
        to->ij = list->ij + begin;
        to->shift = with_shift ? list->shift + begin : NULL;
    }
    return SCREE_OK;
}

static void join(pair_list* list, int64_t chunks, bool with_shift)
{
    list->count = list->tests = list->cells = 0;
    for (int64_t c = 0; c < chunks; ++c) {
        const sink* from = &list->chunks[c];
        if (from->ij != list->ij + list->count && from->count > 0) {
            memmove(list->ij + list->count, from->ij, (size_t)from->count * sizeof *list->ij);
            if (with_shift)
                memmove(list->shift + list->count, from->shift, (size_t)from->count * sizeof *list->shift);
        }
        list->count += from->count;
        list->tests += from->tests;
        list->cells += from->cells;
    }
}

// Room for a chunk that was never run: what some chunks from all over have, and half as much again. They are run for this
// without room, so that they count only.
static int64_t guess(const method_table* method, const void* self, const items* it, int64_t chunks)
{
    enum { pilots = 16 };
    if (chunks < 8 * pilots)
        return 4 * ((int64_t)it->n / (chunks + 1)) + 16;
    int64_t sum = 0;
    for (int64_t p = 0; p < pilots; ++p) {
        sink count_only = {.count = 0};
        method->pairs(self, p * chunks / pilots, &count_only);
        sum += count_only.count;
    }
    return sum / pilots * 3 / 2 + 16;
}

scree_status pair_list_fill(pair_list* list, const method_table* method, const void* self, const items* it,
                            bool with_shift, int32_t threads, const scree_watch* watch)
{
    int64_t chunks = method->chunks(self);
    int64_t known = list->chunk_capacity;
    list->count = 0;
    if (SCREE_RESERVE(list->chunks, list->chunk_capacity, chunks) != SCREE_OK)
        return SCREE_ERR_MEMORY;
    for (int64_t c = known; c < list->chunk_capacity; ++c)
        list->chunks[c] = (sink){.count = 0};

    // An eighth more than last time, or a guess.
    int64_t even = chunks > 0 && !list->chunks[0].known ? guess(method, self, it, chunks) : 64;
    for (int64_t c = 0; c < chunks; ++c)
        list->chunks[c] = (sink){.count = -1, .room = list->chunks[c].known ? list->chunks[c].count * 9 / 8 + 16 : even};
    fill_job job = {.method = method, .self = self, .chunks = list->chunks};
    scree_status status = lay_out(list, chunks, with_shift);
    if (status == SCREE_OK)
        status = scree_parallel_for(threads, chunks, fill_chunk, &job, watch);
    bool complete = true;
    for (int64_t c = 0; c < chunks && status == SCREE_OK; ++c)
        complete = complete && list->chunks[c].count <= list->chunks[c].room;
    if (status == SCREE_OK && !complete) {
        status = lay_out(list, chunks, with_shift);
        if (status == SCREE_OK)
            status = scree_parallel_for(threads, chunks, fill_chunk, &job, watch);
    }
    for (int64_t c = 0; c < chunks; ++c)
        list->chunks[c].known = status == SCREE_OK;
    if (status != SCREE_OK)
        return status;
    join(list, chunks, with_shift);
    return SCREE_OK;
}

// ---- Sorting -----------------------------------------------------------------------------------------------------
// Rows by i with a counting sort, then each row by one 64-bit key that holds j and the shift.

static uint64_t key_of(const pair_list* list, int64_t p, bool with_shift)
{
    uint64_t key = (uint64_t)(uint32_t)list->ij[p][1] << 24;
    if (with_shift)
        for (int k = 0; k < 3; ++k)
            key |= (uint64_t)(list->shift[p][k] + 128) << (16 - 8 * k);
    return key;
}

static void sift_down(uint64_t* key, int64_t root, int64_t count)
{
    uint64_t value = key[root];
    for (;;) {
        int64_t child = 2 * root + 1;
        if (child >= count)
            break;
        if (child + 1 < count && key[child + 1] > key[child])
            ++child;
        if (key[child] <= value)
            break;
        key[root] = key[child];
        root = child;
    }
    key[root] = value;
}

// Insertion for the usual short row, a heap for the row of a sphere among thousands.
static void sort_keys(uint64_t* key, int64_t count)
{
    if (count <= 48) {
        for (int64_t a = 1; a < count; ++a) {
            uint64_t value = key[a];
            int64_t b = a;
            for (; b > 0 && key[b - 1] > value; --b)
                key[b] = key[b - 1];
            key[b] = value;
        }
        return;
    }
    for (int64_t root = count / 2 - 1; root >= 0; --root)
        sift_down(key, root, count);
    for (int64_t last = count - 1; last > 0; --last) {
        uint64_t largest = key[0];
        key[0] = key[last];
        key[last] = largest;
        sift_down(key, 0, last);
    }
}

enum { rows_per_chunk = 4096 };

typedef struct sort_job {
    pair_list* list;
    int32_t n;
    bool with_shift;
} sort_job;

static scree_status sort_rows(void* context, int64_t chunk)
{
    sort_job* job = context;
    pair_list* list = job->list;
    int64_t end = (chunk + 1) * rows_per_chunk < job->n ? (chunk + 1) * rows_per_chunk : job->n;
    for (int64_t i = chunk * rows_per_chunk; i < end; ++i) {
        sort_keys(list->keys + list->rows[i], list->rows[i + 1] - list->rows[i]);
        for (int64_t p = list->rows[i]; p < list->rows[i + 1]; ++p) {
            uint64_t key = list->keys[p];
            list->ij[p][0] = (int32_t)i;
            list->ij[p][1] = (int32_t)(key >> 24);
            if (job->with_shift)
                for (int k = 0; k < 3; ++k)
                    list->shift[p][k] = (int8_t)((int)(key >> (16 - 8 * k) & 255) - 128);
        }
    }
    return SCREE_OK;
}

scree_status pair_list_sort(pair_list* list, int32_t n, bool with_shift, int32_t threads)
{
    if (SCREE_RESERVE(list->keys, list->key_capacity, list->count) != SCREE_OK ||
        SCREE_RESERVE(list->rows, list->row_capacity, (int64_t)n + 2) != SCREE_OK)
        return SCREE_ERR_MEMORY;
    // rows[i + 1] counts, then starts, then (after the scatter) holds the end of row i, which is the start of row i + 1.
    memset(list->rows, 0, ((size_t)n + 2) * sizeof *list->rows);
    if (list->count == 0)
        return SCREE_OK;
    for (int64_t p = 0; p < list->count; ++p)
        ++list->rows[(int64_t)list->ij[p][0] + 2];
    for (int64_t i = 2; i <= (int64_t)n + 1; ++i)
        list->rows[i] += list->rows[i - 1];
    for (int64_t p = 0; p < list->count; ++p)
        list->keys[list->rows[(int64_t)list->ij[p][0] + 1]++] = key_of(list, p, with_shift);
    sort_job job = {.list = list, .n = n, .with_shift = with_shift};
    return scree_parallel_for(threads, ((int64_t)n + rows_per_chunk - 1) / rows_per_chunk, sort_rows, &job, NULL);
}

size_t pair_list_bytes(const pair_list* list)
{
    return (size_t)list->ij_capacity * sizeof *list->ij + (size_t)list->shift_capacity * sizeof *list->shift +
           (size_t)list->chunk_capacity * sizeof *list->chunks + (size_t)list->key_capacity * sizeof *list->keys +
           (size_t)list->row_capacity * sizeof *list->rows;
}

void pair_list_free(pair_list* list)
{
    scree_free(list->ij);
    scree_free(list->shift);
    scree_free(list->chunks);
    scree_free(list->keys);
    scree_free(list->rows);
    *list = (pair_list){0};
}
