// Collective rearrangement: who may come to overlap whom.
//
// Each sphere has a leash, and candidates are all pairs whose gap is below the sum of their two leashes: to the index, spheres that are larger by
// their leash and touch. They serve until the first sphere has come to the end of its leash. Most spheres hardly move while a few that nothing
// holds run about, so leashes follow from how far each went while the last list served; their common scale from what lists and tests cost. Both
// follow from places and counts alone, so that no bit depends on threads or on the method of the index.
//
// The index gives pairs in an order of its own. Both sides of each are dealt into buckets of rows, and each bucket is put in order by row
// and partner: work that threads share, and rows that come out the same whatever the order of the pairs.
//
// Cost: about as much as ten sweeps.
#include "rearrange_inner.h"

#include "base/array.h"
#include "base/morton.h"
#include "base/parallel.h"
#include "base/sort.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

// ---- Places --------------------------------------------------------------------------------------------------------

static scree_status wrap_block(void* context, int64_t b)
{
    pile* p = context;
    for (int64_t i = b * pile_block; i < pile_block_end(p, b); ++i) {
        double d[3], distance = pile_from_middle(p, p->x[i], d);
        for (int k = 0; k < p->round && distance > 0.5 * p->length[0]; ++k)
            p->x[i][k] = 0.5 * p->length[k] + d[k] * (0.5 * p->length[0] / distance);
        for (int k = 0; k < p->dim; ++k)
            p->x[i][k] = p->periodic[k] ? scree_box_wrap(&p->container.box, k, p->x[i][k], NULL) : fmin(fmax(p->x[i][k], 0.0), p->length[k]);
    }
    return SCREE_OK;
}

void pile_wrap(pile* p)
{
    scree_parallel_for(p->threads, p->blocks, wrap_block, p, NULL);
}

typedef struct new_order {
    pile* p;
    int64_t* key;
    uint32_t* word;
} new_order;

static scree_status key_block(void* context, int64_t b)
{
    new_order* o = context;
    const pile* p = o->p;
    double cells = p->dim == 2 ? 2147483648.0 : 2097152.0;
    for (int64_t i = b * pile_block; i < pile_block_end(p, b); ++i) {
        uint64_t cell[3] = {0};
        for (int k = 0; k < p->dim; ++k)
            cell[k] = (uint64_t)fmin(fmax(p->x[i][k] / p->length[k], 0.0) * cells, cells - 1.0);
        o->key[i] = (int64_t)scree_morton_key(p->dim, cell);
        o->word[i] = (uint32_t)i;
    }
    return SCREE_OK;
}

// Neighbours in space become neighbours in memory. Scratch: forces and references hold nothing that is still wanted.
static void order(pile* p)
{
    int32_t n = p->n;
    int64_t *key = (int64_t*)p->f, *spare_key = key + n;
    uint32_t *word = (uint32_t*)(spare_key + n), *spare_word = word + n;
    scree_parallel_for(p->threads, p->blocks, key_block, &(new_order){p, key, word}, NULL);
    scree_sort_with(key, word, spare_key, spare_word, n);
    double (*old)[4] = p->reference;
    memcpy(old, p->x, (size_t)n * sizeof *old);
    for (int32_t i = 0; i < n; ++i)
        memcpy(p->x[i], old[word[i]], sizeof *old);
    memcpy(old, p->v, (size_t)n * sizeof *old);
    for (int32_t i = 0; i < n; ++i)
        memcpy(p->v[i], old[word[i]], sizeof *old);
    double* old_r = (double*)old;
    memcpy(old_r, p->r, (size_t)n * sizeof *old_r);
    uint32_t* old_id = (uint32_t*)(old_r + n);
    memcpy(old_id, p->id, (size_t)n * sizeof *old_id);
    for (int32_t i = 0; i < n; ++i) {
        p->r[i] = old_r[word[i]];
        p->id[i] = old_id[word[i]];
    }
}

// ---- Pairs ---------------------------------------------------------------------------------------------------------

typedef struct flat_job {
    pile* p;
    bool leashes;
} flat_job;

static scree_status flat_block(void* context, int64_t b)
{
    const flat_job* job = context;
    const pile* p = job->p;
    double* r = p->flat + (int64_t)p->n * p->dim;
    for (int64_t i = b * pile_block; i < pile_block_end(p, b); ++i) {
        memcpy(p->flat + i * p->dim, p->x[i], (size_t)p->dim * sizeof *p->flat);
        r[i] = job->leashes ? p->x[i][3] + p->v[i][3] : p->x[i][3];
    }
    return SCREE_OK;
}

scree_status pile_pairs(pile* p, double gap, bool leashes, scree_pairs* pairs)
{
    scree_parallel_for(p->threads, p->blocks, flat_block, &(flat_job){p, leashes}, NULL);
    scree_status status = scree_index_set_gap(p->index, gap);
    if (status == SCREE_OK)
        status = scree_index_update(p->index,
                                    (scree_spheres){.count = p->n, .dim = p->dim, .x = p->flat, .r = p->flat + (int64_t)p->n * p->dim});
    if (status == SCREE_OK)
        status = scree_index_pairs(p->index, pairs);
    return status;
}

