// Bonds: closed forms of beams, oscillations and breaking, what is kept, and the same bits whatever the way.
#include "file_support.h"
#include "sim_support.h"

#include "scree/checkpoint.h"

// Spheres with bonds, in an open or periodic box. Contacts are soft and the spheres apart, unless a test says otherwise.
typedef struct bonded {
    int32_t count;
    int dim;
    double *x, *v, *r, *force, *spin;
    uint8_t* fixed;
    int64_t (*ij)[2];
    int64_t pairs;
    scree_sim_bond kind;
    scree_sim_bonds_def bonds;
    scree_sim_each each;
    scree_sim_def def;
} bonded;

static bonded* make_bonded(int dim, int32_t count)
{
    bonded* b = calloc(1, sizeof *b);
    size_t n = (size_t)count;
    *b = (bonded){.count = count, .dim = dim, .kind = scree_default_sim_bond(), .bonds = scree_default_sim_bonds_def(), .each = scree_default_sim_each(), .def = scree_default_sim_def()};
    b->x = calloc(n * (size_t)dim, sizeof *b->x);
    b->v = calloc(n * (size_t)dim, sizeof *b->v);
    b->force = calloc(n * (size_t)dim, sizeof *b->force);
    b->r = calloc(n, sizeof *b->r);
    b->spin = calloc(3 * n, sizeof *b->spin);
    b->fixed = calloc(n, 1);
    b->ij = calloc(8 * n, sizeof *b->ij);
    for (int32_t i = 0; i < count; ++i)
        b->r[i] = 0.5;
    b->kind.young = 100.0;
    b->kind.shear = 30.0;
    b->def.box = scree_box_open(dim);
    b->def.stiffness = 1.0;
    b->def.threads = 1;
    return b;
}

static void free_bonded(bonded* b)
{
    free(b->x);
    free(b->v);
    free(b->force);
    free(b->r);
    free(b->spin);
    free(b->fixed);
    free(b->ij);
    free(b);
}

static void bond_pair(bonded* b, int64_t i, int64_t j)
{
    b->ij[b->pairs][0] = i;
    b->ij[b->pairs++][1] = j;
}

static scree_spheres spheres_of(const bonded* b)
{
    return (scree_spheres){.count = b->count, .dim = b->dim, .x = b->x, .r = b->r};
}

static scree_status create(bonded* b, scree_sim** out)
{
    b->bonds.kind_count = 1;
    b->bonds.kinds = &b->kind;
    b->bonds.count = b->pairs;
    b->bonds.ij = (const int64_t(*)[2])b->ij;
    b->each.force = b->force;
    b->each.fixed = b->fixed;
    b->each.spin = b->spin;
    b->def.each = &b->each;
    b->def.bonds = &b->bonds;
    return scree_sim_create(&b->def, spheres_of(b), b->v, out);
}

static scree_sim* sim_of(bonded* b)
{
    scree_sim* sim;
    CHECK_OK(create(b, &sim));
    return sim;
}

// A row of spheres along x, a little apart, each bonded to the next.
static bonded* make_row(int dim, int32_t count)
{
    bonded* b = make_bonded(dim, count);
    for (int32_t i = 0; i < count; ++i)
        b->x[(int64_t)i * dim] = 1.01 * i;
    for (int32_t i = 0; i + 1 < count; ++i)
        bond_pair(b, i, i + 1);
    return b;
}

static double column_of(scree_sim* sim, const char* name, int wide, int64_t at)
{
    double* all = malloc((size_t)scree_sim_get_count(sim) * (size_t)wide * sizeof *all);
    CHECK_OK(scree_sim_get_column(sim, name, all));
    double value = all[at];
    free(all);
    return value;
}

// To rest: whenever the kinetic energy begins to fall, all velocities are set to 0.
static void come_to_rest(bonded* b, scree_sim* sim, int turns)
{
    size_t n = (size_t)b->count;
    double *x = calloc(3 * n, sizeof *x), *none = calloc(3 * n, sizeof *none), before = 0.0;
    for (int turn = 0; turn < turns;) {
        CHECK_OK(scree_sim_run(sim, 50));
        scree_sim_report report = sim_report_of(sim);
        double now = report.energy_kinetic + report.energy_rotation;
        if (now >= before) {
            before = now;
            continue;
        }
        scree_sim_bonds bonds;
        scree_sim_state state = {.column_count = 1, .columns = (scree_sim_values[]){{"x", x}}};
        CHECK_OK(scree_sim_get_bonds(sim, &bonds));
        CHECK_OK(scree_sim_get_state(sim, &state));
        state.column_count = 3;
        state.columns = (scree_sim_values[]){{"x", x}, {"v", none}, {"w", none}};
        state.bonds = &bonds;
        CHECK_OK(scree_sim_set_state(sim, &state));
        before = 0.0;
        ++turn;
    }
    free(x);
    free(none);
}

