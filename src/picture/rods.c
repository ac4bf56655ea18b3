// Rods: force chains through the spheres. A rod is a cylinder with round ends, met by the ray of each sample exactly:
//
//     ray p = o + t d, rod from a along e (|e| = 1), radius r
//     around the axis    |(p - a) - ((p - a) . e) e|^2 = r^2       two values of t, or all where d is parallel to e
//     between the ends   0 <= (p - a) . e <= length                a range of t
//     round ends         a ball at each
//
// The body is convex: what the ray is inside of is one range, from the least to the greatest t of the three parts. o is moved along the ray to the depth of the rod's
// middle, so that a thin rod far from the eye loses no digits.
//
// Periodic boxes: a rod that leaves the box is drawn with all its images that reach into the box, each cut flat at the periodic faces (planes of a lens of
// their own, as spheres have them with SCREE_IMAGES_FILL): the part outside comes in again at the opposite face.
//
// Cost: O(rods) in memory. Rods come nearest first, and a sample looks at one only if it lies in the strip that holds it and nothing nearer was found before.
#include "picture/picture.h"

#include "base/argument.h"
#include "base/sort.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

scree_status scree_rods_check(const scree_picture_def* def, int dim)
{
    const scree_rods* all = def->rods;
    if (def->rods_scale < 0 || def->rods_scale >= SCREE_ROD_SCALE_COUNT)
        return scree_fail(SCREE_ERR_ARGUMENT, "scale of rods %" PRId32 "; expected 0 to %d", def->rods_scale, SCREE_ROD_SCALE_COUNT - 1);
    if (!(def->rods_width >= 0.0 && def->rods_width <= SCREE_LENGTH_MAX))
        return scree_fail(SCREE_ERR_ARGUMENT, "width of rods is %g; expected a length, or 0", def->rods_width);
    if (all == NULL)
        return SCREE_OK;
    if (all->count < 0 || all->count > INT32_MAX / 8 || (all->count > 0 && (all->ends == NULL || all->value == NULL)))
        return scree_fail(SCREE_ERR_ARGUMENT, "rods: %" PRId64 " of them; expected 0 to %d, with ends and values", all->count, INT32_MAX / 8);
    for (int64_t n = 0; n < all->count; ++n) {
        if (!isfinite(all->value[n]))
            return scree_fail(SCREE_ERR_ARGUMENT, "rod %" PRId64 ": the value %g is not finite; expected a number", n, all->value[n]);
        for (int e = 0; e < 2 * dim; ++e)
            if (!(fabs(all->ends[n][e / dim][e % dim]) <= SCREE_LENGTH_MAX))
                return scree_fail(SCREE_ERR_ARGUMENT, "rod %" PRId64 ": end %d has %c = %g; expected a finite length", n, e / dim, "xyz"[e % dim],
                                  all->ends[n][e / dim][e % dim]);
    }
    return SCREE_OK;
}

double scree_rods_widest(const scree_sphere_set* set, const scree_picture_def* def)
{
    double widest = def->rods_width;
    for (int64_t i = 0; i < set->count && def->rods_width == 0.0; ++i)
        widest += set->r[i] / (double)set->count;
    return widest;
}

double scree_rod_width(const scree_picture_def* def, const colours* c, double widest, int64_t n)
{
    double most = fmax(fabs(c->low), fabs(c->high));
    double share = most > 0.0 ? fmin(fabs(def->rods->value[n]) / most, 1.0) : 1.0;
    return widest * (def->rods_scale == SCREE_ROD_LINEAR ? share : sqrt(share));
}

// ---- The list ----------------------------------------------------------------------------------------------------------

