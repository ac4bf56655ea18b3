// What holds for every contact law (grain_cases.h): momentum, angular momentum, energy; that another frame or another numbering changes nothing else. Ten laws,
// in 2D and 3D: two unequal spheres that meet obliquely, and a few in boxes with walls and periodic ones.
#include "grain_cases.h"

#include "support.h"

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// ---- Laws and systems --------------------------------------------------------------------------------------------------

const char* grain_example_law(int number, grain_law* law)
{
    static const char* const names[] = {"linear, friction",
                                        "linear, friction, no pull, dashpots, two coefficients",
                                        "linear, friction, rolling, twisting",
                                        "Hertz, Mindlin",
                                        "Hertz, Mindlin with dashpot, rolling, Marshall",
                                        "Hertz, viscoelastic, linear friction",
                                        "JKR, Mindlin, rolling",
                                        "DMT, Mindlin",
                                        "plastic, friction, rolling",
                                        "liquid bridge, friction"};
    if (number < 0 || number >= (int)(sizeof names / sizeof *names))
        return NULL;
    grain_law l = grain_default_law();
    for (int m = 0; m < GRAIN_MATERIALS; ++m) {
        l.young[m] = 9e5;
        l.poisson[m] = 0.25;
    }
    l.stiffness = 2e4;
    l.friction = 0.4;
    l.restitution = 0.8;
    l.damps = GRAIN_RESTITUTION;
    l.tangential = GRAIN_TANGENTIAL_LINEAR;
    switch (number) {
    case 0:
        break;
    case 1:
        l.pull = false;
        l.tangential_damping = 1.0;
        l.friction_dynamic = 0.25;
        break;
    case 2:
        l.rolling = GRAIN_ROLLING_SPRING;
        l.rolling_friction = 0.1;
        l.rolling_damping = 0.5;
        l.tangential_damping = 0.5;
        l.twisting = GRAIN_TWISTING_SPRING;
        l.twisting_friction = 0.02;
        l.twisting_stiffness = 100.0;
        l.twisting_damping = 0.5;
        break;
    case 3:
    case 4:
    case 6:
    case 7:
        l.normal = number == 6 ? GRAIN_JKR : number == 7 ? GRAIN_DMT : GRAIN_HERTZ;
        l.tangential = GRAIN_MINDLIN;
        l.surface_energy = 3.0;
        l.tangential_damping = number == 4 ? 1.0 : 0.0;
        l.rolling = number == 4 || number == 6 ? GRAIN_ROLLING_SPRING : GRAIN_ROLLING_FREE;
        l.rolling_friction = 0.1;
        l.twisting = number == 4 ? GRAIN_MARSHALL : GRAIN_TWISTING_FREE;
        break;
    case 5:
        l.normal = GRAIN_HERTZ;
        l.damps = GRAIN_VISCOELASTIC;
        l.viscous_time = 1e-4;
        break;
    case 8:
        l.normal = GRAIN_PLASTIC;
        l.damps = GRAIN_DASHPOT;
        l.damping = 1.0;
        l.k1 = 1e4;
        l.k2 = 5e4;
        l.kc = 1e4;
        l.plastic_depth = 0.02;
        l.rolling = GRAIN_ROLLING_SPRING;
        l.rolling_friction = 0.1;
        break;
    case 9:
        l.bridge_volume = 1e-6;
        l.surface_tension = 0.5;
        l.wetting_angle = 0.3;
        break;
    }
    *law = l;
    return names[number];
}

static double between(scree_rng* rng, double low, double high)
{
    return low + (high - low) * scree_rng_uniform(rng);
}

// Components beyond the dimension are 0; spins are along z in 2D.
static void random_vector(scree_rng* rng, int dim, double size, double out[3])
{
    for (int k = 0; k < 3; ++k)
        out[k] = k < dim ? between(rng, -size, size) : 0.0;
}

