// Contact physics of a run: the derived parameters of each pair of materials, printed at its start.
//
// The parameters of a pair are those that the simulation would compute for the lightest two spheres of the two materials (or for one of them and a wall):
// it is called with a law of one material that has the effective moduli of the two. Pairs that cannot meet are left out, and so are all after the first
// 64.
#include "run/run_inner.h"

#include "base/argument.h"
#include "base/pi.h"
#include "scene/place.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { pairs_most = 64 };

// ---- Pairs of materials ----------------------------------------------------------------------------------------------------

static int32_t material_of(const scree_run* run, int64_t i)
{
    return run->each.each.material != NULL ? run->each.each.material[i] : 0;
}

static double density_of(const scree_run* run, int64_t i)
{
    return run->each.each.material_density != NULL ? run->each.each.material_density[i] : run->each.material_density;
}

// One material that has with itself the effective moduli of two.
static scree_sim_material joined(double young, double shear)
{
    scree_sim_material both = scree_default_sim_material();
    double ratio = young / shear;  // 2 (2 - nu) / (1 - nu)
    both.poisson = fmin(fmax((ratio - 4.0) / (ratio - 2.0), 0.0), 0.5);
    both.young = 2.0 * (1.0 - both.poisson * both.poisson) * young;
    return both;
}

// The two lightest spheres of a material that move; -1: there is none.
typedef struct lightest {
    int64_t i[2];
    double mass[2];
    bool stands;  // walls or fixed spheres are of it
} lightest;

static void find_lightest(const scree_run* run, lightest* all, int32_t count, bool walls)
{
    const scree_sphere_set* set = &run->set;
    for (int32_t a = 0; a < count; ++a)
        all[a] = (lightest){.i = {-1, -1}, .mass = {INFINITY, INFINITY}};
    for (int64_t i = 0; i < set->count; ++i) {
        lightest* l = &all[material_of(run, i)];
        double mass = density_of(run, i) * set->r[i] * set->r[i] * (set->dim == 3 ? set->r[i] : 1.0);  // but for a factor
        if (run->each.each.fixed != NULL && run->each.each.fixed[i] != 0) {
            l->stands = true;
            continue;
        }
        int at = mass < l->mass[0] ? 0 : mass < l->mass[1] ? 1 : 2;
        if (at == 0) {
            l->i[1] = l->i[0];
            l->mass[1] = l->mass[0];
        }
        if (at < 2) {
            l->i[at] = i;
            l->mass[at] = mass;
        }
    }
    const scree_box* box = &run->set_box;
    bool round = run->set.container != SCREE_CONTAINER_BOX, by_face = run->law.by_face;
    if (round || (walls && !by_face))
        all[run->law.wall_material].stands = true;
    for (int k = run->set.container == SCREE_CONTAINER_CYLINDER ? 2 : round ? 3 : 0; k < box->dim && by_face; ++k)
        for (int side = 0; side < 2 && !box->periodic[k]; ++side)
            if (isfinite((side == 0 ? box->lower : box->upper)[k]))
                all[run->law.face_materials[2 * k + side]].stands = true;
    for (int32_t b = 0; b < run->shapes.count; ++b)
        all[run->law.law.material_count > 1 ? run->shapes.boundaries[b].material : 0].stands = true;
}

// The simulation's own numbers for two spheres, or for one and a wall (j < 0).
static scree_status find_numbers(const scree_run* run, const scree_sim_def* with, const scree_sim_law* law, int64_t i, int64_t j, scree_sim_numbers* out)
{
    int64_t which[2] = {i, j};
    int32_t count = j >= 0 ? 2 : 1, dim = run->set.dim;
    double x[6] = {0}, r[2] = {0}, density[2] = {0};
    for (int32_t k = 0; k < count; ++k) {
        r[k] = run->set.r[which[k]];
        density[k] = density_of(run, which[k]);
        x[k * dim] = 4.0 * k * (r[0] + r[1]);
    }
    scree_sim_each each = scree_default_sim_each();
    each.material_density = density;
    scree_sim_def def = *with;
    def.box = scree_box_open(dim);
    def.container = SCREE_CONTAINER_BOX;
    memset(def.wall_velocity, 0, sizeof def.wall_velocity);
    def.each = &each;
    def.law = law;
    def.wall_material = 0;
    def.face_materials = NULL;
    def.boundary_count = 0;
    def.bonds = NULL;
    def.later = NULL;
    def.cell = NULL;
    def.search = NULL;
    def.time_step = law->materials != NULL && def.speed == 0.0 ? def.time_step : 0.0;
    if (def.overlap > 0.0 || def.contact_duration > 0.0) {  // that of all spheres
        def.stiffness = scree_sim_get_numbers(run->sim).stiffness;
        def.overlap = def.contact_duration = def.speed = 0.0;
    }
    def.watch = (scree_watch){0};
    return scree_sim_find_numbers(&def, (scree_spheres){.count = count, .dim = dim, .x = x, .r = r}, out);
}

