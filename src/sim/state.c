// The whole state as named columns by id, for checkpoints and for callers that compute elsewhere; and its hash.
#include "sim/overview.h"
#include "sim/runner.h"
#include "sim/sim_inner.h"

#include "base/argument.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

// The data of a column in a state; NULL: it is not there.
static void* data_of(const scree_sim_state* state, const char* name)
{
    for (int32_t c = 0; c < state->column_count; ++c)
        if (state->columns[c].name != NULL && strcmp(state->columns[c].name, name) == 0)
            return state->columns[c].data;
    return NULL;
}

// Names that the simulation has, each once, with data.
static scree_status check_columns(const scree_sim* sim, const scree_sim_state* state)
{
    for (int32_t c = 0; c < state->column_count; ++c) {
        const scree_sim_values* values = &state->columns[c];
        if (values->name == NULL)
            return scree_fail(SCREE_ERR_ARGUMENT, "sim: the name of column %d of the state is NULL; expected a name", (int)c);
        if (sim_find_column(sim, values->name) == NULL)
            return scree_fail(SCREE_ERR_ARGUMENT, "sim: there is no column '%.40s'%s; expected a name of scree_sim_get_columns", values->name,
                              strcmp(values->name, "x_before") == 0 ? ", which belongs to position-verlet and not to velocity-verlet" : "");
        if (sim->n > 0 && values->data == NULL)
            return scree_fail(SCREE_ERR_ARGUMENT, "sim: the data of column '%.40s' is NULL; expected an array", values->name);
        for (int32_t d = 0; d < c; ++d)
            if (strcmp(state->columns[d].name, values->name) == 0)
                return scree_fail(SCREE_ERR_ARGUMENT, "sim: column '%.40s' is given twice; expected each column once", values->name);
    }
    return SCREE_OK;
}

scree_status scree_sim_get_state(const scree_sim* sim, scree_sim_state* out)
{
    SCREE_NEED(sim);
    SCREE_NEED(out);
    if (out->column_count > 0)
        SCREE_NEED_AS(out->columns, "columns");
    scree_status status = sim_check_known(sim);
    if (status == SCREE_OK)
        status = check_columns(sim, out);
    if (status == SCREE_OK && sim->hollow)
        status = scree_sim_get_rows(sim, 0, sim->n, out->column_count, out->columns);
    if (status != SCREE_OK)
        return status;
    out->step = sim->step;
    out->time_step = sim->numbers.time_step;
    out->walls = sim->walls;
    for (int face = 0; face < boundary_faces && sim->loads.moving; ++face) {  // where a load has brought it; the load says how it goes on
        motion_now now;
        if (!motion_at(sim, face, sim->step, &now) || !now.moves)
            continue;
        out->walls.at[face / 2][face % 2] = now.at[face / 2];
        out->walls.velocity[face / 2][face % 2] = 0.0;
    }
    out->motion_count = sim->boundary_count - boundary_faces;
    out->motions = sim->motions;
    for (int32_t b = 0; b < out->motion_count; ++b) {
        const sim_boundary* from = &sim->boundaries[boundary_faces + b];
        scree_sim_motion* to = &sim->motions[b];
        memcpy(to->at, from->at, sizeof to->at);
        memcpy(to->velocity, from->velocity, sizeof to->velocity);
        memcpy(to->spin, from->spin, sizeof to->spin);
        memcpy(to->turn, from->turn, sizeof to->turn);
        to->since = from->since;
    }
    for (int32_t c = 0; c < out->column_count && !sim->hollow; ++c)
        sim_column_get(sim, sim_find_column(sim, out->columns[c].name), out->columns[c].data);
    out->account_count = sim->law.parts.accounts ? 2 * sim_accounts : 0;
    out->account = sim->law.parts.accounts ? sim->account : NULL;
    out->flow = &sim->flow;
    out->cell = cell_state((scree_sim*)(uintptr_t)sim);
    return loads_words((scree_sim*)(uintptr_t)sim, &out->load_count, &out->loads);
}

static scree_status check_walls(const scree_sim* sim, const scree_sim_state* state)
{
    const int64_t step = state->step, walls = state->walls.since, gravity = state->walls.gravity_since;
    if (step < 0 || step > sim_count_most || walls < 0 || walls > step || gravity < 0 || gravity > step)
        return scree_fail(SCREE_ERR_ARGUMENT, "sim: the state is of step %" PRId64 ", its walls of step %" PRId64 " and its gravity of step %" PRId64 "; expected steps from 0 to that of the state, at most %" PRId64,
                          step, walls, gravity, sim_count_most);
    scree_status status =
        sim_check_motion(&sim->def, state->walls.gravity, state->walls.turn, (const double(*)[2])state->walls.velocity);
    if (status != SCREE_OK)
        return status;
    for (int face = 0; face < 2 * sim->dim; ++face)
        if (sim_has_wall(&sim->def, face) && !(fabs(state->walls.at[face / 2][face % 2]) <= SCREE_LENGTH_MAX))
            return scree_fail(SCREE_ERR_ARGUMENT, "sim: the %s wall of axis %c of the state is at %g; expected a finite position, the lower wall below the upper one", face & 1 ? "upper" : "lower",
                              "xyz"[face / 2], state->walls.at[face / 2][face % 2]);
    return SCREE_OK;
}

