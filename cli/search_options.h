// The parameters of the search as options of a command, by the names they have in scree_index_def.
#ifndef CLI_SEARCH_OPTIONS_H
#define CLI_SEARCH_OPTIONS_H

#include "options.h"

#include "scree/scree.h"

// Rows for a command's table of options.
#define SEARCH_OPTIONS                                                                                                              \
    {"cell-size", 0, "S", "linked-cells: cells of this side (default: as short as the largest sphere allows)"},                     \
        {"cell-sides", 0, "A,B,C", "linked-cells: cells that are no cubes: their sides along x, y and z, in place of --cell-size"},  \
        {"levels", 0, "L", "hierarchical-grid: at most L levels (default: by cost)"},                                               \
        {"cell-sizes", 0, "S1,S2,..", "hierarchical-grid: the cells of its levels, rising (default: by cost)"},                     \
        {"direction", 0, "D", "hierarchical-grid, between levels: cheaper (default), finer or coarser"},                            \
        {"range", 0, "R", "hierarchical-grid, cells looked into: tight (default), half-cell or iwai"},                              \
        {"box-test", 0, "B", "a box test before each exact one: auto (default: off), on or off"},                                   \
        {"loose-factor", 0, "K", "loose-octree: outer cubes K times as long as cells (default 2)"},                                  \
        {"verlet-radius", 0, "R", "verlet-list: centres nearer than R are listed (default: by cost)"},                               \
        {"rebuild-every", 0, "K", "verlet-list: a new list every K updates (default: when a pair could be missed)"},                 \
    {                                                                                                                               \
        "skin", 0, "S", "margin of a list of candidates that is kept between searches of --repeat (default: none is kept)"          \
    }

// Their names, and rows for a command's table of choices.
const char* direction_name_at(int d);
const char* range_name_at(int r);
const char* box_test_name_at(int b);
#define SEARCH_CHOICES                                                                                                              \
    {.option = "direction", .names = direction_name_at}, {.option = "range", .names = range_name_at},                                \
    {                                                                                                                               \
        .option = "box-test", .names = box_test_name_at                                                                             \
    }

typedef struct search_options {
    scree_index_def def;
    double cell_sizes[SCREE_LEVELS_MOST];
} search_options;

// Fills `def` with --method and the rows above. Prints what is wrong and returns false.
bool search_options_of(const arguments* args, search_options* out);

#endif
