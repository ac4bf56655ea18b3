// Seconds on a clock that never runs back. For reports only: no result may depend on it.
#ifndef SCREE_BASE_CLOCK_H
#define SCREE_BASE_CLOCK_H

#include <time.h>

static inline double scree_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

#endif
