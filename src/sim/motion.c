// Walls and boundaries that move. With a signal, their position is a function of the step number: at = base + integral of the velocity, or base + path(t) - path(0), so that
// nothing is added up and a resumed simulation finds them where they were. A boundary with a servo is moved from step to step, and its position is part of the state.
//
// A servo pushes with a force F_t: after the forces of a step are known it moves on with
//
//     v = clamp((0.5 (F_t - F) + C v_before) / (K dt + C), -speed, speed)
//
// K is the sum over its contacts of their tangent stiffnesses, and C that of their dashpots. If the spheres stay, F changes within a step by K dt v + C (v - v_before): so each step takes away half of
// the difference, which is stable, and F comes to its target without swinging. Without dashpots this is v = 0.5 (F_t - F) / (K dt). Where nothing touches, v = speed. With Hertz
// contacts K grows with the force; below the target it is taken sqrt(F_t / F) times larger, at least what it will be there, so that one step does not lead far beyond. F, K and C feed
// back into motion: they are sums in whole quanta (int64), the same in any order, on any number of threads.
//
// A force acts along a direction, torques about it: then v is a spin, and stiffnesses and dashpots count times l^2, with the distance l of the contact from the axis.
#include "sim/contact.h"
#include "sim/grain.h"
#include "sim/motion.h"
#include "sim/runner.h"
#include "sim/servo.h"
#include "sim/surfaces.h"

#include "base/argument.h"
#include "base/array.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static bool is_servo(int32_t kind)
{
    return kind == SCREE_LOAD_SERVO_FORCE || kind == SCREE_LOAD_SERVO_PRESSURE || kind == SCREE_LOAD_SERVO_TORQUE;
}

// ---- Where they are --------------------------------------------------------------------------------------------------

void motion_of_load(const scree_sim* sim, const sim_load* load, int64_t step, motion_now* out)
{
    const scree_signal* value = &load->given.value;
    double time, moved[3], first[3], on = sim_time_between(sim, load->moved, step);
    loads_time(sim, load, step, &time);
    switch (load->given.kind) {
    case SCREE_LOAD_BOUNDARY_VELOCITY:
        scree_signal_integral(value, time, moved);
        scree_signal_at(value, time, out->velocity);
        break;
    case SCREE_LOAD_BOUNDARY_PATH:
        scree_signal_at(value, 0.0, first);
        scree_signal_at(value, time, moved);
        scree_signal_rate(value, time, out->velocity);
        for (int k = 0; k < 3; ++k)
            moved[k] -= first[k];
        break;
    case SCREE_LOAD_SERVO_FORCE:
    case SCREE_LOAD_SERVO_PRESSURE:
        for (int k = 0; k < 3; ++k) {
            out->velocity[k] = load->rate * load->given.direction[k];
            moved[k] = out->velocity[k] * on;
        }
        break;
    case SCREE_LOAD_SERVO_TORQUE:
        for (int k = 0; k < 3; ++k)
            out->spin[k] = load->rate * load->given.direction[k];
        out->turns = true;
        return;
    case SCREE_LOAD_BOUNDARY_SPIN:
        scree_signal_at(value, time, out->spin);
        out->turns = true;
        return;
    default:
        return;
    }
    out->moves = true;
    for (int k = 0; k < 3; ++k)
        out->at[k] = load->base[k] + moved[k];
}

bool motion_at(const scree_sim* sim, int32_t boundary, int64_t step, motion_now* out)
{
    *out = (motion_now){.moves = false};
    for (int32_t n = 0; n < sim->loads.count && sim->loads.moving; ++n)
        if (sim->loads.list[n].given.target == boundary)
            motion_of_load(sim, &sim->loads.list[n], step, out);
    return out->moves || out->turns;
}

