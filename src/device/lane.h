// What the lanes of a kernel need beyond C: atomic counters and memory shared by a block. Kernels are written for one lane, in functions marked LANE, and in stages: all lanes of a block finish a stage
// before one of them begins the next. CUDA runs lanes in parallel; emulate.c runs them one after the other, in any order. Where all lanes of a warp exchange values, fibers.c lets each wait for the others.
//
// Only integers are summed by several lanes, so that the order of lanes does not affect any result.
#ifndef SCREE_DEVICE_LANE_H
#define SCREE_DEVICE_LANE_H

#include "base/both.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#if defined(__CUDACC__)

#define LANE static __device__ __forceinline__
#define LANE_APART static __device__ __noinline__  // rare, or so large that registers are better kept for what is around it
#define LANE_UNROLL _Pragma("unroll")
#define LANE_ROLL _Pragma("unroll 1")

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

LANE void lane_and(uint32_t* at, uint32_t bits)
{
    atomicAnd(at, bits);
}

LANE uint64_t lane_peek(const uint64_t* at)  // what other lanes may be changing
{
    return *(const volatile uint64_t*)at;
}

// Called by all lanes of a warp; lanes without a value give 0. `seen`: a value that was there some time ago.
LANE void lane_max_of_all(uint64_t* at, uint64_t seen, uint64_t value)
{
    const uint32_t high = (uint32_t)(value >> 32), top = __reduce_max_sync(0xffffffffu, high);
    const uint32_t low = __reduce_max_sync(0xffffffffu, high == top ? (uint32_t)value : 0u);
    value = (uint64_t)top << 32 | low;
    if ((threadIdx.x & 31) == 0 && value > seen)
        lane_max(at, value);
}

// The same where lanes beside each other have few places: one of those with the same place does it for all.
LANE void lane_or_beside(uint32_t* at, uint32_t bits)
{
    const unsigned same = __match_any_sync(__activemask(), (unsigned long long)at);
    const uint32_t all = __reduce_or_sync(same, bits);
    if ((int)(threadIdx.x & 31) == __ffs((int)same) - 1)
        lane_or(at, all);
}

LANE bool lane_any(bool mine)  // of a warp, all of which are here
{
    return __any_sync(0xffffffffu, mine);
}

LANE uint32_t lane_which(bool mine)  // bits of its lanes
{
    return __ballot_sync(0xffffffffu, mine);
}

LANE uint32_t lane_from(uint32_t value, int lane)  // that this lane of it has
{
    return __shfl_sync(0xffffffffu, value, lane);
}

LANE int32_t lane_least(int32_t value)
{
    return __reduce_min_sync(0xffffffffu, value);
}

LANE int32_t lane_most(int32_t value)
{
    return __reduce_max_sync(0xffffffffu, value);
}

enum { warp_lanes = 32 };

LANE int lane_in_warp(void)
{
    return threadIdx.x & 31;
}

// Mask of the lanes of the warp that are active here with the same address. lane_add_together adds their 64-bit integers to it by one access.
LANE uint32_t lane_together(const void* at)
{
    return __match_any_sync(__activemask(), (unsigned long long)at);
}

LANE void lane_add_together(uint32_t group, uint64_t* at, uint64_t more)
{
    const uint32_t low = __reduce_add_sync(group, (uint32_t)more & 0xffffffu), middle = __reduce_add_sync(group, (uint32_t)(more >> 24) & 0xffffffu), high = __reduce_add_sync(group, (uint32_t)(more >> 48));
    if ((threadIdx.x & 31) == (unsigned)__ffs((int)group) - 1u)
        lane_add_wide(at, (uint64_t)low + ((uint64_t)middle << 24) + ((uint64_t)high << 48));
}

LANE int lane_bits_of(uint64_t word)
{
    return __popcll(word);
}

LANE int lane_length(uint32_t word)  // bits up to the highest that is set
{
    return 32 - __clz((int)word);
}

LANE int lane_lowest(uint32_t word)  // of its bits that are set; there is one
{
    return __ffs((int)word) - 1;
}

