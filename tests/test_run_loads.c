// Loads in scenes and runs: read, refused with their place, written again, kept over a resume in the middle of ramps, sines and servos, and in the log.
#include "file_support.h"

#include <math.h>

#include "run/scene_parts.h"

// Everything that a scene can say about them.
static const char full[] = "box: {size: [0.02, 0.02, 0.03]}\n"
                           "walls:\n"
                           "  x: [0, {ramp: [0, -0.01], over: 0.02}]\n"
                           "  lower_z: {oscillate: {amplitude: 5e-4, frequency: 60, phase: 0.3}}\n"
                           "  lower_y: {oscillate: {amplitude: 1e-4, frequency: 40, direction: [1, 0, 0.5]}}\n"
                           "gravity: [0, 0, -9.81]\n"
                           "drag: {coefficient: 1e-6, per_mass: 0.5}\n"
                           "local_damping: 0.01\n"
                           "spheres:\n"
                           "- {name: few, count: 20, sizes: \"mono:1.2e-3\", place: random, material_density: 2000}\n"
                           "- {name: many, count: 120, sizes: \"mono:1e-3\", place: random, material_density: 2000}\n"
                           "contact: {duration: 2e-4, restitution: 0.5, friction: 0.3}\n"
                           "time: {steps: 4000}\n"
                           "output: {every_steps: 2000, log_every_steps: 100, energies: true}\n"
                           "checkpoint: {every: 300}\n"
                           "changes:\n"
                           "- {at: 1e-3, walls: {upper_z: {servo: {pressure: {ramp: [100, 300], over: 5e-3}, speed: 0.05}}}, torque: {many: {sine: [0, 0, 1e-9], frequency: 100}}}\n"
                           "- {at: 3e-3, gravity: {table: \"%s\"}, force: {few: [0, 0, 1e-4], many: {ramp: [[0, 0, 0], [1e-4, 0, 0]], over: 0.01}}, walls: {lower_y: {path: [[0, 0], [1e-3, 1e-4]]}}}\n"
                           "- {at: 5e-3, velocity: {few: {sine: [0.1, 0, 0], frequency: 300, mean: [0, 0, 0.01]}}, spin: {few: [0, 0, 10]}, drag: {per_mass: 2, spin: 1e-12}, local_damping: 0}\n"
                           "- {at: 9e-3, freeze: [few]}\n"
                           "- {at: 1.1e-2, release: [few], walls: {lower_z: {velocity: 0}}, gravity: [0, 0, -9]}\n";

static scree_scene parse_full(int64_t steps)
{
    char text[4096];
    scree_scene scene;
    snprintf(text, sizeof text, full, in_folder("gravity.csv"));
    CHECK_OK(scene_parse("full.yaml", text, strlen(text), &scene));
    scene.steps = steps;
    return scene;
}

static scree_run* begin(const char* name, int64_t steps)
{
    scree_scene scene = parse_full(steps);
    scree_run_def def = scree_default_run_def();
    scree_run* run;
    CHECK_OK(scree_run_create(&def, &scene, in_folder(name), &run));
    scene_free(&scene);
    CHECK_OK(scree_run_go(run));
    return run;
}

// A row of the log without the columns of work.
static char* log_of(const char* name)
{
    char path[64];
    snprintf(path, sizeof path, "%s/log.csv", name);
    return get_file(in_folder(path), NULL);
}

// The field of a column in the last row.
static double last_of(const char* log, const char* column)
{
    int number = 0, at = -1;
    size_t length = strlen(column);
    for (const char* c = log; *c != '\n'; ++number) {
        size_t here = strcspn(c, ",\n");
        if (here == length && strncmp(c, column, length) == 0)
            at = number;
        c += here + (c[here] == ',');
    }
    if (at < 0)
        fail_msg("there is no column %s", column);
    const char* row = log + strlen(log) - 1;
    while (row > log && row[-1] != '\n')
        --row;
    for (; at > 0; --at)
        row = strchr(row, ',') + 1;
    return strtod(row, NULL);
}

