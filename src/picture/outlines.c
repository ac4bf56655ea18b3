// Pictures of polygons and discs in the plane.
//
// Each pixel has n x n samples (n = 4 for each of def->samples), and each sample the body drawn last that it is in. So neighbours that share an edge leave no
// seam, and colours of a pixel are mixed by area, in linear light. Fixed bodies come first, then the others by number.
//
// Filling goes by the even-odd rule without any sorting:
//
//     rows of samples     . . . . . . .        each edge turns a bit at the first sample at or right of where it crosses the row;
//     bits turned         . . 1 . . 1 .        the running exclusive-or of the bits along the row says which samples are inside
//     inside              . . x x x . .
//
// An edge belongs to the rows from its upper end to just above its lower one, so a corner counts once. The crossing is worked out from the upper end to the
// lower one whichever way the edge runs: of polygons that tile the plane each sample is in just one.
// Edges are lines within the body: samples of it nearer than a width to a side. The work is done in tiles; a tile walks through all edges
// of the bodies that reach into it, so bodies of many thousand vertices that cover the picture cost vertices times tiles.
#include "picture/picture.h"
#include "scree/outlines.h"

#include "base/argument.h"

#include <inttypes.h>
#include <math.h>
#include <stdatomic.h>
#include <string.h>

enum { side = 32, many = 48 };  // pixels of a tile; a body over more tiles than that is looked at by all
#define EMPTY INT32_MIN                      // of a sample; else a body, or ~body at its edge
static const double most_items = 5e7;

typedef struct item {  // a body, or an image of one
    int32_t body;
    float width;       // of its edge, in samples; 0: none
    double shift[2];   // length
    double rect[4];    // x0, y0, x1, y1 in pixels
} item;

typedef struct scene {
    const scree_outline_set* set;
    const scree_picture_def* def;
    uint8_t* fixed;          // per body
    double (*bounds)[4];     // per body: lower, upper
    double lower[2], upper[2];  // of all that is drawn, with images; with the box
    double centre[2], scale, middle[2];  // a point of the plane, pixels per length, the pixel it is shown at
    double clip[4];          // in pixels; what is outside is not drawn
    int32_t n;               // samples
    int64_t count;
    item* items;
    int32_t tiles_x, tiles_y;
    int64_t* first;          // tiles + 1
    int32_t* entry;          // items of each tile, in their order
    int32_t large_count;
    int32_t* large;          // items over more than `many` tiles, likewise
    float (*colour)[3];      // per body
    float paper[3];
    bool transparent;
    uint8_t* rgba;
    struct workplace* pool;
    int32_t pool_count;
} scene;

typedef struct workplace {  // what a thread works with
    _Atomic bool taken;
    int32_t* id;    // samples
    uint8_t* flip;  // samples, one more in each row; zero between bodies
} workplace;

// ---- The plane -----------------------------------------------------------------------------------------------------

static bool is_disc(const scree_outline_set* set, int64_t i)
{
    return set->first == NULL || set->first[i + 1] == set->first[i];
}

static void find_bounds(scene* s, int64_t i)
{
    const scree_outline_set* set = s->set;
    double* b = s->bounds[i];
    for (int k = 0; k < 2; ++k) {
        b[k] = is_disc(set, i) ? set->bodies.x[2 * i + k] - set->bodies.r[i] : INFINITY;
        b[2 + k] = is_disc(set, i) ? set->bodies.x[2 * i + k] + set->bodies.r[i] : -INFINITY;
        for (int64_t v = is_disc(set, i) ? 0 : set->first[i]; v < (is_disc(set, i) ? 0 : set->first[i + 1]); ++v) {
            b[k] = fmin(b[k], set->xy[2 * v + k]);
            b[2 + k] = fmax(b[2 + k], set->xy[2 * v + k]);
        }
    }
}

// Shifts by whole box lengths along axis k with which body i is drawn.
static void find_shifts(const scene* s, int64_t i, int k, double* from, double* to)
{
    const scree_box* box = &s->set->bodies.box;
    double copies = (double)s->def->copies;
    *from = *to = 0.0;
    if (!s->set->bodies.has_box || !box->periodic[k])
        return;
    double length = box->upper[k] - box->lower[k], low = s->bounds[i][k], high = s->bounds[i][2 + k];
    *from = -copies;
    *to = copies;
    if (s->def->images != SCREE_IMAGES_NONE) {  // all that reach into the boxes drawn
        *from = ceil((box->lower[k] - copies * length - high) / length);
        *to = floor((box->upper[k] + copies * length - low) / length);
    }
}

