// Plots: SVG is read back as text, PNG as pixels.
#include "file_support.h"

#include "picture/plot.h"

#include <png.h>
#include <sys/stat.h>
#include <unistd.h>

static const double xs[] = {1.0, 2.0, 3.0, 4.0}, ys[] = {10.0, 20.0, 15.0, 40.0};

static scree_plot plot_of(const scree_series* series, int32_t count)
{
    scree_plot plot = scree_default_plot();
    plot.title = "A title";
    plot.x_label = "x";
    plot.y_label = "y";
    plot.series = series;
    plot.series_count = count;
    return plot;
}

// The points of the first polyline after the frame and the grid, i.e. in the first group.
static int first_line(const char* svg, double (*out)[2], int most)
{
    const char* at = strstr(svg, "<g>");
    assert_non_null(at);
    at = strstr(at, "points=\"");
    assert_non_null(at);
    at += 8;
    int count = 0;
    while (*at != '"' && count < most) {
        char* end;
        out[count][0] = strtod(at, &end);
        out[count][1] = strtod(end + 1, &end);
        at = *end == ' ' ? end + 1 : end;
        ++count;
    }
    return count;
}

// Where ticks are, by their labels: the place of a value on an axis follows from two of them.
static double label_place(const char* svg, const char* label, int axis)
{
    char wanted[64];
    snprintf(wanted, sizeof wanted, "\">%s</text>", label);
    for (const char* at = svg; (at = strstr(at, "<text ")) != NULL; ++at) {
        const char* end = strstr(at, "</text>") + 7;
        if ((size_t)(end - at) < strlen(wanted) || strncmp(end - strlen(wanted), wanted, strlen(wanted)) != 0)
            continue;
        bool of_x = strstr(at, "text-anchor=\"middle\"") != NULL && strstr(at, "text-anchor=\"middle\"") < end;
        if (of_x == (axis == 0))
            return strtod(strstr(at, axis == 0 ? "x=\"" : "y=\"") + 3, NULL);
    }
    fail_msg("no label %s", label);
    return 0.0;
}

static void points_stand_where_the_ticks_say(void** state)
{
    (void)state;
    const scree_series series[] = {{.name = "a", .count = 4, .x = xs, .y = ys, .style = SCREE_SERIES_CURVE}};
    scree_plot plot = plot_of(series, 1);
    char* svg;
    double line[8][2];
    CHECK_OK(scree_plot_render_svg(&plot, &svg));
    assert_int_equal(first_line(svg, line, 8), 4);
    double x1 = label_place(svg, "1", 0), x4 = label_place(svg, "4", 0), y10 = label_place(svg, "10", 1), y40 = label_place(svg, "40", 1);
    for (int k = 0; k < 4; ++k) {
        CHECK_CLOSE(line[k][0], x1 + (x4 - x1) * (xs[k] - 1.0) / 3.0, 0.03);
        CHECK_CLOSE(line[k][1] - line[0][1], (y40 - y10) * (ys[k] - 10.0) / 30.0, 0.03);
    }
    scree_free(svg);
    plot.x_log = plot.y_log = true;
    plot.y_range[0] = 1.0;
    plot.y_range[1] = 100.0;
    CHECK_OK(scree_plot_render_svg(&plot, &svg));
    assert_int_equal(first_line(svg, line, 8), 4);
    double y1 = label_place(svg, "1", 1), y100 = label_place(svg, "100", 1);
    for (int k = 0; k < 4; ++k)
        CHECK_CLOSE(line[k][1] - line[0][1], (y100 - y1) * log10(ys[k] / 10.0) / 2.0, 0.03);
    scree_free(svg);
}

