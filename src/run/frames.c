// Frames: the spheres of one moment with velocity, force and number of contacts, in every format that the scene asks for; contacts as
// data and pictures beside them. A frame is a matter of the step alone, so a run that was resumed writes the same ones again.
#include "run/run_inner.h"

#include "scree/files.h"
#include "scree/outlines.h"
#include "scree/picture.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

// Adding a column may move the others: they are looked up when all are there.
static void find_columns(scree_run* run)
{
    for (int32_t c = 0; c < run->set.column_count; ++c) {
        scree_column* column = &run->set.columns[c];
        if (strcmp(column->name, "velocity") == 0)
            run->velocity = column;
        else if (strcmp(column->name, "force") == 0)
            run->force = column;
        else if (strcmp(column->name, "contacts") == 0)
            run->contacts = column;
    }
}

scree_status run_add_columns(scree_run* run, const scree_scene* scene)
{
    scree_column* added;
    scree_status status = scree_sphere_set_add(&run->set, "force", SCREE_COLUMN_DOUBLE, run->set.dim, &added);
    if (status == SCREE_OK)
        status = scree_sphere_set_add(&run->set, "contacts", SCREE_COLUMN_INT64, 1, &added);
    if (status == SCREE_OK)
        status = scree_scene_make_each(scene, &run->set, &run->each);
    if (status == SCREE_OK)
        find_columns(run);
    return status;
}

// The values of a column of the simulation, in the types that files have.
static scree_status copy_column(const scree_run* run, const scree_sim_column* from, const scree_column* to)
{
    int64_t count = (int64_t)run->set.count * from->components;
    if (to->kind == SCREE_COLUMN_DOUBLE)
        return scree_sim_get_column(run->sim, from->name, to->values);
    void* values = scree_malloc((size_t)count + 1, scree_type_size((scree_type)from->type));
    if (values == NULL)
        return SCREE_ERR_MEMORY;
    scree_status status = scree_sim_get_column(run->sim, from->name, values);
    for (int64_t e = 0; e < count && status == SCREE_OK; ++e)
        switch (from->type) {
        case SCREE_TYPE_UINT8: to->integers[e] = ((const uint8_t*)values)[e]; break;
        case SCREE_TYPE_UINT16: to->integers[e] = ((const uint16_t*)values)[e]; break;
        case SCREE_TYPE_INT32: to->integers[e] = ((const int32_t*)values)[e]; break;
        default: to->integers[e] = ((const int64_t*)values)[e]; break;
        }
    scree_free(values);
    return status;
}

// Goes through the columns of the simulation that frames show and that are not there by other names (x, radius and velocity). `changing`: those of the state;
// else those that were given with the spheres, which are added.
static scree_status visit_columns(scree_run* run, bool changing)
{
    enum { most = 64 };
    scree_sim_column columns[most];
    int32_t count = scree_sim_columns(run->sim, columns, most);
    scree_status status = SCREE_OK;
    for (int32_t c = 0; c < count && c < most && status == SCREE_OK; ++c) {
        const scree_sim_column* column = &columns[c];
        bool known = strcmp(column->name, "x") == 0 || strcmp(column->name, "v") == 0 || strcmp(column->name, "radius") == 0;
        if (known || (column->uses & SCREE_USE_FRAME) == 0)
            continue;
        const scree_column* there = scree_sphere_set_find(&run->set, column->name);
        if (!changing && there == NULL) {
            scree_column* added;
            status = scree_sphere_set_add(&run->set, column->name, column->type == SCREE_TYPE_FLOAT64 ? SCREE_COLUMN_DOUBLE : SCREE_COLUMN_INT64,
                                          column->components, &added);
            there = added;
        }
        if (status == SCREE_OK && changing == ((column->uses & SCREE_USE_STATE) != 0))
            status = copy_column(run, column, there);
    }
    return status;
}

scree_status run_add_sim_columns(scree_run* run)
{
    scree_status status = visit_columns(run, false);
    if (status == SCREE_OK)
        find_columns(run);
    return status;
}

scree_status run_frames_open(scree_run* run)
{
    scree_status status = run->scene.formats != 0 ? run_folder_sub(run, "frames") : SCREE_OK;
    if (status == SCREE_OK && run->scene.contacts)
        status = run_folder_sub(run, "contacts");
    if (status == SCREE_OK && (run->scene.pictures || run->scene.animation))
        status = run_folder_sub(run, "pictures");
    return status;
}

