// Bonds of a run: which spheres the scene bonds, the columns and files of bonds in frames, and the list of broken bonds.
#include "run/run_inner.h"

#include "base/argument.h"
#include "base/array.h"
#include "base/pi.h"
#include "files/csv.h"
#include "files/rows.h"
#include "scene/place.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

// ---- From the scene ----------------------------------------------------------------------------------------------------

// The arrays belong to `bonds`, and are constant for others.
static int64_t (*pairs_of(scree_scene_bonds* bonds))[2]
{
    return (int64_t(*)[2])(uintptr_t)bonds->bonds.ij;
}

static int32_t* kinds_of(scree_scene_bonds* bonds)
{
    return (int32_t*)(uintptr_t)bonds->bonds.kind;
}

void scree_scene_bonds_free(scree_scene_bonds* bonds)
{
    if (bonds == NULL)
        return;
    scree_free((void*)(uintptr_t)bonds->bonds.kinds);
    scree_free(pairs_of(bonds));
    scree_free(kinds_of(bonds));
    scree_free((void*)(uintptr_t)bonds->bonds.length);
    *bonds = (scree_scene_bonds){0};
}

static scree_status append(scree_scene_bonds* bonds, int64_t i, int64_t j, int32_t kind)
{
    int64_t at = bonds->bonds.count, (*ij)[2] = pairs_of(bonds);
    int32_t* kinds = kinds_of(bonds);
    scree_status status = SCREE_RESERVE(ij, bonds->ij_capacity, at + 1);
    bonds->bonds.ij = (const int64_t(*)[2])ij;
    if (status == SCREE_OK)
        status = SCREE_RESERVE(kinds, bonds->kind_capacity, at + 1);
    bonds->bonds.kind = kinds;
    if (status != SCREE_OK)
        return status;
    ij[at][0] = i;
    ij[at][1] = j;
    kinds[at] = kind;
    ++bonds->bonds.count;
    return SCREE_OK;
}

// A number of a sphere.
static scree_status read_sphere(const scree_csv* csv, int64_t column, const char* name, int32_t count, int64_t* out)
{
    double value;
    scree_status status = scree_csv_number(csv, column, name, &value);
    if (status == SCREE_OK && !(value >= 0.0 && value < count && value == floor(value)))
        status = scree_input_fail(csv->input, csv->line, "%s is %g; expected the number of a sphere, 0 to %d", name, value, (int)count - 1);
    if (status == SCREE_OK)
        *out = (int64_t)value;
    return status;
}

static scree_status read_rows(scree_csv* csv, int32_t kind, int32_t count, scree_scene_bonds* bonds)
{
    static const char* const names[2] = {"i", "j"};
    int64_t column[2] = {-1, -1}, ij[2];
    bool more;
    scree_status status = scree_csv_header(csv, "the columns i and j");
    int64_t columns = csv->count;
    for (int64_t c = 0; c < columns && status == SCREE_OK; ++c)
        for (int k = 0; k < 2; ++k)
            if (scree_csv_is(csv, c, names[k]))
                column[k] = c;
    for (int k = 0; k < 2 && status == SCREE_OK; ++k)
        if (column[k] < 0)
            status = scree_input_fail(csv->input, csv->line, "there is no column '%s'; expected i and j, the numbers of two spheres", names[k]);
    while (status == SCREE_OK) {
        status = scree_csv_next(csv, &more);
        if (status != SCREE_OK || !more)
            break;
        status = scree_csv_check_width(csv, columns);
        for (int k = 0; k < 2 && status == SCREE_OK; ++k)
            status = read_sphere(csv, column[k], names[k], count, &ij[k]);
        if (status == SCREE_OK && ij[0] == ij[1])
            status = scree_input_fail(csv->input, csv->line, "a bond of sphere %" PRId64 " with itself; expected two spheres", ij[0]);
        if (status == SCREE_OK)
            status = append(bonds, ij[0], ij[1], kind);
    }
    return status;
}

static scree_status read_file(const char* path, int32_t kind, int32_t count, scree_scene_bonds* bonds)
{
    scree_input input;
    scree_status status = scree_input_open(&input, path, scree_get_watch());
    if (status != SCREE_OK)
        return status;
    scree_csv csv = {.input = &input};
    status = read_rows(&csv, kind, count, bonds);
    scree_csv_close(&csv);
    scree_input_close(&input);
    return status;
}

