// From what a sample shows to the colour of a pixel. In linear light:
//
//     colour = own colour * (sky seen * skylight(normal) + lamp seen * lamplight(normal)) + lamp seen * highlight
//
// and a darker rim, of the same width in pixels on large and small balls, so that each stands out from what is behind it.
// A part of the sky that is hidden by surfaces of the same colour still sends some light of that colour (Jimenez et al. 2016);
// so crevices get darker but not grey. A cut shows its own colour flat. Discs do so too.
//
// Box edges are thin strips on the picture with a depth: a sample of a strip is drawn where nothing is nearer. The samples
// of a pixel are averaged in linear light and then encoded as sRGB.
//
// With rods and veils a sample has layers, from the back: background or rod, veils behind the ball, the ball with its opacity, veils before it. A rod
// before the ball takes its place. Samples have an alpha then, and colours are multiplied by it until they are encoded. Only the foremost ball of a sample is
// drawn, however translucent: what shows through it is rods, veils and the background, as in an X-ray picture.
#include "picture/picture.h"

#include <math.h>
#include <string.h>

// A sample that shows a box edge; no ball has this number (stage.c lets at most INT32_MAX - 1 of them in).
#define EDGE (INT32_MIN + 1)

enum { circle_pieces = 96, most_edges = 3 * circle_pieces, encode_steps = 4096 };  // edges: of a sphere

typedef struct edge {
    double u[2], v[2], depth[2];  // its ends in the picture
} edge;

// What several veils do to a sample: see veils.c.
typedef struct haze {
    float through;
    float rgb[3];  // times opacity
    float weight;
} haze;

// Beside the samples of a tile.
typedef struct layers {
    float* rod_z;         // INFINITY: none
    int32_t* rod;
    float (*normal)[3];   // of the rod
    haze (*haze)[2];      // before the ball, behind it
} layers;

typedef struct work {
    const lens* l;
    const balls* b;
    const light* li;
    const colours* c;
    tile_pool* pool;
    int32_t samples;
    bool flat, transparent;
    float paper[3], line[3];   // linear light
    int edge_count;
    edge edges[most_edges];
    double edge_half;          // half the strips' width, in u
    double rim;                // width of the dark rim, pixels
    uint8_t encoded[encode_steps + 1];  // by the square root of linear light
    uint8_t* rgba;
    const extras* more;
    layers* layers;            // one for each tile of the pool; NULL: there are only balls
} work;

// ---- Box edges ---------------------------------------------------------------------------------------------------

// Adds the part of a to b that is in front of the eye.
static void add_edge(work* w, const double a[3], const double b[3])
{
    double p[2][3];
    scree_lens_turn(w->l, a, p[0]);
    scree_lens_turn(w->l, b, p[1]);
    const double nearest = 1e-2;
    for (int end = 0; end < 2 && w->l->eye > 0.0; ++end) {
        double mine = p[end][2] + w->l->eye, other = p[1 - end][2] + w->l->eye;
        if (mine >= nearest)
            continue;
        if (other <= nearest)
            return;
        double t = (nearest - mine) / (other - mine);
        for (int k = 0; k < 3; ++k)
            p[end][k] += t * (p[1 - end][k] - p[end][k]);
    }
    edge* e = &w->edges[w->edge_count++];
    for (int end = 0; end < 2; ++end) {
        double depth = scree_lens_depth(w->l, p[end][2]);
        e->u[end] = p[end][0] / depth;
        e->v[end] = p[end][1] / depth;
        e->depth[end] = w->l->eye > 0.0 ? depth : p[end][2];
    }
}