// ---- Closed forms ------------------------------------------------------------------------------------------------------

// Stiffnesses of the bonds of a row.
typedef struct stiffness {
    double normal, shear, bending, twisting, length;
} stiffness;

static stiffness stiffness_of(const bonded* b)
{
    double r = 0.5, length = 1.01, area = b->dim == 2 ? 2.0 * r : sim_pi * r * r, second = b->dim == 2 ? 2.0 / 3.0 * r * r * r : 0.25 * sim_pi * pow(r, 4.0);
    return (stiffness){.normal = b->kind.young * area / length,
                       .shear = b->kind.shear * area / length,
                       .bending = b->kind.young * second / length,
                       .twisting = b->dim == 2 ? 0.0 : b->kind.shear * 2.0 * second / length,
                       .length = length};
}

// A row with one fixed end under a force at the other: each bond stretches, shears and bends by its share. The sum over bonds is exact for small forces.
static void a_beam_bends_as_it_should(void** state)
{
    (void)state;
    for (int dim = 2; dim <= 3; ++dim) {
        enum { count = 5 };
        bonded* b = make_row(dim, count);
        stiffness k = stiffness_of(b);
        double pull = 1e-6, load = 1e-6;
        b->fixed[0] = 1;
        b->force[(count - 1) * dim] = pull;
        b->force[(count - 1) * dim + 1] = load;
        b->kind.damping = 0.7;
        scree_sim* sim = sim_of(b);
        come_to_rest(b, sim, 20);
        double deflection = 0.0, tip = k.length * (count - 1);
        for (int n = 0; n < count - 1; ++n) {
            double from_tip = tip - k.length * (n + 0.5);
            deflection += load / k.shear + load * from_tip * from_tip / k.bending;
        }
        double along = column_of(sim, "x", dim, (count - 1) * dim) - tip, across = column_of(sim, "x", dim, (count - 1) * dim + 1);
        if (!(fabs(across - deflection) < 1e-5 * deflection) || !(fabs(along - pull * (count - 1) / k.normal) < 1e-3 * pull * (count - 1) / k.normal))
            fail_msg("%dD: the end moves by %.9g and %.9g; %.9g and %.9g were expected", dim, along, across, pull * (count - 1) / k.normal, deflection);
        scree_sim_bonds bonds;
        CHECK_OK(scree_sim_get_bonds(sim, &bonds));
        assert_true(bonds.count == count - 1);
        for (int n = 0; n < count - 1; ++n) {
            double from_tip = tip - k.length * (n + 0.5);
            CHECK_CLOSE(bonds.force[n][1], load, 1e-5 * load);
            CHECK_CLOSE(bonds.values[n * SCREE_BOND_WORDS + 5] * k.bending, -load * from_tip, 1e-4 * load * tip);
        }
        scree_sim_destroy(sim);
        free_bonded(b);
    }
}

// Two free spheres: along the bond, about it, and across it they oscillate with known frequencies.
static void two_spheres_oscillate_with_known_periods(void** state)
{
    (void)state;
    double mass = sim_pi / 6.0, inertia = 0.4 * mass * 0.25;
    for (int mode = 0; mode < 3; ++mode) {
        bonded* b = make_row(3, 2);
        stiffness k = stiffness_of(b);
        double square = mode == 0 ? 2.0 * k.normal / mass : mode == 1 ? 2.0 * k.twisting / inertia : 2.0 * k.bending / inertia;
        double rate = sqrt(square), period = 2.0 * sim_pi / rate;
        if (mode == 0) {
            b->v[0] = -1e-6;
            b->v[3] = 1e-6;
        } else {  // spins about the bond, or against each other about z: no shear
            b->spin[mode == 1 ? 0 : 2] = -1e-6;
            b->spin[3 + (mode == 1 ? 0 : 2)] = 1e-6;
        }
        b->def.time_step = period / 4000.0;
        scree_sim* sim = sim_of(b);
        CHECK_OK(scree_sim_run(sim, 500));  // an eighth of a period
        double now = mode == 0 ? column_of(sim, "v", 3, 3) : column_of(sim, "w", 3, 3 + (mode == 1 ? 0 : 2));
        CHECK_CLOSE(now, 1e-6 * cos(sim_pi / 4.0), 1e-6 * 1e-5);
        CHECK_OK(scree_sim_run(sim, 3500));
        now = mode == 0 ? column_of(sim, "v", 3, 3) : column_of(sim, "w", 3, 3 + (mode == 1 ? 0 : 2));
        CHECK_CLOSE(now, 1e-6, 1e-6 * 1e-5);
        scree_sim_destroy(sim);
        free_bonded(b);
    }
}

