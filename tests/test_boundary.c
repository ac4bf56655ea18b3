// boundaries and laws by pair of materials: what they do to spheres and what spheres do to them, against closed forms and plain loops; and backends, which all
// give the same bits.
#include "sim_support.h"

#include "base/wide.h"
#include "sim/sim_inner.h"

static const double g = 9.81;

static scree_sim* make(const scree_sim_def* def, int32_t n, const double* x, const double* r, const double* v)
{
    scree_sim* sim;
    CHECK_OK(scree_sim_create(def, (scree_spheres){.count = n, .dim = def->box.dim, .x = x, .r = r}, v, &sim));
    return sim;
}

// Spheres inside a container, from a packing that has room, hot.
static scree_sphere_set fill(const scree_container* in, int32_t count, double r, uint64_t seed, double** v)
{
    scree_sphere_set set;
    CHECK_OK(scree_sphere_set_make(in->box.dim, count, &set));
    scree_rng rng = scree_rng_make(seed, 5);
    int dim = in->box.dim;
    *v = malloc((size_t)count * (size_t)dim * sizeof **v);
    for (int32_t i = 0; i < count; ++i) {
        bool clear;
        set.r[i] = r * (1.0 + scree_rng_uniform(&rng));
        do {
            scree_container_draw(in, set.r[i], &rng, set.x + (int64_t)i * dim);
            clear = true;
            for (int32_t j = 0; j < i && clear; ++j) {
                double square = 0.0;
                for (int k = 0; k < dim; ++k)
                    square += pow(set.x[(int64_t)i * dim + k] - set.x[(int64_t)j * dim + k], 2.0);
                clear = sqrt(square) > 0.9 * (set.r[i] + set.r[j]);
            }
        } while (!clear);
        for (int k = 0; k < dim; ++k)
            (*v)[(int64_t)i * dim + k] = scree_rng_uniform(&rng) - 0.5;
    }
    return set;
}

// ---- Round walls -----------------------------------------------------------------------------------------------------

// A sphere thrown at the wall of a sphere through its middle swings between two points, each time as half a period of its spring; where the wall is hit
// is the closed form of a spring.
static void a_sphere_swings_across_a_round_container(void** state)
{
    (void)state;
    for (int dim = 2; dim <= 3; ++dim) {
        scree_sim_def def = scree_default_sim_def();
        def.box = scree_box_sized(dim, (double[3]){2.0, 2.0, 2.0});
        def.container = SCREE_CONTAINER_SPHERE;
        def.stiffness = 1000.0;
        def.time_step = 1e-4;
        double r = 0.1, mass = sim_test_mass(dim, 1.0, r), w = sqrt(def.stiffness / mass), n[3], x[3], v[3];
        scree_rng rng = scree_rng_make(3, (uint64_t)dim);
        sim_direction(&rng, dim, n);
        for (int k = 0; k < 3; ++k) {
            x[k] = 1.0;
            v[k] = 2.0 * n[k];
        }
        scree_sim* sim = make(&def, 1, x, &r, v);
        // Free for 0.9 / 2, then half a swing.
        double free = 0.9 / 2.0, period = 2.0 * free + sim_pi / w;
        for (int64_t step = 1; step <= 10000; step += 97) {
            CHECK_OK(scree_sim_run(sim, step == 1 ? 1 : 97));
            double time = scree_sim_get_time(sim), within = fmod(time + free, period), now[3] = {0.0};
            double away = within < 2.0 * free ? -0.9 + 2.0 * within : 0.9 + 2.0 / w * sin(w * (within - 2.0 * free));
            bool back = (int64_t)floor((time + free) / period) % 2 != 0;
            CHECK_OK(scree_sim_get_column(sim, "x", now));
            for (int k = 0; k < dim; ++k)
                CHECK_CLOSE(now[k], 1.0 + (back ? -away : away) * n[k], 5e-4);  // a contact begins and ends between steps: 1e-5 each time
        }
        scree_sim_report report = sim_report_of(sim);
        CHECK_CLOSE(report.energy_kinetic + report.energy_contact, 0.5 * mass * 4.0, 1e-3 * mass);
        scree_sim_destroy(sim);
    }
}

