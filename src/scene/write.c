// A scene as YAML: row by row through the table, each value in the form in which it is read. Left out are keys that have no
// meaning beside the others (the spacing of a lattice where there is none) and those that have no value (a stiffness, where a
// duration is given); what was not said is written with its default. So the file shows all that the run depends on.
#include "scene/scene_inner.h"

#include "base/array.h"
#include "files/system.h"
#include "files/words.h"
#include "scene/place.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

void scree_scene_put(scene_out* out, const char* bytes, size_t count)
{
    if (out->status == SCREE_OK)
        out->status = SCREE_RESERVE(out->bytes, out->capacity, out->length + (int64_t)count + 1);
    if (out->status != SCREE_OK)
        return;
    memcpy(out->bytes + out->length, bytes, count);
    out->length += (int64_t)count;
    out->bytes[out->length] = '\0';
}

void scree_scene_print(scene_out* out, const char* format, ...)
{
    char text[2000];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    assert(length >= 0 && (size_t)length < sizeof text);
    scree_scene_put(out, text, (size_t)length);
}

static void put(scene_writer* w, const char* bytes, size_t count)
{
    scree_scene_put(&w->out, bytes, count);
}

void scree_scene_write_text(scene_writer* w, const char* text)
{
    put(w, text, strlen(text));
}

void scree_scene_write_number(scene_writer* w, const char* before, double value)
{
    char digits[32];
    scree_scene_write_text(w, before);
    put(w, digits, (size_t)(scree_put_number(digits, value) - digits));
}

static void put_whole(scene_writer* w, int64_t value)
{
    char digits[32];
    put(w, digits, (size_t)(scree_put_integer(digits, value) - digits));
}

void scree_scene_write_numbers(scene_writer* w, const double* values, int32_t count)
{
    scree_scene_write_text(w, "[");
    for (int32_t k = 0; k < count; ++k) {
        scree_scene_write_text(w, k > 0 ? ", " : "");
        scree_scene_write_number(w, "", values[k]);
    }
    scree_scene_write_text(w, "]");
}

static void put_word(scene_writer* w, const scene_field* field, int32_t n)
{
    const char* word = scree_scene_word_at(field, n);
    scree_scene_write_text(w, word == NULL ? "none" : word);  // which no reader takes
}

// The words of all bits; the first bit is that of the word `first`.
static void put_words(scene_writer* w, const scene_field* field, uint32_t bits, int32_t first)
{
    const char* between = "";
    scree_scene_write_text(w, "[");
    for (int32_t n = 0; n < 32; ++n)
        if ((bits >> n & 1u) != 0) {
            scree_scene_write_text(w, between);
            put_word(w, field, first + n);
            between = ", ";
        }
    scree_scene_write_text(w, "]");
}

static void put_escaped(scene_writer* w, const char* text)
{
    for (; *text != '\0'; ++text) {
        char escape[8];
        if ((unsigned char)*text < 0x20 || *text == 0x7F)
            put(w, escape, (size_t)snprintf(escape, sizeof escape, "\\x%02X", (unsigned)(unsigned char)*text));
        else
            put(w, escape, (size_t)snprintf(escape, sizeof escape, *text == '"' || *text == '\\' ? "\\%c" : "%c", *text));
    }
}

// The name of a file such that it means the same one, wherever the scene is written to.
static void put_name(scene_writer* w, const char* name, const char* path)
{
    if (!w->same_place && *name != '/') {
        if (path != NULL)
            name = path;
        char here[4096];
        if (*name != '/') {
            if (w->out.status == SCREE_OK && getcwd(here, sizeof here) == NULL)
                w->out.status = scree_system_fail("the working directory", "has no name", errno);
            if (w->out.status != SCREE_OK)
                return;
            put_escaped(w, here);
            scree_scene_write_text(w, "/");
        }
    }
    put_escaped(w, name);
}

static const char* text_at(const char* from, size_t at)
{
    const char* text = NULL;
    if (at > 0)
        memcpy(&text, from + at, sizeof text);
    return text;
}

