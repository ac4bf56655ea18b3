// Size distributions against closed forms, against integration of their densities by another rule, and against their own
// samples.
#include "support.h"

#include "scree/geom.h"
#include "scree/sizes.h"

static scree_sizes* law_of(const char* text, int32_t dim)
{
    scree_sizes* sizes = NULL;
    CHECK_OK(scree_sizes_parse(text, dim, &sizes));
    assert_string_equal(scree_sizes_get_text(sizes), text);
    return sizes;
}

static double* drawn(const scree_sizes* sizes, scree_sampling sampling, uint64_t seed, int32_t n)
{
    double* r = malloc(sizeof *r * (size_t)n);
    assert_non_null(r);
    CHECK_OK(scree_sizes_draw(sizes, sampling, seed, n, r));
    return r;
}

#define CHECK_RELATIVE(a, b, tolerance) CHECK_CLOSE((a) / (b), 1.0, tolerance)

// ---- Laws with a density: everything by Simpson's rule ------------------------------------------------------------

typedef struct smooth_law {
    const char* text;
    int32_t dim;
    char shape;       // p: r^-a; l: lognormal; r: Rosin-Rammler curve
    double a, b;      // p: exponent; l: median, sigma; r: r63, n
    double mass;      // the density is that of the named curve times r^-mass
    double from, to;  // integrate over these radii
} smooth_law;

// The number density as the name defines it, not normalised.
static double density(const smooth_law* law, double r)
{
    double value = 0.0;
    if (law->shape == 'p')
        value = pow(r, -law->a);
    else if (law->shape == 'l')
        value = exp(-0.5 * pow(log(r / law->a) / law->b, 2.0)) / r;
    else
        value = pow(r / law->a, law->b - 1.0) * exp(-pow(r / law->a, law->b));
    return value * pow(r, -law->mass);
}

static const smooth_law smooth_laws[] = {
    {"uniform-size:1:50", 3, 'p', 0, 0, 0, 1, 50},
    {"uniform-size:1:50:by-mass", 3, 'p', 0, 0, 3, 1, 50},
    {"uniform-size:1:50:by-number", 3, 'p', 0, 0, 0, 1, 50},
    {"uniform-volume:1:50", 3, 'p', 3, 0, 0, 1, 50},
    {"uniform-volume:0.5:4:by-number", 2, 'p', 2, 0, 0, 0.5, 4},
    {"power:2:20:1", 3, 'p', 1, 0, 0, 2, 20},
    {"power:2:20:1.000000001", 3, 'p', 1.000000001, 0, 0, 2, 20},
    {"power:2:20:0.999999999", 2, 'p', 0.999999999, 0, 0, 2, 20},
    {"power:2:20:-2", 3, 'p', -2, 0, 0, 2, 20},
    {"power:2:20:-2:by-mass", 3, 'p', -2, 0, 3, 2, 20},
    {"power:2:20:4", 3, 'p', 4, 0, 0, 2, 20},
    {"power:2:20:4:by-mass", 2, 'p', 4, 0, 2, 2, 20},
    {"power:1:1.001:3", 3, 'p', 3, 0, 0, 1, 1.001},
    {"lognormal:10:0.4", 3, 'l', 10, 0.4, 0, 0.02, 5000},
    {"lognormal:10:0.4:by-mass", 3, 'l', 10, 0.4, 3, 0.02, 5000},
    {"lognormal:10:0.4:by-mass", 2, 'l', 10, 0.4, 2, 0.02, 5000},
    {"fuller:2:40", 3, 'p', 0.5, 0, 3, 1, 20},
    {"fuller:2:40:0.5", 2, 'p', 0.5, 0, 2, 1, 20},
    {"fuller:2:40:0.33:by-mass", 3, 'p', 0.67, 0, 3, 1, 20},
    {"fuller:2:40:0.33:by-number", 3, 'p', 0.67, 0, 0, 1, 20},
    {"fuller:2:40:by-number", 3, 'p', 0.5, 0, 0, 1, 20},
    {"fuller:2:40:3", 3, 'p', -2, 0, 3, 1, 20},
    {"rosin-rammler:1:50:10:1.2", 3, 'r', 5, 1.2, 3, 0.5, 25},
    {"rosin-rammler:1:50:10:1.2", 2, 'r', 5, 1.2, 2, 0.5, 25},
    {"rosin-rammler:1:50:10:3:by-mass", 3, 'r', 5, 3, 3, 0.5, 25},
    {"rosin-rammler:1:50:10:6", 3, 'r', 5, 6, 3, 0.5, 25},
    {"rosin-rammler:20:50:10:2.5", 3, 'r', 5, 2.5, 3, 10, 25},
    {"rosin-rammler:1:2:100:0.8", 3, 'r', 50, 0.8, 3, 0.5, 1},
    {"rosin-rammler:9:12:10:90", 3, 'r', 5, 90, 3, 4.5, 6},
    {"rosin-rammler:1:50:10:1.2:by-number", 3, 'r', 5, 1.2, 0, 0.5, 25},
    {"rosin-rammler:1:1e50:1:0.05:by-number", 3, 'r', 0.5, 0.05, 0, 0.5, 5e49},
    {"rosin-rammler:20:50:10:2.5:by-number", 2, 'r', 5, 2.5, 0, 10, 25},
};
enum { SMOOTH_LAWS = sizeof smooth_laws / sizeof *smooth_laws };

// The integral of density * r^k from the smallest radius to r, by Simpson's rule in ln r.
static double integral(const smooth_law* law, double r, double k)
{
    int steps = law->to / law->from > 1e6 ? 40000 : 4000;
    double start = log(law->from), step = (log(r) - start) / steps, sum = 0.0;
    for (int i = 0; i <= steps; ++i) {
        double at = i == steps ? r : exp(start + step * i);
        double weight = i == 0 || i == steps ? 1.0 : i % 2 == 1 ? 4.0 : 2.0;
        sum += weight * density(law, at) * pow(at, k + 1.0);
    }
    return sum * step / 3.0;
}

