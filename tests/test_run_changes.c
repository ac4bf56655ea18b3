// Changes of contacts, flow and output while a run goes on: against closed forms, against scenes that have them from the start, and the same bits however it is computed and resumed.
#include "sim_support.h"

#include "file_support.h"

#include "run/run_inner.h"
#include "scene/place.h"

static const double pi = 3.14159265358979323846;

static scree_scene scene_of(const char* text)
{
    scree_scene given;
    put_text(in_folder("scene.yaml"), text);
    CHECK_OK(scene_read(in_folder("scene.yaml"), &given));
    return given;
}

static scree_run* run_of(const scree_scene* given, const char* name, int32_t threads)
{
    scree_run_def def = scree_default_run_def();
    scree_run* run;
    def.threads = threads;
    def.force = true;
    CHECK_OK(scree_run_create(&def, given, in_folder(name), &run));
    CHECK_OK(scree_run_go(run));
    return run;
}

static uint64_t hash_of(const char* text)
{
    scree_scene given = scene_of(text);
    scree_run* run = run_of(&given, "one", 1);
    uint64_t hash = scree_run_hash(run);
    scree_run_destroy(run);
    scene_free(&given);
    return hash;
}

static int rows_of(const char* text)
{
    int rows = -1;
    for (; *text != '\0'; ++text)
        rows += *text == '\n';
    return rows;
}

// A sphere slides on a floor without friction; then it has some: u = u0 - mu g t and w = 5/2 mu g t / r, until it rolls with 5/7 of u0.
static void friction_begins_with_a_change(void** state)
{
    (void)state;
    static const char text[] = "box: {size: [40, 4, 4]}\n"
                               "gravity: [0, 0, -10]\n"
                               "spheres: {file: ball.csv, velocity: [2, 0, 0], material_density: 2}\n"
                               "contact: {stiffness: 1e6, restitution: 0.5, friction: 0}\n"
                               "time: {step: 1e-5, end: %s}\n"
                               "changes: [{at: 0.05, contact: {friction: 0.4}}]\n";
    char whole[1024];
    put_text(in_folder("ball.csv"), "x,y,z,r\n1,2,0.49999,0.5\n");  // at rest on the floor, nearly: 1/2 m g / k is 5e-6 deep
    static const struct {
        const char* end;
        double u, spin;
    } at[] = {{"0.05", 2.0, 0.0}, {"0.1", 2.0 - 0.4 * 10.0 * 0.05, 2.5 * 0.4 * 10.0 * 0.05 / 0.5}, {"0.4", 10.0 / 7.0, 20.0 / 7.0}};
    for (int k = 0; k < 3; ++k) {
        snprintf(whole, sizeof whole, text, at[k].end);
        scree_scene given = scene_of(whole);
        scree_run* run = run_of(&given, "run", 1);
        double v[3], w[3];
        CHECK_OK(scree_sim_get_column(scree_run_get_sim(run), "v", v));
        CHECK_OK(scree_sim_get_column(scree_run_get_sim(run), "w", w));
        CHECK_CLOSE(v[0], at[k].u, 2e-3);
        CHECK_CLOSE(w[1], at[k].spin, 1e-2);
        scree_run_destroy(run);
        scene_free(&given);
    }
}

