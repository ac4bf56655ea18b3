// The cell of a scene, `cell` and `changes.cell`: read as single numbers, given to the simulation as a whole.
#include "scene/cell.h"

#include "base/argument.h"
#include "scene/scene_inner.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

scree_scene_cell scree_scene_no_cell(void)
{
    scree_scene_cell none = {.shear = NAN, .pressure = NAN, .rate = NAN, .response = NAN};
    for (int e = 0; e < SCREE_CELL_COUNT; ++e)
        none.strain[e] = NAN;
    for (int k = 0; k < 3; ++k)
        none.stress[k] = NAN;
    return none;
}

static bool has_strain(const scree_scene_cell* cell)
{
    bool any = !isnan(cell->shear);
    for (int e = 0; e < SCREE_CELL_COUNT; ++e)
        any = any || !isnan(cell->strain[e]);
    return any;
}

static bool has_stress(const scree_scene_cell* cell)
{
    return !isnan(cell->pressure) || !isnan(cell->stress[0]) || !isnan(cell->stress[1]) || !isnan(cell->stress[2]);
}

static double value_of(double given)
{
    return isnan(given) ? 0.0 : given;
}

void scree_scene_make_cell(const scree_scene_cell* from, scree_sim_cell* out)
{
    SCREE_NEED_OR(out, );
    *out = scree_default_sim_cell();
    SCREE_NEED_OR(from, );
    for (int e = 0; e < SCREE_CELL_COUNT; ++e)
        out->rate[e] = value_of(from->strain[e]);
    if (!isnan(from->shear))
        out->rate[SCREE_CELL_XY] = from->shear;
    out->isotropic = !isnan(from->pressure);
    if (out->isotropic)
        out->stress[0] = from->pressure;
    for (int k = 0; k < 3; ++k)
        if (!isnan(from->stress[k])) {
            out->stress[k] = from->stress[k];
            out->controlled |= 1u << k;
        }
    out->rate_most = value_of(from->rate);
    out->response = value_of(from->response);
    out->constant_volume = from->constant_volume;
}

bool scree_scene_has_cell(const scree_scene* scene)
{
    SCREE_NEED_OR(scene, false);
    bool has = scene->sets_cell;
    for (int64_t c = 0; c < scene->change_count; ++c)
        has = has || scene->changes[c].sets_cell;
    return has;
}

// What can be said at once, at the map; what the box has to do with it the simulation says.
scree_status scree_scene_check_cell(const scene_reader* reader, const scene_node* map, const scree_scene_cell* cell, const char* path)
{
    static const char* const names[SCREE_CELL_COUNT] = {"xx", "yy", "zz", "xy", "xz", "yz"};
    const scree_scene* scene = reader->scene;
    if (scene->body_count > 0)
        return scree_scene_fail(reader->tree, map, "%s is not supported with bodies; expected a scene of spheres only", path);
    if (!has_strain(cell) && !has_stress(cell))
        return scree_scene_fail(reader->tree, map, "%s is empty; expected shear, strain or stress (shear: 0 is a cell at rest)", path);
    if (!isnan(cell->shear) && !isnan(cell->strain[SCREE_CELL_XY]))
        return scree_scene_fail(reader->tree, map, "%s.shear and %s.strain.xy are the same; expected one of the two", path, path);
    for (int k = 0; k < 3; ++k)
        if (!isnan(cell->pressure) && !isnan(cell->stress[k]))
            return scree_scene_fail(reader->tree, map, "%s.stress.pressure is that of all axes, and %s.stress.%s that of one; expected one of the two", path, path, names[k]);
    if (has_stress(cell) && isnan(cell->rate))
        return scree_scene_fail(reader->tree, map, "a key is missing; expected %s.stress.rate, the largest strain rate by which the cell follows its stress", path);
    for (int e = 0; e < SCREE_CELL_COUNT && scene->sim.box.dim == 2; ++e)
        if (e != SCREE_CELL_XX && e != SCREE_CELL_YY && e != SCREE_CELL_XY && (!isnan(cell->strain[e]) || (e == SCREE_CELL_ZZ && !isnan(cell->stress[2]))))
            return scree_scene_fail(reader->tree, map, "%s.%s.%s does not exist in dimension 2; expected xx, yy or xy", path, isnan(cell->strain[e]) ? "stress" : "strain", names[e]);
    return SCREE_OK;
}
