// Polygons in motion: closed forms, conservation, one trajectory for every method, skin, number of threads and way of stopping.
#include "polygon_support.h"

#include "scree/sim.h"

static scree_polygon_sim_def def_of(double stiffness)
{
    scree_polygon_sim_def def = scree_default_polygon_sim_def();
    def.stiffness = stiffness;
    return def;
}

// ---- Closed forms ------------------------------------------------------------------------------------------------------

// A square falls flat on a fixed floor, or on the box' wall: two vertices, w0 = sqrt(2 k / m); it comes back as fast as it came.
static void test_square_on_floor(void** state)
{
    (void)state;
    for (int wall = 0; wall < 2; ++wall) {
        scree_shapes shapes = {0};
        int32_t square = poly_rectangle(&shapes, 1, 1), floor = poly_rectangle(&shapes, 10, 2);
        scree_body bodies[2] = {{.shape = square, .x = {0, 0.5 + 1e-9}, .v = {0, -0.01}}, {.shape = floor, .fixed = true, .x = {0, -1}}};
        scree_polygon_sim_def def = def_of(50);
        double w0 = sqrt(2 * 50.0 / 1.0), duration = poly_pi / w0;
        def.time_step = duration / 100;
        if (wall) {
            def.box.lower[1] = 0;
            def.box.upper[1] = 10;
        }
        scree_polygon_sim* sim;
        CHECK_OK(scree_polygon_sim_create(&def, &shapes, wall ? 1 : 2, bodies, &sim));
        CHECK_OK(scree_polygon_sim_run(sim, 50));
        scree_polygon_sim_report r = poly_report(sim);
        CHECK_CLOSE(r.max_overlap, 0.01 / w0, 1e-3 * 0.01 / w0);
        assert_int_equal(wall ? r.wall_contacts : r.contacts, 2);
        CHECK_OK(scree_polygon_sim_run(sim, 55));
        r = poly_report(sim);
        assert_int_equal(r.contacts + r.wall_contacts, 0);
        CHECK_CLOSE(r.momentum[1], 0.01, 1e-3 * 0.01);
        CHECK_CLOSE(r.energy_rotation, 0, 1e-20);
        scree_polygon_sim_destroy(sim);
        scree_shapes_free(&shapes);
    }
}

// A fixed strip 0.1 thick, hit from above: a square or a disc that stays above its middle comes back; one that does not ends the run with both numbers while it is
// still above, or, if that is allowed, is found below.
static void test_nothing_passes_a_thin_wall_unseen(void** state)
{
    (void)state;
    static const struct {
        bool disc;
        double reach;  // of the way through, by energy: m v^2 / 2 = n k reach^2 / 2
        bool through;
    } hits[] = {{false, 0.04, false}, {false, 0.06, true}, {true, 0.3, false}, {true, 0.57, true}, {true, 2, true}, {true, 3, true}, {true, 4, true},
                  {true, 5, true}};  // the last ones go through half of the strip in a few steps or one
    for (size_t h = 0; h < sizeof hits / sizeof *hits; ++h)
        for (int allowed = 0; allowed < 2; ++allowed) {
            scree_shapes shapes = {0};
            int32_t square = poly_rectangle(&shapes, 1, 1), strip = poly_rectangle(&shapes, 10, 0.1);
            scree_polygon_sim_def def = def_of(50);
            def.rule = SCREE_POLYGON_NODE_TO_SEGMENT;
            def.allow_deep = allowed;
            double mass = hits[h].disc ? poly_pi * 0.25 : 1.0, speed = hits[h].reach * sqrt((hits[h].disc ? 1 : 2) * 50.0 / mass);
            const scree_body bodies[2] = {{.shape = hits[h].disc ? -1 : square, .radius = 0.5, .x = {0, 0.5 + 1e-9}, .v = {0, -speed}},
                                          {.shape = strip, .fixed = true, .x = {0, -0.05}}};
            def.time_step = 1e-3;
            scree_polygon_sim* sim;
            CHECK_OK(scree_polygon_sim_create(&def, &shapes, 2, bodies, &sim));
            scree_status status = scree_polygon_sim_run(sim, 1500);
            if (hits[h].through && !allowed) {
                assert_int_equal(status, SCREE_ERR_ARGUMENT);
                double deep = 0.0;
                const char* said = strstr(scree_error_message(), "bodies 0 and 1 overlap by ");
                assert_true(said != NULL && sscanf(said, "bodies 0 and 1 overlap by %lf", &deep) == 1);
                if (hits[h].reach < 1)
                    CHECK_CLOSE(deep, hits[h].disc ? 0.5 + 0.0455 : 0.0455, 0.003);  // 0.1 / 2.2
                else
                    assert_true(deep < 0.5 + 0.05);  // before the middle
            } else if (hits[h].through && !hits[h].disc) {
                assert_non_null(strstr(scree_error_message(), "bodies 0 and 1 cross like a plus sign"));  // its lower corners are below the strip now
            } else {
                CHECK_OK(status);
                scree_polygon_sim_state at = poly_state(sim);
                assert_true(hits[h].through ? at.v[1] < 0 && at.x[1] < (hits[h].disc ? -0.05 : 0.45) : at.v[1] > 0);
                poly_state_free(&at);
            }
            scree_polygon_sim_destroy(sim);
            scree_shapes_free(&shapes);
        }
}

