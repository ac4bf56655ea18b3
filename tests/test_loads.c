// loads: what changes with time, against closed forms: gravity, forces, drag, walls that swing, servos, groups that are driven; and the same bits however a simulation is
// run, stopped and taken up again.
#include "sim_support.h"

#include "base/wide.h"
#include "scree/loads.h"
#include "sim/sim_inner.h"

static scree_sim* make(const scree_sim_def* def, int32_t n, const double* x, const double* r, const double* v)
{
    scree_sim* sim;
    CHECK_OK(scree_sim_create(def, (scree_spheres){.count = n, .dim = def->box.dim, .x = x, .r = r}, v, &sim));
    return sim;
}

static scree_sim_load load_of(scree_load kind, int32_t target, scree_signal value)
{
    scree_sim_load load = scree_default_sim_load();
    load.kind = (int32_t)kind;
    load.target = target;
    load.value = value;
    return load;
}

static void set(scree_sim* sim, scree_load kind, int32_t target, scree_signal value)
{
    scree_sim_load load = load_of(kind, target, value);
    CHECK_OK(scree_sim_set_load(sim, &load));
}

static scree_signal ramp(double from, double to, double over)  // along z
{
    return (scree_signal){.kind = SCREE_SIGNAL_RAMP, .value = {0.0, 0.0, from}, .to = {0.0, 0.0, to}, .over = over};
}

static scree_signal sine(double mean, double amplitude, double frequency, double phase)
{
    return (scree_signal){.kind = SCREE_SIGNAL_SINE, .value = {0.0, 0.0, mean}, .to = {0.0, 0.0, amplitude}, .frequency = frequency, .phase = phase};
}

static scree_signal constant(double x, double y, double z)
{
    return (scree_signal){.value = {x, y, z}};
}

static double z_of(scree_sim* sim, int32_t i)
{
    double* x = malloc((size_t)scree_sim_get_count(sim) * 3 * sizeof *x);
    CHECK_OK(scree_sim_get_column(sim, "x", x));
    double z = x[3 * i + 2];
    free(x);
    return z;
}

static double v_of(scree_sim* sim, int32_t i, int k)
{
    double* v = malloc((size_t)scree_sim_get_count(sim) * 3 * sizeof *v);
    CHECK_OK(scree_sim_get_column(sim, "v", v));
    double along = v[3 * i + k];
    free(v);
    return along;
}

// ---- Signals ---------------------------------------------------------------------------------------------------------

// Slope and integral against differences and Simpson's rule of the value.
static void signals_are_integrated_and_differentiated(void** state)
{
    (void)state;
    static const double rows[] = {0.5, 1.0, 0.0, 2.0, 1.0, 3.0, 1.0, -2.0, 2.5, 0.0, 0.5, 4.0, 3.0, 0.0, 0.0, 4.5};
    const scree_signal signals[] = {
        constant(1.0, -2.0, 0.5),
        {.kind = SCREE_SIGNAL_RAMP, .value = {1.0, 0.0, -3.0}, .to = {2.0, 5.0, 3.0}, .over = 1.7},
        {.kind = SCREE_SIGNAL_SINE, .value = {0.2, 0.0, 1.0}, .to = {1.0, 2.0, -0.5}, .frequency = 0.8, .phase = 0.4},
        {.kind = SCREE_SIGNAL_SINE, .to = {1.0, 2.0, -0.5}, .frequency = 0.0, .phase = 0.4},
        {.kind = SCREE_SIGNAL_TABLE, .count = 4, .table = rows},
    };
    for (size_t n = 0; n < sizeof signals / sizeof *signals; ++n) {
        const scree_signal* s = &signals[n];
        CHECK_OK(scree_signal_check(s));
        for (double time = 0.013; time < 4.0; time += 0.217) {
            double at[3], before[3], after[3], rate[3], sum[3], wanted[3] = {0.0};
            enum { parts = 4000 };
            double h = time / parts;
            for (int p = 0; p <= parts; ++p) {
                scree_signal_at(s, p * h, at);
                for (int k = 0; k < 3; ++k)
                    wanted[k] += at[k] * h / 3.0 * (p == 0 || p == parts ? 1.0 : p % 2 == 1 ? 4.0 : 2.0);
            }
            scree_signal_integral(s, time, sum);
            scree_signal_rate(s, time, rate);
            scree_signal_at(s, time - 1e-6, before);
            scree_signal_at(s, time + 1e-6, after);
            for (int k = 0; k < 3; ++k) {
                CHECK_CLOSE(sum[k], wanted[k], 2e-5);
                CHECK_CLOSE(rate[k], (after[k] - before[k]) / 2e-6, 1e-6);
            }
        }
    }
    double end[3];
    scree_signal_at(&signals[1], 1.7, end);
    CHECK_CLOSE(end[1], 5.0, 0.0);
    scree_signal_at(&signals[4], 0.75, end);
    CHECK_CLOSE(end[0], 2.0, 1e-15);
    assert_string_equal(scree_signal_name(SCREE_SIGNAL_TABLE), "table");
    assert_null(scree_signal_name(SCREE_SIGNAL_COUNT));
    assert_string_equal(scree_load_name(SCREE_LOAD_DRAG), "drag");
    assert_null(scree_load_name(-1));
}

static void invalid_signals_are_refused(void** state)
{
    (void)state;
    static const double back[] = {0.0, 1.0, 1.0, 1.0, 0.0, 1.0, 1.0, 1.0}, nan_row[] = {0.0, NAN, 0.0, 0.0};
    CHECK_FAILS(scree_signal_check(&(scree_signal){.kind = 4}), SCREE_ERR_ARGUMENT, "4");
    CHECK_FAILS(scree_signal_check(&(scree_signal){.kind = SCREE_SIGNAL_RAMP}), SCREE_ERR_ARGUMENT, "0", "above 0");
    CHECK_FAILS(scree_signal_check(&(scree_signal){.value = {NAN, 0.0, 0.0}}), SCREE_ERR_ARGUMENT, "nan");
    CHECK_FAILS(scree_signal_check(&(scree_signal){.kind = SCREE_SIGNAL_SINE, .frequency = -1.0}), SCREE_ERR_ARGUMENT, "-1");
    CHECK_FAILS(scree_signal_check(&(scree_signal){.kind = SCREE_SIGNAL_TABLE}), SCREE_ERR_ARGUMENT, "0 rows");
    CHECK_FAILS(scree_signal_check(&(scree_signal){.kind = SCREE_SIGNAL_TABLE, .count = 2, .table = back}), SCREE_ERR_ARGUMENT, "row 1");
    CHECK_FAILS(scree_signal_check(&(scree_signal){.kind = SCREE_SIGNAL_TABLE, .count = 1, .table = nan_row}), SCREE_ERR_ARGUMENT, "row 0", "nan");
}

// ---- One sphere ------------------------------------------------------------------------------------------------------

static scree_sim_def open_def(double step)
{
    scree_sim_def def = scree_default_sim_def();
    def.box = scree_box_open(3);
    def.stiffness = 0.5;
    def.time_step = step;
    return def;
}

