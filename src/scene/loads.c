// Loads in scenes: what changes with time, walls that move, drag, and what changes do with groups. A value that may change with time is one of
//
//     9.81  or  [0, 0, -9.81]                       a constant
//     {ramp: [FROM, TO], over: T}
//     {sine: AMPLITUDE, frequency: F, phase: P, mean: M}
//     {table: FILE.csv}                             or the rows themselves, [[t, value, ...], ...]
//
// and the motion of a wall, or of any boundary, one of velocity, oscillate, path and servo. The keys of these maps are parts of the table of keys (scree_scene_part_keys); their values are read by
// their numbers in the part.
#include "scene/scene_inner.h"

#include "base/argument.h"
#include "base/array.h"
#include "files/csv.h"
#include "files/signal_table.h"
#include "scene/place.h"
#include "scene/value.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { path_room = 160, part_keys_most = 8 };

// Numbers of keys in their parts.
enum { RAMP, OVER, SINE, FREQUENCY, PHASE, MEAN, TABLE };
enum { AMPLITUDE, OSCILLATION_FREQUENCY, OSCILLATION_PHASE, DIRECTION };
enum { FORCE, PRESSURE, TORQUE, SPEED, SERVO_DIRECTION, AREA };

// The numbers of a value: `columns` of them, the first of which is number `first` of the three.
typedef struct shape {
    int columns, first;
} shape;

static const scene_node* node_at(const scene_reader* reader, int32_t n)
{
    return n < 0 ? NULL : &reader->tree->nodes[n];
}

const char* scree_scene_face_key(int face)
{
    static const char* const keys[6] = {"walls.lower_x", "walls.upper_x", "walls.lower_y", "walls.upper_y", "walls.lower_z", "walls.upper_z"};
    return keys[face];
}

// ---- Where they are --------------------------------------------------------------------------------------------------

static bool is_of_change(const scree_scene_key* key)
{
    return strncmp(key->path, "changes.", strlen("changes.")) == 0;
}

scene_loads scree_scene_loads_of(scree_scene* scene, const scree_scene_key* key, char* target)
{
    scree_scene_change* change = (scree_scene_change*)(void*)target;
    return is_of_change(key) ? (scene_loads){&change->load_count, &change->loads} : (scene_loads){&scene->load_count, &scene->loads};
}

static scree_status append(scene_loads to, scree_scene_load** out)
{
    scree_status status = scree_resize(to.list, *to.count + 1, sizeof **to.list);
    if (status != SCREE_OK)
        return status;
    *out = &(*to.list)[(*to.count)++];
    **out = (scree_scene_load){.load = scree_default_sim_load()};
    return SCREE_OK;
}

static void free_load(scree_scene_load* load)
{
    scree_free(load->rows);
    scree_free(load->file);
    scree_free(load->file_path);
    scree_free(load->name);
}

void scree_scene_loads_free(scree_scene_load* loads, int32_t count)
{
    for (int32_t n = 0; n < count && loads != NULL; ++n)
        free_load(&loads[n]);
    scree_free(loads);
}

static scree_status copy_text(const char* from, char** to)
{
    *to = from != NULL ? scree_malloc(strlen(from) + 1, 1) : NULL;
    if (*to != NULL)
        strcpy(*to, from);
    return from != NULL && *to == NULL ? SCREE_ERR_MEMORY : SCREE_OK;
}

bool scree_scene_names_wall(const scree_scene_change* change, int axis)
{
    bool any = change->names_walls[0] || change->names_walls[1] || change->names_walls[2];
    for (int32_t n = 0; n < change->load_count; ++n)
        any = any || (change->loads[n].load.kind >= SCREE_LOAD_BOUNDARY_VELOCITY && change->loads[n].load.kind <= SCREE_LOAD_SERVO_TORQUE) || change->loads[n].load.kind == SCREE_SCENE_MATERIAL;
    any = any || (change->sets_contacts && change->wall_material >= 0);  // of a zeroed change: none
    return change->sets_walls && (!any || change->names_walls[axis]);
}

scree_status scree_scene_loads_copy(const scree_scene_load* from, int32_t count, scree_scene_load** out)
{
    *out = count > 0 ? scree_calloc((size_t)count, sizeof **out) : NULL;
    scree_status status = *out == NULL && count > 0 ? SCREE_ERR_MEMORY : SCREE_OK;
    for (int32_t n = 0; n < count && status == SCREE_OK; ++n) {
        scree_scene_load* to = &(*out)[n];
        *to = from[n];
        to->rows = NULL;
        to->file = to->file_path = to->name = NULL;
        status = copy_text(from[n].file, &to->file);
        if (status == SCREE_OK)
            status = copy_text(from[n].file_path, &to->file_path);
        if (status == SCREE_OK)
            status = copy_text(from[n].name, &to->name);
        if (status != SCREE_OK || from[n].rows == NULL)
            continue;
        size_t numbers = 4 * (size_t)from[n].load.value.count;
        to->rows = scree_malloc(numbers, sizeof *to->rows);
        if (to->rows == NULL)
            status = SCREE_ERR_MEMORY;
        else
            memcpy(to->rows, from[n].rows, numbers * sizeof *to->rows);
        to->load.value.table = to->rows;
    }
    if (status != SCREE_OK) {
        scree_scene_loads_free(*out, count);
        *out = NULL;
    }
    return status;
}

// ---- Parts -----------------------------------------------------------------------------------------------------------

typedef struct part_values {
    const scene_node* node[part_keys_most];  // NULL: the key is not there
    double number[part_keys_most];           // of those that are numbers
} part_values;

// A number with a name of its own for messages.
static scree_status read_number(const scene_reader* reader, const char* path, const scree_scene_key* key, const scene_node* node, double* out)
{
    char whole[path_room];
    scree_scene_key own = *key;
    snprintf(whole, sizeof whole, "%.110s%s%.40s", path, *own.path != '\0' ? "." : "", scree_scene_last_name(own.path));
    own.path = whole;
    return scree_scene_number(reader, &own, node, 0, out);
}

