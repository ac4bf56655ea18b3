// Sets of outlines: polygons and discs in the plane as plain data: making, checking, copying from a simulation. How they are written is described in
// vtp_write.c, how they are read in vtp_polys.c, how they are drawn in picture/outlines.c.
//
// The bodies are a set of spheres of dimension 2, so that columns, boxes and colours are the same here as there.
#include "scree/outlines.h"

#include "base/argument.h"
#include "files/formats.h"
#include "files/input.h"
#include "files/options.h"
#include "files/output.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

scree_status scree_outline_set_make(int32_t bodies, int64_t vertices, scree_outline_set* out)
{
    SCREE_EMPTY(out);
    scree_outline_set set = {0};
    if (vertices < 0)
        return scree_fail(SCREE_ERR_ARGUMENT, "%" PRId64 " vertices; expected 0 or more", vertices);
    scree_status status = scree_sphere_set_make(2, bodies, &set.bodies);
    if (status != SCREE_OK)
        return status;
    set.first = scree_calloc((size_t)bodies + 1, sizeof *set.first);
    set.xy = scree_malloc((size_t)vertices, 2 * sizeof *set.xy);
    if (set.first == NULL || set.xy == NULL) {
        scree_outline_set_free(&set);
        return SCREE_ERR_MEMORY;
    }
    *out = set;
    return SCREE_OK;
}

void scree_outline_set_free(scree_outline_set* set)
{
    if (set == NULL)
        return;
    scree_sphere_set_free(&set->bodies);
    scree_free(set->first);
    scree_free(set->xy);
    *set = (scree_outline_set){0};
}

int64_t scree_outline_set_vertices(const scree_outline_set* set)
{
    SCREE_NEED_OR(set, 0);
    return set->first != NULL ? set->first[set->bodies.count] : 0;
}

// Row i of a column becomes row `to`, which is no later. Words stay where they are.
static void move_row(scree_column* column, int64_t i, int64_t to)
{
    size_t components = (size_t)column->components;
    if (column->kind == SCREE_COLUMN_TEXT)
        column->offset[to] = column->offset[i];
    else if (column->kind == SCREE_COLUMN_INT64)
        memmove(column->integers + to * column->components, column->integers + i * column->components, components * sizeof *column->integers);
    else
        memmove(column->values + to * column->components, column->values + i * column->components, components * sizeof *column->values);
}

scree_sphere_set scree_outline_set_discs(scree_outline_set* set)
{
    SCREE_NEED_OR(set, (scree_sphere_set){0});
    scree_sphere_set discs = set->bodies;
    int32_t kept = 0;
    for (int32_t i = 0; i < discs.count; ++i) {
        if (set->first != NULL && set->first[i + 1] > set->first[i])
            continue;
        memmove(&discs.x[(int64_t)discs.dim * kept], &discs.x[(int64_t)discs.dim * i], (size_t)discs.dim * sizeof *discs.x);
        discs.r[kept] = discs.r[i];
        for (int32_t c = 0; c < discs.column_count; ++c)
            move_row(&discs.columns[c], i, kept);
        ++kept;
    }
    discs.count = kept;
    set->bodies = (scree_sphere_set){0};
    scree_outline_set_free(set);
    return discs;
}

scree_status scree_outline_set_check(const scree_outline_set* set)
{
    SCREE_NEED(set);
    const scree_sphere_set* bodies = &set->bodies;
    if (bodies->dim != 2)
        return scree_fail(SCREE_ERR_ARGUMENT, "outlines: bodies of dimension %" PRId32 "; expected 2", bodies->dim);
    scree_status status = scree_spheres_check(scree_sphere_set_view(bodies), NULL);
    if (status == SCREE_OK && bodies->has_box) {
        status = scree_box_check(&bodies->box);
        if (status == SCREE_OK)
            status = scree_box_reject_tilt(&bodies->box, "outlines");
        if (status == SCREE_OK && bodies->box.dim != 2)
            status = scree_fail(SCREE_ERR_ARGUMENT, "outlines: a box of dimension %" PRId32 "; expected 2", bodies->box.dim);
    }
    if (status != SCREE_OK || set->first == NULL)
        return status;
    if (set->first[0] != 0)
        return scree_fail(SCREE_ERR_ARGUMENT, "the vertices of body 0 begin at %" PRId64 "; expected 0", set->first[0]);
    for (int32_t i = 0; i < bodies->count; ++i) {
        int64_t count = set->first[i + 1] - set->first[i];
        if (count < 0 || count == 1 || count == 2)
            return scree_fail(SCREE_ERR_ARGUMENT, "body %" PRId32 ": %" PRId64 " vertices; expected 3 or more for a polygon, 0 for a disc", i, count);
        for (int64_t v = 0; v < 2 * count; ++v) {
            double value = set->xy[2 * set->first[i] + v];
            if (!(fabs(value) <= SCREE_LENGTH_MAX))
                return scree_fail(SCREE_ERR_ARGUMENT, "body %" PRId32 ", vertex %" PRId64 ": %c = %g; expected %g to %g", i, v / 2,
                                  "xy"[v % 2], value, -SCREE_LENGTH_MAX, SCREE_LENGTH_MAX);
        }
    }
    return SCREE_OK;
}