static scree_status find_pair(const scree_run* run, const scree_sim_def* def, const char* const names[2], int32_t a, int32_t b, int64_t i, int64_t j, double speed,
                              scree_run_pair* out)
{
    const scree_sim_law* given = &run->law.law;
    int32_t m = given->material_count;
    scree_sim_law law = *given;
    scree_sim_pair pair = given->pairs != NULL ? given->pairs[(int64_t)a * m + b] : scree_default_sim_pair();
    scree_sim_material both;
    scree_sim_numbers numbers;
    *out = (scree_run_pair){.i = i, .j = j, .friction = pair.friction, .friction_dynamic = pair.friction_dynamic > 0.0 ? pair.friction_dynamic : pair.friction};
    for (int k = 0; k < 2; ++k)
        snprintf(out->names[k], sizeof out->names[k], "%s", names[k]);
    law.material_count = given->pairs != NULL || given->materials != NULL ? 1 : 0;
    law.pairs = given->pairs != NULL ? &pair : NULL;
    if (given->materials != NULL) {
        out->young = scree_sim_effective_young(&given->materials[a], &given->materials[b]);
        out->shear = scree_sim_effective_shear(&given->materials[a], &given->materials[b]);
        both = joined(out->young, out->shear);
        law.materials = &both;
    }
    scree_status status = find_numbers(run, def, &law, i, j, &numbers);
    if (status != SCREE_OK)
        return status;
    bool rubs = false;
    for (int64_t e = 0; e < (int64_t)m * m && given->pairs != NULL; ++e)
        rubs = rubs || given->pairs[e].friction > 0.0;
    bool mindlin = given->materials != NULL && (given->tangential == NULL ? rubs : strcmp(given->tangential, "mindlin") == 0);
    bool plastic = given->name != NULL && strcmp(given->name, "plastic") == 0;
    out->stiffness = !plastic ? numbers.stiffness : pair.stiffness > 0.0 ? pair.stiffness : def->stiffness;  // that of the numbers is the largest
    double kt = (mindlin ? 4.0 * out->shear / out->young : pair.tangential_stiffness) * out->stiffness;
    double radius = j < 0 ? run->set.r[i] : run->set.r[i] / (run->set.r[i] + run->set.r[j]) * run->set.r[j];
    out->tangential_stiffness = pair.friction > 0.0 ? kt : 0.0;
    if (pair.rolling_friction > 0.0) {
        out->rolling_friction = pair.rolling_friction;
        out->rolling_stiffness = pair.rolling_stiffness * kt;
    }
    if (pair.twisting_friction > 0.0) {
        out->twisting_friction = pair.twisting_friction;
        out->twisting_stiffness = pair.twisting_stiffness > 0.0 ? pair.twisting_stiffness : kt * radius * radius;
    }
    if (plastic) {
        out->k2 = fmax(pair.k2, out->stiffness);
        out->kc = pair.kc;
    }
    if (pair.bridge_volume > 0.0) {
        out->bridge_pull = 4.0 * pi * radius * pair.surface_tension * cos(pair.wetting_angle);
        out->bridge_gap = (1.0 + 0.5 * pair.wetting_angle) * cbrt(pair.bridge_volume);
    }
    out->restitution = numbers.restitution_min;
    out->contact_duration = numbers.contact_duration;
    out->overlap_expected = numbers.overlap_expected;
    if (given->materials == NULL && !plastic) {  // half a swing of a linear spring, without damping
        double mass = j < 0 ? numbers.mass_min : numbers.mass_min / (numbers.mass_min + numbers.mass_max) * numbers.mass_max;
        out->overlap_expected = speed * sqrt(mass / out->stiffness) / numbers.radius_min;
    }
    return SCREE_OK;
}

scree_status run_find_pairs(scree_run* run, const scree_scene* scene, const scree_sim_def* def)
{
    bool walls = run->set.container != SCREE_CONTAINER_BOX, several = scene->material_count > 1;
    for (int k = 0; k < run->set.dim; ++k)
        walls = walls || (!run->set_box.periodic[k] && isfinite(run->set_box.upper[k]));
    int32_t count = run->law.law.material_count > 1 ? run->law.law.material_count : 1;
    if (run->each.each.material != NULL && count == 1)  // all materials push each other in the same way
        several = false;
    lightest* all = scree_malloc((size_t)(scene->material_count > count ? scene->material_count : count), sizeof *all);
    run->pairs = scree_calloc(pairs_most, sizeof *run->pairs);
    if (all == NULL || run->pairs == NULL) {
        scree_free(all);
        return SCREE_ERR_MEMORY;
    }
    find_lightest(run, all, (int32_t)(scene->material_count > count ? scene->material_count : count), walls);
    scree_status status = SCREE_OK;
    for (int32_t a = 0; a < count && status == SCREE_OK; ++a)
        for (int32_t b = a; b < count && status == SCREE_OK && run->pair_count < pairs_most; ++b) {
            const lightest *one = &all[a], *other = &all[b];
            int64_t i = one->i[0], j = other->i[a == b];
            if (i < 0 || (j < 0 && !other->stands)) {  // the other way round: only b moves
                i = j >= 0 && one->stands ? j : i >= 0 && other->stands ? i : -1;
                j = -1;
            }
            if (i < 0)
                continue;
            const char* const names[2] = {several ? scene->materials[a].name : "", several ? scene->materials[b].name : ""};
            status = find_pair(run, def, names, a, b, i, j, scene->sim.speed, &run->pairs[run->pair_count]);
            run->pair_count += status == SCREE_OK;
            if (status == SCREE_ERR_ARGUMENT)  // of a pair that stands alone nothing can be said: jkr without a surface energy
                status = SCREE_OK;
        }
    scree_free(all);
    return status;
}

SCREE_ROWS_OF(scree_run_pair, scree_run_get_pairs, (const scree_run* run, scree_run_pair* out, int32_t room), (run, out, room))
{
    SCREE_NEED_OR(run, 0);
    for (int32_t p = 0; out != NULL && p < run->pair_count && p < room; ++p)
        out[p] = run->pairs[p];
    return run->pair_count;
}
