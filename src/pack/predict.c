// Predicted density of a random close packing of given radii: the estimate of Farr and Groot.
//
// A line through a packing cuts the spheres into rods. Large spheres are cut more often, in proportion to their cross-sections, and a random cut gives
// a chord of length d sqrt(U). The rods are then placed on a line: from long to short, each goes into the
// largest gap and keeps a distance of f times its own length from its neighbours. The filled fraction of the line is the density.
//
//     |=====|..............|                  the longest rod L and one gap f L (the line closes on itself)
//     |=====|.|===|........|                  a rod l in the gap g: gaps f l and g - (1 + f) l,
//     |=====|.|===|..|==|..|                  which is widened to f l if it is shorter
//
// f = 0.7654 was fitted by the authors to equal spheres, 0.6435; nothing is fitted for other sizes. It is for spheres only: equal discs
// crystallise and have no random close packing density.
//
// The chords here are not a random sample but a lattice: spheres by equal steps of the summed cross-sections, U by the golden
// ratio, which distributes them most evenly. 2^17 of them leave less than 1e-4 of noise, and the result needs no seed.
//
// O(n log n) for sorting the radii, and 2^17 steps of a heap. The estimate is for the bulk of a large sample: walls, or a largest sphere that is
// not small compared to the box, make real packings less dense. R. S. Farr, R. D. Groot, "Close packing density of polydisperse hard spheres",
// J. Chem. Phys. 131 (2009) 244104.
#include "pack/place.h"

#include "base/argument.h"
#include "base/sort.h"
#include "geom/length.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { chords = 1 << 17 };

static const double keep_away = 0.7654;  // f

// Radii rising, as shares of the largest; sorted by the bits, which rise as doubles from +0 on do.
static scree_status sorted_radii(int32_t count, const double* r, double** out)
{
    double r_max = 0.0;
    for (int32_t i = 0; i < count; ++i) {
        if (!(r[i] >= 0.0) || isinf(r[i]))
            return scree_fail(SCREE_ERR_ARGUMENT, "sphere %" PRId32 ": radius %g; expected a length of 0 or more", i, r[i]);
        if (!scree_is_length(r[i]))
            return scree_fail(SCREE_ERR_ARGUMENT, "sphere %" PRId32 ": radius %g; expected 0, or %g to %g", i, r[i],
                              SCREE_LENGTH_MIN, SCREE_LENGTH_MAX);
        r_max = fmax(r_max, r[i]);
    }
    if (r_max == 0.0)
        return scree_fail(SCREE_ERR_ARGUMENT, "prediction: %" PRId32 " spheres, all of radius 0; expected one with a radius above 0", count);
    double* share = scree_malloc((size_t)count, sizeof *share);
    uint64_t* key = scree_malloc((size_t)count, sizeof *key);
    if (share == NULL || key == NULL) {
        scree_free(share);
        scree_free(key);
        return SCREE_ERR_MEMORY;
    }
    for (int32_t i = 0; i < count; ++i) {
        double s = r[i] / r_max + 0.0;  // -0 is 0
        memcpy(&key[i], &s, sizeof s);
    }
    scree_sort_keys(key, count);
    memcpy(share, key, (size_t)count * sizeof *share);
    scree_free(key);
    *out = share;
    return SCREE_OK;
}

// Rising.
static void cut_into_chords(int32_t count, const double* radius, uint64_t* chord)
{
    const double golden = 0.61803398874989484820;
    double total = 0.0;
    for (int32_t i = 0; i < count; ++i)
        total += radius[i] * radius[i];
    double below = radius[0] * radius[0];  // cross-sections up to and with sphere i
    int32_t i = 0;
    for (int c = 0; c < chords; ++c) {
        double at = (c + 0.5) / chords * total, turns = (c + 0.5) * golden;
        while (at > below && i + 1 < count) {
            ++i;
            below += radius[i] * radius[i];
        }
        double length = 2.0 * radius[i] * sqrt(turns - floor(turns));
        memcpy(&chord[c], &length, sizeof length);
    }
    scree_sort_keys(chord, chords);
}

// A heap: the largest gap is gap[0], and gap[(k - 1) / 2] >= gap[k].
static void shrink_largest(double* gap, int used, double g)
{
    int k = 0;
    for (;;) {
        int child = 2 * k + 1;
        if (child >= used)
            break;
        if (child + 1 < used && gap[child + 1] > gap[child])
            ++child;
        if (!(gap[child] > g))
            break;
        gap[k] = gap[child];
        k = child;
    }
    gap[k] = g;
}

static void add_gap(double* gap, int used, double g)
{
    int k = used;
    for (; k > 0 && gap[(k - 1) / 2] < g; k = (k - 1) / 2)
        gap[k] = gap[(k - 1) / 2];
    gap[k] = g;
}

static double fill_line(const uint64_t* chord, double* gap)
{
    double rods = 0.0, gaps = 0.0;
    for (int c = 0; c < chords; ++c) {
        double l;
        memcpy(&l, &chord[chords - 1 - c], sizeof l);
        rods += l;
        if (c > 0)
            shrink_largest(gap, c, fmax(keep_away * l, gap[0] - (1.0 + keep_away) * l));
        add_gap(gap, c, keep_away * l);
    }
    for (int c = 0; c < chords; ++c)
        gaps += gap[c];
    return rods / (rods + gaps);
}

scree_status scree_predict_density(int32_t dim, int32_t count, const double* r, double* density)
{
    SCREE_EMPTY(density);
    if (dim != 2 && dim != 3)
        return scree_fail(SCREE_ERR_ARGUMENT, "prediction: dimension %" PRId32 "; expected 3", dim);
    if (dim == 2)
        return scree_fail(SCREE_ERR_UNSUPPORTED, "prediction: random close packing of discs is not estimated; expected spheres (3D)");
    if (count < 1 || r == NULL || density == NULL)
        return scree_fail(SCREE_ERR_ARGUMENT, "prediction: %" PRId32 " spheres%s; expected one or more", count,
                          r == NULL ? ", r is NULL" : density == NULL ? ", density is NULL" : "");
    double* radius = NULL;
    scree_status status = sorted_radii(count, r, &radius);
    if (status != SCREE_OK)
        return status;
    uint64_t* chord = scree_malloc(chords, sizeof *chord);
    double* gap = scree_malloc(chords, sizeof *gap);
    if (chord != NULL && gap != NULL) {
        cut_into_chords(count, radius, chord);
        *density = fill_line(chord, gap);
    } else {
        status = SCREE_ERR_MEMORY;
    }
    scree_free(radius);
    scree_free(chord);
    scree_free(gap);
    return status;
}
