// Runs, as the library's user sees them: when frames come, going on at any step, and what is left when memory or the disk fails.
#include "run_folder_support.h"

// ---- Scenes and folders ----------------------------------------------------------------------------------------------------

// 60 discs for 90 steps: order renewed at 30 and 60, gravity and a wall changed at 20 and 45, frames every 15 steps, so that all of them
// meet checkpoints somewhere.
static const char short_scene[] = "dimension: 2\n"
                                  "box: {size: [1, 1]}\n"
                                  "gravity: [0, -9.81]\n"
                                  "gravity_turn: 30\n"
                                  "spheres: {count: 60, sizes: uniform-size:0.02:0.06, place: random, velocity: thermal, overlap: 0.05}\n"
                                  "contact: {stiffness: 2e3, restitution: 0.6}\n"
                                  "time: {step: 1e-4, steps: 90}\n"
                                  "order_every: 30\n"
                                  "output: {every_steps: 15, formats: [vtp, csv], contacts: true, log_every_steps: %d}\n"
                                  "checkpoint: {every: %d}\n"
                                  "changes:\n"
                                  "- {at: 0.002, gravity: [5, 0]}\n"
                                  "- {at: 0.0045, walls: {x: [0, -3]}, gravity_turn: 0}\n";

static scree_scene short_scene_of(int every, int log_every)
{
    char text[2048];
    snprintf(text, sizeof text, short_scene, log_every, every);
    return scene_of(text);
}

// ---- When frames come ----------------------------------------------------------------------------------------------------------

static void check_schedule(const char* time, const char* output, int count, const int* steps)
{
    char text[1024], name[64];
    snprintf(text, sizeof text,
             "dimension: 2\nbox: {size: [1, 1]}\nspheres: {count: 3, sizes: mono:0.1, place: lattice, velocity: [1, 0.5]}\n"
             "contact: {stiffness: 100}\ntime: {%s}\noutput: {%s}\n",
             time, output);
    scree_scene scene = scene_of(text);
    scree_run_def def = scree_default_run_def();
    const char* path = in_folder("schedule");
    run_through(&def, &scene, path);
    snprintf(name, sizeof name, "schedule/frames");
    if (count_in(in_folder(name), "frame_") != count)
        fail_msg("{%s} {%s}: %d frames, wanted %d", time, output, count_in(in_folder(name), "frame_"), count);
    // The log has a row at each frame: its steps are theirs.
    char* log = get_file(in_folder("schedule/log.csv"), NULL);
    const char* line = strchr(log, '\n') + 1;
    for (int k = 0; k < count; ++k) {
        if (atoi(line) != steps[k])
            fail_msg("{%s} {%s}: frame %d is of step %d, wanted %d", time, output, k, atoi(line), steps[k]);
        line = strchr(line, '\n') + 1;
    }
    assert_int_equal(*line, '\0');
    free(log);
    scene_free(&scene);
    remove_all(path);
}

static void test_schedule(void** state)
{
    (void)state;
    check_schedule("step: 1e-3, steps: 7", "formats: [csv]", 2, (int[]){0, 7});
    check_schedule("step: 1e-3, steps: 0", "formats: [csv]", 1, (int[]){0});
    check_schedule("step: 1e-3, steps: 0", "every: 1e-3, formats: [csv]", 1, (int[]){0});
    check_schedule("step: 1e-3, steps: 0", "every_steps: 1, formats: [csv]", 1, (int[]){0});
    check_schedule("step: 1e-3, steps: 7", "every_steps: 3, formats: [csv]", 4, (int[]){0, 3, 6, 7});
    check_schedule("step: 1e-3, steps: 6", "every_steps: 3, formats: [csv]", 3, (int[]){0, 3, 6});
    check_schedule("step: 1e-3, steps: 3", "every_steps: 9, formats: [csv]", 2, (int[]){0, 3});
    check_schedule("step: 1e-3, end: 7e-3", "every: 3e-3, formats: [csv]", 4, (int[]){0, 3, 6, 7});
    check_schedule("step: 1e-3, end: 7e-3", "every: 2.5e-3, formats: [csv]", 4, (int[]){0, 3, 5, 7});
    check_schedule("step: 1e-3, end: 6.5e-3", "every: 3.5e-3, formats: [csv]", 3, (int[]){0, 4, 7});
    check_schedule("step: 1e-3, end: 4e-3", "every: 1e-3, formats: [csv]", 5, (int[]){0, 1, 2, 3, 4});
    check_schedule("step: 1e-3, end: 4e-3", "every: 3e-4, formats: [csv]", 5, (int[]){0, 1, 2, 3, 4});
    check_schedule("step: 1e-3, end: 4e-3", "every: 1.0000000001e-3, formats: [csv]", 5, (int[]){0, 1, 2, 3, 4});
    check_schedule("step: 1e-3, end: 4e-3", "every: 9, formats: [csv]", 2, (int[]){0, 4});
    check_schedule("step: 1e-3, end: 1e-5", "every: 9, formats: [csv]", 2, (int[]){0, 1});
    // A tenth is no tenth in binary, and still the step is the one that is meant.
    check_schedule("step: 0.1e-2, end: 1e-2", "every: 0.3e-2, formats: [csv]", 5, (int[]){0, 3, 6, 9, 10});
}