// A text of a key: names of files so that they mean the same ones.
static void put_quoted(scene_writer* w, const scene_field* field, const char* from)
{
    const char *text = text_at(from, field->offset), *path = text_at(from, field->resolved);
    const size_t prefix = strlen("table:");
    scree_scene_write_text(w, "\"");
    if (field->sizes && scree_scene_is_table(text) && text[prefix] != '\0') {
        put(w, text, prefix);
        put_name(w, text + prefix, path != NULL && scree_scene_is_table(path) ? path + prefix : NULL);
    } else if (field->sizes || field->resolved == 0) {
        put_escaped(w, text);
    } else {
        put_name(w, text, path);
    }
    scree_scene_write_text(w, "\"");
}

// A name that the user has chosen; one that is none is written so that no reader takes it.
void scree_scene_write_name(scene_writer* w, const char* name)
{
    if (name != NULL && scree_scene_is_name(name, strlen(name))) {
        scree_scene_write_text(w, name);
        return;
    }
    scree_scene_write_text(w, "\"");
    put_escaped(w, name == NULL ? "" : name);
    scree_scene_write_text(w, "\"");
}

// ---- Rows --------------------------------------------------------------------------------------------------------

static int32_t axes(const scene_writer* w)
{
    return w->scene->sim.box.dim == 2 ? 2 : 3;
}

// The word in place of a number; NULL: none.
static const char* chosen(const scene_field* field, const char* from)
{
    int32_t n = 0;
    if (field->choice > 0)
        memcpy(&n, from + field->choice, sizeof n);
    return n > 0 ? scree_scene_word_at(field, n - 1) : NULL;
}

static int64_t whole_at(const scene_field* field, const void* at)
{
    int64_t whole = 0;
    int32_t less = 0;
    memcpy(field->form == SCENE_FORM_INT64 ? (void*)&whole : (void*)&less, at, field->form == SCENE_FORM_INT64 ? sizeof whole : sizeof less);
    return whole + less;
}

// Whether a key without a default has no value.
static bool is_absent(const scene_writer* w, const scree_scene_key* key, const char* from)
{
    const void* at = from + key->field->offset;
    if (*key->standard != '\0' && !key->field->quiet)
        return false;
    switch (key->field->form) {
    case SCENE_FORM_NUMBER:
        return (isnan(*(const double*)at) || (*(const double*)at == 0.0 && key->field->above)) && chosen(key->field, from) == NULL;
    case SCENE_FORM_WORD:
        return key->field->above && *(const int32_t*)at == 0;
    case SCENE_FORM_TURN:
        return isnan(((const double*)at)[2]) || (strcmp(key->path, "surfaces.spin") == 0 && memcmp(at, (const double[3]){0.0, 0.0, 0.0}, 3 * sizeof(double)) == 0);
    case SCENE_FORM_INT32:  // no spheres at the start are said to be none; of a file any number is
        return *(const int32_t*)at == 0 && (key->field->least > 0.0 || (w->group != NULL ? w->group : scree_scene_first_group(w->scene))->file != NULL);
    case SCENE_FORM_POINT:
        return isnan(*(const double*)at);
    case SCENE_FORM_GROUP:
        return scree_scene_get_entry(w->scene, *(const int32_t*)at).name == NULL;
    case SCENE_FORM_INT64:
        return (double)whole_at(key->field, at) < key->field->least;
    case SCENE_FORM_TEXT:
    case SCENE_FORM_NAME:
        return *(char* const*)at == NULL;
    case SCENE_FORM_MATERIAL:
        return *(const int32_t*)at < 0 && text_at(from, key->field->later) == NULL;
    case SCENE_FORM_CONDITION:
        return ((const scree_scene_condition*)at)->count == 0;
    case SCENE_FORM_FLAG:
        return !*(const bool*)at;
    case SCENE_FORM_VECTOR:
        return key->field->flag == 0 && memcmp(at, (const double[3]){0.0, 0.0, 0.0}, 3 * sizeof(double)) == 0;
    default:
        return false;
    }
}

