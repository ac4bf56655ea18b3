// See par_support.h. All ranks are in this process (par_alone.c).
#include "par_support.h"

// ---- Systems -----------------------------------------------------------------------------------------------------------

double par_part = 1.0;

par_system par_gas(int dim, int32_t count, double ratio, unsigned periodic, double density, uint64_t seed)
{
    count = (int32_t)(par_part * count);
    par_system s = {.def = scree_default_sim_def(), .each = scree_default_sim_each(), .law = scree_default_sim_law()};
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

void par_free(par_system* s)
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

par_system par_elastic(uint64_t seed)
{
    par_system s = par_gas(3, 300, 4.0, 7, 0.3, seed);
    s.name = "elastic";
    return s;
}

par_system par_damped(uint64_t seed)
{
    par_system s = par_gas(3, 300, 4.0, 3, 0.3, seed);
    s.name = "damped";
    s.def.restitution = 0.6;
    return s;
}

par_system par_walls(uint64_t seed)
{
    par_system s = par_gas(3, 260, 3.0, 0, 0.3, seed);
    s.name = "walls";
    s.def.damping = 0.2;
    s.def.gravity[2] = -0.3;
    s.def.gravity_turn[0] = 0.1;
    s.def.wall_velocity[2][1] = -0.05;
    s.def.wall_velocity[0][0] = -0.1;
    return s;
}

// A box barely larger than a sphere: several images of a pair touch at once, and spheres touch their own.
par_system par_tight(uint64_t seed)
{
    par_system s = {.name = "tight", .def = scree_default_sim_def(), .each = scree_default_sim_each(), .law = scree_default_sim_law()};
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

par_system par_flat(uint64_t seed)
{
    par_system s = par_gas(2, 250, 5.0, 1, 0.5, seed);
    s.name = "flat";
    s.def.restitution = 0.8;
    s.def.gravity[1] = -0.2;
    return s;
}

par_system par_open_box(uint64_t seed)
{
    par_system s = par_gas(3, 250, 3.0, 0, 0.3, seed);
    s.name = "open";
    s.def.box = scree_box_open(3);
    s.def.box.lower[2] = s.set.box.lower[2];
    s.def.restitution = 0.5;
    s.def.gravity[2] = -0.5;
    return s;
}

par_system par_giant(uint64_t seed)
{
    par_system s = par_gas(3, 300, 12.0, 5, 0.3, seed);
    s.name = "giant";
    s.def.restitution = 0.7;
    s.def.giants = 2.5;
    s.def.gravity[1] = -0.2;
    return s;
}

par_system par_position_verlet(uint64_t seed)
{
    par_system s = par_gas(3, 200, 3.0, 7, 0.3, seed);
    s.name = "position";
    s.def.integrator = SCREE_INTEGRATOR_POSITION_VERLET;
    s.def.restitution = 0.9;
    return s;
}

// Some are fixed, and some are pushed.
par_system par_fixed(uint64_t seed)
{
    par_system s = par_gas(3, 220, 3.0, 3, 0.3, seed);
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

void par_give_spin(par_system* s, uint64_t seed)
{
    scree_rng rng = scree_rng_make(seed, 9);
    s->spin = calloc((size_t)s->set.count * 3, sizeof *s->spin);
    for (int64_t e = 0; e < (int64_t)s->set.count * 3; ++e)
        s->spin[e] = s->set.dim == 3 || e % 3 == 2 ? scree_rng_uniform(&rng) - 0.5 : 0.0;
    s->each.spin = s->spin;
}

// Contacts that count their steps: a memory that nothing forgives.
par_system par_record(uint64_t seed)
{
    par_system s = par_gas(3, 260, 4.0, 3, 0.32, seed);
    s.name = "record";
    s.law.name = "record";
    s.def.restitution = 0.7;
    return s;
}

par_system par_friction(uint64_t seed)
{
    par_system s = par_gas(3, 260, 3.0, 3, 0.35, seed);
    s.name = "friction";
    s.pairs[0] = scree_default_sim_pair();
    s.pairs[0].friction = 0.5;
    s.law.material_count = 1;
    s.law.pairs = s.pairs;
    s.def.restitution = 0.6;
    s.def.gravity[2] = -0.4;
    par_give_spin(&s, seed);
    return s;
}

// The first lists are short, and spheres so fast that contacts end between two lists farther apart than either reaches.
par_system par_fast_friction(uint64_t seed)
{
    par_system s = par_friction(seed);
    s.name = "fast friction";
    s.def.restitution = 1.0;  // dashpots let go of friction before a contact ends
    for (int i = 0; i < 3 * s.set.count; ++i)
        s.v[i] *= 4.0;
    s.skin = 1e-6;
    return s;
}

par_system par_hertz(uint64_t seed)
{
    par_system s = par_gas(3, 260, 3.0, 7, 0.35, seed);
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
    par_give_spin(&s, seed);
    return s;
}

par_system par_two_materials(uint64_t seed)
{
    par_system s = par_gas(3, 260, 3.0, 5, 0.35, seed);
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

par_system par_flat_friction(uint64_t seed)
{
    par_system s = par_gas(2, 220, 4.0, 1, 0.55, seed);
    s.name = "flat friction";
    s.pairs[0] = scree_default_sim_pair();
    s.pairs[0].friction = 0.5;
    s.pairs[0].rolling_friction = 0.1;
    s.law.material_count = 1;
    s.law.pairs = s.pairs;
    s.def.restitution = 0.5;
    s.def.gravity[1] = -0.4;
    par_give_spin(&s, seed);
    return s;
}

par_system par_giant_friction(uint64_t seed)
{
    par_system s = par_gas(3, 260, 10.0, 3, 0.35, seed);
    s.name = "giant friction";
    s.pairs[0] = scree_default_sim_pair();
    s.pairs[0].friction = 0.5;
    s.law.material_count = 1;
    s.law.pairs = s.pairs;
    s.def.restitution = 0.6;
    s.def.giants = 2.0;
    s.def.gravity[2] = -0.4;
    par_give_spin(&s, seed);
    return s;
}

// Some ids are of no sphere, as after others have gone.
par_system par_numbered(uint64_t seed)
{
    par_system s = par_giant_friction(seed);
    s.name = "numbered";
    s.id = malloc((size_t)s.set.count * sizeof *s.id);
    for (int32_t i = 0; i < s.set.count; ++i)
        s.id[i] = 3 * i + i % 3;
    s.each.id = s.id;
    return s;
}

// Giants of one size, whose order changes often: contacts of two are with one owner alone.
par_system par_equal_giants(uint64_t seed)
{
    par_system s = par_giant_friction(seed);
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
par_system par_sticky(uint64_t seed)
{
    par_system s = par_gas(3, 240, 3.0, 7, 0.35, seed);
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
par_system par_surfaces(uint64_t seed)
{
    par_system s = par_gas(3, 240, 3.0, 0, 0.3, seed);
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

void par_drive_groups(scree_sim* sim)
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

static par_system par_in_groups(par_system s)
{
    s.group = calloc((size_t)s.set.count, sizeof *s.group);
    for (int i = 0; i < s.set.count; ++i)
        s.group[i] = (uint16_t)(i % 11 == 0 ? 1 : i % 3 == 0 ? 2 : 0);
    s.each.group = s.group;
    s.begin = par_drive_groups;
    return s;
}

par_system par_groups(uint64_t seed)
{
    par_system s = par_in_groups(par_friction(seed));
    s.name = "groups";
    return s;
}

par_system par_bonded_groups(uint64_t seed)
{
    par_system s = par_in_groups(par_bonded(seed));
    s.name = "bonded groups";
    s.begin = NULL;  // driven groups cannot have bonds
    return s;
}

par_system par_giant_groups(uint64_t seed)
{
    par_system s = par_in_groups(par_giant_friction(seed));
    s.name = "groups with giants";
    return s;
}

par_system par_groups_by_positions(uint64_t seed)
{
    par_system s = par_groups(seed);
    s.name = "groups, position Verlet";
    s.def.integrator = SCREE_INTEGRATOR_POSITION_VERLET;
    return s;
}

// Neighbours are bonded, and some that are far apart; many bonds break on the way.
par_system par_bonded(uint64_t seed)
{
    static const int64_t far[4][2] = {{3, 120}, {17, 90}, {40, 41}, {100, 7}};
    par_system s = par_gas(3, 260, 3.0, 3, 0.35, seed);
    s.name = "bonded";
    for (int32_t i = 0; i < s.set.count; i += 9)  // some begin in another image of the box
        s.set.x[3 * i] += s.set.box.upper[0] - s.set.box.lower[0];
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
    par_give_spin(&s, seed);
    return s;
}

// Without friction, with a giant, in 2D, all periodic: broken ones drift away through the faces.
par_system par_bonded_giant(uint64_t seed)
{
    par_system s = par_gas(2, 180, 6.0, 3, 0.55, seed);
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

par_system par_dragged(uint64_t seed)
{
    par_system s = par_surfaces(seed);
    s.name = "dragged";
    s.pairs[0].rolling_friction = 0.2;
    s.fixed = calloc((size_t)s.set.count, 1);
    for (int i = 0; i < s.set.count; ++i)
        s.fixed[i] = i % 23 == 1;
    for (int i = 0; i < 3 * s.set.count; ++i)
        s.v[i] = s.fixed[i / 3] ? 0.0 : s.v[i];
    s.each.fixed = s.fixed;
    par_give_spin(&s, seed);
    s.begin = resist;
    return s;
}

// No contact law of parts, and a giant.
par_system par_dragged_giant(uint64_t seed)
{
    par_system s = par_giant(seed);
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

par_system par_servo(uint64_t seed)
{
    par_system s = par_gas(3, 260, 3.0, 3, 0.35, seed);
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
    scree_box box = scree_sim_get_box(sim);
    double x[6] = {0.5 * (box.lower[0] + box.upper[0]), 0.4 * box.upper[1] + 0.6 * box.lower[1], 40.0 + 3.0 * turn, 0.0, 0.0, 0.0}, r[2] = {0.6, 0.7}, v[6] = {0.1, 0.2, -3.0, 0.0, -0.1, -4.0};
    memcpy(x + 3, x, 3 * sizeof *x);
    x[5] += 1.25;
    int64_t first, gone = 40 + turn;
    CHECK_OK(scree_sim_exchange(sim, sim_row_of(sim, gone) >= 0 ? 1 : 0, &gone, (scree_spheres){.count = 2, .dim = 3, .x = x, .r = r}, v, NULL, &first));
}

// Some go, one of them comes back in contact with another, and others come; one is as large as the giants. Where there are bonds none goes.
void par_swap_some(scree_sim* sim, int turn)
{
    enum { most = 400 };
    static double x[3 * most], r[most];
    static int64_t id[most];
    const scree_box box = scree_sim_get_box(sim);
    const int dim = box.dim;
    const int32_t n = scree_sim_get_count(sim);
    assert_true(n <= most && n > 60);
    CHECK_OK(scree_sim_get_column(sim, "x", x));
    CHECK_OK(scree_sim_get_column(sim, "radius", r));
    CHECK_OK(scree_sim_get_column(sim, "id", id));
    const int32_t at[3] = {10 + 7 * turn, 30 + turn, 50 - 5 * turn}, beside[3] = {11 + 7 * turn, 33 + turn, 55};
    const bool stays = scree_sim_get_numbers(sim).bond_count > 0;
    const int64_t gone[3] = {id[at[1]], id[at[0]], id[at[2]]}, more[3] = {stays ? id[n - 1] + 1 : id[at[0]], id[n - 1] + 2, id[n - 1] + 4};
    double y[9], size[3], v[9], giant = 0.0;
    for (int32_t i = 0; i < n; ++i)
        giant = fmax(giant, r[i]);
    for (int k = 0; k < 3; ++k) {
        size[k] = k == 0 ? r[at[0]] : k == 1 ? r[beside[1]] : giant;
        for (int a = 0; a < dim; ++a) {
            y[k * dim + a] = x[beside[k] * dim + a] + (a == 0 ? 0.97 * (size[k] + r[beside[k]]) : 0.0);
            if (k == 0 && turn > 0 && !stays)  // its own place: its contacts are new ones
                y[k * dim + a] = x[at[0] * dim + a];
            v[k * dim + a] = 0.05 * (a + k - turn);
            if (!box.periodic[a] && box.upper[a] < INFINITY)
                y[k * dim + a] = fmin(fmax(y[k * dim + a], box.lower[a] + 0.1 * size[k]), box.upper[a] - 0.1 * size[k]);
        }
    }
    scree_sim_each each = scree_default_sim_each();
    each.id = more;
    CHECK_OK(scree_sim_exchange(sim, stays ? 0 : 3, gone, (scree_spheres){.count = 3, .dim = dim, .x = y, .r = size}, v, &each, NULL));
}

// Spheres fall through a sheet and are gone; others come in between runs.
par_system par_sieve(uint64_t seed)
{
    par_system s = par_gas(3, 220, 3.0, 3, 0.3, seed);
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
static par_system cell_of(const char* name, int dim, bool rough, double density, uint64_t seed)
{
    par_system s = par_gas(dim, dim == 2 ? 180 : 220, 3.0, dim == 2 ? 3 : 7, density, seed);
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

par_system par_sheared(uint64_t seed)
{
    par_system s = cell_of("sheared", 3, true, 0.35, seed);
    s.cell.rate[SCREE_CELL_XY] = 0.5;
    s.cell.rate[SCREE_CELL_YZ] = -0.2;
    s.cell.rate[SCREE_CELL_ZZ] = -0.05;
    return s;
}

par_system par_sheared_flat(uint64_t seed)
{
    par_system s = cell_of("sheared, flat", 2, false, 0.55, seed);
    s.cell.rate[SCREE_CELL_XY] = 1.5;
    s.cell.constant_volume = false;
    s.def.giants = 1.2;
    return s;
}

par_system par_pressed(uint64_t seed)
{
    par_system s = cell_of("pressed", 3, true, 0.4, seed);
    s.cell.isotropic = true;
    s.cell.stress[0] = 0.5;
    s.cell.rate_most = 0.5;
    s.def.giants = 1.2;
    return s;
}

par_system par_triaxial(uint64_t seed)
{
    par_system s = cell_of("triaxial", 3, false, 0.4, seed);
    s.cell.rate[SCREE_CELL_ZZ] = -0.2;
    s.cell.controlled = 3;
    s.cell.stress[0] = s.cell.stress[1] = 0.3;
    s.cell.rate_most = 0.5;
    return s;
}

par_system par_constant_volume(uint64_t seed)
{
    par_system s = cell_of("constant volume", 3, true, 0.35, seed);
    s.cell.rate[SCREE_CELL_XX] = -0.3;
    s.cell.constant_volume = true;
    return s;
}

par_system par_tilted(uint64_t seed)
{
    par_system s = par_gas(3, 220, 3.0, 7, 0.3, seed);
    double side = s.set.box.upper[0] - s.set.box.lower[0];
    s.name = "tilted";
    s.def.box.tilt[0] = 0.4 * side;
    s.def.box.tilt[1] = -0.3 * side;
    s.def.box.tilt[2] = 0.2 * side;
    s.def.restitution = 0.7;
    return s;
}

// ---- The reference ---------------------------------------------------------------------------------------------------------

scree_par* par_begin_shared(int32_t ranks)
{
    scree_par* par = NULL;
    if (ranks > 0) {
        CHECK_OK(par_alone(ranks, &par));
        par_share(par);
    }
    return par;
}

void par_end_shared(scree_par* par)
{
    par_share_end();
    par_close(par);
}

void par_begin(par_system* s)
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
uint64_t par_shown(scree_sim* sim)
{
    scree_sim_report r;
    scree_sim_state state = {0};
    const scree_sim_numbers given = scree_sim_get_numbers(sim);
    uint64_t hash = scree_sim_hash(sim) + remembered_by(sim);
    CHECK_OK(scree_sim_measure(sim, &r));
    CHECK_OK(scree_sim_get_state(sim, &state));
    const double numbers[] = {r.energy_kinetic, r.energy_rotation, r.energy_contact, r.energy_normal, r.energy_tangential, r.energy_rolling, r.energy_gravity, r.pressure, r.virial, (double)r.contacts,
                              (double)r.wall_contacts, (double)r.sliding, r.max_overlap, r.speed_max, r.dissipated_normal, r.dissipated_tangential, r.dissipated_rolling, r.dissipated_twisting,
                              r.work_walls, r.work_gravity, r.work_forces, r.dissipated_drag, r.dissipated_local, (double)r.bonds, (double)r.bonds_broken, r.energy_bonds, r.dissipated_bonds, r.released_bonds,
                              (double)r.flow.inserted, (double)r.flow.removed, (double)r.flow.next_id, r.flow.mass_inserted, r.flow.mass_removed, r.flow.energy_inserted, r.flow.energy_removed, r.flow.gravity_inserted,
                              r.flow.gravity_removed, given.mass, given.radius_min, given.mass_max, given.longest_time_step, (double)given.fixed, (double)given.giant_count};
    // Wherever the spheres are: boundaries, groups, and rows of columns, in two pieces.
    enum { most = 16 };
    scree_sim_boundary_report boundary[most];
    scree_sim_group_report group[most];
    int32_t boundaries = scree_sim_get_boundaries(sim, boundary, most), groups = scree_sim_get_groups(sim, group, most), n = scree_sim_get_count(sim), dim = scree_sim_get_box(sim).dim;
    assert_true(boundaries >= 0 && boundaries <= most && groups >= 0 && groups <= most);
    double felt[most][15], *x = malloc(((size_t)n + 1) * 3 * sizeof *x);
    int64_t *contacts = malloc(((size_t)n + 1) * sizeof *contacts), *id = malloc(((size_t)n + 1) * sizeof *id), half = n / 3;
    for (int32_t piece = 0; piece < 2; ++piece) {
        const scree_sim_values columns[] = {{"contacts", contacts + piece * half}, {"x", x + piece * half * dim}};
        CHECK_OK(scree_sim_get_rows(sim, piece * half, piece == 0 ? half : n - half, 2, columns));
    }
    for (int64_t i = 0; i < n; ++i)
        x[i * dim] += 7.0 * (double)contacts[i];
    scree_sim_contacts shown;
    CHECK_OK(scree_sim_get_contacts(sim, &shown));
    static int64_t touching[20000];
    CHECK_OK(scree_sim_get_column(sim, "id", id));
    memset(touching, 0, sizeof touching);
    for (int64_t c = 0; c < 2 * shown.count; ++c)
        if (shown.ij[c / 2][c % 2] >= 0) {
            assert_true(shown.ij[c / 2][c % 2] < 20000);
            ++touching[shown.ij[c / 2][c % 2]];
        }
    for (int32_t i = 0; i < n; ++i)
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
    scree_sim_bonds bonds;
    CHECK_OK(scree_sim_get_bonds(sim, &bonds));  // valid until the next call
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
    free(x);
    free(contacts);
    free(id);
    return hash;
}

const int64_t par_pieces[par_looks] = {1, 64, 55};

void par_run_alone(par_system* s, uint64_t hash[par_looks])
{
    scree_sim* sim;
    par_begin(s);
    CHECK_OK(scree_sim_create(&s->def, scree_sphere_set_view(&s->set), s->v, &sim));
    if (s->begin != NULL)
        s->begin(sim);
    for (int k = 0; k < par_looks; ++k) {
        CHECK_OK(scree_sim_run(sim, par_pieces[k]));
        hash[k] = par_shown(sim);
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
void par_run_shared(par_system* s, int32_t ranks, bool there, uint64_t chance, const uint64_t hash[par_looks])
{
    scree_par* par;
    par_sim* shared = NULL;
    scree_sim* sim;
    par_begin(s);
    CHECK_OK(par_alone(ranks, &par));
    par->slice = chance % 3 == 0 ? 0 : 10 + ranks;  // spheres come and go in many slices
    if (there)
        par_share(par);
    CHECK_OK(scree_sim_create(&s->def, scree_sphere_set_view(&s->set), s->v, &sim));
    par_share_end();
    assert_true(sim->hollow == there);
    bool hollow = sim->hollow;
    if (s->begin != NULL)
        s->begin(sim);
    assert_true(!hollow || sim->hollow);  // the ranks have set what there was to set
    if (sim->crew == NULL)
        CHECK_OK(par_sim_create(par, sim, &shared));
    else
        shared = sim->crew;
    par_sim_set_chance(shared, chance);
    for (int k = 0; k < par_looks; ++k) {
        CHECK_OK(par_sim_run(shared, par_pieces[k]));
        if (par_shown(sim) != hash[k])
            fail_msg("%s, %d ranks, chance %d: something else at step %d", s->name, (int)ranks, (int)chance, (int)scree_sim_get_step(sim));
        if (k < 2)
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

void par_compare(const par_maker* makers, size_t count)
{
    // With borders by weight and by chance. Where it is a second compiler's turn: 3 and 8.
    static const struct {
        int32_t ranks;
        bool by_chance, always;
    } ways[] = {{1, false, false}, {2, false, false}, {2, true, false}, {3, true, true}, {4, false, false}, {5, false, false}, {7, true, false}, {8, false, false}, {8, true, true}};
    for (size_t m = 0; m < count; ++m) {
        par_system s = makers[m](m + 1);
        uint64_t hash[par_looks];
        par_run_alone(&s, hash);
        for (size_t w = 0; w < sizeof ways / sizeof *ways; ++w)
            if (ways[w].always || !test_is_small())
                par_run_shared(&s, ways[w].ranks, ((size_t)ways[w].ranks + m) % 2 == 0, ways[w].by_chance ? 7 * m + 1 : 0, hash);
        par_free(&s);
    }
}
