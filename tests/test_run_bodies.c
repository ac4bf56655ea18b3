// Scenes with bodies, run: what they begin with, the same trajectory as a simulation that is driven by hand, going on from checkpoints with other
// methods and threads, and errors that name body, vertex and line.
#include "file_support.h"

#include "run/scene_parts.h"
#include "scree/checkpoint.h"
#include "scree/outlines.h"

#include <math.h>
#include <sys/stat.h>

// Fixed ones that move and turn, drawn and by rule; discs of both kinds; gravity that changes; a periodic axis.
static const char scene_text[] = "dimension: 2\n"
                                 "box: {size: [4, 6], periodic: [x]}\n"
                                 "gravity: [0, -10]\n"
                                 "spheres: {count: 6, sizes: 'mono:0.1', place: lattice, spacing: 0.6, velocity: [0.5, 0]}\n"
                                 "bodies:\n"
                                 "- {points: [[0.5, 1.5], [2, 1.2], [2, 1.4]], fixed: true, velocity: [0, 1]}\n"
                                 "- {wall: [[2.2, 2.6], [3.6, 2]], thickness: 0.2, fixed: true}\n"
                                 "- {shape: star, vertices: 9, sizes: 'uniform-size:0.1:0.25', place: random, count: 30, region: [0, 3, 4, 6],\n"
                                 "   angle_spread: 3.1, velocity: [-25, -6], spin: 5, material_density: 2}\n"
                                 "- {shape: hook, sizes: 'mono:0.3', at: [[3.2, 0.9]], spin: 7, fixed: true}\n"
                                 "- {shape: disc, sizes: 'mono:0.12', place: random, count: 8}\n"
                                 "contact: {stiffness: 2e3, restitution: 0.4}\n"
                                 "time: {step: 4e-5, steps: 900}\n"
                                 "order_every: 70\n"
                                 "output: {every_steps: 150, contacts: true, log_every_steps: 33}\n"
                                 "checkpoint: {every: %d}\n"
                                 "changes: [{at: 0.01, gravity: [5, 0]}]\n";

static scree_scene scene_of(const char* text)
{
    scree_scene scene;
    CHECK_OK(scene_parse("test.yaml", text, strlen(text), &scene));
    return scene;
}

static scree_scene standard_scene(int every)
{
    char text[2048];
    snprintf(text, sizeof text, scene_text, every);
    return scene_of(text);
}

// ---- The start -------------------------------------------------------------------------------------------------------------------

// The circle about x that holds body i, vertex by vertex.
static double reach_of(const scree_body_set* set, int32_t i)
{
    const scree_body* b = &set->bodies[i];
    if (b->shape < 0)
        return b->radius;
    scree_polygon p = scree_shapes_get(&set->shapes, b->shape);
    scree_polygon_numbers numbers;
    CHECK_OK(scree_polygon_measure(p, &numbers));
    double most = 0.0;
    for (int32_t v = 0; v < p.count; ++v)
        most = fmax(most, hypot(p.xy[2 * v] - (b->fixed ? 0.0 : numbers.centre[0]), p.xy[2 * v + 1] - (b->fixed ? 0.0 : numbers.centre[1])));
    return most;
}

