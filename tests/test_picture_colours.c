// Colour maps, values as colours, the colour bar and letters.
#include "picture_support.h"

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

static const test_case cases[] = {
    UNIT(test_maps),
    UNIT(test_values),
    UNIT(test_bar),
    UNIT(test_letters),
};

const test_group group_picture_colours = {.name = "picture_colours", .cases = cases, .count = sizeof cases / sizeof *cases, .begin = make_folder, .end = remove_folder, .before_each = start_clean};
