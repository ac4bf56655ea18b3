// Scenes of bodies with materials: pairs become those of the simulation, what is missing or has no meaning is reported by name; energies in the log, friction and materials
// in frames and contacts; the same after a resume.
#include "run_support.h"

#include "scree/checkpoint.h"
#include "scree/outlines.h"

#include <math.h>

// A fixed body that moves, discs of `spheres`, walls and a periodic axis; all pairs that can meet have a friction, some a stiffness of their own.
static const char scene_text[] = "dimension: 2\n"
                                 "box: {size: [4, 2.6], periodic: [x]}\n"
                                 "gravity: [0, -2000]\n"
                                 "bodies:\n"
                                 "- {points: [[0.5, 0.5], [2.5, 0.5], [2.5, 1], [0.5, 1]], fixed: true, velocity: [0.5, 4], material: stone}\n"
                                 "- {shape: regular, vertices: 6, sizes: 'uniform-size:0.1:0.25', place: random, count: 14, region: [0, 1.2, 4, 2.6], angle_spread: 3.1, velocity: [-5, -6],\n"
                                 "   spin: 5, material: wood}\n"
                                 "- {shape: regular, vertices: 4, sizes: 'mono:0.2', place: random, count: 3, velocity: [0, -9], material: ice}\n"
                                 "materials:\n"
                                 "  wood: {material_density: 2}\n"
                                 "  ice: {material_density: 3}\n"
                                 "  stone: {material_density: 5}\n"
                                 "spheres:\n"
                                 "- {count: 4, sizes: 'mono:0.1', place: lattice, spacing: 0.6, velocity: [0.5, 0], material: ice}\n"
                                 "walls: {material: stone}\n"
                                 "contact: {stiffness: 1e5, restitution: 0.5, friction_dynamic: 0.2, rounding: 0.3}\n"
                                 "pairs:\n"
                                 "- {between: [wood, wood], friction: 0.4}\n"
                                 "- {between: [wood, ice], friction: 0.3, stiffness: 1.5e5, tangential_stiffness: 0.5}\n"
                                 "- {between: [ice, ice], friction: 0.2, restitution: 0.8}\n"
                                 "- {between: [stone, wood], friction: 0.6, friction_dynamic: 0.5, tangential_damping: 0.25}\n"
                                 "- {between: [ice, stone], friction: 0.25}\n"
                                 "time: {step: 3e-5, steps: 1200}\n"
                                 "order_every: 70\n"
                                 "output: {every_steps: 400, contacts: true, log_every_steps: 50}\n"
                                 "checkpoint: {every: %d}\n"
                                 "changes: [{at: 0.015, gravity: [500, -2000]}]\n";

static scree_scene scene_every(int every)
{
    char text[4096];
    snprintf(text, sizeof text, scene_text, every);
    scree_scene scene;
    CHECK_OK(scene_parse("test.yaml", text, strlen(text), &scene));
    return scene;
}

// ---- Pairs ---------------------------------------------------------------------------------------------------------------

enum { WOOD, ICE, STONE, materials };

// By hand: the library's own calls.
static uint64_t drive(const scree_scene* scene)
{
    scree_polygon_pair pairs[materials][materials];
    scree_body_set set;
    CHECK_OK(scree_scene_make_bodies(scene, (scree_watch){0}, &set));
    assert_int_equal(set.count, 4 + 1 + 14 + 3);
    assert_true(set.bodies[0].material == ICE && set.bodies[0].material_density == 3.0 && set.bodies[4].material == STONE);
    assert_true(set.bodies[5].material == WOOD && set.bodies[5].material_density == 2.0 && set.bodies[21].material == ICE);
    for (int k = 0; k < materials * materials; ++k) {
        scree_polygon_pair* pair = &pairs[k / materials][k % materials];
        *pair = scree_default_polygon_pair();
        pair->stiffness = 1e5;
        pair->restitution = 0.5;
        pair->friction = 0.2;  // of stone on stone, which cannot meet
        pair->friction_dynamic = 0.2;
    }
    pairs[WOOD][WOOD].friction = 0.4;
    pairs[WOOD][ICE].friction = 0.3;
    pairs[WOOD][ICE].stiffness = 1.5e5;
    pairs[WOOD][ICE].tangential_stiffness = 0.5;
    pairs[ICE][ICE].restitution = 0.8;
    pairs[WOOD][STONE].friction = 0.6;
    pairs[WOOD][STONE].friction_dynamic = 0.5;
    pairs[WOOD][STONE].tangential_damping = 0.25;
    pairs[ICE][STONE].friction = 0.25;
    for (int a = 0; a < materials; ++a)
        for (int b = 0; b < a; ++b)
            pairs[a][b] = pairs[b][a];
    scree_polygon_sim_def def = scree_default_polygon_sim_def();
    def.box = set.box;
    def.gravity[1] = -2000.0;
    def.stiffness = 7.0;  // of nobody
    def.material_count = materials;
    def.wall_material = STONE;
    def.pairs = &pairs[0][0];
    def.rounding = 0.3;
    def.time_step = 3e-5;
    def.wrap_every = 70;
    scree_polygon_sim* sim;
    CHECK_OK(scree_polygon_sim_create(&def, &set.shapes, set.count, set.bodies, &sim));
    CHECK_OK(scree_polygon_sim_run(sim, 500));
    CHECK_OK(scree_polygon_sim_set_gravity(sim, (const double[2]){500.0, -2000.0}));
    CHECK_OK(scree_polygon_sim_run(sim, 700));
    uint64_t hash = scree_polygon_sim_hash(sim);
    scree_polygon_sim_destroy(sim);
    scree_body_set_free(&set);
    return hash;
}

