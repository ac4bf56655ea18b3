// From the tree to the scene, map by map. First all keys of a map are looked up in the table, so that an unknown or repeated one is reported
// before any value; then the values are read in the order of the file, but for those that others depend on or that depend on
// others: the dimension and `start` come first; bodies come behind materials, and pairs, bonds and spheres behind both; and walls and changes, which must know the box and the groups, last.
#include "scene/cell.h"
#include "scene/scene_inner.h"

#include "files/csv.h"
#include "scene/value.h"
#include "scree/levels.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const scene_node* node_at(const scene_reader* reader, int32_t n)
{
    return n < 0 ? NULL : &reader->tree->nodes[n];
}

// ---- Keys --------------------------------------------------------------------------------------------------------

static int32_t row_of(const scene_reader* reader, const scene_node* key, const char* map)
{
    int32_t count;
    const scree_scene_key* keys = scree_scene_keys(&count);
    for (int32_t k = 0; k < count; ++k)
        if (scree_scene_is_child(keys[k].path, map) && scree_scene_says(reader, key, scree_scene_last_name(keys[k].path)))
            return k;
    return -1;
}

// Keys that other programs have and people try, and what they are called here.
static const char* const other_names[][2] = {{"mu", "friction"},
                                             {"density", "material_density"},
                                             {"friction_coefficient", "friction"},
                                             {"static_friction", "friction"},
                                             {"sliding_friction", "friction"},
                                             {"dynamic_friction", "friction_dynamic"},
                                             {"rolling_resistance", "rolling_friction"},
                                             {"shear_stiffness", "tangential_stiffness"},
                                             {"shear_damping", "tangential_damping"},
                                             {"torsion", "twisting"},
                                             {"youngs_modulus", "young"},
                                             {"poissons_ratio", "poisson"},
                                             {"angular_velocity", "spin"},
                                             {"omega", "spin"}};

// Keys of earlier versions.
static const char* const gone_names[][2] = {{"merge_angle", "version 0.3 needs no angle, because meshes conserve energy at any edge (docs/surface.md)"}};

static scree_status unknown_key(const scene_reader* reader, const scene_node* node, const char* map)
{
    int32_t count;
    const scree_scene_key* keys = scree_scene_keys(&count);
    const char *text = scree_scene_text(reader->tree, node), *elsewhere = NULL;
    scene_names names = scree_scene_names_for(reader, node);
    char shown[SCREE_SHOWN], where[64] = "";
    for (int32_t k = 0; k < count; ++k) {
        const char* name = scree_scene_last_name(keys[k].path);
        if (scree_scene_is_child(keys[k].path, map))
            scree_scene_names_add(&names, name);
        else if (elsewhere == NULL && strcmp(text, name) == 0)
            elsewhere = keys[k].path;
    }
    scree_csv_shown(shown, text, node->length);
    if (*map != '\0')
        snprintf(where, sizeof where, " in %s", map);
    if (strspn(text, "0123456789") == strlen(text) && text[0] != '\0')
        return scree_scene_fail(reader->tree, node, "'%s' is no key%s; expected a point where this is the rest of a decimal number: 0.5, not 0,5", shown, where);
    for (size_t k = 0; k < sizeof gone_names / sizeof *gone_names; ++k)
        if (strcmp(text, gone_names[k][0]) == 0)
            return scree_scene_fail(reader->tree, node, "there is no key '%s'%s: %s; expected it left out", shown, where, gone_names[k][1]);
    for (size_t k = 0; k < sizeof other_names / sizeof *other_names; ++k)
        if (strcmp(text, other_names[k][0]) == 0)
            return scree_scene_fail(reader->tree, node, "unknown key '%s'%s; expected a known one: did you mean %s?", shown, where, other_names[k][1]);
    if (scree_scene_names_is_near(&names))
        return scree_scene_fail(reader->tree, node, "unknown key '%s'%s; expected a known one: did you mean %s?", shown, where, names.near);
    if (elsewhere != NULL && strchr(elsewhere, '.') == NULL)
        return scree_scene_fail(reader->tree, node, "unknown key '%s'%s; expected it at the top level of the scene", shown, where);
    if (elsewhere != NULL)
        return scree_scene_fail(reader->tree, node, "unknown key '%s'%s; expected a known one: did you mean %s?", shown, where, elsewhere);
    return scree_scene_fail(reader->tree, node, "unknown key '%s'%s; expected one of %s", shown, where, names.all);
}

