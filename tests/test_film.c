// Films and force chains: rods and translucent triangles against areas and opacities in closed form, animated PNG decoded by chunks and zlib, numbered
// pictures, videos by a program that stands for ffmpeg, contacts of a run as rods, and rods in the page.
#include "file_support.h"

#include "picture/picture.h"
#include "scenes.h"
#include "scree/film.h"
#include "scree/view.h"
#include "view/rods.h"

#include <math.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <zlib.h>

#define PI 3.14159265358979323846

// ---- Rods --------------------------------------------------------------------------------------------------------------

enum { side_pixels = 200 };

// Orthographic from +z, transparent, 10 lengths across, spheres of opacity 0.
static scree_picture_def bare(void)
{
    scree_picture_def def = scree_default_picture_def();
    def.width = def.height = side_pixels;
    def.eye[2] = 1.0;
    def.perspective = 0.0;
    def.box = def.bar = false;
    def.background = SCREE_BACKGROUND_NONE;
    def.opacity = 0.0;
    for (int k = 0; k < 3; ++k) {
        def.view[k][0] = -0.434782608695652;  // 0.04 of the picture around is a margin: the first pixel begins at -0.834783
        def.view[k][1] = 8.765217391304348;
    }
    return def;
}

static const double per_length = 0.1 * side_pixels;  // pixels

static scree_sphere_set two_spheres(int dim, bool periodic)
{
    scree_sphere_set set;
    CHECK_OK(scree_sphere_set_make(dim, 2, &set));
    for (int k = 0; k < 2 * dim; ++k)
        set.x[k] = k < dim ? 2.0 : 6.0;
    set.r[0] = set.r[1] = 1.0;
    set.has_box = true;
    set.box = scree_box_sized(dim, (double[3]){8.0, 8.0, 8.0});
    set.box.periodic[0] = periodic;
    return set;
}

static uint8_t* render(const scree_sphere_set* set, const scree_picture_def* def)
{
    uint8_t* rgba = malloc((size_t)def->width * (size_t)def->height * 4);
    assert_non_null(rgba);
    CHECK_OK(scree_picture_render(set, def, rgba));
    return rgba;
}

// Sum of alpha over columns of pixels, in areas of the scene.
static double area_between(const uint8_t* rgba, double from, double to)
{
    double sum = 0.0;
    for (int y = 0; y < side_pixels; ++y)
        for (int x = 0; x < side_pixels; ++x) {
            double at = (x + 0.5) / per_length - 0.834782608695652;
            if (at > from && at < to)
                sum += rgba[4 * (side_pixels * y + x) + 3] / 255.0;
        }
    return sum / (per_length * per_length);
}

static void put_rod(scree_rods* rods, int64_t n, double x0, double y0, double z0, double x1, double y1, double z1, double value)
{
    const double ends[6] = {x0, y0, z0, x1, y1, z1};
    memcpy(rods->ends[n], ends, sizeof ends);
    rods->value[n] = value;
}

// A rod seen from the side covers length * width and the circle of its ends; widths go as the root of the value, or as the value.
static void test_rod_area(void** state)
{
    (void)state;
    for (int dim = 2; dim <= 3; ++dim)
        for (int scale = 0; scale < SCREE_ROD_SCALE_COUNT; ++scale) {
            scree_sphere_set set = two_spheres(dim, false);
            scree_picture_def def = bare();
            scree_rods rods;
            CHECK_OK(scree_rods_make(2, &rods));
            put_rod(&rods, 0, 1.0, 2.0, 3.0, 5.0, 5.0, 3.0, 4.0);
            put_rod(&rods, 1, 1.0, 6.5, 1.0, 4.0, 6.5, 1.0 + 4.0 * (dim == 3), 1.0);
            def.rods = &rods;
            def.rods_width = 0.8;
            def.rods_scale = scale;
            uint8_t* rgba = render(&set, &def);
            double thin = scale == SCREE_ROD_SQRT ? 0.4 : 0.2;
            double wanted = 5.0 * 0.8 + PI * 0.16 + 3.0 * thin + 0.25 * PI * thin * thin;
            CHECK_CLOSE(area_between(rgba, -1.0, 10.0), wanted, 0.01 * wanted);
            free(rgba);
            scree_rods_free(&rods);
            scree_sphere_set_free(&set);
        }
}

// Through a periodic face it comes in again at the other one; nothing of it is outside of the box. In 3D, in 2D, and among polygons.
static void test_rod_across_a_face(void** state)
{
    (void)state;
    for (int way = 0; way < 3; ++way) {
        int dim = way == 0 ? 3 : 2;
        scree_sphere_set set = two_spheres(dim, true);
        scree_picture_def def = bare();
        scree_rods rods;
        CHECK_OK(scree_rods_make(1, &rods));
        put_rod(&rods, 0, 6.0, 6.0, 6.0, 10.0, 2.0, 2.0, 1.0);  // the face is in its middle
        def.rods = &rods;
        def.rods_width = 0.5;
        uint8_t* rgba = NULL;
        if (way < 2) {
            rgba = render(&set, &def);
        } else {
            scree_outline_set bodies = {.bodies = set};
            const double triangle[6] = {1.0, 1.0, 1.1, 1.0, 1.0, 1.1};
            CHECK_OK(scree_outline_set_make(1, 3, &bodies));
            memcpy(bodies.xy, triangle, sizeof triangle);
            bodies.first[1] = 3;
            bodies.bodies.x[0] = bodies.bodies.x[1] = 1.0;
            bodies.bodies.r[0] = 0.2;
            bodies.bodies.has_box = true;
            bodies.bodies.box = set.box;
            rgba = malloc(side_pixels * side_pixels * 4);
            CHECK_OK(scree_picture_render_outlines(&bodies, &def, rgba));
            scree_outline_set_free(&bodies);
        }
        double half = 0.5 * sqrt(32.0) * 0.5 + 0.5 * PI * 0.0625, body = way == 2 ? 0.005 : 0.0;
        CHECK_CLOSE(area_between(rgba, -1.0, -0.03), 0.0, 1e-9);
        CHECK_CLOSE(area_between(rgba, 8.03, 10.0), 0.0, 1e-9);
        CHECK_CLOSE(area_between(rgba, 4.0, 8.1), half, 0.03 * half);
        CHECK_CLOSE(area_between(rgba, -0.1, 4.0), half + body, 0.03 * half);
        free(rgba);
        if (way < 2) {  // at a wall it ends
            put_rod(&rods, 0, 4.0, 4.0, 4.0, 4.0, 8.0, 4.0, 1.0);
            rgba = render(&set, &def);
            CHECK_CLOSE(area_between(rgba, -1.0, 10.0), 4.0 * 0.5 + 0.5 * PI * 0.0625, 0.03);
            free(rgba);
        }
        scree_rods_free(&rods);
        scree_sphere_set_free(&set);
    }
}

static double distance_to_rod(const rod* one, const double p[3])
{
    double at = 0.0, square = 0.0;
    for (int k = 0; k < 3; ++k)
        at += (p[k] - one->a[k]) * one->axis[k];
    at = fmin(fmax(at, 0.0), one->length);
    for (int k = 0; k < 3; ++k)
        square += (p[k] - one->a[k] - at * one->axis[k]) * (p[k] - one->a[k] - at * one->axis[k]);
    return sqrt(square);
}