static scree_status check_finite(const scree_sim* sim, const char* name, const double* values, double most)
{
    int32_t wide = values != NULL ? sim_components(sim, sim_find_column(sim, name)) : 0;
    for (int64_t e = 0; e < (int64_t)sim->n * wide; ++e)
        if (!(fabs(values[e]) <= most))
            return scree_fail(SCREE_ERR_ARGUMENT, "sphere %" PRId64 ": %s along %c is %g; expected a finite number", sim_id_of(sim, e / wide), name,
                              "xyz"[e % wide], values[e]);
    return scree_watch_own("sim", 0, 1);
}

// Centres inside the walls, and not many boxes away on periodic axes.
static scree_status check_inside(const scree_sim* sim, const scree_sim_state* state, const double* x)
{
    const uint8_t* flags = data_of(state, "flags");  // fixed and driven spheres do not see walls
    for (int64_t i = 0; i < sim->n; ++i) {
        if (scree_watch_own("sim", i, sim->n) != SCREE_OK)
            return SCREE_ERR_CANCELLED;
        for (int face = 0; face < 2 * sim->dim; ++face) {
            int k = face / 2;
            double at = state->walls.at[k][face % 2] + state->walls.velocity[k][face % 2] * sim_time_between(sim, state->walls.since, state->step);
            motion_now moved;
            if (motion_at(sim, face, state->step, &moved) && moved.moves)
                at = moved.at[k];
            double here = x[i * sim->dim + k], length = sim->cell.h[k][k];
            if (sim_has_wall(&sim->def, face) && (face & 1 ? here > at : here < at) && !is_fixed(flags, i))
                return scree_fail(SCREE_ERR_ARGUMENT, "sphere %" PRId64 ": %c = %g; expected a position inside the wall at %g", sim_id_of(sim, i), "xyz"[k], here, at);
            if (length > 0.0 && fabs(here) > 16.0 * length + fabs(sim->def.box.lower[k]))
                return scree_fail(SCREE_ERR_ARGUMENT, "sphere %" PRId64 ": %c = %g is too many periods of %g away; expected a position nearer to the box", sim_id_of(sim, i), "xyz"[k], here, length);
        }
    }
    return SCREE_OK;
}

// What was given with the spheres is the same.
static scree_status check_given(const scree_sim* sim, const scree_sim_state* state)
{
    for (int32_t c = 0; c < state->column_count; ++c) {
        const sim_column* column = sim_find_column(sim, state->columns[c].name);
        if ((column->shown.uses & SCREE_USE_GIVEN) == 0)
            continue;
        if (scree_watch_own("sim", 0, 1) != SCREE_OK)
            return SCREE_ERR_CANCELLED;
        const char *rows = sim_items(sim, column->at) + column->first, *data = state->columns[c].data;
        size_t width = sim_column_width(sim, column), step = sim_step_of(sim, column->at, column->bytes, column->rows);
        int64_t differs = -1;
        const uint8_t* flags = strncmp(column->shown.name, "inverse_", strlen("inverse_")) == 0 ? data_of(state, "flags") : NULL;
        for (int32_t i = 0; i < sim->n; ++i)
            if (flags != NULL) {  // who is fixed may have changed; who is free has the value that it was made with
                double value, wanted = (flags[sim_row(sim, i)] & 1) != 0 ? 0.0 : sim->held[i][strcmp(column->shown.name, "inverse_mass") == 0 ? 0 : 1];
                memcpy(&value, data + (size_t)sim_row(sim, i) * width, sizeof value);
                if (value != wanted && (differs < 0 || sim->id[i] < differs))
                    differs = sim->id[i];
            } else if (memcmp(data + (size_t)sim_row(sim, i) * width, rows + (size_t)i * step, width) != 0 && (differs < 0 || sim->id[i] < differs))
                differs = sim->id[i];
        if (differs >= 0)
            return scree_fail(SCREE_ERR_ARGUMENT, "sphere %" PRId64 ": its %s differs between state and simulation; expected the same", differs,
                              column->shown.name);
    }
    return SCREE_OK;
}

