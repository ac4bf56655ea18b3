// An entry of `bodies` as a whole: its shape is given in one way, its place in at most one, and every other key belongs to what was
// chosen. Errors name the key; shapes are checked here, so that an invalid vertex is reported with its line.
#include "scene/scene_inner.h"

#include "scree/sizes.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { DISC = 0, REGULAR = 1 + SCREE_SHAPE_REGULAR, STAR = 1 + SCREE_SHAPE_STAR, ELL = 1 + SCREE_SHAPE_ELL, HOOK = 1 + SCREE_SHAPE_HOOK,
       CHIP = 1 + SCREE_SHAPE_CHIP };

static const scene_node* key_of(const scene_reader* reader, const char* path)
{
    return reader->given[scree_scene_find(path)];
}

static const scene_node* value_of(const scene_reader* reader, const char* path)
{
    const scene_node* key = key_of(reader, path);
    return &reader->tree->nodes[key->next];
}

typedef struct rule {
    const char* path;
    bool holds;
    const char* otherwise;
} rule;

static scree_status check_rules(const scene_reader* reader, const scree_scene_bodies* b)
{
    const rule rules[] = {
        {"bodies.vertices", b->has_shape && b->shape != DISC && b->shape != ELL && b->shape != HOOK,
         "belongs to bodies.shape: regular, convex, star or chip"},
        {"bodies.roughness", b->has_shape && b->shape > REGULAR, "belongs to bodies.shape: convex, star, ell, hook or chip"},
        {"bodies.material", reader->scene->material_count > 0, "needs materials: a map of names, as in materials: {wood: {material_density: 700}}"},
        {"bodies.material_density", reader->scene->material_count == 0, "excludes materials: the density is that of bodies.material"},
        {"bodies.material_density", !b->fixed || b->material_density == 0.0, "has no meaning for bodies that are fixed"},
    };
    for (size_t r = 0; r < sizeof rules / sizeof *rules; ++r)
        if (!rules[r].holds && key_of(reader, rules[r].path) != NULL)
            return scree_scene_fail(reader->tree, key_of(reader, rules[r].path), "%s %s", rules[r].path, rules[r].otherwise);
    return SCREE_OK;
}

static scree_status check_shape(const scene_reader* reader, const scree_scene_bodies* b)
{
    scree_status status = SCREE_OK;
    scree_shapes none = {0};
    if (b->has_points)
        status = scree_scene_locate_by(reader, scree_polygon_check((scree_polygon){.count = b->points.count, .xy = b->points.xy}),
                                     value_of(reader, "bodies.points"), "bodies.points", "");
    if (b->has_wall)
        status = scree_scene_locate_by(reader, scree_shapes_add_wall(&none, b->wall.count, b->wall.xy, b->thickness, NULL), value_of(reader, "bodies.wall"),
                                     "bodies.wall", "");
    if (b->has_shape && b->shape != DISC) {
        scree_shape_def def = scree_default_shape_def();
        def.rule = b->shape - 1;
        def.vertices = b->shape == CHIP && !b->has_vertices ? 12 : b->vertices;
        def.roughness = b->roughness;
        const char* at = key_of(reader, "bodies.vertices") != NULL ? "bodies.vertices" : "bodies.shape";
        if (def.vertices <= 1000)  // larger ones differ in nothing that could be wrong
            status = scree_scene_locate_by(reader, scree_shapes_add_rule(&none, &def, NULL), value_of(reader, at), at, "shape: ");
    }
    scree_shapes_free(&none);
    if (status == SCREE_OK && b->has_sizes && strncmp(b->sizes, "table:", 6) != 0) {
        scree_sizes* sizes;
        status = scree_sizes_parse(b->sizes, 2, &sizes);
        if (status == SCREE_OK)
            scree_sizes_destroy(sizes);
        status = scree_scene_locate_by(reader, status, value_of(reader, "bodies.sizes"), "bodies.sizes", "sizes ");
    }
    return status;
}

scree_status scree_scene_check_bodies(scene_reader* reader, const scene_node* node, int32_t n)
{
    scree_scene_bodies* b = &reader->scene->bodies[n];
    scree_status status = check_rules(reader, b);
    if (status != SCREE_OK)
        return status;
    char missing[256] = "";
    if (!b->has_points && !b->has_wall && !b->has_shape && !b->has_file)
        strcpy(missing, "bodies.shape (or bodies.points, bodies.wall or bodies.file)");
    if (b->has_wall && !b->has_thickness)
        strcpy(missing, "bodies.thickness (with bodies.wall)");
    if (b->has_shape && !b->has_sizes)
        strcpy(missing, "bodies.sizes (with bodies.shape)");
    if (b->has_shape && !b->has_at && !b->has_place)
        snprintf(missing + strlen(missing), sizeof missing - strlen(missing), "%sbodies.place (or bodies.at)", *missing != '\0' ? ", " : "");
    if (reader->scene->material_count > 0 && key_of(reader, "bodies.material") == NULL)
        snprintf(missing + strlen(missing), sizeof missing - strlen(missing), "%sbodies.material (one of the materials)", *missing != '\0' ? ", " : "");
    if (*missing != '\0')
        return scree_scene_fail(reader->tree, node, "a key is missing; expected %s", missing);
    status = check_shape(reader, b);
    // The defaults of keys that mean something are written, others not.
    b->vertices = b->has_shape && b->shape == CHIP && !b->has_vertices ? 12 : b->vertices;
    b->has_vertices = b->has_shape && b->shape != DISC && b->shape != ELL && b->shape != HOOK;
    b->has_roughness = b->has_shape && b->shape > REGULAR;
    b->has_count = b->has_place;
    return status;
}
