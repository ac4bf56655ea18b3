// Verdicts and figures from rows: which rows a claim or a chart means, and what it computes from them.
#include "harness.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- Rows ------------------------------------------------------------------------------------------------------------

scree_status bench_rows_add(bench_rows* t, const char* const* words, const double* values)
{
    const int numbers = t->columns - t->texts;
    if (t->count == t->capacity) {
        const int64_t capacity = t->capacity > 0 ? 2 * t->capacity : 16;
        void* wider = scree_realloc(t->words, (size_t)(capacity * (t->texts > 0 ? t->texts : 1)), sizeof *t->words);
        if (wider == NULL)
            return SCREE_ERR_MEMORY;
        t->words = wider;
        void* longer = scree_realloc(t->values, (size_t)(capacity * (numbers > 0 ? numbers : 1)), sizeof *t->values);
        if (longer == NULL)
            return SCREE_ERR_MEMORY;
        t->values = longer;
        t->capacity = capacity;
    }
    for (int c = 0; c < t->texts; ++c)
        snprintf(t->words[t->count * t->texts + c], bench_most_word, "%s", words[c]);
    memcpy(t->values + t->count * numbers, values, (size_t)numbers * sizeof *values);
    ++t->count;
    return SCREE_OK;
}

void bench_rows_free(bench_rows* t)
{
    scree_free(t->words);
    scree_free(t->values);
    *t = (bench_rows){0};
}

static int column_of(const bench_rows* t, const char* name)
{
    for (int c = 0; c < t->columns; ++c)
        if (name != NULL && strcmp(t->names[c], name) == 0)
            return c;
    return -1;
}

static const char* word_at(const bench_rows* t, int64_t row, int column)
{
    return t->words[row * t->texts + column];
}

// NaN: there is no such column of numbers.
static double number_at(const bench_rows* t, int64_t row, int column)
{
    return column < t->texts ? NAN : t->values[row * (t->columns - t->texts) + column - t->texts];
}

// side -1, 0, 1: the lower quartile, the value, the upper quartile.
static double cell(const bench_rows* t, int64_t row, const char* column, int side)
{
    char name[bench_most_word];
    snprintf(name, sizeof name, "%s%s", column, side < 0 ? "_low" : side > 0 ? "_high" : "");
    return number_at(t, row, column_of(t, name));
}

static bool fits(const bench_rows* t, int64_t row, int column, const char* wanted, double number)
{
    return column < t->texts ? strcmp(word_at(t, row, column), wanted) == 0 : fabs(number_at(t, row, column) - number) <= 1e-9 * fabs(number);
}

// The rows that fit all terms, in order; -1: a term names no column.
static int64_t select_rows(const bench_rows* t, const char* terms, int64_t* rows)
{
    int64_t count = t->count;
    for (int64_t k = 0; k < count; ++k)
        rows[k] = k;
    for (const char* at = terms; at != NULL && *at != '\0'; at += strcspn(at, ";"), at += *at == ';') {
        char name[64] = "", wanted[bench_most_word] = "";
        sscanf(at, "%63[^=]=%159[^;]", name, wanted);
        const int column = column_of(t, name), extreme = strcmp(wanted, "most") == 0 ? 1 : strcmp(wanted, "least") == 0 ? -1 : 0;
        double number = extreme != 0 ? -INFINITY : strtod(wanted, NULL);
        if (column < 0)
            return -1;
        for (int64_t k = 0; k < count && extreme != 0; ++k)
            number = fmax(number, extreme * number_at(t, rows[k], column));
        number *= extreme < 0 ? -1.0 : 1.0;
        int64_t left = 0;
        for (int64_t k = 0; k < count; ++k)
            if (fits(t, rows[k], column, wanted, number))
                rows[left++] = rows[k];
        count = left;
    }
    return count;
}

static const bench_rows* table_of(const bench_rows* tables, int count, const char* suffix)
{
    for (int t = 0; t < count; ++t)
        if (strcmp(tables[t].suffix, suffix != NULL ? suffix : "") == 0)
            return &tables[t];
    return NULL;
}

// ---- Claims ----------------------------------------------------------------------------------------------------------

typedef struct selection {
    const bench_rows* t;
    int64_t count, over_count;
    int64_t *rows, *over;
} selection;

static double slope(const claim* c, const selection* s, int side)
{
    double sx = 0.0, sy = 0.0, sxx = 0.0, sxy = 0.0, n = (double)s->count;
    for (int64_t k = 0; k < s->count; ++k)
        sx += log(cell(s->t, s->rows[k], c->against, 0)) / n;
    for (int64_t k = 0; k < s->count; ++k) {
        double x = log(cell(s->t, s->rows[k], c->against, 0)) - sx, y = log(cell(s->t, s->rows[k], c->column, x > 0.0 ? side : -side));
        sy += y;
        sxx += x * x;
        sxy += x * y;
    }
    return sxx > 0.0 && isfinite(sy) ? sxy / sxx : NAN;
}