static scree_status check_account(const scree_sim* sim, const scree_sim_state* state)
{
    if (state->account == NULL)
        return SCREE_OK;
    if (!sim->law.parts.accounts || state->account_count != 2 * sim_accounts)
        return scree_fail(SCREE_ERR_ARGUMENT, "sim: a state with %" PRId32 " sums of energies; expected %d", state->account_count,
                          sim->law.parts.accounts ? 2 * (int)sim_accounts : 0);
    for (int32_t e = 0; e < state->account_count; ++e)
        if (!(fabs(state->account[e]) <= 1e300))
            return scree_fail(SCREE_ERR_ARGUMENT, "sim: a state whose sum of energies %" PRId32 " is %g; expected a finite number", e, state->account[e]);
    return SCREE_OK;
}

static scree_status check_flow(const scree_sim* sim, const scree_sim_flow* flow)
{
    if (flow == NULL)
        return SCREE_OK;
    int64_t least = sim->n > 0 ? sim_id_of(sim, sim->n - 1) + 1 : 0;
    if (flow->next_id < least || flow->next_id > sim_count_most || flow->inserted < 0 || flow->inserted > sim_count_most || flow->removed < 0 || flow->removed > sim_count_most)
        return scree_fail(SCREE_ERR_ARGUMENT, "sim: a state whose next id is %" PRId64 " after %" PRId64 " spheres inserted and %" PRId64 " removed; expected a next id from %" PRId64 " to %" PRId64 ", and counts from 0 on",
                          flow->next_id, flow->inserted, flow->removed, least, sim_count_most);
    const double sums[] = {flow->mass_inserted, flow->mass_removed, flow->energy_inserted, flow->energy_removed, flow->gravity_inserted, flow->gravity_removed};
    for (size_t e = 0; e < sizeof sums / sizeof *sums; ++e)
        if (!(fabs(sums[e]) <= 1e300))
            return scree_fail(SCREE_ERR_ARGUMENT, "sim: a state whose spheres inserted or removed have a mass or energy of %g; expected a finite number", sums[e]);
    return SCREE_OK;
}

static scree_status check_state(const scree_sim* sim, const scree_sim_state* state)
{
    scree_status status = check_columns(sim, state);
    if (status == SCREE_OK)
        status = check_account(sim, state);
    if (status == SCREE_OK && sim->n > 0 && (data_of(state, "x") == NULL || data_of(state, "v") == NULL))
        status = scree_fail(SCREE_ERR_ARGUMENT, "sim: a state without column x or v; expected both");
    static const char* const parts[][2] = {{"own_force", "force"}, {"own_torque", "external_torque"}};
    for (size_t p = 0; p < sizeof parts / sizeof *parts && status == SCREE_OK; ++p)
        if (data_of(state, parts[p][0]) != NULL && data_of(state, parts[p][1]) == NULL)
            status = scree_fail(SCREE_ERR_ARGUMENT, "sim: a state with column %s and without %s; expected both", parts[p][0], parts[p][1]);
    if (status == SCREE_OK)
        status = check_walls(sim, state);
    static const struct {
        const char* name;
        double most;
    } finite[] = {{"x", SCREE_LENGTH_MAX}, {"v", SCREE_LENGTH_MAX}, {"a", 1e300}, {"x_before", SCREE_LENGTH_MAX}, {"force", SCREE_LENGTH_MAX}, {"external_torque", SCREE_LENGTH_MAX},
                  {"own_force", SCREE_LENGTH_MAX}, {"own_torque", SCREE_LENGTH_MAX}, {"w", SCREE_LENGTH_MAX}, {"angular_acceleration", 1e300}};
    for (size_t c = 0; c < sizeof finite / sizeof *finite && status == SCREE_OK; ++c)
        status = check_finite(sim, finite[c].name, data_of(state, finite[c].name), finite[c].most);
    if (status == SCREE_OK && sim->n > 0)
        status = check_inside(sim, state, data_of(state, "x"));
    if (status == SCREE_OK)
        status = sim_motions_check(sim, state);
    return status == SCREE_OK && !sim->hollow ? check_given(sim, state) : status;  // else it was compared
}

// Centres, and the contacts that remember, are where the boundaries of the state leave room.
static scree_status check_contacts(scree_sim* sim, const scree_sim_state* state)
{
    sim_boundary* at = sim->boundaries_now;
    memcpy(at, sim->boundaries, (size_t)sim->boundary_count * sizeof *at);
    sim_motions_set(state, at);
    for (int32_t b = boundary_faces; b < sim->boundary_count; ++b)
        for (int k = 0; k < 3; ++k)
            at[b].at[k] += at[b].velocity[k] * sim_time_between(sim, at[b].since, state->step);
    motion_apply(sim, state->step, at);
    scree_status status = sim_boundaries_hold(sim, data_of(state, "x"), data_of(state, "flags"), at);
    return status == SCREE_OK ? memory_check(sim, state->memory, data_of(state, "x"), sim->hollow ? data_of(state, "radius") : NULL) : status;
}

