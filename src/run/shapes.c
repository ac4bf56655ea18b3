// The surfaces of a scene as boundaries of a simulation: exact shapes as they are, meshes from their files.
#include "run/run_inner.h"

#include "base/argument.h"
#include "files/scene_place.h"

#include <math.h>
#include <string.h>

void scree_scene_shapes_free(scree_scene_shapes* shapes)
{
    if (shapes == NULL)
        return;
    for (int32_t n = 0; n < shapes->count && shapes->surfaces != NULL; ++n)
        scree_surface_destroy(shapes->surfaces[n]);
    scree_free(shapes->boundaries);
    scree_free(shapes->exact);
    scree_free(shapes->surfaces);
    *shapes = (scree_scene_shapes){0};
}

static scree_status read_mesh(const scree_scene_surface* from, scree_surface** out)
{
    scree_surface_def def = scree_default_surface_def();
    scree_placement placement = scree_default_placement();
    scree_triangles triangles;
    def.one_sided = from->one_sided;
    if (!isnan(from->merge_angle))
        def.merge_angle = from->merge_angle;
    scree_status status = scree_read_triangles(from->mesh_path, NULL, &triangles);
    if (status == SCREE_OK && !isnan(from->scale)) {
        placement.scale = from->scale;
        status = scree_triangles_place(&triangles, &placement);
    }
    if (status == SCREE_OK)
        status = scree_surface_create(&def, &triangles, out);
    scree_triangles_free(&triangles);
    return status;
}

scree_status scree_scene_make_shapes(const scree_scene* scene, scree_scene_shapes* out)
{
    SCREE_EMPTY(out);
    SCREE_NEED(scene);
    scree_status status = scree_scene_check_given(scene);
    int64_t count = scene->surface_count;
    if (status != SCREE_OK || count == 0)
        return status;
    out->boundaries = scree_calloc((size_t)count, sizeof *out->boundaries);
    out->exact = scree_calloc((size_t)count, sizeof *out->exact);
    out->surfaces = scree_calloc((size_t)count, sizeof *out->surfaces);
    if (out->boundaries == NULL || out->exact == NULL || out->surfaces == NULL)
        status = SCREE_ERR_MEMORY;
    for (int64_t n = 0; n < count && status == SCREE_OK; ++n) {
        const scree_scene_surface* from = &scene->surfaces[n];
        scree_sim_boundary* to = &out->boundaries[n];
        *to = scree_default_sim_boundary();
        out->count = (int32_t)n + 1;
        to->material = from->material >= 0 ? from->material : 0;
        to->name = from->name;
        to->one_sided = from->one_sided;
        memcpy(to->velocity, from->velocity, sizeof to->velocity);
        memcpy(to->spin, from->spin, sizeof to->spin);
        memcpy(to->about, from->about, sizeof to->about);
        if (scree_scene_surface_shape(from, scene->sim.box.dim, &out->exact[n])) {
            to->exact = &out->exact[n];
            continue;
        }
        if (from->mesh_path == NULL)
            status = scree_fail(SCREE_ERR_ARGUMENT, "scene: entry %d of surfaces has no mesh_path", (int)n + 1);
        else
            status = scree_scene_told_at(scene, read_mesh(from, &out->surfaces[n]), "surfaces.mesh", n);
        to->surface = out->surfaces[n];
    }
    if (status != SCREE_OK)
        scree_scene_shapes_free(out);
    return status;
}

bool run_shapes_clear(const void* context, const double x[3], double r)
{
    const scree_scene_shapes* shapes = context;
    for (int32_t n = 0; n < shapes->count; ++n) {
        scree_surface_contact contact[SCREE_EXACT_CONTACTS_MAX];
        bool touches = shapes->surfaces[n] != NULL ? scree_surface_near(shapes->surfaces[n], x, r, NULL, 0) > 0 : scree_exact_contacts(&shapes->exact[n], x, r, contact) > 0;
        if (touches)
            return false;
    }
    return true;
}
