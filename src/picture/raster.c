// One tile: which ball is nearest at each sample. Balls come nearest first (balls.c); each is drawn block by block of
// 16 x 16 samples, and a block that is covered by something nearer than the ball's nearest point is left out. When this holds
// for all blocks the rest of the list is hidden. In a dense packing of a million spheres a tile looks at the first
// few layers only.
//
//     orthographic      z = c_z - sqrt(r^2 - (u - c_x)^2 - (v - c_y)^2)
//     perspective       ray d = (u, v, 1) from the eye;  D = r^2 d.d - |d x c|^2;  t = (d.c - sqrt(D)) / d.d
//
// The cross product keeps D exact to rounding also for small balls far away, where (d.c)^2 - d.d (c.c - r^2) loses all.
//
// Planes cut balls: a sample keeps its ray between `enter` and `leave`. A ball that the ray is in when it enters shows the
// flat face of the cut there.
#include "picture/picture.h"

#include <math.h>
#include <stdatomic.h>

enum { block_side = 16 };

scree_status scree_tile_make(int32_t side, tile* out)
{
    size_t samples = (size_t)side * (size_t)side;
    size_t blocks = (size_t)((side + block_side - 1) / block_side);
    *out = (tile){.z = scree_malloc(samples, sizeof *out->z),
                  .id = scree_malloc(samples, sizeof *out->id),
                  .enter = scree_malloc(samples, sizeof *out->enter),
                  .leave = scree_malloc(samples, sizeof *out->leave),
                  .open = scree_malloc(blocks * blocks, sizeof *out->open),
                  .far = scree_malloc(blocks * blocks, sizeof *out->far)};
    if (out->z != NULL && out->id != NULL && out->enter != NULL && out->leave != NULL && out->open != NULL && out->far != NULL)
        return SCREE_OK;
    scree_tile_free(out);
    return SCREE_ERR_MEMORY;
}

void scree_tile_free(tile* t)
{
    scree_free(t->z);
    scree_free(t->id);
    scree_free(t->enter);
    scree_free(t->leave);
    scree_free(t->open);
    scree_free(t->far);
    *t = (tile){0};
}

// The range of z of a ball at a sample, and whether the ray meets it at all.
static inline bool meet(const lens* l, const ball* b, double r, double u, double v, double* near, double* far)
{
    if (l->eye > 0.0) {
        double cz = b->z + l->eye;
        double px = v * cz - b->y, py = b->x - u * cz, pz = u * b->y - v * b->x;
        double dd = u * u + v * v + 1.0;
        double rest = r * r * dd - (px * px + py * py + pz * pz);
        if (rest < 0.0)
            return false;
        double middle = u * b->x + v * b->y + cz, root = sqrt(rest);
        *near = (middle - root) / dd - l->eye;
        *far = (middle + root) / dd - l->eye;
        return true;
    }
    double dx = u - b->x, dy = v - b->y;
    double rest = r * r - dx * dx - dy * dy;
    if (rest < 0.0)
        return false;
    double root = sqrt(rest);
    *near = b->z - root;
    *far = b->z + root;
    return true;
}

static void find_farthest(tile* t, int32_t block, int32_t x0, int32_t y0, int32_t x1, int32_t y1)
{
    float far = -INFINITY;
    for (int32_t y = y0; y < y1; ++y)
        for (int32_t x = x0; x < x1; ++x)
            far = t->z[(int64_t)y * t->nx + x] > far ? t->z[(int64_t)y * t->nx + x] : far;
    t->far[block] = far;
}

typedef struct drawing {
    const lens* l;
    const ball* b;
    int32_t number;
    double r;       // as drawn
    bool flat, cut;
} drawing;

// Samples [x0, x1) x [y0, y1), all in one block.
static void draw_in_block(tile* t, const drawing* d, int32_t block, int32_t x0, int32_t y0, int32_t x1, int32_t y1)
{
    bool changed = false;
    for (int32_t y = y0; y < y1; ++y) {
        double v = t->top - (y + 0.5) * t->pitch;
        for (int32_t x = x0; x < x1; ++x) {
            double near, far;
            if (!meet(d->l, d->b, d->r, t->left + (x + 0.5) * t->pitch, v, &near, &far))
                continue;
            int64_t k = (int64_t)y * t->nx + x;
            int32_t id = d->number;
            if (d->flat)
                near = far = 0.0;
            if (d->cut) {
                if (far < (double)t->enter[k] || near > (double)t->leave[k])
                    continue;
                if (near < (double)t->enter[k]) {
                    near = (double)t->enter[k];
                    id = ~id;
                }
            }
            float z = (float)near;
            if (z < t->z[k]) {
                t->open[block] -= t->id[k] == NO_BALL;
                t->z[k] = z;
                t->id[k] = id;
                changed = true;
            }
        }
    }
    if (changed && t->open[block] == 0) {
        int32_t across = (t->nx + block_side - 1) / block_side;
        int32_t bx = block % across * block_side, by = block / across * block_side;
        find_farthest(t, block, bx, by, bx + block_side < t->nx ? bx + block_side : t->nx,
                      by + block_side < t->ny ? by + block_side : t->ny);
    }
}

static int32_t clamp_sample(double value, int32_t most)
{
    return value > 0.0 ? (value < (double)most ? (int32_t)value : most) : 0;
}

