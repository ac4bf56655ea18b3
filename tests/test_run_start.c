// Scenes that begin from the state of another run: what is taken over, that the trajectory goes on, the box, the folders, and what is refused.
#include "file_support.h"

#include "run/run_inner.h"
#include "scree/report.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

// ---- Scenes and runs -------------------------------------------------------------------------------------------------------

static scree_scene scene_of(const char* text)
{
    scree_scene scene;
    put_text(in_folder("scene.yaml"), text);
    CHECK_OK(scene_read(in_folder("scene.yaml"), &scene));
    return scene;
}

static scree_run* begin(const char* text, const char* name)
{
    scree_scene scene = scene_of(text);
    scree_run_def def = scree_default_run_def();
    scree_run* run;
    CHECK_OK(scree_run_create(&def, &scene, name != NULL ? in_folder(name) : NULL, &run));
    scene_free(&scene);
    return run;
}

static scree_run* go(const char* text, const char* name)
{
    scree_run* run = begin(text, name);
    CHECK_OK(scree_run_go(run));
    return run;
}

static void leave(const char* text, const char* name)
{
    scree_run_destroy(go(text, name));
}

// A column of a simulation; the caller frees it.
static double* column_of(scree_run* run, const char* name)
{
    double* values = malloc((size_t)scree_sim_get_count(run->sim) * 3 * sizeof *values);
    CHECK_OK(scree_sim_get_column(run->sim, name, values));
    return values;
}

static void check_same_column_bits(scree_run* a, scree_run* b, const char* name, size_t bytes)
{
    void *one = column_of(a, name), *other = column_of(b, name);
    if (memcmp(one, other, (size_t)scree_sim_get_count(a->sim) * bytes) != 0)
        fail_msg("column %s differs", name);
    free(one);
    free(other);
}

// The largest difference in a column of vectors.
static double apart(scree_run* a, scree_run* b, const char* name)
{
    double *one = column_of(a, name), *other = column_of(b, name), most = 0.0;
    assert_int_equal(scree_sim_get_count(a->sim), scree_sim_get_count(b->sim));
    for (int64_t e = 0; e < (int64_t)scree_sim_get_count(a->sim) * scree_sim_get_box(a->sim).dim; ++e)
        most = fmax(most, fabs(one[e] - other[e]));
    free(one);
    free(other);
    return most;
}

// Three groups of two materials, one of them fixed and one pushed, along a periodic axis that is left during the run, with a wall that moves.
#define MIXED                                                                                                                                                  \
    "dimension: 2\nbox: {size: [1, 1], periodic: [x], origin: [-0.25, 0]}\ngravity: [0, -9.81]\nwalls: {y: [0, -0.5]}\norder_every: 1000\n"                     \
    "materials: {glass: {material_density: 2}, steel: {material_density: 7}}\n"                                                                                 \
    "spheres:\n"                                                                                                                                                \
    "- {name: base, count: 10, sizes: 'mono:0.04', place: lattice, material: steel, fixed: true}\n"                                                             \
    "- {name: movers, count: 40, sizes: 'uniform-size:0.02:0.05', place: random, material: glass, force: [0.1, 0], velocity: [3, -4]}\n"                        \
    "- {count: 5, sizes: 'mono:0.03', place: random, material: steel, velocity: thermal, temperature: 0.01}\n"                                                  \
    "contact: {stiffness: 500, restitution: 0.6}\n"                                                                                                             \
    "changes: [{at: 0.04, force: {movers: [0, 0.2]}}, {at: 0.05, gravity: [0, -9.5], walls: {y: [0, -0.4]}}]\n"

#define MIXED_RUN MIXED "time: {step: 4e-4, steps: 150}\n"

// ---- What is taken over ----------------------------------------------------------------------------------------------------

static void test_the_state_is_taken_over(void** state)
{
    (void)state;
    scree_run* first = go(MIXED_RUN, "first");
    // Everything that can be another is another.
    scree_run* next = begin("dimension: 2\nstart: {run: first, at: last}\ngravity: [1, 2]\ncontact: {stiffness: 9e3, damping: 0.1}\n"
                            "time: {step: 1e-4, steps: 30}\nseed: 7\norder_every: 11\n", "next");
    assert_int_equal(scree_sim_get_step(next->sim), 0);
    assert_int_equal(scree_sim_get_count(next->sim), 55);
    check_same_column_bits(first, next, "x", 2 * sizeof(double));
    check_same_column_bits(first, next, "v", 2 * sizeof(double));
    check_same_column_bits(first, next, "force", 2 * sizeof(double));
    check_same_column_bits(first, next, "radius", sizeof(double));
    check_same_column_bits(first, next, "inverse_mass", sizeof(double));
    check_same_column_bits(first, next, "material", sizeof(uint16_t));
    check_same_column_bits(first, next, "group", sizeof(uint16_t));
    check_same_column_bits(first, next, "flags", 1);
    check_same_column_bits(first, next, "id", sizeof(int64_t));
    assert_true(apart(first, next, "a") > 1.0);  // another gravity, another stiffness
    // At least one sphere is not in the box along x, and so still is.
    double* x = column_of(next, "x");
    int outside = 0;
    for (int i = 0; i < 55; ++i)
        outside += x[2 * i] > 0.75;
    free(x);
    assert_true(outside > 0);
    scree_box one = scree_sim_get_box(first->sim), other = scree_sim_get_box(next->sim);
    check_same_bits(one.lower, other.lower, 2, "lower");
    check_same_bits(one.upper, other.upper, 2, "upper");
    assert_true(other.periodic[0] && !other.periodic[1] && other.upper[1] < 0.98);
    // Force and names of now are in the scene of the new run; gravity is its own.
    const scree_scene* scene = scree_run_get_scene(next);
    assert_int_equal(scene->group_count, 3);
    assert_int_equal(scene->material_count, 2);
    assert_string_equal(scene->materials[1].name, "steel");
    assert_string_equal(scene->groups[1].name, "movers");
    assert_true(scene->groups[0].fixed && scene->groups[0].count == 10 && scene->groups[1].count == 40 && scene->groups[2].count == 5);
    assert_true(scene->groups[1].force[0] == 0.0 && scene->groups[1].force[1] == 0.2 && scene->groups[2].material == 1);
    assert_int_equal(scene->start_step, 150);
    assert_true(scene->sim.gravity[1] == 2.0 && scene->seed == 7 && scene->listed);
    CHECK_OK(scree_run_go(next));
    CHECK_OK(scree_sim_validate(next->sim));
    CHECK_OK(scree_run_write_report(next));
    char* page = get_file(in_folder("next/report.html"), NULL);
    assert_non_null(strstr(page, "start run"));
    free(page);
    scree_run_destroy(first);
    scree_run_destroy(next);
}

static scree_sim_memory memory_of(scree_run* run)
{
    scree_sim_memory memory;
    CHECK_OK(scree_sim_get_memory(run->sim, &memory));
    return memory;
}

