// Forces of exact shapes and meshes in a pass (surfaces.h; surface_keep.h has what their contacts remember).
//
// Both ways to work out a pass call this one function.
#include "sim/grains.h"

#include "sim/surface_keep.h"

#include <inttypes.h>

typedef struct surface_job {
    const sim_pass* pass;
    int64_t block, first;  // its first row
    int words, wide;       // of the law, and of a slot
    bool keeps;
    int32_t live;
    sim_rows f, t;
    block_result* result;
    surface_slots slots;
} surface_job;

static surface_job job_of(const sim_pass* pass, int64_t block)
{
    int words = pass->law.row.words, wide = words + surface_words;
    int64_t first = pass->surfaces->row_first[block];
    const sim_slots* slots = &pass->surface_slots;
    return (surface_job){.pass = pass,
                         .block = block,
                         .first = first,
                         .words = words,
                         .wide = wide,
                         .keeps = words > 0 && pass->mode != SIM_REST,
                         .slots = {.words = words,
                                   .wide = wide,
                                   .grains = !law_is_own(pass->law.parts.normal),
                                   .parts = pass->law.parts,
                                   .slot = slots->slot,
                                   .next = slots->slot_next,
                                   .at = words > 0 ? slots->words + first * wide : NULL}};
}

static surface_slots slots_of(const surface_job* job, const surface_near* group)
{
    surface_slots slots = job->slots;
    slots.with = law_with_material(&job->pass->law, job->pass->material, group->rank, job->pass->boundaries[group->boundary].material);
    return slots;
}

// A contact with these words ends: adds what it held. `normal`, `share`: factors of the normal force and of the springs.
static void add_ended(const surface_job* job, near_wall near, double normal, double share, const double* words)
{
    double lost[owners];
    if (!job->pass->law.parts.accounts)
        return;
    sim_ended(job->pass, near.rank, near.boundary, true, words, lost);
    for (int owner = 0; owner < owners; ++owner)
        energy_add(&job->pass->scales, ENERGY_LOST + owner, (owner == OWNER_NORMAL ? normal : share) * lost[owner], &job->result->sums);
}

// What each of the touches of a group remembers.
static void remember(const surface_job* job, const surface_near* group, surface_touch* touches, int64_t count)
{
    const surface_slots slots = slots_of(job, group);
    double lost[owners] = {0.0};
    if (!job->keeps) {
        surface_recall(&slots, true, touches, count);
        return;
    }
    surface_beside beside = surface_beside_of(job->pass, group);
    const bool ended = surface_remember(&slots, &beside, touches, count, lost);
    for (int owner = 0; owner < owners && job->pass->law.parts.accounts; ++owner)
        if (lost[owner] != 0.0)
            energy_add(&job->pass->scales, ENERGY_LOST + owner, lost[owner], &job->result->sums);
    for (int64_t row = group[0].first; row < group[1].first && ended; ++row) {
        if (surface_is_lost(&slots, row, touches, count)) {
            const double* slot = surface_slot_at(&slots, row);
            add_ended(job, (near_wall){.rank = group->rank, .boundary = group->boundary}, 1.0, slot[job->words + SLOT_SHARE], slot);
        }
        slots.next[row] = -1;
    }
}

// ---- Forces -------------------------------------------------------------------------------------------------------------------

static void write_slot(surface_job* job, const surface_touch* touch, const double* words)
{
    const sim_slots* slots = &job->pass->surface_slots;
    if (touch->row < 0)
        return;
    surface_write_slot(job->words, touch, words, slots->words_next + (job->first + job->live) * job->wide);
    slots->slot_next[touch->row] = job->live++;
}

static void add_single(surface_job* job, const surface_touch* touch)
{
    const sim_pass* pass = job->pass;
    double words[law_words_most] = {0.0};
    wall_contact contact;
    if (touch->before != NULL)
        memcpy(words, touch->before, (size_t)job->words * sizeof *words);
    if (!contact_at_wall(pass, pass->law.parts, (near_wall){.rank = touch->rank, .boundary = touch->boundary}, touch, words, &contact))
        return;
    if (job->keeps)
        write_slot(job, touch, words);
    double* f = sim_at(job->f, touch->rank - job->block * sim_block);
    for (int k = 0; k < 3; ++k)
        f[k] += contact.at.n[k] * contact.normal;
    if (pass->servos != NULL)
        motion_servo_add_touch(pass, job->block, touch, (double[3]){contact.at.n[0] * contact.normal, contact.at.n[1] * contact.normal, contact.at.n[2] * contact.normal}, NULL);
}

static void account_for(surface_job* job, const grain_batch* batch, int c, double scale)
{
    const sim_pass* pass = job->pass;
    if (pass->law.parts.bridge && batch->before[c] == grain_nothing)
        energy_add(&pass->scales, ENERGY_LOST + OWNER_NORMAL, scale * sim_formed(pass, batch->i[c], batch->j[c], true, batch->overlap[c]), &job->result->sums);
    for (int owner = 0; owner < owners; ++owner) {
        energy_add(&pass->scales, ENERGY_RATE + owner, batch->rate[c][owner], &job->result->sums);
        energy_add(&pass->scales, ENERGY_LOST + owner, batch->lost[c][owner], &job->result->sums);
    }
    energy_add(&pass->scales, ENERGY_RATE + WORK_WALLS, batch->power[c], &job->result->sums);
}

