// The test of candidates with AVX2: four at a time. This file alone is compiled with -mavx2 and is called only where the
// machine has it. The same sums in the same order as the one predicate, so the same bits:
//
//     (x_i, y_i, z_i, r_i) - (x_j, y_j, z_j, -r_j) = (dx, dy, dz, r_i + r_j)
//
// in one subtraction for each candidate; four of these are turned so that each lane holds one candidate.
#include "index/list.h"

#include <immintrin.h>
#include <string.h>

// For each mask of four candidates, the halves of pairs to keep, in order.
static const int32_t packing[16][8] = {
    {0, 1, 2, 3, 4, 5, 6, 7}, {0, 1, 2, 3, 4, 5, 6, 7}, {2, 3, 0, 1, 4, 5, 6, 7}, {0, 1, 2, 3, 4, 5, 6, 7},
    {4, 5, 0, 1, 2, 3, 6, 7}, {0, 1, 4, 5, 2, 3, 6, 7}, {2, 3, 4, 5, 0, 1, 6, 7}, {0, 1, 2, 3, 4, 5, 6, 7},
    {6, 7, 0, 1, 2, 3, 4, 5}, {0, 1, 6, 7, 2, 3, 4, 5}, {2, 3, 6, 7, 0, 1, 4, 5}, {0, 1, 2, 3, 6, 7, 4, 5},
    {4, 5, 6, 7, 0, 1, 2, 3}, {0, 1, 4, 5, 6, 7, 2, 3}, {2, 3, 4, 5, 6, 7, 0, 1}, {0, 1, 2, 3, 4, 5, 6, 7}};

enum { ahead = 32 };

// Whether four candidates have neither shifts nor turns, as most have. (There are more than four: see `ahead`.)
static inline bool simple(const list* l, int64_t c)
{
    uint64_t eight;
    uint32_t four;
    memcpy(&eight, l->found.shift + c, 8);
    memcpy(&four, (const char*)(l->found.shift + c) + 8, 4);
    unsigned turned = 0;
    for (int k = 0; k < 4; ++k)
        turned |= (unsigned)l->turned[l->found.ij[c + k][0] / intake_few] | l->turned[l->found.ij[c + k][1] / intake_few];
    return (eight | four | turned) == 0;
}

void list_test_avx2(const list* l, int64_t first, int64_t last, sink* to)
{
    const int32_t (*ij)[2] = (const int32_t(*)[2])l->found.ij;
    const double (*xr)[4] = l->xr;
    const __m256d gap = _mm256_set1_pd(l->gap), zero = _mm256_setzero_pd();
    const __m256d sign = _mm256_set_pd(-0.0, 0.0, 0.0, 0.0);
    int64_t c = first, count = to->count, room = to->room;
    for (; c + 4 + ahead <= last && count + 4 <= room; c += 4) {
        if (l->with_shift && !simple(l, c)) {
            sink copy = *to;  // so that the count stays in a register
            copy.count = count;
            list_test_plain(l, c, c + 4, &copy);
            count = copy.count;
            continue;
        }
        if (l->with_shift)
            memset(to->shift + count, 0, 12);
        __m256d d[4];
        for (int k = 0; k < 4; ++k) {
            __builtin_prefetch(xr[ij[c + ahead + k][1]]);
            d[k] = _mm256_sub_pd(_mm256_loadu_pd(xr[ij[c + k][0]]), _mm256_xor_pd(_mm256_loadu_pd(xr[ij[c + k][1]]), sign));
        }
        __m256d xz01 = _mm256_unpacklo_pd(d[0], d[1]), yr01 = _mm256_unpackhi_pd(d[0], d[1]);
        __m256d xz23 = _mm256_unpacklo_pd(d[2], d[3]), yr23 = _mm256_unpackhi_pd(d[2], d[3]);
        __m256d dx = _mm256_permute2f128_pd(xz01, xz23, 0x20), dz = _mm256_permute2f128_pd(xz01, xz23, 0x31);
        __m256d dy = _mm256_permute2f128_pd(yr01, yr23, 0x20), sum = _mm256_permute2f128_pd(yr01, yr23, 0x31);
        __m256d square = _mm256_add_pd(_mm256_add_pd(_mm256_mul_pd(dx, dx), _mm256_mul_pd(dy, dy)), _mm256_mul_pd(dz, dz));
        __m256d reach = _mm256_add_pd(sum, gap);
        __m256d near = _mm256_cmp_pd(square, _mm256_mul_pd(reach, reach), _CMP_LT_OQ);
        unsigned found = (unsigned)_mm256_movemask_pd(_mm256_and_pd(near, _mm256_cmp_pd(reach, zero, _CMP_GT_OQ)));
        __m256i four = _mm256_loadu_si256((const __m256i*)(ij + c));
        __m256i packed = _mm256_permutevar8x32_epi32(four, _mm256_loadu_si256((const __m256i*)packing[found]));
        _mm256_storeu_si256((__m256i*)(to->ij + count), packed);
        count += __builtin_popcount(found);
    }
    to->count = count;
    list_test_plain(l, c, last, to);
}
