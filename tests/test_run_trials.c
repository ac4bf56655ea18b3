// Trials and estimates of runs, errors with their place in the scene, and one camera for all pictures.
#include "run_folder_support.h"

// ---- Scenes whose spheres grow ------------------------------------------------------------------------------------------------

// What shows only when the scene is used is reported at its line.
static void test_places_in_the_scene(void** state)
{
    (void)state;
    static const char contact[] = "contact: {stiffness: 1e3, restitution: 0.9}\n", box[] = "box: {size: [1, 1, 2]}\n",
                      made[] = "spheres: {count: 10, sizes: mono:0.1, place: lattice}\n";
    put_text(in_folder("big.csv"), "x,y,z,r\n0.5,0.5,1,0.6\n");
    put_text(in_folder("far.csv"), "x,y,z,r\n0.5,7,1,0.1\n");
    const struct {
        const char *box, *spheres, *rest;
        scree_status status;
        const char* wanted;
    } cases_here[] = {
        {box, "spheres: {file: none.csv}\n", "time: {steps: 1}\n", SCREE_ERR_IO, "scene.yaml:3:17 | spheres.file | none.csv"},
        {box, "spheres: {count: 1, sizes: table:none.csv, place: random}\n", "time: {steps: 1}\n", SCREE_ERR_IO,
         "scene.yaml:3:28 | spheres.sizes | none.csv"},
        {box, "spheres: {count: 1, sizes: mono:0.6, place: random}\n", "time: {steps: 1}\n", SCREE_ERR_ARGUMENT, "scene.yaml:3:45 | 1.2 | 1"},
        {box, "spheres: {count: 1, sizes: mono:0.6, place: lattice}\n", "time: {steps: 1}\n", SCREE_ERR_ARGUMENT, "scene.yaml:3:45 | 1.2 | 1"},
        {box, "spheres: {count: 9, sizes: mono:0.6, place: grow}\n", "time: {steps: 1}\n", SCREE_ERR_ARGUMENT, "scene.yaml:3:45 | spheres.place"},
        {box, "spheres: {file: big.csv}\n", "time: {steps: 1}\n", SCREE_ERR_ARGUMENT, "scene.yaml:3:10 | sphere 0 | 0.6"},
        {"box: {size: [1, 1, 2], periodic: [x]}\n", "spheres: {file: big.csv}\n", "time: {steps: 1}\n", SCREE_ERR_ARGUMENT,
         "scene.yaml:3:10 | sphere 0 | 1.2"},
        {box, "spheres: {file: far.csv}\n", "time: {steps: 1}\n", SCREE_ERR_ARGUMENT, "scene.yaml:3:10 | sphere 0 | 7"},
        {box, made, "time: {steps: 1, step: 9}\n", SCREE_ERR_ARGUMENT, "scene.yaml:4:24 | time.step | 9"},
        {box, made, "time: {end: 1e300}\n", SCREE_ERR_ARGUMENT, "scene.yaml:4:13 | time.end | 1e+300 | 1000000000000000"},
        {box, made, "time: {end: 1e16, step: 1e-4}\n", SCREE_ERR_ARGUMENT, "scene.yaml:4:13 | time.end | 1e+16 | 1e+20 | 1000000000000000"},
        {box, made, "time: {steps: 10, step: 1e-4}\nchanges:\n- {at: 1e-3, gravity: [0, 0, 1]}\n- {at: 1.1e-3, gravity: [0, 0, 1]}\n", SCREE_ERR_ARGUMENT,
         "scene.yaml:7:8 | changes.at | 0.0011 | 0.001 | 10"},
    };
    for (size_t n = 0; n < sizeof cases_here / sizeof *cases_here; ++n) {
        char text[1024];
        scree_scene scene;
        scree_run* run;
        scree_run_def def = scree_default_run_def();
        snprintf(text, sizeof text, "%s%s%s%s", contact, cases_here[n].box, cases_here[n].spheres, cases_here[n].rest);
        put_text(in_folder("scene.yaml"), text);
        CHECK_OK(scene_read(in_folder("scene.yaml"), &scene));
        CHECK_FAILS(scree_run_create(&def, &scene, NULL, &run), cases_here[n].status, cases_here[n].wanted);
        CHECK_FAILS(scree_run_create(&def, &scene, in_folder("never"), &run), cases_here[n].status, cases_here[n].wanted);
        assert_false(is_there(in_folder("never")));
        scene_free(&scene);
    }
}

