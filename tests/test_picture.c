// The picture room: areas, places and colours against closed forms, the raster against a plain one, the same bytes for any
// number of threads, and files that are whole or not there.
#include "file_support.h"

#include "files/output.h"
#include "picture/picture.h"
#include "scenes.h"

#include <errno.h>
#include <inttypes.h>
#include <png.h>
#include <unistd.h>

#define PI 3.14159265358979323846
#define MARGIN 0.04  // that the scene keeps to the picture's sides

// ---- Small sets and pictures -------------------------------------------------------------------------------------

static scree_sphere_set make_set(int32_t dim, int32_t count, const double* x, const double* r)
{
    scree_sphere_set set;
    CHECK_OK(scree_sphere_set_make(dim, count, &set));
    for (int32_t k = 0; k < count * dim; ++k)
        set.x[k] = x[k];
    for (int32_t k = 0; k < count; ++k)
        set.r[k] = r[k];
    return set;
}

static void add_values(scree_sphere_set* set, const char* name, const double* values)
{
    scree_column* column;
    CHECK_OK(scree_sphere_set_add(set, name, SCREE_COLUMN_DOUBLE, 1, &column));
    memcpy(column->values, values, (size_t)set->count * sizeof *values);
}

// Orthographic from +z, spheres alone, transparent: what is left can be computed by hand.
static scree_picture_def bare(int32_t side)
{
    scree_picture_def def = scree_default_picture_def();
    def.width = def.height = side;
    def.eye[2] = 1.0;
    def.perspective = 0.0;
    def.box = false;
    def.bar = false;
    def.background = SCREE_BACKGROUND_NONE;
    return def;
}

static uint8_t* render(const scree_sphere_set* set, const scree_picture_def* def)
{
    uint8_t* rgba = malloc((size_t)def->width * (size_t)def->height * 4);
    assert_non_null(rgba);
    CHECK_OK(scree_picture_render(set, def, rgba));
    return rgba;
}

static const uint8_t* pixel(const uint8_t* rgba, const scree_picture_def* def, double x, double y)
{
    return &rgba[4 * ((int64_t)y * def->width + (int64_t)x)];
}

static double area(const uint8_t* rgba, const scree_picture_def* def)  // in pixels
{
    double sum = 0.0;
    for (int64_t k = 0; k < (int64_t)def->width * def->height; ++k)
        sum += rgba[4 * k + 3] / 255.0;
    return sum;
}

static double brightness(const uint8_t* p)
{
    return 0.2126 * scree_srgb_linear(p[0] / 255.0) + 0.7152 * scree_srgb_linear(p[1] / 255.0) +
           0.0722 * scree_srgb_linear(p[2] / 255.0);
}

static void to_oklab(const uint8_t rgb[3], double lab[3])
{
    double c[3];
    for (int k = 0; k < 3; ++k)
        c[k] = scree_srgb_linear(rgb[k] / 255.0);
    double l = cbrt(0.4122214708 * c[0] + 0.5363325363 * c[1] + 0.0514459929 * c[2]);
    double m = cbrt(0.2119034982 * c[0] + 0.6806995451 * c[1] + 0.1073969566 * c[2]);
    double s = cbrt(0.0883024619 * c[0] + 0.2817188376 * c[1] + 0.6299787005 * c[2]);
    lab[0] = 0.2104542553 * l + 0.7936177850 * m - 0.0040720468 * s;
    lab[1] = 1.9779984951 * l - 2.4285922050 * m + 0.4505937099 * s;
    lab[2] = 0.0259040371 * l + 0.7827717662 * m - 0.8086757660 * s;
}

// Which end of the dusk map a pixel is nearer to in hue: 0 violet, 1 yellow.
static int end_of_map(const uint8_t* p)
{
    double lab[3];
    to_oklab(p, lab);
    return lab[2] > 0.0;
}

// ---- Closed forms ------------------------------------------------------------------------------------------------

static void test_sphere_area(void** state)
{
    (void)state;
    scree_sphere_set set = make_set(3, 1, (double[]){3.0, -1.0, 7.0}, (double[]){2.5});
    for (int32_t side = 60; side <= 420; side += 90)
        for (int n = 1; n <= 3; ++n) {
            scree_picture_def def = bare(side);
            def.samples = n;
            def.zoom = n == 3 ? 0.5 : 1.0;
            uint8_t* rgba = render(&set, &def);
            double radius = 0.5 * (1.0 - 2.0 * MARGIN) * side * def.zoom;
            CHECK_CLOSE(area(rgba, &def), PI * radius * radius, 3.0 * sqrt(radius));
            assert_int_equal(pixel(rgba, &def, 0.5 * side, 0.5 * side)[3], 255);
            assert_int_equal(pixel(rgba, &def, 0.5 * side, 0.5 * side - radius - 1.5)[3], 0);
            assert_int_equal(pixel(rgba, &def, 0.5 * side, 0.5 * side - radius + 1.5)[3], 255);
            free(rgba);
        }
    // Perspective: the stage has a half diagonal of 1, so the sphere is 1/sqrt(3); the front corners touch the margin, and
    // the sphere's outline is where rays from the eye are tangents.
    for (double angle = 10.0; angle <= 110.0; angle += 50.0) {
        scree_picture_def def = bare(300);
        def.perspective = angle;
        uint8_t* rgba = render(&set, &def);
        double r = 1.0 / sqrt(3.0), eye = 1.0 / sin(0.5 * angle * PI / 180.0);
        double radius = r / sqrt(eye * eye - r * r) * (eye - r) / r * 0.5 * (1.0 - 2.0 * MARGIN) * 300.0;
        CHECK_CLOSE(area(rgba, &def), PI * radius * radius, 40.0);
        free(rgba);
    }
    scree_sphere_set_free(&set);
}

static void test_disc_area(void** state)
{
    (void)state;
    // Two discs apart, and one hidden in part by a smaller one: areas do not add where they overlap.
    scree_sphere_set set = make_set(2, 2, (double[]){2.0, 2.0, 8.0, 8.0}, (double[]){2.0, 1.0});
    set.has_box = true;
    set.box = scree_box_sized(2, (double[]){10.0, 10.0});
    scree_picture_def def = bare(400);
    uint8_t* rgba = render(&set, &def);  // bounds 0 .. 9
    double scale = 400.0 * (1.0 - 2.0 * MARGIN) / 9.0;
    CHECK_CLOSE(area(rgba, &def), 5.0 * PI * scale * scale, 30.0);
    free(rgba);
    set.x[2] = set.x[3] = 2.0;
    rgba = render(&set, &def);
    scale = 400.0 * (1.0 - 2.0 * MARGIN) / 4.0;
    CHECK_CLOSE(area(rgba, &def), 4.0 * PI * scale * scale, 60.0);
    assert_int_equal(end_of_map(pixel(rgba, &def, 200.0, 200.0)), 0);  // the small one is on top
    assert_int_equal(end_of_map(pixel(rgba, &def, 200.0 + 1.5 * scale, 200.0)), 1);
    // Discs show their colours as they are.
    uint8_t wanted[3];
    scree_colour_map_rgb(SCREE_MAP_DUSK, 1.0, wanted);
    for (int k = 0; k < 3; ++k)
        assert_int_equal(pixel(rgba, &def, 200.0 + 1.5 * scale, 200.0)[k], wanted[k]);
    free(rgba);
    scree_sphere_set_free(&set);
}

