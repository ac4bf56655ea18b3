// Surfaces in scenes and runs: read, written back, refused with their place, in the log, and kept over a process that
// is killed.
#include "run_support.h"

#include "scree/checkpoint.h"

#include <math.h>

// A funnel over a plate that turns, with a paddle of triangles between them. The paddle's file is in millimetres.
static const char hopper[] = "box: {size: [0.4, 0.4, 0.6], origin: [-0.2, -0.2, -0.3]}\n"
                             "gravity: [0, 0, -9.81]\n"
                             "materials: {glass: {material_density: 2500}, steel: {material_density: 7800}}\n"
                             "contact: {stiffness: 2000, friction: 0.3, rolling_friction: 0.02}\n"
                             "pairs:\n"
                             "- {between: [glass, glass], restitution: 0.7}\n"
                             "- {between: [glass, steel], restitution: 0.6, friction: 0.2}\n"
                             "walls: {material: steel}\n"
                             "spheres: {count: 60, sizes: \"uniform-size:0.012:0.018\", place: random, material: glass}\n"
                             "surfaces:\n"
                             "- {name: funnel, cone: {from: [0, 0, -0.1], to: [0, 0, 0.3], radius_from: 0.05, radius_to: 0.35, inside: true}, material: steel}\n"
                             "- {name: paddle, mesh: paddle.stl, scale: 0.001, material: steel, spin: [0, 0.5, 20], about: [0, 0, 0.01], velocity: [0, 0, 0.05]}\n"
                             "- {disc: {at: [0, 0, -0.2], normal: [0, 0, 1], radius: 0.15, hole: 0.01}, material: steel, spin: [0, 0, 5]}\n"
                             "time: {steps: 1500}\n"
                             "output: {every_steps: 500, log_every_steps: 100, contacts: true, formats: [vtp]}\n"
                             "checkpoint: {every: 300}\n";

static void put_paddle(void)
{
    scree_triangles t;
    CHECK_OK(scree_triangles_make(8, &t));
    for (int k = 0; k < 4; ++k) {
        double x = -60.0 + 30.0 * k, p[4][3] = {{x, 0, 60}, {x + 30.0, 0, 60}, {x + 30.0, 0, 160}, {x, 0, 160}};
        static const int order[6] = {0, 1, 2, 0, 2, 3};
        for (int c = 0; c < 6; ++c)
            memcpy(t.xyz + 18 * k + 3 * c, p[order[c]], sizeof *p);
    }
    CHECK_OK(scree_write_triangles(in_folder("paddle.stl"), NULL, &t));
    scree_triangles_free(&t);
}

static void surfaces_are_read_and_written(void** state)
{
    (void)state;
    put_paddle();
    scree_scene scene = scene_of(hopper), again;
    assert_int_equal(scene.surface_count, 3);
    const scree_scene_surface* s = scene.surfaces;
    scree_exact exact;
    assert_true(scree_scene_surface_shape(&s[0], 3, &exact));
    assert_true(exact.kind == SCREE_EXACT_CONE && exact.radius[0] == 0.05 && exact.radius[1] == 0.35 && exact.inside && exact.at[2] == -0.1);
    CHECK_CLOSE(exact.length, 0.4, 1e-15);
    assert_false(scree_scene_surface_shape(&s[1], 3, &exact));
    assert_true(s[1].scale == 0.001 && s[1].spin[2] == 20.0 && s[1].about[2] == 0.01 && s[1].velocity[2] == 0.05 && s[1].material == 1);
    assert_true(s[2].has_disc && s[2].name == NULL && s[2].exact.radius[1] == 0.01);
    CHECK_OK(scree_write_scene(in_folder("again.yaml"), &scene));
    CHECK_OK(scene_read(in_folder("again.yaml"), &again));
    CHECK_OK(scree_write_scene(in_folder("third.yaml"), &again));
    size_t size[2];
    char *a = get_file(in_folder("again.yaml"), &size[0]), *b = get_file(in_folder("third.yaml"), &size[1]);
    assert_true(size[0] == size[1] && memcmp(a, b, size[0]) == 0);
    assert_non_null(strstr(a, "paddle.stl"));
    free(a);
    free(b);
    scree_scene_shapes shapes;
    CHECK_OK(scree_scene_make_shapes(&again, &shapes));
    assert_true(shapes.count == 3 && shapes.surfaces[0] == NULL && shapes.surfaces[1] != NULL && shapes.boundaries[2].exact == &shapes.exact[2]);
    scree_surface_report report = scree_surface_get_report(shapes.surfaces[1]);
    assert_int_equal(report.triangles, 8);
    CHECK_CLOSE(report.upper[2], 0.16, 1e-9);
    scree_scene_shapes_free(&shapes);
    scene_free(&scene);
    scene_free(&again);
}

