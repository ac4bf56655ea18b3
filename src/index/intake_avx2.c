// The scan of coordinates with AVX2: the same loops, four numbers at a time. This file is compiled with -mavx2 and is called only where the machine has it.
#include "index/intake_scan.h"

bool intake_doubtful_avx2(const double* numbers, int64_t count)
{
    return intake_doubtful_body(numbers, count);
}

void intake_bounds_avx2(const double* x, int64_t numbers, double lower[intake_period], double upper[intake_period])
{
    intake_bounds_body(x, numbers, lower, upper);
}