static void test_start(void** state)
{
    (void)state;
    scree_scene scene = standard_scene(100);
    scree_body_set set, again;
    CHECK_OK(scree_scene_make_bodies(&scene, (scree_watch){0}, &set));
    assert_int_equal(set.count, 6 + 1 + 1 + 30 + 1 + 8);
    for (int32_t i = 0; i < 6; ++i)
        assert_true(set.bodies[i].shape < 0 && set.bodies[i].radius == 0.1 && set.bodies[i].v[0] == 0.5);
    double least = INFINITY, most = 0.0;
    for (int32_t i = 8; i < 38; ++i) {
        const scree_body* b = &set.bodies[i];
        double r = reach_of(&set, i);
        assert_true(b->x[0] - r >= 0.0 && b->x[0] + r <= 4.0 && b->x[1] - r >= 3.0 - 1e-9 && b->x[1] + r <= 6.0);
        assert_true(b->v[1] == -6.0 && b->spin == 5.0 && b->material_density == 2.0 && fabs(b->angle) <= 3.1 && !b->fixed);
        assert_int_equal(scree_shapes_get(&set.shapes, b->shape).count, 9);
        least = fmin(least, r);
        most = fmax(most, r);
        for (int32_t j = 8; j < set.count; ++j)  // those at random keep off each other
            if (j != i && j != 38)
                assert_true(hypot(b->x[0] - set.bodies[j].x[0], b->x[1] - set.bodies[j].x[1]) >= r + reach_of(&set, j) - 1e-9);
    }
    assert_true(least > 0.1 && least < 0.11 && most > 0.24 && most < 0.25);
    // Nothing touches anything, also not what was drawn or laid: asked of the simulation.
    scree_polygon_sim_def def = scree_default_polygon_sim_def();
    def.box = set.box;
    def.stiffness = 1.0;
    scree_polygon_sim* sim;
    scree_polygon_sim_report report;
    CHECK_OK(scree_polygon_sim_create(&def, &set.shapes, set.count, set.bodies, &sim));
    CHECK_OK(scree_polygon_sim_measure(sim, &report));
    assert_int_equal(report.contacts + report.wall_contacts, 0);
    scree_polygon_sim_destroy(sim);
    // The same seed, the same bits; another, others.
    CHECK_OK(scree_scene_make_bodies(&scene, (scree_watch){0}, &again));
    for (int32_t i = 0; i < set.count; ++i)
        assert_true(set.bodies[i].x[0] == again.bodies[i].x[0] && set.bodies[i].angle == again.bodies[i].angle);
    scree_body_set_free(&again);
    scene.seed = 2;
    CHECK_OK(scree_scene_make_bodies(&scene, (scree_watch){0}, &again));
    assert_true(set.bodies[9].x[0] != again.bodies[9].x[0] && set.shapes.xy[20] != again.shapes.xy[20]);
    scree_body_set_free(&again);
    scree_body_set_free(&set);
    scene_free(&scene);
}

static scree_status try_scene(const char* bodies)
{
    char text[1024];
    snprintf(text, sizeof text, "dimension: 2\nbox: {size: [4, 4]}\ncontact: {stiffness: 1}\ntime: {steps: 1}\nbodies: %s\n", bodies);
    scree_scene scene;
    put_text(in_folder("scene.yaml"), text);
    CHECK_OK(scene_read(in_folder("scene.yaml"), &scene));
    scree_run_def def = scree_default_run_def();
    scree_run* run;
    scree_status status = scree_run_create(&def, &scene, NULL, &run);
    if (status == SCREE_OK)
        scree_run_destroy(run);
    scene_free(&scene);
    unlink(in_folder("scene.yaml"));
    return status;
}

