// The search of the grids with AVX-512: as with AVX2 eight candidates of a run at a time and no branch for what they are, but a mask is a register, what it leaves
// is packed by one instruction, pairs are woven by another, and two runs are tested at once, one in each half of a register. Fused products are used, because single precision only sorts out: what it cannot tell apart
// is decided by the one predicate. This file alone is compiled for AVX-512 and is called only where the machine has it.
#include "index/grid/grid_query.h"

#include <immintrin.h>

typedef __mmask8 lane_mask;

typedef struct own_lanes {
    __m512 twice, square;  // 2 doubt, doubt^2
    __m256i weave;         // i0 j0 i1 j1 i2 j2 i3 j3 of eight i and eight j
} own_lanes;

static inline own_lanes own_lanes_of(const grid* g)
{
    return (own_lanes){.twice = _mm512_set1_ps(2.0f * g->doubt),
                       .square = _mm512_set1_ps(g->doubt * g->doubt),
                       .weave = _mm256_set_epi32(11, 3, 10, 2, 9, 1, 8, 0)};
}

#include "index/grid/grid_search_eight.h"

static inline lane_mask touching(const grid* g, const lanes* l, int32_t b, int32_t last)
{
    const float* at = l->xs + b;
    __m256 dx = _mm256_sub_ps(l->x, _mm256_loadu_ps(at));
    __m256 dy = _mm256_sub_ps(l->y, _mm256_loadu_ps(at + l->stride));
    __m256 dz = _mm256_sub_ps(l->z, _mm256_loadu_ps(at + 2 * l->stride));
    __m256 reach = _mm256_max_ps(_mm256_add_ps(l->r, _mm256_loadu_ps(at + 3 * l->stride)), _mm256_setzero_ps());  // a gap may be below 0
    __m256 square = _mm256_fmadd_ps(dz, dz, _mm256_fmadd_ps(dy, dy, _mm256_mul_ps(dx, dx)));
    // Distances off by `doubt` change square - reach^2 by at most 2 reach doubt + doubt^2 where it counts, near 0.
    __m256 over = _mm256_fnmadd_ps(reach, reach, square), slack = _mm256_fmadd_ps(reach, _mm512_castps512_ps256(l->own.twice), _mm512_castps512_ps256(l->own.square));
    unsigned left = (unsigned)(last - b);
    __mmask8 valid = (__mmask8)_bzhi_u32(255u, left < 8 ? left : 8);
    // "not greater", so that a lane that is no number is in doubt and not lost
    __mmask8 doubtful = _mm256_mask_cmp_ps_mask(valid, _mm256_andnot_ps(_mm256_set1_ps(-0.0f), over), slack, _CMP_NGT_UQ);
    __mmask8 found = _mm256_mask_cmp_ps_mask(valid, over, _mm256_setzero_ps(), _CMP_LT_OQ);
    if (__builtin_expect(!_kortestz_mask8_u8(doubtful, doubtful), 0))
        found = (__mmask8)((found & ~doubtful) | decide(g, l->a, l->image, b, doubtful));
    return found;
}

// Pairs with up to eight others, `count` of which are some. A store of 64 bytes across two lines is slow.
static inline void weave(const lanes* l, __m256i other, int count, int32_t (*ij)[2])
{
    __m256i i = _mm256_min_epi32(l->id, other), j = _mm256_max_epi32(l->id, other);
    _mm256_storeu_si256((__m256i*)ij, _mm256_permutex2var_epi32(i, l->own.weave, j));
    if (__builtin_expect(count > 4, 0))
        _mm256_storeu_si256((__m256i*)ij + 1, _mm256_permutex2var_epi32(i, _mm256_add_epi32(l->own.weave, _mm256_set1_epi32(4)), j));
}

