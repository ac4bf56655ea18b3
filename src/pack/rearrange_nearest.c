// Collective rearrangement: the nearest neighbour of a sphere without overlaps, and the step towards it (Raschdorf and Kolonko, section 2: "If
// [it] has no overlap, it is moved towards its nearest neighbour as the aim is a dense packing").
//
//     gap = least over all other spheres and their images of |x_i - x_j| - r_i - r_j,      step = attraction * gap/2 towards that sphere
//
// The paper does not give the length of the step. With at most half the gap, no step causes an overlap: all others are at least gap away.
//
// Candidate rows contain spheres that may overlap, not necessarily the nearest one. The nearest entry of a row is the nearest of all if no sphere outside the row can be nearer;
// each way of moving knows this bound for its own rows. Otherwise the index is queried with a sphere enlarged by
// a reach that doubles until a neighbour within the reach is found. The index has reference positions and spheres enlarged by their possible displacement
// since then, so that all spheres within the reach are among the results. Such queries run on one thread at a time.
//
// Cost: one query for each rattler without close neighbours. If the reach grows to half a periodic axis,
// all spheres are tested.
#include "rearrange_inner.h"

#include <math.h>

void pile_nearest_step(const pile* p, const nearest* n, double step[3])
{
    for (int k = 0; k < 3; ++k)
        step[k] = n->gap < INFINITY ? -0.5 * p->def->attraction * n->gap * n->from[k] / n->distance : 0.0;
}

// In a tilted box the nearest image need not be the nearest along each axis: the surrounding ones are tested too.
static void look_around(const pile* p, int32_t i, int32_t j, nearest* best)
{
    double d[3] = {0.0, 0.0, 0.0}, offset[3];
    int on[3] = {0, 0, 0}, wide[3];
    for (int k = 0; k < p->dim; ++k)
        d[k] = p->x[i][k] - p->x[j][k];
    scree_lattice_shorten(p->periodic, p->length, p->tilt, p->dim, d, on);
    for (int k = 0; k < 3; ++k)
        wide[k] = p->periodic[k] ? 1 : 0;
    for (int z = -wide[2]; z <= wide[2]; ++z)
        for (int y = -wide[1]; y <= wide[1]; ++y)
            for (int x = -wide[0]; x <= wide[0]; ++x) {
                scree_lattice_offset(p->length, p->tilt, x - on[0], y - on[1], z - on[2], offset);
                nearest_look(p, i, j, offset, 0, best);
            }
}

// Of all others the nearest image. Equal gaps: the lowest rank.
static void look_at_all(const pile* p, int32_t i, nearest* best)
{
    *best = nearest_nobody();
    for (int32_t j = 0; j < p->n && p->tilted; ++j)
        if (j != i)
            look_around(p, i, j, best);
    if (p->tilted)
        return;
    for (int32_t j = 0; j < p->n; ++j) {
        double offset[3] = {0.0, 0.0, 0.0};
        for (int k = 0; k < p->dim; ++k)
            if (p->periodic[k])
                offset[k] = round((p->x[i][k] - p->x[j][k]) / p->length[k]) * p->length[k];
        if (j != i)
            nearest_look(p, i, j, offset, 0, best);
    }
}

scree_status pile_nearest(pile* p, int32_t i, nearest* best)
{
    double widest = INFINITY, longest = 0.0;
    for (int k = 0; k < p->dim; ++k) {
        widest = p->periodic[k] ? fmin(widest, 0.5 * p->length[k] * (1.0 - 1e-12)) : widest;  // no sphere of the index meets its own image
        longest = fmax(longest, p->length[k]);
    }
    const int wide = 2 * shift_most + 1;
    for (double reach = 1.01 * fmax(p->skin, best->gap < INFINITY ? best->gap : 0.0);; reach *= 2.0) {
        if (p->x[i][3] + reach > widest || reach > 2.0 * longest) {
            look_at_all(p, i, best);
            return SCREE_OK;
        }
        scree_neighbours near;
        scree_status status = scree_index_query(p->index, p->x[i], p->x[i][3] + reach, &near);
        if (status != SCREE_OK)
            return status;
        bool far = false;
        for (int64_t q = 0; q < near.count && !far; ++q) {
            if (near.j[q] == i)
                continue;
            int code = 0;
            if (near.shift != NULL) {
                const int8_t* s = near.shift[q];
                for (int k = 0; k < 3; ++k)
                    far = far || s[k] < -shift_most || s[k] > shift_most;
                code = s[0] + wide * (s[1] + wide * s[2]);
            }
            if (!far)
                nearest_look(p, i, near.j[q], p->offset[shift_codes / 2 + code], shift_codes / 2 + code, best);
        }
        if (far) {
            look_at_all(p, i, best);
            return SCREE_OK;
        }
        if (best->gap <= 0.999 * reach)
            return SCREE_OK;
    }
}
