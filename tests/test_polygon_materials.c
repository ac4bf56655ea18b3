// Materials of polygons and walls: stiffness, restitution and friction by pair, and invalid input.
#include "file_support.h"
#include "polygon_support.h"

#include "scree/checkpoint.h"

enum { WOOD, ICE, STONE, materials };

static void pairs_of(scree_polygon_pair pairs[materials * materials])
{
    for (int k = 0; k < materials * materials; ++k) {
        pairs[k] = scree_default_polygon_pair();
        pairs[k].friction = 0.5;
    }
}

static scree_polygon_pair* between(scree_polygon_pair* pairs, int a, int b, int turned)
{
    return &pairs[turned ? b * materials + a : a * materials + b];
}

// Blocks of wood, ice and stone on a slope, of stone or a wall of stone. Wood rests, ice slides without friction, stone with a little.
static void test_materials(void** state)
{
    (void)state;
    double angle = atan(0.3), g = 10;
    for (int wall = 0; wall < 2; ++wall) {
        scree_polygon_pair pairs[materials * materials];
        scree_shapes shapes = {0};
        scree_polygon_sim_def def = poly_def(1e4, 0.0);
        scree_body bodies[materials + 1];
        pairs_of(pairs);
        for (int turned = 0; turned < 2; ++turned) {
            between(pairs, ICE, STONE, turned)->friction = 0.0;
            between(pairs, ICE, STONE, turned)->stiffness = 4e4;
            between(pairs, STONE, STONE, turned)->friction = 0.2;
        }
        int32_t block = poly_rectangle(&shapes, 1, 0.4), slab = poly_rectangle(&shapes, 60, 2);
        for (int m = 0; m < materials; ++m)
            bodies[m] = (scree_body){.shape = block, .material = m, .x = {5 + 4 * m, 0.2 - 1.9e-4}};
        bodies[materials] = (scree_body){.shape = slab, .fixed = true, .material = STONE, .x = {20, -1}};
        def.restitution = 0.2;
        def.gravity[0] = g * sin(angle);
        def.gravity[1] = -g * cos(angle);
        def.material_count = materials;
        def.pairs = pairs;
        def.wall_material = wall ? STONE : WOOD;
        if (wall) {
            def.box.lower[1] = 0;
            def.box.upper[1] = 10;
        }
        scree_polygon_sim* sim = poly_create(&def, &shapes, materials + !wall, bodies);
        memset(pairs, 0, sizeof pairs);  // they were copied
        CHECK_CLOSE(scree_polygon_sim_get_numbers(sim).stiffness, 4e4, 0);
        poly_run_for(sim, 0.5);
        scree_polygon_sim_state s = poly_state(sim);
        double t = scree_polygon_sim_get_time(sim);
        CHECK_CLOSE(s.v[0], 0, 1e-5);
        CHECK_CLOSE(s.v[2], g * sin(angle) * t, 1e-6);
        CHECK_CLOSE(s.v[4], g * (sin(angle) - 0.2 * cos(angle)) * t, 0.02);
        CHECK_CLOSE(s.x[3], 0.2 - 0.4 * g * cos(angle) / (2 * 4e4), 1e-6);
        CHECK_CLOSE(s.x[1], 0.2 - 0.4 * g * cos(angle) / (2 * 1e4), 1e-6);
        poly_state_free(&s);
        scree_sim_memory memory;
        CHECK_OK(scree_polygon_sim_get_memory(sim, &memory));
        assert_int_equal(memory.count, 4);  // smooth contacts remember nothing
        assert_int_equal(poly_report(sim).contacts + poly_report(sim).wall_contacts, 6);
        scree_polygon_sim_destroy(sim);
        scree_shapes_free(&shapes);
    }
}

// Discs with a restitution of their own on one floor; and the step is that of the stiffest pair of which somebody moves.
static void test_restitution_by_materials(void** state)
{
    (void)state;
    static const double wanted[materials] = {0.8, 0.3, 0.5};
    scree_polygon_pair pairs[materials * materials];
    scree_polygon_sim_def def = poly_def(1e3, 0.0);
    scree_body bodies[materials];
    pairs_of(pairs);
    for (int k = 0; k < materials * materials; ++k)
        pairs[k].tangential_damping = 0.0;
    for (int m = 0; m < materials; ++m) {
        between(pairs, m, STONE, 0)->restitution = between(pairs, m, STONE, 1)->restitution = wanted[m];
        bodies[m] = (scree_body){.shape = -1, .radius = 0.5, .material = m, .x = {5 + 2 * m, 0.5 + 1e-6}, .v = {0, -0.1}};
    }
    def.box.lower[1] = 0;
    def.box.upper[1] = 10;
    def.wall_material = STONE;
    def.material_count = materials;
    def.pairs = pairs;
    def.restitution = 0.9;
    scree_polygon_sim* sim = poly_create(&def, NULL, materials, bodies);
    scree_polygon_sim_numbers numbers = scree_polygon_sim_get_numbers(sim);
    CHECK_CLOSE(numbers.restitution_min, 0.3, 1e-12);
    CHECK_CLOSE(numbers.restitution_max, 0.9, 1e-12);
    poly_run_for(sim, 0.2);
    scree_polygon_sim_state s = poly_state(sim);
    for (int m = 0; m < materials; ++m)
        CHECK_CLOSE(s.v[2 * m + 1] / 0.1, wanted[m], 0.01);
    poly_state_free(&s);
    // A checkpoint knows whose material is which.
    scree_checkpoint taken = {0}, read;
    scree_shapes none = {0};
    scree_body again[materials];
    CHECK_OK(scree_checkpoint_save_bodies(sim, &none, bodies, &taken));
    assert_true(taken.has_materials && taken.format_version == 6);
    CHECK_OK(scree_write_checkpoint(in_folder("materials.npz"), &taken));
    CHECK_OK(scree_read_checkpoint(in_folder("materials.npz"), &read));
    CHECK_OK(scree_checkpoint_get_bodies(&read, again));
    for (int m = 0; m < materials; ++m)
        assert_int_equal(again[m].material, m);
    CHECK_OK(scree_checkpoint_restore_bodies(&read, sim));
    read.material[1] = -5;
    CHECK_FAILS(scree_write_checkpoint(in_folder("materials.npz"), &read), SCREE_ERR_ARGUMENT, "body 1", "-5");
    scree_checkpoint_free(&taken);
    scree_checkpoint_free(&read);
    scree_polygon_sim_destroy(sim);

    between(pairs, ICE, ICE, 0)->stiffness = 1e5;  // ten times shorter
    double step = numbers.time_step;
    for (int moves = 0; moves < 2; ++moves) {
        bodies[ICE].fixed = moves == 0;
        sim = poly_create(&def, NULL, materials, bodies);
        numbers = scree_polygon_sim_get_numbers(sim);
        CHECK_CLOSE(numbers.stiffness, 1e5, 0);
        CHECK_CLOSE(numbers.time_step, moves ? step * sqrt(2e3 / 1e5) : step, 1e-9);  // two free discs have twice the inverse mass; of each material there is one
        assert_true(!moves || (numbers.shortest_contact[0] == ICE && numbers.shortest_contact[1] == -1));
        scree_polygon_sim_destroy(sim);
    }
}