static scree_status check_all(scree_sim* sim, const scree_sim_state* state)
{
    scree_status status = check_state(sim, state);
    if (status == SCREE_OK)
        status = check_flow(sim, state->flow);
    if (status == SCREE_OK)
        status = check_contacts(sim, state);
    if (status == SCREE_OK)
        status = bonds_check_state(sim, state->bonds);
    return status == SCREE_OK ? scree_watch_own("sim", 0, 1) : status;  // the last moment to stop: what follows changes the simulation
}

// The values of a column to where their spheres stand.
static void put(scree_sim* sim, const scree_sim_state* state, const char* name)
{
    const char* data = data_of(state, name);
    if (data == NULL)
        return;
    const sim_column* column = sim_find_column(sim, name);
    char* rows = sim_items(sim, column->at) + column->first;
    size_t width = sim_column_width(sim, column), step = sim_step_of(sim, column->at, column->bytes, column->rows);
    for (int32_t i = 0; i < sim->n; ++i)
        memcpy(rows + (size_t)i * step, data + (size_t)sim_row(sim, i) * width, width);
}

// What was added up, and what the next step begins with.
static void take_account(scree_sim* sim, const scree_sim_state* state)
{
    if (state->account != NULL)
        memcpy(sim->account, state->account, sizeof sim->account);
    else
        memset(sim->account, 0, sim_accounts * sizeof *sim->account);
}

// External forces and torques that the state has.
static unsigned external_traits(const scree_sim* sim, const scree_sim_state* state)
{
    return (data_of(state, "force") != NULL ? SIM_FORCES : 0u) | (data_of(state, "own_force") != NULL ? SIM_OWN_FORCES : 0u) |
           (sim->law.turns && data_of(state, "external_torque") != NULL ? SIM_TORQUES : 0u) | (sim->law.turns && data_of(state, "own_torque") != NULL ? SIM_OWN_TORQUES : 0u);
}

// Forces or torques of single spheres that it does not have: they were not set there.
static unsigned external_gone(const scree_sim* sim, const scree_sim_state* state)
{
    return sim->traits & ((data_of(state, "force") != NULL && data_of(state, "own_force") == NULL ? SIM_OWN_FORCES : 0u) |
                          (data_of(state, "external_torque") != NULL && data_of(state, "own_torque") == NULL ? SIM_OWN_TORQUES : 0u));
}

// Forces, torques and fixed spheres may have been added during the run: then memory for them is reserved. `made`: traits that are new. MEMORY
static scree_status make_room(scree_sim* sim, const scree_sim_state* state, unsigned* made)
{
    unsigned before = sim->traits;
    sim->traits |= external_traits(sim, state);
    *made = sim->traits & ~before;
    scree_status status = sim_arrays_make(sim);
    if (status == SCREE_OK && data_of(state, "flags") != NULL && sim->flags == NULL) {
        status = groups_need_flags(sim);
        *made |= SIM_FLAGS;
    }
    return status;
}

// The loads of the state, in place of those that it has: what is checked next depends on where walls are. `kept` are those that it had. ARGUMENT, MEMORY: it has them still.
static scree_status take_loads(scree_sim* sim, const scree_sim_state* state, sim_loads* kept)
{
    scree_status status = loads_check_words(sim, state->load_count, state->loads, state->step);
    *kept = sim->loads;
    if (status != SCREE_OK || state->loads == NULL)
        return status;
    sim->loads = (sim_loads){0};
    status = loads_take_words(sim, state->load_count, state->loads);
    if (status != SCREE_OK) {
        loads_close(&sim->loads);
        sim->loads = *kept;
    }
    return status;
}

// The length of the steps of the state; `kept` is that which it had.
static scree_status take_length(scree_sim* sim, const scree_sim_state* state, double* kept)
{
    *kept = sim->numbers.time_step;
    if (state->time_step == 0.0 || state->time_step == *kept)
        return SCREE_OK;
    scree_status status = sim_check_step(sim, state->time_step);
    if (status == SCREE_OK)
        sim_take_step(sim, state->time_step);
    return status;
}

// Before anything is known of the state. loads: those that it had; NULL: it has them still.
static void give_back(scree_sim* sim, double length, unsigned made, const sim_loads* loads)
{
    sim_arrays_drop(sim, made);
    if (loads != NULL) {
        loads_close(&sim->loads);
        sim->loads = *loads;
    }
    if (length != sim->numbers.time_step)
        sim_take_step(sim, length);
}

