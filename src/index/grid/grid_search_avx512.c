// The search of the grids with AVX-512: as with AVX2 eight candidates at a time and no branch for what they are, but a mask is a register, what it leaves
// is packed by one instruction, and pairs are woven by another. Fused products are used, because single precision only sorts out: what it cannot tell apart
// is decided by the one predicate. This file alone is compiled for AVX-512 and is called only where the machine has it.
#include "index/grid/grid_query.h"

#include <immintrin.h>

typedef __mmask8 lane_mask;

typedef struct own_lanes {
    __m256 twice, square;  // 2 doubt, doubt^2
    __m256i weave;         // i0 j0 i1 j1 i2 j2 i3 j3 of eight i and eight j
} own_lanes;

static inline own_lanes own_lanes_of(const grid* g)
{
    return (own_lanes){.twice = _mm256_set1_ps(2.0f * g->doubt), .square = _mm256_set1_ps(g->doubt * g->doubt), .weave = _mm256_set_epi32(11, 3, 10, 2, 9, 1, 8, 0)};
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
    __m256 over = _mm256_fnmadd_ps(reach, reach, square), slack = _mm256_fmadd_ps(reach, l->own.twice, l->own.square);
    unsigned left = (unsigned)(last - b);
    __mmask8 valid = (__mmask8)_bzhi_u32(255u, left < 8 ? left : 8);
    // "not greater", so that a lane that is no number is in doubt and not lost
    __mmask8 doubtful = _mm256_mask_cmp_ps_mask(valid, _mm256_andnot_ps(_mm256_set1_ps(-0.0f), over), slack, _CMP_NGT_UQ);
    __mmask8 found = _mm256_mask_cmp_ps_mask(valid, over, _mm256_setzero_ps(), _CMP_LT_OQ);
    if (__builtin_expect(!_kortestz_mask8_u8(doubtful, doubtful), 0))
        found = (__mmask8)((found & ~doubtful) | decide(g, l->a, l->image, b, doubtful));
    return found;
}

// A store of 64 bytes across two lines is slow.
static inline int store(const lanes* l, int32_t b, lane_mask found, int32_t (*ij)[2])
{
    __m256i other = _mm256_maskz_compress_epi32(found, _mm256_loadu_si256((const __m256i*)(l->xs + b + 4 * l->stride)));
    __m256i i = _mm256_min_epi32(l->id, other), j = _mm256_max_epi32(l->id, other);
    int count = __builtin_popcount(found);
    _mm256_storeu_si256((__m256i*)ij, _mm256_permutex2var_epi32(i, l->own.weave, j));
    if (__builtin_expect(count > 4, 0))
        _mm256_storeu_si256((__m256i*)ij + 1, _mm256_permutex2var_epi32(i, _mm256_add_epi32(l->own.weave, _mm256_set1_epi32(4)), j));
    return count;
}

#define QUICK_RUNS 1
#define SEARCH grid_search_avx512
#include "index/grid/grid_search_body.h"
