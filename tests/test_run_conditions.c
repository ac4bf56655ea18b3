// Conditions: when a change happens, and when a run ends.
#include "run_folder_support.h"

static const char falling[] = "box: {size: [10, 10, 100]}\n"
                              "gravity: [0, 0, -10]\n"
                              "spheres: {file: one.csv, material_density: %.17g}\n"
                              "contact: {stiffness: 1000}\n"
                              "time: {step: 0.001, end: 3%s}\n"
                              "changes:\n"
                              "- {when: {momentum_z: -5, every_steps: 10}, gravity: [0, 0, 0]}\n"
                              "- {at: 0.1, gravity: [0, 0, 5]}\n"
                              "- {when: {time_since_change: {above: 0.2}, every_steps: 7}, gravity: [0, 0, 20], time: {step: 0.0005}}\n"
                              "output: {every: %s, formats: [csv]}\n"
                              "checkpoint: {every: %d}\n";

static scree_scene falling_scene(const char* until, const char* every, int checkpoint)
{
    const double mass_one = 6.0 / 3.14159265358979323846;  // of a sphere of radius 0.5
    char text[2048];
    snprintf(text, sizeof text, falling, mass_one, until, every, checkpoint);
    put_text(in_folder("one.csv"), "x,y,z,r\n5,5,90,0.5\n");
    scree_scene scene;
    CHECK_OK(scene_parse(in_folder("scene.yaml"), text, strlen(text), &scene));
    return scene;
}

// Free flight: v = -10 t is below -5 first at a multiple of 10 steps after 0.5, and so on. The change at 0.1 waits for the one before it.
static void times_are_those_of_closed_forms(void** state)
{
    (void)state;
    scree_scene scene = falling_scene(", until: {momentum_z: {above: 6}, every_steps: 100}", "0.5", 1000);
    scree_run_def def = scree_default_run_def();
    scree_run* run;
    CHECK_OK(scree_run_create(&def, &scene, in_folder("run"), &run));
    CHECK_OK(scree_run_go(run));
    // -5 at 0.5 exactly is not below; at 0.51 v is -5.1. Both changes of gravity; at step 714 (a multiple of 7) 0.204 later v = -4.08, from then on 20 t in steps of half the length:
    // 6 at 0.504 after 714 steps of 0.001; the first multiple of 100 steps beyond is 1800, at 0.714 + 1086 * 0.0005 = 1.257.
    assert_int_equal(scree_run_get_steps(run), 1800);
    assert_true(fabs(scree_run_get_end(run) - 1.257) < 1e-12);
    double v[3];
    CHECK_OK(scree_sim_get_column(scree_run_get_sim(run), "v", v));
    CHECK_CLOSE(v[2], -5.1 + 5.0 * 0.204 + 20.0 * 1086 * 0.0005, 1e-9);
    assert_int_equal(count_in(in_folder("run/frames"), "frame_"), 4);  // 0, 0.5, 1, and the end
    assert_true(strstr(scree_run_get_warning(run), "time") == NULL);
    scree_run_destroy(run);
    remove_all(in_folder("run"));
    scene_free(&scene);
}

// Stopped after any step and gone on, with any rows in the log: the same bits and the same files.
static void bits_do_not_depend_on_stops(void** state)
{
    (void)state;
    scree_scene scene = falling_scene(", until: {momentum_z: {above: 6}, every_steps: 100}", "0.5", 97);
    scree_run_def def = scree_default_run_def();
    uint64_t wanted = run_through(&def, &scene, in_folder("reference")), content = content_of(in_folder("reference"));
    static const int64_t kills[] = {10, 510, 511, 1700};
    for (size_t k = 0; k < sizeof kills / sizeof *kills; ++k) {
        scree_run_def stopping = def;
        stopper s = {0};
        scree_run* run;
        stopping.tell = stop_when;
        stopping.context = &s;
        CHECK_OK(scree_run_create(&stopping, &scene, in_folder("parts"), &run));
        go_until(run, &s, kills[k]);
        scree_run_destroy(run);
        assert_true(resume_through(&def, in_folder("parts")) == wanted);
        assert_true(content_of(in_folder("parts")) == content);
        assert_true(resume_through(&def, in_folder("parts")) == wanted);  // it is finished
        remove_all(in_folder("parts"));
    }
    scree_scene other = falling_scene(", until: {momentum_z: {above: 6}, every_steps: 100}", "0.013", 1000);
    other.log_every_steps = 3;
    assert_true(run_through(&def, &other, in_folder("parts")) == wanted);
    remove_all(in_folder("parts"));
    remove_all(in_folder("reference"));
    scene_free(&other);
    scene_free(&scene);
}

