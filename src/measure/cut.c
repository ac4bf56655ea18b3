// Spheres cut by planes, in closed form.
//
// Sphere and box. In units of the radius the box is a product of intervals. What of the sphere has x < a and y < b is, in
// the slice at height z (a disc of radius p, p^2 = 1 - z^2), one of a few simple areas, all made of
//
//     T(a) = a sqrt(p^2 - a^2) + p^2 asin(a/p)      half the area with |x| < a; +-pi p^2/2 if |a| >= p
//
//     (a, b) inside the disc                        a b + T(a)/2 + T(b)/2 + pi p^2/4
//     outside, a > 0, b > 0                         T(a) + T(b)
//     outside, a < 0, b > 0                         pi p^2/2 + T(a)
//     outside, a > 0, b < 0                         pi p^2/2 + T(b)
//     outside, a < 0, b < 0                         0
//
// and T has an integral over z that is as simple, and even symmetric in a and z (s^2 = 1 - a^2 - z^2):
//
//     (z - z^3/3) atan(a/s) + (a - a^3/3) atan(z/s) + 2/3 a z s - 2/3 atan(a z/s)
//
// Its derivative by s vanishes at s = 0, so that the rounding of s, which is largest there, does not hurt. Four corners,
// each from one z to another, make the box: no quadrature, an error of some 1e-15 of the sphere. The area in 2D is one
// slice.
//
// Two spheres. The lens is two caps; their heights come from the overlap and not from the distance, so that the last digits
// of a small overlap are kept.
#include "measure/measured.h"

#include "base/argument.h"

#include <math.h>

static const double pi = 3.14159265358979323846;

// ---- Sphere and box ----------------------------------------------------------------------------------------------

// T(a) in the disc of radius 1.
static double strip(double a)
{
    if (fabs(a) >= 1.0)
        return a > 0.0 ? 0.5 * pi : -0.5 * pi;
    double s = sqrt((1.0 - a) * (1.0 + a));
    return a * s + atan2(a, s);
}

// Area of the unit disc with x < a and y < b.
static double corner_area(double a, double b)
{
    if (a * a + b * b < 1.0)
        return a * b + 0.5 * strip(a) + 0.5 * strip(b) + 0.25 * pi;
    if (a >= 0.0 && b >= 0.0)
        return strip(a) + strip(b);
    if (b >= 0.0)
        return 0.5 * pi + strip(a);
    return a >= 0.0 ? 0.5 * pi + strip(b) : 0.0;
}

// Integral of p^2 from 0 to z.
static double discs(double z)
{
    return z - z * z * z / 3.0;
}

// Integral of T(a) from 0 to z >= 0. Above the height at which the slices leave the plane x = a, T is +-pi p^2/2.
static double strips(double a, double z)
{
    if (a == 0.0)
        return 0.0;
    double top = sqrt((1.0 - a) * (1.0 + a)), t = fmin(z, top), sum = 0.0;
    if (t > 0.0) {
        double s = sqrt(fmax(0.0, (top - t) * (top + t)));
        sum = discs(t) * atan2(a, s) + discs(a) * atan2(t, s) + 2.0 / 3.0 * (a * t * s - atan2(a * t, s));
    }
    if (z > top)
        sum += (a > 0.0 ? 0.5 * pi : -0.5 * pi) * (discs(z) - discs(top));
    return sum;
}

// Volume of the unit ball with x < a, y < b and between the heights 0 and z; odd in z.
static double corner_volume(double a, double b, double z)
{
    double height = fabs(z), square = a * a + b * b;
    double top = square < 1.0 ? sqrt(1.0 - square) : 0.0;  // below it the corner is inside the slice
    double t = fmin(height, top);
    double sum = a * b * t + 0.5 * strips(a, t) + 0.5 * strips(b, t) + 0.25 * pi * discs(t);
    if (height > top) {
        if (a >= 0.0 && b >= 0.0)
            sum += (strips(a, height) - strips(a, t)) + (strips(b, height) - strips(b, t));
        else if (b >= 0.0)
            sum += 0.5 * pi * (discs(height) - discs(t)) + (strips(a, height) - strips(a, t));
        else if (a >= 0.0)
            sum += 0.5 * pi * (discs(height) - discs(t)) + (strips(b, height) - strips(b, t));
    }
    return z < 0.0 ? -sum : sum;
}

