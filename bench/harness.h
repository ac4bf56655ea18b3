// What the experiments share. An experiment is one file, in papers/ where it repeats a figure or table of a paper, in bench/ where it measures speed. It sees the public headers, scenes/ and
// this header alone; the program runs it by name (`scree bench NAME`) and lends it a host.
//
// An experiment adds rows to tables while it runs. All else is data, judged and drawn from these rows after it: claims become verdicts, charts become figures.
//
//     static scree_status run_bench(findings* f, const bench_options* co)
//     {
//         ...
//         status = findings_row(f, (const char*[]){"uv50"}, (const double[]){3, 1.2e6, 0.05});
//         findings_paper(f, "Seven or eight levels are best for uniform volume.");
//         findings_note(f, "Medians of five.");
//         return status;
//     }
//
//     static const claim claims[] = {
//         {.quantity = "uniform volume 50: levels with the least work", .source = "Fig. 4", .paper = 7, .least = 6, .most = 8,
//          .how = CLAIM_BEST, .column = "work", .against = "levels", .rows = "sizes=uv50"},
//         {0}};
//
//     const experiment bench_ogarko_levels = {.name = "ogarko-levels", ..., .run = run_bench, .texts = 1, .columns = columns, .claims = claims, .charts = charts};
//
// It is listed in bench/list.c and CMakeLists.txt.
#ifndef BENCH_HARNESS_H
#define BENCH_HARNESS_H

#include "scree/outlines.h"
#include "scree/scree.h"

#include <stdio.h>

// ---- Experiments -----------------------------------------------------------------------------------------------------

typedef struct findings findings;

// What the command line asks for.
typedef struct bench_options {
    bool quick, json;
    int32_t threads;            // 0: all cores
    uint64_t seed;
    const char *out, *file, *sizes;  // NULL: not given
    int64_t count;              // 0: not given
    double density;             // 0: not given
    int systems[2];             // the first and the last of `device`; 0: not given
} bench_options;

typedef enum bench_takes {
    TAKES_FILE = 2,  // takes --file
    TAKES_SIZES = 4,   // takes --sizes
    TAKES_OWN = TAKES_FILE | TAKES_SIZES,
    TAKES_DENSITY = 8,   // and --density; with the others the density comes out
    TAKES_COUNT = 16,    // takes --count
    TAKES_SYSTEMS = 32   // takes --systems
} bench_takes;

typedef struct claim claim;
typedef struct chart chart;

typedef struct experiment {
    const char *name, *about, *title;
    bool paper;                   // part of `all`: a paper's, or its question asked of all methods. The others time this machine
    int takes;                    // bench_takes
    int systems;                  // of TAKES_SYSTEMS: how many there are
    scree_status (*run)(findings* f, const bench_options* co);
    int texts;                    // of the first table: the first `texts` columns hold text
    const char* const* columns;   // NULL at the end
    const claim* claims;          // a zeroed one at the end; NULL: none
    const chart* charts;          // likewise
} experiment;

// ---- Verdicts --------------------------------------------------------------------------------------------------------

typedef enum claim_how {
    CLAIM_VALUE,     // the cell of the one row
    CLAIM_RATIO,     // that cell divided by the one of the row `over`
    CLAIM_LEAST,     // the least of the rows
    CLAIM_MOST,      // the largest
    CLAIM_SLOPE,     // of log(column) over log(against), by least squares
    CLAIM_BEST,      // `against` in the row where the column is least
    CLAIM_CROSSING,  // `against` where the column of the rows passes that of the rows `over`, linearly between two values
    CLAIM_RISES,     // how often the column rises from one row to the next
    CLAIM_DISTINCT   // how many different texts the column has
} claim_how;