// A sphere that slides round in a cylinder without friction keeps its speed, and presses on it with m v^2 / (R - r).
static void a_sphere_circles_in_a_cylinder(void** state)
{
    (void)state;
    scree_sim_def def = scree_default_sim_def();
    def.box = scree_box_sized(3, (double[3]){2.0, 2.0, 5.0});
    def.box.periodic[2] = true;
    def.container = SCREE_CONTAINER_CYLINDER;
    def.stiffness = 1e6;
    double r = 0.2, mass = sim_test_mass(3, 1.0, r), speed = 3.0;
    // At the depth at which the wall holds it.
    double depth = mass * speed * speed / 0.8 / def.stiffness, x[3] = {1.0 + 0.8 + depth, 1.0, 2.0}, v[3] = {0.0, speed, 0.5};
    scree_sim* sim = make(&def, 1, x, &r, v);
    for (int look = 0; look < 20; ++look) {
        CHECK_OK(scree_sim_run(sim, 500));
        scree_sim_boundary_report load[7];
        assert_int_equal(scree_sim_get_boundaries(sim, load, 7), 7);
        assert_string_equal(load[6].name, "cylinder 6");
        double now[3], u[3];
        CHECK_OK(scree_sim_get_column(sim, "x", now));
        CHECK_OK(scree_sim_get_column(sim, "v", u));
        double out[2] = {now[0] - 1.0, now[1] - 1.0}, away = hypot(out[0], out[1]);
        CHECK_CLOSE(away, 0.8, 2e-4);
        CHECK_CLOSE(hypot(u[0], u[1]), speed, 1e-3);
        CHECK_CLOSE(u[2], 0.5, 1e-14);
        CHECK_CLOSE(load[6].force[0] / (mass * speed * speed / 0.8), out[0] / away, 2e-3);
        CHECK_CLOSE(load[6].force[1] / (mass * speed * speed / 0.8), out[1] / away, 2e-3);
        assert_true(load[6].force[2] == 0.0 && load[6].contacts == 1 && load[6].power == 0.0);
        CHECK_CLOSE(load[6].torque[2], 0.0, 1e-9);  // the force goes through the axis
    }
    scree_sim_destroy(sim);
}

// Outside of a cylinder at a slant: a sphere is reflected, its speed along the axis and the size of its speed stay.
static void a_sphere_bounces_off_a_slanted_cylinder(void** state)
{
    (void)state;
    scree_sim_boundary post = scree_default_sim_boundary();
    post.kind = "cylinder";
    post.radius = 0.5;
    post.outside = true;
    post.axis[0] = 1.0, post.axis[1] = 2.0, post.axis[2] = -2.0;  // length 3
    scree_sim_def def = scree_default_sim_def();
    def.box = scree_box_open(3);
    def.stiffness = 1e5;
    def.boundaries = &post;
    def.boundary_count = 1;
    double r = 0.1, axis[3] = {1.0 / 3.0, 2.0 / 3.0, -2.0 / 3.0}, side[3] = {2.0 / 3.0, 1.0 / 3.0, 2.0 / 3.0}, x[3], v[3], u[3];
    for (int k = 0; k < 3; ++k) {
        x[k] = 1.0 * side[k];
        v[k] = -2.0 * side[k] + 0.7 * axis[k];
    }
    scree_sim* sim = make(&def, 1, x, &r, v);
    CHECK_OK(scree_sim_run(sim, (int64_t)(0.6 / scree_sim_get_numbers(sim).time_step)));
    CHECK_OK(scree_sim_get_column(sim, "v", u));
    for (int k = 0; k < 3; ++k)
        CHECK_CLOSE(u[k], 2.0 * side[k] + 0.7 * axis[k], 5e-3);
    scree_sim_destroy(sim);
    // A sphere that begins inside the post is refused.
    scree_sim* none;
    CHECK_FAILS(scree_sim_create(&def, (scree_spheres){.count = 1, .dim = 3, .x = (double[]){0.1, 0.0, 0.0}, .r = &r}, NULL, &none), SCREE_ERR_ARGUMENT, "sphere 0",
                "cylinder 6");
}