static bool stop_behind(void* context, const scree_run_progress* progress)
{
    return progress->step < *(const int64_t*)context;
}

static void a_run_with_loads_goes_on_as_if_never_stopped(void** state)
{
    (void)state;
    put_text(in_folder("gravity.csv"), "t,x,z\n0,0,-9.81\n1e-3,2,-9\n5e-3,0,-12\n");
    scree_run* run = begin("whole", 4000);
    uint64_t hash = scree_run_hash(run);
    scree_run_destroy(run);
    // Stopped on the way, at any moment, and resumed.
    for (int64_t part = 700; part < 4000; part += 1300) {
        char name[32];
        snprintf(name, sizeof name, "part%d", (int)part);
        scree_scene scene = parse_full(4000);
        scree_run_def def = scree_default_run_def();
        def.tell = stop_behind;
        def.context = &part;
        CHECK_OK(scree_run_create(&def, &scene, in_folder(name), &run));
        scene_free(&scene);
        scree_status status = scree_run_go(run);
        assert_true(status == SCREE_OK || status == SCREE_ERR_CANCELLED);
        scree_run_destroy(run);
        def = scree_default_run_def();
        CHECK_OK(scree_run_resume(&def, in_folder(name), &run));
        CHECK_OK(scree_run_go(run));
        assert_true(scree_run_hash(run) == hash);
        scree_run_destroy(run);
    }
    remove(in_folder("gravity.csv"));  // the folder has all that it needs
    scree_run_def def = scree_default_run_def();
    CHECK_OK(scree_run_resume(&def, in_folder("whole"), &run));
    assert_true(scree_run_hash(run) == hash);
    scree_run_destroy(run);
    char* log = log_of("whole");
    double kinetic = last_of(log, "energy_kinetic"), groups = last_of(log, "energy_kinetic_few") + last_of(log, "energy_kinetic_many");
    CHECK_CLOSE(groups, kinetic, 1e-12 * kinetic);
    CHECK_CLOSE(last_of(log, "energy_rotation_few") + last_of(log, "energy_rotation_many"), last_of(log, "energy_rotation"), 1e-12 * kinetic);
    assert_true(last_of(log, "dissipated_drag") > 0.0 && last_of(log, "dissipated_local") > 0.0);
    free(log);
}

// Reading what was written gives the same scene; tables stand in it once they are read.
static void scenes_with_loads_are_written(void** state)
{
    (void)state;
    put_text(in_folder("gravity.csv"), "t,x,z\n0,0,-9.81\n1e-3,2,-9\n5e-3,0,-12\n");
    scree_scene scene = parse_full(4000), again;
    for (int round = 0; round < 2; ++round) {
        CHECK_OK(scree_write_scene(in_folder("one.yaml"), &scene));
        CHECK_OK(scene_read(in_folder("one.yaml"), &again));
        CHECK_OK(scree_write_scene(in_folder("two.yaml"), &again));
        char *one = get_file(in_folder("one.yaml"), NULL), *two = get_file(in_folder("two.yaml"), NULL);
        assert_string_equal(one, two);
        assert_true((strstr(one, "gravity.csv") != NULL) == (round == 0));
        assert_non_null(strstr(one, "servo: {pressure: {ramp: [100, 300], over: 0.005}, speed: 0.05}"));
        free(one);
        free(two);
        scene_free(&again);
        CHECK_OK(scree_scene_read_tables(&scene));
    }
    assert_int_equal(scene.changes[1].loads[0].load.value.count, 3);
    CHECK_CLOSE(scene.changes[1].loads[0].load.value.table[10], 0.0, 0.0);
    CHECK_CLOSE(scene.changes[1].loads[0].load.value.table[11], -12.0, 0.0);
    scene_free(&scene);
}

