// Pairs are first dealt into buckets of rows (counted by blocks of pairs, so that each block knows where its share begins), then each bucket is sorted on
// its own: by row with a counting sort, and each row by one 64-bit key that holds the row inside its bucket, j and the shift. Blocks and
// buckets depend on the pairs alone, so any number of threads gives the same order.
//
// Cost: three passes over the pairs, and a sort of each row. Scratch: 8 bytes a pair, and a counter for each block and bucket.
#include "base/pair_sort.h"

#include "base/parallel.h"
#include "base/sort.h"

#include <string.h>

enum { rows_per_bucket = 512, row_shift = 55, pairs_per_block = 65536, most_blocks = 64, pairs_unreported = 4096 };

typedef struct sort_job {
    const pair_sort* pairs;
    int64_t buckets, per_block;
    int64_t* place;  // [block][bucket]: how many pairs, then where they go; one row more for where buckets begin
} sort_job;

static int64_t buckets_of(int32_t n)
{
    return ((int64_t)n + rows_per_bucket - 1) / rows_per_bucket;
}

int64_t scree_pair_sort_places(int32_t n)
{
    return (most_blocks + 1) * buckets_of(n) + 1;
}

static uint64_t key_of(const pair_sort* pairs, int64_t p)
{
    uint64_t key = (uint64_t)(uint32_t)pairs->ij[p][1] << 24;
    if (pairs->shift != NULL)
        for (int k = 0; k < 3; ++k)
            key |= (uint64_t)(pairs->shift[p][k] + 128) << (16 - 8 * k);
    return key;
}

static int64_t block_end(const sort_job* job, int64_t b)
{
    return (b + 1) * job->per_block < job->pairs->count ? (b + 1) * job->per_block : job->pairs->count;
}

static scree_status count_block(void* context, int64_t b)
{
    const sort_job* job = context;
    int64_t* counts = job->place + b * job->buckets;
    memset(counts, 0, (size_t)job->buckets * sizeof *counts);
    for (int64_t p = b * job->per_block; p < block_end(job, b); ++p)
        ++counts[job->pairs->ij[p][0] / rows_per_bucket];
    return SCREE_OK;
}

static scree_status deal_block(void* context, int64_t b)
{
    const sort_job* job = context;
    int64_t* place = job->place + b * job->buckets;
    for (int64_t p = b * job->per_block; p < block_end(job, b); ++p) {
        int32_t i = job->pairs->ij[p][0];
        job->pairs->keys[place[i / rows_per_bucket]++] = (uint64_t)(i % rows_per_bucket) << row_shift | key_of(job->pairs, p);
    }
    return SCREE_OK;
}

static scree_status sort_bucket(void* context, int64_t bucket)
{
    const sort_job* job = context;
    const pair_sort* pairs = job->pairs;
    const int64_t* begins = job->place + most_blocks * job->buckets;
    int64_t begin = begins[bucket], end = begins[bucket + 1], first = bucket * rows_per_bucket;
    int64_t rows = first + rows_per_bucket < pairs->n ? rows_per_bucket : pairs->n - first;
    int64_t at[rows_per_bucket + 1] = {0};
    for (int64_t p = begin; p < end; ++p)
        ++at[(pairs->keys[p] >> row_shift) + 1];
    at[0] = begin;
    for (int64_t k = 0; k < rows; ++k) {
        at[k + 1] += at[k];
        if (pairs->rows != NULL)
            pairs->rows[first + k] = at[k];
    }
    if (end == begin)
        return SCREE_OK;
    // By row into the pairs' own place, which nothing else needs any more, and back.
    for (int64_t p = begin; p < end; ++p)
        memcpy(pairs->ij + at[pairs->keys[p] >> row_shift]++, &pairs->keys[p], sizeof *pairs->keys);
    memcpy(pairs->keys + begin, pairs->ij + begin, (size_t)(end - begin) * sizeof *pairs->keys);
    for (int64_t k = 0, p = begin, reported = begin; k < rows; ++k) {
        if (at[k] - reported > pairs_unreported) {
            if (!scree_parallel_work(16 * (at[k] - reported)))
                return SCREE_OK;
            reported = at[k];
        }
        scree_sort_keys(pairs->keys + p, at[k] - p);  // after the scatter at[k] is the end of row k
        for (; p < at[k]; ++p) {
            uint64_t key = pairs->keys[p];
            pairs->ij[p][0] = (int32_t)(first + k);
            pairs->ij[p][1] = (int32_t)(key >> 24 & INT32_MAX);
            for (int e = 0; e < 3 && pairs->shift != NULL; ++e)
                pairs->shift[p][e] = (int8_t)((int)(key >> (16 - 8 * e) & 255) - 128);
        }
    }
    return SCREE_OK;
}

scree_status scree_sort_pairs(const pair_sort* pairs, int32_t threads, const scree_watch* watch)
{
    sort_job job = {.pairs = pairs, .buckets = buckets_of(pairs->n), .place = pairs->place};
    job.per_block = pairs->count / most_blocks + 1;
    job.per_block = job.per_block > pairs_per_block ? job.per_block : pairs_per_block;
    int64_t blocks = (pairs->count + job.per_block - 1) / job.per_block, next = 0;
    scree_status status = scree_parallel_for(threads, blocks, count_block, &job, watch);
    if (status != SCREE_OK)
        return status;
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
    if (pairs->rows != NULL)
        pairs->rows[pairs->n] = next;
    status = scree_parallel_for(threads, blocks, deal_block, &job, watch);
    return status == SCREE_OK ? scree_parallel_for(threads, job.buckets, sort_bucket, &job, watch) : status;
}
