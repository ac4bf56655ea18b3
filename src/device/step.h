// The lanes of a step: forces on one sphere, its new velocity and place. It adds up its partners by rank and image, then the boundaries by number, as the passes of src/sim do.
//
// Giants add up whole quanta, in any order. The other sphere of such a contact works it out; giants themselves have rows of giants only, and are moved by a launch of their own.
#ifndef SCREE_DEVICE_STEP_H
#define SCREE_DEVICE_STEP_H

#include "device/contact.h"
#include "sim/verlet.h"

// How much closer two may have come since the list was made, before this launch. A launch that finds the list over, or that one before it ran into trouble, does nothing.
LANE double step_way(const step_job* job)
{
    if (job->index == 0)
        return job->used;
    const launch_told* last = &job->told[job->index - 1];
    if (last->trouble != 0)
        return INFINITY;
    if (!(last->way <= job->limit))
        return last->way;
    return last->way + 2.0 * (sqrt(lane_double_from(last->speed)) * job->whole * (1.0 + 1e-12) + job->rounding);
}

LANE void giant_add(const step_job* job, int32_t rank, int first, const int64_t quanta[3], bool minus)
{
    giant_sums* sums = &job->giants[job->giant_of[rank]];
    for (int k = 0; k < 3; ++k) {
        int64_t q = minus ? -quanta[k] : quanta[k];
        lane_add_wide(&sums->low[first + k], (uint64_t)q);
        lane_add_wide((uint64_t*)&sums->high[first + k], (uint64_t)(q >> 40));
    }
}

// A contact of which at least the other one is a giant: the rounded force acts on both.
LANE void step_giant(const step_job* job, const contact_own* own, int32_t j, bool turns, bool both, contact_told* told)
{
    int64_t quanta[3];
    bool fits = true;
    if (own->i != j) {
        fits = round_to(job->quantum, job->per_quantum, told->force, quanta);
        giant_add(job, j, 0, quanta, true);
        if (both)
            giant_add(job, own->i, 0, quanta, false);
    }
    if (turns) {
        fits = round_to(job->torque_quantum, job->per_torque, told->torque_other, quanta) && fits;
        giant_add(job, j, 3, quanta, false);
    }
    if (turns && both) {
        fits = round_to(job->torque_quantum, job->per_torque, told->torque, quanta) && fits;
        giant_add(job, own->i, 3, quanta, false);
    }
    if (!fits)
        lane_or(&job->told[job->index].trouble, TROUBLE_GIANT);
}

// Contacts with other spheres. `parts`: a constant where speed counts. How many there are that this row speaks for.
LANE uint32_t step_pairs(const step_job* job, bool grains, law_parts parts, const contact_own* own, double f[3], double t[3])
{
    const int32_t i = own->i;
    const bool turns = grains && grain_turns(parts), giants = job->giant_count > 0, giant = giants && own->x[3] >= job->giant_radius;
    const int words = grains ? grain_layout_of(parts).words : 0;
    uint32_t contacts = 0;
    for (uint64_t e = job->rows.off[i], end = job->rows.off[i + 1]; e < end; ++e) {
        const int32_t j = job->rows.list[e];
        double xj[4], offset[3], moves[3] = {0.0, 0.0, 0.0}, memory[law_words_most];
        lane_read(xj, job->x[j]);
        const bool image = contact_image(job, e, offset, moves);
        contact_told told;
        bool held = false, holds = i <= j ? scree_is_pair(own->x, xj, offset, job->law.reach) : scree_is_pair(xj, own->x, offset, job->law.reach);
        if (words > 0)
            held = job->rows.live[e] != 0;
        if (holds && grains) {
            for (int w = 0; w < words; ++w)
                memory[w] = held ? job->rows.words[e * (uint64_t)words + (uint64_t)w] : 0.0;
            holds = contact_grain(job, parts, own, j, xj, image, offset, moves, held, memory, &told);
        } else if (holds) {
            contact_linear(job, own, j, xj, image, offset, moves, &told);
        }
        if (!holds) {
            if (held)
                job->rows.live[e] = 0;
            continue;
        }
        if (words > 0) {
            job->rows.live[e] = 1;
            for (int w = 0; w < words; ++w)
                job->rows.words[e * (uint64_t)words + (uint64_t)w] = memory[w];
        }
        const bool other_giant = giants && xj[3] >= job->giant_radius;
        contacts += i <= j || (other_giant && !giant);
        if (other_giant) {
            step_giant(job, own, j, turns, giant, &told);
            if (giant)
                continue;
        }
        for (int k = 0; k < 3; ++k) {
            if (i != j)
                f[k] += told.force[k];
            if (turns)
                t[k] += told.torque[k];
            if (turns && i == j)
                t[k] += told.torque_other[k];
        }
    }
    return contacts;
}