static scree_status find_extent(scene* s)
{
    const scree_sphere_set* bodies = &s->set->bodies;
    const scree_box* box = &bodies->box;
    double total = 0.0;
    for (int k = 0; k < 2; ++k) {
        s->lower[k] = INFINITY;
        s->upper[k] = -INFINITY;
    }
    for (int64_t i = 0; i < bodies->count; ++i) {
        double from[2], to[2];
        find_bounds(s, i);
        for (int k = 0; k < 2; ++k)
            find_shifts(s, i, k, &from[k], &to[k]);
        if (from[0] > to[0] || from[1] > to[1])
            continue;
        total += (to[0] - from[0] + 1.0) * (to[1] - from[1] + 1.0);
        for (int k = 0; k < 2; ++k) {
            double length = bodies->has_box && box->periodic[k] ? box->upper[k] - box->lower[k] : 0.0;
            s->lower[k] = fmin(s->lower[k], s->bounds[i][k] + from[k] * length);
            s->upper[k] = fmax(s->upper[k], s->bounds[i][2 + k] + to[k] * length);
        }
    }
    if (!(total <= most_items) && total > (double)bodies->count)
        return scree_fail(SCREE_ERR_ARGUMENT, "%.3g bodies would be drawn with all their images; expected at most %g", total, most_items);
    s->count = (int64_t)total;
    for (int k = 0; k < 2; ++k) {
        double reach = bodies->has_box && box->periodic[k] ? (double)s->def->copies * (box->upper[k] - box->lower[k]) : 0.0;
        if (bodies->has_box && box->periodic[k] && s->def->images == SCREE_IMAGES_FILL) {
            s->lower[k] = box->lower[k] - reach;
            s->upper[k] = box->upper[k] + reach;
        } else if (bodies->has_box && s->def->box) {
            s->lower[k] = fmin(s->lower[k], isfinite(box->lower[k]) ? box->lower[k] - reach : INFINITY);
            s->upper[k] = fmax(s->upper[k], isfinite(box->upper[k]) ? box->upper[k] + reach : -INFINITY);
        }
        if (!(s->lower[k] <= s->upper[k]))
            s->lower[k] = s->upper[k] = isfinite(s->lower[k]) ? s->lower[k] : isfinite(s->upper[k]) ? s->upper[k] : 0.0;
    }
    return SCREE_OK;
}

static double to_pixel(const scene* s, int k, double x)
{
    double off = (x - s->centre[k]) * s->scale;
    return s->middle[k] + (k == 0 ? off : -off);
}

// The whole fills the picture except for a margin, and the bar's strip at the right.
static void aim(scene* s, int32_t reserved)
{
    double room[2] = {(double)(s->def->width - reserved), (double)s->def->height};
    double margin = 0.04 * fmin(room[0], room[1]);
    s->scale = INFINITY;
    for (int k = 0; k < 2; ++k) {
        bool view = scree_picture_has_view(s->def, 2);
        double lower = view ? s->def->view[k][0] : s->lower[k], upper = view ? s->def->view[k][1] : s->upper[k];
        double across = upper - lower;
        if (across > 0.0)
            s->scale = fmin(s->scale, (room[k] - 2.0 * margin) / across);
        s->centre[k] = 0.5 * lower + 0.5 * upper;
        s->middle[k] = 0.5 * room[k];
    }
    s->scale = isfinite(s->scale) ? s->scale * s->def->zoom : 1.0;  // a lone point: any scale will do
    s->clip[0] = s->clip[1] = -INFINITY;
    s->clip[2] = s->clip[3] = INFINITY;
    for (int k = 0; k < 2 && s->def->images == SCREE_IMAGES_FILL; ++k)
        if (s->set->bodies.box.periodic[k]) {
            s->clip[k] = to_pixel(s, k, k == 0 ? s->lower[0] : s->upper[1]);
            s->clip[2 + k] = to_pixel(s, k, k == 0 ? s->upper[0] : s->lower[1]);
        }
}

// ---- Items and tiles -----------------------------------------------------------------------------------------------

static void put_item(scene* s, int32_t i, const double shift[2], int64_t* at)
{
    item* it = &s->items[*at];
    *it = (item){.body = i, .shift = {shift[0], shift[1]}};
    const double* b = s->bounds[i];
    it->rect[0] = to_pixel(s, 0, b[0] + shift[0]);
    it->rect[2] = to_pixel(s, 0, b[2] + shift[0]);
    it->rect[1] = to_pixel(s, 1, b[3] + shift[1]);
    it->rect[3] = to_pixel(s, 1, b[1] + shift[1]);
    double thick = 1.25 * fmax(1.0, fmin(s->def->width, s->def->height) / 1000.0);
    double small = fmin(it->rect[2] - it->rect[0], it->rect[3] - it->rect[1]);  // of small bodies the edge must not be all
    double width = fmin(thick, 0.06 * small);
    it->width = width < 0.2 ? 0.0f : (float)(width * s->n);
    if (it->rect[2] > -1.0 && it->rect[3] > -1.0 && it->rect[0] < s->def->width + 1.0 && it->rect[1] < s->def->height + 1.0)
        ++*at;
}

