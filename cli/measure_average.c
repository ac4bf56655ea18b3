#include "measure_average.h"

#include <math.h>
#include <string.h>

scree_status series_begin(int64_t from, int64_t frames, measure_series* out)
{
    *out = (measure_series){.from = from, .room = frames, .time = scree_malloc((size_t)frames, sizeof *out->time)};
    return out->time != NULL ? SCREE_OK : SCREE_ERR_MEMORY;
}

void series_free(measure_series* series)
{
    scree_free(series->name);
    scree_free(series->values);
    scree_free(series->time);
    scree_fields_free(&series->fields);
    scree_fields_free(&series->profile);
    *series = (measure_series){0};
}

static bool add_column(measure_series* s, const char* name)
{
    void* names = scree_realloc(s->name, (size_t)s->columns + 1, sizeof *s->name);
    if (names != NULL)
        s->name = names;
    double* values = scree_realloc(s->values, ((size_t)s->columns + 1) * (size_t)s->room, sizeof *values);
    if (values != NULL)
        s->values = values;
    if (names == NULL || values == NULL)
        return false;
    snprintf(s->name[s->columns], sizeof *s->name, "%s", name);
    for (int64_t f = 0; f < s->room; ++f)
        s->values[s->columns * s->room + f] = NAN;
    ++s->columns;
    return true;
}

static void take_number(void* context, const char* name, double value)
{
    measure_series* s = context;
    static const char* const left_out[] = {"schema", "dim", "frame", "frames", "time"};
    for (size_t k = 0; k < sizeof left_out / sizeof *left_out; ++k)
        if (strcmp(name, left_out[k]) == 0)
            return;
    int32_t column = 0;
    while (column < s->columns && strcmp(s->name[column], name) != 0)
        ++column;
    if (column == s->columns && !add_column(s, name))
        s->failed = true;
    else if (!isinf(value))
        s->values[column * s->room + s->frames] = value;
}

scree_status series_take(measure_series* series, double time, int dim, const result* res, const state_found* found)
{
    scree_status status = SCREE_OK;
    series->dim = dim;
    series->time[series->frames] = time;
    result_each_number(res, dim, take_number, series);
    if (series->failed)
        return SCREE_ERR_MEMORY;
    if (found->fields.count > 0)
        status = scree_fields_average(&series->fields, series->frames, &found->fields);
    if (status == SCREE_OK && found->profile.count > 0)
        status = scree_fields_average(&series->profile, series->frames, &found->profile);
    ++series->frames;
    return status;
}

static scree_status tell_averages(result* res, const measure_series* s)
{
    enum { numbers = 6 };
    size_t rows = (size_t)s->columns;
    const char** names = scree_malloc(rows, sizeof *names);
    double* values = scree_malloc(rows * numbers, sizeof *values);
    int64_t* counts = scree_malloc(rows, sizeof *counts);
    scree_status status = names != NULL && values != NULL && counts != NULL ? SCREE_OK : SCREE_ERR_MEMORY;
    for (int32_t c = 0; c < s->columns && status == SCREE_OK; ++c) {
        scree_average a = {0};
        status = scree_measure_average(s->values + c * s->room, s->frames, &a);
        const double row[numbers] = {a.mean, a.deviation, a.error, a.inefficiency, a.min, a.max};
        names[c] = s->name[c];
        counts[c] = a.count;
        for (size_t k = 0; k < numbers; ++k)
            values[k * rows + (size_t)c] = row[k];
    }
    if (status == SCREE_OK) {
        result_table(res, "average", "Averages over the frames", 8,
                     (result_column[]){{.name = "quantity", .texts = names},
                                       {.name = "mean", .values = values},
                                       {.name = "deviation", .values = values + rows},
                                       {.name = "error", .values = values + 2 * rows},
                                       {.name = "inefficiency", .values = values + 3 * rows},
                                       {.name = "min", .values = values + 4 * rows},
                                       {.name = "max", .values = values + 5 * rows},
                                       {.name = "frames", .integers = counts}},
                     s->columns);
        result_file(res, "average");
    }
    scree_free(names);
    scree_free(values);
    scree_free(counts);
    return status;
}

static scree_status tell_series(result* res, const measure_series* s)
{
    size_t columns = (size_t)s->columns + 2;
    result_column* column = scree_calloc(columns, sizeof *column);
    int64_t* frame = scree_malloc((size_t)s->frames, sizeof *frame);
    scree_status status = column != NULL && frame != NULL ? SCREE_OK : SCREE_ERR_MEMORY;
    if (status == SCREE_OK) {
        for (int64_t f = 0; f < s->frames; ++f)
            frame[f] = s->from + f;
        column[0] = (result_column){.name = "frame", .integers = frame};
        column[1] = (result_column){.name = "time", .values = s->time};
        for (int32_t c = 0; c < s->columns; ++c)
            column[2 + c] = (result_column){.name = s->name[c], .values = s->values + c * s->room};
        result_table(res, "series", "Measures of each frame", (int)columns, column, s->frames);
        result_only(res, RESULT_JSON);
        result_file(res, "series");
    }
    scree_free(column);
    scree_free(frame);
    return status;
}

scree_status series_tell(result* res, const measure_series* series, int32_t kernel, int profile_axis)
{
    *res = result_begin("measure");
    res->width = 24;
    result_integer(res, "frames", series->frames);
    result_integer(res, "frame_from", series->from);
    result_integer(res, "frame_to", series->from + series->frames - 1);
    result_number(res, "time_from", series->time[0]);
    result_number(res, "time_to", series->time[series->frames - 1]);
    scree_status status = tell_averages(res, series);
    if (status == SCREE_OK)
        status = tell_series(res, series);
    if (status != SCREE_OK || (series->fields.count == 0 && series->profile.count == 0))
        return status;
    const state_found averages = {.any = true, .dim = series->dim, .fields = series->fields, .profile = series->profile, .kernel = kernel, .profile_axis = profile_axis};
    return state_tell(res, &averages);
}
