// The public call for the contacts of a sphere with a surface of triangles.
#include "geom/surface_contacts.h"

#include "base/argument.h"
#include "base/memory.h"

int64_t scree_surface_contacts(const scree_surface* s, const double x[3], double r, int64_t count, const int32_t* candidates,
                               scree_surface_contact* out, int64_t room)
{
    enum { few = 32 };
    surface_work own[8 * few], *work = own;
    SCREE_NEED_NAMED(s, "surface", 0);
    SCREE_NEED_OR(x, 0);
    if (count > 0)
        SCREE_NEED_OR(candidates, 0);
    if (count > few)
        work = scree_malloc((size_t)surface_work_room(count), sizeof *work);
    if (work == NULL)
        return -1;
    const surface_query query = {.s = s, .x = {x[0], x[1], x[2]}, .r = r, .one_sided = s->def.one_sided, .count = count,
                                 .candidates = candidates};
    room = out == NULL ? 0 : room;
    int64_t found = surface_contacts_of(&query, work, out, room);
    for (int64_t c = 0; c < found && found <= room; ++c)
        out[c].load *= r - out[c].distance;
    if (work != own)
        scree_free(work);
    return found;
}
