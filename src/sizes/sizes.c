// Size distributions: shares, quantiles and moments.
//
// Nearly every law is a list of segments: radii from a to b with a number density ~ r^-e inside.
//
//     uniform size      one segment, e = 0            sieve table       one per class, e = dim
//     uniform volume    one, e = dim                  Fuller, classes   one per class, e = 0 (linear inside)
//     power             one, e = A                    Fuller            one, e = dim + 1 - Q
//     mono, bidisperse, counted sizes                 segments with a = b: point masses
//
// "By mass" multiplies the density by r^-dim: e grows by dim and the distribution is still a list of segments. With s = 1 - e,
// all that is ever asked of a segment is the integral of r^(s-1), and that is seen from its heavy end, h = b for s > 0,
// else a:
//
//     integral of r^(s-1) from a to b  =  h^s U(|s|, L),   U(s, L) = (1 - exp(-s L))/s,   L = ln(b/a)
//
// U has no cancellation (expm1), no overflow (s >= 0), and tends to L for s -> 0, where the power turns into a
// logarithm: no exponent is special. Widths are ln(b/a) by log1p, so that narrow segments are as good as wide ones.
//
// The lognormal law has closed forms except for its quantile, where the inverse normal is Wichura's rational
// approximation. Rosin-Rammler is in rosin_rammler.c.
//
// Cost: quantile and shares O(log segments); a moment O(segments).
//
// M. J. Wichura, "Algorithm AS 241: the percentage points of the normal distribution", Appl. Statist. 37 (1988) 477.
#include "sizes/sizes_inner.h"

#include "base/argument.h"

#include <math.h>
#include <string.h>

// ---- Segments -----------------------------------------------------------------------------------------------------

// U(s, l) above, s >= 0.
static double heavy_integral(double s, double l)
{
    double x = s * l;
    return x < 1e-17 ? l : -expm1(-x) / s;
}

double scree_size_segment_mean(const scree_size_segment* g, double scale, double k)
{
    double s = 1.0 - g->e, l = g->log_ratio;
    double h = s > 0.0 ? g->b : g->a, hk = s + k > 0.0 ? g->b : g->a;
    if (g->a == g->b || k == 0.0)
        return pow(h / scale, k);
    // hk^(s+k) U(|s+k|) over h^s U(|s|). If r^k moves the weight to the other end, (hk/h)^s is left over; it is joined
    // to the power of hk, since one may overflow where the other makes up for it.
    double ends = hk == h ? pow(h / scale, k) : exp(k * log(hk / scale) - fabs(s) * l);
    return ends * (heavy_integral(fabs(s + k), l) / heavy_integral(fabs(s), l));
}

// The share of the integral of r^-e over the segment that lies at or below r.
static double segment_below(const scree_size_segment* g, double e, double r)
{
    if (r >= g->b)
        return 1.0;
    if (r <= g->a)
        return 0.0;
    if (e == 0.0)
        return (r - g->a) / (g->b - g->a);
    double s = 1.0 - e, l = scree_size_log_ratio(g->a, r);
    double heavy = s > 0.0 ? exp(s * (l - g->log_ratio)) : 1.0;  // (r/b)^s: the heavy ends are r and b, else both a
    return scree_size_clamp(heavy * heavy_integral(fabs(s), l) / heavy_integral(fabs(s), g->log_ratio), 0.0, 1.0);
}

// The radius below which the share w of the segment lies.
static double segment_quantile(const scree_size_segment* g, double w)
{
    double r;
    if (g->e == 0.0) {
        r = g->a + w * (g->b - g->a);
    } else {
        double s = 1.0 - g->e, x = fabs(s) * g->log_ratio, l;
        if (x < 1e-17)
            l = w * g->log_ratio;
        else if (s < 0.0)
            l = log1p(w * expm1(-x)) / s;
        else if (x < 600.0)
            l = log1p(w * expm1(x)) / s;
        else  // the same, with e^x taken out before it overflows
            l = g->log_ratio + log(w + exp(-x)) / s;
        r = g->a * exp(l);
    }
    return scree_size_clamp(r, g->a, g->b);
}

