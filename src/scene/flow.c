// Regions of a scene, and what comes and goes while it runs: entries of `insert` and `outlets`. Which kind of region there is follows from its keys.
#include "scene/flow.h"

#include "geom/vector.h"
#include "scene/place.h"
#include "scene/scene_inner.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

// ---- As written --------------------------------------------------------------------------------------------------------

scree_scene_region scree_scene_no_region(void)
{
    return (scree_scene_region){.lower = {NAN}, .upper = {NAN}, .from = {NAN}, .to = {NAN}, .at = {NAN}, .normal = {NAN}};
}

bool scree_scene_flows(const scree_scene* scene)
{
    bool removes = scene->walls_on_crossing == 1;
    for (int64_t n = 0; n < scene->surface_count; ++n)
        removes = removes || scene->surfaces[n].on_crossing == 1;
    return removes || scene->insert_count > 0 || scene->outlet_count > 0;
}

// Of insert or outlets the first; else the first surface that removes. -1: the walls do.
static int64_t entry_of(const scree_scene* scene)
{
    int64_t n = 0;
    if (scene->insert_count == 0 && scene->outlet_count == 0 && scene->walls_on_crossing == 1)
        return -1;
    while (scene->insert_count == 0 && scene->outlet_count == 0 && n + 1 < scene->surface_count && scene->surfaces[n].on_crossing != 1)
        ++n;
    return n;
}

const scene_region_kind scree_scene_region_kinds[] = {
    {SCREE_REGION_BOX, NULL, {"lower", "upper"}},
    {SCREE_REGION_CYLINDER, NULL, {"from", "to", "radius"}},
    {SCREE_REGION_SPHERE, NULL, {"at", "radius"}},
    {SCREE_REGION_DISC, "insert", {"at", "normal", "radius"}},
    {SCREE_REGION_HALF, "outlets", {"at", "normal"}},
    {SCREE_REGION_MESH, "spheres", {"mesh", "scale"}},
    {SCREE_REGION_NONE, NULL, {NULL}},
};

scree_status scree_scene_check_region(const scene_reader* reader, const scene_node* node, const char* path, scree_scene_region* region)
{
    int dim = reader->scene->sim.box.dim;
    const scene_node* given = reader->given[scree_scene_find(path)];
    const scene_node* place = given != NULL ? &reader->tree->nodes[given->next] : node;
    bool box = !isnan(region->lower[0]) && !isnan(region->upper[0]), corner = !isnan(region->lower[0]) || !isnan(region->upper[0]);
    bool at = !isnan(region->at[0]), from = !isnan(region->from[0]), to = !isnan(region->to[0]), round = region->radius > 0.0, normal = !isnan(region->normal[0]);
    bool inlet = strcmp(path, "insert.region") == 0, disc = inlet && at && round && normal && !from && !to;
    bool sphere = at && round && !from && !to && !normal, cylinder = from && to && round && !at && !normal, half = !inlet && at && normal && !round && !from && !to;
    bool others = at || from || to || round || normal, mesh = region->mesh != NULL, scaled = region->scale > 0.0;
    region->kind = SCREE_REGION_NONE;
    if (given == NULL)
        return SCREE_OK;
    if (mesh && !corner && !others)
        region->kind = SCREE_REGION_MESH;
    else if (!mesh && !scaled && box && !others)
        region->kind = SCREE_REGION_BOX;
    else if (!mesh && !scaled && !corner && (sphere || cylinder || half || disc))
        region->kind = sphere ? SCREE_REGION_SPHERE : cylinder ? SCREE_REGION_CYLINDER : disc ? SCREE_REGION_DISC : SCREE_REGION_HALF;
    else
        return scree_scene_fail(reader->tree, place, "%s: these keys do not make a region; expected a box with lower and upper, a cylinder with from, to and radius, a sphere with at and radius%s", path,
                                inlet ? ", a disc with at, normal and radius" : strcmp(path, "outlets.region") == 0 ? ", a half-space with at and normal" : strcmp(path, "spheres.region") == 0 ? ", or the name of a file in mesh" : "");
    int flat = 0;
    for (int k = 0; k < dim && box && inlet; ++k)
        flat += region->upper[k] == region->lower[k];
    for (int k = 0; k < dim && box; ++k)
        if (!(region->upper[k] > region->lower[k]) && !(flat == 1 && region->upper[k] == region->lower[k]))
            return scree_scene_fail(reader->tree, place, "%s reaches from %g to %g along %c; expected upper above lower", path, region->lower[k], region->upper[k], "xyz"[k]);
    if (dim == 2 && (cylinder || mesh))
        return scree_scene_fail(reader->tree, place, "%s: a %s in dimension 2; expected dimension 3", path, mesh ? "mesh" : "cylinder");
    const double way[3] = {region->to[0] - region->from[0], region->to[1] - region->from[1], region->to[2] - region->from[2]};
    if (cylinder && !(vec_length(way) > 0.0))
        return scree_scene_fail(reader->tree, place, "%s: from and to are the same point; expected two points", path);
    if ((half || disc) && !(vec_length(region->normal) > 0.0))
        return scree_scene_fail(reader->tree, place, "%s: normal has no direction; expected a vector that is not 0", path);
    return SCREE_OK;
}

