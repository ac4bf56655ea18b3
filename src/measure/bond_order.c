// Bond order: how the directions to the neighbours of a sphere are arranged, as lengths of their mean spherical harmonics of degree 4 and 6.
//
//                 q4       q6                          q4       q6
//     fcc      0.19094  0.57452      simple cubic   0.76376  0.35355
//     hcp      0.09722  0.48476      icosahedron    0        0.66332
//     bcc      0.03637  0.51069      (14 neighbours)
//
// Random directions have q_l = 1/sqrt(number of neighbours) on average, and a global Q_l that tends to 0 with the number of bonds: the global value tells
// whether bonds are aligned across the set, the local one whether neighbours are in order.
//
// Both degrees are even, so a bond has the same harmonics from both of its ends, and of m and -m one suffices. The harmonics are polynomials of the direction:
// Q_lm(z) (x + iy)^m with the usual recursion in l, times sqrt(4 pi / (2 l + 1)), so that q_l is the length of a vector of real numbers.
//
// Cost: a search by the index and some 150 operations for each pair. Pairs are sorted, so sums have the same bits for any method and number of threads.
#include "measure/measured.h"

#include "base/argument.h"
#include "base/parallel.h"
#include "geom/pair.h"

#include <math.h>

enum { most_terms = 24 };  // degree 4: m = 0 to 4, degree 6: m = 0 to 6, each with a real and an imaginary part

SCREE_DEFAULTS_OF(scree_bond_order_def, scree_default_bond_order_def)
{
    return (scree_bond_order_def){.struct_size = sizeof(scree_bond_order_def), .cutoff = NAN};
}

// In 3D harmonics of degree l, of the direction d.
static void add_harmonics(int l, const double d[3], double* to)
{
    double re = 1.0, im = 0.0, first = 1.0, share = 1.0;  // (x + iy)^m, (2m - 1)!!, (l - m)! / (l + m)!
    for (int m = 0; m <= l; ++m) {
        double below = 0.0, q = first;  // Q of degrees m - 1 and m
        for (int e = m + 1; e <= l; ++e) {
            double next = ((2 * e - 1) * d[2] * q - (e + m - 1) * below) / (e - m);
            below = q;
            q = next;
        }
        double weight = q * sqrt(m == 0 ? share : 2.0 * share);
        to[2 * m] += weight * re;
        to[2 * m + 1] += weight * im;
        double x = re * d[0] - im * d[1];
        im = re * d[1] + im * d[0];
        re = x;
        first *= 2 * m + 1;
        share /= (l - m) * (l + m + 1.0);
    }
}

static void add_powers(int l, const double d[3], double* to)
{
    double re = 1.0, im = 0.0;
    for (int k = 0; k < l; ++k) {
        double x = re * d[0] - im * d[1];
        im = re * d[1] + im * d[0];
        re = x;
    }
    to[0] += re;
    to[1] += im;
}

// Terms of degree 4, then those of degree 6.
static int terms_of(int dim, int degree)
{
    return dim == 2 ? 2 : 2 * (degree + 1);
}

static double length_of_mean(const double* sums, int terms, double count)
{
    double square = 0.0;
    for (int t = 0; t < terms; ++t)
        square += (sums[t] / count) * (sums[t] / count);
    return count > 0.0 ? sqrt(square) : NAN;
}

// A unit vector; equal centres have no direction: x is taken.
static void direction(const measured* m, int32_t i, int32_t j, const int8_t* shift, double d[3])
{
    double a[4], b[4], offset[3] = {0.0}, square = 0.0;
    measured_sphere(m, i, a);
    measured_sphere(m, j, b);
    if (shift != NULL)
        scree_lattice_offset(m->length, m->tilt, shift[0], shift[1], shift[2], offset);
    for (int k = 0; k < 3; ++k) {
        d[k] = (a[k] - b[k]) - offset[k];
        square += d[k] * d[k];
    }
    for (int k = 0; k < 3; ++k)
        d[k] = square > 0.0 ? d[k] / sqrt(square) : k == 0 ? 1.0 : 0.0;
}

