// Hierarchical packing: against plain packings of all sizes where they can be made, and against Furnas' law where sizes are far apart.
#include "pack_support.h"

#include <math.h>

static scree_sizes* parse(const char* text)
{
    scree_sizes* sizes;
    CHECK_OK(scree_sizes_parse(text, 3, &sizes));
    return sizes;
}

// Radii 1 and `ratio`, the coarse ones with this share of the volume.
static scree_sizes* two_sizes(double ratio, double coarse)
{
    double d[2] = {2.0, 2.0 * ratio}, number[2] = {(1.0 - coarse) * ratio * ratio * ratio, coarse};
    scree_sizes* sizes;
    CHECK_OK(scree_sizes_table(SCREE_TABLE_NUMBER, 3, 2, d, number, &sizes));
    return sizes;
}

static void one_class_is_a_plain_packing(void** state)
{
    (void)state;
    scree_sizes* sizes = parse("uniform-size:1:2");
    scree_hierarchy_def def = scree_default_hierarchy_def();
    def.spheres = 200;
    def.repeats = 1;
    scree_hierarchy h;
    CHECK_OK(scree_pack_hierarchy(&def, sizes, &h));
    assert_int_equal(h.count, 1);
    const scree_sphere_set* s = &h.levels[0].sample;
    assert_int_equal(s->count, 200);
    check_packing(&s->box, &s->box, SCREE_CONTAINER_BOX, 200, s->x, s->r, h.density);
    assert_true(h.density > 0.6 && h.density < 0.68 && isnan(h.error) && isnan(h.error_statistical) && h.error_model == 0.0);
    assert_true(fabs(h.levels[0].share - 1.0) < 1e-12 && h.levels[0].radius_min > 0.99 && h.levels[0].radius_max < 2.01);
    scree_hierarchy_free(&h);
    scree_sizes_destroy(sizes);
}

// Furnas: coarse spheres that touch with fine ones in their pores, or coarse ones in a sea of fine ones. 0.36 of space are pores; with 0.265 of fine material both hold, and
// 0.64 + 0.36 * 0.64 = 0.870 is filled. The windows have ratios of 3 and 6.
static void far_sizes_approach_furnas(void** state)
{
    (void)state;
    static const struct {
        double coarse, ratio;
    } cases[] = {{0.9, 1e4}, {0.735, 6.0}, {0.735, 1e4}};
    double before = 0.0;
    for (size_t t = 0; t < sizeof cases / sizeof *cases; ++t) {
        double coarse = cases[t].coarse;
        scree_sizes* sizes = two_sizes(cases[t].ratio, coarse);
        scree_hierarchy_def def = scree_default_hierarchy_def();
        def.spheres = 150;
        def.repeats = 2;
        def.class_ratio = 1.7;
        def.reach = 6.0;
        scree_hierarchy h;
        CHECK_OK(scree_pack_hierarchy(&def, sizes, &h));
        assert_int_equal(h.count, 2);
        double alone = h.levels[1].alone, limit = 1.0 / fmax(coarse / h.levels[0].alone, coarse + (1.0 - coarse) / alone);
        bool far = cases[t].ratio > 100.0;
        if ((far && !(fabs(h.density - limit) <= 2.0 * h.error)) || !(fabs(alone - 0.635) < 0.02) || !(h.error > 0.0 && h.error < 0.06))
            fail_msg("coarse share %g, ratio %g: density %.5f +- %.5f (model %.5f), Furnas %.5f, alone %.4f", coarse, cases[t].ratio, h.density, h.error, h.error_model, limit, alone);
        assert_true(fabs(h.error - hypot(h.error_statistical, h.error_model)) < 1e-12 && (h.error_model > 0.0) == far);
        assert_true(fabs(h.levels[0].share - coarse) < 1e-9 && (h.levels[0].enlarged > 1000.0) == far && h.levels[1].enlarged == 1.0);
        if (t > 0) {
            assert_true(h.density > before);
            before = h.density;
        }
        if (t == 2)
            assert_true(h.density > 0.84 && h.density < 0.89);
        const scree_sphere_set* s = &h.levels[0].sample;
        check_packing(&s->box, &s->box, SCREE_CONTAINER_BOX, (int32_t)s->count, s->x, s->r, packing_density(&s->box, 0, (int32_t)s->count, s->r));
        scree_hierarchy_free(&h);
        scree_sizes_destroy(sizes);
    }
}

