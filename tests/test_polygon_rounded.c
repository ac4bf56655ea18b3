// Polygons with rounded corners: forces as the gradient of an energy that is worked out from all pairs here, mass
// against fine outlines, what stands, what is conserved, what is refused.
#include "polygon_support.h"

#include "scree/checkpoint.h"

#include <math.h>

static int32_t add_star(scree_shapes* shapes, int arms, double outer, double inner)
{
    double xy[64];
    for (int i = 0; i < 2 * arms; ++i) {
        const double r = i % 2 ? inner : outer, a = poly_pi * i / arms;
        xy[2 * i] = r * cos(a);
        xy[2 * i + 1] = r * sin(a);
    }
    return poly_add(shapes, 2 * arms, xy);
}

static int32_t add_angle(scree_shapes* shapes)
{
    return poly_add(shapes, 6, (const double[]){0, 0, 0.5, 0, 0.5, 0.15, 0.15, 0.15, 0.15, 0.5, 0, 0.5});
}

static scree_polygon_rounded rounded_of(const scree_shapes* shapes, int32_t shape, double rounding)
{
    scree_polygon_rounded out;
    CHECK_OK(scree_polygon_round(scree_shapes_get(shapes, shape), rounding, &out));
    return out;
}

// ---- Outlines ----------------------------------------------------------------------------------------------------------

// The rounded outline with arcs of many chords, from the corners themselves. Returns how many points.
static int32_t draw_fine(scree_polygon p, double r, int chords, double* out)
{
    int32_t count = 0;
    for (int32_t v = 0; v < p.count; ++v) {
        const double *a = p.xy + 2 * ((v + p.count - 1) % p.count), *b = p.xy + 2 * v, *c = p.xy + 2 * ((v + 1) % p.count);
        double before = atan2(b[1] - a[1], b[0] - a[0]), turn = atan2(c[1] - b[1], c[0] - b[0]) - before;
        turn -= 2 * poly_pi * floor((turn + poly_pi) / (2 * poly_pi));
        if (turn <= 0) {
            memcpy(out + 2 * count++, b, 2 * sizeof *b);
            continue;
        }
        const double middle = before + 0.5 * turn - 0.5 * poly_pi, far = r / cos(0.5 * turn);
        const double x[2] = {b[0] - far * cos(middle), b[1] - far * sin(middle)};
        for (int k = 0; k <= chords; ++k, ++count) {
            const double at = before - 0.5 * poly_pi + turn * k / chords;
            out[2 * count] = x[0] + r * cos(at);
            out[2 * count + 1] = x[1] + r * sin(at);
        }
    }
    return count;
}

static void mass_is_that_of_the_round_outline(void** state)
{
    (void)state;
    enum { chords = 2000 };
    scree_shapes shapes = {0};
    add_star(&shapes, 5, 0.3, 0.12);
    add_angle(&shapes);
    poly_rectangle(&shapes, 3, 0.5);
    poly_add(&shapes, 3, (const double[]){10, 10, 11, 10, 10.2, 13});
    poly_rule(&shapes, SCREE_SHAPE_CONVEX, 9, 1.0, 0.5, 3);
    for (int32_t s = 0; s < shapes.count; ++s) {
        const scree_polygon p = scree_shapes_get(&shapes, s);
        const scree_polygon_rounded found = rounded_of(&shapes, s, 0.1);
        double* fine = malloc((size_t)p.count * (chords + 1) * 2 * sizeof *fine);
        const scree_polygon drawn = {.count = draw_fine(p, found.r, chords, fine), .xy = fine};
        scree_polygon_numbers wanted, sharp;
        CHECK_OK(scree_polygon_measure(drawn, &wanted));
        CHECK_OK(scree_polygon_measure(p, &sharp));
        CHECK_CLOSE(found.area, wanted.area, 2e-8 * wanted.area);
        for (int k = 0; k < 2; ++k)
            CHECK_CLOSE(found.centre[k], wanted.centre[k], 2e-8);
        CHECK_CLOSE(found.gyration, wanted.gyration, 3e-8 * wanted.gyration);
        CHECK_CLOSE(found.radius, wanted.radius, 1e-6);
        assert_true(found.area < sharp.area && found.limited == (found.r < 0.0999999 * sqrt(sharp.area / poly_pi)));
        free(fine);
    }
    scree_shapes_free(&shapes);
}

// r ends halfway to where the first side vanishes, or a concave corner meets another side.
static void radius_has_its_limits(void** state)
{
    (void)state;
    const double cut[] = {0, 0, 1, 0, 1, 0.9, 0.9, 1, 0, 1};                             // the cut of the corner: two half turns of pi / 8
    const double slot[] = {0, 0, 4, 0, 4, 2, 2.01, 2, 2.01, 0.2, 1.99, 0.2, 1.99, 2, 0, 2};  // the bottom of the slot is 0.2 above the lower side
    const double strip[] = {0, 0, 4, 0, 4, 0.1, 0, 0.1};                                 // its ends vanish, at a core without area
    scree_shapes shapes = {0};
    const int32_t a = poly_add(&shapes, 5, cut), b = poly_add(&shapes, 8, slot), c = poly_add(&shapes, 4, strip);
    scree_polygon_rounded found = rounded_of(&shapes, a, 1.0);
    assert_true(found.limited);
    CHECK_CLOSE(found.r, 0.5 * 0.1 * sqrt(2.0) / (2 * tan(poly_pi / 8)), 1e-12);
    found = rounded_of(&shapes, b, 0.5);
    CHECK_CLOSE(found.r, 0.5 * 0.1, 1e-12);
    found = rounded_of(&shapes, c, 0.5);
    CHECK_CLOSE(found.r, 0.5 * 0.05, 1e-12);
    found = rounded_of(&shapes, c, 0.01);
    assert_false(found.limited);
    CHECK_CLOSE(found.r, 0.01 * sqrt(0.4 / poly_pi), 1e-15);
    // Fixed polygons are not rounder than the least round of the free ones; without these as the smallest disc would
    // be.
    scree_body bodies[3] = {{.shape = b, .fixed = true}, {.shape = c, .x = {20, 0}}, {.shape = a, .x = {30, 0}}};
    scree_polygon_sim_def def = poly_def(100, 0.0);
    scree_polygon_sim* sim = poly_create(&def, &shapes, 3, bodies);
    scree_polygon_sim_numbers m = scree_polygon_sim_get_numbers(sim);
    CHECK_CLOSE(m.rounding_min, 0.05 * sqrt(0.4 / poly_pi), 1e-15);
    CHECK_CLOSE(m.rounding_max, rounded_of(&shapes, a, 0.05).r, 1e-15);
    assert_true(m.limited == 0 && m.limited_first == -1);
    scree_polygon_sim_destroy(sim);
    bodies[1] = (scree_body){.shape = -1, .radius = 0.2, .x = {20, 0}};
    sim = poly_create(&def, &shapes, 2, bodies);
    CHECK_CLOSE(scree_polygon_sim_get_numbers(sim).rounding_max, 0.05 * 0.2, 1e-15);
    scree_polygon_sim_destroy(sim);
    def.rounding = 0.3;
    bodies[1] = (scree_body){.shape = a, .x = {20, 0}};
    bodies[2] = (scree_body){.shape = c, .x = {30, 0}};
    sim = poly_create(&def, &shapes, 3, bodies);
    m = scree_polygon_sim_get_numbers(sim);
    assert_true(m.limited == 2 && m.limited_first == 1);  // the fixed one is as round as it may
    scree_polygon_sim_destroy(sim);
    scree_shapes_free(&shapes);
}