// A force that grows in steps: the bond breaks where the stress passes its strength, and what was in it is given back.
static void bonds_break_at_their_strength(void** state)
{
    (void)state;
    for (int shears = 0; shears < 2; ++shears)
        for (int above = 0; above < 2; ++above) {
            bonded* b = make_row(3, 2);
            stiffness k = stiffness_of(b);
            double area = sim_pi * 0.25, strength = 1e-4, load = strength * area * (above ? 1.01 : 0.99);
            b->fixed[0] = 1;
            b->kind.damping = 1.0;
            // Across the bond the force shears it and bends it: without bending stiffness only shear is left, and the sphere must not turn.
            b->kind.bending = shears ? 0.0 : 1.0;
            (shears ? (b->kind.shear_strength = strength) : (b->kind.tensile_strength = strength));
            double inertia[2] = {INFINITY, INFINITY};
            b->each.inertia = inertia;
            scree_sim* sim = sim_of(b);
            for (int n = 1; n <= 100; ++n) {
                double force[3] = {0.0, 0.0, 0.0};
                force[shears ? 1 : 0] = load * n / 100.0;
                CHECK_OK(scree_sim_set_group_force(sim, 0, force));
                CHECK_OK(scree_sim_run(sim, 400));
            }
            CHECK_OK(scree_sim_run(sim, 4000));
            scree_sim_report report = sim_report_of(sim);
            assert_true(report.bonds == !above && report.bonds_broken == above);
            scree_sim_bonds bonds;
            CHECK_OK(scree_sim_get_bonds(sim, &bonds));
            assert_true(bonds.cause[0] == (above ? (shears ? SCREE_BOND_SHEAR : SCREE_BOND_TENSION) : SCREE_BOND_HOLDS));
            assert_true((bonds.broken_at[0] >= 0) == (above != 0));
            double stiff = shears ? k.shear : k.normal, whole = 0.5 * strength * area * strength * area / stiff;
            if (above)
                CHECK_CLOSE(report.released_bonds, whole, 0.02 * whole);
            else
                CHECK_CLOSE(report.energy_bonds, whole * 0.99 * 0.99, 1e-4 * whole);
            scree_sim_destroy(sim);
            free_bonded(b);
        }
}

// Bending alone breaks at M R / I.
static void bending_breaks_at_the_rim(void** state)
{
    (void)state;
    for (int above = 0; above < 2; ++above) {
        bonded* b = make_row(3, 2);
        double second = 0.25 * sim_pi * pow(0.5, 4.0), load = 1e-6;
        b->fixed[0] = 1;
        b->kind.damping = 1.0;
        b->kind.tensile_strength = load * 0.505 * 0.5 / second * (above ? 0.998 : 1.003);  // the moment in the middle of the bond is load times half its length
        // Under the whole load at once it would swing beyond.
        scree_sim* sim = sim_of(b);
        for (int n = 1; n <= 1000; ++n) {
            CHECK_OK(scree_sim_set_group_force(sim, 0, (double[3]){0.0, load * n / 1000.0, 0.0}));
            CHECK_OK(scree_sim_run(sim, 100));
        }
        CHECK_OK(scree_sim_run(sim, 1000));
        assert_true(sim_report_of(sim).bonds_broken == above);
        scree_sim_destroy(sim);
        free_bonded(b);
    }
}

