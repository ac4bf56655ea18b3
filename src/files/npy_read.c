// NumPy arrays (.npy, versions 1.0, 2.0 and 3.0; numpy.lib.format):
//
//     \x93NUMPY  major minor  length   header, a Python dict, filled up with blanks           data
//     6 bytes    1     1      2 or 4   {'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }
//
// Spheres are the rows of an (n, 4) array x y z r, or (n, 3) x y r in 2D; or, with names, of a structured array, whose
// 'descr' is a list [('x', '<f8'), ('v', '<f8', (3,)), ...]: fields in any order, further ones become columns. Numbers
// are floats of 4 or 8 bytes and integers of 1 to 8, of either byte order; texts are S or U.
//
// The header is read as what it is, a Python literal, by the small parser below: strings, whole numbers, tuples and
// lists. One pass over the data, some rows at a time; O(bytes) time, O(rows) memory. With fortran_order the file holds
// column after column, and each is put into its place as it comes.
#include "base/array.h"
#include "files/csv.h"
#include "files/formats.h"
#include "files/growing.h"
#include "files/words.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define FIELDS_MAX 10000              // names are compared each with each
#define SIZE_MOST ((int64_t)1 << 28)  // of one value, in bytes
#define BATCH 65536                   // bytes that are requested at once

// One field of a row as it lies in the file.
typedef struct npy_item {
    char letter;   // f i u b S U; V: padding
    bool big;      // the high byte comes first
    int64_t size;  // of one component, in bytes
    int32_t components;
    int32_t field;  // in growing.fields
} npy_item;

typedef struct npy_reader {
    scree_input* input;
    scree_growing growing;
    int64_t at;  // offset in the file of what comes next
    int major;
    // The header, while it is read: from `p` to `end`; strings are decoded to `strings`.
    const char *p, *end;
    int64_t header_at;   // where it begins in the file ...
    const char* header;  // ... and in memory
    char* strings;
    char* strings_next;
    npy_item* items;
    int64_t item_count, item_capacity;
    bool structured, fortran;
    int64_t shape[2];
    int dimensions;
    int64_t rows, row_size;
    char* word;  // for texts
    int64_t word_capacity;
} npy_reader;

static scree_status fail_at(const npy_reader* reader, scree_status status, int64_t offset, const char* format, ...)
    SCREE_PRINTF(4, 5);
static scree_status fail_at(const npy_reader* reader, scree_status status, int64_t offset, const char* format, ...)
{
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return scree_fail(status, "%s: byte %" PRId64 ": %s", reader->input->name, offset, text);
}

// ---- Python literals ---------------------------------------------------------------------------------------------

static scree_status fail_here(const npy_reader* reader, const char* wanted)
{
    char shown[SCREE_SHOWN];
    int64_t left = reader->end - reader->p;
    return fail_at(reader, SCREE_ERR_FORMAT, reader->header_at + (reader->p - reader->header),
                   "the header has '%s'; expected %s",
                   scree_csv_shown(shown, reader->p, left < 20 ? left : 20), wanted);
}

static void skip_blanks(npy_reader* reader)
{
    while (reader->p < reader->end && scree_is_blank(*reader->p))
        ++reader->p;
}

static bool accept(npy_reader* reader, char c)
{
    skip_blanks(reader);
    if (reader->p == reader->end || *reader->p != c)
        return false;
    ++reader->p;
    return true;
}

static bool at_quote(npy_reader* reader)
{
    skip_blanks(reader);
    return reader->p < reader->end && (*reader->p == '\'' || *reader->p == '"');
}

// A character as UTF-8; 0 bytes for what is none.
static int64_t put_character(char* to, uint32_t code)
{
    if (code > 0x10FFFF || (code >= 0xD800 && code < 0xE000))
        return 0;
    if (code < 0x80) {
        to[0] = (char)code;
        return 1;
    }
    int more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
    to[0] = (char)((0xFF00 >> (more + 1) & 0xFF) | code >> 6 * more);
    for (int k = 1; k <= more; ++k)
        to[k] = (char)(0x80 | (code >> 6 * (more - k) & 0x3F));
    return more + 1;
}