// Weight on the floor and on the wall of a lying cylinder; a piston puts in force times velocity.
static void loads_are_those_of_statics(void** state)
{
    (void)state;
    scree_sim_def def = scree_default_sim_def();
    def.box = scree_box_sized(3, (double[3]){2.0, 2.0, 3.0});
    def.stiffness = 1e5;
    def.restitution = 0.3;
    def.gravity[2] = -g;
    double r = 0.25, mass = sim_test_mass(3, 1.0, r), x[] = {0.5, 0.6, r, 1.5, 1.2, r};
    scree_sim* sim = make(&def, 2, x, (double[]){r, r}, NULL);
    CHECK_OK(scree_sim_run(sim, 60000));
    scree_sim_boundary_report load[6];
    assert_int_equal(scree_sim_get_boundaries(sim, load, 6), 6);
    CHECK_CLOSE(load[4].force[2] / (-2.0 * mass * g), 1.0, 1e-6);
    CHECK_CLOSE(load[4].torque[0] / (-mass * g * (0.6 + 1.2)), 1.0, 1e-6);
    CHECK_CLOSE(load[4].torque[1] / (mass * g * (0.5 + 1.5)), 1.0, 1e-6);
    assert_true(load[4].contacts == 2 && load[5].contacts == 0 && load[0].force[0] == 0.0);
    scree_sim_destroy(sim);
    // A wall that comes at a sphere: what it puts in is what the sphere gains.
    def.gravity[2] = 0.0;
    def.restitution = 0.0;
    def.wall_velocity[0][0] = 0.5;
    double at[3] = {0.3, 1.0, 1.0};
    sim = make(&def, 1, at, &r, NULL);
    double work = 0.0, step = scree_sim_get_numbers(sim).time_step, before = 0.0;
    for (int s = 0; s < 20000; ++s) {
        CHECK_OK(scree_sim_run(sim, 1));
        assert_int_equal(scree_sim_get_boundaries(sim, load, 6), 6);
        work += 0.5 * (before + load[0].power) * step;
        before = load[0].power;
        CHECK_CLOSE(load[0].power, 0.5 * -load[0].force[0], 1e-12);
    }
    CHECK_CLOSE(work / (0.5 * mass * 1.0), 1.0, 1e-4);  // it leaves with twice the speed of the wall
    scree_sim_destroy(sim);
}

// Forces on boundaries are those of the contacts, in a crowd, with damping and moving boundaries.
static void loads_are_those_of_the_contacts(void** state)
{
    (void)state;
    scree_container in = {.kind = SCREE_CONTAINER_CYLINDER, .box = scree_box_sized(3, (double[3]){6.0, 6.0, 8.0})};
    double* v;
    scree_sphere_set set = fill(&in, 150, 0.3, 4, &v);
    scree_sim_boundary ball = scree_default_sim_boundary();
    ball.kind = "sphere";
    ball.outside = true;
    ball.radius = 0.2;
    ball.at[0] = ball.at[1] = 3.0, ball.at[2] = 30.0;
    ball.velocity[2] = -20.0;
    ball.spin[0] = 3.0;
    scree_sim_def def = scree_default_sim_def();
    def.box = in.box;
    def.container = in.kind;
    def.stiffness = 200.0;
    def.restitution = 0.6;
    def.gravity[2] = -1.0;
    def.boundaries = &ball;
    def.boundary_count = 1;
    def.threads = 2;
    scree_sim* sim = make(&def, set.count, set.x, set.r, v);
    CHECK_OK(scree_sim_set_motion(sim, 6, (double[3]){0.0}, (double[3]){0.0, 0.0, 4.0}));
    CHECK_OK(scree_sim_run(sim, 2500));
    scree_sim_boundary_report load[8];
    scree_sim_contacts contacts;
    assert_int_equal(scree_sim_get_boundaries(sim, load, 8), 8);
    CHECK_OK(scree_sim_get_contacts(sim, &contacts));
    double sum[8][3] = {{0.0}}, largest = 0.0;
    int64_t count[8] = {0};
    for (int64_t c = contacts.pair_count; c < contacts.count; ++c) {
        int64_t b = -1 - contacts.ij[c][1];
        ++count[b];
        for (int k = 0; k < 3; ++k) {
            sum[b][k] -= contacts.force[c][k];
            largest = fmax(largest, fabs(contacts.force[c][k]));
        }
    }
    for (int b = 0; b < 8; ++b) {
        assert_int_equal(load[b].contacts, count[b]);
        for (int k = 0; k < 3; ++k)
            CHECK_CLOSE((load[b].force[k] - sum[b][k]) / largest, 0.0, 1e-12);
    }
    assert_true(count[6] > 5 && count[4] > 3 && count[0] == 0);
    CHECK_CLOSE(load[7].at[2], 30.0 - 20.0 * scree_sim_get_time(sim), 1e-12);
    double* depth = malloc((size_t)set.count * 3 * sizeof *depth);
    CHECK_OK(scree_sim_get_column(sim, "x", depth));
    for (int32_t i = 0; i < set.count; ++i)
        assert_true(scree_container_depth(&in, depth + 3 * i, set.r[i]) < 0.3 * set.r[i]);
    CHECK_CLOSE(scree_sim_get_volume(sim), sim_pi * 9.0 * 8.0, 1e-9);
    free(depth);
    scree_sim_destroy(sim);
    scree_sphere_set_free(&set);
    free(v);
}