// A ball that bounces loses its share of each bounce, by the restitution of that time; by pairs of materials too.
static void each_bounce_has_the_restitution_of_its_time(void** state)
{
    (void)state;
    static const char* const ways[2] = {"contact: {stiffness: 1e5, restitution: 0.9}\nspheres: {file: ball.csv, velocity: [0, 0, -2]}\n"
                                        "changes: [{at: 0.5, contact: {restitution: 0.5}}, {at: 1.5, contact: {restitution: 1}}]\n",
                                        "materials: {glass: {material_density: 1}, steel: {material_density: 3}}\nwalls: {material: steel}\n"
                                        "contact: {stiffness: 1e5}\nspheres: {file: ball.csv, velocity: [0, 0, -2], material: glass}\n"
                                        "pairs: [{between: [glass, glass], restitution: 0.2}, {between: [steel, glass], restitution: 0.9}]\n"
                                        "changes: [{at: 0.5, pairs: [{between: [glass, steel], restitution: 0.5}]}, {at: 1.5, walls: {material: glass}, pairs: [{between: [glass, glass], restitution: 1}]}]\n"};
    put_text(in_folder("ball.csv"), "x,y,z,r\n1,1,0.6,0.5\n");
    for (int way = 0; way < 2; ++way) {
        char whole[2048];
        snprintf(whole, sizeof whole, "box: {size: [2, 2, 1.6]}\ntime: {end: 2.0}\n%s", ways[way]);
        scree_scene given = scene_of(whole);
        scree_run* run = run_of(&given, "run", 1);
        // Between the walls there are 0.6 to go: at 0.05 it meets the floor with 2, at about 0.38 the lid with 1.8, at 0.75 the floor with 1.62 (0.5), at 1.5 the lid with 0.81.
        double v[3], speed = 2.0 * 0.9 * 0.9 * 0.5, time = 0.1 / 2.0 + 0.6 / 1.8 + 0.6 / 1.62;
        CHECK_OK(scree_sim_get_column(scree_run_get_sim(run), "v", v));
        bool third = time + 0.6 / speed < 1.5 - 0.05;  // whether the lid is met before the next change
        assert_false(third);
        CHECK_CLOSE(fabs(v[2]), speed, 8e-3);
        assert_true(v[2] < 0.0);  // the lid has turned it round, and took nothing
        scree_run_destroy(run);
        scene_free(&given);
    }
}

// Before anything touches, a change at the start is the same as other contacts in the scene, bit by bit.
static void a_change_at_the_start_is_the_scene_itself(void** state)
{
    (void)state;
    static const char head[] = "box: {size: [4, 4, 6]}\ngravity: [0, 0, -10]\ntime: {step: 2e-4, end: 0.4}\n"
                               "spheres: {count: 60, sizes: 'uniform-size:0.15:0.25', place: lattice, velocity: [0.3, 0.2, -1]}\n";
    static const char* const twins[][2] = {
        {"contact: {stiffness: 1000, restitution: 0.6, friction: 0.2}\nchanges: [{at: 0, contact: {duration: 0.01, damping: 0.02, friction: 0.5, rolling_friction: 0.1}}]\n",
         "contact: {duration: 0.01, damping: 0.02, friction: 0.5, rolling_friction: 0.1}\n"},
        {"contact: {stiffness: 1000, restitution: 0.6}\nchanges: [{at: 0, contact: {stiffness: 4000}}]\n", "contact: {stiffness: 4000, restitution: 0.6}\n"},
        {"contact: {overlap: 0.05, speed: 3}\nchanges: [{at: 0, contact: {stiffness: 4000, restitution: 0.7}}]\n", "contact: {stiffness: 4000, restitution: 0.7}\n"},
        {"contact: {law: hertz, young: 1e5, poisson: 0.2, speed: 3, restitution: 0.9, friction: 0.1}\nchanges: [{at: 0, contact: {young: 2e5, viscous_time: 1e-4}}]\n",
         "contact: {law: hertz, young: 2e5, poisson: 0.2, speed: 3, viscous_time: 1e-4, friction: 0.1}\n"},
        {"contact: {law: jkr, young: 1e5, poisson: 0.2, speed: 3, restitution: 0.9, surface_energy: 0.1}\nchanges: [{at: 0, contact: {surface_energy: 2}}]\n",
         "contact: {law: jkr, young: 1e5, poisson: 0.2, speed: 3, restitution: 0.9, surface_energy: 2}\n"},
    };
    for (size_t k = 0; k < sizeof twins / sizeof *twins; ++k) {
        char a[1024], b[1024];
        snprintf(a, sizeof a, "%s%s", head, twins[k][0]);
        snprintf(b, sizeof b, "%s%s", head, twins[k][1]);
        uint64_t one = hash_of(a), other = hash_of(b);
        if (one != other)
            fail_msg("twins %d differ", (int)k);
    }
}

