// Several numbers at a time, with + - * / and comparisons number by number: results have the same bits as with plain doubles, whatever instructions the compiler uses.
//
// `four` is a row of an array: x y z and a fourth number. `lanes` is one number each of several contacts.
#ifndef SCREE_SIM_LANES_H
#define SCREE_SIM_LANES_H

#include "base/both.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#if defined(__AVX2__) && !defined(SCREE_ONE_LANE)
#include <immintrin.h>
#endif

#if defined(SCREE_ONE_LANE)  // one contact at a time, for devices: grain.h is then C17 and CUDA alike

#define LANES_INLINE SCREE_BOTH_INLINE

enum { lane_count = 1 };
typedef double lanes;
typedef int lane_bits;

#include "sim/lane_ops.h"

LANES_INLINE bool lanes_any(const lane_bits* mask)
{
    return *mask != 0;
}

#else

#define LANES_INLINE static inline __attribute__((always_inline))

typedef double four __attribute__((vector_size(4 * sizeof(double))));
typedef int64_t four_bits __attribute__((vector_size(4 * sizeof(int64_t))));  // of a comparison: all bits set where it holds

typedef double four_there __attribute__((vector_size(4 * sizeof(double)), aligned(sizeof(double)), may_alias));  // in an array

// Eight where registers hold them; without AVX-512 gcc keeps such vectors in memory, which is 2.5 times slower.
#if defined(__AVX512F__) && defined(__AVX512DQ__)
#define LANES_EIGHT
enum { lane_count = 8 };
#else
enum { lane_count = 4 };
#endif
typedef double lanes __attribute__((vector_size(lane_count * sizeof(double))));
typedef int64_t lane_bits __attribute__((vector_size(lane_count * sizeof(int64_t))));

// Values are passed by address: how a four is handed over depends on instructions, and functions of both kinds meet in one program.
LANES_INLINE void four_load(four* out, const double from[4])
{
    *out = *(const four_there*)from;
}

LANES_INLINE void four_store(const four* in, double to[4])
{
    *(four_there*)to = *in;
}

LANES_INLINE double four_sum(const four* a)
{
    return ((*a)[0] + (*a)[1]) + (*a)[2];
}

#define FOUR(value) ((four){(value), (value), (value), (value)})
#if defined(LANES_EIGHT)
#define LANES_OF(f) ((lanes){f(0), f(1), f(2), f(3), f(4), f(5), f(6), f(7)})  // f(c) for each contact
#define MASK(mask) _mm512_movepi64_mask((__m512i)(mask))
#else
#define LANES_OF(f) ((lanes){f(0), f(1), f(2), f(3)})
#endif

#include "sim/lane_ops.h"

LANES_INLINE bool lanes_any(const lane_bits* mask)
{
#if defined(LANES_EIGHT)
    return MASK(*mask) != 0;
#elif defined(__AVX2__)
    return !_mm256_testz_si256((__m256i)*mask, (__m256i)*mask);
#else
    return ((*mask)[0] | (*mask)[1] | (*mask)[2] | (*mask)[3]) != 0;
#endif
}

// Rows of the contacts, four numbers each: contact c is in rows[c % 4], with the numbers of a second four contacts behind the numbers of the first four. Before they become columns they can be added and
// subtracted as they are.
LANES_INLINE void rows_load(lanes rows[4], const double* const from[lane_count])
{
#if defined(LANES_EIGHT)
    for (int c = 0; c < 4; ++c)
        rows[c] = (lanes)_mm512_insertf64x4(_mm512_castpd256_pd512(_mm256_loadu_pd(from[c])), _mm256_loadu_pd(from[c + 4]), 1);
#else
    for (int c = 0; c < 4; ++c)
        four_load(&rows[c], from[c]);
#endif
}

