// Scenes: every key is read to its place, what is wrong is reported with its line and column, what is written reads back bit for bit, and
// the table of keys does what it says and what the manual says.
#include "file_support.h"

#include "files/scene_inner.h"
#include "scree/scene.h"

#include <time.h>

// ---- Reading -----------------------------------------------------------------------------------------------------

static scree_status parse_bytes(const char* text, size_t length, scree_scene* out)
{
    char* exact = malloc(length + (length == 0));  // of just that size, so that the address sanitizer sees the end
    assert_non_null(exact);
    memcpy(exact, text, length);
    scree_status status = scene_parse("m.yaml", exact, length, out);
    free(exact);
    return status;
}

static scree_status parse(const char* text, scree_scene* out)
{
    return parse_bytes(text, strlen(text), out);
}

#define CONTACT "contact: {stiffness: 1}\n"
#define TIME "time: {steps: 10}\n"
#define BOX "box: {size: [1, 1, 1]}\n"
#define BODIES(entry) "dimension: 2\nbox: {size: [1, 1]}\n" CONTACT TIME "bodies: [" entry "]\n"
#define LISTED(entry) "spheres:\n- {name: one, count: 1, sizes: 'mono:1', place: random}\n- " entry "\n"
#define GLASS "materials: {glass: {material_density: 2500}}\n"
#define GLASS_A "materials: {a: {material_density: 2500}}\n"
#define MADE "spheres: {count: 1, sizes: 'mono:1', place: random}\n"

static const char from_design[] =
    "dimension: 2\n"
    "box: {size: [0.14, 0.28], periodic: []}        # axes not named periodic have walls\n"
    "gravity: [0, -9.81]\n"
    "spheres:                                       # either `file: packing.vtp`, or count + sizes + place\n"
    "  count: 7800\n"
    "  sizes: uniform-size:0.5e-3:1.5e-3\n"
    "  place: grow                                  # lattice | random | grow\n"
    "  material_density: 7000\n"
    "  velocity: zero                               # zero | thermal | [vx, vy] | file\n"
    "contact: {law: linear, stiffness: 1e7, damping: 0}   # or restitution: 0.9 in place of damping\n"
    "time: {step: 1e-7, end: 1e-2}                  # step: auto = 1/50 of the shortest contact duration\n"
    "search: {method: auto}\n"
    "output: {every: 1e-3, formats: [vtp]}\n"
    "seed: 1\n";

// All keys but those that exclude them.
static const char most_3d[] =
    "%YAML 1.1\n"
    "---\n"
    "dimension: 3\n"
    "box: {size: [1, 2.5, .5], periodic: [x, z], origin: [-1, 0, 1e-3]}\n"
    "walls: {y: [0.25, -1]}\n"
    "gravity: [0, -0, -9.81]\n"
    "gravity_turn: [0, 0.1, 0]\n"
    "spheres:\n"
    "  count: 1e3\n"
    "  sizes: \"table:sieves/a \\\"b\\\".csv\"\n"
    "  sampling: shifted\n"
    "  place: lattice\n"
    "  spacing: 0.125\n"
    "  material_density: 2500\n"
    "  velocity: thermal\n"
    "  overlap: 0.02\n"
    "contact: {law: record, overlap: 0.01, speed: 3, restitution: 0.9}\n"
    "time: {step: auto, steps: 100000}\n"
    "search: {method: hierarchical-grid, skin: 0.01, cell_sizes: [0.1, 0.2, 4], direction: finer, range: half-cell, box_test: on}\n"
    "output:\n"
    "  every_steps: 500\n"
    "  formats: [xyz, csv, lammps, npy]\n"
    "  contacts: true\n"
    "  pictures: true\n"
    "  animation: true\n"
    "  log_every_steps: 50\n"
    "checkpoint: {every: 2000}\n"
    "order_every: 500\n"
    "giants: 0.75\n"
    "seed: 9223372036854775807\n"
    "changes:\n"
    "- {at: 0, gravity: [1, 2, 3]}\n"
    "- at: 0.5\n"
    "  gravity_turn: [0, 0, 1]\n"
    "  walls: {y: [0, 3]}\n"
    "- {at: 1e2, walls: {}, gravity: [0, 0, 0], gravity_turn: [1, 0, 0]}\n"
    "...\n";

static const char most_2d[] = "\xEF\xBB\xBF"
                              "seed: 7\r\n"
                              "gravity_turn: -0.5\r\n"
                              "walls: {x: [1, 2]}\r\n"
                              "spheres: {count: 12, sizes: bidisperse:3, density: 0.5, place: grow, velocity: [1, -2]}\r\n"
                              "box: {periodic: [\"y\"], aspect: [1, 2]}\r\n"
                              "contact: {duration: 1e-3, damping: 0.5}\r\n"
                              "time: {end: 1}\r\n"
                              "search: {method: verlet-list, skin: auto, verlet_radius: 6.5, rebuild_every: 100, cell_sides: auto}\r\n"
                              "checkpoint: {every: \"0.5s\"}\r\n"
                              "changes: [{at: 0.5, gravity_turn: 1, gravity: [0, 1]}]\r\n"
                              "dimension: 2\r\n";

static const char from_file[] = "spheres: {file: ../start/packing.vtp, velocity: file, material_density: 3}\n"
                                "contact: {stiffness: 5}\n"
                                "time: {steps: 0, integrator: position-verlet}\n"
                                "walls: {z: [0, 1]}\n"
                                "search: {method: linked-cells, cell_size: 3, box_test: off, skin: -1}\n"
                                "output: {formats: []}\n";

static const char with_bodies[] = "dimension: 2\n"
                                  "box: {size: [4, 6], periodic: [x]}\n"
                                  "bodies:\n"
                                  "- {points: [[0, 0], [4, 0], [4, 0.25], [0, 0.2]], fixed: true, velocity: [0.1, -0.2], spin: 1e-3}\n"
                                  "- wall: [[0, 3], [1.5, 2], [3, 2.5]]\n"
                                  "  thickness: -0.2\n"
                                  "  fixed: true\n"
                                  "- {shape: star, vertices: 9, roughness: 0.25, sizes: 'uniform-size:0.1:0.2', place: random, count: 40, angle: 1, angle_spread: 3.1}\n"
                                  "- {shape: hook, sizes: 'table:s.csv', place: lattice, count: auto, region: [0, 3, 4, 6.5], material_density: 3}\n"
                                  "- {shape: disc, sizes: 'mono:0.1', at: [[1, 2], [3, -4e-3]]}\n"
                                  "- {file: shapes.txt}\n"
                                  "- {shape: chip, sizes: 'mono:1', at: [[0, 0]]}\n"
                                  "contact: {duration: 1e-4}\n"
                                  "time: {end: 1}\n"
                                  "changes: [{at: 0.5, gravity: [0, 1]}]\n";

static const char beside[] = "dimension: 2\nbox: {size: [4, 6]}\n" CONTACT TIME "spheres: {count: 5, sizes: 'mono:0.1', place: random}\n"
                             "bodies: [{shape: ell, sizes: 'mono:0.5', at: [[2, 2]]}]\n";

static const char loose[] = "dimension: 3\n" BOX CONTACT TIME
                            "spheres: {count: 5, sizes: 'lognormal:1:0.2', place: random, velocity: thermal, temperature: 2.5}\n"
                            "search: {method: loose-octree, loose_factor: 3}\n";

static const char graded[] = BOX CONTACT TIME MADE "search: {method: hierarchical-grid, levels: 4, range: iwai, direction: coarser}\n";

static const char listed[] = "box: {size: [1, 2, 3]}\n" CONTACT "time: {end: 1}\n"
                             "changes:\n"
                             "- {at: 0.25, force: {movers: [1, 2, -3], late-ones: [0, 0, 1e-3]}}\n"
                             "- {at: 0.5, force: {}, gravity: [0, 0, 1]}\n"
                             "spheres:\n"
                             "- {name: base, count: 25, sizes: 'mono:0.1', place: lattice, spacing: 0.2, material: steel, fixed: true}\n"
                             "- {file: a/b.csv, count: 7, velocity: file, material: glass}\n"
                             "- {name: movers, count: 10, sizes: 'table:s.csv', sampling: random, place: random, material: glass, velocity: [1, 2, 3],\n"
                             "   force: [0, 0, 0.5]}\n"
                             "- {name: late-ones, file: /c.vtp, velocity: thermal, temperature: 2, material: steel}\n"
                             "materials:\n"
                             "  glass: {material_density: 2500}\n"
                             "  steel: {material_density: 7850}\n";

static const char of_densities[] = "dimension: 2\n" CONTACT TIME
                                   "spheres:\n"
                                   "- {count: 10, sizes: 'mono:0.1', place: grow, density: 0.25, material_density: 3}\n"
                                   "- {count: 10, sizes: 'mono:0.2', place: grow, density: 0.5, velocity: thermal, overlap: 0.02}\n";

static const char named[] = BOX CONTACT TIME "materials: {a_1: {material_density: 4}}\n"
                                             "spheres: {name: all, count: 1, sizes: 'mono:1', place: random, material: a_1, force: [1, 0, 0]}\n"
                                             "changes: [{at: 1, force: {all: [0, 1, 0]}}]\n";

static const char discs_listed[] = "dimension: 2\nbox: {size: [4, 6]}\n" CONTACT TIME "spheres:\n"
                                   "- {count: 5, sizes: 'mono:0.1', place: random}\n"
                                   "- {count: 5, sizes: 'mono:0.2', place: lattice, fixed: true, material_density: 2}\n"
                                   "bodies: [{shape: ell, sizes: 'mono:0.5', at: [[2, 2]]}]\n";

static const char paired[] = "box: {size: [1, 1, 2], container: cylinder}\nwalls: {z: [0, -0.5], material: steel}\n" TIME
                             "materials: {glass: {material_density: 2500}, steel: {material_density: 7850}, rubber: {material_density: 1100}}\n"
                             "spheres:\n- {count: 3, sizes: 'mono:0.1', place: random, material: glass}\n"
                             "- {count: 3, sizes: 'mono:0.1', place: random, material: rubber, fixed: true}\n"
                             "contact: {stiffness: 3e4, damping: 0}\n"
                             "pairs:\n- {between: [steel, glass], stiffness: 1e5, damping: 0.1}\n- {between: [glass, rubber], damping: 2}\n";

static const char* const fine_scenes[] = {from_design, most_3d, most_2d,      from_file, loose,       graded,
                                          with_bodies, beside,  listed, of_densities, named, discs_listed, paired};
#define FINE_SCENES 13

static void test_design_example(void** state)
{
    (void)state;
    scree_scene scene;
    CHECK_OK(parse(from_design, &scene));
    assert_int_equal(scene.sim.struct_size, sizeof scene.sim);
    assert_int_equal(scene.search.struct_size, sizeof scene.search);
    assert_string_equal(scene.directory, "");
    assert_int_equal(scene.sim.box.dim, 2);
    check_same_bits(scene.sim.box.lower, (const double[]){0, 0}, 2, "lower");
    check_same_bits(scene.sim.box.upper, (const double[]){0.14, 0.28}, 2, "upper");
    check_same_bits(scene.sim.gravity, (const double[]){0, -9.81, 0}, 3, "gravity");
    assert_false(scree_box_is_periodic(&scene.sim.box));
    assert_null(scene.file);
    assert_null(scene.file_path);
    assert_int_equal(scene.count, 7800);
    assert_string_equal(scene.sizes, "uniform-size:0.5e-3:1.5e-3");
    assert_string_equal(scene.sizes_text, scene.sizes);
    assert_int_equal(scene.place, SCREE_PLACE_GROW);
    assert_int_equal(scene.start, SCREE_START_ZERO);
    assert_true(scene.sim.material_density == 7000 && scene.sim.stiffness == 1e7 && scene.sim.damping == 0 &&
                scene.sim.restitution == 0 && scene.sim.contact_duration == 0 && scene.sim.overlap == 0);
    assert_true(scene.sim.time_step == 1e-7 && scene.end == 1e-2 && scene.steps == -1);
    assert_int_equal(scene.search.method, SCREE_METHOD_AUTO);
    assert_true(scene.output_every == 1e-3 && scene.output_every_steps == 0);
    assert_int_equal(scene.formats, SCREE_FORMAT_BIT(SCREE_FORMAT_VTP));
    assert_int_equal(scene.seed, 1);
    assert_int_equal(scene.sim.order_every, 1000);
    assert_true(scene.checkpoint_seconds == 60 && scene.checkpoint_steps == 0);
    scene_free(&scene);
    assert_null(scene.sizes);
    scene_free(&scene);
}

