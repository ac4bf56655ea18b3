// Folders of runs in which something was altered or is missing: a resume says so, and never trusts a number of a
// checkpoint.
#include "run_folder_support.h"

#include <math.h>

// ---- Files of the folder --------------------------------------------------------------------------------------------

static const char falling[] = "dimension: 2\n"
                              "box: {size: [1, 1]}\n"
                              "gravity: [0, -9.81]\n"
                              "spheres: {count: 40, sizes: uniform-size:0.02:0.06, place: random, velocity: thermal, overlap: 0.05}\n"
                              "contact: {stiffness: 2e3, restitution: 0.6, friction: 0.3}\n"
                              "time: {step: 1e-4, steps: 40}\n"
                              "output: {every_steps: 10, log_every_steps: 5, formats: [vtp, csv], contacts: true}\n"
                              "checkpoint: {every: 20}\n";

static scree_run* begin(const char* text, const char* name)
{
    scree_run_def def = scree_default_run_def();
    scree_scene scene = scene_of(text);
    scree_run* run;
    def.force = true;
    CHECK_OK(scree_run_create(&def, &scene, in_folder(name), &run));
    scene_free(&scene);
    return run;
}

static void go_through(const char* text, const char* name)
{
    scree_run* run = begin(text, name);
    CHECK_OK(scree_run_go(run));
    scree_run_destroy(run);
}

static const char* note_of(const char* name, char note[2048])
{
    scree_run* run;
    scree_run_def def = scree_default_run_def();
    CHECK_OK(scree_run_resume(&def, in_folder(name), &run));
    CHECK_OK(scree_run_go(run));
    snprintf(note, 2048, "%s", scree_run_get_note(run));
    scree_run_summary* summary;
    CHECK_OK(scree_run_summary_create(run, &summary));
    const scree_quantity* q = scree_run_summary_find(summary, "note");
    if (note[0] == '\0')
        assert_null(q);
    else
        assert_string_equal(q->text, note);
    scree_run_summary_destroy(summary);
    scree_run_destroy(run);
    return note;
}

// An earlier frame that is missing, empty or something else is named; the run goes on.
static void frames_are_looked_for(void** state)
{
    (void)state;
    char note[2048];
    go_through(falling, "run");
    assert_string_equal(note_of("run", note), "");
    static const char* const names[] = {"frames/frame_000000.vtp", "frames/frame_000003.csv", "contacts/contacts_000001.csv", "contacts/contacts_000004.vtp"};
    for (size_t k = 0; k < sizeof names / sizeof *names; ++k) {
        char path[64];
        size_t size;
        snprintf(path, sizeof path, "run/%s", names[k]);
        char* bytes = get_file(in_folder(path), &size);
        put_text(in_folder(path), "");
        assert_non_null(strstr(note_of("run", note), names[k]));
        assert_int_equal(unlink(in_folder(path)), 0);
        assert_non_null(strstr(note_of("run", note), names[k]));
        assert_non_null(strstr(note, " 1 "));
        put_file(in_folder(path), bytes, size);
        free(bytes);
        assert_string_equal(note_of("run", note), "");
    }
    assert_int_equal(unlink(in_folder("run/frames/frame_000002.vtp")), 0);
    assert_int_equal(unlink(in_folder("run/frames/frame_000002.csv")), 0);
    assert_non_null(strstr(note_of("run", note), " 2 "));
}

// Every byte that the checkpoint knows of counts, and a longer file is cut only if they are right.
static void rows_of_the_log_are_compared(void** state)
{
    (void)state;
    scree_run* run;
    scree_run_def def = scree_default_run_def();
    go_through(falling, "run");
    size_t size;
    char* log = get_file(in_folder("run/log.csv"), &size);
    const size_t header = strcspn(log, "\n") + 1;
    const size_t places[] = {header, header + 20, size / 2, size - 2};
    for (size_t k = 0; k < sizeof places / sizeof *places; ++k) {
        char kept = log[places[k]];
        log[places[k]] = kept == '7' ? '8' : '7';
        put_file(in_folder("run/log.csv"), log, size);
        CHECK_FAILS(scree_run_resume(&def, in_folder("run"), &run), SCREE_ERR_FORMAT, "run/log.csv");
        CHECK_FILE(in_folder("run/log.csv"), log);
        log[places[k]] = kept;
    }
    put_file(in_folder("run/log.csv"), log, size);
    CHECK_OK(scree_run_resume(&def, in_folder("run"), &run));
    scree_run_destroy(run);
    // To a later end: the last row goes, and the sum with it; twice, so that what was cut is compared too.
    for (int more = 3; more <= 6; more += 3) {
        def.until_steps = 40 + more;
        CHECK_OK(scree_run_resume(&def, in_folder("run"), &run));
        scree_run_destroy(run);
        CHECK_OK(scree_run_resume(&def, in_folder("run"), &run));
        CHECK_OK(scree_run_go(run));
        scree_run_destroy(run);
    }
    free(log);
}

