// Sums over groups of spheres: mass, centre of mass, momentum, energies, granular temperature; and what went through a plane between two snapshots. O(n).
#include "measure/snapshot.h"

#include "base/argument.h"

#include <inttypes.h>
#include <math.h>

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

scree_status scree_measure_groups(const scree_snapshot* snapshot, scree_group_table* out)
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

void scree_group_table_free(scree_group_table* table)
{
    if (table == NULL)
        return;
    scree_free(table->groups);
    *table = (scree_group_table){0};
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

scree_status scree_measure_flow(const scree_snapshot* before, const scree_snapshot* after, int32_t axis, double at, scree_flow* out)
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
        return scree_fail(SCREE_ERR_ARGUMENT, "flow: %" PRId32 " spheres in %dD before and %" PRId32 " in %dD after; the same spheres were expected", look.n,
                          look.dim, later.n, later.dim);
    if (axis < 0 || axis >= look.dim)
        return scree_fail(SCREE_ERR_ARGUMENT, "flow: axis %" PRId32 "; 0 to %d was expected", axis, look.dim - 1);
    if (!(at >= before->box.lower[axis] && at <= before->box.upper[axis]))
        return scree_fail(SCREE_ERR_ARGUMENT, "flow: the plane %c = %g is outside of the box, %g to %g", "xyz"[axis], at, before->box.lower[axis],
                          before->box.upper[axis]);
    scree_flow found = {0};
    for (int64_t i = 0; i < look.n; ++i) {
        int64_t times = crossings(&before->box, axis, at, before->spheres.x[i * look.dim + axis], after->spheres.x[i * look.dim + axis]);
        found.forward += times > 0 ? times : 0;
        found.backward -= times < 0 ? times : 0;
        found.mass += (double)times * snapshot_mass(&look, i);
    }
    *out = found;
    return SCREE_OK;
}
