// Four sums at a time (sums.h): the same bits.
#ifndef SCREE_SIM_SUMS_FOUR_H
#define SCREE_SIM_SUMS_FOUR_H

#include "sim/lanes.h"
#include "sim/sums.h"

typedef struct four_sums {
    four_bits limb[sum_limbs], beyond;
} four_sums;

// sum_most times at most before they are put away.
LANES_INLINE void four_add(const sum_scale* s, const four* terms, four_sums* sums)
{
    four term = *terms;
    for (int k = 0; k < sum_limbs; ++k) {
        const four cut = FOUR(s->cut[k]);
        four moved = term + cut;
        four_bits quanta = (four_bits)moved - (four_bits)cut;
        sums->limb[k] += quanta;
        if (k == 0)
            sums->beyond |= quanta + ((four_bits){1, 1, 1, 1} << 30);
        term -= moved - cut;
    }
}

LANES_INLINE sim_sum four_sum_of(const four_sums* sums, int lane, uint64_t* beyond)
{
    sim_sum sum;
    for (int k = 0; k < sum_limbs; ++k)
        sum.limb[k] = sums->limb[k][lane];
    sum_carry(&sum);
    *beyond |= (uint64_t)sums->beyond[lane];
    return sum;
}

#endif
