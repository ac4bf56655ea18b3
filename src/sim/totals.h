// Sums of numbers of any size that do not depend on the order of the terms: exact, then rounded once. For what is looked at between runs; sums of every step have a scale (sums.h), and are cheaper.
//
// A total is a whole multiple of 2^-1074, the smallest number above 0, in limbs of 32 bits each. A term of 53 bits is added to three of them. Limbs have 64 bits, so that 2^30 terms fit without a carry; carried
// totals of 2^30 processes can be added up limb by limb. Infinities and what is no number are counted beside it.
//
// Many terms go through a batch of 64: rounded to a multiple of 2^-50 of the sum of their sizes they have a sum without rounding errors, as doubles; so have the rests, and the rests of those. That takes less time than one term
// after the other, and gives the same total.
#ifndef SCREE_SIM_TOTALS_H
#define SCREE_SIM_TOTALS_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum { total_limbs = 67, total_beside = total_limbs, total_words = total_limbs + 3 };

typedef struct sim_total {
    int64_t word[total_words];  // limbs, lowest first; then how many terms were infinite, minus infinite, no number
} sim_total;

static inline void total_add(sim_total* total, double term)
{
    if (term == 0.0)
        return;
    uint64_t bits;
    memcpy(&bits, &term, sizeof bits);
    uint64_t mantissa = bits & (((uint64_t)1 << 52) - 1);
    int exponent = (int)(bits >> 52 & 0x7ff);
    if (exponent == 0x7ff) {
        ++total->word[total_beside + (mantissa != 0 ? 2 : (int)(bits >> 63))];
        return;
    }
    mantissa |= exponent > 0 ? (uint64_t)1 << 52 : 0;
    int place = exponent > 0 ? exponent - 1 : 0, shift = place & 31;
    uint64_t low = (mantissa << shift) & 0xffffffffu, rest = mantissa >> (32 - shift);
    int64_t part[3] = {(int64_t)low, (int64_t)(rest & 0xffffffffu), (int64_t)(rest >> 32)}, *limb = total->word + (place >> 5);
    int64_t sign = -(int64_t)(bits >> 63);
    for (int k = 0; k < 3; ++k)
        limb[k] += (part[k] ^ sign) - sign;
}

enum { total_batch = 64 };

typedef struct sim_batch {
    int32_t count;
    double term[total_batch];
} sim_batch;

void total_flush(sim_total* total, sim_batch* batch);  // its terms are in the total

static inline void total_push(sim_total* total, sim_batch* batch, double term)
{
    batch->term[batch->count++] = term;
    if (batch->count == total_batch)
        total_flush(total, batch);
}

// The same number with all limbs but the last from 0 to 2^32 - 1: there is one way to write it so.
static inline void total_carry(sim_total* total)
{
    for (int k = 0; k + 1 < total_limbs; ++k) {
        int64_t more = total->word[k] >> 32;
        total->word[k] -= more * ((int64_t)1 << 32);
        total->word[k + 1] += more;
    }
}

// Adds one that was carried; the outcome is.
static inline void total_join(sim_total* total, const sim_total* more)
{
    for (int k = 0; k < total_words; ++k)
        total->word[k] += more->word[k];
    total_carry(total);
}

// The nearest double; of two, the even one.
static inline double total_value(const sim_total* from)
{
    const int64_t* beside = from->word + total_beside;
    sim_total t = *from;
    if (beside[0] + beside[1] + beside[2] > 0)
        return beside[2] > 0 || (beside[0] > 0 && beside[1] > 0) ? NAN : beside[0] > 0 ? INFINITY : -INFINITY;
    total_carry(&t);
    double sign = t.word[total_limbs - 1] < 0 ? -1.0 : 1.0;
    for (int k = 0; k < total_limbs && sign < 0.0; ++k)
        t.word[k] = -t.word[k];
    total_carry(&t);
    int top = total_limbs - 1;
    while (top > 0 && t.word[top] == 0)
        --top;
    if (t.word[top] == 0)
        return 0.0;
    // The first 64 bits, and whether anything comes after them.
    uint64_t first = (uint64_t)t.word[top];
    bool more = false;
    int place = 32 * top - 1074;
    for (int k = top - 1; k >= 0; --k) {
        uint64_t next = (uint64_t)t.word[k];
        int room = __builtin_clzll(first), fits = room < 32 ? room : 32;
        first = first << fits | next >> (32 - fits);
        more = more || (next << fits & 0xffffffffu) != 0;
        place -= fits;
    }
    first |= more;
    return sign * ldexp((double)first, place);
}

#endif