// Rules of the keys of a part: one that is missing, has no effect, or excludes another one.
static scree_status check_part(const scene_reader* reader, const scree_scene_key* keys, int count, const char* path, const scene_node* map, const part_values* values)
{
    for (int k = 0; k < count; ++k) {
        const scene_field* field = keys[k].field;
        const char* name = scree_scene_last_name(keys[k].path);
        int beside = k;
        for (int other = 0; other < count; ++other)
            if (field->beside != NULL && strcmp(scree_scene_last_name(keys[other].path), field->beside) == 0)
                beside = other;
        if (values->node[k] != NULL && values->node[beside] == NULL)
            return scree_scene_fail(reader->tree, values->node[k], "%s.%s has no effect here; expected it with %s.%s only", path, name, path, field->beside);
        if (values->node[k] == NULL && field->missing != NULL && (beside == k || values->node[beside] != NULL))
            return scree_scene_fail(reader->tree, map, "a key is missing; expected %s.%s: %s", path, name, keys[k].meaning);
    }
    return SCREE_OK;
}

// The values of a map by the keys of a part. `group`: exactly one of its keys must be there, *which; SCENE_NO_GROUP: none need be.
static scree_status read_part(const scene_reader* reader, const char* part, const char* path, const scene_node* map, scene_group group, part_values* out, int* which)
{
    int32_t rows;
    const scree_scene_key* keys = scree_scene_part_keys(&rows);
    char all[256] = "", one_of[160] = "", shown[SCREE_SHOWN];
    size_t used = 0, said = 0;
    int count = 0, chosen = 0;
    while (strcmp(keys->path, part) != 0)
        ++keys;
    for (++keys; scree_scene_is_child(keys[count].path, part); ++count) {
        const char* name = scree_scene_last_name(keys[count].path);
        used += (size_t)snprintf(all + used, sizeof all - used, "%s%s", count > 0 ? ", " : "", name);
        if (group != SCENE_NO_GROUP && keys[count].field->group == group)
            said += (size_t)snprintf(one_of + said, sizeof one_of - said, "%s%s", said > 0 ? ", " : "", name);
    }
    *out = (part_values){.node = {NULL}};
    if (map->kind != SCENE_MAP)
        return scree_scene_fail(reader->tree, map, "%s is %s; expected a map with the keys %s", path, map->kind == SCENE_LIST ? "a list" : "a single value", all);
    for (const scene_node* key = node_at(reader, map->first); key != NULL; key = node_at(reader, node_at(reader, key->next)->next)) {
        int n = 0;
        while (n < count && !scree_scene_says(reader, key, scree_scene_last_name(keys[n].path)))
            ++n;
        if (n == count)
            return scree_scene_fail(reader->tree, key, "unknown key '%s' in %s; expected one of %s", scree_csv_shown(shown, scree_scene_text(reader->tree, key), key->length), path, all);
        char where[128];
        if (out->node[n] != NULL)
            return scree_scene_fail(reader->tree, key, "the key %s of %s is in %s already; expected it once", scree_scene_last_name(keys[n].path), path, scree_scene_where(reader->tree, out->node[n], where));
        out->node[n] = node_at(reader, key->next);
    }
    for (int k = 0; k < count; ++k)
        if (group != SCENE_NO_GROUP && keys[k].field->group == group && out->node[k] != NULL) {
            *which = k;
            ++chosen;
        }
    if (group != SCENE_NO_GROUP && chosen != 1)
        return scree_scene_fail(reader->tree, map, "%s has none or several of %s; expected exactly one", path, one_of);
    scree_status status = check_part(reader, keys, count, path, map, out);
    for (int k = 0; k < count && status == SCREE_OK; ++k)
        if (out->node[k] != NULL && keys[k].field->form == SCENE_FORM_NUMBER && !(keys[k].field->signal && scree_scene_is_signal(out->node[k])))
            status = read_number(reader, path, &keys[k], out->node[k], &out->number[k]);
    return status;
}

// One number, or a list of as many as the shape has, to their places among three.
static scree_status read_values(const scene_reader* reader, const char* path, const char* name, const scene_node* node, shape as, double out[3])
{
    static const scene_field any = {.form = SCENE_FORM_NUMBER, .least = -INFINITY, .most = INFINITY};
    const scree_scene_key key = {.path = name, .kind = "number", .unit = "", .standard = "", .range = "any", .meaning = "", .field = &any};
    memset(out, 0, 3 * sizeof *out);
    if (as.columns == 1)
        return read_number(reader, path, &key, node, &out[as.first]);
    if (node->kind != SCENE_LIST || node->count != as.columns)
        return scree_scene_fail(reader->tree, node, "%s%s%s: expected a list of %d numbers", path, *name != '\0' ? "." : "", name, as.columns);
    int k = 0;
    scree_status status = SCREE_OK;
    for (const scene_node* entry = node_at(reader, node->first); entry != NULL && status == SCREE_OK; entry = node_at(reader, entry->next), ++k)
        status = read_number(reader, path, &key, entry, &out[as.first + k]);
    return status;
}

// ---- Signals ---------------------------------------------------------------------------------------------------------

bool scree_scene_is_signal(const scene_node* node)
{
    return node->kind == SCENE_MAP;
}