static void random_spin(scree_rng* rng, int dim, double size, double out[3])
{
    random_vector(rng, 3, size, out);
    if (dim == 2)
        out[0] = out[1] = 0.0;
}

void grain_make_pair(uint64_t seed, int dim, grain_system* s)
{
    scree_rng rng = scree_rng_make(seed, 21);
    double n[3], u[3], size, along;
    do {
        random_vector(&rng, dim, 1.0, n);
        size = sqrt(dot(n, n));
    } while (size < 0.1 || size > 1.0);
    s->dim = dim;
    s->count = 2;
    s->spheres[0] = (grain_sphere){.r = 1.0, .density = 1.0};
    s->spheres[1] = (grain_sphere){.r = 0.3, .density = 1.0, .material = 1};
    for (int i = 0; i < 2; ++i) {
        random_vector(&rng, dim, 0.3, s->spheres[i].v);
        random_spin(&rng, dim, 3.0, s->spheres[i].w);
    }
    for (int k = 0; k < 3; ++k)
        u[k] = s->spheres[0].v[k] - s->spheres[1].v[k];
    along = dot(u, n) / size;
    s->step = 2e-5;
    s->steps = 1500;
    s->every = 50;
    for (int k = 0; k < 3; ++k) {  // they close with 1
        s->spheres[0].v[k] -= (along + 1.0) * n[k] / size;
        s->spheres[0].x[k] = 1.3 * n[k] / size - 2.3 * s->step * s->spheres[0].v[k];
        s->spheres[1].x[k] = -2.3 * s->step * s->spheres[1].v[k];
    }
}

void grain_make_crowd(uint64_t seed, int dim, int count, grain_side side, grain_system* s)
{
    scree_rng rng = scree_rng_make(seed, 22);
    double size = 1.25 * pow((double)count, 1.0 / dim);
    int across = (int)ceil(pow((double)count, 1.0 / dim));
    s->dim = dim;
    s->count = count;
    s->step = 4e-5;
    s->steps = 1000;
    s->every = 50;
    for (int k = 0; k < dim; ++k) {
        s->side[k] = side;
        s->upper[k] = size;
    }
    s->gravity[dim - 1] = side == GRAIN_WALLED ? -5.0 : 0.0;
    for (int i = 0; i < count; ++i) {
        grain_sphere* a = &s->spheres[i];
        *a = (grain_sphere){.r = 0.5 * between(&rng, 0.6, 1.15), .density = 1.0};
        int cell[3] = {i % across, i / across % across, i / across / across};
        for (int k = 0; k < dim; ++k)
            a->x[k] = (cell[k] + 0.5) * size / across + between(&rng, -0.02, 0.02);
        random_vector(&rng, dim, 5.0, a->v);
        random_spin(&rng, dim, 3.0, a->w);
    }
}

// ---- Checks ------------------------------------------------------------------------------------------------------------

// Momentum and angular momentum about the origin; scale: the sums of their sizes over all spheres.
static void momenta(const grain_trajectory* t, const grain_frame* f, double p[3], double l[3], double scale[2])
{
    for (int k = 0; k < 3; ++k)
        p[k] = l[k] = 0.0;
    scale[0] = scale[1] = 0.0;
    for (int i = 0; i < t->system->count; ++i) {
        const grain_sphere* s = &f->spheres[i];
        double m = grain_mass(t->system->dim, s), inertia = grain_inertia_share(t->system->dim) * m * s->r * s->r;
        for (int k = 0; k < 3; ++k) {
            int a = (k + 1) % 3, b = (k + 2) % 3;
            p[k] += m * s->v[k];
            l[k] += m * (s->x[a] * s->v[b] - s->x[b] * s->v[a]) + inertia * s->w[k];
        }
        scale[0] += m * sqrt(dot(s->v, s->v));
        scale[1] += m * sqrt(dot(s->x, s->x) * dot(s->v, s->v)) + inertia * sqrt(dot(s->w, s->w));
    }
}