// Vertices on straight sides change nothing, and contacts name vertices as they were given.
static void straight_sides_are_one(void** state)
{
    (void)state;
    scree_shapes shapes = {0};
    const double plain[] = {-1, -0.5, 1, -0.5, 1, 0.5, -1, 0.5};
    const double divided[] = {0.3, -0.5, 1, -0.5, 1, 0.1, 1, 0.5, 0.2, 0.5, -0.7, 0.5, -1, 0.5, -1, -0.5};
    const int32_t shape[2] = {poly_add(&shapes, 4, plain), poly_add(&shapes, 8, divided)};
    scree_polygon_sim_def def = poly_def(1e4, 0.4);
    def.gravity[1] = -10;
    def.box = scree_box_sized(2, (const double[]){8, 8});
    uint64_t hash[2];
    for (int s = 0; s < 2; ++s) {
        const scree_body bodies[2] = {{.shape = shape[s], .x = {4, 0.6}, .angle = 0.02}, {.shape = shape[s], .x = {4.3, 1.7}}};
        scree_polygon_sim* sim = poly_create(&def, &shapes, 2, bodies);
        CHECK_OK(scree_polygon_sim_run(sim, 20000));
        hash[s] = scree_polygon_sim_hash(sim);
        scree_polygon_contacts list;
        CHECK_OK(scree_polygon_sim_get_contacts(sim, &list));
        assert_true(list.count >= 2);
        for (int64_t c = 0; c < list.count && s == 1; ++c)
            assert_true(list.contacts[c].feature == 1 || list.contacts[c].feature == 3 || list.contacts[c].feature == 6 ||
                        list.contacts[c].feature == 7);
        scree_outlines o;
        CHECK_OK(scree_polygon_sim_get_outlines(sim, &o));
        for (int32_t i = 0; i < 2; ++i) {  // corners as chords: a little less than the body, and not beyond its sides
            scree_polygon_numbers drawn;
            const scree_polygon_rounded round = rounded_of(&shapes, shape[s], def.rounding);
            CHECK_OK(scree_polygon_measure(poly_outline(&o, i), &drawn));
            assert_true(drawn.area <= round.area && drawn.area > 0.9995 * round.area && drawn.reflex == 0);
        }
        scree_polygon_sim_destroy(sim);
    }
    // The centre of mass is found by other sums: nothing but its last digits differs.
    scree_polygon_rounded one = rounded_of(&shapes, shape[0], 0.05), other = rounded_of(&shapes, shape[1], 0.05);
    CHECK_CLOSE(one.area, other.area, 1e-15);
    CHECK_CLOSE(one.r, other.r, 1e-15);
    assert_true(hash[0] != 0 && hash[1] != 0);
    scree_shapes_free(&shapes);
}

// ---- The energy of two outlines, from all pairs ------------------------------------------------------------------------

typedef struct judged_link {
    double distance;
    int i, j;
} judged_link;

static int by_distance(const void* a, const void* b)
{
    const judged_link *one = a, *other = b;
    if (one->distance != other->distance)
        return one->distance < other->distance ? -1 : 1;
    return one->i != other->i ? one->i - other->i : one->j - other->j;
}

static int root_of(int* towards, int n)
{
    while (towards[n] != n)
        n = towards[n] = towards[towards[n]];
    return n;
}

static double to_segment(const double x[2], const double a[2], const double b[2])
{
    const double d[2] = {b[0] - a[0], b[1] - a[1]};
    const double t = ((x[0] - a[0]) * d[0] + (x[1] - a[1]) * d[1]) / (d[0] * d[0] + d[1] * d[1]);
    const double s = t < 0 ? 0 : t > 1 ? 1 : t;
    return hypot(x[0] - a[0] - s * d[0], x[1] - a[1] - s * d[1]);
}

static double held(double distance, double reach)
{
    return distance < reach ? 0.5 * (reach - distance) * (reach - distance) : 0.0;
}

// A core, worked out from the drawing by corners, placed.
typedef struct judged_core {
    int n;
    double (*p)[2];
    double r;
} judged_core;

static judged_core judge_core(const scree_shapes* shapes, const scree_body* body, double rounding)
{
    const scree_polygon p = scree_shapes_get(shapes, body->shape);
    const scree_polygon_rounded numbers = rounded_of(shapes, body->shape, rounding);
    judged_core out = {.n = p.count, .p = malloc((size_t)p.count * sizeof *out.p), .r = numbers.r};
    for (int v = 0; v < p.count; ++v) {
        const double *a = p.xy + 2 * ((v + p.count - 1) % p.count), *b = p.xy + 2 * v, *c = p.xy + 2 * ((v + 1) % p.count);
        const double one = atan2(b[1] - a[1], b[0] - a[0]), other = atan2(c[1] - b[1], c[0] - b[0]);
        const double far = numbers.r / cos(0.5 * (other - one)), at = 0.5 * (one + other) + 0.5 * poly_pi;
        const double x = b[0] + far * cos(at) - numbers.centre[0], y = b[1] + far * sin(at) - numbers.centre[1], t = body->angle;
        out.p[v][0] = body->x[0] + cos(t) * x - sin(t) * y;
        out.p[v][1] = body->x[1] + sin(t) * x + cos(t) * y;
    }
    return out;
}

// In units of the stiffness.
static double judge(const judged_core* a, const judged_core* b)
{
    const int m = a->n, n = b->n;
    const double reach = a->r + b->r;
    int* towards = malloc(2 * (size_t)m * (size_t)n * sizeof *towards);
    judged_link* links = malloc((size_t)m * (size_t)n * sizeof *links);
    int count = 0;
    double energy = 0.0;
    for (int i = 0; i < m; ++i)
        for (int j = 0; j < n; ++j) {
            const double d = hypot(a->p[i][0] - b->p[j][0], a->p[i][1] - b->p[j][1]);
            energy += held(to_segment(a->p[i], b->p[j], b->p[(j + 1) % n]),
                           reach) + held(to_segment(b->p[j], a->p[i], a->p[(i + 1) % m]), reach);
            towards[i * n + j] = i * n + j;
            towards[m * n + i * n + j] = m * n + i * n + j;
            if (d < reach)
                links[count++] = (judged_link){d, i, j};
        }
    qsort(links, (size_t)count, sizeof *links, by_distance);
    for (int k = 0; k < count; ++k) {
        const int i = links[k].i, j = links[k].j, before_i = (i + m - 1) % m, before_j = (j + n - 1) % n;
        const int node[4] = {i * n + j, i * n + before_j, m * n + i * n + j, m * n + before_i * n + j};
        for (int c = 1; c < 4; ++c) {
            const int p = root_of(towards, node[0]), q = root_of(towards, node[c]);
            if (p == q)
                continue;
            towards[q] = p;
            energy -= held(links[k].distance, reach);
        }
    }
    free(links);
    free(towards);
    return energy;
}

static double judge_pose(const scree_shapes* shapes, const scree_body bodies[2], double rounding)
{
    judged_core a = judge_core(shapes, &bodies[0], rounding), b = judge_core(shapes, &bodies[1], rounding);
    const double energy = judge(&a, &b);
    free(a.p);
    free(b.p);
    return energy;
}

typedef struct seen {
    double energy, force[2], torque;  // on the second, about its place
    int64_t contacts;
} seen;

static seen look_at(scree_polygon_sim* sim, const scree_body bodies[2])
{
    scree_polygon_contacts list;
    seen out = {.energy = 0.0};
    CHECK_OK(scree_polygon_sim_get_contacts(sim, &list));
    out.contacts = list.count;
    for (int64_t c = 0; c < list.count; ++c) {
        const scree_contact* at = &list.contacts[c];
        const double sign = at->i == 1 ? 1.0 : -1.0, r[2] = {at->point[0] - bodies[1].x[0], at->point[1] - bodies[1].x[1]};
        out.energy += at->energy;
        for (int k = 0; k < 2; ++k)
            out.force[k] += sign * at->force[k];
        out.torque += sign * (r[0] * at->force[1] - r[1] * at->force[0]);
    }
    return out;
}

