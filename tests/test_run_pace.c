// Steps that change their length: free flight and oscillators against closed forms, times of loads and walls, the same bits however a run is computed and resumed.
#include "sim_support.h"

#include "file_support.h"

#include "run/run_inner.h"

static const double pi = 3.14159265358979323846;

static scree_sim* one_sphere(int32_t integrator, int32_t backend, const double x[3], const double v[3], const double gravity[3], double stiffness, double step)
{
    const double r = 0.5;
    scree_sim_def def = scree_default_sim_def();
    def.box = scree_box_sized(3, (const double[3]){1024.0, 1024.0, 1024.0});
    def.integrator = integrator;
    def.backend = backend;
    def.stiffness = stiffness;
    def.time_step = step;
    def.threads = 1;
    memcpy(def.gravity, gravity, sizeof def.gravity);
    scree_sim* sim;
    CHECK_OK(scree_sim_create(&def, (scree_spheres){.count = 1, .dim = 3, .x = x, .r = &r}, v, &sim));
    return sim;
}

// All numbers are sums of few powers of two, so that nothing is rounded: x = x0 + v t + g t^2 / 2 to the last bit, across three changes.
static void free_flight_is_exact(void** state)
{
    (void)state;
    const double x0[3] = {16.0, 32.0, 900.0}, v0[3] = {1.0, 0.5, -2.0}, g[3] = {0.0, 0.25, -0.5};
    static const struct {
        double step;
        int64_t count;
    } part[] = {{1.0 / 64.0, 37}, {1.0 / 256.0, 11}, {1.0 / 16.0, 23}, {1.0 / 32.0, 1}};
    for (int way = 0; way < 4; ++way) {
        scree_sim* sim = one_sphere(way % 2, way / 2, x0, v0, g, 1.0, part[0].step);
        double t = 0.0, x[3], v[3];
        for (size_t p = 0; p < sizeof part / sizeof *part; ++p) {
            CHECK_OK(scree_sim_set_time_step(sim, part[p].step));
            CHECK_OK(scree_sim_run(sim, part[p].count));
            t += part[p].step * (double)part[p].count;
            CHECK_OK(scree_sim_get_column(sim, "x", x));
            CHECK_OK(scree_sim_get_column(sim, "v", v));
            for (int k = 0; k < 3; ++k)
                if (x[k] != x0[k] + v0[k] * t + 0.5 * g[k] * t * t || v[k] != v0[k] + g[k] * t)
                    fail_msg("way %d, part %d, axis %d: x %.17g, v %.17g", way, (int)p, k, x[k], v[k]);
            assert_true(scree_sim_get_time(sim) == t);
        }
        scree_sim_destroy(sim);
    }
}

// The farthest that the energy of a sphere on a spring under its weight gets from that of the start, over four changes of the step.
static double energy_error(int32_t integrator, double step)
{
    const double k = 400.0, m = 4.0 / 3.0 * pi * 0.125, deep = m * 10.0 / k;
    const double x0[3] = {5.0, 5.0, 0.5 - 1.7 * deep}, v0[3] = {0.0, 0.0, 0.0}, g[3] = {0.0, 0.0, -10.0};
    scree_sim* sim = one_sphere(integrator, 0, x0, v0, g, k, step);
    double most = 0.0;
    scree_sim_report r;
    CHECK_OK(scree_sim_measure(sim, &r));
    double first = r.energy_kinetic + r.energy_potential;
    for (int part = 0; part < 5; ++part) {
        CHECK_OK(scree_sim_set_time_step(sim, part % 2 == 0 ? step : 0.4 * step));
        for (int s = 0; s < (int)lrint(0.32 / step); ++s) {  // more than a swing, or half of one
            CHECK_OK(scree_sim_run(sim, 1));
            CHECK_OK(scree_sim_measure(sim, &r));
            most = fmax(most, fabs(r.energy_kinetic + r.energy_potential - first));
        }
    }
    scree_sim_destroy(sim);
    return most / (0.5 * m * 10.0 * deep);
}

// Second order in the step, as within one length of step: a fourth at half the step.
static void energy_is_of_second_order_across_a_change(void** state)
{
    (void)state;
    for (int32_t integrator = 0; integrator < 2; ++integrator) {
        double coarse = energy_error(integrator, 4e-3), fine = energy_error(integrator, 2e-3);
        if (!(coarse < 0.02 && fine < 0.3 * coarse && fine > 0.2 * coarse))
            fail_msg("integrator %d: errors %g and %g", (int)integrator, coarse, fine);
    }
}

