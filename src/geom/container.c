// Containers: a box, or a cylinder or sphere that a box bounds.
//
// Everything asks one of two questions: may this sphere be here (depth, a predicate that is exact in the sense that all who ask get the same bit), and
// which walls are near (walls, with gaps that are right up to rounding). A box is as it always was: x >= lower + r and x <= upper - r. A round
// wall of radius R around m lets a centre be where |x - m|^2 <= (R - r)^2, each side rounded as written; no root is taken for the answer.
#include "scree/geom.h"

#include "base/argument.h"

#include <float.h>
#include <math.h>

const char* scree_container_name(int32_t kind)
{
    static const char* const names[] = {"box", "cylinder", "sphere"};
    return kind >= 0 && kind < 3 ? names[kind] : NULL;
}

// Axes that the round wall runs around: 0 for a box.
static int round_axes(const scree_container* c)
{
    return c->kind == SCREE_CONTAINER_BOX ? 0 : c->kind == SCREE_CONTAINER_CYLINDER ? 2 : c->box.dim;
}

static double length(const scree_container* c, int k)
{
    return c->box.upper[k] - c->box.lower[k];
}

static double radius(const scree_container* c)
{
    double least = length(c, 0);
    for (int k = 1; k < round_axes(c); ++k)
        least = fmin(least, length(c, k));
    return 0.5 * least;
}

scree_status scree_container_check(const scree_container* c)
{
    SCREE_NEED(c);
    const char* name = scree_container_name(c->kind);
    if (name == NULL)
        return scree_fail(SCREE_ERR_ARGUMENT, "container: there is no kind %d; expected box (0), cylinder (1) or sphere (2)", (int)c->kind);
    scree_status status = scree_box_check(&c->box);
    if (status != SCREE_OK)
        return status;
    if (c->kind != SCREE_CONTAINER_BOX && scree_box_reject_tilt(&c->box, "container") != SCREE_OK)
        return SCREE_ERR_UNSUPPORTED;
    if (c->kind == SCREE_CONTAINER_CYLINDER && c->box.dim == 2)
        return scree_fail(SCREE_ERR_ARGUMENT, "container: a cylinder in 2D; expected 3D, or the container sphere for a circle");
    for (int k = 0; k < round_axes(c); ++k) {
        if (c->box.periodic[k])
            return scree_fail(SCREE_ERR_ARGUMENT, "container: a %s with periodic axis %c; expected walls there%s", name, "xyz"[k],
                              c->kind == SCREE_CONTAINER_CYLINDER ? "; z may be periodic" : "");
        if (!(length(c, k) < INFINITY && length(c, k) > 0.0))
            return scree_fail(SCREE_ERR_ARGUMENT, "container: axis %c goes from %g to %g; expected a length above 0 for a %s", "xyz"[k],
                              c->box.lower[k], c->box.upper[k], name);
        if (!(fabs(length(c, k) - length(c, 0)) <= 1e-9 * length(c, 0)))
            return scree_fail(SCREE_ERR_ARGUMENT, "container: the box around a %s: axis %c is %g long; expected %g, as axis x",
                              name, "xyz"[k], length(c, k), length(c, 0));
    }
    return SCREE_OK;
}

double scree_container_volume(const scree_container* c)
{
    SCREE_NEED_OR(c, NAN);
    const double pi = 3.14159265358979323846;
    if (c->kind == SCREE_CONTAINER_BOX)
        return scree_box_volume(&c->box);
    double r = radius(c);
    if (c->kind == SCREE_CONTAINER_CYLINDER)
        return pi * r * r * length(c, 2);
    return c->box.dim == 2 ? pi * r * r : 4.0 / 3.0 * pi * r * r * r;
}

double scree_container_largest(const scree_container* c)
{
    SCREE_NEED_OR(c, NAN);
    double least = round_axes(c) > 0 ? 2.0 * radius(c) : INFINITY;
    for (int k = round_axes(c); k < c->box.dim; ++k)
        least = c->box.periodic[k] ? least : fmin(least, length(c, k));
    return 0.5 * fmin(least, scree_box_period(&c->box));
}

