// From the def to the parameters of a step: stiffness, damping, the time step.
//
// A central impact of two bodies at one point is half a period of a damped spring with the reduced mass mu (src/sim/spring.h). Off centre a
// body also rotates, which makes it easier to push: 1/m + (r x n)^2 / I instead of 1/m, at most 1/m + R^2 / I with R its outermost vertex. The
// shortest contact is that of the two bodies that are easiest to push; the step follows from it. Several simultaneous contacts (two vertices on an edge) are
// shorter, by the square root of their number; a fiftieth of the shortest contact leaves a margin for that.
//
// Friction adds a spring across the normal. At a vertex of a polygon the two directions share the rotation, 1/m + R^2 / I in total, so a tangential spring up to
// the normal one changes nothing. A disc is rotated by friction alone: 1/m + R^2 / I for the tangential spring, 1/m for the normal one.
#include "polygon/polygon_inner.h"

#include "base/argument.h"
#include "base/pi.h"
#include "sim/spring.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

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

// ---- Materials -------------------------------------------------------------------------------------------------------------

static scree_status check_friction(const scree_polygon_pair* p, const char* whose)
{
    if (!(p->friction >= 0.0 && p->friction <= SCREE_LENGTH_MAX))
        return scree_fail(SCREE_ERR_ARGUMENT, "%s: friction = %g; expected a coefficient of 0 or more", whose, p->friction);
    if (!(p->friction_dynamic >= 0.0 && p->friction_dynamic <= p->friction))
        return scree_fail(SCREE_ERR_ARGUMENT, "%s: friction_dynamic = %g; expected a coefficient up to friction, %g, or 0 for the same", whose, p->friction_dynamic,
                          p->friction);
    if (!(p->tangential_stiffness >= 0.0 && p->tangential_stiffness <= SCREE_LENGTH_MAX))
        return scree_fail(SCREE_ERR_ARGUMENT, "%s: tangential_stiffness = %g; expected a multiple of the stiffness, 0 or more", whose, p->tangential_stiffness);
    if (!(p->tangential_damping >= 0.0 && p->tangential_damping <= SCREE_LENGTH_MAX))
        return scree_fail(SCREE_ERR_ARGUMENT, "%s: tangential_damping = %g; expected a multiple of the normal damping, 0 or more", whose, p->tangential_damping);
    return SCREE_OK;
}

// The struct may be that of an older header: it is as long as the first of them says.
static scree_polygon_pair pair_of(const scree_polygon_sim_def* def, int32_t a, int32_t b)
{
    scree_polygon_pair p = scree_default_polygon_pair();
    int64_t at = (int64_t)a * def->material_count + b;
    memcpy(&p, (const char*)def->pairs + (size_t)at * def->pairs->struct_size, def->pairs->struct_size);
    return p;
}

static scree_status check_pair(const scree_polygon_sim_def* def, int32_t a, int32_t b)
{
    scree_polygon_pair p = pair_of(def, a, b), q = pair_of(def, b, a);
    char whose[64];
    snprintf(whose, sizeof whose, "polygons: materials %" PRId32 " and %" PRId32, a, b);
    if (p.struct_size != def->pairs->struct_size || q.struct_size != def->pairs->struct_size)
        return scree_fail(SCREE_ERR_ARGUMENT, "%s: struct_size is %u and %u bytes; expected %u, that of the first pair", whose, (unsigned)p.struct_size, (unsigned)q.struct_size,
                          (unsigned)def->pairs->struct_size);
    const double here[] = {p.stiffness, p.damping, p.restitution, p.friction, p.friction_dynamic, p.tangential_stiffness, p.tangential_damping};
    const double there[] = {q.stiffness, q.damping, q.restitution, q.friction, q.friction_dynamic, q.tangential_stiffness, q.tangential_damping};
    static const char* const names[] = {"stiffness", "damping", "restitution", "friction", "friction_dynamic", "tangential_stiffness", "tangential_damping"};
    for (int k = 0; k < 7; ++k)
        if (here[k] != there[k])  // a NaN too
            return scree_fail(SCREE_ERR_ARGUMENT, "%s: %s = %g, and the other way round %g; expected the same number", whose, names[k], here[k], there[k]);
    const spring_given given = {.whose = whose, .material_density = 1.0, .stiffness = p.stiffness, .damping = p.damping, .restitution = p.restitution};
    scree_status status = spring_check(&given);
    return status == SCREE_OK ? check_friction(&p, whose) : status;
}

