// The list of active loads: they are set, found and removed, stored as numbers in states and checkpoints, and evaluated for gravity, forces and torques at a step.
//
// A constant is no load: it is set once, by the functions for constants (those of groups' forces and torques are kept: external.c). Forces and torques that change are written to the columns of external forces and torques before each
// pass, O(n); passes do not distinguish them from constant ones.
#include "sim/motion.h"
#include "sim/runner.h"
#include "sim/sim_inner.h"

#include "base/argument.h"
#include "base/array.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

SCREE_DEFAULTS_OF(scree_sim_load, scree_default_sim_load)
{
    return (scree_sim_load){.struct_size = sizeof(scree_sim_load)};
}

const char* scree_load_name(int32_t number)
{
    static const char* const names[SCREE_LOAD_COUNT] = {"gravity",       "turn",          "force",       "torque",         "velocity",     "spin", "boundary velocity",
                                                        "boundary spin", "boundary path", "servo force", "servo pressure", "servo torque", "drag", "local damping"};
    return number >= 0 && number < (int32_t)SCREE_LOAD_COUNT ? names[number] : NULL;
}

static bool is_of_boundary(int32_t kind)
{
    return kind >= SCREE_LOAD_BOUNDARY_VELOCITY && kind <= SCREE_LOAD_SERVO_TORQUE;
}

static bool is_of_group(int32_t kind)
{
    return kind >= SCREE_LOAD_FORCE && kind <= SCREE_LOAD_SPIN;
}

// ---- The list --------------------------------------------------------------------------------------------------------

sim_load* loads_find(const scree_sim* sim, int32_t kind, int32_t target)
{
    for (int32_t n = 0; n < sim->loads.count; ++n)
        if (sim->loads.list[n].given.kind == kind && sim->loads.list[n].given.target == target)
            return &sim->loads.list[n];
    return NULL;
}

// What follows from the list.
static void look_over(scree_sim* sim)
{
    sim_loads* l = &sim->loads;
    l->forces = l->driven = l->moving = false;
    for (int32_t n = 0; n < l->count; ++n) {
        int32_t kind = l->list[n].given.kind;
        l->forces = l->forces || kind == SCREE_LOAD_FORCE || kind == SCREE_LOAD_TORQUE;
        l->driven = l->driven || kind == SCREE_LOAD_VELOCITY || kind == SCREE_LOAD_SPIN;
        l->moving = l->moving || is_of_boundary(kind);
    }
}

void loads_drop(scree_sim* sim, int32_t kind, int32_t target)
{
    sim_load* load = loads_find(sim, kind, target);
    sim_loads* l = &sim->loads;
    if (load == NULL)
        return;
    scree_free(load->table);
    memmove(load, load + 1, (size_t)(l->list + l->count - (load + 1)) * sizeof *load);
    --l->count;
    look_over(sim);
}

scree_status loads_put(scree_sim* sim, const scree_sim_load* given, const double base[3])
{
    sim_loads* l = &sim->loads;
    size_t numbers = given->value.kind == SCREE_SIGNAL_TABLE ? 4 * (size_t)given->value.count : 0;
    double* table = numbers > 0 ? scree_malloc(numbers, sizeof *table) : NULL;
    if ((numbers > 0 && table == NULL) || SCREE_RESERVE(l->list, l->capacity, (int64_t)l->count + 1) != SCREE_OK) {
        scree_free(table);
        return SCREE_ERR_MEMORY;
    }
    if (numbers > 0)
        memcpy(table, given->value.table, numbers * sizeof *table);
    loads_drop(sim, given->kind, given->target);
    sim_load* to = &l->list[l->count++];
    *to = (sim_load){.given = *given, .table = table, .since = sim->step, .moved = sim->step};
    to->given.value.table = table;
    if (table == NULL)
        to->given.value.count = 0;
    for (int k = 0; k < 3; ++k)
        to->base[k] = base != NULL ? base[k] : 0.0;
    look_over(sim);
    return SCREE_OK;
}