static void shares_and_moments_are_integrals_of_the_density(void** state)
{
    (void)state;
    for (int l = 0; l < SMOOTH_LAWS; ++l) {
        const smooth_law* law = &smooth_laws[l];
        scree_sizes* sizes = law_of(law->text, law->dim);
        double number = integral(law, law->to, 0.0), mass = integral(law, law->to, law->dim);
        for (int i = 1; i < 20; ++i) {
            double r = law->from * pow(law->to / law->from, i / 20.0);
            CHECK_CLOSE(scree_sizes_cdf(sizes, r), integral(law, r, 0.0) / number, 1e-10);
            CHECK_CLOSE(scree_sizes_cdf_mass(sizes, r), integral(law, r, law->dim) / mass, 1e-10);
        }
        static const double powers[] = {-3, -1, -0.5, 0, 1e-9, 1, 2, 2.5, 3, 4};
        for (size_t k = 0; k < sizeof powers / sizeof *powers; ++k)
            CHECK_RELATIVE(scree_sizes_moment(sizes, powers[k]), integral(law, law->to, powers[k]) / number, 1e-9);
        scree_sizes_destroy(sizes);
    }
}

static void quantile_undoes_cdf(void** state)
{
    (void)state;
    scree_rng rng = scree_rng_make(7, 0);
    for (int l = 0; l < SMOOTH_LAWS; ++l) {
        const smooth_law* law = &smooth_laws[l];
        scree_sizes* sizes = law_of(law->text, law->dim);
        double narrow = law->to / law->from < 1.1 ? 1e-12 : 2e-14;  // there, r itself rounds at 1e-13 of the width
        for (int i = 0; i < 2000; ++i) {
            double u = scree_rng_uniform(&rng);
            if (i % 4 == 0)
                u = pow(10.0, -15.0 * u);
            if (i % 4 == 1)
                u = 1.0 - pow(10.0, -15.0 * u);
            CHECK_CLOSE(scree_sizes_cdf(sizes, scree_sizes_quantile(sizes, u)), u, narrow);
        }
        double low = scree_sizes_get_min(sizes), high = scree_sizes_get_max(sizes);
        assert_true(scree_sizes_quantile(sizes, 0.0) == low && scree_sizes_quantile(sizes, -1.0) == low);
        assert_true(scree_sizes_quantile(sizes, 1.0) == high && scree_sizes_quantile(sizes, 2.0) == high);
        assert_true(scree_sizes_cdf(sizes, low) == 0.0 && scree_sizes_cdf(sizes, high) == 1.0);
        assert_true(scree_sizes_cdf_mass(sizes, 0.5 * low) == 0.0 && scree_sizes_cdf_mass(sizes, 2.0 * high) == 1.0);
        assert_true(scree_sizes_cdf(sizes, -1.0) == 0.0);
        assert_true(isnan(scree_sizes_cdf(sizes, NAN)) && isnan(scree_sizes_cdf_mass(sizes, NAN)));
        assert_true(isnan(scree_sizes_quantile(sizes, NAN)));
        if (law->shape != 'l')
            assert_true(low == law->from && high == law->to);
        scree_sizes_destroy(sizes);
    }
}

static void samples_follow_the_law(void** state)
{
    (void)state;
    enum { N = 20000, ROWS = 12 };
    for (int l = 0; l < SMOOTH_LAWS; ++l) {
        const smooth_law* law = &smooth_laws[l];
        scree_sizes* sizes = law_of(law->text, law->dim);
        double* r = drawn(sizes, SCREE_SAMPLING_SYSTEMATIC, 1, N);
        double d[ROWS], by_number[ROWS], by_mass[ROWS];
        for (int k = 0; k < ROWS; ++k)  // the last row is the 1 - 1e-12 quantile: all spheres pass
            d[k] = 2.0 * scree_sizes_quantile(sizes, k + 1 < ROWS ? (k + 1.0) / ROWS : 1.0 - 1e-12);
        for (int i = 0; i < N; ++i) {
            assert_true(i == 0 || r[i] >= r[i - 1]);
            if (i % 97 == 0)
                CHECK_RELATIVE(r[i], scree_sizes_quantile(sizes, (i + 0.5) / N), 1e-15);
        }
        CHECK_OK(scree_sizes_realised(N, r, law->dim, ROWS, d, by_number, by_mass));
        double mass_left = 1.0 - scree_sizes_cdf_mass(sizes, r[N - 1]);  // in the half sphere above the largest
        for (int k = 0; k < ROWS; ++k) {
            CHECK_CLOSE(by_number[k], scree_sizes_cdf(sizes, 0.5 * d[k]), 0.500001 / N);
            CHECK_CLOSE(by_mass[k], scree_sizes_cdf_mass(sizes, 0.5 * d[k]), 2e-4 + mass_left);
        }
        assert_true(by_number[ROWS - 1] == 1.0 && by_mass[ROWS - 1] == 1.0);

        CHECK_OK(scree_sizes_draw(sizes, SCREE_SAMPLING_SHIFTED, 5, N, r));
        double shift = scree_sizes_cdf(sizes, r[0]) * N;
        assert_true(shift > 0.0 && shift < 1.0);
        for (int i = 0; i < N; i += 131)
            CHECK_CLOSE(scree_sizes_cdf(sizes, r[i]), (i + shift) / N, 1e-11);
        free(r);
        scree_sizes_destroy(sizes);
    }
}

static void random_draws_repeat_and_have_the_mean(void** state)
{
    (void)state;
    enum { N = 20000 };
    for (int l = 0; l < SMOOTH_LAWS; ++l) {
        const smooth_law* law = &smooth_laws[l];
        scree_sizes* sizes = law_of(law->text, law->dim);
        double* r = drawn(sizes, SCREE_SAMPLING_RANDOM, 11, N);
        double* again = drawn(sizes, SCREE_SAMPLING_RANDOM, 11, N);
        double* other = drawn(sizes, SCREE_SAMPLING_RANDOM, 12, N);
        assert_memory_equal(r, again, N * sizeof *r);
        assert_memory_not_equal(r, other, N * sizeof *r);
        scree_rng rng = scree_rng_make(11, 0);  // one number of stream 0 per sphere
        double sum = 0.0, mean = scree_sizes_moment(sizes, 1.0);
        for (int i = 0; i < N; ++i) {
            CHECK_RELATIVE(r[i], scree_sizes_quantile(sizes, scree_rng_uniform(&rng)), 1e-15);
            sum += r[i];
        }
        double sigma = sqrt(fmax(scree_sizes_moment(sizes, 2.0) - mean * mean, 0.0) / N);
        CHECK_CLOSE(sum / N, mean, 4.5 * sigma + 1e-12 * mean);
        free(r);
        free(again);
        free(other);
        scree_sizes_destroy(sizes);
    }
}