// Where a ray meets a rod it is its radius away from the line, and before that farther; what misses it is never nearer. All that it meets lies in its strip and behind its
// nearest z.
static void test_rod_rays(void** state)
{
    (void)state;
    scree_rng rng = scree_rng_make(11, 0);
    int met = 0;
    for (int n = 0; n < 3000; ++n) {
        lens l = {.eye = n % 3 == 0 ? 0.0 : 2.5, .left = -1.0, .top = 1.0, .pitch = 0.01, .width = 200, .height = 200};
        rod one = {.r = n % 7 == 0 ? 1e-5 : 0.3 * scree_rng_uniform(&rng), .length = n % 5 == 0 ? 0.0 : scree_rng_uniform(&rng)};
        double norm = 0.0, along = 0.7 * scree_rng_uniform(&rng), spread = one.r + 0.02;
        for (int k = 0; k < 3; ++k) {
            one.a[k] = scree_rng_uniform(&rng) - 0.5;
            one.axis[k] = n % 11 == 0 ? (double)(k == 2) : scree_rng_uniform(&rng) - 0.5;
            norm += one.axis[k] * one.axis[k];
        }
        double target[3], depth, z, normal[3], from[2], to[2], reach;
        for (int k = 0; k < 3; ++k) {
            one.axis[k] /= sqrt(norm);
            target[k] = one.a[k] + along * one.length * one.axis[k] + spread * (2.0 * scree_rng_uniform(&rng) - 1.0);
        }
        depth = scree_lens_depth(&l, target[2]);
        double u = target[0] / depth, v = target[1] / depth, least = INFINITY;
        bool meets = scree_rod_meet(&l, &one, 0.0, u, v, &z, normal);
        for (int k = 0; k <= 400; ++k) {  // along the ray, up to where it is met
            double at = -1.5 + 3.0 * k / 400.0;
            if (meets && at > z)
                break;
            double d = scree_lens_depth(&l, at), p[3] = {u * d, v * d, at};
            least = fmin(least, distance_to_rod(&one, p));
        }
        assert_true(least > one.r - 1e-9);
        if (!meets)
            continue;
        double d = scree_lens_depth(&l, z), p[3] = {u * d, v * d, z};
        CHECK_CLOSE(distance_to_rod(&one, p), one.r, 1e-9);
        CHECK_CLOSE(normal[0] * normal[0] + normal[1] * normal[1] + normal[2] * normal[2], 1.0, 1e-5);
        assert_true(z >= scree_rod_nearest(&one) - 1e-12);
        assert_true(scree_rod_strip(&l, &one, from, to, &reach));
        double px = (u - l.left) / l.pitch - from[0], py = (l.top - v) / l.pitch - from[1], dx = to[0] - from[0], dy = to[1] - from[1];
        double share = dx * dx + dy * dy > 0.0 ? fmin(fmax((px * dx + py * dy) / (dx * dx + dy * dy), 0.0), 1.0) : 0.0;
        assert_true(hypot(px - share * dx, py - share * dy) <= reach * (1.0 + 1e-9));
        ++met;
    }
    assert_true(met > 500);
}

static double alpha_at(const uint8_t* rgba, double x, double y)
{
    int px = (int)((x + 0.834782608695652) * per_length), py = (int)((9.165217391304348 - y) * per_length);
    return rgba[4 * (side_pixels * py + px) + 3] / 255.0;
}

static const uint8_t* pixel_at(const uint8_t* rgba, double x, double y)
{
    int px = (int)((x + 0.834782608695652) * per_length), py = (int)((9.165217391304348 - y) * per_length);
    return &rgba[4 * (side_pixels * py + px)];
}

// Before a sphere a rod is seen as it is, behind an opaque one not at all, behind a translucent one through it.
static void test_rod_and_sphere(void** state)
{
    (void)state;
    scree_sphere_set set = two_spheres(3, false);
    scree_picture_def def = bare();
    scree_rods rods;
    CHECK_OK(scree_rods_make(2, &rods));
    put_rod(&rods, 0, 0.0, 2.0, 7.0, 4.0, 2.0, 7.0, 1.0);   // the sphere is at z = 2
    put_rod(&rods, 1, 4.0, 6.0, 1.0, 8.0, 6.0, 1.0, 1.0);   // ... and z = 6
    def.rods = &rods;
    def.rods_width = 0.4;
    def.colour_by = "radius";
    uint8_t* picture[3];
    static const double opacity[3] = {0.0, 1.0, 0.5};
    for (int k = 0; k < 3; ++k) {
        def.opacity = opacity[k];
        picture[k] = render(&set, &def);
    }
    assert_memory_equal(pixel_at(picture[0], 2.0, 2.05), pixel_at(picture[1], 2.0, 2.05), 4);
    assert_memory_not_equal(pixel_at(picture[0], 6.0, 6.05), pixel_at(picture[1], 6.0, 6.05), 4);
    for (int c = 0; c < 3; ++c) {
        double of_rod = scree_srgb_linear(pixel_at(picture[0], 6.0, 6.05)[c] / 255.0), of_ball = scree_srgb_linear(pixel_at(picture[1], 6.0, 6.05)[c] / 255.0);
        CHECK_CLOSE(scree_srgb_linear(pixel_at(picture[2], 6.0, 6.05)[c] / 255.0), 0.5 * of_rod + 0.5 * of_ball, 0.01);
    }
    CHECK_CLOSE(alpha_at(picture[2], 6.0, 6.5), 0.5, 0.01);  // the sphere alone
    for (int k = 0; k < 3; ++k)
        free(picture[k]);
    scree_rods_free(&rods);
    scree_sphere_set_free(&set);
}

// ---- Veils -------------------------------------------------------------------------------------------------------------

static void test_triangles(void** state)
{
    (void)state;
    scree_sphere_set set = two_spheres(3, false);
    scree_picture_def def = bare();
    // A square in two triangles that share the diagonal, before the first sphere and behind the second; one more that lies across the first two.
    const double corners[3][3][3] = {{{0.5, 0.5, 4.0}, {7.5, 0.5, 4.0}, {7.5, 7.5, 4.0}}, {{0.5, 0.5, 4.0}, {7.5, 7.5, 4.0}, {0.5, 7.5, 4.0}}, {{0.0, 0.0, 0.5}, {8.0, 0.0, 0.5}, {0.0, 0.0, 0.6}}};
    scree_veil square = scree_default_veil();
    square.count = 2;
    square.corners = corners;
    memcpy(square.rgb, (uint8_t[3]){0, 255, 0}, 3);
    square.opacity = 0.4;
    def.triangles = &square;
    uint8_t* rgba = render(&set, &def);
    for (double y = 0.6; y < 7.4; y += 0.05)
        for (double x = 0.6; x < 7.4; x += 0.05) {
            CHECK_CLOSE(alpha_at(rgba, x, y), 0.4, 0.003);  // also along the diagonal: neither twice nor not at all
            assert_int_equal(pixel_at(rgba, x, y)[1], 255);
        }
    CHECK_CLOSE(area_between(rgba, -1.0, 10.0), 0.4 * 49.0, 0.1);
    free(rgba);
    // Seen at an angle of 60 degrees it hides as two panes would.
    def.eye[0] = sqrt(3.0);
    square.count = 1;
    rgba = render(&set, &def);
    double most = 0.0;
    for (int k = 0; k < side_pixels * side_pixels; ++k)
        most = fmax(most, rgba[4 * k + 3] / 255.0);
    CHECK_CLOSE(most, 1.0 - 0.6 * 0.6, 0.01);
    free(rgba);
    // With opaque spheres: the first is tinted, the second not.
    def.eye[0] = 0.0;
    def.opacity = 1.0;
    square.count = 2;
    uint8_t* with = render(&set, &def);
    def.triangles = NULL;
    uint8_t* without = render(&set, &def);
    assert_memory_equal(pixel_at(with, 6.0, 6.0), pixel_at(without, 6.0, 6.0), 4);
    CHECK_CLOSE(scree_srgb_linear(pixel_at(with, 2.0, 2.0)[0] / 255.0), 0.6 * scree_srgb_linear(pixel_at(without, 2.0, 2.0)[0] / 255.0), 0.01);
    free(with);
    free(without);
    scree_sphere_set_free(&set);
}

