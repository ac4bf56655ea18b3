// The log of a run as curves for its report, however long it is: rows are gathered in up to `buckets` groups of equal length, of which each
// keeps its least and its largest value and where they were. When the groups are used up, two and two become one. So a peak of a single row
// is still seen, and a log of a million rows is read once, in O(rows) time and O(buckets) memory.
#include "run/report.h"

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

typedef struct gathering {
    int count;                    // of curves
    int64_t field[RUN_CURVES_MOST];  // of the log; -1: not there
    int64_t time_field;
    int64_t rows, stride;
    range (*bucket)[RUN_CURVES_MOST];
    double first[RUN_CURVES_MOST], last[RUN_CURVES_MOST], first_at, last_at;
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

static void add_row(gathering* g, double time, const double* values)
{
    if (g->rows == buckets * g->stride) {
        for (int b = 0; b < buckets / 2; ++b)
            for (int c = 0; c < g->count; ++c) {
                range joined = g->bucket[2 * b][c];
                widen(&joined, &g->bucket[2 * b + 1][c]);
                g->bucket[b][c] = joined;
            }
        g->stride *= 2;
    }
    int64_t b = g->rows / g->stride;
    bool begins = g->rows % g->stride == 0;
    for (int c = 0; c < g->count; ++c) {
        range one = {.low = values[c], .high = values[c], .low_at = time, .high_at = time};
        if (begins)
            g->bucket[b][c] = one;
        else
            widen(&g->bucket[b][c], &one);
        if (g->rows == 0)
            g->first[c] = values[c];
        g->last[c] = values[c];
    }
    if (g->rows == 0)
        g->first_at = time;
    g->last_at = time;
    ++g->rows;
}

static void find_fields(gathering* g, const char* const* names, const char* text, const field* at, int64_t fields)
{
    g->time_field = -1;
    for (int c = 0; c < g->count; ++c)
        g->field[c] = -1;
    for (int64_t f = 0; f < fields; ++f) {
        size_t length = (size_t)(at[f].end - at[f].begin);
        if (length == 4 && memcmp(text + at[f].begin, "time", 4) == 0)
            g->time_field = f;
        for (int c = 0; c < g->count; ++c)
            if (length == strlen(names[c]) && memcmp(text + at[f].begin, names[c], length) == 0)
                g->field[c] = f;
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
        double time, values[RUN_CURVES_MOST];
        bool whole = split(text, length, at, fields) == fields && g->time_field >= 0 && scree_number_parse(text + at[g->time_field].begin, text + at[g->time_field].end, &time);
        for (int c = 0; c < g->count && whole; ++c) {
            values[c] = NAN;
            if (g->field[c] >= 0)
                whole = scree_number_parse(text + at[g->field[c]].begin, text + at[g->field[c]].end, &values[c]);
        }
        if (whole)  // what a full disk has left of a row is none
            add_row(g, time, values);
    }
    scree_free(at);
    return status;
}

static void put_point(run_curve* curve, double x, double y)
{
    curve->x[curve->count] = x;
    curve->y[curve->count++] = y;
}

static void draw_curve(const gathering* g, int c, run_curve* curve)
{
    int64_t used = (g->rows + g->stride - 1) / g->stride;
    if (g->field[c] < 0 || g->rows == 0)
        return;
    if (g->stride > 1)
        put_point(curve, g->first_at, g->first[c]);
    for (int64_t b = 0; b < used; ++b) {
        const range* r = &g->bucket[b][c];
        bool low_first = r->low_at <= r->high_at;
        put_point(curve, low_first ? r->low_at : r->high_at, low_first ? r->low : r->high);
        if (r->low_at != r->high_at)
            put_point(curve, low_first ? r->high_at : r->low_at, low_first ? r->high : r->low);
    }
    if (g->stride > 1)
        put_point(curve, g->last_at, g->last[c]);
}

scree_status run_curves_read(const scree_run* run, int count, const char* const* names, run_curves* out)
{
    enum { room = 2 * buckets + 2 };
    char path[4096];
    scree_input input;
    gathering g = {.count = count, .stride = 1};
    *out = (run_curves){.count = count};
    scree_status status = run_path(run, path, sizeof path, "log.csv");
    if (status != SCREE_OK)
        return status;
    g.bucket = scree_malloc(buckets, sizeof *g.bucket);
    out->points = scree_malloc((size_t)count * room * 2, sizeof *out->points);
    status = g.bucket == NULL || out->points == NULL ? SCREE_ERR_MEMORY : scree_input_open(&input, path, (scree_watch){0});
    if (status == SCREE_OK) {
        status = read_rows(&g, names, &input);
        scree_input_close(&input);
    }
    for (int c = 0; c < count && status == SCREE_OK; ++c) {
        out->curve[c].x = out->points + (size_t)c * room * 2;
        out->curve[c].y = out->curve[c].x + room;
        draw_curve(&g, c, &out->curve[c]);
    }
    out->rows = g.rows;
    scree_free(g.bucket);
    if (status != SCREE_OK)
        run_curves_free(out);
    return status;
}

void run_curves_free(run_curves* curves)
{
    scree_free(curves->points);
    *curves = (run_curves){0};
}
