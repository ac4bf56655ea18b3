// Companions by octaves: sampled centres become keys of interleaved bits (Morton), are sorted, and for each octave those that
// agree in the leading bits share a cell. c of n sampled spheres in a cell have c (c - 1) companions among themselves; the full set
// has N/n times as many for each of them.
#include "index/crowding.h"

#include "base/sort.h"

#include <math.h>

enum { most_samples = 4096, least_spheres = 512, bits = crowding_octaves - 1 };
// Fewer companions than this, all over the sample, tell nothing.
static const double least_count = 64.0;
// Twice the companions of an even spread are usual (heaps, layers, small spheres between large ones).
static const double most_even = 4.0;

// Every third bit, or every second in 2D.
static uint64_t spread_bits(uint32_t value, int dim)
{
    uint64_t out = 0;
    for (int b = 0; b < bits; ++b)
        out |= (uint64_t)(value >> b & 1) << (dim * b);
    return out;
}

static uint64_t key_of(const items* it, int64_t i, double widest)
{
    uint64_t key = 0;
    for (int k = 0; k < it->dim; ++k) {
        double x = it->x[i * it->dim + k] - it->lower[k];
        if (it->periodic[k])
            x -= floor(x / it->length[k]) * it->length[k];
        double at = widest > 0.0 ? x / widest * (1 << bits) : 0.0;
        at = fmin(fmax(at, 0.0), (double)((1 << bits) - 1));
        key |= spread_bits((uint32_t)at, it->dim) << k;
    }
    return key;
}

// What evenly spread spheres would have.
static double even_companions(const crowding* crowd, double side)
{
    double share = 1.0;
    for (int k = 0; k < crowd->dim; ++k)
        share *= crowd->even[k] > side ? side / crowd->even[k] : 1.0;
    return crowd->n * share;
}

void crowding_measure(crowding* out, const items* it)
{
    *out = (crowding){.dim = it->dim, .last = -1, .n = it->n};
    for (int k = 0; k < it->dim; ++k) {
        out->even[k] = it->length[k];
        out->widest = fmax(out->widest, it->length[k]);
    }
    if (it->n < least_spheres || !(out->widest > 0.0))
        return;
    uint64_t keys[most_samples];
    int64_t samples = it->n / 16 < most_samples ? it->n / 16 : most_samples;
    samples = samples < 128 ? 128 : samples;
    scree_rng rng = scree_rng_make(0, 0);  // the same spheres every time
    for (int64_t s = 0; s < samples; ++s)
        keys[s] = key_of(it, (int64_t)scree_rng_below(&rng, (uint64_t)it->n), out->widest);
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