// The rows of a table, or the name of its file.
static scree_status read_rows(const scene_reader* reader, const char* path, const scene_node* node, shape as, scree_scene_load* out)
{
    out->load.value.kind = SCREE_SIGNAL_TABLE;
    out->columns = as.columns;
    out->first = as.first;
    if (node->kind == SCENE_SCALAR) {
        const char *text = scree_scene_text(reader->tree, node), *what;
        size_t wrong;
        snprintf(out->key, sizeof out->key, "%s", path);
        out->line = node->source == 0 ? node->line : 0;
        out->column_of_key = node->column;
        if (node->length == 0 || !scree_scene_plain(text, (size_t)node->length, false, &wrong, &what))
            return scree_scene_fail(reader->tree, node, "%s is not text; expected the name of a file", path);
        return copy_text(text, &out->file);
    }
    if (node->kind != SCENE_LIST || node->count < 1 || node->count > SCREE_SIGNAL_ROWS_MOST)
        return scree_scene_fail(reader->tree, node, "%s is neither text nor a list; expected the name of a CSV file, or a list of 1 to %d rows", path, SCREE_SIGNAL_ROWS_MOST);
    out->rows = scree_calloc(4 * (size_t)node->count, sizeof *out->rows);
    if (out->rows == NULL)
        return SCREE_ERR_MEMORY;
    int32_t row = 0;
    for (const scene_node* entry = node_at(reader, node->first); entry != NULL; entry = node_at(reader, entry->next), ++row) {
        double *to = out->rows + 4 * (int64_t)row, values[4];
        if (entry->kind != SCENE_LIST || entry->count != as.columns + 1)
            return scree_scene_fail(reader->tree, entry, "row %" PRId32 " of %s is not a list of that length; expected %d numbers, the time and %s", row + 1, path, as.columns + 1,
                                    as.columns == 1 ? "a value" : "a value for each axis");
        int k = 0;
        for (const scene_node* value = node_at(reader, entry->first); value != NULL; value = node_at(reader, value->next), ++k) {
            scree_status status = read_values(reader, path, "", value, (shape){.columns = 1}, values);
            if (status != SCREE_OK)
                return status;
            to[k == 0 ? 0 : as.first + k] = values[0];
        }
        if (row > 0 && !(to[0] > to[-4]))
            return scree_scene_fail(reader->tree, entry, "row %" PRId32 " of %s is of the time %g, after %g; expected rising times", row + 1, path, to[0], to[-4]);
    }
    out->load.value.count = row;
    out->load.value.table = out->rows;
    return SCREE_OK;
}

static scree_status read_signal(const scene_reader* reader, const char* path, const scene_node* node, shape as, scree_scene_load* out)
{
    scree_signal* s = &out->load.value;
    part_values p;
    int kind = 0;
    out->columns = as.columns;
    out->first = as.first;
    if (!scree_scene_is_signal(node))
        return read_values(reader, path, "", node, as, s->value);
    scree_status status = read_part(reader, "signal", path, node, SCENE_SIGNALS, &p, &kind);
    if (status != SCREE_OK)
        return status;
    s->over = p.number[OVER];
    s->frequency = p.number[FREQUENCY];
    s->phase = p.number[PHASE];
    if (kind == TABLE) {
        char whole[path_room];
        snprintf(whole, sizeof whole, "%.110s.table", path);
        return read_rows(reader, whole, p.node[TABLE], as, out);
    }
    s->kind = kind == RAMP ? SCREE_SIGNAL_RAMP : SCREE_SIGNAL_SINE;
    if (kind == SINE) {
        status = read_values(reader, path, "sine", p.node[SINE], as, s->to);
        return status == SCREE_OK && p.node[MEAN] != NULL ? read_values(reader, path, "mean", p.node[MEAN], as, s->value) : status;
    }
    if (p.node[RAMP]->kind != SCENE_LIST || p.node[RAMP]->count != 2)
        return scree_scene_fail(reader->tree, p.node[RAMP], "%s.ramp is not a list of two; expected from and to", path);
    const scene_node* from = node_at(reader, p.node[RAMP]->first);
    status = read_values(reader, path, "ramp", from, as, s->value);
    return status == SCREE_OK ? read_values(reader, path, "ramp", node_at(reader, from->next), as, s->to) : status;
}

// ---- Motions ---------------------------------------------------------------------------------------------------------

static shape vector_of(const scene_reader* reader)
{
    return (shape){.columns = reader->scene->sim.box.dim};
}

static shape turn_of(const scene_reader* reader)
{
    return reader->scene->sim.box.dim == 2 ? (shape){.columns = 1, .first = 2} : (shape){.columns = 3};
}

// Along the axis of a wall, or all components.
static shape motion_shape(const scene_reader* reader, int axis, bool list)
{
    return axis >= 0 && !list ? (shape){.columns = 1, .first = axis} : vector_of(reader);
}

// Whether a value of a wall is for all axes: a list of numbers, or a signal of such lists.
static bool is_vector(const scene_reader* reader, const scene_node* node)
{
    for (const scene_node* key = node->kind == SCENE_MAP ? node_at(reader, node->first) : NULL; key != NULL; key = node_at(reader, node_at(reader, key->next)->next)) {
        const scene_node* value = node_at(reader, key->next);
        if (scree_scene_says(reader, key, "ramp") && value->kind == SCENE_LIST && value->count > 0)
            return node_at(reader, value->first)->kind == SCENE_LIST;
        if (scree_scene_says(reader, key, "sine"))
            return value->kind == SCENE_LIST;
    }
    return node->kind == SCENE_LIST;
}

static scree_status read_oscillate(const scene_reader* reader, const char* path, const scene_node* node, int axis, scree_scene_load* out)
{
    part_values p;
    double direction[3] = {0.0, 0.0, 0.0};
    scree_signal* s = &out->load.value;
    scree_status status = read_part(reader, "oscillate", path, node, SCENE_NO_GROUP, &p, NULL);
    const scene_node* given = status == SCREE_OK ? p.node[DIRECTION] : NULL;
    if (axis >= 0)
        direction[axis] = 1.0;
    if (given != NULL)
        status = read_values(reader, path, "direction", given, vector_of(reader), direction);
    const double length = sqrt((direction[0] * direction[0] + direction[1] * direction[1]) + direction[2] * direction[2]);
    if (status == SCREE_OK && !(length > 0.0 && length < INFINITY))
        return scree_scene_fail(reader->tree, given != NULL ? given : node, "%s.direction is %s; expected a vector other than 0", path, given != NULL ? "0" : "missing");
    if (status != SCREE_OK)
        return status;
    *s = (scree_signal){.kind = SCREE_SIGNAL_SINE, .frequency = p.number[OSCILLATION_FREQUENCY], .phase = p.number[OSCILLATION_PHASE]};
    out->load.kind = SCREE_LOAD_BOUNDARY_PATH;
    out->columns = reader->scene->sim.box.dim;
    for (int k = 0; k < 3; ++k)
        s->to[k] = p.number[AMPLITUDE] * (direction[k] / length);
    // As written, for a scene that is written again.
    out->load.speed = p.number[AMPLITUDE];
    memcpy(out->load.direction, direction, sizeof direction);
    return SCREE_OK;
}

