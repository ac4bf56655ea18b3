// Surfaces in periodic boxes, with their images: against copies that are explicit, wherever the box begins, and the same bits however it is computed.
#include "sim_support.h"

#include "file_support.h"

#include "base/wide.h"
#include "run/run_inner.h"
#include "scree/surface.h"
#include "sim/sim_inner.h"

enum { BALL, DISC, CONE, TUBE, CUBE, MESH, MESH_TURNED, kinds };

// A tetrahedron around the origin.
static scree_surface* pyramid(void)
{
    static const double corner[4][3] = {{0.7, 0.1, -0.4}, {-0.5, 0.6, -0.4}, {-0.3, -0.7, -0.4}, {0.05, 0.1, 0.6}};
    static const int face[4][3] = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}};
    scree_surface_def def = scree_default_surface_def();
    double xyz[36];
    scree_surface* mesh;
    for (int f = 0; f < 4; ++f)
        for (int c = 0; c < 3; ++c)
            memcpy(xyz + 9 * f + 3 * c, corner[face[f][c]], sizeof corner[0]);
    CHECK_OK(scree_surface_create(&def, &(scree_triangles){.count = 4, .xyz = xyz}, &mesh));
    return mesh;
}

// A shape around `at`, which moves and turns. The mesh lies around the origin in its own file: it is brought there by a motion of the state.
static void shape_at(int kind, const double at[3], scree_sim_boundary* boundary, scree_exact* exact, const scree_surface* mesh)
{
    *boundary = scree_default_sim_boundary();
    *exact = scree_default_exact();
    exact->kind = kind == BALL ? SCREE_EXACT_SPHERE : kind == DISC ? SCREE_EXACT_DISC : kind == CONE ? SCREE_EXACT_CONE : kind == TUBE ? SCREE_EXACT_CYLINDER : SCREE_EXACT_BOX;
    memcpy(exact->at, at, sizeof exact->at);
    exact->axis[0] = 0.6;
    exact->axis[1] = 0.3;
    exact->axis[2] = 0.7;
    exact->radius[0] = 0.7;
    exact->radius[1] = 0.3;
    exact->length = kind == CONE || kind == TUBE ? 0.8 : exact->length;
    for (int k = 0; k < 3; ++k) {
        exact->lower[k] = at[k] - 0.4;
        exact->upper[k] = at[k] + 0.4;
    }
    if (kind == DISC)
        exact->radius[1] = 0.0;
    boundary->exact = kind < MESH ? exact : NULL;
    boundary->surface = kind < MESH ? NULL : mesh;
    memcpy(boundary->about, at, sizeof boundary->about);
    const double velocity[3] = {-0.2, 0.1, 0.05}, spin[3] = {0.5, -1.0, 0.8};
    memcpy(boundary->velocity, velocity, sizeof velocity);
    if (kind != MESH)
        memcpy(boundary->spin, spin, sizeof spin);
}

static scree_sim_def def_of(const scree_sim_law* law, const scree_sim_boundary* boundaries, int32_t count)
{
    scree_sim_def def = scree_default_sim_def();
    def.law = law;
    def.stiffness = 500.0;
    def.restitution = 0.8;
    def.time_step = 1e-3;
    def.threads = 1;
    def.order_every = 100;
    def.boundaries = boundaries;
    def.boundary_count = count;
    return def;
}

static scree_surface* moved_pyramid(const double at[3])
{
    scree_surface* mesh = pyramid();
    scree_surface_arrays a = scree_surface_get_arrays(mesh);
    scree_surface_def def = scree_default_surface_def();
    double xyz[36];
    for (int32_t t = 0; t < 4; ++t)
        for (int c = 0; c < 3; ++c)
            for (int k = 0; k < 3; ++k)
                xyz[9 * t + 3 * c + k] = a.vertex[a.triangle[t][c]][k] + at[k];
    scree_surface_destroy(mesh);
    CHECK_OK(scree_surface_create(&def, &(scree_triangles){.count = 4, .xyz = xyz}, &mesh));
    return mesh;
}