// What contacts remember goes over with the law; in another box only that of spheres which touch inside of it, and to another law nothing.
static void test_memory_is_taken_over(void** state)
{
    (void)state;
    static const char* const base = "box: {size: [4, 4, 4], periodic: [x]}\nspheres: {count: 64, sizes: 'mono:0.495', place: lattice, velocity: thermal, temperature: 1}\n"
                                    "contact: {law: record, stiffness: 100}\ntime: {steps: 400}\n";
    scree_run* first = go(base, "first");
    scree_sim_memory then = memory_of(first);
    assert_true(then.count > 20);
    int64_t inside = 0;
    for (int64_t c = 0; c < then.count; ++c)
        inside += then.ij[c][1] >= 0 && then.shift[c][0] == 0;
    assert_true(inside > 5 && inside < then.count - 5);
    scree_run* next = begin("start: {run: first}\ncontact: {law: record, stiffness: 100}\ntime: {steps: 3}\n", "next");
    scree_sim_memory now = memory_of(next);
    assert_true(now.count == then.count);
    assert_memory_equal(now.ij, then.ij, (size_t)then.count * sizeof *then.ij);
    assert_memory_equal(now.shift, then.shift, (size_t)then.count * sizeof *then.shift);
    assert_memory_equal(now.values, then.values, (size_t)then.count * 3 * sizeof *then.values);
    scree_run_destroy(next);
    next = begin("start: {run: first}\nbox: {size: [9, 9, 9], origin: [-2, -2, -2]}\ncontact: {law: record, stiffness: 100}\ntime: {steps: 3}\n", "wide");
    now = memory_of(next);
    assert_int_equal(now.count, inside);
    assert_null(now.shift);
    CHECK_OK(scree_run_go(next));
    scree_run_destroy(next);
    // Walls of both at the same place: those of y, and the lower one of z.
    next = begin("start: {run: first}\nbox: {size: [9, 4, 9], origin: [-2, 0, 0]}\ncontact: {law: record, stiffness: 100}\ntime: {steps: 3}\n", "tall");
    now = memory_of(next);
    int64_t with_walls = 0;
    for (int64_t c = 0; c < then.count; ++c)
        with_walls += then.ij[c][1] < 0 && then.ij[c][1] >= -5;
    assert_true(with_walls > 5);
    assert_int_equal(now.count, inside + with_walls);
    scree_run_destroy(next);
    next = begin("start: {run: first}\ncontact: {stiffness: 100}\ntime: {steps: 3}\n", "linear");
    assert_int_equal(memory_of(next).count, 0);
    scree_run_destroy(next);
    // From walls into periodic axes.
    next = begin("start: {run: wide}\nbox: {size: [9, 9, 9], origin: [-2, -2, -2], periodic: [x, y, z]}\ncontact: {law: record, stiffness: 100}\ntime: {steps: 3}\n", "round");
    now = memory_of(next);
    assert_true(now.count > 5 && now.count <= inside + 5 && now.shift != NULL);
    CHECK_OK(scree_run_go(next));
    scree_run_destroy(next);
    scree_run_destroy(first);
}

// A scene without a contact has that of the other run, with its pairs; then accelerations pass over too.
static void test_the_contact_is_taken_over(void** state)
{
    (void)state;
    static const char* const base = "box: {size: [3, 3, 4], container: cylinder}\ngravity: [0, 0, -1]\nmaterials: {a: {material_density: 1}, b: {material_density: 2}}\nwalls: {material: b}\n"
                                    "spheres:\n- {name: one, count: 30, sizes: 'mono:0.2', place: random, material: a}\n- {count: 20, sizes: 'mono:0.25', place: random, material: b, velocity: [0, 0, -1]}\n"
                                    "contact: {stiffness: 100}\npairs:\n- {between: [a, a], restitution: 0.9}\n- {between: [a, b], stiffness: 300, restitution: 0.7}\n- {between: [b, b], restitution: 0.5}\n";
    char text[1200];
    snprintf(text, sizeof text, "%stime: {step: 1e-3, steps: 800}\norder_every: 400\n", base);
    scree_run* whole = go(text, "whole");
    snprintf(text, sizeof text, "%stime: {step: 1e-3, steps: 400}\norder_every: 400\n", base);
    leave(text, "first");
    scree_run* next = go("gravity: [0, 0, -1]\nstart: {run: first}\ntime: {step: 1e-3, steps: 400}\norder_every: 400\n", "next");
    check_same_column_bits(whole, next, "x", 3 * sizeof(double));
    check_same_column_bits(whole, next, "v", 3 * sizeof(double));
    assert_int_equal(next->set.container, SCREE_CONTAINER_CYLINDER);
    assert_int_equal(scree_run_get_scene(next)->pair_count, 3);
    uint64_t hash = scree_sim_hash(next->sim);
    scree_run_destroy(next);
    scree_run_destroy(whole);
    remove_all(in_folder("first"));
    scree_run_def def = scree_default_run_def();
    def.until_steps = 500;
    CHECK_OK(scree_run_resume(&def, in_folder("next"), &next));  // its scene.yaml has it all
    assert_true(scree_sim_hash(next->sim) == hash);
    CHECK_OK(scree_run_go(next));
    scree_run_destroy(next);
    leave(text, "first");
    scree_scene scene = scene_of("start: {run: first}\ntime: {steps: 4}\ncontact: {restitution: 0.5}\n");
    def = scree_default_run_def();
    CHECK_FAILS(scree_run_create(&def, &scene, in_folder("wrong"), &next), SCREE_ERR_ARGUMENT, "scene.yaml:3", "contact");
    scene_free(&scene);
}

// A single map without a name: one group, and no columns for what all spheres have in common.
static void test_a_single_map_is_taken_over(void** state)
{
    (void)state;
    scree_run* first = go("box: {size: [1, 1, 1]}\nspheres: {count: 8, sizes: 'mono:0.1', place: lattice, velocity: [1, 2, 3], material_density: 3}\n"
                          "contact: {stiffness: 100}\ntime: {step: 1e-3, steps: 20}\n", "first");
    scree_run* next = begin("start: {run: first}\ncontact: {stiffness: 100}\ntime: {steps: 0}\n", "next");
    check_same_column_bits(first, next, "x", 3 * sizeof(double));
    check_same_column_bits(first, next, "v", 3 * sizeof(double));
    check_same_column_bits(first, next, "inverse_mass", sizeof(double));
    assert_int_equal(scree_sim_get_columns(first->sim, NULL, 0), scree_sim_get_columns(next->sim, NULL, 0));
    assert_int_equal(scree_run_get_scene(next)->groups[0].count, 8);
    CHECK_OK(scree_run_go(next));
    scree_run_destroy(first);
    scree_run_destroy(next);
}

// One density for all, whatever groups and materials had: masses and moments of inertia are new, what contacts remember is not.
static void test_another_density(void** state)
{
    (void)state;
    static const char* const scenes[] = {MIXED_RUN, "dimension: 2\nbox: {size: [1, 1]}\nspheres: {count: 30, sizes: 'mono:0.04', place: random, velocity: thermal, temperature: 0.01, material_density: 3}\n"
                                                    "contact: {stiffness: 500, friction: 0.5}\ntime: {step: 4e-4, steps: 50}\n"};
    for (int k = 0; k < 2; ++k) {
        scree_run* first = go(scenes[k], "first");
        scree_run* next = begin(k == 0 ? "dimension: 2\nstart: {run: first, material_density: 5}\ncontact: {stiffness: 500, restitution: 0.6}\ntime: {step: 4e-4, steps: 40}\n"
                                       : "dimension: 2\nstart: {run: first, material_density: 5}\ntime: {step: 4e-4, steps: 40}\n", "next");
        check_same_column_bits(first, next, "x", 2 * sizeof(double));
        check_same_column_bits(first, next, "v", 2 * sizeof(double));
        double *r = column_of(next, "radius"), *mass = column_of(next, "inverse_mass"), *inertia = k == 1 ? column_of(next, "inverse_inertia") : NULL;
        int64_t fixed = 0;
        for (int64_t i = 0; i < scree_sim_get_count(next->sim); ++i) {
            double m = 5.0 * 3.14159265358979323846 * r[i] * r[i];
            fixed += mass[i] == 0.0;
            assert_true(mass[i] == 0.0 || fabs(mass[i] * m - 1.0) < 1e-14);
            assert_true(inertia == NULL || fabs(inertia[i] * 0.5 * m * r[i] * r[i] - 1.0) < 1e-14);
        }
        assert_int_equal(fixed, k == 0 ? 10 : 0);
        free(r);
        free(mass);
        free(inertia);
        CHECK_OK(scree_run_go(next));
        uint64_t hash = scree_sim_hash(next->sim);
        scree_run_destroy(first);
        scree_run_destroy(next);
        remove_all(in_folder("first"));
        scree_run_def def = scree_default_run_def();
        def.until_steps = 50;
        CHECK_OK(scree_run_resume(&def, in_folder("next"), &next));
        assert_true(scree_sim_hash(next->sim) == hash);
        CHECK_OK(scree_run_go(next));
        scree_run_destroy(next);
        remove_all(in_folder("next"));
    }
}

