// The contacts of a frame, from the CSV file that src/run/contacts.c writes. One pass, O(bytes); columns in any order, those that are not needed are skipped.
#include "scree/files.h"

#include "base/argument.h"
#include "base/array.h"
#include "files/csv.h"
#include "files/input.h"
#include "files/options.h"

#include <inttypes.h>
#include <math.h>

enum { COLUMN_I, COLUMN_J, OVERLAP, NORMAL, FORCE = NORMAL + 3, needed = FORCE + 3, SHIFT = needed, column_count = SHIFT + 3 };

static const char* const names[column_count] = {"i", "j", "overlap", "nx", "ny", "nz", "fx", "fy", "fz", "sx", "sy", "sz"};

typedef struct contact_reader {
    scree_csv csv;
    int64_t at[column_count];  // -1: it is not there
    int64_t columns;
    int64_t rows;
    int64_t (*ij)[2];
    int8_t (*shift)[3];
    double* overlap;
    double (*normal)[3];
    double (*force)[3];
    int64_t room[5];
} contact_reader;

static scree_status read_header(contact_reader* reader)
{
    scree_csv* csv = &reader->csv;
    scree_status status = scree_csv_header(csv, "i,j,overlap,nx,ny,nz,fx,fy,fz");
    if (status != SCREE_OK)
        return status;
    for (int k = 0; k < column_count; ++k)
        reader->at[k] = -1;
    for (int64_t c = 0; c < csv->count; ++c)
        for (int k = 0; k < column_count; ++k)
            if (scree_csv_is(csv, c, names[k])) {
                if (reader->at[k] >= 0)
                    return scree_input_fail(csv->input, csv->line, "the header names '%s' twice; expected it once", names[k]);
                reader->at[k] = c;
            }
    bool shifted = reader->at[SHIFT] >= 0 || reader->at[SHIFT + 1] >= 0 || reader->at[SHIFT + 2] >= 0;
    for (int k = 0; k < (shifted ? column_count : needed); ++k)
        if (reader->at[k] < 0)
            return scree_input_fail(csv->input, csv->line, "the header names no column '%s'; expected i,j,overlap,nx,ny,nz,fx,fy,fz", names[k]);
    reader->columns = csv->count;
    return SCREE_OK;
}

static scree_status read_value(const contact_reader* reader, int k, double least, double most, double* value)
{
    scree_status status = scree_csv_number(&reader->csv, reader->at[k], names[k], value);
    bool whole = k == COLUMN_I || k == COLUMN_J || k >= SHIFT;
    if (status == SCREE_OK && (!(*value >= least && *value <= most) || (whole && *value != floor(*value))))
        status = scree_input_fail(reader->csv.input, reader->csv.line, "%s = %g; expected a %snumber from %g to %g", names[k], *value, whole ? "whole " : "", least,
                                  most);
    return status;
}

static scree_status read_row(contact_reader* reader)
{
    int64_t row = reader->rows;
    double value[column_count] = {0.0};
    scree_status status = scree_csv_check_width(&reader->csv, reader->columns);
    for (int k = 0; k < column_count && status == SCREE_OK; ++k)
        if (reader->at[k] >= 0)
            status = k == COLUMN_I ? read_value(reader, k, 0.0, INT32_MAX, &value[k])
                     : k == COLUMN_J ? read_value(reader, k, -INT32_MAX, INT32_MAX, &value[k])
                     : k >= SHIFT    ? read_value(reader, k, INT8_MIN, INT8_MAX, &value[k])
                                     : read_value(reader, k, -1e300, 1e300, &value[k]);
    if (status == SCREE_OK)
        status = SCREE_RESERVE(reader->ij, reader->room[0], row + 1);
    if (status == SCREE_OK)
        status = SCREE_RESERVE(reader->overlap, reader->room[1], row + 1);
    if (status == SCREE_OK)
        status = SCREE_RESERVE(reader->normal, reader->room[2], row + 1);
    if (status == SCREE_OK)
        status = SCREE_RESERVE(reader->force, reader->room[3], row + 1);
    if (status == SCREE_OK && reader->at[SHIFT] >= 0)
        status = SCREE_RESERVE(reader->shift, reader->room[4], row + 1);
    if (status != SCREE_OK)
        return status;
    for (int k = 0; k < 2; ++k)
        reader->ij[row][k] = (int64_t)value[COLUMN_I + k];
    reader->overlap[row] = value[OVERLAP];
    for (int k = 0; k < 3; ++k) {
        reader->normal[row][k] = value[NORMAL + k];
        reader->force[row][k] = value[FORCE + k];
        if (reader->shift != NULL)
            reader->shift[row][k] = (int8_t)value[SHIFT + k];
    }
    ++reader->rows;
    return SCREE_OK;
}

scree_status scree_read_contacts(const char* path, const scree_file_options* given, scree_contact_table* out)
{
    SCREE_EMPTY(out);
    SCREE_NEED(path);
    scree_file_options options;
    scree_input input;
    scree_status status = scree_file_options_take(given, &options);
    if (status == SCREE_OK && options.format != SCREE_FORMAT_AUTO && options.format != SCREE_FORMAT_CSV)
        status = scree_fail(SCREE_ERR_ARGUMENT, "%s: this is not a file of contacts; expected the format csv", path);
    if (status == SCREE_OK)
        status = scree_input_open(&input, path, options.watch);
    if (status != SCREE_OK)
        return status;
    contact_reader reader = {.csv = {.input = &input}};
    status = read_header(&reader);
    for (bool more = true; status == SCREE_OK;) {
        status = scree_csv_next(&reader.csv, &more);
        if (status != SCREE_OK || !more)
            break;
        status = read_row(&reader);
    }
    scree_csv_close(&reader.csv);
    scree_input_close(&input);
    scree_contact_table found = {.contacts = {.count = reader.rows,
                                              .ij = (const int64_t(*)[2])reader.ij,
                                              .shift = (const int8_t(*)[3])reader.shift,
                                              .overlap = reader.overlap,
                                              .normal = (const double(*)[3])reader.normal,
                                              .force = (const double(*)[3])reader.force}};
    for (int64_t c = 0; c < reader.rows && status == SCREE_OK; ++c)
        found.contacts.pair_count += reader.ij[c][1] >= 0;
    if (status == SCREE_OK)
        *out = found;
    else
        scree_contact_table_free(&found);
    return status;
}
