// The content of a VTP file as a set of spheres: its pieces in order, the radius found among the arrays by its
// name, all other arrays as columns, scree's marks as dimension and box. Nothing is guessed: pieces with different
// arrays, radii and diameters that do not fit together, points that are not spheres are errors with line and point.
#include "files/vtp.h"

#include "files/csv.h"
#include "files/growing.h"
#include "geom/length.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

void scree_vtp_content_free(scree_vtp_content* content)
{
    for (int64_t p = 0; p < content->piece_count; ++p) {
        scree_vtp_array_free(&content->pieces[p].centres);
        scree_vtp_array_free(&content->pieces[p].connectivity);
        scree_vtp_array_free(&content->pieces[p].offsets);
        for (int64_t a = 0; a < content->pieces[p].count; ++a)
            scree_vtp_array_free(&content->pieces[p].arrays[a]);
        scree_free(content->pieces[p].arrays);
    }
    scree_free(content->pieces);
    scree_vtp_array_free(&content->dim);
    scree_vtp_array_free(&content->box);
    scree_vtp_array_free(&content->container);
    *content = (scree_vtp_content){0};
}

// ---- Values ------------------------------------------------------------------------------------------------------

static scree_status fail_point(const scree_input* input, const scree_vtp_array* array, int64_t point, double value,
                               const char* why)
{
    return scree_vtp_array_fail(input, array, "point %" PRId64 " holds %.17g; expected %s", point, value, why);
}

// The centres of a piece whose first point has this number in the set. In 2D the third coordinate must be 0.
static scree_status check_centres(const scree_input* input, const scree_vtp_array* array, int64_t first, int32_t dim)
{
    char why[128];
    for (int64_t k = 0; k < array->have; ++k) {
        double value = array->values[k];
        if (scree_is_length(value) && (k % 3 < dim || value == 0.0))
            continue;
        if (k % 3 >= dim)
            return fail_point(input, array, first + k / 3, value,
                              "0 as its third coordinate, since " SCREE_VTP_DIM " says 2D");
        snprintf(why, sizeof why, "%c of 0 or between %g and %g in size", "xyz"[k % 3], SCREE_LENGTH_MIN,
                 SCREE_LENGTH_MAX);
        return fail_point(input, array, first + k / 3, value, why);
    }
    return SCREE_OK;
}

// Radii, or diameters, which are halved.
static scree_status take_radii(const scree_input* input, scree_vtp_array* array, int64_t first, bool diameters)
{
    const char* what = diameters ? "diameter" : "radius";
    char why[128];
    for (int64_t k = 0; k < array->have; ++k) {
        double value = array->values[k], r = diameters ? value / 2.0 : value;
        array->values[k] = r;
        if (scree_is_length(r) && r >= 0.0)
            continue;
        if (value < 0.0)
            snprintf(why, sizeof why, "a %s of 0 or more", what);
        else
            snprintf(why, sizeof why, "a %s of 0 or between %g and %g", what, SCREE_LENGTH_MIN, SCREE_LENGTH_MAX);
        return fail_point(input, array, first + k, value, why);
    }
    return SCREE_OK;
}

// A diameter beside a radius, as scree writes it, says the same; up to the rounding of Float32 and of short texts.
static scree_status check_twins(const scree_input* input, const scree_vtp_array* twin, const scree_vtp_array* radius,
                                int64_t first)
{
    char why[128];
    for (int64_t k = 0; k < twin->have; ++k) {
        double d = twin->values[k], r = radius->values[k];
        if (fabs(d - 2.0 * r) <= 1e-5 * fabs(d))
            continue;
        snprintf(why, sizeof why, "twice the radius, which is %.17g", r);
        return fail_point(input, twin, first + k, d, why);
    }
    return SCREE_OK;
}

// ---- Pieces ------------------------------------------------------------------------------------------------------

static int64_t find_array(const scree_vtp_piece* pc, const char* name, int64_t likely)
{
    if (likely < pc->count && strcmp(pc->arrays[likely].name, name) == 0)
        return likely;
    for (int64_t a = 0; a < pc->count; ++a)
        if (strcmp(pc->arrays[a].name, name) == 0)
            return a;
    return -1;
}

// The piece that says which arrays there are: the first with points, else the first.
static scree_vtp_piece* leading_piece(const scree_vtp_content* content)
{
    for (int64_t p = 0; p < content->piece_count; ++p)
        if (content->pieces[p].points > 0)
            return &content->pieces[p];
    return &content->pieces[0];
}