// x = a t^3 / 6T while gravity grows from 0 to a, and then as if it were thrown.
static void a_ramp_of_gravity_moves_a_sphere(void** state)
{
    (void)state;
    double error[2];
    for (int fine = 0; fine < 2; ++fine)
        for (int integrator = 0; integrator < 2; ++integrator) {
            double x[3] = {0.0}, r = 0.1, a = -9.81, T = 0.4, step = fine ? 5e-4 : 1e-3;
            scree_sim_def def = open_def(step);
            def.integrator = integrator;
            scree_sim* sim = make(&def, 1, x, &r, NULL);
            set(sim, SCREE_LOAD_GRAVITY, 0, ramp(0.0, a, T));
            CHECK_OK(scree_sim_run(sim, fine ? 400 : 200));
            double t = scree_sim_get_time(sim);
            CHECK_CLOSE(z_of(sim, 0), a * t * t * t / (6.0 * T), 1e-6);
            error[fine] = fabs(z_of(sim, 0) - a * t * t * t / (6.0 * T));
            CHECK_OK(scree_sim_run(sim, fine ? 800 : 400));
            t = scree_sim_get_time(sim) - T;
            CHECK_CLOSE(z_of(sim, 0), a * T * T / 6.0 + a * T / 2.0 * t + a * t * t / 2.0, 2e-6);
            double now[3], turn[3];
            scree_sim_get_gravity(sim, now, turn);
            CHECK_CLOSE(now[2], a, 0.0);
            scree_sim_destroy(sim);
        }
    assert_true(error[1] < 0.3 * error[0]);  // second order
}

// Gravity that turns faster and faster: its angle is the integral of the rate.
static void a_ramp_of_turning_turns_gravity(void** state)
{
    (void)state;
    double x[3] = {0.0}, r = 0.1, now[3], turn[3];
    scree_sim_def def = open_def(1e-3);
    def.gravity[2] = -10.0;
    scree_sim* sim = make(&def, 1, x, &r, NULL);
    set(sim, SCREE_LOAD_TURN, 0, (scree_signal){.kind = SCREE_SIGNAL_RAMP, .to = {0.0, 2.0, 0.0}, .over = 1.0});
    CHECK_OK(scree_sim_run(sim, 700));
    scree_sim_get_gravity(sim, now, turn);
    CHECK_CLOSE(now[0], -10.0 * sin(0.49), 1e-12);  // 0.7^2
    CHECK_CLOSE(now[2], -10.0 * cos(0.49), 1e-12);
    set(sim, SCREE_LOAD_GRAVITY, 0, constant(0.0, 0.0, -5.0));  // goes on turning
    CHECK_OK(scree_sim_run(sim, 800));
    scree_sim_get_gravity(sim, now, turn);
    double angle = 1.0 + 2.0 * 0.5 - 0.49;
    CHECK_CLOSE(now[0], -5.0 * sin(angle), 1e-12);
    CHECK_CLOSE(now[2], -5.0 * cos(angle), 1e-12);
    scree_sim_load other = load_of(SCREE_LOAD_GRAVITY, 0, ramp(0.0, 1.0, 1.0));
    CHECK_FAILS(scree_sim_set_load(sim, &other), SCREE_ERR_UNSUPPORTED, "ramp");
    other = load_of(SCREE_LOAD_TURN, 0, (scree_signal){.kind = SCREE_SIGNAL_RAMP, .value = {1.0, 0.0, 0.0}, .to = {0.0, 2.0, 0.0}, .over = 1.0});
    CHECK_FAILS(scree_sim_set_load(sim, &other), SCREE_ERR_ARGUMENT, "axis");
    scree_sim_destroy(sim);
}

// m x'' = F sin(w t) from rest.
static void a_sine_force_moves_a_sphere(void** state)
{
    (void)state;
    double x[6] = {0.0, 0.0, 0.0, 5.0, 0.0, 0.0}, r[2] = {0.1, 0.1}, mass = sim_test_mass(3, 1.0, 0.1), F = 0.3 * mass, w = 2.0 * sim_pi * 1.5;
    uint16_t group[2] = {0, 1};
    scree_sim_def def = open_def(1e-4);
    scree_sim_each each = scree_default_sim_each();
    each.group = group;
    def.each = &each;
    scree_sim* sim = make(&def, 2, x, r, NULL);
    set(sim, SCREE_LOAD_FORCE, 1, sine(0.0, F, 1.5, 0.0));
    for (int k = 0; k < 5; ++k) {
        CHECK_OK(scree_sim_run(sim, 1777));
        double t = scree_sim_get_time(sim);
        CHECK_CLOSE(z_of(sim, 1), F / (mass * w) * (t - sin(w * t) / w), 1e-8);
        CHECK_CLOSE(v_of(sim, 1, 2), F / (mass * w) * (1.0 - cos(w * t)), 1e-7);
        CHECK_CLOSE(z_of(sim, 0), 0.0, 0.0);
    }
    CHECK_OK(scree_sim_set_group_force(sim, 1, (double[3]){0.0, 0.0, 0.0}));
    assert_int_equal(scree_sim_get_loads(sim, NULL, 0), 0);
    scree_sim_destroy(sim);
}

// v = -(m g / c) (1 - exp(-c t / m)), with both kinds of coefficient, of second order; what drag takes is what gravity gave less what moves.
static void drag_has_a_terminal_velocity(void** state)
{
    (void)state;
    for (int per_mass = 0; per_mass < 2; ++per_mass)
        for (int integrator = 0; integrator < 2; ++integrator) {
            double error[2], x[3] = {0.0}, r = 0.1, mass = sim_test_mass(3, 1.0, r), g = 9.81, rate = 3.0;
            for (int fine = 0; fine < 2; ++fine) {
                scree_sim_def def = open_def(fine ? 1e-3 : 2e-3);
                scree_sim_law law = scree_default_sim_law();
                scree_sim_pair pair = scree_default_sim_pair();
                pair.friction = 0.1;
                law.material_count = 1;
                law.pairs = &pair;
                def.stiffness = 10.0;
                def.law = &law;
                def.gravity[2] = -g;
                def.energies = true;
                def.integrator = integrator;
                scree_sim_each each = scree_default_sim_each();
                double spin[3] = {0.0, 4.0, 0.0};
                each.spin = spin;
                def.each = &each;
                scree_sim* sim = make(&def, 1, x, &r, NULL);
                double inertia = 0.4 * mass * r * r;
                set(sim, SCREE_LOAD_DRAG, 0, per_mass ? constant(0.0, rate, 0.0) : constant(rate * mass, 0.0, rate * inertia));
                CHECK_OK(scree_sim_run(sim, fine ? 500 : 250));
                double t = 0.5, v = -g / rate * (1.0 - exp(-rate * t)), z = -g / rate * (t - (1.0 - exp(-rate * t)) / rate), w[3];
                error[fine] = fabs(v_of(sim, 0, 2) - v);
                CHECK_CLOSE(v_of(sim, 0, 2), v, 2e-5);
                CHECK_CLOSE(z_of(sim, 0), z, 2e-5);
                CHECK_OK(scree_sim_get_column(sim, "w", w));
                CHECK_CLOSE(w[1], 4.0 * exp(-rate * t), 1e-5);
                CHECK_OK(scree_sim_run(sim, fine ? 5000 : 2500));
                CHECK_CLOSE(v_of(sim, 0, 2), -g / rate, 1e-6);
                scree_sim_report report = sim_report_of(sim);
                double begin = 0.5 * inertia * 16.0, moved = -mass * g * z_of(sim, 0);
                CHECK_CLOSE(report.dissipated_drag, begin + moved - report.energy_kinetic - report.energy_rotation, 1e-5 * moved);
                CHECK_CLOSE(report.energy_kinetic + report.energy_rotation + report.dissipated_drag - report.work_gravity, begin, 1e-5 * moved);
                scree_sim_destroy(sim);
            }
            assert_true(error[1] < 0.3 * error[0]);
        }
}