// Square of the distance from the middle, over the axes of the round wall.
static double from_middle(const scree_container* c, const double* x, double d[3])
{
    double sum = 0.0;
    for (int k = 0; k < round_axes(c); ++k) {
        d[k] = x[k] - (c->box.lower[k] + 0.5 * length(c, k));
        sum += d[k] * d[k];
    }
    return sum;
}

double scree_container_depth(const scree_container* c, const double* x, double r)
{
    SCREE_NEED_OR(c, NAN);
    SCREE_NEED_OR(x, NAN);
    double deepest = -INFINITY;
    for (int k = round_axes(c); k < c->box.dim; ++k)
        if (!c->box.periodic[k])
            deepest = fmax(deepest, fmax((c->box.lower[k] + r) - x[k], x[k] - (c->box.upper[k] - r)));
    if (round_axes(c) > 0) {
        double d[3], square = from_middle(c, x, d), reach = radius(c) - r;
        bool inside = reach >= 0.0 && square <= reach * reach;
        double depth = sqrt(square) - reach;
        // The root is rounded: it may not say other than the predicate does.
        deepest = fmax(deepest, inside ? fmin(depth, 0.0) : fmax(depth, DBL_EPSILON * radius(c)));
    }
    return deepest;
}

int32_t scree_container_walls(const scree_container* c, const double* x, double r, double gap, scree_wall* walls)
{
    SCREE_NEED_OR(c, 0);
    SCREE_NEED_OR(x, 0);
    SCREE_NEED_OR(walls, 0);
    int32_t count = 0;
    for (int k = round_axes(c); k < c->box.dim; ++k) {
        if (c->box.periodic[k])
            continue;
        double low = x[k] - (c->box.lower[k] + r), high = (c->box.upper[k] - r) - x[k];
        if (low < gap) {
            walls[count] = (scree_wall){.gap = low};
            walls[count++].normal[k] = 1.0;
        }
        if (high < gap) {
            walls[count] = (scree_wall){.gap = high};
            walls[count++].normal[k] = -1.0;
        }
    }
    if (round_axes(c) > 0) {
        double d[3], distance = sqrt(from_middle(c, x, d)), clear = (radius(c) - r) - distance;
        if (clear < gap) {
            walls[count] = (scree_wall){.gap = clear};
            for (int k = 0; k < round_axes(c); ++k)
                walls[count].normal[k] = distance > 0.0 ? -d[k] / distance : k == 0 ? 1.0 : 0.0;
            ++count;
        }
    }
    return count;
}

// Evenly over a disc or ball of the radius `reach`: points of the square or cube around it until one is inside.
static void draw_round(const scree_container* c, double r, scree_rng* rng, double* x)
{
    double reach = radius(c) - r;
    for (int tries = 0; tries < 1000; ++tries) {  // each succeeds in more than one of two cases; with no room at all, none may
        double d[3], square = 0.0;
        for (int k = 0; k < round_axes(c); ++k) {
            d[k] = 2.0 * scree_rng_uniform(rng) - 1.0;
            square += d[k] * d[k];
        }
        for (int k = 0; k < round_axes(c); ++k)
            x[k] = (c->box.lower[k] + 0.5 * length(c, k)) + reach * d[k];
        if (square <= 1.0 && from_middle(c, x, d) <= reach * reach)
            return;
    }
    for (int k = 0; k < round_axes(c); ++k)
        x[k] = c->box.lower[k] + 0.5 * length(c, k);
}

void scree_container_draw(const scree_container* c, double r, scree_rng* rng, double* x)
{
    SCREE_NEED_OR(c, );
    SCREE_NEED_OR(rng, );
    SCREE_NEED_OR(x, );
    const scree_box* box = &c->box;
    if (round_axes(c) > 0)
        draw_round(c, r, rng, x);
    for (int k = round_axes(c); k < box->dim; ++k) {
        double u = scree_rng_uniform(rng);
        if (box->periodic[k]) {
            x[k] = box->lower[k] + u * length(c, k);
            if (x[k] >= box->upper[k])
                x[k] = box->lower[k];
        } else {  // rounding may not carry it out
            double lower = box->lower[k] + r, upper = box->upper[k] - r;
            x[k] = fmin(fmax(lower + u * (length(c, k) - 2.0 * r), lower), upper);
        }
    }
}