// A disc of discs on a triangular lattice, pressed at two opposite points (the Brazilian test): in the middle the stress is 2 P / pi D across the load, and -6 P / pi D along it
// (Hertz 1883). Bonds alone, without contacts: gaps are wide enough.
static void a_disc_under_two_forces_has_the_known_stress(void** state)
{
    (void)state;
    enum { radius = 11 };
    bonded* b = make_bonded(2, 4 * radius * radius + 16 * radius);
    int32_t n = 0;
    for (int row = -2 * radius; row <= 2 * radius; ++row)
        for (int column = -radius - 1; column <= radius; ++column) {
            double x = 1.05 * (column + (row % 2 == 0 ? 0.0 : 0.5)), y = 1.05 * 0.5 * sqrt(3.0) * row;
            if (x * x + y * y > radius * radius)
                continue;
            b->x[2 * n] = x;
            b->x[2 * n++ + 1] = y;
        }
    b->count = n;
    int32_t top = 0, bottom = 0;
    double load = 1e-3;
    for (int32_t i = 0; i < n; ++i) {
        top = b->x[2 * i + 1] > b->x[2 * top + 1] || (b->x[2 * i + 1] == b->x[2 * top + 1] && fabs(b->x[2 * i]) < fabs(b->x[2 * top])) ? i : top;
        bottom = b->x[2 * i + 1] < b->x[2 * bottom + 1] || (b->x[2 * i + 1] == b->x[2 * bottom + 1] && fabs(b->x[2 * i]) < fabs(b->x[2 * bottom])) ? i : bottom;
    }
    b->force[2 * top + 1] = -load;
    b->force[2 * bottom + 1] = load;
    b->kind.gap = 0.1;
    b->kind.damping = 0.5;
    scree_sim* sim = sim_of(b);
    come_to_rest(b, sim, 6);
    scree_sim_bonds bonds;
    CHECK_OK(scree_sim_get_bonds(sim, &bonds));
    // Stress of the lattice around the middle: forces times branches over the area of the spheres there.
    double sum[2] = {0.0, 0.0}, within = 3.0;
    int32_t inside = 0;
    for (int32_t i = 0; i < n; ++i)
        inside += hypot(b->x[2 * i], b->x[2 * i + 1]) < within;
    for (int64_t e = 0; e < bonds.count; ++e)
        for (int side = 0; side < 2; ++side) {
            int64_t i = bonds.ij[e][side], j = bonds.ij[e][1 - side];
            if (hypot(b->x[2 * i], b->x[2 * i + 1]) < within)
                for (int k = 0; k < 2; ++k)
                    sum[k] += 0.5 * (side == 0 ? -1.0 : 1.0) * bonds.force[e][k] * (b->x[2 * i + k] - b->x[2 * j + k]);
        }
    double area = inside * 1.05 * 1.05 * 0.5 * sqrt(3.0), unit = load / (sim_pi * (b->x[2 * top + 1] - b->x[2 * bottom + 1]));
    if (getenv("SCREE_TEST_SHOW") != NULL)
        printf("%d discs: %g across, %g along, in P / pi D\n", n, sum[0] / area / unit, sum[1] / area / unit);
    CHECK_CLOSE(sum[0] / area / unit, 2.0, 0.25);
    CHECK_CLOSE(sum[1] / area / unit, -6.0, 0.4);
    scree_sim_destroy(sim);
    free_bonded(b);
}

// ---- What is kept ------------------------------------------------------------------------------------------------------

// Spheres of several sizes, bonded where they are near, that move and turn.
static bonded* make_cluster(int dim, int32_t count, bool periodic, uint64_t seed)
{
    bonded* b = make_bonded(dim, count);
    scree_sphere_set set = sim_gas(dim, count, 3.0, dim == 2 ? 0.45 : 0.3, false, seed);
    scree_rng rng = scree_rng_make(seed, 5);
    for (int32_t i = 0; i < count; ++i) {
        b->r[i] = set.r[i];
        for (int k = 0; k < dim; ++k) {
            b->x[(int64_t)i * dim + k] = set.x[(int64_t)i * dim + k];
            b->v[(int64_t)i * dim + k] = 0.1 * (scree_rng_uniform(&rng) - 0.5);
        }
        for (int k = dim == 2 ? 2 : 0; k < 3; ++k)
            b->spin[3 * (int64_t)i + k] = 0.1 * (scree_rng_uniform(&rng) - 0.5);
    }
    if (periodic) {
        b->def.box = set.box;
        for (int k = 0; k < dim; ++k)
            b->def.box.periodic[k] = true;
    }
    b->kind.gap = 0.5;
    b->def.stiffness = 20.0;
    scree_sphere_set_free(&set);
    return b;
}

static double balance_of(const scree_sim_report* r)
{
    return r->energy_kinetic + r->energy_rotation + r->energy_contact + r->energy_bonds + r->dissipated_bonds + r->released_bonds + r->dissipated_normal - r->work_walls;
}

