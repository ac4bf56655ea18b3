// The lanes of exact shapes and meshes: the parts that each sphere is near, and its contacts with them. The functions of src/sim (surface_find.h, surface_keep.h) find the contacts and update their memory.
//
// A lane works on one sphere near a shape and stores the forces and torques of its contacts in order; the lane of the step adds them after the forces of walls, in the processor's order. Contacts with a mesh need
// scratch memory that depends on the largest number of triangles near a sphere: so the number of lanes follows from the memory, and each works on several spheres.
#ifndef SCREE_DEVICE_SHAPES_H
#define SCREE_DEVICE_SHAPES_H

#include "device/step.h"

// ---- Lists ---------------------------------------------------------------------------------------------------------------

LANE bool shape_sees(const shape_job* job, int64_t i)
{
    return job->flags == NULL || (job->flags[i] & 1) == 0;
}

// Rows of each sphere; result: spheres that have some, the most rows of a sphere with one shape, all rows.
LANE void shape_count_lane(const shape_job* job, int64_t i)
{
    if (i > job->n)
        return;
    uint64_t rows = 0;
    for (int32_t b = boundary_faces; b < job->boundary_count && i < job->n && shape_sees(job, i); ++b) {
        if (job->boundaries[b].shape == NULL)
            continue;
        const int64_t found = shape_rows_near(&job->cell, &job->boundaries[b], &job->now.shapes[b], job->x[i], job->x[i][3] + job->margin, NULL, 0);
        if ((uint64_t)found > lane_peek(&job->result[1]))
            lane_max(&job->result[1], (uint64_t)found);
        rows += (uint64_t)found;
    }
    job->count[i] = (uint32_t)rows;
    if (rows == 0)
        return;
    job->now.near[lane_add_wide(&job->result[0], 1)] = (int32_t)i;
    lane_add_wide(&job->result[2], rows);
}

// Parts by boundary and number, and what contacts with them remembered: rows of the old list have the same order.
LANE void shape_fill_lane(const shape_job* job, int64_t k)
{
    if (k >= job->near_count)
        return;
    const shape_set *now = &job->now, *old = &job->old;
    const int64_t i = now->near[k];
    uint32_t row = now->off[i];
    const uint32_t end = now->off[i + 1];
    for (int32_t b = boundary_faces; b < job->boundary_count; ++b) {
        if (job->boundaries[b].shape == NULL)
            continue;
        const int64_t found = shape_rows_near(&job->cell, &job->boundaries[b], &now->shapes[b], job->x[i], job->x[i][3] + job->margin, now->part + row, (int64_t)(end - row));
        for (int64_t p = 0; p < found; ++p)
            now->boundary[row + p] = (uint8_t)b;
        row += (uint32_t)found;
    }
    if (job->wide == 0)
        return;
    uint32_t was = 0, last = 0;
    if (job->has_old) {
        const int64_t rank = job->from != NULL ? (int64_t)job->from[i] : i;
        was = old->off[rank];
        last = old->off[rank + 1];
    }
    for (row = now->off[i]; row < end; ++row) {
        now->slot[row] = now->next[row] = -1;
        while (was < last && (old->boundary[was] < now->boundary[row] || (old->boundary[was] == now->boundary[row] && old->part[was] < now->part[row])))
            ++was;
        if (was == last || old->boundary[was] != now->boundary[row] || old->part[was] != now->part[row] || old->slot[was] < 0)
            continue;
        now->slot[row] = (int32_t)row;
        for (int32_t w = 0; w < job->wide; ++w)
            now->words[(int64_t)row * job->wide + w] = old->words[(int64_t)was * job->wide + w];
    }
}

// ---- Contacts ------------------------------------------------------------------------------------------------------------

// The rows of a sphere with one shape begin at `first`.
LANE surface_beside shape_beside(const step_job* job, bool halves, const contact_own* own, int64_t first)
{
    const shape_set* set = &job->shapes;
    const int64_t last = set->off[own->i + 1];
    surface_beside beside;
    beside.boundary = set->boundary[first];
    beside.cell = &job->cell;
    beside.b = &job->boundaries[beside.boundary];
    beside.s = &set->shapes[beside.boundary];
    beside.rank = own->i;
    beside.x = own->x;
    beside.v = own->v;
    beside.step = job->whole;
    beside.reach = job->law.reach;
    beside.halves = halves;
    beside.curved = grain_is_curved(job->law.parts.normal);
    beside.part = set->part;
    beside.first = first;
    beside.end = first + 1;
    while (beside.end < last && set->boundary[beside.end] == beside.boundary)
        ++beside.end;
    return beside;
}