static scree_status match_keys(scene_reader* reader, const scene_node* map, const char* path)
{
    for (const scene_node* key = node_at(reader, map->first); key != NULL;) {
        int32_t row = row_of(reader, key, path);
        if (row < 0) {
            scree_status status = strcmp(path, "changes") == 0 ? scree_scene_reject_change(reader, key) : SCREE_OK;
            return status != SCREE_OK ? status : unknown_key(reader, key, path);
        }
        char where[128];
        if (reader->given[row] != NULL)
            return scree_scene_fail(reader->tree, key, "the key %s is in %s already; expected it once",
                                    scree_scene_row(row)->path, scree_scene_where(reader->tree, reader->given[row], where));
        reader->given[row] = key;
        key = node_at(reader, node_at(reader, key->next)->next);
    }
    return SCREE_OK;
}

// ---- Values ------------------------------------------------------------------------------------------------------

// The numbers of a list. One that changes with time is 0 here: read_pair.
static scree_status read_entries(const scene_reader* reader, const scree_scene_key* key, const scene_node* node, double* to)
{
    int32_t n = 0;
    scree_status status = SCREE_OK;
    for (const scene_node* entry = node_at(reader, node->first); entry != NULL && status == SCREE_OK; entry = node_at(reader, entry->next), ++n) {
        const bool signal = key->field->form == SCENE_FORM_PAIR && scree_scene_is_signal(entry);
        to[n] = 0.0;
        status = signal ? SCREE_OK : scree_scene_number(reader, key, entry, n + 1, &to[n]);
    }
    return status;
}

static scree_status read_numbers(const scene_reader* reader, const scree_scene_key* key, const scene_node* node, int32_t wanted,
                                 double* to)
{
    if (node->kind != SCENE_LIST)
        return scree_scene_reject(reader, key, node, 0);
    if (node->count != wanted)
        return scree_scene_fail(reader->tree, node, "%s has %" PRId32 " %s; expected %" PRId32 " numbers, %s", key->path,
                                node->count, node->count == 1 ? "entry" : "entries", wanted,
                                key->field->form == SCENE_FORM_PAIR ? "for the lower and the upper wall"
                                : wanted == 2                       ? "because the dimension is 2"
                                : reader->given[scree_scene_find("dimension")] != NULL
                                    ? "because the dimension is 3"
                                    : "because the dimension is 3 unless it is given");
    double values[3];
    scree_status status = read_entries(reader, key, node, values);
    if (status == SCREE_OK)
        memcpy(to, values, (size_t)wanted * sizeof *to);
    return status;
}

static scree_status read_turn(const scene_reader* reader, const scree_scene_key* key, const scene_node* node, double to[3])
{
    return reader->scene->sim.box.dim == 2 ? scree_scene_number(reader, key, node, 0, &to[2])
                                           : read_numbers(reader, key, node, 3, to);
}

static scree_status read_pair(const scene_reader* reader, const scree_scene_key* key, const scene_node* node, double to[2], char* target)
{
    int axis = scree_scene_axis(*scree_scene_last_name(key->path));
    scree_status status = scree_scene_check_axis(reader, key, node, axis);
    if (status == SCREE_OK)
        status = read_numbers(reader, key, node, 2, to);
    bool change = strncmp(key->path, "changes.", strlen("changes.")) == 0;
    if (status == SCREE_OK && change)
        ((scree_scene_change*)(void*)target)->names_walls[axis] = true;
    const scene_node* entry = status == SCREE_OK ? node_at(reader, node->first) : NULL;
    for (int side = 0; side < 2 && status == SCREE_OK; ++side, entry = node_at(reader, entry->next))
        if (scree_scene_is_signal(entry))
            status = scree_scene_read_wall_signal(reader, key, entry, 2 * axis + side, scree_scene_loads_of(reader->scene, key, target));
    return status;
}

