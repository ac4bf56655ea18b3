// A mask removes pairs after the search and before sorting, so the search methods do not depend on it, and a search without a mask is unchanged.
// The list is divided into parts of equal size. Threads compact the parts in place, and the parts are then joined: O(pairs).
#include "index/mask.h"

#include "base/array.h"
#include "base/parallel.h"

#include <inttypes.h>
#include <string.h>

enum { part_pairs = 1 << 15 };

scree_status mask_check_count(const scree_pair_mask* mask, int32_t n, const char* who)
{
    if (mask->count == n)
        return SCREE_OK;
    return scree_fail(SCREE_ERR_ARGUMENT, "%s: the mask has %" PRId32 " groups for %" PRId32 " spheres; expected one for each", who, mask->count, n);
}

static scree_status check_matrix(const scree_pair_mask* mask, const char* who)
{
    if (mask->groups < 0)
        return scree_fail(SCREE_ERR_ARGUMENT, "%s: the matrix of the mask has %" PRId32 " rows; expected 0 or more", who, mask->groups);
    for (int64_t a = 0; a < mask->groups; ++a)
        for (int64_t b = 0; b < mask->groups; ++b) {
            const uint8_t here = mask->matrix[a * mask->groups + b], there = mask->matrix[b * mask->groups + a];
            if (here > 1)
                return scree_fail(SCREE_ERR_ARGUMENT, "%s: groups %" PRId64 " and %" PRId64 " have %d in the matrix of the mask; expected 0 or 1", who, a, b, (int)here);
            if (here != there)
                return scree_fail(SCREE_ERR_ARGUMENT, "%s: groups %" PRId64 " and %" PRId64 " have %d in the matrix of the mask, and in the other order %d; expected a symmetric matrix", who, a, b,
                                  (int)here, (int)there);
        }
    return SCREE_OK;
}

scree_status mask_check(const scree_pair_mask* mask, const char* who)
{
    if (mask->count < 0 || (mask->count > 0 && mask->group == NULL))
        return scree_fail(SCREE_ERR_ARGUMENT, "%s: a mask of %" PRId32 " spheres%s; expected 0 or more, with an array of groups", who, mask->count, mask->group == NULL ? " without an array" : "");
    scree_status status = mask->matrix != NULL ? check_matrix(mask, who) : SCREE_OK;
    const int32_t end = mask->matrix != NULL ? mask->groups : INT32_MAX;
    for (int32_t i = 0; i < mask->count && status == SCREE_OK; ++i) {
        const int32_t group = mask->group[i];
        if (group < 0)
            status = scree_fail(SCREE_ERR_ARGUMENT, "%s: sphere %" PRId32 " has group %" PRId32 "; expected 0 or more", who, i, group);
        else if (group >= end && mask->matrix != NULL)
            status = scree_fail(SCREE_ERR_ARGUMENT, "%s: sphere %" PRId32 " has group %" PRId32 "; expected less than %" PRId32 ", the rows of the matrix", who, i, group, end);
    }
    return status;
}

typedef struct mask_job {
    const scree_pair_mask* mask;
    pair_output* list;
    bool with_shift;
    int64_t count;  // of pairs before
} mask_job;

// list->place[part] becomes how many pairs remain.
static scree_status apply_part(void* context, int64_t part)
{
    const mask_job* job = context;
    pair_output* list = job->list;
    int64_t begin = part * part_pairs, end = begin + part_pairs < job->count ? begin + part_pairs : job->count, to = begin;
    for (int64_t p = begin; p < end; ++p) {
        const int32_t i = list->ij[p][0], j = list->ij[p][1];
        if (!mask_pairs(job->mask, i, j))
            continue;
        list->ij[to][0] = i;
        list->ij[to][1] = j;
        for (int k = 0; k < 3 && job->with_shift; ++k)
            list->shift[to][k] = list->shift[p][k];
        ++to;
    }
    list->place[part] = to - begin;
    return SCREE_OK;
}

scree_status mask_apply(const scree_pair_mask* mask, pair_output* list, bool with_shift, int32_t threads, const scree_watch* watch)
{
    mask_job job = {.mask = mask, .list = list, .with_shift = with_shift, .count = list->count};
    const int64_t parts = (list->count + part_pairs - 1) / part_pairs;
    list->count = 0;
    scree_status status = SCREE_RESERVE(list->place, list->place_capacity, parts);
    if (status == SCREE_OK)
        status = scree_parallel_for(threads, parts, apply_part, &job, watch);
    for (int64_t part = 0; part < parts && status == SCREE_OK; ++part) {
        memmove(list->ij + list->count, list->ij + part * part_pairs, (size_t)list->place[part] * sizeof *list->ij);
        if (with_shift)
            memmove(list->shift + list->count, list->shift + part * part_pairs, (size_t)list->place[part] * sizeof *list->shift);
        list->count += list->place[part];
    }
    return status;
}
