// verlet-list: a list of neighbours for each sphere, found by testing all against all, and used until it could miss a pair.
//
//          R_v                       Centres nearer than the verlet radius R_v are written down, j after i: half lists. Two spheres that
//      .--------.                    are not in the list are at least R_v apart; they touch at 2 r_max + gap at most. So the
//     (   o  o   )  o                list is good until the two that moved most have moved by R_v - 2 r_max - gap together.
//      '--------'
//
// The index keeps the list (list.c), follows the spheres, and asks for a new one exactly when that is over; or at a fixed interval, as
// the paper has it, and then rejects an update that would lose pairs. One by one there is a list for each sphere (near_lists.c).
//
// Cost: n(n-1)/2 tests for each list, somewhat more with periodic axes (all_pairs.c); some candidates per sphere in between. The right choice for some
// hundred spheres; the wrong one for many, because the list alone grows with n^2.
// B. Muth, M.-K. Mueller, P. Eberhard, S. Luding, "Contacts between many bodies", section 2.
#include "index/all_pairs.h"

static scree_status prepare(void* self, const items* it)
{
    (void)self;
    // it->gap has the skin in it, where one could be held: then 2 r_max and this are R_v.
    double radius = it->def->verlet_radius, reach = 2.0 * it->r_max + it->def->gap;
    if (radius > 0.0 && it->n > 0 && radius <= reach)
        return scree_fail(SCREE_ERR_ARGUMENT,
                          "verlet-list: a verlet radius of %g would lose pairs: radii go up to %g, with a gap of %g; expected more than %g", radius,
                          it->r_max, it->def->gap, reach);
    if (radius > 0.0 && it->n > 0 && !(it->gap > it->def->gap))
        return scree_fail(SCREE_ERR_ARGUMENT,
                          "verlet-list: verlet_radius = %g is below the rounding of the coordinates, or spans "
                          "too many periodic boxes; expected another radius",
                          radius);
    return SCREE_OK;
}

// Whether j is to be listed: by centres within a radius that was given; else by surfaces, which for equal spheres is the same.
static bool is_listed(const items* it, int64_t i, int64_t j, const double offset[3])
{
    const double *a = it->xr[i], *b = it->xr[j];
    double radius = it->def->verlet_radius;
    if (radius > 0.0)
        return scree_square_distance(a, b, offset) < radius * radius * (1.0 + 1e-12);
    return scree_is_pair(a, b, offset, it->gap);
}

static void pairs(const void* self, int64_t chunk, sink* to)
{
    all_pairs_walk(self, chunk, is_listed, to);
}

const method_table verlet_list_method = {.name = "verlet-list",
                                         .create = all_pairs_create,
                                         .prepare = prepare,
                                         .build = all_pairs_build,
                                         .chunks = all_pairs_chunks,
                                         .pairs = pairs,
                                         ALL_PAIRS_REST};