// Another end takes the place of the condition: as if it had never been there.
static void another_end_ignores_the_condition(void** state)
{
    (void)state;
    scree_scene scene = falling_scene(", until: {momentum_z: {above: 6}, every_steps: 100}", "0.5", 1000), plain = falling_scene("", "0.5", 1000);
    scree_run_def def = scree_default_run_def(), longer = def;
    plain.end = longer.until = 1.4;
    uint64_t wanted = run_through(&def, &plain, in_folder("reference"));
    uint64_t content = content_of(in_folder("reference"));
    run_through(&def, &scene, in_folder("parts"));
    assert_true(resume_through(&longer, in_folder("parts")) == wanted);
    assert_true(content_of(in_folder("parts")) == content);
    remove_all(in_folder("parts"));
    remove_all(in_folder("reference"));
    scene_free(&plain);
    scene_free(&scene);
}

// What is never met: the run ends at its end and says so.
static void what_is_not_met_is_said(void** state)
{
    (void)state;
    scree_run_def def = scree_default_run_def();
    static const char* const untils[] = {", until: {kinetic_over_contact: 0.1}", ", until: {kinetic_over_contact: {above: 0.1}}", ", until: {momentum_z: 100, energy_kinetic: {above: 1e9}}"};
    for (size_t k = 0; k < 3; ++k) {  // no contact: the ratio has no value
        scree_scene scene = falling_scene(untils[k], "1", 1000);
        scree_run* run;
        scene.end = 1.0;
        CHECK_OK(scree_run_create(&def, &scene, in_folder("run"), &run));
        CHECK_OK(scree_run_go(run));
        assert_true(fabs(scree_run_get_end(run) - 1.0) < 1e-9);
        assert_non_null(strstr(scree_run_get_warning(run), "until"));
        scree_run_destroy(run);
        remove_all(in_folder("run"));
        scene_free(&scene);
    }
    scree_scene scene = falling_scene("", "1", 1000);
    scree_run* run;
    scene.end = 0.3;
    CHECK_OK(scree_run_create(&def, &scene, in_folder("run"), &run));
    CHECK_OK(scree_run_go(run));
    assert_non_null(strstr(scree_run_get_warning(run), "change 1"));
    scree_run_destroy(run);
    remove_all(in_folder("run"));
    scene_free(&scene);
}

static void wrong_conditions_are_refused(void** state)
{
    (void)state;
    static const struct {
        const char *text, *place, *name;
    } wrong[] = {{"until: {}", ":5:", "kinetic_over_contact"},
                 {"until: 5", ":5:", "kinetic_over_contact"},
                 {"until: {energy: low}", ":5:", "low"},
                 {"until: {energy: {below: 3}}", ":5:", "above"},
                 {"until: {energy: 3, every_steps: 0}", ":5:", "every_steps"},
                 {"until: {energy: .inf}", ":5:", "inf"},
                 {"until: {energy: 1, energy: {above: 0}}", ":5:", "twice"},
                 {"until: {energy: 1, every_steps: 7.5}", ":5:", "every_steps"},
                 {"until: {every_steps: 10}", ":5:", "kinetic_over_contact"}};
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; ++k) {
        char text[512];
        snprintf(text, sizeof text, "box: {size: [10, 10, 10]}\nspheres: {count: 1, sizes: mono:1, place: lattice}\ncontact: {stiffness: 10}\ntime:\n  {end: 1, %s}\n", wrong[k].text);
        scree_scene scene;
        CHECK_FAILS(scene_parse("c.yaml", text, strlen(text), &scene), SCREE_ERR_FORMAT, "c.yaml", wrong[k].place, wrong[k].name);
    }
    static const char* const names[] = {"energy_kinetik", "seconds", "rebuilds", "side_x"};
    for (size_t k = 0; k < sizeof names / sizeof *names; ++k) {
        char until[128];
        snprintf(until, sizeof until, ", until: {%s: 1}", names[k]);
        scree_scene scene = falling_scene(until, "1", 1000);
        scree_run_def def = scree_default_run_def();
        scree_run* run;
        CHECK_FAILS(scree_run_create(&def, &scene, in_folder("run"), &run), SCREE_ERR_ARGUMENT, "scene.yaml:5", names[k], "energy_kinetic");
        assert_int_equal(access(in_folder("run"), F_OK), -1);
        scene_free(&scene);
    }
}

