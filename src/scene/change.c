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
#include "scene/value.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

// ---- Keys that no change can set ---------------------------------------------------------------------------------------

typedef struct rejected {
    const char *key, *why;
} rejected;

static const rejected of_scene[] = {
    {"dimension", "it is that of all spheres"},
    {"box", "walls move by changes.walls, and a periodic box by changes.cell"},
    {"spheres", "spheres come and go by insert and outlets, and changes.force, velocity, freeze and release are for groups"},
    {"bodies", "they are set at the start"},
    {"bonds", "they are set at the start, and break by themselves"},
    {"start", "a run begins once"},
    {"seed", "random numbers follow from the seed and the number of a sphere"},
    {"search", "it never changes a result; a resumed run may choose another method"},
    {"order_every", "the result depends on it bit by bit"},
    {"giants", "the result depends on it bit by bit"},
};

static const rejected of_contact[] = {
    {"law", "contacts remember what their law needs"},
    {"tangential", "contacts remember what the parts of their law need; a friction of 0 in contact and another one here switches it on"},
    {"rolling", "contacts remember what the parts of their law need; a rolling_friction of 0 in contact and another one here switches it on"},
    {"twisting", "contacts remember what the parts of their law need; a twisting_friction of 0 in contact and another one here switches it on"},
    {"pull", "it is part of the law"},
    {"rule", "it is set at the start"},
    {"rounding", "it is set at the start"},
};

static const rejected of_materials[] = {
    {"material_density", "the masses of spheres do not change"},
    {"preset", "a preset has a density, and the masses of spheres do not change; give young and poisson"},
};

#define COUNT(list) (sizeof(list) / sizeof *(list))

static const int64_t values_most = 20000000;  // that are read again: values of the scene times changes

static scree_status reject(const scene_tree* tree, const scene_node* key, const char* path, const rejected* list, size_t count)
{
    for (size_t k = 0; k < count; ++k)
        if (strcmp(scree_scene_text(tree, key), list[k].key) == 0)
            return scree_scene_fail(tree, key, "%s.%s: %s is constant during a run; expected other keys here: %s", path, list[k].key, list[k].key, list[k].why);
    return SCREE_OK;
}

scree_status scree_scene_reject_change(const scene_reader* reader, const scene_node* key)
{
    return reject(reader->tree, key, "changes", of_scene, COUNT(of_scene));
}

// ---- Trees -------------------------------------------------------------------------------------------------------------

// A tree that is written to: nodes of its own, and the text of another one. Nodes are known by their numbers, since their place in memory changes.
typedef struct merger {
    scene_tree tree;
    bool contacts, flow, output, time;  // what the change sets
} merger;

static const scene_node* at(const merger* m, int32_t n)
{
    return &m->tree.nodes[n];
}

static scree_status add_node(merger* m, scene_node node, int32_t* out)
{
    if (SCREE_RESERVE(m->tree.nodes, m->tree.capacity, m->tree.count + 1) != SCREE_OK)
        return SCREE_ERR_MEMORY;
    *out = (int32_t)m->tree.count;
    node.next = -1;
    m->tree.nodes[m->tree.count++] = node;
    return SCREE_OK;
}

// The key of that name in a map; -1: none.
static int32_t find_key(const merger* m, int32_t map, const char* name)
{
    for (int32_t key = at(m, map)->kind == SCENE_MAP ? at(m, map)->first : -1; key >= 0; key = at(m, at(m, key)->next)->next)
        if (strcmp(scree_scene_text(&m->tree, at(m, key)), name) == 0)
            return key;
    return -1;
}

// Its value; -1: none.
static int32_t find_value(const merger* m, int32_t map, const char* name)
{
    int32_t key = map >= 0 ? find_key(m, map, name) : -1;
    return key >= 0 ? at(m, key)->next : -1;
}

static void append(merger* m, int32_t to, int32_t node, int32_t last_of_node, int32_t count)
{
    scene_node* whole = &m->tree.nodes[to];
    int32_t last = -1;
    for (int32_t n = whole->first; n >= 0; n = at(m, n)->next)
        last = n;
    m->tree.nodes[last_of_node].next = -1;
    if (last >= 0)
        m->tree.nodes[last].next = node;
    else
        whole->first = node;
    whole->count += count;
}