// A disc on the floor with the restitution asked for; and two discs.
static void test_restitution(void** state)
{
    (void)state;
    for (int kind = 0; kind < 2; ++kind)
        for (double e = 0.2; e < 0.95; e += 0.2) {
            scree_shapes shapes = {0};
            int32_t floor = poly_rectangle(&shapes, 10, 2);
            scree_body bodies[2] = {{.shape = -1, .radius = 0.5, .x = {0, 0.5 + 1e-9}, .v = {0, -0.01}},
                                    {.shape = floor, .fixed = true, .x = {0, -1}}};
            if (kind == 1)
                bodies[1] = (scree_body){.shape = -1, .radius = 1, .x = {0, -1}, .material_density = 3};
            scree_polygon_sim_def def = def_of(50);
            def.restitution = e;
            scree_polygon_sim* sim;
            CHECK_OK(scree_polygon_sim_create(&def, &shapes, 2, bodies, &sim));
            scree_polygon_sim_numbers m = scree_polygon_sim_get_numbers(sim);
            CHECK_CLOSE(m.restitution_min, e, 1e-12);
            CHECK_OK(scree_polygon_sim_run(sim, 200));
            scree_polygon_sim_state s = poly_state(sim);
            CHECK_CLOSE((s.v[1] - s.v[3]) / 0.01, e, 0.01);
            poly_state_free(&s);
            scree_polygon_sim_destroy(sim);
            scree_shapes_free(&shapes);
        }
}

// The same discs in scree_sim: another program for the same equations.
static void test_discs_are_spheres(void** state)
{
    (void)state;
    enum { n = 60 };
    scree_rng rng = scree_rng_make(9, 9);
    double x[2 * n], v[2 * n], r[n];
    scree_body bodies[n];
    for (int i = 0; i < n; ++i) {
        r[i] = poly_between(&rng, 0.3, 0.5);
        bodies[i] = (scree_body){.shape = -1, .radius = r[i]};
        for (int k = 0; k < 2; ++k) {
            bodies[i].x[k] = x[2 * i + k] = 1.1 * (k == 0 ? i % 8 : i / 8) + 0.6;
            bodies[i].v[k] = v[2 * i + k] = poly_between(&rng, -2, 2);
        }
    }
    for (int periodic = 0; periodic < 2; ++periodic) {
        scree_box box = scree_box_sized(2, (const double[2]){9, 9});
        box.periodic[0] = periodic;
        scree_sim_def sdef = scree_default_sim_def();
        sdef.box = box;
        sdef.gravity[1] = -3;
        sdef.stiffness = 1e4;
        sdef.restitution = 0.8;
        sdef.material_density = 2;
        sdef.time_step = 2e-4;
        scree_sim* spheres;
        CHECK_OK(scree_sim_create(&sdef, (scree_spheres){.count = n, .dim = 2, .x = x, .r = r}, v, &spheres));
        scree_polygon_sim_def def = def_of(1e4);
        def.box = box;
        def.gravity[1] = -3;
        def.restitution = 0.8;
        def.material_density = 2;
        def.time_step = 2e-4;
        scree_polygon_sim* discs;
        CHECK_OK(scree_polygon_sim_create(&def, NULL, n, bodies, &discs));
        CHECK_OK(scree_sim_run(spheres, 1500));
        CHECK_OK(scree_polygon_sim_run(discs, 1500));
        scree_sim_report a;
        CHECK_OK(scree_sim_measure(spheres, &a));
        scree_polygon_sim_report b = poly_report(discs);
        CHECK_CLOSE(a.energy_kinetic, b.energy_kinetic, 1e-8 * a.energy_kinetic);
        CHECK_CLOSE(a.energy_contact, b.energy_contact, 1e-8 * a.energy_kinetic);
        assert_int_equal(a.contacts, b.contacts);
        assert_int_equal(a.wall_contacts, b.wall_contacts);
        double place[2 * n];
        CHECK_OK(scree_sim_get_column(spheres, "x", place));
        scree_polygon_sim_state t = poly_state(discs);
        for (int e = 0; e < 2 * n; ++e)
            CHECK_CLOSE(remainder(place[e] - t.x[e], e % 2 == 0 && periodic ? 9.0 : 1e9), 0, 1e-8);
        poly_state_free(&t);
        scree_sim_destroy(spheres);
        scree_polygon_sim_destroy(discs);
    }
}

