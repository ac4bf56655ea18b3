// The polygons of a VTP file as outlines: corners through the connectivity, data of the cells as columns, centre and radius from the arrays that
// scree writes, else from the corners. Files by others may share points between polygons and give them any height, but one for all.
#include "files/vtp.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static scree_vtp_array* find(scree_vtp_piece* pc, const char* name)
{
    for (int64_t a = 0; a < pc->count; ++a)
        if (strcmp(pc->arrays[a].name, name) == 0)
            return &pc->arrays[a];
    return NULL;
}

// An array of numbers for each polygon, as doubles; NULL: there is none.
static scree_status find_numbers(const scree_input* input, scree_vtp_piece* pc, const char* name, int32_t components, scree_vtp_array** out)
{
    *out = find(pc, name);
    if (*out == NULL)
        return SCREE_OK;
    if ((*out)->kind == SCREE_COLUMN_TEXT || (*out)->components != components)
        return scree_vtp_array_fail(input, *out, "%" PRId32 " %s for each polygon; expected %" PRId32 " number%s", (*out)->components,
                                    scree_vtk_type_name((*out)->type), components, components == 1 ? "" : "s");
    return scree_vtp_make_doubles(*out);
}

// That there is what is needed, whole and in order.
scree_status scree_vtp_check_polys(const scree_input* input, scree_vtp_piece* pc)
{
    if (!pc->has_centres)
        return scree_input_fail(input, pc->line, "a piece of %" PRId64 " points without <Points>; expected their positions", pc->points);
    if (pc->connectivity.name == NULL || pc->offsets.name == NULL)
        return scree_input_fail(input, pc->line, "%" PRId64 " polygons without their corners; expected the array '%s' in <Polys>", pc->polys,
                                pc->offsets.name == NULL ? "offsets" : "connectivity");
    int64_t before = 0;
    for (int k = 0; k < 2; ++k) {
        const scree_vtp_array* array = k == 0 ? &pc->offsets : &pc->connectivity;
        if (array->kind != SCREE_COLUMN_INT64)
            return scree_vtp_array_fail(input, array, "it holds numbers that are too large; expected at most %" PRId64, INT64_MAX);
    }
    for (int64_t i = 0; i < pc->polys; ++i) {
        int64_t end = pc->offsets.integers[i];
        if (end < before || end > pc->connectivity.have)
            return scree_vtp_array_fail(input, &pc->offsets, "polygon %" PRId64 " ends at %" PRId64 "; expected %" PRId64 " to %" PRId64, i,
                                        end, before, pc->connectivity.have);
        if (end - before < 3)
            return scree_vtp_array_fail(input, &pc->offsets, "polygon %" PRId64 " has %" PRId64 " corners; expected 3 or more", i, end - before);
        before = end;
    }
    for (int64_t k = 0; k < before; ++k)
        if (pc->connectivity.integers[k] < 0 || pc->connectivity.integers[k] >= pc->points)
            return scree_vtp_array_fail(input, &pc->connectivity, "a corner is point %" PRId64 "; expected 0 or more and less than %" PRId64,
                                        pc->connectivity.integers[k], pc->points);
    return scree_vtp_make_doubles(&pc->centres);
}

static scree_status check_plane(const scree_input* input, const scree_vtp_piece* pc)
{
    scree_status status = SCREE_OK;
    for (int64_t p = 0; p < pc->points && status == SCREE_OK; ++p)
        if (pc->centres.values[3 * p + 2] != pc->centres.values[2])
            status = scree_vtp_array_fail(input, &pc->centres, "point %" PRId64 " has z = %g and point 0 has %g; expected polygons in one plane", p,
                                          pc->centres.values[3 * p + 2], pc->centres.values[2]);
    return status;
}

// Centre of mass and radius of body i by its corners.
static void work_out(scree_outline_set* set, int64_t i, bool centre, bool radius)
{
    scree_polygon corners = {.count = (int32_t)(set->first[i + 1] - set->first[i]), .xy = &set->xy[2 * set->first[i]]};
    double* x = &set->bodies.x[2 * i];
    scree_polygon_numbers numbers;
    if (centre && scree_polygon_measure(corners, &numbers) == SCREE_OK) {
        memcpy(x, numbers.centre, sizeof numbers.centre);
    } else if (centre) {
        x[0] = x[1] = 0.0;
        for (int32_t v = 0; v < 2 * corners.count; ++v)
            x[v % 2] += corners.xy[v] / corners.count;
    }
    for (int k = 0; k < 2 && centre; ++k)  // rounding may leave what is no length
        x[k] = fabs(x[k]) < SCREE_LENGTH_MIN ? 0.0 : x[k];
    double largest = 0.0;
    for (int32_t v = 0; v < corners.count; ++v)
        largest = fmax(largest, hypot(corners.xy[2 * v] - x[0], corners.xy[2 * v + 1] - x[1]));
    if (radius)
        set->bodies.r[i] = largest < SCREE_LENGTH_MIN ? 0.0 : largest;
}

