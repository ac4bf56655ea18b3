// Many ranks: the bits are those of one simulation in one process, whatever the number of ranks and wherever the borders between them are. All ranks are in this process (par_alone.c); the
// borders are random at each new order, some ranks without any space.
#include "sim_support.h"

#include "base/wide.h"
#include "par/forest.h"
#include "par/sim.h"
#include "sim/sim_inner.h"

// ---- Systems -----------------------------------------------------------------------------------------------------------

typedef struct system_of {
    const char* name;
    scree_sphere_set set;
    double *v, *spin;
    uint8_t* fixed;
    uint16_t *material, *group;
    double* force;
    scree_sim_each each;
    scree_sim_law law;
    scree_sim_pair pairs[4];
    scree_sim_material materials[2];
    scree_sim_boundary boundary[2];
    scree_exact exact[2];
    scree_surface* mesh;
    scree_sim_def def;
    void (*begin)(scree_sim* sim);   // what is set before the first step
    bool changes;                    // spheres come and go between runs
} system_of;

static system_of gas(int dim, int32_t count, double ratio, unsigned periodic, double density, uint64_t seed)
{
    system_of s = {.def = scree_default_sim_def(), .each = scree_default_sim_each(), .law = scree_default_sim_law()};
    s.set = sim_gas(dim, count, ratio, density, false, seed);
    for (int k = 0; k < dim; ++k)
        s.set.box.periodic[k] = (periodic >> k & 1) != 0;
    for (int32_t i = 0; i < count; ++i)
        s.set.r[i] *= 1.15;  // contacts from the start
    s.def.box = s.set.box;
    s.def.stiffness = 20.0;
    s.def.order_every = 23;
    s.def.threads = 1;
    s.v = sim_thermal(scree_sphere_set_view(&s.set), 0.1, seed);
    return s;
}

static void free_scene(system_of* s)
{
    scree_sphere_set_free(&s->set);
    free(s->v);
    free(s->spin);
    free(s->fixed);
    free(s->material);
    free(s->group);
    free(s->force);
    scree_surface_destroy(s->mesh);
}

static system_of elastic(uint64_t seed)
{
    system_of s = gas(3, 300, 4.0, 7, 0.3, seed);
    s.name = "elastic";
    return s;
}

static system_of damped(uint64_t seed)
{
    system_of s = gas(3, 300, 4.0, 3, 0.3, seed);
    s.name = "damped";
    s.def.restitution = 0.6;
    return s;
}

static system_of walls(uint64_t seed)
{
    system_of s = gas(3, 260, 3.0, 0, 0.3, seed);
    s.name = "walls";
    s.def.damping = 0.2;
    s.def.gravity[2] = -0.3;
    s.def.gravity_turn[0] = 0.1;
    s.def.wall_velocity[2][1] = -0.05;
    s.def.wall_velocity[0][0] = -0.1;
    return s;
}

// A box barely larger than a sphere: several images of a pair touch at once, and spheres touch their own.
static system_of tight(uint64_t seed)
{
    system_of s = {.name = "tight", .def = scree_default_sim_def(), .each = scree_default_sim_each(), .law = scree_default_sim_law()};
    double size[3] = {2.05, 2.6, 2.2};
    CHECK_OK(scree_sphere_set_make(3, 9, &s.set));
    s.set.box = s.def.box = scree_box_sized(3, size);
    s.v = malloc(27 * sizeof *s.v);
    scree_rng rng = scree_rng_make(seed, 3);
    for (int k = 0; k < 3; ++k)
        s.def.box.periodic[k] = true;
    for (int i = 0; i < 9; ++i) {
        s.set.r[i] = i == 0 ? 1.02 : 0.2 + 0.05 * i;
        for (int k = 0; k < 3; ++k) {
            s.set.x[i * 3 + k] = scree_rng_uniform(&rng) * size[k];
            s.v[i * 3 + k] = 3.0 * (scree_rng_uniform(&rng) - 0.5);
        }
    }
    s.def.stiffness = 5.0;
    s.def.order_every = 17;
    s.def.threads = 1;
    return s;
}