scree_status sim_take_state(scree_sim* sim, const scree_sim_state* state, bool here)
{
    unsigned made = 0;
    double length;
    sim_loads kept = sim->loads;
    cell_kept cell;
    scree_status status = sim_device_leave(sim);
    if (status != SCREE_OK)
        return status;
    status = take_length(sim, state, &length);
    if (status == SCREE_OK)
        status = make_room(sim, state, &made);
    if (status == SCREE_OK)
        status = take_loads(sim, state, &kept);
    bool loaded = status == SCREE_OK && state->loads != NULL;
    if (status == SCREE_OK)
        status = cell_state_take(sim, state, &cell);  // places are looked at in the cell of the state
    if (status != SCREE_OK) {
        give_back(sim, length, made, loaded ? &kept : NULL);
        return status;
    }
    status = here ? SCREE_OK : check_all(sim, state);
    if (status == SCREE_OK)
        status = memory_take(sim, state->memory);
    if (status != SCREE_OK) {
        cell_state_undo(sim, &cell);
        give_back(sim, length, made, loaded ? &kept : NULL);
        return status;
    }
    if (state->loads != NULL)
        loads_close(&kept);
    if (data_of(state, "flags") != NULL)
        groups_set_flags(sim, data_of(state, "flags"));
    sim_motions_set(state, sim->boundaries);
    put(sim, state, "x");
    bonds_take(sim, state->bonds);
    put(sim, state, "v");
    put(sim, state, "w");
    put(sim, state, "force");
    put(sim, state, "external_torque");
    sim_arrays_drop(sim, external_gone(sim, state));
    put(sim, state, "own_force");
    put(sim, state, "own_torque");
    put(sim, state, "x_before");  // before the order: that wraps it with x
    double square = 0.0;
    for (int32_t i = 0; i < sim->n; ++i) {
        square = fmax(square, (sim_at(sim->v, i)[0] * sim_at(sim->v, i)[0] + sim_at(sim->v, i)[1] * sim_at(sim->v, i)[1]) + sim_at(sim->v, i)[2] * sim_at(sim->v, i)[2]);
        if (sim->before != NULL)
            sim->before[i][3] = sim->x[i][3];
    }
    sim->speed = sqrt(square);
    sim->step = state->step;
    sim->walls = state->walls;
    sim->flying = sim->failed = false;
    sim->crossings.count = sim->crossings.seen = 0;
    bool keyed = here || data_of(state, "key") != NULL, before = here || data_of(state, "x_before") != NULL;
    put(sim, state, "key");
    status = keyed ? sim_order_by_keys(sim) : sim_order_renew(sim);
    if (sim->loads.drag.on)
        loads_step(sim);
    if (status == SCREE_OK)
        status = sim_settle(sim, true, memory_begins(state->memory));
    if (status == SCREE_OK) {
        put(sim, state, "a");
        put(sim, state, "angular_acceleration");
        take_account(sim, state);
        if (state->loads != NULL)
            for (int k = 0; k < 2 && state->load_count > 0; ++k)
                sim->loads.next[k] = state->loads[2 * k + 1];
        cell_state_sums(sim, state->cell);
        bonds_take_sums(sim, state->bonds);
        int64_t next = sim->n > 0 ? sim_id_of(sim, sim->n - 1) + 1 : 0;
        sim->flow = state->flow != NULL ? *state->flow : (scree_sim_flow){.next_id = next};
    }
    if (status == SCREE_OK && !before)
        sim_set_before(sim);
    sim->failed = status != SCREE_OK;
    return status;
}

// ---- A state for those who keep the spheres (runner.h) -----------------------------------------------------------------

// What needs all spheres at once is for sim_take_state.
static bool can_be_taken_there(const scree_sim* sim, const scree_sim_state* state)
{
    bool remembers = sim->law.row.words > 0 && state->memory != NULL && state->memory->count > 0;
    bool bonded = sim->numbers.bond_count > 0;  // which names images too
    return (!bonded || (state->bonds != NULL && !bonds_are_new(state->bonds) && data_of(state, "key") != NULL)) &&
           data_of(state, "x") != NULL && data_of(state, "v") != NULL &&
           (!remembers || (data_of(state, "key") != NULL && data_of(state, "radius") != NULL));  // contacts name images of spheres that are not wrapped again
}

// Columns that the state has and the simulation has not, as make_room adds them.
static unsigned traits_missing(const scree_sim* sim, const scree_sim_state* state)
{
    unsigned wanted = external_traits(sim, state) | (data_of(state, "flags") != NULL ? SIM_FLAGS : 0u);
    return wanted & ~sim->traits;
}

static bool is_inverse(const sim_column* column)
{
    return strncmp(column->shown.name, "inverse_", strlen("inverse_")) == 0;
}

