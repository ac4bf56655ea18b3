// Friction of polygons: closed forms of blocks and rollers, conservation, hooks and hoppers that hold by friction alone, and what contacts remember: the same for every
// method, skin, number of threads and way of stopping.
#include "file_support.h"
#include "polygon_support.h"

#include "scree/checkpoint.h"

static scree_polygon_sim_def def_of(double stiffness, double friction)
{
    scree_polygon_sim_def def = scree_default_polygon_sim_def();
    def.stiffness = stiffness;
    def.friction = friction;
    return def;
}

static scree_polygon_sim* make(const scree_polygon_sim_def* def, const scree_shapes* shapes, int32_t count, const scree_body* bodies)
{
    scree_polygon_sim* sim;
    CHECK_OK(scree_polygon_sim_create(def, shapes, count, bodies, &sim));
    return sim;
}

static void run_for(scree_polygon_sim* sim, double time)
{
    CHECK_OK(scree_polygon_sim_run(sim, (int64_t)ceil(time / scree_polygon_sim_get_numbers(sim).step)));
}

// ---- Closed forms ------------------------------------------------------------------------------------------------------

typedef enum ground { SLAB, WALL, CIRCLE } ground;

// A block of 1 x 0.4 and mass 0.4 on a plane at this angle, in balance along the normal: on a fixed slab that is turned, or on the wall of the box, where gravity is.
static scree_polygon_sim* block_on(ground on, double angle, double speed, scree_polygon_sim_def def, scree_shapes* shapes)
{
    int32_t block = poly_rectangle(shapes, 1, 0.4), slab = poly_rectangle(shapes, 60, 2);
    double g = 10, depth = 0.4 * g * cos(angle) / (2 * def.stiffness), turned = on == SLAB ? -angle : 0.0, c = cos(turned), s = sin(turned), up = 0.2 - depth;
    scree_body bodies[2] = {{.shape = block, .x = {-s * up, c * up}, .angle = turned, .v = {c * speed, s * speed}},
                            {.shape = slab, .fixed = true, .x = {s, -c}, .angle = turned}};
    def.gravity[0] = on == SLAB ? 0.0 : g * sin(angle);
    def.gravity[1] = on == SLAB ? -g : -g * cos(angle);
    if (on == WALL) {
        def.box.lower[1] = 0;
        def.box.upper[1] = 10;
    }
    return make(&def, shapes, on == SLAB ? 2 : 1, bodies);
}

// How far the block has come down the plane, and how fast it is.
static void down(scree_polygon_sim* sim, ground on, double angle, double* way, double* speed)
{
    scree_polygon_sim_state s = poly_state(sim);
    double turned = on == SLAB ? -angle : 0.0, c = cos(turned), z = sin(turned);
    *way = c * s.x[0] + z * s.x[1];
    *speed = c * s.v[0] + z * s.v[1];
    poly_state_free(&s);
}

static void test_block_on_incline(void** state)
{
    (void)state;
    static const double degrees[] = {5, 15, 25, 29, 31, 35, 45, 55};
    double mu = tan(30 * poly_pi / 180), g = 10;
    for (int on = SLAB; on <= WALL; ++on)
        for (size_t d = 0; d < sizeof degrees / sizeof *degrees; d += test_is_small() ? 3 : 1) {
            double angle = degrees[d] * poly_pi / 180, way, speed, later, faster;
            scree_shapes shapes = {0};
            scree_polygon_sim_def def = def_of(1e4, mu);
            def.restitution = 0.2;
            scree_polygon_sim* sim = block_on((ground)on, angle, 0.0, def, &shapes);
            run_for(sim, 0.3);
            down(sim, (ground)on, angle, &way, &speed);
            run_for(sim, 0.3);
            down(sim, (ground)on, angle, &later, &faster);
            double time = 0.5 * scree_polygon_sim_time(sim);
            scree_polygon_sim_report r = poly_report(sim);
            if (degrees[d] < 30) {
                assert_true(way > 0 && way < 1e-3);  // the springs give way
                CHECK_CLOSE(later, way, 1e-7);
                CHECK_CLOSE(faster, 0, 1e-6);
                assert_int_equal(r.sliding, 0);
                // What holds it: two vertices, all of the weight along the plane.
                scree_contacts_list list;
                CHECK_OK(scree_polygon_sim_get_contacts(sim, &list));
                double along = 0.0, stored = 0.0;
                assert_int_equal(list.count, 2);
                for (int c = 0; c < 2; ++c) {
                    const scree_contact* k = &list.contacts[c];
                    along += k->tangential;
                    stored += k->energy_tangential;
                    CHECK_CLOSE(k->force[1] * k->normal[0] - k->force[0] * k->normal[1], k->tangential, 1e-12);
                    assert_true(!k->slides && fabs(k->tangential) <= mu * hypot(k->force[0], k->force[1]));
                }
                CHECK_CLOSE(fabs(along), 0.4 * g * sin(angle), 1e-4);
                CHECK_CLOSE(r.energy_tangential, stored, 1e-15);
                assert_true(stored > 0.0);
            } else {
                double wanted = g * (sin(angle) - mu * cos(angle));
                CHECK_CLOSE((faster - speed) / time, wanted, 2e-3 * wanted);
                assert_int_equal(r.sliding, 2);
                assert_true(r.dissipated_friction > 0.0);
            }
            scree_polygon_sim_destroy(sim);
            scree_shapes_free(&shapes);
        }
}

// It starts to slide where tan is above the static coefficient, and then feels the dynamic one; one that slides already feels it at any slope.
static void test_two_coefficients(void** state)
{
    (void)state;
    static const double slopes[] = {0.35, 0.45, 0.55};
    for (int d = 0; d < 3; ++d)
        for (int moves = 0; moves < 2; ++moves) {
            double angle = atan(slopes[d]), way, speed, before;
            scree_shapes shapes = {0};
            scree_polygon_sim_def def = def_of(1e4, 0.5);
            def.friction_dynamic = 0.4;
            def.restitution = 0.2;
            scree_polygon_sim* sim = block_on(WALL, moves ? angle : 0.0, moves ? 3.0 : 0.0, def, &shapes);
            for (int part = 1; part <= 100 && !moves; ++part) {  // slowly: a load at once would swing beyond its weight
                CHECK_OK(scree_polygon_sim_set_gravity(sim, (const double[]){10 * sin(part * angle / 100), -10 * cos(part * angle / 100)}));
                run_for(sim, 0.01);
            }
            run_for(sim, 0.2);
            down(sim, WALL, angle, &way, &before);
            double begin = scree_polygon_sim_time(sim);
            run_for(sim, 0.4);
            down(sim, WALL, angle, &way, &speed);
            double gain = 10 * (sin(angle) - 0.4 * cos(angle)) * (scree_polygon_sim_time(sim) - begin);
            assert_int_equal(poly_report(sim).sliding, moves || d == 2 ? 2 : 0);
            CHECK_CLOSE(speed - before, moves || d == 2 ? gain : 0.0, moves || d == 2 ? 0.01 * fabs(gain) : 1e-6);
            scree_polygon_sim_destroy(sim);
            scree_shapes_free(&shapes);
        }
}

// Without a spring only dashpots hold: below the limit the block creeps, at the speed at which they carry its weight.
static void test_without_spring(void** state)
{
    (void)state;
    double angle = atan(0.2), e = 0.2, b = -log(e) / hypot(poly_pi, log(e)), way, speed;
    scree_shapes shapes = {0};
    scree_polygon_sim_def def = def_of(1e4, 0.5);
    def.restitution = e;
    def.tangential_stiffness = 0.0;
    def.tangential_damping = 0.5;
    scree_polygon_sim* sim = block_on(WALL, angle, 0.0, def, &shapes);
    run_for(sim, 0.5);
    down(sim, WALL, angle, &way, &speed);
    double dashpot = 0.5 * 2 * b * sqrt(1e4 * 0.4), wanted = 0.4 * 10 * sin(angle) / (2 * dashpot);
    CHECK_CLOSE(speed, wanted, 1e-6 * wanted);
    scree_polygon_sim_report r = poly_report(sim);
    assert_true(r.sliding == 0 && r.energy_tangential == 0.0);
    CHECK_CLOSE(r.dissipated_friction, 0.4 * 10 * sin(angle) * way, 0.02 * r.dissipated_friction);
    scree_sim_memory memory;
    CHECK_OK(scree_polygon_sim_get_memory(sim, &memory));
    assert_true(memory.count == 2 && memory.values[3] == 0.0);
    scree_polygon_sim_destroy(sim);
    scree_shapes_free(&shapes);
    angle = atan(0.7);  // it slides, and nothing is wound up
    def.tangential_damping = 5.0;
    sim = block_on(WALL, angle, 0.0, def, &shapes);
    for (int part = 0; part < 100; ++part) {
        CHECK_OK(scree_polygon_sim_run(sim, 20));
        CHECK_OK(scree_polygon_sim_get_memory(sim, &memory));
        assert_true(memory.count == 2 && memory.values[3] == 0.0);
    }
    down(sim, WALL, angle, &way, &speed);
    assert_int_equal(poly_report(sim).sliding, 2);
    CHECK_CLOSE(speed, 10 * (sin(angle) - 0.5 * cos(angle)) * scree_polygon_sim_time(sim), 0.05);
    scree_polygon_sim_destroy(sim);
    scree_shapes_free(&shapes);
}

