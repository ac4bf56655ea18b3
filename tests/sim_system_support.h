// Systems of spheres in motion for tests of the simulation.
#ifndef SCREE_TESTS_SIM_SYSTEM_SUPPORT_H
#define SCREE_TESTS_SIM_SYSTEM_SUPPORT_H

#include "sim_support.h"

#include "base/wide.h"
#include "scenes.h"
#include "scree/index.h"
#include "scree/sim.h"
#include "sim/sim_inner.h"

// ---- Systems ----------------------------------------------------------------------------------------------------------

typedef struct setup {
    scree_sphere_set set;
    double* v;
    scree_sim_def def;
    scree_index_def search;  // `start` points def.search to it
    scree_sim_each each;  // of a system by make_mixed
} setup;

// A scene with hot spheres. `loss`: 0 elastic, 1 a restitution, 2 a damping.
static inline setup make_system(const char* name, scene_params params, int loss)
{
    setup s = {.def = scree_default_sim_def(), .search = scree_default_index_def()};
    CHECK_OK(scene_make(name, &params, &s.set));
    for (int32_t i = 0; i < s.set.count; ++i)
        s.set.r[i] += strcmp(name, "addition") == 0 ? 0.12 : 0.0;  // so that there are contacts from the start
    s.v = malloc((size_t)s.set.count * 3 * sizeof *s.v);
    s.def.box = s.set.box;
    s.def.stiffness = 20.0;
    s.def.restitution = loss == 1 ? 0.7 : 0.0;
    s.def.damping = loss == 2 ? 0.3 : 0.0;
    s.def.order_every = 37;
    s.def.threads = 1;
    s.def.gravity[s.set.dim - 1] = s.set.box.periodic[s.set.dim - 1] ? 0.0 : -0.01;
    scree_thermal_def thermal = scree_default_thermal_def();
    thermal.stiffness = s.def.stiffness;
    thermal.overlap = 0.05;
    thermal.seed = params.seed;
    CHECK_OK(scree_thermal_velocities(&thermal, scree_sphere_set_view(&s.set), s.v));
    return s;
}

// The same with densities, materials, groups, external forces, some fixed spheres and the largest as giants. Point `def.each` to `each` before use.
static inline setup make_mixed(scene_params params, int loss)
{
    setup s = make_system("addition", params, loss);
    int32_t n = s.set.count, dim = s.set.dim;
    double *density = malloc((size_t)n * sizeof *density), *force = malloc((size_t)n * (size_t)dim * sizeof *force), most = 0.0;
    uint16_t *material = malloc((size_t)n * sizeof *material), *group = malloc((size_t)n * sizeof *group);
    uint8_t* fixed = calloc((size_t)n, sizeof *fixed);
    for (int32_t i = 0; i < n; ++i) {
        material[i] = (uint16_t)(i % 3);
        group[i] = (uint16_t)(i % 5);
        density[i] = 1.0 + 0.5 * material[i];
        fixed[i] = i % 7 == 2;
        most = fmax(most, s.set.r[i]);
        for (int k = 0; k < dim; ++k) {
            force[(int64_t)i * dim + k] = 1e-3 * ((i + k) % 4 - 1.5);
            s.v[(int64_t)i * dim + k] *= fixed[i] ? 0.0 : 1.0;
        }
    }
    s.each = scree_default_sim_each();
    s.each.material_density = density;
    s.each.material = material;
    s.each.group = group;
    s.each.fixed = fixed;
    s.each.force = force;
    s.def.giants = 0.6 * most;
    return s;
}

static inline void free_system(setup* s)
{
    free((void*)(uintptr_t)s->each.material_density);
    free((void*)(uintptr_t)s->each.material);
    free((void*)(uintptr_t)s->each.group);
    free((void*)(uintptr_t)s->each.fixed);
    free((void*)(uintptr_t)s->each.force);
    scree_sphere_set_free(&s->set);
    free(s->v);
}

static inline scree_sim* start(const setup* s)
{
    scree_sim* sim;
    scree_sim_def def = s->def;
    def.search = &s->search;
    CHECK_OK(scree_sim_create(&def, scree_sphere_set_view(&s->set), s->v, &sim));
    return sim;
}

static inline uint64_t run_and_hash(const setup* s, int64_t steps)
{
    scree_sim* sim = start(s);
    CHECK_OK(scree_sim_run(sim, steps));
    CHECK_OK(scree_sim_validate(sim));
    uint64_t hash = scree_sim_hash(sim);
    scree_sim_destroy(sim);
    return hash;
}

// ---- The plain program --------------------------------------------------------------------------------------------------

static inline scene_params params_of(int dim, int count, double ratio, unsigned periodic, uint64_t seed)
{
    scene_params params = scene_default_params();
    params.dim = dim;
    params.count = count;
    params.ratio = ratio;
    params.seed = seed;
    for (int k = 0; k < dim; ++k)
        params.periodic[k] = (periodic >> k & 1) != 0;
    return params;
}

#endif