static scree_status read_servo(const scene_reader* reader, const char* path, const scene_node* node, scree_scene_load* out)
{
    part_values p;
    int which = 0;
    char whole[path_room];
    scree_status status = read_part(reader, "servo", path, node, SCENE_TARGETS, &p, &which);
    if (status != SCREE_OK)
        return status;
    snprintf(whole, sizeof whole, "%.110s.%s", path, which == FORCE ? "force" : which == PRESSURE ? "pressure" : "torque");
    out->load.kind = SCREE_LOAD_SERVO_FORCE + which;
    out->load.speed = p.number[SPEED];
    out->load.area = p.number[AREA];
    status = read_signal(reader, whole, p.node[which], (shape){.columns = 1}, out);
    if (status == SCREE_OK && p.node[SERVO_DIRECTION] != NULL)
        status = read_values(reader, path, "direction", p.node[SERVO_DIRECTION], which == TORQUE ? (shape){.columns = 3} : vector_of(reader), out->load.direction);
    return status;
}

static const char* const motions[SCENE_MOTION_COUNT] = {"velocity", "spin", "oscillate", "path", "servo"};

// How a boundary moves. `axis`: of a wall of the box, along which velocities and displacements may be single numbers; -1: none.
static scree_status read_motion(const scene_reader* reader, const char* path, int which, const scene_node* value, int32_t boundary, int axis, scene_loads to)
{
    char whole[path_room];
    scree_scene_load* load;
    scree_status status = append(to, &load);
    if (status != SCREE_OK)
        return status;
    snprintf(whole, sizeof whole, "%.110s.%.40s", path, motions[which]);
    load->load.target = boundary;
    load->load.kind = which == SCENE_MOTION_SPIN ? SCREE_LOAD_BOUNDARY_SPIN : which == SCENE_MOTION_VELOCITY ? SCREE_LOAD_BOUNDARY_VELOCITY : SCREE_LOAD_BOUNDARY_PATH;
    switch (which) {
    case SCENE_MOTION_VELOCITY:
    case SCENE_MOTION_SPIN:
        return read_signal(reader, whole, value, which == SCENE_MOTION_SPIN ? turn_of(reader) : motion_shape(reader, axis, is_vector(reader, value)), load);
    case SCENE_MOTION_OSCILLATE:
        return read_oscillate(reader, whole, value, axis, load);
    case SCENE_MOTION_SERVO:
        return read_servo(reader, whole, value, load);
    default:
        return read_rows(reader, whole, value, motion_shape(reader, axis, false), load);
    }
}

// A material of a boundary by a key of its own; of a change it is a load.
static scree_status read_material(const scene_reader* reader, const char* path, const scene_node* node, int32_t* to, char** name)
{
    char whole[path_room];
    scree_scene_key own = *scree_scene_row(scree_scene_find("changes.walls.material"));
    snprintf(whole, sizeof whole, "%.110s.material", path);
    own.path = whole;
    if (reader->scene->material_count == 0 && !(name != NULL && scree_scene_materials_later(reader->scene)))
        return scree_scene_fail(reader->tree, node, "%s without materials; expected a map of names, as in materials: {glass: {material_density: 2500}}", whole);
    return scree_scene_read_material(reader, &own, node, to, name);
}

static scree_status change_material(const scene_reader* reader, const char* path, const scene_node* node, int32_t boundary, scene_loads to)
{
    scree_scene_load* load;
    int32_t material = -1;
    scree_status status = read_material(reader, path, node, &material, NULL);
    if (status == SCREE_OK)
        status = append(to, &load);
    if (status != SCREE_OK)
        return status;
    load->load.kind = SCREE_SCENE_MATERIAL;
    load->load.target = boundary;
    load->load.value.value[0] = material;
    return SCREE_OK;
}

// Keys of the parts "motion" and "wall": material, or a motion.
static scree_status read_boundary(const scene_reader* reader, const scree_scene_key* key, const char* path, const scene_node* map, int32_t boundary, scene_loads to)
{
    const int axis = boundary < SCREE_SCENE_SURFACE ? boundary / 2 : -1;
    char shown[SCREE_SHOWN];
    for (const scene_node* one = node_at(reader, map->first); one != NULL; one = node_at(reader, node_at(reader, one->next)->next)) {
        const scene_node* value = node_at(reader, one->next);
        int which = 0;
        while (which < SCENE_MOTION_COUNT && (!scree_scene_says(reader, one, motions[which]) || (axis >= 0 && which == SCENE_MOTION_SPIN)))
            ++which;
        const bool material = scree_scene_says(reader, one, "material");
        if (which == SCENE_MOTION_COUNT && !material)
            return scree_scene_fail(reader->tree, one, "unknown key '%s' in %s; expected material, velocity, %soscillate, path or servo",
                                    scree_csv_shown(shown, scree_scene_text(reader->tree, one), one->length), path, axis >= 0 ? "" : "spin, ");
        scree_status status = !material           ? read_motion(reader, path, which, value, boundary, axis, to)
                              : is_of_change(key) ? change_material(reader, path, value, boundary, to)
                                                  : read_material(reader, path, value, &reader->scene->face_materials[boundary], &reader->scene->face_names[boundary]);
        if (status != SCREE_OK)
            return status;
    }
    return SCREE_OK;
}

