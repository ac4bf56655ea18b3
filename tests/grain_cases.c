// Cases with closed forms (grain_cases.h): the groove, impacts after Chung and Ooi (2011), sliding, rolling and twisting on a wall, adhesion, plasticity,
// liquid bridges, a chain. Each group of cases begins with the derivation of what is expected. Tolerances are what the step and the finite overlap leave, times
// about three.
#include "grain_cases.h"

#include "support.h"

static const double pi = 3.14159265358979323846;

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static const grain_frame* last(const grain_trajectory* t)
{
    return &t->frames[t->count - 1];
}

// The frame at this time or right after it.
static const grain_frame* frame_at(const grain_trajectory* t, double time)
{
    for (int64_t f = 0; f < t->count; ++f)
        if (t->frames[f].time >= time * (1.0 - 1e-12))
            return &t->frames[f];
    fail_msg("the run ends before %g", time);
    return NULL;
}

void grain_check_energy(const grain_trajectory* t, double scale, double tolerance)
{
    if (!t->has_energies)
        return;
    double begin = grain_energy_total(&t->frames[0].energies);
    for (int64_t f = 0; f < t->count; ++f)
        CHECK_CLOSE(grain_energy_total(&t->frames[f].energies) / scale, begin / scale, tolerance);
}

// ---- The groove between two large spheres ------------------------------------------------------------------------------
//
// A small sphere r rolls between two fixed spheres R that touch. Its centre is on a circle of radius rho = sqrt(2 R r + r^2) at the angle theta from the top.
// The contact points are s r = rho r/(R + r) from the axis of the spin, so rolling means spin = rho theta'/(s r), and with the energy of the spin
//
//     theta'' = sin(theta)/tau^2,   tau^2 = rho (1 + (2/5)/s^2)/g.
//
// Then it slips and leaves the groove. When it does depends on the force across the groove by which the sphere is wedged in, and so on how the tangential
// springs turn; test_grain_plain.c has equations for it, which give the times and angles below.
//
// p: ratio R/r, time of departure, angle there in degrees, tolerance of the angle before, step in us. The stiffness is in proportion to the mass and to 1/step^2,
// so that a step is 1/13 of a contact for all ratios, and the overlap is a larger share of a smaller sphere.

static const double groove_large = 5e-3, groove_gravity = 9.81, groove_begin = 3.14159265358979323846 / 180.0;

static double groove_circle(const double* p)
{
    double r = groove_large / p[0];
    return sqrt(2.0 * groove_large * r + r * r);
}

static void make_groove(const double* p, grain_system* s)
{
    double r = groove_large / p[0], rho = groove_circle(p), scale = pow(20.0 / p[0], 3.0) / (p[4] * p[4]);
    s->count = 3;
    s->spheres[0] = (grain_sphere){.r = groove_large, .density = 2500.0, .fixed = true};
    s->spheres[1] = (grain_sphere){.x = {2.0 * groove_large, 0.0, 0.0}, .r = groove_large, .density = 2500.0, .fixed = true};
    s->spheres[2] = (grain_sphere){.x = {groove_large, rho * sin(groove_begin), rho * cos(groove_begin)}, .r = r, .density = 2500.0};
    s->gravity[2] = -groove_gravity;
    s->law.stiffness = 1e4 * scale;
    s->law.damps = GRAIN_DASHPOT;
    s->law.damping = 0.0174304420 * scale * p[4];
    s->law.tangential = GRAIN_TANGENTIAL_LINEAR;
    s->law.tangential_stiffness = 0.8235;
    s->law.friction = 0.5;
    s->step = 1e-6 * p[4];
    s->every = 50;
    s->steps = (int64_t)ceil((p[1] + 0.004) / s->step / (double)s->every) * s->every;
}

static double groove_angle(const grain_frame* f)
{
    return atan2(f->spheres[2].x[1], f->spheres[2].x[2]) * 180.0 / pi;
}

// theta(t) of the rolling sphere, in degrees, by the classical Runge-Kutta method.
static double groove_rolling(const double* p, double time)
{
    double s = groove_circle(p) / (groove_large * (1.0 + 1.0 / p[0])), rate = groove_gravity / (groove_circle(p) * (1.0 + 0.4 / (s * s)));
    double angle = groove_begin, speed = 0.0, h = time / 2000.0;
    for (int k = 0; k < 2000; ++k) {
        double a1 = speed, b1 = rate * sin(angle), a2 = speed + 0.5 * h * b1, b2 = rate * sin(angle + 0.5 * h * a1);
        double a3 = speed + 0.5 * h * b2, b3 = rate * sin(angle + 0.5 * h * a2), a4 = speed + h * b3, b4 = rate * sin(angle + h * a3);
        angle += h / 6.0 * (a1 + 2.0 * a2 + 2.0 * a3 + a4);
        speed += h / 6.0 * (b1 + 2.0 * b2 + 2.0 * b3 + b4);
    }
    return angle * 180.0 / pi;
}

static bool groove_touches(const grain_frame* f)
{
    double d[3], reach = f->spheres[0].r + f->spheres[2].r;
    for (int k = 0; k < 3; ++k)
        d[k] = f->spheres[2].x[k] - f->spheres[0].x[k];
    return dot(d, d) < reach * reach;
}

static void check_groove(const double* p, const grain_trajectory* t)
{
    static const double share[5] = {0.2, 0.4, 0.6, 0.75, 0.82};
    for (int k = 0; k < 5; ++k) {
        const grain_frame* f = frame_at(t, share[k] * p[1]);
        CHECK_CLOSE(groove_angle(f), groove_rolling(p, f->time), p[3]);
    }
    double leaves = 0.0;
    for (int64_t f = 0; f < t->count; ++f)
        if (groove_touches(&t->frames[f]))
            leaves = t->frames[f].time;
    CHECK_CLOSE(leaves, p[1], 2e-4);
    CHECK_CLOSE(groove_angle(frame_at(t, p[1])), p[2], 0.4);
    grain_check_energy(t, groove_gravity * grain_mass(3, &t->system->spheres[2]) * groove_circle(p), 1e-6);
}

// The example of LAMMPS, to which these numbers belong.
static void check_groove_numbers(const double* p, const grain_trajectory* t)
{
    static const double known[5][2] = {{0.03, 1.56672}, {0.06, 3.90896}, {0.09, 10.67533}, {0.11, 20.99187}, {0.12, 29.40330}};
    for (int k = 0; k < 5; ++k)
        CHECK_CLOSE(groove_angle(frame_at(t, known[k][0])), known[k][1], 1e-4);
    check_groove(p, t);
}

// ---- Impacts ---------------------------------------------------------------------------------------------------------
//
// Sphere 0 flies against sphere 1 or, if there is one sphere, the lower wall z (in 2D: y); they touch after two steps and a part. The impact is seen in the
// velocities of the first and the last frame. `normal` is the axis of the impact; tangential motion is along x, spins about the axis across both.

static int normal_axis(const grain_trajectory* t)
{
    return t->system->dim - 1;
}

static double closing(const grain_trajectory* t, const grain_frame* f)
{
    int k = normal_axis(t);
    return t->system->count == 1 ? f->spheres[0].v[k] : f->spheres[0].v[k] - f->spheres[1].v[k];
}

static double overlap_of(const grain_trajectory* t, const grain_frame* f)
{
    const grain_sphere* s = f->spheres;
    int k = normal_axis(t);
    if (t->system->count == 1)
        return s[0].r - (s[0].x[k] - t->system->lower[k] - f->time * t->system->wall_velocity[k][0]);
    double d[3] = {s[0].x[0] - s[1].x[0], s[0].x[1] - s[1].x[1], s[0].x[2] - s[1].x[2]};
    return s[0].r + s[1].r - sqrt(dot(d, d));
}