static void gaps_and_ranges_cut_lines(void** state)
{
    (void)state;
    const double y[] = {1.0, NAN, 2.0, 3.0};
    const scree_series series[] = {{.count = 4, .x = xs, .y = y, .style = SCREE_SERIES_CURVE}};
    scree_plot plot = plot_of(series, 1);
    char* svg;
    double line[8][2];
    CHECK_OK(scree_plot_render_svg(&plot, &svg));
    assert_int_equal(first_line(svg, line, 8), 2);
    scree_free(svg);
    const scree_series all[] = {{.count = 4, .x = xs, .y = ys, .style = SCREE_SERIES_CURVE}};
    plot = plot_of(all, 1);
    plot.y_range[1] = 15.0;  // from 10 up to the edge and out, back in where the third point lies on the edge
    CHECK_OK(scree_plot_render_svg(&plot, &svg));
    assert_int_equal(first_line(svg, line, 8), 2);
    assert_true(line[1][0] > line[0][0] && line[1][1] < line[0][1]);
    CHECK_CLOSE((line[1][0] - line[0][0]) / (label_place(svg, "2", 0) - label_place(svg, "1", 0)), 0.5, 0.01);
    scree_free(svg);
    plot.y_log = true;
    plot.y_range[1] = NAN;
    const double low[] = {-1.0, 0.0, INFINITY, 2.0};
    const scree_series none[] = {{.count = 4, .x = xs, .y = low}};
    plot.series = none;
    CHECK_OK(scree_plot_render_svg(&plot, &svg));
    scree_free(svg);
}

static void text_is_escaped(void** state)
{
    (void)state;
    const scree_series series[] = {{.name = "a < b & \"c\"\n", .count = 4, .x = xs, .y = ys}};
    scree_plot plot = plot_of(series, 1);
    plot.title = "<script>";
    char* svg;
    CHECK_OK(scree_plot_render_svg(&plot, &svg));
    assert_null(strstr(svg, "<script>"));
    assert_non_null(strstr(svg, "&lt;script&gt;"));
    assert_non_null(strstr(svg, "a &lt; b &amp; &quot;c&quot;"));
    scree_free(svg);
}

static uint8_t* read_png(const char* path, int* width, int* height)
{
    png_image image = {.version = PNG_IMAGE_VERSION};
    assert_true(png_image_begin_read_from_file(&image, path) != 0);
    image.format = PNG_FORMAT_RGB;
    uint8_t* pixels = malloc(PNG_IMAGE_SIZE(image));
    assert_true(png_image_finish_read(&image, NULL, pixels, 0, NULL) != 0);
    *width = (int)image.width;
    *height = (int)image.height;
    return pixels;
}

static void pixels_show_what_the_svg_says(void** state)
{
    (void)state;
    const char* file = in_folder("p.png");
    const scree_series series[] = {{.name = "bars", .count = 4, .x = xs, .y = ys, .style = SCREE_SERIES_BARS, .colour = 2},
                                   {.name = "line", .count = 4, .x = xs, .y = ys, .style = SCREE_SERIES_LINE, .colour = 1},
                                   {.name = "dashes", .count = 4, .x = xs, .y = ys, .style = SCREE_SERIES_DASHES, .colour = 4}};
    for (int background = 0; background < 2; ++background) {
        scree_plot plot = plot_of(series, 2);
        plot.background = background;
        char* svg;
        CHECK_OK(scree_plot_render_svg(&plot, &svg));
        CHECK_OK(scree_write_plot(file, &plot));
        int width, height;
        uint8_t* pixels = read_png(file, &width, &height);
        assert_int_equal(width, 1200);
        assert_int_equal(height, 800);
        const char* second = strstr(strstr(svg, "<g>") + 3, "<g>");
        double line[8][2];
        assert_int_equal(first_line(second, line, 8), 4);
        char colour[16];
        for (int k = 0; k < 4; ++k) {  // at the points of the line stands its colour; a bar's below it
            const uint8_t* at = &pixels[3 * ((int)line[k][1] * width + (int)line[k][0])];
            snprintf(colour, sizeof colour, "#%02x%02x%02x", at[0], at[1], at[2]);
            assert_non_null(strstr(second, colour));
            at = &pixels[3 * (((int)line[k][1] + 25) * width + (int)line[k][0])];
            snprintf(colour, sizeof colour, "#%02x%02x%02x", at[0], at[1], at[2]);
            assert_true(strstr(svg, colour) != NULL && strstr(svg, colour) < second);
        }
        free(pixels);
        scree_free(svg);
        plot.series_count = 3;
        CHECK_OK(scree_write_plot(file, &plot));
    }
}

