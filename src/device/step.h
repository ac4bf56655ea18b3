// The lanes of a step: the force on one sphere, its new velocity and position. Contacts with other spheres are added by rank and image, then boundaries by number, as in the passes of src/sim.
//
// Forces on giants are sums of integers, in any order. The other sphere of such a contact computes it; the rows of giants hold giants only, and a launch of its own moves them.
#ifndef SCREE_DEVICE_STEP_H
#define SCREE_DEVICE_STEP_H

#include "device/energies.h"
#include "sim/verlet.h"

// Upper bound of how much two spheres have approached each other since the list was made, before this launch. Infinite if the launch must do nothing: an earlier one failed, or it exceeds the batch.
LANE double step_way(const step_job* job)
{
    // All is read at once: a lane then waits once for memory.
    const batch_head head = *job->head;
    const launch_result last = job->result[job->index > 0 ? job->index - 1 : 0];
    double way = last.way + 2.0 * (sqrt(lane_double_from(last.speed)) * job->whole * (1.0 + 1e-12) + head.rounding);
    way = last.way <= head.limit ? way : last.way;
    way = last.trouble != 0 ? INFINITY : way;
    way = job->index == 0 ? head.used : way;
    if (job->removes && (job->result[job->index].trouble & TROUBLE_REMOVES) != 0)
        return INFINITY;
    return job->index >= head.many ? INFINITY : way;
}

// Three numbers, rounded, to the sums of a giant from `first` on. What they are then. By values: a pointer would take the numbers of every contact out of registers.
LANE_APART three giant_add(const step_job* job, int32_t rank, int first, three term, bool minus)
{
    giant_sums* sums = &job->giants[job->giant_of[rank]];
    double value[3] = {term.x, term.y, term.z};
    int64_t quanta[3];
    if (!round_to(first == 0 ? job->quantum : job->torque_quantum, first == 0 ? job->per_quantum : job->per_torque, value, quanta))
        lane_or(&job->result[job->index].trouble, TROUBLE_GIANT);
    for (int k = 0; k < 3; ++k) {
        int64_t q = minus ? -quanta[k] : quanta[k];
        lane_add_wide(&sums->low[first + k], (uint64_t)q);
        lane_add_wide((uint64_t*)&sums->high[first + k], (uint64_t)(q >> 40));
    }
    return contact_three(value);
}

LANE void step_three(double to[3], three from)
{
    to[0] = from.x;
    to[1] = from.y;
    to[2] = from.z;
}

// A contact of which at least the other one is a giant: the rounded force acts on both.
LANE void step_giant(const step_job* job, const contact_own* own, int32_t j, bool turns, bool both, contact_result* result)
{
    if (own->i != j) {
        if (both)
            giant_add(job, own->i, 0, contact_three(result->force), false);
        step_three(result->force, giant_add(job, j, 0, contact_three(result->force), true));
    }
    if (turns)
        step_three(result->torque_other, giant_add(job, j, 3, contact_three(result->torque_other), false));
    if (turns && both)
        step_three(result->torque, giant_add(job, own->i, 3, contact_three(result->torque), false));
}
enum { PAIR_SPEAKS = 1, PAIR_ADDS = 2, PAIR_SELF = 4, PAIR_KEEPS = 8 };

// The predicate, the lower rank first; without images the order does not matter.
LANE bool step_is_near(const step_job* job, bool images, const contact_own* own, int32_t j, const double xj[4], const double offset[3])
{
    return !images || own->i <= j ? scree_is_pair(own->x, xj, offset, job->law.reach) : scree_is_pair(xj, own->x, offset, job->law.reach);
}

// Words of an entry, four at a time where all are.
LANE void step_remember(const step_job* job, int words, uint64_t e, double memory[law_words_most])
{
    const double* from = job->rows.words + e * (uint64_t)words;
    for (int w = 0; w < words; ++w)
        if (words % 4 != 0)
            memory[w] = from[w];
        else if (w % 4 == 0)
            lane_read(memory + w, from + w);
}

LANE void step_keep(const step_job* job, int words, uint64_t e, const double memory[law_words_most])
{
    double* to = job->rows.words + e * (uint64_t)words;
    for (int w = 0; w < words; ++w)
        if (words % 4 != 0)
            to[w] = memory[w];
        else if (w % 4 == 0)
            lane_write(to + w, memory + w);
}

// One candidate, and whether it is `near`: it touches, or its contact, which was `held` before, may have ended. Returns bits: it is counted in this row; `result` is to be added to the sums of the sphere; the partner is its own image;
// the memory is to be written. `memory`: that of the contact after the step.
LANE int step_pair(const step_job* job, step_traits traits, law_parts parts, contact_own* own, uint64_t e, int32_t j, const double xj[4], bool near, bool held, double memory[law_words_most], contact_result* result, block_sums* sums)
{
    const int32_t i = own->i;
    const bool turns = grain_turns(parts), giant = traits.giants && own->x[3] >= job->giant_radius;
    const int words = grain_layout_of(parts).words;
    double offset[3], image_velocity[3] = {0.0, 0.0, 0.0};
    const bool image = contact_image(job, traits.images, e, offset, image_velocity);
    bool holds = near;
    if (holds) {
        for (int w = 0; w < words; ++w)
            memory[w] = 0.0;
        if (held)
            step_remember(job, words, e, memory);
        holds = contact_grain(job, traits, parts, own, j, xj, image, offset, image_velocity, held, memory, result);
    }
    const bool other_giant = traits.giants && xj[3] >= job->giant_radius;
    const int speaks = i <= j || (other_giant && !giant) ? PAIR_SPEAKS : 0;
    if (!holds) {
        if (held)
            row_ends(&job->rows, e);
        if (held && traits.accounts && speaks != 0) {
            const double radius = own->x[3] * xj[3] / (own->x[3] + xj[3]), all[2] = {1.0, 1.0};
            energies_ended(job, parts, contact_with(job, traits.materials, i < j ? i : j, i < j ? j : i), radius, all, job->rows.words + e * (uint64_t)words, sums);
        }
        return 0;
    }
    if (traits.accounts && speaks != 0)
        energies_contact(job, result, sums);
    if (traits.accounts && speaks != 0 && image && job->drives)
        energies_images(job, i > j, e, result->force, sums);
    if (words > 0 && !held)
        row_begins(&job->rows, e);
    const int keeps = words > 0 ? PAIR_KEEPS : 0;
    if (other_giant) {
        step_giant(job, own, j, turns, giant, result);
        if (giant)
            return speaks | keeps;
    }
    return speaks | keeps | PAIR_ADDS | (i == j ? PAIR_SELF : 0);
}