static void test_free_flight(void** state)
{
    (void)state;
    scree_shapes shapes = {0};
    int32_t ell = poly_rule(&shapes, SCREE_SHAPE_ELL, 6, 1, 0.5, 1);
    scree_body body = {.shape = ell, .x = {1, 2}, .v = {3, 4}, .spin = 5, .angle = 6};
    scree_polygon_sim_def def = def_of(100);
    def.gravity[0] = 1;
    def.gravity[1] = -2;
    def.rule = SCREE_POLYGON_NODE_TO_SEGMENT;  // with the corners that were drawn
    def.time_step = 1e-3;
    scree_polygon_sim* sim;
    CHECK_OK(scree_polygon_sim_create(&def, &shapes, 1, &body, &sim));
    CHECK_OK(scree_polygon_sim_run(sim, 1000));
    scree_polygon_sim_state s = poly_state(sim);
    CHECK_CLOSE(s.x[0], 1 + 3 + 0.5, 1e-12);
    CHECK_CLOSE(s.x[1], 2 + 4 - 1.0, 1e-12);
    CHECK_CLOSE(s.angle[0], 11, 1e-12);
    // The outline is the shape, turned and moved.
    scree_outlines o;
    CHECK_OK(scree_polygon_sim_get_outlines(sim, &o));
    scree_polygon drawn = scree_shapes_get(&shapes, ell);
    for (int v = 0; v < 6; ++v) {
        double c = cos(11.0), t = sin(11.0), *p = (double[2]){drawn.xy[2 * v], drawn.xy[2 * v + 1]};
        CHECK_CLOSE(o.xy[v][0], s.x[0] + c * p[0] - t * p[1], 1e-11);
        CHECK_CLOSE(o.xy[v][1], s.x[1] + t * p[0] + c * p[1], 1e-11);
    }
    poly_state_free(&s);
    scree_polygon_sim_destroy(sim);
    scree_shapes_free(&shapes);
}

// A fixed body that moves and turns about the origin of its drawing; from closed forms, changed on the way.
static void test_fixed_bodies_move(void** state)
{
    (void)state;
    scree_shapes shapes = {0};
    const double blade[] = {0, -0.1, 3, -0.1, 3, 0.1, 0, 0.1};
    int32_t shape = poly_add(&shapes, 4, blade);
    scree_body bodies[2] = {{.shape = shape, .fixed = true, .x = {1, 0}, .v = {0.5, 0}, .spin = 2}, {.shape = -1, .radius = 0.2, .x = {50, 0}}};
    scree_polygon_sim_def def = def_of(1000);
    def.rule = SCREE_POLYGON_NODE_TO_SEGMENT;  // with the corners that were drawn
    def.time_step = 1e-3;
    scree_polygon_sim* sim;
    CHECK_OK(scree_polygon_sim_create(&def, &shapes, 2, bodies, &sim));
    CHECK_OK(scree_polygon_sim_run(sim, 500));
    scree_outlines o;
    CHECK_OK(scree_polygon_sim_get_outlines(sim, &o));
    CHECK_CLOSE(o.xy[1][0], 1.25 + 3 * cos(1.0) + 0.1 * sin(1.0), 1e-12);
    CHECK_CLOSE(o.xy[1][1], 3 * sin(1.0) - 0.1 * cos(1.0), 1e-12);
    CHECK_OK(scree_polygon_sim_set_motion(sim, 0, (const double[2]){0, 1}, -2));
    CHECK_OK(scree_polygon_sim_run(sim, 500));
    CHECK_OK(scree_polygon_sim_get_outlines(sim, &o));
    CHECK_CLOSE(o.centre[0][0], 1.25, 1e-12);
    CHECK_CLOSE(o.centre[0][1], 0.5, 1e-12);
    CHECK_CLOSE(o.angle[0], 0, 1e-12);
    CHECK_FAILS(scree_polygon_sim_set_motion(sim, 1, (const double[2]){0, 1}, -2), SCREE_ERR_ARGUMENT, "body 1");
    scree_polygon_sim_destroy(sim);
    // A floor that comes up hits a square at rest: twice its speed.
    scree_shapes more = {0};
    int32_t square = poly_rectangle(&more, 1, 1), floor = poly_rectangle(&more, 10, 2);
    scree_body hit[2] = {{.shape = square, .x = {0, 0.51}}, {.shape = floor, .fixed = true, .x = {0, -1}, .v = {0, 0.01}}};
    def = def_of(50);
    CHECK_OK(scree_polygon_sim_create(&def, &more, 2, hit, &sim));
    CHECK_OK(scree_polygon_sim_run(sim, (int64_t)(2 / scree_polygon_sim_get_numbers(sim).time_step)));
    CHECK_CLOSE(poly_report(sim).momentum[1], 0.02 * scree_polygon_sim_get_numbers(sim).mass, 1e-5);
    scree_polygon_sim_destroy(sim);
    scree_shapes_free(&more);
    scree_shapes_free(&shapes);
}

// ---- Conservation ------------------------------------------------------------------------------------------------------