static void tiles_of(const scene* s, const item* it, int32_t range[4])
{
    const int32_t most[2] = {s->tiles_x - 1, s->tiles_y - 1};
    for (int k = 0; k < 2; ++k) {
        double low = floor((it->rect[k] - 1.0) / side), high = floor((it->rect[2 + k] + 1.0) / side);
        range[k] = low > 0.0 ? (int32_t)fmin(low, most[k]) : 0;
        range[2 + k] = high < most[k] ? (int32_t)fmax(high, 0.0) : most[k];
    }
}

static scree_status make_items(scene* s)
{
    const scree_sphere_set* bodies = &s->set->bodies;
    s->items = scree_malloc((size_t)s->count, sizeof *s->items);
    if (s->items == NULL)
        return SCREE_ERR_MEMORY;
    int64_t at = 0;
    for (int pass = 0; pass < 2; ++pass)
        for (int32_t i = 0; i < bodies->count; ++i) {
            double from[2], to[2], turn[2], length[2] = {0.0, 0.0};
            if (s->fixed[i] != (pass == 0))
                continue;
            for (int k = 0; k < 2; ++k) {
                find_shifts(s, i, k, &from[k], &to[k]);
                if (bodies->has_box && bodies->box.periodic[k])
                    length[k] = bodies->box.upper[k] - bodies->box.lower[k];
            }
            for (turn[1] = from[1]; turn[1] <= to[1]; ++turn[1])
                for (turn[0] = from[0]; turn[0] <= to[0]; ++turn[0])
                    put_item(s, i, (const double[2]){turn[0] * length[0], turn[1] * length[1]}, &at);
        }
    s->count = at;
    return SCREE_OK;
}

static bool is_large(const int32_t range[4])
{
    return (int64_t)(range[2] - range[0] + 1) * (range[3] - range[1] + 1) > many;
}

// Which items each tile has to draw.
static scree_status sort_items(scene* s)
{
    s->tiles_x = (s->def->width + side - 1) / side;
    s->tiles_y = (s->def->height + side - 1) / side;
    int64_t tiles = (int64_t)s->tiles_x * s->tiles_y;
    s->first = scree_calloc((size_t)tiles + 1, sizeof *s->first);
    if (s->first == NULL)
        return SCREE_ERR_MEMORY;
    int32_t r[4];
    for (int64_t m = 0; m < s->count; ++m) {
        tiles_of(s, &s->items[m], r);
        s->large_count += is_large(r);
        for (int32_t y = r[1]; y <= r[3] && !is_large(r); ++y)
            for (int32_t x = r[0]; x <= r[2]; ++x)
                ++s->first[(int64_t)y * s->tiles_x + x + 1];
    }
    for (int64_t t = 0; t < tiles; ++t)
        s->first[t + 1] += s->first[t];
    s->entry = scree_malloc((size_t)s->first[tiles], sizeof *s->entry);
    s->large = scree_malloc((size_t)s->large_count, sizeof *s->large);
    if (s->entry == NULL || s->large == NULL)
        return SCREE_ERR_MEMORY;
    s->large_count = 0;
    for (int64_t m = 0; m < s->count; ++m) {
        tiles_of(s, &s->items[m], r);
        if (is_large(r))
            s->large[s->large_count++] = (int32_t)m;
        for (int32_t y = r[1]; y <= r[3] && !is_large(r); ++y)
            for (int32_t x = r[0]; x <= r[2]; ++x)
                s->entry[s->first[(int64_t)y * s->tiles_x + x]++] = (int32_t)m;
    }
    memmove(s->first + 1, s->first, (size_t)tiles * sizeof *s->first);  // they have moved on by one
    s->first[0] = 0;
    return SCREE_OK;
}

// ---- One tile ------------------------------------------------------------------------------------------------------

typedef struct tile_view {  // a tile under way; places in samples from its upper left corner, the middle of sample s at s + 1/2
    const scene* s;
    workplace* work;
    double x0, y0;          // of its corner, in pixels
    int32_t nx, ny;         // samples
    int32_t c0[2], c1[2];   // those that the clip keeps: c0 <= s < c1
} tile_view;

static int32_t first_sample(double at, int32_t most)  // the first one whose middle is at or behind this place
{
    double s = ceil(at - 0.5);
    return s > 0.0 ? (s < (double)most ? (int32_t)s : most) : 0;
}

static void corner(const tile_view* t, const item* it, int64_t v, double out[2])
{
    out[0] = (to_pixel(t->s, 0, t->s->set->xy[2 * v] + it->shift[0]) - t->x0) * t->s->n;
    out[1] = (to_pixel(t->s, 1, t->s->set->xy[2 * v + 1] + it->shift[1]) - t->y0) * t->s->n;
}