// Under gravity a sphere falls with (1 - alpha) g, thrown upwards it slows down with (1 + alpha) g.
static void local_damping_changes_gravity(void** state)
{
    (void)state;
    double x[3] = {0.0}, r = 0.1, g = 10.0, alpha = 0.7, mass = sim_test_mass(3, 1.0, r), up[3] = {0.0, 0.0, 3.4};
    for (int thrown = 0; thrown < 2; ++thrown) {
        scree_sim_def def = open_def(1e-3);
        def.gravity[2] = -g;
        def.energies = true;
        def.stiffness = 10.0;
        scree_sim* sim = make(&def, 1, x, &r, thrown ? up : NULL);
        set(sim, SCREE_LOAD_LOCAL_DAMPING, 0, constant(alpha, 0.0, 0.0));
        CHECK_OK(scree_sim_run(sim, 100));
        double a = thrown ? -(1.0 + alpha) * g : -(1.0 - alpha) * g, v0 = thrown ? 3.4 : 0.0;
        CHECK_CLOSE(v_of(sim, 0, 2), v0 + a * 0.1, thrown ? 1e-12 : 1e-2);  // from rest the first half step is not damped
        CHECK_CLOSE(z_of(sim, 0), v0 * 0.1 + a * 0.005, thrown ? 1e-12 : 1e-3);
        scree_sim_report report = sim_report_of(sim);
        CHECK_CLOSE(report.energy_kinetic + report.dissipated_local - report.work_gravity, 0.5 * mass * v0 * v0, thrown ? 1e-12 : 1e-6);
        assert_true(report.dissipated_local > 0.0);
        scree_sim_destroy(sim);
    }
}

// An external torque: w = T t / I; and what it works.
static void a_torque_turns_a_sphere(void** state)
{
    (void)state;
    double x[3] = {0.0}, r = 0.1, inertia = 0.4 * sim_test_mass(3, 1.0, 0.1) * 0.01, w[3];
    scree_sim_def def = open_def(1e-3);
    scree_sim_law law = scree_default_sim_law();
    scree_sim_pair pair = scree_default_sim_pair();
    pair.friction = 0.1;
    law.material_count = 1;
    law.pairs = &pair;
    def.stiffness = 10.0;
    def.law = &law;
    def.energies = true;
    scree_sim* sim = make(&def, 1, x, &r, NULL);
    set(sim, SCREE_LOAD_TORQUE, 0, constant(0.0, 2.0 * inertia, 0.0));
    CHECK_OK(scree_sim_run(sim, 500));
    CHECK_OK(scree_sim_get_column(sim, "w", w));
    CHECK_CLOSE(w[1], 1.0, 1e-12);
    CHECK_CLOSE(sim_report_of(sim).work_forces, 0.5 * inertia, 1e-12);
    set(sim, SCREE_LOAD_TORQUE, 0, ramp(0.0, inertia, 1.0));
    CHECK_OK(scree_sim_run(sim, 1000));
    CHECK_OK(scree_sim_get_column(sim, "w", w));
    CHECK_CLOSE(w[1], 1.0, 1e-12);
    CHECK_CLOSE(w[2], 0.5, 1e-9);
    CHECK_CLOSE(sim_report_of(sim).work_forces, 0.5 * inertia * (1.0 + 0.25), 1e-6 * inertia);
    scree_sim_destroy(sim);
}

// ---- Walls -----------------------------------------------------------------------------------------------------------

// A sphere that rests on a floor which swings, too gently to throw it: a driven oscillator without damping,
// y'' = w0^2 (A (cos(w t) - 1) - y) from rest, y = A w0^2 / (w0^2 - w^2) (cos(w t) - cos(w0 t)) - A (1 - cos(w0 t)).
static void a_sphere_rides_on_a_floor_that_swings(void** state)
{
    (void)state;
    double error[2];
    for (int fine = 0; fine < 2; ++fine) {
        double r = 0.1, mass = sim_test_mass(3, 1.0, r), k = 500.0, g = 9.81, A = 1e-3, frequency = 7.0, w = 2.0 * sim_pi * frequency, w0 = sqrt(k / mass);
        double x[3] = {1.0, 1.0, r - mass * g / k};
        scree_sim_def def = scree_default_sim_def();
        def.box = scree_box_sized(3, (double[3]){2.0, 2.0, 2.0});
        def.stiffness = k;
        def.gravity[2] = -g;
        def.time_step = fine ? 2e-5 : 4e-5;
        scree_sim* sim = make(&def, 1, x, &r, NULL);
        set(sim, SCREE_LOAD_BOUNDARY_PATH, 4, sine(0.0, A, frequency, 0.5 * sim_pi));
        error[fine] = 0.0;
        for (int piece = 0; piece < 20; ++piece) {
            CHECK_OK(scree_sim_run(sim, fine ? 1000 : 500));
            double t = scree_sim_get_time(sim), y = A * w0 * w0 / (w0 * w0 - w * w) * (cos(w * t) - cos(w0 * t)) - A * (1.0 - cos(w0 * t));
            CHECK_CLOSE(z_of(sim, 0) - x[2], y, 2e-6);
            error[fine] = fmax(error[fine], fabs(z_of(sim, 0) - x[2] - y));
            CHECK_CLOSE(scree_sim_get_box(sim).lower[2], A * (cos(w * t) - 1.0), 1e-15);
            scree_sim_boundary_report faces[6];
            assert_int_equal(scree_sim_get_boundaries(sim, faces, 6), 6);
            CHECK_CLOSE(faces[4].velocity[2], -A * w * sin(w * t), 1e-14);
        }
        scree_sim_destroy(sim);
    }
    assert_true(error[1] < 0.3 * error[0]);
}

