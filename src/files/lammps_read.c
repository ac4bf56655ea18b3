// LAMMPS data files of atom_style sphere (LAMMPS manual, read_data):
//
//     a line that LAMMPS does not look at
//                                                   header: a number and what it counts, in any order
//     3 atoms
//     1 atom types
//     0 10 xlo xhi                                  and ylo yhi, zlo zhi
//
//     Atoms # sphere                                sections: a keyword, then a row per atom (or type, or bond, ...)
//
//     2 1 0.5 2500 1 2 3                            id type diameter density x y z, and perhaps three image flags
//     ...
//     Velocities
//
//     2 0 0 -1 0 0 0                                id, velocity, angular velocity
//
// Rows come in any order (LAMMPS writes processor by processor) and are sorted by id. Sections and header lines that
// are not about spheres (Masses, coefficients, data of fixes) are skipped: a section begins with a letter,
// a row does not. The format does not store which axes are periodic or that spheres are discs; scree writes this in
// line 1. In other files the axes of a tilt (a line 'xy xz yz') are periodic: LAMMPS tilts no other ones.
//
// One pass and a radix sort: O(bytes) time, O(rows) memory, whatever number of atoms the header promises.
#include "files/lammps.h"

#include "base/array.h"
#include "base/sort.h"
#include "files/csv.h"
#include "files/finite_box.h"
#include "files/formats.h"
#include "files/growing.h"
#include "files/words.h"
#include "geom/length.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

const char* const scree_lammps_name[SCREE_LAMMPS_PLACES] = {"id",       "type",  "density", "material_density",
                                                            "velocity", "omega", "image"};

// Rows with ids, in the order of the file, and in which lines they stand: a new entry where row and line part ways.
typedef struct id_list {
    int64_t* id;
    int64_t count, capacity;
    struct {
        int64_t row, line;
    } * start;
    int64_t start_count, start_capacity;
} id_list;

typedef struct lammps_reader {
    scree_input* input;
    scree_growing growing;
    int64_t promised;   // atoms, by the header; -1: not yet known
    bool closed;        // whether the last line that was read ended with a '\n'
    int64_t ends_line;  // where the header last gave ends of the box ...
    bool has_end[3];    // ... and of which axes
    double lower[3], upper[3];
    double tilt[3];     // xy, xz, yz
    // What line 1 says if we wrote it.
    bool marked;
    int32_t dim;
    char letters[8];                          // of the box; "none"; "": nothing said
    int32_t container;                        // the box bounds it
    int32_t components[SCREE_LAMMPS_PLACES];  // of the columns that the set had; 0: it had none
    int32_t turn[SCREE_LAMMPS_PLACES];        // which column it was
    id_list atoms;
    int64_t words;  // per atom: 7 or 10
    bool atoms_read;
    id_list moving;  // rows of Velocities
    double* velocity;
    int64_t velocity_capacity;
    bool velocities_read;
} lammps_reader;

// ---- Lines -------------------------------------------------------------------------------------------------------

typedef struct text_line {
    const char *begin, *end;  // without its comment
    scree_word comment;       // behind the '#'
    scree_word first;         // its first word
} text_line;

static scree_status fail_at_word(const lammps_reader* reader, scree_word word, const char* format)
{
    char shown[SCREE_SHOWN];
    scree_csv_shown(shown, word.begin, word.end - word.begin);
    return scree_input_fail(reader->input, reader->input->line, format, shown);
}

// The next line that has a word.
static scree_status next_line(lammps_reader* reader, text_line* line, bool* more)
{
    for (;;) {
        char* text;
        int64_t length;
        scree_status status = scree_text_line(reader->input, &text, &length, more);
        if (status != SCREE_OK || !*more)
            return status;
        reader->closed = scree_input_line_closed(reader->input);
        const char *end = text + length, *hash = length > 0 ? memchr(text, '#', (size_t)length) : NULL;
        *line = (text_line){
            .begin = text, .end = hash == NULL ? end : hash, .comment = {hash == NULL ? end : hash + 1, end}};
        const char* at = text;
        if (scree_next_word(&at, line->end, &line->first))
            return SCREE_OK;
    }
}