// The samples that an item can be in, and none outside tile and clip; false: none at all.
static bool samples_of(const tile_view* t, const item* it, int32_t low[2], int32_t high[2])
{
    const double corner_of[2] = {t->x0, t->y0};
    for (int k = 0; k < 2; ++k) {
        double from = (it->rect[k] - corner_of[k]) * t->s->n - 1.0, to = (it->rect[2 + k] - corner_of[k]) * t->s->n + 1.0;
        low[k] = first_sample(from, k == 0 ? t->nx : t->ny);
        high[k] = first_sample(to, k == 0 ? t->nx : t->ny);
        low[k] = low[k] > t->c0[k] ? low[k] : t->c0[k];
        high[k] = high[k] < t->c1[k] ? high[k] : t->c1[k];
    }
    return low[0] < high[0] && low[1] < high[1];
}

static void turn_bits(const tile_view* t, const double a[2], const double b[2], const int32_t low[2], const int32_t high[2])
{
    const double *top = a[1] <= b[1] ? a : b, *end = a[1] <= b[1] ? b : a;
    int32_t from = first_sample(top[1] - 1.0, t->ny), to = first_sample(end[1] + 1.0, t->ny);
    from = from > low[1] ? from : low[1];
    to = to < high[1] ? to : high[1];
    for (int32_t y = from; y < to; ++y) {
        double at = y + 0.5;
        if (!(top[1] <= at && at < end[1]))
            continue;
        double x = top[0] + (at - top[1]) * ((end[0] - top[0]) / (end[1] - top[1]));
        int32_t bit = first_sample(x, t->nx);
        bit = bit > low[0] ? bit : low[0];
        if (bit < high[0])
            t->work->flip[(int64_t)y * t->nx + bit] ^= 1;
    }
}

// The part of a row nearer than h to the side from a to b: a rectangle with round ends, which is convex.
static bool near_side(const double a[2], const double b[2], double h, double y, double* left, double* right)
{
    *left = INFINITY;
    *right = -INFINITY;
    for (int k = 0; k < 2; ++k) {
        const double* p = k == 0 ? a : b;
        double below = h * h - (y - p[1]) * (y - p[1]);
        if (below >= 0.0) {
            *left = fmin(*left, p[0] - sqrt(below));
            *right = fmax(*right, p[0] + sqrt(below));
        }
    }
    double along[2] = {b[0] - a[0], b[1] - a[1]}, length = hypot(along[0], along[1]);
    if (length > 0.0) {
        double across[2] = {-along[1] / length * h, along[0] / length * h};
        double c[4][2] = {{a[0] + across[0], a[1] + across[1]}, {b[0] + across[0], b[1] + across[1]}, {b[0] - across[0], b[1] - across[1]},
                          {a[0] - across[0], a[1] - across[1]}};
        for (int k = 0; k < 4; ++k) {
            const double *p = c[k], *q = c[(k + 1) % 4];
            if ((p[1] <= y) == (q[1] <= y))
                continue;
            double x = p[0] + (y - p[1]) * ((q[0] - p[0]) / (q[1] - p[1]));
            *left = fmin(*left, x);
            *right = fmax(*right, x);
        }
    }
    return *left <= *right;
}

static void draw_side(const tile_view* t, const item* it, const double a[2], const double b[2], const int32_t low[2], const int32_t high[2])
{
    double h = (double)it->width;
    int32_t from = first_sample(fmin(a[1], b[1]) - h - 1.0, t->ny), to = first_sample(fmax(a[1], b[1]) + h + 1.0, t->ny);
    from = from > low[1] ? from : low[1];
    to = to < high[1] ? to : high[1];
    for (int32_t y = from; y < to; ++y) {
        double left, right;
        if (!near_side(a, b, h, y + 0.5, &left, &right))
            continue;
        int32_t x = first_sample(left, t->nx), end = first_sample(right, t->nx);
        int32_t* row = &t->work->id[(int64_t)y * t->nx];
        for (x = x > low[0] ? x : low[0]; x < end && x < high[0]; ++x)
            if (row[x] == it->body)
                row[x] = ~it->body;
    }
}

static void draw_polygon(const tile_view* t, const item* it, const int32_t low[2], const int32_t high[2])
{
    const scree_outline_set* set = t->s->set;
    int64_t first = set->first[it->body], end = set->first[it->body + 1];
    double a[2], b[2];
    corner(t, it, end - 1, a);
    for (int64_t v = first; v < end; ++v) {
        corner(t, it, v, b);
        turn_bits(t, a, b, low, high);
        memcpy(a, b, sizeof a);
    }
    for (int32_t y = low[1]; y < high[1]; ++y) {
        int32_t* row = &t->work->id[(int64_t)y * t->nx];
        uint8_t *flip = &t->work->flip[(int64_t)y * t->nx], inside = 0;
        for (int32_t x = low[0]; x < high[0]; ++x) {
            inside ^= flip[x];
            flip[x] = 0;
            row[x] = inside != 0 ? it->body : row[x];
        }
    }
    for (int64_t v = first; v < end && it->width > 0.0f; ++v) {  // a is the last corner again
        corner(t, it, v, b);
        draw_side(t, it, a, b, low, high);
        memcpy(a, b, sizeof a);
    }
}