static void add_grains(surface_job* job, const surface_touch* touches, int count)
{
    const sim_pass* pass = job->pass;
    const law_parts* parts = &pass->law.parts;
    const surface_touch* touch[lane_count] = {NULL};
    grain_batch batch;
    batch.count = count;
    batch.shifted = false;
    batch.after = NULL;
    for (int c = 0; c < count; ++c) {
        touch[c] = &touches[c];
        batch.i[c] = touches[c].rank;
        batch.j[c] = touches[c].boundary;
        batch.before[c] = touches[c].before != NULL ? touches[c].before : grain_nothing;
    }
    sim_grains_of_touches(pass, false, touch, &batch);
    for (int c = 0; c < count; ++c) {
        if (!batch.holds[c]) {
            const near_wall near = {.rank = touches[c].rank, .boundary = touches[c].boundary};
            if (job->keeps && touches[c].before != NULL && !surface_is_link(&touches[c]))
                add_ended(job, near, touches[c].continues ? 1.0 : 0.0, touches[c].share, touches[c].before);
            continue;
        }
        int64_t at = touches[c].rank - job->block * sim_block;
        if (job->keeps)
            write_slot(job, &touches[c], batch.words[c]);
        for (int k = 0; k < 3; ++k)
            sim_at(job->f, at)[k] += batch.force[c][k];
        for (int k = 0; k < 3 && pass->law.turns; ++k) {
            double torque = parts->tangential ? -(batch.arm[0][c] * batch.turn[c][k]) : 0.0;
            if (grain_twists(*parts))
                torque += batch.twist[c][k];
            sim_at(job->t, at)[k] += torque;
        }
        if (parts->accounts)
            account_for(job, &batch, c, touches[c].scale);
        if (pass->servos != NULL)
            motion_servo_add_touch(pass, job->block, &touches[c], batch.force[c], grain_twists(*parts) ? batch.twist[c] : NULL);
    }
}

static void add_touches(surface_job* job, const surface_touch* touches, int64_t count)
{
    bool grains = !law_is_single(&job->pass->law);
    for (int64_t c = 0; c < count && !grains; ++c)
        add_single(job, &touches[c]);
    for (int64_t c = 0; c < count && grains; c += lane_count)
        add_grains(job, touches + c, count - c < lane_count ? (int)(count - c) : lane_count);
}

void sim_surfaces_add(const sim_pass* pass, int64_t block, sim_rows f, sim_rows t, sim_desk* desk, block_result* result)
{
    const sim_surfaces* s = pass->surfaces;
    surface_job job = job_of(pass, block);
    surface_desk* room = &desk->surface;
    int64_t count = 0;
    job.f = f;
    job.t = t;
    job.result = result;
    if (job.keeps)
        memset(pass->surface_slots.slot_next + job.first, 0xff, (size_t)(s->row_first[block + 1] - job.first) * sizeof *pass->surface_slots.slot_next);
    for (int64_t g = s->group_first[block]; g < s->group_first[block + 1]; ++g) {
        const surface_near* group = &s->group[g];
        surface_touch* touches = room->touches + count;
        int64_t found = surface_find(pass, group, room, touches);
        if (!pass->boundaries[group->boundary].removes && surface_crossed(pass, group, touches, found) && (!result->crosses || pass->id[group->rank] < pass->id[result->crossed])) {
            result->crosses = true;
            result->crossed = result->escaped = group->rank;
            result->crossed_boundary = group->boundary;
        }
        if (job.words > 0)
            remember(&job, group, touches, found);
        count += found;
        if (count >= surface_together) {
            add_touches(&job, room->touches, count);
            count = 0;
        }
    }
    add_touches(&job, room->touches, count);
}

// ---- Looking on ---------------------------------------------------------------------------------------------------------------

void sim_surfaces_visit(const sim_pass* pass, int64_t block, sim_touch_visit* visit, void* context)
{
    const sim_surfaces* s = pass->surfaces;
    if (s == NULL)
        return;
    surface_job job = job_of(pass, block);
    sim_desk* desk = sim_desk_take(pass);
    for (int64_t g = s->group_first[block]; g < s->group_first[block + 1]; ++g) {
        surface_touch* touches = desk->surface.touches;
        int64_t count = surface_find(pass, &s->group[g], &desk->surface, touches);
        const surface_slots slots = slots_of(&job, &s->group[g]);
        if (job.words > 0)
            surface_recall(&slots, false, touches, count);
        for (int64_t c = 0; c < count; ++c) {
            double words[law_words_most] = {0.0};
            sim_seen seen;
            if (touches[c].before != NULL)
                memcpy(words, touches[c].before, (size_t)job.words * sizeof *words);
            if (sim_see_touch(pass, &touches[c], touches[c].before != NULL, words, &seen))
                visit(context, &touches[c], words, &seen);
        }
    }
    sim_desk_give_back(desk);
}

scree_status sim_say_crossed(scree_sim* sim)
{
    const block_result* first = NULL;
    for (int64_t b = 0; b < sim->blocks; ++b)
        if (sim->result[b].crosses && (first == NULL || sim->id[sim->result[b].crossed] < sim->id[first->crossed]))
            first = &sim->result[b];
    char name[boundary_name_room];
    const double* x = sim->x[first->crossed];
    return scree_fail(SCREE_ERR_ARGUMENT,
                      "sim: step %" PRId64 ": sphere %" PRId64 " (radius %g) has passed through the surface '%s': its centre is at %g %g %g; expected it on the same side as before. The "
                                                               "contact is too soft for its load, "
                      "or the time step %g is too long",
                      sim->step, sim->id[first->crossed], x[3], sim_boundary_name(sim, first->crossed_boundary, name), x[0], x[1], x[2], sim->numbers.time_step);
}
