// What each pixel sees of the sky and of the lamp.
//
// Sky (ambient occlusion): from the pixel's point, walk over the depth map in some directions, in steps that grow by a
// constant factor, and note the highest horizon above the point's own tangent plane. What is left open, averaged over
// the directions, is the share of the sky that it sees (horizon-based: Bavoil, Sainz & Dimitrov 2008). Growing steps serve
// the crevice between two small spheres and the pore between two large ones alike, which one radius would not.
//
// Lamp (soft shadow): a second depth map, seen from the lamp; a point is lit as far as the map's entries around it are not
// nearer to the lamp than the point (Reeves, Salesin & Cook 1987).
//
// Both look at a dozen or two of places only and would be noisy; so each pixel of a 4 x 4 pattern looks in other directions, and
// a 4 x 4 average over pixels of the same surface evens it out. The pattern is fixed: the same pixels in every run.
//
// Cost: 48 + 12 looks per pixel, and the balls are drawn twice more (once per pixel, once for the lamp).
// Weakness: what is behind the front surface or outside the picture hides nothing.
#include "picture/picture.h"

#include <math.h>

enum { directions = 6, steps = 8, patterns = 16, lamp_looks = 12 };

typedef struct work {
    const lens* view;
    const lens* lamp_lens;
    const balls* b;
    tile_pool* pool;
    light* li;
    float* lamp_z;            // the lamp's depth map
    uint8_t (*raw)[2];        // before the averaging
    double turn[3][3];        // from the view's space to the lamp's
    int16_t walk[patterns][directions][steps][2];  // offsets in pixels
    double spot[patterns][lamp_looks][2];          // offsets in the lamp's map, in stage units
    double reach;             // of the walk, in pixels
} work;

enum { rows = 16 };  // pixels rows per chunk

// ---- Depth maps --------------------------------------------------------------------------------------------------

static scree_status draw_view(void* context, int64_t index)
{
    work* w = context;
    tile* t = scree_pool_take(w->pool);
    scree_tile_draw(t, w->view, w->b, index, 1, false);
    int64_t x0 = index % w->b->tiles_x * tile_side, y0 = index / w->b->tiles_x * tile_side;
    for (int64_t y = 0; y < t->ny; ++y)
        for (int64_t x = 0; x < t->nx; ++x) {
            int64_t k = (y0 + y) * w->view->width + x0 + x;
            w->li->z[k] = t->z[y * t->nx + x];
            w->li->id[k] = t->id[y * t->nx + x];
        }
    scree_pool_give(w->pool, t);
    return SCREE_OK;
}

static scree_status draw_lamp(void* context, int64_t index)
{
    work* w = context;
    tile* t = scree_pool_take(w->pool);
    scree_tile_draw(t, w->lamp_lens, w->b, index, 1, false);
    int64_t x0 = index % w->b->tiles_x * tile_side, y0 = index / w->b->tiles_x * tile_side;
    for (int64_t y = 0; y < t->ny; ++y)
        for (int64_t x = 0; x < t->nx; ++x)
            w->lamp_z[(y0 + y) * w->lamp_lens->width + x0 + x] = t->z[y * t->nx + x];
    scree_pool_give(w->pool, t);
    return SCREE_OK;
}

// ---- Looking -----------------------------------------------------------------------------------------------------

static void place_looks(work* w)
{
    const double turn = 2.0 * 3.14159265358979323846;
    double side = w->view->width < w->view->height ? w->view->width : w->view->height;
    w->reach = fmax(0.075 * side, 8.0);
    double first = 1.5, growth = pow(w->reach / first, 1.0 / (steps - 1));
    double softness = fmax(0.010, 2.5 * w->lamp_lens->pitch);
    // Neighbours in the pattern differ much: the order of a 4 x 4 dither matrix.
    static const int order[patterns] = {0, 8, 2, 10, 12, 4, 14, 6, 3, 11, 1, 9, 15, 7, 13, 5};
    for (int p = 0; p < patterns; ++p) {
        double part = (order[p] + 0.5) / patterns, other = (order[(p + 5) % patterns] + 0.5) / patterns;
        for (int d = 0; d < directions; ++d) {
            double angle = turn * (d + part) / directions;
            for (int j = 0; j < steps; ++j) {
                double length = first * pow(growth, j + 0.7 * (other - 0.5));
                w->walk[p][d][j][0] = (int16_t)lround(length * cos(angle));
                w->walk[p][d][j][1] = (int16_t)lround(length * sin(angle));
            }
        }
        for (int k = 0; k < lamp_looks; ++k) {  // a spiral by the golden angle
            double angle = 2.39996322972865332 * k + turn * part, length = softness * sqrt((k + 0.5) / lamp_looks);
            w->spot[p][k][0] = length * cos(angle);
            w->spot[p][k][1] = length * sin(angle);
        }
    }
}

// The point of the pixel, in lens space.
static void point_of(const lens* l, int64_t x, int64_t y, double z, double out[3])
{
    double depth = scree_lens_depth(l, z);
    out[0] = (l->left + ((double)x + 0.5) * l->pitch) * depth;
    out[1] = (l->top - ((double)y + 0.5) * l->pitch) * depth;
    out[2] = z;
}

