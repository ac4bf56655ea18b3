// Contacts of polygons and discs: found as plain loops over all pairs find them, forces that are gradients of their energies, crossings that are never passed
// silently.
#include "polygon_support.h"

// Two bodies, the second one fixed unless said; forces on the first by contacts.
typedef struct probe {
    scree_shapes shapes;
    scree_polygon_sim* sim;
    scree_polygon_sim_state state;
} probe;

static probe probe_make(scree_shapes shapes, scree_body a, scree_body b)
{
    probe p = {.shapes = shapes};
    scree_polygon_sim_def def = scree_default_polygon_sim_def();
    def.rule = SCREE_POLYGON_NODE_TO_SEGMENT;
    def.allow_deep = true;  // places of any kind are looked at here
    def.stiffness = 100.0;
    const scree_body bodies[2] = {a, b};
    CHECK_OK(scree_polygon_sim_create(&def, &p.shapes, 2, bodies, &p.sim));
    p.state = poly_state(p.sim);
    free(p.state.a);
    p.state.a = NULL;  // forces are wanted
    return p;
}

static void probe_free(probe* p)
{
    poly_state_free(&p->state);
    scree_polygon_sim_destroy(p->sim);
    scree_shapes_free(&p->shapes);
}

typedef struct felt {
    double energy, force[2], torque;
    double own[2];  // of the first body's own vertices
    int64_t contacts;
    int64_t crossings;
} felt;

// With body 0 at x, turned by angle.
static scree_status probe_try(probe* p, double x, double y, double angle, felt* out)
{
    p->state.x[0] = x;
    p->state.x[1] = y;
    p->state.angle[0] = angle;
    scree_status status = scree_polygon_sim_set_state(p->sim, &p->state);
    if (status != SCREE_OK)
        return status;
    scree_polygon_contacts list;
    CHECK_OK(scree_polygon_sim_get_contacts(p->sim, &list));
    *out = (felt){.contacts = list.count};
    for (int64_t c = 0; c < list.count; ++c) {
        const scree_contact* k = &list.contacts[c];
        double sign = k->i == 0 ? 1.0 : -1.0, f[2] = {sign * k->force[0], sign * k->force[1]};
        out->energy += k->energy;
        out->force[0] += f[0];
        out->force[1] += f[1];
        for (int e = 0; e < 2 && k->i == 0; ++e)
            out->own[e] += f[e];
        out->torque += (k->point[0] - x) * f[1] - (k->point[1] - y) * f[0];
        out->crossings += k->kind == SCREE_CONTACT_CROSSING;
    }
    return SCREE_OK;
}

static felt probe_at(probe* p, double x, double y, double angle)
{
    felt out = {0};
    CHECK_OK(probe_try(p, x, y, angle, &out));
    return out;
}

// ---- The reference ---------------------------------------------------------------------------------------------------------

static void test_against_plain_loops(void** state)
{
    (void)state;
    int64_t same = 0, seeds = (int64_t)(6 * test_effort()) + 1;
    for (int walls = 0; walls < 4; ++walls)
        for (int64_t seed = 0; seed < seeds; ++seed) {
            poly_scene s = poly_mixed(6, walls, 30.0, (uint64_t)(100 * seed + walls));
            s.def.restitution = 0.5;
            s.def.wrap_every = 100;
            scree_polygon_sim* sim = poly_make(&s);
            for (int k = 0; k < 12; ++k) {
                scree_status status = scree_polygon_sim_run(sim, 41);
                if (status == SCREE_ERR_ARGUMENT)
                    break;  // a thin body went through another, which ends a run: what came before was compared
                CHECK_OK(status);
                same += poly_compare(sim);
            }
            scree_polygon_sim_destroy(sim);
            poly_scene_free(&s);
        }
    assert_true(same > 200);
}

