// geom: containers, by closed forms and by sampling.
#include "support.h"

#include "scree/geom.h"
#include "scree/measure.h"
#include "scree/pack.h"

static const double pi = 3.14159265358979323846;

static scree_container make(int kind, int dim, double a, double b, double c)
{
    scree_container k = {.kind = kind, .box = scree_box_sized(dim, (double[]){a, b, c})};
    return k;
}

// Off the origin, so that nothing can rely on it.
static scree_container shifted(scree_container c)
{
    for (int k = 0; k < c.box.dim; ++k) {
        c.box.lower[k] += 0.3 + k;
        c.box.upper[k] += 0.3 + k;
    }
    return c;
}

static void kinds_are_checked(void** state)
{
    (void)state;
    scree_container c = make(SCREE_CONTAINER_CYLINDER, 3, 2.0, 2.0, 5.0);
    CHECK_OK(scree_container_check(&c));
    c.box.periodic[2] = true;
    CHECK_OK(scree_container_check(&c));
    c.box.periodic[1] = true;
    CHECK_FAILS(scree_container_check(&c), SCREE_ERR_ARGUMENT, "axis y");
    c = make(SCREE_CONTAINER_CYLINDER, 3, 2.0, 2.1, 5.0);
    CHECK_FAILS(scree_container_check(&c), SCREE_ERR_ARGUMENT, "axis y");
    c = make(SCREE_CONTAINER_CYLINDER, 2, 2.0, 2.0, 0.0);
    CHECK_FAILS(scree_container_check(&c), SCREE_ERR_ARGUMENT, "container");
    c = make(SCREE_CONTAINER_SPHERE, 3, 2.0, 2.0, 2.2);
    CHECK_FAILS(scree_container_check(&c), SCREE_ERR_ARGUMENT, "axis z");
    c = make(SCREE_CONTAINER_SPHERE, 3, 2.0, 2.0, 2.0);
    CHECK_OK(scree_container_check(&c));
    c.box.periodic[2] = true;
    CHECK_FAILS(scree_container_check(&c), SCREE_ERR_ARGUMENT, "axis z");
    c = make(SCREE_CONTAINER_SPHERE, 2, 2.0, 2.0, 0.0);
    CHECK_OK(scree_container_check(&c));
    c.box = scree_box_open(2);
    CHECK_FAILS(scree_container_check(&c), SCREE_ERR_ARGUMENT);
    c.kind = 3;
    CHECK_FAILS(scree_container_check(&c), SCREE_ERR_ARGUMENT, "3");
    c = make(SCREE_CONTAINER_BOX, 3, 1.0, -2.0, 3.0);
    CHECK_FAILS(scree_container_check(&c), SCREE_ERR_ARGUMENT, "axis y");
    assert_string_equal(scree_container_name(SCREE_CONTAINER_CYLINDER), "cylinder");
    assert_null(scree_container_name(3));
    assert_null(scree_container_name(-1));
}