// Brings the arrays of each piece that has points into the order of the leading one.
static scree_status align_pieces(const scree_input* input, scree_vtp_content* content, const scree_vtp_piece* lead)
{
    char shown[SCREE_SHOWN];
    for (int64_t p = 0; p < content->piece_count; ++p) {
        scree_vtp_piece* pc = &content->pieces[p];
        if (pc->points == 0)
            continue;
        if (!pc->has_centres)
            return scree_input_fail(input, pc->line, "a piece of %" PRId64 " points without <Points>; expected their positions", pc->points);
        for (int64_t a = 0; a < lead->count; ++a) {
            scree_vtp_array* mine = &lead->arrays[a];
            int64_t found = find_array(pc, mine->name, a);
            if (found < 0)
                return scree_input_fail(input, pc->line,
                                        "the array '%s' is missing; expected it, since the piece in line %" PRId64 " has it",
                                        scree_csv_shown(shown, mine->name, (int64_t)strlen(mine->name)), lead->line);
            scree_vtp_array other = pc->arrays[found];
            pc->arrays[found] = pc->arrays[a];
            pc->arrays[a] = other;
            if (other.components != mine->components ||
                (other.type == SCREE_VTK_STRING) != (mine->type == SCREE_VTK_STRING))
                return scree_vtp_array_fail(input, &other, "%" PRId32 " %s; expected %" PRId32 " %s as in line %" PRId64,
                                            other.components, scree_vtk_type_name(other.type), mine->components,
                                            scree_vtk_type_name(mine->type), mine->line);
        }
        if (pc->count > lead->count)
            return scree_vtp_array_fail(input, &pc->arrays[lead->count],
                                        "the piece in line %" PRId64 " has no such array; expected the same arrays in all pieces", lead->line);
    }
    return SCREE_OK;
}

typedef struct sphere_arrays {
    int64_t radius;  // which array; -1: there is none
    bool diameters;  // it holds diameters
    int64_t twin;    // the diameters beside the radii; -1: none
} sphere_arrays;

static scree_status find_sphere_arrays(const scree_input* input, const scree_vtp_piece* lead, sphere_arrays* parts)
{
    static const char* const names[] = {"radius", "Radius", "r", "diameter", "Diameter", "d"};
    *parts = (sphere_arrays){.radius = -1, .twin = -1};
    for (int k = 0; k < 6 && parts->radius < 0; ++k) {
        parts->radius = find_array(lead, names[k], 0);
        parts->diameters = k >= 3;
    }
    if (parts->radius >= 0 && !parts->diameters)
        parts->twin = find_array(lead, "diameter", 0);
    for (int k = 0; k < 2; ++k) {
        int64_t a = k == 0 ? parts->radius : parts->twin;
        if (a >= 0 && (lead->arrays[a].components != 1 || lead->arrays[a].type == SCREE_VTK_STRING))
            return scree_vtp_array_fail(input, &lead->arrays[a],
                                        "%" PRId32 " %s for each point; expected one number",
                                        lead->arrays[a].components, scree_vtk_type_name(lead->arrays[a].type));
    }
    if (parts->radius >= 0 || lead->points == 0)
        return SCREE_OK;
    char list[512] = "";
    size_t used = 0;
    for (int64_t a = 0; a < lead->count && used < 400; ++a) {
        char shown[SCREE_SHOWN];
        scree_csv_shown(shown, lead->arrays[a].name, (int64_t)strlen(lead->arrays[a].name));
        used += (size_t)snprintf(list + used, sizeof list - used, "%s'%s'", a > 0 ? ", " : "", shown);
    }
    return scree_input_fail(input, lead->line,
                            "no radii in <PointData> (%s%s%s); expected an array 'radius' (or Radius, r, diameter, Diameter, d)",
                            lead->count > 0 ? "there are: " : "there is none", list, used >= 400 ? ", ..." : "");
}

// ---- The set -----------------------------------------------------------------------------------------------------