// Contacts by row, then links. A lane finds one sphere's at a time, in memory of its own.
LANE_APART int64_t shape_find(const shape_set* set, int64_t lane, const surface_beside* beside)
{
    return shape_touches(beside, set->work + lane * set->work_room, set->contacts + lane * set->room, set->touches + lane * set->room);
}

LANE_APART bool shape_crossed(const surface_beside* beside, const surface_touch* touches, int64_t count)
{
    return shape_is_crossed(beside, touches, count);
}

// One touch of a sphere: what it adds is left in `to`. False: there is no contact.
LANE bool shape_contact(const step_job* job, step_traits traits, law_parts parts, const surface_beside* beside, const contact_own* own, const surface_touch* touch, int32_t* slot, double* kept, double to[6],
                        block_sums* sums)
{
    for (int k = 0; k < 6; ++k)
        to[k] = 0.0;
    if ((!traits.teams || law_is_own(parts.normal)) && !(touch->x[3] - touch->at.inside > -job->law.reach))
        return false;
    const int words = grain_layout_of(parts).words;
    double memory[law_words_most];
    contact_result result;
    for (int w = 0; w < words; ++w)
        memory[w] = touch->before != NULL ? touch->before[w] : 0.0;
    if (!contact_grain_wall(job, traits, parts, own, beside->b, &touch->at, touch, touch->before != NULL, memory, &result)) {
        const double factor[2] = {touch->continues ? 1.0 : 0.0, touch->share};
        if (traits.accounts && touch->before != NULL && !surface_is_link(touch))
            energies_ended(job, parts, contact_with_wall(job, traits.materials, own->i, beside->b->material), own->x[3], factor, touch->before, sums);
        return false;
    }
    if (words > 0 && touch->row >= 0) {
        surface_write_slot(words, touch, memory, kept);
        *slot = (int32_t)touch->row;
    }
    if (traits.accounts) {
        energies_contact_apart(job, &result, sums);
    }
    if (traits.servos)
        contact_servo(job, own, touch->x, beside->boundary, &touch->at, touch->scale, touch->share, result.force, grain_twists(parts) ? result.twist : NULL);
    for (int k = 0; k < 3; ++k) {
        to[k] = result.force[k];
        to[3 + k] = grain_turns(parts) ? result.torque[k] : 0.0;
    }
    return true;
}

LANE_APART bool shape_contact_apart(const step_job* job, step_traits traits, const surface_beside* beside, const contact_own* own, const surface_touch* touch, int32_t* slot, double* kept, double to[6],
                                    block_sums* sums)
{
    return shape_contact(job, traits, job->law.parts, beside, own, touch, slot, kept, to, sums);
}

// What the touches of a sphere with a shape remember, and what contacts held that have ended.
LANE_APART void shape_remember(const step_job* job, step_traits traits, int words, const surface_beside* beside, const contact_own* own, surface_touch* touches, int64_t count, block_sums* sums)
{
    const shape_set* set = &job->shapes;
    surface_slots slots;
    double lost[owners] = {0.0, 0.0, 0.0, 0.0};
    slots.words = words;
    slots.wide = words + surface_words;
    slots.grains = !law_is_own(job->law.parts.normal);
    slots.parts = job->law.parts;
    slots.with = contact_with_wall(job, traits.materials, own->i, beside->b->material);
    slots.slot = set->slot;
    slots.next = set->next;
    slots.at = set->words;
    const bool ended = surface_remember(&slots, beside, touches, count, lost);
    for (int owner = 0; owner < owners && traits.accounts; ++owner)
        if (lost[owner] != 0.0)
            energies_add(job, ENERGY_LOST + owner, lost[owner], sums);
    for (int64_t r = beside->first; r < beside->end && ended; ++r) {
        const double* slot = surface_slot_at(&slots, r);
        if (traits.accounts && surface_is_lost(&slots, r, touches, count)) {
            const double factor[2] = {1.0, slot[words + SLOT_SHARE]};
            energies_ended(job, job->law.parts, slots.with, own->x[3], factor, slot, sums);
        }
        set->next[r] = -1;
    }
}