static void test_block_stops(void** state)
{
    (void)state;
    for (int on = SLAB; on <= WALL; ++on)
        for (double mu = 0.2; mu < 0.9; mu += 0.3) {
            double v = 2, g = 10, way, speed;
            scree_shapes shapes = {0};
            scree_polygon_sim_def def = def_of(2e4, mu);
            def.restitution = 0.2;
            scree_polygon_sim* sim = block_on((ground)on, 0.0, v, def, &shapes);
            run_for(sim, 1.2 * v / (mu * g));
            down(sim, (ground)on, 0.0, &way, &speed);
            double wanted = v * v / (2 * mu * g);
            CHECK_CLOSE(way, wanted, 5e-3 * wanted);
            CHECK_CLOSE(speed, 0, 1e-3);
            // All of its energy is lost to friction, but for a little in normal dashpots.
            scree_polygon_sim_report r = poly_report(sim);
            CHECK_CLOSE(r.dissipated_friction, 0.5 * 0.4 * v * v, 5e-3 * 0.8);
            assert_int_equal(r.sliding, 0);
            scree_polygon_sim_destroy(sim);
            scree_shapes_free(&shapes);
        }
}

// A belt runs under a block so fast that the dashpot alone would exceed the limit. When it stops, nothing has been wound up that would push the block against the way it slid.
static void test_fast_slip_winds_up_nothing(void** state)
{
    (void)state;
    scree_shapes shapes = {0};
    scree_polygon_sim_def def = def_of(1e4, 0.3);
    def.gravity[1] = -10;
    def.restitution = 0.1;
    const scree_body bodies[2] = {{.shape = poly_rectangle(&shapes, 1, 0.4), .x = {0, 0.2 - 2e-4}}, {.shape = poly_rectangle(&shapes, 60, 2), .fixed = true, .x = {0, -1}, .v = {20, 0}}};
    scree_polygon_sim* sim = make(&def, &shapes, 2, bodies);
    run_for(sim, 0.1);
    scree_polygon_sim_state s = poly_state(sim);
    double speed = s.v[0];
    CHECK_CLOSE(speed, 0.3 * 10 * scree_polygon_sim_time(sim), 0.01);
    poly_state_free(&s);
    CHECK_OK(scree_polygon_sim_set_motion(sim, 1, (const double[]){speed, 0}, 0));
    run_for(sim, 0.05);
    s = poly_state(sim);
    CHECK_CLOSE(s.v[0], speed, 1e-3);
    poly_state_free(&s);
    scree_polygon_sim_destroy(sim);
    scree_shapes_free(&shapes);
}

// From sliding to rolling: a body with inertia kappa m r^2 ends at u / (1 + kappa), after u kappa / ((1 + kappa) mu g). A disc, and a polygon with many vertices.
static void test_slide_to_roll(void** state)
{
    (void)state;
    for (int disc = 0; disc < 2; ++disc)
        for (int on = SLAB; on <= WALL; ++on) {
            scree_shapes shapes = {0};
            scree_polygon_sim_def def = def_of(2e4, 0.3);
            int32_t slab = poly_rectangle(&shapes, 60, 2), round = poly_rule(&shapes, SCREE_SHAPE_REGULAR, 240, 1, 0, 1);
            scree_polygon_numbers numbers;
            CHECK_OK(scree_polygon_measure(scree_shapes_get(&shapes, round), &numbers));
            scree_body bodies[2] = {{.shape = disc ? -1 : round, .radius = 1, .x = {0, 0.999}, .v = {3, 0}}, {.shape = slab, .fixed = true, .x = {0, -1}}};
            def.gravity[1] = -10;
            def.restitution = disc ? 0.3 : 0.9;  // dashpots at vertices that come and go brake
            if (on == WALL) {
                def.box.lower[1] = 0;
                def.box.upper[1] = 10;
            }
            scree_polygon_sim* sim = make(&def, &shapes, on == SLAB ? 2 : 1, bodies);
            double kappa = disc ? 0.5 : numbers.gyration, slides = 3 * kappa / (1 + kappa) / (0.3 * 10);
            run_for(sim, 0.5 * slides);
            scree_polygon_sim_state s = poly_state(sim);
            CHECK_CLOSE(s.v[0], 3 - 0.3 * 10 * scree_polygon_sim_time(sim), 0.02);
            CHECK_CLOSE(s.spin[0], -0.3 * 10 * scree_polygon_sim_time(sim) / kappa, 0.05);
            poly_state_free(&s);
            run_for(sim, 0.7 * slides);
            s = poly_state(sim);
            CHECK_CLOSE(s.v[0], 3 / (1 + kappa), 0.02);
            CHECK_CLOSE(s.spin[0], -s.v[0], 0.02);
            poly_state_free(&s);
            run_for(sim, 3.0);  // about a turn
            s = poly_state(sim);
            assert_true(s.angle[0] < -5.0);
            CHECK_CLOSE(s.v[0], 3 / (1 + kappa), disc ? 5e-3 : 0.05);  // the overlap is 1/600 of the radius
            CHECK_CLOSE(s.spin[0], -s.v[0], disc ? 5e-3 : 0.05);
            poly_state_free(&s);
            scree_polygon_sim_destroy(sim);
            scree_shapes_free(&shapes);
        }
}

// Down a plane a disc rolls with 2/3 g sin where tan is below 3 mu, and slides with g (sin - mu cos) above. In a circle it rolls to and fro: a pendulum of
// length 3/2 (R - r), whose wall turns the normal.
static void test_rolling_disc(void** state)
{
    (void)state;
    for (int steep = 0; steep < 2; ++steep) {
        double mu = 0.2, angle = atan(steep ? 0.7 : 0.5), g = 10;
        scree_polygon_sim_def def = def_of(1e5, mu);
        scree_body disc = {.shape = -1, .radius = 0.5, .x = {0, 0.5 - 0.25 * poly_pi * g * cos(angle) / 1e5}};
        def.gravity[0] = g * sin(angle);
        def.gravity[1] = -g * cos(angle);
        def.box.lower[1] = 0;
        def.box.upper[1] = 10;
        scree_polygon_sim* sim = make(&def, NULL, 1, &disc);
        run_for(sim, 1.0);
        scree_polygon_sim_state s = poly_state(sim);
        double a = steep ? g * (sin(angle) - mu * cos(angle)) : 2.0 / 3.0 * g * sin(angle), t = scree_polygon_sim_time(sim);
        CHECK_CLOSE(s.v[0], a * t, 2e-3 * a * t);
        CHECK_CLOSE(s.spin[0], steep ? -2 * mu * g * cos(angle) / 0.5 * t : -s.v[0] / 0.5, 0.02);
        poly_state_free(&s);
        scree_polygon_sim_destroy(sim);
    }
    scree_polygon_sim_def def = def_of(1e5, 1.0);
    def.box = scree_box_sized(2, (const double[]){10, 10});
    def.container = SCREE_CONTAINER_SPHERE;
    def.gravity[1] = -10;
    double start = 0.1, arm = 4.5 + 0.25 * poly_pi * 10 / 1e5;
    scree_body disc = {.shape = -1, .radius = 0.5, .x = {5 + arm * sin(start), 5 - arm * cos(start)}};
    scree_polygon_sim* sim = make(&def, NULL, 1, &disc);
    double period = 2 * poly_pi * sqrt(1.5 * 4.5 / 10) * (1 + start * start / 16);
    run_for(sim, 2 * period);
    scree_polygon_sim_state s = poly_state(sim);
    CHECK_CLOSE(atan2(s.x[0] - 5, 5 - s.x[1]), start, 1e-3);
    CHECK_CLOSE(s.spin[0], 0, 0.02);
    CHECK_CLOSE(s.angle[0], 0, 0.01);  // it came back as it went
    poly_state_free(&s);
    scree_polygon_sim_destroy(sim);
}

