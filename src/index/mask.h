// Masks: which spheres may be pairs, by their groups.
#ifndef SCREE_INDEX_MASK_H
#define SCREE_INDEX_MASK_H

#include "index/pair_output.h"

static inline bool mask_pairs(const scree_pair_mask* mask, int32_t i, int32_t j)
{
    return scree_groups_pair(mask->group[i], mask->group[j], mask->matrix, mask->groups);
}

// A mask of the caller's. ARGUMENT says what is invalid; `who` has the spheres.
scree_status mask_check(const scree_pair_mask* mask, const char* who);

// Whether it has a group for each of `n` spheres. ARGUMENT.
scree_status mask_check_count(const scree_pair_mask* mask, int32_t n, const char* who);

// Takes the pairs out of the list that do not pair; the others keep their order. MEMORY, CANCELLED: the list is empty.
scree_status mask_apply(const scree_pair_mask* mask, pair_output* list, bool with_shift, int32_t threads, const scree_watch* watch);

#endif
