// grain_plain: the plain reference of contact physics. Its parts against what they are derived from, its books, and its copies of LAMMPS' time levels against numbers
// measured there. test_grain_library.c compares the library with it sphere by sphere for all laws, and the library with closed forms and invariants
// (grain_cases.c, grain_invariants.c): what they tell about the one holds for the other.
#include "grain_cases.h"
#include "support.h"

static const double pi = 3.14159265358979323846;

static double length3(const double a[3])
{
    return sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
}

// ---- Runs --------------------------------------------------------------------------------------------------------------

// When the sphere leaves the groove of grain_cases.c, by equations of its own: it rolls or slides along the circle; across the groove it has no inertia. Each
// contact has a normal force N and a tangential one with components F along the circle and Q across it (upwards when positive, c = R/(R + r), s = rho/(R + r)).
// Per mass:
//
//     rolling:  F = -(1/2) kappa g sin(angle)/(s^2 + kappa)      across:  2 s N + 2 c Q = g cos(angle) - rho rate^2
//
// Q changes as the spring turns in its plane, by c rate (parallel transport) less half of the spin along the normal (twirl), and as the sphere moves outwards
// by y: Q by -k_t c y, N by -k s y. Where F^2 + Q^2 exceeds (mu N)^2, Q gives way; where F alone does, the sphere slides with F = mu N and Q = 0, and leaves
// when N is 0. The first 0.02 s, in which it settles, are simulated. 0: it has not left after 1 s.
static double groove_departure(double ratio, bool twirl)
{
    const double large = 5e-3, gravity = 9.81, mu = 0.5, k_t = 0.8235, kappa = 0.4, dt = 1e-5;
    double p[GRAIN_CASE_NUMBERS] = {ratio, 0.0, 0.0, 0.0, 1.0}, r = large / ratio, rho = sqrt(2.0 * large * r + r * r), c = large / (large + r), s = rho / (large + r);
    grain_sphere spheres[GRAIN_CASE_SPHERES] = {0};
    grain_system system = {.dim = 3, .law = grain_default_law(), .spheres = spheres};
    grain_cases[0].make(p, &system);
    system.law.young[0] = INFINITY;
    system.law.twirl = twirl;
    grain_sim* sim = grain_begin(&system);
    double time = 0.0, turn = 0.0, slides = 0.0;  // turn: spin times r
    for (; time < 0.02; time += system.step)
        grain_step(sim);
    const grain_sphere* at = &sim->now.spheres[2];
    double angle = atan2(at->x[1], at->x[2]), rate = (cos(angle) * at->v[1] - sin(angle) * at->v[2]) / rho;
    const double up[3] = {-s, c * sin(angle), c * cos(angle)}, *force = sim->contacts[0].tangential.applied;  // on the large sphere
    double across = -(force[0] * up[0] + force[1] * up[1] + force[2] * up[2]) / sim->mass[2], normal = sim->contacts[0].force_normal / sim->mass[2];
    grain_end(sim);

    for (; time < 1.0; time += dt) {  // midpoint rule
        double middle = angle + 0.5 * dt * rate, along = slides > 0.0 ? -mu * normal : -0.5 * kappa * gravity * sin(middle) / (s * s + kappa);
        double faster = rate + 0.5 * dt * (gravity * sin(middle) + 2.0 * along) / rho;
        angle += dt * faster;
        rate += dt * (gravity * sin(middle) + 2.0 * along) / rho;
        turn += dt * 2.0 * s * along / kappa;
        double load = gravity * cos(angle) - rho * rate * rate;
        if (slides > 0.0) {
            normal = load / (2.0 * s);
            if (normal <= 0.0)
                return time;
            if (rho * rate + s * turn < 0.0)
                slides = across = 0.0;
            continue;
        }
        across += dt * c * faster * (1.0 - (twirl ? 0.5 * (large + r) / r : 0.0)) * along;
        along = -0.5 * kappa * gravity * sin(angle) / (s * s + kappa);
        for (int k = 0; k < 200; ++k) {
            double outwards = (2.0 * s * normal + 2.0 * c * across - load) / (2.0 * (s * s + k_t * c * c));
            normal -= s * outwards;
            across -= k_t * c * outwards;
            if (mu * normal <= fabs(along)) {
                slides = time;
                turn = -rho * rate / s;
                break;
            }
            double most = sqrt(mu * mu * normal * normal - along * along);
            if (fabs(across) <= most)
                break;
            across = across > 0.0 ? most : -most;
        }
    }
    return 0.0;
}