void motion_angle(const scree_sim* sim, int32_t boundary, int64_t step, double out[3])
{
    memset(out, 0, 3 * sizeof *out);
    for (int32_t n = 0; n < sim->loads.count && sim->loads.moving; ++n) {
        const sim_load* load = &sim->loads.list[n];
        double time;
        loads_time(sim, load, step, &time);
        if (load->given.target == boundary && load->given.kind == SCREE_LOAD_BOUNDARY_SPIN)
            scree_signal_integral(&load->given.value, time, out);
        if (load->given.target == boundary && load->given.kind == SCREE_LOAD_SERVO_TORQUE)
            for (int k = 0; k < 3; ++k)
                out[k] = (load->base[0] + load->rate * sim_time_between(sim, load->moved, step)) * load->given.direction[k];
    }
}

// An exact shape or mesh whose loads turn it: from where it was turned to when they began.
static void turn_shape(const scree_sim* sim, int32_t b, int64_t step, sim_boundary* out)
{
    const sim_boundary* base = &sim->boundaries[b];
    double angle[3], spin[3] = {out->spin[0], out->spin[1], out->spin[2]};
    motion_angle(sim, b, step, angle);
    memcpy(out->turn, base->turn, sizeof out->turn);
    memcpy(out->turn_half, base->turn, sizeof out->turn);
    out->turned = base->turned;
    double rate = sqrt((spin[0] * spin[0] + spin[1] * spin[1]) + spin[2] * spin[2]), length = sqrt((angle[0] * angle[0] + angle[1] * angle[1]) + angle[2] * angle[2]);
    if (rate == 0.0 && length == 0.0)
        return;
    // About the axis of the spin, or where it stands still, that of the angle.
    double by = rate > 0.0 ? ((angle[0] * spin[0] + angle[1] * spin[1]) + angle[2] * spin[2]) / rate : length;
    if (rate == 0.0)
        memcpy(out->spin, angle, sizeof angle);
    shape_turn(out, by, -0.5 * rate * sim->numbers.time_step);
    memcpy(out->spin, spin, sizeof spin);
}

void motion_apply(const scree_sim* sim, int64_t step, sim_boundary* out)
{
    for (int32_t b = 0; b < sim->boundary_count && sim->loads.moving; ++b) {
        motion_now now;
        motion_at(sim, b, step, &now);
        for (int k = 0; k < 3; ++k) {
            if (now.moves && (b >= boundary_faces || k == b / 2))
                out[b].at[k] = now.at[k];
            if (now.moves)
                out[b].velocity[k] = now.velocity[k];
            if (now.turns)
                out[b].spin[k] = now.spin[k];
        }
        if (now.turns && out[b].shape != NULL)
            turn_shape(sim, b, step, &out[b]);
        if (out[b].shape != NULL && (now.moves || now.turns))
            out[b].speed = shape_speed(&out[b]);
    }
}

double motion_speed(const scree_sim* sim, int64_t step)
{
    double most = 0.0;
    for (int32_t b = 0; b < sim->boundary_count && sim->loads.moving; ++b) {
        motion_now now, before;
        if (!motion_at(sim, b, step, &now))
            continue;
        if (sim->boundaries[b].shape != NULL) {  // its points may be faster than its place
            sim_boundary moved = sim->boundaries[b];
            memcpy(moved.velocity, now.velocity, sizeof moved.velocity);
            if (now.turns)
                memcpy(moved.spin, now.spin, sizeof moved.spin);
            most = fmax(most, shape_speed(&moved) * (1.0 + 1e-9));
        }
        if (!now.moves)
            continue;
        motion_at(sim, b, step > 0 ? step - 1 : 0, &before);
        double d[3] = {now.at[0] - before.at[0], now.at[1] - before.at[1], now.at[2] - before.at[2]};
        double moved = sqrt((d[0] * d[0] + d[1] * d[1]) + d[2] * d[2]) / sim->numbers.time_step;
        double fast = sqrt((now.velocity[0] * now.velocity[0] + now.velocity[1] * now.velocity[1]) + now.velocity[2] * now.velocity[2]);
        most = fmax(most, fmax(moved, fast) * (1.0 + 1e-9));
    }
    return most;
}