// Of spheres that are fixed, in the state or now, an inverse mass or moment of inertia: 0 in the state, or what the sphere was made with, of which its owner knows.
static bool fits_flags(const char* given, const char* now, const uint8_t* flags, int64_t row)
{
    double inverse, is;
    memcpy(&inverse, given, sizeof inverse);
    memcpy(&is, now, sizeof is);
    return is_fixed(flags, row) ? inverse == 0.0 : is == 0.0 ? inverse > 0.0 : inverse == is;
}

// check_given, of rows that come in slices. *same: else check_given has something to say.
static scree_status compare_given(scree_sim* sim, const scree_sim_state* state, bool* same)
{
    enum { rows_most = 1 << 16, widest = 8 };
    const uint8_t* flags = data_of(state, "flags");
    char* rows = scree_malloc(rows_most, widest);
    scree_status status = rows == NULL ? SCREE_ERR_MEMORY : SCREE_OK;
    *same = true;
    for (int32_t c = 0; c < state->column_count && status == SCREE_OK; ++c) {
        const sim_column* column = sim_find_column(sim, state->columns[c].name);
        const scree_sim_values one = {.name = state->columns[c].name, .data = rows};
        size_t width = sim_column_width(sim, column);
        if ((column->shown.uses & SCREE_USE_GIVEN) == 0)
            continue;
        for (int64_t first = 0; first < sim->n && *same && status == SCREE_OK; first += rows_most) {
            int64_t count = sim->n - first < rows_most ? sim->n - first : rows_most;
            status = scree_sim_get_rows(sim, first, count, 1, &one);
            const char* given = (const char*)state->columns[c].data + (size_t)first * width;
            *same = status == SCREE_OK;
            if (flags == NULL || !is_inverse(column))
                *same = *same && memcmp(rows, given, (size_t)count * width) == 0;
            else
                for (int64_t i = 0; i < count && *same; ++i)
                    *same = fits_flags(given + (size_t)i * width, rows + (size_t)i * width, flags, first + i);
        }
    }
    scree_free(rows);
    return status;
}

// Columns of a state, by their place in sim_columns.
typedef struct given_columns {
    const scree_sim* sim;
    const char* data[sim_column_count];
    size_t width[sim_column_count];
} given_columns;

static void give_row(void* context, int64_t columns, int64_t id, char* values)
{
    const given_columns* from = context;
    const size_t row = (size_t)sim_row_of(from->sim, id);
    for (int c = 0; c < sim_column_count; ++c)
        if ((columns >> c & 1) != 0) {
            memcpy(values, from->data[c] + row * from->width[c], from->width[c]);
            values += from->width[c];
        }
}

// What is not by sphere is taken here, as sim_take_state does; the columns go to who keeps the spheres.
// `made`: traits that are new.
static scree_status take_there(scree_sim* sim, const scree_sim_state* state, unsigned made)
{
    sim_loads kept = sim->loads;
    double length;
    scree_status status = take_length(sim, state, &length);
    if (status == SCREE_OK)
        status = take_loads(sim, state, &kept);
    const bool loaded = status == SCREE_OK && state->loads != NULL;
    cell_kept cell;
    const bool celled = status == SCREE_OK && (status = cell_state_take(sim, state, &cell)) == SCREE_OK;  // places are looked at in the cell of the state
    if (status == SCREE_OK)
        status = check_all(sim, state);
    if (status != SCREE_OK) {
        if (celled)
            cell_state_undo(sim, &cell);
        give_back(sim, length, made, loaded ? &kept : NULL);
        return status;
    }
    if (loaded)
        loads_close(&kept);
    sim_arrays_drop(sim, external_gone(sim, state));
    static const char* const first[] = {"x", "v", "w", "force", "external_torque", "own_force", "own_torque", "x_before", "key", "flags"};
    static const char* const results[] = {"a", "angular_acceleration"};
    rows_state rows = {.count = sim->n > 0 ? sim_id_of(sim, sim->n - 1) + 1 : 0,
                       .keyed = data_of(state, "key") != NULL,
                       .before = data_of(state, "x_before") != NULL,
                       .memory = state->memory,
                       .remembers = !memory_begins(state->memory),
                       .bonds = state->bonds,
                       .x = data_of(state, "x")};
    given_columns from = {.sim = sim};
    for (int c = 0; c < sim_column_count; ++c) {
        from.data[c] = sim_find_column(sim, sim_columns[c].shown.name) != NULL ? data_of(state, sim_columns[c].shown.name) : NULL;
        from.width[c] = sim_column_width(sim, &sim_columns[c]);
        for (size_t k = 0; k < sizeof first / sizeof *first && from.data[c] != NULL; ++k)
            rows.columns |= strcmp(sim_columns[c].shown.name, first[k]) == 0 ? (int64_t)1 << c : 0;
        for (size_t k = 0; k < sizeof results / sizeof *results && from.data[c] != NULL; ++k)
            rows.results |= strcmp(sim_columns[c].shown.name, results[k]) == 0 ? (int64_t)1 << c : 0;
    }
    const double* v = data_of(state, "v");
    double square = 0.0;
    for (int64_t i = 0; i < sim->n; ++i) {
        double one = 0.0;
        for (int k = 0; k < sim->dim; ++k)
            one += v[i * sim->dim + k] * v[i * sim->dim + k];
        square = fmax(square, one);
    }
    const uint8_t* flags = data_of(state, "flags");
    for (int64_t i = 0; i < sim->n && flags != NULL; ++i) {
        sim->numbers.fixed = i == 0 ? 0 : sim->numbers.fixed;
        sim->numbers.fixed += is_fixed(flags, i);
    }
    sim_motions_set(state, sim->boundaries);
    sim->speed = sqrt(square);
    sim->step = state->step;
    sim->walls = state->walls;
    sim->crossings.count = sim->crossings.seen = 0;
    sim->flow = state->flow != NULL ? *state->flow : (scree_sim_flow){.next_id = rows.count};
    take_account(sim, state);
    bonds_take_sums(sim, state->bonds);
    return sim->keeper->take(sim->kept_by, &rows, give_row, &from);
}