static inline int store(const lanes* l, int32_t b, lane_mask found, int32_t (*ij)[2])
{
    int count = __builtin_popcount(found);
    weave(l, _mm256_maskz_compress_epi32(found, _mm256_loadu_si256((const __m256i*)(l->xs + b + 4 * l->stride))), count, ij);
    return count;
}

static inline __m512 both(const float* first, const float* second)
{
    return _mm512_insertf32x8(_mm512_castps256_ps512(_mm256_loadu_ps(first)), _mm256_loadu_ps(second), 1);
}

// Two runs at once if neither has more than eight candidates, as is usual.
static inline int64_t quick_two(const grid* g, const lanes* l, const int32_t first[2], const int32_t last[2], int32_t (*ij)[2], int64_t count)
{
    unsigned low = (unsigned)(last[0] - first[0]), high = (unsigned)(last[1] - first[1]);
    if (__builtin_expect((low > 8) | (high > 8), 0)) {
        count = quick_run(g, l, first[0], last[0], ij, count);
        return quick_run(g, l, first[1], last[1], ij, count);
    }
    const float *a = l->xs + first[0], *b = l->xs + first[1];
    const int64_t stride = l->stride;
    __m512 x = _mm512_broadcastss_ps(_mm256_castps256_ps128(l->x)), y = _mm512_broadcastss_ps(_mm256_castps256_ps128(l->y));
    __m512 z = _mm512_broadcastss_ps(_mm256_castps256_ps128(l->z)), r = _mm512_broadcastss_ps(_mm256_castps256_ps128(l->r));
    __m512 dx = _mm512_sub_ps(x, both(a, b));
    __m512 dy = _mm512_sub_ps(y, both(a + stride, b + stride));
    __m512 dz = _mm512_sub_ps(z, both(a + 2 * stride, b + 2 * stride));
    __m512 reach = _mm512_max_ps(_mm512_add_ps(r, both(a + 3 * stride, b + 3 * stride)), _mm512_setzero_ps());
    __m512 square = _mm512_fmadd_ps(dz, dz, _mm512_fmadd_ps(dy, dy, _mm512_mul_ps(dx, dx)));
    __m512 over = _mm512_fnmadd_ps(reach, reach, square), slack = _mm512_fmadd_ps(reach, l->own.twice, l->own.square);
    __mmask16 valid = (__mmask16)(_bzhi_u32(255u, low) | _bzhi_u32(255u, high) << 8);
    __mmask16 doubtful = _mm512_mask_cmp_ps_mask(valid, _mm512_abs_ps(over), slack, _CMP_NGT_UQ);
    __mmask16 found = _mm512_mask_cmp_ps_mask(valid, over, _mm512_setzero_ps(), _CMP_LT_OQ);
    if (__builtin_expect(!_kortestz_mask16_u8(doubtful, doubtful), 0)) {
        unsigned yes = decide(g, l->a, l->image, first[0], doubtful & 255u) | decide(g, l->a, l->image, first[1], doubtful >> 8) << 8;
        found = (__mmask16)((found & ~doubtful) | yes);
    }
    __m512i other = _mm512_maskz_compress_epi32(found, _mm512_castps_si512(both(a + 4 * stride, b + 4 * stride)));
    int here = __builtin_popcount(found);
    weave(l, _mm512_castsi512_si256(other), here, ij + count);
    if (__builtin_expect(here > 8, 0))
        weave(l, _mm512_extracti32x8_epi32(other, 1), here - 8, ij + count + 8);
    return count + here;
}

static inline int64_t quick_runs(const grid* g, const lanes* l, int runs, const int32_t first[], const int32_t last[], int32_t (*ij)[2], int64_t count)
{
    int k = 0;
#pragma GCC unroll 2
    for (; k + 1 < runs; k += 2)
        count = quick_two(g, l, first + k, last + k, ij, count);
    return k < runs ? quick_run(g, l, first[k], last[k], ij, count) : count;
}

#define QUICK_RUNS 1
#define SEARCH grid_search_avx512
#include "index/grid/grid_search_body.h"
