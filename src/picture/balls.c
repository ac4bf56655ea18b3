// The balls that a lens sees, nearest first, sorted into square tiles of the picture:
//
//     1. go through spheres and images, turn them into lens space, drop what is hidden
//     2. sort by the depth of the nearest point (stable, so equal depths stay in the set's order)
//     3. count the tiles that each ball touches, then note it in each: the tiles' lists come out nearest first
//
// A tile that draws its list in this order hides what follows early, and stops when all of it is covered by something
// nearer than what is left. Step 3 is that of all things in tiles (tiles.c).
#include "picture/picture.h"

#include "base/parallel.h"
#include "base/sort.h"

#include <math.h>
#include <string.h>

typedef struct seen_balls {
    const lens* l;
    const balls* b;
} seen_balls;

bool scree_ball_bounds(const lens* l, const ball* b, double rect[4])
{
    double low[2], high[2];
    const double centre[2] = {b->x, b->y};
    if (l->eye > 0.0) {
        double z = b->z + l->eye;
        if (!(z - b->r > 1e-4))
            return false;
        for (int k = 0; k < 2; ++k) {  // the two tangents from the eye, in the plane of this axis and the depth
            double c = centre[k], below = (z - b->r) * (z + b->r);
            double root = b->r * sqrt(c * c + below);
            low[k] = (c * z - root) / below;
            high[k] = (c * z + root) / below;
        }
    } else {
        for (int k = 0; k < 2; ++k) {
            low[k] = centre[k] - b->r;
            high[k] = centre[k] + b->r;
        }
    }
    rect[0] = (low[0] - l->left) / l->pitch;
    rect[1] = (l->top - high[1]) / l->pitch;
    rect[2] = (high[0] - l->left) / l->pitch;
    rect[3] = (l->top - low[1]) / l->pitch;
    return true;
}

static bool bounds_of(const void* context, int32_t n, double rect[4])
{
    const seen_balls* seen = context;
    return scree_ball_bounds(seen->l, &seen->b->ball[n], rect);
}

static bool cut_away(const lens* l, const ball* b)
{
    for (int n = 0; n < l->plane_count; ++n) {
        const double* p = l->plane[n];
        if (p[0] * b->x + p[1] * b->y + p[2] * b->z - p[3] > b->r)
            return true;
    }
    return false;
}

// Step 1. The first call only counts. -1: stopped.
static int32_t gather(const stage* s, const lens* l, const scree_watch* watch, balls* b, bool store)
{
    const scree_sphere_set* set = s->set;
    int32_t count = 0;
    for (int32_t i = 0; i < set->count; ++i) {
        double from[3], to[3], shift[3];
        if (i % 4096 == 4095 && !scree_watch_goes_on(watch, 0.0))
            return -1;
        if (scree_stage_shifts(s, i, from, to) < 1.0)
            continue;
        for (shift[2] = from[2]; shift[2] <= to[2]; ++shift[2])
            for (shift[1] = from[1]; shift[1] <= to[1]; ++shift[1])
                for (shift[0] = from[0]; shift[0] <= to[0]; ++shift[0]) {
                    double p[3] = {0.0, 0.0, 0.0}, q[3];
                    for (int k = 0; k < set->dim; ++k) {
                        double turns = shift[k] != 0.0 ? shift[k] * (set->box.upper[k] - set->box.lower[k]) : 0.0;
                        p[k] = (set->x[(int64_t)i * set->dim + k] - s->centre[k] + turns) * s->unit;
                    }
                    scree_lens_turn(l, p, q);
                    ball one = {q[0], q[1], q[2], set->r[i] * s->unit};
                    double rect[4];
                    int32_t range[4];
                    if (cut_away(l, &one) || !scree_ball_bounds(l, &one, rect) || !scree_tile_range(l, rect, range))
                        continue;
                    if (store) {
                        b->ball[count] = one;
                        b->source[count] = i;
                    }
                    ++count;
                }
    }
    return count;
}

int64_t scree_depth_key(double value)
{
    float f = (float)fmin(fmax(value, -1e30), 1e30);
    uint32_t bits;
    memcpy(&bits, &f, sizeof bits);
    return (bits & 0x80000000u) != 0 ? ~bits : bits | 0x80000000u;
}

// Step 2. Discs lie on one plane; there small ones come first, so that they are not lost under large ones.
static scree_status sort_by_depth(balls* b, bool flat)
{
    size_t count = (size_t)b->count;
    int64_t* keys = scree_malloc(2 * count, sizeof *keys);
    uint32_t* numbers = scree_malloc(2 * count, sizeof *numbers);
    ball* sorted = scree_malloc(count, sizeof *sorted);
    int32_t* source = scree_malloc(count, sizeof *source);
    if (keys == NULL || numbers == NULL || sorted == NULL || source == NULL) {
        scree_free(keys);
        scree_free(numbers);
        scree_free(sorted);
        scree_free(source);
        return SCREE_ERR_MEMORY;
    }
    for (int32_t n = 0; n < b->count; ++n) {
        keys[n] = scree_depth_key(flat ? b->ball[n].r : b->ball[n].z - b->ball[n].r);
        numbers[n] = (uint32_t)n;
    }
    scree_sort_with(keys, numbers, keys + count, numbers + count, b->count);
    for (int32_t n = 0; n < b->count; ++n) {
        sorted[n] = b->ball[numbers[n]];
        source[n] = b->source[numbers[n]];
    }
    scree_free(keys);
    scree_free(numbers);
    scree_free(b->ball);
    scree_free(b->source);
    b->ball = sorted;
    b->source = source;
    return SCREE_OK;
}

static scree_status stopped(balls* b)
{
    b->count = 0;
    return scree_fail(SCREE_ERR_CANCELLED, "stopped on request");
}

scree_status scree_balls_make(const stage* s, const lens* l, const scree_watch* watch, balls* out)
{
    *out = (balls){.tiles_x = (l->width + tile_side - 1) / tile_side, .tiles_y = (l->height + tile_side - 1) / tile_side};
    bool images = s->images != SCREE_IMAGES_NONE || s->copies > 0;  // most of which may be outside the picture
    out->count = images ? gather(s, l, watch, out, false) : s->set->count;
    if (out->count < 0)
        return stopped(out);
    out->ball = scree_malloc((size_t)out->count, sizeof *out->ball);
    out->source = scree_malloc((size_t)out->count, sizeof *out->source);
    scree_status status = out->ball != NULL && out->source != NULL ? SCREE_OK : SCREE_ERR_MEMORY;
    if (status == SCREE_OK) {
        out->count = gather(s, l, watch, out, true);
        status = out->count < 0 ? stopped(out) : sort_by_depth(out, s->set->dim == 2);
    }
    if (status == SCREE_OK)
        status = scree_tile_lists_make(l, out->count, bounds_of, &(seen_balls){l, out}, &out->in);  // step 3
    if (status != SCREE_OK)
        scree_balls_free(out);
    return status;
}

void scree_balls_free(balls* b)
{
    scree_free(b->ball);
    scree_free(b->source);
    scree_tile_lists_free(&b->in);
    *b = (balls){0};
}
