// Runs, as the library's user sees them: when frames come, going on at any step, and what is left when memory or the disk fails.
#include "file_support.h"

#include "files/checkpoint_layout.h"
#include "run/run_inner.h"
#include "scree/checkpoint.h"
#include "scree/report.h"

#include <sys/stat.h>
#include <unistd.h>

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

static scree_scene scene_of(const char* text)
{
    scree_scene scene;
    CHECK_OK(scene_parse("test.yaml", text, strlen(text), &scene));
    return scene;
}

static scree_scene short_scene_of(int every, int log_every)
{
    char text[2048];
    snprintf(text, sizeof text, short_scene, log_every, every);
    return scene_of(text);
}

// All names below a folder, and the bytes of all files but checkpoints, folded into one number. Of the log, all but the work: rebuilds and seconds.
static uint64_t fold(uint64_t h, const void* bytes, size_t count)
{
    for (size_t k = 0; k < count; ++k)
        h = (h ^ ((const unsigned char*)bytes)[k]) * 1099511628211u;
    return h;
}

static uint64_t fold_log(const char* text)
{
    uint64_t h = 1469598103934665603u;
    bool work[64] = {false};
    int row = 0, field = 0;
    for (const char* at = text; *at != '\0';) {
        size_t length = strcspn(at, ",\n");
        assert_true(field < 64);
        if (row == 0)
            work[field] = strncmp(at, "rebuilds", 8) == 0 || strncmp(at, "seconds", 7) == 0;
        if (!work[field])
            h = fold(h, at, length + 1);
        ++field;
        if (at[length] == '\n') {
            ++row;
            field = 0;
        }
        at += length + (at[length] != '\0');
    }
    return h;
}

static uint64_t content_of(const char* path)
{
    uint64_t sum = 0;  // a sum, because the order of entries is the system's
    DIR* directory = opendir(path);
    assert_non_null(directory);
    for (struct dirent* entry; (entry = readdir(directory)) != NULL;) {
        char inner[1024];
        struct stat about;
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0 || strncmp(entry->d_name, "checkpoint_", 11) == 0)
            continue;
        snprintf(inner, sizeof inner, "%s/%s", path, entry->d_name);
        assert_int_equal(stat(inner, &about), 0);
        uint64_t h = fold(1469598103934665603u, entry->d_name, strlen(entry->d_name));
        if (S_ISDIR(about.st_mode)) {
            h ^= content_of(inner);
        } else {
            size_t size;
            char* bytes = get_file(inner, &size);
            h = strcmp(entry->d_name, "log.csv") == 0 ? h ^ fold_log(bytes) : fold(h, bytes, size);
            free(bytes);
        }
        sum += h * 0x9e3779b97f4a7c15u;
    }
    closedir(directory);
    return sum;
}

static int count_in(const char* path, const char* begin)
{
    int count = 0;
    DIR* directory = opendir(path);
    for (struct dirent* entry; directory != NULL && (entry = readdir(directory)) != NULL;)
        count += strncmp(entry->d_name, begin, strlen(begin)) == 0;
    if (directory != NULL)
        closedir(directory);
    return count;
}

static bool is_there(const char* path)
{
    struct stat about;
    return stat(path, &about) == 0;
}

// The whole run in one go; its hash.
static uint64_t run_through(const scree_run_def* def, const scree_scene* scene, const char* path)
{
    scree_run* run;
    CHECK_OK(scree_run_create(def, scene, path, &run));
    CHECK_OK(scree_run_go(run));
    assert_int_equal(scree_sim_step(scree_run_sim(run)), scree_run_steps(run));
    uint64_t hash = scree_sim_hash(scree_run_sim(run));
    scree_run_destroy(run);
    return hash;
}