// ---- Going on --------------------------------------------------------------------------------------------------------------------

// At every step, so also at those of changes (20, 45), renewals of the order (30, 60), frames (15, 30, ...), and beside them.
static void check_stops(const scree_scene* scene, int first, int by)
{
    stopper s = {0};
    scree_run_def plain = scree_default_run_def(), def = plain;
    uint64_t wanted = run_through(&plain, scene, in_folder("reference")), content = content_of(in_folder("reference"));
    def.tell = stop_when;
    def.context = &s;
    for (int step = first; step <= 90; step += by) {
        scree_run* run;
        s.run = NULL;
        CHECK_OK(scree_run_create(&def, scene, in_folder("parts"), &run));
        go_until(run, &s, step);
        scree_run_destroy(run);
        plain.threads = 1 + step % 3;
        plain.method = step % 9 - 1;
        uint64_t hash = resume_through(&plain, in_folder("parts"));
        if (hash != wanted)
            fail_msg("stopped at step %d: hash %016" PRIx64 ", wanted %016" PRIx64, step, hash, wanted);
        if (content_of(in_folder("parts")) != content)
            fail_msg("stopped at step %d: the files are not the same", step);
        remove_all(in_folder("parts"));
    }
}

static void test_stop_at_every_step(void** state)
{
    (void)state;
    scree_scene scene = short_scene_of(1000, 1);
    check_stops(&scene, 1, 1);
    assert_int_equal(count_in(in_folder("reference"), "checkpoint_"), 2);
    assert_int_equal(count_in(in_folder("reference/frames"), "frame_"), 14);
    assert_int_equal(count_in(in_folder("reference/contacts"), "contacts_"), 14);
    scene_free(&scene);
}

// In 3D, periodic: spheres leave through faces and are wrapped when the order is renewed.
static void test_stop_in_3d(void** state)
{
    (void)state;
    scree_scene scene = scene_of("box: {size: [1, 1, 1], periodic: [x, y]}\n"
                                 "gravity: [0, 3, -9.81]\n"
                                 "spheres: {count: 80, sizes: uniform-volume:0.03:0.15, place: random, material_density: 100, velocity: [30, -20, 0]}\n"
                                 "contact: {stiffness: 100, restitution: 0.8}\n"
                                 "time: {step: 1e-3, steps: 90}\n"
                                 "order_every: 20\n"
                                 "walls: {z: [0, -1]}\n"
                                 "output: {every_steps: 15, formats: [xyz, lammps, npy], contacts: true, log_every_steps: 1}\n"
                                 "checkpoint: {every: 1000}\n");
    check_stops(&scene, 2, 3);
    scene_free(&scene);
}

// A callback at fixed steps sets gravity. A run that is stopped there, or that fails there, is resumed to the same bits.
typedef struct looker {
    int64_t steps[64], stop, fail;
    int count;
} looker;

static scree_status look_on(void* context, scree_run* run)
{
    looker* l = context;
    scree_sim* sim = scree_run_get_sim(run);
    const int64_t step = scree_sim_get_step(sim);
    l->steps[l->count++] = step;
    if (step == l->fail)
        return SCREE_ERR_ARGUMENT;
    CHECK_OK(scree_sim_set_gravity(sim, (double[3]){0.1 * (double)(step % 3), -9.0, 0.0}, (double[3]){0.0}));
    return step == l->stop ? SCREE_ERR_CANCELLED : SCREE_OK;
}

