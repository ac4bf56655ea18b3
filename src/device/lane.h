// What the lanes of a kernel have beside C: counters that many of them change at once, and a place of memory that a block shares. Kernels are written lane by lane, in functions marked LANE, and in
// stages: all lanes of a block have done a stage before one of them begins the next. CUDA runs lanes at the same time; emulate.c one after the other, in any order.
//
// Only whole numbers are counted up by several lanes, so that the order of lanes never shows in a result.
#ifndef SCREE_DEVICE_LANE_H
#define SCREE_DEVICE_LANE_H

#include "base/both.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#if defined(__CUDACC__)

#define LANE static __device__ __forceinline__
#define LANE_UNROLL _Pragma("unroll")

LANE uint32_t lane_add(uint32_t* at, uint32_t more)  // returns what was there
{
    return atomicAdd(at, more);
}

LANE uint64_t lane_add_wide(uint64_t* at, uint64_t more)
{
    return atomicAdd((unsigned long long*)at, (unsigned long long)more);
}

LANE void lane_max(uint64_t* at, uint64_t value)
{
    atomicMax((unsigned long long*)at, (unsigned long long)value);
}

LANE void lane_or(uint32_t* at, uint32_t bits)
{
    atomicOr(at, bits);
}

// All lanes of a warp are here, and so are those that have nothing to say: 0.
LANE void lane_max_of_all(uint64_t* at, uint64_t value)
{
    for (int o = 16; o > 0; o >>= 1) {
        unsigned long long other = __shfl_xor_sync(0xffffffffu, (unsigned long long)value, o);
        value = other > value ? other : value;
    }
    if ((threadIdx.x & 31) == 0 && value > *(volatile uint64_t*)at)
        lane_max(at, value);
}

LANE bool lane_any(bool mine)  // of a warp, all of which are here
{
    return __any_sync(0xffffffffu, mine);
}

LANE int lane_bits_of(uint64_t word)
{
    return __popcll(word);
}

LANE uint64_t lane_bits_from(double value)
{
    return (uint64_t)__double_as_longlong(value);
}

LANE double lane_double_from(uint64_t bits)
{
    return __longlong_as_double((long long)bits);
}

#else

#define LANE static inline
#define LANE_UNROLL

LANE uint32_t lane_add(uint32_t* at, uint32_t more)
{
    uint32_t was = *at;
    *at = was + more;
    return was;
}

LANE uint64_t lane_add_wide(uint64_t* at, uint64_t more)
{
    uint64_t was = *at;
    *at = was + more;
    return was;
}

LANE void lane_max(uint64_t* at, uint64_t value)
{
    *at = value > *at ? value : *at;
}

LANE void lane_or(uint32_t* at, uint32_t bits)
{
    *at |= bits;
}

LANE void lane_max_of_all(uint64_t* at, uint64_t value)
{
    lane_max(at, value);
}

LANE bool lane_any(bool mine)
{
    return mine;
}

LANE int lane_bits_of(uint64_t word)
{
    return __builtin_popcountll(word);
}

LANE uint64_t lane_bits_from(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

LANE double lane_double_from(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

#endif

// Four numbers that begin at a multiple of 16 bytes.
LANE void lane_read_floats(float to[4], const float from[4])
{
#if defined(__CUDACC__)
    const float4 all = *(const float4*)from;
    to[0] = all.x;
    to[1] = all.y;
    to[2] = all.z;
    to[3] = all.w;
#else
    memcpy(to, from, 4 * sizeof *to);
#endif
}

LANE void lane_read_words(uint32_t to[4], const uint32_t from[4])
{
#if defined(__CUDACC__)
    const uint4 all = *(const uint4*)from;
    to[0] = all.x;
    to[1] = all.y;
    to[2] = all.z;
    to[3] = all.w;
#else
    memcpy(to, from, 4 * sizeof *to);
#endif
}

// Doubles as whole numbers in the same order.
LANE uint64_t lane_ordered(double value)
{
    uint64_t bits = lane_bits_from(value);
    return bits >> 63 ? ~bits : bits | (uint64_t)1 << 63;
}

#endif
