// measure: every number against a second, naive implementation written here, and against closed forms.
#include "file_support.h"

#include "scenes.h"
#include "scree/files.h"
#include "scree/measure.h"

#include "files/output.h"
#include "measure/measured.h"

#include <errno.h>
#include <unistd.h>

static const double pi = 3.14159265358979323846;

static scree_measure_def def_of(const scree_box* box)
{
    scree_measure_def def = scree_default_measure_def();
    def.box = *box;
    def.threads = 1;
    return def;
}

static scree_measures measure(const scree_measure_def* def, scree_spheres spheres)
{
    scree_measures m;
    CHECK_OK(scree_measure(def, spheres, &m));
    return m;
}

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

// The usual formulas, which lose digits for small overlaps.
static long double lens(int dim, long double a, long double b, long double d)
{
    const long double l_pi = 3.14159265358979323846264338327950288L;
    if (d >= a + b)
        return 0.0L;
    if (d <= fabsl(a - b)) {
        long double r = fminl(a, b);
        return dim == 2 ? l_pi * r * r : 4.0L / 3.0L * l_pi * r * r * r;
    }
    if (dim == 3)
        return l_pi * (a + b - d) * (a + b - d) * (d * d + 2.0L * d * (a + b) - 3.0L * (a - b) * (a - b)) / (12.0L * d);
    return a * a * acosl((d * d + a * a - b * b) / (2.0L * d * a)) +
           b * b * acosl((d * d + b * b - a * a) / (2.0L * d * b)) -
           0.5L * sqrtl((a + b - d) * (d + a - b) * (d + b - a) * (d + a + b));
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

// ---- The second implementation -----------------------------------------------------------------------------------
// No structure, long doubles, a loop over images that is too wide. What lies nearer to a threshold than rounding could tell
// is counted as unsure.

typedef struct naive {
    int64_t near, near_unsure, contacts, contacts_unsure, walls, walls_unsure;
    int64_t* partners;
    int32_t rattlers;
    int64_t backbone_near;
    long double max_overlap, sum_overlap, max_relative, sum_relative, lenses;
    int64_t* pairs;   // by bins of g(r)
    int64_t* unsure;  // at the lower edge of each bin, and the last
    long double* nearest;
} naive;

static void forget(naive* s)
{
    free(s->partners);
    free(s->pairs);
    free(s->unsure);
    free(s->nearest);
}

static naive naive_pairs(scree_spheres s, const scree_box* box, double gap, const scree_pair_distribution* gr)
{
    naive out = {.partners = calloc((size_t)s.count + 1, sizeof(int64_t)),
                 .pairs = calloc((size_t)gr->bins + 1, sizeof(int64_t)),
                 .unsure = calloc((size_t)gr->bins + 2, sizeof(int64_t)),
                 .nearest = malloc(((size_t)s.count + 1) * sizeof(long double))};
    uint8_t* near = calloc((size_t)s.count * (size_t)s.count + 1, 1);  // how many near images of j are at i
    uint8_t* gone = calloc((size_t)s.count + 1, 1);
    int64_t* held = calloc((size_t)s.count + 1, sizeof *held);
    int range[3] = {0, 0, 0};
    long double length[3] = {0.0L, 0.0L, 0.0L}, largest = 0.0L;
    for (int k = 0; k < s.dim; ++k) {
        length[k] = (long double)box->upper[k] - (long double)box->lower[k];
        largest = fmaxl(largest, fmaxl(fabsl(box->lower[k]), fabsl(box->upper[k])));
        double reach = fmax(gr->r_max, gap);
        for (int i = 0; i < s.count; ++i)
            reach = fmax(reach, 2.0 * s.r[i] + gap);
        if (box->periodic[k])
            range[k] = 1 + (int)ceill(reach / length[k]);
    }
    long double band = 1e-13L * (largest + 4.0L * gr->r_max);
    for (int i = 0; i < s.count; ++i)
        out.nearest[i] = INFINITY;
    for (int i = 0; i < s.count; ++i)
        for (int j = 0; j < s.count; ++j)
            for (int a = -range[0]; a <= range[0]; ++a)
                for (int b = -range[1]; b <= range[1]; ++b)
                    for (int c = -range[2]; c <= range[2]; ++c) {
                        if (i == j && a == 0 && b == 0 && c == 0)
                            continue;
                        int shift[3] = {a, b, c};
                        long double square = 0.0L;
                        for (int k = 0; k < s.dim; ++k) {
                            long double xi = s.x[i * s.dim + k], xj = s.x[j * s.dim + k];
                            if (box->periodic[k]) {
                                xi -= length[k] * floorl((xi - box->lower[k]) / length[k]);
                                xj -= length[k] * floorl((xj - box->lower[k]) / length[k]);
                            }
                            long double d = xi - xj - shift[k] * length[k];
                            square += d * d;
                        }
                        long double reach = (long double)s.r[i] + (long double)s.r[j], distance = sqrtl(square);
                        long double here = distance - reach;
                        out.nearest[i] = fminl(out.nearest[i], here);
                        // From here on pairs, each twice: (i, j, s) and (j, i, -s).
                        bool possible = reach + gap > 0.0L;
                        if (possible && fabsl(here - gap) < band)
                            ++out.near_unsure;
                        else if (possible && here < gap) {
                            ++out.near;
                            ++out.partners[i];
                            ++near[i * s.count + j];
                        }
                        if (reach > 0.0L && fabsl(here) < band) {
                            ++out.contacts_unsure;
                        } else if (reach > 0.0L && here < 0.0L) {
                            long double small = fminl(s.r[i], s.r[j]);
                            ++out.contacts;
                            out.sum_overlap -= here;
                            out.max_overlap = fmaxl(out.max_overlap, -here);
                            if (small > 0.0L) {
                                out.max_relative = fmaxl(out.max_relative, -here / (long double)small);
                                out.sum_relative -= here / (long double)small;
                                out.lenses += 0.5L * lens(s.dim, s.r[i], s.r[j], distance);
                            }
                        }
                        if (i == j)
                            continue;
                        for (int bin = 0; bin <= gr->bins; ++bin) {
                            if (fabsl(distance - gr->r[bin]) < band)
                                ++out.unsure[bin];
                            else if (bin < gr->bins && distance > gr->r[bin] && distance < gr->r[bin + 1] &&
                                     fabsl(distance - gr->r[bin + 1]) >= band)
                                ++out.pairs[bin];
                        }
                    }
    out.near /= 2;
    out.near_unsure /= 2;
    out.contacts /= 2;
    out.contacts_unsure /= 2;
    for (int i = 0; i < s.count; ++i) {
        held[i] = out.partners[i];
        for (int k = 0; k < s.dim; ++k)
            for (int side = 0; side < 2 && !box->periodic[k]; ++side) {
                long double x = s.x[i * s.dim + k];
                long double here = (side ? box->upper[k] - x : x - box->lower[k]) - s.r[i];
                if (fabsl(here - gap) < band)
                    ++out.walls_unsure;
                else if (here < gap) {
                    ++out.walls;
                    ++held[i];
                }
            }
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (int i = 0; i < s.count; ++i)
            if (!gone[i] && held[i] < s.dim + 1) {
                gone[i] = 1;
                changed = true;
                ++out.rattlers;
                for (int j = 0; j < s.count; ++j)
                    held[j] -= near[i * s.count + j];
            }
    }
    for (int i = 0; i < s.count; ++i)
        for (int j = 0; j < s.count; ++j)
            if (!gone[i] && !gone[j])
                out.backbone_near += near[i * s.count + j];
    out.backbone_near /= 2;
    free(near);
    free(gone);
    free(held);
    return out;
}

// Share of a sphere in a box, by slices of slices: midpoints in the angles whose sines are z and y, from face to face.
static double angle(double t)
{
    return asin(fmax(-1.0, fmin(1.0, t)));
}

static double naive_share(int dim, const double* x, double r, const double* lower, const double* upper)
{
    enum { steps = 128 };
    double sum = 0.0;
    bool cut = false;
    for (int k = 0; k < dim; ++k)
        cut = cut || x[k] - r < lower[k] || x[k] + r > upper[k];
    if (!cut || r == 0.0)
        return 1.0;
    double t0 = dim == 3 ? angle((lower[2] - x[2]) / r) : 0.0, t1 = dim == 3 ? angle((upper[2] - x[2]) / r) : 0.0;
    for (int a = 0; a < (dim == 3 ? steps : 1); ++a) {
        double t = t0 + (t1 - t0) * (a + 0.5) / steps, p = r * cos(t);
        double u0 = angle((lower[1] - x[1]) / p), u1 = angle((upper[1] - x[1]) / p);
        for (int b = 0; b < steps; ++b) {
            double u = u0 + (u1 - u0) * (b + 0.5) / steps, half = p * cos(u);
            double length = fmin(half, upper[0] - x[0]) - fmax(-half, lower[0] - x[0]);
            sum += fmax(0.0, length) * half * (u1 - u0) / steps * (dim == 3 ? p * (t1 - t0) / steps : 1.0);
        }
    }
    return sum / (dim == 2 ? pi * r * r : 4.0 / 3.0 * pi * r * r * r);
}

static double naive_density(scree_spheres s, const scree_box* box, double margin)
{
    double lower[3], upper[3], volume = 1.0, sum = 0.0;
    for (int k = 0; k < s.dim; ++k) {
        lower[k] = box->periodic[k] ? -1e30 : box->lower[k] + margin;
        upper[k] = box->periodic[k] ? 1e30 : box->upper[k] - margin;
        volume *= box->upper[k] - box->lower[k] - (box->periodic[k] ? 0.0 : 2.0 * margin);
    }
    for (int i = 0; i < s.count; ++i) {
        double r = s.r[i];
        sum += (s.dim == 2 ? pi * r * r : 4.0 / 3.0 * pi * r * r * r) *
               naive_share(s.dim, s.x + i * s.dim, r, lower, upper);
    }
    return sum / volume;
}

static void within(const char* where, const char* what, int64_t found, int64_t least, int64_t unsure)
{
    if (found < least || found > least + unsure)
        fail_msg("%s: %s is %lld, and should be %lld (+%lld unsure)", where, what, (long long)found, (long long)least,
                 (long long)unsure);
}

static void close_to(const char* where, const char* what, double found, double wanted, double tolerance)
{
    if (!(fabs(found - wanted) <= tolerance))
        fail_msg("%s: %s is %.17g, and should be %.17g; off by %g, allowed %g", where, what, found, wanted,
                 found - wanted, tolerance);
}

static void check_sizes(const char* where, scree_spheres s, const scree_measures* m)
{
    const scree_size_curve* curve = &m->size_curve;
    double all = 0.0;
    for (int i = 0; i < s.count; ++i)
        all += pow(s.r[i], s.dim);
    for (int row = 0; row < curve->rows; ++row) {
        double number = 0.0, mass = 0.0;
        for (int i = 0; i < s.count; ++i)
            if (2.0 * s.r[i] <= curve->d[row]) {
                number += 1.0;
                mass += pow(s.r[i], s.dim);
            }
        close_to(where, "share by number", curve->by_number[row], number / s.count, 1e-15);
        close_to(where, "share by mass", curve->by_mass[row], all > 0.0 ? mass / all : 0.0, 1e-12);
        assert_true(row == 0 || curve->d[row] > curve->d[row - 1]);
    }
    assert_int_equal(curve->rows > 0, s.count > 0);
    if (s.count > 0) {
        close_to(where, "first row", curve->d[0], m->diameter_min, 0.0);
        close_to(where, "last row", curve->d[curve->rows - 1], m->diameter_max, 0.0);
        close_to(where, "last share", curve->by_number[curve->rows - 1], 1.0, 0.0);
    }
}

static void check_nearest(const char* where, scree_spheres s, const scree_nearest* near, const naive* reference,
                          double scale)
{
    int64_t sum = near->beyond;
    for (int i = 0; i < s.count; ++i)
        if (isinf((double)reference->nearest[i]))
            assert_true(isinf(near->gap[i]));
        else
            close_to(where, "nearest gap", near->gap[i], (double)reference->nearest[i], 1e-13 * scale);
    for (int b = 0; b < near->bins; ++b) {
        int64_t number = 0;
        for (int i = 0; i < s.count; ++i)
            number += near->gap[i] >= near->edge[b] && near->gap[i] < near->edge[b + 1];
        within(where, "histogram of gaps", near->number[b], number, 0);
        sum += number;
    }
    within(where, "spheres in the histogram", sum, s.count, 0);
}

static void check_contacts(const char* where, scree_spheres s, const scree_box* box, const scree_contact_counts* c,
                           const naive* reference, double scale)
{
    double volume = scree_box_volume(box);
    within(where, "near", c->near, reference->near, reference->near_unsure);
    within(where, "contacts", c->contacts, reference->contacts, reference->contacts_unsure);
    within(where, "wall contacts", c->wall_contacts, reference->walls, reference->walls_unsure);
    close_to(where, "coordination", c->coordination, s.count > 0 ? 2.0 * (double)c->near / s.count : 0.0, 1e-15);
    int64_t partners = 0, rattlers = 0;
    for (int i = 0; i < s.count; ++i) {
        partners += c->partners[i];
        rattlers += c->rattler[i];
        if (reference->near_unsure == 0)
            within(where, "partners", c->partners[i], reference->partners[i], 0);
    }
    within(where, "sum of partners", partners, 2 * c->near, 0);
    within(where, "sum of rattlers", rattlers, c->rattlers, 0);
    if (reference->near_unsure == 0 && reference->walls_unsure == 0) {
        within(where, "rattlers", c->rattlers, reference->rattlers, 0);
        within(where, "backbone pairs", c->backbone_near, reference->backbone_near, 0);
        int32_t left = s.count - reference->rattlers;
        close_to(where, "backbone", c->backbone_coordination,
                 left > 0 ? 2.0 * (double)reference->backbone_near / left : 0.0, 1e-15);
    }
    close_to(where, "max overlap", c->max_overlap, (double)reference->max_overlap, 1e-13 * scale);
    close_to(where, "sum of overlaps", c->mean_overlap * (double)c->contacts, 0.5 * (double)reference->sum_overlap,
             1e-11 * scale * (double)(c->contacts + 1));
    if (reference->contacts_unsure == 0) {
        close_to(where, "max relative overlap", c->max_overlap_relative, (double)reference->max_relative, 1e-9 * scale);
        close_to(where, "mean overlap", c->mean_overlap,
                 c->contacts > 0 ? 0.5 * (double)reference->sum_overlap / (double)c->contacts : 0.0, 1e-11 * scale);
    }
    if (volume > 0.0)
        close_to(where, "lenses", c->overlap_share, (double)reference->lenses / volume, 1e-9 * (1.0 + c->overlap_share));
    if (c->max_i >= 0)
        close_to(where, "gap of the pair named", scree_pair_gap(box, s, c->max_i, c->max_j, c->max_shift),
                 -c->max_overlap, 1e-13 * scale);
    assert_int_equal(c->max_i >= 0, c->contacts > 0);
}

static void check_case(const char* where, scree_spheres s, const scree_measure_def* def)
{
    const scree_box* box = &def->box;
    scree_measures m = measure(def, s);
    naive reference = naive_pairs(s, box, m.contacts.gap, &m.g_r);
    double scale = m.diameter_max + m.g_r.r_max, d_sum = 0.0;
    for (int k = 0; k < s.dim; ++k)
        scale = fmax(scale, fmax(fabs(box->lower[k]), fabs(box->upper[k])));
    check_contacts(where, s, box, &m.contacts, &reference, scale);
    check_nearest(where, s, &m.nearest_gaps, &reference, scale);
    check_sizes(where, s, &m);
    for (int b = 0; b < m.g_r.bins; ++b) {
        int64_t least = reference.pairs[b] / 2, unsure = (reference.unsure[b] + reference.unsure[b + 1]) / 2;
        within(where, "pairs in a bin of g(r)", m.g_r.pairs[b], least, unsure);
        double ideal = m.g_r.ideal[b];
        close_to(where, "g", m.g_r.g[b], ideal > 0.0 ? (double)m.g_r.pairs[b] / ideal : 0.0,
                 0.0);
    }
    close_to(where, "density", m.density.whole, naive_density(s, box, 0.0), 1e-3 * (1e-9 + m.density.whole));
    double inner = 1.0;
    for (int k = 0; k < s.dim; ++k)
        inner *= box->periodic[k] ? 1.0 : 1.0 - 2.0 * m.density.margin / (box->upper[k] - box->lower[k]);
    close_to(where, "inner density", m.density.inner, naive_density(s, box, m.density.margin),
             1e-3 * (1e-9 + m.density.whole) / inner);
    close_to(where, "corrected density", m.density_corrected, m.density.whole - m.contacts.overlap_share, 1e-15);
    for (int i = 0; i < s.count; ++i)
        d_sum += 2.0 * s.r[i];
    close_to(where, "mean diameter", m.diameter_mean, s.count > 0 ? d_sum / s.count : 0.0, 1e-12 * m.diameter_max);
    if (isnan(def->gap))
        close_to(where, "default gap", m.contacts.gap, 1e-3 * m.diameter_mean, 1e-15 * m.diameter_mean);
    forget(&reference);
    scree_measures_free(&m);
}

static void everything_agrees_with_the_naive_way(void** state)
{
    (void)state;
    static const double ratios[] = {1.0, 2.0, 10.0, 50.0};
    static const double gaps[] = {NAN, 0.0, 0.1, 1.0, -0.1};
    static const int32_t counts[] = {0, 1, 2, 7, 20, 45};
    int64_t rounds = (int64_t)(330 * test_effort());
    scree_rng rng = scree_rng_make(2027, 0);
    for (int64_t round = 0; round < rounds; ++round) {
        const scene* sc = &scene_table[round % scene_count];
        scene_params params = scene_default_params();
        params.dim = 2 + (int32_t)(round / scene_count % 2);
        params.count = counts[scree_rng_below(&rng, 6)];
        params.ratio = ratios[scree_rng_below(&rng, 4)];
        for (int k = 0; k < params.dim; ++k)
            params.periodic[k] = scree_rng_below(&rng, 2) == 1;
        params.seed = (uint64_t)round;
        if (strcmp(sc->name, "addition") == 0) {
            params.ratio = fmin(params.ratio, 2.0);  // so few cannot fill a box around a large one
            params.count = 60;
        }
        scree_sphere_set set;
        CHECK_OK(sc->make(&params, &set));
        scree_measure_def def = def_of(&set.box);
        def.gap = gaps[scree_rng_below(&rng, 5)];
        def.threads = 1 + (int32_t)scree_rng_below(&rng, 3);
        def.r_bins = 1 + (int32_t)scree_rng_below(&rng, 40);
        def.nearest_bins = 1 + (int32_t)scree_rng_below(&rng, 40);
        def.size_rows = 2 + (int32_t)scree_rng_below(&rng, 40);
        if (round % 3 == 0)
            def.r_max = set.box.upper[0] * (0.2 + 1.2 * scree_rng_uniform(&rng));  // beyond half the box, and beyond it
        if (round % 4 == 0)
            def.margin = 0.3 * set.box.upper[0] * scree_rng_uniform(&rng);
        if (round % 5 == 0)
            def.method = SCREE_METHOD_ALL_PAIRS;
        // Some centres some boxes away on periodic axes.
        for (int64_t i = 0; i < set.count && round % 2 == 0; ++i)
            for (int k = 0; k < set.dim; ++k)
                if (set.box.periodic[k])
                    set.x[i * set.dim + k] += set.box.upper[k] * ((double)scree_rng_below(&rng, 5) - 2.0);
        char where[200];
        snprintf(where, sizeof where, "round %lld: scene %s, n %d, dim %d, ratio %g, periodic %d%d%d, gap %g",
                 (long long)round, sc->name, set.count, set.dim, params.ratio, params.periodic[0], params.periodic[1],
                 params.periodic[2], def.gap);
        check_case(where, scree_sphere_set_view(&set), &def);
        scree_sphere_set_free(&set);
    }
}

// ---- Closed forms ------------------------------------------------------------------------------------------------

static void cubic_lattice(void** state)
{
    (void)state;
    for (int32_t side = 1; side <= 6; ++side) {
        scree_sphere_set set;
        scene_params params = scene_default_params();
        params.count = side * side * side;
        params.periodic[0] = params.periodic[1] = params.periodic[2] = true;
        CHECK_OK(scene_make("lattice", &params, &set));
        scree_measure_def def = def_of(&set.box);
        def.r_max = 1.83;  // bins of 0.03, with 1, sqrt 2 and sqrt 3 well inside one each
        def.r_bins = 61;
        scree_measures m = measure(&def, scree_sphere_set_view(&set));
        CHECK_CLOSE(m.density.whole, pi / 6.0, 1e-14);
        CHECK_CLOSE(m.density.inner, pi / 6.0, 1e-14);
        CHECK_CLOSE(m.density.margin, 0.0, 0.0);
        CHECK_CLOSE(m.contacts.coordination, 6.0, 0.0);  // through images, too, and of itself
        CHECK_CLOSE(m.contacts.backbone_coordination, 6.0, 0.0);
        assert_int_equal(m.contacts.rattlers, 0);
        assert_int_equal(m.contacts.contacts, 0);  // they touch exactly
        CHECK_CLOSE(m.nearest_gaps.most, 0.0, 1e-15);
        int64_t others = 0;
        for (int b = 0; b < 61; ++b)
            if (b != 33 && b != 47 && b != 57)
                others += m.g_r.pairs[b];
        assert_int_equal(others, 0);
        if (side >= 3) {  // in smaller boxes some of these are own images
            assert_int_equal(2 * m.g_r.pairs[33], 6 * m.n);
            assert_int_equal(2 * m.g_r.pairs[47], 12 * m.n);
            assert_int_equal(2 * m.g_r.pairs[57], 8 * m.n);
            double shell = 4.0 / 3.0 * pi * (pow(m.g_r.r[34], 3.0) - pow(m.g_r.r[33], 3.0));
            CHECK_CLOSE(m.g_r.g[33], 6.0 / (shell * (m.n - 1) / m.n), 1e-9);
        }
        scree_measures_free(&m);
        scree_sphere_set_free(&set);
    }
}

static void face_centred_lattice(void** state)
{
    (void)state;
    enum { side = 3, n = 4 * side * side * side };
    static const double basis[4][3] = {{0.0, 0.0, 0.0}, {0.5, 0.5, 0.0}, {0.5, 0.0, 0.5}, {0.0, 0.5, 0.5}};
    double x[3 * n], r[n];
    for (int i = 0; i < n; ++i) {
        int cell[3] = {i / 4 % side, i / 4 / side % side, i / 4 / side / side};
        for (int k = 0; k < 3; ++k)
            x[3 * i + k] = cell[k] + basis[i % 4][k];
        r[i] = sqrt(0.125);
    }
    scree_box box = scree_box_sized(3, (double[]){side, side, side});
    box.periodic[0] = box.periodic[1] = box.periodic[2] = true;
    scree_measure_def def = def_of(&box);
    scree_measures m = measure(&def, (scree_spheres){.count = n, .dim = 3, .x = x, .r = r});
    CHECK_CLOSE(m.density.whole, pi / sqrt(18.0), 1e-13);
    CHECK_CLOSE(m.density.whole, 0.74048, 1e-5);
    CHECK_CLOSE(m.contacts.coordination, 12.0, 0.0);
    CHECK_CLOSE(m.contacts.backbone_coordination, 12.0, 0.0);
    assert_int_equal(m.size_curve.rows, 1);
    scree_measures_free(&m);
}

// The expected number of pairs: as a whole, and shell by shell by slow sums over directions.
static void covariograms(void** state)
{
    (void)state;
    for (int dim = 2; dim <= 3; ++dim) {
        double none[3] = {0.0, 0.0, 0.0};
        CHECK_CLOSE(covariogram_ball(dim, none), dim == 2 ? pi : 4.0 / 3.0 * pi, 1e-14);
        // Where all vectors of the box are in the ball the integral is the box' volume; also in a flat and a long box.
        double all[][3] = {{2.0, 2.0, 2.0}, {1.5, 20.0, 3.0}, {1.5, 3.0, 20.0}, {30.0, 1.6, 2.5}, {300.0, 200.0, 1.01}};
        for (int t = 0; t < 5; ++t)
            CHECK_CLOSE(covariogram_ball(dim, all[t]) * all[t][0] * all[t][1] * (dim == 3 ? all[t][2] : 1.0), 1.0,
                        1e-12);
        // Walls so far away that they are hardly seen, and continuity where the closed form ends.
        double above[3] = {1.0 + 1e-12, 0.7, 1.0}, below[3] = {1.0, 0.7, 1.0};
        CHECK_CLOSE(covariogram_ball(dim, above), covariogram_ball(dim, below), 1e-11);
        // Axes mean nothing.
        double turned[3] = {0.3, 1.7, 1.2}, back[3] = {1.7, 1.2, 0.3};
        if (dim == 3)
            CHECK_CLOSE(covariogram_ball(3, turned), covariogram_ball(3, back), 1e-13);
    }
    scree_rng rng = scree_rng_make(9, 0);
    for (int round = 0; round < 12; ++round) {
        int dim = 2 + round % 2;
        double c[3], sum = 0.0;
        for (int k = 0; k < 3; ++k)
            c[k] = scree_rng_below(&rng, 4) == 0 ? 0.0 : 2.0 * scree_rng_uniform(&rng);
        enum { steps = 120 };
        double h = 1.0 / steps;
        for (int a = 0; a < steps; ++a)  // midpoints of the positive octant in polar coordinates
            for (int b = 0; b < steps; ++b)
                for (int e = 0; e < (dim == 3 ? steps : 1); ++e) {
                    double p = (a + 0.5) * h, phi = 0.5 * pi * (b + 0.5) * h, u = dim == 3 ? (e + 0.5) * h : 0.0;
                    double across = p * sqrt(1.0 - u * u), t[3] = {across * cos(phi), across * sin(phi), p * u},
                           product = 1.0;
                    for (int k = 0; k < dim; ++k)
                        product *= fmax(0.0, 1.0 - t[k] * c[k]);
                    sum += product * (dim == 3 ? p * p : p) * 0.5 * pi * (dim == 3 ? h * h * h * 8.0 : h * h * 4.0);
                }
        CHECK_CLOSE(covariogram_ball(dim, c), sum, 1e-3);
    }
}

// Points without order have g = 1, whatever the box, also beyond its shortest side.
static void an_ideal_gas_has_no_structure(void** state)
{
    (void)state;
    enum { n = 1500, seeds = 8, bins = 12 };
    static double x[3 * n], r[n];
    static const struct {
        double size[3];
        bool periodic[3];
        double r_max;
    } cases[] = {{{1.0, 1.0, 1.0}, {false, false, false}, 1.75},
                 {{1.0, 1.0, 1.0}, {true, true, true}, 0.9},
                 {{0.5, 1.0, 3.0}, {false, true, false}, 1.2},
                 {{2.0, 0.4, 1.0}, {true, false, true}, 0.7},
                 {{0.6, 0.3, 1.0}, {false, false, true}, 0.5}};
    for (int dim = 2; dim <= 3; ++dim)
        for (int t = 0; t < 5; t += test_is_small() ? 2 : 1) {
            scree_box box = scree_box_sized(dim, cases[t].size);
            memcpy(box.periodic, cases[t].periodic, sizeof box.periodic);
            scree_measure_def def = def_of(&box);
            def.r_max = cases[t].r_max;
            def.r_bins = bins;
            double pairs[bins] = {0.0}, ideal[bins] = {0.0}, total = 0.0;
            for (uint64_t seed = 0; seed < seeds; ++seed) {
                scree_rng rng = scree_rng_make(seed, (uint64_t)t);
                for (int i = 0; i < n; ++i)
                    for (int k = 0; k < dim; ++k)
                        x[i * dim + k] = box.upper[k] * scree_rng_uniform(&rng);
                scree_pair_distribution gr;
                CHECK_OK(scree_measure_pair_distribution(&def, (scree_spheres){.count = n, .dim = dim, .x = x, .r = r},
                                                         &gr));
                for (int b = 0; b < bins; ++b) {
                    pairs[b] += (double)gr.pairs[b];
                    ideal[b] += gr.ideal[b];
                    total += gr.ideal[b] / seeds;
                }
                scree_pair_distribution_free(&gr);
            }
            // Chance: that of the pairs, and at walls that of where the points happen to lie.
            bool walls = false;
            for (int k = 0; k < dim; ++k)
                walls = walls || !box.periodic[k];
            for (int b = 0; b < bins; ++b)
                if (fabs(pairs[b] - ideal[b]) >
                    5.0 * sqrt(ideal[b]) + (walls ? 6.0 / sqrt(n * seeds) * (b + 1) / bins : 0.0) * ideal[b] + 1e-6)
                    fail_msg("dim %d, box %d, bin %d: %g pairs, %g in an ideal gas", dim, t, b, pairs[b], ideal[b]);
            if (t == 0)  // all pairs of the box
                CHECK_CLOSE(total, 0.5 * n * (n - 1.0), 1e-4);
        }
}

// Distances that are an edge to the last bit belong to the bin that begins there, those a bit below to the one before.
static void edges_belong_to_the_bin_above(void** state)
{
    (void)state;
    double x[4] = {0.0, 0.5, 0.0, 0.5}, r[2] = {0.0, 0.0};
    scree_box box = scree_box_sized(2, (double[]){1.0, 1.0});
    scree_measure_def def = def_of(&box);
    for (def.r_bins = 1; def.r_bins < 200; def.r_bins += 7) {
        def.r_max = 0.7 + 0.001 * def.r_bins;
        scree_pair_distribution gr;
        double edge[201];
        CHECK_OK(scree_measure_pair_distribution(&def, (scree_spheres){.count = 2, .dim = 2, .x = x, .r = r}, &gr));
        memcpy(edge, gr.r, (size_t)(def.r_bins + 1) * sizeof *edge);
        scree_pair_distribution_free(&gr);
        for (int32_t b = 0; b <= def.r_bins; ++b)
            for (int below = 0; below < 2 && (b > 0 || !below); ++below) {
                x[2] = below ? nextafter(edge[b], 0.0) : edge[b];
                CHECK_OK(
                    scree_measure_pair_distribution(&def, (scree_spheres){.count = 2, .dim = 2, .x = x, .r = r}, &gr));
                for (int32_t k = 0; k < def.r_bins; ++k)
                    assert_int_equal(gr.pairs[k], k == b - below);
                scree_pair_distribution_free(&gr);
            }
    }
}

static void densities_by_hand(void** state)
{
    (void)state;
    scree_density density;
    scree_box box = scree_box_sized(3, (double[]){4.0, 4.0, 4.0});
    scree_measure_def def = def_of(&box);
    double x[3] = {2.0, 2.0, 2.0}, r[1] = {1.0};
    scree_spheres one = {.count = 1, .dim = 3, .x = x, .r = r};
    CHECK_OK(scree_measure_density(&def, one, &density));  // the inner box is the cube around the sphere
    CHECK_CLOSE(density.margin, 1.0, 0.0);
    CHECK_CLOSE(density.whole, pi / 48.0, 1e-16);
    CHECK_CLOSE(density.inner, pi / 6.0, 1e-15);
    x[0] = 0.0;  // half outside; an eighth; and on a periodic face nothing is lost
    CHECK_OK(scree_measure_density(&def, one, &density));
    CHECK_CLOSE(density.whole, pi / 96.0, 1e-16);
    CHECK_CLOSE(density.inner, 0.0, 0.0);
    x[1] = x[2] = 4.0;
    CHECK_OK(scree_measure_density(&def, one, &density));
    CHECK_CLOSE(density.whole, pi / 48.0 / 8.0, 1e-16);
    def.box.periodic[0] = def.box.periodic[1] = true;
    CHECK_OK(scree_measure_density(&def, one, &density));
    CHECK_CLOSE(density.whole, pi / 96.0, 1e-16);
    CHECK_CLOSE(density.margin, 1.0, 0.0);
    def.box.periodic[2] = true;
    CHECK_OK(scree_measure_density(&def, one, &density));
    CHECK_CLOSE(density.whole, pi / 48.0, 1e-16);
    CHECK_CLOSE(density.inner, density.whole, 0.0);
    CHECK_CLOSE(density.margin, 0.0, 0.0);

    // Two that overlap: the lens counts twice, and once after the correction.
    double y[6] = {2.0, 2.0, 2.0, 3.0, 2.0, 2.0}, s[2] = {1.0, 1.0};
    scree_measures m = measure(&def, (scree_spheres){.count = 2, .dim = 3, .x = y, .r = s});
    CHECK_CLOSE(m.density.whole, pi / 24.0, 1e-16);
    CHECK_CLOSE(m.density_corrected, (8.0 / 3.0 * pi - 5.0 / 12.0 * pi) / 64.0, 1e-15);
    CHECK_CLOSE(m.contacts.max_overlap, 1.0, 1e-15);
    CHECK_CLOSE(m.contacts.max_overlap_relative, 1.0, 1e-15);  // over the radius, as in simulations
    assert_int_equal(m.contacts.max_i, 0);
    assert_int_equal(m.contacts.max_j, 1);
    scree_measures_free(&m);
}

static void rattlers_by_hand(void** state)
{
    (void)state;
    // A, B, C, D hold each other. E leans on A, B and F; F only on E and A, so it goes, and then E.
    double x[] = {0.3, 0.0, 0.2, 0.1, -0.3, 0.0, -0.3, -0.1, 1.3, 0.03, 1.35, 0.25},
           r[] = {1.0, 1.0, 1.0, 1.0, 0.15, 0.1};
    scree_box box = {.dim = 2, .lower = {-9.0, -9.0}, .upper = {9.0, 9.0}};
    scree_measure_def def = def_of(&box);
    def.gap = 0.0;
    scree_contact_counts c;
    CHECK_OK(scree_measure_contacts(&def, (scree_spheres){.count = 6, .dim = 2, .x = x, .r = r}, &c));
    static const int64_t partners[] = {5, 4, 3, 3, 3, 2};
    static const uint8_t rattler[] = {0, 0, 0, 0, 1, 1};
    for (int i = 0; i < 6; ++i) {
        assert_int_equal(c.partners[i], partners[i]);
        assert_int_equal(c.rattler[i], rattler[i]);
    }
    assert_int_equal(c.near, 10);
    assert_int_equal(c.rattlers, 2);
    assert_int_equal(c.backbone_near, 6);
    CHECK_CLOSE(c.coordination, 20.0 / 6.0, 1e-15);
    CHECK_CLOSE(c.backbone_coordination, 3.0, 0.0);
    scree_contact_counts_free(&c);

    // Walls hold, but are no partners.
    def.box = scree_box_sized(2, (double[]){1.0, 1.0});
    def.gap = 1e-9;
    double y[2] = {0.5, 0.5}, s[1] = {0.5};
    CHECK_OK(scree_measure_contacts(&def, (scree_spheres){.count = 1, .dim = 2, .x = y, .r = s}, &c));
    assert_int_equal(c.wall_contacts, 4);
    assert_int_equal(c.rattlers, 0);
    CHECK_CLOSE(c.coordination, 0.0, 0.0);
    scree_contact_counts_free(&c);
}

// Three discs in a circle that they just fill, touch two others and the wall each: with the wall nobody is loose, without it everybody is. In a ball with
// two spheres side by side, one wall and one partner hold nobody; in a cylinder its ends count as well.
static void round_walls_hold(void** state)
{
    (void)state;
    const double R = 1.0 + 2.0 / sqrt(3.0), far = R - 1.0, r[3] = {1.0, 1.0, 1.0};
    double x[6];
    for (int i = 0; i < 3; ++i) {
        x[2 * i] = 5.0 + far * cos(2.0 * pi * i / 3.0);
        x[2 * i + 1] = 5.0 + far * sin(2.0 * pi * i / 3.0);
    }
    scree_measure_def def = scree_default_measure_def();
    scree_contact_counts c;
    def.box = scree_box_sized(2, (double[]){10.0, 10.0});
    for (int k = 0; k < 2; ++k) {
        def.box.lower[k] = 5.0 - R;
        def.box.upper[k] = 5.0 + R;
    }
    def.gap = 1e-6;
    scree_spheres discs = {.count = 3, .dim = 2, .x = x, .r = r};
    CHECK_OK(scree_measure_contacts(&def, discs, &c));
    assert_int_equal(c.wall_contacts, 1);  // of the square: the disc at the right
    assert_int_equal(c.rattlers, 3);
    scree_contact_counts_free(&c);
    def.container = SCREE_CONTAINER_SPHERE;
    CHECK_OK(scree_measure_contacts(&def, discs, &c));
    assert_int_equal(c.wall_contacts, 3);
    assert_int_equal(c.rattlers, 0);
    CHECK_CLOSE(c.backbone_coordination, 2.0, 0.0);
    scree_contact_counts_free(&c);

    def.box = scree_box_sized(3, (double[]){4.0, 4.0, 2.0});
    def.container = SCREE_CONTAINER_CYLINDER;
    scree_spheres two = {.count = 2, .dim = 3, .x = (double[]){1.0, 2.0, 1.0, 3.0, 2.0, 1.0}, .r = r};
    CHECK_OK(scree_measure_contacts(&def, two, &c));
    assert_int_equal(c.wall_contacts, 6);  // each: floor, ceiling and the round one
    assert_int_equal(c.rattlers, 0);
    scree_contact_counts_free(&c);
    def.box.periodic[2] = true;
    def.box.upper[2] = 3.0;
    CHECK_OK(scree_measure_contacts(&def, two, &c));
    assert_int_equal(c.wall_contacts, 2);
    assert_int_equal(c.rattlers, 2);
    scree_contact_counts_free(&c);
    def.box.periodic[0] = true;
    CHECK_FAILS(scree_measure_contacts(&def, two, &c), SCREE_ERR_ARGUMENT, "axis x");
    def.box.periodic[0] = false;
    // Densities are those of the container; a sphere that its wall cuts counts with the part inside.
    scree_density density;
    def.margin = 0.5;
    CHECK_OK(scree_measure_density(&def, two, &density));
    CHECK_CLOSE(density.whole, 2.0 * (4.0 / 3.0 * pi) / (4.0 * pi * 3.0), 1e-14);
    scree_container inner = {.kind = SCREE_CONTAINER_CYLINDER, .box = def.box};
    for (int k = 0; k < 2; ++k) {
        inner.box.lower[k] += 0.5;
        inner.box.upper[k] -= 0.5;
    }
    CHECK_CLOSE(density.inner, 2.0 * (4.0 / 3.0 * pi) * scree_sphere_container_share(&inner, two.x, 1.0) / scree_container_volume(&inner), 1e-3);
    def.box = scree_box_sized(3, (double[]){4.0, 4.0, 4.0});
    def.container = SCREE_CONTAINER_SPHERE;
    def.r_bins = def.nearest_bins = def.size_rows = 0;
    scree_measures m;
    scree_spheres lens = {.count = 2, .dim = 3, .x = (double[]){1.5, 2.0, 2.0, 2.5, 2.0, 2.0}, .r = r};
    CHECK_OK(scree_measure(&def, lens, &m));
    CHECK_CLOSE(m.density.whole, 2.0 / 8.0, 1e-14);
    CHECK_CLOSE(m.density_corrected, (2.0 - scree_lens_share(3, 1.0, 1.0, -1.0)) / 8.0, 1e-14);
    scree_measures_free(&m);
    def.container = 9;
    CHECK_FAILS(scree_measure_contacts(&def, two, &c), SCREE_ERR_ARGUMENT, "9");
}

// ---- Small and odd sets ------------------------------------------------------------------------------------------

static void none_one_and_points(void** state)
{
    (void)state;
    for (int dim = 2; dim <= 3; ++dim)
        for (int periodic = 0; periodic < 2; ++periodic) {
            scree_box box = scree_box_sized(dim, (double[]){2.0, 3.0, 4.0});
            for (int k = 0; k < dim; ++k)
                box.periodic[k] = periodic == 1;
            scree_measure_def def = def_of(&box);
            scree_measures m = measure(&def, (scree_spheres){.dim = dim});
            CHECK_CLOSE(m.density.whole + m.density.inner + m.density_corrected, 0.0, 0.0);
            CHECK_CLOSE(m.contacts.coordination + m.contacts.backbone_coordination + m.contacts.max_overlap, 0.0, 0.0);
            assert_int_equal(m.contacts.max_i, -1);
            assert_int_equal(m.size_curve.rows, 0);
            assert_true(isnan(m.nearest_gaps.least) && m.nearest_gaps.beyond == 0);
            assert_int_equal(m.g_r.bins, 250);
            scree_measures_free(&m);

            double x[3] = {0.5, 0.5, 0.5}, r[1] = {0.5};
            m = measure(&def, (scree_spheres){.count = 1, .dim = dim, .x = x, .r = r});
            assert_true(periodic ? fabs(m.nearest_gaps.gap[0] - 1.0) < 1e-15 : isinf(m.nearest_gaps.gap[0]));
            assert_int_equal(m.nearest_gaps.beyond, 1);  // 1 is the mean diameter
            CHECK_CLOSE(m.size_curve.by_mass[0], 1.0, 0.0);
            scree_measures_free(&m);
        }
}

static void boxes_without_volume(void** state)
{
    (void)state;
    // The bounds of points in a plane, of one point, of nothing.
    double x[9] = {0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0}, r[3] = {0.0, 0.0, 0.0};
    for (int32_t n = 0; n <= 3; ++n) {
        scree_spheres points = {.count = n, .dim = 3, .x = x, .r = r};
        scree_box box = scree_spheres_bounds(points);
        scree_measure_def def = def_of(&box);
        scree_measures m = measure(&def, points);
        assert_true(isnan(m.density.whole) && isnan(m.density.inner) && isnan(m.density_corrected));
        assert_int_equal(m.contacts.contacts, 0);
        for (int b = 0; b < m.g_r.bins; ++b)
            CHECK_CLOSE(m.g_r.g[b], 0.0, 0.0);
        if (n == 3)
            CHECK_CLOSE(m.nearest_gaps.most, 1.0, 0.0);
        scree_measures_free(&m);
    }
}

static void parts_can_be_left_out(void** state)
{
    (void)state;
    scree_sphere_set set;
    scene_params params = scene_default_params();
    params.count = 100;
    CHECK_OK(scene_make("cloud", &params, &set));
    scree_measure_def def = def_of(&set.box);
    def.r_bins = def.nearest_bins = def.size_rows = 0;
    scree_measures m = measure(&def, scree_sphere_set_view(&set));
    assert_null(m.g_r.g);
    assert_null(m.nearest_gaps.gap);
    assert_null(m.size_curve.d);
    assert_true(m.contacts.contacts > 0);
    scree_measures_free(&m);
    scree_measures_free(&m);  // twice is fine
    scree_sphere_set_free(&set);
}

static void size_rows_are_chosen_well(void** state)
{
    (void)state;
    double x[2000] = {0.0}, r[1000];
    scree_box box = scree_box_sized(2, (double[]){1.0, 1.0});
    scree_measure_def def = def_of(&box);
    scree_size_curve curve;
    for (int i = 0; i < 1000; ++i)
        r[i] = i % 10 == 0 ? 0.3 : 0.1;  // two sizes: two rows
    CHECK_OK(scree_measure_size_curve(&def, (scree_spheres){.count = 1000, .dim = 2, .x = x, .r = r}, &curve));
    assert_int_equal(curve.rows, 2);
    CHECK_CLOSE(curve.d[0], 0.2, 0.0);
    CHECK_CLOSE(curve.by_number[0], 0.9, 1e-15);
    CHECK_CLOSE(curve.by_mass[0], 0.5, 1e-12);
    scree_size_curve_free(&curve);
    for (int i = 0; i < 1000; ++i)
        r[i] = 0.001 * (i + 1);  // many: equal ratios
    CHECK_OK(scree_measure_size_curve(&def, (scree_spheres){.count = 1000, .dim = 2, .x = x, .r = r}, &curve));
    assert_int_equal(curve.rows, 50);
    CHECK_CLOSE(curve.d[1] / curve.d[0], pow(1000.0, 1.0 / 49.0), 1e-12);
    scree_size_curve_free(&curve);
    for (int i = 0; i < 1000; ++i)
        r[i] = 1.0 + 0.0001 * i;  // alike: equal steps
    CHECK_OK(scree_measure_size_curve(&def, (scree_spheres){.count = 1000, .dim = 2, .x = x, .r = r}, &curve));
    assert_int_equal(curve.rows, 50);
    CHECK_CLOSE(curve.d[1] - curve.d[0], 0.1998 / 49.0, 1e-12);
    scree_size_curve_free(&curve);
}

// ---- Laws that must hold -----------------------------------------------------------------------------------------

// Other units, to the ends of what is allowed.
static void units_do_not_matter(void** state)
{
    (void)state;
    static const double units[] = {0x1p300, 0x1p-300, 3.7};
    scree_sphere_set set;
    scene_params params = scene_default_params();
    params.count = 200;
    params.ratio = 10.0;
    params.periodic[1] = true;
    CHECK_OK(scene_make("cloud", &params, &set));
    scree_measure_def def = def_of(&set.box);
    scree_measures a = measure(&def, scree_sphere_set_view(&set));
    for (int u = 0; u < 3; ++u) {
        double x[600], r[200];
        for (int i = 0; i < 600; ++i)
            x[i] = set.x[i] * units[u];
        for (int i = 0; i < 200; ++i)
            r[i] = set.r[i] * units[u];
        for (int k = 0; k < 3; ++k)
            def.box.upper[k] = set.box.upper[k] * units[u];
        scree_measures b = measure(&def, (scree_spheres){.count = 200, .dim = 3, .x = x, .r = r});
        CHECK_CLOSE(b.density.whole, a.density.whole, 1e-13);
        CHECK_CLOSE(b.density.inner, a.density.inner, 1e-13);
        CHECK_CLOSE(b.density_corrected, a.density_corrected, 1e-12);
        CHECK_CLOSE(b.contacts.max_overlap / units[u], a.contacts.max_overlap, 1e-13);
        assert_int_equal(b.contacts.contacts, a.contacts.contacts);
        assert_int_equal(b.contacts.rattlers, a.contacts.rattlers);
        CHECK_CLOSE(b.nearest_gaps.median / units[u], a.nearest_gaps.median, 1e-12);
        int64_t sum_a = 0, sum_b = 0;
        for (int bin = 0; bin < 250; ++bin) {
            sum_a += a.g_r.pairs[bin];
            sum_b += b.g_r.pairs[bin];
            CHECK_CLOSE(b.g_r.ideal[bin], a.g_r.ideal[bin], 1e-9);
        }
        assert_int_equal(sum_a, sum_b);
        scree_measures_free(&b);
    }
    scree_measures_free(&a);
    scree_sphere_set_free(&set);
}

static void check_same_measures(const scree_measures* a, const scree_measures* b)
{
    size_t n = (size_t)a->n, bins = (size_t)a->g_r.bins;
    assert_memory_equal(&a->density, &b->density, sizeof a->density);
    assert_memory_equal(&a->density_corrected, &b->density_corrected, sizeof(double));
    assert_memory_equal(&a->contacts.coordination, &b->contacts.coordination, sizeof(double));
    assert_memory_equal(a->contacts.partners, b->contacts.partners, n * sizeof *a->contacts.partners);
    assert_memory_equal(a->contacts.rattler, b->contacts.rattler, n);
    assert_memory_equal(&a->contacts.max_overlap, &b->contacts.max_overlap, sizeof(double));
    assert_memory_equal(&a->contacts.mean_overlap, &b->contacts.mean_overlap, sizeof(double));
    assert_memory_equal(&a->contacts.overlap_share, &b->contacts.overlap_share, sizeof(double));
    assert_int_equal(a->contacts.max_i, b->contacts.max_i);
    assert_int_equal(a->contacts.max_j, b->contacts.max_j);
    assert_memory_equal(a->g_r.pairs, b->g_r.pairs, bins * sizeof(int64_t));
    assert_memory_equal(a->g_r.g, b->g_r.g, bins * sizeof(double));
    assert_memory_equal(a->nearest_gaps.gap, b->nearest_gaps.gap, n * sizeof(double));
    assert_memory_equal(a->nearest_gaps.number, b->nearest_gaps.number, (size_t)a->nearest_gaps.bins * sizeof(int64_t));
    assert_memory_equal(a->size_curve.by_mass, b->size_curve.by_mass, (size_t)a->size_curve.rows * sizeof(double));
}

static void threads_and_methods_change_no_bit(void** state)
{
    (void)state;
    scree_sphere_set set;
    scene_params params = scene_default_params();
    params.count = 6000;
    params.ratio = 5.0;
    params.periodic[0] = params.periodic[2] = true;
    CHECK_OK(scene_make("cloud", &params, &set));
    scree_measure_def def = def_of(&set.box);
    scree_measures one = measure(&def, scree_sphere_set_view(&set));
    assert_true(one.contacts.contacts > 1000);
    for (int t = 0; t < 4; ++t) {
        def.threads = (int32_t[]){2, 7, 0, 1}[t];
        def.method = t == 3 ? SCREE_METHOD_ALL_PAIRS : SCREE_METHOD_AUTO;
        scree_measures other = measure(&def, scree_sphere_set_view(&set));
        check_same_measures(&one, &other);
        scree_measures_free(&other);
    }
    scree_measures_free(&one);
    scree_sphere_set_free(&set);
}

// ---- Manners -----------------------------------------------------------------------------------------------------

static void each_allocation_may_fail(void** state)
{
    (void)state;
    scree_sphere_set set;
    scene_params params = scene_default_params();
    params.count = 150;
    params.ratio = 3.0;
    params.periodic[1] = true;
    CHECK_OK(scene_make("cloud", &params, &set));
    scree_measure_def def = def_of(&set.box);
    scree_spheres s = scree_sphere_set_view(&set);
    scree_density density = {.whole = 7.0};
    EACH_ALLOCATION_FAILS(scree_measure_density(&def, s, &density), CHECK_CLOSE(density.whole, 0.0, 0.0));
    scree_contact_counts c = {.near = 7};
    EACH_ALLOCATION_FAILS(scree_measure_contacts(&def, s, &c), assert_int_equal(c.near, 0));
    scree_contact_counts_free(&c);
    scree_pair_distribution gr = {.bins = 7};
    EACH_ALLOCATION_FAILS(scree_measure_pair_distribution(&def, s, &gr), assert_int_equal(gr.bins, 0));
    scree_pair_distribution_free(&gr);
    scree_size_curve curve = {.rows = 7};
    EACH_ALLOCATION_FAILS(scree_measure_size_curve(&def, s, &curve), assert_int_equal(curve.rows, 0));
    scree_size_curve_free(&curve);
    scree_nearest near = {.bins = 7};
    EACH_ALLOCATION_FAILS(scree_measure_nearest(&def, s, &near), assert_int_equal(near.bins, 0));
    scree_nearest_free(&near);
    scree_measures m = {.n = 7};
    EACH_ALLOCATION_FAILS(scree_measure(&def, s, &m), assert_int_equal(m.n, 0));
    scree_measures_free(&m);
    scree_sphere_set_free(&set);
}

typedef struct patience {
    int64_t ticks, most;
    double last;
    bool backwards;
} patience;

static bool count_ticks(void* context, double done)
{
    patience* p = context;
    p->backwards = p->backwards || !(done >= p->last && done <= 1.0);
    p->last = done;
    return ++p->ticks < p->most;
}

static void measuring_can_be_watched_and_stopped(void** state)
{
    (void)state;
    scree_sphere_set set;
    scene_params params = scene_default_params();
    params.count = 5000;
    CHECK_OK(scene_make("cloud", &params, &set));
    scree_measure_def def = def_of(&set.box);
    patience p = {.most = INT64_MAX};
    def.watch = (scree_watch){.tick = count_ticks, .context = &p};
    scree_measures m = measure(&def, scree_sphere_set_view(&set));
    scree_measures_free(&m);
    assert_false(p.backwards);
    assert_true(p.ticks > 100 && p.ticks < 2000);
    CHECK_CLOSE(p.last, 1.0, 1e-12);
    int64_t all = p.ticks;
    m = (scree_measures){.n = 7};
    for (int64_t most = 1; most <= all; most += all / 40 + 1) {
        p = (patience){.most = most};
        CHECK_FAILS(scree_measure(&def, scree_sphere_set_view(&set), &m), SCREE_ERR_CANCELLED);
        assert_int_equal(m.n, 0);
    }
    scree_sphere_set_free(&set);
}

static void what_cannot_be_is_refused(void** state)
{
    (void)state;
    double x[6] = {0.5, 0.5, 0.5, 0.5, 0.5, 0.6}, r[2] = {0.1, 0.1};
    scree_spheres two = {.count = 2, .dim = 3, .x = x, .r = r};
    scree_measures m;
    scree_measure_def def = {0};
    CHECK_FAILS(scree_measure(&def, two, &m), SCREE_ERR_ARGUMENT, "scree_default_measure_def");
    def = scree_default_measure_def();
    CHECK_FAILS(scree_measure(&def, two, &m), SCREE_ERR_ARGUMENT, "axis x");
    scree_box box = scree_box_sized(3, (double[]){1.0, 1.0, 1.0});
#define REFUSED(change, text)                                                                                          \
    do {                                                                                                               \
        def = def_of(&box);                                                                                            \
        change;                                                                                                        \
        CHECK_FAILS(scree_measure(&def, two, &m), SCREE_ERR_ARGUMENT, text);                                           \
    } while (0)
    REFUSED(def.threads = -2, "-2 | threads");
    REFUSED(def.gap = INFINITY, "gap | inf");
    REFUSED(def.gap = -1e200, "gap | -1e+200");
    REFUSED(def.gap = 1e-200, "gap | 1e-200");
    REFUSED(def.margin = -0.1, "margin | -0.1 | 0 | 1e-140 | 1e+140");
    REFUSED(def.margin = 0.5, "margin | 0.5 | 1 | axis x");
    REFUSED(def.r_max = 0.0, "r_max | 0");
    REFUSED(def.r_max = INFINITY, "r_max | inf");
    REFUSED((def.r_max = 17.0, def.box.periodic[1] = true), "r_max | 17 | 16 | 1 | axis y");
    REFUSED(def.nearest_max = -1.0, "nearest_max | -1");
    REFUSED(def.r_bins = 10001, "r_bins | 10001 | 1 | 10000 | 0");
    REFUSED(def.nearest_bins = -1, "nearest_bins | -1");
    REFUSED(def.size_rows = 1, "size_rows | 1 | 2 | 10000");
    REFUSED(def.method = 99, "number 99");
    REFUSED(def.box.upper[1] = -1.0, "axis y | 0 | -1");
    REFUSED(def.box.upper[2] = 0.55, "sphere 1 | z = 0.6");
    REFUSED(x[3] = NAN, "sphere 1 | x = nan");
    x[3] = 0.5;
    REFUSED(r[0] = -1.0, "sphere 0 | radius | -1");
    r[0] = 0.1;
    REFUSED((x[3] = 40.0, def.box.periodic[0] = true), "sphere 1 | x = 40 | 40 | 32");
    x[3] = 0.5;
    REFUSED((r[0] = 0.51, def.box.periodic[0] = true), "sphere 0 | diameter | 1.02");
    r[0] = 0.1;
    two.dim = 2;
    REFUSED((void)0, "2 | 3");
#undef REFUSED
}

// ---- Tables ------------------------------------------------------------------------------------------------------

static void tables_are_written_whole_or_not_at_all(void** state)
{
    (void)state;
    const char* path = in_folder("t.csv");
    const double a[3] = {0.1, 1e300, NAN};
    const int64_t b[3] = {1, -2, INT64_MIN};
    const scree_table_column columns[] = {{.name = "a", .values = a}, {.name = "how many", .integers = b}};
    static const char wanted[] = "a,how many\n0.1,1\n1e+300,-2\nnan,-9223372036854775808\n";
    CHECK_OK(scree_write_table(path, NULL, 3, 2, columns));
    CHECK_FILE(path, wanted);
    EACH_ALLOCATION_FAILS(scree_write_table(path, NULL, 2, 2, columns), CHECK_FILE(path, wanted));
    CHECK_FILE(path, "a,how many\n0.1,1\n1e+300,-2\n");
    CHECK_OK(scree_write_table(path, NULL, 0, 2, columns));
    CHECK_FILE(path, "a,how many\n");
    const char* const named[] = {"one", "two"};
    CHECK_OK(scree_write_table(path, NULL, 2, 2, (scree_table_column[]){{.name = "w", .texts = named}, {.name = "a", .values = a}}));
    CHECK_FILE(path, "w,a\none,0.1\ntwo,1e+300\n");
    CHECK_OK(scree_write_table(path, NULL, 0, 2, columns));
    for (int64_t n = 1;; ++n) {  // the disk fails, call by call; the name may change only when all is written
        scree_output_fail_at(n, ENOSPC);
        scree_status status = scree_write_table(path, NULL, 3, 2, columns);
        int64_t calls = scree_output_fail_at(0, 0);
        if (status == SCREE_OK && calls < n)
            break;
        assert_true(n < 100);
        assert_true(status == SCREE_OK || status == SCREE_ERR_IO);
    }
    CHECK_FILE(path, wanted);
    scree_file_options options = scree_default_file_options();
    patience p = {.most = 1};
    options.watch = (scree_watch){.tick = count_ticks, .context = &p};
    CHECK_FAILS(scree_write_table(path, &options, 2, 2, columns), SCREE_ERR_CANCELLED);
    CHECK_FILE(path, wanted);
    options.struct_size = 0;
    CHECK_FAILS(scree_write_table(path, &options, 2, 2, columns), SCREE_ERR_ARGUMENT, "scree_default_file_options");
    CHECK_FAILS(scree_write_table(path, NULL, 2, 0, columns), SCREE_ERR_ARGUMENT, "0");
    CHECK_FAILS(scree_write_table(path, NULL, -1, 2, columns), SCREE_ERR_ARGUMENT, "-1");
    CHECK_FAILS(scree_write_table(path, NULL, 2, 1, &(scree_table_column){.name = "a,b", .values = a}),
                SCREE_ERR_ARGUMENT, "'a,b'");
    const char* const bad[] = {"one", "t,o"};
    CHECK_FAILS(scree_write_table(path, NULL, 2, 1, &(scree_table_column){.name = "w", .texts = bad}), SCREE_ERR_ARGUMENT);
    CHECK_FAILS(scree_write_table(path, NULL, 2, 1, &(scree_table_column){.name = "a"}), SCREE_ERR_ARGUMENT, "'a'");
    CHECK_FAILS(scree_write_table("/nowhere/t.csv", NULL, 2, 2, columns), SCREE_ERR_IO, "/nowhere/t.csv");
    CHECK_FILE(path, wanted);
    assert_int_equal(files_in_folder(), 1);  // nothing else lies there
}

static const test_case cases[] = {
    UNIT(shares_with_known_answers),
    PROPERTY(shares_of_a_partition_add_up),
    UNIT(shares_by_monte_carlo),
    UNIT(lenses),
    THREADS(everything_agrees_with_the_naive_way),
    UNIT(cubic_lattice),
    UNIT(face_centred_lattice),
    UNIT(covariograms),
    UNIT(an_ideal_gas_has_no_structure),
    UNIT(edges_belong_to_the_bin_above),
    UNIT(densities_by_hand),
    UNIT(rattlers_by_hand),
    UNIT(round_walls_hold),
    UNIT(none_one_and_points),
    UNIT(boxes_without_volume),
    UNIT(parts_can_be_left_out),
    UNIT(size_rows_are_chosen_well),
    UNIT(units_do_not_matter),
    THREADS(threads_and_methods_change_no_bit),
    ALLOCATION(each_allocation_may_fail),
    UNIT(measuring_can_be_watched_and_stopped),
    UNIT(what_cannot_be_is_refused),
    ALLOCATION(tables_are_written_whole_or_not_at_all),
};

const test_group group_measure = {.name = "measure", .cases = cases, .count = sizeof cases / sizeof *cases, .begin = make_folder, .end = remove_folder};
