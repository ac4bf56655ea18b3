// Collective rearrangement: candidate pairs.
//
// Each sphere has its own skin, called leash; candidates are all pairs whose gap is below the sum of their two leashes. For the index these are spheres enlarged by
// their leash that touch. A list is valid until the first sphere has moved by its leash. Most spheres hardly move while a few rattlers
// move far, so leashes follow from the displacement of each sphere during the last list, and their common scale from the cost of lists and tests. Both
// depend on positions and counts only, so that the result does not depend on threads or on the search method.
//
// Rows are lists of single spheres (scree/neighbours.h), all made at once, in an order that does not depend on the order of the pairs.
//
// Leashes are the reason for not using scree/candidates.h, which has one skin for all. With one skin (common_part 0.5 and no leash per sphere) the same
// command takes more instructions, by callgrind of the whole program:
//
//     scree pack rearrange --count 2000 --periodic xyz --threads 1      leashes    one skin
//     --sizes uniform-size:1:3                                                   3.98e9     4.66e9     17 % more
//     --sizes uniform-volume:1:8                                                 4.06e9     4.23e9     4 % more
//     --sizes mono:1                                                             3.67e9     3.73e9     2 % more
//
// Cost: a new list takes about as much time as ten sweeps.
#include "rearrange_inner.h"

#include "base/morton.h"
#include "base/parallel.h"
#include "base/sort.h"

#include <float.h>
#include <math.h>
#include <string.h>

// ---- Positions -----------------------------------------------------------------------------------------------------

static scree_status wrap_block(void* context, int64_t b)
{
    pile* p = context;
    for (int64_t i = b * pile_block; i < pile_block_end(p, b); ++i) {
        double d[3], distance = pile_from_middle(p, p->x[i], d);
        for (int k = 0; k < p->round && distance > 0.5 * p->length[0]; ++k)
            p->x[i][k] = 0.5 * p->length[k] + d[k] * (0.5 * p->length[0] / distance);
        for (int k = 0; k < p->dim; ++k)
            p->x[i][k] = p->periodic[k] ? p->x[i][k] : fmin(fmax(p->x[i][k], 0.0), p->length[k]);
        scree_box_wrap_centre(&p->container.box, p->x[i], NULL);
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

// ---- Rows ----------------------------------------------------------------------------------------------------------

typedef struct flat_job {
    pile* p;
    bool leashes;
} flat_job;

// The largest radius that a sphere may have to the index.
static double widest(const pile* p)
{
    double least = INFINITY;
    for (int k = 0; k < p->dim; ++k)
        least = p->periodic[k] ? fmin(least, p->length[k]) : least;
    return 0.5 * least * (1.0 - 1e-12);
}

// The radius up to which rows are to serve.
static double swollen(const pile* p, double r, double most)
{
    return p->swell > 0.0 ? fmax(fmin(r * (1.0 + p->swell), most), r) : r;
}

static scree_status flat_block(void* context, int64_t b)
{
    const flat_job* job = context;
    const pile* p = job->p;
    double *r = p->flat + (int64_t)p->n * p->dim, most = widest(p);
    for (int64_t i = b * pile_block; i < pile_block_end(p, b); ++i) {
        memcpy(p->flat + i * p->dim, p->x[i], (size_t)p->dim * sizeof *p->flat);
        r[i] = job->leashes ? swollen(p, p->x[i][3], most) + p->v[i][3] : p->x[i][3];
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

// Rows of all pairs with a gap below this.
static scree_status make_rows(pile* p, double gap, bool leashes)
{
    scree_pairs pairs;
    scree_status status = pile_pairs(p, gap, leashes, &pairs);
    if (status == SCREE_OK)
        status = scree_neighbour_lists_make(p->lists, p->skin);
    if (status == SCREE_OK)
        status = scree_neighbour_lists_get_rows(p->lists, &p->rows);
    p->candidates = p->rows.entries;
    return status;
}

// ---- The list ------------------------------------------------------------------------------------------------------

// A leash is a quarter of the skin plus a part of each sphere. The latter is in v[i][3], which moves with the sphere when the order
// changes; the square of the whole is in the reference, where a sweep reads it. For the index the quarters are a gap, the rest makes spheres
// larger, but not larger than a periodic box.
static const double common_part = 0.25;

static scree_status leash_block(void* context, int64_t b)
{
    pile* p = context;
    const double most = widest(p);
    for (int64_t i = b * pile_block; i < pile_block_end(p, b); ++i) {
        double way = 0.0;
        for (int k = 0; k < 3; ++k)
            way += (p->x[i][k] - p->reference[i][k]) * (p->x[i][k] - p->reference[i][k]);
        double own = p->rebuilds == 0 || p->stale ? common_part * p->skin : fmin(sqrt(way), p->skin);
        p->v[i][3] = fmax(fmin(own, most - swollen(p, p->x[i][3], most)), 0.0);
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

double pile_list_limit(const pile* p)
{
    return fmax(p->skin - 64.0 * DBL_EPSILON * fmax(p->length[0], fmax(p->length[1], p->length[2])), 0.0);
}

// Positions wrapped, now and then in a new order: what all rows begin with.
static void gather(pile* p)
{
    pile_wrap(p);
    int64_t number = p->rebuilds++;
    if (!p->keep_order && (number % 64 == 0 || (number & (number - 1)) == 0))
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
        double renewal = (200.0 * p->n + 10.0 * (double)p->candidates) / (double)(p->age > 0 ? p->age : 1);
        p->skin *= scree_skin_factor(renewal, extra);
    }
    p->skin = pile_skin_within(p, p->skin);
    scree_parallel_for(p->threads, p->blocks, leash_block, p, NULL);
    gather(p);
    scree_parallel_for(p->threads, p->blocks, refer_block, p, NULL);
    p->listed_factor = p->factor;
    return pile_rows_again(p);
}

scree_status pile_rows_again(pile* p)
{
    return p->way == &pile_visits ? make_rows(p, p->skin, false) : make_rows(p, 2.0 * common_part * p->skin, true);
}

scree_status pile_rows(pile* p)
{
    gather(p);
    p->listed_factor = p->factor;
    memcpy(p->reference, p->x, (size_t)p->n * sizeof *p->reference);
    return pile_rows_again(p);
}
