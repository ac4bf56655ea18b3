// Parameters, included files and settings: the scene is the one that says the same itself, and messages name the right place.
#include "scene_support.h"

#include "scree/run.h"

#include <math.h>

#define REST_OF "spheres: {count: 1, sizes: 'mono:1', place: random}\ntime: {steps: 10}\nbox: {size: [1, 1, 1]}\n"

static double stiffness_of(const char* formula)
{
    char text[512];
    scree_scene scene;
    snprintf(text, sizeof text, "parameters: {mu: 0.25, _2: -3, late: $(mu + _2), big: 1e3}\ncontact: {stiffness: %s}\n" REST_OF, formula);
    CHECK_OK(parse(text, &scene));
    const double value = scene.sim.stiffness;
    scene_free(&scene);
    return value;
}

static void arithmetic(void** state)
{
    (void)state;
    static const struct {
        const char* formula;
        double value;
    } right[] = {{"$(1 + 2 * 3)", 7.0}, {"$( (1+2)*3 )", 9.0}, {"$(2 ^ 3 ^ 2)", 512.0}, {"$(-2 ^ 2 + 5)", 1.0}, {"$(2 ^ -1)", 0.5}, {"$(10 - 4 - 3)", 3.0}, {"$(8 / 4 / 2)", 1.0}, {"$(9 ^ 0.5)", 3.0},
                 {"$(mu * 2)", 0.5}, {"$(-_2)", 3.0}, {"$(-late)", 2.75}, {"$(--mu)", 0.25}, {"$(big*1e-2)", 10.0}, {"$(1e3-1)", 999.0}, {"$(1.5e+1)", 15.0}, {"$(.5)", 0.5}, {"1$(2)5", 125.0}, {"$(0.1 + 0.2)", 0.1 + 0.2},
                 {"$(1 / 3)", 1.0 / 3.0}, {"$(((((((((((1)))))))))))", 1.0}};
    for (size_t n = 0; n < sizeof right / sizeof *right; ++n)
        CHECK_CLOSE(stiffness_of(right[n].formula), right[n].value, 0.0);
}

static void wrong_formulas(void** state)
{
    (void)state;
    static const struct {
        const char *text, *at, *says;
    } wrong[] = {{"seed: $(1 + )", "m.yaml:1:7", "number"},
                 {"seed: $(1", "m.yaml:1:7", ")"},
                 {"seed: $(1 2)", "m.yaml:1:7", "operator"},
                 {"seed: $(mu)", "m.yaml:1:7", "none"},
                 {"parameters: {nu: 1}\nseed: $(mu)", "m.yaml:2:7", "nu"},
                 {"seed: $(1 / 0)", "m.yaml:1:7", "finite"},
                 {"seed: $(-1 ^ 0.5 + (0 - 1) ^ 0.5)", "m.yaml:1:7", "finite"},
                 {"seed: $(1, 2)", "m.yaml:1:7", "operator"},
                 {"seed: $(0x10)", "m.yaml:1:7", "operator"},
                 {"seed: $(1.2.3)", "m.yaml:1:7", "number"},
                 {"seed: $((((((((((((((((((((((((((((((((((1))))))))))))))))))))))))))))))))))", "m.yaml:1:7", "parentheses"},
                 {"seed: $(2 ^ 0.5)", "m.yaml:1:7", "seed"},
                 {"parameters: [1]", "m.yaml:1:13", "map"},
                 {"parameters: {a: b}", "m.yaml:1:17", "a"},
                 {"parameters: {a: [1]}", "m.yaml:1:17", "a"},
                 {"parameters: {a: $(b), b: $(c), c: $(a)}", "m.yaml:1:35", "itself"},
                 {"parameters: {a: $(a)}", "m.yaml:1:17", "itself"},
                 {"parameters: {2a: 1}", "m.yaml:1:14", "2a"},
                 {"parameters: {a: 1, a: 2}", "m.yaml:1:20", "twice"},

                 {"include: {a: b}", "m.yaml:1:10", "name"},
                 {"include: ''", "m.yaml:1:10", "name"},
                 {"include: [[a]]", "m.yaml:1:11", "name"}};
    for (size_t n = 0; n < sizeof wrong / sizeof *wrong; ++n) {
        char text[512];
        scree_scene scene;
        snprintf(text, sizeof text, "%s\n", wrong[n].text);
        CHECK_FAILS(scene_parse("m.yaml", text, strlen(text), &scene), SCREE_ERR_FORMAT, wrong[n].at, wrong[n].says);
    }
}

