// CSV of spheres: a header that names the columns, then one sphere a line.
//
// Liberal in form (csv.c says how far), with columns in any order. Strict in content: a line that does not make a sphere
// is an error with file, line, column and the word that was found; nothing is guessed and no row is dropped.
//
// One pass, O(bytes) time and O(rows) memory, no allocation per line. What kind of column a further column is
// is known only at the end of the file: it starts as whole numbers, turns to doubles at the first value that is a number
// but not a whole one, and to text at the first that is none. So that "007" is still "007" if row 9,000,000 says "n/a",
// the words of further columns are kept as they came until the end: some 20 bytes a value for a while.
#include "files/csv.h"

#include "base/array.h"
#include "base/number.h"
#include "files/words.h"
#include "geom/length.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

// ---- Columns -----------------------------------------------------------------------------------------------------

#define COLUMNS_MAX 10000  // names are compared each with each

typedef enum part { PART_X, PART_Y, PART_Z, PART_R, PART_D, PART_FURTHER } part;

typedef struct file_column {
    char* name;  // as in the file
    part part;
    // PART_FURTHER only: what was read so far. One of integers and values is there, or neither once it is text.
    scree_column_kind kind;
    int64_t* integers;
    double* values;
    int64_t capacity;
    char* text;  // every word, closed by '\0'
    int64_t text_length, text_capacity;
} file_column;

typedef struct sphere_reader {
    scree_csv csv;
    file_column* columns;
    int64_t column_count, column_capacity;
    int32_t dim;
    int64_t count;
    double* x;
    int64_t x_capacity;
    double* r;
    int64_t r_capacity;
} sphere_reader;

static part part_of(const char* name, int64_t length)
{
    static const struct {
        const char* name;
        part part;
    } known[] = {{"x", PART_X}, {"y", PART_Y}, {"z", PART_Z},       {"r", PART_R}, {"radius", PART_R},
                 {"d", PART_D}, {"diameter", PART_D}};
    for (size_t k = 0; k < sizeof known / sizeof *known; ++k)
        if (scree_word_is_any_case((scree_word){name, name + length}, known[k].name))
            return known[k].part;
    return PART_FURTHER;
}

bool scree_csv_is_sphere_name(const char* name, size_t length)
{
    return part_of(name, (int64_t)length) != PART_FURTHER;
}

static void free_reader(sphere_reader* reader)
{
    for (int64_t c = 0; c < reader->column_count; ++c) {
        scree_free(reader->columns[c].name);
        scree_free(reader->columns[c].integers);
        scree_free(reader->columns[c].values);
        scree_free(reader->columns[c].text);
    }
    scree_free(reader->columns);
    scree_free(reader->x);
    scree_free(reader->r);
    scree_csv_close(&reader->csv);
}

// The name of column c; one without a name (the row numbers of pandas have none) is called after its place.
static char* column_name(const scree_csv* csv, int64_t c)
{
    const scree_field* field = &csv->field[c];
    int64_t length = field->end - field->begin;
    char* name = scree_malloc((size_t)length + 32, 1);
    if (name == NULL)
        return NULL;
    if (length == 0) {
        snprintf(name, 32, "column_%" PRId64, c + 1);
    } else {
        memcpy(name, csv->text + field->begin, (size_t)length);
        name[length] = '\0';
    }
    return name;
}

static bool all_numbers(const scree_csv* csv)
{
    double unused;
    for (int64_t c = 0; c < csv->count; ++c)
        if (!scree_csv_is_number(csv, c, &unused))
            return false;
    return true;
}