// ---- Going on --------------------------------------------------------------------------------------------------------------

// A bed that is shaken by its walls: spheres touch all the time, also when the run is split.
#define BED "gravity: [0, -9.81]\nwalls: {y: [0.1, -0.2]}\norder_every: %d\ntime: {step: 2e-4, steps: %d, integrator: %s}\ncontact: {stiffness: 2e3, %s}\n"
#define BED_SPHERES "dimension: 2\nbox: {size: [1, 1], periodic: [x]}\nspheres: {count: 121, sizes: 'uniform-size:0.035:0.045', place: lattice, velocity: thermal, overlap: 0.03}\n"

static void test_one_run_in_two_parts(void** state)
{
    (void)state;
    static const char* const integrators[] = {"velocity-verlet", "position-verlet"};
    static const char* const losses[] = {"damping: 0", "damping: 0.02", "restitution: 0.6"};
    static const int orders[] = {1000, 37};  // the second is renewed at other steps in the two parts
    for (int c = 0; c < 6; ++c) {
        char whole[1024], half[1024], rest[1024];
        const char *integrator = integrators[c % 2], *loss = losses[c / 2];
        int order = orders[(c + c / 2) % 2];
        snprintf(whole, sizeof whole, BED_SPHERES BED, order, 200, integrator, loss);
        snprintf(half, sizeof half, BED_SPHERES BED, order, 100, integrator, loss);
        snprintf(rest, sizeof rest, "dimension: 2\nstart: {run: half}\n" BED, order, 100, integrator, loss);
        scree_run *reference = begin(whole, NULL), *before = go(half, "half"), *after = begin(rest, NULL);
        scree_sim_report split;
        CHECK_OK(scree_sim_measure(after->sim, &split));
        assert_true(split.contacts > 5);
        check_same_column_bits(before, after, "a", 2 * sizeof(double));
        CHECK_OK(scree_sim_run(reference->sim, 200));
        CHECK_OK(scree_sim_run(after->sim, 100));
        if (apart(reference, after, "x") > 1e-12 || apart(reference, after, "v") > 1e-10)
            fail_msg("%s, %s: x differs by %g, v by %g", integrator, loss, apart(reference, after, "x"), apart(reference, after, "v"));
        scree_box one = scree_sim_get_box(reference->sim), other = scree_sim_get_box(after->sim);
        CHECK_CLOSE(one.upper[1], other.upper[1], 1e-15);
        scree_run_destroy(reference);
        scree_run_destroy(before);
        scree_run_destroy(after);
        remove_all(in_folder("half"));
    }
}

// Where nothing moves but the spheres, and orders are renewed at the same steps, not even rounding differs; with the box said again or not.
static void test_two_parts_with_the_same_bits(void** state)
{
    (void)state;
    static const char rest[] = "gravity: [0, -9.81]\norder_every: 50\ntime: {step: 2e-4, steps: %d}\ncontact: {stiffness: 2e3, restitution: 0.6}\n";
    for (int boxed = 0; boxed < 2; ++boxed) {
        char text[3][1024];
        for (int k = 0; k < 3; ++k) {
            size_t used = (size_t)snprintf(text[k], sizeof text[k], "%s%s", k < 2 ? BED_SPHERES : "dimension: 2\nstart: {run: half}\n",
                                           k == 2 && boxed == 1 ? "box: {size: [1, 1], periodic: [x]}\n" : "");
            snprintf(text[k] + used, sizeof text[k] - used, rest, k == 0 ? 200 : 100);
        }
        leave(text[1], "half");
        scree_run *reference = begin(text[0], NULL), *after = begin(text[2], NULL);
        CHECK_OK(scree_sim_run(reference->sim, 200));
        CHECK_OK(scree_sim_run(after->sim, 100));
        check_same_column_bits(reference, after, "x", 2 * sizeof(double));
        check_same_column_bits(reference, after, "v", 2 * sizeof(double));
        check_same_column_bits(reference, after, "a", 2 * sizeof(double));
        scree_run_destroy(reference);
        scree_run_destroy(after);
        remove_all(in_folder("half"));
    }
}

static void test_threads(void** state)
{
    (void)state;
    static const int threads[] = {1, 2, 7};
    uint64_t hash[3];
    char text[1024];
    snprintf(text, sizeof text, BED_SPHERES BED, 37, 50, "velocity-verlet", "restitution: 0.6");
    leave(text, "half");
    snprintf(text, sizeof text, "dimension: 2\nstart: {run: half}\n" BED, 37, 50, "velocity-verlet", "restitution: 0.5");
    scree_scene scene = scene_of(text);
    for (int k = 0; k < 3; ++k) {
        scree_run_def def = scree_default_run_def();
        scree_run* run;
        def.threads = threads[k];
        CHECK_OK(scree_run_create(&def, &scene, NULL, &run));
        CHECK_OK(scree_sim_run(run->sim, 50));
        hash[k] = scree_run_hash(run);
        scree_run_destroy(run);
    }
    assert_true(hash[0] == hash[1] && hash[0] == hash[2]);
    scene_free(&scene);
}

// Accelerations that belong to other forces are not taken over: each of these changes alone makes them those of the new scene.
static void test_other_forces_other_accelerations(void** state)
{
    (void)state;
    // The last one is what holds at the end of the first run, after its changes.
    static const char* const scenes[] = {"gravity: [0, -9.5]\nwalls: {y: [0, -0.4]}\ncontact: {stiffness: 500, restitution: 0.5}\n",
                                         "gravity: [0, -9.5]\nwalls: {y: [0, -0.4]}\ncontact: {stiffness: 600, restitution: 0.6}\n",
                                         "gravity: [0, -9.5]\nwalls: {y: [0, -0.5]}\ncontact: {stiffness: 500, restitution: 0.6}\n",
                                         "gravity: [0, -9.81]\nwalls: {y: [0, -0.4]}\ncontact: {stiffness: 500, restitution: 0.6}\n",
                                         "gravity: [0, -9.5]\ngravity_turn: 1\nwalls: {y: [0, -0.4]}\ncontact: {stiffness: 500, restitution: 0.6}\n",
                                         "gravity: [0, -9.5]\nwalls: {y: [0, -0.4]}\ncontact: {stiffness: 500, restitution: 0.6}\nbox: {size: [1, 1], periodic: [x], origin: [-0.25, 0]}\n",
                                         "gravity: [0, -9.5]\nwalls: {y: [0, -0.4]}\ncontact: {stiffness: 500, restitution: 0.6}\n"};
    leave(MIXED_RUN, "first");
    for (size_t k = 0; k < sizeof scenes / sizeof *scenes; ++k) {
        char text[512];
        bool same = k + 1 == sizeof scenes / sizeof *scenes;
        snprintf(text, sizeof text, "dimension: 2\nstart: {run: first}\ntime: {step: 4e-4, steps: 0}\n%s", scenes[k]);
        scree_scene scene = scene_of(text);
        scree_run run = {.kept = {-1, -1}};
        CHECK_OK(run_other_read(&run, &scene));
        if (run.other->same != same)
            fail_msg("scene %d: %s", (int)k, same ? "accelerations are computed" : "accelerations are taken over");
        run_other_forget(&run);
        scene_free(&scene);
    }
}