static scree_status check_pairs(const scree_polygon_sim_def* def)
{
    if (def->material_count < 0 || (def->material_count > 0) != (def->pairs != NULL))
        return scree_fail(SCREE_ERR_ARGUMENT, "polygons: material_count = %" PRId32 " and pairs %s NULL; expected materials and their pairs, or neither", def->material_count,
                          def->pairs != NULL ? "not" : "are");
    if (def->wall_material < 0 || def->wall_material >= (def->material_count > 0 ? def->material_count : 1))
        return scree_fail(SCREE_ERR_ARGUMENT, "polygons: wall_material = %" PRId32 "; expected less than %" PRId32 ", the number of materials", def->wall_material, def->material_count);
    if (def->pairs == NULL)
        return SCREE_OK;
    if (def->friction != 0.0 || def->friction_dynamic != 0.0)
        return scree_fail(SCREE_ERR_ARGUMENT, "polygons: friction = %g and friction_dynamic = %g; expected 0, because pairs of materials have their own", def->friction,
                          def->friction_dynamic);
    scree_status status = scree_check_struct_size("polygons: pairs", "scree_default_polygon_pair", def->pairs->struct_size, sizeof(scree_polygon_pair), sizeof(scree_polygon_pair));
    for (int32_t a = 0; a < def->material_count; ++a)
        for (int32_t b = a; b < def->material_count && status == SCREE_OK; ++b)
            status = check_pair(def, a, b);
    return status;
}

static scree_status check(const scree_polygon_sim_def* def, const spring_given* given)
{
    if ((def->stiffness != 0.0) == (def->contact_duration != 0.0))
        return scree_fail(SCREE_ERR_ARGUMENT, "polygons: %s of stiffness and contact duration are given; expected exactly one",
                          def->stiffness != 0.0 ? "both" : "none");
    scree_status status = spring_check(given);
    const scree_polygon_pair friction = {.friction = def->friction,
                                         .friction_dynamic = def->friction_dynamic,
                                         .tangential_stiffness = def->tangential_stiffness,
                                         .tangential_damping = def->tangential_damping};
    if (status == SCREE_OK)
        status = check_friction(&friction, "polygons");
    return status == SCREE_OK ? check_pairs(def) : status;
}

// The laws of all pairs. `k` is the stiffness of those that have none.
static scree_status make_pairs(scree_polygon_sim* sim, double k)
{
    const scree_polygon_sim_def* def = &sim->def;
    bool constant = false;
    sim->law = (sim_law){.row = {.name = "linear", .time = law_linear_time, .energy = law_linear_energy}, .materials = 1};
    sim->materials = def->material_count > 0 ? def->material_count : 1;
    sim->pairs = scree_calloc((size_t)sim->materials * (size_t)sim->materials, sizeof *sim->pairs);
    if (sim->pairs == NULL)
        return SCREE_ERR_MEMORY;
    for (int32_t a = 0; a < sim->materials; ++a)
        for (int32_t b = 0; b < sim->materials; ++b) {
            scree_polygon_pair p = {.friction = def->friction,
                                    .friction_dynamic = def->friction_dynamic,
                                    .tangential_stiffness = def->tangential_stiffness,
                                    .tangential_damping = def->tangential_damping};
            if (def->pairs != NULL)
                p = pair_of(def, a, b);
            bool own = p.damping != 0.0 || p.restitution != 0.0;
            pair_law* to = &sim->pairs[(int64_t)a * sim->materials + b];
            to->normal = spring_pair(p.stiffness > 0.0 ? p.stiffness : k, own ? p.damping : def->damping, own ? p.restitution : def->restitution);
            to->friction = (friction_law){.mu = p.friction,
                                          .mu_sliding = p.friction_dynamic > 0.0 ? p.friction_dynamic : p.friction,
                                          .k = p.tangential_stiffness * to->normal.k,
                                          .damping = p.tangential_damping};
            sim->rubs = sim->rubs || p.friction > 0.0;
            sim->law.per_pair = sim->law.per_pair || to->normal.c > 0.0;
            constant = constant || to->normal.g > 0.0;
        }
    sim->law.damped = sim->law.per_pair || constant;
    if (sim->law.per_pair && constant)
        return scree_fail(SCREE_ERR_ARGUMENT, "polygons: some pairs of materials have a damping and others a restitution; expected one of them for all");
    return SCREE_OK;
}

