// scree/levels.h: the optimal hierarchical grid for a set of radii (Ogarko & Luding 2012, Appendix A).
//
// With L grids whose cells contain about m spheres each, finding all contacts costs about N L (m + K) tests: m decreases with L, and K
// is the cost of visiting a cell. The call below finds m(L), the corresponding cell sizes, and the best L.
#ifndef SCREE_LEVELS_H
#define SCREE_LEVELS_H

#include "scree/geom.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { SCREE_LEVELS_MOST = 64 };

typedef struct scree_levels_def {
    uint32_t struct_size;
    double cell_cost;    // K, in units of a test: 0.3 (the paper: 0.2 to 0.45)
    double resolution;   // m is found to a multiple of this: 1e-3
    double margin;       // added to every diameter: the requested gap; 0
    int32_t most_levels; // the largest L that is tried: 50; at most SCREE_LEVELS_MOST
    int32_t levels;      // 0: the best; else this one is chosen
} scree_levels_def;

SCREE_DEFAULTS(scree_levels_def, scree_default_levels_def)

typedef struct scree_levels_row {
    int32_t levels;  // number of levels of this row (fewer than tried if m(L) has a jump there)
    double m;        // threshold of Appendix A: a level ends with the sphere that brings it above m spheres per cell. Levels therefore have slightly more than m, the last
                     // one (the rest) slightly more or less; if there are too few sizes for such a division, the value of the fullest level
    double cost;     // levels * (m + K)
} scree_levels_row;

typedef struct scree_levels {
    int32_t count;                              // rows tried: L = 1, 2, ... (each number of levels once)
    scree_levels_row rows[SCREE_LEVELS_MOST];
    int32_t chosen;                             // index in `rows`
    double cell_size[SCREE_LEVELS_MOST];        // of the chosen row, ascending
    int64_t spheres[SCREE_LEVELS_MOST];         // number on each level
    double per_cell[SCREE_LEVELS_MOST];         // spheres per cell of each level: spheres / cells, where the number of cells is the product of length / cell_size
                                                // over the axes (each factor at least 1)
} scree_levels;

// Radii in any order; `box` gives the volume that cells are counted in (no open axis). O(n log n + 30 L n). Discrete sizes
// are never split: equal radii are on the same level. ARGUMENT: an invalid radius or box, no spheres; MEMORY.
SCREE_RESULT(scree_find_levels, (const scree_levels_def* def, const scree_box* box, int32_t n, const double* r, scree_levels* out), (def, box, n, r, out))

#ifdef __cplusplus
}
#endif
#endif