// changes.surfaces: names, each with a map of motions.
static scree_status read_surfaces(const scene_reader* reader, const scree_scene_key* key, const scene_node* node, scene_loads to)
{
    const scree_scene* scene = reader->scene;
    char shown[SCREE_SHOWN], path[path_room];
    scree_status status = node->kind == SCENE_MAP ? SCREE_OK : scree_scene_reject(reader, key, node, 0);
    for (const scene_node* name = status == SCREE_OK ? node_at(reader, node->first) : NULL; name != NULL && status == SCREE_OK; name = node_at(reader, node_at(reader, name->next)->next)) {
        const scene_node* map = node_at(reader, name->next);
        int64_t n = 0;
        while (n < scene->surface_count && (scene->surfaces[n].name == NULL || !scree_scene_says(reader, name, scene->surfaces[n].name)))
            ++n;
        if (n == scene->surface_count)
            return scree_scene_fail(reader->tree, name, "%s: no surface is named '%s'; expected the name of one", key->path, scree_csv_shown(shown, scree_scene_text(reader->tree, name), name->length));
        snprintf(path, sizeof path, "%.40s.%.40s", key->path, scene->surfaces[n].name);
        status = map->kind == SCENE_MAP ? read_boundary(reader, key, path, map, SCREE_SCENE_SURFACE + (int32_t)n, to)
                                        : scree_scene_fail(reader->tree, map, "%s is not a map; expected keys of velocity, spin, oscillate, path, servo and material", path);
    }
    return status;
}

scree_status scree_scene_check_axis(const scene_reader* reader, const scree_scene_key* key, const scene_node* node, int axis)
{
    if (scree_scene_has_wall(reader->scene, axis))
        return SCREE_OK;
    return scree_scene_fail(reader->tree, node, "%s: the axis %c %s; expected an axis with flat walls", key->path, "xyz"[axis],
                            axis >= reader->scene->sim.box.dim  ? "does not exist in dimension 2"
                            : reader->scene->box_periodic[axis] ? "is periodic and has no walls"
                                                                : "is one of a round wall, which does not move");
}

// One motion at most, and a material.
static scree_status read_face(const scene_reader* reader, const scree_scene_key* key, const scene_node* node, int32_t face, scene_loads to)
{
    scree_status status = scree_scene_check_axis(reader, key, node, face / 2);
    int count[2] = {0, 0};
    for (const scene_node* name = node->kind == SCENE_MAP ? node_at(reader, node->first) : NULL; name != NULL; name = node_at(reader, node_at(reader, name->next)->next))
        ++count[scree_scene_says(reader, name, "material")];
    if (status == SCREE_OK && (node->kind != SCENE_MAP || node->count == 0 || count[0] > 1 || count[1] > 1))
        return scree_scene_fail(reader->tree, node, "%s is not a map; expected one of the keys velocity, oscillate, path and servo, and a material", key->path);
    return status == SCREE_OK ? read_boundary(reader, key, key->path, node, face, to) : status;
}

scree_status scree_scene_read_wall_signal(const scene_reader* reader, const scree_scene_key* key, const scene_node* node, int32_t face, scene_loads to)
{
    scree_scene_load* load;
    scree_status status = append(to, &load);
    if (status != SCREE_OK)
        return status;
    load->load.kind = SCREE_LOAD_BOUNDARY_VELOCITY;
    load->load.target = face;
    return read_signal(reader, key->path, node, (shape){.columns = 1, .first = face / 2}, load);
}

// ---- Groups ----------------------------------------------------------------------------------------------------------

scree_status scree_scene_read_group_load(const scene_reader* reader, const scree_scene_key* key, const scene_node* name, const scene_node* value, int32_t kind, scene_loads to)
{
    scree_scene_load* load;
    bool later = reader->scene->start_run != NULL && !reader->scene->listed;  // the groups of another run are known when the new one begins
    scree_status status = append(to, &load);
    if (status != SCREE_OK)
        return status;
    load->load.kind = kind;
    load->load.target = -1;
    if (later)
        status = scree_scene_read_name(reader, key, name, &load->name);
    else
        status = (kind == SCREE_LOAD_FORCE || kind == SCREE_LOAD_TORQUE ? scree_scene_find_group : scree_scene_find_any_group)(reader, key, name, &load->load.target);
    for (int32_t n = 0; n + 1 < *to.count && status == SCREE_OK; ++n) {
        const scree_scene_load* other = &(*to.list)[n];
        if (other->load.kind == kind && (later ? other->name != NULL && strcmp(other->name, load->name) == 0 : other->load.target == load->load.target))
            status = scree_scene_fail(reader->tree, name, "%s names %s twice; expected it once", key->path, scree_scene_text(reader->tree, name));
    }
    if (status != SCREE_OK || value == NULL)
        return status;
    char path[path_room];
    snprintf(path, sizeof path, "%.40s.%.64s", key->path, scree_scene_text(reader->tree, name));
    bool turns = kind == SCREE_LOAD_TORQUE || kind == SCREE_LOAD_SPIN;
    return read_signal(reader, path, value, turns ? turn_of(reader) : vector_of(reader), load);
}

static scree_status read_groups(const scene_reader* reader, const scree_scene_key* key, const scene_node* node, scene_loads to)
{
    const bool list = key->field->form == SCENE_FORM_GROUP_LIST;
    if (reader->scene->body_count > 0)
        return scree_scene_fail(reader->tree, node, "%s %s", key->path, scree_scene_rule(SCENE_ALONE)->otherwise);
    scree_status status = node->kind == (list ? SCENE_LIST : SCENE_MAP) ? SCREE_OK : scree_scene_reject(reader, key, node, 0);
    for (const scene_node* name = status == SCREE_OK ? node_at(reader, node->first) : NULL; name != NULL && status == SCREE_OK;) {
        const scene_node* value = list ? NULL : node_at(reader, name->next);
        status = scree_scene_read_group_load(reader, key, name, value, key->field->load - 1, to);
        name = node_at(reader, list ? name->next : value->next);
    }
    return status;
}