// Rows longer than a block of the reader: with many walls and surfaces.
static void a_long_last_row_is_found(void** state)
{
    (void)state;
    enum { surfaces = 400 };
    static char text[1 << 16];
    size_t used = (size_t)snprintf(text, sizeof text, "box: {size: [1, 1, 1]}\nspheres: {count: 2, sizes: 'mono:0.05', place: random}\ncontact: {stiffness: 1000}\ntime: {step: 1e-4, steps: 7}\n"
                                                      "output: {every_steps: 5, log_every_steps: 5}\nsurfaces:\n");
    for (int n = 0; n < surfaces; ++n)
        used += (size_t)snprintf(text + used, sizeof text - used, "- {plane: {at: [0, 0, %g], normal: [0, 0, 1]}}\n", -0.001 * (n + 1));
    go_through(text, "run");
    size_t size;
    char* log = get_file(in_folder("run/log.csv"), &size);
    const char* row = log + size - 2;
    while (row[-1] != '\n')
        --row;
    assert_true(strlen(row) > 4096);
    free(log);
    scree_run* run;
    scree_run_def def = scree_default_run_def();
    def.until_steps = 9;
    CHECK_OK(scree_run_resume(&def, in_folder("run"), &run));
    CHECK_OK(scree_run_go(run));
    scree_run_destroy(run);
}

// A folder that is removed, or takes another name, while the run goes on: no run ends as if its files were there.
static void the_folder_is_there_to_the_end(void** state)
{
    (void)state;
    for (int way = 0; way < 3; ++way) {
        scree_run* run = begin(falling, "run");
        if (way == 2)  // between the end and the page
            CHECK_OK(scree_run_go(run));
        if (way == 0)
            remove_all(in_folder("run"));
        else
            assert_int_equal(rename(in_folder("run"), in_folder("moved")), 0);
        CHECK_FAILS(scree_run_go(run), SCREE_ERR_IO, "run");
        CHECK_FAILS(scree_run_write_report(run), SCREE_ERR_IO, "run");
        scree_run_destroy(run);
        if (way > 0)
            remove_all(in_folder("moved"));
    }
    // Another folder of the same name does not count.
    scree_run* run = begin(falling, "run");
    CHECK_OK(scree_run_go(run));
    assert_int_equal(rename(in_folder("run"), in_folder("moved")), 0);
    assert_int_equal(mkdir(in_folder("run"), 0700), 0);
    CHECK_FAILS(scree_run_go(run), SCREE_ERR_IO, "run");
    scree_run_destroy(run);
}

// ---- Numbers of checkpoints -----------------------------------------------------------------------------------------

static const char of_all[] = "dimension: 2\n"
                             "box: {size: [8, 8], periodic: [x]}\n"
                             "gravity: [0, -5]\n"
                             "spheres: [{name: a, count: 3, sizes: 'mono:0.3', place: random, region: {lower: [0, 3], upper: [8, 8]}}, {name: b, count: 2, sizes: 'mono:0.3', place: random, region: {at: [4, 4], radius: 1.5}}]\n"
                             "contact: {stiffness: 1000, friction: 0.5, restitution: 0.5}\n"
                             "walls: {y: [0, -0.1]}\n"
                             "surfaces: [{plane: {at: [0, 0.2], normal: [0, 1]}, velocity: [0, 0.01]}]\n"
                             "changes: [{at: 0, gravity: {sine: [0, 2], frequency: 5, mean: [0, -5]}}, {at: 0.004, time: {step: 0.0005}}]\n"
                             "time: {step: 0.001, end: 0.02}\n"
                             "output: {every: 0.005, log_every_steps: 3, energies: true}\n"
                             "insert: [{name: top, group: a, count: 4, region: {lower: [0, 5], upper: [8, 7.5]}, every_steps: 1}]\n"
                             "outlets: [{region: {at: [4, 4], radius: 1}, into: top, every_steps: 2}]\n";
