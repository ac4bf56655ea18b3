#include "surface_support.h"

double between(scree_rng* rng, double low, double high)
{
    return low + (high - low) * scree_rng_uniform(rng);
}

void random_direction(scree_rng* rng, double out[3])
{
    double square;
    do {
        square = 0.0;
        for (int k = 0; k < 3; ++k) {
            out[k] = between(rng, -1.0, 1.0);
            square += out[k] * out[k];
        }
    } while (square > 1.0 || square < 0.01);
    for (int k = 0; k < 3; ++k)
        out[k] /= sqrt(square);
}
