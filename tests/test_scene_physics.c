// Contact physics of scenes: laws, parts and parameters of contacts, materials with presets, pairs and their means, spins; and what runs make of them: columns of
// frames, contacts and the log, energies that add up, and a run that is killed and goes on.
#include "run_support.h"

#include "base/number.h"
#include "run/run_inner.h"

#define TIME "time: {steps: 10}\n"
#define BOX "box: {size: [1, 1, 1]}\n"
#define SOME "spheres: {count: 4, sizes: 'mono:0.1', place: lattice}\n"
#define REST TIME BOX SOME
#define TWO "materials: {glass: {material_density: 2500, young: 7e10, poisson: 0.22}, steel: {material_density: 7850, young: 2.1e11, poisson: 0.3}}\n"
#define PLAIN_TWO "materials: {glass: {material_density: 2500}, steel: {material_density: 7850}}\n"
#define GLASS_SPHERES "spheres: {count: 4, sizes: 'mono:0.1', place: lattice, material: glass}\nwalls: {material: steel}\n"

static scree_status parse(const char* text, scree_scene* out)
{
    return scene_parse("m.yaml", text, strlen(text), out);
}

// The law of a scene with its own spheres; the caller frees scene and law.
static void make_law(const char* text, scree_scene* scene, scree_scene_law* law)
{
    scree_sphere_set set;
    CHECK_OK(parse(text, scene));
    CHECK_OK(scree_scene_make_spheres(scene, (scree_watch){0}, &set));
    CHECK_OK(scree_scene_make_law(scene, &set, law));
    scree_sphere_set_free(&set);
}

static void leave_law(scree_scene* scene, scree_scene_law* law)
{
    scree_scene_law_free(law);
    scene_free(scene);
}

// ---- Keys ------------------------------------------------------------------------------------------------------------

static void the_numbers_for_all_are_the_pair_of_the_nameless_material(void** state)
{
    (void)state;
    scree_scene scene;
    scree_scene_law law;
    make_law("contact: {stiffness: 1e4, restitution: 0.7, friction: 0.5, friction_dynamic: 0.4, tangential_stiffness: 0.3, rolling_friction: 0.1}\n" REST, &scene, &law);
    assert_int_equal(law.law.material_count, 1);
    assert_string_equal(law.law.name, "linear");
    assert_null(law.law.tangential);
    const scree_sim_pair* pair = law.law.pairs;
    assert_true(pair->friction == 0.5 && pair->friction_dynamic == 0.4 && pair->tangential_stiffness == 0.3 && pair->rolling_friction == 0.1);
    assert_true(pair->tangential_damping == scree_default_sim_pair().tangential_damping && pair->stiffness == 0.0);
    assert_true(law.stiffness == 1e4 && law.restitution == 0.7);
    leave_law(&scene, &law);

    // As it always was, a contact that says nothing more has no table.
    make_law("contact: {stiffness: 1e4, damping: 0.1}\n" REST, &scene, &law);
    assert_true(law.law.pairs == NULL && law.law.material_count == 0 && law.damping == 0.1);
    leave_law(&scene, &law);

    make_law("contact: {law: hertz, young: 1e7, poisson: 0.3, speed: 2, damping: viscoelastic, viscous_time: 1e-5, tangential: linear, twisting: marshall, pull: false}\n" REST, &scene, &law);
    assert_true(law.law.material_count == 1 && law.law.materials[0].young == 1e7 && law.law.materials[0].poisson == 0.3 && law.speed == 2.0);
    assert_true(law.law.pairs[0].viscous_time == 1e-5 && law.law.no_pull);
    assert_string_equal(law.law.tangential, "linear");
    assert_string_equal(law.law.twisting, "marshall");
    leave_law(&scene, &law);

    make_law("contact: {law: plastic, k1: 1e3, k2: 5e3, kc: 100, plastic_depth: 0.05}\n" REST, &scene, &law);
    assert_true(law.stiffness == 1e3 && law.law.pairs[0].k2 == 5e3 && law.law.pairs[0].kc == 100.0 && law.law.pairs[0].plastic_depth == 0.05);
    leave_law(&scene, &law);
}

static void materials_meet_as_their_pairs_say(void** state)
{
    (void)state;
    scree_scene scene;
    scree_scene_law law;
    make_law(TWO "contact: {law: hertz, damping: restitution, tangential: mindlin, rolling: auto, twisting: none, speed: 5, tangential_damping: 0.5}\n"
                 "pairs:\n- {between: [glass, glass], restitution: 0.9, friction: 0.3}\n- {between: [glass, steel], restitution: 0.8, friction: 0.2, rolling_friction: 0.01}\n" TIME BOX GLASS_SPHERES,
             &scene, &law);
    const scree_sim_pair* p = law.law.pairs;
    assert_int_equal(law.law.material_count, 2);
    assert_int_equal(law.wall_material, 1);
    assert_true(law.law.materials[1].young == 2.1e11 && law.law.materials[0].poisson == 0.22);
    assert_true(p[0].restitution == 0.9 && p[0].friction == 0.3 && p[0].rolling_friction == 0.0);
    assert_true(p[1].restitution == 0.8 && p[1].friction == 0.2 && p[1].rolling_friction == 0.01 && memcmp(&p[1], &p[2], sizeof *p) == 0);
    assert_true(p[0].tangential_damping == 0.5 && p[3].tangential_damping == 0.5 && p[3].restitution == 0.8);  // steel on steel cannot meet: the least of others
    assert_true(law.restitution == 0.0 && law.stiffness == 0.0);
    leave_law(&scene, &law);

    // The number for all stands where an entry has none.
    make_law(PLAIN_TWO "contact: {stiffness: 1e4, friction: 0.6}\npairs: [{between: [glass, steel], friction: 0}]\n" TIME BOX GLASS_SPHERES, &scene, &law);
    assert_true(law.law.pairs[0].friction == 0.6 && law.law.pairs[1].friction == 0.0 && law.stiffness == 1e4);
    leave_law(&scene, &law);
}

static void pairs_are_mixed_where_that_is_asked_for(void** state)
{
    (void)state;
    scree_scene scene, again;
    scree_scene_law law;
    make_law(PLAIN_TWO "contact: {stiffness: 1e4}\npairs: [{between: [glass, glass], friction: 0.2, restitution: 0.9}, {between: [steel, steel], friction: 0.8, restitution: 0.4}, mix]\n" TIME BOX GLASS_SPHERES,
             &scene, &law);
    CHECK_CLOSE(law.law.pairs[1].friction, 0.4, 1e-15);
    CHECK_CLOSE(law.law.pairs[2].restitution, 0.6, 1e-15);
    CHECK_OK(scree_write_scene(in_folder("mixed.yaml"), &scene));
    CHECK_OK(scene_read(in_folder("mixed.yaml"), &again));
    assert_true(again.contact.mix && again.pair_count == 2);
    scene_free(&again);
    leave_law(&scene, &law);

    // One entry of its own is not a mean.
    make_law(PLAIN_TWO "contact: {stiffness: 1e4}\npairs: [mix, {between: [glass, glass], friction: 0.2}, {between: [glass, steel], friction: 0.7}, {between: [steel, steel], friction: 0.8}]\n" TIME BOX GLASS_SPHERES,
             &scene, &law);
    assert_true(law.law.pairs[1].friction == 0.7);
    leave_law(&scene, &law);

    make_law(TWO "contact: {law: hertz, speed: 1, friction: 0.3}\npairs: mix\n" TIME BOX GLASS_SPHERES, &scene, &law);
    assert_true(law.law.pairs[1].friction == 0.3);
    CHECK_OK(scree_write_scene(in_folder("mixed.yaml"), &scene));
    leave_law(&scene, &law);
    CHECK_FAILS(parse(PLAIN_TWO "contact: {stiffness: 1e4}\npairs: [mix, {between: [glass, glass], friction: 0.2}]\n" TIME BOX GLASS_SPHERES, &scene), SCREE_ERR_FORMAT,
                "m.yaml:3:8 | glass | steel | {between: [glass, steel], friction: NUMBER}");
}

