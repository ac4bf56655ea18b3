// Snapshots: spheres of one moment with velocities, groups and contacts. Everything that comes from outside is checked here once, so that the measures themselves
// need not look again. O(spheres + contacts).
#include "measure/snapshot.h"

#include "base/argument.h"
#include "geom/lattice.h"

#include <inttypes.h>
#include <math.h>

SCREE_DEFAULTS_OF(scree_snapshot, scree_default_snapshot)
{
    return (scree_snapshot){.struct_size = sizeof(scree_snapshot), .box = scree_box_open(3)};
}

double snapshot_sphere_volume(const looked_at* look, int64_t i)
{
    const double pi = 3.14159265358979323846;
    double r = look->s->spheres.r[i];
    return look->dim == 2 ? pi * r * r : 4.0 / 3.0 * pi * r * r * r;
}

double snapshot_mass(const looked_at* look, int64_t i)
{
    return look->s->mass != NULL ? look->s->mass[i] : snapshot_sphere_volume(look, i);
}

void snapshot_centre(const looked_at* look, int64_t i, double x[3])
{
    for (int k = 0; k < 3; ++k)
        x[k] = k < look->dim ? look->s->spheres.x[i * look->dim + k] : 0.0;
}

void snapshot_velocity(const looked_at* look, int64_t i, double v[3])
{
    for (int k = 0; k < 3; ++k)
        v[k] = k < look->dim && look->s->v != NULL ? look->s->v[i * look->dim + k] : 0.0;
}

void snapshot_branch(const looked_at* look, int64_t c, double d[3])
{
    const scree_sim_contacts* contacts = look->s->contacts;
    int64_t i = contacts->ij[c][0], j = contacts->ij[c][1];
    double a[3], b[3] = {0.0};
    snapshot_centre(look, i, a);
    if (j >= 0)
        snapshot_centre(look, j, b);
    double offset[3] = {0.0, 0.0, 0.0};
    if (contacts->shift != NULL)
        scree_lattice_offset(look->length, look->tilt, contacts->shift[c][0], contacts->shift[c][1], contacts->shift[c][2], offset);
    for (int k = 0; k < 3; ++k) {
        if (j < 0)
            d[k] = k < look->dim ? (look->s->spheres.r[i] - contacts->overlap[c]) * contacts->normal[c][k] : 0.0;
        else
            d[k] = (a[k] - b[k]) - offset[k];
    }
}

static scree_status check_box(const scree_snapshot* s)
{
    scree_status status = scree_container_check(&(scree_container){.kind = s->container, .box = s->box});
    for (int k = 0; status == SCREE_OK && k < s->box.dim; ++k)
        if (!(s->box.upper[k] - s->box.lower[k] > 0.0) || isinf(s->box.upper[k] - s->box.lower[k]))
            status = scree_fail(SCREE_ERR_ARGUMENT, "snapshot: the box goes from %g to %g on axis %c; expected a length above 0", s->box.lower[k],
                                s->box.upper[k], "xyz"[k]);
    return status;
}

static scree_status check_spheres(const scree_snapshot* s)
{
    int dim = s->spheres.dim;
    for (int64_t i = 0; i < s->spheres.count; ++i) {
        if (s->mass != NULL && (!(s->mass[i] >= 0.0) || isinf(s->mass[i])))
            return scree_fail(SCREE_ERR_ARGUMENT, "snapshot: sphere %" PRId64 ": mass = %g; expected 0 or more", i, s->mass[i]);
        for (int k = 0; k < dim && s->v != NULL; ++k)
            if (!isfinite(s->v[i * dim + k]))
                return scree_fail(SCREE_ERR_ARGUMENT, "snapshot: sphere %" PRId64 ": velocity %c = %g is not finite; expected a number", i, "xyz"[k], s->v[i * dim + k]);
        for (int k = 0; k < (dim == 2 ? 1 : 3) && s->spin != NULL; ++k) {
            double spin = s->spin[dim == 2 ? i : 3 * i + k];
            if (!isfinite(spin))
                return scree_fail(SCREE_ERR_ARGUMENT, "snapshot: sphere %" PRId64 ": spin %c = %g is not finite; expected a number", i, "xyz"[dim == 2 ? 2 : k], spin);
        }
        if (s->group != NULL && (s->group[i] < 0 || s->group[i] > UINT16_MAX))
            return scree_fail(SCREE_ERR_ARGUMENT, "snapshot: sphere %" PRId64 ": group %" PRId32 "; expected 0 to %d", i, s->group[i], UINT16_MAX);
    }
    return SCREE_OK;
}

