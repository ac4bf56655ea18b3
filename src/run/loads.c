// Loads of a run: from the scene to the simulation, at the start and at changes; tables from files; and how far walls get.
#include "run/run_inner.h"

#include "base/argument.h"
#include "scene/place.h"

#include <math.h>
#include <string.h>

// ---- To the simulation -------------------------------------------------------------------------------------------------

static scree_status freeze(scree_sim* sim, int32_t group)
{
    scree_sim_load load = scree_default_sim_load();
    load.kind = SCREE_LOAD_VELOCITY;
    load.target = group;
    scree_status status = scree_sim_set_load(sim, &load);
    bool turns = false;
    scree_sim_column columns[64];
    int32_t count = scree_sim_get_columns(sim, columns, 64);
    for (int32_t c = 0; c < count && c < 64; ++c)
        turns = turns || strcmp(columns[c].name, "w") == 0;
    load.kind = SCREE_LOAD_SPIN;
    return status == SCREE_OK && turns ? scree_sim_set_load(sim, &load) : status;
}

static scree_status apply(const scree_scene* scene, const scree_scene_load* loads, int32_t count, int64_t change, scree_sim* sim)
{
    scree_status status = SCREE_OK;
    for (int32_t n = 0; n < count && status == SCREE_OK; ++n) {
        if (loads[n].load.kind == SCREE_SCENE_MATERIAL)  // a matter of contacts
            continue;
        scree_sim_load given = loads[n].load;
        const scree_sim_load* load = &given;
        if (given.kind >= SCREE_LOAD_BOUNDARY_VELOCITY && given.kind <= SCREE_LOAD_SERVO_TORQUE && given.target >= SCREE_SCENE_SURFACE)  // surfaces are the last boundaries
            given.target = scree_sim_get_boundaries(sim, NULL, 0) - (int32_t)scene->surface_count + (given.target - SCREE_SCENE_SURFACE);
        if (load->value.kind == SCREE_SIGNAL_TABLE && loads[n].rows == NULL)
            status = scree_fail(SCREE_ERR_ARGUMENT, "the table %s is not read yet; expected scree_scene_read_tables before", loads[n].file != NULL ? loads[n].file : "");
        else
            status = load->kind == SCREE_SCENE_FREEZE ? freeze(sim, load->target) : load->kind == SCREE_SCENE_RELEASE ? scree_sim_release_group(sim, load->target) : scree_sim_set_load(sim, load);
        if (status != SCREE_OK)
            return scree_scene_locate(scene, status, change >= 0 ? "changes" : load->kind >= SCREE_LOAD_DRAG ? scree_load_name(load->kind) : "walls", change);
    }
    return status;
}

// Constants as they were before loads; then loads. Walls that the change does not name go on as they do.
static scree_status apply_constants(const scree_scene_change* change, scree_sim* sim)
{
    double gravity[3], turn[3];
    scree_status status = SCREE_OK;
    scree_sim_get_gravity(sim, gravity, turn);
    scree_sim_load load = scree_default_sim_load();
    if (change->sets_gravity) {
        load.kind = SCREE_LOAD_GRAVITY;
        memcpy(load.value.value, change->gravity, sizeof gravity);
        status = scree_sim_set_load(sim, &load);
    }
    if (status == SCREE_OK && change->sets_turn) {
        load.kind = SCREE_LOAD_TURN;
        memcpy(load.value.value, change->gravity_turn, sizeof turn);
        status = scree_sim_set_load(sim, &load);
    }
    for (int face = 0; face < 6 && change->sets_walls && status == SCREE_OK; ++face) {
        if (!scree_scene_names_wall(change, face / 2))
            continue;
        scree_box box = scree_sim_get_box(sim);
        bool wall = face / 2 < box.dim && !box.periodic[face / 2];
        if (!wall)
            continue;  // then there is no velocity either
        load = scree_default_sim_load();
        load.kind = SCREE_LOAD_BOUNDARY_VELOCITY;
        load.target = face;
        load.value.value[face / 2] = change->wall_velocity[face / 2][face % 2];
        status = scree_sim_set_load(sim, &load);
    }
    for (int32_t f = 0; f < change->force_count && status == SCREE_OK; ++f)
        status = scree_sim_set_group_force(sim, change->forces[f].group, change->forces[f].force);
    if (status == SCREE_OK && change->sets_cell) {
        scree_sim_cell cell;
        scree_scene_make_cell(&change->cell, &cell);
        status = scree_sim_set_cell(sim, &cell);
    }
    return status;
}