// In perspective, and with corners behind the eye: the depth of a veil is that of its plane.
static void test_triangle_depth(void** state)
{
    (void)state;
    scree_rng rng = scree_rng_make(7, 0);
    for (int n = 0; n < 200; ++n) {
        scree_sphere_set set = two_spheres(3, false);
        scree_picture_def def = scree_default_picture_def();
        def.width = def.height = 100;
        double corners[1][3][3];
        for (int k = 0; k < 9; ++k)
            corners[0][k / 3][k % 3] = 40.0 * scree_rng_uniform(&rng) - 16.0;
        scree_veil one = scree_default_veil();
        one.count = 1;
        one.corners = (const double(*)[3][3])corners;
        def.triangles = &one;
        def.perspective = n % 2 == 0 ? 60.0 : 0.0;
        stage s;
        lens l;
        veils all;
        scree_picture_def settled;
        CHECK_OK(scree_picture_settle(&set, &def, &settled));
        CHECK_OK(scree_stage_make(&set, &settled, &s));
        CHECK_OK(scree_lens_aim(&s, &settled, 0, &l));
        CHECK_OK(scree_veils_make(&s, &l, &settled, &all));
        double p[3][3], e[3], f[3], normal[3];
        for (int k = 0; k < 3; ++k) {
            double at[3];
            for (int c = 0; c < 3; ++c)
                at[c] = (corners[0][k][c] - s.centre[c]) * s.unit;
            scree_lens_turn(&l, at, p[k]);
        }
        for (int c = 0; c < 3; ++c) {
            e[c] = p[1][c] - p[0][c];
            f[c] = p[2][c] - p[0][c];
        }
        for (int c = 0; c < 3; ++c)
            normal[c] = e[(c + 1) % 3] * f[(c + 2) % 3] - e[(c + 2) % 3] * f[(c + 1) % 3];
        for (int look = 0; look < 300; ++look) {
            double u = l.left + 100.0 * scree_rng_uniform(&rng) * l.pitch, v = l.top - 100.0 * scree_rng_uniform(&rng) * l.pitch, z;
            int found = 0;
            for (int32_t k = 0; k < all.count; ++k)
                if (scree_veil_meet(&l, &all.veil[k], u, v, &z)) {
                    double depth = scree_lens_depth(&l, z), off = normal[0] * (u * depth - p[0][0]) + normal[1] * (v * depth - p[0][1]) + normal[2] * (z - p[0][2]);
                    CHECK_CLOSE(off, 0.0, 1e-9);
                    ++found;
                }
            assert_true(found <= 1);
            // Inside of the triangle, by the three sides of the place met on its plane.
            double base[3] = {l.eye > 0.0 ? 0.0 : u, l.eye > 0.0 ? 0.0 : v, -l.eye}, d[3] = {l.eye > 0.0 ? u : 0.0, l.eye > 0.0 ? v : 0.0, 1.0}, along = 0.0, left = 0.0;
            for (int c = 0; c < 3; ++c) {
                along += normal[c] * d[c];
                left += normal[c] * (p[0][c] - base[c]);
            }
            double t = left / along, side[3];
            bool clear = l.eye == 0.0 || t > 0.02;
            for (int k = 0; k < 3; ++k) {
                double a[3], b[3];
                for (int c = 0; c < 3; ++c) {
                    a[c] = p[(k + 1) % 3][c] - p[k][c];
                    b[c] = base[c] + t * d[c] - p[k][c];
                }
                side[k] = 0.0;
                for (int c = 0; c < 3; ++c)
                    side[k] += normal[c] * (a[(c + 1) % 3] * b[(c + 2) % 3] - a[(c + 2) % 3] * b[(c + 1) % 3]);
            }
            double least = fmin(side[0], fmin(side[1], side[2]));
            if (fabs(least) > 1e-9 && isfinite(t) && (clear || t < 0.005))
                assert_int_equal(found, clear && least > 0.0);
        }
        scree_veils_free(&all);
        scree_sphere_set_free(&set);
    }
}

// Seen along z a box has the two faces across it, a cylinder its ends, and what is periodic has none.
static void test_walls(void** state)
{
    (void)state;
    for (int way = 0; way < 4; ++way) {
        scree_sphere_set set = two_spheres(3, false);
        scree_picture_def def = bare();
        def.walls = 0.3;
        if (way == 1)
            set.box.periodic[2] = true;
        if (way == 2)
            set.box.upper[2] = INFINITY;
        if (way == 3)
            set.container = SCREE_CONTAINER_CYLINDER;
        uint8_t* rgba = render(&set, &def);
        double inside = way == 1 ? 0.0 : way == 2 ? 0.3 : 1.0 - 0.49;
        CHECK_CLOSE(alpha_at(rgba, 4.0, 4.0), inside, 0.005);
        CHECK_CLOSE(alpha_at(rgba, 0.5, 0.5), way == 3 ? 0.0 : inside, 0.005);  // a corner of the box is outside of the cylinder
        CHECK_CLOSE(alpha_at(rgba, 8.3, 4.0), 0.0, 0.005);
        free(rgba);
        scree_sphere_set_free(&set);
    }
    scree_sphere_set discs = two_spheres(2, true);  // strips of 0.12 above and below
    scree_picture_def def = bare();
    def.walls = 0.5;
    uint8_t* rgba = render(&discs, &def);
    CHECK_CLOSE(area_between(rgba, -1.0, 10.0), 0.5 * 2.0 * 8.0 * 0.12, 0.08);  // some five samples wide
    CHECK_CLOSE(alpha_at(rgba, 4.0, 8.06), 0.5, 0.01);
    free(rgba);
    scree_sphere_set_free(&discs);
}

// ---- All together ------------------------------------------------------------------------------------------------------

static scree_sphere_set crowd_of(int dim, scree_rods* rods)
{
    scene_params params = scene_default_params();
    params.dim = dim;
    params.count = 60;
    params.periodic[0] = true;
    scree_sphere_set set;
    CHECK_OK(scene_make(scene_table[0].name, &params, &set));
    CHECK_OK(scree_rods_make(2 * set.count, rods));
    scree_rng rng = scree_rng_make(3, 0);
    for (int64_t n = 0; n < rods->count; ++n) {
        for (int k = 0; k < dim; ++k) {
            rods->ends[n][0][k] = set.x[n / 2 * dim + k];
            rods->ends[n][1][k] = set.x[n / 2 * dim + k] + set.r[n / 2] * (6.0 * scree_rng_uniform(&rng) - 3.0);
        }
        rods->value[n] = scree_rng_uniform(&rng) - 0.2;
    }
    return set;
}

