#include "index_support.h"

void forget(answer* a)
{
    free(a->ij);
    free(a->shift);
}

answer keep(const scree_index* index, const scree_box* box, scree_pairs pairs)
{
    answer a = {.count = pairs.count, .stats = scree_index_get_stats(index), .method = scree_index_method(index)};
    a.ij = malloc((size_t)(pairs.count + 1) * sizeof *a.ij);
    a.shift = calloc((size_t)(pairs.count + 1), sizeof *a.shift);
    if (pairs.count > 0)
        memcpy(a.ij, pairs.ij, (size_t)pairs.count * sizeof *a.ij);
    if (pairs.shift != NULL && pairs.count > 0)
        memcpy(a.shift, pairs.shift, (size_t)pairs.count * sizeof *a.shift);
    assert_int_equal(pairs.shift != NULL, scree_box_is_periodic(box));
    return a;
}

answer ask(const scree_index_def* def, scree_spheres spheres)
{
    scree_index* index;
    scree_pairs pairs;
    CHECK_OK(scree_index_create(def, &index));
    CHECK_OK(scree_index_update(index, spheres));
    CHECK_OK(scree_index_validate(index));
    CHECK_OK(scree_index_pairs(index, &pairs));
    answer a = keep(index, &def->box, pairs);
    scree_index_destroy(index);
    return a;
}

int compare_rows(const answer* a, int64_t p, const answer* b, int64_t q)
{
    int64_t ka[5] = {a->ij[p][0], a->ij[p][1], a->shift[p][0], a->shift[p][1], a->shift[p][2]};
    int64_t kb[5] = {b->ij[q][0], b->ij[q][1], b->shift[q][0], b->shift[q][1], b->shift[q][2]};
    for (int k = 0; k < 5; ++k)
        if (ka[k] != kb[k])
            return ka[k] < kb[k] ? -1 : 1;
    return 0;
}

void check_canonical(const answer* a, const char* where)
{
    for (int64_t p = 0; p < a->count; ++p) {
        const int8_t* s = a->shift[p];
        bool self = a->ij[p][0] == a->ij[p][1];
        bool ahead = s[0] > 0 || (s[0] == 0 && (s[1] > 0 || (s[1] == 0 && s[2] > 0)));
        if (a->ij[p][0] > a->ij[p][1] || (self && !ahead))
            fail_msg("%s: pair %lld (%d %d) is not in its canonical form", where, (long long)p, a->ij[p][0], a->ij[p][1]);
        if (p > 0 && compare_rows(a, p - 1, a, p) >= 0)
            fail_msg("%s: pairs %lld and the one before are not in order", where, (long long)p);
    }
}

void check_same(const answer* a, const answer* b, const char* where)
{
    int64_t least = a->count < b->count ? a->count : b->count;
    for (int64_t p = 0; p < least; ++p)
        if (compare_rows(a, p, b, p) != 0)
            fail_msg("%s: row %lld is %d %d (%d %d %d) and should be %d %d (%d %d %d)", where, (long long)p, a->ij[p][0],
                     a->ij[p][1], a->shift[p][0], a->shift[p][1], a->shift[p][2], b->ij[p][0], b->ij[p][1], b->shift[p][0],
                     b->shift[p][1], b->shift[p][2]);
    if (a->count != b->count)
        fail_msg("%s: %lld pairs and should be %lld", where, (long long)a->count, (long long)b->count);
}