// The picture's lens with a plane at each face of the box, so that rods end flat at walls too, and at the cut.
static lens lens_of_rods(const stage* s, const lens* l, const scree_picture_def* def)
{
    stage own = *s;
    lens out = *l;
    own.plane_count = 0;
    for (int k = 0; k < s->set->dim && s->set->has_box; ++k) {
        double reach = s->set->box.periodic[k] ? (double)s->copies * (s->upper[k] - s->lower[k]) : 0.0;
        for (int side = 0; side < 2; ++side) {
            if (!isfinite(side == 0 ? s->set->box.upper[k] : s->set->box.lower[k]))
                continue;
            double* plane = own.plane[own.plane_count++];
            memset(plane, 0, 3 * sizeof *plane);
            plane[k] = side == 0 ? 1.0 : -1.0;
            plane[3] = side == 0 ? s->upper[k] + reach : reach - s->lower[k];
        }
    }
    if (def->cut)
        memcpy(own.plane[own.plane_count++], s->plane[s->plane_count - 1], sizeof own.plane[0]);
    out.plane_count = own.plane_count;
    for (int n = 0; n < own.plane_count; ++n) {
        scree_lens_turn(l, own.plane[n], out.plane[n]);
        out.plane[n][3] = own.plane[n][3];
    }
    return out;
}

// Along a periodic axis: shifts with which a part of the rod lies in the boxes drawn. `lean`: what the shifts of later axes add along this one.
static void find_shifts(const stage* s, int k, const double ends[2][3], double r, double lean, double* from, double* to)
{
    const scree_box* box = &s->set->box;
    *from = *to = 0.0;
    if (k >= s->set->dim || !s->set->has_box || !box->periodic[k])
        return;
    double length = box->upper[k] - box->lower[k], reach = (double)s->copies * length;
    *from = ceil((box->lower[k] - reach - lean - fmax(ends[0][k], ends[1][k]) - r) / length);
    *to = floor((box->upper[k] + reach - lean - fmin(ends[0][k], ends[1][k]) + r) / length);
}

static bool is_cut_away(const lens* l, const rod* one)
{
    for (int n = 0; n < l->plane_count; ++n) {
        const double* p = l->plane[n];
        double at = p[0] * one->a[0] + p[1] * one->a[1] + p[2] * one->a[2] - p[3];
        double along = p[0] * one->axis[0] + p[1] * one->axis[1] + p[2] * one->axis[2];
        if (fmin(at, at + one->length * along) > one->r)
            return true;
    }
    return false;
}

// The first call only counts.
static int64_t gather(const stage* s, const scree_picture_def* def, const colours* c, double widest, rod_list* all, bool store)
{
    int dim = s->set->dim;
    int64_t count = 0;
    double tilt[3] = {0.0, 0.0, 0.0};
    for (int t = 0; t < (dim == 2 ? 1 : 3) && s->set->has_box; ++t)
        tilt[t] = s->set->box.tilt[t];
    for (int64_t n = 0; n < def->rods->count; ++n) {
        double from[3], to[3], shift[3], ends[2][3];
        double r = 0.5 * scree_rod_width(def, c, widest, n);
        memcpy(ends, def->rods->ends[n], sizeof ends);
        double lean[3] = {0.0, 0.0, 0.0};
        find_shifts(s, 2, (const double(*)[3])ends, r, 0.0, &from[2], &to[2]);
        for (shift[2] = from[2]; shift[2] <= to[2]; ++shift[2]) {
            lean[1] = shift[2] * tilt[2];
            find_shifts(s, 1, (const double(*)[3])ends, r, lean[1], &from[1], &to[1]);
            for (shift[1] = from[1]; shift[1] <= to[1]; ++shift[1]) {
                lean[0] = shift[1] * tilt[0] + shift[2] * tilt[1];
                find_shifts(s, 0, (const double(*)[3])ends, r, lean[0], &from[0], &to[0]);
                for (shift[0] = from[0]; shift[0] <= to[0]; ++shift[0]) {
                    double p[2][3] = {{0.0}}, q[2][3];
                    for (int end = 0; end < 2; ++end) {
                        for (int k = 0; k < dim; ++k) {
                            double turns = shift[k] != 0.0 ? shift[k] * (s->set->box.upper[k] - s->set->box.lower[k]) : 0.0;
                            p[end][k] = (ends[end][k] - s->centre[k] + (turns + lean[k])) * s->unit;
                        }
                        scree_lens_turn(&all->lens, p[end], q[end]);
                    }
                    rod one = {.r = r * s->unit, .source = (int32_t)n, .axis = {1.0, 0.0, 0.0}};
                    double square = 0.0;
                    for (int k = 0; k < 3; ++k) {
                        one.a[k] = q[0][k];
                        square += (q[1][k] - q[0][k]) * (q[1][k] - q[0][k]);
                    }
                    one.length = sqrt(square);
                    for (int k = 0; k < 3 && one.length > 0.0; ++k)
                        one.axis[k] = (q[1][k] - q[0][k]) / one.length;
                    double rect[4];
                    int32_t range[4];
                    if (is_cut_away(&all->lens, &one) || !scree_rod_bounds(&all->lens, &one, rect) || !scree_tile_range(&all->lens, rect, range))
                        continue;
                    if (store)
                        all->rod[count] = one;
                    ++count;
                }
            }
        }
    }
    return count;
}

