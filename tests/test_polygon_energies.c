// Energies of polygons: every one has an owner, and their sum stays as it is.
#include "polygon_support.h"

// A body hits the ground at any angle and with any friction: it never comes back with more energy, and what it lost friction has.
static void test_impacts_gain_nothing(void** state)
{
    (void)state;
    double worst = 0.0, worst_sum = 0.0;
    for (int shape = 0; shape < 3; ++shape)
        for (int spin = -1; spin <= 1; ++spin)
            for (double mu = 0.05; mu < 2.5; mu *= 6)
                for (int degrees = 0; degrees < 90; degrees += test_is_small() ? 58 : 29) {
                    double angle = degrees * poly_pi / 180;
                    scree_shapes shapes = {0};
                    scree_polygon_sim_def def = poly_def(3e3, mu);
                    int32_t square = poly_rectangle(&shapes, 1, 1), hook = poly_rule(&shapes, SCREE_SHAPE_HOOK, 8, 0.8, 0.4, 3), slab = poly_rectangle(&shapes, 60, 4);
                    scree_body bodies[2] = {{.shape = shape == 0 ? -1 : shape == 1 ? square : hook,
                                             .radius = 0.5,
                                             .x = {0, 0.9},
                                             .angle = 0.3,
                                             .v = {sin(angle), -cos(angle)},
                                             .spin = spin},
                                            {.shape = slab, .fixed = true, .x = {0, -2}}};
                    scree_polygon_sim* sim = poly_create(&def, &shapes, 2, bodies);
                    double energy = poly_energy(sim);
                    poly_run_for(sim, 1.0 / fmax(cos(angle), 0.3));
                    scree_polygon_sim_report r = poly_report(sim);
                    double left = r.energy_kinetic + r.energy_potential;
                    worst = fmax(worst, (left - energy) / energy);
                    worst_sum = fmax(worst_sum, fabs(left + r.dissipated_tangential - energy) / energy);
                    scree_polygon_sim_destroy(sim);
                    scree_shapes_free(&shapes);
                }
    if (getenv("SCREE_TEST_SHOW") != NULL)
        printf("impacts: gain %g, balance %g\n", worst, worst_sum);
    assert_true(worst < 1e-4);
    assert_true(worst_sum < 1e-2);
}

// Many elastic bodies with friction: energy and what friction has taken stay together, and their sum with half the step is better by its square.
static void test_energy_of_many(void** state)
{
    (void)state;
    for (int walls = 0; walls < 3; ++walls) {
        poly_scene s = poly_mixed(6, walls, 8.0, 4 + (uint64_t)walls);
        s.def.friction = 0.4;
        s.def.stiffness = 1e5;
        s.def.gravity[1] = -1;
        s.def.wrap_every = 70;
        if (walls == 2)
            s.def.gravity[1] = 0;
        scree_polygon_sim* sim = poly_make(&s);
        double energy = poly_energy(sim), last = energy, lost = 0.0;
        for (int part = 0; part < (test_is_small() ? 7 : 20); ++part) {
            CHECK_OK(scree_polygon_sim_run(sim, 300));
            scree_polygon_sim_report r = poly_report(sim);
            double now = r.energy_kinetic + r.energy_potential;
            assert_true(now < last + 1e-3 * energy);
            CHECK_CLOSE(now + r.dissipated_tangential, energy, 3e-3 * energy);
            assert_true(r.dissipated_tangential >= lost);
            lost = r.dissipated_tangential;
            last = now;
        }
        assert_true(lost > (test_is_small() ? 0.01 : 0.05) * energy);
        if (getenv("SCREE_TEST_SHOW") != NULL)
            printf("walls %d: energy %g, left %g, lost %g, sum %g\n", walls, energy, last, lost, (last + lost) / energy - 1);
        scree_polygon_sim_destroy(sim);
        poly_scene_free(&s);
    }
}

// Two spinning discs meet and part along x. With a new search at every step they are no candidates any more when their contact has ended: what was in its spring is lost
// all the same. And so it is if the numbers are those of two materials.
static void test_last_contact_is_booked(void** state)
{
    (void)state;
    double lost[3];
    scree_polygon_pair pairs[4];
    for (int k = 0; k < 4; ++k) {
        pairs[k] = scree_default_polygon_pair();
        pairs[k].friction = k == 1 || k == 2 ? 0.7 : 0.5;
        pairs[k].tangential_stiffness = k == 1 || k == 2 ? 0.1 : 0.3;
    }
    for (int way = 0; way < 3; ++way) {
        scree_polygon_sim_def def = poly_def(1e4, way == 2 ? 0.0 : 0.7);
        scree_body bodies[2] = {{.shape = -1, .radius = 0.5, .x = {-0.51, 0}, .v = {1, 0}, .spin = 0.7}, {.shape = -1, .radius = 0.5, .x = {0.51, 0}, .v = {-1, 0}, .spin = 0.3}};
        def.skin = way > 0 ? -1.0 : 0.5;
        def.tangential_stiffness = 0.1;
        if (way == 2) {
            bodies[1].material = 1;
            def.material_count = 2;
            def.pairs = pairs;
        }
        scree_polygon_sim* sim = poly_create(&def, NULL, 2, bodies);
        double energy = poly_energy(sim);
        poly_run_for(sim, 0.1);
        scree_polygon_sim_report r = poly_report(sim);
        assert_true(r.contacts == 0 && r.candidates == (way == 0));
        CHECK_CLOSE(r.energy_kinetic + r.dissipated_tangential, energy, 1e-4 * energy);
        lost[way] = r.dissipated_tangential;
        scree_polygon_sim_destroy(sim);
    }
    assert_true(lost[0] == lost[1] && lost[0] == lost[2] && lost[0] > 1e-3);
}