// Free bodies that meet: momentum and angular momentum to rounding, damped or not, crossings and discs too.
static void test_momentum(void** state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 20; ++seed)
        for (int damped = 0; damped < 2; ++damped) {
            poly_scene s = poly_mixed(2, 0, 1.0, seed);
            s.def.box = scree_box_open(2);
            s.def.stiffness = 300;
            s.def.restitution = damped ? 0.3 : 0.0;
            for (int i = 0; i < 4; ++i)  // towards the middle
                for (int k = 0; k < 2; ++k)
                    s.bodies[i].v[k] += 2 * (2.2 - s.bodies[i].x[k]);
            scree_polygon_sim* sim = poly_make(&s);
            scree_polygon_sim_report before = poly_report(sim);
            int64_t touched = 0;
            double scale = 4 * 3.2 * 5.0;
            for (int k = 0; k < 60; ++k) {
                CHECK_OK(scree_polygon_sim_run(sim, 20));
                scree_polygon_sim_report r = poly_report(sim);
                touched += r.contacts;
                CHECK_CLOSE(r.momentum[0], before.momentum[0], 1e-12 * scale);
                CHECK_CLOSE(r.momentum[1], before.momentum[1], 1e-12 * scale);
                CHECK_CLOSE(r.angular_momentum, before.angular_momentum, 1e-12 * scale * 2);
                if (damped)
                    assert_true(r.energy_kinetic + r.energy_contact < before.energy_kinetic * (1 + 1e-3));
            }
            assert_true(touched > 0);
            scree_polygon_sim_destroy(sim);
            poly_scene_free(&s);
        }
}

static void test_ell_hits_square(void** state)
{
    (void)state;
    scree_shapes shapes = {0};
    const double ell[] = {0, 0, 3, 0, 3, 1, 1, 1, 1, 3, 0, 3};
    int32_t a = poly_add(&shapes, 6, ell), b = poly_rectangle(&shapes, 1.5, 1.5);
    for (int t = 0; t < 16; ++t) {
        scree_body bodies[2] = {{.shape = a, .x = {0, 0}, .spin = 3 - 0.3 * t, .angle = 0.4 * t}, {.shape = b, .x = {3.6, 0.3}, .v = {-1.5, 0}}};
        scree_polygon_sim_def def = def_of(3000);
        scree_polygon_sim* sim;
        CHECK_OK(scree_polygon_sim_create(&def, &shapes, 2, bodies, &sim));
        double before = poly_energy(sim);
        int64_t touched = 0;
        for (int k = 0; k < 400; ++k) {
            CHECK_OK(scree_polygon_sim_run(sim, 20));
            touched += poly_report(sim).contacts;
            CHECK_CLOSE(poly_energy(sim), before, 0.01 * before);
        }
        assert_true(touched > 0);
        scree_polygon_sim_destroy(sim);
    }
    scree_shapes_free(&shapes);
}

static void test_energy_of_many(void** state)
{
    (void)state;
    for (int walls = 0; walls < 3; ++walls) {
        poly_scene s = poly_mixed(10, walls, 8.0, 3 + (uint64_t)walls);
        s.def.stiffness = 1e5;
        if (walls == 1)
            s.def.gravity[1] = -2;
        scree_polygon_sim* sim = poly_make(&s);
        double before = poly_energy(sim), worst = 0.0, kinetic = poly_report(sim).energy_kinetic;
        int64_t steps = 0, contacts = 0;
        for (int64_t most = test_effort() < 1.0 ? 3000 : 10000; steps < most; steps += 100) {
            CHECK_OK(scree_polygon_sim_run(sim, 100));
            worst = fmax(worst, fabs(poly_energy(sim) - before));
            contacts += poly_report(sim).contacts + poly_report(sim).wall_contacts;
        }
        if (getenv("SCREE_TEST_SHOW") != NULL)
            printf("walls %d: energy off by %.3g of %g; %d contacts seen, step %g\n", walls, worst / kinetic, kinetic, (int)contacts, scree_polygon_sim_get_numbers(sim).time_step);
        assert_true(contacts > 200 || steps < 10000);
        CHECK_CLOSE(worst, 0, 0.01 * kinetic);
        scree_polygon_sim_destroy(sim);
        poly_scene_free(&s);
    }
}

// ---- Same bits ---------------------------------------------------------------------------------------------------------

static uint64_t hash_after(poly_scene* s, int64_t steps)
{
    scree_polygon_sim* sim = poly_make(s);
    CHECK_OK(scree_polygon_sim_run(sim, steps));
    assert_true(poly_report(sim).touching > s->count / 20);  // else it would prove nothing
    uint64_t hash = scree_polygon_sim_hash(sim);
    scree_polygon_sim_destroy(sim);
    return hash;
}

static void test_one_hash(void** state)
{
    (void)state;
    for (int walls = 0; walls < 4; walls += test_is_small() ? 3 : 1) {
        poly_scene s = poly_mixed(20, walls, 60.0, 11);
        s.def.wrap_every = 50;
        s.def.restitution = 0.7;
        s.def.threads = 1;
        int64_t steps = 150;
        uint64_t wanted = hash_after(&s, steps);
        for (int method = 0; method < SCREE_METHOD_COUNT; method += test_is_small() ? 5 : 1)
            // With little effort every second of them, so that each meets each method with half of the walls.
            for (int e = test_is_small() ? 2 : test_effort() < 1.0 ? (walls + method) % 2 : 0; e < (test_is_small() ? 3 : 4); e += !test_is_small() && test_effort() < 1.0 ? 2 : 1) {
                s.def.method = method;
                s.def.threads = (const int32_t[]){1, 2, 7, 3}[e];
                s.def.skin = (const double[]){0.0, -1.0, 0.01, 0.6}[e];
                uint64_t found = hash_after(&s, steps);
                if (found != wanted)
                    fail_msg("walls %d, method %s, %d threads, skin %g: another trajectory", walls, scree_method_name((scree_method)method),
                             (int)s.def.threads, s.def.skin);
            }
        poly_scene_free(&s);
    }
}

