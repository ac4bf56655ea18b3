// start: {run: DIR}: a scene that begins from the state of another run. Spheres, groups, materials and box are taken from DIR, the box unless the scene has its own;
// everything else is the new scene's, and time counts from 0.
//
//     DIR/checkpoint_*.npz -> columns of the state -> run->set, and later the state of the new simulation
//              its scene   -> groups, materials    -> run->other->scene, the scene with which the run begins and which scene.yaml of the new folder has
//
// Nothing is written in DIR and its lock is not taken: checkpoints are renamed into place, so that a run may be going on there. All of the state comes from one
// checkpoint, and the scene from the text inside of it: it is the scene.yaml of DIR, which a resume rejects if it was changed.
//
// Positions, velocities, external forces and the order in memory pass over as they are. Accelerations do so only where the new scene says the same of all that makes
// forces; elsewhere they are computed. With damping this matters: the law has seen predicted velocities, which are not in the state (scree/sim.h).
#include "run/run_inner.h"

#include "base/sort.h"
#include "files/system.h"
#include "scene/place.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>

void run_other_forget(scree_run* run)
{
    run_other* other = run->other;
    if (other == NULL)
        return;
    run->other = NULL;
    run_paces_free(&other->paces);
    scree_free(other->scene.groups);
    scree_free(other->scene.pairs);
    scree_free(other->scene.bonds);
    scree_free(other->scene.surfaces);
    for (int64_t n = 0; n < other->scene.change_count; ++n) {
        scree_free(other->scene.changes[n].forces);
        scree_scene_loads_free(other->scene.changes[n].loads, other->scene.changes[n].load_count);
    }
    scree_free(other->scene.changes);
    scene_free(&other->then);
    scree_checkpoint_free(&other->saved);
    scree_free(other);
}

// ---- The other run ---------------------------------------------------------------------------------------------------------

// Spheres came or went there. Here they are numbered from 0 on, in the same order, group after group.
static scree_status number_anew(run_other* other)
{
    scree_checkpoint* saved = &other->saved;
    if (saved->flow.count == 0)
        return SCREE_OK;
    int64_t* ids = (int64_t*)scree_checkpoint_get_values(saved, "id", SCREE_TYPE_INT64);
    const uint16_t* group = scree_checkpoint_get_values(saved, "group", SCREE_TYPE_UINT16);
    scree_checkpoint_memory* m = &saved->memory;
    for (int64_t n = 0; n < other->then.group_count && other->then.group_count > 1; ++n)
        other->then.groups[n].count = 0;
    for (int32_t i = 0; i < saved->count && other->then.group_count > 1; ++i) {
        if (group == NULL || group[i] >= other->then.group_count)
            return scree_fail(SCREE_ERR_FORMAT, "its checkpoint has no column 'group'; expected one for %" PRId64 " groups", other->then.group_count);
        if (i > 0 && group[i] < group[i - 1])
            return scree_fail(SCREE_ERR_UNSUPPORTED, "sphere %" PRId64 " of group %d came after one of group %d; expected groups that came one after the other, to begin from a run with insert",
                              ids[i], (int)group[i], (int)group[i - 1]);
        ++other->then.groups[group[i]].count;
    }
    for (int64_t c = 0; c < m->count; ++c)
        for (int side = 0; side < 2; ++side)
            if (m->ij[c][side] >= 0)
                m->ij[c][side] = scree_first_not_below(ids, saved->count, m->ij[c][side]);
    for (int32_t i = 0; i < saved->count; ++i)
        ids[i] = i;
    scree_free(saved->flow.counts);
    scree_free(saved->flow.sums);
    saved->flow = (scree_checkpoint_flow){0};
    return SCREE_OK;
}

// The scene of that run as changes had made it by its checkpoint: contacts may be others than at its start.
static void take_stage(const scree_checkpoint* saved, const run_paces* paces, scree_scene* then)
{
    int64_t stage = -1;
    for (int64_t c = 0; c < then->change_count; ++c)
        if (then->changes[c].scene != NULL && run_paces_step(paces, then->changes[c].due) <= saved->step)
            stage = c;
    if (stage < 0)
        return;
    scree_scene now = *then->changes[stage].scene;
    *then->changes[stage].scene = (scree_scene){0};
    scene_free(then);
    *then = now;
    then->sim.search = &then->search;
    then->sim.law = &then->own_law;
}

// How long its steps were.
static scree_status find_paces(run_other* other)
{
    const scree_checkpoint_number* first = scree_checkpoint_find(&other->saved, "first_step_length");
    run_conditions_recall(&other->saved, &other->then);
    bool other_first = first != NULL && !first->whole && first->value > 0.0;
    return run_paces_make(&other->then, other_first ? first->value : other->saved.time_step, &other->paces);
}