static const char* const energies[] = {"energy_kinetic",        "energy_contact", "energy_normal", "energy_tangential", "dissipated_normal",
                                       "dissipated_tangential", "work_walls",     "work_gravity",  "sliding",           "balance"};
enum { energy_count = sizeof energies / sizeof *energies, log_rows = 1200 / 50 + 1 };

// The trajectory is that of the pairs of the scene, also after a resume with another method and other threads; and so are energies, contacts and frames.
static void test_resume(void** state)
{
    (void)state;
    static const int32_t methods[] = {SCREE_METHOD_ALL_PAIRS, SCREE_METHOD_LINKED_CELLS};
    static const int every[] = {270, 799};
    scree_scene scene = scene_every(10000);
    scree_run_def def = scree_default_run_def();
    scree_run* run;
    uint64_t wanted = drive(&scene);
    CHECK_OK(scree_run_create(&def, &scene, in_folder("whole"), &run));
    CHECK_OK(scree_run_go(run));
    assert_true(scree_run_hash(run) == wanted);
    scree_run_destroy(run);
    scene_free(&scene);
    char* log = get_file(in_folder("whole/log.csv"), NULL);
    for (int n = 0; n < 2; ++n) {
        scene = scene_every(every[n]);
        def.threads = n + 1;
        def.method = -1;
        CHECK_OK(scree_run_create(&def, &scene, in_folder("cut"), &run));
        CHECK_OK(scree_run_go(run));
        scree_run_destroy(run);
        assert_int_equal(unlink(in_folder("cut/checkpoint_000000001200.npz")), 0);  // as if it had been killed before
        def.method = methods[n];
        def.threads = 2 - n;
        CHECK_OK(scree_run_resume(&def, in_folder("cut"), &run));
        assert_int_equal(scree_polygon_sim_get_step(scree_run_get_polygon_sim(run)), 1199 / every[n] * every[n]);
        CHECK_OK(scree_run_go(run));
        assert_true(scree_run_hash(run) == wanted);
        scree_run_destroy(run);
        char* again = get_file(in_folder("cut/log.csv"), NULL);
        for (int row = 0; row < log_rows; ++row)
            for (int k = 0; k < energy_count; ++k) {
                double a = value_in(log, row, energies[k]), b = value_in(again, row, energies[k]);
                if (isnan(a) || a != b)
                    fail_msg("row %d of the log: %s is %.17g, and %.17g after a resume", row, energies[k], a, b);
            }
        check_same_file("contacts/contacts_000003.csv", "whole", "cut");
        check_same_file("frames/frame_000003.vtp", "whole", "cut");
        free(again);
        scene_free(&scene);
        remove_all(in_folder("cut"));
    }
    free(log);
}

// ---- What is written -----------------------------------------------------------------------------------------------------

