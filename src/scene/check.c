// What no single value shows: keys that exclude each other, keys that are missing, keys without meaning beside the others, and what
// the checks of other rooms (size distributions, parameters of methods, the box). Each error names its key, a missing
// one at the map in which it was looked for.
#include "scene/scene_inner.h"

#include "scene/place.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const scene_node* value_of(const scene_reader* reader, const scene_node* key)
{
    return &reader->tree->nodes[key->next];
}

// ---- Groups ------------------------------------------------------------------------------------------------------

scree_status scree_scene_check_together(const scene_reader* reader, const char* map)
{
    int32_t count;
    const scree_scene_key* keys = scree_scene_keys(&count);
    const size_t length = strlen(map);
    for (int32_t b = 0; b < count; ++b) {
        const scene_node* other = reader->given[b];
        const scene_field* field = keys[b].field;
        if (other == NULL || strncmp(keys[b].path, map, length) != 0)
            continue;
        for (int32_t a = 0; a < b && field->group != SCENE_NO_GROUP; ++a) {
            const scene_node* one = reader->given[a];
            if (one == NULL || keys[a].field->group != field->group || strncmp(keys[a].path, map, length) != 0)
                continue;
            if (field->group == SCENE_LOSS && reader->scene->contact.damping != SCREE_DAMPING_AS_GIVEN && keys[a].field->choice > 0)
                continue;  // a word, which says which of the others there is
            char where[128];
            bool turned = one > other;  // nodes lie in the order of the file
            return scree_scene_fail(reader->tree, turned ? one : other, "%s excludes %s (%s); expected one of them",
                                    keys[turned ? a : b].path, keys[turned ? b : a].path, scree_scene_where(reader->tree, turned ? other : one, where));
        }
        for (int32_t a = 0; a < count && field->beside != NULL; ++a) {
            const size_t front = strlen(keys[b].path) - strlen(scree_scene_last_name(keys[b].path));
            if (strncmp(keys[a].path, keys[b].path, front) == 0 && strcmp(keys[a].path + front, field->beside) == 0 && reader->given[a] == NULL)
                return scree_scene_fail(reader->tree, other, "%s has no effect here; expected it with %s only", keys[b].path, keys[a].path);
        }
    }
    return SCREE_OK;
}

// ---- Another run ---------------------------------------------------------------------------------------------------

// Only the scene.yaml that a run has written says in which groups the spheres of the other run were, as a list: it is the one with start.step.
scree_status scree_scene_check_start(const scene_reader* reader)
{
    static const char* const others[] = {"bodies", "spheres", "materials"};
    const scene_node* start = reader->given[scree_scene_find("start")];
    if (start == NULL)
        return SCREE_OK;
    if (reader->scene->start_run == NULL)
        return scree_scene_fail(reader->tree, value_of(reader, start), "a key is missing; expected start.run, the folder of a run");
    for (size_t k = 0; k < sizeof others / sizeof *others; ++k) {
        const scene_node* other = reader->given[scree_scene_find(others[k])];
        char where[128];
        bool written = k > 0 && reader->scene->start_step >= 0 && (k == 2 || (other != NULL && value_of(reader, other)->kind == SCENE_LIST));
        if (other != NULL && !written)
            return scree_scene_fail(reader->tree, other, "%s excludes start (%s); expected neither spheres nor materials, which come from that run",
                                    others[k], scree_scene_where(reader->tree, start, where));
    }
    return SCREE_OK;
}

// ---- What is missing ---------------------------------------------------------------------------------------------

static bool group_given(const scene_reader* reader, scene_group group)
{
    int32_t count;
    const scree_scene_key* keys = scree_scene_keys(&count);
    for (int32_t k = 0; k < count; ++k)
        if (group != SCENE_NO_GROUP && keys[k].field->group == group && reader->given[k] != NULL)
            return true;
    return false;
}

// Whether the key is one that is being checked: keys of entries of lists are, entry by entry, and not with the whole.
static bool is_looked_at(const scene_reader* reader, const scree_scene_key* key)
{
    bool of_spheres = scree_scene_is_child(key->path, "spheres");
    if (reader->group != NULL)
        return of_spheres;
    return !(of_spheres && reader->scene->listed);
}