// Six spheres come from all sides, through faces, edges and a corner of the box, to a shape in its corner. Beside it the same with a copy of the shape for each.
static void images_are_copies(void** state)
{
    (void)state;
    static const double way[6][3] = {{1, 0, 0}, {0, 1, 0.02}, {0, 0.1, -1}, {1, 1, 0.1}, {-0.1, 1, 1}, {1, 1, 1}};
    const double at[3] = {0.25, 0.375, 7.75};
    scree_sim_law law = scree_default_sim_law();
    scree_sim_pair pair = scree_default_sim_pair();
    pair.friction = 0.4;
    law.material_count = 1;
    law.pairs = &pair;
    for (int kind = 0; kind < kinds; ++kind) {
        int met = 0;
        for (int rubs = 0; rubs < 2; ++rubs)
            for (int w = 0; w < 6; ++w) {
                double x[3], v[3], far[3], copy[3], r = 0.3, apart = 0.0, length = sqrt(way[w][0] * way[w][0] + way[w][1] * way[w][1] + way[w][2] * way[w][2]);
                for (int k = 0; k < 3; ++k) {
                    far[k] = at[k] - 1.6 * way[w][k] / length;                    // where it begins in the open, beside the shape
                    x[k] = far[k] - 8.0 * floor(far[k] / 8.0);                    // and in the box
                    copy[k] = at[k] + (x[k] - far[k]);                            // where the image is that it meets
                    v[k] = 1.5 * way[w][k] / length;
                    apart += fabs(x[k] - far[k]);
                }
                scree_surface *mesh = moved_pyramid(at), *other = moved_pyramid(copy);
                scree_sim_boundary in, out;
                scree_exact exact[2];
                shape_at(kind, at, &in, &exact[0], mesh);
                shape_at(kind, copy, &out, &exact[1], other);
                scree_sim_def def = def_of(rubs ? &law : NULL, &in, 1), open = def_of(rubs ? &law : NULL, &out, 1);
                def.box = scree_box_sized(3, (const double[3]){8.0, 8.0, 8.0});
                def.box.periodic[0] = def.box.periodic[1] = def.box.periodic[2] = true;
                scree_spheres one = {.count = 1, .dim = 3, .x = x, .r = &r};
                scree_sim *images, *copies;
                CHECK_OK(scree_sim_create(&def, one, v, &images));
                CHECK_OK(scree_sim_create(&open, one, v, &copies));
                bool touched = false;
                for (int n = 0; n < 60; ++n) {
                    CHECK_OK(scree_sim_run(images, 25));
                    CHECK_OK(scree_sim_run(copies, 25));
                    scree_sim_boundary_report a[7], b[7];
                    assert_int_equal(scree_sim_get_boundaries(images, a, 7), 7);
                    assert_int_equal(scree_sim_get_boundaries(copies, b, 7), 7);
                    assert_int_equal(a[6].contacts, b[6].contacts);
                    touched = touched || a[6].contacts > 0;
                    for (int k = 0; k < 3; ++k) {
                        CHECK_CLOSE(a[6].force[k], b[6].force[k], 1e-7);
                        CHECK_CLOSE(a[6].torque[k], b[6].torque[k], 1e-7);
                    }
                    CHECK_CLOSE(a[6].power, b[6].power, 1e-7);
                }
                double ends[2][3], speeds[2][3], spins[2][3];
                CHECK_OK(scree_sim_get_column(images, "x", ends[0]));
                CHECK_OK(scree_sim_get_column(copies, "x", ends[1]));
                CHECK_OK(scree_sim_get_column(images, "v", speeds[0]));
                CHECK_OK(scree_sim_get_column(copies, "v", speeds[1]));
                for (int k = 0; k < 3; ++k) {
                    double d = ends[0][k] - ends[1][k];
                    CHECK_CLOSE(d - 8.0 * rint(d / 8.0), 0.0, 1e-10);
                    CHECK_CLOSE(speeds[0][k], speeds[1][k], 1e-10);
                }
                if (rubs) {
                    CHECK_OK(scree_sim_get_column(images, "w", spins[0]));
                    CHECK_OK(scree_sim_get_column(copies, "w", spins[1]));
                    for (int k = 0; k < 3; ++k)
                        CHECK_CLOSE(spins[0][k], spins[1][k], 1e-9);
                }
                assert_true(apart > 1.0);  // it comes to an image
                met += touched;
                scree_sim_destroy(images);
                scree_sim_destroy(copies);
                scree_surface_destroy(mesh);
                scree_surface_destroy(other);
            }
        if (met < 9)  // open shapes let some through
            fail_msg("kind %d: %d of 12 have met it", kind, met);
    }
}

