// The Rosin-Rammler law: of the spheres (by mass or by number) the share exp(-(r/r63)^n) is larger than r; cut at rmin and
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
static double excess_at(const scree_rosin* law, double r)
{
    double x = law->n * scree_size_log_ratio(law->rmin, r);
    return x < 1.0 ? law->tmin * expm1(x) : exp(law->n * scree_size_log_ratio(law->r63, r)) - law->tmin;
}

// The curve that the law was given by: (1 - exp(-(t - tmin))) over its value at rmax.
static double given_below(const scree_rosin* law, double r)
{
    return scree_size_clamp(expm1(-excess_at(law, r)) / expm1(-law->span), 0.0, 1.0);
}

static double given_quantile(const scree_rosin* law, double u)
{
    double excess = -log1p(u * expm1(-law->span));
    double r = excess < law->tmin ? law->rmin * exp(log1p(excess / law->tmin) / law->n)
                                  : law->r63 * pow(law->tmin + excess, 1.0 / law->n);
    return scree_size_clamp(r, law->rmin, law->rmax);
}

static scree_rosin_integral integral_of(const scree_rosin* law, double alpha)
{
    // The highest point is where (r/r63)^n = alpha, or the end next to it.
    double r = alpha > 0.0 ? scree_size_clamp(law->r63 * pow(alpha, 1.0 / law->n), law->rmin, law->rmax) : law->rmin;
    double log_t = law->n * scree_size_log_ratio(law->r63, r);
    return (scree_rosin_integral){.alpha = alpha,
                                  .r = r,
                                  .t = exp(log_t),
                                  .log_t = log_t,
                                  .low = law->n * scree_size_log_ratio(r, law->rmin),
                                  .high = law->n * scree_size_log_ratio(r, law->rmax)};
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

double scree_rosin_moment(const scree_rosin* law, int32_t dim, double k)
{
    double alpha = law->by_mass ? 1.0 - dim / law->n : 1.0;
    scree_rosin_integral all = integral_of(law, alpha), moment = integral_of(law, alpha + k / law->n);
    // Highest value over highest value: r^k where the one is, and how far the density has fallen there. As one
    // exponent, since r^k may overflow where the other makes up for it.
    double peaks = exp(k * log(moment.r) + alpha * (moment.log_t - all.log_t) - (moment.t - all.t));
    return peaks * (integrate(&moment) / integrate(&all));
}

scree_status scree_rosin_tabulate(scree_rosin* law, int32_t dim)
{
    law->tmin = exp(law->n * scree_size_log_ratio(law->r63, law->rmin));
    law->span = excess_at(law, law->rmax);
    law->other = integral_of(law, law->by_mass ? 1.0 - dim / law->n : 1.0 + dim / law->n);
    const scree_rosin_integral* f = &law->other;
    int64_t down = 0, up = 0;
    double y = 0.0;
    for (double next; (next = next_knot(f, y, -1)) != y; y = next)
        ++down;
    y = 0.0;
    for (double next; (next = next_knot(f, y, 1)) != y; y = next)
        ++up;
    law->panels = down + up;
    size_t knots = (size_t)law->panels + 1;
    law->knot = scree_malloc(knots, sizeof *law->knot);
    law->below = scree_malloc(knots, sizeof *law->below);
    law->density = scree_malloc(knots, sizeof *law->density);
    if (law->knot == NULL || law->below == NULL || law->density == NULL)
        return SCREE_ERR_MEMORY;
    law->knot[down] = 0.0;
    for (int64_t k = down; k > 0; --k)
        law->knot[k - 1] = next_knot(f, law->knot[k], -1);
    for (int64_t k = down; k < law->panels; ++k)
        law->knot[k + 1] = next_knot(f, law->knot[k], 1);
    law->below[0] = 0.0;
    for (int64_t k = 0; k < law->panels; ++k)
        law->below[k + 1] = law->below[k] + panel_integral(f, law->knot[k], law->knot[k + 1]);
    double total = law->below[law->panels];
    for (int64_t k = 0; k <= law->panels; ++k) {
        law->below[k] /= total;
        law->density[k] = exp(exponent_at(f, law->knot[k])) / total;
    }
    return SCREE_OK;
}

static double other_below(const scree_rosin* law, double r)
{
    const scree_rosin_integral* f = &law->other;
    double y = law->n * scree_size_log_ratio(f->r, r);
    if (y <= law->knot[0])
        return 0.0;
    if (y >= law->knot[law->panels])
        return 1.0;
    int64_t low = 0, high = law->panels - 1;  // the last panel that begins at or below y
    while (low < high) {
        int64_t middle = high - (high - low) / 2;
        if (law->knot[middle] <= y)
            low = middle;
        else
            high = middle - 1;
    }
    double scale = law->density[low] / exp(exponent_at(f, law->knot[low]));
    return scree_size_clamp(law->below[low] + scale * panel_integral(f, law->knot[low], y), 0.0, 1.0);
}

static double quantile_in_panel(const scree_rosin* law, int64_t k, double u)
{
    const scree_rosin_integral* f = &law->other;
    double first = law->knot[k], width = law->knot[k + 1] - first;
    double share = law->below[k + 1] - law->below[k], wanted = u - law->below[k];
    double y = first;
    if (share > 0.0 && wanted > 0.0) {
        double w = fmin(wanted / share, 1.0);
        // The cubic in the share through both knots, with the slopes 1/density that y(share) has there.
        double s0 = share / law->density[k], s1 = share / law->density[k + 1];
        y += w * (s0 + w * ((3.0 * width - 2.0 * s0 - s1) + w * (s0 + s1 - 2.0 * width)));
        y = scree_size_clamp(y, first, first + width);
        double scale = law->density[k] / exp(exponent_at(f, first));
        for (int round = 0; round < 20; ++round) {
            double miss = (scale * panel_integral(f, first, y) - wanted) / (scale * exp(exponent_at(f, y)));
            double step = miss / (1.0 - 0.5 * scree_size_clamp(miss * slope_at(f, y), -1.0, 1.0));
            y = scree_size_clamp(y - step, first, first + width);
            if (fabs(step) <= 1e-5 * width)  // the next one would be some 1e-15 of the width: the error goes down cubed
                break;
        }
    }
    return scree_size_clamp(f->r * exp(y / law->n), law->rmin, law->rmax);
}

static bool panel_passed(const scree_rosin* law, int64_t k, double u)
{
    return k + 1 < law->panels && law->below[k + 1] < u;
}

static double other_quantile(const scree_rosin* law, double u)
{
    int64_t low = 0, high = law->panels - 1;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (panel_passed(law, middle, u))
            low = middle + 1;
        else
            high = middle;
    }
    return quantile_in_panel(law, low, u);
}

double scree_rosin_below(const scree_rosin* law, double r, bool by_mass)
{
    if (r <= law->rmin)
        return 0.0;
    if (r >= law->rmax)
        return 1.0;
    return by_mass == law->by_mass ? given_below(law, r) : other_below(law, r);
}

double scree_rosin_quantile(const scree_rosin* law, double u)
{
    return law->by_mass ? other_quantile(law, u) : given_quantile(law, u);
}

double scree_rosin_quantile_walk(const scree_rosin* law, double u, int64_t* at)
{
    while (panel_passed(law, *at, u))
        ++*at;
    return quantile_in_panel(law, *at, u);
}

void scree_rosin_free(scree_rosin* law)
{
    scree_free(law->knot);
    scree_free(law->below);
    scree_free(law->density);
}
