// Boxes: walls, periodic and open axes.
#include "scree/geom.h"

#include "base/argument.h"
#include "geom/length.h"

#include <math.h>

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

scree_status scree_box_check(const scree_box* box)
{
    SCREE_NEED(box);
    if (box->dim != 2 && box->dim != 3)
        return scree_fail(SCREE_ERR_ARGUMENT, "box: dimension %d, but only 2 and 3 exist here", (int)box->dim);
    for (int k = 0; k < box->dim; ++k) {
        double lower = box->lower[k], upper = box->upper[k];
        if (box->periodic[k] && (isinf(lower) || isinf(upper)))
            return scree_fail(SCREE_ERR_ARGUMENT, "box: axis %c is periodic, so its length must be given (it is open: %g to %g)",
                              axis_name[k], lower, upper);
        if ((lower != -INFINITY && !scree_is_length(lower)) || (upper != INFINITY && !scree_is_length(upper)))
            return scree_fail(SCREE_ERR_ARGUMENT, "box: axis %c goes from %g to %g; lengths are 0 or between %g and %g",
                              axis_name[k], lower, upper, SCREE_LENGTH_MIN, SCREE_LENGTH_MAX);
        if (!(upper >= lower) || (box->periodic[k] && !(upper - lower >= SCREE_LENGTH_MIN)))
            return scree_fail(SCREE_ERR_ARGUMENT, "box: axis %c goes from %g to %g; the upper end must be above the lower one",
                              axis_name[k], lower, upper);
    }
    return SCREE_OK;
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
    double lower = box->lower[k], upper = box->upper[k];
    if (box->periodic[k] && !(x >= lower && x < upper)) {
        double length = upper - lower;
        n = floor((x - lower) / length);
        x -= n * length;
        // Rounding can leave x a hair outside; the nearest place inside is then an end, which is one and the same point.
        if (x < lower)
            x = lower;
        if (x >= upper) {
            x = lower;
            n += 1.0;
        }
    }
    if (turns != NULL)
        *turns = n;
    return x;
}
