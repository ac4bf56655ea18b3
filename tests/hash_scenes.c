// See hash_scenes.h. A new scene changes no other one, if it is appended to its family and the family is the last; else the file is written anew.
#include "hash_scenes.h"

#include "surface_support.h"

#include "scree/loads.h"

// ---- Systems of the tests of ranks -----------------------------------------------------------------------------------------

static const par_maker makers[] = {
    par_elastic,        par_damped,       par_walls,         par_tight,     par_flat,          par_open_box,       par_giant,          par_position_verlet,
    par_fixed,          par_record,       par_friction,      par_fast_friction, par_hertz,     par_two_materials,  par_flat_friction,  par_giant_friction,
    par_numbered,       par_equal_giants, par_sticky,        par_surfaces,  par_groups,        par_bonded_groups,  par_giant_groups,   par_groups_by_positions,
    par_bonded,         par_bonded_giant, par_dragged,       par_dragged_giant, par_servo,     par_sieve,          par_sheared,        par_sheared_flat,
    par_pressed,        par_triaxial,     par_constant_volume, par_tilted,
};
enum { maker_count = sizeof makers / sizeof *makers };

// Each with energies and without.
static void make_shared(int number, hash_scene* out)
{
    out->s = makers[number / 2]((uint64_t)(number / 2) + 1 + 77 * (uint64_t)(number % 2));
    out->energies = number % 2 == 0;
    snprintf(out->name, sizeof out->name, "%s", out->s.name);
}

// Spheres come and go.
static const par_maker changing[] = {par_elastic, par_giant_friction, par_position_verlet, par_fixed, par_dragged_giant, par_flat_friction, par_bonded, par_hertz};
enum { changing_count = sizeof changing / sizeof *changing };

static void make_changing(int number, hash_scene* out)
{
    out->s = changing[number](600 + (uint64_t)number);
    out->s.changes = par_swap_some;
    out->energies = number % 2 == 1;
    snprintf(out->name, sizeof out->name, "%s, exchange", out->s.name);
}

// ---- Laws ------------------------------------------------------------------------------------------------------------------

static par_system make_gas(const char* law, int number)
{
    const int dim = number % 4 == 1 ? 2 : 3;
    par_system s = par_gas(dim, dim == 3 ? 200 : 170, number % 5 == 4 ? 9.0 : 2.5, dim == 3 ? (number % 2 == 0 ? 7 : 4) : (number % 2 == 0 ? 3 : 2), dim == 3 ? 0.35 : 0.55, 700 + (uint64_t)number);
    const bool curved = strcmp(law, "hertz") == 0 || strcmp(law, "jkr") == 0 || strcmp(law, "dmt") == 0;
    s.law.name = law;
    s.law.material_count = 2;
    s.law.pairs = s.pairs;
    if (curved) {
        s.law.materials = s.materials;
        s.def.speed = 1.0;
    }
    s.def.stiffness = 0.0;
    s.material = calloc((size_t)s.set.count, sizeof *s.material);
    for (int32_t i = 0; i < s.set.count; ++i)
        s.material[i] = (uint16_t)(i % 4 == 1);
    s.each.material = s.material;
    for (int m = 0; m < 2; ++m) {
        s.materials[m] = scree_default_sim_material();
        s.materials[m].young = 60.0 + 10.0 * m;
        s.materials[m].poisson = 0.3 - 0.1 * m;
    }
    for (int e = 0; e < 4; ++e) {
        scree_sim_pair* p = &s.pairs[e];
        *p = scree_default_sim_pair();
        p->stiffness = curved ? 0.0 : 20.0 + (e == 3);
        p->surface_energy = strcmp(law, "jkr") == 0 || strcmp(law, "dmt") == 0 ? 0.02 + 0.01 * (e == 0) : 0.0;
        if (strcmp(law, "plastic") == 0) {
            p->k2 = 50.0;
            p->kc = 10.0;
            p->plastic_depth = 0.1;
        }
    }
    for (int64_t e = 0; e < (int64_t)s.set.count * dim; ++e)
        s.v[e] *= 3.0;
    s.def.gravity[dim - 1] = number % 2 == 0 ? 0.0 : -0.3;
    if (number % 5 == 4)
        s.def.giants = 2.0;
    if (number % 7 == 6)
        s.def.integrator = SCREE_INTEGRATOR_POSITION_VERLET;
    return s;
}