// A circle that the sides of the box along axes i and j bound, at this height of the third.
static void add_circle(work* w, const stage* s, int i, int j, double height)
{
    double ends[2][3] = {{height, height, height}, {height, height, height}};
    for (int n = 0; n <= circle_pieces; ++n) {
        double angle = 2.0 * 3.14159265358979323846 * n / circle_pieces;
        memcpy(ends[0], ends[1], sizeof ends[0]);
        ends[1][i] = 0.5 * (s->lower[i] + s->upper[i]) + 0.5 * (s->upper[i] - s->lower[i]) * cos(angle);
        ends[1][j] = 0.5 * (s->lower[j] + s->upper[j]) + 0.5 * (s->upper[j] - s->lower[j]) * sin(angle);
        if (n > 0)
            add_edge(w, ends[0], ends[1]);
    }
}

// A sphere by its three great circles (in 2D the circle), a cylinder by its ends and four lines between them.
static void add_round(work* w, const stage* s)
{
    int dim = s->set->dim;
    if (s->set->container == SCREE_CONTAINER_SPHERE) {
        for (int k = dim == 2 ? 2 : 0; k < 3; ++k)
            add_circle(w, s, (k + 1) % 3, (k + 2) % 3, dim == 2 ? 0.0 : 0.5 * (s->lower[k] + s->upper[k]));
        return;
    }
    add_circle(w, s, 0, 1, s->lower[2]);
    add_circle(w, s, 0, 1, s->upper[2]);
    for (int side = 0; side < 4; ++side) {
        int k = side / 2;
        double a[3] = {0.5 * (s->lower[0] + s->upper[0]), 0.5 * (s->lower[1] + s->upper[1]), s->lower[2]}, b[3];
        a[k] = side % 2 != 0 ? s->upper[k] : s->lower[k];
        memcpy(b, a, sizeof b);
        b[2] = s->upper[2];
        add_edge(w, a, b);
    }
}

static void add_box(work* w, const stage* s)
{
    int dim = s->set->dim;
    for (int corner = 0; corner < 1 << dim; ++corner)
        for (int k = 0; k < dim; ++k) {
            if ((corner >> k & 1) != 0)
                continue;
            double a[3] = {0.0, 0.0, 0.0}, b[3];
            for (int j = 0; j < dim; ++j)
                a[j] = (corner >> j & 1) != 0 ? s->upper[j] : s->lower[j];
            memcpy(b, a, sizeof b);
            b[k] = s->upper[k];
            add_edge(w, a, b);
        }
}

// The lines in which the plane of the cut meets the faces of the box.
static void add_cut(work* w, const stage* s)
{
    const double* plane = s->plane[s->plane_count - 1];
    for (int face = 0; face < 6; ++face) {
        int k = face / 2, i = (k + 1) % 3, j = (k + 2) % 3, found = 0;
        double ends[2][3];
        for (int side = 0; side < 4 && found < 2; ++side) {  // the sides of the face, one after the other
            static const int turn[5][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}, {0, 0}};
            double a[3], b[3];
            a[k] = b[k] = face % 2 != 0 ? s->upper[k] : s->lower[k];
            a[i] = turn[side][0] != 0 ? s->upper[i] : s->lower[i];
            a[j] = turn[side][1] != 0 ? s->upper[j] : s->lower[j];
            b[i] = turn[side + 1][0] != 0 ? s->upper[i] : s->lower[i];
            b[j] = turn[side + 1][1] != 0 ? s->upper[j] : s->lower[j];
            double at_a = plane[0] * a[0] + plane[1] * a[1] + plane[2] * a[2] - plane[3];
            double at_b = plane[0] * b[0] + plane[1] * b[1] + plane[2] * b[2] - plane[3];
            if ((at_a < 0.0) == (at_b < 0.0))
                continue;
            for (int n = 0; n < 3; ++n)
                ends[found][n] = a[n] + at_a / (at_a - at_b) * (b[n] - a[n]);
            ++found;
        }
        if (found == 2)
            add_edge(w, ends[0], ends[1]);
    }
}