static uint64_t resume_through(const scree_run_def* def, const char* path)
{
    scree_run* run;
    CHECK_OK(scree_run_resume(def, path, &run));
    CHECK_OK(scree_run_go(run));
    uint64_t hash = scree_sim_hash(scree_run_sim(run));
    scree_run_destroy(run);
    return hash;
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

// Stops a run at exactly this step: with a row of the log at each step, the run can be made to ask after each.
typedef struct stopper {
    scree_run* run;
    int64_t at;
} stopper;

static bool stop_when(void* context, const scree_run_progress* progress)
{
    stopper* s = context;
    assert_non_null(progress->doing);
    assert_true(progress->step <= progress->steps);
    if (s->run == NULL)
        return true;
    s->run->asked = 0.0;
    return progress->step < s->at;
}

static void go_until(scree_run* run, stopper* s, int64_t step)
{
    *s = (stopper){.run = run, .at = step};
    run->asked = 0.0;
    if (step < scree_run_steps(run))
        CHECK_FAILS(scree_run_go(run), SCREE_ERR_CANCELLED);
    else
        CHECK_OK(scree_run_go(run));
    assert_int_equal(scree_sim_step(scree_run_sim(run)), step);
}

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
            assert_int_equal(scree_sim_step(scree_run_sim(run)), step);
            assert_string_equal(scree_run_note(run), "");
        }
        go_until(run, &s, 90);
        assert_true(scree_sim_hash(scree_run_sim(run)) == wanted);
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
    assert_true(scree_sim_hash(scree_run_sim(run)) == wanted);
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
    assert_int_equal(scree_sim_step(scree_run_sim(run)), 80);
    assert_non_null(strstr(scree_run_note(run), "checkpoint_000000000090.npz"));
    assert_non_null(strstr(scree_run_note(run), "of step 80"));
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
    CHECK_OK(scree_checkpoint_read(in_folder("run/checkpoint_000000000090.npz"), &saved));
    saved.number_count = 1;
    CHECK_OK(scree_checkpoint_write(in_folder("run/checkpoint_000000000090.npz"), &saved));
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
        snprintf(path, sizeof path, "run/%s", names[k]);
        snprintf(aside, sizeof aside, "aside_%zu", k);
        assert_int_equal(rename(in_folder(path), in_folder(aside)), 0);
        assert_int_equal(symlink(in_folder(is_folder ? "elsewhere" : "outside"), in_folder(path)), 0);
        if (k < 4) {
            CHECK_FAILS(scree_run_resume(&def, in_folder("run"), &run), SCREE_ERR_IO, path);
        } else {  // the older checkpoint is taken, and this one does not get written
            CHECK_OK(scree_run_resume(&def, in_folder("run"), &run));
            assert_non_null(strstr(scree_run_note(run), path));
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
    }
    CHECK_OK(scree_run_resume(&def, in_folder("run"), &run));  // as it was
    scree_run_destroy(run);
    assert_int_equal(unlink(in_folder("run/log.csv")), 0);
    assert_int_equal(mkfifo(in_folder("run/log.csv"), 0600), 0);
    CHECK_FAILS(scree_run_resume(&def, in_folder("run"), &run), SCREE_ERR_IO, "run/log.csv");
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
        assert_int_equal(scree_sim_get_boundaries(scree_run_sim(run), NULL, 0), sized ? 6 : 7);
        CHECK_CLOSE(scree_sim_volume(scree_run_sim(run)), sized ? 4.0 : 3.14159265358979323846, 1e-15);
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
    assert_int_equal(scree_run_steps(run), 90);
    CHECK_OK(scree_sim_run(scree_run_sim(run), 5));
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

static const char grown_scene[] = "dimension: %d\nbox: {size: [%s], origin: [%s], periodic: [%s]}\n"
                                  "spheres: {count: %d, sizes: %s, place: grow, velocity: thermal, overlap: 0.01}\n"
                                  "contact: {stiffness: 2e3, restitution: 0.6}\ntime: {step: 1e-4, steps: 20}\noutput: {formats: [csv]}\nseed: 3\n";

static scree_scene grown_scene_of(int dim, const char* size, const char* origin, const char* periodic, int count, const char* sizes)
{
    char text[1024];
    snprintf(text, sizeof text, grown_scene, dim, size, origin, periodic, count, sizes);
    return scene_of(text);
}

static int64_t overlaps_in(const scree_sphere_set* set)
{
    scree_index_def search = scree_default_index_def();
    search.method = SCREE_METHOD_ALL_PAIRS;
    search.box = set->box;
    scree_index* index;
    scree_pairs pairs;
    CHECK_OK(scree_index_create(&search, &index));
    CHECK_OK(scree_index_update(index, scree_sphere_set_view(set)));
    CHECK_OK(scree_index_pairs(index, &pairs));
    int64_t count = pairs.count;
    scree_index_destroy(index);
    for (int64_t e = 0; e < (int64_t)set->count * set->dim; ++e) {
        int k = (int)(e % set->dim);
        double r = set->r[e / set->dim];
        count += !set->box.periodic[k] && !(set->x[e] >= set->box.lower[k] + r && set->x[e] <= set->box.upper[k] - r);
    }
    return count;
}