static scree_status set_state(scree_sim* sim, const scree_sim_state* state)
{
    if (sim->hollow && (sim->failed || sim->flying))
        return sim_say_hollow(sim);
    const unsigned made = sim->hollow ? traits_missing(sim, state) : 0u;
    sim->traits |= made;
    scree_status status = sim->hollow ? check_columns(sim, state) : SCREE_OK;
    bool there = status == SCREE_OK && sim->hollow && sim_check_known(sim) == SCREE_OK && can_be_taken_there(sim, state), same = false;
    if (there) {
        status = compare_given(sim, state, &same);
        if (status == SCREE_OK && same)
            return take_there(sim, state, made);
    }
    sim->traits &= ~made;
    if (status == SCREE_OK && sim->hollow)
        status = sim_check_seen(sim);
    return status == SCREE_OK ? sim_take_state(sim, state, false) : status;
}

scree_status scree_sim_set_state(scree_sim* sim, const scree_sim_state* state)
{
    SCREE_NEED(sim);
    SCREE_NEED(state);
    if (state->column_count > 0)
        SCREE_NEED_AS(state->columns, "columns");
    const bool lost = sim->failed || sim->flying || sim->crossings.seen > 0 || (sim->hollow && sim->keeper == NULL);
    const double* x = data_of(state, "x");
    const bool remember = state->memory == NULL && sim->law.row.words > 0 && !lost && x != NULL;
    const bool bonded = state->bonds == NULL && sim->numbers.bond_count > 0 && !lost && x != NULL;
    memory_copy kept = {.ij = NULL};  // what contacts remember now
    bonds_kept bonds = {.ij = NULL};
    scree_sim_state with = *state;
    scree_status status = remember ? memory_copy_make(sim, x, &kept) : SCREE_OK;
    if (status == SCREE_OK && bonded)
        status = bonds_kept_make(sim, x, &bonds);
    if (remember)
        with.memory = &kept.memory;
    if (bonded)
        with.bonds = &bonds.bonds;
    if (status == SCREE_OK)
        status = set_state(sim, &with);
    memory_copy_free(&kept);
    bonds_kept_free(&bonds);
    return status;
}

// Each number is mixed with its place, and the mixes are added: so the order of memory does not matter and no scratch is needed.
static uint64_t mix(double value, int64_t id, int k)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    uint64_t h = bits ^ ((uint64_t)id * 6 + (uint64_t)k + 1) * 0x9E3779B97F4A7C15u;
    h = (h ^ h >> 30) * 0xBF58476D1CE4E5B9u;
    h = (h ^ h >> 27) * 0x94D049BB133111EBu;
    return h ^ h >> 31;
}

// Of the column of this number among those that are hashed: x, v, spin.
static uint64_t mix_column(double value, int64_t id, int number, int k)
{
    return number < 2 ? mix(value, id, 3 * number + k) : mix(value, id + ((int64_t)number << 40), k);
}

int64_t sim_name_of(int64_t j, int32_t feature)
{
    return feature < 0 ? j : j - (((int64_t)feature + 1) << 31);
}

uint64_t sim_mix_contact(int64_t i, int64_t j, const int8_t* shift, const double* values, int words)
{
    uint64_t name = (uint64_t)i * 0x9E3779B97F4A7C15u + (uint64_t)j, sum = 0;
    for (int k = 0; k < 3 && shift != NULL; ++k)
        name = name * 0xBF58476D1CE4E5B9u + (uint64_t)(int64_t)shift[k];
    for (int w = 0; w < words; ++w)
        sum += mix(values[w], (int64_t)(name >> 8), w);
    return sum;
}

