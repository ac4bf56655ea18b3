// What a plot looks like: a frame with ticks at round numbers and faint lines through them, the series in it, the legend at the right of it.
//
//        title
//        y label
//      |‾‾‾‾‾‾‾‾‾‾‾‾|  --o-- name
//    1 |- - - - - - |  --s-- name
//      |____________|
//       0    x label 5
//
// The label of y stands above its axis, where it reads without turning one's head. Series differ in colour and in the shape of their points, so
// that they can be distinguished in grey too; whiskers and hollow points have the colour and shape of what they belong to. Names in place of numbers on the x
// axis take two or three rows where one is too short. Guides, the dashed lines of a given slope, lie below the series and have the colour of text.
#include "picture/plot.h"

#include "base/argument.h"
#include "base/array.h"

#include <math.h>
#include <string.h>

enum { colour_count = 8, shape_corners = 12 };

// Far apart in lightness as well as in hue; on paper, and on a dark page.
static const uint8_t colours_of[2][colour_count][3] = {
    {{0x0b, 0x5f, 0xa5}, {0xd0, 0x4a, 0x02}, {0x1b, 0x84, 0x5b}, {0x8e, 0x3a, 0x9d}, {0xb8, 0x86, 0x0b}, {0x3d, 0x3d, 0x3d}, {0x2a, 0xa6, 0xc4}, {0xc2, 0x2f, 0x5b}},
    {{0x6c, 0xb5, 0xf2}, {0xff, 0x8f, 0x4d}, {0x5f, 0xd3, 0xa2}, {0xd0, 0x8c, 0xdd}, {0xe8, 0xc0, 0x4a}, {0xd0, 0xd0, 0xd0}, {0x70, 0xd8, 0xf0}, {0xf2, 0x7f, 0xa5}},
};

// Paper, ink, faint lines.
static const uint8_t page_colours[2][3][3] = {{{0xff, 0xff, 0xff}, {0x22, 0x22, 0x22}, {0xe3, 0xe5, 0xe8}}, {{0x16, 0x18, 0x1d}, {0xe6, 0xe6, 0xe6}, {0x33, 0x36, 0x3d}}};

const uint8_t* plot_colour(int32_t background, int32_t which)
{
    return which < 3 ? page_colours[background][which] : colours_of[background][which - 3];
}

typedef struct frame {
    double left, right, top, bottom;   // of the plotting area, in pixels
    double range[2][2];                // of x and y
    bool log[2];
    double size;                       // of letters
    int name_rows;                     // of names under the x axis; 0: numbers
    uint8_t ink[3], faint[3], paper[3];
} frame;

SCREE_DEFAULTS_OF(scree_plot, scree_default_plot)
{
    return (scree_plot){.struct_size = sizeof(scree_plot), .width = 1200, .height = 800, .x_range = {NAN, NAN}, .y_range = {NAN, NAN}};
}

void plot_paper(const scree_plot* plot, uint8_t rgb[3])
{
    memcpy(rgb, plot_colour(plot->background, 0), 3);
}

// ---- Checks and ranges ---------------------------------------------------------------------------------------------

static scree_status check_range(const char* name, const double range[2], bool log)
{
    for (int k = 0; k < 2; ++k)
        if (isinf(range[k]) || fabs(range[k]) > 1e300 || (log && range[k] <= 0.0))
            return scree_fail(SCREE_ERR_ARGUMENT, "plot: the %s%s axis ends at %g; expected a %s number", log ? "logarithmic " : "", name, range[k], log ? "positive" : "finite");
    if (range[0] >= range[1])
        return scree_fail(SCREE_ERR_ARGUMENT, "plot: the %s axis goes from %g to %g; expected a lower value first", name, range[0], range[1]);
    return SCREE_OK;
}

