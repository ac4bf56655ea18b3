// Contact parameters by pair of materials: entries of `pairs`, and the matrices that a simulation takes.
//
// Each of stiffness, damping and restitution is a matrix of materials as soon as one entry has it; the number for all contacts (contact.stiffness and so on)
// is that of pairs without an entry of that key. Pairs that can meet must then have a value: spheres that move with each other, with fixed spheres and
// with walls. What cannot meet is filled with a value that changes nothing. O(materials^2).
#include "files/scene_inner.h"

#include "base/argument.h"
#include "files/scene_place.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { STIFFNESS, DAMPING, RESTITUTION, parameters };

static const char* const names[parameters] = {"stiffness", "damping", "restitution"};

// NAN: the entry does not have it.
static double value_in(const scree_scene_pair* pair, int parameter)
{
    double value = parameter == STIFFNESS ? pair->stiffness : parameter == DAMPING ? pair->damping : pair->restitution;
    return (parameter == DAMPING ? pair->damps : value != 0.0) ? value : NAN;
}

static bool any_has(const scree_scene* scene, int parameter)
{
    for (int64_t n = 0; n < scene->pair_count; ++n)
        if (!isnan(value_in(&scene->pairs[n], parameter)))
            return true;
    return false;
}

// The number for all contacts; NAN: there is none.
static double value_for_all(const scree_scene* scene, int parameter)
{
    const scree_sim_def* sim = &scene->sim;
    double value = parameter == STIFFNESS ? sim->stiffness : parameter == DAMPING ? sim->damping : sim->restitution;
    return value != 0.0 || (parameter == DAMPING && scene->damps) ? value : NAN;
}

bool scree_scene_pairs_stiff(const scree_scene* scene)
{
    return any_has(scene, STIFFNESS);
}

bool scree_scene_pairs_lossy(const scree_scene* scene)
{
    return any_has(scene, DAMPING) || any_has(scene, RESTITUTION);
}

// ---- Reading -----------------------------------------------------------------------------------------------------

static const char* name_of(const scree_scene* scene, int64_t material)
{
    const char* name = material >= 0 && material < scene->material_count ? scene->materials[material].name : NULL;
    return name != NULL ? name : "?";
}

// One of the two of an entry, by its number or, where the materials are not known yet, by its name.
static const char* name_in(const scree_scene* scene, const scree_scene_pair* pair, int k)
{
    return pair->names[k] != NULL ? pair->names[k] : name_of(scene, pair->between[k]);
}

scree_status scree_scene_check_pair(const scene_reader* reader, const scene_node* node, int32_t n)
{
    const scree_scene* scene = reader->scene;
    const scree_scene_pair* pair = &scene->pairs[n];
    if (reader->given[scree_scene_find("pairs.between")] == NULL)
        return scree_scene_fail(reader->tree, node, "missing here: pairs.between, the names of two materials");
    const char *a = name_in(scene, pair, 0), *b = name_in(scene, pair, 1);  // names of materials are unique
    for (int32_t k = 0; k < n; ++k) {
        const char *c = name_in(scene, &scene->pairs[k], 0), *d = name_in(scene, &scene->pairs[k], 1);
        if ((strcmp(c, a) == 0 && strcmp(d, b) == 0) || (strcmp(c, b) == 0 && strcmp(d, a) == 0))
            return scree_scene_fail(reader->tree, node, "pairs: entry %" PRId32 " is about %s and %s already", k + 1, a, b);
    }
    if (pair->damps && pair->restitution != 0.0)
        return scree_scene_fail(reader->tree, reader->given[scree_scene_find("pairs.restitution")],
                                "pairs.restitution does not go with pairs.damping; give one of them");
    if (pair->stiffness == 0.0 && !pair->damps && pair->restitution == 0.0)
        return scree_scene_fail(reader->tree, node, "this entry of pairs says nothing; stiffness, damping or restitution was expected");
    return SCREE_OK;
}

