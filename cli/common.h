// What several commands share: the options they have in common as values, files by --format, boxes by --box and --periodic.
#ifndef CLI_COMMON_H
#define CLI_COMMON_H

#include "options.h"
#include "result.h"
#include "run.h"

#include "scree/scree.h"

typedef struct common {
    bool json, quiet;
    bool validate;    // check internal data structures
    int32_t threads;
    uint64_t seed;
    const char* out;  // NULL: not given
    scree_format format;
} common;

// Prints what is wrong and returns false.
bool common_options_of(const arguments* args, common* out);

// The whole of a regular file, closed by '\0'; NULL: it cannot be read. The caller's (scree_free).
char* read_whole_file(const char* path);

// The options for one file: the extension sets the format, or --format where it does not. Watched under `label`.
scree_file_options file_options(const common* co, const char* path, const char* label);

// Whether the file that was just written holds column c of the set (-1: its box). A NumPy array has its box in a file beside it, but not at the end of a pipe.
bool file_keeps(const common* co, const char* path, const scree_sphere_set* set, int32_t c);

// Whether the extension or --format gives the format of a file. ARGUMENT, with a message.
scree_status check_format(const common* co, const char* path);

// Reads a file of spheres with progress.
scree_status read_set(const common* co, const char* path, scree_sphere_set* out);
void close_open_sides(scree_sphere_set* set);  // where its box is open, the bounds of the spheres close it
void note_if_empty(const common* co, const char* path, const scree_sphere_set* set);  // a file without spheres is valid, and often the wrong one

// Which box a command needs when neither --box nor the file gives one.
typedef enum box_need { BOX_MAY_BE_OPEN, BOX_WITH_VOLUME } box_need;

// The box that the command is about, by --box and --periodic: a given one starts at 0; else the file's, else the spheres'
// bounds (or open space, if that will do). EXIT_DONE or the code to end with.
exit_code settle_box(const arguments* args, const common* co, box_need need, scree_sphere_set* set);

// Centres outside go into the box on periodic axes, for commands whose results do not speak of centres.
void wrap_centres(scree_sphere_set* set);

// --size WxH of a picture. Prints what is wrong and returns false.
bool option_picture_size(const arguments* args, scree_picture_def* def);

// Whether a picture may go there: a .png, standard output or a device. Prints what is wrong and returns false.
bool is_picture_target(const arguments* args, const char* path);

// Words for values, for option_choice and the tables of choices.
const char* method_name_at(int m);
const char* format_name_at(int f);
const char* device_name_at(int d);
const char* container_name_at(int c);

// The same where other values are possible too.
const char* axes_at(int a);       // --periodic
const char* dimension_at(int d);  // --dim
const char* distribution_at(int d);  // --sizes: how they begin

// Rows for the tables of a command: of choices, options and old spellings.
#define METHOD_CHOICE {.option = "method", .names = method_name_at}
#define DEVICE_CHOICE {.option = "device", .names = device_name_at}
#define PERIODIC_CHOICE {.option = "periodic", .names = axes_at, .open = true}
#define VALIDATE_OPTION(help) {"validate", 0, NULL, help}
#define SIZES_OPTION(help) {"sizes", 's', "SIZES", help}
#define LEVELS_OPTION {"levels", 0, "L", "number of levels of the hierarchical grid (default: that of the least predicted cost); fewer where equal radii cannot be separated"}
#define PERIODIC_OPTION {"periodic", 'p', "AXES", "periodic axes, e.g. xyz or xy, or none; the others have walls"}
#define BOX_OPTION {"box", 'b', "LX,LY,LZ", "box size, from the origin (default: the box of the file, else the bounds of the spheres)"}
#define OLD_CHECK {"check", "validate"}

#define SIZES_CHOICE {.option = "sizes", .names = distribution_at, .open = true}

#endif
