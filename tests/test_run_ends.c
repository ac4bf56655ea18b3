// Runs that go on to another end.
#include "run_folder_support.h"

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
    assert_int_equal(scree_run_get_steps(run), scene->steps);
    assert_int_equal(scree_sim_get_step(scree_run_get_sim(run)), first);
    if (first % 2 == 0) {  // as killed before the first step: the end is known
        scree_run_destroy(run);
        def.until_steps = 0;
        CHECK_OK(scree_run_resume(&def, path, &run));
    }
    CHECK_OK(scree_run_go(run));
    uint64_t hash = scree_sim_hash(scree_run_get_sim(run));
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

    // Invalid ends.
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
};

const test_group group_run_ends = {.name = "run_ends", .cases = cases, .count = sizeof cases / sizeof *cases, .begin = make_folder, .end = remove_folder, .before_each = start_clean};
