// The whole state as arrays by id, for checkpoints and for whoever computes elsewhere; and its hash.
#include "sim/sim_inner.h"

#include "base/argument.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static scree_status check_integrator(const scree_sim* sim, const scree_sim_state* state)
{
    if (state->x_before != NULL && sim->before == NULL)
        return scree_fail(SCREE_ERR_ARGUMENT, "sim: x_before belongs to position-verlet; this simulation goes by velocity-verlet");
    return SCREE_OK;
}

scree_status scree_sim_get_state(const scree_sim* sim, scree_sim_state* out)
{
    SCREE_NEED(sim);
    SCREE_NEED(out);
    scree_status status = sim_check_still(sim);
    if (status == SCREE_OK)
        status = check_integrator(sim, out);
    if (status != SCREE_OK)
        return status;
    out->step = sim->step;
    out->walls = sim->walls;
    for (int32_t i = 0; i < sim->n; ++i) {
        int64_t e = (int64_t)sim->id[i] * sim->dim;
        for (int k = 0; k < sim->dim; ++k) {
            if (out->x != NULL)
                out->x[e + k] = sim->x[i][k];
            if (out->v != NULL)
                out->v[e + k] = sim->v[i][k];
            if (out->a != NULL)
                out->a[e + k] = sim->next[i][k];
            if (out->x_before != NULL)
                out->x_before[e + k] = sim->before[i][k];
        }
        if (out->order != NULL)
            out->order[i] = sim->id[i];
    }
    return SCREE_OK;
}

static scree_status check_state(const scree_sim* sim, const scree_sim_state* state)
{
    if (state->step < 0 || state->walls.since > state->step || state->walls.gravity_since > state->step)
        return scree_fail(SCREE_ERR_ARGUMENT, "sim: a state of step %" PRId64 " with walls of step %" PRId64 " and gravity of step %" PRId64,
                          state->step, state->walls.since, state->walls.gravity_since);
    scree_status status =
        sim_check_motion(&sim->def.box, state->walls.gravity, state->walls.turn, (const double(*)[2])state->walls.velocity);
    if (status != SCREE_OK)
        return status;
    for (int face = 0; face < 2 * sim->dim; ++face)
        if (sim_has_wall(&sim->def.box, face) && !(fabs(state->walls.at[face / 2][face % 2]) <= SCREE_LENGTH_MAX))
            return scree_fail(SCREE_ERR_ARGUMENT, "sim: a state whose %s wall of axis %c is at %g cannot be", face & 1 ? "upper" : "lower",
                              "xyz"[face / 2], state->walls.at[face / 2][face % 2]);
    for (int64_t e = 0; e < (int64_t)sim->n * sim->dim; ++e) {
        if (state->x_before != NULL && !(fabs(state->x_before[e]) <= SCREE_LENGTH_MAX))
            return scree_fail(SCREE_ERR_ARGUMENT, "sphere %" PRId64 ": x_before %g along %c is not a coordinate", e / sim->dim, state->x_before[e],
                              "xyz"[e % sim->dim]);
        if (!(fabs(state->x[e]) <= SCREE_LENGTH_MAX) || !(fabs(state->v[e]) <= SCREE_LENGTH_MAX) ||
            (state->a != NULL && !(fabs(state->a[e]) <= 1e300)))
            return scree_fail(SCREE_ERR_ARGUMENT, "sphere %" PRId64 ": a state with place %g, velocity %g and acceleration %g along %c cannot be",
                              e / sim->dim, state->x[e], state->v[e], state->a != NULL ? state->a[e] : 0.0, "xyz"[e % sim->dim]);
        if (sim->length[e % sim->dim] > 0.0 && fabs(state->x[e]) > 16.0 * sim->length[e % sim->dim] + fabs(sim->def.box.lower[e % sim->dim]))
            return scree_fail(SCREE_ERR_ARGUMENT, "sphere %" PRId64 ": %c = %g is too many boxes of %g away", e / sim->dim, "xyz"[e % sim->dim],
                              state->x[e], sim->length[e % sim->dim]);
    }
    return SCREE_OK;
}

// Whether `order` names every sphere once; `seen` has room for all.
static bool is_order(const int32_t* order, int32_t n, int32_t* seen)
{
    memset(seen, 0, (size_t)n * sizeof *seen);
    for (int32_t rank = 0; rank < n; ++rank) {
        if (order[rank] < 0 || order[rank] >= n || seen[order[rank]] != 0)
            return false;
        seen[order[rank]] = 1;
    }
    return true;
}