static void test_every_key_3d(void** state)
{
    (void)state;
    scree_scene scene;
    CHECK_OK(parse(most_3d, &scene));
    check_same_bits(scene.sim.box.lower, (const double[]){-1, 0, 1e-3}, 3, "lower");
    check_same_bits(scene.sim.box.upper, (const double[]){0, 2.5, 0.501}, 3, "upper");
    check_same_bits(scene.box_size, (const double[]){1, 2.5, 0.5}, 3, "size");
    assert_true(scene.sim.box.periodic[0] && !scene.sim.box.periodic[1] && scene.sim.box.periodic[2]);
    check_same_bits(scene.sim.wall_velocity[1], (const double[]){0.25, -1}, 2, "walls");
    check_same_bits(scene.sim.gravity, (const double[]){0, -0.0, -9.81}, 3, "gravity");
    check_same_bits(scene.sim.gravity_turn, (const double[]){0, 0.1, 0}, 3, "turn");
    assert_int_equal(scene.count, 1000);
    assert_string_equal(scene.sizes, "table:sieves/a \"b\".csv");
    assert_string_equal(scene.sizes_text, scene.sizes);
    assert_int_equal(scene.sampling, SCREE_SAMPLING_SHIFTED);
    assert_int_equal(scene.place, SCREE_PLACE_LATTICE);
    assert_int_equal(scene.start, SCREE_START_THERMAL);
    assert_true(scene.spacing == 0.125 && scene.temperature == 0 && scene.overlap == 0.02 && scene.sim.material_density == 2500);
    assert_true(scene.sim.overlap == 0.01 && scene.sim.speed == 3 && scene.sim.restitution == 0.9 && scene.sim.stiffness == 0);
    assert_int_equal(scene.law, 1);
    assert_string_equal(scene.sim.law->name, "record");
    assert_string_equal(scree_sim_law_name(scene.law), "record");
    assert_true(scene.sim.time_step == 0 && scene.end == 0 && scene.steps == 100000);
    const scree_index_def* search = &scene.search;
    assert_int_equal(search->method, SCREE_METHOD_HIERARCHICAL_GRID);
    assert_true(search->skin == 0.01);
    assert_int_equal(search->cell_size_count, 3);
    assert_ptr_equal(search->cell_sizes, scene.cell_sizes);
    check_same_bits(search->cell_sizes, (const double[]){0.1, 0.2, 4}, 3, "cell sizes");
    assert_int_equal(search->direction, SCREE_DIRECTION_FINER);
    assert_int_equal(search->range, SCREE_RANGE_HALF_CELL);
    assert_int_equal(search->box_test, SCREE_BOX_TEST_ON);
    assert_true(scene.output_every == 0 && scene.output_every_steps == 500 && scene.log_every_steps == 50);
    assert_true(scene.contacts && scene.pictures && scene.animation);
    assert_int_equal(scene.formats, SCREE_FORMAT_BIT(SCREE_FORMAT_CSV) | SCREE_FORMAT_BIT(SCREE_FORMAT_XYZ) | SCREE_FORMAT_BIT(SCREE_FORMAT_LAMMPS) |
                                        SCREE_FORMAT_BIT(SCREE_FORMAT_NPY));
    assert_true(scene.checkpoint_seconds == 0 && scene.checkpoint_steps == 2000 && scene.sim.order_every == 500 && scene.sim.giants == 0.75);
    assert_true(scene.seed == INT64_MAX);
    assert_int_equal(scene.change_count, 3);
    const scree_scene_change* c = scene.changes;
    assert_true(c[0].at == 0 && c[0].sets_gravity && !c[0].sets_turn && !c[0].sets_walls);
    check_same_bits(c[0].gravity, (const double[]){1, 2, 3}, 3, "changed gravity");
    check_same_bits(c[0].wall_velocity[1], (const double[]){0.25, -1}, 2, "walls as they were");
    assert_true(c[1].at == 0.5 && !c[1].sets_gravity && c[1].sets_turn && c[1].sets_walls && c[1].gravity_turn[2] == 1);
    check_same_bits(c[1].wall_velocity[1], (const double[]){0, 3}, 2, "changed walls");
    assert_true(c[2].at == 100 && c[2].sets_gravity && c[2].sets_turn && c[2].sets_walls);
    check_same_bits(c[2].wall_velocity[1], (const double[]){0, 3}, 2, "walls as they were changed");
    scene_free(&scene);
}

static void test_every_key_2d(void** state)
{
    (void)state;
    scree_scene scene;
    CHECK_OK(parse(most_2d, &scene));
    assert_int_equal(scene.sim.box.dim, 2);
    assert_true(isinf(scene.sim.box.lower[0]) && isinf(scene.sim.box.upper[1]) && !scene.sim.box.periodic[1]);
    assert_true(!scene.box_periodic[0] && scene.box_periodic[1] && !scene.box_periodic[2] && scene.box_size[0] == 0);
    check_same_bits(scene.box_aspect, (const double[]){1, 2}, 2, "aspect");
    check_same_bits(scene.sim.gravity_turn, (const double[]){0, 0, -0.5}, 3, "turn");
    check_same_bits(scene.sim.wall_velocity[0], (const double[]){1, 2}, 2, "walls");
    assert_true(scene.density == 0.5 && scene.start == SCREE_START_GIVEN && scene.seed == 7);
    check_same_bits(scene.velocity, (const double[]){1, -2}, 2, "velocity");
    assert_true(scene.sim.contact_duration == 1e-3 && scene.sim.damping == 0.5 && scene.end == 1);
    assert_true(scene.search.skin == 0 && scene.search.verlet_radius == 6.5 && scene.search.rebuild_every == 100);
    assert_true(scene.checkpoint_seconds == 0.5 && scene.checkpoint_steps == 0);
    assert_true(scene.changes[0].gravity_turn[2] == 1 && scene.changes[0].gravity_turn[0] == 0 && scene.changes[0].gravity[1] == 1);
    scene_free(&scene);
    CHECK_OK(parse(from_file, &scene));
    assert_string_equal(scene.file, "../start/packing.vtp");
    assert_null(scene.sizes);
    assert_int_equal(scene.start, SCREE_START_FILE);
    assert_true(scene.steps == 0 && scene.search.skin == -1 && scene.search.cell_size == 3);
    assert_int_equal(scene.sim.integrator, SCREE_INTEGRATOR_POSITION_VERLET);
    assert_int_equal(scene.search.box_test, SCREE_BOX_TEST_OFF);
    assert_true(scene.sim.wall_velocity[2][1] == 1 && isinf(scene.sim.box.upper[2]));
    assert_int_equal(scene.formats, 0);
    scene_free(&scene);
    CHECK_OK(parse("dimension: 2\nbox: {size: [9, 9]}\n" MADE CONTACT TIME "search: {method: linked-cells, cell_sides: [2.5, 4]}\n", &scene));
    assert_true(scene.search.cell_sides[0] == 2.5 && scene.search.cell_sides[1] == 4.0 && scene.search.cell_sides[2] == 0.0);
    char* text;
    int64_t length;
    CHECK_OK(scree_scene_text_of(&scene, true, &text, &length));
    assert_non_null(strstr(text, "cell_sides: [2.5, 4]"));
    scree_free(text);
    scene_free(&scene);
    CHECK_OK(parse(loose, &scene));
    assert_true(scene.temperature == 2.5 && scene.search.loose_factor == 3);
    scene_free(&scene);
    CHECK_OK(parse(graded, &scene));
    assert_true(scene.search.levels == 4 && scene.search.range == SCREE_RANGE_IWAI &&
                scene.search.direction == SCREE_DIRECTION_COARSER);
    scene_free(&scene);
}

// A list of spheres: each entry with its own, defaults included; names and materials as numbers.
static void test_list_of_spheres(void** state)
{
    (void)state;
    scree_scene scene;
    CHECK_OK(parse(listed, &scene));
    assert_int_equal(scene.group_count, 4);
    assert_int_equal(scree_scene_group_count(&scene), 4);
    assert_int_equal(scene.material_count, 2);
    assert_string_equal(scene.materials[0].name, "glass");
    assert_string_equal(scene.materials[1].name, "steel");
    assert_true(scene.materials[0].material_density == 2500 && scene.materials[1].material_density == 7850);
    assert_true(scene.count == 0 && scene.file == NULL && scene.sizes == NULL);
    const scree_scene_group* g = scene.groups;
    assert_string_equal(g[0].name, "base");
    assert_true(g[0].count == 25 && g[0].place == SCREE_PLACE_LATTICE && g[0].spacing == 0.2 && g[0].fixed && g[0].material == 1);
    assert_true(g[0].material_density == 7850 && g[0].start == SCREE_START_ZERO && g[0].overlap == 0.01);
    assert_null(g[1].name);
    assert_string_equal(g[1].file, "a/b.csv");
    assert_string_equal(g[1].file_path, "a/b.csv");
    assert_true(g[1].count == 7 && g[1].start == SCREE_START_FILE && g[1].material == 0 && g[1].material_density == 2500 && !g[1].fixed);
    assert_string_equal(g[2].sizes_text, "table:s.csv");
    assert_true(g[2].place == SCREE_PLACE_RANDOM && g[2].sampling == SCREE_SAMPLING_RANDOM && g[2].start == SCREE_START_GIVEN);
    check_same_bits(g[2].velocity, (const double[]){1, 2, 3}, 3, "velocity");
    check_same_bits(g[2].force, (const double[]){0, 0, 0.5}, 3, "force");
    assert_true(g[3].start == SCREE_START_THERMAL && g[3].temperature == 2 && g[3].count == 0);
    assert_int_equal(scene.changes[0].force_count, 2);
    assert_true(scene.changes[0].sets_force && scene.changes[0].forces[0].group == 2 && scene.changes[0].forces[1].group == 3);
    check_same_bits(scene.changes[0].forces[0].force, (const double[]){1, 2, -3}, 3, "changed force");
    assert_true(scene.changes[1].sets_force && scene.changes[1].force_count == 0);
    assert_ptr_equal(scree_scene_get_entry(&scene, 2).name, g[2].name);
    assert_null(scree_scene_get_entry(&scene, 4).name);
    assert_null(scree_scene_get_entry(&scene, -1).name);
    scene_free(&scene);
    // A single map is a group as well.
    CHECK_OK(parse(named, &scene));
    assert_int_equal(scene.group_count, 0);
    assert_int_equal(scree_scene_group_count(&scene), 1);
    scree_scene_group one = scree_scene_get_entry(&scene, 0);
    assert_string_equal(one.name, "all");
    assert_true(one.count == 1 && one.material_density == 4 && scene.sim.material_density == 4 && one.force[0] == 1 && one.overlap == 0.01);
    assert_int_equal(scene.changes[0].forces[0].group, 0);
    scene_free(&scene);
    CHECK_OK(parse(with_bodies, &scene));
    assert_int_equal(scree_scene_group_count(&scene), 0);
    scene_free(&scene);
    CHECK_OK(parse(of_densities, &scene));
    assert_true(scene.groups[0].material_density == 3 && scene.groups[1].material_density == 1 && scene.groups[1].overlap == 0.02);
    scene_free(&scene);
}

static void test_names_of_files(void** state)
{
    (void)state;
    static const struct {
        const char *scene, *file, *path;
    } cases[] = {{"a.yaml", "p.vtp", "p.vtp"},
                 {"runs/a.yaml", "p.vtp", "runs/p.vtp"},
                 {"/r/b/a.yaml", "../p.vtp", "/r/b/../p.vtp"},
                 {"/r/b/a.yaml", "/data/p.vtp", "/data/p.vtp"}};
    for (size_t n = 0; n < sizeof cases / sizeof *cases; ++n) {
        char text[256], wanted[64];
        scree_scene scene;
        snprintf(text, sizeof text, "spheres: {file: %s}\n" CONTACT TIME, cases[n].file);
        CHECK_OK(scene_parse(cases[n].scene, text, strlen(text), &scene));
        assert_string_equal(scene.file, cases[n].file);
        assert_string_equal(scene.file_path, cases[n].path);
        scene_free(&scene);
        snprintf(text, sizeof text, BOX "spheres: {count: 3, sizes: 'table:%s', place: grow}\n" CONTACT TIME, cases[n].file);
        CHECK_OK(scene_parse(cases[n].scene, text, strlen(text), &scene));
        snprintf(wanted, sizeof wanted, "table:%s", cases[n].path);
        assert_string_equal(scene.sizes_text, wanted);
        scene_free(&scene);
    }
}

// ---- What is wrong, and where ------------------------------------------------------------------------------------

