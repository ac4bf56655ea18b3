// Scenes: every key is read to its place.
#include "scene_support.h"

// ---- Reading -----------------------------------------------------------------------------------------------------

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
    assert_null(scene.groups[0].file);
    assert_null(scene.groups[0].file_path);
    assert_int_equal(scene.groups[0].count, 7800);
    assert_string_equal(scene.groups[0].sizes, "uniform-size:0.5e-3:1.5e-3");
    assert_string_equal(scene.groups[0].sizes_text, scene.groups[0].sizes);
    assert_int_equal(scene.groups[0].place, SCREE_PLACE_GROW);
    assert_int_equal(scene.groups[0].start, SCREE_START_ZERO);
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
    assert_null(scene.groups);
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
    assert_int_equal(scene.groups[0].count, 1000);
    assert_string_equal(scene.groups[0].sizes, "table:sieves/a \"b\".csv");
    assert_string_equal(scene.groups[0].sizes_text, scene.groups[0].sizes);
    assert_int_equal(scene.groups[0].sampling, SCREE_SAMPLING_SHIFTED);
    assert_int_equal(scene.groups[0].place, SCREE_PLACE_LATTICE);
    assert_int_equal(scene.groups[0].start, SCREE_START_THERMAL);
    assert_true(scene.groups[0].spacing == 0.125 && scene.groups[0].temperature == 0 && scene.groups[0].overlap == 0.02 && scene.sim.material_density == 2500 && scene.groups[0].material_density == 2500);
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
    assert_true(scene.groups[0].density == 0.5 && scene.groups[0].start == SCREE_START_GIVEN && scene.seed == 7);
    check_same_bits(scene.groups[0].velocity, (const double[]){1, -2}, 2, "velocity");
    assert_true(scene.sim.contact_duration == 1e-3 && scene.sim.damping == 0.5 && scene.end == 1);
    assert_true(scene.search.skin == 0 && scene.search.verlet_radius == 6.5 && scene.search.rebuild_every == 100);
    assert_true(scene.checkpoint_seconds == 0.5 && scene.checkpoint_steps == 0);
    assert_true(scene.changes[0].gravity_turn[2] == 1 && scene.changes[0].gravity_turn[0] == 0 && scene.changes[0].gravity[1] == 1);
    scene_free(&scene);
    CHECK_OK(parse(from_file, &scene));
    assert_string_equal(scene.groups[0].file, "../start/packing.vtp");
    assert_null(scene.groups[0].sizes);
    assert_int_equal(scene.groups[0].start, SCREE_START_FILE);
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
    assert_true(scene.groups[0].temperature == 2.5 && scene.search.loose_factor == 3);
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
    assert_true(scene.listed);
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
    assert_true(scene.group_count == 1 && !scene.listed);
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
        assert_string_equal(scene.groups[0].file, cases[n].file);
        assert_string_equal(scene.groups[0].file_path, cases[n].path);
        scene_free(&scene);
        snprintf(text, sizeof text, BOX "spheres: {count: 3, sizes: 'table:%s', place: grow}\n" CONTACT TIME, cases[n].file);
        CHECK_OK(scene_parse(cases[n].scene, text, strlen(text), &scene));
        snprintf(wanted, sizeof wanted, "table:%s", cases[n].path);
        assert_string_equal(scene.groups[0].sizes_text, wanted);
        scene_free(&scene);
    }
}

static const test_case cases[] = {
    UNIT(test_design_example),
    UNIT(test_every_key_3d),
    UNIT(test_every_key_2d),
    UNIT(test_list_of_spheres),
    UNIT(test_names_of_files),
};

const test_group group_scene = {.name = "scene", .cases = cases, .count = sizeof cases / sizeof *cases, .begin = make_folder, .end = remove_folder, .before_each = start_clean};
