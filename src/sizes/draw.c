// Drawing radii from a distribution, and the curve of radii that are there.
//
// Systematic sampling takes the quantiles (i + 1/2)/n: every part of the distribution once, so that the few large spheres of a
// wide distribution, which carry much of the volume, are always there. Its largest radius is the quantile 1 - 1/(2n), not the
// largest of the distribution. The radii come out rising and its segments are walked, not searched: O(n + segments).
#include "sizes/sizes_inner.h"

#include "base/argument.h"
#include "base/parallel.h"

#include <inttypes.h>
#include <math.h>

// Uniform in (0, 1): 0 itself, which the generator gives once in 2^53, has no quantile in an unbounded distribution.
static double open_uniform(scree_rng* rng)
{
    double u = scree_rng_uniform(rng);
    return u > 0.0 ? u : 0x1p-54;
}

// How many of n spheres of two sizes are big, and the error if there is none. What chance does later is another matter.
static scree_status count_big(const scree_sizes* sizes, int32_t n, int32_t* big)
{
    double wanted = round(n / sizes->big_per_sphere);
    if (n > 0 && wanted < 1.0)
        return scree_fail(SCREE_ERR_ARGUMENT,
                          "sizes '%.200s': %" PRId32
                          " spheres are too few for one large sphere; expected at least %.15g, and %.15g for equal volumes",
                          sizes->text, n, ceil(0.5 * sizes->big_per_sphere), ceil(sizes->big_per_sphere));
    *big = (int32_t)wanted;
    return SCREE_OK;
}

static scree_status out_of_range(const scree_sizes* sizes, int32_t i, double r)
{
    return scree_fail(SCREE_ERR_ARGUMENT,
                      "sizes '%.200s': sphere %" PRId32 " would have the radius %g; expected from %g to %g",
                      sizes->text, i, r, SCREE_LENGTH_MIN, SCREE_LENGTH_MAX);
}

static scree_status draw_rising(const scree_sizes* sizes, double shift, int32_t n, double* r)
{
    int64_t at = 0;
    double last = 0.0;
    for (int32_t i = 0; i < n; ++i) {
        if (scree_watch_own("sizes", i, n) != SCREE_OK)
            return SCREE_ERR_CANCELLED;
        double u = fmin((i + shift) / n, 1.0 - 0x1p-53);
        double radius = fmax(scree_sizes_quantile_walk(sizes, u, &at), last);  // rounding must not turn the order
        if (!scree_size_fits(radius))
            return out_of_range(sizes, i, radius);
        r[i] = last = radius;
    }
    return SCREE_OK;
}

static scree_status draw_random(const scree_sizes* sizes, scree_rng* rng, int32_t n, double* r)
{
    for (int32_t i = 0; i < n; ++i) {
        if (scree_watch_own("sizes", i, n) != SCREE_OK)
            return SCREE_ERR_CANCELLED;
        double radius = scree_sizes_quantile(sizes, open_uniform(rng));
        if (!scree_size_fits(radius))
            return out_of_range(sizes, i, radius);
        r[i] = radius;
    }
    return SCREE_OK;
}

scree_status scree_sizes_draw(const scree_sizes* sizes, scree_sampling sampling, uint64_t seed, int32_t n, double* r)
{
    SCREE_NEED(sizes);
    if (n < 0)
        return scree_fail(SCREE_ERR_ARGUMENT, "sizes '%.200s': %" PRId32 " spheres; expected 0 or more",
                          sizes->text, n);
    if (n > 0 && r == NULL)
        return scree_fail(SCREE_ERR_ARGUMENT, "sizes '%.200s': r is NULL; expected an array of %" PRId32 " radii", sizes->text,
                          n);
    int32_t big = 0;
    if (sizes->two_sizes) {
        scree_status status = count_big(sizes, n, &big);
        if (status != SCREE_OK)
            return status;
    }
    scree_rng rng = scree_rng_make(seed, 0);
    switch (sampling) {
    case SCREE_SAMPLING_SYSTEMATIC:
        if (!sizes->two_sizes)
            return draw_rising(sizes, 0.5, n, r);
        for (int32_t i = 0; i < n; ++i)  // the count is the point: not left to how a quantile rounds
            r[i] = i < n - big ? scree_sizes_get_min(sizes) : scree_sizes_get_max(sizes);
        return SCREE_OK;
    case SCREE_SAMPLING_SHIFTED:
        return draw_rising(sizes, open_uniform(&rng), n, r);
    case SCREE_SAMPLING_RANDOM:
        return draw_random(sizes, &rng, n, r);
    }
    return scree_fail(SCREE_ERR_ARGUMENT,
                      "sizes '%.200s': there is no sampling %d; expected 0 for systematic, 1 for shifted or 2 for random",
                      sizes->text, (int)sampling);
}