// Share of the sphere on one side of a plane, at a <= 1 radii from the centre.
static double share_below(int dim, double a)
{
    return dim == 2 ? 0.5 + strip(a) / pi : 0.25 * (1.0 + a) * (1.0 + a) * (2.0 - a);
}

double cut_corner(int dim, double a, double b, double z)
{
    if (dim == 2)
        return corner_area(a, b) / pi;
    return corner_volume(a, b, z) / (4.0 / 3.0 * pi);
}

double scree_sphere_box_share(int32_t dim, const double* x, double r, const double* lower, const double* upper)
{
    SCREE_NEED_OR(x, NAN);
    SCREE_NEED_OR(lower, NAN);
    SCREE_NEED_OR(upper, NAN);
    double low[3] = {-1.0, -1.0, -1.0}, high[3] = {1.0, 1.0, 1.0};
    int cut = 0, cut_axis = 0;
    for (int k = 0; k < dim; ++k) {
        if (r == 0.0 ? !(lower[k] <= x[k] && x[k] <= upper[k])
                     : !(upper[k] > lower[k] && upper[k] - x[k] > -r && lower[k] - x[k] < r))
            return 0.0;
        if (r > 0.0 && (lower[k] - x[k] > -r || upper[k] - x[k] < r)) {
            low[k] = fmax(-1.0, (lower[k] - x[k]) / r);
            high[k] = fmin(1.0, (upper[k] - x[k]) / r);
            ++cut;
            cut_axis = k;
        }
    }
    if (cut == 0)
        return 1.0;
    if (cut == 1)
        return share_below(dim, high[cut_axis]) - share_below(dim, low[cut_axis]);
    double share = 0.0;
    for (int a = 0; a < 2; ++a)
        for (int b = 0; b < 2; ++b) {
            double cx = a ? low[0] : high[0], cy = b ? low[1] : high[1];
            double part =
                dim == 2 ? corner_area(cx, cy) : corner_volume(cx, cy, high[2]) - corner_volume(cx, cy, low[2]);
            share += a == b ? part : -part;
        }
    share /= dim == 2 ? pi : 4.0 / 3.0 * pi;
    return fmin(1.0, fmax(0.0, share));
}

// ---- Sphere and sphere -------------------------------------------------------------------------------------------

// Area of the part of a disc of radius r beyond a chord, which leaves the height h: r^2 (t - sin t cos t). For small angles
// by the series, without the difference, and without r^2, which may be beyond all doubles.
static double segment(double r, double h)
{
    double t = 2.0 * asin(fmin(1.0, sqrt(0.5 * h / r)));
    if (t < 0.05) {
        double u = t * t;
        return 2.0 / 3.0 * (r * t) * (r * t) * t * (1.0 - u / 5.0 * (1.0 - u * (2.0 / 21.0) * (1.0 - u / 18.0)));
    }
    return r * r * (t - sin(t) * cos(t));
}

double scree_lens_share(int32_t dim, double r_a, double r_b, double gap)
{
    if (!(gap < 0.0))
        return 0.0;
    double small = fmin(r_a, r_b), large = fmax(r_a, r_b);
    if (-gap >= 2.0 * small)
        return 1.0;
    // In units of the smaller radius.
    double big = large / small, overlap = -gap / small, distance = 1.0 + big - overlap;
    double h_small = (2.0 * big - overlap) * overlap / (2.0 * distance);
    double h_big = (2.0 - overlap) * overlap / (2.0 * distance);
    double share = dim == 2 ? (segment(1.0, h_small) + segment(big, h_big)) / pi
                            : 0.25 * (h_small * h_small * (3.0 - h_small) + h_big * h_big * (3.0 * big - h_big));
    return fmin(1.0, share);
}