// The log has every energy, by the names that those of spheres have; the balance stays as it is, and what is lost stays lost.
static void test_log(void** state)
{
    (void)state;
    scree_scene scene = scene_every(10000);
    scree_run_def def = scree_default_run_def();
    scree_run* run;
    CHECK_OK(scree_run_create(&def, &scene, in_folder("run"), &run));
    CHECK_OK(scree_run_go(run));
    char* log = get_file(in_folder("run/log.csv"), NULL);
    double first = value_in(log, 0, "balance"), normal = 0.0, tangential = 0.0;
    int sliding = 0, last = log_rows - 1;
    double most = fabs(value_in(log, last, "work_gravity"));
    for (int row = 0; row < log_rows; ++row) {
        CHECK_CLOSE(value_in(log, row, "balance"), first, 2e-3 * most);
        CHECK_CLOSE(value_in(log, row, "energy_normal") + value_in(log, row, "energy_tangential"), value_in(log, row, "energy_contact"), 1e-12 * most);
        assert_true(value_in(log, row, "dissipated_normal") >= normal && value_in(log, row, "dissipated_tangential") >= tangential);
        normal = value_in(log, row, "dissipated_normal");
        tangential = value_in(log, row, "dissipated_tangential");
        sliding += value_in(log, row, "sliding") > 0.0;
    }
    assert_true(normal > 0.1 * most && tangential > 0.02 * most && sliding > 3 && fabs(value_in(log, last, "work_walls")) > 1e-3 * most);
    static const char* const none[] = {"energy_rolling", "dissipated_twisting", "work_forces"};
    for (int k = 0; k < 3; ++k)
        assert_true(isnan(value_in(log, 0, none[k])));
    // What a run measures is the same.
    scree_sim_report r;
    scree_polygon_sim_report reported;
    CHECK_OK(scree_run_measure(run, &r));
    CHECK_OK(scree_polygon_sim_measure(scree_run_get_polygon_sim(run), &reported));
    assert_true(r.dissipated_normal == reported.dissipated_normal && r.dissipated_normal == normal && r.work_walls == value_in(log, last, "work_walls"));
    assert_true(r.energy_kinetic == reported.energy_kinetic && r.energy_rotation == 0.0 && reported.energy_rotation == value_in(log, last, "energy_rotation"));
    CHECK_OK(scree_run_write_report(run));
    char* page = get_file(in_folder("run/report.html"), NULL);
    static const char* const told_of[] = {"dissipated normal", "dissipated tangential", "of fixed bodies", "work gravity", "balance of all energies"};
    for (size_t k = 0; k < sizeof told_of / sizeof *told_of; ++k)
        assert_non_null(strstr(page, told_of[k]));
    free(page);
    free(log);
    scree_run_destroy(run);
    scene_free(&scene);
}

// Contacts have the tangential force, whether they slide, and the materials of both; frames have the material of each body.
static void test_contacts(void** state)
{
    (void)state;
    scree_scene scene = scene_every(10000);
    scree_run_def def = scree_default_run_def();
    scree_run* run;
    CHECK_OK(scree_run_create(&def, &scene, in_folder("run"), &run));
    CHECK_OK(scree_run_go(run));
    scree_polygon_contacts list;
    scree_body_set set;
    CHECK_OK(scree_scene_make_bodies(&scene, (scree_watch){0}, &set));
    CHECK_OK(scree_polygon_sim_get_contacts(scree_run_get_polygon_sim(run), &list));
    char* table = get_file(in_folder("run/contacts/contacts_000003.csv"), NULL);
    assert_true(list.count > 5);
    int slide = 0, stick = 0;
    for (int64_t c = 0; c < list.count; ++c) {
        const scree_contact* at = &list.contacts[c];
        int row = (int)c;
        double t[2] = {value_in(table, row, "tangential_x"), value_in(table, row, "tangential_y")};
        double f[2] = {value_in(table, row, "fx"), value_in(table, row, "fy")}, n[2] = {value_in(table, row, "nx"), value_in(table, row, "ny")}, along = f[0] * n[0] + f[1] * n[1];
        assert_true(value_in(table, row, "i") == at->i && value_in(table, row, "j") == at->j && value_in(table, row, "sliding") == at->slides);
        CHECK_CLOSE(t[0] * n[0] + t[1] * n[1], 0.0, 1e-12 * fabs(along));
        for (int k = 0; k < 2; ++k)
            CHECK_CLOSE(t[k], f[k] - along * n[k], 1e-9 * (fabs(along) + fabs(t[k])));
        assert_true(value_in(table, row, "material_i") == set.bodies[at->i].material && value_in(table, row, "material_j") == (at->j >= 0 ? set.bodies[at->j].material : -1));
        slide += at->slides;
        stick += !at->slides;
    }
    assert_true(slide > 0 && stick > 0);
    free(table);
    scree_outline_set frame;
    CHECK_OK(scree_read_outlines(in_folder("run/frames/frame_000003.vtp"), NULL, &frame));
    const scree_column* material = scree_sphere_set_find(&frame.bodies, "material");
    assert_non_null(material);
    for (int32_t i = 0; i < set.count; ++i)
        assert_int_equal(material->integers[i], set.bodies[i].material);
    scree_outline_set_free(&frame);
    scree_body_set_free(&set);
    scree_run_destroy(run);
    scene_free(&scene);
}