// A key of `contact` that cannot be beside one of `pairs`.
static scree_status refuse_beside(const scene_reader* reader, const char* key, const char* of_pairs, const char* instead)
{
    const scene_node* given = reader->given[scree_scene_find(key)];
    if (given == NULL)
        return SCREE_OK;
    return scree_scene_fail(reader->tree, given, "%s does not go with %s; %s is for pairs of materials without an entry", key, of_pairs, instead);
}

scree_status scree_scene_check_pairs(scene_reader* reader)
{
    scree_scene* scene = reader->scene;
    scene->damps = reader->given[scree_scene_find("contact.damping")] != NULL;
    scree_status status = SCREE_OK;
    int64_t damped = -1, bouncing = -1;
    for (int64_t n = 0; n < scene->pair_count; ++n) {
        damped = damped < 0 && scene->pairs[n].damps ? n : damped;
        bouncing = bouncing < 0 && scene->pairs[n].restitution != 0.0 ? n : bouncing;
    }
    if (damped >= 0 && bouncing >= 0)
        return scree_scene_fail_at(scene, SCREE_ERR_FORMAT, damped > bouncing ? "pairs.damping" : "pairs.restitution", damped > bouncing ? damped : bouncing,
                                   "entry %" PRId64 " of pairs has a %s; either all entries have a damping or all a restitution",
                                   (damped > bouncing ? bouncing : damped) + 1, damped > bouncing ? "restitution" : "damping");
    if (any_has(scene, STIFFNESS))
        status = refuse_beside(reader, "contact.duration", "pairs.stiffness", "contact.stiffness");
    if (status == SCREE_OK && any_has(scene, STIFFNESS))
        status = refuse_beside(reader, "contact.overlap", "pairs.stiffness", "contact.stiffness");
    if (status == SCREE_OK && damped >= 0)
        status = refuse_beside(reader, "contact.restitution", "pairs.damping", "contact.damping");
    if (status == SCREE_OK && bouncing >= 0)
        status = refuse_beside(reader, "contact.damping", "pairs.restitution", "contact.restitution");
    return status;
}

// ---- Matrices ----------------------------------------------------------------------------------------------------

typedef struct matrices {
    const scree_scene* scene;
    scree_status status;          // of what is missing
    int64_t count;                // of materials
    double* values[parameters];   // NAN: none; NULL: no entry has it
    uint8_t *moves, *stands;      // whether there are spheres of that material that do, or walls of it
} matrices;

static void matrices_free(matrices* m)
{
    for (int p = 0; p < parameters; ++p)
        scree_free(m->values[p]);
    scree_free(m->moves);
    scree_free(m->stands);
}

static scree_status fill(matrices* m)
{
    const scree_scene* scene = m->scene;
    int64_t count = m->count, groups = scree_scene_groups(scene);
    if (count < 1 || count > UINT16_MAX)
        return scree_fail(SCREE_ERR_ARGUMENT, "scene: %" PRId64 " pairs of %" PRId64 " materials; 1 to %d materials were expected", scene->pair_count, count, UINT16_MAX);
    m->moves = scree_calloc((size_t)count, 1);
    m->stands = scree_calloc((size_t)count, 1);
    if (m->moves == NULL || m->stands == NULL)
        return SCREE_ERR_MEMORY;
    for (int64_t n = 0; n < groups; ++n) {
        scree_scene_group group = scree_scene_get_group(scene, n);
        if (group.material < 0 || group.material >= count)
            return scree_fail(SCREE_ERR_ARGUMENT, "scene: spheres of material %" PRId32 "; there are materials 0 to %" PRId64, group.material, count - 1);
        (group.fixed ? m->stands : m->moves)[group.material] = 1;
    }
    for (int p = 0; p < parameters; ++p) {
        if (!any_has(scene, p))
            continue;
        m->values[p] = scree_malloc((size_t)count, (size_t)count * sizeof *m->values[p]);
        if (m->values[p] == NULL)
            return SCREE_ERR_MEMORY;
        for (int64_t e = 0; e < count * count; ++e)
            m->values[p][e] = value_for_all(scene, p);
    }
    for (int64_t n = 0; n < scene->pair_count; ++n) {
        const int32_t* between = scene->pairs[n].between;
        for (int k = 0; k < 2; ++k)
            if (between[k] < 0 || between[k] >= count)
                return scree_fail(SCREE_ERR_ARGUMENT, "scene: entry %" PRId64 " of pairs: material %" PRId32 "; there are materials 0 to %" PRId64, n + 1,
                                  between[k], count - 1);
        for (int p = 0; p < parameters; ++p) {
            double value = value_in(&scene->pairs[n], p);
            if (!isnan(value))
                m->values[p][between[0] * count + between[1]] = m->values[p][between[1] * count + between[0]] = value;
        }
    }
    return SCREE_OK;
}

