// Properties of single spheres in a scene: the group, and by it density, material, whether the sphere is fixed, external force and spin.
// A property that is the same for all spheres takes no memory.
#include "run/run_inner.h"

#include "base/argument.h"
#include "scene/place.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

void scree_scene_each_free(scree_scene_each* each)
{
    if (each == NULL)
        return;
    scree_free((void*)each->each.material_density);
    scree_free((void*)each->each.material);
    scree_free((void*)each->each.group);
    scree_free((void*)each->each.fixed);
    scree_free((void*)each->each.force);
    scree_free((void*)each->each.spin);
    *each = (scree_scene_each){0};
}

scree_status run_add_groups(const scree_scene* scene, const int64_t* counts, scree_sphere_set* set)
{
    int64_t groups = scree_scene_group_count(scene), sum = 0;
    scree_column* column;
    for (int64_t n = 0; n < groups; ++n)
        sum += counts[n];
    if (sum != set->count)
        return scree_fail(SCREE_ERR_ARGUMENT, "spheres: the entries of the scene have %" PRId64 " spheres; expected %" PRId32, sum, set->count);
    scree_status status = scree_sphere_set_add(set, "group", SCREE_COLUMN_INT64, 1, &column);
    int64_t i = 0;
    for (int64_t n = 0; n < groups && status == SCREE_OK; ++n)
        for (int64_t end = i + counts[n]; i < end; ++i)
            column->integers[i] = n;
    return status;
}

scree_status run_add_scene_groups(const scree_scene* scene, scree_sphere_set* set)
{
    if (scene->group_count < 2)
        return SCREE_OK;
    int64_t* counts = scree_malloc((size_t)scene->group_count, sizeof *counts);
    if (counts == NULL)
        return SCREE_ERR_MEMORY;
    for (int64_t n = 0; n < scene->group_count; ++n)
        counts[n] = scene->groups[n].count;
    scree_status status = run_add_groups(scene, counts, set);
    scree_free(counts);
    return status;
}

scree_status run_law(const scree_scene* scene, int64_t change, const scree_sphere_set* set, scree_scene_law* law, scree_sim_def* def)
{
    scree_status status = scree_scene_make_law_at(scene, change, set, law);
    if (status != SCREE_OK)
        return status;
    const scree_scene* then = scree_scene_from(scene, change);
    def->contact_duration = then->sim.contact_duration;
    def->overlap = then->sim.overlap;
    def->law = &law->law;
    def->stiffness = law->stiffness;
    def->damping = law->damping;
    def->restitution = law->restitution;
    def->wall_material = law->wall_material;
    def->face_materials = law->by_face ? law->face_materials : NULL;
    def->speed = law->speed;
    return SCREE_OK;
}

// Which properties differ from sphere to sphere, or are not what a sphere has by itself.
typedef struct wanted {
    bool density, material, group, fixed, force, spin;
} wanted;

static const scree_column* find_spins(const scree_sphere_set* set)
{
    const scree_column* column = scree_sphere_set_find(set, set->dim == 2 ? "spin_z" : "spin");
    return column != NULL && column->kind == SCREE_COLUMN_DOUBLE && column->components == (set->dim == 2 ? 1 : 3) ? column : NULL;
}

static wanted find_wanted(const scree_scene* scene, int64_t groups, bool spins)
{
    wanted w = {.material = scene->material_count > 1, .group = groups > 1};
    scree_scene_group first = scree_scene_get_entry(scene, 0);
    bool turns = scree_scene_turns(scene);
    for (int64_t n = 0; n < groups; ++n) {
        scree_scene_group group = scree_scene_get_entry(scene, n);
        w.density = w.density || group.material_density != first.material_density || (group.material < 0 && scene->material_count > 1);
        w.fixed = w.fixed || group.fixed;
        w.force = w.force || group.force[0] != 0.0 || group.force[1] != 0.0 || group.force[2] != 0.0;
        w.spin = w.spin || (turns && (spins || !isnan(group.spin[2])));
    }
    return w;
}

// The material of each sphere of a group that has none of its own.
static scree_status check_materials(const scree_scene* scene, const scree_sphere_set* set, const scree_column* column)
{
    if (column == NULL || column->kind != SCREE_COLUMN_INT64 || column->components != 1)
        return scree_fail(SCREE_ERR_ARGUMENT, "spheres: the spheres have no material; expected spheres.material in the scene, or a column of whole numbers named material");
    for (int64_t i = 0; i < set->count; ++i)
        if (column->integers[i] < 0 || column->integers[i] >= scene->material_count)
            return scree_fail(SCREE_ERR_ARGUMENT, "sphere %" PRId64 ": material %" PRId64 "; expected 0 to %" PRId64, i, column->integers[i],
                              scene->material_count - 1);
    return SCREE_OK;
}