// Without the twirl a sphere of ratio 200 stays wedged in the groove and circles it, however small the step.
static void the_time_of_departure_follows_from_the_equations(void** state)
{
    (void)state;
    for (int k = 0; k < 7; ++k)
        CHECK_CLOSE(groove_departure(grain_cases[k].p[0], true), grain_cases[k].p[1], 2e-4);
    CHECK_CLOSE(groove_departure(20.0, false), 0.1467, 2e-4);
    CHECK_CLOSE(groove_departure(50.0, false), 0.1789, 2e-4);
    CHECK_CLOSE(groove_departure(200.0, false), 0.0, 0.0);
}

// The scheme of LAMMPS keeps the small sphere in the groove. Angles of LAMMPS (29 Sep 2021), gran/hooke/history.
static void the_time_levels_of_lammps_circle_the_groove(void** state)
{
    (void)state;
    for (int rule = GRAIN_LAMMPS_CLASSIC; rule <= GRAIN_LAMMPS_GRANULAR; ++rule) {
        grain_sphere spheres[GRAIN_CASE_SPHERES] = {0};
        grain_system system = {.dim = 3, .law = grain_default_law(), .spheres = spheres};
        for (int m = 0; m < GRAIN_MATERIALS; ++m)
            system.law.young[m] = INFINITY;
        grain_cases[0].make(grain_cases[0].p, &system);
        system.law.rule = (grain_rule)rule;
        system.steps = 180000;
        system.every = 30000;
        grain_trajectory t = grain_run(&grain_plain_stepper, &system);
        const double *a = t.frames[5].spheres[2].x, *b = t.frames[6].spheres[2].x;
        CHECK_CLOSE(atan2(a[1], a[2]) * 180.0 / pi, 78.712, rule == GRAIN_LAMMPS_CLASSIC ? 1e-3 : 1e-2);
        CHECK_CLOSE(atan2(b[1], b[2]) * 180.0 / pi, 179.03, rule == GRAIN_LAMMPS_CLASSIC ? 1e-2 : 1e-1);
        grain_trajectory_free(&t);
    }
}

// ---- Energy ------------------------------------------------------------------------------------------------------------

// Largest error of the total over some pairs, as a share; *least: the most negative loss by tangential, rolling and twisting springs in one step.
static double energy_error(const grain_law* law, int finer, double* least)
{
    double worst = 0.0;
    *least = 0.0;
    for (uint64_t seed = 1; seed <= 8; ++seed) {
        grain_sphere spheres[GRAIN_CASE_SPHERES] = {0};
        grain_system system = {.law = *law, .spheres = spheres};
        grain_make_pair(seed, 3, &system);
        system.step /= finer;
        system.steps *= finer;
        grain_sim* sim = grain_begin(&system);
        grain_energies begin = grain_measure(sim), before = begin;
        double scale = begin.kinetic + begin.rotation;
        for (int64_t k = 0; k < system.steps; ++k) {
            grain_step(sim);
            grain_energies now = grain_measure(sim);
            *least = fmin(*least, (now.lost_slip + now.lost_dashpot - before.lost_slip - before.lost_dashpot) / scale);
            before = now;
        }
        worst = fmax(worst, fabs(grain_energy_total(&before) - grain_energy_total(&begin)) / scale);
        grain_end(sim);
    }
    return worst;
}

static void energy_adds_up_to_second_order(void** state)
{
    (void)state;
    static const int smooth[4] = {0, 3, 5, 8};  // without jumps of the force
    for (int k = 0; k < 4; ++k) {
        grain_law law;
        double least;
        assert_non_null(grain_example_law(smooth[k], &law));
        double coarse = energy_error(&law, 1, &least), fine = energy_error(&law, 4, &least);
        if (!(fine < coarse / 6.0) || !(coarse < 1e-6))
            fail_msg("%s: the energy is off by %g, with a fourth of the step by %g", grain_example_law(smooth[k], &law), coarse, fine);
    }
}