// The set as it is now; centres inside the box on periodic axes.
static scree_status fill(scree_run* run, const scree_sim_contacts* contacts)
{
    scree_sphere_set* set = &run->set;
    const scree_sim_values columns[] = {{"x", set->x}, {"v", run->velocity->values}, {"a", run->force->values}};
    scree_status status = scree_sim_get_state(run->sim, &(scree_sim_state){.column_count = 3, .columns = columns});
    if (status != SCREE_OK)
        return status;
    set->box = scree_sim_box(run->sim);
    const double* density = run->each.each.material_density;
    for (int32_t i = 0; i < set->count; ++i) {
        double unit = (density != NULL ? density[i] : run->each.material_density) * (set->dim == 2 ? 1.0 : 4.0 / 3.0) * 3.14159265358979323846;
        double mass = unit * (set->dim == 2 ? set->r[i] * set->r[i] : set->r[i] * set->r[i] * set->r[i]);
        for (int k = 0; k < set->dim; ++k) {
            int64_t e = (int64_t)i * set->dim + k;
            set->x[e] = scree_box_wrap(&set->box, k, set->x[e], NULL);
            run->force->values[e] *= mass;
        }
        run->contacts->integers[i] = 0;
    }
    for (int64_t c = 0; c < contacts->count; ++c) {
        ++run->contacts->integers[contacts->ij[c][0]];
        if (contacts->ij[c][1] >= 0)
            ++run->contacts->integers[contacts->ij[c][1]];
    }
    return visit_columns(run, true);
}

scree_status run_frame_fill(scree_run* run)
{
    scree_sim_contacts contacts;
    scree_status status = scree_sim_get_contacts(run->sim, &contacts);
    return status == SCREE_OK ? fill(run, &contacts) : status;
}

static scree_status write_contacts(const scree_run* run, const scree_sim_contacts* contacts)
{
    enum { columns = 12, labels = 4 };
    static const char* const names[columns] = {"i", "j", "overlap", "nx", "ny", "nz", "fx", "fy", "fz", "sx", "sy", "sz"};
    static const char* const label_names[labels] = {"group_i", "group_j", "material_i", "material_j"};
    const uint16_t* label[labels / 2] = {run->each.each.group, run->each.each.material};
    int64_t n = contacts->count;
    double* values = scree_malloc((size_t)n * 7 + 1, sizeof *values);
    int64_t* integers = scree_malloc((size_t)n * (5 + labels) + 1, sizeof *integers);
    if (values == NULL || integers == NULL) {
        scree_free(values);
        scree_free(integers);
        return SCREE_ERR_MEMORY;
    }
    for (int64_t c = 0; c < n; ++c) {
        values[c] = contacts->overlap[c];
        for (int k = 0; k < 3; ++k) {
            values[(1 + k) * n + c] = contacts->normal[c][k];
            values[(4 + k) * n + c] = contacts->force[c][k];
            integers[(2 + k) * n + c] = contacts->shift != NULL ? contacts->shift[c][k] : 0;
        }
        integers[c] = contacts->ij[c][0];
        integers[n + c] = contacts->ij[c][1];
    }
    scree_table_column table[columns + labels];
    int32_t used = contacts->shift != NULL ? columns : 9;
    for (int k = 0; k < used; ++k)
        table[k] = (scree_table_column){.name = names[k],
                                        .values = k >= 2 && k < 9 ? values + (k - 2) * n : NULL,
                                        .integers = k < 2 ? integers + k * n : k >= 9 ? integers + (k - 7) * n : NULL};
    for (int k = 0; k < labels; ++k) {  // where there are several groups or materials; -1 of walls
        int64_t* to = integers + (5 + k) * n;
        for (int64_t c = 0; c < n && label[k / 2] != NULL; ++c)
            to[c] = contacts->ij[c][k % 2] >= 0 ? label[k / 2][contacts->ij[c][k % 2]] : -1;
        if (label[k / 2] != NULL)
            table[used++] = (scree_table_column){.name = label_names[k], .integers = to};
    }
    char path[4096];
    scree_status status = run_path(run, path, sizeof path, "contacts/contacts_%06" PRId64 ".csv", run->frames);
    if (status == SCREE_OK)
        status = scree_write_table(path, NULL, n, used, table);
    scree_free(values);
    scree_free(integers);
    return status;
}

// ---- Pictures ------------------------------------------------------------------------------------------------------------

// Along an axis without walls: what the spheres or bodies reach at the start.
static scree_status find_extent(scree_run* run, int axis, double out[2])
{
    scree_outlines bodies = {0};
    scree_status status = run_has_bodies(run) ? scree_polygon_sim_get_outlines(run->polygons, &bodies) : SCREE_OK;
    if (status != SCREE_OK)
        return status;
    out[0] = INFINITY;
    out[1] = -INFINITY;
    for (int64_t i = 0; i < run_sim_count(run); ++i) {
        double x = run_has_bodies(run) ? bodies.centre[i][axis] : run->set.x[i * run->set.dim + axis];
        double r = run_has_bodies(run) ? bodies.radius[i] : run->set.r[i];
        out[0] = fmin(out[0], x - r);
        out[1] = fmax(out[1], x + r);
    }
    return SCREE_OK;
}

