// The Rosin-Rammler distribution: of the spheres (by mass or by number) the share exp(-(r/r63)^n) is larger than r; cut at rmin and
// rmax.
//
// The curve that it was given by has a closed form. The other one is an incomplete gamma function of an order that is
// often negative. Instead of its special cases: in z = ln((r/r63)^n) the density is exp(alpha z - e^z), a smooth hump. It
// is cut into panels over which the exponent changes by 1 or so; 8-point Gauss-Legendre integrates each to rounding. A
// quantile finds its panel, starts from the cubic through both knots and improves it by Halley's rule (one or two steps).
//
// Cost: quantile and shares O(log panels); a moment some thousand exponentials.
#include "sizes/sizes_inner.h"

#include <math.h>

// (r/r63)^n - (rmin/r63)^n.
static double excess_at(const scree_rosin* rosin, double r)
{
    double x = rosin->n * scree_size_log_ratio(rosin->rmin, r);
    return x < 1.0 ? rosin->tmin * expm1(x) : exp(rosin->n * scree_size_log_ratio(rosin->r63, r)) - rosin->tmin;
}

// The curve that defines the distribution: (1 - exp(-(t - tmin))) over its value at rmax.
static double given_below(const scree_rosin* rosin, double r)
{
    return scree_size_clamp(expm1(-excess_at(rosin, r)) / expm1(-rosin->span), 0.0, 1.0);
}

static double given_quantile(const scree_rosin* rosin, double u)
{
    double excess = -log1p(u * expm1(-rosin->span));
    double r = excess < rosin->tmin ? rosin->rmin * exp(log1p(excess / rosin->tmin) / rosin->n)
                                  : rosin->r63 * pow(rosin->tmin + excess, 1.0 / rosin->n);
    return scree_size_clamp(r, rosin->rmin, rosin->rmax);
}

static scree_rosin_integral integral_of(const scree_rosin* rosin, double alpha)
{
    // The highest point is where (r/r63)^n = alpha, or the end next to it.
    double r = alpha > 0.0 ? scree_size_clamp(rosin->r63 * pow(alpha, 1.0 / rosin->n), rosin->rmin, rosin->rmax) : rosin->rmin;
    double log_t = rosin->n * scree_size_log_ratio(rosin->r63, r);
    return (scree_rosin_integral){.alpha = alpha,
                                  .r = r,
                                  .t = exp(log_t),
                                  .log_t = log_t,
                                  .low = rosin->n * scree_size_log_ratio(r, rosin->rmin),
                                  .high = rosin->n * scree_size_log_ratio(r, rosin->rmax)};
}

// The logarithm of the integrand. Far up t e^y is taken from log_t, since t itself may be too small for a double.
static double exponent_at(const scree_rosin_integral* f, double y)
{
    double fall = y < 1.0 ? f->t * expm1(y) : exp(f->log_t + y) - f->t;
    return f->alpha * y - fall;
}

static double slope_at(const scree_rosin_integral* f, double y)
{
    return f->alpha - exp(f->log_t + y);
}

// The next knot above y (direction 1) or below it (-1), or y itself at the end and where the rest is below 1e-299.
static double next_knot(const scree_rosin_integral* f, double y, int direction)
{
    double end = direction > 0 ? f->high : f->low;
    double here = exponent_at(f, y), room = fabs(end - y);
    if (here < -690.0 || room == 0.0)
        return y;
    double slope = fabs(slope_at(f, y));
    double step = fmin(slope > 2.0 ? 1.0 / slope : 0.5, room);
    while (here - exponent_at(f, y + direction * step) > 1.5)
        step *= 0.5;
    return step == room ? end : y + direction * step;
}

// The integral from y to z, at most one panel apart.
static double panel_integral(const scree_rosin_integral* f, double y, double z)
{
    static const double node[4] = {0.18343464249564980494, 0.52553240991632898582, 0.79666647741362673959,
                                   0.96028985649753623168};
    static const double weight[4] = {0.36268378337836198297, 0.31370664587788728734, 0.22238103445337447054,
                                     0.10122853629037625915};
    double half = 0.5 * (z - y), middle = y + half, sum = 0.0;
    for (int i = 0; i < 4; ++i)
        sum += weight[i] *
               (exp(exponent_at(f, middle - half * node[i])) + exp(exponent_at(f, middle + half * node[i])));
    return half * sum;
}

static double integrate(const scree_rosin_integral* f)
{
    double sum = 0.0;
    for (int direction = -1; direction <= 1; direction += 2) {
        double y = 0.0;
        for (double next = next_knot(f, y, direction); next != y; next = next_knot(f, y, direction)) {
            sum += fabs(panel_integral(f, y, next));
            y = next;
        }
    }
    return sum;
}

double scree_rosin_moment(const scree_rosin* rosin, int32_t dim, double k)
{
    double alpha = rosin->by_mass ? 1.0 - dim / rosin->n : 1.0;
    scree_rosin_integral all = integral_of(rosin, alpha), moment = integral_of(rosin, alpha + k / rosin->n);
    // Highest value over highest value: r^k where the one is, and how far the density has fallen there. As one
    // exponent, since r^k may overflow where the other makes up for it.
    double peaks = exp(k * log(moment.r) + alpha * (moment.log_t - all.log_t) - (moment.t - all.t));
    return peaks * (integrate(&moment) / integrate(&all));
}

