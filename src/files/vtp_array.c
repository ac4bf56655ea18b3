// The values of one array, from bytes or from words of text, whatever VTK type they have.
//
// Room grows with what has come, by half each time and never beyond what the array should have: a file of 200 bytes that
// claims two billion points costs 200 bytes, and a complete array ends with no room to spare. (Growing costs little:
// realloc of large blocks moves pages, not bytes.)
#include "files/vtp.h"

#include "base/array.h"
#include "base/number.h"
#include "files/csv.h"

#include <assert.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const struct {
    const char* name;
    int size;
} types[SCREE_VTK_TYPE_COUNT] = {
    [SCREE_VTK_INT8] = {"Int8", 1},       [SCREE_VTK_UINT8] = {"UInt8", 1},     [SCREE_VTK_INT16] = {"Int16", 2},
    [SCREE_VTK_UINT16] = {"UInt16", 2},   [SCREE_VTK_INT32] = {"Int32", 4},     [SCREE_VTK_UINT32] = {"UInt32", 4},
    [SCREE_VTK_INT64] = {"Int64", 8},     [SCREE_VTK_UINT64] = {"UInt64", 8},   [SCREE_VTK_FLOAT32] = {"Float32", 4},
    [SCREE_VTK_FLOAT64] = {"Float64", 8}, [SCREE_VTK_STRING] = {"String", 1},
};

const char* scree_vtk_type_name(scree_vtk_type type)
{
    return types[type].name;
}

int scree_vtk_type_size(scree_vtk_type type)
{
    return types[type].size;
}

void scree_vtp_array_free(scree_vtp_array* array)
{
    scree_free(array->name);
    scree_free(array->values);
    scree_free(array->integers);
    scree_free(array->text);
    *array = (scree_vtp_array){0};
}

scree_status scree_vtp_array_fail(const scree_input* input, const scree_vtp_array* array, const char* format, ...)
{
    char text[1024], shown[SCREE_SHOWN];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    scree_csv_shown(shown, array->name, (int64_t)strlen(array->name));
    return scree_input_fail(input, array->line, "array '%s': %s", shown, text);
}

// ---- Numbers -----------------------------------------------------------------------------------------------------

// Room for `more` numbers, of which the array has not too many yet.
static scree_status make_room(scree_vtp_array* array, int64_t more)
{
    int64_t wanted = array->have + more, roomy = array->capacity + array->capacity / 2, total = scree_vtp_array_total(array);
    assert(wanted <= total);
    if (wanted <= array->capacity)
        return SCREE_OK;
    int64_t next = roomy > wanted ? roomy : wanted;
    if (next > total)
        next = total;
    if (array->kind == SCREE_COLUMN_DOUBLE) {
        double* values = scree_realloc(array->values, (size_t)next, sizeof *values);
        if (values == NULL)
            return SCREE_ERR_MEMORY;
        array->values = values;
    } else {
        int64_t* integers = scree_realloc(array->integers, (size_t)next, sizeof *integers);
        if (integers == NULL)
            return SCREE_ERR_MEMORY;
        array->integers = integers;
    }
    array->capacity = next;
    return SCREE_OK;
}

scree_status scree_vtp_make_doubles(scree_vtp_array* array)
{
    if (array->kind == SCREE_COLUMN_DOUBLE)
        return SCREE_OK;
    double* values = scree_malloc((size_t)array->capacity, sizeof *values);
    if (values == NULL)
        return SCREE_ERR_MEMORY;
    for (int64_t k = 0; k < array->have; ++k)
        values[k] = (double)array->integers[k];
    scree_free(array->integers);
    array->integers = NULL;
    array->values = values;
    array->kind = SCREE_COLUMN_DOUBLE;
    return SCREE_OK;
}

// Some numbers as they lie in memory. 4 KiB stay in the nearest cache.
typedef union portion {
    unsigned char bytes[4096];
    int8_t i8[4096];
    uint8_t u8[4096];
    int16_t i16[2048];
    uint16_t u16[2048];
    int32_t i32[1024];
    uint32_t u32[1024];
    int64_t i64[512];
    uint64_t u64[512];
    float f32[1024];
    double f64[512];
} portion;

static void swap_bytes(portion* some, int size, int64_t count)
{
    if (size == 2)
        for (int64_t k = 0; k < count; ++k)
            some->u16[k] = __builtin_bswap16(some->u16[k]);
    else if (size == 4)
        for (int64_t k = 0; k < count; ++k)
            some->u32[k] = __builtin_bswap32(some->u32[k]);
    else if (size == 8)
        for (int64_t k = 0; k < count; ++k)
            some->u64[k] = __builtin_bswap64(some->u64[k]);
}