enum { no_dashpot, constant_dashpot, restitution_dashpot, viscous_dashpot, dashpots };

static void choose_dashpot(par_system* s, int dashpot)
{
    for (int e = 0; e < 4; ++e) {
        s->pairs[e].damping = dashpot == constant_dashpot ? 0.2 + 0.1 * (e == 3) : 0.0;
        s->pairs[e].restitution = dashpot == restitution_dashpot ? 0.8 - 0.1 * (e == 0) : 0.0;
        s->pairs[e].viscous_time = dashpot == viscous_dashpot ? 0.02 : 0.0;
    }
}

enum { smooth, rubbing, rolling, turning, rolling_alone, couplings };

static void choose_coupling(par_system* s, int coupling, uint64_t seed)
{
    for (int e = 0; e < 4; ++e) {
        scree_sim_pair* p = &s->pairs[e];
        p->friction = coupling == smooth || coupling == rolling_alone ? 0.0 : 0.4 + 0.1 * (e == 0);
        p->friction_dynamic = coupling == rolling ? 0.3 : 0.0;
        p->rolling_friction = coupling >= rolling ? 0.1 : 0.0;
        p->rolling_damping = coupling >= rolling ? 0.2 : 0.0;
        p->twisting_friction = coupling != turning ? 0.0 : e == 0 ? 1.0 : 0.05;  // some stick
        p->twisting_damping = coupling == turning ? 0.2 : 0.0;
    }
    if (coupling != smooth)
        par_give_spin(s, seed);
}

static const char* const normals[] = {"linear", "hertz", "jkr", "dmt", "plastic"};
static const char* const dashpot_names[dashpots] = {"undamped", "dashpot", "restitution", "viscous"};
static const char* const coupling_names[couplings] = {"smooth", "friction", "rolling", "twisting", "rolling alone"};

// Normal forces, dashpots and couplings in all combinations that there are.
enum { law_count = (2 * 3 + 3 * 4) * 3 };

static void make_law(int number, hash_scene* out)
{
    static const int coupled[3] = {smooth, rubbing, turning};
    const int dashpot_of[18][2] = {{0, 0}, {0, 1}, {0, 2}, {1, 0}, {1, 1}, {1, 2}, {1, 3}, {2, 0}, {2, 1}, {2, 2}, {2, 3}, {3, 0}, {3, 1}, {3, 2}, {3, 3}, {4, 0}, {4, 1}, {4, 2}};
    const int normal = dashpot_of[number / 3][0], dashpot = dashpot_of[number / 3][1], coupling = coupled[number % 3];
    out->s = make_gas(normals[normal], number);
    choose_dashpot(&out->s, dashpot);
    choose_coupling(&out->s, coupling, (uint64_t)number);
    out->s.law.no_pull = number % 4 == 3 && normal != 2 && normal != 3;
    out->energies = number / 3 % 2 == number % 2;
    snprintf(out->name, sizeof out->name, "%s, %s, %s", normals[normal], dashpot_names[dashpot], coupling_names[coupling]);
}

