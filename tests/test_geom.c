// geom: boxes, images, spheres, the predicate, sets.
#include "support.h"

#include "geom/pair.h"
#include "scree/geom.h"

static void boxes_are_checked(void** state)
{
    (void)state;
    scree_box box = scree_box_sized(3, (double[]){1.0, 2.0, 3.0});
    CHECK_OK(scree_box_check(&box));
    CHECK_CLOSE(scree_box_volume(&box), 6.0, 0.0);
    assert_false(scree_box_is_periodic(&box));
    box = scree_box_sized(2, (double[]){2.0, 3.0});
    CHECK_CLOSE(scree_box_volume(&box), 6.0, 0.0);
    box = scree_box_open(3);
    CHECK_OK(scree_box_check(&box));
    assert_true(isinf(scree_box_volume(&box)));
    box.periodic[1] = true;
    assert_true(scree_box_is_periodic(&box));
    CHECK_FAILS(scree_box_check(&box), SCREE_ERR_ARGUMENT, "axis y");
    box = scree_box_sized(3, (double[]){1.0, -1.0, 1.0});
    CHECK_FAILS(scree_box_check(&box), SCREE_ERR_ARGUMENT, "axis y", "0", "-1");
    box = scree_box_sized(3, (double[]){1.0, 1.0, NAN});
    CHECK_FAILS(scree_box_check(&box), SCREE_ERR_ARGUMENT, "axis z");
    box = scree_box_sized(3, (double[]){1e150, 1.0, 1.0});
    CHECK_FAILS(scree_box_check(&box), SCREE_ERR_ARGUMENT, "1e+150");
    box = scree_box_sized(3, (double[]){0.0, 1.0, 1.0});
    CHECK_OK(scree_box_check(&box));  // walls may meet
    box.periodic[0] = true;
    CHECK_FAILS(scree_box_check(&box), SCREE_ERR_ARGUMENT, "axis x", "0");
    box = scree_box_open(4);
    CHECK_FAILS(scree_box_check(&box), SCREE_ERR_ARGUMENT, "dimension 4");
}

static void wrapping_ends_inside(void** state)
{
    (void)state;
    scree_box box = scree_box_sized(3, (double[]){0.7, 0.7, 0.7});
    box.periodic[0] = true;
    double turns;
    CHECK_CLOSE(scree_box_wrap(&box, 0, 0.8, &turns), 0.1, 1e-15);
    CHECK_CLOSE(turns, 1.0, 0.0);
    CHECK_CLOSE(scree_box_wrap(&box, 0, -0.1, &turns), 0.6, 1e-15);
    CHECK_CLOSE(turns, -1.0, 0.0);
    CHECK_CLOSE(scree_box_wrap(&box, 0, 0.7, &turns), 0.0, 0.0);
    CHECK_CLOSE(turns, 1.0, 0.0);
    CHECK_CLOSE(scree_box_wrap(&box, 0, -1e-30, &turns), 0.0, 0.0);  // would round to the upper end
    CHECK_CLOSE(turns, 0.0, 0.0);
    CHECK_CLOSE(scree_box_wrap(&box, 1, 5.0, NULL), 5.0, 0.0);  // walls: left alone
    scree_rng rng = scree_rng_make(5, 0);
    for (int k = 0; k < 100000; ++k) {
        box.lower[0] = 2.0 * scree_rng_uniform(&rng) - 1.0;
        box.upper[0] = box.lower[0] + 0.001 + scree_rng_uniform(&rng);
        double x = 40.0 * (scree_rng_uniform(&rng) - 0.5);
        double wrapped = scree_box_wrap(&box, 0, x, &turns);
        assert_true(wrapped >= box.lower[0] && wrapped < box.upper[0]);
        CHECK_CLOSE(wrapped + turns * (box.upper[0] - box.lower[0]), x, 1e-13);
    }
}