static void draw_ball(tile* t, const drawing* d, double pixel)
{
    ball drawn = *d->b;
    drawn.r = d->r;
    double rect[4];
    if (!scree_ball_bounds(d->l, &drawn, rect))
        return;
    // From pixels of the picture to samples of the tile; a sample is in when its middle may be.
    double per = pixel / t->pitch, left = (t->left - d->l->left) / t->pitch, top = (d->l->top - t->top) / t->pitch;
    int32_t x0 = clamp_sample(rect[0] * per - left - 0.5, t->nx), x1 = clamp_sample(rect[2] * per - left + 1.5, t->nx);
    int32_t y0 = clamp_sample(rect[1] * per - top - 0.5, t->ny), y1 = clamp_sample(rect[3] * per - top + 1.5, t->ny);
    if (x0 >= x1 || y0 >= y1)
        return;
    int32_t across = (t->nx + block_side - 1) / block_side;
    double nearest = d->flat ? 0.0 : d->b->z - d->r;
    for (int32_t by = y0 / block_side; by <= (y1 - 1) / block_side; ++by)
        for (int32_t bx = x0 / block_side; bx <= (x1 - 1) / block_side; ++bx) {
            int32_t block = by * across + bx;
            if (t->open[block] == 0 && nearest >= (double)t->far[block])
                continue;
            int32_t bx0 = bx * block_side, by0 = by * block_side;
            draw_in_block(t, d, block, x0 > bx0 ? x0 : bx0, y0 > by0 ? y0 : by0,
                          x1 < bx0 + block_side ? x1 : bx0 + block_side, y1 < by0 + block_side ? y1 : by0 + block_side);
        }
}

static void clear(tile* t, const lens* l)
{
    for (int64_t k = 0; k < (int64_t)t->nx * t->ny; ++k) {
        t->z[k] = INFINITY;
        t->id[k] = NO_BALL;
    }
    int32_t block = 0;
    for (int32_t y = 0; y < t->ny; y += block_side)
        for (int32_t x = 0; x < t->nx; x += block_side)
            t->open[block++] = (t->nx - x < block_side ? t->nx - x : block_side) * (t->ny - y < block_side ? t->ny - y : block_side);
    for (int32_t y = 0; y < t->ny && l->plane_count > 0; ++y)
        for (int32_t x = 0; x < t->nx; ++x) {
            double enter, leave;
            int plane;
            scree_lens_keep(l, t->left + (x + 0.5) * t->pitch, t->top - (y + 0.5) * t->pitch, &enter, &leave, &plane);
            t->enter[(int64_t)y * t->nx + x] = enter <= leave ? (float)fmin(fmax(enter, -1e30), 1e30) : INFINITY;
            t->leave[(int64_t)y * t->nx + x] = (float)fmin(fmax(leave, -1e30), 1e30);
        }
}

// Whether nothing that begins at z or behind it can be seen.
static bool covered(const tile* t, double z)
{
    int32_t blocks = ((t->nx + block_side - 1) / block_side) * ((t->ny + block_side - 1) / block_side);
    for (int32_t k = 0; k < blocks; ++k)
        if (t->open[k] > 0 || (double)t->far[k] > z)
            return false;
    return true;
}

void scree_tile_draw(tile* t, const lens* l, const balls* b, int64_t index, int32_t samples, bool flat)
{
    int32_t px = (int32_t)(index % b->tiles_x) * tile_side, py = (int32_t)(index / b->tiles_x) * tile_side;
    t->pitch = l->pitch / samples;
    t->left = l->left + px * l->pitch;
    t->top = l->top - py * l->pitch;
    t->nx = (l->width - px < tile_side ? l->width - px : tile_side) * samples;
    t->ny = (l->height - py < tile_side ? l->height - py : tile_side) * samples;
    clear(t, l);
    tile_walk at = scree_tile_begin(&b->in, index);
    int32_t number;
    for (int64_t seen = 0; (number = scree_tile_next(&b->in, index, &at)) >= 0; ++seen) {
        const ball* one = &b->ball[number];
        drawing d = {.l = l, .b = one, .number = number, .r = scree_ball_drawn(l, one, t->pitch), .flat = flat,
                     .cut = l->plane_count > 0};
        draw_ball(t, &d, l->pitch);
        if (seen % 32 == 31 && !flat && covered(t, one->z - one->r))
            break;
    }
}

scree_status scree_pool_make(int32_t threads, int32_t side, tile_pool* out)
{
    *out = (tile_pool){.tiles = scree_calloc((size_t)threads, sizeof *out->tiles),
                       .taken = scree_calloc((size_t)threads, sizeof *out->taken)};
    scree_status status = out->tiles != NULL && out->taken != NULL ? SCREE_OK : SCREE_ERR_MEMORY;
    for (int32_t k = 0; k < threads && status == SCREE_OK; ++k) {
        status = scree_tile_make(side, &out->tiles[k]);
        out->count += status == SCREE_OK;
    }
    if (status != SCREE_OK)
        scree_pool_free(out);
    return status;
}

void scree_pool_free(tile_pool* pool)
{
    for (int32_t k = 0; k < pool->count; ++k)
        scree_tile_free(&pool->tiles[k]);
    scree_free(pool->tiles);
    scree_free((void*)pool->taken);
    *pool = (tile_pool){0};
}

// There are as many tiles as threads, so one is always free. Which one it is changes nothing.
tile* scree_pool_take(tile_pool* pool)
{
    for (int32_t k = 0;; k = (k + 1) % pool->count)
        if (!atomic_exchange(&pool->taken[k], true))
            return &pool->tiles[k];
}

void scree_pool_give(tile_pool* pool, tile* t)
{
    atomic_store(&pool->taken[t - pool->tiles], false);
}
