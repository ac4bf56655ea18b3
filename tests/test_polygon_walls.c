// Bodies at boundaries: the walls of the box and the circle as a container, what they feel, and who leaves them.
#include "polygon_support.h"

static scree_polygon_sim_def def_in(double side, int32_t container)
{
    scree_polygon_sim_def def = scree_default_polygon_sim_def();
    def.box = scree_box_sized(2, (const double[2]){side, side});
    def.container = container;
    return def;
}

// Thrown at the circle through its middle: free flight, then half a swing of the spring, and back.
static void a_disc_swings_across_a_circle(void** state)
{
    (void)state;
    scree_polygon_sim_def def = def_in(2.0, SCREE_CONTAINER_SPHERE);
    def.stiffness = 1000.0;
    def.time_step = 1e-4;
    double mass = poly_pi * 0.1 * 0.1, w = sqrt(def.stiffness / mass), n[2] = {cos(0.7), sin(0.7)};
    const scree_body disc = {.shape = -1, .radius = 0.1, .x = {1.0, 1.0}, .v = {2.0 * n[0], 2.0 * n[1]}};
    scree_polygon_sim* sim;
    CHECK_OK(scree_polygon_sim_create(&def, NULL, 1, &disc, &sim));
    double free = 0.9 / 2.0, period = 2.0 * free + poly_pi / w;
    int64_t touched = 0;
    for (int64_t step = 1; step <= 10000; step += 97) {
        CHECK_OK(scree_polygon_sim_run(sim, step == 1 ? 1 : 97));
        double time = scree_polygon_sim_get_time(sim), within = fmod(time + free, period), x[2];
        double away = within < 2.0 * free ? -0.9 + 2.0 * within : 0.9 + 2.0 / w * sin(w * (within - 2.0 * free));
        bool back = (int64_t)floor((time + free) / period) % 2 != 0;
        scree_polygon_sim_state at = {.x = x};
        CHECK_OK(scree_polygon_sim_get_state(sim, &at));
        for (int k = 0; k < 2; ++k)
            CHECK_CLOSE(x[k], 1.0 + (back ? -away : away) * n[k], 5e-4);  // a contact begins and ends between steps: 1e-5 each time
        scree_polygon_contacts list;
        CHECK_OK(scree_polygon_sim_get_contacts(sim, &list));
        for (int64_t c = 0; c < list.count; ++c) {
            assert_int_equal(list.contacts[c].j, -7);
            CHECK_CLOSE(list.contacts[c].depth, fabs(away) - 0.9, 5e-4);
        }
        touched += list.count;
    }
    assert_true(touched > 0);
    CHECK_CLOSE(poly_energy(sim), 0.5 * mass * 4.0, 1e-3 * mass);
    scree_polygon_sim_destroy(sim);
}

// A square lies in a circle on two corners, without friction: a pendulum about the middle of the circle. At the bottom the circle carries its weight.
static void a_square_swings_in_a_circle(void** state)
{
    (void)state;
    const double side = 0.4, gravity = 10.0, k = 1e5;
    scree_shapes shapes = {0};
    scree_polygon_rounded rounded;
    int32_t square = poly_rectangle(&shapes, side, side);
    CHECK_OK(scree_polygon_round(scree_shapes_get(&shapes, square), scree_default_polygon_sim_def().rounding, &rounded));
    const double mass = rounded.area, inertia = mass * rounded.gyration, half = 0.5 * side - rounded.r, slope = sqrt(1.0 - half * half / ((1.0 - rounded.r) * (1.0 - rounded.r)));
    const double depth = mass * gravity / (2.0 * k * slope), far = 1.0 - rounded.r + depth, length = sqrt(far * far - half * half) - half;
    for (int swing = 0; swing < 2; ++swing) {
        const double start = swing ? 0.02 : 0.0, w = sqrt(mass * gravity * length / (inertia + mass * length * length));
        scree_polygon_sim_def def = def_in(2.0, SCREE_CONTAINER_SPHERE);
        def.stiffness = k;
        def.gravity[1] = -gravity;
        def.restitution = 0.5;
        const scree_body body = {.shape = square, .x = {1.0 + length * sin(start), 1.0 - length * cos(start)}, .angle = start};
        scree_polygon_sim* sim;
        CHECK_OK(scree_polygon_sim_create(&def, &shapes, 1, &body, &sim));
        for (int part = 0; part < 20; ++part) {
            double x[2], angle, a[3];
            CHECK_OK(scree_polygon_sim_run(sim, 1000));
            scree_polygon_sim_state at = {.x = x, .angle = &angle, .a = a};
            CHECK_OK(scree_polygon_sim_get_state(sim, &at));
            double now = start * cos(w * scree_polygon_sim_get_time(sim));
            CHECK_CLOSE(angle, now, swing ? 0.01 * start : 1e-12);
            CHECK_CLOSE(x[0], 1.0 + length * sin(now), swing ? 0.01 * start : 1e-12);
            scree_sim_boundary_report load[7];
            assert_int_equal(scree_polygon_sim_get_boundaries(sim, load, 7), 7);
            assert_string_equal(load[6].name, "sphere 6");
            assert_int_equal(load[6].contacts, 2);
            CHECK_CLOSE(load[6].at[0], 1.0, 0.0);
            CHECK_CLOSE(load[6].torque[2], 0.0, 1e-9);
            for (int d = 0; d < 2; ++d)
                CHECK_CLOSE(load[6].force[d], mass * (d == 1 ? -gravity : 0.0) - mass * a[d], swing ? 0.01 * mass * gravity : 1e-6 * mass * gravity);
            for (int b = 0; b < 6; ++b)
                assert_int_equal(load[b].contacts, 0);
            if (!swing)
                CHECK_CLOSE(load[6].force[1], -mass * gravity, 1e-9 * mass * gravity);
        }
        scree_polygon_sim_destroy(sim);
    }
    scree_shapes_free(&shapes);
}