// Sticking contacts whose normal turns while they swing along it: a disc that rolls in a circle, one that rolls on another, one on a slab that turns. Half the step, a
// quarter of the error.
static void test_second_order(void** state)
{
    (void)state;
    for (int scene = 0; scene < 3; ++scene) {
        double x[3][3], change[2] = {0.0, 0.0};
        for (int halved = 0; halved < 3; ++halved) {
            scree_shapes shapes = {0};
            scree_polygon_sim_def def = def_of(2e3, 5.0);
            int32_t slab = poly_add(&shapes, 4, (const double[]){-3, -2, 3, -2, 3, 0, -3, 0});
            scree_body bodies[2] = {{.shape = -1, .radius = 0.5, .x = {5 + 4.505 * sin(0.3), 5 - 4.505 * cos(0.3)}, .v = {3 * cos(0.3), 3 * sin(0.3)}, .spin = -6}};
            def.gravity[1] = -10;
            def.step = 4e-3 / (1 << halved);
            if (scene == 0) {
                def.box = scree_box_sized(2, (const double[]){10, 10});
                def.container = SCREE_CONTAINER_SPHERE;
            } else if (scene == 1) {
                bodies[0] = (scree_body){.shape = -1, .radius = 0.5, .x = {1.496 * sin(0.2), 1.496 * cos(0.2)}, .v = {2 * cos(0.2), -2 * sin(0.2)}, .spin = -4};
                bodies[1] = (scree_body){.shape = -1, .radius = 1, .fixed = true};
            } else {
                bodies[0] = (scree_body){.shape = -1, .radius = 0.5, .x = {0, 0.4945}};
                bodies[1] = (scree_body){.shape = slab, .fixed = true, .spin = 3};
            }
            scree_polygon_sim* sim = make(&def, &shapes, scene == 0 ? 1 : 2, bodies);
            CHECK_OK(scree_polygon_sim_run(sim, (int64_t)64 << halved));
            scree_polygon_sim_report r = poly_report(sim);
            assert_true(r.contacts + r.wall_contacts == 1 && r.dissipated_friction == 0.0);  // never apart, never sliding
            scree_polygon_sim_state s = poly_state(sim);
            x[halved][0] = s.x[0];
            x[halved][1] = s.x[1];
            x[halved][2] = s.angle[0];
            poly_state_free(&s);
            scree_polygon_sim_destroy(sim);
            scree_shapes_free(&shapes);
        }
        for (int h = 0; h < 2; ++h)
            for (int k = 0; k < 3; ++k)
                change[h] += fabs(x[h + 1][k] - x[h][k]);
        if (getenv("SCREE_TEST_SHOW") != NULL)
            printf("order: scene %d, change %g, then %g: 1/%g\n", scene, change[0], change[1], change[0] / change[1]);
        assert_true(change[0] > 3.8 * change[1] && change[0] < 4.3 * change[1] && change[0] > 1e-8);
    }
}

// ---- Conservation ------------------------------------------------------------------------------------------------------

// In the open, bodies of all kinds fly at each other; and a wedge crosses a bar, where no vertex is inside.
static void test_momentum(void** state)
{
    (void)state;
    poly_scene s = poly_mixed(5, 0, 3.0, 23);
    s.def.box = scree_box_open(2);
    s.def.friction = 0.6;
    s.def.restitution = 0.7;
    for (int i = 0; i < s.count; ++i)
        for (int k = 0; k < 2; ++k)
            s.bodies[i].v[k] += 3 * (5.5 - s.bodies[i].x[k]);
    scree_polygon_sim* sim = poly_make(&s);
    scree_polygon_sim_report before = poly_report(sim), after;
    int64_t sliding = 0;
    for (int part = 0; part < 20; ++part) {
        CHECK_OK(scree_polygon_sim_run(sim, 100));
        after = poly_report(sim);
        sliding += after.sliding;
        for (int k = 0; k < 2; ++k)
            CHECK_CLOSE(after.momentum[k], before.momentum[k], 1e-12 * 1000);  // masses and speeds of about 100
        CHECK_CLOSE(after.angular_momentum, before.angular_momentum, 1e-12 * 10000);
    }
    assert_true(sliding > 20 && after.dissipated_friction > 0.1);
    scree_polygon_sim_destroy(sim);
    poly_scene_free(&s);

    scree_shapes shapes = {0};
    const double wedge[] = {0, 0, 0.3, 3, -0.3, 3};
    const scree_body bodies[2] = {{.shape = poly_add(&shapes, 3, wedge), .x = {0, 0.7}, .v = {0.5, 0}, .spin = 0.1},
                                  {.shape = poly_rectangle(&shapes, 4, 0.4), .spin = -0.2}};
    scree_polygon_sim_def def = def_of(100, 0.5);
    sim = make(&def, &shapes, 2, bodies);
    scree_contacts_list list;
    before = poly_report(sim);
    CHECK_OK(scree_polygon_sim_run(sim, 20));
    CHECK_OK(scree_polygon_sim_get_contacts(sim, &list));
    assert_int_equal(list.count, 1);
    assert_int_equal(list.contacts[0].kind, SCREE_CONTACT_CROSSING);
    const scree_contact* k = &list.contacts[0];
    assert_true(fabs(k->tangential) > 0.1 * hypot(k->force[0], k->force[1]) && k->tangential > 0);  // against its velocity: to the left of its way out, up
    after = poly_report(sim);
    for (int c = 0; c < 2; ++c)
        CHECK_CLOSE(after.momentum[c], before.momentum[c], 1e-13);
    CHECK_CLOSE(after.angular_momentum, before.angular_momentum, 1e-13);
    scree_sim_memory memory;
    CHECK_OK(scree_polygon_sim_get_memory(sim, &memory));
    assert_true(memory.count == 1 && memory.values[0] == 2.0 && memory.values[3] != 0.0);
    scree_polygon_sim_destroy(sim);
    scree_shapes_free(&shapes);
}

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
                    scree_polygon_sim_def def = def_of(3e3, mu);
                    int32_t square = poly_rectangle(&shapes, 1, 1), hook = poly_rule(&shapes, SCREE_SHAPE_HOOK, 8, 0.8, 0.4, 3), slab = poly_rectangle(&shapes, 60, 4);
                    scree_body bodies[2] = {{.shape = shape == 0 ? -1 : shape == 1 ? square : hook,
                                             .radius = 0.5,
                                             .x = {0, 0.9},
                                             .angle = 0.3,
                                             .v = {sin(angle), -cos(angle)},
                                             .spin = spin},
                                            {.shape = slab, .fixed = true, .x = {0, -2}}};
                    scree_polygon_sim* sim = make(&def, &shapes, 2, bodies);
                    double energy = poly_energy(sim);
                    run_for(sim, 1.0 / fmax(cos(angle), 0.3));
                    scree_polygon_sim_report r = poly_report(sim);
                    double left = r.energy_kinetic + r.energy_potential;
                    worst = fmax(worst, (left - energy) / energy);
                    worst_sum = fmax(worst_sum, fabs(left + r.dissipated_friction - energy) / energy);
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
            CHECK_CLOSE(now + r.dissipated_friction, energy, 3e-3 * energy);
            assert_true(r.dissipated_friction >= lost);
            lost = r.dissipated_friction;
            last = now;
        }
        assert_true(lost > (test_is_small() ? 0.01 : 0.05) * energy);
        if (getenv("SCREE_TEST_SHOW") != NULL)
            printf("walls %d: energy %g, left %g, lost %g, sum %g\n", walls, energy, last, lost, (last + lost) / energy - 1);
        scree_polygon_sim_destroy(sim);
        poly_scene_free(&s);
    }
}