static void test_threads(void** state)
{
    (void)state;
    for (int way = 0; way < 4; ++way) {
        scree_rods rods;
        scree_sphere_set set = crowd_of(way == 3 ? 2 : 3, &rods);
        scree_picture_def def = scree_default_picture_def();
        const double corners[1][3][3] = {{{0.0, 0.0, 0.0}, {5.0, 9.0, 1.0}, {-3.0, 2.0, 7.0}}};
        scree_veil one = scree_default_veil();
        one.count = 1;
        one.corners = corners;
        def.width = 250;
        def.height = 190;
        def.samples = 1 + way % 2;
        def.rods = &rods;
        def.walls = 0.2;
        def.triangles = &one;
        def.background = way % 3;
        def.caption = "t = 1.5";
        def.cut = way == 1;
        def.cut_normal[1] = 1.0;
        def.cut_position = 0.5 * (set.box.lower[1] + set.box.upper[1]);
        def.colour_by = way == 2 ? "x" : NULL;
        def.threads = 1;
        uint8_t* first = render(&set, &def);
        static const int32_t threads[] = {2, 7};
        for (int k = 0; k < 2; ++k) {
            def.threads = threads[k];
            uint8_t* again = render(&set, &def);
            if (memcmp(first, again, 250 * 190 * 4) != 0)
                fail_msg("way %d: %d threads give other pixels", way, (int)threads[k]);
            free(again);
        }
        free(first);
        scree_rods_free(&rods);
        scree_sphere_set_free(&set);
    }
}

static void test_errors_of_pictures(void** state)
{
    (void)state;
    scree_sphere_set set = two_spheres(3, false);
    uint8_t* rgba = malloc(side_pixels * side_pixels * 4);
    scree_rods rods;
    CHECK_FAILS(scree_rods_make(-1, &rods), SCREE_ERR_ARGUMENT, "-1");
    CHECK_OK(scree_rods_make(2, &rods));
    scree_picture_def def = bare();
    def.rods = &rods;
    rods.value[1] = NAN;
    CHECK_FAILS(scree_picture_render(&set, &def, rgba), SCREE_ERR_ARGUMENT, "rod 1", "nan");
    rods.value[1] = 0.0;
    rods.ends[1][1][2] = INFINITY;
    CHECK_FAILS(scree_picture_render(&set, &def, rgba), SCREE_ERR_ARGUMENT, "rod 1", "end 1", "z", "inf");
    rods.ends[1][1][2] = 0.0;
    def.rods_range[0] = 2.0;
    def.rods_range[1] = 1.0;
    CHECK_FAILS(scree_picture_render(&set, &def, rgba), SCREE_ERR_ARGUMENT, "rods_range", "2", "1");
    def = bare();
    def.rods_scale = 2;
    CHECK_FAILS(scree_picture_render(&set, &def, rgba), SCREE_ERR_ARGUMENT, "rods", "2");
    def = bare();
    def.rods_width = -1.0;
    CHECK_FAILS(scree_picture_render(&set, &def, rgba), SCREE_ERR_ARGUMENT, "rods", "-1");
    def = bare();
    def.opacity = 1.5;
    CHECK_FAILS(scree_picture_render(&set, &def, rgba), SCREE_ERR_ARGUMENT, "opacity", "1.5");
    def = bare();
    def.walls = -0.5;
    CHECK_FAILS(scree_picture_render(&set, &def, rgba), SCREE_ERR_ARGUMENT, "walls", "-0.5");
    def = bare();
    const double corners[1][3][3] = {{{0.0, 0.0, 0.0}, {5.0, NAN, 1.0}, {-3.0, 2.0, 7.0}}};
    scree_veil one = {.count = 1, .corners = corners, .opacity = 0.3};
    def.triangles = &one;
    CHECK_FAILS(scree_picture_render(&set, &def, rgba), SCREE_ERR_ARGUMENT, "triangles", "struct_size", "0");
    one = scree_default_veil();
    one.count = 1;
    one.corners = corners;
    CHECK_FAILS(scree_picture_render(&set, &def, rgba), SCREE_ERR_ARGUMENT, "triangle 0", "corner 1", "y", "nan");
    one.count = -1;
    CHECK_FAILS(scree_picture_render(&set, &def, rgba), SCREE_ERR_ARGUMENT, "triangles", "-1");
    free(rgba);
    scree_rods_free(&rods);
    scree_sphere_set_free(&set);
}

// ---- Animated PNG ------------------------------------------------------------------------------------------------------

enum { wide = 37, tall = 21, pixels = wide * tall };

// Pictures with a part that moves, one that is the same as before, and one of noise.
static void fill_picture(int f, uint8_t* rgba)
{
    for (int k = 0; k < pixels; ++k) {
        int x = k % wide, y = k / wide;
        bool inside = x >= 5 + f && x < 11 + f && y >= 4 && y < 9;
        const uint8_t colour[4] = {(uint8_t)(inside ? 200 : 3 * x), (uint8_t)(inside ? 10 * f : 5 * y), (uint8_t)(7 * x + y), (uint8_t)(f == 5 ? 40 * x : 255)};
        memcpy(&rgba[4 * k], colour, 4);
    }
}

static int picture_of(int f)
{
    return f == 3 ? 2 : f;  // the fourth is the third again
}