static bool is_written(const scene_writer* w, const scree_scene_key* key, const char* from)
{
    const scene_field* field = key->field;
    bool change = strncmp(key->path, "changes.", strlen("changes.")) == 0;
    if (scree_scene_has_loads(w->scene, key, from))
        return true;
    if (scree_scene_is_load(field->form) || field->form >= SCENE_FORM_INCLUDE)  // put_said
        return false;
    if (change && field->form == SCENE_FORM_PAIR && !scree_scene_names_wall((const scree_scene_change*)(const void*)from, scree_scene_axis(*scree_scene_last_name(key->path))))
        return false;
    if (field->flag > 0 && !*(const bool*)(from + field->flag))
        return false;
    if (change && field->form == SCENE_FORM_MATERIAL && !((const scree_scene_change*)(const void*)from)->sets_contacts)
        return false;
    if (field->form == SCENE_FORM_MAP && strcmp(scree_scene_last_name(key->path), "region") == 0 && ((const scree_scene_region*)(const void*)(from + field->offset))->kind == SCREE_REGION_NONE)
        return false;
    if (field->form == SCENE_FORM_PAIR && !scree_scene_has_wall(w->scene, scree_scene_axis(*scree_scene_last_name(key->path))))
        return false;
    return scree_scene_means(w->scene, w->group, field) && !is_absent(w, key, from);
}

void scree_scene_write_file(scene_writer* w, const char* name, const char* path)
{
    scree_scene_write_text(w, "\"");
    put_name(w, name, path);
    scree_scene_write_text(w, "\"");
}

static void put_forces(scene_writer* w, const scree_scene_change* change)
{
    scree_scene_write_text(w, "{");
    for (int32_t n = 0; n < change->force_count; ++n) {
        scree_scene_write_text(w, n > 0 ? ", " : "");
        scree_scene_write_name(w, change->forces[n].name != NULL ? change->forces[n].name : scree_scene_get_entry(w->scene, change->forces[n].group).name);
        scree_scene_write_text(w, ": ");
        scree_scene_write_numbers(w, change->forces[n].force, axes(w));
    }
    const scree_scene_key* key = scree_scene_row(scree_scene_find("changes.force"));
    if (scree_scene_has_loads(w->scene, key, (const char*)change)) {
        scree_scene_write_text(w, change->force_count > 0 ? ", " : "");
        scree_scene_put_loads(w, key, (const char*)change);
    }
    scree_scene_write_text(w, "}");
}

static void put_material(scene_writer* w, int32_t n, const char* name)
{
    scree_scene_write_name(w, n >= 0 && n < w->scene->material_count ? w->scene->materials[n].name : name);
}

// How many numbers stand in a list at its place; 0: it is no such list.
static int32_t numbers_of(const scene_writer* w, scene_form form)
{
    const bool each = form == SCENE_FORM_VECTOR || form == SCENE_FORM_POINT;
    return each ? axes(w) : form == SCENE_FORM_TURN && axes(w) == 3 ? 3 : form == SCENE_FORM_PAIR ? 2 : form == SCENE_FORM_REGION ? 4 : 0;
}

static void put_list(scene_writer* w, const scene_field* field, const char* from)
{
    const void* at = from + field->offset;
    const scree_scene_pair* pair = (const scree_scene_pair*)(const void*)from;
    const scree_scene_points* points = at;
    const int32_t count = field->form == SCENE_FORM_BETWEEN ? 2 : points->count;
    scree_scene_write_text(w, "[");
    for (int32_t n = 0; n < count; ++n) {
        scree_scene_write_text(w, n > 0 ? ", " : "");
        if (field->form == SCENE_FORM_BETWEEN)
            put_material(w, pair->between[n], pair->names[n]);
        else
            scree_scene_write_numbers(w, points->xy + 2 * (int64_t)n, 2);
    }
    scree_scene_write_text(w, "]");
}

