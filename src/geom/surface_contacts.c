// The public call for the contacts of a sphere with a surface of triangles.
#include "geom/surface_contacts.h"

#include "base/argument.h"

int64_t scree_surface_contacts(const scree_surface* s, const double x[3], double r, int64_t count, const int32_t* candidates, scree_surface_contact* out, int64_t room)
{
    SCREE_NEED_NAMED(s, "surface", 0);
    SCREE_NEED_OR(x, 0);
    if (count > 0)
        SCREE_NEED_OR(candidates, 0);
    return surface_contacts_of(s, x, r, count, candidates, out, out == NULL ? 0 : room);
}