// The character of an escape sequence; p is after the backslash. 0, which no name contains: invalid
// too.
static uint32_t escaped(npy_reader* reader)
{
    static const char letters[] = "\\\\''\"\"n\nr\rt\t";
    char c = *reader->p++;
    for (const char* pair = letters; *pair != '\0'; pair += 2)
        if (*pair == c)
            return (unsigned char)pair[1];
    int digits = c == 'x' ? 2 : c == 'u' ? 4 : c == 'U' ? 8 : 0;
    uint32_t code = 0;
    for (int k = 0; k < digits; ++k, ++reader->p) {
        const char* hex = "0123456789abcdef0123456789ABCDEF";
        const char* digit = reader->p < reader->end && *reader->p != '\0' ? strchr(hex, *reader->p) : NULL;
        if (digit == NULL)
            return 0;
        code = code << 4 | (uint32_t)((digit - hex) & 15);
    }
    return code;
}

// A string, decoded; it stays until the header is done.
static scree_status read_string(npy_reader* reader, scree_word* string)
{
    if (!at_quote(reader))
        return fail_here(reader, "a string");
    char quote = *reader->p++;
    char* to = reader->strings_next;  // no character becomes more than twice as long
    string->begin = to;
    while (reader->p < reader->end && *reader->p != quote) {
        const char* from = reader->p;
        unsigned char c = (unsigned char)*reader->p++;
        uint32_t code = c == '\\' && reader->p < reader->end ? escaped(reader) : c;
        int64_t bytes = 1;
        if (c == '\\' || (c >= 0x80 && reader->major < 3))  // before version 3 the header is Latin-1
            bytes = code == 0 ? 0 : put_character(to, code);
        else
            *to = (char)c;
        if (bytes == 0 || c == 0) {
            reader->p = from;
            return fail_here(reader, "a character");
        }
        to += bytes;
    }
    string->end = reader->strings_next = to;
    return accept(reader, quote) ? SCREE_OK : fail_here(reader, "the end of a string");
}

static scree_status read_integer(npy_reader* reader, int64_t* value)
{
    skip_blanks(reader);
    scree_word digits = {reader->p, reader->p};
    while (digits.end < reader->end && *digits.end >= '0' && *digits.end <= '9')
        ++digits.end;
    if (!scree_word_integer(digits, value))
        return fail_here(reader, "a whole number");
    reader->p = digits.end;
    if (reader->p < reader->end && *reader->p == 'L')  // Python 2
        ++reader->p;
    return SCREE_OK;
}

// (), (3,), (3, 4); of more than two the first two are kept and the product too.
static scree_status read_shape(npy_reader* reader, int64_t shape[2], int* dimensions, int64_t* product)
{
    *dimensions = 0;
    *product = 1;
    if (!accept(reader, '('))
        return fail_here(reader, "a tuple");
    while (!accept(reader, ')')) {
        int64_t length;
        scree_status status = read_integer(reader, &length);
        if (status != SCREE_OK)
            return status;
        if (*dimensions < 2)
            shape[*dimensions] = length;
        ++*dimensions;
        *product = length != 0 && *product > INT32_MAX / length ? (int64_t)INT32_MAX + 1 : *product * length;
        if (*product > INT32_MAX)
            *product = (int64_t)INT32_MAX + 1;
        if (!accept(reader, ',') && (skip_blanks(reader), reader->p == reader->end || *reader->p != ')'))
            return fail_here(reader, "a comma or a closing bracket");
    }
    return SCREE_OK;
}

// ---- dtypes ------------------------------------------------------------------------------------------------------

static bool number_size_fits(char letter, int64_t size)
{
    bool power = size == 1 || size == 2 || size == 4 || size == 8;
    return letter == 'f'   ? size == 4 || size == 8
           : letter == 'b' ? size == 1
                           : (letter == 'i' || letter == 'u') && power;
}