static void momentum_and_energy_of_bonded_clusters_stay(void** state)
{
    (void)state;
    for (int dim = 2; dim <= 3; ++dim)
        for (int damped = 0; damped < 2; ++damped) {
            double errors[2];
            for (int fine = 0; fine < 2; ++fine) {
                bonded* b = make_cluster(dim, 60, false, 11);
                b->kind.damping = damped ? 0.05 : 0.0;
                b->kind.tensile_strength = damped ? 0.4 : INFINITY;
                b->def.energies = true;
                scree_sim_numbers numbers;
                scree_sim* probe = sim_of(b);
                numbers = scree_sim_get_numbers(probe);
                if (getenv("SCREE_TEST_SHOW") != NULL)
                    printf("%d bonds\n", (int)numbers.bond_count);
                assert_true(numbers.bond_count > 60 && numbers.bond_period > 0.0);
                scree_sim_destroy(probe);
                b->def.time_step = fine ? numbers.time_step / 4.0 : numbers.time_step;
                scree_sim* sim = sim_of(b);
                sim_sums before = sim_sums_of(sim, b->r);
                scree_sim_report report = sim_report_of(sim);
                double first = balance_of(&report), most = report.energy_kinetic + report.energy_contact + report.energy_rotation;
                errors[fine] = 0.0;
                for (int n = 0; n < 20; ++n) {
                    CHECK_OK(scree_sim_run(sim, fine ? 160 : 40));
                    report = sim_report_of(sim);
                    errors[fine] = fmax(errors[fine], fabs(balance_of(&report) - first) / most);
                }
                sim_sums after = sim_sums_of(sim, b->r);
                for (int k = 0; k < 3; ++k) {
                    CHECK_CLOSE(after.momentum[k], before.momentum[k], 1e-13 * before.scale);
                    CHECK_CLOSE(after.angular[k], before.angular[k], 1e-12 * before.scale);
                }
                assert_true(report.energy_bonds > 1e-3 * most && (report.bonds_broken > 0) == (damped != 0));
                assert_true((report.dissipated_bonds > 0.0) == (damped != 0));
                scree_sim_destroy(sim);
                free_bonded(b);
            }
            if (getenv("SCREE_TEST_SHOW") != NULL)
                printf("%dD damped %d: %g %g\n", dim, damped, errors[0], errors[1]);
            if (!(errors[0] < 2e-3) || !(errors[1] < 0.12 * errors[0] || errors[1] < 1e-6))
                fail_msg("%dD: the energies drift by %g, with a quarter of the step by %g", dim, errors[0], errors[1]);
        }
}

// ---- Same bits ---------------------------------------------------------------------------------------------------------

typedef enum bond_way { WAY_PLAIN, WAY_REFERENCE, WAY_THREADS, WAY_CUT, WAY_STATE, way_count } bond_way;

static uint64_t hash_by(bonded* b, bond_way way, int64_t* broken)
{
    b->def.backend = way == WAY_REFERENCE ? SCREE_BACKEND_REFERENCE : SCREE_BACKEND_FUSED;
    b->def.threads = way == WAY_THREADS ? 4 : 1;
    scree_sim *sim = sim_of(b), *other;
    if (way == WAY_CUT)
        for (int n = 0; n < 300; ++n) {
            CHECK_OK(scree_sim_run(sim, 1));
            (void)sim_report_of(sim);
        }
    else
        CHECK_OK(scree_sim_run(sim, way == WAY_STATE ? 137 : 300));
    if (way == WAY_STATE) {
        other = sim_of(b);
        sim_hand_over(sim, other);
        scree_checkpoint saved = {0};
        CHECK_OK(scree_checkpoint_save(sim, &saved));
        CHECK_OK(scree_checkpoint_save(sim, &saved));  // into the same arrays
        CHECK_OK(scree_write_checkpoint(in_folder("bonds.npz"), &saved));
        scree_checkpoint_free(&saved);
        CHECK_OK(scree_read_checkpoint(in_folder("bonds.npz"), &saved));
        assert_true(saved.format_version == 7);
        CHECK_OK(scree_checkpoint_restore(&saved, other));
        scree_checkpoint_free(&saved);
        remove(in_folder("bonds.npz"));
        assert_true(scree_sim_hash(other) == scree_sim_hash(sim));
        scree_sim_destroy(sim);
        sim = other;
        CHECK_OK(scree_sim_run(sim, 163));
    }
    scree_sim_report report = sim_report_of(sim);
    *broken = report.bonds_broken;
    uint64_t hash = scree_sim_hash(sim);
    scree_sim_destroy(sim);
    return hash;
}