static bool bounds_of(const void* context, int32_t n, double rect[4])
{
    const rod_list* all = context;
    return scree_rod_bounds(&all->lens, &all->rod[n], rect);
}

// Nearest first, so that most of what is hidden is not looked at.
static scree_status sort_by_depth(rod_list* all)
{
    size_t count = (size_t)all->count;
    int64_t* keys = scree_malloc(2 * count, sizeof *keys);
    uint32_t* numbers = scree_malloc(2 * count, sizeof *numbers);
    rod* sorted = scree_malloc(count, sizeof *sorted);
    bool there = keys != NULL && numbers != NULL && sorted != NULL;
    for (int32_t n = 0; n < all->count && there; ++n) {
        keys[n] = scree_depth_key(scree_rod_nearest(&all->rod[n]));
        numbers[n] = (uint32_t)n;
    }
    if (there)
        scree_sort_with(keys, numbers, keys + count, numbers + count, all->count);
    for (int32_t n = 0; n < all->count && there; ++n)
        sorted[n] = all->rod[numbers[n]];
    scree_free(keys);
    scree_free(numbers);
    scree_free(there ? all->rod : sorted);
    all->rod = there ? sorted : all->rod;
    return there ? SCREE_OK : SCREE_ERR_MEMORY;
}

scree_status scree_rods_draw_list(const stage* s, const lens* l, const scree_picture_def* def, const colours* c, rod_list* out)
{
    *out = (rod_list){.lens = lens_of_rods(s, l, def)};
    double widest = scree_rods_widest(s->set, def);
    int64_t count = gather(s, def, c, widest, out, false);
    if (count > INT32_MAX - 1)
        return scree_fail(SCREE_ERR_ARGUMENT, "%" PRId64 " rods would be drawn with all their images; expected at most %d", count, INT32_MAX - 1);
    out->rod = scree_malloc((size_t)count, sizeof *out->rod);
    if (out->rod == NULL)
        return SCREE_ERR_MEMORY;
    out->count = (int32_t)gather(s, def, c, widest, out, true);
    scree_status status = sort_by_depth(out);
    if (status == SCREE_OK)
        status = scree_tile_lists_make(l, out->count, bounds_of, out, &out->in);
    if (status != SCREE_OK)
        scree_rods_forget(out);
    return status;
}

void scree_rods_forget(rod_list* all)
{
    scree_free(all->rod);
    scree_tile_lists_free(&all->in);
    *all = (rod_list){0};
}

// ---- One rod -----------------------------------------------------------------------------------------------------------

static ball ball_at(const rod* one, int end)
{
    double at = end == 0 ? 0.0 : one->length;
    return (ball){one->a[0] + at * one->axis[0], one->a[1] + at * one->axis[1], one->a[2] + at * one->axis[2], one->r};
}

// That of its two ends: a straight line between two places is seen as one.
bool scree_rod_bounds(const lens* l, const rod* one, double rect[4])
{
    for (int end = 0; end < 2; ++end) {
        double own[4];
        ball tip = ball_at(one, end);
        if (!scree_ball_bounds(l, &tip, own))
            return false;
        for (int k = 0; k < 2; ++k) {
            rect[k] = end == 0 ? own[k] : fmin(rect[k], own[k]);
            rect[2 + k] = end == 0 ? own[2 + k] : fmax(rect[2 + k], own[2 + k]);
        }
    }
    return true;
}

