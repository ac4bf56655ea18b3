// Spheres: views of the caller's arrays, their checks, and sets that own theirs.
#include "scree/geom.h"

#include "base/argument.h"
#include "base/sort.h"
#include "geom/lattice.h"
#include "geom/length.h"
#include "geom/pair.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

scree_box scree_spheres_bounds(scree_spheres spheres)
{
    scree_box box = {.dim = spheres.dim};
    if (spheres.count <= 0 || spheres.x == NULL || spheres.r == NULL)
        return box;
    box = scree_box_open(spheres.dim);
    for (int k = 0; k < spheres.dim; ++k) {
        double lower = INFINITY, upper = -INFINITY;
        for (int64_t i = 0; i < spheres.count; ++i) {
            double x = spheres.x[i * spheres.dim + k], r = spheres.r[i];
            lower = fmin(lower, x - r);
            upper = fmax(upper, x + r);
        }
        box.lower[k] = lower;
        box.upper[k] = upper;
    }
    return box;
}

double scree_spheres_volume(scree_spheres spheres)
{
    const double pi = 3.14159265358979323846;
    double sum = 0.0;
    if (spheres.count > 0)
        SCREE_NEED_OR(spheres.r, NAN);
    for (int64_t i = 0; i < spheres.count; ++i) {
        double r = spheres.r[i];
        sum += spheres.dim == 2 ? r * r : r * r * r;
    }
    return (spheres.dim == 2 ? pi : 4.0 / 3.0 * pi) * sum;
}

static scree_status explain_sphere(scree_spheres spheres, int64_t i, const scree_box* box)
{
    double r = spheres.r[i];
    if (!(r >= 0.0) || isinf(r))
        return scree_fail(SCREE_ERR_ARGUMENT, "sphere %" PRId64 ": radius %g; expected a length, 0 or more", i, r);
    if (!scree_is_length(r))
        return scree_fail(SCREE_ERR_ARGUMENT, "sphere %" PRId64 ": radius %g is out of range; expected 0, or %g to %g", i, r,
                          SCREE_LENGTH_MIN, SCREE_LENGTH_MAX);
    for (int k = 0; k < spheres.dim; ++k) {
        double x = spheres.x[i * spheres.dim + k];
        if (!isfinite(x))
            return scree_fail(SCREE_ERR_ARGUMENT, "sphere %" PRId64 ": %c = %g is not a coordinate; expected a number", i, "xyz"[k], x);
        if (!scree_is_length(x))
            return scree_fail(SCREE_ERR_ARGUMENT, "sphere %" PRId64 ": %c = %g is out of range; expected 0, or %g to %g in size", i,
                              "xyz"[k], x, SCREE_LENGTH_MIN, SCREE_LENGTH_MAX);
        if (box != NULL && !box->periodic[k] && (x < box->lower[k] || x > box->upper[k]))
            return scree_fail(SCREE_ERR_ARGUMENT,
                              "sphere %" PRId64 ": its centre %c = %g lies outside the walls; expected %g to %g", i, "xyz"[k], x,
                              box->lower[k], box->upper[k]);
    }
    return SCREE_OK;
}

scree_status scree_spheres_check(scree_spheres spheres, const scree_box* box)
{
    if (spheres.dim != 2 && spheres.dim != 3)
        return scree_fail(SCREE_ERR_ARGUMENT, "spheres: dimension %d; expected 2 or 3", (int)spheres.dim);
    if (box != NULL && box->dim != spheres.dim)
        return scree_fail(SCREE_ERR_ARGUMENT, "the spheres have %d dimensions and the box has %d; expected the same", (int)spheres.dim,
                          (int)box->dim);
    if (spheres.count < 0)
        return scree_fail(SCREE_ERR_ARGUMENT, "spheres: a count of %" PRId32 "; expected 0 or more", spheres.count);
    if (spheres.count > 0 && (spheres.x == NULL || spheres.r == NULL))
        return scree_fail(SCREE_ERR_ARGUMENT, "%" PRId32 " spheres without %s; expected arrays of that many", spheres.count,
                          spheres.x == NULL ? "centres (x is NULL)" : "radii (r is NULL)");
    // explain_sphere names the first fault it meets and answers OK where there is none: the check and the explanation
    // cannot come apart.
    for (int64_t i = 0; i < spheres.count; ++i) {
        scree_status status = explain_sphere(spheres, i, box);
        if (status != SCREE_OK)
            return status;
    }
    return SCREE_OK;
}