static void bonds_give_the_same_bits_every_way(void** state)
{
    (void)state;
    for (int dim = 2; dim <= 3; ++dim)
        for (int periodic = 0; periodic < 2; ++periodic) {
            bonded* b = make_cluster(dim, 300, periodic, 21);
            b->kind.damping = 0.1;
            b->kind.tensile_strength = 0.5;
            b->def.order_every = 50;
            for (int32_t i = 0; i < b->count * dim; ++i)
                b->v[i] = 2.0 * b->v[i] + 0.5;  // so that spheres wrap
            int64_t broken, expected;
            uint64_t hash = hash_by(b, WAY_PLAIN, &expected);
            assert_true(expected > 0);
            for (bond_way way = WAY_REFERENCE; way < way_count; ++way)
                if (hash_by(b, way, &broken) != hash || broken != expected)
                    fail_msg("%dD, periodic %d: way %d gives other bits", dim, periodic, (int)way);
            free_bonded(b);
        }
}

// ---- What is refused ---------------------------------------------------------------------------------------------------

static void invalid_bonds_are_refused(void** state)
{
    (void)state;
    scree_sim* sim;
    bonded* b = make_row(3, 4);
    b->kind.young = 0.0;
    CHECK_FAILS(create(b, &sim), SCREE_ERR_ARGUMENT, "kind 0", "young", "0");
    b->kind.young = 100.0;
    b->kind.damping = 1.5;
    CHECK_FAILS(create(b, &sim), SCREE_ERR_ARGUMENT, "damping", "1.5");
    b->kind.damping = 0.0;
    b->ij[1][1] = 7;
    CHECK_FAILS(create(b, &sim), SCREE_ERR_ARGUMENT, "bond 1", "7");
    b->ij[1][1] = 1;
    CHECK_FAILS(create(b, &sim), SCREE_ERR_ARGUMENT, "bond 1", "1");
    b->ij[1][0] = 1;
    b->ij[1][1] = 0;
    CHECK_FAILS(create(b, &sim), SCREE_ERR_ARGUMENT, "bond 1", "0", "1");
    b->ij[1][1] = 2;
    b->def.time_step = 1.0;
    b->def.stiffness = 1e-6;
    CHECK_FAILS(create(b, &sim), SCREE_ERR_ARGUMENT, "bond", "0", "1", "step");
    b->def.time_step = 0.0;
    sim = sim_of(b);
    CHECK_FAILS(scree_sim_scale(sim, 1.1, 1.0), SCREE_ERR_UNSUPPORTED, "3");
    bonded* other = make_row(3, 4);
    other->pairs = 2;
    scree_sim* another = sim_of(other);
    scree_sim_bonds bonds;
    sim_copy copy = sim_copy_make(4, 3);
    CHECK_OK(sim_copy_get(sim, &copy));
    CHECK_OK(scree_sim_get_bonds(another, &bonds));
    scree_sim_values values[2] = {{"x", copy.x}, {"v", copy.v}};
    CHECK_FAILS(scree_sim_set_state(sim, &(scree_sim_state){.walls = copy.walls, .column_count = 2, .columns = values, .bonds = &bonds}), SCREE_ERR_ARGUMENT, "2", "3");
    sim_copy_free(&copy);
    scree_sim_destroy(another);
    free_bonded(other);
    scree_sim_destroy(sim);
    free_bonded(b);
}