// The key and the value after it, in place of one that is there. MEMORY
static scree_status put(merger* m, int32_t map, int32_t key)
{
    int32_t there = find_key(m, map, scree_scene_text(&m->tree, at(m, key))), value, copy;
    scree_status status = add_node(m, *at(m, at(m, key)->next), &value);
    if (status != SCREE_OK)
        return status;
    if (there >= 0) {
        m->tree.nodes[value].next = at(m, at(m, there)->next)->next;
        m->tree.nodes[there].next = value;
        return SCREE_OK;
    }
    status = add_node(m, *at(m, key), &copy);
    if (status != SCREE_OK)
        return status;
    m->tree.nodes[copy].next = value;
    append(m, map, copy, value, 2);
    return SCREE_OK;
}

static void drop(merger* m, int32_t map, const char* name)
{
    int32_t before = -1;
    for (int32_t key = at(m, map)->first; key >= 0; key = at(m, at(m, key)->next)->next) {
        int32_t value = at(m, key)->next;
        if (strcmp(scree_scene_text(&m->tree, at(m, key)), name) != 0) {
            before = value;
            continue;
        }
        if (before >= 0)
            m->tree.nodes[before].next = at(m, value)->next;
        else
            m->tree.nodes[map].first = at(m, value)->next;
        m->tree.nodes[map].count -= 2;
        return;
    }
}

// One of these in the change: all others of them leave the map.
static bool drop_others(merger* m, int32_t map, int32_t from, const char* const* names, size_t count)
{
    bool any = false;
    for (size_t k = 0; k < count; ++k)
        any = any || find_key(m, from, names[k]) >= 0;
    for (size_t k = 0; k < count && any; ++k)
        drop(m, map, names[k]);
    return any;
}

static scree_status need_map(const merger* m, int32_t node, const char* path)
{
    return at(m, node)->kind == SCENE_MAP ? SCREE_OK : scree_scene_fail(&m->tree, at(m, node), "%s is not a map; expected keys with values", path);
}

// The map of that name of the scene; without one, that of the change becomes it. *map: -1 then.
static scree_status open_map(merger* m, int32_t key, int32_t* map)
{
    *map = find_value(m, 0, scree_scene_text(&m->tree, at(m, key)));
    return *map >= 0 ? SCREE_OK : put(m, 0, key);
}

static scree_status put_all(merger* m, int32_t map, int32_t from)
{
    scree_status status = SCREE_OK;
    for (int32_t key = at(m, from)->first; key >= 0 && status == SCREE_OK; key = at(m, at(m, key)->next)->next)
        status = put(m, map, key);
    return status;
}

// ---- Contacts ----------------------------------------------------------------------------------------------------------

static const char* const losses[] = {"damping", "restitution", "viscous_time"};
static const char* const stiffnesses[] = {"stiffness", "duration", "overlap"};

static scree_status merge_contact(merger* m, int32_t key)
{
    int32_t from = at(m, key)->next, map;
    scree_status status = need_map(m, from, "changes.contact");
    for (int32_t one = status == SCREE_OK ? at(m, from)->first : -1; one >= 0 && status == SCREE_OK; one = at(m, at(m, one)->next)->next)
        status = reject(&m->tree, at(m, one), "changes.contact", of_contact, COUNT(of_contact));
    if (status == SCREE_OK)
        status = open_map(m, key, &map);
    if (status != SCREE_OK || map < 0)
        return status;
    // A speed goes with an overlap, or with a stiffness from Young's moduli.
    int32_t stiffness = find_value(m, map, "stiffness");
    bool fast = find_key(m, map, "overlap") >= 0 || (stiffness >= 0 && strcmp(scree_scene_text(&m->tree, at(m, stiffness)), "from-young") == 0);
    if (drop_others(m, map, from, stiffnesses, COUNT(stiffnesses)) && fast)
        drop(m, map, "speed");
    drop_others(m, map, from, losses, COUNT(losses));
    return put_all(m, map, from);
}

static bool is_word(const merger* m, int32_t node, const char* word)
{
    return at(m, node)->kind == SCENE_SCALAR && strcmp(scree_scene_text(&m->tree, at(m, node)), word) == 0;
}

static bool names_same(const merger* m, int32_t a, int32_t b)
{
    int32_t of[2] = {find_value(m, a, "between"), find_value(m, b, "between")};
    const char* name[2][2];
    for (int k = 0; k < 2; ++k) {
        if (of[k] < 0 || at(m, of[k])->kind != SCENE_LIST || at(m, of[k])->count != 2)
            return false;
        int32_t first = at(m, of[k])->first;
        name[k][0] = scree_scene_text(&m->tree, at(m, first));
        name[k][1] = scree_scene_text(&m->tree, at(m, at(m, first)->next));
    }
    return (strcmp(name[0][0], name[1][0]) == 0 && strcmp(name[0][1], name[1][1]) == 0) || (strcmp(name[0][0], name[1][1]) == 0 && strcmp(name[0][1], name[1][0]) == 0);
}

