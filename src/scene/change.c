// What changes set beside loads: contacts, materials, what comes and goes, and output.
//
// A change names keys of other maps of the scene. They are put into a copy of the tree of values, replacing the earlier ones, and the copy, without its changes, is read as a scene of its
// own: change.scene, the scene as it is from then on. So a change is checked by the same rules as a scene, and errors name their position in the file. Each change continues from the one before it.
//
// Keys that must not change during a run are rejected here by name: contact memory depends on the law and its parts, and masses and sizes belong to the spheres.
#include "scene/scene_inner.h"

#include "base/argument.h"
#include "base/array.h"
#include "files/csv.h"
#include "scene/place.h"
#include "scene/tree_edit.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const int64_t values_most = 20000000;  // that are read again: values of the scene times changes

// A copy of the tree of the scene, which changes are put into.
typedef struct merger {
    scene_tree tree;
    bool contacts, flow, output, time;  // what the change sets
} merger;

// ---- Keys that no change can set ---------------------------------------------------------------------------------------

// A key that a change names, below `path`, as the scene has it in `map`.
static scree_status check_key(const scene_tree* tree, const scene_node* key, const char* path, const char* map)
{
    int32_t count;
    const scree_scene_key* keys = scree_scene_keys(&count);
    const char *name = scree_scene_text(tree, key), *why = NULL;
    char others[120] = "";
    size_t used = 0;
    for (int32_t k = 0; k < count; ++k) {
        const char* own = scree_scene_last_name(keys[k].path);
        if (!scree_scene_is_child(keys[k].path, map))
            continue;
        if (strcmp(own, name) == 0)
            why = keys[k].field->constant;
        if (keys[k].field->constant == NULL && used < sizeof others)
            used += (size_t)snprintf(others + used, sizeof others - used, "%s%s", used > 0 ? ", " : "one of ", own);
    }
    if (why == NULL)
        return SCREE_OK;
    return scree_scene_fail(tree, key, "%s.%s: '%s' cannot change during a run: %s; expected %s", path, name, name, why, used < sizeof others ? others : "other keys here");
}

scree_status scree_scene_reject_change(const scene_reader* reader, const scene_node* key)
{
    return check_key(reader->tree, key, "changes", "");
}

// ---- Trees -------------------------------------------------------------------------------------------------------------

static scene_node* at(const merger* m, int32_t n)
{
    return &m->tree.nodes[n];
}

static const char* text_of(const merger* m, int32_t n)
{
    return scree_scene_text(&m->tree, at(m, n));
}

static int32_t find(const merger* m, int32_t map, const char* name)
{
    return map >= 0 ? scree_tree_find(&m->tree, map, name, strlen(name)) : -1;
}

// The key behind a key.
static int32_t behind(const merger* m, int32_t key)
{
    return at(m, at(m, key)->next)->next;
}

static bool is_word(const merger* m, int32_t node, const char* word)
{
    return node >= 0 && scree_tree_says(&m->tree, node, word, strlen(word));
}

// Where one of these is in the change, all of them leave the map.
static bool drop_others(merger* m, int32_t map, int32_t from, const char* const* names)
{
    bool any = false;
    for (int k = 0; names[k] != NULL; ++k)
        any = any || find(m, from, names[k]) >= 0;
    for (int k = 0; names[k] != NULL && any; ++k)
        scree_tree_drop(&m->tree, map, names[k], strlen(names[k]));
    return any;
}

// The keys of a map of the change into one of the scene; those of the table below `path` that are constant are rejected, as "changes.path.KEY".
static scree_status put_all(merger* m, int32_t map, int32_t from, const char* path)
{
    char whole[64];
    snprintf(whole, sizeof whole, "changes.%.40s", path);
    if (at(m, from)->kind != SCENE_MAP)
        return scree_scene_fail(&m->tree, at(m, from), "%s is not a map; expected keys with values", whole);
    scree_status status = SCREE_OK;
    for (int32_t key = at(m, from)->first; key >= 0 && status == SCREE_OK; key = behind(m, key)) {
        status = check_key(&m->tree, at(m, key), whole, path);
        if (status == SCREE_OK)
            status = scree_tree_put(&m->tree, map, key);
    }
    return status;
}