static void surfaces_are_refused_with_their_place(void** state)
{
    (void)state;
    static const char rest[] = "box: {size: [1, 1, 1]}\nspheres: {count: 1, sizes: 'mono:0.1', place: random}\ncontact: {stiffness: 1000}\ntime: {steps: 1}\n";
    static const char two[] = "dimension: 2\nbox: {size: [1, 1]}\nspheres: {count: 1, sizes: 'mono:0.1', place: random}\ncontact: {stiffness: 1000}\ntime: {steps: 1}\n";
    static const struct {
        const char *surface, *parts;
        bool flat;
    } cases[] = {
        {"- {}", "a.yaml:6:3 | 0 shapes", false},
        {"- {plane: {normal: [0, 0, 1]}, sphere: {radius: 1}}", "a.yaml:6:32 | surfaces.sphere | surfaces.plane", false},
        {"- {plane: {at: [0, 0, 1]}}", "a.yaml:6:3 | surfaces.plane.normal", false},
        {"- {plane: {normal: [0, 0, 0]}}", "a.yaml:6:12 | surfaces.plane.normal | 0", false},
        {"- {cylinder: {radius: 1}}", "a.yaml:6:3 | surfaces.cylinder.to", false},
        {"- {cylinder: {radius: 1, to: [1, 0, 0], axis: [1, 0, 0]}}", "a.yaml:6:41 | axis", false},
        {"- {cylinder: {to: [1, 0, 0]}}", "a.yaml:6:3 | surfaces.cylinder.radius", false},
        {"- {cone: {radius_from: 1, radius_to: 2}}", "a.yaml:6:3 | surfaces.cone.to", false},
        {"- {cone: {to: [0, 0, 1]}}", "a.yaml:6:3 | both radii", false},
        {"- {disc: {normal: [0, 0, 1], radius: 1, hole: 2}}", "a.yaml:6:3 | hole | 2 | 1", false},
        {"- {sphere: {radius: -1}}", "a.yaml:6:21 | surfaces.sphere.radius | '-1'", false},
        {"- {sphere: {radius: 1}, scale: 2}", "a.yaml:6:25 | surfaces.scale", false},
        {"- {mesh: a.stl, merge_angle: 2}", "a.yaml:6:17 | merge_angle | 0.3", false},
        {"- {sphere: {radius: 1}, turn: 2}", "a.yaml:6:25 | 'turn' | surfaces", false},
        {"- {sphere: {radius: 1}, material: steel}", "a.yaml:6:25 | surfaces.material", false},
        {"- {name: a, sphere: {radius: 1}}\n- {name: a, sphere: {radius: 2}}", "a.yaml:7:10 | surfaces.name | 1 | a", false},
        {"- {mesh: a.stl}", "a.yaml:7:3 | two dimensions", true},
        {"- {plane: {normal: [0, 0, 1]}}", "a.yaml:7:20 | surfaces.plane.normal | 3 | 2", true},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
        char text[1024];
        scree_scene scene;
        snprintf(text, sizeof text, "%ssurfaces:\n%s\n", cases[k].flat ? two : rest, cases[k].surface);
        scree_status status = scene_parse("a.yaml", text, strlen(text), &scene);
        if (status != SCREE_ERR_FORMAT || !message_names(cases[k].parts))
            fail_msg("%s gives %d: %s\n wanted: %s", cases[k].surface, (int)status, scree_error_message(), cases[k].parts);
    }
    // What shows when a run begins.
    static const struct {
        const char *text, *parts;
        scree_status status;
    } later[] = {
        {"surfaces: [{mesh: none.stl}]\n", "scene.yaml:5:19 | surfaces.mesh | none.stl", SCREE_ERR_IO},
        {"surfaces: [{plane: {normal: [0, 0, 1], at: [0, 0, 0.5]}, spin: [1, 0, 0]}]\n", "scene.yaml:5:12 | 1 0 0 | normal", SCREE_ERR_ARGUMENT},
        {"surfaces: [{sphere: {at: [0.5, 0.5, 0.5], radius: 0.01}, velocity: [.inf, 0, 0]}]\n", "scene.yaml:5", SCREE_ERR_FORMAT},
    };
    for (size_t k = 0; k < sizeof later / sizeof *later; ++k) {
        char text[1024];
        scree_scene scene = {0};
        scree_run_def def = scree_default_run_def();
        scree_run* run = NULL;
        snprintf(text, sizeof text, "%s%s", rest, later[k].text);
        put_text(in_folder("scene.yaml"), text);
        scree_status status = scene_read(in_folder("scene.yaml"), &scene);
        if (status == SCREE_OK)
            status = scree_run_create(&def, &scene, in_folder("refused"), &run);
        if (status != later[k].status || !message_names(later[k].parts))
            fail_msg("%s gives %d: %s\n wanted: %s", later[k].text, (int)status, scree_error_message(), later[k].parts);
        scree_run_destroy(run);
        scene_free(&scene);
    }
}

