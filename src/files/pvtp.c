// See pvtp.h. While a VTP is written its compressed bytes wait in memory; of pieces only one at a time.
#include "files/pvtp.h"

#include "base/array.h"
#include "files/output.h"
#include "files/xml.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { path_room = 4096 };

// ---- Writing -------------------------------------------------------------------------------------------------------

scree_status scree_pvtp_cut(void* context, int32_t first, int32_t count, scree_sphere_set* out)
{
    const scree_sphere_set* set = context;
    *out = *set;
    out->count = count;
    out->x = set->x + (int64_t)first * set->dim;
    out->r = set->r + first;
    out->columns = scree_malloc((size_t)set->column_count + 1, sizeof *out->columns);
    if (out->columns == NULL)
        return SCREE_ERR_MEMORY;
    for (int32_t c = 0; c < set->column_count; ++c) {
        scree_column* column = &out->columns[c];
        int64_t skip = (int64_t)first * set->columns[c].components;
        *column = set->columns[c];
        if (column->kind == SCREE_COLUMN_TEXT)
            return scree_fail(SCREE_ERR_UNSUPPORTED, "column '%s': text columns are not supported in files with pieces; expected numbers", column->name);
        column->values = column->values != NULL ? column->values + skip : NULL;
        column->integers = column->integers != NULL ? column->integers + skip : NULL;
    }
    return SCREE_OK;
}

static void put(scree_output* output, const char* text)
{
    scree_output_bytes(output, text, strlen(text));
}

static void put_array(scree_output* output, const char* name, const char* type, int32_t components)
{
    char number[32];
    snprintf(number, sizeof number, "%d", (int)components);
    put(output, "      <PDataArray type=\"");
    put(output, type);
    put(output, "\" Name=\"");
    scree_xml_put(output, name);
    put(output, "\" NumberOfComponents=\"");
    put(output, number);
    put(output, "\"/>\n");
}

static scree_status write_list(const char* path, const scree_sphere_set* set, int32_t pieces, const char* stem)
{
    scree_output output;
    scree_status status = scree_output_open(&output, path, scree_get_watch());
    if (status != SCREE_OK)
        return status;
    put(&output, "<?xml version=\"1.0\"?>\n<VTKFile type=\"PPolyData\" version=\"1.0\" byte_order=\"LittleEndian\" header_type=\"UInt64\">\n  <PPolyData GhostLevel=\"0\">\n    <PPointData>\n");
    put_array(&output, "radius", "Float64", 1);
    put_array(&output, "diameter", "Float64", 1);
    for (int32_t c = 0; c < set->column_count; ++c)
        put_array(&output, set->columns[c].name, set->columns[c].kind == SCREE_COLUMN_INT64 ? "Int64" : "Float64", set->columns[c].components);
    put(&output, "    </PPointData>\n    <PPoints>\n");
    put_array(&output, "Points", "Float64", 3);
    put(&output, "    </PPoints>\n");
    for (int32_t p = 0; p < pieces && output.status == SCREE_OK; ++p) {
        char ending[32];
        snprintf(ending, sizeof ending, ".p%04" PRId32 ".vtp", p);
        put(&output, "    <Piece Source=\"");
        scree_xml_put(&output, stem);
        put(&output, ending);
        put(&output, "\"/>\n");
    }
    put(&output, "  </PPolyData>\n</VTKFile>\n");
    return scree_output_close(&output, output.status);
}

scree_status scree_pvtp_write(const char* path, const scree_file_options* options, int32_t count, int32_t most, scree_piece_maker* make, void* context)
{
    char stem[path_room], piece[path_room + 32];
    const char *slash = strrchr(path, '/'), *dot = strrchr(path, '.');
    int32_t pieces = count > most ? (count - 1) / most + 1 : 1;
    snprintf(stem, sizeof stem, "%.*s", (int)(dot - path), path);
    scree_status status = SCREE_OK;
    scree_sphere_set part = {0};
    for (int32_t p = 0; p < pieces && status == SCREE_OK; ++p) {
        int32_t first = p * most;
        snprintf(piece, sizeof piece, "%s.p%04" PRId32 ".vtp", stem, p);
        scree_free(part.columns);
        part.columns = NULL;
        status = make(context, first, count - first < most ? count - first : most, &part);
        if (status == SCREE_OK)
            status = scree_write_spheres(piece, options, &part);
    }
    if (status == SCREE_OK)
        status = write_list(path, &part, pieces, slash != NULL ? stem + (slash - path) + 1 : stem);
    scree_free(part.columns);
    return status;
}