// Energy, force and couple of contacts at random poses: the energy of all pairs, and its gradient. The accelerations
// are the same force and couple.
static void check_poses(int32_t first, int32_t second, const scree_shapes* shapes, double size, int wanted, double tolerance,
                        scree_rng* rng)
{
    const double k = 1e5, h = 1e-7;
    scree_polygon_sim_def def = poly_def(k, 0.0);
    double inner = 0.0;
    int used = 0, linked = 0;
    for (int tries = 0; used < wanted; ++tries) {
        if (tries > 1000 * wanted)
            fail_msg("only %d of %d poses", used, wanted);
        scree_body bodies[2] = {{.shape = first, .angle = poly_between(rng, 0, 7)}, {.shape = second, .angle = poly_between(rng, 0, 7)}};
        const double at = poly_between(rng, 0, 7), far = poly_between(rng, 0.3, 1.0) * size;
        bodies[1].x[0] = far * cos(at);
        bodies[1].x[1] = far * sin(at);
        if (!(judge_pose(shapes, bodies, def.rounding) > 0.0))
            continue;
        scree_polygon_sim* sim;
        if (scree_polygon_sim_create(&def, shapes, 2, bodies, &sim) != SCREE_OK)
            continue;  // cores cross
        ++used;
        const seen found = look_at(sim, bodies);
        const double energy = k * judge_pose(shapes, bodies, def.rounding), scale = sqrt(k * energy) + 1e-3 * k * inner;
        inner = fmax(inner, sqrt(energy / k));
        linked += found.contacts > 1;
        CHECK_CLOSE(found.energy, energy, 1e-11 * k * size * size);
        double* const q[3] = {&bodies[1].x[0], &bodies[1].x[1], &bodies[1].angle};
        const double forces[3] = {found.force[0], found.force[1], found.torque};
        for (int c = 0; c < 3; ++c) {
            const double keep = *q[c];
            *q[c] = keep + h;
            const double more = k * judge_pose(shapes, bodies, def.rounding);
            *q[c] = keep - h;
            const double less = k * judge_pose(shapes, bodies, def.rounding);
            *q[c] = keep;
            const double off = forces[c] + (more - less) / (2 * h);
            if (!(fabs(off) < tolerance * scale))
                fail_msg("pose %d, shapes %d and %d: force %d is %.12g, -dU %.12g, scale %g; x %.17g %.17g angles %.17g %.17g",
                         used, (int)first, (int)second, c, forces[c], -(more - less) / (2 * h), scale,
                         bodies[1].x[0], bodies[1].x[1], bodies[0].angle, bodies[1].angle);
        }
        double a[6];
        scree_polygon_sim_state now = {.a = a};
        CHECK_OK(scree_polygon_sim_get_state(sim, &now));
        const scree_polygon_rounded mass = rounded_of(shapes, second, def.rounding);
        for (int c = 0; c < 2; ++c)
            CHECK_CLOSE(mass.area * a[3 + c], found.force[c], 1e-11 * k * size);
        CHECK_CLOSE(mass.area * mass.gyration * a[5], found.torque, 1e-11 * k * size * size);
        scree_polygon_sim_destroy(sim);
    }
    assert_true(linked > wanted / 20);
}

static void force_is_the_gradient(void** state)
{
    (void)state;
    scree_rng rng = scree_rng_make(31, 1);
    scree_shapes shapes = {0};
    const int32_t star = add_star(&shapes, 5, 0.3, 0.12), angle = add_angle(&shapes), square = poly_rectangle(&shapes, 0.4, 0.4);
    const int32_t fine = poly_rule(&shapes, SCREE_SHAPE_REGULAR, 60, 0.3, 0.0, 1);
    const int32_t rough = poly_rule(&shapes, SCREE_SHAPE_STAR, 24, 0.4, 0.3, 2);
    const int poses = 10 + (int)(60 * test_effort());
    check_poses(star, angle, &shapes, 0.7, poses, 1e-5, &rng);
    check_poses(angle, angle, &shapes, 0.8, poses, 1e-5, &rng);
    check_poses(square, star, &shapes, 0.6, poses, 1e-5, &rng);
    check_poses(fine, fine, &shapes, 0.61, poses, 1e-5, &rng);
    check_poses(rough, angle, &shapes, 0.8, poses, 1e-5, &rng);
    scree_shapes_free(&shapes);
}

// ---- Closed forms ------------------------------------------------------------------------------------------------------

// The force of the second body of two, and its contacts.
static seen at_rest(const scree_polygon_sim_def* def, const scree_shapes* shapes, const scree_body bodies[2])
{
    scree_polygon_sim* sim = poly_create(def, shapes, 2, bodies);
    const seen found = look_at(sim, bodies);
    scree_polygon_sim_destroy(sim);
    return found;
}

static void flush_sides_push_the_same_at_every_offset(void** state)
{
    (void)state;
    scree_shapes shapes = {0};
    const int32_t long_one = poly_rectangle(&shapes, 1, 0.5), short_one = poly_rectangle(&shapes, 0.5, 0.5);
    const scree_polygon_sim_def def = poly_def(1e5, 0.0);
    const double depth = 0.002, r = rounded_of(&shapes, short_one, def.rounding).r;
    static const double offsets[] = {-15, -3, -1, -0.5, -1e-3, -1e-9, 0, 1e-12, 1e-3, 0.3, 1, 2, 15};
    for (int c = 0; c < 2; ++c)
        for (size_t k = 0; k < sizeof offsets / sizeof *offsets; ++k) {
            const double x = (c == 0 ? 0.0 : 0.25) + offsets[k] * r;
            const scree_body bodies[2] = {{.shape = long_one}, {.shape = c == 0 ? long_one : short_one, .x = {c == 0 ? x : x, 0.5 - depth}}};
            const seen found = at_rest(&def, &shapes, bodies);
            CHECK_CLOSE(found.force[1], 2e5 * depth, 1e-8);
            CHECK_CLOSE(found.force[0], 0.0, 1e-8);
            assert_int_equal(found.contacts, 2);
        }
    // One vertex on a side, on a side's end, and on a vertex; a disc on a side and on a corner.
    const double k = 1e5, rc = rounded_of(&shapes, short_one, def.rounding).r, half = 0.25 - rc, tip = sqrt(2.0) * half + rc;
    scree_body bodies[2] = {{.shape = long_one}, {.shape = short_one, .x = {0.1, 0.25 + tip - depth}, .angle = poly_pi / 4}};
    seen found = at_rest(&def, &shapes, bodies);
    CHECK_CLOSE(found.force[1], k * depth, 1e-8);
    CHECK_CLOSE(found.force[0], 0.0, 1e-8);
    assert_int_equal(found.contacts, 1);
    bodies[0] = (scree_body){.shape = short_one, .angle = -poly_pi / 4};
    bodies[1].x[0] = 0.0;
    bodies[1].x[1] = 2 * tip - depth;
    found = at_rest(&def, &shapes, bodies);
    CHECK_CLOSE(found.force[1], k * depth, 1e-8);
    assert_int_equal(found.contacts, 1);
    bodies[1] = (scree_body){.shape = -1, .radius = 0.3, .x = {0.0, tip + 0.3 - depth}};
    found = at_rest(&def, &shapes, bodies);
    CHECK_CLOSE(found.force[1], k * depth, 1e-8);
    assert_int_equal(found.contacts, 1);
    bodies[0] = (scree_body){.shape = short_one};
    bodies[1].x[1] = 0.25 + 0.3 - depth;
    found = at_rest(&def, &shapes, bodies);
    CHECK_CLOSE(found.force[1], k * depth, 1e-8);
    CHECK_CLOSE(found.energy, 0.5 * k * depth * depth, 1e-12);
    assert_int_equal(found.contacts, 1);
    // In a notch of 90 degrees a vertex has two sides, and a disc too; near the notch they share what is common.
    const double notch[] = {-1, -1, 1, -1, 1, 1, 0, 0, -1, 1};
    const int32_t vee = poly_add(&shapes, 5, notch);
    const double level = scree_polygon_measure(scree_shapes_get(&shapes, vee), &(scree_polygon_numbers){0}) == SCREE_OK ? 0.0 : 1.0;
    bodies[0] = (scree_body){.shape = vee, .fixed = true};
    bodies[1] = (scree_body){.shape = -1, .radius = 0.3, .x = {0.0, level + 0.3 * sqrt(2.0) - depth * sqrt(2.0)}};
    found = at_rest(&def, &shapes, bodies);
    assert_int_equal(found.contacts, 2);
    CHECK_CLOSE(found.force[1], sqrt(2.0) * k * depth, 1e-8);
    scree_shapes_free(&shapes);
}

// At a wall vertices alone act, each as a disc of its radius.
static void walls_meet_vertices(void** state)
{
    (void)state;
    scree_shapes shapes = {0};
    const int32_t block = poly_rectangle(&shapes, 1, 0.5);
    scree_polygon_sim_def def = poly_def(1e5, 0.0);
    def.box = scree_box_sized(2, (const double[]){4, 4});
    const scree_body body = {.shape = block, .x = {2, 0.248}};
    scree_polygon_sim* sim = poly_create(&def, &shapes, 1, &body);
    scree_polygon_contacts list;
    CHECK_OK(scree_polygon_sim_get_contacts(sim, &list));
    assert_int_equal(list.count, 2);
    for (int c = 0; c < 2; ++c) {
        CHECK_CLOSE(list.contacts[c].force[1], 1e5 * 0.002, 1e-8);
        assert_true(list.contacts[c].kind == SCREE_CONTACT_WALL && list.contacts[c].feature == c);
    }
    scree_polygon_sim_destroy(sim);
    scree_shapes_free(&shapes);
}

// ---- What stands, and what rebounds ------------------------------------------------------------------------------------

