// The pass with AVX2. This file alone of the room is compiled with -mavx2 and is called only where the machine has it. The same operations
// in the same order as pass_plain.c, so the same bits: candidates are tested four at a time as in list_avx2.c, and the four
// numbers of a sphere (x y z and radius or mass) are one vector.
#include "sim/sim_inner.h"

#include "geom/pair.h"
#include "sim/contact.h"

#include <immintrin.h>
#include <string.h>

enum { ahead = 32 };

// For each mask of four candidates, which to keep, in order.
static const int32_t packing[16][4] = {{0, 0, 0, 0}, {0, 0, 0, 0}, {1, 0, 0, 0}, {0, 1, 0, 0}, {2, 0, 0, 0}, {0, 2, 0, 0},
                                       {1, 2, 0, 0}, {0, 1, 2, 0}, {3, 0, 0, 0}, {0, 3, 0, 0}, {1, 3, 0, 0}, {0, 1, 3, 0},
                                       {2, 3, 0, 0}, {0, 2, 3, 0}, {1, 2, 3, 0}, {0, 1, 2, 3}};

// Whether four candidates have no shifts, as most have.
static inline bool unshifted(const int8_t (*shift)[3])
{
    uint64_t eight;
    uint32_t rest;
    memcpy(&eight, shift, 8);
    memcpy(&rest, (const char*)shift + 8, 4);
    return (eight | rest) == 0;
}

static inline int32_t test_one(const sim_pass* pass, const int32_t ij[2], const int8_t* shift)
{
    double offset[3] = {0.0, 0.0, 0.0};
    if (shift != NULL)
        cell_offset(&pass->cell, shift, offset);
    return scree_is_pair(pass->x[ij[0]], pass->x[ij[1]], offset, pass->law.reach);
}

static int32_t find_contacts(const sim_pass* pass, const int32_t (*ij)[2], const int8_t (*shift)[3], int32_t count, int32_t* out)
{
    const double (*x)[4] = pass->x;
    const __m256d sign = _mm256_set_pd(-0.0, 0.0, 0.0, 0.0), gap = _mm256_set1_pd(pass->law.reach);
    int32_t found = 0, c = 0;
    for (; c + 4 <= count; c += 4) {
        if (shift != NULL && !unshifted(shift + c)) {
            for (int32_t e = c; e < c + 4; ++e) {
                out[found] = e;
                found += test_one(pass, ij[e], shift[e]);
            }
            continue;
        }
        __m256d d[4];
        for (int k = 0; k < 4; ++k) {
            int32_t later = c + k + ahead < count ? c + k + ahead : count - 1;
            __builtin_prefetch(x[ij[later][1]]);
            d[k] = _mm256_sub_pd(_mm256_loadu_pd(x[ij[c + k][0]]), _mm256_xor_pd(_mm256_loadu_pd(x[ij[c + k][1]]), sign));
        }
        __m256d xz01 = _mm256_unpacklo_pd(d[0], d[1]), yr01 = _mm256_unpackhi_pd(d[0], d[1]);
        __m256d xz23 = _mm256_unpacklo_pd(d[2], d[3]), yr23 = _mm256_unpackhi_pd(d[2], d[3]);
        __m256d dx = _mm256_permute2f128_pd(xz01, xz23, 0x20), dz = _mm256_permute2f128_pd(xz01, xz23, 0x31);
        __m256d dy = _mm256_permute2f128_pd(yr01, yr23, 0x20), reach = _mm256_add_pd(_mm256_permute2f128_pd(yr01, yr23, 0x31), gap);
        __m256d square = _mm256_add_pd(_mm256_add_pd(_mm256_mul_pd(dx, dx), _mm256_mul_pd(dy, dy)), _mm256_mul_pd(dz, dz));
        unsigned near = (unsigned)_mm256_movemask_pd(_mm256_cmp_pd(square, _mm256_mul_pd(reach, reach), _CMP_LT_OQ));
        // All four are written; those that are contacts stand if the count goes on.
        __m128i places = _mm_add_epi32(_mm_set1_epi32(c), _mm_loadu_si128((const __m128i*)packing[near]));
        _mm_storeu_si128((__m128i*)(out + found), places);
        found += __builtin_popcount(near);
    }
    for (; c < count; ++c) {
        out[found] = c;
        found += test_one(pass, ij[c], shift == NULL ? NULL : shift[c]);
    }
    return found;
}

// The squares of two speeds, as (x^2 + y^2) + z^2.
static inline __m128d speed_squares(__m256d a, __m256d b)
{
    const __m256d axes = _mm256_castsi256_pd(_mm256_set_epi64x(0, -1, -1, -1));
    a = _mm256_and_pd(_mm256_mul_pd(a, a), axes);
    b = _mm256_and_pd(_mm256_mul_pd(b, b), axes);
    __m256d sums = _mm256_hadd_pd(a, b);  // ax + ay, bx + by, az + 0, bz + 0
    return _mm_add_pd(_mm256_castpd256_pd128(sums), _mm256_extractf128_pd(sums, 1));
}

