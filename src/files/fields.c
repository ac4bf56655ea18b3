// Fields on a grid as VTI and CSV, and voxels as VTI and NPY. A column is an entry of a list (rows.h), and its values are taken from where they lie; CSV has a column for each component, and only
// those that exist in 2D.
#include "scree/files.h"

#include "base/argument.h"
#include "files/npy.h"
#include "files/options.h"
#include "files/rows.h"
#include "files/system.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { most_columns = 40, name_room = 24 };

typedef struct column_list {
    int32_t count;
    scree_row_column column[most_columns];
    char name[most_columns][name_room];
} column_list;

static void add(column_list* list, int32_t components, const void* data, size_t stride, const char* name, const char* ending)
{
    char* to = list->name[list->count];
    snprintf(to, name_room, "%s%s", name, ending);
    list->column[list->count++] = (scree_row_column){.name = to, .components = components, .type = SCREE_VTK_FLOAT64, .data = data, .stride = stride};
}

// `whole`: vectors and tensors are one column; else one for each component that exists.
static void add_vector(column_list* list, bool whole, int dim, double (*data)[3], const char* name)
{
    static const char* const endings[3] = {"_x", "_y", "_z"};
    if (whole)
        add(list, 3, data, sizeof *data, name, "");
    for (int k = 0; k < dim && !whole; ++k)
        add(list, 1, &data[0][k], sizeof *data, name, endings[k]);
}

static void add_tensor(column_list* list, bool whole, int dim, double (*data)[3][3], const char* name)
{
    if (whole)
        add(list, 9, data, sizeof *data, name, "");
    for (int k = 0; k < dim && !whole; ++k)
        for (int l = 0; l < dim; ++l)
            add(list, 1, &data[0][k][l], sizeof *data, name, (const char[]){'_', "xyz"[k], "xyz"[l], '\0'});
}

static void list_columns(const scree_fields* f, double (*centre)[3], column_list* list)
{
    bool whole = centre == NULL;
    for (int k = 0; k < f->dim && !whole; ++k)
        add(list, 1, &centre[0][k], sizeof *centre, (const char[]){"xyz"[k], '\0'}, "");
    add(list, 1, f->density, sizeof *f->density, "density", "");
    add(list, 1, f->fraction, sizeof *f->fraction, "fraction", "");
    add_vector(list, whole, f->dim, f->momentum, "momentum");
    add_vector(list, whole, f->dim, f->velocity, "velocity");
    add(list, 1, f->temperature, sizeof *f->temperature, "temperature", "");
    add_tensor(list, whole, f->dim, f->kinetic_stress, "kinetic_stress");
    add_tensor(list, whole, f->dim, f->contact_stress, "contact_stress");
}

static scree_status write_csv(const char* path, scree_watch watch, const scree_fields* f)
{
    column_list list = {0};
    double(*centre)[3] = scree_malloc((size_t)f->count, sizeof *centre);
    if (centre == NULL)
        return SCREE_ERR_MEMORY;
    for (int64_t c = 0; c < f->count; ++c) {
        const int64_t at[3] = {c % f->cells[0], c / f->cells[0] % f->cells[1], c / f->cells[0] / f->cells[1]};
        for (int k = 0; k < 3; ++k)
            centre[c][k] = f->lower[k] + ((double)at[k] + 0.5) * f->size[k];
    }
    list_columns(f, centre, &list);
    scree_status status = scree_rows_write_csv(path, watch, f->count, list.count, list.column);
    scree_free(centre);
    return status;
}

static scree_status write_vti(const char* path, scree_watch watch, const scree_fields* f)
{
    column_list list = {0};
    scree_row_grid grid = {.dim = f->dim};
    for (int k = 0; k < 3; ++k) {
        grid.cells[k] = f->cells[k];
        grid.lower[k] = k < f->dim ? f->lower[k] : 0.0;
        grid.size[k] = k < f->dim ? f->size[k] : 1.0;
    }
    list_columns(f, NULL, &list);
    return scree_rows_write_vti(path, watch, &grid, list.count, list.column);
}

static bool ends_in(const char* path, const char* ending)
{
    size_t length = strlen(path), tail = strlen(ending);
    for (size_t k = 0; k < tail && length > tail; ++k)
        if ((path[length - tail + k] | 32) != (ending[k] | 32))
            return false;
    return length > tail;
}