// Other forms of the terms.
static const struct {
    const char *normal, *tangential, *twisting;
    int dashpot, coupling;
    bool bridge, energies, no_pull;
} forms[] = {
    {"linear", NULL, "marshall", restitution_dashpot, turning, false, true, false},
    {"hertz", NULL, "marshall", restitution_dashpot, turning, false, false, false},
    {"jkr", NULL, "marshall", constant_dashpot, turning, false, true, false},
    {"hertz", "linear", NULL, restitution_dashpot, rubbing, false, true, false},
    {"hertz", NULL, NULL, viscous_dashpot, rolling, false, true, true},
    {"dmt", "linear", NULL, no_dashpot, rolling, false, false, false},
    {"linear", NULL, NULL, restitution_dashpot, rolling, false, false, true},
    {"linear", NULL, NULL, constant_dashpot, rolling, false, true, false},
    {"linear", NULL, NULL, restitution_dashpot, rolling_alone, false, true, false},
    {"hertz", NULL, NULL, constant_dashpot, rolling_alone, false, false, false},
    {"linear", NULL, NULL, restitution_dashpot, smooth, true, true, false},
    {"linear", NULL, NULL, no_dashpot, rubbing, true, false, false},
    {"hertz", NULL, NULL, restitution_dashpot, smooth, true, false, false},
    {"hertz", NULL, NULL, viscous_dashpot, turning, true, true, false},
    {"dmt", NULL, NULL, constant_dashpot, rubbing, true, false, false},
    {"plastic", NULL, NULL, restitution_dashpot, rolling, true, true, false},
    {"plastic", NULL, NULL, no_dashpot, smooth, true, false, false},
    {"linear", NULL, NULL, no_dashpot, smooth, false, false, true},
};
enum { form_count = sizeof forms / sizeof *forms };

static void make_form(int number, hash_scene* out)
{
    out->s = make_gas(forms[number].normal, 100 + number);
    choose_dashpot(&out->s, forms[number].dashpot);
    choose_coupling(&out->s, forms[number].coupling, (uint64_t)number);
    out->s.law.tangential = forms[number].tangential;
    out->s.law.twisting = forms[number].twisting;
    out->s.law.no_pull = forms[number].no_pull;
    out->energies = forms[number].energies;
    for (int e = 0; e < 4 && forms[number].bridge; ++e) {
        out->s.pairs[e].bridge_volume = e == 3 ? 0.0 : 0.002;
        out->s.pairs[e].surface_tension = 0.2;
        out->s.pairs[e].wetting_angle = 0.3;
    }
    snprintf(out->name, sizeof out->name, "%s, %s, %s%s%s", forms[number].normal, dashpot_names[forms[number].dashpot], coupling_names[forms[number].coupling], forms[number].bridge ? ", bridge" : "",
             forms[number].twisting != NULL ? ", marshall" : "");
}

// ---- Boundaries ------------------------------------------------------------------------------------------------------------

// One of a shape that stands in the box, and a round wall about it: seven shapes and four round walls in all combinations.
enum { shape_kinds = SCREE_EXACT_COUNT + 1, round_kinds = 4, shape_count = shape_kinds * round_kinds };

static scree_surface* make_bumpy(double side)
{
    enum { pieces = 9 };
    double heights[(pieces + 1) * (pieces + 1)];
    for (int k = 0; k < (pieces + 1) * (pieces + 1); ++k)
        heights[k] = side * (0.12 + 0.05 * (k % 3 == 1) + 0.03 * (k % 4 == 2));
    scree_triangles t = mesh_heights(pieces, 0.05 * side, 0.95 * side, heights);
    return mesh_surface(&t);
}