static void draw_edge(const work* w, tile* t, const edge* e)
{
    double reach = w->edge_half + t->pitch;
    double bounds[4] = {fmin(e->u[0], e->u[1]) - reach, t->top - (fmax(e->v[0], e->v[1]) + reach),
                        fmax(e->u[0], e->u[1]) + reach, t->top - (fmin(e->v[0], e->v[1]) - reach)};
    double x_low = fmax((bounds[0] - t->left) / t->pitch, 0.0), x_high = fmin((bounds[2] - t->left) / t->pitch, t->nx);
    double y_low = fmax(bounds[1] / t->pitch, 0.0), y_high = fmin(bounds[3] / t->pitch, t->ny);
    if (!(x_low < x_high && y_low < y_high))
        return;
    double du = e->u[1] - e->u[0], dv = e->v[1] - e->v[0], square = du * du + dv * dv;
    for (int32_t y = (int32_t)y_low; y < t->ny && y < y_high; ++y)
        for (int32_t x = (int32_t)x_low; x < t->nx && x < x_high; ++x) {
            double pu = t->left + (x + 0.5) * t->pitch - e->u[0], pv = t->top - (y + 0.5) * t->pitch - e->v[0];
            double along = square > 0.0 ? fmin(fmax((pu * du + pv * dv) / square, 0.0), 1.0) : 0.0;
            double ou = pu - along * du, ov = pv - along * dv;
            if (ou * ou + ov * ov > w->edge_half * w->edge_half)
                continue;
            double z, depth = 1.0;
            if (w->l->eye > 0.0) {  // on the picture, 1 / depth goes evenly along a line
                depth = 1.0 / ((1.0 - along) / e->depth[0] + along / e->depth[1]);
                z = depth - w->l->eye;
            } else {
                z = e->depth[0] + along * (e->depth[1] - e->depth[0]);
            }
            int64_t k = (int64_t)y * t->nx + x;
            z -= 2.0 * w->edge_half * depth;  // what lies on a face does not hide its edges
            if (z < (double)t->z[k]) {
                t->z[k] = (float)z;
                t->id[k] = EDGE;
            }
        }
}

// ---- Light on a sample -------------------------------------------------------------------------------------------

// What the sample sees of sky and lamp: from the pixels around it that show the same ball, weighted by nearness; else from
// the one nearest in depth.
static void light_at(const work* w, double px, double py, int32_t id, double z, double seen[2])
{
    const lens* l = w->l;
    double bx = floor(px - 0.5), by = floor(py - 0.5), fx = px - 0.5 - bx, fy = py - 0.5 - by;
    double sum = 0.0, best = INFINITY;
    double found[2] = {0.0, 0.0};
    seen[0] = seen[1] = 1.0;
    for (int corner = 0; corner < 4; ++corner) {
        int64_t x = (int64_t)bx + (corner & 1), y = (int64_t)by + (corner >> 1);
        if (x < 0 || y < 0 || x >= l->width || y >= l->height)
            continue;
        int64_t k = y * l->width + x;
        if (w->li->id[k] == id) {
            double weight = ((corner & 1) != 0 ? fx : 1.0 - fx) * ((corner >> 1) != 0 ? fy : 1.0 - fy) + 1e-6;
            sum += weight;
            for (int c = 0; c < 2; ++c)
                found[c] += weight * w->li->seen[k][c];
        } else if (w->li->id[k] != NO_BALL && fabs((double)w->li->z[k] - z) < best) {
            best = fabs((double)w->li->z[k] - z);
            for (int c = 0; c < 2; ++c)
                seen[c] = w->li->seen[k][c] / 255.0;
        }
    }
    for (int c = 0; c < 2 && sum > 0.0; ++c)
        seen[c] = found[c] / (255.0 * sum);
}

static double rim_factor(const work* w, double from_rim, double radius)
{
    double strength = (radius - 1.5) / 5.0;  // balls of few pixels would be all rim
    strength = strength < 0.0 ? 0.0 : strength > 1.0 ? 1.0 : strength;
    double t = from_rim / (w->rim < 0.1 * radius ? w->rim : 0.1 * radius);
    if (t >= 1.0)
        return 1.0;
    double dark = w->flat ? 0.70 : 0.62;
    return 1.0 - strength * dark * (1.0 - (t > 0.5 ? 2.0 * (t - 0.5) : 0.0));
}