static void check_refused(const char* text, size_t length, const char* message)
{
    scree_scene none, empty;
    memset(&none, 0x55, sizeof none);
    memset(&empty, 0, sizeof empty);
    scree_status status = parse_bytes(text, length, &none);
    if (status != SCREE_ERR_FORMAT || strncmp(scree_error_message(), "m.yaml:", 7) != 0 || !message_names(message))
        fail_msg("\"%.200s\"\n gives %d: %s\n wanted: %s", text, (int)status, status == SCREE_OK ? "" : scree_error_message(), message);
    assert_memory_equal(&none, &empty, sizeof none);
}

#define REST CONTACT TIME BOX MADE  // lines 1 to 4; what is tried comes from line 5 on

static void test_errors(void** state)
{
    (void)state;
    static const struct {
        const char *text, *message;
    } cases[] = {
        // Not a scene at all.
        {"", "m.yaml:1:1"},
        {"# nothing\n\n", "m.yaml:1:1"},
        {"---\n", "m.yaml:1:1"},
        {"- 1\n", "m.yaml:1:1 | `dimension: 2`"},
        {"\n  hello\n", "m.yaml:2:3 | `dimension: 2`"},
        {"seed: 1\n\xFF\n", "m.yaml:2:1 | UTF-8"},
        {"seed: \xC3\xA4\xC3", "m.yaml:1:8 | UTF-8"},
        {"seed: \xC0\x80", "m.yaml:1:7 | UTF-8"},
        {"seed: \xED\xA0\x80", "m.yaml:1:7 | UTF-8"},
        {"a: \xC3\xA4 \x07", "m.yaml:1:6"},
        {"a: 1\r\nb: \xE2\x80\xA8", "m.yaml:2:4"},
        {"box: {size: [1, 2\n", "m.yaml:2:1 | ',' | ']' | 1"},
        {"box: {size: [1, 2", "m.yaml:1:18"},
        {"time:\n\tstep: 1\n", "m.yaml:2:1 | YAML"},
        {"box: {size: [1, 2}\n", "m.yaml:1:18"},
        {"seed: 1\n---\nseed: 2\n", "m.yaml:2:1"},
        {"seed: &a 1\n", "m.yaml:1:7"},
        {"seed: 1\norder_every: *a\n", "m.yaml:2:14"},
        {"<<: *a\n", "m.yaml:1:5"},
        {"<<: {seed: 1}\n", "m.yaml:1:1 | '<<' | dimension"},
        {"box: &b {}\n", "m.yaml:1:6"},
        {"seed: !!int 1\n", "m.yaml:1:7 | yaml.org | 2002"},
        {"changes: !list []\n", "m.yaml:1:10"},
        {"? [a]\n: 1\n", "m.yaml:1:3"},
        {"? {a: 1}\n: 1\n", "m.yaml:1:3"},
        {"box: [[[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]]]\n", "m.yaml:1:21"},
        // Keys.
        {"sed: 1\n", "m.yaml:1:1 | 'sed'"},
        {REST "contakt: 1\n", "m.yaml:5:1 | 'contakt'"},
        {"contact: {law: linear, stifness: 3}\n", "m.yaml:1:24 | 'stifness' | stiffness"},
        {"restitution: 0.9\n", "m.yaml:1:1 | 'restitution' | contact.restitution"},
        {"time:\n  weather: fine\n", "m.yaml:2:3 | 'weather'"},
        {"changes:\n- at: 1\n  gravty: [0, 0, 1]\n", "m.yaml:3:3 | 'gravty' | gravity"},
        {"walls: {w: [1, 2]}\n", "m.yaml:1:9 | 'w'"},
        {"seed: 1\n\nseed: 1\n", "m.yaml:3:1 | 1"},
        {"contact: {law: linear,\n  law: linear}\n", "m.yaml:2:3 | contact.law | 1"},
        {"changes: [{at: 1, at: 2}]\n", "m.yaml:1:19 | changes.at | 1"},
        // Values of the wrong kind.
        {"dimension: 4\n", "m.yaml:1:12 | dimension | '4' | 2 | 3"},
        {"dimension: 2.5\n", "m.yaml:1:12 | dimension | '2.5'"},
        {"dimension: two\n", "m.yaml:1:12 | dimension | 'two'"},
        {"dimension: [2]\n", "m.yaml:1:12 | dimension"},
        {"dimension: {a: 2}\n", "m.yaml:1:12 | dimension"},
        {"dimension:\nseed: 1\n", "m.yaml:1:11 | dimension"},
        {"dimension: \"2\"\n", "m.yaml:1:12 | dimension | '2' | 2 | 3"},
        {"box: 3\n", "m.yaml:1:6 | '3'"},
        {"box: [1, 1, 1]\n", "m.yaml:1:6"},
        {"box: {size: 1}\n", "m.yaml:1:13 | box.size | '1' | 3 | 0"},
        {"box: {size: [1, 1]}\n", "m.yaml:1:13 | box.size | 2 | 3 | dimension"},
        {"dimension: 3\nbox: {size: [1, 1]}\n", "m.yaml:2:13 | box.size | 2 | 3 | dimension"},
        {"box: {size: [1, 1, 1]}\ndimension: 2\n", "m.yaml:1:13 | box.size | 3 | 2 | dimension"},
        {"box: {size: [1, 0, 1]}\n", "m.yaml:1:17 | entry 2 | box.size | '0' | 0"},
        {"box: {size: [1, 1e150, 1]}\n", "m.yaml:1:17 | entry 2 | box.size | '1e150' | 0 | 1e-140 | 1e140"},
        {"box: {size: [1, [1], 1]}\n", "m.yaml:1:17 | entry 2 | box.size"},
        {"box: {periodic: x}\n", "m.yaml:1:17 | box.periodic | 'x'"},
        {"box: {periodic: [x, w]}\n", "m.yaml:1:21 | entry 2 | box.periodic | 'w'"},
        {"box: {periodic: [x, foo]}\n", "m.yaml:1:21 | entry 2 | box.periodic | 'foo'"},
        {"box: {periodic: [x, y, x]}\n", "m.yaml:1:24 | box.periodic"},
        {"box: {periodic: [z]}\ndimension: 2\n", "m.yaml:1:18 | entry 1 | box.periodic | 'z'"},
        {"gravity: -9.81\n", "m.yaml:1:10 | gravity | '-9.81' | 3 | 2"},
        {"gravity: [0, 0, -9.81 m/s]\n", "m.yaml:1:17 | entry 3 | gravity | '-9.81 m/s' | 2"},
        {"gravity: [0, 0, nan]\n", "m.yaml:1:17 | entry 3 | gravity | 'nan'"},
        {"gravity: [0, 0, .inf]\n", "m.yaml:1:17 | entry 3 | gravity | '.inf'"},
        {"gravity: [0, 0, -inf]\n", "m.yaml:1:17 | entry 3 | gravity | '-inf'"},
        {"gravity: [0, 0, 1e400]\n", "m.yaml:1:17 | entry 3 | gravity | '1e400' | 2"},
        {"gravity: [0, 0, 1e-400]\n", "m.yaml:1:17 | entry 3 | gravity | '1e-400'"},
        {"gravity: [0, 0, 0x10]\n", "m.yaml:1:17 | entry 3 | gravity | '0x10'"},
        {"gravity: [0, 0, 1_000]\n", "m.yaml:1:17 | entry 3 | gravity | '1_000'"},
        {"gravity: [0, 0, 1:30]\n", "m.yaml:1:17 | entry 3 | gravity | '1:30'"},
        {"gravity: [0, 0, ]\n", "m.yaml:1:10 | gravity | 2"},
        {"gravity_turn: [0, 0, 1]\ndimension: 2\n", "m.yaml:1:15 | gravity_turn"},
        {"gravity_turn: 1\n", "m.yaml:1:15 | gravity_turn | '1' | 3"},
        {"walls: {x: 1}\n", "m.yaml:1:12 | walls.x | '1' | 2"},
        {"walls: {x: [1, 2, 3]}\n", "m.yaml:1:12 | walls.x | 3 | 2"},
        {"walls: {z: [1, 2]}\ndimension: 2\n", "m.yaml:1:12 | walls.z | axis z | dimension | 2"},
        {"walls: {x: [1, 2]}\nbox: {size: [1, 1, 1], periodic: [x]}\n", "m.yaml:1:12 | walls.x | axis x"},
        {"spheres: {count: -1}\n", "m.yaml:1:18 | spheres.count | '-1' | 0 | 2147483647"},
        {"spheres: {count: 2147483648}\n", "m.yaml:1:18 | spheres.count | '2147483648'"},
        {"spheres: {count: 1.5}\n", "m.yaml:1:18 | spheres.count | '1.5'"},
        {"spheres: {count: 7e3x}\n", "m.yaml:1:18 | spheres.count | '7e3x'"},
        {"spheres: {file: []}\n", "m.yaml:1:17 | spheres.file"},
        {"spheres: {file: ''}\n", "m.yaml:1:17 | spheres.file | ''"},
        {"spheres: {file: \"a\\nb\"}\n", "m.yaml:1:17 | spheres.file"},
        {"spheres: {file: \"a\\0b\"}\n", "m.yaml:1:17 | spheres.file"},
        {"spheres: {place: latice}\n", "m.yaml:1:18 | spheres.place | 'latice'"},
        {"spheres: {place: [grow]}\n", "m.yaml:1:18 | spheres.place"},
        {"spheres: {place: somewhere}\n", "m.yaml:1:18 | spheres.place | 'somewhere'"},
        {"spheres: {velocity: 3}\n", "m.yaml:1:21 | spheres.velocity | '3' | 3"},
        {"spheres: {velocity: [1, 2]}\n", "m.yaml:1:21 | spheres.velocity | 2 | 3"},
        {"spheres: {density: 1}\n", "m.yaml:1:20 | spheres.density | '1' | 0 | 1"},
        {"contact: {law: cundall}\n", "m.yaml:1:16 | contact.law | 'cundall' | linear | record | hertz"},
        {"contact: {mu: 0.5}\n", "m.yaml:1:11 | 'mu' | friction"},
        {"spheres: {omega: [0, 0, 1]}\n", "m.yaml:1:11 | 'omega' | spin"},
        {"contact: {stiffness: -1}\n", "m.yaml:1:22 | contact.stiffness | '-1' | 0"},
        {"contact: {stiffness: 1e7N}\n", "m.yaml:1:22 | contact.stiffness | '1e7N' | 0"},
        {"contact: {restitution: 1.01}\n", "m.yaml:1:24 | contact.restitution | '1.01' | 0 | 1"},
        {"contact: {restitution: 0}\n", "m.yaml:1:24 | contact.restitution | '0'"},
        {"time: {step: fast}\n", "m.yaml:1:14 | time.step | 'fast' | 0"},
        {"time: {step: 0}\n", "m.yaml:1:14 | time.step | '0'"},
        {"time:\n  step: 1,5\n", "m.yaml:2:9 | time.step | '1,5' | 0"},
        {"time: {steps: -1}\n", "m.yaml:1:15 | time.steps | '-1' | 0 | 1000000000000000"},
        {"search: {method: octre}\n", "m.yaml:1:18 | search.method | 'octre'"},
        {"search: {cell_sizes: []}\n", "m.yaml:1:22 | search.cell_sizes | 0 | 1 | 64"},
        {"search: {cell_sizes: 4}\n", "m.yaml:1:22 | search.cell_sizes | '4' | 0"},
        {"search: {cell_sizes: [1, a]}\n", "m.yaml:1:26 | entry 2 | search.cell_sizes | 'a'"},
        {"output: {contacts: yes}\n", "m.yaml:1:20 | output.contacts | 'yes'"},
        {"output: {contacts: \"true\"}\n", "m.yaml:1:20 | output.contacts | 'true'"},
        {"output: {formats: vtp}\n", "m.yaml:1:19 | output.formats | 'vtp'"},
        {"output: {formats: [vtk]}\n", "m.yaml:1:20 | output.formats | 'vtk'"},
        {"output: {formats: [csv, auto]}\n", "m.yaml:1:25 | entry 2 | output.formats | 'auto'"},
        {"output: {formats: [vtp, vtp]}\n", "m.yaml:1:25 | output.formats"},
        {"checkpoint: {every: 1m}\n", "m.yaml:1:21 | checkpoint.every | '1m' | 1"},
        {"checkpoint: {every: 0s}\n", "m.yaml:1:21 | checkpoint.every | '0s'"},
        {"checkpoint: {every: -1s}\n", "m.yaml:1:21 | checkpoint.every | '-1s'"},
        {"checkpoint: {every: 0}\n", "m.yaml:1:21 | checkpoint.every | '0'"},
        {"checkpoint: {every: s}\n", "m.yaml:1:21 | checkpoint.every | 's'"},
        {"checkpoint: {every: 1.5}\n", "m.yaml:1:21 | checkpoint.every | '1.5'"},
        {"checkpoint: {every: nans}\n", "m.yaml:1:21 | checkpoint.every | 'nans'"},
        {"seed: -1\n", "m.yaml:1:7 | '-1' | 0 | 9223372036854775807"},
        {"seed: 9223372036854775808\n", "m.yaml:1:7 | '9223372036854775808'"},
        {"seed: 1 2\n", "m.yaml:1:7 | '1 2'"},
        {"changes: {at: 1}\n", "m.yaml:1:10"},
        {"time: {end: 1}\nchanges:\n- {at: 1, gravity: [0, 0, 1]}\n- {at: 1.5, gravity: [0, 0, 1]}\n", "m.yaml:4:8 | changes.at | 1.5 | time.end | 1"},
        {"changes: [1]\n", "m.yaml:1:11 | entry 1 | '1'"},
        {"changes:\n- gravity: [0, 0, 1]\n", "m.yaml:2:3 | changes.at"},
        {"changes: [{at: 1}]\n", "m.yaml:1:11 | gravity | gravity_turn"},
        {"changes:\n- {at: 1, walls: {}}\n- {at: 1, walls: {}}\n", "m.yaml:3:8 | changes.at | 1 | order"},
        {"changes: [{at: -1, walls: {}}]\n", "m.yaml:1:16 | changes.at | '-1' | 0"},
        {"changes: [{at: 1, walls: {x: [1, 1]}}]\nbox: {periodic: [x], size: [1, 1, 1]}\n", "m.yaml:1:30 | changes.walls.x | axis x"},
        // Bodies.
        {"dimension: 2\nbox: {size: [1, 1]}\ncontact: {law: record, stiffness: 1}\n" TIME "bodies: [{shape: disc, sizes: 'mono:0.1', at: [[0.5, 0.5]]}]\n",
         "m.yaml:3:16 | contact.law | 'record' | linear"},
        {BODIES("{}"), "m.yaml:5:10 | bodies.shape | bodies.points | bodies.wall | bodies.file"},
        {BODIES("{shape: disc}"), "m.yaml:5:10 | bodies.sizes | bodies.shape | bodies.place | bodies.at"},
        {BODIES("{shape: disk}"), "m.yaml:5:18 | bodies.shape | 'disk'"},
        {BODIES("{wall: [[0, 0], [1, 1]]}"), "m.yaml:5:10 | bodies.thickness | bodies.wall"},
        {BODIES("{wall: [[0, 0], [0, 0]], thickness: 1}"), "m.yaml:5:17 | bodies.wall | point 0"},
        {BODIES("{points: [[0, 0], [1, 1], [1, 0], [0, 1]]}"), "m.yaml:5:19 | bodies.points"},
        {BODIES("{points: [[0, 0], [1]]}"), "m.yaml:5:28 | entry 2 | bodies.points | 0 | 1.5"},
        {BODIES("{points: [[0, 0], [1, x]]}"), "m.yaml:5:32 | entry 2 | bodies.points | 'x'"},
        {BODIES("{points: [], shape: disc}"), "m.yaml:5:19 | bodies.points"},
        {BODIES("{file: a, shape: disc}"), "m.yaml:5:20 | bodies.shape | bodies.file | 5"},
        {BODIES("{file: a, place: random, at: [[0, 0]]}"), "m.yaml:5:35 | bodies.at | bodies.place | 5"},
        {BODIES("{file: a, count: 3}"), "m.yaml:5:20 | bodies.count | bodies.place"},
        {BODIES("{file: a, sizes: 'mono:1'}"), "m.yaml:5:20 | bodies.sizes | bodies.shape"},
        {BODIES("{file: a, fixed: true, material_density: 2}"), "m.yaml:5:33 | bodies.material_density"},
        {BODIES("{file: a, place: random, region: [0, 0, 1]}"), "m.yaml:5:43 | bodies.region"},
        {BODIES("{file: a, place: random, region: [0, 1, 1, 0]}"), "m.yaml:5:43 | bodies.region | 1 | 0"},
        {BODIES("{shape: ell, vertices: 6, sizes: 'mono:1', place: random}"), "m.yaml:5:23 | bodies.vertices | bodies.shape"},
        {BODIES("{shape: star, vertices: 3, sizes: 'mono:1', place: random}"), "m.yaml:5:34 | bodies.vertices | 3 | 4"},
        {BODIES("{shape: disc, sizes: 'mono:-1', place: random}"), "m.yaml:5:31 | bodies.sizes | 'mono:-1'"},
        {BODIES("{shape: disc, place: grow, sizes: 'mono:1'}"), "m.yaml:5:31 | bodies.place | 'grow'"},
        {BODIES("{file: a}") "walls: {x: [0, 1]}\n", "m.yaml:6:9 | walls.x"},
        {BODIES("{file: a}") "gravity_turn: 1\n", "m.yaml:6:1 | gravity_turn"},
        {"dimension: 2\nbox: {size: [1, 1]}\nbodies: [{file: a}]\ncontact: {stiffness: 1}\ntime: {end: 1, integrator: position-verlet}\n",
         "m.yaml:5:16 | time.integrator"},
        {BODIES("{file: a}") "search: {method: linked-cells, cell_size: 1}\n", "m.yaml:6:32 | search.cell_size"},
        {BODIES("{file: a}") "changes: [{at: 1, gravity_turn: 1}]\n", "m.yaml:6:19 | changes.gravity_turn"},
        {BODIES("{file: a}") "output: {formats: [vtp, xyz]}\n", "m.yaml:6:19 | output.formats"},
        {BODIES("{file: a}") "spheres: {velocity: zero}\n", "m.yaml:6:11 | spheres.velocity"},
        {BODIES("{file: a}") "spheres: {count: 3}\n", "m.yaml:6:10 | spheres.sizes | spheres.place"},
        {"bodies: [{file: a}]\n", "m.yaml:1:9 | dimension | 2"},
        // Lists of spheres, materials, forces.
        {CONTACT TIME BOX "spheres: 3\n", "m.yaml:4:10 | spheres | '3'"},
        {CONTACT TIME BOX "spheres: [3]\n", "m.yaml:4:11 | entry 1 | '3'"},
        {CONTACT TIME BOX "spheres: []\n", "m.yaml:1:1 | spheres.count"},
        {CONTACT TIME BOX LISTED("{count: 1}"), "m.yaml:6:3 | spheres.sizes | spheres.place"},
        {CONTACT TIME BOX LISTED("{coun: 1}"), "m.yaml:6:4 | 'coun' | count"},
        {CONTACT TIME BOX LISTED("{count: 1, count: 2}"), "m.yaml:6:14 | spheres.count | 6"},
        {CONTACT TIME LISTED("{count: 1, sizes: 'mono:1', place: random}"), "m.yaml:1:1 | box.size | spheres.density"},
        {CONTACT TIME BOX LISTED("{count: 1, sizes: 'mon:1', place: random}"), "m.yaml:6:21 | spheres.sizes | 'mon:1'"},
        {CONTACT TIME BOX LISTED("{count: 1, sizes: 'mono:1', place: random, spacing: 1}"), "m.yaml:6:46 | spheres.spacing | spheres.place"},
        {CONTACT TIME BOX LISTED("{count: 1, sizes: 'mono:1', place: random, velocity: file}"), "m.yaml:6:56 | spheres.velocity | 'file'"},
        {CONTACT TIME BOX LISTED("{file: a, sizes: 'mono:1'}"), "m.yaml:6:13 | spheres.sizes | spheres.file"},
        {CONTACT TIME BOX LISTED("{file: a, name: one}"), "m.yaml:6:19 | spheres.name | 1 | one"},
        {CONTACT TIME BOX LISTED("{file: a, name: -one}"), "m.yaml:6:19 | spheres.name | '-one'"},
        {CONTACT TIME BOX LISTED("{file: a, name: 'o ne'}"), "m.yaml:6:19 | spheres.name | 'o ne'"},
        {CONTACT TIME BOX LISTED("{file: a, name: []}"), "m.yaml:6:19 | spheres.name"},
        {CONTACT TIME BOX LISTED("{file: a, fixed: 1}"), "m.yaml:6:20 | spheres.fixed | '1' | true"},
        {CONTACT TIME BOX LISTED("{file: a, fixed: true, velocity: [0, 0, 1]}"), "m.yaml:6:36 | spheres.velocity | spheres.fixed | zero"},
        {CONTACT TIME BOX LISTED("{file: a, fixed: true, force: [0, 0, 1]}"), "m.yaml:6:33 | spheres.force | spheres.fixed"},
        {CONTACT TIME BOX LISTED("{file: a, force: [0, 1]}"), "m.yaml:6:20 | spheres.force | 2 | 3"},
        {CONTACT TIME BOX LISTED("{count: 1, sizes: 'mono:1', place: grow}"), "m.yaml:5:49 | spheres.place | entry 2 | grow"},
        {CONTACT TIME LISTED("{file: a}") "box: {aspect: [1, 1, 1]}\n", "m.yaml:6:7 | box.aspect | spheres.density"},
        {CONTACT TIME LISTED("{count: 1, sizes: 'mono:1', place: random, density: 0.1}\n- {file: a}"), "m.yaml:5:55 | spheres.density | 0.1 | entry 3 | box.size"},
        {CONTACT TIME LISTED("{count: 1, sizes: 'mono:1', place: random, density: 0.6}\n- {count: 1, sizes: 'mono:1', place: random, density: 0.5}"),
         "m.yaml:5:55 | spheres.density | 1.1"},
        {CONTACT TIME BOX LISTED("{count: 1, sizes: 'mono:1', place: random, density: 0.5}"), "m.yaml:3:7 | box.size | spheres.density"},
        {CONTACT TIME BOX LISTED("{file: a, material: glass}"), "m.yaml:6:13 | spheres.material | materials"},
        {CONTACT TIME BOX "spheres: {file: a, material: glass}\n", "m.yaml:4:20 | spheres.material | materials"},
        {CONTACT TIME BOX GLASS "spheres: {count: 1, sizes: 'mono:1', place: random}\n", "m.yaml:5:10 | spheres.material"},
        {CONTACT TIME BOX GLASS "spheres: {file: a, material: glas}\n", "m.yaml:5:30 | spheres.material | 'glas' | glass"},
        {CONTACT TIME BOX GLASS "spheres: {file: a, material: steel}\n", "m.yaml:5:30 | spheres.material | 'steel' | glass"},
        {CONTACT TIME BOX GLASS "spheres: {file: a, material: [glass]}\n", "m.yaml:5:30 | spheres.material"},
        {CONTACT TIME BOX GLASS "spheres: {file: a, material: glass, material_density: 3}\n", "m.yaml:5:37 | spheres.material_density | materials"},
        {CONTACT TIME BOX GLASS "spheres: [{file: a, material: glass, material_density: 3}]\n", "m.yaml:5:38 | spheres.material_density | materials"},
        {"materials: [a]\n", "m.yaml:1:12 | materials"},
        {"materials: {a: 1}\n", "m.yaml:1:16 | materials.preset | '1'"},
        {"materials: {a: {}}\n", "m.yaml:1:16 | materials.material_density"},
        {"materials: {a: {yung: 1}}\n", "m.yaml:1:17 | 'yung' | materials | young"},
        {"materials: {a: {material_density: 0}}\n", "m.yaml:1:35 | materials.material_density | '0'"},
        {"materials: {a: {material_density: 1}, a: {material_density: 1}}\n", "m.yaml:1:39 | materials | a"},
        {"materials: {a b: {material_density: 1}}\n", "m.yaml:1:13 | materials | 'a b'"},
        {CONTACT TIME BOX LISTED("{file: a, name: two}") "changes: [{at: 1, force: [1, 2, 3]}]\n", "m.yaml:7:26 | changes.force | 3"},
        {CONTACT TIME BOX LISTED("{file: a, name: two}") "changes: [{at: 1, force: {three: [1, 2, 3]}}]\n", "m.yaml:7:27 | changes.force | 'three' | one | two"},
        {CONTACT TIME BOX LISTED("{file: a, name: two}") "changes: [{at: 1, force: {two: 3}}]\n", "m.yaml:7:32 | changes.force | '3'"},
        {CONTACT TIME BOX LISTED("{file: a, name: two}") "changes: [{at: 1, force: {two: [1, 2]}}]\n", "m.yaml:7:32 | changes.force | 2 | 3"},
        {CONTACT TIME BOX LISTED("{file: a, name: two}") "changes: [{at: 1, force: {two: [1, 2, x]}}]\n", "m.yaml:7:39 | entry 3 | changes.force | 'x'"},
        {CONTACT TIME BOX LISTED("{file: a, name: two}") "changes: [{at: 1, force: {two: [1, 2, 3], two: [1, 2, 3]}}]\n", "m.yaml:7:43 | changes.force | two"},
        {CONTACT TIME BOX LISTED("{file: a, name: two, fixed: true}") "changes: [{at: 1, force: {two: [1, 2, 3]}}]\n", "m.yaml:7:27 | changes.force | two | fixed"},
        {REST "changes: [{at: 1, force: {two: [1, 2, 3]}}]\n", "m.yaml:5:27 | changes.force | 'two'"},
        {BODIES("{file: a}") "changes: [{at: 1, force: {two: [1, 2]}}, {at: 2, gravity: [0, 1]}]\n", "m.yaml:6:26 | changes.force | bodies"},
        {BODIES("{file: a}") "spheres: [{file: a, force: [1, 2]}]\n", "m.yaml:6:21 | spheres.force | bodies"},
        {BODIES("{file: a}") "spheres: [{count: 1, sizes: 'mono:1', place: random, density: 0.5}]\n", "m.yaml:6:54 | spheres.density | bodies"},
        // What is missing.
        {"seed: 1\n", "m.yaml:1:1 | box.size | spheres.density | spheres.count | spheres.file | spheres.sizes | spheres.place | contact.stiffness | contact.duration | contact.overlap | contact.speed | time.end | time.steps"},
        {CONTACT TIME BOX "spheres:\n  count: 3\n", "m.yaml:5:3 | spheres.sizes | spheres.place"},
        {CONTACT TIME BOX "spheres: {}\n", "m.yaml:4:10 | spheres.count | spheres.file | spheres.sizes | spheres.place"},
        {CONTACT TIME MADE "box: {periodic: [x]}\n", "m.yaml:4:6 | box.size | spheres.density"},
        {CONTACT BOX MADE "time: {step: 1}\n", "m.yaml:4:7 | time.end | time.steps"},
        {TIME BOX MADE "contact: {overlap: 0.1}\n", "m.yaml:4:10 | contact.speed | contact.overlap"},
        {TIME BOX MADE "contact:\n  restitution: 0.1\n", "m.yaml:5:3 | contact.stiffness"},
        // What does not go together.
        {"contact:\n  duration: 1\n  stiffness: 1\n", "m.yaml:3:3 | contact.stiffness | contact.duration | 2"},
        {"contact: {overlap: 1, stiffness: 1}\n", "m.yaml:1:23 | contact.stiffness | contact.overlap | 1"},
        {"contact: {damping: 1,\n restitution: 1}\n", "m.yaml:2:2 | contact.restitution | contact.damping | 1"},
        {"time: {end: 1, steps: 1}\n", "m.yaml:1:16 | time.steps | time.end | 1"},
        {"output: {every: 1, every_steps: 1}\n", "m.yaml:1:20 | output.every_steps | output.every | 1"},
        {CONTACT TIME "spheres: {file: a, count: 3}\n", "m.yaml:3:20 | spheres.count | spheres.file"},
        {CONTACT TIME "spheres: {file: a, density: 0.5}\n", "m.yaml:3:20 | spheres.density"},
        {CONTACT TIME "spheres: {file: a}\nbox: {periodic: [x]}\n", "m.yaml:4:7 | box.periodic | box.size"},
        {CONTACT TIME "spheres: {file: a, spacing: 1}\n", "m.yaml:3:20 | spheres.spacing | spheres.place"},
        {CONTACT TIME BOX "spheres: {count: 1, sizes: 'mono:1', place: grow, spacing: 1}\n", "m.yaml:4:51 | spheres.spacing | spheres.place"},
        {CONTACT TIME BOX "spheres: {count: 1, sizes: 'mono:1', place: grow, density: 0.5}\n", "m.yaml:3:7 | box.size | spheres.density"},
        {REST "seed: 1\noutput: {}\nsearch: {}\ncheckpoint: {}\nwalls: {}\ntim: 1\n", "m.yaml:10:1 | 'tim'"},
        {CONTACT TIME MADE "box: {size: [1, 1, 1], aspect: [1, 1, 1]}\n", "m.yaml:4:24 | box.aspect | spheres.density"},
        {CONTACT TIME BOX "spheres: {count: 1, sizes: 'mono:1', place: grow, temperature: 1}\n", "m.yaml:4:51 | spheres.temperature | spheres.velocity"},
        {CONTACT TIME BOX "spheres: {count: 1, sizes: 'mono:1', place: grow, velocity: thermal, temperature: 1, overlap: 0.1}\n",
         "m.yaml:4:86 | spheres.overlap | spheres.velocity"},
        {CONTACT TIME BOX "spheres: {count: 1, sizes: 'mono:1', place: grow, velocity: file}\n", "m.yaml:4:61 | spheres.velocity | 'file'"},
        {TIME BOX MADE "contact: {stiffness: 1, speed: 1}\n", "m.yaml:4:25 | contact.speed | contact.overlap"},
        // What other rooms say.
        {CONTACT TIME BOX "spheres: {count: 1, sizes: 'mon:1', place: grow}\n", "m.yaml:4:28 | spheres.sizes | 'mon:1' | 'mon' | 'mono'"},
        {CONTACT TIME BOX "spheres: {count: 1, sizes: 'table:', place: grow}\n", "m.yaml:4:28 | spheres.sizes | 'table:'"},
        {REST "search: {cell_size: 1}\n", "m.yaml:5:21 | search.cell_size | cell_size | linked-cells"},
        {REST "search: {cell_sides: [1, 2, 3]}\n", "m.yaml:5:22 | search.cell_sides | cell_sides | linked-cells"},
        {REST "search: {method: linked-cells, cell_sides: [1, 2]}\n", "m.yaml:5:44 | search.cell_sides | 2 | 3"},
        {REST "search: {method: linked-cells, cell_sides: [1, 2, 0]}\n", "m.yaml:5:51 | search.cell_sides | 0"},
        {REST "search: {method: linked-cells, cell_sides: 3}\n", "m.yaml:5:44 | search.cell_sides | 3"},
        {REST "search: {method: linked-cells, cell_size: 3, cell_sides: [3, 4, 5]}\n", "m.yaml:5 | search | cell_size | cell_sides"},
        {REST "search: {levels: 3, method: octree}\n", "m.yaml:5:18 | search.levels | hierarchical-grid"},
        {REST "search: {method: hierarchical-grid, cell_sizes: [2, 1]}\n", "m.yaml:5:49 | search.cell_sizes | 2 | 1"},
        {REST "search:\n  method: hierarchical-grid\n  cell_sizes: [1, 2]\n  levels: 3\n", "m.yaml:6:3 | 3 | 2"},
        {CONTACT TIME MADE "box: {size: [1, 1, 1], origin: [0, 1e20, 0]}\n", "m.yaml:4:13 | box.size | box.origin"},
        {CONTACT TIME MADE "box: {size: [1e140, 1, 1], origin: [1e140, 1, 0]}\n", "m.yaml:4:13 | box.size | axis x | 1e+140 | 2e+140"},
    };
    for (size_t n = 0; n < sizeof cases / sizeof *cases; ++n)
        check_refused(cases[n].text, strlen(cases[n].text), cases[n].message);
    // A suggestion is never the key itself.
    check_refused("changes: [{at: 1, bodies: []}]\n", 31, "m.yaml:1:19 | changes.bodies");
    assert_null(strstr(scree_error_message(), "did you mean"));
    check_refused("a: \0", 4, "m.yaml:1:4: a NUL byte");
    check_refused("\xFF\xFE" "a\0:\0", 6, "m.yaml:1:1: this is not UTF-8");
}

