// Boxes: walls, periodic and open axes.
#include "scree/geom.h"

#include "base/argument.h"
#include "geom/lattice.h"
#include "geom/length.h"
#include "geom/wrap.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static const char axis_name[] = "xyz";

scree_box scree_box_open(int32_t dim)
{
    return (scree_box){.dim = dim,
                       .lower = {-INFINITY, -INFINITY, -INFINITY},
                       .upper = {INFINITY, INFINITY, INFINITY}};
}

scree_box scree_box_sized(int32_t dim, const double* size)
{
    SCREE_NEED_OR(size, (scree_box){0});
    scree_box box = {.dim = dim};
    for (int k = 0; k < dim && k < 3; ++k)
        box.upper[k] = size[k];
    return box;
}

// An image must not be moved along an axis with walls, and an axis with walls has no images.
static scree_status check_tilt(const scree_box* box)
{
    for (int m = 1; m < box->dim; ++m)
        for (int k = 0; k < m; ++k) {
            double tilt = scree_lattice_tilt(box->tilt, k, m);
            if (tilt == 0.0)
                continue;
            if (!scree_is_length(tilt))
                return scree_fail(SCREE_ERR_ARGUMENT, "box: tilt %c%c = %g; expected 0, or %g to %g in size", axis_name[k], axis_name[m], tilt,
                                  SCREE_LENGTH_MIN, SCREE_LENGTH_MAX);
            if (!box->periodic[k] || !box->periodic[m])
                return scree_fail(SCREE_ERR_ARGUMENT, "box: tilt %c%c = %g, and axis %c is not periodic; expected periodic axes, or no tilt", axis_name[k],
                                  axis_name[m], tilt, axis_name[box->periodic[k] ? m : k]);
        }
    return SCREE_OK;
}

scree_status scree_box_check(const scree_box* box)
{
    SCREE_NEED(box);
    if (box->dim != 2 && box->dim != 3)
        return scree_fail(SCREE_ERR_ARGUMENT, "box: dimension %d; expected 2 or 3", (int)box->dim);
    for (int k = 0; k < box->dim; ++k) {
        double lower = box->lower[k], upper = box->upper[k];
        if (box->periodic[k] && (isinf(lower) || isinf(upper)))
            return scree_fail(SCREE_ERR_ARGUMENT, "box: axis %c is periodic and goes from %g to %g; expected a finite length",
                              axis_name[k], lower, upper);
        if ((lower != -INFINITY && !scree_is_length(lower)) || (upper != INFINITY && !scree_is_length(upper)))
            return scree_fail(SCREE_ERR_ARGUMENT, "box: axis %c goes from %g to %g; expected lengths that are 0 or between %g and %g",
                              axis_name[k], lower, upper, SCREE_LENGTH_MIN, SCREE_LENGTH_MAX);
        if (!(upper >= lower) || (box->periodic[k] && !(upper - lower >= SCREE_LENGTH_MIN)))
            return scree_fail(SCREE_ERR_ARGUMENT, "box: axis %c goes from %g to %g; expected the upper end above the lower one",
                              axis_name[k], lower, upper);
    }
    return check_tilt(box);
}

bool scree_box_is_tilted(const scree_box* box)
{
    SCREE_NEED_OR(box, false);
    for (int m = 1; m < box->dim && m < 3; ++m)
        for (int k = 0; k < m; ++k)
            if (scree_lattice_tilt(box->tilt, k, m) != 0.0)
                return true;
    return false;
}

scree_status scree_box_reject_tilt(const scree_box* box, const char* what)
{
    SCREE_NEED(box);
    SCREE_NEED(what);
    if (!scree_box_is_tilted(box))
        return SCREE_OK;
    if (box->dim == 2)
        return scree_fail(SCREE_ERR_UNSUPPORTED, "%s: the box is tilted (xy %g); expected a box with right angles", what, box->tilt[0]);
    return scree_fail(SCREE_ERR_UNSUPPORTED, "%s: the box is tilted (xy %g, xz %g, yz %g); expected a box with right angles", what, box->tilt[0],
                      box->tilt[1], box->tilt[2]);
}

double scree_box_volume(const scree_box* box)
{
    SCREE_NEED_OR(box, NAN);
    double volume = 1.0;
    for (int k = 0; k < box->dim; ++k)
        volume *= box->upper[k] - box->lower[k];
    return volume;
}

bool scree_box_is_periodic(const scree_box* box)
{
    SCREE_NEED_OR(box, false);
    bool any = false;
    for (int k = 0; k < box->dim; ++k)
        any = any || box->periodic[k];
    return any;
}

double scree_box_wrap(const scree_box* box, int32_t k, double x, double* turns)
{
    SCREE_NEED_OR(box, NAN);
    double n = 0.0;
    if (box->periodic[k])
        x = wrap_between(box->lower[k], box->upper[k], x, &n);
    if (turns != NULL)
        *turns = n;
    return x;
}

void scree_box_wrap_centre(const scree_box* box, double* x, double* turns)
{
    SCREE_NEED_OR(box, );
    SCREE_NEED_OR(x, );
    for (int m = box->dim - 1; m >= 0; --m) {
        double n;
        x[m] = scree_box_wrap(box, m, x[m], &n);
        for (int k = 0; k < m && n != 0.0; ++k)
            x[k] -= n * scree_lattice_tilt(box->tilt, k, m);
        if (turns != NULL)
            turns[m] = n;
    }
}