static void shade_ball(const work* w, const tile* t, int32_t x, int32_t y, double px, double py, float out[3])
{
    int64_t k = (int64_t)y * t->nx + x;
    int32_t id = t->id[k], number = id < 0 ? ~id : id;
    const ball* b = &w->b->ball[number];
    const float* own = w->c->rgb[w->c->step[w->b->source[number]]];
    double z = (double)t->z[k], depth = scree_lens_depth(w->l, z), r = scree_ball_drawn(w->l, b, t->pitch);
    double u = t->left + (x + 0.5) * t->pitch, v = t->top - (y + 0.5) * t->pitch;
    double p[3] = {u * depth - b->x, v * depth - b->y, z - b->z};
    double pixel = w->l->pitch * depth, radius = r / pixel;
    if (w->flat) {
        double rim = rim_factor(w, radius - sqrt(p[0] * p[0] + p[1] * p[1]) / pixel, radius);
        for (int c = 0; c < 3; ++c)
            out[c] = own[c] * (float)rim;
        return;
    }
    double back = w->l->eye > 0.0 ? 1.0 / sqrt(u * u + v * v + 1.0) : 1.0;  // the direction to the eye, of length 1
    double to_eye[3] = {w->l->eye > 0.0 ? -u * back : 0.0, w->l->eye > 0.0 ? -v * back : 0.0, -back};
    double n[3], rim, seen[2];
    if (id < 0) {
        double enter, leave;
        int plane;
        scree_lens_keep(w->l, u, v, &enter, &leave, &plane);
        for (int c = 0; c < 3; ++c)
            n[c] = plane >= 0 ? w->l->plane[plane][c] : to_eye[c];
        double height = p[0] * n[0] + p[1] * n[1] + p[2] * n[2];
        double off = sqrt(fmax(p[0] * p[0] + p[1] * p[1] + p[2] * p[2] - height * height, 0.0));
        double circle = sqrt(fmax(r * r - height * height, 0.0));
        double facing = fabs(n[0] * to_eye[0] + n[1] * to_eye[1] + n[2] * to_eye[2]);
        rim = rim_factor(w, (circle - off) / pixel * (0.35 + 0.65 * facing), circle / pixel);
        seen[0] = seen[1] = 1.0;  // all that is left lies behind the face
    } else {
        light_at(w, px, py, id, z, seen);
        for (int c = 0; c < 3; ++c)
            n[c] = p[c] / r;
        double facing = n[0] * to_eye[0] + n[1] * to_eye[1] + n[2] * to_eye[2];
        rim = rim_factor(w, radius * (1.0 - sqrt(fmax(1.0 - facing * facing, 0.0))), radius);
    }
    double lamp = n[0] * w->li->lamp[0] + n[1] * w->li->lamp[1] + n[2] * w->li->lamp[2];
    double direct, sky, shine = 0.0;
    if (id < 0) {
        direct = 0.36 * fmin(fmax(1.6 * lamp, 0.0), 1.0);
        sky = 0.62;
    } else {
        direct = 0.74 * fmax(lamp, 0.0);
        sky = 0.44 + 0.08 * n[1] + 0.24 * fmax(0.55 * n[0] - 0.83 * n[2], 0.0);  // and a weak second lamp at the right
        double half[3], length = 0.0;
        for (int c = 0; c < 3; ++c) {
            half[c] = w->li->lamp[c] + to_eye[c];
            length += half[c] * half[c];
        }
        double glance = (half[0] * n[0] + half[1] * n[1] + half[2] * n[2]) / sqrt(length);
        if (glance > 0.0) {  // to the power 32
            double g = glance * glance;
            g *= g;
            g *= g;
            g *= g;
            shine = 0.16 * g * g * fmin(1.0, 4.0 * fmax(lamp, 0.0)) * seen[1];
        }
    }
    for (int c = 0; c < 3; ++c) {
        double albedo = 0.75 * (double)own[c];
        double open = seen[0] * seen[0];
        open = open / (1.0 - albedo * (1.0 - open));
        double value = ((double)own[c] * (sky * open + direct * seen[1] * (0.35 + 0.65 * seen[0])) + shine) * rim;
        out[c] = (float)(value < 0.8 ? value : 0.8 + 0.2 * (value - 0.8) / (value - 0.6));  // bright, but never cut off
    }
}

