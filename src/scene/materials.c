// Entries of `materials`, and materials that scenes know by name. The numbers of these are rounded values of handbooks, in SI units: real glass, sand or concrete
// differs from them by some per cent to some ten per cent, and who knows better gives their own. docs/scene.md has the sources.
#include "scene/scene_inner.h"

#include "scene/place.h"

#include <math.h>
#include <string.h>

#define PRESET(name_, density, young_, poisson_) {.name = (char[]){name_}, .material_density = (density), .young = (young_), .poisson = (poisson_)}

static const scree_scene_material presets[] = {
    PRESET("glass", 2500.0, 7.0e10, 0.22),    PRESET("steel", 7850.0, 2.1e11, 0.3),        PRESET("aluminium", 2700.0, 7.0e10, 0.33),
    PRESET("sand", 2650.0, 9.5e10, 0.07),     PRESET("limestone", 2500.0, 2.0e10, 0.25),   PRESET("granite", 2650.0, 6.0e10, 0.25),
    PRESET("concrete", 2400.0, 3.0e10, 0.2),  PRESET("polyethylene", 950.0, 1.0e9, 0.42),  PRESET("acrylic", 1180.0, 3.0e9, 0.37),
};

const scree_scene_material* scree_scene_preset(int32_t number)
{
    return number >= 0 && number < (int32_t)(sizeof presets / sizeof *presets) ? &presets[number] : NULL;
}

scree_status scree_scene_check_material(scene_reader* reader, const scene_node* map, int32_t n)
{
    const scree_scene_material* material = &reader->scene->materials[n];
    if (material->material_density == 0.0 && material->preset == 0)
        return scree_scene_fail(reader->tree, map, "a key is missing; expected materials.material_density (or materials.preset)");
    return SCREE_OK;
}

// Before presets are filled in: what is there was given by the user.
scree_status scree_scene_check_elastic(const scree_scene* scene)
{
    bool elastic = scree_scene_is_elastic(scene);
    for (int64_t n = 0; n < scene->material_count; ++n) {
        const scree_scene_material* m = &scene->materials[n];
        bool young = m->young != 0.0, poisson = !isnan(m->poisson);
        if (!elastic && (young || poisson))
            return scree_scene_fail_at(scene, SCREE_ERR_FORMAT, young ? "materials.young" : "materials.poisson", n,
                                       "%g has no effect with the law %s; expected hertz, jkr or dmt, or linear with contact.stiffness: from-young",
                                       young ? m->young : m->poisson, scree_sim_law_name(scene->law));
        if (elastic && m->preset == 0 && !(young && poisson))
            return scree_scene_fail_at(scene, SCREE_ERR_FORMAT, "materials", n, "%s has no %s; expected both for the contact (%s%s)", m->name,
                                       young ? "poisson" : poisson ? "young" : "young and poisson", scree_sim_law_name(scene->law),
                                       scene->contact.stiffness != 0 ? ", stiffness from-young" : "");
    }
    return SCREE_OK;
}

void scree_scene_settle_materials(scree_scene* scene)
{
    for (int64_t n = 0; n < scene->material_count; ++n) {
        scree_scene_material* m = &scene->materials[n];
        const scree_scene_material* preset = scree_scene_preset(m->preset - 1);
        if (preset == NULL)
            continue;
        m->material_density = m->material_density == 0.0 ? preset->material_density : m->material_density;
        m->young = m->young == 0.0 ? preset->young : m->young;
        m->poisson = isnan(m->poisson) ? preset->poisson : m->poisson;
    }
}
