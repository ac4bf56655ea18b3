// The largest overlap of a run, with its time and place, and how many rows of the log are above the limit.
//
// The simulation looks for overlaps during its steps, walls and surfaces included: of spheres for those above
// SCREE_RUN_OVERLAP_MOST of the smaller radius (scree_sim_take_overlaps), of bodies for all
// (scree_polygon_sim_take_overlaps). Where no overlap of spheres is above the limit, the largest one is that of the rows
// of the log, which have no place. A row with a larger overlap than all found before gets its place from the contacts of
// that moment.
//
// The state is part of checkpoints, so that a resumed run gives the same result. A checkpoint holds it with and without
// the last row, because a resume with another end removes that row (end.c).
#include "run/run_inner.h"

#include "base/argument.h"
#include "scene/place.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

enum { partner_room = 96 };

static void name_body_wall(const scree_run* run, int64_t b, char name[partner_room])
{
    scree_sim_boundary_report walls[7];
    const int32_t count = scree_polygon_sim_get_boundaries(run->polygons, walls, 7);
    if (b < count && b < 7)
        snprintf(name, partner_room, "wall '%s'", walls[b].name);
    else
        snprintf(name, partner_room, "a wall");
}

static const char* partner(const scree_run* run, const scree_sim_overlap* o, char name[partner_room])
{
    int64_t b = -1 - o->ij[1];
    if (o->ij[1] >= 0)
        snprintf(name, partner_room, "%s %" PRId64, run_has_bodies(run) ? "body" : "sphere", o->ij[1]);
    else if (run_has_bodies(run))
        name_body_wall(run, b, name);
    else if (run->felt != NULL && b < run->felt_count)
        snprintf(name, partner_room, "wall '%s'", run->felt[b].name);
    else
        snprintf(name, partner_room, "a wall");
    return name;
}

// By the laws of Hertz, jkr and dmt a contact is the stiffer the deeper it is: what is deeper than the speed of the scene leads to may be too short for the step.
static scree_status check_step(scree_run* run, const scree_sim_overlap* o)
{
    double length = run_sim_length(run);
    char name[partner_room];
    if (!(o->duration < INFINITY))
        return SCREE_OK;
    return scree_scene_fail_at(&run->scene, SCREE_ERR_ARGUMENT, "contact.speed", -1,
                               "step %" PRId64 ": sphere %" PRId64 " overlaps by %g with %s; such a contact lasts %.3g, which is %.3g steps; expected at least 10. The impacts are "
                               "faster than contact.speed %g; use a larger contact.speed or a shorter time.step",
                               o->step, o->ij[0], o->overlap, partner(run, o, name), o->duration, o->duration / length, run->scene.sim.speed);
}

// Wrapped now, because the box may move later.
static void take(scree_run* run, const scree_sim_overlap* seen, run_deepest* to)
{
    double images[3];
    scree_box box = run_has_bodies(run) ? scree_polygon_sim_get_box(run->polygons) : scree_sim_get_box(run->sim);
    to->seen = *seen;
    to->time = run_time_of(run, seen->step);
    to->placed = true;
    scree_box_wrap_centre(&box, to->seen.at, images);
}

scree_status run_watch_overlaps(scree_run* run)
{
    scree_sim_overlaps seen;
    scree_status status = run_has_bodies(run) ? scree_polygon_sim_take_overlaps(run->polygons, &seen) : scree_sim_take_overlaps(run->sim, &seen);
    if (status != SCREE_OK)
        return status;
    if (seen.deepest.relative > run->deepest.seen.relative)
        take(run, &seen.deepest, &run->deepest);
    run_deepest_warn(run);
    return check_step(run, &seen.shortest);
}

void run_deepest_warn(scree_run* run)
{
    const run_deepest* d = &run->deepest;
    char name[partner_room], z[32] = "";
    if (!(d->seen.relative > SCREE_RUN_OVERLAP_MOST) || !d->placed)
        return;
    if (run_has_bodies(run)) {
        snprintf(run->warning, sizeof run->warning,
                 "the largest overlap is %.3g, at step %" PRId64 ", time %g, of body %" PRId64 " and %s at (%g, %g); expected at most %.3g there. %" PRId64 " of %" PRId64
                 " rows of the log have overlaps above such limits: the contacts are too soft for these impacts",
                 d->seen.overlap, d->seen.step, d->time, d->seen.ij[0], partner(run, &d->seen, name), d->seen.at[0], d->seen.at[1],
                 d->seen.overlap * (SCREE_RUN_OVERLAP_MOST / d->seen.relative), d->rows_above, d->rows);
        return;
    }
    if (run->set.dim == 3)
        snprintf(z, sizeof z, ", %g", d->seen.at[2]);
    snprintf(run->warning, sizeof run->warning,
             "the largest overlap is %.3g of the smaller radius, at step %" PRId64 ", time %g, of sphere %" PRId64 " and %s at (%g, %g%s); expected at most %g. %" PRId64 " of %" PRId64
             " rows of the log are above that: the contacts are too soft for these impacts",
             d->seen.relative, d->seen.step, d->time, d->seen.ij[0], partner(run, &d->seen, name), d->seen.at[0], d->seen.at[1], z, SCREE_RUN_OVERLAP_MOST, d->rows_above, d->rows);
}