// Every kind of pair, thrown at random onto each other, also deep: against the loops, and the forces against differences of the energy.
static void test_pairs_at_random(void** state)
{
    (void)state;
    scree_rng rng = scree_rng_make(21, 0);
    int trials = (int)(400 * test_effort()), touched = 0, smooth = 0, crossed = 0;
    for (int t = 0; t < trials; ++t) {
        scree_shapes shapes = {0};
        scree_body b[2] = {{.x = {50, 50}}, {.fixed = t % 2 == 0}};
        for (int e = 0; e < 2; ++e) {
            int kind = (int)scree_rng_below(&rng, SCREE_SHAPE_RULE_COUNT + 1);
            b[e].radius = poly_between(&rng, 0.5, 1.0);
            b[e].shape = kind == SCREE_SHAPE_RULE_COUNT
                             ? -1
                             : poly_rule(&shapes, (scree_shape_rule)kind, 12 + (int32_t)scree_rng_below(&rng, 30), b[e].radius, 0.6, scree_rng_bits(&rng));
            b[e].angle = poly_between(&rng, -3, 3);
        }
        probe p = probe_make(shapes, b[0], b[1]);
        for (int k = 0; k < 20; ++k) {
            double far = poly_between(&rng, 0.5, 1.8), way = poly_between(&rng, -4, 4), x = far * cos(way), y = far * sin(way), a = poly_between(&rng, -4, 4);
            felt at, to[6];
            if (probe_try(&p, x, y, a, &at) != SCREE_OK)
                continue;  // a plus, said so
            poly_compare(p.sim);
            touched += at.contacts > 0;
            crossed += at.crossings > 0;
            // Central differences, where nothing kinks: halving the distance must not change them.
            bool fine = at.contacts > 0;
            for (int e = 0; e < 3 && fine; ++e) {
                double slope[2];
                for (int half = 0; half < 2 && fine; ++half) {
                    double h = half == 0 ? 2e-6 : 1e-6;
                    for (int side = 0; side < 2 && fine; ++side) {
                        double d = side == 0 ? h : -h;
                        fine = probe_try(&p, x + (e == 0) * d, y + (e == 1) * d, a + (e == 2) * d, &to[side]) == SCREE_OK &&
                               to[side].contacts == at.contacts && to[side].crossings == at.crossings;
                    }
                    slope[half] = fine ? (to[0].energy - to[1].energy) / (2 * h) : 0.0;
                }
                if (!fine || fabs(slope[0] - slope[1]) > 1e-6)
                    continue;
                ++smooth;
                CHECK_CLOSE(e < 2 ? at.force[e] : at.torque, -slope[1], 1e-4);
            }
        }
        probe_free(&p);
    }
    if (trials >= 400)
        assert_true(touched > 1000 && smooth > 1000 && crossed > 10);
}

// ---- Path over an edge, past a reflex vertex ---------------------------------------------------------------------------

static void test_force_is_continuous(void** state)
{
    (void)state;
    // A needle that points down, and an L that is fixed: the tip goes down through its upper edge, along inside, and round the reflex vertex.
    scree_shapes shapes = {0};
    const double needle[] = {0, 0, 0.05, 5, -0.05, 5};
    const double ell[] = {0, 0, 4, 0, 4, 2, 2, 2, 2, 4, 0, 4};
    scree_polygon_numbers m;
    int32_t a = poly_add(&shapes, 3, needle), b = poly_add(&shapes, 6, ell);
    CHECK_OK(scree_polygon_measure(scree_shapes_get(&shapes, a), &m));
    probe p = probe_make(shapes, (scree_body){.shape = a, .x = {20, 20}}, (scree_body){.shape = b, .fixed = true});
    // Through the edge y = 2 at x = 3: no force above, k g below, upwards.
    for (int i = -100; i <= 100; ++i) {
        double depth = 0.002 * i;
        felt at = probe_at(&p, 3 + m.centre[0], 2 - depth + m.centre[1], 0);
        CHECK_CLOSE(at.force[1], depth > 0 ? 100 * depth : 0, 1e-9);
        CHECK_CLOSE(at.force[0], 0, 1e-12);
        CHECK_CLOSE(at.energy, depth > 0 ? 50 * depth * depth : 0, 1e-9);
    }
    // An arc about the reflex vertex (2, 2), 0.3 away, from below the one edge to beside the other: the force keeps its size and turns evenly.
    felt last = {0};
    for (int i = 0; i <= 400; ++i) {
        double way = poly_pi + 0.5 * poly_pi * (i - 100) / 200.0;  // straight left at 100, straight down at 300
        double x = 2 + 0.3 * cos(way), y = 2 + 0.3 * sin(way);
        felt at = probe_at(&p, x + m.centre[0], y + m.centre[1], 0);
        int64_t tips = at.contacts;
        assert_true(tips >= 1);
        if (i >= 100 && i <= 300) {
            CHECK_CLOSE(at.own[0], -30 * cos(way), 1e-9);
            CHECK_CLOSE(at.own[1], -30 * sin(way), 1e-9);
        }
        if (i > 0) {
            CHECK_CLOSE(at.own[0], last.own[0], 0.24);
            CHECK_CLOSE(at.own[1], last.own[1], 0.24);
            CHECK_CLOSE(at.energy, last.energy, 0.2);
        }
        last = at;
    }
    probe_free(&p);
}