// Puts sphere 0 two and a third steps before the touch, above sphere 1 or the wall. Radii and velocities are set already.
static void aim(grain_system* s, double step, int64_t steps)
{
    int k = s->dim - 1;
    grain_sphere *a = &s->spheres[0], *b = &s->spheres[1];
    s->step = step;
    s->steps = steps;
    double ahead = 2.3 * step;
    if (s->count == 1) {
        s->side[k] = GRAIN_WALLED;
        s->lower[k] = 0.0;
        s->upper[k] = 1e3 * a->r;
        a->x[k] = a->r - ahead * (a->v[k] - s->wall_velocity[k][0]);
        return;
    }
    for (int e = 0; e < 3; ++e) {
        a->x[e] = -ahead * a->v[e];
        b->x[e] = -ahead * b->v[e];
    }
    a->x[k] += a->r + b->r;
}

static double hertz_stiffness(const grain_system* s, double radius)
{
    return 4.0 / 3.0 * grain_effective_young(&s->law, s->spheres[0].material, s->count == 1 ? s->wall_material : s->spheres[1].material) * sqrt(radius);
}

static double reduced_mass(const grain_system* s)
{
    double a = grain_mass(s->dim, &s->spheres[0]);
    return s->count == 1 ? a : a * grain_mass(s->dim, &s->spheres[1]) / (a + grain_mass(s->dim, &s->spheres[1]));
}

static double reduced_radius(const grain_system* s)
{
    double a = s->spheres[0].r, b = s->spheres[1].r;
    return s->count == 1 ? a : a * b / (a + b);
}

// Hertz, elastic: the largest overlap is (5 m V^2/(4 K))^(2/5), and the duration 2.943275 overlap/V.
static double hertz_overlap(const grain_system* s, double speed)
{
    return pow(1.25 * reduced_mass(s) * speed * speed / hertz_stiffness(s, reduced_radius(s)), 0.4);
}

// p: r, speed, E, nu, density, and 0: against a rigid wall, 1: two spheres with this speed each
static void make_hertz(const double* p, grain_system* s)
{
    s->count = p[5] > 0.0 ? 2 : 1;
    for (int i = 0; i < 2; ++i)
        s->spheres[i] = (grain_sphere){.r = p[0], .density = p[4]};
    s->spheres[0].v[2] = -p[1];
    s->spheres[1].v[2] = p[1];
    s->law.normal = GRAIN_HERTZ;
    s->law.young[0] = p[2];
    s->law.poisson[0] = p[3];
    s->wall_material = 1;
    s->every = 1;
    double speed = p[1] * s->count;
    aim(s, 2.943275 * hertz_overlap(s, speed) / speed / 1000.0, 1010);
}

static void check_hertz(const double* p, const grain_trajectory* t)
{
    double speed = p[1] * t->system->count, wanted = hertz_overlap(t->system, speed), most = 0.0, steps = 0.0, force = 0.0;
    for (int64_t f = 0; f < t->count; ++f) {
        most = fmax(most, overlap_of(t, &t->frames[f]));
        steps += overlap_of(t, &t->frames[f]) > 0.0;
        if (f > 0)
            force = fmax(force, reduced_mass(t->system) * (closing(t, &t->frames[f]) - closing(t, &t->frames[f - 1])) / t->system->step);
    }
    CHECK_CLOSE(most / wanted, 1.0, 1e-5);
    CHECK_CLOSE(steps / 1000.0, 1.0, 1.2e-3);
    CHECK_CLOSE(force / (hertz_stiffness(t->system, reduced_radius(t->system)) * pow(wanted, 1.5)), 1.0, 1e-5);
    CHECK_CLOSE(closing(t, last(t)) / speed, 1.0, 1e-5);
    grain_check_energy(t, reduced_mass(t->system) * speed * speed, 1e-5);
}

// As Chung and Ooi have them: overlap in um, force in kN, duration in us.
static void check_hertz_numbers(const double* p, const grain_trajectory* t)
{
    static const double known[4][4] = {
        {4.8e10, 274.11, 10.697, 40.339}, {2e10, 368.30, 7.108, 54.201}, {7e10, 49.717, 11.370, 731.66}, {4e10, 52.123, 7.233, 767.07}};
    double speed = p[1] * t->system->count, overlap = hertz_overlap(t->system, speed);
    for (int k = 0; k < 4; ++k)
        if (known[k][0] == p[2]) {
            CHECK_CLOSE(overlap * 1e6 / known[k][1], 1.0, 3e-5);
            CHECK_CLOSE(hertz_stiffness(t->system, reduced_radius(t->system)) * pow(overlap, 1.5) * 1e-3 / known[k][2], 1.0, 1e-4);
            CHECK_CLOSE(2.943275 * overlap / speed * 1e6 / known[k][3], 1.0, 3e-5);
        }
    check_hertz(p, t);
}

// Restitution. p: e, pull, and 0: linear, 1: Hertz, of a sphere of cast iron against a rigid wall.
static void make_restitution(const double* p, grain_system* s)
{
    s->count = 1;
    s->spheres[0] = (grain_sphere){.r = 2.5e-3, .density = 7000.0, .v = {0.0, 0.0, -3.9}};
    s->wall_material = 1;
    s->law.normal = p[2] > 0.0 ? GRAIN_HERTZ : GRAIN_LINEAR;
    s->law.young[0] = 1e11;
    s->law.poisson[0] = 0.25;
    s->law.stiffness = 1e7;
    s->law.damps = GRAIN_RESTITUTION;
    s->law.restitution = p[0];
    s->law.pull = p[1] > 0.0;
    s->every = 1000;
    double duration = p[2] > 0.0 ? 2.943275 * hertz_overlap(s, 3.9) / 3.9 : pi * sqrt(grain_mass(3, &s->spheres[0]) / s->law.stiffness);
    aim(s, duration / 2000.0, 7000);
}

static void check_restitution(const double* p, const grain_trajectory* t)
{
    CHECK_CLOSE(closing(t, last(t)) / 3.9, p[0], p[2] > 0.0 ? 1e-5 : 1.5e-4);  // the force of a linear spring begins with a jump, that of its dashpot
    grain_check_energy(t, grain_mass(3, &t->system->spheres[0]) * 3.9 * 3.9, 3e-4);
}

// Viscoelastic spheres: e = 1 - C s + (3/5) C^2 s^2 - ..., s = 1.5 A (K/m)^(2/5) v^(1/5). C: the loss at first order is that of the dashpot in the elastic
// motion, 2 int 1.5 A K sqrt(y) v sqrt(1 - (y/y_max)^(5/2)) dy, which is C = 2 (5/4)^(3/5) (2/5) B(3/5, 3/2) = 1.15344. p: A, closing speed, e, tolerance; 0
// for e: from the series
static void make_viscoelastic(const double* p, grain_system* s)
{
    s->count = 2;
    for (int i = 0; i < 2; ++i)
        s->spheres[i] = (grain_sphere){.r = 0.01, .density = 2500.0};
    s->spheres[0].v[2] = -0.5 * p[1];
    s->spheres[1].v[2] = 0.5 * p[1];
    s->law.normal = GRAIN_HERTZ;
    s->law.young[0] = 1e8;
    s->law.poisson[0] = 0.3;
    s->law.damps = GRAIN_VISCOELASTIC;
    s->law.viscous_time = p[0];
    s->every = 1000;
    aim(s, 2.943275 * hertz_overlap(s, p[1]) / p[1] / 2000.0, 4000);
}

