// Contacts that spin about their normal, and contacts that slide with a dashpot: order of convergence and energy.
// tools/contact_orders has tables of all laws.
#include "sim_support.h"

enum { on_wall, on_sphere, on_mesh, in_cylinder, place_count };

typedef struct spin_law {
    const char *name, *normal, *tangential, *twisting;  // NULL: as the law chooses
    int32_t integrator;
    bool resists;  // rolling and twisting
} spin_law;

enum { spin_linear, spin_hertz, spin_dmt, spin_laws = 9 };

static const spin_law laws_of_spin[spin_laws] = {{.name = "linear", .normal = "linear"},
                                                 {.name = "hertz", .normal = "hertz"},
                                                 {.name = "dmt", .normal = "dmt"},
                                                 {.name = "jkr", .normal = "jkr"},
                                                 {.name = "linear, position Verlet", .normal = "linear", .integrator = SCREE_INTEGRATOR_POSITION_VERLET},
                                                 {.name = "linear, rolling and twisting", .normal = "linear", .resists = true},
                                                 {.name = "plastic", .normal = "plastic"},
                                                 {.name = "hertz, linear", .normal = "hertz", .tangential = "linear"},
                                                 {.name = "hertz, marshall", .normal = "hertz", .twisting = "marshall"}};

typedef struct spinner {
    scree_sim_def def;
    scree_sim_law law;
    scree_sim_pair pair;
    scree_sim_material material;
    scree_sim_each each;
    scree_sim_boundary boundary;
    scree_exact exact;
    scree_surface* mesh;
    double x[6], v[6], spin[6], r[2];
    uint8_t fixed[2];
    int32_t count;
} spinner;

static const double spin_radius = 0.1, spin_gravity = 9.81, spin_stiffness = 1e4;