static uint32_t u32(const uint8_t* p)
{
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

// Undoes the filters of the rows of a picture and puts it into the canvas.
static void put_part(const uint8_t* packed, size_t size, int channels, const uint32_t rect[4], uint8_t* screen)
{
    uLongf length = (uLongf)((rect[0] * (uint32_t)channels + 1) * rect[1]);
    uint8_t* raw = malloc(length);
    assert_int_equal(uncompress(raw, &length, packed, (uLong)size), Z_OK);
    assert_int_equal(length, (rect[0] * (uint32_t)channels + 1) * rect[1]);
    size_t row = rect[0] * (size_t)channels;
    for (uint32_t y = 0; y < rect[1]; ++y) {
        uint8_t *line = raw + y * (row + 1) + 1, *above = y > 0 ? line - row - 1 : NULL;
        for (size_t k = 0; k < row; ++k) {
            int a = k >= (size_t)channels ? line[k - (size_t)channels] : 0, b = above != NULL ? above[k] : 0, c = above != NULL && k >= (size_t)channels ? above[k - (size_t)channels] : 0;
            int p = a + b - c, guess = 0;
            switch (raw[y * (row + 1)]) {
            case 1: guess = a; break;
            case 2: guess = b; break;
            case 3: guess = (a + b) / 2; break;
            case 4: guess = abs(p - a) <= abs(p - b) && abs(p - a) <= abs(p - c) ? a : abs(p - b) <= abs(p - c) ? b : c; break;
            default: break;
            }
            line[k] = (uint8_t)(line[k] + guess);
        }
        for (uint32_t x = 0; x < rect[0]; ++x) {
            uint8_t* to = &screen[4 * ((rect[3] + y) * wide + rect[2] + x)];
            to[3] = 255;
            memcpy(to, line + x * (size_t)channels, (size_t)channels);
        }
    }
    free(raw);
}

static void check_animation(const char* path, int frames, bool alpha, uint32_t over, uint32_t under)
{
    size_t size, held = 0;
    char* text = get_file(path, &size);
    const uint8_t* file = (const uint8_t*)text;
    uint8_t screen[pixels * 4] = {0}, wanted[pixels * 4], *data = malloc(size);
    uint32_t sequence = 0, rect[4] = {0};
    int shown = -1, parts = 0;
    bool ended = false;
    assert_memory_equal(file, "\x89PNG\r\n\x1a\n", 8);
    for (size_t at = 8; at < size;) {
        uint32_t length = u32(file + at);
        const uint8_t* body = file + at + 8;
        char name[5] = {0};
        memcpy(name, body - 4, 4);
        assert_true(at + length + 12 <= size);
        assert_int_equal(u32(body + length), crc32(0, body - 4, length + 4));
        bool control = strcmp(name, "fcTL") == 0, end = strcmp(name, "IEND") == 0;
        if (strcmp(name, "IHDR") == 0) {
            assert_int_equal(u32(body), wide);
            assert_int_equal(u32(body + 4), tall);
            assert_int_equal(body[9], alpha ? 6 : 2);
        } else if (strcmp(name, "acTL") == 0) {
            assert_int_equal(u32(body), frames);
            assert_int_equal(u32(body + 4), 0);
            assert_int_equal(parts, 0);  // before all data
        }
        if ((control || end) && shown >= 0) {
            put_part(data, held, alpha ? 4 : 3, rect, screen);
            fill_picture(picture_of(shown), wanted);
            for (int k = 0; k < pixels && !alpha; ++k)
                wanted[4 * k + 3] = 255;
            assert_memory_equal(screen, wanted, sizeof wanted);
            held = 0;
        }
        if (control) {
            assert_int_equal(u32(body), sequence++);
            rect[0] = u32(body + 4);
            rect[1] = u32(body + 8);
            rect[2] = u32(body + 12);
            rect[3] = u32(body + 16);
            assert_int_equal((uint32_t)body[20] << 8 | body[21], over);
            assert_int_equal((uint32_t)body[22] << 8 | body[23], under);
            assert_int_equal(body[24] + body[25], 0);
            ++shown;
            if (picture_of(shown) == 1)
                assert_true(rect[0] == 7 && rect[1] == 5 && rect[2] == 5 && rect[3] == 4);  // what has changed, and no more
        } else if (strcmp(name, "IDAT") == 0 || strcmp(name, "fdAT") == 0) {
            bool first = name[0] == 'I';
            assert_int_equal(first, shown == 0);
            if (!first)
                assert_int_equal(u32(body), sequence++);
            memcpy(data + held, body + (first ? 0 : 4), length - (first ? 0 : 4));
            held += length - (first ? 0 : 4);
            ++parts;
        }
        ended = end;
        at += length + 12;
    }
    assert_true(ended);
    assert_int_equal(shown, frames - 1);
    free(data);
    free(text);
}

static scree_film_def small_film(int64_t frames)
{
    scree_film_def def = scree_default_film_def();
    def.width = wide;
    def.height = tall;
    def.frames = frames;
    return def;
}

static scree_status write_film(const char* path, const scree_film_def* def)
{
    scree_film* film;
    uint8_t rgba[pixels * 4];
    scree_status status = scree_film_begin(path, def, &film);
    for (int f = 0; f < def->frames && status == SCREE_OK; ++f) {
        fill_picture(picture_of(f), rgba);
        status = scree_film_add(film, rgba);
    }
    return scree_film_end(film, status);
}

static void test_animated_png(void** state)
{
    (void)state;
    scree_film_def def = small_film(6);
    CHECK_OK(write_film(in_folder("a.png"), &def));
    check_animation(in_folder("a.png"), 6, false, 1, 25);
    def.alpha = true;
    def.fps = 12.5;
    CHECK_OK(write_film(in_folder("a.png"), &def));
    check_animation(in_folder("a.png"), 6, true, 100, 1250);
    def.frames = 1;
    def.fps = 0.5;
    CHECK_OK(write_film(in_folder("b.apng"), &def));
    check_animation(in_folder("b.apng"), 1, true, 100, 50);
    assert_int_equal(files_in_folder(), 2);
}

static void test_series(void** state)
{
    (void)state;
    scree_film_def def = small_film(3);
    char name[300];
    snprintf(name, sizeof name, "%s/", in_folder("shots"));
    CHECK_OK(write_film(name, &def));
    for (int f = 0; f < 3; ++f) {
        uint8_t rgba[pixels * 4];
        size_t size[2];
        char file[64];
        snprintf(file, sizeof file, "shots/picture_%06d.png", f);
        fill_picture(picture_of(f), rgba);
        CHECK_OK(scree_png_write(in_folder("one.png"), wide, tall, false, rgba, (scree_watch){0}));
        char *a = get_file(in_folder(file), &size[0]), *b = get_file(in_folder("one.png"), &size[1]);
        assert_int_equal(size[0], size[1]);
        assert_memory_equal(a, b, size[0]);
        free(a);
        free(b);
    }
    CHECK_FAILS(write_film(name, &def), SCREE_ERR_IO, "shots");  // it is not empty
    assert_int_equal(files_in_folder(), 2);
    assert_int_equal(mkdir(in_folder("empty"), 0777), 0);
    snprintf(name, sizeof name, "%s/", in_folder("empty"));
    CHECK_OK(write_film(name, &def));
    snprintf(name, sizeof name, "%s/", in_folder("none/inside"));
    CHECK_FAILS(write_film(name, &def), SCREE_ERR_IO, "none/inside");
    // A film that is not finished leaves nothing.
    scree_film* film;
    uint8_t rgba[pixels * 4] = {0};
    snprintf(name, sizeof name, "%s/", in_folder("half"));
    CHECK_OK(scree_film_begin(name, &def, &film));
    CHECK_OK(scree_film_add(film, rgba));
    CHECK_FAILS(scree_film_end(film, SCREE_OK), SCREE_ERR_ARGUMENT, "half", "1", "3");
    assert_int_equal(files_in_folder(), 3);
}

// A program in the place of ffmpeg; the PATH has it before all others.
static void put_ffmpeg(const char* script)
{
    static char path[8192];
    assert_true(mkdir(in_folder("bin"), 0777) == 0 || errno == EEXIST);
    put_text(in_folder("bin/ffmpeg"), script);
    assert_int_equal(chmod(in_folder("bin/ffmpeg"), 0755), 0);
    snprintf(path, sizeof path, "%s:/usr/bin:/bin", in_folder("bin"));
    assert_int_equal(setenv("PATH", path, 1), 0);
}

static void test_video(void** state)
{
    (void)state;
    char* before = strdup(getenv("PATH") != NULL ? getenv("PATH") : "");
    scree_film_def def = small_film(4);
    put_ffmpeg("#!/bin/sh\nfor last; do :; done\necho \"$@\" | sed 's/ file:.*//' > \"${last#file:}\"\nwc -c >> \"${last#file:}\"\n");
    assert_true(scree_film_has_ffmpeg());
    put_text(in_folder("a.mp4"), "old");
    CHECK_OK(write_film(in_folder("a.mp4"), &def));
    char wanted[400];
    snprintf(wanted, sizeof wanted, "-nostdin -y -loglevel error -f rawvideo -pix_fmt rgb24 -video_size %dx%d -framerate 25 -i pipe:0 -an "
             "-vf scale=out_color_matrix=bt709:out_range=tv -colorspace bt709 -color_primaries bt709 -color_trc bt709 -pix_fmt yuv420p -f mp4\n%d\n", wide + 1, tall + 1,
             4 * 3 * (wide + 1) * (tall + 1));
    CHECK_FILE(in_folder("a.mp4"), wanted);
    // It fails: the target is as it was, and its last line is reported.
    put_text(in_folder("a.mp4"), "old");
    put_ffmpeg("#!/bin/sh\ncat > /dev/null\necho first >&2\necho 'Unknown encoder' >&2\nexit 3\n");
    CHECK_FAILS(write_film(in_folder("a.mp4"), &def), SCREE_ERR_IO, "a.mp4", "3", "Unknown encoder");
    CHECK_FILE(in_folder("a.mp4"), "old");
    // It ends at once, while pictures are still sent.
    put_ffmpeg("#!/bin/sh\necho 'no such format' >&2\nexit 1\n");
    def.width = 1000;
    def.height = 1000;
    def.frames = 8;
    scree_film* film;
    uint8_t* rgba = calloc(1000 * 1000, 4);
    CHECK_OK(scree_film_begin(in_folder("a.mp4"), &def, &film));
    scree_status status = SCREE_OK;
    for (int f = 0; f < 8 && status == SCREE_OK; ++f)
        status = scree_film_add(film, rgba);
    assert_int_equal(status, SCREE_ERR_IO);
    CHECK_FAILS(scree_film_end(film, status), SCREE_ERR_IO, "a.mp4", "1", "no such format");
    // It never ends by itself, and is not waited for.
    put_ffmpeg("#!/bin/sh\nexec sleep 1000\n");
    CHECK_OK(scree_film_begin(in_folder("a.mp4"), &def, &film));
    assert_int_equal(scree_film_end(film, SCREE_ERR_CANCELLED), SCREE_ERR_CANCELLED);
    CHECK_FILE(in_folder("a.mp4"), "old");
    // There is none.
    assert_int_equal(setenv("PATH", in_folder(""), 1), 0);
    assert_false(scree_film_has_ffmpeg());
    CHECK_FAILS(scree_film_begin(in_folder("b.mkv"), &def, &film), SCREE_ERR_UNSUPPORTED, "b.mkv", "ffmpeg");
    assert_int_equal(setenv("PATH", before, 1), 0);
    free(before);
    free(rgba);
    assert_int_equal(files_in_folder(), 2);  // a.mp4 and bin
}

static void test_errors_of_films(void** state)
{
    (void)state;
    static const struct {
        const char* name;
        scree_film_kind kind;
    } names[] = {{"a.png", SCREE_FILM_PNG}, {"A.PNG", SCREE_FILM_PNG}, {"-", SCREE_FILM_PNG}, {"a.apng", SCREE_FILM_PNG}, {"a/", SCREE_FILM_SERIES}, {"a.mp4", SCREE_FILM_VIDEO},
                 {"a.Webm", SCREE_FILM_VIDEO}, {"a.gif", SCREE_FILM_UNKNOWN}, {"a", SCREE_FILM_UNKNOWN}, {"", SCREE_FILM_UNKNOWN}, {".png", SCREE_FILM_UNKNOWN}};
    for (size_t k = 0; k < sizeof names / sizeof *names; ++k)
        assert_int_equal(scree_film_kind_of_path(names[k].name), names[k].kind);
    scree_film* film;
    scree_film_def def = small_film(2);
    CHECK_FAILS(scree_film_begin(in_folder("a.gif"), &def, &film), SCREE_ERR_ARGUMENT, "a.gif");
    def.width = 3;
    CHECK_FAILS(scree_film_begin(in_folder("a.png"), &def, &film), SCREE_ERR_ARGUMENT, "width", "3");
    def = small_film(0);
    CHECK_FAILS(scree_film_begin(in_folder("a.png"), &def, &film), SCREE_ERR_ARGUMENT, "0");
    def = small_film(2);
    def.fps = NAN;
    CHECK_FAILS(scree_film_begin(in_folder("a.png"), &def, &film), SCREE_ERR_ARGUMENT, "nan");
    def = small_film(1);
    uint8_t rgba[pixels * 4] = {0};
    put_text(in_folder("a.png"), "old");
    CHECK_OK(scree_film_begin(in_folder("a.png"), &def, &film));
    CHECK_OK(scree_film_add(film, rgba));
    CHECK_FAILS(scree_film_add(film, rgba), SCREE_ERR_ARGUMENT, "a.png", "1");
    assert_int_equal(scree_film_end(film, SCREE_OK), SCREE_ERR_ARGUMENT);
    CHECK_FILE(in_folder("a.png"), "old");
    assert_int_equal(files_in_folder(), 1);
}

static void test_nth_allocation_fails(void** state)
{
    (void)state;
    scree_film_def def = small_film(3);
    char name[300];
    snprintf(name, sizeof name, "%s/", in_folder("shots"));
    EACH_ALLOCATION_FAILS(write_film(in_folder("a.png"), &def), assert_int_equal(files_in_folder(), 0));
    EACH_ALLOCATION_FAILS(write_film(name, &def), assert_int_equal(files_in_folder(), 1));
    scree_rods rods, cut;
    scree_sphere_set set = crowd_of(3, &rods);
    scree_picture_def look = scree_default_picture_def();
    look.width = look.height = 100;
    look.threads = 2;
    look.rods = &rods;
    look.walls = 0.3;
    uint8_t rgba[100 * 100 * 4];
    EACH_ALLOCATION_FAILS(scree_picture_render(&set, &look, rgba), (void)0);
    EACH_ALLOCATION_FAILS(view_cut_rods(&set, &rods, &cut), (void)0);
    scree_rods_free(&cut);
    scree_rods_free(&rods);
    scree_sphere_set_free(&set);
}

// ---- Forces ------------------------------------------------------------------------------------------------------------

static void check_rod(const scree_rods* rods, int64_t n, double x0, double y0, double z0, double x1, double y1, double z1, double value)
{
    const double wanted[6] = {x0, y0, z0, x1, y1, z1};
    for (int k = 0; k < 6; ++k)
        CHECK_CLOSE(rods->ends[n][k / 3][k % 3], wanted[k], 1e-12);
    CHECK_CLOSE(rods->value[n], value, 1e-12);
}

static void test_forces(void** state)
{
    (void)state;
    scree_outline_set set = {.bodies = two_spheres(3, true)};
    scree_rods rods;
    put_text(in_folder("c.csv"), "i,j,overlap,nx,ny,nz,fx,fy,fz,px,py,pz,sx,sy,sz\n0,1,0.1,0.6,0.8,0,6,8,5,4,4,4,0,0,0\n0,1,0.1,1,0,0,2,3,0,0,4,4,-1,0,0\n"
                                "1,-5,0.25,0,0,1,1,0,-4,6,6,5.25,0,0,0\n");
    CHECK_OK(scree_read_forces(in_folder("c.csv"), NULL, &set, &rods));
    assert_int_equal(rods.count, 3);
    check_rod(&rods, 0, 2, 2, 2, 6, 6, 6, 10);
    check_rod(&rods, 1, 2, 2, 2, -2, 6, 6, 2);              // to the image on the other side
    check_rod(&rods, 2, 6, 6, 6, 6, 6, 6.0 - 0.75, -4);  // to the wall, which pulls
    // A film needs one range for all.
    scree_picture_def look = bare();
    look.rods = &rods;
    scree_film_extent extent = {0};
    CHECK_OK(scree_film_measure(&set, &look, &extent));
    CHECK_CLOSE(extent.rods_range[0], -4.0, 0.0);
    CHECK_CLOSE(extent.rods_range[1], 10.0, 0.0);
    CHECK_CLOSE(extent.view[0][0], 1.0, 0.0);
    CHECK_CLOSE(extent.view[0][1], 7.0, 0.0);
    look.rods = NULL;
    set.bodies.x[3] = 7.5;
    set.bodies.r[1] = 0.25;
    look.box = true;
    CHECK_OK(scree_film_measure(&set, &look, &extent));
    CHECK_CLOSE(extent.view[0][0], 0.0, 0.0);
    CHECK_CLOSE(extent.view[0][1], 8.0, 0.0);
    CHECK_CLOSE(extent.range[0], 0.25, 0.0);
    CHECK_CLOSE(extent.range[1], 1.0, 0.0);
    CHECK_CLOSE(extent.rods_range[1], 10.0, 0.0);
    assert_int_equal(extent.sets, 2);
    scree_rods_free(&rods);
    // The image of a tilted box.
    scree_sphere_set_free(&set.bodies);
    set.bodies = two_spheres(3, true);
    set.bodies.box.periodic[1] = set.bodies.box.periodic[2] = true;
    memcpy(set.bodies.box.tilt, (double[3]){1.0, 0.5, -2.0}, sizeof set.bodies.box.tilt);
    put_text(in_folder("c.csv"), "i,j,overlap,nx,ny,nz,fx,fy,fz,sx,sy,sz\n0,1,0.1,1,0,0,2,3,0,-1,2,-1\n");
    CHECK_OK(scree_read_forces(in_folder("c.csv"), NULL, &set, &rods));
    check_rod(&rods, 0, 2, 2, 2, 6 - 8 + 2 - 0.5, 6 + 16 + 2, 6 - 8, 2);
    scree_rods_free(&rods);
    // Invalid input.
    CHECK_FAILS(scree_read_forces(in_folder("none.csv"), NULL, &set, &rods), SCREE_ERR_IO, "none.csv", "contacts: true");
    put_text(in_folder("c.csv"), "i,j,overlap,nx,ny,nz,fx,fy\n");
    CHECK_FAILS(scree_read_forces(in_folder("c.csv"), NULL, &set, &rods), SCREE_ERR_FORMAT, "c.csv:1", "'fz'");
    put_text(in_folder("c.csv"), "i,j,overlap,nx,ny,nz,fx,fy,fz\n0,2,0.1,0.6,0.8,0,6,8,5\n");
    CHECK_FAILS(scree_read_forces(in_folder("c.csv"), NULL, &set, &rods), SCREE_ERR_FORMAT, "c.csv:2", "j", "2");
    put_text(in_folder("c.csv"), "i,j,overlap,nx,ny,nz,fx,fy,fz\n0,1,0.1,0.6,0.8,0,6,nan,5\n");
    CHECK_FAILS(scree_read_forces(in_folder("c.csv"), NULL, &set, &rods), SCREE_ERR_FORMAT, "c.csv:2", "fy", "nan");
    put_text(in_folder("c.csv"), "");
    CHECK_FAILS(scree_read_forces(in_folder("c.csv"), NULL, &set, &rods), SCREE_ERR_FORMAT, "c.csv:1");
    scree_outline_set_free(&set);
}

// Of bodies: by the point of contact, and without the part to a fixed one.
static void test_forces_of_bodies(void** state)
{
    (void)state;
    scree_outline_set set = {.bodies = two_spheres(2, false)};
    scree_column* fixed;
    scree_rods rods;
    CHECK_OK(scree_sphere_set_add(&set.bodies, "fixed", SCREE_COLUMN_INT64, 1, &fixed));
    put_text(in_folder("c.csv"), "i,j,kind,feature,sx,sy,depth,nx,ny,fx,fy,px,py,energy\n0,1,0,0,0,0,0.1,0,1,3,4,3,5,0\n");
    for (int n = 0; n < 3; ++n) {
        fixed->integers[0] = n == 1;
        fixed->integers[1] = n == 2;
        CHECK_OK(scree_read_forces(in_folder("c.csv"), NULL, &set, &rods));
        assert_int_equal(rods.count, n == 0 ? 2 : 1);
        if (n != 1)
            check_rod(&rods, 0, 2, 2, 0, 3, 5, 0, 4);
        if (n != 2)
            check_rod(&rods, n == 0 ? 1 : 0, 3, 5, 0, 6, 6, 0, 4);
        scree_rods_free(&rods);
    }
    scree_outline_set_free(&set);
}

// A rod through the face y of a tilted box goes on farther to the left; a tilt of a whole side is none.
static void test_rods_in_tilted_boxes(void** state)
{
    (void)state;
    for (int dim = 2; dim <= 3; ++dim) {
        scree_sphere_set set = two_spheres(dim, true);
        scree_picture_def def = bare();
        scree_rods rods, pieces;
        uint8_t* rgba[4];
        size_t bytes = (size_t)def.width * (size_t)def.height * 4;
        CHECK_OK(scree_rods_make(1, &rods));
        CHECK_OK(scree_rods_make(2, &pieces));
        put_rod(&rods, 0, 5, 7, 3, 5, 9, 3, 4);
        put_rod(&pieces, 0, 5, 7, 3, 5, 9, 3, 4);
        put_rod(&pieces, 1, 2, -1, 3, 2, 1, 3, 4);
        def.rods_width = 0.8;
        def.rods_range[0] = 0.0;
        def.rods_range[1] = 4.0;
        for (int k = 0; k < 3; ++k) {
            def.view[k][0] = 0.0;
            def.view[k][1] = 8.0;
        }
        for (int way = 0; way < 4; ++way) {
            def.rods = way == 3 ? &pieces : &rods;
            set.box.periodic[1] = way < 3;
            set.box.tilt[0] = way == 1 ? 8.0 : way == 2 ? 3.0 : 0.0;
            rgba[way] = render(&set, &def);
        }
        assert_memory_equal(rgba[0], rgba[1], bytes);
        assert_memory_not_equal(rgba[0], rgba[2], bytes);
        if (dim == 3)  // walls cut rods too
            assert_memory_equal(rgba[2], rgba[3], bytes);
        for (int way = 0; way < 4; ++way)
            free(rgba[way]);
        scree_rods_free(&rods);
        scree_rods_free(&pieces);
        scree_sphere_set_free(&set);
    }
}

// A rod through the face z comes in again moved along x by xz and along y by yz.
static void test_rods_in_boxes_tilted_along_z(void** state)
{
    (void)state;
    scree_sphere_set set = two_spheres(3, true);
    scree_picture_def def = bare();
    scree_rods rods, pieces;
    size_t bytes = (size_t)def.width * (size_t)def.height * 4;
    CHECK_OK(scree_rods_make(1, &rods));
    CHECK_OK(scree_rods_make(2, &pieces));
    put_rod(&rods, 0, 5, 5, 7, 5, 5, 9, 4);
    put_rod(&pieces, 0, 5, 5, 7, 5, 5, 9, 4);
    put_rod(&pieces, 1, 5 - 1.5, 5 - 2, -1, 5 - 1.5, 5 - 2, 1, 4);  // the image below: all of c, (xz, yz, 8), less
    def.rods_width = 0.8;
    def.rods_range[0] = 0.0;
    def.rods_range[1] = 4.0;
    for (int k = 0; k < 3; ++k) {
        def.view[k][0] = 0.0;
        def.view[k][1] = 8.0;
    }
    uint8_t* rgba[2];
    for (int way = 0; way < 2; ++way) {
        def.rods = way == 0 ? &rods : &pieces;
        set.box.periodic[0] = set.box.periodic[1] = set.box.periodic[2] = way == 0;
        set.box.tilt[1] = way == 0 ? 1.5 : 0.0;
        set.box.tilt[2] = way == 0 ? 2.0 : 0.0;
        rgba[way] = render(&set, &def);
    }
    assert_memory_equal(rgba[0], rgba[1], bytes);
    for (int way = 0; way < 2; ++way)
        free(rgba[way]);
    scree_rods_free(&rods);
    scree_rods_free(&pieces);
    scree_sphere_set_free(&set);
}

// ---- In the page -------------------------------------------------------------------------------------------------------

static void test_rods_of_pages(void** state)
{
    (void)state;
    scree_sphere_set set = two_spheres(3, true);
    scree_rods rods, cut;
    CHECK_OK(scree_rods_make(3, &rods));
    put_rod(&rods, 0, 1, 2, 3, 4, 5, 6, 7);
    put_rod(&rods, 1, 6, 6, 6, 10, 2, 2, 8);
    put_rod(&rods, 2, 1, 6, 6, -3, 6, 9, 9);  // y and z are not periodic
    CHECK_OK(view_cut_rods(&set, &rods, &cut));
    assert_int_equal(cut.count, 5);
    check_rod(&cut, 0, 1, 2, 3, 4, 5, 6, 7);
    check_rod(&cut, 1, 6, 6, 6, 8, 4, 4, 8);
    check_rod(&cut, 2, 0, 4, 4, 2, 2, 2, 8);
    check_rod(&cut, 3, 1, 6, 6, 0, 6, 6.75, 9);
    check_rod(&cut, 4, 8, 6, 6.75, 5, 6, 9, 9);
    scree_rods_free(&cut);
    // In a tilted box a rod that leaves through the face y goes on farther to the left, and through the face x if need be.
    set.box.periodic[1] = true;
    set.box.tilt[0] = 3.0;
    put_rod(&rods, 1, 5, 7, 6, 5, 9, 6, 8);
    put_rod(&rods, 2, 1, 1, 6, 1, -1, 6, 9);
    put_rod(&rods, 0, 1, 7, 6, 1, 9, 6, 7);
    CHECK_OK(view_cut_rods(&set, &rods, &cut));
    assert_int_equal(cut.count, 6);
    check_rod(&cut, 0, 1, 7, 6, 1, 8, 6, 7);
    check_rod(&cut, 1, 6, 0, 6, 6, 1, 6, 7);  // 1 - 3 + 8
    check_rod(&cut, 2, 5, 7, 6, 5, 8, 6, 8);
    check_rod(&cut, 3, 2, 0, 6, 2, 1, 6, 8);
    check_rod(&cut, 4, 1, 1, 6, 1, 0, 6, 9);
    check_rod(&cut, 5, 4, 8, 6, 4, 7, 6, 9);
    scree_rods_free(&cut);
    set.box.periodic[1] = false;
    set.box.tilt[0] = 0.0;
    put_rod(&rods, 0, 1, 2, 3, 4, 5, 6, 7);
    put_rod(&rods, 1, 6, 6, 6, 10, 2, 2, 8);
    put_rod(&rods, 2, 1, 6, 6, -3, 6, 9, 9);
    // Of a page only the frame that they were given for has them.
    scree_view* view;
    CHECK_OK(scree_view_begin(in_folder("a.html"), NULL, &view));
    CHECK_OK(scree_view_next_rods(view, &rods));
    CHECK_OK(scree_view_add(view, 0.0, &set));
    CHECK_OK(scree_view_add(view, 1.0, &set));
    CHECK_OK(scree_view_end(view, SCREE_OK));
    char* page = get_file(in_folder("a.html"), NULL);
    const char* found = strstr(page, "\"rod_count\":5,\"rod_width\":1,\"rods\":[");
    assert_non_null(found);
    assert_null(strstr(found + 1, "\"rod_count\":"));
    free(page);
    rods.value[2] = NAN;
    CHECK_OK(scree_view_begin(in_folder("b.html"), NULL, &view));
    CHECK_OK(scree_view_next_rods(view, &rods));
    CHECK_FAILS(scree_view_add(view, 0.0, &set), SCREE_ERR_ARGUMENT, "rod 2", "nan");
    assert_int_equal(scree_view_end(view, SCREE_OK), SCREE_ERR_ARGUMENT);
    assert_int_equal(files_in_folder(), 1);
    scree_rods_free(&rods);
    scree_sphere_set_free(&set);
}

// Names that frames have under others: the speed, and what turns in the plane.
static void test_meant_columns(void** state)
{
    (void)state;
    scree_outline_set set = {.bodies = two_spheres(2, false)};
    scree_column* column;
    scree_picture_def look = bare();
    scree_film_extent extent = {0};
    CHECK_OK(scree_sphere_set_add(&set.bodies, "velocity", SCREE_COLUMN_DOUBLE, 2, &column));
    column->values[0] = 3.0;
    column->values[1] = -4.0;
    CHECK_OK(scree_sphere_set_add(&set.bodies, "spin_z", SCREE_COLUMN_DOUBLE, 1, &column));
    column->values[0] = -6.0;
    static const char* const names[] = {"speed", "velocity", "velocity_y", "spin"};
    static const double ranges[][2] = {{0.0, 5.0}, {0.0, 5.0}, {-4.0, 0.0}, {-6.0, 0.0}};
    for (int k = 0; k < 4; ++k) {
        look.colour_by = names[k];
        extent = (scree_film_extent){0};
        CHECK_OK(scree_film_measure(&set, &look, &extent));
        CHECK_CLOSE(extent.range[0], ranges[k][0], 0.0);
        CHECK_CLOSE(extent.range[1], ranges[k][1], 0.0);
    }
    look.colour_by = "torque";
    CHECK_FAILS(scree_film_measure(&set, &look, &extent), SCREE_ERR_ARGUMENT, "'torque'", "velocity", "spin_z");
    scree_outline_set_free(&set);
}

static const test_case cases[] = {
    UNIT(test_rod_area),
    UNIT(test_rod_across_a_face),
    PROPERTY(test_rod_rays),
    UNIT(test_rod_and_sphere),
    UNIT(test_triangles),
    PROPERTY(test_triangle_depth),
    UNIT(test_walls),
    THREADS(test_threads),
    UNIT(test_errors_of_pictures),
    UNIT(test_animated_png),
    UNIT(test_series),
    UNIT(test_video),
    UNIT(test_errors_of_films),
    ALLOCATION(test_nth_allocation_fails),
    UNIT(test_forces),
    UNIT(test_forces_of_bodies),
    UNIT(test_rods_in_tilted_boxes),
    UNIT(test_rods_in_boxes_tilted_along_z),
    UNIT(test_rods_of_pages),
    UNIT(test_meant_columns),
};

const test_group group_film = {.name = "film", .cases = cases, .count = sizeof cases / sizeof *cases, .begin = make_folder, .end = remove_folder, .before_each = start_clean};