static scree_status read_text(const scene_reader* reader, const scree_scene_key* key, const scene_node* node, char** to)
{
    if (node->kind != SCENE_SCALAR || node->length == 0)
        return scree_scene_reject(reader, key, node, 0);
    const char *text = scree_scene_text(reader->tree, node), *what;
    size_t at;
    if (!scree_scene_plain(text, (size_t)node->length, false, &at, &what))
        return scree_scene_fail(reader->tree, node, "%s has a line end or a control character; expected plain text", key->path);
    char* copy = scree_malloc((size_t)node->length + 1, 1);
    if (copy == NULL)
        return SCREE_ERR_MEMORY;
    memcpy(copy, text, (size_t)node->length + 1);
    scree_free(*to);
    *to = copy;
    return SCREE_OK;
}

static scree_status read_flag(const scene_reader* reader, const scree_scene_key* key, const scene_node* node, bool* to)
{
    bool yes = !node->quoted && scree_scene_says(reader, node, "true");
    if (!yes && (node->quoted || !scree_scene_says(reader, node, "false")))
        return scree_scene_reject(reader, key, node, 0);
    *to = yes;
    return SCREE_OK;
}

// A list of different words; bit w says whether word w is in it.
static scree_status read_words(const scene_reader* reader, const scree_scene_key* key, const scene_node* node, int32_t count,
                               uint32_t* bits)
{
    if (node->kind != SCENE_LIST)
        return scree_scene_reject(reader, key, node, 0);
    *bits = 0;
    int32_t n = 0;
    for (const scene_node* entry = node_at(reader, node->first); entry != NULL; entry = node_at(reader, entry->next)) {
        int32_t word = 0;
        scree_status status = scree_scene_word(reader, key, entry, ++n, &word);
        if (status != SCREE_OK)
            return status;
        if (word >= count)  // the axis z in 2D
            return scree_scene_reject(reader, key, entry, n);
        if ((*bits >> word & 1u) != 0)
            return scree_scene_fail(reader->tree, entry, "%s names %s twice; expected it once", key->path, scree_scene_word_at(key->field, word));
        *bits |= 1u << word;
    }
    return SCREE_OK;
}

static scree_status read_sizes(const scene_reader* reader, const scree_scene_key* key, const scene_node* node)
{
    scree_scene* scene = reader->scene;
    if (node->kind != SCENE_LIST)
        return scree_scene_reject(reader, key, node, 0);
    if (node->count < 1 || node->count > SCREE_LEVELS_MOST)
        return scree_scene_fail(reader->tree, node, "%s has %" PRId32 " entries; expected 1 to %d numbers", key->path, node->count,
                                (int)SCREE_LEVELS_MOST);
    scene->cell_sizes = scree_malloc((size_t)node->count, sizeof *scene->cell_sizes);
    if (scene->cell_sizes == NULL)
        return SCREE_ERR_MEMORY;
    scene->search.cell_sizes = scene->cell_sizes;
    scene->search.cell_size_count = node->count;
    return read_entries(reader, key, node, scene->cell_sizes);
}

// As many points as there are; what was there before is replaced.
static scree_status read_points(const scene_reader* reader, const scree_scene_key* key, const scene_node* node, scree_scene_points* to)
{
    if (node->kind != SCENE_LIST || node->count == 0)
        return scree_scene_reject(reader, key, node, 0);
    double* xy = scree_malloc((size_t)node->count, 2 * sizeof *xy);
    if (xy == NULL)
        return SCREE_ERR_MEMORY;
    int32_t n = 0;
    scree_status status = SCREE_OK;
    for (const scene_node* entry = node_at(reader, node->first); entry != NULL && status == SCREE_OK; entry = node_at(reader, entry->next), ++n) {
        double* point = &xy[2 * (int64_t)n];
        bool fits = entry->kind == SCENE_LIST && entry->count == 2;
        for (const scene_node* c = fits ? node_at(reader, entry->first) : NULL; c != NULL && status == SCREE_OK; c = node_at(reader, c->next), ++point)
            status = scree_scene_number(reader, key, c, n + 1, point);
        if (!fits)
            status = scree_scene_reject(reader, key, entry, n + 1);
    }
    if (status != SCREE_OK) {
        scree_free(xy);
        return status;
    }
    scree_free(to->xy);
    *to = (scree_scene_points){.count = n, .xy = xy};
    return SCREE_OK;
}