static void test_disc_is_continuous(void** state)
{
    (void)state;
    // A disc round the corner of a square, touching: edge, vertex, edge; and with its centre through the edge.
    scree_shapes shapes = {0};
    int32_t square = poly_rectangle(&shapes, 4, 4);
    probe p = probe_make(shapes, (scree_body){.shape = -1, .radius = 0.5, .x = {20, 20}}, (scree_body){.shape = square, .fixed = true});
    for (int i = 0; i <= 100; ++i) {
        double way = 0.5 * poly_pi * i / 100;
        felt at = probe_at(&p, 2 + 0.4 * cos(way), 2 + 0.4 * sin(way), 0);
        CHECK_CLOSE(at.force[0], 10 * cos(way), 1e-9);
        CHECK_CLOSE(at.force[1], 10 * sin(way), 1e-9);
        at = probe_at(&p, 2.6 - 0.01 * i, 0.3, 0);
        CHECK_CLOSE(at.force[0], fmax(100 * (0.5 - (0.6 - 0.01 * i)), 0), 1e-9);
        CHECK_CLOSE(at.force[1], 0, 1e-12);
        CHECK_CLOSE(at.torque, 0, 1e-12);
    }
    probe_free(&p);
}

// ---- Crossings ---------------------------------------------------------------------------------------------------------

static void test_plus_is_an_error(void** state)
{
    (void)state;
    scree_shapes shapes = {0};
    int32_t rod = poly_rectangle(&shapes, 4, 0.5);
    scree_polygon_sim_def def = scree_default_polygon_sim_def();
    def.stiffness = 100;
    def.rule = SCREE_POLYGON_NODE_TO_SEGMENT;
    scree_polygon_sim* sim = NULL;
    for (int turn = 0; turn < 8; ++turn) {  // upright, oblique, moved along: never a net force
        scree_body bodies[3] = {{.shape = -1, .radius = 1, .x = {50, 0}},
                                {.shape = rod, .x = {0.15 * turn, 0.1 * turn}, .angle = 0.1},
                                {.shape = rod, .x = {0.2, 0}, .angle = 1.2 + 0.1 * turn, .fixed = turn % 2 == 1}};
        CHECK_FAILS(scree_polygon_sim_create(&def, &shapes, 3, bodies, &sim), SCREE_ERR_ARGUMENT, "step 0", "bodies 1", "2");
    }
    // Two thin plates that meet at a speed that carries a tip through: said at the step where it happens. (Unless allowed, the step before is an error already.)
    def.allow_deep = true;
    int32_t plate = poly_rectangle(&shapes, 4, 0.02);
    scree_body fast[2] = {{.shape = plate, .x = {0, 3}, .angle = 0.5 * poly_pi, .v = {0, -30}}, {.shape = plate}};
    CHECK_OK(scree_polygon_sim_create(&def, &shapes, 2, fast, &sim));
    CHECK_FAILS(scree_polygon_sim_run(sim, 100000), SCREE_ERR_ARGUMENT, "bodies 0", "1");
    assert_true(scree_polygon_sim_get_step(sim) > 0);
    CHECK_FAILS(scree_polygon_sim_run(sim, 1), SCREE_ERR_ARGUMENT);
    scree_polygon_sim_destroy(sim);
    scree_shapes_free(&shapes);
}

