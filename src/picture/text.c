// Letters for the colour bar: a small stroke font of our own, so that text is sharp at every size and needs no files.
//
// A glyph is a few strokes on a grid of 36 x 36 (digits and letters count 0 .. 35): capitals stand from y = 6 to y = 20, small
// letters reach to 16, tails to 1. Strokes begin with what they are:
//     l  straight lines from point to point
//     c  a smooth curve from the first point to the last, pulled by those between (quadratic B-spline)
//     o  the same, closed
// A pixel is covered by its distance to the nearest stroke. Bytes that are no ASCII letters get a small square each.
#include "picture/picture.h"

#include <math.h>
#include <string.h>

enum { capital = 14, baseline = 6, thickness_tenths = 19, between = 4 };  // grid units

typedef struct glyph {
    char letter;
    int8_t width;
    const char* strokes;
} glyph;

static const glyph glyphs[] = {
    {' ', 4, ""},
    {'!', 2, "l1k1b l1617"},
    {'"', 5, "l1k1h l4k4h"},
    {'#', 10, "l263k l667k l0a8a l1g9g"},
    {'$', 8, "c8i7k0k0d8d861608 l4m44"},
    {'%', 10, "o0f4f4k0k o66a6ab6b l9k16"},
    {'&', 9, "c961g1k6k6g0b06669b"},
    {'\'', 2, "l1k1h"},
    {'(', 4, "c3l0h0935"},
    {')', 4, "c0l3h3905"},
    {'*', 6, "l3k3e l0j6f l6j0f"},
    {'+', 8, "l0d8d l494h"},
    {',', 2, "l1704"},
    {'-', 6, "l0d6d"},
    {'.', 2, "l1617"},
    {'/', 6, "l056l"},
    {'0', 8, "o06868d8k0k0d"},
    {'1', 8, "l2h5k56"},
    {'2', 8, "c0h0k8k8d06 l0686"},
    {'3', 8, "c0i1k8k8d3d c3d8d860608"},
    {'4', 8, "l666k0a8a"},
    {'5', 8, "l7k1k0d c0d2f8f861608"},
    {'6', 8, "o06868e0e c7k2k0d0a"},
    {'7', 8, "l0k8k36"},
    {'8', 8, "o1d7d7k1k o06868d0d"},
    {'9', 8, "o0c8c8k0k c16668d8g"},
    {':', 2, "l1617 l1e1f"},
    {';', 2, "l1704 l1e1f"},
    {'<', 7, "l7h0d79"},
    {'=', 8, "l0f8f l0b8b"},
    {'>', 7, "l0h7d09"},
    {'?', 6, "c0i0k6k6f3d3a l3637"},
    {'@', 11, "c85050kbkb9898e o3a8a8f3f"},
    {'A', 8, "l064k86 l1a7a"},
    {'B', 8, "l060k c0k7k7d0d c0d8d8606"},
    {'C', 8, "c8h7k0k067689"},
    {'D', 8, "l060k c0k3k8k8d863606"},
    {'E', 7, "l7k0k0676 l0d6d"},
    {'F', 7, "l7k0k06 l0d6d"},
    {'G', 8, "c8h7k0k06868c l8c5c"},
    {'H', 8, "l060k l868k l0d8d"},
    {'I', 2, "l161k"},
    {'J', 6, "l6k6a c6a660608"},
    {'K', 8, "l060k l8k0b l3d86"},
    {'L', 7, "l0k0676"},
    {'M', 10, "l060k5caka6"},
    {'N', 8, "l060k868k"},
    {'O', 9, "o06969d9k0k0d"},
    {'P', 8, "l060k c0k3k8k8c3c0c"},
    {'Q', 9, "o06969d9k0k0d l5a96"},
    {'R', 8, "l060k c0k3k8k8c3c0c l4c86"},
    {'S', 8, "c8i7k0k0d8d861608"},
    {'T', 8, "l0k8k l4k46"},
    {'U', 8, "l0k0b c0b06868b l8b8k"},
    {'V', 8, "l0k468k"},
    {'W', 12, "l0k366k96ck"},
    {'X', 8, "l0k86 l8k06"},
    {'Y', 8, "l0k4d8k l4d46"},
    {'Z', 8, "l0k8k0686"},
    {'[', 4, "l3l0l0535"},
    {'\\', 6, "l0l65"},
    {']', 4, "l0l3l3505"},
    {'^', 6, "l0g3k6g"},
    {'_', 8, "l0484"},
    {'`', 3, "l0k2i"},
    {'a', 7, "o06767g0g l7g76"},
    {'b', 7, "l0k06 o06767g0g"},
    {'c', 7, "c7e6g0g066678"},
    {'d', 7, "l7k76 o06767g0g"},
    {'e', 7, "l0b7b c7b7g0g066678"},
    {'f', 5, "c5k2k2f l2f26 l0g5g"},
    {'g', 7, "o06767g0g l7g75 c75711103"},
    {'h', 7, "l0k06 c0b0g7g7b l7b76"},
    {'i', 2, "l1g16 l1j1k"},
    {'j', 3, "l2g24 c242101 l2j2k"},
    {'k', 7, "l0k06 l6g0a l2c66"},
    {'l', 3, "l1k18 c181636"},
    {'m', 10, "l0g06 c0b0g5g5b l5b56 c5b5gagab laba6"},
    {'n', 7, "l0g06 c0b0g7g7b l7b76"},
    {'o', 7, "o06767g0g"},
    {'p', 7, "l0g01 o06767g0g"},
    {'q', 7, "l7g71 o06767g0g"},
    {'r', 5, "l0g06 c0b0g5g"},
    {'s', 6, "c6f5g0g0b6b660607"},
    {'t', 5, "l2k28 c282656 l0g5g"},
    {'u', 7, "l0g0b c0b06767b l7g76"},
    {'v', 6, "l0g366g"},
    {'w', 10, "l0g265g86ag"},
    {'x', 6, "l0g66 l6g06"},
    {'y', 6, "l0g37 l6g11"},
    {'z', 6, "l0g6g0666"},
    {'{', 5, "c4l2l2d0d c0d2d2545"},
    {'|', 2, "l1l15"},
    {'}', 5, "c1l3l3d5d c5d3d3515"},
    {'~', 8, "c0c2f6b8e"},
};