static scree_polygon_sim* tower(const scree_shapes* shapes, int count, double offset, double friction)
{
    scree_body bodies[16];
    for (int i = 0; i < count; ++i)
        bodies[i] = (scree_body){.shape = 0, .x = {2 + (i % 2) * offset, 0.2 + 0.4 * i}};
    scree_polygon_sim_def def = poly_def(1e5, friction);
    def.box = scree_box_sized(2, (const double[]){4, 8});
    def.gravity[1] = -10;
    def.restitution = 0.05;
    return poly_create(&def, shapes, count, bodies);
}

static void towers_stand(void** state)
{
    (void)state;
    scree_shapes shapes = {0};
    poly_rectangle(&shapes, 0.4, 0.4);
    for (int count = 2; count < 6; count += count < 3 ? 1 : 2)
        for (int way = 0; way < 3; ++way) {
            const double offset = way == 0 ? 0.0 : way == 1 ? 1e-4 : 0.01;
            scree_polygon_sim* sim = tower(&shapes, count, offset, way == 0 ? 0.0 : 0.4);
            CHECK_OK(scree_polygon_sim_run(sim, count < 5 ? 20000 : 50000));
            scree_polygon_sim_state s = poly_state(sim);
            const double weight = scree_polygon_sim_get_numbers(sim).mass / count * 10;
            double height = 0.2;
            for (int i = 0; i < count; ++i) {  // two springs below each carry what is above
                height -= weight * (count - i) / 2e5;
                CHECK_CLOSE(s.x[2 * i + 1], height, way == 2 ? 1e-6 : 1e-8);
                CHECK_CLOSE(s.x[2 * i], 2 + (i % 2) * offset, way == 0 ? 0.0 : 2e-5);
                height += 0.4;
            }
            assert_true(poly_report(sim).speed_max < (way == 0 ? 1e-6 : 1e-4));
            poly_state_free(&s);
            scree_polygon_sim_destroy(sim);
        }
    scree_shapes_free(&shapes);
}

// Equal squares side by side and on each other, without friction, corners on corners everywhere.
static void a_lattice_of_squares_stands(void** state)
{
    (void)state;
    enum { side = 6 };
    scree_shapes shapes = {0};
    poly_rectangle(&shapes, 0.4, 0.4);
    scree_body bodies[side * side];
    for (int i = 0; i < side * side; ++i)
        bodies[i] = (scree_body){.shape = 0, .x = {0.2 + 0.4 * (i % side), 0.2 + 0.4 * (i / side)}};
    scree_polygon_sim_def def = poly_def(1e5, 0.0);
    def.box = scree_box_sized(2, (const double[]){0.4 * side, 4});
    def.gravity[1] = -10;
    def.restitution = 0.3;
    scree_polygon_sim* sim = poly_create(&def, &shapes, side * side, bodies);
    CHECK_OK(scree_polygon_sim_run(sim, test_is_small() ? 3000 : 10000));
    scree_polygon_sim_state s = poly_state(sim);
    for (int i = 0; i < side * side; ++i) {
        CHECK_CLOSE(s.x[2 * i], bodies[i].x[0], 1e-9);
        CHECK_CLOSE(s.x[2 * i + 1], bodies[i].x[1], 1e-3);
        CHECK_CLOSE(s.angle[i], 0.0, 1e-9);
    }
    poly_state_free(&s);
    scree_polygon_sim_destroy(sim);
    scree_shapes_free(&shapes);
}

static void equal_squares_rebound(void** state)
{
    (void)state;
    scree_shapes shapes = {0};
    poly_rectangle(&shapes, 1, 1);
    for (int k = 0; k < 4; ++k) {
        const double offset = (const double[]){0.0, 1e-5, 3e-4, 0.01}[k];
        scree_body bodies[2] = {{.shape = 0, .v = {0.1, 0}}, {.shape = 0, .x = {1.001, offset}, .v = {-0.1, 0}}};
        scree_polygon_sim_def def = poly_def(1e5, 0.0);
        def.time_step = 1e-5;
        scree_polygon_sim* sim = poly_create(&def, &shapes, 2, bodies);
        CHECK_OK(scree_polygon_sim_run(sim, 6000));
        scree_polygon_sim_state s = poly_state(sim);
        CHECK_CLOSE(s.v[0], -0.1, offset == 0.0 ? 1e-6 : 2e-3);  // with an offset they turn a little
        CHECK_CLOSE(s.v[2], 0.1, offset == 0.0 ? 1e-6 : 2e-3);
        CHECK_CLOSE(s.v[1], 0.0, offset == 0.0 ? 1e-12 : 1e-4);
        poly_state_free(&s);
        scree_polygon_sim_destroy(sim);
    }
    scree_shapes_free(&shapes);
}

// ---- Energy ------------------------------------------------------------------------------------------------------------

static double gas_error(double parts)
{
    scree_shapes shapes = {0};
    scree_rng rng = scree_rng_make(3, 3);
    const int32_t shape[3] = {add_star(&shapes, 5, 0.3, 0.12), poly_rectangle(&shapes, 0.35, 0.35), add_angle(&shapes)};
    scree_body bodies[9];
    for (int i = 0; i < 9; ++i)
        bodies[i] = (scree_body){.shape = shape[i % 3],
                                 .x = {0.4 + 0.7 * (i / 3), 0.4 + 0.7 * (i % 3)},
                                 .angle = poly_between(&rng, 0, 6),
                                 .v = {poly_between(&rng, -0.5, 0.5), poly_between(&rng, -0.5, 0.5)},
                                 .spin = poly_between(&rng, -2, 2)};
    scree_polygon_sim_def def = poly_def(1e5, 0.0);
    def.box = scree_box_sized(2, (const double[]){2.2, 2.2});
    scree_polygon_sim* sim = poly_create(&def, &shapes, 9, bodies);
    def.time_step = scree_polygon_sim_get_numbers(sim).contact_duration / parts;
    scree_polygon_sim_destroy(sim);
    sim = poly_create(&def, &shapes, 9, bodies);
    const double first = poly_energy(sim);
    double worst = 0.0;
    for (int part = 0; part < 100; ++part) {
        poly_run_for(sim, 0.01);
        worst = fmax(worst, fabs(poly_energy(sim) / first - 1.0));
    }
    scree_polygon_sim_destroy(sim);
    scree_shapes_free(&shapes);
    return worst;
}

static double round_error(int sides, double parts, double angle)
{
    scree_shapes shapes = {0};
    poly_rule(&shapes, SCREE_SHAPE_REGULAR, sides, 1.0, 0.0, 1);
    const scree_body bodies[2] = {{.shape = 0, .v = {0.01, 0}}, {.shape = 0, .x = {1.9999, 0}, .angle = poly_pi + angle, .v = {-0.01, 0}, .spin = 0.003}};
    scree_polygon_sim_def def = poly_def(1.0, 0.0);
    scree_polygon_sim* sim = poly_create(&def, &shapes, 2, bodies);
    const double duration = scree_polygon_sim_get_numbers(sim).contact_duration;
    scree_polygon_sim_destroy(sim);
    def.time_step = duration / parts;
    sim = poly_create(&def, &shapes, 2, bodies);
    const double first = poly_energy(sim);
    double worst = 0.0;
    int64_t most = 0;
    const int64_t between = (int64_t)(parts / 50);
    for (int step = 0; step < 3 * 50; ++step) {
        CHECK_OK(scree_polygon_sim_run(sim, between));
        const scree_polygon_sim_report r = poly_report(sim);
        worst = fmax(worst, fabs((r.energy_kinetic + r.energy_potential) / first - 1.0));
        most = r.contacts > most ? r.contacts : most;
    }
    assert_true(most > 20);
    scree_polygon_sim_destroy(sim);
    scree_shapes_free(&shapes);
    return worst;
}

// Halved steps: a quarter of the error, on the average over two halvings, with what single bends of the force add. Of
// outlines with many sides the median over angles: near a few of them, where two links of a loop are equally long, the
// force jumps by some per cent.
static int rising(const void* a, const void* b)
{
    const double d = *(const double*)a - *(const double*)b;
    return (d > 0.0) - (d < 0.0);
}