// ---- Setting ---------------------------------------------------------------------------------------------------------

// A boundary has one motion of its place.
static void drop_places(scree_sim* sim, int32_t boundary)
{
    static const int32_t kinds[] = {SCREE_LOAD_BOUNDARY_VELOCITY, SCREE_LOAD_BOUNDARY_PATH, SCREE_LOAD_SERVO_FORCE, SCREE_LOAD_SERVO_PRESSURE};
    for (size_t n = 0; n < sizeof kinds / sizeof *kinds; ++n)
        loads_drop(sim, kinds[n], boundary);
}

// The constant velocity of a face, along its axis; the other faces go on as they do.
static void set_face(scree_sim* sim, int32_t face, double velocity)
{
    double at[6], before[6];
    sim_walls_at(sim, sim->step, at, before);
    drop_places(sim, face);
    for (int f = 0; f < 6; ++f)
        sim->walls.at[f / 2][f % 2] = at[f];
    sim->walls.velocity[face / 2][face % 2] = velocity;
    sim->walls.since = sim->step;
}

static scree_status find_direction(const scree_sim* sim, const sim_boundary* b, const scree_sim_load* load, const double given[3], double out[3])
{
    double length = sqrt((given[0] * given[0] + given[1] * given[1]) + given[2] * given[2]);
    bool torque = load->kind == SCREE_LOAD_SERVO_TORQUE, face = load->target < boundary_faces;
    if (length == 0.0 && ((face && !torque) || (torque && b->kind == BOUNDARY_cylinder))) {
        for (int k = 0; k < 3; ++k)
            out[k] = torque ? b->axis[k] : b->sign * b->axis[k];
        return SCREE_OK;
    }
    const scree_exact* exact = b->shape != NULL && !b->shape->mesh ? &b->shape->exact : NULL;
    bool flat = exact != NULL && (exact->kind == SCREE_EXACT_PLANE || exact->kind == SCREE_EXACT_DISC), round = exact != NULL && (exact->kind == SCREE_EXACT_CYLINDER || exact->kind == SCREE_EXACT_CONE);
    if (length == 0.0 && sim->dim == 3 && ((flat && !torque) || (round && torque))) {
        double size = sqrt((exact->axis[0] * exact->axis[0] + exact->axis[1] * exact->axis[1]) + exact->axis[2] * exact->axis[2]);
        for (int k = 0; k < 3; ++k)
            out[k] = ((b->turn[k][0] * exact->axis[0] + b->turn[k][1] * exact->axis[1]) + b->turn[k][2] * exact->axis[2]) / size;
        return SCREE_OK;
    }
    if (length == 0.0 && torque && sim->dim == 2) {
        out[0] = out[1] = 0.0;
        out[2] = 1.0;
        return SCREE_OK;
    }
    if (!(length > 0.0 && length < INFINITY) || (sim->dim == 2 && (torque ? given[0] != 0.0 || given[1] != 0.0 : given[2] != 0.0)))
        return scree_fail(SCREE_ERR_ARGUMENT, "a servo with the direction %g %g %g; expected %s", given[0], given[1], given[2],
                          sim->dim == 2 ? "one of the plane, or z for a torque," : "a vector along which it pushes, or about which it rotates,");
    for (int k = 0; k < 3; ++k)
        out[k] = given[k] / length;
    if (face && !torque && fabs(fabs(out[load->target / 2]) - 1.0) > 1e-12)
        return scree_fail(SCREE_ERR_ARGUMENT, "a servo of a wall of the box with the direction %g %g %g; expected its normal", given[0], given[1], given[2]);
    return SCREE_OK;
}