// Scenes that version 0.2 wrote may have merge_angle, on a line of its own, for which version 0.3 has no use: the line becomes a comment.
static void comment_out_merge_angle(char* text, int64_t length)
{
    static const char key[] = "merge_angle:";
    const int64_t size = (int64_t)sizeof key - 1;
    bool begins = true;
    for (int64_t at = 0; at + size <= length; ++at) {
        if (begins && strncmp(text + at, key, (size_t)size) == 0)
            text[at] = '#';
        begins = text[at] == '\n' || (begins && text[at] == ' ');
    }
}

static scree_status read_checkpoint(scree_run* run, const scree_scene* scene)
{
    scree_run there = {.folder = scene->start_path};
    scree_checkpoint* saved = &run->other->saved;
    struct stat what;
    char path[4096], why[RUN_WHY];
    int error = stat(scene->start_path, &what) != 0 ? errno : S_ISDIR(what.st_mode) ? 0 : ENOTDIR;
    if (error != 0)
        return scree_system_fail(scene->start_path, "this is not the folder of a run", error);
    scree_status status = run_read_kept(&there, scene->start_step, saved, why);
    if (status == SCREE_OK && why[0] != '\0') {
        char text[RUN_WHY + 128];
        snprintf(text, sizeof text, "%s: beginning from the older checkpoint, of step %" PRId64, why, saved->step);
        run_add_note(run, text);
    }
    if (status != SCREE_OK)
        return status;
    if (saved->dim != scene->sim.box.dim)
        return scree_fail(SCREE_ERR_ARGUMENT, "%s: its spheres have %d dimensions; expected %d, as in the scene", scene->start_path, (int)saved->dim, (int)scene->sim.box.dim);
    if (saved->scene == NULL || !run_kept_box(saved, &run->other->box))
        return scree_fail(SCREE_ERR_FORMAT, "%s: the checkpoint of step %" PRId64 " lacks the scene or the box of a run; expected both", scene->start_path, saved->step);
    status = run_path(&there, path, sizeof path, "scene.yaml");
    comment_out_merge_angle(saved->scene, saved->scene_length);
    if (status == SCREE_OK)
        status = scene_parse(path, saved->scene, (size_t)saved->scene_length, &run->other->then);
    if (status == SCREE_OK)
        status = find_paces(run->other);
    if (status == SCREE_OK)
        take_stage(saved, &run->other->paces, &run->other->then);
    if (status == SCREE_OK && (saved->has_bodies || run->other->then.body_count > 0))
        status = scree_fail(SCREE_ERR_UNSUPPORTED, "%s: this is a run of bodies; expected one of spheres", scene->start_path);
    return status == SCREE_OK ? scree_scene_locate(scene, number_anew(run->other), "start.run", -1) : status;
}

// Where its walls are now, as the simulation itself has computed them.
static void move_walls(const scree_checkpoint* saved, const run_paces* paces, scree_box* box)
{
    const scree_sim_walls* walls = &saved->walls;
    double time = run_paces_between(paces, walls->since, saved->step);
    for (int face = 0; face < 2 * saved->dim; ++face) {
        int k = face / 2;
        double* bound = face & 1 ? &box->upper[k] : &box->lower[k];
        if (!box->periodic[k] && isfinite(*bound))
            *bound = walls->at[k][face % 2] + walls->velocity[k][face % 2] * time;
    }
}

// ---- The scene -------------------------------------------------------------------------------------------------------------

// What its spheres are, without where they once came from. Forces are the current ones.
static scree_status take_groups(run_other* other)
{
    scree_scene* scene = &other->scene;
    const scree_checkpoint* saved = &other->saved;
    int64_t count = scree_scene_group_count(&other->then), first = 0;
    const double* force = NULL;
    for (int32_t k = 0; k < saved->column_count; ++k)
        if (strcmp(saved->columns[k].name, "force") == 0 && saved->columns[k].type == SCREE_TYPE_FLOAT64 && saved->columns[k].components == saved->dim)
            force = saved->columns[k].data;
    scene->groups = scree_calloc((size_t)count, sizeof *scene->groups);
    if (scene->groups == NULL)
        return SCREE_ERR_MEMORY;
    scene->listed = true;
    for (scene->group_count = 0; scene->group_count < count; ++scene->group_count) {
        scree_scene_group from = scree_scene_get_entry(&other->then, scene->group_count), *to = &scene->groups[scene->group_count];
        *to = (scree_scene_group){.name = from.name,
                                  .count = count > 1 ? from.count : saved->count,
                                  .material = from.material,
                                  .material_density = scene->start_density > 0.0 ? scene->start_density : from.material_density,
                                  .fixed = from.fixed,
                                  .overlap = from.overlap,
                                  .spin = {NAN, NAN, NAN}};
        const uint8_t* flags = scree_checkpoint_get_values(saved, "flags", SCREE_TYPE_UINT8);
        const double* v = scree_checkpoint_get_values(saved, "v", SCREE_TYPE_FLOAT64);
        if (flags != NULL && first < saved->count)  // groups may have been frozen or released
            to->fixed = (flags[first] & 1) != 0;
        for (int64_t i = first; i < first + to->count && i < saved->count && flags != NULL && v != NULL; ++i)
            for (int k = 0; k < saved->dim && (flags[i] & 2) != 0; ++k)
                if (v[i * saved->dim + k] != 0.0)
                    return scree_fail(SCREE_ERR_UNSUPPORTED, "%s: its group '%s' is driven with the velocity %g along %c; expected only frozen or free groups", scene->start_path,
                                      from.name != NULL ? from.name : "", v[i * saved->dim + k], "xyz"[k]);
        for (int k = 0; k < saved->dim && force != NULL && first < saved->count && !to->fixed; ++k)
            to->force[k] = force[first * saved->dim + k];
        first += to->count;
    }
    return SCREE_OK;
}

