// Sums of doubles that do not depend on the order of their terms, nor on which thread adds which of them.
//
// A sum is three whole numbers, the limbs, which count multiples of q, q / 2^44 and q / 2^88. A term is cut into three such multiples, without error but for what is below half of the last; whole
// numbers are then added up. The quantum q is a power of two that follows from the scene (energy_scales_make), so it is the same for any number of threads, processes and lanes.
//
// A term is cut by adding 1.5 * 2^52 * q to it: the last bits of the outcome, read as a whole number, count multiples of q. No limb passes 2^63 while not more than sum_most terms are added between two
// calls of sum_carry. Terms must be below 2^30 q: then no first limb can pass 2^63 for fewer than 2^33 terms. The caller keeps the bits of `beyond`, which say whether one was not (sum_is_beyond).
#ifndef SCREE_SIM_SUMS_H
#define SCREE_SIM_SUMS_H

#include "base/both.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum { sum_limbs = 3, sum_bits = 44, sum_most = 1 << 19 };

typedef struct sim_sum {
    int64_t limb[sum_limbs];
} sim_sum;

typedef struct sum_scale {
    double quantum[sum_limbs];  // of each limb,
    double cut[sum_limbs];      // and 1.5 * 2^52 times it
} sum_scale;

// `quantum`: a power of two, neither very large nor very small.
SCREE_BOTH sum_scale sum_scale_of(double quantum)
{
    sum_scale s;
    for (int k = 0; k < sum_limbs; ++k) {
        s.quantum[k] = quantum;
        s.cut[k] = 0x1.8p52 * quantum;
        quantum *= 0x1p-44;
    }
    return s;
}

SCREE_BOTH int64_t sum_bits_of(double x)
{
    int64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

SCREE_BOTH void sum_add(const sum_scale* s, double term, sim_sum* sum, uint64_t* beyond)
{
    for (int k = 0; k < sum_limbs; ++k) {
        double moved = term + s->cut[k];
        int64_t quanta = (int64_t)((uint64_t)sum_bits_of(moved) - (uint64_t)sum_bits_of(s->cut[k]));
        sum->limb[k] = (int64_t)((uint64_t)sum->limb[k] + (uint64_t)quanta);
        if (k == 0)
            *beyond |= (uint64_t)quanta + ((uint64_t)1 << 30);  // below 2^31 unless the term is too large, or no number
        term -= moved - s->cut[k];
    }
}

SCREE_BOTH bool sum_is_beyond(uint64_t beyond)
{
    return beyond >> 31 != 0;
}

// The same number with all limbs but the first from -2^43 to 2^43 - 1: there is one way to write it so.
SCREE_BOTH void sum_carry(sim_sum* sum)
{
    const uint64_t half = (uint64_t)1 << (sum_bits - 1);
    const int64_t whole = (int64_t)1 << sum_bits;
    for (int k = sum_limbs - 1; k > 0; --k) {
        int64_t more = (int64_t)((uint64_t)sum->limb[k] + half) >> sum_bits;
        sum->limb[k] -= more * whole;
        sum->limb[k - 1] = (int64_t)((uint64_t)sum->limb[k - 1] + (uint64_t)more);
    }
}

// Adds one that was carried; the outcome is. Of whole numbers that are added up without this, 2^20 carried ones fit.
SCREE_BOTH void sum_join(sim_sum* sum, const sim_sum* more)
{
    for (int k = 0; k < sum_limbs; ++k)
        sum->limb[k] = (int64_t)((uint64_t)sum->limb[k] + (uint64_t)more->limb[k]);
    sum_carry(sum);
}

// Of one that was carried.
SCREE_BOTH double sum_value(const sum_scale* s, const sim_sum* sum)
{
    return (double)sum->limb[0] * s->quantum[0] + ((double)sum->limb[1] * s->quantum[1] + (double)sum->limb[2] * s->quantum[2]);
}

#endif