// Two materials that can meet by a surface alone need their parameters, and the surface its material.
static void surfaces_count_for_pairs(void** state)
{
    (void)state;
    static const char text[] = "box: {size: [1, 1, 1], periodic: [x, y, z]}\nmaterials: {a: {material_density: 1}, b: {material_density: 1}}\nspheres: {count: 1, sizes: 'mono:0.1', place: random, material: a}\n"
                               "contact: {stiffness: 1000}\npairs: [{between: [a, a], friction: 0.5}]\ntime: {steps: 1}\nsurfaces: [{plane: {normal: [0, 0, 1]}%s}]\n";
    char with[1024];
    scree_scene scene;
    snprintf(with, sizeof with, text, ", material: b");
    CHECK_FAILS(scene_parse("a.yaml", with, strlen(with), &scene), SCREE_ERR_FORMAT, "a.yaml:5", "a and b", "friction");
    snprintf(with, sizeof with, text, ", material: a");
    CHECK_OK(scene_parse("a.yaml", with, strlen(with), &scene));
    scene_free(&scene);
    snprintf(with, sizeof with, text, "");
    CHECK_FAILS(scene_parse("a.yaml", with, strlen(with), &scene), SCREE_ERR_FORMAT, "a.yaml:7", "surfaces.material");
}