// The group that a change names, now that the groups are known.
static scree_status find_group(const run_other* other, const scree_scene* scene, int64_t change, const char* given, int32_t number, bool free, int32_t* out)
{
    const char* name = given != NULL ? given : scree_scene_get_entry(scene, number).name;
    for (int64_t n = 0; n < other->scene.group_count && name != NULL; ++n) {
        const scree_scene_group* group = &other->scene.groups[n];
        if (group->name == NULL || strcmp(group->name, name) != 0)
            continue;
        if (group->fixed && free)
            return scree_scene_fail_at(scene, SCREE_ERR_ARGUMENT, "changes.force", change, "the spheres of %s are fixed; expected spheres that a force can move", name);
        *out = (int32_t)n;
        return SCREE_OK;
    }
    return scree_scene_fail_at(scene, SCREE_ERR_ARGUMENT, "changes.force", change, "the run %s has no entry of spheres named '%s'; expected the name of one", scene->start_path, name != NULL ? name : "");
}

static scree_status take_changes(run_other* other, const scree_scene* scene)
{
    scree_scene* to = &other->scene;
    to->changes = scree_calloc((size_t)scene->change_count, sizeof *to->changes);
    if (scene->change_count > 0 && to->changes == NULL)
        return SCREE_ERR_MEMORY;
    for (int64_t c = 0; c < scene->change_count; ++c) {
        scree_scene_change* change = &to->changes[c];
        *change = scene->changes[c];
        to->change_count = c + 1;
        change->forces = scree_calloc((size_t)change->force_count, sizeof *change->forces);
        if (change->force_count > 0 && change->forces == NULL)
            return SCREE_ERR_MEMORY;
        for (int32_t f = 0; f < change->force_count; ++f) {
            change->forces[f] = scene->changes[c].forces[f];
            change->forces[f].name = NULL;
            scree_status status = find_group(other, scene, c, scene->changes[c].forces[f].name, scene->changes[c].forces[f].group, true, &change->forces[f].group);
            if (status != SCREE_OK)
                return status;
        }
        scree_status status = scree_scene_loads_copy(scene->changes[c].loads, scene->changes[c].load_count, &change->loads);
        if (status != SCREE_OK)
            change->load_count = 0;
        for (int32_t n = 0; n < change->load_count && status == SCREE_OK; ++n) {
            scree_scene_load* load = &change->loads[n];
            int32_t kind = load->load.kind;
            if ((kind >= SCREE_LOAD_FORCE && kind <= SCREE_LOAD_SPIN) || kind >= SCREE_LOAD_COUNT)
                status = find_group(other, scene, c, load->name, load->load.target, kind == SCREE_LOAD_FORCE || kind == SCREE_LOAD_TORQUE, &load->load.target);
            scree_free(load->name);
            load->name = NULL;
        }
        if (status != SCREE_OK)
            return status;
    }
    return SCREE_OK;
}

// The material that the scene names at this key, now that the materials are known: by its name, or by its number in the scene's own list.
static scree_status find_material(const run_other* other, const scree_scene* scene, const char* key, int64_t entry, const char* name, int32_t* number)
{
    if (name == NULL && *number >= 0 && *number < scene->material_count)
        name = scene->materials[*number].name;
    char all[512] = "";
    size_t used = 0;
    for (int64_t n = 0; n < other->then.material_count && name != NULL; ++n) {
        if (strcmp(other->then.materials[n].name, name) == 0) {
            *number = (int32_t)n;
            return SCREE_OK;
        }
        if (used < sizeof all)
            used += (size_t)snprintf(all + used, sizeof all - used, "%s%s", used > 0 ? ", " : "", other->then.materials[n].name);
    }
    if (used == 0)
        return scree_scene_fail_at(scene, SCREE_ERR_ARGUMENT, key, entry, "'%s': the run %s has no materials; expected a run with materials", name != NULL ? name : "", scene->start_path);
    return scree_scene_fail_at(scene, SCREE_ERR_ARGUMENT, key, entry, "the run %s has no material named '%s'; expected one of %s", scene->start_path, name, all);
}