static scree_status check_inside(const scree_sim* sim, const scree_sim_state* state)
{
    for (int32_t i = 0; i < sim->n; ++i)
        for (int face = 0; face < 2 * sim->dim; ++face) {
            double at = state->walls.at[face / 2][face % 2] +
                        state->walls.velocity[face / 2][face % 2] * ((double)(state->step - state->walls.since) * sim->numbers.step);
            double x = state->x[(int64_t)i * sim->dim + face / 2];
            if (sim_has_wall(&sim->def.box, face) && (face & 1 ? x > at : x < at))
                return scree_fail(SCREE_ERR_ARGUMENT, "sphere %" PRId32 ": %c = %g lies beyond the wall at %g", i, "xyz"[face / 2], x, at);
        }
    return SCREE_OK;
}

scree_status scree_sim_set_state(scree_sim* sim, const scree_sim_state* state)
{
    SCREE_NEED(sim);
    SCREE_NEED(state);
    scree_status status = check_integrator(sim, state);
    if (status == SCREE_OK)
        status = check_state(sim, state);
    if (status == SCREE_OK)
        status = check_inside(sim, state);
    if (status != SCREE_OK)
        return status;
    if (state->order != NULL && !is_order(state->order, sim->n, sim->rank_of))
        return scree_fail(SCREE_ERR_ARGUMENT, "sim: the order of the state does not name every sphere once");
    // Radii and masses by id, before the order changes.
    for (int32_t i = 0; i < sim->n; ++i) {
        sim->next[sim->id[i]][0] = sim->x[i][3];
        sim->next[sim->id[i]][1] = sim->v[i][3];
    }
    double square = 0.0;
    for (int32_t rank = 0; rank < sim->n; ++rank) {
        int32_t id = state->order != NULL ? state->order[rank] : rank;
        sim->id[rank] = id;
        for (int k = 0; k < sim->dim; ++k) {
            sim->x[rank][k] = state->x[(int64_t)id * sim->dim + k];
            sim->v[rank][k] = state->v[(int64_t)id * sim->dim + k];
        }
        sim->x[rank][3] = sim->next[id][0];
        sim->v[rank][3] = sim->next[id][1];
        if (state->x_before != NULL) {  // now, because a new order wraps it with x
            memcpy(sim->before[rank], state->x_before + (int64_t)id * sim->dim, (size_t)sim->dim * sizeof **sim->before);
            sim->before[rank][3] = sim->x[rank][3];
        }
        square = fmax(square, (sim->v[rank][0] * sim->v[rank][0] + sim->v[rank][1] * sim->v[rank][1]) + sim->v[rank][2] * sim->v[rank][2]);
    }
    sim->speed = sqrt(square);
    sim->step = state->step;
    sim->walls = state->walls;
    sim->flying = sim->failed = false;
    if (state->order == NULL)
        sim_order_renew(sim);
    status = sim_settle(sim, true);
    for (int32_t rank = 0; rank < sim->n && status == SCREE_OK && state->a != NULL; ++rank)
        for (int k = 0; k < sim->dim; ++k)
            sim->next[rank][k] = state->a[(int64_t)sim->id[rank] * sim->dim + k];
    if (status == SCREE_OK && state->x_before == NULL)
        sim_set_before(sim);
    sim->failed = status != SCREE_OK;
    return status;
}

// Each number is mixed with its place, and the mixes are added: so the order of memory does not matter and no scratch is needed.
static uint64_t mix(double value, int32_t id, int k)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    uint64_t h = bits ^ ((uint64_t)id * 6 + (uint64_t)k + 1) * 0x9E3779B97F4A7C15u;
    h = (h ^ h >> 30) * 0xBF58476D1CE4E5B9u;
    h = (h ^ h >> 27) * 0x94D049BB133111EBu;
    return h ^ h >> 31;
}

uint64_t scree_sim_hash(const scree_sim* sim)
{
    SCREE_NEED_OR(sim, 0);
    uint64_t sum = (uint64_t)sim->step * 0x9E3779B97F4A7C15u;
    for (int32_t i = 0; i < sim->n; ++i)
        for (int k = 0; k < sim->dim; ++k)
            sum += mix(sim->x[i][k], sim->id[i], k) + mix(sim->v[i][k], sim->id[i], 3 + k);
    return sum;
}

uint64_t scree_sim_state_hash(const scree_sim_state* state, int32_t count, int32_t dim)
{
    SCREE_NEED_OR(state, 0);
    SCREE_NEED_OR(state->x, 0);
    SCREE_NEED_OR(state->v, 0);
    uint64_t sum = (uint64_t)state->step * 0x9E3779B97F4A7C15u;
    for (int32_t i = 0; i < count; ++i)
        for (int k = 0; k < dim; ++k)
            sum += mix(state->x[(int64_t)i * dim + k], i, k) + mix(state->v[(int64_t)i * dim + k], i, 3 + k);
    return sum;
}
