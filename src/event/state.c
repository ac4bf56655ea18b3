// Saving and restoring a system of hard spheres; it continues with the same bits.
//
// In the middle of a run the state is large: a list and an event for each sphere, cells, agendas. Whenever all lists are rebuilt, all spheres are brought to one time first, and everything else is
// made again from positions, velocities, the order of the spheres and some counts, from which the next skin follows. Runs call `before_lists` at that moment: about every 60 collisions of
// each sphere at the latest. A restored system has no lists, so that its next run begins by making them, as the first one did then.
#include "event/system.h"

#include "base/argument.h"

#include <inttypes.h>
#include <math.h>

event_saved event_save(const scree_event_system* s)
{
    return (event_saved){.epoch = s->epoch, .scale = s->scale, .rate = s->rate, .restitution = s->def.restitution, .skin = s->skin, .width = s->calendar.width,
                         .virial = s->virial, .wall_virial = s->wall_virial, .energy = s->energy, .energy_sum = s->energy_sum, .measured_from = s->measured_from,
                         .entries = s->rows.entries, .wall_limit = s->wall_limit, .work = s->work, .listed_at = s->listed_at, .measured_at = s->measured_at};
}

// The spheres in the order in which they were; a bare system has them in that of the caller. `mark` says who has been seen.
static scree_status put_spheres(scree_event_system* s, const char* what, const event_sphere* line, const int32_t* id)
{
    double *mass = s->flat, *a = s->flat + s->n;  // of the caller's spheres
    for (int32_t i = 0; i < s->n; ++i) {
        mass[i] = s->inverse_mass[i];
        a[i] = s->line[i].a;
    }
    for (int32_t rank = 0; rank < s->n; ++rank) {
        int32_t i = id[rank];
        bool fits = i >= 0 && i < s->n && s->mark[i] < 0 && line[rank].a == a[i];
        for (int k = 0; k < 3; ++k)
            fits = fits && isfinite(line[rank].x[k]) && isfinite(line[rank].v[k]);
        if (!fits)
            return scree_fail(SCREE_ERR_FORMAT, "%s: entry %" PRId32 " of the saved packing is not a sphere of it; expected each sphere once, at a finite position and velocity", what, rank);
        s->mark[i] = 0;
        s->line[rank] = line[rank];
        s->line[rank].t = 0.0;
        s->id[rank] = i;
        s->inverse_mass[rank] = mass[i];
    }
    memset(s->mark, -1, (size_t)s->n * sizeof *s->mark);
    return SCREE_OK;
}

scree_status event_restore(const char* what, const scree_event_def* def, scree_spheres spheres, const event_saved* from, const event_sphere* line, const int32_t* id, scree_event_system** out)
{
    *out = NULL;
    size_t numbers = (size_t)spheres.count * (size_t)spheres.dim;
    double* zero = scree_calloc(numbers, sizeof *zero);  // positions and velocities of the bare system
    if (zero == NULL)
        return SCREE_ERR_MEMORY;
    scree_event_def bare = *def;
    bare.scale = 0.0;
    bare.rate = 0.0;
    scree_event_system* s = NULL;
    scree_status status = event_create_bare(&bare, (scree_spheres){.count = spheres.count, .dim = spheres.dim, .x = zero, .r = spheres.r}, zero, &s);
    scree_free(zero);
    if (status != SCREE_OK)
        return status;
    if (!(from->scale >= 0.0 && from->scale <= s->scale_most && from->rate >= 0.0 && from->skin > 0.0 && from->width > 0.0 && from->epoch >= 0.0))
        status = scree_fail(SCREE_ERR_FORMAT, "%s: the saved packing has scale %g, rate %g, skin %g, time %g; expected positive ones, the scale at most %g", what, from->scale, from->rate, from->skin,
                            from->epoch, s->scale_most);
    if (status == SCREE_OK)
        status = put_spheres(s, what, line, id);
    if (status != SCREE_OK) {
        scree_event_destroy(s);
        return status;
    }
    s->epoch = from->epoch;
    s->scale = from->scale;
    s->rate = from->rate;
    s->def.restitution = from->restitution;
    s->skin = from->skin;
    s->calendar.width = from->width;
    s->virial = from->virial;
    s->wall_virial = from->wall_virial;
    s->energy = from->energy;
    s->energy_sum = from->energy_sum;
    s->measured_from = from->measured_from;
    s->rows.entries = from->entries;
    s->wall_limit = from->wall_limit;
    s->work = from->work;
    s->listed_at = from->listed_at;
    s->measured_at = from->measured_at;
    *out = s;
    return SCREE_OK;
}