// '<f8': byte order, letter, size.
static scree_status read_dtype(npy_reader* reader, scree_word name, npy_item* item)
{
    const char* from = reader->p;
    scree_word text;
    scree_status status = read_string(reader, &text);
    if (status != SCREE_OK)
        return status;
    int64_t size = 0, length = text.end - text.begin;
    bool whole = length >= 3 && memchr("<>|", text.begin[0], 3) != NULL &&
                 scree_word_integer((scree_word){text.begin + 2, text.end}, &size) && size >= 0 &&
                 size <= SIZE_MOST / 4;
    *item = (npy_item){.letter = whole ? text.begin[1] : '?', .big = whole && text.begin[0] == '>', .components = 1};
    bool textual = item->letter == 'S' || item->letter == 'U',
         padding = item->letter == 'V' && reader->structured && name.begin == name.end;
    if (textual || padding || number_size_fits(item->letter, size)) {
        item->size = item->letter == 'U' ? 4 * size : size;
        return SCREE_OK;
    }
    char shown[SCREE_SHOWN], shown_name[SCREE_SHOWN];
    scree_csv_shown(shown_name, name.begin, name.end - name.begin);
    return fail_at(reader, SCREE_ERR_UNSUPPORTED, reader->header_at + (from - reader->header),
                   "%s%s%sdtype '%s' is not supported; expected f4, f8, i1 to i8, u1 to u8, b1, S or U",
                   reader->structured ? "field '" : "", reader->structured ? shown_name : "",
                   reader->structured ? "' has " : "", scree_csv_shown(shown, text.begin, length));
}

static scree_status add_item(npy_reader* reader, npy_item item)
{
    scree_status status = SCREE_RESERVE(reader->items, reader->item_capacity, reader->item_count + 1);
    if (status != SCREE_OK)
        return status;
    reader->items[reader->item_count++] = item;
    reader->row_size += item.size * item.components;
    return SCREE_OK;
}

static scree_status add_field(npy_reader* reader, scree_word name, npy_item item)
{
    scree_column_kind kind = item.letter == 'f'                         ? SCREE_COLUMN_DOUBLE
                             : item.letter == 'S' || item.letter == 'U' ? SCREE_COLUMN_TEXT
                                                                        : SCREE_COLUMN_INT64;
    item.field = reader->growing.field_count;
    scree_status status = add_item(reader, item);
    return status == SCREE_OK
               ? scree_growing_add(&reader->growing, name.begin, name.end - name.begin, kind, item.components)
               : status;
}

// Texts have one word a row: ('name', '<U4', (2,)) becomes name_0 and name_1.
static scree_status add_texts(npy_reader* reader, scree_word name, npy_item item)
{
    int32_t words = item.components;
    int64_t length = name.end - name.begin;
    char* numbered = scree_malloc((size_t)length + 32, 1);
    if (numbered == NULL)
        return SCREE_ERR_MEMORY;
    memcpy(numbered, name.begin, (size_t)length);
    item.components = 1;
    scree_status status = SCREE_OK;
    for (int32_t k = 0; status == SCREE_OK && k < words; ++k) {
        int digits = snprintf(numbered + length, 32, "_%d", (int)k);
        status = add_field(reader, (scree_word){numbered, numbered + length + digits}, item);
    }
    scree_free(numbered);
    return status;
}

