// What the tests of fields and of other measures of snapshots share.
#ifndef TESTS_ANALYSIS_SUPPORT_H
#define TESTS_ANALYSIS_SUPPORT_H

#include "file_support.h"

#include "scree/files.h"
#include "scree/measure.h"
#include "sim_support.h"

enum { most = 64 };

// Arrays of a snapshot, with contacts between random spheres and walls: whether they touch does not matter here.
typedef struct made {
    double x[3 * most], r[most], v[3 * most], mass[most];
    int32_t group[most];
    int64_t ij[most][2];
    int8_t shift[most][3];
    double overlap[most], normal[most][3], force[most][3];
    scree_sim_contacts contacts;
    scree_snapshot now;
} made;

double draw_between(scree_rng* rng, double low, double high);
void make_snapshot(scree_rng* rng, int dim, int32_t n, int64_t contacts, made* m);
scree_fields fields_of(const scree_snapshot* now, const scree_fields_def* def);
// What a search finds is what the simulation has, but for forces.
void check_found_contacts(const scree_snapshot* now);

#endif
