// Extended XYZ: the text format of ASE, QUIP and OVITO.
//
//     3                                                              how many
//     Lattice="9 0 0 0 9 0 0 0 9" Properties=species:S:1:pos:R:3:radius:R:1 pbc="T T F"
//     X 1 2 3 0.5                                                    one sphere a line, as Properties says
//     ...
//
// Line 2 holds keys and values. Properties gives each field a name, a letter (S text, R number, I whole number, L
// logical) and how many words it has; they may come in any order. Lattice holds the three box vectors, Origin (OVITO's)
// where they start, pbc which axes are periodic. Vectors that are not lower triangular (scree/geom.h) are rejected: rotating them would rotate positions and every
// column that is a vector.
// Every other key is left out; those that begin with scree_ are scree's (see xyz_write.c) and store what the format does not
// define. ASE copies unknown keys when it writes, so they are used only if they agree with the
// rest.
//
// A file may have several such frames in order. Since it is not clear which one is meant, more than one is an error.
//
// One pass, O(bytes) time, O(rows) memory.
#include "files/csv.h"
#include "files/finite_box.h"
#include "files/formats.h"
#include "files/growing.h"
#include "files/words.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define FIELDS_MAX 10000  // names are compared each with each

// ---- Keys and values ---------------------------------------------------------------------------------------------

enum { KEY_LATTICE, KEY_PROPERTIES, KEY_PBC, KEY_ORIGIN, KEY_DIM, KEY_BOX, KEY_UPPER, KEY_SPECIES, KEY_CONTAINER, KEY_COUNT };
static const char* const key_name[KEY_COUNT] = {"Lattice",   "Properties", "pbc",         "Origin",
                                                "scree_dim", "scree_box",  "scree_upper", "scree_species",
                                                "scree_container"};

typedef struct xyz_reader {
    scree_input* input;
    scree_growing growing;
    int64_t promised;             // rows, by line 1
    scree_word value[KEY_COUNT];  // in line 2, while it is there; begin is NULL where the key is not
    bool marked;                  // written by us
    bool keep_species;
    bool has_box;
    scree_box box;
    int32_t container;
} xyz_reader;

static scree_status fail_at_word(const xyz_reader* reader, scree_word word, const char* format)
{
    char shown[SCREE_SHOWN];
    scree_csv_shown(shown, word.begin, word.end - word.begin);
    return scree_input_fail(reader->input, reader->input->line, format, shown);
}

// The text in quotes or brackets that begins at *at; afterwards *at is behind it. In quotes a backslash is taken out
// and what follows it taken as it is. False if it is not closed.
static bool enclosed(char** at, char* end, scree_word* value)
{
    char open = **at, close = open == '{' ? '}' : open == '[' ? ']' : open;
    char* to = *at + 1;
    value->begin = to;
    int depth = 1;
    for (char* p = to; p < end; ++p) {
        if (close == open && *p == '\\' && p + 1 < end) {
            *to++ = *++p;
            continue;
        }
        depth += *p == close ? -1 : *p == open;
        if (depth == 0) {
            value->end = to;
            *at = p + 1;
            return true;
        }
        *to++ = *p;
    }
    return false;
}

static bool opens(char c)
{
    return c == '"' || c == '\'' || c == '{' || c == '[';
}

// A word of line 2: enclosed, or bare up to a blank (a key: or up to '=').
static bool take_word(char** at, char* end, bool key, scree_word* word)
{
    if (opens(**at))
        return enclosed(at, end, word);
    char* p = *at;
    while (p < end && !scree_is_blank(*p) && !(key && *p == '='))
        ++p;
    *word = (scree_word){*at, p};
    *at = p;
    return true;
}

static char* skip_blanks(char* at, const char* end)
{
    while (at < end && scree_is_blank(*at))
        ++at;
    return at;
}

static scree_status read_keys(xyz_reader* reader, char* at, char* end)
{
    while ((at = skip_blanks(at, end)) < end) {
        scree_word key, value, rest = {at, end};
        if (!take_word(&at, end, true, &key))
            return fail_at_word(reader, rest, "'%s' is opened and never closed; expected its closing quote or bracket");
        at = skip_blanks(at, end);
        if (at == end || *at != '=')
            continue;  // a word without a value
        at = skip_blanks(at + 1, end);
        value = rest = (scree_word){at, end};
        if (at < end && !take_word(&at, end, false, &value))
            return fail_at_word(reader, rest, "'%s' is opened and never closed; expected its closing quote or bracket");
        for (int k = 0; k < KEY_COUNT; ++k)
            if (scree_word_is_any_case(key, key_name[k])) {
                if (reader->value[k].begin != NULL)
                    return fail_at_word(reader, key, "'%s' is given twice; expected it once");
                reader->value[k] = value;
            }
    }
    return SCREE_OK;
}

