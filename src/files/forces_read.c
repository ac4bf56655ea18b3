// The contacts of a frame, as a run writes them beside it, as rods for pictures and pages.
//
//     i, j, overlap or depth, nx .., fx ..  [, sx .., px ..]        one row for each contact (run/contacts.c)
//
// The normal points from j, or from the wall, to i, and the force is that on i: their product is the normal force, above 0 where it pushes. A rod begins at the
// centre of i and ends at that of the image of j, or where the normal meets the wall. Bodies, whose rows have no overlap but a depth, touch anywhere: their rods go
// by the point of contact (px, py), without the part to a fixed body, whose centre is not in the middle of it.
#include "scree/outlines.h"

#include "base/argument.h"
#include "base/array.h"
#include "files/csv.h"
#include "files/options.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

scree_status scree_rods_make(int64_t count, scree_rods* out)
{
    SCREE_EMPTY(out);
    if (count < 0)
        return scree_fail(SCREE_ERR_ARGUMENT, "rods: a count of %" PRId64 "; expected 0 or more", count);
    out->ends = scree_calloc((size_t)count, sizeof *out->ends);
    out->value = scree_calloc((size_t)count, sizeof *out->value);
    if (out->ends == NULL || out->value == NULL) {
        scree_rods_free(out);
        return SCREE_ERR_MEMORY;
    }
    out->count = count;
    return SCREE_OK;
}

void scree_rods_free(scree_rods* rods)
{
    if (rods == NULL)
        return;
    scree_free(rods->ends);
    scree_free(rods->value);
    *rods = (scree_rods){0};
}

// Columns, by place in `names`.
enum { I, J, OVERLAP, DEPTH, NX, NY, NZ, FX, FY, FZ, SX, SY, SZ, PX, PY, column_count };
static const char* const names[column_count] = {"i", "j", "overlap", "depth", "nx", "ny", "nz", "fx", "fy", "fz", "sx", "sy", "sz", "px", "py"};

typedef struct reader {
    scree_csv csv;
    const scree_outline_set* set;
    const scree_column* fixed;  // of bodies; may be NULL
    int64_t at[column_count], columns;  // -1: there is none
    scree_rods out;
    int64_t ends_capacity, value_capacity;
} reader;

static scree_status read_header(reader* r)
{
    scree_status status = scree_csv_header(&r->csv, "i,j,overlap,nx,ny,nz,fx,fy,fz");
    if (status != SCREE_OK)
        return status;
    r->columns = r->csv.count;
    for (int k = 0; k < column_count; ++k) {
        r->at[k] = -1;
        for (int64_t c = 0; c < r->columns; ++c)
            if (scree_csv_is(&r->csv, c, names[k]))
                r->at[k] = c;
    }
    static const int needed[] = {I, J, NX, NY, FX, FY, NZ, FZ};
    for (int k = 0; k < (r->set->bodies.dim == 2 ? 6 : 8); ++k)
        if (r->at[needed[k]] < 0)
            return scree_input_fail(r->csv.input, r->csv.line, "there is no column '%s'; expected i, j, overlap, nx, ny, nz, fx, fy, fz", names[needed[k]]);
    if (r->at[OVERLAP] < 0 && r->at[PX] < 0)
        return scree_input_fail(r->csv.input, r->csv.line, "there is no column 'overlap' or 'px'; expected one of them");
    return SCREE_OK;
}

static scree_status add_rod(reader* r, const double from[3], const double to[3], double value)
{
    scree_status status = SCREE_RESERVE(r->out.ends, r->ends_capacity, r->out.count + 1);
    if (status == SCREE_OK)
        status = SCREE_RESERVE(r->out.value, r->value_capacity, r->out.count + 1);
    if (status != SCREE_OK)
        return status;
    memcpy(r->out.ends[r->out.count][0], from, 3 * sizeof *from);
    memcpy(r->out.ends[r->out.count][1], to, 3 * sizeof *to);
    r->out.value[r->out.count++] = value;
    return SCREE_OK;
}

static bool is_fixed(const reader* r, int64_t i)
{
    return r->fixed != NULL && r->fixed->integers[i] != 0;
}