static void set_shape(par_system* s, int kind, double side)
{
    scree_sim_boundary* b = &s->boundary[0];
    scree_exact* e = &s->exact[0];
    const double middle = 0.5 * side;
    *b = scree_default_sim_boundary();
    if (kind == SCREE_EXACT_COUNT) {
        s->mesh = make_bumpy(side);
        b->surface = s->mesh;
        return;
    }
    *e = scree_default_exact();
    e->kind = kind;
    for (int k = 0; k < 3; ++k) {
        e->at[k] = kind == SCREE_EXACT_PLANE && k == 2 ? 0.12 * side : middle;
        e->lower[k] = 0.35 * side;
        e->upper[k] = 0.62 * side;
    }
    e->axis[0] = kind == SCREE_EXACT_PLANE ? 0.05 : 0.3;
    e->axis[1] = kind == SCREE_EXACT_PLANE ? 0.0 : 0.2;
    e->axis[2] = 1.0;
    e->radius[0] = 0.2 * side;
    e->radius[1] = kind == SCREE_EXACT_CONE ? 0.1 * side : kind == SCREE_EXACT_DISC ? 0.06 * side : 0.0;
    e->length = 0.25 * side;
    memcpy(b->about, e->at, sizeof b->about);
    b->exact = e;
}

static void set_round(par_system* s, int kind, double side)
{
    scree_sim_boundary* b = &s->boundary[1];
    *b = scree_default_sim_boundary();
    b->kind = kind % 2 == 0 ? "sphere" : "cylinder";
    b->outside = kind >= 2;
    for (int k = 0; k < 3; ++k)
        b->at[k] = b->outside && k < 2 ? 0.18 * side : 0.5 * side;
    b->radius = b->outside ? 0.1 * side : 0.65 * side;
    b->axis[0] = 0.0;
    b->axis[2] = 1.0;
    b->velocity[0] = b->outside ? 0.05 : 0.0;
    b->spin[2] = 0.2;
}

// How far a sphere overlaps this boundary; `normal` out of it.
static double find_overlap(const scree_sim_boundary* b, const double* x, double r, double normal[3])
{
    scree_surface_contact found;
    if (b->surface != NULL || b->exact != NULL) {
        CHECK_OK(b->surface != NULL ? scree_surface_closest(b->surface, x, &found) : scree_exact_closest(b->exact, x, &found));
        memcpy(normal, found.normal, sizeof found.normal);
        return r - found.distance;
    }
    double d[3], square = 0.0;
    for (int k = 0; k < 3; ++k) {
        d[k] = x[k] - b->at[k];
        if (k == 2 && strcmp(b->kind, "cylinder") == 0)
            d[k] = 0.0;
        square += d[k] * d[k];
    }
    const double distance = sqrt(square), sign = b->outside ? 1.0 : -1.0;
    for (int k = 0; k < 3; ++k)
        normal[k] = sign * d[k] / distance;
    return r - sign * (distance - b->radius);
}

// Spheres that are deep in a boundary are moved out of it, so that they touch it a little; those that stay between two, or are then deep in another, are left out.
static void move_out(par_system* s)
{
    int32_t kept = 0;
    for (int32_t i = 0; i < s->set.count; ++i) {
        double *x = s->set.x + 3 * (int64_t)i, r = s->set.r[i], normal[3], deepest = 0.0;
        for (int again = 0; again < 12; ++again) {
            for (int b = 0; b < 2; ++b) {
                const double overlap = find_overlap(&s->boundary[b], x, r, normal);
                for (int k = 0; k < 3 && overlap > 0.1 * r; ++k)
                    x[k] += (overlap - 0.03 * r) * normal[k];
            }
            for (int k = 0; k < 3; ++k)
                x[k] = fmin(fmax(x[k], 0.95 * r), s->set.box.upper[k] - 0.95 * r);
        }
        for (int b = 0; b < 2; ++b)
            deepest = fmax(deepest, find_overlap(&s->boundary[b], x, r, normal));
        for (int32_t j = 0; j < kept; ++j) {
            const double* y = s->set.x + 3 * (int64_t)j;
            deepest = fmax(deepest, 0.7 * (r + s->set.r[j] - sqrt((x[0] - y[0]) * (x[0] - y[0]) + (x[1] - y[1]) * (x[1] - y[1]) + (x[2] - y[2]) * (x[2] - y[2]))));
        }
        if (deepest > 0.15 * r)
            continue;
        for (int k = 0; k < 3; ++k) {
            s->set.x[3 * kept + k] = x[k];
            s->v[3 * kept + k] = s->v[3 * i + k];
        }
        s->set.r[kept++] = r;
    }
    s->set.count = kept;
}