static void test_light_and_hue(void** state)
{
    (void)state;
    scree_sphere_set set = make_set(3, 1, (double[]){0.0, 0.0, 0.0}, (double[]){1.0});
    scree_picture_def def = bare(200);
    for (int m = 0; m < SCREE_MAP_GREY; ++m)
        for (double t = 0.0; t <= 1.0; t += 0.25) {
            def.map = m;
            def.range[0] = 1.0 - t;  // the radius 1 lies at t
            def.range[1] = 2.0 - t;
            uint8_t *rgba = render(&set, &def), base[3];
            double seen[3], wanted[3];
            scree_colour_map_rgb((scree_colour_map)m, t, base);
            to_oklab(base, wanted);
            const uint8_t* middle = pixel(rgba, &def, 100.0, 100.0);
            to_oklab(middle, seen);
            CHECK_CLOSE(seen[0], wanted[0], 0.05);  // lightness
            double turn = fabs(atan2(seen[2], seen[1]) - atan2(wanted[2], wanted[1])) * 180.0 / PI;
            CHECK_CLOSE(fmin(turn, 360.0 - turn), 0.0, 12.0);  // hue
            // Lit from the upper left.
            assert_true(brightness(pixel(rgba, &def, 70.0, 60.0)) > brightness(middle));
            assert_true(brightness(pixel(rgba, &def, 140.0, 150.0)) < brightness(middle));
            free(rgba);
        }
    // The rim is dark all around, and the brightest place lies between the mirror's direction and the lamp's.
    def = bare(400);
    uint8_t* rgba = render(&set, &def);
    double radius = 0.5 * (1.0 - 2.0 * MARGIN) * 400.0, best = 0.0, at[2] = {0.0, 0.0};
    for (double angle = 0.0; angle < 2.0 * PI; angle += 0.1) {
        const uint8_t* inner = pixel(rgba, &def, 200.0 + (radius - 4.0) * cos(angle), 200.0 + (radius - 4.0) * sin(angle));
        double darkest = 1.0;
        for (double off = 0.0; off < 1.5; off += 0.3) {
            const uint8_t* outer = pixel(rgba, &def, 200.0 + (radius - off) * cos(angle), 200.0 + (radius - off) * sin(angle));
            darkest = outer[3] > 0 ? fmin(darkest, brightness(outer)) : darkest;
        }
        assert_true(darkest < 0.75 * brightness(inner));
    }
    for (int y = 20; y < 380; ++y)
        for (int x = 20; x < 380; ++x)
            if (brightness(pixel(rgba, &def, x, y)) > best) {
                best = brightness(pixel(rgba, &def, x, y));
                at[0] = (x + 0.5 - 200.0) / radius;
                at[1] = (200.0 - y - 0.5) / radius;
            }
    assert_true(at[0] > -0.47 && at[0] < -0.25);
    assert_true(at[1] > 0.34 && at[1] < 0.65);
    free(rgba);
    scree_sphere_set_free(&set);
}

static void test_shadow_and_crevice(void** state)
{
    (void)state;
    // A wall of one large sphere with a small one before it, in the direction of the lamp: it throws a shadow.
    scree_picture_def def = bare(300);
    double x[] = {0.0, 0.0, 0.0, 0.0, 0.0, 0.0};
    scree_sphere_set set = make_set(3, 2, x, (double[]){10.0, 1.0});
    set.x[3] = -0.46 * 13.0;
    set.x[4] = 0.64 * 13.0;
    set.x[5] = 0.615 * 13.0;
    double values[2] = {1.0, 1.0};
    add_values(&set, "same", values);
    def.colour_by = "same";
    uint8_t* with = render(&set, &def);
    set.x[3] = -0.46 * 13.0 + 4.0;  // and away from it
    uint8_t* without = render(&set, &def);
    double scale = 300.0 * (1.0 - 2.0 * MARGIN) / 20.0;
    double px = 150.0 - 0.46 * 10.0 * scale, py = 150.0 - 0.64 * 10.0 * scale;
    // The spot right under the small sphere, next to its outline as seen from the front.
    double darkest = 1.0, same = 1.0;
    for (int dy = 0; dy < 14; ++dy)
        for (int dx = 0; dx < 14; ++dx) {
            darkest = fmin(darkest, brightness(pixel(with, &def, px + dx, py + dy)) / brightness(pixel(without, &def, px + dx, py + dy)));
            double far_x = 200.0 + dx, far_y = 250.0 + dy;
            same = fmax(same, brightness(pixel(with, &def, far_x, far_y)) / brightness(pixel(without, &def, far_x, far_y)));
        }
    assert_true(darkest < 0.8);
    CHECK_CLOSE(same, 1.0, 0.02);
    free(with);
    free(without);
    scree_sphere_set_free(&set);
    // Two that touch: darker where they do than at the mirrored place, for the sphere whose lit side looks there.
    set = make_set(3, 2, (double[]){0.0, 0.0, 0.0, -2.0, 0.0, 0.0}, (double[]){1.0, 1.0});
    def.colour_by = NULL;
    uint8_t* rgba = render(&set, &def);
    double unit = 300.0 * (1.0 - 2.0 * MARGIN) / 4.0;
    scree_sphere_set alone = make_set(3, 2, (double[]){0.0, 0.0, 0.0, -2.0, 0.0, 0.0}, (double[]){1.0, 0.0});
    alone.x[3] = -3.0;
    uint8_t* lone = render(&alone, &def);
    double near = brightness(pixel(rgba, &def, 150.0 + 0.08 * unit, 150.0));
    double middle = brightness(pixel(rgba, &def, 150.0 + unit, 150.0));
    double free_side = brightness(pixel(lone, &def, 150.0 + 0.08 * unit, 150.0));
    double free_middle = brightness(pixel(lone, &def, 150.0 + unit, 150.0));
    assert_true(near / middle < 0.9 * free_side / free_middle);
    free(rgba);
    free(lone);
    scree_sphere_set_free(&set);
    scree_sphere_set_free(&alone);
}

static void test_nearest_wins(void** state)
{
    (void)state;
    scree_sphere_set set = make_set(3, 2, (double[]){0.0, 0.0, 0.0, 0.0, 0.0, 3.0}, (double[]){1.0, 1.0});
    add_values(&set, "which", (double[]){0.0, 1.0});
    scree_picture_def def = bare(120);
    def.colour_by = "which";
    for (int side = 0; side < 2; ++side)
        for (int perspective = 0; perspective < 2; ++perspective) {
            def.eye[2] = side == 0 ? 1.0 : -1.0;
            def.perspective = 30.0 * perspective;
            uint8_t* rgba = render(&set, &def);
            assert_int_equal(end_of_map(pixel(rgba, &def, 60.0, 60.0)), side == 0);
            free(rgba);
        }
    scree_sphere_set_free(&set);
}

static void test_axes_of_views(void** state)
{
    (void)state;
    // A second sphere shows where right and up are; the one without a hint is at the middle of the bounds.
    static const struct {
        double eye[3], right[3], up[3];
    } views[] = {
        {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},  {{-1, 0, 0}, {0, -1, 0}, {0, 0, 1}}, {{0, 1, 0}, {-1, 0, 0}, {0, 0, 1}},
        {{0, -1, 0}, {1, 0, 0}, {0, 0, 1}}, {{0, 0, 1}, {1, 0, 0}, {0, 1, 0}},   {{0, 0, -1}, {-1, 0, 0}, {0, 1, 0}},
    };
    for (size_t v = 0; v < sizeof views / sizeof *views; ++v)
        for (int way = 0; way < 2; ++way) {
            const double* towards = way == 0 ? views[v].right : views[v].up;
            scree_sphere_set set = make_set(3, 2, (double[]){0, 0, 0, 0, 0, 0}, (double[]){1.0, 1.0});
            for (int k = 0; k < 3; ++k)
                set.x[3 + k] = 6.0 * towards[k];
            add_values(&set, "which", (double[]){0.0, 1.0});
            scree_picture_def def = bare(160);
            memcpy(def.eye, views[v].eye, sizeof def.eye);
            def.colour_by = "which";
            uint8_t* rgba = render(&set, &def);
            double scale = 160.0 * (1.0 - 2.0 * MARGIN) / 8.0;
            const uint8_t* far_end = way == 0 ? pixel(rgba, &def, 80.0 + 3.0 * scale, 80.0) : pixel(rgba, &def, 80.0, 80.0 - 3.0 * scale);
            const uint8_t* near_end = way == 0 ? pixel(rgba, &def, 80.0 - 3.0 * scale, 80.0) : pixel(rgba, &def, 80.0, 80.0 + 3.0 * scale);
            assert_int_equal(far_end[3], 255);
            assert_int_equal(near_end[3], 255);
            assert_int_equal(end_of_map(far_end), 1);
            assert_int_equal(end_of_map(near_end), 0);
            free(rgba);
            scree_sphere_set_free(&set);
        }
}

