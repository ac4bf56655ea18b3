// Sums over groups of spheres: mass, centre of mass, momentum, energies, granular temperature; and what went through a plane between two snapshots. O(n).
#include "measure/snapshot.h"

#include "base/argument.h"
#include "geom/lattice.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static int32_t group_of(const looked_at* look, int64_t i)
{
    return look->s->group != NULL ? look->s->group[i] : 0;
}

static double spin_square(const looked_at* look, int64_t i)
{
    const double* w = look->s->spin;
    if (look->dim == 2)
        return w[i] * w[i];
    return w[3 * i] * w[3 * i] + w[3 * i + 1] * w[3 * i + 1] + w[3 * i + 2] * w[3 * i + 2];
}

static void add_up(const looked_at* look, scree_group_sums* groups)
{
    for (int64_t i = 0; i < look->n; ++i) {
        scree_group_sums* g = &groups[group_of(look, i)];
        double mass = snapshot_mass(look, i), r = look->s->spheres.r[i], x[3], v[3];
        snapshot_centre(look, i, x);
        snapshot_velocity(look, i, v);
        ++g->count;
        g->mass += mass;
        for (int k = 0; k < 3; ++k) {
            g->centre[k] += mass * x[k];
            g->momentum[k] += mass * v[k];
            g->energy_gravity -= mass * look->s->gravity[k] * x[k];
        }
        g->energy_kinetic += 0.5 * mass * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
        if (look->s->spin != NULL)
            g->energy_rotation += 0.5 * (look->dim == 2 ? 0.5 : 0.4) * mass * r * r * spin_square(look, i);
    }
}

// About the mean velocity of each group, in a pass of its own: a fast drift would leave nothing but rounding errors.
static void add_temperatures(const looked_at* look, int32_t count, scree_group_sums* groups)
{
    for (int64_t i = 0; i < look->n; ++i) {
        scree_group_sums* g = &groups[group_of(look, i)];
        double mass = snapshot_mass(look, i), v[3];
        snapshot_velocity(look, i, v);
        for (int k = 0; k < 3 && g->mass > 0.0; ++k) {
            double own = v[k] - g->momentum[k] / g->mass;
            g->temperature += mass * own * own;
        }
    }
    for (int32_t n = 0; n < count; ++n) {
        scree_group_sums* g = &groups[n];
        g->group = n;
        g->temperature = g->mass > 0.0 ? g->temperature / (look->dim * g->mass) : 0.0;
        for (int k = 0; k < 3; ++k)
            g->centre[k] = g->mass > 0.0 ? g->centre[k] / g->mass : NAN;
    }
}

SCREE_RESULT_OF(scree_group_table, scree_measure_groups, (const scree_snapshot* snapshot, scree_group_table* out), (snapshot, out))
{
    SCREE_EMPTY(out);
    SCREE_NEED(snapshot);
    looked_at look;
    scree_status status = snapshot_check(snapshot, &look);
    if (status != SCREE_OK)
        return status;
    int32_t count = 0;
    for (int64_t i = 0; i < look.n; ++i)
        count = group_of(&look, i) + 1 > count ? group_of(&look, i) + 1 : count;
    scree_group_sums* groups = scree_calloc((size_t)count, sizeof *groups);
    if (groups == NULL)
        return SCREE_ERR_MEMORY;
    add_up(&look, groups);
    add_temperatures(&look, count, groups);
    *out = (scree_group_table){.count = count, .groups = groups};
    return SCREE_OK;
}

SCREE_RELEASE_OF(scree_group_table, scree_group_table_free)
{
    if (given == NULL)
        return;
    scree_free(given->groups);
    *given = (scree_group_table){0};
}

// ---- Flow --------------------------------------------------------------------------------------------------------

// How often the way from a to b crosses the plane, or an image of it; below 0: backwards.
static int64_t crossings(const scree_box* box, int axis, double at, double a, double b)
{
    if (!box->periodic[axis])
        return (b >= at) - (a >= at);
    double length = box->upper[axis] - box->lower[axis], way = b - a;
    way -= length * round(way / length);
    return (int64_t)(floor((a + way - at) / length) - floor((a - at) / length));
}

