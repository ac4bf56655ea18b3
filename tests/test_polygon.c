// Polygons as shapes: what is one, its sums, inside and nearest, compared by exact integers, closed forms, winding numbers and plain loops.
#include "support.h"

#include "polygon/edges.h"
#include "scree/polygon.h"

#include <float.h>

static const double pi = 3.14159265358979323846;

static double between(scree_rng* rng, double low, double high)
{
    return low + (high - low) * scree_rng_uniform(rng);
}

static scree_polygon view(int32_t count, const double* xy)
{
    return (scree_polygon){.count = count, .xy = xy};
}

// A polygon by rule; the caller frees.
static scree_shapes by_rule(scree_shape_rule rule, int32_t vertices, double roughness, uint64_t seed)
{
    scree_shapes shapes = {0};
    scree_shape_def def = scree_default_shape_def();
    def.rule = (int32_t)rule;
    def.vertices = vertices;
    def.roughness = roughness;
    def.seed = seed;
    CHECK_OK(scree_shapes_add_rule(&shapes, &def, NULL));
    return shapes;
}

// ---- What is a polygon -------------------------------------------------------------------------------------------------

static void test_refused(void** state)
{
    (void)state;
    const double bow[] = {0, 0, 2, 2, 2, 0, 0, 2};
    CHECK_FAILS(scree_polygon_check(view(4, bow)), SCREE_ERR_ARGUMENT, "edges 0", "0", "2");
    const double twice[] = {0, 0, 1, 0, 1, 0, 1, 1};
    CHECK_FAILS(scree_polygon_check(view(4, twice)), SCREE_ERR_ARGUMENT, "edge 1", "1", "2");
    const double closed[] = {0, 0, 1, 0, 1, 1, 0, 0};
    CHECK_FAILS(scree_polygon_check(view(4, closed)), SCREE_ERR_ARGUMENT, "edge 3", "3", "0");
    const double spike[] = {0, 0, 4, 0, 2, 0, 2, 2};
    CHECK_FAILS(scree_polygon_check(view(4, spike)), SCREE_ERR_ARGUMENT, "edges 0", "1", "vertex 1");
    const double flat[] = {0, 0, 1, 1, 2, 2};
    CHECK_FAILS(scree_polygon_check(view(3, flat)), SCREE_ERR_ARGUMENT);
    const double pinched[] = {0, 0, 2, 0, 1, 1, 2, 2, 0, 2, 1, 1};
    CHECK_FAILS(scree_polygon_check(view(6, pinched)), SCREE_ERR_ARGUMENT);
    const double bad[] = {0, 0, 1, NAN, 1, 1};
    CHECK_FAILS(scree_polygon_check(view(3, bad)), SCREE_ERR_ARGUMENT, "vertex 1");
    CHECK_FAILS(scree_polygon_check(view(2, bad)), SCREE_ERR_ARGUMENT, "2");
    CHECK_FAILS(scree_polygon_check(view(5, NULL)), SCREE_ERR_ARGUMENT);
    const double straight[] = {0, 0, 1, 0, 2, 0, 2, 1};  // a vertex in the middle of a side is no fault
    CHECK_OK(scree_polygon_check(view(4, straight)));
    scree_shapes shapes = {0};
    CHECK_FAILS(scree_shapes_add(&shapes, view(4, bow), NULL), SCREE_ERR_ARGUMENT);
    assert_int_equal(shapes.count, 0);
    scree_shapes_free(&shapes);
}

// Exact, because coordinates are small whole numbers.
static int64_t side_exact(const double* a, const double* b, const double* c)
{
    return ((int64_t)b[0] - (int64_t)a[0]) * ((int64_t)c[1] - (int64_t)a[1]) - ((int64_t)b[1] - (int64_t)a[1]) * ((int64_t)c[0] - (int64_t)a[0]);
}

static int sign(int64_t x)
{
    return (x > 0) - (x < 0);
}

