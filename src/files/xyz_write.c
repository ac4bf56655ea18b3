// Extended XYZ, written: Properties=species:S:1:pos:R:3:radius:R:1 and the further columns, numbers as the shortest
// texts that read back as the same bits. What the format does not define is in keys that other programs
// ignore:
//
//     scree_dim=2            the spheres are discs; z is 0 in every row. Always written: it marks a file of scree
//     scree_box=pwo          a letter per axis where pbc=F is not enough (finite_box.h); the vector is then the bounds'
//     scree_upper="..."      the upper ends of the box, where Origin + Lattice rounds to something else
//     scree_container=cylinder   the box bounds a round container
//     scree_species=T        the species is X in every row and means it
#include "files/finite_box.h"
#include "files/formats.h"
#include "files/growing.h"
#include "files/words.h"

#include <stdio.h>
#include <string.h>

static bool word_fits(const char* word)
{
    const char* p = word;
    while (*p != '\0' && !scree_is_blank(*p))
        ++p;
    return *p == '\0' && p > word;
}

// A name ends at a colon; one with blanks is in quotes, which allow neither a quote nor a line end.
static bool name_fits(const char* name)
{
    for (const char* p = name; *p != '\0'; ++p)
        if (*p == ':' || *p == '"' || *p == '\\' || (unsigned char)*p < ' ')
            return false;
    return *name != '\0';
}

scree_status scree_xyz_check(const scree_sphere_set* set)
{
    return scree_sphere_set_check_box(set);
}

// A column is left out if its name would be read as something else, or if one of its words is none without blanks.
bool scree_xyz_keeps(const scree_sphere_set* set, int32_t c)
{
    if (c < 0)
        return true;
    const scree_column* column = &set->columns[c];
    int32_t axis;
    bool fits = name_fits(column->name) &&
                scree_part_of(column->name, (int64_t)strlen(column->name), &axis) == SCREE_PART_FURTHER;
    for (int64_t i = 0; fits && column->kind == SCREE_COLUMN_TEXT && i < set->count; ++i)
        fits = word_fits(column->text + column->offset[i]);
    return fits;
}

static void put(scree_output* output, const char* text)
{
    scree_output_bytes(output, text, strlen(text));
}

static void put_three(scree_output* output, const char* key, const double value[3])
{
    char text[160], *p = text;
    for (int k = 0; k < 3; ++k) {
        p = scree_put_number(p, value[k]);
        *p++ = ' ';
    }
    p[-1] = '\0';
    put(output, key);
    put(output, "=\"");
    put(output, text);
    put(output, "\" ");
}

static bool same_bits(double a, double b)
{
    return memcmp(&a, &b, sizeof a) == 0;
}

static void put_box(scree_output* output, const scree_sphere_set* set)
{
    scree_finite_box box = scree_finite_box_of(set);
    bool letters = false, origin = false, upper = false;
    put(output, "Lattice=\"");
    for (int k = 0; k < 9; ++k) {
        char text[40] = "0", *end = text + 1;
        int axis = k / 3;
        if (k % 4 == 0) {
            double length = box.upper[axis] - box.lower[axis];
            end = scree_put_number(text, length);
            origin |= !same_bits(box.lower[axis], 0.0);
            upper |= axis < set->dim && !same_bits(box.lower[axis] + length, box.upper[axis]);
            letters |= axis < set->dim && box.letter[axis] != 'p' && (box.letter[axis] != 'w' || length == 0.0);
        } else if (k % 3 < axis && axis < set->dim) {
            end = scree_put_number(text, set->box.tilt[k % 3 + axis - 1]);
        }
        *end++ = k < 8 ? ' ' : '"';
        scree_output_bytes(output, text, (size_t)(end - text));
    }
    put(output, " ");
    if (origin)
        put_three(output, "Origin", box.lower);
    char pbc[] = "pbc=\"F F F\" ";
    for (int k = 0; k < set->dim; ++k)
        if (set->box.periodic[k])
            pbc[5 + 2 * k] = 'T';
    put(output, pbc);
    if (letters) {
        put(output, "scree_box=");
        put(output, box.letter);
        put(output, " ");
    }
    if (upper)
        put_three(output, "scree_upper", box.upper);
    if (set->container != SCREE_CONTAINER_BOX) {
        put(output, "scree_container=");
        put(output, scree_container_name(set->container));
        put(output, " ");
    }
}