static void the_predicate_is_symmetric_and_strict(void** state)
{
    (void)state;
    double zero[3] = {0.0, 0.0, 0.0};
    double a[4] = {0.0, 0.0, 0.0, 0.5}, b[4] = {1.0, 0.0, 0.0, 0.5};
    assert_false(scree_is_pair(a, b, zero, 0.0));  // touching to the last bit is no contact
    b[0] = nextafter(1.0, 0.0);
    assert_true(scree_is_pair(a, b, zero, 0.0));
    b[0] = 1.5;
    assert_false(scree_is_pair(a, b, zero, 0.5));
    assert_true(scree_is_pair(a, b, zero, 0.5 + 4e-16));  // the sum 1.5 has a coarser last bit than 0.5
    assert_true(scree_is_pair(a, b, (double[3]){-1.0, 0.0, 0.0}, 0.0));  // the image of b at 0.5
    assert_false(scree_is_pair(a, a, zero, -2.0));                       // a gap that nothing can reach
    double point[4] = {0.0, 0.0, 0.0, 0.0};
    assert_false(scree_is_pair(point, point, zero, 0.0));
    assert_true(scree_is_pair(point, a, zero, 0.0));
    scree_rng rng = scree_rng_make(9, 0);
    for (int t = 0; t < 100000; ++t) {
        double p[4], q[4], s[3], back[3];
        for (int k = 0; k < 4; ++k) {
            p[k] = scree_rng_uniform(&rng);
            q[k] = scree_rng_uniform(&rng);
        }
        for (int k = 0; k < 3; ++k)
            back[k] = -(s[k] = 1.1 * ((double)scree_rng_below(&rng, 3) - 1.0));
        p[3] *= 0.3;
        q[3] *= 0.3;
        double forward = scree_square_distance(p, q, s), backward = scree_square_distance(q, p, back);
        assert_memory_equal(&forward, &backward, sizeof forward);
        assert_int_equal(scree_is_pair(p, q, s, 0.0), scree_is_pair(q, p, back, 0.0));
    }
}

static void the_gap_is_negative_exactly_for_contacts(void** state)
{
    (void)state;
    scree_rng rng = scree_rng_make(10, 0);
    scree_box box = scree_box_sized(3, (double[]){1.0, 1.0, 1.0});
    box.periodic[0] = true;
    double zero[3] = {0.0, 0.0, 0.0};
    for (int t = 0; t < 200000; ++t) {
        // Two spheres that touch but for some last bits, along a random direction.
        double x[6], r[2], d[3], length = 0.0;
        for (int k = 0; k < 3; ++k) {
            x[k] = scree_rng_uniform(&rng);
            d[k] = scree_rng_uniform(&rng) - 0.5;
            length += d[k] * d[k];
        }
        r[0] = scree_rng_uniform(&rng);
        r[1] = scree_rng_uniform(&rng) * 0.01;
        for (int k = 0; k < 3; ++k)
            x[3 + k] = x[k] + d[k] / sqrt(length) * (r[0] + r[1]);
        scree_spheres spheres = {.count = 2, .dim = 3, .x = x, .r = r};
        double gap = scree_pair_gap(&box, spheres, 0, 1, NULL);
        double a[4] = {x[0], x[1], x[2], r[0]}, b[4] = {x[3], x[4], x[5], r[1]};
        assert_int_equal(gap < 0.0, scree_is_pair(a, b, zero, 0.0));
        CHECK_CLOSE(gap, 0.0, 1e-15);
    }
    // Centres given boxes away: the sign is that of the wrapped ones, which is what the index decides on.
    for (int t = 0; t < 20000; ++t) {
        double r[2] = {0.1 + 0.1 * scree_rng_uniform(&rng), 0.1}, x[6] = {scree_rng_uniform(&rng) * 0.3, 0.5, 0.5};
        x[3] = x[0] + (r[0] + r[1]);
        x[4] = x[5] = 0.5;
        double given[6];
        memcpy(given, x, sizeof given);
        given[3] += 3.0;  // rounds
        scree_spheres spheres = {.count = 2, .dim = 3, .x = given, .r = r};
        double wrapped = scree_box_wrap(&box, 0, given[3], NULL);
        double a[4] = {x[0], x[1], x[2], r[0]}, b[4] = {wrapped, x[4], x[5], r[1]};
        assert_int_equal(scree_pair_gap(&box, spheres, 0, 1, (int8_t[]){-3, 0, 0}) < 0.0, scree_is_pair(a, b, zero, 0.0));
    }
    scree_spheres two = {.count = 2, .dim = 3, .x = (double[]){0.1, 0.0, 0.0, 0.9, 0.0, 0.0}, .r = (double[]){0.05, 0.02}};
    CHECK_CLOSE(scree_pair_gap(&box, two, 0, 1, (int8_t[]){0, 0, 0}), 0.73, 1e-15);
    CHECK_CLOSE(scree_pair_gap(&box, two, 0, 1, (int8_t[]){-1, 0, 0}), 0.13, 1e-15);
    CHECK_CLOSE(scree_pair_gap(&box, two, 0, 0, (int8_t[]){1, 0, 0}), 0.9, 1e-15);
    scree_spheres same = {.count = 2, .dim = 2, .x = (double[]){1.0, 1.0, 1.0, 1.0}, .r = (double[]){0.0, 0.0}};
    CHECK_CLOSE(scree_pair_gap(&box, same, 0, 1, NULL), 0.0, 0.0);
}