// One camera for the whole run: from wall to wall, as far as walls get on their way; along periodic axes the box and a radius, since spheres stick out of it;
// along open axes the extent at the start. Checkpoints keep it, so that a resumed run looks from the same place.
scree_status run_find_view(scree_run* run, const scree_scene* scene)
{
    const scree_box* box = &run->set_box;
    double length = run_sim_length(run);
    double most = run_has_bodies(run) ? scree_polygon_sim_get_numbers(run->polygons).radius_most : scree_sim_get_numbers(run->sim).radius_most;
    for (int k = 0; k < box->dim; ++k)
        for (int side = 0; side < 2; ++side) {
            double at = side == 0 ? box->lower[k] : box->upper[k], extent[2];
            if (isinf(at)) {
                scree_status status = find_extent(run, k, extent);
                if (status != SCREE_OK)
                    return status;
                run->view[k][side] = extent[side];
                continue;
            }
            double farthest = at, time = 0.0, velocity = scene->sim.wall_velocity[k][side];
            for (int64_t c = 0; c <= scene->change_count; ++c) {
                double until = c < scene->change_count ? fmin(scene->changes[c].at, (double)run->steps * length) : (double)run->steps * length;
                at += velocity * (until - time);
                farthest = side == 0 ? fmin(farthest, at) : fmax(farthest, at);
                velocity = c < scene->change_count && scene->changes[c].sets_walls ? scene->changes[c].wall_velocity[k][side] : velocity;
                time = until;
            }
            if (box->periodic[k])
                farthest += side == 0 ? -most : most;
            run->view[k][side] = farthest;
        }
    for (int k = 0; k < box->dim; ++k)
        if (!(run->view[k][0] < run->view[k][1] && fabs(run->view[k][0]) <= SCREE_LENGTH_MAX && fabs(run->view[k][1]) <= SCREE_LENGTH_MAX))
            run->view[k][0] = run->view[k][1] = NAN;  // nothing to look at
    return SCREE_OK;
}

static scree_picture_def picture_of(const scree_run* run)
{
    scree_picture_def def = scree_default_picture_def();
    def.width = 1280;
    def.height = 960;
    def.threads = run->def.threads;
    memcpy(def.view, run->view, sizeof def.view);
    return def;
}

static scree_status draw(scree_run* run)
{
    scree_picture_def def = picture_of(run);
    char path[4096];
    scree_status status = run_path(run, path, sizeof path, "pictures/picture_%06" PRId64 ".png", run->frames);
    return status == SCREE_OK ? scree_picture_write(path, &run->set, &def) : status;
}

scree_status run_frames_list(const scree_run* run)
{
    if ((run->scene.formats & SCREE_FORMAT_BIT(SCREE_FORMAT_VTP)) == 0)
        return SCREE_OK;
    enum { room = 40 };
    double* times = scree_malloc((size_t)run->frames + 1, sizeof *times);
    const char** files = scree_malloc((size_t)run->frames + 1, sizeof *files);
    char(*names)[room] = scree_malloc((size_t)run->frames + 1, sizeof *names);
    scree_status status = times == NULL || files == NULL || names == NULL ? SCREE_ERR_MEMORY : SCREE_OK;
    double step = run_sim_length(run);
    for (int64_t f = 0; f < run->frames && status == SCREE_OK; ++f) {
        times[f] = (double)run_frame_step(run, f) * step;
        snprintf(names[f], room, "frames/frame_%06" PRId64 ".vtp", f);
        files[f] = names[f];
    }
    char path[4096];
    if (status == SCREE_OK)
        status = run_path(run, path, sizeof path, "frames.pvd");
    if (status == SCREE_OK)
        status = scree_write_pvd(path, run->frames, times, files);
    scree_free(times);
    scree_free(files);
    scree_free(names);
    return status;
}

// ---- Bodies --------------------------------------------------------------------------------------------------------------

