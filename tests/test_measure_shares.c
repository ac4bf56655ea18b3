// Shares of spheres in boxes, and lenses, against closed forms and Monte Carlo.
#include "measure_support.h"

// ---- Spheres cut by boxes ----------------------------------------------------------------------------------------

static void shares_with_known_answers(void** state)
{
    (void)state;
    const double inf = INFINITY;
    double lower[3] = {-inf, -inf, -inf}, upper[3] = {inf, inf, inf}, x[3] = {0.0, 0.0, 0.0};
    for (int dim = 2; dim <= 3; ++dim) {
        CHECK_CLOSE(scree_sphere_box_share(dim, x, 1.0, lower, upper), 1.0, 0.0);
        // A half, a quarter, an octant, on any axes and sides.
        for (int signs = 0; signs < (dim == 2 ? 9 : 27); ++signs) {
            double lo[3], hi[3], wanted = 1.0;
            for (int k = 0, s = signs; k < dim; ++k, s /= 3) {
                lo[k] = s % 3 == 1 ? 0.0 : -7.0;
                hi[k] = s % 3 == 2 ? 0.0 : 7.0;
                wanted *= s % 3 > 0 ? 0.5 : 1.0;
            }
            CHECK_CLOSE(scree_sphere_box_share(dim, x, 2.5, lo, hi), wanted, 2e-16);
        }
        // Inside, outside, touching from outside, the inscribed cube.
        double one[3] = {1.0, 1.0, 1.0}, minus[3] = {-1.0, -1.0, -1.0}, three[3] = {3.0, 3.0, 3.0};
        CHECK_CLOSE(scree_sphere_box_share(dim, x, 1.0, minus, one), 1.0, 0.0);
        CHECK_CLOSE(scree_sphere_box_share(dim, x, 1.0, one, three), 0.0, 0.0);
        double h = 1.0 / sqrt(dim), low[3] = {-h, -h, -h}, high[3] = {h, h, h};
        CHECK_CLOSE(scree_sphere_box_share(dim, x, 1.0, low, high),
                    pow(2.0 * h, dim) / (dim == 2 ? pi : 4.0 / 3.0 * pi), 1e-15);
        CHECK_CLOSE(scree_sphere_box_share(dim, x, 1e-100, low, high), 1.0, 0.0);
        CHECK_CLOSE(scree_sphere_box_share(dim, x, 0.0, minus, x), 1.0, 0.0);  // on the face
        CHECK_CLOSE(scree_sphere_box_share(dim, x, 0.0, one, three), 0.0, 0.0);
        double aside[3] = {0.0, 2.0, 0.0};
        CHECK_CLOSE(scree_sphere_box_share(dim, aside, 0.0, minus, x), 0.0, 0.0);
        CHECK_CLOSE(scree_sphere_box_share(dim, x, 1.0, x, x), 0.0, 0.0);  // a box without volume
    }
    // Caps of height 0.5, and of a height that the share barely sees.
    double lo[3] = {0.5, -inf, -inf}, hi[3] = {inf, inf, inf};
    CHECK_CLOSE(scree_sphere_box_share(3, x, 1.0, lo, hi), 0.25 * 0.25 * 2.5, 1e-16);
    CHECK_CLOSE(scree_sphere_box_share(2, x, 1.0, lo, hi), (acos(0.5) - 0.5 * sqrt(0.75)) / pi, 1e-16);
    lo[0] = 1.0 - 1e-9;
    CHECK_CLOSE(scree_sphere_box_share(3, x, 1.0, lo, hi), 0.75e-18, 1e-16);
    // The corner of a box just inside the sphere: nearly a small tetrahedron.
    double d = 1e-3, a = (1.0 - d) / sqrt(3.0), corner[3] = {a, a, a}, far[3] = {9.0, 9.0, 9.0};
    double tetrahedron = pow(d * sqrt(3.0), 3.0) / 6.0 / (4.0 / 3.0 * pi);
    CHECK_CLOSE(scree_sphere_box_share(3, x, 1.0, corner, far) / tetrahedron, 1.0, 0.01);
}