// The part of polygon p to the left of the line a -> b (Sutherland and Hodgman); for convex ones.
static int32_t clip(int32_t n, double (*p)[2], const double a[2], const double b[2])
{
    double out[64][2];
    int32_t m = 0;
    for (int32_t i = 0; i < n; ++i) {
        const double *u = p[i], *v = p[(i + 1) % n];
        double su = (b[0] - a[0]) * (u[1] - a[1]) - (b[1] - a[1]) * (u[0] - a[0]), sv = (b[0] - a[0]) * (v[1] - a[1]) - (b[1] - a[1]) * (v[0] - a[0]);
        if (su >= 0)
            memcpy(out[m++], u, sizeof *out);
        if ((su >= 0) != (sv >= 0)) {
            for (int k = 0; k < 2; ++k)
                out[m][k] = u[k] + (v[k] - u[k]) * (su / (su - sv));
            ++m;
        }
    }
    memcpy(p, out, (size_t)m * sizeof *out);
    return m;
}

static double overlap_area(scree_polygon a, scree_polygon b)
{
    double p[64][2], area = 0;
    int32_t n = a.count;
    memcpy(p, a.xy, (size_t)n * sizeof *p);
    for (int32_t e = 0; e < b.count && n > 0; ++e)
        n = clip(n, p, b.xy + 2 * e, b.xy + 2 * ((e + 1) % b.count));
    for (int32_t i = 0; i < n; ++i)
        area += 0.5 * (p[i][0] * p[(i + 1) % n][1] - p[i][1] * p[(i + 1) % n][0]);
    return area;
}

// Thin convex bodies: whenever they overlap without a vertex inside, there is one crossing with just that area, or an error.
static void test_crossings_have_the_area(void** state)
{
    (void)state;
    scree_rng rng = scree_rng_make(77, 1);
    int crossings = 0, stuck = 0, trials = (int)(3000 * test_effort());
    for (int t = 0; t < trials; ++t) {
        scree_shapes shapes = {0};
        scree_body b[2] = {{.x = {0, 0}}, {.x = {0, 0}}};
        for (int e = 0; e < 2; ++e) {  // a wedge, a triangle or a rod
            double w = poly_between(&rng, 0.1, 0.5), v = t % 3 == 0 ? w : poly_between(&rng, 0.02, 0.5);
            const double wedge[] = {-2, -w, 2, -v, 2, v, -2, w};
            b[e].shape = t % 3 == 1 ? poly_rule(&shapes, SCREE_SHAPE_REGULAR, 3, 1, 0, 0) : poly_add(&shapes, 4, wedge);
            b[e].angle = poly_between(&rng, -4, 4);
            b[e].x[0] = poly_between(&rng, -0.5, 0.5);
            b[e].x[1] = poly_between(&rng, -0.5, 0.5);
        }
        scree_polygon_sim_def def = scree_default_polygon_sim_def();
        def.rule = SCREE_POLYGON_NODE_TO_SEGMENT;
        def.allow_deep = true;
        def.stiffness = 100;
        scree_polygon_sim* sim;
        scree_status status = scree_polygon_sim_create(&def, &shapes, 2, b, &sim);
        if (status != SCREE_OK) {
            assert_non_null(strstr(scree_error_message(), "bodies 0 and 1 cross like a plus"));
            ++stuck;
            scree_shapes_free(&shapes);
            continue;
        }
        scree_outlines o;
        scree_polygon_contacts list;
        CHECK_OK(scree_polygon_sim_get_outlines(sim, &o));
        CHECK_OK(scree_polygon_sim_get_contacts(sim, &list));
        scree_polygon p[2] = {poly_outline(&o, 0), poly_outline(&o, 1)};
        int vertices = 0;
        for (int e = 0; e < 2; ++e)
            for (int32_t v = 0; v < p[e].count; ++v)
                vertices += scree_polygon_contains(p[1 - e], p[e].xy + 2 * v);
        double area = overlap_area(p[0], p[1]);
        if (area > 1e-12 && vertices == 0) {
            assert_int_equal(list.count, 1);
            assert_int_equal(list.contacts[0].kind, SCREE_CONTACT_CROSSING);
            CHECK_CLOSE(list.contacts[0].depth, area, 1e-12);
            CHECK_CLOSE(list.contacts[0].energy, 50 * area, 1e-10);
            ++crossings;
        } else {
            for (int64_t c = 0; c < list.count; ++c)
                assert_int_equal(list.contacts[c].kind, SCREE_CONTACT_VERTEX);
        }
        if (area > 1e-12)
            assert_true(list.count > 0);
        scree_polygon_sim_destroy(sim);
        scree_shapes_free(&shapes);
    }
    if (trials >= 3000)
        assert_true(crossings > 300 && stuck > 100);
}