// ---- Tiles to pixels ---------------------------------------------------------------------------------------------

static uint8_t encode(const work* w, float value)
{
    float root = sqrtf(value > 0.0f ? value : 0.0f);
    return w->encoded[root < 1.0f ? (int)(root * (float)encode_steps + 0.5f) : encode_steps];
}

static void finish_pixel(const work* w, const tile* t, int32_t px, int32_t py, int64_t x, int64_t y)
{
    float sum[3] = {0.0f, 0.0f, 0.0f};
    int32_t filled = 0, n = w->samples;
    for (int32_t sy = py * n; sy < (py + 1) * n; ++sy)
        for (int32_t sx = px * n; sx < (px + 1) * n; ++sx) {
            int32_t id = t->id[(int64_t)sy * t->nx + sx];
            float one[3];
            if (id == NO_BALL)
                continue;
            if (id == EDGE)
                memcpy(one, w->line, sizeof one);
            else
                shade_ball(w, t, sx, sy, (double)x + (sx - px * n + 0.5) / n, (double)y + (sy - py * n + 0.5) / n, one);
            for (int c = 0; c < 3; ++c)
                sum[c] += one[c] < 1.0f ? one[c] : 1.0f;
            ++filled;
        }
    uint8_t* out = &w->rgba[4 * (y * w->l->width + x)];
    int32_t all = n * n;
    for (int c = 0; c < 3; ++c) {
        if (w->transparent)
            out[c] = filled > 0 ? encode(w, sum[c] / (float)filled) : 0;
        else
            out[c] = encode(w, (sum[c] + (float)(all - filled) * w->paper[c]) / (float)all);
    }
    out[3] = (uint8_t)(w->transparent ? (255 * filled + all / 2) / all : 255);
}

// ---- Rods and veils ----------------------------------------------------------------------------------------------

static int32_t clamp_sample(double value, int32_t most)
{
    return value > 0.0 ? (value < (double)most ? (int32_t)value : most) : 0;
}

static void draw_rods(const work* w, const tile* t, const layers* on, int64_t index)
{
    const rod_list* all = w->more->rods;
    if (all->count == 0)
        return;
    tile_walk at = scree_tile_begin(&all->in, index);
    double per = w->l->pitch / t->pitch, corner[2] = {(t->left - w->l->left) / t->pitch, (w->l->top - t->top) / t->pitch};
    for (int32_t number; (number = scree_tile_next(&all->in, index, &at)) >= 0;) {
        const rod* one = &all->rod[number];
        double from[2], to[2], reach, square = 0.0;
        if (!scree_rod_strip(&all->lens, one, from, to, &reach))
            continue;
        for (int k = 0; k < 2; ++k) {  // from pixels of the picture to samples of the tile
            from[k] = from[k] * per - corner[k];
            to[k] = to[k] * per - corner[k];
            square += (to[k] - from[k]) * (to[k] - from[k]);
        }
        reach = reach * per + 1.5;
        int32_t x0 = clamp_sample(fmin(from[0], to[0]) - reach, t->nx), x1 = clamp_sample(fmax(from[0], to[0]) + reach + 1.0, t->nx);
        int32_t y0 = clamp_sample(fmin(from[1], to[1]) - reach, t->ny), y1 = clamp_sample(fmax(from[1], to[1]) + reach + 1.0, t->ny);
        double least = 0.71 * t->pitch * scree_lens_depth(w->l, one->a[2] + 0.5 * one->length * one->axis[2]);  // as balls: none is lost between samples
        float nearest = (float)(w->flat ? -1.0 - one->r : scree_rod_nearest(one) - least);
        for (int32_t y = y0; y < y1; ++y)
            for (int32_t x = x0; x < x1; ++x) {
                int64_t k = (int64_t)y * t->nx + x;
                double off[2] = {x + 0.5 - from[0], y + 0.5 - from[1]}, along = off[0] * (to[0] - from[0]) + off[1] * (to[1] - from[1]);
                along = square > 0.0 ? fmin(fmax(along / square, 0.0), 1.0) : 0.0;
                off[0] -= along * (to[0] - from[0]);
                off[1] -= along * (to[1] - from[1]);
                double z, n[3];
                if (nearest >= on->rod_z[k] || off[0] * off[0] + off[1] * off[1] > reach * reach ||
                    !scree_rod_meet(&all->lens, one, least, t->left + (x + 0.5) * t->pitch, t->top - (y + 0.5) * t->pitch, &z, n))
                    continue;
                if (w->flat)
                    z = -1.0 - one->r;  // before all discs; wide rods before narrow ones
                if (!((float)z < on->rod_z[k]))
                    continue;
                on->rod_z[k] = (float)z;
                on->rod[k] = number;
                for (int c = 0; c < 3; ++c)
                    on->normal[k][c] = (float)n[c];
            }
    }
}