static void energy_is_of_second_order(void** state)
{
    (void)state;
    enum { angles = 5, sides = 400 };
    const double coarse = gas_error(50), fine = gas_error(200);
    double round[2][angles];
    for (int way = 0; way < 2; ++way) {
        for (int k = 0; k < angles; ++k)
            round[way][k] = round_error(sides, way == 0 ? 50 : 400, 2 * poly_pi / sides * (k + 0.5) / angles);
        qsort(round[way], angles, sizeof **round, rising);
    }
    const double round_coarse = round[0][angles / 2], round_fine = round[1][angles / 2];
    if (getenv("SCREE_TEST_SHOW") != NULL)
        printf("energy errors: stars, squares and angles %.2g at T/50, %.2g at T/200; 400 sides, median %.2g at T/50, %.2g at T/400, largest %.2g, %.2g\n", coarse, fine,
               round_coarse, round_fine, round[0][angles - 1], round[1][angles - 1]);
    assert_true(coarse < 5e-4 && fine < coarse / 8.0);
    assert_true(round_coarse < 3e-3 && round_fine < round_coarse / 20.0);
    assert_true(round[0][angles - 1] < 1e-2 && round[1][angles - 1] < round[0][angles - 1] / 6.0);
}

// ---- Friction ----------------------------------------------------------------------------------------------------------

// A block sticks to another as it is dragged over the flush position: its spring passes from vertex to vertex.
static void friction_passes_flush_corners(void** state)
{
    (void)state;
    scree_shapes shapes = {0};
    poly_rectangle(&shapes, 1, 0.5);
    for (int slides = 0; slides < 2; ++slides)
        for (int turned = 0; turned < 2; ++turned) {
            const double depth = 0.002, speed = 0.02;
            const scree_body bodies[2] = {{.shape = 0, .fixed = true}, {.shape = 0, .x = {-0.01, 0.5 - depth}, .angle = turned ? 1e-4 : 0.0, .v = {speed, 0}, .material_density = 1e12}};
            scree_polygon_sim_def def = poly_def(1e5, slides ? 0.1 : 10.0);
            def.tangential_stiffness = 0.05;
            def.time_step = 1e-4;
            scree_polygon_sim* sim = poly_create(&def, &shapes, 2, bodies);
            double before = 0.0;
            int64_t changes = 0;
            int32_t owner = -1;
            for (int step = 0; step < 10000; ++step) {
                CHECK_OK(scree_polygon_sim_run(sim, 1));
                const seen found = look_at(sim, bodies);
                scree_polygon_contacts list;
                CHECK_OK(scree_polygon_sim_get_contacts(sim, &list));
                changes += list.contacts[0].feature != owner;
                owner = list.contacts[0].feature;
                const double most = slides ? 0.1 * found.force[1] : INFINITY, stretched = 2 * 0.05 * 1e5 * speed * (step + 1) * 1e-4;
                CHECK_CLOSE(found.force[0], -fmin(most, stretched),
                            (turned && slides ? 0.03 : turned ? 2e-3 : 1e-6) * fmin(most, stretched) + (turned ? 0.05 : 1e-6));
                if (step > 0 && !slides)
                    assert_true(fabs(found.force[0] - before) < 2.0 * 2 * 0.05 * 1e5 * speed * 1e-4);
                before = found.force[0];
            }
            assert_true(changes > 1);  // else it would prove nothing
            scree_polygon_sim_destroy(sim);
        }
    scree_shapes_free(&shapes);
}

// ---- Mixed bodies ------------------------------------------------------------------------------------------------------

// Stars, squares, angles, round outlines and discs, some fixed, that fall onto each other with friction.
static poly_scene crowd(int side, bool periodic, double friction)
{
    poly_scene s = {.count = side * side, .side = 0.78 * side, .def = poly_def(2e4, friction)};
    scree_rng rng = scree_rng_make(7, 7);
    s.bodies = calloc((size_t)s.count, sizeof *s.bodies);
    const int32_t shape[4] = {add_star(&s.shapes, 5, 0.38, 0.15), poly_rectangle(&s.shapes, 0.5, 0.5), add_angle(&s.shapes),
                              poly_rule(&s.shapes, SCREE_SHAPE_REGULAR, 120, 0.35, 0.0, 1)};
    for (int i = 0; i < s.count; ++i) {
        const int kind = (int)scree_rng_below(&rng, 5);
        s.bodies[i] = (scree_body){.shape = kind < 4 ? shape[kind] : -1,
                                   .radius = 0.3,
                                   .x = {0.78 * (i % side) + 0.39, 0.78 * (i / side) + 0.39},
                                   .angle = poly_between(&rng, 0, 6),
                                   .v = {poly_between(&rng, -2, 2), poly_between(&rng, -2, 2)},
                                   .spin = poly_between(&rng, -3, 3),
                                   .fixed = i % 17 == 3};
        if (s.bodies[i].fixed)
            s.bodies[i].spin = s.bodies[i].v[0] = s.bodies[i].v[1] = 0.0;
    }
    s.def.box = scree_box_sized(2, (const double[2]){s.side, s.side});
    s.def.box.periodic[0] = periodic;
    s.def.gravity[1] = -50;
    s.def.restitution = 0.4;
    s.def.rounding = 0.15;
    s.def.wrap_every = 50;
    return s;
}

static void threads_and_methods_change_nothing(void** state)
{
    (void)state;
    poly_scene s = crowd(8, true, 0.4);
    s.def.threads = 1;
    scree_polygon_sim* sim = poly_make(&s);
    CHECK_OK(scree_polygon_sim_run(sim, 6000));
    assert_true(poly_report(sim).touching > 5 && poly_report(sim).dissipated_tangential > 0.1);
    const uint64_t wanted = scree_polygon_sim_hash(sim);
    scree_polygon_sim_destroy(sim);
    for (int way = 0; way < 3; ++way) {
        s.def.threads = (const int32_t[]){2, 7, 3}[way];
        s.def.method = (const int32_t[]){SCREE_METHOD_LINEAR_LIST, SCREE_METHOD_HIERARCHICAL_GRID, SCREE_METHOD_ALL_PAIRS}[way];
        s.def.skin = (const double[]){0.0, -1.0, 0.05}[way];
        sim = poly_make(&s);
        CHECK_OK(scree_polygon_sim_run(sim, 6000));
        assert_true(scree_polygon_sim_hash(sim) == wanted);
        scree_polygon_sim_destroy(sim);
    }
    poly_scene_free(&s);
}

// Looked at, stopped, saved with its memory and taken up by another simulation.
static void a_state_goes_on_with_the_same_bits(void** state)
{
    (void)state;
    poly_scene s = crowd(6, true, 0.5);
    scree_polygon_sim *whole = poly_make(&s), *parts = poly_make(&s), *other = poly_make(&s);
    CHECK_OK(scree_polygon_sim_run(whole, 6000));
    for (int part = 0; part < 10; ++part) {
        CHECK_OK(scree_polygon_sim_run(parts, 300));
        poly_report(parts);
    }
    scree_checkpoint saved = {0};
    CHECK_OK(scree_checkpoint_save_bodies(parts, &s.shapes, s.bodies, &saved));
    assert_true(saved.memory.count > 5 && saved.memory.words == SCREE_POLYGON_MEMORY_WORDS);
    CHECK_OK(scree_checkpoint_restore_bodies(&saved, other));
    assert_true(scree_polygon_sim_hash(other) == scree_polygon_sim_hash(parts));
    const scree_polygon_sim_report one = poly_report(parts), two = poly_report(other);
    CHECK_CLOSE(one.energy_contact, two.energy_contact, 0.0);
    CHECK_CLOSE(one.dissipated_tangential, two.dissipated_tangential, 0.0);
    CHECK_OK(scree_polygon_sim_run(parts, 3000));
    CHECK_OK(scree_polygon_sim_run(other, 3000));
    assert_true(scree_polygon_sim_hash(parts) == scree_polygon_sim_hash(whole));
    assert_true(scree_polygon_sim_hash(other) == scree_polygon_sim_hash(whole));
    scree_checkpoint_free(&saved);
    scree_polygon_sim_destroy(whole);
    scree_polygon_sim_destroy(parts);
    scree_polygon_sim_destroy(other);
    poly_scene_free(&s);
}