static bool are_marked(const scree_scene* scene, int64_t groups)
{
    bool all = true;
    for (int64_t n = 0; n < groups; ++n)
        all = all && scree_scene_get_entry(scene, n).material >= 0;
    return all;
}

scree_status scree_scene_make_each(const scree_scene* scene, const scree_sphere_set* set, scree_scene_each* out)
{
    SCREE_EMPTY(out);
    SCREE_NEED(scene);
    SCREE_NEED(set);
    scree_status status = SCREE_OK;
    if (scene->start_run != NULL && !scene->listed)
        return scree_scene_fail_at(scene, SCREE_ERR_UNSUPPORTED, "start.run", -1, "the groups of this run are not known here; expected a run that begins from it (scree_run_create)");
    int64_t groups = scree_scene_group_count(scene);
    const scree_column* column = groups > 1 ? scree_sphere_set_find(set, "group") : NULL;
    if (groups > 1 && (column == NULL || column->kind != SCREE_COLUMN_INT64 || column->components != 1))
        return scree_fail(SCREE_ERR_ARGUMENT, "spheres: the scene has %" PRId64 " groups; expected a column of whole numbers named group", groups);
    for (int64_t i = 0; i < set->count && column != NULL; ++i)
        if (column->integers[i] < 0 || column->integers[i] >= groups)
            return scree_fail(SCREE_ERR_ARGUMENT, "sphere %" PRId64 ": group %" PRId64 "; expected 0 to %" PRId64, i, column->integers[i], groups - 1);
    const scree_column *spins = find_spins(set), *materials = are_marked(scene, groups) ? NULL : scree_sphere_set_find(set, "material");
    if (!are_marked(scene, groups) && (scene->material_count > 1 || materials != NULL))  // with one material there is nothing to choose
        status = check_materials(scene, set, materials);
    if (status != SCREE_OK)
        return status;
    wanted w = find_wanted(scene, groups, spins != NULL);
    size_t count = (size_t)set->count, dim = (size_t)set->dim;
    double* density = w.density ? scree_malloc(count, sizeof *density) : NULL;
    uint16_t* material = w.material ? scree_malloc(count, sizeof *material) : NULL;
    uint16_t* group = w.group ? scree_malloc(count, sizeof *group) : NULL;
    uint8_t* fixed = w.fixed ? scree_malloc(count, sizeof *fixed) : NULL;
    double* force = w.force ? scree_malloc(count, dim * sizeof *force) : NULL;
    double* spin = w.spin ? scree_calloc(count, 3 * sizeof *spin) : NULL;
    scree_scene_each made = {.each = scree_default_sim_each(), .material_density = scree_scene_get_entry(scene, 0).material_density};
    if (!are_marked(scene, groups) && scene->material_count > 0)
        made.material_density = scene->materials[0].material_density;
    made.each.material_density = density;
    made.each.material = material;
    made.each.group = group;
    made.each.fixed = fixed;
    made.each.force = force;
    made.each.spin = spin;
    if ((w.density && density == NULL) || (w.material && material == NULL) || (w.group && group == NULL) || (w.fixed && fixed == NULL) ||
        (w.force && force == NULL) || (w.spin && spin == NULL)) {
        scree_scene_each_free(&made);
        return SCREE_ERR_MEMORY;
    }
    int64_t last = -1;
    scree_scene_group own = {0};
    for (size_t i = 0; i < count; ++i) {
        int64_t n = column != NULL ? column->integers[i] : 0;
        if (n != last)
            own = scree_scene_get_entry(scene, n);
        last = n;
        int64_t m = own.material >= 0 ? own.material : materials != NULL ? materials->integers[i] : 0;
        if (density != NULL)
            density[i] = own.material >= 0 ? own.material_density : scene->materials[m].material_density;
        if (material != NULL)
            material[i] = (uint16_t)m;
        if (group != NULL)
            group[i] = (uint16_t)n;
        if (fixed != NULL)
            fixed[i] = own.fixed;
        if (force != NULL)
            memcpy(force + i * dim, own.force, dim * sizeof *force);
        for (size_t k = dim == 2 ? 2 : 0; spin != NULL && k < 3; ++k)
            spin[3 * i + k] = !isnan(own.spin[2]) ? own.spin[k] : spins == NULL ? 0.0 : dim == 2 ? spins->values[i] : spins->values[3 * i + k];
    }
    *out = made;
    return SCREE_OK;
}
