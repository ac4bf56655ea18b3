// Lists of maps in a scene, and its texts, both by the table of keys: where they are, how an entry begins, who frees them, and what names of files refer to.
#include "scene/scene_inner.h"

#include "scene/cell.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// ---- How an entry begins: as if its map were empty ---------------------------------------------------------------------

static void begin_body(scree_scene* scene, int32_t n)
{
    scene->bodies[n] = (scree_scene_bodies){.vertices = 8, .roughness = 0.5};
}

static void begin_group(scree_scene* scene, int32_t n)
{
    scree_scene_begin_group(&scene->groups[n]);
}

static void begin_material(scree_scene* scene, int32_t n)
{
    scene->materials[n].poisson = NAN;
}

static void begin_pair(scree_scene* scene, int32_t n)
{
    scene->pairs[n].values = scree_scene_no_values();
}

static void begin_bond(scree_scene* scene, int32_t n)
{
    const scree_sim_bond none = {.struct_size = sizeof none, .gap = NAN, .between = {-1, -1}, .radius = NAN, .young = NAN, .shear = NAN, .bending = NAN, .twisting = NAN, .damping = NAN,
                                 .tensile_strength = NAN, .shear_strength = NAN, .friction = NAN};
    scene->bonds[n] = (scree_scene_bond){.between = {-1, -1}, .values = none};
}

static void begin_surface(scree_scene* scene, int32_t n)
{
    scene->surfaces[n] = (scree_scene_surface){.exact = scree_default_exact(), .scale = NAN, .material = -1};
    memset(scene->surfaces[n].exact.axis, 0, sizeof scene->surfaces[n].exact.axis);
}

static void begin_insert(scree_scene* scene, int32_t n)
{
    scene->inserts[n] = (scree_scene_insert){.group = -1, .every_steps = 100, .region = scree_scene_no_region()};
}

static void begin_outlet(scree_scene* scene, int32_t n)
{
    scene->outlets[n] = (scree_scene_outlet){.every_steps = 100, .region = scree_scene_no_region()};
}

static void begin_change(scree_scene* scene, int32_t n)
{
    scree_scene_change* change = &scene->changes[n];
    *change = (scree_scene_change){.at = NAN, .met = NAN, .cell = scree_scene_no_cell(), .wall_material = -1};
    memcpy(change->wall_velocity, n > 0 ? change[-1].wall_velocity : scene->sim.wall_velocity, sizeof change->wall_velocity);
}

// ---- The lists ---------------------------------------------------------------------------------------------------------

#define LIST(path, items_, count_, begin, check, most, alone) \
    {path, offsetof(scree_scene, items_), offsetof(scree_scene, count_), sizeof *((scree_scene*)NULL)->items_, begin, check, most, alone}

static const scene_list lists[] = {
    LIST("bodies", bodies, body_count, begin_body, scree_scene_check_bodies, INT32_MAX, false),
    LIST("spheres", groups, group_count, begin_group, scree_scene_check_group, SCENE_GROUPS_MOST, false),
    LIST("materials", materials, material_count, begin_material, scree_scene_check_material, SCENE_GROUPS_MOST, false),
    LIST("pairs", pairs, pair_count, begin_pair, scree_scene_check_pair, SCENE_GROUPS_MOST, false),
    LIST("bonds", bonds, bond_count, begin_bond, scree_scene_check_bond, SCENE_GROUPS_MOST, true),
    LIST("surfaces", surfaces, surface_count, begin_surface, scree_scene_check_surface, SCENE_GROUPS_MOST, true),
    LIST("insert", inserts, insert_count, begin_insert, scree_scene_check_insert, SCENE_GROUPS_MOST, true),
    LIST("outlets", outlets, outlet_count, begin_outlet, scree_scene_check_outlet, SCENE_GROUPS_MOST, true),
    LIST("changes", changes, change_count, begin_change, scree_scene_check_change, INT32_MAX, false),
};