static void scenes_that_are_refused(void** state)
{
    (void)state;
    static const char head[] = "dimension: %d\nbox: {size: [1, 1%s], periodic: [%s]}\nspheres: {name: all, count: 5, sizes: \"mono:0.05\", place: random%s}\ncontact: {stiffness: 100}\ntime: {end: 1}\n%s\n";
    static const struct {
        int dim;
        const char *periodic, *more, *line;
        const char *at, *says;
    } wrong[] = {
        {3, "", "", "walls: {lower_z: {servo: {force: 1}}}", ":6:26", "speed"},
        {3, "", "", "walls: {lower_z: {servo: {force: 1, pressure: 2, speed: 1}}}", ":6:26", "exactly one"},
        {3, "", "", "walls: {lower_z: {servo: {force: 1, speed: -1}}}", ":6:44", "'-1'"},
        {3, "", "", "walls: {lower_z: {wobble: 1}}", ":6:19", "'wobble'"},
        {3, "", "", "walls: {lower_z: {spin: 1}}", ":6:19", "'spin'"},
        {3, "", "", "walls: {lower_z: {oscillate: {amplitude: 1}}}", ":6:30", "frequency"},
        {3, "", "", "walls: {lower_z: {oscillate: {amplitude: 1, frequency: 1, direction: [0, 0, 0]}}}", ":6:70", "direction"},
        {3, "", "", "walls: {lower_z: {path: [[0, 0], [0, 1]]}}", ":6:34", "rising"},
        {3, "", "", "walls: {lower_z: 3}", ":6:18", "walls.lower_z"},
        {3, "z", "", "walls: {lower_z: {velocity: 1}}", ":6:18", "periodic"},
        {2, "", "", "walls: {lower_z: {velocity: 1}}", ":6:18", "z"},
        {3, "", "", "drag: {speed: 1}", ":6:8", "'speed'"},
        {3, "", "", "drag: {coefficient: -1}", ":6:21", "'-1'"},
        {3, "", "", "local_damping: 1", ":6:16", "1"},
        {3, "", "", "changes:\n- {at: 0.1, gravity: {ramp: [[0, 0, 0], [0, 0, 1]]}}", ":7:22", "over"},
        {3, "", "", "changes:\n- {at: 0.1, gravity: {ramp: [0, 1], over: 1}}", ":7:30", "3 numbers"},
        {3, "", "", "changes:\n- {at: 0.1, gravity: {sine: [0, 0, 1], frequency: 2, over: 1}}", ":7:60", "ramp"},
        {3, "", "", "changes:\n- {at: 0.1, gravity: {wave: 1}}", ":7:23", "'wave'"},
        {3, "", "", "changes:\n- {at: 0.1, freeze: [none]}", ":7:22", "none"},
        {3, "", "", "changes:\n- {at: 0.1, freeze: all}", ":7:21", "changes.freeze"},
        {3, "", "", "changes:\n- {at: 0.1, velocity: {all: [1, 2]}}", ":7:29", "3 numbers"},
        {3, "", ", fixed: true", "changes:\n- {at: 0.1, torque: {all: [1, 2, 3]}}", ":7:22", "fixed"},
        {3, "", "", "changes:\n- {at: 2, drag: {per_mass: 1}}", ":7:8", "after the end"},
        {3, "", "", "changes:\n- {at: 0.1, contact: {law: hertz}}", ":7:23", "contacts remember"},
        {3, "", "", "changes:\n- {at: 0.1, walls: {x: [0, {ramp: [0, 1], over: 0}]}}", ":7:49", "above 0"},
    };
    for (size_t n = 0; n < sizeof wrong / sizeof *wrong; ++n) {
        char text[1024];
        scree_scene scene;
        snprintf(text, sizeof text, head, wrong[n].dim, wrong[n].dim == 3 ? ", 1" : "", wrong[n].periodic, wrong[n].more, wrong[n].line);
        CHECK_FAILS(scene_parse("s.yaml", text, strlen(text), &scene), SCREE_ERR_FORMAT, wrong[n].at, wrong[n].says);
    }
}

