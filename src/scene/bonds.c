// Bonds: entries of `bonds`, and the kinds that a simulation takes.
#include "scene/scene_inner.h"

#include <inttypes.h>
#include <math.h>

// read_between and the writer take both for one.
_Static_assert(offsetof(scree_scene_bond, between) == offsetof(scree_scene_pair, between) && offsetof(scree_scene_bond, names) == offsetof(scree_scene_pair, names),
               "entries of bonds and of pairs begin alike");

scree_status scree_scene_check_bond(scene_reader* reader, const scene_node* node, int32_t n)
{
    scree_scene_bond* bond = &reader->scene->bonds[n];
    bond->has_between = reader->given[scree_scene_find("bonds.between")] != NULL;
    if (isnan(bond->values.young))
        return scree_scene_fail(reader->tree, node, "a key is missing; expected bonds.young, Young's modulus of the bonds");
    if (isnan(bond->values.gap) == (bond->file == NULL))
        return scree_scene_fail(reader->tree, node, bond->file == NULL ? "a key is missing; expected bonds.gap or bonds.file, the pairs that are bonded"
                                                                       : "this entry has a gap and a file; expected one of them");
    if (bond->file != NULL && bond->has_between)
        return scree_scene_fail(reader->tree, node, "bonds.between excludes bonds.file, which lists the pairs; expected bonds.gap with it");
    if (isnan(bond->values.shear_strength) && bond->values.friction > 0.0)
        return scree_scene_fail(reader->tree, node, "bonds.friction is %g, and bonds.shear_strength is missing; expected both", bond->values.friction);
    return SCREE_OK;
}

scree_sim_bond scree_scene_bond_kind(const scree_scene_bond* bond)
{
    scree_sim_bond kind = scree_default_sim_bond();
    if (bond == NULL)
        return kind;
    const scree_sim_bond* given = &bond->values;
    const struct {
        double value;
        double* to;
    } fields[] = {{given->gap, &kind.gap},           {given->radius, &kind.radius},
                  {given->young, &kind.young},       {given->shear, &kind.shear},
                  {given->bending, &kind.bending},   {given->twisting, &kind.twisting},
                  {given->damping, &kind.damping},   {given->tensile_strength, &kind.tensile_strength},
                  {given->shear_strength, &kind.shear_strength}, {given->friction, &kind.friction}};
    for (size_t f = 0; f < sizeof fields / sizeof *fields; ++f)
        if (!isnan(fields[f].value))
            *fields[f].to = fields[f].value;
    for (int k = 0; k < 2; ++k)
        kind.between[k] = bond->between[k];
    return kind;
}