static scree_status merge_pair(merger* m, int32_t list, int32_t item)
{
    for (int32_t one = at(m, list)->first; one >= 0; one = at(m, one)->next)
        if (at(m, one)->kind == SCENE_MAP && names_same(m, one, item)) {
            drop_others(m, one, item, losses, COUNT(losses));
            return put_all(m, one, item);
        }
    int32_t copy;
    scree_status status = add_node(m, *at(m, item), &copy);
    if (status == SCREE_OK)
        append(m, list, copy, copy, 1);
    return status;
}

static scree_status merge_pairs(merger* m, int32_t key)
{
    int32_t from = at(m, key)->next, list;
    if (at(m, from)->kind != SCENE_LIST)
        return scree_scene_fail(&m->tree, at(m, from), "changes.pairs is not a list; expected a list of maps");
    scree_status status = open_map(m, key, &list);
    if (status != SCREE_OK || list < 0)
        return status;
    if (is_word(m, list, "mix")) {  // pairs: mix becomes a list of that word
        int32_t word;
        status = add_node(m, *at(m, list), &word);
        if (status != SCREE_OK)
            return status;
        scene_node* whole = &m->tree.nodes[list];
        whole->kind = SCENE_LIST;
        whole->count = 0;
        whole->first = -1;
        append(m, list, word, word, 1);
    }
    for (int32_t item = at(m, from)->first, next; item >= 0 && status == SCREE_OK; item = next) {
        next = at(m, item)->next;
        if (at(m, item)->kind != SCENE_MAP)
            return scree_scene_fail(&m->tree, at(m, item), "changes.pairs: an entry is not a map; expected keys with values");
        status = merge_pair(m, list, item);
    }
    return status;
}

static scree_status merge_materials(merger* m, int32_t key)
{
    static const char path[] = "changes.materials";
    int32_t from = at(m, key)->next, all = find_value(m, 0, "materials");
    char shown[SCREE_SHOWN];
    scree_status status = need_map(m, from, path);
    for (int32_t name = status == SCREE_OK ? at(m, from)->first : -1; name >= 0 && status == SCREE_OK; name = at(m, at(m, name)->next)->next) {
        int32_t map = at(m, name)->next, there = find_value(m, all, scree_scene_text(&m->tree, at(m, name)));
        if (there < 0)
            return scree_scene_fail(&m->tree, at(m, name), "%s: unknown material '%s'; expected one of the materials", path, scree_csv_shown(shown, scree_scene_text(&m->tree, at(m, name)), at(m, name)->length));
        status = need_map(m, map, path);
        for (int32_t one = status == SCREE_OK ? at(m, map)->first : -1; one >= 0 && status == SCREE_OK; one = at(m, at(m, one)->next)->next)
            status = reject(&m->tree, at(m, one), path, of_materials, COUNT(of_materials));
        if (status != SCREE_OK || at(m, there)->kind == SCENE_MAP) {
            status = status == SCREE_OK ? put_all(m, there, map) : status;
            continue;
        }
        // The word of a preset becomes a map with it.
        int32_t word, preset;
        scene_node named = *at(m, there);
        named.quoted = false;
        static const char text[] = "preset";
        if (SCREE_RESERVE(m->tree.text, m->tree.text_capacity, m->tree.text_length + (int64_t)sizeof text) != SCREE_OK)
            return SCREE_ERR_MEMORY;
        memcpy(m->tree.text + m->tree.text_length, text, sizeof text);
        named.text = m->tree.text_length;
        named.length = sizeof text - 1;
        m->tree.text_length += (int64_t)sizeof text;
        status = add_node(m, named, &preset);
        if (status == SCREE_OK)
            status = add_node(m, *at(m, there), &word);
        if (status != SCREE_OK)
            return status;
        m->tree.nodes[preset].next = word;
        scene_node* whole = &m->tree.nodes[there];
        whole->kind = SCENE_MAP;
        whole->first = preset;
        whole->count = 2;
        status = put_all(m, there, map);
    }
    return status;
}