static scree_status check_series(const scree_plot* plot, int32_t s)
{
    const scree_series* series = &plot->series[s];
    if (series->count < 0 || (series->count > 0 && (series->x == NULL || series->y == NULL)))
        return scree_fail(SCREE_ERR_ARGUMENT, "plot: series %d has %d points at NULL; expected x and y of that many", (int)s, (int)series->count);
    if (series->style < 0 || series->style >= SCREE_SERIES_COUNT || series->colour < 0 || series->colour > colour_count)
        return scree_fail(SCREE_ERR_ARGUMENT, "plot: series %d has style %d and colour %d; expected a style of 0 to %d and a colour of 0 to %d", (int)s, (int)series->style, (int)series->colour,
                          SCREE_SERIES_COUNT - 1, (int)colour_count);
    if (series->style == SCREE_SERIES_BARS && plot->y_log)
        return scree_fail(SCREE_ERR_ARGUMENT, "plot: series %d has bars on a logarithmic y axis, which has no 0 to start them from; expected points or a linear axis", (int)s);
    if ((series->low == NULL) != (series->high == NULL))
        return scree_fail(SCREE_ERR_ARGUMENT, "plot: series %d has whiskers with %s at NULL; expected both ends or none", (int)s, series->low == NULL ? "low" : "high");
    return SCREE_OK;
}

static scree_status check_guides_and_names(const scree_plot* plot)
{
    if (plot->guide_count < 0 || (plot->guide_count > 0 && plot->guides == NULL))
        return scree_fail(SCREE_ERR_ARGUMENT, "plot: %d guides at NULL; expected an array of that many", (int)plot->guide_count);
    if (plot->guide_count > 0 && !(plot->x_log && plot->y_log))
        return scree_fail(SCREE_ERR_ARGUMENT, "plot: guides are powers of x; expected both axes logarithmic");
    for (int32_t g = 0; g < plot->guide_count; ++g) {
        const scree_guide* guide = &plot->guides[g];
        if (!(fabs(guide->slope) < 1e6) || !(guide->x > 1e-300 && guide->x < 1e300) || !(guide->y > 1e-300 && guide->y < 1e300))
            return scree_fail(SCREE_ERR_ARGUMENT, "plot: guide %d has slope %g through (%g, %g); expected a finite slope and a point of both axes", (int)g, guide->slope,
                              guide->x, guide->y);
    }
    if (plot->name_count < 0 || (plot->name_count > 0 && plot->names == NULL))
        return scree_fail(SCREE_ERR_ARGUMENT, "plot: %d names at NULL; expected an array of that many", (int)plot->name_count);
    if (plot->name_count > 0 && plot->x_log)
        return scree_fail(SCREE_ERR_ARGUMENT, "plot: names are at x = 0, 1, 2 ..., which a logarithmic x axis does not show; expected a linear one");
    for (int32_t n = 0; n < plot->name_count; ++n)
        if (plot->names[n] == NULL)
            return scree_fail(SCREE_ERR_ARGUMENT, "plot: name %d is NULL; expected a text", (int)n);
    return SCREE_OK;
}

scree_status plot_check(const scree_plot* plot)
{
    // No smaller struct is taken: series of an older header would lie elsewhere in their array.
    scree_status fits = scree_check_struct_size("plot", "scree_default_plot", plot->struct_size, sizeof *plot, sizeof *plot);
    if (fits != SCREE_OK)
        return fits;
    if (plot->width < 200 || plot->height < 200 || plot->width > 10000 || plot->height > 10000)
        return scree_fail(SCREE_ERR_ARGUMENT, "plot: %d x %d pixels; expected 200 to 10000 in each direction", (int)plot->width, (int)plot->height);
    if (plot->background < 0 || plot->background > 1)
        return scree_fail(SCREE_ERR_ARGUMENT, "plot: background %d; expected 0, light, or 1, dark", (int)plot->background);
    if (plot->series_count < 0 || (plot->series_count > 0 && plot->series == NULL))
        return scree_fail(SCREE_ERR_ARGUMENT, "plot: %d series at NULL; expected an array of that many", (int)plot->series_count);
    scree_status status = check_guides_and_names(plot);
    for (int32_t s = 0; s < plot->series_count && status == SCREE_OK; ++s)
        status = check_series(plot, s);
    if (status == SCREE_OK)
        status = check_range("x", plot->x_range, plot->x_log);
    return status == SCREE_OK ? check_range("y", plot->y_range, plot->y_log) : status;
}

static bool shown(double value, bool log)
{
    return fabs(value) < 1e300 && (!log || value > 1e-300);
}

