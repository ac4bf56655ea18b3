// Cells that change in scenes and runs: what a scene may say, logs and frames, and runs that are interrupted or begin from another.
#include "run_support.h"

// A loose set is brought to a pressure; then it shears at a controlled stress.
static const char sheared[] = "box: {size: [6, 6, 6], periodic: [x, y, z]}\n"
                              "spheres: {count: 120, sizes: \"uniform-size:0.45:0.55\", place: random}\n"
                              "contact: {stiffness: 1000, restitution: 0.5, friction: 0.4}\n"
                              "cell: {stress: {pressure: 5, rate: 1}}\n"
                              "time: {step: 0.001, steps: 1200}\n"
                              "output: {every_steps: 300, log_every_steps: 60, contacts: true, formats: [vtp, xyz]}\n"
                              "checkpoint: {every: 130}\n"
                              "order_every: 100\n"
                              "changes:\n"
                              "- {at: 0.5, cell: {shear: 2, strain: {zz: -0.05}, stress: {xx: 5, yy: 5, rate: 0.5, response: 0.02}}}\n"
                              "- {at: 0.9, cell: {shear: 1, constant_volume: true, strain: {xx: 0.05}}}\n";

static scree_run* begin(const char* text, const char* name, int64_t steps)
{
    scree_scene scene = scene_of(text);
    scree_run_def def = scree_default_run_def();
    scree_run* run;
    scene.steps = steps > 0 ? steps : scene.steps;
    CHECK_OK(scree_run_create(&def, &scene, in_folder(name), &run));
    scene_free(&scene);
    CHECK_OK(scree_run_go(run));
    return run;
}

// In one go and in two parts, each part ended within a phase; once the process is killed.
static void a_run_with_a_cell_goes_on_as_if_never_stopped(void** state)
{
    (void)state;
    scree_run* run = begin(sheared, "whole", 0);
    uint64_t hash = scree_run_hash(run);
    scree_run_destroy(run);
    char* log = get_file(in_folder("whole/log.csv"), NULL);
    // The pressure rises to its target; the sheared cell shows its tilt; then the volume stays.
    double size[2][3], volume[2] = {1.0, 1.0};
    for (int k = 0; k < 3; ++k)
        for (int end = 0; end < 2; ++end) {
            static const char* const names[] = {"side_x", "side_y", "side_z"};
            size[end][k] = value_in(log, end == 0 ? 15 : 20, names[k]);
            volume[end] *= size[end][k];
        }
    CHECK_CLOSE(volume[0], volume[1], 1e-10 * volume[0]);
    CHECK_CLOSE(value_in(log, 20, "strain_xy"), 0.4 * 2.0 + 0.3 * 1.0, 0.03);
    assert_true(value_in(log, 8, "side_x") < 6.0 && value_in(log, 20, "tilt_xy") != 0.0);
    assert_true(fabs(value_in(log, 20, "tilt_xy")) <= 0.6 * size[1][0]);
    double most = fabs(value_in(log, 0, "balance"));
    for (int row = 0; row <= 20; ++row)
        most = fmax(most, fabs(value_in(log, row, "energy_kinetic")));
    CHECK_CLOSE(value_in(log, 20, "balance"), value_in(log, 0, "balance"), 0.05 * most);
    free(log);
    // Frames have the box of their time.
    scree_sphere_set set;
    CHECK_OK(scree_read_spheres(in_folder("whole/frames/frame_000003.vtp"), NULL, &set));
    scree_box box = set.box;
    assert_true(scree_box_is_tilted(&box));
    scree_sphere_set_free(&set);
    CHECK_OK(scree_read_spheres(in_folder("whole/frames/frame_000003.xyz"), NULL, &set));
    for (int k = 0; k < 3; ++k)
        CHECK_CLOSE(set.box.tilt[k], box.tilt[k], 0.0);
    scree_sphere_set_free(&set);
    static const int64_t stops[] = {901, 1000};
    for (int s = 0; s < 2; ++s) {
        scree_run_def def = scree_default_run_def();
        remove_all(in_folder("parts"));
        run = begin(sheared, "parts", stops[s]);
        scree_run_destroy(run);
        def.until_steps = 1200;
        CHECK_OK(scree_run_resume(&def, in_folder("parts"), &run));
        CHECK_OK(scree_run_go(run));
        assert_true(scree_run_hash(run) == hash);
        scree_run_destroy(run);
        check_same_file("frames/frame_000004.vtp", "whole", "parts");
    }
    remove_all(in_folder("parts"));
    scree_scene scene = scene_of(sheared);
    run_until_killed(&scene, "parts", 700);
    scene_free(&scene);
    scree_run_def def = scree_default_run_def();
    CHECK_OK(scree_run_resume(&def, in_folder("parts"), &run));
    CHECK_OK(scree_run_go(run));
    assert_true(scree_run_hash(run) == hash);
    scree_run_destroy(run);
}