static void test_intersection(void** state)
{
    (void)state;
    // Spheres that overlap meet in the plane x = (d^2 + a^2 - b^2) / 2d.
    scree_sphere_set set = make_set(3, 2, (double[]){0.0, 0.0, 0.0, 1.5, 0.0, 0.0}, (double[]){2.0, 1.0});
    add_values(&set, "which", (double[]){0.0, 1.0});
    scree_picture_def def = bare(450);
    def.colour_by = "which";
    uint8_t* rgba = render(&set, &def);
    double scale = 450.0 * (1.0 - 2.0 * MARGIN) / 4.5;  // bounds -2 .. 2.5, middle 0.25
    double wanted = (1.5 * 1.5 + 4.0 - 1.0) / 3.0, change = 0.0;
    for (int x = 225; x < 425; ++x)
        if (end_of_map(pixel(rgba, &def, x, 225.0)) == 1) {
            change = 0.25 + (x - 225.0) / scale;
            break;
        }
    CHECK_CLOSE(change, wanted, 2.0 / scale);
    free(rgba);
    scree_sphere_set_free(&set);
}

static void test_cut(void** state)
{
    (void)state;
    scree_sphere_set set = make_set(3, 1, (double[]){4.0, 5.0, 6.0}, (double[]){2.0});
    scree_picture_def def = bare(300);
    def.cut = true;
    def.cut_normal[2] = 1.0;
    double radius = 0.5 * (1.0 - 2.0 * MARGIN) * 300.0;
    for (int side = 0; side < 2; ++side) {
        def.eye[2] = side == 0 ? 1.0 : -1.0;  // what is on the eye's side goes
        double lift[] = {0.0, 1.0, -1.2};
        for (int k = 0; k < 3; ++k) {
            def.cut_position = 6.0 + (side == 0 ? lift[k] : -lift[k]);
            uint8_t* rgba = render(&set, &def);
            const uint8_t* middle = pixel(rgba, &def, 150.0, 150.0);
            double flat = 0.0, cap = sqrt(4.0 - lift[k] * lift[k]) / 2.0 * radius;
            for (int64_t n = 0; n < 300 * 300; ++n)
                flat += memcmp(&rgba[4 * n], middle, 4) == 0;
            CHECK_CLOSE(flat, PI * cap * cap, 2.0 * PI * cap * 2.5 + 10.0);  // but for the rim
            double whole = lift[k] >= 0.0 ? radius : cap;
            CHECK_CLOSE(area(rgba, &def), PI * whole * whole, 40.0);
            uint8_t base[3];
            double lab[3], wanted[3];
            scree_colour_map_rgb(SCREE_MAP_DUSK, 5.0 / 8.0, base);
            to_oklab(base, wanted);
            to_oklab(middle, lab);
            CHECK_CLOSE(lab[0], wanted[0], 0.05);
            CHECK_CLOSE(atan2(lab[2], lab[1]), atan2(wanted[2], wanted[1]), 0.1);
            free(rgba);
        }
        def.cut_position = side == 0 ? 3.9 : 8.1;  // all of it
        uint8_t* rgba = render(&set, &def);
        CHECK_CLOSE(area(rgba, &def), 0.0, 0.0);
        free(rgba);
        def.cut_position = side == 0 ? 8.1 : 3.9;  // nothing
        rgba = render(&set, &def);
        def.cut = false;
        uint8_t* uncut = render(&set, &def);
        def.cut = true;
        assert_memory_equal(rgba, uncut, 300 * 300 * 4);
        free(rgba);
        free(uncut);
    }
    // Seen edge-on, the side that the normal points to goes: half a disc is left.
    def.eye[2] = 1.0;
    def.cut_normal[2] = 0.0;
    def.cut_normal[0] = 2.0;
    def.cut_position = 8.0;  // 2 x = 8
    uint8_t* rgba = render(&set, &def);
    CHECK_CLOSE(area(rgba, &def), 0.5 * PI * radius * radius, 0.02 * radius * radius);
    assert_int_equal(pixel(rgba, &def, 120.0, 150.0)[3], 255);
    assert_int_equal(pixel(rgba, &def, 180.0, 150.0)[3], 0);
    free(rgba);
    scree_sphere_set_free(&set);
}

static void test_box_edges(void** state)
{
    (void)state;
    // From +x, the edges along z at y = 0 lie at the left; a sphere beside their middle hides them or not.
    scree_sphere_set set = make_set(3, 1, (double[]){20.0, 0.0, 5.0}, (double[]){1.0});
    set.has_box = true;
    set.box = scree_box_sized(3, (double[]){10.0, 10.0, 10.0});
    scree_picture_def def = bare(240);
    def.eye[2] = 0.0;
    def.eye[0] = 1.0;
    def.box = true;
    palette p = scree_palette_of(SCREE_BACKGROUND_NONE);
    double scale = 240.0 * (1.0 - 2.0 * MARGIN) / 11.0;  // y -1 .. 10 is the larger side
    double edge_x = 120.0 + (0.0 - 4.5) * scale;
    for (int before = 0; before < 2; ++before) {
        set.x[0] = before ? 20.0 : -20.0;
        uint8_t* rgba = render(&set, &def);
        int lines[2] = {0, 0};  // in the row of the sphere and in one above it
        for (int row = 0; row < 2; ++row)
            for (int dx = -2; dx <= 2; ++dx) {
                const uint8_t* at = pixel(rgba, &def, edge_x + dx, row == 0 ? 120.0 : 120.0 - 3.0 * scale);
                lines[row] += at[3] > 60 && abs(at[0] - p.line[0]) < 12 && abs(at[1] - p.line[1]) < 12 && abs(at[2] - p.line[2]) < 12;
            }
        assert_true(lines[1] > 0);
        assert_int_equal(lines[0] > 0, !before);
        free(rgba);
    }
    def.box = false;
    uint8_t* rgba = render(&set, &def);
    CHECK_CLOSE(area(rgba, &def), PI * pow(0.5 * 240.0 * (1.0 - 2.0 * MARGIN), 2.0), 40.0);  // the sphere alone
    free(rgba);
    scree_sphere_set_free(&set);
}

static void test_images(void** state)
{
    (void)state;
    scree_sphere_set set = make_set(2, 1, (double[]){0.0, 10.0}, (double[]){2.0});
    set.has_box = true;
    set.box = scree_box_sized(2, (double[]){10.0, 10.0});
    set.box.periodic[0] = set.box.periodic[1] = true;
    scree_picture_def def = bare(300);
    double inside = 300.0 * (1.0 - 2.0 * MARGIN);
    def.images = SCREE_IMAGES_FILL;  // four quarters in the corners, or other parts that make up a whole
    uint8_t* rgba;
    static const double places[][2] = {{9.5, 9.5}, {0.5, 9.0}, {5.0, 5.0}, {-8.5, 23.0}, {0.0, 10.0}};
    for (int k = 0; k < 5; ++k) {
        memcpy(set.x, places[k], sizeof places[k]);
        rgba = render(&set, &def);
        CHECK_CLOSE(area(rgba, &def), PI * 4.0 * pow(inside / 10.0, 2.0), 40.0);
        free(rgba);
    }
    rgba = render(&set, &def);
    assert_int_equal(pixel(rgba, &def, 8.0, 8.0)[3], 0);  // the margin stays empty
    assert_int_equal(pixel(rgba, &def, 16.0, 16.0)[3], 255);
    assert_int_equal(pixel(rgba, &def, 284.0, 284.0)[3], 255);
    free(rgba);
    def.images = SCREE_IMAGES_FACES;  // four whole ones
    rgba = render(&set, &def);
    CHECK_CLOSE(area(rgba, &def), 4.0 * PI * 4.0 * pow(inside / 14.0, 2.0), 60.0);
    free(rgba);
    def.images = SCREE_IMAGES_NONE;
    def.copies = 1;  // nine
    rgba = render(&set, &def);
    CHECK_CLOSE(area(rgba, &def), 9.0 * PI * 4.0 * pow(inside / 24.0, 2.0), 60.0);
    free(rgba);
    def.images = SCREE_IMAGES_FILL;  // nine boxes, filled: nine discs' worth
    rgba = render(&set, &def);
    CHECK_CLOSE(area(rgba, &def), 9.0 * PI * 4.0 * pow(inside / 30.0, 2.0), 60.0);
    free(rgba);
    scree_sphere_set_free(&set);
    // In 3D, a sphere across a face is filled flat: the box's front is closed where it is cut.
    set = make_set(3, 1, (double[]){5.0, 5.0, 0.0}, (double[]){3.0});
    set.has_box = true;
    set.box = scree_box_sized(3, (double[]){10.0, 10.0, 10.0});
    set.box.periodic[2] = true;
    def.copies = 0;
    rgba = render(&set, &def);
    const uint8_t* middle = pixel(rgba, &def, 150.0, 150.0);
    assert_memory_equal(middle, pixel(rgba, &def, 170.0, 140.0), 4);
    free(rgba);
    def.copies = 10;
    CHECK_OK(scree_picture_render(&set, &def, rgba = malloc(300 * 300 * 4)));
    free(rgba);
    scree_sphere_set_free(&set);
}