static bool is_missing(const scene_reader* reader, int32_t row)
{
    const scree_scene_key* key = scree_scene_row(row);
    return key->field->missing != NULL && is_looked_at(reader, key) && strncmp(key->path, "changes.", strlen("changes.")) != 0 &&
           reader->given[row] == NULL && !group_given(reader, key->field->group) &&
           scree_scene_holds(reader->scene, reader->group, key->field->needed);
}

// The map in which a key would be, or the whole if that is not there either.
static const scene_node* map_for(const scene_reader* reader, int32_t row)
{
    int32_t count;
    const scree_scene_key* keys = scree_scene_keys(&count);
    for (int32_t k = 0; k < count; ++k)
        if (reader->map[k] != NULL && scree_scene_is_child(keys[row].path, keys[k].path))
            return reader->map[k];
    return &reader->tree->nodes[0];
}

scree_status scree_scene_check_missing(const scene_reader* reader, const scene_node* item)
{
    int32_t count, first = 0;
    const scree_scene_key* keys = scree_scene_keys(&count);
    while (first < count && !is_missing(reader, first))
        ++first;
    if (first == count)
        return SCREE_OK;
    const scene_node* place = item != NULL ? item : map_for(reader, first);
    char all[512] = "";
    size_t used = 0;
    for (int32_t k = first; k < count && used < sizeof all; ++k)
        if (is_missing(reader, k) && (item != NULL || map_for(reader, k) == place))
            used += (size_t)snprintf(all + used, sizeof all - used, "%s%s", used > 0 ? ", " : "", keys[k].field->missing);
    return scree_scene_fail(reader->tree, place, "a key is missing; expected %s", all);
}

// ---- What does not belong ----------------------------------------------------------------------------------------

static bool is_list(scene_form form)
{
    return form == SCENE_FORM_ITEMS || form == SCENE_FORM_NAMED || form == SCENE_FORM_GROUPS;
}

// Of the spheres of a single map or of an entry of a list: what the table cannot say.
static scree_status check_spheres(const scene_reader* reader)
{
    const scree_scene* scene = reader->scene;
    const scree_scene_group* group = reader->group != NULL ? reader->group : scree_scene_first_group(scene);
    const scene_node* density = reader->given[scree_scene_find("spheres.density")];
    if (scene->body_count > 0 && density != NULL)
        return scree_scene_fail(reader->tree, density, "spheres.density is not supported with bodies; expected box.size");
    const scene_node* velocity = reader->given[scree_scene_find("spheres.velocity")];
    int32_t start = group->start;
    if (start == SCREE_START_FILE && group->file == NULL)
        return scree_scene_fail(reader->tree, value_of(reader, velocity),
                                "spheres.velocity is 'file', and there is no spheres.file; expected one, or another velocity");
    if (!group->fixed)
        return SCREE_OK;
    const double* force = group->force;
    if (start != SCREE_START_ZERO)
        return scree_scene_fail(reader->tree, value_of(reader, velocity), "spheres.velocity excludes spheres.fixed; expected zero");
    if (force[0] != 0.0 || force[1] != 0.0 || force[2] != 0.0)
        return scree_scene_fail(reader->tree, value_of(reader, reader->given[scree_scene_find("spheres.force")]),
                                "spheres.force excludes spheres.fixed; expected one of them, since a force does not move fixed spheres");
    return SCREE_OK;
}