static void volumes_and_depths_have_closed_forms(void** state)
{
    (void)state;
    scree_container box = make(SCREE_CONTAINER_BOX, 3, 1.0, 2.0, 3.0), can = shifted(make(SCREE_CONTAINER_CYLINDER, 3, 2.0, 2.0, 5.0));
    scree_container ball = shifted(make(SCREE_CONTAINER_SPHERE, 3, 4.0, 4.0, 4.0)), disc = make(SCREE_CONTAINER_SPHERE, 2, 4.0, 4.0, 0.0);
    CHECK_CLOSE(scree_container_volume(&box), 6.0, 1e-15);
    CHECK_CLOSE(scree_container_volume(&can), 5.0 * pi, 1e-13);
    CHECK_CLOSE(scree_container_volume(&ball), 32.0 / 3.0 * pi, 1e-13);
    CHECK_CLOSE(scree_container_volume(&disc), 4.0 * pi, 1e-14);
    CHECK_CLOSE(scree_container_largest(&box), 0.5, 0.0);
    CHECK_CLOSE(scree_container_largest(&can), 1.0, 1e-15);
    CHECK_CLOSE(scree_container_largest(&ball), 2.0, 1e-15);
    CHECK_CLOSE(scree_container_depth(&box, (double[]){0.25, 1.0, 1.5}, 0.25), 0.0, 0.0);  // touching is inside
    CHECK_CLOSE(scree_container_depth(&box, (double[]){0.25, 1.0, 1.5}, 0.5), 0.25, 0.0);
    CHECK_CLOSE(scree_container_depth(&box, (double[]){0.5, 1.0, 2.9}, 0.25), 0.15, 1e-15);
    CHECK_CLOSE(scree_container_depth(&can, (double[]){1.3 + 0.3, 2.3 + 0.4, 4.8}, 0.25), -0.25, 1e-15);
    CHECK_CLOSE(scree_container_depth(&can, (double[]){1.3 + 0.6, 2.3 + 0.8, 4.8}, 0.25), 0.25, 1e-15);
    CHECK_CLOSE(scree_container_depth(&can, (double[]){1.3, 2.3, 2.35}, 0.25), 0.2, 1e-15);  // an end
    can.box.periodic[2] = true;
    CHECK_CLOSE(scree_container_depth(&can, (double[]){1.3, 2.3, 2.35}, 0.25), -0.75, 1e-15);
    CHECK_CLOSE(scree_container_depth(&ball, (double[]){2.3 + 1.0, 3.3 + 1.0, 4.3 + 1.0}, 0.5), sqrt(3.0) - 1.5, 1e-14);
    CHECK_CLOSE(scree_container_depth(&disc, (double[]){2.0 + 0.3, 2.0 - 0.4}, 0.5), -1.0, 1e-15);
    assert_true(scree_container_depth(&disc, (double[]){2.0, 2.0}, 2.0) <= 0.0);  // fills it
    assert_true(scree_container_depth(&disc, (double[]){2.0, 2.0}, nextafter(2.0, 3.0)) > 0.0);
    box.box.periodic[0] = box.box.periodic[1] = box.box.periodic[2] = true;
    assert_true(scree_container_depth(&box, (double[]){7.0, 7.0, 7.0}, 0.5) == -INFINITY);
}

// The sign of the depth is the predicate's, written once more here.
static void depth_is_the_predicate(void** state)
{
    (void)state;
    scree_container can = make(SCREE_CONTAINER_CYLINDER, 3, 2.0, 2.0, 5.0);
    scree_rng rng = scree_rng_make(3, 0);
    for (int t = 0; t < 200000; ++t) {
        double r = 0.5 * scree_rng_uniform(&rng), angle = 2.0 * pi * scree_rng_uniform(&rng);
        double d = (1.0 - r) * (1.0 + 4e-16 * (double)((int)scree_rng_below(&rng, 5) - 2));
        double x[3] = {1.0 + d * cos(angle), 1.0 + d * sin(angle), 2.5};
        double dx = x[0] - 1.0, dy = x[1] - 1.0, reach = 1.0 - r;
        assert_int_equal(scree_container_depth(&can, x, r) > 0.0, dx * dx + dy * dy > reach * reach);
    }
}