// What is seen of a rod is the convex hull of what is seen of its ends.
bool scree_rod_strip(const lens* l, const rod* one, double from[2], double to[2], double* reach)
{
    *reach = 0.0;
    for (int end = 0; end < 2; ++end) {
        double rect[4], *at = end == 0 ? from : to;
        ball tip = ball_at(one, end);
        if (!scree_ball_bounds(l, &tip, rect))
            return false;
        double depth = scree_lens_depth(l, tip.z);
        at[0] = (tip.x / depth - l->left) / l->pitch;
        at[1] = (l->top - tip.y / depth) / l->pitch;
        double corner[2] = {fmax(rect[2] - at[0], at[0] - rect[0]), fmax(rect[3] - at[1], at[1] - rect[1])};
        *reach = fmax(*reach, hypot(corner[0], corner[1]));
    }
    return true;
}

double scree_rod_nearest(const rod* one)
{
    return fmin(one->a[2], one->a[2] + one->length * one->axis[2]) - one->r;
}

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// Widens [near, far] by what the ray is inside of: a ball of radius r about `from`.
static void meet_end(const double from[3], const double d[3], double r, double* near, double* far)
{
    double dd = dot(d, d), middle = dot(from, d) / dd, square = r * r;
    for (int k = 0; k < 3; ++k) {
        double off = from[k] - middle * d[k];
        square -= off * off;
    }
    if (square < 0.0)
        return;
    double half = sqrt(square / dd);
    *near = fmin(*near, middle - half);
    *far = fmax(*far, middle + half);
}

// The same by the cylinder between the ends; `o` is the place on the ray that t counts from.
static void meet_side(const rod* one, const double o[3], const double d[3], double r, double* near, double* far)
{
    double from[3] = {o[0] - one->a[0], o[1] - one->a[1], o[2] - one->a[2]};
    double along = dot(d, one->axis), at = dot(from, one->axis), across[3], off[3];
    for (int k = 0; k < 3; ++k) {
        across[k] = d[k] - along * one->axis[k];
        off[k] = from[k] - at * one->axis[k];
    }
    double low = -INFINITY, high = INFINITY, a = dot(across, across), b = dot(off, across), rest = dot(off, off) - r * r;
    if (a > 1e-18 * dot(d, d)) {
        double root = b * b - a * rest;
        if (root < 0.0)
            return;
        root = sqrt(root);
        low = (-b - root) / a;
        high = (-b + root) / a;
    } else if (rest > 0.0) {
        return;
    }
    if (along != 0.0) {
        double first = -at / along, last = (one->length - at) / along;
        low = fmax(low, fmin(first, last));
        high = fmin(high, fmax(first, last));
    } else if (at < 0.0 || at > one->length) {
        return;
    }
    if (low > high)
        return;
    *near = fmin(*near, low);
    *far = fmax(*far, high);
}

bool scree_rod_meet(const lens* l, const rod* one, double least, double u, double v, double* z, double n[3])
{
    double half = 0.5 * one->length, middle = scree_lens_depth(l, one->a[2] + half * one->axis[2]), r = fmax(one->r, least);
    double d[3] = {l->eye > 0.0 ? u : 0.0, l->eye > 0.0 ? v : 0.0, 1.0};
    double o[3] = {l->eye > 0.0 ? u * middle : u, l->eye > 0.0 ? v * middle : v, l->eye > 0.0 ? middle - l->eye : 0.0};
    double near = INFINITY, far = -INFINITY, enter, leave;
    meet_side(one, o, d, r, &near, &far);
    for (int end = 0; end < 2; ++end) {
        double from[3];
        for (int k = 0; k < 3; ++k)
            from[k] = one->a[k] + (end == 0 ? 0.0 : one->length) * one->axis[k] - o[k];
        meet_end(from, d, r, &near, &far);
    }
    if (near > far)
        return false;
    int plane;
    scree_lens_keep(l, u, v, &enter, &leave, &plane);
    double first = near + o[2], last = far + o[2];  // as z
    if (last < enter || first > leave)
        return false;
    if (first < enter && plane >= 0) {  // the flat face of the cut
        *z = enter;
        memcpy(n, l->plane[plane], 3 * sizeof *n);
        return true;
    }
    *z = first;
    double p[3], at = 0.0;
    for (int k = 0; k < 3; ++k) {
        p[k] = o[k] + near * d[k] - one->a[k];
        at += p[k] * one->axis[k];
    }
    at = fmin(fmax(at, 0.0), one->length);
    for (int k = 0; k < 3; ++k)
        n[k] = (p[k] - at * one->axis[k]) / r;
    return true;
}