static const glyph square = {'\0', 7, "l06767f0f06"};

static const glyph* glyph_of(char letter)
{
    for (size_t k = 0; k < sizeof glyphs / sizeof *glyphs; ++k)
        if (glyphs[k].letter == letter)
            return &glyphs[k];
    return &square;
}

static bool continues(char byte)  // a later byte of a UTF-8 letter
{
    return ((unsigned char)byte & 0xC0) == 0x80;
}

double scree_text_width(const char* text, double size)
{
    double width = 0.0;
    for (; *text != '\0'; ++text)
        if (!continues(*text))
            width += glyph_of(*text)->width + between;
    return width > 0.0 ? (width - between) * size / capital : 0.0;
}

void scree_blend(canvas* c, int32_t x, int32_t y, const uint8_t rgb[3], double cover)
{
    if (x < 0 || y < 0 || x >= c->width || y >= c->height || !(cover > 0.0))
        return;
    uint8_t* p = &c->rgba[4 * ((int64_t)y * c->width + x)];
    double below = (1.0 - cover) * p[3] / 255.0, alpha = cover + below;
    for (int k = 0; k < 3; ++k)
        p[k] = (uint8_t)((cover * rgb[k] + below * p[k]) / alpha + 0.5);
    p[3] = (uint8_t)(alpha * 255.0 + 0.5);
}

// ---- Strokes -----------------------------------------------------------------------------------------------------

enum { most_points = 16, curve_steps = 6, most_line = most_points * curve_steps + 1 };

static int digit(char c)
{
    return c <= '9' ? c - '0' : c - 'a' + 10;
}

// Reads the next stroke as a line of points; returns what follows it, NULL at the end.
static const char* read_stroke(const char* s, double line[most_line][2], int* count)
{
    while (*s == ' ')
        ++s;
    if (*s == '\0')
        return NULL;
    char kind = *s++;
    double p[most_points][2];
    int n = 0;
    for (; s[0] != '\0' && s[0] != ' ' && n < most_points; s += 2, ++n) {
        p[n][0] = digit(s[0]);
        p[n][1] = digit(s[1]) - baseline;
    }
    *count = 0;
    if (kind == 'l') {
        memcpy(line, p, (size_t)n * sizeof *p);
        *count = n;
        return s;
    }
    // Each inner point (each, if closed) bends a parabola between the middles of its two sides; an open curve begins and
    // ends at its ends.
    int first = kind == 'o' ? 0 : 1, last = kind == 'o' ? n : n - 1;
    for (int k = first; k < last; ++k) {
        const double *before = p[(k + n - 1) % n], *at = p[k], *after = p[(k + 1) % n];
        for (int j = k == first ? 0 : 1; j <= curve_steps; ++j) {
            double t = (double)j / curve_steps;
            for (int c = 0; c < 2; ++c) {
                double begin = kind == 'c' && k == first ? before[c] : 0.5 * (before[c] + at[c]);
                double end = kind == 'c' && k == last - 1 ? after[c] : 0.5 * (at[c] + after[c]);
                line[*count][c] = (1.0 - t) * (1.0 - t) * begin + 2.0 * t * (1.0 - t) * at[c] + t * t * end;
            }
            ++*count;
        }
    }
    return s;
}

