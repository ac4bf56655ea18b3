// Two pens for plots: one writes SVG, the other pixels. What they are asked for is the same, so that a figure looks alike in both.
//
// SVG numbers are written as whole hundredths of a pixel, so that no locale gets into them.
#include "picture/plot.h"

#include "base/argument.h"
#include "base/array.h"
#include "base/text.h"
#include "files/output.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

// ---- SVG -----------------------------------------------------------------------------------------------------------

static void put(pen* p, const char* text, size_t length)
{
    if (p->status != SCREE_OK)
        return;
    p->status = SCREE_RESERVE(p->text, p->capacity, p->used + (int64_t)length + 1);
    if (p->status != SCREE_OK)
        return;
    memcpy(p->text + p->used, text, length);
    p->used += (int64_t)length;
    p->text[p->used] = '\0';
}

#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
static void print(pen* p, const char* format, ...)
{
    char line[256];
    va_list list;
    va_start(list, format);
    int length = vsnprintf(line, sizeof line, format, list);
    va_end(list);
    put(p, line, length > 0 && (size_t)length < sizeof line ? (size_t)length : 0);
}

static void put_number(pen* p, double value)
{
    long long hundredths = llround(fmin(fmax(value, -1e6), 1e6) * 100.0);
    long long size = hundredths < 0 ? -hundredths : hundredths;
    print(p, "%s%lld.%02lld", hundredths < 0 ? "-" : "", size / 100, size % 100);
}

// Characters that may not be shown are not allowed in XML either, and are left out.
static void put_escaped(pen* p, const char* text)
{
    for (size_t left = strlen(text), length; left > 0; text += length, left -= length) {
        bool plain;
        const char* entity = *text == '&' ? "&amp;" : *text == '<' ? "&lt;" : *text == '>' ? "&gt;" : *text == '"' ? "&quot;" : NULL;
        length = scree_text_next(text, left, &plain);
        if (entity != NULL)
            put(p, entity, strlen(entity));
        else if (plain)
            put(p, text, length);
    }
}

static void put_points(pen* p, const char* name, const double (*points)[2], int64_t count)
{
    print(p, "<%s points=\"", name);
    for (int64_t k = 0; k < count; ++k) {
        put_number(p, points[k][0]);
        put(p, ",", 1);
        put_number(p, points[k][1]);
        put(p, k + 1 < count ? " " : "\"", 1);
    }
}

// ---- Life ----------------------------------------------------------------------------------------------------------

scree_status pen_open(bool svg, int32_t width, int32_t height, const uint8_t paper[3], pen* out)
{
    *out = (pen){.canvas = {.width = width, .height = height}};
    if (svg) {
        print(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" ", (int)width, (int)height,
              (int)width, (int)height);
        print(out, "font-family=\"Helvetica, Arial, sans-serif\">\n<rect width=\"%d\" height=\"%d\" fill=\"#%02x%02x%02x\"/>\n", (int)width,
              (int)height, paper[0], paper[1], paper[2]);
        return out->status;
    }
    out->canvas.rgba = scree_malloc((size_t)width * (size_t)height, 4);
    if (out->canvas.rgba == NULL)
        return out->status = SCREE_ERR_MEMORY;
    for (int64_t k = 0; k < (int64_t)width * height; ++k) {
        memcpy(&out->canvas.rgba[4 * k], paper, 3);
        out->canvas.rgba[4 * k + 3] = 255;
    }
    return SCREE_OK;
}

scree_status pen_end(pen* p)
{
    if (p->canvas.rgba == NULL)
        put(p, "</svg>\n", 7);
    return p->status;
}

void pen_close(pen* p)
{
    scree_free(p->canvas.rgba);
    scree_free(p->text);
    *p = (pen){0};
}

void pen_group(pen* p, const char* name)
{
    if (p->canvas.rgba != NULL)
        return;
    if (name == NULL) {
        put(p, "</g>\n", 5);
        return;
    }
    put(p, "<g><title>", 10);
    put_escaped(p, name);
    put(p, "</title>\n", 9);
}

// ---- Strokes -------------------------------------------------------------------------------------------------------

static void dash(canvas* c, const double from[2], const double to[2], double width, const uint8_t rgb[3], double* walked)
{
    double length = hypot(to[0] - from[0], to[1] - from[1]), on = 4.0 * width, whole = 7.0 * width;
    for (double at = 0.0; at < length;) {
        double in = fmod(*walked, whole), rest = (in < on ? on : whole) - in, end = fmin(at + rest, length);
        if (in < on) {
            double a[2], b[2];
            for (int k = 0; k < 2; ++k) {
                a[k] = from[k] + (to[k] - from[k]) * at / length;
                b[k] = from[k] + (to[k] - from[k]) * end / length;
            }
            scree_line_draw(c, a, b, width, rgb);
        }
        *walked += fmax(end - at, 1e-6);
        at = fmax(end, at + 1e-6);
    }
}

