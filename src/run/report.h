// What the report of a run is made of.
#ifndef SCREE_RUN_REPORT_H
#define SCREE_RUN_REPORT_H

#include "run/run_inner.h"

#include "scree/report.h"

#define RUN_CURVES_MOST 48

typedef struct run_curve {
    int32_t count;  // 0: the log has no such column, or no rows
    double *x, *y;  // time and value; at most some thousand points
} run_curve;

typedef struct run_curves {
    int64_t rows;   // of the log
    int count;
    run_curve curve[RUN_CURVES_MOST];
    double* points; // of all
} run_curves;

// Columns of log.csv over time, thinned out where the log is long: peaks stay. IO, MEMORY: *out is empty.
scree_status run_curves_read(const scree_run* run, int count, const char* const* names, run_curves* out);
void run_curves_free(run_curves* curves);

// report_state.c: contact network, distribution of forces and profiles of the spheres as they are now. MEMORY, or what cannot be measured.
scree_status run_tell_state(scree_run* run, scree_report* page);

#endif