static void test_errors(void** state)
{
    (void)state;
    CHECK_FAILS(try_scene("[{shape: disc, sizes: 'mono:0.5', place: random, count: 30}]"), SCREE_ERR_ARGUMENT, "scene.yaml:5:50", "30", "16");
    CHECK_FAILS(try_scene("[{shape: disc, sizes: 'mono:0.5', place: random, count: 20}]"), SCREE_ERR_ARGUMENT, "scene.yaml:5:50", "0.5");
    CHECK_FAILS(try_scene("[{shape: disc, sizes: 'mono:0.5', place: random, region: [0, 0, 4, 5]}]"), SCREE_ERR_ARGUMENT, "scene.yaml:5:66", "5");
    CHECK_FAILS(try_scene("[{shape: disc, sizes: 'mono:0.5', place: lattice, count: 30}]"), SCREE_ERR_ARGUMENT, "scene.yaml:5:50");
    CHECK_FAILS(try_scene("[{shape: disc, sizes: 'mono:0.5', at: [[2, 2]]}, {points: [[2.1, 2], [3, 1], [3, 3]]}]"), SCREE_ERR_ARGUMENT, "body 0", "0.390757");
    CHECK_FAILS(try_scene("[{points: [[1, 1], [2, 1], [2, 2], [1, 2]]}, {points: [[1.8, 1.5], [3, 1], [3, 2]]}]"), SCREE_ERR_ARGUMENT, "bodies 0 and 1", "0.0282095");
    CHECK_FAILS(try_scene("[{shape: disc, sizes: 'mono:0.5', at: [[0.2, 2]]}]"), SCREE_ERR_ARGUMENT);
    // Chance keeps off what stands there, whether it comes before or after.
    CHECK_OK(try_scene("[{shape: disc, sizes: 'mono:0.3', place: random, count: 3}, {points: [[0, 0], [4, 0], [4, 3], [0, 3]], fixed: true}]"));
    CHECK_FAILS(try_scene("[{file: none.txt}]"), SCREE_ERR_IO, "scene.yaml:5:17", "none.txt");
    CHECK_FAILS(try_scene("[{shape: disc, sizes: mono:1, at: [[2, 2]]}, {shape: disc, sizes: table:none.csv, at: [[1, 1]]}]"), SCREE_ERR_IO,
                "scene.yaml:5:75", "none.csv");
    const struct {
        const char *text, *wanted;
    } files[] = {{"", ""},
                 {"0 0\n1 0\n", "shapes.txt:1 | 0"},
                 {"0 0\n1 0\n1 x\n", "shapes.txt:3 | vertex 2 | '1 x'"},
                 {"0 0\n1 0\n1 1 1\n", "shapes.txt:3 | vertex 2 | '1 1 1'"},
                 {"# two\n0 0\n1 0\n1 1\n\n\n0 0\n1 1\n1 0\n0 1\n", "shapes.txt:7 | 1"}};
    for (size_t f = 0; f < sizeof files / sizeof *files; ++f) {
        put_text(in_folder("shapes.txt"), files[f].text);
        CHECK_FAILS(try_scene("[{file: shapes.txt}]"), SCREE_ERR_FORMAT, files[f].wanted);
    }
    put_text(in_folder("shapes.txt"), "0,0\n1,0\n# inside\n1,1 # last\n\n2 2\n3 2\n3 3\r\n");
    CHECK_OK(try_scene("[{file: shapes.txt}]"));
    CHECK_OK(try_scene("[{file: shapes.txt, place: random, count: 3}]"));
}

// ---- Running ---------------------------------------------------------------------------------------------------------------------

// By hand: the library's own calls, without any of src/run but the start.
static uint64_t drive(const scree_scene* scene, double friction)
{
    scree_body_set set;
    CHECK_OK(scree_scene_make_bodies(scene, (scree_watch){0}, &set));
    scree_polygon_sim_def def = scree_default_polygon_sim_def();
    def.box = set.box;
    def.gravity[1] = -10.0;
    def.stiffness = 2e3;
    def.restitution = 0.4;
    def.friction = friction;
    def.time_step = 4e-5;
    def.wrap_every = 70;
    scree_polygon_sim* sim;
    CHECK_OK(scree_polygon_sim_create(&def, &set.shapes, set.count, set.bodies, &sim));
    CHECK_OK(scree_polygon_sim_run(sim, 250));
    CHECK_OK(scree_polygon_sim_set_gravity(sim, (const double[2]){5.0, 0.0}));
    CHECK_OK(scree_polygon_sim_run(sim, 650));
    uint64_t hash = scree_polygon_sim_hash(sim);
    scree_polygon_sim_destroy(sim);
    scree_body_set_free(&set);
    return hash;
}

static char* log_of(const char* path)  // without the columns of work: rebuilds and seconds
{
    char name[1024];
    snprintf(name, sizeof name, "%s/log.csv", path);
    char *text = get_file(name, NULL), *to = text;
    bool work[64] = {false};
    int row = 0, field = 0;
    for (char* at = text; *at != '\0';) {
        size_t length = strcspn(at, ",\n");
        bool ends = at[length] != ',';
        assert_true(field < 64);
        if (row == 0)
            work[field] = strncmp(at, "rebuilds", 8) == 0 || strncmp(at, "seconds", 7) == 0;
        if (!work[field]) {
            memmove(to, at, length);
            to += length;
            *to++ = ',';
        }
        row += ends;
        field = ends ? 0 : field + 1;
        at += length + (at[length] != '\0');
    }
    *to = '\0';
    return text;
}