static void draw_disc(const tile_view* t, const item* it, const int32_t low[2], const int32_t high[2])
{
    const scree_sphere_set* bodies = &t->s->set->bodies;
    double n = (double)t->s->n, r = bodies->r[it->body] * t->s->scale * n, h = (double)it->width;
    double cx = (to_pixel(t->s, 0, bodies->x[2 * (int64_t)it->body] + it->shift[0]) - t->x0) * n;
    double cy = (to_pixel(t->s, 1, bodies->x[2 * (int64_t)it->body + 1] + it->shift[1]) - t->y0) * n;
    for (int32_t y = low[1]; y < high[1]; ++y)
        for (int32_t x = low[0]; x < high[0]; ++x) {
            double dx = x + 0.5 - cx, dy = y + 0.5 - cy, square = dx * dx + dy * dy;
            if (square <= r * r)
                t->work->id[(int64_t)y * t->nx + x] = square > (r - h) * (r - h) ? ~it->body : it->body;
        }
}

static void draw_item(const tile_view* t, const item* it)
{
    int32_t low[2], high[2];
    if (!samples_of(t, it, low, high))
        return;
    double n = (double)t->s->n;
    if ((it->rect[2] - it->rect[0]) * n < 1.0 && (it->rect[3] - it->rect[1]) * n < 1.0) {  // so that it is not lost between the samples
        double x = floor((0.5 * (it->rect[0] + it->rect[2]) - t->x0) * n), y = floor((0.5 * (it->rect[1] + it->rect[3]) - t->y0) * n);
        if (x >= low[0] && x < high[0] && y >= low[1] && y < high[1])
            t->work->id[(int64_t)y * t->nx + (int64_t)x] = it->body;
    } else if (is_disc(t->s->set, it->body)) {
        draw_disc(t, it, low, high);
    } else {
        draw_polygon(t, it, low, high);
    }
}

static const float edge_share = 0.36f;  // of its light that a body keeps at its edge

static void finish_pixel(const tile_view* t, int32_t px, int32_t py)
{
    const scene* s = t->s;
    float sum[3] = {0.0f, 0.0f, 0.0f};
    int32_t filled = 0, n = s->n;
    for (int32_t y = py * n; y < (py + 1) * n; ++y) {
        const int32_t* row = &t->work->id[(int64_t)y * t->nx + (int64_t)px * n];
        for (int32_t x = 0; x < n;) {  // runs of equal samples
            int32_t id = row[x], end = x + 1;
            while (end < n && row[end] == id)
                ++end;
            if (id != EMPTY) {
                const float* rgb = s->colour[id >= 0 ? id : ~id];
                float weight = (float)(end - x) * (id >= 0 ? 1.0f : edge_share);
                for (int c = 0; c < 3; ++c)
                    sum[c] += weight * rgb[c];
                filled += end - x;
            }
            x = end;
        }
    }
    int32_t all = n * n, gx = (int32_t)t->x0 + px, gy = (int32_t)t->y0 + py;
    uint8_t* out = &s->rgba[4 * ((int64_t)gy * s->def->width + gx)];
    for (int c = 0; c < 3; ++c) {
        float mixed = s->transparent ? (filled > 0 ? sum[c] / (float)filled : 0.0f) : (sum[c] + (float)(all - filled) * s->paper[c]) / (float)all;
        out[c] = (uint8_t)(scree_srgb_encode(fmin((double)mixed, 1.0)) * 255.0 + 0.5);
    }
    out[3] = (uint8_t)(s->transparent ? (255 * filled + all / 2) / all : 255);
}

static scree_status draw_tile(void* context, int64_t index)
{
    scene* s = context;
    int32_t k = 0;
    while (atomic_exchange(&s->pool[k].taken, true))  // one for each thread, so one is free; which one changes nothing
        k = (k + 1) % s->pool_count;
    int32_t px = (int32_t)(index % s->tiles_x) * side, py = (int32_t)(index / s->tiles_x) * side;
    tile_view t = {.s = s, .work = &s->pool[k], .x0 = px, .y0 = py};
    int32_t wide = s->def->width - px < side ? s->def->width - px : side, tall = s->def->height - py < side ? s->def->height - py : side;
    t.nx = wide * s->n;
    t.ny = tall * s->n;
    for (int axis = 0; axis < 2; ++axis) {
        double corner_at = axis == 0 ? t.x0 : t.y0;
        int32_t most = axis == 0 ? t.nx : t.ny;
        t.c0[axis] = first_sample((s->clip[axis] - corner_at) * s->n, most);
        t.c1[axis] = first_sample((s->clip[2 + axis] - corner_at) * s->n, most);
    }
    for (int64_t m = 0; m < (int64_t)t.nx * t.ny; ++m)
        t.work->id[m] = EMPTY;
    int64_t own = s->first[index];
    for (int32_t large = 0; own < s->first[index + 1] || large < s->large_count;) {  // two lists in one order
        bool take_large = own == s->first[index + 1] || (large < s->large_count && s->large[large] < s->entry[own]);
        draw_item(&t, &s->items[take_large ? s->large[large++] : s->entry[own++]]);
    }
    for (int32_t y = 0; y < tall; ++y)
        for (int32_t x = 0; x < wide; ++x)
            finish_pixel(&t, x, y);
    atomic_store(&s->pool[k].taken, false);
    return SCREE_OK;
}