static scree_status read_region(const scene_reader* reader, const scree_scene_key* key, const scene_node* node, double to[4])
{
    scree_status status = node->kind == SCENE_LIST && node->count == 4 ? read_entries(reader, key, node, to) : scree_scene_reject(reader, key, node, 0);
    for (int k = 0; k < 2 && status == SCREE_OK; ++k)
        if (!(to[k + 2] > to[k]))
            status = scree_scene_fail(reader->tree, node, "%s reaches from %g to %g along %c; expected its lower corner first", key->path, to[k], to[k + 2], "xy"[k]);
    return status;
}

static scree_status read_start(const scene_reader* reader, const scree_scene_key* key, const scene_node* node, scree_scene_group* group)
{
    if (node->kind != SCENE_LIST)
        return scree_scene_word(reader, key, node, 0, &group->start);
    group->start = SCREE_START_GIVEN;
    return read_numbers(reader, key, node, reader->scene->sim.box.dim, group->velocity);
}

// Two names of materials.
static scree_status read_between(const scene_reader* reader, const scree_scene_key* key, const scene_node* node, scree_scene_pair* to)
{
    if (node->kind != SCENE_LIST || node->count != 2)
        return scree_scene_reject(reader, key, node, 0);
    const scene_node* first = node_at(reader, node->first);
    scree_status status = scree_scene_read_material(reader, key, first, &to->between[0], &to->names[0]);
    return status == SCREE_OK ? scree_scene_read_material(reader, key, node_at(reader, first->next), &to->between[1], &to->names[1]) : status;
}

// Names of groups, each with a vector.
static scree_status read_forces(const scene_reader* reader, const scree_scene_key* key, const scene_node* node, scree_scene_change* change)
{
    if (node->kind != SCENE_MAP)
        return scree_scene_reject(reader, key, node, 0);
    if (reader->scene->body_count > 0)
        return scree_scene_fail(reader->tree, node, "%s is not supported with bodies; expected a scene of spheres only", key->path);
    scene_loads loads = scree_scene_loads_of(reader->scene, key, (char*)change);
    change->forces = scree_calloc((size_t)node->count / 2 + 1, sizeof *change->forces);
    if (change->forces == NULL)
        return SCREE_ERR_MEMORY;
    // The groups of another run are known when the new one begins.
    bool later = reader->scene->start_run != NULL && !reader->scene->listed;
    for (const scene_node* name = node_at(reader, node->first); name != NULL;) {
        const scene_node* value = node_at(reader, name->next);
        if (scree_scene_is_signal(value)) {
            scree_status status = scree_scene_read_group_load(reader, key, name, value, SCREE_LOAD_FORCE, loads);
            if (status != SCREE_OK)
                return status;
            name = node_at(reader, value->next);
            continue;
        }
        scree_scene_force* force = &change->forces[change->force_count++];
        force->group = -1;
        scree_status status = later ? scree_scene_read_name(reader, key, name, &force->name) : scree_scene_find_group(reader, key, name, &force->group);
        for (int32_t n = 0; n + 1 < change->force_count && status == SCREE_OK; ++n)
            if (later ? strcmp(change->forces[n].name, force->name) == 0 : change->forces[n].group == force->group)
                status = scree_scene_fail(reader->tree, name, "%s names %s twice; expected it once", key->path, scree_scene_text(reader->tree, name));
        if (status == SCREE_OK)
            status = read_numbers(reader, key, value, reader->scene->sim.box.dim, force->force);
        if (status != SCREE_OK)
            return status;
        name = node_at(reader, value->next);
    }
    return SCREE_OK;
}