// A velocity of a wall as a ramp, a table and a constant: its place is the integral, to rounding, after any number of steps.
static void walls_are_where_their_velocity_leads(void** state)
{
    (void)state;
    static const double rows[] = {0.0, 0.0, 0.0, 0.0, 0.1, 0.0, 0.0, 0.02, 0.3, 0.0, 0.0, -0.01};
    double x[3] = {1.0, 1.0, 1.0}, r = 0.1;
    scree_sim_def def = scree_default_sim_def();
    def.box = scree_box_sized(3, (double[3]){2.0, 2.0, 2.0});
    def.stiffness = 1e3;
    def.time_step = 1e-4;
    def.wall_velocity[0][1] = -0.5;
    scree_sim* sim = make(&def, 1, x, &r, NULL);
    set(sim, SCREE_LOAD_BOUNDARY_VELOCITY, 5, ramp(0.0, -0.3, 0.5));
    set(sim, SCREE_LOAD_BOUNDARY_PATH, 4, (scree_signal){.kind = SCREE_SIGNAL_TABLE, .count = 3, .table = rows});
    for (int step = 0; step < 2000; ++step)
        CHECK_OK(scree_sim_run(sim, 1));
    scree_box box = scree_sim_get_box(sim);
    CHECK_CLOSE(box.upper[2], 2.0 - 0.5 * 0.6 * 0.04, 1e-14);
    CHECK_CLOSE(box.lower[2], 0.005, 1e-14);
    CHECK_CLOSE(box.upper[0], 1.9, 1e-14);
    set(sim, SCREE_LOAD_BOUNDARY_VELOCITY, 5, constant(0.0, 0.0, 0.1));
    assert_int_equal(scree_sim_get_loads(sim, NULL, 0), 1);
    CHECK_OK(scree_sim_run(sim, 1000));
    CHECK_CLOSE(scree_sim_get_box(sim).upper[2], 2.0 - 0.012 + 0.01, 1e-14);
    CHECK_CLOSE(scree_sim_get_box(sim).upper[0], 1.85, 1e-14);
    CHECK_OK(scree_sim_set_wall_velocity(sim, (const double[3][2]){{0.0}}));
    assert_int_equal(scree_sim_get_loads(sim, NULL, 0), 0);
    CHECK_CLOSE(scree_sim_get_box(sim).lower[2], -0.01 + 0.005 * 0.0 + 0.0, 0.011);
    scree_sim_destroy(sim);
}

// The same for a boundary that is no wall of the box: a round one that swings about its place.
static void a_round_boundary_swings(void** state)
{
    (void)state;
    double x[3] = {1.0, 1.0, 1.0}, r = 0.1;
    scree_sim_boundary drum = scree_default_sim_boundary();
    drum.kind = "cylinder";
    drum.at[0] = drum.at[1] = drum.at[2] = 1.0;
    drum.radius = 0.8;
    scree_sim_def def = scree_default_sim_def();
    def.box = scree_box_sized(3, (double[3]){2.0, 2.0, 2.0});
    def.stiffness = 100.0;
    def.time_step = 1e-3;
    def.boundaries = &drum;
    def.boundary_count = 1;
    scree_sim* sim = make(&def, 1, x, &r, NULL);
    set(sim, SCREE_LOAD_BOUNDARY_PATH, 6, (scree_signal){.kind = SCREE_SIGNAL_SINE, .to = {0.1, 0.0, 0.0}, .frequency = 2.0, .phase = 0.3});
    set(sim, SCREE_LOAD_BOUNDARY_SPIN, 6, ramp(0.0, 3.0, 1.0));
    CHECK_OK(scree_sim_run(sim, 430));
    scree_sim_boundary_report seen[7];
    assert_int_equal(scree_sim_get_boundaries(sim, seen, 7), 7);
    double t = 0.43, w = 4.0 * sim_pi;
    CHECK_CLOSE(seen[6].at[0], 1.0 + 0.1 * (sin(w * t + 0.3) - sin(0.3)), 1e-14);
    CHECK_CLOSE(seen[6].velocity[0], 0.1 * w * cos(w * t + 0.3), 1e-13);
    CHECK_CLOSE(seen[6].spin[2], 3.0 * t, 1e-14);
    double angle[3];
    motion_angle(sim, 6, sim->step, angle);
    CHECK_CLOSE(angle[2], 1.5 * t * t, 1e-14);
    scree_sim_load across = load_of(SCREE_LOAD_BOUNDARY_SPIN, 6, constant(1.0, 0.0, 0.0));
    CHECK_FAILS(scree_sim_set_load(sim, &across), SCREE_ERR_ARGUMENT, "cylinder 6", "own axis");
    CHECK_OK(scree_sim_set_motion(sim, 6, (double[3]){0.0}, (double[3]){0.0}));
    assert_int_equal(scree_sim_get_loads(sim, NULL, 0), 0);
    scree_sim_destroy(sim);
}

// ---- Servos ----------------------------------------------------------------------------------------------------------

// What a column is pressed with.
typedef struct press {
    scree_sim_def def;
    scree_sim_law law;
    scree_sim_pair pair;
    scree_sim_material material;
    double x[30], r[10];
} press;

enum { column = 10 };

// Spheres on top of each other in a narrow box, just touching.
static void make_press(press* p, bool hertz, double friction)
{
    *p = (press){.def = scree_default_sim_def(), .law = scree_default_sim_law(), .pair = scree_default_sim_pair(), .material = scree_default_sim_material()};
    p->def.box = scree_box_sized(3, (double[3]){0.2, 0.2, 2.05});
    p->pair.friction = friction;
    p->pair.restitution = 0.5;
    p->law.material_count = 1;
    p->law.pairs = &p->pair;
    if (hertz) {
        p->law.name = "hertz";
        p->material.young = 1e6;
        p->material.poisson = 0.25;
        p->law.materials = &p->material;
        p->def.speed = 1.0;
    } else {
        p->def.stiffness = 1e4;
    }
    p->def.law = &p->law;
    p->def.material_density = 1000.0;
    for (int i = 0; i < column; ++i) {
        p->r[i] = 0.1;
        p->x[3 * i] = p->x[3 * i + 1] = 0.1;
        p->x[3 * i + 2] = 0.1 + 0.2 * i;
    }
}

static double force_on(scree_sim* sim, int32_t boundary, int k)
{
    scree_sim_boundary_report seen[8];
    assert_true(scree_sim_get_boundaries(sim, seen, 8) > boundary);
    return seen[boundary].force[k];
}

// A lid is pressed on a column: the force comes to its target within 1 %, never more than 10 % beyond it, and the lid stands where springs in series let it.
static void a_servo_presses_a_column(void** state)
{
    (void)state;
    for (int round = 0; round < 4; round += test_is_small() ? 3 : 1) {
        press p;
        bool hertz = round % 2 == 1;
        make_press(&p, hertz, round >= 2 ? 0.5 : 0.0);
        p.law.pairs = &p.pair;
        p.def.law = &p.law;
        scree_sim* sim = make(&p.def, column, p.x, p.r, NULL);
        double target = hertz ? 20.0 : 40.0, most = 0.0;
        scree_sim_load servo = load_of(SCREE_LOAD_SERVO_FORCE, 5, constant(target, 0.0, 0.0));
        servo.speed = 0.2;
        CHECK_OK(scree_sim_set_load(sim, &servo));
        for (int piece = 0; piece < 2000; ++piece) {
            CHECK_OK(scree_sim_run(sim, 10));
            most = fmax(most, force_on(sim, 5, 2));
        }
        if (most > 1.1 * target)
            fail_msg("round %d: %g where %g is the target", round, most, target);
        CHECK_CLOSE(force_on(sim, 5, 2), target, 0.01 * target);
        CHECK_CLOSE(force_on(sim, 4, 2), -target, 0.01 * target);
        // Overlaps of contacts in series.
        double young = 1e6 / (2.0 * (1.0 - 0.0625)), between = target / 1e4, wall = between;
        if (hertz) {
            between = pow(0.75 * target / (young * sqrt(0.05)), 2.0 / 3.0);
            wall = pow(0.75 * target / (young * sqrt(0.1)), 2.0 / 3.0);
        }
        CHECK_CLOSE(2.0 - scree_sim_get_box(sim).upper[2], 9.0 * between + 2.0 * wall, 0.01 * (9.0 * between + 2.0 * wall));
        scree_sim_destroy(sim);
    }
}