// ---- The box ---------------------------------------------------------------------------------------------------------------

static void test_another_box(void** state)
{
    (void)state;
    static const char end[] = "contact: {stiffness: 1e3}\ntime: {step: 1e-3, steps: 10}\n";
    char text[512];
    // Two discs in the middle of a head-on collision, and one at a wall; far deeper than a start may be.
    put_text(in_folder("a.csv"), "x,y,r,v_x,v_y\n0.3,0.5,0.1,20,0\n0.5,0.5,0.1,-20,0\n0.9,0.5,0.1,0,0\n");
    scree_run* first = go("dimension: 2\nbox: {size: [1, 1]}\nspheres: {file: a.csv, velocity: file}\ncontact: {stiffness: 1e3}\ntime: {step: 1e-4, steps: 20}\n", "first");
    scree_sim_report report;
    CHECK_OK(scree_sim_measure(first->sim, &report));
    assert_true(report.max_overlap_relative > 0.3);
    static const char* const accepted[] = {"", "box: {size: [1, 1]}\n", "box: {size: [3, 2], origin: [-1, -1]}\n", "box: {size: [3, 2], origin: [-1, -1], periodic: [x, y]}\n"};
    for (int k = 0; k < 4; ++k) {
        snprintf(text, sizeof text, "dimension: 2\nstart: {run: first}\n%s%s", accepted[k], end);
        scree_run* next = begin(text, NULL);
        check_same_column_bits(first, next, "x", 2 * sizeof(double));
        check_same_column_bits(first, next, "v", 2 * sizeof(double));
        CHECK_OK(scree_sim_run(next->sim, 10));
        CHECK_CLOSE(scree_sim_get_box(next->sim).lower[0], k < 2 ? 0.0 : -1.0, 0.0);
        scree_run_destroy(next);
    }
    // The new box is that of the run also after a resume.
    leave(text, "next");
    scree_run_def def = scree_default_run_def();
    scree_run* next;
    CHECK_OK(scree_run_resume(&def, in_folder("next"), &next));
    CHECK_CLOSE(scree_sim_get_box(next->sim).lower[0], -1.0, 0.0);
    scree_run_destroy(next);
    remove_all(in_folder("next"));
    static const struct {
        const char *box, *wanted;
    } refused[] = {{"box: {size: [0.8, 1]}\n", "scene.yaml:3:13 | box.size | sphere 2 | 0.9 | 0.8"},
                   {"box: {size: [1, 1], origin: [0.4, 0]}\n", "scene.yaml:3:13 | sphere 0 | 0.4"},
                   {"box: {size: [0.95, 1]}\n", "scene.yaml:2:14 | start.run | sphere 2 | 0.05"},              // deep in the new wall
                   {"box: {size: [0.72, 1], origin: [0.2, 0], periodic: [x]}\n", "scene.yaml:2:14 | spheres 0 and 2"}};  // and in an image of another
    for (size_t k = 0; k < sizeof refused / sizeof *refused; ++k) {
        snprintf(text, sizeof text, "dimension: 2\nstart: {run: first}\n%s%s", refused[k].box, end);
        scree_scene scene = scene_of(text);
        CHECK_FAILS(scree_run_create(&def, &scene, in_folder("next"), &next), SCREE_ERR_ARGUMENT, refused[k].wanted);
        assert_int_not_equal(access(in_folder("next"), F_OK), 0);
        scene_free(&scene);
    }
    scree_run_destroy(first);
}

// Two discs deep in each other, which the new box wraps apart, or which were images of each other: they touched before. Two that it wraps onto each other did not.
static void test_wrapped_contacts(void** state)
{
    (void)state;
    static const struct {
        const char *first, *then, *now;
        bool accepted;
    } starts[] = {{"0.4,0.5,0.1,20,0\n0.6,0.5,0.1,-20,0", "size: [1, 1], periodic: [x, y]", "size: [1, 1], periodic: [x, y], origin: [0.5, 0]", true},
                  {"0.1,0.5,0.1,-20,0\n0.9,0.5,0.1,20,0", "size: [1, 1], periodic: [x, y]", "size: [1, 1], periodic: [x, y], origin: [0.5, 0]", true},
                  {"0.5,0.5,0.1,0,0\n1.52,0.5,0.1,0,0", "size: [2, 1]", "size: [1, 1], periodic: [x]", false}};
    for (size_t k = 0; k < sizeof starts / sizeof *starts; ++k) {
        char text[512];
        scree_run_def def = scree_default_run_def();
        scree_run* next;
        snprintf(text, sizeof text, "x,y,r,v_x,v_y\n%s\n", starts[k].first);
        put_text(in_folder("a.csv"), text);
        snprintf(text, sizeof text, "dimension: 2\nbox: {%s}\nspheres: {file: a.csv, velocity: file}\ncontact: {stiffness: 1e3}\ntime: {step: 1e-4, steps: 20}\n", starts[k].then);
        leave(text, "first");
        snprintf(text, sizeof text, "dimension: 2\nstart: {run: first}\nbox: {%s}\ncontact: {stiffness: 1e3}\ntime: {step: 1e-4, steps: 20}\n", starts[k].now);
        scree_scene scene = scene_of(text);
        if (starts[k].accepted)
            CHECK_OK(scree_run_create(&def, &scene, NULL, &next));
        else
            CHECK_FAILS(scree_run_create(&def, &scene, NULL, &next), SCREE_ERR_ARGUMENT, "scene.yaml:2:14", "start.run", "spheres 0 and 1");
        scree_run_destroy(next);
        scene_free(&scene);
        remove_all(in_folder("first"));
    }
}

// A disc deep in a wall that is a wall of the new box too, at the same place, is as deep as it was; any other wall there is new.
static void test_walls_of_both(void** state)
{
    (void)state;
    static const struct {
        const char *then, *now;
        bool accepted;
    } boxes[] = {{"size: [1, 1]", "size: [2, 3], origin: [-1, 0]", true},
                 {"size: [1, 1]", "size: [1.95, 3], origin: [-1, 0]", false},
                 {"size: [1, 1]", "size: [1, 1], container: sphere", false},
                 {"size: [1, 1], container: sphere", "size: [1, 1]", false},
                 {"size: [1, 1], container: sphere", "size: [1, 1], container: sphere", true}};
    put_text(in_folder("a.csv"), "x,y,r,v_x,v_y\n0.9,0.5,0.1,20,0\n");
    for (size_t k = 0; k < sizeof boxes / sizeof *boxes; ++k) {
        char text[512];
        scree_run_def def = scree_default_run_def();
        scree_run* next;
        snprintf(text, sizeof text, "dimension: 2\nbox: {%s}\nspheres: {file: a.csv, velocity: file}\ncontact: {stiffness: 1e3}\ntime: {step: 1e-4, steps: 20}\n", boxes[k].then);
        leave(text, "first");
        snprintf(text, sizeof text, "dimension: 2\nstart: {run: first}\nbox: {%s}\ncontact: {stiffness: 1e3}\ntime: {step: 1e-4, steps: 20}\n", boxes[k].now);
        scree_scene scene = scene_of(text);
        if (boxes[k].accepted)
            CHECK_OK(scree_run_create(&def, &scene, NULL, &next));
        else
            CHECK_FAILS(scree_run_create(&def, &scene, NULL, &next), SCREE_ERR_ARGUMENT, "scene.yaml:2:14", "start.run", "sphere 0");
        scree_run_destroy(next);
        scene_free(&scene);
        remove_all(in_folder("first"));
    }
}

