// The benchmarks, one file each, listed in cmd_bench.c, and what they share (sets.c).
#ifndef CLI_BENCH_BENCH_H
#define CLI_BENCH_BENCH_H

#include "common.h"

exit_code bench_speed(const arguments* args, const common* co, bool quick);
exit_code bench_large(const arguments* args, const common* co, bool quick);
exit_code bench_files(const arguments* args, const common* co, bool quick);
exit_code bench_moving(const arguments* args, const common* co, bool quick);
exit_code bench_step(const arguments* args, const common* co, bool quick);
exit_code bench_device(const arguments* args, const common* co, bool quick);
exit_code bench_methods(const arguments* args, const common* co, bool quick);
exit_code bench_grow(const arguments* args, const common* co, bool quick);
exit_code bench_chips(const arguments* args, const common* co, bool quick);
exit_code bench_needles(const arguments* args, const common* co, bool quick);
exit_code bench_polygons(const arguments* args, const common* co, bool quick);
exit_code bench_hierarchical(const arguments* args, const common* co, bool quick);
exit_code bench_rearrange(const arguments* args, const common* co, bool quick);
exit_code bench_muth_2d(const arguments* args, const common* co, bool quick);
exit_code bench_muth_3d(const arguments* args, const common* co, bool quick);
exit_code bench_muth_fracture(const arguments* args, const common* co, bool quick);
exit_code bench_muth_matrix(const arguments* args, const common* co, bool quick);
exit_code bench_muth_ratio(const arguments* args, const common* co, bool quick);
exit_code bench_ogarko_hypothesis(const arguments* args, const common* co, bool quick);
exit_code bench_ogarko_levels(const arguments* args, const common* co, bool quick);
exit_code bench_ogarko_range(const arguments* args, const common* co, bool quick);
exit_code bench_ogarko_scaling(const arguments* args, const common* co, bool quick);
exit_code bench_ogarko_systems(const arguments* args, const common* co, bool quick);
exit_code bench_cells(const arguments* args, const common* co, bool quick);
exit_code bench_raschdorf_neighbours(const arguments* args, const common* co, bool quick);
exit_code bench_raschdorf_insert(const arguments* args, const common* co, bool quick);
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
scree_status bench_make_periodic_set(const bench_set* what, const common* co, scree_sphere_set* out);  // of a size distribution: its copies fit side by side

// Renumbers the spheres: at random, or along a Morton curve.
scree_status bench_shuffle(scree_sphere_set* set, uint64_t seed);
scree_status bench_order(scree_sphere_set* set);

// Radii in random order; everything else stays.
void bench_shuffle_radii(scree_sphere_set* set, uint64_t seed);

// A dense packing in a periodic cube, by rearrangement, ended at overlaps of `tolerance`; the sizes are drawn systematically. `as_paper`: with the
// settings of scree_paper_rearrange_def but for the tolerance: about as dense as the packings of Raschdorf and Kolonko.
scree_status bench_pack(const char* law, int32_t count, uint64_t seed, double tolerance, bool as_paper, const common* co, scree_sphere_set* out);

// Sets that take long to make, and that several benches ask for, are kept by a key until bench_forget, with some numbers that belong to them (NULL: none). Both calls copy. What
// is not kept, for lack of memory too, is made again.
enum { bench_kept_numbers = 8 };
bool bench_kept(const char* key, scree_sphere_set* out, double numbers[bench_kept_numbers]);
void bench_keep(const char* key, const scree_sphere_set* set, const double numbers[bench_kept_numbers]);
void bench_forget(void);
double bench_density(const scree_sphere_set* set);  // volume of its spheres to that of its box, in 3D
extern const char bench_fuller[];  // the size distribution of the paper's sample: diameters from 1

// The user's own spheres in place of a paper's: a file, or a size distribution. `set` is the file's with a box (its own, or its bounds); empty for a size distribution. Free it.
typedef struct bench_own {
    bool given;
    char name[48];     // the size distribution, or the file's name
    const char* law;   // NULL: a file
    int32_t count;     // of a size distribution: --count or the default; of a file its own
    double density;    // --density or the default
    scree_sphere_set set;
} bench_own;
// By --file, --sizes, --count and --density. Not given: all zero. ARGUMENT: no spheres, `dim` other than 0 and not the file's; what reading says.
scree_status bench_own_get(const arguments* args, const common* co, int dim, int32_t count, double density, bench_own* out);

// Radii, drawn systematically; places and box are not set. In 3D, unless said.
scree_status bench_draw_in(int dim, const char* law, int32_t count, uint64_t seed, scree_sphere_set* out);
scree_status bench_draw(const char* law, int32_t count, uint64_t seed, scree_sphere_set* out);
scree_status bench_draw_own(const bench_own* own, uint64_t seed, scree_sphere_set* out);  // the radii alone

// Collective rearrangement of these radii in a periodic cube, with a progress line. Threads: the def's, or if it has none those of the command. processor: seconds of all threads; NULL is fine.
scree_status bench_rearranged(const scree_rearrange_def* asked, const scree_sphere_set* set, const common* co, scree_packing* out, double* processor);

// -o: makes the folder, and the path of a file in it. IO; "" if -o was not given.
enum { bench_path_most = 1024 };
scree_status bench_path(const common* co, const char* name, char path[bench_path_most]);

double bench_clock(void);
double bench_timer(int32_t threads);  // for one thread that of the processor, which a busy machine disturbs less; else the clock
double bench_processor(void);  // seconds of all threads of this program
double bench_median(double* values, int count);  // sorts them

// What repeated measurements are shown by: the median, and the quartiles as whiskers.
typedef struct bench_quartiles {
    double median, low, high;
} bench_quartiles;
bench_quartiles bench_spread(double* values, int count);  // sorts them; count > 0. Quartiles lie between values, in proportion

#endif
