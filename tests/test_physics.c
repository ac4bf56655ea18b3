// Physics of simulations: single contacts against their closed form, columns and balls under gravity, walls that move, derived numbers. test_gas.c has gases.
#include "sim_support.h"

// ---- One impact --------------------------------------------------------------------------------------------------------

typedef struct seen {
    double gap, along, speed, momentum[3];
} seen;

typedef struct impact {
    int dim;
    bool wall;      // of sphere 0 with a wall, not with sphere 1
    bool periodic;  // the pair may lie across faces
    double r[2];
    double density; // 0: any
    double k, damping, restitution;
    double steps;   // per contact
    double depth;   // the largest overlap, as a share of the smaller radius
    double across;  // relative speed across the line of centres, as a share of that along it
    double phase;   // of the step in which they touch, 0..1
    uint64_t seed;  // direction, place, common velocity
} impact;

typedef struct outcome {
    swing wanted;
    double restitution;  // measured
    double duration;     // measured / wanted
    double overlap;      // largest seen at steps / wanted
    double momentum;     // change / (mass * speed)
    double speed;        // relative, after / before
} outcome;

// Gap of the two, or of sphere 0 and the wall, the speed at which it opens, and the relative speed.
static seen look(scree_sim* sim, const impact* it, const double mass[2], int face)
{
    double x[6] = {0}, v[6] = {0};
    sim_copy state = {.x = x, .v = v};
    CHECK_OK(sim_copy_get(sim, &state));
    seen s = {0};
    scree_box box = scree_sim_get_box(sim);
    for (int i = 0; i < (it->wall ? 1 : 2); ++i)
        for (int k = 0; k < it->dim; ++k)
            s.momentum[k] += mass[i] * v[i * it->dim + k];
    if (it->wall) {
        int k = face / 2;
        s.gap = (face & 1 ? box.upper[k] - x[k] : x[k] - box.lower[k]) - it->r[0];
        s.along = face & 1 ? -v[k] : v[k];
        for (int e = 0; e < it->dim; ++e)
            s.speed += v[e] * v[e];
        s.speed = sqrt(s.speed);
        return s;
    }
    double d[3] = {0}, u[3] = {0};
    for (int k = 0; k < it->dim; ++k) {
        double length = box.upper[k] - box.lower[k];
        d[k] = x[k] - x[it->dim + k];
        d[k] -= it->periodic ? rint(d[k] / length) * length : 0.0;
        u[k] = v[k] - v[it->dim + k];
    }
    double distance = sqrt(dot3(d, d));
    s.gap = distance - (it->r[0] + it->r[1]);
    s.along = dot3(d, u) / distance;
    s.speed = sqrt(dot3(u, u));
    return s;
}

// They touch (1 + phase) steps after the start; flight is exact in Verlet, so the moment at which they part follows from where they are
// at the end.
static outcome collide(const impact* it)
{
    scree_rng rng = scree_rng_make(it->seed, 5);
    int dim = it->dim, count = it->wall ? 1 : 2, face = (int)scree_rng_below(&rng, (uint64_t)(2 * dim));
    double density = it->density > 0.0 ? it->density : sim_between(&rng, 0.5, 5.0), size = 4.0 * (it->r[0] + it->r[1]);
    double mass[2] = {sim_test_mass(dim, density, it->r[0]), sim_test_mass(dim, density, it->r[1])};
    double mu = it->wall ? mass[0] : mass[0] * mass[1] / (mass[0] + mass[1]);
    double g = it->restitution > 0.0 ? dashpot_of(it->k, it->restitution, mu) : it->damping;
    outcome o = {.wanted = swing_of(it->k, g, mu)};
    double speed = it->depth * (it->wall ? it->r[0] : fmin(it->r[0], it->r[1])) / o.wanted.overlap;
    double step = o.wanted.duration / it->steps * (1.0 - 1e-9), flight = (1.0 + it->phase) * step;

    double n[3], t[3], drift[3], x[6] = {0}, v[6] = {0};
    sim_direction(&rng, dim, n);
    if (it->wall)
        for (int k = 0; k < 3; ++k)
            n[k] = k != face / 2 ? 0.0 : face & 1 ? -1.0 : 1.0;
    do {
        sim_direction(&rng, dim, t);
        double along = dot3(t, n);
        for (int k = 0; k < 3; ++k)
            t[k] -= along * n[k];
    } while (dot3(t, t) < 1e-4);
    double length = sqrt(dot3(t, t));
    for (int k = 0; k < 3; ++k) {
        t[k] /= length;
        drift[k] = it->wall ? 0.0 : sim_between(&rng, -1.0, 1.0) * speed;
    }
    scree_sim_def def = scree_default_sim_def();
    def.box = sim_cube(dim, size, it->periodic);
    for (int k = 0; k < dim; ++k) {
        double centre = it->periodic ? sim_between(&rng, 0.0, size) : 0.5 * size, u = -speed * n[k] + it->across * speed * t[k];
        if (it->wall) {
            double at = k == face / 2 ? (face & 1 ? size - it->r[0] : it->r[0]) : centre;
            v[k] = u;
            x[k] = at - flight * v[k];
            continue;
        }
        v[k] = drift[k] + u * mass[1] / (mass[0] + mass[1]);
        v[dim + k] = drift[k] - u * mass[0] / (mass[0] + mass[1]);
        x[k] = scree_box_wrap(&def.box, k, centre + n[k] * (it->r[0] + it->r[1]) - flight * v[k], NULL);
        x[dim + k] = scree_box_wrap(&def.box, k, centre - flight * v[dim + k], NULL);
    }
    def.material_density = density;
    def.stiffness = it->k;
    def.damping = it->damping;
    def.restitution = it->restitution;
    def.time_step = step;
    def.order_every = 7;
    scree_sim* sim;
    CHECK_OK(scree_sim_create(&def, (scree_spheres){.count = count, .dim = dim, .x = x, .r = it->r}, v, &sim));
    seen before = look(sim, it, mass, face), after = before;
    assert_true(before.gap > 0.0);
    double deepest = 0.0;
    int64_t last = (int64_t)ceil(it->steps * 1.1) + 6;
    for (int64_t s = 0; s < last; ++s) {
        CHECK_OK(scree_sim_run(sim, 1));
        after = look(sim, it, mass, face);
        deepest = fmax(deepest, -after.gap);
    }
    assert_true(after.gap > 0.0 && after.along > 0.0);
    o.restitution = after.along / speed;
    o.duration = (scree_sim_get_time(sim) - after.gap / after.along - flight) / o.wanted.duration;
    o.overlap = deepest / (speed * o.wanted.overlap);
    o.speed = after.speed / before.speed;
    for (int k = 0; k < dim; ++k)
        if (!it->wall || k != face / 2)
            o.momentum = fmax(o.momentum, fabs(after.momentum[k] - before.momentum[k]) / ((mass[0] + mass[1]) * speed));
    scree_sim_destroy(sim);
    return o;
}