// Two squares on each other, and a disc, on the floor: force and torque about its point are those of the weights.
static void the_floor_carries_the_weight_of_a_heap(void** state)
{
    (void)state;
    scree_shapes shapes = {0};
    int32_t square = poly_rectangle(&shapes, 1, 1);
    const scree_body bodies[3] = {{.shape = square, .x = {3, 0.5}}, {.shape = square, .x = {3.2, 1.5}}, {.shape = -1, .radius = 0.5, .x = {7, 0.5}}};
    scree_polygon_sim_def def = def_in(10.0, SCREE_CONTAINER_BOX);
    def.stiffness = 1e5;
    def.restitution = 0.2;
    def.gravity[1] = -10.0;
    scree_polygon_sim* sim;
    CHECK_OK(scree_polygon_sim_create(&def, &shapes, 3, bodies, &sim));
    CHECK_OK(scree_polygon_sim_run(sim, 20000));
    double x[6], disc = poly_pi * 0.25, block = 0.5 * (scree_polygon_sim_get_numbers(sim).mass - disc);
    scree_polygon_sim_state at = {.x = x};
    CHECK_OK(scree_polygon_sim_get_state(sim, &at));
    scree_sim_boundary_report load[6];
    assert_int_equal(scree_polygon_sim_get_boundaries(sim, NULL, 0), 6);
    assert_int_equal(scree_polygon_sim_get_boundaries(sim, load, 6), 6);
    assert_string_equal(load[2].name, "lower y");
    assert_int_equal(load[2].contacts, 3);
    CHECK_CLOSE(load[2].force[0], 0.0, 0.0);
    CHECK_CLOSE(load[2].force[1], -10.0 * (2.0 * block + disc), 1e-3);
    CHECK_CLOSE(load[2].torque[2], -10.0 * (block * (x[0] + x[2]) + disc * x[4]), 1e-2);
    CHECK_CLOSE(load[2].power, 0.0, 0.0);
    assert_int_equal(load[0].contacts + load[1].contacts + load[3].contacts, 0);
    assert_true(load[0].present && load[1].present && load[2].present && load[3].present && !load[4].present);
    // Fewer of them are those that come first.
    scree_sim_boundary_report first[3];
    assert_int_equal(scree_polygon_sim_get_boundaries(sim, first, 3), 6);
    assert_memory_equal(first, load, sizeof first);
    scree_polygon_sim_destroy(sim);
    scree_shapes_free(&shapes);
}

