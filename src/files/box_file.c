// The box of a NumPy array. The .npy format does not store it, and a second array in the file would break the advantages of the format: np.load
// gives the spheres, np.load(mmap_mode="r") maps them. (.npz, a ZIP of named arrays, is not memory-mapped.) The box is therefore in a small JSON
// file beside the array, packing.npy.box for packing.npy:
//
//     {
//       "scree_box": 1,                      version of this format
//       "count": 300,                        spheres in the array
//       "crc64": "0c0f2b8e5d7a9164",         CRC-64/XZ of the whole array file
//       "dimension": 3,
//       "lower": [0, 0, 0],                  null: open
//       "upper": [10, 10, null],
//       "periodic": [false, false, false],
//       "container": "cylinder"              box, cylinder or sphere: the box bounds it
//     }
//
// Tilted boxes have a key more, "tilt": [xy, xz, yz] behind "periodic" (2D: [xy]), and version 2.
//
// A box of another array would silently give wrong densities and contacts. The file therefore has the
// checksum of the array, and an array that was changed by another program or by a crash is rejected with a message that says what to do.
//
// Cost: the checksum, about 1 ns per byte for reading and writing; nothing without a box. JSON is a subset of YAML, so the scene parser reads it.
#include "files/box_file.h"

#include "files/csv.h"
#include "files/finite_box.h"
#include "files/system.h"
#include "files/words.h"
#include "files/yaml_tree.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char ending[] = ".box", first_key[] = "\"scree_box\"";
enum { bytes_most = 1 << 16, text_most = 2048, version = 2 };  // 1: without tilt

// ---- Finding -----------------------------------------------------------------------------------------------------

// Whether it begins as ours do: what another program keeps under this name is neither read nor replaced.
static bool is_ours(const char* text, size_t length)
{
    const char *p = text, *end = text + length;
    while (p < end && scree_is_blank(*p))
        ++p;
    if (p == end || *p++ != '{')
        return false;
    while (p < end && scree_is_blank(*p))
        ++p;
    size_t key = strlen(first_key);
    return (size_t)(end - p) > key && memcmp(p, first_key, key) == 0;
}

static scree_status fail_foreign(const char* name)
{
    return scree_fail(SCREE_ERR_FORMAT, "%s: this is not the box of a NumPy array; expected a file that begins with {%s, or another name for the array", name, first_key);
}

static scree_status read_all(scree_box_file* file, int fd)
{
    struct stat about;
    if (fstat(fd, &about) != 0)
        return scree_system_fail(file->name, "cannot read", errno);
    if (!S_ISREG(about.st_mode) || about.st_size > bytes_most)
        return fail_foreign(file->name);
    file->text = scree_malloc((size_t)about.st_size + 1, 1);
    if (file->text == NULL)
        return SCREE_ERR_MEMORY;
    for (ssize_t got = 1; got != 0 && file->length < (size_t)about.st_size;) {
        got = read(fd, file->text + file->length, (size_t)about.st_size - file->length);
        if (got < 0 && errno != EINTR)
            return scree_system_fail(file->name, "cannot read", errno);
        file->length += got > 0 ? (size_t)got : 0;
    }
    file->text[file->length] = '\0';
    return is_ours(file->text, file->length) ? SCREE_OK : fail_foreign(file->name);
}

// `where` is the path to look at, `name` the one for messages.
static scree_status find_at(const char* where, const char* name, scree_box_file* out)
{
    size_t room = strlen(where) + sizeof ending, name_room = strlen(name) + sizeof ending;
    char* path = scree_malloc(room, 1);
    out->name = scree_malloc(name_room, 1);
    if (path == NULL || out->name == NULL) {
        scree_free(path);
        return SCREE_ERR_MEMORY;
    }
    snprintf(path, room, "%s%s", where, ending);
    snprintf(out->name, name_room, "%s%s", name, ending);
    int fd = scree_open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, 0), error = errno;
    scree_free(path);
    if (fd < 0 && (error == ENOENT || error == ENOTDIR || error == ENAMETOOLONG))
        return SCREE_OK;
    if (fd < 0)
        return scree_system_fail(out->name, error == ELOOP ? "this is a symbolic link, which is not followed" : "cannot open", error);
    scree_status status = read_all(out, fd);
    close(fd);
    return status;
}

