// Wide instructions: what this machine has beyond what every x86-64 has. Code that uses them stands in files of its own, compiled
// for them, and gives the same bits as the plain code beside it.
#ifndef SCREE_BASE_WIDE_H
#define SCREE_BASE_WIDE_H

#include <stdbool.h>

extern bool scree_plain_only;    // for tests: the plain code on every machine,
extern bool scree_avx2_at_most;  // and AVX2 where there is more

static inline bool scree_has_avx2(void)
{
#if defined(__x86_64__)
    return !scree_plain_only && __builtin_cpu_supports("avx2");
#else
    return false;
#endif
}

static inline bool scree_has_avx512(void)
{
#if defined(__x86_64__)
    return !scree_plain_only && !scree_avx2_at_most && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
#else
    return false;
#endif
}

#endif