static void test_looks(void** state)
{
    (void)state;
    scree_scene scene = short_scene_of(20, 1);
    looker l = {.stop = -1, .fail = -1}, stopped = {.stop = 42, .fail = -1}, failed = {.stop = -1, .fail = 63};
    scree_run_def def = scree_default_run_def(), plain = def;
    def.look = look_on;
    def.look_steps = 7;
    def.context = &l;
    uint64_t unsteered = run_through(&plain, &scene, in_folder("plain"));
    uint64_t wanted = run_through(&def, &scene, in_folder("reference")), content = content_of(in_folder("reference"));
    assert_int_equal(l.count, 12);
    for (int k = 0; k < 12; ++k)
        assert_int_equal(l.steps[k], 7 * (k + 1));
    assert_true(wanted != unsteered);
    looker* const two[] = {&stopped, &failed};
    for (int which = 0; which < 2; ++which) {
        scree_run* run;
        def.context = two[which];
        CHECK_OK(scree_run_create(&def, &scene, in_folder("parts"), &run));
        assert_int_equal(scree_run_go(run), which == 0 ? SCREE_ERR_CANCELLED : SCREE_ERR_ARGUMENT);
        assert_int_equal(scree_sim_get_step(scree_run_get_sim(run)), which == 0 ? 42 : 63);
        scree_run_facts facts;
        CHECK_OK(scree_run_get_facts(run, &facts));
        assert_int_equal(facts.checkpoints[0], which == 0 ? 42 : 60);
        scree_run_destroy(run);
        *two[which] = (looker){.stop = -1, .fail = -1};
        assert_true(resume_through(&def, in_folder("parts")) == wanted);
        assert_int_equal(two[which]->steps[0], which == 0 ? 49 : 63);
        assert_true(content_of(in_folder("parts")) == content);
        remove_all(in_folder("parts"));
    }
    // By time: steps are 1e-4 long.
    l.count = 0;
    def.context = &l;
    def.look_steps = 0;
    def.look_every = 0.002;
    (void)run_through(&def, &scene, in_folder("parts"));
    assert_int_equal(l.count, 4);
    for (int k = 0; k < 4; ++k)
        assert_int_equal(l.steps[k], 20 * (k + 1));
    remove_all(in_folder("parts"));
    for (int wrong = 0; wrong < 4; ++wrong) {
        scree_run_def bad = def;
        bad.look_steps = wrong == 0 ? 5 : wrong == 1 ? -1 : 0;
        bad.look_every = wrong == 2 ? (double)NAN : wrong == 1 ? 0.0 : def.look_every;
        bad.look = wrong == 3 ? NULL : look_on;
        scree_run* run;
        assert_int_equal(scree_run_create(&bad, &scene, in_folder("parts"), &run), SCREE_ERR_ARGUMENT);
    }
    scene_free(&scene);
}

static void test_many_parts(void** state)
{
    (void)state;
    scree_scene scene = short_scene_of(1000, 1);
    stopper s = {0};
    scree_run_def def = scree_default_run_def();
    uint64_t wanted = run_through(&def, &scene, in_folder("reference")), content = content_of(in_folder("reference"));
    def.tell = stop_when;
    def.context = &s;
    for (int by = 1; by <= 10; by += 3) {
        scree_run* run;
        s.run = NULL;
        CHECK_OK(scree_run_create(&def, &scene, in_folder("parts"), &run));
        for (int step = by; step < 90; step += by) {
            go_until(run, &s, step);
            if (step % 2 == 0)
                continue;  // the same run goes on
            scree_run_destroy(run);
            s.run = NULL;
            CHECK_OK(scree_run_resume(&def, in_folder("parts"), &run));
            assert_int_equal(scree_sim_get_step(scree_run_get_sim(run)), step);
            assert_string_equal(scree_run_get_note(run), "");
        }
        go_until(run, &s, 90);
        assert_true(scree_sim_hash(scree_run_get_sim(run)) == wanted);
        scree_run_destroy(run);
        assert_true(content_of(in_folder("parts")) == content);
        assert_int_equal(count_in(in_folder("parts"), "checkpoint_"), 2);
        remove_all(in_folder("parts"));
    }
    scene_free(&scene);
}

// However often checkpoints come.
static void test_checkpoints(void** state)
{
    (void)state;
    scree_run_def def = scree_default_run_def();
    scree_scene scene = short_scene_of(1000, 7);
    uint64_t wanted = run_through(&def, &scene, in_folder("reference"));
    scene_free(&scene);
    static const int steps[] = {1, 15, 29, 30, 45, 60, 90};
    for (size_t k = 0; k < sizeof steps / sizeof *steps; ++k) {
        scree_scene often = short_scene_of(steps[k], 7);
        assert_true(run_through(&def, &often, in_folder("often")) == wanted);
        assert_int_equal(count_in(in_folder("often"), "checkpoint_"), 2);
        scree_run* run;
        CHECK_OK(scree_run_resume(&def, in_folder("often"), &run));  // finished: there is nothing to do
        scree_sim_report report;
        CHECK_OK(scree_run_measure(run, &report));
        CHECK_OK(scree_run_go(run));
        assert_int_equal(report.step, 90);
        scree_run_destroy(run);
        remove_all(in_folder("often"));
        scene_free(&often);
    }
    // By the clock, at steps that nobody chose.
    scree_scene often = short_scene_of(1000, 1);
    often.checkpoint_steps = 0;
    often.checkpoint_seconds = 1e-9;
    stopper s = {0};
    scree_run* run;
    def.tell = stop_when;
    def.context = &s;
    CHECK_OK(scree_run_create(&def, &often, in_folder("clock"), &run));
    go_until(run, &s, 90);
    assert_int_equal(run->kept[1], 89);
    assert_true(scree_sim_hash(scree_run_get_sim(run)) == wanted);
    scree_run_destroy(run);
    scene_free(&often);
}

