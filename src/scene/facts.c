// What a scene says, for programs that look at it: plain values, filled from its content.
#include "base/argument.h"
#include "scene/content.h"
#include "scene/place.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static bool walls_move(const scree_scene* scene)
{
    bool moves = false;
    for (int64_t c = -1; c < scene->change_count; ++c)
        for (int face = 0; face < 6 && (c < 0 || scene->changes[c].sets_walls); ++face)
            moves = moves || (c < 0 ? scene->sim.wall_velocity[face / 2][face % 2] : scene->changes[c].wall_velocity[face / 2][face % 2]) != 0.0;
    return moves;
}

SCREE_RESULT_OF(scree_scene_facts, scree_scene_get_facts, (const scree_scene* scene, scree_scene_facts* out), (scene, out))
{
    SCREE_EMPTY(out);
    SCREE_NEED(scene);
    *out = (scree_scene_facts){.dim = scene->sim.box.dim,
                               .container = scene->sim.container,
                               .box = scene->sim.box,
                               .has_box = scene->box_size[0] > 0.0,
                               .walls_move = walls_move(scene),
                               .groups = scree_scene_group_count(scene),
                               .materials = scene->material_count,
                               .pairs = scene->pair_count,
                               .surfaces = scene->surface_count,
                               .bodies = scene->body_count,
                               .inserts = scene->insert_count,
                               .outlets = scene->outlet_count,
                               .loads = scene->load_count,
                               .changes = scene->change_count,
                               .start_run = scene->start_run,
                               .start_step = scene->start_step,
                               .end = scene->end,
                               .steps = scene->steps,
                               .seed = scene->seed,
                               .animation = scene->animation,
                               .friction = scree_scene_rubs(scene),
                               .bonds = scene->bond_count};
    for (int64_t n = 0; n < out->groups; ++n) {
        scree_scene_group group = scree_scene_get_entry(scene, n);
        out->density += group.density;
        out->grows = out->grows || (group.file_path == NULL && group.place == SCREE_PLACE_GROW);
    }
    return SCREE_OK;
}

// How each of the following begins: an empty result, a scene, and entry n of the list `what`.
#define NEED_ENTRY(what, count)                                                                                                                                       \
    SCREE_EMPTY(out);                                                                                                                                                 \
    SCREE_NEED(scene);                                                                                                                                                \
    if (n < 0 || n >= (count))                                                                                                                                        \
    return scree_fail(SCREE_ERR_ARGUMENT, "scene: %s: there is no entry %" PRId64 "; expected 0 to %" PRId64, what, n, (int64_t)(count)-1)

SCREE_RESULT_OF(scree_scene_group_facts, scree_scene_get_group, (const scree_scene* scene, int64_t n, scree_scene_group_facts* out), (scene, n, out))
{
    NEED_ENTRY("spheres", scree_scene_group_count(scene));
    scree_scene_group group = scree_scene_get_entry(scene, n);
    *out = (scree_scene_group_facts){.name = group.name,
                                     .file = group.file_path,
                                     .sizes = group.sizes,
                                     .count = group.count,
                                     .place = group.place,
                                     .material = group.material,
                                     .density = group.density,
                                     .fixed = group.fixed};
    return SCREE_OK;
}

SCREE_RESULT_OF(scree_scene_change_facts, scree_scene_get_change, (const scree_scene* scene, int64_t n, scree_scene_change_facts* out), (scene, n, out))
{
    NEED_ENTRY("changes", scene->change_count);
    const scree_scene_change* change = &scene->changes[n];
    *out = (scree_scene_change_facts){.at = change->due,
                                      .sets_contacts = change->sets_contacts,
                                      .sets_flow = change->sets_flow,
                                      .sets_gravity = change->sets_gravity,
                                      .time_step = change->sets_time ? change->scene->sim.time_step : 0.0};
    memcpy(out->gravity, change->gravity, sizeof out->gravity);
    return SCREE_OK;
}

SCREE_RESULT_OF(scree_scene_surface_facts, scree_scene_get_surface, (const scree_scene* scene, int64_t n, scree_scene_surface_facts* out), (scene, n, out))
{
    NEED_ENTRY("surfaces", scene->surface_count);
    const scree_scene_surface* surface = &scene->surfaces[n];
    *out = (scree_scene_surface_facts){.name = surface->name,
                                       .exact = surface->has_mesh ? NULL : &surface->shape,
                                       .mesh = surface->mesh_path,
                                       .scale = isnan(surface->scale) ? 1.0 : surface->scale,
                                       .moves = scene->load_count > 0 || scene->change_count > 0};
    for (int k = 0; k < 3; ++k)
        out->moves = out->moves || surface->velocity[k] != 0.0;
    return SCREE_OK;
}

scree_status scree_scene_get_gravity(const scree_scene* scene, double time, double gravity[3])
{
    SCREE_NEED(gravity);
    memset(gravity, 0, 3 * sizeof *gravity);
    SCREE_NEED(scene);
    const double *now = scene->sim.gravity, *turn = scene->sim.gravity_turn;
    for (int64_t c = 0; c < scene->change_count && !(scene->changes[c].due > time); ++c) {
        now = scene->changes[c].sets_gravity ? scene->changes[c].gravity : now;
        turn = scene->changes[c].sets_turn ? scene->changes[c].gravity_turn : turn;
    }
    if (turn[0] != 0.0 || turn[1] != 0.0 || turn[2] != 0.0)
        return scree_fail(SCREE_ERR_UNSUPPORTED, "scene: gravity rotates with (%g, %g, %g); expected constant gravity", turn[0], turn[1], turn[2]);
    memcpy(gravity, now, 3 * sizeof *gravity);
    return SCREE_OK;
}
