// Laws of parts, outside of the step: coefficients from what a user gives, the time of contacts, and the energy of springs.
#include "sim/grain_lost.h"
#include "sim/law_linear.h"
#include "sim/laws.h"
#include "sim/sim_inner.h"
#include "sim/spring.h"

#include "base/argument.h"

static const double pi = 3.14159265358979323846;

#define LAW(name) #name,
const char* const law_normal_names[NORMAL_COUNT] = {"linear", "hertz", "jkr", "dmt", "plastic", OWN_LAWS(LAW)};
#undef LAW

// ---- Restitution ---------------------------------------------------------------------------------------------------------

// A collision of Hertz' law with a constant or a viscoelastic dashpot b, in units of its own: from x = 0 with the speed 1, until x = 0 or, if nothing pulls, until the
// force would. The speed then. Runge and Kutta's method of fourth order.
static double push_of(law_damping damping, double b, double x, double v)
{
    double root = x > 0.0 ? sqrt(x) : 0.0;
    return -(root * x + (damping == DAMPING_VISCOELASTIC ? 1.5 * b * root : b) * v);
}

static double collide(law_damping damping, bool no_pull, double b)
{
    double x = 0.0, v = 1.0, h = 2e-4;
    for (int64_t step = 0; step < 400000; ++step) {
        double k[4][2], at[2] = {x, v};
        for (int e = 0; e < 4; ++e) {
            double part = e == 0 ? 0.0 : e < 3 ? 0.5 * h : h;
            at[0] = x + (e > 0 ? part * k[e - 1][0] : 0.0);
            at[1] = v + (e > 0 ? part * k[e - 1][1] : 0.0);
            k[e][0] = at[1];
            k[e][1] = push_of(damping, b, at[0], at[1]);
        }
        double x_next = x + h / 6.0 * (k[0][0] + 2.0 * k[1][0] + 2.0 * k[2][0] + k[3][0]);
        double v_next = v + h / 6.0 * (k[0][1] + 2.0 * k[1][1] + 2.0 * k[2][1] + k[3][1]);
        if (x_next <= 0.0) {  // it has parted in between: so far at its speed
            double share = x / (x - x_next);
            return -(v + share * (v_next - v));
        }
        if (no_pull && step > 0 && push_of(damping, b, x_next, v_next) >= 0.0)
            return v_next < 0.0 ? -v_next : 0.0;
        x = x_next;
        v = v_next;
    }
    return 0.0;
}

// Where nothing pulls, e = exp(-eta t_c) with t_c = 2 acos(b) / w, or if it is damped more strongly, ln((b + s) / (b - s)) / s: of the linear law with b = eta / w0, and of
// Hertz' with constant restitution with b = alpha / sqrt(5).
static double restitution_without_pull(double b)
{
    if (b <= 0.0)
        return 1.0;
    if (b < 1.0) {
        double w = sqrt(1.0 - b * b);
        return exp(-2.0 * b * atan2(w, b) / w);
    }
    double s = sqrt(b * b - 1.0);
    return s > 1e-8 ? exp(-b / s * log((b + s) / (b - s))) : exp(-2.0);
}

static double dashpot_without_pull(double e)
{
    double low = 0.0, high = 1.0;
    while (restitution_without_pull(high) > e && high < 1e6)
        high *= 2.0;
    for (int turn = 0; turn < 200; ++turn) {
        double middle = 0.5 * (low + high);
        *(restitution_without_pull(middle) > e ? &low : &high) = middle;
    }
    return 0.5 * (low + high);
}

// ---- Coefficients --------------------------------------------------------------------------------------------------------

double scree_sim_effective_young(const scree_sim_material* a, const scree_sim_material* b)
{
    SCREE_NEED_OR(a, NAN);
    SCREE_NEED_OR(b, NAN);
    return 1.0 / ((1.0 - a->poisson * a->poisson) / a->young + (1.0 - b->poisson * b->poisson) / b->young);
}

double scree_sim_effective_shear(const scree_sim_material* a, const scree_sim_material* b)
{
    SCREE_NEED_OR(a, NAN);
    SCREE_NEED_OR(b, NAN);
    double ga = a->young / (2.0 * (1.0 + a->poisson)), gb = b->young / (2.0 * (1.0 + b->poisson));
    return 1.0 / ((2.0 - a->poisson) / ga + (2.0 - b->poisson) / gb);
}