static void invalid_boundaries_are_refused(void** state)
{
    (void)state;
    double r = 0.1, x[3] = {0.5, 0.5, 0.5};
    scree_spheres one = {.count = 1, .dim = 3, .x = x, .r = &r};
    scree_sim_boundary good = scree_default_sim_boundary();
    good.kind = "cylinder";
    good.radius = 5.0;
    scree_sim_def def = scree_default_sim_def();
    def.box = scree_box_open(3);
    def.stiffness = 10.0;
    def.boundary_count = 1;
    scree_sim* sim;
    for (int wrong = 0; wrong < 9; ++wrong) {
        scree_sim_boundary bad = good;
        static const char* const names[] = {"boundary 6", "cone", "radius", "axis", "spin", "velocity", "material", "struct_size", "faces"};
        bad.kind = wrong == 0 ? NULL : wrong == 1 ? "cone" : wrong == 8 ? "face" : bad.kind;
        bad.radius = wrong == 2 ? -1.0 : bad.radius;
        bad.axis[2] = wrong == 3 ? 0.0 : bad.axis[2];
        bad.spin[0] = wrong == 4 ? 1.0 : 0.0;
        bad.velocity[1] = wrong == 5 ? NAN : 0.0;
        bad.material = wrong == 6 ? -1 : 0;
        bad.struct_size = wrong == 7 ? 4 : bad.struct_size;
        def.boundaries = &bad;
        CHECK_FAILS(scree_sim_create(&def, one, NULL, &sim), SCREE_ERR_ARGUMENT, names[wrong]);
        assert_null(sim);
    }
    def.boundaries = NULL;
    CHECK_FAILS(scree_sim_create(&def, one, NULL, &sim), SCREE_ERR_ARGUMENT, "boundaries");
    def.boundary_count = 0;
    def.container = SCREE_CONTAINER_SPHERE;
    CHECK_FAILS(scree_sim_create(&def, one, NULL, &sim), SCREE_ERR_ARGUMENT);  // an open box bounds none
    def.box = scree_box_sized(3, (double[3]){1.0, 1.0, 1.0});
    def.wall_velocity[2][1] = 0.1;
    CHECK_FAILS(scree_sim_create(&def, one, NULL, &sim), SCREE_ERR_ARGUMENT, "axis z", "0.1");
    def.wall_velocity[2][1] = 0.0;
    def.backend = 7;
    CHECK_FAILS(scree_sim_create(&def, one, NULL, &sim), SCREE_ERR_ARGUMENT, "7");
    def.backend = 0;
    CHECK_OK(scree_sim_create(&def, one, NULL, &sim));
    CHECK_FAILS(scree_sim_set_motion(sim, 3, (double[3]){0.0}, (double[3]){0.0}), SCREE_ERR_ARGUMENT, "boundary 3");
    CHECK_FAILS(scree_sim_set_motion(sim, 6, (double[3]){INFINITY}, (double[3]){0.0}), SCREE_ERR_ARGUMENT, "boundary 6");
    scree_sim_motion motion = {.at = {0.5, 0.5, 0.5}, .velocity = {NAN}};
    scree_sim_state wrong = {.column_count = 2, .columns = (scree_sim_values[]){{"x", x}, {"v", (double[3]){0.0}}}, .motion_count = 1, .motions = &motion};
    CHECK_FAILS(scree_sim_set_state(sim, &wrong), SCREE_ERR_ARGUMENT, "boundary 6");
    wrong.motion_count = 2;
    CHECK_FAILS(scree_sim_set_state(sim, &wrong), SCREE_ERR_ARGUMENT, "2");
    scree_sim_destroy(sim);
}