// Mindlin springs that stick: the speed after an impact, with 50 and 100 steps, averaged over where in a step the contact begins, less that with 1600.
static double stuck_speed(bool half, int steps)
{
    double mean = 0.0;
    for (int k = 0; k < 16; ++k) {
        grain_sphere sphere = {.r = 1.0, .density = 1.0, .v = {0.6, 0.0, -1.0}};
        grain_system system = {.dim = 3,
                               .count = 1,
                               .spheres = &sphere,
                               .law = grain_default_law(),
                               .wall_material = 1,
                               .side = {GRAIN_OPEN, GRAIN_OPEN, GRAIN_WALLED},
                               .upper = {0.0, 0.0, 9.0}};
        system.law.normal = GRAIN_HERTZ;
        system.law.tangential = GRAIN_MINDLIN;
        system.law.young[0] = 1e8;
        system.law.young[1] = INFINITY;
        system.law.friction = 1e6;
        system.law.half_stiffness = half;
        system.step = 2.943275 * pow(1.25 * grain_mass(3, &sphere) / (4.0 / 3.0 * 1e8), 0.4) / steps;
        sphere.x[2] = 1.0 + (1.0 + (k + 0.5) / 16.0) * system.step;
        grain_sim* sim = grain_begin(&system);
        for (int i = 0; i < steps + 6; ++i)
            grain_step(sim);
        mean += sim->now.spheres[0].v[0] / 16.0;
        grain_end(sim);
    }
    return mean;
}

static void the_stiffness_of_the_half_step_makes_mindlin_second_order(void** state)
{
    (void)state;
    double exact = stuck_speed(true, 1600);
    CHECK_CLOSE(stuck_speed(true, 50), exact, 5e-4);
    assert_true(fabs(stuck_speed(true, 100) - exact) < fabs(stuck_speed(true, 50) - exact) / 3.0);
    assert_true(fabs(stuck_speed(false, 100) - exact) > 10.0 * fabs(stuck_speed(true, 100) - exact));  // first order
}

// With a tangential dashpot the usual rule, spring = capped force less the dashpot's, stores energy in the spring that nothing has done as work, however small
// the step. A spring that never takes more than it had, and no more than the cap, does not: it loses energy in every step.
static void sliding_springs_take_no_energy_from_nowhere(void** state)
{
    (void)state;
    static const int with_dashpot[3] = {1, 2, 4};
    for (int k = 0; k < 3; ++k) {
        grain_law law;
        double least;
        assert_non_null(grain_example_law(with_dashpot[k], &law));
        assert_true(energy_error(&law, 1, &least) < 1e-6);
        assert_true(least > -1e-15);
        law.takes_over = true;
        assert_true(energy_error(&law, 1, &least) < 1e-6);
        assert_true(least < -1e-4);
    }
}

// ---- History -----------------------------------------------------------------------------------------------------------

// A pair with loaded tangential and rolling springs turns as one body about an axis at 1 rad to the normal: after a turn both forces are what they were. The
// spin is such that the surfaces do not slip: positions move along chords, tan(angle/2)/(angle/2) faster than the arc seen from the half step.
static double turned_force(bool twirl, int steps, double* length_error)
{
    grain_sphere spheres[2] = {{.r = 1.0, .density = 1.0}, {.r = 0.3, .density = 1.0}};
    double along = 1.29 * cos(1.0), across = 1.29 * sin(1.0), angle = 2.0 * pi / steps;
    spheres[0].x[0] = across;
    spheres[0].x[2] = along;
    grain_system system = {.dim = 3, .count = 2, .spheres = spheres, .law = grain_default_law(), .step = 1e-3};
    system.law.tangential = GRAIN_TANGENTIAL_LINEAR;
    system.law.stiffness = 1e3;
    system.law.friction = 1e3;
    system.law.young[0] = 1.0;
    system.law.rolling = GRAIN_ROLLING_SPRING;
    system.law.rolling_friction = 1e3;
    system.law.twirl = twirl;
    grain_sim* sim = grain_begin(&system);
    assert_int_equal((int)sim->contact_count, 1);
    double start[3] = {cos(1.0), 0.6, -sin(1.0)}, size = length3(start), error = 0.0;
    memcpy(sim->contacts[0].tangential.force, start, sizeof start);
    memcpy(sim->contacts[0].rolling.force, start, sizeof start);
    for (int k = 1; k <= steps; ++k) {
        grain_sphere* s = sim->now.spheres;
        memset(sim->a, 0, 2 * sizeof *sim->a);
        memset(sim->alpha, 0, 2 * sizeof *sim->alpha);
        for (int i = 0; i < 2; ++i) {
            memset(s[i].v, 0, sizeof s[i].v);
            memset(s[i].w, 0, sizeof s[i].w);
            s[i].w[2] = 2.0 * tan(0.5 * angle) / system.step;
        }
        s[0].v[0] = (across * cos(k * angle) - s[0].x[0]) / system.step;
        s[0].v[1] = (across * sin(k * angle) - s[0].x[1]) / system.step;
        grain_step(sim);
        error = fmax(error, fabs(length3(sim->contacts[0].tangential.force) - size));
        error = fmax(error, fabs(length3(sim->contacts[0].rolling.force) - size));
    }
    double apart[2] = {0.0, 0.0};
    for (int k = 0; k < 3; ++k) {
        apart[0] += pow(sim->contacts[0].tangential.force[k] - start[k], 2.0);
        apart[1] += pow(sim->contacts[0].rolling.force[k] - start[k], 2.0);
    }
    grain_end(sim);
    *length_error = error / size;
    return sqrt(fmax(apart[0], apart[1])) / size;
}