static void find_range(const scree_plot* plot, int axis, double out[2])
{
    bool log_axis = axis == 0 ? plot->x_log : plot->y_log, from_0 = false;
    const double* given = axis == 0 ? plot->x_range : plot->y_range;
    double low = INFINITY, high = -INFINITY;
    for (int32_t s = 0; s < plot->series_count; ++s) {
        const scree_series* series = &plot->series[s];
        from_0 = from_0 || (axis == 1 && series->style == SCREE_SERIES_BARS && !log_axis);
        double half = 0.0;  // bars stand about their places
        for (int32_t k = 1; k < series->count && axis == 0 && series->style == SCREE_SERIES_BARS && !log_axis; ++k)
            if (shown(series->x[k] - series->x[k - 1], false))
                half = half > 0.0 ? fmin(half, 0.5 * fabs(series->x[k] - series->x[k - 1])) : 0.5 * fabs(series->x[k] - series->x[k - 1]);
        for (int32_t k = 0; k < series->count; ++k) {
            double value = (axis == 0 ? series->x : series->y)[k];
            if (!shown(series->x[k], plot->x_log) || !shown(series->y[k], plot->y_log))
                continue;
            low = fmin(low, value - half);
            high = fmax(high, value + half);
            if (axis == 1 && series->low != NULL && shown(series->low[k], log_axis))
                low = fmin(low, series->low[k]);
            if (axis == 1 && series->low != NULL && shown(series->high[k], log_axis))
                high = fmax(high, series->high[k]);
        }
    }
    bool named = axis == 0 && plot->name_count > 0;
    if (named) {
        low = fmin(low, -0.5);
        high = fmax(high, plot->name_count - 0.5);
    }
    if (!(low <= high)) {
        low = log_axis ? 1.0 : 0.0;
        high = log_axis ? 10.0 : 1.0;
    }
    if (log_axis) {
        double more = fmax(pow(high / low, 0.04), high / low < 1.2 ? 1.5 : 1.0);
        out[0] = fmax(low / more, 1e-300);
        out[1] = fmin(high * more, 1e300);
    } else {
        bool sits_on_0 = low >= 0.0 && (from_0 || (axis == 1 && low < 0.5 * high)), hangs = high <= 0.0 && from_0;
        double more = named ? 0.0 : high > low ? 0.05 * (high - low) : fmax(0.1 * fabs(high), 1e-6);
        if (axis == 0 && high > low)
            more *= 0.6;
        out[0] = sits_on_0 ? 0.0 : low - more;
        out[1] = hangs ? 0.0 : high + more;
    }
    for (int k = 0; k < 2; ++k)
        if (!isnan(given[k]))
            out[k] = given[k];
    if (!(out[0] < out[1])) {  // one end was given, and nothing lies on its side
        if (isnan(given[1]))
            out[1] = log_axis ? out[0] * 10.0 : out[0] + fmax(1.0, fabs(out[0]));
        else
            out[0] = log_axis ? out[1] / 10.0 : out[1] - fmax(1.0, fabs(out[1]));
    }
}

// ---- Frame ---------------------------------------------------------------------------------------------------------

static double along(const frame* f, int axis, double value)
{
    const double* range = f->range[axis];
    double t = f->log[axis] ? log(value / range[0]) / log(range[1] / range[0]) : (value - range[0]) / (range[1] - range[0]);
    t = fmin(fmax(t, -10.0), 11.0);
    return axis == 0 ? f->left + t * (f->right - f->left) : f->bottom - t * (f->bottom - f->top);
}

static double legend_width(const scree_plot* plot, double size)
{
    double most = 0.0;
    for (int32_t s = 0; s < plot->series_count; ++s)
        if (plot->series[s].name != NULL)
            most = fmax(most, scree_text_width(plot->series[s].name, size));
    return most > 0.0 ? most + 5.0 * size : 0.0;
}

// Names that are wider than their room are spread over two or three rows.
static int rows_of_names(const scree_plot* plot, const frame* f)
{
    double room = fabs(along(f, 0, 1.0) - along(f, 0, 0.0)), rows = 1.0;
    for (int32_t n = 0; n < plot->name_count; ++n)
        rows = fmax(rows, ceil((scree_text_width(plot->names[n], f->size) + f->size) / fmax(room, 1.0)));
    return plot->name_count > 0 ? (int)fmin(rows, fmin(3.0, plot->name_count)) : 0;
}