// ---- Laws by pair of materials -----------------------------------------------------------------------------------------

// Two spheres of each pair of materials meet: duration and restitution are those of the pair.
static void each_pair_of_materials_has_its_law(void** state)
{
    (void)state;
    enum { m = 3 };
    double stiffness[m * m], restitution[m * m];
    for (int a = 0; a < m; ++a)
        for (int b = 0; b < m; ++b) {
            stiffness[a * m + b] = 1000.0 * (1.0 + a + b) * (a == b ? 1.0 : 3.0);
            restitution[a * m + b] = 1.0 - 0.1 * (a + b) - (a == b ? 0.0 : 0.05);
        }
    scree_sim_law law = scree_default_sim_law();
    law.material_count = m;
    scree_sim_pair pairs[m * m];
    sim_pairs(m * m, stiffness, NULL, restitution, pairs);
    law.pairs = pairs;
    for (int a = 0; a < m; ++a)
        for (int b = 0; b <= m; ++b) {  // b = m: a wall of material a's neighbour
            if (test_is_small() && b < m && b != (a + 1) % m)
                continue;
            int other = b < m ? b : (a + 1) % m;
            uint16_t material[2] = {(uint16_t)a, (uint16_t)other};
            scree_sim_each each = scree_default_sim_each();
            each.material = material;
            scree_sim_def def = scree_default_sim_def();
            def.box = scree_box_sized(3, (double[3]){10.0, 4.0, 4.0});
            def.law = &law;
            def.each = &each;
            def.wall_material = (a + 1) % m;
            double x[] = {1.0, 2.0, 2.0, 1.8, 2.0, 2.0}, r[] = {0.3, 0.4}, v[] = {1.0, 0.0, 0.0, -1.0, 0.0, 0.0};
            int32_t count = 2;
            double k = stiffness[a * m + other], mu = sim_test_mass(3, 1.0, 0.3) * sim_test_mass(3, 1.0, 0.4) / (sim_test_mass(3, 1.0, 0.3) + sim_test_mass(3, 1.0, 0.4));
            if (b == m) {
                count = 1;
                x[0] = 0.4, v[0] = -2.0;
                mu = sim_test_mass(3, 1.0, 0.3);
            }
            scree_sim* sim = make(&def, count, x, r, v);
            swing wanted = swing_of(k, dashpot_of(k, restitution[a * m + other], mu), mu);
            double step = scree_sim_get_numbers(sim).time_step, u[6];
            assert_true(scree_sim_get_numbers(sim).contact_duration <= wanted.duration * (1.0 + 1e-12));
            int64_t touching = 0;
            for (double time = 0.0; time < 0.4; time += step) {
                CHECK_OK(scree_sim_run(sim, 1));
                scree_sim_report report = sim_report_of(sim);
                touching += report.contacts + report.wall_contacts;
            }
            CHECK_OK(scree_sim_get_column(sim, "v", u));
            double out = b == m ? u[0] : u[3] - u[0];
            CHECK_CLOSE(out / 2.0, restitution[a * m + other], 4e-3);
            CHECK_CLOSE((double)touching * step / wanted.duration, 1.0, 2.5 * step / wanted.duration);
            scree_sim_destroy(sim);
        }
    // A matrix of equal numbers is the same as one number, bit for bit.
    scree_sphere_set set = sim_gas(3, 200, 3.0, 0.25, true, 5);
    double* v = sim_thermal(scree_sphere_set_view(&set), 0.2, 5);
    uint16_t* material = malloc((size_t)set.count * sizeof *material);
    for (int32_t i = 0; i < set.count; ++i)
        material[i] = (uint16_t)(i % m);
    for (int e = 0; e < m * m; ++e) {
        stiffness[e] = 30.0;
        restitution[e] = 0.8;
    }
    sim_pairs(m * m, stiffness, NULL, restitution, pairs);
    scree_sim_each each = scree_default_sim_each();
    each.material = material;
    scree_sim_def def = scree_default_sim_def();
    def.box = set.box;
    def.each = &each;
    def.stiffness = 30.0;
    def.restitution = 0.8;
    scree_sim* one = make(&def, set.count, set.x, set.r, v);
    def.law = &law;
    def.stiffness = def.restitution = 0.0;
    scree_sim* many = make(&def, set.count, set.x, set.r, v);
    CHECK_OK(scree_sim_run(one, 200));
    CHECK_OK(scree_sim_run(many, 200));
    assert_true(sim_report_of(one).contacts > 0);
    assert_true(scree_sim_hash(one) == scree_sim_hash(many));
    scree_sim_destroy(one);
    scree_sim_destroy(many);
    // Invalid input.
    scree_sim* none;
    pairs[1].stiffness = 31.0;
    CHECK_FAILS(scree_sim_create(&def, scree_sphere_set_view(&set), v, &none), SCREE_ERR_ARGUMENT, "materials 0 and 1", "31", "30");
    pairs[1].stiffness = 30.0;
    pairs[5].restitution = pairs[7].restitution = 1.5;
    CHECK_FAILS(scree_sim_create(&def, scree_sphere_set_view(&set), v, &none), SCREE_ERR_ARGUMENT, "materials 1 and 2", "1.5");
    pairs[5].restitution = pairs[7].restitution = 0.8;
    pairs[4].friction = -0.1;
    CHECK_FAILS(scree_sim_create(&def, scree_sphere_set_view(&set), v, &none), SCREE_ERR_ARGUMENT, "materials 1 and 1", "friction", "-0.1");
    pairs[4].friction = 0.0;
    material[17] = m;
    CHECK_FAILS(scree_sim_create(&def, scree_sphere_set_view(&set), v, &none), SCREE_ERR_ARGUMENT, "sphere 17", "material 3");
    material[17] = 0;
    def.stiffness = 30.0;
    CHECK_FAILS(scree_sim_create(&def, scree_sphere_set_view(&set), v, &none), SCREE_ERR_ARGUMENT, "stiffness");
    def.stiffness = 0.0;
    def.damping = 0.1;
    CHECK_FAILS(scree_sim_create(&def, scree_sphere_set_view(&set), v, &none), SCREE_ERR_ARGUMENT, "damping");
    def.damping = 0.0;
    def.wall_material = m;
    CHECK_FAILS(scree_sim_create(&def, scree_sphere_set_view(&set), v, &none), SCREE_ERR_ARGUMENT, "material 3");
    scree_sim_numbers numbers;
    def.wall_material = -1;
    CHECK_FAILS(scree_sim_find_numbers(&def, scree_sphere_set_view(&set), &numbers), SCREE_ERR_ARGUMENT, "material -1");
    def.wall_material = 0;
    def.boundary_count = 1;
    CHECK_FAILS(scree_sim_find_numbers(&def, scree_sphere_set_view(&set), &numbers), SCREE_ERR_ARGUMENT, "boundaries");
    scree_sim_boundary ball = scree_default_sim_boundary();
    ball.material = -2;
    def.boundaries = &ball;
    CHECK_FAILS(scree_sim_find_numbers(&def, scree_sphere_set_view(&set), &numbers), SCREE_ERR_ARGUMENT, "boundary 0", "material -2");
    free(material);
    scree_sphere_set_free(&set);
    free(v);
}