// A body far from walls is not looked at again before it could have come to one. This one goes along the floor for longer than it is above it, and then down.
static void a_disc_that_turns_to_the_floor_touches_it(void** state)
{
    (void)state;
    const scree_body disc = {.shape = -1, .radius = 0.5, .x = {3, 1}, .v = {1, 0}};
    scree_polygon_sim_def def = def_in(10.0, SCREE_CONTAINER_BOX);
    def.stiffness = 1e5;
    def.time_step = 1e-4;
    def.skin = 5.0;
    scree_polygon_sim* sim;
    CHECK_OK(scree_polygon_sim_create(&def, NULL, 1, &disc, &sim));
    CHECK_OK(scree_polygon_sim_run(sim, 5500));
    CHECK_OK(scree_polygon_sim_set_gravity(sim, (const double[2]){0.0, -200.0}));
    int64_t touched = 0;
    for (int step = 0; step < 1000; ++step) {
        double x[2], a[3];
        scree_polygon_sim_state at = {.x = x, .a = a};
        CHECK_OK(scree_polygon_sim_run(sim, 1));
        CHECK_OK(scree_polygon_sim_get_state(sim, &at));
        double depth = fmax(0.5 - x[1], 0.0), force = def.stiffness * depth;
        CHECK_CLOSE(a[1], force / (poly_pi * 0.25) - 200.0, 1e-9 * (force + 200.0));
        touched += depth > 0.0;
    }
    assert_true(touched > 50);
    assert_int_equal(poly_report(sim).rebuilds, 1);
    scree_polygon_sim_destroy(sim);
}

static poly_scene crowd(uint64_t seed)
{
    poly_scene s = poly_mixed(6, 0, 20.0, seed);
    s.def.stiffness = 1e5;
    for (int k = 0; k < 2; ++k) {
        s.def.box.lower[k] = -0.17 * s.side;
        s.def.box.upper[k] = 1.17 * s.side;
    }
    s.def.container = SCREE_CONTAINER_SPHERE;
    return s;
}

// Vertices and discs beyond the circle, by a plain loop; their forces move the bodies; energy stays.
static void contacts_with_a_circle_are_those_of_a_plain_loop(void** state)
{
    (void)state;
    int64_t seen = 0;
    for (uint64_t seed = 1; seed <= 2; ++seed) {
        poly_scene s = crowd(seed);
        double radius = 0.67 * s.side, middle = 0.5 * s.side;
        scree_polygon_sim* sim = poly_make(&s);
        double before = poly_energy(sim);
        for (int part = 0; part < 100; ++part) {
            CHECK_OK(scree_polygon_sim_run(sim, 60));
            scree_outlines o;
            CHECK_OK(scree_polygon_sim_get_outlines(sim, &o));
            int64_t beyond = 0;
            double deepest = 0.0;
            for (int32_t i = 0; i < o.count; ++i) {
                bool disc = o.first[i] == o.first[i + 1];
                for (int64_t v = o.first[i]; v < o.first[i + 1] + disc; ++v) {
                    const double* x = disc ? o.centre[i] : o.xy[v];
                    double depth = hypot(x[0] - middle, x[1] - middle) + (disc ? o.radius[i] : 0.0) - radius;
                    beyond += depth > 0.0;
                    deepest = fmax(deepest, depth);
                }
            }
            scree_sim_boundary_report load[7];
            scree_polygon_sim_report r = poly_report(sim);
            assert_int_equal(scree_polygon_sim_get_boundaries(sim, load, 7), 7);
            assert_int_equal(load[6].contacts, beyond);
            assert_int_equal(r.wall_contacts, beyond);
            assert_true(r.max_overlap >= deepest - 1e-11);
            // No gravity: what all bodies gain in momentum the circle gives.
            double momentum[2] = {r.momentum[0], r.momentum[1]};
            CHECK_OK(scree_polygon_sim_run(sim, 1));
            r = poly_report(sim);
            scree_sim_boundary_report then[7];
            assert_int_equal(scree_polygon_sim_get_boundaries(sim, then, 7), 7);
            for (int k = 0; k < 2; ++k) {
                double given = -0.5 * (load[6].force[k] + then[6].force[k]) * scree_polygon_sim_get_numbers(sim).time_step;
                CHECK_CLOSE(r.momentum[k] - momentum[k], given, 1e-8 * (1.0 + fabs(given)));
            }
            seen += beyond;
        }
        if (getenv("SCREE_TEST_SHOW") != NULL)
            printf("seed %d: energy off by %.3g, %d contacts seen\n", (int)seed, poly_energy(sim) / before - 1.0, (int)seen);
        CHECK_CLOSE(poly_energy(sim), before, 0.01 * before);
        scree_polygon_sim_destroy(sim);
        poly_scene_free(&s);
    }
    assert_true(seen > 100);
}