// One row per contact; kinds as scree_contact_kind has them, the point where the force acts on i.
static scree_status write_body_contacts(const scree_run* run, const scree_contacts_list* list)
{
    enum { whole = 6, real = 8, columns = whole + real };
    static const char* const names[columns] = {"i", "j", "kind", "feature", "sx", "sy", "depth", "nx", "ny", "fx", "fy", "px", "py", "energy"};
    int64_t n = list->count;
    double* values = scree_malloc((size_t)n * real + 1, sizeof *values);
    int64_t* integers = scree_malloc((size_t)n * whole + 1, sizeof *integers);
    if (values == NULL || integers == NULL) {
        scree_free(values);
        scree_free(integers);
        return SCREE_ERR_MEMORY;
    }
    for (int64_t c = 0; c < n; ++c) {
        const scree_contact* from = &list->contacts[c];
        const int64_t ints[whole] = {from->i, from->j, from->kind, from->feature, from->shift[0], from->shift[1]};
        const double reals[real] = {from->depth,    from->normal[0], from->normal[1], from->force[0],
                                    from->force[1], from->point[0],  from->point[1],  from->energy};
        for (int k = 0; k < whole; ++k)
            integers[k * n + c] = ints[k];
        for (int k = 0; k < real; ++k)
            values[k * n + c] = reals[k];
    }
    scree_table_column table[columns];
    for (int k = 0; k < columns; ++k)
        table[k] = (scree_table_column){.name = names[k],
                                        .values = k < whole ? NULL : values + (k - whole) * n,
                                        .integers = k < whole ? integers + k * n : NULL};
    char path[4096];
    scree_status status = run_path(run, path, sizeof path, "contacts/contacts_%06" PRId64 ".csv", run->frames);
    if (status == SCREE_OK)
        status = scree_write_table(path, NULL, n, columns, table);
    scree_free(values);
    scree_free(integers);
    return status;
}

static scree_status draw_bodies(const scree_run* run, const scree_outline_set* set)
{
    scree_picture_def def = picture_of(run);
    char path[4096];
    scree_status status = run_path(run, path, sizeof path, "pictures/picture_%06" PRId64 ".png", run->frames);
    return status == SCREE_OK ? scree_picture_outlines(path, set, &def) : status;
}

// The outlines as they stand, as VTP (the scene refuses other formats), and contacts and a picture beside them.
static scree_status write_bodies(scree_run* run)
{
    scree_contacts_list list;
    scree_outline_set set;
    char path[4096];
    scree_status status = scree_outline_set_take(run->polygons, &set);
    if (status != SCREE_OK)
        return status;
    if ((run->scene.formats & SCREE_FORMAT_BIT(SCREE_FORMAT_VTP)) != 0) {
        status = run_path(run, path, sizeof path, "frames/frame_%06" PRId64 ".vtp", run->frames);
        scree_file_options options = scree_default_file_options();
        options.format = SCREE_FORMAT_VTP;
        if (status == SCREE_OK)
            status = scree_write_outlines(path, &options, &set);
    }
    if (status == SCREE_OK && run->scene.contacts) {
        status = scree_polygon_sim_get_contacts(run->polygons, &list);
        if (status == SCREE_OK)
            status = write_body_contacts(run, &list);
    }
    if (status == SCREE_OK && (run->scene.pictures || run->scene.animation))
        status = draw_bodies(run, &set);
    scree_outline_set_free(&set);
    return status;
}

// ---- All -----------------------------------------------------------------------------------------------------------------

static scree_status write_spheres(scree_run* run)
{
    scree_sim_contacts contacts;
    scree_status status = scree_sim_get_contacts(run->sim, &contacts);
    if (status == SCREE_OK)
        status = fill(run, &contacts);
    for (int f = 0; f < SCREE_FORMAT_COUNT && status == SCREE_OK; ++f) {
        if ((run->scene.formats & SCREE_FORMAT_BIT(f)) == 0)
            continue;
        const char* ending = f == SCREE_FORMAT_LAMMPS ? "lmp" : scree_format_name((scree_format)f);
        char path[4096];
        scree_file_options options = scree_default_file_options();
        options.format = f;
        status = run_path(run, path, sizeof path, "frames/frame_%06" PRId64 ".%s", run->frames, ending);
        if (status == SCREE_OK)
            status = scree_write_spheres(path, &options, &run->set);
    }
    if (status == SCREE_OK && run->scene.contacts)
        status = write_contacts(run, &contacts);
    if (status == SCREE_OK && (run->scene.pictures || run->scene.animation))
        status = draw(run);
    return status;
}

scree_status run_frame_draw(scree_run* run)
{
    if (!run_has_bodies(run))
        return draw(run);
    scree_outline_set set;
    scree_status status = scree_outline_set_take(run->polygons, &set);
    if (status != SCREE_OK)
        return status;
    status = draw_bodies(run, &set);
    scree_outline_set_free(&set);
    return status;
}

scree_status run_frame_write(scree_run* run)
{
    scree_status status = run_has_bodies(run) ? write_bodies(run) : write_spheres(run);
    if (status == SCREE_OK) {
        ++run->frames;
        status = run_frames_list(run);
    }
    return status;
}