// A verdict: what the paper claims, and how it is computed from the rows. It agrees if the value is from `least` to `most`, else it differs. It is not judged, with the reason, where the rows are
// missing, where times scatter across a limit, and with --quick if the claim is of the full size.
struct claim {
    const char* quantity;          // what the paper names
    const char* source;            // where: "Fig. 5"; NULL: no paper says it, a check of the experiment, counted apart
    const char* words;             // the paper's value where it is not a number
    double paper;                  // the paper's value, if `words` is NULL
    double least, most;
    claim_how how;
    const char* table;             // suffix; NULL: the first table
    const char *column, *against;
    const char *rows, *over;       // which: "sizes=uv50;n=most"; texts and numbers, `most` and `least` of those that fit the terms before. NULL: all
    bool timed;                    // judged by the quartiles in the columns COLUMN_low and COLUMN_high
    bool full;                     // not judged with --quick
};

typedef enum verdict_kind { VERDICT_AGREES, VERDICT_DIFFERS, VERDICT_NONE } verdict_kind;

typedef struct verdict {
    verdict_kind kind;
    double value, low, high;  // low and high: by quartiles, else the value
    char why[120];            // of VERDICT_NONE
} verdict;

enum { bench_most_columns = 24, bench_most_word = 160 };

typedef struct bench_rows {
    const char* suffix;
    int texts, columns;
    const char* names[bench_most_columns];
    int64_t count, capacity;
    char (*words)[bench_most_word];  // texts of each row
    double* values;                  // columns - texts of each row
} bench_rows;

verdict bench_judge(const claim* c, const bench_rows* tables, int table_count, bool quick);
// Adds a row, copied. MEMORY.
scree_status bench_rows_add(bench_rows* t, const char* const* words, const double* values);
void bench_rows_free(bench_rows* t);

// ---- Figures ---------------------------------------------------------------------------------------------------------

// Points that are not from rows.
typedef struct chart_points {
    const char* name;
    int count;
    double at[8][2];  // x, y
} chart_points;

// A figure from rows: a series for each value of the column `by`, with whiskers where there are columns Y_low and Y_high. x a text: bars.
struct chart {
    const char *suffix, *title, *x_label, *y_label;
    const char* table;          // suffix; NULL: the first table
    const char *x, *y, *by;     // by NULL: one series
    const char* rows;           // as of a claim
    bool x_log, y_log, points;  // points: not joined
    bool own;                   // of the user's spheres only
    const chart_points* paper;  // the paper's own values beside them, as hollow points; a zeroed one at the end
};
void findings_chart(findings* f, const chart* c, const bench_rows* tables, int table_count);

// ---- Findings --------------------------------------------------------------------------------------------------------

void findings_own(findings* f, const char* what);  // it is about the user's spheres, not the paper's: said on the page, and nothing is judged; copied

// One more table: NAME-suffix.csv. Names, NULL at the end; the first `texts` columns hold text. The strings are borrowed. Rows that follow belong to it.
void findings_table(findings* f, const char* suffix, int texts, const char* const* names);

// Copied; shown at once. CANCELLED after Ctrl-C, or the first failure: the experiment had better stop then.
scree_status findings_row(findings* f, const char* const* texts, const double* values);
scree_status findings_point(findings* f, const char* const* texts, const double* values);  // not shown on the screen: for figures

void findings_paper(findings* f, const char* format, ...) SCREE_PRINTF(2, 3);          // what the paper found
void findings_note(findings* f, const char* format, ...) SCREE_PRINTF(2, 3);           // how it was done, why it differs

// NAME.svg and NAME.png, with a suffix NAME-suffix; shown on the page. Nothing without -o.
void findings_plot(findings* f, const char* suffix, const scree_plot* plot);
void findings_picture(findings* f, const char* suffix, const scree_sphere_set* set, const scree_picture_def* look);  // NAME-suffix.png
void findings_outlines(findings* f, const char* suffix, const scree_outline_set* set, const scree_picture_def* look);    // likewise

// ---- For the program -------------------------------------------------------------------------------------------------

