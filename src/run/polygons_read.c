// Polygons from a text: a line "x y" for each vertex, an empty line between polygons. What follows a # is a comment; commas count as blanks.
#include "run/bodies.h"

#include "base/array.h"
#include "files/words.h"
#include "geom/length.h"

#include <inttypes.h>
#include <stdio.h>

typedef struct drawing {
    double* xy;
    int64_t count, capacity;  // numbers
    int64_t line;             // of the first vertex
} drawing;

static scree_status finish(const scree_input* input, drawing* d, scree_shapes* shapes)
{
    if (d->count == 0)
        return SCREE_OK;
    if (d->count > INT32_MAX)
        return scree_input_fail(input, d->line, "a polygon of %" PRId64 " vertices is too large; expected fewer", d->count / 2);
    scree_status status = scree_shapes_add(shapes, (scree_polygon){.count = (int32_t)(d->count / 2), .xy = d->xy}, NULL);
    d->count = 0;
    if (status != SCREE_ERR_ARGUMENT)
        return status;
    char why[512];
    snprintf(why, sizeof why, "%s", scree_error_message());
    return scree_input_fail(input, d->line, "polygon %" PRId32 ", which begins here: %s", shapes->count, why);
}

static scree_status take_line(const scree_input* input, char* text, int64_t length, drawing* d, bool* empty)
{
    int64_t end = 0;
    while (end < length && text[end] != '#')
        end += 1;
    for (int64_t k = 0; k < end; ++k)
        text[k] = text[k] == ',' ? ' ' : text[k];
    const char* at = text;
    scree_word word;
    double xy[2] = {0.0, 0.0};
    int words = 0;
    bool good = true;
    while (scree_next_word(&at, text + end, &word)) {
        good = good && words < 2 && scree_word_number(word, &xy[words]) && scree_is_length(xy[words]);
        ++words;
    }
    *empty = words == 0 && end == length;  // a line of comment alone does not end a polygon
    if (words == 0)
        return SCREE_OK;
    if (!good || words != 2)
        return scree_input_fail(input, input->line, "vertex %" PRId64 " is '%.*s'; expected two numbers, x and y", d->count / 2,
                                (int)(end < 60 ? end : 60), text);
    scree_status status = SCREE_RESERVE(d->xy, d->capacity, d->count + 2);
    if (status != SCREE_OK)
        return status;
    if (d->count == 0)
        d->line = input->line;
    d->xy[d->count++] = xy[0];
    d->xy[d->count++] = xy[1];
    return SCREE_OK;
}

scree_status bodies_read_file(const char* path, scree_watch watch, scree_shapes* shapes)
{
    scree_input input;
    scree_status status = scree_input_open(&input, path, watch);
    if (status != SCREE_OK)
        return status;
    drawing d = {0};
    bool more = true;
    int32_t before = shapes->count;
    while (status == SCREE_OK) {
        char* text;
        int64_t length;
        bool empty = true;
        status = scree_text_line(&input, &text, &length, &more);
        if (status != SCREE_OK || !more)
            break;
        status = take_line(&input, text, length, &d, &empty);
        if (status == SCREE_OK && empty)
            status = finish(&input, &d, shapes);
    }
    if (status == SCREE_OK)
        status = finish(&input, &d, shapes);
    if (status == SCREE_OK && shapes->count == before)
        status = scree_fail(SCREE_ERR_FORMAT, "%s: there is no polygon in this file; expected lines with x and y", path);
    scree_input_close(&input);
    scree_free(d.xy);
    return status;
}
