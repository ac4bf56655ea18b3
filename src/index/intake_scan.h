// The scan of all coordinates before a search: it finds their bounds and checks that each is a length. Plain loops over numbers without a branch, compiled for any
// machine by intake.c and for AVX2 by intake_avx2.c.
#ifndef SCREE_INDEX_INTAKE_SCAN_H
#define SCREE_INDEX_INTAKE_SCAN_H

#include "geom/length.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum { intake_period = 12 };  // 12 numbers are whole spheres in 2D and in 3D

bool intake_doubtful_avx2(const double* numbers, int64_t count);
void intake_bounds_avx2(const double* x, int64_t numbers, double lower[intake_period], double upper[intake_period]);

// Whether any of the numbers is neither 0 nor between the least and the greatest length. The size of a double is ordered
// as its bits are, and what is no number has the greatest bits of all.
static inline __attribute__((always_inline)) bool intake_doubtful_body(const double* numbers, int64_t count)
{
    uint64_t least, greatest;
    memcpy(&least, &(double){SCREE_LENGTH_MIN}, sizeof least);
    memcpy(&greatest, &(double){SCREE_LENGTH_MAX}, sizeof greatest);
    uint64_t span = greatest - least, bad = 0;
    for (int64_t k = 0; k < count; ++k) {
        uint64_t bits;
        memcpy(&bits, &numbers[k], sizeof bits);
        bits &= UINT64_MAX >> 1;
        bad |= (uint64_t)((bits - least > span) & (bits != 0));
    }
    return bad != 0;
}

// Bounds of whole spheres, joined with what is there.
static inline __attribute__((always_inline)) void intake_bounds_body(const double* x, int64_t numbers, double lower[intake_period], double upper[intake_period])
{
    double low[intake_period], high[intake_period];
    memcpy(low, lower, sizeof low);
    memcpy(high, upper, sizeof high);
    int64_t whole = numbers / intake_period * intake_period;
    for (int64_t i = 0; i < whole; i += intake_period)
        for (int k = 0; k < intake_period; ++k) {
            low[k] = x[i + k] < low[k] ? x[i + k] : low[k];
            high[k] = x[i + k] > high[k] ? x[i + k] : high[k];
        }
    for (int64_t i = whole; i < numbers; ++i) {
        int k = (int)(i - whole);
        low[k] = x[i] < low[k] ? x[i] : low[k];
        high[k] = x[i] > high[k] ? x[i] : high[k];
    }
    memcpy(lower, low, sizeof low);
    memcpy(upper, high, sizeof high);
}

#endif