// ---- Closed forms -------------------------------------------------------------------------------------------------

static void closed_forms_of_the_papers(void** state)
{
    (void)state;
    double w = 50.0, c = 2.0 / (1.0 - 1.0 / (w * w));
    scree_sizes* sizes = law_of("uniform-size:1:50", 3);
    for (int k = 1; k <= 4; ++k)
        CHECK_RELATIVE(scree_sizes_moment(sizes, k), (pow(w, k + 1) - 1.0) / ((k + 1) * (w - 1.0)), 1e-14);
    assert_true(scree_sizes_quantile(sizes, 0.25) == 1.0 + 0.25 * 49.0);
    scree_sizes_destroy(sizes);

    sizes = law_of("uniform-volume:1:50", 3);
    CHECK_RELATIVE(scree_sizes_moment(sizes, 1.0), c * (1.0 - 1.0 / w), 1e-14);
    CHECK_RELATIVE(scree_sizes_moment(sizes, 2.0), c * log(w), 1e-14);
    CHECK_RELATIVE(scree_sizes_moment(sizes, 3.0), c * (w - 1.0), 1e-14);
    CHECK_CLOSE(scree_sizes_cdf_mass(sizes, 1.0 + 0.3 * 49.0), 0.3, 1e-15);
    for (int i = 1; i < 100; ++i)
        CHECK_RELATIVE(scree_sizes_quantile(sizes, i / 100.0), 1.0 / sqrt(1.0 - i / 100.0 * (1.0 - 1.0 / (w * w))),
                       1e-14);
    double* r = drawn(sizes, SCREE_SAMPLING_SYSTEMATIC, 1, 125001);
    CHECK_CLOSE(r[125000], 49.75, 0.005);
    free(r);
    scree_sizes_destroy(sizes);

    sizes = law_of("fuller:1:684.75", 3);  // d^-3.5 by number
    for (int i = 1; i < 100; ++i)
        CHECK_RELATIVE(2.0 * scree_sizes_quantile(sizes, i / 100.0),
                       pow(1.0 - i / 100.0 * (1.0 - pow(684.75, -2.5)), -0.4), 1e-14);
    r = drawn(sizes, SCREE_SAMPLING_SYSTEMATIC, 1, 10000);
    CHECK_CLOSE(2.0 * r[9999], 52.50, 0.005);
    free(r);
    scree_sizes_destroy(sizes);

    sizes = law_of("lognormal:1:1", 3);
    CHECK_CLOSE(log(scree_sizes_quantile(sizes, 0.975)), 1.9599639845400545, 2e-15);
    CHECK_CLOSE(log(scree_sizes_quantile(sizes, 0.8)), 0.84162123357291441, 1e-15);
    CHECK_CLOSE(log(scree_sizes_quantile(sizes, 1e-10)), -6.3613409024040562, 5e-15);
    assert_true(scree_sizes_quantile(sizes, 0.5) == 1.0);
    for (double u = 1e-300; u < 0.5; u *= 3.0)
        CHECK_RELATIVE(scree_sizes_cdf(sizes, scree_sizes_quantile(sizes, u)), u, 2e-12);
    assert_true(scree_sizes_get_min(sizes) == 0.0 && isinf(scree_sizes_get_max(sizes)));
    scree_sizes_destroy(sizes);

    sizes = law_of("rosin-rammler:1:50:10:1.2", 3);
    double below = exp(-pow(0.1, 1.2)), above = exp(-pow(5.0, 1.2));
    for (double d = 1.5; d < 50.0; d *= 1.5)
        CHECK_CLOSE(scree_sizes_cdf_mass(sizes, 0.5 * d), (below - exp(-pow(d / 10.0, 1.2))) / (below - above), 1e-14);
    scree_sizes_destroy(sizes);

    // Uncut: moments are gamma functions, and at N = 1 the mass below t is that of a gamma distribution of order 4.
    sizes = law_of("rosin-rammler:1e-20:1e20:2:0.5:by-number", 3);
    CHECK_RELATIVE(scree_sizes_moment(sizes, 1.0), 2.0, 1e-9);  // DMIN^0.5 is 1e-10 of the whole
    CHECK_RELATIVE(scree_sizes_moment(sizes, 3.0), 720.0, 1e-9);
    scree_sizes_destroy(sizes);
    sizes = law_of("rosin-rammler:1e-20:1e20:2:1:by-number", 3);
    for (int k = 1; k <= 5; ++k)
        CHECK_RELATIVE(scree_sizes_moment(sizes, k), tgamma(k + 1.0), 1e-14);
    for (double t = 0.125; t < 40.0; t *= 1.25)
        CHECK_CLOSE(scree_sizes_cdf_mass(sizes, t), 1.0 - exp(-t) * (1.0 + t * (1.0 + t * (0.5 + t / 6.0))), 2e-15);
    scree_sizes_destroy(sizes);

    // r^-97 makes the integrand of the moment flat down to DMIN: an exponential integral over a gamma function.
    sizes = law_of("rosin-rammler:0.001:20:10:100", 3);
    CHECK_RELATIVE(scree_sizes_moment(sizes, -97.0),
                   pow(5.0, -97.0) * (100.0 * log(1e4) - 0.57721566490153286) / tgamma(0.97), 1e-12);
    scree_sizes_destroy(sizes);

    sizes = law_of("mono:2.5", 2);
    assert_true(scree_sizes_get_min(sizes) == 2.5 && scree_sizes_get_max(sizes) == 2.5 &&
                scree_sizes_quantile(sizes, 0.3) == 2.5);
    assert_true(scree_sizes_cdf(sizes, 2.4999) == 0.0 && scree_sizes_cdf(sizes, 2.5) == 1.0);
    assert_true(scree_sizes_cdf_mass(sizes, 2.4999) == 0.0 && scree_sizes_cdf_mass(sizes, 2.5) == 1.0);
    CHECK_CLOSE(scree_sizes_moment(sizes, 2.0), 6.25, 1e-15);
    scree_sizes_destroy(sizes);
}