// ('name', '<f8'), ('name', '<f8', (3,)), (('title', 'name'), '<f8'); p is behind the first bracket.
static scree_status read_field(npy_reader* reader)
{
    scree_word name, unused;
    scree_status status;
    int64_t here = reader->header_at + (reader->p - reader->header);
    if (accept(reader, '(')) {
        status = read_string(reader, &unused);
        if (status == SCREE_OK && !accept(reader, ','))
            status = fail_here(reader, "a comma");
        if (status == SCREE_OK)
            status = read_string(reader, &name);
        if (status == SCREE_OK && !accept(reader, ')'))
            status = fail_here(reader, "a closing bracket");
    } else {
        status = read_string(reader, &name);
    }
    if (status == SCREE_OK && !accept(reader, ','))
        status = fail_here(reader, "a comma");
    if (status != SCREE_OK)
        return status;
    skip_blanks(reader);
    char shown[SCREE_SHOWN];
    scree_csv_shown(shown, name.begin, name.end - name.begin);
    if (reader->p < reader->end && *reader->p == '[')
        return fail_at(reader, SCREE_ERR_UNSUPPORTED, here, "field '%s' has fields of its own, which is not supported; expected a plain type",
                       shown);
    npy_item item;
    status = read_dtype(reader, name, &item);
    if (status != SCREE_OK)
        return status;
    if (accept(reader, ',')) {
        int64_t shape[2], product;
        int dimensions;
        status = read_shape(reader, shape, &dimensions, &product);
        if (status != SCREE_OK)
            return status;
        if (product < 1 || product > 64)
            return fail_at(reader, SCREE_ERR_UNSUPPORTED, here,
                           "field '%s' has %" PRId64 " numbers a row; expected 1 to 64", shown, product);
        item.components = (int32_t)product;
    }
    if (!accept(reader, ')'))
        return fail_here(reader, "a closing bracket");
    if (reader->item_count >= FIELDS_MAX || reader->growing.field_count >= FIELDS_MAX)
        return fail_at(reader, SCREE_ERR_UNSUPPORTED, here, "there are further fields; expected at most %d", FIELDS_MAX);
    if (item.letter == 'V')
        return add_item(reader, item);
    if (name.begin == name.end)
        return fail_at(reader, SCREE_ERR_FORMAT, here, "a field without a name; expected one");
    bool texts = item.components > 1 && (item.letter == 'S' || item.letter == 'U');
    return texts ? add_texts(reader, name, item) : add_field(reader, name, item);
}

static scree_status read_descr(npy_reader* reader)
{
    reader->structured = accept(reader, '[');
    if (!reader->structured) {
        npy_item item;
        scree_word no_name = {reader->p, reader->p};
        scree_status status = read_dtype(reader, no_name, &item);
        return status == SCREE_OK ? add_item(reader, item) : status;
    }
    while (!accept(reader, ']')) {
        if (!accept(reader, '('))
            return fail_here(reader, "a field");
        scree_status status = read_field(reader);
        if (status != SCREE_OK)
            return status;
        if (!accept(reader, ',') && (skip_blanks(reader), reader->p == reader->end || *reader->p != ']'))
            return fail_here(reader, "a comma or a closing bracket");
    }
    return SCREE_OK;
}

// ---- Header ------------------------------------------------------------------------------------------------------

static scree_status read_truth(npy_reader* reader, bool* value)
{
    skip_blanks(reader);
    const char* end = reader->p;
    while (end < reader->end && ((*end >= 'a' && *end <= 'z') || (*end >= 'A' && *end <= 'Z')))
        ++end;
    scree_word word = {reader->p, end};
    *value = scree_word_is(word, "True");
    if (!*value && !scree_word_is(word, "False"))
        return fail_here(reader, "True or False");
    reader->p = end;
    return SCREE_OK;
}

enum { KEY_DESCR, KEY_ORDER, KEY_SHAPE, KEY_COUNT };

static scree_status read_dict(npy_reader* reader)
{
    static const char* const names[KEY_COUNT] = {"descr", "fortran_order", "shape"};
    bool seen[KEY_COUNT] = {false};
    if (!accept(reader, '{'))
        return fail_here(reader, "a dict {'descr': ...}");
    while (!accept(reader, '}')) {
        scree_word key;
        skip_blanks(reader);
        const char* from = reader->p;
        scree_status status = read_string(reader, &key);
        if (status != SCREE_OK)
            return status;
        int k = 0;
        while (k < KEY_COUNT && !scree_word_is(key, names[k]))
            ++k;
        if (k == KEY_COUNT || seen[k]) {
            reader->p = from;
            return fail_here(reader, "one of the keys descr, fortran_order, shape");
        }
        seen[k] = true;
        if (!accept(reader, ':'))
            return fail_here(reader, "a colon");
        int64_t unused;
        status = k == KEY_DESCR   ? read_descr(reader)
                 : k == KEY_ORDER ? read_truth(reader, &reader->fortran)
                                  : read_shape(reader, reader->shape, &reader->dimensions, &unused);
        if (status != SCREE_OK)
            return status;
        if (!accept(reader, ',') && (skip_blanks(reader), reader->p == reader->end || *reader->p != '}'))
            return fail_here(reader, "a comma or a closing bracket");
    }
    for (int k = 0; k < KEY_COUNT; ++k)
        if (!seen[k])
            return fail_at(reader, SCREE_ERR_FORMAT, reader->header_at, "the header has no '%s'; expected descr, fortran_order and shape", names[k]);
    skip_blanks(reader);
    return reader->p == reader->end ? SCREE_OK : fail_here(reader, "its end");
}