double scree_pair_gap(const scree_box* box, scree_spheres spheres, int32_t i, int32_t j, const int8_t* shift)
{
    SCREE_NEED_OR(spheres.x, NAN);
    SCREE_NEED_OR(spheres.r, NAN);
    if (shift != NULL)
        SCREE_NEED_OR(box, NAN);
    double a[4] = {0.0}, b[4] = {0.0}, offset[3] = {0.0};
    for (int k = 0; k < spheres.dim; ++k) {
        a[k] = spheres.x[(int64_t)i * spheres.dim + k];
        b[k] = spheres.x[(int64_t)j * spheres.dim + k];
    }
    if (shift != NULL) {
        // On wrapped centres, as the index does it: so that both see the same bits.
        double turns_a[3] = {0.0}, turns_b[3] = {0.0}, length[3], tilt[3];
        int s[3] = {0, 0, 0};
        scree_lattice_of(box, length, tilt);
        scree_box_wrap_centre(box, a, turns_a);
        scree_box_wrap_centre(box, b, turns_b);
        for (int k = 0; k < spheres.dim; ++k)
            s[k] = (int)fmax(fmin((double)shift[k] - turns_a[k] + turns_b[k], 1e9), -1e9);
        scree_lattice_offset(length, tilt, s[0], s[1], s[2], offset);
    }
    double reach = spheres.r[i] + spheres.r[j];
    double square = scree_square_distance(a, b, offset);
    double sum = sqrt(square) + reach;
    return sum > 0.0 ? (square - reach * reach) / sum : 0.0;
}

scree_status scree_sphere_set_make(int32_t dim, int32_t count, scree_sphere_set* out)
{
    SCREE_EMPTY(out);
    if ((dim != 2 && dim != 3) || count < 0)
        return scree_fail(SCREE_ERR_ARGUMENT, "a set of %" PRId32 " spheres in %" PRId32 " dimensions; expected 0 or more, in 2 or 3", count,
                          dim);
    scree_sphere_set set = {.dim = dim, .count = count, .box = scree_box_open(dim)};
    set.x = scree_malloc((size_t)count * (size_t)dim, sizeof *set.x);
    set.r = scree_malloc((size_t)count, sizeof *set.r);
    if (set.x == NULL || set.r == NULL) {
        scree_sphere_set_free(&set);
        return SCREE_ERR_MEMORY;
    }
    *out = set;
    return SCREE_OK;
}

void scree_sphere_set_free(scree_sphere_set* set)
{
    if (set == NULL)
        return;
    for (int c = 0; c < set->column_count; ++c) {
        scree_column* column = &set->columns[c];
        scree_free(column->name);
        scree_free(column->values);
        scree_free(column->integers);
        scree_free(column->text);
        scree_free(column->offset);
    }
    scree_free(set->columns);
    scree_free(set->x);
    scree_free(set->r);
    *set = (scree_sphere_set){0};
}

scree_spheres scree_sphere_set_view(const scree_sphere_set* set)
{
    SCREE_NEED_OR(set, (scree_spheres){0});
    return (scree_spheres){.count = set->count, .dim = set->dim, .x = set->x, .r = set->r};
}