// The last segment that begins at or below r, which must not be below the first.
static int64_t segment_at(const scree_sizes* sizes, double r)
{
    int64_t low = 0, high = sizes->count - 1;
    while (low < high) {
        int64_t middle = high - (high - low) / 2;
        if (sizes->segments[middle].a <= r)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

static double segments_below(const scree_sizes* sizes, double r, bool by_mass)
{
    if (r < sizes->segments[0].a)
        return 0.0;
    int64_t k = segment_at(sizes, r);
    const scree_size_segment* g = &sizes->segments[k];
    double inside = segment_below(g, by_mass ? g->e - sizes->dim : g->e, r);
    if (k == sizes->count - 1 && inside == 1.0)
        return 1.0;
    return fmin(by_mass ? g->mass_below + inside * g->mass : g->below + inside * g->share, 1.0);
}

// Whether the share u lies above segment k.
static bool segment_passed(const scree_sizes* sizes, int64_t k, double u)
{
    return k + 1 < sizes->count && sizes->segments[k + 1].below < u;
}

static double quantile_in_segment(const scree_sizes* sizes, int64_t k, double u)
{
    const scree_size_segment* g = &sizes->segments[k];
    return segment_quantile(g, scree_size_clamp((u - g->below) / g->share, 0.0, 1.0));
}

static double segments_quantile(const scree_sizes* sizes, double u)
{
    int64_t low = 0, high = sizes->count - 1;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (segment_passed(sizes, middle, u))
            low = middle + 1;
        else
            high = middle;
    }
    return quantile_in_segment(sizes, low, u);
}

// ---- The normal distribution --------------------------------------------------------------------------------------

static double normal_below(double z)
{
    return 0.5 * erfc(-z * 0.70710678118654752440);
}

static double polynomial(const double c[8], double x)
{
    double sum = c[7];
    for (int i = 6; i >= 0; --i)
        sum = sum * x + c[i];
    return sum;
}

// The inverse of normal_below, relative error about 1e-16 (AS 241, PPND16).
static double normal_quantile(double u)
{
    static const double centre[2][8] = {
        {3.3871328727963666080e0, 1.3314166789178437745e2, 1.9715909503065514427e3, 1.3731693765509461125e4,
         4.5921953931549871457e4, 6.7265770927008700853e4, 3.3430575583588128105e4, 2.5090809287301226727e3},
        {1.0, 4.2313330701600911252e1, 6.8718700749205790830e2, 5.3941960214247511077e3, 2.1213794301586595867e4,
         3.9307895800092710610e4, 2.8729085735721942674e4, 5.2264952788528545610e3}};
    static const double flank[2][8] = {
        {1.42343711074968357734e0, 4.63033784615654529590e0, 5.76949722146069140550e0, 3.64784832476320460504e0,
         1.27045825245236838258e0, 2.41780725177450611770e-1, 2.27238449892691845833e-2, 7.74545014278341407640e-4},
        {1.0, 2.05319162663775882187e0, 1.67638483018380384940e0, 6.89767334985100004550e-1, 1.48103976427480074590e-1,
         1.51986665636164571966e-2, 5.47593808499534494600e-4, 1.05075007164441684324e-9}};
    static const double tail[2][8] = {
        {6.65790464350110377720e0, 5.46378491116411436990e0, 1.78482653991729133580e0, 2.96560571828504891230e-1,
         2.65321895265761230930e-2, 1.24266094738807843860e-3, 2.71155556874348757815e-5, 2.01033439929228813265e-7},
        {1.0, 5.99832206555887937690e-1, 1.36929880922735805310e-1, 1.48753612908506148525e-2,
         7.86869131145613259100e-4, 1.84631831751005468180e-5, 1.42151175831644588870e-7, 2.04426310338993978564e-15}};
    double q = u - 0.5;
    if (fabs(q) <= 0.425) {
        double x = 0.180625 - q * q;
        return q * polynomial(centre[0], x) / polynomial(centre[1], x);
    }
    double x = sqrt(-log(q < 0.0 ? u : 1.0 - u));
    double z = x <= 5.0 ? polynomial(flank[0], x - 1.6) / polynomial(flank[1], x - 1.6)
                        : polynomial(tail[0], x - 5.0) / polynomial(tail[1], x - 5.0);
    return q < 0.0 ? -z : z;
}

// ---- Making and freeing -------------------------------------------------------------------------------------------

static scree_status make(scree_sizes_kind kind, const char* text, int32_t dim, scree_sizes** out)
{
    scree_sizes* made = scree_calloc(1, sizeof *made);
    char* copy = scree_malloc(strlen(text) + 1, 1);
    if (made == NULL || copy == NULL) {
        scree_free(made);
        scree_free(copy);
        return SCREE_ERR_MEMORY;
    }
    memcpy(copy, text, strlen(text) + 1);
    made->kind = kind;
    made->dim = dim;
    made->text = copy;
    *out = made;
    return SCREE_OK;
}

scree_status scree_sizes_from_segments(const char* text, int32_t dim, int64_t count, const scree_size_segment* segments,
                                       scree_sizes** out)
{
    scree_sizes* made;
    scree_status status = make(SIZES_SEGMENTS, text, dim, &made);
    if (status != SCREE_OK)
        return status;
    made->segments = scree_malloc((size_t)count, sizeof *made->segments);
    if (made->segments == NULL) {
        scree_sizes_destroy(made);
        return SCREE_ERR_MEMORY;
    }
    double largest = segments[count - 1].b, total = 0.0, mass = 0.0;
    for (int64_t k = 0; k < count; ++k) {
        if (!(segments[k].share > 0.0))
            continue;
        scree_size_segment* g = &made->segments[made->count++];
        *g = segments[k];
        g->log_ratio = scree_size_log_ratio(g->a, g->b);
        g->mass = g->share * scree_size_segment_mean(g, largest, dim);
        g->below = total;
        g->mass_below = mass;
        total += g->share;
        mass += g->mass;
    }
    for (int64_t k = 0; k < made->count; ++k) {
        scree_size_segment* g = &made->segments[k];
        g->share /= total;
        g->below /= total;
        g->mass /= mass;
        g->mass_below /= mass;
    }
    *out = made;
    return SCREE_OK;
}

scree_status scree_sizes_from_lognormal(const char* text, int32_t dim, double median, double sigma, scree_sizes** out)
{
    scree_sizes* made;
    scree_status status = make(SIZES_LOGNORMAL, text, dim, &made);
    if (status != SCREE_OK)
        return status;
    made->median = median;
    made->sigma = sigma;
    *out = made;
    return SCREE_OK;
}

scree_status scree_sizes_from_rosin(const char* text, int32_t dim, bool by_mass, double rmin, double rmax, double r63,
                                    double n, scree_sizes** out)
{
    // Beyond these, exp and its argument leave the doubles; no powder does.
    if (n * scree_size_log_ratio(r63, rmin) > log(700.0) || n * scree_size_log_ratio(r63, rmax) < -700.0)
        return scree_fail(
            SCREE_ERR_ARGUMENT,
            "sizes '%.200s': less than 1e-300 of that curve lies between DMIN = %g and DMAX = %g; expected D63, "
            "%g, between them or near",
            text, 2.0 * rmin, 2.0 * rmax, 2.0 * r63);
    scree_sizes* made;
    scree_status status = make(SIZES_ROSIN, text, dim, &made);
    if (status != SCREE_OK)
        return status;
    made->rosin = (scree_rosin){.by_mass = by_mass, .rmin = rmin, .rmax = rmax, .r63 = r63, .n = n};
    status = scree_rosin_tabulate(&made->rosin, dim);
    if (status != SCREE_OK) {
        scree_sizes_destroy(made);
        return status;
    }
    *out = made;
    return SCREE_OK;
}

void scree_sizes_destroy(scree_sizes* sizes)
{
    if (sizes == NULL)
        return;
    scree_free(sizes->text);
    scree_free(sizes->segments);
    scree_rosin_free(&sizes->rosin);
    scree_free(sizes);
}

// ---- Asking -------------------------------------------------------------------------------------------------------

double scree_sizes_get_min(const scree_sizes* sizes)
{
    SCREE_NEED_OR(sizes, NAN);
    switch (sizes->kind) {
    case SIZES_LOGNORMAL:
        return 0.0;
    case SIZES_ROSIN:
        return sizes->rosin.rmin;
    case SIZES_SEGMENTS:
        break;
    }
    return sizes->segments[0].a;
}

double scree_sizes_get_max(const scree_sizes* sizes)
{
    SCREE_NEED_OR(sizes, NAN);
    switch (sizes->kind) {
    case SIZES_LOGNORMAL:
        return INFINITY;
    case SIZES_ROSIN:
        return sizes->rosin.rmax;
    case SIZES_SEGMENTS:
        break;
    }
    return sizes->segments[sizes->count - 1].b;
}

double scree_sizes_quantile(const scree_sizes* sizes, double u)
{
    SCREE_NEED_OR(sizes, NAN);
    if (isnan(u))
        return u;
    if (u <= 0.0)
        return scree_sizes_get_min(sizes);
    if (u >= 1.0)
        return scree_sizes_get_max(sizes);
    switch (sizes->kind) {
    case SIZES_LOGNORMAL:
        return sizes->median * exp(sizes->sigma * normal_quantile(u));
    case SIZES_ROSIN:
        return scree_rosin_quantile(&sizes->rosin, u);
    case SIZES_SEGMENTS:
        break;
    }
    return segments_quantile(sizes, u);
}

double scree_sizes_quantile_walk(const scree_sizes* sizes, double u, int64_t* at)
{
    if (sizes->kind == SIZES_SEGMENTS) {
        while (segment_passed(sizes, *at, u))
            ++*at;
        return quantile_in_segment(sizes, *at, u);
    }
    if (sizes->kind == SIZES_ROSIN && sizes->rosin.by_mass)
        return scree_rosin_quantile_walk(&sizes->rosin, u, at);
    return scree_sizes_quantile(sizes, u);
}

static double share_below(const scree_sizes* sizes, double r, bool by_mass)
{
    if (isnan(r))
        return r;
    switch (sizes->kind) {
    case SIZES_LOGNORMAL:
        if (r <= 0.0)
            return 0.0;
        return normal_below(log(r / sizes->median) / sizes->sigma - (by_mass ? sizes->dim * sizes->sigma : 0.0));
    case SIZES_ROSIN:
        return scree_rosin_below(&sizes->rosin, r, by_mass);
    case SIZES_SEGMENTS:
        break;
    }
    return segments_below(sizes, r, by_mass);
}

double scree_sizes_cdf(const scree_sizes* sizes, double r)
{
    SCREE_NEED_OR(sizes, NAN);
    return share_below(sizes, r, false);
}

double scree_sizes_cdf_mass(const scree_sizes* sizes, double r)
{
    SCREE_NEED_OR(sizes, NAN);
    return share_below(sizes, r, true);
}

double scree_sizes_moment(const scree_sizes* sizes, double k)
{
    SCREE_NEED_OR(sizes, NAN);
    switch (sizes->kind) {
    case SIZES_LOGNORMAL:
        return pow(sizes->median, k) * exp(0.5 * k * k * sizes->sigma * sizes->sigma);
    case SIZES_ROSIN:
        return scree_rosin_moment(&sizes->rosin, sizes->dim, k);
    case SIZES_SEGMENTS:
        break;
    }
    double sum = 0.0;
    for (int64_t i = 0; i < sizes->count; ++i)
        sum += sizes->segments[i].share * scree_size_segment_mean(&sizes->segments[i], 1.0, k);
    return sum;
}

const char* scree_sizes_get_text(const scree_sizes* sizes)
{
    SCREE_NEED_OR(sizes, NULL);
    return sizes->text;
}