typedef struct impatient {
    int left;
    double last;
} impatient;

static bool wait_a_little(void* context, double done)
{
    impatient* p = context;
    assert_true(done >= p->last && done <= 1.0);
    p->last = done;
    return --p->left > 0;
}

// Far beyond what random addition reaches, in just the box of the scene.
static void test_grown(void** state)
{
    (void)state;
    static const struct {
        int dim;
        const char *size, *origin, *periodic, *sizes;
        int count;
        double density;
    } cases[] = {{2, "20, 20", "0, 0", "", "uniform-size:0.5:1.5", 80, 0.677},
                 {2, "20, 10", "-3, 5", "x", "mono:0.5", 190, 0.746},
                 {3, "8, 9, 10", "1, 2, 3", "x, y, z", "mono:0.5", 830, 0.6036},
                 {3, "10, 10, 10", "0, 0, 0", "", "uniform-volume:0.5:1.5", 210, 0.5}};
    for (size_t t = 0; t < sizeof cases / sizeof *cases; ++t) {
        scree_scene scene = grown_scene_of(cases[t].dim, cases[t].size, cases[t].origin, cases[t].periodic, cases[t].count, cases[t].sizes);
        scree_sphere_set set[2] = {{0}, {0}};
        for (int k = 0; k < 2; ++k) {
            scene.sim.threads = 1 + 2 * k;
            CHECK_OK(scree_scene_make_spheres(&scene, (scree_watch){0}, &set[k]));
        }
        assert_memory_equal(&set[0].box, &scene.sim.box, sizeof set[0].box);
        assert_int_equal(set[0].count, cases[t].count);
        double density = scree_spheres_volume(scree_sphere_set_view(&set[0])) / scree_box_volume(&set[0].box);
        if (!(fabs(density - cases[t].density) < 0.05))
            fail_msg("case %d has density %g", (int)t, density);
        assert_int_equal(overlaps_in(&set[0]), 0);
        assert_memory_equal(set[0].x, set[1].x, (size_t)set[0].count * (size_t)set[0].dim * sizeof *set[0].x);
        scree_sphere_set_free(&set[0]);
        scree_sphere_set_free(&set[1]);
        scene_free(&scene);
    }
    // A run from there, and a look only: that one does not wait for growth, and has a larger box.
    scree_scene scene = grown_scene_of(2, "20, 20", "0, 0", "", 80, "uniform-size:0.5:1.5");
    scree_run_def def = scree_default_run_def();
    run_through(&def, &scene, in_folder("grown"));
    scree_run* trial;
    CHECK_OK(scree_run_create(&def, &scene, NULL, &trial));
    scree_box box = scree_sim_box(scree_run_sim(trial));
    assert_true(box.upper[0] > 20.0 && box.upper[0] == box.upper[1] && box.lower[0] == 0.0);
    scree_run_destroy(trial);
    scene_free(&scene);
}

// What does not fit is said with the box that would do; and that one does.
static void test_grown_too_much(void** state)
{
    (void)state;
    scree_scene scene = grown_scene_of(3, "6, 6, 6", "0, 0, 0", "x, y, z", 300, "mono:0.5");  // 0.727
    scree_sphere_set set = {0};
    CHECK_FAILS(scree_scene_make_spheres(&scene, (scree_watch){0}, &set), SCREE_ERR_ARGUMENT, "0.7272");
    assert_null(set.x);
    const char* said = strstr(scree_error_message(), "a box of ");
    assert_non_null(said);
    double side = atof(said + strlen("a box of "));
    assert_true(side > 6.0 && side < 6.5);
    scene_free(&scene);
    char size[100];
    snprintf(size, sizeof size, "%g, %g, %g", side * 1.002, side * 1.002, side * 1.002);
    scene = grown_scene_of(3, size, "0, 0, 0", "x, y, z", 300, "mono:0.5");
    CHECK_OK(scree_scene_make_spheres(&scene, (scree_watch){0}, &set));
    assert_int_equal(overlaps_in(&set), 0);
    scree_sphere_set_free(&set);
    scene_free(&scene);
    // More than the box: reported at the first look too.
    scene = grown_scene_of(2, "2, 2", "0, 0", "", 10, "mono:0.5");
    set = (scree_sphere_set){0};
    CHECK_FAILS(scree_scene_make_spheres(&scene, (scree_watch){0}, &set), SCREE_ERR_ARGUMENT, "volume");
    scree_run_def def = scree_default_run_def();
    scree_run* trial;
    CHECK_FAILS(scree_run_create(&def, &scene, NULL, &trial), SCREE_ERR_ARGUMENT, "volume");
    scene_free(&scene);
}

