// The whole state as arrays by body, for checkpoints and other programs; and its hash.
#include "polygon/polygon_inner.h"

#include "base/argument.h"

#include <inttypes.h>
#include <string.h>

scree_status scree_polygon_sim_get_state(const scree_polygon_sim* sim, scree_polygon_sim_state* out)
{
    SCREE_NEED(sim);
    SCREE_NEED(out);
    scree_status status = polygon_check_still(sim);
    if (status != SCREE_OK)
        return status;
    out->step = sim->step;
    memcpy(out->gravity, sim->gravity, sizeof out->gravity);
    memcpy(out->account, sim->account, sizeof out->account);
    for (int64_t i = 0; i < sim->n; ++i) {
        const body* b = &sim->bodies[i];
        if (out->x != NULL)
            memcpy(out->x + 2 * i, b->x, sizeof b->x);
        if (out->angle != NULL)
            out->angle[i] = b->angle;
        if (out->v != NULL)
            memcpy(out->v + 2 * i, b->v, sizeof b->v);
        if (out->spin != NULL)
            out->spin[i] = b->spin;
        if (out->a != NULL) {
            memcpy(out->a + 3 * i, b->a, sizeof b->a);
            out->a[3 * i + 2] = b->spin_a;
        }
        for (int k = 0; k < 3 && out->anchor != NULL; ++k)
            out->anchor[3 * i + k] = b->fixed ? b->anchor[k] : 0.0;
        if (out->since != NULL)
            out->since[i] = b->fixed ? b->since : 0;
    }
    return SCREE_OK;
}

static scree_status check_state(scree_polygon_sim* sim, const scree_polygon_sim_state* s)
{
    const int64_t most = (int64_t)9e15;  // of which doubles hold every one, and to which steps can be added
    if (s->step < 0 || s->step > most || s->x == NULL || s->angle == NULL || s->v == NULL || s->spin == NULL)
        return scree_fail(SCREE_ERR_ARGUMENT, "polygons: state: step = %" PRId64 "; expected 0 to %" PRId64 ", and x, angle, v and spin", s->step, most);
    if ((s->anchor == NULL) != (s->since == NULL))
        return scree_fail(SCREE_ERR_ARGUMENT, "polygons: state: expected both anchor and since, or neither");
    for (int k = 0; k < 2; ++k)
        if (!(fabs(s->gravity[k]) <= SCREE_LENGTH_MAX))
            return scree_fail(SCREE_ERR_ARGUMENT, "polygons: state: gravity %c = %g is not finite; expected a number", "xy"[k], s->gravity[k]);
    for (int k = 0; k < SCREE_POLYGON_ACCOUNTS; ++k)
        if (!(fabs(s->account[k]) <= 1e300))
            return scree_fail(SCREE_ERR_ARGUMENT, "polygons: state: account[%d] = %g; expected a finite energy or power", k, s->account[k]);
    for (int64_t i = 0; i < sim->n; ++i) {
        const body* b = &sim->bodies[i];
        scree_status status = polygon_work(sim, vertex_units, (double)i / sim->n);
        if (status != SCREE_OK)
            return status;
        bool good = fabs(s->angle[i]) <= 1e15 && fabs(s->spin[i]) <= SCREE_LENGTH_MAX && (s->a == NULL || fabs(s->a[3 * i + 2]) <= 1e300);
        for (int k = 0; k < 2; ++k)
            good = good && fabs(s->x[2 * i + k]) <= SCREE_LENGTH_MAX && fabs(s->v[2 * i + k]) <= SCREE_LENGTH_MAX &&
                   (s->a == NULL || fabs(s->a[3 * i + k]) <= 1e300);
        for (int k = 0; k < 3 && s->anchor != NULL && b->fixed; ++k)
            good = good && fabs(s->anchor[3 * i + k]) <= (k < 2 ? SCREE_LENGTH_MAX : 1e15);
        if (!good)
            return scree_fail(SCREE_ERR_ARGUMENT, "body %" PRId64 ": state: position %g %g, angle %g, velocity %g %g, spin %g; expected finite numbers, also for acceleration and anchor", i,
                              s->x[2 * i], s->x[2 * i + 1], s->angle[i], s->v[2 * i], s->v[2 * i + 1], s->spin[i]);
        if (s->since != NULL && b->fixed && (s->since[i] < 0 || s->since[i] > s->step))
            return scree_fail(SCREE_ERR_ARGUMENT, "body %" PRId64 ": state of step %" PRId64 ": anchor of step %" PRId64 "; expected 0 to that step", i, s->step,
                              s->since[i]);
        for (int k = 0; k < 2 && !b->fixed; ++k) {
            const scree_box* box = &sim->def.box;
            double x = s->x[2 * i + k];
            if (sim->length[k] > 0.0 ? fabs(x - box->lower[k]) > 16.0 * sim->length[k] : x < box->lower[k] || x > box->upper[k])
                return scree_fail(SCREE_ERR_ARGUMENT, "body %" PRId64 ": %c = %g lies outside the box; expected from %g to %g", i, "xy"[k], x, box->lower[k],
                                  box->upper[k]);
        }
    }
    return polygon_memory_check(sim, s->memory);
}