scree_status scree_box_wrap_centres(const scree_box* box, int64_t count, double* x, int32_t* turns)
{
    enum { most = 100000000 };  // differences of two fit into 32 bits
    SCREE_NEED(box);
    if (count > 0)
        SCREE_NEED(x);
    const scree_status status = scree_box_check(box);
    if (status != SCREE_OK)
        return status;
    for (int64_t i = 0; i < count; ++i) {
        double *at = x + i * box->dim, off[3], given[3];
        memcpy(given, at, (size_t)box->dim * sizeof *at);
        for (int k = 0; k < box->dim; ++k)
            if (!scree_is_length(at[k]))
                return scree_fail(SCREE_ERR_ARGUMENT, "sphere %" PRId64 ": %c = %g is not a length; expected a finite number", i, axis_name[k], at[k]);
        scree_box_wrap_centre(box, at, off);
        for (int k = box->dim - 1; k >= 0; --k) {  // in this order, since a tilt makes coordinates of earlier axes large
            if (!(fabs(off[k]) <= most)) {
                memcpy(at, given, (size_t)box->dim * sizeof *at);
                return scree_fail(SCREE_ERR_ARGUMENT, "sphere %" PRId64 ": %c = %g lies %g boxes away; expected at most %d", i, axis_name[k], given[k], fabs(off[k]), (int)most);
            }
            if (turns != NULL)
                turns[i * box->dim + k] = (int32_t)off[k];
        }
    }
    return SCREE_OK;
}

void scree_lattice_of(const scree_box* box, double length[3], double tilt[3])
{
    for (int k = 0; k < 3; ++k)
        length[k] = k < box->dim && box->periodic[k] ? box->upper[k] - box->lower[k] : 0.0;
    for (int t = 0; t < 3; ++t)
        tilt[t] = t == 0 || box->dim == 3 ? box->tilt[t] : 0.0;
}

void scree_box_offset(const scree_box* box, const int8_t* shift, double* offset)
{
    SCREE_NEED_OR(box, );
    SCREE_NEED_OR(shift, );
    SCREE_NEED_OR(offset, );
    double length[3], tilt[3], all[3];
    scree_lattice_of(box, length, tilt);
    scree_lattice_offset(length, tilt, shift[0], shift[1], box->dim == 3 ? shift[2] : 0, all);
    for (int k = 0; k < box->dim; ++k)
        offset[k] = all[k];
}

double scree_box_period(const scree_box* box)
{
    SCREE_NEED_OR(box, NAN);
    double length[3], tilt[3];
    scree_lattice_of(box, length, tilt);
    return scree_lattice_shortest(box->dim, box->periodic, length, tilt);
}

// ---- The lattice ---------------------------------------------------------------------------------------------------

void scree_lattice_reduce(const double length[3], double tilt[3])
{
    if (tilt[0] != 0.0)
        tilt[0] -= rint(tilt[0] / length[0]) * length[0];
    if (tilt[2] != 0.0) {
        double n = rint(tilt[2] / length[1]);
        tilt[2] -= n * length[1];
        tilt[1] -= n * tilt[0];
    }
    if (tilt[1] != 0.0)
        tilt[1] -= rint(tilt[1] / length[0]) * length[0];
}

static double dot(const double a[3], const double b[3])
{
    return (a[0] * b[0] + a[1] * b[1]) + a[2] * b[2];
}

// Makes v shorter by `times` u, if that is shorter by more than rounding.
static bool shorten(double v[3], const double u[3], double times)
{
    double to[3] = {v[0] - times * u[0], v[1] - times * u[1], v[2] - times * u[2]};
    if (!(dot(to, to) < dot(v, v) * (1.0 - 1e-12)))
        return false;
    for (int k = 0; k < 3; ++k)
        v[k] = to[k];
    return true;
}

// Vectors are made shorter by each other until none is: in pairs, and the sum or difference of two by the third. In two and three dimensions the shortest of what
// is left is the shortest of the lattice (Minkowski; I. Semaev, "A 3-dimensional lattice reduction algorithm", 2001). Lengths are taken by the largest, so
// that no square over- or underflows where it counts.
double scree_lattice_shortest(int dim, const bool periodic[3], const double length[3], const double tilt[3])
{
    double v[3][3] = {{0.0}}, largest = 0.0, least = INFINITY;
    int count = 0;
    for (int m = 0; m < dim; ++m)
        if (periodic[m]) {
            least = fmin(least, length[m]);
            v[count][m] = length[m];
            for (int k = 0; k < m; ++k)
                v[count][k] = scree_lattice_tilt(tilt, k, m);
            for (int k = 0; k <= m; ++k)
                largest = fmax(largest, fabs(v[count][k]));
            ++count;
        }
    if (!scree_lattice_tilted(tilt))
        return least;
    for (int a = 0; a < count; ++a)
        for (int k = 0; k < 3; ++k)
            v[a][k] /= largest;
    bool shorter = true;
    for (int round = 0; round < 1000 && shorter; ++round) {
        shorter = false;
        for (int a = 0; a < count; ++a)
            for (int b = 0; b < count; ++b)
                if (a != b)
                    shorter = shorten(v[a], v[b], rint(dot(v[a], v[b]) / dot(v[b], v[b]))) || shorter;
        for (int a = 0; a < count && count == 3; ++a)
            for (int sign = -1; sign <= 1; sign += 2) {
                const double *b = v[(a + 1) % 3], *c = v[(a + 2) % 3], both[3] = {b[0] + sign * c[0], b[1] + sign * c[1], b[2] + sign * c[2]};
                shorter = shorten(v[a], both, 1.0) || shorten(v[a], both, -1.0) || shorter;
            }
    }
    least = INFINITY;
    for (int a = 0; a < count; ++a)
        least = fmin(least, sqrt(dot(v[a], v[a])));
    return least * largest;
}