// `ln_part` is -ln e / sqrt(pi^2 + ln^2 e).
static double ln_part(double e)
{
    double loss = -log(e);
    return loss / sqrt(pi * pi + loss * loss);
}

law_pair grain_pair(const law_parts* parts, const scree_sim_pair* given, bool mindlin, const scree_sim_material* a, const scree_sim_material* b)
{
    bool curved = grain_is_curved(parts->normal);
    law_pair with = {.k = given->stiffness,
                     .mu = given->friction,
                     .mu_dynamic = given->friction_dynamic > 0.0 ? given->friction_dynamic : given->friction,
                     .kt = given->tangential_stiffness * given->stiffness,
                     .gt = given->tangential_damping,
                     .kr = given->rolling_stiffness,
                     .gr = given->rolling_damping,
                     .mu_r = given->rolling_friction,
                     .ktw = given->twisting_stiffness,
                     .gtw = given->twisting_damping,
                     .mu_tw = given->twisting_friction};
    if (curved) {
        double young = scree_sim_effective_young(a, b), shear = scree_sim_effective_shear(a, b), stickiness = parts->normal == NORMAL_JKR ? 3.0 * pi : parts->normal == NORMAL_DMT ? 4.0 * pi : 0.0;
        with.young = young;
        with.hertz = 4.0 / 3.0 * young;
        with.kt = mindlin ? 8.0 * shear : given->tangential_stiffness * 2.0 * young;
        if (mindlin && parts->damping == DAMPING_RESTITUTION)
            with.gt = given->tangential_damping * sqrt(4.0 * shear / young);  // as stiff as its spring: the root of the ratio of the two stiffnesses
        with.root = sqrt(pi * given->surface_energy / young);
        with.pull = stickiness * given->surface_energy;
    }
    if (parts->damping == DAMPING_CONSTANT)
        with.g = given->damping;
    if (parts->damping == DAMPING_VISCOELASTIC)
        with.g = 2.0 * with.young * given->viscous_time;
    if (parts->damping == DAMPING_RESTITUTION && curved)
        with.c = sqrt(5.0) * (parts->no_pull ? dashpot_without_pull(given->restitution) : ln_part(given->restitution)) * sqrt(with.hertz);
    if (parts->damping == DAMPING_RESTITUTION && !curved)
        with.c = parts->no_pull ? 2.0 * dashpot_without_pull(given->restitution) * sqrt(with.k) : spring_pair(with.k, 0.0, given->restitution).c;
    if (parts->normal == NORMAL_PLASTIC) {
        with.k2 = given->k2 > with.k ? given->k2 : with.k;
        with.kc = given->kc;
        with.depth = with.k2 > with.k ? with.k2 / (with.k2 - with.k) * given->plastic_depth * 2.0 : INFINITY;
    }
    if (parts->bridge && given->bridge_volume > 0.0) {  // Willett's radius is that of two equal spheres, 2 R*
        with.bridge = 4.0 * pi * given->surface_tension * cos(given->wetting_angle);
        with.per_root = sqrt(2.0 / given->bridge_volume);
        with.rupture = (1.0 + 0.5 * given->wetting_angle) * cbrt(given->bridge_volume);
    }
    return with;
}

// ---- Time ----------------------------------------------------------------------------------------------------------------

static double hertz_overlap(const law_pair* with, double mu, double r, double speed)
{
    return pow(5.0 * mu * speed * speed / (4.0 * with->hertz * sqrt(r)), 0.4);
}

