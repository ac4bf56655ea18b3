// How much room a box has for pairs.
//
// A vector t finds room in a box of sides a, b, c with both its ends when its first end lies in a box of sides a - |t_x|,
// b - |t_y|, c - |t_z|: a share prod (1 - |t_k|/a_k) of all positions. This is the box' covariogram over its volume; on a
// periodic axis there is room everywhere. Averaged over the shell r .. r + dr it gives how many pairs independent points
// have there, near walls and far from them; no sphere is left out as an origin, and no shell has to be cut.
//
// As long as the ball fits the box the average over directions is elementary: <|u|> = 1/2, <|u v|> = 2/(3 pi) and
// <|u v w|> = 1/(4 pi) in 3D. For longer vectors the product is cut at 0; then the ball is taken in slices whose integral
// has a closed form (the only form in 2D), and the slices are summed by tanh-sinh quadrature between the heights at which
// their form changes. That converges as if the half-integer powers at those heights were not there: errors near 1e-14.
#include "measure/measured.h"

#include <math.h>

static const double pi = 3.14159265358979323846;

// Over a quarter disc of radius p: the integral of (1 - x a)(1 - y b), as far as both are positive. The inner integral over
// y ends at 1/b or at the arc; x0 is where it begins to end at the arc.
static double arc_part(double x, double p, double a, double b)
{
    double s = sqrt(fmax(0.0, (p - x) * (p + x))), p2 = p * p, x2 = x * x;
    return 0.5 * (x * s + p2 * atan2(x, s)) - 0.5 * b * x * (p2 - x2 / 3.0) + a * s * s * s / 3.0 +
           0.25 * a * b * x2 * (p2 - 0.5 * x2);
}

static double quarter(double p, double a, double b)
{
    if (!(p > 0.0))
        return 0.0;
    double end = a * p > 1.0 ? 1.0 / a : p;
    double x0 = b * p > 1.0 ? sqrt((p - 1.0 / b) * (p + 1.0 / b)) : 0.0;
    if (x0 >= end)
        return 0.5 / b * end * (1.0 - 0.5 * a * end);
    double flat = x0 > 0.0 ? 0.5 / b * x0 * (1.0 - 0.5 * a * x0) : 0.0;
    return flat + (arc_part(end, p, a, b) - arc_part(x0, p, a, b));
}

// Slices from one height to another.
static double slices(double from, double to, const double c[3])
{
    const double step = 1.0 / 16.0;
    double middle = 0.5 * (from + to), half = 0.5 * (to - from), sum = 0.0;
    for (int k = -52; k <= 52; ++k) {
        double t = k * step, u = 0.5 * pi * sinh(t), z = middle + half * tanh(u);
        double weight = 0.5 * pi * cosh(t) / (cosh(u) * cosh(u));
        double p = sqrt(fmax(0.0, (1.0 - z) * (1.0 + z)));
        sum += weight * (1.0 - z * c[2]) * quarter(p, c[0], c[1]);
    }
    return half * step * sum;
}

double covariogram_ball(int dim, const double c[3])
{
    if (dim == 2)
        return 4.0 * quarter(1.0, c[0], c[1]);
    if (c[0] <= 1.0 && c[1] <= 1.0 && c[2] <= 1.0)
        return 4.0 * pi / 3.0 - 0.5 * pi * (c[0] + c[1] + c[2]) +
               8.0 / 15.0 * (c[0] * c[1] + c[0] * c[2] + c[1] * c[2]) - c[0] * c[1] * c[2] / 6.0;
    // Heights at which the radius of the slice passes a side or the diagonal, and the end.
    double end = c[2] > 1.0 ? 1.0 / c[2] : 1.0, at[5] = {0.0};
    int count = 1;
    double squares[3] = {1.0 / (c[0] * c[0]), 1.0 / (c[1] * c[1]), 1.0 / (c[0] * c[0]) + 1.0 / (c[1] * c[1])};
    for (int k = 0; k < 3; ++k)
        if (squares[k] < 1.0 && sqrt(1.0 - squares[k]) < end)
            at[count++] = sqrt(1.0 - squares[k]);
    at[count++] = end;
    for (int a = 1; a < count; ++a)
        for (int b = a; b > 0 && at[b - 1] > at[b]; --b) {
            double keep = at[b];
            at[b] = at[b - 1];
            at[b - 1] = keep;
        }
    double sum = 0.0;
    for (int a = 1; a < count; ++a)
        if (at[a] > at[a - 1])
            sum += slices(at[a - 1], at[a], c);
    return 8.0 * sum;
}