static system_of flat(uint64_t seed)
{
    system_of s = gas(2, 250, 5.0, 1, 0.5, seed);
    s.name = "flat";
    s.def.restitution = 0.8;
    s.def.gravity[1] = -0.2;
    return s;
}

static system_of open_box(uint64_t seed)
{
    system_of s = gas(3, 250, 3.0, 0, 0.3, seed);
    s.name = "open";
    s.def.box = scree_box_open(3);
    s.def.box.lower[2] = s.set.box.lower[2];
    s.def.restitution = 0.5;
    s.def.gravity[2] = -0.5;
    return s;
}

static system_of giant(uint64_t seed)
{
    system_of s = gas(3, 300, 12.0, 5, 0.3, seed);
    s.name = "giant";
    s.def.restitution = 0.7;
    s.def.giants = 2.5;
    s.def.gravity[1] = -0.2;
    return s;
}

static system_of position_verlet(uint64_t seed)
{
    system_of s = gas(3, 200, 3.0, 7, 0.3, seed);
    s.name = "position";
    s.def.integrator = SCREE_INTEGRATOR_POSITION_VERLET;
    s.def.restitution = 0.9;
    return s;
}

// Some are fixed, and some are pushed.
static system_of fixed(uint64_t seed)
{
    system_of s = gas(3, 220, 3.0, 3, 0.3, seed);
    s.name = "fixed";
    s.fixed = calloc(220, 1);
    s.force = calloc(660, sizeof *s.force);
    for (int i = 0; i < 220; ++i) {
        s.fixed[i] = i % 7 == 1;
        s.force[3 * i + 1] = 0.01 * (i % 5);
        for (int k = 0; k < 3 && s.fixed[i]; ++k)
            s.v[3 * i + k] = 0.0;
    }
    s.each.fixed = s.fixed;
    s.each.force = s.force;
    return s;
}

static void give_spin(system_of* s, uint64_t seed)
{
    scree_rng rng = scree_rng_make(seed, 9);
    s->spin = calloc((size_t)s->set.count * 3, sizeof *s->spin);
    for (int64_t e = 0; e < (int64_t)s->set.count * 3; ++e)
        s->spin[e] = s->set.dim == 3 || e % 3 == 2 ? scree_rng_uniform(&rng) - 0.5 : 0.0;
    s->each.spin = s->spin;
}

// Contacts that count their steps: a memory that nothing forgives.
static system_of record(uint64_t seed)
{
    system_of s = gas(3, 260, 4.0, 3, 0.32, seed);
    s.name = "record";
    s.law.name = "record";
    s.def.restitution = 0.7;
    return s;
}

static system_of friction(uint64_t seed)
{
    system_of s = gas(3, 260, 3.0, 3, 0.35, seed);
    s.name = "friction";
    s.pairs[0] = scree_default_sim_pair();
    s.pairs[0].friction = 0.5;
    s.law.material_count = 1;
    s.law.pairs = s.pairs;
    s.def.restitution = 0.6;
    s.def.gravity[2] = -0.4;
    give_spin(&s, seed);
    return s;
}

static system_of hertz(uint64_t seed)
{
    system_of s = gas(3, 260, 3.0, 7, 0.35, seed);
    s.name = "hertz";
    s.law.name = "hertz";
    s.materials[0] = scree_default_sim_material();
    s.materials[0].young = 200.0;
    s.materials[0].poisson = 0.3;
    s.pairs[0] = scree_default_sim_pair();
    s.pairs[0].friction = 0.4;
    s.pairs[0].restitution = 0.7;
    s.pairs[0].rolling_friction = 0.1;
    s.law.material_count = 1;
    s.law.materials = s.materials;
    s.law.pairs = s.pairs;
    s.def.stiffness = 0.0;
    s.def.speed = 2.0;
    give_spin(&s, seed);
    return s;
}