scree_status scree_sphere_set_check_box(const scree_sphere_set* set)
{
    SCREE_NEED(set);
    if (!set->has_box && set->container != SCREE_CONTAINER_BOX)
        return scree_fail(SCREE_ERR_ARGUMENT, "a container of kind %" PRId32 " without a box; expected the box that bounds it", set->container);
    if (!set->has_box)
        return SCREE_OK;
    if (set->box.dim != set->dim)
        return scree_fail(SCREE_ERR_ARGUMENT, "the spheres have dimension %" PRId32 " and their box has dimension %" PRId32 "; expected the same", set->dim, set->box.dim);
    return scree_container_check(&(scree_container){.kind = set->container, .box = set->box});
}

const scree_column* scree_sphere_set_find(const scree_sphere_set* set, const char* name)
{
    SCREE_NEED_OR(set, NULL);
    SCREE_NEED_OR(name, NULL);
    for (int c = 0; c < set->column_count; ++c)
        if (strcmp(set->columns[c].name, name) == 0)
            return &set->columns[c];
    return NULL;
}

scree_status scree_sphere_set_add(scree_sphere_set* set, const char* name, scree_column_kind kind, int32_t components,
                                  scree_column** column)
{
    SCREE_EMPTY(column);
    SCREE_NEED(set);
    SCREE_NEED(name);
    static const char* const own[] = {"", "x", "y", "z", "r"};
    for (size_t w = 0; w < sizeof own / sizeof *own; ++w)
        if (strcmp(name, own[w]) == 0)
            return scree_fail(SCREE_ERR_ARGUMENT, "column name '%s' is reserved; expected another name", name);
    if (scree_sphere_set_find(set, name) != NULL)
        return scree_fail(SCREE_ERR_ARGUMENT, "there is a column '%s' already; expected another name", name);
    if (components < 1 || components > 64 || (kind == SCREE_COLUMN_TEXT && components != 1))
        return scree_fail(SCREE_ERR_ARGUMENT, "column '%s': %d components; expected 1 to 64, text 1", name, (int)components);

    scree_column* columns = scree_realloc(set->columns, (size_t)set->column_count + 1, sizeof *columns);
    if (columns == NULL)
        return SCREE_ERR_MEMORY;
    set->columns = columns;
    scree_column* made = &columns[set->column_count];
    *made = (scree_column){.kind = (int32_t)kind, .components = components};
    size_t numbers = (size_t)set->count * (size_t)components;
    made->name = scree_malloc(strlen(name) + 1, 1);
    bool room = made->name != NULL;
    if (kind == SCREE_COLUMN_DOUBLE)
        room = (made->values = scree_calloc(numbers, sizeof *made->values)) != NULL && room;
    else if (kind == SCREE_COLUMN_INT64)
        room = (made->integers = scree_calloc(numbers, sizeof *made->integers)) != NULL && room;
    else  // every word is the empty one at offset 0
        room = (made->offset = scree_calloc((size_t)set->count, sizeof *made->offset)) != NULL &&
               (made->text = scree_calloc(1, 1)) != NULL && room;
    if (!room) {
        scree_free(made->name);
        scree_free(made->values);
        scree_free(made->integers);
        scree_free(made->text);
        scree_free(made->offset);
        return SCREE_ERR_MEMORY;
    }
    memcpy(made->name, name, strlen(name) + 1);
    ++set->column_count;
    *column = made;
    return SCREE_OK;
}

int64_t scree_sphere_set_row(const scree_sphere_set* set, int64_t id)
{
    SCREE_NEED_OR(set, -1);
    const scree_column* ids = scree_sphere_set_find(set, "id");
    bool plain = ids == NULL || ids->kind != SCREE_COLUMN_INT64 || ids->components != 1 || set->count == 0;
    if (plain || (ids->integers[0] == 1 && ids->integers[set->count - 1] == set->count))  // atoms of LAMMPS count from 1
        return id >= 0 && id < set->count ? id : -1;
    int64_t row = scree_first_not_below(ids->integers, set->count, id);
    return row < set->count && ids->integers[row] == id ? row : -1;
}