scree_status scree_scene_apply(const scree_scene* scene, int64_t change, scree_sim* sim)
{
    SCREE_NEED(scene);
    SCREE_NEED(sim);
    scree_status status = SCREE_OK;
    if (change < -1 || change >= scene->change_count)
        return scree_fail(SCREE_ERR_ARGUMENT, "scene: change %lld; expected -1, for the start, to %lld", (long long)change, (long long)scene->change_count - 1);
    if (change < 0)
        return apply(scene, scene->loads, scene->load_count, -1, sim);
    if (scene->changes[change].sets_time)
        status = scree_scene_locate(scene, scree_sim_set_time_step(sim, scene->changes[change].scene->sim.time_step), "changes.time", change);
    if (status == SCREE_OK)
        status = apply_constants(&scene->changes[change], sim);
    return status == SCREE_OK ? apply(scene, scene->changes[change].loads, scene->changes[change].load_count, change, sim) : status;
}

static bool has_drag(const scree_scene_load* loads, int32_t count)
{
    for (int32_t n = 0; n < count; ++n)
        if (loads[n].load.kind == SCREE_LOAD_DRAG || loads[n].load.kind == SCREE_LOAD_LOCAL_DAMPING)
            return true;
    return false;
}

bool run_has_drag(const scree_scene* scene)
{
    bool any = has_drag(scene->loads, scene->load_count);
    for (int64_t c = 0; c < scene->change_count; ++c)
        any = any || has_drag(scene->changes[c].loads, scene->changes[c].load_count);
    return any;
}

// ---- Tables ------------------------------------------------------------------------------------------------------------

static bool has_files(const scree_scene_load* loads, int32_t count)
{
    for (int32_t n = 0; n < count; ++n)
        if (loads[n].file != NULL)
            return true;
    return false;
}

bool run_has_tables(const scree_scene* scene)
{
    bool any = has_files(scene->loads, scene->load_count);
    for (int64_t c = 0; c < scene->change_count; ++c)
        any = any || has_files(scene->changes[c].loads, scene->changes[c].load_count);
    return any;
}

void run_forget_tables(scree_scene* scene)
{
    scree_scene_loads_free(scene->loads, scene->load_count);
    for (int64_t c = 0; c < scene->change_count && scene->changes != NULL; ++c)
        scree_scene_loads_free(scene->changes[c].loads, scene->changes[c].load_count);
    scree_free(scene->changes);
    scene->loads = NULL;
    scene->changes = NULL;
    scene->load_count = 0;
    scene->change_count = 0;
}

// A copy that has loads and changes of its own, and shares the rest.
scree_status run_take_tables(const scree_scene* scene, scree_scene* out)
{
    *out = *scene;
    out->loads = NULL;
    out->changes = scene->change_count > 0 ? scree_calloc((size_t)scene->change_count, sizeof *out->changes) : NULL;
    out->change_count = 0;
    out->load_count = 0;
    scree_status status = scene->change_count > 0 && out->changes == NULL ? SCREE_ERR_MEMORY : SCREE_OK;
    if (status == SCREE_OK)
        status = scree_scene_loads_copy(scene->loads, scene->load_count, &out->loads);
    if (status == SCREE_OK)
        out->load_count = scene->load_count;
    for (int64_t c = 0; c < scene->change_count && status == SCREE_OK; ++c) {
        out->changes[c] = scene->changes[c];
        out->changes[c].load_count = 0;
        status = scree_scene_loads_copy(scene->changes[c].loads, scene->changes[c].load_count, &out->changes[c].loads);
        if (status == SCREE_OK)
            out->changes[c].load_count = scene->changes[c].load_count;
        out->change_count = c + 1;
    }
    if (status == SCREE_OK)
        status = scree_scene_read_tables(out);
    if (status != SCREE_OK)
        run_forget_tables(out);
    return status;
}

// ---- How far walls get -------------------------------------------------------------------------------------------------

const scree_scene_load* run_wall_load(const scree_scene* scene, int64_t change, int face)
{
    const scree_scene_load* loads = change < 0 ? scene->loads : scene->changes[change].loads;
    int32_t count = change < 0 ? scene->load_count : scene->changes[change].load_count;
    const scree_scene_load* found = NULL;
    for (int32_t n = 0; n < count; ++n)
        if (loads[n].load.target == face && loads[n].load.kind >= SCREE_LOAD_BOUNDARY_VELOCITY && loads[n].load.kind <= SCREE_LOAD_SERVO_TORQUE)
            found = &loads[n];
    return found;
}

// Along its axis, from where it was when the load began; a servo is not known.
double run_wall_way(const scree_scene_load* load, double time)
{
    double now[3] = {0.0}, first[3] = {0.0};
    int axis = load->load.target / 2;
    if (load->load.kind == SCREE_LOAD_BOUNDARY_VELOCITY)
        scree_signal_integral(&load->load.value, time, now);
    if (load->load.kind == SCREE_LOAD_BOUNDARY_PATH) {
        scree_signal_at(&load->load.value, time, now);
        scree_signal_at(&load->load.value, 0.0, first);
    }
    return now[axis] - first[axis];
}