// ---- Rows of the log -----------------------------------------------------------------------------------------------------

// Rows by id, which rise; -1: there is no such sphere.
static int64_t row_of(const int64_t* id, int64_t count, int64_t wanted)
{
    int64_t low = 0, high = count;
    while (high - low > 1) {
        int64_t middle = low + (high - low) / 2;
        low = id[middle] <= wanted ? middle : low;
        high = id[middle] <= wanted ? high : middle;
    }
    return count > 0 && id[low] == wanted ? low : -1;
}

// The report leaves out links of meshes, which contacts have: `most` is the largest that it has.
static void find_deepest(const scree_sim_contacts* contacts, double most, int64_t count, const int64_t* id, const double* r, scree_sim_overlap* out)
{
    for (int64_t c = 0; c < contacts->count; ++c) {
        int64_t i = row_of(id, count, contacts->ij[c][0]), j = contacts->ij[c][1] >= 0 ? row_of(id, count, contacts->ij[c][1]) : -1;
        if (i < 0 || (j < 0 && contacts->ij[c][1] >= 0))
            continue;
        double small = j >= 0 ? fmin(r[i], r[j]) : r[i], relative = contacts->overlap[c] / small;
        if (relative > out->relative && relative <= most * (1.0 + 1e-9))
            *out = (scree_sim_overlap){.step = out->step, .ij = {contacts->ij[c][0], contacts->ij[c][1]}, .overlap = contacts->overlap[c], .relative = relative, .duration = INFINITY};
    }
}

// Of the current state.
static scree_status place_row(scree_run* run, run_deepest* to)
{
    int64_t count = scree_sim_get_count(run->sim);
    int dim = run->set.dim;
    int64_t* id = scree_malloc((size_t)count + 1, sizeof *id);
    double *r = scree_malloc((size_t)count + 1, sizeof *r), *x = scree_malloc((size_t)count + 1, (size_t)dim * sizeof *x);
    scree_sim_contacts contacts;
    scree_status status = id != NULL && r != NULL && x != NULL ? scree_sim_get_column(run->sim, "id", id) : SCREE_ERR_MEMORY;
    if (status == SCREE_OK)
        status = scree_sim_get_column(run->sim, "radius", r);
    if (status == SCREE_OK)
        status = scree_sim_get_column(run->sim, "x", x);
    if (status == SCREE_OK)
        status = scree_sim_get_contacts(run->sim, &contacts);
    scree_sim_overlap found = {.step = run->last.step};
    if (status == SCREE_OK)
        find_deepest(&contacts, run->last.max_overlap_relative, count, id, r, &found);
    if (status == SCREE_OK && found.relative > 0.0) {
        int64_t i = row_of(id, count, found.ij[0]), j = found.ij[1] >= 0 ? row_of(id, count, found.ij[1]) : -1, at = j >= 0 && r[j] < r[i] ? j : i;
        for (int k = 0; k < dim; ++k)
            found.at[k] = x[at * dim + k];
        take(run, &found, to);
    }
    scree_free(id);
    scree_free(r);
    scree_free(x);
    return status;
}

scree_status run_deepest_row(scree_run* run, run_deepest* out)
{
    const scree_sim_report* r = &run->last;
    scree_status status = run_has_bodies(run) ? run_watch_overlaps(run) : SCREE_OK;  // a run may end before its first step
    if (status != SCREE_OK)
        return status;
    *out = run->deepest;
    ++out->rows;
    out->rows_above += r->max_overlap_relative > SCREE_RUN_OVERLAP_MOST;
    if (!(r->max_overlap_relative > out->seen.relative) || run_has_bodies(run))  // of bodies all are known already
        return SCREE_OK;
    if (r->max_overlap_relative > SCREE_RUN_OVERLAP_MOST)
        return place_row(run, out);
    out->seen = (scree_sim_overlap){.step = r->step, .ij = {-1, -1}, .overlap = r->max_overlap, .relative = r->max_overlap_relative, .duration = INFINITY};
    out->time = r->time;
    out->placed = false;
    return SCREE_OK;
}

const char* scree_run_get_warning(const scree_run* run)
{
    SCREE_NEED_OR(run, NULL);
    return run->warning;
}