// Infinite: it is never passed.
static double crossing(const claim* c, const selection* s)
{
    double x0 = NAN, d0 = NAN;
    for (int64_t k = 0; k < s->count && k < s->over_count; ++k) {
        double x = cell(s->t, s->rows[k], c->against, 0), d = cell(s->t, s->rows[k], c->column, 0) - cell(s->t, s->over[k], c->column, 0);
        if (k > 0 && (d0 < 0.0) != (d < 0.0))
            return x0 + (x - x0) * d0 / (d0 - d);
        x0 = x;
        d0 = d;
    }
    return INFINITY;
}

static double extreme(const claim* c, const selection* s, int side, double sign, bool which)
{
    double best = -INFINITY, at = NAN;
    for (int64_t k = 0; k < s->count; ++k) {
        double y = sign * cell(s->t, s->rows[k], c->column, side);  // NaN: not measured
        at = y > best ? cell(s->t, s->rows[k], c->against != NULL ? c->against : c->column, 0) : at;
        best = fmax(best, y);
    }
    return which || isinf(best) ? at : sign * best;
}

static double count_over(const claim* c, const selection* s)
{
    int64_t count = c->how == CLAIM_DISTINCT;
    const int column = column_of(s->t, c->column);
    if (column < 0 || (c->how == CLAIM_DISTINCT) != (column < s->t->texts))
        return NAN;
    for (int64_t k = 1; k < s->count; ++k) {
        bool fresh = c->how == CLAIM_DISTINCT || number_at(s->t, s->rows[k], column) > number_at(s->t, s->rows[k - 1], column);
        for (int64_t j = 0; j < k && c->how == CLAIM_DISTINCT && fresh; ++j)
            fresh = strcmp(word_at(s->t, s->rows[k], column), word_at(s->t, s->rows[j], column)) != 0;
        count += fresh;
    }
    return (double)count;
}

static double compute(const claim* c, const selection* s, int side)
{
    switch (c->how) {
    case CLAIM_VALUE: return cell(s->t, s->rows[0], c->column, side);
    case CLAIM_RATIO: return cell(s->t, s->rows[0], c->column, side) / cell(s->t, s->over[0], c->column, -side);
    case CLAIM_LEAST: return extreme(c, s, side, -1.0, false);
    case CLAIM_MOST: return extreme(c, s, side, 1.0, false);
    case CLAIM_SLOPE: return slope(c, s, side);
    case CLAIM_BEST: return extreme(c, s, 0, -1.0, true);
    case CLAIM_CROSSING: return crossing(c, s);
    default: return count_over(c, s);
    }
}

static void judge(const claim* c, const selection* s, verdict* v)
{
    const bool one = c->how == CLAIM_VALUE || c->how == CLAIM_RATIO, two = c->how == CLAIM_RATIO || c->how == CLAIM_CROSSING;
    if (s->count <= 0 || (two && s->over_count <= 0))
        snprintf(v->why, sizeof v->why, "there are no such rows");
    else if (one && (s->count > 1 || (two && s->over_count > 1)))
        snprintf(v->why, sizeof v->why, "more than one row fits");
    if (v->why[0] != '\0')
        return;
    v->value = compute(c, s, 0);
    v->low = c->timed ? fmin(compute(c, s, -1), v->value) : v->value;
    v->high = c->timed ? fmax(compute(c, s, 1), v->value) : v->value;
    if (isnan(v->value) || isnan(v->low) || isnan(v->high))
        snprintf(v->why, sizeof v->why, "there is no value");
    else if (c->timed && v->low == v->high)
        snprintf(v->why, sizeof v->why, "%.4g, timed once", v->value);
    else if (v->low >= c->least && v->high <= c->most)
        v->kind = VERDICT_AGREES;
    else if (v->high < c->least || v->low > c->most)
        v->kind = VERDICT_DIFFERS;
    else
        snprintf(v->why, sizeof v->why, "%.4g (%.4g to %.4g by quartiles) scatters too widely", v->value, v->low, v->high);
}

verdict bench_judge(const claim* c, const bench_rows* tables, int table_count, bool quick)
{
    verdict v = {.kind = VERDICT_NONE, .value = NAN, .low = NAN, .high = NAN};
    selection s = {.t = table_of(tables, table_count, c->table)};
    if (quick && c->full) {
        snprintf(v.why, sizeof v.why, "needs the size of the full run");
        return v;
    }
    if (s.t != NULL) {
        s.rows = scree_malloc(2 * (size_t)s.t->count + 1, sizeof *s.rows);
        s.over = s.rows != NULL ? s.rows + s.t->count : NULL;
    }
    if (s.rows != NULL) {
        s.count = select_rows(s.t, c->rows, s.rows);
        s.over_count = select_rows(s.t, c->over, s.over);
    }
    judge(c, &s, &v);
    scree_free(s.rows);
    return v;
}