static void a_killed_run_goes_on_with_its_surfaces(void** state)
{
    (void)state;
    scree_run_def def = scree_default_run_def();
    put_paddle();
    scree_scene scene = scene_of(hopper);
    scree_run* run;
    CHECK_OK(scree_run_create(&def, &scene, in_folder("whole"), &run));
    CHECK_OK(scree_run_go(run));
    uint64_t hash = scree_run_hash(run);
    double scene_step = scree_sim_get_numbers(scree_run_get_sim(run)).time_step;
    scree_sim_boundary_report load[9];
    assert_int_equal(scree_run_get_boundaries(run, load, 9), 9);
    assert_string_equal(load[6].name, "funnel");
    assert_string_equal(load[7].name, "paddle");
    assert_string_equal(load[8].name, "disc 8");
    assert_true(load[6].contacts + load[7].contacts + load[8].contacts > 1);
    CHECK_OK(scree_run_write_report(run));
    scree_run_destroy(run);
    run_until_killed(&scene, "killed", 400);
    CHECK_OK(scree_run_resume(&def, in_folder("killed"), &run));
    assert_true(scree_sim_get_step(scree_run_get_sim(run)) >= 300 && scree_sim_get_step(scree_run_get_sim(run)) < 1500);
    CHECK_OK(scree_run_go(run));
    assert_true(scree_run_hash(run) == hash);
    scree_run_destroy(run);
    for (int frame = 0; frame < 4; ++frame) {
        char name[64];
        snprintf(name, sizeof name, "frames/frame_%06d.vtp", frame);
        check_same_file(name, "whole", "killed");
        snprintf(name, sizeof name, "contacts/contacts_%06d.csv", frame);
        check_same_file(name, "whole", "killed");
        snprintf(name, sizeof name, "surfaces/surfaces_%06d.vtp", frame);
        check_same_file(name, "whole", "killed");
    }
    check_same_file("surfaces.pvd", "whole", "killed");
    // The paddle as it stands in the last frame: turned from where its file has it.
    scree_triangles shown;
    CHECK_OK(scree_read_triangles(in_folder("whole/surfaces/surfaces_000003.vtp"), NULL, &shown));
    assert_int_equal(shown.count, 2 * 48 + 8 + 2 * 48);
    double turn[3][3], from[3] = {-0.06, 0.0, 0.06}, time = 1500 * scene_step;
    CHECK_OK(scree_placement_turn(scene.surfaces[1].spin, sqrt(0.25 + 400.0) * time, turn));
    for (int k = 0; k < 3; ++k) {
        double wanted = scene.surfaces[1].about[k] + scene.surfaces[1].velocity[k] * time;
        for (int l = 0; l < 3; ++l)
            wanted += turn[k][l] * (from[l] - scene.surfaces[1].about[l]);
        CHECK_CLOSE(shown.xyz[9 * 96 + k], wanted, 1e-8);
    }
    scree_triangles_free(&shown);
    char* log = get_file(in_folder("whole/log.csv"), NULL);
    assert_non_null(strstr(log, ",force_funnel_x,force_funnel_y,force_funnel_z,torque_funnel_x,torque_funnel_y,torque_funnel_z,power_funnel,force_paddle_x"));
    assert_non_null(strstr(log, ",power_paddle,force_disc_8_x"));
    free(log);
    scene_free(&scene);
}

static void put_cube(const char* name, double low, double high, bool inwards)
{
    static const int corner[12][3] = {{0, 2, 3}, {0, 3, 1}, {4, 5, 7}, {4, 7, 6}, {0, 1, 5}, {0, 5, 4}, {2, 6, 7}, {2, 7, 3}, {0, 4, 6}, {0, 6, 2}, {1, 3, 7}, {1, 7, 5}};
    scree_triangles t;
    CHECK_OK(scree_triangles_make(12, &t));
    for (int n = 0; n < 12; ++n)
        for (int c = 0; c < 3; ++c)
            for (int k = 0; k < 3; ++k)
                t.xyz[9 * n + 3 * c + k] = corner[n][inwards ? 2 - c : c] >> k & 1 ? high : low;
    CHECK_OK(scree_write_triangles(in_folder(name), NULL, &t));
    scree_triangles_free(&t);
}