static contact_time grain_time(const sim_law* law, const law_pair* with, double mu, double r)
{
    const law_parts* parts = &law->parts;
    contact_time out = {.duration = INFINITY, .restitution = 1.0};
    if (grain_is_curved(parts->normal)) {
        double v = law->speed, k = with->hertz * sqrt(r), overlap = hertz_overlap(with, mu, r, v), rest = pow(3.0 * with->root * r, 2.0 / 3.0);
        double a = fmax(sqrt(r * overlap), rest);
        if (v > 0.0)
            out.duration = 2.943275 * overlap / v;
        if (a > 0.0 && rest > 0.0)
            out.duration = fmin(out.duration, pi * sqrt(mu / (2.0 * with->young * a)));
        // In units of the collision: length (mu v^2 / k)^(2/5), speed v.
        double unit = pow(mu * v * v / k, 0.4);
        double b = with->c / sqrt(5.0 * with->hertz);
        if (parts->damping == DAMPING_RESTITUTION)
            out.restitution = parts->no_pull ? restitution_without_pull(b) : exp(-pi * b / sqrt(1.0 - b * b));
        else if (parts->damping == DAMPING_VISCOELASTIC && v > 0.0)
            out.restitution = collide(parts->damping, parts->no_pull, with->g / (2.0 * with->young) * v / unit);
        else if (parts->damping == DAMPING_CONSTANT && v > 0.0)
            out.restitution = collide(parts->damping, parts->no_pull, with->g * unit / (mu * v));
        return out;
    }
    law_pair stiff = *with;
    stiff.k = parts->normal == NORMAL_PLASTIC ? with->k2 : with->k;
    out = law_linear_time(law, &stiff, mu, r);
    double eta = (law->per_pair ? with->c * sqrt(mu) : with->g) / (2.0 * mu), w0 = sqrt(stiff.k / mu), b = eta / w0;
    if (parts->no_pull && b > 0.0) {
        out.restitution = restitution_without_pull(b);
        out.duration = fmin(out.duration, -log(out.restitution) / eta);
    }
    if (parts->normal == NORMAL_PLASTIC)
        out.restitution *= sqrt(with->k / with->k2);
    return out;
}

// Rolling and sliding turn spheres about the same axes, so that their springs swing together: at most with the root of the sum of both squares. This is stable, and each is resolved.
static contact_step grain_step(const sim_law* law, const law_pair* with, const contact_weights* w)
{
    const law_parts* parts = &law->parts;
    contact_step step = {.usual = INFINITY, .longest = INFINITY};
    bool curved = grain_is_curved(parts->normal);
    double square = w->r * w->r, a = 0.0, k = parts->normal == NORMAL_PLASTIC ? with->k2 : with->k, kt = with->kt, g = law_dashpot(law, with, 1.0 / w->mu);
    if (curved) {
        double rest = pow(3.0 * with->root * w->r, 2.0 / 3.0);
        a = fmax(sqrt(w->r * hertz_overlap(with, w->mu, w->r, law->speed)), rest);
        if (!(a > 0.0))
            return step;  // nothing is known of how deep contacts are
        k = 2.0 * with->young * a;
        kt = with->kt * a;
        g = parts->damping == DAMPING_RESTITUTION ? with->c * sqrt(w->mu * a) : parts->damping == DAMPING_VISCOELASTIC ? with->g * a : with->g;
    }
    g = parts->damping != DAMPING_NONE ? g : 0.0;
    step_follows(&step, SCREE_SIM_LIMIT_NORMAL, k / w->mu, g / (2.0 * w->mu), false);
    double gt = with->gt * g, slides = 1.0 / w->mu + w->arms, rolls = with->kr * square * w->turns;
    double across = parts->tangential ? kt * slides : 0.0, decays = parts->tangential ? 0.5 * gt * slides : 0.0;
    if (parts->tangential)
        step_follows(&step, SCREE_SIM_LIMIT_TANGENTIAL, across, decays, true);
    if (parts->rolling) {
        double turned = 0.5 * with->gr * gt * square * w->turns;
        step_follows(&step, SCREE_SIM_LIMIT_ROLLING, kt * rolls, turned, true);
        step_follows(&step, kt * rolls > across ? SCREE_SIM_LIMIT_ROLLING : SCREE_SIM_LIMIT_TANGENTIAL, across + kt * rolls, decays + turned, false);
    }
    double area = curved ? a * a : 0.1 * square;  // of marshall's a; with the linear laws at an overlap of a tenth of the radius
    if (parts->twisting == TWISTING_MARSHALL)
        step_follows(&step, SCREE_SIM_LIMIT_TWISTING, 0.5 * kt * area * w->turns, 0.25 * gt * area * w->turns, true);
    if (parts->twisting == TWISTING_SPRING)
        step_follows(&step, SCREE_SIM_LIMIT_TWISTING, (with->ktw > 0.0 ? with->ktw : kt * square) * w->turns, 0.5 * with->gtw * gt * square * w->turns, true);
    return step;
}

static double grain_reach(const law_pair* with, double r)
{
    return fmax(1.5 * with->root * cbrt(0.5 * with->root * r), with->rupture);
}

