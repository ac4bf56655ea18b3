// Triangles as files have them: made, checked, moved.
#include "scree/surface.h"

#include "base/argument.h"
#include "geom/length.h"
#include "geom/vector.h"

#include <inttypes.h>

scree_status scree_triangles_make(int32_t count, scree_triangles* out)
{
    SCREE_EMPTY(out);
    if (count < 0 || count > SCREE_TRIANGLES_MAX)
        return scree_fail(SCREE_ERR_ARGUMENT, "triangle count %" PRId32 "; expected 0 to %d", count, SCREE_TRIANGLES_MAX);
    double* xyz = scree_malloc((size_t)count, 9 * sizeof *xyz);
    if (xyz == NULL)
        return SCREE_ERR_MEMORY;
    *out = (scree_triangles){.count = count, .xyz = xyz};
    return SCREE_OK;
}

void scree_triangles_free(scree_triangles* triangles)
{
    if (triangles == NULL)
        return;
    scree_free(triangles->xyz);
    *triangles = (scree_triangles){0};
}

static scree_status check_count(const scree_triangles* triangles)
{
    if (triangles->count < 0 || triangles->count > SCREE_TRIANGLES_MAX)
        return scree_fail(SCREE_ERR_ARGUMENT, "triangle count %" PRId32 "; expected 0 to %d", triangles->count, SCREE_TRIANGLES_MAX);
    if (triangles->count > 0 && triangles->xyz == NULL)
        return scree_fail(SCREE_ERR_ARGUMENT, "%" PRId32 " triangles: xyz is NULL; expected an array", triangles->count);
    return SCREE_OK;
}

static scree_status fail_at(int64_t c, double value)
{
    return scree_fail(SCREE_ERR_ARGUMENT, "triangle %" PRId64 ", corner %" PRId64 ": %c = %g; expected 0 or a size between %g and %g", c / 9, c / 3 % 3,
                      "xyz"[c % 3], value, SCREE_LENGTH_MIN, SCREE_LENGTH_MAX);
}

scree_status scree_triangles_check(const scree_triangles* triangles)
{
    SCREE_NEED(triangles);
    scree_status status = check_count(triangles);
    for (int64_t c = 0; c < 9 * (int64_t)triangles->count && status == SCREE_OK; ++c)
        if (!scree_is_length(triangles->xyz[c]))
            status = fail_at(c, triangles->xyz[c]);
    return status;
}

// ---- Placing -----------------------------------------------------------------------------------------------------------

SCREE_DEFAULTS_OF(scree_placement, scree_default_placement)
{
    return (scree_placement){.struct_size = sizeof(scree_placement), .scale = 1.0, .turn = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}}};
}

scree_status scree_placement_turn(const double axis[3], double angle, double turn[3][3])
{
    SCREE_NEED(axis);
    SCREE_NEED(turn);
    double u[3];
    if (!(vec_normalise(axis, u) > 0.0) || !isfinite(vec_dot(u, u)))
        return scree_fail(SCREE_ERR_ARGUMENT, "an axis of %g %g %g has no direction; expected a vector that is not 0", axis[0], axis[1], axis[2]);
    if (!isfinite(angle))
        return scree_fail(SCREE_ERR_ARGUMENT, "angle %g is not finite; expected a number", angle);
    double c = cos(angle), s = sin(angle);
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            int k = 3 - i - j;  // the third axis, where i and j differ
            double across = i == j ? 0.0 : (j == (i + 1) % 3 ? -s : s) * u[k];
            turn[i][j] = (i == j ? c : 0.0) + (1.0 - c) * u[i] * u[j] + across;
        }
    return SCREE_OK;
}

static scree_status check_placement(const scree_placement* p)
{
    scree_status fits = scree_check_struct_size("placement", "scree_default_placement", p->struct_size, sizeof *p, sizeof *p);
    if (fits != SCREE_OK)
        return fits;
    if (!(p->scale > 0.0 && p->scale <= SCREE_LENGTH_MAX))
        return scree_fail(SCREE_ERR_ARGUMENT, "scale %g; expected a number above 0", p->scale);
    for (int i = 0; i < 3; ++i) {
        if (!scree_is_length(p->shift[i]))
            return scree_fail(SCREE_ERR_ARGUMENT, "shift %c = %g; expected 0 or a size between %g and %g", "xyz"[i], p->shift[i], SCREE_LENGTH_MIN, SCREE_LENGTH_MAX);
        for (int j = 0; j <= i; ++j) {
            double product = vec_dot(p->turn[i], p->turn[j]);
            if (!(fabs(product - (i == j)) <= 1e-9))
                return scree_fail(SCREE_ERR_ARGUMENT, "turn: the product of rows %d and %d is %g; expected %d, as in a rotation matrix", i, j, product, i == j);
        }
    }
    double third[3];
    vec_cross(p->turn[0], p->turn[1], third);
    if (vec_dot(third, p->turn[2]) < 0.0)
        return scree_fail(SCREE_ERR_ARGUMENT, "turn: its determinant is -1, a reflection; expected a rotation matrix");
    return SCREE_OK;
}

// What would be too small for a length has become 0 by rounding.
static void place(const scree_placement* p, const double from[3], double to[3])
{
    double x[3] = {p->scale * from[0], p->scale * from[1], p->scale * from[2]};
    for (int k = 0; k < 3; ++k) {
        to[k] = vec_dot(p->turn[k], x) + p->shift[k];
        if (fabs(to[k]) < SCREE_LENGTH_MIN)
            to[k] = 0.0;
    }
}

scree_status scree_triangles_place(scree_triangles* triangles, const scree_placement* placement)
{
    SCREE_NEED(triangles);
    SCREE_NEED(placement);
    scree_status status = check_placement(placement);
    if (status == SCREE_OK)
        status = scree_triangles_check(triangles);
    for (int pass = 0; pass < 2; ++pass)  // nothing moves before all can
        for (int64_t c = 0; c < 3 * (int64_t)triangles->count && status == SCREE_OK; ++c) {
            double* at = &triangles->xyz[3 * c];
            double moved[3];
            place(placement, at, moved);
            for (int k = 0; k < 3 && status == SCREE_OK; ++k)
                if (!scree_is_length(moved[k]))
                    status = fail_at(3 * c + k, moved[k]);
            for (int k = 0; k < 3 && pass == 1; ++k)
                at[k] = moved[k];
        }
    return status;
}