// ---- Drag ------------------------------------------------------------------------------------------------------------

// Constants beside the column of a table.
static void fill_rows(scree_scene_load* load)
{
    for (int32_t row = 0; row < load->load.value.count && load->rows != NULL; ++row)
        for (int k = 0; k < 3; ++k)
            if (k != load->first)
                load->rows[4 * (int64_t)row + 1 + k] = load->load.value.value[k];
}

// Three coefficients are one load: where several are functions of time, they are of one kind and one time.
static scree_status join_drag(const scene_reader* reader, const char* path, const scene_node* node, int k, scree_scene_load* one, scree_scene_load* out)
{
    scree_signal *from = &one->load.value, *to = &out->load.value;
    bool moves = from->kind != SCREE_SIGNAL_CONSTANT, others = to->kind != SCREE_SIGNAL_CONSTANT;
    if (moves && others && (from->kind != to->kind || from->kind == SCREE_SIGNAL_TABLE || from->over != to->over || from->frequency != to->frequency || from->phase != to->phase))
        return scree_scene_fail(reader->tree, node, "%s is a %s, and another value of drag is a %s; expected functions of one kind, with one over, or one frequency and phase, or one table", path, scree_signal_name(from->kind),
                                scree_signal_name(to->kind));
    if (from->kind == SCREE_SIGNAL_TABLE) {
        scree_scene_load whole = *one;
        memcpy(whole.load.value.value, to->value, sizeof to->value);
        whole.load.kind = SCREE_LOAD_DRAG;
        one->rows = NULL;
        one->file = NULL;
        *out = whole;
        return SCREE_OK;
    }
    to->value[k] = from->value[k];
    if (moves) {
        to->kind = from->kind;
        to->over = from->over;
        to->frequency = from->frequency;
        to->phase = from->phase;
        to->to[k] = from->to[k];
    }
    return SCREE_OK;
}

static scree_status read_drag(const scene_reader* reader, const scree_scene_key* key, const scene_node* node, scree_scene_load* out)
{
    static const char* const names[] = {"coefficient", "per_mass", "spin"};
    part_values p;
    scree_status status = read_part(reader, "drag", key->path, node, SCENE_NO_GROUP, &p, NULL);
    scree_signal* s = &out->load.value;
    out->columns = 3;
    memcpy(s->value, p.number, sizeof s->value);
    for (int k = 0; k < 3 && status == SCREE_OK; ++k) {
        if (p.node[k] == NULL || !scree_scene_is_signal(p.node[k]))
            continue;
        char path[path_room];
        scree_scene_load one = {.load = scree_default_sim_load()};
        snprintf(path, sizeof path, "%.40s.%.40s", key->path, names[k]);
        status = read_signal(reader, path, p.node[k], (shape){.columns = 1, .first = k}, &one);
        if (status == SCREE_OK)
            status = join_drag(reader, path, p.node[k], k, &one, out);
        free_load(&one);
    }
    for (int k = 0; k < 3 && status == SCREE_OK && s->kind == SCREE_SIGNAL_RAMP; ++k)
        if (p.node[k] == NULL || !scree_scene_is_signal(p.node[k]))
            s->to[k] = s->value[k];
    if (s->kind == SCREE_SIGNAL_TABLE)
        fill_rows(out);
    return status;
}

// ---- By key ----------------------------------------------------------------------------------------------------------

scree_status scree_scene_read_loads(const scene_reader* reader, const scree_scene_key* key, const scene_node* node, scene_loads to)
{
    const scene_field* field = key->field;
    if (field->motion > 0)
        return read_motion(reader, "surfaces", field->motion - 1, node, SCREE_SCENE_SURFACE + reader->entry, -1, to);
    if (field->form == SCENE_FORM_PARTS)
        return read_surfaces(reader, key, node, to);
    if (field->face > 0)
        return read_face(reader, key, node, field->face - 1, to);
    if (field->form == SCENE_FORM_BY_GROUP || field->form == SCENE_FORM_GROUP_LIST)
        return read_groups(reader, key, node, to);
    if (reader->scene->body_count > 0)
        return scree_scene_fail(reader->tree, node, "%s: a value that changes with time is not supported with bodies; expected a scene of spheres only", key->path);
    scree_scene_load* load;
    scree_status status = append(to, &load);
    if (status != SCREE_OK)
        return status;
    load->load.kind = field->load - 1;
    if (field->form == SCENE_FORM_PART)
        return read_drag(reader, key, node, load);
    if (field->form == SCENE_FORM_SIGNAL && !scree_scene_is_signal(node)) {
        load->columns = 1;
        return scree_scene_number(reader, key, node, 0, &load->load.value.value[0]);
    }
    return read_signal(reader, key->path, node, field->form == SCENE_FORM_SIGNAL ? (shape){.columns = 1} : field->form == SCENE_FORM_TURN ? turn_of(reader) : vector_of(reader), load);
}

static scree_status settle_list(const char* directory, scree_scene_load* loads, int32_t count)
{
    for (int32_t n = 0; n < count; ++n) {
        const char* file = loads[n].file;
        if (file == NULL || loads[n].file_path != NULL)
            continue;
        size_t before = *file == '/' ? 0 : strlen(directory);
        loads[n].file_path = scree_malloc(before + strlen(file) + 1, 1);
        if (loads[n].file_path == NULL)
            return SCREE_ERR_MEMORY;
        memcpy(loads[n].file_path, directory, before);
        strcpy(loads[n].file_path + before, file);
    }
    return SCREE_OK;
}

scree_status scree_scene_settle_loads(scree_scene* scene)
{
    scree_status status = settle_list(scene->directory, scene->loads, scene->load_count);
    for (int64_t c = 0; c < scene->change_count && status == SCREE_OK; ++c)
        status = settle_list(scene->directory, scene->changes[c].loads, scene->changes[c].load_count);
    return status;
}