scree_status scree_scene_check_belonging(const scene_reader* reader)
{
    int32_t count;
    const scree_scene_key* keys = scree_scene_keys(&count);
    for (int32_t k = 0; k < count; ++k)
        if (reader->given[k] != NULL && is_looked_at(reader, &keys[k]) && !is_list(keys[k].field->form) &&
            !scree_scene_holds(reader->scene, reader->group, keys[k].field->when)) {
            bool none = scree_scene_is_child(keys[k].path, "spheres") && !scree_scene_holds(reader->scene, reader->group, SCENE_SPHERES);
            return scree_scene_fail(reader->tree, reader->given[k], "%s %s", keys[k].path, scree_scene_rule(none ? SCENE_SPHERES : keys[k].field->when)->otherwise);
        }
    for (int32_t k = 0; k < count && reader->group == NULL; ++k)
        if (reader->given[k] != NULL && scree_scene_is_child(keys[k].path, "contact") && !scree_scene_goes_with_law(reader->scene, keys[k].field))
            return scree_scene_fail(reader->tree, reader->given[k], "%s has no effect with contact.law: %s; expected another law or no such key", keys[k].path, scree_sim_law_name(reader->scene->law));
    for (int face = 0; face < 6 && reader->group == NULL && !scree_scene_holds(reader->scene, NULL, SCENE_WALLED); ++face)
        if (reader->scene->face_materials[face] >= 0 || reader->scene->face_names[face] != NULL)
            return scree_scene_fail_at(reader->scene, SCREE_ERR_FORMAT, scree_scene_face_key(face), -1, "its material %s", scree_scene_rule(SCENE_WALLED)->otherwise);
    if (reader->group != NULL || !reader->scene->listed) {
        scree_status status = check_spheres(reader);
        if (status != SCREE_OK || reader->group != NULL)
            return status;
    }
    if (reader->scene->body_count > 0 && reader->scene->law != 0)
        return scree_scene_fail(reader->tree, value_of(reader, reader->given[scree_scene_find("contact.law")]),
                                "contact.law is '%s', which is not supported with bodies; expected linear", scree_sim_law_name(reader->scene->law));
    if (reader->scene->body_count > 0 && reader->scene->contact.stiffness != 0)
        return scree_scene_fail(reader->tree, value_of(reader, reader->given[scree_scene_find("contact.stiffness")]),
                                "contact.stiffness is from-young, which is not supported with bodies; expected a number");
    if (reader->scene->body_count > 0) {
        const scene_node* formats = reader->given[scree_scene_find("output.formats")];
        for (int f = 0; f < SCREE_FORMAT_COUNT; ++f)
            if (f != SCREE_FORMAT_VTP && (reader->scene->formats & SCREE_FORMAT_BIT(f)) != 0)
                return scree_scene_fail(reader->tree, formats != NULL ? value_of(reader, formats) : &reader->tree->nodes[0],
                                        "output.formats: %s holds spheres only; expected vtp for frames with bodies", scree_format_name((scree_format)f));
    }
    return SCREE_OK;
}

// ---- The other rooms ---------------------------------------------------------------------------------------------

static const char* message_behind(const char* prefix)
{
    const char* message = scree_error_message();
    return strncmp(message, prefix, strlen(prefix)) == 0 ? message + strlen(prefix) : message;
}

scree_status scree_scene_locate_by(const scene_reader* reader, scree_status status, const scene_node* node, const char* path, const char* prefix)
{
    if (status != SCREE_ERR_ARGUMENT)
        return status;
    char message[1024];
    snprintf(message, sizeof message, "%s", message_behind(prefix));
    return scree_scene_fail(reader->tree, node, "%s: %s", path, message);
}

static scree_status ask_index(const scree_index_def* def)
{
    scree_index* index;
    scree_status status = scree_index_create(def, &index);
    if (status == SCREE_OK)
        scree_index_destroy(index);
    return status;
}

// The index itself says which parameters go with the method: it is tried with each of them alone, and with all.
static scree_status check_search(const scene_reader* reader)
{
    int32_t count;
    const scree_scene_key* keys = scree_scene_keys(&count);
    const scree_index_def* all = &reader->scene->search;
    scree_status status = SCREE_OK;
    for (int32_t k = 0; k < count && status == SCREE_OK; ++k) {
        if (reader->given[k] == NULL || !scree_scene_is_child(keys[k].path, "search"))
            continue;
        scree_index_def one = scree_default_index_def();
        one.method = all->method;
        one.box = scree_box_open(reader->scene->sim.box.dim);
        size_t at = keys[k].field->offset - offsetof(scree_scene, search);
        scene_form form = keys[k].field->form;
        memcpy((char*)&one + at, (const char*)all + at,
               form == SCENE_FORM_VECTOR ? 3 * sizeof(double) : form == SCENE_FORM_NUMBER ? sizeof(double) : sizeof(int32_t));
        one.cell_sizes = all->cell_sizes;
        status = scree_scene_locate_by(reader, ask_index(&one), value_of(reader, reader->given[k]), keys[k].path, "index: ");
    }
    const scene_node* search = reader->given[scree_scene_find("search")];
    if (status == SCREE_OK && search != NULL) {
        scree_index_def whole = *all;
        whole.box = scree_box_open(reader->scene->sim.box.dim);
        status = scree_scene_locate_by(reader, ask_index(&whole), value_of(reader, search), "search", "index: ");
    }
    return status;
}