// What the program lends.
typedef struct bench_host {
    scree_watch (*watch)(const char* label);  // progress, and Ctrl-C
    void (*watch_end)(void);
    bool (*interrupted)(void);
    scree_status (*read)(const char* path, scree_sphere_set* out);
    // The result of an experiment: tables with a key each, lists of texts. row: of the table that was begun last, shown at once or not; false: no memory.
    void (*table)(const char* key, int texts, const char* const* names);
    bool (*row)(const char* const* texts, const double* values, bool shown);
    void (*texts)(const char* key, const char* const* texts, int64_t count);
    scree_status (*write_table)(const char* key, const char* path);
    void (*markdown)(const char* key, FILE* page);
} bench_host;
void bench_use(const bench_host* host);

typedef struct findings_summary {
    int agrees, differs, not_judged;   // of the paper's claims
    int checks_hold, checks_fail;
} findings_summary;

// Runs one experiment: rows on the screen as they come, and with -o DIR as files: NAME.csv, figures NAME.svg and NAME.png, and a page NAME.md that says what the paper found, what was found here,
// and whether they agree. Files come into DIR all together, and only if nothing failed. That a finding differs from the paper's is no failure.
scree_status bench_run(const experiment* e, const bench_options* co, findings_summary* out);

// ---- Services --------------------------------------------------------------------------------------------------------

scree_watch bench_watch(const char* label);
void bench_watch_end(void);
bool bench_interrupted(void);
scree_status bench_read(const char* path, scree_sphere_set* out);  // a file of spheres, with progress

typedef struct bench_set {
    const char* name;
    const char* law;  // NULL: equal spheres on a jittered lattice
    int32_t count;
    double density;
} bench_set;

// A set in 3D without overlaps, smallest radius 1. The same seed gives the same set.
scree_status bench_make_set(const bench_set* what, const bench_options* co, scree_sphere_set* out);
scree_status bench_make_periodic_set(const bench_set* what, const bench_options* co, scree_sphere_set* out);  // of a size distribution: its copies fit side by side

// Renumbers the spheres: at random, or along a Morton curve.
scree_status bench_shuffle(scree_sphere_set* set, uint64_t seed);
scree_status bench_order(scree_sphere_set* set);

// Radii in random order; everything else stays.
void bench_shuffle_radii(scree_sphere_set* set, uint64_t seed);

// A dense packing in a periodic cube, by rearrangement, ended at overlaps of `tolerance`; the sizes are drawn systematically. `as_paper`: with the
// settings of scree_paper_rearrange_def but for the tolerance: about as dense as the packings of Raschdorf and Kolonko.
scree_status bench_pack(const char* law, int32_t count, uint64_t seed, double tolerance, bool as_paper, const bench_options* co, scree_sphere_set* out);

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
scree_status bench_own_get(const bench_options* co, int dim, int32_t count, double density, bench_own* out);

// Radii, drawn systematically; places and box are not set. In 3D, unless said.
scree_status bench_draw_in(int dim, const char* law, int32_t count, uint64_t seed, scree_sphere_set* out);
scree_status bench_draw(const char* law, int32_t count, uint64_t seed, scree_sphere_set* out);
scree_status bench_draw_own(const bench_own* own, uint64_t seed, scree_sphere_set* out);  // the radii alone

// Collective rearrangement of these radii in a periodic cube, with a progress line. Threads: the def's, or if it has none those of the command. processor: seconds of all threads; NULL is fine.
scree_status bench_rearranged(const scree_rearrange_def* asked, const scree_sphere_set* set, const bench_options* co, scree_packing* out, double* processor);

// -o: makes the folder, and the path of a file in it. IO; "" if -o was not given.
enum { bench_path_most = 1024 };
scree_status bench_path(const bench_options* co, const char* name, char path[bench_path_most]);