// ---- Tables ----------------------------------------------------------------------------------------------------------

static scree_status read_table(scree_scene_load* load)
{
    scree_status status = scree_read_signal_table(load->file_path, load->columns, load->first, &load->rows, &load->load.value.count);
    if (status != SCREE_OK)
        return status;
    load->load.value.table = load->rows;
    if (load->load.kind == SCREE_LOAD_DRAG)
        fill_rows(load);
    scree_free(load->file);
    scree_free(load->file_path);
    load->file = load->file_path = NULL;
    return SCREE_OK;
}

static scree_status read_tables(const scree_scene* scene, scree_scene_load* loads, int32_t count)
{
    scree_status status = SCREE_OK;
    for (int32_t n = 0; n < count && status == SCREE_OK; ++n) {
        status = loads[n].file_path != NULL ? read_table(&loads[n]) : SCREE_OK;
        if (status != SCREE_OK)
            status = scree_scene_blame(scene, status, loads[n].key, loads[n].line, loads[n].column_of_key);
    }
    return status;
}

scree_status scree_scene_read_tables(scree_scene* scene)
{
    SCREE_NEED(scene);
    scree_status status = read_tables(scene, scene->loads, scene->load_count);
    for (int64_t c = 0; c < scene->change_count && status == SCREE_OK; ++c)
        status = read_tables(scene, scene->changes[c].loads, scene->changes[c].load_count);
    return status;
}

// ---- Writing ---------------------------------------------------------------------------------------------------------

static bool is_of_boundary(const scree_scene_load* load)
{
    return (load->load.kind >= SCREE_LOAD_BOUNDARY_VELOCITY && load->load.kind <= SCREE_LOAD_SERVO_TORQUE) || load->load.kind == SCREE_SCENE_MATERIAL;
}

static int motion_of(const scree_scene_load* load)
{
    const int32_t kind = load->load.kind;
    const int path = load->load.value.kind == SCREE_SIGNAL_SINE ? SCENE_MOTION_OSCILLATE : SCENE_MOTION_PATH;
    return kind == SCREE_LOAD_BOUNDARY_VELOCITY ? SCENE_MOTION_VELOCITY : kind == SCREE_LOAD_BOUNDARY_SPIN ? SCENE_MOTION_SPIN : kind == SCREE_LOAD_BOUNDARY_PATH ? path : SCENE_MOTION_SERVO;
}

// Whether a load is what the key says, of the change or the entry of `surfaces` that `from` is.
static bool belongs(const scree_scene* scene, const scree_scene_load* load, const scree_scene_key* key, const char* from)
{
    const scene_field* field = key->field;
    if (field->motion > 0)
        return is_of_boundary(load) && load->load.target == SCREE_SCENE_SURFACE + ((const scree_scene_surface*)(const void*)from - scene->surfaces) && motion_of(load) == field->motion - 1;
    if (field->form == SCENE_FORM_PARTS)
        return is_of_boundary(load) && load->load.target >= SCREE_SCENE_SURFACE;
    return field->face > 0 ? is_of_boundary(load) && load->load.target == field->face - 1 : field->load > 0 && load->load.kind == field->load - 1;
}

// The loads of a key: the next one from `n` on; NULL: there is none.
static const scree_scene_load* next_load(const scree_scene* scene, const scree_scene_key* key, const char* from, int32_t* n)
{
    const scene_loads all = scree_scene_loads_of((scree_scene*)(uintptr_t)scene, key, (char*)(uintptr_t)from);
    while (*n < *all.count && !belongs(scene, &(*all.list)[*n], key, from))
        ++*n;
    return *n < *all.count ? &(*all.list)[(*n)++] : NULL;
}

// Whether the key is one of walls.lower_x and so on, and that wall has a material of its own.
static bool has_face_material(const scree_scene* scene, const scree_scene_key* key)
{
    const int face = key->field->face - 1;
    return face >= 0 && !is_of_change(key) && (scene->face_materials[face] >= 0 || scene->face_names[face] != NULL) && scree_scene_has_wall(scene, face / 2);
}

bool scree_scene_has_loads(const scree_scene* scene, const scree_scene_key* key, const char* from)
{
    int32_t n = 0;
    return has_face_material(scene, key) || ((key->field->signal || scree_scene_is_load(key->field->form)) && next_load(scene, key, from, &n) != NULL);
}

static void put_values(scene_writer* w, const char* before, const double* values, shape as)
{
    scree_scene_write_text(w, before);
    if (as.columns == 1)
        scree_scene_write_number(w, "", values[as.first]);
    else
        scree_scene_write_numbers(w, values + as.first, as.columns);
}

static void put_rows(scene_writer* w, const scree_scene_load* load)
{
    if (load->rows == NULL) {
        scree_scene_write_file(w, load->file != NULL ? load->file : "", load->file_path);
        return;
    }
    for (int32_t row = 0; row < load->load.value.count; ++row) {
        double values[4] = {load->rows[4 * (int64_t)row]};
        memcpy(values + 1, load->rows + 4 * (int64_t)row + 1 + load->first, (size_t)load->columns * sizeof *values);
        put_values(w, row > 0 ? ", " : "[", values, (shape){.columns = load->columns + 1});
    }
    scree_scene_write_text(w, "]");
}

static void put_signal(scene_writer* w, const scree_scene_load* load)
{
    const scree_signal* s = &load->load.value;
    const shape as = {.columns = load->columns, .first = load->first};
    switch (s->kind) {
    case SCREE_SIGNAL_RAMP:
        put_values(w, "{ramp: [", s->value, as);
        put_values(w, ", ", s->to, as);
        scree_scene_write_number(w, "], over: ", s->over);
        break;
    case SCREE_SIGNAL_SINE:
        put_values(w, "{sine: ", s->to, as);
        scree_scene_write_number(w, ", frequency: ", s->frequency);
        scree_scene_write_number(w, ", phase: ", s->phase);
        put_values(w, ", mean: ", s->value, as);
        break;
    case SCREE_SIGNAL_TABLE:
        scree_scene_write_text(w, "{table: ");
        put_rows(w, load);
        break;
    default:
        put_values(w, "", s->value, as);
    }
    scree_scene_write_text(w, s->kind == SCREE_SIGNAL_CONSTANT ? "" : "}");
}