static scree_status take_bodies(const scree_input* input, scree_vtp_piece* pc, scree_outline_set* set)
{
    scree_vtp_array *radius = NULL, *centre = NULL, *disc = NULL;
    scree_status status = find_numbers(input, pc, "radius", 1, &radius);
    if (status == SCREE_OK)
        status = find_numbers(input, pc, SCREE_VTP_CENTRE, 3, &centre);
    if (status == SCREE_OK)
        status = find_numbers(input, pc, SCREE_VTP_DISC, 1, &disc);
    if (status != SCREE_OK)
        return status;
    int64_t at = 0;
    for (int64_t i = 0; i < pc->polys; ++i) {
        bool round = disc != NULL && disc->values[i] == 1.0 && centre != NULL && radius != NULL;
        set->first[i] = at;
        for (int64_t k = i > 0 ? pc->offsets.integers[i - 1] : 0; k < pc->offsets.integers[i] && !round; ++k, ++at)
            memcpy(&set->xy[2 * at], &pc->centres.values[3 * pc->connectivity.integers[k]], 2 * sizeof *set->xy);
        set->first[i + 1] = at;
        if (centre != NULL)
            memcpy(&set->bodies.x[2 * i], &centre->values[3 * i], 2 * sizeof *set->bodies.x);
        if (radius != NULL)
            set->bodies.r[i] = radius->values[i];
        if (centre == NULL || radius == NULL)
            work_out(set, i, centre == NULL, radius == NULL);
    }
    return SCREE_OK;
}

// The array becomes a column; its values go over.
static scree_status take_column(scree_vtp_piece* pc, scree_vtp_array* array, scree_column* to)
{
    *to = (scree_column){.name = scree_vtp_column_name(pc, array->name), .kind = array->kind, .components = array->components};
    if (to->name == NULL)
        return SCREE_ERR_MEMORY;
    to->values = array->values;
    to->integers = array->integers;
    to->text = array->text;
    array->values = NULL;
    array->integers = NULL;
    array->text = NULL;
    if (to->kind != SCREE_COLUMN_TEXT)
        return SCREE_OK;
    to->offset = scree_malloc((size_t)pc->polys, sizeof *to->offset);
    if (to->offset == NULL)
        return SCREE_ERR_MEMORY;
    for (int64_t i = 0, at = 0; i < pc->polys; ++i) {
        to->offset[i] = at;
        at += (int64_t)strlen(to->text + at) + 1;
    }
    return SCREE_OK;
}

scree_status scree_vtp_content_to_outlines(const scree_input* input, scree_vtp_content* content, scree_outline_set* set)
{
    scree_vtp_piece* pc = content->pieces;
    while (pc->polys == 0)
        ++pc;
    scree_status status = scree_vtp_check_polys(input, pc);
    if (status == SCREE_OK)
        status = check_plane(input, pc);
    if (status == SCREE_OK)
        status = scree_outline_set_make((int32_t)pc->polys, pc->offsets.integers[pc->polys - 1], set);
    if (status == SCREE_OK)
        status = scree_vtp_read_marks(input, content, &set->bodies);
    if (status != SCREE_OK)
        return status;
    if (content->dim.name != NULL && set->bodies.dim != 2)
        return scree_vtp_array_fail(input, &content->dim, "polygons lie in the plane; expected 2");
    set->bodies.dim = set->bodies.box.dim = 2;
    status = take_bodies(input, pc, set);
    if (status != SCREE_OK)
        return status;
    set->bodies.columns = scree_calloc((size_t)pc->count + 1, sizeof *set->bodies.columns);
    if (set->bodies.columns == NULL)
        return SCREE_ERR_MEMORY;
    for (int64_t a = 0; a < pc->count && status == SCREE_OK; ++a) {
        const char* name = pc->arrays[a].name;
        if (strcmp(name, "radius") != 0 && strcmp(name, SCREE_VTP_CENTRE) != 0 && strcmp(name, SCREE_VTP_DISC) != 0)
            status = take_column(pc, &pc->arrays[a], &set->bodies.columns[set->bodies.column_count++]);
    }
    if (status != SCREE_OK || scree_outline_set_check(set) == SCREE_OK)
        return status;
    char why[1024];
    snprintf(why, sizeof why, "%s", scree_error_message());
    return scree_input_fail(input, pc->line, "%s", why);
}