LANE void step_add(int bits, bool turns, const contact_result* result, double f[3], double t[3])
{
    if ((bits & PAIR_ADDS) == 0)
        return;
    for (int k = 0; k < 3; ++k) {
        if ((bits & PAIR_SELF) == 0)
            f[k] += result->force[k];
        if (turns)
            t[k] += result->torque[k];
        if (turns && (bits & PAIR_SELF) != 0)
            t[k] += result->torque_other[k];
    }
}

enum { ahead_most = 8 };

// The first partners of a row.
LANE void step_partners(const step_job* job, step_traits traits, uint32_t first, uint32_t end, int32_t j[ahead_most])
{
    LANE_UNROLL
    for (int q = 0; q < ahead_most; ++q)
        j[q] = q < traits.ahead && first + (uint32_t)q < end ? job->rows.list[first + (uint32_t)q] : -1;
}

// Where they are. They are read together, so that one does not wait for the other.
LANE void step_read(const step_job* job, step_traits traits, const int32_t j[ahead_most], double xj[ahead_most][4])
{
    LANE_UNROLL
    for (int q = 0; q < ahead_most; ++q)
        if (q < traits.ahead && j[q] >= 0)
            lane_read(xj[q], job->x[j[q]]);
}

// Which of these partners touch: bits.
LANE uint32_t step_near(const step_job* job, step_traits traits, const contact_own* own, uint32_t first, const int32_t j[ahead_most], double xj[ahead_most][4])
{
    uint32_t near = 0;
    LANE_UNROLL
    for (int q = 0; q < ahead_most; ++q) {
        double offset[3], image_velocity[3];
        if (q >= traits.ahead || j[q] < 0)
            continue;
        contact_image(job, traits.images, first + (uint32_t)q, offset, image_velocity);
        near |= (uint32_t)step_is_near(job, traits.images, own, j[q], xj[q], offset) << q;
    }
    return near;
}

// All of a row of up to 32 entries. `j`: its first partners, which are at xj.
LANE uint32_t step_wanted(const step_job* job, step_traits traits, const contact_own* own, uint32_t first, uint32_t end, int32_t j[ahead_most], double xj[ahead_most][4])
{
    uint32_t wanted = 0;
    for (uint32_t done = 0; first + done < end; done += (uint32_t)traits.ahead) {
        if (done > 0) {
            step_partners(job, traits, first + done, end, j);
            step_read(job, traits, j, xj);
        }
        wanted |= step_near(job, traits, own, first + done, j, xj) << done;
    }
    return wanted;
}

// Contacts of the linear law with other spheres, the entries from first to end, added up in order. Returns the number of those counted in this row. traits.apart: all are tested before
// the first contact is computed, and `j` holds the first partners; lanes then wait for the lane with most contacts, not for every position in a row at which some lane has a contact.
LANE uint32_t step_pairs(const step_job* job, step_traits traits, law_parts parts, contact_own* own, uint32_t first, uint32_t end, int32_t j[ahead_most], double f[3], double t[3], block_sums* sums)
{
    uint32_t contacts = 0;
    double memory[law_words_most], xj[ahead_most][4];
    contact_result result;
    if (traits.apart) {
        step_read(job, traits, j, xj);
        for (uint32_t wanted = step_wanted(job, traits, own, first, end, j, xj); wanted != 0; wanted &= wanted - 1) {
            const uint32_t e = first + (uint32_t)lane_lowest(wanted);
            const int32_t other = job->rows.list[e];
            lane_read(xj[0], job->x[other]);
            int bits = step_pair(job, traits, parts, own, e, other, xj[0], true, false, memory, &result, sums);
            step_add(bits, false, &result, f, t);
            contacts += (uint32_t)(bits & PAIR_SPEAKS);
        }
        return contacts;
    }
    for (; first < end; first += (uint32_t)traits.ahead) {
        step_partners(job, traits, first, end, j);
        step_read(job, traits, j, xj);
        const uint32_t wanted = step_near(job, traits, own, first, j, xj);
        LANE_UNROLL
        for (int q = 0; q < ahead_most; ++q) {
            if (q >= traits.ahead || (wanted >> q & 1) == 0)
                continue;
            int bits = step_pair(job, traits, parts, own, first + (uint32_t)q, j[q], xj[q], true, false, memory, &result, sums);
            step_add(bits, false, &result, f, t);
            contacts += (uint32_t)(bits & PAIR_SPEAKS);
        }
    }
    return contacts;
}

// Walls that the sphere is near enough for the law: bits by their place in wall_of. Faces that it is far from are seen by numbers of the job; few spheres read more of them.
LANE uint32_t step_walls_near(const step_job* job, const double x[4])
{
    uint32_t near = 0, within = 0;
    for (int number = 0; number < boundary_faces; ++number) {
        const double at = x[number / 2], inside = number % 2 == 0 ? at - job->face[number] : job->face[number] - at;
        if (!(x[3] - inside <= -job->law.reach))
            near |= 1u << number;
    }
    if (near == 0 && !job->rounds)
        return 0;
    for (int32_t wall = 0; wall < job->wall_count; ++wall) {
        const int32_t number = job->wall_of[wall];
        const sim_boundary* b = &job->boundaries[number];
        boundary_point at;
        if (number < boundary_faces && (near >> number & 1) == 0)
            continue;
        boundary_surface(b, x, &at);
        if (at.inside < 0.0 && !b->removes)
            lane_or(&job->result[job->index].trouble, TROUBLE_ESCAPED);
        if (x[3] - at.inside > -job->law.reach)
            within |= 1u << wall;
    }
    return within;
}