// ---- The raster against a plain one ------------------------------------------------------------------------------

// Every sample against every ball, in the simplest way.
static void check_raster(const scree_sphere_set* set, const scree_picture_def* def, const char* what)
{
    stage s;
    lens l;
    balls b;
    tile t;
    CHECK_OK(scree_stage_make(set, def, &s));
    CHECK_OK(scree_lens_aim(&s, def, 0, &l));
    CHECK_OK(scree_balls_make(&s, &l, &b));
    CHECK_OK(scree_tile_make(tile_side * def->samples, &t));
    for (int64_t index = 0; index < (int64_t)b.tiles_x * b.tiles_y; ++index) {
        scree_tile_draw(&t, &l, &b, index, def->samples, false);
        for (int32_t y = 0; y < t.ny; y += 3)
            for (int32_t x = y % 4; x < t.nx; x += def->width > 200 ? 24 : 4) {
                double u = t.left + (x + 0.5) * t.pitch, v = t.top - (y + 0.5) * t.pitch, best = INFINITY, slack = 0.0;
                for (int32_t i = 0; i < set->count; ++i) {
                    double p[3] = {0.0, 0.0, 0.0}, c[3];
                    for (int k = 0; k < set->dim; ++k)
                        p[k] = (set->x[(int64_t)i * set->dim + k] - s.centre[k]) * s.unit;
                    scree_lens_turn(&l, p, c);
                    double r = fmax(set->r[i] * s.unit, 0.71 * t.pitch * scree_lens_depth(&l, c[2]));
                    // Distance of the centre from the ray, by projecting it on the ray's direction.
                    double o[3] = {l.eye > 0.0 ? 0.0 : u, l.eye > 0.0 ? 0.0 : v, -l.eye};
                    double d[3] = {l.eye > 0.0 ? u : 0.0, l.eye > 0.0 ? v : 0.0, 1.0};
                    double dd = d[0] * d[0] + d[1] * d[1] + 1.0;
                    double along = ((c[0] - o[0]) * d[0] + (c[1] - o[1]) * d[1] + (c[2] - o[2])) / dd, off = 0.0;
                    for (int k = 0; k < 3; ++k)
                        off += pow(c[k] - o[k] - along * d[k], 2.0);
                    if (fabs(off - r * r) < 1e-6 * r * r + 1e-12)  // a tangent: either is right
                        slack = 1.0;
                    else if (off < r * r)
                        best = fmin(best, along - sqrt((r * r - off) / dd) - l.eye);
                }
                double got = (double)t.z[(int64_t)y * t.nx + x];
                if (slack == 0.0 && (isfinite(best) != isfinite(got) || (isfinite(best) && fabs(best - got) > 2e-6)))
                    fail_msg("%s: tile %" PRId64 " sample %d, %d: z %.9g, by the plain way %.9g", what, index, x, y, got, best);
            }
    }
    scree_tile_free(&t);
    scree_balls_free(&b);
}

static void test_raster(void** state)
{
    (void)state;
    for (int n = 0; n < scene_count; ++n)
        for (int perspective = 0; perspective < 2; ++perspective) {
            scene_params params = scene_default_params();
            params.count = 250;
            params.ratio = 20.0;
            scree_sphere_set set;
            CHECK_OK(scene_make(scene_table[n].name, &params, &set));
            scree_picture_def def = scree_default_picture_def();
            def.width = 150;
            def.height = 130;
            def.perspective = perspective ? 50.0 : 0.0;
            def.zoom = perspective ? 1.0 : 2.5;  // large balls over many tiles, others outside
            check_raster(&set, &def, scene_table[n].name);
            scree_sphere_set_free(&set);
        }
    // A giant that fills the picture, its nearest point before all others, and small ones that stand out of its slopes.
    for (int perspective = 0; perspective < 2; ++perspective) {
        scree_rng rng = scree_rng_make(5, 0);
        scree_sphere_set set;
        CHECK_OK(scree_sphere_set_make(3, 900, &set));
        for (int32_t i = 0; i < set.count; ++i) {
            double out = 0.0;
            for (int k = 0; k < 3; ++k) {
                set.x[3 * i + k] = 2.0 * scree_rng_uniform(&rng) - 1.0;
                out += set.x[3 * i + k] * set.x[3 * i + k];
            }
            for (int k = 0; k < 3; ++k)
                set.x[3 * i + k] *= i == 450 ? 0.0 : (10.0 + 0.3 * scree_rng_uniform(&rng)) / sqrt(out);
            set.r[i] = i == 450 ? 10.4 : 0.3 + 0.4 * scree_rng_uniform(&rng);
        }
        scree_picture_def def = scree_default_picture_def();
        def.width = def.height = 128;
        def.perspective = perspective ? 40.0 : 0.0;
        def.zoom = 2.6;
        def.samples = 1;
        check_raster(&set, &def, "giant and small");
        scree_sphere_set_free(&set);
    }
    // Two walls of small ones, each of which covers every tile, and a large one before them.
    scree_sphere_set wall;
    CHECK_OK(scree_sphere_set_make(3, 7201, &wall));
    for (int32_t i = 0; i < 7201; ++i) {
        bool large = i == 7200;
        wall.x[3 * i] = large ? 15.0 : 0.5 * (i % 60);
        wall.x[3 * i + 1] = large ? 15.0 : 0.5 * (i / 60 % 60);
        wall.x[3 * i + 2] = large ? 20.0 : i < 3600 ? 0.0 : -3.0;
        wall.r[i] = large ? 12.0 : 0.6;
    }
    scree_picture_def front = bare(400);
    front.samples = 1;
    front.zoom = 1.2;
    check_raster(&wall, &front, "wall");
    scree_sphere_set_free(&wall);
    // Many layers, so that most of the balls are never looked at; large ones among them.
    scene_params params = scene_default_params();
    params.count = 3000;
    for (int large = 0; large < 2; ++large) {
        params.ratio = large ? 8.0 : 1.0;
        scree_sphere_set set;
        CHECK_OK(scene_make("cloud", &params, &set));
        scree_picture_def def = scree_default_picture_def();
        def.width = def.height = large ? 400 : 64;
        def.samples = 1;
        def.zoom = 2.0;
        check_raster(&set, &def, "layers");
        scree_sphere_set_free(&set);
    }
}

// ---- Colours -----------------------------------------------------------------------------------------------------

