// Read-only access: outlines, contacts as data, energies. Contacts are computed again, with the same code as in the
// step, on one thread: O(candidates).
#include "polygon/polygon_inner.h"

#include "base/argument.h"
#include "base/array.h"

#include <stdio.h>
#include <string.h>

// ---- Outlines ----------------------------------------------------------------------------------------------------------

static scree_status outline_room(scree_polygon_sim* sim)
{
    size_t n = (size_t)sim->n;
    if (sim->outline_first != NULL)
        return SCREE_OK;
    int64_t* first = scree_malloc(n + 1, sizeof *first);
    if (sim->outline_xy == NULL)
        sim->outline_xy = scree_malloc((size_t)sim->outline_vertices, sizeof *sim->outline_xy);
    if (sim->outline_centre == NULL)
        sim->outline_centre = scree_malloc(n, sizeof *sim->outline_centre);
    if (sim->outline_radius == NULL)
        sim->outline_radius = scree_malloc(n, sizeof *sim->outline_radius);
    if (sim->outline_angle == NULL)
        sim->outline_angle = scree_malloc(n, sizeof *sim->outline_angle);
    if (sim->outline_fixed == NULL)
        sim->outline_fixed = scree_malloc(n, sizeof *sim->outline_fixed);
    if (first == NULL || sim->outline_xy == NULL || sim->outline_centre == NULL || sim->outline_radius == NULL || sim->outline_angle == NULL ||
        sim->outline_fixed == NULL) {
        scree_free(first);
        return SCREE_ERR_MEMORY;
    }
    sim->outline_first = first;
    return SCREE_OK;
}

SCREE_RESULT_OF(scree_outlines, scree_polygon_sim_get_outlines, (scree_polygon_sim* sim, scree_outlines* out), (sim, out))
{
    SCREE_EMPTY(out);
    SCREE_NEED(sim);
    scree_status status = polygon_stand(sim);
    if (status == SCREE_OK)
        status = outline_room(sim);
    if (status != SCREE_OK)
        return status;
    int64_t at = 0;
    for (int32_t i = 0; i < sim->n; ++i) {
        const body* b = &sim->bodies[i];
        sim->outline_first[i] = at;
        for (int32_t v = 0; b->tree != NULL && v < b->core->outline_count; ++v, ++at) {
            double x[2] = {sim->turned[b->first + (b->core->outline == NULL ? v : 0)][0],
                           sim->turned[b->first + (b->core->outline == NULL ? v : 0)][1]};
            if (b->core->outline != NULL)
                plane_axes(b, b->core->outline[v], x);
            for (int k = 0; k < 2; ++k)
                sim->outline_xy[at][k] = b->x[k] + x[k];
        }
        memcpy(sim->outline_centre[i], b->x, sizeof b->x);
        sim->outline_radius[i] = b->radius;
        sim->outline_angle[i] = b->angle;
        sim->outline_fixed[i] = b->fixed;
    }
    sim->outline_first[sim->n] = at;
    *out = (scree_outlines){.count = sim->n,
                            .first = sim->outline_first,
                            .xy = (const double(*)[2])sim->outline_xy,
                            .centre = (const double(*)[2])sim->outline_centre,
                            .radius = sim->outline_radius,
                            .angle = sim->outline_angle,
                            .fixed = sim->outline_fixed};
    return SCREE_OK;
}

// ---- Contacts ----------------------------------------------------------------------------------------------------------

