// The log of a run as curves, for its report, at any length: rows are collected in up to `buckets` groups of equal length, of which each
// keeps its smallest and its largest value and their times. When all groups are in use, neighbours are merged in pairs. A peak of a single row
// therefore stays visible, and a log of a million rows is read once, in O(rows) time and O(buckets) memory.
#include "run/run_inner.h"

#include "base/argument.h"
#include "base/array.h"
#include "base/number.h"
#include "files/input.h"

#include <math.h>
#include <string.h>

enum { buckets = 512 };

typedef struct field {
    int64_t begin, end;  // in a line
} field;

typedef struct range {
    double low, high, low_at, high_at;
} range;

// A column of the log.
typedef struct gathered {
    int64_t field;  // -1: not there
    double value;   // of this row
    double first, last;
    range bucket[buckets];
} gathered;

typedef struct gathering {
    int32_t count;  // of columns
    gathered* columns;
    int64_t time_field;
    int64_t rows, stride;
    double first_at, last_at;
} gathering;

static void widen(range* r, const range* by)
{
    if (by->low < r->low) {
        r->low = by->low;
        r->low_at = by->low_at;
    }
    if (by->high > r->high) {
        r->high = by->high;
        r->high_at = by->high_at;
    }
}

// How many fields there are; the first `room` of them are written to `out`.
static int64_t split(const char* text, int64_t length, field* out, int64_t room)
{
    int64_t count = 0;
    for (int64_t at = 0; at <= length; ++at, ++count) {
        int64_t begin = at;
        while (at < length && text[at] != ',')
            ++at;
        if (count < room)
            out[count] = (field){begin, at};
    }
    return count;
}

static void add_row(gathering* g, double time)
{
    bool full = g->rows == buckets * g->stride;
    if (full)
        g->stride *= 2;
    int64_t b = g->rows / g->stride;
    bool begins = g->rows % g->stride == 0;
    for (int32_t c = 0; c < g->count; ++c) {
        gathered* column = &g->columns[c];
        for (int k = 0; k < buckets / 2 && full; ++k) {
            range joined = column->bucket[2 * k];
            widen(&joined, &column->bucket[2 * k + 1]);
            column->bucket[k] = joined;
        }
        range one = {.low = column->value, .high = column->value, .low_at = time, .high_at = time};
        if (begins)
            column->bucket[b] = one;
        else
            widen(&column->bucket[b], &one);
        if (g->rows == 0)
            column->first = column->value;
        column->last = column->value;
    }
    if (g->rows == 0)
        g->first_at = time;
    g->last_at = time;
    ++g->rows;
}

static void find_fields(gathering* g, const char* const* names, const char* text, const field* at, int64_t fields)
{
    g->time_field = -1;
    for (int32_t c = 0; c < g->count; ++c)
        g->columns[c].field = -1;
    for (int64_t f = 0; f < fields; ++f) {
        size_t length = (size_t)(at[f].end - at[f].begin);
        if (length == 4 && memcmp(text + at[f].begin, "time", 4) == 0)
            g->time_field = f;
        for (int32_t c = 0; c < g->count; ++c)
            if (length == strlen(names[c]) && memcmp(text + at[f].begin, names[c], length) == 0)
                g->columns[c].field = f;
    }
}

static scree_status read_rows(gathering* g, const char* const* names, scree_input* input)
{
    field* at = NULL;
    int64_t fields = 0, room = 0;
    scree_status status = SCREE_OK;
    for (bool header = true;; header = false) {
        char* text;
        int64_t length;
        bool more;
        status = scree_input_line(input, &text, &length, &more);
        if (status != SCREE_OK || !more)
            break;
        if (header) {
            fields = split(text, length, NULL, 0);
            status = SCREE_RESERVE(at, room, fields);
            if (status != SCREE_OK)
                break;
            split(text, length, at, fields);
            find_fields(g, names, text, at, fields);
            continue;
        }
        double time;
        bool whole = split(text, length, at, fields) == fields && g->time_field >= 0 && scree_number_parse(text + at[g->time_field].begin, text + at[g->time_field].end, &time);
        for (int32_t c = 0; c < g->count && whole; ++c) {
            gathered* column = &g->columns[c];
            column->value = NAN;
            if (column->field >= 0)
                whole = scree_number_parse(text + at[column->field].begin, text + at[column->field].end, &column->value);
        }
        if (whole)  // what a full disk has left of a row is none
            add_row(g, time);
    }
    scree_free(at);
    return status;
}

static void put_point(scree_run_curve* curve, double x, double y)
{
    curve->x[curve->count] = x;
    curve->y[curve->count++] = y;
}

static void draw_curve(const gathering* g, const gathered* column, scree_run_curve* curve)
{
    int64_t used = (g->rows + g->stride - 1) / g->stride;
    if (column->field < 0 || g->rows == 0)
        return;
    if (g->stride > 1)
        put_point(curve, g->first_at, column->first);
    for (int64_t b = 0; b < used; ++b) {
        const range* r = &column->bucket[b];
        bool low_first = r->low_at <= r->high_at;
        put_point(curve, low_first ? r->low_at : r->high_at, low_first ? r->low : r->high);
        if (r->low_at != r->high_at)
            put_point(curve, low_first ? r->high_at : r->low_at, low_first ? r->high : r->low);
    }
    if (g->stride > 1)
        put_point(curve, g->last_at, column->last);
}

static scree_status read_curves(const char* path, const char* const* names, gathering* g, scree_run_curves* out)
{
    enum { room = 2 * buckets + 2 };
    scree_input input;
    size_t count = (size_t)g->count;
    g->columns = scree_malloc(count, sizeof *g->columns);
    out->curves = scree_calloc(count, sizeof *out->curves);
    out->points = scree_malloc(count * room * 2, sizeof *out->points);
    if (g->columns == NULL || out->curves == NULL || out->points == NULL)
        return SCREE_ERR_MEMORY;
    scree_status status = scree_input_open(&input, path, (scree_watch){0});
    if (status != SCREE_OK)
        return status;
    status = read_rows(g, names, &input);
    scree_input_close(&input);
    out->rows = g->rows;
    out->count = g->count;
    for (int32_t c = 0; c < g->count && status == SCREE_OK; ++c) {
        out->curves[c].x = out->points + (size_t)c * room * 2;
        out->curves[c].y = out->curves[c].x + room;
        draw_curve(g, &g->columns[c], &out->curves[c]);
    }
    return status;
}

SCREE_RESULT_OF(scree_run_curves, scree_run_read_curves, (const scree_run* run, int32_t count, const char* const* names, scree_run_curves* out), (run, count, names, out))
{
    char path[4096];
    gathering g = {.count = count, .stride = 1};
    SCREE_EMPTY(out);
    SCREE_NEED(run);
    SCREE_NEED(names);
    if (count < 0)
        return scree_fail(SCREE_ERR_ARGUMENT, "curves: a count of %d; expected 0 or more", (int)count);
    if (run->folder == NULL)
        return scree_fail(SCREE_ERR_ARGUMENT, "curves: the run has no folder and no log; expected a run with a folder");
    scree_status status = run_path(run, path, sizeof path, "log.csv");
    if (status == SCREE_OK)
        status = read_curves(path, names, &g, out);
    scree_free(g.columns);
    if (status != SCREE_OK)
        scree_run_curves_free(out);
    return status;
}

SCREE_RELEASE_OF(scree_run_curves, scree_run_curves_free)
{
    if (given == NULL)
        return;
    scree_free(given->curves);
    scree_free(given->points);
    *given = (scree_run_curves){0};
}