static system_of two_materials(uint64_t seed)
{
    system_of s = gas(3, 260, 3.0, 5, 0.35, seed);
    s.name = "materials";
    s.material = calloc(260, sizeof *s.material);
    for (int i = 0; i < 260; ++i)
        s.material[i] = (uint16_t)(i % 3 == 0);
    s.each.material = s.material;
    for (int k = 0; k < 4; ++k) {
        s.pairs[k] = scree_default_sim_pair();
        s.pairs[k].friction = k == 0 ? 0.2 : 0.6;
        s.pairs[k].restitution = k == 3 ? 0.9 : 0.5;
        s.pairs[k].rolling_friction = k == 3 ? 0.2 : 0.0;
    }
    s.law.material_count = 2;
    s.law.pairs = s.pairs;
    s.def.wall_material = 1;
    s.def.gravity[1] = -0.3;
    return s;
}

static system_of flat_friction(uint64_t seed)
{
    system_of s = gas(2, 220, 4.0, 1, 0.55, seed);
    s.name = "flat friction";
    s.pairs[0] = scree_default_sim_pair();
    s.pairs[0].friction = 0.5;
    s.pairs[0].rolling_friction = 0.1;
    s.law.material_count = 1;
    s.law.pairs = s.pairs;
    s.def.restitution = 0.5;
    s.def.gravity[1] = -0.4;
    give_spin(&s, seed);
    return s;
}

static system_of giant_friction(uint64_t seed)
{
    system_of s = gas(3, 260, 10.0, 3, 0.35, seed);
    s.name = "giant friction";
    s.pairs[0] = scree_default_sim_pair();
    s.pairs[0].friction = 0.5;
    s.law.material_count = 1;
    s.law.pairs = s.pairs;
    s.def.restitution = 0.6;
    s.def.giants = 2.0;
    s.def.gravity[2] = -0.4;
    give_spin(&s, seed);
    return s;
}

// A cohesive law that reaches beyond the contact.
static system_of sticky(uint64_t seed)
{
    system_of s = gas(3, 240, 3.0, 7, 0.35, seed);
    s.name = "bridges";
    s.pairs[0] = scree_default_sim_pair();
    s.pairs[0].friction = 0.3;
    s.pairs[0].bridge_volume = 0.002;
    s.pairs[0].surface_tension = 0.2;
    s.law.material_count = 1;
    s.law.pairs = s.pairs;
    s.def.restitution = 0.6;
    return s;
}

// A round wall and a floor of triangles that turn.
static system_of surfaces(uint64_t seed)
{
    system_of s = gas(3, 240, 3.0, 0, 0.3, seed);
    s.name = "surfaces";
    double c = 0.5 * (s.set.box.lower[0] + s.set.box.upper[0]), size = s.set.box.upper[0] - s.set.box.lower[0];
    const double a = c - 0.2 * size, b = c + 0.2 * size, z = -8.0;
    double xyz[18] = {a, a, z, b, a, z, b, b, z, a, a, z, b, b, z, a, b, z};
    scree_surface_def def = scree_default_surface_def();
    CHECK_OK(scree_surface_create(&def, &(scree_triangles){.count = 2, .xyz = xyz}, &s.mesh));
    for (int k = 0; k < 2; ++k)
        s.boundary[k] = scree_default_sim_boundary();
    s.boundary[0].surface = s.mesh;
    s.boundary[0].velocity[2] = 0.3;
    s.boundary[0].spin[2] = 0.2;
    s.boundary[0].about[0] = s.boundary[0].about[1] = c;
    s.boundary[1].kind = "cylinder";
    s.boundary[1].at[0] = s.boundary[1].at[1] = c;
    s.boundary[1].radius = size;
    s.boundary[1].spin[2] = 0.3;
    s.def.boundaries = s.boundary;
    s.def.boundary_count = 2;
    s.def.box.lower[2] -= 10.0;
    s.pairs[0] = scree_default_sim_pair();
    s.pairs[0].friction = 0.5;
    s.law.material_count = 1;
    s.law.pairs = s.pairs;
    s.def.restitution = 0.6;
    s.def.gravity[2] = -0.6;
    return s;
}