static scree_status check_header(const sphere_reader* reader)
{
    const scree_csv* csv = &reader->csv;
    const file_column* of[PART_FURTHER] = {NULL};
    char one[SCREE_SHOWN], two[SCREE_SHOWN];
    for (int64_t c = 0; c < reader->column_count; ++c) {
        const file_column* column = &reader->columns[c];
        if (column->part < PART_FURTHER) {
            if (of[column->part] != NULL)
                return scree_input_fail(csv->input, csv->line, "the header names '%s' and '%s'; expected one of them",
                                        of[column->part]->name, column->name);
            of[column->part] = column;
            continue;
        }
        for (int64_t b = 0; b < c; ++b)
            if (strcmp(reader->columns[b].name, column->name) == 0)
                return scree_input_fail(csv->input, csv->line, "the header names '%s' twice; expected it once",
                                        scree_csv_shown(one, column->name, (int64_t)strlen(column->name)));
    }
    if (of[PART_R] != NULL && of[PART_D] != NULL)
        return scree_input_fail(csv->input, csv->line, "the header names both '%s' and '%s'; expected radii or diameters",
                                of[PART_R]->name, of[PART_D]->name);
    bool x = of[PART_X] != NULL, y = of[PART_Y] != NULL, r = of[PART_R] != NULL || of[PART_D] != NULL;
    if (x && y && r)
        return SCREE_OK;
    if (all_numbers(csv))
        return scree_input_fail(csv->input, csv->line,
                                "the first line holds numbers; expected names of columns, like x,y,z,r%s",
                                csv->skipped ? " (lines that begin with '#' are skipped)" : "");
    const char* missing = x ? y ? "r (nor radius, d, diameter)" : r ? "y" : "y and no r"
                          : y ? r ? "x" : "x and no r"
                          : r ? "x and no y"
                              : "x, no y and no r";
    if (reader->column_count == 1)
        return scree_input_fail(csv->input, csv->line,
                                "the header '%s' names no column %s; expected names separated by commas, semicolons or tabs",
                                scree_csv_shown_field(csv, 0, one), missing);
    return scree_input_fail(csv->input, csv->line,
                            "the header names no column %s, but '%s', '%s', ...; expected x, y and r, and z for 3D",
                            missing, scree_csv_shown_field(csv, 0, one), scree_csv_shown_field(csv, 1, two));
}

static scree_status read_header(sphere_reader* reader)
{
    scree_csv* csv = &reader->csv;
    scree_status status = scree_csv_header(csv, "names of columns like x,y,z,r");
    if (status != SCREE_OK)
        return status;
    if (csv->count > COLUMNS_MAX)
        return scree_input_fail(csv->input, csv->line, "the header has %" PRId64 " columns; expected at most %d", csv->count,
                                COLUMNS_MAX);
    reader->dim = 2;
    for (int64_t c = 0; c < csv->count; ++c) {
        status = SCREE_RESERVE(reader->columns, reader->column_capacity, c + 1);
        if (status != SCREE_OK)
            return status;
        file_column* made = &reader->columns[c];
        *made = (file_column){.name = column_name(csv, c), .kind = SCREE_COLUMN_INT64};
        if (made->name == NULL)
            return SCREE_ERR_MEMORY;
        reader->column_count = c + 1;
        made->part = part_of(made->name, (int64_t)strlen(made->name));
        reader->dim += made->part == PART_Z;
    }
    return check_header(reader);
}

// ---- Rows --------------------------------------------------------------------------------------------------------

static scree_status explain_length(const scree_csv* csv, int64_t c, const file_column* column, double value)
{
    char shown[SCREE_SHOWN];
    scree_status status = scree_csv_number(csv, c, column->name, &value);
    if (status != SCREE_OK)
        return status;
    scree_csv_shown_field(csv, c, shown);
    const char* what = column->part == PART_R ? "radius" : column->part == PART_D ? "diameter" : "coordinate";
    if (isnan(value))
        return scree_input_fail(csv->input, csv->line, "column '%s' holds '%s'; expected a %s", column->name, shown, what);
    if (value < 0.0 && column->part >= PART_R)
        return scree_input_fail(csv->input, csv->line, "column '%s' holds '%s'; expected a %s of 0 or more", column->name, shown,
                                what);
    return scree_input_fail(csv->input, csv->line, "column '%s' holds '%s'; expected a %s, 0 or %g to %g in size",
                            column->name, shown, what, SCREE_LENGTH_MIN, SCREE_LENGTH_MAX);
}

// Whether a number that was read as 0 is written as 0, and not as something too small for a double (1e-400).
static bool is_zero(const scree_csv* csv, const scree_field* field)
{
    const char* p = csv->text + field->begin;
    for (const char* end = csv->text + field->end; p < end && *p != 'e' && *p != 'E'; ++p)
        if (*p >= '1' && *p <= '9')
            return false;
    return true;
}