// A closed mesh with its front outwards is a solid: no sphere is placed in it, nor touching it, by either way of
// placing. An exact sphere is a sheet with two sides: none touches it.
static void spheres_are_placed_outside_solids(void** state)
{
    (void)state;
    static const double low = 0.25, high = 0.75;  // the cube; the rest of the box holds the spheres
    put_cube("cube.stl", low, high, false);
    static const char* const solids[] = {"mesh: cube.stl", "sphere: {at: [0.5, 0.5, 0.5], radius: 0.4}"};
    static const char* const places[] = {"place: random", "place: random, region: {lower: [0, 0, 0], upper: [1, 1, 1]}"};
    enum { many = 300 };
    for (int way = 0; way < 4; ++way) {
        char text[512];
        snprintf(text, sizeof text, "box: {size: [1, 1, 1]}\nspheres: {count: %d, sizes: \"mono:0.03\", %s}\nsurfaces:\n- {%s}\ncontact: {stiffness: 1000}\ntime: {steps: 1}\n", many,
                 places[way % 2], solids[way / 2]);
        scree_run_def def = scree_default_run_def();
        scree_scene scene = scene_of(text);
        scree_run* run;
        double x[many][3];
        CHECK_OK(scree_run_create(&def, &scene, NULL, &run));
        CHECK_OK(scree_sim_get_column(scree_run_get_sim(run), "x", x));
        for (int i = 0; i < many; ++i) {
            double cube = 0.0, ball = 0.0;  // squares of the distance to the cube, and to the middle
            for (int k = 0; k < 3; ++k) {
                double away = fmax(fmax(low - x[i][k], x[i][k] - high), 0.0);
                cube += away * away;
                ball += (x[i][k] - 0.5) * (x[i][k] - 0.5);
            }
            if (way < 2 ? cube < 0.03 * 0.03 : fabs(sqrt(ball) - 0.4) < 0.03)
                fail_msg("%s, %s: sphere %d at (%g, %g, %g) is in it or touches it", solids[way / 2], places[way % 2], i, x[i][0], x[i][1], x[i][2]);
        }
        scree_run_destroy(run);
        scene_free(&scene);
    }
}

// A closed mesh that is the region of spheres holds them, whichever way its front is. With another scale it is not the
// region, and stays a solid.
static void a_region_is_no_solid(void** state)
{
    (void)state;
    for (int way = 0; way < 3; ++way) {  // front outwards, front inwards; a region that is larger than the solid
        put_cube("vessel.stl", 250.0, 750.0, way == 1);
        enum { many = 40 };
        double scale = way == 2 ? 0.0011 : 0.0008, inner[2] = {0.0008 * 250.0, 0.0008 * 750.0}, outer[2] = {scale * 250.0, scale * 750.0};
        char text[512];
        snprintf(text, sizeof text, "box: {size: [1, 1, 1]}\nspheres: {count: %d, sizes: \"mono:0.03\", place: random, region: {mesh: vessel.stl, scale: %g}}\nsurfaces:\n"
                                    "- {mesh: vessel.stl, scale: 8e-4}\ncontact: {stiffness: 1000}\ntime: {steps: 1}\n", (int)many, scale);
        scree_run_def def = scree_default_run_def();
        scree_scene scene = scene_of(text);
        scree_run* run;
        double x[many][3];
        CHECK_OK(scree_run_create(&def, &scene, NULL, &run));
        CHECK_OK(scree_sim_get_column(scree_run_get_sim(run), "x", x));
        for (int i = 0; i < many; ++i) {
            bool clear = false;  // of the solid
            for (int k = 0; k < 3; ++k) {
                assert_true(x[i][k] > outer[0] + 0.0299 && x[i][k] < outer[1] - 0.0299);
                clear = clear || x[i][k] < inner[0] || x[i][k] > inner[1];
            }
            assert_true(way < 2 || clear);
        }
        scree_run_destroy(run);
        scene_free(&scene);
    }
    scree_scene scene;
    put_text(in_folder("wrong.yaml"), "box: {size: [1, 1, 1]}\nspheres: {count: 1, sizes: \"mono:0.03\", place: random, region: {at: [0.5, 0.5, 0.5], radius: 0.2, scale: 2}}\n"
                                      "contact: {stiffness: 1000}\ntime: {steps: 1}\n");
    CHECK_FAILS(scene_read(in_folder("wrong.yaml"), &scene), SCREE_ERR_FORMAT, "wrong.yaml:2:64 | spheres.region");
}