static void drive_groups(scree_sim* sim)
{
    scree_sim_load load = scree_default_sim_load();
    load.kind = SCREE_LOAD_VELOCITY;
    load.target = 1;
    load.value = (scree_signal){.kind = SCREE_SIGNAL_SINE, .value = {0.3, 0.0, 0.0}, .frequency = 0.5};
    CHECK_OK(scree_sim_set_load(sim, &load));
    load = scree_default_sim_load();
    load.kind = SCREE_LOAD_FORCE;
    load.target = 2;
    load.value = (scree_signal){.kind = SCREE_SIGNAL_SINE, .value = {0.0, 0.2, 0.0}, .frequency = 1.5};
    CHECK_OK(scree_sim_set_load(sim, &load));
}

static system_of groups(uint64_t seed)
{
    system_of s = friction(seed);
    s.name = "groups";
    s.group = calloc((size_t)s.set.count, sizeof *s.group);
    for (int i = 0; i < s.set.count; ++i)
        s.group[i] = (uint16_t)(i % 11 == 0 ? 1 : i % 3 == 0 ? 2 : 0);
    s.each.group = s.group;
    s.begin = drive_groups;
    return s;
}

// A lid that a servo presses with a force.
static void press(scree_sim* sim)
{
    scree_sim_load load = scree_default_sim_load();
    load.kind = SCREE_LOAD_SERVO_FORCE;
    load.target = 5;
    load.value.value[0] = 5.0;
    load.speed = 0.5;
    load.direction[2] = -1.0;
    CHECK_OK(scree_sim_set_load(sim, &load));
}

static system_of servo(uint64_t seed)
{
    system_of s = gas(3, 260, 3.0, 3, 0.35, seed);
    s.name = "servo";
    s.def.restitution = 0.5;
    s.pairs[0] = scree_default_sim_pair();
    s.pairs[0].friction = 0.5;
    s.law.material_count = 1;
    s.law.pairs = s.pairs;
    s.begin = press;
    return s;
}

// Spheres fall through a sheet and are gone; others come in between runs.
static system_of sieve(uint64_t seed)
{
    system_of s = gas(3, 220, 3.0, 3, 0.3, seed);
    s.name = "sieve";
    s.def.gravity[2] = -1.0;
    s.def.restitution = 0.6;
    s.pairs[0] = scree_default_sim_pair();
    s.pairs[0].friction = 0.5;
    s.law.material_count = 1;
    s.law.pairs = s.pairs;
    s.exact[0] = scree_default_exact();
    s.exact[0].kind = SCREE_EXACT_PLANE;
    s.exact[0].axis[2] = 1.0;
    s.exact[0].at[2] = s.set.box.lower[2] - 0.5;
    s.boundary[0] = scree_default_sim_boundary();
    s.boundary[0].removes = true;
    s.boundary[0].exact = s.exact;
    s.def.boundary_count = 1;
    s.def.boundaries = s.boundary;
    s.def.box.lower[2] = -INFINITY;
    s.def.box.upper[2] = INFINITY;
    s.def.stiffness = 2.0;
    s.def.wall_material = 0;
    s.changes = true;
    return s;
}

static void pour(scree_sim* sim, int turn)
{
    scree_box box = scree_sim_box(sim);
    double x[6] = {0.5 * (box.lower[0] + box.upper[0]), 0.4 * box.upper[1] + 0.6 * box.lower[1], 40.0 + 3.0 * turn, 0.0, 0.0, 0.0}, r[2] = {0.6, 0.7}, v[6] = {0.1, 0.2, -3.0, 0.0, -0.1, -4.0};
    memcpy(x + 3, x, 3 * sizeof *x);
    x[5] += 1.25;
    int64_t first, gone = 40 + turn;
    CHECK_OK(scree_sim_exchange(sim, sim_row_of(sim, gone) >= 0 ? 1 : 0, &gone, (scree_spheres){.count = 2, .dim = 3, .x = x, .r = r}, v, NULL, &first));
}

// ---- The judge ---------------------------------------------------------------------------------------------------------

