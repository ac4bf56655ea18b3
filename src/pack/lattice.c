// A cubic lattice, in 2D a square one: a start that is known to the last bit.
//
//     |  o    o    o  |     n = floor(L / s) sites on an axis of length L, the first half a spacing s from the lower face.
//     |               |     The remainder stays empty at the upper face.
//
// The largest spacing for N sites: their number falls in steps as s grows, and the last step with enough sites is found by
// bisection. There s is L_k / n_k on some axis k; computing it from this formula removes the rounding of the bisection.
// All of this scales: a box of the same shape for N sites of another spacing has sides larger by the ratio of the spacings.
//
// O(N). A lattice is a poor start for packings: its order takes long to disappear, and in a flat box its spacing is at most the shortest side.
#include "pack/place.h"

#include "base/argument.h"
#include "geom/length.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>

// Sites along axis k. L and s are given in decimals and each has been rounded: 0.026 / 0.002 shall be 13.
static double sites_along(const placing* p, int k, double spacing)
{
    double rounding = 4.0 * DBL_EPSILON * (fabs(p->def->box.lower[k]) + fabs(p->def->box.upper[k]));
    return floor((p->length[k] + rounding) / spacing);
}

static double sites(const placing* p, double spacing)
{
    double product = 1.0;
    for (int k = 0; k < p->dim; ++k)
        product *= sites_along(p, k, spacing);
    return product;
}

// 0: the box has a side without length.
static double largest_spacing(const placing* p)
{
    double above = INFINITY, count = fmax(p->count, 1.0);
    for (int k = 0; k < p->dim; ++k)
        above = fmin(above, p->length[k]);
    if (above == 0.0 || sites(p, above) >= count)
        return above;
    double enough = above / 2.0;
    while (sites(p, enough) < count) {
        above = enough;
        enough /= 2.0;
    }
    for (int halving = 0; halving < 60; ++halving) {
        double middle = enough + (above - enough) / 2.0;
        if (sites(p, middle) >= count)
            enough = middle;
        else
            above = middle;
    }
    double spacing = INFINITY;
    for (int k = 0; k < p->dim; ++k)
        spacing = fmin(spacing, p->length[k] / sites_along(p, k, enough));
    return spacing;
}

static scree_status choose_spacing(const placing* p, double* spacing)
{
    if (!(*spacing == 0.0 || (*spacing >= SCREE_LENGTH_MIN && *spacing <= SCREE_LENGTH_MAX)))
        return scree_fail(SCREE_ERR_ARGUMENT, "%s: spacing = %g; expected %g to %g, or 0 for the largest that fits", p->what,
                          *spacing, SCREE_LENGTH_MIN, SCREE_LENGTH_MAX);
    double largest = largest_spacing(p), diameter = 2.0 * p->r_max;
    if (diameter > largest && p->count > 0 && sites(p, diameter) >= p->count)
        largest = diameter;  // short of it by rounding only
    if (largest == 0.0 && p->count > 0)
        return scree_fail(SCREE_ERR_ARGUMENT, "%s: the box, %s, has a side of length 0; expected a length above 0", p->what,
                          placing_box_text(p, 1.0).text);
    if (*spacing == 0.0 && diameter > largest)
        return scree_fail(SCREE_ERR_ARGUMENT,
                          "%s: %" PRId32 " sites in this box are at most %g apart, and sphere %" PRId32 " has diameter %g; expected a box of "
                          "at least %s",
                          p->what, p->count, largest, p->largest, diameter, placing_box_text(p, diameter / largest).text);
    if (*spacing == 0.0)
        *spacing = largest;
    if (diameter > *spacing)
        return scree_fail(SCREE_ERR_ARGUMENT,
                          "%s: sphere %" PRId32 " has diameter %g, more than the spacing %g; expected a spacing of %g in a box of at least "
                          "%s",
                          p->what, p->largest, diameter, *spacing, diameter,
                          placing_box_text(p, fmax(1.0, diameter / largest)).text);
    if (sites(p, *spacing) < p->count)
        return scree_fail(SCREE_ERR_ARGUMENT,
                          "%s: with spacing %g this box has %.0f sites for %" PRId32 " spheres; expected a box of at least %s, or a spacing of "
                          "at most %g",
                          p->what, *spacing, sites(p, *spacing), p->count, placing_box_text(p, *spacing / largest).text, largest);
    return SCREE_OK;
}

scree_status scree_place_lattice(const scree_place_def* def, double spacing, int32_t count, const double* r, double* x)
{
    SCREE_NEED(def);
    placing p;
    scree_status status = placing_make(def, "lattice", count, r, x, &p);
    if (status == SCREE_OK)
        status = scree_box_reject_tilt(&def->box, "lattice");
    if (status == SCREE_OK && def->container != SCREE_CONTAINER_BOX)
        status = scree_fail(SCREE_ERR_ARGUMENT, "lattice: container is a %s; expected a box",
                            scree_container_name(def->container));
    if (status == SCREE_OK)
        status = choose_spacing(&p, &spacing);
    if (status != SCREE_OK)
        return status;
    if (!placing_goes_on(&p, 0.0))  // once: a site takes nanoseconds
        return placing_stopped(&p, 0);
    const scree_box* box = &def->box;
    int64_t along[3] = {0, 0, 0};
    for (int k = 0; k < p.dim; ++k)
        along[k] = (int64_t)fmin(sites_along(&p, k, spacing), count);  // no row is longer than all of them
    for (int64_t i = 0; i < count; ++i) {
        int64_t rest = i;
        for (int k = 0; k < p.dim; ++k, rest /= along[k - 1]) {
            double at = box->lower[k] + ((double)(rest % along[k]) + 0.5) * spacing;
            // Whole bodies inside, also where spheres of the diameter of the spacing touch a wall and rounding would carry them over.
            x[i * p.dim + k] = box->periodic[k] ? at : fmin(fmax(at, box->lower[k] + r[i]), box->upper[k] - r[i]);
        }
    }
    placing_report(&p, (scree_place_report){.placed = count, .density = p.share, .spacing = spacing});
    return SCREE_OK;
}
