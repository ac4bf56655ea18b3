// Public calls of the scene: from a file or from memory, to a file, and what a scene is before anything is said.
#include "base/argument.h"
#include "files/input.h"
#include "files/output.h"
#include "scene/cell.h"
#include "scene/place.h"
#include "scene/scene_inner.h"
#include "scene/vary.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

scree_scene scene_default(void)
{
    return (scree_scene){.sim = scree_default_sim_def(),
                         .search = scree_default_index_def(),
                         .box_aspect = {1.0, 1.0, 1.0},
                         .wall_material = -1,
                         .steps = -1,
                         .formats = SCREE_FORMAT_BIT(SCREE_FORMAT_VTP),
                         .checkpoint_seconds = 60.0,
                         .seed = 1,
                         .start_step = -1,
                         .contact = {.values = scree_scene_no_values(), .poisson = NAN, .pull = true,
                                     .rounding = scree_default_polygon_sim_def().rounding},
                         .own_law = scree_default_sim_law(),
                         .cell = scree_scene_no_cell(),
                         .box_tilt = {NAN, NAN, NAN},
                         .face_materials = {-1, -1, -1, -1, -1, -1}};
}

void scene_free(scree_scene* scene)
{
    if (scene == NULL)
        return;
    scree_free(scene->directory);
    scree_free(scene->cell_sizes);
    for (int64_t n = 0; n < scene->change_count; ++n)
        scree_scene_change_free(&scene->changes[n]);
    scree_scene_condition_free(&scene->until);
    scree_scene_loads_free(scene->loads, scene->load_count);
    for (int64_t n = 0; n < scene->material_count; ++n)
        scree_free(scene->materials[n].name);
    for (int face = 0; face < 6; ++face)
        scree_free(scene->face_names[face]);
    scree_scene_free_lists(scene);
    scree_scene_places_free(scene->places);
    *scene = (scree_scene){0};
}

scree_status scree_scene_take_tree(const scene_tree* tree, scree_scene* out)
{
    scree_scene scene = scene_default();
    scene_reader reader = {.tree = tree, .scene = &scene, .entry = -1};
    scene.groups = scree_malloc(1, sizeof *scene.groups);
    if (scene.groups == NULL)
        return SCREE_ERR_MEMORY;
    scree_scene_begin_group(&scene.groups[0]);
    scene.group_count = 1;
    scree_status status = scree_scene_fill(&reader);
    if (!scree_scene_holds(&scene, NULL, SCENE_SPHERES))
        scene.group_count = 0;
    if (status == SCREE_OK)
        status = scree_scene_check(&reader);
    if (status == SCREE_OK)
        status = scree_scene_settle(&reader);
    if (status == SCREE_OK)
        status = scree_scene_settle_changes(&reader);
    if (status != SCREE_OK) {
        scene_free(&scene);
        return status;
    }
    scree_scene_settle_times(&scene);
    *out = scene;
    out->sim.search = &out->search;
    out->own_law.name = scree_sim_law_name(out->law);
    out->sim.law = &out->own_law;
    for (int64_t n = 0; n < out->surface_count; ++n)
        scree_scene_surface_shape(&out->surfaces[n], out->sim.box.dim, &out->surfaces[n].shape);
    return SCREE_OK;
}

static scree_status parse_with(const char* name, const char* text, size_t length, int32_t count, const char* const* settings, scree_scene* out)
{
    SCREE_EMPTY(out);
    SCREE_NEED(name);
    if (length > 0)
        SCREE_NEED(text);
    scene_tree tree;
    scree_status status = scree_scene_tree_read(name, text, length, &tree);
    if (status != SCREE_OK)
        return status;
    status = scree_scene_vary(&tree, count, settings);
    if (status == SCREE_OK)
        status = scree_scene_take_tree(&tree, out);
    scree_scene_tree_free(&tree);
    return status;
}

static scree_status read_with(const char* path, int32_t count, const char* const* settings, scree_scene* out)
{
    SCREE_EMPTY(out);
    SCREE_NEED(path);
    scree_input input;
    scree_status status = scree_input_open(&input, path, scree_get_watch());
    if (status != SCREE_OK)
        return status;
    char* bytes;
    int64_t got;
    status = scree_input_bytes(&input, (int64_t)SCENE_BYTES_MAX + 1, &bytes, &got);
    if (status == SCREE_OK)
        status = parse_with(input.name, bytes, (size_t)got, count, settings, out);
    scree_input_close(&input);
    return status;
}

scree_status scene_parse(const char* name, const char* text, size_t length, scree_scene* out)
{
    return parse_with(name, text, length, 0, NULL, out);
}