// A sphere of mass 1 that rolls on something, spins about the normal at 30 rad/s, and does not slide; nothing is
// damped. The step is a contact over `parts`.
static void make_spinner(int place, const spin_law* law, int parts, spinner* s)
{
    *s = (spinner){.def = scree_default_sim_def(), .law = scree_default_sim_law(), .pair = scree_default_sim_pair(), .material = scree_default_sim_material(), .each = scree_default_sim_each(), .count = 1};
    const bool curved = strcmp(law->normal, "linear") != 0 && strcmp(law->normal, "plastic") != 0;
    double overlap = spin_gravity / spin_stiffness;
    s->pair.friction = 1e3;
    s->pair.restitution = 1.0;
    s->law.name = law->normal;
    s->law.tangential = law->tangential;
    s->law.twisting = law->twisting;
    s->def.integrator = law->integrator;
    if (law->resists)
        s->pair.rolling_friction = s->pair.twisting_friction = 1e3;
    if (!curved) {
        s->pair.stiffness = spin_stiffness;
        if (strcmp(law->normal, "plastic") == 0) {
            s->pair.k2 = spin_stiffness;
            s->pair.plastic_depth = 0.5;
        }
    } else {
        s->material.young = 1e6;
        s->material.poisson = 0.3;
        s->law.materials = &s->material;
        s->def.speed = 1.0;
        s->pair.surface_energy = strcmp(law->normal, "hertz") == 0 ? 0.0 : 1.0;
        overlap = pow(spin_gravity / (4.0 / 3.0 * 1e6 / 0.91 / 2.0 * sqrt(spin_radius)), 2.0 / 3.0);
    }
    s->law.material_count = 1;
    s->law.pairs = &s->pair;
    s->def.law = &s->law;
    s->def.gravity[2] = -spin_gravity;
    s->def.material_density = 1.0 / (4.0 / 3.0 * sim_pi * pow(spin_radius, 3.0));
    s->def.box = scree_box_open(3);
    s->def.energies = true;
    s->def.threads = 1;
    s->def.time_step = sim_pi / sqrt(spin_stiffness) / parts;
    const double v[3] = {0.32, 0.0, 0.0}, spin[3] = {0.0, 3.0, 30.0};
    const int at = place == on_sphere ? 1 : 0;
    memcpy(s->v + 3 * at, v, sizeof v);
    memcpy(s->spin + 3 * at, spin, sizeof spin);
    s->r[at] = spin_radius;
    s->x[3 * at + 2] = spin_radius - overlap;
    if (place == on_sphere) {
        s->count = 2;
        s->r[0] = 100.0 * spin_radius;
        s->x[5] += s->r[0];
        s->fixed[0] = 1;
        s->each.fixed = s->fixed;
    } else if (place == on_wall) {
        s->def.box = (scree_box){.dim = 3, .lower = {-1e3, -1e3, 0.0}, .upper = {1e3, 1e3, 10.0}};
    } else if (place == in_cylinder) {  // along y: it rolls around
        s->exact = scree_default_exact();
        s->exact.kind = SCREE_EXACT_CYLINDER;
        memcpy(s->exact.at, (double[3]){0.0, 0.0, 0.5}, sizeof s->exact.at);
        memcpy(s->exact.axis, (double[3]){0.0, 1.0, 0.0}, sizeof s->exact.axis);
        s->exact.length = INFINITY;
        s->exact.radius[0] = 0.5;
        s->exact.inside = true;
        s->boundary = scree_default_sim_boundary();
        s->boundary.exact = &s->exact;
        s->def.boundaries = &s->boundary;
        s->def.boundary_count = 1;
    } else {
        static double xyz[18] = {-1e3, -1e3, 0.0, 1e3, -1e3, 0.0, 1e3, 1e3, 0.0, -1e3, -1e3, 0.0, 1e3, 1e3, 0.0, -1e3, 1e3, 0.0};
        const scree_surface_def def = scree_default_surface_def();
        CHECK_OK(scree_surface_create(&def, &(scree_triangles){.count = 2, .xyz = xyz}, &s->mesh));
        s->boundary = scree_default_sim_boundary();
        s->boundary.surface = s->mesh;
        s->def.boundaries = &s->boundary;
        s->def.boundary_count = 1;
    }
    s->each.spin = s->spin;
    s->def.each = &s->each;
}

static scree_sim* sim_of(const spinner* s)
{
    scree_sim* sim;
    CHECK_OK(scree_sim_create(&s->def, (scree_spheres){.count = s->count, .dim = 3, .x = s->x, .r = s->r}, s->v, &sim));
    return sim;
}

static double energy_of(scree_sim* sim)
{
    const scree_sim_report r = sim_report_of(sim);
    return ((r.energy_kinetic + r.energy_rotation) + (r.energy_normal + r.energy_tangential)) + ((r.energy_rolling + r.energy_twisting) + (r.energy_gravity + r.energy_bonds));
}

static void spinning_contacts_are_of_second_order(void** state)
{
    (void)state;
    for (int place = 0; place < place_count; ++place)
        for (int l = 0; l < spin_laws; ++l) {
            // In the cylinder marshall's torque needs more steps: the orders from 1/50 on are 1.78, 2.20, 1.98, 2.02,
            // 2.00.
            const int coarsest = place == in_cylinder && laws_of_spin[l].twisting != NULL ? 100 : 50;
            double x[4][6], change[3] = {0.0};
            for (int n = 0; n < 4; ++n) {
                spinner s;
                make_spinner(place, &laws_of_spin[l], coarsest << n, &s);
                scree_sim* sim = sim_of(&s);
                CHECK_OK(scree_sim_run(sim, (int64_t)(20 * coarsest) << n));
                CHECK_OK(scree_sim_get_column(sim, "x", x[n]));
                scree_sim_destroy(sim);
                scree_surface_destroy(s.mesh);
                for (int k = 0; k < 3 * s.count && n > 0; ++k)
                    change[n - 1] = fmax(change[n - 1], fabs(x[n][k] - x[n - 1][k]));
            }
            const double order = log2(change[1] / change[2]);
            if (!(order > 1.85 && order < 2.15))
                fail_msg("place %d, %s: order %g, changes %g, %g, %g", place, laws_of_spin[l].name, order, change[0], change[1], change[2]);
        }
}