// ---- Structures that hold by friction ------------------------------------------------------------------------------------

// One hook hangs in another, fixed one. The faces where they touch decline by this angle towards the open side: without friction the lower one slides off.
static double hang(double angle, double mu)
{
    double t = tan(angle), way;
    const double upper[] = {-2, -1, -1.5, -1, -1.5, 1.5 * t - 0.4, 1, -t - 0.4, 1, -t, -1.5, 1.5 * t, -1.5, 3, -2, 3};
    const double lower[] = {-0.8, 0.8 * t, 1.3, -1.3 * t, 1.3, -2.5, -1.2, -2.5, -1.2, -3, 1.7, -3, 1.7, 0.4 - 1.7 * t, -0.8, 0.4 + 0.8 * t};
    scree_shapes shapes = {0};
    scree_body bodies[2] = {{.shape = poly_add(&shapes, 8, upper), .fixed = true}, {.shape = poly_add(&shapes, 8, lower)}};
    scree_polygon_numbers numbers;
    CHECK_OK(scree_polygon_measure((scree_polygon){.count = 8, .xy = lower}, &numbers));
    assert_true(numbers.reflex == 2);
    memcpy(bodies[1].x, numbers.centre, sizeof numbers.centre);
    scree_polygon_sim_def def = def_of(1e5, mu);
    def.gravity[1] = -10;
    def.restitution = 0.2;
    scree_polygon_sim* sim = make(&def, &shapes, 2, bodies);
    run_for(sim, 1.0);
    scree_polygon_sim_state s = poly_state(sim);
    way = hypot(s.x[2] - numbers.centre[0], s.x[3] - numbers.centre[1]);
    if (way < 0.1)
        CHECK_CLOSE(hypot(s.v[2], s.v[3]) + fabs(s.spin[1]), 0, 1e-5);
    poly_state_free(&s);
    scree_polygon_sim_destroy(sim);
    scree_shapes_free(&shapes);
    return way;
}

static void test_hooks_hold(void** state)
{
    (void)state;
    double angle = 20 * poly_pi / 180;
    assert_true(hang(angle, 0.0) > 1.0);
    assert_true(hang(angle, 0.9 * tan(angle)) > 0.1);
    assert_true(hang(angle, 1.1 * tan(angle)) < 0.01);
    assert_true(hang(angle, 0.8) < 0.01);
}

// Hooks in a hopper whose outlet is about two of them wide: how many are above it in the end.
static int hopper(double mu, double* speed)
{
    enum { columns = 7, rows = 3 };
    scree_shapes shapes = {0};
    scree_body bodies[columns * rows + 2];
    const double left[] = {-7, -0.5, -1.5, -0.5, -1.5, 0.5, -6, 7, -6, 30, -7, 30}, right[] = {1.5, -0.5, 7, -0.5, 7, 30, 6, 30, 6, 7, 1.5, 0.5};
    int32_t count = 0, hook = poly_rule(&shapes, SCREE_SHAPE_HOOK, 8, 0.8, 0.4, 1);
    bodies[count++] = (scree_body){.shape = poly_add(&shapes, 6, left), .fixed = true};
    bodies[count++] = (scree_body){.shape = poly_add(&shapes, 6, right), .fixed = true};
    scree_rng rng = scree_rng_make(7, 1);
    for (int y = 0; y < rows; ++y)
        for (int x = 0; x < columns; ++x)
            bodies[count++] = (scree_body){.shape = hook, .x = {1.65 * (x - 3), 8.5 + 1.65 * y}, .angle = poly_between(&rng, -3, 3)};
    scree_polygon_sim_def def = def_of(1e4, mu);
    def.gravity[1] = -10;
    def.restitution = 0.2;
    scree_polygon_sim* sim = make(&def, &shapes, count, bodies);
    run_for(sim, 4.0);
    scree_polygon_sim_state s = poly_state(sim);
    int above = 0;
    *speed = 0.0;
    for (int32_t i = 2; i < count; ++i)
        if (s.x[2 * i + 1] > 0) {
            ++above;
            *speed = fmax(*speed, hypot(s.v[2 * i], s.v[2 * i + 1]));
        }
    if (getenv("SCREE_TEST_SHOW") != NULL)
        printf("hopper: mu %g, %d of %d above, fastest %g, steps %d\n", mu, above, count - 2, *speed, (int)scree_polygon_sim_step(sim));
    poly_state_free(&s);
    scree_polygon_sim_destroy(sim);
    scree_shapes_free(&shapes);
    return above;
}

static void test_hopper_arches(void** state)
{
    (void)state;
    double speed;
    if (test_is_small())
        return;  // nothing here that others do not run, for longer
    assert_int_equal(hopper(0.0, &speed), 0);
    assert_true(hopper(0.8, &speed) > 10);
    CHECK_CLOSE(speed, 0, 0.02);
}

// ---- Materials ---------------------------------------------------------------------------------------------------------

enum { WOOD, ICE, STONE, materials };

static void pairs_of(scree_polygon_pair pairs[materials * materials])
{
    for (int k = 0; k < materials * materials; ++k) {
        pairs[k] = scree_default_polygon_pair();
        pairs[k].friction = 0.5;
    }
}

static scree_polygon_pair* between(scree_polygon_pair* pairs, int a, int b, int turned)
{
    return &pairs[turned ? b * materials + a : a * materials + b];
}

// Blocks of wood, ice and stone on a slope, of stone or a wall of stone. Wood rests, ice slides without friction, stone with a little.
static void test_materials(void** state)
{
    (void)state;
    double angle = atan(0.3), g = 10;
    for (int on = SLAB; on <= WALL; ++on) {
        scree_polygon_pair pairs[materials * materials];
        scree_shapes shapes = {0};
        scree_polygon_sim_def def = def_of(1e4, 0.0);
        scree_body bodies[materials + 1];
        pairs_of(pairs);
        for (int turned = 0; turned < 2; ++turned) {
            between(pairs, ICE, STONE, turned)->friction = 0.0;
            between(pairs, ICE, STONE, turned)->stiffness = 4e4;
            between(pairs, STONE, STONE, turned)->friction = 0.2;
        }
        int32_t block = poly_rectangle(&shapes, 1, 0.4), slab = poly_rectangle(&shapes, 60, 2);
        for (int m = 0; m < materials; ++m)
            bodies[m] = (scree_body){.shape = block, .material = m, .x = {5 + 4 * m, 0.2 - 1.9e-4}};
        bodies[materials] = (scree_body){.shape = slab, .fixed = true, .material = STONE, .x = {20, -1}};
        def.restitution = 0.2;
        def.gravity[0] = g * sin(angle);
        def.gravity[1] = -g * cos(angle);
        def.material_count = materials;
        def.pairs = pairs;
        def.wall_material = on == WALL ? STONE : WOOD;
        if (on == WALL) {
            def.box.lower[1] = 0;
            def.box.upper[1] = 10;
        }
        scree_polygon_sim* sim = make(&def, &shapes, materials + (on == SLAB), bodies);
        memset(pairs, 0, sizeof pairs);  // they were copied
        CHECK_CLOSE(scree_polygon_sim_get_numbers(sim).stiffness, 4e4, 0);
        run_for(sim, 0.5);
        scree_polygon_sim_state s = poly_state(sim);
        double t = scree_polygon_sim_time(sim);
        CHECK_CLOSE(s.v[0], 0, 1e-5);
        CHECK_CLOSE(s.v[2], g * sin(angle) * t, 1e-6);
        CHECK_CLOSE(s.v[4], g * (sin(angle) - 0.2 * cos(angle)) * t, 0.02);
        CHECK_CLOSE(s.x[3], 0.2 - 0.4 * g * cos(angle) / (2 * 4e4), 1e-6);
        CHECK_CLOSE(s.x[1], 0.2 - 0.4 * g * cos(angle) / (2 * 1e4), 1e-6);
        poly_state_free(&s);
        scree_sim_memory memory;
        CHECK_OK(scree_polygon_sim_get_memory(sim, &memory));
        assert_int_equal(memory.count, 4);  // smooth contacts remember nothing
        assert_int_equal(poly_report(sim).contacts + poly_report(sim).wall_contacts, 6);
        scree_polygon_sim_destroy(sim);
        scree_shapes_free(&shapes);
    }
}