// The value of velocity, spin, oscillate, path or servo.
static void put_motion_value(scene_writer* w, const scree_scene_load* load)
{
    static const char* const servos[3] = {"{force: ", "{pressure: ", "{torque: "};
    const scree_signal* s = &load->load.value;
    const double* d = load->load.direction;
    switch (motion_of(load)) {
    case SCENE_MOTION_PATH:
        put_rows(w, load);
        break;
    case SCENE_MOTION_OSCILLATE:
        scree_scene_write_number(w, "{amplitude: ", load->load.speed);
        scree_scene_write_number(w, ", frequency: ", s->frequency);
        scree_scene_write_number(w, ", phase: ", s->phase);
        put_values(w, ", direction: ", d, (shape){.columns = load->columns});
        scree_scene_write_text(w, "}");
        break;
    case SCENE_MOTION_SERVO:
        scree_scene_write_text(w, servos[load->load.kind - SCREE_LOAD_SERVO_FORCE]);
        put_signal(w, load);
        scree_scene_write_number(w, ", speed: ", load->load.speed);
        if (d[0] != 0.0 || d[1] != 0.0 || d[2] != 0.0)
            put_values(w, ", direction: ", d, (shape){.columns = load->load.kind == SCREE_LOAD_SERVO_TORQUE || d[2] != 0.0 ? 3 : 2});
        if (load->load.area > 0.0)
            scree_scene_write_number(w, ", area: ", load->load.area);
        scree_scene_write_text(w, "}");
        break;
    default:
        put_signal(w, load);
    }
}

static void put_material(scene_writer* w, int64_t n, const char* other)
{
    const char* name = n >= 0 && n < w->scene->material_count ? w->scene->materials[n].name : other;
    scree_scene_write_text(w, "material: ");
    scree_scene_write_name(w, name);
}

// material or a motion, with its key.
static void put_motion(scene_writer* w, const scree_scene_load* load)
{
    if (load->load.kind == SCREE_SCENE_MATERIAL) {
        put_material(w, (int64_t)load->load.value.value[0], NULL);
        return;
    }
    scree_scene_write_text(w, motions[motion_of(load)]);
    scree_scene_write_text(w, ": ");
    put_motion_value(w, load);
}

static void put_surfaces(scene_writer* w, const scree_scene_key* key, const char* from)
{
    const char* between = "{";
    for (int64_t s = 0; s < w->scene->surface_count; ++s) {
        const scree_scene_load* load;
        int32_t written = 0;
        for (int32_t n = 0; (load = next_load(w->scene, key, from, &n)) != NULL;) {
            if (load->load.target != SCREE_SCENE_SURFACE + s)
                continue;
            scree_scene_write_text(w, written > 0 ? ", " : between);
            if (written++ == 0) {
                scree_scene_write_name(w, w->scene->surfaces[s].name);
                scree_scene_write_text(w, ": {");
            }
            between = ", ";
            put_motion(w, load);
        }
        scree_scene_write_text(w, written > 0 ? "}" : "");
    }
    scree_scene_write_text(w, "}");
}

static void put_drag(scene_writer* w, const scree_scene_load* load)
{
    static const char* const names[3] = {"{coefficient: ", ", per_mass: ", ", spin: "};
    const scree_signal* s = &load->load.value;
    for (int k = 0; k < 3; ++k) {
        scree_scene_load one = *load;
        const bool moves = s->kind == SCREE_SIGNAL_TABLE ? k == load->first : s->kind == SCREE_SIGNAL_RAMP ? s->to[k] != s->value[k] : s->kind == SCREE_SIGNAL_SINE && s->to[k] != 0.0;
        one.columns = 1;
        one.first = k;
        one.load.value.kind = moves ? s->kind : SCREE_SIGNAL_CONSTANT;
        scree_scene_write_text(w, names[k]);
        put_signal(w, &one);
    }
    scree_scene_write_text(w, "}");
}

void scree_scene_put_loads(scene_writer* w, const scree_scene_key* key, const char* from)
{
    const scene_field* field = key->field;
    const bool list = field->form == SCENE_FORM_GROUP_LIST, map = field->form == SCENE_FORM_BY_GROUP || field->face > 0, groups = list || field->form == SCENE_FORM_BY_GROUP || field->form == SCENE_FORM_FORCES;
    if (field->form == SCENE_FORM_PARTS) {
        put_surfaces(w, key, from);
        return;
    }
    scree_scene_write_text(w, list ? "[" : map ? "{" : "");
    const char* between = "";
    if (has_face_material(w->scene, key)) {
        put_material(w, w->scene->face_materials[field->face - 1], w->scene->face_names[field->face - 1]);
        between = ", ";
    }
    const scree_scene_load* load;
    for (int32_t n = 0; (load = next_load(w->scene, key, from, &n)) != NULL; between = ", ") {
        scree_scene_write_text(w, between);
        if (groups) {
            scree_scene_write_name(w, load->name != NULL ? load->name : scree_scene_get_entry(w->scene, load->load.target).name);
            scree_scene_write_text(w, list ? "" : ": ");
        }
        if (field->face > 0)
            put_motion(w, load);
        else if (field->motion > 0)
            put_motion_value(w, load);
        else if (load->load.kind == SCREE_LOAD_DRAG)
            put_drag(w, load);
        else if (!list)
            put_signal(w, load);
        if (!groups && field->face == 0)
            break;
    }
    scree_scene_write_text(w, list ? "]" : map ? "}" : "");
}