static void presets_have_what_an_entry_lacks(void** state)
{
    (void)state;
    scree_scene scene, again;
    for (int32_t n = 0; scree_scene_preset(n) != NULL; ++n) {
        const scree_scene_material* preset = scree_scene_preset(n);
        char text[512];
        snprintf(text, sizeof text, "materials: {a: {preset: %s}, b: %s, c: {preset: %s, young: 5e6}}\ncontact: {law: hertz, speed: 1}\nwalls: {material: b}\n" TIME BOX
                 "spheres: {count: 1, sizes: 'mono:0.1', place: lattice, material: a}\n", preset->name, preset->name, preset->name);
        CHECK_OK(parse(text, &scene));
        for (int k = 0; k < 3; ++k) {
            assert_true(scene.materials[k].material_density == preset->material_density && scene.materials[k].poisson == preset->poisson);
            assert_true(scene.materials[k].young == (k == 2 ? 5e6 : preset->young));
        }
        assert_true(scene.sim.material_density == preset->material_density);
        CHECK_OK(scree_write_scene(in_folder("presets.yaml"), &scene));
        CHECK_OK(scene_read(in_folder("presets.yaml"), &again));
        assert_true(again.materials[2].young == 5e6 && again.materials[1].young == preset->young);
        scene_free(&again);
        scene_free(&scene);
        assert_true(preset->young > 0.0 && preset->poisson >= 0.0 && preset->poisson <= 0.5 && preset->material_density > 0.0);
    }
    // The linear law takes the density only.
    CHECK_OK(parse("materials: {a: steel}\ncontact: {stiffness: 1e4}\n" TIME BOX "spheres: {count: 1, sizes: 'mono:0.1', place: lattice, material: a}\n", &scene));
    assert_true(scene.sim.material_density == 7850.0);
    CHECK_OK(scree_write_scene(in_folder("presets.yaml"), &scene));
    scene_free(&scene);
}

// Two spheres of k that meet with V overlap as two of the law of Hertz do: the formula from its parts, and an energy argument. 1/2 m V^2 = 1/2 k d^2, and
// with k as it is d = (15 m V^2 / (16 sqrt(R) E))^(2/5) is d.
static void stiffness_follows_from_young(void** state)
{
    (void)state;
    scree_scene scene;
    scree_scene_law law;
    make_law(TWO "contact: {stiffness: from-young, speed: 2}\n" TIME BOX
                 "spheres: [{count: 3, sizes: 'mono:0.1', place: random, material: glass}, {count: 1, sizes: 'mono:0.05', place: random, material: glass}]\nwalls: {material: steel}\n",
             &scene, &law);
    double light = 2500.0 * 4.0 / 3.0 * 3.14159265358979323846 * 0.05 * 0.05 * 0.05, heavy = 8.0 * light;
    for (int wall = 0; wall < 2; ++wall) {
        double m = wall ? light : light * heavy / (light + heavy), r = wall ? 0.05 : 0.05 * 0.1 / 0.15;
        double young = 1.0 / ((1.0 - 0.22 * 0.22) / 7e10 + (wall ? (1.0 - 0.3 * 0.3) / 2.1e11 : (1.0 - 0.22 * 0.22) / 7e10));
        double k = law.law.pairs[wall].stiffness, overlap = 2.0 * sqrt(m / k);
        CHECK_CLOSE(overlap / pow(15.0 * m * 4.0 / (16.0 * sqrt(r) * young), 0.4), 1.0, 1e-12);
    }
    assert_true(law.stiffness == 0.0 && law.speed == 0.0);
    leave_law(&scene, &law);
    CHECK_FAILS(parse(TWO "contact: {stiffness: from-young}\n" TIME BOX GLASS_SPHERES, &scene), SCREE_ERR_FORMAT, "m.yaml:2:10 | contact.speed");
}

