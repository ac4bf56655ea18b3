// CSV of spheres and of pairs. Numbers are the shortest texts that read back as the same bits. What the reader makes of
// a field decides how it is written: whole values in columns of doubles get a ".0" (else they would come back as
// integers), words that look like numbers get quotes (else they would come back as numbers), and a vector v becomes
// v_x,v_y,v_z (or v_0,v_1,... with four components and more), which the reader joins again.
#include "files/csv.h"

#include "base/number.h"
#include "files/words.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

// A double that shows that it is one.
static char* put_double(char* to, double value)
{
    char* end = scree_put_number(to, value);
    for (char* p = to; p < end; ++p)
        if (*p != '-' && (*p < '0' || *p > '9'))
            return end;
    *end++ = '.';
    *end++ = '0';
    return end;
}

void scree_csv_put_text(scree_output* output, const char* text)
{
    size_t length = strlen(text);
    double unused;
    bool quotes = length > 0 && (strpbrk(text, ",;\"\n\r\t") != NULL || text[0] == ' ' || text[length - 1] == ' ' ||
                                 scree_number_parse(text, text + length, &unused));
    if (!quotes) {
        scree_output_bytes(output, text, length);
        return;
    }
    scree_output_bytes(output, "\"", 1);
    for (const char* quote; (quote = strchr(text, '"')) != NULL; text = quote + 1) {
        scree_output_bytes(output, text, (size_t)(quote - text) + 1);
        scree_output_bytes(output, "\"", 1);
    }
    scree_output_bytes(output, text, strlen(text));
    scree_output_bytes(output, "\"", 1);
}

// What is put behind the name of a vector for its k-th component.
static void component_ending(int32_t components, int k, char ending[16])
{
    if (components == 1)
        ending[0] = '\0';
    else if (components <= 3)
        snprintf(ending, 16, "_%c", "xyz"[k]);
    else
        snprintf(ending, 16, "_%d", k);
}

// Whether column a in its component j and column b in its component k would have the same name in the file.
static bool same_name(const scree_column* a, int j, const scree_column* b, int k)
{
    char one[16], two[16];
    component_ending(a->components, j, one);
    component_ending(b->components, k, two);
    size_t one_length = strlen(one), two_length = strlen(two), a_length = strlen(a->name), b_length = strlen(b->name);
    if (a_length + one_length != b_length + two_length)
        return false;
    // One of the two names is the beginning of the other, and the rest of the longer one is part of the ending.
    const char* longer = a_length > b_length ? a->name : b->name;
    size_t shared = a_length > b_length ? b_length : a_length, rest = (a_length > b_length ? a_length : b_length) - shared;
    const char *long_ending = a_length > b_length ? one : two, *short_ending = a_length > b_length ? two : one;
    return memcmp(a->name, b->name, shared) == 0 && memcmp(longer + shared, short_ending, rest) == 0 &&
           strcmp(short_ending + rest, long_ending) == 0;
}

scree_status scree_csv_check_names(const scree_sphere_set* set)
{
    for (int32_t c = 0; c < set->column_count; ++c) {
        const scree_column* column = &set->columns[c];
        char shown[SCREE_SHOWN];
        scree_csv_shown(shown, column->name, (int64_t)strlen(column->name));
        if (scree_csv_is_sphere_name(column->name, strlen(column->name)))
            return scree_fail(SCREE_ERR_ARGUMENT, "column '%s' is not possible in CSV: its name is that of a coordinate or radius; expected another name",
                              shown);
        for (int32_t b = 0; b < c; ++b)
            for (int j = 0; j < set->columns[b].components; ++j)
                for (int k = 0; k < column->components; ++k)
                    if (same_name(&set->columns[b], j, column, k))
                        return scree_fail(SCREE_ERR_ARGUMENT,
                                          "column '%s' is not possible in CSV: another column has the same name there; expected another name",
                                          shown);
    }
    return SCREE_OK;
}

