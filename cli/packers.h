// The methods of scree pack, one file each (pack_NAME.c) with its options, help and function, listed in the table of cmd_pack.c.
#ifndef CLI_PACKERS_H
#define CLI_PACKERS_H

#include "commands.h"
#include "common.h"

// What the command line asks for, read and checked.
typedef struct pack_wish {
    const arguments* args;   // for options of one method
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

// A method gets the set with radii, a box and no centres. It fills the centres, or replaces the set, and says whether it converged. A method whose density
// is a result may change the box; one that is stopped with something to show gives OK and not converged.
// ARGUMENT: invalid options. CANCELLED: stopped by Ctrl-C or --time with nothing to show.
typedef struct packer {
    const command* with;     // its options and help
    const char* name;
    const char* long_name;   // "random sequential addition"
    bool round_containers;   // cylinders and spheres too, not boxes only
    bool heaps;              // the height of the box is a result; --box may leave it out
    bool searches;           // takes --method, the search method; the others only with --stable
    bool windows;            // packs windows of the sizes, with radii of its own; its set holds one of them
    bool makes_overlaps;     // false: any overlap in the result is a bug
    double (*easy_density)(int32_t dim);  // the default if neither --density nor --box is given; NULL: the density is a result
    scree_status (*pack)(const pack_wish* wish, scree_sphere_set* set, bool* converged);
    void (*tell)(result* res);    // quantities of this method only; NULL: none
    void (*tables)(result* res);  // the same for tables, which come last
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

// pack_checkpoint.c: the state of a packing on disk (--checkpoint). What is there is read at once. The file is removed when the packing has been written.
typedef struct pack_checkpoint {
    char* path;        // NULL: none is wanted
    char* temporary;
    scree_pack_saver saver;
    scree_bytes resume;
} pack_checkpoint;

extern const char pack_stage_dense[], pack_stage_stable[];  // what comes behind the name that was given
scree_status pack_checkpoint_open(const pack_wish* wish, const char* stage, pack_checkpoint* c);  // to be closed also where it fails
scree_status pack_checkpoint_blame(const pack_checkpoint* c, scree_status status);  // names the file in the message, if it was the file
void pack_checkpoint_close(pack_checkpoint* c);
void pack_checkpoint_remove(const pack_wish* wish);

// pack_stable.c: from a packing to one in force balance (--stable).
scree_status pack_stable(const pack_wish* wish, packing* pk);
void pack_stable_tell(result* res, const packing* pk);

// pack_report.c: a page about it (--report). It fails as scree_write_report and drawing do.
bool pack_report_target(const arguments* args);  // whether the name is that of a page; says what is wrong
scree_status pack_report_write(const char* path, const pack_wish* wish, const packing* pk, const result* res);

// Progress under `label`, Ctrl-C, and the end of the time. Valid until the next call.
scree_watch pack_watch(const pack_wish* wish, const char* label);
void pack_watch_end(void);

// The same with the density so far, and where there is one the largest overlap: "growing: density 0.5431;". Both are read before each time the line is
// drawn. Valid until the next call.
scree_watch pack_watch_density(const pack_wish* wish, const char* label, const double* density, const double* overlap);

// The density away from walls, and for heaps from floor and surface; NAN where there is no such place.
double pack_inner_density(const pack_wish* wish, const packer* how, const scree_sphere_set* set);

// Takes what a method made into the set: centres of `count` spheres, and the box. When it was stopped, the result is what there is: OK, if there is something.
scree_status pack_take(scree_status status, int32_t count, const double* x, const scree_box* box, scree_sphere_set* set);

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

// ---- Rows that the tables of options share -------------------------------------------------------------------------

#define PACK_SIZES SIZES_OPTION("size distribution: mono:R, uniform-size:MIN:MAX, table:FILE.csv, ... (docs/sizes.md)")
#define PACK_COUNT {"count", 'n', "N", "number of spheres"}
#define PACK_DIM {"dim", 0, "2|3", "dimension (default 3)"}
#define PACK_SAMPLING {"sampling", 0, "NAME", "how radii are drawn: systematic (default), shifted or random"}
#define PACK_SEARCH {"method", 'm', "NAME", "search method for neighbours; the packing does not depend on it"}
#define PACK_CONTAINER {"container", 0, "NAME", "box (default), cylinder (along z; LX = LY) or sphere (2D: circle; LX = LY = LZ) in that box"}
#define PACK_STABLE \
    {"stable", 0, NULL, "then compress or expand until all forces balance: a jammed state of frictionless soft spheres, with overlaps of about --overlap diameters"}, \
    {"overlap", 0, "D", "with --stable: mean overlap at the end, in diameters (default 1e-4); a smaller value is closer to isostatic and slower"}
#define PACK_STABLE_SEARCH {"method", 'm', "NAME", "with --stable: search method for neighbours; the packing does not depend on it"}
#define PACK_CHECKPOINT \
    {"checkpoint", 0, "FILE", "save the state there, with --stable also in FILE.stable; the same command continues from it to the same result. It is removed when the packing has been written"}, \
    {"checkpoint-every", 0, "S", "with --checkpoint: seconds between two checkpoints (default 30)"}
#define PACK_OUTPUT \
    {"time", 0, "S", "stop after S seconds"}, \
    {"out", 'o', "FILE", "write the packing there (csv, vtp, xyz, lammps or npy by its extension); - is standard output"}, \
    {"report", 0, "PAGE.html", "write a page with the input, the result, curves and a picture too"}, \
    {"picture", 0, "P.png", "draw a picture too"}, \
    {"size", 0, "WxH", "size of the picture in pixels (default 2000x1500)"}, \
    VALIDATE_OPTION("check the packing by comparing all pairs (slow)")

// What the commands of all methods have in common.
#define PACK_METHOD .options = options, .choices = pack_choices, .old = pack_old, .uses = pack_uses, .group = &cmd_pack, .run = pack_run

extern const choice pack_choices[];
extern const old_spelling pack_old[];
extern const file_use pack_uses[];
extern const rejected_option pack_no_density[], pack_boxes_only[];
exit_code pack_run(const arguments* args);

extern const command cmd_pack_rsa, cmd_pack_drop, cmd_pack_rearrange, cmd_pack_grow, cmd_pack_dem, cmd_pack_hierarchical;

#endif