// The words of a value; brackets and commas of the new style count as blanks. Gives how many there are.
static int64_t split_value(scree_word value, int64_t most, scree_word* words)
{
    for (char* p = (char*)value.begin; p < value.end; ++p)  // the line may be changed
        if (strchr("[]{},", *p) != NULL)
            *p = ' ';
    int64_t count = 0;
    for (scree_word word; scree_next_word(&value.begin, value.end, &word); ++count)
        if (count < most)
            words[count] = word;
    return count;
}

static scree_status read_numbers(const xyz_reader* reader, int key, int64_t wanted, double* to)
{
    scree_word words[9];
    int64_t count = split_value(reader->value[key], wanted, words);
    if (count != wanted)
        return scree_input_fail(reader->input, reader->input->line,
                                "%s holds %" PRId64 " numbers; expected %" PRId64, key_name[key], count,
                                wanted);
    for (int64_t k = 0; k < wanted; ++k)
        if (!scree_word_number(words[k], &to[k]) || !isfinite(to[k])) {
            char shown[SCREE_SHOWN];
            return scree_input_fail(reader->input, reader->input->line, "%s holds '%s'; expected a length",
                                    key_name[key],
                                    scree_csv_shown(shown, words[k].begin, words[k].end - words[k].begin));
        }
    return SCREE_OK;
}

static bool read_logical(scree_word word, bool* value)
{
    *value = scree_word_is_any_case(word, "t") || scree_word_is_any_case(word, "true") || scree_word_is(word, "1");
    return *value || scree_word_is_any_case(word, "f") || scree_word_is_any_case(word, "false") ||
           scree_word_is(word, "0");
}

// ---- Properties --------------------------------------------------------------------------------------------------

static bool next_part(const char** at, const char* end, scree_word* part)
{
    if (*at > end)
        return false;
    const char* colon = *at < end ? memchr(*at, ':', (size_t)(end - *at)) : NULL;
    *part = (scree_word){*at, colon == NULL ? end : colon};
    *at = part->end + 1;
    return true;
}

// Texts have one word a row: species:S:2 becomes species_0 and species_1.
static scree_status add_texts(scree_growing* growing, scree_word name, int64_t words)
{
    int64_t length = name.end - name.begin;
    if (words == 1)
        return scree_growing_add(growing, name.begin, length, SCREE_COLUMN_TEXT, 1);
    char* numbered = scree_malloc((size_t)length + 32, 1);
    if (numbered == NULL)
        return SCREE_ERR_MEMORY;
    memcpy(numbered, name.begin, (size_t)length);
    scree_status status = SCREE_OK;
    for (int64_t k = 0; status == SCREE_OK && k < words; ++k) {
        int digits = snprintf(numbered + length, 32, "_%" PRId64, k);
        status = scree_growing_add(growing, numbered, length + digits, SCREE_COLUMN_TEXT, 1);
    }
    scree_free(numbered);
    return status;
}

static scree_status read_properties(xyz_reader* reader)
{
    scree_word all = reader->value[KEY_PROPERTIES], name, letter, words;
    if (all.begin == NULL)
        return scree_input_fail(reader->input, reader->input->line,
                                "there is no Properties=..., and plain XYZ holds no radii; expected extended XYZ with "
                                "Properties=species:S:1:pos:R:3:radius:R:1");
    for (const char* at = all.begin; next_part(&at, all.end, &name);) {
        int64_t count;
        bool whole = next_part(&at, all.end, &letter);
        whole = whole && next_part(&at, all.end, &words);
        if (!whole || name.begin == name.end || letter.end != letter.begin + 1 ||
            memchr("SRIL", *letter.begin, 4) == NULL || !scree_word_integer(words, &count) || count < 1)
            return fail_at_word(
                reader, (scree_word){name.begin, all.end},
                "Properties has '%s'; expected name:letter:count, with a letter of S, R, I, L");
        if (count > 64)
            return fail_at_word(reader, (scree_word){name.begin, words.end},
                                "Properties: '%s' has too many words in a row; expected at most 64");
        if (reader->growing.field_count >= FIELDS_MAX)
            return fail_at_word(reader, name, "Properties names too many fields, from '%s' on; expected at most 10000");
        scree_status status =
            *letter.begin == 'S'
                ? add_texts(&reader->growing, name, count)
                : scree_growing_add(&reader->growing, name.begin, name.end - name.begin,
                                    *letter.begin == 'R' ? SCREE_COLUMN_DOUBLE : SCREE_COLUMN_INT64, (int32_t)count);
        if (status != SCREE_OK)
            return status;
        reader->growing.fields[reader->growing.field_count - 1].logical = *letter.begin == 'L';
    }
    char fault[SCREE_FAULT];
    scree_status status = scree_growing_settle(&reader->growing, fault);
    return status == SCREE_ERR_FORMAT ? scree_input_fail(reader->input, reader->input->line, "Properties: %s", fault)
                                      : status;
}