static scree_status take_pairs(run_other* other, const scree_scene* scene)
{
    scree_scene* to = &other->scene;
    scree_status status = SCREE_OK;
    to->pairs = scree_calloc((size_t)scene->pair_count, sizeof *to->pairs);
    if (scene->pair_count > 0 && to->pairs == NULL)
        return SCREE_ERR_MEMORY;
    to->pair_count = scene->pair_count;
    for (int64_t n = 0; n < scene->pair_count && status == SCREE_OK; ++n) {
        to->pairs[n] = scene->pairs[n];
        for (int k = 0; k < 2 && status == SCREE_OK; ++k) {
            to->pairs[n].names[k] = NULL;
            status = find_material(other, scene, "pairs.between", n, scene->pairs[n].names[k], &to->pairs[n].between[k]);
        }
    }
    if (status == SCREE_OK && (scene->wall_name != NULL || scene->wall_material >= 0))
        status = find_material(other, scene, "walls.material", -1, scene->wall_name, &to->wall_material);
    for (int face = 0; face < 6 && status == SCREE_OK; ++face)
        if (scene->face_names[face] != NULL || scene->face_materials[face] >= 0)
            status = find_material(other, scene, scree_scene_face_key(face), -1, scene->face_names[face], &to->face_materials[face]);
    return status;
}

// Bonds belong to the new scene, and are made of the spheres as they are now.
static scree_status copy_bonds(run_other* other, const scree_scene* scene)
{
    scree_scene* to = &other->scene;
    scree_status status = SCREE_OK;
    if (scene->bond_count == 0)
        return SCREE_OK;
    to->bonds = scree_calloc((size_t)scene->bond_count, sizeof *to->bonds);
    if (to->bonds == NULL)
        return SCREE_ERR_MEMORY;
    to->bond_count = scene->bond_count;
    for (int64_t n = 0; n < scene->bond_count && status == SCREE_OK; ++n) {
        to->bonds[n] = scene->bonds[n];
        for (int k = 0; k < 2 && status == SCREE_OK && scene->bonds[n].has_between; ++k) {
            to->bonds[n].names[k] = NULL;
            status = find_material(other, scene, "bonds.between", n, scene->bonds[n].names[k], &to->bonds[n].between[k]);
        }
    }
    return status;
}

// Surfaces belong to the new scene, with materials of the other run.
static scree_status take_surfaces(run_other* other, const scree_scene* scene)
{
    scree_scene* to = &other->scene;
    scree_status status = SCREE_OK;
    if (scene->surface_count == 0)
        return SCREE_OK;
    to->surfaces = scree_calloc((size_t)scene->surface_count, sizeof *to->surfaces);
    if (to->surfaces == NULL)
        return SCREE_ERR_MEMORY;
    to->surface_count = scene->surface_count;
    for (int64_t n = 0; n < scene->surface_count && status == SCREE_OK; ++n) {
        to->surfaces[n] = scene->surfaces[n];
        to->surfaces[n].material_name = NULL;
        if (scene->surfaces[n].material_name != NULL || scene->surfaces[n].material >= 0)
            status = find_material(other, scene, "surfaces.material", n, scene->surfaces[n].material_name, &to->surfaces[n].material);
    }
    return status;
}

static bool is_round(int32_t container, int k)
{
    return container == SCREE_CONTAINER_SPHERE || (container == SCREE_CONTAINER_CYLINDER && k < 2);
}

// A scene that says nothing of the contact has that of the other run, pairs of materials included.
static scree_status take_contact(run_other* other, const scree_scene* scene)
{
    const scree_scene* then = &other->then;
    scree_sim_def* sim = &other->scene.sim;
    bool curved = sim->speed > 0.0 && scene->law > 1;  // a stiffness of its own follows from Young's moduli
    if (scene->pair_count > 0 || sim->stiffness > 0.0 || sim->contact_duration > 0.0 || sim->overlap > 0.0 || scene->contact.stiffness != 0 || curved)
        return SCREE_OK;
    if (scree_scene_says_contact(scene))
        return scree_scene_fail_at(scene, SCREE_ERR_ARGUMENT, "contact", -1, "it is incomplete; expected stiffness, duration or overlap, or a law with a speed, or no "
                                                                             "`contact`, for that of the other run");
    sim->stiffness = then->sim.stiffness;
    sim->contact_duration = then->sim.contact_duration;
    sim->overlap = then->sim.overlap;
    sim->speed = then->sim.speed;
    sim->damping = then->sim.damping;
    sim->restitution = then->sim.restitution;
    sim->law = then->sim.law;
    other->scene.law = then->law;
    other->scene.contact = then->contact;
    other->scene.wall_material = then->wall_material;
    for (int face = 0; face < 6; ++face) {  // the box may be another
        bool wall = !other->scene.box_periodic[face / 2] && !is_round(other->scene.sim.container, face / 2);
        other->scene.face_materials[face] = wall ? then->face_materials[face] : -1;
    }
    other->scene.damps = then->damps;
    if (then->pair_count == 0)
        return SCREE_OK;
    scree_free(other->scene.pairs);
    other->scene.pairs = scree_calloc((size_t)then->pair_count, sizeof *then->pairs);
    if (other->scene.pairs == NULL)
        return SCREE_ERR_MEMORY;
    memcpy(other->scene.pairs, then->pairs, (size_t)then->pair_count * sizeof *then->pairs);
    other->scene.pair_count = then->pair_count;
    return SCREE_OK;
}

