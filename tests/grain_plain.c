// The plain reference of contact physics (grain_plain.h).
//
// One step:
//
//     v_half = v + a dt/2      w_half = w + alpha dt/2      x += v_half dt
//     v_now = v_half + a dt/2  w_now = w_half + alpha dt/2   predicted for the new positions
//     for every pair, image and wall: force and torque from the new positions, v_now, w_now; springs grow by v_half, w_half
//     v = v_half + a dt/2      w = w_half + alpha dt/2
//
// A contact: n points from j to i, overlap = r_i + r_j - distance. Lever arms l = r - overlap/2 sum up to the distance, at walls l = r - overlap. The velocity
// of the surfaces, u = v_i - v_j - (l_i w_i + l_j w_j) x n without its part along n, stretches the tangential spring. Springs are kept as the force that they
// exert: force -= k u dt. If force - g u exceeds the cap, the contact slides with a force F at the cap: spring and dashpot are stretched by (force - F) / g instead of u, by an implicit
// step; a cap of 0 releases it. A spring lies in the tangent plane, which turns: it is rotated from the old normal to the one of the half step and by half of the spin about it, stretched there, and rotated by the other half and to
// the normal of the full step.
//
// Caps are coefficients times max(N, 0), where N is the normal force with its dashpot, plus what attracts: twice the pull-off force of JKR (3 pi gamma R*) and
// DMT (4 pi gamma R*), kc overlap of a plastic contact. N is the force between the solids: the pull of a liquid bridge is not part of it.
//
// Rolling is the same with u = R* (w_i - w_j) x n and gives a torque R* n x force and no force; twisting is the same in one dimension with the spin along n.
//
// Energy. Velocity Verlet changes the kinetic energy by force * velocity as the trapezoidal rule does. Losses are therefore sums by the trapezoidal rule too:
// of the power of normal dashpots; for each other spring of the work -(applied before + applied now)/2 * u dt less what the spring stores. Then kinetic energy,
// springs and losses add up to a constant but for O(dt^2).
//
// Cost: O(n^2) per step.
#include "grain_plain.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void cross(const double a[3], const double b[3], double out[3])
{
    double c[3] = {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
    memcpy(out, c, sizeof c);
}

static double length(const double a[3])
{
    return sqrt(dot(a, a));
}

static void add(double a[3], double factor, const double b[3])
{
    for (int k = 0; k < 3; ++k)
        a[k] += factor * b[k];
}

// Takes away what is along n; keeps the length of what remains, if asked.
static void project(double a[3], const double n[3], bool keep_length)
{
    double before = length(a);
    add(a, -dot(a, n), n);
    double after = length(a);
    for (int k = 0; k < 3 && keep_length && after > 0.0; ++k)
        a[k] *= before / after;
}

// By this angle about the unit vector n.
static void rotate(double a[3], const double n[3], double angle)
{
    double side[3], along = dot(a, n);
    cross(n, a, side);
    for (int k = 0; k < 3; ++k)
        a[k] = cos(angle) * (a[k] - along * n[k]) + sin(angle) * side[k] + along * n[k];
}

// By the smallest rotation that takes the unit vector n to m.
static void rotate_between(double a[3], const double n[3], const double m[3])
{
    double axis[3];
    cross(n, m, axis);
    double sine = length(axis), angle = atan2(sine, dot(n, m));
    for (int k = 0; k < 3; ++k)
        axis[k] /= sine;
    if (sine > 0.0)
        rotate(a, axis, angle);
}

grain_law grain_default_law(void)
{
    return (grain_law){.pull = true, .twirl = true, .half_stiffness = true, .friction_dynamic = -1.0, .tangential_stiffness = 2.0 / 7.0, .rolling_stiffness = 1.0};
}

// ---- Damping -----------------------------------------------------------------------------------------------------------

// The overlap of a linear contact obeys y'' + 2 b y' + y = 0. Until y = 0 again it takes pi/sqrt(1-b^2); until the force y + 2 b y' is 0 it takes 2
// acos(b)/sqrt(1-b^2). The speed is then exp(-b t) in both cases, and beyond b = 1 with acosh and sqrt(b^2-1). A Hertz contact with a dashpot that grows as
// overlap^(1/4) is the same oscillator in y = overlap^(5/4): v dv/dy = -(4/5) (y + alpha v), with b = alpha/sqrt(5).
double grain_restitution(double b, bool pull)
{
    if (pull)
        return b < 1.0 ? exp(-b * pi / sqrt(1.0 - b * b)) : 0.0;
    double c = fabs(1.0 - b * b);
    if (c < 1e-12)
        return exp(-2.0);
    return exp(-2.0 * b * (b < 1.0 ? acos(b) : acosh(b)) / sqrt(c));
}

double grain_damping_share(double restitution, bool pull)
{
    double low = 0.0, high = pull ? 1.0 : 1e6;
    for (int k = 0; k < 200; ++k) {
        double middle = 0.5 * (low + high);
        *(grain_restitution(middle, pull) > restitution ? &low : &high) = middle;
    }
    return 0.5 * (low + high);
}

// ---- Mass ----------------------------------------------------------------------------------------------------------------

double grain_mass(int dim, const grain_sphere* s)
{
    return s->density * (dim == 2 ? pi * s->r * s->r : 4.0 / 3.0 * pi * s->r * s->r * s->r);
}

double grain_inertia_share(int dim)
{
    return dim == 2 ? 0.5 : 0.4;
}

// ---- Elasticity --------------------------------------------------------------------------------------------------------

double grain_effective_young(const grain_law* law, int a, int b)
{
    double c = 0.0;
    for (int s = 0; s < 2; ++s) {
        int m = s == 0 ? a : b;
        c += (1.0 - law->poisson[m] * law->poisson[m]) / law->young[m];
    }
    return 1.0 / c;
}

double grain_effective_shear(const grain_law* law, int a, int b)
{
    double c = 0.0;
    for (int s = 0; s < 2; ++s) {
        int m = s == 0 ? a : b;
        double shear = law->young[m] / (2.0 * (1.0 + law->poisson[m]));
        c += (2.0 - law->poisson[m]) / shear;
    }
    return 1.0 / c;
}

// overlap = a^2/R - 2 s sqrt(a), s = sqrt(pi gamma/E): in y = sqrt(a) convex, so Newton's method from above comes down to the larger root.
double grain_jkr_radius(double young, double gamma, double radius, double overlap)
{
    double s = sqrt(pi * gamma / young), y = sqrt(sqrt(radius * fmax(overlap, 0.0))) + cbrt(2.0 * s * radius);
    for (int k = 0; k < 100; ++k) {
        double value = y * y * y * y / radius - 2.0 * s * y - overlap, slope = 4.0 * y * y * y / radius - 2.0 * s;
        if (!(slope > 0.0) || !(value > 0.0))
            break;
        y -= value / slope;
    }
    return y * y;
}

// Where overlap(a) has its minimum.
double grain_jkr_end(double young, double gamma, double radius)
{
    double s = sqrt(pi * gamma / young), a = cbrt(0.25 * s * s * radius * radius);
    return -3.0 * a * a / radius;
}

double grain_jkr_force(double young, double gamma, double radius, double a)
{
    return 4.0 * young * a * a * a / (3.0 * radius) - sqrt(16.0 * pi * gamma * young * a * a * a);
}

double grain_jkr_energy(double young, double gamma, double radius, double a)
{
    double s = sqrt(pi * gamma / young), a2 = a * a, root = sqrt(a);
    return young * (8.0 * a2 * a2 * a / (15.0 * radius * radius) - 8.0 * s * a2 * a * root / (3.0 * radius) + 2.0 * s * s * a2);
}

// ---- Plastic contact ---------------------------------------------------------------------------------------------------

// Unloading has stiffness k2'(depth) = k1 + q depth up to k2, q = (k2 - k1)/limit, from k1 depth at overlap = depth. On the cohesive limit the depth is the one
// whose line goes through -kc overlap: q depth^2 - q overlap depth - (k1 + kc) overlap = 0.
double grain_plastic_force(const grain_law* law, double radius, double overlap, double* depth, double* stiffness)
{
    double k1 = law->k1, k2 = law->k2, kc = law->kc;
    if (!(k2 > k1)) {  // elastic
        *stiffness = k1;
        *depth = fmax(*depth, overlap);
        return k1 * overlap;
    }
    double limit = k2 / (k2 - k1) * law->plastic_depth * 2.0 * radius, q = (k2 - k1) / limit;
    *depth = fmin(fmax(*depth, overlap), limit);
    *stiffness = k1 + q * *depth;
    double force = *stiffness * overlap - (*stiffness - k1) * *depth;
    if (force >= -kc * overlap)
        return force;
    double c = q * overlap;
    *depth = (c + sqrt(c * c + 4.0 * q * (k1 + kc) * overlap)) / (2.0 * q);
    *stiffness = k1 + q * *depth;
    return -kc * overlap;
}

// ---- Liquid bridge -----------------------------------------------------------------------------------------------------

double grain_bridge_force(const grain_law* law, double radius, double gap)
{
    double equal = 2.0 * radius, s = fmax(gap, 0.0) * sqrt(equal / law->bridge_volume);
    return -2.0 * pi * equal * law->surface_tension * cos(law->wetting_angle) / (1.0 + 1.05 * s + 2.5 * s * s);
}

// The integral of 1/(1 + b s + c s^2) is (2/p) atan((2 c s + b)/p), p^2 = 4 c - b^2.
double grain_bridge_energy(const grain_law* law, double radius, double gap)
{
    double full = -grain_bridge_force(law, radius, 0.0);
    if (gap <= 0.0)
        return full * gap;
    double scale = sqrt(law->bridge_volume / (2.0 * radius)), s = gap / scale, b = 1.05, c = 2.5, p = sqrt(4.0 * c - b * b);
    return full * scale * 2.0 / p * (atan((2.0 * c * s + b) / p) - atan(b / p));
}

double grain_bridge_end(const grain_law* law)
{
    return law->bridge_volume > 0.0 ? (1.0 + 0.5 * law->wetting_angle) * cbrt(law->bridge_volume) : 0.0;
}

// ---- Springs with a slider ---------------------------------------------------------------------------------------------

static double spring_energy(const grain_spring* s)
{
    return s->stiffness > 0.0 ? dot(s->force, s->force) / (2.0 * s->stiffness) : 0.0;
}

typedef struct spring_step {
    double k, g;             // stiffness and dashpot now
    double k_grows;          // stiffness by which it grows
    double cap, cap_slides;  // largest force while it sticks, and while it slides
    double half[3], now[3];  // rate at the half step (for the spring) and now (for the dashpot)
    const double *n, *n_half;  // normals now and in the middle; NULL: the spring is not in the tangent plane
    double angle;            // half of that of the spin about the normal
    double dt;
    bool lammps;  // a spring without force that exceeds the cap exerts none
    bool takes_over;
} spring_step;

static void spring_advance(grain_spring* s, const spring_step* at, grain_energies* books)
{
    double energy = spring_energy(s), before[3], trial[3], half[3];
    memcpy(before, s->applied, sizeof before);
    memcpy(half, at->half, sizeof half);
    if (s->stiffness > 0.0 && at->k != s->stiffness) {
        for (int k = 0; k < 3 && at->k < s->stiffness; ++k)
            s->force[k] *= at->k / s->stiffness;
        s->stiffness = at->k;
        books->lost_stiffness += energy - spring_energy(s);
        energy = spring_energy(s);
    }
    s->stiffness = at->k;
    add(s->force, -at->k_grows * at->dt, at->half);
    if (at->n != NULL && !at->lammps) {
        double* vectors[2] = {s->force, half};
        for (int v = 0; v < 2; ++v) {
            rotate(vectors[v], at->n_half, at->angle);
            rotate_between(vectors[v], at->n_half, at->n);
        }
    }
    memcpy(trial, s->force, sizeof trial);
    add(trial, -at->g, at->now);
    double size = length(trial), cap = s->sliding ? at->cap_slides : at->cap;
    s->sliding = size > cap;
    if (s->sliding) {
        double held = length(s->force), scale = at->lammps && held == 0.0 ? 0.0 : at->cap_slides / size, growth = at->k_grows * at->dt;
        for (int k = 0; k < 3; ++k) {
            double beyond = trial[k];
            trial[k] *= scale;
            if (at->takes_over)
                s->force[k] = at->k > 0.0 ? trial[k] + at->g * at->now[k] : 0.0;
            else if (!(at->cap_slides > 0.0))
                s->force[k] = 0.0;
            else
                s->force[k] += (at->g + growth > 0.0 ? growth / (at->g + growth) : 1.0) * (trial[k] - beyond);
        }
    }
    memcpy(s->applied, trial, sizeof trial);
    double work = -0.5 * at->dt * (dot(before, at->half) + dot(trial, half));
    *(s->sliding ? &books->lost_slip : &books->lost_dashpot) += work - (spring_energy(s) - energy);
}

// The last half step of its force, and what is left in it.
static void spring_end(const grain_spring* s, const double half[3], double dt, grain_energies* books)
{
    books->lost_left += spring_energy(s) - 0.5 * dt * dot(s->applied, half);
}

static void spring_turn(grain_spring* s, const double n[3], bool keep_length)
{
    project(s->force, n, keep_length);
    project(s->applied, n, keep_length);
}

// From the old normal to that of the half step, and by this angle about it.
static void spring_follow(grain_spring* s, const double n_old[3], const double n_half[3], double angle)
{
    double* vectors[2] = {s->force, s->applied};
    for (int c = 0; c < 2; ++c) {
        rotate_between(vectors[c], n_old, n_half);
        rotate(vectors[c], n_half, angle);
    }
}

// ---- Kinematics of a contact -------------------------------------------------------------------------------------------

// The other side of a contact: a sphere's image or a wall.
typedef struct other_side {
    double v_half[3], v_now[3], w_half[3], w_now[3];
    double mass, r;  // r: 0 for a wall
    int material;
} other_side;

typedef struct geometry {
    double n[3], n_half[3], n_old[3];
    double overlap, overlap_half;
    double arm_i, arm_j;  // for torques
    double speed;         // along n, now; negative when they approach
    double slip_half[3], slip_now[3], roll_half[3], roll_now[3];
    double twist_half, twist_now;
    double twirl;         // mean spin along n_half
    double mass, radius;  // m*, R*
    double young, shear;  // E*, G*
} geometry;

static void surface_velocity(const double u[3], const double w_i[3], const double w_j[3], double arm_i, double arm_j, const double n[3], double out[3])
{
    double turn[3], side[3];
    for (int k = 0; k < 3; ++k)
        turn[k] = arm_i * w_i[k] + arm_j * w_j[k];
    cross(turn, n, side);
    memcpy(out, u, 3 * sizeof *out);
    add(out, -dot(u, n), n);
    add(out, -1.0, side);
}

static double unit(const double d[3], double n[3])
{
    double size = length(d);
    for (int k = 0; k < 3; ++k)
        n[k] = d[k] / size;
    return size;
}

// d: from j to i, of a wall along the normal. dt: of the step that led here.
static geometry look(const grain_sim* sim, int32_t i, const other_side* j, const double d[3], double dt)
{
    const grain_law* law = &sim->now.law;
    bool wall = j->r == 0.0, lammps = law->rule != GRAIN_HALF_STEP;
    double r_i = sim->now.spheres[i].r, r_j = j->r, u_half[3], u_now[3], d_half[3], d_old[3], spin[3];
    geometry g = {0};
    for (int k = 0; k < 3; ++k) {
        u_half[k] = sim->v_half[i][k] - j->v_half[k];
        u_now[k] = sim->v_now[i][k] - j->v_now[k];
        d_half[k] = d[k] - (lammps ? 0.0 : 0.5 * dt * u_half[k]);
        d_old[k] = d[k] - (wall ? 0.0 : dt * u_half[k]);
    }
    unit(d_old, g.n_old);
    if (wall) {  // only the distance changes
        memcpy(d_half, d, sizeof d_half);
        for (int k = 0; k < 3 && !lammps; ++k)
            d_half[k] *= 1.0 - 0.5 * dt * dot(u_half, d) / dot(d, d);
    }
    g.overlap = r_i + r_j - unit(d, g.n);
    g.overlap_half = r_i + r_j - unit(d_half, g.n_half);
    double share = wall ? 1.0 : 0.5;
    g.arm_i = r_i - share * g.overlap;
    g.arm_j = wall ? 0.0 : r_j - share * g.overlap;
    double now_i = g.arm_i, now_j = g.arm_j, half_i = r_i - share * g.overlap_half, half_j = wall ? 0.0 : r_j - share * g.overlap_half;
    if (lammps) {
        now_i = half_i = r_i;
        now_j = half_j = r_j;
        if (law->rule == GRAIN_LAMMPS_CLASSIC || wall) {
            g.arm_i = r_i;
            g.arm_j = r_j;
        }
    }
    g.speed = dot(u_now, g.n);
    surface_velocity(u_half, sim->w_half[i], j->w_half, half_i, half_j, g.n_half, g.slip_half);
    surface_velocity(u_now, sim->w_now[i], j->w_now, now_i, now_j, g.n, g.slip_now);

    g.mass = isinf(j->mass) ? sim->mass[i] : isinf(sim->mass[i]) ? j->mass : sim->mass[i] * j->mass / (sim->mass[i] + j->mass);
    g.radius = wall ? r_i : r_i * r_j / (r_i + r_j);
    for (int k = 0; k < 3; ++k)
        spin[k] = sim->w_half[i][k] - j->w_half[k];
    g.twist_half = dot(spin, g.n_half);
    cross(spin, g.n_half, g.roll_half);
    for (int k = 0; k < 3; ++k)
        spin[k] = sim->w_now[i][k] - j->w_now[k];
    g.twist_now = dot(spin, g.n);
    cross(spin, g.n, g.roll_now);
    for (int k = 0; k < 3; ++k) {
        g.roll_half[k] *= g.radius;
        g.roll_now[k] *= g.radius;
    }
    g.twirl = 0.5 * (dot(sim->w_half[i], g.n_half) + dot(j->w_half, g.n_half));
    g.young = grain_effective_young(law, sim->now.spheres[i].material, j->material);
    g.shear = grain_effective_shear(law, sim->now.spheres[i].material, j->material);
    return g;
}

// ---- Forces of a contact -----------------------------------------------------------------------------------------------

// Overlap below which a contact that exists ends.
static double contact_end(const grain_law* law, const geometry* g)
{
    return law->normal == GRAIN_JKR ? grain_jkr_end(g->young, law->surface_energy, g->radius) : 0.0;
}

// A contact holds no energy where it ends.
static double jkr_energy_above_end(const grain_law* law, const geometry* g, double a)
{
    const double end = grain_jkr_radius(g->young, law->surface_energy, g->radius, contact_end(law, g));
    return grain_jkr_energy(g->young, law->surface_energy, g->radius, a) - grain_jkr_energy(g->young, law->surface_energy, g->radius, end);
}

static double contact_radius(const grain_law* law, const geometry* g, double overlap)
{
    return law->normal == GRAIN_JKR ? grain_jkr_radius(g->young, law->surface_energy, g->radius, overlap) : sqrt(g->radius * fmax(overlap, 0.0));
}

typedef struct normal_part {
    double elastic, dashpot;  // force; coefficient
    double energy;
    double a;           // contact radius
    double attraction;  // added to the normal force for the caps of friction
} normal_part;

static normal_part normal_force(const grain_law* law, double share, const geometry* g, double* depth)
{
    normal_part p = {0};
    double delta = g->overlap, slope = 0.0, carried = 0.0;
    p.a = contact_radius(law, g, delta);
    switch (law->normal) {
    case GRAIN_LINEAR:
        p.elastic = law->stiffness * delta;
        p.energy = 0.5 * law->stiffness * delta * delta;
        slope = law->stiffness;
        carried = 2.0 * sqrt(law->stiffness * g->mass);
        break;
    case GRAIN_PLASTIC:
        p.elastic = grain_plastic_force(law, g->radius, delta, depth, &slope);
        p.energy = p.elastic * p.elastic / (2.0 * slope);
        p.attraction = law->kc * delta;
        carried = 2.0 * sqrt(law->k1 * g->mass);
        break;
    case GRAIN_JKR:
        p.elastic = grain_jkr_force(g->young, law->surface_energy, g->radius, p.a);
        p.energy = jkr_energy_above_end(law, g, p.a);
        p.attraction = 2.0 * 3.0 * pi * law->surface_energy * g->radius;
        break;
    case GRAIN_HERTZ:
    case GRAIN_DMT:
        p.elastic = 4.0 / 3.0 * g->young * p.a * delta;
        p.energy = 0.4 * p.elastic * delta;
        if (law->normal == GRAIN_DMT) {
            double pull = 4.0 * pi * law->surface_energy * g->radius;
            p.elastic -= pull;
            p.energy -= pull * delta;
            p.attraction = 2.0 * pull;
        }
        break;
    }
    if (law->normal == GRAIN_HERTZ || law->normal == GRAIN_DMT || law->normal == GRAIN_JKR) {
        slope = 2.0 * g->young * p.a;
        carried = sqrt(5.0) * sqrt(4.0 / 3.0 * g->young * p.a * g->mass);
    }
    switch (law->damps) {
    case GRAIN_UNDAMPED:
        break;
    case GRAIN_DASHPOT:
        p.dashpot = law->damping;
        break;
    case GRAIN_RESTITUTION:
        p.dashpot = share * carried;
        break;
    case GRAIN_VISCOELASTIC:
        p.dashpot = slope * law->viscous_time;
        break;
    }
    return p;
}

// One spring of a contact, in the plane of the half step.
static void plane_spring(const grain_law* law, const geometry* g, const double half[3], const double now[3], spring_step at, grain_spring* s,
                         grain_energies* books)
{
    memcpy(at.half, half, sizeof at.half);
    memcpy(at.now, now, sizeof at.now);
    at.n = g->n;
    at.n_half = g->n_half;
    at.angle = law->twirl ? 0.5 * g->twirl * at.dt : 0.0;
    if (at.lammps)
        spring_turn(s, g->n_half, law->rule != GRAIN_LAMMPS_CLASSIC);
    else
        spring_follow(s, g->n_old, g->n_half, at.angle);
    spring_advance(s, &at, books);
}

// Normal force, springs, and the power of the normal dashpot of a contact whose spheres touch. dt: 0 in the first evaluation, in which springs do not grow.
static void touch(const grain_sim* sim, const geometry* g, double dt, grain_contact* c, double* power, grain_energies* books)
{
    const grain_law* law = &sim->now.law;
    grain_contact before = *c;
    normal_part p = normal_force(law, sim->damping_share, g, &c->depth);
    if (law->normal == GRAIN_PLASTIC && c->depth != before.depth)
        books->lost_plastic += 0.5 * (before.elastic + p.elastic) * (g->overlap - fmax(before.overlap, 0.0)) - (p.energy - before.spring_energy);
    if (law->normal == GRAIN_JKR && !before.solid)
        books->lost_adhesion -= jkr_energy_above_end(law, g, grain_jkr_radius(g->young, law->surface_energy, g->radius, 0.0));
    double normal = p.elastic - p.dashpot * g->speed;
    if (!law->pull)
        normal = fmax(normal, fmin(p.elastic, 0.0));
    *power += (p.elastic - normal) * g->speed;
    c->solid = true;
    c->a = p.a;
    c->elastic = p.elastic;
    c->spring_energy = p.energy;
    c->force_normal = normal;

    bool lammps = law->rule != GRAIN_HALF_STEP, mindlin = law->tangential == GRAIN_MINDLIN;
    double carried = lammps ? fabs(normal + p.attraction) : fmax(normal + p.attraction, 0.0);
    double dynamic = law->friction_dynamic < 0.0 ? law->friction : law->friction_dynamic;
    bool curved = law->normal == GRAIN_HERTZ || law->normal == GRAIN_JKR || law->normal == GRAIN_DMT;
    // The stiffness is k_by_a times the contact radius, or a constant.
    double k_by_a = mindlin ? 8.0 * g->shear : law->tangential_stiffness * 2.0 * g->young;
    double k_t = curved ? k_by_a * p.a : law->tangential_stiffness * (law->normal == GRAIN_PLASTIC ? law->k1 : law->stiffness);
    double dashpot = mindlin && law->damps == GRAIN_RESTITUTION ? 2.0 * sqrt(5.0 / 6.0) * sim->damping_share * sqrt(k_t * g->mass) : p.dashpot;
    // While the stiffness rises, the mean of the step is that of its middle; while it falls, what has grown in the middle is rescaled to its end.
    double a_half = p.a;
    if (law->half_stiffness && !lammps)
        a_half = fmin(p.a, law->normal != GRAIN_JKR ? contact_radius(law, g, g->overlap_half) : before.solid ? 0.5 * (before.a + p.a) : p.a);
    spring_step at = {.k = k_t,
                      .k_grows = curved ? k_by_a * a_half : k_t,
                      .g = law->tangential_damping * dashpot,
                      .cap = law->friction * carried,
                      .cap_slides = dynamic * carried,
                      .dt = dt,
                      .lammps = lammps,
                      .takes_over = law->takes_over || lammps};
    if (law->tangential != GRAIN_FRICTIONLESS)
        plane_spring(law, g, g->slip_half, g->slip_now, at, &c->tangential, books);
    if (law->rolling == GRAIN_ROLLING_SPRING) {
        spring_step roll = at;
        roll.k = law->rolling_stiffness * at.k;
        roll.k_grows = law->rolling_stiffness * at.k_grows;
        roll.g = law->rolling_damping * at.g;
        roll.cap = roll.cap_slides = law->rolling_friction * carried;
        plane_spring(law, g, g->roll_half, g->roll_now, roll, &c->rolling, books);
    }
    if (law->twisting != GRAIN_TWISTING_FREE) {
        spring_step twist = {.half = {g->twist_half}, .now = {g->twist_now}, .dt = dt, .takes_over = at.takes_over};
        bool marshall = law->twisting == GRAIN_MARSHALL;
        twist.k = marshall ? 0.5 * at.k * p.a * p.a : law->twisting_stiffness;
        twist.k_grows = marshall ? 0.5 * at.k_grows * a_half * a_half : twist.k;
        twist.g = marshall ? 0.5 * at.g * p.a * p.a : law->twisting_damping * at.g * g->radius * g->radius;
        twist.cap = twist.cap_slides = (marshall ? 2.0 / 3.0 * law->friction * p.a : law->twisting_friction) * carried;
        spring_advance(&c->twisting, &twist, books);
    }
}

// The spheres have parted.
static void part(const geometry* g, double dt, grain_contact* c, grain_energies* books)
{
    double twist[3] = {g->twist_half};
    spring_end(&c->tangential, g->slip_half, dt, books);
    spring_end(&c->rolling, g->roll_half, dt, books);
    spring_end(&c->twisting, twist, dt, books);
    c->solid = false;
    c->elastic = c->force_normal = c->spring_energy = c->depth = c->a = 0.0;
    c->tangential = c->rolling = c->twisting = (grain_spring){0};
}

// ---- All contacts ------------------------------------------------------------------------------------------------------

// `force` and `torque` of the evaluation in progress.
typedef struct sums {
    double (*force)[3], (*torque)[3];
    int64_t cursor;  // contacts of the last step, in the order in which they are met
    double power_normal, power_wall;
} sums;

static grain_contact* new_contact(grain_sim* sim)
{
    if (sim->contact_count == sim->room) {
        sim->room = 2 * sim->room + 16;
        sim->contacts = realloc(sim->contacts, (size_t)sim->room * sizeof *sim->contacts);
    }
    return &sim->contacts[sim->contact_count++];
}

// Sphere i and the sphere or wall j, whose number is `number` (as in grain_contact); d: from j to i.
static void meet(grain_sim* sim, int32_t i, int32_t number, const int shift[3], const other_side* j, const double d[3], double dt, sums* to)
{
    const grain_law* law = &sim->now.law;
    bool known = false;
    if (to->cursor < sim->before_count) {
        const grain_contact* old = &sim->before[to->cursor];
        known = old->i == i && old->j == number && memcmp(old->shift, shift, sizeof old->shift) == 0;
    }
    double distance = length(d), overlap = sim->now.spheres[i].r + j->r - distance;
    assert(distance > 0.0);
    if (!known && overlap <= 0.0)
        return;
    grain_contact c = {.i = i, .j = number, .shift = {shift[0], shift[1], shift[2]}};
    if (known)
        c = sim->before[to->cursor++];
    geometry g = look(sim, i, j, d, dt);
    bool holds = overlap > 0.0 || (c.solid && law->normal == GRAIN_JKR && overlap >= contact_end(law, &g));
    bool bridge = law->bridge_volume > 0.0 && (holds || (c.wet && -overlap <= grain_bridge_end(law)));
    if (c.wet && !bridge)
        sim->lost.lost_adhesion += grain_bridge_energy(law, g.radius, grain_bridge_end(law));
    if (c.solid && !holds)
        part(&g, dt, &c, &sim->lost);
    if (!holds && !bridge)
        return;
    if (holds)
        touch(sim, &g, dt, &c, &to->power_normal, &sim->lost);
    c.wet = bridge;
    c.overlap = overlap;
    c.radius = g.radius;
    memcpy(c.n, g.n, sizeof c.n);
    double along = c.force_normal + (bridge ? grain_bridge_force(law, g.radius, -overlap) : 0.0), side[3], roll[3];
    memcpy(c.force, c.tangential.applied, sizeof c.force);
    add(c.force, along, g.n);
    *new_contact(sim) = c;

    cross(g.n, c.tangential.applied, side);
    cross(g.n, c.rolling.applied, roll);
    add(to->force[i], 1.0, c.force);
    add(to->torque[i], -g.arm_i, side);
    add(to->torque[i], g.radius, roll);
    add(to->torque[i], c.twisting.applied[0], g.n);
    if (number < 0) {
        to->power_wall += dot(c.force, j->v_now);
        return;
    }
    add(to->force[number], -1.0, c.force);
    add(to->torque[number], -g.arm_j, side);
    add(to->torque[number], -g.radius, roll);
    add(to->torque[number], -c.twisting.applied[0], g.n);
}

// An image of the sphere itself counts once, not for both of its sides: the first shift that is not 0 is above 0.
static bool is_own_second(const int shift[3])
{
    for (int k = 0; k < 3; ++k)
        if (shift[k] != 0)
            return shift[k] < 0;
    return true;
}

static void meet_images(grain_sim* sim, int32_t i, int32_t j, double dt, sums* to)
{
    const grain_system* s = &sim->now;
    const grain_sphere *a = &s->spheres[i], *b = &s->spheres[j];
    if (a->fixed && b->fixed)
        return;
    other_side side = {.mass = sim->mass[j], .r = b->r, .material = b->material};
    memcpy(side.v_half, sim->v_half[j], sizeof side.v_half);
    memcpy(side.v_now, sim->v_now[j], sizeof side.v_now);
    memcpy(side.w_half, sim->w_half[j], sizeof side.w_half);
    memcpy(side.w_now, sim->w_now[j], sizeof side.w_now);
    int low[3], high[3], shift[3];
    for (int k = 0; k < 3; ++k) {
        double size = s->upper[k] - s->lower[k];
        bool periodic = s->side[k] == GRAIN_PERIODIC;
        int nearest = periodic ? (int)rint((a->x[k] - b->x[k]) / size) : 0;
        low[k] = nearest - periodic;
        high[k] = nearest + periodic;
        assert(!periodic || a->r + b->r + grain_bridge_end(&s->law) < 1.5 * size);  // no further image can touch
    }
    for (shift[0] = low[0]; shift[0] <= high[0]; ++shift[0])
        for (shift[1] = low[1]; shift[1] <= high[1]; ++shift[1])
            for (shift[2] = low[2]; shift[2] <= high[2]; ++shift[2]) {
                if (i == j && is_own_second(shift))
                    continue;
                double d[3];
                for (int k = 0; k < 3; ++k)
                    d[k] = a->x[k] - b->x[k] - (shift[k] != 0 ? shift[k] * (s->upper[k] - s->lower[k]) : 0.0);
                meet(sim, i, j, shift, &side, d, dt, to);
            }
}

static void meet_walls(grain_sim* sim, int32_t i, double dt, sums* to)
{
    const grain_system* s = &sim->now;
    for (int face = 0; face < 2 * s->dim && !s->spheres[i].fixed; ++face) {
        int k = face / 2;
        if (s->side[k] != GRAIN_WALLED)
            continue;
        other_side side = {.mass = INFINITY, .material = s->wall_material};
        side.v_half[k] = side.v_now[k] = s->wall_velocity[k][face & 1];
        double d[3] = {0};
        d[k] = s->spheres[i].x[k] - sim->wall[k][face & 1];
        assert(face & 1 ? d[k] < 0.0 : d[k] > 0.0);
        meet(sim, i, -1 - face, (int[3]){0}, &side, d, dt, to);
    }
}

// Accelerations from positions, predicted velocities and the motion of the half step.
static void evaluate(grain_sim* sim, double dt)
{
    const grain_system* s = &sim->now;
    grain_contact* contacts = sim->before;
    int64_t room = sim->before_room;
    sim->before = sim->contacts;
    sim->before_count = sim->contact_count;
    sim->before_room = sim->room;
    sim->contacts = contacts;
    sim->room = room;
    sim->contact_count = 0;
    sums to = {.force = sim->a, .torque = sim->alpha};
    memset(sim->a, 0, (size_t)s->count * sizeof *sim->a);
    memset(sim->alpha, 0, (size_t)s->count * sizeof *sim->alpha);
    for (int32_t i = 0; i < s->count; ++i) {
        for (int32_t j = i; j < s->count; ++j)
            meet_images(sim, i, j, dt, &to);
        meet_walls(sim, i, dt, &to);
    }
    assert(to.cursor == sim->before_count);
    for (int32_t i = 0; i < s->count; ++i)
        for (int k = 0; k < 3; ++k) {
            bool moves = !s->spheres[i].fixed;
            sim->a[i][k] = moves ? sim->a[i][k] / sim->mass[i] + s->gravity[k] : 0.0;
            sim->alpha[i][k] = moves ? sim->alpha[i][k] / sim->inertia[i] : 0.0;
        }
    sim->lost.lost_normal += 0.5 * dt * (sim->power_normal + to.power_normal);
    sim->lost.wall_work += 0.5 * dt * (sim->power_wall + to.power_wall);
    sim->power_normal = to.power_normal;
    sim->power_wall = to.power_wall;
}

// ---- Simulation --------------------------------------------------------------------------------------------------------

grain_sim* grain_begin(const grain_system* start)
{
    grain_sim* sim = calloc(1, sizeof *sim);
    size_t n = (size_t)start->count;
    sim->now = *start;
    sim->now.spheres = calloc(n + 1, sizeof *sim->now.spheres);
    memcpy(sim->now.spheres, start->spheres, n * sizeof *sim->now.spheres);
    sim->mass = calloc(n + 1, sizeof *sim->mass);
    sim->inertia = calloc(n + 1, sizeof *sim->inertia);
    double(**vectors[6])[3] = {&sim->a, &sim->alpha, &sim->v_half, &sim->w_half, &sim->v_now, &sim->w_now};
    for (int c = 0; c < 6; ++c)
        *vectors[c] = calloc(n + 1, sizeof **vectors[c]);
    if (start->law.damps == GRAIN_RESTITUTION)
        sim->damping_share = grain_damping_share(start->law.restitution, start->law.pull);
    for (int32_t i = 0; i < start->count; ++i) {
        grain_sphere* s = &sim->now.spheres[i];
        sim->mass[i] = s->fixed ? INFINITY : grain_mass(start->dim, s);
        sim->inertia[i] = s->fixed ? INFINITY : grain_inertia_share(start->dim) * grain_mass(start->dim, s) * s->r * s->r;
        for (int k = 0; k < 3; ++k) {
            s->v[k] = s->fixed ? 0.0 : s->v[k];
            s->w[k] = s->fixed ? 0.0 : s->w[k];
            sim->v_half[i][k] = sim->v_now[i][k] = s->v[k];
            sim->w_half[i][k] = sim->w_now[i][k] = s->w[k];
        }
    }
    for (int k = 0; k < 3; ++k) {
        sim->wall[k][0] = start->lower[k];
        sim->wall[k][1] = start->upper[k];
    }
    evaluate(sim, 0.0);
    return sim;
}

void grain_step(grain_sim* sim)
{
    grain_system* s = &sim->now;
    double dt = s->step;
    bool predicts = s->law.rule == GRAIN_HALF_STEP;
    ++sim->done;
    for (int32_t i = 0; i < s->count; ++i)
        for (int k = 0; k < 3; ++k) {
            sim->v_half[i][k] = s->spheres[i].v[k] + 0.5 * dt * sim->a[i][k];
            sim->w_half[i][k] = s->spheres[i].w[k] + 0.5 * dt * sim->alpha[i][k];
            sim->v_now[i][k] = sim->v_half[i][k] + (predicts ? 0.5 * dt * sim->a[i][k] : 0.0);
            sim->w_now[i][k] = sim->w_half[i][k] + (predicts ? 0.5 * dt * sim->alpha[i][k] : 0.0);
            s->spheres[i].x[k] += dt * sim->v_half[i][k];
        }
    for (int k = 0; k < 3; ++k) {
        sim->wall[k][0] = s->lower[k] + (double)sim->done * dt * s->wall_velocity[k][0];
        sim->wall[k][1] = s->upper[k] + (double)sim->done * dt * s->wall_velocity[k][1];
    }
    evaluate(sim, dt);
    for (int32_t i = 0; i < s->count; ++i)
        for (int k = 0; k < 3; ++k) {
            s->spheres[i].v[k] = sim->v_half[i][k] + 0.5 * dt * sim->a[i][k];
            s->spheres[i].w[k] = sim->w_half[i][k] + 0.5 * dt * sim->alpha[i][k];
        }
}

grain_energies grain_measure(const grain_sim* sim)
{
    grain_energies e = sim->lost;
    for (int32_t i = 0; i < sim->now.count; ++i) {
        const grain_sphere* s = &sim->now.spheres[i];
        if (s->fixed)
            continue;
        e.kinetic += 0.5 * sim->mass[i] * dot(s->v, s->v);
        e.rotation += 0.5 * sim->inertia[i] * dot(s->w, s->w);
        e.gravity -= sim->mass[i] * dot(sim->now.gravity, s->x);
    }
    for (int64_t k = 0; k < sim->contact_count; ++k) {
        const grain_contact* c = &sim->contacts[k];
        e.normal += c->spring_energy;
        e.tangential += spring_energy(&c->tangential);
        e.rolling += spring_energy(&c->rolling);
        e.twisting += spring_energy(&c->twisting);
        if (c->wet)
            e.bridge += grain_bridge_energy(&sim->now.law, c->radius, -c->overlap);
    }
    return e;
}

double grain_energy_stored(const grain_energies* e)
{
    return e->kinetic + e->rotation + e->normal + e->tangential + e->rolling + e->twisting + e->bridge + e->gravity;
}

double grain_energy_lost(const grain_energies* e)
{
    return e->lost_normal + e->lost_dashpot + e->lost_slip + e->lost_left + e->lost_stiffness + e->lost_plastic + e->lost_adhesion;
}

double grain_energy_total(const grain_energies* e)
{
    return grain_energy_stored(e) + grain_energy_lost(e) - e->wall_work;
}

void grain_end(grain_sim* sim)
{
    if (sim == NULL)
        return;
    free(sim->now.spheres);
    free(sim->mass);
    free(sim->inertia);
    free(sim->a);
    free(sim->alpha);
    free(sim->v_half);
    free(sim->w_half);
    free(sim->v_now);
    free(sim->w_now);
    free(sim->contacts);
    free(sim->before);
    free(sim);
}
