// The log of a run as curves for its report, however long it is: rows are gathered in up to `buckets` groups of equal length, of which each
// keeps its least and its largest value and where they were. When the groups are used up, two and two become one. So a peak of a single row
// is still seen, and a log of a million rows is read once, in O(rows) time and O(buckets) memory.
#include "run/report.h"

#include "base/array.h"
#include "base/number.h"
#include "files/input.h"

#include <math.h>
#include <string.h>

enum { buckets = 512, most_fields = 2048 };

typedef struct range {
    double low, high, low_at, high_at;
} range;

typedef struct gathering {
    int count;                    // of curves
    int field[RUN_CURVES_MOST];   // of the log; -1: not there
    int time_field;
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

// Where the fields begin and end; how many there are, or -1 if they are too many.
static int split(const char* text, int64_t length, int64_t begin[most_fields], int64_t end[most_fields])
{
    int count = 0;
    for (int64_t at = 0; at <= length; ++at) {
        if (count == most_fields)
            return -1;
        begin[count] = at;
        while (at < length && text[at] != ',')
            ++at;
        end[count++] = at;
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

static void find_fields(gathering* g, const char* const* names, const char* text, const int64_t* begin, const int64_t* end, int fields)
{
    g->time_field = -1;
    for (int c = 0; c < g->count; ++c)
        g->field[c] = -1;
    for (int f = 0; f < fields; ++f) {
        size_t length = (size_t)(end[f] - begin[f]);
        if (length == 4 && memcmp(text + begin[f], "time", 4) == 0)
            g->time_field = f;
        for (int c = 0; c < g->count; ++c)
            if (length == strlen(names[c]) && memcmp(text + begin[f], names[c], length) == 0)
                g->field[c] = f;
    }
}

static scree_status read_rows(gathering* g, const char* const* names, scree_input* input)
{
    int64_t begin[most_fields], end[most_fields];
    int fields = 0;
    for (bool header = true;; header = false) {
        char* text;
        int64_t length;
        bool more;
        scree_status status = scree_input_line(input, &text, &length, &more);
        if (status != SCREE_OK || !more)
            return status;
        int count = split(text, length, begin, end);
        if (header) {
            fields = count;
            find_fields(g, names, text, begin, end, fields);
            continue;
        }
        double time, values[RUN_CURVES_MOST];
        bool whole =
            count == fields && g->time_field >= 0 && scree_number_parse(text + begin[g->time_field], text + end[g->time_field], &time);
        for (int c = 0; c < g->count && whole; ++c) {
            values[c] = NAN;
            if (g->field[c] >= 0)
                whole = scree_number_parse(text + begin[g->field[c]], text + end[g->field[c]], &values[c]);
        }
        if (whole)  // what a full disk has left of a row is none
            add_row(g, time, values);
    }
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