// ---- What is refused -----------------------------------------------------------------------------------------------------

#define BEGIN "dimension: 2\nbox: {size: [4, 4], periodic: [x, y]}\ntime: {steps: 1}\n"
#define WALLED "dimension: 2\nbox: {size: [4, 4]}\ntime: {steps: 1}\n"
#define CONTACT "contact: {stiffness: 1}\n"
#define TWO "materials: {wood: {material_density: 2}, ice: {material_density: 3}}\n"
#define OF(keys) "{points: [[0, 0], [1, 0], [0, 1]]" keys "}"
#define BODIES "bodies: [" OF(", material: wood") ", " OF(", material: ice, fixed: true") "]\n"

static void test_refusals(void** state)
{
    (void)state;
    static const struct {
        const char *text, *wanted;
    } cases[] = {
        // Names and densities, in any entry.
        {BEGIN CONTACT TWO "bodies: [" OF(", material: wood") ", " OF("") "]\n", "m.yaml:6:62 | bodies.material"},
        {BEGIN CONTACT TWO "bodies: [" OF(", material: stel") "]\n", "m.yaml:6:55 | bodies.material | 'stel' | wood"},
        {BEGIN CONTACT "bodies: [" OF(", material: wood") ", " OF("") "]\n", "m.yaml:5:45 | bodies.material | materials"},
        {BEGIN CONTACT TWO "bodies: [" OF(", material: wood, material_density: 3") ", " OF(", material: ice") "]\n", "m.yaml:6:61 | bodies.material_density | materials"},
        // Pairs that can meet: two that are free, or one and what is fixed. What is fixed meets nothing fixed.
        {BEGIN CONTACT TWO BODIES "pairs: [{between: [wood, wood], friction: 1}]\n", "m.yaml:7:8 | wood and ice | - {between: [wood, ice], friction: NUMBER}"},
        {BEGIN CONTACT TWO BODIES "pairs: [{between: [ice, wood], friction: 1}]\n", "m.yaml:7:8 | wood and wood | - {between: [wood, wood], friction: NUMBER}"},
        {BEGIN CONTACT TWO BODIES "pairs: [{between: [wood, wood], friction: 1, tangential_stiffness: 0.5}, {between: [ice, wood], tangential_stiffness: 1}]\n", "m.yaml:7:74 | wood and ice | friction"},
        {WALLED CONTACT TWO BODIES "pairs: [{between: [wood, wood], friction: 1}, {between: [ice, wood], friction: 0.5}]\n", "m.yaml:7:8 | walls.material | walls: {material: wood}"},
        {BEGIN TWO BODIES "pairs: [{between: [wood, wood], friction: 1}, {between: [ice, wood], friction: 0.5}]\n", "contact.stiffness"},
        // What bodies have no use for.
        {BEGIN CONTACT TWO BODIES "pairs: [{between: [wood, wood], rolling_friction: 1}]\n", "m.yaml:7:33 | pairs.rolling_friction | bodies"},
        {BEGIN CONTACT TWO BODIES "pairs: [{between: [wood, wood], bridge_volume: 1}]\n", "m.yaml:7:33 | pairs.bridge_volume | bodies"},
        {BEGIN CONTACT TWO BODIES "pairs: [{between: [wood, wood], k1: 1}]\n", "m.yaml:7:33 | pairs.k1"},
        {BEGIN CONTACT "materials: {wood: {material_density: 2, young: 1e9, poisson: 0.3}}\nbodies: [" OF(", material: wood") "]\n", "m.yaml:5:48 | materials.young"},
        {BEGIN CONTACT TWO BODIES "walls: {material: wood}\n", "m.yaml:7:9 | walls.material | pairs"},
        {BEGIN "contact: {law: hertz, speed: 1}\nmaterials: {wood: glass}\nbodies: [" OF(", material: wood") "]\n", "m.yaml:4:16 | contact.law | hertz | bodies"},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; ++c) {
        scree_scene scene;
        CHECK_FAILS(scene_parse("m.yaml", cases[c].text, strlen(cases[c].text), &scene), SCREE_ERR_FORMAT, cases[c].wanted);
    }
    // With values that are all there, a mean, or no pairs at all, they are accepted, and written as they were read.
    static const char* const good[] = {BEGIN CONTACT TWO BODIES "pairs: [{between: [wood, wood], friction: 1}, {between: [ice, wood], friction: 0.5}]\n",
                                       BEGIN CONTACT TWO BODIES "pairs: [{between: [wood, wood], friction: 1}, {between: [ice, ice], friction: 0.5}, mix]\n", BEGIN CONTACT TWO BODIES,
                                       WALLED TWO BODIES
                                       "pairs: [{between: [wood, wood], stiffness: 2}, {between: [ice, wood], stiffness: 3}]\nwalls: {material: ice}\n"};
    for (size_t c = 0; c < sizeof good / sizeof *good; ++c) {
        scree_scene scene, again;
        CHECK_OK(scene_parse("m.yaml", good[c], strlen(good[c]), &scene));
        CHECK_OK(scree_write_scene(in_folder("again.yaml"), &scene));
        CHECK_OK(scene_read(in_folder("again.yaml"), &again));
        assert_true(again.bodies[0].material == 0 && again.bodies[1].material == 1 && again.pair_count == scene.pair_count && again.bodies[0].material_density == 2.0);
        scene_free(&scene);
        scene_free(&again);
    }
}

