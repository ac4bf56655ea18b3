// The parameters of the search as options of a command, by the names they have in scree_index_def.
#ifndef CLI_SEARCH_OPTIONS_H
#define CLI_SEARCH_OPTIONS_H

#include "options.h"

#include "scree/scree.h"

// Rows for a command's table of options.
#define SEARCH_OPTIONS                                                                                                              \
    {"cell-size", 0, "S", "linked-cells: side of a cell (default: the smallest that the largest sphere allows)"},                     \
        {"cell-sides", 0, "A,B,C", "linked-cells: sides of a cell along x, y and z, instead of --cell-size"},  \
        {"levels", 0, "L", "hierarchical-grid: at most L levels (default: by cost)"},                                               \
        {"cell-sizes", 0, "S1,S2,..", "hierarchical-grid: cell sizes of the levels, ascending (default: by cost)"},                     \
        {"direction", 0, "D", "hierarchical-grid, between levels: cheaper (default), finer or coarser"},                            \
        {"range", 0, "R", "hierarchical-grid, cells visited: tight (default), half-cell or iwai"},                              \
        {"box-test", 0, "B", "box test before each exact test: auto (default: off), on or off"},                                   \
        {"loose-factor", 0, "K", "loose-octree: loose cells K times as wide as cells (default 2)"},                                  \
        {"verlet-radius", 0, "R", "verlet-list: list pairs of centres nearer than R (default: by cost)"},                               \
        {"rebuild-every", 0, "K", "verlet-list: rebuild the list every K updates (default: when a pair could be missed)"},                 \
    {                                                                                                                               \
        "skin", 0, "S", "margin of a candidate list that is kept between the searches of --repeat (default: no list)"          \
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