scree_status scree_scene_check_insert(scene_reader* reader, const scene_node* node, int32_t n)
{
    scree_scene* scene = reader->scene;
    scree_scene_insert* insert = &scene->inserts[n];
    scree_status status = scree_scene_check_region(reader, node, "insert.region", &insert->region);
    if (status != SCREE_OK)
        return status;
    if (insert->region.kind == SCREE_REGION_NONE)
        return scree_scene_fail(reader->tree, node, "a key is missing; expected insert.region, where spheres are inserted");
    if (insert->rate == 0.0 && insert->mass_rate == 0.0 && insert->count == 0)
        return scree_scene_fail(reader->tree, node, "a key is missing; expected insert.rate, insert.mass_rate or insert.count");
    if (insert->end != 0.0 && !(insert->end > insert->start))
        return scree_scene_fail(reader->tree, node, "insert.end is %g and insert.start %g; expected a later end", insert->end, insert->start);
    if (insert->group < 0 && scree_scene_group_count(scene) != 1)
        return scree_scene_fail(reader->tree, node, "a key is missing; expected insert.group, the name of an entry of spheres, of which there are %" PRId64, scree_scene_group_count(scene));
    insert->group = insert->group < 0 ? 0 : insert->group;
    return SCREE_OK;
}

scree_status scree_scene_check_outlet(scene_reader* reader, const scene_node* node, int32_t n)
{
    const scree_scene* scene = reader->scene;
    scree_scene_outlet* outlet = &reader->scene->outlets[n];
    scree_status status = scree_scene_check_region(reader, node, "outlets.region", &outlet->region);
    if (status != SCREE_OK)
        return status;
    if (outlet->region.kind == SCREE_REGION_NONE)
        return scree_scene_fail(reader->tree, node, "a key is missing; expected outlets.region, where spheres are removed");
    bool there = outlet->into == NULL;
    for (int64_t k = 0; k < scene->insert_count && !there; ++k)
        there = scene->inserts[k].name != NULL && strcmp(scene->inserts[k].name, outlet->into) == 0;
    if (!there)
        return scree_scene_fail(reader->tree, &reader->tree->nodes[reader->given[scree_scene_find("outlets.into")]->next], "outlets.into: no entry of insert is named '%s'; "
                                                                                                                           "expected the name of one", outlet->into);
    return SCREE_OK;
}