// walls: {material: NAME, lower_z: {material: NAME}}; how they move is no matter of the scene from then on.
static scree_status merge_walls(merger* m, int32_t key)
{
    int32_t from = at(m, key)->next, walls = find_value(m, 0, "walls");
    scree_status status = SCREE_OK;
    for (int32_t one = at(m, from)->kind == SCENE_MAP ? at(m, from)->first : -1; one >= 0 && status == SCREE_OK; one = at(m, at(m, one)->next)->next) {
        int32_t value = at(m, one)->next;
        bool face = at(m, value)->kind == SCENE_MAP, all = strcmp(scree_scene_text(&m->tree, at(m, one)), "material") == 0;
        int32_t material = face ? find_key(m, value, "material") : -1;
        if (!all && material < 0)
            continue;
        m->contacts = true;
        if (walls < 0) {  // an empty map to begin with
            int32_t copy, map;
            status = add_node(m, *at(m, key), &copy);
            if (status == SCREE_OK)
                status = add_node(m, *at(m, from), &map);
            if (status != SCREE_OK)
                return status;
            m->tree.nodes[map].first = -1;
            m->tree.nodes[map].count = 0;
            m->tree.nodes[copy].next = map;
            append(m, 0, copy, map, 2);
            walls = map;
        }
        if (all) {
            status = put(m, walls, one);
            continue;
        }
        int32_t own = find_value(m, walls, scree_scene_text(&m->tree, at(m, one)));
        if (own >= 0) {
            status = put(m, own, material);
            continue;
        }
        int32_t copy, map, name, word;
        status = add_node(m, *at(m, one), &copy);
        if (status == SCREE_OK)
            status = add_node(m, *at(m, value), &map);
        if (status == SCREE_OK)
            status = add_node(m, *at(m, material), &name);
        if (status == SCREE_OK)
            status = add_node(m, *at(m, at(m, material)->next), &word);
        if (status != SCREE_OK)
            return status;
        m->tree.nodes[name].next = word;
        m->tree.nodes[map].first = name;
        m->tree.nodes[map].count = 2;
        m->tree.nodes[copy].next = map;
        append(m, walls, copy, map, 2);
    }
    return status;
}

// ---- Lists by name -----------------------------------------------------------------------------------------------------

static int32_t find_entry(const merger* m, const char* list, const char* name)
{
    int32_t all = find_value(m, 0, list);
    for (int32_t one = all >= 0 && at(m, all)->kind == SCENE_LIST ? at(m, all)->first : -1; one >= 0; one = at(m, one)->next) {
        int32_t own = find_value(m, one, "name");
        if (own >= 0 && strcmp(scree_scene_text(&m->tree, at(m, own)), name) == 0)
            return one;
    }
    return -1;
}

// surfaces: {NAME: {material: NAME}}
static scree_status merge_surfaces(merger* m, int32_t key)
{
    int32_t from = at(m, key)->next;
    scree_status status = SCREE_OK;
    for (int32_t name = at(m, from)->first; name >= 0 && status == SCREE_OK; name = at(m, at(m, name)->next)->next) {  // they were read already: names and maps
        int32_t material = find_key(m, at(m, name)->next, "material"), entry = find_entry(m, "surfaces", scree_scene_text(&m->tree, at(m, name)));
        if (material < 0 || entry < 0)
            continue;
        m->contacts = true;
        status = put(m, entry, material);
    }
    return status;
}

// Entries of insert or outlets, by name, with some of their keys.
static scree_status merge_entries(merger* m, int32_t key, const char* const* names, size_t count)
{
    const char* list = scree_scene_text(&m->tree, at(m, key));
    int32_t from = at(m, key)->next;
    char path[32], shown[SCREE_SHOWN];
    snprintf(path, sizeof path, "changes.%.20s", list);
    scree_status status = need_map(m, from, path);
    for (int32_t name = status == SCREE_OK ? at(m, from)->first : -1; name >= 0 && status == SCREE_OK; name = at(m, at(m, name)->next)->next) {
        int32_t map = at(m, name)->next, entry = find_entry(m, list, scree_scene_text(&m->tree, at(m, name)));
        if (entry < 0)
            return scree_scene_fail(&m->tree, at(m, name), "%s: no entry of %s is named '%s'; expected the name of an entry", path, list, scree_csv_shown(shown, scree_scene_text(&m->tree, at(m, name)), at(m, name)->length));
        status = need_map(m, map, path);
        for (int32_t one = status == SCREE_OK ? at(m, map)->first : -1; one >= 0 && status == SCREE_OK; one = at(m, at(m, one)->next)->next) {
            const char* text = scree_scene_text(&m->tree, at(m, one));
            size_t k = 0;
            char all[160] = "";
            while (k < count && strcmp(text, names[k]) != 0)
                ++k;
            for (size_t other = 0, used = 0; other < count; ++other)
                used += (size_t)snprintf(all + used, sizeof all - used, "%s%s", other > 0 ? ", " : "", names[other]);
            if (k == count)
                return scree_scene_fail(&m->tree, at(m, one), "%s: '%s' cannot change during a run; expected %s", path, scree_csv_shown(shown, text, at(m, one)->length), all);
            bool number = strcmp(text, "rate") == 0, mass = strcmp(text, "mass_rate") == 0;
            if ((number || mass) && find_key(m, entry, number ? "rate" : "mass_rate") < 0)
                return scree_scene_fail(&m->tree, at(m, one), "%s: this entry has no %s; expected the kind of rate (spheres or mass) with which the run began", path, text);
        }
        if (status == SCREE_OK)
            status = put_all(m, entry, map);
    }
    return status;
}