// The older one, if the newer is harmed; its name is reported.
static void test_harmed_checkpoints(void** state)
{
    (void)state;
    scree_run_def def = scree_default_run_def();
    scree_scene scene = short_scene_of(40, 7);
    uint64_t wanted = run_through(&def, &scene, in_folder("run")), content = content_of(in_folder("run"));
    scree_run* run;
    put_text(in_folder("run/checkpoint_000000000090.npz"), "no checkpoint");
    CHECK_OK(scree_run_resume(&def, in_folder("run"), &run));
    assert_int_equal(scree_sim_get_step(scree_run_get_sim(run)), 80);
    assert_non_null(strstr(scree_run_get_note(run), "checkpoint_000000000090.npz"));
    assert_non_null(strstr(scree_run_get_note(run), "of step 80"));
    scree_run* second;
    CHECK_FAILS(scree_run_resume(&def, in_folder("run"), &second), SCREE_ERR_ARGUMENT);
    assert_null(second);
    CHECK_OK(scree_run_go(run));
    scree_run_destroy(run);
    assert_true(resume_through(&def, in_folder("run")) == wanted);
    assert_true(content_of(in_folder("run")) == content);

    // Names that only look like checkpoints are not.
    put_text(in_folder("run/checkpoint_99999.npz"), "not ours");
    put_text(in_folder("run/checkpoint_000000009999.npz.old"), "not ours");
    assert_true(resume_through(&def, in_folder("run")) == wanted);
    put_text(in_folder("run/checkpoint_000000000090.npz"), "");
    put_text(in_folder("run/checkpoint_000000000080.npz"), "");
    CHECK_FAILS(scree_run_resume(&def, in_folder("run"), &run), SCREE_ERR_FORMAT);

    // Of another version: rejected, however whole it is.
    scree_run_def again = def;
    again.force = true;
    assert_true(run_through(&again, &scene, in_folder("run")) == wanted);
    size_t size;
    char* bytes = get_file(in_folder("run/checkpoint_000000000090.npz"), &size);
    int found = 0;
    for (size_t k = 0; k + strlen(scree_version()) < size - seal_size; ++k)
        if (memcmp(bytes + k, scree_version(), strlen(scree_version())) == 0) {
            memcpy(bytes + k, "9.8.7654321", strlen(scree_version()));
            ++found;
        }
    assert_true(found > 0 && strlen(scree_version()) <= 11);
    reseal(bytes, size);
    put_file(in_folder("run/checkpoint_000000000090.npz"), bytes, size);
    free(bytes);
    CHECK_FAILS(scree_run_resume(&def, in_folder("run"), &run), SCREE_ERR_ARGUMENT, "9.8.7");
    // Of another scene.
    bytes = get_file(in_folder("run/scene.yaml"), &size);
    memcpy(strstr(bytes, "count: 60"), "count: 61", 9);
    put_file(in_folder("run/scene.yaml"), bytes, size);
    free(bytes);
    assert_int_equal(unlink(in_folder("run/checkpoint_000000000090.npz")), 0);
    CHECK_FAILS(scree_run_resume(&def, in_folder("run"), &run), SCREE_ERR_ARGUMENT, "'  count: 61'", "'  count: 60'");

    // Of scree 0.1: named as such, and replaced by a new run.
    char* old = get_file(TEST_DATA "/checkpoint/version_1.h5", &size);
    put_file(in_folder("run/checkpoint_000000000080.h5"), old, size);
    free(old);
    assert_int_equal(unlink(in_folder("run/checkpoint_000000000080.npz")), 0);
    CHECK_FAILS(scree_run_resume(&def, in_folder("run"), &run), SCREE_ERR_FORMAT, "run/checkpoint_000000000080.h5", "HDF5", "scree 0.1");
    CHECK_FAILS(scree_run_create(&def, &scene, in_folder("run"), &run), SCREE_ERR_ARGUMENT, "run");
    assert_true(run_through(&again, &scene, in_folder("run")) == wanted);
    assert_false(is_there(in_folder("run/checkpoint_000000000080.h5")));

    // A checkpoint of other numbers is reported as such.
    assert_true(is_there(in_folder("run/checkpoint_99999.npz")));
    scree_checkpoint saved;
    CHECK_OK(scree_read_checkpoint(in_folder("run/checkpoint_000000000090.npz"), &saved));
    saved.number_count = 1;
    CHECK_OK(scree_write_checkpoint(in_folder("run/checkpoint_000000000090.npz"), &saved));
    CHECK_FAILS(scree_run_resume(&def, in_folder("run"), &run), SCREE_ERR_FORMAT);
    scree_checkpoint_free(&saved);
    scene_free(&scene);
}

