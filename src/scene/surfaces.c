// Surfaces: entries of `surfaces`, and the exact shapes that they say.
#include "scene/scene_inner.h"

#include "base/argument.h"
#include "geom/vector.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

bool scree_scene_surface_shape(const scree_scene_surface* surface, int32_t dim, scree_exact* out)
{
    SCREE_NEED_OR(out, false);
    SCREE_EMPTY(out);
    SCREE_NEED_OR(surface, false);
    const scree_scene_surface* s = surface;
    *out = s->exact;
    out->struct_size = sizeof *out;
    out->kind = s->has_plane ? SCREE_EXACT_PLANE : s->has_cylinder ? SCREE_EXACT_CYLINDER : s->has_cone ? SCREE_EXACT_CONE : s->has_sphere ? SCREE_EXACT_SPHERE : SCREE_EXACT_DISC;
    if (s->has_cylinder || s->has_cone) {
        double way[3];
        vec_sub(s->to, s->exact.at, way);
        if (s->has_to) {
            memcpy(out->axis, way, sizeof out->axis);
            out->length = vec_length(way);
        } else {
            out->length = INFINITY;
        }
        if (dim == 2)
            memcpy(out->axis, (const double[3]){0.0, 0.0, 1.0}, sizeof out->axis);
    }
    return !s->has_mesh;
}

static scree_status check_shape(const scene_reader* reader, const scene_node* node, const scree_scene_surface* s)
{
    const char* missing = NULL;
    if ((s->has_plane || s->has_disc) && vec_length(s->exact.axis) == 0.0) {
        missing = s->has_plane ? "surfaces.plane.normal" : "surfaces.disc.normal";
        const scene_node* given = reader->given[scree_scene_find(missing)];
        if (given != NULL)
            return scree_scene_fail(reader->tree, given, "%s is 0 along all axes; expected a direction", missing);
    }
    if (s->has_cylinder && !s->has_to && !s->has_axis)
        missing = "surfaces.cylinder.to, or axis for a cylinder without ends";
    if (s->has_cone && !s->has_to)
        missing = "surfaces.cone.to";
    if ((s->has_cylinder || s->has_sphere || s->has_disc) && s->exact.radius[0] == 0.0)
        missing = s->has_cylinder ? "surfaces.cylinder.radius" : s->has_sphere ? "surfaces.sphere.radius" : "surfaces.disc.radius";
    if (missing != NULL)
        return scree_scene_fail(reader->tree, node, "a key is missing; expected %s", missing);
    scree_exact exact;
    if (!scree_scene_surface_shape(s, reader->scene->sim.box.dim, &exact))
        return SCREE_OK;
    return scree_scene_locate_by(reader, scree_exact_check(&exact), node, "surfaces", "");
}

scree_status scree_scene_check_surface(scene_reader* reader, const scene_node* node, int32_t n)
{
    const scree_scene* scene = reader->scene;
    const scree_scene_surface* s = &scene->surfaces[n];
    if (!s->has_plane && !s->has_cylinder && !s->has_cone && !s->has_sphere && !s->has_disc && !s->has_mesh)
        return scree_scene_fail(reader->tree, node, "this surface has 0 shapes; expected one of plane, cylinder, cone, sphere, disc and mesh");
    if (s->name != NULL && strlen(s->name) > 31)
        return scree_scene_fail(reader->tree, node, "surfaces.name is '%s', with %zu letters; expected at most 31", s->name, strlen(s->name));
    const scene_node* material = reader->given[scree_scene_find("surfaces.material")];
    if (material != NULL && scene->material_count == 0 && !scree_scene_materials_later(scene))
        return scree_scene_fail(reader->tree, material, "surfaces.material without materials; expected a map of names, as in materials: {steel: {material_density: 7800}}");
    if (scene->sim.box.dim == 2 && (s->has_cone || s->has_disc || s->has_mesh || s->has_cylinder))
        return scree_scene_fail(reader->tree, node, "a surface of this kind in two dimensions; expected a plane or a sphere, which is a circle there");
    return check_shape(reader, node, s);
}