static void extremes_stay_finite(void** state)
{
    (void)state;
    static const char* const texts[] = {"power:1:1e10:1e6",
                                        "power:1:1e10:-50",
                                        "power:1e-30:1e30:-900",
                                        "power:1e-30:1e30:900",
                                        "power:1:1.0000000001:2",
                                        "power:3:3:2",
                                        "uniform-size:4:4:by-mass",
                                        "uniform-volume:1e81:1e140",
                                        "uniform-volume:1e-140:1e-81",
                                        "fuller:2:2:0.5:9",
                                        "fuller:1:1e60:0.5:1000",
                                        "fuller:1:1e60:10:1000",
                                        "fuller:1:1.0000000000000002:0.5:50",
                                        "rosin-rammler:1:1:5:2",
                                        "rosin-rammler:1:1.0000001:10:2.5",
                                        "rosin-rammler:9:12:10:900",
                                        "rosin-rammler:0.1:1000:10:0.001",
                                        "rosin-rammler:1e-50:50:10:3",
                                        "rosin-rammler:1e-130:1e-71:1e-80:2.9",
                                        "rosin-rammler:1e-130:1e-71:1e10:2.9",
                                        "rosin-rammler:1e-30:1e30:1:0.001:by-number",
                                        "lognormal:1:20"};
    for (size_t t = 0; t < sizeof texts / sizeof *texts; ++t)
        for (int32_t dim = 2; dim <= 3; ++dim) {
            enum { N = 3000 };
            scree_sizes* sizes = law_of(texts[t], dim);
            double* r = drawn(sizes, SCREE_SAMPLING_SYSTEMATIC, 1, N);
            double last = 0.0, last_mass = 0.0, low = scree_sizes_get_min(sizes), high = scree_sizes_get_max(sizes);
            for (int i = 0; i < N; ++i) {
                double share = scree_sizes_cdf(sizes, r[i]), mass = scree_sizes_cdf_mass(sizes, r[i]);
                assert_true(r[i] >= low && r[i] <= high && (i == 0 || r[i] >= r[i - 1]));
                assert_true(share >= last && share <= 1.0);
                assert_true(mass >= last_mass - 1e-12 && mass <= 1.0);
                if (high > 1.1 * low)
                    CHECK_CLOSE(share, (i + 0.5) / N, 1e-9);
                last = share;
                last_mass = mass;
            }
            if (low == high)
                assert_true(r[0] == low && scree_sizes_cdf(sizes, low) == 1.0 && scree_sizes_moment(sizes, 1.0) == low);
            double mean = scree_sizes_moment(sizes, 1.0);
            assert_true(mean >= low * (1.0 - 1e-12) && (isinf(high) || mean <= high * (1.0 + 1e-12)));
            free(r);
            scree_sizes_destroy(sizes);
        }
}

static void high_moments_stay_between_the_powers(void** state)
{
    (void)state;
    static const char* const texts[] = {"rosin-rammler:0.5:2:1:2", "rosin-rammler:0.5:2:1:2:by-number",
                                        "power:0.25:1:2", "uniform-size:0.25:1", "fuller:0.5:2:0.5:20"};
    for (size_t t = 0; t < sizeof texts / sizeof *texts; ++t) {
        scree_sizes* sizes = law_of(texts[t], 3);
        double up = scree_sizes_moment(sizes, 1200.0),
               down = scree_sizes_moment(sizes, -500.0);  // 0.25^1200 is no double
        assert_true(up > 1e-7 && up < 1.0);
        assert_true(down * pow(0.25, 500.0) > 1e-7 && down * pow(0.25, 500.0) < 1.0);
        scree_sizes_destroy(sizes);
    }
}

// ---- The Fuller sample of the loose-octree paper (algorithms.md 1.1) ----------------------------------------------

static void fuller_sample_of_the_paper(void** state)
{
    (void)state;
    enum { N = 10000, CLASSES = 43 };
    static const double largest[10] = {52.696, 33.93, 27.69, 24.16, 21.83, 20.18, 18.90, 17.81, 16.97, 16.21};
    static const int counts[CLASSES] = {2080, 1647, 1305, 1033, 819, 648, 513, 407, 322, 255, 202, 160, 126, 101, 79,
                                        63,   50,   40,   31,   25,  19,  16,  12,  10,  8,   6,   5,   3,   3,   3,
                                        2,    1,    1,    1,    1,   1,   0,   1,   0,   0,   0,   0,   1};
    scree_sizes* sizes = law_of("fuller:1:684.75:0.5:70", 3);
    double* r = drawn(sizes, SCREE_SAMPLING_SYSTEMATIC, 1, N);
    double sum = 0.0;
    int found[CLASSES] = {0};
    for (int i = 0; i < N; ++i) {
        double d = 2.0 * r[i];
        sum += d * d * d;
        int k = 0;
        while (pow(684.75, (k + 1) / 70.0) <= d)
            ++k;
        assert_in_range(k, 0, CLASSES - 1);
        ++found[k];
    }
    CHECK_CLOSE(2.0 * r[0], 1.00002, 5e-6);
    for (int i = 0; i < 10; ++i)
        CHECK_CLOSE(2.0 * r[N - 1 - i], largest[i], i == 0 ? 5e-4 : 5e-3);
    for (int k = 0; k < CLASSES; ++k)
        assert_int_equal(found[k], counts[k]);
    CHECK_RELATIVE(sum, 411073.0, 2e-6);
    CHECK_RELATIVE(sum * acos(-1.0) / 6.0, 215237.0, 3e-6);
    free(r);

    // A class holds q^(-2.5 k) of the spheres, and d is linear inside.
    double q = pow(684.75, 1.0 / 70.0), all = (1.0 - pow(q, -2.5 * 70)) / (1.0 - pow(q, -2.5)), below = 0.0;
    for (int k = 0; k < 70; ++k) {
        double share = pow(q, -2.5 * k) / all, a = pow(q, k), b = pow(q, k + 1);
        CHECK_CLOSE(scree_sizes_cdf(sizes, 0.5 * (0.7 * a + 0.3 * b)), below + 0.3 * share, 1e-14);
        below += share;
    }
    scree_sizes_destroy(sizes);

    sizes = law_of("fuller:1:684.75:0.5:70:by-number", 3);  // now the curve itself is by number
    for (int k = 0; k <= 70; ++k)
        CHECK_CLOSE(scree_sizes_cdf(sizes, 0.5 * pow(q, k) * (1.0 + 1e-15)),
                    (pow(q, 0.5 * k) - 1.0) / (pow(q, 35.0) - 1.0), 1e-13);
    scree_sizes_destroy(sizes);
    sizes = law_of("fuller:1:684.75:0.5:70", 2);
    CHECK_RELATIVE(scree_sizes_cdf(sizes, 0.5 * q), (1.0 - pow(q, -1.5)) / (1.0 - pow(q, -1.5 * 70)), 1e-13);
    scree_sizes_destroy(sizes);
}