static const char of_bodies[] = "dimension: 2\nbox: {size: [8, 8]}\ngravity: [0, -5]\n"
                                "spheres: {count: 3, sizes: 'mono:0.3', place: random}\n"
                                "bodies: [{shape: star, vertices: 5, sizes: 'mono:0.3', place: random, count: 2}, {points: [[0, 0], [8, 0], [8, 0.2]], fixed: true}]\n"
                                "contact: {stiffness: 1000, friction: 0.5, restitution: 0.5}\ntime: {step: 0.001, steps: 30}\noutput: {every_steps: 10}\n";

enum { numbers_most = 400 };

// Where the whole numbers of a checkpoint are that it does not check by its hash.
static int find_integers(scree_checkpoint* c, int64_t* out[numbers_most])
{
    int count = 0;
    for (int32_t k = 0; k < c->number_count; ++k)
        if (c->numbers[k].whole)
            out[count++] = &c->numbers[k].integer;
    out[count++] = &c->walls.since;
    out[count++] = &c->walls.gravity_since;
    for (int32_t b = 0; b < c->motions.count; ++b)
        out[count++] = &c->motions.since[b];
    for (int64_t k = 0; k < c->flow.count && count < numbers_most - 80; ++k)
        out[count++] = &c->flow.counts[k];
    for (int32_t i = 0; i < c->count && c->has_bodies && count < numbers_most - 40; ++i)
        out[count++] = &c->bodies.since[i];
    if (c->has_cell)
        out[count++] = &c->cell.since;
    return count;
}

static int find_values(scree_checkpoint* c, double* out[numbers_most])
{
    int count = 0;
    for (int32_t k = 0; k < c->number_count; ++k)
        if (!c->numbers[k].whole)
            out[count++] = &c->numbers[k].value;
    out[count++] = &c->time_step;
    out[count++] = &c->giant_radius;
    out[count++] = &c->force_quantum;
    for (int64_t k = 0; k < c->load_count && count < numbers_most - 80; ++k)
        out[count++] = &c->loads[k];
    for (int64_t k = 0; k < c->flow.sum_count && count < numbers_most - 40; ++k)
        out[count++] = &c->flow.sums[k];
    for (int32_t k = 0; k < c->account_count && count < numbers_most; ++k)
        out[count++] = &c->account[k];
    return count;
}

static void remove_checkpoints(const char* where)
{
    DIR* directory = opendir(where);
    for (struct dirent* entry; directory != NULL && (entry = readdir(directory)) != NULL;)
        if (strncmp(entry->d_name, "checkpoint_", 11) == 0)
            assert_int_equal(unlinkat(dirfd(directory), entry->d_name, 0), 0);
    closedir(directory);
}

// The resume of a checkpoint with this content: it is rejected, or the run goes on to its end, or to an error with a
// message. Under the sanitizers nothing is computed from a number without sense.
static int64_t try_resume(const char* where, const char* path, const scree_checkpoint* with)
{
    scree_run* run;
    scree_run_def def = scree_default_run_def();
    def.threads = 1;
    remove_checkpoints(where);  // a resume that goes on leaves others
    if (scree_write_checkpoint(path, with) != SCREE_OK)  // it says so itself
        return 1;
    scree_status status = scree_run_resume(&def, where, &run);
    if (status != SCREE_OK) {
        assert_true(status == SCREE_ERR_FORMAT || status == SCREE_ERR_ARGUMENT);
        return 1;
    }
    status = scree_run_go(run);
    assert_true(status == SCREE_OK || status == SCREE_ERR_ARGUMENT);
    scree_run_destroy(run);
    return 0;
}