// A new key of a map with an empty map, which has the place of a key of the change and of its value.
static scree_status add_beside(merger* m, int32_t map, int32_t key, int32_t* value)
{
    char name[64];
    const int32_t line = at(m, at(m, key)->next)->line, column = at(m, at(m, key)->next)->column;
    snprintf(name, sizeof name, "%s", text_of(m, key));
    scree_status status = scree_tree_add_map(&m->tree, map, name, strlen(name), at(m, key)->source, value);
    if (status != SCREE_OK)
        return status;
    at(m, *value - 1)->line = at(m, key)->line;
    at(m, *value - 1)->column = at(m, key)->column;
    at(m, *value)->line = line;
    at(m, *value)->column = column;
    return SCREE_OK;
}

// ---- Maps --------------------------------------------------------------------------------------------------------------

static const char* const losses[] = {"damping", "restitution", "viscous_time", NULL};
static const char* const stiffnesses[] = {"stiffness", "duration", "overlap", NULL};
static const char* const frames[] = {"every", "every_steps", NULL};

// contact, output, checkpoint and time: what a key excludes goes, and a speed with the overlap or the stiffness from Young's moduli that it is for.
static scree_status merge_map(merger* m, int32_t key)
{
    int32_t from = at(m, key)->next, map = find(m, 0, text_of(m, key));
    if (is_word(m, find(m, from, "step"), "auto"))
        return scree_scene_fail(&m->tree, at(m, find(m, from, "step")), "changes.time.step: auto is for the start; expected a number");
    if (map < 0 && add_beside(m, 0, key, &map) != SCREE_OK)
        return SCREE_ERR_MEMORY;
    if (at(m, from)->kind == SCENE_MAP && is_word(m, key, "contact")) {
        const bool fast = find(m, map, "overlap") >= 0 || is_word(m, find(m, map, "stiffness"), "from-young");
        if (drop_others(m, map, from, stiffnesses) && fast)
            scree_tree_drop(&m->tree, map, "speed", strlen("speed"));
        drop_others(m, map, from, losses);
    }
    if (at(m, from)->kind == SCENE_MAP && is_word(m, key, "output"))
        drop_others(m, map, from, frames);
    return put_all(m, map, from, text_of(m, key));
}

// ---- Pairs -------------------------------------------------------------------------------------------------------------

static bool names_same(const merger* m, int32_t a, int32_t b)
{
    const int32_t of[2] = {find(m, a, "between"), find(m, b, "between")};
    const char* name[2][2];
    for (int k = 0; k < 2; ++k) {
        if (of[k] < 0 || at(m, of[k])->kind != SCENE_LIST || at(m, of[k])->count != 2)
            return false;
        name[k][0] = text_of(m, at(m, of[k])->first);
        name[k][1] = text_of(m, at(m, at(m, of[k])->first)->next);
    }
    return (strcmp(name[0][0], name[1][0]) == 0 && strcmp(name[0][1], name[1][1]) == 0) || (strcmp(name[0][0], name[1][1]) == 0 && strcmp(name[0][1], name[1][0]) == 0);
}

static scree_status append_copy(merger* m, int32_t list, int32_t item)
{
    int32_t copy = -1;
    scree_status status = scree_tree_add_node(&m->tree, *at(m, item), &copy);
    if (status == SCREE_OK)
        scree_tree_append(&m->tree, list, copy, copy, 1);
    return status;
}

static scree_status merge_pair(merger* m, int32_t list, int32_t item)
{
    if (at(m, item)->kind != SCENE_MAP)
        return scree_scene_fail(&m->tree, at(m, item), "changes.pairs: an entry is not a map; expected keys with values");
    int32_t one = at(m, list)->first;
    while (one >= 0 && !(at(m, one)->kind == SCENE_MAP && names_same(m, one, item)))
        one = at(m, one)->next;
    if (one < 0)
        return append_copy(m, list, item);
    drop_others(m, one, item, losses);
    return put_all(m, one, item, "pairs");
}

static scree_status merge_pairs(merger* m, int32_t key)
{
    const int32_t from = at(m, key)->next, list = find(m, 0, "pairs");
    if (at(m, from)->kind != SCENE_LIST)
        return scree_scene_fail(&m->tree, at(m, from), "changes.pairs is not a list; expected a list of maps");
    if (list < 0)
        return scree_tree_put(&m->tree, 0, key);
    scree_status status = SCREE_OK;
    if (is_word(m, list, "mix")) {  // pairs: mix becomes a list of that word
        int32_t word = -1;
        status = scree_tree_add_node(&m->tree, *at(m, list), &word);
        if (status != SCREE_OK)
            return status;
        at(m, list)->kind = SCENE_LIST;
        at(m, list)->count = 1;
        at(m, list)->first = word;
    }
    for (int32_t item = at(m, from)->first, next; item >= 0 && status == SCREE_OK; item = next) {
        next = at(m, item)->next;
        status = merge_pair(m, list, item);
    }
    return status;
}

