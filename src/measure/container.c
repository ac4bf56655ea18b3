// The part of a sphere that lies in a container. Boxes and spheres have closed forms. A cylinder has none: the sphere is cut into level discs, each of
// which the cylinder cuts in a lens, and their areas are summed; right to about 1e-4 of the sphere.
#include "scree/measure.h"

#include "base/argument.h"

#include <math.h>

static double lens_area(double a, double b, double distance)
{
    const double pi = 3.14159265358979323846;
    double least = fmin(a, b);
    return least > 0.0 ? pi * least * least * scree_lens_share(2, a, b, distance - (a + b)) : 0.0;
}

static double share_of_cylinder(const scree_container* c, const double* x, double r)
{
    enum { discs = 64 };
    const double pi = 3.14159265358979323846;
    const double* lower = c->box.lower;
    const double* upper = c->box.upper;
    double R = 0.5 * fmin(upper[0] - lower[0], upper[1] - lower[1]);
    double dx = x[0] - 0.5 * (lower[0] + upper[0]), dy = x[1] - 0.5 * (lower[1] + upper[1]), distance = sqrt(dx * dx + dy * dy);
    double low = c->box.periodic[2] ? -1.0 : fmin(fmax((lower[2] - x[2]) / r, -1.0), 1.0);
    double high = c->box.periodic[2] ? 1.0 : fmin(fmax((upper[2] - x[2]) / r, -1.0), 1.0);
    double from = asin(low), step = (asin(high) - from) / discs, sum = 0.0;  // z = x_z + r sin t, so that the discs shrink evenly at the poles
    for (int k = 0; k < discs; ++k) {
        double t = from + (k + 0.5) * step;
        sum += lens_area(r * cos(t), R, distance) * r * cos(t) * step;
    }
    return fmin(sum / (4.0 / 3.0 * pi * r * r * r), 1.0);
}

double scree_sphere_container_share(const scree_container* c, const double* x, double r)
{
    SCREE_NEED_OR(c, NAN);
    SCREE_NEED_OR(x, NAN);
    if (scree_container_depth(c, x, r) <= 0.0)
        return 1.0;
    if (r == 0.0)
        return 0.0;
    int dim = c->box.dim;
    if (c->kind == SCREE_CONTAINER_CYLINDER)
        return share_of_cylinder(c, x, r);
    double lower[3], upper[3], square = 0.0;
    for (int k = 0; k < dim; ++k) {
        lower[k] = c->box.periodic[k] ? -INFINITY : c->box.lower[k];
        upper[k] = c->box.periodic[k] ? INFINITY : c->box.upper[k];
        square += (x[k] - 0.5 * (lower[k] + upper[k])) * (x[k] - 0.5 * (lower[k] + upper[k]));
    }
    if (c->kind == SCREE_CONTAINER_BOX)
        return scree_sphere_box_share(dim, x, r, lower, upper);
    double R = scree_container_largest(c), share = scree_lens_share(dim, r, R, sqrt(square) - (r + R));
    return r <= R ? share : share * pow(R / r, dim);
}