// Kinetic, contact and dissipated energies less the work of gravity, with friction, notches and round outlines; the
// reported contacts of each free body are its acceleration.
static void energies_balance(void** state)
{
    (void)state;
    double off[2];
    for (int fine = 0; fine < 2; ++fine) {
        poly_scene s = crowd(4, false, 0.4);
        scree_polygon_sim* sim = poly_make(&s);
        s.def.time_step = scree_polygon_sim_get_numbers(sim).time_step / (fine ? 4.0 : 1.0);
        scree_polygon_sim_destroy(sim);
        sim = poly_make(&s);
        double first = 0.0, worst = 0.0, lost = 0.0;
        for (int part = 0; part < 20; ++part) {
            const scree_polygon_sim_report r = poly_report(sim);
            const double sum = r.energy_kinetic + r.energy_contact + r.dissipated_normal + r.dissipated_tangential - r.work_walls - r.work_gravity;
            first = part == 0 ? sum : first;
            worst = fmax(worst, fabs(sum - first));
            assert_true(r.dissipated_normal >= 0.0 && r.energy_contact >= -1e-9);
            lost = r.dissipated_tangential;
            poly_run_for(sim, 0.02);
        }
        assert_true(lost > 1e-3 * first);
        off[fine] = worst / first;
        scree_polygon_contacts list;
        CHECK_OK(scree_polygon_sim_get_contacts(sim, &list));
        scree_polygon_sim_destroy(sim);
        poly_scene_free(&s);
    }
    if (getenv("SCREE_TEST_SHOW") != NULL)
        printf("energy balance with friction: %.2g at T/50, %.2g at T/200\n", off[0], off[1]);
    assert_true(off[0] < 6e-3 && off[1] < off[0] / 8.0);
}

// The largest overlap of many steps, against all contacts of each step.
static void largest_overlaps_are_found(void** state)
{
    (void)state;
    for (int way = 0; way < 3; ++way) {
        poly_scene s = crowd(5, false, 0.4);
        if (way == 1) {  // between bodies, not at walls
            s.def.box = scree_box_sized(2, (const double[2]){s.side + 2, s.side + 2});
            for (int i = 0; i < s.count; ++i)
                for (int k = 0; k < 2; ++k)
                    s.bodies[i].x[k] += 1.0;
            s.def.gravity[1] = 0;
        }
        s.def.threads = way == 1 ? 3 : 1;
        if (way == 2) {
            s.def.rule = SCREE_POLYGON_NODE_TO_SEGMENT;
            s.def.allow_deep = true;
        }
        scree_polygon_sim* sim = poly_make(&s);
        scree_sim_overlap wanted = {.relative = 0.0};
        bool pairs = false, walls = false;
        for (int step = 0; step <= 2000; ++step) {
            scree_polygon_contacts list;
            scree_outlines o;
            if (step > 0)
                CHECK_OK(scree_polygon_sim_run(sim, 1));
            CHECK_OK(scree_polygon_sim_get_contacts(sim, &list));
            CHECK_OK(scree_polygon_sim_get_outlines(sim, &o));
            double most = 0.0;
            for (int64_t c = 0; c < list.count; ++c) {
                const scree_contact* at = &list.contacts[c];
                if (at->kind == SCREE_CONTACT_CROSSING)
                    continue;
                const int32_t i = at->j >= 0 && at->j < at->i ? at->j : at->i, j = i == at->i ? at->j : at->i;
                double unit = j >= 0 ? fmin(o.radius[i], o.radius[j]) : o.radius[i], round = 0.0;
                for (int k = 0; k < 2 && j >= 0; ++k) {
                    const int32_t shape = s.bodies[k == 0 ? i : j].shape;
                    const bool fixed = s.bodies[k == 0 ? i : j].fixed;
                    const double least = scree_polygon_sim_get_numbers(sim).rounding_min;
                    round += shape < 0 ? 0.3 : way == 2 ? 0.0 : fixed ? least : rounded_of(&s.shapes, shape, s.def.rounding).r;
                }
                unit = round > 0.0 ? fmin(unit, 5.0 * round) : unit;
                const double relative = at->depth / unit;
                most = fmax(most, relative);
                pairs = pairs || j >= 0;
                walls = walls || j < 0;
                if (!(relative > wanted.relative * (1.0 + 1e-12)))
                    continue;
                const int32_t who = j < 0 ? i : o.fixed[i] != o.fixed[j] ? (o.fixed[i] ? j : i) : o.radius[j] < o.radius[i] ? j : i;
                wanted = (scree_sim_overlap){.step = step, .ij = {i, j}, .overlap = at->depth, .relative = relative, .at = {o.centre[who][0], o.centre[who][1]}};
            }
            CHECK_CLOSE(poly_report(sim).max_overlap_relative, most, 1e-12);
        }
        scree_sim_overlaps found;
        CHECK_OK(scree_polygon_sim_take_overlaps(sim, &found));
        assert_true(pairs && (walls || way == 1) && (wanted.ij[1] >= 0) == (way == 1));
        assert_true(found.deepest.step == wanted.step && found.deepest.ij[0] == wanted.ij[0] && found.deepest.ij[1] == wanted.ij[1]);
        CHECK_CLOSE(found.deepest.overlap, wanted.overlap, 1e-12);
        CHECK_CLOSE(found.deepest.relative, wanted.relative, 1e-12);
        for (int k = 0; k < 2; ++k)
            CHECK_CLOSE(found.deepest.at[k], wanted.at[k], 1e-12);
        CHECK_OK(scree_polygon_sim_take_overlaps(sim, &found));
        assert_true(found.deepest.relative == 0.0);
        scree_polygon_sim_destroy(sim);
        poly_scene_free(&s);
    }
}

// ---- Too deep ----------------------------------------------------------------------------------------------------------

// A soft contact ends the run, with the stiffness that would do: and it does.
static void check_soft_contact(bool discs)
{
    scree_shapes shapes = {0};
    poly_rectangle(&shapes, 1, 1);
    const scree_body squares[2] = {{.shape = 0, .v = {5, 0}}, {.shape = 0, .x = {1.2, 0.1}, .angle = 0.3, .v = {-5, 0}}};
    const scree_body round[2] = {{.shape = -1, .radius = 0.5, .v = {5, 0}}, {.shape = -1, .radius = 0.5, .x = {1.2, 0}, .v = {-5, 0}}};
    const scree_body* bodies = discs ? round : squares;
    scree_polygon_sim_def def = poly_def(discs ? 10 : 100, 0.0);
    scree_polygon_sim* sim = poly_create(&def, &shapes, 2, bodies);
    scree_status status = SCREE_OK;
    for (int step = 0; step < 1000 && status == SCREE_OK; ++step)
        status = scree_polygon_sim_run(sim, 1);
    assert_int_equal(status, SCREE_ERR_ARGUMENT);
    const char* would = strstr(scree_error_message(), "a stiffness of ");
    assert_true(strstr(scree_error_message(), "bodies 0 and 1") != NULL && would != NULL);
    def.stiffness = strtod(would + strlen("a stiffness of "), NULL);
    assert_true(def.stiffness > (discs ? 50 : 1000));
    scree_polygon_sim_destroy(sim);
    sim = poly_create(&def, &shapes, 2, bodies);
    poly_run_for(sim, 1.0);
    scree_polygon_sim_state s = poly_state(sim);
    assert_true(s.x[0] < s.x[2] && s.v[0] < s.v[2]);
    poly_state_free(&s);
    scree_polygon_sim_destroy(sim);
    scree_shapes_free(&shapes);
}

static void soft_contacts_end_the_run(void** state)
{
    (void)state;
    check_soft_contact(false);
    check_soft_contact(true);
}

// However fast: a plate that a body would be beyond after one step is not passed unnoticed, nor one in which it would
// be; nor a disc by a disc. With every list of candidates.
static void fast_bodies_pass_nothing(void** state)
{
    (void)state;
    scree_shapes shapes = {0};
    const int32_t square = poly_rectangle(&shapes, 0.2, 0.2), plate = poly_rectangle(&shapes, 0.3, 6);
    for (int way = 0; way < 6; ++way)
        for (double speed = way < 4 ? 1.0 : 2000.0; speed < 3e5; speed *= 1.7) {  // slow discs push each other aside
            const int kind = way / 2;
            const scree_body bodies[2] = {{.shape = kind > 0 ? -1 : square, .radius = 0.1, .v = {speed, 0}, .angle = 0.2, .spin = 1},
                                          {.shape = kind == 2 ? -1 : plate, .radius = 0.2, .fixed = true, .x = {1, kind == 2 ? 0.05 : 0.0}}};
            scree_polygon_sim_def def = poly_def(1e4, 0.0);
            def.skin = way % 2 ? -1.0 : 0.0;
            scree_polygon_sim* sim = poly_create(&def, &shapes, 2, bodies);
            scree_status status = SCREE_OK;
            double x[4] = {0.0};
            scree_polygon_sim_state now = {.x = x};
            for (int step = 0; step < 3000 && status == SCREE_OK; ++step) {
                status = scree_polygon_sim_run(sim, 1);
                if (status == SCREE_OK)
                    CHECK_OK(scree_polygon_sim_get_state(sim, &now));
                if (status == SCREE_OK && !(x[0] < 1.0))
                    fail_msg("way %d: a body with the speed %g has passed: x %g after step %d", way, speed, x[0], step);
            }
            if (status != SCREE_OK)
                assert_non_null(strstr(scree_error_message(), speed > 1e5 ? "bodies 0 and 1 pass through each other" : "bodies 0 and 1"));
            assert_true(status != SCREE_OK || speed < 100.0);
            scree_polygon_sim_destroy(sim);
        }
    scree_shapes_free(&shapes);
}