// ---- Entries by name ---------------------------------------------------------------------------------------------------

// Of a map of maps, or of a list whose entries have names.
static int32_t find_entry(const merger* m, const char* list, const char* name)
{
    const int32_t all = find(m, 0, list);
    if (all < 0 || at(m, all)->kind == SCENE_MAP)
        return find(m, all, name);
    for (int32_t one = at(m, all)->kind == SCENE_LIST ? at(m, all)->first : -1; one >= 0; one = at(m, one)->next)
        if (is_word(m, find(m, one, "name"), name))
            return one;
    return -1;
}

// The word of a preset becomes a map with it.
static scree_status open_preset(merger* m, int32_t entry)
{
    scene_node key = *at(m, entry);
    int32_t preset = -1, word = -1;
    key.quoted = false;
    key.length = (int64_t)strlen("preset");
    scree_status status = scree_tree_add_text(&m->tree, "preset", strlen("preset"), &key.text);
    if (status == SCREE_OK)
        status = scree_tree_add_node(&m->tree, key, &preset);
    if (status == SCREE_OK)
        status = scree_tree_add_node(&m->tree, *at(m, entry), &word);
    if (status != SCREE_OK)
        return status;
    at(m, preset)->next = word;
    at(m, entry)->kind = SCENE_MAP;
    at(m, entry)->first = preset;
    at(m, entry)->count = 2;
    return SCREE_OK;
}

// materials, insert and outlets.
static scree_status merge_entries(merger* m, int32_t key)
{
    const char* list = text_of(m, key);
    const int32_t from = at(m, key)->next;
    char shown[SCREE_SHOWN];
    if (at(m, from)->kind != SCENE_MAP)
        return scree_scene_fail(&m->tree, at(m, from), "changes.%s is not a map; expected keys with values", list);
    scree_status status = SCREE_OK;
    for (int32_t name = at(m, from)->first; name >= 0 && status == SCREE_OK; name = behind(m, name)) {
        const int32_t map = at(m, name)->next, entry = find_entry(m, list, text_of(m, name));
        if (entry < 0)
            return scree_scene_fail(&m->tree, at(m, name), "changes.%s: no entry of %s is named '%s'; expected the name of an entry", list, list, scree_csv_shown(shown, text_of(m, name), at(m, name)->length));
        for (int32_t one = at(m, map)->kind == SCENE_MAP ? at(m, map)->first : -1; one >= 0; one = behind(m, one)) {
            const char* rate = text_of(m, one);
            if ((strcmp(rate, "rate") == 0 || strcmp(rate, "mass_rate") == 0) && find(m, entry, rate) < 0)
                return scree_scene_fail(&m->tree, at(m, one), "changes.%s: this entry has no %s; expected the kind of rate (spheres or mass) with which the run began", list, rate);
        }
        if (at(m, map)->kind == SCENE_MAP && at(m, entry)->kind == SCENE_SCALAR)
            status = open_preset(m, entry);
        if (status == SCREE_OK)
            status = put_all(m, entry, map, text_of(m, key));
    }
    return status;
}

// surfaces: {NAME: {material: NAME}}, and walls: {material: NAME, lower_z: {material: NAME}}; how they move is no matter of the scene from then on. They were read already: names and maps.
static scree_status merge_material(merger* m, int32_t entry, int32_t key)
{
    m->contacts = true;
    return scree_tree_put(&m->tree, entry, key);
}

static int32_t material_in(const merger* m, int32_t map)
{
    int32_t key = at(m, map)->kind == SCENE_MAP ? at(m, map)->first : -1;
    while (key >= 0 && !is_word(m, key, "material"))
        key = behind(m, key);
    return key;
}

static scree_status merge_surfaces(merger* m, int32_t key)
{
    scree_status status = SCREE_OK;
    for (int32_t name = at(m, at(m, key)->next)->first; name >= 0 && status == SCREE_OK; name = behind(m, name)) {
        const int32_t material = material_in(m, at(m, name)->next), entry = find_entry(m, "surfaces", text_of(m, name));
        if (material >= 0 && entry >= 0)
            status = merge_material(m, entry, material);
    }
    return status;
}