// Whether it makes no difference what walls are made of: each material that moves has the same values with all materials.
static bool are_alike(const matrices* m)
{
    for (int64_t a = 0; a < m->count; ++a)
        for (int64_t b = 0; b < m->count && m->moves[a] != 0; ++b)
            for (int p = 0; p < parameters; ++p)
                if (m->values[p] != NULL && !(m->values[p][a * m->count + b] == m->values[p][a * m->count]))
                    return false;
    return true;
}

static scree_status find_walls(matrices* m, int32_t* material)
{
    const scree_scene* scene = m->scene;
    *material = scene->wall_material >= 0 ? scene->wall_material : 0;
    if (*material >= m->count)
        return scree_fail(SCREE_ERR_ARGUMENT, "scene: walls of material %" PRId32 "; there are materials 0 to %" PRId64, *material, m->count - 1);
    if (scene->wall_material < 0 && !are_alike(m))
        return scree_scene_fail_at(scene, m->status, "pairs", -1,
                                   "walls.material is missing, and contacts with walls depend on it; add walls: {material: %s}, or another of the materials",
                                   name_of(scene, 0));
    m->stands[*material] = 1;
    return SCREE_OK;
}

static scree_status check_meeting(const matrices* m, int64_t a, int64_t b)
{
    const scree_scene* scene = m->scene;
    char line[128 + 2 * 64], keys[64] = "";
    size_t used = (size_t)snprintf(line, sizeof line, "- {between: [%.64s, %.64s]", name_of(scene, a), name_of(scene, b)), said = 0;
    int64_t entry = -1;
    for (int64_t n = 0; n < scene->pair_count && entry < 0; ++n) {
        const int32_t* between = scene->pairs[n].between;
        if ((between[0] == a && between[1] == b) || (between[0] == b && between[1] == a))
            entry = n;
    }
    for (int p = 0; p < parameters; ++p)
        if (m->values[p] != NULL && isnan(m->values[p][a * m->count + b])) {
            used += (size_t)snprintf(line + used, sizeof line - used, ", %s: NUMBER", names[p]);
            said += (size_t)snprintf(keys + said, sizeof keys - said, "%s%s", said > 0 ? " and " : "", names[p]);
        }
    if (said == 0)
        return SCREE_OK;
    if (entry >= 0)
        return scree_scene_fail_at(scene, m->status, "pairs", entry, "%s and %s can meet, and this entry has no %s; add it here, or to contact for all pairs without one",
                                   name_of(scene, a), name_of(scene, b), keys);
    return scree_scene_fail_at(scene, m->status, "pairs", -1, "%s and %s can meet, and there is no %s for them; add %s}", name_of(scene, a), name_of(scene, b), keys,
                               line);
}

// For pairs that cannot meet: the least that others have, so that neither step nor rounding follows from it.
static void fill_rest(double* values, int64_t count)
{
    double least = INFINITY;
    for (int64_t e = 0; e < count; ++e)
        least = fmin(least, values[e]);  // of a number and NAN: the number
    for (int64_t e = 0; e < count; ++e)
        values[e] = isnan(values[e]) ? least : values[e];
}