static scree_status check_servo(const scree_sim* sim, const scree_sim_load* load)
{
    if (!(load->speed > 0.0 && load->speed <= SCREE_LENGTH_MAX))
        return scree_fail(SCREE_ERR_ARGUMENT, "a servo with the speed %g; expected a number above 0", load->speed);
    if (!(load->area >= 0.0 && load->area <= SCREE_LENGTH_MAX))
        return scree_fail(SCREE_ERR_ARGUMENT, "a servo with the area %g; expected 0 or more", load->area);
    bool face = load->target < boundary_faces && sim->def.container == SCREE_CONTAINER_BOX;
    if (load->kind == SCREE_LOAD_SERVO_PRESSURE && load->area == 0.0 && !face)
        return scree_fail(SCREE_ERR_ARGUMENT, "a servo that controls a pressure; expected its area, which is known only for the walls of a box");
    for (int k = 0; k < sim->dim && load->kind == SCREE_LOAD_SERVO_PRESSURE && load->area == 0.0; ++k)
        if (k != load->target / 2 && !(fabs(sim->def.box.upper[k] - sim->def.box.lower[k]) <= SCREE_LENGTH_MAX))
            return scree_fail(SCREE_ERR_ARGUMENT, "a servo that controls a pressure in a box that is open along %c; expected its area", "xyz"[k]);
    return SCREE_OK;
}

static scree_status fail_at(const scree_sim* sim, int32_t boundary)
{
    char why[256], name[boundary_name_room];
    snprintf(why, sizeof why, "%s", scree_error_message());
    return scree_fail(SCREE_ERR_ARGUMENT, "sim: boundary '%s': %s", sim_boundary_name(sim, boundary, name), why);
}

// That a boundary of this kind can turn so, at all times.
static scree_status check_spins(const scree_sim* sim, const sim_boundary* now, const scree_sim_load* load)
{
    const scree_signal* s = &load->value;
    int32_t rows = s->kind == SCREE_SIGNAL_TABLE ? s->count : s->kind == SCREE_SIGNAL_CONSTANT ? 1 : 2;
    scree_status status = SCREE_OK;
    for (int32_t row = 0; row < rows && status == SCREE_OK; ++row) {
        sim_boundary turned = *now;
        memcpy(turned.spin, s->kind == SCREE_SIGNAL_TABLE ? s->table + 4 * (int64_t)row + 1 : row == 0 ? s->value : s->to, sizeof turned.spin);
        if (load->kind == SCREE_LOAD_SERVO_TORQUE)
            for (int k = 0; k < 3; ++k)
                turned.spin[k] = load->speed * load->direction[k];
        status = boundary_check(&turned, sim->dim);
    }
    return status;
}

// It goes on from where it is now, with what it did before loads.
static void take_place(scree_sim* sim, int32_t b, const sim_boundary* now)
{
    sim_boundary* to = &sim->boundaries[b];
    memcpy(to->at, now->at, sizeof to->at);
    memcpy(to->turn, now->turn, sizeof to->turn);
    to->turned = false;
    for (int k = 0; k < 9 && to->shape != NULL; ++k)
        to->turned = to->turned || to->turn[k / 3][k % 3] != (double)(k % 4 == 0);
    to->since = sim->step;
}