static impact any_impact(scree_rng* rng, uint64_t seed)
{
    impact it = {.dim = 2 + (int)scree_rng_below(rng, 2), .wall = scree_rng_below(rng, 3) == 0, .seed = seed};
    it.periodic = !it.wall && scree_rng_below(rng, 2) == 0;
    it.r[0] = pow(10.0, sim_between(rng, -0.5, 0.5));
    it.r[1] = pow(10.0, sim_between(rng, -0.5, 0.5));
    it.k = pow(10.0, sim_between(rng, -2.0, 6.0));
    it.depth = pow(10.0, sim_between(rng, -4.0, -1.5));
    it.phase = scree_rng_uniform(rng);
    it.steps = 50.0;
    return it;
}

typedef struct range {
    double least, most, sum;
    int64_t count;
} range;

static void take(range* r, double value)
{
    r->least = r->count == 0 ? value : fmin(r->least, value);
    r->most = r->count == 0 ? value : fmax(r->most, value);
    r->sum += value;
    ++r->count;
}

static void elastic_impacts_follow_the_closed_form(void** state)
{
    (void)state;
    scree_rng rng = scree_rng_make(1, 0);
    range e = {0}, duration = {0}, overlap = {0};
    for (int c = 0; c < (int)(1000 * test_effort()) + 50; ++c) {
        impact it = any_impact(&rng, (uint64_t)c);
        it.restitution = c % 3 == 0 ? 1.0 : 0.0;
        outcome o = collide(&it);
        take(&e, o.restitution - 1.0);
        take(&duration, o.duration - 1.0);
        take(&overlap, o.overlap - 1.0);
        // Verlet's oscillator is faster by (w dt)^2 / 24; the deepest moment lies up to half a step beside the deepest step.
        if (!(fabs(o.restitution - 1.0) < 5e-5) || !(fabs(o.duration - 1.0) < 3e-4) || !(fabs(o.overlap - 1.0) < 1e-3) || !(o.momentum < 1e-10))
            fail_msg("case %d: restitution 1 %+.3g, duration 1 %+.3g, overlap 1 %+.3g, momentum %.3g", c, o.restitution - 1.0, o.duration - 1.0,
                     o.overlap - 1.0, o.momentum);
    }
    print_message("e - 1: %.2g to %.2g, mean %.1g; duration off by %.2g to %.2g, overlap by %.2g to %.2g\n", e.least, e.most,
                  e.sum / (double)e.count, duration.least, duration.most, overlap.least, overlap.most);
    CHECK_CLOSE(e.sum / (double)e.count, 0.0, 3e-6);
}