// Cut into runs, looked at, taken up from a state by another simulation: no bit changes.
static void test_resume(void** state)
{
    (void)state;
    for (int walls = 0; walls < 4; ++walls) {
        poly_scene s = poly_mixed(8, walls, 10.0, 17);
        s.def.wrap_every = 100;
        s.def.restitution = walls == 1 ? 0.0 : 0.8;
        s.def.damping = walls == 1 ? 0.5 : 0.0;
        if (walls == 1) {  // a wall that moves, and turns
            s.bodies[s.count - 1].v[1] = -0.3;
            s.bodies[s.count - 1].spin = 1e-3;
        }
        scree_polygon_sim *whole = poly_make(&s), *parts = poly_make(&s), *other = NULL;
        CHECK_OK(scree_polygon_sim_run(whole, 600));
        for (int k = 0; k < 300; ++k) {
            CHECK_OK(scree_polygon_sim_run(parts, 1));
            if (k % 50 == 0) {
                poly_report(parts);
                scree_polygon_contacts list;
                CHECK_OK(scree_polygon_sim_get_contacts(parts, &list));
            }
        }
        scree_polygon_sim_state st = poly_state(parts);
        assert_int_equal(scree_polygon_sim_state_hash(&st, s.count), scree_polygon_sim_hash(parts));
        poly_scene still = s;
        still.def.method = SCREE_METHOD_LINKED_CELLS;
        other = poly_make(&still);
        CHECK_OK(scree_polygon_sim_run(other, 13));
        CHECK_OK(scree_polygon_sim_set_state(other, &st));
        assert_int_equal(scree_polygon_sim_hash(other), scree_polygon_sim_hash(parts));
        CHECK_OK(scree_polygon_sim_run(other, 300));
        CHECK_OK(scree_polygon_sim_run(parts, 300));
        assert_int_equal(scree_polygon_sim_get_step(other), 600);
        assert_true(scree_polygon_sim_hash(parts) == scree_polygon_sim_hash(whole));
        assert_true(scree_polygon_sim_hash(other) == scree_polygon_sim_hash(whole));
        // Without accelerations it goes on too; without velocities, not.
        free(st.a);
        st.a = NULL;
        CHECK_OK(scree_polygon_sim_set_state(other, &st));
        CHECK_OK(scree_polygon_sim_run(other, 10));
        double* v = st.v;
        st.v = NULL;
        CHECK_FAILS(scree_polygon_sim_set_state(other, &st), SCREE_ERR_ARGUMENT);
        st.v = v;
        st.v[5] = NAN;
        uint64_t hash = scree_polygon_sim_hash(other);
        CHECK_FAILS(scree_polygon_sim_set_state(other, &st), SCREE_ERR_ARGUMENT, "body 2");
        assert_true(hash == scree_polygon_sim_hash(other));
        poly_state_free(&st);
        scree_polygon_sim_destroy(whole);
        scree_polygon_sim_destroy(parts);
        scree_polygon_sim_destroy(other);
        poly_scene_free(&s);
    }
}