static void test_numbers(void** state)
{
    (void)state;
    static const struct {
        const char* text;
        double value;
    } cases[] = {{"1e7", 1e7}, {"1.0e-3", 1e-3}, {".5", 0.5}, {"5.", 5.0}, {"+2", 2.0}, {"0.1", 0.1}, {"1E+2", 100.0}, {"010", 10.0}};
    for (size_t n = 0; n < sizeof cases / sizeof *cases; ++n) {
        char text[256];
        scree_scene scene;
        snprintf(text, sizeof text, BOX MADE TIME "contact: {stiffness: %s}\n", cases[n].text);
        CHECK_OK(parse(text, &scene));
        check_same_bits(&scene.sim.stiffness, &cases[n].value, 1, cases[n].text);
        scene_free(&scene);
    }
}

static void test_limits(void** state)
{
    (void)state;
    scree_scene scene;
    size_t huge = SCENE_BYTES_MAX + 1;
    char* text = malloc(huge + 64);
    assert_non_null(text);
    memset(text, '#', huge);
    check_refused(text, huge, "m.yaml:1:1: the file is longer than 4194304 bytes");
    check_refused(text, SCENE_BYTES_MAX, "m.yaml:1:1: the file holds no scene");
    put_file(in_folder("huge.yaml"), text, huge);
    CHECK_FAILS(scene_read(in_folder("huge.yaml"), &scene), SCREE_ERR_FORMAT, "huge.yaml:1:1");
    memset(text, '[', SCENE_BYTES_MAX);
    check_refused(text, SCENE_BYTES_MAX, "m.yaml:1:17: lists and maps inside each other are too deep");
    for (size_t k = 0; k + 1 < SCENE_BYTES_MAX; k += 2)
        memcpy(text + k, "- ", 2);
    check_refused(text, SCENE_BYTES_MAX, "m.yaml:1:33: lists and maps inside each other are too deep");
    memset(text, 'x', SCENE_BYTES_MAX);
    check_refused(text, SCENE_BYTES_MAX, "m.yaml:1:1: a scene is a map");
    // As many changes as fit.
    clock_t begin = clock();
    size_t used = (size_t)sprintf(text, REST "changes:\n"), n = 0;
    while (used < (test_is_small() ? SCENE_BYTES_MAX / 8 : SCENE_BYTES_MAX) - 64)
        used += (size_t)sprintf(text + used, "- {at: %zu, walls: {x: [0, %zu]}}\n", n, n), ++n;
    CHECK_OK(parse_bytes(text, used, &scene));
    assert_int_equal(scene.change_count, n);
    assert_true(scene.changes[n - 1].wall_velocity[0][1] == (double)(n - 1));
    scene_free(&scene);
    assert_true((double)(clock() - begin) / CLOCKS_PER_SEC < 60.0);
    free(text);
}