// No link in the folder of a run is followed: what it leads to stays as it was, and the message names it.
static void test_links(void** state)
{
    (void)state;
    scree_run* run;
    scree_run_def def = scree_default_run_def();
    scree_scene scene = short_scene_of(30, 30);
    run_through(&def, &scene, in_folder("run"));
    static const char* const names[] = {"log.csv", "scene.yaml", "frames.pvd", "frames", "checkpoint_000000000090.npz"};
    put_text(in_folder("outside"), OLD);
    assert_int_equal(mkdir(in_folder("elsewhere"), 0700), 0);
    put_text(in_folder("elsewhere/frame_000000.vtp"), OLD);
    for (size_t k = 0; k < sizeof names / sizeof *names; ++k) {
        char path[64], aside[64];
        bool is_folder = strcmp(names[k], "frames") == 0;
        size_t size;
        char* log = get_file(in_folder("run/log.csv"), &size);
        snprintf(path, sizeof path, "run/%s", names[k]);
        snprintf(aside, sizeof aside, "aside_%zu", k);
        assert_int_equal(rename(in_folder(path), in_folder(aside)), 0);
        assert_int_equal(symlink(in_folder(is_folder ? "elsewhere" : "outside"), in_folder(path)), 0);
        if (k < 4) {
            CHECK_FAILS(scree_run_resume(&def, in_folder("run"), &run), SCREE_ERR_IO, path);
        } else {  // the older checkpoint is taken, and this one does not get written
            CHECK_OK(scree_run_resume(&def, in_folder("run"), &run));
            assert_non_null(strstr(scree_run_get_note(run), path));
            CHECK_FAILS(scree_run_go(run), SCREE_ERR_IO, path);
            scree_run_destroy(run);
        }
        def.force = true;
        if (is_folder)
            CHECK_FAILS(scree_run_create(&def, &scene, in_folder("run"), &run), SCREE_ERR_IO, path);
        def.force = false;
        CHECK_FILE(in_folder("outside"), OLD);
        CHECK_FILE(in_folder("elsewhere/frame_000000.vtp"), OLD);
        assert_int_equal(unlink(in_folder(path)), 0);
        assert_int_equal(rename(in_folder(aside), in_folder(path)), 0);
        put_file(in_folder("run/log.csv"), log, size);  // a run that went on from the older checkpoint has other times in it
        free(log);
    }
    CHECK_OK(scree_run_resume(&def, in_folder("run"), &run));  // as it was
    scree_run_destroy(run);
    assert_int_equal(unlink(in_folder("run/log.csv")), 0);
    assert_int_equal(mkfifo(in_folder("run/log.csv"), 0600), 0);
    CHECK_FAILS(scree_run_resume(&def, in_folder("run"), &run), SCREE_ERR_IO, "run/log.csv");
    scene_free(&scene);
}

// Names of the run that something else has: a FIFO would wait for a reader, a link would be followed.
static void test_other_kinds_of_files(void** state)
{
    (void)state;
    scree_run* run;
    scree_run_def def = scree_default_run_def();
    scree_scene scene = short_scene_of(30, 30);
    run_through(&def, &scene, in_folder("run"));
    scree_run_def more = def;
    more.until_steps = scene.steps + 10;
    put_text(in_folder("outside"), OLD);
    static const char* const names[] = {"report.html", "animation.mp4", "broken.csv", "frames/frame_000001.p0000.vtp"};
    for (size_t k = 0; k < 2 * sizeof names / sizeof *names; ++k) {
        char path[64];
        snprintf(path, sizeof path, "run/%s", names[k / 2]);
        assert_int_equal(k % 2 == 0 ? mkfifo(in_folder(path), 0600) : symlink("../outside", in_folder(path)), 0);
        CHECK_FAILS(scree_run_resume(&more, in_folder("run"), &run), SCREE_ERR_IO, path);
        assert_int_equal(unlink(in_folder(path)), 0);
        // It comes while the run is going on.
        CHECK_OK(scree_run_resume(&def, in_folder("run"), &run));
        CHECK_OK(scree_run_go(run));
        assert_int_equal(k % 2 == 0 ? mkfifo(in_folder(path), 0600) : symlink("../outside", in_folder(path)), 0);
        if (k / 2 == 0)
            CHECK_FAILS(scree_run_write_report(run), SCREE_ERR_IO, path);
        else
            CHECK_OK(scree_run_write_report(run));
        scree_run_destroy(run);
        assert_int_equal(unlink(in_folder(path)), 0);
        unlink(in_folder("run/report.html"));
    }
    CHECK_FILE(in_folder("outside"), OLD);
    scene_free(&scene);
}