// Walls and loads that began before a change are where their times say.
static void times_go_on(void** state)
{
    (void)state;
    const double x0[3] = {500.0, 500.0, 500.0}, zero[3] = {0.0, 0.0, 0.0};
    scree_sim* sim = one_sphere(0, 0, x0, zero, zero, 1.0, 0.01);
    CHECK_OK(scree_sim_run(sim, 7));
    scree_sim_load load = scree_default_sim_load();
    load.kind = SCREE_LOAD_BOUNDARY_VELOCITY;  // x, the lower wall: constant
    load.value.value[0] = 2.0;
    CHECK_OK(scree_sim_set_load(sim, &load));
    load = scree_default_sim_load();
    load.kind = SCREE_LOAD_GRAVITY;
    load.value.kind = SCREE_SIGNAL_SINE;
    load.value.to[2] = 3.0;
    load.value.frequency = 0.7;
    CHECK_OK(scree_sim_set_load(sim, &load));
    double time = 0.0, gravity[3], turn[3];
    static const double length[] = {0.01, 0.0025, 0.03};
    for (int part = 0; part < 3; ++part) {
        CHECK_OK(scree_sim_set_time_step(sim, length[part]));
        CHECK_OK(scree_sim_run(sim, 50));
        time += 50.0 * length[part];
        scree_sim_get_gravity(sim, gravity, turn);
        CHECK_CLOSE(scree_sim_get_box(sim).lower[0], 2.0 * time, 1e-12);
        CHECK_CLOSE(gravity[2], 3.0 * sin(2.0 * pi * 0.7 * time), 1e-12);
    }
    CHECK_CLOSE(scree_sim_get_time(sim), 0.07 + time, 1e-12);
    scree_sim_destroy(sim);
}

static const char crowd[] = "box: {size: [4, 4, 6], periodic: [x]}\n"
                            "gravity: [0, 1, -10]\n"
                            "materials: {glass: {material_density: 1}, steel: {material_density: 3}}\n"
                            "spheres:\n"
                            "- {name: bed, count: 60, sizes: 'uniform-size:0.2:0.4', place: random, material: glass}\n"
                            "- {name: rain, count: 3, sizes: 'mono:0.2', place: random, material: steel}\n"
                            "contact: {stiffness: 3000, restitution: 0.6}\n"
                            "pairs: [{between: [glass, glass], friction: 0.4}, {between: [glass, steel], friction: 0.3}, {between: [steel, steel], friction: 0.2}]\n"
                            "walls: {material: steel, upper_y: {oscillate: {amplitude: 0.2, frequency: 2.5}}, upper_z: {servo: {force: 30, speed: 1}}}\n"
                            "surfaces: [{name: post, material: steel, cylinder: {from: [2, 2, 0], to: [2, 2, 1], radius: 0.3}, spin: [0, 0, 9]}]\n"
                            "insert: [{name: fall, group: rain, rate: 40, region: {lower: [0.5, 0.5, 4], upper: [3.5, 3.2, 5]}}]\n"
                            "time: {step: 0.0005, end: 0.9}\n"
                            "output: {every: 0.05, formats: [csv, vtp], energies: true}\n"
                            "checkpoint: {every: 3000}\n"
                            "changes:\n"
                            "- {at: 0.2, time: {step: 0.0003}, contact: {stiffness: 9000}}\n"
                            "- {at: 0.5, time: {step: 0.00075}, contact: {stiffness: 2500}}\n"
                            "- {at: 0.7, time: {step: 0.0006}}\n";

static scree_scene scene_of(const char* text)
{
    scree_scene given;
    put_text(in_folder("scene.yaml"), text);
    CHECK_OK(scene_read(in_folder("scene.yaml"), &given));
    return given;
}