// Two overlaps of one pair: a comb across a rod. Each tooth is a crossing of its own, beside a vertex contact elsewhere.
static void test_several_overlaps(void** state)
{
    (void)state;
    scree_shapes shapes = {0};
    const double comb[] = {0, 3, 0, 0, 0.4, 0, 0.6, 2, 2.0, 2, 2.1, 0, 2.6, 0, 3, 2, 4, 2, 4.2, 0.9, 4.4, 2, 4.6, 3};  // clockwise: turned
    const double bar[] = {-1, 0.5, 6, 0.5, 6, 1, -1, 1.0};
    int32_t a = poly_add(&shapes, 12, comb), b = poly_add(&shapes, 4, bar);
    scree_polygon_sim_def def = scree_default_polygon_sim_def();
    def.rule = SCREE_POLYGON_NODE_TO_SEGMENT;
    def.stiffness = 100;
    scree_polygon_sim* sim;
    scree_body bodies[2] = {{.shape = a, .fixed = true}, {.shape = b}};
    scree_polygon_numbers m;
    CHECK_OK(scree_polygon_measure(scree_shapes_get(&shapes, b), &m));
    memcpy(bodies[1].x, m.centre, sizeof m.centre);
    CHECK_OK(scree_polygon_sim_create(&def, &shapes, 2, bodies, &sim));
    scree_polygon_sim_report r = poly_report(sim);
    assert_int_equal(r.crossings, 2);
    assert_int_equal(r.contacts, 3);
    assert_int_equal(r.touching, 1);
    scree_polygon_sim_destroy(sim);
    scree_shapes_free(&shapes);
}

// What is refused is a part of the overlap, not the pair: a clamp whose right leg has its end in a rod, with two vertices inside, is refused if its left leg goes
// through the rod like a plus sign, at right angles; not if that leg ends above the rod; and not if it is tapered, so that the crossing has a force.
static void test_one_part_without_force_is_refused(void** state)
{
    (void)state;
    static const struct {
        double foot, taper;  // where the left leg ends, and how much narrower it is there
        bool refused;
        int crossings, contacts;
    } legs[] = {{-1.0, 0.0, true, 0, 0}, {0.5, 0.0, false, 0, 2}, {-1.0, 0.05, false, 1, 3}};
    for (size_t t = 0; t < sizeof legs / sizeof *legs; ++t) {
        scree_shapes shapes = {0};
        double foot = legs[t].foot, taper = legs[t].taper;
        const double clamp[] = {-2.1 + taper, foot, -1.9 - taper, foot, -1.9, 1.0, 1.9, 1.0, 1.9, 0.05, 2.1, 0.05, 2.1, 1.2, -2.1, 1.2};
        int32_t a = poly_add(&shapes, 8, clamp), rod = poly_rectangle(&shapes, 10.0, 0.2);
        scree_body bodies[2] = {{.shape = a, .fixed = true}, {.shape = rod}};
        scree_polygon_sim_def def = scree_default_polygon_sim_def();
        def.rule = SCREE_POLYGON_NODE_TO_SEGMENT;
        def.stiffness = 100.0;
        scree_polygon_sim* sim;
        if (legs[t].refused) {
            CHECK_FAILS(scree_polygon_sim_create(&def, &shapes, 2, bodies, &sim), SCREE_ERR_ARGUMENT, "bodies 0", "1");
        } else {
            CHECK_OK(scree_polygon_sim_create(&def, &shapes, 2, bodies, &sim));
            scree_polygon_sim_report r = poly_report(sim);
            assert_int_equal(r.crossings, legs[t].crossings);
            assert_int_equal(r.contacts, legs[t].contacts);
            scree_polygon_sim_destroy(sim);
        }
        scree_shapes_free(&shapes);
    }
}