// Triangles that are left out are reported with their numbers.
static void triangles_left_out_are_named(void** state)
{
    (void)state;
    static const double p[5][3] = {{0, 0, 0.1}, {1, 0, 0.1}, {1, 1, 0.1}, {0, 1, 0.1}, {0.5, 0, 0.1}};
    static const int corners[8][3] = {{0, 1, 2}, {0, 2, 3}, {0, 4, 1}, {1, 1, 2}, {2, 0, 1}, {0, 0, 0}, {3, 3, 0}, {2, 2, 3}};
    scree_triangles t;
    CHECK_OK(scree_triangles_make(8, &t));
    for (int c = 0; c < 24; ++c)
        memcpy(t.xyz + 3 * c, p[corners[c / 3][c % 3]], sizeof p[0]);
    CHECK_OK(scree_write_triangles(in_folder("floor.stl"), NULL, &t));
    scree_triangles_free(&t);
    scree_scene scene = scene_of("box: {size: [1, 1, 1]}\ncontact: {stiffness: 1000, restitution: 1}\nspheres: {count: 1, sizes: 'mono:0.1', place: random, material_density: 1, region: {at: [0.5, 0.5, 0.5], radius: 0.2}}\n"
                                 "surfaces:\n- {name: floor, mesh: floor.stl}\ntime: {steps: 1}\n");
    scree_run_def def = scree_default_run_def();
    scree_run* run = NULL;
    CHECK_OK(scree_run_create(&def, &scene, NULL, &run));
    assert_string_equal(scree_run_get_note(run), "surface floor: left out 5 triangles without area (number 2, 3, 5 and 2 more); left out 1 triangle there already (number 4 as 0)");
    scree_run_destroy(run);
    scene_free(&scene);
}

static void write_mesh(const char* name, int triangles, const double (*corner)[3])
{
    scree_triangles t;
    CHECK_OK(scree_triangles_make(triangles, &t));
    memcpy(t.xyz, corner, (size_t)(9 * triangles) * sizeof *t.xyz);
    CHECK_OK(scree_write_triangles(in_folder(name), NULL, &t));
    scree_triangles_free(&t);
}

// Edges that were split, open edges beside a triangle, triangles on another one: a note for each mesh, with how many.
// Of a mesh without faults nothing.
static void faults_of_meshes_are_named(void** state)
{
    (void)state;
    static const double split[9][3] = {{0.1, 0.1, 0.1}, {0.5, 0.1, 0.1}, {0.3, 0.4, 0.1}, {0.1, 0.1, 0.1}, {0.3, 0.02, 0.1}, {0.3, 0.1 + 1.5e-8, 0.1}, {0.3, 0.02, 0.1}, {0.5, 0.1, 0.1}, {0.3, 0.1 + 1.5e-8, 0.1}};
    static const double crack[6][3] = {{0.5, 0.5, 0.1}, {0.7, 0.5, 0.1}, {0.5, 0.7, 0.1}, {0.50005, 0.49995, 0.1}, {0.6, 0.3, 0.1}, {0.70005, 0.49995, 0.1}};
    static const double overlap[6][3] = {{0.5, 0.1, 0.1}, {0.9, 0.1, 0.1}, {0.7, 0.4, 0.1}, {0.56, 0.13, 0.1}, {0.88, 0.13, 0.1}, {0.7, 0.45, 0.1}};
    write_mesh("split.stl", 3, split);
    write_mesh("crack.stl", 2, crack);
    write_mesh("overlap.stl", 2, overlap);
    write_mesh("whole.stl", 1, overlap);
    scree_scene scene = scene_of("box: {size: [1, 1, 1]}\ncontact: {stiffness: 1000}\nspheres: {count: 1, sizes: 'mono:0.1', place: random, material_density: 1, region: {at: [0.5, 0.5, 0.5], radius: 0.2}}\n"
                                 "surfaces:\n- {name: a, mesh: split.stl}\n- {name: b, mesh: crack.stl}\n- {name: c, mesh: overlap.stl}\n- {name: d, mesh: whole.stl}\ntime: {steps: 1}\n");
    scree_run_def def = scree_default_run_def();
    scree_run* run = NULL;
    CHECK_OK(scree_run_create(&def, &scene, NULL, &run));
    const char *note = scree_run_get_note(run), *a = strstr(note, "surface a:"), *b = strstr(note, "surface b:"), *c = strstr(note, "surface c:");
    assert_true(a != NULL && b > a && c > b && strstr(note, "surface d:") == NULL);
    const char *vertex = strstr(a, "split at 1 vertex"), *away = strstr(a, "at most "), *beside = strstr(b, "open edges beside"), *on = strstr(c, "triangles on another");
    assert_true(vertex != NULL && vertex < b && away != NULL && away < b && beside != NULL && beside < c && on != NULL);
    const double far = strtod(away + strlen("at most "), NULL);  // as the file rounds it
    assert_true(far > 0.0 && far < 3e-8);
    assert_int_equal(strtol(strchr(beside, ':') + 1, NULL, 10), 2);
    assert_int_equal(strtol(strchr(on, ':') + 1, NULL, 10), 2);
    scree_run_destroy(run);
    scene_free(&scene);
}