static void invalid_input_is_refused(void** state)
{
    (void)state;
    scree_shapes shapes = {0};
    const int32_t square = poly_rectangle(&shapes, 1, 1), bar = poly_rectangle(&shapes, 4, 0.2);
    scree_polygon_sim_def def = poly_def(1e4, 0.0), wrong = def;
    scree_polygon_sim* sim;
    scree_polygon_rounded out;
    scree_body bodies[2] = {{.shape = square}, {.shape = square, .x = {0.99, 0}}};
    wrong.rounding = 0.0;
    CHECK_FAILS(scree_polygon_sim_create(&wrong, &shapes, 2, bodies, &sim), SCREE_ERR_ARGUMENT, "rounding = 0", "node-to-segment");
    wrong.rounding = NAN;
    CHECK_FAILS(scree_polygon_sim_create(&wrong, &shapes, 2, bodies, &sim), SCREE_ERR_ARGUMENT, "nan");
    wrong.rounding = 1.5;
    CHECK_FAILS(scree_polygon_sim_create(&wrong, &shapes, 2, bodies, &sim), SCREE_ERR_ARGUMENT, "1.5");
    wrong = def;
    wrong.allow_deep = true;
    CHECK_FAILS(scree_polygon_sim_create(&wrong, &shapes, 2, bodies, &sim), SCREE_ERR_ARGUMENT, "allow_deep", "node-to-segment");
    wrong = def;
    wrong.rule = 2;
    CHECK_FAILS(scree_polygon_sim_create(&wrong, &shapes, 2, bodies, &sim), SCREE_ERR_ARGUMENT, "rule = 2");
    CHECK_FAILS(scree_polygon_round(scree_shapes_get(&shapes, 0), 0.0, &out), SCREE_ERR_ARGUMENT, "0");
    CHECK_FAILS(scree_polygon_round((scree_polygon){.count = 4, .xy = (const double[]){0, 0, 1, 0, 2, 0, 1, 0}}, 0.1, &out),
                SCREE_ERR_ARGUMENT);
    // Cores that cross, with vertices inside and without, and one that is inside of another; at the start and as a
    // state.
    const double depth = 2.0 * rounded_of(&shapes, square, def.rounding).r;
    const struct {
        int32_t first, second;
        double x, y, angle;
    } crossed[] = {{square, square, 1.0 - 1.01 * depth, 0.1, 0}, {bar, bar, 0, 0, 1.5}, {square, square, 0.7, 0.7, 0.4}, {square, -1, 0.1, 0.2, 0}, {square, square, 0, 0, 0.0}};
    for (size_t c = 0; c < sizeof crossed / sizeof *crossed; ++c) {
        scree_body two[2] = {{.shape = crossed[c].first}, {.shape = crossed[c].second, .radius = 0.1, .x = {crossed[c].x, crossed[c].y}, .angle = crossed[c].angle}};
        CHECK_FAILS(scree_polygon_sim_create(&def, &shapes, 2, two, &sim), SCREE_ERR_ARGUMENT, "bodies 0 and 1");
        two[1].x[0] += 9;
        sim = poly_create(&def, &shapes, 2, two);
        scree_polygon_sim_state s = poly_state(sim);
        s.x[2] -= 9;
        CHECK_FAILS(scree_polygon_sim_set_state(sim, &s), SCREE_ERR_ARGUMENT, "bodies 0 and 1");
        s.x[2] += 9;
        CHECK_OK(scree_polygon_sim_set_state(sim, &s));
        poly_state_free(&s);
        scree_polygon_sim_destroy(sim);
    }
    bodies[1].x[0] = 1.0 - 0.99 * depth;
    CHECK_OK(scree_polygon_sim_create(&def, &shapes, 2, bodies, &sim));
    scree_polygon_sim_destroy(sim);
    scree_shapes_free(&shapes);
}

// ---- The other rule, and older states -----------------------------------------------------------------------------------

// The place where two flush blocks fell through each other: node-to-segment stops, rounded corners hold.
static void node_to_segment_stops_where_it_jumps(void** state)
{
    (void)state;
    scree_shapes shapes = {0};
    poly_rectangle(&shapes, 0.4, 0.4);
    const scree_body bodies[2] = {{.shape = 0, .x = {2, 0.2}}, {.shape = 0, .x = {2.003, 0.6}, .v = {-0.05, 0}}};
    scree_polygon_sim_def def = poly_def(1e4, 0.0);
    def.box = scree_box_sized(2, (const double[]){4, 4});
    def.gravity[1] = -10;
    def.restitution = 0.3;
    def.rule = SCREE_POLYGON_NODE_TO_SEGMENT;
    scree_polygon_sim* sim = poly_create(&def, &shapes, 2, bodies);
    CHECK_FAILS(scree_polygon_sim_run(sim, 10000), SCREE_ERR_ARGUMENT, "vertex", "body 0", "body 1", "60");
    scree_polygon_sim_destroy(sim);
    def.allow_deep = true;  // as it was
    sim = poly_create(&def, &shapes, 2, bodies);
    CHECK_OK(scree_polygon_sim_run(sim, 10000));
    scree_polygon_sim_destroy(sim);
    def.allow_deep = false;
    def.rule = SCREE_POLYGON_ROUNDED;
    sim = poly_create(&def, &shapes, 2, bodies);
    CHECK_OK(scree_polygon_sim_run(sim, 10000));
    scree_polygon_sim_state s = poly_state(sim);
    CHECK_CLOSE(s.x[3], 0.6, 1e-3);
    poly_state_free(&s);
    scree_polygon_sim_destroy(sim);
    scree_shapes_free(&shapes);
}

