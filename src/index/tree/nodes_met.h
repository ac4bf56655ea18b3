// A ball against the nodes of an octree.
//
// Outer boxes and balls are compared in units of the cells of level 30: differences of coordinates as integers, which
// is exact, and what follows in single precision. Balls are larger by four units, by 64 last bits of the largest
// coordinate and by 1e-6 of themselves, boxes by 1e-5 of their side: some ten times what rounding could take away. A
// node may be looked into for nothing; none is missed. The boxes of all children of a node follow from their parent's
// middle, so children that are missed are not even read:
//
//         low child                on each axis two distances, from the low children and from the high ones; all
//     |---------------|            eight sums of their squares are compared at once
//               |---------------|
//                    high child
//
// With SSE2, which every x86-64 has, in some thirty instructions and without an unpredictable branch; else
// by the same operations one after the other, with the same result to the last bit.
#ifndef SCREE_INDEX_NODES_MET_H
#define SCREE_INDEX_NODES_MET_H

#include "index/tree/nodes.h"

static inline float nodes_larger(float a, float b)
{
    return a > b ? a : b;
}

#if defined(__SSE2__)
#include <emmintrin.h>

static inline __m128i nodes_load(const uint32_t cell[3])
{
    return _mm_unpacklo_epi64(_mm_loadl_epi64((const __m128i*)cell), _mm_cvtsi32_si128((int)cell[2]));
}

// Which children of a node the ball meets, as bits.
static inline unsigned nodes_met(const nodes_root* root, const uint32_t cell[3], int32_t level, const nodes_ball* ball)
{
    int32_t side = 1 << (nodes_depth - 1 - level);
    const __m128 zero = _mm_setzero_ps(), square = _mm_set1_ps(ball->square);
    __m128 out = _mm_set1_ps(root->out[level + 1]), end = _mm_set1_ps((float)side + root->out[level + 1]);
    __m128i centre = _mm_loadu_si128((const __m128i*)ball->centre);
    __m128 from_middle = _mm_cvtepi32_ps(_mm_sub_epi32(_mm_sub_epi32(centre, nodes_load(cell)), _mm_set1_epi32(side)));
    __m128 from_end = _mm_sub_ps(_mm_sub_ps(zero, end), from_middle),
           from_out = _mm_sub_ps(_mm_sub_ps(zero, out), from_middle);
    __m128 low = _mm_max_ps(_mm_max_ps(_mm_sub_ps(from_middle, out), from_end), zero);
    __m128 high = _mm_max_ps(_mm_max_ps(from_out, _mm_sub_ps(from_middle, end)), zero);
    low = _mm_mul_ps(low, low);
    high = _mm_mul_ps(high, high);
    __m128 both = _mm_unpacklo_ps(low, high);  // low x, high x, low y, high y
    __m128 xy = _mm_add_ps(_mm_movelh_ps(both, both), _mm_shuffle_ps(both, both, _MM_SHUFFLE(3, 3, 2, 2)));
    __m128 low_z = _mm_add_ps(xy, _mm_shuffle_ps(low, low, _MM_SHUFFLE(2, 2, 2, 2)));
    __m128 high_z = _mm_add_ps(xy, _mm_shuffle_ps(high, high, _MM_SHUFFLE(2, 2, 2, 2)));
    return (unsigned)(_mm_movemask_ps(_mm_cmple_ps(low_z, square)) | _mm_movemask_ps(_mm_cmple_ps(high_z, square))
                                                                         << 4);
}

// Whether the ball meets a node. Asked only where a node is more than one level below its parent.
static inline bool nodes_meet(const nodes_root* root, const uint32_t cell[3], int32_t level, const nodes_ball* ball)
{
    __m128i above = _mm_sub_epi32(_mm_loadu_si128((const __m128i*)ball->centre), nodes_load(cell));
    __m128i below = _mm_sub_epi32(_mm_setzero_si128(), above);
    above = _mm_sub_epi32(above, _mm_set1_epi32(1 << (nodes_depth - level)));
    __m128 beyond =
        _mm_sub_ps(_mm_max_ps(_mm_cvtepi32_ps(below), _mm_cvtepi32_ps(above)), _mm_set1_ps(root->out[level]));
    beyond = _mm_max_ps(beyond, _mm_setzero_ps());
    beyond = _mm_mul_ps(beyond, beyond);
    __m128 sum = _mm_add_ss(beyond, _mm_shuffle_ps(beyond, beyond, _MM_SHUFFLE(1, 1, 1, 1)));
    sum = _mm_add_ss(sum, _mm_movehl_ps(beyond, beyond));
    return _mm_cvtss_f32(sum) <= ball->square;
}