void loads_close(sim_loads* l)
{
    for (int32_t n = 0; n < l->count; ++n)
        scree_free(l->list[n].table);
    scree_free(l->list);
    scree_free(l->paces);
    scree_free(l->constants);
    scree_free(l->words);
    scree_free(l->servo_sums);
    scree_free(l->servo_of);
    scree_free(l->servo_loads);
    *l = (sim_loads){0};
}

int32_t scree_sim_get_loads_sized(size_t size, const scree_sim* sim, scree_sim_load* out, int32_t room)
{
    SCREE_NEED_OR(sim, 0);
    for (int32_t n = 0; n < sim->loads.count && n < room && out != NULL; ++n)  // each begins with the size that the caller knows
        scree_fill_sized((char*)out + (size_t)n * size, size, &sim->loads.list[n].given, sizeof sim->loads.list[n].given);
    return sim->loads.count;
}

void loads_time(const scree_sim* sim, const sim_load* load, int64_t step, double* time)
{
    *time = sim_time_between(sim, load->since, step);
}

// ---- What they say ---------------------------------------------------------------------------------------------------

bool loads_gravity(const scree_sim* sim, int64_t step, double out[3])
{
    const sim_load *load = loads_find(sim, SCREE_LOAD_GRAVITY, 0), *turn = loads_find(sim, SCREE_LOAD_TURN, 0);
    double time, angle[3];
    if (load != NULL) {
        loads_time(sim, load, step, &time);
        scree_signal_at(&load->given.value, time, out);
        return true;
    }
    if (turn == NULL)
        return false;
    loads_time(sim, turn, step, &time);
    scree_signal_integral(&turn->given.value, time, angle);
    sim_turn_gravity(sim->dim, turn->base, angle, out);
    return true;
}

void loads_drag(const scree_sim* sim, int64_t step, sim_drag* out)
{
    const sim_load *drag = loads_find(sim, SCREE_LOAD_DRAG, 0), *local = loads_find(sim, SCREE_LOAD_LOCAL_DAMPING, 0);
    double time, now[3];
    if (drag != NULL) {
        loads_time(sim, drag, step, &time);
        scree_signal_at(&drag->given.value, time, now);
        out->c = now[0];
        out->per_mass = now[1];
        out->c_spin = now[2];
    }
    if (local != NULL) {
        loads_time(sim, local, step, &time);
        scree_signal_at(&local->given.value, time, now);
        out->local = now[0];
    }
}

// The columns of groups whose loads change, at this step, from the columns of the step before.
void loads_step(scree_sim* sim)
{
    const sim_loads* l = &sim->loads;
    for (int32_t n = 0; n < l->count && l->forces; ++n) {
        const sim_load* load = &l->list[n];
        double time, now[3];
        double (*column)[4] = load->given.kind == SCREE_LOAD_FORCE ? sim->force : load->given.kind == SCREE_LOAD_TORQUE ? sim->torque : NULL;
        if (column == NULL)
            continue;
        loads_time(sim, load, sim->step, &time);
        scree_signal_at(&load->given.value, time, now);
        double (*own)[4] = load->given.kind == SCREE_LOAD_FORCE ? sim->own_force : sim->own_torque;
        for (int32_t i = 0; i < sim->n; ++i)
            for (int k = 0; k < 3 && group_of(sim->group, i) == load->given.target; ++k)
                column[i][k] = own != NULL ? own[i][k] + now[k] : now[k];
    }
    if (l->drag.on)
        loads_drag(sim, sim->step, &sim->loads.drag);
}

// ---- Setting ---------------------------------------------------------------------------------------------------------

// Numbers that a signal can take, each with the function for its bounds.
static void bounds_of(const scree_signal* s, int k, double* least, double* most)
{
    *least = *most = s->value[k];
    if (s->kind == SCREE_SIGNAL_RAMP) {
        *least = fmin(s->value[k], s->to[k]);
        *most = fmax(s->value[k], s->to[k]);
    }
    if (s->kind == SCREE_SIGNAL_SINE) {
        *least = s->value[k] - fabs(s->to[k]);
        *most = s->value[k] + fabs(s->to[k]);
    }
    for (int32_t row = 0; row < s->count && s->kind == SCREE_SIGNAL_TABLE; ++row) {
        double value = s->table[4 * (int64_t)row + 1 + k];
        *least = row == 0 ? value : fmin(*least, value);
        *most = row == 0 ? value : fmax(*most, value);
    }
}