static bool on_exact(const double* a, const double* b, const double* c)
{
    return side_exact(a, b, c) == 0 && fmin(a[0], b[0]) <= c[0] && c[0] <= fmax(a[0], b[0]) && fmin(a[1], b[1]) <= c[1] && c[1] <= fmax(a[1], b[1]);
}

// All pairs of edges, O(n^2).
static bool simple_exact(int32_t n, const double* xy)
{
    int64_t twice = 0;
    for (int32_t e = 0; e < n; ++e) {
        const double *a = xy + 2 * e, *b = xy + 2 * ((e + 1) % n), *c = xy + 2 * ((e + 2) % n);
        twice += side_exact(xy, a, b);
        if (a[0] == b[0] && a[1] == b[1])
            return false;
        if (side_exact(a, b, c) == 0 && (b[0] - a[0]) * (c[0] - b[0]) + (b[1] - a[1]) * (c[1] - b[1]) < 0)
            return false;
        for (int32_t f = e + 2; f < n; ++f) {
            if (e == 0 && f == n - 1)
                continue;
            const double *p = xy + 2 * f, *q = xy + 2 * ((f + 1) % n);
            if (sign(side_exact(a, b, p)) * sign(side_exact(a, b, q)) < 0 && sign(side_exact(p, q, a)) * sign(side_exact(p, q, b)) < 0)
                return false;
            if (on_exact(a, b, p) || on_exact(a, b, q) || on_exact(p, q, a) || on_exact(p, q, b))
                return false;
        }
    }
    return twice != 0;
}

static void test_simple_against_all_pairs(void** state)
{
    (void)state;
    scree_rng rng = scree_rng_make(7, 0);
    int good = 0, bad = 0, most = (int)(20000 * test_effort());
    for (int trial = 0; trial < most; ++trial) {
        double xy[80];
        int32_t n = 3 + (int32_t)scree_rng_below(&rng, trial % 2 == 0 ? 4 : 38);
        if (trial % 2 == 0) {  // anything on a small grid
            for (int32_t e = 0; e < 2 * n; ++e)
                xy[e] = (double)scree_rng_below(&rng, 6);
        } else {  // a star on a grid, mostly simple, and two vertices exchanged now and then
            for (int32_t i = 0; i < n; ++i) {
                double r = between(&rng, 20, 60), angle = 2 * pi * i / n;
                xy[2 * i] = rint(r * cos(angle));
                xy[2 * i + 1] = rint(r * sin(angle));
            }
            if (trial % 4 == 1) {
                int32_t a = (int32_t)scree_rng_below(&rng, (uint64_t)n), b = (int32_t)scree_rng_below(&rng, (uint64_t)n);
                for (int k = 0; k < 2; ++k) {
                    double t = xy[2 * a + k];
                    xy[2 * a + k] = xy[2 * b + k];
                    xy[2 * b + k] = t;
                }
            }
        }
        bool wanted = simple_exact(n, xy), found = scree_polygon_check(view(n, xy)) == SCREE_OK;
        if (wanted != found)
            fail_msg("trial %d, %d vertices: all pairs say %d, the check %d: %s", trial, (int)n, wanted, found, found ? "" : scree_error_message());
        good += wanted;
        bad += !wanted;
    }
    assert_true(good > most / 10 && bad > most / 10);
}

static void test_simple_large(void** state)
{
    (void)state;
    scree_shapes shapes = by_rule(SCREE_SHAPE_STAR, 20000, 0.3, 3);
    scree_polygon polygon = scree_shapes_get(&shapes, 0);
    CHECK_OK(scree_polygon_check(polygon));
    double* xy = malloc((size_t)polygon.count * 2 * sizeof *xy);
    memcpy(xy, polygon.xy, (size_t)polygon.count * 2 * sizeof *xy);
    for (int k = 0; k < 2; ++k) {  // far across
        double t = xy[2 * 5000 + k];
        xy[2 * 5000 + k] = xy[2 * 15000 + k];
        xy[2 * 15000 + k] = t;
    }
    CHECK_FAILS(scree_polygon_check(view(polygon.count, xy)), SCREE_ERR_ARGUMENT);
    free(xy);
    scree_shapes_free(&shapes);
}