scree_status scree_scene_make_bonds(const scree_scene* scene, const scree_sphere_set* set, scree_scene_bonds* out)
{
    SCREE_EMPTY(out);
    SCREE_NEED(scene);
    SCREE_NEED(set);
    scree_status status = SCREE_OK;
    if (scene->bond_count == 0)
        return status;
    out->bonds = scree_default_sim_bonds_def();
    scree_sim_bond* kinds = scree_malloc((size_t)scene->bond_count, sizeof *kinds);
    if (kinds == NULL)
        return SCREE_ERR_MEMORY;
    out->bonds.kinds = kinds;
    out->bonds.kind_count = (int32_t)scene->bond_count;
    for (int64_t n = 0; n < scene->bond_count; ++n)
        kinds[n] = scree_scene_bond_kind(&scene->bonds[n]);
    for (int64_t n = 0; n < scene->bond_count && status == SCREE_OK; ++n)
        if (scene->bonds[n].file_path != NULL)
            status = scree_scene_locate(scene, read_file(scene->bonds[n].file_path, (int32_t)n, set->count, out), "bonds.file", n);
    if (status != SCREE_OK)
        scree_scene_bonds_free(out);
    return status;
}

// All bonds of a checkpoint, whatever gaps and files say; kinds come from the scene.
static scree_status take_kept(const scree_scene* scene, const scree_checkpoint_bonds* saved, scree_scene_bonds* out)
{
    scree_status status = SCREE_OK;
    *out = (scree_scene_bonds){.bonds = scree_default_sim_bonds_def()};
    scree_sim_bond* kinds = scree_malloc((size_t)scene->bond_count + 1, sizeof *kinds);
    double* length = scree_malloc((size_t)saved->count + 1, sizeof *length);
    out->bonds.kinds = kinds;
    out->bonds.length = length;
    out->bonds.kind_count = (int32_t)scene->bond_count;
    if (kinds == NULL || length == NULL)
        return SCREE_ERR_MEMORY;
    for (int64_t n = 0; n < scene->bond_count; ++n) {
        kinds[n] = scree_scene_bond_kind(&scene->bonds[n]);
        kinds[n].gap = -1.0;
    }
    for (int64_t b = 0; b < saved->count && status == SCREE_OK; ++b) {
        length[b] = saved->length[b];
        status = append(out, saved->ij[b][0], saved->ij[b][1], saved->kind[b]);
    }
    return status;
}

scree_status run_bonds_make(scree_run* run, const scree_scene* scene, scree_sim_def* def)
{
    scree_scene_bonds* bonds = &run->bonds;
    if (scene->bond_count == 0)
        return SCREE_OK;
    scree_status status = run->kept_bonds != NULL ? take_kept(scene, run->kept_bonds, bonds) : scree_scene_make_bonds(scene, &run->set, bonds);
    def->bonds = &bonds->bonds;
    return status;
}

bool run_has_bonds(const scree_run* run)
{
    return run->scene.bond_count > 0 || run->bonds.bonds.kind_count > 0;
}

// ---- Frames ------------------------------------------------------------------------------------------------------------

static const char* const column_names[2] = {"bonds", "bonds_broken"};
enum { rows_most = 1 << 19 };  // bonds that are looked at together

scree_status run_bonds_add_columns(scree_run* run)
{
    scree_status status = SCREE_OK;
    for (int k = 0; k < 2 && status == SCREE_OK && run_has_bonds(run); ++k) {
        scree_column* column;
        if (scree_sphere_set_find(&run->set, column_names[k]) == NULL)
            status = scree_sphere_set_add(&run->set, column_names[k], SCREE_COLUMN_INT64, 1, &column);
    }
    return status;
}

scree_status run_bonds_fill(scree_run* run)
{
    scree_status status = SCREE_OK;
    if (!run_has_bonds(run))
        return SCREE_OK;
    const scree_column* columns[2] = {scree_sphere_set_find(&run->set, column_names[0]), scree_sphere_set_find(&run->set, column_names[1])};
    for (int k = 0; k < 2; ++k)
        if (run->set.count > 0)
            memset(columns[k]->integers, 0, (size_t)run->set.count * sizeof *columns[k]->integers);
    for (int64_t first = 0, all = 1; first < all && status == SCREE_OK; first += rows_most) {
        scree_sim_bonds bonds;
        status = scree_sim_get_bond_rows(run->sim, first, rows_most, &bonds, &all);
        for (int64_t b = 0; b < bonds.count && status == SCREE_OK; ++b)
            for (int side = 0; side < 2; ++side)
                if (bonds.ij[b][side] < run->set.count)  // an estimate has only some of the spheres
                    ++columns[bonds.broken_at[b] >= 0]->integers[bonds.ij[b][side]];
    }
    return status;
}

// ---- Fragments ---------------------------------------------------------------------------------------------------------