static scree_status check_components(const scree_sim* sim, const scree_sim_load* load)
{
    int32_t kind = load->kind;
    bool turns = kind == SCREE_LOAD_TURN || kind == SCREE_LOAD_TORQUE || kind == SCREE_LOAD_SPIN || kind == SCREE_LOAD_BOUNDARY_SPIN;
    bool one = kind == SCREE_LOAD_SERVO_FORCE || kind == SCREE_LOAD_SERVO_PRESSURE || kind == SCREE_LOAD_SERVO_TORQUE || kind == SCREE_LOAD_LOCAL_DAMPING;
    for (int k = 0; k < 3; ++k) {
        double least, most;
        bounds_of(&load->value, k, &least, &most);
        if (one && k > 0)
            continue;
        if (kind == SCREE_LOAD_LOCAL_DAMPING && !(least >= 0.0 && most < 1.0))
            return scree_fail(SCREE_ERR_ARGUMENT, "sim: local damping from %g to %g; expected 0 or more and below 1", least, most);
        if (kind == SCREE_LOAD_DRAG && !(least >= 0.0))
            return scree_fail(SCREE_ERR_ARGUMENT, "sim: a coefficient of drag of %g; expected 0 or more", least);
        bool flat = sim->dim == 2 && !one && kind != SCREE_LOAD_DRAG && (turns ? k < 2 : k == 2);
        if (flat && (least != 0.0 || most != 0.0))
            return scree_fail(SCREE_ERR_ARGUMENT, "sim: %s along %c from %g to %g; expected 0 in two dimensions", scree_load_name(kind), "xyz"[k], least, most);
    }
    if (kind == SCREE_LOAD_DRAG && !sim->law.turns && load->value.kind == SCREE_SIGNAL_CONSTANT && load->value.value[2] != 0.0)
        return scree_fail(SCREE_ERR_ARGUMENT, "sim: drag on spins is %g; expected 0, or a contact law with friction, rolling or twisting resistance", load->value.value[2]);
    return SCREE_OK;
}

// The axis stays the same: all values are multiples of one vector.
static bool has_one_axis(const scree_signal* s)
{
    double axis[3] = {0.0, 0.0, 0.0};
    int32_t rows = s->kind == SCREE_SIGNAL_TABLE ? s->count : 2;
    for (int pass = 0; pass < 2; ++pass)
        for (int32_t row = 0; row < rows; ++row) {
            const double* v = s->kind == SCREE_SIGNAL_TABLE ? s->table + 4 * (int64_t)row + 1 : row == 0 ? s->value : s->to;
            double length = sqrt((v[0] * v[0] + v[1] * v[1]) + v[2] * v[2]), size = sqrt((axis[0] * axis[0] + axis[1] * axis[1]) + axis[2] * axis[2]);
            if (pass == 0 && length > size)
                memcpy(axis, v, sizeof axis);
            for (int k = 0; k < 3 && pass == 1; ++k) {
                int a = (k + 1) % 3, b = (k + 2) % 3;
                if (!(fabs(axis[a] * v[b] - axis[b] * v[a]) <= 1e-12 * size * length))
                    return false;
            }
        }
    return true;
}