// How often `text` is in the group that belongs to a series or guide of this name.
static int in_group(const char* svg, const char* name, const char* text)
{
    char begin[64];
    snprintf(begin, sizeof begin, "<g><title>%s</title>", name);
    const char* at = strstr(svg, begin);
    assert_non_null(at);
    const char* end = strstr(at, "</g>");
    int count = 0;
    for (; (at = strstr(at, text)) != NULL && at < end; ++at)
        ++count;
    return count;
}

static void whiskers_reach_from_low_to_high(void** state)
{
    (void)state;
    const double low[] = {5.0, NAN, 15.0, 20.0}, high[] = {12.0, 22.0, 15.0, 80.0};
    for (int style = 0; style < SCREE_SERIES_COUNT; ++style) {
        scree_series one = {.name = "a", .count = 4, .x = xs, .y = ys, .style = style, .low = low, .high = high};
        scree_plot plot = plot_of(&one, 1);
        char* svg;
        CHECK_OK(scree_plot_render_svg(&plot, &svg));
        double y20 = label_place(svg, "20", 1), y80 = label_place(svg, "80", 1), line[16][2];  // the axis has room for the highest whisker
        int found = 0;
        for (const char* at = strstr(svg, "<g>"); (at = strstr(at, "<polyline points=\"")) != NULL; at += 10) {
            char* next;
            for (int k = 0; k < 2; ++k) {
                line[k][0] = strtod(k == 0 ? at + 18 : next + 1, &next);
                line[k][1] = strtod(next + 1, &next);
            }
            bool stem = *next == '"' && line[0][0] == line[1][0] && line[0][1] > line[1][1];
            found += stem && fabs(line[0][1] - line[1][1] - (y20 - y80)) < 0.05;
        }
        assert_int_equal(found, 1);  // from 20 to 80
        scree_free(svg);
        if (style == SCREE_SERIES_BARS)
            continue;
        const double below[] = {-5.0, 1.0, 15.0, 20.0};
        one.low = below;
        plot.y_log = true;
        CHECK_OK(scree_plot_render_svg(&plot, &svg));  // what a logarithmic axis cannot show is cut
        assert_null(strstr(svg, "nan"));
        scree_free(svg);
    }
}

static void hollow_points_have_no_fill(void** state)
{
    (void)state;
    const scree_series series[] = {{.name = "here", .count = 4, .x = xs, .y = ys, .style = SCREE_SERIES_POINTS, .colour = 2},
                                   {.name = "paper", .count = 4, .x = xs, .y = ys, .style = SCREE_SERIES_HOLLOW, .colour = 2}};
    scree_plot plot = plot_of(series, 2);
    char* svg;
    CHECK_OK(scree_plot_render_svg(&plot, &svg));
    assert_int_equal(in_group(svg, "here", "<polygon"), 4);
    assert_int_equal(in_group(svg, "here", "<polyline"), 0);
    assert_int_equal(in_group(svg, "paper", "<polygon"), 0);
    assert_int_equal(in_group(svg, "paper", "fill=\"none\""), 4);
    scree_free(svg);
    plot.series = &series[1];
    plot.series_count = 1;
    const char* file = in_folder("hollow.png");
    CHECK_OK(scree_plot_render_svg(&plot, &svg));
    CHECK_OK(scree_write_plot(file, &plot));
    int width, height;
    uint8_t* pixels = read_png(file, &width, &height);
    double line[8][2], middle[2] = {0.0, 0.0};
    int corners = first_line(svg, line, 8) - 1;  // the first corner again at the end: colour 2 is the square
    assert_int_equal(corners, 4);
    for (int k = 0; k < 4; ++k)
        for (int c = 0; c < 2; ++c)
            middle[c] += 0.25 * line[k][c];
    const uint8_t* inside = &pixels[3 * ((int)middle[1] * width + (int)middle[0])];
    const uint8_t* side = &pixels[3 * ((int)(0.5 * (line[0][1] + line[1][1])) * width + (int)(0.5 * (line[0][0] + line[1][0])))];
    assert_true(inside[2] > 200 && side[2] < 150);  // paper or a faint line inside; colour 2 has hardly any blue
    free(pixels);
    scree_free(svg);
}