// A file has the materials of its spheres: which pairs can meet is known when the run begins.
static void test_materials_of_a_file(void** state)
{
    (void)state;
    put_text(in_folder("discs.csv"), "x,y,r,material\n1,3,0.2,0\n3,3,0.2,1\n");
    scree_run_def def = scree_default_run_def();
    scree_run* run;
    for (int missing = 0; missing < 2; ++missing) {
        scree_scene scene;
        char text[1024];
        snprintf(text, sizeof text, "%sspheres: {file: discs.csv}\nbodies: [" OF(", material: ice, fixed: true") "]\npairs: [{between: [wood, wood], friction: 1}, {between: [ice, wood], friction: 0.5}%s]\n",
                 BEGIN CONTACT TWO, missing ? "" : ", {between: [ice, ice], friction: 0.25}");
        put_text(in_folder("scene.yaml"), text);
        CHECK_OK(scene_read(in_folder("scene.yaml"), &scene));
        if (missing) {
            CHECK_FAILS(scree_run_create(&def, &scene, NULL, &run), SCREE_ERR_ARGUMENT, "scene.yaml:8:8", "ice and ice", "- {between: [ice, ice], friction: NUMBER}");
        } else {
            CHECK_OK(scree_run_create(&def, &scene, NULL, &run));
            scree_body_set set;
            CHECK_OK(scree_scene_make_bodies(&scene, (scree_watch){0}, &set));
            assert_true(set.bodies[0].material == 0 && set.bodies[1].material == 1 && set.bodies[0].material_density == 2.0 && set.bodies[1].material_density == 3.0);
            scree_body_set_free(&set);
            scree_run_destroy(run);
        }
        scene_free(&scene);
    }
}

static void test_allocations(void** state)
{
    (void)state;
    static const char text[] = WALLED CONTACT TWO "output: {contacts: true}\nwalls: {material: ice}\nspheres: {count: 2, sizes: 'mono:0.1', place: lattice, material: ice}\n"
                                                  "bodies: [{shape: regular, sizes: 'mono:0.3', at: [[2, 3.71]], material: wood}]\n"
                                                  "pairs: [{between: [wood, wood], friction: 1}, {between: [ice, wood], friction: 0.5}, {between: [ice, ice], friction: 0.5}]\n";
    scree_scene scene;
    EACH_ALLOCATION_FAILS(scene_parse("m.yaml", text, sizeof text - 1, &scene), (void)0);
    scree_run_def def = scree_default_run_def();
    def.threads = 1;
    scree_run* run;
    EACH_ALLOCATION_FAILS(scree_run_create(&def, &scene, NULL, &run), (void)0);
    scree_run_destroy(run);
    scene_free(&scene);
}

static const test_case cases[] = {
    SAME_BITS(test_resume),
    UNIT(test_log),
    UNIT(test_contacts),
    UNIT(test_refusals),
    UNIT(test_materials_of_a_file),
    ALLOCATION(test_allocations),
};

const test_group group_run_body_materials = {
    .name = "run_body_materials", .cases = cases, .count = sizeof cases / sizeof *cases, .begin = make_folder, .end = remove_folder, .before_each = start_clean};
