// NumPy arrays, written: (n, 3) or (n, 4) doubles if the set has no further columns, else a structured array with the
// fields x, y[, z], r and one for each column. Little-endian. The header is filled up so that the data begins at a
// multiple of 64 bytes, as NumPy does it: np.load(path, mmap_mode="r") works. Version 1.0 unless a name is not ASCII
// (3.0) or the header is longer than 65535 bytes (2.0). The box is in a separate file, box_file.c.
//
// Texts all get the length of the longest one, 4 bytes a character: one long word makes a large file.
#include "base/array.h"
#include "base/text.h"
#include "files/csv.h"
#include "files/formats.h"
#include "files/growing.h"
#include "files/npy.h"
#include "files/words.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

// Characters of a text; -1 if it is no UTF-8.
static int64_t characters(const char* text)
{
    int64_t count = 0;
    for (size_t left = strlen(text), bytes; left > 0; text += bytes, left -= bytes, ++count) {
        uint32_t code;
        bytes = scree_utf8(text, left, &code);
        if (bytes == 0)
            return -1;
    }
    return count;
}

scree_status scree_npy_check(const scree_sphere_set* set)
{
    for (int32_t c = 0; c < set->column_count; ++c) {
        const scree_column* column = &set->columns[c];
        char name[SCREE_SHOWN];
        int32_t axis;
        scree_csv_shown(name, column->name, (int64_t)strlen(column->name));
        if (scree_part_of(column->name, (int64_t)strlen(column->name), &axis) != SCREE_PART_FURTHER)
            return scree_fail(SCREE_ERR_ARGUMENT,
                              "column '%s' is not possible in NPY: its name is that of a coordinate or radius; expected another name", name);
        if (characters(column->name) < 1)
            return scree_fail(SCREE_ERR_ARGUMENT, "column '%s' is not possible in NPY: its name is not UTF-8; expected UTF-8 text", name);
        for (int64_t i = 0; column->kind == SCREE_COLUMN_TEXT && i < set->count; ++i)
            if (characters(column->text + column->offset[i]) < 0)
                return scree_fail(SCREE_ERR_ARGUMENT,
                                  "column '%s' is not possible in NPY: the text of sphere %" PRId64 " is not UTF-8; expected UTF-8 text",
                                  name, i);
    }
    return scree_sphere_set_check_box(set);
}

// ---- Header ------------------------------------------------------------------------------------------------------

typedef struct header_text {
    char* text;
    int64_t length, capacity;
    bool ascii;
    scree_status status;
} header_text;

static void add(header_text* header, const char* text)
{
    int64_t length = (int64_t)strlen(text);
    if (header->status == SCREE_OK)
        header->status = SCREE_RESERVE(header->text, header->capacity, header->length + length);
    if (header->status != SCREE_OK)
        return;
    memcpy(header->text + header->length, text, (size_t)length);
    header->length += length;
}

// A name as a Python string.
static void add_name(header_text* header, const char* name)
{
    add(header, "('");
    for (const char* p = name; *p != '\0'; ++p) {
        char piece[8] = {*p, '\0'};
        unsigned char c = (unsigned char)*p;
        if (c == '\'' || c == '\\')
            snprintf(piece, sizeof piece, "\\%c", *p);
        else if (c < ' ' || c == 0x7F)
            snprintf(piece, sizeof piece, "\\x%02x", (unsigned)c);
        header->ascii &= c < 0x80;
        add(header, piece);
    }
    add(header, "', ");
}

static void add_fields(header_text* header, const scree_sphere_set* set, const int64_t* width)
{
    add(header, set->dim == 3 ? "[('x', '<f8'), ('y', '<f8'), ('z', '<f8'), ('r', '<f8')"
                              : "[('x', '<f8'), ('y', '<f8'), ('r', '<f8')");
    for (int32_t c = 0; c < set->column_count; ++c) {
        const scree_column* column = &set->columns[c];
        char dtype[64];
        int used;
        if (column->kind == SCREE_COLUMN_TEXT)
            used = snprintf(dtype, sizeof dtype, "'<U%" PRId64 "'", width[c]);
        else
            used = snprintf(dtype, sizeof dtype, "'%s'", column->kind == SCREE_COLUMN_INT64 ? "<i8" : "<f8");
        if (column->components > 1)
            snprintf(dtype + used, sizeof dtype - (size_t)used, ", (%d,)", (int)column->components);
        add(header, ", ");
        add_name(header, column->name);
        add(header, dtype);
        add(header, ")");
    }
    add(header, "]");
}