// However a file is cut, it is a scene or an error with a place.
static void test_cuts(void** state)
{
    (void)state;
    for (int s = 0; s < FINE_SCENES; ++s)
        for (size_t cut = 0; cut < strlen(fine_scenes[s]); ++cut) {
            scree_scene scene;
            scree_status status = parse_bytes(fine_scenes[s], cut, &scene);
            if (status == SCREE_OK)
                scene_free(&scene);
            else if (status != SCREE_ERR_FORMAT || strncmp(scree_error_message(), "m.yaml:", 7) != 0)
                fail_msg("scene %d cut at %zu gives %d: %s", s, cut, (int)status, scree_error_message());
        }
}

// ---- Round trips -------------------------------------------------------------------------------------------------

static size_t size_of(scene_form form)
{
    switch (form) {
    case SCENE_FORM_NUMBER:
    case SCENE_FORM_INT64:
    case SCENE_FORM_PERIOD:
    case SCENE_FORM_BETWEEN:
        return 8;
    case SCENE_FORM_INT32:
    case SCENE_FORM_MATERIAL:
    case SCENE_FORM_WORD:
    case SCENE_FORM_SIZES:
    case SCENE_FORM_START:
        return 4;
    case SCENE_FORM_FLAG:
        return sizeof(bool);
    case SCENE_FORM_VECTOR:
    case SCENE_FORM_TURN:
        return 3 * sizeof(double);
    case SCENE_FORM_REGION:
        return 4 * sizeof(double);
    case SCENE_FORM_PAIR:
        return 2 * sizeof(double);
    case SCENE_FORM_AXES:
        return 3 * sizeof(bool);
    case SCENE_FORM_FORMATS:
        return sizeof(uint32_t);
    default:
        return 0;
    }
}

