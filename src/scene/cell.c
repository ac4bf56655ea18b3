// The cell of a scene, `cell` and `changes.cell`: read as single numbers, given to the simulation as a whole.
#include "scene/cell.h"

#include "base/argument.h"
#include "scene/scene_inner.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

scree_scene_cell scree_scene_no_cell(void)
{
    return (scree_scene_cell){.shear = NAN, .strain = {NAN, NAN, NAN, NAN, NAN, NAN}, .pressure = NAN, .stress = {NAN, NAN, NAN}, .rate = NAN, .response = NAN};
}

static bool any_given(const double* values, int count)
{
    int n = 0;
    while (n < count && isnan(values[n]))
        ++n;
    return n < count;
}

static bool has_strain(const scree_scene_cell* cell)
{
    return !isnan(cell->shear) || any_given(cell->strain, SCREE_CELL_COUNT);
}

static bool has_stress(const scree_scene_cell* cell)
{
    return !isnan(cell->pressure) || any_given(cell->stress, 3);
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