static scree_status set_gravity(scree_sim* sim, const scree_sim_load* load)
{
    double first[3], gravity[3], turn[3];
    bool constant = load->value.kind == SCREE_SIGNAL_CONSTANT, turns = load->kind == SCREE_LOAD_TURN;
    scree_sim_get_gravity(sim, gravity, turn);
    scree_signal_at(&load->value, 0.0, first);
    bool has_turn = turn[0] != 0.0 || turn[1] != 0.0 || turn[2] != 0.0;
    if (!turns && !constant && (has_turn || loads_find(sim, SCREE_LOAD_TURN, 0) != NULL))
        return scree_fail(SCREE_ERR_UNSUPPORTED, "sim: gravity rotates already (%g %g %g); expected no rotation for a gravity that is a %s. Set the rotation to 0 first", turn[0], turn[1], turn[2],
                          scree_signal_name(load->value.kind));
    if (turns && !constant && !has_one_axis(&load->value))
        return scree_fail(SCREE_ERR_ARGUMENT, "sim: this %s changes the axis about which gravity rotates; expected a constant axis", scree_signal_name(load->value.kind));
    if (turns && loads_find(sim, SCREE_LOAD_GRAVITY, 0) != NULL && (!constant || first[0] != 0.0 || first[1] != 0.0 || first[2] != 0.0))
        return scree_fail(SCREE_ERR_UNSUPPORTED, "sim: gravity is a %s already; expected a constant gravity for a rotation. Set it to a constant first",
                          scree_signal_name(loads_find(sim, SCREE_LOAD_GRAVITY, 0)->given.value.kind));
    if (turns && constant && loads_find(sim, SCREE_LOAD_GRAVITY, 0) != NULL)
        return SCREE_OK;  // it does not turn anyway
    double none[3] = {0.0, 0.0, 0.0};
    scree_status status = sim_check_motion(&sim->def, turns ? gravity : first, turns ? first : none, (const double(*)[2])sim->walls.velocity);
    if (status == SCREE_OK && !constant)
        status = loads_put(sim, load, gravity);
    if (status != SCREE_OK)
        return status;
    if (turns) {
        if (constant)
            return scree_sim_set_gravity(sim, gravity, first);
        // As it points now; the load turns it.
        for (int k = 0; k < 3; ++k) {
            sim->walls.gravity[k] = gravity[k];
            sim->walls.turn[k] = 0.0;
        }
        sim->walls.gravity_since = sim->step;
        return SCREE_OK;
    }
    sim_set_gravity_now(sim, gravity, first);
    for (int k = 0; k < 3; ++k) {
        sim->walls.gravity[k] = first[k];
        sim->walls.turn[k] = constant ? turn[k] : 0.0;
    }
    sim->walls.gravity_since = sim->step;
    if (constant)
        loads_drop(sim, SCREE_LOAD_GRAVITY, 0);
    sim_load* turning = loads_find(sim, SCREE_LOAD_TURN, 0);
    if (turning != NULL) {  // it goes on with the new one: where that would have pointed when the turning began
        double time, angle[3];
        loads_time(sim, turning, sim->step, &time);
        scree_signal_integral(&turning->given.value, time, angle);
        for (int k = 0; k < 3; ++k)
            angle[k] = -angle[k];
        sim_turn_gravity(sim->dim, first, angle, turning->base);
    }
    return SCREE_OK;
}

static scree_status say_empty(int32_t group)
{
    return scree_fail(SCREE_ERR_ARGUMENT, "sim: group %" PRId32 " is empty; expected a group with spheres", group);
}

static scree_status set_group(scree_sim* sim, const scree_sim_load* load)
{
    double first[3];
    bool constant = load->value.kind == SCREE_SIGNAL_CONSTANT;
    if (!group_is_there(sim, load->target))
        return say_empty(load->target);
    if ((load->kind == SCREE_LOAD_TORQUE || load->kind == SCREE_LOAD_SPIN) && !sim->law.turns)
        return scree_fail(SCREE_ERR_ARGUMENT, "sim: a %s for group %" PRId32 "; expected a contact law with friction, rolling or twisting resistance", scree_load_name(load->kind),
                          load->target);
    if (load->kind == SCREE_LOAD_VELOCITY || load->kind == SCREE_LOAD_SPIN)
        return groups_drive(sim, load);
    scree_signal_at(&load->value, 0.0, first);
    scree_status status = constant ? SCREE_OK : loads_put(sim, load, NULL);
    if (status == SCREE_OK)
        status = external_set_group(sim, load->kind, load->target, first, constant);
    if (constant || status != SCREE_OK)
        loads_drop(sim, load->kind, load->target);
    return status;
}

static scree_status set_drag(scree_sim* sim, const scree_sim_load* load)
{
    scree_status status = loads_put(sim, load, NULL);
    if (status != SCREE_OK)
        return status;
    const sim_load *drag = loads_find(sim, SCREE_LOAD_DRAG, 0), *local = loads_find(sim, SCREE_LOAD_LOCAL_DAMPING, 0);
    sim->loads.drag = (sim_drag){.on = drag != NULL || local != NULL};
    loads_step(sim);
    status = sim_settle_again(sim);
    sim->failed = status != SCREE_OK;
    return status;
}