static void guides_have_their_slope(void** state)
{
    (void)state;
    static const double slopes[] = {2.0, 1.0, 0.0, -1.0};
    const scree_series series[] = {{.name = "a", .count = 4, .x = xs, .y = ys}};
    for (int k = 0; k < 4; ++k) {
        const scree_guide guide = {.slope = slopes[k], .x = 2.0, .y = 20.0, .name = "n^k"};
        scree_plot plot = plot_of(series, 1);
        plot.x_log = plot.y_log = true;
        plot.x_range[0] = plot.y_range[0] = 1.0;
        plot.x_range[1] = plot.y_range[1] = 100.0;
        plot.guides = &guide;
        plot.guide_count = 1;
        char* svg;
        double line[8][2];
        CHECK_OK(scree_plot_render_svg(&plot, &svg));
        assert_int_equal(first_line(svg, line, 8), 2);
        assert_int_equal(in_group(svg, "n^k", "stroke-dasharray"), 1);
        assert_int_equal(in_group(svg, "n^k", "<text "), 1);
        double x1 = label_place(svg, "1", 0), x100 = label_place(svg, "100", 0), y1 = label_place(svg, "1", 1), y100 = label_place(svg, "100", 1);
        double decade[2] = {0.5 * (x100 - x1), 0.5 * (y100 - y1)}, rise = (line[1][1] - line[0][1]) / decade[1], run = (line[1][0] - line[0][0]) / decade[0];
        CHECK_CLOSE(rise, slopes[k] * run, 1e-3);
        double at_2 = line[0][1] + slopes[k] * (log10(2.0) - (line[0][0] - x1) / decade[0]) * decade[1];  // labels stand half a letter below their ticks
        CHECK_CLOSE((at_2 - y1) / decade[1], log10(20.0), 0.03);
        scree_free(svg);
    }
}

static double label_height(const char* svg, const char* label)
{
    char wanted[64];
    snprintf(wanted, sizeof wanted, "\">%s</text>", label);
    const char *end = strstr(svg, wanted), *at = svg, *last = NULL;
    assert_non_null(end);
    for (; (at = strstr(at, " y=\"")) != NULL && at < end; ++at)
        last = at;
    return strtod(last + 4, NULL);
}

static void names_stand_in_place_of_numbers(void** state)
{
    (void)state;
    static const char* const names[] = {"grid", "octree", "loose octree"};
    const double at[] = {0.0, 1.0, 2.0};
    const scree_series series[] = {{.name = "a", .count = 3, .x = at, .y = ys, .style = SCREE_SERIES_BARS}};
    scree_plot plot = plot_of(series, 1);
    plot.names = names;
    plot.name_count = 3;
    char* svg;
    CHECK_OK(scree_plot_render_svg(&plot, &svg));
    double places[3], bars[8][2];
    for (int k = 0; k < 3; ++k)
        places[k] = label_place(svg, names[k], 0);
    CHECK_CLOSE(places[1] - places[0], places[2] - places[1], 0.03);
    assert_int_equal(first_line(svg, bars, 8), 4);
    CHECK_CLOSE(0.5 * (bars[0][0] + bars[1][0]), places[0], 0.03);
    assert_null(strstr(svg, "\">0.5</text>"));
    scree_free(svg);
    plot.width = 200;  // too narrow for one row: every second name is lower
    CHECK_OK(scree_plot_render_svg(&plot, &svg));
    assert_true(label_height(svg, "octree") > label_height(svg, "grid"));
    scree_free(svg);
}

