// Forces and torques in whole quanta, for sums that do not depend on their order.
#ifndef SCREE_SIM_QUANTA_H
#define SCREE_SIM_QUANTA_H

#include "base/both.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

// Rounds a force on or by a giant to whole quanta; halves to the even one, so that the opposite force gives the opposite integers. False: beyond the integers.
SCREE_BOTH bool round_to(double quantum, double per, double value[3], int64_t quanta[3])
{
    bool fits = true;
    for (int k = 0; k < 3; ++k) {
        double in_quanta = value[k] * per;
        bool small = fabs(in_quanta) < 0x1p62;
        fits = fits && small;
        quanta[k] = small ? llrint(in_quanta) : 0;
        value[k] = (double)quanta[k] * quantum;
    }
    return fits;
}

#endif
