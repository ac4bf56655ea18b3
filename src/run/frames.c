// Frames: the spheres at one step with velocity, force and number of contacts, and spin and torque if they rotate, in every format of the scene; contacts as
// data and pictures beside them. A frame depends on the step alone, so a resumed run writes the same frames again.
#include "run/run_inner.h"

#include "base/pi.h"

#include "files/pvtp.h"
#include "files/system.h"
#include "scene/place.h"
#include "scree/files.h"
#include "scree/outlines.h"
#include "scree/par.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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

// Several processes share the simulation (scree/par.h): what frames show is here only while somebody looks at it.
static bool is_shared(void)
{
    return scree_par_get_shared() != NULL;
}

static void drop_values(scree_column* column)
{
    scree_free(column->values);
    scree_free(column->integers);
    column->values = NULL;
    column->integers = NULL;
}

scree_status run_add_columns(scree_run* run, const scree_scene* scene)
{
    scree_column* added;
    const char* spin = run->set.dim == 2 ? "spin_z" : "spin";
    scree_status status = scree_scene_make_each(scene, &run->set, &run->each);
    if (status == SCREE_OK && scree_scene_turns(scene) && scree_sphere_set_find(&run->set, spin) == NULL)  // here, so that columns have one order also after a resume
        status = scree_sphere_set_add(&run->set, spin, SCREE_COLUMN_DOUBLE, run->set.dim == 2 ? 1 : 3, &added);
    if (status == SCREE_OK)
        status = scree_sphere_set_add(&run->set, "force", SCREE_COLUMN_DOUBLE, run->set.dim, &added);
    if (status == SCREE_OK)
        status = scree_sphere_set_add(&run->set, "contacts", SCREE_COLUMN_INT64, 1, &added);
    if (status == SCREE_OK)
        find_columns(run);
    if (status == SCREE_OK && is_shared()) {  // frames make them
        drop_values(run->force);
        drop_values(run->contacts);
    }
    return status;
}

// What turns has three components in the simulation, and in files of two dimensions one, about z.
static bool is_turning(const scree_sim_column* column)
{
    return strcmp(column->name, "w") == 0 || strcmp(column->name, "angular_acceleration") == 0;
}

// The name of a column of the simulation in files; NULL: it is there by another name, or of no interest.
static const char* name_in_files(const scree_run* run, const scree_sim_column* column)
{
    static const char* const known[] = {"x", "v", "radius"};
    for (size_t k = 0; k < sizeof known / sizeof *known; ++k)
        if (strcmp(column->name, known[k]) == 0)
            return NULL;
    if (is_turning(column))
        return strcmp(column->name, "w") == 0 ? (run->set.dim == 2 ? "spin_z" : "spin") : run->set.dim == 2 ? "torque_z" : "torque";
    if (strcmp(column->name, "id") == 0)
        return run_has_flow(run) ? "id" : NULL;
    return (column->uses & SCREE_USE_FRAME) != 0 ? column->name : NULL;
}

// Spheres of which a frame, or a piece of it, is made.
typedef struct frame_rows {
    int64_t first, count;
} frame_rows;

static scree_status get_rows(const scree_run* run, frame_rows rows, const char* name, void* out)
{
    const scree_sim_values one = {.name = name, .data = out};
    return scree_sim_get_rows(run->sim, rows.first, rows.count, 1, &one);
}

// Angular accelerations become torques; spheres that do not turn have none.
static scree_status make_torques(const scree_run* run, frame_rows rows, int32_t components, double* torque)
{
    double* inverse = scree_malloc((size_t)rows.count + 1, sizeof *inverse);
    if (inverse == NULL)
        return SCREE_ERR_MEMORY;
    scree_status status = get_rows(run, rows, "inverse_inertia", inverse);
    for (int64_t e = 0; status == SCREE_OK && e < rows.count * components; ++e)
        torque[e] = inverse[e / components] > 0.0 ? torque[e] / inverse[e / components] : 0.0;
    scree_free(inverse);
    return status;
}

