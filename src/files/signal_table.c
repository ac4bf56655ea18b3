// Tables of functions of time: the columns t (or time) and x, y, z, or t and one of any name.
#include "files/signal_table.h"

#include "base/array.h"
#include "files/csv.h"

#include <inttypes.h>
#include <math.h>

static scree_status read_header(scree_csv* csv, int columns, int first, int64_t at[4])
{
    static const char* const axes[3] = {"x", "y", "z"};
    scree_status status = scree_csv_header(csv, columns == 1 ? "the columns t and one of values" : "the columns t, x, y and z");
    for (int k = 0; k < 4; ++k)
        at[k] = -1;
    int others = 0;
    for (int64_t c = 0; c < csv->count && status == SCREE_OK; ++c) {
        bool known = scree_csv_is(csv, c, "t") || scree_csv_is(csv, c, "time");
        if (known)
            at[0] = c;
        for (int k = 0; k < 3 && columns > 1; ++k)
            if (scree_csv_is(csv, c, axes[k]) && k >= first && k < first + columns) {
                at[1 + k] = c;
                known = true;
            }
        if (columns == 1 && !known && others++ == 0) {
            at[1 + first] = c;
            known = true;
        }
        if (!known)
            status = scree_input_fail(csv->input, csv->line, "column %" PRId64 " is unknown; expected t and %s", c + 1, columns == 1 ? "one of values" : columns == 2 ? "x, y" : "x, y, z");
    }
    bool any = at[1] >= 0 || at[2] >= 0 || at[3] >= 0;
    if (status == SCREE_OK && (at[0] < 0 || !any))
        status = scree_input_fail(csv->input, csv->line, "there is no column %s; expected t and %s", at[0] < 0 ? "'t'" : "of values", columns == 1 ? "one of values" : "x, y and z");
    return status;
}

static scree_status read_rows(scree_csv* csv, int columns, int first, double** out, int32_t* out_count)
{
    int64_t at[4], capacity = 0, count = 0;
    scree_status status = read_header(csv, columns, first, at);
    const int64_t width = csv->count;
    bool more = true;
    while (status == SCREE_OK) {
        status = scree_csv_next(csv, &more);
        if (status != SCREE_OK || !more)
            break;
        status = scree_csv_check_width(csv, width);
        if (status == SCREE_OK && count == SCREE_SIGNAL_ROWS_MOST)
            status = scree_input_fail(csv->input, csv->line, "there are more rows; expected at most %d", SCREE_SIGNAL_ROWS_MOST);
        if (status == SCREE_OK)
            status = SCREE_RESERVE(*out, capacity, 4 * (count + 1));
        double* row = status == SCREE_OK ? *out + 4 * count : NULL;
        for (int k = 0; k < 4 && status == SCREE_OK; ++k) {
            row[k] = 0.0;
            if (at[k] >= 0)
                status = scree_csv_number(csv, at[k], k == 0 ? "t" : "a value", &row[k]);
            if (status == SCREE_OK && !(fabs(row[k]) <= SCREE_LENGTH_MAX))
                status = scree_input_fail(csv->input, csv->line, "%s is %g; expected a finite number", k == 0 ? "t" : "a value", row[k]);
        }
        if (status == SCREE_OK && count > 0 && !(row[0] > row[-4]))
            status = scree_input_fail(csv->input, csv->line, "t is %g, after %g; expected rising times", row[0], row[-4]);
        ++count;
    }
    if (status == SCREE_OK && count == 0)
        status = scree_input_fail(csv->input, csv->line, "there are no rows; expected at least one");
    *out_count = (int32_t)count;
    return status;
}

scree_status scree_read_signal_table(const char* path, int columns, int first, double** rows, int32_t* count)
{
    scree_input input;
    *rows = NULL;
    scree_status status = scree_input_open(&input, path, scree_get_watch());
    if (status != SCREE_OK)
        return status;
    scree_csv csv = {.input = &input};
    status = read_rows(&csv, columns, first, rows, count);
    scree_csv_close(&csv);
    scree_input_close(&input);
    if (status != SCREE_OK) {
        scree_free(*rows);
        *rows = NULL;
    }
    return status;
}
