// Many ranks: the bits are those of one simulation in one process, whatever the number of ranks and wherever the borders between them are. All ranks are in this process (par_alone.c); the
// borders are random at each new order, some ranks without any space.
#include "scree/checkpoint.h"
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
    int64_t* id;
    scree_sim_each each;
    scree_sim_law law;
    scree_sim_pair pairs[4];
    scree_sim_material materials[2];
    scree_sim_boundary boundary[2];
    scree_exact exact[2];
    scree_surface* mesh;
    scree_sim_def def;
    void (*begin)(scree_sim* sim);   // what is set before the first step
    scree_sim_cell cell;
    bool has_cell;
    void (*changes)(scree_sim* sim, int turn);  // between runs, spheres come and go
    scree_sim_bond bond;
    scree_sim_bonds_def bonds;
    bool has_bonds;
    double skin;         // of the first list; 0: any
    scree_index_def search;
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
    free(s->id);
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

// The first lists are short, and spheres so fast that contacts end between two lists farther apart than either reaches.
static system_of fast_friction(uint64_t seed)
{
    system_of s = friction(seed);
    s.name = "fast friction";
    s.def.restitution = 1.0;  // dashpots let go of friction before a contact ends
    for (int i = 0; i < 3 * s.set.count; ++i)
        s.v[i] *= 4.0;
    s.skin = 1e-6;
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

// Some ids are of no sphere, as after others have gone.
static system_of numbered(uint64_t seed)
{
    system_of s = giant_friction(seed);
    s.name = "numbered";
    s.id = malloc((size_t)s.set.count * sizeof *s.id);
    for (int32_t i = 0; i < s.set.count; ++i)
        s.id[i] = 3 * i + i % 3;
    s.each.id = s.id;
    return s;
}

// Giants of one size, whose order changes often: contacts of two are with one owner alone.
static system_of equal_giants(uint64_t seed)
{
    system_of s = giant_friction(seed);
    scree_sphere_set_free(&s.set);
    s.set = sim_gas(3, 100, 1.0, 0.23, false, seed);
    for (int32_t i = 0; i < s.set.count; ++i)
        s.set.r[i] *= 1.2;
    s.name = "equal giants";
    s.def.box = s.set.box;
    s.def.box.periodic[1] = true;
    s.def.order_every = 7;
    s.def.giants = 0.5 * s.set.r[0];
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

static system_of in_groups(system_of s)
{
    s.group = calloc((size_t)s.set.count, sizeof *s.group);
    for (int i = 0; i < s.set.count; ++i)
        s.group[i] = (uint16_t)(i % 11 == 0 ? 1 : i % 3 == 0 ? 2 : 0);
    s.each.group = s.group;
    s.begin = drive_groups;
    return s;
}

static system_of groups(uint64_t seed)
{
    system_of s = in_groups(friction(seed));
    s.name = "groups";
    return s;
}

static system_of giant_groups(uint64_t seed)
{
    system_of s = in_groups(giant_friction(seed));
    s.name = "groups with giants";
    return s;
}

static system_of groups_by_positions(uint64_t seed)
{
    system_of s = groups(seed);
    s.name = "groups, position Verlet";
    s.def.integrator = SCREE_INTEGRATOR_POSITION_VERLET;
    return s;
}

// Neighbours are bonded, and some that are far apart; many bonds break on the way.
static system_of bonded(uint64_t seed)
{
    static const int64_t far[4][2] = {{3, 200}, {17, 90}, {40, 41}, {100, 7}};
    system_of s = gas(3, 260, 3.0, 3, 0.35, seed);
    s.name = "bonded";
    s.bond = scree_default_sim_bond();
    s.bond.gap = 0.3;
    s.bond.young = 8.0;
    s.bond.radius = 0.7;
    s.bond.damping = 0.1;
    s.bond.tensile_strength = 0.5;
    s.bond.shear_strength = 0.4;
    s.bond.friction = 0.3;
    s.bonds = scree_default_sim_bonds_def();
    s.bonds.kind_count = 1;
    s.bonds.count = 4;
    s.bonds.ij = far;
    s.has_bonds = true;
    s.pairs[0] = scree_default_sim_pair();
    s.pairs[0].friction = 0.5;
    s.law.material_count = 1;
    s.law.pairs = s.pairs;
    s.def.restitution = 0.6;
    s.def.gravity[2] = -0.4;
    give_spin(&s, seed);
    return s;
}

// Without friction, with a giant, in 2D, all periodic: broken ones drift away through the faces.
static system_of bonded_giant(uint64_t seed)
{
    system_of s = gas(2, 180, 6.0, 3, 0.55, seed);
    s.name = "bonded giant";
    s.bond = scree_default_sim_bond();
    s.bond.gap = 0.1;
    s.bond.young = 5.0;
    s.bond.tensile_strength = 0.1;
    s.bonds = scree_default_sim_bonds_def();
    s.bonds.kind_count = 1;
    s.has_bonds = true;
    s.def.giants = 2.0;
    for (int i = 0; i < 2 * s.set.count; ++i)
        s.v[i] *= 8.0;
    return s;
}

// A medium that resists, and local damping.
static void resist(scree_sim* sim)
{
    static const int32_t kinds[2] = {SCREE_LOAD_DRAG, SCREE_LOAD_LOCAL_DAMPING};
    for (int k = 0; k < 2; ++k) {
        scree_sim_load load = scree_default_sim_load();
        load.kind = kinds[k];
        load.value = (scree_signal){.kind = SCREE_SIGNAL_SINE, .value = {0.2, 0.3 * (1 - k), 0.1 * (1 - k)}, .frequency = 0.2, .phase = 1.0};
        CHECK_OK(scree_sim_set_load(sim, &load));
    }
}

static system_of dragged(uint64_t seed)
{
    system_of s = surfaces(seed);
    s.name = "dragged";
    s.pairs[0].rolling_friction = 0.2;
    s.fixed = calloc((size_t)s.set.count, 1);
    for (int i = 0; i < s.set.count; ++i)
        s.fixed[i] = i % 23 == 1;
    for (int i = 0; i < 3 * s.set.count; ++i)
        s.v[i] = s.fixed[i / 3] ? 0.0 : s.v[i];
    s.each.fixed = s.fixed;
    give_spin(&s, seed);
    s.begin = resist;
    return s;
}

// No contact law of parts, and a giant.
static system_of dragged_giant(uint64_t seed)
{
    system_of s = giant(seed);
    s.name = "dragged giant";
    s.begin = resist;
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

static void pour(scree_sim* sim, int turn)
{
    scree_box box = scree_sim_box(sim);
    double x[6] = {0.5 * (box.lower[0] + box.upper[0]), 0.4 * box.upper[1] + 0.6 * box.lower[1], 40.0 + 3.0 * turn, 0.0, 0.0, 0.0}, r[2] = {0.6, 0.7}, v[6] = {0.1, 0.2, -3.0, 0.0, -0.1, -4.0};
    memcpy(x + 3, x, 3 * sizeof *x);
    x[5] += 1.25;
    int64_t first, gone = 40 + turn;
    CHECK_OK(scree_sim_exchange(sim, sim_row_of(sim, gone) >= 0 ? 1 : 0, &gone, (scree_spheres){.count = 2, .dim = 3, .x = x, .r = r}, v, NULL, &first));
}

// Some go, one of them comes back in contact with another, and others come; one is as large as the giants.
static void swap_some(scree_sim* sim, int turn)
{
    enum { most = 400 };
    static double x[3 * most], r[most];
    static int64_t id[most];
    const scree_box box = scree_sim_box(sim);
    const int dim = box.dim;
    const int32_t n = scree_sim_count(sim);
    assert_true(n <= most && n > 60);
    CHECK_OK(scree_sim_get_column(sim, "x", x));
    CHECK_OK(scree_sim_get_column(sim, "radius", r));
    CHECK_OK(scree_sim_get_column(sim, "id", id));
    const int32_t at[3] = {10 + 7 * turn, 30 + turn, 50 - 5 * turn}, beside[3] = {11 + 7 * turn, 33 + turn, 55};
    const int64_t gone[3] = {id[at[1]], id[at[0]], id[at[2]]}, more[3] = {id[at[0]], id[n - 1] + 1, id[n - 1] + 4};
    double y[9], size[3], v[9], giant = 0.0;
    for (int32_t i = 0; i < n; ++i)
        giant = fmax(giant, r[i]);
    for (int k = 0; k < 3; ++k) {
        size[k] = k == 0 ? r[at[0]] : k == 1 ? r[beside[1]] : giant;
        for (int a = 0; a < dim; ++a) {
            y[k * dim + a] = x[beside[k] * dim + a] + (a == 0 ? 0.97 * (size[k] + r[beside[k]]) : 0.0);
            if (k == 0 && turn > 0)  // its own place: its contacts are new ones
                y[k * dim + a] = x[at[0] * dim + a];
            v[k * dim + a] = 0.05 * (a + k - turn);
            if (!box.periodic[a] && box.upper[a] < INFINITY)
                y[k * dim + a] = fmin(fmax(y[k * dim + a], box.lower[a] + 0.1 * size[k]), box.upper[a] - 0.1 * size[k]);
        }
    }
    scree_sim_each each = scree_default_sim_each();
    each.id = more;
    CHECK_OK(scree_sim_exchange(sim, 3, gone, (scree_spheres){.count = 3, .dim = dim, .x = y, .r = size}, v, &each, NULL));
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
    s.changes = pour;
    return s;
}


// Cells that are sheared, compressed, and kept at a stress.
static system_of cell_of(const char* name, int dim, bool rough, double density, uint64_t seed)
{
    system_of s = gas(dim, dim == 2 ? 180 : 220, 3.0, dim == 2 ? 3 : 7, density, seed);
    s.name = name;
    s.def.restitution = 0.6;
    s.cell = scree_default_sim_cell();
    s.has_cell = true;
    if (rough) {
        s.pairs[0] = scree_default_sim_pair();
        s.pairs[0].friction = 0.5;
        s.law.material_count = 1;
        s.law.pairs = s.pairs;
    }
    return s;
}

static system_of sheared(uint64_t seed)
{
    system_of s = cell_of("sheared", 3, true, 0.35, seed);
    s.cell.rate[SCREE_CELL_XY] = 0.5;
    s.cell.rate[SCREE_CELL_YZ] = -0.2;
    s.cell.rate[SCREE_CELL_ZZ] = -0.05;
    return s;
}

static system_of sheared_flat(uint64_t seed)
{
    system_of s = cell_of("sheared, flat", 2, false, 0.55, seed);
    s.cell.rate[SCREE_CELL_XY] = 1.5;
    s.cell.constant_volume = false;
    s.def.giants = 1.2;
    return s;
}

static system_of pressed(uint64_t seed)
{
    system_of s = cell_of("pressed", 3, true, 0.4, seed);
    s.cell.isotropic = true;
    s.cell.stress[0] = 0.5;
    s.cell.rate_most = 0.5;
    s.def.giants = 1.2;
    return s;
}

static system_of triaxial(uint64_t seed)
{
    system_of s = cell_of("triaxial", 3, false, 0.4, seed);
    s.cell.rate[SCREE_CELL_ZZ] = -0.2;
    s.cell.controlled = 3;
    s.cell.stress[0] = s.cell.stress[1] = 0.3;
    s.cell.rate_most = 0.5;
    return s;
}

static system_of constant_volume(uint64_t seed)
{
    system_of s = cell_of("constant volume", 3, true, 0.35, seed);
    s.cell.rate[SCREE_CELL_XX] = -0.3;
    s.cell.constant_volume = true;
    return s;
}

static system_of tilted(uint64_t seed)
{
    system_of s = gas(3, 220, 3.0, 7, 0.3, seed);
    double side = s.set.box.upper[0] - s.set.box.lower[0];
    s.name = "tilted";
    s.def.box.tilt[0] = 0.4 * side;
    s.def.box.tilt[1] = -0.3 * side;
    s.def.box.tilt[2] = 0.2 * side;
    s.def.restitution = 0.7;
    return s;
}

// ---- The reference ---------------------------------------------------------------------------------------------------------

static void start(system_of* s)
{
    s->def.each = &s->each;
    s->def.law = &s->law;
    s->def.cell = s->has_cell ? &s->cell : NULL;
    if (s->law.pairs != NULL)
        s->law.pairs = s->pairs;
    s->def.energies = true;  // of laws of parts
    s->def.bonds = s->has_bonds ? &s->bonds : NULL;
    s->bonds.kinds = &s->bond;
    s->search = scree_default_index_def();
    s->search.skin = s->skin;
    s->def.search = s->skin > 0.0 ? &s->search : NULL;
    if (s->law.materials != NULL)
        s->law.materials = s->materials;
    if (s->def.boundary_count > 0)
        s->def.boundaries = s->boundary;
    if (s->boundary[0].exact != NULL)
        s->boundary[0].exact = s->exact;
}

// What contacts remember, some at a time.
static uint64_t remembered_by(scree_sim* sim)
{
    enum { some = 7 };
    uint64_t hash = 0;
    scree_sim_memory all, part;
    int64_t count = 0, total;
    CHECK_OK(scree_sim_get_memory_rows(sim, 0, 0, &part, &total));
    assert_true(part.count == 0);
    for (int64_t first = 0; first < total; first += some) {
        CHECK_OK(scree_sim_get_memory_rows(sim, first, some, &part, &total));
        assert_true(part.count == (total - first < some ? total - first : some));
        for (int64_t c = 0; c < part.count; ++c, ++count) {
            hash = hash * 31 + (uint64_t)(part.ij[c][0] + 1000003 * part.ij[c][1] + 17 * (part.feature != NULL ? part.feature[c] + 2 : 0));
            for (int k = 0; k < 3 && part.shift != NULL; ++k)
                hash = hash * 31 + (uint64_t)(part.shift[c][k] + 5);
            for (int32_t w = 0; w < part.words; ++w) {
                uint64_t bits;
                memcpy(&bits, &part.values[c * part.words + w], sizeof bits);
                hash = (hash ^ bits) * 0x9E3779B97F4A7C15u;
            }
        }
    }
    CHECK_OK(scree_sim_get_memory(sim, &all));
    assert_true(all.count == total && count == total);
    CHECK_OK(scree_sim_get_memory_rows(sim, 0, total, &part, &total));
    scree_sim_memory last = part;
    int64_t (*ij)[2] = malloc((size_t)(total + 1) * sizeof *ij);
    for (int64_t c = 0; c < total; ++c)
        memcpy(ij[c], last.ij[c], sizeof *ij);
    CHECK_OK(scree_sim_get_memory(sim, &all));
    assert_true(total == 0 || memcmp(ij, all.ij, (size_t)total * sizeof *ij) == 0);
    free(ij);
    return hash * 31 + (uint64_t)(total + 2 * (all.feature != NULL) + 4 * (all.shift != NULL));
}

// All that a simulation shows, bit by bit: its state, what is measured of it, the accounts of energies.
static uint64_t shown_by(scree_sim* sim)
{
    scree_sim_report r;
    scree_sim_state state = {0};
    uint64_t hash = scree_sim_hash(sim) + remembered_by(sim);
    CHECK_OK(scree_sim_measure(sim, &r));
    CHECK_OK(scree_sim_get_state(sim, &state));
    scree_sim_bonds bonds;
    CHECK_OK(scree_sim_get_bonds(sim, &bonds));
    const double numbers[] = {r.energy_kinetic, r.energy_rotation, r.energy_contact, r.energy_normal, r.energy_tangential, r.energy_rolling, r.energy_gravity, r.pressure, r.virial, (double)r.contacts,
                              (double)r.wall_contacts, (double)r.sliding, r.max_overlap, r.speed_largest, r.dissipated_normal, r.dissipated_tangential, r.dissipated_rolling, r.dissipated_twisting,
                              r.work_walls, r.work_gravity, r.work_forces, r.dissipated_drag, r.dissipated_local, (double)r.bonds, (double)r.bonds_broken, r.energy_bonds, r.dissipated_bonds, r.released_bonds,
                              (double)r.flow.inserted, (double)r.flow.removed, (double)r.flow.next_id, r.flow.mass_inserted, r.flow.mass_removed, r.flow.energy_inserted, r.flow.energy_removed, r.flow.gravity_inserted,
                              r.flow.gravity_removed, sim->numbers.mass, sim->numbers.radius_least, sim->numbers.mass_most, sim->numbers.longest_step, (double)sim->numbers.fixed, (double)sim->numbers.giant_count};
    // Wherever the spheres are: boundaries, groups, and rows of columns, in two pieces.
    enum { most = 16 };
    scree_sim_boundary_report boundary[most];
    scree_sim_group_report group[most];
    int32_t boundaries = scree_sim_get_boundaries(sim, boundary, most), groups = scree_sim_get_groups(sim, group, most), n = scree_sim_count(sim), dim = scree_sim_box(sim).dim;
    assert_true(boundaries >= 0 && boundaries <= most && groups >= 0 && groups <= most);
    double felt[most][15], x[6000];
    int64_t contacts[2000], half = n / 3;
    assert_true(n <= 2000);
    for (int32_t piece = 0; piece < 2; ++piece) {
        const scree_sim_values columns[] = {{"contacts", contacts + piece * half}, {"x", x + piece * half * dim}};
        CHECK_OK(scree_sim_get_rows(sim, piece * half, piece == 0 ? half : n - half, 2, columns));
    }
    for (int64_t i = 0; i < n; ++i)
        x[i * dim] += 7.0 * (double)contacts[i];
    scree_sim_contacts shown = {0};
    if (bonds.count == 0)
        CHECK_OK(scree_sim_get_contacts(sim, &shown));
    static int64_t id[2000], touching[20000];
    CHECK_OK(scree_sim_get_column(sim, "id", id));
    memset(touching, 0, sizeof touching);
    for (int64_t c = 0; c < 2 * shown.count; ++c)
        if (shown.ij[c / 2][c % 2] >= 0) {
            assert_true(shown.ij[c / 2][c % 2] < 20000);
            ++touching[shown.ij[c / 2][c % 2]];
        }
    for (int32_t i = 0; i < n && bonds.count == 0; ++i)
        assert_int_equal(contacts[i], touching[id[i]]);
    hash = hash * 31 + (uint64_t)(shown.count + 3 * shown.pair_count + 7 * shown.words + 11 * (shown.tangential != NULL) + 13 * (shown.torque != NULL) + 17 * (shown.feature != NULL) + 19 * (shown.shift != NULL));
    for (int64_t c = 0; c < shown.count; ++c) {
        hash = hash * 31 + (uint64_t)(shown.ij[c][0] + 1000003 * shown.ij[c][1]);
        for (int k = 0; k < 3 && shown.shift != NULL; ++k)
            hash = hash * 31 + (uint64_t)(int64_t)shown.shift[c][k];
        hash = hash * 31 + (uint64_t)(shown.feature != NULL ? shown.feature[c] : 0) + (uint64_t)(shown.sliding != NULL ? 2 * shown.sliding[c] : 0);
    }
    for (int32_t b = 0; b < most; ++b)
        memset(felt[b], 0, sizeof felt[b]);
    for (int32_t b = 0; b < boundaries; ++b)
        for (int k = 0; k < 3; ++k) {
            felt[b][k] = boundary[b].force[k];
            felt[b][3 + k] = boundary[b].torque[k];
            felt[b][6 + k] = boundary[b].velocity[k];
            felt[b][9] = boundary[b].power + (double)boundary[b].contacts;
        }
    for (int32_t g = 0; g < groups; ++g)
        for (int k = 0; k < 3; ++k) {
            felt[g][10] = group[g].energy_kinetic + (double)group[g].count;
            felt[g][11] = group[g].energy_rotation + (double)group[g].held;
            felt[g][12 + k] = group[g].momentum[k];
        }
    const struct {
        const double* at;
        int64_t count;
    } all[] = {{numbers, sizeof numbers / sizeof *numbers},
               {*felt, 15 * most},
               {x, (int64_t)n * dim},
               {shown.overlap, shown.count},
               {shown.count > 0 ? *shown.normal : NULL, 3 * shown.count},
               {shown.count > 0 ? *shown.force : NULL, 3 * shown.count},
               {shown.torque != NULL ? *shown.torque : NULL, shown.torque != NULL ? 3 * shown.count : 0},
               {shown.tangential != NULL ? *shown.tangential : NULL, shown.tangential != NULL ? 3 * shown.count : 0},
               {shown.memory, shown.count * shown.words},
               {state.account, state.account_count},
               {state.loads, state.load_count},
               {bonds.count > 0 ? bonds.force[0] : NULL, 3 * bonds.count},
               {bonds.count > 0 ? bonds.torque[0] : NULL, 3 * bonds.count}};
    for (size_t a = 0; a < sizeof all / sizeof *all; ++a)
        for (int64_t k = 0; k < all[a].count; ++k) {
            uint64_t bits;
            memcpy(&bits, &all[a].at[k], sizeof bits);
            hash = (hash ^ bits) * 0x9E3779B97F4A7C15u;
            hash ^= hash >> 29;
        }
    return hash;
}

// What one process shows after each of some runs.
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
        hash[k] = shown_by(sim);
        if (s->changes != NULL)
            s->changes(sim, k);
    }
    assert_true(!s->boundary[0].removes || scree_sim_take_crossings(sim, NULL, 0) > 3);
    scree_sim_destroy(sim);
}

// Another state, and back to the one that it was in: by the ranks where they can, else in one process.
static void take_again(scree_sim* sim, par_sim* shared, bool removes)
{
    scree_checkpoint saved = {0}, after = {0};
    bool hollow = sim->hollow;
    uint64_t hash = scree_sim_hash(sim);
    CHECK_OK(scree_checkpoint_save(sim, &saved));
    CHECK_OK(par_sim_run(shared, removes ? 0 : 5));
    CHECK_OK(scree_checkpoint_restore(&saved, sim));
    assert_true(scree_sim_hash(sim) == hash);
    assert_true(!hollow || sim->hollow);
    CHECK_OK(scree_checkpoint_save(sim, &after));
    for (int32_t c = 0; c < saved.column_count; ++c)
        if (memcmp(saved.columns[c].data, after.columns[c].data, (size_t)saved.count * (size_t)saved.columns[c].components * scree_type_size((scree_type)saved.columns[c].type)) != 0)
            fail_msg("column %s is another one after its state was set", saved.columns[c].name);
    scree_checkpoint_free(&saved);
    scree_checkpoint_free(&after);
}

// `there`: the spheres are made by the ranks, as for a program that shares all its simulations; else in one process, and handed out.
static void run_shared(system_of* s, int32_t ranks, bool there, uint64_t chance, const uint64_t hash[looks])
{
    scree_par* par;
    par_sim* shared = NULL;
    scree_sim* sim;
    start(s);
    CHECK_OK(par_alone(ranks, &par));
    par->slice = chance % 3 == 0 ? 0 : 10 + ranks;  // spheres come and go in many slices
    if (there)
        par_share(par);
    CHECK_OK(scree_sim_create(&s->def, scree_sphere_set_view(&s->set), s->v, &sim));
    par_share_end();
    assert_true(sim->hollow == (there && !s->has_bonds));
    bool hollow = sim->hollow;
    if (s->begin != NULL)
        s->begin(sim);
    assert_true(!hollow || sim->hollow);  // the ranks have set what there was to set
    if (sim->crew == NULL)
        CHECK_OK(par_sim_create(par, sim, &shared));
    else
        shared = sim->crew;
    par_sim_set_chance(shared, chance);
    for (int k = 0; k < looks; ++k) {
        CHECK_OK(par_sim_run(shared, pieces[k]));
        if (shown_by(sim) != hash[k])
            fail_msg("%s, %d ranks, chance %d: something else at step %d", s->name, (int)ranks, (int)chance, (int)scree_sim_step(sim));
        if (k < 2 && !s->has_bonds)
            take_again(sim, shared, s->boundary[0].removes);
        if (s->changes != NULL) {
            assert_true(sim->hollow);
            s->changes(sim, k);
            assert_true(sim->hollow);  // the ranks have done it
        }
    }
    par_sim_destroy(shared);
    sim->crew = NULL;
    scree_sim_destroy(sim);
    par_close(par);
}

typedef system_of (*scene_maker)(uint64_t seed);

static void compare(const scene_maker* makers, size_t count)
{
    // With borders by weight and by chance. Where it is a second compiler's turn: 3 and 8.
    static const struct {
        int32_t ranks;
        bool by_chance, always;
    } ways[] = {{1, false, false}, {2, false, false}, {2, true, false}, {3, true, true}, {5, false, false}, {8, false, false}, {8, true, true}};
    for (size_t m = 0; m < count; ++m) {
        system_of s = makers[m](m + 1);
        uint64_t hash[looks];
        run_alone(&s, hash);
        for (size_t w = 0; w < sizeof ways / sizeof *ways; ++w)
            if (ways[w].always || !test_is_small())
                run_shared(&s, ways[w].ranks, ((size_t)ways[w].ranks + m) % 2 == 0, ways[w].by_chance ? 7 * m + 1 : 0, hash);
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
    const scene_maker makers[] = {record, friction, fast_friction, hertz, two_materials, flat_friction, giant_friction, numbered, equal_giants, sticky};
    compare(makers, sizeof makers / sizeof *makers);
}

static void boundaries_and_loads_act_on_all_ranks(void** state)
{
    (void)state;
    const scene_maker makers[] = {surfaces, groups, dragged, dragged_giant, servo, sieve};
    compare(makers, sizeof makers / sizeof *makers);
}

static void spheres_come_and_go_on_all_ranks(void** state)
{
    (void)state;
    const scene_maker makers[] = {giant_friction, position_verlet, fixed, dragged_giant, flat_friction, open_box};
    for (size_t m = 0; m < sizeof makers / sizeof *makers; ++m) {
        system_of s = makers[m](m + 1);
        uint64_t hash[looks];
        s.changes = swap_some;
        run_alone(&s, hash);
        run_shared(&s, 3, true, 0, hash);
        run_shared(&s, 8, m % 2 == 0, 7 * m + 1, hash);
        free_scene(&s);
    }
}

static void cells_move_on_all_ranks(void** state)
{
    (void)state;
    const scene_maker makers[] = {tilted, sheared, sheared_flat, constant_volume, pressed, triaxial};
    compare(makers, sizeof makers / sizeof *makers);
}

static void bonds_hold_and_break_across_borders(void** state)
{
    (void)state;
    const scene_maker makers[] = {bonded, bonded_giant};
    for (size_t m = 0; m < sizeof makers / sizeof *makers; ++m) {
        system_of s = makers[m](3);
        scree_sim* sim;
        start(&s);
        CHECK_OK(scree_sim_create(&s.def, scree_sphere_set_view(&s.set), s.v, &sim));
        CHECK_OK(scree_sim_run(sim, 120));
        scree_sim_report r = sim_report_of(sim);
        if (r.bonds < 20 || r.bonds_broken < 20)
            fail_msg("%s: %d bonds hold, %d broke", s.name, (int)r.bonds, (int)r.bonds_broken);
        scree_sim_destroy(sim);
        free_scene(&s);
    }
    compare(makers, sizeof makers / sizeof *makers);
}

// Many partitions of the systems that have most: friction with giants, spheres that come and go, pairs through several images, drag and surfaces, bonds. With SCREE_TEST_EFFORT=10 these are 200 seeds.
static void any_partition_gives_the_same_bits(void** state)
{
    (void)state;
    const scene_maker makers[] = {giant_friction, sieve, tight, dragged, bonded};
    for (size_t m = 0; m < sizeof makers / sizeof *makers; ++m) {
        system_of s = makers[m](31 + m);
        uint64_t hash[looks];
        s.def.order_every = 9;  // each with markers of its own
        run_alone(&s, hash);
        for (int seed = 0; seed < (int)(4 * test_effort()); ++seed)
            run_shared(&s, 8, seed % 2 == 0, 1000 + 17 * (uint64_t)seed, hash);
        free_scene(&s);
    }
}

// Each rank compares its contacts with all pairs, at every step.
static void contacts_of_all_ranks_are_verified(void** state)
{
    (void)state;
    const scene_maker makers[] = {giant_friction, tight, fixed, sheared};
    for (size_t m = 0; m < sizeof makers / sizeof *makers; ++m) {
        system_of s = makers[m](41 + m);
        uint64_t hash[looks];
        run_alone(&s, hash);
        s.def.check = true;
        run_shared(&s, 4, m % 2 == 0, 5 + m, hash);
        free_scene(&s);
    }
}

// Three spheres in a row along x, the left one pressed deeper into the middle one than the right one: the middle one begins to move to the right. They turn, so that
// friction holds them.
static scree_sim* row_of_three(double middle)
{
    const double length = 12.0, x[9] = {middle - 1.8, 4.0, 4.0, middle, 4.0, 4.0, middle + 1.9 - (middle + 1.9 < length ? 0.0 : length), 4.0, 4.0}, r[3] = {1.0, 1.0, 1.0}, spin[9] = {0.0, 0.0, 0.3, 0.0, 0.0, 0.1, 0.0, 0.0, 0.5};
    scree_sim_each each = scree_default_sim_each();
    scree_sim_pair pair = scree_default_sim_pair();
    scree_sim_law law = scree_default_sim_law();
    scree_sim_def def = scree_default_sim_def();
    scree_sim* sim;
    each.spin = spin;
    pair.friction = 0.5;
    law.material_count = 1;
    law.pairs = &pair;
    def.law = &law;
    def.each = &each;
    def.box = sim_cube(3, length, true);
    def.stiffness = 20.0;
    def.order_every = 2;
    def.threads = 1;
    CHECK_OK(scree_sim_create(&def, (scree_spheres){.count = 3, .dim = 3, .x = x, .r = r}, NULL, &sim));
    return sim;
}

// When centres are wrapped, contacts get other images. A ghost must then be where its owner has it, not where the forces on its copy have taken it: who owns the right sphere alone does not know
// of the left one, and its copy of the middle one has not crossed the face when the sphere itself has.
static void ghosts_are_wrapped_as_their_owners_are(void** state)
{
    (void)state;
    double x[9];
    int apart = 0;
    scree_sim* sim = row_of_three(5.0);
    CHECK_OK(scree_sim_run(sim, 1));
    CHECK_OK(scree_sim_get_column(sim, "x", x));
    double first = x[3] - 5.0, begin = 12.0 - 3.0 * first;  // it goes `first`, then three times that: and its copy, not pushed in the second step, less than twice
    scree_sim_destroy(sim);
    assert_true(first > 1e-6);
    scree_sim* reference = row_of_three(begin);
    CHECK_OK(scree_sim_run(reference, 1));
    CHECK_OK(scree_sim_run(reference, 9));
    for (uint64_t seed = 0; seed < 24; ++seed) {
        scree_par* par;
        par_sim* shared;
        par_counts counts;
        sim = row_of_three(begin);
        CHECK_OK(par_alone(3, &par));
        CHECK_OK(par_sim_create(par, sim, &shared));
        par_sim_set_chance(shared, seed);
        CHECK_OK(par_sim_run(shared, 1));
        for (int32_t l = 0; l < 3; ++l) {
            par_sim_counts(shared, l, &counts);
            apart += counts.own == 1 && counts.ghosts == 1;
        }
        CHECK_OK(par_sim_run(shared, 9));
        if (scree_sim_hash(sim) != scree_sim_hash(reference))
            fail_msg("seed %d: another hash", (int)seed);
        par_sim_destroy(shared);
        scree_sim_destroy(sim);
        par_close(par);
    }
    assert_true(apart > 4);
    scree_sim_destroy(reference);
}

// Threads within ranks, the other way to compute forces, the plain instructions.
static void threads_and_backends_do_not_matter(void** state)
{
    (void)state;
    system_of s = friction(5);
    uint64_t hash[looks];
    run_alone(&s, hash);
    s.def.backend = SCREE_BACKEND_REFERENCE;
    run_shared(&s, 3, true, 3, hash);
    s.def.backend = SCREE_BACKEND_FUSED;
    scree_plain_only = true;
    run_shared(&s, 3, false, 4, hash);
    scree_plain_only = false;
    free_scene(&s);
}

// A cube of spheres, folded into a beam.
static void fold(system_of* s)
{
    double side = s->set.box.upper[0] - s->set.box.lower[0];
    for (int64_t i = 0; i < s->set.count; ++i)
        for (int k = 1; k < 3; ++k) {
            double* x = s->set.x + 3 * i;
            if (x[k] >= s->set.box.lower[k] + 0.5 * side) {
                x[k] -= 0.5 * side;
                x[0] += k * side;
            }
        }
    s->set.box.upper[0] += 3.0 * side;
    for (int k = 1; k < 3; ++k) {
        s->set.box.lower[k] -= 1.0;  // those that were cut from their neighbours are not in a wall
        s->set.box.upper[k] += 1.0 - 0.5 * side;
    }
    s->def.box = s->set.box;
}

// Parts of several blocks, each on two threads. In a beam they have blocks without ghosts, which are worked on before those of the step have come.
static void parts_of_many_blocks_have_the_same_bits(void** state)
{
    (void)state;
    system_of s = gas(3, 14000, 2.0, 4, 0.3, 77);
    fold(&s);
    scree_sim *sim, *reference;
    scree_par* par;
    par_sim* shared;
    s.pairs[0] = scree_default_sim_pair();
    s.pairs[0].friction = 0.5;
    s.law.material_count = 1;
    s.law.pairs = s.pairs;
    s.def.restitution = 0.6;
    s.def.order_every = 7;
    s.def.threads = 2;
    start(&s);
    CHECK_OK(scree_sim_create(&s.def, scree_sphere_set_view(&s.set), s.v, &reference));
    CHECK_OK(scree_sim_create(&s.def, scree_sphere_set_view(&s.set), s.v, &sim));
    CHECK_OK(par_alone(2, &par));
    CHECK_OK(par_sim_create(par, sim, &shared));
    for (int k = 0; k < 2; ++k) {
        CHECK_OK(scree_sim_run(reference, 9));
        CHECK_OK(par_sim_run(shared, 9));
        assert_true(scree_sim_hash(sim) == scree_sim_hash(reference));
    }
    par_counts counts;
    par_sim_counts(shared, 1, &counts);
    assert_true(counts.own > 6000 && counts.ghosts > 20 && counts.ghosts < 3000 && counts.peers == 1 && counts.inner >= 1);
    par_sim_destroy(shared);
    scree_sim_destroy(sim);
    scree_sim_destroy(reference);
    par_close(par);
    free_scene(&s);
}

// What is counted of them; memory is not the same by both ways.
static bool same_counts(const scree_sim_plan* a, const scree_sim_plan* b)
{
    const scree_sim_share *s[3] = {&a->sum, &a->most, &a->least}, *t[3] = {&b->sum, &b->most, &b->least};
    bool same = a->ranks == b->ranks;
    for (int k = 0; k < 3; ++k)
        same = same && s[k]->own == t[k]->own && s[k]->ghosts == t[k]->ghosts && s[k]->peers == t[k]->peers && s[k]->sent == t[k]->sent && s[k]->candidates == t[k]->candidates && s[k]->work == t[k]->work;
    return same;
}

// A plan of a simulation that is there has the counts of ranks that make it: the work of a sphere does not depend on who owns it, and so does the partition not.
static void a_plan_counts_what_is_made(void** state)
{
    (void)state;
    const scene_maker makers[] = {friction, giant, equal_giants, flat, open_box, walls};
    for (size_t m = 0; m < sizeof makers / sizeof *makers; ++m) {
        system_of s = makers[m](31 + m);
        for (int32_t ranks = 2; ranks <= 8; ++ranks) {
            scree_sim* sim;
            scree_par* par;
            scree_sim_plan plan, made, stepped;
            start(&s);
            CHECK_OK(scree_sim_create(&s.def, scree_sphere_set_view(&s.set), s.v, &sim));
            CHECK_OK(scree_sim_find_plan(sim, ranks, &plan));
            CHECK_FAILS(scree_sim_get_shares(sim, &made), SCREE_ERR_ARGUMENT, "scree_par_share");
            scree_sim_destroy(sim);
            CHECK_OK(scree_par_create_virtual(ranks, &par));
            CHECK_OK(scree_par_share(par));
            start(&s);
            CHECK_OK(scree_sim_create(&s.def, scree_sphere_set_view(&s.set), s.v, &sim));
            CHECK_OK(scree_sim_get_shares(sim, &made));
            CHECK_OK(scree_sim_run(sim, 1));
            CHECK_OK(scree_sim_get_shares(sim, &stepped));
            assert_true(same_counts(&plan, &made) && made.sum.own == s.set.count);
            assert_true(plan.least.own <= plan.most.own && plan.least.bytes > 0 && plan.least.bytes <= plan.most.bytes && plan.held <= plan.sum.bytes && plan.held_first <= plan.first);
            assert_true(stepped.sum.bytes >= made.sum.bytes && stepped.sum.own == made.sum.own && stepped.first >= made.first);
            scree_sim_destroy(sim);
            scree_par_destroy(par);
        }
        free_scene(&s);
    }
}

// A plan has the counts of a run with as many ranks, and leaves the simulation as it is.
static void a_plan_counts_what_a_run_has(void** state)
{
    (void)state;
    const scene_maker makers[] = {damped, friction, giant, flat, open_box, sheared};
    for (size_t m = 0; m < sizeof makers / sizeof *makers; ++m) {
        system_of s = makers[m](21 + m);
        uint64_t hash[looks];
        run_alone(&s, hash);
        for (int32_t ranks = 1; ranks <= 8; ++ranks) {
            scree_sim* sim;
            scree_par* par;
            par_sim* shared;
            scree_sim_plan plan;
            scree_sim_share sum = {0}, most = {0};
            start(&s);
            CHECK_OK(scree_sim_create(&s.def, scree_sphere_set_view(&s.set), s.v, &sim));
            if (s.begin != NULL)
                s.begin(sim);
            uint64_t before = scree_sim_hash(sim);
            CHECK_OK(scree_sim_find_plan(sim, ranks, &plan));
            assert_true(scree_sim_hash(sim) == before && plan.ranks == ranks);
            CHECK_OK(par_alone(ranks, &par));
            CHECK_OK(par_sim_create(par, sim, &shared));
            CHECK_OK(par_sim_run(shared, 1));
            for (int32_t l = 0; l < ranks; ++l) {
                par_counts has;
                par_sim_counts(shared, l, &has);
                assert_true(has.lists == 1);
                sum.own += has.own;
                sum.ghosts += has.ghosts;
                sum.peers += has.peers;
                sum.sent += has.sent;
                sum.candidates += has.candidates;
                most.own = has.own > most.own ? has.own : most.own;
                most.ghosts = has.ghosts > most.ghosts ? has.ghosts : most.ghosts;
                most.peers = has.peers > most.peers ? has.peers : most.peers;
                most.sent = has.sent > most.sent ? has.sent : most.sent;
                most.candidates = has.candidates > most.candidates ? has.candidates : most.candidates;
            }
            assert_true(sum.own == s.set.count && plan.sum.own == sum.own && plan.most.own == most.own);
            assert_true(plan.sum.ghosts == sum.ghosts && plan.most.ghosts == most.ghosts && (ranks == 1) == (sum.ghosts == 0));
            assert_true(plan.sum.peers == sum.peers && plan.most.peers == most.peers && plan.most.peers < ranks);
            assert_true(plan.sum.sent == sum.sent && plan.most.sent == most.sent && plan.sum.candidates == sum.candidates && plan.most.candidates == most.candidates);
            assert_true(plan.most.work * ranks >= plan.sum.work && plan.most.bytes * ranks >= plan.sum.bytes && (ranks > 1 ? plan.sum.bytes + plan.first : plan.first) > 200 * (sum.own + sum.ghosts));
            par_sim_destroy(shared);
            par_close(par);
            if (ranks % 4 == 3) {  // a plan changes nothing of what comes
                scree_sim_destroy(sim);
                CHECK_OK(scree_sim_create(&s.def, scree_sphere_set_view(&s.set), s.v, &sim));
                if (s.begin != NULL)
                    s.begin(sim);
                for (int k = 0; k < looks; ++k) {
                    CHECK_OK(scree_sim_find_plan(sim, ranks, &plan));
                    CHECK_OK(scree_sim_run(sim, pieces[k]));
                    assert_true(shown_by(sim) == hash[k]);
                }
            }
            scree_sim_destroy(sim);
        }
        free_scene(&s);
    }
}

// What a run may set on its way, one thing at a time.
enum { settings = 6 };
static void set_one(scree_sim* sim, int number)
{
    static const double rows[] = {0.0, 0.1, 0.0, 0.0, 0.05, 0.2, 0.0, 0.0};
    scree_sim_load load = scree_default_sim_load();
    switch (number) {
    case 0: CHECK_OK(scree_sim_set_gravity(sim, (const double[3]){0.4, 0.0, -0.9}, (const double[3]){0.0, 0.3, 0.0})); break;
    case 1: CHECK_OK(scree_sim_set_wall_velocity(sim, (const double[3][2]){{0.0, 0.0}, {0.0, 0.0}, {0.0, scree_sim_box(sim).periodic[2] ? 0.0 : -0.2}})); break;
    case 2:
        load.kind = SCREE_LOAD_DRAG;
        load.value = (scree_signal){.kind = SCREE_SIGNAL_TABLE, .count = 2, .table = rows};
        CHECK_OK(scree_sim_set_load(sim, &load));
        break;
    case 3: CHECK_OK(scree_sim_set_step(sim, 0.75 * scree_sim_get_numbers(sim).step)); break;
    case 4:
        load.kind = SCREE_LOAD_GRAVITY;
        load.value = (scree_signal){.kind = SCREE_SIGNAL_RAMP, .value = {0.0, 0.0, -1.0}, .to = {0.5, 0.0, 0.0}, .over = 0.3};
        scree_sim_set_gravity(sim, (const double[3]){0.0, 0.0, -1.0}, (const double[3]){0.0, 0.0, 0.0});
        CHECK_OK(scree_sim_set_load(sim, &load));
        break;
    default: CHECK_FAILS(scree_sim_set_gravity(sim, (const double[3]){NAN, 0.0, 0.0}, (const double[3]){0.0, 0.0, 0.0}), SCREE_ERR_ARGUMENT, "nan"); break;
    }
}

// A simulation whose steps have become shorter, and one that takes its state: it begins with the longer ones.
static uint64_t go_on_with_shorter_steps(system_of* s, bool shared)
{
    enum { most = 2000, columns = 5 };
    static double x[3 * most], v[3 * most], w[3 * most], radius[most];
    static uint64_t key[most];
    const scree_sim_values values[columns] = {{"x", x}, {"v", v}, {"w", w}, {"radius", radius}, {"key", key}};
    scree_sim_state taken = {.column_count = columns, .columns = values};
    scree_sim_memory memory;
    scree_sim *sim, *next;
    double length;
    CHECK_OK(scree_sim_create(&s->def, scree_sphere_set_view(&s->set), s->v, &sim));
    CHECK_OK(scree_sim_create(&s->def, scree_sphere_set_view(&s->set), s->v, &next));
    assert_true(scree_sim_count(sim) <= most);
    CHECK_OK(scree_sim_run(sim, 20));
    length = scree_sim_get_numbers(sim).step;
    set_one(sim, 3);
    CHECK_OK(scree_sim_run(sim, 20));
    CHECK_OK(scree_sim_get_state(sim, &taken));
    CHECK_OK(scree_sim_get_memory(sim, &memory));
    taken.memory = &memory;
    CHECK_OK(scree_sim_set_state(next, &taken));
    assert_true(next->hollow == shared && scree_sim_get_numbers(next).step == taken.step_length && taken.step_length < length);
    CHECK_OK(scree_sim_run(sim, 20));
    CHECK_OK(scree_sim_run(next, 20));
    uint64_t hash = scree_sim_hash(sim) + 31 * scree_sim_hash(next);
    scree_sim_destroy(sim);
    scree_sim_destroy(next);
    return hash;
}

static void steps_of_a_state_may_be_shorter(void** state)
{
    (void)state;
    system_of s = friction(5);
    scree_par* par;
    start(&s);
    s.def.watch_overlaps = 0.1;
    uint64_t hash = go_on_with_shorter_steps(&s, false);
    CHECK_OK(par_alone(3, &par));
    par_share(par);
    assert_true(go_on_with_shorter_steps(&s, true) == hash);
    par_share_end();
    par_close(par);
    free_scene(&s);
}

// Gravity, walls, drag and the length of steps are set by the ranks; process 0 does not get the spheres for it.
static void compare_settings(const scene_maker* makers, size_t count, void (*set)(scree_sim* sim, int number), int settings_of)
{
    for (size_t m = 0; m < count; ++m) {
        system_of s = makers[m](51 + m);
        uint64_t wanted[settings];
        for (int32_t ranks = 0; ranks <= 8; ranks = ranks == 0 ? 1 : ranks == 1 ? 3 : ranks + 5) {
            scree_sim* sim;
            scree_par* par = NULL;
            start(&s);
            if (ranks > 0) {
                CHECK_OK(par_alone(ranks, &par));
                par_share(par);
            }
            CHECK_OK(scree_sim_create(&s.def, scree_sphere_set_view(&s.set), s.v, &sim));
            if (s.begin != NULL)
                s.begin(sim);
            for (int k = 0; k < settings_of; ++k) {
                CHECK_OK(scree_sim_run(sim, 9));
                set(sim, k);
                assert_true(ranks == 0 || sim->hollow);
                CHECK_OK(scree_sim_run(sim, 14));
                if (ranks == 0)
                    wanted[k] = shown_by(sim);
                else if (shown_by(sim) != wanted[k])
                    fail_msg("%s, %d ranks: something else after setting %d", s.name, (int)ranks, k);
            }
            scree_sim_destroy(sim);
            par_share_end();
            par_close(par);
        }
        free_scene(&s);
    }
}

static void changes_are_made_by_all_ranks(void** state)
{
    (void)state;
    const scene_maker makers[] = {walls, servo, position_verlet, dragged_giant};
    compare_settings(makers, sizeof makers / sizeof *makers, set_one, settings);
}

static void set_cell(scree_sim* sim, int number)
{
    scree_sim_cell cell = scree_default_sim_cell();
    if (number == 0 || number == 3)
        cell.rate[SCREE_CELL_XY] = number == 0 ? 0.8 : -0.3;
    if (number == 1) {
        cell.isotropic = true;
        cell.stress[0] = 0.4;
        cell.rate_most = 0.3;
    }
    if (number == 2) {
        cell.rate[0] = 0.2;
        cell.constant_volume = true;
    }
    CHECK_OK(scree_sim_set_cell(sim, &cell));
    cell.rate[0] = NAN;
    CHECK_FAILS(scree_sim_set_cell(sim, &cell), SCREE_ERR_ARGUMENT, "nan");
}

static void set_group(scree_sim* sim, int number)
{
    scree_sim_load load = scree_default_sim_load();
    load.target = number == 4 ? 1 : 2;
    switch (number) {
    case 0:
        load.kind = SCREE_LOAD_VELOCITY;
        load.value = (scree_signal){.kind = SCREE_SIGNAL_RAMP, .value = {0.2, 0.0, 0.0}, .to = {0.0, 0.3, 0.0}, .over = 0.2};
        break;
    case 1:
        CHECK_OK(scree_sim_release_group(sim, 1));
        CHECK_FAILS(scree_sim_release_group(sim, 7), SCREE_ERR_ARGUMENT, "7");
        load.kind = SCREE_LOAD_TORQUE;
        load.target = 0;
        load.value = (scree_signal){.kind = SCREE_SIGNAL_CONSTANT, .value = {0.0, 0.0, 0.01}};
        break;
    case 2:
        CHECK_OK(scree_sim_set_group_force(sim, 0, (const double[3]){0.1, 0.0, -0.1}));
        load.kind = SCREE_LOAD_SPIN;
        load.value = (scree_signal){.kind = SCREE_SIGNAL_CONSTANT, .value = {0.0, 0.4, 0.0}};
        break;
    case 3:
        CHECK_OK(scree_sim_release_group(sim, 2));
        load.kind = SCREE_LOAD_FORCE;
        load.value = (scree_signal){.kind = SCREE_SIGNAL_SINE, .value = {0.0, 0.2, 0.1}, .frequency = 2.0};
        break;
    default:
        load.kind = SCREE_LOAD_VELOCITY;
        load.value = (scree_signal){.kind = SCREE_SIGNAL_CONSTANT, .value = {0.0, 0.0, 0.0}};
        break;
    }
    CHECK_OK(scree_sim_set_load(sim, &load));
    load.target = 9;
    CHECK_FAILS(scree_sim_set_load(sim, &load), SCREE_ERR_ARGUMENT, "9");
}

static void groups_are_set_by_all_ranks(void** state)
{
    (void)state;
    const scene_maker makers[] = {groups, giant_groups, groups_by_positions};
    compare_settings(makers, sizeof makers / sizeof *makers, set_group, 5);
}

// Goes on from a state in which other spheres are fixed than at the start. `driven`: at the start some are.
static uint64_t go_on_with_others(const system_of* s, const scree_checkpoint* saved, bool driven, bool there)
{
    scree_sim* sim;
    CHECK_OK(scree_sim_create(&s->def, scree_sphere_set_view(&s->set), s->v, &sim));
    if (driven)
        drive_groups(sim);
    CHECK_OK(scree_sim_run(sim, 3));
    CHECK_OK(scree_checkpoint_restore(saved, sim));
    assert_true(sim->hollow == there);
    assert_true(scree_sim_hash(sim) == saved->hash);
    CHECK_OK(scree_sim_run(sim, 20));
    uint64_t hash = shown_by(sim);
    scree_sim_destroy(sim);
    return hash;
}

static void others_may_be_fixed_in_a_state(void** state)
{
    (void)state;
    const scene_maker makers[] = {groups, giant_groups};
    for (size_t m = 0; m < sizeof makers / sizeof *makers; ++m) {
        system_of s = makers[m](5);
        scree_checkpoint saved[2] = {{0}, {0}};  // none are fixed; some are
        scree_sim* sim;
        start(&s);
        CHECK_OK(scree_sim_create(&s.def, scree_sphere_set_view(&s.set), s.v, &sim));
        drive_groups(sim);
        CHECK_OK(scree_sim_run(sim, 8));
        CHECK_OK(scree_checkpoint_save(sim, &saved[1]));
        CHECK_OK(scree_sim_release_group(sim, 1));
        CHECK_OK(scree_sim_run(sim, 8));
        CHECK_OK(scree_checkpoint_save(sim, &saved[0]));
        scree_sim_destroy(sim);
        for (int k = 0; k < 2; ++k) {
            scree_par* par;
            uint64_t wanted = go_on_with_others(&s, &saved[k], k == 0, false);
            CHECK_OK(par_alone(3 + k, &par));
            par_share(par);
            assert_true(go_on_with_others(&s, &saved[k], k == 0, true) == wanted);
            par_share_end();
            par_close(par);
            scree_checkpoint_free(&saved[k]);
        }
        free_scene(&s);
    }
}

// Softer contacts with other friction.
static void soften(const system_of* s, scree_sim* sim)
{
    scree_sim_def def = s->def;
    scree_sim_law law = s->law;
    scree_sim_pair pair = s->pairs[0];
    pair.friction = 0.2;
    law.pairs = &pair;
    def.law = &law;
    def.stiffness = 15.0;
    def.restitution = 0.5;
    CHECK_OK(scree_sim_set_contacts(sim, &def, scree_sphere_set_view(&s->set)));
}

static void contacts_are_changed_by_all_ranks(void** state)
{
    (void)state;
    const scene_maker makers[] = {giant_friction, friction, numbered};
    for (size_t m = 0; m < sizeof makers / sizeof *makers; ++m) {
        system_of s = makers[m](m + 8);
        uint64_t wanted = 0;
        for (int32_t ranks = 0; ranks <= 5; ranks += ranks == 0 ? 3 : 2) {
            scree_sim* sim;
            scree_par* par = NULL;
            start(&s);
            if (ranks > 0) {
                CHECK_OK(par_alone(ranks, &par));
                par_share(par);
            }
            CHECK_OK(scree_sim_create(&s.def, scree_sphere_set_view(&s.set), s.v, &sim));
            CHECK_OK(scree_sim_run(sim, 30));
            soften(&s, sim);
            assert_true(ranks == 0 || sim->hollow);
            CHECK_OK(scree_sim_run(sim, 30));
            if (ranks == 0)
                wanted = shown_by(sim);
            else if (shown_by(sim) != wanted)
                fail_msg("%s, %d ranks: something else with other contacts", s.name, (int)ranks);
            scree_sim_destroy(sim);
            par_share_end();
            par_close(par);
        }
        free_scene(&s);
    }
}

static void cells_are_set_by_all_ranks(void** state)
{
    (void)state;
    const scene_maker makers[] = {sheared, sheared_flat, pressed};
    compare_settings(makers, sizeof makers / sizeof *makers, set_cell, 4);
}

// Ranks may lack memory while a checkpoint is made of what they have: it is the one before then.
static void a_checkpoint_that_fails_is_the_one_before(void** state)
{
    (void)state;
    system_of s = friction(5);
    scree_checkpoint saved = {0};
    scree_sim* sim;
    scree_par* par;
    start(&s);
    CHECK_OK(par_alone(3, &par));
    par_share(par);
    CHECK_OK(scree_sim_create(&s.def, scree_sphere_set_view(&s.set), s.v, &sim));
    CHECK_OK(scree_sim_run(sim, 30));
    CHECK_OK(scree_checkpoint_save(sim, &saved));
    const double* data = saved.columns[0].data;
    int64_t contacts = saved.memory.count;
    size_t bytes = (size_t)saved.count * (size_t)saved.columns[0].components * sizeof *data;
    double* kept = malloc(bytes);
    memcpy(kept, data, bytes);
    CHECK_OK(scree_sim_run(sim, 30));
    assert_true(contacts > 0);
    scree_status status = SCREE_ERR_MEMORY;
    for (int64_t n = 1; status != SCREE_OK; ++n) {
        (void)scree_memory_fail_at(n);
        status = scree_checkpoint_save(sim, &saved);
        (void)scree_memory_fail_at(0);
        assert_true(status == SCREE_OK || (status == SCREE_ERR_MEMORY && saved.step == 30 && saved.memory.count == contacts && memcmp(saved.columns[0].data, kept, bytes) == 0));
    }
    assert_true(saved.step == 60 && saved.hash == scree_sim_hash(sim) && memcmp(saved.columns[0].data, kept, bytes) != 0);
    free(kept);
    scree_checkpoint_free(&saved);
    scree_sim_destroy(sim);
    par_share_end();
    par_close(par);
    free_scene(&s);
}

// The deepest overlap on the way is found by whatever rank has it.
static void overlaps_are_watched_on_all_ranks(void** state)
{
    (void)state;
    for (int trial = 0; trial < 4; ++trial) {
        system_of s = trial % 2 == 0 ? walls((uint64_t)trial + 1) : hertz((uint64_t)trial + 1);
        scree_sim_overlaps wanted, found;
        scree_sim *sim, *reference;
        scree_par* par;
        par_sim* shared;
        s.def.watch_overlaps = trial < 2 ? 0.01 : 0.2;
        start(&s);
        CHECK_OK(scree_sim_create(&s.def, scree_sphere_set_view(&s.set), s.v, &reference));
        CHECK_OK(scree_sim_create(&s.def, scree_sphere_set_view(&s.set), s.v, &sim));
        CHECK_OK(par_alone(5, &par));
        CHECK_OK(par_sim_create(par, sim, &shared));
        par_sim_set_chance(shared, 3 + (uint64_t)trial);
        for (int k = 0; k < 3; ++k) {
            CHECK_OK(scree_sim_run(reference, 80));
            CHECK_OK(par_sim_run(shared, 80));
            CHECK_OK(scree_sim_take_overlaps(reference, &wanted));
            CHECK_OK(scree_sim_take_overlaps(sim, &found));
            assert_true(wanted.deepest.relative == found.deepest.relative && wanted.deepest.step == found.deepest.step);
            assert_true(wanted.deepest.ij[0] == found.deepest.ij[0] && wanted.deepest.ij[1] == found.deepest.ij[1]);
            assert_true(wanted.shortest.duration == found.shortest.duration);
            assert_true(trial >= 2 || wanted.deepest.relative > 0.01);
        }
        par_sim_destroy(shared);
        scree_sim_destroy(sim);
        scree_sim_destroy(reference);
        par_close(par);
        free_scene(&s);
    }
}

// ---- The forest --------------------------------------------------------------------------------------------------------

static int by_key(const void* a, const void* b)
{
    uint64_t x = *(const uint64_t*)a, y = *(const uint64_t*)b;
    return (x > y) - (x < y);
}

static void lay(par_forest* forest, scree_rng* rng, int dim, unsigned periodic)
{
    double size[3] = {9.0, 4.0, 2.5}, sides[3][2] = {{0.0, 9.0}, {0.0, 4.0}, {0.0, dim == 3 ? 2.5 : 0.0}};
    uint64_t markers[16];
    scree_box box = scree_box_sized(dim, size);
    for (int k = 0; k < dim; ++k)
        box.periodic[k] = (periodic >> k & 1) != 0;
    if (dim == 3 && periodic == 7 && scree_rng_uniform(rng) < 0.7) {  // up to half a box, as cells are reduced to
        box.tilt[0] = 9.0 * (scree_rng_uniform(rng) - 0.5);
        box.tilt[1] = 9.0 * (scree_rng_uniform(rng) - 0.5);
        box.tilt[2] = 4.0 * (scree_rng_uniform(rng) - 0.5);
    }
    forest_lay(forest, &box, (const double(*)[2])sides);
    for (int p = 0; p + 1 < forest->ranks; ++p) {
        double x[3] = {9.0 * scree_rng_uniform(rng), 4.0 * scree_rng_uniform(rng), dim == 3 ? 2.5 * scree_rng_uniform(rng) : 0.0};
        markers[p] = p > 0 && scree_rng_uniform(rng) < 0.2 ? markers[p - 1] : forest_key(forest, x);
    }
    qsort(markers, (size_t)forest->ranks - 1, sizeof *markers, by_key);
    CHECK_OK(forest_cut_at(forest, markers));
}

// Every owner of a point within reach is found: points are drawn around the centre, across periodic faces and outside of the box. Where a ball is at home, all of its points are.
static void a_ball_meets_all_who_own_a_point_of_it(void** state)
{
    (void)state;
    enum { ranks = 11 };
    scree_rng rng = scree_rng_make(4, 4);
    forest_hits hits = {0};
    int homes = 0;
    for (int trial = 0; trial < (int)(40 * test_effort()); ++trial) {
        par_forest forest;
        int dim = trial % 4 == 0 ? 2 : 3, met = 0;
        unsigned periodic = (unsigned)trial % 8;
        forest_home home[ranks];
        CHECK_OK(forest_open(trial / 8 % 2 == 0 ? ranks : 2, &forest));
        lay(&forest, &rng, dim, periodic);
        for (int p = 0; p < ranks; ++p)
            home[p] = forest_no_home();
        for (int b = 0; b < 40; ++b) {
            forest_ball ball = {.reach = scree_rng_uniform(&rng) * (b % 5 == 0 ? 3.0 : 0.5)};
            bool found[ranks] = {false};
            for (int k = 0; k < dim; ++k)
                ball.x[k] = (1.6 * scree_rng_uniform(&rng) - 0.3) * (forest.box.upper[k] - forest.box.lower[k]);
            int32_t me = b % forest.ranks;
            bool at_home = forest_is_home(&forest, me, ball.x, ball.reach, &home[me]);
            homes += at_home;
            CHECK_OK(forest_meet(&forest, me, 1, &ball, &hits));
            for (int64_t h = 0; h < hits.count; ++h)
                found[hits.hit[h].rank] = true;
            assert_false(found[me]);
            met += (int)hits.count;
            for (int p = 0; p < 60; ++p) {
                double y[3] = {0.0, 0.0, 0.0}, way[3];
                sim_direction(&rng, dim, way);
                double far = ball.reach * (p < 20 ? 1.0 : scree_rng_uniform(&rng));
                for (int k = 0; k < dim; ++k)
                    y[k] = ball.x[k] + way[k] * far * (1.0 - 1e-12);
                int32_t owner = forest_owner(&forest, forest_key(&forest, y));
                if (at_home && owner != me)
                    fail_msg("trial %d, ball %d: rank %d owns %g %g %g, which was said to be home of %d", trial, b, (int)owner, y[0], y[1], y[2], (int)me);
                if (owner != me && !found[owner])
                    fail_msg("trial %d, ball %d: rank %d owns %g %g %g and is not met", trial, b, (int)owner, y[0], y[1], y[2]);
            }
        }
        assert_true(met > 0);
        forest_close(&forest);
    }
    assert_true(homes > 0);
    scree_free(hits.hit);
}

static void cuts_share_the_weight(void** state)
{
    (void)state;
    enum { ranks = 6, many = 3000 };
    scree_rng rng = scree_rng_make(8, 8);
    scree_par* par;
    par_forest forest;
    static uint64_t keys[ranks][many];
    static int64_t sums[ranks][many + 1];
    forest_load loads[ranks];
    int64_t weight[ranks] = {0}, all = 0;
    CHECK_OK(par_alone(ranks, &par));
    CHECK_OK(forest_open(ranks, &forest));
    lay(&forest, &rng, 3, 5);
    for (int l = 0; l < ranks; ++l) {
        int count = l == 2 ? 0 : many / (1 + l);  // who has them now does not matter
        for (int i = 0; i < count; ++i) {
            double x[3] = {9.0 * pow(scree_rng_uniform(&rng), 3.0), 4.0 * scree_rng_uniform(&rng), 2.5 * scree_rng_uniform(&rng)};
            keys[l][i] = forest_key(&forest, x);
        }
        qsort(keys[l], (size_t)count, sizeof *keys[l], by_key);
        for (int i = 0; i <= count; ++i)
            sums[l][i] = 3 * i;
        all += 3 * count;
        loads[l] = (forest_load){.count = count, .key = keys[l], .weight = sums[l]};
    }
    CHECK_OK(forest_cut(&forest, par, loads));
    for (int l = 0; l < ranks; ++l)
        for (int64_t i = 0; i < loads[l].count; ++i)
            weight[forest_owner(&forest, keys[l][i])] += 3;
    for (int p = 0; p < ranks; ++p)
        CHECK_CLOSE((double)weight[p] * ranks / (double)all, 1.0, 0.01);
    forest_close(&forest);
    par_close(par);
}

// ---- What goes wrong ---------------------------------------------------------------------------------------------------

static void what_ranks_cannot_simulate_is_refused(void** state)
{
    (void)state;
    scree_par* par;
    scree_sim_plan plan;
    CHECK_FAILS(par_alone(0, &par), SCREE_ERR_ARGUMENT, "0");
    CHECK_OK(par_alone(2, &par));
    system_of s = damped(3);
    scree_sim* sim;
    par_sim* shared;
    start(&s);
    s.def.energies = false;
    s.def.device = SCREE_DEVICE_EMULATE;
    CHECK_OK(scree_sim_create(&s.def, scree_sphere_set_view(&s.set), s.v, &sim));
    CHECK_FAILS(par_sim_create(par, sim, &shared), SCREE_ERR_UNSUPPORTED, "def.device");
    assert_null(shared);
    CHECK_FAILS(scree_sim_find_plan(sim, 2, &plan), SCREE_ERR_UNSUPPORTED, "def.device");
    CHECK_FAILS(scree_sim_find_plan(sim, 0, &plan), SCREE_ERR_ARGUMENT, "0 ranks");
    CHECK_FAILS(scree_sim_find_plan(sim, SCREE_SIM_RANKS_MOST + 1, &plan), SCREE_ERR_ARGUMENT, "65537");
    scree_sim_destroy(sim);
    free_scene(&s);
    par_close(par);
}

static void a_lost_sphere_is_reported_as_in_one_process(void** state)
{
    (void)state;
    const double x[6] = {1.0, 1.0, 0.3, 8.0, 8.0, 8.0}, r[2] = {0.2, 0.2}, v[6] = {0.0, 0.0, -40.0, 0.0, 0.0, 0.0};
    scree_sim_def def = scree_default_sim_def();
    def.box = sim_cube(3, 10.0, false);
    def.stiffness = 1.0;
    def.threads = 1;
    scree_sim* sim;
    scree_par* par;
    par_sim* shared;
    CHECK_OK(par_alone(3, &par));
    CHECK_OK(scree_sim_create(&def, (scree_spheres){.count = 2, .dim = 3, .x = x, .r = r}, v, &sim));
    CHECK_OK(par_sim_create(par, sim, &shared));
    CHECK_FAILS(par_sim_run(shared, 100), SCREE_ERR_ARGUMENT, "sphere 0", "lower z");
    CHECK_FAILS(scree_sim_run(sim, 1), SCREE_ERR_ARGUMENT, "step");
    par_sim_destroy(shared);
    scree_sim_destroy(sim);
    par_close(par);
}

// Wherever it runs out, all ranks say so, and a further run gives the same bits.
static void memory_may_be_short_meanwhile(void** state)
{
    (void)state;
    system_of s = giant_friction(2);
    scree_sim* sim;
    uint64_t wanted = 0;
    int losses = 0;
    start(&s);
    for (int64_t n = 0; n < 100000; n = n < 40 ? n + 1 : n + n / (test_is_small() ? 4 : 9)) {
        scree_par* par;
        par_sim* shared;
        CHECK_OK(scree_sim_create(&s.def, scree_sphere_set_view(&s.set), s.v, &sim));
        CHECK_OK(par_alone(3, &par));
        scree_memory_fail_at(n);
        scree_status status = par_sim_create(par, sim, &shared);
        if (status == SCREE_OK)
            status = par_sim_run(shared, 30);
        int64_t allocations = scree_memory_fail_at(0);
        assert_true(status == SCREE_OK || status == SCREE_ERR_MEMORY);
        bool lost = sim->failed;  // in the steps, or while the whole took the state of the parts
        if (lost) {
            scree_sim_state before = {0};
            scree_sim_report report;
            assert_int_equal(scree_sim_count(sim), 0);
            CHECK_FAILS(scree_sim_set_state(sim, &before), SCREE_ERR_ARGUMENT, "other processes");
            CHECK_FAILS(scree_sim_measure(sim, &report), SCREE_ERR_ARGUMENT, "step");
            CHECK_FAILS(scree_sim_run(sim, 1), SCREE_ERR_ARGUMENT, "other processes");
        }
        losses += lost;
        if (shared == NULL)
            CHECK_OK(par_sim_create(par, sim, &shared));
        if (!lost)
            CHECK_OK(par_sim_run(shared, 30 - scree_sim_step(sim)));
        wanted = n == 0 ? scree_sim_hash(sim) : wanted;
        if (!lost && scree_sim_hash(sim) != wanted)
            fail_msg("allocation %d: another hash, step %d", (int)n, (int)scree_sim_step(sim));
        par_sim_destroy(shared);
        scree_sim_destroy(sim);
        par_close(par);
        if (n > 0 && n > allocations)
            break;
    }
    assert_true(losses > 0);
    free_scene(&s);
}

// An exchange that fails leaves the spheres as they were, or they are lost with it.
static void an_exchange_may_be_short_of_memory(void** state)
{
    (void)state;
    system_of s = giant_friction(2);
    uint64_t wanted = 0;
    int losses = 0, kept = 0;
    start(&s);
    for (int64_t n = 0; n < 100000; n = n < 20 ? n + 1 : n + n / (test_is_small() ? 4 : 9)) {
        const int64_t gone[2] = {7, 3};
        const double x[3] = {1.0, 1.0, 1.0}, r[1] = {0.4};
        scree_sim* sim;
        scree_par* par;
        par_sim* shared;
        CHECK_OK(scree_sim_create(&s.def, scree_sphere_set_view(&s.set), s.v, &sim));
        CHECK_OK(par_alone(3, &par));
        CHECK_OK(par_sim_create(par, sim, &shared));
        CHECK_OK(par_sim_run(shared, 2));
        uint64_t before = scree_sim_hash(sim);
        scree_memory_fail_at(n);
        scree_status status = scree_sim_exchange(sim, 2, gone, (scree_spheres){.count = 1, .dim = 3, .x = x, .r = r}, NULL, NULL, NULL);
        int64_t allocations = scree_memory_fail_at(0);
        assert_true(status == SCREE_OK || status == SCREE_ERR_MEMORY);
        assert_true(sim->failed == (status != SCREE_OK && scree_sim_count(sim) == 0));
        wanted = n == 0 ? scree_sim_hash(sim) : wanted;
        if (!sim->failed)
            assert_true(scree_sim_hash(sim) == (status == SCREE_OK ? wanted : before));
        losses += sim->failed;
        kept += status != SCREE_OK && !sim->failed;
        par_sim_destroy(shared);
        scree_sim_destroy(sim);
        par_close(par);
        if (n > 0 && n > allocations)
            break;
    }
    assert_true(losses > 0 && kept > 0);
    free_scene(&s);
}

typedef struct onlooker {
    scree_sim* sim;
    int times;
} onlooker;

// In the middle of a run: process 0 has no copy of the spheres. Stops the run.
static bool look_on(void* context, double done)
{
    onlooker* it = context;
    double radius = 0.0;
    (void)done;
    assert_true(it->sim->x == NULL && it->sim->v.at == NULL && it->sim->lists.rows.count == 0 && scree_sim_count(it->sim) > 0);
    CHECK_FAILS(scree_sim_get_column(it->sim, "radius", &radius), SCREE_ERR_ARGUMENT, "other processes");
    ++it->times;
    return false;
}

static void the_first_process_has_no_copy_meanwhile(void** state)
{
    (void)state;
    system_of s = giant_friction(3);
    onlooker it = {.times = 0};
    scree_sim* alone;
    scree_par* par;
    par_sim* shared;
    start(&s);
    CHECK_OK(scree_sim_create(&s.def, scree_sphere_set_view(&s.set), s.v, &alone));
    s.def.watch = (scree_watch){.tick = look_on, .context = &it};
    CHECK_OK(scree_sim_create(&s.def, scree_sphere_set_view(&s.set), s.v, &it.sim));
    CHECK_OK(par_alone(3, &par));
    CHECK_OK(par_sim_create(par, it.sim, &shared));
    CHECK_FAILS(par_sim_run(shared, 1000000), SCREE_ERR_CANCELLED, "step");
    assert_int_equal(it.times, 1);
    CHECK_OK(scree_sim_run(alone, scree_sim_step(it.sim)));
    assert_true(scree_sim_hash(it.sim) == scree_sim_hash(alone));
    par_sim_destroy(shared);
    scree_sim_destroy(it.sim);
    scree_sim_destroy(alone);
    par_close(par);
    free_scene(&s);
}

static const test_case cases[] = {
    SAME_BITS(spheres_without_memory_have_the_bits_of_one_process),
    SAME_BITS(contacts_remember_across_borders),
    SAME_BITS(boundaries_and_loads_act_on_all_ranks),
    SAME_BITS(spheres_come_and_go_on_all_ranks),
    SAME_BITS(cells_move_on_all_ranks),
    SAME_BITS(contacts_of_all_ranks_are_verified),
    SAME_BITS(bonds_hold_and_break_across_borders),
    SAME_BITS(any_partition_gives_the_same_bits),
    SAME_BITS(ghosts_are_wrapped_as_their_owners_are),
    SAME_BITS(threads_and_backends_do_not_matter),
    SAME_BITS(overlaps_are_watched_on_all_ranks),
    SAME_BITS(a_plan_counts_what_a_run_has),
    SAME_BITS(a_plan_counts_what_is_made),
    SAME_BITS(changes_are_made_by_all_ranks),
    SAME_BITS(cells_are_set_by_all_ranks),
    SAME_BITS(groups_are_set_by_all_ranks),
    SAME_BITS(others_may_be_fixed_in_a_state),
    SAME_BITS(contacts_are_changed_by_all_ranks),
    SAME_BITS(steps_of_a_state_may_be_shorter),
    THREADS(parts_of_many_blocks_have_the_same_bits),
    PROPERTY(a_ball_meets_all_who_own_a_point_of_it),
    UNIT(cuts_share_the_weight),
    UNIT(what_ranks_cannot_simulate_is_refused),
    UNIT(a_lost_sphere_is_reported_as_in_one_process),
    UNIT(the_first_process_has_no_copy_meanwhile),
    ALLOCATION(a_checkpoint_that_fails_is_the_one_before),
    ALLOCATION(memory_may_be_short_meanwhile),
    ALLOCATION(an_exchange_may_be_short_of_memory),
};

const test_group group_par = {.name = "par", .cases = cases, .count = sizeof cases / sizeof *cases};