// The text of a scene that was read with settings.
static char* text_with(const char* name, int32_t count, const char* const* settings)
{
    scree_scene* scene;
    char* text;
    int64_t length;
    CHECK_OK(scree_read_scene_with(in_folder(name), count, settings, &scene));
    CHECK_OK(scree_scene_text_of(scene, true, &text, &length));
    scree_scene_destroy(scene);
    return text;
}

static void check_same_scene(const char* name, int32_t count, const char* const* settings, const char* plain)
{
    put_text(in_folder("plain.yaml"), plain);
    char *one = text_with(name, count, settings), *other = text_with("plain.yaml", 0, NULL);
    assert_string_equal(one, other);
    scree_free(one);
    scree_free(other);
}

static void write_wrong(const char* text, const char* at, const char* says)
{
    scree_scene* scene;
    put_text(in_folder("m.yaml"), "include: wrong.yaml\n" REST_OF);
    put_text(in_folder("wrong.yaml"), text);
    CHECK_FAILS(scree_read_scene(in_folder("m.yaml"), &scene), SCREE_ERR_FORMAT, at, says);
}

static void included_files(void** state)
{
    (void)state;
    put_text(in_folder("base.yaml"), "parameters: {mu: 0.3, k: $(100 * mu)}\ncontact: {stiffness: $(k), restitution: 0.5}\nbox: {size: [1, 2, 3]}\nseed: 5\n");
    put_text(in_folder("other.yaml"), "include: [base.yaml]\nseed: 6\ntime: {steps: 7}\nspheres: {count: 2, sizes: 'mono:0.1', place: random}\n");
    put_text(in_folder("m.yaml"), "include: [base.yaml, other.yaml]\ncontact: {restitution: $(mu)}\nparameters: {mu: 0.5}\nspheres: {count: 3}\n");
    check_same_scene("m.yaml", 0, NULL, "contact: {stiffness: 50, restitution: 0.5}\nbox: {size: [1, 2, 3]}\nseed: 6\ntime: {steps: 7}\nspheres: {count: 3, sizes: 'mono:0.1', place: random}\n");
    scree_scene* scene;
    put_text(in_folder("m.yaml"), "include: wrong.yaml\n" REST_OF);
    put_text(in_folder("wrong.yaml"), "\ncontact: {stiffness: soft}\n");
    CHECK_FAILS(scree_read_scene(in_folder("m.yaml"), &scene), SCREE_ERR_FORMAT, "wrong.yaml:2:22", "soft");
    put_text(in_folder("wrong.yaml"), "include: nothing.yaml\n");
    CHECK_FAILS(scree_read_scene(in_folder("m.yaml"), &scene), SCREE_ERR_FORMAT, "wrong.yaml:1:10", "nothing.yaml");
    put_text(in_folder("wrong.yaml"), "include: m.yaml\n");
    CHECK_FAILS(scree_read_scene(in_folder("m.yaml"), &scene), SCREE_ERR_FORMAT, "include");
    put_text(in_folder("wrong.yaml"), "[a, b]\n");
    CHECK_FAILS(scree_read_scene(in_folder("m.yaml"), &scene), SCREE_ERR_FORMAT, "wrong.yaml:1:1", "map");
    write_wrong("seed: 1\nseed: 2\n", "wrong.yaml:2:1", "seed");
    write_wrong("contact: {friction: 0.1, friction: 0.2}\n", "wrong.yaml:1:26", "friction");
    write_wrong("spheres:\n- {count: 1, count: 2}\n", "wrong.yaml:2:14", "count");
    write_wrong("time: 5\n", "wrong.yaml:1:7", "time");
    put_text(in_folder("m.yaml"), "include: a.yaml\ninclude: b.yaml\n" REST_OF);
    CHECK_FAILS(scree_read_scene(in_folder("m.yaml"), &scene), SCREE_ERR_FORMAT, "m.yaml", "include");
    // What is found wrong after reading has its place too.
    put_text(in_folder("m.yaml"), "include: wrong.yaml\ncontact: {stiffness: 1}\ntime: {steps: 1}\nbox: {size: [1, 1, 1]}\n");
    put_text(in_folder("wrong.yaml"), "spheres:\n  file: none.csv\n");
    CHECK_OK(scree_read_scene(in_folder("m.yaml"), &scene));
    scree_sphere_set set;
    CHECK_FAILS(scree_scene_make_spheres(scene, (scree_watch){NULL, NULL}, &set), SCREE_ERR_IO, "wrong.yaml:2:9", "none.csv");
    scree_scene_destroy(scene);
}

