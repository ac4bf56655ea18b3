// The colour bar at the right side: the map from bottom to top, ticks at round numbers, the name of what is shown above.
//
// Ticks are whole multiples of 1, 2 or 5 times a power of ten; on a logarithmic bar powers of ten, with 2 and 5 between them
// if there is room. A tick is kept as digits and exponent, so that its label is exact: 0.3 and never 0.30000000000000004.
#include "picture/picture.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

// m * 10^e as a number and as text.
static double tick_value(int64_t m, int e)
{
    return e < 0 ? (e < -300 ? (double)m / 1e300 / pow(10.0, -e - 300) : (double)m / pow(10.0, -e)) : (double)m * pow(10.0, e);
}

static void tick_label(char out[40], int64_t m, int e)
{
    char digits[24];
    if (m == 0) {
        snprintf(out, 40, "0");
        return;
    }
    while (m % 10 == 0) {
        m /= 10;
        ++e;
    }
    const char* sign = m < 0 ? "-" : "";
    int count = snprintf(digits, sizeof digits, "%" PRId64, m < 0 ? -m : m);
    int point = count + e;  // digits before the decimal point
    if (point > 6 || point < -3) {
        if (count > 1)
            snprintf(out, 40, "%s%c.%.12se%d", sign, digits[0], digits + 1, point - 1);
        else
            snprintf(out, 40, "%s%ce%d", sign, digits[0], point - 1);
    } else if (e >= 0) {
        snprintf(out, 40, "%s%.12s%.*s", sign, digits, e, "000000");
    } else if (point > 0) {
        snprintf(out, 40, "%s%.*s.%.16s", sign, point, digits, digits + point);
    } else {
        snprintf(out, 40, "%s0.%.*s%.14s", sign, -point, "0000", digits);
    }
}

static void add_tick(bar* b, const colours* c, int64_t m, int e)
{
    double value = tick_value(m, e);
    double t = c->log ? (log(value) - log(c->low)) / (log(c->high) - log(c->low))
                      : (0.5 * value - 0.5 * c->low) / (0.5 * c->high - 0.5 * c->low);
    if (!(t >= -1e-9 && t <= 1.0 + 1e-9) || b->tick_count == most_ticks)
        return;
    b->tick[b->tick_count] = fmin(fmax(t, 0.0), 1.0);
    tick_label(b->label[b->tick_count++], m, e);
}

static void linear_ticks(bar* b, const colours* c)
{
    double span = c->high - c->low;
    int e = (int)floor(log10(0.5 * c->high - 0.5 * c->low) + 0.30103) - 1;
    if (!isfinite(span))
        e = 307;
    int step = 1;
    static const int nice[] = {1, 2, 5, 10, 20, 50};
    for (int k = 0; k < 6; ++k) {  // the finest with at most eight ticks
        step = nice[k];
        double size = tick_value(step, e);
        if (floor(c->high / size) - ceil(c->low / size) < 7.5)
            break;
    }
    double size = tick_value(step, e), first = ceil(c->low / size - 1e-9), last = floor(c->high / size + 1e-9);
    if (fabs(first) > 1e14 || fabs(last) > 1e14)
        return;
    for (double k = first; k <= last; ++k)
        add_tick(b, c, (int64_t)k * step, e);
}

// The two ends of the range where no tick is near: to three digits, and on a linear bar to a hundredth of the range.
static void end_ticks(bar* b, const colours* c, double closest)
{
    const double ends[2] = {c->low, c->high};
    int inner = b->tick_count;
    for (int k = 0; k < 2; ++k) {
        bool free = ends[k] != 0.0 && fabs(ends[k]) > 1e-300 && fabs(ends[k]) < 1e300;
        for (int n = 0; n < inner; ++n)
            free = free && fabs(b->tick[n] - k) > closest;
        if (!free || b->tick_count == most_ticks)
            continue;
        int e = (int)floor(log10(fabs(ends[k]))) - 2;
        int finer = c->log ? e : (int)floor(log10(c->high - c->low)) - 2;
        if (finer < e)
            e = finer;
        if (e < -300 || fabs(ends[k]) > 1e15 * pow(10.0, e))
            continue;  // more digits than a double has
        int64_t m = (int64_t)llround(e < 0 ? ends[k] * pow(10.0, -e) : ends[k] / pow(10.0, e));
        b->tick[b->tick_count] = k;
        tick_label(b->label[b->tick_count++], m, e);
    }
}