// `list`: "changes.", "bodies.", "materials." or "pairs.", or "": the keys of none of them; "spheres.": those of an entry of a list.
static void check_same_rows(const char* a, const char* b, const char* list)
{
    int32_t count;
    const scree_scene_key* keys = scree_scene_keys(&count);
    for (int32_t k = 0; k < count; ++k) {
        const scene_field* field = keys[k].field;
        static const char* const lists[] = {"changes.", "bodies.", "materials.", "pairs.", "bonds.", "surfaces.", "insert.", "outlets."};
        bool entry = strcmp(list, "spheres.") == 0, wanted = strncmp(keys[k].path, list, strlen(list)) == 0;
        for (size_t n = 0; n < sizeof lists / sizeof *lists && *list == '\0'; ++n)
            wanted = wanted && strncmp(keys[k].path, lists[n], strlen(lists[n])) != 0;
        if (!wanted)
            continue;
        size_t at = entry ? field->item : field->offset;
        if (memcmp(a + at, b + at, size_of(field->form)) != 0 || (field->flag > 0 && a[field->flag] != b[field->flag]))
            fail_msg("%s changes by writing and reading", keys[k].path);
    }
}

static void check_same_text(const char* a, const char* b)
{
    assert_int_equal(a == NULL, b == NULL);
    if (a != NULL)
        assert_string_equal(a, b);
}

static void check_same_scene(const scree_scene* a, const scree_scene* b)
{
    check_same_rows((const char*)a, (const char*)b, "");
    assert_int_equal(a->checkpoint_steps, b->checkpoint_steps);
    check_same_bits(a->velocity, b->velocity, 3, "velocity");
    for (int k = 0; k < a->sim.box.dim; ++k) {
        check_same_bits(&a->sim.box.lower[k], &b->sim.box.lower[k], 1, "lower");
        check_same_bits(&a->sim.box.upper[k], &b->sim.box.upper[k], 1, "upper");
        assert_int_equal(a->sim.box.periodic[k], b->sim.box.periodic[k]);
    }
    check_same_bits(a->cell_sizes, b->cell_sizes, a->search.cell_size_count, "cell sizes");
    check_same_text(a->file, b->file);
    check_same_text(a->file_path, b->file_path);
    check_same_text(a->sizes, b->sizes);
    check_same_text(a->sizes_text, b->sizes_text);
    check_same_text(a->name, b->name);
    assert_int_equal(a->group_count, b->group_count);
    for (int64_t n = 0; n < a->group_count; ++n) {
        const scree_scene_group *one = &a->groups[n], *other = &b->groups[n];
        check_same_rows((const char*)one, (const char*)other, "spheres.");
        check_same_bits(one->velocity, other->velocity, 3, "velocity");
        check_same_text(one->name, other->name);
        check_same_text(one->file, other->file);
        check_same_text(one->file_path, other->file_path);
        check_same_text(one->sizes, other->sizes);
        check_same_text(one->sizes_text, other->sizes_text);
    }
    assert_int_equal(a->material_count, b->material_count);
    for (int64_t n = 0; n < a->material_count; ++n) {
        check_same_rows((const char*)&a->materials[n], (const char*)&b->materials[n], "materials.");
        check_same_text(a->materials[n].name, b->materials[n].name);
    }
    assert_int_equal(a->pair_count, b->pair_count);
    if (a->pair_count > 0)  // without pairs a damping that is not given is written as its default
        assert_int_equal(a->damps, b->damps);
    for (int64_t n = 0; n < a->pair_count; ++n)
        check_same_rows((const char*)&a->pairs[n], (const char*)&b->pairs[n], "pairs.");
    assert_int_equal(a->change_count, b->change_count);
    for (int64_t n = 0; n < a->change_count; ++n) {
        check_same_rows((const char*)&a->changes[n], (const char*)&b->changes[n], "changes.");
        assert_int_equal(a->changes[n].force_count, b->changes[n].force_count);
        for (int32_t f = 0; f < a->changes[n].force_count; ++f) {
            assert_int_equal(a->changes[n].forces[f].group, b->changes[n].forces[f].group);
            check_same_bits(a->changes[n].forces[f].force, b->changes[n].forces[f].force, 3, "force");
        }
    }
    assert_int_equal(a->body_count, b->body_count);
    for (int64_t n = 0; n < a->body_count; ++n) {
        const scree_scene_bodies *one = &a->bodies[n], *other = &b->bodies[n];
        check_same_rows((const char*)one, (const char*)other, "bodies.");
        const scree_scene_points* points[][2] = {{&one->points, &other->points}, {&one->wall, &other->wall}, {&one->at, &other->at}};
        for (int p = 0; p < 3; ++p) {
            assert_int_equal(points[p][0]->count, points[p][1]->count);
            check_same_bits(points[p][0]->xy, points[p][1]->xy, 2 * points[p][0]->count, "points");
        }
        check_same_text(one->file, other->file);
        check_same_text(one->file_path, other->file_path);
        check_same_text(one->sizes, other->sizes);
        check_same_text(one->sizes_text, other->sizes_text);
    }
}

static void check_round_trip(const scree_scene* scene)
{
    scree_scene back;
    CHECK_OK(scree_scene_write(in_folder("again.yaml"), scene));
    CHECK_OK(scene_read(in_folder("again.yaml"), &back));
    check_same_scene(scene, &back);
    char* once = get_file(in_folder("again.yaml"), NULL);
    CHECK_OK(scree_scene_write(in_folder("again.yaml"), &back));
    CHECK_FILE(in_folder("again.yaml"), once);
    free(once);
    scene_free(&back);
}

static void read_in_folder(const char* text, scree_scene* scene)
{
    put_text(in_folder("first.yaml"), text);
    CHECK_OK(scene_read(in_folder("first.yaml"), scene));
}

static void test_round_trips(void** state)
{
    (void)state;
    for (int s = 0; s < FINE_SCENES; ++s) {
        scree_scene scene;
        read_in_folder(fine_scenes[s], &scene);
        check_round_trip(&scene);
        scene_free(&scene);
    }
}

static double random_above_0(scree_rng* rng)
{
    return exp(200.0 * scree_rng_uniform(rng) - 100.0);
}

// Any numbers, bit for bit.
static void test_random_round_trips(void** state)
{
    (void)state;
    int rounds = (int)(50 * test_effort());
    for (int n = 0; n < rounds; ++n) {
        scree_rng rng = scree_rng_make((uint64_t)n, 0);
        scree_scene scene;
        read_in_folder(n % 2 == 0 ? most_3d : most_2d, &scene);
        for (int k = 0; k < 3; ++k) {
            double sign = scree_rng_below(&rng, 2) > 0 ? 1.0 : -1.0;
            scene.sim.gravity[k] = sign * random_above_0(&rng);
            scene.box_aspect[k] = n % 2 == 0 ? 1.0 : random_above_0(&rng);
            scene.box_origin[k] = sign * scree_rng_uniform(&rng);
            if (n % 2 == 0) {
                scene.box_size[k] = 1.0 + scree_rng_uniform(&rng);
                scene.sim.box.lower[k] = scene.box_origin[k];
                scene.sim.box.upper[k] = scene.box_origin[k] + scene.box_size[k];
            }
        }
        if (n % 2 != 0)
            scene.sim.gravity[2] = 0.0, scene.box_origin[2] = 0.0, scene.box_aspect[2] = 1.0;
        scene.sim.material_density = random_above_0(&rng);
        scene.sim.time_step = random_above_0(&rng);
        scene.sim.damping = n % 2 == 0 ? 0.0 : random_above_0(&rng);
        scene.search.skin = random_above_0(&rng) - random_above_0(&rng);
        scene.seed = scree_rng_bits(&rng) >> 1;
        scene.checkpoint_seconds = n % 4 < 2 ? 1e9 * scree_rng_uniform(&rng) + 1e-9 : 0.0;
        scene.checkpoint_steps = n % 4 < 2 ? 0 : 1 + (int64_t)scree_rng_below(&rng, 1000000);
        for (int64_t c = 0; c < scene.change_count; ++c)
            scene.changes[c].at += scree_rng_uniform(&rng) * 0.1;
        check_round_trip(&scene);
        scene_free(&scene);
    }
}

// Written elsewhere, a relative name still means the same file.
static void test_written_elsewhere(void** state)
{
    (void)state;
    scree_scene scene, back;
    char here[4096], wanted[8192];
    assert_non_null(getcwd(here, sizeof here));
    const char* text = "spheres: {file: 'p \"\\q.vtp'}\n" CONTACT TIME;
    CHECK_OK(scene_parse("runs/a.yaml", text, strlen(text), &scene));
    CHECK_OK(scree_scene_write(in_folder("b.yaml"), &scene));
    CHECK_OK(scene_read(in_folder("b.yaml"), &back));
    snprintf(wanted, sizeof wanted, "%s/runs/p \"\\q.vtp", here);
    assert_string_equal(back.file, wanted);
    assert_string_equal(back.file_path, wanted);
    scene_free(&scene);
    scene_free(&back);
    text = BOX CONTACT TIME "spheres: {count: 1, sizes: 'table:s.csv', place: grow}\n";
    CHECK_OK(scene_parse("/data/a.yaml", text, strlen(text), &scene));
    CHECK_OK(scree_scene_write(in_folder("b.yaml"), &scene));
    CHECK_OK(scene_read(in_folder("b.yaml"), &back));
    assert_string_equal(back.sizes, "table:/data/s.csv");
    scene_free(&scene);
    scene_free(&back);
}

// What is no scene is not written, and the old file stays.
static void test_not_written(void** state)
{
    (void)state;
    const char* path = in_folder("old.yaml");
    put_text(path, OLD);
    scree_scene scene = scene_default();
    CHECK_FAILS(scree_scene_write(path, &scene), SCREE_ERR_ARGUMENT, "scene:1:1");
    CHECK_OK(parse(from_design, &scene));
    scree_scene wrong = scene;
    wrong.sim.gravity[1] = NAN;
    CHECK_FAILS(scree_scene_write(path, &wrong), SCREE_ERR_ARGUMENT, "entry 2", "gravity", "'nan'");
    wrong = scene;
    wrong.sizes = "mono:1\nx";
    CHECK_FAILS(scree_scene_write(path, &wrong), SCREE_ERR_ARGUMENT, "spheres.sizes");
    wrong = scene;
    wrong.sizes = "mono:\xFF";
    CHECK_FAILS(scree_scene_write(path, &wrong), SCREE_ERR_ARGUMENT, "UTF-8");
    wrong = scene;
    wrong.place = 17;
    CHECK_FAILS(scree_scene_write(path, &wrong), SCREE_ERR_ARGUMENT, "spheres.place", "'none'");
    wrong = scene;
    wrong.name = "a b";
    CHECK_FAILS(scree_scene_write(path, &wrong), SCREE_ERR_ARGUMENT, "spheres.name", "'a b'");
    wrong = scene;
    wrong.change_count = 1;
    wrong.changes = &(scree_scene_change){.at = 1e-3, .sets_force = true, .force_count = 1, .forces = &(scree_scene_force){.group = 0}};
    CHECK_FAILS(scree_scene_write(path, &wrong), SCREE_ERR_ARGUMENT, "changes.force", "''");
    wrong = scene;
    wrong.sim.box.dim = 5;
    CHECK_FAILS(scree_scene_write(path, &wrong), SCREE_ERR_ARGUMENT, "dimension", "'5'");
    for (int bit = 0; bit < 32; bit += 31) {  // AUTO, and one that this library has no format for
        wrong = scene;
        wrong.formats |= SCREE_FORMAT_BIT(bit);
        CHECK_FAILS(scree_scene_write(path, &wrong), SCREE_ERR_ARGUMENT, "output.formats", "'none'");
    }
    wrong = scene;
    wrong.search.cell_size_count = 2;
    CHECK_FAILS(scree_scene_write(path, &wrong), SCREE_ERR_ARGUMENT, "search.cell_sizes", "0");
    CHECK_FILE(path, OLD);
    CHECK_FAILS(scree_scene_write(in_folder("no/such/folder.yaml"), &scene), SCREE_ERR_IO, "no/such/folder.yaml");
    for (int64_t n = 1;; ++n) {
        scree_output_fail_at(n, n % 2 == 0 ? ENOSPC : EIO);
        scree_status status = scree_scene_write(path, &scene);
        int64_t calls = scree_output_fail_at(0, 0);
        if (status == SCREE_OK) {
            assert_true(calls < n && calls > 3);
            break;
        }
        assert_int_equal(status, SCREE_ERR_IO);
        if (!is_written_anyway())
            CHECK_FILE(path, OLD);
        assert_int_equal(files_in_folder(), 1);
    }
    scene_free(&scene);
}

static void test_files(void** state)
{
    (void)state;
    scree_scene scene;
    CHECK_FAILS(scene_read(in_folder("none.yaml"), &scene), SCREE_ERR_IO, "none.yaml");
    CHECK_FAILS(scene_read(folder, &scene), SCREE_ERR_IO);
    put_text(in_folder("e.yaml"), "");
    CHECK_FAILS(scene_read(in_folder("e.yaml"), &scene), SCREE_ERR_FORMAT, "e.yaml:1:1");
    put_text(in_folder("e.yaml"), "spheres: {file: p.vtp}\n" CONTACT TIME);
    CHECK_OK(scene_read(in_folder("e.yaml"), &scene));
    assert_string_equal(scene.file_path, in_folder("p.vtp"));
    scene_free(&scene);
}