// The numbers of a row; those without a column are 0.
static scree_status read_numbers(reader* r, double value[column_count])
{
    scree_status status = scree_csv_check_width(&r->csv, r->columns);
    for (int k = 0; k < column_count; ++k) {
        value[k] = 0.0;
        if (status == SCREE_OK && r->at[k] >= 0)
            status = scree_csv_number(&r->csv, r->at[k], names[k], &value[k]);
        if (status == SCREE_OK && !isfinite(value[k]))
            status = scree_input_fail(r->csv.input, r->csv.line, "%s = %g is not finite; expected a number", names[k], value[k]);
    }
    for (int k = I; k <= J && status == SCREE_OK; ++k) {
        bool whole = value[k] == floor(value[k]) && fabs(value[k]) < 9e15, wall = k == J && value[k] < 0.0;
        int64_t row = whole && !wall ? scree_sphere_set_row(&r->set->bodies, (int64_t)value[k]) : -1;
        if (!whole || (!wall && row < 0))
            status = scree_input_fail(r->csv.input, r->csv.line, "%s = %.17g is not a body of the frame; expected 0 or more and less than %d", names[k], value[k], (int)r->set->bodies.count);
        value[k] = wall ? value[k] : (double)row;
    }
    return status;
}

static scree_status read_row(reader* r)
{
    const scree_sphere_set* bodies = &r->set->bodies;
    double v[column_count], a[3] = {0.0, 0.0, 0.0}, b[3] = {0.0, 0.0, 0.0}, normal = 0.0;
    scree_status status = read_numbers(r, v);
    if (status != SCREE_OK)
        return status;
    int64_t i = (int64_t)v[I], j = (int64_t)v[J];
    double offset[3] = {0.0, 0.0, 0.0};
    for (int k = 0; k < bodies->dim; ++k) {
        offset[k] = v[SX + k] != 0.0 ? v[SX + k] * (bodies->box.upper[k] - bodies->box.lower[k]) : 0.0;
        for (int later = k + 1; later < bodies->dim; ++later)
            offset[k] += v[SX + later] != 0.0 ? v[SX + later] * bodies->box.tilt[k + later - 1] : 0.0;
    }
    for (int k = 0; k < bodies->dim; ++k) {
        normal += v[NX + k] * v[FX + k];
        a[k] = bodies->x[i * bodies->dim + k];
        if (j >= 0)
            b[k] = bodies->x[j * bodies->dim + k] + offset[k];
        else
            b[k] = a[k] - (bodies->r[i] - v[OVERLAP]) * v[NX + k];
    }
    if (r->at[OVERLAP] >= 0)  // of spheres
        return add_rod(r, a, b, normal);
    const double point[3] = {v[PX], v[PY], 0.0};
    if (!is_fixed(r, i))
        status = add_rod(r, a, point, normal);
    if (status == SCREE_OK && j >= 0 && !is_fixed(r, j))
        status = add_rod(r, point, b, normal);
    return status;
}

scree_status scree_read_forces(const char* path, const scree_file_options* given, const scree_outline_set* set, scree_rods* out)
{
    SCREE_EMPTY(out);
    SCREE_NEED(path);
    SCREE_NEED(set);
    scree_file_options options;
    scree_status status = scree_file_options_take(given, &options);
    if (status != SCREE_OK)
        return status;
    if (strcmp(path, "-") != 0 && access(path, F_OK) != 0 && errno == ENOENT)
        return scree_fail(SCREE_ERR_IO, "%s: there is no such file; expected the contacts of the frames, which a run writes if its scene has 'output: {contacts: true}'", path);
    scree_input input;
    status = scree_input_open(&input, path, options.watch);
    if (status != SCREE_OK)
        return status;
    const scree_column* fixed = scree_sphere_set_find(&set->bodies, "fixed");
    reader r = {.csv = {.input = &input}, .set = set, .fixed = fixed != NULL && fixed->kind == SCREE_COLUMN_INT64 && fixed->components == 1 ? fixed : NULL};
    status = read_header(&r);
    for (bool more = true; status == SCREE_OK;) {
        status = scree_csv_next(&r.csv, &more);
        if (status != SCREE_OK || !more)
            break;
        status = read_row(&r);
    }
    scree_csv_close(&r.csv);
    scree_input_close(&input);
    if (status == SCREE_OK)
        *out = r.out;
    else
        scree_rods_free(&r.out);
    return status;
}