static void alter_all(const char* text, const char* name, int64_t step, bool integers)
{
    static const int64_t whole[] = {INT64_MIN, INT64_MAX, 9000000};
    const double broken[] = {NAN, -1e308, 9.3e18};
    scree_run* run = begin(text, name);
    CHECK_OK(scree_run_go(run));
    scree_run_destroy(run);
    char path[64], where[1024], file[1024];
    snprintf(where, sizeof where, "%s", in_folder(name));
    snprintf(path, sizeof path, "%s/checkpoint_%012d.npz", name, (int)step);
    snprintf(file, sizeof file, "%s", in_folder(path));
    size_t log_size;
    char log_path[64];
    snprintf(log_path, sizeof log_path, "%s/log.csv", name);
    char* log = get_file(in_folder(log_path), &log_size);
    scree_checkpoint c;
    CHECK_OK(scree_read_checkpoint(file, &c));
    static int64_t* at[numbers_most];
    static double* values[numbers_most];
    int count = integers ? find_integers(&c, at) : find_values(&c, values);
    int64_t tried = 0, rejected = 0;
    if (try_resume(where, file, &c) != 0)
        fail_msg("the checkpoint unaltered: %s", scree_error_message());
    for (int n = 0; n < count; ++n)
        for (size_t k = 0; k < sizeof whole / sizeof *whole; ++k, ++tried) {
            int64_t kept = integers ? *at[n] : 0;
            double was = integers ? 0.0 : *values[n];
            if (integers)
                *at[n] = whole[k];
            else
                *values[n] = broken[k];
            rejected += try_resume(where, file, &c);
            if (integers)
                *at[n] = kept;
            else
                *values[n] = was;
            put_file(in_folder(log_path), log, log_size);
        }
    assert_true(tried > 50 && rejected > tried / 3);
    if (try_resume(where, file, &c) != 0)  // as it was
        fail_msg("the checkpoint as it was: %s", scree_error_message());
    scree_checkpoint_free(&c);
    free(log);
}

static void whole_numbers_of_spheres(void** state)
{
    (void)state;
    alter_all(of_all, "run", 36, true);
}

static void numbers_of_spheres(void** state)
{
    (void)state;
    alter_all(of_all, "run", 36, false);
}

static void numbers_of_bodies(void** state)
{
    (void)state;
    alter_all(of_bodies, "run", 30, true);
    alter_all(of_bodies, "run", 30, false);
}

// ---- Scenes at their limits -----------------------------------------------------------------------------------------

// The sanitizers see what is computed for nothing: no spheres that remember contacts, discs alone among bodies.
static void scenes_with_nothing_in_them(void** state)
{
    (void)state;
    go_through("box: {size: [1, 1, 1]}\nspheres: {count: 0, sizes: 'mono:0.1', place: random}\ncontact: {stiffness: 1000, friction: 0.5}\n"
               "insert: [{count: 2, start: 0.004, region: {lower: [0, 0, 0], upper: [1, 1, 1]}, every_steps: 1}]\ntime: {step: 1e-4, steps: 60}\norder_every: 7\noutput: {every_steps: 20}\n", "run");
    go_through("dimension: 2\nbox: {size: [4, 4]}\nspheres: {count: 3, sizes: 'mono:0.2', place: random}\n"
               "bodies: [{shape: star, vertices: 5, sizes: 'mono:0.3', place: random, count: 3}]\ncontact: {stiffness: 1000, friction: 0.5}\ntime: {step: 1e-4, steps: 20}\n", "run");
}

// No step follows from a dashpot beyond all bounds.
static void a_step_of_no_length_is_rejected(void** state)
{
    (void)state;
    scree_run* run;
    scree_run_def def = scree_default_run_def();
    scree_scene scene = scene_of("box: {size: [1, 1, 1]}\nspheres: {count: 2, sizes: 'mono:0.1', place: random}\ncontact: {stiffness: 1000, friction: 0.5, restitution: 0.5, tangential_damping: 1e300}\ntime: {steps: 10}\n"
                                 "output: {energies: true}\n");
    CHECK_FAILS(scree_run_create(&def, &scene, NULL, &run), SCREE_ERR_ARGUMENT, "test.yaml:3", "contact");
    scene_free(&scene);
}

static const test_case cases[] = {
    UNIT(frames_are_looked_for),
    UNIT(rows_of_the_log_are_compared),
    UNIT(a_long_last_row_is_found),
    UNIT(the_folder_is_there_to_the_end),
    UNIT(scenes_with_nothing_in_them),
    UNIT(a_step_of_no_length_is_rejected),
    PROPERTY(whole_numbers_of_spheres),
    PROPERTY(numbers_of_spheres),
    PROPERTY(numbers_of_bodies),
};

const test_group group_run_altered = {.name = "run_altered", .cases = cases, .count = sizeof cases / sizeof *cases, .begin = make_folder, .end = remove_folder, .before_each = start_clean};