// Spheres in a round container run in it, and with box.size in that box.
static void test_round_container(void** state)
{
    (void)state;
    scree_run* run;
    scree_run_def def = scree_default_run_def();
    scree_sphere_set set;
    CHECK_OK(scree_sphere_set_make(2, 1, &set));
    set.x[0] = set.x[1] = 1.0;
    set.r[0] = 0.5;
    set.has_box = true;
    set.box = scree_box_sized(2, (double[]){2.0, 2.0});
    set.container = SCREE_CONTAINER_SPHERE;
    CHECK_OK(scree_write_spheres(in_folder("round.vtp"), NULL, &set));
    for (int sized = 0; sized < 2; ++sized) {
        char text[512];
        snprintf(text, sizeof text,
                 "dimension: 2\n%sspheres: {file: \"%s\", velocity: zero}\ncontact: {stiffness: 100, restitution: 0.8}\ntime: {step: 1e-3, steps: 2}\n",
                 sized ? "box: {size: [2, 2]}\n" : "", in_folder("round.vtp"));
        scree_scene scene = scene_of(text);
        CHECK_OK(scree_run_create(&def, &scene, NULL, &run));
        assert_int_equal(scree_sim_get_boundaries(scree_run_get_sim(run), NULL, 0), sized ? 6 : 7);
        CHECK_CLOSE(scree_sim_get_volume(scree_run_get_sim(run)), sized ? 4.0 : 3.14159265358979323846, 1e-15);
        scree_run_destroy(run);
        scene_free(&scene);
    }
    scree_sphere_set_free(&set);
}

static void test_arguments(void** state)
{
    (void)state;
    scree_run_def def = scree_default_run_def(), bad = def;
    scree_scene scene = short_scene_of(40, 7);
    scree_run* run = NULL;
    bad.struct_size = 3;
    CHECK_FAILS(scree_run_create(&bad, &scene, in_folder("run"), &run), SCREE_ERR_ARGUMENT, "scree_default_run_def");
    bad = def;
    bad.method = SCREE_METHOD_COUNT;
    CHECK_FAILS(scree_run_create(&bad, &scene, in_folder("run"), &run), SCREE_ERR_ARGUMENT);
    CHECK_FAILS(scree_run_create(&def, &scene, "", &run), SCREE_ERR_ARGUMENT);
    CHECK_FAILS(scree_run_resume(&def, "", &run), SCREE_ERR_ARGUMENT);
    CHECK_FAILS(scree_run_resume(&def, in_folder("none"), &run), SCREE_ERR_IO);
    assert_null(run);
    scree_run_destroy(NULL);
    assert_int_equal(files_in_folder(), 0);

    // A def from before there was `until`.
    bad = def;
    bad.struct_size = offsetof(scree_run_def, until);
    bad.until = NAN;
    bad.until_steps = -1;
    CHECK_OK(scree_run_create(&bad, &scene, NULL, &run));
    scree_run_destroy(run);

    // A trial writes nothing and does not go.
    CHECK_OK(scree_run_create(&def, &scene, NULL, &run));
    assert_int_equal(scree_run_get_steps(run), 90);
    CHECK_OK(scree_sim_run(scree_run_get_sim(run), 5));
    CHECK_FAILS(scree_run_go(run), SCREE_ERR_ARGUMENT);
    scree_run_destroy(run);
    assert_int_equal(files_in_folder(), 0);
    scene_free(&scene);
}

// ---- What fails ------------------------------------------------------------------------------------------------------------------

// Few files: 45 steps, frames in one format.
static scree_scene small_scene(void)
{
    scree_scene scene = short_scene_of(20, 7);
    scene.steps = 45;
    scene.formats &= ~SCREE_FORMAT_BIT(SCREE_FORMAT_CSV);
    return scene;
}