static void draw_veils(const work* w, const tile* t, const layers* on, int64_t index)
{
    const veils* all = w->more->veils;
    if (all->count == 0)
        return;
    const double slack = 1e-6;  // a wall in a plane of the cut is kept
    tile_walk at = scree_tile_begin(&all->in, index);
    for (int32_t number; (number = scree_tile_next(&all->in, index, &at)) >= 0;) {
        const veil* one = &all->veil[number];
        double rect[4];
        scree_veil_bounds(w->l, one, rect);
        double per = w->l->pitch / t->pitch, left = (t->left - w->l->left) / t->pitch, top = (w->l->top - t->top) / t->pitch;
        int32_t x0 = clamp_sample(rect[0] * per - left - 1.0, t->nx), x1 = clamp_sample(rect[2] * per - left + 2.0, t->nx);
        int32_t y0 = clamp_sample(rect[1] * per - top - 1.0, t->ny), y1 = clamp_sample(rect[3] * per - top + 2.0, t->ny);
        for (int32_t y = y0; y < y1; ++y)
            for (int32_t x = x0; x < x1; ++x) {
                int64_t k = (int64_t)y * t->nx + x;
                double z;
                if (!scree_veil_meet(w->l, one, t->left + (x + 0.5) * t->pitch, t->top - (y + 0.5) * t->pitch, &z) || z > (double)on->rod_z[k])
                    continue;
                if (w->l->plane_count > 0 && (z < (double)t->enter[k] - slack || z > (double)t->leave[k] + slack))
                    continue;
                haze* h = &on->haze[k][z > (double)t->z[k] ? 1 : 0];
                h->through *= 1.0f - one->opacity;
                h->weight += one->opacity;
                for (int c = 0; c < 3; ++c)
                    h->rgb[c] += one->opacity * one->rgb[c];
            }
    }
}

static void clear_layers(const tile* t, const layers* on)
{
    for (int64_t k = 0; k < (int64_t)t->nx * t->ny; ++k) {
        on->rod_z[k] = INFINITY;
        on->haze[k][0] = on->haze[k][1] = (haze){.through = 1.0f};
    }
}

// A colour with its alpha multiplied in, covered by another.
static void cover(float under[4], const float rgb[3], float opacity)
{
    for (int c = 0; c < 3; ++c)
        under[c] = (1.0f - opacity) * under[c] + opacity * (rgb[c] < 1.0f ? rgb[c] : 1.0f);
    under[3] = (1.0f - opacity) * under[3] + opacity;
}