// ---- The box -----------------------------------------------------------------------------------------------------

static scree_status read_dim(xyz_reader* reader)
{
    scree_word mark = reader->value[KEY_DIM];
    if (mark.begin == NULL)
        return SCREE_OK;
    reader->marked = true;
    int64_t dim;
    if (!scree_word_integer(mark, &dim) || dim < 2 || dim > reader->growing.dim)
        return fail_at_word(reader, mark, "scree_dim is '%s'; expected the dimension of the positions");
    reader->growing.dim = (int32_t)dim;
    return SCREE_OK;
}

static scree_status read_periodic(xyz_reader* reader, bool lattice, bool periodic[3])
{
    for (int k = 0; k < 3; ++k)
        periodic[k] = lattice;  // the rule of the format where nothing is said
    if (reader->value[KEY_PBC].begin == NULL)
        return SCREE_OK;
    scree_word words[3];
    int64_t count = split_value(reader->value[KEY_PBC], 3, words);
    if (count != 3 && count != reader->growing.dim)
        return scree_input_fail(reader->input, reader->input->line,
                                "pbc holds %" PRId64 " words; expected three of T or F", count);
    for (int k = 0; k < count; ++k)
        if (!read_logical(words[k], &periodic[k]))
            return fail_at_word(reader, words[k], "pbc holds '%s'; expected T or F");
    for (int k = 0; k < reader->growing.dim && !lattice; ++k)
        if (periodic[k])
            return scree_input_fail(reader->input, reader->input->line,
                                    "pbc says that axis %c is periodic; expected a Lattice with it", "xyz"[k]);
    return SCREE_OK;
}

static scree_status read_box(xyz_reader* reader)
{
    int32_t dim = reader->growing.dim;
    int64_t line = reader->input->line;
    double lattice[9] = {0.0}, origin[3] = {0.0}, upper[3];
    bool given_upper = false, periodic[3];
    scree_status status = SCREE_OK;
    if (reader->value[KEY_LATTICE].begin != NULL)
        status = read_numbers(reader, KEY_LATTICE, 9, lattice);
    if (status == SCREE_OK && reader->value[KEY_ORIGIN].begin != NULL)
        status = read_numbers(reader, KEY_ORIGIN, 3, origin);
    if (status == SCREE_OK && reader->value[KEY_UPPER].begin != NULL) {
        given_upper = true;
        status = read_numbers(reader, KEY_UPPER, 3, upper);
    }
    scree_word letters = reader->value[KEY_BOX];
    bool lettered =
        reader->value[KEY_LATTICE].begin != NULL && letters.begin != NULL && letters.end - letters.begin >= dim;
    bool any = lettered;
    double longest = 0.0;
    for (int k = 0; k < 9; ++k)
        longest = fmax(longest, fabs(lattice[k]));
    any |= longest > 0.0;  // zeros are no cell
    if (status == SCREE_OK)
        status = read_periodic(reader, any, periodic);
    if (status != SCREE_OK || !any)
        return status;
    for (int k = 0; k < 9; ++k)
        if ((k % 3 > k / 3 || (k % 4 != 0 && k / 3 >= dim)) && fabs(lattice[k]) > 1e-12 * longest)  // less is rounding
            return scree_fail(SCREE_ERR_UNSUPPORTED,
                              "%s:%" PRId64
                              ": the Lattice is not lower triangular (vector %d has %g along %c); expected a cell rotated so that its "
                              "numbers %s are 0 (ASE: cell.standard_form())",
                              reader->input->name, line, k / 3 + 1, lattice[k], "xyz"[k % 3], dim == 2 ? "2, 3, 6, 7, 8" : "2, 3 and 6");
    reader->has_box = true;
    reader->box = scree_box_open(dim);
    for (int m = 1; m < dim; ++m)
        for (int k = 0; k < m; ++k)
            if (reader->marked || fabs(lattice[3 * m + k]) > 1e-12 * longest)
                reader->box.tilt[k + m - 1] = lattice[3 * m + k];
    for (int k = 0; k < dim; ++k) {
        double length = lattice[4 * k];
        if (length == 0.0 && !periodic[k] && !lettered)
            continue;  // no vector, no walls
        reader->box.periodic[k] = periodic[k];
        reader->box.lower[k] = origin[k];
        // scree_upper has all bits, the sum may not; it is used if the other numbers have not been changed.
        reader->box.upper[k] = given_upper && upper[k] - origin[k] == length ? upper[k] : origin[k] + length;
        if (lettered && !periodic[k] && !scree_box_apply_letter(&reader->box, k, letters.begin[k]))
            return fail_at_word(reader, letters, "scree_box is '%s'; expected letters of p, w, o, l, u");
    }
    if (scree_box_check(&reader->box) != SCREE_OK)
        return scree_input_fail(reader->input, line, "%s", scree_error_message());
    scree_word container = reader->value[KEY_CONTAINER];
    if (container.begin != NULL && !scree_container_of_word(container, &reader->container))
        return fail_at_word(reader, container, "scree_container is '%s'; expected box, cylinder or sphere");
    // Another program may have changed the box and copied the key.
    if (scree_container_check(&(scree_container){.kind = reader->container, .box = reader->box}) != SCREE_OK)
        reader->container = SCREE_CONTAINER_BOX;
    return SCREE_OK;
}