// Moved, turned, or numbered otherwise, a scene does the same up to rounding, which grows with every impact.
static void test_symmetries(void** state)
{
    (void)state;
    for (int what = 0; what < 4; ++what) {
        poly_scene s = poly_mixed(5, 0, 3.0, 23), t = poly_mixed(5, 0, 3.0, 23);
        s.def.box = t.def.box = scree_box_open(2);
        s.def.gravity[0] = 0.3;
        s.def.gravity[1] = -1;
        memcpy(t.def.gravity, s.def.gravity, sizeof t.def.gravity);
        double c = what == 1 ? cos(0.7) : 1, z = what == 1 ? sin(0.7) : 0;
        for (int i = 0; i < 25; ++i) {
            scree_body *a = &s.bodies[i], *b = &t.bodies[what == 2 ? (i * 7) % 25 : i];
            for (int k = 0; k < 2; ++k)
                a->v[k] += 1.5 * (5.5 - a->x[k]);
            *b = *a;
            b->x[0] = c * a->x[0] - z * a->x[1] + (what == 0 ? 1000 : 0);
            b->x[1] = z * a->x[0] + c * a->x[1] - (what == 0 ? 300 : 0);
            b->v[0] = c * a->v[0] - z * a->v[1] + (what == 3 ? 2 : 0);
            b->v[1] = z * a->v[0] + c * a->v[1];
            b->angle = a->angle + (what == 1 ? 0.7 : 0);
        }
        t.def.gravity[0] = c * s.def.gravity[0] - z * s.def.gravity[1];
        t.def.gravity[1] = z * s.def.gravity[0] + c * s.def.gravity[1];
        scree_polygon_sim *one = poly_make(&s), *two = poly_make(&t);
        CHECK_OK(scree_polygon_sim_run(one, 2000));
        CHECK_OK(scree_polygon_sim_run(two, 2000));
        scree_polygon_sim_report report = poly_report(one);
        assert_true(report.pairs_tested > 0);
        if (getenv("SCREE_TEST_SHOW") != NULL)
            printf("pairs %d, kinetic %g, contact %g\n", (int)report.pairs_tested, report.energy_kinetic, report.energy_contact);
        scree_polygon_sim_state a = poly_state(one), b = poly_state(two);
        double time = scree_polygon_sim_get_time(one);
        for (int i = 0; i < 25; ++i) {
            int j = what == 2 ? (i * 7) % 25 : i;
            double x = c * a.x[2 * i] - z * a.x[2 * i + 1] + (what == 0 ? 1000 : what == 3 ? 2 * time : 0);
            double y = z * a.x[2 * i] + c * a.x[2 * i + 1] - (what == 0 ? 300 : 0);
            CHECK_CLOSE(b.x[2 * j], x, 1e-7);
            CHECK_CLOSE(b.x[2 * j + 1], y, 1e-7);
            CHECK_CLOSE(b.angle[j] - (what == 1 ? 0.7 : 0), a.angle[i], 1e-7);
        }
        poly_state_free(&a);
        poly_state_free(&b);
        scree_polygon_sim_destroy(one);
        scree_polygon_sim_destroy(two);
        poly_scene_free(&s);
        poly_scene_free(&t);
    }
}

// ---- Faults ------------------------------------------------------------------------------------------------------------

static bool stop_soon(void* context, double done)
{
    (void)done;
    return ++*(int*)context < 2;
}

static void test_faults(void** state)
{
    (void)state;
    scree_shapes shapes = {0};
    int32_t square = poly_rectangle(&shapes, 1, 1);
    scree_body body = {.shape = square}, bad;
    scree_polygon_sim_def def = def_of(100), wrong = def;
    scree_polygon_sim* sim;
    wrong.struct_size = 3;
    CHECK_FAILS(scree_polygon_sim_create(&wrong, &shapes, 1, &body, &sim), SCREE_ERR_ARGUMENT, "3");
    wrong = def;
    wrong.contact_duration = 1;
    CHECK_FAILS(scree_polygon_sim_create(&wrong, &shapes, 1, &body, &sim), SCREE_ERR_ARGUMENT, "stiffness");
    wrong = def;
    wrong.time_step = 1;
    CHECK_FAILS(scree_polygon_sim_create(&wrong, &shapes, 1, &body, &sim), SCREE_ERR_ARGUMENT, "1");
    wrong = def;
    wrong.box = scree_box_open(3);
    CHECK_FAILS(scree_polygon_sim_create(&wrong, &shapes, 1, &body, &sim), SCREE_ERR_ARGUMENT, "3");
    wrong = def;
    wrong.method = 99;
    CHECK_FAILS(scree_polygon_sim_create(&wrong, &shapes, 1, &body, &sim), SCREE_ERR_ARGUMENT, "method", "99");
    wrong = def;
    wrong.box = scree_box_sized(2, (const double[2]){2, 9});
    wrong.box.periodic[0] = true;
    CHECK_FAILS(scree_polygon_sim_create(&wrong, &shapes, 1, &body, &sim), SCREE_ERR_ARGUMENT, "2", "axis x");
    bad = body;
    bad.shape = 1;
    CHECK_FAILS(scree_polygon_sim_create(&def, &shapes, 1, &bad, &sim), SCREE_ERR_ARGUMENT, "body 0", "shape 1");
    bad = (scree_body){.shape = -1};
    CHECK_FAILS(scree_polygon_sim_create(&def, &shapes, 1, &bad, &sim), SCREE_ERR_ARGUMENT, "body 0", "radius", "0");
    bad = body;
    bad.v[1] = NAN;
    CHECK_FAILS(scree_polygon_sim_create(&def, &shapes, 1, &bad, &sim), SCREE_ERR_ARGUMENT, "body 0", "velocity");
    bad = body;
    bad.material_density = -1;
    CHECK_FAILS(scree_polygon_sim_create(&def, &shapes, 1, &bad, &sim), SCREE_ERR_ARGUMENT, "body 0", "density", "-1");
    // Shapes are plain data: invalid values are reported with the body.
    shapes.xy[2] = -0.6;
    CHECK_FAILS(scree_polygon_sim_create(&def, &shapes, 1, &body, &sim), SCREE_ERR_ARGUMENT, "body 0", "shape 0");
    shapes.xy[2] = 0.5;
    // Clockwise ones are turned.
    for (int k = 0; k < 2; ++k) {
        double t = shapes.xy[2 + k];
        shapes.xy[2 + k] = shapes.xy[6 + k];
        shapes.xy[6 + k] = t;
    }
    CHECK_OK(scree_polygon_sim_create(&def, &shapes, 1, &body, &sim));
    scree_polygon_rounded rounded;
    CHECK_OK(scree_polygon_round(scree_shapes_get(&shapes, 0), def.rounding, &rounded));
    CHECK_CLOSE(scree_polygon_sim_get_numbers(sim).mass, rounded.area, 1e-14);
    CHECK_FAILS(scree_polygon_sim_run(sim, -1), SCREE_ERR_ARGUMENT, "-1");
    scree_polygon_sim_destroy(sim);
    // Beyond a wall, at the start and later.
    wrong = def;
    wrong.box.lower[1] = 0;
    wrong.box.upper[1] = 10;
    bad = body;
    bad.x[1] = -1;
    CHECK_FAILS(scree_polygon_sim_create(&wrong, &shapes, 1, &bad, &sim), SCREE_ERR_ARGUMENT, "body 0");
    bad.x[1] = 5;
    bad.v[1] = 1e4;
    CHECK_OK(scree_polygon_sim_create(&wrong, &shapes, 1, &bad, &sim));
    CHECK_FAILS(scree_polygon_sim_run(sim, 1000), SCREE_ERR_ARGUMENT, "body 0");
    CHECK_FAILS(scree_polygon_sim_run(sim, 1), SCREE_ERR_ARGUMENT);
    scree_polygon_sim_destroy(sim);
    // Stopped on request, and taken up again.
    int ticks = -1000;  // creating it asks some times, too
    wrong = def;
    wrong.watch = (scree_watch){.tick = stop_soon, .context = &ticks};
    CHECK_OK(scree_polygon_sim_create(&wrong, &shapes, 1, &body, &sim));
    ticks = 0;
    CHECK_FAILS(scree_polygon_sim_run(sim, INT64_C(1000000000)), SCREE_ERR_CANCELLED);
    assert_true(scree_polygon_sim_get_step(sim) > 0);
    CHECK_OK(scree_polygon_sim_run(sim, 5));
    scree_polygon_sim_destroy(sim);
    // Nobody at all.
    CHECK_OK(scree_polygon_sim_create(&def, NULL, 0, NULL, &sim));
    CHECK_OK(scree_polygon_sim_run(sim, 10));
    assert_int_equal(poly_report(sim).contacts, 0);
    scree_polygon_sim_destroy(sim);
    scree_shapes_free(&shapes);
}