// ---- Reading -------------------------------------------------------------------------------------------------------

static scree_status append_values(void* to, const void* from, int64_t before, int64_t more, size_t bytes)
{
    char* block;
    if (scree_resize(to, before + more + 1, bytes) != SCREE_OK)
        return SCREE_ERR_MEMORY;
    memcpy(&block, to, sizeof block);
    if (more > 0)
        memcpy(block + (size_t)before * bytes, from, (size_t)more * bytes);
    return SCREE_OK;
}

static scree_status append(const char* file, const scree_sphere_set* more, scree_sphere_set* set)
{
    if (more->dim != set->dim || more->column_count != set->column_count)
        return scree_fail(SCREE_ERR_FORMAT, "%s: %d dimensions and %d columns; expected %d and %d, as in the pieces before it", file, (int)more->dim, (int)more->column_count, (int)set->dim, (int)set->column_count);
    if ((int64_t)set->count + more->count > INT32_MAX)
        return scree_fail(SCREE_ERR_UNSUPPORTED, "%s: with it there are more spheres; expected at most %d", file, INT32_MAX);
    scree_status status = append_values(&set->x, more->x, (int64_t)set->count * set->dim, (int64_t)more->count * set->dim, sizeof *set->x);
    if (status == SCREE_OK)
        status = append_values(&set->r, more->r, set->count, more->count, sizeof *set->r);
    for (int32_t c = 0; c < set->column_count && status == SCREE_OK; ++c) {
        scree_column* to = &set->columns[c];
        const scree_column* from = &more->columns[c];
        int64_t before = (int64_t)set->count * to->components, count = (int64_t)more->count * to->components;
        if (strcmp(from->name, to->name) != 0 || from->kind != to->kind || from->components != to->components)
            return scree_fail(SCREE_ERR_FORMAT, "%s: column '%s'; expected one like column '%s' of the pieces before it", file, from->name, to->name);
        if (to->kind == SCREE_COLUMN_TEXT)
            return scree_fail(SCREE_ERR_UNSUPPORTED, "%s: column '%s' has text, which is not supported in files with pieces; expected numbers", file, to->name);
        status = to->kind == SCREE_COLUMN_INT64 ? append_values(&to->integers, from->integers, before, count, sizeof *to->integers) : append_values(&to->values, from->values, before, count, sizeof *to->values);
    }
    if (status == SCREE_OK)
        set->count += more->count;
    return status;
}

scree_status scree_pvtp_read(const char* path, const scree_file_options* options, scree_sphere_set* out)
{
    scree_frame_times pieces = {0};
    scree_sphere_set set = {0};
    scree_status status = scree_pvtp_list(path, &pieces);
    if (status == SCREE_OK && pieces.count == 0)
        status = scree_fail(SCREE_ERR_FORMAT, "%s: a list without pieces; expected one or more", path);
    scree_file_options one = *options;
    one.format = SCREE_FORMAT_VTP;
    for (int64_t p = 0; p < pieces.count && status == SCREE_OK; ++p) {
        scree_sphere_set more = {0};
        const char* dot = strrchr(pieces.files[p], '.');
        if (dot != NULL && strcmp(dot, ".pvtp") == 0)
            status = scree_fail(SCREE_ERR_FORMAT, "%s: a piece is itself a list; expected a file of spheres", pieces.files[p]);
        if (status == SCREE_OK)
            status = scree_read_spheres(pieces.files[p], &one, p == 0 ? &set : &more);
        if (status == SCREE_OK && p > 0)
            status = append(pieces.files[p], &more, &set);
        scree_sphere_set_free(&more);
    }
    scree_frame_times_free(&pieces);
    if (status == SCREE_OK)
        *out = set;
    else
        scree_sphere_set_free(&set);
    return status;
}
