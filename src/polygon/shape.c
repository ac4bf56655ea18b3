// One polygon: validity, area, centre and moment of inertia, and the two contact queries by plain loops. The loops are the reference for the tree of
// edges (edges.c).
#include "polygon/edges.h"

#include "base/argument.h"
#include "geom/length.h"

#include <float.h>
#include <inttypes.h>

static const double* vertex(scree_polygon polygon, int32_t i)
{
    return polygon.xy + 2 * (int64_t)(i < polygon.count ? i : i - polygon.count);
}

static scree_status check_numbers(scree_polygon polygon, polygon_watch* watch)
{
    if (polygon.xy == NULL)
        return scree_fail(SCREE_ERR_ARGUMENT, "polygon.xy is NULL; expected an array");
    if (polygon.count < 3)
        return scree_fail(SCREE_ERR_ARGUMENT, "a polygon of %" PRId32 " vertices; expected 3 or more", polygon.count);
    scree_status status = SCREE_OK;
    for (int64_t e = 0; e < 2 * (int64_t)polygon.count && status == SCREE_OK; ++e) {
        if (!scree_is_length(polygon.xy[e]))
            return scree_fail(SCREE_ERR_ARGUMENT, "vertex %" PRId64 ": %c = %g is out of range; expected 0, or %g to %g in size", e / 2, "xy"[e % 2],
                              polygon.xy[e], SCREE_LENGTH_MIN, SCREE_LENGTH_MAX);
        status = polygon_watch_work(watch, vertex_units / 8);
    }
    return status;
}

scree_status polygon_check(scree_polygon polygon, polygon_watch* watch)
{
    scree_status status = check_numbers(polygon, watch);
    if (status != SCREE_OK)
        return status;
    edge_tree tree;
    status = edge_tree_make(&tree, polygon.count, polygon.xy, (const double[2]){0.0, 0.0}, watch);
    if (status != SCREE_OK)
        return status;
    status = edge_tree_check_simple(&tree, watch);
    edge_tree_free(&tree);
    scree_polygon_numbers numbers;
    return status == SCREE_OK ? polygon_measure(polygon, watch, &numbers) : status;
}

scree_status scree_polygon_check(scree_polygon polygon)
{
    SCREE_NEED(polygon.xy);
    return polygon_check(polygon, NULL);
}

scree_status polygon_measure(scree_polygon polygon, polygon_watch* watch, scree_polygon_numbers* out)
{
    if (polygon.count < 3)
        return scree_fail(SCREE_ERR_ARGUMENT, "a polygon of %" PRId32 " vertices; expected 3 or more", polygon.count);
    const double* o = polygon.xy;
    scree_polygon_numbers m = {.lower = {o[0], o[1]}, .upper = {o[0], o[1]}};
    double twice = 0.0, size = 0.0, c[2] = {0.0, 0.0};
    scree_status status = SCREE_OK;
    for (int32_t i = 0; i < polygon.count && status == SCREE_OK; ++i) {
        status = polygon_watch_work(watch, vertex_units);
        const double *p = vertex(polygon, i), *q = vertex(polygon, i + 1), *r = vertex(polygon, i + 2);
        double a[2] = {p[0] - o[0], p[1] - o[1]}, b[2] = {q[0] - o[0], q[1] - o[1]};
        double cross = a[0] * b[1] - a[1] * b[0];
        twice += cross;
        size += fabs(cross);
        for (int k = 0; k < 2; ++k) {
            c[k] += (a[k] + b[k]) * cross;
            m.lower[k] = fmin(m.lower[k], p[k]);
            m.upper[k] = fmax(m.upper[k], p[k]);
        }
        m.perimeter += sqrt((q[0] - p[0]) * (q[0] - p[0]) + (q[1] - p[1]) * (q[1] - p[1]));
        m.reflex += (q[0] - p[0]) * (r[1] - q[1]) - (q[1] - p[1]) * (r[0] - q[0]) < 0.0;
    }
    if (status != SCREE_OK)
        return status;
    if (!(fabs(twice) > 64.0 * DBL_EPSILON * size))
        return scree_fail(SCREE_ERR_ARGUMENT, "the polygon has area %g and perimeter %g; expected an area above 0", 0.5 * twice, m.perimeter);
    m.area = 0.5 * twice;
    if (twice < 0.0)
        m.reflex = polygon.count - m.reflex;
    for (int k = 0; k < 2; ++k) {
        c[k] /= 3.0 * twice;
        m.centre[k] = o[k] + c[k];
    }
    double second = 0.0, far = 0.0;
    for (int32_t i = 0; i < polygon.count && status == SCREE_OK; ++i) {
        status = polygon_watch_work(watch, vertex_units);
        const double *p = vertex(polygon, i), *q = vertex(polygon, i + 1);
        double a[2] = {p[0] - o[0] - c[0], p[1] - o[1] - c[1]}, b[2] = {q[0] - o[0] - c[0], q[1] - o[1] - c[1]};
        double aa = a[0] * a[0] + a[1] * a[1], ab = a[0] * b[0] + a[1] * b[1], bb = b[0] * b[0] + b[1] * b[1];
        second += (a[0] * b[1] - a[1] * b[0]) * (aa + ab + bb);
        far = fmax(far, aa);
    }
    m.gyration = second / (6.0 * twice);
    m.radius = sqrt(far);
    if (status == SCREE_OK)
        *out = m;
    return status;
}

SCREE_RESULT_OF(scree_polygon_numbers, scree_polygon_measure, (scree_polygon polygon, scree_polygon_numbers* out), (polygon, out))
{
    SCREE_EMPTY(out);
    SCREE_NEED(polygon.xy);
    return polygon_measure(polygon, NULL, out);
}

bool scree_polygon_contains(scree_polygon polygon, const double x[2])
{
    SCREE_NEED_OR(polygon.xy, false);
    SCREE_NEED_OR(x, false);
    int odd = 0;
    for (int32_t i = 0; i < polygon.count; ++i)
        odd ^= edge_right_of(vertex(polygon, i), vertex(polygon, i + 1), x);
    return odd != 0;
}

double scree_polygon_nearest(scree_polygon polygon, const double x[2], double point[2], int32_t* edge)
{
    SCREE_NEED_OR(polygon.xy, NAN);
    SCREE_NEED_OR(x, NAN);
    double best = INFINITY;
    for (int32_t i = 0; i < polygon.count; ++i) {
        const double *a = vertex(polygon, i), *b = vertex(polygon, i + 1);
        double dx = b[0] - a[0], dy = b[1] - a[1], length = sqrt(dx * dx + dy * dy), along;
        double t[3] = {length > 0.0 ? dx / length : 0.0, length > 0.0 ? dy / length : 0.0, length};
        double square = edge_square(a, b, t, x, &along);
        if (!(square < best))
            continue;
        best = square;
        if (edge != NULL)
            *edge = i;
        for (int k = 0; k < 2 && point != NULL; ++k)
            point[k] = along >= length ? b[k] : a[k] + along * t[k];
    }
    return sqrt(best);
}