static void test_grown_stopped(void** state)
{
    (void)state;
    scree_scene scene = grown_scene_of(3, "8, 8, 8", "0, 0, 0", "x, y, z", 600, "mono:0.5");
    for (int left = 1; left < 200; left = left * 2 + 1) {
        impatient p = {.left = left};
        scree_sphere_set set = {0};
        scree_status status = scree_scene_make_spheres(&scene, (scree_watch){.tick = wait_a_little, .context = &p}, &set);
        assert_true(status == SCREE_OK ? p.left > 0 : status == SCREE_ERR_CANCELLED && set.x == NULL);
        scree_sphere_set_free(&set);
    }
    scene_free(&scene);
}

static scree_status grow_few(const scree_scene* scene)
{
    scree_sphere_set set = {0};
    scree_status status = scree_scene_make_spheres(scene, (scree_watch){0}, &set);
    scree_sphere_set_free(&set);
    return status;
}

static void test_grown_without_memory(void** state)
{
    (void)state;
    scree_scene scene = grown_scene_of(2, "5, 5", "0, 0", "x", 20, "mono:0.5");
    scene.sim.threads = 1;
    EACH_ALLOCATION_FAILS(grow_few(&scene), (void)0);
    scene_free(&scene);
}

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
    assert_true(scree_run_scene(run)->count == 100 && scree_run_scene(run)->walls_on_crossing == 1);
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

// ---- Another end -----------------------------------------------------------------------------------------------------------------

// As the scene, with other steps; pages that a program leaves at the end of a run are there too.
static void run_to(const scree_scene* scene, int64_t steps, const char* path)
{
    scree_run_def def = scree_default_run_def();
    scree_scene shorter = *scene;
    shorter.steps = steps;
    shorter.sim.search = &shorter.search;
    scree_run* run;
    CHECK_OK(scree_run_create(&def, &shorter, path, &run));
    CHECK_OK(scree_run_go(run));
    scree_run_destroy(run);
    char name[1024];
    snprintf(name, sizeof name, "%s/report.html", path);
    put_text(name, "of the shorter run");
    snprintf(name, sizeof name, "%s/animation.mp4", path);
    put_text(name, "of the shorter run");
}

// Ends at `first`, goes on to the scene's end; the folder is that of a run to this end. The scene has no changes: a scene with one after its end is refused.
static void check_prolonged(const scree_scene* scene, int64_t first, uint64_t wanted, uint64_t content)
{
    scree_run_def def = scree_default_run_def();
    const char* path = in_folder("parts");
    run_to(scene, first, path);
    def.until_steps = scene->steps;
    def.method = (int32_t)(first % 9) - 1;
    scree_run* run;
    CHECK_OK(scree_run_resume(&def, path, &run));
    assert_int_equal(scree_run_steps(run), scene->steps);
    assert_int_equal(scree_sim_step(scree_run_sim(run)), first);
    if (first % 2 == 0) {  // as killed before the first step: the end is known
        scree_run_destroy(run);
        def.until_steps = 0;
        CHECK_OK(scree_run_resume(&def, path, &run));
    }
    CHECK_OK(scree_run_go(run));
    uint64_t hash = scree_sim_hash(scree_run_sim(run));
    scree_run_destroy(run);
    if (hash != wanted)
        fail_msg("prolonged from step %d: hash %016" PRIx64 ", wanted %016" PRIx64, (int)first, hash, wanted);
    if (content_of(path) != content)
        fail_msg("prolonged from step %d: the files are not the same", (int)first);
    assert_int_equal(count_in(path, "checkpoint_"), 2);
    remove_all(path);
}

static const char long_scene[] = "dimension: 2\n"
                                 "box: {size: [1, 1]}\n"
                                 "gravity: [0, -9.81]\n"
                                 "spheres: {count: 60, sizes: uniform-size:0.02:0.06, place: random, velocity: thermal, overlap: 0.05}\n"
                                 "contact: {stiffness: 2e3, restitution: 0.6}\n"
                                 "time: {step: 1e-4, steps: 40}\n"
                                 "order_every: 9\n"
                                 "walls: {x: [0, -1]}\n"
                                 "output: {%s}\n"
                                 "checkpoint: {every: 17}\n";

static scree_scene long_scene_of(const char* output)
{
    char text[2048];
    snprintf(text, sizeof text, long_scene, output);
    return scene_of(text);
}