// ---- Sums --------------------------------------------------------------------------------------------------------------

static void test_sums(void** state)
{
    (void)state;
    const double box[] = {10, 20, 14, 20, 14, 22, 10, 22};
    scree_polygon_numbers m;
    CHECK_OK(scree_polygon_measure(view(4, box), &m));
    CHECK_CLOSE(m.area, 8, 1e-14);
    CHECK_CLOSE(m.centre[0], 12, 1e-13);
    CHECK_CLOSE(m.centre[1], 21, 1e-13);
    CHECK_CLOSE(m.gyration, (16.0 + 4.0) / 12, 1e-13);
    CHECK_CLOSE(m.radius, sqrt(5), 1e-14);
    CHECK_CLOSE(m.perimeter, 12, 1e-14);
    assert_int_equal(m.reflex, 0);
    // An L as two boxes: 3 x 1 below, 1 x 2 on its left.
    const double ell[] = {0, 0, 3, 0, 3, 1, 1, 1, 1, 3, 0, 3};
    CHECK_OK(scree_polygon_measure(view(6, ell), &m));
    double c[2] = {(3 * 1.5 + 2 * 0.5) / 5, (3 * 0.5 + 2 * 2.0) / 5};
    double i = 3 * (9.0 + 1) / 12 + 3 * (pow(1.5 - c[0], 2) + pow(0.5 - c[1], 2)) + 2 * (1.0 + 4) / 12 + 2 * (pow(0.5 - c[0], 2) + pow(2 - c[1], 2));
    CHECK_CLOSE(m.area, 5, 1e-14);
    CHECK_CLOSE(m.centre[0], c[0], 1e-14);
    CHECK_CLOSE(m.centre[1], c[1], 1e-14);
    CHECK_CLOSE(m.gyration, i / 5, 1e-13);
    assert_int_equal(m.reflex, 1);
    // Clockwise: another sign, the same body.
    double turned[12];
    for (int v = 0; v < 6; ++v)
        memcpy(turned + 2 * v, ell + 2 * (5 - v), 2 * sizeof *ell);
    scree_polygon_numbers other;
    CHECK_OK(scree_polygon_measure(view(6, turned), &other));
    CHECK_CLOSE(other.area, -5, 1e-14);
    CHECK_CLOSE(other.gyration, m.gyration, 1e-14);
    assert_int_equal(other.reflex, 1);
    // Far away it loses nothing but the rounding of its coordinates, which here have none.
    double far[12];
    for (int e = 0; e < 12; ++e)
        far[e] = ell[e] + 1e9;
    CHECK_OK(scree_polygon_measure(view(6, far), &other));
    CHECK_CLOSE(other.area, 5, 1e-14);
    CHECK_CLOSE(other.gyration, m.gyration, 1e-6);
    CHECK_CLOSE(other.centre[0] - 1e9, m.centre[0], 2e-7);
    // A regular polygon of many corners is nearly a disc.
    scree_shapes shapes = by_rule(SCREE_SHAPE_REGULAR, 1000, 0.0, 0);
    CHECK_OK(scree_polygon_measure(scree_shapes_get(&shapes, 0), &m));
    double n = 1000, s = sin(pi / n);
    CHECK_CLOSE(m.area, 0.5 * n * sin(2 * pi / n), 1e-12);
    CHECK_CLOSE(m.gyration, (3 - 2 * s * s) / 6, 1e-12);
    scree_shapes_free(&shapes);
}

static void test_turned_round(void** state)
{
    (void)state;
    const double clockwise[] = {0, 0, 0, 1, 1, 1, 1, 0};
    scree_shapes shapes = {0};
    int32_t shape = -1;
    CHECK_OK(scree_shapes_add(&shapes, view(4, clockwise), &shape));
    assert_int_equal(shape, 0);
    scree_polygon_numbers m;
    CHECK_OK(scree_polygon_measure(scree_shapes_get(&shapes, 0), &m));
    CHECK_CLOSE(m.area, 1, 1e-15);
    scree_shapes_free(&shapes);
}