// ---- Two sizes ----------------------------------------------------------------------------------------------------

static int count_above(const double* r, int n, double limit)
{
    int count = 0;
    for (int i = 0; i < n; ++i)
        count += r[i] > limit;
    return count;
}

static void two_sizes_have_equal_volumes(void** state)
{
    (void)state;
    static const struct {
        const char* text;
        int32_t dim, n, big;
        double ratio;
    } cases[] = {{"bidisperse:50", 3, 125001, 1, 50}, {"bidisperse:10", 3, 125001, 125, 10},
                 {"bidisperse:2", 3, 9, 1, 2},        {"bidisperse:2", 2, 5000, 1000, 2},
                 {"bidisperse:50", 3, 62501, 1, 50},  {"bidisperse:1.5", 2, 13, 4, 1.5}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; ++c) {
        scree_sizes* sizes = law_of(cases[c].text, cases[c].dim);
        double* r = drawn(sizes, SCREE_SAMPLING_SYSTEMATIC, 1, cases[c].n);
        assert_int_equal(count_above(r, cases[c].n, 1.0), cases[c].big);
        assert_true(r[0] == 1.0 && r[cases[c].n - 1] == cases[c].ratio);
        double volumes = pow(cases[c].ratio, cases[c].dim);
        CHECK_CLOSE(scree_sizes_cdf(sizes, 1.0), volumes / (1.0 + volumes), 1e-15);
        CHECK_CLOSE(scree_sizes_cdf_mass(sizes, 1.0), 0.5, 1e-15);
        CHECK_RELATIVE(scree_sizes_moment(sizes, cases[c].dim), 2.0 * volumes / (1.0 + volumes), 1e-14);
        free(r);
        scree_sizes_destroy(sizes);
    }

    scree_sizes* sizes = law_of("bidisperse:50", 3);
    double* r = malloc(sizeof *r * 62500);
    for (int sampling = 0; sampling < 3; ++sampling) {
        CHECK_FAILS(scree_sizes_draw(sizes, (scree_sampling)sampling, 1, 62500, r), SCREE_ERR_ARGUMENT, "62501");
        CHECK_FAILS(scree_sizes_draw(sizes, (scree_sampling)sampling, 1, 1, r), SCREE_ERR_ARGUMENT, "125001");
        CHECK_OK(scree_sizes_draw(sizes, (scree_sampling)sampling, 1, 0, NULL));
    }
    free(r);
    scree_sizes_destroy(sizes);

    sizes = law_of("bidisperse:3", 2);  // a tenth is big
    r = drawn(sizes, SCREE_SAMPLING_RANDOM, 3, 10000);
    CHECK_CLOSE(count_above(r, 10000, 1.0), 1000.0, 4.5 * 30.0);
    free(r);
    r = drawn(sizes, SCREE_SAMPLING_SHIFTED, 3, 10000);
    CHECK_CLOSE(count_above(r, 10000, 1.0), 1000.0, 1.0);
    free(r);
    scree_sizes_destroy(sizes);
}

// ---- Tables -------------------------------------------------------------------------------------------------------

static void passing_table(void** state)
{
    (void)state;
    static const double d[] = {1.0, 2.0, 4.0, 5.0, 8.0};
    static const double passing[] = {0.0, 0.25, 0.25, 0.5, 1.0}, percent[] = {0.0, 25.0, 25.0, 50.0, 100.0};
    for (int32_t dim = 2; dim <= 3; ++dim)
        for (int in_percent = 0; in_percent < 2; ++in_percent) {
            scree_sizes* sizes = NULL;
            CHECK_OK(scree_sizes_table(SCREE_TABLE_PASSING_MASS, dim, 5, d, in_percent ? percent : passing, &sizes));
            assert_string_equal(scree_sizes_get_text(sizes), "table");
            assert_true(scree_sizes_get_min(sizes) == 0.5 && scree_sizes_get_max(sizes) == 4.0);
            // Mass uniform in d: a class from a to b with mass p holds p/(b-a) times the integral of r^-dim.
            double before[5] = {0.0};
            for (int k = 0; k < 4; ++k) {
                double a = 0.5 * d[k], b = 0.5 * d[k + 1], p = passing[k + 1] - passing[k];
                before[k + 1] =
                    before[k] + p / (b - a) * (dim == 2 ? 1.0 / a - 1.0 / b : 0.5 * (1.0 / (a * a) - 1.0 / (b * b)));
            }
            for (int k = 0; k < 5; ++k) {
                CHECK_CLOSE(scree_sizes_cdf_mass(sizes, 0.5 * d[k]), passing[k], 1e-15);
                CHECK_CLOSE(scree_sizes_cdf(sizes, 0.5 * d[k]), before[k] / before[4], 1e-15);
            }
            CHECK_CLOSE(scree_sizes_cdf_mass(sizes, 0.5 * 1.5), 0.125, 1e-15);  // linear between
            CHECK_CLOSE(scree_sizes_cdf_mass(sizes, 0.5 * 6.5), 0.75, 1e-15);
            CHECK_CLOSE(scree_sizes_cdf_mass(sizes, 0.5 * 3.0), 0.25, 1e-15);  // nothing in 2..4
            CHECK_CLOSE(scree_sizes_quantile(sizes, before[2] / before[4] * (1.0 - 1e-12)), 1.0, 1e-10);
            CHECK_CLOSE(scree_sizes_quantile(sizes, before[2] / before[4] * (1.0 + 1e-12)), 2.0, 1e-10);
            CHECK_RELATIVE(scree_sizes_moment(sizes, dim), 1.0 / before[4], 1e-14);
            for (int i = 1; i < 100; ++i)
                CHECK_CLOSE(scree_sizes_cdf(sizes, scree_sizes_quantile(sizes, i / 100.0)), i / 100.0, 1e-14);
            double* r = drawn(sizes, SCREE_SAMPLING_SYSTEMATIC, 1, 100000);
            double realised[5];
            CHECK_OK(scree_sizes_realised(100000, r, dim, 5, d, NULL, realised));
            for (int k = 0; k < 5; ++k)
                CHECK_CLOSE(realised[k], passing[k], 1e-4);
            free(r);
            scree_sizes_destroy(sizes);
        }

    // Two rows are the uniform-volume law.
    scree_sizes* table = NULL;
    scree_sizes* law = law_of("uniform-volume:1:50", 3);
    CHECK_OK(scree_sizes_table(SCREE_TABLE_PASSING_MASS, 3, 2, (double[]){2, 100}, (double[]){0, 1}, &table));
    for (int i = 0; i <= 50; ++i)
        assert_true(scree_sizes_quantile(table, i / 50.0) == scree_sizes_quantile(law, i / 50.0));
    scree_sizes_destroy(table);
    scree_sizes_destroy(law);
}