// The cells of a partition share the sphere out without rest; axes and signs mean nothing; the unit neither.
static void shares_of_a_partition_add_up(void** state)
{
    (void)state;
    scree_rng rng = scree_rng_make(5, 0);
    int rounds = (int)(300 * test_effort());
    for (int round = 0; round < rounds; ++round)
        for (int dim = 2; dim <= 3; ++dim) {
            enum { cuts = 4 };
            double at[3][cuts + 2], x[3];
            for (int k = 0; k < 3; ++k) {
                at[k][0] = -INFINITY;
                at[k][cuts + 1] = INFINITY;
                for (int c = 1; c <= cuts; ++c)
                    at[k][c] = 2.6 * scree_rng_uniform(&rng) - 1.3;
                if (round % 5 == 0)
                    at[k][2] = at[k][1] + 1e-9 * scree_rng_uniform(&rng);  // thin cells
                if (round % 7 == 0)
                    at[k][3] = k == 0 ? 0.6 : 0.8;  // an edge of the box that touches the sphere
                for (int a = 1; a <= cuts; ++a)
                    for (int b = a; b > 1 && at[k][b - 1] > at[k][b]; --b) {
                        double keep = at[k][b];
                        at[k][b] = at[k][b - 1];
                        at[k][b - 1] = keep;
                    }
                x[k] = 0.0;
            }
            double sum = 0.0;
            for (int i = 0; i <= cuts; ++i)
                for (int j = 0; j <= cuts; ++j)
                    for (int k = 0; k <= (dim == 3 ? cuts : 0); ++k) {
                        double lower[3] = {at[0][i], at[1][j], at[2][k]},
                               upper[3] = {at[0][i + 1], at[1][j + 1], at[2][k + 1]};
                        double share = scree_sphere_box_share(dim, x, 1.0, lower, upper);
                        sum += share;
                        double turned_lower[3] = {lower[dim - 1], lower[0], lower[1]};
                        double turned_upper[3] = {upper[dim - 1], upper[0], upper[1]};
                        CHECK_CLOSE(scree_sphere_box_share(dim, x, 1.0, turned_lower, turned_upper), share, 3e-15);
                        double mirrored_lower[3] = {-upper[0], lower[1], -upper[2]},
                               mirrored_upper[3] = {-lower[0], upper[1], -lower[2]};
                        CHECK_CLOSE(scree_sphere_box_share(dim, x, 1.0, mirrored_lower, mirrored_upper), share, 3e-15);
                        for (int e = 0; e < 3; ++e) {
                            lower[e] = 8.0 + 4.0 * lower[e];
                            upper[e] = 8.0 + 4.0 * upper[e];
                        }
                        CHECK_CLOSE(scree_sphere_box_share(dim, (double[3]){8.0, 8.0, 8.0}, 4.0, lower, upper), share,
                                    3e-15);
                    }
            CHECK_CLOSE(sum, 1.0, 4e-14);
        }
}

// The same by darts.
static void shares_by_monte_carlo(void** state)
{
    (void)state;
    scree_rng rng = scree_rng_make(6, 0);
    for (int round = 0; round < 12; ++round) {
        int dim = 2 + round % 2;
        double lower[3], upper[3], x[3], r = 0.5 + scree_rng_uniform(&rng);
        for (int k = 0; k < 3; ++k) {
            x[k] = scree_rng_uniform(&rng);
            lower[k] = x[k] - r * scree_rng_uniform(&rng);
            upper[k] = x[k] + r * (1.2 * scree_rng_uniform(&rng) - 0.2 > 0.0 ? scree_rng_uniform(&rng) : 1.5);
        }
        int64_t in = 0, both = 0;
        while (in < 100000) {
            double square = 0.0;
            bool inside = true;
            for (int k = 0; k < dim; ++k) {
                double t = r * (2.0 * scree_rng_uniform(&rng) - 1.0);
                square += t * t;
                inside = inside && x[k] + t > lower[k] && x[k] + t < upper[k];
            }
            in += square < r * r;
            both += square < r * r && inside;
        }
        double share = scree_sphere_box_share(dim, x, r, lower, upper);
        CHECK_CLOSE((double)both / 100000.0, share, 5.0 * sqrt(share * (1.0 - share) / 100000.0) + 1e-12);
    }
}

static void lenses(void** state)
{
    (void)state;
    scree_rng rng = scree_rng_make(8, 0);
    for (int round = 0; round < 4000; ++round) {
        int dim = 2 + round % 2;
        double a = 0.1 + scree_rng_uniform(&rng), b = a * pow(10.0, 2.0 * scree_rng_uniform(&rng) - 1.0);
        double small = fmin(a, b), gap = -2.2 * small * scree_rng_uniform(&rng);
        double ball = dim == 2 ? pi * small * small : 4.0 / 3.0 * pi * small * small * small;
        double wanted = (double)lens(dim, a, b, (long double)a + b + gap) / ball;
        CHECK_CLOSE(scree_lens_share(dim, a, b, gap), wanted, 1e-13);
    }
    for (int dim = 2; dim <= 3; ++dim) {
        CHECK_CLOSE(scree_lens_share(dim, 1.0, 2.0, 0.0), 0.0, 0.0);
        CHECK_CLOSE(scree_lens_share(dim, 1.0, 2.0, 0.5), 0.0, 0.0);
        CHECK_CLOSE(scree_lens_share(dim, 1.0, 2.0, -2.0), 1.0, 0.0);
        CHECK_CLOSE(scree_lens_share(dim, 1.0, 1.0, -2.0), 1.0, 0.0);
        CHECK_CLOSE(scree_lens_share(dim, 0.0, 1.0, -0.5), 1.0, 0.0);
        CHECK_CLOSE(scree_lens_share(dim, 1e-140, 1e140, -1e-140), 0.5, 1e-12);  // half under a plane
    }
    // Two equal spheres that barely touch: 3/8 d^2 and 4/(3 pi) d^(3/2), and the next term.
    for (double overlap = 1e-3; overlap > 1e-14; overlap *= 0.1) {
        CHECK_CLOSE(scree_lens_share(3, 1.0, 1.0, -overlap) / (0.375 * overlap * overlap), 1.0 - overlap / 6.0, 1e-12);
        CHECK_CLOSE(scree_lens_share(2, 1.0, 1.0, -overlap) / (4.0 / (3.0 * pi) * pow(overlap, 1.5)),
                    1.0 - 0.075 * overlap, 2e-7);
    }
}

static const test_case cases[] = {
    UNIT(shares_with_known_answers),
    PROPERTY(shares_of_a_partition_add_up),
    UNIT(shares_by_monte_carlo),
    UNIT(lenses),
};

const test_group group_measure_shares = {.name = "measure_shares", .cases = cases, .count = sizeof cases / sizeof *cases, .begin = make_folder, .end = remove_folder};