// Discs with a restitution of their own on one floor; and the step is that of the stiffest pair of which somebody moves.
static void test_restitution_by_materials(void** state)
{
    (void)state;
    static const double wanted[materials] = {0.8, 0.3, 0.5};
    scree_polygon_pair pairs[materials * materials];
    scree_polygon_sim_def def = def_of(1e3, 0.0);
    scree_body bodies[materials];
    pairs_of(pairs);
    for (int k = 0; k < materials * materials; ++k)
        pairs[k].tangential_damping = 0.0;
    for (int m = 0; m < materials; ++m) {
        between(pairs, m, STONE, 0)->restitution = between(pairs, m, STONE, 1)->restitution = wanted[m];
        bodies[m] = (scree_body){.shape = -1, .radius = 0.5, .material = m, .x = {5 + 2 * m, 0.5 + 1e-6}, .v = {0, -0.1}};
    }
    def.box.lower[1] = 0;
    def.box.upper[1] = 10;
    def.wall_material = STONE;
    def.material_count = materials;
    def.pairs = pairs;
    def.restitution = 0.9;
    scree_polygon_sim* sim = make(&def, NULL, materials, bodies);
    scree_polygon_sim_numbers numbers = scree_polygon_sim_get_numbers(sim);
    CHECK_CLOSE(numbers.restitution_least, 0.3, 1e-12);
    CHECK_CLOSE(numbers.restitution_most, 0.9, 1e-12);
    run_for(sim, 0.2);
    scree_polygon_sim_state s = poly_state(sim);
    for (int m = 0; m < materials; ++m)
        CHECK_CLOSE(s.v[2 * m + 1] / 0.1, wanted[m], 0.01);
    poly_state_free(&s);
    // A checkpoint knows whose material is which.
    scree_checkpoint taken = {0}, read;
    scree_shapes none = {0};
    scree_body again[materials];
    CHECK_OK(scree_checkpoint_take_bodies(sim, &none, bodies, &taken));
    assert_true(taken.has_materials && taken.format_version == 5);
    CHECK_OK(scree_checkpoint_write(in_folder("materials.npz"), &taken));
    CHECK_OK(scree_checkpoint_read(in_folder("materials.npz"), &read));
    CHECK_OK(scree_checkpoint_get_bodies(&read, again));
    for (int m = 0; m < materials; ++m)
        assert_int_equal(again[m].material, m);
    CHECK_OK(scree_checkpoint_give_bodies(&read, sim));
    read.material[1] = -5;
    CHECK_FAILS(scree_checkpoint_write(in_folder("materials.npz"), &read), SCREE_ERR_ARGUMENT, "body 1", "-5");
    scree_checkpoint_free(&taken);
    scree_checkpoint_free(&read);
    scree_polygon_sim_destroy(sim);

    between(pairs, ICE, ICE, 0)->stiffness = 1e5;  // ten times shorter
    double step = numbers.step;
    for (int moves = 0; moves < 2; ++moves) {
        bodies[ICE].fixed = moves == 0;
        sim = make(&def, NULL, materials, bodies);
        numbers = scree_polygon_sim_get_numbers(sim);
        CHECK_CLOSE(numbers.stiffness, 1e5, 0);
        CHECK_CLOSE(numbers.step, moves ? step * sqrt(2e3 / 1e5) : step, 1e-9);  // two free discs have twice the inverse mass; of each material there is one
        assert_true(!moves || (numbers.shortest[0] == ICE && numbers.shortest[1] == -1));
        scree_polygon_sim_destroy(sim);
    }
}

static void test_faults_of_materials(void** state)
{
    (void)state;
    scree_polygon_pair pairs[materials * materials];
    scree_body body = {.shape = -1, .radius = 1};
    scree_polygon_sim_def def = def_of(1e3, 0.0), wrong;
    scree_polygon_sim* sim;
    pairs_of(pairs);
    def.material_count = materials;
    def.pairs = pairs;
    wrong = def;
    wrong.material_count = 0;
    CHECK_FAILS(scree_polygon_sim_create(&wrong, NULL, 1, &body, &sim), SCREE_ERR_ARGUMENT, "material_count", "0");
    wrong.material_count = 2;
    wrong.pairs = NULL;
    CHECK_FAILS(scree_polygon_sim_create(&wrong, NULL, 1, &body, &sim), SCREE_ERR_ARGUMENT, "material_count", "2", "NULL");
    wrong = def;
    wrong.wall_material = 3;
    CHECK_FAILS(scree_polygon_sim_create(&wrong, NULL, 1, &body, &sim), SCREE_ERR_ARGUMENT, "wall_material", "3");
    wrong = def;
    wrong.friction = 0.25;
    CHECK_FAILS(scree_polygon_sim_create(&wrong, NULL, 1, &body, &sim), SCREE_ERR_ARGUMENT, "friction", "0.25");
    body.material = 3;
    CHECK_FAILS(scree_polygon_sim_create(&def, NULL, 1, &body, &sim), SCREE_ERR_ARGUMENT, "body 0", "material 3");
    body.material = 0;
    between(pairs, ICE, STONE, 0)->friction = 0.75;
    CHECK_FAILS(scree_polygon_sim_create(&def, NULL, 1, &body, &sim), SCREE_ERR_ARGUMENT, "materials 1 and 2", "friction", "0.75", "0.5");
    between(pairs, ICE, STONE, 1)->friction = 0.75;
    between(pairs, ICE, ICE, 0)->tangential_damping = -1;
    CHECK_FAILS(scree_polygon_sim_create(&def, NULL, 1, &body, &sim), SCREE_ERR_ARGUMENT, "materials 1 and 1", "tangential_damping", "-1");
    between(pairs, ICE, ICE, 0)->tangential_damping = 1;
    between(pairs, WOOD, WOOD, 0)->restitution = 2;
    CHECK_FAILS(scree_polygon_sim_create(&def, NULL, 1, &body, &sim), SCREE_ERR_ARGUMENT, "materials 0 and 0", "2");
    between(pairs, WOOD, WOOD, 0)->restitution = 0.5;
    between(pairs, STONE, STONE, 0)->damping = 1;
    CHECK_FAILS(scree_polygon_sim_create(&def, NULL, 1, &body, &sim), SCREE_ERR_ARGUMENT, "damping", "restitution");
    between(pairs, STONE, STONE, 0)->damping = 0;
    between(pairs, ICE, WOOD, 0)->struct_size = 8;
    CHECK_FAILS(scree_polygon_sim_create(&def, NULL, 1, &body, &sim), SCREE_ERR_ARGUMENT, "materials 0 and 1", "8");
    pairs[0].struct_size = 9;
    CHECK_FAILS(scree_polygon_sim_create(&def, NULL, 1, &body, &sim), SCREE_ERR_ARGUMENT, "9");
    pairs[0].struct_size = between(pairs, ICE, WOOD, 0)->struct_size = sizeof *pairs;
    EACH_ALLOCATION_FAILS(scree_polygon_sim_create(&def, NULL, 1, &body, &sim), (void)0);
    scree_polygon_sim_destroy(sim);
}

// ---- Memory ------------------------------------------------------------------------------------------------------------

static poly_scene crowd(int side, int walls, uint64_t seed)
{
    poly_scene s = poly_mixed(side, walls, 40.0, seed);
    s.def.friction = 0.5;
    s.def.friction_dynamic = 0.4;
    s.def.restitution = 0.6;
    s.def.gravity[1] = walls == 2 ? 0.0 : -5.0;
    s.def.wrap_every = 37;
    return s;
}

// A hash of all contacts too.
static uint64_t hash_after(const poly_scene* s, int64_t steps, int64_t look_every)
{
    scree_polygon_sim* sim = poly_make(s);
    for (int64_t done = 0; done < steps; done += look_every) {
        CHECK_OK(scree_polygon_sim_run(sim, look_every));
        scree_contacts_list list;
        scree_sim_memory memory;
        CHECK_OK(scree_polygon_sim_get_contacts(sim, &list));
        CHECK_OK(scree_polygon_sim_get_memory(sim, &memory));
        assert_int_equal(memory.count, list.count);  // each contact remembers, and nothing else
        poly_report(sim);
    }
    uint64_t hash = scree_polygon_sim_hash(sim), bits;
    double lost = poly_report(sim).dissipated_friction;
    memcpy(&bits, &lost, sizeof bits);
    scree_polygon_sim_destroy(sim);
    return hash ^ bits;
}