// All contacts with velocities of this moment, those that fit; how many pairs touch. Between bodies first. MEMORY.
static scree_status record_all(scree_polygon_sim* sim, recorder* record, int64_t* pairs, int64_t* between)
{
    bool rubs = sim->rubs;
    memory_row row = {0};
    scene_view view = polygon_view(sim, false);
    *record = (recorder){.out = sim->contacts, .room = sim->contact_capacity};
    tally work = {.asks = false};
    *pairs = 0;
    for (int64_t c = 0; c < sim->near.count; ++c) {
        pair_sum sum;
        if (rubs)
            row = polygon_memory_open(&sim->of_pairs, c, 0, false);
        const touching t = {&view, &sim->near.list[c], &sum, &work, record, rubs ? &row : NULL, &sim->observer_workspace};
        while (!narrow_pair(&t))  // never stopped: too little room
            if (!workspace_grow(&sim->observer_workspace))
                return SCREE_ERR_MEMORY;
        *pairs += sum.contacts > 0;
    }
    *between = record->count;
    for (int32_t i = 0; i < sim->n; ++i) {
        wall_sum sum = {.overlap = 0.0};
        if (rubs)
            row = polygon_memory_open(&sim->of_walls, i, 0, false);
        if (!sim->bodies[i].fixed)
            narrow_walls(&view, i, &sum, &work, record, rubs ? &row : NULL);
    }
    return SCREE_OK;
}

static scree_status find_all(scree_polygon_sim* sim, int64_t* count, int64_t* pairs, int64_t* between)
{
    scree_status status = polygon_check_still(sim);
    if (status == SCREE_OK)
        status = polygon_stand(sim);
    if (status == SCREE_OK && sim->rubs)
        status = polygon_memory_begin(sim, false);
    if (status != SCREE_OK)
        return status;
    recorder record;
    status = record_all(sim, &record, pairs, between);
    if (status == SCREE_OK && record.count > record.room) {
        status = SCREE_RESERVE(sim->contacts, sim->contact_capacity, record.count);
        if (status == SCREE_OK)
            status = record_all(sim, &record, pairs, between);
    }
    *count = record.count;
    return status;
}

SCREE_RESULT_OF(scree_polygon_contacts, scree_polygon_sim_get_contacts, (scree_polygon_sim* sim, scree_polygon_contacts* out), (sim, out))
{
    SCREE_EMPTY(out);
    SCREE_NEED(sim);
    int64_t count, pairs, between;
    scree_status status = find_all(sim, &count, &pairs, &between);
    if (status == SCREE_OK)
        *out = (scree_polygon_contacts){.count = count, .contacts = sim->contacts};
    return status;
}

SCREE_ROWS_OF(scree_sim_boundary_report, scree_polygon_sim_get_boundaries, (scree_polygon_sim* sim, scree_sim_boundary_report* out, int32_t room), (sim, out, room))
{
    SCREE_NEED_OR(sim, 0);
    int64_t count, pairs, between;
    if (polygon_check_still(sim) != SCREE_OK)
        return -1;
    if (out == NULL || room <= 0)
        return sim->boundary_count;
    if (find_all(sim, &count, &pairs, &between) != SCREE_OK)
        return -1;
    for (int32_t b = 0; b < sim->boundary_count && b < room; ++b) {
        char name[boundary_name_room];
        const sim_boundary* now = &sim->boundaries[b];
        out[b] = (scree_sim_boundary_report){.present = now->present, .turn = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}}};
        snprintf(out[b].name, sizeof out[b].name, "%s", boundary_title(now, b, name));
        memcpy(out[b].at, now->at, sizeof out[b].at);
        memcpy(out[b].velocity, now->velocity, sizeof out[b].velocity);
    }
    for (int64_t c = between; c < count; ++c) {
        const scree_contact* contact = &sim->contacts[c];
        int32_t b = -1 - contact->j;
        if (b >= room)
            continue;
        // On the line of the force any point gives the same torque.
        double arm[2] = {contact->point[0] - out[b].at[0], contact->point[1] - out[b].at[1]};
        ++out[b].contacts;
        out[b].force[0] -= contact->force[0];
        out[b].force[1] -= contact->force[1];
        out[b].torque[2] -= arm[0] * contact->force[1] - arm[1] * contact->force[0];
    }
    return sim->boundary_count;
}

SCREE_RESULT_OF(scree_sim_overlaps, scree_polygon_sim_take_overlaps, (scree_polygon_sim* sim, scree_sim_overlaps* out), (sim, out))
{
    SCREE_EMPTY(out);
    SCREE_NEED(sim);
    scree_status status = polygon_check_idle(sim);
    if (status != SCREE_OK)
        return status;
    *out = sim->found;
    out->shortest.duration = INFINITY;
    sim->found = (scree_sim_overlaps){0};
    return SCREE_OK;
}

