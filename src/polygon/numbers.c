// From what a user says to what the step needs: stiffness, damping, the time step.
//
// A central impact of two bodies at one point is half a swing of a damped spring with the reduced mass mu (as in src/sim/numbers.c). Off centre a
// body also turns, which makes it easier to push: 1/m + (r x n)^2 / I in place of 1/m, at most 1/m + R^2 / I with R its outermost vertex. The
// shortest contact of all is that of the two easiest to push; the step is taken from it. Several contacts at once (two vertices on an edge) are
// shorter still, by the root of their number: a fiftieth leaves room for that.
#include "polygon/polygon_inner.h"

#include <float.h>
#include <inttypes.h>

static const double pi = 3.14159265358979323846;
static const double steps_usual = 50.0, steps_least = 10.0;

static bool is_above(double value)
{
    return value > 0.0 && value <= DBL_MAX;
}

static scree_status check(const scree_polygon_sim_def* def)
{
    if (!is_above(def->material_density))
        return scree_fail(SCREE_ERR_ARGUMENT, "polygons: a material density of %g; a number above 0 was expected", def->material_density);
    if ((def->stiffness != 0.0) == (def->contact_duration != 0.0))
        return scree_fail(SCREE_ERR_ARGUMENT, "polygons: %s of stiffness and contact duration are given; exactly one was expected",
                          def->stiffness != 0.0 ? "both" : "none");
    if (def->stiffness != 0.0 && !is_above(def->stiffness))
        return scree_fail(SCREE_ERR_ARGUMENT, "polygons: a stiffness of %g; a number above 0 was expected", def->stiffness);
    if (def->contact_duration != 0.0 && !is_above(def->contact_duration))
        return scree_fail(SCREE_ERR_ARGUMENT, "polygons: a contact duration of %g; a time above 0 was expected", def->contact_duration);
    if (!(def->damping >= 0.0 && def->damping <= DBL_MAX))
        return scree_fail(SCREE_ERR_ARGUMENT, "polygons: a damping of %g; 0 or more was expected", def->damping);
    if (!(def->restitution >= 0.0 && def->restitution <= 1.0))
        return scree_fail(SCREE_ERR_ARGUMENT, "polygons: a restitution of %g; above 0 and up to 1 was expected", def->restitution);
    if (def->restitution > 0.0 && def->damping > 0.0)
        return scree_fail(SCREE_ERR_ARGUMENT, "polygons: a damping of %g and a restitution of %g; one of them was expected", def->damping,
                          def->restitution);
    if (!(def->step >= 0.0 && def->step <= DBL_MAX))
        return scree_fail(SCREE_ERR_ARGUMENT, "polygons: a time step of %g; above 0, or 0 for automatic, was expected", def->step);
    return SCREE_OK;
}

typedef struct two {
    double value[2];   // the two largest
    int32_t number[2];
} two;

static void take(two* t, double value, int32_t number)
{
    if (value > t->value[0]) {
        t->value[1] = t->value[0];
        t->number[1] = t->number[0];
        t->value[0] = value;
        t->number[0] = number;
    } else if (value > t->value[1]) {
        t->value[1] = value;
        t->number[1] = number;
    }
}