static void put_properties(scree_output* output, const scree_sphere_set* set, const scree_column* species)
{
    bool quotes = false;
    for (int32_t c = 0; c < set->column_count; ++c)
        quotes |= strpbrk(set->columns[c].name, " =,[]{}'") != NULL;
    put(output, quotes ? "Properties=\"" : "Properties=");
    if (species == NULL)
        put(output, "species:S:1:");
    for (int32_t c = -1; c < set->column_count; ++c) {
        const scree_column* column = c < 0 ? species : &set->columns[c];
        if (column != NULL && (c < 0 || column != species)) {
            char letter_and_words[32];
            snprintf(letter_and_words, sizeof letter_and_words, ":%c:%d",
                     column->kind == SCREE_COLUMN_TEXT    ? 'S'
                     : column->kind == SCREE_COLUMN_INT64 ? 'I'
                                                          : 'R',
                     (int)column->components);
            put(output, c < 0 ? "" : ":");
            put(output, column->name);
            put(output, letter_and_words);
            put(output, c < 0 ? ":" : "");
        }
        if (c < 0)
            put(output, "pos:R:3:radius:R:1");
    }
    put(output, quotes ? "\"\n" : "\n");
}

static void put_value(scree_output* output, const scree_column* column, int64_t i)
{
    if (column->kind == SCREE_COLUMN_TEXT) {
        put(output, column->text + column->offset[i]);
        return;
    }
    char* p = scree_output_room(output, (size_t)column->components * 36);
    for (int64_t k = i * column->components; k < (i + 1) * column->components; ++k) {
        if (k > i * column->components)
            *p++ = ' ';
        p = column->kind == SCREE_COLUMN_INT64 ? scree_put_integer(p, column->integers[k])
                                               : scree_put_number(p, column->values[k]);
    }
    scree_output_wrote(output, p);
}

static void put_row(scree_output* output, const scree_sphere_set* set, const scree_column* species, int64_t i)
{
    if (species != NULL)
        put_value(output, species, i);
    char* p = scree_output_room(output, 4 * 36 + 2);
    if (species == NULL)
        *p++ = 'X';
    for (int k = 0; k < 3; ++k) {
        *p++ = ' ';
        if (k < set->dim)
            p = scree_put_number(p, set->x[i * set->dim + k]);
        else
            *p++ = '0';
    }
    *p++ = ' ';
    p = scree_put_number(p, set->r[i]);
    scree_output_wrote(output, p);
    for (int32_t c = 0; c < set->column_count; ++c)
        if (&set->columns[c] != species) {
            scree_output_bytes(output, " ", 1);
            put_value(output, &set->columns[c], i);
        }
    scree_output_bytes(output, "\n", 1);
}

static void write_kept(scree_output* output, const scree_sphere_set* set)
{
    const scree_column* species = scree_sphere_set_find(set, "species");
    bool all_x = species != NULL && species->kind == SCREE_COLUMN_TEXT;
    for (int64_t i = 0; all_x && i < set->count; ++i)
        all_x = strcmp(species->text + species->offset[i], "X") == 0;

    char text[64];
    snprintf(text, sizeof text, "%d\nscree_dim=%d ", (int)set->count, (int)set->dim);
    put(output, text);
    if (all_x)
        put(output, "scree_species=T ");
    if (set->has_box)
        put_box(output, set);
    put_properties(output, set, species);

    int64_t stride = set->count / 256 + 1;
    for (int64_t i = 0; i < set->count; ++i) {
        if (i % stride == 0 && scree_output_tick(output, (double)i / (double)set->count) != SCREE_OK)
            return;
        put_row(output, set, species, i);
    }
}

void scree_xyz_write(scree_output* output, const scree_sphere_set* set)
{
    scree_sphere_set kept = *set;  // the same spheres, without the columns that have no place
    kept.column_count = 0;
    kept.columns = scree_malloc((size_t)set->column_count, sizeof *kept.columns);
    if (kept.columns == NULL) {
        output->status = output->status != SCREE_OK ? output->status : SCREE_ERR_MEMORY;
        return;
    }
    for (int32_t c = 0; c < set->column_count; ++c)
        if (scree_xyz_keeps(set, c))
            kept.columns[kept.column_count++] = set->columns[c];
    write_kept(output, &kept);
    scree_free(kept.columns);
}