// ---- The sum of all ------------------------------------------------------------------------------------------------------

static double balance(const scree_polygon_sim_report* r)
{
    return r->energy_kinetic + r->energy_contact + r->dissipated_normal + r->dissipated_tangential - r->work_walls - r->work_gravity;
}

enum { SLIDE, MEET, BELT, PADDLE, balanced_scenes };

// With friction and damping: a block slides and comes to rest; blocks, a disc and a hook fall on each other; a belt that is lifted carries a block; a paddle turns among discs.
static scree_polygon_sim* balanced(int scene, double step, scree_shapes* shapes)
{
    int32_t block = poly_rectangle(shapes, 1, 0.5), slab = poly_rectangle(shapes, 40, 2), paddle = poly_rectangle(shapes, 4, 0.3), hook = poly_rule(shapes, SCREE_SHAPE_HOOK, 8, 0.7, 0.4, 3);
    scree_polygon_sim_def def = poly_def(1e4, 0.4);
    scree_body bodies[6] = {{.shape = slab, .fixed = true, .x = {0, -1}}};
    int32_t count = 1;
    def.gravity[1] = -10;
    def.restitution = 0.5;
    def.time_step = step;
    def.box = scree_box_sized(2, (const double[]){20, 20});
    def.box.lower[0] = def.box.lower[1] = -20;
    if (scene == SLIDE || scene == BELT)
        bodies[count++] = (scree_body){.shape = block, .x = {0, 0.25}, .v = {scene == SLIDE ? 2 : 0, 0}};
    if (scene == BELT) {
        bodies[0].v[0] = 1.5;
        bodies[0].v[1] = 0.4;
    }
    if (scene == MEET) {
        bodies[count++] = (scree_body){.shape = block, .x = {0, 0.4}, .angle = 0.2, .v = {1, 0}};
        bodies[count++] = (scree_body){.shape = block, .x = {1.3, 0.5}, .angle = -0.4, .v = {-1, 0}, .spin = 2};
        bodies[count++] = (scree_body){.shape = -1, .radius = 0.4, .x = {0.5, 1.5}, .spin = 5};
        bodies[count++] = (scree_body){.shape = hook, .x = {0.3, 2.7}, .angle = 1};
    }
    if (scene == PADDLE) {
        bodies[count++] = (scree_body){.shape = paddle, .fixed = true, .x = {0, 2.2}, .spin = 1.5};
        bodies[count++] = (scree_body){.shape = -1, .radius = 0.5, .x = {-1, 3.5}};
        bodies[count++] = (scree_body){.shape = -1, .radius = 0.4, .x = {1, 3.2}};
        bodies[count++] = (scree_body){.shape = -1, .radius = 0.4, .x = {1.5, 1}};
    }
    return poly_create(&def, shapes, count, bodies);
}

// Whatever happens to kinetic energy and springs is the work or the loss of somebody: with half the step the sum of all changes by a quarter. Losses never fall.
static void test_balance(void** state)
{
    (void)state;
    for (int scene = 0; scene < balanced_scenes; ++scene) {
        double off[3];
        for (int halved = 0; halved < 3; ++halved) {
            scree_shapes shapes = {0};
            scree_polygon_sim* sim = balanced(scene, 4e-4 / (1 << halved), &shapes);
            scree_polygon_sim_report first = poly_report(sim), last = first;
            off[halved] = 0.0;
            for (int part = 0; part < 250; ++part) {
                CHECK_OK(scree_polygon_sim_run(sim, (part % 2 == 0 ? 7 : 3) << halved));
                if (part == 160)
                    CHECK_OK(scree_polygon_sim_set_gravity(sim, (const double[]){1.0, -8.0}));
                scree_polygon_sim_report now = poly_report(sim);
                off[halved] += fabs(balance(&now) - balance(&first)) / 250;
                assert_true(now.dissipated_normal >= last.dissipated_normal && now.dissipated_tangential >= last.dissipated_tangential);
                CHECK_CLOSE(now.energy_contact, now.energy_normal + now.energy_tangential, 1e-12);
                last = now;
            }
            if (getenv("SCREE_TEST_SHOW") != NULL)
                printf("balance: scene %d, step / %d: kinetic %g, contacts %g, lost %g and %g, work %g and %g; off by %g\n", scene, 1 << halved, last.energy_kinetic,
                       last.energy_contact, last.dissipated_normal, last.dissipated_tangential, last.work_walls, last.work_gravity, off[halved]);
            assert_true(last.crossings == 0 && last.dissipated_normal > 1e-4 && last.dissipated_tangential > 1e-3 && (last.work_walls != 0.0) == (scene >= BELT));
            scree_polygon_sim_destroy(sim);
            scree_shapes_free(&shapes);
        }
        assert_true(off[0] > 8.0 * off[2] && off[0] < 2e-2);
    }
}

