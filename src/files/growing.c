// A set that grows. All arrays have room for the same number of rows and grow together, by half, so that a row costs
// one comparison; they are cut to size when they are handed over.
#include "files/growing.h"

#include "base/array.h"
#include "files/csv.h"
#include "files/words.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

scree_part scree_part_of(const char* name, int64_t length, int32_t* axis)
{
    static const struct {
        const char* name;
        scree_part part;
        int32_t axis;
    } known[] = {
        {"x", SCREE_PART_COORDINATE, 0},  {"y", SCREE_PART_COORDINATE, 1},      {"z", SCREE_PART_COORDINATE, 2},
        {"pos", SCREE_PART_POSITION, 0},  {"position", SCREE_PART_POSITION, 0}, {"r", SCREE_PART_RADIUS, 0},
        {"radius", SCREE_PART_RADIUS, 0}, {"d", SCREE_PART_DIAMETER, 0},        {"diameter", SCREE_PART_DIAMETER, 0}};
    scree_word word = {name, name + length};
    for (size_t w = 0; w < sizeof known / sizeof *known; ++w)
        if (scree_word_is_any_case(word, known[w].name)) {
            *axis = known[w].axis;
            return known[w].part;
        }
    *axis = 0;
    return SCREE_PART_FURTHER;
}

scree_status scree_growing_add(scree_growing* growing, const char* name, int64_t length, scree_column_kind kind,
                               int32_t components)
{
    scree_status status = SCREE_RESERVE(growing->fields, growing->field_capacity, (int64_t)growing->field_count + 1);
    if (status != SCREE_OK)
        return status;
    scree_growing_field* field = &growing->fields[growing->field_count];
    *field = (scree_growing_field){.data = {.kind = (int32_t)kind, .components = components}};
    field->part = scree_part_of(name, length, &field->axis);
    field->data.name = scree_malloc((size_t)length + 1, 1);
    if (field->data.name == NULL)
        return SCREE_ERR_MEMORY;
    memcpy(field->data.name, name, (size_t)length);
    field->data.name[length] = '\0';
    ++growing->field_count;
    return SCREE_OK;
}

static const char* shown_name(const scree_growing_field* field, char shown[SCREE_SHOWN])
{
    return scree_csv_shown(shown, field->data.name, (int64_t)strlen(field->data.name));
}

// One place per part of the sphere, so that two fields for the same part meet.
static int place_of(const scree_growing_field* field)
{
    return field->part == SCREE_PART_COORDINATE ? field->axis : 3 + (int)field->part;
}

