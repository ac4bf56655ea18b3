// Shapes and poses of bodies, so that a page with many frames holds each shape once.
//
// A frame gives corners in the plane, and for most bodies a centre and an angle: taken back by these, the corners are the same in every frame except for
// rounding. So the shapes of the frame before are kept wherever they stand for the corners of this frame within 1e-8 of its size, and
// only then; a body without an angle, or one that has changed, gets a shape of its own. Nothing adds up over frames, as each is
// compared with its own corners.
//
// A shape whose centre is far outside of it (a wall drawn around another origin) would lose digits when it is rounded: it gets the middle
// of its box as centre.
//
// Cost: two passes over all corners. Wrong for bodies that change their shape all the time: then it is work for nothing.
#include "view/bodies.h"

#include <math.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

void body_poses_free(body_poses* poses)
{
    scree_free(poses->x);
    scree_free(poses->turn);
    scree_free(poses->corners);
    scree_free(poses->local);
    scree_free(poses->area);
    *poses = (body_poses){0};
}

void body_bounds(const scree_outline_set* set, int64_t i, double bounds[4])
{
    for (int k = 0; k < 2; ++k) {
        double x = set->bodies.x[2 * i + k], r = set->bodies.r[i];
        bounds[k] = body_is_disc(set, i) ? x - r : INFINITY;
        bounds[2 + k] = body_is_disc(set, i) ? x + r : -INFINITY;
        for (int64_t v = set->first[i]; v < set->first[i + 1]; ++v) {
            bounds[k] = fmin(bounds[k], set->xy[2 * v + k]);
            bounds[2 + k] = fmax(bounds[2 + k], set->xy[2 * v + k]);
        }
    }
}

static double size_of_all(const scree_outline_set* set)
{
    double lower[2] = {INFINITY, INFINITY}, upper[2] = {-INFINITY, -INFINITY}, b[4];
    for (int64_t i = 0; i < set->bodies.count; ++i) {
        body_bounds(set, i, b);
        for (int k = 0; k < 2; ++k) {
            lower[k] = fmin(lower[k], b[k]);
            upper[k] = fmax(upper[k], b[2 + k]);
        }
    }
    return set->bodies.count > 0 ? fmax(upper[0] - lower[0], upper[1] - lower[1]) : 0.0;
}

static double area_of(const scree_outline_set* set, int64_t i)
{
    if (body_is_disc(set, i))
        return pi * set->bodies.r[i] * set->bodies.r[i];
    const double* origin = &set->xy[2 * set->first[i]];
    double twice = 0.0;
    for (int64_t v = set->first[i]; v < set->first[i + 1]; ++v) {
        const double *a = &set->xy[2 * v], *b = v + 1 < set->first[i + 1] ? a + 2 : origin;
        twice += (a[0] - origin[0]) * (b[1] - origin[1]) - (a[1] - origin[1]) * (b[0] - origin[0]);
    }
    return 0.5 * fabs(twice);
}

static void find_pose(const scree_outline_set* set, const scree_column* angle, int64_t i, double size, double x[2], double* turn)
{
    double b[4];
    body_bounds(set, i, b);
    memcpy(x, &set->bodies.x[2 * i], 2 * sizeof *x);
    *turn = angle != NULL && isfinite(angle->values[i]) ? remainder(angle->values[i], 2.0 * pi) : 0.0;
    if (body_is_disc(set, i) || (x[0] >= b[0] - size && x[0] <= b[2] + size && x[1] >= b[1] - size && x[1] <= b[3] + size))
        return;
    x[0] = 0.5 * b[0] + 0.5 * b[2];
    x[1] = 0.5 * b[1] + 0.5 * b[3];
}

static bool fits(const double* local, const double* xy, int64_t count, const double x[2], double turn, double within)
{
    double c = cos(turn), s = sin(turn);
    for (int64_t v = 0; v < count; ++v) {
        double px = x[0] + c * local[2 * v] - s * local[2 * v + 1], py = x[1] + s * local[2 * v] + c * local[2 * v + 1];
        if (!(fabs(px - xy[2 * v]) <= within && fabs(py - xy[2 * v + 1]) <= within))
            return false;
    }
    return true;
}

scree_status body_poses_make(const scree_outline_set* set, const body_poses* before, body_poses* out)
{
    int32_t count = set->bodies.count;
    *out = (body_poses){.count = count, .corner_count = scree_outline_set_vertices(set)};
    out->x = scree_malloc((size_t)count, 2 * sizeof *out->x);
    out->turn = scree_malloc((size_t)count, sizeof *out->turn);
    out->corners = scree_malloc((size_t)count, sizeof *out->corners);
    out->area = scree_malloc((size_t)count, sizeof *out->area);
    out->local = scree_malloc((size_t)out->corner_count, 2 * sizeof *out->local);
    if (out->x == NULL || out->turn == NULL || out->corners == NULL || out->area == NULL || out->local == NULL) {
        body_poses_free(out);
        return SCREE_ERR_MEMORY;
    }
    const scree_column* angle = scree_sphere_set_find(&set->bodies, "angle");
    if (angle != NULL && (angle->kind != SCREE_COLUMN_DOUBLE || angle->components != 1))
        angle = NULL;
    double size = size_of_all(set);
    bool alike = before->count == count && before->corner_count == out->corner_count;
    for (int64_t i = 0; i < count; ++i) {
        int64_t first = set->first[i], corners = set->first[i + 1] - first;
        out->corners[i] = corners;
        out->area[i] = area_of(set, i);
        find_pose(set, angle, i, size, &out->x[2 * i], &out->turn[i]);
        alike = alike && before->corners[i] == corners;  // up to here: so the corners of this one stand at the same place
        double *local = &out->local[2 * first], c = cos(out->turn[i]), s = sin(out->turn[i]);
        if (alike && fits(&before->local[2 * first], &set->xy[2 * first], corners, &out->x[2 * i], out->turn[i], 1e-8 * size)) {
            memcpy(local, &before->local[2 * first], 2 * (size_t)corners * sizeof *local);
            continue;
        }
        for (int64_t v = 0; v < corners; ++v) {
            double dx = set->xy[2 * (first + v)] - out->x[2 * i], dy = set->xy[2 * (first + v) + 1] - out->x[2 * i + 1];
            local[2 * v] = c * dx + s * dy;
            local[2 * v + 1] = c * dy - s * dx;
        }
    }
    return SCREE_OK;
}
