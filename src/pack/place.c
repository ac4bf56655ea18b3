// Checks and messages that all placing methods share: the def, radii, boxes.
#include "pack/place.h"

#include "base/argument.h"
#include "geom/length.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

SCREE_DEFAULTS_OF(scree_place_def, scree_default_place_def)
{
    return (scree_place_def){.struct_size = sizeof(scree_place_def),
                             .box = scree_box_sized(3, (double[3]){1.0, 1.0, 1.0}),
                             .seed = 1,
                             .tries = 1000000};
}

// ---- Shared --------------------------------------------------------------------------------------------------------

double placing_ball(int dim, double r)
{
    const double pi = 3.14159265358979323846;
    return dim == 2 ? pi * r * r : 4.0 / 3.0 * pi * r * r * r;
}

scree_status placing_check_numbers(const char* what, const placing_number* numbers, size_t count, int32_t threads)
{
    for (size_t k = 0; k < count; ++k)
        if (!(numbers[k].value >= numbers[k].least && numbers[k].value <= numbers[k].most))
            return scree_fail(SCREE_ERR_ARGUMENT, "%s: %s = %g; expected %g to %g", what, numbers[k].name, numbers[k].value,
                              numbers[k].least, numbers[k].most);
    if (threads < 0)
        return scree_fail(SCREE_ERR_ARGUMENT, "%s: threads = %d; expected 0 (all cores) or more", what, (int)threads);
    return SCREE_OK;
}

scree_status placing_check_ends(const char* what, const scree_box* box)
{
    for (int k = 0; k < box->dim; ++k)
        if (isinf(box->lower[k]) || isinf(box->upper[k]) || !(box->upper[k] > box->lower[k]))
            return scree_fail(SCREE_ERR_ARGUMENT, "%s: the box goes from %g to %g on axis %c; expected finite bounds with upper above lower", what,
                              box->lower[k], box->upper[k], "xyz"[k]);
    return SCREE_OK;
}

scree_status placing_check_radii(const char* what, int32_t count, const double* r)
{
    if (count < 0)
        return scree_fail(SCREE_ERR_ARGUMENT, "%s: count = %" PRId32 "; expected 0 or more", what, count);
    if (count > 0 && r == NULL)
        return scree_fail(SCREE_ERR_ARGUMENT, "%s: r is NULL; expected the radii of %" PRId32 " spheres", what, count);
    for (int32_t i = 0; i < count; ++i)
        if (!(r[i] > 0.0) || !scree_is_length(r[i]))
            return scree_fail(SCREE_ERR_ARGUMENT, "sphere %" PRId32 ": radius %g; expected %g to %g", i, r[i], SCREE_LENGTH_MIN,
                              SCREE_LENGTH_MAX);
    return SCREE_OK;
}

// ---- Placing -------------------------------------------------------------------------------------------------------

double placing_share(const placing* p, double r)
{
    const double pi = 3.14159265358979323846;
    if (r == 0.0)
        return 0.0;  // also in a box without volume
    double share = (p->dim == 2 ? pi : 4.0 / 3.0 * pi) / p->fill;
    for (int k = 0; k < p->dim; ++k)
        share *= r / p->length[k];
    return share;
}

static double round_up(double length)
{
    if (!(length > 0.0))
        return 0.0;
    double unit = pow(10.0, floor(log10(length)) - 4.0);
    return ceil(length / unit * (1.0 - 1e-12)) * unit;  // what is round already stays
}

placing_text placing_box_text(const placing* p, double factor)
{
    placing_text out = {""};
    int used = 0;
    for (int k = 0; k < p->dim; ++k)
        used += snprintf(out.text + used, sizeof out.text - (size_t)used, "%s%.5g", k > 0 ? " x " : "",
                         round_up(p->length[k] * factor));
    return out;
}

void placing_report(const placing* p, scree_place_report report)
{
    report.density_asked = p->share;
    if (p->def->report != NULL)
        *p->def->report = report;
}

bool placing_goes_on(const placing* p, double done)
{
    return p->def->watch.tick == NULL || p->def->watch.tick(p->def->watch.context, done);
}

scree_status placing_stopped(const placing* p, int32_t placed)
{
    return scree_fail(SCREE_ERR_CANCELLED, "%s: stopped on request, with %" PRId32 " of %" PRId32 " spheres placed", p->what,
                      placed, p->count);
}

// ---- Checks --------------------------------------------------------------------------------------------------------