scree_status scree_growing_settle(scree_growing* growing, char fault[SCREE_FAULT])
{
    scree_growing_field* of[3 + SCREE_PART_TWIN + 1] = {NULL};
    char one[SCREE_SHOWN], two[SCREE_SHOWN];
    for (int32_t f = 0; f < growing->field_count; ++f) {
        scree_growing_field* field = &growing->fields[f];
        if (field->part == SCREE_PART_FURTHER) {
            for (int32_t e = 0; e < f; ++e)
                if (strcmp(growing->fields[e].data.name, field->data.name) == 0) {
                    snprintf(fault, SCREE_FAULT, "'%s' is named twice; expected it once", shown_name(field, one));
                    return SCREE_ERR_FORMAT;
                }
            continue;
        }
        scree_growing_field** place = &of[place_of(field)];
        if (*place != NULL) {
            snprintf(fault, SCREE_FAULT, "'%s' and '%s' are both named; expected one of them", shown_name(*place, one),
                     shown_name(field, two));
            return SCREE_ERR_FORMAT;
        }
        *place = field;
        int32_t components = field->data.components;
        bool position = field->part == SCREE_PART_POSITION;
        if (field->data.kind == SCREE_COLUMN_TEXT ||
            (position ? components != 2 && components != 3 : components != 1)) {
            snprintf(fault, SCREE_FAULT, "'%s' has %d %s%s; expected %s", shown_name(field, one),
                     (int)components, field->data.kind == SCREE_COLUMN_TEXT ? "text" : "number", components == 1 ? "" : "s",
                     position ? "2 or 3 numbers" : "one number");
            return SCREE_ERR_FORMAT;
        }
    }
    scree_growing_field *position = of[3 + SCREE_PART_POSITION], *radius = of[3 + SCREE_PART_RADIUS];
    for (int k = 0; k < 3; ++k)
        if (position != NULL && of[k] != NULL) {
            snprintf(fault, SCREE_FAULT, "'%s' and '%s' are both named; expected one of them",
                     shown_name(position, one), shown_name(of[k], two));
            return SCREE_ERR_FORMAT;
        }
    if (position == NULL && (of[0] == NULL || of[1] == NULL)) {
        snprintf(fault, SCREE_FAULT, "there is no %s; expected pos, or x, y (and z)",
                 of[0] == NULL && of[1] == NULL ? "position"
                 : of[0] == NULL                ? "x"
                                                : "y");
        return SCREE_ERR_FORMAT;
    }
    if (radius == NULL && of[3 + SCREE_PART_DIAMETER] == NULL) {
        snprintf(fault, SCREE_FAULT, "there is no radius; expected radius, r, diameter or d");
        return SCREE_ERR_FORMAT;
    }
    growing->dim = position != NULL ? position->data.components : of[2] != NULL ? 3 : 2;
    if (radius != NULL && of[3 + SCREE_PART_DIAMETER] != NULL) {
        of[3 + SCREE_PART_DIAMETER]->part = SCREE_PART_TWIN;
        growing->has_twin = true;
    }
    return SCREE_OK;
}

static scree_status resize_all(scree_growing* growing, int64_t rows)
{
    scree_status status = scree_resize(&growing->x, rows * growing->dim, sizeof *growing->x);
    if (status == SCREE_OK)
        status = scree_resize(&growing->r, rows, sizeof *growing->r);
    for (int32_t f = 0; status == SCREE_OK && f < growing->field_count; ++f) {
        scree_growing_field* field = &growing->fields[f];
        if (field->part != SCREE_PART_FURTHER)
            continue;
        scree_column* data = &field->data;
        if (data->kind == SCREE_COLUMN_DOUBLE)
            status = scree_resize(&data->values, rows * data->components, sizeof *data->values);
        else if (data->kind == SCREE_COLUMN_INT64)
            status = scree_resize(&data->integers, rows * data->components, sizeof *data->integers);
        else
            status = scree_resize(&data->offset, rows, sizeof *data->offset);
    }
    if (status == SCREE_OK)
        growing->room = rows;
    return status;
}

scree_status scree_growing_enlarge(scree_growing* growing, int64_t rows)
{
    int64_t roomy = growing->room + growing->room / 2;
    return resize_all(growing, rows > roomy ? rows + 15 : roomy);
}

void scree_growing_fault(const scree_growing* growing, const scree_growing_field* field, int32_t k, double value,
                         char fault[SCREE_FAULT])
{
    bool size = field->part == SCREE_PART_RADIUS || field->part == SCREE_PART_DIAMETER;
    const char* what = !size ? "coordinate" : field->part == SCREE_PART_RADIUS ? "radius" : "diameter";
    if (!size && field->axis + k >= growing->dim)
        snprintf(fault, SCREE_FAULT, "; expected 0, since the spheres are marked as 2D");
    else if (isnan(value))
        snprintf(fault, SCREE_FAULT, "; expected a %s", what);
    else if (size && value < 0.0)
        snprintf(fault, SCREE_FAULT, "; expected a %s of 0 or more", what);
    else
        snprintf(fault, SCREE_FAULT, "; expected a %s of 0 or between %g and %g in size", what, SCREE_LENGTH_MIN,
                 SCREE_LENGTH_MAX);
}

