// Companions by octaves: sampled centres become keys of interleaved bits (Morton), are sorted, and for each octave those that
// agree in the leading bits share a cell. c of n sampled spheres in a cell have c (c - 1) companions among themselves; the full set
// has N/n times as many for each of them.
#include "index/crowding.h"

#include "base/morton.h"
#include "base/sort.h"

#include <math.h>

enum { most_samples = 1024, least_spheres = 512, bits = crowding_octaves - 1 };
// Fewer companions than this, all over the sample, tell nothing.
static const double least_count = 64.0;
// Twice the companions of an even spread are usual (heaps, layers, small spheres between large ones).
static const double most_even = 4.0;

static uint64_t key_of(const crowding* crowd, const double* x)
{
    uint64_t cell[3] = {0};
    for (int k = 0; k < crowd->dim; ++k) {
        double at = (x[k] - crowd->lower[k]) / crowd->widest * (1 << bits);
        at = fmin(fmax(at, 0.0), (double)((1 << bits) - 1));
        cell[k] = (uint64_t)at;
    }
    return scree_morton_key(crowd->dim, cell);
}

static void draw(const items* it, int64_t samples, double (*x)[3])
{
    scree_rng rng = scree_rng_make(0, 0);  // the same spheres every time
    for (int64_t s = 0; s < samples; ++s) {
        int64_t i = (int64_t)scree_rng_below(&rng, (uint64_t)it->n);
        for (int k = 0; k < it->dim; ++k)
            x[s][k] = it->x != NULL ? it->x[i * it->dim + k] : it->xr[i][k];
        for (int m = it->dim - 1; m >= 0; --m) {
            double turns = it->periodic[m] ? floor((x[s][m] - it->lower[m]) / it->length[m]) : 0.0;
            x[s][m] -= turns * it->length[m];
            for (int k = 0; k < m && it->tilted; ++k)
                x[s][k] -= turns * scree_lattice_tilt(it->tilt, k, m);
        }
    }
}

// The core reaches beyond the sample by an eighth of its width to both sides, but not beyond the spheres. What strayed farther is
// missing in most samples, and in the core.
static void find_core(crowding* out, const items* it, int64_t samples, const double (*x)[3])
{
    for (int k = 0; k < it->dim; ++k) {
        out->lower[k] = it->lower[k];
        out->length[k] = it->length[k];
        if (samples > 0 && !it->periodic[k]) {
            double low = x[0][k], high = x[0][k];
            for (int64_t s = 1; s < samples; ++s) {
                low = fmin(low, x[s][k]);
                high = fmax(high, x[s][k]);
            }
            double lower = fmax(low - 0.125 * (high - low), it->lower[k]);
            double upper = fmin(high + 0.125 * (high - low), it->lower[k] + it->length[k]);
            if (upper - lower < 0.5 * it->length[k]) {  // else it is all the same
                out->lower[k] = lower;
                out->length[k] = upper - lower;
            }
        }
        out->widest = fmax(out->widest, out->length[k]);
    }
}

// What evenly spread spheres would have.
static double even_companions(const crowding* crowd, double side)
{
    double share = 1.0;
    for (int k = 0; k < crowd->dim; ++k)
        share *= crowd->length[k] > side ? side / crowd->length[k] : 1.0;
    return crowd->n * share;
}

void crowding_measure(crowding* out, const items* it)
{
    double x[most_samples][3];
    uint64_t keys[most_samples];
    int64_t samples = it->n / 256 < most_samples ? it->n / 256 : most_samples;  // so that looking costs next to nothing
    samples = it->n < least_spheres ? 0 : samples < 128 ? 128 : samples;
    *out = (crowding){.dim = it->dim, .last = -1, .n = it->n};
    draw(it, samples, x);
    find_core(out, it, samples, (const double(*)[3])x);
    if (samples == 0 || !(out->widest > 0.0))
        return;
    for (int64_t s = 0; s < samples; ++s)
        keys[s] = key_of(out, x[s]);
    scree_sort_keys(keys, samples);
    for (int octave = 0; octave <= bits; ++octave) {
        int shift = it->dim * (bits - octave);
        double count = 0.0;
        for (int64_t first = 0, s = 0; s <= samples; ++s)
            if (s == samples || keys[s] >> shift != keys[first] >> shift) {
                count += (double)(s - first) * (double)(s - first - 1);
                first = s;
            }
        // A sphere drawn twice is no companion of itself.
        count -= (double)samples * (double)(samples - 1) / it->n;
        if (count < least_count)
            break;
        out->last = octave;
        out->companions[octave] = count / (double)samples * (it->n / (double)(samples - 1));
        if (out->companions[octave] > 8.0 + most_even * even_companions(out, ldexp(out->widest, -octave)))
            out->crowded = true;
    }
}

crowding crowding_of(const items* it)
{
    crowding crowd;
    if (it->crowd != NULL)
        return *it->crowd;
    crowding_measure(&crowd, it);
    return crowd;
}

double crowding_companions(const crowding* crowd, double side)
{
    if (crowd->last < 0)
        return even_companions(crowd, side);
    double octave = side > 0.0 ? log2(crowd->widest / side) : INFINITY;
    if (octave <= 0.0)
        return crowd->companions[0];
    if (octave >= crowd->last)
        return crowd->companions[crowd->last] * exp2(-crowd->dim * (octave - crowd->last));
    int below = (int)octave;
    double part = octave - below;
    return pow(crowd->companions[below], 1.0 - part) * pow(crowd->companions[below + 1], part);
}