// A coordinate or a radius. A few comparisons for the many good values; the bad one gets its explanation.
static scree_status read_length(const scree_csv* csv, int64_t c, const file_column* column, double* length)
{
    double value = 0.0;
    bool number = scree_csv_is_number(csv, c, &value);
    if (column->part == PART_D)
        value /= 2.0;
    if (number && scree_is_length(value) && (value != 0.0 || is_zero(csv, &csv->field[c])) &&
        (column->part < PART_R || value >= 0.0)) {
        *length = value;
        return SCREE_OK;
    }
    return explain_length(csv, c, column, value);
}

// A whole number written with digits only, that fits. "-0" does not: as an integer it would lose its sign.
static bool whole_number(const char* p, const char* end, int64_t* value)
{
    bool negative = p < end && *p == '-';
    if (p < end && (*p == '-' || *p == '+'))
        ++p;
    if (p == end)
        return false;
    uint64_t size = 0, limit = (uint64_t)INT64_MAX + negative;
    for (; p < end; ++p) {
        uint64_t digit = (uint64_t)(unsigned char)*p - '0';
        if (digit > 9 || size > (limit - digit) / 10)
            return false;
        size = size * 10 + digit;
    }
    if (negative && size == 0)
        return false;
    *value = negative ? (int64_t)(0 - size) : (int64_t)size;
    return true;
}

static scree_status turn_to_doubles(file_column* column, int64_t count)
{
    double* values = scree_malloc((size_t)column->capacity, sizeof *values);
    if (values == NULL)
        return SCREE_ERR_MEMORY;
    for (int64_t i = 0; i < count; ++i)
        values[i] = (double)column->integers[i];  // rounds as reading the digits would
    scree_free(column->integers);
    column->integers = NULL;
    column->values = values;
    column->kind = SCREE_COLUMN_DOUBLE;
    return SCREE_OK;
}

static void turn_to_text(file_column* column)
{
    scree_free(column->integers);
    scree_free(column->values);
    column->integers = NULL;
    column->values = NULL;
    column->kind = SCREE_COLUMN_TEXT;
}

// The value of further column c in row `row`.
static scree_status read_further(const scree_csv* csv, int64_t c, file_column* column, int64_t row)
{
    const scree_field* field = &csv->field[c];
    const char *begin = csv->text + field->begin, *end = csv->text + field->end;
    scree_status status = SCREE_RESERVE(column->text, column->text_capacity, column->text_length + (end - begin) + 1);
    if (status != SCREE_OK)
        return status;
    memcpy(column->text + column->text_length, begin, (size_t)(end - begin));
    column->text_length += end - begin;
    column->text[column->text_length++] = '\0';

    if (column->kind == SCREE_COLUMN_TEXT)
        return SCREE_OK;
    if (field->quoted) {  // who quotes a further value means text
        turn_to_text(column);
        return SCREE_OK;
    }
    if (column->kind == SCREE_COLUMN_INT64) {
        status = SCREE_RESERVE(column->integers, column->capacity, row + 1);
        if (status != SCREE_OK || whole_number(begin, end, &column->integers[row]))
            return status;
    } else {
        status = SCREE_RESERVE(column->values, column->capacity, row + 1);
        if (status != SCREE_OK)
            return status;
    }
    double value;
    if (!scree_number_parse(begin, end, &value) || (isinf(value) && memchr(begin, 'n', (size_t)(end - begin)) == NULL &&
                                                    memchr(begin, 'N', (size_t)(end - begin)) == NULL)) {
        turn_to_text(column);  // also digits beyond what a double can hold: they stay as they are
        return SCREE_OK;
    }
    if (column->kind == SCREE_COLUMN_INT64) {
        status = turn_to_doubles(column, row);
        if (status != SCREE_OK)
            return status;
    }
    column->values[row] = value;
    return SCREE_OK;
}

