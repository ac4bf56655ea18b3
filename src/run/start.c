// The spheres that a scene begins with: from a file, or drawn from a law of sizes and placed.
#include "scree/run.h"

#include "scree/files.h"
#include "scree/pack.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

// ---- The box -----------------------------------------------------------------------------------------------------------

static bool has_size(const scree_scene* scene)
{
    return scene->box_size[0] > 0.0;
}

// Sides that are to each other as the scene says, with the volume for its density.
static scree_status make_box(const scree_scene* scene, scree_sphere_set* set)
{
    double volume = scree_spheres_volume(scree_sphere_set_view(set)) / scene->density, shape = 1.0, size[3] = {0.0, 0.0, 0.0};
    for (int k = 0; k < set->dim; ++k)
        shape *= scene->box_aspect[k] > 0.0 ? scene->box_aspect[k] : 1.0;
    for (int k = 0; k < set->dim; ++k)
        size[k] = pow(volume / shape, 1.0 / set->dim) * (scene->box_aspect[k] > 0.0 ? scene->box_aspect[k] : 1.0);
    set->box = scree_box_sized(set->dim, size);
    for (int k = 0; k < set->dim; ++k) {
        set->box.lower[k] += scene->box_origin[k];
        set->box.upper[k] += scene->box_origin[k];
        set->box.periodic[k] = scene->box_periodic[k];
    }
    set->has_box = true;
    return scree_box_check(&set->box);
}

// ---- From a file ---------------------------------------------------------------------------------------------------------

static scree_status read_spheres(const scree_scene* scene, scree_watch watch, scree_sphere_set* set)
{
    scree_file_options options = scree_default_file_options();
    options.watch = watch;
    scree_status status = scree_read_spheres(scene->file_path, &options, set);
    if (status != SCREE_OK)
        return status;
    if (set->dim != scene->sim.box.dim)
        return scree_fail(SCREE_ERR_ARGUMENT, "%s: its spheres have %d dimensions, the scene has %d", scene->file_path, (int)set->dim,
                          (int)scene->sim.box.dim);
    if (has_size(scene)) {
        set->box = scene->sim.box;
        set->has_box = true;
    } else if (!set->has_box) {
        return scree_fail(SCREE_ERR_ARGUMENT, "%s says no box; the scene needs box.size", scene->file_path);
    } else {
        bool any = scene->box_periodic[0] || scene->box_periodic[1] || scene->box_periodic[2];
        for (int k = 0; k < set->dim && any; ++k)
            set->box.periodic[k] = scene->box_periodic[k];
    }
    return SCREE_OK;
}

// ---- Made -----------------------------------------------------------------------------------------------------------------

static scree_status make_spheres(const scree_scene* scene, scree_watch watch, scree_sphere_set* set)
{
    scree_sizes* sizes = NULL;
    scree_status status = scree_sizes_read(scene->sizes_text, scene->sim.box.dim, &sizes);
    if (status == SCREE_OK)
        status = scree_sphere_set_make(scene->sim.box.dim, scene->count, set);
    if (status == SCREE_OK)
        status = scree_sizes_draw(sizes, (scree_sampling)scene->sampling, scene->seed, scene->count, set->r);
    scree_sizes_free(sizes);
    if (status != SCREE_OK)
        return status;
    if (has_size(scene)) {
        set->box = scene->sim.box;
        set->has_box = true;
    } else {
        status = make_box(scene, set);
    }
    scree_place_def def = scree_default_place_def();
    def.box = set->box;
    def.seed = scene->seed;
    def.watch = watch;
    if (status == SCREE_OK && scene->place == SCREE_PLACE_LATTICE)
        status = scree_place_lattice(&def, scene->spacing, set->count, set->r, set->x);
    else if (status == SCREE_OK && scene->place == SCREE_PLACE_RANDOM)
        status = scree_place_random(&def, set->count, set->r, set->x);
    else if (status == SCREE_OK)
        status = scree_fail(SCREE_ERR_UNSUPPORTED, "spheres.place: grow is not in this version yet; random and lattice are");
    return status;
}