// A pressure is a force over the area of the face; a target that is a ramp is followed.
static void a_servo_follows_a_pressure(void** state)
{
    (void)state;
    press p;
    make_press(&p, false, 0.0);
    p.def.law = &p.law;
    p.law.pairs = &p.pair;
    scree_sim* sim = make(&p.def, column, p.x, p.r, NULL);
    scree_sim_load servo = load_of(SCREE_LOAD_SERVO_PRESSURE, 5, (scree_signal){.kind = SCREE_SIGNAL_RAMP, .value = {200.0, 0.0, 0.0}, .to = {1000.0, 0.0, 0.0}, .over = 4.0});
    servo.speed = 0.2;
    CHECK_OK(scree_sim_set_load(sim, &servo));
    double step = scree_sim_get_numbers(sim).time_step;
    CHECK_OK(scree_sim_run(sim, (int64_t)(2.0 / step)));
    CHECK_CLOSE(force_on(sim, 5, 2), 600.0 * 0.04, 0.01 * 24.0);
    CHECK_OK(scree_sim_run(sim, (int64_t)(3.0 / step)));
    CHECK_CLOSE(force_on(sim, 5, 2), 40.0, 0.4);
    scree_sim_destroy(sim);
}

// A drum with a sphere that sticks to it and cannot be turned by itself: the torque m g R sin(angle) of its weight is what the servo holds.
static void a_servo_holds_a_torque(void** state)
{
    (void)state;
    double R = 1.0, r = 0.1, x[2] = {0.0, -(R - r) - 1.5e-3}, mass = sim_test_mass(2, 1.0, r), g = 9.81, inertia = INFINITY;
    scree_sim_boundary drum = scree_default_sim_boundary();
    drum.kind = "sphere";
    drum.radius = R;
    scree_sim_law law = scree_default_sim_law();
    scree_sim_pair pair = scree_default_sim_pair();
    pair.friction = 2.0;
    pair.restitution = 0.3;
    law.material_count = 1;
    law.pairs = &pair;
    scree_sim_each each = scree_default_sim_each();
    each.inertia = &inertia;
    scree_sim_def def = scree_default_sim_def();
    def.box = scree_box_open(2);
    def.stiffness = 200.0;
    def.gravity[1] = -g;
    def.law = &law;
    def.each = &each;
    def.boundaries = &drum;
    def.boundary_count = 1;
    scree_sim* sim = make(&def, 1, x, &r, NULL);
    double target = 0.5 * mass * g * R;
    scree_sim_load servo = load_of(SCREE_LOAD_SERVO_TORQUE, 6, (scree_signal){.kind = SCREE_SIGNAL_RAMP, .to = {target, 0.0, 0.0}, .over = 1.0});
    servo.speed = 0.5;
    CHECK_OK(scree_sim_set_load(sim, &servo));
    CHECK_OK(scree_sim_run(sim, (int64_t)(10.0 / scree_sim_get_numbers(sim).time_step)));
    double now[2];
    CHECK_OK(scree_sim_get_column(sim, "x", now));
    CHECK_CLOSE(now[0], 0.5 * (R - r), 0.01);
    CHECK_CLOSE(now[1], -sqrt(0.75) * (R - r), 0.01);
    scree_sim_boundary_report seen[7];
    assert_int_equal(scree_sim_get_boundaries(sim, seen, 7), 7);
    CHECK_CLOSE(seen[6].torque[2], -target, 0.02 * target);
    scree_sim_destroy(sim);
}

// ---- Groups ----------------------------------------------------------------------------------------------------------

// A group that is driven goes its way whatever it pushes: by the integral of a sine, to rounding; a sphere in its way is thrown off as by a wall. Frozen, it stays; released, it falls.
static void groups_are_driven_frozen_and_released(void** state)
{
    (void)state;
    for (int integrator = 0; integrator < 2; ++integrator) {
        double x[9] = {0.0, 0.0, 0.0, 0.0, 0.0, 0.3, 3.0, 0.0, 0.0}, r[3] = {0.1, 0.1, 0.1}, mass = sim_test_mass(3, 1.0, 0.1);
        uint16_t group[3] = {1, 0, 2};
        scree_sim_def def = open_def(1e-4);
        scree_sim_each each = scree_default_sim_each();
        each.group = group;
        def.each = &each;
        def.stiffness = 1e3;
        def.energies = true;
        def.integrator = integrator;
        scree_sim* sim = make(&def, 3, x, r, NULL);
        set(sim, SCREE_LOAD_VELOCITY, 1, constant(0.0, 0.0, 0.5));
        CHECK_OK(scree_sim_run(sim, 6000));
        CHECK_CLOSE(z_of(sim, 0), 0.3, 1e-11);
        CHECK_CLOSE(v_of(sim, 1, 2), 1.0, 5e-4);  // elastic, off a body of infinite mass
        scree_sim_report report = sim_report_of(sim);
        CHECK_CLOSE(report.work_walls, 0.5 * mass, 5e-4 * mass);
        CHECK_CLOSE(report.energy_kinetic, 0.5 * mass, 5e-4 * mass);
        scree_sim_group_report groups[3];
        assert_int_equal(scree_sim_get_groups(sim, groups, 3), 3);
        assert_int_equal(groups[1].held, 1);
        CHECK_CLOSE(groups[1].energy_kinetic, 0.0, 0.0);
        CHECK_CLOSE(groups[0].energy_kinetic, 0.5 * mass, 5e-4 * mass);
        CHECK_CLOSE(groups[0].momentum[2], mass, 5e-4 * mass);
        set(sim, SCREE_LOAD_VELOCITY, 1, sine(0.0, 2.0, 3.0, 0.7));
        double from = z_of(sim, 0), w = 6.0 * sim_pi;
        CHECK_OK(scree_sim_run(sim, 777));
        double t = 777e-4;
        CHECK_CLOSE(z_of(sim, 0), from + 2.0 / w * (cos(0.7) - cos(w * t + 0.7)), 1e-12);
        CHECK_CLOSE(v_of(sim, 0, 2), 2.0 * sin(w * t + 0.7), 1e-12);
        set(sim, SCREE_LOAD_VELOCITY, 1, constant(0.0, 0.0, 0.0));
        CHECK_OK(scree_sim_set_gravity(sim, (double[3]){0.0, 0.0, -10.0}, (double[3]){0.0}));
        from = z_of(sim, 0);
        CHECK_OK(scree_sim_run(sim, 1000));
        CHECK_CLOSE(z_of(sim, 0), from, 0.0);
        CHECK_OK(scree_sim_release_group(sim, 1));
        CHECK_OK(scree_sim_run(sim, 1000));
        CHECK_CLOSE(z_of(sim, 0), from - 5.0 * 0.01, 1e-9);
        CHECK_CLOSE(v_of(sim, 0, 2), -1.0, 1e-9);
        assert_int_equal(scree_sim_get_groups(sim, groups, 3), 3);
        assert_int_equal(groups[1].held, 0);
        CHECK_CLOSE(groups[1].mass, mass, 1e-12);
        CHECK_FAILS(scree_sim_release_group(sim, 9), SCREE_ERR_ARGUMENT, "9");
        scree_sim_destroy(sim);
    }
}