static void walls_are_named_with_normals(void** state)
{
    (void)state;
    scree_wall walls[SCREE_WALLS_MAX];
    scree_container box = make(SCREE_CONTAINER_BOX, 3, 1.0, 2.0, 3.0);
    assert_int_equal(scree_container_walls(&box, (double[]){0.5, 1.0, 1.5}, 0.25, INFINITY, walls), 6);
    assert_int_equal(scree_container_walls(&box, (double[]){0.2, 1.0, 2.9}, 0.25, 0.0, walls), 2);
    CHECK_CLOSE(walls[0].gap, -0.05, 1e-15);
    CHECK_CLOSE(walls[0].normal[0], 1.0, 0.0);
    CHECK_CLOSE(walls[1].gap, -0.15, 1e-15);
    CHECK_CLOSE(walls[1].normal[2], -1.0, 0.0);
    scree_rng rng = scree_rng_make(4, 0);
    for (int t = 0; t < 20000; ++t) {
        int dim = t % 3 == 0 ? 2 : 3;
        scree_container c = t % 3 == 1 ? make(SCREE_CONTAINER_CYLINDER, 3, 2.0, 2.0, 5.0) : make(SCREE_CONTAINER_SPHERE, dim, 2.0, 2.0, 2.0);
        c = shifted(c);
        double x[3], r = 0.9 * scree_rng_uniform(&rng), depth;
        for (int k = 0; k < dim; ++k)
            x[k] = c.box.lower[k] + scree_rng_uniform(&rng) * (c.box.upper[k] - c.box.lower[k]);
        int32_t n = scree_container_walls(&c, x, r, INFINITY, walls);
        assert_int_equal(n, c.kind == SCREE_CONTAINER_CYLINDER ? 3 : 1);
        depth = -INFINITY;
        for (int w = 0; w < n; ++w) {
            double length = 0.0, y[3];
            depth = fmax(depth, -walls[w].gap);
            for (int k = 0; k < dim; ++k) {
                length += walls[w].normal[k] * walls[w].normal[k];
                y[k] = x[k] - walls[w].normal[k] * walls[w].gap;  // now it touches that wall
            }
            CHECK_CLOSE(length, 1.0, 1e-14);
            scree_wall again[SCREE_WALLS_MAX];
            scree_container_walls(&c, y, r, INFINITY, again);
            CHECK_CLOSE(again[w].gap, 0.0, 1e-14);
        }
        CHECK_CLOSE(scree_container_depth(&c, x, r), depth, 1e-15);
    }
}

// Shares of draws within half the reach of the middle, and means, as an even spread has them.
static void draws_are_even_and_inside(void** state)
{
    (void)state;
    scree_rng rng = scree_rng_make(5, 0);
    for (int t = 0; t < 4; ++t) {
        int dim = t == 3 ? 2 : 3;
        scree_container c = shifted(t == 0 ? make(SCREE_CONTAINER_BOX, 3, 1.0, 2.0, 3.0) : t == 1 ? make(SCREE_CONTAINER_CYLINDER, 3, 2.0, 2.0, 5.0)
                                    : make(SCREE_CONTAINER_SPHERE, dim, 2.0, 2.0, 2.0));
        c.box.periodic[2] = t == 1;
        const int n = 40000;
        const double r = 0.2;
        double mean[3] = {0.0};
        int near = 0;
        for (int i = 0; i < n; ++i) {
            double x[3], sum = 0.0;
            scree_container_draw(&c, r, &rng, x);
            assert_true(scree_container_depth(&c, x, r) <= 0.0);
            for (int k = 0; k < dim; ++k) {
                double d = x[k] - 0.5 * (c.box.lower[k] + c.box.upper[k]);
                mean[k] += d / n;
                if (t >= 2 || k < 2)
                    sum += d * d;
            }
            near += sum < 0.4 * 0.4;
        }
        for (int k = 0; k < dim; ++k)
            CHECK_CLOSE(mean[k], 0.0, 5.0 * (c.box.upper[k] - c.box.lower[k]) / sqrt(12.0 * n));
        double share = t == 0 ? pi * 0.16 / (0.6 * 1.6) : t == 1 || t == 3 ? 0.25 : 0.125;
        if (t > 0)
            CHECK_CLOSE((double)near / n, share, 5.0 * sqrt(share * (1.0 - share) / n));
        double x[3];
        if (t > 0) {
            double largest = scree_container_largest(&c);  // about 1
            scree_container_draw(&c, largest, &rng, x);    // one place only
            assert_true(scree_container_depth(&c, x, largest) <= 0.0);
        }
    }
}