static bool is_keyword(const text_line* line)
{
    char c = *line->first.begin;
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

// Up to `most` words; how many there are.
static int64_t split(const text_line* line, int64_t most, scree_word* words)
{
    const char* at = line->begin;
    int64_t count = 0;
    for (scree_word word; scree_next_word(&at, line->end, &word); ++count)
        if (count < most)
            words[count] = word;
    return count;
}

// ---- Line 1 ------------------------------------------------------------------------------------------------------

static bool after(scree_word word, const char* key, scree_word* value)
{
    size_t length = strlen(key);
    if ((size_t)(word.end - word.begin) <= length || memcmp(word.begin, key, length) != 0)
        return false;
    *value = (scree_word){word.begin + length, word.end};
    return true;
}

// columns=type:1,velocity:3
static void read_marked_columns(lammps_reader* reader, scree_word list)
{
    int32_t turn = 0;
    for (const char* at = list.begin; at < list.end;) {
        const char* comma = memchr(at, ',', (size_t)(list.end - at));
        const char *end = comma == NULL ? list.end : comma, *colon = memchr(at, ':', (size_t)(end - at));
        int64_t components;
        for (int p = 0; colon != NULL && p < SCREE_LAMMPS_PLACES; ++p)
            if (scree_word_is((scree_word){at, colon}, scree_lammps_name[p]) &&
                scree_word_integer((scree_word){colon + 1, end}, &components) && components >= 1 && components <= 3) {
                reader->components[p] = (int32_t)components;
                reader->turn[p] = ++turn;
            }
        at = end + 1;
    }
}

// # scree dim=2 box=pw columns=type:1
static scree_status read_first_line(lammps_reader* reader)
{
    char* text;
    int64_t length;
    bool more;
    scree_status status = scree_text_line(reader->input, &text, &length, &more);
    if (status != SCREE_OK)
        return status;
    if (!more)
        return scree_input_fail(reader->input, 1, "the file is empty; expected a LAMMPS data file");
    const char *at = text, *end = text + length;
    scree_word word, value;
    if (!scree_next_word(&at, end, &word))
        return SCREE_OK;
    if (scree_word_is(word, "ITEM:"))
        return scree_input_fail(reader->input, 1,
                                "this is a dump file of LAMMPS; expected a data file (of write_data)");
    if (!scree_word_is(word, "#") || !scree_next_word(&at, end, &word) || !scree_word_is(word, "scree"))
        return SCREE_OK;
    while (scree_next_word(&at, end, &word)) {
        if (after(word, "dim=", &value) && (scree_word_is(value, "2") || scree_word_is(value, "3"))) {
            reader->marked = true;
            reader->dim = *value.begin - '0';
        } else if (after(word, "box=", &value) && value.end - value.begin < (int64_t)sizeof reader->letters) {
            memset(reader->letters, 0, sizeof reader->letters);
            memcpy(reader->letters, value.begin, (size_t)(value.end - value.begin));
        } else if (after(word, "container=", &value)) {
            if (!scree_container_of_word(value, &reader->container))
                return fail_at_word(reader, value, "container=%s; expected box, cylinder or sphere");
        } else if (after(word, "columns=", &value)) {
            read_marked_columns(reader, value);
        }
    }
    return SCREE_OK;
}

// ---- Header ------------------------------------------------------------------------------------------------------

static scree_status read_ends(lammps_reader* reader, const scree_word* words, int k)
{
    for (int e = 0; e < 2; ++e)
        if (!scree_word_number(words[e], e == 0 ? &reader->lower[k] : &reader->upper[k]) ||
            !scree_is_length(e == 0 ? reader->lower[k] : reader->upper[k]))
            return fail_at_word(reader, words[e], "'%s' is not a bound of the box; expected two lengths");
    if (!(reader->upper[k] >= reader->lower[k]))
        return fail_at_word(reader, words[1], "the upper end '%s' of the box is below the lower one; expected it above");
    if (reader->has_end[k])
        return fail_at_word(reader, words[2], "'%s' is given twice; expected it once");
    reader->has_end[k] = true;
    reader->ends_line = reader->input->line;
    return SCREE_OK;
}

// A line of the header whose number is none, nan say, looks like a keyword.
static bool is_header(const text_line* line)
{
    static const char* const ends[] = {"atoms", "xhi", "yhi", "zhi", "yz"};
    const char* at = line->begin;
    scree_word word, last = line->first;
    while (scree_next_word(&at, line->end, &word))
        last = word;
    for (size_t e = 0; e < sizeof ends / sizeof *ends; ++e)
        if (scree_word_is(last, ends[e]))
            return true;
    return false;
}

static scree_status read_header_line(lammps_reader* reader, const text_line* line)
{
    static const char* const ends[3][2] = {{"xlo", "xhi"}, {"ylo", "yhi"}, {"zlo", "zhi"}};
    scree_word words[6];
    int64_t count = split(line, 6, words);
    scree_word last = words[count < 6 ? count - 1 : 5];
    if (count == 2 && scree_word_is(words[1], "atoms")) {
        if (reader->promised >= 0)
            return fail_at_word(reader, words[1], "the number of '%s' is given twice; expected it once");
        if (!scree_word_integer(words[0], &reader->promised) || reader->promised < 0)
            return fail_at_word(reader, words[0], "'%s' is not a number of atoms; expected a whole number of 0 or more");
        return reader->promised <= INT32_MAX
                   ? SCREE_OK
                   : fail_at_word(reader, words[0], "'%s' atoms; expected at most 2147483647");
    }
    for (int k = 0; k < 3; ++k)
        if (count == 4 && scree_word_is(words[2], ends[k][0]) && scree_word_is(words[3], ends[k][1]))
            return read_ends(reader, words, k);
    bool tilted =
        count == 6 && scree_word_is(words[3], "xy") && scree_word_is(words[4], "xz") && scree_word_is(words[5], "yz");
    bool general = scree_word_is(last, "avec") || scree_word_is(last, "bvec") || scree_word_is(last, "cvec");
    for (int k = 0; k < 3 && tilted && !general; ++k) {
        if (!scree_word_number(words[k], &reader->tilt[k]) || !scree_is_length(reader->tilt[k]))
            return fail_at_word(reader, words[k], "'%s' is not a tilt of the box; expected a length");
        if (reader->tilt[k] != 0.0)
            reader->ends_line = reader->input->line;
    }
    if (general)
        return scree_fail(SCREE_ERR_UNSUPPORTED,
                          "%s:%" PRId64 ": a general triclinic box (avec, bvec, cvec); expected one with tilts (xy xz yz)",
                          reader->input->name, reader->input->line);
    return SCREE_OK;  // bonds, atom types and the like
}

// ---- Rows --------------------------------------------------------------------------------------------------------

static scree_status fail_at_value(const lammps_reader* reader, const char* name, scree_word word, const char* fault)
{
    char shown[SCREE_SHOWN];
    return scree_input_fail(reader->input, reader->input->line, "%s is '%s'%s", name,
                            scree_csv_shown(shown, word.begin, word.end - word.begin), fault);
}

static scree_status add_id(lammps_reader* reader, id_list* list, scree_word word)
{
    scree_status status = SCREE_RESERVE(list->id, list->capacity, list->count + 1);
    if (status != SCREE_OK)
        return status;
    if (!scree_word_integer(word, &list->id[list->count]) || list->id[list->count] < 1)
        return fail_at_value(reader, "id", word, "; expected a whole number above 0");
    int64_t line = reader->input->line, last = list->start_count - 1;
    if (last < 0 || line - list->start[last].line != list->count - list->start[last].row) {
        status = SCREE_RESERVE(list->start, list->start_capacity, list->start_count + 1);
        if (status != SCREE_OK)
            return status;
        list->start[list->start_count].row = list->count;
        list->start[list->start_count++].line = line;
    }
    ++list->count;
    return SCREE_OK;
}

static int64_t line_of(const id_list* list, int64_t row)
{
    int64_t s = list->start_count - 1;
    while (s > 0 && list->start[s].row > row)
        --s;
    return list->start[s].line + (row - list->start[s].row);
}

// The fields of an atom line, in its order; their indices in growing.fields.
enum { FIELD_TYPE, FIELD_DIAMETER, FIELD_DENSITY, FIELD_X, FIELD_Y, FIELD_Z, FIELD_IMAGE };

static scree_status settle_fields(lammps_reader* reader)
{
    static const struct {
        const char* name;
        scree_column_kind kind;
        int32_t components;
    } fields[] = {{"type", SCREE_COLUMN_INT64, 1},     {"diameter", SCREE_COLUMN_DOUBLE, 1},
                  {"density", SCREE_COLUMN_DOUBLE, 1}, {"x", SCREE_COLUMN_DOUBLE, 1},
                  {"y", SCREE_COLUMN_DOUBLE, 1},       {"z", SCREE_COLUMN_DOUBLE, 1},
                  {"image", SCREE_COLUMN_INT64, 3}};
    for (int f = 0; f <= (reader->words == 10 ? FIELD_IMAGE : FIELD_Z); ++f) {
        scree_status status = scree_growing_add(&reader->growing, fields[f].name, (int64_t)strlen(fields[f].name),
                                                fields[f].kind, fields[f].components);
        if (status != SCREE_OK)
            return status;
    }
    char fault[SCREE_FAULT];
    scree_status status = scree_growing_settle(&reader->growing, fault);
    if (reader->marked)
        reader->growing.dim = reader->dim;
    return status;
}

static scree_status read_integer(const lammps_reader* reader, int field, int32_t k, scree_word word)
{
    scree_column* data = &reader->growing.fields[field].data;
    return scree_word_integer(word, &data->integers[reader->growing.count * data->components + k])
               ? SCREE_OK
               : fail_at_value(reader, data->name, word, "; expected a whole number");
}

static scree_status read_number(lammps_reader* reader, int f, scree_word word)
{
    scree_growing_field* field = &reader->growing.fields[f];
    double value;
    if (!scree_word_number(word, &value))
        return fail_at_value(reader, field->data.name, word, "; expected a number");
    if (scree_growing_set(&reader->growing, field, reader->growing.count, 0, value))
        return SCREE_OK;
    char fault[SCREE_FAULT];
    scree_growing_fault(&reader->growing, field, 0, value, fault);
    return fail_at_value(reader, field->data.name, word, fault);
}

static scree_status read_atom(lammps_reader* reader, const text_line* line)
{
    scree_word words[10];
    int64_t count = split(line, 10, words);
    if (reader->words == 0 && (count == 7 || count == 10)) {
        reader->words = count;
        scree_status status = settle_fields(reader);
        if (status != SCREE_OK)
            return status;
    }
    if (count != reader->words)
        return scree_input_fail(reader->input, reader->input->line,
                                reader->words == 0
                                    ? "%" PRId64
                                      " words; expected 7 for atom_style sphere (id type diameter density x y z), or 10 with "
                                      "image flags"
                                    : "%" PRId64 " words; expected %" PRId64,
                                count, reader->words);
    scree_status status = scree_growing_room(&reader->growing, reader->growing.count + 1);
    if (status == SCREE_OK)
        status = add_id(reader, &reader->atoms, words[0]);
    if (status == SCREE_OK)
        status = read_integer(reader, FIELD_TYPE, 0, words[1]);
    if (status == SCREE_OK && reader->growing.fields[FIELD_TYPE].data.integers[reader->growing.count] < 1)
        status = fail_at_value(reader, "type", words[1], "; expected a whole number above 0");
    for (int f = FIELD_DIAMETER; status == SCREE_OK && f <= FIELD_Z; ++f)
        status = read_number(reader, f, words[1 + f]);
    for (int k = 0; status == SCREE_OK && reader->words == 10 && k < 3; ++k)
        status = read_integer(reader, FIELD_IMAGE, k, words[7 + k]);
    reader->growing.count += status == SCREE_OK;
    return status;
}

static scree_status read_velocity(lammps_reader* reader, const text_line* line)
{
    scree_word words[7];
    int64_t count = split(line, 7, words);
    if (count != 7)
        return scree_input_fail(reader->input, reader->input->line,
                                "%" PRId64 " words; expected 7 in Velocities for atom_style sphere: id vx vy vz wx wy wz",
                                count);
    scree_status status = SCREE_RESERVE(reader->velocity, reader->velocity_capacity, 6 * (reader->moving.count + 1));
    double* to = status == SCREE_OK ? &reader->velocity[6 * reader->moving.count] : NULL;
    if (status == SCREE_OK)
        status = add_id(reader, &reader->moving, words[0]);
    for (int k = 0; status == SCREE_OK && k < 6; ++k)
        if (!scree_word_number(words[1 + k], &to[k]))
            status =
                fail_at_value(reader, k < 3 ? "velocity" : "angular velocity", words[1 + k], "; expected a number");
    return status;
}

// ---- Sections ----------------------------------------------------------------------------------------------------

static scree_status read_rows(lammps_reader* reader, const char* name, const int64_t* count,
                              scree_status (*read_row)(lammps_reader*, const text_line*))
{
    if (reader->promised < 0)
        return scree_input_fail(reader->input, reader->input->line,
                                "the section %s begins before a line with the number of atoms; expected that line first", name);
    while (*count < reader->promised) {
        text_line line;
        bool more;
        scree_status status = next_line(reader, &line, &more);
        if (status != SCREE_OK)
            return status;
        if (!more)
            return scree_input_fail(reader->input, reader->input->line,
                                    "the file ends after %" PRId64 " rows; expected %" PRId64 " rows of %s", *count,
                                    reader->promised, name);
        if (is_keyword(&line)) {
            char shown[SCREE_SHOWN];
            return scree_input_fail(reader->input, reader->input->line,
                                    "'%s' after %" PRId64 " rows; expected %" PRId64 " rows of %s",
                                    scree_csv_shown(shown, line.first.begin, line.first.end - line.first.begin), *count,
                                    reader->promised, name);
        }
        status = read_row(reader, &line);
        if (status != SCREE_OK)
            return status;
    }
    return SCREE_OK;
}

static scree_status check_style(const lammps_reader* reader, scree_word comment)
{
    scree_word style;
    if (!scree_next_word(&comment.begin, comment.end, &style) || scree_word_is(style, "sphere") ||
        scree_word_is(style, "granular"))  // the name in LIGGGHTS
        return SCREE_OK;
    return fail_at_word(reader, style, "atoms of atom_style %s have no radius; expected atom_style sphere");
}

// The section whose keyword is in `line`; *counted if all its rows have been read.
static scree_status read_section(lammps_reader* reader, const text_line* line, bool* counted)
{
    scree_word words[2];
    bool alone = split(line, 2, words) == 1;
    bool atoms = alone && scree_word_is(words[0], "Atoms"), velocities = alone && scree_word_is(words[0], "Velocities");
    *counted = atoms || velocities;
    if (!reader->closed)
        return fail_at_word(reader, line->first, "the file ends with the keyword '%s'; expected its rows");
    if (!*counted)
        return SCREE_OK;
    if (atoms ? reader->atoms_read : reader->velocities_read)
        return fail_at_word(reader, words[0], "a second section %s; expected one");
    *(atoms ? &reader->atoms_read : &reader->velocities_read) = true;
    scree_status status = atoms ? check_style(reader, line->comment) : SCREE_OK;
    if (status != SCREE_OK)
        return status;
    return atoms ? read_rows(reader, "Atoms", &reader->atoms.count, read_atom)
                 : read_rows(reader, "Velocities", &reader->moving.count, read_velocity);
}

static scree_status read_all(lammps_reader* reader)
{
    scree_status status = read_first_line(reader);
    bool header = true, counted = false;
    while (status == SCREE_OK) {
        text_line line;
        bool more;
        status = next_line(reader, &line, &more);
        if (status != SCREE_OK)
            break;
        if (!more)  // we close every line: one that is open was cut short, and its last number may have been longer
            return reader->closed || !reader->marked
                       ? SCREE_OK
                       : scree_input_fail(reader->input, reader->input->line, "the file ends inside its last line; expected a line break there");
        if (is_keyword(&line) && !(header && is_header(&line))) {
            header = false;
            status = read_section(reader, &line, &counted);
        } else if (header) {
            status = read_header_line(reader, &line);
        } else if (counted) {
            status = scree_input_fail(reader->input, reader->input->line,
                                      "a row too many; expected %" PRId64 ", the number of atoms", reader->promised);
        }
    }
    return status;
}

// ---- Order -------------------------------------------------------------------------------------------------------

static bool is_rising(const id_list* list)
{
    bool rising = true;
    for (int64_t i = 1; i < list->count; ++i)
        rising &= list->id[i] > list->id[i - 1];
    return rising;
}

// The rows in ascending order of their ids; *order is NULL if the ids rise already. Equal ids are FORMAT.
static scree_status sort_ids(const lammps_reader* reader, const id_list* list, int32_t** order)
{
    *order = NULL;
    if (is_rising(list))
        return SCREE_OK;
    size_t n = (size_t)list->count;
    int64_t* id = scree_malloc(2 * n, sizeof *id);
    uint32_t* spare = scree_malloc(n, sizeof *spare);
    int32_t* row = scree_malloc(n, sizeof *row);
    if (id == NULL || spare == NULL || row == NULL) {
        scree_free(id);
        scree_free(spare);
        scree_free(row);
        return SCREE_ERR_MEMORY;
    }
    for (size_t i = 0; i < n; ++i) {
        id[i] = list->id[i];
        row[i] = (int32_t)i;
    }
    scree_sort_with(id, (uint32_t*)row, id + n, spare, list->count);
    scree_status status = SCREE_OK;
    for (size_t i = 1; i < n && status == SCREE_OK; ++i)
        if (id[i] == id[i - 1])  // the sort is stable: the earlier row comes first
            status = scree_input_fail(reader->input, line_of(list, row[i]), "id %" PRId64 " is used in line %" PRId64 " already; expected different ids",
                                      id[i], line_of(list, row[i - 1]));
    scree_free(id);
    scree_free(spare);
    *order = row;
    return status;
}

static int64_t id_at(const id_list* list, const int32_t* order, int64_t i)
{
    return list->id[order == NULL ? i : order[i]];
}

// Adds a further column of numbers whose values are set by the caller.
static scree_status add_column(scree_growing* growing, const char* name, scree_column_kind kind, int32_t components,
                               scree_column** column)
{
    scree_status status = scree_growing_add(growing, name, (int64_t)strlen(name), kind, components);
    if (status != SCREE_OK)
        return status;
    *column = &growing->fields[growing->field_count - 1].data;
    size_t numbers = (size_t)growing->count * (size_t)components;
    if (kind == SCREE_COLUMN_DOUBLE)
        (*column)->values = scree_malloc(numbers, sizeof *(*column)->values);
    else
        (*column)->integers = scree_malloc(numbers, sizeof *(*column)->integers);
    return (*column)->values == NULL && (*column)->integers == NULL ? SCREE_ERR_MEMORY : SCREE_OK;
}

// The rows of Velocities as columns, in the order of the atoms, which have been sorted by `order`.
static scree_status join_velocities(lammps_reader* reader, const int32_t* order)
{
    int32_t* mine;
    scree_status status = sort_ids(reader, &reader->moving, &mine);
    for (int64_t i = 0; status == SCREE_OK && i < reader->growing.count; ++i)
        if (id_at(&reader->moving, mine, i) != id_at(&reader->atoms, order, i)) {
            int64_t row = mine == NULL ? i : mine[i];
            status =
                scree_input_fail(reader->input, line_of(&reader->moving, row),
                                 "Velocities and Atoms do not name the same ids; id %" PRId64 ", expected %" PRId64,
                                 reader->moving.id[row], id_at(&reader->atoms, order, i));
        }
    for (int half = 0; status == SCREE_OK && half < 2; ++half) {
        scree_column* column;
        status = add_column(&reader->growing, half == 0 ? "velocity" : "omega", SCREE_COLUMN_DOUBLE, 3, &column);
        for (int64_t i = 0; status == SCREE_OK && i < reader->growing.count; ++i)
            memcpy(&column->values[3 * i], &reader->velocity[6 * (mine == NULL ? i : mine[i]) + 3 * half],
                   3 * sizeof(double));
    }
    scree_free(mine);
    return status;
}

// Ids that just count the atoms say nothing, unless the set had them.
static scree_status keep_ids(lammps_reader* reader, const int32_t* order)
{
    bool counting = reader->components[SCREE_LAMMPS_ID] == 0;
    for (int64_t i = 0; counting && i < reader->growing.count; ++i)
        counting = id_at(&reader->atoms, order, i) == i + 1;
    if (counting)
        return SCREE_OK;
    scree_column* column;
    scree_status status = add_column(&reader->growing, "id", SCREE_COLUMN_INT64, 1, &column);
    for (int64_t i = 0; status == SCREE_OK && i < reader->growing.count; ++i)
        column->integers[i] = id_at(&reader->atoms, order, i);
    return status;
}

static scree_status put_in_order(lammps_reader* reader)
{
    int32_t* order;
    scree_status status = sort_ids(reader, &reader->atoms, &order);
    if (status == SCREE_OK && order != NULL)
        status = scree_growing_reorder(&reader->growing, order);
    if (status == SCREE_OK)
        status = keep_ids(reader, order);
    if (status == SCREE_OK && reader->velocities_read)
        status = join_velocities(reader, order);
    scree_free(order);
    return status;
}

// ---- Columns -----------------------------------------------------------------------------------------------------

static int32_t find_field(const scree_growing* growing, const char* name)
{
    for (int32_t f = 0; f < growing->field_count; ++f)
        if (strcmp(growing->fields[f].data.name, name) == 0)
            return f;
    return -1;
}

// Whether every component from `from` on is `value`.
static bool all_are(const scree_growing* growing, const scree_column* data, int32_t from, int32_t to, double value)
{
    for (int64_t i = 0; i < growing->count; ++i)
        for (int32_t k = from; k < to; ++k) {
            int64_t at = i * data->components + k;
            if (data->values != NULL ? data->values[at] != value : (double)data->integers[at] != value)
                return false;
        }
    return true;
}

static void narrow(const scree_growing* growing, scree_column* data, int32_t from, int32_t components)
{
    for (int64_t i = 0; i < growing->count; ++i)
        for (int32_t k = 0; k < components; ++k) {
            int64_t to = i * components + k, at = i * data->components + from + k;
            if (data->values != NULL)
                data->values[to] = data->values[at];
            else
                data->integers[to] = data->integers[at];
        }
    data->components = components;
}

// What our writer filled in is taken out again: columns and components that the set did not have, if they still hold
// what was filled in.
static scree_status take_out_filling(lammps_reader* reader)
{
    scree_growing* growing = &reader->growing;
    for (int p = 0; p < SCREE_LAMMPS_PLACES; ++p) {
        int32_t f = find_field(growing, scree_lammps_name[p]), had = reader->components[p];
        if (p == SCREE_LAMMPS_DENSITY && reader->components[SCREE_LAMMPS_MATERIAL_DENSITY] > 0)
            continue;
        if (p == SCREE_LAMMPS_MATERIAL_DENSITY && had > 0)
            f = find_field(growing, "density");
        if (f < 0 && had > 0)
            return scree_input_fail(reader->input, reader->input->line,
                                    "the file ends without '%s'; expected it, because line 1 names it",
                                    scree_lammps_name[p]);
        if (f < 0)
            continue;
        scree_column* data = &growing->fields[f].data;
        bool vector = data->components == 3;
        if (had == 0 && p != SCREE_LAMMPS_ID && all_are(growing, data, 0, data->components, vector ? 0.0 : 1.0)) {
            scree_growing_drop(growing, f);
        } else if (vector && had == 2 && all_are(growing, data, 2, 3, 0.0)) {
            narrow(growing, data, 0, 2);
        } else if (vector && had == 1 && all_are(growing, data, 0, 2, 0.0)) {
            narrow(growing, data, 2, 1);
        }
        if (p == SCREE_LAMMPS_MATERIAL_DENSITY && had > 0) {
            char* name = scree_realloc(data->name, strlen(scree_lammps_name[p]) + 1, 1);
            if (name == NULL)
                return SCREE_ERR_MEMORY;
            data->name = strcpy(name, scree_lammps_name[p]);
        }
    }
    return SCREE_OK;
}

static int32_t turn_of(const lammps_reader* reader, const scree_growing_field* field)
{
    for (int p = 0; p < SCREE_LAMMPS_PLACES; ++p)
        if (strcmp(field->data.name, scree_lammps_name[p]) == 0 && reader->turn[p] > 0)
            return reader->turn[p];
    return SCREE_LAMMPS_PLACES + 1;
}

static void restore_turns(lammps_reader* reader)
{
    scree_growing_field* fields = reader->growing.fields;
    for (int32_t f = 1; f < reader->growing.field_count; ++f)
        for (int32_t e = f; e > 0 && turn_of(reader, &fields[e]) < turn_of(reader, &fields[e - 1]); --e) {
            scree_growing_field swap = fields[e];
            fields[e] = fields[e - 1];
            fields[e - 1] = swap;
        }
}

// ---- The whole ---------------------------------------------------------------------------------------------------

static scree_status make_box(const lammps_reader* reader, scree_sphere_set* set)
{
    scree_box box = scree_box_open(set->dim);
    bool lettered = reader->marked && strlen(reader->letters) == (size_t)set->dim, any = false;
    for (int k = 0; k < set->dim; ++k) {
        if (!reader->has_end[k])
            continue;
        any = true;
        box.lower[k] = reader->lower[k];
        box.upper[k] = reader->upper[k];
        box.periodic[k] = lettered && reader->letters[k] == 'p';
        if (lettered && !scree_box_apply_letter(&box, k, reader->letters[k]))
            return scree_input_fail(reader->input, 1, "box=%s; expected letters p, w, o, l, u", reader->letters);
    }
    if (!any || strcmp(reader->letters, "none") == 0)
        return SCREE_OK;
    for (int t = 0; t < 3; ++t) {
        int along = t == 2 ? 1 : 0, axis = t == 0 ? 1 : 2;
        if (reader->tilt[t] == 0.0)
            continue;
        if (axis >= set->dim)
            return scree_input_fail(reader->input, reader->ends_line, "tilt %c%c = %g in two dimensions; expected 0", "xyz"[along], "xyz"[axis], reader->tilt[t]);
        box.tilt[t] = reader->tilt[t];
        if (!lettered)
            box.periodic[along] = box.periodic[axis] = true;
    }
    if (scree_box_check(&box) != SCREE_OK)
        return scree_input_fail(reader->input, reader->ends_line, "%s", scree_error_message());
    set->has_box = true;
    set->box = box;
    // Another program may have changed the box and left line 1 as it was.
    bool fits = reader->marked && scree_container_check(&(scree_container){.kind = reader->container, .box = box}) == SCREE_OK;
    set->container = fits ? reader->container : SCREE_CONTAINER_BOX;
    return SCREE_OK;
}

static scree_status make_set(lammps_reader* reader, scree_sphere_set* set)
{
    if (reader->promised < 0)
        return scree_input_fail(reader->input, reader->input->line, "the file ends without the number of atoms; expected a line like '1000 atoms'");
    if (!reader->atoms_read && (reader->promised > 0 || reader->marked))
        return scree_input_fail(reader->input, reader->input->line, "the file ends without atoms; expected the section Atoms");
    scree_status status = SCREE_OK;
    if (reader->growing.field_count == 0) {  // no atoms
        reader->words = reader->components[SCREE_LAMMPS_IMAGE] > 0 ? 10 : 7;
        status = settle_fields(reader);
        if (status == SCREE_OK)
            status = scree_growing_enlarge(&reader->growing, 1);
    }
    if (status == SCREE_OK)
        status = put_in_order(reader);
    if (status == SCREE_OK && reader->marked)
        status = take_out_filling(reader);
    if (status != SCREE_OK)
        return status;
    restore_turns(reader);
    status = scree_growing_finish(&reader->growing, set);
    return status == SCREE_OK ? make_box(reader, set) : status;
}

scree_status scree_lammps_read(scree_input* input, scree_sphere_set* out)
{
    lammps_reader reader = {.input = input, .promised = -1};
    scree_sphere_set set = {0};
    scree_status status = read_all(&reader);
    if (status == SCREE_OK)
        status = make_set(&reader, &set);
    scree_growing_free(&reader.growing);
    scree_free(reader.atoms.id);
    scree_free(reader.atoms.start);
    scree_free(reader.moving.id);
    scree_free(reader.moving.start);
    scree_free(reader.velocity);
    if (status == SCREE_OK)
        *out = set;
    else
        scree_sphere_set_free(&set);
    return status;
}