static void number_table(void** state)
{
    (void)state;
    static const double d[] = {1.0, 2.0, 3.0, 10.0}, counts[] = {500.0, 0.0, 300.0, 200.0};
    scree_sizes* sizes = NULL;
    CHECK_OK(scree_sizes_table(SCREE_TABLE_NUMBER, 3, 4, d, counts, &sizes));
    for (int32_t n = 10; n <= 100000; n *= 10) {
        double* r = drawn(sizes, SCREE_SAMPLING_SYSTEMATIC, 1, n);
        assert_int_equal(count_above(r, n, 0.5), n / 2);
        assert_int_equal(count_above(r, n, 1.5), n / 5);
        assert_true(r[0] == 0.5 && r[n / 2] == 1.5 && r[n - 1] == 5.0);
        free(r);
    }
    assert_true(scree_sizes_quantile(sizes, 0.5) == 0.5);  // at a jump the lower of the two
    CHECK_CLOSE(scree_sizes_cdf(sizes, 0.5), 0.5, 1e-15);
    CHECK_CLOSE(scree_sizes_cdf(sizes, 1.49), 0.5, 1e-15);
    CHECK_CLOSE(scree_sizes_cdf(sizes, 1.5), 0.8, 1e-15);
    CHECK_CLOSE(scree_sizes_cdf_mass(sizes, 1.5), (500.0 + 300.0 * 27.0) / (500.0 + 300.0 * 27.0 + 200.0 * 1000.0),
                1e-15);
    CHECK_RELATIVE(scree_sizes_moment(sizes, 1.0), 0.5 * 0.5 + 0.3 * 1.5 + 0.2 * 5.0, 1e-15);
    assert_true(scree_sizes_get_min(sizes) == 0.5 && scree_sizes_get_max(sizes) == 5.0);
    scree_sizes_destroy(sizes);
}

// ---- The realised curve -------------------------------------------------------------------------------------------

static void realised_curve(void** state)
{
    (void)state;
    static const double r[] = {1.0, 3.0, 1.0, 2.0, 0.0}, d[] = {0.0, 1.9, 2.0, 5.0, 6.0};
    double number[5], mass[5];
    CHECK_OK(scree_sizes_realised(5, r, 2, 5, d, number, mass));
    static const double numbers[] = {0.2, 0.2, 0.6, 0.8, 1.0}, masses[] = {0, 0, 2.0 / 15, 6.0 / 15, 1.0};
    for (int k = 0; k < 5; ++k) {
        CHECK_CLOSE(number[k], numbers[k], 1e-15);
        CHECK_CLOSE(mass[k], masses[k], 1e-15);
    }
    CHECK_OK(scree_sizes_realised(5, r, 3, 4, d, NULL, mass));  // the largest sphere passes no row here
    CHECK_CLOSE(mass[3], 10.0 / 37.0, 1e-15);
    CHECK_OK(scree_sizes_realised(5, r, 3, 4, d, number, NULL));
    CHECK_OK(scree_sizes_realised(5, r, 3, 0, NULL, NULL, NULL));
    CHECK_OK(scree_sizes_realised(0, NULL, 3, 5, d, number, mass));
    assert_true(number[4] == 0.0 && mass[4] == 0.0);
    CHECK_OK(scree_sizes_realised(1, (double[]){0.0}, 3, 5, d, number, mass));
    assert_true(number[0] == 1.0 && mass[4] == 0.0);
    CHECK_OK(scree_sizes_realised(2, (double[]){1e130, 1e140}, 3, 1, (double[]){2e130}, number, mass));  // no overflow
    CHECK_CLOSE(mass[0], 1e-30, 1e-44);

    CHECK_FAILS(scree_sizes_realised(5, r, 4, 5, d, number, mass), SCREE_ERR_ARGUMENT, "dimension 4");
    CHECK_FAILS(scree_sizes_realised(-1, r, 3, 5, d, number, mass), SCREE_ERR_ARGUMENT, "-1");
    CHECK_FAILS(scree_sizes_realised(5, r, 3, -2, d, number, mass), SCREE_ERR_ARGUMENT, "-2");
    CHECK_FAILS(scree_sizes_realised(5, NULL, 3, 5, d, number, mass), SCREE_ERR_ARGUMENT, "r", "NULL");
    CHECK_FAILS(scree_sizes_realised(5, r, 3, 5, NULL, number, mass), SCREE_ERR_ARGUMENT, "d", "NULL");
    CHECK_FAILS(scree_sizes_realised(5, r, 3, 2, (double[]){2, 2}, number, mass), SCREE_ERR_ARGUMENT, "row 1", "d = 2");
    CHECK_FAILS(scree_sizes_realised(5, r, 3, 1, (double[]){NAN}, number, mass), SCREE_ERR_ARGUMENT, "row 0", "d = nan");
    CHECK_FAILS(scree_sizes_realised(2, (double[]){1, -1}, 3, 5, d, number, mass), SCREE_ERR_ARGUMENT, "sphere 1", "radius", "-1");
    CHECK_FAILS(scree_sizes_realised(2, (double[]){NAN, 1}, 3, 5, d, number, mass), SCREE_ERR_ARGUMENT, "sphere 0", "radius", "nan");
    CHECK_FAILS(scree_sizes_realised(2, (double[]){1, INFINITY}, 3, 5, d, number, mass), SCREE_ERR_ARGUMENT, "radius", "inf");
}

// ---- Errors -------------------------------------------------------------------------------------------------------