// What shows only when a run begins: tables, and loads that the simulation refuses.
static void runs_that_are_refused(void** state)
{
    (void)state;
    static const char head[] = "box: {size: [1, 1, 1]}\nspheres: {name: all, count: 5, sizes: \"mono:0.05\", place: random}\ncontact: {stiffness: 100}\ntime: {end: 1}\n%s\n";
    static const struct {
        const char *table, *line, *at, *says;
        scree_status status;
    } wrong[] = {
        {NULL, "walls: {lower_z: {path: gone.csv}}", "s.yaml:5:25: walls.lower_z.path: ", "gone.csv: cannot open: No such file", SCREE_ERR_IO},
        {NULL, "surfaces: [{name: a, plane: {at: [0, 0, 0.1], normal: [0, 0, 1]}, path: gone.csv}]", "s.yaml:5:73: surfaces.path: ", "gone.csv", SCREE_ERR_IO},
        {NULL, "surfaces: [{name: a, plane: {at: [0, 0, 0.1], normal: [0, 0, 1]}, spin: {table: gone.csv}}]", "s.yaml:5:81: surfaces.spin.table: ", "gone.csv", SCREE_ERR_IO},
        {NULL, "drag:\n  coefficient: {table: gone.csv}", "s.yaml:6:24: drag.coefficient.table: ", "gone.csv", SCREE_ERR_IO},
        {NULL, "changes:\n- {at: 0, walls: {lower_z: {path: gone.csv}}}", "s.yaml:6:35: changes.walls.lower_z.path: ", "gone.csv", SCREE_ERR_IO},
        {"t,z\n", "walls: {lower_z: {path: t.csv}}", "t.csv", "no rows", SCREE_ERR_FORMAT},
        {"t,z\n0,1\n0,2\n", "walls: {lower_z: {path: t.csv}}", "t.csv:3", "rising", SCREE_ERR_FORMAT},
        {"t,z\n0,1,4\n", "walls: {lower_z: {path: t.csv}}", "t.csv:2", "3", SCREE_ERR_FORMAT},
        {"time,w\n0,nan\n", "walls: {lower_z: {path: t.csv}}", "t.csv:2", "nan", SCREE_ERR_FORMAT},
        {"a,b,c\n0,1,1\n", "changes:\n- {at: 0, gravity: {table: t.csv}}", "t.csv:1", "column 1", SCREE_ERR_FORMAT},
        {"t,z\n0,1\n", "changes:\n- {at: 0, gravity: {table: t.csv}}\n- {at: 0.5, torque: {all: [0, 0, 1]}}", "s.yaml:7:3", "group 0", SCREE_ERR_ARGUMENT},
    };
    for (size_t n = 0; n < sizeof wrong / sizeof *wrong; ++n) {
        char text[1024];
        scree_scene scene;
        scree_run_def def = scree_default_run_def();
        scree_run* run;
        if (wrong[n].table != NULL)
            put_text(in_folder("t.csv"), wrong[n].table);
        snprintf(text, sizeof text, head, wrong[n].line);
        put_text(in_folder("s.yaml"), text);
        CHECK_OK(scene_read(in_folder("s.yaml"), &scene));
        scree_status status = scree_run_create(&def, &scene, in_folder("refused"), &run);
        bool later = n + 1 == sizeof wrong / sizeof *wrong;
        if (later) {  // at its step
            CHECK_OK(status);
            status = scree_run_go(run);
            scree_run_destroy(run);
        }
        assert_int_equal(status, wrong[n].status);
        if (strstr(scree_error_message(), wrong[n].at) == NULL && !later)
            fail_msg("%s: %s", wrong[n].at, scree_error_message());
        if (strstr(scree_error_message(), wrong[n].says) == NULL)
            fail_msg("%s: %s", wrong[n].says, scree_error_message());
        scene_free(&scene);
    }
}