// ---- Backends --------------------------------------------------------------------------------------------------------------

// One system with everything in it, for each way to work it out, in pieces and taken up again: one hash.
static void every_backend_gives_the_same_bits(void** state)
{
    (void)state;
    for (int round = 0; round < 4; ++round) {
        scree_container in = {.kind = round % 2 == 0 ? SCREE_CONTAINER_CYLINDER : SCREE_CONTAINER_SPHERE};
        in.box = scree_box_sized(3, (double[3]){7.0, 7.0, 7.0});
        in.box.periodic[2] = in.kind == SCREE_CONTAINER_CYLINDER;
        double* v;
        scree_sphere_set set = fill(&in, 120, 0.25, 7, &v);
        uint16_t* material = malloc((size_t)set.count * sizeof *material);
        uint8_t* fixed = calloc((size_t)set.count, 1);
        for (int32_t i = 0; i < set.count; ++i) {
            material[i] = (uint16_t)(i % 2);
            fixed[i] = i % 11 == 4;
            for (int k = 0; k < 3 && fixed[i]; ++k)
                v[3 * i + k] = 0.0;
        }
        double stiffness[] = {100.0, 150.0, 150.0, 300.0}, restitution[] = {0.9, 0.8, 0.8, 0.7};
        scree_sim_law law = scree_default_sim_law();
        law.name = round < 2 ? "linear" : "record";
        law.material_count = 2;
        scree_sim_pair pairs[4];
        sim_pairs(4, stiffness, NULL, round == 3 ? NULL : restitution, pairs);
        law.pairs = pairs;
        scree_sim_each each = scree_default_sim_each();
        each.material = material;
        each.fixed = fixed;
        scree_sim_def def = scree_default_sim_def();
        def.box = in.box;
        def.container = in.kind;
        def.law = &law;
        def.each = &each;
        def.wall_material = 1;
        def.gravity[0] = 4.0;
        def.giants = round % 2 == 0 ? 0.0 : 0.45;
        def.order_every = 20;
        def.integrator = round / 2;
        uint64_t wanted = 0;
        for (int way = 0; way < 6; ++way) {
            def.backend = way < 2 ? SCREE_BACKEND_REFERENCE : SCREE_BACKEND_FUSED;
            def.threads = way == 3 ? 3 : 1;
            scree_plain_only = way == 4;
            scree_sim* sim = make(&def, set.count, set.x, set.r, v);
            CHECK_OK(scree_sim_set_motion(sim, 6, (double[3]){0.02, 0.0, 0.0}, (double[3]){0.0, 0.0, 1.0}));
            for (int piece = 0; piece < (way % 2 == 0 ? 1 : 5); ++piece) {
                CHECK_OK(scree_sim_run(sim, way % 2 == 0 ? 2000 : 400));
                if (way != 5)
                    continue;
                sim_copy copy = sim_copy_make(set.count, 3);
                copy.x_before = def.integrator == SCREE_INTEGRATOR_POSITION_VERLET ? calloc((size_t)set.count * 3, sizeof(double)) : NULL;
                scree_sim_memory memory;
                CHECK_OK(sim_copy_get(sim, &copy));
                scree_sim_values columns[] = {{"x", copy.x}, {"v", copy.v}, {"a", copy.a}, {"key", copy.key}, {"x_before", copy.x_before}};
                scree_sim_state taken = {.column_count = copy.x_before != NULL ? 5 : 4, .columns = columns};
                CHECK_OK(scree_sim_get_state(sim, &taken));
                scree_sim* next = make(&def, set.count, set.x, set.r, v);
                CHECK_OK(scree_sim_get_memory(sim, &memory));
                taken.memory = &memory;
                CHECK_OK(scree_sim_set_state(next, &taken));
                scree_sim_destroy(sim);
                sim = next;
                free(copy.x_before);
                sim_copy_free(&copy);
            }
            CHECK_OK(scree_sim_validate(sim));
            wanted = way == 0 ? scree_sim_hash(sim) : wanted;
            if (scree_sim_hash(sim) != wanted)
                fail_msg("round %d, way %d: another hash", round, way);
            assert_true(sim_report_of(sim).wall_contacts > 1);
            scree_sim_destroy(sim);
            scree_plain_only = false;
        }
        free(material);
        free(fixed);
        free(v);
        scree_sphere_set_free(&set);
    }
    assert_string_equal(scree_backend_name(SCREE_BACKEND_REFERENCE), "reference");
    assert_null(scree_backend_name(-1));
    assert_null(scree_backend_name(SCREE_BACKEND_COUNT));
}

