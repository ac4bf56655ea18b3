// The benchmarks, one file each, listed in cmd_bench.c.
#ifndef CLI_BENCH_BENCH_H
#define CLI_BENCH_BENCH_H

#include "common.h"

exit_code bench_speed(const arguments* args, const common* co, bool quick);

#endif