// ---- The whole -----------------------------------------------------------------------------------------------------

static void draw_box(const scene* s, const palette* p)
{
    const scree_box* box = &s->set->bodies.box;
    if (!s->set->bodies.has_box || !s->def->box)
        return;
    double at[2][2];  // lower and upper, in pixels
    for (int k = 0; k < 2; ++k) {  // open sides end with the bodies
        at[0][k] = to_pixel(s, k, isfinite(box->lower[k]) ? box->lower[k] : s->lower[k]);
        at[1][k] = to_pixel(s, k, isfinite(box->upper[k]) ? box->upper[k] : s->upper[k]);
    }
    double width = 1.3 * fmax(1.0, fmin(s->def->width, s->def->height) / 1000.0);
    canvas to = {.width = s->def->width, .height = s->def->height, .rgba = s->rgba};
    for (int axis = 0; axis < 2; ++axis)
        for (int high = 0; high < 2; ++high) {
            if (isinf(high ? box->upper[axis] : box->lower[axis]))
                continue;
            double from[2], end[2], most = axis == 0 ? s->def->height : s->def->width;
            from[axis] = end[axis] = at[high][axis];
            from[1 - axis] = fmin(fmax(at[0][1 - axis], -10.0), most + 10.0);
            end[1 - axis] = fmin(fmax(at[1][1 - axis], -10.0), most + 10.0);
            if (from[axis] > -10.0 && from[axis] < (axis == 0 ? s->def->width : s->def->height) + 10.0)
                scree_line_draw(&to, from, end, width, p->line);
        }
}

// Strips outside of the walls.
static void draw_walls(const scene* s)
{
    const scree_box* box = &s->set->bodies.box;
    static const uint8_t rgb[3] = {116, 138, 166};
    if (!s->set->bodies.has_box || !(s->def->walls > 0.0))
        return;
    canvas to = {.width = s->def->width, .height = s->def->height, .rgba = s->rgba};
    double wide = 0.015 * s->scale * fmin(s->upper[0] - s->lower[0], s->upper[1] - s->lower[1]);
    double in[4], out[4];  // x0, y0, x1, y1 of the box, and with the strips
    for (int side_of = 0; side_of < 4; ++side_of) {
        int k = side_of % 2, high = k == 0 ? side_of / 2 : 1 - side_of / 2;  // y runs downwards
        double at = high ? box->upper[k] : box->lower[k];
        in[side_of] = to_pixel(s, k, isfinite(at) ? at : high ? s->upper[k] : s->lower[k]);
        out[side_of] = in[side_of] + (box->periodic[k] || !isfinite(at) ? 0.0 : side_of < 2 ? -wide : wide);
    }
    for (int32_t y = (int32_t)fmax(floor(out[1]), 0.0); y < fmin(out[3], s->def->height); ++y)
        for (int32_t x = (int32_t)fmax(floor(out[0]), 0.0); x < fmin(out[2], s->def->width); ++x) {
            double all = fmax(fmin(x + 1.0, out[2]) - fmax(x, out[0]), 0.0) * fmax(fmin(y + 1.0, out[3]) - fmax(y, out[1]), 0.0);
            double inner = fmax(fmin(x + 1.0, in[2]) - fmax(x, in[0]), 0.0) * fmax(fmin(y + 1.0, in[3]) - fmax(y, in[1]), 0.0);
            scree_blend(&to, x, y, rgb, s->def->walls * (all - inner));
        }
}