static void test_maps(void** state)
{
    (void)state;
    for (int m = 0; m < SCREE_MAP_COUNT; ++m) {
        assert_non_null(scree_colour_map_name((scree_colour_map)m));
        double before = 0.0, steps[40], first = 0.0, last = 0.0, path = 0.0, longest = 0.0, old[3] = {0};
        for (int k = 0; k <= 40; ++k) {
            uint8_t rgb[3];
            double lab[3];
            scree_colour_map_rgb((scree_colour_map)m, k / 40.0, rgb);
            to_oklab(rgb, lab);
            if (k > 0) {
                steps[k - 1] = lab[0] - before;
                double way = sqrt(pow(lab[0] - old[0], 2.0) + pow(lab[1] - old[1], 2.0) + pow(lab[2] - old[2], 2.0));
                path += way;
                longest = fmax(longest, way);
            } else {
                first = lab[0];
            }
            before = last = lab[0];
            memcpy(old, lab, sizeof old);
        }
        assert_true(last - first > 0.5);
        for (int k = 0; k < 40; ++k)
            CHECK_CLOSE(steps[k], (last - first) / 40.0, 0.005);  // bytes are no finer
        assert_true(longest < 1.6 * path / 40.0);  // the whole difference, hue included, is nearly even too
    }
    assert_null(scree_colour_map_name(SCREE_MAP_COUNT));
    uint8_t a[3], b[3];
    scree_colour_map_rgb(SCREE_MAP_DUSK, -5.0, a);
    scree_colour_map_rgb(SCREE_MAP_DUSK, 0.0, b);
    assert_memory_equal(a, b, 3);
    scree_colour_map_rgb(SCREE_MAP_DUSK, NAN, a);  // grey
    assert_true(abs(a[0] - a[1]) <= 1 && abs(a[1] - a[2]) <= 1);
    scree_colour_map_rgb(SCREE_MAP_COUNT, 0.5, a);
    assert_true(a[0] == 0 && a[1] == 0 && a[2] == 0);
}

static void test_values(void** state)
{
    (void)state;
    scree_sphere_set set = make_set(2, 5, (double[]){1, 0, 4, 0, 7, 0, 10, 0, 13, 0}, (double[]){1, 1, 1, 1, 1});
    scree_picture_def def = bare(400);
    uint8_t want[5][3];
    add_values(&set, "v1", (double[]){-1.0, 0.0, NAN, INFINITY, 1.0});
    def.colour_by = "v1";
    colours c;
    CHECK_OK(scree_colours_make(&set, &def, NULL, &c));
    CHECK_CLOSE(c.low, -1.0, 0.0);
    CHECK_CLOSE(c.high, 1.0, 0.0);
    assert_int_equal(c.step[0], 0);
    assert_in_range(c.step[1], colour_steps / 2 - 1, colour_steps / 2);
    assert_int_equal(c.step[2], colour_steps);
    assert_int_equal(c.step[3], colour_steps - 1);
    assert_int_equal(c.step[4], colour_steps - 1);
    scree_colours_free(&c);
    uint8_t* rgba = render(&set, &def);
    scree_colour_map_rgb(SCREE_MAP_DUSK, 0.0, want[0]);
    scree_colour_map_rgb(SCREE_MAP_DUSK, NAN, want[2]);
    scree_colour_map_rgb(SCREE_MAP_DUSK, 1.0, want[3]);
    for (int i = 0; i < 4; ++i)
        for (int k = 0; k < 3 && i != 1; ++k)
            CHECK_CLOSE(pixel(rgba, &def, 16.0 + 368.0 * (1.0 + 3.0 * i) / 14.0, 200.0)[k], want[i][k], 1.0);
    free(rgba);

    scree_column* column;  // vectors by their length, whole numbers as they are, a logarithm
    CHECK_OK(scree_sphere_set_add(&set, "w", SCREE_COLUMN_DOUBLE, 2, &column));
    memcpy(column->values, (double[]){3, 4, 0, 0, 6, 8, 1e308, 1e308, 0, 1}, 10 * sizeof(double));
    def.colour_by = "w";
    CHECK_OK(scree_colours_make(&set, &def, NULL, &c));
    CHECK_CLOSE(c.low, 0.0, 0.0);
    CHECK_CLOSE(c.high / 1e308, sqrt(2.0), 1e-12);
    scree_colours_free(&c);
    CHECK_OK(scree_sphere_set_add(&set, "id", SCREE_COLUMN_INT64, 1, &column));
    memcpy(column->integers, (int64_t[]){1, 10, 100, 0, -5}, 5 * sizeof(int64_t));
    def.colour_by = "id";
    def.scale = SCREE_SCALE_LOG;
    CHECK_OK(scree_colours_make(&set, &def, NULL, &c));
    CHECK_CLOSE(c.low, 1.0, 0.0);
    assert_int_equal(c.step[0], 0);
    assert_in_range(c.step[1], colour_steps / 2 - 1, colour_steps / 2);
    assert_int_equal(c.step[2], colour_steps - 1);
    assert_int_equal(c.step[3], colour_steps);  // no logarithm
    assert_int_equal(c.step[4], colour_steps);
    scree_colours_free(&c);
    def.range[0] = 10.0;  // half a range given
    CHECK_OK(scree_colours_make(&set, &def, NULL, &c));
    CHECK_CLOSE(c.high, 100.0, 0.0);
    assert_int_equal(c.step[0], 0);
    assert_int_equal(c.step[1], 0);
    scree_colours_free(&c);
    scree_sphere_set_free(&set);
}