scree_status scree_box_file_find(const char* path, scree_box_file* out)
{
    *out = (scree_box_file){0};
    struct stat about;
    if (strcmp(path, "-") == 0 || stat(path, &about) != 0 || !S_ISREG(about.st_mode))
        return SCREE_OK;
    char* resolved;
    scree_status status = scree_output_resolve(path, path, &resolved);
    if (status != SCREE_OK)
        return status;
    status = find_at(resolved, path, out);
    scree_free(resolved);
    return status;
}

void scree_box_file_free(scree_box_file* file)
{
    scree_free(file->name);
    scree_free(file->text);
    *file = (scree_box_file){0};
}

// ---- Reading -----------------------------------------------------------------------------------------------------

enum { KEY_VERSION, KEY_COUNT, KEY_SUM, KEY_DIMENSION, KEY_LOWER, KEY_UPPER, KEY_PERIODIC, KEY_CONTAINER, KEY_TILT, KEYS };
static const char* const key_names[KEYS] = {"scree_box", "count", "crc64", "dimension", "lower", "upper", "periodic", "container", "tilt"};

typedef struct box_reader {
    scene_tree tree;
    const scene_node* value[KEYS];
} box_reader;

static scree_word word_of(const box_reader* reader, const scene_node* node)
{
    const char* text = scree_scene_text(&reader->tree, node);
    return node->kind == SCENE_SCALAR ? (scree_word){text, text + node->length} : (scree_word){text, text};
}

static scree_status reject(const box_reader* reader, int key, const scene_node* node, const char* wanted)
{
    char shown[SCREE_SHOWN];
    scree_word word = word_of(reader, node);
    return scree_scene_fail(&reader->tree, node, "%s holds '%s'; expected %s", key_names[key],
                            node->kind == SCENE_SCALAR ? scree_csv_shown(shown, word.begin, word.end - word.begin) : "a list or a map", wanted);
}

static scree_status read_keys(box_reader* reader)
{
    const scene_node* nodes = reader->tree.nodes;
    if (nodes[0].kind != SCENE_MAP)
        return scree_scene_fail(&reader->tree, &nodes[0], "expected a JSON object");
    for (int32_t at = nodes[0].first; at >= 0; at = nodes[nodes[at].next].next) {
        int key = 0;
        while (key < KEYS && !scree_word_is(word_of(reader, &nodes[at]), key_names[key]))
            ++key;
        char shown[SCREE_SHOWN];
        scree_word word = word_of(reader, &nodes[at]);
        if (key == KEYS || reader->value[key] != NULL)
            return scree_scene_fail(&reader->tree, &nodes[at], "%s '%s'; expected the keys that scree writes, each once", key == KEYS ? "there is no key" : "a second key",
                                    scree_csv_shown(shown, word.begin, word.end - word.begin));
        reader->value[key] = &nodes[nodes[at].next];
    }
    return SCREE_OK;
}

// A whole number in a range.
static scree_status read_whole(const box_reader* reader, int key, int64_t least, int64_t most, const char* wanted, int64_t* value)
{
    const scene_node* node = reader->value[key];
    if (node->kind != SCENE_SCALAR || !scree_word_integer(word_of(reader, node), value) || *value < least || *value > most)
        return reject(reader, key, node, wanted);
    return SCREE_OK;
}

// The entries of a list, one for each axis.
static scree_status read_list(const box_reader* reader, int key, int dim, const scene_node* entry[3])
{
    const scene_node* list = reader->value[key];
    if (list->kind != SCENE_LIST || list->count != dim)
        return reject(reader, key, list, dim == 1 ? "a list of 1 entry" : dim == 2 ? "a list of 2 entries" : "a list of 3 entries");
    int32_t at = list->first;
    for (int k = 0; k < dim; ++k, at = reader->tree.nodes[at].next)
        entry[k] = &reader->tree.nodes[at];
    return SCREE_OK;
}