// Above the bodies, cut at periodic faces: each image is drawn as far as it lies in the box.
static void draw_rods(const scene* s, const colours* c)
{
    const scree_rods* all = s->def->rods;
    const scree_sphere_set* bodies = &s->set->bodies;
    canvas to = {.width = s->def->width, .height = s->def->height, .rgba = s->rgba};
    double widest = scree_rods_widest(bodies, s->def), clip[4] = {-INFINITY, -INFINITY, INFINITY, INFINITY};
    double low[2] = {0.0, 0.0}, high[2] = {0.0, 0.0}, length[2] = {0.0, 0.0};
    for (int k = 0; k < 2; ++k)
        if (bodies->has_box && bodies->box.periodic[k]) {
            length[k] = bodies->box.upper[k] - bodies->box.lower[k];
            low[k] = bodies->box.lower[k] - s->def->copies * length[k];
            high[k] = bodies->box.upper[k] + s->def->copies * length[k];
            clip[k] = to_pixel(s, k, k == 0 ? low[0] : high[1]);
            clip[2 + k] = to_pixel(s, k, k == 0 ? high[0] : low[1]);
        }
    for (int64_t n = 0; n < all->count; ++n) {
        double(*ends)[3] = all->ends[n], width = scree_rod_width(s->def, c, widest, n), from[2] = {0.0, 0.0}, to_turn[2] = {0.0, 0.0}, turn[2];
        uint8_t rgb[3];
        for (int k = 0; k < 3; ++k)
            rgb[k] = (uint8_t)(scree_srgb_encode((double)c->rgb[c->step[n]][k]) * 255.0 + 0.5);
        if (length[1] > 0.0) {
            from[1] = ceil((low[1] - fmax(ends[0][1], ends[1][1]) - width) / length[1]);
            to_turn[1] = floor((high[1] - fmin(ends[0][1], ends[1][1]) + width) / length[1]);
        }
        for (turn[1] = from[1]; turn[1] <= to_turn[1]; ++turn[1]) {
            double lean[2] = {length[1] > 0.0 ? turn[1] * bodies->box.tilt[0] : 0.0, 0.0};  // of a tilted box
            if (length[0] > 0.0) {
                from[0] = ceil((low[0] - lean[0] - fmax(ends[0][0], ends[1][0]) - width) / length[0]);
                to_turn[0] = floor((high[0] - lean[0] - fmin(ends[0][0], ends[1][0]) + width) / length[0]);
            }
            for (turn[0] = from[0]; turn[0] <= to_turn[0]; ++turn[0]) {
                double p[2][2];
                for (int e = 0; e < 4; ++e)
                    p[e / 2][e % 2] = to_pixel(s, e % 2, ends[e / 2][e % 2] + (turn[e % 2] * length[e % 2] + lean[e % 2]));
                scree_line_draw_in(&to, p[0], p[1], fmax(width * s->scale, 1.0), clip, rgb);
            }
        }
    }
}

static void find_fixed(const scree_outline_set* set, uint8_t* fixed)
{
    const scree_column* column = scree_sphere_set_find(&set->bodies, "fixed");
    for (int64_t i = 0; i < set->bodies.count; ++i)
        fixed[i] = column != NULL && column->components == 1 &&
                   ((column->kind == SCREE_COLUMN_INT64 && column->integers[i] != 0) || (column->kind == SCREE_COLUMN_DOUBLE && column->values[i] != 0.0));
}

static scree_status make_pool(scene* s)
{
    s->pool = scree_calloc((size_t)s->def->threads, sizeof *s->pool);
    if (s->pool == NULL)
        return SCREE_ERR_MEMORY;
    s->pool_count = s->def->threads;
    size_t samples = (size_t)(side * s->n) * (size_t)(side * s->n);
    for (int32_t k = 0; k < s->pool_count; ++k) {
        s->pool[k].id = scree_malloc(samples, sizeof *s->pool[k].id);
        s->pool[k].flip = scree_calloc(samples, 1);
        if (s->pool[k].id == NULL || s->pool[k].flip == NULL)
            return SCREE_ERR_MEMORY;
    }
    return SCREE_OK;
}

static void free_scene(scene* s)
{
    for (int32_t k = 0; k < s->pool_count; ++k) {
        scree_free(s->pool[k].id);
        scree_free(s->pool[k].flip);
    }
    scree_free(s->pool);
    scree_free(s->fixed);
    scree_free(s->bounds);
    scree_free(s->items);
    scree_free(s->first);
    scree_free(s->entry);
    scree_free(s->large);
    scree_free(s->colour);
}

typedef struct share {
    scree_watch user;
    double until;
} share;

static bool tick(void* context, double done)
{
    const share* sh = context;
    return sh->user.tick(sh->user.context, done * sh->until);
}

static scree_status draw(scene* s, const colours* c, const palette* p, double until)
{
    for (int k = 0; k < 3; ++k)
        s->paper[k] = (float)scree_srgb_linear(p->paper[k] / 255.0);
    for (int64_t i = 0; i < s->set->bodies.count; ++i)
        for (int k = 0; k < 3; ++k) {
            double grey = scree_srgb_linear((p->paper[0] < 128 ? 104.0 : 168.0) / 255.0);
            s->colour[i][k] = s->fixed[i] ? (float)grey : c->rgb[c->step[i]][k];
            if (s->def->opacity < 1.0)  // as on paper: what is below a body is not seen through it
                s->colour[i][k] = s->paper[k] + (float)s->def->opacity * (s->colour[i][k] - s->paper[k]);
        }
    s->transparent = p->transparent;
    scree_status status = make_items(s);
    if (status == SCREE_OK)
        status = sort_items(s);
    if (status == SCREE_OK)
        status = make_pool(s);
    share sh = {.user = s->def->watch, .until = until};
    scree_watch watch = {.tick = s->def->watch.tick != NULL ? tick : NULL, .context = &sh};
    if (status == SCREE_OK)
        status = scree_parallel_for(s->def->threads, (int64_t)s->tiles_x * s->tiles_y, draw_tile, s, &watch);
    if (status == SCREE_OK) {
        draw_box(s, p);
        draw_walls(s);
    }
    return status;
}