// What the loop over spheres needs of a pass; `by_positions` and `some_fixed` are constants where it is called.
typedef struct constants {
    bool by_positions, some_fixed;
    bool streams;  // what a step writes goes past the caches
    __m256d gravity, half, whole, square, per;  // square and per: the step squared, and 1 over it
} constants;

static inline __attribute__((always_inline)) __m256d acceleration(const sim_pass* pass, int64_t i, const double f[4], __m256d v, const constants* c)
{
    __m256d inverse = _mm256_permute4x64_pd(v, 0xff);
    __m256d a = _mm256_add_pd(_mm256_mul_pd(_mm256_load_pd(f), inverse), c->gravity);
    if (c->some_fixed)
        a = _mm256_and_pd(a, _mm256_castsi256_pd(_mm256_set1_epi64x(is_fixed(pass->flags, i) ? 0 : -1)));
    return a;
}

static inline __attribute__((always_inline)) void put(const constants* c, double to[4], __m256d row)
{
    if (c->streams)
        _mm256_stream_pd(to, row);
    else
        _mm256_storeu_pd(to, row);
}

// The new velocity of sphere i, written, with all that the mode says.
static inline __attribute__((always_inline)) __m256d integrate_velocities(const sim_pass* pass, int64_t i, const double f[4], const constants* c)
{
    __m256d v = _mm256_loadu_pd(sim_at(pass->v, i)), a = acceleration(pass, i, f, v, c), push = _mm256_mul_pd(c->half, a);
    if (pass->mode != SIM_STEP) {
        _mm256_storeu_pd(pass->next[i], a);
        if (pass->mode == SIM_OBSERVE) {
            v = _mm256_add_pd(v, push);
            _mm256_storeu_pd(sim_at(pass->v_next, i), v);
        }
        return v;
    }
    v = _mm256_add_pd(_mm256_add_pd(v, push), push);
    put(c, sim_at(pass->v_next, i), v);
    put(c, pass->next[i], _mm256_add_pd(_mm256_loadu_pd(pass->x[i]), _mm256_mul_pd(c->whole, v)));
    if (pass->law.damped)
        put(c, sim_at(pass->p_next, i), _mm256_add_pd(v, push));
    return v;
}

// The same by position Verlet.
static inline __attribute__((always_inline)) __m256d integrate_positions(const sim_pass* pass, int64_t i, const double f[4], const constants* c)
{
    enum { mass = 1 << 3 };
    __m256d v = _mm256_loadu_pd(sim_at(pass->v, i)), x = _mm256_loadu_pd(pass->x[i]), moved = _mm256_sub_pd(x, _mm256_loadu_pd(pass->before[i]));
    __m256d a = acceleration(pass, i, f, v, c), push = _mm256_mul_pd(c->half, a);
    if (pass->mode != SIM_STEP) {
        _mm256_storeu_pd(pass->next[i], a);
        if (pass->mode == SIM_OBSERVE) {
            v = _mm256_blend_pd(_mm256_add_pd(_mm256_mul_pd(moved, c->per), push), v, mass);
            _mm256_storeu_pd(sim_at(pass->v_next, i), v);
        }
        return v;
    }
    __m256d to = _mm256_add_pd(x, _mm256_add_pd(moved, _mm256_mul_pd(c->square, a)));
    v = _mm256_blend_pd(_mm256_mul_pd(_mm256_sub_pd(to, x), c->per), v, mass);
    put(c, sim_at(pass->v_next, i), v);
    _mm256_storeu_pd(pass->before[i], x);
    put(c, pass->next[i], to);
    if (pass->law.damped)
        put(c, sim_at(pass->p_next, i), _mm256_add_pd(v, push));
    return v;
}

// turn_one in a step.
static inline __attribute__((always_inline)) void turn_in_step(const sim_pass* pass, int64_t i, const double t[4], const constants* c)
{
    __m256d w = _mm256_loadu_pd(sim_at(pass->w, i)), push = _mm256_mul_pd(c->half, _mm256_mul_pd(_mm256_permute4x64_pd(w, 0xff), _mm256_load_pd(t)));
    w = _mm256_add_pd(_mm256_add_pd(w, push), push);
    put(c, sim_at(pass->w_next, i), w);
    put(c, sim_at(pass->wp_next, i), _mm256_add_pd(w, push));
}