static const char crowd[] = "box: {size: [4, 4, 6]}\n"
                            "gravity: [0, 0, -10]\n"
                            "materials: {glass: {material_density: 1}, steel: {material_density: 2}}\n"
                            "spheres:\n"
                            "- {name: small, count: 60, sizes: 'uniform-size:0.15:0.25', place: random, material: glass}\n"
                            "- {name: large, count: 6, sizes: 'mono:0.35', place: random, material: steel}\n"
                            "contact: {stiffness: 400, restitution: 0.6}\n"
                            "walls: {material: steel}\n"
                            "surfaces: [{name: post, cylinder: {from: [2, 2, 0], to: [2, 2, 1], radius: 0.3}, material: glass}]\n"
                            "pairs:\n"
                            "- {between: [glass, glass], friction: 0}\n"
                            "- {between: [glass, steel], friction: 0}\n"
                            "- {between: [steel, steel], friction: 0}\n"
                            "time: {end: 0.9%s}\n"
                            "checkpoint: {every: 3000}\n"
                            "insert: [{name: rain, group: small, rate: 40, region: {lower: [1, 1, 4.5], upper: [3, 3, 5.9]}}]\n"
                            "output: {every: 0.15, formats: [csv], energies: true, log_every_steps: 100}\n"
                            "changes:\n"
                            "- {at: 0.3, contact: {restitution: 0.9}, pairs: [{between: [steel, glass], friction: 0.5}], output: {log_every_steps: 50, every: 0.1}}\n"
                            "- {at: 0.4, insert: {rain: {rate: 80, velocity: [0, 0, -1]}}, materials: {glass: {}}}\n"
                            "- {at: 0.5, contact: {stiffness: 800}, walls: {material: glass, lower_z: {material: steel, velocity: 0.1}}, surfaces: {post: {material: steel}}}\n"
                            "- {at: 0.7, insert: {rain: {closed: true}}, drag: {per_mass: 0.5}}\n";

static void bits_do_not_depend_on_how_it_runs(void** state)
{
    (void)state;
    for (int integrator = 0; integrator < 2; ++integrator) {
        char text[4096];
        snprintf(text, sizeof text, crowd, integrator == 1 ? ", integrator: position-verlet" : "");
        scree_scene given = scene_of(text);
        scree_run* run = run_of(&given, "run", 1);
        uint64_t hash = scree_run_hash(run);
        char* log = get_file(in_folder("run/log.csv"), NULL);
        int last = rows_of(log) - 1;
        // Rates by their times: 0.4 at 40, 0.3 at 80, then none; what is due at the last look before each change, every 100 steps, has come.
        assert_true(value_in(log, last, "inserted") + value_in(log, last, "waiting") >= 36.0 && value_in(log, last, "inserted") <= 40.0);
        scree_run_destroy(run);
        static const double ends[] = {0.25, 0.3, 0.5, 0.85};
        for (size_t k = 0; k < sizeof ends / sizeof *ends + 2; ++k) {
            scree_run_def def = scree_default_run_def();
            def.threads = k % 2 == 0 ? 1 : 2;
            def.force = true;
            if (k == 1)
                def.method = SCREE_METHOD_OCTREE;
            given.sim.backend = k == 2 ? SCREE_BACKEND_REFERENCE : SCREE_BACKEND_FUSED;
            given.sim.integrator = integrator;
            if (k < 2) {
                CHECK_OK(scree_run_create(&def, &given, in_folder("other"), &run));
            } else {
                // The changes behind the first end are known from the start: time.steps sets the end later.
                CHECK_OK(scree_run_create(&def, &given, in_folder("other"), &run));
                run->steps = run_step_of(ends[k - 2], scree_sim_get_numbers(scree_run_get_sim(run)).time_step);
                CHECK_OK(scree_run_go(run));
                scree_run_destroy(run);
                CHECK_OK(scree_run_resume(&def, in_folder("other"), &run));
                run->steps = run_step_of(0.9, scree_sim_get_numbers(scree_run_get_sim(run)).time_step);
            }
            CHECK_OK(scree_run_go(run));
            if (scree_run_hash(run) != hash)
                fail_msg("integrator %d, way %d: another hash", integrator, (int)k);
            scree_run_destroy(run);
        }
        free(log);
        scene_free(&given);
    }
}