// `def` is settled.
static scree_status render(const scree_outline_set* set, const scree_picture_def* def, double until, uint8_t* rgba)
{
    size_t count = (size_t)set->bodies.count;
    scene s = {.set = set, .def = def, .n = 4 * def->samples, .rgba = rgba};
    colours c = {0}, rod_colours = {0};
    s.fixed = scree_malloc(count, 1);
    s.bounds = scree_malloc(count, sizeof *s.bounds);
    s.colour = scree_malloc(count, sizeof *s.colour);
    scree_status status = s.fixed == NULL || s.bounds == NULL || s.colour == NULL ? SCREE_ERR_MEMORY : SCREE_OK;
    if (status == SCREE_OK) {
        find_fixed(set, s.fixed);
        status = scree_colours_make(&set->bodies, def, s.fixed, &c);
    }
    if (status == SCREE_OK && def->rods != NULL)
        status = scree_colours_of_rods(def, &rod_colours);
    if (status == SCREE_OK)
        status = find_extent(&s);
    if (status == SCREE_OK) {
        palette p = scree_palette_of(def->background);
        bar_pair legend = scree_bars_plan(def, &c, def->rods != NULL ? &rod_colours : NULL);
        aim(&s, legend.reserved);
        status = draw(&s, &c, &p, until);
        if (status == SCREE_OK && def->rods != NULL)
            draw_rods(&s, &rod_colours);
        if (status == SCREE_OK)
            scree_bars_draw(&legend, def, &p, rgba);
    }
    scree_colours_free(&c);
    scree_colours_free(&rod_colours);
    free_scene(&s);
    return status;
}

scree_status scree_outlines_bounds(const scree_outline_set* set, const scree_picture_def* def, double lower[3], double upper[3])
{
    scene s = {.set = set, .def = def, .bounds = scree_malloc((size_t)set->bodies.count, sizeof *s.bounds)};
    scree_status status = s.bounds != NULL ? find_extent(&s) : SCREE_ERR_MEMORY;
    for (int k = 0; k < 2; ++k) {
        lower[k] = s.lower[k];
        upper[k] = s.upper[k];
    }
    lower[2] = upper[2] = 0.0;
    scree_free(s.bounds);
    return status;
}

scree_status scree_outlines_colours(const scree_outline_set* set, const scree_picture_def* def, colours* out)
{
    uint8_t* fixed = scree_malloc((size_t)set->bodies.count, 1);
    if (fixed == NULL)
        return SCREE_ERR_MEMORY;
    find_fixed(set, fixed);
    scree_status status = scree_colours_make(&set->bodies, def, fixed, out);
    scree_free(fixed);
    return status;
}

static scree_status settle(const scree_outline_set* set, const scree_picture_def* given, scree_picture_def* def)
{
    scree_status status = scree_outline_set_check(set);
    if (status == SCREE_OK)
        status = scree_picture_settle(&set->bodies, given, def);
    if (status == SCREE_OK && def->cut)
        status = scree_fail(SCREE_ERR_ARGUMENT, "a cut through outlines; expected none");
    if (status == SCREE_OK && def->triangles != NULL)
        status = scree_fail(SCREE_ERR_ARGUMENT, "%" PRId64 " triangles with outlines; expected none", def->triangles->count);
    if (status == SCREE_OK && (def->eye[0] != 0.0 || def->eye[1] != 0.0 || def->eye[2] < 0.0))
        status = scree_fail(SCREE_ERR_ARGUMENT, "the eye is at %g, %g, %g; expected it on +z for outlines", def->eye[0], def->eye[1], def->eye[2]);
    if (status == SCREE_OK && (def->up[0] != 0.0 || def->up[1] < 0.0))
        status = scree_fail(SCREE_ERR_ARGUMENT, "up is %g, %g, %g; expected y for outlines", def->up[0], def->up[1], def->up[2]);
    return status;
}

scree_status scree_picture_render_outlines(const scree_outline_set* set, const scree_picture_def* given, uint8_t* rgba)
{
    SCREE_NEED(set);
    SCREE_NEED(rgba);
    scree_picture_def def;
    scree_status status = settle(set, given, &def);
    return status == SCREE_OK ? render(set, &def, 1.0, rgba) : status;
}

scree_status scree_write_picture_outlines(const char* path, const scree_outline_set* set, const scree_picture_def* given)
{
    SCREE_NEED(path);
    SCREE_NEED(set);
    scree_picture_def def;
    scree_status status = settle(set, given, &def);
    if (status != SCREE_OK)
        return status;
    uint8_t* rgba = scree_malloc((size_t)def.width * (size_t)def.height, 4);
    if (rgba == NULL)
        return SCREE_ERR_MEMORY;
    status = render(set, &def, 0.9, rgba);
    if (status == SCREE_OK)
        status = scree_picture_save(path, &def, rgba);
    scree_free(rgba);
    return status;
}