static void put_value(scene_writer* w, const scree_scene_key* key, const char* from)
{
    const scree_scene* scene = w->scene;
    const scene_field* field = key->field;
    const void* at = from + field->offset;
    const double* numbers = at;
    const bool number = field->form == SCENE_FORM_NUMBER || field->form == SCENE_FORM_VECTOR, given = field->form == SCENE_FORM_START && *(const int32_t*)at == SCREE_START_GIVEN;
    uint32_t words = 0;
    if (field->form != SCENE_FORM_FORCES && scree_scene_has_loads(scene, key, from)) {
        scree_scene_put_loads(w, key, from);
        return;
    }
    if (chosen(field, from) != NULL || (field->automatic && (number ? *numbers == 0.0 : whole_at(field, at) == 0))) {
        scree_scene_write_text(w, chosen(field, from) != NULL ? chosen(field, from) : "auto");
        return;
    }
    if (numbers_of(w, field->form) > 0 || given) {
        scree_scene_write_numbers(w, given ? ((const scree_scene_group*)(const void*)from)->velocity : numbers, given ? axes(w) : numbers_of(w, field->form));
        return;
    }
    switch (field->form) {
    case SCENE_FORM_NAME:
        scree_scene_write_name(w, *(char* const*)at);
        break;
    case SCENE_FORM_GROUP:
        scree_scene_write_name(w, scree_scene_get_entry(scene, *(const int32_t*)at).name);
        break;
    case SCENE_FORM_MATERIAL:
        put_material(w, *(const int32_t*)at, text_at(from, field->later));
        break;
    case SCENE_FORM_BETWEEN:
    case SCENE_FORM_POINTS:
        put_list(w, field, from);
        break;
    case SCENE_FORM_CONDITION:
        scree_scene_put_condition(w, at);
        break;
    case SCENE_FORM_FORCES:
        put_forces(w, (const scree_scene_change*)from);
        break;
    case SCENE_FORM_NUMBER:
    case SCENE_FORM_TURN:
        scree_scene_write_number(w, "", numbers[field->form == SCENE_FORM_TURN ? 2 : 0]);
        break;
    case SCENE_FORM_INT32:
    case SCENE_FORM_INT64:
        put_whole(w, whole_at(field, at));
        break;
    case SCENE_FORM_WORD:
    case SCENE_FORM_START:
        put_word(w, field, *(const int32_t*)at);
        break;
    case SCENE_FORM_FLAG:
        scree_scene_write_text(w, *(const bool*)at ? "true" : "false");
        break;
    case SCENE_FORM_TEXT:
        put_quoted(w, field, from);
        break;
    case SCENE_FORM_AXES:
        for (int k = 0; k < axes(w); ++k)
            words |= ((const bool*)at)[k] ? 1u << k : 0u;
        put_words(w, field, words, 0);
        break;
    case SCENE_FORM_FORMATS:
        put_words(w, field, *(const uint32_t*)at, -1);  // bit 0 is that of AUTO, which has no word
        break;
    case SCENE_FORM_SIZES:
        scree_scene_write_numbers(w, scene->search.cell_sizes, scene->search.cell_sizes == NULL ? 0 : scene->search.cell_size_count);
        break;
    case SCENE_FORM_PERIOD:
        if (scene->checkpoint_seconds > 0.0)
            scree_scene_write_number(w, "", scene->checkpoint_seconds);
        else
            put_whole(w, scene->checkpoint_steps);
        scree_scene_write_text(w, scene->checkpoint_seconds > 0.0 ? "s" : "");
        break;
    default:
        break;
    }
}

// ---- Maps --------------------------------------------------------------------------------------------------------

static void put_key(scene_writer* w, const char* front, int indent, const char* name)
{
    static const char blanks[] = "        ";
    scree_scene_write_text(w, front);
    put(w, blanks, (size_t)indent);
    scree_scene_write_text(w, name);
    scree_scene_write_text(w, ":");
}

static void put_items(scene_writer* w, const scree_scene_key* key);

// What a change says of other maps, line by line.
static int put_said(scene_writer* w, const char* said, int indent)
{
    static const char blanks[] = "        ";
    int lines = 0;
    for (; said != NULL && *said != '\0'; ++lines) {
        size_t length = strcspn(said, "\n");
        put(w, blanks, (size_t)indent);
        put(w, said, length);
        scree_scene_write_text(w, "\n");
        said += length + (said[length] == '\n');
    }
    return lines;
}