// A scene goes on from a run whose lid was pressed down: the box is that of the moment, and a frozen group is fixed.
static void a_press_is_a_start(void** state)
{
    (void)state;
    static const char first[] = "box: {size: [0.02, 0.02, 0.03]}\nspheres:\n- {name: base, count: 10, sizes: \"mono:1e-3\", place: random}\n- {name: rest, count: 30, sizes: \"mono:1e-3\", place: random}\n"
                                "contact: {stiffness: 100, restitution: 0.5}\ntime: {steps: 500}\nwalls: {upper_z: {velocity: {ramp: [-0.1, -0.2], over: 0.1}}}\nchanges:\n- {at: 0, freeze: [base]}\n";
    static const char second[] = "start: {run: pressed}\ncontact: {stiffness: 100, restitution: 0.5}\ntime: {steps: 10}\nchanges:\n- {at: 0, release: [base], force: {rest: {ramp: [[0, 0, 0], [0, 0, -1e-3]], over: 1e-3}}}\n";
    scree_scene scene;
    scree_run_def def = scree_default_run_def();
    scree_run* run;
    CHECK_OK(scene_parse("first.yaml", first, strlen(first), &scene));
    CHECK_OK(scree_run_create(&def, &scene, in_folder("pressed"), &run));
    scene_free(&scene);
    CHECK_OK(scree_run_go(run));
    scree_box box = scree_sim_get_box(scree_run_get_sim(run));
    double time = scree_sim_get_time(scree_run_get_sim(run));
    CHECK_CLOSE(box.upper[2], 0.03 - 0.1 * time - 0.5 * time * time, 1e-15);
    scree_run_destroy(run);
    put_text(in_folder("second.yaml"), second);
    CHECK_OK(scene_read(in_folder("second.yaml"), &scene));
    CHECK_OK(scree_run_create(&def, &scene, in_folder("next"), &run));
    CHECK_CLOSE(scree_sim_get_box(scree_run_get_sim(run)).upper[2], box.upper[2], 0.0);
    CHECK_OK(scree_run_go(run));
    assert_int_equal(scree_sim_get_numbers(scree_run_get_sim(run)).fixed, 0);
    scree_run_destroy(run);
    scene_free(&scene);
}