// Four classes with windows of three and two, against all sizes in one packing: it lies within the error.
static void it_is_near_the_full_packing(void** state)
{
    (void)state;
    enum { count = 600 };
    double *r = radii("fuller:1:10", 3, count), full;
    scree_rearrange_def plain = scree_default_rearrange_def();
    for (int k = 0; k < 3; ++k)
        plain.box.periodic[k] = true;
    scree_packing p;
    CHECK_OK(scree_pack_rearrange(&plain, count, r, &p));
    full = p.density;
    scree_packing_free(&p);
    free(r);
    scree_sizes* sizes = parse("fuller:1:10");
    for (int w = 3; w >= 2; --w) {
        scree_hierarchy_def def = scree_default_hierarchy_def();
        def.spheres = 150;
        def.repeats = 2;
        def.class_ratio = 1.8;
        def.window = w;
        scree_hierarchy h;
        CHECK_OK(scree_pack_hierarchy(&def, sizes, &h));
        assert_int_equal(h.count, 4);
        double share = 0.0;
        for (int32_t k = 0; k < h.count; ++k) {
            share += h.levels[k].share;
            assert_true(k == 0 || h.levels[k].radius_max <= h.levels[k - 1].radius_min * (1.0 + 1e-9));
        }
        assert_true(fabs(share - 1.0) < 1e-12);
        // The full one has a share in the deviation, too: packings of so few spheres differ by 0.005.
        if (!(fabs(h.density - full) <= h.error + 0.01) || !(h.error_model > (w == 3 ? 0.001 : 0.01) && h.error_model < (w == 3 ? 0.02 : 0.1)))
            fail_msg("the full packing has %.4f; windows of %d give %.4f +- %.4f, by the model %.4f", full, w, h.density, h.error, h.error_model);
        scree_hierarchy_free(&h);
    }
    scree_sizes_destroy(sizes);
}

static void bits_depend_on_the_seed_alone(void** state)
{
    (void)state;
    scree_sizes* sizes = parse("lognormal:1:0.2");
    double first = 0.0;
    for (int t = 0; t < 3; ++t) {
        scree_hierarchy_def def = scree_default_hierarchy_def();
        def.spheres = 80;
        def.repeats = 2;
        def.threads = t + 1;
        def.seed = t == 2 ? 5 : 1;
        def.method = t == 1 ? SCREE_METHOD_LOOSE_OCTREE : SCREE_METHOD_HIERARCHICAL_GRID;
        scree_hierarchy h;
        CHECK_OK(scree_pack_hierarchy(&def, sizes, &h));
        first = t == 0 ? h.density : first;
        assert_true((h.density == first) == (t < 2));
        scree_hierarchy_free(&h);
    }
    scree_sizes_destroy(sizes);
}

static void limits_and_errors(void** state)
{
    (void)state;
    scree_sizes *sizes = parse("power:1:1e30:4"), *small = parse("bidisperse:3");
    scree_hierarchy_def def = scree_default_hierarchy_def();
    scree_hierarchy h;
    def.class_ratio = 1.1;
    CHECK_FAILS(scree_pack_hierarchy(&def, sizes, &h), SCREE_ERR_ARGUMENT, "classes", "1e+30");
    def = scree_default_hierarchy_def();
    def.window = 1;
    CHECK_FAILS(scree_pack_hierarchy(&def, small, &h), SCREE_ERR_ARGUMENT, "window", "1");
    def.window = 2;
    def.repeats = 0;
    CHECK_FAILS(scree_pack_hierarchy(&def, small, &h), SCREE_ERR_ARGUMENT, "repeats", "0");
    def.repeats = 1;
    def.spheres = 60;
    def.class_ratio = 1.5;
    for (int64_t n = 1;; n += 1 + n / 4) {  // an allocation in each part of it fails
        scree_memory_fail_at(n);
        scree_status status = scree_pack_hierarchy(&def, small, &h);
        int64_t used = scree_memory_fail_at(0);
        if (status == SCREE_OK) {
            assert_true(used < n);
            scree_hierarchy_free(&h);
            break;
        }
        assert_int_equal(status, SCREE_ERR_MEMORY);
        assert_null(h.levels);
    }
    scree_hierarchy_free(NULL);
    scree_sizes_destroy(sizes);
    scree_sizes_destroy(small);
}

static const test_case cases[] = {
    UNIT(one_class_is_a_plain_packing), UNIT(far_sizes_approach_furnas), UNIT(it_is_near_the_full_packing), SAME_BITS(bits_depend_on_the_seed_alone), ALLOCATION(limits_and_errors),
};

const test_group group_hierarchy = {.name = "hierarchy", .cases = cases, .count = sizeof cases / sizeof *cases};