// Two spheres of radius 0.1 and mass 1 with a bond between them.
typedef struct bonded_pair {
    const double *x, *v;
    double* spin;
    double young, shear, time_step;
    int32_t integrator;
} bonded_pair;

static scree_sim* bonded(const bonded_pair* pair)
{
    const double r[2] = {0.1, 0.1};
    scree_sim_bond kind = scree_default_sim_bond();
    scree_sim_bonds_def bonds = scree_default_sim_bonds_def();
    scree_sim_each each = scree_default_sim_each();
    scree_sim_def def = scree_default_sim_def();
    const int64_t ij[1][2] = {{0, 1}};
    kind.young = pair->young;
    kind.shear = pair->shear;
    bonds.kind_count = 1;
    bonds.kinds = &kind;
    bonds.count = 1;
    bonds.ij = ij;
    each.spin = pair->spin;
    def.each = &each;
    def.bonds = &bonds;
    def.box = scree_box_open(3);
    def.material_density = 1.0 / (4.0 / 3.0 * sim_pi * 1e-3);
    def.stiffness = 1.0;
    def.energies = true;
    def.threads = 1;
    def.time_step = pair->time_step;
    def.integrator = pair->integrator;
    scree_sim* sim;
    CHECK_OK(scree_sim_create(&def, (scree_spheres){.count = 2, .dim = 3, .x = pair->x, .r = r}, pair->v, &sim));
    return sim;
}

// A sphere that spins on a floor, and two bonded spheres that spin about their axis and vibrate: elastic, over some
// thousand contacts. They may not gain energy.
static void what_spins_keeps_its_energy(void** state)
{
    (void)state;
    for (int l = 0; l <= spin_dmt; ++l) {
        spinner s;
        make_spinner(on_wall, &laws_of_spin[l], 50, &s);
        scree_sim* sim = sim_of(&s);
        const scree_sim_report report = sim_report_of(sim);
        const double before = energy_of(sim), moves = report.energy_kinetic + report.energy_rotation;
        for (int n = 0; n < 100; ++n) {
            CHECK_OK(scree_sim_run(sim, 1000));
            if (!(energy_of(sim) < before + 1e-5 * moves))
                fail_msg("%s: the energy grows from %.12g to %.12g", laws_of_spin[l].name, before, energy_of(sim));
        }
        scree_sim_destroy(sim);
    }
    const double x[6] = {0.0, 0.0, 0.0, 0.2}, v[6] = {0.0, 0.01, -0.01, 0.0, -0.01, 0.01};
    double spin[6] = {5.0, 0.1, 0.0, 5.0, 0.1, 0.05};
    const bonded_pair pair = {.x = x, .v = v, .spin = spin, .young = 4000.0, .shear = 1500.0, .time_step = 0.0056};  // spin times step 0.028
    scree_sim* sim = bonded(&pair);
    const scree_sim_report first = sim_report_of(sim);
    const double before = energy_of(sim), vibrates = first.energy_kinetic;
    for (int n = 0; n < 100; ++n) {
        CHECK_OK(scree_sim_run(sim, 1000));
        if (!(fabs(energy_of(sim) - before) < 0.05 * vibrates))
            fail_msg("a bonded pair: the energy goes from %.12g to %.12g; %g in vibrations", before, energy_of(sim), vibrates);
    }
    scree_sim_destroy(sim);
}