// A run that begins from another one keeps the springs at exact shapes that are at rest in both, and says how many at
// others begin anew: of meshes, of shapes that move or are elsewhere. Without surfaces there are none.
static void springs_at_surfaces_are_taken_over(void** state)
{
    (void)state;
    static const char rest[] = "box: {size: [1, 1, 1]}\ngravity: [0, 0.5, -9.81]\ncontact: {stiffness: 2000, restitution: 0.5, friction: 0.5}\n"
                               "spheres: {count: 20, sizes: 'mono:0.04', place: random, material_density: 2500, region: {lower: [0.05, 0.05, 0.15], upper: [0.95, 0.95, 0.3]}}\n"
                               "surfaces:\n- {name: half, mesh: half.stl}\n- {name: floor, disc: {at: [0.75, 0.5, 0.1], normal: [0, 0, 1], radius: 0.6}}\ntime: {steps: 3000, step: 2e-4}\n";
    static const double half[6][3] = {{0, 0, 0.1}, {0.1, 0, 0.1}, {0.1, 1, 0.1}, {0, 0, 0.1}, {0.1, 1, 0.1}, {0, 1, 0.1}};
    static const struct {
        const char* surfaces;
        bool disc, note;  // whether springs at the disc are taken over; whether some begin anew
    } cases[] = {{"", false, false},
                 {"surfaces:\n- {mesh: half.stl}\n- {disc: {at: [0.75, 0.5, 0.1], normal: [0, 0, 1], radius: 0.6}}\n", true, true},
                 {"surfaces:\n- {disc: {at: [0.75, 0.5, 0.1], normal: [0, 0, 1], radius: 0.6}}\n", true, true},
                 {"surfaces:\n- {disc: {at: [0.75, 0.5, 0.1], normal: [0, 0, 1], radius: 0.6}, velocity: [0.1, 0, 0]}\n", false, true},
                 {"surfaces:\n- {disc: {at: [0.75, 0.5, 0.0999], normal: [0, 0, 1], radius: 0.6}}\n", false, true}};
    write_mesh("half.stl", 2, half);
    scree_scene scene = scene_of(rest);
    scree_run_def def = scree_default_run_def();
    scree_run* run;
    CHECK_OK(scree_run_create(&def, &scene, in_folder("first"), &run));
    CHECK_OK(scree_run_go(run));
    scree_run_destroy(run);
    scree_checkpoint saved, next;
    CHECK_OK(scree_read_checkpoint(in_folder("first/checkpoint_000000003000.npz"), &saved));
    int64_t at_surfaces = 0, at_mesh = 0;
    for (int64_t c = 0; c < saved.memory.count; ++c) {
        at_surfaces += saved.memory.feature[c] >= 0;
        at_mesh += saved.memory.ij[c][1] == -7;
    }
    assert_true(at_mesh > 0 && at_surfaces > at_mesh + 5);
    for (size_t n = 0; n < sizeof cases / sizeof *cases; ++n) {
        char text[512];
        snprintf(text, sizeof text, "start: {run: first}\ngravity: [0, 0.5, -9.81]\ncontact: {stiffness: 2000, restitution: 0.5, friction: 0.5}\n%stime: {steps: 1, step: 1e-9}\n", cases[n].surfaces);
        scree_scene from = scene_of(text);
        char into[16], last[64];
        snprintf(into, sizeof into, "next%d", (int)n);
        snprintf(last, sizeof last, "%s/checkpoint_000000000001.npz", into);
        CHECK_OK(scree_run_create(&def, &from, in_folder(into), &run));
        const char* note = strstr(scree_run_get_note(run), "contacts with surfaces");
        assert_int_equal(note != NULL, cases[n].note);
        CHECK_OK(scree_run_go(run));
        scree_run_destroy(run);
        CHECK_OK(scree_read_checkpoint(in_folder(last), &next));
        int64_t same = 0, same_mesh = 0;  // springs that are stretched as before
        for (int64_t c = 0; c < next.memory.count && next.memory.featured; ++c)
            for (int64_t d = 0; d < saved.memory.count && next.memory.feature[c] >= 0; ++d) {
                const double now = next.memory.values[c * next.memory.words + 1], before = saved.memory.values[d * saved.memory.words + 1];
                if (saved.memory.ij[d][0] != next.memory.ij[c][0] || saved.memory.feature[d] < 0 || !(fabs(before) > 1e-3) || !(fabs(now - before) < 1e-6))
                    continue;
                ++*(saved.memory.ij[d][1] == -7 ? &same_mesh : &same);
            }
        assert_int_equal(same_mesh, 0);
        assert_int_equal(same > 5, cases[n].disc);
        scree_checkpoint_free(&next);
        scene_free(&from);
    }
    scree_checkpoint_free(&saved);
    scene_free(&scene);
}