// Springs that become stiffer while they are pressed gain energy: k/2 of the overlap squared more.
static void the_balance_of_energies_goes_on(void** state)
{
    (void)state;
    static const char text[] = "box: {size: [2, 2, 2]}\n"
                               "gravity: [0, 0, -10]\n"
                               "spheres: {file: ball.csv}\n"
                               "contact: {stiffness: 1e3, damping: 0}\n"
                               "time: {step: 1e-4, end: 0.5}\n"
                               "output: {every: 0.1, formats: [csv], energies: true, log_every_steps: 50}\n"
                               "changes: [{at: 0.12, contact: {stiffness: 5e3}}]\n";
    put_text(in_folder("ball.csv"), "x,y,z,r\n1,1,0.55,0.5\n");
    scree_scene given = scene_of(text);
    scree_run* run = run_of(&given, "run", 1);
    char* log = get_file(in_folder("run/log.csv"), NULL);
    int rows = rows_of(log);
    double begin = value_in(log, 0, "balance"), most = 0.0, jump = 0.0;
    for (int k = 0; k < rows; ++k)
        most = fmax(most, fabs(value_in(log, k, "balance") - begin));
    for (int k = 1; k < rows; ++k)
        jump = fmax(jump, fabs(value_in(log, k, "work_forces") - value_in(log, k - 1, "work_forces")));
    // It falls 0.05, for 0.1 s; at 0.12 s it is some 0.018 deep.
    double mass = 4.0 / 3.0 * pi * 0.125, omega = sqrt(1e3 / mass), deep = (1.0 / omega) * sin(omega * 0.02) + 10.0 / (omega * omega) * (1.0 - cos(omega * 0.02));
    CHECK_CLOSE(jump, 0.5 * 4e3 * deep * deep, 1e-3);
    assert_true(most < 1e-3);
    scree_run_destroy(run);
    free(log);
    scene_free(&given);
}

// The step is that of the shortest contact of all times, or it is refused where the change is.
static void the_step_goes_with_all_contacts(void** state)
{
    (void)state;
    static const char head[] = "box: {size: [4, 4, 6]}\nspheres: {count: 20, sizes: 'mono:0.2', place: random}\n";
    char text[1024];
    double step[2];
    scree_run_def def = scree_default_run_def();
    scree_run* run;
    for (int k = 0; k < 2; ++k) {
        snprintf(text, sizeof text, "%scontact: {stiffness: %s, friction: 0.5}\ntime: {end: 1}\n%s", head, k == 0 ? "1e4" : "1e6", k == 0 ? "changes: [{at: 0.5, contact: {stiffness: 1e6}}, {at: 0.6, contact: {stiffness: 10}}]\n" : "");
        scree_scene given = scene_of(text);
        CHECK_OK(scree_run_create(&def, &given, NULL, &run));
        step[k] = scree_sim_get_numbers(scree_run_get_sim(run)).time_step;
        scree_run_destroy(run);
        scene_free(&given);
    }
    check_same_bits(&step[0], &step[1], 1, "the step");
    snprintf(text, sizeof text, "%scontact: {stiffness: 1e4}\ntime: {step: 4e-4, end: 1}\nchanges:\n- {at: 0.5, gravity: [0, 0, 1]}\n- {at: 0.6, contact: {stiffness: 1e6}}\n", head);
    scree_scene given = scene_of(text);
    CHECK_FAILS(scree_run_create(&def, &given, NULL, &run), SCREE_ERR_ARGUMENT, ":7:22: changes.contact", "time step 0.0004");
    scene_free(&given);
}