// ---- Each of them --------------------------------------------------------------------------------------------------------

// Closed forms: a disc that leaves a wall with e of its speed has lost 1 - e^2 of its energy. A belt that takes a block along does twice the work that the block has then, and friction
// has the other half. A lift raises a weight. Gravity that changes has done what the velocities say.
static void test_each_owner(void** state)
{
    (void)state;
    scree_shapes shapes = {0};
    scree_polygon_sim_def def = poly_def(1e4, 0.0);
    scree_body disc = {.shape = -1, .radius = 0.5, .x = {0, 0.51}, .v = {0, -2}};
    def.box.lower[1] = 0;
    def.box.upper[1] = 10;
    def.restitution = 0.6;
    def.time_step = 5e-5;
    scree_polygon_sim* sim = poly_create(&def, NULL, 1, &disc);
    double energy = poly_energy(sim);
    poly_run_for(sim, 0.2);
    scree_polygon_sim_report r = poly_report(sim);
    assert_int_equal(r.wall_contacts, 0);
    CHECK_CLOSE(r.dissipated_normal, (1 - 0.36) * energy, 2e-3 * energy);
    assert_true(r.dissipated_tangential == 0.0 && r.work_walls == 0.0 && r.work_gravity == 0.0);
    scree_polygon_sim_destroy(sim);

    int32_t block = poly_rectangle(&shapes, 1, 0.4), slab = poly_rectangle(&shapes, 40, 2);
    double mass = 0.4, depth = mass * 10 / 2e4;
    scree_body bodies[2] = {{.shape = block, .x = {0, 0.2 - depth}}, {.shape = slab, .fixed = true, .x = {0, -1}, .v = {1.5, 0}}};
    def = poly_def(1e4, 0.4);
    def.gravity[1] = -10;
    def.restitution = 0.3;
    sim = poly_create(&def, &shapes, 2, bodies);
    poly_run_for(sim, 1.0);
    r = poly_report(sim);
    CHECK_CLOSE(r.energy_kinetic, 0.5 * mass * 2.25, 1e-3);
    CHECK_CLOSE(r.work_walls, mass * 2.25, 5e-3);
    CHECK_CLOSE(r.dissipated_tangential, 0.5 * mass * 2.25, 5e-3);
    double before = r.work_walls;
    CHECK_OK(scree_polygon_sim_set_motion(sim, 1, (const double[]){1.5, 0.5}, 0.0));
    poly_run_for(sim, 2.0);
    r = poly_report(sim);
    CHECK_CLOSE(r.work_walls - before, mass * 10 * 0.5 * 2.0 + 0.5 * mass * 0.25 + r.dissipated_normal, 1e-2);
    CHECK_CLOSE(r.work_gravity, -mass * 10 * 0.5 * 2.0, 1e-2);
    scree_polygon_sim_destroy(sim);

    def = poly_def(1e4, 0.0);
    def.gravity[0] = 3;
    sim = poly_create(&def, NULL, 1, &disc);
    energy = poly_energy(sim);
    poly_run_for(sim, 0.5);
    CHECK_OK(scree_polygon_sim_set_gravity(sim, (const double[]){-1.0, 4.0}));
    poly_run_for(sim, 0.5);
    r = poly_report(sim);
    double vx = 3 * 0.5 - 0.5, vy = -2 + 4 * 0.5, m = poly_pi * 0.25;
    CHECK_CLOSE(r.work_gravity, 0.5 * m * (vx * vx + vy * vy - 4), 1e-2);
    scree_polygon_sim_destroy(sim);
    scree_shapes_free(&shapes);
}

static const test_case cases[] = {
    UNIT(test_impacts_gain_nothing),
    UNIT(test_energy_of_many),
    UNIT(test_last_contact_is_booked),
    UNIT(test_balance),
    UNIT(test_each_owner),
};

const test_group group_polygon_energies = {.name = "polygon_energies", .cases = cases, .count = sizeof cases / sizeof *cases};