// Beside the line of centres the spring turns while they touch, so that only what is kept is known: speed (energy) and momentum.
static void oblique_elastic_impacts_keep_energy_and_momentum(void** state)
{
    (void)state;
    scree_rng rng = scree_rng_make(4, 0);
    for (int c = 0; c < (int)(300 * test_effort()) + 50; ++c) {
        impact it = any_impact(&rng, (uint64_t)c);
        it.depth = fmin(it.depth, 1e-3);
        it.across = sim_between(&rng, 0.1, 2.0);
        outcome o = collide(&it);
        if (!(fabs(o.speed - 1.0) < 5e-5) || !(fabs(o.restitution - 1.0) < 0.05) || !(o.momentum < 1e-10))
            fail_msg("case %d: speed 1 %+.3g, restitution 1 %+.3g, momentum %.3g", c, o.speed - 1.0, o.restitution - 1.0, o.momentum);
    }
}

static void damped_impacts_follow_the_closed_form(void** state)
{
    (void)state;
    scree_rng rng = scree_rng_make(2, 0);
    range e = {0}, overlap = {0};
    for (int c = 0; c < (int)(1000 * test_effort()) + 50; ++c) {
        impact it = any_impact(&rng, (uint64_t)c);
        it.restitution = 0.9;
        outcome o = collide(&it);
        take(&e, o.restitution);
        take(&overlap, o.overlap);
        // The dashpot begins and ends with a jump that falls between steps; so much can the deepest overlap and the speed be off.
        if (!(fabs(o.restitution / 0.9 - 1.0) < 0.005) || !(fabs(o.duration - 1.0) < 3e-4) || !(fabs(o.overlap - 1.0) < 4e-3) ||
            !(o.momentum < 1e-10))
            fail_msg("case %d: restitution %.6g, duration 1 %+.3g, overlap 1 %+.3g, momentum %.3g", c, o.restitution, o.duration - 1.0,
                     o.overlap - 1.0, o.momentum);
    }
    print_message("e: %.5f to %.5f, mean %.5f; overlap off by %.2g to %.2g\n", e.least, e.most, e.sum / (double)e.count, overlap.least - 1.0,
                  overlap.most - 1.0);
    CHECK_CLOSE(e.sum / (double)e.count, 0.9, 4e-4);
}

// One phase of the step, so that nothing is left but the sizes.
static void restitution_is_the_same_for_all_sizes(void** state)
{
    (void)state;
    for (int w = 0; w < 3; ++w) {
        range e = {0};
        for (int c = 0; c < 120; ++c) {
            impact it = {.dim = 2 + c % 2, .wall = c % 5 == 0, .k = 1e4, .restitution = 0.3 + 0.3 * w, .steps = 100.0, .depth = 1e-3, .phase = 0.4};
            it.r[0] = 1.0;
            it.r[1] = pow(10.0, -1.0 + c / 60.0);
            it.seed = (uint64_t)c;
            take(&e, collide(&it).restitution);
        }
        CHECK_CLOSE(e.most - e.least, 0.0, 1e-8);
        CHECK_CLOSE(e.sum / (double)e.count, 0.3 + 0.3 * w, 2e-3);
    }
}

static void one_damping_gives_each_pair_its_own_restitution(void** state)
{
    (void)state;
    scree_rng rng = scree_rng_make(6, 0);
    for (int c = 0; c < (int)(300 * test_effort()) + 30; ++c) {
        impact it = any_impact(&rng, (uint64_t)c);
        double wanted = sim_between(&rng, 0.3, 0.98);
        it.density = 1.0;
        it.steps = 200.0;
        double m[2] = {sim_test_mass(it.dim, 1.0, it.r[0]), sim_test_mass(it.dim, 1.0, it.r[1])};
        it.damping = dashpot_of(it.k, wanted, it.wall ? m[0] : m[0] * m[1] / (m[0] + m[1]));
        // Single impacts scatter, the more the stronger the damping (see the next test).
        CHECK_CLOSE(collide(&it).restitution / wanted, 1.0, 0.015);
    }
}

// Error of the mean over all phases, and the largest over them.
static range errors_of(double restitution, double steps, int phases)
{
    range e = {0};
    for (int c = 0; c < phases; ++c) {
        impact it = {.dim = 2 + c % 2, .k = 1e4, .restitution = restitution, .steps = steps, .depth = 1e-3, .seed = (uint64_t)c};
        it.wall = c % 4 == 0;
        it.phase = (c + 0.5) / phases;
        it.r[0] = 1.0;
        it.r[1] = 0.3 + 0.01 * c;
        take(&e, collide(&it).restitution / restitution - 1.0);
    }
    return e;
}