LANES_INLINE void rows_store(const lanes rows[4], double* const to[lane_count])
{
#if defined(LANES_EIGHT)
    for (int c = 0; c < 4; ++c) {
        _mm256_storeu_pd(to[c], _mm512_castpd512_pd256((__m512d)rows[c]));
        _mm256_storeu_pd(to[c + 4], _mm512_extractf64x4_pd((__m512d)rows[c], 1));
    }
#else
    for (int c = 0; c < 4; ++c)
        four_store(&rows[c], to[c]);
#endif
}

// rows_store past the caches, to places that are multiples of 32 bytes.
LANES_INLINE void rows_stream(const lanes rows[4], double* const to[lane_count])
{
#if defined(LANES_EIGHT)
    for (int c = 0; c < 4; ++c)
        _mm256_stream_pd(to[c], _mm512_castpd512_pd256((__m512d)rows[c]));
    for (int c = 0; c < 4; ++c)
        _mm256_stream_pd(to[c + 4], _mm512_extractf64x4_pd((__m512d)rows[c], 1));
#else
    rows_store(rows, to);
#endif
}

// Rows become columns, one number of all contacts each; and columns become rows.
LANES_INLINE void transpose(lanes rows[4])
{
#if defined(LANES_EIGHT)
#define SHUFFLE(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
    lanes ab_low = SHUFFLE(rows[0], rows[1], 0, 8, 2, 10, 4, 12, 6, 14), ab_high = SHUFFLE(rows[0], rows[1], 1, 9, 3, 11, 5, 13, 7, 15);
    lanes cd_low = SHUFFLE(rows[2], rows[3], 0, 8, 2, 10, 4, 12, 6, 14), cd_high = SHUFFLE(rows[2], rows[3], 1, 9, 3, 11, 5, 13, 7, 15);
    rows[0] = SHUFFLE(ab_low, cd_low, 0, 1, 8, 9, 4, 5, 12, 13);
    rows[1] = SHUFFLE(ab_high, cd_high, 0, 1, 8, 9, 4, 5, 12, 13);
    rows[2] = SHUFFLE(ab_low, cd_low, 2, 3, 10, 11, 6, 7, 14, 15);
    rows[3] = SHUFFLE(ab_high, cd_high, 2, 3, 10, 11, 6, 7, 14, 15);
#undef SHUFFLE
#else
    lanes ab_low = __builtin_shufflevector(rows[0], rows[1], 0, 4, 2, 6), ab_high = __builtin_shufflevector(rows[0], rows[1], 1, 5, 3, 7);
    lanes cd_low = __builtin_shufflevector(rows[2], rows[3], 0, 4, 2, 6), cd_high = __builtin_shufflevector(rows[2], rows[3], 1, 5, 3, 7);
    rows[0] = __builtin_shufflevector(ab_low, cd_low, 0, 1, 4, 5);
    rows[1] = __builtin_shufflevector(ab_high, cd_high, 0, 1, 4, 5);
    rows[2] = __builtin_shufflevector(ab_low, cd_low, 2, 3, 6, 7);
    rows[3] = __builtin_shufflevector(ab_high, cd_high, 2, 3, 6, 7);
#endif
}

#endif  // SCREE_ONE_LANE

// Vectors of the contacts.
typedef struct three {
    lanes x, y, z;
} three;

#define DOT(a, b) (((a).x * (b).x + (a).y * (b).y) + (a).z * (b).z)
#define PLUS(a, b) ((three){(a).x + (b).x, (a).y + (b).y, (a).z + (b).z})
#define MINUS(a, b) ((three){(a).x - (b).x, (a).y - (b).y, (a).z - (b).z})
#define TIMES(s, a) ((three){(s) * (a).x, (s) * (a).y, (s) * (a).z})
#define CROSS(a, b) ((three){(a).y * (b).z - (a).z * (b).y, (a).z * (b).x - (a).x * (b).z, (a).x * (b).y - (a).y * (b).x})
#define PICK_THREE(mask, a, b) ((three){PICK(mask, (a).x, (b).x), PICK(mask, (a).y, (b).y), PICK(mask, (a).z, (b).z)})

#endif
