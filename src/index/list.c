// The batch list (Verlet's idea): methods find, lists cache.
//
//     |<-- r_i + r_j + gap -->|<- skin ->|       all pairs up to the skin are written down once, as candidates, in rows by i;
//     i                       j     j    |   j   then only these are tested, with the one predicate, at each new position.
//
// Two spheres that were farther apart than gap + skin can be a pair only after they have moved by more than the skin together.
// So the list is good as long as the two largest displacements since it was made add up to no more than the skin (less
// what rounding could eat: list_rounding), and it is exact: the same predicate on the same numbers as in a new search.
//
// Cost: per update one pass over the spheres (copy, displacements; intake.c) and one over the candidates; no structure is
// built. The wrong choice when spheres move by more than some tenths of the smallest radius per update, or when one of them is
// far faster than the rest: then the index does not keep a list (skin.c).
//
// Periodic faces: a candidate is (i, j, shift) between the centres as given when the list was made. A sphere that goes through
// a face, or is put back by the caller, has its turns counted (intake_turns), and the shift to test with is the candidate's,
// corrected by the turns of both. This leaves the order of the rows as it is, so pairs come out sorted by (i, j, shift).
//
// L. Verlet, "Computer experiments on classical fluids I", Phys. Rev. 159 (1967).
#include "index/list.h"

#include "base/array.h"
#include "base/parallel.h"
#include "base/wide.h"
#include "geom/pair.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>

enum { candidates_per_chunk = 8192, block_size = 65536 };

double list_rounding(const items* it)
{
    double sum = 2.0 * it->r_max + fabs(it->gap);
    for (int k = 0; k < it->dim; ++k)
        sum += fabs(it->lower[k]) + it->length[k] * (4 + items_images(it, k)) + items_drift(it, k);
    return 64.0 * DBL_EPSILON * sum;
}

typedef struct keep_job {
    list* l;
    const double (*xr)[4];
    const int8_t (*turns)[3];
} keep_job;

static scree_status keep_block(void* context, int64_t b)
{
    const keep_job* job = context;
    list* l = job->l;
    int64_t first = b * block_size, last = first + block_size < l->n ? first + block_size : l->n;
    memcpy(l->reference + first, job->xr + first, (size_t)(last - first) * sizeof *l->reference);
    for (int64_t i = first; i < last && l->with_shift; ++i) {
        if (i % intake_few == 0)
            l->turned[i / intake_few] = 0;
        l->turns[i] = (intake_turns){.on = {0}};
        for (int k = 0; k < 3 && job->turns != NULL; ++k) {
            l->turns[i].on[k] = job->turns[i][k];
            l->turned[i / intake_few] |= job->turns[i][k] != 0;
        }
    }
    return SCREE_OK;
}

scree_status list_make(list* l, const items* it, double gap, double skin, const int8_t (*turns)[3])
{
    l->held = false;
    scree_status status = pair_list_sort(&l->found, it->n, l->with_shift, it->threads, &it->def->watch);
    if (status != SCREE_OK)
        return status;
    if (SCREE_RESERVE(l->reference, l->reference_capacity, it->n) != SCREE_OK ||
        SCREE_RESERVE(l->spare, l->spare_capacity, it->n) != SCREE_OK)
        return SCREE_ERR_MEMORY;
    if (l->with_shift && (SCREE_RESERVE(l->turns, l->turns_capacity, it->n) != SCREE_OK ||
                          SCREE_RESERVE(l->spare_turns, l->spare_turns_capacity, it->n) != SCREE_OK ||
                          SCREE_RESERVE(l->turned, l->turned_capacity, it->n / intake_few + 1) != SCREE_OK ||
                          SCREE_RESERVE(l->spare_turned, l->spare_turned_capacity, it->n / intake_few + 1) != SCREE_OK))
        return SCREE_ERR_MEMORY;
    l->n = it->n;
    l->gap = gap;
    l->skin = skin;
    l->limit = skin - list_rounding(it);
    for (int k = 0; k < 3; ++k)
        l->length[k] = it->periodic[k] ? it->length[k] : 0.0;
    memcpy(l->tilt, it->tilt, sizeof l->tilt);
    l->xr = it->xr;
    keep_job job = {.l = l, .xr = it->xr, .turns = turns};
    scree_parallel_for(it->threads, ((int64_t)it->n + block_size - 1) / block_size, keep_block, &job, NULL);
    ++l->build;
    l->held = true;
    return SCREE_OK;
}

// ---- Testing -------------------------------------------------------------------------------------------------------

