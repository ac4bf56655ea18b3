// Exact surfaces: names, checks, and the public calls for their contacts.
#include "base/argument.h"
#include "geom/exact_contacts.h"
#include "geom/length.h"

#include <inttypes.h>
#include <math.h>

static const char* const names[SCREE_EXACT_COUNT] = {"plane", "cylinder", "cone", "sphere", "disc", "box"};

const char* scree_exact_name(int32_t kind)
{
    return kind >= 0 && kind < SCREE_EXACT_COUNT ? names[kind] : NULL;
}

SCREE_DEFAULTS_OF(scree_exact, scree_default_exact)
{
    return (scree_exact){.struct_size = sizeof(scree_exact), .axis = {0.0, 0.0, 1.0}};
}

// ---- Checking ----------------------------------------------------------------------------------------------------------

static bool is_size(double x)
{
    return x > 0.0 && scree_is_length(x);
}

static scree_status check_radii(const scree_exact* e, const char* name)
{
    double r0 = e->radius[0], r1 = e->radius[1];
    bool cone = e->kind == SCREE_EXACT_CONE, disc = e->kind == SCREE_EXACT_DISC;
    if (!scree_is_length(r0) || r0 < 0.0 || (r0 == 0.0 && !cone))
        return scree_fail(SCREE_ERR_ARGUMENT, "%s: radius[0] = %g; expected a length above 0", name, r0);
    if ((cone || disc) && (!scree_is_length(r1) || r1 < 0.0))
        return scree_fail(SCREE_ERR_ARGUMENT, "%s: radius[1] = %g; expected a length", name, r1);
    if (disc && !(r1 < r0))
        return scree_fail(SCREE_ERR_ARGUMENT, "%s: the hole's radius[1] = %g; expected below radius[0] = %g", name, r1, r0);
    if (cone && r0 == 0.0 && r1 == 0.0)
        return scree_fail(SCREE_ERR_ARGUMENT, "%s: both radii are 0; expected one above 0", name);
    return SCREE_OK;
}

scree_status scree_exact_check(const scree_exact* exact)
{
    SCREE_NEED(exact);
    const scree_exact* e = exact;
    scree_status status = scree_check_struct_size("exact surface", "scree_default_exact", e->struct_size, sizeof *e, sizeof *e);
    if (status != SCREE_OK)
        return status;
    const char* name = scree_exact_name(e->kind);
    if (name == NULL)
        return scree_fail(SCREE_ERR_ARGUMENT, "exact surface: there is no kind %" PRId32 "; expected 0 to %d", e->kind, SCREE_EXACT_COUNT - 1);
    if (e->kind == SCREE_EXACT_BOX) {
        for (int k = 0; k < 3; ++k)
            if (!scree_is_length(e->lower[k]) || !scree_is_length(e->upper[k]) || !(e->lower[k] < e->upper[k]))
                return scree_fail(SCREE_ERR_ARGUMENT, "box: axis %c goes from %g to %g; expected rising lengths", "xyz"[k], e->lower[k], e->upper[k]);
        return SCREE_OK;
    }
    for (int k = 0; k < 3; ++k)
        if (!scree_is_length(e->at[k]))
            return scree_fail(SCREE_ERR_ARGUMENT, "%s: at %c = %g; expected 0 or a size between %g and %g", name, "xyz"[k], e->at[k], SCREE_LENGTH_MIN, SCREE_LENGTH_MAX);
    double unit[3];
    if (e->kind != SCREE_EXACT_SPHERE && (!(vec_normalise(e->axis, unit) < INFINITY) || !(vec_dot(unit, unit) > 0.5)))
        return scree_fail(SCREE_ERR_ARGUMENT, "%s: an axis of %g %g %g has no direction; expected a vector that is not 0", name, e->axis[0], e->axis[1], e->axis[2]);
    if ((e->kind == SCREE_EXACT_CYLINDER || e->kind == SCREE_EXACT_CONE) && !is_size(e->length) &&
        !(e->kind == SCREE_EXACT_CYLINDER && e->length == INFINITY))
        return scree_fail(SCREE_ERR_ARGUMENT, "%s: length %g; expected a length above 0", name, e->length);
    return e->kind == SCREE_EXACT_PLANE ? SCREE_OK : check_radii(e, name);
}

// ---- Public calls ------------------------------------------------------------------------------------------------------

scree_status scree_exact_closest(const scree_exact* exact, const double x[3], scree_surface_contact* out)
{
    SCREE_EMPTY(out);
    SCREE_NEED(exact);
    SCREE_NEED(x);
    if (scree_exact_name(exact->kind) == NULL)
        return scree_fail(SCREE_ERR_ARGUMENT, "exact surface: there is no kind %" PRId32 "; expected a value of scree_exact_kind", exact->kind);
    exact_closest(exact, x, out);
    out->load = 0.0;
    return SCREE_OK;
}

int32_t scree_exact_contacts(const scree_exact* exact, const double x[3], double r, scree_surface_contact out[SCREE_EXACT_CONTACTS_MAX])
{
    SCREE_NEED_OR(exact, 0);
    SCREE_NEED_OR(x, 0);
    SCREE_NEED_OR(out, 0);
    if (scree_exact_name(exact->kind) == NULL)
        return 0;
    int32_t count = exact_contacts_of(exact, x, r, out);
    for (int32_t c = 0; c < count; ++c)
        out[c].load = r - out[c].distance;
    return count;
}
