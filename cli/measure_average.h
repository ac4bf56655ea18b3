// The numbers of scree measure over the frames of a run: their series, means and errors.
#ifndef CLI_MEASURE_AVERAGE_H
#define CLI_MEASURE_AVERAGE_H

#include "common.h"
#include "measure_state.h"

#include "scree/measure.h"

typedef struct measure_series {
    int64_t frames, room;   // taken so far, and of all
    int32_t columns;
    char (*name)[128];
    double* values;         // room of each column; NAN where a frame lacks it
    double* time;
    int64_t from;           // number of the first frame
    scree_fields fields, profile;  // averages
    int32_t dim;
    bool failed;            // there was no memory
} measure_series;

scree_status series_begin(int64_t from, int64_t frames, measure_series* out);
scree_status series_take(measure_series* series, double time, int dim, const result* res, const state_found* found);  // the next frame
scree_status series_tell(result* res, const measure_series* series, int32_t kernel, int profile_axis);
void series_free(measure_series* series);

#endif
