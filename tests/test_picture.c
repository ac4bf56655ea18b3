// Pictures: areas, places and light against closed forms, the raster against a plain one, the same bytes for any
// number of threads.
#include "picture_support.h"

// ---- Small sets and pictures -------------------------------------------------------------------------------------

static double brightness(const uint8_t* p)
{
    return 0.2126 * scree_srgb_linear(p[0] / 255.0) + 0.7152 * scree_srgb_linear(p[1] / 255.0) +
           0.0722 * scree_srgb_linear(p[2] / 255.0);
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
    CHECK_OK(scree_balls_make(&s, &l, NULL, &b));
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
    THREADS(test_threads),
    UNIT(test_moved_and_scaled),
};

const test_group group_picture = {.name = "picture", .cases = cases, .count = sizeof cases / sizeof *cases, .begin = make_folder, .end = remove_folder, .before_each = start_clean};