// Six spheres of material 0, each against one wall of the box, of material 1 to 6: restitution and the shortest contact are those of the two.
static void each_wall_of_the_box_has_its_material(void** state)
{
    (void)state;
    enum { m = 7 };
    double stiffness[m * m], restitution[m * m], x[18], v[18] = {0}, u[18], r[6], mass = sim_test_mass(3, 1.0, 0.3);
    for (int e = 0; e < m * m; ++e) {
        stiffness[e] = 1000.0 * (1.0 + e / m + e % m);
        restitution[e] = 1.0 - 0.05 * (e / m + e % m);
    }
    for (int f = 0; f < 6; ++f) {
        for (int k = 0; k < 3; ++k)
            x[3 * f + k] = k != f / 2 ? 5.0 : f & 1 ? 9.6 : 0.4;
        v[3 * f + f / 2] = f & 1 ? 2.0 : -2.0;
        r[f] = 0.3;
    }
    scree_sim_pair pairs[m * m];
    sim_pairs(m * m, stiffness, NULL, restitution, pairs);
    scree_sim_law law = scree_default_sim_law();
    law.material_count = m;
    law.pairs = pairs;
    int32_t faces[6] = {1, 2, 3, 4, 5, 6};
    uint16_t material[6] = {0};
    scree_sim_each each = scree_default_sim_each();
    each.material = material;
    scree_spheres spheres = {.count = 6, .dim = 3, .x = x, .r = r};
    scree_sim_def def = scree_default_sim_def();
    def.box = scree_box_sized(3, (double[3]){10.0, 10.0, 10.0});
    def.law = &law;
    def.each = &each;
    def.face_materials = faces;
    for (int backend = 0; backend < SCREE_BACKEND_COUNT; ++backend) {
        def.backend = backend;
        scree_sim* sim = make(&def, 6, x, r, v);
        CHECK_CLOSE(scree_sim_get_numbers(sim).contact_duration / swing_of(stiffness[6], dashpot_of(stiffness[6], restitution[6], mass), mass).duration, 1.0, 1e-9);
        CHECK_OK(scree_sim_run(sim, (int64_t)ceil(0.4 / scree_sim_get_numbers(sim).time_step)));
        CHECK_OK(scree_sim_get_column(sim, "v", u));
        for (int f = 0; f < 6; ++f)
            CHECK_CLOSE(u[3 * f + f / 2] / (f & 1 ? -2.0 : 2.0), restitution[f + 1], 4e-3);
        scree_sim_destroy(sim);
    }
    // Walls that are not there ask for no step: of a periodic axis, and those around which the container is round.
    scree_sim_numbers numbers;
    def.box.periodic[2] = true;
    CHECK_OK(scree_sim_find_numbers(&def, spheres, &numbers));
    CHECK_CLOSE(numbers.contact_duration / swing_of(stiffness[4], dashpot_of(stiffness[4], restitution[4], mass), mass).duration, 1.0, 1e-9);
    def.box.periodic[2] = false;
    def.container = SCREE_CONTAINER_CYLINDER;
    def.wall_material = 3;
    memcpy(faces, (int32_t[6]){6, 6, 6, 6, 1, 2}, sizeof faces);
    CHECK_OK(scree_sim_find_numbers(&def, spheres, &numbers));
    CHECK_CLOSE(numbers.contact_duration / swing_of(stiffness[3], dashpot_of(stiffness[3], restitution[3], mass), mass).duration, 1.0, 1e-9);
    def.container = SCREE_CONTAINER_BOX;
    scree_sim* none;
    faces[5] = m;
    CHECK_FAILS(scree_sim_create(&def, spheres, v, &none), SCREE_ERR_ARGUMENT, "upper wall along z | 7");
    def.law = NULL;
    def.stiffness = 1000.0;
    faces[5] = 65536;
    CHECK_FAILS(scree_sim_create(&def, spheres, v, &none), SCREE_ERR_ARGUMENT, "upper wall along z | material 65536");
}

static const test_case cases[] = {
    UNIT(each_wall_of_the_box_has_its_material),
    UNIT(a_sphere_swings_across_a_round_container),
    UNIT(a_sphere_circles_in_a_cylinder),
    UNIT(a_sphere_bounces_off_a_slanted_cylinder),
    UNIT(loads_are_those_of_statics),
    THREADS(loads_are_those_of_the_contacts),
    UNIT(invalid_boundaries_are_refused),
    UNIT(each_pair_of_materials_has_its_law),
    SAME_BITS(every_backend_gives_the_same_bits),
};

const test_group group_boundary = {.name = "boundary", .cases = cases, .count = sizeof cases / sizeof *cases};