// The free bodies of one material.
typedef struct extremes {
    two light, easy, slow;  // by inverse mass; by how they give way to springs and to dashpots
    double spring, dashpot; // the largest tangential ones that they meet, as shares of the normal ones
} extremes;

static void find_extremes(const scree_polygon_sim* sim, extremes* of)
{
    for (int32_t a = 0; a < sim->materials; ++a) {
        of[a] = (extremes){.light = {.number = {-1, -1}}, .easy = {.number = {-1, -1}}, .slow = {.number = {-1, -1}}};
        for (int32_t b = 0; b < sim->materials; ++b) {
            const pair_law* with = &sim->pairs[(int64_t)a * sim->materials + b];
            if (with->friction.mu > 0.0) {
                of[a].spring = fmax(of[a].spring, with->friction.k / with->normal.k);
                of[a].dashpot = fmax(of[a].dashpot, with->friction.damping);
            }
        }
    }
    for (int32_t i = 0; i < sim->n; ++i) {
        const body* b = &sim->bodies[i];
        extremes* e = &of[b->material];
        if (b->fixed)
            continue;
        take(&e->light, b->inverse_mass, i);
        take(&e->easy, ease(b, e->spring), i);
        take(&e->slow, ease(b, e->dashpot), i);
    }
}

// Of two different bodies, one of each material; one where the other has none that are free.
static double largest(const two* a, const two* b)
{
    return a->value[0] + (a == b ? a->value[1] : b->value[0]);
}

static void find_durations(const scree_polygon_sim* sim, const extremes* of, scree_polygon_sim_numbers* m)
{
    const sim_law* law = &sim->law;
    m->contact_duration = m->impact_duration = INFINITY;
    m->restitution_max = 0.0;
    for (int32_t a = 0; a < sim->materials; ++a)
        for (int32_t b = a; b < sim->materials; ++b) {
            const law_pair* with = &sim->pairs[(int64_t)a * sim->materials + b].normal;
            double light = largest(&of[a].light, &of[b].light), easy = largest(&of[a].easy, &of[b].easy), slow = largest(&of[a].slow, &of[b].slow);
            m->stiffness = fmax(m->stiffness, with->k);
            if (light == 0.0 && m->free > 0)
                continue;
            if (m->free == 0)
                light = easy = slow = 1.0;
            double mu_light = 1.0 / light, mu_easy = 1.0 / easy, mu_slow = 1.0 / slow;
            contact_time impact = law->row.time(law, with, mu_light, 0.0);
            m->impact_duration = fmin(m->impact_duration, impact.duration);
            m->restitution_min = fmin(m->restitution_min, impact.restitution);
            m->restitution_max = fmax(m->restitution_max, law->row.time(law, with, m->free > 0 ? m->mass_max : 1.0, 0.0).restitution);
            // Strong damping decays faster than the spring swings: the step must resolve that.
            double decay = law->damped ? pi * mu_slow / law_dashpot(law, with, 1.0 / mu_light) : INFINITY;
            double duration = fmin(pi * sqrt(mu_easy / with->k), decay);
            if (duration < m->contact_duration) {
                m->contact_duration = duration;
                bool first = of[a].easy.value[0] >= of[b].easy.value[0];
                m->shortest_contact[0] = (first ? &of[a] : &of[b])->easy.number[0];
                m->shortest_contact[1] = a == b ? of[a].easy.number[1] : (first ? &of[b] : &of[a])->easy.number[0];
            }
        }
}