static void the_error_of_elastic_impacts_is_of_third_order(void** state)
{
    (void)state;
    static const double steps[] = {10.0, 20.0, 50.0, 100.0, 200.0}, seen_before[] = {2e-3, 2.5e-4, 1.6e-5, 2e-6, 2.5e-7};
    double largest[5];
    for (int s = 0; s < 5; ++s) {
        range e = errors_of(1.0, steps[s], 120);
        largest[s] = fmax(-e.least, e.most);
        print_message("%g steps: |e - 1| up to %.3g\n", steps[s], largest[s]);
        CHECK_CLOSE(largest[s] / seen_before[s], 1.0, 0.1);
        CHECK_CLOSE(e.sum / (double)e.count / largest[s], 0.0, 0.1);
        if (s > 0)
            CHECK_CLOSE(log(largest[s - 1] / largest[s]) / log(steps[s] / steps[s - 1]), 3.0, 0.1);
    }
}

// The law sees velocities predicted for the moment of the places; with those of half a step before, the error would be of first order.
static void the_mean_error_of_damped_impacts_is_of_second_order(void** state)
{
    (void)state;
    static const double es[] = {0.9, 0.5, 0.3}, steps[] = {20.0, 40.0, 80.0};
    static const double at_20[] = {-1.2e-3, -1.05e-2, -2.1e-2};
    for (int w = 0; w < 3; ++w) {
        double mean[3];
        for (int s = 0; s < 3; ++s) {
            range e = errors_of(es[w], steps[s], 200);
            mean[s] = e.sum / (double)e.count;
            print_message("e = %g, %g steps: e off by %.3g to %.3g, mean %.3g\n", es[w], steps[s], e.least, e.most, mean[s]);
        }
        CHECK_CLOSE(mean[0], at_20[w], 0.15 * fabs(at_20[w]));
        CHECK_CLOSE(log(mean[0] / mean[2]) / log(4.0), 2.0, 0.25);
    }
}

// ---- Gravity ------------------------------------------------------------------------------------------------------------

static void a_falling_sphere_follows_its_parabola(void** state)
{
    (void)state;
    for (int c = 0; c < 8; ++c) {
        int dim = 2 + c % 2;
        double x[3] = {0.1, 0.2, 0.3}, v[3] = {1.0, -2.0, 0.5};
        scree_sim_def def = scree_default_sim_def();
        def.box = scree_box_open(dim);
        def.gravity[0] = 0.7;
        def.gravity[dim - 1] = -9.81;
        def.stiffness = 100.0;
        def.damping = c < 4 ? 0.0 : 0.1;
        scree_sim* sim = sim_made(&def, 1, x, (const double[]){0.5}, v);
        sim_copy at = sim_copy_make(1, dim);
        double start[3], speed[3], since = 0.0;
        for (int part = 0; part < 3; ++part) {
            // Gravity changes at once, in the middle of a flight.
            const double* g = part == 0 ? def.gravity : (const double[3]){-1.5, 3.0, dim == 3 ? 0.25 * part : 0.0};
            CHECK_OK(sim_copy_get(sim, &at));
            memcpy(start, at.x, (size_t)dim * sizeof *start);
            memcpy(speed, at.v, (size_t)dim * sizeof *speed);
            if (part > 0)
                CHECK_OK(scree_sim_set_gravity(sim, g, (const double[3]){0.0, 0.0, 0.0}));
            CHECK_OK(scree_sim_run(sim, part == 0 ? 1000 : 77));
            CHECK_OK(sim_copy_get(sim, &at));
            double t = scree_sim_get_time(sim) - since;
            for (int k = 0; k < dim; ++k) {
                CHECK_CLOSE(at.x[k], start[k] + speed[k] * t + 0.5 * g[k] * t * t, 1e-12 * (1.0 + fabs(at.x[k])));
                CHECK_CLOSE(at.v[k], speed[k] + g[k] * t, 1e-12 * (1.0 + fabs(at.v[k])));
            }
            since = scree_sim_get_time(sim);
        }
        sim_copy_free(&at);
        scree_sim_destroy(sim);
    }
}

// g turned about an axis for some time, by Rodrigues.
static void turn_by(const double turn[3], double time, const double g[3], double out[3])
{
    double w = sqrt(dot3(turn, turn)), u[3] = {turn[0] / w, turn[1] / w, turn[2] / w}, along = dot3(u, g);
    for (int k = 0; k < 3; ++k) {
        double across = u[(k + 1) % 3] * g[(k + 2) % 3] - u[(k + 2) % 3] * g[(k + 1) % 3];
        out[k] = u[k] * along + (g[k] - u[k] * along) * cos(w * time) + across * sin(w * time);
    }
}