// A trial of spheres that are to grow is at random instead, however few they are in their box.
static void test_sparse_trials(void** state)
{
    (void)state;
    scree_run_def def = scree_default_run_def();
    for (int n = 0; n < 6; ++n) {
        char text[512];
        scree_run* run;
        snprintf(text, sizeof text, "dimension: %d\nbox: {size: [%s], periodic: [%s]}\nspheres: {count: %d, sizes: mono:1, place: grow}\n"
                                    "contact: {stiffness: 1}\ntime: {steps: 10}\n",
                 2 + n % 2, n % 2 == 0 ? "900, 900" : "90, 90, 90", n < 3 ? "x" : "", (int[]){1, 2, 30}[n % 3]);
        scree_scene scene = scene_of(text);
        CHECK_OK(scree_run_create(&def, &scene, NULL, &run));
        scree_run_destroy(run);
        scene_free(&scene);
    }
}

static void test_estimate(void** state)
{
    (void)state;
    scree_run_def def = scree_default_run_def();
    def.draw = scree_draw_frame;
    scree_run_costs costs;
    scree_run* run;
    for (int bodies = 0; bodies < 2; ++bodies)
        for (int pictures = 0; pictures < 2; ++pictures) {
            char text[1024];
            snprintf(text, sizeof text, "dimension: 2\nbox: {size: [1, 1]}\ncontact: {stiffness: 2e3}\ntime: {step: 1e-4, steps: 90}\n%s"
                                        "output: {every_steps: 20, contacts: true, pictures: %s}\ncheckpoint: {every: 10}\n",
                     bodies == 1 ? "bodies: [{shape: star, sizes: mono:0.1, at: [[0.3, 0.3], [0.7, 0.7]]}]\n"
                                 : "spheres: {count: 60, sizes: uniform-size:0.02:0.06, place: random}\n",
                     pictures == 1 ? "true" : "false");
            scree_scene scene = scene_of(text);
            CHECK_OK(scree_run_create(&def, &scene, NULL, &run));
            CHECK_OK(scree_run_estimate(run, &costs));
            assert_int_equal(costs.frames, 6);
            assert_true(costs.seconds_steps > 0.0 && costs.seconds_frames > 0.0 && costs.seconds_other > 0.0);
            assert_true((costs.seconds_pictures > 0.0) == (pictures == 1));
            CHECK_CLOSE(costs.seconds_estimated / (costs.seconds_steps + costs.seconds_frames + costs.seconds_pictures + costs.seconds_other), 1.0, 1e-12);
            scree_run_destroy(run);
            if (pictures == 0) {
                CHECK_OK(scree_run_create(&def, &scene, in_folder("run"), &run));
                CHECK_FAILS(scree_run_estimate(run, &costs), SCREE_ERR_ARGUMENT, "run");
                CHECK_OK(scree_run_go(run));
                assert_int_equal(run->frames, 6);
                scree_run_destroy(run);
                remove_all(in_folder("run"));
            }
            scene_free(&scene);
        }
}

// Where spheres may be removed, rows are found by ids; not in a trial, whose set stays as it is.
static void test_estimate_with_ids(void** state)
{
    (void)state;
    scree_scene scene = scene_of("dimension: 2\nbox: {size: [1, 1]}\nspheres: {count: 100, sizes: 'mono:0.05', place: lattice, velocity: thermal, temperature: 1e-4}\n"
                                 "contact: {stiffness: 2e3}\nwalls: {on_crossing: remove}\ntime: {step: 1e-4, steps: 90}\n");
    scree_run_def def = scree_default_run_def();
    scree_run_costs costs;
    scree_run* run;
    CHECK_OK(scree_run_create(&def, &scene, NULL, &run));
    scene_free(&scene);  // the trial has a copy
    assert_true(scree_run_get_scene(run)->groups[0].count == 100 && scree_run_get_scene(run)->walls_on_crossing == 1);
    CHECK_OK(scree_run_estimate(run, &costs));
    CHECK_OK(run_frame_fill(run));
    scree_sim_contacts contacts;
    CHECK_OK(scree_sim_get_contacts(run->sim, &contacts));
    int64_t ends = 0, reported = 0;
    for (int64_t c = 0; c < contacts.count; ++c)
        ends += contacts.ij[c][1] >= 0 ? 2 : 1;
    for (int32_t i = 0; i < run->set.count; ++i)
        reported += run->contacts->integers[i];
    assert_true(ends > 50);
    assert_int_equal(reported, ends);
    scree_run_destroy(run);
}