// By points in the sphere.
static void shares_are_those_of_points(void** state)
{
    (void)state;
    scree_rng rng = scree_rng_make(8, 0);
    for (int t = 0; t < 60; ++t) {
        int dim = t % 4 == 3 ? 2 : 3;
        scree_container c = shifted(t % 4 == 0 ? make(SCREE_CONTAINER_BOX, 3, 1.0, 2.0, 3.0) : t % 4 == 1 ? make(SCREE_CONTAINER_CYLINDER, 3, 2.0, 2.0, 3.0)
                                    : make(SCREE_CONTAINER_SPHERE, dim, 2.0, 2.0, 2.0));
        scree_container ball = {.kind = SCREE_CONTAINER_SPHERE, .box = {.dim = dim}};
        double x[3] = {0.0}, r = 0.3 + 1.2 * scree_rng_uniform(&rng);
        for (int k = 0; k < dim; ++k) {
            x[k] = c.box.lower[k] + scree_rng_uniform(&rng) * (c.box.upper[k] - c.box.lower[k]);
            ball.box.lower[k] = x[k] - r;
            ball.box.upper[k] = x[k] + r;
        }
        const int n = 4000;
        int inside = 0;
        for (int i = 0; i < n; ++i) {
            double p[3];
            scree_container_draw(&ball, 0.0, &rng, p);
            inside += scree_container_depth(&c, p, 0.0) <= 0.0;
        }
        CHECK_CLOSE(scree_sphere_container_share(&c, x, r), (double)inside / n, 5.0 * 0.5 / sqrt(n));
    }
    scree_container can = make(SCREE_CONTAINER_CYLINDER, 3, 2.0, 2.0, 3.0);
    CHECK_CLOSE(scree_sphere_container_share(&can, (double[]){1.0, 1.0, 0.0}, 0.5), 0.5, 1e-3);
    can.box.periodic[2] = true;
    CHECK_CLOSE(scree_sphere_container_share(&can, (double[]){1.0, 1.0, 0.0}, 0.5), 1.0, 0.0);
}

static int overlaps(const scree_box* box, scree_spheres s)
{
    int found = 0;
    for (int32_t i = 0; i < s.count; ++i)
        for (int32_t j = 0; j < i; ++j)
            for (int z = box->periodic[2] ? -1 : 0; z <= (box->periodic[2] ? 1 : 0); ++z)
                found += scree_pair_gap(box, s, i, j, (int8_t[3]){0, 0, (int8_t)z}) < 0.0;
    return found;
}

static void random_addition_stays_inside(void** state)
{
    (void)state;
    for (int t = 0; t < 4; ++t) {
        int dim = t == 3 ? 2 : 3;
        scree_place_report report;
        scree_place_def def = scree_default_place_def();
        scree_container c = shifted(t < 2 ? make(SCREE_CONTAINER_CYLINDER, 3, 8.0, 8.0, 10.0) : make(SCREE_CONTAINER_SPHERE, dim, 10.0, 10.0, 10.0));
        c.box.periodic[2] = t == 1;
        def.box = c.box;
        def.container = c.kind;
        def.report = &report;
        enum { n = 100 };
        double r[n], x[3 * n], volume = 0.0;
        for (int i = 0; i < n; ++i) {
            r[i] = 0.2 + 0.3 * i / n;
            volume += dim == 2 ? pi * r[i] * r[i] : 4.0 / 3.0 * pi * r[i] * r[i] * r[i];
        }
        CHECK_OK(scree_place_random(&def, n, r, x));
        scree_spheres s = {.count = n, .dim = dim, .x = x, .r = r};
        assert_int_equal(overlaps(&c.box, s), 0);
        for (int i = 0; i < n; ++i)
            assert_true(scree_container_depth(&c, x + i * dim, r[i]) <= 0.0);
        CHECK_CLOSE(report.density, volume / scree_container_volume(&c), 1e-12);
        r[7] = 4.6;
        CHECK_FAILS(scree_place_random(&def, n, r, x), SCREE_ERR_ARGUMENT, t < 2 ? "sphere 7, diameter 9.2, does not fit" : "box of");
        r[7] = 5.1;
        CHECK_FAILS(scree_place_random(&def, n, r, x), SCREE_ERR_ARGUMENT);
        CHECK_FAILS(scree_place_lattice(&def, 0.0, 1, (double[]){0.1}, x), SCREE_ERR_ARGUMENT);
    }
}