static int minor_of(double low, double high, bool log, double* first)
{
    ticks t = scree_ticks_make(low, high, log);
    *first = t.minor_count > 0 ? t.minor[0] : NAN;
    return t.minor_count;
}

static void minor_ticks_lie_between(void** state)
{
    (void)state;
    double first;
    assert_int_equal(minor_of(1.0, 1e5, true, &first), 5 * 8);  // 2 .. 9 of five decades
    CHECK_CLOSE(first, log10(2.0) / 5.0, 1e-12);
    assert_int_equal(minor_of(1.0, 100.0, true, &first), 2 * 6);  // 2 and 5 have labels
    CHECK_CLOSE(first, log10(3.0) / 2.0, 1e-12);
    assert_int_equal(minor_of(1.0, 1e16, true, &first), 11);  // 1e0, 1e3 .. 1e15 have labels
    assert_int_equal(minor_of(0.0, 10.0, false, &first), 15);  // 0, 2 .. 10 have labels; quarters
    CHECK_CLOSE(first, 0.05, 1e-12);
    assert_int_equal(minor_of(0.0, 0.4, false, &first), 16);  // fifths of 0.1
    assert_int_equal(minor_of(0.0, 7.0, false, &first), 0);  // whole numbers in sequence
    assert_int_equal(minor_of(1e-300, 1e300, true, &first), 0);
}

static void errors_name_what_is_wrong(void** state)
{
    (void)state;
    const scree_series series[] = {{.name = "a", .count = 4, .x = xs, .y = ys}};
    scree_series bad = series[0];
    scree_plot plot;
    char* svg;
#define REFUSED(change, ...)                                                        \
    do {                                                                            \
        plot = plot_of(series, 1);                                                  \
        change;                                                                     \
        CHECK_FAILS(scree_plot_render_svg(&plot, &svg), SCREE_ERR_ARGUMENT, __VA_ARGS__);  \
        assert_null(svg);                                                           \
    } while (0)
    REFUSED(plot.struct_size = 0, "scree_default_plot");
    REFUSED(plot.width = 10, "pixels");
    REFUSED(plot.height = 100000, "pixels");
    REFUSED(plot.background = 3, "background");
    REFUSED(plot.series = NULL, "NULL");
    REFUSED(plot.series_count = -1, "series");
    REFUSED(plot.x_range[0] = INFINITY, "x axis");
    REFUSED(plot.y_range[0] = 2.0; plot.y_range[1] = 1.0, "y axis");
    REFUSED(plot.y_log = true; plot.y_range[0] = 0.0, "logarithmic");
    const scree_guide guide = {.slope = 1.0, .x = 1.0, .y = 1.0}, nowhere = {.slope = NAN, .x = 1.0, .y = 1.0}, below = {.slope = 1.0, .x = 1.0};
    const char* const no_name[] = {"a", NULL};
    REFUSED(plot.guides = &guide; plot.guide_count = 1; plot.x_log = true, "logarithmic");
    REFUSED(plot.guide_count = 1; plot.x_log = plot.y_log = true, "guides", "NULL");
    REFUSED(plot.guides = &nowhere; plot.guide_count = 1; plot.x_log = plot.y_log = true, "guide 0", "nan");
    REFUSED(plot.guides = &below; plot.guide_count = 1; plot.x_log = plot.y_log = true, "guide 0");
    REFUSED(plot.name_count = 2, "names", "NULL");
    REFUSED(plot.name_count = 2; plot.names = no_name, "name 1");
    REFUSED(plot.name_count = 1; plot.names = no_name; plot.x_log = true, "names", "logarithmic");
    REFUSED(bad.style = SCREE_SERIES_BARS; plot.series = &bad; plot.y_log = true, "series 0", "bars", "logarithmic");
    REFUSED(bad = series[0]; bad.low = ys; plot.series = &bad, "series 0", "high");
    REFUSED(bad.style = 99; plot.series = &bad, "99");
    REFUSED(bad = series[0]; bad.x = NULL; plot.series = &bad, "NULL");
#undef REFUSED
    plot = plot_of(series, 1);
    CHECK_FAILS(scree_write_plot("figure.jpg", &plot), SCREE_ERR_ARGUMENT, ".svg", ".png");
    CHECK_FAILS(scree_write_plot("/nonexistent/figure.svg", &plot), SCREE_ERR_IO, "figure.svg");
}

