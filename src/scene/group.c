// Groups of spheres and what belongs to them: entries of `spheres` where it is a list, names that the user chooses, materials by name, and forces on
// groups by name. An entry is checked as soon as it is read, so that missing and wrong keys are reported at its position.
#include "scene/scene_inner.h"

#include "base/argument.h"
#include "files/csv.h"
#include "scene/value.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

void scree_scene_begin_group(scree_scene_group* group)
{
    *group = (scree_scene_group){.material_density = 1.0, .overlap = 0.01, .spin = {NAN, NAN, NAN}, .region = scree_scene_no_region()};
}

void scree_scene_list_groups(scree_scene* scene, scree_scene_group* groups)
{
    scree_free(scene->groups);
    scene->groups = groups;
    scene->group_count = 0;
    scene->listed = true;
}

int64_t scree_scene_group_count(const scree_scene* scene)
{
    SCREE_NEED_OR(scene, 0);
    return scene->group_count;
}

const scree_scene_group* scree_scene_first_group(const scree_scene* scene)
{
    static const scree_scene_group none = {.material_density = 1.0, .overlap = 0.01};
    return scene->groups != NULL ? &scene->groups[0] : &none;
}

scree_scene_group scree_scene_get_entry(const scree_scene* scene, int64_t n)
{
    SCREE_NEED_OR(scene, (scree_scene_group){0});
    return n >= 0 && n < scene->group_count ? scene->groups[n] : (scree_scene_group){0};
}

// ---- Names -------------------------------------------------------------------------------------------------------

bool scree_scene_is_name(const char* text, size_t length)
{
    enum { most = 64 };
    static const char letters[] = "_0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-";
    return length >= 1 && length <= most && text[0] != '-' && strspn(text, letters) == length;
}

scree_status scree_scene_read_name(const scene_reader* reader, const scree_scene_key* key, const scene_node* node, char** to)
{
    size_t length = node->kind == SCENE_SCALAR ? (size_t)node->length : 0;
    const char* text = length > 0 ? scree_scene_text(reader->tree, node) : "";
    if (!scree_scene_is_name(text, length))
        return scree_scene_reject(reader, key, node, 0);
    char* copy = scree_malloc(length + 1, 1);
    if (copy == NULL)
        return SCREE_ERR_MEMORY;
    memcpy(copy, text, length + 1);
    scree_free(*to);
    *to = copy;
    return SCREE_OK;
}

typedef const char* (*name_at)(const scree_scene* scene, int64_t n);

static const char* group_name(const scree_scene* scene, int64_t n)
{
    return scene->groups[n].name;
}

static const char* material_name(const scree_scene* scene, int64_t n)
{
    return scene->materials[n].name;
}

// The one that has this name, out of `count`. FORMAT: there is none; then the nearest is named, or all.
static scree_status find_name(const scene_reader* reader, const scree_scene_key* key, const scene_node* node, const char* what, int64_t count, name_at name,
                              int32_t* to)
{
    if (node->kind != SCENE_SCALAR || node->length == 0)
        return scree_scene_reject(reader, key, node, 0);
    scene_names names = scree_scene_names_for(reader, node);
    char shown[SCREE_SHOWN];
    for (int64_t n = 0; n < count; ++n) {
        const char* known = name(reader->scene, n);
        if (known != NULL && scree_scene_says(reader, node, known)) {
            *to = (int32_t)n;
            return SCREE_OK;
        }
        if (known != NULL)
            scree_scene_names_add(&names, known);
    }
    scree_csv_shown(shown, scree_scene_text(reader->tree, node), node->length);
    if (names.near == NULL)
        return scree_scene_fail(reader->tree, node, "%s: no %s is named '%s'; expected a name, and none has one", key->path, what, shown);
    if (scree_scene_names_is_near(&names))
        return scree_scene_fail(reader->tree, node, "%s: no %s is named '%s'; expected a known name: did you mean %s?", key->path, what, shown, names.near);
    return scree_scene_fail(reader->tree, node, "%s: no %s is named '%s'; expected one of %s", key->path, what, shown, names.all);
}

// ---- Materials ---------------------------------------------------------------------------------------------------

bool scree_scene_materials_later(const scree_scene* scene)
{
    return scene->start_run != NULL && scene->material_count == 0;
}

scree_status scree_scene_read_material(const scene_reader* reader, const scree_scene_key* key, const scene_node* node, int32_t* to, char** name)
{
    if (scree_scene_materials_later(reader->scene) && name != NULL) {
        *to = -1;
        return scree_scene_read_name(reader, key, node, name);
    }
    if (reader->scene->material_count == 0)  // reported with the other keys that do not belong
        return SCREE_OK;
    return find_name(reader, key, node, "material", reader->scene->material_count, material_name, to);
}

// ---- Entries -----------------------------------------------------------------------------------------------------

scree_status scree_scene_check_group(scene_reader* reader, const scene_node* node, int32_t n)
{
    if (reader->scene->material_count > 0 && reader->given[scree_scene_find("spheres.material")] == NULL)
        reader->group->material = -1;
    (void)n;
    scree_status status = scree_scene_check_region(reader, node, "spheres.region", &reader->group->region);
    if (status == SCREE_OK)
        status = scree_scene_check_missing(reader, node);
    if (status == SCREE_OK)
        status = scree_scene_check_belonging(reader);
    return status == SCREE_OK ? scree_scene_check_sizes(reader) : status;
}

scree_status scree_scene_find_any_group(const scene_reader* reader, const scree_scene_key* key, const scene_node* name, int32_t* to)
{
    return find_name(reader, key, name, "entry of spheres", scree_scene_group_count(reader->scene), group_name, to);
}

scree_status scree_scene_find_group(const scene_reader* reader, const scree_scene_key* key, const scene_node* name, int32_t* to)
{
    scree_status status = scree_scene_find_any_group(reader, key, name, to);
    if (status != SCREE_OK)
        return status;
    if (scree_scene_get_entry(reader->scene, *to).fixed)
        return scree_scene_fail(reader->tree, name, "%s: the spheres of %s are fixed; expected a group that a force can move", key->path,
                                group_name(reader->scene, *to));
    return SCREE_OK;
}