// ---- Velocities -------------------------------------------------------------------------------------------------------------

static const scree_column* find_velocity(const scree_sphere_set* set)
{
    static const char* const names[] = {"velocity", "v", "vel"};
    for (size_t k = 0; k < sizeof names / sizeof *names; ++k) {
        const scree_column* column = scree_sphere_set_find(set, names[k]);
        if (column != NULL && column->kind != SCREE_COLUMN_TEXT && column->components >= set->dim)
            return column;
    }
    return NULL;
}

// Into v, dim numbers per sphere. `stiffness` serves the 1 % rule and is found by the simulation's own rules.
static scree_status find_velocities(const scree_scene* scene, const scree_sphere_set* set, double* v)
{
    int64_t n = set->count, dim = set->dim;
    if (scene->start == SCREE_START_FILE) {
        const scree_column* column = find_velocity(set);
        if (column == NULL)
            return scree_fail(SCREE_ERR_ARGUMENT, "spheres.velocity is file, and %s has no vector of numbers named velocity, v or vel",
                              scene->file_path != NULL ? scene->file_path : "the scene");
        for (int64_t i = 0; i < n; ++i)
            for (int64_t k = 0; k < dim; ++k)
                v[i * dim + k] = column->kind == SCREE_COLUMN_DOUBLE ? column->values[i * column->components + k]
                                                                     : (double)column->integers[i * column->components + k];
        return SCREE_OK;
    }
    if (scene->start == SCREE_START_THERMAL) {
        scree_sim_numbers numbers;
        scree_sim_def sim = scene->sim;
        sim.box = set->box;
        scree_status status = scree_sim_find_numbers(&sim, scree_sphere_set_view(set), &numbers);
        if (status != SCREE_OK)
            return status;
        scree_thermal_def def = scree_default_thermal_def();
        def.temperature = scene->temperature;
        def.overlap = scene->overlap;
        def.stiffness = numbers.stiffness;
        def.material_density = scene->sim.material_density;
        def.seed = scene->seed;
        return scree_thermal_velocities(&def, scree_sphere_set_view(set), v);
    }
    for (int64_t i = 0; i < n; ++i)
        for (int64_t k = 0; k < dim; ++k)
            v[i * dim + k] = scene->start == SCREE_START_GIVEN ? scene->velocity[k] : 0.0;
    return SCREE_OK;
}

static scree_status add_velocities(const scree_scene* scene, scree_sphere_set* set)
{
    double* v = scree_calloc((size_t)set->count * (size_t)set->dim, sizeof *v);
    if (v == NULL)
        return SCREE_ERR_MEMORY;
    scree_status status = find_velocities(scene, set, v);
    // What the file had under this name, whatever it was, is replaced by what holds.
    scree_column* column = NULL;
    for (int32_t c = 0; c < set->column_count; ++c)
        if (strcmp(set->columns[c].name, "velocity") == 0)
            column = &set->columns[c];
    if (status == SCREE_OK && column == NULL)
        status = scree_sphere_set_add(set, "velocity", SCREE_COLUMN_DOUBLE, set->dim, &column);
    if (status != SCREE_OK) {
        scree_free(v);
        return status;
    }
    scree_free(column->values);
    scree_free(column->integers);
    scree_free(column->text);
    scree_free(column->offset);
    *column = (scree_column){.name = column->name, .kind = SCREE_COLUMN_DOUBLE, .components = set->dim, .values = v};
    return SCREE_OK;
}

scree_status scree_scene_spheres(const scree_scene* scene, scree_watch watch, scree_sphere_set* out)
{
    scree_sphere_set set = {0};
    scree_status status = scene->file_path != NULL ? read_spheres(scene, watch, &set) : make_spheres(scene, watch, &set);
    if (status == SCREE_OK)
        status = add_velocities(scene, &set);
    if (status != SCREE_OK) {
        scree_sphere_set_free(&set);
        return status;
    }
    *out = set;
    return SCREE_OK;
}