// ---- Long walls, many vertices -----------------------------------------------------------------------------------------

static void test_long_wall_in_pieces(void** state)
{
    (void)state;
    scree_shapes shapes = {0};
    int32_t wall = poly_rectangle(&shapes, 4000, 1), square = poly_rectangle(&shapes, 1, 1);
    enum { n = 500 };
    scree_body* bodies = calloc(n + 1, sizeof *bodies);
    for (int i = 0; i < n; ++i)
        bodies[i] = (scree_body){.shape = square, .x = {3 * i - 700, i % 2 == 0 ? 0.95 : 400.0}, .v = {0, -0.1}};
    bodies[n] = (scree_body){.shape = wall, .fixed = true};
    scree_polygon_sim_def def = scree_default_polygon_sim_def();
    def.stiffness = 1000;
    for (int method = 0; method < SCREE_METHOD_COUNT; ++method) {
        def.method = method;
        scree_polygon_sim* sim;
        CHECK_OK(scree_polygon_sim_create(&def, &shapes, n + 1, bodies, &sim));
        scree_polygon_sim_report r = poly_report(sim);
        assert_int_equal(r.candidates, n / 2);  // those on it, and nobody high above
        assert_int_equal(r.contacts, n);
        assert_true(scree_polygon_sim_get_numbers(sim).pieces > 1000);
        scree_polygon_sim_destroy(sim);
    }
    // Wholly inside it: no piece is near, so it is said at the start.
    scree_body inside[2] = {{.shape = -1, .radius = 0.1, .x = {700.3, 0}}, {.shape = wall, .fixed = true}};
    scree_polygon_sim* sim;
    def.method = 0;
    def.skin = 0.01;
    CHECK_FAILS(scree_polygon_sim_create(&def, &shapes, 2, inside, &sim), SCREE_ERR_ARGUMENT, "body 0", "700.3", "0", "body 1");
    free(bodies);
    scree_shapes_free(&shapes);
}

static void test_thousands_of_vertices(void** state)
{
    (void)state;
    scree_shapes shapes = {0};
    int32_t round = poly_rule(&shapes, SCREE_SHAPE_STAR, 4000, 10, 0.002, 4), other = poly_rule(&shapes, SCREE_SHAPE_STAR, 3000, 8, 0.002, 5);
    scree_body bodies[3] = {{.shape = round}, {.shape = other, .x = {17.95, 0.3}, .angle = 1}, {.shape = -1, .radius = 3, .x = {0, 12.95}}};
    scree_polygon_sim_def def = scree_default_polygon_sim_def();
    def.rule = SCREE_POLYGON_NODE_TO_SEGMENT;
    def.allow_deep = true;  // rough outlines, deep in each other
    def.stiffness = 1000;
    scree_polygon_sim* sim;
    CHECK_OK(scree_polygon_sim_create(&def, &shapes, 3, bodies, &sim));
    assert_true(poly_compare(sim) > 20);
    CHECK_OK(scree_polygon_sim_run(sim, 5));
    assert_true(poly_compare(sim) > 20);
    scree_polygon_sim_report r = poly_report(sim);
    assert_true(r.vertices_offered >= 5 * 7000);
    assert_true(r.vertices_tested < r.vertices_offered / 5);
    assert_true(r.edges_crossed < r.vertices_offered * 20);  // not 4000 * 3000 for each step
    scree_polygon_sim_destroy(sim);
    scree_shapes_free(&shapes);
}

static const test_case cases[] = {
    PROPERTY(test_against_plain_loops),
    PROPERTY(test_pairs_at_random),
    UNIT(test_force_is_continuous),
    UNIT(test_disc_is_continuous),
    UNIT(test_plus_is_an_error),
    PROPERTY(test_crossings_have_the_area),
    UNIT(test_several_overlaps),
    UNIT(test_one_part_without_force_is_refused),
    SAME_BITS(test_long_wall_in_pieces),
    UNIT(test_thousands_of_vertices),
};

const test_group group_polygon_contacts = {.name = "polygon_contacts", .cases = cases, .count = sizeof cases / sizeof *cases};
