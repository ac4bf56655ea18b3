// Friction of polygons: closed forms of blocks and rollers, momentum, hooks and hoppers that hold by friction alone.
#include "polygon_support.h"

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
    return poly_create(&def, shapes, on == SLAB ? 2 : 1, bodies);
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
            scree_polygon_sim_def def = poly_def(1e4, mu);
            def.restitution = 0.2;
            scree_polygon_sim* sim = block_on((ground)on, angle, 0.0, def, &shapes);
            poly_run_for(sim, 0.3);
            down(sim, (ground)on, angle, &way, &speed);
            poly_run_for(sim, 0.3);
            down(sim, (ground)on, angle, &later, &faster);
            double time = 0.5 * scree_polygon_sim_get_time(sim);
            scree_polygon_sim_report r = poly_report(sim);
            if (degrees[d] < 30) {
                assert_true(way > 0 && way < 1e-3);  // the springs give way
                CHECK_CLOSE(later, way, 1e-7);
                CHECK_CLOSE(faster, 0, 1e-6);
                assert_int_equal(r.sliding, 0);
                // What holds it: two vertices, all of the weight along the plane.
                scree_polygon_contacts list;
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
                CHECK_CLOSE(fabs(along), scree_polygon_sim_get_numbers(sim).mass * g * sin(angle), 1e-4);
                CHECK_CLOSE(r.energy_tangential, stored, 1e-15);
                assert_true(stored > 0.0);
            } else {
                double wanted = g * (sin(angle) - mu * cos(angle));
                CHECK_CLOSE((faster - speed) / time, wanted, 2e-3 * wanted);
                assert_int_equal(r.sliding, 2);
                assert_true(r.dissipated_tangential > 0.0);
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
            scree_polygon_sim_def def = poly_def(1e4, 0.5);
            def.friction_dynamic = 0.4;
            def.restitution = 0.2;
            scree_polygon_sim* sim = block_on(WALL, moves ? angle : 0.0, moves ? 3.0 : 0.0, def, &shapes);
            for (int part = 1; part <= 100 && !moves; ++part) {  // slowly: a load at once would swing beyond its weight
                CHECK_OK(scree_polygon_sim_set_gravity(sim, (const double[]){10 * sin(part * angle / 100), -10 * cos(part * angle / 100)}));
                poly_run_for(sim, 0.01);
            }
            poly_run_for(sim, 0.2);
            down(sim, WALL, angle, &way, &before);
            double begin = scree_polygon_sim_get_time(sim);
            poly_run_for(sim, 0.4);
            down(sim, WALL, angle, &way, &speed);
            double gain = 10 * (sin(angle) - 0.4 * cos(angle)) * (scree_polygon_sim_get_time(sim) - begin);
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
    scree_polygon_sim_def def = poly_def(1e4, 0.5);
    def.restitution = e;
    def.tangential_stiffness = 0.0;
    def.tangential_damping = 0.5;
    scree_polygon_sim* sim = block_on(WALL, angle, 0.0, def, &shapes);
    poly_run_for(sim, 0.5);
    down(sim, WALL, angle, &way, &speed);
    double mass = scree_polygon_sim_get_numbers(sim).mass, dashpot = 0.5 * 2 * b * sqrt(1e4 * mass), wanted = mass * 10 * sin(angle) / (2 * dashpot);
    CHECK_CLOSE(speed, wanted, 1e-6 * wanted);
    scree_polygon_sim_report r = poly_report(sim);
    assert_true(r.sliding == 0 && r.energy_tangential == 0.0);
    CHECK_CLOSE(r.dissipated_tangential, mass * 10 * sin(angle) * way, 0.02 * r.dissipated_tangential);
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
    CHECK_CLOSE(speed, 10 * (sin(angle) - 0.5 * cos(angle)) * scree_polygon_sim_get_time(sim), 0.05);
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
            scree_polygon_sim_def def = poly_def(2e4, mu);
            def.restitution = 0.2;
            scree_polygon_sim* sim = block_on((ground)on, 0.0, v, def, &shapes);
            poly_run_for(sim, 1.2 * v / (mu * g));
            down(sim, (ground)on, 0.0, &way, &speed);
            double wanted = v * v / (2 * mu * g);
            CHECK_CLOSE(way, wanted, 5e-3 * wanted);
            CHECK_CLOSE(speed, 0, 1e-3);
            // All of its energy is lost to friction, but for a little in normal dashpots.
            scree_polygon_sim_report r = poly_report(sim);
            CHECK_CLOSE(r.dissipated_tangential, 0.5 * 0.4 * v * v, 5e-3 * 0.8);
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
    scree_polygon_sim_def def = poly_def(1e4, 0.3);
    def.gravity[1] = -10;
    def.restitution = 0.1;
    const scree_body bodies[2] = {{.shape = poly_rectangle(&shapes, 1, 0.4), .x = {0, 0.2 - 2e-4}}, {.shape = poly_rectangle(&shapes, 60, 2), .fixed = true, .x = {0, -1}, .v = {20, 0}}};
    scree_polygon_sim* sim = poly_create(&def, &shapes, 2, bodies);
    poly_run_for(sim, 0.1);
    scree_polygon_sim_state s = poly_state(sim);
    double speed = s.v[0];
    CHECK_CLOSE(speed, 0.3 * 10 * scree_polygon_sim_get_time(sim), 0.01);
    poly_state_free(&s);
    CHECK_OK(scree_polygon_sim_set_motion(sim, 1, (const double[]){speed, 0}, 0));
    poly_run_for(sim, 0.05);
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
            scree_polygon_sim_def def = poly_def(2e4, 0.3);
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
            scree_polygon_sim* sim = poly_create(&def, &shapes, on == SLAB ? 2 : 1, bodies);
            double kappa = disc ? 0.5 : numbers.gyration, slides = 3 * kappa / (1 + kappa) / (0.3 * 10);
            poly_run_for(sim, 0.5 * slides);
            scree_polygon_sim_state s = poly_state(sim);
            CHECK_CLOSE(s.v[0], 3 - 0.3 * 10 * scree_polygon_sim_get_time(sim), 0.02);
            CHECK_CLOSE(s.spin[0], -0.3 * 10 * scree_polygon_sim_get_time(sim) / kappa, 0.05);
            poly_state_free(&s);
            poly_run_for(sim, 0.7 * slides);
            s = poly_state(sim);
            CHECK_CLOSE(s.v[0], 3 / (1 + kappa), 0.02);
            CHECK_CLOSE(s.spin[0], -s.v[0], 0.02);
            poly_state_free(&s);
            poly_run_for(sim, 3.0);  // about a turn
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
        scree_polygon_sim_def def = poly_def(1e5, mu);
        scree_body disc = {.shape = -1, .radius = 0.5, .x = {0, 0.5 - 0.25 * poly_pi * g * cos(angle) / 1e5}};
        def.gravity[0] = g * sin(angle);
        def.gravity[1] = -g * cos(angle);
        def.box.lower[1] = 0;
        def.box.upper[1] = 10;
        scree_polygon_sim* sim = poly_create(&def, NULL, 1, &disc);
        poly_run_for(sim, 1.0);
        scree_polygon_sim_state s = poly_state(sim);
        double a = steep ? g * (sin(angle) - mu * cos(angle)) : 2.0 / 3.0 * g * sin(angle), t = scree_polygon_sim_get_time(sim);
        CHECK_CLOSE(s.v[0], a * t, 2e-3 * a * t);
        CHECK_CLOSE(s.spin[0], steep ? -2 * mu * g * cos(angle) / 0.5 * t : -s.v[0] / 0.5, 0.02);
        poly_state_free(&s);
        scree_polygon_sim_destroy(sim);
    }
    scree_polygon_sim_def def = poly_def(1e5, 1.0);
    def.box = scree_box_sized(2, (const double[]){10, 10});
    def.container = SCREE_CONTAINER_SPHERE;
    def.gravity[1] = -10;
    double start = 0.1, arm = 4.5 + 0.25 * poly_pi * 10 / 1e5;
    scree_body disc = {.shape = -1, .radius = 0.5, .x = {5 + arm * sin(start), 5 - arm * cos(start)}};
    scree_polygon_sim* sim = poly_create(&def, NULL, 1, &disc);
    double period = 2 * poly_pi * sqrt(1.5 * 4.5 / 10) * (1 + start * start / 16);
    poly_run_for(sim, 2 * period);
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
            scree_polygon_sim_def def = poly_def(2e3, 5.0);
            int32_t slab = poly_add(&shapes, 4, (const double[]){-3, -2, 3, -2, 3, 0, -3, 0});
            scree_body bodies[2] = {{.shape = -1, .radius = 0.5, .x = {5 + 4.505 * sin(0.3), 5 - 4.505 * cos(0.3)}, .v = {3 * cos(0.3), 3 * sin(0.3)}, .spin = -6}};
            def.gravity[1] = -10;
            def.time_step = 4e-3 / (1 << halved);
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
            scree_polygon_sim* sim = poly_create(&def, &shapes, scene == 0 ? 1 : 2, bodies);
            CHECK_OK(scree_polygon_sim_run(sim, (int64_t)64 << halved));
            scree_polygon_sim_report r = poly_report(sim);
            assert_true(r.contacts + r.wall_contacts == 1 && r.dissipated_tangential == 0.0);  // never apart, never sliding
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
    assert_true(sliding > 20 && after.dissipated_tangential > 0.1);
    scree_polygon_sim_destroy(sim);
    poly_scene_free(&s);

    scree_shapes shapes = {0};
    const double wedge[] = {0, 0, 0.3, 3, -0.3, 3};
    const scree_body bodies[2] = {{.shape = poly_add(&shapes, 3, wedge), .x = {0, 0.7}, .v = {0.5, 0}, .spin = 0.1},
                                  {.shape = poly_rectangle(&shapes, 4, 0.4), .spin = -0.2}};
    scree_polygon_sim_def def = poly_def(100, 0.5);
    def.rule = SCREE_POLYGON_NODE_TO_SEGMENT;
    sim = poly_create(&def, &shapes, 2, bodies);
    scree_polygon_contacts list;
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
    scree_polygon_sim_def def = poly_def(1e5, mu);
    def.gravity[1] = -10;
    def.restitution = 0.2;
    scree_polygon_sim* sim = poly_create(&def, &shapes, 2, bodies);
    poly_run_for(sim, 1.0);
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
    scree_polygon_sim_def def = poly_def(1e4, mu);
    def.gravity[1] = -10;
    def.restitution = 0.2;
    scree_polygon_sim* sim = poly_create(&def, &shapes, count, bodies);
    poly_run_for(sim, 4.0);
    scree_polygon_sim_state s = poly_state(sim);
    int above = 0;
    *speed = 0.0;
    for (int32_t i = 2; i < count; ++i)
        if (s.x[2 * i + 1] > 0) {
            ++above;
            *speed = fmax(*speed, hypot(s.v[2 * i], s.v[2 * i + 1]));
        }
    if (getenv("SCREE_TEST_SHOW") != NULL)
        printf("hopper: mu %g, %d of %d above, fastest %g, steps %d\n", mu, above, count - 2, *speed, (int)scree_polygon_sim_get_step(sim));
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
    UNIT(test_hooks_hold),
    UNIT(test_hopper_arches),
};

const test_group group_polygon_friction = {.name = "polygon_friction", .cases = cases, .count = sizeof cases / sizeof *cases};