// Each resume begins at another step; what it goes on with, and with how many threads, does not matter.
static void test_resume(void** state)
{
    (void)state;
    static const int32_t methods[] = {SCREE_METHOD_ALL_PAIRS, SCREE_METHOD_LINEAR_LIST, SCREE_METHOD_LINKED_CELLS, SCREE_METHOD_HIERARCHICAL_GRID};
    static const int every[] = {37, 143, 250, 899};
    uint64_t wanted = 0;
    for (int n = 0; n < 4; ++n) {
        scree_scene scene = standard_scene(every[n]);
        scree_run_def def = scree_default_run_def();
        scree_run* run;
        if (n % 2 == 1)
            scene.contact.values.friction = 0.4;
        uint64_t before = wanted;
        wanted = drive(&scene, n % 2 == 1 ? 0.4 : 0.0);
        assert_true(wanted != before);
        CHECK_OK(scree_run_create(&def, &scene, in_folder("run"), &run));
        assert_null(scree_run_get_sim(run));
        CHECK_OK(scree_run_go(run));
        scree_polygon_sim_report report;
        CHECK_OK(scree_polygon_sim_measure(scree_run_get_polygon_sim(run), &report));
        assert_true(report.contacts > 0 && report.step == 900);  // something has happened
        assert_true(scree_run_hash(run) == wanted);
        scree_run_destroy(run);
        char path[1024], *log = log_of(in_folder("run"));
        assert_non_null(strstr(log, ",work_gravity,sliding,balance,"));
        snprintf(path, sizeof path, "%s/frames/frame_000006.vtp", in_folder("run"));
        size_t size, again_size;
        char* frame = get_file(path, &size);
        unlink(path);
        assert_int_equal(unlink(in_folder("run/checkpoint_000000000900.npz")), 0);
        def.method = methods[n];
        def.threads = 1 + n % 3;
        CHECK_OK(scree_run_resume(&def, in_folder("run"), &run));
        assert_int_equal(scree_polygon_sim_get_step(scree_run_get_polygon_sim(run)), 899 / every[n] * every[n]);
        CHECK_OK(scree_run_go(run));
        assert_true(scree_run_hash(run) == wanted);
        scree_run_destroy(run);
        char *log_again = log_of(in_folder("run")), *frame_again = get_file(path, &again_size);
        assert_string_equal(log, log_again);
        assert_int_equal(size, again_size);
        assert_memory_equal(frame, frame_again, size);
        free(log);
        free(log_again);
        free(frame);
        free(frame_again);
        scree_outline_set set;
        CHECK_OK(scree_read_outlines(path, NULL, &set));
        assert_int_equal(set.bodies.count, 47);
        scree_outline_set_free(&set);
        scene_free(&scene);
        remove_all(in_folder("run"));
    }
}

// While the state of a checkpoint is set, the watch is asked, and the last checkpoint is longer ago than checkpoint.every: that is no reason to stop.
static void test_resume_with_checkpoints_by_the_clock(void** state)
{
    (void)state;
    scree_scene scene = standard_scene(900);
    scene.checkpoint_seconds = 1e-9;
    scree_run_def def = scree_default_run_def();
    scree_run* run;
    CHECK_OK(scree_run_create(&def, &scene, in_folder("run"), &run));
    CHECK_OK(scree_run_go(run));
    uint64_t hash = scree_run_hash(run);
    scree_run_destroy(run);
    CHECK_OK(scree_run_resume(&def, in_folder("run"), &run));
    CHECK_OK(scree_run_go(run));
    assert_true(scree_run_hash(run) == hash);
    scree_run_destroy(run);
    scene_free(&scene);
    remove_all(in_folder("run"));
}

static bool tell_at_most(void* context, const scree_run_progress* progress)
{
    (void)progress;
    return --*(int*)context > 0;
}