static void check_momenta(const grain_trajectory* t, bool angular)
{
    double p0[3], l0[3], p[3], l[3], scale[2], now[2];
    momenta(t, &t->frames[0], p0, l0, scale);
    for (int64_t f = 1; f < t->count; ++f) {
        momenta(t, &t->frames[f], p, l, now);
        for (int k = 0; k < 3; ++k) {
            CHECK_CLOSE(p[k] / scale[0], p0[k] / scale[0], 1e-14);
            if (angular)
                CHECK_CLOSE(l[k] / scale[1], l0[k] / scale[1], 1e-13);
        }
    }
}

// Energy adds up, and no kind of loss gives anything back.
static void check_books(const grain_trajectory* t, double tolerance)
{
    double scale = t->frames[0].energies.kinetic + t->frames[0].energies.rotation;
    grain_check_energy(t, scale, tolerance);
    for (int64_t f = 1; f < t->count && t->has_energies; ++f) {
        const grain_energies *a = &t->frames[f - 1].energies, *b = &t->frames[f].energies;
        const double changes[6] = {b->lost_normal - a->lost_normal,   b->lost_slip + b->lost_dashpot - a->lost_slip - a->lost_dashpot,
                                   b->lost_left - a->lost_left,       b->lost_stiffness - a->lost_stiffness,
                                   b->lost_plastic - a->lost_plastic, b->lost_adhesion - a->lost_adhesion};
        for (int k = 0; k < 6; ++k)
            if (!(changes[k] >= -tolerance * scale))
                fail_msg("loss %d falls by %g of %g at step %g", k, -changes[k], scale, (double)t->frames[f].step);
    }
}

// Another frame: x' = turn x + drift t. det of turn is 1 or -1.
typedef struct other_frame {
    double turn[3][3], det, drift[3];
    bool reversed;  // numbers
} other_frame;

static void seen_from(const other_frame* o, const double in[3], double factor, double out[3])
{
    for (int k = 0; k < 3; ++k)
        out[k] = factor * dot(o->turn[k], in);
}

static grain_sphere sphere_from(const other_frame* o, const grain_sphere* s, double time)
{
    grain_sphere r = *s;
    seen_from(o, s->x, 1.0, r.x);
    seen_from(o, s->v, 1.0, r.v);
    seen_from(o, s->w, o->det, r.w);
    for (int k = 0; k < 3; ++k) {
        r.x[k] += o->drift[k] * time;
        r.v[k] += o->drift[k];
    }
    return r;
}

static void check_frame(const grain_stepper* stepper, const grain_trajectory* t, const other_frame* o, double tolerance)
{
    grain_sphere spheres[GRAIN_CASE_SPHERES];
    grain_system system = *t->system;
    int n = system.count;
    system.spheres = spheres;
    for (int i = 0; i < n; ++i)
        spheres[o->reversed ? n - 1 - i : i] = sphere_from(o, &t->system->spheres[i], 0.0);
    grain_trajectory other = grain_run(stepper, &system);
    for (int64_t f = 0; f < t->count; ++f)
        for (int i = 0; i < n; ++i) {
            grain_sphere a = sphere_from(o, &t->frames[f].spheres[i], t->frames[f].time);
            const grain_sphere* b = &other.frames[f].spheres[o->reversed ? n - 1 - i : i];
            for (int k = 0; k < 3; ++k) {
                CHECK_CLOSE(a.x[k], b->x[k], tolerance);
                CHECK_CLOSE(a.v[k], b->v[k], tolerance);
                CHECK_CLOSE(a.w[k], b->w[k], tolerance);
            }
        }
    grain_trajectory_free(&other);
}

