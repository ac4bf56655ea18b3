// Bonds in scenes and runs: made by gaps and files, kept over a resume, listed when they break.
#include "run_support.h"

static const char bar[] = "dimension: 2\n"
                          "box: {size: [14, 8]}\n"
                          "walls: {x: [0, -0.7]}\n"
                          "materials: {rock: {material_density: 1}, steel: {material_density: 2}}\n"
                          "spheres:\n"
                          "- {name: bar, count: 40, sizes: \"mono:0.5\", place: lattice, spacing: 1.02, material: rock}\n"
                          "contact: {stiffness: 200, restitution: 0.7, friction: 0.3}\n"
                          "bonds:\n"
                          "- {gap: 0.05, between: [rock, rock], young: 100, damping: 0.1, tensile_strength: 0.4, shear_strength: 0.8, friction: 0.2}\n"
                          "- {file: \"%s\", young: 50, radius: 0.5}\n"
                          "time: {steps: 1500}\n"
                          "output: {every_steps: 500, log_every_steps: 100, contacts: true, formats: [vtp]}\n"
                          "checkpoint: {every: 250}\n";

static scree_run* begin_bar(const char* name, int64_t steps)
{
    char text[2048];
    snprintf(text, sizeof text, bar, in_folder("far.csv"));
    scree_scene scene;
    scree_run_def def = scree_default_run_def();
    scree_run* run;
    CHECK_OK(scene_parse("bar.yaml", text, strlen(text), &scene));
    scene.steps = steps;
    CHECK_OK(scree_run_create(&def, &scene, in_folder(name), &run));
    scene_free(&scene);
    CHECK_OK(scree_run_go(run));
    return run;
}

// In one go, and in two parts: the same hash, bonds that broke, and files.
static void a_run_with_bonds_goes_on_as_if_never_stopped(void** state)
{
    (void)state;
    put_text(in_folder("far.csv"), "j,i\n0,5\n3,17\n");
    scree_run* run = begin_bar("whole", 1500);
    scree_sim_report report;
    CHECK_OK(scree_run_measure(run, &report));
    uint64_t hash = scree_run_hash(run);
    int64_t bonds_broken = report.bonds_broken;
    if (!(report.bonds > 2 && report.bonds_broken > 5))
        fail_msg("%d bonds, %d broken", (int)report.bonds, (int)report.bonds_broken);
    scree_sim_bonds bonds;
    CHECK_OK(scree_sim_get_bonds(scree_run_get_sim(run), &bonds));
    int listed = 0;
    for (int64_t b = 0; b < bonds.count; ++b)
        listed += bonds.kind[b] == 1;
    assert_true(listed == 2);
    scree_run_destroy(run);
    run = begin_bar("parts", 1100);
    CHECK_OK(scree_run_measure(run, &report));
    assert_true(report.bonds_broken > 0 && report.bonds_broken < bonds_broken);
    scree_run_destroy(run);
    put_text(in_folder("far.csv"), "i,j\n1,2\n");  // what was bonded stays so
    scree_run_def def = scree_default_run_def();
    def.until_steps = 1500;
    CHECK_OK(scree_run_resume(&def, in_folder("parts"), &run));
    CHECK_OK(scree_run_go(run));
    assert_true(scree_run_hash(run) == hash);
    scree_run_destroy(run);
    check_same_file("broken.csv", "whole", "parts");
    check_same_file("bonds/bonds_000003.vtp", "whole", "parts");
    check_same_file("frames/frame_000003.vtp", "whole", "parts");
    char* broken = get_file(in_folder("whole/broken.csv"), NULL);
    int64_t rows = -1;
    for (const char* at = broken; *at != '\0'; ++at)
        rows += *at == '\n';
    free(broken);
    assert_true(rows == bonds_broken);
}

static void scenes_with_wrong_bonds_are_refused(void** state)
{
    (void)state;
    static const struct {
        const char *bonds, *part, *more;
    } wrong[] = {{"- {gap: 0.1}", "young", "10:"},
                 {"- {young: 1}", "gap", "file"},
                 {"- {young: 1, gap: 0.1, file: a.csv}", "gap", "file"},
                 {"- {young: 1, file: a.csv, between: [rock, rock]}", "between", "gap"},
                 {"- {young: 1, gap: 0.1, between: [rock, mud]}", "mud", "rock"},
                 {"- {young: 1, gap: 0.1, friction: 0.3}", "friction", "shear_strength"},
                 {"- {young: -1, gap: 0.1}", "young", "-1"},
                 {"- {young: 1, gap: 0.1, damping: 2}", "damping", "2"},
                 {"- {young: 1, gap: 0.1, strength: 2}", "strength", "10:"}};
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; ++k) {
        char text[1024];
        scree_scene scene;
        snprintf(text, sizeof text, "dimension: 2\nbox: {size: [14, 8]}\nmaterials: {rock: {material_density: 1}}\nspheres:\n- {count: 4, sizes: \"mono:0.5\", material: rock}\n"
                                    "contact: {stiffness: 200}\ntime: {steps: 3}\n\nbonds:\n%s\n", wrong[k].bonds);
        CHECK_FAILS(scene_parse("wrong.yaml", text, strlen(text), &scene), SCREE_ERR_FORMAT, "wrong.yaml", wrong[k].part, wrong[k].more);
    }
    static const char* const files[][2] = {{"", "far.csv:1"}, {"i,k\n0,1\n", "'j'"}, {"i,j\n0,1\n0,99\n", "far.csv:3"}, {"i,j\n2,2\n", "far.csv:2"}, {"i,j\n0,1\n1,0\n", ": bonds: bond 1"}};
    for (size_t k = 0; k < sizeof files / sizeof *files; ++k) {
        char text[2048];
        scree_scene scene;
        scree_run_def def = scree_default_run_def();
        scree_run* run;
        put_text(in_folder("far.csv"), files[k][0]);
        snprintf(text, sizeof text, bar, in_folder("far.csv"));
        CHECK_OK(scene_parse("bar.yaml", text, strlen(text), &scene));
        scree_status status = scree_run_create(&def, &scene, in_folder("refused"), &run);
        if (status == SCREE_OK || strstr(scree_error_message(), files[k][1]) == NULL)
            fail_msg("file %d: status %d, \"%s\"", (int)k, (int)status, scree_error_message());
        scene_free(&scene);
    }
}

static const test_case cases[] = {
    SAME_BITS(a_run_with_bonds_goes_on_as_if_never_stopped),
    UNIT(scenes_with_wrong_bonds_are_refused),
};

const test_group group_run_bonds = {.name = "run_bonds", .cases = cases, .count = sizeof cases / sizeof *cases, .begin = make_folder, .end = remove_folder, .before_each = start_clean};