static void check_viscoelastic(const double* p, const grain_trajectory* t)
{
    double s = 1.5 * p[0] * pow(hertz_stiffness(t->system, reduced_radius(t->system)) / reduced_mass(t->system), 0.4) * pow(p[1], 0.2);
    double wanted = p[2] > 0.0 ? p[2] : 1.0 - 1.15344 * s + 0.79826 * s * s;
    CHECK_CLOSE(closing(t, last(t)) / p[1], wanted, p[3]);
}

// Oblique impact on a rigid wall with sliding throughout. Friction takes mu (1 + e) v_n from the tangential velocity of the surface's side and gives the spin
// (5/2) mu (1 + e) v_n/r: so long as the surface still slides, that is for v_t - r w > 3.5 mu (1 + e) v_n. Without pull, for then the normal force never
// changes sign; with a tangential dashpot, for the normal force begins with its dashpot, and a spring alone would stick at first. p: speed, angle from the
// normal in degrees (0: along it), spin about y, e, mu, r
static void make_oblique(const double* p, grain_system* s)
{
    s->count = 1;
    s->spheres[0] =
        (grain_sphere){.r = p[5], .density = 4000.0, .v = {p[0] * sin(p[1] * pi / 180.0), 0.0, -p[0] * cos(p[1] * pi / 180.0)}, .w = {0.0, p[2], 0.0}};
    s->wall_material = 1;
    s->law.normal = GRAIN_HERTZ;
    s->law.tangential = GRAIN_MINDLIN;
    s->law.young[0] = 3.8e11;
    s->law.poisson[0] = 0.23;
    s->law.damps = p[3] < 1.0 ? GRAIN_RESTITUTION : GRAIN_UNDAMPED;
    s->law.restitution = p[3];
    s->law.pull = false;
    s->law.tangential_damping = 1.0;
    s->law.friction = p[4];
    s->every = 100;
    double speed = p[0] * cos(p[1] * pi / 180.0);
    aim(s, 2.943275 * hertz_overlap(s, speed) / speed / 1000.0, 2000);
}

static void check_oblique(const double* p, const grain_trajectory* t)
{
    const grain_sphere *from = &t->frames[0].spheres[0], *to = &last(t)->spheres[0];
    double kick = p[4] * (1.0 + p[3]) * -from->v[2], slip = from->v[0] - p[5] * from->w[1], sign = slip > 0.0 ? 1.0 : -1.0;
    assert_true(fabs(slip) > 3.5 * kick);
    CHECK_CLOSE(to->v[2] / from->v[2], -p[3], 1e-3);
    CHECK_CLOSE((to->v[0] - from->v[0]) / kick, -sign, 2e-3);
    CHECK_CLOSE((to->w[1] - from->w[1]) * p[5] / kick, 2.5 * sign, 4e-3 * 2.5);
    CHECK_CLOSE(to->v[1], 0.0, 0.0);
    grain_check_energy(t, grain_mass(3, from) * p[0] * p[0], 1e-3);
}

// Below that angle the contact sticks in part, and there is no closed form: spins that Chung and Ooi computed for aluminium alloy, as read from their figure.
// p: angle, spin
static void make_partial(const double* p, grain_system* s)
{
    const double q[GRAIN_CASE_NUMBERS] = {3.9, p[0], 0.0, 0.98, 0.092, 2.5e-3};
    make_oblique(q, s);
    s->spheres[0].density = 2700.0;
    s->law.young[0] = 7e10;
    s->law.poisson[0] = 0.33;
    s->law.pull = true;
    double speed = 3.9 * cos(p[0] * pi / 180.0);
    aim(s, 2.943275 * hertz_overlap(s, speed) / speed / 1000.0, 2000);
}

static void check_partial(const double* p, const grain_trajectory* t)
{
    CHECK_CLOSE(last(t)->spheres[0].w[1] / p[1], 1.0, 0.025);
}

// With pull there is no friction while the dashpot pulls, so that its impulse is that of the contact up to the end of the push: e there is that of a contact
// without pull and the same dashpot. Linear. p: angle from the normal in degrees, e, mu
static void make_pulled(const double* p, grain_system* s)
{
    s->count = 1;
    s->spheres[0] = (grain_sphere){.r = 1.0, .density = 1.0, .v = {sin(p[0] * pi / 180.0), 0.0, -cos(p[0] * pi / 180.0)}};
    s->law.stiffness = 1e8;
    s->law.damps = GRAIN_RESTITUTION;
    s->law.restitution = p[1];
    s->law.tangential = GRAIN_TANGENTIAL_LINEAR;
    s->law.tangential_damping = 1.0;
    s->law.friction = p[2];
    s->every = 100;
    aim(s, pi * sqrt(reduced_mass(s) / s->law.stiffness) / 2000.0, 3000);
}

static void check_pulled(const double* p, const grain_trajectory* t)
{
    const grain_sphere *from = &t->frames[0].spheres[0], *to = &last(t)->spheres[0];
    double kick = p[2] * (1.0 + grain_restitution(grain_damping_share(p[1], true), false)) * -from->v[2];
    CHECK_CLOSE(to->v[2] / from->v[2], -p[1], 1e-3);
    CHECK_CLOSE((from->v[0] - to->v[0]) / kick, 1.0, 1e-3);
}

// Sticking impact without losses: the surfaces swing as a spring k_t with mass m_t, 1/m_t = (1 + 1/kappa)/m, for the time of the normal half-swing: u' = u
// cos(pi sqrt((1 + 1/kappa) k_t/k)). With k_t/k = 1/(1 + 1/kappa), 2/7 of spheres and 1/3 of discs, u' = -u. p: dimension, k_t/k, 1: two spheres, ratio of
// their radii
static void make_sticking(const double* p, grain_system* s)
{
    s->dim = (int)p[0];
    s->count = p[2] > 0.0 ? 2 : 1;
    s->spheres[0] = (grain_sphere){.r = 1.0, .density = 1.0};
    s->spheres[1] = (grain_sphere){.r = p[3], .density = 1.0};
    s->spheres[0].v[0] = 0.5;
    s->spheres[0].v[s->dim - 1] = -1.0;
    s->law.tangential = GRAIN_TANGENTIAL_LINEAR;
    s->law.tangential_stiffness = p[1];
    s->law.friction = 1e6;
    s->law.stiffness = 1e8;
    s->every = 10;
    aim(s, pi * sqrt(reduced_mass(s) / s->law.stiffness) / 1000.0, 1010);
}

// Of the surfaces, along x.
static double slip_of(const grain_trajectory* t, const grain_frame* f)
{
    const grain_sphere* s = f->spheres;
    bool flat = t->system->dim == 2;
    double u = 0.0;
    for (int i = 0; i < t->system->count; ++i)  // (w x n)_x is w_y in 3D, -w_z in 2D
        u += (i == 0 ? s[i].v[0] : -s[i].v[0]) - s[i].r * (flat ? -s[i].w[2] : s[i].w[1]);
    return u;
}

static void check_sticking(const double* p, const grain_trajectory* t)
{
    double swings = sqrt((p[0] == 2.0 ? 3.0 : 3.5) * p[1]);
    CHECK_CLOSE(slip_of(t, last(t)) / slip_of(t, &t->frames[0]), cos(pi * swings), 3e-3);
    CHECK_CLOSE(closing(t, last(t)), 1.0, 1e-3);
    grain_check_energy(t, reduced_mass(t->system), 3e-3);
}