static void threads_and_pauses_do_not_matter_in_a_circle(void** state)
{
    (void)state;
    poly_scene s = crowd(3);
    s.def.restitution = 0.7;
    uint64_t hash[3];
    for (int run = 0; run < 3; ++run) {
        s.def.threads = (const int32_t[3]){1, 2, 7}[run];
        scree_polygon_sim* sim = poly_make(&s);
        for (int part = 0; part < (run == 1 ? 60 : 1); ++part)
            CHECK_OK(scree_polygon_sim_run(sim, run == 1 ? 20 : 1200));
        assert_true(poly_report(sim).energy_kinetic > 0.0);
        hash[run] = scree_polygon_sim_hash(sim);
        scree_polygon_sim_destroy(sim);
    }
    assert_true(hash[0] == hash[1] && hash[0] == hash[2]);
    poly_scene_free(&s);
}

static void who_leaves_a_circle_is_named(void** state)
{
    (void)state;
    scree_polygon_sim_def def = def_in(2.0, SCREE_CONTAINER_SPHERE);
    def.stiffness = 1000.0;
    scree_body discs[2] = {{.shape = -1, .radius = 0.1, .x = {1.0, 1.0}}, {.shape = -1, .radius = 0.1, .x = {1.8, 1.8}}};  // in the box, but not in the circle
    scree_polygon_sim* sim;
    CHECK_FAILS(scree_polygon_sim_create(&def, NULL, 2, discs, &sim), SCREE_ERR_ARGUMENT, "step 0", "body 1", "sphere 6", "1.8");
    discs[1].x[1] = 1.0;
    discs[1].v[0] = 1e4;
    CHECK_OK(scree_polygon_sim_create(&def, NULL, 2, discs, &sim));
    CHECK_FAILS(scree_polygon_sim_run(sim, 1000), SCREE_ERR_ARGUMENT, "body 1", "sphere 6");
    assert_int_equal(scree_polygon_sim_get_boundaries(sim, NULL, 0), -1);
    scree_polygon_sim_destroy(sim);
    // Invalid containers in the plane.
    def.container = SCREE_CONTAINER_CYLINDER;
    CHECK_FAILS(scree_polygon_sim_create(&def, NULL, 1, discs, &sim), SCREE_ERR_ARGUMENT, "container", "cylinder");
    def.container = 7;
    CHECK_FAILS(scree_polygon_sim_create(&def, NULL, 1, discs, &sim), SCREE_ERR_ARGUMENT, "container", "7");
    def.container = SCREE_CONTAINER_SPHERE;
    def.box.periodic[0] = true;
    CHECK_FAILS(scree_polygon_sim_create(&def, NULL, 1, discs, &sim), SCREE_ERR_ARGUMENT, "container", "axis x");
}

static scree_status loads(scree_polygon_sim* sim)
{
    scree_sim_boundary_report load[7];
    return scree_polygon_sim_get_boundaries(sim, load, 7) == 7 ? SCREE_OK : SCREE_ERR_MEMORY;
}

static void loads_without_memory(void** state)
{
    (void)state;
    scree_polygon_sim_def def = def_in(2.0, SCREE_CONTAINER_SPHERE);
    def.stiffness = 1000.0;
    const scree_body disc = {.shape = -1, .radius = 0.2, .x = {1.0, 0.15}};
    scree_polygon_sim* sim;
    CHECK_OK(scree_polygon_sim_create(&def, NULL, 1, &disc, &sim));
    EACH_ALLOCATION_FAILS(loads(sim), (void)0);
    scree_polygon_sim_destroy(sim);
}

static const test_case cases[] = {
    UNIT(a_disc_swings_across_a_circle),
    UNIT(a_square_swings_in_a_circle),
    UNIT(the_floor_carries_the_weight_of_a_heap),
    UNIT(a_disc_that_turns_to_the_floor_touches_it),
    PROPERTY(contacts_with_a_circle_are_those_of_a_plain_loop),
    THREADS(threads_and_pauses_do_not_matter_in_a_circle),
    UNIT(who_leaves_a_circle_is_named),
    ALLOCATION(loads_without_memory),
};

const test_group group_polygon_walls = {.name = "polygon_walls", .cases = cases, .count = sizeof cases / sizeof *cases};