static void test_one_hash(void** state)
{
    (void)state;
    for (int walls = 0; walls < 4; ++walls) {
        poly_scene s = crowd(13, walls, 3);
        s.def.threads = 1;
        s.def.method = SCREE_METHOD_ALL_PAIRS;
        uint64_t wanted = hash_after(&s, 150, 150);
        static const struct {
            int32_t method, threads;
            double skin;
            int64_t look;
        } ways[] = {{SCREE_METHOD_LINKED_CELLS, 2, 0.5, 150}, {SCREE_METHOD_LINEAR_LIST, 7, 0.05, 1}, {SCREE_METHOD_HIERARCHICAL_GRID, 1, -1, 50}};
        for (size_t w = 0; w < sizeof ways / sizeof *ways; ++w) {
            s.def.method = ways[w].method;
            s.def.threads = ways[w].threads;
            s.def.skin = ways[w].skin;
            assert_true(hash_after(&s, 150, ways[w].look) == wanted);
        }
        poly_scene_free(&s);
    }
}

// Two spinning discs meet and part along x. With a search anew for every step they are no candidates any more when their contact has ended: what was in its spring is lost
// all the same. And so it is if the numbers are those of two materials.
static void test_last_contact_is_booked(void** state)
{
    (void)state;
    double lost[3];
    scree_polygon_pair pairs[materials * materials];
    pairs_of(pairs);
    for (int turned = 0; turned < 2; ++turned) {
        between(pairs, WOOD, ICE, turned)->friction = 0.7;
        between(pairs, WOOD, ICE, turned)->tangential_stiffness = 0.1;
    }
    for (int way = 0; way < 3; ++way) {
        scree_polygon_sim_def def = def_of(1e4, way == 2 ? 0.0 : 0.7);
        scree_body bodies[2] = {{.shape = -1, .radius = 0.5, .x = {-0.51, 0}, .v = {1, 0}, .spin = 0.7}, {.shape = -1, .radius = 0.5, .x = {0.51, 0}, .v = {-1, 0}, .spin = 0.3}};
        def.skin = way > 0 ? -1.0 : 0.5;
        def.tangential_stiffness = 0.1;
        if (way == 2) {
            bodies[1].material = ICE;
            def.material_count = materials;
            def.pairs = pairs;
        }
        scree_polygon_sim* sim = make(&def, NULL, 2, bodies);
        double energy = poly_energy(sim);
        run_for(sim, 0.1);
        scree_polygon_sim_report r = poly_report(sim);
        assert_true(r.contacts == 0 && r.candidates == (way == 0));
        CHECK_CLOSE(r.energy_kinetic + r.dissipated_friction, energy, 1e-4 * energy);
        lost[way] = r.dissipated_friction;
        scree_polygon_sim_destroy(sim);
    }
    assert_true(lost[0] == lost[1] && lost[0] == lost[2] && lost[0] > 1e-3);
}

// A state in the hands of the caller, its memory copied; freed by poly_state_free and this.
typedef struct saved {
    scree_polygon_sim_state at;
    scree_sim_memory memory;
    int64_t (*ij)[2];
    int8_t (*shift)[3];
    double* values;
} saved;

static void save(scree_polygon_sim* sim, saved* s)
{
    scree_sim_memory m;
    s->at = poly_state(sim);
    CHECK_OK(scree_polygon_sim_get_memory(sim, &m));
    size_t n = (size_t)m.count + 1;
    s->ij = calloc(n, sizeof *s->ij);
    s->shift = calloc(n, sizeof *s->shift);
    s->values = calloc(n * SCREE_POLYGON_MEMORY_WORDS, 8);
    if (m.count > 0) {
        memcpy(s->ij, m.ij, (size_t)m.count * sizeof *s->ij);
        if (m.shift != NULL)
            memcpy(s->shift, m.shift, (size_t)m.count * sizeof *s->shift);
        memcpy(s->values, m.values, (size_t)(m.count * m.words) * 8);
    }
    s->memory = (scree_sim_memory){.count = m.count,
                                   .words = m.words,
                                   .ij = (const int64_t(*)[2])s->ij,
                                   .shift = m.shift != NULL ? (const int8_t(*)[3])s->shift : NULL,
                                   .values = s->values};
    s->at.memory = &s->memory;
}

static void saved_free(saved* s)
{
    poly_state_free(&s->at);
    free(s->ij);
    free(s->shift);
    free(s->values);
}

static void test_resume(void** state)
{
    (void)state;
    for (int walls = 0; walls < 4; ++walls) {
        poly_scene s = crowd(6, walls, 9);
        uint64_t wanted = hash_after(&s, 400, 400);
        scree_polygon_sim *one = poly_make(&s), *two = poly_make(&s);
        int64_t remembered = 0;
        for (int part = 0; part < 400; part += 20) {
            saved at;
            CHECK_OK(scree_polygon_sim_run(one, 20));
            save(one, &at);
            remembered += at.memory.count;
            assert_true(scree_polygon_sim_state_hash(&at.at, s.count) == scree_polygon_sim_hash(one));
            CHECK_OK(scree_polygon_sim_set_state(two, &at.at));
            assert_true(scree_polygon_sim_hash(two) == scree_polygon_sim_hash(one));
            saved_free(&at);
            scree_polygon_sim* other = one;
            one = two;
            two = other;
        }
        uint64_t bits;
        double lost = poly_report(one).dissipated_friction;
        memcpy(&bits, &lost, sizeof bits);
        assert_true(remembered > 50);
        assert_true((scree_polygon_sim_hash(one) ^ bits) == wanted);
        scree_polygon_sim_destroy(one);
        scree_polygon_sim_destroy(two);
        poly_scene_free(&s);
    }
}

// The same by way of a file, into a simulation of its own each time; and what cannot be is told.
static void test_checkpoint(void** state)
{
    (void)state;
    for (int walls = 2; walls < 4; ++walls) {
        poly_scene s = crowd(6, walls, 12);
        uint64_t wanted = hash_after(&s, 300, 300), bits;
        scree_polygon_sim* sim = poly_make(&s);
        scree_checkpoint taken = {0}, read;
        for (int part = 0; part < 300; part += 50) {
            CHECK_OK(scree_polygon_sim_run(sim, 50));
            CHECK_OK(scree_checkpoint_take_bodies(sim, &s.shapes, s.bodies, &taken));
            assert_true(taken.format_version == 5 && taken.memory.words == SCREE_POLYGON_MEMORY_WORDS && taken.memory.periodic);
            CHECK_OK(scree_checkpoint_write(in_folder("bodies.npz"), &taken));
            CHECK_OK(scree_checkpoint_read(in_folder("bodies.npz"), &read));
            assert_int_equal(read.memory.count, taken.memory.count);
            scree_polygon_sim_destroy(sim);
            sim = poly_make(&s);
            CHECK_OK(scree_checkpoint_give_bodies(&read, sim));
            scree_checkpoint_free(&read);
        }
        double lost = poly_report(sim).dissipated_friction;
        memcpy(&bits, &lost, sizeof bits);
        assert_true((scree_polygon_sim_hash(sim) ^ bits) == wanted);
        assert_true(taken.memory.count > 3);
        EACH_ALLOCATION_FAILS(scree_checkpoint_take_bodies(sim, &s.shapes, s.bodies, &taken), (void)0);
        CHECK_OK(scree_checkpoint_write(in_folder("bodies.npz"), &taken));
        EACH_ALLOCATION_FAILS(scree_checkpoint_read(in_folder("bodies.npz"), &read), (void)0);
        scree_checkpoint_free(&read);
        // The memory belongs to the hash, and names its contacts.
        taken.memory.values[3] += 1.0;
        CHECK_FAILS(scree_checkpoint_write(in_folder("bodies.npz"), &taken), SCREE_ERR_ARGUMENT);
        taken.memory.values[3] -= 1.0;
        int64_t was = taken.memory.ij[1][1];
        taken.memory.ij[1][1] = 1000;
        CHECK_FAILS(scree_checkpoint_write(in_folder("bodies.npz"), &taken), SCREE_ERR_ARGUMENT, "contact 1", "1000");
        taken.memory.ij[1][1] = was;
        taken.memory.law[0] = 'x';
        CHECK_FAILS(scree_checkpoint_give_bodies(&taken, sim), SCREE_ERR_ARGUMENT, "'xriction'");
        taken.memory.law[0] = 'f';
        // One with friction and one without do not take each other's.
        s.def.friction = s.def.friction_dynamic = 0.0;
        scree_polygon_sim* smooth = poly_make(&s);
        CHECK_FAILS(scree_checkpoint_give_bodies(&taken, smooth), SCREE_ERR_ARGUMENT, "5", "0");
        CHECK_OK(scree_checkpoint_take_bodies(smooth, &s.shapes, s.bodies, &taken));
        assert_true(taken.format_version == 4 && taken.memory.words == 0);
        CHECK_FAILS(scree_checkpoint_give_bodies(&taken, sim), SCREE_ERR_ARGUMENT, "5", "0");
        scree_polygon_sim_destroy(smooth);
        scree_polygon_sim_destroy(sim);
        scree_checkpoint_free(&taken);
        poly_scene_free(&s);
    }
}