static scree_status check_def(const scree_place_def* def, const char* what)
{
    scree_status fits = scree_check_struct_size(what, "scree_default_place_def", def->struct_size, sizeof *def, sizeof *def);
    if (fits != SCREE_OK)
        return fits;
    if (def->tries < 1)
        return scree_fail(SCREE_ERR_ARGUMENT, "%s: tries = %" PRId64 "; expected 1 or more", what, def->tries);
    if (def->threads < 0)
        return scree_fail(SCREE_ERR_ARGUMENT, "%s: threads = %d; expected 0 (all cores) or more", what, (int)def->threads);
    scree_status status = scree_container_check(&(scree_container){.kind = def->container, .box = def->box});
    for (int k = 0; status == SCREE_OK && k < def->box.dim; ++k)
        if (isinf(def->box.lower[k]) || isinf(def->box.upper[k]))
            status = scree_fail(SCREE_ERR_ARGUMENT,
                                "%s: the box is open on axis %c (%g to %g); expected finite bounds", what,
                                "xyz"[k], def->box.lower[k], def->box.upper[k]);
    return status;
}

static scree_status check_radii(placing* p)
{
    p->largest = -1;
    for (int32_t i = 0; i < p->count; ++i) {
        double r = p->r[i];
        if (!(r >= 0.0) || isinf(r))
            return scree_fail(SCREE_ERR_ARGUMENT, "sphere %" PRId32 ": radius %g; expected a length of 0 or more", i, r);
        if (!scree_is_length(r))
            return scree_fail(SCREE_ERR_ARGUMENT, "sphere %" PRId32 ": radius %g; expected 0, or %g to %g", i, r,
                              SCREE_LENGTH_MIN, SCREE_LENGTH_MAX);
        if (p->largest < 0 || r > p->r_max) {
            p->largest = i;
            p->r_max = r;
        }
    }
    return SCREE_OK;
}

// Whether the largest sphere has a place at all. A sphere longer than a periodic box overlaps its own image.
static scree_status check_largest(const placing* p)
{
    const scree_box* box = &p->def->box;
    for (int k = 0; p->largest >= 0 && k < p->dim; ++k) {
        if (box->periodic[k] && 2.0 * p->r_max > p->length[k] && !scree_box_is_tilted(box))
            return scree_fail(SCREE_ERR_ARGUMENT,
                              "%s: sphere %" PRId32 ", diameter %g, would overlap its own image: the periodic box is %g long on axis "
                              "%c; expected at least its diameter",
                              p->what, p->largest, 2.0 * p->r_max, p->length[k], "xyz"[k]);
        if (!box->periodic[k] && !(box->lower[k] + p->r_max <= box->upper[k] - p->r_max))
            return scree_fail(SCREE_ERR_ARGUMENT,
                              "%s: sphere %" PRId32 ", diameter %g, does not fit between the walls at %g and %g on axis %c; expected them "
                              "at least its diameter apart",
                              p->what, p->largest, 2.0 * p->r_max, box->lower[k], box->upper[k], "xyz"[k]);
    }
    if (p->largest >= 0 && scree_box_is_tilted(box) && 2.0 * p->r_max > scree_box_period(box) * (1.0 + 1e-12))
        return scree_fail(SCREE_ERR_ARGUMENT, "%s: sphere %" PRId32 ", diameter %g, would overlap its own image; expected at most %g, its distance in the tilted periodic box", p->what,
                          p->largest, 2.0 * p->r_max, scree_box_period(box));
    if (p->largest >= 0 && p->container.kind != SCREE_CONTAINER_BOX && p->r_max > scree_container_largest(&p->container))
        return scree_fail(SCREE_ERR_ARGUMENT, "%s: sphere %" PRId32 ", diameter %g, does not fit into the %s; expected a diameter of at most %g",
                          p->what, p->largest, 2.0 * p->r_max, scree_container_name(p->container.kind),
                          2.0 * scree_container_largest(&p->container));
    return SCREE_OK;
}

scree_status placing_make(const scree_place_def* def, const char* what, int32_t count, const double* r, const double* x,
                          placing* out)
{
    scree_status status = check_def(def, what);
    if (status != SCREE_OK)
        return status;
    if (count < 0)
        return scree_fail(SCREE_ERR_ARGUMENT, "%s: count = %" PRId32 "; expected 0 or more", what, count);
    if (count > 0 && (r == NULL || x == NULL))
        return scree_fail(SCREE_ERR_ARGUMENT, "%s: %" PRId32 " spheres, but %s", what, count,
                          r == NULL ? "r is NULL; expected their radii" : "x is NULL; expected an array for their centres");
    placing p = {.def = def, .what = what, .dim = def->box.dim, .count = count, .r = r};
    for (int k = 0; k < p.dim; ++k)
        p.length[k] = def->box.upper[k] - def->box.lower[k];
    const double pi = 3.14159265358979323846;
    p.container = (scree_container){.kind = def->container, .box = def->box};
    p.fill = def->container == SCREE_CONTAINER_BOX ? 1.0 : def->container == SCREE_CONTAINER_CYLINDER || p.dim == 2 ? pi / 4.0 : pi / 6.0;
    status = check_radii(&p);
    if (status == SCREE_OK)
        status = check_largest(&p);
    if (status != SCREE_OK)
        return status;
    for (int32_t i = 0; i < count; ++i)
        p.share += placing_share(&p, r[i]);
    *out = p;
    return SCREE_OK;
}