static void test_allocations(void** state)
{
    (void)state;
    for (int s = 0; s < FINE_SCENES; ++s) {
        scree_scene scene, empty;
        memset(&scene, 0x55, sizeof scene);
        memset(&empty, 0, sizeof empty);
        EACH_ALLOCATION_FAILS(parse(fine_scenes[s], &scene), assert_memory_equal(&scene, &empty, sizeof scene));
        put_text(in_folder("w.yaml"), OLD);
        EACH_ALLOCATION_FAILS(scree_scene_write(in_folder("w.yaml"), &scene), CHECK_FILE(in_folder("w.yaml"), OLD));
        scene_free(&scene);
        put_text(in_folder("w.yaml"), fine_scenes[s]);
        EACH_ALLOCATION_FAILS(scene_read(in_folder("w.yaml"), &scene), (void)0);
        scene_free(&scene);
    }
}

// ---- The table ---------------------------------------------------------------------------------------------------

static void test_table(void** state)
{
    (void)state;
    int32_t count;
    const scree_scene_key* keys = scree_scene_keys(&count);
    for (int32_t k = 0; k < count; ++k) {
        assert_true(strlen(scree_scene_last_name(keys[k].path)) < 64);
        for (int32_t b = 0; b < k; ++b)
            assert_string_not_equal(keys[k].path, keys[b].path);
        const char* dot = strrchr(keys[k].path, '.');
        bool inside = dot == NULL;
        for (int32_t b = 0; b < k && !inside; ++b)  // behind its map
            inside = (keys[b].field->form == SCENE_FORM_MAP || keys[b].field->form == SCENE_FORM_ITEMS || keys[b].field->form == SCENE_FORM_GROUPS ||
                      keys[b].field->form == SCENE_FORM_NAMED) &&
                     scree_scene_is_child(keys[k].path, keys[b].path);
        assert_true(inside);
        if (keys[k].field->form != SCENE_FORM_WORD && keys[k].field->form != SCENE_FORM_FORMATS)
            continue;
        char words[256] = "";
        for (int32_t n = 0; keys[k].field->word(n) != NULL; ++n)
            snprintf(words + strlen(words), sizeof words - strlen(words), "%s%s",
                     n == 0                                  ? ""
                     : keys[k].field->word(n + 1) == NULL ? " or "
                                                             : ", ",
                     keys[k].field->word(n));
        assert_string_equal(keys[k].range, words);
    }
}

// The same for a key of an entry of `bodies`.
static scree_status try_body_key(const char* name, const char* value)
{
    static const char* const beside_it[][2] = {{"thickness", "wall: [[0, 0], [1, 0]]"},
                                               {"vertices", "shape: regular, sizes: 'mono:1', at: [[0, 0]]"},
                                               {"roughness", "shape: star, sizes: 'mono:1', at: [[0, 0]]"},
                                               {"count", "shape: disc, sizes: 'mono:1', place: lattice"},
                                               {"", "points: [[0, 0], [1, 0], [0, 1]]"}};
    int row = 0;
    while (*beside_it[row][0] != '\0' && strcmp(beside_it[row][0], name) != 0)
        ++row;
    char text[1024];
    snprintf(text, sizeof text, "dimension: 2\nbox: {size: [1, 1]}\n" CONTACT TIME "bodies: [{%s: %s, %s}]\n", name, value, beside_it[row][1]);
    scree_scene scene;
    scree_status status = parse(text, &scene);
    if (status == SCREE_OK)
        scene_free(&scene);
    return status;
}

// What `contact` needs beside a key of contact or of pairs: a law that it goes with, and what that law needs. `own`: the name of a key of contact; else "".
static const char* contact_beside(const char* path, const char* own, bool materials)
{
    static char text[256];
    const scree_scene_key* key = &scree_scene_keys(&(int32_t){0})[scree_scene_find(path)];
    int32_t law = 0;
    while (key->field->laws != 0 && (key->field->laws >> law & 1u) == 0)
        ++law;
    bool curved = law >= 2 && law <= 4, hard = strcmp(own, "stiffness") == 0 || strcmp(own, "duration") == 0 || strcmp(own, "overlap") == 0 || strcmp(own, "k1") == 0;
    snprintf(text, sizeof text, ", law: %s%s%s%s", scree_sim_law_name(law), curved || hard ? "" : law == 5 ? ", k1: 1" : ", stiffness: 1",
             curved || strcmp(own, "overlap") == 0 ? ", speed: 1" : "", curved && !materials ? ", young: 1, poisson: 0" : "");
    static const char* const uses[][2] = {{"friction_dynamic", ", friction: 1"}, {"tangential_stiffness", ", friction: 1"}, {"tangential_damping", ", friction: 1, damping: 1"},
                                          {"rolling_stiffness", ", rolling_friction: 1"}, {"rolling_damping", ", rolling_friction: 1, damping: 1"},
                                          {"twisting_stiffness", ", twisting_friction: 1"}, {"twisting_damping", ", twisting_friction: 1, damping: 1"},
                                          {"bridge_volume", ", surface_tension: 1"}, {"surface_tension", ", bridge_volume: 1"},
                                          {"wetting_angle", ", surface_tension: 1, bridge_volume: 1"}, {"plastic_depth", ", k2: 2"}};
    for (size_t k = 0; k < sizeof uses / sizeof *uses; ++k)
        if (strcmp(scree_scene_last_name(path), uses[k][0]) == 0)
            strcat(text, uses[k][1]);
    if (strcmp(own, "speed") == 0)
        strcpy(text, ", overlap: 0.1");
    if (strcmp(own, "law") == 0)
        strcpy(text, ", stiffness: 1");
    if (strcmp(own, "young") == 0 || strcmp(own, "poisson") == 0)
        snprintf(text, sizeof text, ", law: hertz, speed: 1, %s: 0.1", strcmp(own, "young") == 0 ? "poisson" : "young");
    return text;
}

// A scene with one key of a table set to `value`, all that it needs, and nothing that excludes it.
static scree_status try_key(const char* path, const char* value)
{
    char text[1024], line[256];
    bool in_spheres = strncmp(path, "spheres.", 8) == 0;
    const char* name = scree_scene_last_name(path);
    const char* dot = strchr(path, '.');
    if (strncmp(path, "bodies.", 7) == 0)
        return try_body_key(name, value);
    if (strncmp(path, "materials.", 10) == 0) {
        bool elastic = strcmp(name, "young") == 0 || strcmp(name, "poisson") == 0;
        snprintf(text, sizeof text, "materials: {a: {%s: %s%s%s}}\ncontact: {%s}\n" TIME BOX "spheres: {file: a, material: a}\n", name, value,
                 strcmp(name, "material_density") == 0 ? "" : ", material_density: 1", !elastic ? "" : *name == 'y' ? ", poisson: 0" : ", young: 1",
                 elastic ? "law: hertz, speed: 1" : "stiffness: 1");
        scree_scene scene;
        scree_status status = parse(text, &scene);
        if (status == SCREE_OK)
            scene_free(&scene);
        return status;
    }
    if (strncmp(path, "pairs.", 6) == 0) {
        const char* contact = contact_beside(path, "", true);
        bool curved = strstr(contact, "speed") != NULL;
        snprintf(text, sizeof text, "pairs: [{between: [a, a], %s: %s}]\nmaterials: {a: {material_density: 1%s}}\ncontact: {%s}\n" TIME BOX
                 "spheres: {file: a, material: a}\n", name, value, curved ? ", young: 1, poisson: 0" : "", contact + 2);
        scree_scene scene;
        scree_status status = parse(text, &scene);
        if (status == SCREE_OK)
            scene_free(&scene);
        return status;
    }
    const char* region = strstr(path, ".region.");
    if (strncmp(path, "insert.", 7) == 0 || strncmp(path, "outlets.", 8) == 0 || region != NULL) {
        bool insert = *path == 'i';
        char place[256] = "lower: [0, 0, 0], upper: [1, 1, 1]";
        if (region != NULL)
            snprintf(place, sizeof place, "%s, %s: %s", strcmp(name, "scale") == 0 ? "mesh: a.stl" : "from: [0, 0, 0], to: [0, 0, 1]", name, value);
        bool counted = !insert || (region == NULL && (strcmp(name, "count") == 0 || strstr(name, "rate") != NULL));
        if (in_spheres)
            snprintf(text, sizeof text, "spheres: {count: 1, sizes: 'mono:1', place: random, region: {%s}}\n" CONTACT TIME BOX, place);
        else
            snprintf(text, sizeof text, "%.*s: [{region: {%s}%s%s%s%s%s}]\n" CONTACT TIME BOX MADE, (int)(dot - path), path, place, counted ? "" : ", count: 1", region != NULL ? "" : ", ",
                     region != NULL ? "" : name, region != NULL ? "" : ": ", region != NULL ? "" : value);
        scree_scene scene;
        scree_status status = parse(text, &scene);
        if (status == SCREE_OK)
            scene_free(&scene);
        return status;
    }
    if (strncmp(path, "bonds.", 6) == 0) {
        snprintf(text, sizeof text, "bonds: [{%s: %s%s%s%s}]\n" CONTACT TIME BOX MADE, name, value, strcmp(name, "young") == 0 ? "" : ", young: 1",
                 strcmp(name, "gap") == 0 || strcmp(name, "file") == 0 ? "" : ", gap: 0", strcmp(name, "friction") == 0 ? ", shear_strength: 1" : "");
        scree_scene scene;
        scree_status status = parse(text, &scene);
        if (status == SCREE_OK)
            scene_free(&scene);
        return status;
    }
    if (strncmp(path, "surfaces.", 9) == 0) {
        const char *shape = path + 9, *behind = strchr(shape, '.');
        char entry[512];
        if (behind == NULL && strcmp(name, "mesh") != 0)
            snprintf(entry, sizeof entry, "%s: %s%s", name, value,
                     strcmp(name, "scale") == 0 || strcmp(name, "merge_angle") == 0 ? ", mesh: a.stl" : ", plane: {normal: [0, 0, 1]}");
        else if (behind == NULL)
            snprintf(entry, sizeof entry, "%s: %s", name, value);
        else
            snprintf(entry, sizeof entry, "%.*s: {%s: %s%s%s%s%s}", (int)(behind - shape), shape, name, value,
                     (strncmp(shape, "plane", 5) == 0 || strncmp(shape, "disc", 4) == 0) && strcmp(name, "normal") != 0 ? ", normal: [0, 0, 1]" : "",
                     shape[0] == 'c' && strcmp(name, "to") != 0 && strcmp(name, "axis") != 0 ? ", to: [0, 0, 1]" : "",
                     strncmp(shape, "plane", 5) != 0 && strncmp(shape, "cone", 4) != 0 && strcmp(name, "radius") != 0 ? ", radius: 1e101" : "",
                     strncmp(shape, "cone", 4) == 0 && strcmp(name, "radius_to") != 0 ? ", radius_to: 1"
                     : strcmp(name, "radius_to") == 0                                 ? ", radius_from: 1"
                                                                                      : "");
        snprintf(text, sizeof text, "surfaces: [{%s}]\n" CONTACT TIME BOX MADE, entry);
        scree_scene scene;
        scree_status status = parse(text, &scene);
        if (status == SCREE_OK)
            scene_free(&scene);
        return status;
    }
    bool change = strncmp(path, "changes.cell.", 13) == 0, tilt = strncmp(path, "box.tilt.", 9) == 0;
    if (change || tilt || strncmp(path, "cell.", 5) == 0) {
        const char *own = path + (change ? 13 : 5), *inner = strchr(own, '.');
        char cell[128];
        bool stress = strncmp(own, "stress.", 7) == 0;
        if (inner != NULL)
            snprintf(cell, sizeof cell, "%.*s: {%s: %s%s%s}", (int)(inner - own), own, inner + 1, value, !stress || strcmp(inner, ".rate") == 0 ? "" : ", rate: 1",
                     stress && (strcmp(inner, ".rate") == 0 || strcmp(inner, ".response") == 0) ? ", pressure: 1" : "");
        else
            snprintf(cell, sizeof cell, "%s: %s", own, value);
        if (tilt)
            snprintf(text, sizeof text, CONTACT TIME MADE "box: {size: [1, 1, 1], periodic: [x, y, z], tilt: {%s: %s}}\n", name, value);
        else
            snprintf(text, sizeof text, change ? "changes: [{at: 1, cell: {%s}}]\n" CONTACT TIME BOX MADE : "cell: {%s}\n" CONTACT TIME BOX MADE, cell);
        scree_scene scene;
        scree_status status = parse(text, &scene);
        if (status == SCREE_OK)
            scene_free(&scene);
        return status;
    }
    if (dot == NULL)
        snprintf(line, sizeof line, "%s: %s", path, value);
    else if (strncmp(path, "changes.walls.", 14) == 0)
        snprintf(line, sizeof line, "changes: [{at: 1, walls: {%s: %s}}]", name, value);
    else if (strcmp(path, "changes.at") == 0)
        snprintf(line, sizeof line, "changes: [{at: %s, walls: {}}]", value);
    else if (strncmp(path, "changes.", 8) == 0)
        snprintf(line, sizeof line, "changes: [{at: 1, %s: %s}]", name, value);
    else
        snprintf(line, sizeof line, "%.*s: {%s: %s", (int)(dot - path), path, name, value);
    bool map = dot != NULL && strncmp(path, "changes.", 8) != 0;
    bool is_contact = strncmp(path, "contact.", 8) == 0, is_time = strncmp(path, "time.", 5) == 0, is_box = strncmp(path, "box.", 4) == 0;
    char further[128] = "";
    if (is_contact)
        snprintf(further, sizeof further, "%s", contact_beside(path, name, false));
    else if (strcmp(path, "time.step") == 0 || strcmp(path, "time.integrator") == 0)
        strcpy(further, ", steps: 1");
    else if (is_box && strcmp(name, "size") != 0 && strcmp(name, "aspect") != 0)
        strcpy(further, ", size: [1, 1, 1]");
    else if (strcmp(path, "search.cell_size") == 0 || strcmp(path, "search.cell_sides") == 0)
        strcpy(further, ", method: linked-cells");
    else if (strcmp(name, "verlet_radius") == 0 || strcmp(name, "rebuild_every") == 0)
        strcpy(further, ", method: verlet-list");
    else if (strcmp(name, "loose_factor") == 0)
        strcpy(further, ", method: loose-octree");
    else if (strncmp(path, "search.", 7) == 0 && strcmp(name, "method") != 0 && strcmp(name, "skin") != 0)
        strcpy(further, ", method: hierarchical-grid");
    bool started = strncmp(path, "start.", 6) == 0;
    if (started && strcmp(name, "run") != 0)
        strcpy(further, ", run: a");
    if (in_spheres && strcmp(name, "file") != 0) {
        static const char* const others[] = {"count: 1", "sizes: 'mono:1'", "place: lattice"};
        for (int n = 0; n < 3; ++n)
            if (strncmp(others[n], name, strlen(name)) != 0)
                snprintf(further + strlen(further), sizeof further - strlen(further), ", %s", others[n]);
        if (strcmp(name, "temperature") == 0 || strcmp(name, "overlap") == 0)
            strcat(further, ", velocity: thermal");
    }
    bool turned = strcmp(path, "spheres.spin") == 0;
    bool filled = strcmp(path, "spheres.density") == 0 || strcmp(path, "box.aspect") == 0;
    snprintf(text, sizeof text, "%s%s%s\n%s%s%s%s", line, further, map ? "}" : "", is_contact ? "" : turned ? "contact: {stiffness: 1, friction: 0.5}\n" : CONTACT, is_time ? "" : TIME,
             is_box || filled ? "" : strcmp(path, "dimension") == 0 && value[0] == '2' ? "box: {size: [1, 1]}\n" : BOX,
             strcmp(path, "spheres.count") == 0 ? "insert: [{count: 1, region: {lower: [0, 0, 0], upper: [1, 1, 1]}}]\n" : in_spheres || started ? "" : filled ? "spheres: {count: 1, sizes: 'mono:1', place: random, density: 0.5}\n" : MADE);
    scree_scene scene;
    scree_status status = parse(text, &scene);
    if (status == SCREE_OK)
        scene_free(&scene);
    return status;
}