// A run in a cylinder goes on in it, and in a container of its own if the new scene has one.
static void test_containers(void** state)
{
    (void)state;
    static const char end[] = "gravity: [0, 0, -9.81]\ncontact: {stiffness: 1e4, restitution: 0.8}\ntime: {steps: 50}\n";
    char text[512];
    snprintf(text, sizeof text, "box: {size: [1, 1, 2], container: cylinder}\nspheres: {count: 60, sizes: 'mono:0.08', place: random}\n%s", end);
    leave(text, "first");
    static const struct {
        const char* box;
        int32_t container;
        double top;
    } accepted[] = {{"", SCREE_CONTAINER_CYLINDER, 2.0},
                    {"box: {size: [1, 1, 3], container: cylinder}\n", SCREE_CONTAINER_CYLINDER, 3.0},
                    {"box: {size: [1, 1, 2]}\n", SCREE_CONTAINER_BOX, 2.0},
                    {"box: {size: [3, 3, 3], origin: [-1, -1, -0.5], container: sphere}\n", SCREE_CONTAINER_SPHERE, 2.5}};
    for (size_t k = 0; k < sizeof accepted / sizeof *accepted; ++k) {
        snprintf(text, sizeof text, "start: {run: first}\n%s%s", accepted[k].box, end);
        scree_run* next = go(text, "next");
        assert_int_equal(next->container, accepted[k].container);
        CHECK_CLOSE(scree_sim_get_box(next->sim).upper[2], accepted[k].top, 0.0);
        scree_sim_boundary_report on[7];
        assert_int_equal(scree_sim_get_boundaries(next->sim, on, 7), accepted[k].container == SCREE_CONTAINER_BOX ? 6 : 7);
        scree_run_destroy(next);
        remove_all(in_folder("next"));
    }
}

// ---- Pairs of materials ----------------------------------------------------------------------------------------------------

#define LAWS                                                                                                                                                    \
    "gravity: [0, -9.81]\nwalls: {material: glass}\ncontact: {law: record, stiffness: 500}\n"                                                                   \
    "pairs:\n- {between: [glass, glass], restitution: 0.9}\n- {between: [steel, glass], stiffness: 300, restitution: 0.5}\n"                                    \
    "time: {step: 4e-4, steps: 40}\n"
#define MADE                                                                                                                                                    \
    "materials: {steel: {material_density: 7}, glass: {material_density: 2}}\n"                                                                                 \
    "spheres:\n- {count: 10, sizes: 'mono:0.04', place: lattice, material: steel, fixed: true}\n"                                                               \
    "- {count: 60, sizes: 'uniform-size:0.03:0.05', place: random, material: glass, velocity: [3, -4]}\n"

// Names in pairs and walls.material are those of the other run, and are looked up when the new one begins.
static void test_pairs(void** state)
{
    (void)state;
    leave("dimension: 2\nbox: {size: [1, 1]}\n" MADE LAWS, "first");
    scree_run* whole = begin("dimension: 2\nbox: {size: [1, 1]}\n" MADE LAWS, "whole");
    CHECK_OK(scree_sim_run(whole->sim, 80));
    scree_run* next = go("dimension: 2\nstart: {run: first}\n" LAWS, "next");
    assert_true(apart(whole, next, "x") < 1e-12 && apart(whole, next, "v") < 1e-9);
    const scree_scene* scene = scree_run_get_scene(next);
    assert_true(scene->wall_material == 1 && scene->wall_name == NULL);
    assert_true(scene->pairs[1].between[0] == 0 && scene->pairs[1].between[1] == 1 && scene->pairs[1].names[0] == NULL);
    uint64_t hash = scree_sim_hash(next->sim);
    scree_run_destroy(next);
    scree_run_destroy(whole);
    // Its scene.yaml has the materials and is a scene that can be run again; and a third run begins from it.
    scree_scene again;
    scree_run_def def = scree_default_run_def();
    CHECK_OK(scene_read(in_folder("next/scene.yaml"), &again));
    assert_true(again.material_count == 2 && again.pairs[1].between[1] == 1 && again.wall_material == 1);
    CHECK_OK(scree_run_create(&def, &again, NULL, &next));
    CHECK_OK(scree_sim_run(next->sim, 40));
    assert_true(scree_sim_hash(next->sim) == hash);
    scree_run_destroy(next);
    scene_free(&again);
    leave("dimension: 2\nstart: {run: next}\n" LAWS, "third");
    CHECK_OK(scree_run_resume(&def, in_folder("third"), &next));
    scree_run_destroy(next);
}

static void check_refused(const char* text, scree_status status, const char* wanted);

static void test_refused_pairs(void** state)
{
    (void)state;
#define NEXT "dimension: 2\nstart: {run: first}\ntime: {steps: 1}\n"
    leave("dimension: 2\nbox: {size: [1, 1]}\n" MADE LAWS, "first");
    check_refused(NEXT "contact: {stiffness: 500}\nwalls: {material: wood}\npairs: [{between: [glass, glass], restitution: 0.9}]\n", SCREE_ERR_ARGUMENT,
                  "scene.yaml:5:19 | walls.material | first | 'wood' | steel, glass");
    check_refused(NEXT "contact: {stiffness: 500}\npairs:\n- {between: [glass, steel], stiffness: 3}\n- {between: [glass, 'gla'], restitution: 0.9}\n", SCREE_ERR_ARGUMENT,
                  "scene.yaml:7:13 | pairs.between | first | 'gla' | steel, glass");
    check_refused(NEXT "contact: {stiffness: 500}\nwalls: {material: steel}\npairs: [{between: [glass, steel], restitution: 0.9}]\n", SCREE_ERR_ARGUMENT,
                  "scene.yaml:6:8 | pairs | glass and glass | restitution");
    check_refused(NEXT "contact: {stiffness: 500}\npairs: [{between: [glass, steel], stiffness: 300}]\n", SCREE_ERR_ARGUMENT, "scene.yaml:5:8 | pairs | walls.material");
    remove_all(in_folder("first"));
    leave("dimension: 2\nbox: {size: [1, 1]}\nspheres: {count: 3, sizes: 'mono:0.1', place: lattice}\n" "contact: {stiffness: 500}\ntime: {steps: 1}\n", "first");
    check_refused(NEXT "contact: {stiffness: 500}\npairs: [{between: [glass, steel], stiffness: 300}]\n", SCREE_ERR_ARGUMENT, "scene.yaml:5:19 | pairs.between | 'glass' | first");
}

// A law that needs moduli after a run that had none: with materials (`listed`) and without. The new run can be resumed, run again and be the start of a third one.
static void check_moduli(bool listed)
{
    scree_run_def def = scree_default_run_def();
    scree_run* run;
    scree_scene again;
    leave(listed ? "dimension: 2\nbox: {size: [1, 1]}\nmaterials: {glass: {material_density: 2}}\nspheres: {count: 9, sizes: 'mono:0.1', place: lattice, material: glass}\n"
                   "contact: {stiffness: 500}\ntime: {step: 4e-4, steps: 3}\n"
                 : "dimension: 2\nbox: {size: [1, 1]}\nspheres: {count: 9, sizes: 'mono:0.1', place: lattice}\ncontact: {stiffness: 500}\ntime: {step: 4e-4, steps: 3}\n", "first");
    check_refused(NEXT "contact: {law: hertz, restitution: 0.5, speed: 1}\n", SCREE_ERR_ARGUMENT,
                  listed ? "scene.yaml:4:16 | contact.law | hertz | glass | first | contact.young" : "scene.yaml:4:16 | contact.law | hertz | first | contact.young");
    check_refused(NEXT "contact: {law: hertz, young: 1e4, restitution: 0.5, speed: 1}\n", SCREE_ERR_ARGUMENT, "scene.yaml:4:16 | contact.law | first | contact.poisson");
    leave(NEXT "contact: {law: hertz, young: 1e4, poisson: 0.2, restitution: 0.5, speed: 1}\n", "next");
    CHECK_OK(scree_run_resume(&def, in_folder("next"), &run));
    const scree_scene* scene = scree_run_get_scene(run);
    double young = listed ? scene->materials[0].young : scene->contact.young, poisson = listed ? scene->materials[0].poisson : scene->contact.poisson;
    assert_true(scene->material_count == (listed ? 1 : 0) && young == 1e4 && poisson == 0.2);
    scree_run_destroy(run);
    CHECK_OK(scene_read(in_folder("next/scene.yaml"), &again));
    CHECK_OK(scree_run_create(&def, &again, NULL, &run));
    scree_run_destroy(run);
    scene_free(&again);
    // The third takes the contact of the second over.
    leave("dimension: 2\nstart: {run: next}\ntime: {steps: 2}\n", "third");
    CHECK_OK(scree_run_resume(&def, in_folder("third"), &run));
    scree_run_destroy(run);
    if (listed) {
        remove_all(in_folder("first"));
        assert_int_equal(rename(in_folder("next"), in_folder("first")), 0);
        check_refused(NEXT "contact: {law: hertz, young: 1e5, poisson: 0.2, restitution: 0.5, speed: 1}\n", SCREE_ERR_ARGUMENT, "scene.yaml:4:30 | contact.young | glass | first | 10000");
    }
}