// Contacts of a sphere with the shape whose rows begin at *row, which goes on to the next one. `kept`: how many it has left before.
LANE uint32_t shape_contacts(const step_job* job, step_traits traits, law_parts parts, bool apart, const contact_own* own, int64_t lane, int64_t* row, uint32_t kept, block_sums* sums)
{
    const shape_set* set = &job->shapes;
    const int words = grain_layout_of(parts).words, wide = words + surface_words;
    const surface_beside beside = shape_beside(job, job->law.turns, own, *row);
    const int64_t count = shape_find(set, lane, &beside);
    surface_touch* touches = set->touches + lane * set->room;
    launch_result* result = &job->result[job->index];
    if (!beside.b->removes && shape_crossed(&beside, touches, count)) {
        lane_or(&result->trouble, TROUBLE_ESCAPED);
        lane_max(&result->crossed, ~((uint64_t)(uint32_t)job->row[own->i] << 32 | (uint32_t)beside.boundary));
    }
    if (words > 0)
        shape_remember(job, traits, words, &beside, own, touches, count, sums);
    for (int64_t c = 0; c < count; ++c) {
        const int64_t there = touches[c].row < 0 ? 0 : touches[c].row;
        int32_t* slot = words > 0 ? &set->next[there] : NULL;
        double *memory = words > 0 ? set->words + there * wide : NULL, *to = set->touch[2 * (int64_t)set->off[own->i] + kept];
        if (apart ? shape_contact_apart(job, traits, &beside, own, &touches[c], slot, memory, to, sums) : shape_contact(job, traits, parts, &beside, own, &touches[c], slot, memory, to, sums))
            ++kept;
    }
    for (int64_t r = beside.first; r < beside.end && words > 0; ++r) {
        set->slot[r] = set->next[r];
        set->next[r] = -1;
    }
    *row = beside.end;
    return kept;
}

// Lane number `lane` of all that there are. `apart`: the code of contacts is a function of its own, for any law.
LANE void shapes_lane(const step_job* job, step_traits traits, law_parts parts, bool apart, int64_t lane, block_sums* sums)
{
    const shape_set* set = &job->shapes;
    lane_follow();
    if (lane >= set->lanes || !(step_way(job) <= job->head->limit))
        return;
    for (int64_t k = lane; k < job->head->near_count; k += set->lanes) {
        contact_own own;
        uint32_t kept = 0;
        own.i = set->near[k];
        lane_read(own.x, job->x[own.i]);
        velocity_read_all(job, job->law.turns, own.i, own.v);
        if (job->law.turns)
            lane_read(own.w, job->w[own.i]);
        for (int64_t row = set->off[own.i]; row < set->off[own.i + 1];)
            kept = shape_contacts(job, traits, parts, apart, &own, lane, &row, kept, sums);
        set->touched[own.i] = kept;
    }
}

// ---- Boundaries that remove what passes through them -----------------------------------------------------------------------

LANE void cross_tell(const step_job* job, int32_t i, int32_t boundary)
{
    if (job->crossing == NULL) {
        lane_or(&job->result[job->index].trouble, TROUBLE_REMOVES);
        return;
    }
    const uint64_t at = lane_add_wide(&job->crossing[0], 1);
    if (at + 1 < job->crossing_room)
        job->crossing[at + 1] = (uint64_t)(uint32_t)job->row[i] << 32 | (uint32_t)boundary;
}

LANE void cross_lane(const step_job* job, int64_t i)
{
    if (i >= job->n || (job->flags != NULL && (job->flags[i] & 1) != 0) || (job->crossing == NULL && !(step_way(job) <= job->head->limit)))
        return;
    double x[4];
    lane_read(x, job->x[i]);
    for (int32_t b = 0; b < job->boundary_count; ++b) {
        boundary_point at;
        if (!job->boundaries[b].removes || !job->boundaries[b].present || job->boundaries[b].shape != NULL)
            continue;
        boundary_surface(&job->boundaries[b], x, &at);
        if (at.inside < 0.0)
            cross_tell(job, (int32_t)i, b);
    }
}

LANE void cross_shapes_lane(const step_job* job, int64_t lane)
{
    const shape_set* set = &job->shapes;
    if (lane >= set->lanes || (job->crossing == NULL && !(step_way(job) <= job->head->limit)))
        return;
    const surface_touch* touches = set->touches + lane * set->room;
    for (int64_t k = lane; k < job->head->near_count; k += set->lanes) {
        contact_own own;
        own.i = set->near[k];
        lane_read(own.x, job->x[own.i]);
        velocity_read_all(job, job->law.turns, own.i, own.v);
        for (int64_t row = set->off[own.i]; row < set->off[own.i + 1];) {
            const surface_beside beside = shape_beside(job, false, &own, row);
            row = beside.end;
            if (!beside.b->removes)
                continue;
            const int64_t count = shape_find(set, lane, &beside);
            if (shape_crossed(&beside, touches, count))
                cross_tell(job, own.i, beside.boundary);
        }
    }
}

#endif