// ---- Same bits -------------------------------------------------------------------------------------------------------

static const double swings[] = {0.0, 0.0, 0.0, 0.0, 0.3, 0.0, 0.02, 0.01, 0.7, 0.0, -0.01, 0.0};

// All kinds of loads at once, some of them set in the middle.
static void load_all(scree_sim* sim, int64_t step)
{
    if (step == 0) {
        set(sim, SCREE_LOAD_GRAVITY, 0, ramp(0.0, -1.0, 1.0));
        set(sim, SCREE_LOAD_DRAG, 0, constant(0.01, 0.02, sim->law.turns ? 0.001 : 0.0));
        set(sim, SCREE_LOAD_BOUNDARY_PATH, 4, sine(0.0, 0.05, 0.8, 0.2));
        set(sim, SCREE_LOAD_BOUNDARY_PATH, 0, (scree_signal){.kind = SCREE_SIGNAL_TABLE, .count = 3, .table = swings});
        set(sim, SCREE_LOAD_FORCE, 1, sine(0.0, 0.5, 1.1, 0.0));
        scree_sim_load servo = load_of(SCREE_LOAD_SERVO_FORCE, 5, constant(3.0, 0.0, 0.0));
        servo.speed = 0.4;
        CHECK_OK(scree_sim_set_load(sim, &servo));
    }
    if (step == 400) {
        set(sim, SCREE_LOAD_VELOCITY, 2, sine(0.0, 0.3, 2.0, 0.0));
        set(sim, SCREE_LOAD_LOCAL_DAMPING, 0, constant(0.1, 0.0, 0.0));
        if (sim->law.turns) {
            set(sim, SCREE_LOAD_TORQUE, 1, ramp(0.0, 0.01, 1.0));
            set(sim, SCREE_LOAD_SPIN, 2, ramp(0.0, 0.5, 0.2));
        }
    }
    if (step == 900)
        CHECK_OK(scree_sim_release_group(sim, 2));
}

// Backends, instruction sets, threads, methods, pieces, and another simulation that takes up the state in the middle of ramps, sines and servos: one hash.
static void loads_give_the_same_bits(void** state)
{
    (void)state;
    for (int round = 0; round < 3; ++round) {
        scree_sphere_set gas = sim_gas(3, 120, 2.5, 0.25, false, 5 + (uint64_t)round);
        double* v = sim_thermal(scree_sphere_set_view(&gas), 0.2, 9);
        uint16_t* group = calloc((size_t)gas.count, sizeof *group);
        for (int32_t i = 0; i < gas.count; ++i)
            group[i] = (uint16_t)(i % 13 == 0 ? 2 : i % 2);
        scree_sim_each each = scree_default_sim_each();
        each.group = group;
        scree_sim_law law = scree_default_sim_law();
        scree_sim_pair pair = scree_default_sim_pair();
        pair.friction = 0.4;
        pair.rolling_friction = 0.1;
        law.material_count = 1;
        law.pairs = &pair;
        scree_sim_def def = scree_default_sim_def();
        def.box = gas.box;
        def.stiffness = 1e3;
        def.restitution = round == 0 ? 0.0 : 0.6;
        def.each = &each;
        def.law = round == 2 ? &law : NULL;
        def.energies = round == 2;
        def.order_every = 150;
        def.integrator = round == 1;
        def.giants = round == 1 ? 1.1 : 0.0;
        uint64_t wanted = 0;
        double drag = 0.0;
        for (int way = 0; way < 7; ++way) {
            scree_index_def search = scree_default_index_def();
            search.method = way == 5 ? SCREE_METHOD_ALL_PAIRS : SCREE_METHOD_AUTO;
            def.search = &search;
            def.backend = way < 2 ? SCREE_BACKEND_REFERENCE : SCREE_BACKEND_FUSED;
            def.threads = way == 3 ? 3 : 1;
            scree_plain_only = way == 4;
            scree_sim* sim = make(&def, gas.count, gas.x, gas.r, v);
            for (int64_t step = 0; step < 1300; step += 100) {
                load_all(sim, step);
                if (way == 6) {
                    scree_sim* next = make(&def, gas.count, gas.x, gas.r, v);
                    set(next, SCREE_LOAD_GRAVITY, 0, ramp(0.0, 5.0, 1.0));  // that the state does not have
                    sim_hand_over(sim, next);
                    scree_sim_destroy(sim);
                    sim = next;
                }
                CHECK_OK(scree_sim_run(sim, way == 1 ? 37 : 100));
                if (way == 1)
                    CHECK_OK(scree_sim_run(sim, 63));
            }
            CHECK_OK(scree_sim_validate(sim));
            wanted = way == 0 ? scree_sim_hash(sim) : wanted;
            drag = way == 0 ? sim_report_of(sim).dissipated_drag : drag;
            if (scree_sim_hash(sim) != wanted)
                fail_msg("round %d, way %d: another hash", round, way);
            assert_true(sim_report_of(sim).wall_contacts > 0);
            CHECK_CLOSE(sim_report_of(sim).dissipated_drag, drag, 1e-9 * drag);
            scree_sim_destroy(sim);
            scree_plain_only = false;
        }
        free(group);
        free(v);
        scree_sphere_set_free(&gas);
    }
}