// Gravity that turns by w: integral of the turned vector, once and twice. Verlet is off by (w dt)^2 / 12 or so.
static void turning_gravity_swings_a_sphere(void** state)
{
    (void)state;
    scree_rng rng = scree_rng_make(21, 0);
    for (int c = 0; c < 20; ++c) {
        int dim = 2 + c % 2;
        scree_sim_def def = scree_default_sim_def();
        double x[3] = {0.0, 1.0, 2.0}, v[3] = {0.3, 0.1, -0.2}, w = 0.0;
        def.box = scree_box_open(dim);
        def.stiffness = 1e3;
        for (int k = 0; k < 3; ++k) {
            def.gravity[k] = k < dim ? sim_between(&rng, -1.0, 1.0) : 0.0;
            def.gravity_turn[k] = k == 2 || dim == 3 ? sim_between(&rng, -2.0, 2.0) : 0.0;
            w += def.gravity_turn[k] * def.gravity_turn[k];
        }
        w = sqrt(w);
        scree_sim* sim = sim_made(&def, 1, x, (const double[]){0.5}, v);
        sim_copy at = sim_copy_make(1, dim);
        CHECK_OK(scree_sim_run(sim, 1500));
        if (c >= 10) {  // taken up again in the direction that it has
            double turned[3];
            turn_by(def.gravity_turn, scree_sim_get_time(sim), def.gravity, turned);
            CHECK_OK(scree_sim_set_gravity(sim, turned, def.gravity_turn));
            CHECK_OK(scree_sim_run(sim, 300));
        }
        CHECK_OK(sim_copy_get(sim, &at));
        double t = scree_sim_get_time(sim), dt = scree_sim_get_numbers(sim).time_step, u[3];
        for (int k = 0; k < 3; ++k)
            u[k] = def.gravity_turn[k] / w;
        double along = dot3(u, def.gravity);
        for (int k = 0; k < dim; ++k) {
            double even = u[k] * along, in = def.gravity[k] - even;
            double across = u[(k + 1) % 3] * def.gravity[(k + 2) % 3] - u[(k + 2) % 3] * def.gravity[(k + 1) % 3];
            double speed = v[k] + even * t + in * sin(w * t) / w + across * (1.0 - cos(w * t)) / w;
            double place = x[k] + v[k] * t + 0.5 * even * t * t + in * (1.0 - cos(w * t)) / (w * w) + across * (w * t - sin(w * t)) / (w * w);
            CHECK_CLOSE(at.v[k], speed, 0.5 * w * w * dt * dt * (1.0 + t));
            CHECK_CLOSE(at.x[k], place, 0.5 * w * w * dt * dt * (1.0 + t * t));
        }
        sim_copy_free(&at);
        scree_sim_destroy(sim);
    }
}

// A ball dropped from h: keeps its energy, or rises to e^2 h, e^4 h ...
static void a_ball_bounces(void** state)
{
    (void)state;
    for (int c = 0; c < 4; ++c) {
        int dim = 2 + c % 2;
        double e = c < 2 ? 1.0 : 0.8, h = 1.0, x[3] = {0.0, 0.0, 0.0}, r = 0.5;
        scree_sim_def def = scree_default_sim_def();
        def.box = scree_box_open(dim);
        def.box.lower[dim - 1] = 0.0;
        x[dim - 1] = r + h;
        def.gravity[dim - 1] = -1.0;
        def.contact_duration = 2e-3;
        def.restitution = e;
        scree_sim* sim = sim_made(&def, 1, x, (const double[]){r}, NULL);
        sim_copy at = sim_copy_make(1, dim);
        scree_sim_report first = sim_report_of(sim);
        double highest = 0.0, before = -1.0, wanted = h;
        int bounces = 0;
        while (bounces < 4) {
            CHECK_OK(scree_sim_run(sim, 20));
            CHECK_OK(sim_copy_get(sim, &at));
            double v = at.v[dim - 1];
            highest = fmax(highest, at.x[dim - 1] - r);
            if (v < 0.0 && before >= 0.0) {  // over the top
                ++bounces;
                wanted *= e * e;
                CHECK_CLOSE(highest / wanted, 1.0, e < 1.0 ? 0.01 : 2e-4);
            }
            if (at.x[dim - 1] < r)
                highest = 0.0;
            before = v;
            scree_sim_report now = sim_report_of(sim);
            if (e == 1.0)  // within a contact Verlet's energy swings by (w dt)^2 / 8 or so, and comes back
                CHECK_CLOSE((now.energy_kinetic + now.energy_potential) / first.energy_potential, 1.0, now.wall_contacts > 0 ? 1.2e-3 : 1e-4);
            assert_true(scree_sim_get_step(sim) < 1000000);
        }
        sim_copy_free(&at);
        scree_sim_destroy(sim);
    }
}

