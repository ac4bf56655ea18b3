// The stage: the scene moved to its centre and scaled so that its bounds have a half diagonal of 1. Everything after this
// works with numbers around 1, whether the set is measured in metres at 1e9 or in units of 1e-100.
//
// Images are never stored: each sphere has a range of shifts per periodic axis, and loops over the spheres go
// through the shifts too.
#include "picture/picture.h"

#include <math.h>
#include <string.h>

static const double most_images = 2e8;  // some 10 gigabytes

double scree_stage_shifts(const stage* s, int64_t i, double from[3], double to[3])
{
    const scree_sphere_set* set = s->set;
    double count = 1.0;
    for (int k = 0; k < 3; ++k) {
        from[k] = to[k] = 0.0;
        if (k >= set->dim || !set->has_box || !set->box.periodic[k])
            continue;
        double lower = set->box.lower[k], upper = set->box.upper[k], length = upper - lower;
        if (s->images == SCREE_IMAGES_NONE) {
            from[k] = -(double)s->copies;
            to[k] = (double)s->copies;
        } else {  // all whose body reaches into the boxes drawn
            double x = set->x[i * set->dim + k], r = set->r[i];
            double reach = (double)s->copies * length;
            from[k] = ceil((lower - reach - (x + r)) / length);
            to[k] = floor((upper + reach - (x - r)) / length);
            // What only touches a face from outside is not in; a centre on the upper face has its twin on the lower one.
            if (x + from[k] * length + r <= lower - reach)
                ++from[k];
            if (x + to[k] * length - r >= upper + reach)
                --to[k];
        }
        count *= to[k] >= from[k] ? to[k] - from[k] + 1.0 : 0.0;
    }
    return count;
}

// The bounds of all that is drawn, in the set's coordinates.
static scree_status find_bounds(const stage* s, bool with_box, double lower[3], double upper[3])
{
    const scree_sphere_set* set = s->set;
    double total = 0.0;
    for (int k = 0; k < 3; ++k) {
        lower[k] = INFINITY;
        upper[k] = -INFINITY;
    }
    for (int64_t i = 0; i < set->count; ++i) {
        double from[3], to[3], count = scree_stage_shifts(s, i, from, to);
        total += count;
        for (int k = 0; k < set->dim && count > 0.0; ++k) {
            double x = set->x[i * set->dim + k], r = set->r[i];
            double length = from[k] != 0.0 || to[k] != 0.0 ? set->box.upper[k] - set->box.lower[k] : 0.0;
            lower[k] = fmin(lower[k], x + from[k] * length - r);
            upper[k] = fmax(upper[k], x + to[k] * length + r);
        }
    }
    if (!(total <= most_images) && total > (double)set->count)
        return scree_fail(SCREE_ERR_ARGUMENT, "%.3g spheres would be drawn with all their images; expected at most %g",
                          total, most_images);
    if (set->count == INT32_MAX)  // the last number means something else (shade.c)
        return scree_fail(SCREE_ERR_ARGUMENT, "too many spheres; expected at most %d", INT32_MAX - 1);
    for (int k = 0; k < set->dim && set->has_box; ++k) {
        double length = set->box.upper[k] - set->box.lower[k];
        double reach = set->box.periodic[k] ? (double)s->copies * length : 0.0;
        if (set->box.periodic[k] && s->images == SCREE_IMAGES_FILL) {  // nothing sticks out
            lower[k] = set->box.lower[k] - reach;
            upper[k] = set->box.upper[k] + reach;
        } else if (with_box) {
            lower[k] = fmin(lower[k], isfinite(set->box.lower[k]) ? set->box.lower[k] - reach : INFINITY);
            upper[k] = fmax(upper[k], isfinite(set->box.upper[k]) ? set->box.upper[k] + reach : -INFINITY);
        }
    }
    for (int k = 0; k < 3; ++k)
        if (!(lower[k] <= upper[k]))  // no spheres and no wall, or the third axis of discs
            lower[k] = upper[k] = isfinite(lower[k]) ? lower[k] : isfinite(upper[k]) ? upper[k] : 0.0;
    return SCREE_OK;
}

static void add_plane(stage* s, const double normal[3], double position)
{
    double* plane = s->plane[s->plane_count++];
    memcpy(plane, normal, 3 * sizeof *plane);
    plane[3] = position;
}

scree_status scree_stage_bounds(const scree_sphere_set* set, const scree_picture_def* def, double lower[3], double upper[3])
{
    stage s = {.set = set, .images = def->images, .copies = def->copies};
    return find_bounds(&s, def->box, lower, upper);
}

scree_status scree_stage_make(const scree_sphere_set* set, const scree_picture_def* def, stage* out)
{
    *out = (stage){.set = set, .images = def->images, .copies = def->copies};
    double lower[3], upper[3], diagonal = 0.0;
    scree_status status = find_bounds(out, def->box, lower, upper);
    if (status != SCREE_OK)
        return status;
    // A view is in the centre, and as large as it is; the unit is such that all that is drawn lies within 1 of it.
    bool view = scree_picture_has_view(def, set->dim);
    double largest = 0.0, half[3], out_to[3];
    for (int k = 0; k < 3; ++k) {
        double low = view && k < set->dim ? def->view[k][0] : lower[k], high = view && k < set->dim ? def->view[k][1] : upper[k];
        out->centre[k] = 0.5 * low + 0.5 * high;
        half[k] = out_to[k] = 0.5 * (high - low);
        if (view)
            out_to[k] = fmax(half[k], fmax(upper[k] - out->centre[k], out->centre[k] - lower[k]));
        largest = fmax(largest, out_to[k]);
    }
    for (int k = 0; k < 3 && largest > 0.0; ++k) {
        double side = out_to[k] / largest;
        diagonal += side * side;
    }
    out->unit = largest > 0.0 ? 1.0 / largest / sqrt(diagonal) : 1.0;  // a lone point: any scale will do
    for (int k = 0; k < 3; ++k)
        out->half[k] = half[k] * out->unit;
    out->radius = view ? sqrt(out->half[0] * out->half[0] + out->half[1] * out->half[1] + out->half[2] * out->half[2]) : 1.0;
    out->has_box = set->has_box && def->box;
    for (int k = 0; k < 3; ++k) {
        bool has = k < set->dim && set->has_box;  // open sides end with the spheres
        double low = has && isfinite(set->box.lower[k]) ? set->box.lower[k] : lower[k];
        double high = has && isfinite(set->box.upper[k]) ? set->box.upper[k] : upper[k];
        out->lower[k] = (low - out->centre[k]) * out->unit;
        out->upper[k] = (high - out->centre[k]) * out->unit;
    }
    for (int k = 0; k < set->dim && def->images == SCREE_IMAGES_FILL; ++k) {
        if (!set->box.periodic[k])
            continue;
        double normal[3] = {0.0, 0.0, 0.0};
        double reach = (double)def->copies * (out->upper[k] - out->lower[k]);
        normal[k] = 1.0;
        add_plane(out, normal, out->upper[k] + reach);
        normal[k] = -1.0;
        add_plane(out, normal, reach - out->lower[k]);
    }
    if (def->cut) {
        double length = 0.0, position = def->cut_position, normal[3];
        for (int k = 0; k < set->dim; ++k)
            length = hypot(length, def->cut_normal[k]);
        for (int k = 0; k < 3; ++k) {
            normal[k] = k < set->dim ? def->cut_normal[k] / length : 0.0;
            position -= k < set->dim ? def->cut_normal[k] * out->centre[k] : 0.0;
        }
        add_plane(out, normal, position / length * out->unit);
    }
    return SCREE_OK;
}