law_row grain_row(const law_parts* parts)
{
    if (law_is_own(parts->normal))
        return own_row(parts->normal);
    grain_layout l = grain_layout_of(*parts);
    law_row row = {.name = law_normal_names[parts->normal], .words = l.words, .time = grain_time, .step = grain_step};
    if (parts->tangential)
        row.odd = 7u << l.friction;
    if (parts->normal == NORMAL_JKR || parts->bridge)
        row.reach = grain_reach;
    return row;
}

double grain_overlap_expected(const sim_law* law, const law_pair* with, double mu, double r)
{
    return grain_is_curved(law->parts.normal) && law->speed > 0.0 ? hertz_overlap(with, mu, r, law->speed) : 0.0;
}

// ---- Energy --------------------------------------------------------------------------------------------------------------

// Work of pulling a bridge from a gap to its end: the force over 1 + 1.05 s + 2.5 s^2.
double grain_bridge_work(const law_pair* with, double radius, double gap)
{
    if (!(with->rupture > 0.0) || gap >= with->rupture)
        return 0.0;
    double unit = 1.0 / (sqrt(radius) * with->per_root), q = sqrt(4.0 * 2.5 - 1.05 * 1.05);
    double from = gap > 0.0 ? gap / unit : 0.0, to = with->rupture / unit;
    double work = with->bridge * radius * unit * 2.0 / q * (atan((5.0 * to + 1.05) / q) - atan((5.0 * from + 1.05) / q));
    return gap < 0.0 ? work - with->bridge * radius * gap : work;
}

static double jkr_energy(const law_pair* with, double radius, double y)
{
    lanes young = ALL(with->young), r = ALL(radius), s = ALL(with->root), at = ALL(y), out;
    grain_jkr_energy(&young, &r, &s, &at, &out);
    return out[0];
}

void grain_settle(const sim_law* law, const law_pair* with, double overlap, double radius, double* words)
{
    if (law->parts.normal != NORMAL_JKR || law->row.energy != NULL)
        return;
    lanes at = ALL(overlap), r = ALL(radius), s = ALL(with->root), y = ALL(words[grain_layout_of(law->parts).radius]);
    grain_jkr_root(&at, &r, &s, &y);
    words[grain_layout_of(law->parts).radius] = y[0];
}

void grain_energy(const sim_law* law, const law_pair* with, double overlap, double radius, const double* words, double out[owners])
{
    const grain_layout l = grain_layout_of(law->parts);
    double touching = overlap > 0.0 ? overlap : 0.0, a = l.radius >= 0 ? words[l.radius] : 0.0;
    memset(out, 0, owners * sizeof *out);
    switch (law->parts.normal) {
    default:
        out[OWNER_NORMAL] = 0.5 * with->k * touching * touching;
        break;
    case NORMAL_HERTZ:
    case NORMAL_DMT:
        out[OWNER_NORMAL] = 0.4 * with->hertz * sqrt(radius * touching) * touching * touching - with->pull * radius * touching;
        break;
    case NORMAL_JKR:
        out[OWNER_NORMAL] = jkr_energy(with, radius, a);
        a *= a;
        break;
    case NORMAL_PLASTIC: {
        lanes spread[law_values], largest = ALL(words[l.normal]);
        grain_in in = {.with = spread, .overlap = ALL(touching), .deepest = ALL(touching), .radius = ALL(radius)};
        grain_normal normal;
        grain_spread(with, spread);
        grain_plastic(&in, &largest, &normal);
        out[OWNER_NORMAL] = normal.energy[0];
        break;
    }
    }
    if (law->parts.bridge)
        out[OWNER_NORMAL] -= grain_bridge_work(with, radius, -overlap);
    grain_spring_energies(law->parts, with, a, radius, words, out);
}

void grain_lost(const sim_law* law, const law_pair* with, double radius, const double* words, double out[owners])
{
    const grain_layout l = grain_layout_of(law->parts);
    double a = l.radius >= 0 ? words[l.radius] : 0.0;
    memset(out, 0, owners * sizeof *out);
    if (law->parts.normal == NORMAL_JKR)  // where it ends its energy is 0
        a *= a;
    if (law->parts.normal == NORMAL_PLASTIC)
        grain_energy(law, with, words[l.normal + 1], radius, words, out);
    grain_spring_energies(law->parts, with, a, radius, words, out);
}