static void check_tried(const char* path, const char* value, bool allowed)
{
    scree_status status = try_key(path, value);
    if (status != (allowed ? SCREE_OK : SCREE_ERR_FORMAT))
        fail_msg("%s: %s gives %d: %s", path, value, (int)status, scree_error_message());
    if (!allowed && strstr(scree_error_message(), path) == NULL)
        fail_msg("%s: %s is refused for another reason: %s", path, value, scree_error_message());
}

// One value in the form in which the key wants it.
static const char* formed(const scree_scene_key* key, const char* number)
{
    static char text[512];
    switch (key->field->form) {
    case SCENE_FORM_VECTOR:
    case SCENE_FORM_TURN:
        if (strncmp(key->path, "bodies.", 7) == 0)
            snprintf(text, sizeof text, "[%s, %s]", number, number);
        else
            snprintf(text, sizeof text, "[%s, %s, %s]", number, number, number);
        break;
    case SCENE_FORM_PAIR:
        snprintf(text, sizeof text, "[%s, %s]", number, number);
        break;
    case SCENE_FORM_SIZES:
        snprintf(text, sizeof text, "[%s]", number);
        break;
    default:
        snprintf(text, sizeof text, "%s", number);
    }
    return text;
}

// The reader takes just what the texts of the ranges say: their ends, and what is beyond.
static void test_ranges(void** state)
{
    (void)state;
    int32_t count;
    const scree_scene_key* keys = scree_scene_keys(&count);
    for (int32_t k = 0; k < count; ++k) {
        const scree_scene_key* key = &keys[k];
        scene_form form = key->field->form;
        bool whole = form == SCENE_FORM_INT32 || form == SCENE_FORM_INT64;
        if (!whole && form != SCENE_FORM_NUMBER && form != SCENE_FORM_VECTOR && form != SCENE_FORM_TURN && form != SCENE_FORM_PAIR &&
            form != SCENE_FORM_SIZES)
            continue;
        char above[32], below[32], from[32], to[32];
        const char* at_most = strstr(key->range, "at most ");
        if (strcmp(key->range, "any") == 0) {
            check_tried(key->path, formed(key, "-1e10"), true);
            check_tried(key->path, formed(key, "1e10"), true);
        } else if (strcmp(key->range, "0 to below 1") == 0) {
            check_tried(key->path, formed(key, "0"), true);
            check_tried(key->path, formed(key, "0.9999"), true);
            check_tried(key->path, formed(key, "-1e-100"), false);
            check_tried(key->path, formed(key, "1"), false);
        } else if (strcmp(key->range, "0 or more") == 0) {
            check_tried(key->path, formed(key, "0"), true);
            check_tried(key->path, formed(key, "-1e-100"), false);
        } else if (sscanf(key->range, "above %30[0-9]", above) == 1) {
            char more[64];
            check_tried(key->path, formed(key, above), false);
            snprintf(more, sizeof more, "%s.0000001", above);
            check_tried(key->path, formed(key, more), true);
            if (at_most != NULL) {
                check_tried(key->path, formed(key, at_most + strlen("at most ")), true);
                snprintf(more, sizeof more, "%s.0000001", at_most + strlen("at most "));
                check_tried(key->path, formed(key, more), false);
            } else if (sscanf(key->range, "above 0, below %30[0-9]", below) == 1) {
                check_tried(key->path, formed(key, below), false);
                check_tried(key->path, formed(key, "0.9999999"), true);
            } else {
                check_tried(key->path, formed(key, "1e100"), true);
            }
        } else if (sscanf(key->range, "0 to %30[0-9].%*[0-9]", to) == 1 && strchr(key->range, '.') != NULL) {
            char beyond[32];
            snprintf(beyond, sizeof beyond, "%s1", key->range + strlen("0 to "));
            check_tried(key->path, "0", true);
            check_tried(key->path, key->range + strlen("0 to "), true);
            check_tried(key->path, beyond, false);
            check_tried(key->path, "-1e-100", false);
        } else if (sscanf(key->range, "%30[0-9] to %30[0-9]", from, to) == 2) {
            char beyond[32];
            check_tried(key->path, from, true);
            check_tried(key->path, to, true);
            snprintf(beyond, sizeof beyond, "%" PRId64, (int64_t)strtoll(from, NULL, 10) - 1);
            check_tried(key->path, beyond, false);
            snprintf(beyond, sizeof beyond, "%" PRIu64, (uint64_t)strtoull(to, NULL, 10) + 1);
            check_tried(key->path, beyond, false);
        } else {
            fail_msg("%s: the range '%s' is not understood", key->path, key->range);
        }
        check_tried(key->path, formed(key, "nan"), false);
        check_tried(key->path, formed(key, "inf"), false);
        check_tried(key->path, formed(key, "'1'"), false);
        check_tried(key->path, formed(key, "1x"), false);
        check_tried(key->path, "{a: 1}", false);
        if (key->field->automatic)
            check_tried(key->path, "auto", true);
        else
            check_tried(key->path, "auto", false);
    }
}

// Whether a line is in the map that the key belongs to, or in the whole.
static bool is_in_map(const char* text, const char* path, const char* line)
{
    char map[64];
    const char *dot = strchr(path, '.'), *begin = text, *end = text + strlen(text);
    if (dot != NULL) {
        snprintf(map, sizeof map, "\n%.*s:\n", (int)(dot - path), path);
        begin = strstr(text, map);
        if (begin == NULL)
            return false;
        begin += strlen(map);
        for (end = begin; *end == ' '; end = strchr(end, '\n') + 1) {
        }
    }
    const char* found = strstr(begin, line);
    return found != NULL && found < end;
}

// A key that says its default says nothing.
static void test_defaults(void** state)
{
    (void)state;
    int32_t count;
    const scree_scene_key* keys = scree_scene_keys(&count);
    scree_scene scene;
    CHECK_OK(parse(REST, &scene));
    char* text;
    int64_t length;
    CHECK_OK(scree_scene_text_of(&scene, true, &text, &length));
    for (int32_t k = 0; k < count; ++k) {
        if (*keys[k].standard == '\0')
            continue;
        check_tried(keys[k].path, keys[k].standard, true);
        char wanted[128];
        snprintf(wanted, sizeof wanted, "%s: %s\n", scree_scene_last_name(keys[k].path), keys[k].standard);
        bool there = scree_scene_holds(&scene, NULL, keys[k].field->when);
        if (is_in_map(text, keys[k].path, wanted) != there)
            fail_msg("'%s' is %swritten in\n%s", wanted, there ? "not " : "", text);
    }
    scree_free(text);
    scene_free(&scene);
}

// The manual's table is this one.
static void test_manual(void** state)
{
    (void)state;
    int32_t count;
    const scree_scene_key* keys = scree_scene_keys(&count);
    char* text = get_file(TEST_DATA "/../../docs/scene.md", NULL);
    const char* at = text;
    for (int32_t k = 0; k < count; ++k) {
        char row[1024];
        const char* tick = *keys[k].standard == '\0' ? "" : "`";
        snprintf(row, sizeof row, "| `%s` | %s | %s | %s%s%s | %s | %s |\n", keys[k].path, keys[k].kind, keys[k].unit, tick,
                 keys[k].standard, tick, keys[k].range, keys[k].meaning);
        const char* found = strstr(at, row);
        if (found == NULL)
            fail_msg("docs/scene.md lacks, or has at another place:\n%s", row);
        at = found;
    }
    int32_t rows = 0;
    for (const char* line = strstr(text, "\n## Keys\n"); (line = strstr(line, "\n| `")) != NULL; ++line)
        ++rows;
    assert_int_equal(rows, count);
    // And its example is a scene.
    const char* begin = strstr(text, "```yaml\n");
    assert_non_null(begin);
    begin += strlen("```yaml\n");
    scree_scene scene;
    CHECK_OK(parse_bytes(begin, (size_t)(strstr(begin, "```") - begin), &scene));
    scene_free(&scene);
    free(text);
}

static const test_case cases[] = {
    UNIT(test_design_example),
    UNIT(test_every_key_3d),
    UNIT(test_every_key_2d),
    UNIT(test_list_of_spheres),
    UNIT(test_names_of_files),
    UNIT(test_errors),
    UNIT(test_numbers),
    UNIT(test_limits),
    UNIT(test_cuts),
    UNIT(test_round_trips),
    PROPERTY(test_random_round_trips),
    UNIT(test_written_elsewhere),
    ALLOCATION(test_not_written),
    UNIT(test_files),
    ALLOCATION(test_allocations),
    UNIT(test_table),
    UNIT(test_ranges),
    UNIT(test_defaults),
    UNIT(test_manual),
};

const test_group group_scene = {.name = "scene", .cases = cases, .count = sizeof cases / sizeof *cases, .begin = make_folder, .end = remove_folder, .before_each = start_clean};