double bench_clock(void);
double bench_timer(int32_t threads);  // for one thread that of the processor, which a busy machine disturbs less; else the clock
double bench_processor(void);  // seconds of all threads of this program
double bench_median(double* values, int count);  // sorts them

// What repeated measurements are shown by: the median, and the quartiles as whiskers.
typedef struct bench_quartiles {
    double median, low, high;
} bench_quartiles;
bench_quartiles bench_spread(double* values, int count);  // sorts them; count > 0. Quartiles lie between values, in proportion

// ---- Plain structures, for comparison --------------------------------------------------------------------------------

// A yardstick: a hierarchical grid in plain C that is as quick as plain C makes it. One level per octave of radius, cells by a counting sort,
// rows of cells along x as one stretch of memory, half of the neighbours inside a level, rows cut to the ball between levels, from the level for which that
// takes fewer rows, and a store without a branch for each candidate. Doubles, one thread, no periodic axes, pairs in no order. It shares no code with the
// library, so its pairs are a reference as well.
typedef struct plain_grid plain_grid;

plain_grid* plain_grid_create(void);  // NULL: out of memory
void plain_grid_destroy(plain_grid* grid);

// All touching pairs of spheres in 3D; the number comes back, or -1 if memory ran out. Buffers are kept between calls.
int64_t plain_grid_pairs(plain_grid* grid, scree_spheres spheres, int64_t* tests);

// What the last call found, in no order; and the bytes of all buffers.
const int32_t (*plain_grid_found(const plain_grid* grid))[2];
size_t plain_grid_bytes(const plain_grid* grid);

// The octrees of S. Raschdorf and M. Kolonko by their definitions, sphere by sphere, and what a random position makes of them: references for the library's octrees, which
// share no code with these. In a periodic cube.
enum { plain_octree_levels = 31 };

typedef struct plain_node {
    int level;
    double low[3], side;  // its cell
} plain_node;

// The node that stores a sphere: the smallest cell that holds it whole, where the faces of the cube do not count; or, loose, the smallest cell that holds its centre and whose
// outer cube, twice as long, holds it whole.
plain_node plain_octree_node(const scree_box* cube, bool loose, const double x[3], double r);

// How many spheres other than i are stored in nodes that sphere i, with `gap` around it, or an image of it meets; the root counts always. `nodes`: of all spheres.
int64_t plain_octree_around(scree_spheres spheres, const scree_box* cube, const plain_node* nodes, bool loose, double gap, int32_t i);

// How many spheres other than i are in the cell of i's centre and the 26 next to it; cells at least `cell` long.
int64_t plain_cells_around(scree_spheres spheres, const scree_box* cube, double cell, int32_t i);

// The probability that a sphere of diameter d, anywhere in a cube of side s, is stored on this level. Strict: it must not be cut by one of the 2^l - 1 planes
// between the cells of level l, each of which cuts the part d/s of an axis: (1 - (2^l - 1) d/s)^3 of all spheres no longer than the cells are on level l or deeper. Loose: the level is floor(log2(s/d)), or
// one more if the centre lies well within the child: on each axis with the probability 2 - d/(side of the child).
double plain_octree_share(double s, double d, bool loose, int level);

// The strict octree as the paper builds it: a sphere descends from the root as long as it fits into a child, which is made on demand; a node without spheres and children is deleted. Steps: nodes
// that insertions and removals have passed. One thread; spheres by number, each in the tree at most once.
typedef struct plain_tree plain_tree;
plain_tree* plain_tree_create(const scree_box* cube, int32_t spheres);  // NULL: out of memory
void plain_tree_destroy(plain_tree* tree);
scree_status plain_tree_insert(plain_tree* tree, int32_t i, const double x[3], double r);  // MEMORY
void plain_tree_remove(plain_tree* tree, int32_t i);
int plain_tree_level(const plain_tree* tree, int32_t i);
int64_t plain_tree_steps(const plain_tree* tree);

#endif
