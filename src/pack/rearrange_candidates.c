// Collective rearrangement: who may come to overlap whom. The index finds all pairs with a gap below a skin; they become a row for each sphere, from
// the lowest partner to the highest, and serve until a sphere has moved by half the skin. The skin follows from counts alone, so that no bit
// depends on threads or on the method of the index.
#include "rearrange_inner.h"

#include "base/array.h"
#include "base/morton.h"
#include "base/sort.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

void pile_wrap(pile* p)
{
    const scree_box box = {.dim = p->dim,
                           .upper = {p->length[0], p->length[1], p->length[2]},
                           .periodic = {p->periodic[0], p->periodic[1], p->periodic[2]}};
    for (int32_t i = 0; i < p->n; ++i)
        for (int k = 0; k < p->dim; ++k)
            p->x[i][k] = p->periodic[k] ? scree_box_wrap(&box, k, p->x[i][k], NULL) : fmin(fmax(p->x[i][k], 0.0), p->length[k]);
}

// Neighbours in space become neighbours in memory. Scratch: forces and references hold nothing that is still wanted.
static void order(pile* p)
{
    int32_t n = p->n;
    int64_t *key = (int64_t*)p->f, *spare_key = key + n;
    uint32_t *word = (uint32_t*)(spare_key + n), *spare_word = word + n;
    double cells = p->dim == 2 ? 2147483648.0 : 2097152.0;
    for (int32_t i = 0; i < n; ++i) {
        uint64_t cell[3] = {0};
        for (int k = 0; k < p->dim; ++k)
            cell[k] = (uint64_t)fmin(fmax(p->x[i][k] / p->length[k], 0.0) * cells, cells - 1.0);
        key[i] = (int64_t)scree_morton_key(p->dim, cell);
        word[i] = (uint32_t)i;
    }
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

scree_status pile_pairs(pile* p, double gap, scree_pairs* pairs)
{
    double* r = p->flat + (int64_t)p->n * p->dim;
    for (int32_t i = 0; i < p->n; ++i) {
        memcpy(p->flat + (int64_t)i * p->dim, p->x[i], (size_t)p->dim * sizeof *p->flat);
        r[i] = p->x[i][3];
    }
    scree_status status = scree_index_set_gap(p->index, gap);
    if (status == SCREE_OK)
        status = scree_index_update(p->index, (scree_spheres){.count = p->n, .dim = p->dim, .x = p->flat, .r = r});
    if (status == SCREE_OK)
        status = scree_index_pairs(p->index, pairs);
    return status;
}

// Rows from pairs sorted by (i, j, image): going through them once gives each row its lower partners first, then the higher ones, all rising.
static scree_status make_rows(pile* p, const scree_pairs* pairs)
{
    int32_t n = p->n;
    int64_t* at = p->start;
    memset(at, 0, ((size_t)n + 1) * sizeof *at);
    p->candidates = 0;
    for (int64_t q = 0; q < pairs->count; ++q) {
        int32_t i = pairs->ij[q][0], j = pairs->ij[q][1];
        if (i == j)
            continue;  // a sphere and its own image never come to overlap: radii only shrink
        ++at[i];
        ++at[j];
        p->candidates += 2;
    }
    scree_status status = SCREE_RESERVE(p->rows, p->rows_capacity, p->candidates);
    if (status != SCREE_OK)
        return status;
    int64_t sum = 0;
    for (int32_t i = 0; i <= n; ++i) {
        int64_t count = at[i];
        at[i] = sum;
        sum += count;
    }
    const int wide = 2 * shift_most + 1, none = shift_codes / 2;
    for (int64_t q = 0; q < pairs->count; ++q) {
        int32_t i = pairs->ij[q][0], j = pairs->ij[q][1];
        if (i == j)
            continue;
        int code = 0;
        if (pairs->shift != NULL) {
            const int8_t* s = pairs->shift[q];
            assert(s[0] >= -shift_most && s[0] <= shift_most && s[1] >= -shift_most && s[1] <= shift_most && s[2] >= -shift_most &&
                   s[2] <= shift_most);
            code = s[0] + wide * (s[1] + wide * s[2]);
        }
        p->rows[at[i]++] = (entry){j, none + code};
        p->rows[at[j]++] = (entry){i, none - code};
    }
    memmove(at + 1, at, (size_t)n * sizeof *at);  // each went from its row's begin to its end
    at[0] = 0;
    return SCREE_OK;
}

double pile_skin_limit(const pile* p)
{
    double longest = fmax(p->length[0], fmax(p->length[1], p->length[2]));
    return p->skin - 64.0 * DBL_EPSILON * longest;
}

double pile_skin_within(const pile* p, double skin)
{
    double shortest = INFINITY, longest = 0.0;
    for (int k = 0; k < p->dim; ++k) {
        shortest = fmin(shortest, p->length[k]);
        longest = fmax(longest, p->length[k]);
    }
    return fmin(fmax(skin, 1e-9 * longest), fmin(p->r_max, shortest));
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
    return pile_rows(p);
}

scree_status pile_rows(pile* p)
{
    pile_wrap(p);
    int64_t number = p->rebuilds++;
    if (number % 64 == 0 || (number & (number - 1)) == 0)
        order(p);
    memcpy(p->reference, p->x, (size_t)p->n * sizeof *p->reference);
    p->age = 0;
    p->stale = false;
    scree_pairs pairs;
    scree_status status = pile_pairs(p, p->skin, &pairs);
    return status == SCREE_OK ? make_rows(p, &pairs) : status;
}