// A block rests on a slope only by what its contacts remember. It and the slab travel through a periodic box: at each wrap the memory must find its new image.
static void test_memory_is_wrapped(void** state)
{
    (void)state;
    double way[2];
    for (int periodic = 0; periodic < 2; ++periodic) {
        scree_shapes shapes = {0};
        scree_polygon_sim_def def = def_of(1e4, 0.8);
        int32_t block = poly_rectangle(&shapes, 1, 0.4), slab = poly_rectangle(&shapes, 2, 2);
        scree_body bodies[2] = {{.shape = slab, .fixed = true, .x = {1, -1}, .v = {8, 0}}, {.shape = block, .x = {1.4, 0.2}, .v = {8, 0}}};
        def.gravity[0] = 5;
        def.gravity[1] = -10;
        def.tangential_stiffness = 1;
        def.wrap_every = 13;
        if (periodic) {
            def.box = scree_box_sized(2, (const double[2]){4, 4});
            def.box.lower[1] = -INFINITY;
            def.box.upper[1] = INFINITY;
            def.box.periodic[0] = true;
        }
        scree_polygon_sim* sim = make(&def, &shapes, 2, bodies);
        run_for(sim, 2.5);  // five times through
        scree_polygon_sim_state s = poly_state(sim);
        way[periodic] = s.x[2] - s.x[0];
        if (periodic)
            way[1] -= 4 * rint(way[1] / 4);
        poly_state_free(&s);
        scree_polygon_sim_destroy(sim);
        scree_shapes_free(&shapes);
    }
    CHECK_CLOSE(way[0], 0.4, 1e-2);
    CHECK_CLOSE(way[1], way[0], 1e-9);
}

// A vertex that slides over a reflex corner, from one edge of a body to the next, keeps its spring.
static void test_memory_goes_round_corners(void** state)
{
    (void)state;
    scree_shapes shapes = {0};
    const double bent[] = {-3, -1, 3, -1, 3, 0, 0, 0, -3, 0.05};  // the edges at (0, 0) differ by one degree
    const double tip[] = {0, 0, 0.4, 1, -0.4, 1};
    scree_body bodies[2] = {{.shape = poly_add(&shapes, 5, bent), .fixed = true, .v = {1, 0}}, {.shape = poly_add(&shapes, 3, tip), .x = {0.05, 2.0 / 3 - 1e-3}, .material_density = 1e6}};
    scree_polygon_sim_def def = def_of(1e4, 0.5);
    def.step = 1e-3;
    scree_polygon_sim* sim = make(&def, &shapes, 2, bodies);
    double last = 0.0;
    int32_t corners = 0;
    for (int step = 0; step < 100; ++step) {  // the ground moves by 0.1 to the right under the heavy tip, which goes from the edge on the right to that on the left
        CHECK_OK(scree_polygon_sim_run(sim, 1));
        scree_contacts_list list;
        CHECK_OK(scree_polygon_sim_get_contacts(sim, &list));
        assert_true(list.count == 1 || list.count == 2);  // at the corner, that is in the tip, too
        const scree_contact* at = &list.contacts[list.count - 1];
        assert_true(at->i == 1 && at->feature == 0);
        double force = fabs(at->tangential);
        corners += at->normal[0] != 0.0;
        assert_true(force >= fmin(last, 0.49 * 10.0));  // from an empty spring it would be 2.9
        last = force;
    }
    assert_true(corners > 20 && corners < 80);
    scree_polygon_sim_destroy(sim);
    scree_shapes_free(&shapes);
}

// Without friction nothing is remembered, and the other numbers of friction change nothing.
static void test_smooth(void** state)
{
    (void)state;
    poly_scene s = crowd(5, 0, 4);
    s.def.friction = s.def.friction_dynamic = 0.0;
    uint64_t hash[2];
    for (int other = 0; other < 2; ++other) {
        s.def.tangential_stiffness = other ? 3.0 : 0.0;
        s.def.tangential_damping = other ? 0.0 : 9.0;
        scree_polygon_sim* sim = poly_make(&s);
        CHECK_OK(scree_polygon_sim_run(sim, 400));
        scree_sim_memory memory;
        CHECK_OK(scree_polygon_sim_get_memory(sim, &memory));
        assert_true(memory.count == 0 && memory.words == 0);
        scree_polygon_sim_report r = poly_report(sim);
        assert_true(r.energy_tangential == 0.0 && r.dissipated_friction == 0.0 && r.sliding == 0);
        hash[other] = scree_polygon_sim_hash(sim);
        scree_polygon_sim_destroy(sim);
    }
    assert_true(hash[0] == hash[1]);
    poly_scene_free(&s);
}