static void test_moduli_of_a_run_without(void** state)
{
    (void)state;
    check_moduli(false);
    remove_all(in_folder("first"));
    remove_all(in_folder("next"));
    remove_all(in_folder("third"));
    check_moduli(true);
}

// ---- Folders ---------------------------------------------------------------------------------------------------------------

#define AFTER "dimension: 2\nstart: {run: first}\ngravity: [0, -9.81]\ncontact: {stiffness: 500, restitution: 0.6}\ntime: {step: 4e-4, steps: 60}\ncheckpoint: {every: 20}\n"
#define AFTER_CHANGES AFTER "changes: [{at: 0.01, force: {movers: [1, 0]}}]\n"
#define AFTER_PAIRS AFTER_CHANGES "walls: {material: glass}\npairs: [{between: [glass, steel], stiffness: 400}]\n"

// The other run may be gone when the new one is resumed; and a third begins from the new one.
static void test_the_other_run_may_go(void** state)
{
    (void)state;
    leave(MIXED_RUN, "first");
    scree_run* reference = go(AFTER_CHANGES, "reference");
    uint64_t hash = scree_run_hash(reference);
    scree_run_destroy(reference);
    remove_all(in_folder("first"));
    remove_all(in_folder("reference/checkpoint_000000000060.npz"));
    scree_run_def def = scree_default_run_def();
    CHECK_OK(scree_run_resume(&def, in_folder("reference"), &reference));
    assert_int_equal(scree_sim_get_step(reference->sim), 40);
    CHECK_OK(scree_run_go(reference));
    assert_true(scree_run_hash(reference) == hash);
    scree_run_destroy(reference);
    scree_run* third = go("dimension: 2\nstart: {run: reference}\ncontact: {stiffness: 500}\ntime: {step: 4e-4, steps: 30}\n"
                          "changes: [{at: 0, force: {movers: [0, 0]}}]\n", "third");
    assert_string_equal(scree_run_get_scene(third)->groups[0].name, "base");
    assert_int_equal(scree_run_get_scene(third)->start_step, 60);
    double* force = column_of(third, "force");
    assert_true(force[2 * 10] == 0.0);
    free(force);
    scree_run_destroy(third);
}

// scene.yaml of a run is a scene that can be run again, as long as its checkpoint is there.
static void test_run_again(void** state)
{
    (void)state;
    leave(MIXED_RUN, "first");
    scree_run* one = go(AFTER_CHANGES, "one");
    scree_scene scene;
    scree_run_def def = scree_default_run_def();
    scree_run* again;
    CHECK_OK(scene_read(in_folder("one/scene.yaml"), &scene));
    assert_true(scene.start_run[0] == '/');
    CHECK_OK(scree_run_create(&def, &scene, in_folder("again"), &again));
    CHECK_OK(scree_run_go(again));
    assert_true(scree_run_hash(one) == scree_run_hash(again));
    scree_run_destroy(one);
    scree_run_destroy(again);
    def.until_steps = 400;
    CHECK_OK(scree_run_resume(&def, in_folder("first"), &again));
    CHECK_OK(scree_run_go(again));
    scree_run_destroy(again);
    remove_all(in_folder("first/checkpoint_000000000150.npz"));
    def.until_steps = 0;
    CHECK_FAILS(scree_run_create(&def, &scene, in_folder("late"), &again), SCREE_ERR_IO, "one/scene.yaml", "start.run", "first", "150", "400");
    scene_free(&scene);
}

// A number for all names, sizes and times of change below a folder.
static uint64_t look_of(const char* path)
{
    uint64_t sum = 0;
    DIR* directory = opendir(path);
    assert_non_null(directory);
    for (struct dirent* entry; (entry = readdir(directory)) != NULL;) {
        char inner[1024];
        struct stat about;
        if (strcmp(entry->d_name, "..") == 0)
            continue;
        snprintf(inner, sizeof inner, "%s/%s", path, entry->d_name);
        assert_int_equal(lstat(inner, &about), 0);
        uint64_t h = 1469598103934665603u;
        for (const char* at = entry->d_name; *at != '\0'; ++at)
            h = (h ^ (uint64_t)*at) * 1099511628211u;
        h = (h ^ (uint64_t)about.st_size) * 1099511628211u;
        h = (h ^ (uint64_t)about.st_mtim.tv_nsec) * 1099511628211u;
        sum += h;
        if (S_ISDIR(about.st_mode) && strcmp(entry->d_name, ".") != 0)
            sum += look_of(inner);
    }
    closedir(directory);
    return sum;
}

// The folder is read only, while somebody runs in it; and no new run gets into its place.
static void test_the_other_folder_stays(void** state)
{
    (void)state;
    mkdir(in_folder("sub"), 0777);
    mkdir(in_folder("sub/frames"), 0777);
    scree_run* other = go(MIXED_RUN, "sub/frames/first");  // not closed: it holds its lock
    uint64_t look = look_of(in_folder("sub/frames/first"));
    leave("dimension: 2\nstart: {run: sub/frames/first/}\ncontact: {stiffness: 500}\ntime: {step: 4e-4, steps: 3}\n", "next");
    assert_true(look_of(in_folder("sub/frames/first")) == look);
    scree_run_destroy(other);
    assert_int_equal(symlink("sub/frames/first", in_folder("link")), 0);
    static const char* const folders[] = {"sub/frames/first", "sub/frames/first/", "sub/frames", "sub", "link", "sub/../sub/frames"};
    static const char* const runs[] = {"sub/frames/first", "link"};
    for (int k = 0; k < 12; ++k) {
        char text[512];
        scree_run_def def = scree_default_run_def();
        scree_run* run;
        def.force = true;
        snprintf(text, sizeof text, "dimension: 2\nstart: {run: %s}\ncontact: {stiffness: 500}\ntime: {step: 4e-4, steps: 3}\n", runs[k / 6]);
        scree_scene scene = scene_of(text);
        CHECK_FAILS(scree_run_create(&def, &scene, in_folder(folders[k % 6]), &run), SCREE_ERR_ARGUMENT, "scene.yaml:2:14", "start.run", in_folder(runs[k / 6]));
        scene_free(&scene);
    }
    assert_true(look_of(in_folder("sub/frames/first")) == look);
    // Beside it, or inside, there is room for others; --force then removes these alone.
    scree_scene scene = scene_of("dimension: 2\nstart: {run: sub/frames/first}\ncontact: {stiffness: 500}\ntime: {step: 4e-4, steps: 3}\n");
    scree_run_def def = scree_default_run_def();
    scree_run* run;
    def.force = true;
    CHECK_OK(scree_run_create(&def, &scene, in_folder("next"), &run));
    scree_run_destroy(run);
    assert_true(look_of(in_folder("sub/frames/first")) == look);
    scene_free(&scene);
}