// output, checkpoint and time: some of their keys.
static scree_status merge_output(merger* m, int32_t key, const char* const* names, size_t count, const char* those)
{
    static const char* const frames[] = {"every", "every_steps"};
    const char* which = scree_scene_text(&m->tree, at(m, key));
    int32_t from = at(m, key)->next, map;
    char path[32], shown[SCREE_SHOWN];
    snprintf(path, sizeof path, "changes.%.20s", which);
    scree_status status = need_map(m, from, path);
    for (int32_t one = status == SCREE_OK ? at(m, from)->first : -1; one >= 0 && status == SCREE_OK; one = at(m, at(m, one)->next)->next) {
        size_t k = 0;
        while (k < count && strcmp(scree_scene_text(&m->tree, at(m, one)), names[k]) != 0)
            ++k;
        if (k == count)
            return scree_scene_fail(&m->tree, at(m, one), "%s: '%s' cannot change during a run; expected %s", path,
                                    scree_csv_shown(shown, scree_scene_text(&m->tree, at(m, one)), at(m, one)->length), those);
        if (strcmp(names[k], "step") == 0 && is_word(m, at(m, one)->next, "auto"))
            return scree_scene_fail(&m->tree, at(m, at(m, one)->next), "%s.step: auto is for the start; expected a number", path);
    }
    if (status == SCREE_OK)
        status = open_map(m, key, &map);
    if (status != SCREE_OK || map < 0)
        return status;
    if (strcmp(which, "output") == 0)
        drop_others(m, map, from, frames, COUNT(frames));
    return put_all(m, map, from);
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

static scree_status merge_key(merger* m, int32_t key, scene_out* said)
{
    static const char* const of_insert[] = {"rate", "mass_rate", "count", "end", "velocity", "closed"};
    static const char* const of_outlets[] = {"closed"};
    static const char* const of_output[] = {"every", "every_steps", "log_every_steps"};
    static const char* const of_time[] = {"step"};
    const char* name = scree_scene_text(&m->tree, at(m, key));
    bool contact = strcmp(name, "contact") == 0, pairs = strcmp(name, "pairs") == 0, materials = strcmp(name, "materials") == 0;
    bool insert = strcmp(name, "insert") == 0, outlets = strcmp(name, "outlets") == 0, output = strcmp(name, "output") == 0, checkpoint = strcmp(name, "checkpoint") == 0, time = strcmp(name, "time") == 0;
    if (strcmp(name, "walls") == 0)
        return merge_walls(m, key);
    if (strcmp(name, "surfaces") == 0)
        return merge_surfaces(m, key);
    m->contacts = m->contacts || contact || pairs || materials;
    m->flow = m->flow || insert || outlets;
    m->output = m->output || output || checkpoint;
    m->time = m->time || time;
    scree_status status = SCREE_OK;
    if (contact || pairs || materials || insert || outlets || output || checkpoint || time)
        status = say_key(said, &m->tree, key);  // before nodes are linked again
    if (status != SCREE_OK)
        return status;
    return contact   ? merge_contact(m, key)
           : pairs     ? merge_pairs(m, key)
           : materials ? merge_materials(m, key)
           : insert    ? merge_entries(m, key, of_insert, COUNT(of_insert))
           : outlets   ? merge_entries(m, key, of_outlets, COUNT(of_outlets))
           : output    ? merge_output(m, key, of_output, COUNT(of_output), "every, every_steps and log_every_steps")
           : checkpoint ? merge_output(m, key, of_output, 1, "every")
           : time       ? merge_output(m, key, of_time, 1, "step")
                        : SCREE_OK;
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
    int32_t list = status == SCREE_OK ? find_value(&m, 0, "changes") : -1;
    if (status == SCREE_OK)
        drop(&m, 0, "changes");
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