static scree_status read_ends(const box_reader* reader, int key, int dim, double open, double ends[3])
{
    const scene_node* entry[3];
    scree_status status = read_list(reader, key, dim, entry);
    for (int k = 0; k < dim && status == SCREE_OK; ++k) {
        ends[k] = open;
        if (entry[k]->kind != SCENE_SCALAR || (!scree_word_is(word_of(reader, entry[k]), "null") && (!scree_word_number(word_of(reader, entry[k]), &ends[k]) || !isfinite(ends[k]))))
            status = reject(reader, key, entry[k], "a length or null");
    }
    return status;
}

static scree_status read_box(const box_reader* reader, int dim, scree_box* box, int32_t* container)
{
    const scene_node* entry[3];
    *box = scree_box_open(dim);
    scree_status status = read_ends(reader, KEY_LOWER, dim, -INFINITY, box->lower);
    if (status == SCREE_OK)
        status = read_ends(reader, KEY_UPPER, dim, INFINITY, box->upper);
    if (status == SCREE_OK)
        status = read_list(reader, KEY_PERIODIC, dim, entry);
    for (int k = 0; k < dim && status == SCREE_OK; ++k) {
        box->periodic[k] = entry[k]->kind == SCENE_SCALAR && scree_word_is(word_of(reader, entry[k]), "true");
        if (!box->periodic[k] && (entry[k]->kind != SCENE_SCALAR || !scree_word_is(word_of(reader, entry[k]), "false")))
            status = reject(reader, KEY_PERIODIC, entry[k], "true or false");
    }
    int tilts = reader->value[KEY_TILT] == NULL ? 0 : dim == 2 ? 1 : 3;
    if (status == SCREE_OK && tilts > 0)
        status = read_list(reader, KEY_TILT, tilts, entry);
    for (int t = 0; t < tilts && status == SCREE_OK; ++t)
        if (entry[t]->kind != SCENE_SCALAR || !scree_word_number(word_of(reader, entry[t]), &box->tilt[t]) || !isfinite(box->tilt[t]))
            status = reject(reader, KEY_TILT, entry[t], "a length");
    const scene_node* kind = reader->value[KEY_CONTAINER];
    if (status == SCREE_OK && (kind->kind != SCENE_SCALAR || !scree_container_of_word(word_of(reader, kind), container)))
        status = reject(reader, KEY_CONTAINER, kind, "box, cylinder or sphere");
    return status;
}

static scree_status fail_stale(const scree_box_file* file, const char* array, const char* why)
{
    return scree_fail(SCREE_ERR_FORMAT, "%s: it does not belong to %s: %s; expected the file that was written with the array. Remove it to read the spheres without a box", file->name,
                      array, why);
}

// Whose box it is: as many spheres, and the same bytes.
static scree_status check_array(const box_reader* reader, const scree_box_file* file, const char* array, uint64_t sum, const scree_sphere_set* set)
{
    int64_t count, dim;
    char why[160], digits[17];
    scree_status status = read_whole(reader, KEY_COUNT, 0, INT32_MAX, "a number of spheres", &count);
    if (status == SCREE_OK)
        status = read_whole(reader, KEY_DIMENSION, 2, 3, "2 or 3", &dim);
    if (status != SCREE_OK)
        return status;
    snprintf(why, sizeof why, "it is for %" PRId64 " spheres in %" PRId64 "D, and the array has %" PRId32 " in %" PRId32 "D", count, dim, set->count, set->dim);
    if (count != set->count || dim != set->dim)
        return fail_stale(file, array, why);
    snprintf(digits, sizeof digits, "%016" PRIx64, sum);
    if (!scree_word_is(word_of(reader, reader->value[KEY_SUM]), digits))
        return fail_stale(file, array, "the array was changed after its box was written (another crc64)");
    return SCREE_OK;
}

