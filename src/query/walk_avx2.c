// The walk with AVX2: eight children or spheres in two halves. This file alone is compiled with -mavx2 and is called only where the machine has it. The same sums in the same order as the
// plain ones, so the same bits.
#include "query/walk.h"

#include <immintrin.h>
#include <math.h>

// For each mask of eight lanes, the lanes set, in order: a byte each.
static uint64_t packing[256];

__attribute__((constructor)) static void fill_packing(void)
{
    for (unsigned mask = 0; mask < 256; ++mask) {
        int count = 0;
        for (unsigned lane = 0; lane < 8; ++lane)
            if (mask >> lane & 1)
                packing[mask] |= (uint64_t)lane << 8 * count++;
    }
}

static inline int put_children(uint32_t* list, int count, unsigned near, uint32_t first)
{
    __m256i lanes = _mm256_cvtepu8_epi32(_mm_cvtsi64_si128((long long)packing[near]));
    _mm256_storeu_si256((__m256i*)(list + count), _mm256_add_epi32(lanes, _mm256_set1_epi32((int)first)));
    return count + __builtin_popcount(near);
}

static inline unsigned near_children(const bvh_node* node, const double at[3], double reach, double square[bvh_fan])
{
    unsigned near = 0;
    for (int half = 0; half < bvh_fan; half += 4) {
        const __m256d zero = _mm256_setzero_pd(), most = _mm256_add_pd(_mm256_set1_pd(reach), _mm256_loadu_pd(node->r_max + half));
        __m256d sum = zero;
        for (int k = 0; k < 3; ++k) {
            const __m256d here = _mm256_set1_pd(at[k]);
            __m256d out = _mm256_max_pd(_mm256_sub_pd(_mm256_loadu_pd(node->lower[k] + half), here), _mm256_sub_pd(here, _mm256_loadu_pd(node->upper[k] + half)));
            out = _mm256_max_pd(out, zero);
            sum = _mm256_add_pd(sum, _mm256_mul_pd(out, out));
        }
        sum = _mm256_mul_pd(sum, _mm256_set1_pd(1.0 - 1e-12));
        _mm256_storeu_pd(square + half, sum);
        __m256d in = _mm256_and_pd(_mm256_cmp_pd(most, zero, _CMP_GT_OQ), _mm256_cmp_pd(sum, _mm256_mul_pd(most, most), _CMP_LE_OQ));
        near |= (unsigned)_mm256_movemask_pd(in) << half;
    }
    return near;
}

static inline unsigned near_spheres(const bvh_leaf* leaf, const double x[4], const double offset[3], double gap, double square[bvh_fan])
{
    unsigned near = 0;
    for (int half = 0; half < bvh_fan; half += 4) {
        __m256d d[3];
        for (int k = 0; k < 3; ++k)
            d[k] = _mm256_sub_pd(_mm256_sub_pd(_mm256_set1_pd(x[k]), _mm256_loadu_pd(leaf->x[k] + half)), _mm256_set1_pd(offset[k]));
        __m256d sum = _mm256_add_pd(_mm256_add_pd(_mm256_mul_pd(d[0], d[0]), _mm256_mul_pd(d[1], d[1])), _mm256_mul_pd(d[2], d[2]));
        __m256d reach = _mm256_add_pd(_mm256_add_pd(_mm256_set1_pd(x[3]), _mm256_loadu_pd(leaf->r + half)), _mm256_set1_pd(gap));
        _mm256_storeu_pd(square + half, sum);
        __m256d in = _mm256_and_pd(_mm256_cmp_pd(reach, _mm256_setzero_pd(), _CMP_GT_OQ), _mm256_cmp_pd(sum, _mm256_mul_pd(reach, reach), _CMP_LT_OQ));
        near |= (unsigned)_mm256_movemask_pd(in) << half;
    }
    return near;
}

static inline unsigned values_of(const bvh_leaf* leaf, double r, const double square[bvh_fan], double bound, double most, double value[bvh_fan])
{
    unsigned best = 0;
    for (int half = 0; half < bvh_fan; half += 4) {
        __m256d own = _mm256_sub_pd(_mm256_sqrt_pd(_mm256_loadu_pd(square + half)), _mm256_add_pd(_mm256_set1_pd(r), _mm256_loadu_pd(leaf->r + half)));
        _mm256_storeu_pd(value + half, own);
        __m256d in = _mm256_and_pd(_mm256_cmp_pd(own, _mm256_set1_pd(bound), _CMP_LE_OQ), _mm256_cmp_pd(own, _mm256_set1_pd(most), _CMP_LT_OQ));
        best |= (unsigned)_mm256_movemask_pd(in) << half;
    }
    return best;
}

static inline int count_below(const double* values, int64_t count, double value)
{
    const __m256d own = _mm256_set1_pd(value);
    __m256i sum = _mm256_setzero_si256();
    int64_t e = 0;
    for (; e + 4 <= count; e += 4)
        sum = _mm256_sub_epi64(sum, _mm256_castpd_si256(_mm256_cmp_pd(_mm256_loadu_pd(values + e), own, _CMP_LT_OQ)));
    __m128i half = _mm_add_epi64(_mm256_castsi256_si128(sum), _mm256_extracti128_si256(sum, 1));
    int below = (int)(_mm_extract_epi64(half, 0) + _mm_extract_epi64(half, 1));
    for (; e < count; ++e)
        below += values[e] < value;
    return below;
}

double walk_distance_avx2(const walk_last* last, const double x[4])
{
    __m256d least = _mm256_set1_pd(INFINITY), most = _mm256_set1_pd(-INFINITY);
    double four[4];
    for (int e = 0; e < last->count; e += 4) {
        __m256d d[3];
        for (int k = 0; k < 3; ++k)
            d[k] = _mm256_sub_pd(_mm256_set1_pd(x[k]), _mm256_loadu_pd(last->at[k] + e));
        __m256d sum = _mm256_add_pd(_mm256_add_pd(_mm256_mul_pd(d[0], d[0]), _mm256_mul_pd(d[1], d[1])), _mm256_mul_pd(d[2], d[2]));
        __m256d own = _mm256_sub_pd(_mm256_sqrt_pd(sum), _mm256_loadu_pd(last->at[3] + e));
        least = _mm256_min_pd(own, least);  // of NaN, the second
        most = _mm256_max_pd(own, most);
    }
    _mm256_storeu_pd(four, last->by_leaf ? least : most);
    double found = four[0];
    for (int e = 1; e < 4; ++e)
        found = (last->by_leaf ? four[e] < found : four[e] > found) ? four[e] : found;
    return found - x[3];
}

#define WALK_CLASS walk_class_avx2
#define WALK_SELECT walk_select_avx2
#include "query/walk_body.h"
