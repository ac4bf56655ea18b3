// The ways of scree pack, one file each (pack_NAME.c), listed in the table of cmd_pack.c.
#ifndef CLI_PACKERS_H
#define CLI_PACKERS_H

#include "common.h"

// What the command line asks for, read and checked.
typedef struct pack_wish {
    const arguments* args;   // for options of one way only
    const common* co;
    const scree_sizes* sizes;
    int32_t count;           // 0: left open
    double density;          // 0: left open
    bool has_box;            // --box was given
    int32_t container;       // scree_container_kind; the set's box bounds it
    bool saturate;
    double time;             // seconds that it may take; INFINITY: as long as it likes
    bool stable;             // force balance at the end
} pack_wish;

// A way takes the set with its radii drawn, centres not set and a box; it leaves centres there, or a whole new set, and says whether it came
// to its end. A way whose density is an outcome may change the box; one that is stopped with something to show gives OK and not converged.
// ARGUMENT: the options are to blame. CANCELLED: stopped, by Ctrl-C or when the time was over, with nothing to show.
typedef struct packer {
    const char* name;
    const char* long_name;   // "random addition"
    bool round_containers;   // cylinders and spheres too, not boxes only
    bool heaps;              // the last length of --box is an outcome and may be left out
    bool windows;            // packs windows of the sizes, with radii of its own; its set holds one of them
    bool makes_overlaps;     // false: the slightest overlap in the result is a fault of ours
    double (*easy_density)(int32_t dim);  // what is asked for if neither --density nor --box is given; NULL: an outcome
    scree_status (*pack)(const pack_wish* wish, scree_sphere_set* set, bool* converged);
    void (*tell)(result* res);  // what only this way has to report, after it packed; NULL: nothing
    void (*tables)(result* res);  // the same, for tables, which come last
} packer;

// What came out of it.
typedef struct packing {
    const packer* how;
    scree_sphere_set set;
    scree_measures measures;
    double predicted, seconds, wall_overlap;
    bool converged;
    bool pressed;                // spheres overlap, on purpose
    scree_stability stability;   // with --stable
} packing;

// pack_checkpoint.c: the state of a packing on disk (--checkpoint). What is there is read at once; closed with `over`, the file is removed.
typedef struct pack_checkpoint {
    const char* path;  // NULL: none is wanted
    char* temporary;
    scree_pack_saver saver;
    scree_bytes resume;
} pack_checkpoint;

scree_status pack_checkpoint_open(const pack_wish* wish, pack_checkpoint* c);  // to be closed also where it fails
void pack_checkpoint_close(pack_checkpoint* c, bool over);

// pack_stable.c: from a packing to one in force balance (--stable).
scree_status pack_stable(const pack_wish* wish, packing* pk);
void pack_stable_tell(result* res, const packing* pk);

// pack_report.c: a page about it (--report). Failures of its own are those of scree_report_write and of drawing.
bool pack_report_target(const arguments* args, const common* co);  // whether a page may go there; says what is wrong
scree_status pack_report_write(const char* path, const pack_wish* wish, const packing* pk, const result* res);

// Progress under `label`, Ctrl-C, and the end of the time. Valid until the next call.
scree_watch pack_watch(const pack_wish* wish, const char* label);
void pack_watch_end(void);

// The same with the density so far, and where there is one the largest overlap: "growing: density 0.5431;". Both are read before each time the line is
// drawn. Valid until the next call.
scree_watch pack_watch_density(const pack_wish* wish, const char* label, const double* density, const double* overlap);

// The density away from walls, and for heaps from floor and surface; NAN where there is no such place.
double pack_inner_density(const pack_wish* wish, const packer* how, const scree_sphere_set* set);

// The option_... functions have said already what is wrong with an option: fails without a sentence of its own.
scree_status pack_option_wrong(void);

double pack_rsa_density(int32_t dim);
scree_status pack_rsa(const pack_wish* wish, scree_sphere_set* set, bool* converged);
void pack_rsa_tell(result* res);
void pack_rsa_tables(result* res);
scree_status pack_drop(const pack_wish* wish, scree_sphere_set* set, bool* converged);
double pack_grow_density(int32_t dim);
scree_status pack_grow(const pack_wish* wish, scree_sphere_set* set, bool* converged);
void pack_grow_tell(result* res);
scree_status pack_dem(const pack_wish* wish, scree_sphere_set* set, bool* converged);
const char* moves_name_at(int m);    // of --moves
const char* centres_name_at(int c);  // of --centres
scree_status pack_rearrange(const pack_wish* wish, scree_sphere_set* set, bool* converged);
void pack_rearrange_tell(result* res);
scree_status pack_hierarchical(const pack_wish* wish, scree_sphere_set* set, bool* converged);
void pack_hierarchical_tell(result* res);
void pack_hierarchical_tables(result* res);

#endif