// Bonds of a list are between the nearest images, when they are made and when a zeroed struct makes them new: against all 27. That is the nearest along each axis, since boxes with bonds have right angles: others are refused, and
// cells that deform.
static void bonds_are_between_the_nearest_images(void** state)
{
    (void)state;
    enum { count = 24 };
    const double side[3] = {4.0, 5.0, 6.0};
    bonded* b = make_bonded(3, count);
    scree_rng rng = scree_rng_make(50, 1);
    b->def.box = scree_box_sized(3, side);
    for (int k = 0; k < 3; ++k)
        b->def.box.periodic[k] = true;
    for (int32_t i = 0; i < count; ++i) {
        b->r[i] = 0.1;
        for (int k = 0; k < 3; ++k)
            b->x[3 * i + k] = side[k] * scree_rng_uniform(&rng);
        if (i > 0)
            bond_pair(b, i - 1, i);
    }
    scree_sim* sim = sim_of(b);
    sim_copy copy = sim_copy_make(count, 3);
    CHECK_OK(sim_copy_get(sim, &copy));
    scree_sim_values values[2] = {{"x", copy.x}, {"v", copy.v}};
    const scree_sim_bonds none = {0};
    for (int renewed = 0; renewed < 2; ++renewed) {
        scree_sim_bonds bonds;
        CHECK_OK(scree_sim_get_bonds(sim, &bonds));
        assert_true(bonds.count == count - 1);
        for (int64_t n = 0; n < bonds.count; ++n) {
            double least = INFINITY, own = 0.0;
            for (int c = 0; c < 27; ++c) {
                const int shift[3] = {c % 3 - 1, c / 3 % 3 - 1, c / 9 - 1};
                double square = 0.0;
                for (int k = 0; k < 3; ++k) {
                    const double d = copy.x[3 * bonds.ij[n][0] + k] - copy.x[3 * bonds.ij[n][1] + k] - shift[k] * side[k];
                    square += d * d;
                }
                least = fmin(least, square);
                own = shift[0] == bonds.shift[n][0] && shift[1] == bonds.shift[n][1] && shift[2] == bonds.shift[n][2] ? square : own;
            }
            assert_true(own > 0.0 && own <= least * (1.0 + 1e-12));
            CHECK_CLOSE(bonds.length[n], sqrt(least), 1e-12);
        }
        CHECK_OK(scree_sim_set_state(sim, &(scree_sim_state){.walls = copy.walls, .column_count = 2, .columns = values, .bonds = &none}));
    }
    sim_copy_free(&copy);
    scree_sim_destroy(sim);
    const double tilts[] = {0.3, -1.9, 30.0};
    for (size_t t = 0; t < sizeof tilts / sizeof *tilts; ++t) {
        b->def.box.tilt[0] = tilts[t];
        CHECK_FAILS(create(b, &sim), SCREE_ERR_UNSUPPORTED, "bonds", "tilted");
    }
    b->def.box.tilt[0] = 0.0;
    scree_sim_cell cell = scree_default_sim_cell();
    cell.rate[SCREE_CELL_XY] = 0.1;
    b->def.cell = &cell;
    CHECK_FAILS(create(b, &sim), SCREE_ERR_UNSUPPORTED, "cell", "bonds");
    free_bonded(b);
}

// By gap and materials; those of the list keep their kind.
static void bonds_are_made_by_gap_and_by_list(void** state)
{
    (void)state;
    bonded* b = make_row(3, 5);
    uint16_t material[5] = {0, 0, 1, 1, 1};
    scree_sim_bond kinds[3];
    b->pairs = 1;
    b->ij[0][0] = 4;
    b->ij[0][1] = 3;
    for (int k = 0; k < 3; ++k)
        kinds[k] = b->kind;
    kinds[1].gap = 0.011;
    kinds[1].between[0] = 1;
    kinds[1].between[1] = 0;
    kinds[2].gap = 0.011;
    b->each.material = material;
    scree_sim* sim;
    b->bonds = (scree_sim_bonds_def){.struct_size = sizeof b->bonds, .kind_count = 3, .kinds = kinds, .count = 1, .ij = (const int64_t(*)[2])b->ij};
    b->def.each = &b->each;
    b->def.bonds = &b->bonds;
    CHECK_OK(scree_sim_create(&b->def, spheres_of(b), NULL, &sim));
    scree_sim_bonds bonds;
    CHECK_OK(scree_sim_get_bonds(sim, &bonds));
    assert_true(bonds.count == 4);
    const int32_t expected[4] = {2, 1, 2, 0};
    for (int n = 0; n < 4; ++n) {
        assert_true(bonds.ij[n][0] == n && bonds.ij[n][1] == n + 1 && bonds.kind[n] == expected[n]);
        CHECK_CLOSE(bonds.length[n], 1.01, 1e-12);
    }
    scree_sim_destroy(sim);
    free_bonded(b);
}