static void test_faults_of_materials(void** state)
{
    (void)state;
    scree_polygon_pair pairs[materials * materials];
    scree_body body = {.shape = -1, .radius = 1};
    scree_polygon_sim_def def = poly_def(1e3, 0.0), wrong;
    scree_polygon_sim* sim;
    pairs_of(pairs);
    def.material_count = materials;
    def.pairs = pairs;
    wrong = def;
    wrong.material_count = 0;
    CHECK_FAILS(scree_polygon_sim_create(&wrong, NULL, 1, &body, &sim), SCREE_ERR_ARGUMENT, "material_count", "0");
    wrong.material_count = 2;
    wrong.pairs = NULL;
    CHECK_FAILS(scree_polygon_sim_create(&wrong, NULL, 1, &body, &sim), SCREE_ERR_ARGUMENT, "material_count", "2", "NULL");
    wrong = def;
    wrong.wall_material = 3;
    CHECK_FAILS(scree_polygon_sim_create(&wrong, NULL, 1, &body, &sim), SCREE_ERR_ARGUMENT, "wall_material", "3");
    wrong = def;
    wrong.friction = 0.25;
    CHECK_FAILS(scree_polygon_sim_create(&wrong, NULL, 1, &body, &sim), SCREE_ERR_ARGUMENT, "friction", "0.25");
    body.material = 3;
    CHECK_FAILS(scree_polygon_sim_create(&def, NULL, 1, &body, &sim), SCREE_ERR_ARGUMENT, "body 0", "material 3");
    body.material = 0;
    between(pairs, ICE, STONE, 0)->friction = 0.75;
    CHECK_FAILS(scree_polygon_sim_create(&def, NULL, 1, &body, &sim), SCREE_ERR_ARGUMENT, "materials 1 and 2", "friction", "0.75", "0.5");
    between(pairs, ICE, STONE, 1)->friction = 0.75;
    between(pairs, ICE, ICE, 0)->tangential_damping = -1;
    CHECK_FAILS(scree_polygon_sim_create(&def, NULL, 1, &body, &sim), SCREE_ERR_ARGUMENT, "materials 1 and 1", "tangential_damping", "-1");
    between(pairs, ICE, ICE, 0)->tangential_damping = 1;
    between(pairs, WOOD, WOOD, 0)->restitution = 2;
    CHECK_FAILS(scree_polygon_sim_create(&def, NULL, 1, &body, &sim), SCREE_ERR_ARGUMENT, "materials 0 and 0", "2");
    between(pairs, WOOD, WOOD, 0)->restitution = 0.5;
    between(pairs, STONE, STONE, 0)->damping = 1;
    CHECK_FAILS(scree_polygon_sim_create(&def, NULL, 1, &body, &sim), SCREE_ERR_ARGUMENT, "damping", "restitution");
    between(pairs, STONE, STONE, 0)->damping = 0;
    between(pairs, ICE, WOOD, 0)->struct_size = 8;
    CHECK_FAILS(scree_polygon_sim_create(&def, NULL, 1, &body, &sim), SCREE_ERR_ARGUMENT, "materials 0 and 1", "8");
    pairs[0].struct_size = 9;
    CHECK_FAILS(scree_polygon_sim_create(&def, NULL, 1, &body, &sim), SCREE_ERR_ARGUMENT, "9");
    pairs[0].struct_size = between(pairs, ICE, WOOD, 0)->struct_size = sizeof *pairs;
    EACH_ALLOCATION_FAILS(scree_polygon_sim_create(&def, NULL, 1, &body, &sim), (void)0);
    scree_polygon_sim_destroy(sim);
}

static const test_case cases[] = {
    UNIT(test_materials),
    UNIT(test_restitution_by_materials),
    UNIT(test_faults_of_materials),
};

const test_group group_polygon_materials = {.name = "polygon_materials", .cases = cases, .count = sizeof cases / sizeof *cases, .begin = make_folder, .end = remove_folder};