static void texts_that_are_no_law(void** state)
{
    (void)state;
    static const struct {
        const char* text;
        const char* message;
    } cases[] = {
        {"", ""},
        {"uniform-sise:1:2", "'uniform-sise' | 'uniform-size' | uniform-size"},
        {"Mono:1", "'mono'"},
        {"uniform_volume:1:2", "'uniform-volume'"},
        {"rosin:1:2:3:4", "'rosin-rammler'"},
        {"fuler:1:2", "'fuller'"},
        {"tabel:x.csv", "'table'"},
        {"zebra:1", "uniform-size"},
        {":1:2", "''"},
        {" mono:1", "'mono'"},
        {"table:x.csv", "scree_read_sizes"},
        {"mono", "R"},
        {"mono:", "R | ''"},
        {"mono:one", "R | 'one'"},
        {"mono:1x", "R | '1x'"},
        {"mono:0x10", ""},
        {"mono:0", "R | 0"},
        {"mono:-2", "R | -2 | 0"},
        {"mono:nan", "R | nan"},
        {"mono:inf", "R | inf"},
        {"mono:1e999", "R | 1e999"},
        {"mono:1e-141", "1e-140 | 1e140"},
        {"mono:1e141", "1e-140 | 1e140"},
        {"mono:1:2", "'2'"},
        {"mono:1:by-weight", "'by-weight'"},
        {"mono:by-mass", "R"},
        {"uniform-size", "MIN"},
        {"uniform-size:1", "MAX | uniform-size"},
        {"uniform-size:2:1", "MIN | 2 | MAX | 1"},
        {"uniform-size:0:1", "MIN | 0"},
        {"uniform-size:1:inf", "MAX | inf"},
        {"uniform-size:1:2:by-mass:by-number", "'by-mass'"},
        {"uniform-size:1:2:", "''"},
        {"uniform-volume:1:-5", "MAX | -5 | 0"},
        {"uniform-volume:1:5:by-mass", "mass"},
        {"uniform-volume:1:1e61", "MAX | 1e+61 | 1e+60"},
        {"power:1:2", "A"},
        {"power:1:2:x", "A | 'x'"},
        {"power:1:2:nan", "A | nan"},
        {"power:2:1:3", "MIN | 2 | MAX | 1"},
        {"bidisperse:1", "RATIO | 1"},
        {"bidisperse:0.5", "RATIO | 0.5 | 1"},
        {"bidisperse:-1", "RATIO | -1 | 0"},
        {"bidisperse:1e61", "1e+60"},
        {"bidisperse:10:by-mass", ""},
        {"lognormal:1:0", "SIGMA | 0"},
        {"lognormal:1:-0.1", "SIGMA | -0.1 | 0"},
        {"lognormal:0:1", "MEDIAN | 0"},
        {"lognormal:1:20:by-mass", "SIGMA | 20"},
        {"fuller:1", "DMAX"},
        {"fuller:20:10", "DMIN | 20 | DMAX | 10"},
        {"fuller:1:2:0", "Q | 0"},
        {"fuller:1:2:0.5:0", "CLASSES | 0"},
        {"fuller:1:2:0.5:1.5", "CLASSES | 1.5"},
        {"fuller:1:2:0.5:1e7", "CLASSES | 1e7 | 1 | 1000000"},
        {"fuller:1:2:0.5:70:9", "'9'"},
        {"rosin-rammler:1:2:3", "N"},
        {"rosin-rammler:1:2:0:1", "D63 | 0"},
        {"rosin-rammler:1:2:3:0", "N | 0"},
        {"rosin-rammler:1:2:3:1e4", "N | 1e4 | 0.001 | 1000"},
        {"rosin-rammler:2:1:3:1", "DMIN | 2 | DMAX | 1"},
        {"rosin-rammler:1000:2000:1:5", "1e-300"},
        {"rosin-rammler:1:2:100:1000", "1e-300"},
    };
    scree_sizes* const before = (scree_sizes*)(void*)&before;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; ++c) {
        scree_sizes* sizes = before;
        CHECK_FAILS(scree_sizes_parse(cases[c].text, 3, &sizes), SCREE_ERR_ARGUMENT, cases[c].message);
        assert_null(sizes);
    }
    scree_sizes* sizes = NULL;
    CHECK_FAILS(scree_sizes_parse(NULL, 3, &sizes), SCREE_ERR_ARGUMENT);
    CHECK_FAILS(scree_sizes_parse("mono:1", 4, &sizes), SCREE_ERR_ARGUMENT, "dimension 4", "2", "3");
    CHECK_FAILS(scree_sizes_parse("mono:1", 1, &sizes), SCREE_ERR_ARGUMENT, "dimension 1");

    // However long the text, it is an error and not a crash.
    char text[20001];
    for (int c = 0; c < 3; ++c) {
        memset(text, "x:1"[c], sizeof text - 1);
        text[sizeof text - 1] = '\0';
        CHECK_FAILS(scree_sizes_parse(text, 3, &sizes), SCREE_ERR_ARGUMENT);
        memcpy(text, "fuller:", 7);
        CHECK_FAILS(scree_sizes_parse(text, 3, &sizes), SCREE_ERR_ARGUMENT, "DMIN");
    }
    assert_null(sizes);
    scree_sizes_destroy(NULL);
}