// What the two say of a def with the same wrong number, behind their names.
static void check_same_refusal(const scree_polygon_sim_def* def, const scree_sim_def* spheres, const char* value)
{
    scree_polygon_sim* sim;
    scree_sim* other;
    const scree_body disc = {.shape = -1, .radius = 0.5};
    const double x[2] = {0.0, 0.0}, r = 0.5;
    char said[256];
    CHECK_FAILS(scree_polygon_sim_create(def, NULL, 1, &disc, &sim), SCREE_ERR_ARGUMENT, "polygons:", value);
    snprintf(said, sizeof said, "%s", scree_error_message());
    CHECK_FAILS(scree_sim_create(spheres, (scree_spheres){.count = 1, .dim = 2, .x = x, .r = &r}, NULL, &other), SCREE_ERR_ARGUMENT, "sim:", value);
    assert_string_equal(strstr(said, ": "), strstr(scree_error_message(), ": "));
}

// Stiffness, durations and restitutions of discs are those of spheres in 2D, and the same numbers are refused.
static void test_numbers_of_spheres(void** state)
{
    (void)state;
    static const double given[][4] = {// stiffness, duration, damping, restitution
                                      {1e4, 0, 0, 0}, {0, 0.02, 0, 0}, {0, 0.02, 3, 0}, {0, 0.02, 0, 0.4}, {1e4, 0, 0, 0.9}, {1e4, 0, 60, 0}, {1e4, 0, 900, 0}, {1e4, 0, 0, 1}};
    static const double bad[][6] = {// and density, step
                                    {-1, 0, 0, 0, 1, 0}, {0, -2, 0, 0, 1, 0}, {1e4, 0, -3, 0, 1, 0}, {1e4, 0, 0, 1.5, 1, 0}, {1e4, 0, 4, 0.5, 1, 0}, {1e4, 0, 0, 0, -6, 0},
                                    {1e4, 0, 0, 0, 1, -7}, {1e308, 0, 0, 0, 1e-300, 0}};
    static const char* const named[] = {"-1", "-2", "-3", "1.5", "0.5", "-6", "-7", "0"};
    const double x[4] = {0, 0, 3, 0}, r[2] = {0.3, 0.5};
    const scree_body discs[2] = {{.shape = -1, .radius = 0.3}, {.shape = -1, .radius = 0.5, .x = {3, 0}}};
    scree_polygon_sim_def def = scree_default_polygon_sim_def();
    scree_sim_def spheres = scree_default_sim_def();
    spheres.box = scree_box_open(2);
    for (size_t g = 0; g < sizeof given / sizeof *given; ++g) {
        def.stiffness = spheres.stiffness = given[g][0];
        def.contact_duration = spheres.contact_duration = given[g][1];
        def.damping = spheres.damping = given[g][2];
        def.restitution = spheres.restitution = given[g][3];
        scree_polygon_sim* sim;
        scree_sim_numbers m;
        CHECK_OK(scree_polygon_sim_create(&def, NULL, 2, discs, &sim));
        CHECK_OK(scree_sim_find_numbers(&spheres, (scree_spheres){.count = 2, .dim = 2, .x = x, .r = r}, &m));
        scree_polygon_sim_numbers n = scree_polygon_sim_get_numbers(sim);
        CHECK_CLOSE(n.stiffness, m.stiffness, 1e-14 * m.stiffness);
        CHECK_CLOSE(n.impact_duration, m.contact_duration, 1e-13 * m.contact_duration);
        CHECK_CLOSE(n.restitution_min, m.restitution_min, 1e-13);
        CHECK_CLOSE(n.restitution_max, m.restitution_max, 1e-13);
        CHECK_CLOSE(n.time_step * 50, n.contact_duration, 1e-15);
        CHECK_CLOSE(n.longest_time_step * 10, n.contact_duration, 1e-15);
        scree_polygon_sim_destroy(sim);
    }
    for (size_t b = 0; b < sizeof bad / sizeof *bad; ++b) {
        def.stiffness = spheres.stiffness = bad[b][0];
        def.contact_duration = spheres.contact_duration = bad[b][1];
        def.damping = spheres.damping = bad[b][2];
        def.restitution = spheres.restitution = bad[b][3];
        def.material_density = spheres.material_density = bad[b][4];
        def.time_step = spheres.time_step = bad[b][5];
        check_same_refusal(&def, &spheres, named[b]);
    }
}