// The law may need moduli that the other run did not: those of `contact`, or of a scene that has been written with the materials of that run.
static scree_status take_moduli(run_other* other, const scree_scene* scene)
{
    const scree_scene_contact* contact = &other->scene.contact;
    bool given = contact->young > 0.0, listed = scene->material_count == other->scene.material_count;
    if (!scree_scene_is_elastic(&other->scene))
        return SCREE_OK;
    if (given ? isnan(contact->poisson) : other->scene.material_count == 0)
        return scree_scene_fail_at(scene, SCREE_ERR_ARGUMENT, "contact.law", -1, "%s needs moduli, which the spheres of the run %s do not have; expected contact.young and contact.poisson",
                                   scree_sim_law_name(other->scene.law), scene->start_run);
    for (int64_t n = 0; n < other->scene.material_count; ++n) {
        scree_scene_material* m = &other->then.materials[n];
        if (given && m->young > 0.0)
            return scree_scene_fail_at(scene, SCREE_ERR_ARGUMENT, "contact.young", -1, "material %s of the run %s has a Young's modulus, %g; expected no contact.young, which is for materials without", m->name, scene->start_run, m->young);
        if (m->young > 0.0)
            continue;
        m->young = given ? contact->young : listed ? scene->materials[n].young : 0.0;
        m->poisson = given ? contact->poisson : listed ? scene->materials[n].poisson : NAN;
        if (!(m->young > 0.0))
            return scree_scene_fail_at(scene, SCREE_ERR_ARGUMENT, "contact.law", -1, "%s needs moduli, which material %s of the run %s does not have; expected contact.young and contact.poisson",
                                       scree_sim_law_name(other->scene.law), m->name, scene->start_run);
    }
    return SCREE_OK;
}

// The caller's scene with the spheres of the other run. Texts belong to the two scenes still.
static scree_status make_scene(run_other* other, const scree_scene* scene)
{
    other->scene = *scene;
    other->scene.start_step = other->saved.step;
    other->scene.materials = other->then.materials;
    other->scene.material_count = other->then.material_count;
    other->scene.changes = NULL;
    other->scene.groups = NULL;
    other->scene.pairs = NULL;
    other->scene.bonds = NULL;
    other->scene.surfaces = NULL;
    other->scene.surface_count = 0;
    for (int64_t n = 0; n < other->then.material_count && scene->start_density > 0.0; ++n)
        other->then.materials[n].material_density = scene->start_density;
    other->scene.wall_name = NULL;
    memset(other->scene.face_names, 0, sizeof other->scene.face_names);
    other->scene.change_count = other->scene.group_count = other->scene.pair_count = other->scene.bond_count = 0;
    scree_status status = take_groups(other);
    if (status == SCREE_OK)
        status = take_pairs(other, scene);
    if (status == SCREE_OK)
        status = copy_bonds(other, scene);
    if (status == SCREE_OK)
        status = take_surfaces(other, scene);
    if (status == SCREE_OK)
        status = take_contact(other, scene);
    if (status == SCREE_OK)
        status = take_moduli(other, scene);
    return status == SCREE_OK ? take_changes(other, scene) : status;
}

static bool is_zero(const double a[3])
{
    return a[0] == 0.0 && a[1] == 0.0 && a[2] == 0.0;
}

// Whether the new run has the accelerations of the other one. All that makes forces is in scene.sim, beside the law: with these of the other scene, but gravity
// and walls as they are now, the new scene must still be itself.
static scree_status compare(run_other* other)
{
    scree_scene then = other->scene;
    const scree_sim_walls* walls = &other->saved.walls;
    if (other->scene.start_density > 0.0 || !other->same_box || !is_zero(walls->turn) || !is_zero(then.sim.gravity_turn))
        return SCREE_OK;
    then.law = other->then.law;
    then.contact = other->then.contact;
    then.sim = other->then.sim;
    then.pair_count = other->then.pair_count;
    then.pairs = other->then.pairs;
    then.wall_material = other->then.wall_material;
    memcpy(then.face_materials, other->then.face_materials, sizeof then.face_materials);
    then.damps = other->then.damps;
    then.sim.container = other->scene.sim.container;
    then.sim.box = other->scene.sim.box;
    then.sim.material_density = other->scene.sim.material_density;
    memcpy(then.sim.gravity, walls->gravity, sizeof then.sim.gravity);
    memcpy(then.sim.gravity_turn, walls->turn, sizeof then.sim.gravity_turn);
    memcpy(then.sim.wall_velocity, walls->velocity, sizeof then.sim.wall_velocity);
    return scree_scene_compare(&then, &other->scene, &other->same);
}