int scree_npy_begin(char begin[12], int major, int64_t text, int* blanks)
{
    static const char magic[] = "\x93NUMPY";
    int front = major == 1 ? 10 : 12;
    *blanks = (int)(63 - (front + text) % 64);
    memcpy(begin, magic, 6);
    begin[6] = (char)major;
    begin[7] = 0;
    for (int k = 8; k < front; ++k)
        begin[k] = (char)(unsigned char)((text + *blanks + 1) >> 8 * (k - 8) & 0xFF);
    return front;
}

static void put_header(scree_output* output, const scree_sphere_set* set, const int64_t* width)
{
    header_text header = {.ascii = true};
    char shape[96];
    add(&header, "{'descr': ");
    if (set->column_count > 0)
        add_fields(&header, set, width);
    else
        add(&header, "'<f8'");
    if (set->column_count > 0)
        snprintf(shape, sizeof shape, "(%" PRId32 ",)", set->count);
    else
        snprintf(shape, sizeof shape, "(%" PRId32 ", %d)", set->count, (int)set->dim + 1);
    add(&header, ", 'fortran_order': False, 'shape': ");
    add(&header, shape);
    add(&header, ", }");
    char begin[12];
    int blanks, front = scree_npy_begin(begin, !header.ascii ? 3 : header.length > 65535 - 65 ? 2 : 1, header.length, &blanks);
    for (int k = 0; k < blanks; ++k)
        add(&header, " ");
    add(&header, "\n");
    if (header.status == SCREE_OK) {
        scree_output_bytes(output, begin, (size_t)front);
        scree_output_bytes(output, header.text, (size_t)header.length);
    } else if (output->status == SCREE_OK) {
        output->status = header.status;
    }
    scree_free(header.text);
}

// ---- Data --------------------------------------------------------------------------------------------------------

static char* put_bits(char* to, uint64_t bits, int bytes)
{
    for (int k = 0; k < bytes; ++k)
        *to++ = (char)(bits >> 8 * k & 0xFF);
    return to;
}

static char* put_double(char* to, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return put_bits(to, bits, 8);
}

static void put_text(scree_output* output, const char* text, int64_t width)
{
    size_t left = strlen(text);
    for (int64_t k = 0; k < width; ++k) {
        uint32_t code = 0;
        size_t bytes = scree_utf8(text, left, &code);
        text += bytes;
        left -= bytes;
        scree_output_wrote(output, put_bits(scree_output_room(output, 4), code, 4));
    }
}

static void put_value(scree_output* output, const scree_column* column, int64_t i, int64_t width)
{
    if (column->kind == SCREE_COLUMN_TEXT) {
        put_text(output, column->text + column->offset[i], width);
        return;
    }
    char* p = scree_output_room(output, 8 * (size_t)column->components);
    for (int64_t k = i * column->components; k < (i + 1) * column->components; ++k)
        p = column->kind == SCREE_COLUMN_INT64 ? put_bits(p, (uint64_t)column->integers[k], 8)
                                               : put_double(p, column->values[k]);
    scree_output_wrote(output, p);
}

static void put_rows(scree_output* output, const scree_sphere_set* set, const int64_t* width)
{
    int64_t stride = set->count / 256 + 1;
    for (int64_t i = 0; i < set->count; ++i) {
        if (i % stride == 0 && scree_output_tick(output, (double)i / (double)set->count) != SCREE_OK)
            return;
        char* p = scree_output_room(output, 32);
        for (int k = 0; k < set->dim; ++k)
            p = put_double(p, set->x[i * set->dim + k]);
        scree_output_wrote(output, put_double(p, set->r[i]));
        for (int32_t c = 0; c < set->column_count; ++c)
            put_value(output, &set->columns[c], i, width[c]);
    }
}

void scree_npy_write(scree_output* output, const scree_sphere_set* set)
{
    int64_t* width = scree_calloc((size_t)set->column_count, sizeof *width);  // of texts, in characters
    if (width == NULL) {
        output->status = output->status == SCREE_OK ? SCREE_ERR_MEMORY : output->status;
        return;
    }
    for (int32_t c = 0; c < set->column_count; ++c) {
        const scree_column* column = &set->columns[c];
        width[c] = 1;  // NumPy takes texts of no length for unsized ones
        for (int64_t i = 0; column->kind == SCREE_COLUMN_TEXT && i < set->count; ++i) {
            int64_t length = characters(column->text + column->offset[i]);
            width[c] = length > width[c] ? length : width[c];
        }
    }
    put_header(output, set, width);
    put_rows(output, set, width);
    scree_free(width);
}
