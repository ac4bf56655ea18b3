// The searches that section 3.1 of S. Raschdorf and M. Kolonko (2009) names beside the grid, each in a file of its own: nbs.c, few_large.c, williams.c. Here: the sets, and the comparison
// with the library's methods. Each search starts from the arrays alone and finds all touching pairs in 3D, between walls.
#ifndef PAPERS_RELATED_H
#define PAPERS_RELATED_H

#include "bench/harness.h"

typedef struct related_found {
    int64_t pairs, tests;
    double looks;      // at cells, nodes and list heads
    uint64_t sum;      // of the pairs, whatever their order
    double bytes;      // of its own arrays
} related_found;

void related_pair(related_found* f, int32_t i, int32_t j);
void related_test(related_found* f, const scree_sphere_set* set, int32_t i, int32_t j);  // one exact test

typedef struct related_search {
    const char* name;
    scree_status (*find)(const scree_sphere_set* set, double parameter, related_found* out);
    double parameter;  // what the search is varied by; NAN in rows of the others
} related_search;

// A search of the library by one method; `parameter` is its scree_method.
scree_status related_library(const scree_sphere_set* set, double method, related_found* out);

// Equal spheres (law NULL) or a size distribution without overlaps, numbered along a curve, radii then times 1.1.
scree_status related_set(const char* name, const char* law, int32_t count, double density, const bench_options* co, scree_sphere_set* out);

// Rows of these searches and of the library's linked cells, hierarchical grid and loose octree, in turns. `wrong`: 1 where the pairs are not those of comparing all (above 20,000 spheres:
// of the hierarchical grid). Work: a test is 1, a look 0.5.
scree_status related_rows(findings* f, const char* sizes, const scree_sphere_set* set, const related_search* searches, int count, const bench_options* co);

extern const char* const related_columns[];  // two texts

// In all three files: pairs are exact.
#define RELATED_EXACT {.quantity = "searches with other pairs than comparing all", .words = "none", .least = 0.0, .most = 0.0, .how = CLAIM_MOST, .column = "wrong"}

#endif