const scene_list* scree_scene_list_of(const char* path)
{
    const size_t length = strcspn(path, ".");
    for (size_t n = 0; n < sizeof lists / sizeof *lists; ++n)
        if (strncmp(lists[n].path, path, length) == 0 && lists[n].path[length] == '\0')
            return &lists[n];
    return NULL;
}

scene_items scree_scene_items(const scree_scene* scene, const char* path)
{
    const scene_list* list = scree_scene_list_of(path);
    scene_items items = {(char*)scene, sizeof *scene, 1};
    if (list == NULL)
        return items;
    memcpy(&items.first, (const char*)scene + list->items, sizeof items.first);
    memcpy(&items.count, (const char*)scene + list->count, sizeof items.count);
    items.size = list->size;
    if (items.first == (char*)scene->groups && !scene->listed)
        items.count = scene->groups != NULL;
    return items;
}

// ---- Texts -------------------------------------------------------------------------------------------------------------

static const char table[] = "table:";

bool scree_scene_is_table(const char* sizes)
{
    return strncmp(sizes, table, sizeof table - 1) == 0;
}

// Where a text is that a key owns: its value, what it refers to, or the name of a material that is not known yet; 0: none.
static void free_at(char* entry, size_t at)
{
    char* text = NULL;
    if (at > 0)
        memcpy(&text, entry + at, sizeof text);
    scree_free(text);
}

static void free_value(const scene_field* field, char* entry)
{
    char* value = entry + field->offset;
    if (field->form == SCENE_FORM_TEXT || field->form == SCENE_FORM_NAME)
        scree_free(*(char**)(void*)value);
    if (field->form == SCENE_FORM_POINTS)
        scree_free(((scree_scene_points*)(void*)value)->xy);
    for (int k = 0; k < 2 && field->form == SCENE_FORM_BETWEEN; ++k)
        scree_free(((scree_scene_pair*)(void*)entry)->names[k]);
    free_at(entry, field->resolved);
    free_at(entry, field->later);
}

void scree_scene_free_lists(scree_scene* scene)
{
    int32_t count;
    const scree_scene_key* keys = scree_scene_keys(&count);
    for (int32_t k = 0; k < count; ++k) {
        const scene_items items = scree_scene_items(scene, keys[k].path);
        for (int64_t n = 0; n < items.count && items.first != NULL; ++n)
            free_value(keys[k].field, items.first + (size_t)n * items.size);
    }
    for (size_t n = 0; n < sizeof lists / sizeof *lists; ++n)
        scree_free(scree_scene_items(scene, lists[n].path).first);
}

static char* joined(const char* prefix, const char* directory, const char* name)
{
    const char* folder = *name == '/' ? "" : directory;
    const size_t room = strlen(prefix) + strlen(folder) + strlen(name) + 1;
    char* path = scree_malloc(room, 1);
    if (path != NULL)
        snprintf(path, room, "%s%s%s", prefix, folder, name);
    return path;
}

scree_status scree_scene_resolve(const scree_scene* scene)
{
    int32_t count;
    const scree_scene_key* keys = scree_scene_keys(&count);
    for (int32_t k = 0; k < count; ++k) {
        const scene_field* field = keys[k].field;
        const scene_items items = scree_scene_items(scene, keys[k].path);
        for (int64_t n = 0; n < items.count && field->resolved > 0; ++n) {
            char *entry = items.first + (size_t)n * items.size, *text = *(char**)(void*)(entry + field->offset);
            if (text == NULL)
                continue;
            const bool file = scree_scene_is_table(text);
            text = !field->sizes ? joined("", scene->directory, text) : file ? joined(table, scene->directory, text + sizeof table - 1) : joined("", "", text);
            if (text == NULL)
                return SCREE_ERR_MEMORY;
            memcpy(entry + field->resolved, &text, sizeof text);
        }
    }
    return SCREE_OK;
}