// From every step: where the first end has a frame and a row that stay, only a row, or neither.
static void test_prolonged(void** state)
{
    (void)state;
    static const char* const outputs[] = {"every_steps: 6, formats: [vtp, csv, npy], contacts: true", "every_steps: 6, formats: [vtp], log_every_steps: 4",
                                          "every: 6.5e-4, formats: [csv], contacts: true, log_every_steps: 100", "formats: [vtp]", "every: 1e-5, formats: [csv]"};
    for (size_t k = 0; k < sizeof outputs / sizeof *outputs; ++k) {
        scree_scene scene = long_scene_of(outputs[k]);
        scree_run_def def = scree_default_run_def();
        uint64_t wanted = run_through(&def, &scene, in_folder("reference")), content = content_of(in_folder("reference"));
        for (int64_t first = k > 1 ? 1 : 0; first < 40; first += k > 1 ? 13 : 4)
            check_prolonged(&scene, first, wanted, content);
        remove_all(in_folder("reference"));
        scene_free(&scene);
    }
}

// By a time in place of steps, several times, once before the end that the scene had; refusals change nothing.
static void test_other_ends(void** state)
{
    (void)state;
    scree_scene scene = long_scene_of("every_steps: 6, formats: [vtp], contacts: true");
    scree_run_def plain = scree_default_run_def(), def = plain;
    scree_run* run;
    scene.steps = -1;
    scene.end = 3.7e-3;
    uint64_t wanted = run_through(&def, &scene, in_folder("reference")), content = content_of(in_folder("reference"));
    scene.end = 1e-3;
    run_through(&def, &scene, in_folder("parts"));
    static const double ends[] = {1e-3, 1.3e-3, 2.4e-3, 3.7e-3};
    for (size_t k = 0; k < sizeof ends / sizeof *ends; ++k) {
        def.until = ends[k];
        resume_through(&def, in_folder("parts"));
        resume_through(&plain, in_folder("parts"));
    }
    assert_true(resume_through(&plain, in_folder("parts")) == wanted);
    assert_true(content_of(in_folder("parts")) == content);

    static const double early[] = {3.6e-3, 1e-4};
    for (size_t k = 0; k < 2; ++k) {
        def.until = early[k];
        CHECK_FAILS(scree_run_resume(&def, in_folder("parts"), &run), SCREE_ERR_ARGUMENT, "parts", "37", k == 0 ? "36" : "1", "0.0037", k == 0 ? "0.0036" : "0.0001");
        assert_null(run);
    }
    assert_true(content_of(in_folder("parts")) == content);

    // Stopped at 20 of 40: to 30, which is before the end; not to 20, where it stands, and not to 19.
    stopper s = {0};
    scene.end = 0.0;
    scene.steps = 30;
    scene.log_every_steps = 1;
    wanted = run_through(&plain, &scene, in_folder("thirty"));
    content = content_of(in_folder("thirty"));
    scene.steps = 40;
    def = plain;
    def.tell = stop_when;
    def.context = &s;
    CHECK_OK(scree_run_create(&def, &scene, in_folder("stopped"), &run));
    go_until(run, &s, 20);
    scree_run_destroy(run);
    def = plain;
    for (def.until_steps = 19; def.until_steps <= 20; ++def.until_steps)
        CHECK_FAILS(scree_run_resume(&def, in_folder("stopped"), &run), SCREE_ERR_ARGUMENT, "stopped", "20", def.until_steps == 19 ? "19" : "20");
    def.until_steps = 30;
    assert_true(resume_through(&def, in_folder("stopped")) == wanted);
    assert_true(content_of(in_folder("stopped")) == content);

    // What cannot be an end.
    def = plain;
    static const double none[] = {-1.0, NAN, INFINITY};
    for (size_t k = 0; k < 3; ++k) {
        def.until = none[k];
        CHECK_FAILS(scree_run_resume(&def, in_folder("parts"), &run), SCREE_ERR_ARGUMENT, "until");
    }
    def.until = 1.0;
    CHECK_FAILS(scree_run_create(&def, &scene, in_folder("new"), &run), SCREE_ERR_ARGUMENT, "until");
    assert_false(is_there(in_folder("new")));
    def.until_steps = 5;
    CHECK_FAILS(scree_run_resume(&def, in_folder("parts"), &run), SCREE_ERR_ARGUMENT, "until", "1", "until_steps", "5");
    def = plain;
    def.until_steps = (int64_t)SCREE_RUN_STEPS_MOST + 1;
    CHECK_FAILS(scree_run_resume(&def, in_folder("parts"), &run), SCREE_ERR_ARGUMENT, "until_steps", "1000000000000001");
    def.until_steps = 0;
    def.until = 1e300;
    CHECK_FAILS(scree_run_resume(&def, in_folder("parts"), &run), SCREE_ERR_ARGUMENT, "parts/scene.yaml", "time.end", "1e+300");

    // The log of the first end was changed by hand: there is no row to take back.
    scene.steps = 10;
    scene.log_every_steps = 0;
    run_through(&plain, &scene, in_folder("changed"));
    size_t size;
    char* log = get_file(in_folder("changed/log.csv"), &size);
    *strstr(log, "\n10,") = '+';
    put_file(in_folder("changed/log.csv"), log, size);
    free(log);
    def = plain;
    def.until_steps = 20;
    CHECK_FAILS(scree_run_resume(&def, in_folder("changed"), &run), SCREE_ERR_FORMAT, "changed/log.csv", "10");
    scene_free(&scene);
}