// Spheres of several sizes on top of each other, at rest: each contact carries what is above it.
static void a_column_carries_its_weight(void** state)
{
    (void)state;
    enum { count = 5 };
    for (int dim = 2; dim <= 3; ++dim) {
        double x[3 * count], r[count], m[count], height = 0.0, all = 0.0;
        int up = dim - 1;
        for (int i = 0; i < count; ++i) {
            r[i] = 0.3 + 0.1 * ((i * 3) % 5);
            m[i] = sim_test_mass(dim, 2.0, r[i]);
            all += m[i];
            for (int k = 0; k < dim; ++k)
                x[i * dim + k] = k == up ? height + r[i] : 3.0;
            height += 2.0 * r[i];
        }
        scree_sim_def def = scree_default_sim_def();
        def.box = sim_cube(dim, 6.0, false);
        def.box.upper[up] = 10.0;
        def.gravity[up] = -9.81;
        def.material_density = 2.0;
        def.stiffness = 1e4;
        def.restitution = 0.3;
        scree_sim* sim;
        scree_sim_contacts contacts;
        CHECK_OK(scree_sim_create(&def, (scree_spheres){.count = count, .dim = dim, .x = x, .r = r}, NULL, &sim));
        CHECK_OK(scree_sim_run(sim, 80000));
        CHECK_OK(scree_sim_get_contacts(sim, &contacts));
        assert_int_equal(contacts.count, count);
        assert_int_equal(contacts.pair_count, count - 1);
        double above = 0.0;
        for (int i = count - 1; i >= 0; --i) {
            above += 9.81 * m[i];
            int64_t c = i > 0 ? i - 1 : count - 1;
            assert_int_equal(contacts.ij[c][0], i > 0 ? i - 1 : 0);
            assert_int_equal(contacts.ij[c][1], i > 0 ? i : -1 - 2 * up);
            CHECK_CLOSE(contacts.overlap[c] * 1e4 / above, 1.0, 1e-8);
            CHECK_CLOSE(contacts.force[c][up] / above, i > 0 ? -1.0 : 1.0, 1e-8);  // on the lower of two; the floor pushes up
        }
        scree_sim_report now = sim_report_of(sim);
        CHECK_CLOSE(now.speed_max, 0.0, 1e-8);
        CHECK_CLOSE(contacts.force[count - 1][up], 9.81 * all, 1e-8 * all);
        scree_sim_destroy(sim);
    }
}

// ---- Walls that move ------------------------------------------------------------------------------------------------------

// In the frame of the wall it is an impact like any other: v' = V + e (V - v). The wall's work is force times V.
static void a_moving_wall_hits(void** state)
{
    (void)state;
    scree_rng rng = scree_rng_make(31, 0);
    for (int c = 0; c < 60; ++c) {
        int dim = 2 + c % 2, face = (int)scree_rng_below(&rng, (uint64_t)(2 * dim)), axis = face / 2;
        double side = face & 1 ? -1.0 : 1.0, e = c % 3 == 0 ? 0.7 : 1.0, wall = sim_between(&rng, -1.0, 2.0), v[3] = {0}, x[3] = {5.0, 5.0, 5.0};
        double towards = sim_between(&rng, 0.2, 1.0), r = 0.5;  // speed of approach
        scree_sim_def def = scree_default_sim_def();
        def.box = sim_cube(dim, 10.0, false);
        def.wall_velocity[axis][face % 2] = side * wall;
        v[axis] = side * (wall - towards);
        v[(axis + 1) % dim] = 0.1;
        def.stiffness = 1e4;
        def.restitution = e;
        double mass = sim_test_mass(dim, 1.0, r), step = swing_of(1e4, e < 1.0 ? dashpot_of(1e4, e, mass) : 0.0, mass).duration / 200.0;
        def.time_step = step;
        double flight = sim_between(&rng, 1.0, 40.0) * step;
        x[axis] = (face & 1 ? 10.0 : 0.0) + side * (r + towards * flight);
        scree_sim* sim = sim_made(&def, 1, x, (const double[]){r}, v);
        sim_copy at = sim_copy_make(1, dim);
        scree_sim_contacts contacts;
        double work = 0.0;
        for (int s = 0; s < 300; ++s) {
            CHECK_OK(scree_sim_run(sim, 1));
            CHECK_OK(scree_sim_get_contacts(sim, &contacts));
            if (contacts.count > 0) {
                assert_int_equal(contacts.ij[0][1], -1 - face);
                work += contacts.force[0][axis] * side * wall * step;
            }
        }
        CHECK_OK(sim_copy_get(sim, &at));
        CHECK_CLOSE(side * at.v[axis], wall + e * towards, (e < 1.0 ? 5e-3 : 5e-5) * towards);
        CHECK_CLOSE(at.v[(axis + 1) % dim], 0.1, 0.0);
        scree_box box = scree_sim_get_box(sim);
        CHECK_CLOSE((face & 1 ? box.upper : box.lower)[axis], (face & 1 ? 10.0 : 0.0) + side * wall * scree_sim_get_time(sim), 1e-12);
        if (e == 1.0)
            CHECK_CLOSE(work, 0.5 * mass * (at.v[axis] * at.v[axis] - v[axis] * v[axis]), 1e-3 * mass * towards * (fabs(wall) + towards));
        sim_copy_free(&at);
        scree_sim_destroy(sim);
    }
}