static scree_status make(matrices* m, bool walls, scree_scene_law* out)
{
    int64_t count = m->count;
    scree_status status = fill(m);
    if (status == SCREE_OK && walls)
        status = find_walls(m, &out->wall_material);
    for (int64_t a = 0; a < count && status == SCREE_OK; ++a)
        for (int64_t b = a; b < count && status == SCREE_OK; ++b)
            if ((m->moves[a] && (m->moves[b] || m->stands[b])) || (m->moves[b] && m->stands[a]))
                status = check_meeting(m, a, b);
    for (int p = 0; p < parameters && status == SCREE_OK; ++p)
        if (m->values[p] != NULL)
            fill_rest(m->values[p], count * count);
    return status;
}

// Of a scene with pairs.
static scree_status make_law(const scree_scene* scene, bool walls, scree_status told, scree_scene_law* out)
{
    matrices m = {.scene = scene, .status = told, .count = scene->material_count};
    scree_status status = make(&m, walls, out);
    if (status == SCREE_OK) {
        out->law.material_count = (int32_t)m.count;
        scree_sim_pair* pairs = scree_malloc((size_t)(m.count * m.count), sizeof *pairs);
        out->law.pairs = pairs;
        if (pairs == NULL)
            status = SCREE_ERR_MEMORY;
        for (int64_t e = 0; e < m.count * m.count && pairs != NULL; ++e) {
            pairs[e] = scree_default_sim_pair();
            pairs[e].stiffness = m.values[STIFFNESS] != NULL ? m.values[STIFFNESS][e] : 0.0;
            pairs[e].damping = m.values[DAMPING] != NULL ? m.values[DAMPING][e] : 0.0;
            pairs[e].restitution = m.values[RESTITUTION] != NULL ? m.values[RESTITUTION][e] : 0.0;
        }
        out->stiffness = m.values[STIFFNESS] != NULL ? 0.0 : out->stiffness;
        if (m.values[DAMPING] != NULL || m.values[RESTITUTION] != NULL)
            out->damping = out->restitution = 0.0;
    }
    matrices_free(&m);
    return status;
}

static scree_scene_law plain_law(const scree_scene* scene)
{
    return (scree_scene_law){.law = *scree_scene_law_of(scene->law), .stiffness = scene->sim.stiffness, .damping = scene->sim.damping, .restitution = scene->sim.restitution};
}

scree_status scree_scene_check_law(const scree_scene* scene)
{
    if (scene->pair_count == 0 || scree_scene_materials_later(scene))
        return SCREE_OK;
    bool walls = false;
    for (int k = 0; k < scene->sim.box.dim; ++k)  // the box of a file may have none
        walls = walls || (scree_scene_holds(scene, NULL, SCENE_BOXED) && scree_scene_has_wall(scene, k));
    walls = walls || scene->sim.container != SCREE_CONTAINER_BOX;
    scree_scene_law law = plain_law(scene);
    scree_status status = make_law(scene, walls, SCREE_ERR_FORMAT, &law);
    scree_scene_law_free(&law);
    return status;
}

static bool has_walls(const scree_sphere_set* set)
{
    bool walls = set->container != SCREE_CONTAINER_BOX;
    for (int k = 0; k < set->dim && set->has_box; ++k)
        walls = walls || (!set->box.periodic[k] && (isfinite(set->box.lower[k]) || isfinite(set->box.upper[k])));
    return walls;
}

scree_status scree_scene_make_law(const scree_scene* scene, const scree_sphere_set* set, scree_scene_law* out)
{
    SCREE_EMPTY(out);
    SCREE_NEED(scene);
    SCREE_NEED(set);
    scree_status status = scree_scene_check_given(scene);
    if (status != SCREE_OK)
        return status;
    if (scene->pair_count > 0 && scree_scene_materials_later(scene))
        return scree_scene_fail_at(scene, SCREE_ERR_UNSUPPORTED, "start.run", -1, "the materials of this run are known only to a run that begins from it (scree_run_begin)");
    scree_scene_law made = plain_law(scene);
    if (scene->pair_count > 0)
        status = make_law(scene, has_walls(set), SCREE_ERR_ARGUMENT, &made);
    if (status == SCREE_OK)
        *out = made;
    return status;
}

void scree_scene_law_free(scree_scene_law* law)
{
    if (law == NULL)
        return;
    scree_free((void*)law->law.pairs);
    *law = (scree_scene_law){0};
}