// Surfaces move by the same keys: from the start, and by changes that name them; written and read again.
static void surfaces_have_motions(void** state)
{
    (void)state;
    static const char text[] = "box: {size: [1, 1, 2]}\nspheres: {count: 5, sizes: \"mono:0.05\", place: random}\ncontact: {stiffness: 100, restitution: 0.5}\ntime: {steps: 500}\nsurfaces:\n"
                               "- {name: lid, plane: {at: [0, 0, 1.9], normal: [0, 0, -1]}, servo: {force: 1, speed: 0.5}}\n"
                               "- {name: paddle, disc: {at: [0.5, 0.5, 1.95], normal: [0, 0, 1], radius: 0.02}, about: [0.5, 0.5, 1.95], velocity: {ramp: [[0, 0, 0], [0.1, 0, 0]], over: 1}, spin: {sine: [0, 0, 2], frequency: 3}}\n"
                               "- {plane: {at: [0, 0, 1.99], normal: [0, 0, -1]}, oscillate: {amplitude: 1e-3, frequency: 20, direction: [0, 1, 0]}}\n"
                               "changes:\n- {at: 0.01, surfaces: {lid: {velocity: [0, 0, 0]}, paddle: {path: [[0, 0, 0, 0], [1, 0.1, 0, 0]], spin: [0, 0, 1]}}}\n";
    scree_scene scene, again;
    CHECK_OK(scene_parse("s.yaml", text, strlen(text), &scene));
    CHECK_OK(scree_write_scene(in_folder("one.yaml"), &scene));
    CHECK_OK(scene_read(in_folder("one.yaml"), &again));
    CHECK_OK(scree_write_scene(in_folder("two.yaml"), &again));
    char *one = get_file(in_folder("one.yaml"), NULL), *two = get_file(in_folder("two.yaml"), NULL);
    assert_string_equal(one, two);
    free(one);
    free(two);
    scree_run_def def = scree_default_run_def();
    scree_run* run;
    CHECK_OK(scree_run_create(&def, &again, in_folder("moved"), &run));
    CHECK_OK(scree_run_go(run));
    scree_sim* sim = scree_run_get_sim(run);
    scree_sim_boundary_report seen[9];
    assert_int_equal(scree_sim_get_boundaries(sim, seen, 9), 9);
    double time = scree_sim_get_time(sim), length = scree_sim_get_numbers(sim).time_step, change = ceil(0.01 / length - 1e-9) * length, lid = change - length;
    CHECK_CLOSE(seen[6].at[2], (seen[6].at[2] > 1.0 ? 1.9 : 0.0) - 0.5 * lid, 1e-9);  // from the second step on, as fast as it may, until the change
    CHECK_CLOSE(seen[7].at[0], 0.5 + 0.05 * change * change + 0.1 * (time - change), 1e-12);
    CHECK_CLOSE(seen[7].spin[2], 1.0, 0.0);
    CHECK_CLOSE(seen[8].velocity[1], 1e-3 * 40.0 * 3.14159265358979 * cos(40.0 * 3.14159265358979 * time), 1e-9);
    scree_run_destroy(run);
    CHECK_OK(scree_run_resume(&def, in_folder("moved"), &run));
    scree_run_destroy(run);
    scene_free(&scene);
    scene_free(&again);
    static const char wrong[] = "box: {size: [1, 1, 2]}\nspheres: {count: 5, sizes: \"mono:0.05\", place: random}\ncontact: {stiffness: 100}\ntime: {steps: 5}\nsurfaces:\n"
                                "- {name: lid, plane: {at: [0, 0, 1.9], normal: [0, 0, -1]}}\nchanges:\n- {at: 0, surfaces: {%s}}\n";
    const struct {
        const char *line, *says;
    } cases_of[] = {{"lip: {velocity: [0, 0, 1]}", "'lip'"}, {"lid: {speed: 1}", "'speed'"}, {"lid: {oscillate: {amplitude: 1, frequency: 1}}", "direction"}, {"lid: 3", "not a map"}};
    for (size_t n = 0; n < sizeof cases_of / sizeof *cases_of; ++n) {
        char bad[1024];
        snprintf(bad, sizeof bad, wrong, cases_of[n].line);
        CHECK_FAILS(scene_parse("s.yaml", bad, strlen(bad), &scene), SCREE_ERR_FORMAT, "s.yaml:8:", cases_of[n].says);
    }
}

static scree_status read_and_free(const char* path)
{
    scree_scene scene;
    scree_status status = scene_read(path, &scene);
    if (status != SCREE_OK)
        return status;
    status = scree_scene_read_tables(&scene);
    scene_free(&scene);
    return status;
}

static void memory_runs_out(void** state)
{
    (void)state;
    char text[4096];
    put_text(in_folder("gravity.csv"), "t,x,z\n0,0,-9.81\n1e-3,2,-9\n5e-3,0,-12\n");
    snprintf(text, sizeof text, full, in_folder("gravity.csv"));
    put_text(in_folder("full.yaml"), text);
    EACH_ALLOCATION_FAILS(read_and_free(in_folder("full.yaml")), (void)0);
    scree_scene scene;
    CHECK_OK(scene_read(in_folder("full.yaml"), &scene));
    scree_run_def def = scree_default_run_def();
    scree_run* run = NULL;
    EACH_ALLOCATION_FAILS(scree_run_create(&def, &scene, NULL, &run), assert_null(run));
    scree_run_destroy(run);
    scene_free(&scene);
}

static const test_case cases[] = {
    SAME_BITS(a_run_with_loads_goes_on_as_if_never_stopped),
    UNIT(scenes_with_loads_are_written),
    UNIT(scenes_that_are_refused),
    UNIT(runs_that_are_refused),
    UNIT(a_press_is_a_start),
    UNIT(surfaces_have_motions),
    ALLOCATION(memory_runs_out),
};

const test_group group_run_loads = {.name = "run_loads", .cases = cases, .count = sizeof cases / sizeof *cases, .begin = make_folder, .end = remove_folder, .before_each = start_clean};