static void normal_of(const work* w, int32_t id, const double point[3], double out[3])
{
    if (id < 0) {  // the face of a cut
        double enter, leave, depth = scree_lens_depth(w->view, point[2]);
        int plane;
        scree_lens_keep(w->view, point[0] / depth, point[1] / depth, &enter, &leave, &plane);
        for (int k = 0; k < 3; ++k)
            out[k] = plane >= 0 ? w->view->plane[plane][k] : (double)-(k == 2);
        return;
    }
    const ball* b = &w->b->ball[id];
    double r = 1.0 / scree_ball_drawn(w->view, b, w->view->pitch);
    out[0] = (point[0] - b->x) * r;
    out[1] = (point[1] - b->y) * r;
    out[2] = (point[2] - b->z) * r;
}

static double see_sky(const work* w, int64_t x, int64_t y, const double point[3], const double normal[3])
{
    const lens* l = w->view;
    int pattern = (int)(y % 4 * 4 + x % 4);
    double reach = w->reach * l->pitch * scree_lens_depth(l, point[2]);
    double closer = 1.0 / (reach * reach), hidden = 0.0;
    for (int d = 0; d < directions; ++d) {
        double highest = 0.0;
        for (int j = 0; j < steps; ++j) {
            int64_t qx = x + w->walk[pattern][d][j][0], qy = y + w->walk[pattern][d][j][1];
            if (qx < 0 || qy < 0 || qx >= l->width || qy >= l->height)
                continue;
            double z = (double)w->li->z[qy * l->width + qx];
            if (z > 1e30)
                continue;
            double q[3];
            point_of(l, qx, qy, z, q);
            double hx = q[0] - point[0], hy = q[1] - point[1], hz = q[2] - point[2];
            double far = hx * hx + hy * hy + hz * hz, up = hx * normal[0] + hy * normal[1] + hz * normal[2];
            double fading = 1.0 - far * closer;
            if (up <= 0.0 || fading <= 0.0)
                continue;
            double height = up / sqrt(far) - 0.06;  // a little for the steps of the map itself
            highest = height * fading > highest ? height * fading : highest;
        }
        hidden += highest;
    }
    double open = 1.0 - hidden / directions;
    return open > 0.0 ? open : 0.0;
}

static double see_lamp(const work* w, int64_t x, int64_t y, const double point[3], const double normal[3])
{
    const lens* m = w->lamp_lens;
    int pattern = (int)(y % 4 * 4 + x % 4);
    double facing = normal[0] * w->li->lamp[0] + normal[1] * w->li->lamp[1] + normal[2] * w->li->lamp[2];
    if (facing <= 0.0)
        return 0.0;
    // Lifted off the surface by some entries of the map, so that a surface does not shade itself.
    double lift = 2.0 * m->pitch * (1.5 - facing), p[3], q[3];
    for (int k = 0; k < 3; ++k)
        p[k] = point[k] + lift * normal[k];
    for (int a = 0; a < 3; ++a)
        q[a] = w->turn[a][0] * p[0] + w->turn[a][1] * p[1] + w->turn[a][2] * p[2];
    int lit = 0;
    for (int k = 0; k < lamp_looks; ++k) {
        double sx = (q[0] + w->spot[pattern][k][0] - m->left) / m->pitch, sy = (m->top - q[1] - w->spot[pattern][k][1]) / m->pitch;
        if (!(sx >= 0.0 && sy >= 0.0 && sx < m->width && sy < m->height)) {
            ++lit;
            continue;
        }
        // Far from the point's own place the surface may come nearer to the lamp: allow for it.
        double apart = fabs(w->spot[pattern][k][0]) + fabs(w->spot[pattern][k][1]);
        lit += (double)w->lamp_z[(int64_t)sy * m->width + (int64_t)sx] >= q[2] - 0.7 * apart - m->pitch;
    }
    return (double)lit / lamp_looks;
}

static scree_status look(void* context, int64_t chunk)
{
    work* w = context;
    int64_t end = (chunk + 1) * rows < w->view->height ? (chunk + 1) * rows : w->view->height;
    for (int64_t y = chunk * rows; y < end; ++y)
        for (int64_t x = 0; x < w->view->width; ++x) {
            int64_t k = y * w->view->width + x;
            w->raw[k][0] = w->raw[k][1] = 255;
            if (w->li->id[k] == NO_BALL)
                continue;
            double point[3], normal[3];
            point_of(w->view, x, y, (double)w->li->z[k], point);
            normal_of(w, w->li->id[k], point, normal);
            w->raw[k][0] = (uint8_t)(see_sky(w, x, y, point, normal) * 255.0 + 0.5);
            w->raw[k][1] = (uint8_t)(see_lamp(w, x, y, point, normal) * 255.0 + 0.5);
        }
    return SCREE_OK;
}