// ---- Rows --------------------------------------------------------------------------------------------------------

static scree_status fail_at_value(const xyz_reader* reader, const scree_growing_field* field, scree_word word,
                                  const char* fault)
{
    char name[SCREE_SHOWN], shown[SCREE_SHOWN];
    return scree_input_fail(reader->input, reader->input->line, "column '%s' holds '%s'%s",
                            scree_csv_shown(name, field->data.name, (int64_t)strlen(field->data.name)),
                            scree_csv_shown(shown, word.begin, word.end - word.begin), fault);
}

static scree_status read_value(xyz_reader* reader, scree_growing_field* field, int32_t k, scree_word word)
{
    scree_growing* growing = &reader->growing;
    if (field->data.kind == SCREE_COLUMN_TEXT)
        return scree_growing_text(field, growing->count, word.begin, word.end - word.begin);
    if (field->data.kind == SCREE_COLUMN_INT64 && field->part == SCREE_PART_FURTHER) {
        int64_t* to = &field->data.integers[growing->count * field->data.components + k];
        bool truth;
        if (!field->logical)
            return scree_word_integer(word, to) ? SCREE_OK
                                                : fail_at_value(reader, field, word, "; expected a whole number");
        if (!read_logical(word, &truth))
            return fail_at_value(reader, field, word, "; expected T or F");
        *to = truth;
        return SCREE_OK;
    }
    double value;
    char fault[SCREE_FAULT];
    if (!scree_word_number(word, &value))
        return fail_at_value(reader, field, word, "; expected a number");
    if (scree_growing_set(growing, field, growing->count, k, value))
        return SCREE_OK;
    scree_growing_fault(growing, field, k, value, fault);
    return fail_at_value(reader, field, word, fault);
}

static int64_t words_a_row(const scree_growing* growing)
{
    int64_t words = 0;
    for (int32_t f = 0; f < growing->field_count; ++f)
        words += growing->fields[f].data.components;
    return words;
}

static scree_status read_row(xyz_reader* reader, const char* text, int64_t length)
{
    scree_growing* growing = &reader->growing;
    const char *at = text, *end = text + length;
    scree_word word;
    bool whole = true;
    scree_status status = scree_growing_room(growing, growing->count + 1);
    for (int32_t f = 0; f < growing->field_count && whole && status == SCREE_OK; ++f) {
        scree_growing_field* field = &growing->fields[f];
        for (int32_t k = 0; k < field->data.components && status == SCREE_OK; ++k) {
            whole = scree_next_word(&at, end, &word);
            if (!whole)
                break;
            status = read_value(reader, field, k, word);
        }
    }
    if (status != SCREE_OK)
        return status;
    if (!whole || scree_next_word(&at, end, &word)) {
        int64_t count = scree_count_words(text, end);
        return scree_input_fail(
            reader->input, reader->input->line,
            "%" PRId64 " word%s; expected %" PRId64 ", as Properties says (sphere %" PRId64 " of %" PRId64 ")", count,
            count == 1 ? "" : "s", words_a_row(growing), growing->count + 1, reader->promised);
    }
    if (!scree_growing_next(growing))
        return scree_input_fail(reader->input, reader->input->line, "the diameter is not twice the radius; expected twice the radius");
    return SCREE_OK;
}