// A system call or an allocation fails while the end is changed: the next resume, with the new end given again or not, ends with the same files.
static void test_other_end_fails(void** state)
{
    (void)state;
    scree_scene scene = long_scene_of("every_steps: 6, formats: [vtp], contacts: true");
    scree_run_def plain = scree_default_run_def(), def = plain;
    scree_run* run;
    plain.threads = def.threads = 1;
    uint64_t wanted = run_through(&plain, &scene, in_folder("reference")), content = content_of(in_folder("reference"));
    def.until_steps = 40;
    for (int memory = 0; memory < 2; ++memory) {
        int failed = 0;
        for (int64_t n = 1;; n += memory == 0 ? 1 : 1 + n / 3) {
            run_to(&scene, 22, in_folder("parts"));
            if (memory != 0)
                scree_memory_fail_at(n);
            else
                scree_output_fail_at(n, ENOSPC);
            scree_status status = scree_run_resume(&def, in_folder("parts"), &run);
            bool through = (memory != 0 ? scree_memory_fail_at(0) : scree_output_fail_at(0, 0)) < n;
            if (status == SCREE_OK)
                scree_run_destroy(run);
            else if (status != (memory != 0 ? SCREE_ERR_MEMORY : SCREE_ERR_IO))
                fail_msg("%s %d: status %d, %s", memory != 0 ? "allocation" : "call", (int)n, (int)status, scree_error_message());
            failed += status != SCREE_OK;
            // What was not given again is known if scene.yaml has it.
            char* text = get_file(in_folder("parts/scene.yaml"), NULL);
            bool known = strstr(text, "\n  steps: 40\n") != NULL;
            free(text);
            if (resume_through(known && n % 2 == 0 ? &plain : &def, in_folder("parts")) != wanted || content_of(in_folder("parts")) != content)
                fail_msg("%s %d: another hash or other files", memory != 0 ? "allocation" : "call", (int)n);
            remove_all(in_folder("parts"));
            if (through)
                break;
        }
        print_message("%d resumes failed\n", failed);
        assert_true(failed > 5);
    }
    scene_free(&scene);
}

static const test_case cases[] = {
    SAME_BITS(test_prolonged),
    UNIT(test_other_ends),
    ALLOCATION(test_other_end_fails),
    THREADS(test_grown),
    UNIT(test_one_camera),
    UNIT(test_sparse_trials),
    UNIT(test_estimate),
    UNIT(test_estimate_with_ids),
    UNIT(test_places_in_the_scene),
    UNIT(test_grown_too_much),
    UNIT(test_grown_stopped),
    ALLOCATION(test_grown_without_memory),
    UNIT(test_schedule),
    SAME_BITS(test_stop_at_every_step),
    SAME_BITS(test_stop_in_3d),
    SAME_BITS(test_many_parts),
    UNIT(test_checkpoints),
    UNIT(test_harmed_checkpoints),
    UNIT(test_links),
    UNIT(test_round_container),
    UNIT(test_arguments),
    ALLOCATION(test_nth_system_call_fails),
    ALLOCATION(test_nth_allocation_fails),
    ALLOCATION(test_step_without_memory),
    UNIT(test_lost_sphere),
    UNIT(test_moved_scene),
};

const test_group group_run = {.name = "run", .cases = cases, .count = sizeof cases / sizeof *cases, .begin = make_folder, .end = remove_folder, .before_each = start_clean};