static const char crowd[] = "box: {size: [5, 5, 5], periodic: [x, y, z], origin: [%g, %g, %g]}\n"
                            "spheres: {file: start.csv, velocity: [1, 0.6, -0.8]}\n"
                            "contact: {stiffness: 300, restitution: 0.8, friction: 0.4}\n"
                            "surfaces:\n"
                            "- {name: cup, cone: {from: [0.2, 4.8, 2.2], to: [0.5, 4.9, 2.9], radius_from: 0.8, radius_to: 0.3}, spin: [0, 1, 1], about: [0.2, 4.8, 2.2], velocity: [0.6, -0.4, 0.2]}\n"
                            "- {name: plate, disc: {at: [2.5, 2.5, 2.5], normal: [1, 2, 3], radius: 0.9}}\n"
                            "- {name: wedge, mesh: wedge.stl, velocity: [0.3, 0.3, 0.3]}\n"
                            "time: {step: 5e-4, steps: 800}\n"
                            "order_every: 150\n"
                            "checkpoint: {every: 10000}\n"
                            "output: {every_steps: 200, formats: [csv], energies: true, log_every_steps: 100}\n";

static void write_crowd(void)
{
    static const double corner[4][3] = {{0.3, 0.2, 4.6}, {-0.5, 0.6, 4.6}, {-0.3, -0.7, 4.6}, {0.05, 0.1, 5.4}};
    static const int face[4][3] = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}};
    char stl[4096] = "solid wedge\n", start[8192] = "x,y,z,r\n";
    for (int f = 0; f < 4; ++f) {
        strcat(stl, "facet normal 0 0 0\nouter loop\n");
        for (int c = 0; c < 3; ++c)
            snprintf(stl + strlen(stl), sizeof stl - strlen(stl), "vertex %g %g %g\n", corner[face[f][c]][0], corner[face[f][c]][1], corner[face[f][c]][2]);
        strcat(stl, "endloop\nendfacet\n");
    }
    strcat(stl, "endsolid wedge\n");
    put_text(in_folder("wedge.stl"), stl);
    for (int i = 0; i < 125; ++i) {
        double x[3] = {0.5 + i % 5, 0.5 + i / 5 % 5, 0.5 + i / 25};
        bool clear = fabs(x[0] - 2.5) + fabs(x[1] - 2.5) + fabs(x[2] - 2.5) > 1.2 && !(x[0] > 4 && x[2] > 1 && x[2] < 4) && !(x[0] < 1 && x[2] > 1 && x[2] < 4) && x[2] < 4 && !(x[2] < 1 && (x[0] < 1 || x[0] > 4));
        if (clear)
            snprintf(start + strlen(start), sizeof start - strlen(start), "%.17g,%.17g,%.17g,%g\n", x[0], x[1], x[2], 0.2 + 0.02 * (i % 4));
    }
    put_text(in_folder("start.csv"), start);
}

