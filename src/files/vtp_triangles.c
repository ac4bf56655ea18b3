// The polygons of a VTP file as triangles. Data of points and cells are of no interest here. A polygon of more than three corners is cut into a fan of triangles from one
// of its corners, which is right if it is flat and convex; others are rejected by number. The corner is the one, of the first 16, from which the smallest
// triangle is largest, so that corners in a straight line make no triangle without area where it can be avoided.
#include "files/formats.h"
#include "files/vtp.h"

#include "geom/length.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static const double flat = 1e-6;  // of its size: how far a corner may be off the plane, or a turn the wrong way

// A polygon through its piece.
typedef struct corners {
    const scree_vtp_piece* pc;
    int64_t begin, count;
} corners;

static const double* corner(const corners* c, int64_t k)
{
    return &c->pc->centres.values[3 * c->pc->connectivity.integers[c->begin + k % c->count]];
}

// Twice the area of the triangle (a, b, c) as a vector, lengths in units of `size`.
static void area_of(const double* a, const double* b, const double* c, double size, double out[3])
{
    double u[3], v[3];
    for (int k = 0; k < 3; ++k) {
        u[k] = (b[k] - a[k]) / size;
        v[k] = (c[k] - a[k]) / size;
    }
    for (int k = 0; k < 3; ++k)
        out[k] = u[(k + 1) % 3] * v[(k + 2) % 3] - u[(k + 2) % 3] * v[(k + 1) % 3];
}

static double dot(const double a[3], const double b[3])
{
    return (a[0] * b[0] + a[1] * b[1]) + a[2] * b[2];
}

// Unit normal of the polygon, and its size; false: it has no area.
static bool measure(const corners* c, double n[3], double* size)
{
    const double* o = corner(c, 0);
    *size = 0.0;
    for (int64_t k = 1; k < c->count; ++k)
        for (int l = 0; l < 3; ++l)
            *size = fmax(*size, fabs(corner(c, k)[l] - o[l]));
    n[0] = n[1] = n[2] = 0.0;
    for (int64_t k = 1; k + 1 < c->count && *size > 0.0; ++k) {
        double part[3];
        area_of(o, corner(c, k), corner(c, k + 1), *size, part);
        for (int l = 0; l < 3; ++l)
            n[l] += part[l];
    }
    double length = sqrt(dot(n, n));
    for (int l = 0; l < 3; ++l)
        n[l] = length > 0.0 ? n[l] / length : 0.0;
    return length > flat * flat;
}

// The smallest triangle of the fan from corner `from`.
static double least_of_fan(const corners* c, int64_t from, const double n[3], double size)
{
    double least = INFINITY;
    for (int64_t k = 1; k + 1 < c->count; ++k) {
        double part[3];
        area_of(corner(c, from), corner(c, from + k), corner(c, from + k + 1), size, part);
        least = fmin(least, dot(part, n));
    }
    return least;
}

static scree_status check_polygon(const scree_input* input, const corners* c, int64_t number, const double n[3], double size, double least)
{
    const scree_vtp_piece* pc = c->pc;
    for (int64_t k = 0; k < c->count; ++k) {
        double off[3], turn[3];
        for (int l = 0; l < 3; ++l)
            off[l] = (corner(c, k)[l] - corner(c, 0)[l]) / size;
        if (!(fabs(dot(off, n)) <= flat))
            return scree_vtp_array_fail(input, &pc->offsets, "polygon %" PRId64 " is not flat: corner %" PRId64 " is %g off its plane; expected a flat polygon or triangles", number, k,
                                        fabs(dot(off, n)) * size);
        area_of(corner(c, k), corner(c, k + 1), corner(c, k + 2), size, turn);
        if (!(dot(turn, n) >= -flat))
            return scree_vtp_array_fail(input, &pc->offsets, "polygon %" PRId64 " of %" PRId64 " corners is not convex at corner %" PRId64 "; expected a convex polygon or triangles", number,
                                        c->count, (k + 1) % c->count);
    }
    if (!(least >= -flat))
        return scree_vtp_array_fail(input, &pc->offsets, "polygon %" PRId64 " of %" PRId64 " corners is not convex; expected a convex polygon or triangles", number, c->count);
    return SCREE_OK;
}

// Adds the triangles of one polygon behind those that are there.
static scree_status cut(const scree_input* input, const corners* c, int64_t number, scree_triangles* out)
{
    double n[3], size, best = -INFINITY;
    int64_t from = 0;
    if (c->count > 3 && measure(c, n, &size)) {
        for (int64_t k = 0; k < c->count && k < 16; ++k) {
            double least = least_of_fan(c, k, n, size);
            if (least > best) {
                best = least;
                from = k;
            }
        }
        scree_status status = check_polygon(input, c, number, n, size, best);
        if (status != SCREE_OK)
            return status;
    }
    for (int64_t k = 1; k + 1 < c->count; ++k) {
        double* to = &out->xyz[9 * (int64_t)out->count++];
        memcpy(to, corner(c, from), 3 * sizeof *to);
        memcpy(to + 3, corner(c, from + k), 3 * sizeof *to);
        memcpy(to + 6, corner(c, from + k + 1), 3 * sizeof *to);
    }
    return SCREE_OK;
}

scree_status scree_vtp_content_to_triangles(const scree_input* input, scree_vtp_content* content, scree_triangles* out)
{
    scree_vtp_piece* pc = content->pieces;
    if (content->polys == 0)
        return scree_input_fail(input, pc->line, "0 polygons; expected at least one");
    while (pc->polys == 0)
        ++pc;
    scree_status status = scree_vtp_check_polys(input, pc);
    for (int64_t k = 0; k < 3 * pc->points && status == SCREE_OK; ++k)
        if (!scree_is_length(pc->centres.values[k]))
            status = scree_vtp_array_fail(input, &pc->centres, "point %" PRId64 " has %c = %g; expected a finite number", k / 3, "xyz"[k % 3], pc->centres.values[k]);
    if (status != SCREE_OK)
        return status;
    int64_t total = pc->offsets.integers[pc->polys - 1] - 2 * pc->polys;
    if (total > SCREE_TRIANGLES_MAX)
        return scree_input_fail(input, pc->line, "%" PRId64 " triangles; expected at most %d", total, SCREE_TRIANGLES_MAX);
    status = scree_triangles_make((int32_t)total, out);
    out->count = 0;
    for (int64_t i = 0; i < pc->polys && status == SCREE_OK; ++i) {
        int64_t begin = i > 0 ? pc->offsets.integers[i - 1] : 0;
        corners c = {.pc = pc, .begin = begin, .count = pc->offsets.integers[i] - begin};
        status = cut(input, &c, i, out);
    }
    return status;
}
