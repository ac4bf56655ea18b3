// A batch of terms for a total (totals.h).
#include "sim/totals.h"

enum { bits = 50, levels = 3, wide = 2, vectors = total_batch / wide, lanes = 4 };

// Two at a time, as every machine has them.
typedef double pair_of __attribute__((vector_size(wide * sizeof(double))));
typedef int64_t pair_of_bits __attribute__((vector_size(wide * sizeof(double))));

static inline pair_of sizes_of(pair_of x)
{
    return (pair_of)((pair_of_bits)x & INT64_MAX);
}

static inline double add_lanes(const pair_of sum[lanes])
{
    pair_of all = (sum[0] + sum[1]) + (sum[2] + sum[3]);
    return all[0] + all[1];
}

// The sum of the terms, each rounded to a multiple of 2^(exponent - bits), where 2^exponent exceeds the sum of their sizes: so no partial sum has more than 52 bits. The terms become what is left of them; returns the sum of
// the sizes of that. Nothing else is rounded.
static double take_level(pair_of term[vectors], int exponent, double* out)
{
    const double big = ldexp(1.5, exponent + 52 - bits);  // numbers as large are multiples of 2^(exponent - bits)
    pair_of sum[lanes] = {{0.0}}, left[lanes] = {{0.0}};
    for (int i = 0; i < vectors; i += lanes)
        for (int k = 0; k < lanes; ++k) {
            pair_of rounded = (term[i + k] + big) - big, rest = term[i + k] - rounded;
            sum[k] += rounded;
            left[k] += sizes_of(rest);
            term[i + k] = rest;
        }
    *out = add_lanes(sum);
    return add_lanes(left);
}

void total_flush(sim_total* total, sim_batch* batch)
{
    pair_of term[vectors], size[lanes] = {{0.0}};
    for (int32_t i = batch->count; i < total_batch; ++i)
        batch->term[i] = 0.0;
    batch->count = 0;
    memcpy(term, batch->term, sizeof term);
    for (int i = 0; i < vectors; i += lanes)
        for (int k = 0; k < lanes; ++k)
            size[k] += sizes_of(term[i + k]);
    double left = add_lanes(size), sum;  // none exceeds it; infinite, or no number, if one is
    for (int level = 0; level < levels && left > 0x1p-900 && left < 0x1p1000; ++level) {
        left = take_level(term, ilogb(left) + 1, &sum);
        total_add(total, sum);
    }
    for (int i = 0; i < total_batch && left != 0.0; ++i)  // the remainder, or what does not round to a multiple
        total_add(total, term[i / wide][i % wide]);
}