static void what_cannot_change_is_refused_by_name(void** state)
{
    (void)state;
    static const char head[] = "box: {size: [1, 1, 1]}\nmaterials: {glass: {material_density: 1}, steel: steel}\nspheres: {name: all, count: 10, sizes: 'mono:0.02', place: random, material: glass}\n"
                               "contact: {stiffness: 1e4}\npairs: [{between: [glass, glass], restitution: 0.5}]\nwalls: {material: glass}\n"
                               "insert: [{name: rain, rate: 1, region: {lower: [0, 0, 0], upper: [1, 1, 1]}}]\noutlets: [{name: drain, region: {at: [0, 0, 0.1], normal: [0, 0, -1]}}]\n"
                               "time: {end: 1}\nchanges:\n- ";
    static const struct {
        const char *change, *reported;
    } wrong[] = {
        {"{at: 0.5, box: {size: [2, 2, 2]}}", "m.yaml:11:13 | changes.box | changes.walls"},
        {"{at: 0.5, dimension: 2}", "m.yaml:11:13 | changes.dimension"},
        {"{at: 0.5, seed: 2}", "m.yaml:11:13 | changes.seed"},
        {"{at: 0.5, time: {steps: 5}}", "m.yaml:11:20 | 'steps' | step"},
        {"{at: 0.5, spheres: {count: 5}}", "m.yaml:11:13 | changes.spheres | insert"},
        {"{at: 0.5, bonds: []}", "m.yaml:11:13 | changes.bonds"},
        {"{at: 0.5, contact: {law: hertz}}", "m.yaml:11:23 | changes.contact.law"},
        {"{at: 0.5, contact: {tangential: linear}}", "m.yaml:11:23 | changes.contact.tangential | friction of 0"},
        {"{at: 0.5, contact: {mu: 0.3}}", "m.yaml:11:23 | 'mu' | friction"},
        {"{at: 0.5, contact: {friction: -1}}", "m.yaml:11:33 | contact.friction | '-1'"},
        {"{at: 0.5, contact: {stiffness: 1, duration: 1}}", "m.yaml:11 | contact.duration"},
        {"{at: 0.5, contact: {damping: 1}}", "m.yaml:11:23 | pairs.restitution"},
        {"{at: 0.5, contact: 3}", "m.yaml:11:22 | changes.contact"},
        {"{at: 0.5, pairs: mix}", "m.yaml:11:20 | changes.pairs"},
        {"{at: 0.5, pairs: [{between: [glass, wood], restitution: 1}]}", "m.yaml:11:39 | 'wood'"},
        {"{at: 0.5, materials: {glass: {material_density: 3}}}", "m.yaml:11:33 | masses"},
        {"{at: 0.5, materials: {wood: {young: 3}}}", "m.yaml:11:25 | 'wood'"},
        {"{at: 0.5, insert: {snow: {rate: 3}}}", "m.yaml:11:22 | 'snow'"},
        {"{at: 0.5, insert: {rain: {mass_rate: 3}}}", "m.yaml:11:29 | mass_rate"},
        {"{at: 0.5, insert: {rain: {region: {}}}}", "m.yaml:11:29 | 'region' | rate"},
        {"{at: 0.5, outlets: {drain: {into: rain}}}", "m.yaml:11:31 | 'into' | closed"},
        {"{at: 0.5, output: {formats: [csv]}}", "m.yaml:11:22 | 'formats' | every"},
        {"{at: 0.5, output: {every: -1}}", "m.yaml:11:29 | output.every | '-1'"},
        {"{at: 0.5, walls: {material: wood}}", "m.yaml:11:31 | changes.walls.material | 'wood'"},
        {"{at: 0.5, walls: {material: steel}}", "m.yaml | glass and steel can meet | restitution"},
        {"{at: 0.5}", "m.yaml:11:3 | change is empty"},
    };
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; ++k) {
        char text[2048];
        scree_scene given;
        snprintf(text, sizeof text, "%s%s\n", head, wrong[k].change);
        CHECK_FAILS(scene_parse("m.yaml", text, strlen(text), &given), SCREE_ERR_FORMAT, wrong[k].reported);
    }
}

// What is written is the same scene, changes too.
static void scenes_are_written_as_they_are(void** state)
{
    (void)state;
    char text[4096];
    snprintf(text, sizeof text, crowd, "");
    scree_scene given = scene_of(text), again;
    bool same = false;
    CHECK_OK(scree_write_scene(in_folder("again.yaml"), &given));
    CHECK_OK(scene_read(in_folder("again.yaml"), &again));
    CHECK_OK(scree_scene_compare(&given, &again, &same));
    assert_true(same && again.change_count == 4);
    for (int64_t c = 0; c < 4; ++c) {
        CHECK_OK(scree_scene_compare(scree_scene_from(&given, c), scree_scene_from(&again, c), &same));
        assert_true(same);
    }
    const scree_scene* last = scree_scene_from(&again, 3);
    assert_true(last->sim.stiffness == 800.0 && last->sim.restitution == 0.9 && last->wall_material == 0 && last->face_materials[4] == 1 && last->surfaces[0].material == 1 && last->inserts[0].rate == 80.0);
    assert_true(last->inserts[0].closed && last->log_every_steps == 50 && last->pairs[1].values.friction == 0.5 && scree_scene_from(&again, -1) == &again && scree_scene_from(&again, 4) == NULL);
    assert_true(scree_scene_from(&again, 2)->sim.stiffness == 800.0 && scree_scene_from(&again, 1)->sim.stiffness == 400.0);
    scene_free(&given);
    scene_free(&again);
}

