// What the tests of packings share: radii of a size distribution, and a check of a packing from scratch.
#ifndef TESTS_PACK_SUPPORT_H
#define TESTS_PACK_SUPPORT_H

#include "support.h"

#include "scree/index.h"
#include "scree/pack.h"
#include "scree/sizes.h"

// To be freed; one more than asked for, so that there is an array for none.
double* radii(const char* law, int dim, int32_t count);

// 1 to `most` of them, over up to four decades. To be freed.
double* random_radii(scree_rng* rng, int32_t most, int32_t* count);
void move_box(scree_rng* rng, scree_box* box);  // somewhere else, with other sides

// The volume of the spheres over that of the container, which the box bounds.
double packing_density(const scree_box* box, int32_t container, int32_t count, const double* r);

// No overlap, by all pairs with all images; inside box and container; the box has the shape of the one asked for, and the density is as reported.
void check_packing(const scree_box* asked, const scree_box* box, int32_t container, int32_t count, const double* x, const double* r,
                   double density);

// The same of what scree_pack_rearrange made.
void check_rearranged(const scree_rearrange_def* def, const scree_packing* p, int32_t count, const double* r);

// A watch of a rearrangement; `now` is its def's state.
typedef struct stopper {
    scree_rearrange_state now;
    int placing, left;  // ticks that are answered by yes, while centres are drawn and after
} stopper;

bool stop_after(void* context, double done);

// A saver that keeps the state of one of its calls, counted from 1.
typedef struct kept_state {
    char* data;  // to be freed
    size_t size;
    int64_t calls, keep_at;
} kept_state;

scree_status keep_state(void* context, int32_t count, const scree_bytes* pieces);

#endif