scree_status scree_sim_set_load(scree_sim* sim, const scree_sim_load* given)
{
    SCREE_NEED(sim);
    SCREE_NEED_AS(given, "load");
    scree_status status = scree_check_struct_size("sim.load", "scree_default_sim_load", given->struct_size, sizeof *given, sizeof *given);
    scree_sim_load load = *given;
    const bool there = sim->hollow;
    if (status == SCREE_OK)
        status = there ? sim_check_known(sim) : sim_check_still(sim);
    if (status == SCREE_OK && scree_load_name(load.kind) == NULL)
        status = scree_fail(SCREE_ERR_ARGUMENT, "sim: load kind %" PRId32 "; expected a scree_load", load.kind);
    if (status != SCREE_OK)
        return status;
    if (scree_signal_check(&load.value) != SCREE_OK) {
        char why[256];
        snprintf(why, sizeof why, "%s", scree_error_message());
        return scree_fail(SCREE_ERR_ARGUMENT, "sim: %s: %s", scree_load_name(load.kind), why);
    }
    if (there && is_of_group(load.kind) && !group_is_there(sim, load.target))
        return say_empty(load.target);
    if (there)
        return sim_change_there(sim, &(sim_change){.kind = CHANGE_LOAD, .load = &load});
    if (!is_of_group(load.kind) && !is_of_boundary(load.kind))
        load.target = 0;
    status = check_components(sim, &load);
    bool in_space = load.kind == SCREE_LOAD_VELOCITY || load.kind == SCREE_LOAD_SPIN;
    if (status == SCREE_OK && in_space)  // images of a sphere have different velocities
        status = cell_reject(sim, scree_load_name(load.kind));
    if (status != SCREE_OK)
        return status;
    if (is_of_boundary(load.kind))
        return motion_set(sim, &load, given->direction);
    if (is_of_group(load.kind))
        return set_group(sim, &load);
    return load.kind == SCREE_LOAD_GRAVITY || load.kind == SCREE_LOAD_TURN ? set_gravity(sim, &load) : set_drag(sim, &load);
}

// ---- As numbers ------------------------------------------------------------------------------------------------------

// Dissipated energies first; then how long steps were before they had the length of now, each time a mark, the step at which that ended, and the length; then the constant forces and torques of groups, each
// time a mark, the kind, the group and three numbers; then each load: its numbers, and the rows of its table.
enum { words_before = 4, words_of_pace = 3, words_of_constant = 6, words_of_load = 24 };
static const double mark_of_pace = -1.0, mark_of_constant = -2.0;  // where a load has its kind

scree_status loads_words(scree_sim* sim, int64_t* count, const double** words)
{
    sim_loads* l = &sim->loads;
    int64_t room = words_before + words_of_pace * l->pace_count + words_of_constant * l->constant_count;
    static const double nothing[1] = {0.0};
    *count = 0;
    *words = nothing;
    if (l->count == 0 && l->pace_count == 0 && l->constant_count == 0 && l->dissipated[0] == 0.0 && l->dissipated[1] == 0.0)
        return SCREE_OK;
    for (int32_t n = 0; n < l->count; ++n)
        room += words_of_load + 4 * (int64_t)l->list[n].given.value.count;
    if (SCREE_RESERVE(l->words, l->word_capacity, room) != SCREE_OK)
        return SCREE_ERR_MEMORY;
    double* to = l->words;
    for (int k = 0; k < 2; ++k) {
        *to++ = l->dissipated[k];
        *to++ = l->next[k];
    }
    for (int64_t n = 0; n < l->pace_count; ++n) {
        *to++ = mark_of_pace;
        *to++ = (double)l->paces[n].until;
        *to++ = l->paces[n].length;
    }
    for (int64_t n = 0; n < l->constant_count; ++n) {
        const sim_constant* constant = &l->constants[n];
        const double numbers[words_of_constant] = {mark_of_constant, constant->kind, constant->group, constant->value[0], constant->value[1], constant->value[2]};
        memcpy(to, numbers, sizeof numbers);
        to += words_of_constant;
    }
    for (int32_t n = 0; n < l->count; ++n) {
        const sim_load* load = &l->list[n];
        const scree_signal* s = &load->given.value;
        const double numbers[words_of_load] = {load->given.kind,         load->given.target,       (double)load->since,      load->base[0], load->base[1], load->base[2],
                                               (double)load->moved,      load->rate,               load->given.speed,        load->given.area,
                                               load->given.direction[0], load->given.direction[1], load->given.direction[2], s->kind,       s->value[0],   s->value[1],
                                               s->value[2],              s->to[0],                 s->to[1],                 s->to[2],      s->over,       s->frequency,
                                               s->phase,                 s->count};
        memcpy(to, numbers, sizeof numbers);
        to += words_of_load;
        if (s->count > 0)
            memcpy(to, s->table, 4 * (size_t)s->count * sizeof *to);
        to += 4 * (int64_t)s->count;
    }
    *count = room;
    *words = l->words;
    return SCREE_OK;
}