// Reserves `count` consecutive slots; *at is the first free one. Called by all lanes of a warp, which get consecutive ranges.
LANE uint32_t lane_reserve(uint32_t* at, uint32_t count)
{
    const int lane = threadIdx.x & 31;
    uint32_t upto = count, first = 0;
    for (int o = 1; o < 32; o *= 2) {
        const uint32_t before = __shfl_up_sync(0xffffffffu, upto, o);
        upto += lane >= o ? before : 0u;
    }
    if (lane == 31)
        first = atomicAdd(at, upto);
    return __shfl_sync(0xffffffffu, first, 31) + upto - count;
}

// What launches before this one have written may be read from here on; lists, which they do not change, before. They may still be at work when this one begins.
LANE void lane_follow(void)
{
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.launch_dependents;");
    asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

// The largest integer that is not larger, or the nearest that there is.
LANE int32_t lane_floor(double value)
{
    return __double2int_rd(value);
}

LANE int32_t lane_floor_float(float value)
{
    return __float2int_rd(value);
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

#include "device/fibers.h"

#define LANE static inline
#define LANE_APART static inline
#define LANE_UNROLL
#define LANE_ROLL

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

LANE void lane_or_beside(uint32_t* at, uint32_t bits)
{
    lane_or(at, bits);
}

LANE void lane_and(uint32_t* at, uint32_t bits)
{
    *at &= bits;
}

LANE uint64_t lane_peek(const uint64_t* at)
{
    return *at;
}

#define warp_lanes fibers_warp()

LANE int lane_in_warp(void)
{
    return fibers_lane();
}

// What all lanes of the warp give.
LANE const fiber_value* lane_show(const char* name, uint64_t word)
{
    return fibers_meet(name, (fiber_value){.word = word});
}

LANE void lane_max_of_all(uint64_t* at, uint64_t seen, uint64_t value)
{
    const fiber_value* of = lane_show("lane_max_of_all", value);
    for (int l = 0; l < warp_lanes; ++l)
        value = of[l].word > value ? of[l].word : value;
    if (lane_in_warp() == 0 && value > seen)
        lane_max(at, value);
}

LANE uint32_t lane_ballot(const char* name, bool mine)
{
    const fiber_value* of = lane_show(name, mine);
    uint32_t bits = 0;
    for (int l = 0; l < warp_lanes; ++l)
        bits |= (uint32_t)of[l].word << l;
    return bits;
}

LANE uint32_t lane_which(bool mine)
{
    return lane_ballot("lane_which", mine);
}

LANE bool lane_any(bool mine)
{
    return lane_ballot("lane_any", mine) != 0;
}

LANE uint32_t lane_from(uint32_t value, int lane)
{
    return (uint32_t)lane_show("lane_from", value)[lane % warp_lanes].word;
}

LANE int32_t lane_largest(const char* name, int32_t value)
{
    const fiber_value* of = lane_show(name, (uint32_t)value);
    for (int l = 0; l < warp_lanes; ++l)
        value = (int32_t)(uint32_t)of[l].word > value ? (int32_t)(uint32_t)of[l].word : value;
    return value;
}

LANE int32_t lane_most(int32_t value)
{
    return lane_largest("lane_most", value);
}

LANE int32_t lane_least(int32_t value)
{
    return ~lane_largest("lane_least", ~value);
}

// Groups of lanes that come by at the same time, of which any may be made, are one lane each.
LANE uint32_t lane_together(const void* at)
{
    return at != NULL;
}

LANE void lane_add_together(uint32_t group, uint64_t* at, uint64_t more)
{
    if (group != 0)
        lane_add_wide(at, more);
}

LANE int lane_bits_of(uint64_t word)
{
    return __builtin_popcountll(word);
}

LANE int lane_length(uint32_t word)
{
    return word == 0 ? 0 : 32 - __builtin_clz(word);
}

LANE int lane_lowest(uint32_t word)
{
    return __builtin_ctz(word);
}

LANE uint32_t lane_reserve(uint32_t* at, uint32_t count)
{
    const fiber_value* of = lane_show("lane_reserve", count);
    const int lane = lane_in_warp(), last = warp_lanes - 1;
    uint32_t upto = 0, first = 0;
    for (int l = 0; l <= lane; ++l)
        upto += (uint32_t)of[l].word;
    if (lane == last)
        first = lane_add(at, upto);
    return lane_from(first, last) + upto - count;
}

LANE void lane_follow(void)
{
}

LANE int32_t lane_floor(double value)
{
    return !(value > -2147483648.0) ? INT32_MIN : value >= 2147483647.0 ? INT32_MAX : (int32_t)floor(value);
}

LANE int32_t lane_floor_float(float value)
{
    return lane_floor(value);
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

#if defined(__CUDACC__)
LANE void lane_four(double to[4], double2 a, double2 b)
{
    to[0] = a.x;
    to[1] = a.y;
    to[2] = b.x;
    to[3] = b.y;
}

LANE double2 lane_exchange(double2 give)  // with the lane beside it
{
    return make_double2(__shfl_xor_sync(0xffffffffu, give.x, 1), __shfl_xor_sync(0xffffffffu, give.y, 1));
}
#endif

// Four numbers that begin at a multiple of 16 bytes; doubles at one of 32.
LANE void lane_read(double to[4], const double from[4])
{
#if defined(__CUDACC__)
    lane_four(to, *(const double2*)from, *(const double2*)(from + 2));
#else
    memcpy(to, from, 4 * sizeof *to);
#endif
}

// It is read soon.
LANE void lane_await(const double* from)
{
#if defined(__CUDACC__)
    asm volatile("prefetch.global.L2 [%0];" ::"l"(from));
#else
    (void)from;
#endif
}

// One of many consecutive values that are not read again soon.
LANE double lane_read_one(const double* from)
{
#if defined(__CUDACC__)
    return __ldcs(from);
#else
    return *from;
#endif
}

// The same for values that are not read again soon.
LANE void lane_read_once(double to[4], const double from[4])
{
#if defined(__CUDACC__)
    lane_four(to, __ldcs((const double2*)from), __ldcs((const double2*)(from + 2)));
#else
    lane_read(to, from);
#endif
}

LANE void lane_write(double to[4], const double from[4])
{
#if defined(__CUDACC__)
    *(double2*)to = make_double2(from[0], from[1]);
    *(double2*)(to + 2) = make_double2(from[2], from[3]);
#else
    memcpy(to, from, 4 * sizeof *to);
#endif
}

// Item i of each lane of a warp, called by all of them with items side by side; lanes with `mine` write theirs. Two lanes write the item of the first, then that of the second: 32 bytes at a time, not
// halves of them twice.
LANE void lane_write_all(double (*to)[4], int64_t i, bool mine, const double from[4])
{
#if defined(__CUDACC__)
    const bool odd = (threadIdx.x & 1) != 0;
    const double2 first = make_double2(from[0], from[1]), second = make_double2(from[2], from[3]), got = lane_exchange(odd ? first : second);
    const bool other = __shfl_xor_sync(0xffffffffu, (int)mine, 1) != 0;
    double2* at = (double2*)to[i & ~(int64_t)1] + odd;
    if (odd ? other : mine)
        at[0] = odd ? got : first;
    if (odd ? mine : other)
        at[2] = odd ? second : got;
#else
    const int lane = lane_in_warp(), odd = lane & 1;
    const fiber_value *of = fibers_meet("lane_write_all", (fiber_value){.word = mine, .four = {from[0], from[1], from[2], from[3]}}), *pair = of + (lane & ~1);
    for (int item = 0; item < 2; ++item)  // half of each
        if (pair[item].word != 0)
            memcpy(to[(i & ~(int64_t)1) + item] + 2 * odd, pair[item].four + 2 * odd, 2 * sizeof **to);
#endif
}

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

// Floats that are not negative as whole numbers in the same order, and back.
LANE int32_t lane_from_float(float value)
{
    int32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

LANE float lane_to_float(int32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

// Doubles as whole numbers in the same order.
LANE uint64_t lane_ordered(double value)
{
    uint64_t bits = lane_bits_from(value);
    return bits >> 63 ? ~bits : bits | (uint64_t)1 << 63;
}

#endif