void pen_line(pen* p, const double (*points)[2], int64_t count, double width, const uint8_t rgb[3], bool dashed)
{
    if (count < 2)
        return;
    if (p->canvas.rgba == NULL) {
        put_points(p, "polyline", points, count);
        print(p, " fill=\"none\" stroke=\"#%02x%02x%02x\" stroke-linejoin=\"round\" stroke-linecap=\"round\" stroke-width=\"", rgb[0], rgb[1], rgb[2]);
        put_number(p, width);
        if (dashed) {
            put(p, "\" stroke-dasharray=\"", 20);
            put_number(p, 3.0 * width);
            put(p, " ", 1);
            put_number(p, 4.0 * width);
        }
        put(p, "\"/>\n", 4);
        return;
    }
    double walked = 0.0;
    for (int64_t k = 0; k + 1 < count; ++k)
        if (dashed)
            dash(&p->canvas, points[k], points[k + 1], width, rgb, &walked);
        else
            scree_line_draw(&p->canvas, points[k], points[k + 1], width, rgb);
}

void pen_fill(pen* p, const double (*points)[2], int count, const uint8_t rgb[3])
{
    if (p->canvas.rgba == NULL) {
        put_points(p, "polygon", points, count);
        print(p, " fill=\"#%02x%02x%02x\"/>\n", rgb[0], rgb[1], rgb[2]);
        return;
    }
    double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY}, area = 0.0;
    for (int k = 0; k < count; ++k) {
        const double *a = points[k], *b = points[(k + 1) % count];
        area += a[0] * b[1] - a[1] * b[0];
        for (int c = 0; c < 2; ++c) {
            low[c] = fmin(low[c], a[c]);
            high[c] = fmax(high[c], a[c]);
        }
    }
    for (int32_t y = (int32_t)floor(low[1]) - 1; y <= (int32_t)ceil(high[1]); ++y)
        for (int32_t x = (int32_t)floor(low[0]) - 1; x <= (int32_t)ceil(high[0]); ++x) {
            double inside = INFINITY;  // how far from the nearest side
            for (int k = 0; k < count; ++k) {
                const double *a = points[k], *b = points[(k + 1) % count];
                double length = hypot(b[0] - a[0], b[1] - a[1]);
                double cross = (b[0] - a[0]) * (y + 0.5 - a[1]) - (b[1] - a[1]) * (x + 0.5 - a[0]);
                if (length > 0.0)
                    inside = fmin(inside, (area > 0.0 ? cross : -cross) / length);
            }
            scree_blend(&p->canvas, x, y, rgb, fmin(fmax(inside + 0.5, 0.0), 1.0));
        }
}

void pen_text(pen* p, const char* text, double x, double y, double size, int side, const uint8_t rgb[3])
{
    if (p->canvas.rgba == NULL) {
        static const char* const anchors[] = {"start", "middle", "end"};
        put(p, "<text x=\"", 9);
        put_number(p, x);
        put(p, "\" y=\"", 5);
        put_number(p, y);
        print(p, "\" text-anchor=\"%s\" fill=\"#%02x%02x%02x\" font-size=\"", anchors[side], rgb[0], rgb[1], rgb[2]);
        put_number(p, size / 0.72);  // capitals are 0.72 of the font's size
        put(p, "\">", 2);
        put_escaped(p, text);
        put(p, "</text>\n", 8);
        return;
    }
    scree_text_draw(&p->canvas, text, floor(x - 0.5 * side * scree_text_width(text, size)), floor(y), size, rgb);
}

// ---- Files ---------------------------------------------------------------------------------------------------------

static scree_status draw(const scree_plot* plot, bool svg, pen* out)
{
    uint8_t paper[3];
    scree_status status = plot_check(plot);
    if (status != SCREE_OK) {
        *out = (pen){0};
        return status;
    }
    plot_paper(plot, paper);
    status = pen_open(svg, plot->width, plot->height, paper, out);
    if (status == SCREE_OK)
        status = plot_draw(plot, out);
    return status == SCREE_OK ? pen_end(out) : status;
}

static bool ends_with(const char* path, const char* ending)
{
    size_t length = strlen(path), tail = strlen(ending);
    return length > tail && strcmp(path + length - tail, ending) == 0;
}

scree_status scree_write_plot(const char* path, const scree_plot* plot)
{
    SCREE_NEED(path);
    SCREE_NEED(plot);
    bool png = ends_with(path, ".png"), svg = ends_with(path, ".svg") || strcmp(path, "-") == 0;
    if (!png && !svg)
        return scree_fail(SCREE_ERR_ARGUMENT, "'%s': this is not the name of a figure; expected a name that ends in .svg or .png", path);
    pen p;
    scree_status status = draw(plot, svg, &p);
    if (status == SCREE_OK && png)
        status = scree_png_write(path, plot->width, plot->height, false, p.canvas.rgba, scree_get_watch());
    scree_output output;
    if (status == SCREE_OK && svg) {
        status = scree_output_open(&output, path, scree_get_watch());
        if (status == SCREE_OK) {
            scree_output_bytes(&output, p.text, (size_t)p.used);
            status = scree_output_close(&output, SCREE_OK);
        }
    }
    pen_close(&p);
    return status;
}

scree_status scree_plot_render_svg(const scree_plot* plot, char** out)
{
    SCREE_EMPTY(out);
    SCREE_NEED(plot);
    pen p;
    scree_status status = draw(plot, true, &p);
    if (status == SCREE_OK) {
        *out = p.text;
        p.text = NULL;
    }
    pen_close(&p);
    return status;
}
