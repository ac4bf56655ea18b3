// The benchmarks, one file each, listed in cmd_bench.c, and what they share (sets.c).
#ifndef CLI_BENCH_BENCH_H
#define CLI_BENCH_BENCH_H

#include "common.h"

exit_code bench_speed(const arguments* args, const common* co, bool quick);
exit_code bench_files(const arguments* args, const common* co, bool quick);
exit_code bench_moving(const arguments* args, const common* co, bool quick);
exit_code bench_step(const arguments* args, const common* co, bool quick);
exit_code bench_methods(const arguments* args, const common* co, bool quick);
exit_code bench_polygons(const arguments* args, const common* co, bool quick);
exit_code bench_rearrange(const arguments* args, const common* co, bool quick);

typedef struct bench_set {
    const char* name;
    const char* law;  // NULL: equal spheres on a jittered lattice
    int32_t count;
    double density;
} bench_set;

// A set in 3D without overlaps, smallest radius 1. The same seed gives the same set.
scree_status bench_make_set(const bench_set* what, const common* co, scree_sphere_set* out);

// Numbers the spheres anew: at random, or along a Morton curve.
scree_status bench_shuffle(scree_sphere_set* set, uint64_t seed);
scree_status bench_order(scree_sphere_set* set);

double bench_clock(void);
double bench_median(double* values, int count);  // sorts them

#endif