LANE void step_walls(const step_job* job, bool grains, law_parts parts, const contact_own* own, double f[3], double t[3])
{
    const int words = grains ? grain_layout_of(parts).words : 0;
    const int64_t i = own->i;
    uint32_t live = words > 0 && job->wall_live != NULL ? job->wall_live[i] : 0, was = live;
    for (int32_t number = 0; number < job->boundary_count; ++number) {
        const sim_boundary* b = &job->boundaries[number];
        boundary_point at;
        if (!b->present)
            continue;
        boundary_surface(b, own->x, &at);
        if (at.inside < 0.0 && !b->removes)
            lane_or(&job->told[job->index].trouble, TROUBLE_ESCAPED);
        if (!(own->x[3] - at.inside > -job->law.reach)) {
            live &= ~(1u << number);
            continue;
        }
        if (!grains) {
            double force[3];
            contact_linear_wall(job, own, b, &at, force);
            for (int k = 0; k < 3; ++k)
                f[k] += force[k];
            continue;
        }
        const bool held = (live >> number & 1) != 0;
        double memory[law_words_most];
        double* there = words > 0 ? job->wall_words + ((int64_t)job->wall_slot[number] * job->n + i) * words : NULL;
        for (int w = 0; w < words; ++w)
            memory[w] = held ? there[w] : 0.0;
        contact_told told;
        live &= ~(1u << number);
        if (!contact_grain_wall(job, parts, own, b, &at, held, memory, &told))
            continue;
        live |= 1u << number;
        for (int w = 0; w < words; ++w)
            there[w] = memory[w];
        for (int k = 0; k < 3; ++k) {
            f[k] += told.force[k];
            if (grain_turns(parts))
                t[k] += told.torque[k];
        }
    }
    if (words > 0 && live != was)
        job->wall_live[i] = live;
}

// What a pass does after the forces. The square of the new speed.
LANE double step_move(const step_job* job, bool turns, int64_t i, const double x[4], const double v[4], const double w[4], bool fixed, const double f[3], const double t[3])
{
    double to[3], fast[3], guess[3];
    const bool steps = job->mode == MODE_STEP;
    for (int k = 0; k < 3; ++k) {
        double a = fixed ? 0.0 : f[k] * v[3] + job->gravity[k], push = job->half * a;
        if (job->before != NULL) {
            double moved = x[k] - job->before[i][k];
            to[k] = steps ? x[k] + (moved + job->square * a) : a;
            fast[k] = steps ? (to[k] - x[k]) * job->per : moved * job->per + push;
            if (steps)
                job->before[i][k] = x[k];
        } else {
            fast[k] = steps ? verlet_kick(verlet_kick(v[k], push), push) : verlet_kick(v[k], push);
            to[k] = steps ? verlet_drift(x[k], fast[k], job->whole) : a;
        }
        guess[k] = verlet_kick(fast[k], push);
    }
    lane_write(job->next[i], to[0], to[1], to[2], steps ? x[3] : 0.0);
    lane_write(job->v_next[i], fast[0], fast[1], fast[2], v[3]);
    if (job->p != NULL && steps)
        lane_write(job->p_next[i], guess[0], guess[1], guess[2], v[3]);
    if (turns) {
        double spin[3], turn[3];
        for (int k = 0; k < 3; ++k) {
            double a = w[3] * t[k], push = job->half * a;
            spin[k] = steps ? (w[k] + push) + push : w[k] + push;
            turn[k] = steps ? spin[k] + push : a;
        }
        lane_write(job->wp_next[i], turn[0], turn[1], turn[2], steps ? w[3] : 0.0);
        lane_write(job->w_next[i], spin[0], spin[1], spin[2], w[3]);
    }
    return (fast[0] * fast[0] + fast[1] * fast[1]) + fast[2] * fast[2];
}