// ---- Rows ----------------------------------------------------------------------------------------------------------
// A side of a pair is a key: row inside its bucket, partner, image, from the highest bits to the lowest.

enum { rows_per_bucket = 1024, image_bits = 10, row_shift = 31 + image_bits, most_blocks = 64, pairs_per_block = 16384 };
static_assert(shift_codes <= 1 << image_bits, "images fit their bits");

typedef struct row_job {
    pile* p;
    const scree_pairs* pairs;
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
        counts[i / rows_per_bucket] += i != j;  // a sphere and its own image never come to overlap: radii only shrink
        counts[j / rows_per_bucket] += i != j;
    }
    return SCREE_OK;
}

static scree_status deal_block(void* context, int64_t b)
{
    const row_job* job = context;
    int64_t* place = job->place + b * job->buckets;
    uint64_t* keys = job->p->keys;
    const int wide = 2 * shift_most + 1, none = shift_codes / 2;
    for (int64_t q = b * job->per_block; q < pairs_end(job, b); ++q) {
        int32_t i = job->pairs->ij[q][0], j = job->pairs->ij[q][1];
        if (i == j)
            continue;
        int code = 0;
        if (job->pairs->shift != NULL) {
            const int8_t* s = job->pairs->shift[q];
            assert(s[0] >= -shift_most && s[0] <= shift_most && s[1] >= -shift_most && s[1] <= shift_most && s[2] >= -shift_most &&
                   s[2] <= shift_most);
            code = s[0] + wide * (s[1] + wide * s[2]);
        }
        keys[place[i / rows_per_bucket]++] =
            (uint64_t)(i % rows_per_bucket) << row_shift | (uint64_t)(uint32_t)j << image_bits | (uint64_t)(none + code);
        keys[place[j / rows_per_bucket]++] =
            (uint64_t)(j % rows_per_bucket) << row_shift | (uint64_t)(uint32_t)i << image_bits | (uint64_t)(none - code);
    }
    return SCREE_OK;
}

// Rising, without what is the same in all of them. Insertion for the usual short row; bytes from the lowest for the row of a sphere among
// thousands.
static void sort_row(uint64_t* key, uint64_t* spare, int64_t count)
{
    if (count <= 40) {
        for (int64_t a = 1; a < count; ++a) {
            uint64_t value = key[a];
            int64_t b = a;
            for (; b > 0 && key[b - 1] > value; --b)
                key[b] = key[b - 1];
            key[b] = value;
        }
        return;
    }
    uint64_t differ = 0, *from = key, *to = spare;
    for (int64_t a = 1; a < count; ++a)
        differ |= key[a] ^ key[0];
    for (int shift = 0; shift < 64; shift += 8) {
        if ((differ >> shift & 255) == 0)
            continue;
        int64_t at[256] = {0}, next = 0;
        for (int64_t a = 0; a < count; ++a)
            ++at[from[a] >> shift & 255];
        for (int v = 0; v < 256; ++v) {
            int64_t here = at[v];
            at[v] = next;
            next += here;
        }
        for (int64_t a = 0; a < count; ++a)
            to[at[from[a] >> shift & 255]++] = from[a];
        uint64_t* other = from;
        from = to;
        to = other;
    }
    if (from != key)
        memcpy(key, from, (size_t)count * sizeof *key);
}

static scree_status row_bucket(void* context, int64_t bucket)
{
    const row_job* job = context;
    pile* p = job->p;
    const int64_t* begins = job->place + most_blocks * job->buckets;
    int64_t begin = begins[bucket], end = begins[bucket + 1], first = bucket * rows_per_bucket;
    int64_t rows = first + rows_per_bucket < p->n ? rows_per_bucket : p->n - first;
    int64_t at[rows_per_bucket + 1] = {0};
    for (int64_t q = begin; q < end; ++q)
        ++at[(p->keys[q] >> row_shift) + 1];
    at[0] = begin;
    for (int64_t k = 0; k < rows; ++k) {
        at[k + 1] += at[k];
        p->start[first + k] = at[k];
    }
    for (int64_t q = begin; q < end; ++q)
        p->spare_keys[at[p->keys[q] >> row_shift]++] = p->keys[q];
    const uint64_t image = (1u << image_bits) - 1;
    for (int64_t k = 0, q = begin; k < rows; ++k) {
        if (at[k] > q)  // after the scatter at[k] is the end of row k
            sort_row(p->spare_keys + q, p->keys + q, at[k] - q);
        bool near = true;
        for (; q < at[k]; ++q) {
            uint64_t key = p->spare_keys[q];
            p->partner[q] = (int32_t)(key >> image_bits & INT32_MAX);
            p->image[q] = (int16_t)(key & image);
            near &= (key & image) == shift_codes / 2;
        }
        p->near[first + k] = near;
    }
    return SCREE_OK;
}