static inline __attribute__((always_inline)) __m256d integrate_one(const sim_pass* pass, int64_t i, const double f[4], const double* t, const constants* c)
{
    __m256d v = c->by_positions ? integrate_positions(pass, i, f, c) : integrate_velocities(pass, i, f, c);
    if (t != NULL && pass->mode == SIM_STEP)
        turn_in_step(pass, i, t, c);
    else if (t != NULL)
        turn_one(pass, i, t);
    return v;
}

// Writing past the caches saves reading each line before it is written, and leaves the caches to what contacts read; it pays where the arrays do not fit into them: 0.89 of the time of a
// step of 125,000 spheres with friction, as long for 32,000. Only where spheres turn, since velocities are then not written in their own place.
static bool streams(const sim_pass* pass)
{
    uintptr_t at = (uintptr_t)pass->next | (uintptr_t)pass->v_next.at | (uintptr_t)pass->w_next.at | (uintptr_t)pass->p_next.at | (uintptr_t)pass->wp_next.at;
    return pass->mode == SIM_STEP && pass->law.turns && pass->n >= sim_past_from && at % sizeof(__m256d) == 0;
}

// `plain`: a step by velocities in which nothing rotates and nothing is fixed.
static inline __attribute__((always_inline)) void integrate_all(const sim_pass* given, int64_t first, int64_t last, sim_rows f, sim_rows t, block_result* result, bool by_positions, bool some_fixed,
                                                                bool plain)
{
    sim_pass own = *given;  // a copy: stores cannot change it, so the loop reads nothing of it again
    if (plain) {            // known already, and constants from here on
        own.mode = SIM_STEP;
        own.v.twice = own.v_next.twice = own.p_next.twice = f.twice = 0;
        t.at = NULL;
    }
    const sim_pass* pass = &own;
    const constants c = {.by_positions = by_positions,
                         .some_fixed = some_fixed,
                         .streams = !plain && streams(given),
                         .gravity = _mm256_loadu_pd(given->gravity),
                         .half = _mm256_loadu_pd(given->half),
                         .whole = _mm256_loadu_pd(given->whole),
                         .square = _mm256_loadu_pd(given->square),
                         .per = _mm256_loadu_pd(given->per)};
    __m128d most = _mm_setzero_pd(), bound = _mm_set1_pd(1e300), finite = _mm_cmple_pd(most, bound);
    for (int64_t i = first; i < last; i += 2) {
        __m256d a = integrate_one(pass, i, sim_at(f, i - first), t.at != NULL ? sim_at(t, i - first) : NULL, &c), b = a;
        if (i + 1 < last)
            b = integrate_one(pass, i + 1, sim_at(f, i + 1 - first), t.at != NULL ? sim_at(t, i + 1 - first) : NULL, &c);
        __m128d squares = speed_squares(a, b);
        most = _mm_max_pd(most, squares);  // `finite` is false for a value that is not a number
        finite = _mm_and_pd(finite, _mm_cmple_pd(squares, bound));
    }
    if (c.streams)
        _mm_sfence();  // before other threads see that it is done
    double squares[2];
    _mm_storeu_pd(squares, most);
    result->speed_square = squares[0] > squares[1] ? squares[0] : squares[1];
    result->finite = _mm_movemask_pd(finite) == 3;
}

// One loop for each case, none of which looks at it again.
static void integrate(const sim_pass* pass, int64_t first, int64_t last, sim_rows f, sim_rows t, block_result* result)
{
    bool by_positions = pass->before != NULL, some_fixed = pass->flags != NULL;
    bool plain = pass->mode == SIM_STEP && t.at == NULL && (pass->v.twice | pass->v_next.twice | pass->p_next.twice | f.twice) == 0;
    if (plain && !by_positions && !some_fixed)
        integrate_all(pass, first, last, f, t, result, false, false, true);
    else if (!by_positions && !some_fixed)
        integrate_all(pass, first, last, f, t, result, false, false, false);
    else if (!some_fixed)
        integrate_all(pass, first, last, f, t, result, true, false, false);
    else if (!by_positions)
        integrate_all(pass, first, last, f, t, result, false, true, false);
    else
        integrate_all(pass, first, last, f, t, result, true, true, false);
}

#if defined(SCREE_FEW_KERNELS)  // builds with sanitizers, which take minutes for the others
#define PASS_GRAINS(GRAIN)
#else
#define PASS_GRAINS(GRAIN) SIM_GRAINS(GRAIN)
#define GRAINS_INLINE
#endif
#include "sim/pass_body.h"

void sim_span_avx2(const sim_pass* pass, int64_t span, sim_desk* desk)
{
    work_on_span(pass, span, desk);
}

#if !defined(sim_span_avx2)  // pass_avx512.c includes this file and needs no second one
int32_t sim_find_avx2(const sim_pass* pass, const int32_t (*ij)[2], const int8_t (*shift)[3], int32_t count, int32_t* out)
{
    return find_contacts(pass, ij, shift, count, out);
}
#endif