// Two bonded spheres that spin about their axis, vibrate, bend and twist.
static void spinning_bonds_are_of_second_order(void** state)
{
    (void)state;
    const double at[6] = {0.0, 0.0, 0.0, 0.2}, v[6] = {0.0, 0.0, -0.1, 0.0, 0.02, 0.1}, duration = sim_pi / 100.0;
    double spin[6] = {5.0, 1.0, 0.3, 5.0, 1.0, 0.0};
    bonded_pair pair = {.x = at, .v = v, .spin = spin, .young = 1e3 / (sim_pi * 0.01), .shear = 1e3 / (sim_pi * 0.01)};
    for (int position = 0; position < 2; ++position) {
        double x[4][6], change[3] = {0.0};
        pair.integrator = position == 1 ? SCREE_INTEGRATOR_POSITION_VERLET : SCREE_INTEGRATOR_VELOCITY_VERLET;
        for (int n = 0; n < 4; ++n) {
            pair.time_step = duration / (50 << n);
            scree_sim* sim = bonded(&pair);
            CHECK_OK(scree_sim_run(sim, (int64_t)(20 * 50) << n));
            CHECK_OK(scree_sim_get_column(sim, "x", x[n]));
            scree_sim_destroy(sim);
            for (int k = 0; k < 6 && n > 0; ++k)
                change[n - 1] = fmax(change[n - 1], fabs(x[n][k] - x[n - 1][k]));
        }
        const double order = log2(change[1] / change[2]);
        if (!(order > 1.85 && order < 2.15))
            fail_msg("bonds, integrator %d: order %g, changes %g, %g, %g", position, order, change[0], change[1], change[2]);
    }
}

// Velocity of the surface after an impact on a wall with this tangent of the angle.
static double rebound(bool hertz, double tangent, int parts)
{
    spinner s;
    make_spinner(on_wall, &laws_of_spin[hertz ? spin_hertz : spin_linear], parts, &s);
    memset(s.spin, 0, sizeof s.spin);
    s.pair.restitution = 0.75;
    s.pair.friction = 0.35;
    s.def.gravity[2] = 0.0;
    const double start[3] = {0.0, 0.0, spin_radius + 1e-5}, v[3] = {tangent, 0.0, -1.0};
    memcpy(s.x, start, sizeof start);
    memcpy(s.v, v, sizeof v);
    scree_sim* sim = sim_of(&s);
    CHECK_OK(scree_sim_run(sim, 2 * parts));
    double after[3], w[3];
    CHECK_OK(scree_sim_get_column(sim, "v", after));
    CHECK_OK(scree_sim_get_column(sim, "w", w));
    assert_true(after[2] > 0.5);
    scree_sim_destroy(sim);
    return after[0] - spin_radius * w[1];
}

static void sliding_with_a_dashpot_converges(void** state)
{
    (void)state;
    static const double tangents[] = {0.1, 0.5, 1.0, 1.4, 1.6, 1.7, 1.8, 1.85, 1.9, 2.0, 4.0, 10.0};
    for (int hertz = 0; hertz < 2; ++hertz)
        for (size_t t = 0; t < sizeof tangents / sizeof *tangents; ++t) {
            const double finest = rebound(hertz == 1, tangents[t], 25600), coarse = rebound(hertz == 1, tangents[t], 400), fine = rebound(hertz == 1, tangents[t], 1600);
            if (!(fabs(coarse - finest) < 4e-3) || !(fabs(fine - finest) < 1e-3))
                fail_msg("%s, tangent %g: %.6f, %.6f, finest %.6f", hertz == 1 ? "hertz" : "linear", tangents[t], coarse, fine, finest);
        }
}

static const test_case cases[] = {
    UNIT(spinning_contacts_are_of_second_order),
    UNIT(what_spins_keeps_its_energy),
    UNIT(spinning_bonds_are_of_second_order),
    UNIT(sliding_with_a_dashpot_converges),
};

const test_group group_spin = {.name = "spin", .cases = cases, .count = sizeof cases / sizeof *cases};