static scree_status take_portion(scree_vtp_array* array, const portion* some, int64_t count)
{
    if (count == 0)
        return SCREE_OK;
    scree_status status = make_room(array, count);
    if (status == SCREE_OK && array->type == SCREE_VTK_UINT64 && array->kind == SCREE_COLUMN_INT64)
        for (int64_t k = 0; k < count && array->kind == SCREE_COLUMN_INT64 && status == SCREE_OK; ++k)
            if (some->u64[k] > (uint64_t)INT64_MAX)
                status = scree_vtp_make_doubles(array);
    if (status != SCREE_OK)
        return status;
    double* values = array->values == NULL ? NULL : array->values + array->have;
    int64_t* integers = array->integers == NULL ? NULL : array->integers + array->have;
#define TAKE(to, from)                                                                                                 \
    for (int64_t k = 0; k < count; ++k)                                                                                \
        to[k] = some->from[k];                                                                                         \
    break
    switch (array->type) {
    case SCREE_VTK_INT8: TAKE(integers, i8);
    case SCREE_VTK_UINT8: TAKE(integers, u8);
    case SCREE_VTK_INT16: TAKE(integers, i16);
    case SCREE_VTK_UINT16: TAKE(integers, u16);
    case SCREE_VTK_INT32: TAKE(integers, i32);
    case SCREE_VTK_UINT32: TAKE(integers, u32);
    case SCREE_VTK_INT64: TAKE(integers, i64);
    case SCREE_VTK_FLOAT32: TAKE(values, f32);
    case SCREE_VTK_FLOAT64: memcpy(values, some->f64, (size_t)count * sizeof *values); break;
    case SCREE_VTK_UINT64:
        for (int64_t k = 0; k < count; ++k)
            if (array->kind == SCREE_COLUMN_DOUBLE)
                values[k] = (double)some->u64[k];
            else
                integers[k] = (int64_t)some->u64[k];
        break;
    case SCREE_VTK_STRING:
    case SCREE_VTK_TYPE_COUNT: assert(false); break;
    }
#undef TAKE
    array->have += count;
    return SCREE_OK;
}

// ---- Words -------------------------------------------------------------------------------------------------------

static scree_status take_text(const scree_input* input, scree_vtp_array* array, const unsigned char* bytes, size_t count)
{
    scree_status status = SCREE_RESERVE(array->text, array->text_capacity, array->text_length + (int64_t)count);
    if (status != SCREE_OK)
        return status;
    if (count > 0)
        memcpy(array->text + array->text_length, bytes, count);
    array->text_length += (int64_t)count;
    for (size_t k = 0; k < count; ++k)
        array->have += bytes[k] == '\0';
    bool open = array->text_length > 0 && array->text[array->text_length - 1] != '\0';
    if (array->have + open > array->tuples)
        return scree_vtp_array_fail(input, array, "more words than points; expected %" PRId64, array->tuples);
    return SCREE_OK;
}

// ---- From bytes --------------------------------------------------------------------------------------------------

scree_status scree_vtp_array_bytes(const scree_input* input, scree_vtp_array* array, const unsigned char* bytes,
                                   size_t count, bool swap)
{
    if (array->type == SCREE_VTK_STRING)
        return take_text(input, array, bytes, count);
    size_t size = (size_t)types[array->type].size;
    portion some;
    while (count > 0) {
        size_t from_rest = (size_t)array->rest_length, room = sizeof some.bytes - from_rest;
        size_t taken = count < room ? count : room;
        memcpy(some.bytes, array->rest, from_rest);
        memcpy(some.bytes + from_rest, bytes, taken);
        bytes += taken;
        count -= taken;
        size_t whole = (from_rest + taken) / size;
        array->rest_length = (int32_t)(from_rest + taken - whole * size);
        memcpy(array->rest, some.bytes + whole * size, (size_t)array->rest_length);
        if (swap)
            swap_bytes(&some, (int)size, (int64_t)whole);
        scree_status status = take_portion(array, &some, (int64_t)whole);
        if (status != SCREE_OK)
            return status;
    }
    return SCREE_OK;
}

// ---- From text ---------------------------------------------------------------------------------------------------

