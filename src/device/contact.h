// One contact, computed by one lane: the operations of contact.h and grains.h in src/sim in the same order, so that the results agree to the last bit. Both spheres of a contact compute it. Laws with memory
// are evaluated with the lower rank first, as on the processor, in both rows: so both rows hold the same memory, and the sign of a zero agrees too.
#ifndef SCREE_DEVICE_CONTACT_H
#define SCREE_DEVICE_CONTACT_H

#include "device/jobs.h"
#include "geom/pair.h"
#include "sim/quanta.h"
#include "sim/servo.h"

// What the sphere of a row knows of itself.
typedef struct contact_own {
    int32_t i;
    double x[4];
    double v[4], w[4];  // only what the contact needs is filled in
} contact_own;

typedef struct contact_result {
    double force[3];        // on the sphere of the row
    double torque[3];       // on it,
    double torque_other[3]; // and on the other
    double rate[owners], lost[owners];  // parts.accounts: dissipated per time, and at once,
    double power;           // and of a boundary
    double twist[3];        // of a boundary, for servos
} contact_result;

// Velocities, and 1 over the mass beside them. Where spheres turn, contacts read the velocities of partners: rows of four, each read by one access. Otherwise only the sphere itself reads them: then each component is a separate array, and a
// step, which changes them in place, reads masses only where it needs them and writes none.
LANE double velocity_mass(const step_job* job, bool rows, int64_t i)
{
    const double* streams = (const double*)job->v;
    return rows ? job->v[i][3] : streams[3 * (int64_t)job->n + i];
}

LANE void velocity_read(const step_job* job, bool rows, int64_t i, double v[3])
{
    const double* streams = (const double*)job->v;
    for (int k = 0; k < 3; ++k)
        v[k] = rows ? job->v[i][k] : lane_read_one(streams + k * (int64_t)job->n + i);
}

// It is read soon. `streams`: how many of them, where they are no rows.
LANE void velocity_await(const step_job* job, bool rows, int64_t i, int streams)
{
    const double* of = (const double*)job->v;
    for (int k = 0; k < (rows ? 1 : streams); ++k)
        lane_await(rows ? job->v[i] : of + k * (int64_t)job->n + i);
}

// With the mass.
LANE void velocity_read_all(const step_job* job, bool rows, int64_t i, double v[4])
{
    if (rows) {
        lane_read_once(v, job->v[i]);
        return;
    }
    velocity_read(job, rows, i, v);
    v[3] = velocity_mass(job, rows, i);
}

LANE void velocity_write(const step_job* job, bool rows, int64_t i, const double v[4])
{
    double* streams = (double*)job->v_next;
    if (rows)
        lane_write(job->v_next[i], v);
    else
        for (int k = 0; k < 3; ++k)
            streams[k * (int64_t)job->n + i] = v[k];
}

// The image that an entry names, of the higher rank as the lower one sees it: an offset, and its velocity where the cell moves. False: it is the sphere itself.
LANE bool contact_image(const step_job* job, bool images, uint64_t e, double offset[3], double image_velocity[3])
{
    int8_t s[3];
    offset[0] = offset[1] = offset[2] = 0.0;
    if (!images || job->rows.shift[e] == (uint32_t)shift_none)
        return false;
    shift_unpack(job->rows.shift[e], s);
    cell_offset(&job->cell, s, offset);
    if (job->cell.moves)
        cell_velocity(&job->cell, s, image_velocity);
    return true;
}

LANE const law_pair* contact_with(const step_job* job, bool materials, int32_t i, int32_t j)
{
    return materials ? law_with(&job->law, job->material, i, j) : &job->law.one;
}

LANE const law_pair* contact_with_wall(const step_job* job, bool materials, int32_t i, uint16_t wall)
{
    return materials ? law_with_material(&job->law, job->material, i, wall) : &job->law.one;
}

// ---- The law -------------------------------------------------------------------------------------------------------------

LANE three contact_three(const double a[3])
{
    three out = {a[0], a[1], a[2]};
    return out;
}

