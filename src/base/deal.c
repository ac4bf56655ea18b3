// Rows are cut into chunks. Each chunk counts what it has for each block, so that it knows where its share of a block begins, and then copies it
// there: the copies of a block stand as in the rows, whatever the number of threads.
#include "base/deal.h"

#include "base/array.h"
#include "base/parallel.h"

#include <string.h>

enum { most_chunks = 64 };

typedef struct deal_job {
    scree_dealt* dealt;
    const scree_rows* rows;
    int64_t chunks, per_chunk;
} deal_job;

static int64_t chunk_end(const deal_job* job, int64_t chunk)
{
    int64_t end = (chunk + 1) * job->per_chunk;
    return end < job->rows->count ? end : job->rows->count;
}

// The block of the last rows. Most rows stay in the block of their first item, and these need no division.
typedef struct deal_block {
    int32_t begin, end;
} deal_block;

// Where the copy of a row goes; below 0: it stays in its block.
static inline int64_t target_of(const scree_dealt* dealt, const int32_t ij[2], deal_block* now)
{
    if (ij[0] < now->begin || ij[0] >= now->end) {
        now->begin = ij[0] / dealt->block * dealt->block;
        now->end = now->begin <= INT32_MAX - dealt->block ? now->begin + dealt->block : INT32_MAX;
    }
    return ij[1] >= now->begin && ij[1] < now->end ? -1 : ij[1] / dealt->block;
}

static scree_status count_chunk(void* context, int64_t chunk)
{
    const deal_job* job = context;
    const int32_t (*ij)[2] = job->rows->ij;
    int64_t* place = job->dealt->place + chunk * job->dealt->blocks;
    memset(place, 0, (size_t)job->dealt->blocks * sizeof *place);
    deal_block now = {0};
    const int64_t end = chunk_end(job, chunk);
    for (int64_t c = chunk * job->per_chunk; c < end; ++c) {
        const int64_t to = target_of(job->dealt, ij[c], &now);
        if (to >= 0)
            ++place[to];
    }
    return SCREE_OK;
}

static scree_status deal_chunk(void* context, int64_t chunk)
{
    const deal_job* job = context;
    scree_dealt* dealt = job->dealt;
    const scree_rows* rows = job->rows;
    int64_t* place = dealt->place + chunk * dealt->blocks;
    deal_block now = {0};
    const int64_t end = chunk_end(job, chunk);
    for (int64_t c = chunk * job->per_chunk; c < end; ++c) {
        const int64_t to = target_of(dealt, rows->ij[c], &now);
        if (to < 0)
            continue;
        int64_t at = place[to]++;
        memcpy(dealt->ij[at], rows->ij[c], sizeof *rows->ij);
        if (rows->shift != NULL)
            memcpy(dealt->shift[at], rows->shift[c], sizeof *rows->shift);
        if (dealt->numbered)
            dealt->row[at] = c;
    }
    return SCREE_OK;
}

scree_status scree_deal(scree_dealt* dealt, const scree_rows* rows, int32_t threads, const scree_watch* watch)
{
    dealt->blocks = ((int64_t)rows->items + dealt->block - 1) / dealt->block;
    deal_job job = {.dealt = dealt, .rows = rows, .chunks = dealt->blocks > 0 ? rows->count / dealt->blocks : 0};  // no more counts than rows
    job.chunks = job.chunks < 1 ? 1 : job.chunks > most_chunks ? most_chunks : job.chunks;
    job.per_chunk = rows->count / job.chunks + 1;
    if (SCREE_RESERVE(dealt->start, dealt->start_capacity, dealt->blocks + 1) != SCREE_OK ||
        SCREE_RESERVE(dealt->place, dealt->place_capacity, job.chunks * dealt->blocks + 1) != SCREE_OK)
        return SCREE_ERR_MEMORY;
    scree_status status = scree_parallel_for(threads, job.chunks, count_chunk, &job, watch);
    if (status != SCREE_OK)
        return status;
    int64_t sum = 0;
    for (int64_t b = 0; b < dealt->blocks; ++b) {
        dealt->start[b] = sum;
        for (int64_t chunk = 0; chunk < job.chunks; ++chunk) {
            int64_t* place = &dealt->place[chunk * dealt->blocks + b], here = *place;
            *place = sum;
            sum += here;
        }
    }
    dealt->start[dealt->blocks] = sum;
    if (SCREE_RESERVE(dealt->ij, dealt->ij_capacity, sum + 1) != SCREE_OK ||
        (rows->shift != NULL && SCREE_RESERVE(dealt->shift, dealt->shift_capacity, sum + 1) != SCREE_OK) ||
        (dealt->numbered && SCREE_RESERVE(dealt->row, dealt->row_capacity, sum + 1) != SCREE_OK))
        return SCREE_ERR_MEMORY;
    return scree_parallel_for(threads, job.chunks, deal_chunk, &job, watch);
}

size_t scree_dealt_bytes(const scree_dealt* dealt)
{
    return (size_t)(dealt->start_capacity + dealt->row_capacity + dealt->place_capacity) * sizeof(int64_t) + (size_t)dealt->ij_capacity * sizeof *dealt->ij +
           (size_t)dealt->shift_capacity * sizeof *dealt->shift;
}

void scree_dealt_free(scree_dealt* dealt)
{
    scree_free(dealt->start);
    scree_free(dealt->ij);
    scree_free(dealt->shift);
    scree_free(dealt->row);
    scree_free(dealt->place);
    *dealt = (scree_dealt){.block = 0};
}