scree_status scree_scene_check_sizes(const scene_reader* reader)
{
    const char* text = (reader->group != NULL ? reader->group : scree_scene_first_group(reader->scene))->sizes;
    const scene_node* key = reader->given[scree_scene_find("spheres.sizes")];
    if (key == NULL || text == NULL)
        return SCREE_OK;
    if (scree_scene_is_table(text))
        return text[strlen("table:")] != '\0'
                   ? SCREE_OK
                   : scree_scene_fail(reader->tree, value_of(reader, key),
                                      "spheres.sizes is 'table:'; expected a file after the colon, like table:sieves.csv");
    scree_sizes* sizes;
    scree_status status = scree_sizes_parse(text, reader->scene->sim.box.dim, &sizes);
    if (status == SCREE_OK)
        scree_sizes_destroy(sizes);
    return scree_scene_locate_by(reader, status, value_of(reader, key), "spheres.sizes", "sizes ");
}

// What entries of a list of spheres must have in common; an error names the entry that differs.
static scree_status check_list(const scene_reader* reader)
{
    const scree_scene* scene = reader->scene;
    int64_t first_file = -1, first_grown = -1;
    double density = 0.0;
    for (int64_t n = 0; scene->listed && n < scene->group_count; ++n) {
        const scree_scene_group* group = &scene->groups[n];
        bool grown = group->file == NULL && group->place == SCREE_PLACE_GROW;
        first_file = first_file < 0 && group->file != NULL ? n : first_file;
        first_grown = first_grown < 0 && grown ? n : first_grown;
        density += group->region.kind == SCREE_REGION_NONE ? group->density : 0.0;
    }
    for (int64_t n = 0; scene->listed && n < scene->group_count; ++n) {
        const scree_scene_group* group = &scene->groups[n];
        if (first_grown >= 0 && (group->file != NULL || group->place != SCREE_PLACE_GROW))
            return scree_scene_fail_at(scene, SCREE_ERR_FORMAT, group->file != NULL ? "spheres.file" : "spheres.place", n,
                                       "entry %" PRId64 " of spheres has place: grow; expected it in all entries, because they grow together", first_grown + 1);
        if (group->region.kind != SCREE_REGION_NONE)
            continue;
        if (group->density > 0.0 && first_file >= 0)
            return scree_scene_fail_at(scene, SCREE_ERR_FORMAT, "spheres.density", n,
                                       "%g excludes entry %" PRId64 " of spheres, which comes from a file; expected box.size instead", group->density, first_file + 1);
        if (group->density > 0.0 && !(density < 1.0))
            return scree_scene_fail_at(scene, SCREE_ERR_FORMAT, "spheres.density", n, "the sum over all entries of spheres is %g; expected below 1", density);
    }
    return SCREE_OK;
}

// Lattices and growth know boxes only.
static scree_status check_places(const scree_scene* scene)
{
    for (int64_t n = 0; n < scree_scene_group_count(scene) && scene->sim.container != SCREE_CONTAINER_BOX; ++n) {
        scree_scene_group group = scree_scene_get_entry(scene, n);
        if (scree_scene_holds(scene, &group, SCENE_MADE) && group.place != SCREE_PLACE_RANDOM)
            return scree_scene_fail_at(scene, SCREE_ERR_FORMAT, "spheres.place", scene->listed ? n : -1,
                                       "%s fills boxes only, and box.container is %s; expected random, or a spheres.file",
                                       group.place == SCREE_PLACE_GROW ? "grow" : "lattice", scree_container_name(scene->sim.container));
    }
    return SCREE_OK;
}

scree_status scree_scene_check(scene_reader* reader)
{
    scree_scene* scene = reader->scene;
    if (scene->material_count > 0 && !scene->listed && reader->given[scree_scene_find("spheres.material")] == NULL)
        scene->groups[0].material = -1;
    scree_status status = scene->listed ? SCREE_OK : scree_scene_check_region(reader, NULL, "spheres.region", &scene->groups[0].region);
    if (status == SCREE_OK)
        status = scree_scene_check_pairs(reader);
    if (status == SCREE_OK)
        status = scree_scene_check_together(reader, "");
    if (status == SCREE_OK)
        status = scree_scene_check_missing(reader, NULL);
    if (status == SCREE_OK)
        status = scree_scene_check_elastic(reader->scene);
    if (status == SCREE_OK)
        status = scree_scene_check_belonging(reader);
    if (status == SCREE_OK)
        status = check_list(reader);
    if (status == SCREE_OK)
        status = check_places(reader->scene);
    if (status == SCREE_OK)
        status = scree_scene_check_flow(reader->scene);
    if (status == SCREE_OK)
        status = scree_scene_check_law(reader->scene);
    if (status == SCREE_OK)
        status = scree_scene_check_sizes(reader);
    if (status == SCREE_OK)
        status = check_search(reader);
    if (status == SCREE_OK && scene->sets_cell)
        status = scree_scene_check_cell(reader, reader->map[scree_scene_find("cell")], &scene->cell, "cell");
    return status;
}