scree_status scene_read(const char* path, scree_scene* out)
{
    return read_with(path, 0, NULL, out);
}

// ---- As an object ------------------------------------------------------------------------------------------------------

static scree_status keep(scree_status status, scree_scene* scene, scree_scene** out)
{
    if (status == SCREE_OK)
        *out = scene;
    else
        scree_free(scene);
    return status;
}

scree_status scree_scene_parse(const char* name, const char* text, size_t length, scree_scene** out)
{
    SCREE_EMPTY(out);
    SCREE_NEED(name);
    if (length > 0)
        SCREE_NEED(text);
    scree_scene* scene = scree_malloc(1, sizeof *scene);
    return scene == NULL ? SCREE_ERR_MEMORY : keep(scene_parse(name, text, length, scene), scene, out);
}

scree_status scree_read_scene(const char* path, scree_scene** out)
{
    SCREE_EMPTY(out);
    SCREE_NEED(path);
    return scree_read_scene_with(path, 0, NULL, out);
}

scree_status scree_read_scene_with(const char* path, int32_t count, const char* const* settings, scree_scene** out)
{
    SCREE_EMPTY(out);
    SCREE_NEED(path);
    if (count > 0)
        SCREE_NEED(settings);
    for (int32_t k = 0; k < count; ++k)
        SCREE_NEED(settings[k]);
    scree_scene* scene = scree_malloc(1, sizeof *scene);
    return scene == NULL ? SCREE_ERR_MEMORY : keep(read_with(path, count, settings, scene), scene, out);
}

void scree_scene_destroy(scree_scene* scene)
{
    scene_free(scene);
    scree_free(scene);
}

scree_status scree_scene_set_seed(scree_scene* scene, uint64_t seed)
{
    SCREE_NEED(scene);
    scene->seed = seed;
    return SCREE_OK;
}

scree_status scree_scene_set_threads(scree_scene* scene, int32_t threads)
{
    SCREE_NEED(scene);
    if (threads < 0)
        return scree_fail(SCREE_ERR_ARGUMENT, "scene: threads is %" PRId32 "; expected 0 (all cores) or more", threads);
    scene->sim.threads = threads;
    return SCREE_OK;
}

// Whether a file of that name lies in the scene's own directory, as far as the names tell.
static bool same_directory(const char* path, const scree_scene* scene)
{
    const char *slash = strrchr(path, '/'), *mine = scene->directory == NULL ? "" : scene->directory;
    size_t length = slash == NULL ? 0 : (size_t)(slash - path) + 1;
    return strcmp(path, "-") != 0 && strlen(mine) == length && memcmp(mine, path, length) == 0;
}

// The text of a scene, which can be read again, and the scene that it gives. `same_place`: it will lie where the files lie that it names.
static scree_status write_and_parse(const scree_scene* scene, bool same_place, char** text, int64_t* length, scree_scene* again)
{
    scree_status status = scree_scene_text_of(scene, same_place, text, length);
    if (status != SCREE_OK)
        return status;
    status = scene_parse("the scene", *text, (size_t)*length, again);
    if (status != SCREE_OK) {
        scree_free(*text);
        *text = NULL;
    }
    return status == SCREE_ERR_FORMAT ? scree_fail(SCREE_ERR_ARGUMENT, "cannot write this scene: %s", scree_error_message()) : status;
}

scree_status scene_copy(const scree_scene* scene, scree_scene* out)
{
    char* text = NULL;
    int64_t length;
    *out = (scree_scene){0};
    scree_status status = write_and_parse(scene, false, &text, &length, out);
    scree_free(text);
    if (status == SCREE_OK)
        status = scree_scene_places_copy(scene, out);
    if (status != SCREE_OK)
        scene_free(out);
    else
        out->sim.threads = scene->sim.threads;
    return status;
}

scree_status scree_write_scene(const char* path, const scree_scene* scene)
{
    SCREE_NEED(path);
    SCREE_NEED(scene);
    char* text = NULL;
    int64_t length;
    scree_scene again;
    scree_status status = write_and_parse(scene, same_directory(path, scene), &text, &length, &again);
    if (status != SCREE_OK)
        return status == SCREE_ERR_ARGUMENT ? scree_fail(status, "%s: %s", path, scree_error_message()) : status;
    scene_free(&again);
    scree_output output;
    status = scree_output_open(&output, path, scree_get_watch());
    if (status == SCREE_OK) {
        scree_output_bytes(&output, text, (size_t)length);
        status = scree_output_close(&output, output.status);
    }
    scree_free(text);
    return status;
}