static scree_status check_contacts(const scree_snapshot* s)
{
    const scree_sim_contacts* contacts = s->contacts;
    if (contacts->count < 0 || (contacts->count > 0 && contacts->ij == NULL))
        return scree_fail(SCREE_ERR_ARGUMENT, "snapshot: %" PRId64 " contacts%s", contacts->count, contacts->count > 0 ? ", but ij is NULL" : "; expected 0 or more");
    for (int64_t c = 0; c < contacts->count; ++c) {
        int64_t i = contacts->ij[c][0], j = contacts->ij[c][1];
        if (i < 0 || i >= s->spheres.count || j >= s->spheres.count || j < -INT32_MAX)
            return scree_fail(SCREE_ERR_ARGUMENT, "snapshot: contact %" PRId64 " is of %" PRId64 " and %" PRId64 "; expected spheres 0 to %" PRId32, c, i, j,
                              s->spheres.count - 1);
        for (int k = 0; k < s->spheres.dim; ++k) {
            if (contacts->force != NULL && !isfinite(contacts->force[c][k]))
                return scree_fail(SCREE_ERR_ARGUMENT, "snapshot: contact %" PRId64 ": force %c = %g is not finite; expected a number", c, "xyz"[k], contacts->force[c][k]);
            if (contacts->normal != NULL && !(fabs(contacts->normal[c][k]) <= 1.0 + 1e-6))
                return scree_fail(SCREE_ERR_ARGUMENT, "snapshot: contact %" PRId64 ": normal %c = %g; expected a vector of length 1", c, "xyz"[k],
                                  contacts->normal[c][k]);
        }
        if (contacts->overlap != NULL && !isfinite(contacts->overlap[c]))
            return scree_fail(SCREE_ERR_ARGUMENT, "snapshot: contact %" PRId64 ": overlap = %g is not finite; expected a number", c, contacts->overlap[c]);
    }
    return SCREE_OK;
}

static scree_status check_bonds(const scree_snapshot* s)
{
    const scree_sim_bonds* bonds = s->bonds;
    if (bonds->count < 0 || (bonds->count > 0 && bonds->ij == NULL))
        return scree_fail(SCREE_ERR_ARGUMENT, "snapshot: %" PRId64 " bonds%s", bonds->count, bonds->count > 0 ? ", but ij is NULL" : "; expected 0 or more");
    for (int64_t b = 0; b < bonds->count; ++b) {
        int64_t i = bonds->ij[b][0], j = bonds->ij[b][1];
        if (i < 0 || i >= s->spheres.count || j < 0 || j >= s->spheres.count || i == j)
            return scree_fail(SCREE_ERR_ARGUMENT, "snapshot: bond %" PRId64 " is of %" PRId64 " and %" PRId64 "; expected two of the spheres 0 to %" PRId32, b, i, j, s->spheres.count - 1);
    }
    return SCREE_OK;
}

scree_status snapshot_check(const scree_snapshot* s, looked_at* out)
{
    scree_status status = scree_check_struct_size("snapshot", "scree_default_snapshot", s->struct_size, sizeof *s, sizeof *s);
    if (status == SCREE_OK && s->threads < 0)
        status = scree_fail(SCREE_ERR_ARGUMENT, "snapshot: threads = %" PRId32 "; expected 0 (all cores) or more", s->threads);
    for (int k = 0; status == SCREE_OK && k < 3; ++k)
        if (!isfinite(s->gravity[k]))
            status = scree_fail(SCREE_ERR_ARGUMENT, "snapshot: gravity %c = %g is not finite; expected a number", "xyz"[k], s->gravity[k]);
    if (status == SCREE_OK)
        status = check_box(s);
    if (status == SCREE_OK)
        status = scree_spheres_check(s->spheres, &s->box);
    if (status == SCREE_OK)
        status = check_spheres(s);
    if (status == SCREE_OK && s->contacts != NULL)
        status = check_contacts(s);
    if (status == SCREE_OK && s->bonds != NULL)
        status = check_bonds(s);
    if (status != SCREE_OK)
        return status;
    looked_at look = {.s = s, .n = s->spheres.count, .dim = s->spheres.dim, .volume = 1.0, .contacts = s->contacts != NULL ? s->contacts->count : 0};
    for (int k = 0; k < look.dim; ++k) {
        look.length[k] = s->box.upper[k] - s->box.lower[k];
        look.volume *= look.length[k];
    }
    double periods[3];
    scree_lattice_of(&s->box, periods, look.tilt);
    for (int64_t i = 0; i < look.n; ++i)
        look.diameter_mean += 2.0 * s->spheres.r[i];
    look.diameter_mean = look.n > 0 ? look.diameter_mean / look.n : 0.0;
    *out = look;
    return SCREE_OK;
}