// With all of these the energies add up: what moves, springs, and what is dissipated less the work.
static void energies_with_loads_add_up(void** state)
{
    (void)state;
    scree_sphere_set gas = sim_gas(3, 60, 2.0, 0.25, false, 3);
    double* v = sim_thermal(scree_sphere_set_view(&gas), 0.2, 9);
    uint16_t* group = calloc((size_t)gas.count, sizeof *group);
    for (int32_t i = 0; i < gas.count; ++i)
        group[i] = (uint16_t)(i % 13 == 0 ? 2 : i % 2);
    scree_sim_each each = scree_default_sim_each();
    each.group = group;
    scree_sim_law law = scree_default_sim_law();
    scree_sim_pair pair = scree_default_sim_pair();
    pair.friction = 0.4;
    pair.restitution = 0.7;
    law.material_count = 1;
    law.pairs = &pair;
    double off[2];
    for (int fine = 0; fine < 2; ++fine) {
        scree_sim_def def = scree_default_sim_def();
        def.box = gas.box;
        def.stiffness = 1e3;
        def.each = &each;
        def.law = &law;
        def.energies = true;
        def.time_step = fine ? 5e-4 : 1e-3;
        scree_sim* sim = make(&def, gas.count, gas.x, gas.r, v);
        set(sim, SCREE_LOAD_GRAVITY, 0, ramp(0.0, -1.0, 1.0));
        set(sim, SCREE_LOAD_DRAG, 0, constant(0.01, 0.02, 0.001));
        set(sim, SCREE_LOAD_BOUNDARY_VELOCITY, 4, constant(0.0, 0.0, 0.1));
        set(sim, SCREE_LOAD_FORCE, 1, sine(0.0, 0.5, 1.1, 0.0));
        set(sim, SCREE_LOAD_TORQUE, 1, ramp(0.0, 0.01, 1.0));
        set(sim, SCREE_LOAD_VELOCITY, 2, constant(0.2, 0.1, 0.0));
        scree_sim_report begin = sim_report_of(sim), end;
        CHECK_OK(scree_sim_run(sim, fine ? 4000 : 2000));
        end = sim_report_of(sim);
        const scree_sim_report* r[2] = {&begin, &end};
        double sum[2];
        for (int k = 0; k < 2; ++k)
            sum[k] = r[k]->energy_kinetic + r[k]->energy_rotation + r[k]->energy_contact + r[k]->dissipated_normal + r[k]->dissipated_tangential + r[k]->dissipated_drag - r[k]->work_walls -
                     r[k]->work_gravity - r[k]->work_forces;
        assert_true(end.dissipated_drag > 0.05 * begin.energy_kinetic && fabs(end.work_walls) > 0.01 && fabs(end.work_forces) > 0.01);
        off[fine] = fabs(sum[1] - sum[0]);
        CHECK_CLOSE(sum[1], sum[0], 2e-3 * begin.energy_kinetic);
        scree_sim_destroy(sim);
    }
    (void)off;
    free(group);
    free(v);
    scree_sphere_set_free(&gas);
}

// ---- Exact shapes and meshes -------------------------------------------------------------------------------------------

// A plane of its own presses a column as the wall of the box does: by its normal, to the same place.
static void a_plane_presses_like_a_wall(void** state)
{
    (void)state;
    for (int friction = 0; friction < 2; ++friction) {
        press p;
        make_press(&p, false, friction ? 0.5 : 0.0);
        p.def.law = &p.law;
        p.law.pairs = &p.pair;
        scree_exact lid = scree_default_exact();
        lid.kind = SCREE_EXACT_PLANE;
        lid.at[2] = 2.05;
        lid.axis[2] = -2.0;
        scree_sim_boundary plane = scree_default_sim_boundary();
        plane.exact = &lid;
        plane.about[2] = 2.05;
        scree_sim* sims[2];
        for (int way = 0; way < 2; ++way) {
            p.def.box = scree_box_sized(3, (double[3]){0.2, 0.2, way == 0 ? 2.05 : 3.0});
            p.def.boundaries = way == 0 ? NULL : &plane;
            p.def.boundary_count = way;
            sims[way] = make(&p.def, column, p.x, p.r, NULL);
            scree_sim_load servo = load_of(SCREE_LOAD_SERVO_FORCE, way == 0 ? 5 : 6, constant(40.0, 0.0, 0.0));
            servo.speed = 0.2;
            CHECK_OK(scree_sim_set_load(sims[way], &servo));
            CHECK_OK(scree_sim_run(sims[way], 15000));
        }
        CHECK_CLOSE(force_on(sims[1], 6, 2), 40.0, 0.4);
        scree_sim_boundary_report seen[7];
        assert_int_equal(scree_sim_get_boundaries(sims[1], seen, 7), 7);
        CHECK_CLOSE(seen[6].at[2], scree_sim_get_box(sims[0]).upper[2], 1e-6);
        for (int32_t i = 0; i < column; ++i)
            CHECK_CLOSE(z_of(sims[1], i), z_of(sims[0], i), 1e-6);
        scree_sim_destroy(sims[0]);
        scree_sim_destroy(sims[1]);
    }
}

// A disc that turns about its edge hits a sphere: by a table that stays at one spin as by that spin; and taken up in the middle.
static void a_disc_turns_by_a_signal(void** state)
{
    (void)state;
    static const double rows[] = {0.0, 0.0, 2.0, 0.0, 1.0, 0.0, 2.0, 0.0};
    double x[3] = {0.5, 0.5, 0.35}, r = 0.1;
    scree_exact paddle = scree_default_exact();
    paddle.kind = SCREE_EXACT_DISC;
    paddle.at[0] = 0.5;
    paddle.at[1] = 0.5;
    paddle.at[2] = 0.2;
    paddle.axis[2] = 1.0;
    paddle.radius[0] = 0.3;
    scree_sim_boundary boundary = scree_default_sim_boundary();
    boundary.exact = &paddle;
    boundary.about[0] = 0.8;
    boundary.about[1] = 0.5;
    boundary.about[2] = 0.2;
    scree_sim_def def = scree_default_sim_def();
    def.box = scree_box_sized(3, (double[3]){2.0, 1.0, 2.0});
    def.stiffness = 1e3;
    def.time_step = 1e-4;
    def.boundaries = &boundary;
    def.boundary_count = 1;
    scree_sim *by_spin = make(&def, 1, x, &r, NULL), *by_table = make(&def, 1, x, &r, NULL), *taken = make(&def, 1, x, &r, NULL);
    CHECK_OK(scree_sim_set_motion(by_spin, 6, (double[3]){0.0}, (double[3]){0.0, 2.0, 0.0}));
    set(by_table, SCREE_LOAD_BOUNDARY_SPIN, 6, (scree_signal){.kind = SCREE_SIGNAL_TABLE, .count = 2, .table = rows});
    for (int piece = 0; piece < 30; ++piece) {
        CHECK_OK(scree_sim_run(by_spin, 100));
        CHECK_OK(scree_sim_run(by_table, 100));
        if (piece == 10)
            sim_hand_over(by_table, taken);
        if (piece > 10)
            CHECK_OK(scree_sim_run(taken, 100));
        for (int k = 0; k < 3; ++k)
            CHECK_CLOSE(v_of(by_table, 0, k), v_of(by_spin, 0, k), 1e-9);
    }
    assert_true(v_of(by_spin, 0, 2) > 0.1);
    assert_true(scree_sim_hash(taken) == scree_sim_hash(by_table));
    // Then by a constant again, from where it is.
    set(by_table, SCREE_LOAD_BOUNDARY_SPIN, 6, constant(0.0, 0.5, 0.0));
    CHECK_OK(scree_sim_run(by_table, 100));
    assert_int_equal(scree_sim_get_loads(by_table, NULL, 0), 0);
    scree_sim_destroy(by_spin);
    scree_sim_destroy(by_table);
    scree_sim_destroy(taken);
}