// A projection by the angle b shortens only the part of the spring along the motion of n, which turns the spring by up to b^2/4: two of these per step make the
// direction first order.
static void a_loaded_contact_turns_with_its_pair(void** state)
{
    (void)state;
    double error;
    double coarse = turned_force(true, 300, &error), fine = turned_force(true, 600, &error);
    CHECK_CLOSE(error, 0.0, 1e-12);
    CHECK_CLOSE(fine, 0.0, 600.0 * 2.0 * 0.25 * pow(pi * sin(1.0) / 600.0, 2.0) * 1.05);
    assert_true(fine < coarse / 1.9);
    assert_true(turned_force(false, 600, &error) > 0.1);  // by 2 pi cos(1)
    CHECK_CLOSE(error, 0.0, 1e-12);
}

// Spheres that part while liquid holds them: the bridge pulls along the normal, and friction is over.
static void a_bridge_alone_has_no_friction(void** state)
{
    (void)state;
    grain_sphere spheres[GRAIN_CASE_SPHERES] = {0};
    grain_system system = {.spheres = spheres};
    assert_non_null(grain_example_law(9, &system.law));
    grain_make_pair(1, 3, &system);
    system.law.tangential_damping = 1.0;  // a force that is there to the last
    grain_sim* sim = grain_begin(&system);
    int touched = 0, bridged = 0;
    for (int64_t k = 0; k < system.steps; ++k) {
        grain_step(sim);
        const grain_contact* c = sim->contacts;
        if (sim->contact_count == 0)
            continue;
        touched += c->solid;
        if (c->solid)
            continue;
        ++bridged;
        double pull = -grain_bridge_force(&system.law, c->radius, -c->overlap);
        CHECK_CLOSE(length3(c->force), pull, 1e-12 * pull);
        CHECK_CLOSE(length3(c->tangential.force) + length3(c->tangential.applied), 0.0, 0.0);
    }
    assert_true(touched > 100 && bridged > 100 && sim->contact_count == 0);
    grain_end(sim);
}

// ---- Parts -------------------------------------------------------------------------------------------------------------

static void damping_gives_the_restitution(void** state)
{
    (void)state;
    // Found elsewhere by integration of Hertz impacts that end when the force would pull.
    static const double known[8][2] = {{0.1, 2.780}, {0.2, 1.635}, {0.4, 0.793}, {0.5, 0.571}, {0.6, 0.404}, {0.8, 0.1663}, {0.9, 0.0766}, {0.98, 0.01444}};
    for (int k = 0; k < 8; ++k) {
        double e = known[k][0], share = grain_damping_share(e, false), log_e = log(e);
        CHECK_CLOSE(grain_restitution(share, false), e, 1e-12);
        CHECK_CLOSE(sqrt(5.0) * share / known[k][1], 1.0, 1.5e-3);
        CHECK_CLOSE(grain_damping_share(e, true), -log_e / sqrt(pi * pi + log_e * log_e), 1e-12);
    }
}