static void what_does_not_go_together_is_refused(void** state)
{
    (void)state;
    static const struct {
        const char *text, *parts;
    } cases[] = {
        {"contact: {stiffness: 1, young: 1e7, poisson: 0.2}\n" REST, "m.yaml:1:25 | contact.young | from-young"},
        {TWO "contact: {stiffness: 1}\n" TIME BOX GLASS_SPHERES, "m.yaml:1:52 | materials.young | 7e+10 | linear"},
        {PLAIN_TWO "contact: {law: hertz, speed: 1}\n" TIME BOX GLASS_SPHERES, "m.yaml:1:20 | glass | young and poisson | hertz"},
        {"contact: {law: hertz, young: 1e7, poisson: 0.2}\n" REST, "m.yaml:1:10 | contact.speed"},
        {"contact: {law: hertz, speed: 1, poisson: 0.2}\n" REST, "m.yaml:1:10 | contact.young"},
        {"contact: {law: hertz, speed: 1, young: 1e7, poisson: 0.2, stiffness: 5}\n" REST, "m.yaml:1:59 | contact.stiffness | hertz"},
        {"contact: {law: plastic}\n" REST, "m.yaml:1:10 | contact.k1"},
        {"contact: {stiffness: 1, k2: 5}\n" REST, "m.yaml:1:25 | contact.k2 | linear"},
        {"contact: {stiffness: 1, surface_energy: 5}\n" REST, "m.yaml:1:25 | contact.surface_energy | linear"},
        {"contact: {stiffness: 1, law: record, friction: 0.5}\n" REST, "m.yaml:1:38 | contact.friction | record"},
        {"contact: {stiffness: 1, friction: 0.5, tangential: none}\n" REST, "m.yaml:1:35 | contact.friction | contact.tangential: none"},
        {"contact: {stiffness: 1, damping: restitution}\n" REST, "m.yaml:1:25 | contact.damping | restitution"},
        {"contact: {stiffness: 1, damping: none, restitution: 0.5}\n" REST, "m.yaml:1:53 | contact.restitution | contact.damping: none"},
        {"contact: {stiffness: 1, damping: 0.1, restitution: 0.5}\n" REST, "m.yaml:1:39 | contact.restitution | contact.damping"},
        {"contact: {stiffness: 1, damping: soft}\n" REST, "m.yaml:1:34 | contact.damping | 'soft' | viscoelastic"},
        {"contact: {stiffness: 1, friction: -0.5}\n" REST, "m.yaml:1:35 | contact.friction | '-0.5'"},
        {"contact: {stiffness: 1, tangential: coulomb}\n" REST, "m.yaml:1:37 | contact.tangential | 'coulomb' | mindlin"},
        {"materials: {a: glas}\ncontact: {stiffness: 1}\n" TIME BOX SOME, "m.yaml:1:16 | materials.preset | 'glas' | glass"},
        {"contact: {stiffness: 1}\n" TIME BOX "spheres: {count: 4, sizes: 'mono:0.1', place: lattice, spin: [0, 0, 1]}\n", "m.yaml:4:56 | spheres.spin | contact.friction"},
        {TWO "contact: {law: hertz, speed: 1}\n" TIME BOX "spheres: {count: 4, sizes: 'mono:0.1', place: lattice, material: glass}\n", "m.yaml:1:12 | walls.material | glass"},
        {PLAIN_TWO "contact: {stiffness: 1}\npairs: [{between: [glass, glass], friction: 0.5}]\n" TIME BOX GLASS_SPHERES,
         "m.yaml:3:8 | glass and steel | {between: [glass, steel], friction: NUMBER}"},
        {PLAIN_TWO "contact: {stiffness: 1}\npairs: [{between: [glass, glass], viscous_time: 0.5}]\n" TIME BOX GLASS_SPHERES, "m.yaml:3:35 | pairs.viscous_time | linear"},
        {PLAIN_TWO "contact: {stiffness: 1}\npairs: [{between: [glass, glass]}]\n" TIME BOX GLASS_SPHERES, "m.yaml:3:9 | friction"},
        {PLAIN_TWO "contact: {stiffness: 1}\npairs: [blend]\n" TIME BOX GLASS_SPHERES, "m.yaml:3:9 | pairs | 'blend' | mix"},
        {"dimension: 2\nbox: {size: [1, 1]}\ncontact: {stiffness: 1, rolling_friction: 0.5}\n" TIME "bodies: [{shape: disc, sizes: 'mono:0.1', at: [[0.5, 0.5]]}]\n",
         "m.yaml:3:25 | contact.rolling_friction | bodies"},
        {"dimension: 2\nbox: {size: [1, 1]}\ncontact: {stiffness: from-young, speed: 1, young: 1, poisson: 0}\n" TIME "bodies: [{shape: disc, sizes: 'mono:0.1', at: [[0.5, 0.5]]}]\n",
         "m.yaml:3:22 | contact.stiffness | from-young | bodies"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
        scree_scene scene;
        if (parse(cases[k].text, &scene) != SCREE_ERR_FORMAT || !message_names(cases[k].parts))
            fail_msg("%s gives %s\n wanted: %s", cases[k].text, scree_error_message(), cases[k].parts);
    }
}

// A key that would change nothing is refused, with what it needs; a 0 that is written down is what it needs.
static void keys_without_effect_are_refused(void** state)
{
    (void)state;
#define FLAT "dimension: 2\ntime: {steps: 10}\nbox: {size: [1, 1]}\nspheres: {count: 4, sizes: 'mono:0.1', place: lattice}\n"
    static const struct {
        const char *contact, *parts;  // NULL: it is accepted
        const char* rest;
    } cases[] = {
        {"stiffness: 1, friction_dynamic: 0.3", "m.yaml:1:43 | contact.friction_dynamic | 0.3 | friction", REST},
        {"stiffness: 1, tangential_stiffness: 0.3", "contact.tangential_stiffness | 0.3 | friction, rolling_friction or twisting_friction", REST},
        {"stiffness: 1, tangential_stiffness: 0.3, rolling_friction: 0.1", NULL, REST},
        {"stiffness: 1, tangential_stiffness: 0.3, friction: 0", NULL, REST},
        {"law: hertz, young: 1e7, poisson: 0.2, speed: 1, friction: 0.1, tangential_stiffness: 0.3", "contact.tangential_stiffness | 0.3 | mindlin", REST},
        {"law: hertz, young: 1e7, poisson: 0.2, speed: 1, friction: 0.1, tangential_stiffness: 0.3, tangential: linear", NULL, REST},
        {"stiffness: 1, restitution: 0.5, tangential_damping: 0.3", "contact.tangential_damping | 0.3 | friction", REST},
        {"stiffness: 1, friction: 0.5, tangential_damping: 0.3", "contact.tangential_damping | 0.3 | damping or restitution", REST},
        {"stiffness: 1, rolling_stiffness: 0.3", "contact.rolling_stiffness | 0.3 | rolling_friction", REST},
        {"stiffness: 1, damping: 1, friction: 1, rolling_damping: 0.3", "contact.rolling_damping | 0.3 | rolling_friction", REST},
        {"stiffness: 1, friction: 1, twisting_stiffness: 0.3", "contact.twisting_stiffness | 0.3 | twisting_friction", REST},
        {"stiffness: 1, twisting_friction: 1, twisting_damping: 0.3", "contact.twisting_damping | 0.3 | damping or restitution", REST},
        {"stiffness: 1, friction: 1, twisting: marshall, twisting_friction: 0.3", "contact.twisting_friction | 0.3 | marshall | spring", REST},
        {"stiffness: 1, twisting_friction: 0.3", "contact.twisting_friction | 0.3 | dimension: 2", FLAT},
        {"stiffness: 1, bridge_volume: 0.3", "contact.bridge_volume | 0.3 | surface_tension", REST},
        {"stiffness: 1, surface_tension: 0.3", "contact.surface_tension | 0.3 | bridge_volume", REST},
        {"stiffness: 1, wetting_angle: 0.3", "contact.wetting_angle | 0.3 | bridge_volume", REST},
        {"stiffness: 1, bridge_volume: 1, surface_tension: 1, wetting_angle: 30", "contact.wetting_angle | '30' | 0 to 1.57", REST},
        {"law: plastic, k1: 1, plastic_depth: 0.3", "contact.plastic_depth | 0.3 | k2", REST},
        {"law: hertz, young: 1e7, poisson: 0.2, speed: 1, surface_energy: 0.3", "contact.surface_energy | hertz", REST},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
        char text[512];
        scree_scene scene;
        snprintf(text, sizeof text, "contact: {%s}\n%s", cases[k].contact, cases[k].rest);
        scree_status status = parse(text, &scene);
        if (cases[k].parts == NULL) {
            CHECK_OK(status);
            scene_free(&scene);
        } else if (status != SCREE_ERR_FORMAT || !message_names(cases[k].parts)) {
            fail_msg("%s gives %s\n wanted: %s", text, scree_error_message(), cases[k].parts);
        }
    }
    scree_scene scene;
    CHECK_FAILS(parse(PLAIN_TWO "contact: {stiffness: 1}\npairs: [{between: [glass, glass], friction: 0.1}, {between: [glass, steel], friction: 0.1, rolling_stiffness: 0.3}]\n" TIME BOX GLASS_SPHERES, &scene),
                SCREE_ERR_FORMAT, "m.yaml:3 | pairs.rolling_stiffness | 0.3 | rolling_friction");
    CHECK_OK(parse(PLAIN_TWO "contact: {stiffness: 1, rolling_friction: 0.1}\npairs: [{between: [glass, steel], rolling_stiffness: 0.3}, {between: [glass, glass], rolling_stiffness: 0.4}]\n" TIME BOX GLASS_SPHERES, &scene));
    scene_free(&scene);
}

// What the simulation says to a contact stands at the key, once, and names materials only where there are some.
static void messages_of_contacts_are_said_once(void** state)
{
    (void)state;
    scree_run_def def = scree_default_run_def();
    scree_run* run;
    scree_scene scene;
    CHECK_OK(parse("contact: {law: plastic, k1: 10, k2: 5, plastic_depth: 0.1}\n" REST, &scene));
    CHECK_FAILS(scree_run_create(&def, &scene, NULL, &run), SCREE_ERR_ARGUMENT, "m.yaml:1:10 | contact | k2 is 5");
    assert_null(strstr(scree_error_message(), "sim:"));
    assert_null(strstr(scree_error_message(), "materials"));
    scene_free(&scene);
    CHECK_OK(parse(PLAIN_TWO "contact: {law: plastic, k1: 10}\npairs: [{between: [glass, steel], k2: 5}, {between: [glass, glass], k2: 20, plastic_depth: 0.1}]\n" TIME BOX GLASS_SPHERES, &scene));
    CHECK_FAILS(scree_run_create(&def, &scene, NULL, &run), SCREE_ERR_ARGUMENT, "materials 0 and 1 | k2 is 5");
    scene_free(&scene);
}

static void a_law_without_memory(void** state)
{
    (void)state;
    scree_scene scene;
    scree_scene_law law;
    scree_sphere_set set;
    static const char text[] = TWO "contact: {law: hertz, speed: 1, friction: 0.3}\n" TIME BOX GLASS_SPHERES;
    EACH_ALLOCATION_FAILS(scene_parse("m.yaml", text, strlen(text), &scene), assert_null(scene.materials));
    CHECK_OK(scree_scene_make_spheres(&scene, (scree_watch){0}, &set));
    EACH_ALLOCATION_FAILS(scree_scene_make_law(&scene, &set, &law), assert_true(law.law.pairs == NULL && law.law.materials == NULL));
    scree_scene_law_free(&law);
    scree_sphere_set_free(&set);
    scene_free(&scene);
}

// ---- Spheres ---------------------------------------------------------------------------------------------------------

static void spins_and_materials_are_those_of_the_file_or_of_the_scene(void** state)
{
    (void)state;
    put_text(in_folder("three.csv"), "x,y,z,radius,material,spin_x,spin_y,spin_z\n0.2,0.2,0.2,0.1,1,1,2,3\n0.5,0.5,0.5,0.1,0,4,5,6\n0.8,0.8,0.8,0.1,1,7,8,9\n");
    put_text(in_folder("flat.csv"), "x,y,radius,spin_z\n0.2,0.2,0.1,-4\n0.5,0.5,0.1,5\n");
    for (int given = 0; given < 2; ++given) {
        char text[1024];
        snprintf(text, sizeof text, TIME BOX PLAIN_TWO "contact: {stiffness: 1e3, friction: 0.5}\nspheres: {file: three.csv%s}\n", given ? ", material: steel, spin: [0, 0, 7]" : "");
        put_text(in_folder("scene.yaml"), text);
        scree_scene scene;
        scree_sphere_set set;
        scree_scene_each each;
        CHECK_OK(scene_read(in_folder("scene.yaml"), &scene));
        CHECK_OK(scree_scene_make_spheres(&scene, (scree_watch){0}, &set));
        CHECK_OK(scree_scene_make_each(&scene, &set, &each));
        for (int i = 0; i < 3; ++i) {
            assert_int_equal(each.each.material[i], given ? 1 : i != 1);
            assert_true((each.each.material_density != NULL ? each.each.material_density[i] : each.material_density) == (given || i != 1 ? 7850.0 : 2500.0));
            for (int k = 0; k < 3; ++k)
                assert_true(each.each.spin[3 * i + k] == (given ? (k == 2) * 7.0 : 3.0 * i + k + 1.0));
        }
        scree_scene_each_free(&each);
        scree_sphere_set_free(&set);
        scene_free(&scene);
    }
    for (int given = 0; given < 2; ++given) {
        char text[1024];
        snprintf(text, sizeof text, "dimension: 2\n" TIME "box: {size: [1, 1]}\ncontact: {stiffness: 1e3, friction: 0.5}\nspheres: {file: flat.csv%s}\n", given ? ", spin: 2" : "");
        put_text(in_folder("scene.yaml"), text);
        scree_scene scene;
        scree_run_def def = scree_default_run_def();
        scree_run* run;
        double w[6];
        CHECK_OK(scene_read(in_folder("scene.yaml"), &scene));
        CHECK_OK(scree_run_create(&def, &scene, NULL, &run));
        CHECK_OK(scree_sim_get_column(scree_run_get_sim(run), "w", w));
        assert_true(w[0] == 0.0 && w[1] == 0.0 && w[2] == (given ? 2.0 : -4.0) && w[5] == (given ? 2.0 : 5.0));
        scree_run_destroy(run);
        scene_free(&scene);
    }
    put_text(in_folder("scene.yaml"), TIME BOX "materials: {a: glass}\ncontact: {stiffness: 1}\nspheres: {file: three.csv}\n");
    scree_scene scene;
    scree_sphere_set set;
    CHECK_OK(scene_read(in_folder("scene.yaml"), &scene));
    CHECK_FAILS(scree_scene_make_spheres(&scene, (scree_watch){0}, &set), SCREE_ERR_ARGUMENT, "scene.yaml:5:17 | three.csv | sphere 0 | material 1");
    scene_free(&scene);
}

// Spins that a file has and a run would lose.
static void spins_that_would_be_lost_are_refused(void** state)
{
    (void)state;
    static const struct {
        int dim;
        const char *columns, *friction, *parts;  // NULL: they are taken
    } cases[] = {
        {3, "spin_x,spin_y,spin_z|1,2,3", "0.5", NULL},
        {3, "spin_x,spin_y,spin_z|0,2,3", NULL, "spheres.file | spins.csv | sphere 0 | spin y is 2 | contact.friction"},
        {3, "spin_x,spin_y,spin_z|0,0,0", NULL, NULL},
        {3, "spin_z|3", "0.5", "spheres.file | spins.csv | spin_z | spin_x"},
        {3, "spin_x,spin_y|3,1", "0.5", "spheres.file | spins.csv | spin_x and spin_y | spin_z"},
        {2, "spin_z|3", "0.5", NULL},
        {2, "spin_z|3", NULL, "spheres.file | spins.csv | sphere 0 | spin z is 3 | contact.friction"},
        {2, "spin_x|3", "0.5", "spheres.file | spins.csv | spin_x | spin_z"},
        {2, "spin_x,spin_y|3,1", "0.5", "spheres.file | spins.csv | spin_x and spin_y | spin_z"},
        {2, "spin_x,spin_y,spin_z|0,0,1", "0.5", NULL},
        {2, "spin_x,spin_y,spin_z|0,4,1", "0.5", "spheres.file | spins.csv | 4 | y"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
        char text[512];
        const char* bar = strchr(cases[k].columns, '|');
        bool flat = cases[k].dim == 2;
        snprintf(text, sizeof text, "x,y,%sradius,%.*s\n0.5,0.5,%s0.1,%s\n", flat ? "" : "z,", (int)(bar - cases[k].columns), cases[k].columns, flat ? "" : "0.5,", bar + 1);
        put_text(in_folder("spins.csv"), text);
        snprintf(text, sizeof text, "dimension: %d\n" TIME "box: {size: [1, 1%s]}\ncontact: {stiffness: 1%s%s}\nspheres: {file: spins.csv}\n", cases[k].dim, flat ? "" : ", 1",
                 cases[k].friction != NULL ? ", friction: " : "", cases[k].friction != NULL ? cases[k].friction : "");
        put_text(in_folder("scene.yaml"), text);
        scree_scene scene;
        scree_sphere_set set;
        CHECK_OK(scene_read(in_folder("scene.yaml"), &scene));
        scree_status status = scree_scene_make_spheres(&scene, (scree_watch){0}, &set);
        if (cases[k].parts == NULL)
            CHECK_OK(status);
        else if (status != SCREE_ERR_ARGUMENT || !message_names(cases[k].parts))
            fail_msg("%s gives %s\n wanted: %s", cases[k].columns, scree_error_message(), cases[k].parts);
        scree_sphere_set_free(&set);
        scene_free(&scene);
    }
}

// ---- Runs ------------------------------------------------------------------------------------------------------------

// A heap in a box: two materials, friction, rolling resistance, a wall that moves.
#define HEAP(every)                                                                                                                                            \
    "box: {size: [1, 1, 1.6], periodic: [y]}\ngravity: [0.5, 0, -9.81]\nwalls: {material: steel, z: [0.3, 0]}\n" PLAIN_TWO                                     \
    "spheres:\n- {count: 60, sizes: 'uniform-size:0.05:0.1', place: random, material: glass, spin: [3, -2, 20], velocity: [1, 0, -2]}\n"                        \
    "- {name: heavy, count: 12, sizes: 'mono:0.09', place: random, material: steel, force: [0, 100, 0]}\n"                                                         \
    "contact: {stiffness: 2e5, restitution: 0.6, friction: 0.4, rolling_friction: 0.02}\n"                                                                              \
    "pairs: [{between: [steel, glass], friction: 0.6, rolling_friction: 0.1}]\n"                                                                                 \
    "time: {steps: 1500}\noutput: {every_steps: 500, log_every_steps: 100, contacts: true, formats: [vtp, csv, npy, lammps]}\ncheckpoint: {every: " every "}\n"

static const char* const energies[] = {"energy_kinetic",      "energy_rotation",       "energy_normal",      "energy_tangential",   "energy_rolling", "energy_twisting", "dissipated_normal",
                                       "dissipated_tangential", "dissipated_rolling", "dissipated_twisting", "work_walls",     "work_gravity",    "work_forces", "sliding", "balance"};

// A process that is killed leaves its last checkpoint behind, and what goes on from there ends as a run that was not killed: bits, frames, contacts, the log.
static void a_killed_run_goes_on_with_its_friction(void** state)
{
    (void)state;
    scree_run_def def = scree_default_run_def();
    scree_scene scene = scene_of(HEAP("300"));
    scree_run* run;
    CHECK_OK(scree_run_create(&def, &scene, in_folder("whole"), &run));
    CHECK_OK(scree_run_go(run));
    uint64_t hash = scree_run_hash(run);
    scree_run_destroy(run);
    run_until_killed(&scene, "killed", 400);
    CHECK_OK(scree_run_resume(&def, in_folder("killed"), &run));
    assert_true(scree_sim_get_step(scree_run_get_sim(run)) >= 300 && scree_sim_get_step(scree_run_get_sim(run)) < 1500);
    CHECK_OK(scree_run_go(run));
    assert_true(scree_run_hash(run) == hash);
    scree_run_destroy(run);
    for (int frame = 0; frame < 4; ++frame) {
        static const char* const endings[] = {"vtp", "csv", "npy", "lmp"};
        char name[64];
        for (size_t k = 0; k < sizeof endings / sizeof *endings; ++k) {
            snprintf(name, sizeof name, "frames/frame_%06d.%s", frame, endings[k]);
            check_same_file(name, "whole", "killed");
        }
        snprintf(name, sizeof name, "contacts/contacts_%06d.csv", frame);
        check_same_file(name, "whole", "killed");
    }
    char *log = get_file(in_folder("whole/log.csv"), NULL), *again = get_file(in_folder("killed/log.csv"), NULL);
    for (int row = 0; row < 16; ++row)
        for (size_t k = 0; k < sizeof energies / sizeof *energies; ++k) {
            double a = value_in(log, row, energies[k]), b = value_in(again, row, energies[k]);
            if (!(a == b))
                fail_msg("row %d: %s is %.17g, after a resume %.17g", row, energies[k], a, b);
        }
    free(log);
    free(again);
    scene_free(&scene);
}

static void energies_add_up(void** state)
{
    (void)state;
    scree_run_def def = scree_default_run_def();
    scree_scene scene = scene_of(HEAP("100000"));
    scree_run* run;
    CHECK_OK(scree_run_create(&def, &scene, in_folder("heap"), &run));
    CHECK_OK(scree_run_go(run));
    scree_run_destroy(run);
    char* log = get_file(in_folder("heap/log.csv"), NULL);
    double largest = 0.0, first = value_in(log, 0, "balance");
    for (int row = 0; row < 16; ++row)
        for (size_t k = 0; k + 2 < sizeof energies / sizeof *energies; ++k)
            largest = fmax(largest, fabs(value_in(log, row, energies[k])));
    for (int row = 0; row < 16; ++row)
        CHECK_CLOSE(value_in(log, row, "balance") / largest, first / largest, 1e-3);
    assert_true(value_in(log, 15, "dissipated_normal") > 0.0 && value_in(log, 15, "dissipated_tangential") > 0.0 && value_in(log, 15, "dissipated_rolling") > 0.0);
    for (size_t k = 0; k < 3; ++k) {  // each of them would be missed
        static const char* const works[] = {"work_walls", "work_gravity", "work_forces"};
        if (!(fabs(value_in(log, 15, works[k])) > 0.01 * largest))
            fail_msg("%s is %g; above 0.01 of %g was expected", works[k], value_in(log, 15, works[k]), largest);
    }
    free(log);

    // Frames have what turns, contacts how they rub.
    scree_sphere_set set;
    CHECK_OK(scree_read_spheres(in_folder("heap/frames/frame_000003.csv"), NULL, &set));
    const scree_column *spin = scree_sphere_set_find(&set, "spin"), *torque = scree_sphere_set_find(&set, "torque"), *material = scree_sphere_set_find(&set, "material");
    assert_true(spin != NULL && spin->components == 3 && torque != NULL && torque->components == 3 && material != NULL && material->integers[71] == 1);
    double turning = 0.0;
    for (int e = 0; e < 3 * 72; ++e)
        turning += fabs(torque->values[e]);
    assert_true(turning > 0.0);
    scree_sphere_set lammps;
    CHECK_OK(scree_read_spheres(in_folder("heap/frames/frame_000003.lmp"), NULL, &lammps));
    const scree_column* omega = scree_sphere_set_find(&lammps, "omega");
    assert_non_null(omega);
    const scree_column* type = scree_sphere_set_find(&lammps, "type");
    assert_true(type != NULL && type->integers[0] == 1 && type->integers[71] == 2);
    const scree_column* density = scree_sphere_set_find(&lammps, "material_density");
    assert_true(density != NULL && density->values[0] == 2500.0 && density->values[71] == 7850.0);
    for (int e = 0; e < 3 * 72; ++e)
        CHECK_CLOSE(omega->values[e], spin->values[e], 1e-12 * fabs(spin->values[e]));
    scree_sphere_set_free(&set);
    scree_sphere_set_free(&lammps);
    char* contacts = get_file(in_folder("heap/contacts/contacts_000003.csv"), NULL);
    assert_non_null(strstr(contacts, ",tangential_x,tangential_y,tangential_z,sliding,"));
    free(contacts);
    scene_free(&scene);

    // Without energies the log ends as it did before there were any: where they are not wanted, and with plain linear contacts unless they are.
    static const char* const others[][2] = {{"friction: 0.4", "false"}, {"damping: 1", "auto"}, {"damping: 1", "true"}, {"friction: 0.4", "auto"}};
    for (int k = 0; k < 4; ++k) {
        char text[512];
        snprintf(text, sizeof text, "box: {size: [1, 1, 1]}\n" SOME "contact: {stiffness: 1e3, %s}\ntime: {steps: 2}\noutput: {energies: %s}\n", others[k][0], others[k][1]);
        scene = scene_of(text);
        CHECK_OK(scree_run_create(&def, &scene, in_folder("plain"), &run));
        CHECK_OK(scree_run_go(run));
        scree_run_destroy(run);
        scene_free(&scene);
        log = get_file(in_folder("plain/log.csv"), NULL);
        assert_true(isnan(value_in(log, 0, "balance")) == (k < 2) && isnan(value_in(log, 0, "energy_rotation")) == (k < 2));
        free(log);
        remove_all(in_folder("plain"));
    }
}

// What a run tells of each pair: of the lightest two, by closed forms.
// A step that cannot work is refused, with the two that limit it and what they are made of: by the contact, by the Rayleigh time, by a spring.
static void steps_that_are_too_long_name_the_pair(void** state)
{
    (void)state;
    static const struct {
        const char *text, *parts[7];
    } cases[] = {
        {PLAIN_TWO "time: {steps: 10, step: 1}\ncontact: {stiffness: 1e4}\npairs: [{between: [glass, glass], friction: 0.1}, {between: [glass, steel], friction: 0.2, tangential_stiffness: 50}]\n" BOX GLASS_SPHERES,
         {"time.step", "tangential", "sphere 0", "wall", "materials 0 and 1", "0 is glass", "1 is steel"}},
        {PLAIN_TWO "time: {steps: 10, step: 1}\ncontact: {stiffness: 1e4}\npairs: [{between: [glass, glass], stiffness: 1e6}, {between: [glass, steel], stiffness: 1e4}]\n" BOX GLASS_SPHERES,
         {"time.step", "touch", "sphere 0", "sphere 1", "materials 0 and 0", "0 is glass", "a tenth"}},
        {TWO "time: {steps: 10, step: 1}\ncontact: {law: hertz, speed: 1e-9, restitution: 0.9}\n" BOX "walls: {material: steel}\n"
         "spheres: [{count: 2, sizes: 'mono:0.1', place: random, material: glass}, {count: 2, sizes: 'mono:0.02', place: random, material: steel}]\n",
         {"time.step", "Rayleigh", "sphere 2", "0.02", "material 1", "1 is steel", "0.4"}},
        {"time: {steps: 10, step: 1}\ncontact: {stiffness: 1e4}\n" BOX SOME, {"time.step", "touch", "sphere 0", "sphere 1", "a tenth", "a fiftieth", "0.1"}},
    };
    scree_run_def def = scree_default_run_def();
    for (size_t c = 0; c < sizeof cases / sizeof *cases; ++c) {
        const char* const* p = cases[c].parts;
        scree_scene scene = scene_of(cases[c].text);
        scree_run* run;
        CHECK_FAILS(scree_run_create(&def, &scene, NULL, &run), SCREE_ERR_ARGUMENT, p[0], p[1], p[2], p[3], p[4], p[5], p[6]);
        assert_true((strstr(scree_error_message(), "material") != NULL) == (c < 3));
        scene_free(&scene);
    }
}

static void pairs_are_reported(void** state)
{
    (void)state;
    scree_run_def def = scree_default_run_def();
    scree_run_pair pairs[4];
    scree_run* run;
    scree_scene scene = scene_of(TWO TIME "box: {size: [0.1, 0.1, 0.1]}\ncontact: {law: hertz, speed: 2, restitution: 0.7, friction: 0.3}\nwalls: {material: steel}\n"
                                     "spheres: [{count: 3, sizes: 'mono:0.01', place: random, material: glass}, {count: 1, sizes: 'mono:0.005', place: random, material: glass}]\n");
    CHECK_OK(scree_run_create(&def, &scene, NULL, &run));
    assert_int_equal(scree_run_get_pairs(run, pairs, 4), 2);
    for (int wall = 0; wall < 2; ++wall) {
        double light = 2500.0 * 4.0 / 3.0 * 3.14159265358979323846 * 0.005 * 0.005 * 0.005, m = wall ? light : light * 8.0 / 9.0, r = wall ? 0.005 : 0.01 / 3.0;
        double young = 1.0 / ((1.0 - 0.22 * 0.22) / 7e10 + (wall ? (1.0 - 0.3 * 0.3) / 2.1e11 : (1.0 - 0.22 * 0.22) / 7e10));
        double shear = 1.0 / ((2.0 - 0.22) * 2.0 * 1.22 / 7e10 + (wall ? (2.0 - 0.3) * 2.0 * 1.3 / 2.1e11 : (2.0 - 0.22) * 2.0 * 1.22 / 7e10));
        double overlap = pow(5.0 * m * 4.0 / (4.0 * 4.0 / 3.0 * young * sqrt(r)), 0.4);
        const scree_run_pair* pair = &pairs[wall];
        assert_string_equal(pair->names[0], "glass");
        assert_string_equal(pair->names[1], wall ? "steel" : "glass");
        assert_true(pair->i == 3 && pair->j == (wall ? -1 : 0));
        CHECK_CLOSE(pair->young / young, 1.0, 1e-12);
        CHECK_CLOSE(pair->shear / shear, 1.0, 1e-12);
        CHECK_CLOSE(pair->overlap_expected * 0.005 / overlap, 1.0, 1e-9);
        CHECK_CLOSE(pair->stiffness / (2.0 * young * sqrt(r * overlap)), 1.0, 1e-9);
        CHECK_CLOSE(pair->tangential_stiffness / (8.0 * shear * sqrt(r * overlap)), 1.0, 1e-9);
        CHECK_CLOSE(pair->restitution, 0.7, 1e-5);
        CHECK_CLOSE(pair->contact_duration / (2.943275 * overlap / 2.0), 1.0, 1e-6);
    }
    scree_run_destroy(run);
    scene_free(&scene);
    scene = scene_of("contact: {stiffness: 1e4, friction: 0.2, damping: 0.5}\n" REST);
    CHECK_OK(scree_run_create(&def, &scene, NULL, &run));
    assert_int_equal(scree_run_get_pairs(run, pairs, 4), 1);
    assert_true(pairs[0].names[0][0] == '\0' && pairs[0].friction == 0.2 && pairs[0].stiffness == 1e4 && pairs[0].young == 0.0);
    CHECK_CLOSE(pairs[0].tangential_stiffness, 1e4 * 2.0 / 7.0, 1e-9);
    assert_true(pairs[0].rolling_friction == 0.0 && pairs[0].twisting_friction == 0.0 && pairs[0].k2 == 0.0 && pairs[0].bridge_gap == 0.0);
    scree_run_destroy(run);
    scene_free(&scene);
    scene = scene_of("contact: {law: plastic, k1: 1e4, k2: 5e4, kc: 300, plastic_depth: 0.05, friction: 0.2, rolling_friction: 0.1, rolling_stiffness: 0.5, twisting_friction: 0.01, "
                     "bridge_volume: 8e-6, surface_tension: 0.7, wetting_angle: 0.4}\n" REST);
    CHECK_OK(scree_run_create(&def, &scene, NULL, &run));
    assert_int_equal(scree_run_get_pairs(run, pairs, 4), 1);
    assert_true(pairs[0].stiffness == 1e4 && pairs[0].k2 == 5e4 && pairs[0].kc == 300.0 && pairs[0].rolling_friction == 0.1 && pairs[0].twisting_friction == 0.01);
    CHECK_CLOSE(pairs[0].tangential_stiffness, 1e4 * 2.0 / 7.0, 1e-9);
    CHECK_CLOSE(pairs[0].rolling_stiffness, 0.5e4 * 2.0 / 7.0, 1e-9);
    CHECK_CLOSE(pairs[0].twisting_stiffness, 1e4 * 2.0 / 7.0 * 0.05 * 0.05, 1e-12);
    CHECK_CLOSE(pairs[0].bridge_pull, 2.0 * 3.14159265358979323846 * 0.1 * 0.7 * cos(0.4), 1e-12);  // two spheres of radius 0.1
    CHECK_CLOSE(pairs[0].bridge_gap, 1.2 * 0.02, 1e-12);
    scree_run_destroy(run);
    scene_free(&scene);
}

// Deep overlaps are reported, and with the law of Hertz those that the step cannot follow end the run.
static void deep_overlaps_are_seen(void** state)
{
    (void)state;
    static const char* const contacts[2] = {"{stiffness: 100}", "{law: hertz, young: 1e6, poisson: 0.3, speed: 0.001}"};
    scree_run_def def = scree_default_run_def();
    put_text(in_folder("two.csv"), "x,y,z,radius,v_x,v_y,v_z\n0.3,0.5,0.5,0.1,10,0,0\n0.51,0.5,0.5,0.1,-10,0,0\n");
    for (int hertz = 0; hertz < 2; ++hertz) {
        char text[512];
        // Without frames and rows of the log in between: the two meet and part again between the only two.
        snprintf(text, sizeof text, BOX "time: {end: 0.025%s}\ncontact: %s\nspheres: {file: two.csv, velocity: file}\n", hertz ? ", step: 2e-4" : "", contacts[hertz]);
        scree_scene scene = scene_of(text);
        scree_run* run;
        CHECK_OK(scree_run_create(&def, &scene, in_folder("deep"), &run));
        assert_string_equal(scree_run_get_warning(run), "");
        if (hertz)
            CHECK_FAILS(scree_run_go(run), SCREE_ERR_ARGUMENT, "scene.yaml | contact.speed | sphere 0 | sphere 1 | 0.001");
        else
            CHECK_OK(scree_run_go(run));
        if (!hertz) {
            scree_sim_report report;
            CHECK_OK(scree_sim_measure(scree_run_get_sim(run), &report));
            assert_true(report.max_overlap_relative < 0.1);  // the last row does not show it
            assert_true(strstr(scree_run_get_warning(run), "sphere 0") != NULL && strstr(scree_run_get_warning(run), "sphere 1") != NULL);
            assert_true(strstr(scree_run_get_warning(run), " 0 of 2 rows") != NULL);
        }
        scree_run_destroy(run);
        scene_free(&scene);
        remove_all(in_folder("deep"));
    }
}

// A row of each step: the largest overlap is that of a row, between two looks, and has its place.
static void the_deepest_row_has_its_place(void** state)
{
    (void)state;
    scree_run_def def = scree_default_run_def();
    put_text(in_folder("two.csv"), "x,y,z,radius,v_x,v_y,v_z\n0.3,0.5,0.5,0.1,10,0,0\n0.51,0.5,0.5,0.05,-10,0,0\n");
    scree_scene scene = scene_of(BOX "time: {end: 0.025}\ncontact: {stiffness: 100}\nspheres: {file: two.csv, velocity: file}\noutput: {log_every_steps: 1}\n");
    scree_run* run;
    scree_run_summary* summary;
    CHECK_OK(scree_run_create(&def, &scene, in_folder("rows"), &run));
    CHECK_OK(scree_run_go(run));
    CHECK_OK(scree_run_summary_create(run, &summary));
    const scree_quantity *pair = scree_run_summary_find(summary, "deepest_overlap_pair"), *at = scree_run_summary_find(summary, "deepest_overlap_at"),
                         *step = scree_run_summary_find(summary, "deepest_overlap_step"), *relative = scree_run_summary_find(summary, "deepest_overlap_relative"),
                         *length = scree_run_summary_find(summary, "deepest_overlap"), *above = scree_run_summary_find(summary, "overlap_rows_above");
    assert_true(pair != NULL && at != NULL && step != NULL && relative != NULL && length != NULL && above != NULL);
    assert_true(pair->integers[0] == 0 && pair->integers[1] == 1 && step->integers[0] > 0 && above->integers[0] > 5);
    CHECK_CLOSE(relative->values[0], length->values[0] / 0.05, 1e-12);
    assert_true(at->count == 3 && at->values[0] > 0.3 && at->values[0] < 0.51 && at->values[1] == 0.5 && at->values[2] == 0.5);  // that of the smaller one
    char row[96], path[256];
    snprintf(path, sizeof path, "%s/log.csv", in_folder("rows"));
    FILE* log = fopen(path, "r");
    char line[4096];
    bool there = false;
    snprintf(row, sizeof row, "%lld,", (long long)step->integers[0]);
    char depth[32];
    scree_number_format(depth, relative->values[0]);
    while (log != NULL && fgets(line, sizeof line, log) != NULL)
        there = there || (strncmp(line, row, strlen(row)) == 0 && strstr(line, depth) != NULL);
    assert_true(log != NULL && there);
    fclose(log);
    scree_run_summary_destroy(summary);
    scree_run_destroy(run);
    scene_free(&scene);
    remove_all(in_folder("rows"));
}

// A scene that begins from another run has its contact physics, spins and memory; with other parts of the law contacts begin without memory.
static void another_run_goes_on_with_its_friction(void** state)
{
    (void)state;
    static const char* const contacts[2] = {"", "contact: {stiffness: 2e5, restitution: 0.6, friction: 0.4}\n"};
    scree_run_def def = scree_default_run_def();
    scree_scene scene = scene_of(HEAP("100000"));
    scree_run* run;
    CHECK_OK(scree_run_create(&def, &scene, in_folder("heap"), &run));
    CHECK_OK(scree_run_go(run));
    double w[3 * 72], taken[3 * 72];
    scree_sim_memory memory;
    CHECK_OK(scree_sim_get_column(scree_run_get_sim(run), "w", w));
    CHECK_OK(scree_sim_get_memory(scree_run_get_sim(run), &memory));
    int64_t count = memory.count;
    assert_true(count > 0 && memory.words > 3);
    scree_run_destroy(run);
    scene_free(&scene);
    for (int k = 0; k < 2; ++k) {
        char text[512];
        snprintf(text, sizeof text, "start: {run: heap}\ngravity: [0, 0, -9.81]\n%stime: {steps: 3}\n", contacts[k]);
        scene = scene_of(text);
        CHECK_OK(scree_run_create(&def, &scene, in_folder("next"), &run));
        CHECK_OK(scree_sim_get_column(scree_run_get_sim(run), "w", taken));
        check_same_bits(w, taken, 3 * 72, "spins");
        CHECK_OK(scree_sim_get_memory(scree_run_get_sim(run), &memory));
        double kept = 0.0;
        for (int64_t e = 0; e < memory.count * memory.words; ++e)
            kept += fabs(memory.values[e]);
        if (k == 0)
            assert_true(memory.count == count && kept > 0.0);
        else
            assert_true(kept == 0.0);
        CHECK_OK(scree_run_go(run));
        scree_run_destroy(run);
        scene_free(&scene);
        remove_all(in_folder("next"));
    }
    scene = scene_of("start: {run: heap}\ntime: {steps: 3}\ncontact: {law: hertz, speed: 4}\nwalls: {material: glass}\n");
    CHECK_FAILS(scree_run_create(&def, &scene, in_folder("next"), &run), SCREE_ERR_ARGUMENT, "scene.yaml:3:16 | contact.law | hertz | glass");
    scene_free(&scene);
}

#define THREE "materials: {glass: {material_density: 2500}, steel: {material_density: 7850}, rubber: {material_density: 1100}}\ncontact: {stiffness: 1e4}\n"
#define GLASS_ALONE "spheres: {count: 4, sizes: 'mono:0.1', place: lattice, material: glass}\n"
#define ON_GLASS "{between: [glass, glass], friction: 0.2}, {between: [glass, steel], friction: 0.3}"
#define ON_ALL "pairs: [" ON_GLASS ", {between: [glass, rubber], friction: 0.9}]\n"

static void walls_have_materials_of_their_own(void** state)
{
    (void)state;
    static const int32_t own[6] = {-1, 0, -1, -1, 2, -1}, all[6] = {1, 0, 1, 1, 2, 1};
    scree_scene scene, again;
    scree_scene_law law;
    make_law(THREE ON_ALL "walls: {material: steel, lower_z: {oscillate: {amplitude: 1e-3, frequency: 10}, material: rubber}, upper_x: {material: glass}}\n" TIME BOX GLASS_ALONE, &scene, &law);
    assert_true(law.by_face && law.wall_material == 1 && memcmp(law.face_materials, all, sizeof all) == 0);
    CHECK_OK(scree_write_scene(in_folder("faces.yaml"), &scene));
    CHECK_OK(scene_read(in_folder("faces.yaml"), &again));
    assert_true(memcmp(again.face_materials, own, sizeof own) == 0 && again.wall_material == 1);
    assert_true(again.load_count == 1 && again.loads[0].load.target == 4 && again.loads[0].load.value.frequency == 10.0);
    scene_free(&again);
    leave_law(&scene, &law);

    // Where every wall has its own, walls.material is not needed, and what no wall is made of needs no entry.
    make_law(THREE "pairs: [" ON_GLASS "]\nwalls: {lower_z: {material: steel}, upper_z: {material: glass}}\n" TIME "box: {size: [1, 1, 1], periodic: [x, y]}\n" GLASS_ALONE, &scene, &law);
    assert_true(law.by_face && law.face_materials[4] == 1 && law.face_materials[5] == 0);
    leave_law(&scene, &law);
    make_law(THREE "pairs: [" ON_GLASS "]\nwalls: {material: steel}\n" TIME BOX GLASS_ALONE, &scene, &law);
    assert_false(law.by_face);
    leave_law(&scene, &law);

    static const struct {
        const char *text, *reported;
    } wrong[] = {
        {THREE "pairs: [" ON_GLASS "]\nwalls: {material: steel, upper_y: {material: rubber}}\n" TIME BOX GLASS_ALONE, "m.yaml:3:8 | glass and rubber | walls.upper_y | {between: [glass, rubber], friction: NUMBER}"},
        {THREE ON_ALL "walls: {upper_y: {material: rubber}}\n" TIME BOX GLASS_ALONE, "m.yaml:3 | walls.material is missing"},
        {THREE ON_ALL "walls: {material: steel, upper_y: {material: ruber}}\n" TIME BOX GLASS_ALONE, "m.yaml:4:46 | walls.upper_y.material | 'ruber' | rubber"},
        {THREE ON_ALL "walls: {material: steel, upper_y: {material: rubber, velocity: 1, path: a.csv}}\n" TIME BOX GLASS_ALONE, "m.yaml:4:35 | walls.upper_y"},
        {THREE ON_ALL "walls: {material: steel, upper_y: {}}\n" TIME BOX GLASS_ALONE, "m.yaml:4:35 | walls.upper_y"},
        {THREE ON_ALL "walls: {material: steel, upper_y: {colour: red}}\n" TIME BOX GLASS_ALONE, "m.yaml:4:36 | 'colour' | material"},
        {THREE ON_ALL "walls: {material: steel, upper_y: {material: rubber}}\n" TIME "box: {size: [1, 1, 1], periodic: [y]}\n" GLASS_ALONE, "m.yaml:4:35 | periodic"},
        {THREE "walls: {upper_y: {material: rubber}}\n" TIME BOX GLASS_ALONE, "m.yaml:3:18 | walls.upper_y | expected pairs"},
        {"contact: {stiffness: 1e4}\nwalls: {upper_y: {material: rubber}}\n" REST, "m.yaml:2:29 | walls.upper_y.material | without materials"},
        {THREE ON_ALL "walls: {material: steel}\nchanges: [{at: 0.1, walls: {upper_y: {material: ruber}}}]\n" TIME BOX GLASS_ALONE, "m.yaml:5:49 | changes.walls.upper_y.material | 'ruber' | rubber"},
    };
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; ++k)
        CHECK_FAILS(parse(wrong[k].text, &scene), SCREE_ERR_FORMAT, wrong[k].reported);
}

// A run tells the pairs of all walls, its folder has their materials, and so has a run that begins from it.
static void runs_keep_the_materials_of_walls(void** state)
{
    (void)state;
    static const int32_t own[6] = {-1, -1, -1, -1, 2, -1};
    scree_run_def def = scree_default_run_def();
    scree_run_pair pairs[4];
    scree_run* run;
    scree_scene back, scene = scene_of(THREE ON_ALL "walls: {material: steel, lower_z: {material: rubber}}\n" TIME BOX GLASS_ALONE);
    CHECK_OK(scree_run_create(&def, &scene, in_folder("heap"), &run));
    assert_int_equal(scree_run_get_pairs(run, pairs, 4), 3);
    assert_string_equal(pairs[2].names[1], "rubber");
    assert_true(pairs[1].friction == 0.3 && pairs[2].friction == 0.9);
    CHECK_OK(scree_run_go(run));
    scree_run_destroy(run);
    scene_free(&scene);
    static const char* const next[] = {"", "contact: {stiffness: 1e4}\n" ON_ALL "walls: {material: steel, lower_z: {material: rubber}}\n"};
    for (int k = 0; k < 2; ++k) {
        char text[512];
        snprintf(text, sizeof text, "start: {run: heap}\ntime: {steps: 3}\n%s", next[k]);
        scene = scene_of(text);
        CHECK_OK(scree_run_create(&def, &scene, in_folder("next"), &run));
        assert_int_equal(scree_run_get_pairs(run, pairs, 4), 3);
        CHECK_OK(scree_run_go(run));
        scree_run_destroy(run);
        scene_free(&scene);
        CHECK_OK(scene_read(in_folder("next/scene.yaml"), &back));
        assert_true(memcmp(back.face_materials, own, sizeof own) == 0 && back.wall_material == 1);
        scene_free(&back);
        remove_all(in_folder("next"));
    }
    scene = scene_of("start: {run: heap}\ntime: {steps: 3}\ncontact: {stiffness: 1e4}\n" ON_ALL "walls: {material: steel, lower_z: {material: wood}}\n");
    CHECK_FAILS(scree_run_create(&def, &scene, in_folder("next"), &run), SCREE_ERR_ARGUMENT, "scene.yaml:5 | walls.lower_z | 'wood' | rubber");
    scene_free(&scene);
    // A box that comes from a file is known only now.
    put_text(in_folder("one.xyz"), "1\nLattice=\"1 0 0 0 1 0 0 0 1\" Properties=species:S:1:pos:R:3:radius:R:1 pbc=\"T T T\"\nA 0.5 0.5 0.5 0.1\n");
    scene = scene_of(THREE ON_ALL "walls: {material: steel, lower_z: {material: rubber}}\n" TIME "spheres: {file: one.xyz, material: glass}\n");
    CHECK_FAILS(scree_run_create(&def, &scene, NULL, &run), SCREE_ERR_ARGUMENT, "scene.yaml:4 | walls.lower_z | periodic");
    scene_free(&scene);
}

static const test_case cases[] = {
    UNIT(walls_have_materials_of_their_own),
    UNIT(runs_keep_the_materials_of_walls),
    UNIT(the_numbers_for_all_are_the_pair_of_the_nameless_material),
    UNIT(materials_meet_as_their_pairs_say),
    UNIT(pairs_are_mixed_where_that_is_asked_for),
    UNIT(presets_have_what_an_entry_lacks),
    UNIT(stiffness_follows_from_young),
    UNIT(what_does_not_go_together_is_refused),
    UNIT(keys_without_effect_are_refused),
    UNIT(messages_of_contacts_are_said_once),
    UNIT(spins_that_would_be_lost_are_refused),
    ALLOCATION(a_law_without_memory),
    UNIT(spins_and_materials_are_those_of_the_file_or_of_the_scene),
    SAME_BITS(a_killed_run_goes_on_with_its_friction),
    UNIT(energies_add_up),
    UNIT(another_run_goes_on_with_its_friction),
    UNIT(steps_that_are_too_long_name_the_pair),
    UNIT(pairs_are_reported),
    UNIT(deep_overlaps_are_seen),
    UNIT(the_deepest_row_has_its_place),
};

const test_group group_scene_physics = {
    .name = "scene_physics", .cases = cases, .count = sizeof cases / sizeof *cases, .begin = make_folder, .end = remove_folder, .before_each = start_clean};
