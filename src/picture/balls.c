// The balls that a lens sees, nearest first, sorted into square tiles of the picture:
//
//     1. go through spheres and images, turn them into lens space, drop what cannot be seen
//     2. sort by the depth of the nearest point (stable, so equal depths stay in the set's order)
//     3. count the tiles that each ball touches, then note it in each: the tiles' lists come out nearest first
//
// A tile that draws its list in this order hides what follows early, and stops when all of it is covered by something
// nearer than what is left.
//
// A ball over more than `many` tiles is not noted in each but once in a list of large ones, which every tile goes through
// beside its own. So memory is O(n) for any sizes; if all balls are large the time is n times the number of tiles, but a
// look at a ball that is not in the tile costs two comparisons.
#include "picture/picture.h"

#include "base/sort.h"

#include <math.h>
#include <string.h>

enum { many = 12 };

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

// The tiles under a ball, as inclusive ranges; false if there are none. Drawn balls are at least a pixel wide.
static bool tile_range(const lens* l, const balls* all, const ball* b, int32_t range[4])
{
    double rect[4];
    if (!scree_ball_bounds(l, b, rect))
        return false;
    if (!(rect[2] > -1.0 && rect[3] > -1.0 && rect[0] < l->width + 1.0 && rect[1] < l->height + 1.0))
        return false;
    const int32_t most[2] = {all->tiles_x - 1, all->tiles_y - 1};
    for (int k = 0; k < 2; ++k) {
        double first = floor((rect[k] - 1.0) / tile_side), last = floor((rect[k + 2] + 1.0) / tile_side);
        range[k] = first > 0.0 ? (int32_t)fmin(first, most[k]) : 0;
        range[k + 2] = last < most[k] ? (int32_t)fmax(last, 0.0) : most[k];
    }
    return true;
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

// Step 1. The first call only counts.
static int32_t gather(const stage* s, const lens* l, balls* b, bool store)
{
    const scree_sphere_set* set = s->set;
    int32_t count = 0;
    for (int32_t i = 0; i < set->count; ++i) {
        double from[3], to[3], shift[3];
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
                    int32_t range[4];
                    if (cut_away(l, &one) || !tile_range(l, b, &one, range))
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

// A key whose order is that of the float.
static int64_t sort_key(double value)
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
        keys[n] = sort_key(flat ? b->ball[n].r : b->ball[n].z - b->ball[n].r);
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

// Step 3.
static scree_status sort_into_tiles(const lens* l, balls* b)
{
    int64_t tiles = (int64_t)b->tiles_x * b->tiles_y;
    b->first = scree_calloc((size_t)tiles + 1, sizeof *b->first);
    if (b->first == NULL)
        return SCREE_ERR_MEMORY;
    int32_t range[4];
    for (int pass = 0; pass < 2; ++pass) {
        b->large_count = 0;
        for (int32_t n = 0; n < b->count; ++n) {
            if (!tile_range(l, b, &b->ball[n], range))
                continue;
            if ((int64_t)(range[2] - range[0] + 1) * (range[3] - range[1] + 1) > many) {
                if (pass == 1)
                    b->large[b->large_count] = n;
                ++b->large_count;
                continue;
            }
            for (int32_t y = range[1]; y <= range[3]; ++y)
                for (int32_t x = range[0]; x <= range[2]; ++x) {
                    int64_t t = (int64_t)y * b->tiles_x + x;
                    if (pass == 0)
                        ++b->first[t + 1];
                    else
                        b->entry[b->first[t]++] = n;
                }
        }
        if (pass == 1)
            break;
        for (int64_t t = 0; t < tiles; ++t)
            b->first[t + 1] += b->first[t];
        b->entry = scree_malloc((size_t)b->first[tiles], sizeof *b->entry);
        b->large = scree_malloc((size_t)b->large_count, sizeof *b->large);
        if (b->entry == NULL || b->large == NULL)
            return SCREE_ERR_MEMORY;
    }
    for (int64_t t = tiles; t > 0; --t)  // noting moved each beginning to its end
        b->first[t] = b->first[t - 1];
    b->first[0] = 0;
    return SCREE_OK;
}

scree_status scree_balls_make(const stage* s, const lens* l, balls* out)
{
    *out = (balls){.tiles_x = (l->width + tile_side - 1) / tile_side, .tiles_y = (l->height + tile_side - 1) / tile_side};
    bool images = s->images != SCREE_IMAGES_NONE || s->copies > 0;  // most of which may be outside the picture
    out->count = images ? gather(s, l, out, false) : s->set->count;
    out->ball = scree_malloc((size_t)out->count, sizeof *out->ball);
    out->source = scree_malloc((size_t)out->count, sizeof *out->source);
    scree_status status = out->ball != NULL && out->source != NULL ? SCREE_OK : SCREE_ERR_MEMORY;
    if (status == SCREE_OK) {
        out->count = gather(s, l, out, true);
        status = sort_by_depth(out, s->set->dim == 2);
    }
    if (status == SCREE_OK)
        status = sort_into_tiles(l, out);
    if (status != SCREE_OK)
        scree_balls_free(out);
    return status;
}

void scree_balls_free(balls* b)
{
    scree_free(b->ball);
    scree_free(b->source);
    scree_free(b->first);
    scree_free(b->entry);
    scree_free(b->large);
    *b = (balls){0};
}