// One array of every piece, joined into a column; `a` < 0: the centres. The pieces' own values are freed.
static scree_status join(scree_vtp_content* content, int64_t a, scree_column* to)
{
    int64_t count = content->points;
    scree_vtp_array* only = NULL;
    bool doubles = false, text = false;
    int64_t filled = 0, length = 0;
    for (int64_t p = 0; p < content->piece_count; ++p) {
        scree_vtp_piece* pc = &content->pieces[p];
        if (pc->points == 0)
            continue;
        only = a < 0 ? &pc->centres : &pc->arrays[a];
        doubles = doubles || only->kind == SCREE_COLUMN_DOUBLE;
        text = only->kind == SCREE_COLUMN_TEXT;
        length += only->text_length;
        ++filled;
    }
    if (count == 0) {  // no point, no value; the first piece says what they would be
        doubles = a < 0 || content->pieces[0].arrays[a].kind == SCREE_COLUMN_DOUBLE;
        text = a >= 0 && content->pieces[0].arrays[a].kind == SCREE_COLUMN_TEXT;
    }
    to->kind = text ? SCREE_COLUMN_TEXT : doubles ? SCREE_COLUMN_DOUBLE : SCREE_COLUMN_INT64;
    size_t numbers = (size_t)count * (size_t)to->components;
    if (filled == 1) {
        to->values = only->values;
        to->integers = only->integers;
        to->text = only->text;
        only->values = NULL;
        only->integers = NULL;
        only->text = NULL;
    } else if (text) {
        to->text = scree_malloc((size_t)length + 1, 1);
    } else if (doubles) {
        to->values = scree_malloc(numbers, sizeof *to->values);
    } else {
        to->integers = scree_malloc(numbers, sizeof *to->integers);
    }
    if (to->values == NULL && to->integers == NULL && to->text == NULL)
        return SCREE_ERR_MEMORY;
    int64_t at = 0;
    for (int64_t p = 0; p < content->piece_count && filled != 1; ++p) {
        scree_vtp_piece* pc = &content->pieces[p];
        if (pc->points == 0)
            continue;
        scree_vtp_array* from = a < 0 ? &pc->centres : &pc->arrays[a];
        if (text) {
            memcpy(to->text + at, from->text, (size_t)from->text_length);
            at += from->text_length;
        } else {
            for (int64_t k = 0; k < from->have && doubles; ++k)
                to->values[at + k] = from->values != NULL ? from->values[k] : (double)from->integers[k];
            if (!doubles)
                memcpy(to->integers + at, from->integers, (size_t)from->have * sizeof *to->integers);
            at += from->have;
        }
        scree_free(from->values);
        scree_free(from->integers);
        scree_free(from->text);
        from->values = NULL;
        from->integers = NULL;
        from->text = NULL;
    }
    if (!text)
        return SCREE_OK;
    to->offset = scree_malloc((size_t)count, sizeof *to->offset);
    if (to->offset == NULL)
        return SCREE_ERR_MEMORY;
    at = 0;
    for (int64_t i = 0; i < count; ++i) {
        to->offset[i] = at;
        at += (int64_t)strlen(to->text + at) + 1;
    }
    return SCREE_OK;
}

// The names x, y, z and r are reserved: such an array becomes x_array, with further _ until the name is free.
char* scree_vtp_column_name(const scree_vtp_piece* lead, const char* name)
{
    bool taken = strlen(name) == 1 && strchr("xyzr", name[0]) != NULL;
    char* made = scree_malloc(strlen(name) + 8 + (taken ? (size_t)lead->count : 0), 1);
    if (made == NULL)
        return NULL;
    strcpy(made, name);
    if (taken)
        strcat(made, "_array");
    while (taken && find_array(lead, made, 0) >= 0)
        strcat(made, "_");
    return made;
}

static double mark_value(const scree_vtp_array* mark, int k)
{
    return mark->kind == SCREE_COLUMN_DOUBLE ? mark->values[k] : (double)mark->integers[k];
}

scree_status scree_vtp_read_marks(const scree_input* input, const scree_vtp_content* content, scree_sphere_set* set)
{
    const scree_vtp_array *dim = &content->dim, *box = &content->box, *container = &content->container;
    set->dim = 3;
    if (dim->name != NULL) {
        double value = mark_value(dim, 0);
        if (value != 2.0 && value != 3.0)
            return scree_vtp_array_fail(input, dim, "%g; expected 2 or 3", value);
        set->dim = value == 2.0 ? 2 : 3;
    }
    set->box = scree_box_open(set->dim);
    if (box->name == NULL)
        return SCREE_OK;
    double number[9];
    for (int k = 0; k < 9; ++k)
        number[k] = mark_value(box, k);
    for (int k = 0; k < set->dim; ++k) {
        set->box.lower[k] = number[k];
        set->box.upper[k] = number[3 + k];
        set->box.periodic[k] = number[6 + k] == 1.0;
        if (number[6 + k] != 0.0 && number[6 + k] != 1.0)
            return scree_vtp_array_fail(input, box, "%g for axis %c; expected 1 (periodic) or 0", number[6 + k],
                                        "xyz"[k]);
    }
    for (int t = 0; t < (set->dim == 3 ? 3 : 1) && box->components * box->tuples == 12; ++t)
        set->box.tilt[t] = mark_value(box, 9 + t);
    set->has_box = true;
    double kind = container->name != NULL ? mark_value(container, 0) : 0.0;
    if (!(kind >= 0.0 && kind <= SCREE_CONTAINER_SPHERE) || kind != floor(kind))
        return scree_vtp_array_fail(input, container, "%g; expected 0 (box), 1 (cylinder) or 2 (sphere)", kind);
    set->container = (int32_t)kind;
    if (scree_sphere_set_check_box(set) == SCREE_OK)
        return SCREE_OK;
    char why[1024];
    snprintf(why, sizeof why, "%s", scree_error_message());
    return scree_vtp_array_fail(input, set->container == SCREE_CONTAINER_BOX ? box : container, "%s", why);
}

