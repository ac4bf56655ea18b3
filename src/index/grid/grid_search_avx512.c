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
    __m512i weave;  // i0 j0 i1 j1 ... of eight i and eight j
    const float *xs, *ys, *zs, *rs;
    const int32_t* ids;
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
                   .weave = _mm512_set_epi32(23, 7, 22, 6, 21, 5, 20, 4, 19, 3, 18, 2, 17, 1, 16, 0),
                   .id = _mm256_set1_epi32(q.id),
                   .xs = g->xs,
                   .ys = g->ys,
                   .zs = g->zs,
                   .rs = g->rs,
                   .ids = g->id,
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

static inline void put(const grid* g, const lanes* l, int32_t b, unsigned found, sink* to)
{
    if (__builtin_expect(to->room - to->count < 8 || (to->shift != NULL && l->moved), 0)) {
        *to = put_each(g, l->a, l->image, b, found, *to);
        return;
    }
    if (to->shift != NULL)
        memset(to->shift + to->count, 0, 24);
    __m256i other = _mm256_maskz_compress_epi32((__mmask8)found, _mm256_loadu_si256((const __m256i*)(l->ids + b)));
    __m256i i = _mm256_min_epi32(l->id, other), j = _mm256_max_epi32(l->id, other);
    _mm512_storeu_si512(to->ij + to->count, _mm512_permutex2var_epi32(_mm512_castsi256_si512(i), l->weave, _mm512_castsi256_si512(j)));
    to->count += __builtin_popcount(found);
}

static inline void test_run(const grid* g, const lanes* l, int32_t first, int32_t last, sink* to)
{
    to->tests += last - first;
    int32_t b = first;
    do {
        __m256 dx = _mm256_sub_ps(l->x, _mm256_loadu_ps(l->xs + b));
        __m256 dy = _mm256_sub_ps(l->y, _mm256_loadu_ps(l->ys + b));
        __m256 dz = _mm256_sub_ps(l->z, _mm256_loadu_ps(l->zs + b));
        __m256 reach = _mm256_add_ps(l->r, _mm256_loadu_ps(l->rs + b));
        __m256 square = _mm256_fmadd_ps(dz, dz, _mm256_fmadd_ps(dy, dy, _mm256_mul_ps(dx, dx)));
        // Distances off by `doubt` change square - reach^2 by at most 2 reach doubt + doubt^2 where it counts, near 0.
        __m256 over = _mm256_fnmadd_ps(reach, reach, square), slack = _mm256_fmadd_ps(reach, l->twice, l->square);
        unsigned valid = _bzhi_u32(255u, (unsigned)(last - b));
        // "not greater", so that a lane that is no number is in doubt and not lost
        unsigned doubtful = _mm256_cmp_ps_mask(_mm256_andnot_ps(_mm256_set1_ps(-0.0f), over), slack, _CMP_NGT_UQ) & valid;
        unsigned found = _mm256_cmp_ps_mask(over, _mm256_setzero_ps(), _CMP_LT_OQ) & valid;
        if (__builtin_expect(doubtful != 0, 0))
            found = (found & ~doubtful) | decide(g, l->a, l->image, b, doubtful);
        put(g, l, b, found, to);
        b += 8;
    } while (__builtin_expect(b < last, 0));
}

#define SEARCH grid_search_avx512
#include "index/grid/grid_search_body.h"
