// The colour bars at the right side: the map from bottom to top, ticks at round numbers, the name of what is shown above. Two of them, of bodies and
// of rods, share the side.
#include "picture/picture.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static bar plan_bar(const scree_picture_def* def, const colours* c, double top, double bottom)
{
    bar b = {.drawn = def->bar && def->width >= 240 && def->height >= 180 && !c->empty, .top = top, .bottom = bottom};
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
        b.ticks = scree_ticks_make(c->low, c->high, c->log);
        scree_ticks_add_ends(&b.ticks, 2.0 * b.size / ((bottom - top) * def->height));
    }
    double most = 0.30 * def->width, width = scree_text_width(b.title, b.size);
    for (size_t length = strlen(b.title); width > most && length > 3; --length) {
        snprintf(&b.title[length - 3], 4, "...");
        width = scree_text_width(b.title, b.size);
    }
    double labels = 0.0;
    for (int k = 0; k < b.ticks.count; ++k)
        labels = fmax(labels, scree_text_width(b.ticks.label[k], b.size));
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

static void draw_bar(const bar* b, const colours* c, int32_t reserved, const palette* p, canvas* to)
{
    double size = b->size, left = floor(to->width - reserved + 0.9 * size);
    double top = floor(b->top * to->height), bottom = floor(b->bottom * to->height), right = left + floor(2.0 * size);
    double line = fmax(1.0, floor(0.09 * size + 0.5));
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
    for (int k = 0; k < b->ticks.count; ++k) {
        double y = floor(bottom - 0.5 - b->ticks.at[k] * (bottom - top - 1.0)) + 0.5;
        fill(to, right, y - 0.5 * line, right + 0.5 * size, y + 0.5 * line, p->ink);
        scree_text_draw(to, b->ticks.label[k], right + 0.95 * size, floor(y + 0.5 * size + 0.5), size, p->ink);
    }
}

bar_pair scree_bars_plan(const scree_picture_def* def, const colours* c, const colours* rod_colours)
{
    bool bodies = rod_colours == NULL || def->colour_by != NULL, both = bodies && rod_colours != NULL && !rod_colours->empty;
    bar_pair out = {0};
    for (int k = 0; k < 2; ++k) {
        const colours* shown = k == 0 ? c : rod_colours;
        if (k == 0 ? !bodies : rod_colours == NULL)
            continue;
        bar one = !both ? plan_bar(def, shown, 0.20, 0.80) : k == 0 ? plan_bar(def, shown, 0.10, 0.45) : plan_bar(def, shown, 0.60, 0.95);
        if (!one.drawn)
            continue;
        out.colours[out.count] = shown;
        out.bar[out.count++] = one;
        out.reserved = one.reserved > out.reserved ? one.reserved : out.reserved;
    }
    return out;
}

// The strip is the bars' own: an enlarged scene ends there.
static void clear_strip(int32_t reserved, const palette* p, canvas* to)
{
    for (int64_t y = 0; y < to->height; ++y)
        for (int64_t x = to->width - reserved; x < to->width; ++x) {
            uint8_t* at = &to->rgba[4 * (y * to->width + x)];
            for (int k = 0; k < 3; ++k)
                at[k] = p->transparent ? 0 : p->paper[k];
            at[3] = p->transparent ? 0 : 255;
        }
}

void scree_bars_draw(const bar_pair* b, const scree_picture_def* def, const palette* p, uint8_t* rgba)
{
    canvas to = {.width = def->width, .height = def->height, .rgba = rgba};
    if (b->count > 0)
        clear_strip(b->reserved, p, &to);
    for (int k = 0; k < b->count; ++k)
        draw_bar(&b->bar[k], b->colours[k], b->reserved, p, &to);
    double size = fmax(7.0, 0.0155 * fmin(def->height, def->width));
    if (def->caption != NULL)
        scree_text_draw(&to, def->caption, floor(1.5 * size), floor(1.7 * size), size, p->ink);
}