static void bits_do_not_depend_on_how_it_runs(void** state)
{
    (void)state;
    for (int integrator = 0; integrator < 2; ++integrator) {
        scree_scene given = scene_of(crowd);
        given.sim.integrator = integrator;
        scree_run_def def = scree_default_run_def();
        scree_run* run;
        def.threads = 1;
        def.force = true;
        CHECK_OK(scree_run_create(&def, &given, in_folder("run"), &run));
        CHECK_OK(scree_run_go(run));
        uint64_t hash = scree_run_hash(run);
        // 400 steps to 0.2; 1000 to 0.5; 267 to the first step after 0.7, at 0.70025; 333 to the first after 0.9.
        assert_int_equal(scree_run_get_steps(run), 400 + 1000 + 267 + 333);
        CHECK_CLOSE(run_time_of(run, scree_run_get_steps(run)), 0.70025 + 333 * 0.0006, 1e-12);
        assert_true(scree_run_get_end(run) == scree_sim_get_time(scree_run_get_sim(run)));
        scree_run_destroy(run);
        char *log = get_file(in_folder("run/log.csv"), NULL), *pvd = get_file(in_folder("run/frames.pvd"), NULL);
        static const int64_t ends[] = {350, 400, 900, 1400, 1667, 1800};
        for (size_t k = 0; k < sizeof ends / sizeof *ends; ++k) {
            def.threads = k % 2 == 0 ? 2 : 1;
            def.method = k == 1 ? SCREE_METHOD_OCTREE : -1;
            given.sim.backend = k == 2 ? SCREE_BACKEND_REFERENCE : SCREE_BACKEND_FUSED;
            CHECK_OK(scree_run_create(&def, &given, in_folder("other"), &run));
            int64_t steps = run->steps;
            run->steps = ends[k];
            CHECK_OK(scree_run_go(run));
            scree_run_destroy(run);
            CHECK_OK(scree_run_resume(&def, in_folder("other"), &run));
            assert_int_equal(run->steps, steps);
            CHECK_OK(scree_run_go(run));
            if (scree_run_hash(run) != hash)
                fail_msg("integrator %d, way %d: another hash", integrator, (int)k);
            scree_run_destroy(run);
            char* same = get_file(in_folder("other/frames.pvd"), NULL);
            if (ends[k] >= 1667)  // frames of the way, without that of an end which was not meant
                assert_true(strncmp(same, pvd, 400) == 0);
            free(same);
        }
        // Frames are at the first steps that are not before their times; rows tell the time of their step.
        int rows = -1;
        for (const char* c = log; *c != '\0'; ++c)
            rows += *c == '\n';
        for (int k = 0; k + 1 < rows; ++k)
            if (!(value_in(log, k, "time") >= 0.05 * k - 1e-12 && value_in(log, k, "time") < 0.05 * k + 0.00075))
                fail_msg("row %d: time %.17g", k, value_in(log, k, "time"));
        free(log);
        free(pvd);
        scene_free(&given);
    }
}

// The sum of all energies goes on as it was, with work of walls and gravity that is added half before a moment and half after it.
static void the_balance_of_energies_goes_on(void** state)
{
    (void)state;
    char text[4096] = "box: {size: [2, 2, 2]}\ngravity: [0, 0, -10]\nspheres: {file: ball.csv}\ncontact: {stiffness: 1e3, damping: 2}\ntime: {step: 4e-4, end: 0.5}\n"
                      "walls: {lower_z: {oscillate: {amplitude: 0.05, frequency: 2}}}\n"
                      "output: {every: 0.1, formats: [csv], energies: true, log_every_steps: 10}\nchanges:\n";
    for (int k = 1; k < 40; ++k) {
        size_t used = strlen(text);
        snprintf(text + used, sizeof text - used, "- {at: %g, time: {step: %s}}\n", 0.0125 * k, k % 2 == 0 ? "4e-4" : "1e-4");
    }
    put_text(in_folder("ball.csv"), "x,y,z,r\n1,1,0.55,0.5\n");
    scree_scene given = scene_of(text);
    scree_run_def def = scree_default_run_def();
    scree_run* run;
    def.threads = 1;
    def.force = true;
    CHECK_OK(scree_run_create(&def, &given, in_folder("balance"), &run));
    CHECK_OK(scree_run_go(run));
    scree_run_destroy(run);
    char* log = get_file(in_folder("balance/log.csv"), NULL);
    double most = 0.0, work = 0.0;
    for (int k = 0; k < 150; ++k) {
        most = fmax(most, fabs(value_in(log, k, "balance") - value_in(log, 0, "balance")));
        work = fmax(work, fabs(value_in(log, k, "work_walls")));
    }
    if (!(most < 5e-5 && work > 0.1))
        fail_msg("the balance is off by %g, and the walls have done %g", most, work);
    free(log);
    scene_free(&given);
}