static scree_status merge_walls(merger* m, int32_t key)
{
    const int32_t from = at(m, key)->next;
    scree_status status = SCREE_OK;
    for (int32_t one = at(m, from)->kind == SCENE_MAP ? at(m, from)->first : -1; one >= 0 && status == SCREE_OK; one = behind(m, one)) {
        const bool all = is_word(m, one, "material");
        const int32_t material = all ? one : material_in(m, at(m, one)->next);
        int32_t walls = find(m, 0, "walls"), face = walls;
        if (material < 0)
            continue;
        if (walls < 0)
            status = add_beside(m, 0, key, &walls);
        face = walls;
        if (status == SCREE_OK && !all)
            face = find(m, walls, text_of(m, one));
        if (status == SCREE_OK && face < 0)
            status = add_beside(m, walls, one, &face);
        if (status == SCREE_OK)
            status = merge_material(m, face, material);
    }
    return status;
}

// ---- A change ----------------------------------------------------------------------------------------------------------

// A value as YAML in one line. Texts are quoted where they were, or where it takes that.
static void say_node(scene_out* t, const scene_tree* tree, int32_t n)
{
    const scene_node* node = &tree->nodes[n];
    if (node->kind == SCENE_SCALAR) {
        const char* bytes = scree_scene_text(tree, node);
        bool quoted = node->quoted || node->length == 0;
        for (const char* c = bytes; *c != '\0' && !quoted; ++c)
            quoted = strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.+-", *c) == NULL;
        scree_scene_put(t, "\"", quoted);
        for (const char* c = bytes; *c != '\0'; ++c) {
            scree_scene_put(t, "\\", quoted && (*c == '"' || *c == '\\'));
            scree_scene_put(t, c, 1);
        }
        scree_scene_put(t, "\"", quoted);
        return;
    }
    bool map = node->kind == SCENE_MAP;
    scree_scene_put(t, map ? "{" : "[", 1);
    for (int32_t one = node->first, k = 0; one >= 0; one = tree->nodes[one].next, ++k) {
        scree_scene_put(t, map && k % 2 == 1 ? ": " : ", ", k > 0 ? 2 : 0);
        say_node(t, tree, one);
    }
    scree_scene_put(t, map ? "}" : "]", 1);
}

static scree_status say_key(scene_out* t, const scene_tree* tree, int32_t key)
{
    const char* name = scree_scene_text(tree, &tree->nodes[key]);
    scree_scene_put(t, "\n", t->length > 0);
    scree_scene_put(t, name, strlen(name));
    scree_scene_put(t, ": ", 2);
    say_node(t, tree, tree->nodes[key].next);
    return t->status;
}

// What a change sets, by the key: its flag and how it is merged.
static scree_status merge_key(merger* m, int32_t key, scene_out* said)
{
    const struct {
        const char* name;
        bool* sets;
        scree_status (*merge)(merger* m, int32_t key);
    } kinds[] = {{"contact", &m->contacts, merge_map}, {"pairs", &m->contacts, merge_pairs}, {"materials", &m->contacts, merge_entries}, {"insert", &m->flow, merge_entries},
                 {"outlets", &m->flow, merge_entries}, {"output", &m->output, merge_map}, {"checkpoint", &m->output, merge_map}, {"time", &m->time, merge_map},
                 {"walls", NULL, merge_walls}, {"surfaces", NULL, merge_surfaces}};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; ++k) {
        if (!is_word(m, key, kinds[k].name))
            continue;
        scree_status status = kinds[k].sets != NULL ? say_key(said, &m->tree, key) : SCREE_OK;  // before nodes are linked again
        if (kinds[k].sets != NULL)
            *kinds[k].sets = true;
        return status == SCREE_OK ? kinds[k].merge(m, key) : status;
    }
    return SCREE_OK;
}

static scree_status check_change(const scene_reader* reader, const merger* m, const scene_node* item)
{
    const scree_scene* scene = reader->scene;
    if (m->contacts && scene->body_count > 0)
        return scree_scene_fail(reader->tree, item, "this change sets contacts, which is not supported with bodies; expected a scene of spheres only");
    if (m->time && scene->body_count > 0)
        return scree_scene_fail(reader->tree, item, "this change sets the time step, which is not supported with bodies; expected a scene of spheres only");
    if (m->contacts && scene->start_run != NULL)
        return scree_scene_fail(reader->tree, item, "this change sets contacts, which is not supported with start; expected contacts in the scene itself");
    return SCREE_OK;
}