static void anything_can_be_drawn(void** state)
{
    (void)state;
    scree_plot plot = plot_of(NULL, 0);
    char* svg;
    CHECK_OK(scree_plot_render_svg(&plot, &svg));
    scree_free(svg);
    static const double odd[] = {0.0, -0.0, 1e-310, 1e300, -1e300, 1e299, NAN, INFINITY, 5.0, 5.0};
    for (int style = 0; style < SCREE_SERIES_COUNT; ++style)
        for (int c = 0; c < 40; ++c) {
            scree_series one = {.name = c % 2 == 0 ? "s" : NULL, .count = c % 10 + 1, .x = odd, .y = c % 3 == 0 ? odd : ys, .style = style};
            one.count = c % 3 == 0 ? one.count : one.count < 4 ? one.count : 4;
            plot = plot_of(&one, 1);
            plot.x_log = c % 5 == 1;
            plot.y_log = c % 7 == 2 && style != SCREE_SERIES_BARS;
            one.low = c % 4 == 1 ? odd : NULL;
            one.high = c % 4 == 1 ? odd + 2 : NULL;
            one.count = c % 4 == 1 && one.count > 8 ? 8 : one.count;
            plot.name_count = c % 5 == 1 ? 0 : c % 3;
            plot.names = (const char* const[]){"one", "another name"};
            plot.x_range[0] = c % 11 == 3 ? 2.0 : NAN;
            CHECK_OK(scree_plot_render_svg(&plot, &svg));
            assert_null(strstr(svg, "nan"));
            assert_null(strstr(svg, "inf"));
            scree_free(svg);
        }
}

static void no_memory(void** state)
{
    (void)state;
    const scree_series series[] = {{.name = "a", .count = 4, .x = xs, .y = ys}, {.name = "b", .count = 4, .x = xs, .y = ys, .style = SCREE_SERIES_BARS}};
    scree_plot plot = plot_of(series, 2);
    char* svg;
    EACH_ALLOCATION_FAILS(scree_plot_render_svg(&plot, &svg), assert_null(svg));
    scree_free(svg);
}

static const test_case cases[] = {
    UNIT(points_stand_where_the_ticks_say),
    UNIT(gaps_and_ranges_cut_lines),
    UNIT(text_is_escaped),
    UNIT(pixels_show_what_the_svg_says),
    UNIT(whiskers_reach_from_low_to_high),
    UNIT(hollow_points_have_no_fill),
    UNIT(guides_have_their_slope),
    UNIT(names_stand_in_place_of_numbers),
    UNIT(minor_ticks_lie_between),
    UNIT(errors_name_what_is_wrong),
    UNIT(anything_can_be_drawn),
    ALLOCATION(no_memory),
};

const test_group group_plot = {.name = "plot", .cases = cases, .count = sizeof cases / sizeof *cases, .begin = make_folder, .end = remove_folder};