// The contact with one of these. False: there is none.
LANE bool step_wall(const step_job* job, step_traits traits, law_parts parts, contact_own* own, int32_t wall, bool held, contact_result* result, block_sums* sums)
{
    const int32_t number = job->wall_of[wall];
    const sim_boundary* b = &job->boundaries[number];
    const int words = grain_layout_of(parts).words;
    boundary_point at;
    boundary_surface(b, own->x, &at);
    double memory[law_words_most];
    double* there = words > 0 ? job->wall_words + ((int64_t)wall * job->n + own->i) * words : NULL;
    for (int w = 0; w < words; ++w)
        memory[w] = held ? there[w] : 0.0;
    if (!contact_grain_wall(job, traits, parts, own, b, &at, NULL, held, memory, result))
        return false;
    for (int w = 0; w < words; ++w)
        there[w] = memory[w];
    if (traits.accounts) {
        energies_contact(job, result, sums);
        energies_add(job, ENERGY_RATE + WORK_WALLS, result->power, sums);
    }
    if (traits.servos)
        contact_servo(job, own, own->x, number, &at, 1.0, 1.0, result->force, grain_twists(parts) ? result->twist : NULL);
    return true;
}

// Walls that the sphere touched before: bits.
LANE uint32_t step_walls_before(const step_job* job, law_parts parts, int64_t i)
{
    return grain_layout_of(parts).words > 0 && job->wall_live != NULL ? job->wall_live[i] : 0;
}

// Those that it touches now; contacts with others have ended.
LANE void step_walls_after(const step_job* job, step_traits traits, law_parts parts, const contact_own* own, uint32_t was, uint32_t live, block_sums* sums)
{
    const int words = grain_layout_of(parts).words;
    if (words > 0 && live != was)
        job->wall_live[own->i] = live;
    for (uint32_t ended = traits.accounts && words > 0 ? was & ~live : 0; ended != 0; ended &= ended - 1) {
        const int32_t wall = lane_lowest(ended);
        const double all[2] = {1.0, 1.0};
        energies_ended(job, parts, contact_with_wall(job, traits.materials, own->i, job->boundaries[job->wall_of[wall]].material), own->x[3], all,
                       job->wall_words + ((int64_t)wall * job->n + own->i) * words, sums);
    }
}

LANE void step_walls(const step_job* job, step_traits traits, law_parts parts, contact_own* own, double f[3], double t[3], block_sums* sums)
{
    const uint32_t was = step_walls_before(job, parts, own->i);
    uint32_t live = 0;
    for (uint32_t near = step_walls_near(job, own->x); near != 0; near &= near - 1) {
        const int32_t wall = lane_lowest(near);
        contact_result result;
        if (!step_wall(job, traits, parts, own, wall, (was >> wall & 1) != 0, &result, sums))
            continue;
        live |= 1u << wall;
        step_add(PAIR_ADDS, grain_turns(parts), &result, f, t);
    }
    step_walls_after(job, traits, parts, own, was, live, sums);
}

// What contacts with exact shapes and meshes add (shapes.h).
LANE void step_shapes(const step_job* job, bool turns, int64_t i, double f[3], double t[3])
{
    const shape_set* set = &job->shapes;
    if (set->off[i] == set->off[i + 1])
        return;
    const uint32_t count = set->touched[i];
    for (uint32_t c = 0; c < count; ++c) {
        const double* add = set->touch[2 * (int64_t)set->off[i] + c];
        for (int k = 0; k < 3; ++k) {
            f[k] += add[k];
            if (turns)
                t[k] += add[3 + k];
        }
    }
}

// What a pass leaves of a sphere: its next place or acceleration, velocities, and those predicted.
typedef struct step_left {
    double x[4], v[4], p[4], w[4], wp[4];
} step_left;

LANE void step_four(double to[4], double a, double b, double c, double d)
{
    to[0] = a;
    to[1] = b;
    to[2] = c;
    to[3] = d;
}