static void oscillate(scree_sim* sim)
{
    scree_sim_load load = scree_default_sim_load();
    load.kind = SCREE_LOAD_BOUNDARY_PATH;
    load.target = 6;
    load.value = (scree_signal){.kind = SCREE_SIGNAL_SINE, .frequency = 0.5, .to = {0.02, 0.0, 0.03}};
    CHECK_OK(scree_sim_set_load(sim, &load));
}

static void make_shape(int number, hash_scene* out)
{
    const int kind = number % shape_kinds, turn = number / shape_kinds, law = (kind + turn) % 7;
    static const char* const laws[7] = {NULL, "linear", "linear", "hertz", "jkr", "plastic", "linear"};
    par_system* s = &out->s;
    if (laws[law] == NULL) {
        *s = par_gas(3, 200, 2.5, 0, 0.2, 800 + (uint64_t)number);
        s->def.restitution = 0.7;
    } else {
        *s = make_gas(laws[law], 204 + 4 * number);
        choose_dashpot(s, law % 3 == 0 ? viscous_dashpot * (law == 3) : restitution_dashpot);
        choose_coupling(s, law == 6 ? turning : law == 1 ? smooth : law == 3 ? rolling : rubbing, (uint64_t)number);
    }
    const double side = s->set.box.upper[0];
    for (int k = 0; k < 3; ++k)
        s->def.box.periodic[k] = false;
    set_shape(s, kind, side);
    set_round(s, turn, side);
    s->boundary[0].material = s->boundary[1].material = laws[law] != NULL && number % 2 == 1;
    if (kind != SCREE_EXACT_PLANE && number % 3 == 0)
        s->boundary[0].spin[2] = 0.3;
    if (number % 3 == 1)
        s->boundary[0].velocity[2] = 0.05;
    if (number % 3 == 2)
        s->begin = oscillate;
    s->boundary[0].one_sided = number % 2 == 1 && (kind == SCREE_EXACT_PLANE || kind == SCREE_EXACT_COUNT);
    for (int32_t i = 0; i < s->set.count && s->boundary[0].one_sided; ++i)  // in front of it
        s->set.x[3 * i + 2] = fmax(s->set.x[3 * i + 2], 0.25 * side);
    s->def.boundaries = s->boundary;
    s->def.boundary_count = 2;
    s->def.gravity[2] = -0.5;
    move_out(s);
    out->energies = number % 2 == 0 && law != 1;
    snprintf(out->name, sizeof out->name, "%s in a %s %s, %s", kind == SCREE_EXACT_COUNT ? "mesh" : scree_exact_name(kind), s->boundary[1].outside ? "box beside a" : "hollow", s->boundary[1].kind,
             laws[law] == NULL ? "plain" : laws[law]);
}

// ---- Loads -----------------------------------------------------------------------------------------------------------------

static void set_load(scree_sim* sim, int32_t kind, int32_t target, scree_signal value)
{
    scree_sim_load load = scree_default_sim_load();
    load.kind = kind;
    load.target = target;
    load.value = value;
    if (kind >= SCREE_LOAD_SERVO_FORCE && kind <= SCREE_LOAD_SERVO_TORQUE) {
        load.speed = 0.4;
        load.direction[2] = kind == SCREE_LOAD_SERVO_TORQUE ? 1.0 : target == 5 ? -1.0 : 1.0;
        load.area = kind == SCREE_LOAD_SERVO_PRESSURE && target > 5 ? 4.0 : 0.0;
    }
    CHECK_OK(scree_sim_set_load(sim, &load));
}

