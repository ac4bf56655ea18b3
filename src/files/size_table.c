// Sieve curves: `table:FILE.csv` with two columns, the diameter d and either the share of mass that passes or a number of
// spheres. Other columns are ignored. Errors of a line name that line; errors of the whole curve
// (whether it reaches 1 or 100, whether all numbers are 0) are found by the sizes room, and the file name is added.
#include "scree/files.h"

#include "base/argument.h"
#include "base/array.h"
#include "files/csv.h"
#include "files/input.h"
#include "geom/length.h"

#include <math.h>
#include <string.h>

typedef struct sieve_curve {
    scree_csv csv;
    scree_table_kind kind;
    int64_t d_column, share_column, columns;
    double *d, *share;
    int64_t rows, d_capacity, share_capacity;
} sieve_curve;

static scree_status read_header(sieve_curve* curve)
{
    scree_csv* csv = &curve->csv;
    scree_status status = scree_csv_header(csv, "d,passing_mass or d,number");
    if (status != SCREE_OK)
        return status;
    static const char* const name[] = {"d", "passing_mass", "number"};
    int64_t column[3] = {-1, -1, -1};
    for (int64_t c = 0; c < csv->count; ++c)
        for (int k = 0; k < 3; ++k)
            if (scree_csv_is(csv, c, name[k])) {
                if (column[k] >= 0)
                    return scree_input_fail(csv->input, csv->line, "the header names '%s' twice; expected it once", name[k]);
                column[k] = c;
            }
    if (column[1] >= 0 && column[2] >= 0)
        return scree_input_fail(csv->input, csv->line, "the header names both passing_mass and number; expected one of them");
    if (column[0] < 0 || (column[1] < 0 && column[2] < 0)) {
        char shown[SCREE_SHOWN];
        return scree_input_fail(csv->input, csv->line,
                                "the header names no column %s (it begins with '%s'); expected d,passing_mass or d,number",
                                column[0] < 0 ? "d" : "passing_mass or number", scree_csv_shown_field(csv, 0, shown));
    }
    curve->kind = column[1] >= 0 ? SCREE_TABLE_PASSING_MASS : SCREE_TABLE_NUMBER;
    curve->d_column = column[0];
    curve->share_column = column[1] >= 0 ? column[1] : column[2];
    curve->columns = csv->count;
    return SCREE_OK;
}

static scree_status read_row(sieve_curve* curve)
{
    const scree_csv* csv = &curve->csv;
    const char* share_name = curve->kind == SCREE_TABLE_PASSING_MASS ? "passing_mass" : "number";
    int64_t k = curve->rows;
    scree_status status = scree_csv_check_width(csv, curve->columns);
    if (status == SCREE_OK)
        status = SCREE_RESERVE(curve->d, curve->d_capacity, k + 1);
    if (status == SCREE_OK)
        status = SCREE_RESERVE(curve->share, curve->share_capacity, k + 1);
    if (status == SCREE_OK)
        status = scree_csv_number(csv, curve->d_column, "d", &curve->d[k]);
    if (status == SCREE_OK)
        status = scree_csv_number(csv, curve->share_column, share_name, &curve->share[k]);
    if (status != SCREE_OK)
        return status;
    double d = curve->d[k], share = curve->share[k];
    if (!(0.5 * d > 0.0 && scree_is_length(0.5 * d)))
        return scree_input_fail(csv->input, csv->line, "d = %g is not a diameter; expected above 0 and at most %g", d,
                                SCREE_LENGTH_MAX);
    if (k > 0 && !(d > curve->d[k - 1]))
        return scree_input_fail(csv->input, csv->line, "d = %.17g after %.17g; expected diameters that rise from line to line", d,
                                curve->d[k - 1]);
    if (!(share >= 0.0) || isinf(share))
        return scree_input_fail(csv->input, csv->line, "%s is %g; expected 0 or more", share_name, share);
    if (k == 0 && curve->kind == SCREE_TABLE_PASSING_MASS && share != 0.0)
        return scree_input_fail(csv->input, csv->line, "passing_mass begins with %g; expected 0 at the smallest diameter",
                                share);
    if (k > 0 && curve->kind == SCREE_TABLE_PASSING_MASS && share < curve->share[k - 1])
        return scree_input_fail(csv->input, csv->line, "passing_mass = %.17g after %.17g; expected more for a wider sieve",
                                share, curve->share[k - 1]);
    ++curve->rows;
    return SCREE_OK;
}

static scree_status read_curve(const char* path, int32_t dim, scree_sizes** out)
{
    scree_input input;
    scree_status status = scree_input_open(&input, path, scree_get_watch());
    if (status != SCREE_OK)
        return status;
    sieve_curve curve = {.csv = {.input = &input}};
    status = read_header(&curve);
    for (bool more = true; status == SCREE_OK;) {
        status = scree_csv_next(&curve.csv, &more);
        if (status != SCREE_OK || !more)
            break;
        status = read_row(&curve);
    }
    if (status == SCREE_OK && curve.rows == 0)
        status = scree_input_fail(&input, input.line, "the table has no rows; expected one or more");
    if (status == SCREE_OK) {
        status = scree_sizes_table(curve.kind, dim, curve.rows, curve.d, curve.share, out);
        if (status == SCREE_ERR_ARGUMENT)  // an error of the file, not of the call
            status = scree_fail(dim == 2 || dim == 3 ? SCREE_ERR_FORMAT : SCREE_ERR_ARGUMENT, "%s: %s", input.name,
                                scree_error_message());
    }
    scree_free(curve.d);
    scree_free(curve.share);
    scree_csv_close(&curve.csv);
    scree_input_close(&input);
    return status;
}

scree_status scree_read_sizes(const char* text, int32_t dim, scree_sizes** out)
{
    SCREE_EMPTY(out);
    SCREE_NEED(text);
    static const char prefix[] = "table:";
    if (strncmp(text, prefix, sizeof prefix - 1) != 0)
        return scree_sizes_parse(text, dim, out);
    const char* path = text + sizeof prefix - 1;
    if (*path == '\0')
        return scree_fail(SCREE_ERR_ARGUMENT, "'%s': expected a file after the colon, like table:sieves.csv", text);
    return read_curve(path, dim, out);
}