static scree_status take(npy_reader* reader, int64_t wanted, const char* what, char** bytes)
{
    int64_t got;
    scree_status status = scree_input_bytes(reader->input, wanted, bytes, &got);
    if (status != SCREE_OK)
        return status;
    reader->at += got;
    return got == wanted ? SCREE_OK : fail_at(reader, SCREE_ERR_FORMAT, reader->at, "the file ends too early; expected the rest of %s", what);
}

static scree_status read_header(npy_reader* reader)
{
    char* bytes;
    scree_status status = take(reader, 8, "the first 8 bytes of a .npy file", &bytes);
    if (status != SCREE_OK)
        return status;
    if (memcmp(bytes, "\x93NUMPY", 6) != 0)
        return fail_at(reader, SCREE_ERR_FORMAT, 0, "this is not a .npy file; expected \\x93NUMPY at its beginning%s",
                       memcmp(bytes, "PK", 2) == 0 ? " (an .npz holds .npy files: unzip it first)" : "");
    reader->major = (unsigned char)bytes[6];
    if (reader->major < 1 || reader->major > 3)
        return fail_at(reader, SCREE_ERR_UNSUPPORTED, 6, "version %d of the .npy format; expected 1, 2 or 3",
                       reader->major);
    int width = reader->major == 1 ? 2 : 4;
    status = take(reader, width, "the length of the header", &bytes);
    if (status != SCREE_OK)
        return status;
    int64_t length = 0;
    for (int k = 0; k < width; ++k)
        length |= (int64_t)(unsigned char)bytes[k] << 8 * k;
    reader->header_at = reader->at;
    status = take(reader, length, "the header", &bytes);
    if (status != SCREE_OK)
        return status;
    reader->strings = reader->strings_next = scree_malloc((size_t)length, 2);
    if (reader->strings == NULL)
        return SCREE_ERR_MEMORY;
    reader->header = reader->p = bytes;
    reader->end = bytes + length;
    return read_dict(reader);
}

// What the rows are.
static scree_status settle(npy_reader* reader)
{
    int wanted = reader->structured ? 1 : 2;
    bool fits = reader->dimensions == wanted && (wanted == 1 || reader->shape[1] == 3 || reader->shape[1] == 4);
    if (!fits) {
        char shape[64] = "";
        if (reader->dimensions == 1)
            snprintf(shape, sizeof shape, "(%" PRId64 ",)", reader->shape[0]);
        else if (reader->dimensions == 2)
            snprintf(shape, sizeof shape, "(%" PRId64 ", %" PRId64 ")", reader->shape[0], reader->shape[1]);
        else
            snprintf(shape, sizeof shape, "of %d dimensions", reader->dimensions);
        return fail_at(reader, SCREE_ERR_FORMAT, reader->header_at, "the shape is %s; expected %s", shape,
                       reader->structured ? "(n,)"
                                          : "(n, 4) for x y z r or (n, 3) for x y r (more columns need names)");
    }
    reader->rows = reader->shape[0];
    if (reader->rows > INT32_MAX)
        return fail_at(reader, SCREE_ERR_UNSUPPORTED, reader->header_at,
                       "%" PRId64 " rows; expected at most 2147483647", reader->rows);
    if (!reader->structured) {
        npy_item item = reader->items[0];
        reader->item_count = reader->row_size = 0;
        const char* names = reader->shape[1] == 3 ? "xyr" : "xyzr";
        for (const char* name = names; *name != '\0'; ++name) {
            scree_status status = add_field(reader, (scree_word){name, name + 1}, item);
            if (status != SCREE_OK)
                return status;
        }
    }
    char fault[SCREE_FAULT];
    scree_status status = scree_growing_settle(&reader->growing, fault);
    return status == SCREE_ERR_FORMAT ? fail_at(reader, status, reader->header_at, "%s", fault) : status;
}