scree_status motion_set(scree_sim* sim, const scree_sim_load* given, const double direction[3])
{
    scree_sim_load load = *given;
    int32_t b = load.target;
    scree_status status = SCREE_OK;
    if (b < 0 || b >= sim->boundary_count || !sim->boundaries[b].present)
        return scree_fail(SCREE_ERR_ARGUMENT, "sim: a load (%s) on boundary %" PRId32 "; expected a boundary that the simulation has", scree_load_name(load.kind), b);
    sim_boundaries_at(sim, sim->step, sim->boundaries_now);
    sim_boundary now = sim->boundaries_now[b];
    bool face = b < boundary_faces, constant = load.value.kind == SCREE_SIGNAL_CONSTANT, turns = load.kind == SCREE_LOAD_BOUNDARY_SPIN || load.kind == SCREE_LOAD_SERVO_TORQUE;
    memset(load.direction, 0, sizeof load.direction);
    if (is_servo(load.kind)) {
        status = check_servo(sim, &load);
        if (status == SCREE_OK)
            status = find_direction(sim, &now, &load, direction, load.direction);
    }
    if (status == SCREE_OK && turns && face)
        status = scree_fail(SCREE_ERR_ARGUMENT, "a wall of the box does not rotate; expected a surface");
    if (status == SCREE_OK && turns)
        status = check_spins(sim, &now, &load);
    if (status != SCREE_OK)
        return fail_at(sim, b);
    const double* value = load.value.value;
    if (load.kind == SCREE_LOAD_BOUNDARY_VELOCITY && constant && face && value[(b / 2 + 1) % 3] == 0.0 && value[(b / 2 + 2) % 3] == 0.0) {
        set_face(sim, b, value[b / 2]);
        return SCREE_OK;
    }
    if ((load.kind == SCREE_LOAD_BOUNDARY_VELOCITY || load.kind == SCREE_LOAD_BOUNDARY_SPIN) && constant && !face) {
        take_place(sim, b, &now);
        memcpy(turns ? sim->boundaries[b].spin : sim->boundaries[b].velocity, value, sizeof now.spin);
        if (turns) {
            loads_drop(sim, SCREE_LOAD_BOUNDARY_SPIN, b);
            loads_drop(sim, SCREE_LOAD_SERVO_TORQUE, b);
        } else {
            drop_places(sim, b);
        }
        return SCREE_OK;
    }
    double rate = 0.0, base[3];
    memcpy(base, now.at, sizeof base);
    if (load.kind == SCREE_LOAD_SERVO_TORQUE)
        base[0] = base[1] = base[2] = 0.0;
    // A servo in place of a servo goes on with the velocity that it had.
    for (int k = 0; k < 3 && is_servo(load.kind); ++k)
        rate += load.direction[k] * (turns ? now.spin[k] : now.velocity[k]);
    status = motion_reserve_servos(sim, is_servo(load.kind));
    if (status == SCREE_OK)
        status = loads_put(sim, &load, base);
    if (status != SCREE_OK)
        return status;
    if (turns) {  // which the load does from now on
        take_place(sim, b, &now);
        memset(sim->boundaries[b].spin, 0, sizeof now.spin);
    }
    for (int32_t n = sim->loads.count; n-- > 0;) {  // all others of the same boundary that say the same
        const scree_sim_load* other = &sim->loads.list[n].given;
        bool of_spin = other->kind == SCREE_LOAD_BOUNDARY_SPIN || other->kind == SCREE_LOAD_SERVO_TORQUE;
        if (other->target == b && other->kind != load.kind && other->kind >= SCREE_LOAD_BOUNDARY_VELOCITY && other->kind <= SCREE_LOAD_SERVO_TORQUE && of_spin == turns)
            loads_drop(sim, other->kind, b);
    }
    loads_find(sim, load.kind, b)->rate = is_servo(load.kind) ? fmin(fmax(rate, -load.speed), load.speed) : 0.0;
    return SCREE_OK;
}

scree_status scree_sim_set_wall_velocity(scree_sim* sim, const double velocity[3][2])
{
    SCREE_NEED(sim);
    SCREE_NEED(velocity);
    if (sim->hollow)
        return sim_change_there(sim, &(sim_change){.kind = CHANGE_WALLS, .values = {velocity[0][0], velocity[0][1], velocity[1][0], velocity[1][1], velocity[2][0], velocity[2][1]}});
    scree_status status = sim_check_still(sim);
    if (status == SCREE_OK)
        status = sim_check_motion(&sim->def, sim->walls.gravity, sim->walls.turn, velocity);
    if (status != SCREE_OK)
        return status;
    double at[6], before[6];
    sim_walls_at(sim, sim->step, at, before);
    for (int face = 0; face < 6; ++face) {
        sim->walls.at[face / 2][face % 2] = at[face];
        sim->walls.velocity[face / 2][face % 2] = velocity[face / 2][face % 2];
    }
    sim->walls.since = sim->step;
    for (int face = 0; face < 6 && sim->loads.moving; ++face)
        drop_places(sim, face);
    return SCREE_OK;
}