static frame make_frame(const scree_plot* plot, ticks axis[2])
{
    frame f = {.log = {plot->x_log, plot->y_log}, .size = fmax(7.0, 0.0165 * fmin(plot->width, plot->height))};
    memcpy(f.ink, plot_colour(plot->background, 1), 3);
    memcpy(f.faint, plot_colour(plot->background, 2), 3);
    plot_paper(plot, f.paper);
    double size = f.size, widest = 0.0;
    for (int a = 0; a < 2; ++a) {
        find_range(plot, a, f.range[a]);
        axis[a] = scree_ticks_make(f.range[a][0], f.range[a][1], f.log[a]);
    }
    if (plot->name_count > 0)
        axis[0].count = axis[0].minor_count = 0;
    for (int k = 0; k < axis[1].count; ++k)
        widest = fmax(widest, scree_text_width(axis[1].label[k], size));
    f.left = ceil(widest + 2.6 * size);
    f.right = floor(fmax(plot->width - fmax(legend_width(plot, size), 2.0 * size) - size, f.left + 4.0 * size));
    f.top = ceil(1.2 * size + (plot->title != NULL ? 2.6 * size : 0.0) + (plot->y_label != NULL ? 2.2 * size : 0.0));
    f.name_rows = rows_of_names(plot, &f);
    f.bottom = floor(plot->height - 2.9 * size - 1.6 * size * (f.name_rows > 1 ? f.name_rows - 1 : 0) - (plot->x_label != NULL ? 2.2 * size : 0.0));
    return f;
}

// A short line from the frame inwards, at a share of the axis.
static void draw_tick(const frame* f, int axis, double at, double length, double width, pen* p)
{
    double x = f->left + at * (f->right - f->left), y = f->bottom - at * (f->bottom - f->top);
    const double upright[2][2] = {{x, f->bottom}, {x, f->bottom - length}}, level[2][2] = {{f->left, y}, {f->left + length, y}};
    pen_line(p, axis == 0 ? upright : level, 2, width, f->ink, false);
}

static void draw_names(const scree_plot* plot, const frame* f, double line, pen* p)
{
    for (int32_t n = 0; n < plot->name_count; ++n) {
        double x = along(f, 0, n), size = f->size;
        if (x < f->left - 0.5 || x > f->right + 0.5)
            continue;
        draw_tick(f, 0, (x - f->left) / (f->right - f->left), 0.6 * size, line, p);
        pen_text(p, plot->names[n], x, f->bottom + (2.0 + 1.6 * (n % f->name_rows)) * size, size, 1, f->ink);
    }
}

static void draw_frame(const scree_plot* plot, const frame* f, const ticks axis[2], pen* p)
{
    double size = f->size, line = fmax(1.0, 0.09 * size);
    for (int a = 0; a < 2; ++a)
        for (int k = 0; k < axis[a].count; ++k) {
            double x = f->left + axis[a].at[k] * (f->right - f->left), y = f->bottom - axis[a].at[k] * (f->bottom - f->top);
            const double upright[2][2] = {{x, f->top}, {x, f->bottom}}, level[2][2] = {{f->left, y}, {f->right, y}};
            pen_line(p, a == 0 ? upright : level, 2, line, f->faint, false);
            if (a == 0)
                pen_text(p, axis[a].label[k], x, f->bottom + 2.0 * size, size, 1, f->ink);
            else
                pen_text(p, axis[a].label[k], f->left - 0.9 * size, y + 0.5 * size, size, 2, f->ink);
        }
    for (int a = 0; a < 2; ++a) {
        for (int k = 0; k < axis[a].count; ++k)
            draw_tick(f, a, axis[a].at[k], 0.6 * size, line, p);
        for (int k = 0; k < axis[a].minor_count; ++k)
            draw_tick(f, a, axis[a].minor[k], 0.3 * size, line, p);
    }
    draw_names(plot, f, line, p);
    const double edge[5][2] = {{f->left, f->top}, {f->right, f->top}, {f->right, f->bottom}, {f->left, f->bottom}, {f->left, f->top}};
    pen_line(p, edge, 5, line, f->ink, false);
    if (plot->title != NULL)
        pen_text(p, plot->title, f->left, 2.4 * size, 1.2 * size, 0, f->ink);
    if (plot->y_label != NULL)
        pen_text(p, plot->y_label, f->left, f->top - 0.9 * size, size, 0, f->ink);
    if (plot->x_label != NULL)
        pen_text(p, plot->x_label, 0.5 * (f->left + f->right), f->bottom + (4.2 + 1.6 * (f->name_rows > 1 ? f->name_rows - 1 : 0)) * size, size, 1, f->ink);
}