// Frames and rows by the times that each part of the run has.
static void output_follows(void** state)
{
    (void)state;
    static const char text[] = "box: {size: [2, 2, 2]}\nspheres: {file: ball.csv}\ncontact: {stiffness: 10}\ntime: {step: 0.01, end: 1}\noutput: {every: 0.3, formats: [csv], log_every_steps: 40}\n"
                               "changes: [{at: 0.45, output: {every_steps: 10}}, {at: 0.6, output: {log_every_steps: 5}}, {at: 0.8, output: {every: 0.05}}]\n";
    static const int frames[] = {0, 30, 55, 65, 75, 85, 90, 95, 100}, rows[] = {0, 30, 40, 55, 60, 65, 70, 75, 80, 85, 90, 95, 100};
    put_text(in_folder("ball.csv"), "x,y,z,r\n1,1,1,0.5\n");
    for (int cut = 0; cut < 2; ++cut) {
        scree_scene given = scene_of(text);
        scree_run* run;
        if (cut == 0) {
            run = run_of(&given, "run", 1);
        } else {
            scree_run_def def = scree_default_run_def();
            def.force = true;
            CHECK_OK(scree_run_create(&def, &given, in_folder("run"), &run));
            run->steps = 62;
            CHECK_OK(scree_run_go(run));
            run->steps = 100;
            scree_run_destroy(run);
            def.force = false;
            CHECK_OK(scree_run_resume(&def, in_folder("run"), &run));
            CHECK_OK(scree_run_go(run));
        }
        for (size_t f = 0; f < sizeof frames / sizeof *frames; ++f)
            assert_int_equal(run_frame_step(run, (int64_t)f), frames[f]);
        assert_int_equal(run_frame_step(run, (int64_t)(sizeof frames / sizeof *frames)), -1);
        scree_run_destroy(run);
        char* log = get_file(in_folder("run/log.csv"), NULL);
        assert_int_equal(rows_of(log), (int)(sizeof rows / sizeof *rows));
        for (size_t r = 0; r < sizeof rows / sizeof *rows; ++r)
            assert_int_equal((int)value_in(log, (int)r, "step"), rows[r]);
        free(log);
        scene_free(&given);
    }
}

// A valve: what has gone out is nothing until it opens and all after that, and what comes is the rate times the times at which it is open.
static void valves_open_and_close(void** state)
{
    (void)state;
    static const char text[] = "box: {size: [2, 2, 4]}\ngravity: [0, 0, -4]\nspheres: {count: 0, sizes: 'mono:0.05', place: random}\ncontact: {stiffness: 20, restitution: 0.3}\ntime: {step: 1e-3, end: 3}\n"
                               "insert: [{name: rain, rate: 20, every_steps: 10, region: {lower: [0.5, 0.5, 3], upper: [1.5, 1.5, 3.9]}}]\n"
                               "outlets: [{name: drain, closed: true, every_steps: 10, region: {at: [0, 0, 0.5], normal: [0, 0, -1]}}]\n"
                               "output: {every: 0.25, formats: [csv], log_every_steps: 50}\n"
                               "changes: [{at: 1, insert: {rain: {closed: true}}}, {at: 1.5, outlets: {drain: {closed: false}}, insert: {rain: {closed: false, rate: 40}}}, {at: 2, insert: {rain: {end: 1.9}}}]\n";
    scree_scene given = scene_of(text);
    scree_run* run = run_of(&given, "run", 1);
    scree_run_destroy(run);
    char* log = get_file(in_folder("run/log.csv"), NULL);
    int rows = rows_of(log);
    for (int k = 0; k < rows; ++k) {
        double time = value_in(log, k, "time"), in = value_in(log, k, "inserted"), out = value_in(log, k, "removed_drain");
        double due = 20.0 * fmin(time, 1.0) + 40.0 * fmax(0.0, fmin(time, 2.0) - 1.5);
        assert_true(fabs(in - due) <= 1.0 + 1e-9);
        assert_true(time >= 1.5 || out == 0.0);
        assert_true(value_in(log, k, "n") == in - out);
    }
    assert_true(value_in(log, rows - 1, "inserted") == 40.0 && value_in(log, rows - 1, "removed_drain") > 20.0);
    free(log);
    scene_free(&given);
}