// Checkpoints are due all the time, also in the midst of steps of many bodies: each comes after a whole step, and the run gets on.
static void test_steps_longer_than_the_time_between_checkpoints(void** state)
{
    (void)state;
    scree_scene scene = scene_of("dimension: 2\nbox: {size: [10, 10]}\ncontact: {stiffness: 1e3}\ntime: {step: 1e-5, steps: 5}\n"
                                 "bodies: [{shape: star, vertices: 9, sizes: 'mono:0.05', place: random, count: 700, velocity: [1, 0], spin: 2}]\n");
    scree_run_def def = scree_default_run_def();
    def.threads = 1;
    scree_run* run;
    CHECK_OK(scree_run_create(&def, &scene, in_folder("run"), &run));
    CHECK_OK(scree_run_go(run));
    uint64_t hash = scree_run_hash(run);
    scree_run_destroy(run);
    remove_all(in_folder("run"));
    scene.checkpoint_seconds = 1e-9;
    int left = 1000;
    def.tell = tell_at_most;
    def.context = &left;
    CHECK_OK(scree_run_create(&def, &scene, in_folder("run"), &run));
    left = 200;
    CHECK_OK(scree_run_go(run));
    assert_true(left < 195);
    assert_true(scree_run_hash(run) == hash);
    scree_run_destroy(run);
    // Stopped in its first step, it has a checkpoint of the step before.
    remove_all(in_folder("run"));
    left = 1000;
    CHECK_OK(scree_run_create(&def, &scene, in_folder("run"), &run));
    left = 1;
    CHECK_FAILS(scree_run_go(run), SCREE_ERR_CANCELLED, "step 0");
    assert_int_equal(scree_polygon_sim_get_step(scree_run_get_polygon_sim(run)), 0);
    scree_run_destroy(run);
    left = 1000;
    CHECK_OK(scree_run_resume(&def, in_folder("run"), &run));
    CHECK_OK(scree_run_go(run));
    assert_true(scree_run_hash(run) == hash);
    scree_run_destroy(run);
    scene_free(&scene);
    remove_all(in_folder("run"));
}

static void test_refusals(void** state)
{
    (void)state;
    scree_scene scene = standard_scene(100);
    scree_run_def def = scree_default_run_def();
    scree_run* run;
    def.verify = true;
    CHECK_FAILS(scree_run_create(&def, &scene, NULL, &run), SCREE_ERR_ARGUMENT);
    scene_free(&scene);
}

// ---- Checkpoints and memory --------------------------------------------------------------------------------------------------------

static void test_checkpoint(void** state)
{
    (void)state;
    scree_scene scene = standard_scene(300);
    scree_run_def def = scree_default_run_def();
    scree_run* run;
    CHECK_OK(scree_run_create(&def, &scene, in_folder("run"), &run));
    CHECK_OK(scree_run_go(run));
    scree_run_destroy(run);
    scree_checkpoint c;
    CHECK_OK(scree_read_checkpoint(in_folder("run/checkpoint_000000000600.npz"), &c));
    assert_true(c.has_bodies && c.format_version == 6 && c.count == 47 && c.bodies.step == 600);
    assert_true(c.bodies.gravity[0] == 5.0 && c.r[0] == 0.1 && c.shape[0] == -1 && c.fixed[6] == 1 && c.density[8] == 2.0);
    const char* path = in_folder("run/again.npz");
    CHECK_OK(scree_write_checkpoint(path, &c));
    size_t size, again_size;
    char *one = get_file(in_folder("run/checkpoint_000000000600.npz"), &size), *other = get_file(in_folder("run/again.npz"), &again_size);
    assert_int_equal(size, again_size);
    assert_memory_equal(one, other, size);
    free(one);
    free(other);
    // Invalid input is not written.
    int32_t shape = c.shape[7];
    c.shape[7] = c.shapes.count;
    CHECK_FAILS(scree_write_checkpoint(in_folder("run/again.npz"), &c), SCREE_ERR_ARGUMENT, "body 7");
    c.shape[7] = shape;
    c.shapes.first[1] += 100000;
    CHECK_FAILS(scree_write_checkpoint(in_folder("run/again.npz"), &c), SCREE_ERR_ARGUMENT, "shape 1");
    c.shapes.first[1] -= 100000;
    c.bodies.angle[3] += 1.0;
    CHECK_FAILS(scree_write_checkpoint(in_folder("run/again.npz"), &c), SCREE_ERR_ARGUMENT);
    scree_checkpoint_free(&c);
    EACH_ALLOCATION_FAILS(scree_read_checkpoint(in_folder("run/checkpoint_000000000600.npz"), &c), (void)0);
    scree_checkpoint_free(&c);
    scene_free(&scene);
}