scree_status scree_scene_check_flow(const scree_scene* scene)
{
    for (int64_t n = 0; n < scene->insert_count; ++n) {
        const scree_scene_insert* insert = &scene->inserts[n];
        scree_scene_group group = scree_scene_get_entry(scene, insert->group);
        const char* name = group.name != NULL ? group.name : "the spheres";
        if (group.file != NULL || group.sizes == NULL)
            return scree_scene_fail_at(scene, SCREE_ERR_FORMAT, "insert", n, "%s come from a file or another run; expected a group with sizes", name);
        if (group.fixed)
            return scree_scene_fail_at(scene, SCREE_ERR_FORMAT, "insert", n, "%s are fixed; expected spheres that move", name);
        if (group.place == SCREE_PLACE_GROW)
            return scree_scene_fail_at(scene, SCREE_ERR_FORMAT, "insert", n, "%s have place: grow; expected lattice or random with insert", name);
        if (scene->end > 0.0 && insert->start > scene->end)
            return scree_scene_fail_at(scene, SCREE_ERR_FORMAT, "insert.start", n, "%g is after the end of the run; expected at most time.end, %g", insert->start, scene->end);
    }
    bool flows = scree_scene_flows(scene);
    const char* list = scene->insert_count > 0 ? "insert" : scene->outlet_count > 0 ? "outlets" : scene->walls_on_crossing == 1 ? "walls.on_crossing" : "surfaces.on_crossing";
    bool goes = scene->outlet_count > 0 || scene->walls_on_crossing == 1;
    for (int64_t n = 0; n < scene->surface_count; ++n)
        goes = goes || scene->surfaces[n].on_crossing == 1;
    if (goes && scene->bond_count > 0)
        return scree_scene_fail_at(scene, SCREE_ERR_FORMAT, scene->outlet_count > 0 ? "outlets" : list, scene->outlet_count > 0 ? 0 : entry_of(scene), "it excludes bonds; expected a scene without bonds: bonded spheres are never removed");
    for (int64_t n = 0; n < scene->surface_count && scene->walls_on_crossing == 1; ++n)
        if (scene->surfaces[n].on_crossing == 1 && scene->surfaces[n].name != NULL && strcmp(scene->surfaces[n].name, "walls") == 0)
            return scree_scene_fail_at(scene, SCREE_ERR_FORMAT, "surfaces.name", n, "a surface is named walls; expected another name with walls.on_crossing: remove, because the log counts both by name");
    bool tilted = !isnan(scene->box_tilt[0]) && (scene->box_tilt[0] != 0.0 || scene->box_tilt[1] != 0.0 || scene->box_tilt[2] != 0.0);
    if (flows && scree_scene_has_cell(scene))
        return scree_scene_fail_at(scene, SCREE_ERR_FORMAT, list, entry_of(scene), "it excludes a cell that changes; expected a constant box");
    if (scene->insert_count > 0 && scene->start_run != NULL)
        return scree_scene_fail_at(scene, SCREE_ERR_FORMAT, "insert", 0, "it excludes start; expected groups of this scene, since groups of another run have no size distribution");
    for (int64_t n = 0; n < scree_scene_group_count(scene); ++n) {
        scree_scene_group group = scree_scene_get_entry(scene, n);
        int64_t entry = scene->listed ? n : -1;
        bool inside = group.region.kind != SCREE_REGION_NONE;
        if (flows && group.material < 0)
            return scree_scene_fail_at(scene, SCREE_ERR_FORMAT, "spheres", entry, "spheres.material is missing; expected one for every group in a scene with insert or outlets");
        if (inside && tilted)
            return scree_scene_fail_at(scene, SCREE_ERR_FORMAT, "spheres.region", entry, "it excludes a tilted box; expected a box without tilt");
        if (inside && (group.file != NULL || group.place != SCREE_PLACE_RANDOM))
            return scree_scene_fail_at(scene, SCREE_ERR_FORMAT, "spheres.region", entry, "it is for spheres that are placed; expected place: random and no file");
        bool filled = group.count > 0 || group.density > 0.0 || group.file != NULL || scene->start_run != NULL;
        for (int64_t k = 0; k < scene->insert_count; ++k)
            filled = filled || scene->inserts[k].group == n;
        if (!filled && scree_scene_holds(scene, &group, SCENE_MADE))
            return scree_scene_fail_at(scene, SCREE_ERR_FORMAT, "spheres.count", entry, "0, and no entry of insert inserts spheres of this group; expected 1 or more");
        if (inside && group.density > 0.0 && group.count > 0)
            return scree_scene_fail_at(scene, SCREE_ERR_FORMAT, "spheres.density", entry, "%g excludes a count of %" PRId32 " in a region; expected one of them", group.density, group.count);
    }
    return SCREE_OK;
}