// ---- Sums --------------------------------------------------------------------------------------------------------------

SCREE_RESULT_OF(scree_polygon_sim_report, scree_polygon_sim_measure, (scree_polygon_sim* sim, scree_polygon_sim_report* out), (sim, out))
{
    SCREE_EMPTY(out);
    SCREE_NEED(sim);
    int64_t count, pairs, between;
    scree_status status = find_all(sim, &count, &pairs, &between);
    if (status != SCREE_OK)
        return status;
    scree_candidates_stats stats = scree_candidates_get_stats(sim->near.service);
    scree_polygon_sim_report r = {.step = sim->step,
                                  .time = scree_polygon_sim_get_time(sim),
                                  .touching = pairs,
                                  .contacts = between,
                                  .wall_contacts = count - between,
                                  .rebuilds = stats.builds,
                                  .candidates = sim->near.count,
                                  .skin = stats.skin,
                                  .method = stats.method,
                                  .pairs_tested = sim->total.pairs,
                                  .vertices_offered = sim->total.offered,
                                  .vertices_tested = sim->total.tested,
                                  .edges_crossed = sim->total.crossed,
                                  .seconds_search = sim->seconds_search,
                                  .seconds_force = sim->seconds_force,
                                  .seconds_integrate = sim->seconds_integrate,
                                  .dissipated_normal = sim->account[DISSIPATED_NORMAL],
                                  .dissipated_tangential = sim->account[DISSIPATED_TANGENTIAL],
                                  .work_walls = sim->account[WORK_WALLS],
                                  .work_gravity = sim->account[WORK_GRAVITY]};
    for (int64_t c = 0; c < count; ++c) {
        const scree_contact* contact = &sim->contacts[c];
        r.energy_contact += contact->energy;
        r.energy_tangential += contact->energy_tangential;
        r.energy_normal += contact->energy - contact->energy_tangential;
        r.sliding += contact->slides;
        if (contact->kind == SCREE_CONTACT_CROSSING) {
            ++r.crossings;
            continue;
        }
        const body* other = contact->j >= 0 ? &sim->bodies[contact->j] : NULL;
        r.max_overlap = fmax(r.max_overlap, contact->depth);
        r.max_overlap_relative = fmax(r.max_overlap_relative, contact->depth / overlap_unit(&sim->bodies[contact->i], other));
    }
    double square = 0.0;
    for (int32_t i = 0; i < sim->n; ++i) {
        const body* b = &sim->bodies[i];
        if (b->fixed)
            continue;
        double speed = b->v[0] * b->v[0] + b->v[1] * b->v[1], turning = 0.5 * b->inertia * b->spin * b->spin;
        square = fmax(square, speed);
        r.energy_rotation += turning;
        r.energy_kinetic += 0.5 * b->mass * speed + turning;
        r.energy_gravity -= b->mass * (sim->gravity[0] * b->x[0] + sim->gravity[1] * b->x[1]);
        r.momentum[0] += b->mass * b->v[0];
        r.momentum[1] += b->mass * b->v[1];
        r.angular_momentum += b->mass * (b->x[0] * b->v[1] - b->x[1] * b->v[0]) + b->inertia * b->spin;
    }
    r.speed_max = sqrt(square);
    r.energy_potential = r.energy_contact + r.energy_gravity;
    r.bytes = sizeof *sim + (size_t)sim->n * (sizeof *sim->bodies + sizeof *sim->before) + ((size_t)sim->numbers.vertices + (size_t)sim->n) * sizeof *sim->turned +
              (size_t)sim->piece_capacity * sizeof *sim->pieces + (size_t)sim->blocks * sizeof *sim->result +
              (size_t)sim->tally_capacity * sizeof *sim->tallies + (size_t)sim->contact_capacity * sizeof *sim->contacts + candidates_bytes(&sim->near) +
              polygon_memory_bytes(sim);
    for (int32_t t = 0; t < sim->core_count; ++t)
        r.bytes += round_core_bytes(&sim->cores[t]);
    *out = r;
    return SCREE_OK;
}