// Of a part: of those that it owns, and of contacts that count here.
static uint64_t hash_spheres(const scree_sim* sim)
{
    uint64_t sum = 0;
    int number = 0;
    for (int c = 0; c < sim_column_count; ++c) {
        const sim_column* column = &sim_columns[c];
        if ((column->shown.uses & SCREE_USE_HASHED) == 0 || sim_items(sim, column->at) == NULL)
            continue;
        const char* rows = sim_items(sim, column->at) + column->first;
        int wide = sim_components(sim, column);
        size_t step = sim_step_of(sim, column->at, column->bytes, column->rows);
        for (int32_t i = 0; i < sim->n; ++i)
            for (int k = 0; k < wide && (sim->ghost == NULL || sim->ghost[i] == 0); ++k) {
                double value;
                memcpy(&value, rows + (size_t)i * step + (size_t)k * sizeof value, sizeof value);
                sum += mix_column(value, sim->id[i], number, k);
            }
        ++number;
    }
    return sum + memory_hash(sim);
}

// In halves, whose sums stay within the integers.
static scree_status look_hash(const scree_sim* sim, const sim_look* look)
{
    uint64_t sum = hash_spheres(sim);
    look->counts[0] = (int64_t)(sum & 0xffffffffu);
    look->counts[1] = (int64_t)(sum >> 32);
    return SCREE_OK;
}

const look_row sim_look_hash = {.look = look_hash, .counts = 2};

uint64_t scree_sim_hash(const scree_sim* sim)
{
    SCREE_NEED_OR(sim, 0);
    if (sim->device != NULL && !sim->failed && !sim->flying && (sim->law.row.words > 0 ? sim_check_looked(sim) : sim_check_seen(sim)) != SCREE_OK)
        return 0;
    uint64_t sum = (uint64_t)sim->step * 0x9E3779B97F4A7C15u;
    sim_look look;
    if (!sim->hollow)
        return sum + hash_spheres(sim) + bonds_own_hash(sim);
    if (sim->failed || sim->flying)
        return sum;
    if (sim_look_at((scree_sim*)(uintptr_t)sim, LOOK_HASH, NULL, &look) != SCREE_OK)
        return 0;
    sum += (uint64_t)look.counts[0] + ((uint64_t)look.counts[1] << 32);
    sim_look_free(&look);
    enum { some = 1 << 19 };
    for (int64_t first = 0, all; first < sim->numbers.bond_count; first += some) {
        scree_sim_bonds bonds;
        if (scree_sim_get_bond_rows((scree_sim*)(uintptr_t)sim, first, some, &bonds, &all) != SCREE_OK)
            return 0;
        sum += bonds_hash(&bonds);
    }
    return sum;
}

uint64_t scree_sim_state_hash(const scree_sim_state* state, int32_t count, int32_t dim)
{
    SCREE_NEED_OR(state, 0);
    if (state->column_count > 0)
        SCREE_NEED_OR(state->columns, 0);
    const double *x = data_of(state, "x"), *v = data_of(state, "v");
    if (count > 0 && (x == NULL || v == NULL)) {
        scree_fail(SCREE_ERR_ARGUMENT, "sim: the hash of a state without column x or v; expected both");
        return 0;
    }
    uint64_t sum = (uint64_t)state->step * 0x9E3779B97F4A7C15u;
    const int64_t* id = state->flow != NULL ? data_of(state, "id") : NULL;
    for (int32_t i = 0; i < count; ++i)
        for (int k = 0; k < dim; ++k)
            sum += mix_column(x[(int64_t)i * dim + k], id != NULL ? id[i] : i, 0, k) + mix_column(v[(int64_t)i * dim + k], id != NULL ? id[i] : i, 1, k);
    const double* w = data_of(state, "w");
    for (int32_t i = 0; i < count && w != NULL; ++i)
        for (int k = 0; k < 3; ++k)
            sum += mix_column(w[3 * (int64_t)i + k], id != NULL ? id[i] : i, 2, k);
    for (int64_t c = 0; state->memory != NULL && c < state->memory->count; ++c)
        sum += sim_mix_contact(state->memory->ij[c][0], sim_name_of(state->memory->ij[c][1], state->memory->feature != NULL ? state->memory->feature[c] : -1), state->memory->shift != NULL ? state->memory->shift[c] : NULL,
                               state->memory->values + c * state->memory->words, state->memory->words);
    return state->bonds != NULL ? sum + bonds_hash(state->bonds) : sum;
}