scree_status scree_growing_text(scree_growing_field* field, int64_t row, const char* word, int64_t length)
{
    scree_column* data = &field->data;
    scree_status status = SCREE_RESERVE(data->text, field->text_capacity, field->text_length + length + 1);
    if (status != SCREE_OK)
        return status;
    data->offset[row] = field->text_length;
    memcpy(data->text + field->text_length, word, (size_t)length);
    data->text[field->text_length + length] = '\0';
    field->text_length += length + 1;
    return SCREE_OK;
}

// Rows of `size` bytes in the new order. `block` is the address of the array's pointer.
static scree_status gather(void* block, const int32_t* order, int64_t count, size_t size)
{
    char* old;
    memcpy(&old, block, sizeof old);
    char* sorted = scree_malloc((size_t)count, size);
    if (sorted == NULL)
        return SCREE_ERR_MEMORY;
    for (int64_t i = 0; i < count; ++i)
        memcpy(sorted + (size_t)i * size, old + (size_t)order[i] * size, size);
    memcpy(block, &sorted, sizeof sorted);
    scree_free(old);
    return SCREE_OK;
}

scree_status scree_growing_reorder(scree_growing* growing, const int32_t* order)
{
    int64_t count = growing->count;
    growing->room = count;
    scree_status status = gather(&growing->x, order, count, (size_t)growing->dim * sizeof *growing->x);
    if (status == SCREE_OK)
        status = gather(&growing->r, order, count, sizeof *growing->r);
    for (int32_t f = 0; status == SCREE_OK && f < growing->field_count; ++f) {
        scree_column* data = &growing->fields[f].data;
        if (growing->fields[f].part != SCREE_PART_FURTHER)
            continue;
        if (data->kind == SCREE_COLUMN_DOUBLE)
            status = gather(&data->values, order, count, (size_t)data->components * sizeof *data->values);
        else if (data->kind == SCREE_COLUMN_INT64)
            status = gather(&data->integers, order, count, (size_t)data->components * sizeof *data->integers);
        else
            status = gather(&data->offset, order, count, sizeof *data->offset);
    }
    return status;
}

static void free_data(scree_column* data)
{
    scree_free(data->name);
    scree_free(data->values);
    scree_free(data->integers);
    scree_free(data->text);
    scree_free(data->offset);
}

void scree_growing_drop(scree_growing* growing, int32_t f)
{
    free_data(&growing->fields[f].data);
    --growing->field_count;
    memmove(&growing->fields[f], &growing->fields[f + 1], (size_t)(growing->field_count - f) * sizeof *growing->fields);
}

scree_status scree_growing_finish(scree_growing* growing, scree_sphere_set* out)
{
    scree_status status = resize_all(growing, growing->count);
    for (int32_t f = 0; status == SCREE_OK && f < growing->field_count; ++f) {
        scree_growing_field* field = &growing->fields[f];
        if (field->part == SCREE_PART_FURTHER && field->data.kind == SCREE_COLUMN_TEXT)
            status = scree_resize(&field->data.text, field->text_length, 1);
    }
    scree_column* columns = status == SCREE_OK ? scree_malloc((size_t)growing->field_count, sizeof *columns) : NULL;
    if (columns == NULL)
        return SCREE_ERR_MEMORY;
    *out = (scree_sphere_set){.dim = growing->dim,
                              .count = (int32_t)growing->count,
                              .x = growing->x,
                              .r = growing->r,
                              .box = scree_box_open(growing->dim),
                              .columns = columns};
    growing->x = NULL;
    growing->r = NULL;
    for (int32_t f = 0; f < growing->field_count; ++f)
        if (growing->fields[f].part == SCREE_PART_FURTHER) {
            columns[out->column_count++] = growing->fields[f].data;
            growing->fields[f].data = (scree_column){0};
        }
    return SCREE_OK;
}

void scree_growing_free(scree_growing* growing)
{
    for (int32_t f = 0; f < growing->field_count; ++f)
        free_data(&growing->fields[f].data);
    scree_free(growing->fields);
    scree_free(growing->x);
    scree_free(growing->r);
    *growing = (scree_growing){0};
}