static void test_allocations(void** state)
{
    (void)state;
    poly_scene s = poly_mixed(4, 1, 40.0, 2);
    s.def.threads = 1;
    scree_polygon_sim* sim = NULL;
    EACH_ALLOCATION_FAILS(scree_polygon_sim_create(&s.def, &s.shapes, s.count, s.bodies, &sim), (void)0);
    uint64_t wanted = hash_after(&s, 400);
    scree_polygon_contacts list;
    scree_outlines outlines;
    EACH_ALLOCATION_FAILS(scree_polygon_sim_get_outlines(sim, &outlines), (void)0);
    // A step that ran out of memory is completed by the next run.
    for (int64_t n = 1; scree_polygon_sim_get_step(sim) < 400;) {
        scree_memory_fail_at(n);
        int64_t left = 400 - scree_polygon_sim_get_step(sim);
        scree_status status = scree_polygon_sim_run(sim, left < 10 ? left : 10);
        scree_memory_fail_at(0);
        if (status == SCREE_OK)
            continue;
        assert_int_equal(status, SCREE_ERR_MEMORY);
        ++n;
        CHECK_OK(scree_polygon_sim_run(sim, 0));
    }
    assert_true(scree_polygon_sim_hash(sim) == wanted);
    EACH_ALLOCATION_FAILS(scree_polygon_sim_get_contacts(sim, &list), (void)0);
    scree_polygon_sim_report report;
    EACH_ALLOCATION_FAILS(scree_polygon_sim_measure(sim, &report), (void)0);
    scree_polygon_sim_destroy(sim);
    poly_scene_free(&s);
}

// All fly the same way, in a box that is periodic and with lists that are rebuilt again and again: nothing is allocated.
static void test_steady_allocates_nothing(void** state)
{
    (void)state;
    poly_scene s = poly_mixed(8, 2, 0.0, 5);
    for (int i = 0; i < s.count; ++i) {
        s.bodies[i].v[0] = 30.0;
        s.bodies[i].v[1] = -11.0;
    }
    s.def.skin = 0.3;
    s.def.wrap_every = 50;
    s.def.method = SCREE_METHOD_LINEAR_LIST;
    scree_polygon_sim* sim = poly_make(&s);
    CHECK_OK(scree_polygon_sim_run(sim, 2000));
    int64_t rebuilds = poly_report(sim).rebuilds;
    scree_memory_fail_at(0);
    CHECK_OK(scree_polygon_sim_run(sim, 500));
    assert_int_equal(scree_memory_fail_at(0), 0);
    assert_true(poly_report(sim).rebuilds >= rebuilds + 10);
    scree_polygon_sim_destroy(sim);
    poly_scene_free(&s);
}

static const test_case cases[] = {
    UNIT(test_square_on_floor),
    UNIT(test_nothing_passes_a_thin_wall_unseen),
    UNIT(test_restitution),
    UNIT(test_discs_are_spheres),
    UNIT(test_numbers_of_spheres),
    UNIT(test_free_flight),
    UNIT(test_fixed_bodies_move),
    UNIT(test_momentum),
    UNIT(test_ell_hits_square),
    PROPERTY(test_energy_of_many),
    THREADS(test_one_hash),
    SAME_BITS(test_resume),
    UNIT(test_symmetries),
    UNIT(test_faults),
    ALLOCATION(test_allocations),
    ALLOCATION(test_steady_allocates_nothing),
};

const test_group group_polygon_sim = {.name = "polygon_sim", .cases = cases, .count = sizeof cases / sizeof *cases};