static void test_nth_system_call_fails(void** state)
{
    (void)state;
    scree_run_def def = scree_default_run_def();
    scree_scene scene = small_scene();
    scree_run* run;
    uint64_t wanted = run_through(&def, &scene, in_folder("reference")), content = content_of(in_folder("reference"));
    int beginnings = 0, goings = 0;
    for (int64_t n = 1;; ++n) {
        const char* path = in_folder("run");
        int error = n % 2 == 0 ? ENOSPC : EIO;
        scree_output_fail_at(n, error);
        scree_status status = scree_run_create(&def, &scene, path, &run);
        bool begun = status == SCREE_OK;
        if (begun)
            status = scree_run_go(run);
        bool through = scree_output_fail_at(0, 0) < n;
        if (through) {
            assert_int_equal(status, SCREE_OK);
            scree_run_destroy(run);
            assert_true(content_of(path) == content);
            break;
        }
        if (status != SCREE_ERR_IO || strstr(scree_error_message(), strerror(error)) == NULL)
            fail_msg("call %d: status %d, %s", (int)n, (int)status, scree_error_message());
        if (!begun) {
            assert_false(is_there(path));
            ++beginnings;
            continue;
        }
        ++goings;
        if (n % 3 == 0)
            CHECK_OK(scree_run_go(run));  // there is room again
        scree_run_destroy(run);
        if (resume_through(&def, path) != wanted)
            fail_msg("call %d: another hash", (int)n);
        if (content_of(path) != content)
            fail_msg("call %d: other files", (int)n);
        remove_all(path);
    }
    assert_true(beginnings > 20 && goings > 50);
    print_message("%d beginnings and %d runs failed\n", beginnings, goings);

    // While resuming too, and with an earlier run in the folder, which comes back with its checkpoints.
    uint64_t earlier = content_of(in_folder("reference"));
    scree_scene other = short_scene_of(1000, 1);
    scree_run_def force = def;
    force.force = true;
    for (int64_t n = 1;; ++n) {
        scree_output_fail_at(n, ENOSPC);
        scree_status status = scree_run_create(&force, &other, in_folder("reference"), &run);
        scree_output_fail_at(0, 0);
        if (status == SCREE_OK) {
            scree_run_destroy(run);
            break;
        }
        assert_true(content_of(in_folder("reference")) == earlier);
        assert_int_equal(count_in(in_folder("reference"), "checkpoint_"), 2);
        assert_int_equal(count_in(in_folder("reference"), ".scree"), 0);
        assert_true(resume_through(&def, in_folder("reference")) == wanted);
    }
    assert_int_equal(count_in(in_folder("reference"), ".scree"), 0);
    assert_true(resume_through(&def, in_folder("reference")) != wanted);
    scene_free(&other);
    scene_free(&scene);
}

static void test_nth_allocation_fails(void** state)
{
    (void)state;
    scree_run_def def = scree_default_run_def();
    def.threads = 1;
    scree_scene scene = small_scene();
    scree_run* run;
    uint64_t wanted = run_through(&def, &scene, in_folder("reference")), content = content_of(in_folder("reference"));
    int beginnings = 0, goings = 0;
    for (int64_t n = 1;; n += 1 + (int64_t)((double)n / (40.0 * test_effort()))) {
        const char* path = in_folder("run");
        scree_memory_fail_at(n);
        scree_status status = scree_run_create(&def, &scene, path, &run);
        bool begun = status == SCREE_OK;
        if (begun)
            status = scree_run_go(run);
        bool through = scree_memory_fail_at(0) < n;
        if (begun && status == SCREE_ERR_MEMORY && n % 3 == 0)
            CHECK_OK(scree_run_go(run));
        if (begun)
            scree_run_destroy(run);
        if (status == SCREE_OK && through)
            break;
        if (status != SCREE_ERR_MEMORY && status != SCREE_OK)
            fail_msg("allocation %d: status %d, %s", (int)n, (int)status, scree_error_message());
        if (!begun) {
            assert_false(is_there(path));
            ++beginnings;
            continue;
        }
        ++goings;
        if (resume_through(&def, path) != wanted || content_of(path) != content)
            fail_msg("allocation %d: another hash or other files", (int)n);
        remove_all(path);
    }
    print_message("%d beginnings and %d runs failed\n", beginnings, goings);
    // A resume that lacks memory changes nothing for the next one.
    int resumes = 0;
    assert_int_equal(unlink(in_folder("reference/checkpoint_000000000045.npz")), 0);
    for (int64_t n = 1;; n += 1 + (int64_t)((double)n / (40.0 * test_effort()))) {
        scree_memory_fail_at(n);
        scree_status status = scree_run_resume(&def, in_folder("reference"), &run);
        bool through = scree_memory_fail_at(0) < n;
        if (status == SCREE_OK) {
            scree_run_destroy(run);
            if (through)
                break;
            continue;
        }
        assert_int_equal(status, SCREE_ERR_MEMORY);
        ++resumes;
    }
    assert_true(resumes > 10);
    assert_true(resume_through(&def, in_folder("reference")) == wanted);
    assert_true(content_of(in_folder("reference")) == content);
    scene_free(&scene);
}