static void log_ticks(bar* b, const colours* c)
{
    int low = (int)floor(log10(c->low)), high = (int)ceil(log10(c->high));
    int every = (high - low) / 8 + 1;
    if (c->high / c->low < 3.0) {
        linear_ticks(b, c);
        return;
    }
    for (int e = low; e <= high; e += every) {
        add_tick(b, c, 1, e);
        for (int m = 2; m <= 5 && high - low <= 3; m += 3)
            add_tick(b, c, m, e);
    }
}

bar scree_bar_plan(const scree_picture_def* def, const colours* c)
{
    bar b = {.drawn = def->bar && def->width >= 240 && def->height >= 180 && !c->empty};
    if (!b.drawn)
        return b;
    b.size = fmax(7.0, 0.0155 * fmin(def->height, def->width));
    if (c->constant) {
        char number[32];
        snprintf(number, sizeof number, "%.6g", c->low);  // a locale's comma is made a point again
        for (char* p = number; *p != '\0'; ++p)
            *p = *p == ',' ? '.' : *p;
        snprintf(b.title, sizeof b.title, "%.40s = %.24s", c->name, number);
    } else {
        snprintf(b.title, sizeof b.title, "%.63s", c->name);
        if (c->log)
            log_ticks(&b, c);
        else
            linear_ticks(&b, c);
        end_ticks(&b, c, 2.0 * b.size / (0.6 * def->height));
    }
    double most = 0.30 * def->width, width = scree_text_width(b.title, b.size);
    for (size_t length = strlen(b.title); width > most && length > 3; --length) {
        snprintf(&b.title[length - 3], 4, "...");
        width = scree_text_width(b.title, b.size);
    }
    double labels = 0.0;
    for (int k = 0; k < b.tick_count; ++k)
        labels = fmax(labels, scree_text_width(b.label[k], b.size));
    double across = c->constant ? 0.0 : 2.0 * b.size + 1.2 * b.size + labels;
    b.reserved = (int32_t)ceil(fmax(across, width) + 3.2 * b.size);
    return b;
}

static void fill(canvas* to, double x0, double y0, double x1, double y1, const uint8_t rgb[3])
{
    for (int32_t y = (int32_t)floor(y0); y < y1; ++y)
        for (int32_t x = (int32_t)floor(x0); x < x1; ++x) {
            double wide = fmin(x + 1.0, x1) - fmax(x, x0), tall = fmin(y + 1.0, y1) - fmax(y, y0);
            scree_blend(to, x, y, rgb, fmax(wide, 0.0) * fmax(tall, 0.0));
        }
}

void scree_bar_draw(const bar* b, const colours* c, const palette* p, canvas* to)
{
    double size = b->size, left = floor(to->width - b->reserved + 0.9 * size);
    double top = floor(0.20 * to->height), bottom = floor(0.80 * to->height), right = left + floor(2.0 * size);
    double line = fmax(1.0, floor(0.09 * size + 0.5));
    // The strip is the bar's own: an enlarged scene ends there.
    for (int64_t y = 0; y < to->height; ++y)
        for (int64_t x = to->width - b->reserved; x < to->width; ++x) {
            uint8_t* at = &to->rgba[4 * (y * to->width + x)];
            for (int k = 0; k < 3; ++k)
                at[k] = p->transparent ? 0 : p->paper[k];
            at[3] = p->transparent ? 0 : 255;
        }
    scree_text_draw(to, b->title, left, floor(top - 1.5 * size), size, p->ink);
    if (c->constant)
        return;
    fill(to, left - line, top - line, right + line, bottom + line, p->ink);
    for (double y = top; y < bottom; ++y) {
        double t = (bottom - 1.0 - y) / (bottom - top - 1.0);
        uint8_t rgb[3];
        for (int k = 0; k < 3; ++k)
            rgb[k] = (uint8_t)(scree_srgb_encode((double)c->rgb[(int)(t * (colour_steps - 1) + 0.5)][k]) * 255.0 + 0.5);
        fill(to, left, y, right, y + 1.0, rgb);
    }
    for (int k = 0; k < b->tick_count; ++k) {
        double y = floor(bottom - 0.5 - b->tick[k] * (bottom - top - 1.0)) + 0.5;
        fill(to, right, y - 0.5 * line, right + 0.5 * size, y + 0.5 * line, p->ink);
        scree_text_draw(to, b->label[k], right + 0.95 * size, floor(y + 0.5 * size + 0.5), size, p->ink);
    }
}