// ---- Values ------------------------------------------------------------------------------------------------------

static uint64_t load(const unsigned char* p, int64_t size, bool big)
{
    uint64_t bits = 0;
    for (int64_t k = 0; k < size; ++k)
        bits |= (uint64_t)p[big ? size - 1 - k : k] << 8 * k;
    return bits;
}

// A whole number; false if it does not fit.
static bool load_integer(const unsigned char* p, const npy_item* item, int64_t* value)
{
    uint64_t bits = load(p, item->size, item->big);
    if (item->letter == 'i') {
        int unused = 64 - 8 * (int)item->size;
        uint64_t sign = (uint64_t)1 << 63 >> unused;
        bits = (bits ^ sign) - sign;
        memcpy(value, &bits, sizeof *value);
        return true;
    }
    *value = item->letter == 'b' ? bits != 0 : (int64_t)(bits & INT64_MAX);
    return bits <= INT64_MAX;
}

static double load_number(const unsigned char* p, const npy_item* item)
{
    uint64_t bits = load(p, item->size, item->big);
    if (item->letter == 'f' && item->size == 8) {
        double value;
        memcpy(&value, &bits, sizeof value);
        return value;
    }
    if (item->letter == 'f') {
        float value;
        uint32_t half = (uint32_t)bits;
        memcpy(&value, &half, sizeof value);
        return (double)value;
    }
    int64_t value;
    return load_integer(p, item, &value) ? (double)value : (double)bits;
}

static scree_status read_text(npy_reader* reader, const npy_item* item, int64_t row, const unsigned char* p,
                              int64_t offset)
{
    scree_growing_field* field = &reader->growing.fields[item->field];
    int64_t unit = item->letter == 'U' ? 4 : 1, count = item->size / unit, length = 0;
    while (count > 0 && load(p + (count - 1) * unit, unit, item->big) == 0)
        --count;
    scree_status status = SCREE_RESERVE(reader->word, reader->word_capacity, 4 * count + 1);
    if (status != SCREE_OK)
        return status;
    for (int64_t k = 0; k < count; ++k) {
        uint32_t code = (uint32_t)load(p + k * unit, unit, item->big);
        int64_t bytes = 1;
        if (unit == 4)
            bytes = put_character(reader->word + length, code);
        else
            reader->word[length] = (char)code;
        if (bytes == 0 || code == 0) {
            char shown[SCREE_SHOWN];
            return fail_at(reader, SCREE_ERR_FORMAT, offset + k * unit,
                           "row %" PRId64 ": '%s' holds the number %" PRIu32 " inside a text; expected a character",
                           row, scree_csv_shown(shown, field->data.name, (int64_t)strlen(field->data.name)), code);
        }
        length += bytes;
    }
    return scree_growing_text(field, row, reader->word, length);
}