static void moduli_of_a_pair(void** state)
{
    (void)state;
    grain_law law = grain_default_law();
    law.young[0] = 7e10;
    law.poisson[0] = 0.22;
    law.young[1] = 2.1e11;
    law.poisson[1] = 0.3;
    law.young[2] = INFINITY;
    double shear = 1.0 / (2.0 * (2.0 - 0.22) * 1.22 / 7e10 + 2.0 * (2.0 - 0.3) * 1.3 / 2.1e11);
    CHECK_CLOSE(grain_effective_shear(&law, 0, 1) / shear, 1.0, 1e-14);
    CHECK_CLOSE(grain_effective_young(&law, 0, 2) / (7e10 / (1.0 - 0.22 * 0.22)), 1.0, 1e-14);
    CHECK_CLOSE(grain_effective_young(&law, 1, 0), grain_effective_young(&law, 0, 1), 0.0);
}

static void adhesion_has_its_pull_off(void** state)
{
    (void)state;
    double young = 1e7, gamma = 0.1, radius = 5e-3, unit = pi * gamma * radius, end = grain_jkr_end(young, gamma, radius), least = 0.0;
    CHECK_CLOSE(grain_jkr_force(young, gamma, radius, grain_jkr_radius(young, gamma, radius, 0.0)), -4.18879e-3, 1e-8);
    for (int k = 0; k <= 20000; ++k) {
        double overlap = end * (1.0 - 4.0 * k / 20000.0), a = grain_jkr_radius(young, gamma, radius, overlap);
        CHECK_CLOSE(a * a / radius - 2.0 * sqrt(pi * gamma * a / young), overlap, 1e-12 * fabs(end));
        least = fmin(least, grain_jkr_force(young, gamma, radius, a));
    }
    CHECK_CLOSE(least / unit, -3.0, 1e-6);
    CHECK_CLOSE(grain_jkr_force(young, gamma, radius, grain_jkr_radius(young, gamma, radius, end)) / unit, -5.0 / 3.0, 1e-3);
    CHECK_CLOSE(end, -cbrt(9.0 * 3.0 * pi * pi * gamma * gamma * radius / (16.0 * young * young)), 1e-12 * fabs(end));
    double h = 1e-4 * fabs(end);
    for (int k = 1; k < 10; ++k) {  // the force is the slope of the energy
        double x = end * (0.9 - 0.3 * k), up = grain_jkr_energy(young, gamma, radius, grain_jkr_radius(young, gamma, radius, x + h));
        double down = grain_jkr_energy(young, gamma, radius, grain_jkr_radius(young, gamma, radius, x - h));
        CHECK_CLOSE((up - down) / (2.0 * h) / unit, grain_jkr_force(young, gamma, radius, grain_jkr_radius(young, gamma, radius, x)) / unit, 1e-5);
    }

    grain_sphere spheres[2] = {{.r = 0.01, .density = 1.0}, {.r = 0.01, .density = 1.0, .x = {0.02 - 1e-14, 0.0, 0.0}}};
    grain_system system = {.dim = 3, .count = 2, .spheres = spheres, .law = grain_default_law(), .step = 1.0};
    system.law.normal = GRAIN_DMT;
    system.law.young[0] = 2.0 * young;
    system.law.surface_energy = gamma;
    grain_sim* sim = grain_begin(&system);
    assert_int_equal((int)sim->contact_count, 1);
    CHECK_CLOSE(sim->contacts[0].force_normal / unit, -4.0, 1e-6);
    grain_end(sim);
}