// ---- Servos ----------------------------------------------------------------------------------------------------------

scree_status motion_reserve_servos(scree_sim* sim, int32_t more)
{
    sim_loads* l = &sim->loads;
    int64_t count = more;
    for (int32_t n = 0; n < l->count; ++n)
        count += is_servo(l->list[n].given.kind);
    if (count == 0)
        return SCREE_OK;
    scree_status status = SCREE_RESERVE(l->servo_of, l->servo_of_capacity, sim->boundary_count);
    if (status == SCREE_OK)
        status = SCREE_RESERVE(l->servo_loads, l->servo_load_capacity, count);
    return status == SCREE_OK ? SCREE_RESERVE(l->servo_sums, l->servo_sum_capacity, count * sim->blocks + 1) : status;
}

void motion_servo_begin(scree_sim* sim)
{
    sim_loads* l = &sim->loads;
    int32_t count = 0;
    for (int32_t n = 0; n < l->count && l->moving; ++n)
        if (is_servo(l->list[n].given.kind)) {
            for (int32_t b = 0; b < sim->boundary_count && count == 0; ++b)
                l->servo_of[b] = -1;
            l->servo_of[l->list[n].given.target] = count;
            l->servo_loads[count++] = &l->list[n];
        }
    int exponent = count > 0 ? ilogb(sim->numbers.stiffness * sim->numbers.time_step) : 0;
    l->servos = (sim_servos){.count = count,
                             .of = l->servo_of,
                             .loads = (const sim_load* const*)l->servo_loads,
                             .sums = l->servo_sums,
                             .resistance_quantum = ldexp(1.0, exponent < -900 ? -930 : exponent - 30)};
    if (count > 0)
        memset(l->servo_sums, 0, (size_t)(sim->blocks * count) * sizeof *l->servo_sums);
}

static void add_quanta(int64_t* sum, double value, double per, bool* overflow)
{
    double in_quanta = value * per;
    bool fits = fabs(in_quanta) < 0x1p62;
    *overflow = *overflow || !fits || __builtin_add_overflow(*sum, fits ? llrint(in_quanta) : 0, sum);
}

// `scale`, `share`: factors of stiffness and dashpot of the contact.
static void add_contact(const sim_pass* pass, int64_t block, const double x[4], int32_t rank, int32_t boundary, const boundary_point* at, double scale, double share, const double force[3], const double twist[3])
{
    const sim_servos* servos = pass->servos;
    int32_t n = servos->of[boundary];
    const sim_load* load = servos->loads[n];
    const sim_boundary* b = &pass->boundaries[boundary];
    sim_servo_sums* sums = &servos->sums[block * servos->count + n];
    double seen_by[3];
    servo_resistance(&pass->law, law_with_material(&pass->law, pass->material, rank, b->material), sim_at(pass->v, rank)[3], pass->x[rank][3],
                     x[3] - at->inside, 2.0 * pass->half[0], seen_by + 1);
    seen_by[1] *= scale;
    seen_by[2] *= share;
    servo_measure(load->given.kind == SCREE_LOAD_SERVO_TORQUE, load->given.direction, b, x, at, force, twist, seen_by);
    add_quanta(&sums->load, seen_by[0], load->given.kind == SCREE_LOAD_SERVO_TORQUE ? pass->per_torque : pass->per_quantum, &sums->overflow);
    for (int k = 0; k < 2; ++k)
        add_quanta(&sums->resistance[k], seen_by[1 + k], 1.0 / servos->resistance_quantum, &sums->overflow);
}