static scree_status read_row(sphere_reader* reader)
{
    const scree_csv* csv = &reader->csv;
    int64_t i = reader->count;
    scree_status status = scree_csv_check_width(csv, reader->column_count);
    if (status == SCREE_OK)
        status = SCREE_RESERVE(reader->x, reader->x_capacity, (i + 1) * reader->dim);
    if (status == SCREE_OK)
        status = SCREE_RESERVE(reader->r, reader->r_capacity, i + 1);
    for (int64_t c = 0; status == SCREE_OK && c < reader->column_count; ++c) {
        file_column* column = &reader->columns[c];
        if (column->part <= PART_Z)
            status = read_length(csv, c, column, &reader->x[i * reader->dim + (int)column->part]);
        else if (column->part <= PART_D)
            status = read_length(csv, c, column, &reader->r[i]);
        else
            status = read_further(csv, c, column, i);
    }
    reader->count += status == SCREE_OK;
    return status;
}

// ---- The set -----------------------------------------------------------------------------------------------------

// Columns v_x,v_y[,v_z] side by side are one vector v, and v_0,v_1,...,v_{c-1} one with c >= 4 components: just what the
// writer makes of vectors. How many of the columns from c on are one; 1 if it stands alone.
static int64_t vector_length(const sphere_reader* reader, int64_t c)
{
    const char* name = reader->columns[c].name;
    size_t stem = strlen(name);
    if (stem < 3 || name[stem - 2] != '_' || (name[stem - 1] != 'x' && name[stem - 1] != '0'))
        return 1;
    bool axes = name[stem - 1] == 'x';
    --stem;  // the '_' belongs to it
    if (scree_csv_is_sphere_name(name, stem - 1))
        return 1;
    for (int64_t b = 0; b < reader->column_count; ++b)  // the vector's name must be free
        if (strlen(reader->columns[b].name) == stem - 1 && memcmp(reader->columns[b].name, name, stem - 1) == 0)
            return 1;
    int64_t length = 0, most = axes ? 3 : 64;
    for (; length < most && c + length < reader->column_count; ++length) {
        const file_column* next = &reader->columns[c + length];
        char end[8];
        if (axes)
            snprintf(end, sizeof end, "%c", "xyz"[length]);
        else
            snprintf(end, sizeof end, "%d", (int)length);
        if (next->part != PART_FURTHER || next->kind == SCREE_COLUMN_TEXT || strncmp(next->name, name, stem) != 0 ||
            strcmp(next->name + stem, end) != 0)
            break;
    }
    return length >= (axes ? 2 : 4) ? length : 1;
}

// Moves the words of a column to the set: where each begins is found by walking over them.
static scree_status take_text(file_column* from, int64_t count, scree_column* to)
{
    to->offset = scree_malloc((size_t)count, sizeof *to->offset);
    if (to->offset == NULL)
        return SCREE_ERR_MEMORY;
    scree_status status = scree_resize(&from->text, from->text_length, 1);
    if (status != SCREE_OK)
        return status;
    int64_t at = 0;
    for (int64_t i = 0; i < count; ++i) {
        to->offset[i] = at;
        at += (int64_t)strlen(from->text + at) + 1;
    }
    to->text = from->text;
    from->text = NULL;
    return SCREE_OK;
}

// Moves the numbers of `components` columns to one column of the set: doubles if any of them are.
static scree_status take_numbers(file_column* from, int64_t components, int64_t count, scree_column* to)
{
    to->kind = SCREE_COLUMN_INT64;
    for (int64_t k = 0; k < components; ++k)
        if (from[k].kind == SCREE_COLUMN_DOUBLE || count == 0)
            to->kind = SCREE_COLUMN_DOUBLE;
    if (components == 1 && count > 0) {
        to->values = from->values;
        to->integers = from->integers;
        from->values = NULL;
        from->integers = NULL;
        return to->values != NULL ? scree_resize(&to->values, count, sizeof *to->values)
                                  : scree_resize(&to->integers, count, sizeof *to->integers);
    }
    if (to->kind == SCREE_COLUMN_DOUBLE) {
        to->values = scree_malloc((size_t)count * (size_t)components, sizeof *to->values);
        if (to->values == NULL)
            return SCREE_ERR_MEMORY;
        for (int64_t k = 0; k < components; ++k)
            for (int64_t i = 0; i < count; ++i)
                to->values[i * components + k] =
                    from[k].values != NULL ? from[k].values[i] : (double)from[k].integers[i];
    } else {
        to->integers = scree_malloc((size_t)count * (size_t)components, sizeof *to->integers);
        if (to->integers == NULL)
            return SCREE_ERR_MEMORY;
        for (int64_t k = 0; k < components; ++k)
            for (int64_t i = 0; i < count; ++i)
                to->integers[i * components + k] = from[k].integers[i];
    }
    return SCREE_OK;
}