static scree_status read_period(const scene_reader* reader, const scree_scene_key* key, const scene_node* node)
{
    scree_scene* scene = reader->scene;
    double seconds;
    if (scree_scene_seconds(reader, node, &seconds)) {
        if (!(seconds > 0.0 && seconds <= key->field->most))
            return scree_scene_reject(reader, key, node, 0);
        scene->checkpoint_seconds = seconds;
        return SCREE_OK;
    }
    int64_t steps = 0;
    scree_status status = scree_scene_whole(reader, key, node, &steps);
    if (status == SCREE_OK) {
        scene->checkpoint_steps = steps;
        scene->checkpoint_seconds = 0.0;
    }
    return status;
}

// One of the words that can replace a number.
static bool read_choice(const scene_reader* reader, const scene_field* field, const scene_node* node, int32_t* to)
{
    for (int32_t n = 0; scree_scene_word_at(field, n) != NULL; ++n)
        if (!node->quoted && scree_scene_says(reader, node, scree_scene_word_at(field, n))) {
            *to = n + 1;
            return true;
        }
    return false;
}

static scree_status read_items(scene_reader* reader, const scree_scene_key* key, const scene_node* node);
static scree_status read_map(scene_reader* reader, const scene_node* map, const char* path, char* target);

// Reads the value of a key to its place in the scene, or in an entry of it.
static scree_status read_value(scene_reader* reader, int32_t row, const scene_node* node, char* target)
{
    const scree_scene_key* key = scree_scene_row(row);
    const scene_field* field = key->field;
    void* to = target + field->offset;
    int dim = reader->scene->sim.box.dim;
    int64_t whole = 0;
    double number = 0.0;
    uint32_t words = 0;
    scree_status status = SCREE_OK;
    bool signal = scree_scene_is_signal(node) && field->signal && field->form != SCENE_FORM_FORCES;
    if (field->flag > 0 && !signal)
        *(bool*)(target + field->flag) = true;
    if (scree_scene_places_add(reader->scene, reader->tree, row, reader->entry, node) != SCREE_OK)
        return SCREE_ERR_MEMORY;
    if (field->automatic && scree_scene_says(reader, node, "auto")) {  // 0; of cell sizes: none
        memset(to, 0, field->form == SCENE_FORM_INT32 || field->form == SCENE_FORM_SIZES ? sizeof(int32_t) : field->form == SCENE_FORM_VECTOR ? (size_t)dim * sizeof(double) : sizeof(double));
        return SCREE_OK;
    }
    if (signal || scree_scene_is_load(field->form))
        return scree_scene_read_loads(reader, key, node, scree_scene_loads_of(reader->scene, key, target));
    switch (field->form) {
    default:  // changes are merged when all else is read
        break;
    case SCENE_FORM_MAP:
        reader->map[row] = node;
        return node->kind == SCENE_MAP ? read_map(reader, node, key->path, target) : scree_scene_reject(reader, key, node, 0);
    case SCENE_FORM_GROUPS:
        if (node->kind == SCENE_LIST)
            return read_items(reader, key, node);
        reader->map[row] = node;
        return node->kind == SCENE_MAP ? read_map(reader, node, key->path, (char*)reader->scene->groups) : scree_scene_reject(reader, key, node, 0);
    case SCENE_FORM_ITEMS:
    case SCENE_FORM_NAMED:
        return read_items(reader, key, node);
    case SCENE_FORM_NAME:
        return scree_scene_read_name(reader, key, node, to);
    case SCENE_FORM_MATERIAL:
        return scree_scene_read_material(reader, key, node, to, field->later > 0 ? (char**)(void*)(target + field->later) : NULL);
    case SCENE_FORM_BETWEEN:
        return read_between(reader, key, node, (scree_scene_pair*)target);
    case SCENE_FORM_CONDITION:
        return scree_scene_read_condition(reader, key, node, to);
    case SCENE_FORM_FORCES:
        return read_forces(reader, key, node, (scree_scene_change*)target);
    case SCENE_FORM_NUMBER:
        if (field->choice > 0 && read_choice(reader, field, node, (int32_t*)(void*)(target + field->choice)))
            return SCREE_OK;
        status = scree_scene_number(reader, key, node, 0, &number);
        if (status == SCREE_OK)
            *(double*)to = field->automatic && number == 0.0 ? 0.0 : number;  // also of -0
        return status;
    case SCENE_FORM_INT32:
    case SCENE_FORM_INT64:
        status = scree_scene_whole(reader, key, node, &whole);
        if (status == SCREE_OK)
            memcpy(to, field->form == SCENE_FORM_INT32 ? (void*)&(int32_t){(int32_t)whole} : (void*)&whole, field->form == SCENE_FORM_INT32 ? sizeof(int32_t) : sizeof whole);
        return status;
    case SCENE_FORM_WORD:
        return scree_scene_word(reader, key, node, 0, to);
    case SCENE_FORM_FLAG:
        return read_flag(reader, key, node, to);
    case SCENE_FORM_TEXT:
        return read_text(reader, key, node, to);
    case SCENE_FORM_VECTOR:
    case SCENE_FORM_POINT:
        return read_numbers(reader, key, node, dim, to);
    case SCENE_FORM_TURN:
        return read_turn(reader, key, node, to);
    case SCENE_FORM_PAIR:
        return read_pair(reader, key, node, to, target);
    case SCENE_FORM_AXES:
        status = read_words(reader, key, node, dim, &words);
        for (int k = 0; k < dim && status == SCREE_OK; ++k)
            ((bool*)to)[k] = (words >> k & 1u) != 0;
        return status;
    case SCENE_FORM_FORMATS:
        status = read_words(reader, key, node, SCREE_FORMAT_COUNT - 1, &words);
        if (status == SCREE_OK)
            *(uint32_t*)to = words << 1;  // bit 0 is that of AUTO, which has no word
        return status;
    case SCENE_FORM_SIZES:
        return read_sizes(reader, key, node);
    case SCENE_FORM_START:
        return read_start(reader, key, node, (scree_scene_group*)(void*)target);
    case SCENE_FORM_PERIOD:
        return read_period(reader, key, node);
    case SCENE_FORM_POINTS:
        return read_points(reader, key, node, to);
    case SCENE_FORM_REGION:
        return read_region(reader, key, node, to);
    case SCENE_FORM_GROUP:
        return scree_scene_find_any_group(reader, key, node, to);
    }
    return SCREE_OK;
}