// The values of one field of a row; they lie at `p` and, in the file, at `offset`.
static scree_status read_item(npy_reader* reader, const npy_item* item, int64_t row, const unsigned char* p,
                              int64_t offset)
{
    scree_growing_field* field = &reader->growing.fields[item->field];
    if (field->data.kind == SCREE_COLUMN_TEXT)
        return read_text(reader, item, row, p, offset);
    char shown[SCREE_SHOWN], fault[SCREE_FAULT];
    for (int32_t k = 0; k < item->components; ++k, p += item->size, offset += item->size) {
        if (field->part == SCREE_PART_FURTHER && field->data.kind == SCREE_COLUMN_INT64) {
            if (load_integer(p, item, &field->data.integers[row * item->components + k]))
                continue;
            return fail_at(reader, SCREE_ERR_FORMAT, offset,
                           "row %" PRId64 ": '%s' holds %" PRIu64 "; expected whole numbers up to 2^63 - 1", row,
                           scree_csv_shown(shown, field->data.name, (int64_t)strlen(field->data.name)),
                           load(p, item->size, item->big));
        }
        double value = load_number(p, item);
        if (scree_growing_set(&reader->growing, field, row, k, value))
            continue;
        scree_growing_fault(&reader->growing, field, k, value, fault);
        return fail_at(reader, SCREE_ERR_FORMAT, offset, "row %" PRId64 ": '%s' holds %g%s", row, field->data.name,
                       value, fault);
    }
    return SCREE_OK;
}

static scree_status fail_at_end(const npy_reader* reader, int64_t row)
{
    return fail_at(reader, SCREE_ERR_FORMAT, reader->at,
                   "the file ends in row %" PRId64 " (counted from 0); expected %" PRId64 " rows", row, reader->rows);
}

// All rows, or only the rows of one item (fortran_order), whose values follow each other.
static scree_status read_rows(npy_reader* reader, int64_t first, int64_t last)
{
    int64_t size = first + 1 == last ? reader->items[first].size * reader->items[first].components : reader->row_size;
    int64_t batch = size < BATCH ? BATCH / size : 1;
    for (int64_t row = 0; row < reader->rows;) {
        int64_t wanted = reader->rows - row < batch ? reader->rows - row : batch, got, start = reader->at;
        char* bytes;
        scree_status status = scree_input_bytes(reader->input, wanted * size, &bytes, &got);
        if (status != SCREE_OK)
            return status;
        reader->at += got;
        status = scree_growing_room(&reader->growing, row + got / size);
        const unsigned char* p = (const unsigned char*)bytes;
        for (int64_t stop = row + got / size; status == SCREE_OK && row < stop; ++row) {
            for (int64_t t = first; status == SCREE_OK && t < last; ++t) {
                const npy_item* item = &reader->items[t];
                if (item->letter != 'V')
                    status = read_item(reader, item, row, p, start);
                p += item->size * item->components;
                start += item->size * item->components;
            }
            if (status == SCREE_OK && first + 1 < last && !scree_growing_next(&reader->growing))
                status = fail_at(reader, SCREE_ERR_FORMAT, start - size,
                                 "row %" PRId64 ": the diameter is not twice the radius; expected twice the radius", row);
        }
        if (status != SCREE_OK)
            return status;
        if (got < wanted * size)
            return fail_at_end(reader, row);
    }
    return SCREE_OK;
}

static scree_status read_data(npy_reader* reader)
{
    scree_status status = SCREE_OK;
    if (!reader->fortran || reader->structured) {
        status = read_rows(reader, 0, reader->item_count);
    } else {
        for (int64_t t = 0; status == SCREE_OK && t < reader->item_count; ++t)
            status = read_rows(reader, t, t + 1);
        reader->growing.count = reader->rows;
    }
    if (status != SCREE_OK)
        return status;
    char* bytes;
    int64_t got;
    status = scree_input_bytes(reader->input, 1, &bytes, &got);
    if (status == SCREE_OK && got > 0)
        status = fail_at(reader, SCREE_ERR_FORMAT, reader->at,
                         "the file has more data after %" PRId64 " rows; expected one array", reader->rows);
    return status;
}

scree_status scree_npy_read(scree_input* input, scree_sphere_set* out)
{
    npy_reader reader = {.input = input};
    scree_status status = read_header(&reader);
    if (status == SCREE_OK)
        status = settle(&reader);
    if (status == SCREE_OK)
        status = read_data(&reader);
    if (status == SCREE_OK)
        status = scree_growing_finish(&reader.growing, out);
    scree_growing_free(&reader.growing);
    scree_free(reader.strings);
    scree_free(reader.items);
    scree_free(reader.word);
    return status;
}
