// An index asked once, its answer kept, and answers compared: for the tests of the index and its methods.
#ifndef TESTS_INDEX_SUPPORT_H
#define TESTS_INDEX_SUPPORT_H

#include "support.h"

#include "scree/index.h"

typedef struct answer {
    int64_t count;
    int32_t (*ij)[2];
    int8_t (*shift)[3];
    scree_index_stats stats;
    scree_method method;
} answer;
void forget(answer* a);

// A copy of the pairs that an index has just given.
answer keep(const scree_index* index, const scree_box* box, scree_pairs pairs);
answer ask(const scree_index_def* def, scree_spheres spheres);
int compare_rows(const answer* a, int64_t p, const answer* b, int64_t q);
void check_canonical(const answer* a, const char* where);
void check_same(const answer* a, const answer* b, const char* where);

#endif