// `r` decides who is a neighbour: gap < `gap`.
static scree_status sum_bonds(const measured* m, scree_pairs pairs, const double* r, double gap, double* sums, scree_bond_order* out)
{
    const int four = terms_of(m->dim, 4), terms = four + terms_of(m->dim, 6);
    const scree_spheres spheres = {.count = m->n, .dim = m->dim, .x = m->x, .r = r};
    scree_patience patience = {.watch = m->def.watch};
    double all[most_terms] = {0.0};
    for (int64_t p = 0; p < pairs.count; ++p) {
        const int8_t* shift = pairs.shift != NULL ? pairs.shift[p] : NULL;
        double d[3], bond[most_terms] = {0.0};
        if (!scree_patience_lasts(&patience, 100, 1.0))
            return scree_fail(SCREE_ERR_CANCELLED, "stopped on request");
        if (!(scree_pair_gap(&m->def.box, spheres, pairs.ij[p][0], pairs.ij[p][1], shift) < gap))
            continue;
        direction(m, pairs.ij[p][0], pairs.ij[p][1], shift, d);
        if (m->dim == 2) {
            add_powers(4, d, bond);
            add_powers(6, d, bond + four);
        } else {
            add_harmonics(4, d, bond);
            add_harmonics(6, d, bond + four);
        }
        ++out->bonds;
        for (int k = 0; k < 2; ++k) {
            ++out->neighbours[pairs.ij[p][k]];
            for (int t = 0; t < terms; ++t)
                sums[(int64_t)pairs.ij[p][k] * terms + t] += bond[t];
        }
        for (int t = 0; t < terms; ++t)
            all[t] += bond[t];
    }
    int32_t bonded = 0;
    for (int64_t i = 0; i < m->n; ++i) {
        out->q4[i] = length_of_mean(sums + i * terms, four, (double)out->neighbours[i]);
        out->q6[i] = length_of_mean(sums + i * terms + four, terms - four, (double)out->neighbours[i]);
        if (out->neighbours[i] == 0)
            continue;
        ++bonded;
        out->q4_mean += out->q4[i];
        out->q6_mean += out->q6[i];
    }
    out->q4_mean = bonded > 0 ? out->q4_mean / bonded : NAN;
    out->q6_mean = bonded > 0 ? out->q6_mean / bonded : NAN;
    out->q4_global = length_of_mean(all, four, (double)out->bonds);
    out->q6_global = length_of_mean(all + four, terms - four, (double)out->bonds);
    return SCREE_OK;
}

// Neighbours by the cutoff are contacts of spheres that are larger by this factor. The index takes no sphere that is longer than the box: what is too much for it goes into the gap of the search.
static scree_status find_bonds(const measured* m, double cutoff, double* r, double* smaller, double* sums, scree_bond_order* out)
{
    double gap = m->def.gap, reach = 0.0;
    const double *judged = m->r, *searched = m->r;
    if (!isnan(cutoff)) {
        reach = fmax(0.0, cutoff * m->diameter_max - 0.5 * scree_box_period(&m->def.box));
        for (int64_t i = 0; i < m->n; ++i) {
            r[i] = cutoff * m->r[i];
            smaller[i] = fmax(0.0, r[i] - 0.5 * reach);
        }
        gap = 0.0;
        judged = r;
        searched = smaller;
    }
    scree_index* index = NULL;
    scree_pairs pairs = {0};
    scree_status status = measured_search(m, searched, isnan(cutoff) ? gap : reach * (1.0 + 1e-12), &m->def.watch, &index, &pairs);
    if (status == SCREE_OK)
        status = sum_bonds(m, pairs, judged, gap, sums, out);
    scree_index_destroy(index);
    return status;
}

SCREE_RESULT_OF(scree_bond_order, scree_measure_bond_order, (const scree_measure_def* def, scree_spheres spheres, const scree_bond_order_def* about, scree_bond_order* out),
                (def, spheres, about, out))
{
    SCREE_EMPTY(out);
    SCREE_NEED(def);
    SCREE_NEED(about);
    scree_status status = scree_check_struct_size("bond order", "scree_default_bond_order_def", about->struct_size, sizeof *about, sizeof *about);
    if (status != SCREE_OK)
        return status;
    if (!isnan(about->cutoff) && !(about->cutoff > 0.0 && about->cutoff <= 100.0))
        return scree_fail(SCREE_ERR_ARGUMENT, "bond order: cutoff = %g; expected above 0 to 100 sums of radii, or NAN for the gap of the measure", about->cutoff);
    measured m;
    status = measured_make(def, spheres, &m);
    if (status != SCREE_OK)
        return status;
    size_t n = (size_t)m.n, terms = (size_t)(terms_of(m.dim, 4) + terms_of(m.dim, 6));
    scree_bond_order found = {.n = m.n, .neighbours = scree_calloc(n, sizeof *found.neighbours), .q4 = scree_malloc(n, sizeof *found.q4), .q6 = scree_malloc(n, sizeof *found.q6)};
    double *sums = scree_calloc(n * terms, sizeof *sums), *r = scree_malloc(n, sizeof *r), *smaller = scree_malloc(n, sizeof *smaller);
    status = found.neighbours != NULL && found.q4 != NULL && found.q6 != NULL && sums != NULL && r != NULL && smaller != NULL ? SCREE_OK : SCREE_ERR_MEMORY;
    if (status == SCREE_OK)
        status = find_bonds(&m, about->cutoff, r, smaller, sums, &found);
    scree_free(sums);
    scree_free(r);
    scree_free(smaller);
    measured_free(&m);
    if (status == SCREE_OK)
        *out = found;
    else
        scree_bond_order_free(&found);
    return status;
}

SCREE_RELEASE_OF(scree_bond_order, scree_bond_order_free)
{
    scree_free(given->neighbours);
    scree_free(given->q4);
    scree_free(given->q6);
}
