// What the calls of scree/analysis.h start from: a snapshot that is checked, and its lengths.
#ifndef SCREE_MEASURE_SNAPSHOT_H
#define SCREE_MEASURE_SNAPSHOT_H

#include "scree/analysis.h"

typedef struct looked_at {
    const scree_snapshot* s;
    int32_t n;
    int dim;
    double length[3];   // of the box; 0 on the third axis in 2D
    double tilt[3];     // of the box
    double volume;
    double diameter_mean;
    int64_t contacts;
} looked_at;

scree_status snapshot_check(const scree_snapshot* snapshot, looked_at* out);  // ARGUMENT

double snapshot_sphere_volume(const looked_at* look, int64_t i);
double snapshot_mass(const looked_at* look, int64_t i);

// Centre, z = 0 in 2D.
void snapshot_centre(const looked_at* look, int64_t i, double x[3]);
void snapshot_velocity(const looked_at* look, int64_t i, double v[3]);

// From j, or from the nearest point of the wall, to i.
void snapshot_branch(const looked_at* look, int64_t contact, double d[3]);

#endif
