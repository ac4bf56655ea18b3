// Loads in scenes: what changes with time, walls that move, drag, and what changes do with groups. A value that may change with time is one of
//
//     9.81  or  [0, 0, -9.81]                       a constant
//     {ramp: [FROM, TO], over: T}
//     {sine: AMPLITUDE, frequency: F, phase: P, mean: M}
//     {table: FILE.csv}                             or the rows themselves, [[t, value, ...], ...]
//
// and the motion of a wall, or of any boundary, one of velocity, oscillate, path and servo. These maps have few keys, the same in many places, so they are read here and
// not by the table of keys.
#include "scene/scene_inner.h"

#include "base/argument.h"
#include "base/array.h"
#include "base/spelling.h"
#include "files/csv.h"
#include "files/words.h"
#include "scene/place.h"
#include "scene/value.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { table_rows_most = 20000, path_room = 160 };

// The numbers of a value: `columns` of them, the first of which is number `first` of the three.
typedef struct shape {
    int columns, first;
} shape;

static const scene_node* node_at(const scene_reader* reader, int32_t n)
{
    return n < 0 ? NULL : &reader->tree->nodes[n];
}

static const char* const face_names[6] = {"lower_x", "upper_x", "lower_y", "upper_y", "lower_z", "upper_z"};

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
    int32_t count = *to.count;
    scree_status status = scree_resize(to.list, count + 1, sizeof **to.list);
    if (status != SCREE_OK)
        return status;
    *out = &(*to.list)[count];
    **out = (scree_scene_load){.load = scree_default_sim_load()};
    *to.count = count + 1;
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
    *to = NULL;
    if (from == NULL)
        return SCREE_OK;
    *to = scree_malloc(strlen(from) + 1, 1);
    if (*to == NULL)
        return SCREE_ERR_MEMORY;
    strcpy(*to, from);
    return SCREE_OK;
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

// ---- Small maps ------------------------------------------------------------------------------------------------------

// The values of the keys of a map, by the list of names, NULL at its end. Unknown and repeated ones are FORMAT.
static scree_status take_keys(const scene_reader* reader, const char* path, const scene_node* map, const char* const* names, const scene_node** values)
{
    char all[256] = "", shown[SCREE_SHOWN];
    size_t used = 0;
    int count = 0;
    for (; names[count] != NULL; ++count) {
        values[count] = NULL;
        used += (size_t)snprintf(all + used, sizeof all - used, "%s%s", count > 0 ? ", " : "", names[count]);
    }
    if (map->kind != SCENE_MAP)
        return scree_scene_fail(reader->tree, map, "%s is %s; expected a map with the keys %s", path, map->kind == SCENE_LIST ? "a list" : "a single value", all);
    for (const scene_node* key = node_at(reader, map->first); key != NULL; key = node_at(reader, node_at(reader, key->next)->next)) {
        int n = 0;
        while (n < count && !scree_scene_says(reader, key, names[n]))
            ++n;
        if (n == count)
            return scree_scene_fail(reader->tree, key, "unknown key '%s' in %s; expected one of %s", scree_csv_shown(shown, scree_scene_text(reader->tree, key), key->length), path, all);
        char where[128];
        if (values[n] != NULL)
            return scree_scene_fail(reader->tree, key, "the key %s of %s is in %s already; expected it once", names[n], path, scree_scene_where(reader->tree, values[n], where));
        values[n] = node_at(reader, key->next);
    }
    return SCREE_OK;
}

// A number with a name of its own for messages.
static scree_status read_number(const scene_reader* reader, const char* path, const char* name, const scene_node* node, double least, bool above, double* out)
{
    char whole[path_room];
    const scene_field field = {.form = SCENE_FORM_NUMBER, .least = least, .above = above, .most = INFINITY};
    snprintf(whole, sizeof whole, "%.110s%s%.40s", path, *name != '\0' ? "." : "", name);
    const scree_scene_key key = {.path = whole, .kind = "number", .unit = "", .standard = "", .range = least == 0.0 ? above ? "above 0" : "0 or more" : "any", .meaning = "", .field = &field};
    return scree_scene_number(reader, &key, node, 0, out);
}

// One number, or a list of as many as the shape has, to their places among three.
static scree_status read_values(const scene_reader* reader, const char* path, const char* name, const scene_node* node, shape as, double out[3])
{
    memset(out, 0, 3 * sizeof *out);
    if (as.columns == 1)
        return read_number(reader, path, name, node, -INFINITY, false, &out[as.first]);
    if (node->kind != SCENE_LIST || node->count != as.columns)
        return scree_scene_fail(reader->tree, node, "%s%s%s: expected a list of %d numbers", path, *name != '\0' ? "." : "", name, as.columns);
    int k = 0;
    scree_status status = SCREE_OK;
    for (const scene_node* entry = node_at(reader, node->first); entry != NULL && status == SCREE_OK; entry = node_at(reader, entry->next), ++k)
        status = read_number(reader, path, name, entry, -INFINITY, false, &out[as.first + k]);
    return status;
}

// ---- Signals ---------------------------------------------------------------------------------------------------------

bool scree_scene_is_signal(const scene_node* node)
{
    return node->kind == SCENE_MAP;
}

static scree_status read_file_name(const scene_reader* reader, const char* path, const scene_node* node, char** to)
{
    const char *text = scree_scene_text(reader->tree, node), *what;
    size_t at;
    if (node->length == 0 || !scree_scene_plain(text, (size_t)node->length, false, &at, &what))
        return scree_scene_fail(reader->tree, node, "%s is not text; expected the name of a file", path);
    return copy_text(text, to);
}