static void test_allocations(void** state)
{
    (void)state;
    scree_scene scene = standard_scene(300);
    scree_body_set set;
    EACH_ALLOCATION_FAILS(scree_scene_make_bodies(&scene, (scree_watch){0}, &set), (void)0);
    scree_body_set_free(&set);
    scene_free(&scene);
    scene = scene_of("dimension: 2\nbox: {size: [4, 4]}\ncontact: {stiffness: 1}\ntime: {steps: 1}\noutput: {contacts: true}\n"
                     "bodies: [{points: [[1, 1], [2, 1], [2, 2], [1, 2]]}, {shape: disc, sizes: 'mono:0.1', place: random}]\n");
    scree_run_def def = scree_default_run_def();
    def.threads = 1;
    scree_run* run;
    EACH_ALLOCATION_FAILS(scree_run_create(&def, &scene, in_folder("run"), &run), (void)0);
    CHECK_OK(scree_run_go(run));
    scree_run_destroy(run);
    EACH_ALLOCATION_FAILS(scree_run_resume(&def, in_folder("run"), &run), (void)0);
    scree_run_destroy(run);
    scene_free(&scene);
}

// The rule and the rounding of a scene reach the simulation, survive scene.yaml and a resume; drawn bodies stay where they were drawn; corners that cannot be as round are noted.
static void test_rules(void** state)
{
    (void)state;
    static const char text[] = "dimension: 2\nbox: {size: [8, 4]}\ntime: {step: 1e-4, steps: 40}\ncheckpoint: {every: 20}\ngravity: [0, -10]\n"
                               "bodies: [{points: [[1, 1], [4, 1], [1, 2]]}, {points: [[5, 1], [7, 1], [7, 1.02], [5, 1.02]]}]\ncontact: {stiffness: 1e4, friction: 0.3, %s}\n";
    static const char* const rules[] = {"rounding: 0.2", "rule: node-to-segment"};
    scree_run_def def = scree_default_run_def();
    for (int n = 0; n < 2; ++n) {
        char full[1024];
        snprintf(full, sizeof full, text, rules[n]);
        scree_scene scene;
        CHECK_OK(scene_parse("test.yaml", full, strlen(full), &scene));
        scree_run* run;
        CHECK_OK(scree_run_create(&def, &scene, in_folder(n == 0 ? "round" : "sharp"), &run));
        scree_outlines o;
        CHECK_OK(scree_polygon_sim_get_outlines(scree_run_get_polygon_sim(run), &o));
        double lower[2] = {INFINITY, INFINITY};
        for (int64_t v = o.first[0]; v < o.first[1]; ++v)
            for (int k = 0; k < 2; ++k)
                lower[k] = fmin(lower[k], o.xy[v][k]);
        CHECK_CLOSE(lower[0], 1.0, 1e-12);
        CHECK_CLOSE(lower[1], 1.0, 1e-12);
        CHECK_CLOSE(scree_polygon_sim_get_numbers(scree_run_get_polygon_sim(run)).rounding, n == 0 ? 0.2 : 0.0, 0.0);
        assert_true((strstr(scree_run_get_note(run), "body 1") != NULL && strstr(scree_run_get_note(run), "contact.rounding") != NULL) == (n == 0));
        CHECK_OK(scree_run_go(run));
        const uint64_t hash = scree_polygon_sim_hash(scree_run_get_polygon_sim(run));
        scree_run_destroy(run);
        CHECK_OK(scree_run_resume(&def, in_folder(n == 0 ? "round" : "sharp"), &run));
        assert_true(scree_polygon_sim_hash(scree_run_get_polygon_sim(run)) == hash);
        scree_run_destroy(run);
        scene_free(&scene);
    }
    static const char* const wrong[][2] = {{"rule: round", "contact.rule"}, {"rounding: 0", "contact.rounding"}, {"rule: node-to-segment, rounding: 0.1", "contact.rounding"}};
    for (int n = 0; n < 3; ++n) {
        char full[1024];
        scree_scene scene;
        snprintf(full, sizeof full, text, wrong[n][0]);
        CHECK_FAILS(scene_parse("test.yaml", full, strlen(full), &scene), SCREE_ERR_FORMAT, "test.yaml:7", wrong[n][1]);
    }
}

static const test_case cases[] = {
    UNIT(test_start),
    UNIT(test_rules),
    UNIT(test_errors),
    SAME_BITS(test_resume),
    UNIT(test_resume_with_checkpoints_by_the_clock),
    UNIT(test_steps_longer_than_the_time_between_checkpoints),
    UNIT(test_refusals),
    ALLOCATION(test_checkpoint),
    ALLOCATION(test_allocations),
};

const test_group group_run_bodies = {.name = "run_bodies", .cases = cases, .count = sizeof cases / sizeof *cases, .begin = make_folder, .end = remove_folder, .before_each = start_clean};