scree_status polygon_find_numbers(scree_polygon_sim* sim)
{
    const scree_polygon_sim_def* def = &sim->def;
    scree_status status = check(def);
    if (status != SCREE_OK)
        return status;
    scree_polygon_sim_numbers m = {.mass_least = INFINITY, .radius_least = INFINITY, .restitution_least = 1.0, .restitution_most = 1.0};
    two light = {.number = {-1, -1}}, easy = {.number = {-1, -1}};
    double radii = 0.0;
    for (int32_t i = 0; i < sim->n; ++i) {
        const body* b = &sim->bodies[i];
        m.vertices += b->tree != NULL ? b->tree->n : 0;
        m.discs += b->tree == NULL;
        m.fixed += b->fixed;
        status = polygon_work(sim, 16, (double)i / sim->n);
        if (status != SCREE_OK)
            return status;
        if (b->fixed)
            continue;
        if (!is_above(b->mass) || !is_above(b->inertia) || !is_above(b->inverse_mass) || !is_above(b->inverse_inertia))
            return scree_fail(SCREE_ERR_ARGUMENT, "body %" PRId32 ": mass %g and inertia %g cannot be moved", i, b->mass, b->inertia);
        ++m.free;
        m.mass_sum += b->mass;
        m.mass_least = fmin(m.mass_least, b->mass);
        m.mass_most = fmax(m.mass_most, b->mass);
        m.radius_least = fmin(m.radius_least, b->radius);
        m.radius_most = fmax(m.radius_most, b->radius);
        radii += b->radius;
        take(&light, b->inverse_mass, i);
        take(&easy, b->inverse_mass + (b->tree != NULL ? b->radius * b->radius * b->inverse_inertia : 0.0), i);
    }
    if (m.free == 0)
        m.mass_least = m.radius_least = 0.0;
    sim->mean_radius = m.free > 0 ? radii / m.free : 1.0;
    double mu_light = m.free > 0 ? 1.0 / (light.value[0] + light.value[1]) : 1.0, mu_easy = m.free > 0 ? 1.0 / (easy.value[0] + easy.value[1]) : 1.0;
    sim_law* law = &sim->law;
    *law = (sim_law){.kind = LAW_linear, .row = law_row_of(LAW_linear), .materials = 1, .one = {.k = def->stiffness, .g = def->damping}};
    law_pair* with = &law->one;
    if (def->contact_duration > 0.0) {
        double swing = pi / def->contact_duration;
        double loss = def->restitution > 0.0 ? log(def->restitution) / def->contact_duration : def->damping / (2.0 * mu_light);
        with->k = mu_light * (swing * swing + loss * loss);
    }
    if (!is_above(with->k))
        return scree_fail(SCREE_ERR_ARGUMENT, "polygons: the stiffness comes out as %g; other masses or durations are needed", with->k);
    law->per_pair = def->restitution > 0.0 && def->restitution < 1.0;
    if (law->per_pair) {
        double loss = -log(def->restitution);
        with->c = 2.0 * loss / sqrt(pi * pi + loss * loss) * sqrt(with->k);
    }
    law->damped = law->per_pair || with->g > 0.0;
    m.stiffness = with->k;
    contact_time impact = law->row.time(law, with, mu_light);
    m.impact_duration = impact.duration;
    m.restitution_least = impact.restitution;
    m.restitution_most = law->row.time(law, with, m.free > 0 ? m.mass_most : 1.0).restitution;
    // Strong damping decays faster than the spring swings: the step must resolve that.
    double decay = law->damped ? pi * mu_easy / law_dashpot(law, with, 1.0 / mu_light) : INFINITY;
    m.contact_duration = fmin(pi * sqrt(mu_easy / with->k), decay);
    m.shortest[0] = easy.number[0];
    m.shortest[1] = easy.number[1];
    m.longest_step = m.contact_duration / steps_least;
    m.step = def->step > 0.0 ? def->step : m.contact_duration / steps_usual;
    m.pieces = sim->piece_count;
    sim->numbers = m;
    if (!is_above(m.step))
        return scree_fail(SCREE_ERR_ARGUMENT, "polygons: the time step comes out as %g", m.step);
    if (m.step > m.longest_step && m.free > 0)
        return scree_fail(SCREE_ERR_ARGUMENT,
                          "polygons: a time step of %g is too large: bodies %" PRId32 " and %" PRId32 " (-1: a wall) can touch for %g only; at most a "
                          "tenth of that, %g, is accepted, and a fiftieth is usual",
                          m.step, m.shortest[0], m.shortest[1], m.contact_duration, m.longest_step);
    return SCREE_OK;
}
