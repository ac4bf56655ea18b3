// The search of the grids with AVX-512: as with AVX2 eight candidates at a time and no branch for what they are, but a mask is a register, what it leaves
// is packed by one instruction, and pairs are woven by another. Fused products are used, because single precision only sorts out: what it cannot tell apart
// is decided by the one predicate. This file alone is compiled for AVX-512 and is called only where the machine has it.
#include "index/grid/grid_query.h"

#include <immintrin.h>
#include <string.h>

// A sphere in eight lanes, and where the others are.
typedef struct lanes {
    __m256 x, y, z, r, twice, square;  // 2 doubt, doubt^2
    __m256i id;
    __m256i weave;  // i0 j0 i1 j1 i2 j2 i3 j3 of eight i and eight j
    const float* xs;  // and the other columns, each a stride farther
    int64_t stride;
    const int* image;
    int32_t a;
    bool moved;  // the image is not the sphere itself
} lanes;

static inline lanes lanes_of(const grid* g, int32_t a, const int image[3], bool tilted)
{
    query q = make_query(g, a, image, tilted);
    return (lanes){.x = _mm256_set1_ps(q.x[0]),
                   .y = _mm256_set1_ps(q.x[1]),
                   .z = _mm256_set1_ps(q.x[2]),
                   .r = _mm256_set1_ps(q.r),
                   .twice = _mm256_set1_ps(2.0f * g->doubt),
                   .square = _mm256_set1_ps(g->doubt * g->doubt),
                   .weave = _mm256_set_epi32(11, 3, 10, 2, 9, 1, 8, 0),
                   .id = _mm256_set1_epi32(q.id),
                   .xs = g->xs,
                   .stride = g->sorted_capacity,
                   .image = image,
                   .a = a,
                   .moved = (image[0] | image[1] | image[2]) != 0};
}

// Lanes that single precision could not decide.
static __attribute__((noinline)) unsigned decide(const grid* g, int32_t a, const int image[3], int32_t b, unsigned doubtful)
{
    query q = make_query(g, a, image, g->it->tilted);
    unsigned yes = 0;
    for (; doubtful != 0; doubtful &= doubtful - 1) {
        int lane = __builtin_ctz(doubtful);
        if (surely(g, &q, b + lane))
            yes |= 1u << lane;
    }
    return yes;
}

// One by one: near the end of the room, and where shifts have to be written.
static __attribute__((noinline)) sink put_each(const grid* g, int32_t a, const int image[3], int32_t b, unsigned found, sink to)
{
    for (; found != 0; found &= found - 1)
        sink_put(&to, g->id[a], g->id[b + __builtin_ctz(found)], image[0], image[1], image[2]);
    return to;
}

// The lanes from place b on that touch, of those before `last`.
static inline __mmask8 touching(const grid* g, const lanes* l, int32_t b, int32_t last)
{
    const float* at = l->xs + b;
    __m256 dx = _mm256_sub_ps(l->x, _mm256_loadu_ps(at));
    __m256 dy = _mm256_sub_ps(l->y, _mm256_loadu_ps(at + l->stride));
    __m256 dz = _mm256_sub_ps(l->z, _mm256_loadu_ps(at + 2 * l->stride));
    __m256 reach = _mm256_max_ps(_mm256_add_ps(l->r, _mm256_loadu_ps(at + 3 * l->stride)), _mm256_setzero_ps());  // a gap may be below 0
    __m256 square = _mm256_fmadd_ps(dz, dz, _mm256_fmadd_ps(dy, dy, _mm256_mul_ps(dx, dx)));
    // Distances off by `doubt` change square - reach^2 by at most 2 reach doubt + doubt^2 where it counts, near 0.
    __m256 over = _mm256_fnmadd_ps(reach, reach, square), slack = _mm256_fmadd_ps(reach, l->twice, l->square);
    unsigned left = (unsigned)(last - b);
    __mmask8 valid = (__mmask8)_bzhi_u32(255u, left < 8 ? left : 8);
    // "not greater", so that a lane that is no number is in doubt and not lost
    __mmask8 doubtful = _mm256_mask_cmp_ps_mask(valid, _mm256_andnot_ps(_mm256_set1_ps(-0.0f), over), slack, _CMP_NGT_UQ);
    __mmask8 found = _mm256_mask_cmp_ps_mask(valid, over, _mm256_setzero_ps(), _CMP_LT_OQ);
    if (__builtin_expect(!_kortestz_mask8_u8(doubtful, doubtful), 0))
        found = (__mmask8)((found & ~doubtful) | decide(g, l->a, l->image, b, doubtful));
    return found;
}

// Four pairs are usually enough, and a store of 64 bytes across two lines is slow. How many there are comes back.
static inline int store(const lanes* l, int32_t b, __mmask8 found, int32_t (*ij)[2])
{
    __m256i other = _mm256_maskz_compress_epi32(found, _mm256_loadu_si256((const __m256i*)(l->xs + b + 4 * l->stride)));
    __m256i i = _mm256_min_epi32(l->id, other), j = _mm256_max_epi32(l->id, other);
    int count = __builtin_popcount(found);
    _mm256_storeu_si256((__m256i*)ij, _mm256_permutex2var_epi32(i, l->weave, j));
    if (__builtin_expect(count > 4, 0))
        _mm256_storeu_si256((__m256i*)ij + 1, _mm256_permutex2var_epi32(i, _mm256_add_epi32(l->weave, _mm256_set1_epi32(4)), j));
    return count;
}

static inline int64_t quick_run(const grid* g, const lanes* l, int32_t first, int32_t last, int32_t (*ij)[2], int64_t count)
{
    int32_t b = first;
    do {
        __mmask8 found = touching(g, l, b, last);
        count += store(l, b, found, ij + count);
        b += 8;
    } while (__builtin_expect(b < last, 0));
    return count;
}

static inline void test_run(const grid* g, const lanes* l, int32_t first, int32_t last, sink* to)
{
    to->tests += last - first;
    int32_t b = first;
    do {
        __mmask8 found = touching(g, l, b, last);
        if (__builtin_expect(to->room - to->count < 8 || (to->shift != NULL && l->moved), 0)) {
            *to = put_each(g, l->a, l->image, b, found, *to);
        } else {
            if (to->shift != NULL)
                memset(to->shift + to->count, 0, 24);
            to->count += store(l, b, found, to->ij + to->count);
        }
        b += 8;
    } while (__builtin_expect(b < last, 0));
}

#define QUICK_RUNS 1
#define SEARCH grid_search_avx512
#include "index/grid/grid_search_body.h"