// Fragments depend on bonds and masses alone. A snapshot needs a closed box and positions inside it: here the unit box,
// with all spheres at the origin.
scree_status run_bonds_fragments(scree_run* run, scree_fragments* out)
{
    const double* density = run->each.each.material_density;
    int32_t n = scree_sim_get_count(run->sim), dim = run->set.dim;
    double *x = scree_calloc((size_t)n + 1, (size_t)dim * sizeof *x), *mass = scree_calloc((size_t)n + 1, sizeof *mass), *r = scree_malloc((size_t)n + 1, sizeof *r);
    scree_sim_bonds bonds;
    *out = (scree_fragments){0};
    scree_status status = x != NULL && mass != NULL && r != NULL ? scree_sim_get_column(run->sim, "radius", r) : SCREE_ERR_MEMORY;
    if (status == SCREE_OK)
        status = scree_sim_get_bonds(run->sim, &bonds);
    for (int32_t i = 0; i < n && status == SCREE_OK; ++i) {
        mass[i] = (density != NULL ? density[i] : run->each.material_density) * (dim == 2 ? pi * r[i] * r[i] : 4.0 / 3.0 * pi * r[i] * r[i] * r[i]);
        r[i] = 0.0;
    }
    scree_snapshot now = scree_default_snapshot();
    now.box = scree_box_sized(dim, (const double[3]){1.0, 1.0, 1.0});
    now.spheres = (scree_spheres){.count = n, .dim = dim, .x = x, .r = r};
    now.mass = mass;
    now.bonds = &bonds;
    if (status == SCREE_OK)
        status = scree_measure_fragments(&now, out);
    scree_free(x);
    scree_free(mass);
    scree_free(r);
    return status;
}

// ---- Those that broke --------------------------------------------------------------------------------------------------

typedef struct broken {
    int64_t step, i, j;
    double time, released;
    int32_t kind;
    int8_t cause;
} broken;

static bool is_before(const broken* a, const broken* b)
{
    return a->step != b->step ? a->step < b->step : a->i != b->i ? a->i < b->i : a->j < b->j;
}

// By step, then by the two spheres. Bonds of one step come in order already: a merge sort keeps that order.
static void sort_broken(broken* rows, broken* spare, int64_t count)
{
    for (int64_t width = 1; width < count; width *= 2) {
        for (int64_t first = 0; first < count; first += 2 * width) {
            int64_t middle = first + width < count ? first + width : count, last = first + 2 * width < count ? first + 2 * width : count, a = first, b = middle;
            for (int64_t k = first; k < last; ++k)
                spare[k] = b >= last || (a < middle && !is_before(&rows[b], &rows[a])) ? rows[a++] : rows[b++];
        }
        memcpy(rows, spare, (size_t)count * sizeof *rows);
    }
}

// The whole file each time that it grows: so it never has more than the state, whatever was killed when.
scree_status run_bonds_list(scree_run* run)
{
    scree_sim_report report;
    char path[4096];
    if (!run_has_bonds(run))
        return SCREE_OK;
    scree_status status = scree_sim_measure(run->sim, &report);
    int64_t count = report.bonds_broken, n = 0;
    if (status != SCREE_OK || (count == run->bonds_listed && run->bonds_are_listed))
        return status;
    broken* rows = scree_malloc(2 * (size_t)count + 1, sizeof *rows);
    if (rows == NULL)
        return SCREE_ERR_MEMORY;
    for (int64_t first = 0, all = 1; first < all && status == SCREE_OK && n < count; first += rows_most) {
        scree_sim_bonds bonds;
        status = scree_sim_get_bond_rows(run->sim, first, rows_most, &bonds, &all);
        for (int64_t b = 0; b < bonds.count && status == SCREE_OK; ++b)
            if (bonds.broken_at[b] >= 0)
                rows[n++] = (broken){.step = bonds.broken_at[b],
                                     .time = run_time_of(run, bonds.broken_at[b]),
                                     .i = bonds.ij[b][0],
                                     .j = bonds.ij[b][1],
                                     .kind = bonds.kind[b],
                                     .cause = (int8_t)bonds.cause[b],
                                     .released = bonds.released[b]};
    }
    if (status != SCREE_OK) {
        scree_free(rows);
        return status;
    }
    sort_broken(rows, rows + count, count);
    const scree_row_column column[] = {
        {"step", NULL, 1, SCREE_VTK_INT64, &rows->step, sizeof *rows},
        {"time", NULL, 1, SCREE_VTK_FLOAT64, &rows->time, sizeof *rows},
        {"i", NULL, 1, SCREE_VTK_INT64, &rows->i, sizeof *rows},
        {"j", NULL, 1, SCREE_VTK_INT64, &rows->j, sizeof *rows},
        {"kind", NULL, 1, SCREE_VTK_INT32, &rows->kind, sizeof *rows},
        {"cause", NULL, 1, SCREE_VTK_INT8, &rows->cause, sizeof *rows},
        {"released", NULL, 1, SCREE_VTK_FLOAT64, &rows->released, sizeof *rows},
    };
    status = run_path(run, path, sizeof path, "broken.csv");
    if (status == SCREE_OK)
        status = scree_rows_write_csv(path, scree_get_watch(), count, sizeof column / sizeof *column, column);
    scree_free(rows);
    if (status == SCREE_OK) {
        run->bonds_listed = count;
        run->bonds_are_listed = true;
    }
    return status;
}
