// Rods that leave a periodic box are cut at the faces that they cross:
//
//        +--------+                +--------+
//     i  |      o-|--o  image      |      o-|      the piece inside, and what is left of it moved by a box length
//        |        |    of j    ->  |        |
//        |o       |                |-o      |
//        +--------+                +--------+
//
// A rod is walked from its beginning: at the nearest face ahead it ends and continues at the opposite one. O(rods).
#include "view/rods.h"

#include "base/array.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { most_pieces = 16 };  // of one rod; contacts have at most 4

static scree_status check(const scree_rods* rods, int dim)
{
    for (int64_t n = 0; n < rods->count; ++n) {
        if (!isfinite(rods->value[n]))
            return scree_fail(SCREE_ERR_ARGUMENT, "rod %" PRId64 ": the value %g is not finite; expected a number", n, rods->value[n]);
        for (int e = 0; e < 2 * dim; ++e)
            if (!(fabs(rods->ends[n][e / dim][e % dim]) <= SCREE_LENGTH_MAX))
                return scree_fail(SCREE_ERR_ARGUMENT, "rod %" PRId64 ": end %d has %c = %g; expected a finite length", n, e / dim, "xyz"[e % dim],
                                  rods->ends[n][e / dim][e % dim]);
    }
    return SCREE_OK;
}

// The share of the way from a to b at which it first leaves the box, and by which axis; 1 if it does not.
static double leave_at(const scree_sphere_set* set, const double a[3], const double b[3], int* axis)
{
    double first = 1.0;
    for (int k = 0; k < set->dim; ++k) {
        if (!set->has_box || !set->box.periodic[k])
            continue;
        double way = b[k] - a[k], face = way > 0.0 ? set->box.upper[k] : set->box.lower[k];
        if (!(way > 0.0 ? b[k] > face : b[k] < face))
            continue;
        double share = fmax((face - a[k]) / way, 0.0);
        if (share < first) {
            first = share;
            *axis = k;
        }
    }
    return first;
}

// By this many edge vectors of the box.
static void go_back(const scree_sphere_set* set, int axis, double turns, double a[3], double b[3])
{
    for (int k = 0; k <= axis && turns != 0.0; ++k) {
        double edge = k == axis ? set->box.upper[k] - set->box.lower[k] : set->box.tilt[k + axis - 1];
        a[k] -= turns * edge;
        b[k] -= turns * edge;
    }
}

// So that a lies in the box, along the first `axes` axes.
static void wrap(const scree_sphere_set* set, int axes, double a[3], double b[3])
{
    for (int k = axes - 1; k >= 0 && set->has_box; --k) {
        double turns = 0.0, to = scree_box_wrap(&set->box, k, a[k], &turns);
        go_back(set, k, turns, a, b);
        a[k] = to;
    }
}

scree_status view_cut_rods(const scree_sphere_set* set, const scree_rods* rods, scree_rods* out)
{
    *out = (scree_rods){0};
    int64_t ends_capacity = 0, value_capacity = 0;
    scree_status status = check(rods, set->dim);
    for (int64_t n = 0; n < rods->count && status == SCREE_OK; ++n) {
        double a[3] = {0.0, 0.0, 0.0}, b[3] = {0.0, 0.0, 0.0};
        memcpy(a, rods->ends[n][0], (size_t)set->dim * sizeof *a);
        memcpy(b, rods->ends[n][1], (size_t)set->dim * sizeof *b);
        wrap(set, set->dim, a, b);
        for (int piece = 0, axis = -1; piece < most_pieces && status == SCREE_OK; ++piece, axis = -1) {
            double share = leave_at(set, a, b, &axis), end[3];
            for (int k = 0; k < 3; ++k)
                end[k] = a[k] + share * (b[k] - a[k]);
            if (axis >= 0)
                end[axis] = b[axis] > a[axis] ? set->box.upper[axis] : set->box.lower[axis];
            else
                memcpy(end, b, sizeof end);
            status = SCREE_RESERVE(out->ends, ends_capacity, out->count + 1);
            if (status == SCREE_OK)
                status = SCREE_RESERVE(out->value, value_capacity, out->count + 1);
            if (status != SCREE_OK)
                break;
            memcpy(out->ends[out->count][0], a, sizeof a);
            memcpy(out->ends[out->count][1], end, sizeof end);
            out->value[out->count++] = rods->value[n];
            if (axis < 0)
                break;
            double turn = b[axis] > a[axis] ? 1.0 : -1.0, face = b[axis] > end[axis] ? set->box.lower[axis] : set->box.upper[axis];
            memcpy(a, end, sizeof a);
            go_back(set, axis, turn, a, b);
            a[axis] = face;
            if (scree_box_is_tilted(&set->box))
                wrap(set, axis, a, b);
        }
    }
    if (status != SCREE_OK)
        scree_rods_free(out);
    return status;
}