// ---- Series --------------------------------------------------------------------------------------------------------

static bool has_line(const scree_series* s)
{
    return s->style == SCREE_SERIES_LINE || s->style == SCREE_SERIES_CURVE || s->style == SCREE_SERIES_DASHES;
}

static bool has_points(const scree_series* s)
{
    return s->style == SCREE_SERIES_LINE || s->style == SCREE_SERIES_POINTS || s->style == SCREE_SERIES_HOLLOW;
}

static void draw_point(const frame* f, int32_t shape, bool hollow, double x, double y, const uint8_t rgb[3], pen* p)
{
    static const int corners[] = {shape_corners, 4, 3, 4, 3, 6};  // disc, square, triangle, diamond, triangle on its tip, hexagon
    static const double turn[] = {0.0, 0.25, 0.75, 0.0, 0.25, 0.0}, size[] = {0.42, 0.5, 0.56, 0.56, 0.56, 0.48};
    const double pi = 3.14159265358979323846;
    int kind = shape % 6, count = corners[kind];
    double reach = size[kind] * f->size * (hollow ? 1.35 : 1.0);  // a filled point at the same place lies inside a hollow one
    double points[shape_corners + 1][2] = {{0.0}};
    for (int c = 0; c < count; ++c) {
        double angle = 2.0 * pi * (c + (count == 4 ? 2.0 : 1.0) * turn[kind] * (count == 3 ? 3.0 : 1.0)) / count;
        points[c][0] = x + reach * cos(angle);
        points[c][1] = y + reach * sin(angle);
    }
    memcpy(points[count], points[0], sizeof *points);
    if (hollow)
        pen_line(p, (const double(*)[2])points, count + 1, 0.14 * f->size, rgb, false);
    else
        pen_fill(p, (const double(*)[2])points, count, rgb);
}

// The part of a line that lies in the frame; false: none.
static bool clip(const frame* f, double a[2], double b[2])
{
    double from = 0.0, to = 1.0, d[2] = {b[0] - a[0], b[1] - a[1]};
    const double low[2] = {f->left, f->top}, high[2] = {f->right, f->bottom};
    for (int k = 0; k < 2; ++k) {
        if (d[k] == 0.0) {
            if (a[k] < low[k] || a[k] > high[k])
                return false;
            continue;
        }
        double enter = ((d[k] > 0.0 ? low[k] : high[k]) - a[k]) / d[k], leave = ((d[k] > 0.0 ? high[k] : low[k]) - a[k]) / d[k];
        from = fmax(from, enter);
        to = fmin(to, leave);
    }
    if (!(from <= to))
        return false;
    for (int k = 0; k < 2; ++k) {
        double start = a[k];
        if (from > 0.0)
            a[k] = start + from * d[k];
        if (to < 1.0)
            b[k] = start + to * d[k];
    }
    return true;
}

static scree_status draw_line(const frame* f, const scree_series* s, const uint8_t rgb[3], pen* p)
{
    double (*line)[2] = scree_malloc((size_t)s->count + 1, sizeof *line), last[2] = {NAN, NAN};
    if (line == NULL)
        return SCREE_ERR_MEMORY;
    int64_t count = 0;
    bool dashed = s->style == SCREE_SERIES_DASHES;
    double width = 0.17 * f->size;
    for (int32_t k = 0; k < s->count; ++k) {
        bool here = shown(s->x[k], f->log[0]) && shown(s->y[k], f->log[1]);
        double now[2] = {here ? along(f, 0, s->x[k]) : NAN, here ? along(f, 1, s->y[k]) : NAN};
        double a[2] = {last[0], last[1]}, b[2] = {now[0], now[1]};
        memcpy(last, now, sizeof last);
        bool seen = !isnan(a[0]) && here && clip(f, a, b);
        if (!seen || (count > 0 && (line[count - 1][0] != a[0] || line[count - 1][1] != a[1]))) {
            pen_line(p, (const double(*)[2])line, count, width, rgb, dashed);
            count = 0;
        }
        if (!seen)
            continue;
        if (count == 0)
            memcpy(line[count++], a, sizeof a);
        memcpy(line[count++], b, sizeof b);
    }
    pen_line(p, (const double(*)[2])line, count, width, rgb, dashed);
    scree_free(line);
    return SCREE_OK;
}

