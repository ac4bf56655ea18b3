// Time levels and lever arms of LAMMPS, which comparisons with it set (tests/peers): what each of them keeps in an oblique collision of two unequal spheres, elastic with friction.
#include "sim_support.h"

#include "sim/peer_levels.h"

typedef struct kept {
    double angular;  // relative error of angular momentum
    double energy;   // relative growth of energy, springs included
} kept;

static double angular_of(scree_sim* sim, const double mass[2], const double inertia[2])
{
    double x[6], v[6], w[6];
    CHECK_OK(scree_sim_get_column(sim, "x", x));
    CHECK_OK(scree_sim_get_column(sim, "v", v));
    CHECK_OK(scree_sim_get_column(sim, "w", w));
    double sum = 0.0;  // about y
    for (int i = 0; i < 2; ++i)
        sum += mass[i] * (x[3 * i + 2] * v[3 * i] - x[3 * i] * v[3 * i + 2]) + inertia[i] * w[3 * i + 1];
    return sum;
}

static kept collide(law_levels levels)
{
    const double x[6] = {0.0, 0.0, 0.0, 0.2, 0.0, 1.3}, v[6] = {0.0, 0.0, 0.05, 0.3, 0.0, -0.2}, r[2] = {1.0, 0.3}, spin[6] = {0.0, 0.1, 0.0, 0.0, -0.4, 0.0}, pi = acos(-1.0);
    double mass[2], inertia[2];
    for (int i = 0; i < 2; ++i) {
        mass[i] = 4.0 / 3.0 * pi * (r[i] * r[i] * r[i]);
        inertia[i] = 0.4 * mass[i] * (r[i] * r[i]);
    }
    scree_sim_pair pair = scree_default_sim_pair();
    pair.stiffness = 1000.0;
    pair.friction = 2.0;  // they stick
    scree_sim_law law = scree_default_sim_law();
    law.material_count = 1;
    law.pairs = &pair;
    scree_sim_each each = scree_default_sim_each();
    each.spin = spin;
    scree_sim_def def = scree_default_sim_def();
    for (int k = 0; k < 3; ++k) {
        def.box.lower[k] = -INFINITY;
        def.box.upper[k] = INFINITY;
    }
    def.law = &law;
    def.each = &each;
    def.time_step = 2e-5;
    def.threads = 1;
    scree_sim* sim;
    CHECK_OK(scree_sim_create(&def, (scree_spheres){.count = 2, .dim = 3, .x = x, .r = r}, v, &sim));
    sim_set_levels(sim, levels);
    scree_sim_report before = sim_report_of(sim);
    double angular = angular_of(sim, mass, inertia);
    assert_int_equal(before.contacts, 0);
    CHECK_OK(scree_sim_run(sim, 6000));
    scree_sim_report after = sim_report_of(sim);
    assert_int_equal(after.contacts, 0);
    assert_true(fabs(after.energy_rotation - before.energy_rotation) > 1e-3 * before.energy_rotation);  // they have met
    double first = before.energy_kinetic + before.energy_rotation, then = after.energy_kinetic + after.energy_rotation;
    kept k = {.angular = fabs(angular_of(sim, mass, inertia) / angular - 1.0), .energy = then / first - 1.0};
    scree_sim_destroy(sim);
    return k;
}

static void each_keeps_what_its_arms_allow(void** state)
{
    (void)state;
    kept half = collide(LEVELS_HALF), classic = collide(LEVELS_CLASSIC), modern = collide(LEVELS_MODERN);
    if (getenv("SCREE_TEST_SHOW") != NULL)
        printf("angular momentum and energy: half %.2e %.2e, classic %.2e %.2e, modern %.2e %.2e\n", half.angular, half.energy, classic.angular, classic.energy, modern.angular,
               modern.energy);
    assert_true(half.angular < 1e-11);
    assert_true(fabs(half.energy) < 1e-4);  // what the spring holds in the end is lost
    assert_true(classic.angular > 1e-7);  // torques with the radius: forces and torques have not the same arm
    assert_true(modern.angular < 1e-11);  // torques with the same arm as ours, velocities with the radius
    assert_true(fabs(modern.energy) > 10.0 * fabs(half.energy));
}

static void laws_without_parts_stay_as_they_are(void** state)
{
    (void)state;
    const double x[6] = {0.0, 0.0, 0.0, 0.0, 0.0, 1.9}, r[2] = {1.0, 1.0};
    uint64_t hash[2];
    for (int set = 0; set < 2; ++set) {
        scree_sim_def def = scree_default_sim_def();
        def.box = scree_box_sized(3, (double[3]){10.0, 10.0, 10.0});
        def.box.periodic[0] = def.box.periodic[1] = def.box.periodic[2] = true;
        def.stiffness = 100.0;
        def.threads = 1;
        scree_sim* sim;
        CHECK_OK(scree_sim_create(&def, (scree_spheres){.count = 2, .dim = 3, .x = x, .r = r}, NULL, &sim));
        if (set == 1)
            sim_set_levels(sim, LEVELS_CLASSIC);
        CHECK_OK(scree_sim_run(sim, 20));
        hash[set] = scree_sim_hash(sim);
        scree_sim_destroy(sim);
    }
    assert_true(hash[0] == hash[1]);
}

static const test_case cases[] = {
    UNIT(each_keeps_what_its_arms_allow),
    UNIT(laws_without_parts_stay_as_they_are),
};

const test_group group_peer_levels = {.name = "peer_levels", .cases = cases, .count = sizeof cases / sizeof *cases};