// ---- The realised curve -------------------------------------------------------------------------------------------

static scree_status check_curve(int32_t n, const double* r, int32_t dim, int64_t rows, const double* d, double* largest)
{
    if (dim != 2 && dim != 3)
        return scree_fail(SCREE_ERR_ARGUMENT, "size curve: dimension %d; expected 2 or 3", (int)dim);
    if (n < 0 || rows < 0)
        return scree_fail(SCREE_ERR_ARGUMENT, "size curve: %" PRId32 " spheres and %" PRId64 " rows; expected 0 or more",
                          n, rows);
    if ((n > 0 && r == NULL) || (rows > 0 && d == NULL))
        return scree_fail(SCREE_ERR_ARGUMENT, "size curve: %s is NULL; expected an array", n > 0 && r == NULL ? "r" : "d");
    for (int64_t k = 0; k < rows; ++k) {
        if (isnan(d[k]))
            return scree_fail(SCREE_ERR_ARGUMENT, "size curve: row %" PRId64 ": d = %g; expected a diameter of 0 or more", k, d[k]);
        if (k > 0 && !(d[k] > d[k - 1]))
            return scree_fail(SCREE_ERR_ARGUMENT,
                              "size curve: row %" PRId64 ": d = %g comes after %g; expected diameters that rise", k, d[k],
                              d[k - 1]);
    }
    *largest = 0.0;
    for (int32_t i = 0; i < n; ++i) {
        if (r[i] != 0.0 && !scree_size_fits(r[i]))
            return scree_fail(SCREE_ERR_ARGUMENT,
                              "size curve: sphere %" PRId32 ": radius %g; expected 0 or from %g to %g", i, r[i],
                              SCREE_LENGTH_MIN, SCREE_LENGTH_MAX);
        *largest = fmax(*largest, r[i]);
    }
    return SCREE_OK;
}

// The first row whose diameter is not below `diameter`; `rows` if there is none.
static int64_t row_of(double diameter, int64_t rows, const double* d)
{
    int64_t low = 0, high = rows;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (d[middle] < diameter)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

scree_status scree_sizes_realised(int32_t n, const double* r, int32_t dim, int64_t rows, const double* d,
                                  double* by_number, double* by_mass)
{
    double largest = 0.0;
    scree_status status = check_curve(n, r, dim, rows, d, &largest);
    if (status != SCREE_OK)
        return status;
    // One bin per row and one for what is larger than all. Masses in units of the largest, so that no cube overflows.
    double* number = scree_calloc((size_t)rows + 1, sizeof *number);
    double* mass = scree_calloc((size_t)rows + 1, sizeof *mass);
    if (number == NULL || mass == NULL) {
        scree_free(number);
        scree_free(mass);
        return SCREE_ERR_MEMORY;
    }
    for (int32_t i = 0; i < n; ++i) {
        int64_t k = row_of(2.0 * r[i], rows, d);
        double share = largest > 0.0 ? r[i] / largest : 0.0;
        number[k] += 1.0;
        mass[k] += dim == 2 ? share * share : share * share * share;
    }
    for (int64_t k = 1; k <= rows; ++k) {
        number[k] += number[k - 1];
        mass[k] += mass[k - 1];
    }
    for (int64_t k = 0; k < rows; ++k) {
        if (by_number != NULL)
            by_number[k] = n > 0 ? number[k] / number[rows] : 0.0;
        if (by_mass != NULL)
            by_mass[k] = largest > 0.0 ? mass[k] / mass[rows] : 0.0;
    }
    scree_free(number);
    scree_free(mass);
    return SCREE_OK;
}