static scree_status even_out(void* context, int64_t chunk)
{
    work* w = context;
    int64_t width = w->view->width, height = w->view->height;
    int64_t end = (chunk + 1) * rows < height ? (chunk + 1) * rows : height;
    for (int64_t y = chunk * rows; y < end; ++y)
        for (int64_t x = 0; x < width; ++x) {
            int64_t k = y * width + x;
            double z = (double)w->li->z[k], near = 4.0 * w->view->pitch * scree_lens_depth(w->view, z);
            int32_t id = w->li->id[k];
            int32_t sum[2] = {0, 0}, count = 0;
            for (int64_t qy = y > 0 ? y - 1 : 0; qy <= y + 2 && qy < height && id != NO_BALL; ++qy)
                for (int64_t qx = x > 0 ? x - 1 : 0; qx <= x + 2 && qx < width; ++qx) {
                    int64_t q = qy * width + qx;
                    if (w->li->id[q] != id && !(fabs((double)w->li->z[q] - z) < near))
                        continue;
                    sum[0] += w->raw[q][0];
                    sum[1] += w->raw[q][1];
                    ++count;
                }
            for (int c = 0; c < 2; ++c)
                w->li->seen[k][c] = (uint8_t)(count > 0 ? (sum[c] + count / 2) / count : 255);
        }
    return SCREE_OK;
}

// ---- All together ------------------------------------------------------------------------------------------------

void scree_phase_begin(phase* p, double to)
{
    p->from = p->to;
    p->to = to;
}

static scree_status shine(const stage* s, work* w, int32_t threads, phase* p)
{
    const lens* m = w->lamp_lens;
    w->lamp_z = scree_malloc((size_t)m->width * (size_t)m->height, sizeof *w->lamp_z);
    if (w->lamp_z == NULL)
        return SCREE_ERR_MEMORY;
    balls seen;
    scree_status status = scree_balls_make(s, m, &p->watch, &seen);
    if (status != SCREE_OK)
        return status;
    const balls* of_view = w->b;
    w->b = &seen;
    scree_phase_begin(p, 0.35);
    status = scree_parallel_for(threads, (int64_t)seen.tiles_x * seen.tiles_y, draw_lamp, w, &p->watch);
    w->b = of_view;
    scree_balls_free(&seen);
    return status;
}

scree_status scree_light_make(const stage* s, const lens* view, const balls* b, int32_t threads, phase* p, light* out)
{
    *out = (light){.lamp = {-0.46, 0.64, -0.615}};  // length 1 to three digits; the rest follows
    double length = sqrt(out->lamp[0] * out->lamp[0] + out->lamp[1] * out->lamp[1] + out->lamp[2] * out->lamp[2]);
    for (int k = 0; k < 3; ++k)
        out->lamp[k] /= length;
    if (s->set->dim == 2)  // discs are flat and need no light
        return SCREE_OK;
    size_t pixels = (size_t)view->width * (size_t)view->height;
    int32_t side = view->width > view->height ? view->width : view->height;
    side = side < 400 ? 512 : side > 3200 ? 4096 : side + side / 4;
    lens lamp_lens = scree_lens_of_lamp(s, view, out->lamp, side);
    tile_pool pool = {0};
    work w = {.view = view, .lamp_lens = &lamp_lens, .b = b, .pool = &pool, .li = out};
    for (int a = 0; a < 3; ++a)
        for (int k = 0; k < 3; ++k)  // both sets of axes are orthonormal
            for (int j = 0; j < 3; ++j)
                w.turn[a][k] += lamp_lens.axis[a][j] * view->axis[k][j];
    place_looks(&w);
    out->z = scree_malloc(pixels, sizeof *out->z);
    out->id = scree_malloc(pixels, sizeof *out->id);
    out->seen = scree_malloc(pixels, sizeof *out->seen);
    w.raw = scree_malloc(pixels, sizeof *w.raw);
    scree_status status =
        out->z != NULL && out->id != NULL && out->seen != NULL && w.raw != NULL ? SCREE_OK : SCREE_ERR_MEMORY;
    if (status == SCREE_OK)
        status = scree_pool_make(threads, tile_side, &pool);
    if (status == SCREE_OK)
        status = shine(s, &w, threads, p);
    if (status == SCREE_OK) {
        scree_phase_begin(p, 0.5);
        status = scree_parallel_for(threads, (int64_t)b->tiles_x * b->tiles_y, draw_view, &w, &p->watch);
    }
    int64_t chunks = (view->height + rows - 1) / rows;
    if (status == SCREE_OK) {
        scree_phase_begin(p, 0.7);
        status = scree_parallel_for(threads, chunks, look, &w, &p->watch);
    }
    if (status == SCREE_OK) {
        scree_phase_begin(p, 0.75);
        status = scree_parallel_for(threads, chunks, even_out, &w, &p->watch);
    }
    scree_pool_free(&pool);
    scree_free(w.lamp_z);
    scree_free(w.raw);
    if (status != SCREE_OK)
        scree_light_free(out);
    return status;
}

void scree_light_free(light* li)
{
    scree_free(li->z);
    scree_free(li->id);
    scree_free(li->seen);
    li->z = NULL;
    li->id = NULL;
    li->seen = NULL;
}