// One camera for all pictures of a run: as far as walls get, a radius more than periodic axes; the same when it goes on.
static void test_one_camera(void** state)
{
    (void)state;
    static const char text[] = "dimension: 2\nbox: {size: [1, 2], periodic: [y]}\nspheres: {count: 3, sizes: mono:0.1, place: lattice, velocity: [3, 2]}\n"
                               "contact: {stiffness: 100}\ntime: {step: 1e-3, steps: 30}\ncheckpoint: {every: 10}\n"
                               "output: {every_steps: 15, pictures: true}\nwalls: {x: [0, 5]}\n"
                               "changes: [{at: 0.01, walls: {x: [-2, -6]}}, {at: 0.02, walls: {x: [3, 0]}}]\n";
    scree_run_def def = scree_default_run_def();
    def.draw = scree_draw_frame;
    scree_scene scene = scene_of(text);
    scree_run* run;
    // Nothing is written by a caller who cannot draw.
    scree_run_def blind = scree_default_run_def();
    CHECK_FAILS(scree_run_create(&blind, &scene, in_folder("whole"), &run), SCREE_ERR_UNSUPPORTED, "output.pictures", "scree_draw_frame");
    assert_int_equal(access(in_folder("whole"), F_OK), -1);
    run_through(&def, &scene, in_folder("whole"));
    CHECK_OK(scree_run_create(&def, &scene, in_folder("parts"), &run));
    const double wanted[2][2] = {{-0.02, 1.05}, {-0.1, 2.1}};
    for (int round = 0; round < 2; ++round) {
        for (int face = 0; face < 4; ++face)
            CHECK_CLOSE(run->view[face / 2][face % 2], wanted[face / 2][face % 2], 1e-12);
        if (round == 0) {
            CHECK_OK(run_sim_go(run, 7));  // before the first change
            CHECK_OK(run_keep(run));
            scree_run_destroy(run);
            CHECK_OK(scree_run_resume(&def, in_folder("parts"), &run));
        }
    }
    CHECK_OK(scree_run_go(run));
    scree_run_destroy(run);
    assert_int_equal(count_in(in_folder("whole/pictures"), "picture_"), 3);
    assert_true(content_of(in_folder("whole")) == content_of(in_folder("parts")));
    scene_free(&scene);
    // Where there are no walls: what is there at the start.
    put_text(in_folder("open.data"), "# scree dim=2 box=oo columns=\n\n2 atoms\n1 atom types\n\n-9 9 xlo xhi\n-9 9 ylo yhi\n-0.5 0.5 zlo zhi\n\nAtoms # sphere\n\n"
                                   "1 1 0.5 1 1 2 0\n2 1 1 1 4 5 0\n");
    put_text(in_folder("open.yaml"), "dimension: 2\nspheres: {file: open.data, velocity: [1, 0]}\ncontact: {stiffness: 1}\ntime: {step: 0.01, steps: 1}\n");
    CHECK_OK(scene_read(in_folder("open.yaml"), &scene));
    CHECK_OK(scree_run_create(&def, &scene, NULL, &run));
    assert_true(run->view[0][0] == 0.75 && run->view[0][1] == 4.5 && run->view[1][0] == 1.75 && run->view[1][1] == 5.5);
    scree_run_destroy(run);
    scene_free(&scene);
}

static const test_case cases[] = {
    UNIT(test_one_camera),
    UNIT(test_sparse_trials),
    UNIT(test_estimate),
    UNIT(test_estimate_with_ids),
    UNIT(test_places_in_the_scene),
};

const test_group group_run_trials = {.name = "run_trials", .cases = cases, .count = sizeof cases / sizeof *cases, .begin = make_folder, .end = remove_folder, .before_each = start_clean};