static void find_rounding(const body* b, int32_t i, scree_polygon_sim_numbers* m)
{
    if (b->tree == NULL || !(b->r > 0.0))
        return;
    m->rounding_min = fmin(m->rounding_min, b->r);
    m->rounding_max = fmax(m->rounding_max, b->r);
    if (!(b->r < b->core->wanted))
        return;
    m->limited_first = m->limited == 0 ? i : m->limited_first;
    ++m->limited;
}

// ---- All -------------------------------------------------------------------------------------------------------------------

scree_status polygon_find_numbers(scree_polygon_sim* sim)
{
    const scree_polygon_sim_def* def = &sim->def;
    const spring_given given = {.whose = "polygons",
                                .material_density = def->material_density,
                                .stiffness = def->stiffness,
                                .contact_duration = def->contact_duration,
                                .damping = def->damping,
                                .restitution = def->restitution,
                                .step = def->time_step};
    scree_status status = check(def, &given);
    if (status != SCREE_OK)
        return status;
    scree_polygon_sim_numbers m = {.mass_min = INFINITY, .radius_min = INFINITY, .restitution_min = 1.0, .rounding_min = INFINITY, .limited_first = -1};
    two light = {.number = {-1, -1}};
    double radii = 0.0;
    for (int32_t i = 0; i < sim->n; ++i) {
        const body* b = &sim->bodies[i];
        m.vertices += b->tree != NULL ? b->tree->n : 0;
        sim->outline_vertices += b->tree != NULL ? b->core->outline_count : 0;
        find_rounding(b, i, &m);
        m.discs += b->tree == NULL;
        m.fixed += b->fixed;
        status = polygon_work(sim, 16, (double)i / sim->n);
        if (status != SCREE_OK)
            return status;
        if (b->fixed)
            continue;
        if (!spring_is_above(b->mass) || !spring_is_above(b->inertia) || !spring_is_above(b->inverse_mass) || !spring_is_above(b->inverse_inertia))
            return scree_fail(SCREE_ERR_ARGUMENT, "body %" PRId32 ": mass %g and moment of inertia %g; expected finite numbers above 0", i, b->mass, b->inertia);
        ++m.free;
        m.mass += b->mass;
        m.mass_min = fmin(m.mass_min, b->mass);
        m.mass_max = fmax(m.mass_max, b->mass);
        m.radius_min = fmin(m.radius_min, b->radius);
        m.radius_max = fmax(m.radius_max, b->radius);
        radii += b->radius;
        take(&light, b->inverse_mass, i);
    }
    if (m.free == 0)
        m.mass_min = m.radius_min = 0.0;
    m.rounding = def->rule == SCREE_POLYGON_ROUNDED ? def->rounding : 0.0;
    m.rounding_min = m.rounding_max > 0.0 ? m.rounding_min : 0.0;
    sim->mean_radius = m.free > 0 ? radii / m.free : 1.0;
    double k = spring_stiffness(&given, m.free > 0 ? 1.0 / (light.value[0] + light.value[1]) : 1.0);
    if (!spring_is_above(k))
        return scree_fail(SCREE_ERR_ARGUMENT, "polygons: the stiffness is %g; expected a finite number above 0: use other masses or another duration", k);
    status = make_pairs(sim, k);
    extremes* of = status == SCREE_OK ? scree_calloc((size_t)sim->materials, sizeof *of) : NULL;
    if (of == NULL)
        return status == SCREE_OK ? SCREE_ERR_MEMORY : status;
    find_extremes(sim, of);
    find_durations(sim, of, &m);
    scree_free(of);
    m.pieces = sim->piece_count;
    status = spring_step(&given, m.contact_duration, &m.longest_time_step, &m.time_step);
    sim->numbers = m;
    if (status == SCREE_OK && m.time_step > m.longest_time_step && m.free > 0)
        return scree_fail(SCREE_ERR_ARGUMENT,
                          "polygons: time step %g; contacts of bodies %" PRId32 " and %" PRId32 " (-1: a wall) last %g; expected at most a "
                          "tenth of that, %g (a fiftieth is usual)",
                          m.time_step, m.shortest_contact[0], m.shortest_contact[1], m.contact_duration, m.longest_time_step);
    return status;
}