static const scree_signal sine = {.kind = SCREE_SIGNAL_SINE, .value = {0.1, 0.0, 0.0}, .to = {0.2, 0.0, 0.3}, .frequency = 0.4, .phase = 0.5};
static const scree_signal ramp = {.kind = SCREE_SIGNAL_RAMP, .value = {0.0, 0.0, -0.2}, .to = {0.3, 0.1, -1.0}, .over = 1.0};
static const double rows_of_table[] = {0.0, 0.2, 0.1, 0.05, 0.5, 0.4, 0.0, 0.1, 2.0, 0.1, 0.3, 0.2};
static const scree_signal table = {.kind = SCREE_SIGNAL_TABLE, .count = 3, .table = rows_of_table};

static void begin_gravity(scree_sim* sim)
{
    scree_sim_set_gravity(sim, (const double[3]){0.0, 0.0, -0.2}, (const double[3]){0.0, 0.0, 0.0});
    set_load(sim, SCREE_LOAD_GRAVITY, 0, ramp);
    set_load(sim, SCREE_LOAD_BOUNDARY_VELOCITY, 4, (scree_signal){.kind = SCREE_SIGNAL_RAMP, .to = {0.0, 0.0, 0.2}, .over = 0.3});
}

static void begin_turning_gravity(scree_sim* sim)
{
    set_load(sim, SCREE_LOAD_TURN, 0, (scree_signal){.kind = SCREE_SIGNAL_RAMP, .to = {0.5, 0.0, 0.0}, .over = 0.5});
}

static void begin_group_forces(scree_sim* sim)
{
    set_load(sim, SCREE_LOAD_FORCE, 1, table);
    set_load(sim, SCREE_LOAD_TORQUE, 1, sine);
}

static void begin_driven(scree_sim* sim)
{
    set_load(sim, SCREE_LOAD_VELOCITY, 1, sine);
    set_load(sim, SCREE_LOAD_SPIN, 1, table);
}

static void begin_pressure(scree_sim* sim)
{
    set_load(sim, SCREE_LOAD_SERVO_PRESSURE, 5, (scree_signal){.value = {0.2, 0.0, 0.0}});
    set_load(sim, SCREE_LOAD_DRAG, 0, table);
}

static void begin_torque(scree_sim* sim)
{
    set_load(sim, SCREE_LOAD_SERVO_TORQUE, 7, (scree_signal){.value = {0.3, 0.0, 0.0}});
    set_load(sim, SCREE_LOAD_SERVO_FORCE, 5, (scree_signal){.value = {1.0, 0.0, 0.0}});
}

static void begin_spin(scree_sim* sim)
{
    set_load(sim, SCREE_LOAD_BOUNDARY_SPIN, 6, (scree_signal){.kind = SCREE_SIGNAL_SINE, .value = {0.0, 0.0, 0.4}, .to = {0.0, 0.0, 0.2}, .frequency = 0.3});
    set_load(sim, SCREE_LOAD_LOCAL_DAMPING, 0, (scree_signal){.value = {0.2, 0.0, 0.0}});
}

static void begin_external(scree_sim* sim)
{
    double force[3 * 400], torque[3 * 400];
    const int32_t n = scree_sim_get_count(sim);
    assert_true(n <= 400);
    for (int32_t e = 0; e < 3 * n; ++e) {
        force[e] = 0.01 * (e % 7 - 3);
        torque[e] = 0.005 * (e % 5 - 2);
    }
    CHECK_OK(scree_sim_set_external(sim, force, torque));
}

static void (*const loads[])(scree_sim*) = {begin_gravity, begin_turning_gravity, begin_group_forces, begin_driven, begin_pressure, begin_torque, begin_spin, begin_external};
static const char* const load_names[] = {"gravity", "turning gravity", "group forces", "driven spin", "pressure", "torque", "spin and damping", "external"};
enum { load_count = 2 * sizeof loads / sizeof *loads };