// The keys of a map that have something to say, `front` before the first and `indent` blanks before each other one. A map inside is
// begun only when there is a key in it.
static int put_map(scene_writer* w, const char* path, const char* from, const char* front, int indent)
{
    int32_t count;
    const scree_scene_key* keys = scree_scene_keys(&count);
    int written = 0;
    for (int32_t k = 0; k < count; ++k) {
        if (!scree_scene_is_child(keys[k].path, path) || !is_written(w, &keys[k], from))
            continue;
        int64_t before = w->out.length;
        bool first = written == 0 && *front != '\0';
        put_key(w, first ? front : "", first ? 0 : indent, scree_scene_last_name(keys[k].path));
        bool map = keys[k].field->form == SCENE_FORM_MAP || (keys[k].field->form == SCENE_FORM_GROUPS && !w->scene->listed);
        if (map) {
            scree_scene_write_text(w, "\n");
            if (put_map(w, keys[k].path, keys[k].field->form == SCENE_FORM_MAP ? from : (const char*)scree_scene_first_group(w->scene), "", indent + 2) == 0) {
                w->out.length = before;
                if (w->out.bytes != NULL)
                    w->out.bytes[before] = '\0';
                continue;
            }
        } else if (keys[k].field->form == SCENE_FORM_ITEMS || keys[k].field->form == SCENE_FORM_GROUPS || keys[k].field->form == SCENE_FORM_NAMED) {
            put_items(w, &keys[k]);
        } else {
            scree_scene_write_text(w, " ");
            put_value(w, &keys[k], from);
            scree_scene_write_text(w, "\n");
        }
        ++written;
    }
    if (strcmp(path, "changes") == 0)  // `at` was written
        written += put_said(w, ((const scree_scene_change*)(const void*)from)->said, indent);
    return written;
}

static void put_items(scene_writer* w, const scree_scene_key* key)
{
    scene_items items = scree_scene_items(w->scene, key->path);
    bool mix = strcmp(key->path, "pairs") == 0 && w->scene->contact.mix;
    scree_scene_write_text(w, items.count > 0 ? "\n" : mix ? " mix\n" : " []\n");
    for (int64_t n = 0; n < items.count && w->out.status == SCREE_OK; ++n) {
        const char* from = items.first + (size_t)n * items.size;
        w->group = key->field->form == SCENE_FORM_GROUPS ? (const scree_scene_group*)(const void*)from : NULL;
        bool named = key->field->form == SCENE_FORM_NAMED;
        if (named) {
            scree_scene_write_text(w, "  ");
            scree_scene_write_name(w, ((const scree_scene_material*)(const void*)from)->name);
            scree_scene_write_text(w, ":\n");
        }
        (void)put_map(w, key->path, from, named ? "" : "  - ", 4);
        w->group = NULL;
    }
    if (mix && items.count > 0)
        scree_scene_write_text(w, "  - mix\n");
}

scree_status scree_scene_text_of(const scree_scene* scene, bool same_place, char** text, int64_t* length)
{
    scene_writer w = {.scene = scene, .same_place = same_place};
    (void)put_map(&w, "", (const char*)scene, "", 0);
    if (w.out.status != SCREE_OK) {
        scree_free(w.out.bytes);
        return w.out.status;
    }
    *text = w.out.bytes;
    *length = w.out.length;
    return SCREE_OK;
}

scree_status scree_scene_compare(const scree_scene* a, const scree_scene* b, bool* same)
{
    const scree_scene* scenes[2] = {a, b};
    char* texts[2] = {NULL, NULL};
    scree_status status = SCREE_OK;
    int64_t length;
    for (int k = 0; k < 2 && status == SCREE_OK; ++k)
        status = scree_scene_text_of(scenes[k], true, &texts[k], &length);
    *same = status == SCREE_OK && strcmp(texts[0], texts[1]) == 0;
    scree_free(texts[0]);
    scree_free(texts[1]);
    return status;
}