static void cover_haze(float under[4], const haze* h)
{
    if (!(h->weight > 0.0f))
        return;
    float mean[3];
    for (int c = 0; c < 3; ++c)
        mean[c] = h->rgb[c] / h->weight;
    cover(under, mean, 1.0f - h->through);
}

static void shade_rod(const work* w, const layers* on, int64_t k, double u, double v, float out[3])
{
    const rod* one = &w->more->rods->rod[on->rod[k]];
    const float* own = w->more->rod_colours->rgb[w->more->rod_colours->step[one->source]];
    const float* n = on->normal[k];
    double back = w->l->eye > 0.0 ? 1.0 / sqrt(u * u + v * v + 1.0) : 1.0;
    double facing = w->l->eye > 0.0 ? -((double)n[0] * u + (double)n[1] * v + (double)n[2]) * back : -(double)n[2];
    double lamp = w->flat ? 0.0 : (double)n[0] * w->li->lamp[0] + (double)n[1] * w->li->lamp[1] + (double)n[2] * w->li->lamp[2];
    double lit = w->flat ? (facing < 0.5 ? 0.45 : 1.0) : (0.48 + 0.08 * (double)n[1] + 0.60 * fmax(lamp, 0.0)) * (0.55 + 0.45 * fmax(facing, 0.0));
    for (int c = 0; c < 3; ++c)
        out[c] = (float)((double)own[c] * lit);
}

// A sample with all its layers: linear light times alpha, and alpha.
static void shade_layers(const work* w, const tile* t, const layers* on, int32_t x, int32_t y, double px, double py, float out[4])
{
    int64_t k = (int64_t)y * t->nx + x;
    int32_t id = t->id[k];
    float one[3];
    bool behind = on->rod_z[k] >= t->z[k];  // the rod, if there is one, than the ball
    out[0] = out[1] = out[2] = out[3] = 0.0f;
    if (!w->transparent)
        cover(out, w->paper, 1.0f);
    if (on->rod_z[k] < INFINITY) {
        shade_rod(w, on, k, t->left + (x + 0.5) * t->pitch, t->top - (y + 0.5) * t->pitch, one);
        cover(out, one, 1.0f);
    }
    if (behind && id == EDGE) {
        cover(out, w->line, 1.0f);
    } else if (behind && id != NO_BALL) {
        cover_haze(out, &on->haze[k][1]);
        shade_ball(w, t, x, y, px, py, one);
        cover(out, one, (float)w->more->opacity);
    } else if (id == NO_BALL) {
        cover_haze(out, &on->haze[k][1]);
    }
    cover_haze(out, &on->haze[k][0]);
}

static void finish_layers(const work* w, const tile* t, const layers* on, int32_t px, int32_t py, int64_t x, int64_t y)
{
    float sum[4] = {0.0f, 0.0f, 0.0f, 0.0f};
    int32_t n = w->samples;
    for (int32_t sy = py * n; sy < (py + 1) * n; ++sy)
        for (int32_t sx = px * n; sx < (px + 1) * n; ++sx) {
            float one[4];
            shade_layers(w, t, on, sx, sy, (double)x + (sx - px * n + 0.5) / n, (double)y + (sy - py * n + 0.5) / n, one);
            for (int c = 0; c < 4; ++c)
                sum[c] += one[c];
        }
    uint8_t* out = &w->rgba[4 * (y * w->l->width + x)];
    float all = (float)(n * n);
    for (int c = 0; c < 3; ++c)
        out[c] = sum[3] > 0.0f ? encode(w, sum[c] / sum[3]) : 0;
    out[3] = (uint8_t)(255.0f * fminf(sum[3] / all, 1.0f) + 0.5f);
}