static scree_status read_rows(xyz_reader* reader)
{
    scree_input* input = reader->input;
    char* text;
    int64_t length;
    bool more;
    for (;;) {
        bool closed = scree_input_line_closed(input);
        scree_status status = scree_text_line(input, &text, &length, &more);
        if (status != SCREE_OK)
            return status;
        if (!more && reader->growing.count < reader->promised)
            return scree_input_fail(input, input->line, "the file ends after %" PRId64 " spheres; expected %" PRId64,
                                    reader->growing.count, reader->promised);
        if (!more)  // we close every line: one that is open was cut short, and its last number may have been longer
            return closed || !reader->marked
                       ? SCREE_OK
                       : scree_input_fail(input, input->line, "the file ends inside its last line; expected a line break there");
        if (reader->growing.count == reader->promised) {
            if (scree_count_words(text, text + length) == 0)
                continue;
            return scree_input_fail(input, input->line,
                                    "the file has more data after %" PRId64 " spheres; expected one frame",
                                    reader->promised);
        }
        status = read_row(reader, text, length);
        if (status != SCREE_OK)
            return status;
    }
}

// ---- The whole ---------------------------------------------------------------------------------------------------

static scree_status read_count(xyz_reader* reader)
{
    char* text;
    int64_t length;
    bool more;
    scree_status status = scree_text_line(reader->input, &text, &length, &more);
    if (status != SCREE_OK)
        return status;
    if (!more)
        return scree_input_fail(reader->input, 1, "the file is empty; expected the number of spheres");
    const char* at = text;
    scree_word word, further;
    if (!scree_next_word(&at, text + length, &word) || scree_next_word(&at, text + length, &further) ||
        !scree_word_integer(word, &reader->promised) || reader->promised < 0)
        return fail_at_word(reader, (scree_word){text, text + length},
                            "expected the number of spheres, got '%s'");
    if (reader->promised > INT32_MAX)
        return fail_at_word(reader, word, "'%s' spheres; expected at most 2147483647");
    return SCREE_OK;
}

static scree_status read_comment(xyz_reader* reader)
{
    char* text;
    int64_t length;
    bool more;
    scree_status status = scree_text_line(reader->input, &text, &length, &more);
    if (status == SCREE_OK && !more)
        return scree_input_fail(reader->input, reader->input->line,
                                "the file ends after its first line; expected a second one with Properties=");
    if (status == SCREE_OK)
        status = read_keys(reader, text, text + length);
    if (status == SCREE_OK)
        status = read_properties(reader);
    if (status == SCREE_OK)
        status = read_dim(reader);
    if (status == SCREE_OK)
        status = read_box(reader);
    reader->keep_species = reader->value[KEY_SPECIES].begin != NULL;
    return status;
}

// A species that is X throughout is what is written where there is none.
static void drop_placeholder(scree_growing* growing)
{
    for (int32_t f = 0; f < growing->field_count; ++f) {
        const scree_column* data = &growing->fields[f].data;
        if (data->kind != SCREE_COLUMN_TEXT || strcmp(data->name, "species") != 0)
            continue;
        for (int64_t i = 0; i < growing->count; ++i)
            if (strcmp(data->text + data->offset[i], "X") != 0)
                return;
        scree_growing_drop(growing, f);
        return;
    }
}

scree_status scree_xyz_read(scree_input* input, scree_sphere_set* out)
{
    xyz_reader reader = {.input = input};
    scree_status status = read_count(&reader);
    if (status == SCREE_OK)
        status = read_comment(&reader);
    if (status == SCREE_OK)
        status = read_rows(&reader);
    if (status == SCREE_OK && !reader.keep_species)
        drop_placeholder(&reader.growing);
    if (status == SCREE_OK)
        status = scree_growing_finish(&reader.growing, out);
    if (status == SCREE_OK && reader.has_box) {
        out->has_box = true;
        out->box = reader.box;
        out->container = reader.container;
    }
    scree_growing_free(&reader.growing);
    return status;
}