// ---- Charts ----------------------------------------------------------------------------------------------------------

enum { most_series = 16 };

typedef struct drawn {
    double *x, *y, *low, *high;
    char labels[most_series][48];
    const char* names[bench_most_columns];
    int32_t name_count;
    int series_count;
    scree_series series[most_series];
} drawn;

// The place of a text on an axis with names.
static double place_of(drawn* d, const char* word)
{
    int32_t n = 0;
    while (n < d->name_count && strcmp(d->names[n], word) != 0)
        ++n;
    if (n == d->name_count && n < bench_most_columns)
        d->names[d->name_count++] = word;
    return n;
}

static scree_series* add_series(drawn* d, const char* name, int32_t style, int64_t at)
{
    if (d->series_count == most_series)
        return NULL;
    d->series[d->series_count] = (scree_series){.name = name, .x = d->x + at, .y = d->y + at, .low = d->low + at, .high = d->high + at, .style = style};
    return &d->series[d->series_count++];
}

// What the legend says of the row.
static void label_of(const bench_rows* t, int64_t row, int by, char label[48])
{
    if (by < 0)
        label[0] = '\0';
    else if (by < t->texts)
        snprintf(label, 48, "%.47s", word_at(t, row, by));
    else
        snprintf(label, 48, "%.20s %.6g", t->names[by], number_at(t, row, by));
}

static bool is_drawn(const drawn* d, const char* label)
{
    for (int s = 0; s < d->series_count; ++s)
        if (strcmp(d->labels[s], label) == 0)
            return true;
    return false;
}

// Points of a series follow each other: a pass over the rows for each.
static void fill(const chart* c, const selection* s, drawn* d)
{
    const int by = column_of(s->t, c->by), x = column_of(s->t, c->x);
    int64_t at = 0;
    for (int64_t first = 0; first < s->count && d->series_count < most_series; ++first) {
        char label[48], other[48];
        label_of(s->t, s->rows[first], by, label);
        if (is_drawn(d, label))
            continue;
        snprintf(d->labels[d->series_count], sizeof label, "%s", label);
        scree_series* series = add_series(d, by < 0 ? NULL : d->labels[d->series_count], c->points ? SCREE_SERIES_POINTS : x < s->t->texts ? SCREE_SERIES_BARS : SCREE_SERIES_LINE, at);
        for (int64_t k = first; k < s->count; ++k) {
            label_of(s->t, s->rows[k], by, other);
            if (strcmp(label, other) != 0)
                continue;
            d->x[at] = x < s->t->texts ? place_of(d, word_at(s->t, s->rows[k], x)) : number_at(s->t, s->rows[k], x);
            d->y[at] = cell(s->t, s->rows[k], c->y, 0);
            d->low[at] = cell(s->t, s->rows[k], c->y, -1);
            d->high[at++] = cell(s->t, s->rows[k], c->y, 1);
            ++series->count;
        }
    }
    for (const chart_points* p = c->paper; p != NULL && p->count > 0 && s->count > 0; ++p) {
        scree_series* series = add_series(d, p->name, SCREE_SERIES_HOLLOW, at);
        for (int k = 0; k < p->count && series != NULL; ++k, ++at) {
            d->x[at] = p->at[k][0];
            d->y[at] = p->at[k][1];
            d->low[at] = d->high[at] = NAN;
            ++series->count;
        }
    }
}

void findings_chart(findings* f, const chart* c, const bench_rows* tables, int table_count)
{
    drawn d = {.series_count = 0};
    selection s = {.t = table_of(tables, table_count, c->table)};
    size_t room = s.t != NULL ? (size_t)s.t->count : 0;
    for (const chart_points* p = c->paper; p != NULL && p->count > 0; ++p)
        room += (size_t)p->count;
    s.rows = scree_malloc(room + 1, sizeof *s.rows);
    d.x = scree_calloc(4 * room + 1, sizeof *d.x);
    if (room > 0 && s.rows != NULL && d.x != NULL && s.t != NULL && column_of(s.t, c->x) >= 0) {
        d.y = d.x + room;
        d.low = d.y + room;
        d.high = d.low + room;
        s.count = select_rows(s.t, c->rows, s.rows);
        fill(c, &s, &d);
    }
    if (d.series_count > 0) {
        scree_plot plot = scree_default_plot();
        plot.title = c->title;
        plot.x_label = c->x_label;
        plot.y_label = c->y_label;
        plot.x_log = c->x_log;
        plot.y_log = c->y_log;
        plot.series = d.series;
        plot.series_count = d.series_count;
        plot.names = d.names;
        plot.name_count = d.name_count;
        findings_plot(f, c->suffix != NULL ? c->suffix : "", &plot);
    }
    scree_free(s.rows);
    scree_free(d.x);
}