static void put_header(scree_output* output, const scree_sphere_set* set)
{
    scree_output_bytes(output, "x,y,z,", set->dim == 3 ? 6 : 4);
    scree_output_bytes(output, "r", 1);
    for (int32_t c = 0; c < set->column_count; ++c) {
        const scree_column* column = &set->columns[c];
        for (int k = 0; k < column->components; ++k) {
            char ending[16];
            component_ending(column->components, k, ending);
            scree_output_bytes(output, ",", 1);
            if (ending[0] == '\0') {
                scree_csv_put_text(output, column->name);
                continue;
            }
            // Quotes, if the name needs them, go around name and ending together.
            size_t name = strlen(column->name), length = strlen(ending);
            char* whole = scree_malloc(name + length + 1, 1);
            if (whole == NULL) {
                output->status = output->status == SCREE_OK ? SCREE_ERR_MEMORY : output->status;
                return;
            }
            memcpy(whole, column->name, name);
            memcpy(whole + name, ending, length + 1);
            scree_csv_put_text(output, whole);
            scree_free(whole);
        }
    }
    scree_output_bytes(output, "\n", 1);
}

static void put_value(scree_output* output, const scree_column* column, int64_t i)
{
    if (column->kind == SCREE_COLUMN_TEXT) {
        scree_output_bytes(output, ",", 1);
        scree_csv_put_text(output, column->text + column->offset[i]);
        return;
    }
    char* p = scree_output_room(output, (size_t)column->components * 32);
    for (int64_t k = i * column->components; k < (i + 1) * column->components; ++k) {
        *p++ = ',';
        p = column->kind == SCREE_COLUMN_INT64 ? scree_put_integer(p, column->integers[k]) : put_double(p, column->values[k]);
    }
    scree_output_wrote(output, p);
}

void scree_csv_write_spheres(scree_output* output, const scree_sphere_set* set)
{
    put_header(output, set);
    int64_t stride = set->count / 256 + 1;
    for (int64_t i = 0; i < set->count; ++i) {
        if (i % stride == 0 && scree_output_tick(output, (double)i / (double)set->count) != SCREE_OK)
            return;
        char* p = scree_output_room(output, 4 * 33);
        for (int k = 0; k < set->dim; ++k) {
            p = scree_put_number(p, set->x[i * set->dim + k]);
            *p++ = ',';
        }
        p = scree_put_number(p, set->r[i]);
        scree_output_wrote(output, p);
        for (int32_t c = 0; c < set->column_count; ++c)
            put_value(output, &set->columns[c], i);
        scree_output_bytes(output, "\n", 1);
    }
}

void scree_csv_write_pairs_header(scree_output* output, bool shifted)
{
    const char* header = shifted ? "i,j,gap,sx,sy,sz\n" : "i,j,gap\n";
    scree_output_bytes(output, header, strlen(header));
}

void scree_csv_write_pairs(scree_output* output, const scree_box* box, scree_spheres spheres, scree_pairs pairs, int64_t done, int64_t all)
{
    int64_t stride = all / 256 + 1;
    for (int64_t n = 0; n < pairs.count; ++n) {
        if ((done + n) % stride == 0 && scree_output_tick(output, (double)(done + n) / (double)all) != SCREE_OK)
            return;
        const int8_t* shift = pairs.shift != NULL ? pairs.shift[n] : NULL;
        char* p = scree_output_room(output, 160);
        p = scree_put_integer(p, pairs.ij[n][0]);
        *p++ = ',';
        p = scree_put_integer(p, pairs.ij[n][1]);
        *p++ = ',';
        p = scree_put_number(p, scree_pair_gap(box, spheres, pairs.ij[n][0], pairs.ij[n][1], shift));
        for (int k = 0; shift != NULL && k < 3; ++k) {
            *p++ = ',';
            p = scree_put_integer(p, k < spheres.dim ? shift[k] : 0);
        }
        *p++ = '\n';
        scree_output_wrote(output, p);
    }
}