static void test_faults(void** state)
{
    (void)state;
    scree_shapes shapes = {0};
    scree_body body = {.shape = poly_rectangle(&shapes, 1, 1)};
    scree_polygon_sim_def def = def_of(100, 0.5), wrong = def;
    scree_polygon_sim* sim;
    wrong.friction = -0.25;
    CHECK_FAILS(scree_polygon_sim_create(&wrong, &shapes, 1, &body, &sim), SCREE_ERR_ARGUMENT, "friction", "-0.25");
    wrong.friction = NAN;
    CHECK_FAILS(scree_polygon_sim_create(&wrong, &shapes, 1, &body, &sim), SCREE_ERR_ARGUMENT, "friction", "nan");
    wrong = def;
    wrong.friction_dynamic = 0.75;
    CHECK_FAILS(scree_polygon_sim_create(&wrong, &shapes, 1, &body, &sim), SCREE_ERR_ARGUMENT, "friction_dynamic", "0.75", "0.5");
    wrong = def;
    wrong.tangential_stiffness = -1;
    CHECK_FAILS(scree_polygon_sim_create(&wrong, &shapes, 1, &body, &sim), SCREE_ERR_ARGUMENT, "tangential_stiffness", "-1");
    wrong = def;
    wrong.tangential_damping = INFINITY;
    CHECK_FAILS(scree_polygon_sim_create(&wrong, &shapes, 1, &body, &sim), SCREE_ERR_ARGUMENT, "tangential_damping", "inf");
    // A stiff tangential spring makes contacts shorter.
    wrong = def;
    wrong.tangential_stiffness = 4;
    scree_polygon_sim* stiff = make(&wrong, &shapes, 1, &body);
    sim = make(&def, &shapes, 1, &body);
    CHECK_CLOSE(scree_polygon_sim_get_numbers(stiff).step, 0.5 * scree_polygon_sim_get_numbers(sim).step, 1e-12);
    scree_polygon_sim_destroy(stiff);
    scree_polygon_sim_destroy(sim);

    scree_body bodies[2] = {{.shape = 0, .x = {0, 1.1}}, {.shape = 0, .x = {0.1, 0.101}}};
    def.box = scree_box_sized(2, (const double[]){9, 9});
    def.box.lower[0] = -9;
    def.gravity[1] = -1;
    bodies[1].x[1] = 0.5;
    bodies[0].x[1] = 1.5;
    sim = make(&def, &shapes, 2, bodies);
    run_for(sim, 0.5);
    saved at;
    save(sim, &at);
    assert_true(at.memory.count >= 4);
    int64_t last = at.memory.count - 1;
    assert_true(at.ij[0][0] == 0 && at.ij[0][1] == 1 && at.ij[last][1] == -3);  // the floor
    static const struct {
        int word;
        double value;
        const char* named;
    } bad[] = {{0, 3, "3"}, {0, 0.5, "0.5"}, {1, 4, "4"}, {1, -1, "-1"}, {2, 1, "1"}, {3, NAN, "nan"}, {4, 2, "2"}};
    for (size_t b = 0; b < sizeof bad / sizeof *bad; ++b) {
        double was = at.values[bad[b].word];
        at.values[bad[b].word] = bad[b].value;
        CHECK_FAILS(scree_polygon_sim_set_state(sim, &at.at), SCREE_ERR_ARGUMENT, "contact 0", bad[b].named);
        at.values[bad[b].word] = was;
    }
    at.ij[last][1] = -4;  // the box ends at 9, and 6 would be a circle
    CHECK_OK(scree_polygon_sim_set_state(sim, &at.at));
    at.ij[last][1] = -7;
    CHECK_FAILS(scree_polygon_sim_set_state(sim, &at.at), SCREE_ERR_ARGUMENT, "-7");
    at.ij[last][1] = 2;
    CHECK_FAILS(scree_polygon_sim_set_state(sim, &at.at), SCREE_ERR_ARGUMENT, "2");
    at.ij[last][0] = 0;
    at.ij[last][1] = -3;  // before one of body 1
    CHECK_FAILS(scree_polygon_sim_set_state(sim, &at.at), SCREE_ERR_ARGUMENT, "-3");
    at.ij[last][0] = 1;
    at.memory.words = 4;
    CHECK_FAILS(scree_polygon_sim_set_state(sim, &at.at), SCREE_ERR_ARGUMENT, "4", "5");
    at.memory.words = 5;
    at.memory.values = NULL;
    CHECK_FAILS(scree_polygon_sim_set_state(sim, &at.at), SCREE_ERR_ARGUMENT, "values");
    at.memory.values = at.values;
    at.at.dissipated_friction = NAN;
    CHECK_FAILS(scree_polygon_sim_set_state(sim, &at.at), SCREE_ERR_ARGUMENT, "nan");
    at.at.dissipated_friction = 0.0;
    CHECK_OK(scree_polygon_sim_set_state(sim, &at.at));
    // A simulation without friction has no use for it.
    def.friction = 0.0;
    scree_polygon_sim* smooth = make(&def, &shapes, 2, bodies);
    CHECK_FAILS(scree_polygon_sim_set_state(smooth, &at.at), SCREE_ERR_ARGUMENT, "5", "0");
    scree_polygon_sim_destroy(smooth);
    scree_polygon_sim_destroy(sim);
    saved_free(&at);
    scree_shapes_free(&shapes);
}

// A step that ran out of memory is completed by the next run, and remembers once.
static void test_allocations(void** state)
{
    (void)state;
    poly_scene s = crowd(4, 3, 2);
    s.def.threads = 1;
    uint64_t wanted = hash_after(&s, 200, 200), bits;
    scree_polygon_sim* sim = NULL;
    EACH_ALLOCATION_FAILS(scree_polygon_sim_create(&s.def, &s.shapes, s.count, s.bodies, &sim), (void)0);
    for (int64_t n = 1, failed = 0; scree_polygon_sim_step(sim) < 200;) {
        scree_memory_fail_at(n);
        int64_t left = 200 - scree_polygon_sim_step(sim);
        scree_status status = scree_polygon_sim_run(sim, left < 5 ? left : 5);
        scree_memory_fail_at(0);
        failed += status != SCREE_OK;
        n = status == SCREE_OK ? 1 : n + 1;
        assert_true(status == SCREE_OK || status == SCREE_ERR_MEMORY);
        assert_true(failed > 3 || scree_polygon_sim_step(sim) < 200);
    }
    double lost = poly_report(sim).dissipated_friction;
    memcpy(&bits, &lost, sizeof bits);
    assert_true((scree_polygon_sim_hash(sim) ^ bits) == wanted);
    scree_sim_memory memory;
    EACH_ALLOCATION_FAILS(scree_polygon_sim_get_memory(sim, &memory), (void)0);
    saved at;
    save(sim, &at);
    scree_polygon_sim* two = poly_make(&s);
    EACH_ALLOCATION_FAILS(scree_polygon_sim_set_state(two, &at.at), (void)0);
    scree_contacts_list list;
    EACH_ALLOCATION_FAILS(scree_polygon_sim_get_contacts(two, &list), (void)0);
    assert_true(scree_polygon_sim_hash(two) == scree_polygon_sim_hash(sim));
    saved_free(&at);
    scree_polygon_sim_destroy(two);
    scree_polygon_sim_destroy(sim);
    poly_scene_free(&s);
}

// Blocks lie and slide, on a slab and on the wall of the box. All of their contacts begin in one step, and each is remembered. Once buffers have their size, steps allocate
// nothing.
static void test_steady_allocates_nothing(void** state)
{
    (void)state;
    scree_sim_memory memory;
    scree_shapes shapes = {0};
    scree_body bodies[41];
    scree_polygon_sim_def def = def_of(1e4, 0.3);
    int32_t block = poly_rectangle(&shapes, 0.8, 0.4), slab = poly_rectangle(&shapes, 60, 2);
    bodies[0] = (scree_body){.shape = slab, .fixed = true, .x = {20, -1}, .v = {1, 0}};
    for (int i = 1; i < 41; ++i)
        bodies[i] = (scree_body){.shape = block, .x = {i, 0.2}};
    def.gravity[1] = -10;
    def.restitution = 0.2;
    def.skin = 0.05;
    scree_polygon_sim* sim = make(&def, &shapes, 41, bodies);
    CHECK_OK(scree_polygon_sim_run(sim, 1));
    CHECK_OK(scree_polygon_sim_get_memory(sim, &memory));
    assert_int_equal(memory.count, 80);
    run_for(sim, 0.1);
    scree_memory_fail_at(0);
    run_for(sim, 0.05);
    assert_int_equal(scree_memory_fail_at(0), 0);
    assert_true(poly_report(sim).contacts == 80);
    scree_polygon_sim_destroy(sim);
    def.box.lower[1] = 0;
    def.box.upper[1] = 9;
    sim = make(&def, &shapes, 40, bodies + 1);
    CHECK_OK(scree_polygon_sim_run(sim, 1));
    CHECK_OK(scree_polygon_sim_get_memory(sim, &memory));
    assert_int_equal(memory.count, 80);
    scree_polygon_sim_state s = poly_state(sim);
    for (int i = 0; i < 40; ++i)  // and pushed once, however often the block of bodies was worked on
        CHECK_CLOSE(s.v[2 * i + 1], -10 * scree_polygon_sim_time(sim), 0.5 * scree_polygon_sim_time(sim));
    poly_state_free(&s);
    scree_polygon_sim_destroy(sim);
    scree_shapes_free(&shapes);
}

static const test_case cases[] = {
    UNIT(test_block_on_incline),
    UNIT(test_two_coefficients),
    UNIT(test_without_spring),
    UNIT(test_block_stops),
    UNIT(test_fast_slip_winds_up_nothing),
    UNIT(test_slide_to_roll),
    UNIT(test_rolling_disc),
    UNIT(test_second_order),
    UNIT(test_momentum),
    UNIT(test_impacts_gain_nothing),
    UNIT(test_energy_of_many),
    UNIT(test_hooks_hold),
    UNIT(test_hopper_arches),
    UNIT(test_materials),
    UNIT(test_restitution_by_materials),
    UNIT(test_faults_of_materials),
    THREADS(test_one_hash),
    UNIT(test_last_contact_is_booked),
    SAME_BITS(test_resume),
    SAME_BITS(test_checkpoint),
    UNIT(test_memory_is_wrapped),
    UNIT(test_memory_goes_round_corners),
    UNIT(test_smooth),
    UNIT(test_faults),
    ALLOCATION(test_allocations),
    ALLOCATION(test_steady_allocates_nothing),
};

const test_group group_polygon_friction = {.name = "polygon_friction",
                                               .cases = cases,
                                               .count = sizeof cases / sizeof *cases,
                                               .begin = make_folder,
                                               .end = remove_folder};