// A sphere that leaves: reported with its number and step; the last checkpoint stays, and a resume fails in the same way.
// A step that lacked memory is finished by the next call, and what is due at it is done then: here the order of spheres is renewed at the steps of frames.
static void test_step_without_memory(void** state)
{
    (void)state;
    scree_run_def def = scree_default_run_def();
    def.threads = 1;
    scree_scene scene = scene_of("dimension: 2\nbox: {size: [1, 1]}\nspheres: {count: 20, sizes: 'mono:0.05', place: lattice,\n"
                                 "  velocity: thermal, overlap: 0.05}\ncontact: {stiffness: 2e3}\ntime: {step: 1e-4, steps: 120}\norder_every: 2\n"
                                 "output: {every_steps: 2, formats: []}\n");
    scree_run* run;
    uint64_t wanted = run_through(&def, &scene, in_folder("reference"));
    CHECK_OK(scree_run_create(&def, &scene, in_folder("run"), &run));
    scree_status status = SCREE_ERR_MEMORY;
    int64_t failed = 0;
    for (; status == SCREE_ERR_MEMORY; ++failed) {  // each call comes one allocation further than the one before
        scree_memory_fail_at(failed + 1);
        status = scree_run_go(run);
        scree_memory_fail_at(0);
    }
    CHECK_OK(status);
    assert_true(failed > 10);
    assert_int_equal(run->frames, 61);
    assert_true(scree_run_hash(run) == wanted);
    scree_run_destroy(run);
    scene_free(&scene);
}

static void test_lost_sphere(void** state)
{
    (void)state;
    put_text(in_folder("spheres.csv"), "x,y,r,v_x,v_y\n0.2,0.2,0.05,0,0\n0.5,0.5,0.05,900,0\n");
    char text[1024], first[1024];
    snprintf(text, sizeof text,
             "dimension: 2\nbox: {size: [1, 1]}\nspheres: {file: '%s', velocity: file}\ncontact: {stiffness: 1}\n"
             "time: {step: 1e-4, steps: 100}\noutput: {every_steps: 2}\ncheckpoint: {every: 2}\n",
             in_folder("spheres.csv"));
    scree_scene scene = scene_of(text);
    scree_run_def def = scree_default_run_def();
    scree_run* run;
    CHECK_OK(scree_run_create(&def, &scene, in_folder("run"), &run));
    CHECK_FAILS(scree_run_go(run), SCREE_ERR_ARGUMENT, "sphere 1");
    snprintf(first, sizeof first, "%s", scree_error_message());
    scree_run_destroy(run);
    for (int again = 0; again < 2; ++again) {
        CHECK_OK(scree_run_resume(&def, in_folder("run"), &run));
        CHECK_FAILS(scree_run_go(run), SCREE_ERR_ARGUMENT, first);
        scree_run_destroy(run);
    }
    assert_int_equal(count_in(in_folder("run"), "checkpoint_"), 2);
    scene_free(&scene);
}

// ---- Scenes whose spheres grow ------------------------------------------------------------------------------------------------

// A scene that was copied, whose old place holds something else: its search is the one that is used and written.
static void test_moved_scene(void** state)
{
    (void)state;
    static const char text[] = "dimension: 2\nbox: {size: [10, 10]}\nspheres: {count: 9, sizes: mono:0.5, place: lattice, velocity: thermal}\n"
                               "contact: {stiffness: 1e3}\ntime: {step: 1e-4, steps: 3}\nsearch: {method: hierarchical-grid, cell_sizes: [2, 4]}\n";
    scree_run_def def = scree_default_run_def();
    scree_run* run;
    scree_sim_report report;
    scree_scene first = scene_of(text), scene = first;
    memset(&first, 0xA5, sizeof first);
    CHECK_OK(scree_run_create(&def, &scene, in_folder("run"), &run));
    CHECK_OK(scree_run_go(run));
    CHECK_OK(run_sim_measure(run, &report));
    assert_int_equal(report.method, SCREE_METHOD_HIERARCHICAL_GRID);
    scree_run_destroy(run);
    scene_free(&scene);
    CHECK_OK(scene_read(in_folder("run/scene.yaml"), &scene));
    assert_ptr_equal(scene.sim.search, &scene.search);
    assert_int_equal(scene.sim.search->cell_size_count, 2);
    scene_free(&scene);
}

static const test_case cases[] = {
    UNIT(test_schedule),
    SAME_BITS(test_stop_at_every_step),
    SAME_BITS(test_stop_in_3d),
    UNIT(test_looks),
    SAME_BITS(test_many_parts),
    UNIT(test_checkpoints),
    UNIT(test_harmed_checkpoints),
    UNIT(test_links),
    UNIT(test_other_kinds_of_files),
    UNIT(test_round_container),
    UNIT(test_arguments),
    ALLOCATION(test_nth_system_call_fails),
    ALLOCATION(test_nth_allocation_fails),
    ALLOCATION(test_step_without_memory),
    UNIT(test_lost_sphere),
    UNIT(test_moved_scene),
};

const test_group group_run = {.name = "run", .cases = cases, .count = sizeof cases / sizeof *cases, .begin = make_folder, .end = remove_folder, .before_each = start_clean};