// Centres of an unwrapped trajectory: each as scree_box_wrap_centre does it, and a second time nothing changes.
static void many_centres_are_wrapped(void** state)
{
    (void)state;
    for (int tilted = 0; tilted < 2; ++tilted) {
        scree_box box = {.dim = 3, .lower = {-1.0, 0.0, 2.0}, .upper = {3.0, 5.0, 8.0}, .periodic = {true, true, false}, .tilt = {tilted ? 7.0 : 0.0}};
        double x[30], wrapped[30];
        int32_t turns[30], none[30];
        scree_rng rng = scree_rng_make(4, 1);
        for (int e = 0; e < 30; ++e)
            x[e] = e % 3 == 2 ? 2.0 + 6.0 * scree_rng_uniform(&rng) : 1e5 * (scree_rng_uniform(&rng) - 0.5);
        memcpy(wrapped, x, sizeof x);
        CHECK_OK(scree_box_wrap_centres(&box, 10, wrapped, turns));
        for (int i = 0; i < 10; ++i) {
            double one[3] = {x[3 * i], x[3 * i + 1], x[3 * i + 2]}, off[3];
            scree_box_wrap_centre(&box, one, off);
            for (int k = 0; k < 3; ++k) {
                assert_true(one[k] == wrapped[3 * i + k] && off[k] == turns[3 * i + k]);
                assert_true(one[k] >= box.lower[k] && one[k] < box.upper[k]);
            }
        }
        memcpy(x, wrapped, sizeof x);
        CHECK_OK(scree_box_wrap_centres(&box, 10, x, none));
        assert_memory_equal(x, wrapped, sizeof x);
        for (int e = 0; e < 30; ++e)
            assert_int_equal(none[e], 0);
        CHECK_OK(scree_box_wrap_centres(&box, 10, x, NULL));
        x[13] = 1e12;
        x[12] += 4.0;
        memcpy(wrapped, x, sizeof x);
        CHECK_FAILS(scree_box_wrap_centres(&box, 10, x, NULL), SCREE_ERR_ARGUMENT);
        assert_memory_equal(x, wrapped, sizeof x);
        assert_non_null(strstr(scree_error_message(), "sphere 4: y = 1e+12"));
        x[13] = NAN;
        CHECK_FAILS(scree_box_wrap_centres(&box, 10, x, NULL), SCREE_ERR_ARGUMENT);
    }
    CHECK_OK(scree_box_wrap_centres(&(scree_box){.dim = 2}, 0, NULL, NULL));
}

static void bounds_and_volume(void** state)
{
    (void)state;
    scree_spheres two = {.count = 2, .dim = 2, .x = (double[]){1.0, 2.0, 4.0, 0.0}, .r = (double[]){1.0, 0.5}};
    scree_box box = scree_spheres_bounds(two);
    CHECK_CLOSE(box.lower[0], 0.0, 0.0);
    CHECK_CLOSE(box.lower[1], -0.5, 0.0);
    CHECK_CLOSE(box.upper[0], 4.5, 0.0);
    CHECK_CLOSE(box.upper[1], 3.0, 0.0);
    CHECK_CLOSE(scree_spheres_volume(two), 3.14159265358979323846 * 1.25, 1e-15);
    two.count = 0;
    box = scree_spheres_bounds(two);
    CHECK_OK(scree_box_check(&box));
    CHECK_CLOSE(scree_spheres_volume(two), 0.0, 0.0);
    scree_spheres ball = {.count = 1, .dim = 3, .x = (double[]){0.0, 0.0, 0.0}, .r = (double[]){3.0}};
    CHECK_CLOSE(scree_spheres_volume(ball), 36.0 * 3.14159265358979323846, 1e-13);
}