// From the end of a run whose cell moves: the box, places and velocities are those of its end, and the new cell takes over from the old one.
static void a_run_begins_from_the_cell_of_another(void** state)
{
    (void)state;
    static const char first[] = "box: {size: [6, 6, 6], periodic: [x, y, z]}\n"
                                "spheres: {count: 60, sizes: \"mono:0.4\", place: random}\n"
                                "contact: {stiffness: 1000, restitution: 0.5, friction: 0.4}\n"
                                "cell: {shear: 1, strain: {zz: -0.1}}\n"
                                "time: {step: 0.001, steps: 500}\n"
                                "output: {formats: [xyz]}\n"
                                "order_every: 100\n";
    scree_run* run = begin(first, "first", 0);
    scree_sim_cell_report then, now;
    scree_sim_report before, after;
    CHECK_OK(scree_sim_get_cell(scree_run_get_sim(run), &then));
    CHECK_OK(scree_run_measure(run, &before));
    scree_run_destroy(run);
    char text[512];
    // The same cell goes on: the same energy; one that stops: the kinetic energy relative to it stays.
    for (int stop = 0; stop < 2; ++stop) {
        snprintf(text, sizeof text, "start: {run: %s}\ncell: {%s}\ntime: {step: 0.001, steps: 100}\noutput: {formats: [xyz]}\norder_every: 100\n", in_folder("first"),
                 stop ? "shear: 0" : "shear: 1, strain: {zz: -0.1052631578947368}");
        scree_scene scene = scene_of(text);
        scree_run_def def = scree_default_run_def();
        CHECK_OK(scree_run_create(&def, &scene, in_folder(stop ? "stops" : "goes"), &run));
        scene_free(&scene);
        CHECK_OK(scree_run_measure(run, &after));
        CHECK_OK(scree_sim_get_cell(scree_run_get_sim(run), &now));
        for (int k = 0; k < 3; ++k) {
            CHECK_CLOSE(now.side[k], then.side[k], 1e-14);
            CHECK_CLOSE(now.tilt[k], then.tilt[k], 1e-14);
            CHECK_CLOSE(after.kinetic_stress[k][k], before.kinetic_stress[k][k], 1e-10);
        }
        if (!stop)
            CHECK_CLOSE(after.energy_kinetic, before.energy_kinetic, 1e-10);
        CHECK_OK(scree_run_go(run));
        scree_run_destroy(run);
    }
    snprintf(text, sizeof text, "start: {run: %s}\ntime: {step: 0.001, steps: 100}\n", in_folder("first"));
    scree_scene scene = scene_of(text);
    scree_run_def def = scree_default_run_def();
    CHECK_FAILS(scree_run_create(&def, &scene, NULL, &run), SCREE_ERR_ARGUMENT, "start.run", "cell");
    scene_free(&scene);
}

static void scenes_with_wrong_cells_are_refused(void** state)
{
    (void)state;
    static const struct {
        const char *cell, *part, *more;
        bool later;  // the scene is one, and the run is not
    } wrong[] = {{"cell: {}", "cell", "shear", false},
                 {"cell: {shear: 1, strain: {xy: 1}}", "cell.shear", "cell.strain.xy", false},
                 {"cell: {stress: {pressure: 1}}", "cell.stress.rate", ":5:", false},
                 {"cell: {stress: {pressure: 1, xx: 1, rate: 1}}", "cell.stress.pressure", "cell.stress.xx", false},
                 {"cell: {strain: {xw: 1}}", "xw", ":5:", false},
                 {"cell: {stress: {pressure: 1, rate: 0}}", "cell.stress.rate", "0", false},
                 {"changes: [{at: 0.001, cell: {}}]", "changes.cell", "shear", false},
                 {"box: {size: [4, 4, 4], tilt: {xy: 1}}", "box", ":5:", false},
                 {"cell: {strain: {zz: 1}}", "axis z", "1", true},
                 {"cell: {stress: {pressure: 1, rate: 1}}", "along z", ":5:7", true},
                 {"changes: [{at: 0.001, cell: {strain: {zz: 1}}}]", "axis z", ":5:", true},
                 {"cell: {shear: 1}\nsearch: {method: octree}", "octree", "xy", true}};
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; ++k) {
        char text[1024];
        scree_scene scene;
        snprintf(text, sizeof text, "contact: {stiffness: 200}\nspheres: {count: 4, sizes: \"mono:0.5\", place: lattice}\ntime: {steps: 3}\n\n%s\n%s\n", wrong[k].cell,
                 strncmp(wrong[k].cell, "box", 3) == 0 ? "" : "box: {size: [4, 4, 4], periodic: [x, y]}");
        scree_status status = scene_parse("wrong.yaml", text, strlen(text), &scene);
        if (wrong[k].later) {
            scree_run_def def = scree_default_run_def();
            scree_run* run;
            CHECK_OK(status);
            status = scree_run_create(&def, &scene, NULL, &run);
            scene_free(&scene);
        }
        if (status == SCREE_OK || !message_names(wrong[k].part) || strstr(scree_error_message(), wrong[k].more) == NULL)
            fail_msg("%s: status %d, \"%s\"", wrong[k].cell, (int)status, scree_error_message());
    }
}

static const test_case cases[] = {
    SAME_BITS(a_run_with_a_cell_goes_on_as_if_never_stopped),
    UNIT(a_run_begins_from_the_cell_of_another),
    UNIT(scenes_with_wrong_cells_are_refused),
};

const test_group group_run_cell = {.name = "run_cell", .cases = cases, .count = sizeof cases / sizeof *cases, .begin = make_folder, .end = remove_folder, .before_each = start_clean};