static bool is_same_box(const scree_box* a, const scree_box* b)
{
    bool same = true;
    for (int k = 0; k < a->dim; ++k)
        same = same && a->lower[k] == b->lower[k] && a->upper[k] == b->upper[k] && a->periodic[k] == b->periodic[k];
    for (int t = 0; t < (a->dim == 3 ? 3 : 1); ++t)
        same = same && a->tilt[t] == b->tilt[t];
    return same;
}

// Whether boundary b, a face or the round wall, is there in both and at the same place.
static bool is_same_wall(const scree_box* a, int32_t in_a, const scree_box* b, int32_t in_b, int wall)
{
    if (wall < 6) {
        int k = wall / 2;
        double at = wall % 2 ? a->upper[k] : a->lower[k];
        return k < a->dim && !a->periodic[k] && !b->periodic[k] && !is_round(in_a, k) && !is_round(in_b, k) && at == (wall % 2 ? b->upper[k] : b->lower[k]);
    }
    bool same = in_a == in_b && in_a != SCREE_CONTAINER_BOX;
    for (int k = 0; k < a->dim; ++k)
        same = same && (!is_round(in_a, k) || (a->lower[k] == b->lower[k] && a->upper[k] == b->upper[k]));
    return same;
}

scree_status run_other_read(scree_run* run, const scree_scene* scene)
{
    run_other* other = run->other = scree_calloc(1, sizeof *other);
    if (other == NULL)
        return SCREE_ERR_MEMORY;
    if (scene->start_path == NULL || scene->body_count > 0)
        return scree_fail(SCREE_ERR_ARGUMENT, "scene: start_run is '%s' and %s", scene->start_run,
                          scene->start_path == NULL ? "start_path is NULL; expected the path of that folder" : "body_count is above 0; it excludes bodies");
    (void)run_slow_watch(run, "reading the run that it starts from");
    scree_status status = scree_scene_locate(scene, read_checkpoint(run, scene), "start.run", -1);
    if (status == SCREE_OK)
        status = make_scene(other, scene);
    if (status != SCREE_OK)
        return status;
    move_walls(&other->saved, &other->paces, &other->box);
    if (other->saved.has_cell) {
        int64_t since = other->saved.cell.since, step = other->saved.step;
        bool one = other->paces.count == 1 || since >= step;
        double length = one ? other->saved.time_step : run_paces_between(&other->paces, since, step) / (double)(step - since);  // on average
        other->cell = scree_sim_cell_from(&other->saved.cell, step, length, &other->box);
    }
    bool given = scene->box_size[0] > 0.0;
    const scree_checkpoint_number* container = scree_checkpoint_find(&other->saved, "container");
    other->container = container != NULL && container->whole && scree_container_name((int32_t)container->integer) != NULL ? (int32_t)container->integer
                                                                                                                           : SCREE_CONTAINER_BOX;
    other->same_box = !given || (is_same_box(&other->box, &scene->sim.box) && other->container == scene->sim.container);
    for (int b = 0; b < 7; ++b)
        other->same_wall[b] = !given || is_same_wall(&other->box, other->container, &scene->sim.box, scene->sim.container, b);
    other->box_then = other->box;
    if (given) {
        other->box = scene->sim.box;
        other->container = scene->sim.container;
    }
    return compare(other);
}

// ---- The spheres -----------------------------------------------------------------------------------------------------------

static scree_status check_inside(const run_other* other, int64_t i, const double* x)
{
    const scree_box* box = &other->box;
    for (int k = 0; k < box->dim; ++k)
        if (!box->periodic[k] && !(x[k] >= box->lower[k] && x[k] <= box->upper[k]))
            return scree_scene_fail_at(&other->scene, SCREE_ERR_ARGUMENT, "box.size", -1, "sphere %" PRId64 " of the run %s: %c = %g is outside of the box; expected from %g to %g", i,
                                       other->scene.start_path, "xyz"[k], x[k], box->lower[k], box->upper[k]);
    return SCREE_OK;
}

scree_status run_other_spheres(scree_run* run)
{
    const run_other* other = run->other;
    const scree_checkpoint* saved = &other->saved;
    const double *x = scree_checkpoint_get_values(saved, "x", SCREE_TYPE_FLOAT64), *v = scree_checkpoint_get_values(saved, "v", SCREE_TYPE_FLOAT64),
                 *r = scree_checkpoint_get_values(saved, "radius", SCREE_TYPE_FLOAT64);
    size_t n = (size_t)saved->count, dim = (size_t)saved->dim;
    scree_column* velocity;
    if (n > 0 && r == NULL)
        return scree_scene_fail_at(&other->scene, SCREE_ERR_FORMAT, "start.run", -1, "%s: its checkpoint has no column 'radius'; expected one", other->scene.start_path);
    for (size_t i = 0; i < n; ++i) {
        scree_status inside = check_inside(other, (int64_t)i, x + i * dim);
        if (inside != SCREE_OK)
            return inside;
    }
    scree_status status = scree_sphere_set_make(saved->dim, saved->count, &run->set);
    if (status == SCREE_OK)
        status = scree_sphere_set_add(&run->set, "velocity", SCREE_COLUMN_DOUBLE, saved->dim, &velocity);
    if (status != SCREE_OK)
        return status;
    if (n > 0) {
        memcpy(run->set.x, x, n * dim * sizeof *x);
        memcpy(run->set.r, r, n * sizeof *r);
        memcpy(velocity->values, v, n * dim * sizeof *v);
    }
    run->set.has_box = true;
    run->set.box = run->set_box = other->box;
    run->set.container = run->container = other->container;
    status = run_add_scene_groups(&other->scene, &run->set);
    if (status == SCREE_OK)
        status = run_add_kept_materials(&other->scene, saved, &run->set);
    return scree_scene_locate(&other->scene, status, "start.run", -1);
}