scree_status scree_write_fields(const char* path, const scree_file_options* given, const scree_fields* fields)
{
    SCREE_NEED(path);
    SCREE_NEED(fields);
    scree_file_options options;
    scree_status status = scree_file_options_take(given, &options);
    if (status != SCREE_OK)
        return status;
    if (fields->density == NULL || fields->contact_stress == NULL || fields->dim < 2 || fields->dim > 3 || fields->count < 1)
        return scree_fail(SCREE_ERR_ARGUMENT, "%s: fields of %" PRId64 " cells; expected the result of scree_measure_fields", path, fields->count);
    bool csv = options.format == SCREE_FORMAT_CSV || (options.format == SCREE_FORMAT_AUTO && ends_in(path, ".csv"));
    status = scree_check_writable(path);
    if (status != SCREE_OK)
        return status;
    if (!csv && !(options.format == SCREE_FORMAT_AUTO && ends_in(path, ".vti")))
        return scree_fail(SCREE_ERR_ARGUMENT, "%s: the extension is not one of fields; expected .vti or .csv", path);
    return csv ? write_csv(path, options.watch, fields) : write_vti(path, options.watch, fields);
}

// ---- Voxels ------------------------------------------------------------------------------------------------------

static scree_status write_voxels_vti(const char* path, scree_watch watch, const scree_voxels* v)
{
    scree_row_column column[2];
    scree_row_grid grid = {.dim = v->dim};
    int32_t count = 0;
    for (int k = 0; k < 3; ++k) {
        grid.cells[k] = v->cells[k];
        grid.lower[k] = k < v->dim ? v->lower[k] : 0.0;
        grid.size[k] = k < v->dim ? v->size[k] : 1.0;
    }
    if (v->label != NULL)
        column[count++] = (scree_row_column){.name = "label", .components = 1, .type = SCREE_VTK_INT32, .data = v->label, .stride = sizeof *v->label};
    if (v->fraction != NULL)
        column[count++] = (scree_row_column){.name = "fraction", .components = 1, .type = SCREE_VTK_FLOAT64, .data = v->fraction, .stride = sizeof *v->fraction};
    return scree_rows_write_vti(path, watch, &grid, count, column);
}

static char* put_bits(char* to, uint64_t bits, int bytes)
{
    for (int k = 0; k < bytes; ++k)
        *to++ = (char)(bits >> 8 * k & 0xFF);
    return to;
}

static void put_npy_header(scree_output* output, const scree_voxels* v)
{
    char text[256], begin[12], shape[48];
    snprintf(shape, sizeof shape, v->dim == 3 ? "(%" PRId32 ", %" PRId32 ", %" PRId32 ")" : "(%" PRId32 ", %" PRId32 ")", v->cells[0], v->cells[1], v->cells[2]);
    int length = snprintf(text, sizeof text, "{'descr': [%s%s%s], 'fortran_order': True, 'shape': %s, }", v->label != NULL ? "('label', '<i4')" : "", v->label != NULL && v->fraction != NULL ? ", " : "",
                          v->fraction != NULL ? "('fraction', '<f8')" : "", shape);
    int blanks, front = scree_npy_begin(begin, 1, length, &blanks);
    scree_output_bytes(output, begin, (size_t)front);
    scree_output_bytes(output, text, (size_t)length);
    for (int k = 0; k < blanks; ++k)
        scree_output_bytes(output, " ", 1);
    scree_output_bytes(output, "\n", 1);
}

static scree_status write_voxels_npy(const char* path, scree_watch watch, const scree_voxels* v)
{
    scree_output output;
    scree_status status = scree_output_open(&output, path, watch);
    if (status != SCREE_OK)
        return status;
    put_npy_header(&output, v);
    int64_t stride = v->count / 256 + 1;
    for (int64_t c = 0; c < v->count && output.status == SCREE_OK; ++c) {
        char* to = scree_output_room(&output, 12);
        if (v->label != NULL)
            to = put_bits(to, (uint32_t)v->label[c], 4);
        if (v->fraction != NULL) {
            uint64_t bits;
            memcpy(&bits, &v->fraction[c], sizeof bits);
            to = put_bits(to, bits, 8);
        }
        scree_output_wrote(&output, to);
        if (c % stride == 0)
            scree_output_tick(&output, (double)c / (double)v->count);
    }
    return scree_output_close(&output, SCREE_OK);
}

scree_status scree_write_voxels(const char* path, const scree_file_options* given, const scree_voxels* voxels)
{
    SCREE_NEED(path);
    SCREE_NEED(voxels);
    scree_file_options options;
    scree_status status = scree_file_options_take(given, &options);
    if (status != SCREE_OK)
        return status;
    if ((voxels->label == NULL && voxels->fraction == NULL) || voxels->dim < 2 || voxels->dim > 3 || voxels->count < 1)
        return scree_fail(SCREE_ERR_ARGUMENT, "%s: %" PRId64 " voxels without labels or fractions; expected the result of scree_measure_voxels", path, voxels->count);
    status = scree_check_writable(path);
    if (status != SCREE_OK)
        return status;
    if (!ends_in(path, ".vti") && !ends_in(path, ".npy"))
        return scree_fail(SCREE_ERR_ARGUMENT, "%s: the extension is not one of voxels; expected .vti or .npy", path);
    return ends_in(path, ".vti") ? write_voxels_vti(path, options.watch, voxels) : write_voxels_npy(path, options.watch, voxels);
}
