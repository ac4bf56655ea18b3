// The search of the grids with AVX2: eight candidates at a time. This file alone is compiled with -mavx2 and is called
// only where the machine has it.
//
// Runs are short (one to four candidates is usual), and what they hold is not to be foretold; a branch for each would be
// guessed wrong every other time, and a wrong guess costs as much as testing twenty candidates. So there is no branch:
// eight lanes are always tested, lanes behind the end are masked, and what is left is packed and stored, even if it is nothing.
#include "index/grid/grid_query.h"

#include <immintrin.h>
#include <string.h>

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

// A sphere in eight lanes, and where the others are.
typedef struct lanes {
    __m256 x, y, z, r, doubt;
    __m256i id;
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
                   .doubt = _mm256_set1_ps(g->doubt),
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
static inline unsigned touching(const grid* g, const lanes* l, int32_t b, int32_t last)
{
    const float* at = l->xs + b;
    __m256 dx = _mm256_sub_ps(l->x, _mm256_loadu_ps(at));
    __m256 dy = _mm256_sub_ps(l->y, _mm256_loadu_ps(at + l->stride));
    __m256 dz = _mm256_sub_ps(l->z, _mm256_loadu_ps(at + 2 * l->stride));
    __m256 reach = _mm256_add_ps(l->r, _mm256_loadu_ps(at + 3 * l->stride));
    __m256 square = _mm256_add_ps(_mm256_add_ps(_mm256_mul_ps(dx, dx), _mm256_mul_ps(dy, dy)), _mm256_mul_ps(dz, dz));
    __m256 high = _mm256_add_ps(reach, l->doubt);
    __m256 low = _mm256_max_ps(_mm256_sub_ps(reach, l->doubt), _mm256_setzero_ps());
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

// Four pairs are usually enough. How many there are comes back.
static inline int store(const lanes* l, int32_t b, unsigned found, int32_t (*ij)[2])
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

static inline int64_t quick_run(const grid* g, const lanes* l, int32_t first, int32_t last, int32_t (*ij)[2], int64_t count)
{
    int32_t b = first;
    do {
        unsigned found = touching(g, l, b, last);
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
        unsigned found = touching(g, l, b, last);
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
#define SEARCH grid_search_avx2
#include "index/grid/grid_search_body.h"