static scree_status take_column(sphere_reader* reader, int64_t c, int64_t components, scree_column* to)
{
    file_column* from = &reader->columns[c];
    *to = (scree_column){.kind = (int32_t)from->kind, .components = (int32_t)components};
    to->name = from->name;
    from->name = NULL;
    if (components > 1)
        to->name[strlen(to->name) - 2] = '\0';
    return from->kind == SCREE_COLUMN_TEXT ? take_text(from, reader->count, to)
                                           : take_numbers(from, components, reader->count, to);
}

static scree_status make_set(sphere_reader* reader, scree_sphere_set* set)
{
    set->dim = reader->dim;
    set->count = (int32_t)reader->count;
    set->box = scree_box_open(reader->dim);
    scree_status status = scree_resize(&reader->x, reader->count * reader->dim, sizeof *reader->x);
    if (status == SCREE_OK)
        status = scree_resize(&reader->r, reader->count, sizeof *reader->r);
    if (status != SCREE_OK)
        return status;

    // Names are handed over one by one, so what is a vector is decided before. The columns of the sphere itself move out
    // of the way, so that "side by side" does not depend on where in the file they stand.
    int64_t further = 0;
    for (int64_t c = 0; c < reader->column_count; ++c) {
        file_column kept = reader->columns[c];
        if (kept.part != PART_FURTHER)
            continue;
        for (int64_t b = c; b > further; --b)
            reader->columns[b] = reader->columns[b - 1];
        reader->columns[further++] = kept;
    }
    int64_t* components = scree_malloc((size_t)further, sizeof *components);
    set->columns = scree_calloc((size_t)further, sizeof *set->columns);
    if (components == NULL || set->columns == NULL)
        status = SCREE_ERR_MEMORY;
    for (int64_t c = 0; status == SCREE_OK && c < further; c += components[c]) {
        components[c] = vector_length(reader, c);
        for (int64_t b = 0; components[c] > 1 && b < c; b += components[b]) {  // a_x,a_y and a_0,...,a_3: one of them is a
            size_t stem = strlen(reader->columns[c].name) - 2;
            const char* other = reader->columns[b].name;
            if (components[b] > 1 && strlen(other) == stem + 2 && memcmp(other, reader->columns[c].name, stem) == 0)
                components[c] = 1;
        }
    }
    for (int64_t c = 0; status == SCREE_OK && c < further; c += components[c])
        status = take_column(reader, c, components[c], &set->columns[set->column_count++]);
    scree_free(components);
    if (status != SCREE_OK)
        return status;
    set->x = reader->x;
    set->r = reader->r;
    reader->x = NULL;
    reader->r = NULL;
    return SCREE_OK;
}

scree_status scree_csv_read_at_most(scree_input* input, int64_t rows, scree_sphere_set* out)
{
    sphere_reader reader = {.csv = {.input = input}};
    scree_sphere_set set = {0};
    scree_status status = read_header(&reader);
    for (bool more = true; status == SCREE_OK;) {
        status = scree_csv_next(&reader.csv, &more);
        if (status != SCREE_OK || !more)
            break;
        status = reader.count < rows ? read_row(&reader)
                                     : scree_input_fail(input, reader.csv.line, "there are further spheres; expected at most %" PRId64, rows);
    }
    if (status == SCREE_OK)
        status = make_set(&reader, &set);
    free_reader(&reader);
    if (status == SCREE_OK)
        *out = set;
    else
        scree_sphere_set_free(&set);
    return status;
}

scree_status scree_csv_read_spheres(scree_input* input, scree_sphere_set* out)
{
    return scree_csv_read_at_most(input, INT32_MAX, out);
}