static scree_status make_rows(pile* p, const scree_pairs* pairs)
{
    row_job job = {.p = p, .pairs = pairs, .buckets = ((int64_t)p->n + rows_per_bucket - 1) / rows_per_bucket};
    job.per_block = pairs->count / most_blocks + 1;
    job.per_block = job.per_block > pairs_per_block ? job.per_block : pairs_per_block;
    int64_t blocks = (pairs->count + job.per_block - 1) / job.per_block, sides = 2 * pairs->count, next = 0;
    if (SCREE_RESERVE(p->keys, p->keys_capacity, sides) != SCREE_OK || SCREE_RESERVE(p->spare_keys, p->spare_capacity, sides) != SCREE_OK ||
        SCREE_RESERVE(p->partner, p->partner_capacity, sides) != SCREE_OK || SCREE_RESERVE(p->image, p->image_capacity, sides) != SCREE_OK ||
        SCREE_RESERVE(p->place, p->place_capacity, (most_blocks + 1) * job.buckets + 1) != SCREE_OK)
        return SCREE_ERR_MEMORY;
    job.place = p->place;
    scree_parallel_for(p->threads, blocks, count_block, &job, NULL);
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
    p->start[p->n] = next;
    p->candidates = next;
    scree_parallel_for(p->threads, blocks, deal_block, &job, NULL);
    return scree_parallel_for(p->threads, job.buckets, row_bucket, &job, NULL);
}

// ---- The list ------------------------------------------------------------------------------------------------------

// A leash is a quarter of the skin, and what a sphere has on its own. The latter stands in v[i][3], which goes with the sphere when the order
// changes; the square of the whole in the reference, where a sweep looks at it. To the index the quarters are a gap, the rest makes spheres
// larger, but not larger than a periodic box.
static const double common_part = 0.25;

static scree_status leash_block(void* context, int64_t b)
{
    pile* p = context;
    double widest = INFINITY;
    for (int k = 0; k < p->dim; ++k)
        widest = p->periodic[k] ? fmin(widest, 0.5 * p->length[k]) : widest;
    for (int64_t i = b * pile_block; i < pile_block_end(p, b); ++i) {
        double way = 0.0;
        for (int k = 0; k < 3; ++k)
            way += (p->x[i][k] - p->reference[i][k]) * (p->x[i][k] - p->reference[i][k]);
        double own = p->rebuilds == 0 || p->stale ? common_part * p->skin : fmin(sqrt(way), p->skin);
        p->v[i][3] = fmax(fmin(own, widest * (1.0 - 1e-12) - p->x[i][3]), 0.0);
    }
    return SCREE_OK;
}

static scree_status refer_block(void* context, int64_t b)
{
    pile* p = context;
    const double rounding = 64.0 * DBL_EPSILON * fmax(p->length[0], fmax(p->length[1], p->length[2]));
    for (int64_t i = b * pile_block; i < pile_block_end(p, b); ++i) {
        double leash = fmax(common_part * p->skin + p->v[i][3] - rounding, 0.0);
        memcpy(p->reference[i], p->x[i], 3 * sizeof **p->reference);
        p->reference[i][3] = leash * leash;
    }
    return SCREE_OK;
}

double pile_skin_within(const pile* p, double skin)
{
    double shortest = INFINITY, longest = 0.0;
    for (int k = 0; k < p->dim; ++k) {
        shortest = fmin(shortest, p->length[k]);
        longest = fmax(longest, p->length[k]);
    }
    return fmin(fmax(skin, 1e-9 * longest), fmin(p->r_max, 0.5 * shortest));
}

// Places wrapped, now and then in a new order: what all rows begin with.
static void gather(pile* p)
{
    pile_wrap(p);
    int64_t number = p->rebuilds++;
    if (number % 64 == 0 || (number & (number - 1)) == 0)
        order(p);
    p->age = 0;
    p->stale = false;
}

scree_status pile_renew(pile* p)
{
    if (p->rebuilds > 0) {
        // What the skin costs at each sweep, which grows as its square or so, against what a list costs spread over the sweeps it served,
        // which falls as 1/skin: twice the one as large as the other is best. In tests of candidates.
        double extra = 2.0 * ((double)(p->candidates - p->contacts) + 0.1 * p->n);
        double anew = (200.0 * p->n + 10.0 * (double)p->candidates) / (double)(p->age > 0 ? p->age : 1);
        p->skin *= fmin(fmax(sqrt(anew / extra), 0.5), 2.0);
    }
    p->skin = pile_skin_within(p, p->skin);
    scree_parallel_for(p->threads, p->blocks, leash_block, p, NULL);
    gather(p);
    scree_parallel_for(p->threads, p->blocks, refer_block, p, NULL);
    scree_pairs pairs;
    scree_status status = pile_pairs(p, 2.0 * common_part * p->skin, true, &pairs);
    return status == SCREE_OK ? make_rows(p, &pairs) : status;
}

scree_status pile_rows(pile* p)
{
    gather(p);
    memcpy(p->reference, p->x, (size_t)p->n * sizeof *p->reference);
    scree_pairs pairs;
    scree_status status = pile_pairs(p, p->skin, false, &pairs);
    return status == SCREE_OK ? make_rows(p, &pairs) : status;
}