// CANCELLED: some bodies have the new state, others the old one.
static scree_status take_state(scree_polygon_sim* sim, const scree_polygon_sim_state* s)
{
    if (s->memory == NULL)
        polygon_memory_move(sim, s->x);
    sim->step = s->step;
    sim->found = (scree_sim_overlaps){0};
    memcpy(sim->gravity, s->gravity, sizeof sim->gravity);
    for (int64_t i = 0; i < sim->n; ++i) {
        scree_status status = polygon_work(sim, vertex_units, (double)i / sim->n);
        if (status != SCREE_OK)
            return status;
        body* b = &sim->bodies[i];
        memcpy(b->x, s->x + 2 * i, sizeof b->x);
        memcpy(b->v, s->v + 2 * i, sizeof b->v);
        b->angle = s->angle[i];
        b->spin = s->spin[i];
        if (b->fixed) {
            for (int k = 0; k < 3; ++k)
                b->anchor[k] = s->anchor != NULL ? s->anchor[3 * i + k] : k < 2 ? b->x[k] : b->angle;
            b->since = s->since != NULL ? s->since[i] : s->step;
            polygon_fixed_at(sim, b, s->step);
        } else if (s->a != NULL) {
            memcpy(b->a, s->a + 3 * i, sizeof b->a);
            b->spin_a = s->a[3 * i + 2];
        }
    }
    memcpy(sim->account, s->account, sizeof sim->account);
    scree_status status = s->memory != NULL ? polygon_memory_take(sim, s->memory) : SCREE_OK;
    return status == SCREE_OK ? polygon_settle(sim, s->a != NULL) : status;
}

scree_status scree_polygon_sim_set_state(scree_polygon_sim* sim, const scree_polygon_sim_state* s)
{
    SCREE_NEED(sim);
    SCREE_NEED_AS(s, "state");
    scree_status status = polygon_check_idle(sim);
    if (status != SCREE_OK)
        return status;
    sim->watch.watch = &sim->def.watch;
    status = check_state(sim, s);
    if (status != SCREE_ERR_ARGUMENT) {
        if (status == SCREE_OK)
            status = take_state(sim, s);
        sim->failed = status != SCREE_OK;
    }
    sim->watch = (polygon_watch){0};
    return status != SCREE_ERR_CANCELLED ? status : scree_fail(status, "polygons: stopped on request while the state of step %" PRId64 " was set", s->step);
}

// Each number is mixed with its place, and the mixes are added.
static uint64_t mix(double value, int64_t i, int k)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    uint64_t h = bits ^ ((uint64_t)i * 6 + (uint64_t)k + 1) * 0x9E3779B97F4A7C15u;
    h = (h ^ h >> 30) * 0xBF58476D1CE4E5B9u;
    h = (h ^ h >> 27) * 0x94D049BB133111EBu;
    return h ^ h >> 31;
}

static uint64_t mix_body(int64_t i, const double x[2], double angle, const double v[2], double spin)
{
    return mix(x[0], i, 0) + mix(x[1], i, 1) + mix(angle, i, 2) + mix(v[0], i, 3) + mix(v[1], i, 4) + mix(spin, i, 5);
}

uint64_t scree_polygon_sim_hash(const scree_polygon_sim* sim)
{
    SCREE_NEED_OR(sim, 0);
    uint64_t sum = (uint64_t)sim->step * 0x9E3779B97F4A7C15u;
    for (int64_t i = 0; i < sim->n; ++i) {
        const body* b = &sim->bodies[i];
        sum += mix_body(i, b->x, b->angle, b->v, b->spin);
    }
    return sum + polygon_memory_hash(sim);
}

uint64_t scree_polygon_sim_state_hash(const scree_polygon_sim_state* s, int32_t count)
{
    SCREE_NEED_NAMED(s, "state", 0);
    SCREE_NEED_NAMED(s->x, "state->x", 0);
    SCREE_NEED_NAMED(s->angle, "state->angle", 0);
    SCREE_NEED_NAMED(s->v, "state->v", 0);
    SCREE_NEED_NAMED(s->spin, "state->spin", 0);
    uint64_t sum = (uint64_t)s->step * 0x9E3779B97F4A7C15u;
    for (int64_t i = 0; i < count; ++i)
        sum += mix_body(i, s->x + 2 * i, s->angle[i], s->v + 2 * i, s->spin[i]);
    return sum + polygon_memory_hash_of(s->memory);
}
