// The places of a scene's values, kept when it is read: a line and a column for each key that the file has.
#include "scene/place.h"

#include "base/array.h"
#include "scene/scene_inner.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

typedef struct scene_place {
    int32_t row, entry;  // of the key table; of a list of maps, -1: none
    int32_t line, column;
    int64_t source;      // in names
} scene_place;

struct scree_scene_places {
    char* names;  // of what it was read from, each closed by '\0'; first the scene itself
    int64_t length, room;
    scene_place* at;
    int64_t count, capacity;
};

static scree_status add_name(struct scree_scene_places* places, const char* name, int64_t* at)
{
    const int64_t length = (int64_t)strlen(name) + 1;
    for (*at = 0; *at < places->length; *at += (int64_t)strlen(places->names + *at) + 1)
        if (strcmp(places->names + *at, name) == 0)
            return SCREE_OK;
    if (SCREE_RESERVE(places->names, places->room, places->length + length) != SCREE_OK)
        return SCREE_ERR_MEMORY;
    memcpy(places->names + *at, name, (size_t)length);
    places->length += length;
    return SCREE_OK;
}

scree_status scree_scene_places_add(scree_scene* scene, const scene_tree* tree, int32_t row, int32_t entry, const scene_node* node)
{
    struct scree_scene_places* places = scene->places;
    int64_t source = 0;
    if (places == NULL) {
        places = scree_calloc(1, sizeof *places);
        if (places == NULL)
            return SCREE_ERR_MEMORY;
        scene->places = places;
        if (add_name(places, tree->name, &source) != SCREE_OK)
            return SCREE_ERR_MEMORY;
    }
    if (node->source != 0 && add_name(places, scree_scene_source(tree, node), &source) != SCREE_OK)
        return SCREE_ERR_MEMORY;
    if (SCREE_RESERVE(places->at, places->capacity, places->count + 1) != SCREE_OK)
        return SCREE_ERR_MEMORY;
    places->at[places->count++] = (scene_place){row, entry, node->line, node->column, source};
    return SCREE_OK;
}

void scree_scene_places_free(struct scree_scene_places* places)
{
    if (places == NULL)
        return;
    scree_free(places->names);
    scree_free(places->at);
    scree_free(places);
}

scree_status scree_scene_places_copy(const scree_scene* from, scree_scene* to)
{
    struct scree_scene_places* copy = NULL;
    if (from->places != NULL) {
        const struct scree_scene_places* own = from->places;
        copy = scree_calloc(1, sizeof *copy);
        if (copy == NULL)
            return SCREE_ERR_MEMORY;
        copy->count = copy->capacity = own->count;
        copy->length = copy->room = own->length;
        copy->names = scree_malloc((size_t)own->length, 1);
        copy->at = scree_malloc((size_t)own->count, sizeof *copy->at);
        if (copy->names == NULL || copy->at == NULL) {
            scree_scene_places_free(copy);
            return SCREE_ERR_MEMORY;
        }
        memcpy(copy->names, own->names, (size_t)own->length);
        memcpy(copy->at, own->at, (size_t)own->count * sizeof *copy->at);
    }
    scree_scene_places_free(to->places);
    to->places = copy;
    return SCREE_OK;
}

// The place of the key, or of the map that it would be in; NULL: neither is there.
static const scene_place* find_place(const scree_scene* scene, const char* path, int64_t entry)
{
    const scene_place *own = NULL, *map = NULL;
    for (int64_t k = 0; scene->places != NULL && k < scene->places->count; ++k) {
        const scene_place* at = &scene->places->at[k];
        const char* name = scree_scene_row(at->row)->path;
        if (strcmp(name, path) == 0 && at->entry == entry)
            own = at;
        else if (scree_scene_is_child(path, name) && (map == NULL || at->entry == entry))
            map = at;
    }
    return own != NULL ? own : map;
}

int64_t scree_scene_gives(const scree_scene* scene, const char* path)
{
    int64_t count = 0;
    for (int64_t k = 0; scene->places != NULL && k < scene->places->count; ++k)
        count += strcmp(scree_scene_row(scene->places->at[k].row)->path, path) == 0;
    return count;
}

scree_status scree_scene_locate(const scree_scene* scene, scree_status status, const char* path, int64_t entry)
{
    if (status != SCREE_ERR_ARGUMENT && status != SCREE_ERR_IO && status != SCREE_ERR_FORMAT && status != SCREE_ERR_UNSUPPORTED)
        return status;
    const char *message = scree_error_message(), *name = scene->places != NULL ? scene->places->names : "";
    size_t length = strlen(name);
    if (length > 0 && strncmp(message, name, length) == 0 && message[length] == ':')
        return status;
    const scene_place* at = find_place(scene, path, entry);
    size_t key = strlen(path);
    const char* between = ": ";
    if (strncmp(message, path, key) == 0 && message[key] == ':')  // it names the key itself
        path = between = "";
    if (at == NULL && entry >= 0)
        return scree_fail(status, "entry %" PRId64 " of the list: %s%s%s", entry + 1, path, between, message);
    if (at == NULL)
        return scree_fail(status, "%s%s%s", path, between, message);
    name = scene->places->names + at->source;
    if (at->line == 0)
        return scree_fail(status, "%s: %s%s%s", name, path, between, message);
    return scree_fail(status, "%s:%" PRId32 ":%" PRId32 ": %s%s%s", name, at->line, at->column, path, between, message);
}

scree_status scree_scene_blame(const scree_scene* scene, scree_status status, const char* path, int32_t line, int32_t column)
{
    if (status == SCREE_ERR_MEMORY || status == SCREE_ERR_CANCELLED)
        return status;
    if (line <= 0 || scene->places == NULL)
        return scree_fail(status, "%s: %s", path, scree_error_message());
    return scree_fail(status, "%s:%" PRId32 ":%" PRId32 ": %s: %s", scene->places->names, line, column, path, scree_error_message());
}

scree_status scree_scene_fail_at(const scree_scene* scene, scree_status status, const char* path, int64_t entry, const char* format, ...)
{
    char text[1536];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return scree_scene_locate(scene, scree_fail(status, "%s", text), path, entry);
}