static void steps_that_are_too_long_are_refused(void** state)
{
    (void)state;
    static const char head[] = "box: {size: [1, 1, 1]}\nspheres: {count: 10, sizes: 'mono:0.02', place: random}\ncontact: {stiffness: 1e4}\ntime: {step: 1e-6, end: 0.001}\n";
    static const struct {
        const char *tail, *reported;
        scree_status status;
    } wrong[] = {
        {"changes: [{at: 0.0005, time: {step: auto}}]", "m.yaml:5:37 | changes.time.step | number", SCREE_ERR_FORMAT},
        {"changes: [{at: 0.0005, time: {end: 3}}]", "m.yaml:5:31 | 'end' | step", SCREE_ERR_FORMAT},
        {"changes: [{at: 0.0005, time: {step: -1}}]", "m.yaml:5:37 | time.step | '-1'", SCREE_ERR_FORMAT},
        {"changes: [{at: 0.0005, time: 3}]", "m.yaml:5:30 | changes.time", SCREE_ERR_FORMAT},
        {"changes: [{at: 0.0005, time: {step: 1}}]", "m.yaml:5 | changes.time | time step 1", SCREE_ERR_ARGUMENT},
        {"changes: [{at: 0.0005, time: {step: 2e-6}}]\noutput: {every: 1.5e-6}", "m.yaml:6 | output.every | 2e-06", SCREE_ERR_ARGUMENT},
    };
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; ++k) {
        char text[1024];
        scree_scene given;
        scree_run* run;
        scree_run_def def = scree_default_run_def();
        snprintf(text, sizeof text, "%s%s\n", head, wrong[k].tail);
        scree_status status = scene_parse("m.yaml", text, strlen(text), &given);
        if (wrong[k].status == SCREE_ERR_ARGUMENT) {
            CHECK_OK(status);
            status = scree_run_create(&def, &given, NULL, &run);
        }
        CHECK_FAILS(status, wrong[k].status, wrong[k].reported);
        if (wrong[k].status == SCREE_ERR_ARGUMENT)
            scene_free(&given);
    }
}

// Memory that runs out leaves the simulation as it was; so do wrong lengths. A state goes back to the length that it had.
static void a_step_is_set_or_nothing_changes(void** state)
{
    (void)state;
    const double x0[3] = {5.0, 5.0, 0.49}, v0[3] = {1.0, 0.0, 0.0}, g[3] = {0.0, 0.0, -10.0};
    for (int32_t integrator = 0; integrator < 2; ++integrator) {
        scree_sim *sim = one_sphere(integrator, 0, x0, v0, g, 400.0, 1e-3), *twin = one_sphere(integrator, 0, x0, v0, g, 400.0, 1e-3);
        CHECK_OK(scree_sim_run(sim, 20));
        CHECK_OK(scree_sim_run(twin, 20));
        CHECK_FAILS(scree_sim_set_time_step(sim, 0.0), SCREE_ERR_ARGUMENT, "time step 0");
        CHECK_FAILS(scree_sim_set_time_step(sim, NAN), SCREE_ERR_ARGUMENT, "time step");
        CHECK_FAILS(scree_sim_set_time_step(sim, 0.1), SCREE_ERR_ARGUMENT, "time step 0.1");
        double x[3], v[3], a[3], before[3];
        scree_sim_values columns[] = {{.name = "x", .data = x}, {.name = "v", .data = v}, {.name = "a", .data = a}, {.name = "x_before", .data = before}};
        scree_sim_state then = {.column_count = 3 + integrator, .columns = columns};
        CHECK_OK(scree_sim_get_state(sim, &then));
        then.loads = &(double){0.0};  // none, and steps of one length until now
        for (int64_t n = 1;; ++n) {
            scree_memory_fail_at(n);
            scree_status status = scree_sim_set_time_step(sim, 5e-4);
            scree_memory_fail_at(0);
            if (status == SCREE_OK)
                break;
            assert_int_equal(status, SCREE_ERR_MEMORY);
            assert_true(scree_sim_get_numbers(sim).time_step == 1e-3 && scree_sim_hash(sim) == scree_sim_hash(twin));
        }
        CHECK_OK(scree_sim_run(sim, 33));
        CHECK_CLOSE(scree_sim_get_time(sim), 0.02 + 33 * 5e-4, 1e-15);
        CHECK_OK(scree_sim_validate(sim));
        CHECK_OK(scree_sim_set_state(sim, &then));
        assert_true(scree_sim_get_numbers(sim).time_step == 1e-3 && scree_sim_get_time(sim) == 20 * 1e-3);
        CHECK_OK(scree_sim_run(sim, 33));
        CHECK_OK(scree_sim_run(twin, 33));
        assert_true(scree_sim_hash(sim) == scree_sim_hash(twin));
        scree_sim_destroy(sim);
        scree_sim_destroy(twin);
    }
}