// A sphere that is slowed down by a drag of its own time: v = v0 exp(-integral of it). The mass is 2, of which a coefficient of 0.2 takes 0.1 per time.
static void drag_is_a_function_of_time(void** state)
{
    (void)state;
    static const struct {
        const char* drag;
        double sum;  // over the time of 1
    } ways[] = {{"{per_mass: {ramp: [1, 3], over: 0.5}}", 1.0 + 1.5},
                {"{per_mass: {ramp: [1, 3], over: 0.5}, coefficient: {ramp: [0.2, 0.4], over: 0.5}, spin: 0}", 2.5 + 0.175},
                {"{coefficient: 0.2, per_mass: {sine: 0.5, frequency: 0.25, mean: 2}}", 0.1 + 2.0 + 0.5 / (0.5 * 3.14159265358979323846)},
                {"{coefficient: 0.2, per_mass: {table: [[0, 0], [0.5, 2], [1, 0]]}}", 0.1 + 1.0},
                {"{coefficient: 0.2, per_mass: {table: drag.csv}}", 0.1 + 1.0}};
    char ball[64];
    put_text(in_folder("drag.csv"), "t,a\n0,0\n0.5,2\n1,0\n");
    snprintf(ball, sizeof ball, "x,y,z,r\n5,5,5,%.17g\n", cbrt(2.0 * 3.0 / (4.0 * pi)));
    put_text(in_folder("ball.csv"), ball);
    for (size_t k = 0; k < sizeof ways / sizeof *ways; ++k)
        for (int change = 0; change < 2; ++change) {
            char text[1024], line[256];
            snprintf(line, sizeof line, change == 1 ? "changes: [{at: 0.5, drag: %s}]" : "drag: %s", ways[k].drag);
            snprintf(text, sizeof text, "box: {size: [10, 10, 10]}\nspheres: {file: ball.csv, velocity: [1, 0, 0]}\ncontact: {stiffness: 1, damping: 0}\ntime: {step: 1e-3, end: %s}\n%s\n", change == 1 ? "1.5" : "1", line);
            scree_scene given = scene_of(text), again;
            bool same = false;
            CHECK_OK(scree_write_scene(in_folder("again.yaml"), &given));
            CHECK_OK(scene_read(in_folder("again.yaml"), &again));
            CHECK_OK(scree_scene_compare(&given, &again, &same));
            assert_true(same);
            scree_run* run = run_of(&again, "run", 1);
            double v[3];
            CHECK_OK(scree_sim_get_column(scree_run_get_sim(run), "v", v));
            CHECK_CLOSE(v[0], exp(-ways[k].sum), 2e-6);
            scree_run_destroy(run);
            scene_free(&given);
            scene_free(&again);
        }
    static const struct {
        const char *drag, *reported;
    } wrong[] = {{"drag: {per_mass: {ramp: [1, 3], over: 0.5}, spin: {sine: 1, frequency: 1}}", "m.yaml:5 | drag.spin | sine | ramp"},
                 {"drag: {per_mass: {ramp: [1, 3], over: 0.5}, spin: {ramp: [1, 3], over: 0.6}}", "m.yaml:5 | drag.spin | over"},
                 {"drag: {per_mass: {table: [[0, 1]]}, spin: {table: [[0, 1]]}}", "m.yaml:5 | drag.spin | table"},
                 {"drag: {per_mass: {wave: 3}}", "m.yaml:5 | 'wave'"}};
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; ++k) {
        char text[1024];
        scree_scene given;
        snprintf(text, sizeof text, "box: {size: [10, 10, 10]}\nspheres: {count: 2, sizes: 'mono:1', place: random}\ncontact: {stiffness: 1}\ntime: {steps: 1}\n%s\n", wrong[k].drag);
        CHECK_FAILS(scene_parse("m.yaml", text, strlen(text), &given), SCREE_ERR_FORMAT, wrong[k].reported);
    }
}

// A run that begins from another has the contacts that this one had in the end.
static void another_run_begins_with_the_contacts_of_the_end(void** state)
{
    (void)state;
    scree_scene given = scene_of("box: {size: [4, 4, 4]}\ngravity: [0, 0, -10]\nspheres: {count: 30, sizes: 'mono:0.3', place: random}\ncontact: {stiffness: 1000, restitution: 0.5, friction: 0}\ntime: {end: 1}\n"
                                 "output: {formats: [csv]}\nchanges: [{at: 0.1, contact: {stiffness: 1500, friction: 0.4}}, {at: 0.29, output: {log_every_steps: 5}}]\n");
    scree_run* run = run_of(&given, "first", 1);
    scree_sim_memory memory;
    CHECK_OK(scree_sim_get_memory(scree_run_get_sim(run), &memory));
    int64_t remembered = memory.count;
    scree_run_destroy(run);
    scene_free(&given);
    given = scene_of("start: {run: first}\ngravity: [0, 0, -10]\ntime: {end: 0.1}\noutput: {formats: [csv]}\n");
    scree_run_def def = scree_default_run_def();
    def.force = true;
    CHECK_OK(scree_run_create(&def, &given, in_folder("second"), &run));
    CHECK_OK(scree_sim_get_memory(scree_run_get_sim(run), &memory));
    if (memory.count != remembered || remembered == 0)
        fail_msg("%d contacts of %d remember", (int)memory.count, (int)remembered);
    assert_true(scree_sim_get_numbers(scree_run_get_sim(run)).stiffness == 1500.0 && scree_run_get_scene(run)->contact.values.friction == 0.4);
    CHECK_OK(scree_run_go(run));
    scree_run_destroy(run);
    scene_free(&given);
}