static void start(system_of* s)
{
    s->def.each = &s->each;
    s->def.law = &s->law;
    if (s->law.pairs != NULL)
        s->law.pairs = s->pairs;
    if (s->law.materials != NULL)
        s->law.materials = s->materials;
    if (s->def.boundary_count > 0)
        s->def.boundaries = s->boundary;
    if (s->boundary[0].exact != NULL)
        s->boundary[0].exact = s->exact;
}

// The hash of one process after each of some runs.
enum { looks = 3 };
static const int64_t pieces[looks] = {1, 64, 55};

static void run_alone(system_of* s, uint64_t hash[looks])
{
    scree_sim* sim;
    start(s);
    CHECK_OK(scree_sim_create(&s->def, scree_sphere_set_view(&s->set), s->v, &sim));
    if (s->begin != NULL)
        s->begin(sim);
    for (int k = 0; k < looks; ++k) {
        CHECK_OK(scree_sim_run(sim, pieces[k]));
        hash[k] = scree_sim_hash(sim);
        if (s->changes)
            pour(sim, k);
    }
    assert_true(!s->boundary[0].removes || scree_sim_take_crossings(sim, NULL, 0) > 3);
    scree_sim_destroy(sim);
}

static void run_shared(system_of* s, int32_t ranks, uint64_t chance, const uint64_t hash[looks])
{
    scree_par* par;
    par_sim* shared;
    scree_sim* sim;
    start(s);
    CHECK_OK(par_alone(ranks, &par));
    CHECK_OK(scree_sim_create(&s->def, scree_sphere_set_view(&s->set), s->v, &sim));
    if (s->begin != NULL)
        s->begin(sim);
    CHECK_OK(par_sim_create(par, sim, &shared));
    par_sim_set_chance(shared, chance);
    for (int k = 0; k < looks; ++k) {
        CHECK_OK(par_sim_run(shared, pieces[k]));
        if (scree_sim_hash(sim) != hash[k])
            fail_msg("%s, %d ranks, chance %d: another hash at step %d", s->name, (int)ranks, (int)chance, (int)scree_sim_step(sim));
        if (s->changes)
            pour(sim, k);
    }
    par_sim_destroy(shared);
    scree_sim_destroy(sim);
    par_close(par);
}

typedef system_of (*scene_maker)(uint64_t seed);

static void compare(const scene_maker* makers, size_t count)
{
    static const int32_t ranks[] = {1, 2, 3, 5, 8};
    for (size_t m = 0; m < count; ++m) {
        system_of s = makers[m](m + 1);
        uint64_t hash[looks];
        run_alone(&s, hash);
        for (size_t r = 0; r < sizeof ranks / sizeof *ranks; ++r)
            for (uint64_t chance = 0; chance < (ranks[r] == 8 ? 3 : 2); ++chance)
                run_shared(&s, ranks[r], chance * (7 * m + 1), hash);
        free_scene(&s);
    }
}

// ---- Cases -------------------------------------------------------------------------------------------------------------

static void spheres_without_memory_have_the_bits_of_one_process(void** state)
{
    (void)state;
    const scene_maker makers[] = {elastic, damped, walls, tight, flat, open_box, giant, position_verlet, fixed};
    compare(makers, sizeof makers / sizeof *makers);
}

static void contacts_remember_across_borders(void** state)
{
    (void)state;
    const scene_maker makers[] = {record, friction, hertz, two_materials, flat_friction, giant_friction, sticky};
    compare(makers, sizeof makers / sizeof *makers);
}

static void boundaries_and_loads_act_on_all_ranks(void** state)
{
    (void)state;
    const scene_maker makers[] = {surfaces, groups, servo, sieve};
    compare(makers, sizeof makers / sizeof *makers);
}

static const test_case cases[] = {
    SAME_BITS(spheres_without_memory_have_the_bits_of_one_process),
    SAME_BITS(contacts_remember_across_borders),
    SAME_BITS(boundaries_and_loads_act_on_all_ranks),
};

const test_group group_par = {.name = "par", .cases = cases, .count = sizeof cases / sizeof *cases};