// ---- Maps --------------------------------------------------------------------------------------------------------

// What is read when: the dimension and the start, everything else, the bodies, the pairs, the bonds, the surfaces, the spheres, what comes and goes, the walls, the changes.
enum { RANKS = 11 };

static int rank_of(int32_t row)
{
    static const char* const late[] = {"bodies", "pairs", "bonds", "surfaces", "spheres", "insert", "outlets", "walls", "changes"};
    const char* path = scree_scene_row(row)->path;
    for (int k = 0; k < RANKS - 2; ++k)
        if (strcmp(path, late[k]) == 0)
            return 2 + k;
    return strcmp(path, "dimension") == 0 || strcmp(path, "start") == 0 ? 0 : 1;
}

static scree_status read_map(scene_reader* reader, const scene_node* map, const char* path, char* target)
{
    scree_status status = match_keys(reader, map, path);
    bool whole = *path == '\0';  // maps inside have no order
    for (int rank = whole ? 0 : 1; rank < (whole ? RANKS : 2) && status == SCREE_OK; ++rank) {
        if (whole && rank == 1)
            status = scree_scene_check_start(reader);
        for (const scene_node* key = node_at(reader, map->first); key != NULL && status == SCREE_OK;) {
            const scene_node* value = node_at(reader, key->next);
            int32_t row = row_of(reader, key, path);
            if (rank_of(row) == rank)
                status = read_value(reader, row, value, target);
            key = node_at(reader, value->next);
        }
    }
    return status;
}