// Two equal spheres, spins opposite: their surfaces move together, nothing happens to spin or tangential velocity.
// p: spin, 1: equal spins in place of opposite ones
static void make_spins(const double* p, grain_system* s)
{
    s->count = 2;
    for (int i = 0; i < 2; ++i)
        s->spheres[i] = (grain_sphere){.r = 0.1, .density = 2700.0, .v = {0.0, 0.0, i == 0 ? -0.2 : 0.2}, .w = {0.0, i == 0 || p[1] > 0.0 ? p[0] : -p[0], 0.0}};
    s->law.normal = GRAIN_HERTZ;
    s->law.tangential = GRAIN_MINDLIN;
    s->law.young[0] = 7e10;
    s->law.poisson[0] = 0.33;
    s->law.damps = GRAIN_RESTITUTION;
    s->law.restitution = 0.5;
    s->law.pull = false;
    s->law.tangential_damping = 1.0;
    s->law.friction = 0.4;
    s->every = 100;
    aim(s, 2.943275 * hertz_overlap(s, 0.4) / 0.4 / 1000.0, 2000);
}

// Equal spins, sliding (2 r w > 7 mu (1 + e) 0.4 / 2): each as against a wall with its own speed, v_t = mu (1 + e) 0.2 and spin less 2.5 mu (1 + e) 0.2/r.
static void check_spins(const double* p, const grain_trajectory* t)
{
    bool equal = p[1] > 0.0;
    for (int i = 0; i < 2; ++i) {
        const grain_sphere *from = &t->frames[0].spheres[i], *to = &last(t)->spheres[i];
        double sign = i == 0 ? 1.0 : -1.0;
        CHECK_CLOSE(to->v[0], equal ? 0.12 * sign : 0.0, equal ? 3e-4 : 1e-14);
        CHECK_CLOSE(to->w[1], from->w[1] - (equal ? 3.0 : 0.0), equal ? 1e-2 : 1e-12);
        CHECK_CLOSE(to->v[2] / from->v[2], -0.5, 1e-3);
    }
}

// A small sphere on a large one that is 1000 times as dense and stiff: nearly as on a wall.
static void make_small_on_large(const double* p, grain_system* s)
{
    make_spins(p, s);
    s->spheres[1] = (grain_sphere){.r = 0.5, .density = 2.7e6, .material = 1};
    s->spheres[0].w[1] = p[0];
    s->law.young[1] = 7e13;
    s->law.poisson[1] = 0.33;
    aim(s, 2.943275 * hertz_overlap(s, 0.2) / 0.2 / 1000.0, 2000);
}

static void check_small_on_large(const double* p, const grain_trajectory* t)
{
    const grain_sphere* to = &last(t)->spheres[0];
    CHECK_CLOSE(to->v[0] / 0.12, 1.0, 1e-3);
    CHECK_CLOSE(to->w[1] / (p[0] - 3.0), 1.0, 1e-3);
    CHECK_CLOSE(to->v[2] / 0.1, 1.0, 1e-3);
}

// Oblique impact of two equal spheres that slide throughout, seen from their centre of mass: each as against a wall. p: v_n and v_t of each, e, mu
static void make_pair_sliding(const double* p, grain_system* s)
{
    s->count = 2;
    for (int i = 0; i < 2; ++i)
        s->spheres[i] = (grain_sphere){.r = 2.5e-3, .density = 2700.0, .v = {i == 0 ? p[1] : -p[1], 0.0, i == 0 ? -p[0] : p[0]}};
    s->law.stiffness = 1e9;
    s->law.damps = GRAIN_RESTITUTION;
    s->law.restitution = p[2];
    s->law.pull = false;
    s->law.tangential = GRAIN_TANGENTIAL_LINEAR;
    s->law.tangential_damping = 1.0;
    s->law.friction = p[3];
    s->every = 100;
    aim(s, pi * sqrt(reduced_mass(s) / s->law.stiffness) / 2000.0, 3000);
}

static void check_pair_sliding(const double* p, const grain_trajectory* t)
{
    double kick = p[3] * (1.0 + p[2]) * p[0];
    for (int i = 0; i < 2; ++i) {
        const grain_sphere* to = &last(t)->spheres[i];
        CHECK_CLOSE(to->v[0] / (p[1] - kick), i == 0 ? 1.0 : -1.0, 3e-3);  // the line of centres turns by 7e-4
        CHECK_CLOSE(to->w[1] * to->r / (2.5 * kick), 1.0, 3e-3);
    }
}

// ---- On a wall, under gravity -------------------------------------------------------------------------------------------
//
// One sphere on the lower wall of the last axis, pressed in by its weight by `depth` radii, so that nothing bounces. g is 1. kappa = I/(m r^2).

static const double floor_r = 2.5e-3, floor_depth = 1e-5;

static void on_floor(grain_system* s, int dim, double slope, double time, double depth)
{
    double angle = atan(slope);
    s->dim = dim;
    s->count = 1;
    s->spheres[0] = (grain_sphere){.r = floor_r, .density = 2700.0};
    s->spheres[0].x[dim - 1] = floor_r * (1.0 - depth);
    s->side[dim - 1] = GRAIN_WALLED;
    s->upper[dim - 1] = 1.0;
    s->gravity[0] = sin(angle);
    s->gravity[dim - 1] = -cos(angle);
    s->law.stiffness = grain_mass(dim, &s->spheres[0]) * cos(angle) / (floor_r * depth);
    s->law.tangential = GRAIN_TANGENTIAL_LINEAR;
    s->step = pi * sqrt(floor_r * depth) / 20.0;
    s->every = 100;
    s->steps = (int64_t)ceil(time / s->step / (double)s->every) * s->every;
}

// Spin with which it rolls along x, as a speed.
static double rolling_speed(const grain_trajectory* t, const grain_frame* f)
{
    return f->spheres[0].r * (t->system->dim == 2 ? -f->spheres[0].w[2] : f->spheres[0].w[1]);
}

// Slide to roll: u = u0 - mu g t, and the surface goes at l w = mu g t q, q = (l/r)^2/kappa, until they are equal. The arm is l = r - overlap.
// p: dimension, u0, mu, overlap/r
static double slide_share(const double* p)
{
    return (1.0 - p[3]) * (1.0 - p[3]) / grain_inertia_share((int)p[0]);
}

static double slide_time(const double* p)
{
    return p[1] / (p[2] * (1.0 + slide_share(p)));
}

static void make_slide(const double* p, grain_system* s)
{
    on_floor(s, (int)p[0], 0.0, 1.3 * slide_time(p), p[3]);
    s->spheres[0].v[0] = p[1];
    s->law.friction = p[2];
}

static void check_slide(const double* p, const grain_trajectory* t)
{
    double ends = slide_time(p);
    for (int64_t f = 0; f < t->count; ++f) {
        const grain_frame* at = &t->frames[f];
        double time = fmin(at->time, ends), swing = 10.0 * p[2] * t->system->step;  // of the spring, once it sticks
        if (fabs(at->time - ends) < 0.01 * ends)
            continue;
        CHECK_CLOSE(at->spheres[0].v[0], p[1] - p[2] * time, 1e-4 * p[1] + swing);
        CHECK_CLOSE(rolling_speed(t, at) * (1.0 - p[3]), p[2] * time * slide_share(p), 1e-4 * p[1] + swing);
    }
    grain_check_energy(t, grain_mass((int)p[0], &t->system->spheres[0]) * p[1] * p[1], 1e-3);
}

