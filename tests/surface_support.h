// What the tests of surfaces share.
#ifndef TESTS_SURFACE_SUPPORT_H
#define TESTS_SURFACE_SUPPORT_H

#include "support.h"

#include "base/triples.h"
#include "geom/surface_inner.h"
#include "scree/surface.h"

double between(scree_rng* rng, double low, double high);
void random_direction(scree_rng* rng, double out[3]);

#endif
