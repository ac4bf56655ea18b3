// Comma-separated values: the tokenizer that all CSV readers share (csv.c), and the public calls of the CSV formats.
#ifndef SCREE_FILES_CSV_H
#define SCREE_FILES_CSV_H

#include "files/input.h"
#include "files/output.h"
#include "scree/files.h"

// A field of the current record, without its quotes and the blanks around it: text[begin .. end-1]. No '\0' in it.
typedef struct scree_field {
    int64_t begin, end;
    bool quoted;
} scree_field;

typedef struct scree_csv {
    scree_input* input;
    char separator;      // ',' ';' or '\t'; 0 before the header, which decides
    bool skipped;        // whether comment lines were skipped before the current record
    int64_t line;        // where the current record begins
    char* text;          // the current record, valid until the next
    scree_field* field;  // its fields ...
    int64_t count;       // ... and how many there are
    int64_t capacity;
} scree_csv;

// Goes to the next record that is neither blank nor a comment; the first is the header and decides on the separator.
// *more = false at the end. FORMAT, IO, MEMORY, CANCELLED. `csv` begins zeroed but for `input`.
scree_status scree_csv_next(scree_csv* csv, bool* more);
scree_status scree_csv_header(scree_csv* csv, const char* columns);  // the first one. FORMAT where there is none: `columns` are what was expected
void scree_csv_close(scree_csv* csv);  // frees the fields; the input is its owner's

// Whether field c is this word, whatever its case.
bool scree_csv_is(const scree_csv* csv, int64_t c, const char* word);

// Whether the current record has as many fields as the header: FORMAT with both numbers if not.
scree_status scree_csv_check_width(const scree_csv* csv, int64_t columns);

// Whether field c is a number (nan and inf too), and which.
bool scree_csv_is_number(const scree_csv* csv, int64_t c, double* value);

// Field c as a number (nan and inf too); FORMAT with file:line, `name` and the text found.
scree_status scree_csv_number(const scree_csv* csv, int64_t c, const char* name, double* value);

// Any bytes in a form fit for a message: at most some 40 characters, control characters and broken UTF-8 as '?'.
#define SCREE_SHOWN 64
void scree_csv_put_text(scree_output* output, const char* text);  // a field, in quotes where the reader would take it for something else
const char* scree_csv_shown(char shown[SCREE_SHOWN], const char* text, int64_t length);
const char* scree_csv_shown_field(const scree_csv* csv, int64_t c, char shown[SCREE_SHOWN]);

// A name that means a part of the sphere itself (x, y, z, r, radius, d, diameter, in any case).
bool scree_csv_is_sphere_name(const char* name, size_t length);

// ---- The formats, for the table in files.c -----------------------------------------------------------------------
scree_status scree_csv_read_spheres(scree_input* input, scree_sphere_set* out);
scree_status scree_csv_read_at_most(scree_input* input, int64_t rows, scree_sphere_set* out);  // more is FORMAT
void scree_csv_write_spheres(scree_output* output, const scree_sphere_set* set);
scree_status scree_csv_check_names(const scree_sphere_set* set);  // whether its columns have different names in a file
void scree_csv_write_pairs_header(scree_output* output, bool shifted);
void scree_csv_write_pairs(scree_output* output, const scree_box* box, scree_spheres spheres, scree_pairs pairs, int64_t done, int64_t all);  // `done` of `all` were written before: for progress

#endif