// A scene may begin from a run of version 0.2, whose checkpoint has keys that have gone and contacts with features that
// are others now: these contacts begin anew, and a note says so.
static void a_run_of_an_earlier_version_is_gone_on_with(void** state)
{
    (void)state;
    scree_run_def def = scree_default_run_def();
    put_paddle();
    scree_scene scene = scene_of(hopper), next = scene_of("start: {run: old}\nsurfaces:\n- {name: paddle, mesh: paddle.stl, scale: 0.001, material: steel}\ntime: {steps: 20}\n");
    scree_run* run;
    scree_checkpoint saved;
    CHECK_OK(scree_run_create(&def, &scene, in_folder("old"), &run));
    CHECK_OK(scree_run_go(run));
    scree_run_destroy(run);
    CHECK_OK(scree_read_checkpoint(in_folder("old/checkpoint_000000001500.npz"), &saved));
    static const char line[] = "    merge_angle: 2.5\n";
    const char* mesh = strstr(saved.scene, "mesh: ");
    assert_non_null(mesh);
    const int64_t at = strchr(mesh, '\n') + 1 - saved.scene, size = (int64_t)sizeof line - 1;
    char *before = saved.scene, *after = malloc((size_t)(saved.scene_length + size + 1));
    memcpy(after, before, (size_t)at);
    memcpy(after + at, line, (size_t)size);
    memcpy(after + at + size, before + at, (size_t)(saved.scene_length - at + 1));
    saved.scene = after;
    saved.scene_length += size;
    CHECK_OK(scree_write_checkpoint(in_folder("old/checkpoint_000000001500.npz"), &saved));
    saved.scene = before;
    saved.scene_length -= size;
    scree_checkpoint_free(&saved);
    free(after);
    CHECK_OK(scree_run_create(&def, &next, in_folder("new"), &run));
    assert_non_null(strstr(scree_run_get_note(run), "contacts with surfaces"));
    CHECK_OK(scree_run_go(run));
    scree_run_destroy(run);
    scene_free(&scene);
    scene_free(&next);
}

static const test_case cases[] = {
    UNIT(a_run_of_an_earlier_version_is_gone_on_with),
    UNIT(surfaces_are_read_and_written),
    UNIT(surfaces_are_refused_with_their_place),
    UNIT(surfaces_count_for_pairs),
    UNIT(triangles_left_out_are_named),
    UNIT(faults_of_meshes_are_named),
    UNIT(springs_at_surfaces_are_taken_over),
    UNIT(spheres_are_placed_outside_solids),
    UNIT(a_region_is_no_solid),
    SAME_BITS(a_killed_run_goes_on_with_its_surfaces),
};

const test_group group_run_surfaces = {.name = "run_surfaces", .cases = cases, .count = sizeof cases / sizeof *cases, .begin = make_folder, .end = remove_folder, .before_each = start_clean};