// A slow piston: the speed times the way between the walls stays. It stops, and comes back, between runs.
static void a_slow_piston_heats_and_cools(void** state)
{
    (void)state;
    double x[2] = {2.0, 1.0}, v[2] = {1.0, 0.0}, r = 0.5;
    scree_sim_def def = scree_default_sim_def();
    def.box = sim_cube(2, 5.0, false);
    def.box.upper[1] = 2.0;
    def.contact_duration = 16e-3;
    def.wall_velocity[0][1] = -0.004;
    scree_sim* sim = sim_made(&def, 1, x, (const double[]){r}, v);
    double start = scree_sim_get_box(sim).upper[0] - 1.0, kinetic = sim_report_of(sim).energy_kinetic, step = scree_sim_get_numbers(sim).time_step;
    int64_t steps = (int64_t)(500.0 / step);
    CHECK_OK(scree_sim_run(sim, steps));
    double now = scree_sim_get_box(sim).upper[0] - 1.0;
    CHECK_CLOSE(now, start - 0.004 * scree_sim_get_time(sim), 1e-12);
    scree_sim_report report = sim_report_of(sim);
    CHECK_CLOSE(sqrt((report.energy_kinetic + report.energy_contact) / kinetic) * now / start, 1.0, 0.01);
    double velocity[3][2] = {{0.0}};
    CHECK_OK(scree_sim_set_wall_velocity(sim, (const double(*)[2])velocity));
    CHECK_OK(scree_sim_run(sim, 1000));
    CHECK_CLOSE(scree_sim_get_box(sim).upper[0] - 1.0, now, 0.0);
    scree_sim_report still = sim_report_of(sim);
    CHECK_CLOSE((still.energy_kinetic + still.energy_contact) / (report.energy_kinetic + report.energy_contact), 1.0, 1e-4);
    velocity[0][1] = 0.004;
    CHECK_OK(scree_sim_set_wall_velocity(sim, (const double(*)[2])velocity));
    CHECK_OK(scree_sim_run(sim, steps));
    CHECK_CLOSE(scree_sim_get_box(sim).upper[0] - 1.0, start, 1e-12);
    report = sim_report_of(sim);
    CHECK_CLOSE(sqrt((report.energy_kinetic + report.energy_contact) / kinetic), 1.0, 0.02);
    scree_sim_destroy(sim);
}

// A sphere at rest, far from a wall that comes: the list must follow the wall too.
static void a_wall_reaches_what_is_at_rest(void** state)
{
    (void)state;
    double x[4] = {3.0, 1.0, 3.0, 3.0}, r[2] = {0.5, 0.4};
    scree_sim_def def = scree_default_sim_def();
    def.box = sim_cube(2, 8.0, false);
    def.stiffness = 1e3;
    def.wall_velocity[0][0] = 0.5;
    scree_sim* sim;
    CHECK_OK(scree_sim_create(&def, (scree_spheres){.count = 2, .dim = 2, .x = x, .r = r}, NULL, &sim));
    CHECK_OK(scree_sim_run(sim, (int64_t)(5.6 / scree_sim_get_numbers(sim).time_step)));
    sim_copy at = sim_copy_make(2, 2);
    CHECK_OK(sim_copy_get(sim, &at));
    CHECK_CLOSE(at.v[0], 1.0, 1e-3);
    CHECK_CLOSE(at.v[2], 1.0, 1e-3);
    sim_copy_free(&at);
    scree_sim_destroy(sim);
}

// ---- Derived numbers ----------------------------------------------------------------------------------------------------