// A run that begins from one whose step has changed finds its walls where they were.
static void another_run_finds_the_walls(void** state)
{
    (void)state;
    scree_scene given = scene_of("box: {size: [4, 4, 4]}\nspheres: {count: 30, sizes: 'mono:0.2', place: random}\ncontact: {stiffness: 1000}\ntime: {step: 0.001, end: 0.3}\nwalls: {z: [0, 0.5]}\n"
                                 "output: {formats: [csv]}\nchanges: [{at: 0.1, time: {step: 0.0004}}]\n");
    scree_run_def def = scree_default_run_def();
    scree_run* run;
    def.force = true;
    CHECK_OK(scree_run_create(&def, &given, in_folder("first"), &run));
    CHECK_OK(scree_run_go(run));
    CHECK_CLOSE(scree_sim_get_box(scree_run_get_sim(run)).upper[2], 4.0 + 0.5 * 0.3, 1e-12);
    scree_run_destroy(run);
    scene_free(&given);
    given = scene_of("start: {run: first}\ntime: {end: 0.01}\noutput: {formats: [csv]}\n");
    CHECK_OK(scree_run_create(&def, &given, in_folder("second"), &run));
    CHECK_CLOSE(scree_sim_get_box(scree_run_get_sim(run)).upper[2], 4.0 + 0.5 * 0.3, 1e-12);
    scree_run_destroy(run);
    scene_free(&given);
}

// Spheres that were inserted count, and one alone meets walls only.
static void what_was_inserted_limits_the_step(void** state)
{
    (void)state;
    const double x0[3] = {5.0, 5.0, 5.0}, zero[3] = {0.0, 0.0, 0.0}, x1[3] = {9.0, 5.0, 5.0}, r1 = 0.1;
    scree_sim* sim = one_sphere(0, 0, x0, zero, zero, 400.0, 1e-3);
    double longest = scree_sim_get_numbers(sim).longest_time_step;
    CHECK_OK(scree_sim_set_time_step(sim, longest));
    CHECK_OK(scree_sim_set_time_step(sim, 1e-3));
    CHECK_OK(scree_sim_insert(sim, (scree_spheres){.count = 1, .dim = 3, .x = x1, .r = &r1}, zero, NULL, NULL));
    double mass = 4.0 / 3.0 * pi * 0.001, other = 4.0 / 3.0 * pi * 0.125, both = mass * other / (mass + other), shortest = pi * sqrt(both / 400.0);
    CHECK_FAILS(scree_sim_set_time_step(sim, 0.11 * shortest), SCREE_ERR_ARGUMENT);
    CHECK_OK(scree_sim_set_time_step(sim, 0.0999 * shortest));
    scree_sim_destroy(sim);
}

static const test_case cases[] = {
    UNIT(free_flight_is_exact),
    UNIT(energy_is_of_second_order_across_a_change),
    UNIT(times_go_on),
    SAME_BITS(bits_do_not_depend_on_how_it_runs),
    UNIT(the_balance_of_energies_goes_on),
    UNIT(steps_that_are_too_long_are_refused),
    ALLOCATION(a_step_is_set_or_nothing_changes),
    UNIT(another_run_finds_the_walls),
    UNIT(what_was_inserted_limits_the_step),
};

const test_group group_run_pace = {.name = "run_pace", .cases = cases, .count = sizeof cases / sizeof *cases, .begin = make_folder, .end = remove_folder};