static void tables_that_are_none(void** state)
{
    (void)state;
    static const struct {
        int kind;
        int rows;
        double d[3], share[3];
        const char* message;
    } cases[] = {
        {0, 0, {1, 2, 3}, {0, 0, 1}, "0 | 1"},
        {0, 1, {1, 2, 3}, {0, 0, 1}, "1 | 2"},
        {0, -1, {1, 2, 3}, {0, 0, 1}, "-1"},
        {0, 3, {0, 2, 3}, {0, 0.5, 1}, "row 0 | d = 0 | diameter"},
        {0, 3, {1, -2, 3}, {0, 0.5, 1}, "row 1 | d = -2 | diameter"},
        {0, 3, {1, NAN, 3}, {0, 0.5, 1}, "row 1 | d = nan | diameter"},
        {0, 3, {1, 2, INFINITY}, {0, 0.5, 1}, "row 2 | inf | diameter"},
        {0, 3, {1, 3, 2}, {0, 0.5, 1}, "row 2 | d = 2 | 3"},
        {0, 3, {1, 1, 2}, {0, 0.5, 1}, "row 1 | d = 1 | 1"},
        {0, 3, {1, 2, 1e61}, {0, 0.5, 1}, "row 2 | d = 1e+61 | 1e+60 | 1"},
        {0, 3, {1, 2, 3}, {0.1, 0.5, 1}, "row 0 | mass | 0.1"},
        {0, 3, {1, 2, 3}, {0, 0.5, 0.9}, "row 2 | mass | 0.9"},
        {0, 3, {1, 2, 3}, {0, 50, 99}, "99 | 1 | 100"},
        {0, 3, {1, 2, 3}, {0, 2, 1}, "row 2 | mass | 2 | 1"},
        {0, 3, {1, 2, 3}, {0, NAN, 1}, "row 1 | nan"},
        {0, 3, {1, 2, 3}, {0, -0.5, 1}, "row 1 | -0.5"},
        {0, 3, {1, 2, 3}, {0, 0, 0}, "0"},
        {1, 0, {1, 2, 3}, {0, 0, 1}, "0"},
        {1, 3, {1, 2, 3}, {0, 0, 0}, "3 | 0"},
        {1, 3, {1, 2, 3}, {1, -1, 1}, "row 1 | -1"},
        {1, 3, {1, 2, 3}, {1, INFINITY, 1}, "row 1 | inf"},
        {1, 3, {1, 2, 3}, {1e308, 1e308, 1}, "inf"},
        {1, 3, {3, 2, 1}, {1, 1, 1}, "row 1 | d = 2"},
        {2, 3, {1, 2, 3}, {1, 1, 1}, "2"},
    };
    scree_sizes* sizes = NULL;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; ++c)
        CHECK_FAILS(
            scree_sizes_table((scree_table_kind)cases[c].kind, 3, cases[c].rows, cases[c].d, cases[c].share, &sizes),
            SCREE_ERR_ARGUMENT, cases[c].message);
    CHECK_FAILS(scree_sizes_table(SCREE_TABLE_NUMBER, 4, 3, cases[0].d, cases[0].share, &sizes), SCREE_ERR_ARGUMENT, "dimension 4");
    CHECK_FAILS(scree_sizes_table(SCREE_TABLE_NUMBER, 3, 3, NULL, cases[0].share, &sizes), SCREE_ERR_ARGUMENT, "NULL");
    assert_null(sizes);
}

static void invalid_draws_are_refused(void** state)
{
    (void)state;
    double r[4] = {0};
    scree_sizes* sizes = law_of("mono:1", 3);
    CHECK_FAILS(scree_sizes_draw(sizes, SCREE_SAMPLING_SYSTEMATIC, 1, -1, r), SCREE_ERR_ARGUMENT, "-1");
    CHECK_FAILS(scree_sizes_draw(sizes, SCREE_SAMPLING_SYSTEMATIC, 1, 4, NULL), SCREE_ERR_ARGUMENT, "NULL");
    CHECK_FAILS(scree_sizes_draw(sizes, (scree_sampling)3, 1, 4, r), SCREE_ERR_ARGUMENT, "3");
    CHECK_OK(scree_sizes_draw(sizes, SCREE_SAMPLING_RANDOM, 1, 0, NULL));
    CHECK_OK(scree_sizes_draw(sizes, SCREE_SAMPLING_SYSTEMATIC, 1, 1, r));
    assert_true(r[0] == 1.0);
    scree_sizes_destroy(sizes);
    sizes = law_of("lognormal:1:1000", 3);
    CHECK_FAILS(scree_sizes_draw(sizes, SCREE_SAMPLING_SYSTEMATIC, 1, 4, r), SCREE_ERR_ARGUMENT, "sphere 0", "radius");
    CHECK_FAILS(scree_sizes_draw(sizes, SCREE_SAMPLING_RANDOM, 1, 4, r), SCREE_ERR_ARGUMENT);
    scree_sizes_destroy(sizes);
}

static void allocations_that_fail(void** state)
{
    (void)state;
    static const char* const texts[] = {
        "mono:1",        "bidisperse:2",           "uniform-size:1:2", "uniform-volume:1:2",       "power:1:2:1",
        "lognormal:1:1", "fuller:1:684.75:0.5:70", "fuller:1:9",       "rosin-rammler:1:50:10:1.2"};
    for (size_t t = 0; t < sizeof texts / sizeof *texts; ++t) {
        scree_sizes* sizes = NULL;
        EACH_ALLOCATION_FAILS(scree_sizes_parse(texts[t], 3, &sizes), assert_null(sizes));
        assert_non_null(sizes);
        double r[20];
        EACH_ALLOCATION_FAILS(scree_sizes_draw(sizes, SCREE_SAMPLING_SYSTEMATIC, 1, 20, r), (void)0);
        scree_sizes_destroy(sizes);
    }
    static const double d[] = {1, 2, 3}, share[] = {0, 0.5, 1};
    for (int kind = 0; kind < 2; ++kind) {
        scree_sizes* sizes = NULL;
        EACH_ALLOCATION_FAILS(scree_sizes_table((scree_table_kind)kind, 3, 3, d, share, &sizes), assert_null(sizes));
        scree_sizes_destroy(sizes);
    }
    double number[3] = {7, 7, 7}, mass[3] = {7, 7, 7};
    EACH_ALLOCATION_FAILS(scree_sizes_realised(3, d, 3, 3, d, number, mass),
                          assert_true(number[0] == 7 && mass[2] == 7));
}

static const test_case cases[] = {
    UNIT(shares_and_moments_are_integrals_of_the_density),
    UNIT(quantile_undoes_cdf),
    UNIT(samples_follow_the_law),
    SAME_BITS(random_draws_repeat_and_have_the_mean),
    UNIT(closed_forms_of_the_papers),
    UNIT(extremes_stay_finite),
    UNIT(high_moments_stay_between_the_powers),
    UNIT(fuller_sample_of_the_paper),
    UNIT(two_sizes_have_equal_volumes),
    UNIT(passing_table),
    UNIT(number_table),
    UNIT(realised_curve),
    UNIT(texts_that_are_no_law),
    UNIT(tables_that_are_none),
    UNIT(invalid_draws_are_refused),
    ALLOCATION(allocations_that_fail),
};

const test_group group_sizes = {.name = "sizes", .cases = cases, .count = sizeof cases / sizeof *cases};