scree_status scree_rosin_tabulate(scree_rosin* rosin, int32_t dim)
{
    rosin->tmin = exp(rosin->n * scree_size_log_ratio(rosin->r63, rosin->rmin));
    rosin->span = excess_at(rosin, rosin->rmax);
    rosin->other = integral_of(rosin, rosin->by_mass ? 1.0 - dim / rosin->n : 1.0 + dim / rosin->n);
    const scree_rosin_integral* f = &rosin->other;
    int64_t down = 0, up = 0;
    double y = 0.0;
    for (double next; (next = next_knot(f, y, -1)) != y; y = next)
        ++down;
    y = 0.0;
    for (double next; (next = next_knot(f, y, 1)) != y; y = next)
        ++up;
    rosin->panels = down + up;
    size_t knots = (size_t)rosin->panels + 1;
    rosin->knot = scree_malloc(knots, sizeof *rosin->knot);
    rosin->below = scree_malloc(knots, sizeof *rosin->below);
    rosin->density = scree_malloc(knots, sizeof *rosin->density);
    if (rosin->knot == NULL || rosin->below == NULL || rosin->density == NULL)
        return SCREE_ERR_MEMORY;
    rosin->knot[down] = 0.0;
    for (int64_t k = down; k > 0; --k)
        rosin->knot[k - 1] = next_knot(f, rosin->knot[k], -1);
    for (int64_t k = down; k < rosin->panels; ++k)
        rosin->knot[k + 1] = next_knot(f, rosin->knot[k], 1);
    rosin->below[0] = 0.0;
    for (int64_t k = 0; k < rosin->panels; ++k)
        rosin->below[k + 1] = rosin->below[k] + panel_integral(f, rosin->knot[k], rosin->knot[k + 1]);
    double total = rosin->below[rosin->panels];
    for (int64_t k = 0; k <= rosin->panels; ++k) {
        rosin->below[k] /= total;
        rosin->density[k] = exp(exponent_at(f, rosin->knot[k])) / total;
    }
    return SCREE_OK;
}

static double other_below(const scree_rosin* rosin, double r)
{
    const scree_rosin_integral* f = &rosin->other;
    double y = rosin->n * scree_size_log_ratio(f->r, r);
    if (y <= rosin->knot[0])
        return 0.0;
    if (y >= rosin->knot[rosin->panels])
        return 1.0;
    int64_t low = 0, high = rosin->panels - 1;  // the last panel that begins at or below y
    while (low < high) {
        int64_t middle = high - (high - low) / 2;
        if (rosin->knot[middle] <= y)
            low = middle;
        else
            high = middle - 1;
    }
    double scale = rosin->density[low] / exp(exponent_at(f, rosin->knot[low]));
    return scree_size_clamp(rosin->below[low] + scale * panel_integral(f, rosin->knot[low], y), 0.0, 1.0);
}

static double quantile_in_panel(const scree_rosin* rosin, int64_t k, double u)
{
    const scree_rosin_integral* f = &rosin->other;
    double first = rosin->knot[k], width = rosin->knot[k + 1] - first;
    double share = rosin->below[k + 1] - rosin->below[k], wanted = u - rosin->below[k];
    double y = first;
    if (share > 0.0 && wanted > 0.0) {
        double w = fmin(wanted / share, 1.0);
        // The cubic in the share through both knots, with the slopes 1/density that y(share) has there.
        double s0 = share / rosin->density[k], s1 = share / rosin->density[k + 1];
        y += w * (s0 + w * ((3.0 * width - 2.0 * s0 - s1) + w * (s0 + s1 - 2.0 * width)));
        y = scree_size_clamp(y, first, first + width);
        double scale = rosin->density[k] / exp(exponent_at(f, first));
        for (int round = 0; round < 20; ++round) {
            double miss = (scale * panel_integral(f, first, y) - wanted) / (scale * exp(exponent_at(f, y)));
            double step = miss / (1.0 - 0.5 * scree_size_clamp(miss * slope_at(f, y), -1.0, 1.0));
            y = scree_size_clamp(y - step, first, first + width);
            if (fabs(step) <= 1e-5 * width)  // the next one would be some 1e-15 of the width: the error goes down cubed
                break;
        }
    }
    return scree_size_clamp(f->r * exp(y / rosin->n), rosin->rmin, rosin->rmax);
}

static bool panel_passed(const scree_rosin* rosin, int64_t k, double u)
{
    return k + 1 < rosin->panels && rosin->below[k + 1] < u;
}

static double other_quantile(const scree_rosin* rosin, double u)
{
    int64_t low = 0, high = rosin->panels - 1;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (panel_passed(rosin, middle, u))
            low = middle + 1;
        else
            high = middle;
    }
    return quantile_in_panel(rosin, low, u);
}

double scree_rosin_below(const scree_rosin* rosin, double r, bool by_mass)
{
    if (r <= rosin->rmin)
        return 0.0;
    if (r >= rosin->rmax)
        return 1.0;
    return by_mass == rosin->by_mass ? given_below(rosin, r) : other_below(rosin, r);
}

double scree_rosin_quantile(const scree_rosin* rosin, double u)
{
    return rosin->by_mass ? other_quantile(rosin, u) : given_quantile(rosin, u);
}

double scree_rosin_quantile_walk(const scree_rosin* rosin, double u, int64_t* at)
{
    while (panel_passed(rosin, *at, u))
        ++*at;
    return quantile_in_panel(rosin, *at, u);
}

void scree_rosin_free(scree_rosin* rosin)
{
    scree_free(rosin->knot);
    scree_free(rosin->below);
    scree_free(rosin->density);
}