LANE void step_lane(const step_job* job, bool grains, law_parts parts, int64_t i)
{
    const double way = step_way(job);
    launch_told* told = &job->told[job->index];
    const bool turns = grains && grain_turns(parts);
    double square = 0.0;
    if (i == 0)
        told->way = way;
    if (i < job->n && way <= job->limit) {
        contact_own own;
        double f[3] = {0.0, 0.0, 0.0}, t[3] = {0.0, 0.0, 0.0};
        own.i = (int32_t)i;
        lane_read(own.x, job->x[i]);
        lane_read(own.v, job->v[i]);
        if (job->p != NULL)
            lane_read(own.p, job->p[i]);
        if (turns) {
            lane_read(own.w, job->w[i]);
            lane_read(own.wp, job->wp[i]);
        }
        for (int k = 0; k < 3; ++k) {
            if (job->force != NULL)
                f[k] = job->force[i][k];
            if (turns && job->torque != NULL)
                t[k] += job->torque[i][k];
        }
        const bool fixed = job->flags != NULL && (job->flags[i] & 1) != 0;
        uint32_t contacts = step_pairs(job, grains, parts, &own, f, t);
        if (!fixed)
            step_walls(job, grains, parts, &own, f, t);
        if (job->mode == MODE_OBSERVE && contacts > 0)
            lane_add_wide(&told->contacts, contacts);
        if (job->giant_count > 0 && own.x[3] >= job->giant_radius) {
            giant_sums* sums = &job->giants[job->giant_of[i]];
            for (int k = 0; k < 3; ++k) {
                sums->rest[k] = f[k];
                sums->turn[k] = t[k];
            }
            sums->rank = (int32_t)i;
        } else {
            square = step_move(job, turns, i, own.x, own.v, own.w, fixed, f, t);
            if (!(square <= 1e300)) {
                lane_or(&told->trouble, TROUBLE_LOST);
                square = 0.0;
            }
        }
    }
    lane_max_of_all(&told->speed, lane_bits_from(square));
}

// Giant g, when all lanes of the step are done.
LANE void giants_lane(const step_job* job, bool turns, int64_t g)
{
    launch_told* told = &job->told[job->index];
    if (g >= job->giant_count || !(told->way <= job->limit))
        return;
    giant_sums* sums = &job->giants[g];
    const int64_t i = sums->rank;
    double x[4], v[4], w[4] = {0.0, 0.0, 0.0, 0.0}, f[3], t[3];
    lane_read(x, job->x[i]);
    lane_read(v, job->v[i]);
    if (turns)
        lane_read(w, job->w[i]);
    for (int k = 0; k < 6; ++k) {
        // Each part from bit 40 on is rounded down, by less than 1. Up to 2^21 contacts these sums show whether the whole one left the integers.
        if (sums->high[k] >= 3 * ((int64_t)1 << 21) || sums->high[k] < -3 * ((int64_t)1 << 21))
            lane_or(&told->trouble, TROUBLE_GIANT);
        double sum = (double)(int64_t)sums->low[k];
        if (k < 3)
            f[k] = sum * job->quantum + sums->rest[k];
        else
            t[k - 3] = sum * job->torque_quantum + sums->turn[k - 3];
        sums->low[k] = 0;
        sums->high[k] = 0;
    }
    const bool fixed = job->flags != NULL && (job->flags[i] & 1) != 0;
    double square = step_move(job, turns, i, x, v, w, fixed, f, t);
    if (!(square <= 1e300)) {
        lane_or(&told->trouble, TROUBLE_LOST);
        square = 0.0;
    }
    lane_max(&told->speed, lane_bits_from(square));
}

// ---- How far spheres have gone -----------------------------------------------------------------------------------------------

LANE void way_lane(const way_job* job, int64_t i)
{
    double square = 0.0;
    for (int k = 0; k < 3 && i < job->n; ++k) {
        double d = job->x[i][k] - job->reference[i][k];
        square += d * d;
    }
    lane_max_of_all(job->most, lane_bits_from(square));
}

#endif