// The upper wall goes down: where it is, and what it leaves of the box beside one sphere.
static void positions_and_volumes_are_those_of_the_walls(void** state)
{
    (void)state;
    static const char* const untils[] = {"position_upper_z: 1.95", "volume: 1.95, void_ratio: {above: 100}", "void_ratio: 465"};
    static const int64_t steps[] = {200, 200, 100};
    put_text(in_folder("one.csv"), "x,y,z,r\n0.5,0.5,0.5,0.1\n");
    for (size_t k = 0; k < 3; ++k) {  // the ratio is 2 / 0.0041888 - 1 = 476.46 at first, and 464.53 at step 100
        char text[512];
        scree_scene scene;
        snprintf(text, sizeof text, "box: {size: [1, 1, 2]}\nspheres: {file: one.csv}\ncontact: {stiffness: 1}\nwalls: {z: [0, -0.5]}\ntime: {step: 0.001, end: 1, until: {%s}}\n", untils[k]);
        CHECK_OK(scene_parse(in_folder("scene.yaml"), text, strlen(text), &scene));
        scree_run_def def = scree_default_run_def();
        scree_run* run;
        CHECK_OK(scree_run_create(&def, &scene, in_folder("run"), &run));
        CHECK_OK(scree_run_go(run));
        assert_int_equal(scree_run_get_steps(run), steps[k]);
        scree_run_destroy(run);
        remove_all(in_folder("run"));
        scene_free(&scene);
    }
}

// Each condition holds at once: a change comes at the first look after the one before it, and the end after all. A change that never comes does not set the length of steps.
static void one_look_for_each_change(void** state)
{
    (void)state;
    static const struct {
        const char *until, *changes;
        int64_t steps;
    } way[] = {{", until: {time: {above: -1}, every_steps: 10}", "[{when: {time: {above: -1}, every_steps: 10}, gravity: [0, 0, -1]}, {when: {time: {above: -1}, every_steps: 10}, gravity: [0, 0, -2]}]", 30},
               {"", "[{when: {step: {above: 1e9}}, time: {step: 0.002}}]", 1000}};
    put_text(in_folder("one.csv"), "x,y,z,r\n0.5,0.5,0.5,0.1\n");
    for (size_t k = 0; k < sizeof way / sizeof *way; ++k) {
        char text[512];
        scree_scene scene;
        snprintf(text, sizeof text, "box: {size: [1, 1, 2]}\nspheres: {file: one.csv}\ncontact: {stiffness: 1}\ntime: {step: 0.001, end: 1%s}\nchanges: %s\n", way[k].until, way[k].changes);
        CHECK_OK(scene_parse(in_folder("scene.yaml"), text, strlen(text), &scene));
        scree_run_def def = scree_default_run_def();
        scree_run* run;
        CHECK_OK(scree_run_create(&def, &scene, in_folder("run"), &run));
        CHECK_OK(scree_run_go(run));
        assert_int_equal(scree_run_get_steps(run), way[k].steps);
        scree_run_destroy(run);
        remove_all(in_folder("run"));
        scene_free(&scene);
    }
}

static const test_case cases[] = {
    UNIT(one_look_for_each_change),
    UNIT(positions_and_volumes_are_those_of_the_walls),
    UNIT(times_are_those_of_closed_forms),
    SAME_BITS(bits_do_not_depend_on_stops),
    UNIT(another_end_ignores_the_condition),
    UNIT(what_is_not_met_is_said),
    UNIT(wrong_conditions_are_refused),
};

const test_group group_run_conditions = {.name = "run_conditions", .cases = cases, .count = sizeof cases / sizeof *cases, .begin = make_folder, .end = remove_folder};