scree_status scree_scene_check_change(scene_reader* reader, const scene_node* node, int32_t n)
{
    scree_scene* scene = reader->scene;
    scree_scene_change* change = &scene->changes[n];
    const scene_node *at = reader->given[scree_scene_find("changes.at")], *when = reader->given[scree_scene_find("changes.when")];
    if (at == NULL && when == NULL)
        return scree_scene_fail(reader->tree, node, "a key is missing; expected changes.at (or changes.when), the time of this change");
    if (at != NULL && when != NULL)
        return scree_scene_fail(reader->tree, when, "changes.when beside changes.at; expected one of them");
    bool sets = change->sets_gravity || change->sets_turn || change->sets_walls || change->sets_force || change->sets_cell || change->load_count > 0;
    for (int32_t k = 0; k < SCENE_KEYS_MOST; ++k)
        sets = sets || (reader->given[k] != NULL && scree_scene_row(k)->field->form == SCENE_FORM_MERGED);
    if (!sets)
        return scree_scene_fail(reader->tree, node, "this change is empty; expected gravity, gravity_turn, walls, surfaces, force, torque, velocity, spin, freeze, release, drag, local_damping, cell, contact, pairs, materials, "
                                                    "insert, outlets, output, checkpoint or time");
    scree_status status = change->sets_cell ? scree_scene_check_cell(reader, reader->map[scree_scene_find("changes.cell")], &change->cell, "changes.cell") : SCREE_OK;
    if (status != SCREE_OK)
        return status;
    if (scene->end > 0.0 && change->at > scene->end)
        return scree_scene_fail(reader->tree, node_at(reader, at->next), "changes.at is %g, after the end of the run; expected at most time.end, %g", change->at, scene->end);
    if (n > 0 && change[-1].at >= change->at)  // what a change with a condition waits for is not known here
        return scree_scene_fail(reader->tree, node_at(reader, at->next), "changes.at is %g after %g; expected changes in the order of time", change->at, change[-1].at);
    return SCREE_OK;
}

// The keys below a list belong to its latest entry.
static void forget_items(scene_reader* reader, const char* path)
{
    const size_t length = strlen(path);
    for (int32_t k = 0; k < SCENE_KEYS_MOST; ++k)
        if (reader->given[k] != NULL && strncmp(scree_scene_row(k)->path, path, length) == 0 && scree_scene_row(k)->path[length] == '.')
            reader->given[k] = NULL;
}

// Names of entries of a list are different. `place`: of the name.
static scree_status check_names(const scene_reader* reader, const scree_scene_key* key, const char* list, size_t at, const scene_node* place, int32_t n)
{
    const scene_items items = scree_scene_items(reader->scene, list);
    const char* own = *(char**)(void*)(items.first + (size_t)n * items.size + at);
    for (int32_t k = 0; k < n; ++k) {
        const char* other = *(char**)(void*)(items.first + (size_t)k * items.size + at);
        if (other != NULL && strcmp(own, other) == 0)
            return scree_scene_fail(reader->tree, place, "%s: entry %" PRId32 " of %s has the name %s too; expected different names", key->path, k + 1, list, own);
    }
    return SCREE_OK;
}