// Full: probes at random, at the wall, and next to spheres find no place.
static void saturated_containers_are_full(void** state)
{
    (void)state;
    scree_rng rng = scree_rng_make(6, 0);
    for (int t = 0; t < 3; ++t) {
        int dim = t == 2 ? 2 : 3;
        scree_place_def def = scree_default_place_def();
        scree_container c = t == 0 ? make(SCREE_CONTAINER_CYLINDER, 3, 6.0, 6.0, 5.0) : make(SCREE_CONTAINER_SPHERE, dim, dim == 2 ? 20.0 : 6.0,
                                                                                          dim == 2 ? 20.0 : 6.0, 6.0);
        def.box = c.box;
        def.container = c.kind;
        scree_sphere_set full = {0};
        CHECK_OK(scree_place_saturated(&def, 0.5, &full));
        scree_spheres s = scree_sphere_set_view(&full);
        assert_int_equal(overlaps(&c.box, s), 0);
        assert_true(full.count > (t == 2 ? 180 : 50));
        for (int32_t i = 0; i < full.count; ++i)
            assert_true(scree_container_depth(&c, full.x + (int64_t)i * dim, 0.5) <= 0.0);
        int probes = (int)(20000 * test_effort());
        for (int p = 0; p < probes; ++p) {
            double x[3];
            scree_container_draw(&c, 0.5, &rng, x);
            if (p % 2 == 0) {  // out to the wall
                double reach = 0.5 * (c.box.upper[0] - c.box.lower[0]) - 0.5 - 1e-9, square = 0.0;
                int axes = c.kind == SCREE_CONTAINER_CYLINDER ? 2 : dim;
                for (int k = 0; k < axes; ++k)
                    square += (x[k] - 0.5 * c.box.upper[k]) * (x[k] - 0.5 * c.box.upper[k]);
                for (int k = 0; k < axes && square > 0.0; ++k)
                    x[k] = 0.5 * c.box.upper[k] + (x[k] - 0.5 * c.box.upper[k]) * reach / sqrt(square);
            }
            if (scree_container_depth(&c, x, 0.5) > 0.0)
                continue;
            bool taken = false;
            for (int32_t i = 0; i < full.count && !taken; ++i) {
                double square = 0.0;
                for (int k = 0; k < dim; ++k)
                    square += (x[k] - full.x[(int64_t)i * dim + k]) * (x[k] - full.x[(int64_t)i * dim + k]);
                taken = square < 1.0;
            }
            if (!taken)
                fail_msg("container %d: there is room at %.17g %.17g %.17g", (int)c.kind, x[0], x[1], dim == 3 ? x[2] : 0.0);
        }
        scree_sphere_set_free(&full);
    }
}

static const test_case cases[] = {
    UNIT(kinds_are_checked),
    UNIT(volumes_and_depths_have_closed_forms),
    UNIT(depth_is_the_predicate),
    UNIT(walls_are_named_with_normals),
    UNIT(draws_are_even_and_inside),
    UNIT(shares_are_those_of_points),
    UNIT(random_addition_stays_inside),
    PROPERTY(saturated_containers_are_full),
};

const test_group group_container = {.name = "container", .cases = cases, .count = sizeof cases / sizeof *cases};