// ---- Invalid input --------------------------------------------------------------------------------------------------

static void invalid_loads_are_refused(void** state)
{
    (void)state;
    press p;
    make_press(&p, false, 0.0);
    p.def.law = &p.law;
    p.law.pairs = &p.pair;
    p.def.box.periodic[0] = true;
    scree_sim* sim = make(&p.def, column, p.x, p.r, NULL);
    uint64_t before = scree_sim_hash(sim);
    const struct {
        int32_t kind, target;
        scree_signal value;
        double speed;
        const char* says;
    } wrong[] = {
        {SCREE_LOAD_COUNT, 0, constant(0.0, 0.0, 0.0), 0.0, "14"},
        {SCREE_LOAD_GRAVITY, 0, {.value = {NAN, 0.0, 0.0}}, 0.0, "nan"},
        {SCREE_LOAD_FORCE, 3, constant(0.0, 0.0, 0.0), 0.0, "3"},
        {SCREE_LOAD_TORQUE, 0, constant(0.0, 0.0, 1.0), 0.0, "group 0"},
        {SCREE_LOAD_SPIN, 0, constant(0.0, 0.0, 1.0), 0.0, "group 0"},
        {SCREE_LOAD_BOUNDARY_PATH, 0, constant(0.0, 0.0, 0.0), 0.0, "boundary 0"},
        {SCREE_LOAD_BOUNDARY_SPIN, 4, constant(0.0, 0.0, 1.0), 0.0, "lower z"},
        {SCREE_LOAD_SERVO_FORCE, 6, constant(0.0, 0.0, 0.0), 1.0, "6"},
        {SCREE_LOAD_SERVO_FORCE, 5, constant(0.0, 0.0, 0.0), 0.0, "speed 0"},
        {SCREE_LOAD_SERVO_TORQUE, 5, constant(0.0, 0.0, 0.0), 1.0, "upper z"},
        {SCREE_LOAD_DRAG, 0, constant(-1.0, 0.0, 0.0), 0.0, "-1"},
        {SCREE_LOAD_DRAG, 0, constant(0.0, 0.0, 1.0), 0.0, "spins"},
        {SCREE_LOAD_LOCAL_DAMPING, 0, constant(1.0, 0.0, 0.0), 0.0, "1"},
    };
    for (size_t n = 0; n < sizeof wrong / sizeof *wrong; ++n) {
        scree_sim_load load = load_of((scree_load)wrong[n].kind, wrong[n].target, wrong[n].value);
        load.speed = wrong[n].speed;
        CHECK_FAILS(scree_sim_set_load(sim, &load), SCREE_ERR_ARGUMENT, wrong[n].says);
    }
    assert_true(scree_sim_hash(sim) == before);
    assert_int_equal(scree_sim_get_loads(sim, NULL, 0), 0);
    // States with loads that are none.
    double x[3 * column], v[3 * column] = {0.0}, words[28] = {0.0};
    CHECK_OK(scree_sim_get_column(sim, "x", x));
    scree_sim_values columns[2] = {{"x", x}, {"v", v}};
    scree_sim_state bad = {.walls = sim->walls, .column_count = 2, .columns = columns, .load_count = 28, .loads = words};
    CHECK_OK(scree_sim_set_state(sim, &bad));  // gravity 0, constant
    words[4] = 99.0;
    CHECK_FAILS(scree_sim_set_state(sim, &bad), SCREE_ERR_ARGUMENT, "4");
    words[4] = SCREE_LOAD_BOUNDARY_PATH;
    CHECK_FAILS(scree_sim_set_state(sim, &bad), SCREE_ERR_ARGUMENT, "boundary 0");
    words[5] = 4.0;
    words[6] = 7.0;
    words[10] = 7.0;
    CHECK_FAILS(scree_sim_set_state(sim, &bad), SCREE_ERR_ARGUMENT, "step 7");
    bad.load_count = 20;
    CHECK_FAILS(scree_sim_set_state(sim, &bad), SCREE_ERR_ARGUMENT, "4");
    bad.load_count = 3;
    CHECK_FAILS(scree_sim_set_state(sim, &bad), SCREE_ERR_ARGUMENT, "3");
    CHECK_OK(scree_sim_run(sim, 10));
    scree_sim_destroy(sim);
}

static scree_status load_and_run(const press* p)
{
    scree_sim* sim;
    scree_status status = scree_sim_create(&p->def, (scree_spheres){.count = column, .dim = 3, .x = p->x, .r = p->r}, NULL, &sim);
    scree_sim_load loads[5] = {load_of(SCREE_LOAD_SERVO_FORCE, 5, constant(1.0, 0.0, 0.0)),
                               load_of(SCREE_LOAD_GRAVITY, 0, (scree_signal){.kind = SCREE_SIGNAL_TABLE, .count = 3, .table = swings}),
                               load_of(SCREE_LOAD_FORCE, 0, ramp(0.0, 1.0, 1.0)), load_of(SCREE_LOAD_TORQUE, 0, ramp(0.0, 1.0, 1.0)),
                               load_of(SCREE_LOAD_VELOCITY, 0, ramp(0.0, 1.0, 1.0))};
    loads[0].speed = 0.1;
    for (int n = 0; n < 5 && status == SCREE_OK; ++n)
        status = scree_sim_set_load(sim, &loads[n]);
    if (status == SCREE_OK)
        status = scree_sim_run(sim, 3);
    scree_sim_state taken = {0};
    if (status == SCREE_OK)
        status = scree_sim_get_state(sim, &taken);
    scree_sim_destroy(sim);
    return status;
}

static void memory_runs_out(void** state)
{
    (void)state;
    press p;
    make_press(&p, false, 0.3);
    p.def.law = &p.law;
    p.law.pairs = &p.pair;
    EACH_ALLOCATION_FAILS(load_and_run(&p), (void)0);
}

static const test_case cases[] = {
    UNIT(signals_are_integrated_and_differentiated),
    UNIT(invalid_signals_are_refused),
    UNIT(a_ramp_of_gravity_moves_a_sphere),
    UNIT(a_ramp_of_turning_turns_gravity),
    UNIT(a_sine_force_moves_a_sphere),
    UNIT(drag_has_a_terminal_velocity),
    UNIT(local_damping_changes_gravity),
    UNIT(a_torque_turns_a_sphere),
    UNIT(a_sphere_rides_on_a_floor_that_swings),
    UNIT(walls_are_where_their_velocity_leads),
    UNIT(a_round_boundary_swings),
    UNIT(a_servo_presses_a_column),
    UNIT(a_servo_follows_a_pressure),
    UNIT(a_servo_holds_a_torque),
    UNIT(groups_are_driven_frozen_and_released),
    UNIT(energies_with_loads_add_up),
    UNIT(a_plane_presses_like_a_wall),
    UNIT(a_disc_turns_by_a_signal),
    UNIT(invalid_loads_are_refused),
    SAME_BITS(loads_give_the_same_bits),
    ALLOCATION(memory_runs_out),
};

const test_group group_loads = {.name = "loads", .cases = cases, .count = sizeof cases / sizeof *cases};