static void draw_points(const frame* f, const scree_series* s, int32_t shape, const uint8_t rgb[3], pen* p)
{
    for (int32_t k = 0; k < s->count; ++k) {
        if (!shown(s->x[k], f->log[0]) || !shown(s->y[k], f->log[1]))
            continue;
        double x = along(f, 0, s->x[k]), y = along(f, 1, s->y[k]);
        if (x >= f->left - 0.5 && x <= f->right + 0.5 && y >= f->top - 0.5 && y <= f->bottom + 0.5)
            draw_point(f, shape, s->style == SCREE_SERIES_HOLLOW, x, y, rgb, p);
    }
}

// The width of one of `parts` bars that share the room between two places.
static double bar_width(const frame* f, const scree_series* s, int32_t parts)
{
    double room = 0.6 * (f->right - f->left);
    for (int32_t k = 1; k < s->count; ++k)
        if (shown(s->x[k], f->log[0]) && shown(s->x[k - 1], f->log[0]))
            room = fmin(room, fabs(along(f, 0, s->x[k]) - along(f, 0, s->x[k - 1])));
    return 0.8 * room / parts;
}

// A series' whiskers, `aside` of its x. An end beyond the axis is cut there.
static void draw_whiskers(const frame* f, const scree_series* s, double aside, const uint8_t rgb[3], pen* p)
{
    double line = 0.12 * f->size, half = 0.35 * f->size;
    for (int32_t k = 0; k < s->count && s->low != NULL; ++k) {
        double low = s->low[k], high = s->high[k];
        if (!shown(s->x[k], f->log[0]) || !shown(s->y[k], f->log[1]) || isnan(low) || !shown(high, f->log[1]))
            continue;
        double x = along(f, 0, s->x[k]) + aside, bottom = shown(low, f->log[1]) ? along(f, 1, low) : f->bottom, top = along(f, 1, high);
        double a[2] = {x, bottom}, b[2] = {x, top};
        if (!clip(f, a, b))
            continue;
        const double stem[2][2] = {{x, a[1]}, {x, b[1]}};
        pen_line(p, stem, 2, line, rgb, false);
        for (int end = 0; end < 2; ++end) {
            double y = end == 0 ? bottom : top;
            const double cap[2][2] = {{fmax(x - half, f->left), y}, {fmin(x + half, f->right), y}};
            if (y >= f->top && y <= f->bottom)
                pen_line(p, cap, 2, line, rgb, false);
        }
    }
}

// `part` of `parts`: bars of several series stand side by side.
static void draw_bars(const frame* f, const scree_series* s, int32_t part, int32_t parts, const uint8_t rgb[3], pen* p)
{
    double width = bar_width(f, s, parts), foot = fmin(fmax(along(f, 1, 0.0), f->top), f->bottom);
    for (int32_t k = 0; k < s->count; ++k) {
        if (!shown(s->x[k], f->log[0]) || !shown(s->y[k], f->log[1]))
            continue;
        double left = along(f, 0, s->x[k]) + (part - 0.5 * parts) * width, right = fmin(left + width, f->right);
        double y = fmin(fmax(along(f, 1, s->y[k]), f->top), f->bottom);
        left = fmax(left, f->left);
        const double corners[4][2] = {{left, foot}, {right, foot}, {right, y}, {left, y}};
        if (left < right && y != foot)
            pen_fill(p, corners, 4, rgb);
    }
}

static int32_t number_of(const scree_plot* plot, int32_t s)
{
    return plot->series[s].colour > 0 ? plot->series[s].colour - 1 : s;
}