// ---- Checkpoints that are not there, or not whole ----------------------------------------------------------------------------

static void spoil(const char* name)
{
    size_t size;
    char* bytes = get_file(in_folder(name), &size);
    bytes[size / 2] = (char)~bytes[size / 2];
    put_file(in_folder(name), bytes, size);
    free(bytes);
}

static void check_refused(const char* text, scree_status status, const char* wanted)
{
    scree_scene scene = scene_of(text);
    scree_run_def def = scree_default_run_def();
    scree_run* run;
    CHECK_FAILS(scree_run_create(&def, &scene, in_folder("next"), &run), status, wanted);
    assert_int_not_equal(access(in_folder("next"), F_OK), 0);
    CHECK_FAILS(scree_run_create(&def, &scene, NULL, &run), status, wanted);
    scene_free(&scene);
}

static void test_refused_runs(void** state)
{
    (void)state;
    check_refused(AFTER, SCREE_ERR_IO, "scene.yaml:2:14 | start.run | first");
    put_text(in_folder("first"), "a file");
    check_refused(AFTER, SCREE_ERR_IO, "scene.yaml:2:14 | start.run | first");
    remove_all(in_folder("first"));
    mkdir(in_folder("first"), 0777);
    check_refused(AFTER, SCREE_ERR_IO, "scene.yaml:2:14 | start.run | first | checkpoint");
    put_text(in_folder("first/checkpoint_000000000007.h5"), "\x89HDF\r\n\x1a\n");  // of scree 0.1
    check_refused(AFTER, SCREE_ERR_FORMAT, "scene.yaml:2:14 | start.run | checkpoint_000000000007.h5 | 0.1");
    remove_all(in_folder("first"));
    leave("dimension: 2\nbox: {size: [1, 1]}\nbodies: [{shape: disc, sizes: 'mono:0.1', at: [[0.5, 0.5]]}]\ncontact: {stiffness: 1e3}\ntime: {step: 1e-4, steps: 2}\n", "first");
    check_refused(AFTER, SCREE_ERR_UNSUPPORTED, "scene.yaml:2:14 | start.run | first | bodies");
    remove_all(in_folder("first"));
    leave("box: {size: [1, 1, 1]}\nspheres: {count: 2, sizes: 'mono:0.1', place: lattice}\ncontact: {stiffness: 1e3}\ntime: {step: 1e-4, steps: 2}\n", "first");
    check_refused(AFTER, SCREE_ERR_ARGUMENT, "scene.yaml:2:14 | start.run | first | 3 | 2");
    remove_all(in_folder("first"));
    leave(MIXED_RUN, "first");
    check_refused(AFTER "changes: [{at: 0, force: {mover: [1, 0]}}]\n", SCREE_ERR_ARGUMENT, "scene.yaml:7:26 | changes.force | first | 'mover'");
    check_refused(AFTER "changes: [{at: 0, gravity: [0, 0]}, {at: 0.01, force: {base: [1, 0]}}]\n", SCREE_ERR_ARGUMENT, "scene.yaml:7:55 | changes.force | base");
    check_refused("dimension: 2\nstart: {run: first}\ncontact: {stiffness: 500}\ntime: {step: 1, steps: 6}\n", SCREE_ERR_ARGUMENT, "scene.yaml:4:14 | time.step");
    check_refused("dimension: 2\nstart: {run: first, step: 3}\ncontact: {stiffness: 500}\ntime: {steps: 6}\n", SCREE_ERR_IO, "scene.yaml:2:14 | start.run | first | 3 | 150");
    // The newest is not whole: the older one, and this is said. None is: no run.
    spoil("first/checkpoint_000000000150.npz");
    scree_run* run = begin(AFTER, "next");
    assert_int_equal(scree_run_get_scene(run)->start_step, 0);
    assert_non_null(strstr(scree_run_get_note(run), "checkpoint_000000000150.npz"));
    scree_run_destroy(run);
    remove_all(in_folder("next"));
    spoil("first/checkpoint_000000000000.npz");
    check_refused(AFTER, SCREE_ERR_FORMAT, "scene.yaml:2:14 | start.run | checkpoint_000000000000.npz");
}

// A checkpoint that a program of its own has put there: not one of a run.
static void test_foreign_checkpoints(void** state)
{
    (void)state;
    leave(MIXED_RUN, "first");
    const char* path = in_folder("first/checkpoint_000000000150.npz");
    scree_checkpoint saved;
    CHECK_OK(scree_read_checkpoint(path, &saved));
    char* scene = saved.scene;
    int64_t length = saved.scene_length;
    // Another material for the steel of the scene: the masses in the checkpoint are not those of its scene.
    char* density = strstr(scene, "material_density: 7");
    assert_non_null(density);
    density[strlen("material_density: ")] = '8';
    CHECK_OK(scree_write_checkpoint(path, &saved));
    check_refused(AFTER, SCREE_ERR_ARGUMENT, "scene.yaml:2:14 | start.run | sphere 50 | inverse_mass");
    density[strlen("material_density: ")] = '7';
    // As scree_checkpoint_save leaves it: without a scene, and without the box in which its run began.
    int32_t numbers = saved.number_count;
    saved.scene = NULL;
    saved.scene_length = 0;
    CHECK_OK(scree_write_checkpoint(path, &saved));
    check_refused(AFTER, SCREE_ERR_FORMAT, "scene.yaml:2:14 | start.run | first");
    saved.scene = scene;
    saved.scene_length = length;
    saved.number_count = 0;
    CHECK_OK(scree_write_checkpoint(path, &saved));
    check_refused(AFTER, SCREE_ERR_FORMAT, "scene.yaml:2:14 | start.run | first | 150");
    saved.number_count = numbers;
    int32_t at = 0;
    while (strcmp(saved.columns[at].name, "radius") != 0)
        ++at;
    saved.columns[at].name[0] = 'q';
    CHECK_OK(scree_write_checkpoint(path, &saved));
    check_refused(AFTER, SCREE_ERR_FORMAT, "scene.yaml:2:14 | start.run | 'radius'");
    saved.columns[at].name[0] = 'r';
    for (at = 0; strcmp(saved.columns[at].name, "group") != 0; ++at) {
    }
    saved.columns[at].type = SCREE_TYPE_UINT8;
    CHECK_OK(scree_write_checkpoint(path, &saved));
    check_refused(AFTER, SCREE_ERR_FORMAT, "scene.yaml:2:14 | start.run | 'group'");
    saved.columns[at].type = SCREE_TYPE_UINT16;
    for (at = 0; strcmp(saved.columns[at].name, "force") != 0; ++at) {
    }
    saved.columns[at].components = 1;
    CHECK_OK(scree_write_checkpoint(path, &saved));
    check_refused(AFTER, SCREE_ERR_FORMAT, "scene.yaml:2:14 | start.run | 'force'");
    scree_checkpoint_free(&saved);
}

// ---- The scene by itself -----------------------------------------------------------------------------------------------------

