// The def of a simulation from a scene, for programs that make the steps themselves: the parts of a scene in one object, and a def that points to them. A run does the same in
// simulation.c, with further parts: stages of changes, flow, and another run to start from.
#include "run/run_inner.h"

#include "base/argument.h"
#include "scene/place.h"

struct scree_scene_setup {
    scree_sim_def def;
    scree_index_def search;
    double* cell_sizes;  // of `search`
    scree_sim_cell cell;
    scree_scene_each each;
    scree_scene_law law;
    scree_scene_bonds bonds;
    scree_scene_shapes shapes;
};

scree_status scree_scene_find_masses(const scree_scene* scene, const scree_sphere_set* set, double* mass, int32_t* group)
{
    SCREE_NEED(scene);
    SCREE_NEED(set);
    const double pi = 3.14159265358979323846;
    scree_scene_each each;
    scree_status status = scree_scene_make_each(scene, set, &each);
    if (status != SCREE_OK)
        return status;
    for (int64_t i = 0; i < set->count; ++i) {
        double r = set->r[i], density = each.each.material_density != NULL ? each.each.material_density[i] : each.material_density;
        if (mass != NULL)
            mass[i] = density * (set->dim == 2 ? pi * r * r : 4.0 / 3.0 * pi * r * r * r);
        if (group != NULL)
            group[i] = each.each.group != NULL ? each.each.group[i] : 0;
    }
    scree_scene_each_free(&each);
    return SCREE_OK;
}

static scree_status make_parts(const scree_scene* scene, const scree_sphere_set* set, scree_scene_setup* setup)
{
    setup->def = scene->sim;
    setup->search = scene->search;
    if (scene->cell_sizes != NULL) {
        setup->cell_sizes = scree_malloc((size_t)scene->search.cell_size_count, sizeof *setup->cell_sizes);
        if (setup->cell_sizes == NULL)
            return SCREE_ERR_MEMORY;
        memcpy(setup->cell_sizes, scene->cell_sizes, (size_t)scene->search.cell_size_count * sizeof *setup->cell_sizes);
        setup->search.cell_sizes = setup->cell_sizes;
    }
    scree_status status = scree_scene_make_each(scene, set, &setup->each);
    if (status == SCREE_OK)
        status = run_law(scene, -1, set, &setup->law, &setup->def);
    if (status == SCREE_OK)
        status = scree_scene_make_bonds(scene, set, &setup->bonds);
    if (status == SCREE_OK)
        status = scree_scene_make_shapes(scene, &setup->shapes);
    return status;
}

scree_status scree_scene_setup_create(const scree_scene* scene, const scree_sphere_set* set, scree_scene_setup** out)
{
    SCREE_EMPTY(out);
    SCREE_NEED(scene);
    SCREE_NEED(set);
    if (scene->body_count > 0)
        return scree_fail(SCREE_ERR_UNSUPPORTED, "scene: it has bodies; expected a scene of spheres (scree_scene_make_bodies makes bodies)");
    scree_scene_setup* setup = scree_calloc(1, sizeof *setup);
    if (setup == NULL)
        return SCREE_ERR_MEMORY;
    scree_status status = make_parts(scene, set, setup);
    if (status != SCREE_OK) {
        scree_scene_setup_destroy(setup);
        return status;
    }
    scree_sim_def* def = &setup->def;
    const scree_sim_each* each = &setup->each.each;
    def->search = &setup->search;
    def->box = set->box;
    def->container = set->container;
    def->material_density = setup->each.material_density;
    bool own = each->material_density != NULL || each->material != NULL || each->group != NULL || each->fixed != NULL || each->force != NULL || each->spin != NULL;
    def->each = own ? each : NULL;
    def->bonds = setup->bonds.bonds.kind_count > 0 ? &setup->bonds.bonds : NULL;
    for (int32_t n = 0; n < setup->shapes.count; ++n)
        setup->shapes.boundaries[n].material = scene->surfaces[n].material >= 0 ? scene->surfaces[n].material : 0;
    def->boundaries = setup->shapes.boundaries;
    def->boundary_count = setup->shapes.count;
    def->walls_remove = scene->walls_on_crossing == 1;
    def->energies = scree_scene_has_energies(scene);
    scree_scene_make_cell(&scene->cell, &setup->cell);
    def->cell = scree_scene_has_cell(scene) ? &setup->cell : NULL;
    *out = setup;
    return SCREE_OK;
}

const scree_sim_def* scree_scene_setup_get_def(const scree_scene_setup* setup)
{
    SCREE_NEED_OR(setup, NULL);
    return &setup->def;
}

void scree_scene_setup_destroy(scree_scene_setup* setup)
{
    if (setup == NULL)
        return;
    scree_scene_each_free(&setup->each);
    scree_scene_law_free(&setup->law);
    scree_scene_bonds_free(&setup->bonds);
    scree_scene_shapes_free(&setup->shapes);
    scree_free(setup->cell_sizes);
    scree_free(setup);
}