static void simulations_refuse_other_laws(void** state)
{
    (void)state;
    const double x[6] = {0.5, 0.5, 0.5, 0.5, 0.5, 0.9}, r[2] = {0.2, 0.25}, other[2] = {0.2, 0.2};
    scree_spheres spheres = {.count = 2, .dim = 3, .x = x, .r = r};
    scree_sim_def def = scree_default_sim_def();
    def.box = scree_box_sized(3, (const double[3]){1.0, 1.0, 2.0});
    def.stiffness = 1e3;
    def.time_step = 1e-4;
    def.threads = 1;
    scree_sim* sim;
    CHECK_OK(scree_sim_create(&def, spheres, NULL, &sim));
    CHECK_OK(scree_sim_run(sim, 100));
    uint64_t hash = scree_sim_hash(sim);
    scree_sim_law law = scree_default_sim_law();
    scree_sim_pair pair = scree_default_sim_pair();
    pair.friction = 0.5;
    law.material_count = 1;
    law.pairs = &pair;
    def.law = &law;
    CHECK_FAILS(scree_sim_set_contacts(sim, &def, spheres), SCREE_ERR_UNSUPPORTED, "tangential");
    def.law = NULL;
    spheres.r = other;
    CHECK_FAILS(scree_sim_set_contacts(sim, &def, spheres), SCREE_ERR_ARGUMENT, "sphere 1");
    spheres.r = r;
    spheres.count = 1;
    CHECK_FAILS(scree_sim_set_contacts(sim, &def, spheres), SCREE_ERR_ARGUMENT, "1 spheres");
    spheres.count = 2;
    def.stiffness = 1e9;
    CHECK_FAILS(scree_sim_set_contacts(sim, &def, spheres), SCREE_ERR_ARGUMENT, "time step");
    assert_true(scree_sim_hash(sim) == hash);
    // The same contacts again: nothing has happened.
    scree_sim* twin;
    def.stiffness = 1e3;
    CHECK_OK(scree_sim_create(&def, spheres, NULL, &twin));
    CHECK_OK(scree_sim_run(twin, 300));
    CHECK_OK(scree_sim_set_contacts(sim, &def, spheres));
    CHECK_OK(scree_sim_run(sim, 200));
    assert_true(scree_sim_hash(sim) == scree_sim_hash(twin));
    CHECK_OK(scree_sim_validate(sim));
    scree_sim_destroy(twin);
    // Wherever memory runs out, it goes on as it was.
    hash = scree_sim_hash(sim);
    for (int64_t n = 1;; ++n) {
        scree_memory_fail_at(n);
        scree_status status = scree_sim_set_contacts(sim, &def, spheres);
        scree_memory_fail_at(0);
        assert_true(scree_sim_hash(sim) == hash);
        if (status == SCREE_OK)
            break;
        assert_int_equal(status, SCREE_ERR_MEMORY);
    }
    scree_sim_destroy(sim);
}

static const test_case cases[] = {
    UNIT(friction_begins_with_a_change),
    UNIT(each_bounce_has_the_restitution_of_its_time),
    SAME_BITS(a_change_at_the_start_is_the_scene_itself),
    SAME_BITS(bits_do_not_depend_on_how_it_runs),
    UNIT(the_balance_of_energies_goes_on),
    UNIT(the_step_goes_with_all_contacts),
    UNIT(what_cannot_change_is_refused_by_name),
    UNIT(scenes_are_written_as_they_are),
    UNIT(output_follows),
    UNIT(valves_open_and_close),
    UNIT(drag_is_a_function_of_time),
    UNIT(another_run_begins_with_the_contacts_of_the_end),
    ALLOCATION(simulations_refuse_other_laws),
};

const test_group group_run_changes = {.name = "run_changes", .cases = cases, .count = sizeof cases / sizeof *cases, .begin = make_folder, .end = remove_folder};