// ---- By rule -----------------------------------------------------------------------------------------------------------

static void test_rules(void** state)
{
    (void)state;
    for (int rule = 0; rule < SCREE_SHAPE_RULE_COUNT; ++rule)
        for (uint64_t seed = 0; seed < 40; ++seed)
            for (int32_t n = rule == SCREE_SHAPE_CHIP ? 12 : 4; n < 60; n = n * 3 / 2 + 1) {
                double roughness = (double)(seed % 10) / 10.0;
                scree_shapes shapes = by_rule((scree_shape_rule)rule, n, roughness, seed), again = by_rule((scree_shape_rule)rule, n, roughness, seed);
                scree_polygon polygon = scree_shapes_get(&shapes, 0);
                CHECK_OK(scree_polygon_check(polygon));
                assert_memory_equal(shapes.xy, again.xy, (size_t)polygon.count * 2 * sizeof(double));
                scree_polygon_numbers m;
                CHECK_OK(scree_polygon_measure(polygon, &m));
                assert_true(m.area > 0);
                CHECK_CLOSE(m.radius, 1, 1e-12);
                CHECK_CLOSE(m.centre[0], 0, 1e-12);
                if (rule <= SCREE_SHAPE_STAR)
                    assert_int_equal(polygon.count, n);
                else if (rule == SCREE_SHAPE_CHIP)
                    assert_true(polygon.count <= n && polygon.count > n - 8);
                if (rule == SCREE_SHAPE_REGULAR || rule == SCREE_SHAPE_CONVEX)
                    assert_int_equal(m.reflex, 0);
                if (rule >= SCREE_SHAPE_ELL)
                    assert_true(m.reflex > 0);
                scree_shapes_free(&shapes);
                scree_shapes_free(&again);
            }
    assert_string_equal(scree_shape_rule_name(SCREE_SHAPE_HOOK), "hook");
    assert_null(scree_shape_rule_name(SCREE_SHAPE_RULE_COUNT));
    scree_shapes shapes = {0};
    scree_shape_def def = scree_default_shape_def();
    def.vertices = 2;
    CHECK_FAILS(scree_shapes_add_rule(&shapes, &def, NULL), SCREE_ERR_ARGUMENT, "2");
    def.vertices = 8;
    def.roughness = 1.0;
    CHECK_FAILS(scree_shapes_add_rule(&shapes, &def, NULL), SCREE_ERR_ARGUMENT, "roughness", "1");
    def.roughness = 0.0;
    def.radius = 0.0;
    CHECK_FAILS(scree_shapes_add_rule(&shapes, &def, NULL), SCREE_ERR_ARGUMENT, "radius", "0");
}

static void test_walls(void** state)
{
    (void)state;
    scree_shapes shapes = {0};
    const double chain[] = {0, 2, 0, 0, 3, 0};  // down, then right: its right-hand side is outside of the corner
    scree_polygon_numbers m;
    CHECK_OK(scree_shapes_add_wall(&shapes, 3, chain, 0.5, NULL));
    CHECK_OK(scree_polygon_measure(scree_shapes_get(&shapes, 0), &m));
    CHECK_CLOSE(m.area, 2 * 0.5 + 3 * 0.5 + 0.25, 1e-13);
    CHECK_CLOSE(m.lower[0], -0.5, 1e-14);
    CHECK_CLOSE(m.lower[1], -0.5, 1e-14);
    CHECK_OK(scree_shapes_add_wall(&shapes, 3, chain, -0.5, NULL));
    CHECK_OK(scree_polygon_measure(scree_shapes_get(&shapes, 1), &m));
    CHECK_CLOSE(m.area, 2 * 0.5 + 3 * 0.5 - 0.25, 1e-13);
    const double back[] = {0, 0, 1, 0, 0, 0};
    CHECK_FAILS(scree_shapes_add_wall(&shapes, 3, back, 0.5, NULL), SCREE_ERR_ARGUMENT, "point 1");
    CHECK_FAILS(scree_shapes_add_wall(&shapes, 1, back, 0.5, NULL), SCREE_ERR_ARGUMENT, "1");
    scree_shapes_free(&shapes);
}