// What a pass does after the forces. The square of the new speed.
LANE double step_move(const step_job* job, step_traits traits, bool turns, int64_t i, const double x[4], const double v[4], const double w[4], bool fixed, const double f[3], const double t[3], step_left* out)
{
    double to[3], fast[3], guess[3];
    const bool steps = traits.steps;
    for (int k = 0; k < 3; ++k) {
        double a = fixed ? 0.0 : f[k] * v[3] + job->gravity[k], push = job->half * a;
        if (traits.positions) {
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
    double square = (fast[0] * fast[0] + fast[1] * fast[1]) + fast[2] * fast[2];
    if (traits.loads && loads_drive(job, i, x, to, fast, guess))
        square = fmax(square, (fast[0] * fast[0] + fast[1] * fast[1]) + fast[2] * fast[2]);
    step_four(out->x, to[0], to[1], to[2], steps ? x[3] : 0.0);
    step_four(out->v, fast[0], fast[1], fast[2], v[3]);
    if (traits.damped)
        step_four(out->p, guess[0], guess[1], guess[2], v[3]);
    if (turns) {
        double spin[3], turn[3];
        for (int k = 0; k < 3; ++k) {
            double a = w[3] * t[k], push = job->half * a;
            spin[k] = steps ? (w[k] + push) + push : w[k] + push;
            turn[k] = steps ? spin[k] + push : a;
        }
        if (traits.loads)
            loads_spin(job, i, spin, turn);
        step_four(out->wp, turn[0], turn[1], turn[2], steps ? w[3] : 0.0);
        step_four(out->w, spin[0], spin[1], spin[2], w[3]);
    }
    return square;
}

LANE void step_write(const step_job* job, step_traits traits, bool turns, int64_t i, const step_left* out)
{
    lane_write(job->next[i], out->x);
    velocity_write(job, traits.rows, i, out->v);
    if (traits.damped && traits.steps)
        lane_write(job->p_next[i], out->p);
    if (turns) {
        if (traits.damped || traits.accounts || traits.bonds || !traits.steps)
            lane_write(job->wp_next[i], out->wp);
        lane_write(job->w_next[i], out->w);
    }
}

// The same, called by all lanes of a warp; lanes with `mine` write. The linear law waits for the L2 cache, so that lanes fill whole sectors together. Other laws wait for instructions: there two
// halves of a sector by one lane take 5 % less time of the step.
LANE void step_write_all(const step_job* job, step_traits traits, bool turns, int64_t i, bool mine, const step_left* out)
{
    if (traits.teams) {
        if (mine)
            step_write(job, traits, turns, i, out);
        return;
    }
    lane_write_all(job->next, i, mine, out->x);
    if (traits.rows)
        lane_write_all(job->v_next, i, mine, out->v);
    else if (mine)
        velocity_write(job, false, i, out->v);
    if (traits.damped && traits.steps)
        lane_write_all(job->p_next, i, mine, out->p);
    if (turns) {
        lane_write_all(job->wp_next, i, mine, out->wp);
        lane_write_all(job->w_next, i, mine, out->w);
    }
}

// Whether spheres turn: bonds turn them where no contact does.
LANE bool step_turns(step_traits traits, law_parts parts)
{
    return traits.bonds || grain_turns(parts);
}

// Bonds of a sphere, in their order (add_up and begin_forces of src/sim).
LANE_APART void bonds_add(const step_job* job, int64_t i, double f[3], double t[3])
{
    double force[3] = {0.0, 0.0, 0.0}, torque[3] = {0.0, 0.0, 0.0};
    for (int64_t e = job->bond_first[i]; e < job->bond_first[i + 1]; ++e) {
        const bond* b = &job->bonds[job->bond_of[e] / 2];
        const int side = (int)(job->bond_of[e] % 2);
        for (int k = 0; k < 3; ++k) {
            force[k] += side == 0 ? b->force[k] : -b->force[k];
            torque[k] += b->torque[side][k];
        }
    }
    for (int k = 0; k < 3; ++k) {
        f[k] += force[k];
        t[k] = torque[k] + t[k];
    }
}

// Bond number at, before the spheres of its launch (work_on_bonds of src/sim).
LANE void bonds_lane(const step_job* job, int64_t at, block_sums* sums)
{
    if (at >= job->bond_count || !(step_way(job) <= job->head->limit))
        return;
    bond* b = &job->bonds[at];
    if (b->broken_at >= 0) {
        if (b->broken_at < job->number)
            bond_clear_forces(b);
        return;
    }
    const bool damped = job->p != NULL;
    bond_ends ends;
    double offset[3];
    cell_offset(&job->cell, b->shift, offset);
    for (int k = 0; k < 3; ++k)
        ends.d[k] = job->x[b->rank[0]][k] - job->x[b->rank[1]][k] - offset[k];
    for (int side = 0; side < 2; ++side) {
        const int32_t i = b->rank[side];
        lane_read(ends.v[side], job->v[i]);
        lane_read(ends.w[side], job->w[i]);
        lane_read(ends.v_now[side], damped ? job->p[i] : job->v[i]);
        lane_read(ends.w_now[side], damped ? job->wp[i] : job->w[i]);
    }
    energies_add(job, ENERGY_BONDS, bond_step(b, &job->bond_kinds[b->kind], &ends, damped, true, job->whole, job->number), sums);
}

// A sphere, and the sums of its forces before the first contact. What else it has is read when there is a contact: registers that hold it all the time are registers that keep others from working.
LANE void step_begin(const step_job* job, step_traits traits, bool turns, int64_t i, contact_own* own, double f[3], double t[3])
{
    own->i = (int32_t)i;
    lane_read(own->x, job->x[i]);
    loads_external(job, traits, turns, i, f, t);
    if (traits.bonds)
        bonds_add(job, i, f, t);
}

LANE bool step_is_fixed(const step_job* job, step_traits traits, int64_t i)
{
    return traits.fixed && (job->flags[i] & 1) != 0;
}

// What comes between forces and motion: powers, and drag.
LANE void step_between(const step_job* job, step_traits traits, bool turns, int64_t i, const double v[4], const double w[4], bool fixed, double f[3], double t[3], block_sums* sums)
{
    if (traits.accounts && !fixed)
        energies_powers(job, traits, turns, i, v, w, ENERGY_BEFORE, sums);
    if (traits.accounts && fixed)
        energies_driven(job, traits, turns, i, f, t, sums);
    if (traits.drag && !fixed) {
        double rate[2] = {0.0, 0.0};
        const sim_drag* drag = &job->drag[job->index];
        if (job->drives && job->cell.moves)
            drag_move_in_cell(drag, &job->cell, drag->middle, job->x[i], v, job->gravity, job->half, f, rate);
        else
            drag_move(drag, v, job->gravity, job->half, f, rate);
        if (turns && w[3] != 0.0)
            drag_turn(drag, w, job->half, t, rate);
        for (int k = 0; k < 2; ++k)
            energies_add(job, ENERGY_DRAG + k, rate[k], sums);
    }
}

// What comes after all contacts. The square of the new speed. *moved: `left` is to be written; giants are moved later.
LANE double step_end(const step_job* job, step_traits traits, law_parts parts, contact_own* own, uint32_t contacts, double f[3], double t[3], step_left* left, bool* moved, block_sums* sums)
{
    *moved = false;
    launch_result* result = &job->result[job->index];
    const int64_t i = own->i;
    const bool turns = step_turns(traits, parts), fixed = step_is_fixed(job, traits, i);
    if (traits.shapes && !fixed)
        step_shapes(job, turns, i, f, t);
    if (!traits.steps && contacts > 0)
        lane_add_wide(&result->contacts, contacts);
    if (traits.giants && own->x[3] >= job->giant_radius) {
        giant_sums* giant = &job->giants[job->giant_of[i]];
        for (int k = 0; k < 3; ++k) {
            giant->rest[k] = f[k];
            giant->turn[k] = t[k];
        }
        giant->rank = (int32_t)i;
        return 0.0;
    }
    if (!traits.early && !traits.lazy)
        velocity_read_all(job, traits.rows, i, own->v);
    if (!traits.early && traits.lazy)
        velocity_read(job, traits.rows, i, own->v);
    if (traits.lazy)  // no force, no mass: the product is the same
        own->v[3] = f[0] == 0.0 && f[1] == 0.0 && f[2] == 0.0 ? 1.0 : velocity_mass(job, traits.rows, i);
    if (turns && !traits.early)
        lane_read_once(own->w, job->w[i]);
    step_between(job, traits, turns, i, own->v, own->w, fixed, f, t, sums);
    double square = step_move(job, traits, turns, i, own->x, own->v, own->w, fixed, f, t, left);
    if (traits.accounts && !fixed && traits.steps)
        energies_powers(job, traits, turns, i, left->v, left->w, ENERGY_AFTER, sums);
    *moved = true;
    if (square <= 1e300)
        return square;
    lane_or(&result->trouble, TROUBLE_LOST);
    return 0.0;
}

// The linear law. The data of the own sphere are loaded before it is known whether the list is valid, so that the two loads overlap.
LANE void step_lane(const step_job* job, step_traits traits, law_parts parts, int64_t i, block_sums* sums)
{
    launch_result* result = &job->result[job->index];
    const int64_t at = i < job->n ? i : job->n - 1;
    const uint32_t first = job->rows.off[at], end = job->rows.off[at + 1];
    int32_t j[ahead_most];
    if (traits.apart)
        step_partners(job, traits, first, end, j);
    lane_follow();
    const uint64_t seen = lane_peek(&result->speed);
    contact_own own;
    double f[3], t[3], square = 0.0;
    step_left left = {{0.0}, {0.0}, {0.0}, {0.0}, {0.0}};
    bool moved = false;
    step_begin(job, traits, traits.bonds, at, &own, f, t);
    if (traits.early && traits.bonds)
        lane_read_once(own.w, job->w[at]);
    if (traits.early && traits.lazy)
        velocity_read(job, traits.rows, at, own.v);
    else if (traits.early)
        velocity_read_all(job, traits.rows, at, own.v);
    else
        velocity_await(job, traits.rows, at, traits.lazy ? 3 : 4);
    const double way = step_way(job);
    if (i == 0)
        result->way = way;
    if (i < job->n && way <= job->head->limit && end - first <= (uint32_t)job->long_row) {
        uint32_t contacts = step_pairs(job, traits, parts, &own, first, end, j, f, t, sums);
        if (!step_is_fixed(job, traits, i))
            step_walls(job, traits, parts, &own, f, t, sums);
        square = step_end(job, traits, parts, &own, contacts, f, t, &left, &moved, sums);
    }
    step_write_all(job, traits, traits.bonds, i, moved, &left);
    lane_max_of_all(&result->speed, seen, lane_bits_from(square));
}

// ---- Teams ----------------------------------------------------------------------------------------------------------------
// A contact of such a law takes long, and few lanes beside each other have one at the same place of their rows. So a team of lanes collects the contacts of its spheres, its lanes compute them side by side, and
// each sphere adds up its own in order, boundaries after partners.
// In stages: team_begin; team_scan; for each window of `slots` contacts team_queue (the first is queued by team_scan), team_work and team_add, with all lanes done before the next; team_end.

enum { team_lanes = 128, team_slots = 384 };

typedef struct team_shared {
    double part[6][team_slots];  // force and torque; with an image of itself: torque on the image, and torque
    double sum[6][team_lanes];
    uint32_t entry[team_slots];
    uint32_t first[team_lanes], wanted[team_lanes], place[team_lanes];  // of each sphere: its row, the contacts in it, and their first place among the contacts of the block;
    uint32_t held[team_lanes];  // contacts that existed before the step,
    uint32_t near[team_lanes];  // and partners that touch now
    uint32_t walls[team_lanes], live[team_lanes];  // walls that it is near, after those, and which of these it touches,
    uint32_t before[team_lanes];                   // and touched before the step
    uint32_t many;
    uint16_t lane[team_slots];
    uint8_t bits[team_slots];
} team_shared;

static const uint16_t team_wall = 0x8000, team_held = 0x4000, team_near = 0x2000;  // beside the lane: the entry is the number of a wall; the contact was there before; the two touch

// The sphere of a lane; n: it has none, and only computes contacts of the others.
LANE int64_t team_sphere(const step_job* job, int64_t block, int lane)
{
    return lane < job->team ? block * job->team + lane : job->n;
}

LANE void team_begin(team_shared* shared, int lane)
{
    if (lane == 0)
        shared->many = 0;
}

// Contacts of a lane from `begin` on: `wanted` entries of its row, then walls.
LANE void team_put(const step_job* job, law_parts parts, team_shared* shared, int slots, uint32_t begin, int lane, uint32_t place, uint32_t first, uint32_t wanted, uint32_t held, uint32_t near, uint32_t walls, uint32_t before)
{
    const int words = grain_layout_of(parts).words;
    uint32_t slot = place - begin;
    for (; wanted != 0; wanted &= wanted - 1, ++slot)
        if (slot < (uint32_t)slots) {
            const int at = lane_lowest(wanted);
            shared->entry[slot] = first + (uint32_t)at;
            shared->lane[slot] = (uint16_t)(lane | ((held >> at & 1) != 0 ? team_held : 0) | ((near >> at & 1) != 0 ? team_near : 0));
            if (words > 0)
                lane_await(job->rows.words + (uint64_t)(first + (uint32_t)at) * (uint64_t)words);
        }
    for (; walls != 0; walls &= walls - 1, ++slot)
        if (slot < (uint32_t)slots) {
            const int wall = lane_lowest(walls);
            shared->entry[slot] = (uint32_t)wall;
            shared->lane[slot] = (uint16_t)(lane | team_wall | ((before >> wall & 1) != 0 ? team_held : 0));
        }
}

// The same for a window that is not the first.
LANE void team_queue(const step_job* job, law_parts parts, team_shared* shared, int slots, uint32_t begin, int lane)
{
    team_put(job, parts, shared, slots, begin, lane, shared->place[lane], shared->first[lane], shared->wanted[lane], shared->held[lane], shared->near[lane], shared->walls[lane], shared->before[lane]);
}

// Queues the contacts of the first window, too. Spheres of long rows, and all if the list no longer holds, are nowhere.
LANE void team_scan(const step_job* job, step_traits traits, law_parts parts, team_shared* shared, int slots, int64_t i, int lane)
{
    const bool turns = step_turns(traits, parts);
    const int64_t at = i < job->n ? i : job->n - 1;
    const uint32_t first = job->rows.off[at], end = job->rows.off[at + 1];
    const bool keeps = grain_layout_of(parts).words > 0;
    int32_t j[ahead_most];
    double xj[ahead_most][4], f[3], t[3];
    contact_own own;
    step_partners(job, traits, first, end, j);
    lane_follow();
    // What does not depend on each other is read before the first of it is needed.
    step_begin(job, traits, turns, at, &own, f, t);
    step_read(job, traits, j, xj);
    const uint32_t live = keeps ? row_live_ahead(&job->rows, first) : 0, before = step_walls_before(job, parts, at);
    velocity_await(job, traits.rows, at, 4);
    if (turns)
        lane_await(job->w[at]);
    const double way = step_way(job);
    const bool mine = i < job->n && way <= job->head->limit && end - first <= (uint32_t)job->long_row;
    if (i == 0)
        job->result[job->index].way = way;
    const uint32_t near = mine ? step_wanted(job, traits, &own, first, end, j, xj) : 0;
    const uint32_t held = mine && keeps ? live & (end - first < 32 ? (1u << (end - first)) - 1 : 0xffffffffu) : 0, wanted = near | held;
    for (int k = 0; k < 3; ++k) {
        shared->sum[k][lane] = f[k];
        shared->sum[3 + k][lane] = t[k];
    }
    const uint32_t walls = mine && !step_is_fixed(job, traits, i) ? step_walls_near(job, own.x) : 0;
    if ((wanted | walls) != 0 && traits.damped) {
        lane_await(job->p[at]);
        if (turns)
            lane_await(job->wp[at]);
    }
    shared->first[lane] = first;
    shared->wanted[lane] = wanted;
    shared->held[lane] = held;
    shared->near[lane] = near;
    shared->walls[lane] = walls;
    shared->before[lane] = before;
    shared->live[lane] = 0;
    const uint32_t place = lane_reserve(&shared->many, (uint32_t)(lane_bits_of(wanted) + lane_bits_of(walls)));
    shared->place[lane] = mine ? place : slot_nowhere;
    team_put(job, parts, shared, slots, 0, lane, place, first, wanted, held, near, walls, before);
}

LANE uint32_t team_window(const team_shared* shared, int slots, uint32_t begin)  // contacts in it
{
    return shared->many - begin < (uint32_t)slots ? shared->many - begin : (uint32_t)slots;
}

LANE void team_work(const step_job* job, step_traits traits, law_parts parts, team_shared* shared, int slots, uint32_t begin, int64_t block, int lane, int width, block_sums* sums)
{
    const uint32_t many = team_window(shared, slots, begin);
    const int words = grain_layout_of(parts).words;
    for (uint32_t from = 0; from < many; from += (uint32_t)width) {
        const uint32_t slot = from + (uint32_t)lane;
        const bool mine = slot < many;
        if (mine) {
            const uint32_t e = shared->entry[slot];
            int bits;
            contact_own own;
            contact_result result;
            double there[4], memory[law_words_most];
            const bool held = (shared->lane[slot] & team_held) != 0;
            own.i = (int32_t)(block * job->team) + (shared->lane[slot] & (team_near - 1));
            lane_read(own.x, job->x[own.i]);
            if ((shared->lane[slot] & team_wall) != 0) {
                bits = step_wall(job, traits, parts, &own, (int32_t)e, held, &result, sums) ? PAIR_ADDS : 0;
            } else {
                const int32_t j = job->rows.list[e];
                lane_read(there, job->x[j]);
                bits = step_pair(job, traits, parts, &own, e, j, there, (shared->lane[slot] & team_near) != 0, held, memory, &result, sums);
                if (words > 0 && (bits & PAIR_KEEPS) != 0)
                    step_keep(job, words, e, memory);
            }
            shared->bits[slot] = (uint8_t)bits;
            for (int k = 0; k < 3 && (bits & PAIR_ADDS) != 0; ++k) {
                shared->part[k][slot] = (bits & PAIR_SELF) != 0 ? result.torque_other[k] : result.force[k];
                shared->part[3 + k][slot] = result.torque[k];
            }
        }
    }
}

LANE void team_add(const step_job* job, step_traits traits, law_parts parts, team_shared* shared, int slots, uint32_t begin, int lane)
{
    const bool turns = grain_turns(parts);
    const uint32_t place = shared->place[lane], walls = place + (uint32_t)lane_bits_of(shared->wanted[lane]), end = walls + (uint32_t)lane_bits_of(shared->walls[lane]);
    uint32_t contacts = 0, touched = 0;
    double sum[6];
    if (place == slot_nowhere || place >= begin + (uint32_t)slots || end <= begin)
        return;
    for (int k = 0; k < 6; ++k)
        sum[k] = shared->sum[k][lane];
    LANE_ROLL
    for (uint32_t at = place > begin ? place : begin; at < end && at < begin + (uint32_t)slots; ++at) {
        const uint32_t slot = at - begin;
        const int bits = shared->bits[slot] & (traits.images ? 0xff : ~PAIR_SELF);  // only an image can be one of itself
        contacts += (uint32_t)(bits & PAIR_SPEAKS);
        if ((bits & PAIR_ADDS) == 0)
            continue;
        touched |= at >= walls ? 1u << (at - walls) : 0u;
        for (int k = 0; k < 3; ++k) {
            if ((bits & PAIR_SELF) == 0)
                sum[k] += shared->part[k][slot];
            if (turns)
                sum[3 + k] += shared->part[3 + k][slot];
            if (turns && (bits & PAIR_SELF) != 0)
                sum[3 + k] += shared->part[k][slot];
        }
    }
    for (int k = 0; k < 6; ++k)
        shared->sum[k][lane] = sum[k];
    shared->live[lane] |= touched;
    if (!traits.steps && contacts > 0)
        lane_add_wide(&job->result[job->index].contacts, contacts);
}

// Walls that are touched, from the bits of the near ones, lowest first.
LANE uint32_t team_touched(const team_shared* shared, int lane)
{
    uint32_t live = 0, touched = shared->live[lane];
    for (uint32_t walls = shared->walls[lane]; walls != 0; walls &= walls - 1, touched >>= 1)
        live |= (touched & 1) != 0 ? walls & (~walls + 1) : 0;
    return live;
}

// By all lanes of the block.
LANE void team_end(const step_job* job, step_traits traits, law_parts parts, team_shared* shared, int64_t i, int lane, block_sums* sums)
{
    launch_result* result = &job->result[job->index];
    const int64_t at = i < job->n ? i : job->n - 1;
    const bool turns = step_turns(traits, parts);
    contact_own own;
    own.i = (int32_t)at;
    lane_read(own.x, job->x[at]);
    velocity_read_all(job, traits.rows, at, own.v);
    if (turns)
        lane_read_once(own.w, job->w[at]);
    const uint64_t seen = lane_peek(&result->speed);
    double square = 0.0;
    step_left left = {{0.0}, {0.0}, {0.0}, {0.0}, {0.0}};
    bool moved = false;
    if (shared->place[lane] != slot_nowhere) {
        double f[3], t[3];
        traits.early = true;
        traits.lazy = false;
        for (int k = 0; k < 3; ++k) {
            f[k] = shared->sum[k][lane];
            t[k] = shared->sum[3 + k][lane];
        }
        if (!step_is_fixed(job, traits, at))
            step_walls_after(job, traits, parts, &own, shared->before[lane], team_touched(shared, lane), sums);
        square = step_end(job, traits, parts, &own, 0, f, t, &left, &moved, sums);
    }
    step_write_all(job, traits, turns, i, moved, &left);
    lane_max_of_all(&result->speed, seen, lane_bits_from(square));
}

// ---- Long rows -----------------------------------------------------------------------------------------------------------
// A group of lanes for each. Its lanes test stretches of the row and queue the candidates that touch, in order. Contacts are computed side by side when there are enough for all lanes or the row has ended; then
// a lane for each component adds them up in order. In stages: long_begin; long_scan and long_queue until the queue is full enough; long_work and long_add for each `width` of it; long_end. A block is one group,
// or each of its warps is one: most long rows are hardly longer than the short ones. The lanes of a group begin with `base`.

enum { long_lanes = 128, long_groups = 4, long_ahead = 4 };  // a lane tests long_ahead candidates at a time

typedef struct long_shared {
    double part[9][long_lanes];  // force, torque, torque on the other
    double sum[long_groups][6];
    uint32_t entry[long_lanes * (long_ahead + 1)];  // queued; (long_ahead + 1) for each lane of a group
    uint32_t contacts[long_groups];
    uint8_t near[long_lanes];    // bits of the candidates of each lane that touch or did so; 0 for lanes outside of all groups
    uint8_t bits[long_lanes];
} long_shared;

LANE bool long_is_over(const step_job* job)
{
    return !(step_way(job) <= job->head->limit);
}

LANE void long_begin(const step_job* job, step_traits traits, law_parts parts, long_shared* shared, int64_t row, int group, int base, int lane)
{
    if (lane != base)
        return;
    contact_own own;
    step_begin(job, traits, step_turns(traits, parts), job->long_rows[row], &own, shared->sum[group], shared->sum[group] + 3);
    shared->contacts[group] = 0;
}

LANE uint32_t long_first(const step_job* job, int64_t row, uint32_t first, int base, int lane)  // entry that this lane tests first
{
    return job->rows.off[job->long_rows[row]] + first + (uint32_t)(lane - base) * long_ahead;
}

// Candidates from `first` on of the row.
LANE void long_scan(const step_job* job, step_traits traits, law_parts parts, long_shared* shared, int64_t row, uint32_t first, int base, int lane)
{
    const uint32_t e = long_first(job, row, first, base, lane);
    int32_t j[ahead_most];
    double xj[ahead_most][4];
    contact_own own;
    own.i = job->long_rows[row];
    lane_read(own.x, job->x[own.i]);
    traits.ahead = long_ahead;
    const uint32_t end = job->rows.off[own.i + 1];
    uint32_t held = 0;
    step_partners(job, traits, e, end, j);
    step_read(job, traits, j, xj);
    if (grain_layout_of(parts).words > 0 && e < end)
        held = row_live(&job->rows, e, end - e < long_ahead ? end - e : long_ahead);
    shared->near[lane] = (uint8_t)(held | step_near(job, traits, &own, e, j, xj));
}

// Those that touch, after the `queued` that are there. How many there are then.
LANE uint32_t long_queue(const step_job* job, long_shared* shared, int64_t row, uint32_t first, uint32_t queued, int base, int lane, int width)
{
    uint32_t before = queued, all = queued;
    for (int l = base; l < base + width; l += 4) {
        uint32_t four, earlier;
        memcpy(&four, &shared->near[l], sizeof four);
        earlier = lane >= l + 4 ? four : lane > l ? four & ((1u << 8 * (lane - l)) - 1) : 0;
        before += (uint32_t)lane_bits_of(earlier);
        all += (uint32_t)lane_bits_of(four);
    }
    for (uint32_t near = shared->near[lane]; near != 0; near &= near - 1)
        shared->entry[(uint32_t)base * (long_ahead + 1) + before++] = long_first(job, row, first, base, lane) + (uint32_t)lane_lowest(near);
    return all;
}

// Of the queue from `from` on, one contact for each lane.
LANE void long_work(const step_job* job, step_traits traits, law_parts parts, long_shared* shared, int64_t row, uint32_t queued, uint32_t from, int base, int lane, block_sums* sums)
{
    const uint32_t slot = from + (uint32_t)(lane - base);
    contact_own own;
    contact_result result;
    double xj[4], memory[law_words_most];
    shared->bits[lane] = 0;
    if (slot >= queued)
        return;
    const uint32_t e = shared->entry[(uint32_t)base * (long_ahead + 1) + slot];
    const int32_t j = job->rows.list[e];
    own.i = job->long_rows[row];
    lane_read(own.x, job->x[own.i]);
    lane_read(xj, job->x[j]);
    double offset[3], image_velocity[3];
    contact_image(job, traits.images, e, offset, image_velocity);
    const bool held = grain_layout_of(parts).words > 0 && row_live(&job->rows, e, 1) != 0, near = step_is_near(job, traits.images, &own, j, xj, offset);
    int bits = step_pair(job, traits, parts, &own, e, j, xj, near, held, memory, &result, sums);
    if ((bits & PAIR_KEEPS) != 0)
        step_keep(job, grain_layout_of(parts).words, e, memory);
    shared->bits[lane] = (uint8_t)bits;
    for (int k = 0; k < 3 && (bits & PAIR_ADDS) != 0; ++k) {
        shared->part[k][lane] = result.force[k];
        shared->part[3 + k][lane] = result.torque[k];
        shared->part[6 + k][lane] = result.torque_other[k];
    }
}

// Component `part`; 6: contacts are counted.
LANE void long_add(law_parts parts, long_shared* shared, uint32_t queued, uint32_t from, int group, int base, int part, int width)
{
    const bool turns = grain_turns(parts);
    const int end = base + (queued - from < (uint32_t)width ? (int)(queued - from) : width);
    if (part == 6)
        for (int c = base; c < end; ++c)
            shared->contacts[group] += (uint32_t)(shared->bits[c] & PAIR_SPEAKS);
    if (part >= (turns ? 6 : 3))
        return;
    double sum = shared->sum[group][part];
    for (int c = base; c < end; ++c) {
        const int bits = shared->bits[c];
        if ((bits & PAIR_ADDS) == 0 || (part < 3 && (bits & PAIR_SELF) != 0))
            continue;
        sum += shared->part[part][c];
        if (part >= 3 && (bits & PAIR_SELF) != 0)
            sum += shared->part[3 + part][c];
    }
    shared->sum[group][part] = sum;
}

LANE void long_end(const step_job* job, step_traits traits, law_parts parts, long_shared* shared, int64_t row, int group, int base, int lane, block_sums* sums)
{
    if (lane != base)
        return;
    contact_own own;
    double f[3], t[3], *force = shared->sum[group], *torque = force + 3;
    step_begin(job, traits, grain_turns(parts), job->long_rows[row], &own, f, t);
    step_left left;
    bool moved;
    if (!step_is_fixed(job, traits, own.i))
        step_walls(job, traits, parts, &own, force, torque, sums);
    traits.early = traits.lazy = false;
    double square = step_end(job, traits, parts, &own, shared->contacts[group], force, torque, &left, &moved, sums);
    if (moved)
        step_write(job, traits, step_turns(traits, parts), own.i, &left);
    lane_max(&job->result[job->index].speed, lane_bits_from(square));
}

// Giant g, when all lanes of the step are done.
LANE void giants_lane(const step_job* job, bool turns, int64_t g, block_sums* of)
{
    launch_result* result = &job->result[job->index];
    if (g >= job->giant_count || !(result->way <= job->head->limit))
        return;
    giant_sums* sums = &job->giants[g];
    const int64_t i = sums->rank;
    double x[4], v[4], w[4] = {0.0, 0.0, 0.0, 0.0}, f[3], t[3];
    lane_read(x, job->x[i]);
    velocity_read_all(job, job->law.turns, i, v);
    if (turns)
        lane_read(w, job->w[i]);
    for (int k = 0; k < 6; ++k) {
        // Each part from bit 40 on is rounded down, by less than 1. Up to 2^21 contacts these sums show whether the whole one left the integers.
        if (sums->high[k] >= 3 * ((int64_t)1 << 21) || sums->high[k] < -3 * ((int64_t)1 << 21))
            lane_or(&result->trouble, TROUBLE_GIANT);
        double sum = (double)(int64_t)sums->low[k];
        if (k < 3)
            f[k] = sum * job->quantum + sums->rest[k];
        else
            t[k - 3] = sum * job->torque_quantum + sums->turn[k - 3];
        sums->low[k] = 0;
        sums->high[k] = 0;
    }
    const bool fixed = job->flags != NULL && (job->flags[i] & 1) != 0;
    const step_traits traits = step_traits_of(job);
    step_left left;
    step_between(job, traits, turns, i, v, w, fixed, f, t, of);
    double square = step_move(job, traits, turns, i, x, v, w, fixed, f, t, &left);
    if (traits.accounts && !fixed && traits.steps)
        energies_powers(job, traits, turns, i, left.v, left.w, ENERGY_AFTER, of);
    step_write(job, traits, turns, i, &left);
    if (!(square <= 1e300)) {
        lane_or(&result->trouble, TROUBLE_LOST);
        square = 0.0;
    }
    lane_max(&result->speed, lane_bits_from(square));
}

// ---- A step begins -----------------------------------------------------------------------------------------------------------

// launch_block of src/sim: what a pass does after the forces, with the accelerations that are known. They are in next and wp_next, and are replaced by positions and predicted spins.
LANE void launch_lane(const step_job* job, bool damped, bool turns, int64_t i)
{
    const uint64_t seen = lane_peek(&job->result->speed);
    double square = 0.0;
    if (i < job->n) {
        double x[4], a[4], v[4], guess[4], w[4], turn[4];
        lane_read(x, job->x[i]);
        lane_read(a, job->next[i]);
        velocity_read_all(job, job->law.turns, i, v);
        for (int k = 0; k < 3; ++k) {
            const double push = job->half * a[k];
            if (job->before == NULL) {
                v[k] = verlet_kick(v[k], push);
                a[k] = verlet_drift(x[k], v[k], job->whole);
            } else {
                a[k] = x[k] + ((x[k] - job->before[i][k]) + job->square * a[k]);
                v[k] = (a[k] - x[k]) * job->per;
                job->before[i][k] = x[k];
            }
            guess[k] = verlet_kick(v[k], push);
        }
        a[3] = x[3];
        guess[3] = v[3];
        lane_write(job->next[i], a);
        if (job->law.turns)
            lane_write(job->v[i], v);
        else
            velocity_write(job, false, i, v);
        if (damped)
            lane_write(job->p_next[i], guess);
        if (turns) {
            lane_read(w, job->w[i]);
            lane_read(turn, job->wp_next[i]);
            for (int k = 0; k < 3; ++k) {
                const double push = job->half * turn[k];
                w[k] = verlet_kick(w[k], push);
                turn[k] = verlet_kick(w[k], push);
            }
            turn[3] = w[3];
            lane_write(job->w_next[i], w);
            lane_write(job->wp_next[i], turn);
        }
        square = (v[0] * v[0] + v[1] * v[1]) + v[2] * v[2];
    }
    lane_max_of_all(&job->result->speed, seen, lane_bits_from(square));
}

// ---- How far spheres have moved ----------------------------------------------------------------------------------------------

LANE void way_lane(const way_job* job, int64_t i)
{
    double square = 0.0;
    for (int k = 0; k < 3 && i < job->n; ++k) {
        double d = job->x[i][k] - job->reference[i][k];
        square += d * d;
    }
    lane_max_of_all(job->most, lane_peek(job->most), lane_bits_from(square));
}

#endif