// A whole number written with digits only: its sign and its size, up to 2^64 - 1.
static bool whole_number(const char* p, const char* end, bool* negative, uint64_t* size)
{
    *negative = p < end && *p == '-';
    if (p < end && (*p == '-' || *p == '+'))
        ++p;
    if (p == end)
        return false;
    *size = 0;
    for (; p < end; ++p) {
        uint64_t digit = (uint64_t)(unsigned char)*p - '0';
        if (digit > 9 || *size > (UINT64_MAX - digit) / 10)
            return false;
        *size = *size * 10 + digit;
    }
    return true;
}

static bool fits(scree_vtk_type type, bool negative, uint64_t size)
{
    bool is_signed = type == SCREE_VTK_INT8 || type == SCREE_VTK_INT16 || type == SCREE_VTK_INT32 || type == SCREE_VTK_INT64;
    int bits = 8 * types[type].size;
    if (!is_signed)
        return (!negative || size == 0) && (bits == 64 || size >> bits == 0);
    return size <= ((uint64_t)1 << (bits - 1)) - !negative;
}

scree_status scree_vtp_array_word(const scree_input* input, scree_vtp_array* array, const char* word, int64_t length,
                                  int64_t line)
{
    char shown[SCREE_SHOWN], name[SCREE_SHOWN];
    bool real = array->type == SCREE_VTK_FLOAT32 || array->type == SCREE_VTK_FLOAT64, negative = false;
    uint64_t size = 0;
    double value = 0.0;
    bool good = length <= 500 &&
                (real ? scree_number_parse(word, word + length, &value)
                      : whole_number(word, word + length, &negative, &size));
    if (good && !real) {  // the characters of words are numbers too, with or without a sign
        scree_vtk_type type = array->type != SCREE_VTK_STRING ? array->type : negative ? SCREE_VTK_INT8 : SCREE_VTK_UINT8;
        good = fits(type, negative, size);
    }
    if (!good)
        return scree_input_fail(input, line, "array '%s' holds '%s'; expected a number (%s)",
                                scree_csv_shown(name, array->name, (int64_t)strlen(array->name)),
                                scree_csv_shown(shown, word, length), types[array->type].name);
    if (array->type == SCREE_VTK_STRING) {
        unsigned char c = (unsigned char)(negative ? 0 - size : size);
        return take_text(input, array, &c, 1);
    }
    if (array->have == scree_vtp_array_total(array))
        return scree_input_fail(input, line, "array '%s' has '%s' after its end; expected %" PRId64 " numbers (%" PRId64 " tuples of %" PRId32 ")",
                                scree_csv_shown(name, array->name, (int64_t)strlen(array->name)),
                                scree_csv_shown(shown, word, length), scree_vtp_array_total(array), array->tuples,
                                array->components);
    portion some;
    switch (array->type) {
    case SCREE_VTK_FLOAT32: some.f32[0] = (float)value; break;
    case SCREE_VTK_FLOAT64: some.f64[0] = value; break;
    default: {
        scree_status status = make_room(array, 1);
        if (status == SCREE_OK && array->kind == SCREE_COLUMN_INT64 && !negative && size > (uint64_t)INT64_MAX)
            status = scree_vtp_make_doubles(array);
        if (status != SCREE_OK)
            return status;
        if (array->kind == SCREE_COLUMN_DOUBLE)
            array->values[array->have++] = (double)size;
        else
            array->integers[array->have++] = negative ? (int64_t)(0 - size) : (int64_t)size;
        return SCREE_OK;
    }
    }
    return take_portion(array, &some, 1);
}

scree_status scree_vtp_array_end(const scree_input* input, const scree_vtp_array* array)
{
    if (array->type == SCREE_VTK_STRING) {
        if (array->text_length > 0 && array->text[array->text_length - 1] != '\0')
            return scree_vtp_array_fail(input, array, "its last word is not closed by a 0; expected one");
        if (array->have != array->tuples)
            return scree_vtp_array_fail(input, array, "%" PRId64 " words; expected %" PRId64 ", one for each point", array->have,
                                        array->tuples);
        return SCREE_OK;
    }
    if (array->have != scree_vtp_array_total(array) && !array->open)
        return scree_vtp_array_fail(input, array, "%" PRId64 " numbers; expected %" PRId64 " (%" PRId64 " tuples of %" PRId32 ")",
                                    array->have, scree_vtp_array_total(array), array->tuples, array->components);
    return SCREE_OK;
}
