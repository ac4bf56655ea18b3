// What the tests of packings share: radii of a law.
#ifndef TESTS_PACK_SUPPORT_H
#define TESTS_PACK_SUPPORT_H

#include "support.h"

#include "scree/sizes.h"

// To be freed; one more than asked for, so that there is an array for none.
static inline double* radii(const char* law, int dim, int32_t count)
{
    double* r = malloc(((size_t)count + 1) * sizeof *r);
    scree_sizes* sizes;
    CHECK_OK(scree_sizes_parse(law, dim, &sizes));
    CHECK_OK(scree_sizes_draw(sizes, SCREE_SAMPLING_SYSTEMATIC, 5, count, r));
    scree_sizes_free(sizes);
    return r;
}

#endif