static void test_bar(void** state)
{
    (void)state;
    static const struct {
        double low, high;
        bool log;
        const char* labels;
    } cases[] = {
        {1.0, 48.5, true, "1 2 5 10 20 48.5"},
        {0.0, 1.0, false, "0 0.2 0.4 0.6 0.8 1"},
        {-3.0, 3.0, false, "-3 -2 -1 0 1 2 3"},
        {0.1, 0.35, false, "0.1 0.15 0.2 0.25 0.3 0.35"},
        {1e-9, 1e9, true, "1e-9 1e-6 0.001 1 1000 1e6 1e9"},
        {2e-7, 5e-7, false, "2e-7 2.5e-7 3e-7 3.5e-7 4e-7 4.5e-7 5e-7"},
        {1e6, 1.5e6, false, "1e6 1.1e6 1.2e6 1.3e6 1.4e6 1.5e6"},
        {1000.0, 9000.0, false, "2000 4000 6000 8000 1000 9000"},
        {20.0, 30.0, true, "20 22 24 26 28 30"},
        {-1.7e308, 1.7e308, false, "-1.5e308 -1e308 -5e307 0 5e307 1e308 1.5e308"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
        colours c = {.low = cases[k].low, .high = cases[k].high, .log = cases[k].log, .name = "radius"};
        scree_picture_def def = scree_default_picture_def();
        bar b = scree_bars_plan(&def, &c, NULL).bar[0];
        char labels[600] = "";
        for (int n = 0; n < b.ticks.count; ++n) {
            snprintf(labels + strlen(labels), sizeof labels - strlen(labels), "%s%s", n > 0 ? " " : "", b.ticks.label[n]);
            double value = atof(b.ticks.label[n]);
            double place = cases[k].log ? log(value / c.low) / log(c.high / c.low)
                                        : (0.5 * value - 0.5 * c.low) / (0.5 * c.high - 0.5 * c.low);
            CHECK_CLOSE(b.ticks.at[n], place, 0.005);
        }
        assert_string_equal(labels, cases[k].labels);
        assert_true(b.drawn && b.reserved > 0 && b.reserved < def.width / 2);
    }
    // The bar shows the map and leaves the scene its own part of the picture.
    scree_sphere_set set = make_set(2, 2, (double[]){0, 0, 5, 5}, (double[]){1, 2});
    scree_picture_def def = bare(400);
    def.bar = true;
    uint8_t* rgba = render(&set, &def);
    colours c;
    CHECK_OK(scree_colours_make(&set, &def, NULL, &c));
    bar b = scree_bars_plan(&def, &c, NULL).bar[0];
    scree_colours_free(&c);
    double x = 400.0 - b.reserved + 0.9 * b.size + b.size;
    for (int k = 0; k < 2; ++k) {
        uint8_t wanted[3];
        scree_colour_map_rgb(SCREE_MAP_DUSK, k, wanted);
        const uint8_t* at = pixel(rgba, &def, x, k == 0 ? 0.8 * 400 - 1 : 0.2 * 400);
        assert_memory_equal(at, wanted, 3);
        assert_int_equal(at[3], 255);
    }
    double inked = 0.0;  // the title and the labels
    for (int y = 0; y < 400; ++y)
        for (int64_t px = 400 - b.reserved; px < 400; ++px)
            inked += pixel(rgba, &def, (double)px, y)[3] / 255.0;
    assert_true(inked > 2.0 * b.size * 0.6 * 400.0 + 50.0);
    free(rgba);
    def.zoom = 50.0;  // also when the scene is larger than its part
    rgba = render(&set, &def);
    for (int y = 0; y < 400; ++y)
        assert_int_equal(pixel(rgba, &def, 401.0 - b.reserved, y)[3], 0);
    free(rgba);
    def.zoom = 1.0;
    // A long name is shortened, bytes of any kind do no harm, and a constant has no bar but a number.
    char name[200];
    memset(name, 'W', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    add_values(&set, name, (double[]){7.25, 7.25});
    def.colour_by = name;
    free(render(&set, &def));
    CHECK_OK(scree_colours_make(&set, &def, NULL, &c));
    b = scree_bars_plan(&def, &c, NULL).bar[0];
    assert_true(b.reserved < 200 && strstr(b.title, "...") != NULL);
    scree_colours_free(&c);
    add_values(&set, "\xC3\xA4\xFF\x01~", (double[]){7.25, 7.25});
    def.colour_by = "\xC3\xA4\xFF\x01~";
    free(render(&set, &def));
    CHECK_OK(scree_colours_make(&set, &def, NULL, &c));
    b = scree_bars_plan(&def, &c, NULL).bar[0];
    assert_non_null(strstr(b.title, "= 7.25"));
    scree_colours_free(&c);
    scree_sphere_set_free(&set);
}

static void test_letters(void** state)
{
    (void)state;
    // Every letter has strokes of its own inside its width, and no two look alike.
    enum { side = 40 };
    static uint8_t drawn[127][side * side * 4];
    const uint8_t ink[3] = {0, 0, 0};
    for (int letter = 33; letter < 127; ++letter) {
        canvas c = {.width = side, .height = side, .rgba = drawn[letter]};
        char text[2] = {(char)letter, '\0'};
        scree_text_draw(&c, text, 8.0, 28.0, 18.0, ink);
        double inked = 0.0, width = scree_text_width(text, 18.0);
        for (int y = 0; y < side; ++y)
            for (int x = 0; x < side; ++x) {
                double cover = drawn[letter][4 * (y * side + x) + 3] / 255.0;
                inked += cover;
                if (cover > 0.0 && (x < 5 || x > 8.0 + width + 3.0 || y < 5 || y > 37))
                    fail_msg("'%c' leaves its place at %d, %d", letter, x, y);
            }
        if (!(inked > 5.0))
            fail_msg("'%c' is not there", letter);
        for (int other = 33; other < letter; ++other)
            if (memcmp(drawn[letter], drawn[other], sizeof drawn[letter]) == 0)
                fail_msg("'%c' looks like '%c'", letter, other);
    }
    // A round one: ink on its four sides, none in the middle and in the corners.
    static const int ring[9] = {0, 1, 0, 1, 0, 1, 0, 1, 0};
    double width = scree_text_width("O", 18.0);
    for (int k = 0; k < 9; ++k) {
        double out = ring[k] == 0 ? 1.5 : 0.0;  // pixels beyond the corner
        double x = 8.0 + 0.5 * width * (k % 3) + out * (k % 3 - 1), y = 28.0 - 9.0 * (k / 3) - out * (k / 3 - 1);
        assert_int_equal(drawn['O'][4 * ((int)y * side + (int)x) + 3] > 100, ring[k]);
    }
    CHECK_CLOSE(scree_text_width("", 10.0), 0.0, 0.0);
    CHECK_CLOSE(scree_text_width("\xC3\xA4", 14.0), scree_text_width("\xFF", 14.0), 0.0);  // one square each
}

// ---- Same pixels -------------------------------------------------------------------------------------------------

static void vary(scree_picture_def* def, int way)
{
    def->width = 210;
    def->height = 185;
    def->perspective = way % 2 == 0 ? 35.0 : 0.0;
    def->samples = way % 3 + 1;
    def->cut = way >= 2;
    def->cut_normal[0] = 1.0;
    def->cut_normal[1] = 0.5;
    def->cut_position = 2.0;
    def->background = way % 3;
    def->images = way % 3;
}

static void test_threads(void** state)
{
    (void)state;
    for (int n = 0; n < scene_count; n += test_is_small() ? 4 : 1)
        for (int way = n == 0 ? 0 : n % 4; way <= (n == 0 ? 3 : n % 4); ++way) {  // the first scene in all ways
            scene_params params = scene_default_params();
            params.count = 400;
            params.ratio = 20.0;
            params.dim = way == 3 ? 2 : 3;
            params.periodic[0] = params.periodic[1] = true;
            scree_sphere_set set;
            CHECK_OK(scene_make(scene_table[n].name, &params, &set));
            scree_picture_def def = scree_default_picture_def();
            vary(&def, way);
            def.threads = 1;
            uint8_t* first = render(&set, &def);
            static const int32_t threads[] = {2, 7, 1};
            for (int k = 0; k < 3; ++k) {
                def.threads = threads[k];
                uint8_t* again = render(&set, &def);
                if (memcmp(first, again, (size_t)def.width * (size_t)def.height * 4) != 0)
                    fail_msg("%s, way %d: %d threads give other pixels", scene_table[n].name, way, (int)threads[k]);
                free(again);
            }
            free(first);
            scree_sphere_set_free(&set);
        }
}

static void test_moved_and_scaled(void** state)
{
    (void)state;
    // By powers of two, so that every coordinate stays exact: the same bytes, near or far, large or small.
    for (int dim = 2; dim <= 3; ++dim) {
        scene_params params = scene_default_params();
        params.dim = dim;
        params.count = 200;
        params.ratio = 10.0;
        scree_sphere_set set;
        CHECK_OK(scene_make("cloud", &params, &set));
        double side = ceil(set.box.upper[0]);
        for (int64_t k = 0; k < (int64_t)set.count * dim; ++k)
            set.x[k] = round(set.x[k] * 1024.0) / 1024.0;
        for (int32_t k = 0; k < set.count; ++k)
            set.r[k] = round(set.r[k] * 1024.0) / 1024.0;
        set.box = scree_box_sized(dim, (double[]){side, side, side});
        scree_picture_def def = scree_default_picture_def();
        def.width = 160;
        def.height = 120;
        uint8_t* first = render(&set, &def);
        static const double scales[] = {0x1p-440, 0x1p450, 1.0}, moves[] = {0.0, 0.0, 0x1p30};
        for (int n = 0; n < 3; ++n) {
            scree_sphere_set moved = make_set(dim, set.count, set.x, set.r);
            moved.has_box = true;
            moved.box = set.box;
            for (int64_t k = 0; k < (int64_t)set.count * dim; ++k)
                moved.x[k] = set.x[k] * scales[n] + moves[n];
            for (int32_t k = 0; k < set.count; ++k)
                moved.r[k] = set.r[k] * scales[n];
            for (int k = 0; k < dim; ++k) {
                moved.box.lower[k] = set.box.lower[k] * scales[n] + moves[n];
                moved.box.upper[k] = set.box.upper[k] * scales[n] + moves[n];
            }
            uint8_t* again = render(&moved, &def);
            int64_t other = 0;
            for (int64_t k = 0; k < 160 * 120 * 4; ++k)
                other += first[k] != again[k];
            if (other != 0)
                fail_msg("%dD, scale %g, moved by %g: %" PRId64 " bytes differ", dim, scales[n], moves[n], other);
            free(again);
            scree_sphere_set_free(&moved);
        }
        free(first);
        scree_sphere_set_free(&set);
    }
}

// ---- Odd sets ----------------------------------------------------------------------------------------------------

static void test_odd_sets(void** state)
{
    (void)state;
    for (int dim = 2; dim <= 3; ++dim) {
        scree_picture_def def = bare(100);
        scree_sphere_set none = make_set(dim, 0, NULL, NULL);
        uint8_t* rgba = render(&none, &def);
        CHECK_CLOSE(area(rgba, &def), 0.0, 0.0);
        free(rgba);
        def.box = def.bar = true;
        none.has_box = true;
        none.box = scree_box_sized(dim, (double[]){1.0, 2.0, 3.0});  // the box alone
        rgba = render(&none, &def);
        double tall = 100.0 * (1.0 - 2.0 * MARGIN);
        CHECK_CLOSE(area(rgba, &def), 1.3 * 3.0 * tall, 0.3 * 3.0 * tall);
        free(rgba);
        none.box = scree_box_open(dim);
        free(render(&none, &def));
        scree_sphere_set_free(&none);
        // A point is a dot, also beside large spheres and one far away.
        scree_sphere_set point = make_set(dim, 1, (double[]){1e100, -1e100, 5.0}, (double[]){0.0});
        for (int n = 1; n <= 4; ++n) {
            def.samples = n;
            rgba = render(&point, &def);
            double dot = area(rgba, &def);
            assert_true(dot > 0.0 && dot < 5.0);
            free(rgba);
        }
        scree_sphere_set_free(&point);
        scree_sphere_set two = make_set(dim, 2, (double[]){-1e139, 0, 0, 1e139, 0, 0}, (double[]){1e-139, 1e138});
        free(render(&two, &def));
        two.r[1] = 1e140;
        free(render(&two, &def));
        scree_sphere_set_free(&two);
    }
    // Behind the eye, and around it.
    scree_sphere_set set = make_set(3, 3, (double[]){0, 0, 0, 0, 0, 10, 0, 0, -10}, (double[]){1, 1, 1});
    add_values(&set, "which", (double[]){0.0, 1.0, 0.0});
    scree_picture_def def = bare(120);
    def.colour_by = "which";
    def.perspective = 60.0;
    def.distance = 5.0;  // between the middle and the front one
    uint8_t* rgba = render(&set, &def);
    assert_int_equal(end_of_map(pixel(rgba, &def, 60.0, 60.0)), 0);
    free(rgba);
    def.distance = 0.5;  // inside the middle one: only the back one is left
    rgba = render(&set, &def);
    double radius = 1.0 / sqrt(10.5 * 10.5 - 1.0) / (2.0 * tan(30.0 * PI / 180.0)) * 120.0;
    CHECK_CLOSE(area(rgba, &def), PI * radius * radius, 8.0);
    free(rgba);
    def.eye[2] = -1.0;
    def.cut = true;  // and a cut that goes through the eye's surroundings
    def.cut_normal[2] = 1.0;
    def.cut_position = 9.0;
    free(render(&set, &def));
    scree_sphere_set_free(&set);
}

// ---- Errors ------------------------------------------------------------------------------------------------------

static void test_errors(void** state)
{
    (void)state;
    scree_sphere_set set = make_set(3, 2, (double[]){0, 0, 0, 5, 5, 5}, (double[]){1, 2});
    add_values(&set, "mass", (double[]){1.0, 2.0});
    static uint8_t rgba[64 * 64 * 4];
#define WRONG(change, message)                                                                                         \
    do {                                                                                                               \
        scree_picture_def def = bare(64);                                                                              \
        change;                                                                                                        \
        CHECK_FAILS(scree_picture_render(&set, &def, rgba), SCREE_ERR_ARGUMENT, message);                              \
        CHECK_FAILS(scree_picture_write("/nowhere/p.png", &set, &def), SCREE_ERR_ARGUMENT, message);                   \
    } while (0)
    WRONG(def.struct_size = 4, "scree_default_picture_def");
    WRONG(def.width = 15, "15 | pixels | 16 | 20000");
    WRONG(def.height = 20001, "20001 | pixels");
    WRONG((def.width = 20000, def.height = 20000), "20000 | 100000000 | pixels");
    WRONG(def.perspective = 0.5, "0.5 | 1 | 120");
    WRONG(def.perspective = NAN, "nan");
    WRONG(def.zoom = 0.0, "0 | 0.01 | 1000");
    WRONG(def.distance = -1.0, "-1");
    WRONG(def.samples = 5, "5 | 1 | 4");
    WRONG(def.copies = 11, "11");
    WRONG(def.threads = -1, "threads | -1");
    WRONG(def.map = SCREE_MAP_COUNT, "3 | 0 | 2");
    WRONG(def.background = -1, "-1");
    WRONG(def.scale = 3, "3");
    WRONG(def.images = 3, "3");
    WRONG(def.images = SCREE_IMAGES_FILL, "");
    WRONG(def.copies = 1, "");
    WRONG(def.eye[0] = NAN, "direction | nan | 0 | 1");
    WRONG(def.up[2] = 3.0, "direction | 0 | 3");
    WRONG(def.cut = true, "");
    WRONG((def.cut = true, def.cut_normal[0] = NAN), "nan");
    WRONG((def.cut = true, def.cut_normal[0] = 1.0, def.cut_position = INFINITY), "inf");
    WRONG(def.colour_by = "weight", "'weight' | radius | mass");
    WRONG((def.range[0] = 2.0, def.range[1] = 1.0), "2 | 1");
    WRONG(def.range[1] = INFINITY, "");
    WRONG((def.scale = SCREE_SCALE_LOG, def.range[0] = 0.0), "0");
    set.x[4] = NAN;
    WRONG((void)0, "sphere 1");
    set.x[4] = 5.0;
    set.has_box = true;
    set.box = scree_box_sized(2, (double[]){1.0, 1.0});
    WRONG((void)0, "dimension 2");
    set.box = scree_box_sized(3, (double[]){1e-3, 1e-3, 1e-3});
    set.box.periodic[0] = set.box.periodic[1] = set.box.periodic[2] = true;
    WRONG(def.images = SCREE_IMAGES_FACES, "");
    set.columns[0].kind = SCREE_COLUMN_TEXT;
    WRONG(def.colour_by = "mass", "'mass'");
    set.columns[0].kind = SCREE_COLUMN_DOUBLE;
    scree_sphere_set_free(&set);
    set = make_set(2, 1, (double[]){0, 0}, (double[]){1});
    WRONG(def.eye[0] = 1.0, "");
    WRONG((def.cut = true, def.cut_normal[2] = 1.0), "");
    WRONG(def.colour_by = "z", "'z'");
    scree_picture_def def = bare(64);
    CHECK_FAILS(scree_picture_write("/nowhere/p.png", &set, &def), SCREE_ERR_IO, "/nowhere/p.png");
    CHECK_FAILS(scree_picture_write("", &set, &def), SCREE_ERR_IO);
    scree_sphere_set_free(&set);
}

typedef struct count {
    int calls, stop_at;
    double last;
} count;

static bool count_tick(void* context, double done)
{
    count* c = context;
    assert_true(done >= c->last && done <= 1.0);
    c->last = done;
    return ++c->calls != c->stop_at;
}

// ---- Files -------------------------------------------------------------------------------------------------------

// The file of these tests; before each case there is none.
static const char* path(void)
{
    return in_folder("a.png");
}

static void check_old(void)
{
    CHECK_FILE(path(), OLD);
}

static scree_sphere_set some_spheres(int32_t count_of)
{
    scene_params params = scene_default_params();
    params.count = count_of;
    params.ratio = 10.0;
    scree_sphere_set set;
    CHECK_OK(scene_make("cloud", &params, &set));
    return set;
}

static void check_decodes(const uint8_t* rgba, int32_t width, int32_t height)
{
    png_image image = {.version = PNG_IMAGE_VERSION};
    assert_true(png_image_begin_read_from_file(&image, path()) != 0);
    assert_int_equal(image.width, width);
    assert_int_equal(image.height, height);
    image.format = PNG_FORMAT_RGBA;
    uint8_t* decoded = malloc(PNG_IMAGE_SIZE(image));
    assert_non_null(decoded);
    assert_true(png_image_finish_read(&image, NULL, decoded, 0, NULL) != 0);
    assert_memory_equal(decoded, rgba, (size_t)width * (size_t)height * 4);
    free(decoded);
}

static void test_png(void** state)
{
    (void)state;
    scree_sphere_set set = some_spheres(200);
    for (int background = 0; background < SCREE_BACKGROUND_COUNT; ++background) {
        scree_picture_def def = scree_default_picture_def();
        def.width = 301;
        def.height = 203;
        def.background = background;
        uint8_t* rgba = render(&set, &def);
        CHECK_OK(scree_picture_write(path(), &set, &def));
        check_decodes(rgba, def.width, def.height);
        size_t size, again_size;
        char* bytes = get_file(path(), &size);
        assert_int_equal(bytes[25], background == SCREE_BACKGROUND_NONE ? 6 : 2);  // colour type: RGBA or RGB
        for (size_t k = 0; k + 4 < size; ++k)
            assert_false(memcmp(&bytes[k], "tIME", 4) == 0);
        CHECK_OK(scree_picture_write(path(), &set, &def));
        char* again = get_file(path(), &again_size);
        assert_int_equal(size, again_size);
        assert_memory_equal(bytes, again, size);
        const uint8_t* corner = rgba;
        assert_int_equal(corner[3], background == SCREE_BACKGROUND_NONE ? 0 : 255);
        assert_true(background == SCREE_BACKGROUND_NONE || (corner[0] < 128) == (background == SCREE_BACKGROUND_DARK));
        free(rgba);
        free(bytes);
        free(again);
    }
    CHECK_OK(scree_picture_write(path(), &set, &(scree_picture_def){.struct_size = offsetof(scree_picture_def, eye), .width = 64,
                                                                  .height = 48}));  // an older def
    scree_sphere_set_free(&set);
}

static void test_nth_allocation_fails(void** state)
{
    (void)state;
    scree_sphere_set set = some_spheres(60);
    scree_picture_def def = scree_default_picture_def();
    def.width = 300;
    def.height = 200;
    def.threads = 2;
    put_text(path(), OLD);
    EACH_ALLOCATION_FAILS(scree_picture_write(path(), &set, &def), check_old());
    uint8_t* rgba = malloc(300 * 200 * 4);
    EACH_ALLOCATION_FAILS(scree_picture_render(&set, &def, rgba), (void)0);
    check_decodes(rgba, 300, 200);
    free(rgba);
    scree_sphere_set_free(&set);
}

static void test_nth_system_call_fails(void** state)
{
    (void)state;
    scree_sphere_set set = some_spheres(30);
    scree_picture_def def = bare(200);
    int failures = 0;
    for (int64_t n = 1;; ++n) {
        put_text(path(), OLD);
        scree_output_fail_at(n, ENOSPC);
        scree_status status = scree_picture_write(path(), &set, &def);
        scree_output_fail_at(0, 0);
        if (status == SCREE_OK)
            break;
        assert_int_equal(status, SCREE_ERR_IO);
        assert_non_null(strstr(scree_error_message(), path()));
        if (!is_written_anyway())  // all but the last call of all
            check_old();
        ++failures;
    }
    assert_true(failures >= 5);  // open, write, fsync, close, rename
    // Noise is more than a buffer: here writing fails while libpng is at work.
    uint8_t* noise = malloc(700 * 600 * 4);
    assert_non_null(noise);
    scree_rng rng = scree_rng_make(1, 1);
    for (int64_t k = 0; k < 700 * 600 * 4; ++k)
        noise[k] = (uint8_t)scree_rng_bits(&rng);
    for (int64_t n = 1;; ++n) {
        put_text(path(), OLD);
        scree_output_fail_at(n, ENOSPC);
        scree_status status = scree_png_write(path(), 700, 600, true, noise, (scree_watch){0});
        scree_output_fail_at(0, 0);
        if (status == SCREE_OK)
            break;
        assert_int_equal(status, SCREE_ERR_IO);
        assert_non_null(strstr(scree_error_message(), strerror(ENOSPC)));
        if (!is_written_anyway())
            check_old();
    }
    check_decodes(noise, 700, 600);
    free(noise);
    assert_true(access("/dev/full", F_OK) != 0 || scree_picture_write("/dev/full", &set, &def) == SCREE_ERR_IO);
    scree_sphere_set_free(&set);
}

static void test_watch(void** state)
{
    (void)state;
    scree_sphere_set set = some_spheres(100);
    scree_picture_def def = scree_default_picture_def();
    def.width = def.height = 200;
    int calls = 0;
    for (int threads = 1; threads <= 2; ++threads) {
        count c = {0};
        def.threads = threads;
        def.watch = (scree_watch){count_tick, &c};
        CHECK_OK(scree_picture_write(path(), &set, &def));
        assert_true(c.calls > (threads == 1 ? 20 : 0));  // of several threads only the caller's tells
        calls = threads == 1 ? c.calls : calls;
    }
    def.threads = 1;
    for (int stop = 1; stop < calls; stop += 7) {
        count c = {.stop_at = stop};
        put_text(path(), OLD);
        def.watch = (scree_watch){count_tick, &c};
        CHECK_FAILS(scree_picture_write(path(), &set, &def), SCREE_ERR_CANCELLED);
        check_old();
    }
    scree_sphere_set_free(&set);
}

// With a view each place is at the same pixel, whatever else is there.
static void test_view(void** state)
{
    (void)state;
    for (int dim = 2; dim <= 3; ++dim) {
        scree_sphere_set set;
        scree_picture_def def = scree_default_picture_def();
        def.width = 300;
        def.height = 200;
        def.bar = false;
        def.background = SCREE_BACKGROUND_NONE;
        for (int k = 0; k < 3; ++k) {
            def.view[k][0] = -1.0;
            def.view[k][1] = 3.0 + k;
        }
        int differ[2] = {0, 0};
        uint8_t* pictures[2][2];  // with a view and without, alone and not
        for (int with = 0; with < 2; ++with)
            for (int more = 0; more < 2; ++more) {
                scree_picture_def look = def;
                if (with == 0)
                    look.view[1][0] = NAN;  // one is enough
                CHECK_OK(scree_sphere_set_make(dim, 2 + more, &set));
                for (int64_t i = 0; i < set.count; ++i) {
                    for (int k = 0; k < dim; ++k)
                        set.x[i * dim + k] = i == 0 ? 0.3 : i == 1 ? 2.5 : k == 0 ? -40000.0 : 0.0;  // the third is far outside, on the left
                    set.r[i] = 0.5;
                }
                pictures[with][more] = render(&set, &look);
                scree_sphere_set_free(&set);
            }
        for (int with = 0; with < 2; ++with) {
            for (int p = 0; p < 300 * 200; ++p)
                differ[with] += (pictures[with][0][4 * p + 3] > 128) != (pictures[with][1][4 * p + 3] > 128);
            free(pictures[with][0]);
            free(pictures[with][1]);
        }
        assert_true(differ[0] > 1000);
        assert_true(differ[1] < 20);  // roundings at edges
        CHECK_OK(scree_sphere_set_make(dim, 1, &set));
        memset(set.x, 0, (size_t)dim * sizeof *set.x);
        set.r[0] = 1.0;
        def.view[1][1] = -1.0;
        uint8_t* rgba = malloc(300 * 200 * 4);
        CHECK_FAILS(scree_picture_render(&set, &def, rgba), SCREE_ERR_ARGUMENT, "view", "-1");
        free(rgba);
        scree_sphere_set_free(&set);
    }
}

static const test_case cases[] = {
    UNIT(test_sphere_area),
    UNIT(test_disc_area),
    UNIT(test_light_and_hue),
    UNIT(test_shadow_and_crevice),
    UNIT(test_nearest_wins),
    UNIT(test_axes_of_views),
    UNIT(test_intersection),
    UNIT(test_cut),
    UNIT(test_box_edges),
    UNIT(test_images),
    UNIT(test_raster),
    UNIT(test_maps),
    UNIT(test_values),
    UNIT(test_bar),
    UNIT(test_letters),
    UNIT(test_view),
    THREADS(test_threads),
    UNIT(test_moved_and_scaled),
    UNIT(test_odd_sets),
    UNIT(test_errors),
    UNIT(test_png),
    ALLOCATION(test_nth_allocation_fails),
    ALLOCATION(test_nth_system_call_fails),
    UNIT(test_watch),
};

const test_group group_picture = {.name = "picture", .cases = cases, .count = sizeof cases / sizeof *cases, .begin = make_folder, .end = remove_folder, .before_each = start_clean};