// The rows of a table, or the name of its file.
static scree_status read_rows(const scene_reader* reader, const char* path, const scene_node* node, shape as, scree_scene_load* out)
{
    out->load.value.kind = SCREE_SIGNAL_TABLE;
    out->columns = as.columns;
    out->first = as.first;
    if (node->kind == SCENE_SCALAR) {
        snprintf(out->key, sizeof out->key, "%s", path);
        out->line = node->source == 0 ? node->line : 0;
        out->column_of_key = node->column;
        return read_file_name(reader, path, node, &out->file);
    }
    if (node->kind != SCENE_LIST || node->count < 1 || node->count > table_rows_most)
        return scree_scene_fail(reader->tree, node, "%s is neither text nor a list; expected the name of a CSV file, or a list of 1 to %d rows", path, (int)table_rows_most);
    out->rows = scree_calloc(4 * (size_t)node->count, sizeof *out->rows);
    if (out->rows == NULL)
        return SCREE_ERR_MEMORY;
    int32_t row = 0;
    for (const scene_node* entry = node_at(reader, node->first); entry != NULL; entry = node_at(reader, entry->next), ++row) {
        double* to = out->rows + 4 * (int64_t)row;
        if (entry->kind != SCENE_LIST || entry->count != as.columns + 1)
            return scree_scene_fail(reader->tree, entry, "row %" PRId32 " of %s is not a list of that length; expected %d numbers, the time and %s", row + 1, path, as.columns + 1,
                                    as.columns == 1 ? "a value" : "a value for each axis");
        int k = 0;
        for (const scene_node* value = node_at(reader, entry->first); value != NULL; value = node_at(reader, value->next), ++k) {
            scree_status status = read_number(reader, path, "", value, -INFINITY, false, k == 0 ? to : &to[as.first + k]);
            if (status != SCREE_OK)
                return status;
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
    static const char* const names[] = {"ramp", "over", "sine", "frequency", "phase", "mean", "table", NULL};
    enum { RAMP, OVER, SINE, FREQUENCY, PHASE, MEAN, TABLE, KEYS };
    const scene_node* values[KEYS];
    scree_signal* s = &out->load.value;
    out->columns = as.columns;
    out->first = as.first;
    if (!scree_scene_is_signal(node))
        return read_values(reader, path, "", node, as, s->value);
    scree_status status = take_keys(reader, path, node, names, values);
    if (status != SCREE_OK)
        return status;
    if ((values[RAMP] != NULL) + (values[SINE] != NULL) + (values[TABLE] != NULL) != 1)
        return scree_scene_fail(reader->tree, node, "%s has none or several of the known forms; expected a constant, {ramp: [from, to], over: T}, {sine: A, frequency: F} or {table: FILE.csv}", path);
    bool allowed[KEYS] = {[RAMP] = true, [SINE] = true, [TABLE] = true, [OVER] = values[RAMP] != NULL, [FREQUENCY] = values[SINE] != NULL, [PHASE] = values[SINE] != NULL, [MEAN] = values[SINE] != NULL};
    for (int k = 0; k < KEYS; ++k)
        if (values[k] != NULL && !allowed[k])
            return scree_scene_fail(reader->tree, values[k], "%s.%s has no effect on this signal; expected it with a %s only", path, names[k], k == OVER ? "ramp" : "sine");
    if (values[TABLE] != NULL) {
        char whole[path_room];
        snprintf(whole, sizeof whole, "%.110s.table", path);
        return read_rows(reader, whole, values[TABLE], as, out);
    }
    if (values[RAMP] != NULL) {
        s->kind = SCREE_SIGNAL_RAMP;
        if (values[OVER] == NULL)
            return scree_scene_fail(reader->tree, node, "a key is missing; expected %s.over, the time that the ramp takes", path);
        if (values[RAMP]->kind != SCENE_LIST || values[RAMP]->count != 2)
            return scree_scene_fail(reader->tree, values[RAMP], "%s.ramp is not a list of two; expected from and to", path);
        const scene_node* from = node_at(reader, values[RAMP]->first);
        status = read_values(reader, path, "ramp", from, as, s->value);
        if (status == SCREE_OK)
            status = read_values(reader, path, "ramp", node_at(reader, from->next), as, s->to);
        return status == SCREE_OK ? read_number(reader, path, "over", values[OVER], 0.0, true, &s->over) : status;
    }
    s->kind = SCREE_SIGNAL_SINE;
    if (values[FREQUENCY] == NULL)
        return scree_scene_fail(reader->tree, node, "a key is missing; expected %s.frequency", path);
    status = read_values(reader, path, "sine", values[SINE], as, s->to);
    if (status == SCREE_OK)
        status = read_number(reader, path, "frequency", values[FREQUENCY], 0.0, false, &s->frequency);
    if (status == SCREE_OK && values[PHASE] != NULL)
        status = read_number(reader, path, "phase", values[PHASE], -INFINITY, false, &s->phase);
    return status == SCREE_OK && values[MEAN] != NULL ? read_values(reader, path, "mean", values[MEAN], as, s->value) : status;
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
    if (node->kind == SCENE_LIST)
        return true;
    if (node->kind != SCENE_MAP)
        return false;
    for (const scene_node* key = node_at(reader, node->first); key != NULL; key = node_at(reader, node_at(reader, key->next)->next)) {
        const scene_node* value = node_at(reader, key->next);
        if (scree_scene_says(reader, key, "ramp") && value->kind == SCENE_LIST && value->count > 0)
            return node_at(reader, value->first)->kind == SCENE_LIST;
        if (scree_scene_says(reader, key, "sine"))
            return value->kind == SCENE_LIST;
    }
    return false;
}

static scree_status read_oscillate(const scene_reader* reader, const char* path, const scene_node* node, int axis, scree_scene_load* out)
{
    static const char* const names[] = {"amplitude", "frequency", "phase", "direction", NULL};
    const scene_node* values[4];
    scree_status status = take_keys(reader, path, node, names, values);
    if (status != SCREE_OK)
        return status;
    for (int k = 0; k < 2; ++k)
        if (values[k] == NULL)
            return scree_scene_fail(reader->tree, node, "a key is missing; expected %s.%s", path, names[k]);
    double amplitude, direction[3] = {0.0, 0.0, 0.0};
    scree_signal* s = &out->load.value;
    out->load.kind = SCREE_LOAD_BOUNDARY_PATH;
    s->kind = SCREE_SIGNAL_SINE;
    out->columns = reader->scene->sim.box.dim;
    status = read_number(reader, path, "amplitude", values[0], -INFINITY, false, &amplitude);
    if (status == SCREE_OK)
        status = read_number(reader, path, "frequency", values[1], 0.0, false, &s->frequency);
    if (status == SCREE_OK && values[2] != NULL)
        status = read_number(reader, path, "phase", values[2], -INFINITY, false, &s->phase);
    if (axis >= 0)
        direction[axis] = 1.0;
    if (status == SCREE_OK && values[3] != NULL)
        status = read_values(reader, path, "direction", values[3], vector_of(reader), direction);
    double length = sqrt((direction[0] * direction[0] + direction[1] * direction[1]) + direction[2] * direction[2]);
    if (status == SCREE_OK && !(length > 0.0 && length < INFINITY))
        return scree_scene_fail(reader->tree, values[3] != NULL ? values[3] : node, "%s.direction is %s; expected a vector other than 0", path, values[3] != NULL ? "0" : "missing");
    for (int k = 0; k < 3; ++k)
        s->to[k] = amplitude * (direction[k] / length);
    // As written, for a scene that is written again.
    out->load.speed = amplitude;
    memcpy(out->load.direction, direction, sizeof direction);
    return status;
}

static scree_status read_servo(const scene_reader* reader, const char* path, const scene_node* node, scree_scene_load* out)
{
    static const char* const names[] = {"force", "pressure", "torque", "speed", "direction", "area", NULL};
    enum { FORCE, PRESSURE, TORQUE, SPEED, DIRECTION, AREA, KEYS };
    const scene_node* values[KEYS];
    scree_status status = take_keys(reader, path, node, names, values);
    if (status != SCREE_OK)
        return status;
    int which = values[FORCE] != NULL ? FORCE : values[PRESSURE] != NULL ? PRESSURE : TORQUE;
    if ((values[FORCE] != NULL) + (values[PRESSURE] != NULL) + (values[TORQUE] != NULL) != 1)
        return scree_scene_fail(reader->tree, node, "%s has none or several; expected exactly one of force, pressure and torque", path);
    if (values[SPEED] == NULL)
        return scree_scene_fail(reader->tree, node, "a key is missing; expected %s.speed, the largest at which it moves", path);
    if (values[AREA] != NULL && which != PRESSURE)
        return scree_scene_fail(reader->tree, values[AREA], "%s.area has no effect here; expected it with a pressure only", path);
    char whole[path_room];
    snprintf(whole, sizeof whole, "%.110s.%.40s", path, names[which]);
    out->load.kind = SCREE_LOAD_SERVO_FORCE + which;
    status = read_signal(reader, whole, values[which], (shape){.columns = 1}, out);
    if (status == SCREE_OK)
        status = read_number(reader, path, "speed", values[SPEED], 0.0, true, &out->load.speed);
    if (status == SCREE_OK && values[AREA] != NULL)
        status = read_number(reader, path, "area", values[AREA], 0.0, true, &out->load.area);
    if (status == SCREE_OK && values[DIRECTION] != NULL)
        status = read_values(reader, path, "direction", values[DIRECTION], which == TORQUE ? (shape){.columns = 3} : vector_of(reader), out->load.direction);
    return status;
}

enum { VELOCITY, SPIN, OSCILLATE, PATH, SERVO, MOTIONS };
static const char* const motions[MOTIONS] = {"velocity", "spin", "oscillate", "path", "servo"};

static scree_status read_motion(const scene_reader* reader, const char* path, int which, const scene_node* value, int32_t boundary, int axis, scene_loads to)
{
    char whole[path_room];
    scree_scene_load* load;
    scree_status status = append(to, &load);
    if (status != SCREE_OK)
        return status;
    snprintf(whole, sizeof whole, "%.110s.%.40s", path, motions[which]);
    load->load.target = boundary;
    if (which == VELOCITY || which == SPIN) {
        load->load.kind = which == SPIN ? SCREE_LOAD_BOUNDARY_SPIN : SCREE_LOAD_BOUNDARY_VELOCITY;
        return read_signal(reader, whole, value, which == SPIN ? turn_of(reader) : motion_shape(reader, axis, is_vector(reader, value)), load);
    }
    if (which == OSCILLATE)
        return read_oscillate(reader, whole, value, axis, load);
    if (which == SERVO)
        return read_servo(reader, whole, value, load);
    load->load.kind = SCREE_LOAD_BOUNDARY_PATH;
    return read_rows(reader, whole, value, motion_shape(reader, axis, false), load);
}

scree_status scree_scene_read_motion(const scene_reader* reader, const char* path, const scene_node* name, const scene_node* value, int32_t boundary, int axis, scene_loads to, bool* known)
{
    int which = 0;
    while (which < MOTIONS && !scree_scene_says(reader, name, motions[which]))
        ++which;
    *known = which < MOTIONS;
    return *known ? read_motion(reader, path, which, value, boundary, axis, to) : SCREE_OK;
}

// Of a key of an entry of `surfaces`: which motion it is; -1: none.
static int motion_of_key(const scree_scene_key* key)
{
    if (strncmp(key->path, "surfaces.", strlen("surfaces.")) != 0)
        return -1;
    for (int which = 0; which < MOTIONS; ++which)
        if (strcmp(key->path + strlen("surfaces."), motions[which]) == 0)
            return which;
    return -1;
}

// A change of what a boundary is made of.
static scree_status read_material(const scene_reader* reader, const char* path, const scene_node* node, int32_t boundary, scene_loads to)
{
    char whole[path_room];
    scree_scene_load* load;
    int32_t material = -1;
    snprintf(whole, sizeof whole, "%.110s.material", path);
    if (reader->scene->material_count == 0)
        return scree_scene_fail(reader->tree, node, "%s without materials; expected a map of names, as in materials: {glass: {material_density: 2500}}", whole);
    scree_scene_key own = *scree_scene_row(scree_scene_find("changes.walls.material"));
    own.path = whole;
    scree_status status = scree_scene_read_material(reader, &own, node, &material, NULL);
    if (status == SCREE_OK)
        status = append(to, &load);
    if (status != SCREE_OK)
        return status;
    load->load.kind = SCREE_SCENE_MATERIAL;
    load->load.target = boundary;
    load->load.value.value[0] = material;
    return SCREE_OK;
}

// changes.surfaces: names, each with a map of motions.
static scree_status read_surfaces(const scene_reader* reader, const scree_scene_key* key, const scene_node* node, scene_loads to)
{
    const scree_scene* scene = reader->scene;
    char shown[SCREE_SHOWN], path[path_room];
    if (node->kind != SCENE_MAP)
        return scree_scene_reject(reader, key, node, 0);
    for (const scene_node* name = node_at(reader, node->first); name != NULL;) {
        const scene_node* map = node_at(reader, name->next);
        int64_t n = 0;
        while (n < scene->surface_count && (scene->surfaces[n].name == NULL || !scree_scene_says(reader, name, scene->surfaces[n].name)))
            ++n;
        if (n == scene->surface_count)
            return scree_scene_fail(reader->tree, name, "%s: no surface is named '%s'; expected the name of one", key->path, scree_csv_shown(shown, scree_scene_text(reader->tree, name), name->length));
        snprintf(path, sizeof path, "%.40s.%.40s", key->path, scene->surfaces[n].name);
        if (map->kind != SCENE_MAP)
            return scree_scene_fail(reader->tree, map, "%s is not a map; expected keys of velocity, spin, oscillate, path, servo and material", path);
        for (const scene_node* one = node_at(reader, map->first); one != NULL; one = node_at(reader, node_at(reader, one->next)->next)) {
            bool known = scree_scene_says(reader, one, "material");
            const scene_node* value = node_at(reader, one->next);
            int32_t boundary = SCREE_SCENE_SURFACE + (int32_t)n;
            scree_status status = known ? read_material(reader, path, value, boundary, to) : scree_scene_read_motion(reader, path, one, value, boundary, -1, to, &known);
            if (status == SCREE_OK && !known)
                status = scree_scene_fail(reader->tree, one, "unknown key '%s' in %s; expected velocity, spin, oscillate, path, servo or material",
                                          scree_csv_shown(shown, scree_scene_text(reader->tree, one), one->length), path);
            if (status != SCREE_OK)
                return status;
        }
        name = node_at(reader, map->next);
    }
    return SCREE_OK;
}

// What one wall of the box is made of.
static scree_status read_face_material(const scene_reader* reader, const scree_scene_key* key, const scene_node* node, int32_t face)
{
    scree_scene* scene = reader->scene;
    char path[path_room];
    snprintf(path, sizeof path, "%.40s.material", key->path);
    if (scene->material_count == 0 && !scree_scene_materials_later(scene))
        return scree_scene_fail(reader->tree, node, "%s without materials; expected a map of names, as in materials: {glass: {material_density: 2500}}", path);
    scree_scene_key own = *key;
    own.path = path;
    own.kind = "name";
    return scree_scene_read_material(reader, &own, node, &scene->face_materials[face], &scene->face_names[face]);
}

static scree_status read_face(const scene_reader* reader, const scree_scene_key* key, const scene_node* node, int32_t face, scene_loads to)
{
    int axis = face / 2;
    char shown[SCREE_SHOWN];
    if (!scree_scene_has_wall(reader->scene, axis))
        return scree_scene_fail(reader->tree, node, "%s: the axis %c %s; expected an axis with flat walls", key->path, "xyz"[axis],
                                axis >= reader->scene->sim.box.dim  ? "does not exist in dimension 2"
                                : reader->scene->box_periodic[axis] ? "is periodic and has no walls"
                                                                    : "is one of a round wall, which does not move");
    const scene_node *name = node->kind == SCENE_MAP ? node_at(reader, node->first) : NULL, *material = NULL, *motion = NULL;
    bool many = name == NULL, known = false, change = is_of_change(key);
    for (; name != NULL; name = node_at(reader, node_at(reader, name->next)->next)) {
        const scene_node** one = scree_scene_says(reader, name, "material") ? &material : &motion;
        many = many || *one != NULL;
        *one = name;
    }
    if (many)
        return scree_scene_fail(reader->tree, node, "%s is not a map; expected one of the keys velocity, oscillate, path and servo, and a material", key->path);
    scree_status status = SCREE_OK;
    if (material != NULL)
        status = change ? read_material(reader, key->path, node_at(reader, material->next), face, to) : read_face_material(reader, key, node_at(reader, material->next), face);
    if (status == SCREE_OK && motion != NULL && !scree_scene_says(reader, motion, "spin"))
        status = scree_scene_read_motion(reader, key->path, motion, node_at(reader, motion->next), face, axis, to, &known);
    if (status == SCREE_OK && motion != NULL && !known)
        return scree_scene_fail(reader->tree, motion, "unknown key '%s' in %s; expected material, velocity, oscillate, path or servo",
                                scree_csv_shown(shown, scree_scene_text(reader->tree, motion), motion->length), key->path);
    return status;
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

static scree_status read_groups(const scene_reader* reader, const scree_scene_key* key, const scene_node* node, int32_t kind, scene_loads to)
{
    bool list = kind == SCREE_SCENE_FREEZE || kind == SCREE_SCENE_RELEASE;
    if (reader->scene->body_count > 0)
        return scree_scene_fail(reader->tree, node, "%s is not supported with bodies; expected a scene of spheres only", key->path);
    if (node->kind != (list ? SCENE_LIST : SCENE_MAP))
        return scree_scene_reject(reader, key, node, 0);
    scree_status status = SCREE_OK;
    for (const scene_node* name = node_at(reader, node->first); name != NULL && status == SCREE_OK;) {
        const scene_node* value = list ? NULL : node_at(reader, name->next);
        status = scree_scene_read_group_load(reader, key, name, value, kind, to);
        name = node_at(reader, list ? name->next : value->next);
    }
    return status;
}

// ---- Public calls----------------------------------------------------------------------------------------------------

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
    static const char* const names[] = {"coefficient", "per_mass", "spin", NULL};
    const scene_node* values[3];
    scree_status status = take_keys(reader, key->path, node, names, values);
    bool moves[3] = {false, false, false};
    out->load.kind = SCREE_LOAD_DRAG;
    out->columns = 3;
    for (int k = 0; k < 3 && status == SCREE_OK; ++k) {
        if (values[k] == NULL)
            continue;
        moves[k] = scree_scene_is_signal(values[k]);
        if (!moves[k]) {
            status = read_number(reader, key->path, names[k], values[k], 0.0, false, &out->load.value.value[k]);
            continue;
        }
        char path[path_room];
        scree_scene_load one = {.load = scree_default_sim_load()};
        snprintf(path, sizeof path, "%.40s.%.40s", key->path, names[k]);
        status = read_signal(reader, path, values[k], (shape){.columns = 1, .first = k}, &one);
        if (status == SCREE_OK)
            status = join_drag(reader, path, values[k], k, &one, out);
        free_load(&one);
    }
    for (int k = 0; k < 3 && out->load.value.kind == SCREE_SIGNAL_RAMP; ++k)
        if (!moves[k])
            out->load.value.to[k] = out->load.value.value[k];
    if (out->load.value.kind == SCREE_SIGNAL_TABLE)
        fill_rows(out);
    return status;
}

// The kind of load that a key makes; of faces its number.
static int32_t kind_of(const scree_scene_key* key, int32_t* face)
{
    static const struct {
        const char* name;
        int32_t kind;
    } kinds[] = {{"gravity", SCREE_LOAD_GRAVITY},   {"gravity_turn", SCREE_LOAD_TURN}, {"force", SCREE_LOAD_FORCE},        {"torque", SCREE_LOAD_TORQUE},
                 {"velocity", SCREE_LOAD_VELOCITY}, {"spin", SCREE_LOAD_SPIN},         {"freeze", SCREE_SCENE_FREEZE},     {"release", SCREE_SCENE_RELEASE},
                 {"drag", SCREE_LOAD_DRAG},         {"local_damping", SCREE_LOAD_LOCAL_DAMPING}};
    const char* name = scree_scene_last_name(key->path);
    *face = -1;
    for (int f = 0; f < 6; ++f)
        if (strcmp(name, face_names[f]) == 0)
            *face = f;
    const char* path = is_of_change(key) ? key->path + strlen("changes.") : key->path;
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; ++k)
        if (strcmp(path, kinds[k].name) == 0)
            return kinds[k].kind;
    return -1;
}

scree_status scree_scene_read_loads(const scene_reader* reader, const scree_scene_key* key, const scene_node* node, scene_loads to)
{
    int32_t face, kind = kind_of(key, &face);
    if (motion_of_key(key) >= 0)
        return read_motion(reader, "surfaces", motion_of_key(key), node, SCREE_SCENE_SURFACE + reader->entry, -1, to);
    if (strcmp(key->path, "changes.surfaces") == 0)
        return read_surfaces(reader, key, node, to);
    if (face >= 0)
        return read_face(reader, key, node, face, to);
    if (kind >= SCREE_LOAD_TORQUE && kind != SCREE_LOAD_DRAG && kind != SCREE_LOAD_LOCAL_DAMPING)
        return read_groups(reader, key, node, kind, to);
    scree_scene_load* load;
    if (reader->scene->body_count > 0)
        return scree_scene_fail(reader->tree, node, "%s: a value that changes with time is not supported with bodies; expected a scene of spheres only", key->path);
    scree_status status = append(to, &load);
    if (status != SCREE_OK)
        return status;
    load->load.kind = kind;
    if (kind == SCREE_LOAD_DRAG)
        return read_drag(reader, key, node, load);
    if (kind == SCREE_LOAD_LOCAL_DAMPING) {
        load->columns = 1;
        if (scree_scene_is_signal(node))
            return read_signal(reader, key->path, node, (shape){.columns = 1}, load);
        status = read_number(reader, key->path, "", node, 0.0, false, &load->load.value.value[0]);
        if (status == SCREE_OK && !(load->load.value.value[0] < 1.0))
            return scree_scene_fail(reader->tree, node, "%s is %g; expected a number (0 or more, below 1)", key->path, load->load.value.value[0]);
        return status;
    }
    return read_signal(reader, key->path, node, kind == SCREE_LOAD_TURN ? turn_of(reader) : vector_of(reader), load);
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

static scree_status read_header(scree_csv* csv, int columns, int first, int64_t at[4])
{
    static const char* const axes[3] = {"x", "y", "z"};
    scree_status status = scree_csv_header(csv, columns == 1 ? "the columns t and one of values" : "the columns t, x, y and z");
    for (int k = 0; k < 4; ++k)
        at[k] = -1;
    int others = 0;
    for (int64_t c = 0; c < csv->count && status == SCREE_OK; ++c) {
        bool known = scree_csv_is(csv, c, "t") || scree_csv_is(csv, c, "time");
        if (known)
            at[0] = c;
        for (int k = 0; k < 3 && columns > 1; ++k)
            if (scree_csv_is(csv, c, axes[k]) && k >= first && k < first + columns) {
                at[1 + k] = c;
                known = true;
            }
        if (columns == 1 && !known && others++ == 0) {
            at[1 + first] = c;
            known = true;
        }
        if (!known)
            status = scree_input_fail(csv->input, csv->line, "column %" PRId64 " is unknown; expected t and %s", c + 1, columns == 1 ? "one of values" : columns == 2 ? "x, y" : "x, y, z");
    }
    bool any = at[1] >= 0 || at[2] >= 0 || at[3] >= 0;
    if (status == SCREE_OK && (at[0] < 0 || !any))
        status = scree_input_fail(csv->input, csv->line, "there is no column %s; expected t and %s", at[0] < 0 ? "'t'" : "of values", columns == 1 ? "one of values" : "x, y and z");
    return status;
}

static scree_status read_table(scree_csv* csv, scree_scene_load* load)
{
    int64_t at[4], columns, capacity = 0, count = 0;
    scree_status status = read_header(csv, load->columns, load->first, at);
    columns = csv->count;
    double* rows = NULL;
    while (status == SCREE_OK) {
        bool more;
        status = scree_csv_next(csv, &more);
        if (status != SCREE_OK || !more)
            break;
        status = scree_csv_check_width(csv, columns);
        if (status == SCREE_OK && count == table_rows_most)
            status = scree_input_fail(csv->input, csv->line, "there are more rows; expected at most %d", (int)table_rows_most);
        if (status == SCREE_OK)
            status = SCREE_RESERVE(rows, capacity, 4 * (count + 1));
        for (int k = 0; k < 4 && status == SCREE_OK; ++k) {
            double* to = &rows[4 * count + k];
            *to = 0.0;
            if (at[k] >= 0)
                status = scree_csv_number(csv, at[k], k == 0 ? "t" : "a value", to);
            if (status == SCREE_OK && !(fabs(*to) <= SCREE_LENGTH_MAX))
                status = scree_input_fail(csv->input, csv->line, "%s is %g; expected a finite number", k == 0 ? "t" : "a value", *to);
        }
        if (status == SCREE_OK && count > 0 && !(rows[4 * count] > rows[4 * count - 4]))
            status = scree_input_fail(csv->input, csv->line, "t is %g, after %g; expected rising times", rows[4 * count], rows[4 * count - 4]);
        ++count;
    }
    if (status == SCREE_OK && count == 0)
        status = scree_input_fail(csv->input, csv->line, "there are no rows; expected at least one");
    if (status != SCREE_OK) {
        scree_free(rows);
        return status;
    }
    load->rows = rows;
    load->load.value.table = rows;
    load->load.value.count = (int32_t)count;
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
        if (loads[n].file_path == NULL)
            continue;
        scree_input input;
        status = scree_input_open(&input, loads[n].file_path, scree_get_watch());
        if (status == SCREE_OK) {
            scree_csv csv = {.input = &input};
            status = read_table(&csv, &loads[n]);
            scree_csv_close(&csv);
            scree_input_close(&input);
        }
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

static bool belongs(const scree_scene_load* load, int32_t kind, int32_t face)
{
    bool of_boundary = (load->load.kind >= SCREE_LOAD_BOUNDARY_VELOCITY && load->load.kind <= SCREE_LOAD_SERVO_TORQUE) || load->load.kind == SCREE_SCENE_MATERIAL;
    return face >= 0 ? of_boundary && load->load.target == face : load->load.kind == kind;
}

static const scree_scene_load* loads_at(const scree_scene* scene, const scree_scene_key* key, const char* from, int32_t* count)
{
    const scree_scene_change* change = (const scree_scene_change*)(const void*)from;
    *count = is_of_change(key) ? change->load_count : scene->load_count;
    return is_of_change(key) ? change->loads : scene->loads;
}

static int motion_of_load(const scree_scene_load* load)
{
    int32_t kind = load->load.kind;
    return kind == SCREE_LOAD_BOUNDARY_VELOCITY ? VELOCITY : kind == SCREE_LOAD_BOUNDARY_SPIN ? SPIN : kind == SCREE_LOAD_BOUNDARY_PATH ? (load->load.value.kind == SCREE_SIGNAL_SINE ? OSCILLATE : PATH) : SERVO;
}

static bool is_of_surface(const scree_scene_load* load, int64_t n)
{
    bool of_boundary = (load->load.kind >= SCREE_LOAD_BOUNDARY_VELOCITY && load->load.kind <= SCREE_LOAD_SERVO_TORQUE) || load->load.kind == SCREE_SCENE_MATERIAL;
    return of_boundary && (n < 0 ? load->load.target >= SCREE_SCENE_SURFACE : load->load.target == SCREE_SCENE_SURFACE + n);
}

// The load of a key of an entry of `surfaces`, `from`; NULL: it has none.
static const scree_scene_load* motion_at(const scree_scene* scene, const scree_scene_key* key, const char* from)
{
    int64_t n = (const scree_scene_surface*)(const void*)from - scene->surfaces;
    for (int32_t k = 0; k < scene->load_count; ++k)
        if (is_of_surface(&scene->loads[k], n) && motion_of_load(&scene->loads[k]) == motion_of_key(key))
            return &scene->loads[k];
    return NULL;
}

static bool has_surfaces(const char* from)
{
    const scree_scene_change* change = (const scree_scene_change*)(const void*)from;
    for (int32_t n = 0; n < change->load_count; ++n)
        if (is_of_surface(&change->loads[n], -1))
            return true;
    return false;
}

// Whether the key is one of walls.lower_x and so on, and that wall has a material of its own.
static bool has_face_material(const scree_scene* scene, const scree_scene_key* key, int32_t face)
{
    return face >= 0 && !is_of_change(key) && (scene->face_materials[face] >= 0 || scene->face_names[face] != NULL) && scree_scene_has_wall(scene, face / 2);
}

bool scree_scene_has_loads(const scree_scene* scene, const scree_scene_key* key, const char* from)
{
    int32_t face, kind = kind_of(key, &face), count;
    if (has_face_material(scene, key, face))
        return true;
    if (motion_of_key(key) >= 0)
        return motion_at(scene, key, from) != NULL;
    if (strcmp(key->path, "changes.surfaces") == 0)
        return has_surfaces(from);
    bool signal = is_of_change(key) && (kind == SCREE_LOAD_GRAVITY || kind == SCREE_LOAD_TURN || kind == SCREE_LOAD_FORCE);
    if (!signal && !scree_scene_is_load(key->field->form))
        return false;
    const scree_scene_load* loads = loads_at(scene, key, from, &count);
    for (int32_t n = 0; n < count; ++n)
        if (belongs(&loads[n], kind, face))
            return true;
    return false;
}

typedef struct text_out {
    scene_put* put;
    void (*put_file)(void* writer, const char* name, const char* path);
    void* writer;
} text_out;

static void put_number(const text_out* out, double value)
{
    char digits[33] = "";
    *scree_put_number(digits, value) = '\0';
    out->put(out->writer, digits);
}

static void put_values(const text_out* out, const double* values, shape as)
{
    if (as.columns != 1)
        out->put(out->writer, "[");
    for (int k = 0; k < as.columns; ++k) {
        out->put(out->writer, k > 0 ? ", " : "");
        put_number(out, values[as.first + k]);
    }
    if (as.columns != 1)
        out->put(out->writer, "]");
}

static void put_named(const text_out* out, const char* name, double value)
{
    out->put(out->writer, name);
    put_number(out, value);
}

static void put_rows(const text_out* out, const scree_scene_load* load, shape as)
{
    if (load->rows == NULL) {
        out->put_file(out->writer, load->file != NULL ? load->file : "", load->file_path);
        return;
    }
    out->put(out->writer, "[");
    for (int32_t row = 0; row < load->load.value.count; ++row) {
        const double* at = load->rows + 4 * (int64_t)row;
        out->put(out->writer, row > 0 ? ", [" : "[");
        put_number(out, at[0]);
        for (int k = 0; k < as.columns; ++k) {
            out->put(out->writer, ", ");
            put_number(out, at[1 + as.first + k]);
        }
        out->put(out->writer, "]");
    }
    out->put(out->writer, "]");
}

static void put_signal(const text_out* out, const scree_scene_load* load)
{
    const scree_signal* s = &load->load.value;
    shape as = {.columns = load->columns, .first = load->first};
    switch (s->kind) {
    case SCREE_SIGNAL_RAMP:
        out->put(out->writer, "{ramp: [");
        put_values(out, s->value, as);
        out->put(out->writer, ", ");
        put_values(out, s->to, as);
        put_named(out, "], over: ", s->over);
        out->put(out->writer, "}");
        break;
    case SCREE_SIGNAL_SINE:
        out->put(out->writer, "{sine: ");
        put_values(out, s->to, as);
        put_named(out, ", frequency: ", s->frequency);
        put_named(out, ", phase: ", s->phase);
        out->put(out->writer, ", mean: ");
        put_values(out, s->value, as);
        out->put(out->writer, "}");
        break;
    case SCREE_SIGNAL_TABLE:
        out->put(out->writer, "{table: ");
        put_rows(out, load, as);
        out->put(out->writer, "}");
        break;
    default:
        put_values(out, s->value, as);
    }
}

// The value of velocity, spin, oscillate, path or servo.
static void put_motion_value(const text_out* out, const scree_scene_load* load)
{
    static const char* const servos[3] = {"{force: ", "{pressure: ", "{torque: "};
    const scree_signal* s = &load->load.value;
    const double* d = load->load.direction;
    switch (load->load.kind) {
    case SCREE_LOAD_BOUNDARY_VELOCITY:
    case SCREE_LOAD_BOUNDARY_SPIN:
        put_signal(out, load);
        break;
    case SCREE_LOAD_BOUNDARY_PATH:
        if (s->kind != SCREE_SIGNAL_SINE) {
            put_rows(out, load, (shape){.columns = load->columns, .first = load->first});
            break;
        }
        put_named(out, "{amplitude: ", load->load.speed);
        put_named(out, ", frequency: ", s->frequency);
        put_named(out, ", phase: ", s->phase);
        out->put(out->writer, ", direction: ");
        put_values(out, d, (shape){.columns = load->columns});
        out->put(out->writer, "}");
        break;
    default:
        out->put(out->writer, servos[load->load.kind - SCREE_LOAD_SERVO_FORCE]);
        put_signal(out, load);
        put_named(out, ", speed: ", load->load.speed);
        if (d[0] != 0.0 || d[1] != 0.0 || d[2] != 0.0) {
            out->put(out->writer, ", direction: ");
            put_values(out, d, (shape){.columns = load->load.kind == SCREE_LOAD_SERVO_TORQUE || d[2] != 0.0 ? 3 : 2});
        }
        if (load->load.area > 0.0)
            put_named(out, ", area: ", load->load.area);
        out->put(out->writer, "}");
    }
}

static void put_material(const text_out* out, const scree_scene* scene, int64_t n, const char* other)
{
    const char* name = n >= 0 && n < scene->material_count ? scene->materials[n].name : other;
    out->put(out->writer, "material: ");
    out->put(out->writer, name != NULL && scree_scene_is_name(name, strlen(name)) ? name : "\"\"");
}

static void put_motion(const text_out* out, const scree_scene* scene, const scree_scene_load* load)
{
    if (load->load.kind == SCREE_SCENE_MATERIAL) {
        put_material(out, scene, (int64_t)load->load.value.value[0], NULL);
        return;
    }
    out->put(out->writer, motions[motion_of_load(load)]);
    out->put(out->writer, ": ");
    put_motion_value(out, load);
}

static void put_surfaces(const text_out* out, const scree_scene* scene, const scree_scene_change* change)
{
    const char* between = "{";
    for (int64_t n = 0; n < scene->surface_count; ++n) {
        int32_t written = 0;
        for (int32_t k = 0; k < change->load_count; ++k) {
            if (!is_of_surface(&change->loads[k], n))
                continue;
            if (written++ == 0) {
                out->put(out->writer, between);
                out->put(out->writer, scene->surfaces[n].name != NULL ? scene->surfaces[n].name : "\"\"");
                out->put(out->writer, ": {");
                between = ", ";
            } else {
                out->put(out->writer, ", ");
            }
            put_motion(out, scene, &change->loads[k]);
        }
        out->put(out->writer, written > 0 ? "}" : "");
    }
    out->put(out->writer, "}");
}

// Its material and how it moves; of a change both are loads.
static void put_face(const text_out* out, const scree_scene* scene, const scree_scene_key* key, int32_t face, const scree_scene_load* loads, int32_t count)
{
    bool own = has_face_material(scene, key, face);
    const char* between = "";
    out->put(out->writer, "{");
    if (own) {
        put_material(out, scene, scene->face_materials[face], scene->face_names[face]);
        between = ", ";
    }
    for (int32_t n = 0; n < count; ++n)
        if (belongs(&loads[n], -1, face)) {
            out->put(out->writer, between);
            put_motion(out, scene, &loads[n]);
            between = ", ";
        }
    out->put(out->writer, "}");
}

static void put_drag(const text_out* out, const scree_scene_load* load)
{
    static const char* const names[3] = {"{coefficient: ", ", per_mass: ", ", spin: "};
    const scree_signal* s = &load->load.value;
    for (int k = 0; k < 3; ++k) {
        scree_scene_load one = *load;
        bool moves = s->kind == SCREE_SIGNAL_TABLE ? k == load->first : s->kind == SCREE_SIGNAL_RAMP ? s->to[k] != s->value[k] : s->kind == SCREE_SIGNAL_SINE && s->to[k] != 0.0;
        one.columns = 1;
        one.first = k;
        if (!moves)
            one.load.value.kind = SCREE_SIGNAL_CONSTANT;
        out->put(out->writer, names[k]);
        put_signal(out, &one);
    }
    out->put(out->writer, "}");
}

void scree_scene_put_loads(const scree_scene* scene, const scree_scene_key* key, const char* from, scene_put* put, void (*put_file)(void* writer, const char* name, const char* path), void* writer)
{
    text_out out = {.put = put, .put_file = put_file, .writer = writer};
    int32_t face, kind = kind_of(key, &face), count, written = 0;
    const scree_scene_load* loads = loads_at(scene, key, from, &count);
    bool list = kind == SCREE_SCENE_FREEZE || kind == SCREE_SCENE_RELEASE, groups = list || (kind >= SCREE_LOAD_FORCE && kind <= SCREE_LOAD_SPIN), force = kind == SCREE_LOAD_FORCE;
    if (motion_of_key(key) >= 0) {
        put_motion_value(&out, motion_at(scene, key, from));
        return;
    }
    if (strcmp(key->path, "changes.surfaces") == 0) {
        put_surfaces(&out, scene, (const scree_scene_change*)(const void*)from);
        return;
    }
    if (face >= 0) {
        put_face(&out, scene, key, face, loads, count);
        return;
    }
    if (groups && !force)
        put(writer, list ? "[" : "{");
    for (int32_t n = 0; n < count; ++n) {
        const scree_scene_load* load = &loads[n];
        if (!belongs(load, kind, face) || (written > 0 && !groups))
            continue;
        if (groups) {
            const char* name = load->name != NULL ? load->name : scree_scene_get_entry(scene, load->load.target).name;
            put(writer, written > 0 ? ", " : "");
            put(writer, name != NULL && scree_scene_is_name(name, strlen(name)) ? name : "\"\"");
            put(writer, list ? "" : ": ");
        }
        ++written;
        if (kind == SCREE_LOAD_DRAG) {
            put_drag(&out, load);
        } else if (!list)
            put_signal(&out, load);
    }
    if (groups && !force)
        put(writer, list ? "]" : "}");
}