// Whether all spheres of a branch are partners for sure: their centres lie in its cell, and the whole cell lies closer
// to the ball's centre than its reach, less everything that rounding could do. (The paper wants the outer cube inside;
// the cell is enough.) Most cells are too long for that, which shows at once. For contacts this finds nothing and costs
// 4 % of a search; it is for gaps of the order of the box, where nearly everything is certain (20000 spheres, all of
// them pairs: 40 in place of 270 microseconds each).
static inline bool nodes_certain(const nodes_root* root, const uint32_t cell[3], int32_t level, const nodes_ball* ball)
{
    int32_t side = 1 << (nodes_depth - level);
    if ((float)side * (float)side >= 4.0f * ball->certain)
        return false;
    __m128i below = _mm_sub_epi32(_mm_loadu_si128((const __m128i*)ball->centre), nodes_load(cell));
    __m128i above = _mm_sub_epi32(_mm_set1_epi32(side), below);
    __m128 far = _mm_max_ps(_mm_cvtepi32_ps(below), _mm_cvtepi32_ps(above));
    far = _mm_mul_ps(_mm_mul_ps(far, far), _mm_loadu_ps(root->axes));
    __m128 sum = _mm_add_ss(far, _mm_shuffle_ps(far, far, _MM_SHUFFLE(1, 1, 1, 1)));
    return _mm_cvtss_f32(_mm_add_ss(sum, _mm_movehl_ps(far, far))) < ball->certain;
}

#else

static inline unsigned nodes_met(const nodes_root* root, const uint32_t cell[3], int32_t level, const nodes_ball* ball)
{
    int32_t side = 1 << (nodes_depth - 1 - level);
    float out = root->out[level + 1], end = (float)side + out, low[3], high[3];
    for (int k = 0; k < 3; ++k) {
        float from_middle = (float)(ball->centre[k] - (int32_t)cell[k] - side);
        low[k] = nodes_larger(nodes_larger(from_middle - out, -end - from_middle), 0.0f);
        high[k] = nodes_larger(nodes_larger(-out - from_middle, from_middle - end), 0.0f);
        low[k] *= low[k];
        high[k] *= high[k];
    }
    float xy[4] = {low[0] + low[1], high[0] + low[1], low[0] + high[1], high[0] + high[1]};
    unsigned met = 0;
    for (unsigned octant = 0; octant < 4; ++octant) {
        met |= (unsigned)(xy[octant] + low[2] <= ball->square) << octant;
        met |= (unsigned)(xy[octant] + high[2] <= ball->square) << (octant + 4);
    }
    return met;
}

static inline bool nodes_meet(const nodes_root* root, const uint32_t cell[3], int32_t level, const nodes_ball* ball)
{
    int32_t side = 1 << (nodes_depth - level);
    float square[3];
    for (int k = 0; k < 3; ++k) {
        float below = (float)((int32_t)cell[k] - ball->centre[k]),
              above = (float)(ball->centre[k] - (int32_t)cell[k] - side);
        float beyond = nodes_larger(nodes_larger(below, above) - root->out[level], 0.0f);
        square[k] = beyond * beyond;
    }
    return square[0] + square[1] + square[2] <= ball->square;
}

static inline bool nodes_certain(const nodes_root* root, const uint32_t cell[3], int32_t level, const nodes_ball* ball)
{
    int32_t side = 1 << (nodes_depth - level);
    if ((float)side * (float)side >= 4.0f * ball->certain)
        return false;
    float sum = 0.0f;
    for (int k = 0; k < root->dim; ++k) {
        float below = (float)(ball->centre[k] - (int32_t)cell[k]),
              above = (float)((int32_t)cell[k] + side - ball->centre[k]);
        float far = nodes_larger(below, above);
        sum += far * far;
    }
    return sum < ball->certain;
}

#endif

#endif