static scree_run* run_of(const char* text, const char* name, int way, int64_t cut)
{
    scree_scene given;
    scree_run_def def = scree_default_run_def();
    scree_run* run;
    put_text(in_folder("scene.yaml"), text);
    CHECK_OK(scene_read(in_folder("scene.yaml"), &given));
    def.threads = way == 1 ? 3 : 1;
    def.method = way == 2 ? SCREE_METHOD_ALL_PAIRS : way == 3 ? SCREE_METHOD_OCTREE : -1;
    def.force = true;
    given.sim.backend = way == 4 ? SCREE_BACKEND_REFERENCE : SCREE_BACKEND_FUSED;
    if (way == 5)
        given.search.skin = -1.0;
    if (way == 6)
        given.search.skin = 0.9;  // far beyond a radius: then some spheres have all parts in their rows
    scree_plain_only = way == 7;
    CHECK_OK(scree_run_create(&def, &given, in_folder(name), &run));
    scene_free(&given);
    if (cut > 0) {
        run->steps = cut;
        CHECK_OK(scree_run_go(run));
        scree_run_destroy(run);
        def.force = false;
        CHECK_OK(scree_run_resume(&def, in_folder(name), &run));
    }
    CHECK_OK(scree_run_go(run));
    CHECK_OK(scree_sim_validate(scree_run_get_sim(run)));
    scree_plain_only = false;
    return run;
}

static void a_crowd_among_images(void** state)
{
    (void)state;
    char text[2048];
    double *places[2] = {NULL, NULL}, felt[2][3] = {{0.0}};
    int32_t count = 0;
    uint64_t wanted = 0;
    write_crowd();
    snprintf(text, sizeof text, crowd, 0.0, 0.0, 0.0);
    for (int way = 0; way < 8; ++way) {
        scree_run* run = run_of(text, "run", way, 0);
        wanted = way == 0 ? scree_run_hash(run) : wanted;
        if (scree_run_hash(run) != wanted)
            fail_msg("way %d: another hash", way);
        scree_run_destroy(run);
    }
    for (int64_t cut = 140; cut < 700; cut += 210) {
        scree_run* run = run_of(text, "run", 0, cut);
        if (scree_run_hash(run) != wanted)
            fail_msg("cut at %d: another hash", (int)cut);
        scree_run_destroy(run);
    }
    // The box may begin anywhere: the same motion, to rounding, as long as that has not grown.
    for (int k = 0; k < 2; ++k) {
        snprintf(text, sizeof text, crowd, k == 1 ? -1.3 : 0.0, k == 1 ? 2.1 : 0.0, k == 1 ? 0.7 : 0.0);
        char* steps = strstr(text, "steps: 800");
        memcpy(steps, "steps: 250", strlen("steps: 250"));
        scree_run* run = run_of(text, "run", 0, 0);
        scree_sim_boundary_report reports[16];
        count = scree_sim_get_count(scree_run_get_sim(run));
        places[k] = malloc((size_t)count * 3 * sizeof(double));
        CHECK_OK(scree_sim_get_column(scree_run_get_sim(run), "x", places[k]));
        assert_int_equal(scree_sim_get_boundaries(scree_run_get_sim(run), reports, 16), 9);
        for (int s = 0; s < 3; ++s)
            felt[k][s] = reports[6 + s].force[0] + 2.0 * reports[6 + s].torque[1];
        scree_run_destroy(run);
    }
    assert_true(count > 40);
    for (int32_t e = 0; e < 3 * count; ++e) {
        double d = places[0][e] - places[1][e];
        CHECK_CLOSE(d - 5.0 * rint(d / 5.0), 0.0, 1e-8);
    }
    for (int s = 0; s < 3; ++s)
        CHECK_CLOSE(felt[0][s], felt[1][s], 1e-5);
    free(places[0]);
    free(places[1]);
}

