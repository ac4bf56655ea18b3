// Several numbers at a time, with + - * / and comparisons number by number: the bits are those of plain doubles, whatever instructions the compiler takes.
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

#define ALL(value) (value)
#define ALL_SET 1
#define NOT(mask) (!(mask))
#define KEEP(mask, a) ((mask) ? (a) : 0.0)
#define PICK(mask, a, b) ((mask) ? (a) : (b))
#define LARGER(a, b) PICK((a) > (b), a, b)
#define ROOT(a) sqrt(a)

LANES_INLINE bool lanes_any(const lane_bits* mask)
{
    return *mask != 0;
}

#else

#define LANES_INLINE static inline __attribute__((always_inline))

typedef double four __attribute__((vector_size(4 * sizeof(double))));
typedef int64_t four_bits __attribute__((vector_size(4 * sizeof(int64_t))));  // of a comparison: all bits set where it holds

typedef double four_there __attribute__((vector_size(4 * sizeof(double)), aligned(sizeof(double)), may_alias));  // in an array

enum { lane_count = 4 };  // twice as many would hide the time of roots and divisions, but gcc keeps such vectors in memory: 2.5 times slower
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
#define ALL(value) ((lanes){(value), (value), (value), (value)})
#define ALL_SET ((lane_bits){-1, -1, -1, -1})
#define NOT(mask) (~(mask))
#define KEEP(mask, a) ((lanes)((mask) & (lane_bits)(a)))
// PICK: where the mask holds a, else b. LARGER: b unless a is larger.
#if defined(__AVX2__)
#define PICK(mask, a, b) ((lanes)_mm256_blendv_pd((__m256d)(b), (__m256d)(a), (__m256d)(mask)))
#define LARGER(a, b) ((lanes)_mm256_max_pd((__m256d)(a), (__m256d)(b)))
#define ROOT(a) ((lanes)_mm256_sqrt_pd((__m256d)(a)))
#else
#define PICK(mask, a, b) ((lanes)(((mask) & (lane_bits)(a)) | (~(mask) & (lane_bits)(b))))
#define LARGER(a, b) PICK((a) > (b), a, b)
#define ROOT(a) ((lanes){sqrt((a)[0]), sqrt((a)[1]), sqrt((a)[2]), sqrt((a)[3])})
#endif

LANES_INLINE bool lanes_any(const lane_bits* mask)
{
#if defined(__AVX2__)
    return !_mm256_testz_si256((__m256i)*mask, (__m256i)*mask);
#else
    return ((*mask)[0] | (*mask)[1] | (*mask)[2] | (*mask)[3]) != 0;
#endif
}

// Rows a, b, c, d become columns.
LANES_INLINE void transpose(four* a, four* b, four* c, four* d)
{
    four ab_low = __builtin_shufflevector(*a, *b, 0, 4, 2, 6), ab_high = __builtin_shufflevector(*a, *b, 1, 5, 3, 7);
    four cd_low = __builtin_shufflevector(*c, *d, 0, 4, 2, 6), cd_high = __builtin_shufflevector(*c, *d, 1, 5, 3, 7);
    *a = __builtin_shufflevector(ab_low, cd_low, 0, 1, 4, 5);
    *b = __builtin_shufflevector(ab_high, cd_high, 0, 1, 4, 5);
    *c = __builtin_shufflevector(ab_low, cd_low, 2, 3, 6, 7);
    *d = __builtin_shufflevector(ab_high, cd_high, 2, 3, 6, 7);
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