// ---- Inside and nearest ------------------------------------------------------------------------------------------------

// How often the polygon goes round x: by angles, summed. Whole up to rounding, away from the boundary.
static double winding(scree_polygon p, const double x[2])
{
    double sum = 0.0;
    for (int32_t i = 0; i < p.count; ++i) {
        const double *a = p.xy + 2 * i, *b = p.xy + 2 * ((i + 1) % p.count);
        double u[2] = {a[0] - x[0], a[1] - x[1]}, v[2] = {b[0] - x[0], b[1] - x[1]};
        sum += atan2(u[0] * v[1] - u[1] * v[0], u[0] * v[0] + u[1] * v[1]);
    }
    return sum / (2 * pi);
}

static void test_inside(void** state)
{
    (void)state;
    scree_rng rng = scree_rng_make(11, 0);
    int trials = (int)(100000 * test_effort()), inside = 0, tested = 0;
    int64_t looked = 0;
    for (int t = 0; t < trials;) {
        int rule = (int)scree_rng_below(&rng, SCREE_SHAPE_RULE_COUNT);
        scree_shapes shapes = by_rule((scree_shape_rule)rule, 12 + (int32_t)scree_rng_below(&rng, 60), 0.6, scree_rng_bits(&rng));
        scree_polygon p = scree_shapes_get(&shapes, 0);
        edge_tree tree;
        CHECK_OK(edge_tree_make(&tree, p.count, p.xy, (const double[2]){0, 0}, NULL));
        for (int k = 0; k < 200; ++k, ++t) {
            double x[2] = {between(&rng, -1.1, 1.1), between(&rng, -1.1, 1.1)};
            int32_t v = (int32_t)scree_rng_below(&rng, (uint64_t)p.count);
            if (k % 3 == 1)
                x[1] = p.xy[2 * v + 1];  // the ray goes through a vertex, or along an edge
            if (k % 3 == 2)
                x[0] = p.xy[2 * v];
            bool plain = scree_polygon_contains(p, x);
            assert_int_equal(edge_tree_contains(&tree, x, &looked), plain);
            double point[2];
            int32_t edge;
            double distance = scree_polygon_nearest(p, x, point, &edge);
            edge_near near = edge_tree_nearest(&tree, x, &looked);
            assert_int_equal(near.edge, edge);
            CHECK_CLOSE(sqrt(near.square), distance, 0.0);
            CHECK_CLOSE(hypot(x[0] - point[0], x[1] - point[1]), distance, 1e-14);
            edge_near within = edge_tree_nearest_within(&tree, x, 0.01, &looked);
            assert_int_equal(within.edge, distance * distance < 0.01 ? edge : -1);
            if (distance < 1e-9)
                continue;
            ++tested;
            double turns = winding(p, x);
            if (fabs(turns - (plain ? 1.0 : 0.0)) > 1e-6)
                fail_msg("point %.17g %.17g: winding number %g, crossing says %d", x[0], x[1], turns, plain);
            inside += plain;
        }
        edge_tree_free(&tree);
        scree_shapes_free(&shapes);
    }
    assert_true(inside > tested / 20 && inside < tested);
}

// Squares that tile: every point is in just one, corners and sides too.
static void test_half_open(void** state)
{
    (void)state;
    for (int px = 0; px < 16; ++px)
        for (int py = 0; py < 16; ++py) {
            double x[2] = {0.25 * px, 0.25 * py};
            int count = 0;
            for (int i = -1; i < 5; ++i)
                for (int j = -1; j < 5; ++j) {
                    double square[] = {i, j, i + 1, j, i + 1, j + 1, i, j + 1};
                    count += scree_polygon_contains(view(4, square), x);
                }
            assert_int_equal(count, 1);
        }
}