// Node-to-segment: squares that meet with flush sides stop the run at every offset below their overlap, 0 included, on
// axes and at an angle: at 0 no vertex is inside.
static void node_to_segment_stops_at_every_offset(void** state)
{
    (void)state;
    static const double offsets[] = {0.0, 1e-17, 1e-14, 1e-10, 1e-8, 1e-6, 1e-5, -1e-4, 1e-4};
    scree_shapes shapes = {0};
    const int32_t square = poly_rectangle(&shapes, 0.4, 0.4), wide = poly_rectangle(&shapes, 0.7, 0.4);
    scree_polygon_sim_def def = poly_def(1e4, 0.0);
    def.rule = SCREE_POLYGON_NODE_TO_SEGMENT;
    for (size_t k = 0; k < sizeof offsets / sizeof *offsets; ++k)
        for (int way = 0; way < 6; ++way) {
            const double angle = 0.7 * (way / 2), s = offsets[k] + (way % 2 ? 0.15 : 0.0), c[2] = {cos(angle), sin(angle)};
            const scree_body bodies[2] = {{.shape = square, .angle = angle}, {.shape = way % 2 ? wide : square,
                                                                             .x = {c[0] * s - c[1] * 0.4005, c[1] * s + c[0] * 0.4005},
                                                                             .v = {c[1], -c[0]},
                                                                             .angle = angle}};
            scree_polygon_sim* sim = poly_create(&def, &shapes, 2, bodies);
            const scree_status status = scree_polygon_sim_run(sim, 20);  // they meet at the 6th
            if (status != SCREE_ERR_ARGUMENT || strstr(scree_error_message(), "Use the rule rounded") == NULL)
                fail_msg("offset %g, way %d: %s", offsets[k], way, status == SCREE_OK ? "it goes on" : scree_error_message());
            scree_polygon_sim_destroy(sim);
        }
    // Overlaps at the start: in one place, as a T and as an L; and plus signs whose sides coincide.
    const double plus[] = {-3, -1, -1, -1, -1, -3, 1, -3, 1, -1, 3, -1, 3, 1, 1, 1, 1, 3, -1, 3, -1, 1, -3, 1};
    const int32_t cross = poly_add(&shapes, 12, plus), bar = poly_rectangle(&shapes, 2, 0.2), post = poly_rectangle(&shapes, 0.2, 2);
    const int32_t slope = poly_rectangle(&shapes, 2e5, 1);
    const struct {
        int32_t first, second;
        double x, y;
    } overlaps[] = {{square, square, 0, 0}, {square, square, 0, 0.39}, {square, square, -0.2, 0}, {bar, post, 0, 0.9}, {bar, post, 0.9, 0.9}, {cross, cross, 0, 0},
                    {cross, cross, 0, 5.9}, {cross, square, 0.8, 2.8}};
    scree_polygon_sim* sim;
    for (size_t k = 0; k < sizeof overlaps / sizeof *overlaps; ++k) {
        const scree_body bodies[2] = {{.shape = overlaps[k].first}, {.shape = overlaps[k].second, .x = {overlaps[k].x, overlaps[k].y}}};
        if (scree_polygon_sim_create(&def, &shapes, 2, bodies, &sim) != SCREE_ERR_ARGUMENT || strstr(scree_error_message(), "Use the rule rounded") == NULL)
            fail_msg("overlap %d is not noticed", (int)k);
    }
    // Bodies that only touch: side on side, corner on corner, side by side on one line, crosses in each other's notches;
    // and a small one on a long slope, whose sides are parallel to it.
    const struct {
        int32_t first, second;
        double x, y;
    } touches[] = {{square, square, 0, 0.4}, {square, square, 0.4, 0}, {square, square, 0.4, 0.4}, {square, square, 0.4 - 1e-12, 0}, {wide, square, 0.15, 0.4}, {bar, post, 0.9, 1.1},
                   {cross, cross, 2, 4}, {cross, cross, 0, 6}, {cross, square, 1.2, 1.2}, {slope, square, 3, 0.7 - 1e-6}};
    for (size_t k = 0; k < sizeof touches / sizeof *touches; ++k)
        for (int turned = 0; turned < 2; ++turned) {
            const double angle = 0.6 * turned, c[2] = {cos(angle), sin(angle)};
            const scree_body bodies[2] = {{.shape = touches[k].first, .x = {100, 0}, .angle = angle},
                                          {.shape = touches[k].second, .x = {100 + c[0] * touches[k].x - c[1] * touches[k].y, c[1] * touches[k].x + c[0] * touches[k].y}, .angle = angle}};
            sim = poly_create(&def, &shapes, 2, bodies);
            CHECK_OK(scree_polygon_sim_run(sim, 10));
            scree_polygon_sim_destroy(sim);
        }
    scree_shapes_free(&shapes);
}

static void states_of_sharp_bodies_are_moved(void** state)
{
    (void)state;
    scree_shapes shapes = {0};
    const int32_t wedge = poly_add(&shapes, 3, (const double[]){0, 0, 3, 0, 0, 1});
    scree_body bodies[2] = {{.shape = wedge, .x = {1, 2}, .angle = 0.7, .v = {0.1, 0.2}, .spin = 3}, {.shape = wedge, .fixed = true, .x = {5, 5}}};
    scree_polygon_sim_def def = poly_def(1e4, 0.5);
    scree_polygon_sim* sim = poly_create(&def, &shapes, 2, bodies);
    scree_checkpoint saved = {0};
    CHECK_OK(scree_polygon_sim_run(sim, 10));
    CHECK_OK(scree_checkpoint_save_bodies(sim, &shapes, bodies, &saved));
    scree_polygon_sim_state before = poly_state(sim), after;
    CHECK_OK(scree_checkpoint_restore_bodies(&saved, sim));
    after = poly_state(sim);
    assert_true(after.x[0] == before.x[0] && after.v[1] == before.v[1]);
    poly_state_free(&after);
    // Another rounding, or another rule, is another body.
    scree_polygon_sim* other = NULL;
    scree_polygon_sim_def another = def;
    for (int way = 0; way < 2; ++way) {
        another.rounding = way == 0 ? 0.1 : def.rounding;
        another.rule = way == 0 ? SCREE_POLYGON_ROUNDED : SCREE_POLYGON_NODE_TO_SEGMENT;
        another.time_step = scree_polygon_sim_get_numbers(sim).time_step;
        other = poly_create(&another, &shapes, 2, bodies);
        CHECK_FAILS(scree_checkpoint_restore_bodies(&saved, other), SCREE_ERR_ARGUMENT, "rounding", "0.05", way == 0 ? "0.1" : "0");
        scree_polygon_sim_destroy(other);
    }
    strcpy(saved.library, "0.2.0");
    saved.number_count = 0;
    CHECK_OK(scree_checkpoint_restore_bodies(&saved, sim));
    after = poly_state(sim);
    scree_polygon_numbers sharp;
    CHECK_OK(scree_polygon_measure(scree_shapes_get(&shapes, wedge), &sharp));
    const scree_polygon_rounded rounded = rounded_of(&shapes, wedge, def.rounding);
    const double d[2] = {rounded.centre[0] - sharp.centre[0], rounded.centre[1] - sharp.centre[1]};
    const double t = before.angle[0], r[2] = {cos(t) * d[0] - sin(t) * d[1], sin(t) * d[0] + cos(t) * d[1]};
    assert_true(hypot(r[0], r[1]) > 1e-4);
    for (int k = 0; k < 2; ++k) {
        CHECK_CLOSE(after.x[k], before.x[k] + r[k], 1e-15);
        CHECK_CLOSE(after.v[k], before.v[k] + 3 * (k == 0 ? -r[1] : r[0]), 1e-14);
        CHECK_CLOSE(after.x[2 + k], before.x[2 + k], 0.0);
    }
    poly_state_free(&before);
    poly_state_free(&after);
    scree_checkpoint_free(&saved);
    scree_polygon_sim_destroy(sim);
    scree_shapes_free(&shapes);
}

static void memory_runs_out(void** state)
{
    (void)state;
    poly_scene s = crowd(3, false, 0.4);
    s.def.threads = 1;
    scree_polygon_sim* sim = NULL;
    EACH_ALLOCATION_FAILS(scree_polygon_sim_create(&s.def, &s.shapes, s.count, s.bodies, &sim), (void)0);
    scree_polygon_sim* whole = poly_make(&s);
    CHECK_OK(scree_polygon_sim_run(whole, 1500));
    for (int64_t n = 1; scree_polygon_sim_get_step(sim) < 1500;) {
        scree_memory_fail_at(n);
        int64_t left = 1500 - scree_polygon_sim_get_step(sim);
        scree_status status = scree_polygon_sim_run(sim, left < 50 ? left : 50);
        scree_memory_fail_at(0);
        if (status == SCREE_OK)
            continue;
        assert_int_equal(status, SCREE_ERR_MEMORY);
        ++n;
        CHECK_OK(scree_polygon_sim_run(sim, 0));
    }
    assert_true(scree_polygon_sim_hash(sim) == scree_polygon_sim_hash(whole));
    scree_polygon_contacts list;
    scree_polygon_rounded out;
    EACH_ALLOCATION_FAILS(scree_polygon_sim_get_contacts(sim, &list), (void)0);
    EACH_ALLOCATION_FAILS(scree_polygon_round(scree_shapes_get(&s.shapes, 0), 0.1, &out), (void)0);
    scree_polygon_sim_destroy(whole);
    scree_polygon_sim_destroy(sim);
    poly_scene_free(&s);
}

static const test_case cases[] = {
    UNIT(mass_is_that_of_the_round_outline),
    UNIT(radius_has_its_limits),
    UNIT(straight_sides_are_one),
    PROPERTY(force_is_the_gradient),
    UNIT(flush_sides_push_the_same_at_every_offset),
    UNIT(walls_meet_vertices),
    UNIT(towers_stand),
    UNIT(a_lattice_of_squares_stands),
    UNIT(equal_squares_rebound),
    UNIT(energy_is_of_second_order),
    UNIT(friction_passes_flush_corners),
    THREADS(threads_and_methods_change_nothing),
    SAME_BITS(a_state_goes_on_with_the_same_bits),
    UNIT(energies_balance),
    UNIT(largest_overlaps_are_found),
    UNIT(soft_contacts_end_the_run),
    UNIT(fast_bodies_pass_nothing),
    UNIT(invalid_input_is_refused),
    UNIT(node_to_segment_stops_where_it_jumps),
    UNIT(node_to_segment_stops_at_every_offset),
    UNIT(states_of_sharp_bodies_are_moved),
    ALLOCATION(memory_runs_out),
};

const test_group group_polygon_rounded = {.name = "polygon_rounded", .cases = cases, .count = sizeof cases / sizeof *cases};