// The law itself, and what follows from it. False: there is no contact. `share`: factor of friction and torques (sim/surfaces.h).
LANE bool contact_law(law_parts parts, const grain_in* in, const three* d, double distance, const double arm[2], double share, double* words, contact_result* out, three* twisted)
{
    grain_middle middle = {0};
    grain_out found = {0};
    grain_begin(parts, true, in, words, &middle, &found);
    if (grain_reaches(parts) && !found.holds)
        return false;
    grain_springs(parts, true, in, &middle);
    grain_end(parts, true, in, &middle, words, &found);
    double push = distance > 0.0 ? found.normal / distance : 0.0;
    if (grain_turns(parts))
        push = found.normal;
    three force = TIMES(push, *d), torque = {0.0, 0.0, 0.0}, other = torque;
    if (parts.tangential) {
        three turn = TIMES(share, CROSS(in->n, found.friction));
        force = PLUS(force, found.friction);
        torque.x = -(arm[0] * turn.x);
        torque.y = -(arm[0] * turn.y);
        torque.z = -(arm[0] * turn.z);
        other.x = -(arm[1] * turn.x);
        other.y = -(arm[1] * turn.y);
        other.z = -(arm[1] * turn.z);
    }
    if (grain_twists(parts)) {
        three twist = {0.0, 0.0, 0.0};
        if (parts.rolling)
            twist = TIMES(in->radius, CROSS(in->n, found.rolling));
        if (parts.twisting != TWISTING_NONE)
            twist = PLUS(twist, TIMES(found.twisting, in->n));
        twist = TIMES(share, twist);
        torque = PLUS(torque, twist);
        other = MINUS(other, twist);
        *twisted = twist;
    }
    for (int owner = 0; owner < owners && parts.accounts; ++owner) {
        out->rate[owner] = found.rate[owner];
        out->lost[owner] = found.lost[owner];
    }
    out->force[0] = force.x;
    out->force[1] = force.y;
    out->force[2] = force.z;
    out->torque[0] = torque.x;
    out->torque[1] = torque.y;
    out->torque[2] = torque.z;
    out->torque_other[0] = other.x;
    out->torque_other[1] = other.y;
    out->torque_other[2] = other.z;
    return true;
}

// Arms times spins, over the distance (grain_spins of src/sim).
LANE three contact_spins(double uneven, double per, three sum, three difference)
{
    three out = TIMES(0.5, sum);
    if (uneven != 0.0) {
        const double share = uneven * per;
        out = PLUS(out, TIMES(share, difference));
    }
    return out;
}

// Where few come by: registers are better kept for what is around it. A touch of a shape (contact_at_wall, grain_elastic and grain_share of src/sim). `single`: of a law whose contacts the processor computes one by one.
LANE_APART bool contact_law_apart(law_parts parts, bool single, grain_in* in, const double arm[2], const surface_touch* touch, double* words, contact_result* out, three* twisted)
{
    const double share = touch->share;
    double then[law_words_most], elastic, most;
    if (parts.damping != DAMPING_NONE && surface_is_crowded(touch) && !single) {
        most = surface_dashpot_most(touch, in->step, in->inverse);
        in->most = &most;
    }
    if (surface_is_plain(touch) && !(single && surface_is_crowded(touch)))
        return contact_law(parts, in, &in->n, 1.0, arm, 1.0, words, out, twisted);
    for (int w = 0; w < grain_layout_of(parts).words; ++w)
        then[w] = words[w];
    grain_elastic(parts, in, then, &elastic);
    if (single) {
        grain_middle middle = {0};
        grain_out found = {0};
        grain_begin(parts, true, in, words, &middle, &found);
        const double normal = surface_force(touch, parts.damping != DAMPING_NONE, in->step, in->along, in->inverse, found.normal, elastic);
        for (int k = 0; k < 3; ++k)
            out->force[k] = touch->at.n[k] * normal;
        return found.holds;
    }
    if (!contact_law(parts, in, &in->n, 1.0, arm, share, words, out, twisted))
        return false;
    const double more = (touch->scale - share) * elastic;
    for (int k = 0; k < 3; ++k)
        out->force[k] = share * out->force[k] + more * touch->at.n[k];
    for (int owner = 0; owner < owners && parts.accounts; ++owner) {
        out->rate[owner] *= share;
        out->lost[owner] *= owner == OWNER_NORMAL ? touch->scale : share;
    }
    return true;
}

