// Where the box of a sphere begins and ends on one axis, as a number that sorts: and how often, where the axis is
// periodic.
//
// Ends are keys: the bits of the double, turned so that they sort as whole numbers, with the last bit taken for what it
// is, 0 where a box begins (rounded down) and 1 where it ends (rounded up). So one comparison orders values and puts a
// begin before an end of equal value, a begin never equals an end, and the smallest box has its begin before its end.
//
// The box of a sphere is x -+ h, h = r + G/2 (0 where that is negative), and a margin on either side. It is wide enough
// that every pair (i, j, s), of spheres or of boxes, has boxes that meet as keys. With u = 2^-53 and d = fl(fl(x_i - x_j) -
// fl(s L)), a pair has |d| <= fl(fl(r_i + r_j) + G) on each axis (pair.h; for boxes their half sides stand in place of
// the radii), hence, in real numbers and up to factors 1 + 8 u,
//
//     |x_i - x_j - s L| - (r_i + r_j + G)
//         <=  u (|x_i - x_j| + |s L| + |d| + 2 (r_i + r_j + |G|))  <=  3 u (T_i + T_j),
//
// T = |x| + (A + 1) L + r + |G| with A >= |s|. An end is computed as ((x + fl(a L)) -+ h) -+ margin with h = fl(r +
// G/2) and |a| <= A + 1: five roundings of numbers up to T, among them the margin's own, less than 5 u T. So 8 u T for
// each sphere are enough; the margin is 16 u T, 8 DBL_EPSILON T. It is too generous by design, and of no weight: at
// coordinates of 1e12 radii it is 0.2 % of a radius.
//
// Images. On a periodic axis a box is listed wherever it meets the cell [lower, upper):
//
//          |       [.....m.....]       |        main: the image whose begin lies in the cell; just one
//          |                        [..|..m.....]       and, if it ends beyond the cell, ghosts: 1, 2 ... boxes back
//     [....|.g.....]                   |
//
// Two boxes meet as i at a L and j at b L for b - a = s and any a. Look at the place where they begin to share: the
// begin of one of them. Moved by whole boxes until that lies in the cell, the one that begins there is the main image
// of its sphere, and the other one is its own main image or a ghost that reaches into the cell. So it is enough, axis
// by axis, to look at two intervals of which at least one is main, and then each s comes up just once: two ghosts of
// the same shift stand one box back from a main one. This is whole-number logic and exact, if ghosts are listed a
// little earlier than they reach the cell: the begin of a main image may be short of `lower` by rounding, 10 u T at
// most; `slack` is 32 u T for the largest T of the axis. (The begin may also lie at `upper` by rounding: nothing above
// asks for more than `the last image that begins in the cell, or 0`.)
#ifndef SCREE_INDEX_BOX_ENDS_H
#define SCREE_INDEX_BOX_ENDS_H

#include "index/method.h"

#include <float.h>
#include <math.h>
#include <string.h>

typedef struct box_axis {
    bool periodic;
    double lower, upper, length;  // periodic only
    double half_gap;
    double fixed;                 // the part of T that is the same for all
    double slack;
} box_axis;

static inline box_axis box_axis_of(const items* it, int k)
{
    box_axis a = {.half_gap = 0.5 * it->gap, .fixed = fabs(it->gap)};
    if (it->periodic[k]) {
        // Diameters are at most L, whatever comes later, so |s| < (L + G) / L + 1.
        double images = ceil(fmax(it->gap, 0.0) / it->length[k]) + 2.0;
        a.periodic = true;
        a.lower = it->lower[k];
        a.length = it->length[k];
        a.upper = a.lower + a.length;
        a.fixed += (images + 1.0) * a.length;
        a.slack = 16.0 * DBL_EPSILON * (fabs(a.lower) + 2.0 * a.length + a.fixed);
    }
    return a;
}

static inline double box_margin(const box_axis* a, double x, double r)
{
    return 8.0 * DBL_EPSILON * (fabs(x) + r + a->fixed);
}

static inline double box_half_side(const box_axis* a, double r)
{
    double h = r + a->half_gap;
    return h > 0.0 ? h : 0.0;
}

static inline double box_begin(const box_axis* a, double x, double r, int image)
{
    return ((x + image * a->length) - box_half_side(a, r)) - box_margin(a, x, r);
}

static inline double box_end(const box_axis* a, double x, double r, int image)
{
    return ((x + image * a->length) + box_half_side(a, r)) + box_margin(a, x, r);
}

static inline int64_t box_key(double x)
{
    int64_t bits;
    x += 0.0;  // -0 is 0
    memcpy(&bits, &x, sizeof bits);
    return bits < 0 ? bits ^ INT64_MAX : bits;
}

static inline double box_value(int64_t key)
{
    double x;
    key = key < 0 ? key ^ INT64_MAX : key;
    memcpy(&x, &key, sizeof x);
    return x;
}

static inline void box_ends(const box_axis* a, double x, double r, int image, int64_t end[2])
{
    end[0] = box_key(box_begin(a, x, r, image)) & ~INT64_C(1);
    end[1] = box_key(box_end(a, x, r, image)) | 1;
}

// An int, because it is often one of several that are joined without branches.
static inline int box_meets(const int64_t a[2], const int64_t b[2])
{
    return (a[0] < b[1]) & (b[0] < a[1]);
}

// The number of the main image, and of ghosts: main - 1 .. main - ghosts.
static inline void box_images(const box_axis* a, double x, double r, int* main_image, int* ghosts)
{
    *main_image = *ghosts = 0;
    if (!a->periodic)
        return;
    while (box_begin(a, x, r, *main_image + 1) < a->upper)
        ++*main_image;
    while (box_end(a, x, r, *main_image - *ghosts - 1) >= a->lower - a->slack)
        ++*ghosts;
}

#endif
