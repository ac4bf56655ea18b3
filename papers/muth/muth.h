// Shared by the benches of B. Muth, M.-K. Mueller, P. Eberhard and S. Luding, "Collision detection and administration methods for many particles with
// different sizes" (2007): one simulation, and the methods that search its steps (muth_watch.c).
#ifndef PAPERS_MUTH_H
#define PAPERS_MUTH_H

#include "bench/harness.h"

enum { muth_most_systems = 8, muth_most_strides = 8, muth_most_windows = 64, muth_window = 100 };

typedef enum muth_way { MUTH_VERLET, MUTH_CELLS, MUTH_LIST, MUTH_GRID, MUTH_WAYS } muth_way;  // the first three are the paper's

extern const char* const muth_names[MUTH_WAYS];  // of the methods, as everywhere

// Spheres with a column "velocity" in their box, and how they move.
typedef struct muth_system {
    scree_sphere_set set;
    scree_sim_def sim;  // its box is the set's
    double cell;        // of linked cells; 0: the largest diameter
} muth_system;

// The system of a scene: a text as in the scenes beside this file. Free it in any case.
scree_status muth_make(const char* scene, double cell, const bench_options* co, muth_system* out);
void muth_free(muth_system* system);

// When the spheres are searched. In windows of 100 steps, which end at equal intervals over the run, each method searches at every step. Beside that the
// linked linear list alone searches at every stride[k]-th step, from the first to the last. Without gravity that is exactly what it would do in every step
// of a system with stride[k] times the speed and stride[k]^2 times the stiffness.
typedef struct muth_plan {
    const char* name;    // for the progress line
    muth_way first;      // methods before this one do not take part
    int64_t before;      // steps before the first interval
    int64_t steps;       // all steps, `before` included
    int windows;
    int stride_count;
    int64_t stride[muth_most_strides];  // rising
} muth_plan;

// Of one search. Work is counted, and per sphere: tests of any kind, cells looked into, swaps, and for the linked linear list each box end once.
typedef struct muth_cost {
    double seconds, seconds_low, seconds_high;  // per sphere: median and quartiles over windows; of strides the mean
    double work, tests, swaps;
    double path;    // since the search before: root mean square along an axis, without the motion that all share, in mean radii
    int64_t searches, sorts;  // sorts: searches that sorted all box ends from scratch, because too many were out of order
} muth_cost;

typedef struct muth_found {
    muth_cost way[MUTH_WAYS];
    muth_cost stride[muth_most_strides];
    double density, path;            // path of a step
    double contacts, swaps;          // of a step in the windows, all spheres; contacts between two of them
    double count;
    uint64_t hash;                   // of the simulation at its end: `scree run` of the same scene and length prints the same
} muth_found;

// Runs the simulation; the spheres are then as at its end.
scree_status muth_watch(const muth_plan* plan, muth_system* system, const bench_options* co, muth_found* out);

double muth_exponent(const double* x, const double* y, int count);  // slope of log y over log x, by least squares

// Columns of muth-2d, muth-3d, muth-fracture and muth-ratio, and the rows of one system. first: the smallest one, with which curves are joined.
extern const char* const muth_columns[];
scree_status muth_rows(findings* f, const muth_plan* plan, double ratio, const muth_found* found, const muth_found* first);

// Two more tables: NAME-paths.csv, the linked linear list by the path between two searches, beside the swaps that are expected; and NAME-runs.csv, the runs and their hashes.
// ratios NULL: 1; expected NULL: none.
scree_status muth_paths(findings* f, const muth_plan* plan, int systems, const double* ratios, const muth_found* found, const double (*expected)[muth_most_strides + 1]);
scree_status muth_runs(findings* f, const muth_plan* plan, int systems, const muth_found* found);

// The linked linear list at stride number k; -1: at every step.
const muth_cost* muth_list_cost(const muth_found* found, int k);

// ---- Growing numbers (muth_series.c) ---------------------------------------------------------------------------------

typedef struct muth_series muth_series;
struct muth_series {
    int dim;
    muth_plan plan;
    int systems;
    const int32_t* counts;
    double cell;
    bool pictures;         // of the largest system, at the start and at the end
    scree_status (*make)(const muth_series* s, int32_t count, const bench_options* co, muth_system* out);
    double (*swaps)(double n, double path);  // that are expected; NULL: unknown
    const bench_own* own;  // of muth_series_own
    muth_found found[muth_most_systems];     // out
};

enum { muth_scene_size = 800 };  // of a scene's text

// All rows, and two more tables: NAME-growth.csv, exponents of work and time by method; NAME-exponents.csv, that of the linked linear list by the path between two searches, if a swap costs as much
// as a look at a box end, or more. Column speed: times that of the run; held: up to 100, the speed at which two spheres that meet by the 1 % rule overlap by one radius.
scree_status muth_series_run(findings* f, muth_series* s, const bench_options* co);
scree_status muth_series_own(findings* f, muth_series* s, const bench_own* own, const bench_options* co);  // of the user's size distribution

// Figures of both.
#define MUTH_SERIES_CHARTS(fits)                                                                                                                                          \
    {.title = "Time to find the contacts of a step", .x_label = "particles", .y_label = "milliseconds, median and quartiles", .x = "n", .y = "ms", .by = "method", .x_log = true, .y_log = true}, \
    {.suffix = "work", .title = "Counted work of a step", .x_label = "particles", .y_label = "tests, cells, swaps and box ends", .x = "n", .y = "work", .by = "method", .x_log = true, \
     .y_log = true},                                                                                                                                                       \
    {.suffix = "joined", .title = "Counted work, joined at the smallest n as in the paper", .x_label = "particles", .y_label = "work by that of the smallest", .x = "n", .y = "joined", \
     .by = "method", .x_log = true, .y_log = true, .paper = fits},                                                                                                         \
    {.suffix = "paths", .title = "Linked linear list: counted work per particle and search", .x_label = "path since the search before, in mean radii",                     \
     .y_label = "tests, swaps and box ends", .table = "paths", .x = "path_in_radii", .y = "work_per_sphere", .by = "n", .x_log = true, .y_log = true},                     \
    {.suffix = "exponents", .title = "Linked linear list: exponent of its work against the path between searches", .x_label = "path between searches, in mean radii",      \
     .y_label = "p, work ~ n^p", .table = "exponents", .x = "path", .y = "exponent", .by = "swap_costs", .x_log = true}

#endif