scree_status scree_box_file_apply(const scree_box_file* file, const char* array, uint64_t sum, scree_sphere_set* set)
{
    box_reader reader = {.value = {NULL}};
    scree_status status = scree_scene_tree_read(file->name, file->text, file->length, &reader.tree);
    if (status != SCREE_OK)
        return status;
    int64_t its_version = 0;
    scree_box box;
    int32_t container = SCREE_CONTAINER_BOX;
    status = read_keys(&reader);
    if (status == SCREE_OK && reader.value[KEY_VERSION] != NULL)
        status = read_whole(&reader, KEY_VERSION, 1, INT32_MAX, "a version", &its_version);
    if (status == SCREE_OK && its_version > version)
        status = scree_fail(SCREE_ERR_UNSUPPORTED, "%s: version %" PRId64 " of this format; expected a version up to %d", file->name, its_version, (int)version);
    for (int key = 0; key < KEYS && status == SCREE_OK; ++key)
        if (reader.value[key] == NULL && key != KEY_TILT)
            status = scree_scene_fail(&reader.tree, &reader.tree.nodes[0], "the key '%s' is missing; expected a value for it", key_names[key]);
    if (status == SCREE_OK)
        status = check_array(&reader, file, array, sum, set);
    if (status == SCREE_OK)
        status = read_box(&reader, set->dim, &box, &container);
    scree_scene_tree_free(&reader.tree);
    if (status != SCREE_OK)
        return status;
    set->has_box = true;
    set->box = box;
    set->container = container;
    if (scree_sphere_set_check_box(set) == SCREE_OK)
        return SCREE_OK;
    char why[512];
    snprintf(why, sizeof why, "%s", scree_error_message());
    return scree_fail(SCREE_ERR_FORMAT, "%s: %s", file->name, why);
}

// ---- Writing -----------------------------------------------------------------------------------------------------

static char* put_ends(char* to, const char* end, const char* key, const double* value, int dim)
{
    to += snprintf(to, (size_t)(end - to), "  \"%s\": [", key);
    for (int k = 0; k < dim; ++k) {
        if (k > 0)
            to += snprintf(to, (size_t)(end - to), ", ");
        if (isinf(value[k])) {
            to += snprintf(to, (size_t)(end - to), "null");
        } else {
            to = scree_put_number(to, value[k]);
            *to = '\0';
        }
    }
    return to + snprintf(to, (size_t)(end - to), "],\n");
}

static void make_text(const scree_sphere_set* set, uint64_t sum, char text[text_most])
{
    char *p = text, *end = text + text_most;
    p += snprintf(p, (size_t)(end - p), "{\n  %s: %d,\n  \"count\": %" PRId32 ",\n  \"crc64\": \"%016" PRIx64 "\",\n  \"dimension\": %" PRId32 ",\n", first_key,
                  scree_box_is_tilted(&set->box) ? (int)version : 1, set->count, sum, set->dim);
    p = put_ends(p, end, "lower", set->box.lower, set->dim);
    p = put_ends(p, end, "upper", set->box.upper, set->dim);
    p += snprintf(p, (size_t)(end - p), "  \"periodic\": [");
    for (int k = 0; k < set->dim; ++k)
        p += snprintf(p, (size_t)(end - p), "%s%s", k > 0 ? ", " : "", set->box.periodic[k] ? "true" : "false");
    p += snprintf(p, (size_t)(end - p), "],\n");
    if (scree_box_is_tilted(&set->box))
        p = put_ends(p, end, "tilt", set->box.tilt, set->dim == 2 ? 1 : 3);
    snprintf(p, (size_t)(end - p), "  \"container\": \"%s\"\n}\n", scree_container_name(set->container));
}

scree_status scree_box_file_close(scree_output* array, const scree_sphere_set* set)
{
    if (scree_output_flush(array) != SCREE_OK || array->target == NULL)
        return scree_output_close(array, array->status);
    scree_box_file old = {0};
    scree_status status = find_at(array->target, array->name, &old);
    bool exists = old.text != NULL;
    scree_box_file_free(&old);
    if (status != SCREE_OK)
        return scree_output_close(array, status);
    if (!set->has_box && !exists)
        return scree_output_close(array, SCREE_OK);
    char text[text_most];
    make_text(set, array->sum, text);
    return scree_output_close_with(array, SCREE_OK, ending, set->has_box ? text : NULL);
}