// The load that begins at words[at], of which there are `count`; *at then stands behind it. False: it is none.
static bool read_load(int64_t count, const double* words, int64_t* at, sim_load* out)
{
    if (count - *at < words_of_load)
        return false;
    const double* w = words + *at;
    for (int k = 0; k < words_of_load; ++k)
        if (!(fabs(w[k]) <= (double)sim_count_most || (k >= 3 && k != 6 && fabs(w[k]) <= SCREE_LENGTH_MAX)))
            return false;
    if (!(w[0] >= 0.0 && w[0] < SCREE_LOAD_COUNT) || !(w[1] >= 0.0 && w[1] <= INT32_MAX) || !(w[13] >= 0.0 && w[13] < SCREE_SIGNAL_COUNT) || !(w[23] >= 0.0 && w[23] <= INT32_MAX))
        return false;
    *out = (sim_load){.since = (int64_t)w[2], .base = {w[3], w[4], w[5]}, .moved = (int64_t)w[6], .rate = w[7]};
    out->given = scree_default_sim_load();
    out->given.kind = (int32_t)w[0];
    out->given.target = (int32_t)w[1];
    out->given.speed = w[8];
    out->given.area = w[9];
    memcpy(out->given.direction, w + 10, sizeof out->given.direction);
    scree_signal* s = &out->given.value;
    s->kind = (int32_t)w[13];
    memcpy(s->value, w + 14, sizeof s->value);
    memcpy(s->to, w + 17, sizeof s->to);
    s->over = w[20];
    s->frequency = w[21];
    s->phase = w[22];
    s->count = (int32_t)w[23];
    *at += words_of_load;
    if (count - *at < 4 * (int64_t)s->count || (s->count > 0) != (s->kind == SCREE_SIGNAL_TABLE))
        return false;
    s->table = words + *at;
    *at += 4 * (int64_t)s->count;
    return true;
}

// The pace that begins at words[at]; *at then stands behind it. False: it is none.
static bool read_pace(int64_t count, const double* words, int64_t* at, sim_pace* out)
{
    const double* w = words + *at;
    if (count - *at < words_of_pace || w[0] != mark_of_pace || !(w[1] >= 0.0 && w[1] <= (double)sim_count_most))
        return false;
    *out = (sim_pace){.until = (int64_t)w[1], .length = w[2]};
    *at += words_of_pace;
    return true;
}

// The constant that begins at words[at]; *at then stands behind it. False: it is none.
static bool read_constant(int64_t count, const double* words, int64_t* at, sim_constant* out)
{
    const double* w = words + *at;
    if (count - *at < words_of_constant || w[0] != mark_of_constant || (w[1] != SCREE_LOAD_FORCE && w[1] != SCREE_LOAD_TORQUE) || !(w[2] >= 0.0 && w[2] <= UINT16_MAX))
        return false;
    for (int k = 0; k < 3; ++k)
        if (!(fabs(w[3 + k]) <= SCREE_LENGTH_MAX))
            return false;
    *out = (sim_constant){.kind = (int32_t)w[1], .group = (int32_t)w[2], .value = {w[3], w[4], w[5]}};
    *at += words_of_constant;
    return true;
}