static void faults_name_the_sphere(void** state)
{
    (void)state;
    double x[9] = {0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5}, r[3] = {0.1, 0.0, 0.1};
    scree_spheres spheres = {.count = 3, .dim = 3, .x = x, .r = r};
    scree_box box = scree_box_sized(3, (double[]){1.0, 1.0, 1.0});
    CHECK_OK(scree_spheres_check(spheres, &box));
    r[2] = -1.0;
    CHECK_FAILS(scree_spheres_check(spheres, NULL), SCREE_ERR_ARGUMENT, "sphere 2", "radius", "-1");
    r[2] = NAN;
    CHECK_FAILS(scree_spheres_check(spheres, NULL), SCREE_ERR_ARGUMENT, "sphere 2", "radius", "nan");
    r[2] = INFINITY;
    CHECK_FAILS(scree_spheres_check(spheres, NULL), SCREE_ERR_ARGUMENT, "sphere 2", "radius", "inf");
    r[2] = 1e-150;
    CHECK_FAILS(scree_spheres_check(spheres, NULL), SCREE_ERR_ARGUMENT, "sphere 2", "radius", "1e-150");
    r[2] = 0.1;
    x[4] = NAN;
    CHECK_FAILS(scree_spheres_check(spheres, NULL), SCREE_ERR_ARGUMENT, "sphere 1", "y = nan");
    x[4] = -1e141;
    CHECK_FAILS(scree_spheres_check(spheres, NULL), SCREE_ERR_ARGUMENT, "sphere 1", "y = -1e+141");
    x[4] = 1.5;
    CHECK_FAILS(scree_spheres_check(spheres, &box), SCREE_ERR_ARGUMENT, "sphere 1", "y = 1.5", "0", "1");
    box.periodic[1] = true;
    CHECK_OK(scree_spheres_check(spheres, &box));
    box = scree_box_sized(2, (double[]){1.0, 1.0});
    CHECK_FAILS(scree_spheres_check(spheres, &box), SCREE_ERR_ARGUMENT, "3", "2");
    spheres.x = NULL;
    CHECK_FAILS(scree_spheres_check(spheres, NULL), SCREE_ERR_ARGUMENT, "x", "NULL");
    spheres.count = 0;
    CHECK_OK(scree_spheres_check(spheres, NULL));
    spheres.count = -1;
    CHECK_FAILS(scree_spheres_check(spheres, NULL), SCREE_ERR_ARGUMENT, "-1");
    spheres.dim = 1;
    CHECK_FAILS(scree_spheres_check(spheres, NULL), SCREE_ERR_ARGUMENT, "dimension 1");
}

static scree_status make_with_columns(scree_sphere_set* set)
{
    scree_column* column;
    scree_status status = scree_sphere_set_make(3, 5, set);
    if (status != SCREE_OK)
        return status;
    status = scree_sphere_set_add(set, "mass", SCREE_COLUMN_DOUBLE, 1, &column);
    if (status == SCREE_OK)
        status = scree_sphere_set_add(set, "velocity", SCREE_COLUMN_DOUBLE, 3, &column);
    if (status == SCREE_OK)
        status = scree_sphere_set_add(set, "kind", SCREE_COLUMN_INT64, 1, &column);
    if (status == SCREE_OK)
        status = scree_sphere_set_add(set, "name", SCREE_COLUMN_TEXT, 1, &column);
    if (status != SCREE_OK)
        scree_sphere_set_free(set);
    return status;
}

static void sets_own_their_columns(void** state)
{
    (void)state;
    scree_sphere_set set = {0};
    scree_sphere_set_free(&set);  // a zeroed one is fine
    EACH_ALLOCATION_FAILS(make_with_columns(&set), assert_null(set.x));
    assert_int_equal(set.column_count, 4);
    const scree_column* velocity = scree_sphere_set_find(&set, "velocity");
    assert_non_null(velocity);
    for (int k = 0; k < 15; ++k)
        CHECK_CLOSE(velocity->values[k], 0.0, 0.0);
    const scree_column* name = scree_sphere_set_find(&set, "name");
    assert_string_equal(name->text + name->offset[4], "");
    assert_null(scree_sphere_set_find(&set, "none"));
    scree_column* column;
    CHECK_FAILS(scree_sphere_set_add(&set, "mass", SCREE_COLUMN_DOUBLE, 1, &column), SCREE_ERR_ARGUMENT, "'mass'");
    CHECK_FAILS(scree_sphere_set_add(&set, "r", SCREE_COLUMN_DOUBLE, 1, &column), SCREE_ERR_ARGUMENT, "'r'");
    CHECK_FAILS(scree_sphere_set_add(&set, "v", SCREE_COLUMN_DOUBLE, 0, &column), SCREE_ERR_ARGUMENT, "0");
    assert_int_equal(set.column_count, 4);
    scree_sphere_set_free(&set);
    CHECK_FAILS(scree_sphere_set_make(4, 5, &set), SCREE_ERR_ARGUMENT, "4");
    CHECK_FAILS(scree_sphere_set_make(3, -5, &set), SCREE_ERR_ARGUMENT, "-5");
}

static const test_case cases[] = {
    UNIT(boxes_are_checked),
    UNIT(wrapping_ends_inside),
    UNIT(the_predicate_is_symmetric_and_strict),
    UNIT(the_gap_is_negative_exactly_for_contacts),
    UNIT(many_centres_are_wrapped),
    UNIT(bounds_and_volume),
    UNIT(faults_name_the_sphere),
    ALLOCATION(sets_own_their_columns),
};

const test_group group_geom = {.name = "geom", .cases = cases, .count = sizeof cases / sizeof *cases};