static double distance(const double p[2], const double a[2], const double b[2])
{
    double dx = b[0] - a[0], dy = b[1] - a[1], square_length = dx * dx + dy * dy;
    double t = square_length > 0.0 ? ((p[0] - a[0]) * dx + (p[1] - a[1]) * dy) / square_length : 0.0;
    t = t < 0.0 ? 0.0 : t > 1.0 ? 1.0 : t;
    double ox = p[0] - a[0] - t * dx, oy = p[1] - a[1] - t * dy;
    return sqrt(ox * ox + oy * oy);
}

void scree_line_draw(canvas* c, const double from[2], const double to[2], double width, const uint8_t rgb[3])
{
    const double all[4] = {0.0, 0.0, c->width, c->height};
    scree_line_draw_in(c, from, to, width, all, rgb);
}

// The share of pixel x that lies between low and high.
static double inside(int32_t x, double low, double high)
{
    return fmax(fmin(x + 1.0, high) - fmax(x, low), 0.0);
}

void scree_line_draw_in(canvas* c, const double from[2], const double to[2], double width, const double clip[4], const uint8_t rgb[3])
{
    double half = 0.5 * width;
    int32_t x0 = (int32_t)fmax(floor(fmin(from[0], to[0]) - half - 1.0), 0.0), x1 = (int32_t)fmin(ceil(fmax(from[0], to[0]) + half + 1.0), c->width);
    int32_t y0 = (int32_t)fmax(floor(fmin(from[1], to[1]) - half - 1.0), 0.0), y1 = (int32_t)fmin(ceil(fmax(from[1], to[1]) + half + 1.0), c->height);
    for (int32_t y = y0; y <= y1; ++y)
        for (int32_t x = x0; x <= x1; ++x) {
            const double p[2] = {x + 0.5, y + 0.5};
            double cover = inside(x, clip[0], clip[2]) * inside(y, clip[1], clip[3]);
            if (cover > 0.0)
                scree_blend(c, x, y, rgb, cover * fmin(fmax(half + 0.5 - distance(p, from, to), 0.0), 1.0));
        }
}

static void draw_glyph(canvas* c, const glyph* g, double x, double y, double size, const uint8_t rgb[3])
{
    double scale = size / capital, half = fmax(0.05 * thickness_tenths * scale, 0.55);  // pixels
    int32_t x0 = (int32_t)floor(x - half - 1.0), x1 = (int32_t)ceil(x + g->width * scale + half + 1.0);
    int32_t y0 = (int32_t)floor(y - 17.0 * scale - half - 1.0), y1 = (int32_t)ceil(y + 6.0 * scale + half + 1.0);
    for (int32_t py = y0; py <= y1; ++py)
        for (int32_t px = x0; px <= x1; ++px) {
            double p[2] = {(px + 0.5 - x) / scale, (y - py - 0.5) / scale}, nearest = INFINITY;
            double line[most_line][2];
            int count;
            for (const char* s = g->strokes; (s = read_stroke(s, line, &count)) != NULL;)
                for (int k = 0; k + 1 < count; ++k)
                    nearest = fmin(nearest, distance(p, line[k], line[k + 1]));
            scree_blend(c, px, py, rgb, fmin(fmax(half + 0.5 - nearest * scale, 0.0), 1.0));
        }
}

void scree_text_draw(canvas* c, const char* text, double x, double y, double size, const uint8_t rgb[3])
{
    for (; *text != '\0'; ++text) {
        if (continues(*text))
            continue;
        const glyph* g = glyph_of(*text);
        draw_glyph(c, g, x, y, size, rgb);
        x += (g->width + between) * size / capital;
    }
}
