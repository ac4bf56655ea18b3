// The benchmarks, one file each, listed in cmd_bench.c, and what they share (sets.c).
#ifndef CLI_BENCH_BENCH_H
#define CLI_BENCH_BENCH_H

#include "common.h"

exit_code bench_speed(const arguments* args, const common* co, bool quick);
exit_code bench_files(const arguments* args, const common* co, bool quick);
exit_code bench_moving(const arguments* args, const common* co, bool quick);
exit_code bench_step(const arguments* args, const common* co, bool quick);
exit_code bench_methods(const arguments* args, const common* co, bool quick);
exit_code bench_grow(const arguments* args, const common* co, bool quick);
exit_code bench_chips(const arguments* args, const common* co, bool quick);
exit_code bench_polygons(const arguments* args, const common* co, bool quick);
exit_code bench_rearrange(const arguments* args, const common* co, bool quick);
exit_code bench_muth_2d(const arguments* args, const common* co, bool quick);
exit_code bench_muth_3d(const arguments* args, const common* co, bool quick);
exit_code bench_muth_fracture(const arguments* args, const common* co, bool quick);
exit_code bench_muth_matrix(const arguments* args, const common* co, bool quick);
exit_code bench_ogarko_levels(const arguments* args, const common* co, bool quick);
exit_code bench_ogarko_range(const arguments* args, const common* co, bool quick);
exit_code bench_ogarko_scaling(const arguments* args, const common* co, bool quick);
exit_code bench_ogarko_systems(const arguments* args, const common* co, bool quick);
exit_code bench_cells(const arguments* args, const common* co, bool quick);
exit_code bench_raschdorf_neighbours(const arguments* args, const common* co, bool quick);
exit_code bench_raschdorf_levels(const arguments* args, const common* co, bool quick);
exit_code bench_raschdorf_lists(const arguments* args, const common* co, bool quick);
exit_code bench_raschdorf_loose(const arguments* args, const common* co, bool quick);
exit_code bench_sequential(const arguments* args, const common* co, bool quick);

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

// A dense packing in a periodic cube, by rearrangement, ended at overlaps of `tolerance`; the sizes are drawn systematically. `as_paper`: spheres are moved
// one by one, as by Raschdorf and Kolonko, and the box grows quickly: about as dense as their packings.
scree_status bench_pack(const char* law, int32_t count, uint64_t seed, double tolerance, bool as_paper, const common* co, scree_sphere_set* out);
double bench_density(const scree_sphere_set* set);  // volume of its spheres to that of its box, in 3D
extern const char bench_fuller[];  // the law of the paper's sample: diameters from 1

// -o of benches that write several files: makes the folder, and the path of a file in it. IO; "" if -o was not given.
enum { bench_path_most = 1024 };
scree_status bench_path(const common* co, const char* name, char path[bench_path_most]);

double bench_clock(void);
double bench_median(double* values, int count);  // sorts them

#endif