// The tree against plain loops for a polygon of thousands of vertices; and it must look at few.
static void test_tree_large(void** state)
{
    (void)state;
    scree_shapes shapes = by_rule(SCREE_SHAPE_STAR, 5000, 0.05, 5);
    scree_polygon p = scree_shapes_get(&shapes, 0);
    edge_tree tree;
    CHECK_OK(edge_tree_make(&tree, p.count, p.xy, (const double[2]){0, 0}, NULL));
    scree_rng rng = scree_rng_make(3, 3);
    int64_t seen = 0;
    for (int t = 0; t < 2000; ++t) {
        double angle = between(&rng, 0, 2 * pi), r = between(&rng, 0.9, 1.05), x[2] = {r * cos(angle), r * sin(angle)};
        if (t % 2 == 0)
            x[1] = p.xy[2 * scree_rng_below(&rng, 5000) + 1];
        int32_t edge;
        scree_polygon_nearest(p, x, NULL, &edge);
        assert_int_equal(edge_tree_nearest(&tree, x, &seen).edge, edge);
        assert_int_equal(edge_tree_contains(&tree, x, &seen), scree_polygon_contains(p, x));
        // The leaves in a box hold every vertex in it.
        double box[4] = {x[0] - 0.01, x[1] - 0.01, x[0] + 0.01, x[1] + 0.01};
        int32_t node = 1, first, found = 0, wanted = 0, leaves = 0, last = -1;
        int64_t looked = 0;
        while ((first = edge_leaf_counted(&tree, box, &node, &looked)) >= 0) {
            assert_true(first > last);
            last = first;
            ++leaves;
            for (int32_t v = first; v < edge_leaf_end(&tree, first); ++v)
                found += p.xy[2 * v] >= box[0] && p.xy[2 * v] <= box[2] && p.xy[2 * v + 1] >= box[1] && p.xy[2 * v + 1] <= box[3];
        }
        for (int32_t v = 0; v < p.count; ++v)
            wanted += p.xy[2 * v] >= box[0] && p.xy[2 * v] <= box[2] && p.xy[2 * v + 1] >= box[1] && p.xy[2 * v + 1] <= box[3];
        assert_int_equal(found, wanted);
        assert_true(leaves < 60);
        assert_true(looked < 150);  // of 2047 nodes; 625 of 1024 leaves have edges
    }
    if (seen < 2000 * 30 || seen > 2000 * 1000)
        fail_msg("%g nodes and edges for two questions", (double)seen / 2000.0);
    edge_tree_free(&tree);
    scree_shapes_free(&shapes);
}

static scree_status add_all(scree_shapes* shapes)
{
    scree_shape_def def = scree_default_shape_def();
    const double chain[] = {0, 0, 1, 0, 2, 1};
    scree_status status = scree_shapes_add_rule(shapes, &def, NULL);
    def.rule = SCREE_SHAPE_CHIP;
    def.vertices = 20;
    if (status == SCREE_OK)
        status = scree_shapes_add_rule(shapes, &def, NULL);
    if (status == SCREE_OK)
        status = scree_shapes_add_wall(shapes, 3, chain, 0.1, NULL);
    return status;
}

static void test_allocations(void** state)
{
    (void)state;
    scree_shapes shapes = {0};
    EACH_ALLOCATION_FAILS((scree_shapes_free(&shapes), add_all(&shapes)), (void)0);
    assert_int_equal(shapes.count, 3);
    scree_shapes_free(&shapes);
}

static const test_case cases[] = {
    UNIT(test_refused),
    PROPERTY(test_simple_against_all_pairs),
    UNIT(test_simple_large),
    UNIT(test_sums),
    UNIT(test_turned_round),
    UNIT(test_rules),
    UNIT(test_walls),
    PROPERTY(test_inside),
    UNIT(test_half_open),
    UNIT(test_tree_large),
    ALLOCATION(test_allocations),
};

const test_group group_polygon = {.name = "polygon", .cases = cases, .count = sizeof cases / sizeof *cases};
