// The search of the grids with AVX2: eight candidates at a time. This file alone is compiled with -mavx2 and is called
// only where the machine has it.
//
// Runs are short (one to four candidates is usual), and their content is unpredictable; a branch for each would be
// guessed wrong every other time, and a wrong guess costs as much as testing twenty candidates. So there is no branch:
// eight lanes are always tested, lanes behind the end are masked, and what is left is packed and stored, even if it is nothing.
#include "index/grid/grid_query.h"

#include <immintrin.h>

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

typedef unsigned lane_mask;

typedef struct own_lanes {
    __m256 doubt;
} own_lanes;

static inline own_lanes own_lanes_of(const grid* g)
{
    return (own_lanes){.doubt = _mm256_set1_ps(g->doubt)};
}

#include "index/grid/grid_search_eight.h"

static inline lane_mask touching(const grid* g, const lanes* l, int32_t b, int32_t last)
{
    const float* at = l->xs + b;
    __m256 dx = _mm256_sub_ps(l->x, _mm256_loadu_ps(at));
    __m256 dy = _mm256_sub_ps(l->y, _mm256_loadu_ps(at + l->stride));
    __m256 dz = _mm256_sub_ps(l->z, _mm256_loadu_ps(at + 2 * l->stride));
    __m256 reach = _mm256_add_ps(l->r, _mm256_loadu_ps(at + 3 * l->stride));
    __m256 square = _mm256_add_ps(_mm256_add_ps(_mm256_mul_ps(dx, dx), _mm256_mul_ps(dy, dy)), _mm256_mul_ps(dz, dz));
    __m256 high = _mm256_add_ps(reach, l->own.doubt);
    __m256 low = _mm256_max_ps(_mm256_sub_ps(reach, l->own.doubt), _mm256_setzero_ps());
    // "not greater", so that a lane that is no number is in doubt and not lost
    __m256 near = _mm256_cmp_ps(square, _mm256_mul_ps(high, high), _CMP_NGT_UQ);
    __m256 inside = _mm256_cmp_ps(square, _mm256_mul_ps(low, low), _CMP_LT_OQ);
    unsigned left = (unsigned)(last - b);
    unsigned valid = left >= 8 ? 255u : (1u << left) - 1u;
    unsigned maybe = (unsigned)_mm256_movemask_ps(near) & valid;
    unsigned found = (unsigned)_mm256_movemask_ps(inside) & valid;
    if (__builtin_expect(maybe != found, 0))
        found |= decide(g, l->a, l->image, b, maybe & ~found);
    return found;
}

static inline int store(const lanes* l, int32_t b, lane_mask found, int32_t (*ij)[2])
{
    __m256i order = _mm256_cvtepu8_epi32(_mm_cvtsi64_si128((long long)packing[found]));
    __m256i other = _mm256_permutevar8x32_epi32(_mm256_loadu_si256((const __m256i*)(l->xs + b + 4 * l->stride)), order);
    __m256i i = _mm256_min_epi32(l->id, other), j = _mm256_max_epi32(l->id, other);
    __m256i low = _mm256_unpacklo_epi32(i, j), high = _mm256_unpackhi_epi32(i, j);
    __m256i* out = (__m256i*)ij;
    int count = __builtin_popcount(found);
    _mm256_storeu_si256(out, _mm256_permute2x128_si256(low, high, 0x20));
    if (__builtin_expect(count > 4, 0))
        _mm256_storeu_si256(out + 1, _mm256_permute2x128_si256(low, high, 0x31));
    return count;
}

static inline int64_t quick_runs(const grid* g, const lanes* l, int runs, const int32_t first[], const int32_t last[], int32_t (*ij)[2], int64_t count)
{
#pragma GCC unroll 5
    for (int k = 0; k < runs; ++k)
        count = quick_run(g, l, first[k], last[k], ij, count);
    return count;
}

#define QUICK_RUNS 1
#define SEARCH grid_search_avx2
#include "index/grid/grid_search_body.h"