static scree_status make_layers(work* w, int32_t count, int32_t side)
{
    size_t samples = (size_t)side * (size_t)side;
    w->layers = scree_calloc((size_t)count, sizeof *w->layers);
    bool all = w->layers != NULL;
    for (int32_t k = 0; k < count && all; ++k) {
        layers* one = &w->layers[k];
        one->rod_z = scree_malloc(samples, sizeof *one->rod_z);
        one->rod = scree_malloc(samples, sizeof *one->rod);
        one->normal = scree_malloc(samples, sizeof *one->normal);
        one->haze = scree_malloc(samples, sizeof *one->haze);
        all = one->rod_z != NULL && one->rod != NULL && one->normal != NULL && one->haze != NULL;
    }
    return all ? SCREE_OK : SCREE_ERR_MEMORY;
}

static void free_layers(work* w, int32_t count)
{
    for (int32_t k = 0; k < count && w->layers != NULL; ++k) {
        scree_free(w->layers[k].rod_z);
        scree_free(w->layers[k].rod);
        scree_free(w->layers[k].normal);
        scree_free(w->layers[k].haze);
    }
    scree_free(w->layers);
}

// ---- All ---------------------------------------------------------------------------------------------------------

static scree_status draw(void* context, int64_t index)
{
    const work* w = context;
    tile* t = scree_pool_take(w->pool);
    scree_tile_draw(t, w->l, w->b, index, w->samples, w->flat);
    for (int n = 0; n < w->edge_count; ++n)
        draw_edge(w, t, &w->edges[n]);
    const layers* on = w->layers != NULL ? &w->layers[t - w->pool->tiles] : NULL;
    if (on != NULL) {
        clear_layers(t, on);
        draw_rods(w, t, on, index);
        draw_veils(w, t, on, index);
    }
    int64_t x0 = index % w->b->tiles_x * tile_side, y0 = index / w->b->tiles_x * tile_side;
    for (int32_t y = 0; y < t->ny / w->samples; ++y)
        for (int32_t x = 0; x < t->nx / w->samples; ++x) {
            if (on != NULL)
                finish_layers(w, t, on, x, y, x0 + x, y0 + y);
            else
                finish_pixel(w, t, x, y, x0 + x, y0 + y);
        }
    scree_pool_give(w->pool, t);
    return SCREE_OK;
}

scree_status scree_shade(const stage* s, const lens* l, const balls* b, const light* li, const colours* c, const extras* more,
                         const scree_picture_def* def, const palette* p, const scree_watch* watch, uint8_t* rgba)
{
    tile_pool pool;
    double thickness = fmax(1.0, fmin(def->width, def->height) / 1000.0);  // pixels
    work w = {.l = l, .b = b, .li = li, .c = c, .pool = &pool, .samples = def->samples, .flat = s->set->dim == 2,
              .transparent = p->transparent, .edge_half = 0.5 * 1.3 * thickness * l->pitch, .rim = 1.25 * thickness, .rgba = rgba,
              .more = more};
    for (int k = 0; k < 3; ++k) {
        w.paper[k] = (float)scree_srgb_linear(p->paper[k] / 255.0);
        w.line[k] = (float)scree_srgb_linear(p->line[k] / 255.0);
    }
    for (int k = 0; k <= encode_steps; ++k) {
        double root = (double)k / encode_steps;
        w.encoded[k] = (uint8_t)(scree_srgb_encode(root * root) * 255.0 + 0.5);
    }
    if (s->has_box)
        (s->set->container == SCREE_CONTAINER_BOX ? add_box : add_round)(&w, s);
    if (s->has_box && s->set->container == SCREE_CONTAINER_BOX && def->cut && s->set->dim == 3)
        add_cut(&w, s);
    scree_status status = scree_pool_make(def->threads, tile_side * def->samples, &pool);
    if (status == SCREE_OK && (more->rods->count > 0 || more->veils->count > 0 || more->opacity < 1.0))
        status = make_layers(&w, def->threads, tile_side * def->samples);
    if (status == SCREE_OK)
        status = scree_parallel_for(def->threads, (int64_t)b->tiles_x * b->tiles_y, draw, &w, watch);
    scree_pool_free(&pool);
    free_layers(&w, def->threads);
    return status;
}
