// From what a user says to what the step needs: stiffness, damping, the time step.
//
// A central impact of two bodies at one point is half a swing of a damped spring with the reduced mass mu (src/sim/spring.h). Off centre a
// body also turns, which makes it easier to push: 1/m + (r x n)^2 / I in place of 1/m, at most 1/m + R^2 / I with R its outermost vertex. The
// shortest contact of all is that of the two easiest to push; the step is taken from it. Several contacts at once (two vertices on an edge) are
// shorter still, by the root of their number: a fiftieth leaves room for that.
//
// Friction adds a spring across the normal. On the polygon's own vertex the two directions share what they turn, 1/m + R^2 / I in all, so that a tangential spring up to
// the normal one changes nothing. A disc is turned by friction alone: 1/m + R^2 / I against the tangential spring, 1/m against the normal one.
#include "polygon/polygon_inner.h"
#include "sim/spring.h"

#include <inttypes.h>

static const double pi = 3.14159265358979323846;

static scree_status check(const scree_polygon_sim_def* def, const spring_given* given)
{
    if ((def->stiffness != 0.0) == (def->contact_duration != 0.0))
        return scree_fail(SCREE_ERR_ARGUMENT, "polygons: %s of stiffness and contact duration are given; exactly one was expected",
                          def->stiffness != 0.0 ? "both" : "none");
    return spring_check(given);
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

// How easily the body gives way in a contact whose tangential spring or dashpot is this share of the normal one.
static double ease(const body* b, double tangential)
{
    double turning = b->inverse_mass + b->radius * b->radius * b->inverse_inertia;
    return b->tree != NULL ? turning * fmax(1.0, tangential) : fmax(b->inverse_mass, turning * tangential);
}

scree_status polygon_find_numbers(scree_polygon_sim* sim)
{
    const scree_polygon_sim_def* def = &sim->def;
    const spring_given given = {.whose = "polygons",
                                .material_density = def->material_density,
                                .stiffness = def->stiffness,
                                .contact_duration = def->contact_duration,
                                .damping = def->damping,
                                .restitution = def->restitution,
                                .step = def->step};
    scree_status status = check(def, &given);
    if (status != SCREE_OK)
        return status;
    scree_polygon_sim_numbers m = {.mass_least = INFINITY, .radius_least = INFINITY, .restitution_least = 1.0, .restitution_most = 1.0};
    two light = {.number = {-1, -1}}, easy = {.number = {-1, -1}}, slow = {.number = {-1, -1}};
    bool rubs = def->friction > 0.0;
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
        if (!spring_is_above(b->mass) || !spring_is_above(b->inertia) || !spring_is_above(b->inverse_mass) || !spring_is_above(b->inverse_inertia))
            return scree_fail(SCREE_ERR_ARGUMENT, "body %" PRId32 ": mass %g and inertia %g cannot be moved", i, b->mass, b->inertia);
        ++m.free;
        m.mass_sum += b->mass;
        m.mass_least = fmin(m.mass_least, b->mass);
        m.mass_most = fmax(m.mass_most, b->mass);
        m.radius_least = fmin(m.radius_least, b->radius);
        m.radius_most = fmax(m.radius_most, b->radius);
        radii += b->radius;
        take(&light, b->inverse_mass, i);
        take(&easy, ease(b, rubs ? def->tangential_stiffness : 0.0), i);
        take(&slow, ease(b, rubs ? def->tangential_damping : 0.0), i);
    }
    if (m.free == 0)
        m.mass_least = m.radius_least = 0.0;
    sim->mean_radius = m.free > 0 ? radii / m.free : 1.0;
    double mu_light = m.free > 0 ? 1.0 / (light.value[0] + light.value[1]) : 1.0, mu_easy = m.free > 0 ? 1.0 / (easy.value[0] + easy.value[1]) : 1.0;
    double mu_slow = m.free > 0 ? 1.0 / (slow.value[0] + slow.value[1]) : 1.0;
    sim_law* law = &sim->law;
    double k = spring_stiffness(&given, mu_light);
    if (!spring_is_above(k))
        return scree_fail(SCREE_ERR_ARGUMENT, "polygons: the stiffness comes out as %g; other masses or durations are needed", k);
    *law = (sim_law){.kind = LAW_linear, .row = law_row_of(LAW_linear), .materials = 1, .one = spring_pair(k, def->damping, def->restitution)};
    const law_pair* with = &law->one;
    law->per_pair = with->c > 0.0;
    law->damped = law->per_pair || with->g > 0.0;
    sim->friction = (friction_law){.mu = def->friction,
                                   .mu_sliding = def->friction_dynamic > 0.0 ? def->friction_dynamic : def->friction,
                                   .k = def->tangential_stiffness * with->k,
                                   .damping = def->tangential_damping};
    m.stiffness = with->k;
    contact_time impact = law->row.time(law, with, mu_light);
    m.impact_duration = impact.duration;
    m.restitution_least = impact.restitution;
    m.restitution_most = law->row.time(law, with, m.free > 0 ? m.mass_most : 1.0).restitution;
    // Strong damping decays faster than the spring swings: the step must resolve that.
    double decay = law->damped ? pi * mu_slow / law_dashpot(law, with, 1.0 / mu_light) : INFINITY;
    m.contact_duration = fmin(pi * sqrt(mu_easy / with->k), decay);
    m.shortest[0] = easy.number[0];
    m.shortest[1] = easy.number[1];
    m.pieces = sim->piece_count;
    status = spring_step(&given, m.contact_duration, &m.longest_step, &m.step);
    sim->numbers = m;
    if (status == SCREE_OK && m.step > m.longest_step && m.free > 0)
        return scree_fail(SCREE_ERR_ARGUMENT,
                          "polygons: a time step of %g is too large: bodies %" PRId32 " and %" PRId32 " (-1: a wall) can touch for %g only; at most a "
                          "tenth of that, %g, is accepted, and a fiftieth is usual",
                          m.step, m.shortest[0], m.shortest[1], m.contact_duration, m.longest_step);
    return status;
}