// Coordinates along the vectors of the cell, in their lengths. Axes without images have none: they are not tilted either.
static void to_cell(const looked_at* look, const scree_box* box, const double* x, double s[3])
{
    for (int k = look->dim - 1; k >= 0; --k) {
        s[k] = x[k] - box->lower[k];
        for (int later = k + 1; later < look->dim; ++later)
            s[k] -= scree_lattice_tilt(look->tilt, k, later) * s[later];
        s[k] = box->periodic[k] ? s[k] / look->length[k] : 0.0;
    }
}

// The same in a tilted box, of which some tilt refers to the axis: the plane is that of the other two vectors of the cell, for only such a plane has one image per cell. Wrapping at another face moves
// spheres along this axis too, so that the way is the shortest along all vectors.
static int64_t crossings_in_tilted(const looked_at* look, const scree_box* box, int axis, double at, const double* a, const double* b)
{
    double from[3], to[3], here = (at - box->lower[axis]) / look->length[axis];
    to_cell(look, box, a, from);
    to_cell(look, box, b, to);
    double way = to[axis] - from[axis];
    way -= round(way);
    return (int64_t)(floor(from[axis] + way - here) - floor(from[axis] - here));
}

static bool is_tilted_along(const looked_at* look, int axis)
{
    bool any = false;
    for (int later = axis + 1; later < look->dim; ++later)
        any = any || scree_lattice_tilt(look->tilt, axis, later) != 0.0;
    return any;
}

SCREE_RESULT_OF(scree_flow, scree_measure_flow, (const scree_snapshot* before, const scree_snapshot* after, int32_t axis, double at, scree_flow* out), (before, after, axis, at, out))
{
    SCREE_EMPTY(out);
    SCREE_NEED(before);
    SCREE_NEED(after);
    looked_at look, later;
    scree_status status = snapshot_check(before, &look);
    if (status == SCREE_OK)
        status = snapshot_check(after, &later);
    if (status != SCREE_OK)
        return status;
    if (look.n != later.n || look.dim != later.dim)
        return scree_fail(SCREE_ERR_ARGUMENT, "flow: %" PRId32 " spheres in %dD before and %" PRId32 " in %dD after; expected the same spheres", look.n,
                          look.dim, later.n, later.dim);
    if (axis < 0 || axis >= look.dim)
        return scree_fail(SCREE_ERR_ARGUMENT, "flow: axis %" PRId32 "; expected 0 to %d", axis, look.dim - 1);
    if (!(at >= before->box.lower[axis] && at <= before->box.upper[axis]))
        return scree_fail(SCREE_ERR_ARGUMENT, "flow: the plane %c = %g is outside of the box; expected from %g to %g", "xyz"[axis], at, before->box.lower[axis],
                          before->box.upper[axis]);
    bool tilted = is_tilted_along(&look, axis);
    if ((tilted || is_tilted_along(&later, axis)) && memcmp(look.tilt, later.tilt, sizeof look.tilt) != 0)
        return scree_fail(SCREE_ERR_UNSUPPORTED, "flow: the tilts of the box, %g %g %g and then %g %g %g, differ, so no plane across %c is fixed; expected an axis that the tilts do not change", look.tilt[0],
                          look.tilt[1], look.tilt[2], later.tilt[0], later.tilt[1], later.tilt[2], "xyz"[axis]);
    scree_flow found = {0};
    for (int64_t i = 0; i < look.n; ++i) {
        const double *a = before->spheres.x + i * look.dim, *b = after->spheres.x + i * look.dim;
        int64_t times = tilted ? crossings_in_tilted(&look, &before->box, axis, at, a, b) : crossings(&before->box, axis, at, a[axis], b[axis]);
        found.forward += times > 0 ? times : 0;
        found.backward -= times < 0 ? times : 0;
        found.mass += (double)times * snapshot_mass(&look, i);
    }
    *out = found;
    return SCREE_OK;
}