static scree_status read_change(merger* m, scree_scene_change* change)
{
    change->scene = scree_calloc(1, sizeof *change->scene);
    if (change->scene == NULL)
        return SCREE_ERR_MEMORY;
    return scree_scene_take_tree(&m->tree, change->scene);
}

scree_status scree_scene_settle_changes(scene_reader* reader)
{
    scree_scene* scene = reader->scene;
    if (scene->change_count == 0)
        return SCREE_OK;
    merger m = {.tree = {.name = reader->tree->name}};
    scree_status status = SCREE_RESERVE(m.tree.nodes, m.tree.capacity, reader->tree->count);
    if (status == SCREE_OK)
        status = SCREE_RESERVE(m.tree.text, m.tree.text_capacity, reader->tree->text_length);
    if (status == SCREE_OK) {
        m.tree.count = reader->tree->count;
        m.tree.text_length = reader->tree->text_length;
        memcpy(m.tree.nodes, reader->tree->nodes, (size_t)m.tree.count * sizeof *m.tree.nodes);
        memcpy(m.tree.text, reader->tree->text, (size_t)m.tree.text_length);
    }
    int32_t list = status == SCREE_OK ? find(&m, 0, "changes") : -1;
    if (status == SCREE_OK)
        scree_tree_drop(&m.tree, 0, "changes", strlen("changes"));
    int32_t n = 0;
    int64_t values = 0;
    for (int32_t item = list >= 0 ? at(&m, list)->first : -1; item >= 0 && status == SCREE_OK; ++n) {
        scree_scene_change* change = &scene->changes[n];
        scene_out said = {.bytes = NULL};
        int32_t next = at(&m, item)->next;
        m.contacts = m.flow = m.output = m.time = false;
        for (int32_t key = at(&m, item)->first, after; key >= 0 && status == SCREE_OK; key = after) {
            after = at(&m, at(&m, key)->next)->next;
            status = merge_key(&m, key, &said);
        }
        change->said = said.bytes;
        change->sets_contacts = m.contacts;
        change->sets_flow = m.flow;
        change->sets_output = m.output;
        change->sets_time = m.time;
        if (status == SCREE_OK)
            status = check_change(reader, &m, &reader->tree->nodes[item]);
        bool reads = m.contacts || m.flow || m.output || m.time;
        values += reads ? m.tree.count : 0;
        if (status == SCREE_OK && reads && values > values_most)
            status = scree_scene_fail(reader->tree, &reader->tree->nodes[item], "too many changes of contacts, insert, outlets and output (the scene has %" PRId64 " values); expected fewer", reader->tree->count);
        if (status == SCREE_OK && reads)
            status = read_change(&m, change);
        if (status == SCREE_OK && m.contacts && ((scree_scene_parts(change->scene) ^ scree_scene_parts(scene)) & SCENE_PART_BRIDGE) != 0)
            status = scree_scene_fail(reader->tree, &reader->tree->nodes[item], "this change sets a bridge_volume where there was none, or none where there was one; expected bridges before and after a change, or never");
        item = next;
    }
    scree_free(m.tree.nodes);
    scree_free(m.tree.text);
    return status;
}

void scree_scene_change_free(scree_scene_change* change)
{
    for (int32_t f = 0; f < change->force_count; ++f)
        scree_free(change->forces[f].name);
    scree_free(change->forces);
    scree_scene_loads_free(change->loads, change->load_count);
    scree_scene_condition_free(&change->when);
    scree_free(change->said);
    scene_free(change->scene);
    scree_free(change->scene);
}

const scree_scene* scree_scene_from(const scree_scene* scene, int64_t change)
{
    SCREE_NEED_OR(scene, NULL);
    if (change < -1 || change >= scene->change_count) {
        scree_fail(SCREE_ERR_ARGUMENT, "scene: change %" PRId64 "; expected -1, for the start, to %" PRId64, change, scene->change_count - 1);
        return NULL;
    }
    for (; change >= 0; --change)
        if (scene->changes[change].scene != NULL)
            return scene->changes[change].scene;
    return scene;
}