// ---- What follows ------------------------------------------------------------------------------------------------

static void settle_densities(scree_scene* scene)
{
    const bool named = scene->material_count > 0;
    for (int64_t n = 0; n < scene->body_count && named; ++n)
        if (!scene->bodies[n].fixed)
            scene->bodies[n].material_density = scene->materials[scene->bodies[n].material].material_density;
    for (int64_t n = 0; n < scene->group_count && named; ++n)
        if (scene->groups[n].material >= 0)
            scene->groups[n].material_density = scene->materials[scene->groups[n].material].material_density;
    if (!scene->listed)
        scene->sim.material_density = scene->groups[0].material_density;
}

static scree_status settle_names(scree_scene* scene, const char* name)
{
    const char* slash = strrchr(name, '/');
    size_t length = slash == NULL ? 0 : (size_t)(slash - name) + 1;
    scene->directory = scree_malloc(length + 1, 1);
    if (scene->directory == NULL)
        return SCREE_ERR_MEMORY;
    memcpy(scene->directory, name, length);
    scene->directory[length] = '\0';
    settle_densities(scene);
    scree_status status = scree_scene_resolve(scene);
    return status == SCREE_OK ? scree_scene_settle_loads(scene) : status;
}

scree_status scree_scene_settle(scene_reader* reader)
{
    scree_scene* scene = reader->scene;
    int32_t dim = scene->sim.box.dim;
    scree_scene_settle_materials(scene);
    scene->sim.walls_remove = scene->walls_on_crossing == 1;
    scree_status status = settle_names(scene, reader->tree->name);
    scene->sim.box = scree_box_open(dim);
    const scene_node* size = reader->given[scree_scene_find("box.size")];
    if (status != SCREE_OK || size == NULL)
        return status;
    scene->sim.box = scree_box_sized(dim, scene->box_size);
    for (int k = 0; k < dim; ++k) {
        scene->sim.box.lower[k] = scene->box_origin[k];
        scene->sim.box.upper[k] = scene->box_origin[k] + scene->box_size[k];
        scene->sim.box.periodic[k] = scene->box_periodic[k];
        if (!(scene->sim.box.upper[k] > scene->sim.box.lower[k]))
            return scree_scene_fail(reader->tree, value_of(reader, size), "box.size is too small for box.origin: along %c, %g + %g is %g; expected a box whose upper end is above its origin",
                                    "xyz"[k], scene->box_origin[k], scene->box_size[k], scene->sim.box.upper[k]);
    }
    for (int t = 0; t < 3; ++t)
        scene->sim.box.tilt[t] = isnan(scene->box_tilt[t]) ? 0.0 : scene->box_tilt[t];
    const scene_node *container = reader->given[scree_scene_find("box.container")], *tilt = reader->given[scree_scene_find("box.tilt")];
    if (tilt != NULL && dim == 2 && (!isnan(scene->box_tilt[1]) || !isnan(scene->box_tilt[2])))
        return scree_scene_fail(reader->tree, value_of(reader, tilt), "box.tilt has %s, which does not exist in dimension 2; expected xy",
                                isnan(scene->box_tilt[1]) ? "yz" : "xz");
    if (tilt != NULL) {
        status = scree_scene_locate_by(reader, scree_box_check(&scene->sim.box), value_of(reader, tilt), "box.tilt", "box: ");
        if (status != SCREE_OK)
            return status;
    }
    status = scree_scene_locate_by(reader, scree_box_check(&scene->sim.box), value_of(reader, size), "box.size", "box: ");
    if (status != SCREE_OK || container == NULL)
        return status;
    scree_container bounded = {.kind = scene->sim.container, .box = scene->sim.box};
    return scree_scene_locate_by(reader, scree_container_check(&bounded), value_of(reader, container), "box.container", "container: ");
}