// An entry of a list, which is counted from now on, so that a scene that is given up frees it. `name`: of a map of maps; else NULL.
static scree_status read_entry(scene_reader* reader, const scree_scene_key* key, const scene_node* name, const scene_node* map, int32_t n)
{
    scree_scene* scene = reader->scene;
    const scene_list* list = scree_scene_list_of(key->path);
    forget_items(reader, key->path);
    reader->entry = n;
    memcpy((char*)scene + list->count, &(int64_t){n + 1}, sizeof(int64_t));
    list->begin(scene, n);
    char* entry = scree_scene_items(scene, key->path).first + (size_t)n * list->size;
    reader->group = key->field->form == SCENE_FORM_GROUPS ? (scree_scene_group*)(void*)entry : NULL;
    const bool word = name != NULL && map->kind == SCENE_SCALAR && map->length > 0;  // a preset
    scree_status status = name != NULL ? scree_scene_read_name(reader, key, name, (char**)(void*)entry) : SCREE_OK;
    if (status == SCREE_OK && map->kind != SCENE_MAP && !word)
        status = scree_scene_reject(reader, key, map, n + 1);
    if (status == SCREE_OK)
        status = scree_scene_places_add(scene, reader->tree, scree_scene_find(key->path), n, map);
    if (status == SCREE_OK && word)
        status = scree_scene_word(reader, scree_scene_row(scree_scene_find("materials.preset")), map, 0, &scene->materials[n].preset);
    else if (status == SCREE_OK)
        status = read_map(reader, map, key->path, entry);
    for (int32_t k = 0; k < SCENE_KEYS_MOST && status == SCREE_OK && name == NULL; ++k)
        if (reader->given[k] != NULL && scree_scene_row(k)->field->form == SCENE_FORM_NAME && scree_scene_is_child(scree_scene_row(k)->path, key->path) && strcmp(scree_scene_last_name(scree_scene_row(k)->path), "name") == 0)
            status = check_names(reader, scree_scene_row(k), key->path, scree_scene_row(k)->field->offset, node_at(reader, reader->given[k]->next), n);
    if (status == SCREE_OK && name != NULL)
        status = check_names(reader, key, key->path, 0, name, n);
    if (status == SCREE_OK)
        status = scree_scene_check_together(reader, key->path);
    if (status == SCREE_OK)
        status = list->check(reader, map, n);
    reader->group = NULL;
    return status;
}

// A list of maps, or a map of maps: materials. The word mix is for pairs, in place of the list or in it.
static scree_status read_items(scene_reader* reader, const scree_scene_key* key, const scene_node* node)
{
    scree_scene* scene = reader->scene;
    const scene_list* list = scree_scene_list_of(key->path);
    const bool pairs = strcmp(key->path, "pairs") == 0, named = key->field->form == SCENE_FORM_NAMED, mix = pairs && scree_scene_says(reader, node, "mix");
    const int32_t count = named ? node->count / 2 : node->count;
    if (node->kind != (named ? SCENE_MAP : SCENE_LIST) && !mix)
        return scree_scene_reject(reader, key, node, 0);
    if (count == 0 && !mix)
        return SCREE_OK;
    if (list->alone && scene->body_count > 0)
        return scree_scene_fail(reader->tree, node, "%s %s", key->path, scree_scene_rule(SCENE_ALONE)->otherwise);
    if (strcmp(key->path, "bodies") == 0 && scene->sim.box.dim != 2)
        return scree_scene_fail(reader->tree, node, "bodies in a scene of three dimensions; expected dimension: 2");
    if (count > list->most)
        return scree_scene_fail(reader->tree, node, "%s has %" PRId32 " entries; expected at most %" PRId32, key->path, count, list->most);
    if (pairs && scene->material_count == 0 && !scree_scene_materials_later(scene))
        return scree_scene_fail(reader->tree, node, "pairs without materials; expected a map of names, as in materials: {glass: {material_density: 2500}}");
    scene->contact.mix = scene->contact.mix || mix;
    void* items = mix ? NULL : scree_calloc((size_t)count, list->size);
    if (mix || items == NULL)
        return mix ? SCREE_OK : SCREE_ERR_MEMORY;
    if (key->field->form == SCENE_FORM_GROUPS)
        scree_scene_list_groups(scene, items);
    else
        memcpy((char*)scene + list->items, &items, sizeof items);
    scree_status status = SCREE_OK;
    int32_t n = 0;
    for (const scene_node* item = node_at(reader, node->first); item != NULL && status == SCREE_OK;) {
        const scene_node *name = named ? item : NULL, *map = named ? node_at(reader, item->next) : item;
        if (pairs && scree_scene_says(reader, item, "mix"))
            scene->contact.mix = true;
        else
            status = read_entry(reader, key, name, map, n++);
        item = node_at(reader, map->next);
    }
    reader->entry = -1;
    return status;
}

scree_status scree_scene_fill(scene_reader* reader)
{
    const scene_node* root = &reader->tree->nodes[0];
    if (root->kind != SCENE_MAP)
        return scree_scene_fail(reader->tree, root, "this is a %s; expected a map of keys, like `dimension: 2`",
                                root->kind == SCENE_LIST ? "list" : "single value");
    return read_map(reader, root, "", (char*)reader->scene);
}