// Centres and velocities alone: what broke stays broken, the others keep their springs, also where spheres are given in another image of the box. A zeroed struct makes all of them new.
static void bonds_go_on_unless_they_are_given(void** state)
{
    (void)state;
    enum { count = 4 };
    bonded* b = make_row(3, count);
    b->def.box = (scree_box){.dim = 3, .lower = {-0.5, -5.0, -5.0}, .upper = {count * 1.01 - 0.5, 5.0, 5.0}, .periodic = {true, true, false}};
    bond_pair(b, 0, count - 1);  // through the face
    b->kind.tensile_strength = 2.0;
    b->kind.damping = 0.3;
    b->fixed[0] = b->fixed[2] = 1;  // the bonds of sphere 1 hold
    b->v[3] = b->v[4] = 0.05;
    b->v[3 * (count - 1) + 2] = 3.0;  // breaks both bonds of the last sphere
    scree_sim* sim = sim_of(b);
    CHECK_OK(scree_sim_run(sim, 200));
    scree_sim_report report = sim_report_of(sim);
    assert_true(report.bonds == 2 && report.bonds_broken == 2);
    scree_sim_bonds bonds;
    double x[3 * count], v[3 * count], values[4 * SCREE_BOND_WORDS];
    int64_t broken_at[4];
    scree_sim_state now = {.column_count = 2, .columns = (scree_sim_values[]){{"x", x}, {"v", v}}};
    for (int images = 0; images < 2; ++images) {
        CHECK_OK(scree_sim_get_bonds(sim, &bonds));
        memcpy(values, bonds.values, sizeof values);
        memcpy(broken_at, bonds.broken_at, sizeof broken_at);
        const double released = bonds.released[3] + bonds.released[1], dissipated = bonds.dissipated;
        assert_true(released > 0.0 && dissipated > 0.0 && fabs(values[0]) + fabs(values[1]) + fabs(values[2]) > 0.0);
        CHECK_OK(scree_sim_get_state(sim, &now));
        x[3] += images * 2 * (b->def.box.upper[0] - b->def.box.lower[0]);
        x[7] -= images * (b->def.box.upper[1] - b->def.box.lower[1]);
        CHECK_OK(scree_sim_set_state(sim, &now));
        CHECK_OK(scree_sim_get_bonds(sim, &bonds));
        assert_memory_equal(bonds.broken_at, broken_at, sizeof broken_at);
        assert_memory_equal(bonds.values, values, sizeof values);
        assert_true(bonds.released[3] + bonds.released[1] == released && bonds.dissipated == dissipated);
        report = sim_report_of(sim);
        assert_true(report.bonds == 2 && report.bonds_broken == 2);
        CHECK_OK(scree_sim_run(sim, 20));  // an image that is not meant would pull it apart
        report = sim_report_of(sim);
        assert_true(report.bonds == 2 && report.bonds_broken == 2);
    }
    CHECK_OK(scree_sim_get_state(sim, &now));
    now.bonds = &(scree_sim_bonds){0};
    for (int e = 0; e < 3 * count; ++e) {
        x[e] = b->x[e];
        v[e] = 0.0;
    }
    CHECK_OK(scree_sim_set_state(sim, &now));
    CHECK_OK(scree_sim_get_bonds(sim, &bonds));
    for (int n = 0; n < 4; ++n)
        assert_true(bonds.broken_at[n] == -1 && bonds.values[n * SCREE_BOND_WORDS] == 0.0 && bonds.released[n] == 0.0);
    assert_true(sim_report_of(sim).bonds == 4);
    now.bonds = NULL;
    x[0] = 2e2 * (b->def.box.upper[0] - b->def.box.lower[0]);
    if (scree_sim_set_state(sim, &now) == SCREE_OK)
        fail_msg("a bond over 200 boxes");
    scree_sim_destroy(sim);
    free_bonded(b);
}

static const test_case cases[] = {
    UNIT(a_beam_bends_as_it_should),
    UNIT(two_spheres_oscillate_with_known_periods),
    UNIT(bonds_break_at_their_strength),
    UNIT(bending_breaks_at_the_rim),
    UNIT(a_disc_under_two_forces_has_the_known_stress),
    UNIT(momentum_and_energy_of_bonded_clusters_stay),
    SAME_BITS(bonds_give_the_same_bits_every_way),
    UNIT(invalid_bonds_are_refused),
    UNIT(bonds_are_between_the_nearest_images),
    UNIT(bonds_are_made_by_gap_and_by_list),
    UNIT(bonds_go_on_unless_they_are_given),
};

const test_group group_bonds = {.name = "bonds", .cases = cases, .count = sizeof cases / sizeof *cases, .begin = make_folder, .end = remove_folder};