static scree_status copy_turning(const scree_run* run, frame_rows rows, const scree_sim_column* from, const scree_column* to)
{
    double(*values)[3] = scree_malloc((size_t)rows.count + 1, sizeof *values);
    if (values == NULL)
        return SCREE_ERR_MEMORY;
    scree_status status = get_rows(run, rows, from->name, values);
    for (int64_t e = 0; status == SCREE_OK && e < rows.count * to->components; ++e)
        to->values[e] = to->components == 1 ? values[e][2] : values[e / 3][e % 3];
    scree_free(values);
    return status == SCREE_OK && strcmp(from->name, "w") != 0 ? make_torques(run, rows, to->components, to->values) : status;
}

// The values of a column of the simulation, in the types that files have.
static scree_status copy_column(const scree_run* run, frame_rows rows, const scree_sim_column* from, const scree_column* to)
{
    int64_t count = rows.count * from->components;
    if (is_turning(from))
        return copy_turning(run, rows, from, to);
    if (to->kind == SCREE_COLUMN_DOUBLE)
        return get_rows(run, rows, from->name, to->values);
    void* values = scree_malloc((size_t)count + 1, scree_type_size((scree_type)from->type));
    if (values == NULL)
        return SCREE_ERR_MEMORY;
    scree_status status = get_rows(run, rows, from->name, values);
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

// Goes through the columns of the simulation that frames show and that are not there by other names (x, radius and velocity). `changing`: columns of the state;
// else those that were given with the spheres, which are added.
static scree_status visit_columns(scree_run* run, frame_rows rows, bool changing)
{
    enum { most = 64 };
    scree_sim_column columns[most];
    int32_t count = scree_sim_get_columns(run->sim, columns, most);
    scree_status status = SCREE_OK;
    for (int32_t c = 0; c < count && c < most && status == SCREE_OK; ++c) {
        const scree_sim_column* column = &columns[c];
        const char* name = name_in_files(run, column);
        if (name == NULL)
            continue;
        const scree_column* there = scree_sphere_set_find(&run->set, name);
        if (!changing && there == NULL) {
            scree_column* added;
            status = scree_sphere_set_add(&run->set, name, column->type == SCREE_TYPE_FLOAT64 ? SCREE_COLUMN_DOUBLE : SCREE_COLUMN_INT64,
                                          is_turning(column) && run->set.dim == 2 ? 1 : column->components, &added);
            there = added;
        }
        if (status == SCREE_OK && (column->uses & SCREE_USE_STATE) != 0)
            run->moving |= (uint64_t)1 << (there - run->set.columns);
        if (status == SCREE_OK && changing == ((column->uses & SCREE_USE_STATE) != 0))
            status = copy_column(run, rows, column, there);
    }
    return status;
}

scree_status run_add_sim_columns(scree_run* run)
{
    run->moving = 0;
    run->room = run->force->values != NULL ? run->set.count : 0;
    scree_status status = visit_columns(run, (frame_rows){0, run->set.count}, false);
    if (status == SCREE_OK)
        status = run_bonds_add_columns(run);
    if (status == SCREE_OK)
        find_columns(run);
    const scree_column* const filled[] = {run->velocity, run->force, run->contacts};
    for (size_t k = 0; k < sizeof filled / sizeof *filled && status == SCREE_OK; ++k)
        run->moving |= (uint64_t)1 << (filled[k] - run->set.columns);
    return status;
}

static void drop(scree_run* run)
{
    scree_free(run->set.x);
    run->set.x = NULL;
    for (int32_t c = 0; c < run->set.column_count; ++c)
        if ((run->moving >> c & 1) != 0)
            drop_values(&run->set.columns[c]);
    run->room = 0;
}

void run_frame_release(scree_run* run)
{
    if (run->sim != NULL && is_shared())
        drop(run);
}

// Arrays for so many spheres, of the columns that each frame overwrites. MEMORY: there are none
static scree_status reserve(scree_run* run, int32_t rows)
{
    scree_sphere_set* set = &run->set;
    if (run->room >= rows && set->x != NULL)
        return SCREE_OK;
    drop(run);
    set->x = scree_malloc((size_t)rows + 1, (size_t)set->dim * sizeof *set->x);
    bool made = set->x != NULL;
    for (int32_t c = 0; c < set->column_count && made; ++c) {
        scree_column* column = &set->columns[c];
        if ((run->moving >> c & 1) == 0)
            continue;
        void* values = scree_malloc((size_t)rows + 1, (size_t)column->components * sizeof(double));
        made = values != NULL;
        column->values = column->kind == SCREE_COLUMN_DOUBLE ? values : NULL;
        column->integers = column->kind == SCREE_COLUMN_INT64 ? values : NULL;
    }
    if (!made)
        drop(run);
    else
        run->room = rows;
    return made ? SCREE_OK : SCREE_ERR_MEMORY;
}

scree_status run_frames_open(scree_run* run)
{
    scree_status status = run->scene.formats != 0 ? run_folder_sub(run, "frames") : SCREE_OK;
    if (status == SCREE_OK && run->scene.contacts)
        status = run_folder_sub(run, "contacts");
    if (status == SCREE_OK && run->scene.contacts && run_has_bonds(run))
        status = run_folder_sub(run, "bonds");
    if (status == SCREE_OK && run_shapes_are_written(run))
        status = run_folder_sub(run, "surfaces");
    if (status == SCREE_OK && (run->scene.pictures || run->scene.animation))
        status = run_folder_sub(run, "pictures");
    return status;
}

// Some spheres as they are now, in the first rows of the set; centres inside the box on periodic axes.
static scree_status fill(scree_run* run, frame_rows rows)
{
    scree_sphere_set* set = &run->set;
    scree_status status = reserve(run, (int32_t)rows.count);
    if (status != SCREE_OK)
        return status;
    const scree_sim_values columns[] = {{"x", set->x}, {"v", run->velocity->values}, {"a", run->force->values}, {"contacts", run->contacts->integers}};
    status = scree_sim_get_rows(run->sim, rows.first, rows.count, 4, columns);
    if (status != SCREE_OK)
        return status;
    set->box = scree_sim_get_box(run->sim);
    scree_sim_cell_report cell;
    status = scree_sim_get_cell(run->sim, &cell);
    if (status != SCREE_OK)
        return status;
    bool moves = cell.set;
    const double *density = run->each.each.material_density, *r = set->r + rows.first;
    for (int64_t i = 0; i < rows.count; ++i) {
        double unit = (density != NULL ? density[rows.first + i] : run->each.material_density) * (set->dim == 2 ? 1.0 : 4.0 / 3.0) * pi;
        double mass = unit * (set->dim == 2 ? r[i] * r[i] : r[i] * r[i] * r[i]);
        for (int k = 0; k < set->dim; ++k)
            run->force->values[i * set->dim + k] *= mass;
        double turns[3] = {0.0, 0.0, 0.0}, *v = run->velocity->values + i * set->dim;
        scree_box_wrap_centre(&set->box, set->x + i * set->dim, turns);
        for (int k = 0; k < set->dim && moves; ++k)  // as of the image that is shown
            for (int m = k; m < set->dim; ++m)
                v[k] -= turns[m] * (m == k ? cell.velocity[k] : cell.velocity[2 + k + m]);
    }
    status = run_bonds_fill(run);
    return status == SCREE_OK ? visit_columns(run, rows, true) : status;
}

scree_status run_frame_fill(scree_run* run)
{
    return fill(run, (frame_rows){0, run->set.count});
}

// A piece of a frame: columns of motion are overwritten, the given ones are slices of the whole columns.
static scree_status make_piece(void* context, int32_t first, int32_t count, scree_sphere_set* out)
{
    scree_run* run = context;
    scree_status status = fill(run, (frame_rows){first, count});
    if (status == SCREE_OK)
        status = scree_pvtp_cut(&run->set, first, count, out);
    if (status != SCREE_OK)
        return status;
    out->x = run->set.x;
    for (int32_t c = 0; c < out->column_count; ++c)
        if ((run->moving >> c & 1) != 0)
            out->columns[c] = run->set.columns[c];
    return SCREE_OK;
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
    double last = run_time_of(run, run->steps);
    double most = run_has_bodies(run) ? scree_polygon_sim_get_numbers(run->polygons).radius_max : scree_sim_get_numbers(run->sim).radius_max;
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
            double farthest = at, time = 0.0, began = 0.0, velocity = scene->sim.wall_velocity[k][side];
            const scree_scene_load* load = run_wall_load(scene, -1, 2 * k + side);
            for (int64_t c = 0; c <= scene->change_count; ++c) {
                double until = c < scene->change_count ? fmin(scene->changes[c].due, last) : last;
                enum { looks = 256 };
                for (int look = 1; look < looks && load != NULL; ++look) {
                    double there = at + run_wall_way(load, time - began + (until - time) * look / looks) - run_wall_way(load, time - began);
                    farthest = side == 0 ? fmin(farthest, there) : fmax(farthest, there);
                }
                at += load != NULL ? run_wall_way(load, until - began) - run_wall_way(load, time - began) : velocity * (until - time);
                farthest = side == 0 ? fmin(farthest, at) : fmax(farthest, at);
                time = until;
                if (c == scene->change_count)
                    break;
                const scree_scene_load* next = run_wall_load(scene, c, 2 * k + side);
                if (scree_scene_names_wall(&scene->changes[c], k)) {
                    velocity = scene->changes[c].wall_velocity[k][side];
                    load = NULL;
                }
                began = next != NULL ? time : began;
                load = next != NULL ? next : load;
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

scree_status run_check_drawing(const scree_run* run, const scree_scene* scene)
{
    if ((!scene->pictures && !scene->animation) || run->def.draw != NULL)
        return SCREE_OK;
    return scree_scene_fail_at(scene, SCREE_ERR_UNSUPPORTED, scene->pictures ? "output.pictures" : "output.animation", -1,
                               "true, but scree_run_def.draw is NULL; expected scree_draw_frame (scree/report.h)");
}

// The picture of this frame, by the function that the caller gave.
static scree_status draw_frame(const scree_run* run, scree_run_frame frame)
{
    char path[4096];
    scree_triangles surfaces;
    scree_status status = run_shapes_triangles(run, &surfaces, NULL);
    if (status == SCREE_OK)
        status = run_path(run, path, sizeof path, "pictures/picture_%06" PRId64 ".png", run->frames);
    if (status == SCREE_OK) {
        frame.path = path;
        frame.surfaces = &surfaces;
        frame.threads = run->def.threads;
        memcpy(frame.view, run->view, sizeof frame.view);
        status = run->def.draw(&frame);
    }
    scree_triangles_free(&surfaces);
    return status;
}

// A list for ParaView of the VTP files that all frames have in one of the folders.
static scree_status list_files(const scree_run* run, const char* list, const char* sub, const char* name)
{
    enum { room = 64 };
    double* times = scree_malloc((size_t)run->frames + 1, sizeof *times);
    const char** files = scree_malloc((size_t)run->frames + 1, sizeof *files);
    char(*names)[room] = scree_malloc((size_t)run->frames + 1, sizeof *names);
    scree_status status = times == NULL || files == NULL || names == NULL ? SCREE_ERR_MEMORY : SCREE_OK;
    for (int64_t f = 0; f < run->frames && status == SCREE_OK; ++f) {
        times[f] = run_time_of(run, run_frame_step(run, f));
        char pieces[4096];
        snprintf(names[f], room, "%s/%s_%06" PRId64 ".pvtp", sub, name, f);
        if (run_path(run, pieces, sizeof pieces, "%s", names[f]) != SCREE_OK || access(pieces, F_OK) != 0)
            snprintf(names[f], room, "%s/%s_%06" PRId64 ".vtp", sub, name, f);
        files[f] = names[f];
    }
    char path[4096];
    if (status == SCREE_OK)
        status = run_path(run, path, sizeof path, "%s", list);
    if (status == SCREE_OK)
        status = scree_write_pvd(path, run->frames, times, files);
    scree_free(times);
    scree_free(files);
    scree_free(names);
    return status;
}

scree_status run_frames_list(const scree_run* run)
{
    if ((run->scene.formats & SCREE_FORMAT_BIT(SCREE_FORMAT_VTP)) == 0)
        return SCREE_OK;
    scree_status status = list_files(run, "frames.pvd", "frames", "frame");
    if (status == SCREE_OK && run->scene.contacts)
        status = list_files(run, "contacts.pvd", "contacts", "contacts");
    if (status == SCREE_OK && run_shapes_are_written(run))
        status = list_files(run, "surfaces.pvd", "surfaces", "surfaces");
    return status == SCREE_OK && run->scene.contacts && run_has_bonds(run) ? list_files(run, "bonds.pvd", "bonds", "bonds") : status;
}

// Files of earlier frames that are not there any more. The run goes on without them, and says so.
typedef struct lost {
    int64_t count;
    char first[64];
} lost;

static void look_for(const scree_run* run, const char* name, lost* l)
{
    char path[4096];
    struct stat what;
    bool whole = run_path(run, path, sizeof path, "%s", name) == SCREE_OK && stat(path, &what) == 0 && S_ISREG(what.st_mode) && what.st_size > 0;
    if (!whole && l->count == 0)
        snprintf(l->first, sizeof l->first, "%s", name);
    l->count += !whole;
}

#if defined(__GNUC__)
__attribute__((format(printf, 4, 5)))
#endif
static void look_for_one(const scree_run* run, lost* l, int64_t frame, const char* format, ...)
{
    char name[64], stem[32];
    va_list list;
    va_start(list, format);
    vsnprintf(stem, sizeof stem, format, list);
    va_end(list);
    const char* dot = strrchr(stem, '.');
    snprintf(name, sizeof name, "%.*s_%06" PRId64 "%s", (int)(dot - stem), stem, frame, dot);
    look_for(run, name, l);
}

// Of a frame in pieces, the list of them, which was written last.
static void look_for_spheres(const scree_run* run, int64_t frame, const char* ending, lost* l)
{
    char path[4096];
    bool pieces = strcmp(ending, "vtp") == 0 && run_path(run, path, sizeof path, "frames/frame_%06" PRId64 ".pvtp", frame) == SCREE_OK && access(path, F_OK) == 0;
    look_for_one(run, l, frame, "frames/frame.%s", pieces ? "pvtp" : ending);
}

scree_status run_frames_check(scree_run* run)
{
    const scree_scene* scene = &run->scene;
    const bool vtp = (scene->formats & SCREE_FORMAT_BIT(SCREE_FORMAT_VTP)) != 0;
    lost l = {.count = 0};
    scree_watch watch = run_slow_watch(run, "looking for frames");
    for (int64_t frame = 0; frame < run->frames; ++frame) {
        if (frame % 1024 == 0) {
            scree_status status = scree_watch_ask(watch, (double)frame / (double)run->frames, run->folder, "looking for frames");
            if (status != SCREE_OK)
                return status;
        }
        for (int f = 0; f < SCREE_FORMAT_COUNT; ++f)
            if ((scene->formats & SCREE_FORMAT_BIT(f)) != 0)
                look_for_spheres(run, frame, f == SCREE_FORMAT_LAMMPS ? "lmp" : scree_format_name((scree_format)f), &l);
        for (int k = 0; k < 1 + vtp && scene->contacts; ++k) {
            const char* ending = k == 0 ? "csv" : "vtp";
            look_for_one(run, &l, frame, "contacts/contacts.%s", ending);
            if (run_has_bonds(run))
                look_for_one(run, &l, frame, "bonds/bonds.%s", ending);
        }
        if (run_shapes_are_written(run))
            look_for_one(run, &l, frame, "surfaces/surfaces.vtp");
        if (scene->pictures || scene->animation)
            look_for_one(run, &l, frame, "pictures/picture.png");
    }
    char text[4096 + 256];
    snprintf(text, sizeof text, "%s: %" PRId64 " %s of earlier frames %s missing or empty, the first is %s; the run continues without %s", run->folder, l.count, l.count == 1 ? "file" : "files",
             l.count == 1 ? "is" : "are", l.first, l.count == 1 ? "it" : "them");
    if (l.count > 0)
        run_add_note(run, text);
    return SCREE_OK;
}

// ---- Bodies --------------------------------------------------------------------------------------------------------------

// Where there are several, as of spheres.
static scree_status add_materials(const scree_run* run, scree_sphere_set* bodies)
{
    scree_column* material;
    if (run->scene.material_count < 2)
        return SCREE_OK;
    scree_status status = scree_sphere_set_add(bodies, "material", SCREE_COLUMN_INT64, 1, &material);
    for (int32_t i = 0; i < bodies->count && status == SCREE_OK; ++i)
        material->integers[i] = run->bodies.bodies[i].material;
    return status;
}

// The outlines as they stand, as VTP (the scene rejects other formats), and contacts and a picture beside them.
static scree_status write_bodies(scree_run* run)
{
    scree_polygon_contacts list;
    scree_outline_set set;
    char path[4096];
    scree_status status = scree_outline_set_copy(run->polygons, &set);
    if (status == SCREE_OK)
        status = add_materials(run, &set.bodies);
    if (status != SCREE_OK) {
        scree_outline_set_free(&set);
        return status;
    }
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
            status = run_body_contacts_write(run, &list, &set.bodies);
    }
    if (status == SCREE_OK && (run->scene.pictures || run->scene.animation))
        status = draw_frame(run, (scree_run_frame){.outlines = &set});
    scree_outline_set_free(&set);
    return status;
}

// ---- All -----------------------------------------------------------------------------------------------------------------

// LAMMPS has a place for densities, which the other formats leave to the scene.
static scree_status write_with_densities(const scree_run* run, const char* path, const scree_file_options* options)
{
    static char name[] = "material_density";
    scree_sphere_set set = run->set;
    size_t count = (size_t)set.count, columns = (size_t)set.column_count;
    const double* own = run->each.each.material_density;
    double* density = scree_malloc(count, sizeof *density);
    set.columns = scree_malloc(columns + 1, sizeof *set.columns);
    scree_status status = density != NULL && set.columns != NULL ? SCREE_OK : SCREE_ERR_MEMORY;
    for (size_t i = 0; i < count && status == SCREE_OK; ++i)
        density[i] = own != NULL ? own[i] : run->each.material_density;
    if (status == SCREE_OK) {
        memcpy(set.columns, run->set.columns, columns * sizeof *set.columns);
        set.columns[set.column_count++] = (scree_column){.name = name, .kind = SCREE_COLUMN_DOUBLE, .components = 1, .values = density};
        status = scree_write_spheres(path, options, &set);
    }
    scree_free(set.columns);
    scree_free(density);
    return status;
}

// LAMMPS has places for spins and materials, under its own names; its types count from 1 on.
static scree_status write_as_lammps(scree_run* run, const char* path, const scree_file_options* options)
{
    static char omega[] = "omega", type[] = "type";
    const char* const ours[2] = {run->set.dim == 2 ? "spin_z" : "spin", "material"};
    char *const theirs[2] = {omega, type}, *names[2] = {NULL, NULL};
    scree_column* columns[2] = {NULL, NULL};
    for (int32_t c = 0; c < run->set.column_count; ++c)
        for (int k = 0; k < 2; ++k)
            if (strcmp(run->set.columns[c].name, ours[k]) == 0)
                columns[k] = &run->set.columns[c];
    for (int k = 0; k < 2; ++k)
        if (columns[k] != NULL) {
            names[k] = columns[k]->name;
            columns[k]->name = theirs[k];
        }
    scree_column* id = NULL;  // atoms count from 1 on
    for (int32_t c = 0; c < run->set.column_count; ++c)
        id = strcmp(run->set.columns[c].name, "id") == 0 ? &run->set.columns[c] : id;
    for (int32_t i = 0; i < run->set.count && columns[1] != NULL; ++i)
        ++columns[1]->integers[i];
    for (int32_t i = 0; i < run->set.count && id != NULL; ++i)
        ++id->integers[i];
    scree_status status = write_with_densities(run, path, options);
    for (int32_t i = 0; i < run->set.count && columns[1] != NULL; ++i)
        --columns[1]->integers[i];
    for (int32_t i = 0; i < run->set.count && id != NULL; ++i)
        --id->integers[i];
    for (int k = 0; k < 2; ++k)
        if (columns[k] != NULL)
            columns[k]->name = names[k];
    return status;
}

// Spheres that a file of VTP has at most; more become pieces. The variable is for tests.
static int32_t piece_most(void)
{
    const char* given = getenv("SCREE_TEST_PIECE");
    long most = given != NULL ? strtol(given, NULL, 10) : 0;
    return most > 0 && most < INT32_MAX ? (int32_t)most : 10000000;
}

static scree_status write_format(scree_run* run, int f, bool pieces)
{
    const char* ending = f == SCREE_FORMAT_LAMMPS ? "lmp" : pieces ? "pvtp" : scree_format_name((scree_format)f);
    char path[4096];
    scree_file_options options = scree_default_file_options();
    options.format = f;
    scree_status status = run_path(run, path, sizeof path, "frames/frame_%06" PRId64 ".%s", run->frames, ending);
    if (status != SCREE_OK)
        return status;
    if (pieces)
        return scree_pvtp_write(path, &options, run->set.count, piece_most(), make_piece, run);
    return f == SCREE_FORMAT_LAMMPS ? write_as_lammps(run, path, &options) : scree_write_spheres(path, &options, &run->set);
}

// Pieces first, since these are filled one by one; then what needs all spheres.
static scree_status write_spheres(scree_run* run)
{
    scree_sim_contacts contacts = {0};
    const uint32_t vtp = SCREE_FORMAT_BIT(SCREE_FORMAT_VTP);
    bool shown = run->scene.contacts || run_shapes_are_written(run), drawn = run->scene.pictures || run->scene.animation;
    bool pieces = (run->scene.formats & vtp) != 0 && run->folder != NULL && run->set.count > piece_most();
    uint32_t others = pieces ? run->scene.formats & ~vtp : run->scene.formats;
    scree_status status = pieces ? write_format(run, SCREE_FORMAT_VTP, true) : SCREE_OK;
    if (status == SCREE_OK && (!pieces || others != 0 || shown || drawn))
        status = run_frame_fill(run);
    if (status == SCREE_OK && shown)
        status = scree_sim_get_contacts(run->sim, &contacts);
    for (int f = 0; f < SCREE_FORMAT_COUNT && status == SCREE_OK; ++f)
        if ((others & SCREE_FORMAT_BIT(f)) != 0)
            status = write_format(run, f, false);
    if (status == SCREE_OK && run->scene.contacts)
        status = run_contacts_write(run, &contacts, (run_memory){contacts.words, contacts.memory});
    if (status == SCREE_OK && run->scene.contacts && run_has_bonds(run))
        status = run_bonds_write(run);
    if (status == SCREE_OK && run_shapes_are_written(run))
        status = run_shapes_write(run, &contacts);
    if (status == SCREE_OK && drawn)
        status = draw_frame(run, (scree_run_frame){.spheres = &run->set});
    run_frame_release(run);
    return status;
}

scree_status run_frame_draw(scree_run* run)
{
    if (!run_has_bodies(run))
        return draw_frame(run, (scree_run_frame){.spheres = &run->set});
    scree_outline_set set;
    scree_status status = scree_outline_set_copy(run->polygons, &set);
    if (status != SCREE_OK)
        return status;
    status = draw_frame(run, (scree_run_frame){.outlines = &set});
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