// ---- The state -------------------------------------------------------------------------------------------------------------

// Whether a column of the checkpoint is part of the state from which the new simulation begins.
static bool is_taken(const run_other* other, const char* name)
{
    if (strcmp(name, "a") == 0 || strcmp(name, "x_before") == 0 || strcmp(name, "angular_acceleration") == 0)
        return other->same;
    return strcmp(name, "key") != 0 || other->same_box;
}

// Whether a contact of the other run can be one of the new: in another box, of spheres without a periodic axis between them, or with a wall of both.
static bool is_kept(const run_other* other, int64_t j, const int8_t shift[3])
{
    if (other->same_box)
        return true;
    return j < 0 ? j >= -7 && other->same_wall[-1 - j] : shift == NULL || (shift[0] == 0 && shift[1] == 0 && shift[2] == 0);
}

static bool is_same_shape(const scree_scene_surface* one, const scree_scene_surface* other, int32_t dim)
{
    scree_exact a, b;
    if (!scree_scene_surface_shape(one, dim, &a) || !scree_scene_surface_shape(other, dim, &b))  // numbers of triangles, edges and vertices may mean others
        return false;
    bool same = a.kind == b.kind && a.length == b.length && a.radius[0] == b.radius[0] && a.radius[1] == b.radius[1] && a.inside == b.inside;
    for (int k = 0; k < 3; ++k)
        same = same && a.at[k] == b.at[k] && a.axis[k] == b.axis[k];
    return same;
}

// Of each surface of the other run the boundary of the new simulation that is the same exact shape, both at rest at the same place, in the order of both; else -1.
static scree_status find_surfaces(const run_other* other, const scree_sim_state* state, int64_t** out)
{
    const scree_checkpoint_motions* m = &other->saved.motions;
    const int64_t count = other->then.surface_count, own_then = m->count - count, own = state->motion_count - other->scene.surface_count;
    *out = scree_malloc((size_t)count + 1, sizeof **out);
    if (*out == NULL)
        return SCREE_ERR_MEMORY;
    int64_t next = 0;
    for (int64_t n = 0; n < count; ++n) {
        (*out)[n] = -1;
        for (int64_t to = next; to < other->scene.surface_count && own_then >= 0 && m->turned && (*out)[n] < 0; ++to) {
            const scree_sim_motion* now = &state->motions[own + to];
            bool same = is_same_shape(&other->then.surfaces[n], &other->scene.surfaces[to], other->saved.dim) && is_zero(m->velocity[own_then + n]) && is_zero(m->spin[own_then + n]) &&
                        is_zero(now->velocity) && is_zero(now->spin) && memcmp(m->turn[own_then + n], now->turn, sizeof now->turn) == 0;
            for (int k = 0; k < 3; ++k)
                same = same && m->at[own_then + n][k] == now->at[k];
            if (same) {
                (*out)[n] = 6 + own + to;
                next = to + 1;
            }
        }
    }
    return SCREE_OK;
}

// The boundary of a contact in the new simulation: walls keep their number. Of a shape that the new simulation has not: 0.
static int64_t boundary_now(const run_other* other, const int64_t* surfaces, int64_t c)
{
    const scree_checkpoint_memory* m = &other->saved.memory;
    const int64_t j = m->ij[c][1], n = -1 - j - 6 - (other->saved.motions.count - other->then.surface_count);
    if (!m->featured || m->feature[c] < 0)
        return j;
    return n >= 0 && n < other->then.surface_count && surfaces[n] >= 0 ? -1 - surfaces[n] : 0;
}