// Energies add up, and spheres that come and go, and start at random, keep clear of images.
static void starts_keep_clear_of_images(void** state)
{
    (void)state;
    static const char text[] = "box: {size: [5, 5, 5], periodic: [x, y, z]}\n"
                               "spheres: {count: 60, sizes: 'mono:0.3', place: random}\n"
                               "contact: {stiffness: 300, restitution: 0.8}\n"
                               "surfaces: [{name: ball, sphere: {at: [0.1, 4.9, 0.2], radius: 1.3}}]\n"
                               "insert: [{name: in, count: 20, every_steps: 1, region: {lower: [3.5, 0, 3.5], upper: [5, 2, 5]}}]\n"
                               "time: {step: 5e-4, steps: 1}\noutput: {formats: [csv]}\n";
    scree_run* run = run_of(text, "run", 0, 0);
    int32_t n = scree_sim_get_count(scree_run_get_sim(run));
    double* x = malloc((size_t)n * 3 * sizeof *x);
    CHECK_OK(scree_sim_get_column(scree_run_get_sim(run), "x", x));
    int32_t near = 0;
    for (int32_t i = 0; i < n; ++i) {
        const double at[3] = {0.1, 4.9, 0.2};
        double square = 0.0;
        for (int k = 0; k < 3; ++k) {
            double d = x[3 * i + k] - at[k];
            d -= 5.0 * rint(d / 5.0);
            square += d * d;
        }
        assert_true(sqrt(square) >= 1.6 - 1e-9 || sqrt(square) <= 1.0 + 1e-9);  // outside, or inside
        near += sqrt(square) < 2.0;
    }
    assert_true(near > 3 && n > 60);
    free(x);
    scree_run_destroy(run);
}

static void boxes_that_are_too_small_are_refused(void** state)
{
    (void)state;
    const double x[3] = {3.0, 3.0, 3.0}, r = 0.5;
    scree_spheres one = {.count = 1, .dim = 3, .x = x, .r = &r};
    scree_exact exact = scree_default_exact();
    scree_sim_boundary boundary = scree_default_sim_boundary();
    scree_sim* sim;
    exact.kind = SCREE_EXACT_SPHERE;
    exact.radius[0] = 1.0;
    boundary.exact = &exact;
    scree_sim_def def = def_of(NULL, &boundary, 1);
    def.box = scree_box_sized(3, (const double[3]){3.9, 4.0, 2.0});
    def.box.periodic[0] = def.box.periodic[1] = true;
    CHECK_FAILS(scree_sim_create(&def, one, NULL, &sim), SCREE_ERR_ARGUMENT, "z");
    def.box.upper[2] = 5.0;
    CHECK_FAILS(scree_sim_create(&def, one, NULL, &sim), SCREE_ERR_UNSUPPORTED, "boundary 6", "along x", "3.9");
    def.box.upper[0] = 4.0;
    CHECK_OK(scree_sim_create(&def, one, NULL, &sim));
    const double there[3] = {2.0, 2.0, 3.0}, large = 0.6;
    CHECK_FAILS(scree_sim_insert(sim, (scree_spheres){.count = 1, .dim = 3, .x = there, .r = &large}, NULL, NULL, NULL), SCREE_ERR_ARGUMENT, "images");
    scree_sim_destroy(sim);
    def.box.tilt[0] = 1.0;
    CHECK_FAILS(scree_sim_create(&def, one, NULL, &sim), SCREE_ERR_UNSUPPORTED, "tilted");
    def.box.tilt[0] = 0.0;
    exact.kind = SCREE_EXACT_PLANE;
    exact.axis[0] = 1.0;
    CHECK_FAILS(scree_sim_create(&def, one, NULL, &sim), SCREE_ERR_UNSUPPORTED, "plane");
}

static const test_case cases[] = {
    UNIT(images_are_copies),
    SAME_BITS(a_crowd_among_images),
    UNIT(starts_keep_clear_of_images),
    UNIT(boxes_that_are_too_small_are_refused),
};

const test_group group_surface_images = {.name = "surface_images", .cases = cases, .count = sizeof cases / sizeof *cases, .begin = make_folder, .end = remove_folder};