static void test_keys(void** state)
{
    (void)state;
    static const struct {
        const char *text, *wanted;
    } refused[] = {{"start: {}\n", "m.yaml:3:8 | start.run"},
                   {"start: {at: last}\n", "m.yaml:3:8 | start.run"},
                   {"start: {run: a, at: first}\n", "m.yaml:3:21 | start.at | 'first' | last"},
                   {"start: {run: a, at: 3}\n", "m.yaml:3:21 | start.at | '3' | last"},
                   {"start: {run: ''}\n", "m.yaml:3:14 | start.run"},
                   {"start: a\n", "m.yaml:3:8 | start"},
                   {"start: {run: a}\nspheres: {file: a.csv}\n", "m.yaml:4:1 | spheres | 3"},
                   {"spheres: [{file: a.csv}]\nstart: {run: a}\n", "m.yaml:3:1 | spheres | 4"},
                   {"spheres: {}\nstart: {run: a}\n", "m.yaml:3:1 | spheres | 4"},
                   {"materials: {a: {material_density: 1}}\nstart: {run: a}\n", "m.yaml:3:1 | materials | 4"},
                   {"dimension: 2\nbodies: [{shape: disc, sizes: 'mono:1', at: [[0, 0]]}]\nstart: {run: a, step: 4}\n", "m.yaml:4:1 | bodies | 5"},
                   {"start: {run: a, step: 4}\nspheres: {name: b}\n", "m.yaml:4:1 | spheres | 3"},
                   {"start: {run: a, step: 4}\nspheres: [{count: 3, sizes: 'mono:1'}]\n", "m.yaml:4:22 | spheres.sizes | start.run"},
                   {"start: {run: a, step: 4}\nspheres: [{count: 3, file: a.csv}]\n", "m.yaml:4:22 | spheres.file | start"},
                   {"start: {run: a, step: 4}\nspheres: [{count: 3, velocity: [1, 2, 3]}]\n", "m.yaml:4:22 | spheres.velocity | start"},
                   {"start: {run: a}\nbox: {periodic: [x]}\n", "m.yaml:4:7 | box.periodic | box.size"},
                   {"start: {run: a}\nchanges: [{at: 0, force: {b: [0, 0, 0], b: [1, 1, 1]}}]\n", "m.yaml:4:41 | b"},
                   {"start: {run: a}\nchanges: [{at: 0, force: {'b c': [0, 0, 0]}}]\n", "m.yaml:4:27 | changes.force"},
                   {"start: {run: a}\npairs: [{between: [b], stiffness: 2}]\n", "m.yaml:4:19 | pairs.between"},
                   {"start: {run: a}\npairs: [{between: [b, 'c d'], stiffness: 2}]\n", "m.yaml:4:23 | pairs.between"},
                   {"start: {run: a}\npairs: [{between: [b, c], stiffness: 2}, {between: [c, b], stiffness: 3}]\n", "m.yaml:4:42 | pairs | c and b | 1"},
                   {"start: {run: a}\nwalls: {material: b}\n", "m.yaml:4:9 | walls.material | pairs"}};
    for (size_t k = 0; k < sizeof refused / sizeof *refused; ++k) {
        char text[512];
        scree_scene scene;
        snprintf(text, sizeof text, "contact: {stiffness: 1}\ntime: {steps: 1}\n%s", refused[k].text);
        CHECK_FAILS(scene_parse("m.yaml", text, strlen(text), &scene), SCREE_ERR_FORMAT, refused[k].wanted);
    }
    // Written and read again; elsewhere, the name of the folder still means the same one.
    static const char text[] = "start: {run: a}\ncontact: {stiffness: 1}\ntime: {steps: 1}\nchanges: [{at: 0, force: {b: [1, 2, 3], c: [0, 0, 0]}}]\n"
                               "walls: {material: d}\npairs: [{between: [e, d], stiffness: 2}]\n";
    scree_scene scene = scene_of(text), back;
    char path[1024];
    assert_string_equal(scene.start_run, "a");
    snprintf(path, sizeof path, "%s", in_folder("a"));
    assert_string_equal(scene.start_path, path);
    assert_true(scene.start_step == -1 && scene.start_at == SCREE_START_AT_LAST && !scene.listed);
    mkdir(in_folder("deep"), 0777);
    CHECK_OK(scree_write_scene(in_folder("deep/scene.yaml"), &scene));
    CHECK_OK(scene_read(in_folder("deep/scene.yaml"), &back));
    assert_string_equal(back.start_run, path);
    assert_int_equal(back.changes[0].force_count, 2);
    assert_string_equal(back.changes[0].forces[1].name, "c");
    assert_int_equal(back.changes[0].forces[1].group, -1);
    check_same_bits(back.changes[0].forces[0].force, (const double[]){1, 2, 3}, 3, "force");
    assert_string_equal(back.wall_name, "d");
    assert_string_equal(back.pairs[0].names[0], "e");
    assert_true(back.pairs[0].between[0] == -1 && back.wall_material == -1);
    // What only a run can do.
    scree_sphere_set set;
    scree_scene_each each;
    scree_scene_law law;
    scree_sphere_set none = {.dim = 3};
    CHECK_FAILS(scree_scene_make_spheres(&scene, (scree_watch){0}, &set), SCREE_ERR_UNSUPPORTED, "scene.yaml:1:14", "start.run");
    CHECK_FAILS(scree_scene_make_each(&scene, &none, &each), SCREE_ERR_UNSUPPORTED, "scene.yaml:1:14", "start.run");
    CHECK_FAILS(scree_scene_make_law(&scene, &none, &law), SCREE_ERR_UNSUPPORTED, "scene.yaml:1:14", "start.run");
    // A scene that a program has put together.
    scree_run_def def = scree_default_run_def();
    scree_run* run;
    scree_free(scene.start_path);
    scene.start_path = NULL;
    CHECK_FAILS(scree_run_create(&def, &scene, NULL, &run), SCREE_ERR_ARGUMENT, "start_path", "'a'");
    back.body_count = 1;
    back.bodies = &(scree_scene_bodies){0};
    CHECK_FAILS(scree_run_create(&def, &back, NULL, &run), SCREE_ERR_ARGUMENT, "body_count", path);
    back.body_count = 0;
    back.bodies = NULL;
    scene_free(&scene);
    scene_free(&back);
}

// ---- Memory ----------------------------------------------------------------------------------------------------------------

static void test_allocations(void** state)
{
    (void)state;
    leave(MIXED_RUN, "first");
    scree_scene scene = scene_of(AFTER_PAIRS);
    scree_run_def def = scree_default_run_def();
    scree_run* run;
    EACH_ALLOCATION_FAILS(scree_run_create(&def, &scene, NULL, &run), assert_null(run));
    scree_run_destroy(run);
    scene_free(&scene);
    char text[] = AFTER_PAIRS;
    EACH_ALLOCATION_FAILS(scene_parse("m.yaml", text, strlen(text), &scene), assert_null(scene.start_run));
    scene_free(&scene);
}

static const test_case cases[] = {
    UNIT(test_the_state_is_taken_over),
    UNIT(test_another_density),
    UNIT(test_memory_is_taken_over),
    UNIT(test_the_contact_is_taken_over),
    UNIT(test_a_single_map_is_taken_over),
    UNIT(test_one_run_in_two_parts),
    SAME_BITS(test_two_parts_with_the_same_bits),
    THREADS(test_threads),
    UNIT(test_other_forces_other_accelerations),
    UNIT(test_another_box),
    UNIT(test_wrapped_contacts),
    UNIT(test_walls_of_both),
    UNIT(test_containers),
    UNIT(test_pairs),
    UNIT(test_refused_pairs),
    UNIT(test_moduli_of_a_run_without),
    SAME_BITS(test_the_other_run_may_go),
    SAME_BITS(test_run_again),
    UNIT(test_the_other_folder_stays),
    UNIT(test_refused_runs),
    UNIT(test_foreign_checkpoints),
    UNIT(test_keys),
    ALLOCATION(test_allocations),
};

const test_group group_run_start = {.name = "run_start", .cases = cases, .count = sizeof cases / sizeof *cases, .begin = make_folder, .end = remove_folder, .before_each = start_clean};