// Incline of slope tan: with rolling friction mu_r it rests for mu_r >= tan; rolls with g (sin - mu_r cos)/(1 + kappa) while the friction that takes, (kappa
// tan + mu_r)/(1 + kappa), is below mu; else slides with g (sin - mu cos) and spins with (mu - mu_r) g cos/(kappa r). p: dimension, tan, mu, mu_r
static void make_incline(const double* p, grain_system* s)
{
    on_floor(s, (int)p[0], p[1], 0.25, floor_depth);
    s->law.friction = p[2];
    s->law.rolling_friction = p[3];
    s->law.rolling = p[3] > 0.0 ? GRAIN_ROLLING_SPRING : GRAIN_ROLLING_FREE;
}

static void check_incline(const double* p, const grain_trajectory* t)
{
    double k = grain_inertia_share((int)p[0]), cosine = cos(atan(p[1])), a = 0.0, turn = 0.0;
    if ((k * p[1] + p[3]) / (1.0 + k) > p[2]) {
        a = cosine * (p[1] - p[2]);
        turn = cosine * (p[2] - p[3]) / k;
    } else if (p[3] < p[1])
        a = turn = cosine * (p[1] - p[3]) / (1.0 + k);
    const grain_frame* end = last(t);
    CHECK_CLOSE(end->spheres[0].v[0] / end->time, a, 1e-3);
    CHECK_CLOSE(rolling_speed(t, end) / end->time, turn, 2e-3);
    CHECK_CLOSE(end->spheres[0].x[0], 0.5 * a * end->time * end->time, 1e-3 * a + 1e-3 * floor_r);
    grain_check_energy(t, grain_mass((int)p[0], &t->system->spheres[0]), 1e-4);
}

// A block, that is a sphere which rolling friction keeps from rolling: it rests on a slope above mu_d if it has never slid; the spring then swings to twice its
// load, so that mu_s is above 2 tan. On a slope above mu_s it slides with g (sin - mu_d cos). p: tan, mu_s, mu_d
static void make_block(const double* p, grain_system* s)
{
    on_floor(s, 3, p[0], 0.25, floor_depth);
    s->law.friction = p[1];
    s->law.friction_dynamic = p[2];
    s->law.rolling = GRAIN_ROLLING_SPRING;
    s->law.rolling_friction = 1e6;
}

static void check_block(const double* p, const grain_trajectory* t)
{
    double a = p[0] > p[1] ? cos(atan(p[0])) * (p[0] - p[2]) : 0.0;
    const grain_frame* end = last(t);
    CHECK_CLOSE(end->spheres[0].x[0], 0.5 * a * end->time * end->time, 1e-3 * a + 1e-3 * floor_r);
}

// Spin that rolling friction (about y) or twisting friction (about z) slows at a constant rate: torque mu_r r f, mu_tw f or, after Marshall, (2/3) mu a f with
// a = sqrt(r overlap). While the spring loads, the torque is half of that on average. p: 0 rolling, 1 twisting, 2 Marshall; coefficient (mu_r, mu_tw/r, mu)
static double spin_rate(const double* p)
{
    double arm = p[0] == 2.0 ? 2.0 / 3.0 * sqrt(floor_depth) : 1.0;
    return p[1] * arm / (0.4 * floor_r);
}

static void make_spin_down(const double* p, grain_system* s)
{
    on_floor(s, 3, 0.0, 0.05, floor_depth);
    s->spheres[0].w[p[0] == 0.0 ? 1 : 2] = 0.1 * spin_rate(p) + 5.0;
    s->law.tangential = p[0] == 2.0 ? GRAIN_TANGENTIAL_LINEAR : GRAIN_FRICTIONLESS;
    s->law.friction = p[1];
    s->law.rolling = p[0] == 0.0 ? GRAIN_ROLLING_SPRING : GRAIN_ROLLING_FREE;
    s->law.rolling_friction = p[1];
    s->law.twisting = p[0] == 1.0 ? GRAIN_TWISTING_SPRING : p[0] == 2.0 ? GRAIN_MARSHALL : GRAIN_TWISTING_FREE;
    s->law.twisting_friction = p[1] * floor_r;
    s->law.twisting_stiffness = s->law.stiffness * floor_r * floor_r;
}

static void check_spin_down(const double* p, const grain_trajectory* t)
{
    int k = p[0] == 0.0 ? 1 : 2;
    double begin = t->system->spheres[0].w[k], torque = spin_rate(p) * 0.4 * floor_r * floor_r * floor_depth * floor_r;  // per k
    double spring = p[0] == 0.0 ? 2.0 / 7.0 * floor_r * floor_r : p[0] == 1.0 ? floor_r * floor_r : floor_r * floor_r * floor_depth / 7.0;
    double time = last(t)->time - 0.5 * torque / (spring * begin);
    CHECK_CLOSE((begin - last(t)->spheres[0].w[k]) / (spin_rate(p) * time), 1.0, 1e-3);
    CHECK_CLOSE(last(t)->spheres[0].v[0], 0.0, 0.0);
    grain_check_energy(t, 0.4 * grain_mass(3, &t->system->spheres[0]) * floor_r * floor_r * begin * begin, 1e-3);
}

// The same spins held by the springs: w = w0 cos(t sqrt(K/I)), with K = k_r r^2 or k_tw. p: 0 rolling, 1 twisting; ratio of the spring to k (r^2)
static void make_spin_swing(const double* p, grain_system* s)
{
    on_floor(s, 3, 0.0, 0.02, floor_depth);
    s->spheres[0].w[p[0] == 0.0 ? 1 : 2] = 1.0;
    s->law.tangential = GRAIN_FRICTIONLESS;
    s->law.tangential_stiffness = p[1];
    s->law.rolling = p[0] == 0.0 ? GRAIN_ROLLING_SPRING : GRAIN_ROLLING_FREE;
    s->law.twisting = p[0] == 0.0 ? GRAIN_TWISTING_FREE : GRAIN_TWISTING_SPRING;
    s->law.rolling_friction = s->law.twisting_friction = 1e9;
    s->law.twisting_stiffness = p[1] * s->law.stiffness * floor_r * floor_r;
    s->step *= 0.1;
    s->every = 500;
    s->steps = 5000;
}

static void check_spin_swing(const double* p, const grain_trajectory* t)
{
    double m = grain_mass(3, &t->system->spheres[0]), rate = sqrt(p[1] * t->system->law.stiffness / (0.4 * m));
    for (int64_t f = 0; f < t->count; ++f) {
        CHECK_CLOSE(t->frames[f].spheres[0].w[p[0] == 0.0 ? 1 : 2], cos(rate * t->frames[f].time), 3e-3);
        if (t->has_energies)
            CHECK_CLOSE(grain_energy_lost(&t->frames[f].energies) / (0.4 * m * floor_r * floor_r), 0.0, 1e-6);
    }
    grain_check_energy(t, 0.4 * m * floor_r * floor_r, 3e-3);
}

// A sphere that touches its own image in a periodic box: the forces cancel, the torques add. p: dimension, mu, overlap/r, spin about the axis across x
static void make_own_image(const double* p, grain_system* s)
{
    s->dim = (int)p[0];
    s->count = 1;
    s->spheres[0] = (grain_sphere){.x = {0.3, 0.2, 0.0}, .r = 1.0, .density = 1.0, .w = {0.0, 0.0, p[3]}};
    s->side[0] = GRAIN_PERIODIC;
    s->upper[0] = 2.0 - p[2];
    s->law.stiffness = 1e3;
    s->law.tangential = GRAIN_TANGENTIAL_LINEAR;
    s->law.friction = p[1];
    s->step = 1e-4;
    s->steps = 1000;
    s->every = 100;
}