static const uint8_t* colour_of(const scree_plot* plot, int32_t s)
{
    return colours_of[plot->background][number_of(plot, s) % colour_count];
}

// The name stands above the line, where it is clear of it whatever the slope: at the left of a point near the right end of a rising line, at the right of one near
// the left end of a falling one.
static void draw_guides(const scree_plot* plot, const frame* f, pen* p)
{
    for (int32_t g = 0; g < plot->guide_count; ++g) {
        const scree_guide* guide = &plot->guides[g];
        double a[2] = {f->left}, b[2] = {f->right}, size = f->size, decades = log(f->range[1][1] / f->range[1][0]);
        for (int k = 0; k < 2; ++k) {
            double x = f->range[0][k], t = (log(guide->y / f->range[1][0]) + guide->slope * log(x / guide->x)) / decades;
            (k == 0 ? a : b)[1] = f->bottom - t * (f->bottom - f->top);
        }
        if (!clip(f, a, b))
            continue;
        pen_group(p, guide->name != NULL ? guide->name : "");
        const double line[2][2] = {{a[0], a[1]}, {b[0], b[1]}};
        pen_line(p, line, 2, 0.11 * size, f->ink, true);
        bool rises = guide->slope >= 0.0;
        double t = rises ? 0.9 : 0.1, x = a[0] + t * (b[0] - a[0]), y = a[1] + t * (b[1] - a[1]);
        if (guide->name != NULL)
            pen_text(p, guide->name, x + (rises ? -0.4 : 0.4) * size, fmax(y - 0.5 * size, f->top + 1.3 * size), size, rises ? 2 : 0, f->ink);
        pen_group(p, NULL);
    }
}

static void draw_legend(const scree_plot* plot, const frame* f, pen* p)
{
    double size = f->size, y = f->top + 0.8 * size, x = f->right + 1.2 * size;
    for (int32_t s = 0; s < plot->series_count; ++s) {
        const scree_series* series = &plot->series[s];
        const uint8_t* rgb = colour_of(plot, s);
        if (series->name == NULL)
            continue;
        const double sample[2][2] = {{x, y}, {x + 2.4 * size, y}}, middle = x + 1.2 * size;
        const double block[4][2] = {{x, y - 0.5 * size}, {x + 2.4 * size, y - 0.5 * size}, {x + 2.4 * size, y + 0.5 * size}, {x, y + 0.5 * size}};
        if (series->style == SCREE_SERIES_BARS)
            pen_fill(p, block, 4, rgb);
        else if (has_line(series))
            pen_line(p, sample, 2, 0.17 * size, rgb, series->style == SCREE_SERIES_DASHES);
        if (has_points(series))
            draw_point(f, number_of(plot, s), series->style == SCREE_SERIES_HOLLOW, middle, y, rgb, p);
        pen_text(p, series->name, x + 3.2 * size, y + 0.5 * size, size, 0, f->ink);
        y += 2.0 * size;
    }
}

scree_status plot_draw(const scree_plot* plot, pen* p)
{
    ticks axis[2];
    frame f = make_frame(plot, axis);
    draw_frame(plot, &f, axis, p);
    draw_guides(plot, &f, p);
    int32_t bars = 0, next = 0;
    for (int32_t s = 0; s < plot->series_count; ++s)
        bars += plot->series[s].style == SCREE_SERIES_BARS;
    scree_status status = SCREE_OK;
    for (int32_t s = 0; s < plot->series_count && status == SCREE_OK; ++s) {
        const scree_series* series = &plot->series[s];
        const uint8_t* rgb = colour_of(plot, s);
        pen_group(p, series->name != NULL ? series->name : "");
        bool upright = series->style == SCREE_SERIES_BARS;
        if (upright)
            draw_bars(&f, series, next, bars, rgb, p);
        else if (has_line(series))
            status = draw_line(&f, series, rgb, p);
        draw_whiskers(&f, series, upright ? (next + 0.5 - 0.5 * bars) * bar_width(&f, series, bars) : 0.0, upright ? f.ink : rgb, p);
        if (has_points(series))
            draw_points(&f, series, number_of(plot, s), rgb, p);
        next += upright;
        pen_group(p, NULL);
    }
    if (status == SCREE_OK)
        draw_legend(plot, &f, p);
    return status;
}