// What contacts remember, where the law and its parts are the same; another one begins without.
static scree_status take_memory(scree_sim* sim, run_other* other, const scree_sim_state* state, scree_sim_memory* out)
{
    scree_checkpoint_memory* m = &other->saved.memory;
    int32_t words = 0;
    const char* law = scree_sim_get_law(sim, &words);
    bool parts = scree_scene_parts(&other->scene) == scree_scene_parts(&other->then);
    scree_box box = scree_sim_get_box(sim);
    int64_t kept = 0;
    *out = (scree_sim_memory){.words = words};
    if (m->words != words || words == 0 || law == NULL || strcmp(law, m->law) != 0 || !parts)
        return SCREE_OK;
    if (scree_box_is_periodic(&box) && !m->periodic) {  // the other box was not, and had no images
        m->shift = scree_calloc((size_t)m->count, sizeof *m->shift);
        if (m->count > 0 && m->shift == NULL)
            return SCREE_ERR_MEMORY;
        m->periodic = true;
    }
    int64_t* surfaces;
    scree_status status = find_surfaces(other, state, &surfaces);
    for (int64_t c = 0; c < m->count && status == SCREE_OK; ++c) {
        const bool featured = m->featured && m->feature[c] >= 0;
        const int64_t j = boundary_now(other, surfaces, c);
        other->forgotten += featured && j == 0 && other->scene.surface_count > 0;
        if (featured ? j == 0 : !is_kept(other, j, m->periodic ? m->shift[c] : NULL))
            continue;
        m->ij[kept][0] = m->ij[c][0];
        m->ij[kept][1] = j;
        if (m->featured)
            m->feature[kept] = m->feature[c];
        if (m->periodic)
            memmove(m->shift[kept], m->shift[c], sizeof *m->shift);
        memmove(m->values + kept * m->words, m->values + c * m->words, (size_t)m->words * sizeof *m->values);
        ++kept;
    }
    scree_free(surfaces);
    *out = (scree_sim_memory){.count = kept,
                              .feature = m->featured ? m->feature : NULL,
                              .words = m->words,
                              .ij = (const int64_t(*)[2])m->ij,
                              .shift = scree_box_is_periodic(&box) ? (const int8_t(*)[3])m->shift : NULL,
                              .values = m->values};
    return status;
}

// From the checkpoint of the other run to the state of the new simulation, at step 0, with gravity and walls of the new scene. Columns that were given with the
// spheres must be those that the simulation has, which compares the groups and materials of the scene with what each sphere really had.
static scree_status give_state(scree_sim* sim, run_other* other)
{
    enum { most = 64 };
    const scree_checkpoint* saved = &other->saved;
    scree_sim_column known[most] = {{0}};
    scree_sim_values values[SCREE_CHECKPOINT_COLUMNS];
    scree_sim_state state = {0};
    // The cell goes on as it did there; what the new scene wants comes when the spheres are where they were, with the velocities that they had.
    bool drives = scree_scene_has_cell(&other->scene);
    scree_sim_cell cell = scree_default_sim_cell();
    scree_status status = drives ? scree_sim_set_cell(sim, &cell) : SCREE_OK;
    if (status == SCREE_OK)
        status = scree_sim_get_state(sim, &state);
    if (saved->has_cell && other->same_box) {
        if (status == SCREE_OK && !drives && scree_sim_cell_moves(&other->cell))
            status = scree_fail(SCREE_ERR_ARGUMENT, "the cell of that run moves; expected the key cell (shear: 0 stops it)");
        if (drives)
            state.cell = &other->cell;
    }
    int32_t count = scree_sim_get_columns(sim, known, most - 1);
    assert(count < most);
    known[count] = (scree_sim_column){.name = "force", .type = SCREE_TYPE_FLOAT64, .components = saved->dim};  // the simulation gets it when it is given
    state.columns = values;
    for (int32_t k = 0; k < saved->column_count && status == SCREE_OK; ++k) {
        const scree_checkpoint_column* column = &saved->columns[k];
        int32_t c = 0;
        while (c <= count && strcmp(known[c].name, column->name) != 0)
            ++c;
        if (c > count || !is_taken(other, column->name))
            continue;
        if (column->type != known[c].type || column->components != known[c].components)
            return scree_fail(SCREE_ERR_FORMAT, "%s: column '%s' of its checkpoint has type %d and %d components; expected %d and %d", other->scene.start_path,
                              column->name, (int)column->type, (int)column->components, (int)known[c].type, (int)known[c].components);
        if (other->scene.start_density > 0.0 && strncmp(column->name, "inverse_", strlen("inverse_")) == 0)  // mass and moment of inertia that the new density gives
            status = scree_sim_get_column(sim, column->name, column->data);
        values[state.column_count++] = (scree_sim_values){.name = column->name, .data = column->data};
    }
    scree_sim_memory memory = {0};
    if (status == SCREE_OK)
        status = take_memory(sim, other, &state, &memory);
    state.memory = &memory;
    state.account = NULL;  // energies are added up from here on
    if (status == SCREE_OK)
        status = scree_sim_set_state(sim, &state);
    scree_scene_make_cell(&other->scene.cell, &cell);
    return status == SCREE_OK && drives ? scree_sim_set_cell(sim, &cell) : status;
}

scree_status run_other_give(scree_run* run)
{
    scree_status status = give_state(run->sim, run->other);
    if (status == SCREE_OK && run->other->forgotten > 0) {
        char text[RUN_WHY];
        snprintf(text, sizeof text, "start: the memory of %" PRId64 " contacts with surfaces is not taken over, because they are meshes, or moved, or are others: their springs of friction begin anew", run->other->forgotten);
        run_add_note(run, text);
    }
    scree_checkpoint_free(&run->other->saved);
    return scree_scene_locate(&run->other->scene, status, "start.run", -1);
}