static void derived_numbers_hold_in_a_run(void** state)
{
    (void)state;
    static const double x[] = {1.0, 1.0, 1.0, 5.0, 5.0, 5.0, 9.0, 9.0, 9.0, 1.0, 9.0, 1.0}, r[] = {0.5, 0.9, 0.4, 1.0};
    for (int c = 0; c < 6; ++c) {
        int dim = 2 + c % 2;
        double place[12], density = 3.0;
        for (int e = 0; e < 4 * dim; ++e)
            place[e] = x[e / dim * 3 + e % dim];
        double m[4];
        for (int i = 0; i < 4; ++i)
            m[i] = sim_test_mass(dim, density, r[i]);
        double light = m[0] * m[2] / (m[0] + m[2]), heavy = m[1] * m[3] / (m[1] + m[3]);
        scree_sim_def def = scree_default_sim_def();
        def.box = scree_box_open(dim);
        def.material_density = density;
        def.contact_duration = 0.02;
        def.restitution = c < 2 ? 0.0 : c < 4 ? 0.8 : 0.0;
        def.damping = c < 4 ? 0.0 : 4.0;
        scree_sim* sim = sim_made(&def, 4, place, r, NULL);
        scree_sim_numbers n = scree_sim_get_numbers(sim);
        CHECK_CLOSE(n.contact_duration, 0.02, 1e-14);
        CHECK_CLOSE(n.time_step, 0.02 / 50.0, 1e-16);
        CHECK_CLOSE(n.longest_time_step, 0.002, 1e-15);
        CHECK_CLOSE(n.mass, m[0] + m[1] + m[2] + m[3], 1e-12);
        CHECK_CLOSE(n.mass_min, m[2], 1e-13);
        CHECK_CLOSE(n.mass_max, m[3], 1e-13);
        CHECK_CLOSE(n.radius_min, 0.4, 0.0);
        CHECK_CLOSE(n.radius_max, 1.0, 0.0);
        assert_true(n.shortest_contact[0] == 2 && n.shortest_contact[1] == 0);
        swing s = swing_of(n.stiffness, def.restitution > 0.0 ? dashpot_of(n.stiffness, def.restitution, light) : def.damping, light);
        CHECK_CLOSE(s.duration, 0.02, 1e-13);
        CHECK_CLOSE(n.restitution_min, s.restitution, 1e-12);
        swing mild = swing_of(n.stiffness, def.restitution > 0.0 ? dashpot_of(n.stiffness, def.restitution, m[3]) : def.damping, m[3]);
        CHECK_CLOSE(n.restitution_max, mild.restitution, 1e-12);
        scree_sim_destroy(sim);
        impact it = {.dim = dim, .r = {0.4, 0.5}, .density = density, .k = n.stiffness, .damping = def.damping, .restitution = def.restitution,
                     .steps = 50.0, .depth = 1e-3, .phase = 0.3, .seed = 9};
        CHECK_CLOSE(collide(&it).duration * s.duration, 0.02, 0.02 * 3e-4);

        def.contact_duration = def.damping = 0.0;
        def.overlap = 0.02;
        def.speed = 1.7;
        sim = sim_made(&def, 4, place, r, NULL);
        n = scree_sim_get_numbers(sim);
        scree_sim_destroy(sim);
        s = swing_of(n.stiffness, 0.0, heavy);
        CHECK_CLOSE(1.7 * s.overlap, 0.02 * 0.9, 1e-15);
        it = (impact){.dim = dim, .r = {1.0, 0.9}, .density = density, .k = n.stiffness, .steps = 50.0, .depth = 0.02, .phase = 0.3, .seed = 9};
        CHECK_CLOSE(collide(&it).overlap * 0.02, 0.02, 0.02 * 1e-3);
    }
}

// The overdamped pair creeps apart: no restitution, and what the step must resolve is the faster decay.
static void an_overdamped_pair_creeps_apart(void** state)
{
    (void)state;
    double x[] = {0.0, 0.0, 0.0, 1.9, 0.0, 0.0}, r[] = {1.0, 1.0}, m = sim_test_mass(3, 1.0, 1.0), mu = 0.5 * m, k = 50.0;
    scree_sim_def def = scree_default_sim_def();
    def.stiffness = k;
    def.damping = 3.0 * sqrt(k * mu);  // 1.5 times the critical
    scree_sim* sim = sim_made(&def, 2, x, r, NULL);
    scree_sim_numbers n = scree_sim_get_numbers(sim);
    double eta = def.damping / (2.0 * mu), rate = sqrt(eta * eta - k / mu);
    CHECK_CLOSE(n.restitution_min, 0.0, 0.0);
    CHECK_CLOSE(n.contact_duration, sim_pi / (eta + rate), 1e-13);
    CHECK_OK(scree_sim_run(sim, 400));
    sim_copy at = sim_copy_make(2, 3);
    CHECK_OK(sim_copy_get(sim, &at));
    double t = scree_sim_get_time(sim), overlap = 0.1 * exp(-eta * t) * (cosh(rate * t) + eta / rate * sinh(rate * t));
    CHECK_CLOSE(2.0 - (at.x[3] - at.x[0]), overlap, 1e-3 * 0.1);
    sim_copy_free(&at);
    scree_sim_destroy(sim);
}

static const test_case cases[] = {
    PROPERTY(elastic_impacts_follow_the_closed_form),
    PROPERTY(oblique_elastic_impacts_keep_energy_and_momentum),
    PROPERTY(damped_impacts_follow_the_closed_form),
    UNIT(restitution_is_the_same_for_all_sizes),
    PROPERTY(one_damping_gives_each_pair_its_own_restitution),
    UNIT(the_error_of_elastic_impacts_is_of_third_order),
    UNIT(the_mean_error_of_damped_impacts_is_of_second_order),
    UNIT(a_falling_sphere_follows_its_parabola),
    UNIT(turning_gravity_swings_a_sphere),
    UNIT(a_ball_bounces),
    UNIT(a_column_carries_its_weight),
    UNIT(a_moving_wall_hits),
    UNIT(a_slow_piston_heats_and_cools),
    UNIT(a_wall_reaches_what_is_at_rest),
    UNIT(derived_numbers_hold_in_a_run),
    UNIT(an_overdamped_pair_creeps_apart),
};

const test_group group_physics = {.name = "physics", .cases = cases, .count = sizeof cases / sizeof *cases};