scree_status loads_check_words(scree_sim* sim, int64_t count, const double* words, int64_t step)
{
    int64_t at = words_before;
    if (count == 0 || words == NULL)
        return SCREE_OK;
    for (int64_t k = 0; k < words_before && k < count; ++k)
        if (!(fabs(words[k]) <= 1e300))
            return scree_fail(SCREE_ERR_ARGUMENT, "sim: a state whose dissipated energy is %g; expected a finite number", words[k]);
    sim_pace pace;
    for (int64_t last = 0; at < count && read_pace(count, words, &at, &pace); last = pace.until)
        if (pace.until <= last || pace.until > step || !(pace.length > 0.0 && pace.length <= SCREE_LENGTH_MAX))
            return scree_fail(SCREE_ERR_ARGUMENT, "sim: a state of step %" PRId64 " with steps of length %g up to step %" PRId64 "; expected a length above 0, and a step after %" PRId64, step,
                              pace.length, pace.until, last);
    for (sim_constant constant; at < count && read_constant(count, words, &at, &constant);)
        ;
    while (at < count) {
        sim_load load;
        int64_t from = at;
        bool fits = read_load(count, words, &at, &load);
        if (!fits || scree_signal_check(&load.given.value) != SCREE_OK)
            return scree_fail(SCREE_ERR_ARGUMENT, "sim: the loads of a state are invalid from number %" PRId64 " on; expected kind, target, step and signal of each load", from);
        int32_t kind = load.given.kind, target = load.given.target;
        if (load.since > step || load.moved > step || load.since < 0 || load.moved < load.since)
            return scree_fail(SCREE_ERR_ARGUMENT, "sim: a load (%s) begins at step %" PRId64 "; expected a step up to that of the state, %" PRId64, scree_load_name(kind), load.since, step);
        if ((is_of_boundary(kind) && (target >= sim->boundary_count || !sim->boundaries[target].present)) || (is_of_group(kind) && !group_is_there(sim, target)))
            return scree_fail(SCREE_ERR_ARGUMENT, "sim: the state has a load (%s) on %s %" PRId32 "; expected one that the simulation has", scree_load_name(kind), is_of_group(kind) ? "group" : "boundary", target);
    }
    if (at != count)
        return scree_fail(SCREE_ERR_ARGUMENT, "sim: a state with %" PRId64 " numbers of loads; expected at least %d", count, (int)words_before);
    return SCREE_OK;
}

scree_status loads_take_words(scree_sim* sim, int64_t count, const double* words)
{
    sim_loads* l = &sim->loads;
    int64_t at = words_before;
    while (l->count > 0)
        loads_drop(sim, l->list[0].given.kind, l->list[0].given.target);
    memset(l->dissipated, 0, sizeof l->dissipated);
    memset(l->next, 0, sizeof l->next);
    for (int k = 0; k < 2 && count >= words_before; ++k) {
        l->dissipated[k] = words[2 * k];
        l->next[k] = words[2 * k + 1];
    }
    scree_status status = SCREE_OK;
    sim_pace pace;
    l->pace_count = 0;
    while (at < count && read_pace(count, words, &at, &pace) && status == SCREE_OK) {
        status = SCREE_RESERVE(l->paces, l->pace_capacity, l->pace_count + 1);
        if (status == SCREE_OK)
            l->paces[l->pace_count++] = pace;
    }
    l->constant_count = 0;
    for (sim_constant constant; at < count && status == SCREE_OK && read_constant(count, words, &at, &constant);)
        status = external_put_constant(l, &constant);
    while (at < count && status == SCREE_OK) {
        sim_load load;
        if (!read_load(count, words, &at, &load))
            break;
        status = loads_put(sim, &load.given, load.base);
        if (status != SCREE_OK)
            break;
        sim_load* to = &l->list[l->count - 1];
        to->since = load.since;
        to->moved = load.moved;
        to->rate = load.rate;
    }
    l->drag = (sim_drag){.on = loads_find(sim, SCREE_LOAD_DRAG, 0) != NULL || loads_find(sim, SCREE_LOAD_LOCAL_DAMPING, 0) != NULL};
    return status == SCREE_OK ? motion_reserve_servos(sim, 0) : status;
}