// ---- From a simulation ---------------------------------------------------------------------------------------------

static scree_status add_columns(const scree_outlines* seen, const scree_polygon_sim* sim, scree_sphere_set* bodies)
{
    static const struct {
        const char* name;
        scree_column_kind kind;
        int32_t components;
    } wanted[] = {{"id", SCREE_COLUMN_INT64, 1}, {"angle", SCREE_COLUMN_DOUBLE, 1}, {"velocity", SCREE_COLUMN_DOUBLE, 2}, {"spin", SCREE_COLUMN_DOUBLE, 1},
                  {"fixed", SCREE_COLUMN_INT64, 1}};
    enum { ID, ANGLE, V, SPIN, FIXED, COUNT };
    for (int c = 0; c < COUNT; ++c) {
        scree_column* column;
        scree_status status = scree_sphere_set_add(bodies, wanted[c].name, wanted[c].kind, wanted[c].components, &column);
        if (status != SCREE_OK)
            return status;
    }
    scree_column* columns = bodies->columns;
    for (int32_t i = 0; i < bodies->count; ++i) {
        columns[ID].integers[i] = i;
        columns[ANGLE].values[i] = seen->angle[i];
        columns[FIXED].integers[i] = seen->fixed[i];
    }
    scree_polygon_sim_state state = {.v = columns[V].values, .spin = columns[SPIN].values};
    return scree_polygon_sim_get_state(sim, &state);
}

scree_status scree_outline_set_copy(scree_polygon_sim* sim, scree_outline_set* out)
{
    SCREE_EMPTY(out);
    SCREE_NEED(sim);
    scree_outlines seen;
    scree_outline_set set = {0};
    scree_status status = scree_polygon_sim_get_outlines(sim, &seen);
    if (status == SCREE_OK)
        status = scree_outline_set_make(seen.count, seen.first[seen.count], &set);
    if (status != SCREE_OK)
        return status;
    size_t n = (size_t)seen.count;
    memcpy(set.first, seen.first, (n + 1) * sizeof *set.first);
    if (seen.first[n] > 0)
        memcpy(set.xy, seen.xy, (size_t)seen.first[n] * sizeof *seen.xy);
    if (n > 0) {
        memcpy(set.bodies.x, seen.centre, n * sizeof *seen.centre);
        memcpy(set.bodies.r, seen.radius, n * sizeof *seen.radius);
    }
    set.bodies.box = scree_polygon_sim_get_box(sim);
    for (int k = 0; k < 2; ++k)
        set.bodies.has_box = set.bodies.has_box || isfinite(set.bodies.box.lower[k]) || isfinite(set.bodies.box.upper[k]);
    status = add_columns(&seen, sim, &set.bodies);
    if (status == SCREE_OK)
        *out = set;
    else
        scree_outline_set_free(&set);
    return status;
}

// ---- Files ---------------------------------------------------------------------------------------------------------

scree_status scree_write_outlines(const char* path, const scree_file_options* given, const scree_outline_set* set)
{
    SCREE_NEED(path);
    SCREE_NEED(set);
    scree_file_options options;
    scree_status status = scree_file_options_take(given, &options);
    if (status == SCREE_OK && options.format == SCREE_FORMAT_AUTO && strcmp(path, "-") != 0 && scree_format_of_path(path) != SCREE_FORMAT_VTP)
        status = scree_fail(SCREE_ERR_ARGUMENT, "%s: this format has no polygons; expected a name that ends in .vtp, or the format vtp", path);
    if (status == SCREE_OK && options.format != SCREE_FORMAT_AUTO && options.format != SCREE_FORMAT_VTP)
        status = scree_fail(SCREE_ERR_ARGUMENT, "this format has no polygons; expected vtp");
    if (status == SCREE_OK)
        status = scree_outline_set_check(set);
    if (status == SCREE_OK)
        status = scree_vtp_check_outlines(set);
    if (status != SCREE_OK)
        return status;
    scree_output output;
    status = scree_output_open(&output, path, options.watch);
    if (status != SCREE_OK)
        return status;
    scree_vtp_write_outlines(&output, set);
    return scree_output_close(&output, output.status);
}

scree_status scree_read_outlines(const char* path, const scree_file_options* given, scree_outline_set* out)
{
    SCREE_EMPTY(out);
    SCREE_NEED(path);
    scree_file_options options;
    scree_outline_set set = {0};
    scree_status status = scree_file_options_take(given, &options);
    if (status != SCREE_OK)
        return status;
    int32_t format = options.format != SCREE_FORMAT_AUTO ? options.format : (int32_t)scree_format_of_path(path);
    if (format == SCREE_FORMAT_VTP) {
        scree_input input;
        status = scree_input_open(&input, path, options.watch);
        if (status != SCREE_OK)
            return status;
        status = scree_vtp_read_outlines(&input, &set);
        scree_input_close(&input);
    } else {
        status = scree_read_spheres(path, given, &set.bodies);
    }
    if (status == SCREE_OK)
        *out = set;
    return status;
}