// Load to 1, unload to the cohesive limit and along it, load again; the area of the loop without cohesion.
static void a_plastic_contact_follows_its_polygon(void** state)
{
    (void)state;
    grain_law law = grain_default_law();
    law.k1 = 2.0;
    law.k2 = 6.0;
    law.kc = 1.0;
    law.plastic_depth = 0.5;
    double radius = 2.0, limit = 1.5 * 0.5 * 4.0, depth = 0.0, stiffness;  // limit 3
    for (int k = 1; k <= 100; ++k)
        CHECK_CLOSE(grain_plastic_force(&law, radius, 0.01 * k, &depth, &stiffness), 0.02 * k, 1e-14);
    double slope = 2.0 + 4.0 / limit, zero = 1.0 - 2.0 / slope, least = (slope - 2.0) / (slope + 1.0);
    CHECK_CLOSE(stiffness, slope, 1e-14);
    CHECK_CLOSE(grain_plastic_force(&law, radius, 0.7, &depth, &stiffness), slope * (0.7 - zero), 1e-14);
    CHECK_CLOSE(grain_plastic_force(&law, radius, 1.001 * least, &depth, &stiffness), slope * (1.001 * least - zero), 1e-14);
    CHECK_CLOSE(depth, 1.0, 0.0);
    CHECK_CLOSE(grain_plastic_force(&law, radius, 0.5 * least, &depth, &stiffness), -0.5 * least, 1e-14);
    assert_true(depth < 1.0);
    double shrunk = depth, line = 2.0 + 4.0 * shrunk / limit;
    CHECK_CLOSE(line * 0.5 * least - (line - 2.0) * shrunk, -0.5 * least, 1e-14);                          // its line goes through the limit
    CHECK_CLOSE(grain_plastic_force(&law, radius, 0.5 * least, &depth, &stiffness), -0.5 * least, 1e-14);  // and nothing moves without motion
    CHECK_CLOSE(depth, shrunk, 1e-14);
    CHECK_CLOSE(grain_plastic_force(&law, radius, shrunk, &depth, &stiffness), 2.0 * shrunk, 1e-14);
    CHECK_CLOSE(grain_plastic_force(&law, radius, 4.0, &depth, &stiffness), 6.0 * (4.0 - (1.0 - 2.0 / 6.0) * limit), 1e-13);
    CHECK_CLOSE(grain_plastic_force(&law, radius, 3.0, &depth, &stiffness), 6.0, 1e-13);

    law.kc = 0.0;
    double loop = 0.0, last = 0.0;
    depth = 0.0;
    for (int k = 1; k <= 2000; ++k) {
        double x = (k <= 1000 ? k : 2000 - k) / 1000.0, force = grain_plastic_force(&law, radius, x, &depth, &stiffness);
        loop += 0.5 * (force + last) * (k <= 1000 ? 1e-3 : -1e-3);
        last = force;
    }
    CHECK_CLOSE(loop, 0.5 * (2.0 - 4.0 / slope), 1e-5);
    law.k2 = law.k1;
    CHECK_CLOSE(grain_plastic_force(&law, radius, 0.3, &depth, &stiffness), 0.6, 1e-14);
}

static void a_liquid_bridge_has_an_energy(void** state)
{
    (void)state;
    grain_law law = grain_default_law();
    law.bridge_volume = 1e-12;
    law.surface_tension = 0.072;
    law.wetting_angle = 0.4;
    double radius = 1e-3, h = 1e-9;
    CHECK_CLOSE(grain_bridge_end(&law), 1.2e-4, 1e-18);
    CHECK_CLOSE(grain_bridge_force(&law, radius, -1e-6), -4.0 * pi * 1e-3 * 0.072 * cos(0.4), 1e-18);
    for (int k = -3; k <= 10; ++k) {
        double gap = 1e-5 * k + 0.5e-5, slope = (grain_bridge_energy(&law, radius, gap + h) - grain_bridge_energy(&law, radius, gap - h)) / (2.0 * h);
        CHECK_CLOSE(-slope / grain_bridge_force(&law, radius, gap), 1.0, 1e-6);
    }
}

static const test_case cases[] = {
    UNIT(the_time_of_departure_follows_from_the_equations),
    UNIT(the_time_levels_of_lammps_circle_the_groove),
    UNIT(energy_adds_up_to_second_order),
    UNIT(the_stiffness_of_the_half_step_makes_mindlin_second_order),
    UNIT(sliding_springs_take_no_energy_from_nowhere),
    UNIT(a_loaded_contact_turns_with_its_pair),
    UNIT(a_bridge_alone_has_no_friction),
    UNIT(damping_gives_the_restitution),
    UNIT(moduli_of_a_pair),
    UNIT(adhesion_has_its_pull_off),
    UNIT(a_plastic_contact_follows_its_polygon),
    UNIT(a_liquid_bridge_has_an_energy),
};

const test_group group_grain_plain = {.name = "grain_plain", .cases = cases, .count = sizeof cases / sizeof *cases};
