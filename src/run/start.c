// The spheres that a scene begins with: from a file, or drawn from a law of sizes and placed.
#include "run/run_inner.h"

#include "base/argument.h"
#include "files/scene_place.h"
#include "scree/event.h"
#include "scree/files.h"
#include "scree/pack.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
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
        return scree_scene_told_at(scene, status, "spheres.file", -1);
    if (set->dim != scene->sim.box.dim)
        return scree_scene_fail_at(scene, SCREE_ERR_ARGUMENT, "spheres.file", -1, "%s: its spheres have %d dimensions, the scene has %d", scene->file_path,
                                   (int)set->dim, (int)scene->sim.box.dim);
    if (has_size(scene)) {
        set->box = scene->sim.box;
        set->has_box = true;
        set->container = SCREE_CONTAINER_BOX;
    } else if (set->container != SCREE_CONTAINER_BOX) {
        return scree_scene_fail_at(scene, SCREE_ERR_UNSUPPORTED, "spheres.file", -1,
                                   "%s: its spheres are in a %s, and simulations have box walls only; box.size in the scene puts them into a box",
                                   scene->file_path, scree_container_name(set->container));
    } else if (!set->has_box) {
        return scree_scene_fail_at(scene, SCREE_ERR_ARGUMENT, "spheres.file", -1, "%s has no box; the scene needs box.size", scene->file_path);
    } else {
        bool any = scene->box_periodic[0] || scene->box_periodic[1] || scene->box_periodic[2];
        for (int k = 0; k < set->dim && any; ++k)
            set->box.periodic[k] = scene->box_periodic[k];
    }
    return SCREE_OK;
}

// ---- Made -----------------------------------------------------------------------------------------------------------------

// Progress that does not run back when growth is tried once more.
typedef struct growing_watch {
    scree_watch outer;
    double most;
} growing_watch;

static bool tick_growing(void* context, double done)
{
    growing_watch* watch = context;
    watch->most = fmax(watch->most, done);
    return watch->outer.tick == NULL || watch->outer.tick(watch->outer.context, watch->most);
}

static scree_status jammed(const scree_sphere_set* set, double density, const scree_growth* best)
{
    char sides[100];
    int used = 0;
    for (int k = 0; k < set->dim; ++k)
        used += snprintf(sides + used, sizeof sides - (size_t)used, "%s%.6g", k == 0 ? "" : " x ", best->box.upper[k] - best->box.lower[k]);
    return scree_fail(SCREE_ERR_ARGUMENT, "spheres.place: grow: the spheres would fill %.4g of the box, but jam at %.4g; they need a box of %s", density,
                      best->density, sides);
}

// Growth in the box as it is: quick first, which is loose, and slower as long as they jam. Slowness gains little: from a rate of 0.1 to
// one of 0.001 some 0.02 in density.
static scree_status grow_spheres(const scree_scene* scene, scree_watch watch, scree_sphere_set* set)
{
    static const double gain = 0.03, slowest = 1e-3;
    growing_watch inner = {.outer = watch};
    scree_grow_def def = scree_default_grow_def();
    def.box = set->box;
    def.seed = scene->seed;
    def.threads = scene->sim.threads;
    def.pressure = 1e4;  // denser by 3e-4 at most from there
    def.start_density = set->dim == 2 ? 0.35 : 0.25;
    def.watch = (scree_watch){.tick = tick_growing, .context = &inner};
    double density = scree_spheres_volume(scree_sphere_set_view(set)) / scree_box_volume(&set->box);
    scree_growth best = {0};
    scree_status status = SCREE_OK;
    for (def.rate = 0.1; status == SCREE_OK && def.rate >= slowest; def.rate *= 0.25) {
        scree_growth growth;
        status = scree_pack_grow(&def, set->count, set->r, &growth);
        if (status == SCREE_OK && growth.reached) {
            memcpy(set->x, growth.x, (size_t)set->count * (size_t)set->dim * sizeof *set->x);
            scree_growth_free(&growth);
            return SCREE_OK;
        }
        if (status == SCREE_OK && growth.density > best.density)
            best = growth;
        scree_growth_free(&growth);  // of the best one only numbers are wanted
        if (density > best.density + gain)
            break;
    }
    return status != SCREE_OK ? status : jammed(set, density, &best);
}

// In place of growth, where only numbers are wanted that do not depend on it: at random, in a box of the same shape that has room.
static scree_status place_loosely(const scree_place_def* asked, scree_sphere_set* set)
{
    scree_place_def def = *asked;
    def.tries = 10000;
    double full = scree_spheres_volume(scree_sphere_set_view(set)) / scree_box_volume(&asked->box);
    if (!(full < 1.0))
        return scree_fail(SCREE_ERR_ARGUMENT, "spheres.place: grow: the spheres have %.4g times the volume of the box", full);
    static const double least = 1e-4;  // a box that has no room then has none for another reason
    scree_status status = SCREE_ERR_ARGUMENT;
    for (double density = fmin(full, set->dim == 2 ? 0.35 : 0.25); status == SCREE_ERR_ARGUMENT; density *= 0.8) {
        for (int k = 0; k < set->dim; ++k)
            def.box.upper[k] = def.box.lower[k] + (asked->box.upper[k] - asked->box.lower[k]) * pow(full / density, 1.0 / set->dim);
        set->box = def.box;
        status = scree_place_random(&def, set->count, set->r, set->x);
        if (density <= least)
            break;
    }
    return status;
}

static scree_status make_spheres(const scree_scene* scene, scree_watch watch, bool trial, scree_sphere_set* set)
{
    scree_sizes* sizes = NULL;
    scree_status status = scree_sizes_read(scene->sizes_text, scene->sim.box.dim, &sizes);
    if (status == SCREE_OK)
        status = scree_sphere_set_make(scene->sim.box.dim, scene->count, set);
    if (status == SCREE_OK)
        status = scree_sizes_draw(sizes, (scree_sampling)scene->sampling, scene->seed, scene->count, set->r);
    scree_sizes_free(sizes);
    if (status != SCREE_OK)
        return scree_scene_told_at(scene, status, "spheres.sizes", -1);
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
    else if (status == SCREE_OK && trial)
        status = place_loosely(&def, set);
    else if (status == SCREE_OK)
        status = grow_spheres(scene, watch, set);
    return scree_scene_told_at(scene, status, "spheres.place", -1);
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
            return scree_scene_fail_at(scene, SCREE_ERR_ARGUMENT, "spheres.velocity", -1, "%s has no vector of numbers named velocity, v or vel",
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

scree_status run_scene_spheres(const scree_scene* scene, scree_watch watch, bool trial, scree_sphere_set* out)
{
    scree_sphere_set set = {0};
    scree_status status = scene->file_path != NULL ? read_spheres(scene, watch, &set) : make_spheres(scene, watch, trial, &set);
    if (status == SCREE_OK)
        status = add_velocities(scene, &set);
    if (status != SCREE_OK) {
        scree_sphere_set_free(&set);
        return status;
    }
    *out = set;
    return SCREE_OK;
}

scree_status scree_scene_spheres(const scree_scene* scene, scree_watch watch, scree_sphere_set* out)
{
    SCREE_EMPTY(out);
    SCREE_NEED(scene);
    return run_scene_spheres(scene, watch, false, out);
}