static void check_own_image(const double* p, const grain_trajectory* t)
{
    double m = grain_mass((int)p[0], &t->system->spheres[0]), arm = 1.0 - 0.5 * p[2], force = t->system->law.stiffness * p[2];
    double rate = 2.0 * arm * p[1] * force / (grain_inertia_share((int)p[0]) * m),
           loaded = p[1] * force / (2.0 / 7.0 * t->system->law.stiffness) / (2.0 * arm * p[3]);
    const grain_frame* end = last(t);
    CHECK_CLOSE(end->spheres[0].w[2] / (p[3] - rate * (end->time - 0.5 * loaded)), 1.0, 1e-3);
    for (int k = 0; k < 3; ++k)
        CHECK_CLOSE(end->spheres[0].v[k], 0.0, 0.0);
    grain_check_energy(t, m * p[3] * p[3], 1e-4);
}

// A moving wall hits a sphere, elastic: v' = 2 V - v; the work of the wall is the gain. p: V, v
static void make_racket(const double* p, grain_system* s)
{
    s->count = 1;
    s->spheres[0] = (grain_sphere){.r = 1.0, .density = 1.0, .v = {0.3, 0.0, p[1]}};
    s->law.stiffness = 1e6;
    s->wall_velocity[2][0] = p[0];
    s->every = 10;
    aim(s, pi * sqrt(reduced_mass(s) / s->law.stiffness) / 500.0, 510);
}

static void check_racket(const double* p, const grain_trajectory* t)
{
    CHECK_CLOSE(last(t)->spheres[0].v[2], 2.0 * p[0] - p[1], 1e-4);
    CHECK_CLOSE(last(t)->spheres[0].v[0], 0.3, 0.0);
    if (t->has_energies) {
        double m = reduced_mass(t->system), v = 2.0 * p[0] - p[1];
        CHECK_CLOSE(last(t)->energies.wall_work, 0.5 * m * (v * v - p[1] * p[1]), 1e-3 * m);
    }
    grain_check_energy(t, reduced_mass(t->system), 1e-4);
}

// ---- Adhesion, plasticity, liquid --------------------------------------------------------------------------------------
//
// Head-on impact of two equal spheres (r 1, density 1) with closing speed v: v'^2 = v^2 - 2 loss/m*.

static void head_on(grain_system* s, double speed, double step, int64_t steps)
{
    s->count = 2;
    for (int i = 0; i < 2; ++i)
        s->spheres[i] = (grain_sphere){.r = 1.0, .density = 1.0, .v = {0.0, 0.0, i == 0 ? -0.5 * speed : 0.5 * speed}};
    s->law.young[0] = 1e6;
    s->every = 50;
    aim(s, step, steps);
}

static void check_head_on(const grain_trajectory* t, double speed, double loss, double tolerance)
{
    double m = reduced_mass(t->system), v = closing(t, last(t));
    assert_true(v > 0.0 && overlap_of(t, last(t)) < 0.0);
    CHECK_CLOSE(v * v / (speed * speed), 1.0 - 2.0 * loss / (m * speed * speed), tolerance);
    grain_check_energy(t, m * speed * speed, tolerance);
    if (t->has_energies)
        CHECK_CLOSE(grain_energy_lost(&last(t)->energies), loss, tolerance * m * speed * speed);
}

// JKR: contact forms at overlap 0 and breaks where the overlap is least, with U(break) - U(0) = 0.331498 E* a0^5/R*^2 lost, a0^3 = 4 pi gamma R*^2/E*. In units
// of a0, with s = 1/2: U(a) = 8/15 a^5 - 4/3 a^3.5 + a^2/2; U(1) = -0.3; the overlap a^2 - sqrt(a) is least at a^1.5 = 1/4, U = 0.0315. p: speed, gamma
static void make_jkr(const double* p, grain_system* s)
{
    s->law.normal = GRAIN_JKR;
    s->law.surface_energy = p[1];
    head_on(s, p[0], 4e-6, 17500);
}

static void check_jkr(const double* p, const grain_trajectory* t)
{
    double young = 5e5, radius = 0.5, a0 = cbrt(4.0 * pi * p[1] * radius * radius / young), part = pow(0.25, 2.0 / 3.0);
    double broken = 8.0 / 15.0 * pow(part, 5.0) - 4.0 / 3.0 * pow(part, 3.5) + 0.5 * part * part,
           loss = (broken + 0.3) * young * pow(a0, 5.0) / (radius * radius);
    check_head_on(t, p[0], loss, 1e-3);
}

// DMT: conservative but for the jump of the force at touch. p: speed, gamma
static void make_dmt(const double* p, grain_system* s)
{
    make_jkr(p, s);
    s->law.normal = GRAIN_DMT;
}

static void check_dmt(const double* p, const grain_trajectory* t)
{
    check_head_on(t, p[0], 0.0, 1e-3);
}

// A small sphere, held by adhesion, rolls round a large fixed one: speed and spin stay as they are, nothing is lost, and the springs remain slack. Its arm is r
// - overlap/2, and it goes round with v/(distance of the centres): three times, while it turns 13 times. The axis of the orbit is askew, and does not move. p: speed, turns, gamma
static void make_orbit(const double* p, grain_system* s)
{
    const double n[3] = {1.0 / 3.0, 2.0 / 3.0, 2.0 / 3.0}, u[3] = {2.0 / 3.0, 1.0 / 3.0, -2.0 / 3.0}, axis[3] = {-2.0 / 3.0, 2.0 / 3.0, -1.0 / 3.0};  // n x u
    s->count = 2;
    s->spheres[0] = (grain_sphere){.r = 1.0, .density = 1.0, .fixed = true};
    s->spheres[1] = (grain_sphere){.r = 0.3, .density = 1.0};
    s->law.normal = GRAIN_DMT;
    s->law.tangential = GRAIN_MINDLIN;
    s->law.young[0] = 1e6;
    s->law.friction = 0.5;
    s->law.surface_energy = p[2];
    double radius = 0.3 / 1.3, m = grain_mass(3, &s->spheres[1]), hold = 4.0 * pi * p[2] * radius - m * p[0] * p[0] / 1.3;
    double overlap = pow(hold / (4.0 / 3.0 * 5e5 * sqrt(radius)), 2.0 / 3.0), distance = 1.3 - overlap;
    for (int k = 0; k < 3; ++k) {
        s->spheres[1].x[k] = distance * n[k];
        s->spheres[1].v[k] = p[0] * u[k];
        s->spheres[1].w[k] = p[0] / (0.3 - 0.5 * overlap) * axis[k];
    }
    s->step = 0.05 * sqrt(m / (2.0 * 5e5 * sqrt(radius * overlap)));
    s->every = 500;
    s->steps = (int64_t)(p[1] * 2.0 * pi * distance / p[0] / s->step / (double)s->every) * s->every;
}

static void check_orbit(const double* p, const grain_trajectory* t)
{
    const grain_sphere *from = &t->system->spheres[1], *to = &last(t)->spheres[1];
    double distance = sqrt(dot(from->x, from->x)), angle = p[0] * last(t)->time / distance, spin = sqrt(dot(from->w, from->w));
    for (int k = 0; k < 3; ++k) {
        CHECK_CLOSE(to->x[k], cos(angle) * from->x[k] + sin(angle) * from->v[k] * distance / p[0], 1e-3);
        CHECK_CLOSE(to->w[k] / spin, from->w[k] / spin, 1e-4);
    }
    double energy = 0.7 * grain_mass(3, from) * p[0] * p[0];
    for (int64_t f = 0; f < t->count && t->has_energies; ++f)
        assert_true(t->frames[f].energies.tangential < 1e-12 * energy);  // its spring is then below 1e-5 of what it is when it slips
    grain_check_energy(t, energy, 1e-4);
}