static scree_status check_spheres(const scree_input* input, scree_vtp_content* content, const sphere_arrays* parts,
                                  int32_t dim)
{
    int64_t first = 0;
    for (int64_t p = 0; p < content->piece_count; ++p) {
        scree_vtp_piece* pc = &content->pieces[p];
        if (pc->points == 0)
            continue;
        scree_vtp_array* radius = &pc->arrays[parts->radius];
        scree_vtp_array* twin = parts->twin >= 0 ? &pc->arrays[parts->twin] : NULL;
        scree_status status = scree_vtp_make_doubles(&pc->centres);
        if (status == SCREE_OK)
            status = scree_vtp_make_doubles(radius);
        if (status == SCREE_OK && twin != NULL)
            status = scree_vtp_make_doubles(twin);
        if (status == SCREE_OK)
            status = check_centres(input, &pc->centres, first, dim);
        if (status == SCREE_OK)
            status = take_radii(input, radius, first, parts->diameters);
        if (status == SCREE_OK && twin != NULL)
            status = check_twins(input, twin, radius, first);
        if (status != SCREE_OK)
            return status;
        if (twin != NULL) {
            scree_free(twin->values);
            twin->values = NULL;
        }
        first += pc->points;
    }
    return SCREE_OK;
}

// Takes every third coordinate out.
static scree_status flatten(scree_column* centres, int64_t count)
{
    for (int64_t i = 1; i < count; ++i) {
        centres->values[2 * i] = centres->values[3 * i];
        centres->values[2 * i + 1] = centres->values[3 * i + 1];
    }
    double* fitting = scree_realloc(centres->values, (size_t)count * 2, sizeof *fitting);
    if (fitting == NULL)
        return SCREE_ERR_MEMORY;
    centres->values = fitting;
    return SCREE_OK;
}

scree_status scree_vtp_content_to_set(const scree_input* input, scree_vtp_content* content, scree_sphere_set* set)
{
    scree_vtp_piece* lead = leading_piece(content);
    sphere_arrays parts;
    scree_status status = align_pieces(input, content, lead);
    if (status == SCREE_OK)
        status = find_sphere_arrays(input, lead, &parts);
    if (status == SCREE_OK)
        status = scree_vtp_read_marks(input, content, set);
    if (status == SCREE_OK)
        status = check_spheres(input, content, &parts, set->dim);
    if (status != SCREE_OK)
        return status;

    int64_t count = content->points;
    set->count = (int32_t)count;
    scree_column centres = {.components = 3}, radii = {.components = 1};
    status = join(content, -1, &centres);
    if (status == SCREE_OK && set->dim == 2)
        status = flatten(&centres, count);
    set->x = centres.values;
    if (status != SCREE_OK)
        return status;
    if (count > 0)
        status = join(content, parts.radius, &radii);
    else
        radii.values = scree_malloc(0, sizeof *radii.values);
    set->r = radii.values;
    set->columns = scree_calloc((size_t)lead->count, sizeof *set->columns);
    if (status == SCREE_OK && (set->r == NULL || set->columns == NULL))
        status = SCREE_ERR_MEMORY;
    for (int64_t a = 0; a < lead->count && status == SCREE_OK; ++a) {
        if (a == parts.radius || a == parts.twin)
            continue;
        scree_column* column = &set->columns[set->column_count++];
        *column =
            (scree_column){.components = lead->arrays[a].components, .name = scree_vtp_column_name(lead, lead->arrays[a].name)};
        status = column->name == NULL ? SCREE_ERR_MEMORY : join(content, a, column);
    }
    return status;
}