// Between walls, with a shape: once with the linear law and once with Hertz'.
static void make_load(int number, hash_scene* out)
{
    const int which = number / 2;
    par_system* s = &out->s;
    *s = make_gas(number % 2 == 0 ? "linear" : "hertz", 400 + 4 * number);
    choose_dashpot(s, restitution_dashpot);
    choose_coupling(s, number % 2 == 0 ? rubbing : turning, (uint64_t)number);
    const double side = s->set.box.upper[0];
    for (int k = 0; k < 3; ++k)
        s->def.box.periodic[k] = false;
    set_shape(s, number % 2 == 0 ? SCREE_EXACT_COUNT : SCREE_EXACT_CYLINDER, side);
    set_round(s, 1, side);
    s->boundary[0].spin[2] = s->boundary[1].spin[2] = 0.0;
    s->def.boundaries = s->boundary;
    s->def.boundary_count = 2;
    s->def.gravity[2] = -0.5;
    move_out(s);
    s->group = calloc((size_t)s->set.count, sizeof *s->group);
    for (int32_t i = 0; i < s->set.count; ++i)
        s->group[i] = (uint16_t)(i % 6 == 1);
    s->each.group = s->group;
    s->def.watch_overlaps = number % 4 == 0 ? 1e-3 : 0.0;
    s->begin = loads[which];
    out->energies = number / 2 % 2 == number % 2;
    snprintf(out->name, sizeof out->name, "%s, %s", load_names[which], number % 2 == 0 ? "linear" : "hertz");
}

// ---- Several blocks --------------------------------------------------------------------------------------------------------

// More than 4096 spheres, with pairs across the border of two blocks.
enum { block_count = 4 };

static void make_blocks(int number, hash_scene* out)
{
    par_system* s = &out->s;
    *s = par_gas(3, 5000, 2.0, 4, 0.3, 900 + (uint64_t)number);
    s->def.restitution = number == 1 ? 0.0 : 0.6;
    s->def.order_every = 7;
    if (number >= 2) {
        s->pairs[0] = scree_default_sim_pair();
        s->pairs[0].friction = 0.5;
        s->pairs[0].twisting_friction = number == 3 ? 0.05 : 0.0;
        s->law.material_count = 1;
        s->law.pairs = s->pairs;
    }
    out->energies = number == 3;
    out->pieces[1] = 6;
    out->pieces[2] = 5;
    snprintf(out->name, sizeof out->name, "5000 spheres, %s", number == 0 ? "damped" : number == 1 ? "elastic" : number == 2 ? "friction" : "twisting");
}

// ---- All -------------------------------------------------------------------------------------------------------------------

static const struct {
    void (*make)(int number, hash_scene* out);
    int count;
} families[] = {
    {make_shared, 2 * maker_count}, {make_changing, changing_count}, {make_law, law_count}, {make_form, form_count}, {make_shape, shape_count}, {make_load, load_count}, {make_blocks, block_count},
};

_Static_assert(2 * maker_count + (int)changing_count + law_count + (int)form_count + shape_count + (int)load_count + block_count == hash_scene_count, "number of scenes");

void hash_scene_make(int number, hash_scene* out)
{
    size_t family = 0;
    int own = number;
    while (own >= families[family].count)
        own -= families[family++].count;
    *out = (hash_scene){.energies = true, .pieces = {1, 50, 35}};
    families[family].make(own, out);
    const size_t length = strlen(out->name);
    snprintf(out->name + length, sizeof out->name - length, ", %s", out->energies ? "energies" : "no energies");
}

void hash_scene_free(hash_scene* hashed)
{
    par_free(&hashed->s);
}

scree_sim* hash_scene_begin(hash_scene* hashed)
{
    scree_sim* sim;
    par_system* s = &hashed->s;
    par_begin(s);
    s->def.energies = hashed->energies;
    if (scree_sim_create(&s->def, scree_sphere_set_view(&s->set), s->v, &sim) != SCREE_OK)
        return NULL;
    if (s->begin != NULL)
        s->begin(sim);
    return sim;
}