// Plastic: the loading stores k1 d^2/2 = m v^2/2, of which unloading with k2' gives back the share k1/k2' and the cohesive triangle takes kc d_min d_0/2.
// p: speed, k1, k2, kc, phi_f
static void make_plastic(const double* p, grain_system* s)
{
    s->law.normal = GRAIN_PLASTIC;
    s->law.k1 = p[1];
    s->law.k2 = p[2];
    s->law.kc = p[3];
    s->law.plastic_depth = p[4];
    head_on(s, p[0], 1e-6, 1);
    aim(s, sqrt(reduced_mass(s) / p[2]) / 1000.0, 8000);
}

static void check_plastic(const double* p, const grain_trajectory* t)
{
    double m = reduced_mass(t->system), k1 = p[1], k2 = p[2], depth = p[0] * sqrt(m / k1), limit = k2 / (k2 - k1) * p[4];
    assert_true(depth < limit);
    double k = k1 + (k2 - k1) * depth / limit, zero = (1.0 - k1 / k) * depth, least = depth * (k - k1) / (k + p[3]);
    check_head_on(t, p[0], 0.5 * m * p[0] * p[0] * (1.0 - k1 / k) + 0.5 * p[3] * least * zero, 1e-4);
}

// Liquid bridge: formed at touch, broken at the gap (1 + angle/2) V^(1/3); what is lost is the integral of the force up to there. p: speed, volume, tension,
// angle
static void make_bridge(const double* p, grain_system* s)
{
    s->law.stiffness = 1e5;
    s->law.bridge_volume = p[1];
    s->law.surface_tension = p[2];
    s->law.wetting_angle = p[3];
    head_on(s, p[0], 4e-5, 10000);
}

static void check_bridge(const double* p, const grain_trajectory* t)
{
    double end = (1.0 + 0.5 * p[3]) * cbrt(p[1]), loss = 0.0;
    for (int k = 0; k < 1000; ++k) {  // midpoint rule
        double s = (k + 0.5) / 1000.0 * end * sqrt(1.0 / p[1]);
        loss += end / 1000.0 * 2.0 * pi * p[2] * cos(p[3]) / (1.0 + 1.05 * s + 2.5 * s * s);
    }
    check_head_on(t, p[0], loss, 1e-3);
}

// ---- A chain of beads ------------------------------------------------------------------------------------------------
//
// The pulse of a struck chain of Hertz contacts travels with (4/5 c^2)^(2/5) V_m^(1/5), c^2 = K (2r)^(5/2)/m = 2 E/(pi rho (1 - nu^2)), V_m the largest speed
// of a bead (Nesterenko). p: speed

enum { chain_beads = 60 };

static void make_chain(const double* p, grain_system* s)
{
    s->count = chain_beads;
    for (int i = 0; i < chain_beads; ++i)
        s->spheres[i] = (grain_sphere){.r = 5e-3, .density = 7780.0, .x = {0.0, 0.0, 1e-2 * i}};
    s->spheres[0].v[2] = p[0];
    s->law.normal = GRAIN_HERTZ;
    s->law.young[0] = 203e9;
    s->law.poisson[0] = 0.3;
    s->step = 5e-7;
    s->steps = 1300;
    s->every = 1;
}

static void check_chain(const double* p, const grain_trajectory* t)
{
    (void)p;
    double when[2], most = 0.0;
    for (int k = 0; k < 2; ++k) {  // the peak of beads 20 and 40, by a parabola through three frames
        int bead = k == 0 ? 20 : 40;
        int64_t best = 1;
        for (int64_t f = 1; f + 1 < t->count; ++f)
            if (t->frames[f].spheres[bead].v[2] > t->frames[best].spheres[bead].v[2])
                best = f;
        assert_true(best > 1 && best + 2 < t->count);
        double a = t->frames[best - 1].spheres[bead].v[2], b = t->frames[best].spheres[bead].v[2], c = t->frames[best + 1].spheres[bead].v[2];
        when[k] = t->frames[best].time + 0.5 * t->system->step * (a - c) / (a - 2.0 * b + c);
        most = b;
    }
    double c2 = 2.0 * 203e9 / (pi * 7780.0 * (1.0 - 0.09)), wanted = pow(0.8 * c2, 0.4) * pow(most, 0.2);
    CHECK_CLOSE(20.0 * 1e-2 / (when[1] - when[0]) / wanted, 1.0, 0.01);
}

// ---- The table -------------------------------------------------------------------------------------------------------