static void settings(void** state)
{
    (void)state;
    put_text(in_folder("m.yaml"), "contact: {stiffness: 1}\nspheres:\n- {name: big, count: 1, sizes: 'mono:1', place: random}\n- {count: 2, sizes: 'mono:2', place: random}\ntime: {steps: 10}\nbox: {size: [1, 1, 1]}\n");
    static const char* const right[] = {"contact.stiffness=2", "contact.restitution=0.5", "spheres.big.count=5", "spheres.2.count=6", "time.steps=", "time.end=3", "gravity=[0, 0, -1]", "parameters.n=4", "seed=$(n + 1)"};
    check_same_scene("m.yaml", 9, right,
                     "contact: {stiffness: 2, restitution: 0.5}\nspheres:\n- {name: big, count: 5, sizes: 'mono:1', place: random}\n- {count: 6, sizes: 'mono:2', place: random}\ntime: {end: 3}\nbox: {size: [1, 1, 1]}\n"
                     "gravity: [0, 0, -1]\nseed: 5\n");
    static const char* const wrong[][2] = {{"contact", "contact"}, {"=3", "=3"}, {"contact.stiffness=soft", "contact.stiffness=soft: contact.stiffness is 'soft'"}, {"contct.a=1", "contact"}, {"contact..a=1", "contact..a"},
                                           {"spheres.3.count=1", "'3'"}, {"spheres.small.count=1", "'small'"}, {"spheres.count=1", "'count'"}, {"contact.stiffness.a=1", "'a'"}, {"gravity=[0", "gravity=[0"}, {"time.end=", "time.end"},
                                           {"time.end=3", "time.steps"}};
    for (size_t n = 0; n < sizeof wrong / sizeof *wrong; ++n) {
        scree_scene* scene;
        CHECK_FAILS(scree_read_scene_with(in_folder("m.yaml"), 1, wrong[n], &scene), SCREE_ERR_FORMAT, wrong[n][1]);
    }
    put_text(in_folder("m.yaml"), "contact: {stiffness: 1}\n" REST_OF);  // a map counts as its entry 1
    static const char* const first[] = {"spheres.1.count=4"};
    check_same_scene("m.yaml", 1, first, "contact: {stiffness: 1}\nspheres: {count: 4, sizes: 'mono:1', place: random}\ntime: {steps: 10}\nbox: {size: [1, 1, 1]}\n");
}

static void without_memory(void** state)
{
    (void)state;
    static const char* const with[] = {"contact.restitution=0.5", "gravity=[0, 0, $(2 * mu)]"};
    scree_scene* scene = NULL;
    put_text(in_folder("base.yaml"), "contact: {stiffness: $(mu)}\n");
    put_text(in_folder("m.yaml"), "include: base.yaml\nparameters: {mu: 3}\n" REST_OF);
    EACH_ALLOCATION_FAILS(scree_read_scene_with(in_folder("m.yaml"), 2, with, &scene), assert_null(scene));
    scree_scene_destroy(scene);
}

static const test_case cases[] = {
    UNIT(arithmetic), UNIT(wrong_formulas), UNIT(included_files), UNIT(settings), ALLOCATION(without_memory),
};

const test_group group_scene_vary = {.name = "scene_vary", .cases = cases, .count = sizeof cases / sizeof *cases, .begin = make_folder, .end = remove_folder, .before_each = start_clean};