void motion_servo_add(const sim_pass* pass, int64_t block, int32_t rank, int32_t boundary, const double force[3], const double twist[3])
{
    boundary_point at;
    if (pass->servos->of[boundary] < 0)
        return;
    boundary_surface(&pass->boundaries[boundary], pass->x[rank], &at);
    add_contact(pass, block, pass->x[rank], rank, boundary, &at, 1.0, 1.0, force, twist);
}

void motion_servo_add_touch(const sim_pass* pass, int64_t block, const surface_touch* touch, const double force[3], const double twist[3])
{
    if (pass->servos->of[touch->boundary] >= 0)
        add_contact(pass, block, touch->x, touch->rank, touch->boundary, &touch->at, touch->scale, touch->share, force, twist);
}

// The area of a face, between the other walls as they are now.
static double area_of(const scree_sim* sim, const sim_load* load)
{
    double area = load->given.area;
    if (area > 0.0)
        return area;
    scree_box box = scree_sim_get_box(sim);
    area = 1.0;
    for (int k = 0; k < sim->dim; ++k)
        if (k != load->given.target / 2)
            area *= box.upper[k] - box.lower[k];
    return area;
}

scree_status motion_servo_end(scree_sim* sim)
{
    const sim_servos* s = &sim->loads.servos;
    bool curved = grain_is_curved(sim->law.parts.normal);
    for (int32_t n = 0; n < s->count; ++n) {
        sim_load* load = sim->loads.servo_loads[n];
        sim_servo_sums all = {0};
        for (int64_t b = 0; b < sim->blocks; ++b) {
            const sim_servo_sums* one = &s->sums[b * s->count + n];
            all.overflow = all.overflow || one->overflow || __builtin_add_overflow(all.load, one->load, &all.load) ||
                           __builtin_add_overflow(all.resistance[0], one->resistance[0], &all.resistance[0]) ||
                           __builtin_add_overflow(all.resistance[1], one->resistance[1], &all.resistance[1]);
        }
        bool torque = load->given.kind == SCREE_LOAD_SERVO_TORQUE;
        double quantum = torque ? sim->numbers.torque_quantum : sim->numbers.force_quantum;
        if (all.overflow) {
            char name[boundary_name_room];
            sim->failed = true;
            return scree_fail(SCREE_ERR_ARGUMENT, "sim: step %" PRId64 ": the %s on boundary '%s', which a servo controls, is too large to be summed; expected at most %g", sim->step,
                              torque ? "torque" : "force", sim_boundary_name(sim, load->given.target, name), ldexp(quantum, 62));
        }
        double time, value[3], now = (double)all.load * quantum, springs = (double)all.resistance[0] * s->resistance_quantum;
        loads_time(sim, load, sim->step, &time);
        scree_signal_at(&load->given.value, time, value);
        double target = load->given.kind == SCREE_LOAD_SERVO_PRESSURE ? value[0] * area_of(sim, load) : value[0], off = target - now;
        if (curved && now > 0.0 && now < target)
            springs *= sqrt(target / now);
        double dashpots = (double)all.resistance[1] * s->resistance_quantum;
        double rate = springs > 0.0 ? (0.5 * off + dashpots * load->rate) / (springs + dashpots) : off > 0.0 ? INFINITY : off < 0.0 ? -INFINITY : 0.0;
        // It stands where it is now, and goes on from here.
        motion_now here = {.moves = false};
        motion_of_load(sim, load, sim->step, &here);
        if (here.moves)
            memcpy(load->base, here.at, sizeof load->base);
        else
            load->base[0] += load->rate * sim_time_between(sim, load->moved, sim->step);
        load->moved = sim->step;
        load->rate = fmin(fmax(rate, -load->given.speed), load->given.speed);
    }
    return SCREE_OK;
}