// The pair again in a periodic box, with its two spheres on both sides of faces.
static void check_across(const grain_stepper* stepper, const grain_trajectory* t)
{
    grain_sphere spheres[2] = {t->system->spheres[0], t->system->spheres[1]};
    grain_system system = *t->system;
    double size = 8.0;
    system.spheres = spheres;
    for (int k = 0; k < system.dim; ++k) {
        system.side[k] = GRAIN_PERIODIC;
        system.upper[k] = size;
        spheres[0].x[k] -= floor(spheres[0].x[k] / size) * size;
        spheres[1].x[k] -= floor(spheres[1].x[k] / size) * size;
    }
    grain_trajectory other = grain_run(stepper, &system);
    for (int64_t f = 0; f < other.count; ++f)
        for (int i = 0; i < 2; ++i)
            for (int k = 0; k < 3; ++k) {
                double apart = t->frames[f].spheres[i].x[k] - other.frames[f].spheres[i].x[k];
                CHECK_CLOSE(apart, rint(apart / size) * size, 1e-9);
                CHECK_CLOSE(t->frames[f].spheres[i].v[k], other.frames[f].spheres[i].v[k], 1e-9);
                CHECK_CLOSE(t->frames[f].spheres[i].w[k], other.frames[f].spheres[i].w[k], 1e-9);
            }
    grain_trajectory_free(&other);
}

static void check_pair(const grain_stepper* stepper, const grain_system* system, const grain_trajectory* t)
{
    bool jumps = system->law.normal == GRAIN_JKR || system->law.normal == GRAIN_DMT || system->law.bridge_volume > 0.0;  // of the force, at touch
    check_momenta(t, true);
    check_books(t, jumps ? 3e-3 : 3e-5);
    other_frame o = {.turn = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}}, .det = 1.0, .reversed = true};
    check_frame(stepper, t, &o, 0.0);
    o.reversed = false;
    for (int k = 0; k < system->dim; ++k)
        o.drift[k] = 0.7 - 0.4 * k;
    check_frame(stepper, t, &o, 1e-10);
    o = (other_frame){.turn = {{-1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}}, .det = -1.0};
    check_frame(stepper, t, &o, 1e-12);
    double c = cos(0.7), s = sin(0.7);
    o = (other_frame){.turn = {{c, -s, 0.0}, {s, c, 0.0}, {0.0, 0.0, 1.0}}, .det = 1.0};
    if (system->dim == 3)  // about z by 0.7, then about x
        o = (other_frame){.turn = {{c, -s, 0.0}, {0.8 * s, 0.8 * c, -0.6}, {0.6 * s, 0.6 * c, 0.8}}, .det = 1.0};
    check_frame(stepper, t, &o, 1e-10);
    check_across(stepper, t);
}

int grain_check_invariants(const grain_stepper* stepper)
{
    int ran = 0;
    grain_law law;
    for (int number = 0; grain_example_law(number, &law) != NULL; ++number) {
        bool all = true;
        for (int dim = 2; dim <= 3; ++dim)
            for (int kind = 0; kind < 3; ++kind) {
                if (kind > 0 && test_is_small() && number % 3 != 0)
                    continue;
                grain_sphere spheres[GRAIN_CASE_SPHERES] = {0};
                grain_system system = {.law = law, .spheres = spheres};
                if (dim == 2)
                    system.law.twisting = GRAIN_TWISTING_FREE;
                if (kind == 0)
                    grain_make_pair(7 + (uint64_t)number, dim, &system);
                else
                    grain_make_crowd(3 + (uint64_t)number, dim, dim == 2 ? 9 : 8, kind == 1 ? GRAIN_WALLED : GRAIN_PERIODIC, &system);
                grain_trajectory t = grain_run(stepper, &system);
                if (t.count == 0) {
                    all = false;
                    continue;
                }
                print_message("    %s: %s, %dD, %s\n", stepper->name, grain_example_law(number, &law), dim,
                              kind == 0   ? "pair"
                              : kind == 1 ? "walls"
                                          : "periodic");
                if (kind == 0)
                    check_pair(stepper, &system, &t);
                else
                    check_books(&t, 2e-2);
                if (kind == 2)
                    check_momenta(&t, false);
                grain_trajectory_free(&t);
            }
        ran += all;
    }
    return ran;
}