LANE bool contact_grain(const step_job* job, step_traits traits, law_parts parts, const contact_own* own, int32_t j, const double xj[4], bool image, const double offset[3], const double image_velocity[3], bool held,
                        double* words, contact_result* out)
{
    const bool turns = grain_turns(parts), damped = parts.damping != DAMPING_NONE, turned = own->i > j;
    const bool reduced = grain_is_curved(parts.normal) || grain_twists(parts) || parts.normal == NORMAL_PLASTIC || parts.bridge;
    const three none = {0.0, 0.0, 0.0};
    // Spins are read together with velocities: a lane then waits twice for memory, not four times. Laws with rolling have no registers left for it.
    grain_in in;
    double a[4], b[4], arm[2] = {0.0, 0.0}, per = 0.0, per_half = 0.0;
    const int32_t low = turned ? j : own->i, high = turned ? own->i : j;
    double spin[2][4], spin_now[2][4];  // w and wp
    const bool together = turns && !grain_twists(parts);
    if (together) {
        lane_read(spin[0], job->w[low]);
        lane_read(spin[1], job->w[high]);
    }
    in.known = NULL;
    in.most = NULL;
    in.with = &contact_with(job, traits.materials, low, high)->k;
    in.step = job->whole;
    in.held = held;
    for (int k = 0; k < 4; ++k) {
        a[k] = turned ? xj[k] : own->x[k];
        b[k] = turned ? own->x[k] : xj[k];
    }
    three d = {a[0] - b[0], a[1] - b[1], a[2] - b[2]}, u = none;
    if (image)
        d = MINUS(d, contact_three(offset));
    const double one = a[3], other = b[3], reach = one + other, distance = sqrt(DOT(d, d)), overlap = reach - distance, uneven = 0.5 * (one - other);
    in.radius = reduced ? one * other / reach : 0.0;
    in.overlap = in.deepest = overlap;
    in.along = in.inverse = in.twist = in.twist_half = in.twirl = in.overlap_half = in.half_per = 0.0;
    in.slide = in.slide_half = in.roll = in.roll_half = in.n = in.half = none;
    if (turns) {
        lane_read(a, job->v[low]);
        lane_read(b, job->v[high]);
        u = (three){a[0] - b[0], a[1] - b[1], a[2] - b[2]};
        if (image && job->cell.moves)
            u = MINUS(u, contact_three(image_velocity));
        const double half_step = 0.5 * in.step;
        three back = MINUS(d, TIMES(half_step, u));
        const double square = DOT(back, back);
        in.half = back;
        in.half_per = square > 0.0 ? 1.0 / square : 0.0;
        if (uneven != 0.0 || grain_is_curved(parts.normal) || grain_twists(parts)) {
            const double middle = sqrt(square);
            per_half = middle > 0.0 ? 1.0 / middle : 0.0;
            in.overlap_half = reach - middle;
        }
        per = distance > 0.0 ? 1.0 / distance : 0.0;
        in.n = TIMES(per, d);
        arm[0] = one - 0.5 * overlap;
        arm[1] = other - 0.5 * overlap;
    }
    if (damped) {
        lane_read(a, job->p[low]);
        lane_read(b, job->p[high]);
        if (together) {
            lane_read(spin_now[0], job->wp[low]);
            lane_read(spin_now[1], job->wp[high]);
        }
        three apart = {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
        in.inverse = a[3] + b[3];
        if (image && job->cell.moves)
            apart = MINUS(apart, contact_three(image_velocity));
        if (!turns)
            in.along = distance > 0.0 ? DOT(apart, d) / distance : 0.0;
        if (turns) {
            if (!together) {
                lane_read(spin_now[0], job->wp[low]);
                lane_read(spin_now[1], job->wp[high]);
            }
            three first = contact_three(spin_now[0]), second = contact_three(spin_now[1]);
            in.along = DOT(apart, in.n);
            three difference = MINUS(first, second), across = MINUS(apart, TIMES(in.along, in.n)), spins = contact_spins(uneven, per, PLUS(first, second), difference);
            in.slide = MINUS(across, CROSS(spins, d));
            if (grain_twists(parts)) {
                in.roll = TIMES(in.radius, CROSS(difference, in.n));
                in.twist = DOT(difference, in.n);
            }
        }
    }
    if (turns) {
        if (!together) {
            lane_read(spin[0], job->w[low]);
            lane_read(spin[1], job->w[high]);
        }
        three first = contact_three(spin[0]), second = contact_three(spin[1]);
        const double along = in.half_per * DOT(u, in.half);
        three sum = PLUS(first, second), difference = MINUS(first, second), spins = contact_spins(uneven, per_half, sum, difference), across = MINUS(u, TIMES(along, in.half));
        in.slide_half = MINUS(across, CROSS(spins, in.half));
        in.twirl = in.half_per * (0.5 * DOT(sum, in.half));
        if (grain_twists(parts)) {
            const double reduced_per = in.radius * per_half;
            in.roll_half = TIMES(reduced_per, CROSS(difference, in.half));
            in.twist_half = per_half * DOT(difference, in.half);
        }
    }
    if (own_is_directed(parts.normal) && distance > 0.0)
        in.n = (three){d.x / distance, d.y / distance, d.z / distance};
    three twist;
    if (!contact_law(parts, &in, turns ? &in.n : &d, distance, arm, 1.0, words, out, &twist))
        return false;
    for (int k = 0; k < 3; ++k) {
        double first = out->torque[k];
        out->force[k] = turned ? -out->force[k] : out->force[k];
        out->torque[k] = turned ? out->torque_other[k] : first;
        out->torque_other[k] = turned ? first : out->torque_other[k];
    }
    return true;
}

// Of a sphere that moves with u and turns with w, and a surface with the velocity v where they touch; the arm is l (surface_slip of src/sim).
LANE three contact_slip(const double u[3], const double w[3], const double v[3], const double n[3], double l)
{
    double s[3] = {u[0] - v[0], u[1] - v[1], u[2] - v[2]}, along = (s[0] * n[0] + s[1] * n[1]) + s[2] * n[2], out[3];
    for (int k = 0; k < 3; ++k) {
        int a = (k + 1) % 3, b = (k + 2) % 3;
        out[k] = (s[k] - along * n[k]) - ((l * w[a]) * n[b] - (l * w[b]) * n[a]);
    }
    return contact_three(out);
}

// `touch`: of an exact shape or mesh; NULL: of another boundary.
LANE bool contact_grain_wall(const step_job* job, step_traits traits, law_parts parts, const contact_own* own, const sim_boundary* b, const boundary_point* at, const surface_touch* touch, bool held,
                             double* words, contact_result* out)
{
    const bool turns = grain_turns(parts), damped = parts.damping != DAMPING_NONE;
    const double* x = touch != NULL ? touch->x : own->x;
    const three none = {0.0, 0.0, 0.0};
    three difference = none, difference_half = none;
    grain_in in;
    double surface[3], arm[2];
    in.with = &contact_with_wall(job, traits.materials, own->i, b->material)->k;
    in.step = job->whole;
    in.held = held;
    in.slide = in.slide_half = in.half = in.roll = in.roll_half = none;
    in.along = in.inverse = in.twirl = in.twist = in.twist_half = 0.0;
    in.half_per = 1.0;
    in.known = NULL;
    in.most = NULL;
    in.overlap = in.overlap_half = x[3] - at->inside;
    in.deepest = touch != NULL ? touch->deepest : in.overlap;
    in.radius = x[3];
    in.n = contact_three(at->n);
    boundary_velocity(b, x, at->n, at->inside, surface);
    if (damped) {
        double p[4], wp[4];
        lane_read(p, job->p[own->i]);
        in.along = ((p[0] - surface[0]) * at->n[0] + (p[1] - surface[1]) * at->n[1]) + (p[2] - surface[2]) * at->n[2];
        in.inverse = p[3];
        if (turns) {
            lane_read(wp, job->wp[own->i]);
            in.slide = contact_slip(p, wp, surface, at->n, at->inside);
            difference = (three){wp[0] - b->spin[0], wp[1] - b->spin[1], wp[2] - b->spin[2]};
        }
    }
    if (turns) {
        double back[3], wall_velocity[3], v[4], w[4];
        lane_read(v, job->v[own->i]);
        lane_read(w, job->w[own->i]);
        boundary_point half;
        for (int k = 0; k < 3; ++k)
            back[k] = x[k] - 0.5 * in.step * (v[k] - b->velocity[k]);
        if (touch != NULL)
            half = touch->half;
        else
            boundary_surface(b, back, &half);
        boundary_velocity(b, back, half.n, half.inside, wall_velocity);
        in.slide_half = contact_slip(v, w, wall_velocity, half.n, half.inside);
        in.half = contact_three(half.n);
        difference_half = (three){w[0] - b->spin[0], w[1] - b->spin[1], w[2] - b->spin[2]};
        in.overlap_half = x[3] - half.inside;
        in.twirl = 0.5 * (((w[0] + b->spin[0]) * half.n[0] + (w[1] + b->spin[1]) * half.n[1]) + (w[2] + b->spin[2]) * half.n[2]);
    }
    if (grain_twists(parts)) {
        in.roll = TIMES(in.radius, CROSS(difference, in.n));
        in.roll_half = TIMES(in.radius, CROSS(difference_half, in.half));
        in.twist = DOT(difference, in.n);
        in.twist_half = DOT(difference_half, in.half);
    }
    arm[0] = in.radius - in.overlap;
    arm[1] = 0.0;
    three twist;
    if (touch != NULL ? !contact_law_apart(parts, !traits.teams || law_is_own(parts.normal), &in, arm, touch, words, out, &twist) : !contact_law(parts, &in, &in.n, 1.0, arm, 1.0, words, out, &twist))
        return false;
    if (traits.servos) {
        out->twist[0] = grain_twists(parts) ? twist.x : 0.0;
        out->twist[1] = grain_twists(parts) ? twist.y : 0.0;
        out->twist[2] = grain_twists(parts) ? twist.z : 0.0;
    }
    if (parts.accounts) {
        const double* force = out->force;
        out->power = (force[0] * surface[0] + force[1] * surface[1]) + force[2] * surface[2];
        if (grain_twists(parts))
            out->power += (twist.x * b->spin[0] + twist.y * b->spin[1]) + twist.z * b->spin[2];
    }
    return true;
}

// ---- Servos --------------------------------------------------------------------------------------------------------------

// What they measure of a contact (motion_servo_add of src/sim). twist NULL: the law has none. `scale`, `share`: factors of stiffness and dashpot.
LANE_APART void contact_servo(const step_job* job, const contact_own* own, const double x[4], int32_t boundary, const boundary_point* at, double scale, double share, const double force[3], const double* twist)
{
    for (int32_t n = 0; n < job->servo_count; ++n) {
        servo_sums* to = &job->servos[n];
        if (to->boundary != boundary)
            continue;
        const sim_boundary* b = &job->boundaries[boundary];
        double seen[3];
        servo_resistance(&job->law, law_with_material(&job->law, job->material, own->i, b->material), velocity_mass(job, job->law.turns, own->i), own->x[3], x[3] - at->inside, 2.0 * job->half, seen + 1);
        seen[1] *= scale;
        seen[2] *= share;
        servo_measure(to->torque, to->direction, b, x, at, force, twist, seen);
        for (int k = 0; k < 3; ++k) {
            const double quanta = seen[k] * to->per[k > 0];
            if (!(fabs(quanta) < 0x1p62)) {
                lane_add_wide(&to->beyond, 1);
                continue;
            }
            const int64_t q = (int64_t)llrint(quanta);
            lane_add_wide(&to->low[k], (uint64_t)q);
            lane_add_wide((uint64_t*)&to->high[k], (uint64_t)(q >> 40));
        }
    }
}

#endif