const grain_case grain_cases[] = {
    {"groove 20", make_groove, check_groove_numbers, {20.0, 0.1448, 67.78, 1e-4, 1.0}},
    {"groove 3", make_groove, check_groove, {3.0, 0.1391, 56.52, 1e-4, 2.0}},
    {"groove 5", make_groove, check_groove, {5.0, 0.1335, 58.62, 1e-4, 2.0}},
    {"groove 10", make_groove, check_groove, {10.0, 0.1346, 62.72, 1e-4, 2.0}},
    {"groove 50", make_groove, check_groove, {50.0, 0.1710, 74.81, 3e-4, 2.0}},
    {"groove 200", make_groove, check_groove, {200.0, 0.2359, 82.80, 3e-3, 2.0}},
    {"groove 1000", make_groove, check_groove, {1000.0, 0.3521, 86.90, 3e-2, 1.0}},
    {"impact glass", make_hertz, check_hertz_numbers, {0.01, 10.0, 4.8e10, 0.2, 2800.0, 1.0}},
    {"impact limestone", make_hertz, check_hertz_numbers, {0.01, 10.0, 2e10, 0.25, 2500.0, 1.0}},
    {"impact aluminium on plane", make_hertz, check_hertz_numbers, {0.1, 0.2, 7e10, 0.3, 2699.0, 0.0}},
    {"impact magnesium on plane", make_hertz, check_hertz_numbers, {0.1, 0.2, 4e10, 0.35, 1800.0, 0.0}},
    {"impact e 0.98 Hertz", make_restitution, check_restitution, {0.98, 1.0, 1.0}},
    {"impact e 0.5 Hertz", make_restitution, check_restitution, {0.5, 1.0, 1.0}},
    {"impact e 0.2 Hertz", make_restitution, check_restitution, {0.2, 1.0, 1.0}},
    {"impact e 0.98 Hertz no pull", make_restitution, check_restitution, {0.98, 0.0, 1.0}},
    {"impact e 0.5 Hertz no pull", make_restitution, check_restitution, {0.5, 0.0, 1.0}},
    {"impact e 0.1 Hertz no pull", make_restitution, check_restitution, {0.1, 0.0, 1.0}},
    {"impact e 0.5 linear", make_restitution, check_restitution, {0.5, 1.0, 0.0}},
    {"impact e 0.5 linear no pull", make_restitution, check_restitution, {0.5, 0.0, 0.0}},
    {"impact e 0.1 linear no pull", make_restitution, check_restitution, {0.1, 0.0, 0.0}},
    {"impact viscoelastic weak", make_viscoelastic, check_viscoelastic, {1e-6, 0.1, 0.0, 1e-5}},
    {"impact viscoelastic slow", make_viscoelastic, check_viscoelastic, {5e-5, 0.1, 0.809, 6e-4}},
    {"impact viscoelastic fast", make_viscoelastic, check_viscoelastic, {5e-5, 3.0, 0.661, 6e-4}},
    {"oblique 40 degrees", make_oblique, check_oblique, {3.9, 40.0, 0.0, 0.98, 0.092, 2.5e-3}},
    {"oblique 60 degrees", make_oblique, check_oblique, {3.9, 60.0, 0.0, 0.98, 0.092, 2.5e-3}},
    {"oblique 85 degrees", make_oblique, check_oblique, {3.9, 85.0, 0.0, 0.98, 0.092, 2.5e-3}},
    {"oblique 10 degrees", make_partial, check_partial, {10.0, 213.0}},
    {"oblique 20 degrees", make_partial, check_partial, {20.0, 511.0}},
    {"oblique 30 degrees", make_partial, check_partial, {30.0, 617.0}},
    {"oblique elastic", make_oblique, check_oblique, {5.0, 70.0, 0.0, 1.0, 0.3, 1e-5}},
    {"oblique spin", make_oblique, check_oblique, {0.2, 0.0, 10.0, 0.5, 0.4, 0.1}},
    {"oblique spins opposite", make_spins, check_spins, {10.0, 0.0}},
    {"oblique spins equal", make_spins, check_spins, {10.0, 1.0}},
    {"oblique small on large", make_small_on_large, check_small_on_large, {10.0, 0.0}},
    {"oblique with pull", make_pulled, check_pulled, {70.0, 0.3, 0.1}},
    {"oblique pair", make_pair_sliding, check_pair_sliding, {1.0, 2.0, 0.7, 0.25}},
    {"sticking sphere on wall 2/7", make_sticking, check_sticking, {3.0, 2.0 / 7.0, 0.0, 1.0}},
    {"sticking sphere on wall 0.8", make_sticking, check_sticking, {3.0, 0.8, 0.0, 1.0}},
    {"sticking spheres 2/7", make_sticking, check_sticking, {3.0, 2.0 / 7.0, 1.0, 0.4}},
    {"sticking disc on wall 1/3", make_sticking, check_sticking, {2.0, 1.0 / 3.0, 0.0, 1.0}},
    {"sticking discs 1/3", make_sticking, check_sticking, {2.0, 1.0 / 3.0, 1.0, 0.4}},
    {"slide to roll sphere", make_slide, check_slide, {3.0, 1.0, 0.4, 1e-5}},
    {"slide to roll sphere, deep", make_slide, check_slide, {3.0, 1.0, 0.4, 0.05}},
    {"slide to roll disc", make_slide, check_slide, {2.0, 1.0, 0.4, 1e-5}},
    {"incline sphere rolls", make_incline, check_incline, {3.0, 0.5, 0.4, 0.0}},
    {"incline sphere slides", make_incline, check_incline, {3.0, 1.0, 0.2, 0.0}},
    {"incline sphere rolls with friction", make_incline, check_incline, {3.0, 0.5, 0.4, 0.1}},
    {"incline sphere slides with friction", make_incline, check_incline, {3.0, 1.0, 0.3, 0.1}},
    {"incline sphere rests", make_incline, check_incline, {3.0, 0.2, 0.8, 0.5}},
    {"incline disc rolls", make_incline, check_incline, {2.0, 0.5, 0.4, 0.0}},
    {"incline disc slides", make_incline, check_incline, {2.0, 1.0, 0.2, 0.0}},
    {"incline disc rolls with friction", make_incline, check_incline, {2.0, 0.5, 0.4, 0.1}},
    {"incline disc rests", make_incline, check_incline, {2.0, 0.2, 0.8, 0.5}},
    {"block rests", make_block, check_block, {0.3, 0.8, 0.2}},
    {"block slides", make_block, check_block, {1.0, 0.8, 0.2}},
    {"spin rolling", make_spin_down, check_spin_down, {0.0, 0.3}},
    {"spin twisting", make_spin_down, check_spin_down, {1.0, 0.1}},
    {"spin Marshall", make_spin_down, check_spin_down, {2.0, 0.4}},
    {"spin held by rolling spring", make_spin_swing, check_spin_swing, {0.0, 0.3}},
    {"spin held by twisting spring", make_spin_swing, check_spin_swing, {1.0, 0.2}},
    {"image sphere", make_own_image, check_own_image, {3.0, 0.3, 0.02, 10.0}},
    {"image disc", make_own_image, check_own_image, {2.0, 0.3, 0.02, 10.0}},
    {"racket", make_racket, check_racket, {0.5, -0.7}},
    {"adhesion JKR", make_jkr, check_jkr, {0.12, 2.5}},
    {"adhesion DMT", make_dmt, check_dmt, {0.12, 2.5}},
    {"adhesion orbit", make_orbit, check_orbit, {0.5, 3.0, 2.5}},
    {"plastic", make_plastic, check_plastic, {0.1, 1e4, 5e4, 0.0, 0.1}},
    {"plastic cohesive", make_plastic, check_plastic, {0.1, 1e4, 5e4, 2e4, 0.1}},
    {"bridge", make_bridge, check_bridge, {0.3, 1e-4, 0.5, 0.0}},
    {"bridge wetting 0.5", make_bridge, check_bridge, {0.3, 1e-4, 0.5, 0.5}},
    {"chain", make_chain, check_chain, {1.0}},
};
const size_t grain_case_count = sizeof grain_cases / sizeof *grain_cases;

// ---- Running them ----------------------------------------------------------------------------------------------------

static void* plain_begin(const grain_system* system)
{
    return grain_begin(system);
}

static void plain_run(void* sim, int64_t steps)
{
    for (int64_t k = 0; k < steps; ++k)
        grain_step(sim);
}

static bool plain_look(void* sim, grain_sphere* spheres, grain_energies* energies)
{
    const grain_sim* it = sim;
    memcpy(spheres, it->now.spheres, (size_t)it->now.count * sizeof *spheres);
    *energies = grain_measure(it);
    return true;
}

static void plain_end(void* sim)
{
    grain_end(sim);
}

const grain_stepper grain_plain_stepper = {"plain", plain_begin, plain_run, plain_look, plain_end};

grain_trajectory grain_run(const grain_stepper* stepper, const grain_system* system)
{
    grain_trajectory t = {.system = system};
    void* sim = stepper->begin(system);
    if (sim == NULL)
        return t;
    t.count = system->steps / system->every + 1;
    t.frames = calloc((size_t)t.count, sizeof *t.frames);
    for (int64_t f = 0; f < t.count; ++f) {
        grain_frame* frame = &t.frames[f];
        if (f > 0)
            stepper->run(sim, system->every);
        frame->step = f * system->every;
        frame->time = (double)frame->step * system->step;
        frame->spheres = calloc((size_t)system->count, sizeof *frame->spheres);
        t.has_energies = stepper->look(sim, frame->spheres, &frame->energies);
    }
    stepper->end(sim);
    return t;
}

void grain_trajectory_free(grain_trajectory* t)
{
    for (int64_t f = 0; f < t->count; ++f)
        free(t->frames[f].spheres);
    free(t->frames);
    *t = (grain_trajectory){0};
}

int grain_run_cases(const grain_stepper* stepper, const char* begins)
{
    int ran = 0;
    for (size_t c = 0; c < grain_case_count; ++c) {
        const grain_case* it = &grain_cases[c];
        if (begins != NULL && strncmp(it->name, begins, strlen(begins)) != 0)
            continue;
        grain_sphere spheres[GRAIN_CASE_SPHERES] = {0};
        grain_system system = {.dim = 3, .law = grain_default_law(), .spheres = spheres, .every = 1};
        for (int m = 0; m < GRAIN_MATERIALS; ++m)
            system.law.young[m] = INFINITY;
        it->make(it->p, &system);
        grain_trajectory t = grain_run(stepper, &system);
        if (t.count == 0)
            continue;
        print_message("    %s: %s\n", stepper->name, it->name);
        it->check(it->p, &t);
        grain_trajectory_free(&t);
        ++ran;
    }
    return ran;
}