static void test_unshifted(const list* l, int64_t first, int64_t last, sink* to)
{
    const int32_t (*ij)[2] = (const int32_t(*)[2])l->found.ij;
    const double none[3] = {0.0, 0.0, 0.0};
    int64_t count = to->count;
    for (int64_t c = first; c < last; ++c) {
        bool pair = scree_is_pair(l->xr[ij[c][0]], l->xr[ij[c][1]], none, l->gap);
        if (count < to->room)
            memcpy(to->ij + count, ij + c, sizeof *ij);  // stands if the count continues
        count += pair;
    }
    to->count = count;
}

static void test_shifted(const list* l, int64_t first, int64_t last, sink* to)
{
    const int32_t (*ij)[2] = (const int32_t(*)[2])l->found.ij;
    for (int64_t c = first; c < last; ++c) {
        int32_t i = ij[c][0], j = ij[c][1];
        const int8_t* kept = l->found.shift[c];
        int shift[3] = {kept[0], kept[1], kept[2]}, relative[3] = {kept[0], kept[1], kept[2]};
        if (l->turned[i / intake_few] | l->turned[j / intake_few]) {
            const intake_turns *a = &l->turns[i], *b = &l->turns[j];
            for (int k = 0; k < 3; ++k) {
                shift[k] += b->on[k] - a->on[k];
                relative[k] += b->apart[k] - a->apart[k];
            }
        }
        double offset[3];
        scree_lattice_offset(l->length, l->tilt, shift[0], shift[1], shift[2], offset);
        if (!scree_is_pair(l->xr[i], l->xr[j], offset, l->gap))
            continue;
        if (to->count < to->room) {
            to->ij[to->count][0] = i;
            to->ij[to->count][1] = j;
            for (int k = 0; k < 3; ++k)
                to->shift[to->count][k] = (int8_t)relative[k];
        }
        ++to->count;
    }
}

void list_test_plain(const list* l, int64_t first, int64_t last, sink* to)
{
    if (l->with_shift)
        test_shifted(l, first, last, to);
    else
        test_unshifted(l, first, last, to);
}

static int64_t chunks(const void* self)
{
    const list* l = self;
    return (l->found.count + candidates_per_chunk - 1) / candidates_per_chunk;
}

static void test_chunk(const void* self, int64_t chunk, sink* to)
{
    const list* l = self;
    int64_t first = chunk * candidates_per_chunk, last = first + candidates_per_chunk;
    last = last < l->found.count ? last : l->found.count;
    to->tests += last - first;
#if defined(__x86_64__)
    if (scree_has_avx2()) {
        list_test_avx2(l, first, last, to);
        return;
    }
#endif
    list_test_plain(l, first, last, to);
}

const method_table list_method = {.name = "list", .chunks = chunks, .pairs = test_chunk};

// ---- The rest ------------------------------------------------------------------------------------------------------

// Candidates in order, canonical, and no sphere farther from its reference than the list allows.
scree_status list_validate(const list* l)
{
    const int32_t (*ij)[2] = (const int32_t(*)[2])l->found.ij;
    for (int64_t c = 0; c < l->found.count; ++c) {
        int32_t i = ij[c][0], j = ij[c][1];
        if (i < 0 || j < i || j >= l->n || (c > 0 && (i < ij[c - 1][0] || (i == ij[c - 1][0] && j < ij[c - 1][1]))))
            return scree_fail(SCREE_ERR_ARGUMENT, "list: candidate %" PRId64 " (%" PRId32 ", %" PRId32 ") is out of order; expected ascending pairs", c, i, j);
    }
    for (int32_t i = 0; i < l->n; ++i) {
        double way[3], square = 0.0;
        int on[3];
        for (int k = 0; k < 3; ++k)
            way[k] = l->xr[i][k] - l->reference[i][k];
        scree_lattice_shorten((const bool[3]){l->length[0] > 0.0, l->length[1] > 0.0, l->length[2] > 0.0}, l->length, l->tilt, 3, way, on);
        for (int k = 0; k < 3; ++k)
            square += way[k] * way[k];
        if (sqrt(square) > l->skin)
            return scree_fail(SCREE_ERR_ARGUMENT, "list: sphere %" PRId32 " has moved by %g; expected at most the skin, %g", i, sqrt(square), l->skin);
    }
    return SCREE_OK;
}

size_t list_bytes(const list* l)
{
    return pair_list_bytes(&l->found) + (size_t)l->reference_capacity * sizeof *l->reference +
           (size_t)l->spare_capacity * sizeof *l->spare + (size_t)l->turns_capacity * sizeof *l->turns +
           (size_t)l->spare_turns_capacity * sizeof *l->spare_turns + (size_t)(l->turned_capacity + l->spare_turned_capacity);
}

void list_free(list* l)
{
    pair_list_free(&l->found);
    scree_free(l->reference);
    scree_free(l->spare);
    scree_free(l->turns);
    scree_free(l->spare_turns);
    scree_free(l->turned);
    scree_free(l->spare_turned);
    *l = (list){.held = false};
}
