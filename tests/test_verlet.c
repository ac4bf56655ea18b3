// verlet-list: what is listed, when the list is rebuilt, and the paper's fixed interval.
#include "index_support.h"

#include "scenes.h"
#include "scree/candidates.h"

// Some spheres in a box, numbered by chance.
static scree_sphere_set cloud_of(int32_t n, double ratio)
{
    scene_params params = scene_default_params();
    params.count = n;
    params.ratio = ratio;
    scree_sphere_set set;
    CHECK_OK(scene_make("cloud", &params, &set));
    return set;
}

// n(n-1)/2 tests for the list, and a test for each candidate: every pair of centres within the radius.
static void the_list_holds_all_within_the_radius(void** state)
{
    (void)state;
    scree_sphere_set set = cloud_of(400, 3.0);
    double largest = 0.0;
    for (int32_t i = 0; i < set.count; ++i)
        largest = fmax(largest, set.r[i]);
    scree_index_def def = scree_default_index_def();
    def.method = SCREE_METHOD_VERLET_LIST;
    def.verlet_radius = 5.0 * largest;
    int64_t within = 0, near_enough = 0;  // by centres, as the paper lists; by surfaces, as the service of candidates lists
    for (int32_t i = 0; i < set.count; ++i)
        for (int32_t j = 0; j < i; ++j) {
            double square = 0.0;
            for (int k = 0; k < 3; ++k)
                square += (set.x[3 * i + k] - set.x[3 * j + k]) * (set.x[3 * i + k] - set.x[3 * j + k]);
            within += sqrt(square) < def.verlet_radius;
            near_enough += sqrt(square) < set.r[i] + set.r[j] + 3.0 * largest;
        }
    scree_index* index;
    scree_pairs pairs;
    CHECK_OK(scree_index_create(&def, &index));
    CHECK_OK(scree_index_update(index, scree_sphere_set_view(&set)));
    CHECK_OK(scree_index_pairs(index, &pairs));
    scree_index_stats stats = scree_index_get_stats(index);
    assert_int_equal(stats.candidates, within);
    assert_int_equal(stats.tests, 400 * 399 / 2 + within);
    CHECK_CLOSE(stats.skin, 3.0 * largest, 1e-12 * largest);
    CHECK_OK(scree_index_update(index, scree_sphere_set_view(&set)));
    CHECK_OK(scree_index_pairs(index, &pairs));
    assert_int_equal(scree_index_get_stats(index).tests, within);
    double(*xr)[4] = malloc((size_t)set.count * sizeof *xr);
    CHECK_OK(scree_index_get_all(index, xr));
    scree_candidates_def service = scree_default_candidates_def();
    service.search = &def;
    scree_candidates* near;
    scree_candidate_rows rows;
    CHECK_OK(scree_candidates_create(&service, &near));
    CHECK_OK(scree_candidates_update(near, &(scree_candidate_items){.struct_size = sizeof(scree_candidate_items), .count = set.count, .xr = (const double(*)[4])xr}));
    CHECK_OK(scree_candidates_get_rows(near, &rows));
    assert_int_equal(rows.count, near_enough);
    assert_int_equal(rows.start[rows.items], near_enough);
    CHECK_CLOSE(rows.skin, 3.0 * largest, 1e-12 * largest);
    scree_candidates_destroy(near);
    free(xr);
    scree_index_destroy(index);
    scree_sphere_set_free(&set);
}

// Two spheres of radius 1 walk towards each other from 10 apart, a quarter each at a time, with a radius of 4: the margin is 2, so
// the list lasts for four steps and is rebuilt at the fifth.
static void it_is_made_anew_when_a_pair_could_be_missed(void** state)
{
    (void)state;
    double x[6] = {0.0, 0.0, 0.0, 10.0, 0.0, 0.0}, r[2] = {1.0, 1.0};
    scree_index_def def = scree_default_index_def();
    def.method = SCREE_METHOD_VERLET_LIST;
    def.verlet_radius = 4.0;
    scree_index* index;
    scree_pairs pairs;
    CHECK_OK(scree_index_create(&def, &index));
    for (int step = 0; step <= 20; ++step) {
        x[0] = 0.25 * step;
        x[3] = 10.0 - 0.25 * step;
        CHECK_OK(scree_index_update(index, (scree_spheres){.count = 2, .dim = 3, .x = x, .r = r}));
        CHECK_OK(scree_index_pairs(index, &pairs));
        assert_int_equal(pairs.count, 10.0 - 0.5 * step < 2.0);
        // Rounding eats some last bits of the margin, so the step that uses it up to the full is one too far.
        assert_int_equal(scree_index_get_stats(index).list_build, 1 + step / 4);
    }
    scree_index_destroy(index);
}

// The same at the paper's fixed interval: every third step is safe, every sixth is not, and is refused before a pair is lost.
static void a_fixed_interval_is_refused_where_it_is_unsafe(void** state)
{
    (void)state;
    static const int32_t intervals[] = {1, 3, 6};
    for (int t = 0; t < 3; ++t) {
        double x[6] = {0.0, 0.0, 0.0, 10.0, 0.0, 0.0}, r[2] = {1.0, 1.0};
        scree_index_def def = scree_default_index_def();
        def.method = SCREE_METHOD_VERLET_LIST;
        def.verlet_radius = 4.0;
        def.rebuild_every = intervals[t];
        scree_index* index;
        scree_pairs pairs;
        CHECK_OK(scree_index_create(&def, &index));
        for (int step = 0; step <= 20; ++step) {
            x[0] = 0.25 * step;
            x[3] = 10.0 - 0.25 * step;
            scree_spheres spheres = {.count = 2, .dim = 3, .x = x, .r = r};
            if (t == 2 && step == 4) {
                CHECK_FAILS(scree_index_update(index, spheres), SCREE_ERR_ARGUMENT, "rebuild_every", "6");
                double before[3];
                CHECK_OK(scree_index_get(index, 0, before, NULL));
                CHECK_CLOSE(before[0], 0.75, 0.0);
                break;
            }
            CHECK_OK(scree_index_update(index, spheres));
            CHECK_OK(scree_index_pairs(index, &pairs));
            assert_int_equal(pairs.count, 10.0 - 0.5 * step < 2.0);
            assert_int_equal(scree_index_get_stats(index).list_build, 1 + step / intervals[t]);
        }
        scree_index_destroy(index);
    }
}

static void a_radius_that_would_lose_pairs_is_refused(void** state)
{
    (void)state;
    double x[6] = {0.0, 0.0, 0.0, 10.0, 0.0, 0.0}, r[2] = {1.0, 2.0};
    scree_index_def def = scree_default_index_def();
    scree_index* index;
    def.verlet_radius = 4.0;
    CHECK_FAILS(scree_index_create(&def, &index), SCREE_ERR_ARGUMENT, "verlet_radius", "verlet-list");
    def.method = SCREE_METHOD_VERLET_LIST;
    CHECK_OK(scree_index_create(&def, &index));
    CHECK_FAILS(scree_index_update(index, (scree_spheres){.count = 2, .dim = 3, .x = x, .r = r}), SCREE_ERR_ARGUMENT, "radius", "4");
    r[1] = 1.9;
    CHECK_OK(scree_index_update(index, (scree_spheres){.count = 2, .dim = 3, .x = x, .r = r}));
    scree_index_destroy(index);
    def.verlet_radius = -1.0;
    CHECK_FAILS(scree_index_create(&def, &index), SCREE_ERR_ARGUMENT, "radius", "-1");
    def.verlet_radius = 0.0;
    def.rebuild_every = -1;
    CHECK_FAILS(scree_index_create(&def, &index), SCREE_ERR_ARGUMENT, "rebuild_every", "-1");
}

// Whatever the last bits: a radius above the reach is taken.
static void rounding_does_not_refuse_a_radius(void** state)
{
    (void)state;
    scree_rng rng = scree_rng_make(5, 0);
    for (int t = 0; t < 2000; ++t) {
        double x[6] = {0.0, 0.0, 0.0, 1.0, 0.0, 0.0}, r[2] = {0.1 + scree_rng_uniform(&rng), 0.1};
        scree_index_def def = scree_default_index_def();
        def.method = SCREE_METHOD_VERLET_LIST;
        def.gap = scree_rng_uniform(&rng);
        def.verlet_radius = 2.0 * fmax(r[0], r[1]) + def.gap + 0.01 + scree_rng_uniform(&rng);
        scree_index* index;
        scree_pairs pairs;
        CHECK_OK(scree_index_create(&def, &index));
        CHECK_OK(scree_index_update(index, (scree_spheres){.count = 2, .dim = 3, .x = x, .r = r}));
        CHECK_OK(scree_index_pairs(index, &pairs));
        scree_index_destroy(index);
    }
}

// With nothing said, a radius is found that makes the list last; a list that is forbidden elsewhere is what this method is.
static void by_itself_it_keeps_a_list(void** state)
{
    (void)state;
    for (int t = 0; t < 3; ++t) {
        scree_sphere_set set = cloud_of(500, t == 2 ? 10.0 : 1.0);
        scree_index_def def = scree_default_index_def();
        def.method = SCREE_METHOD_VERLET_LIST;
        def.skin = t == 1 ? -1.0 : 0.0;
        def.sorted = true;
        scree_index* index;
        CHECK_OK(scree_index_create(&def, &index));
        scree_rng rng = scree_rng_make(8, 0);
        for (int step = 0; step < 40; ++step) {
            for (int32_t k = 0; k < 3 * set.count; ++k)
                set.x[k] = fmax(set.x[k] + 0.01 * (scree_rng_uniform(&rng) - 0.5), 0.0);
            scree_pairs pairs;
            CHECK_OK(scree_index_update(index, scree_sphere_set_view(&set)));
            CHECK_OK(scree_index_pairs(index, &pairs));
            answer found = keep(index, &def.box, pairs);
            scree_index_def plain = scree_default_index_def();
            plain.method = SCREE_METHOD_ALL_PAIRS;
            plain.sorted = true;
            answer reference = ask(&plain, scree_sphere_set_view(&set));
            check_same(&found, &reference, "verlet-list");
            forget(&found);
            forget(&reference);
        }
        scree_index_stats stats = scree_index_get_stats(index);
        assert_true(stats.skin > 0.0 && stats.list_build < 12);
        scree_index_destroy(index);
        scree_sphere_set_free(&set);
    }
}

// In periodic boxes only spheres near a face look at images: few more tests than between walls where the box is wide, and no pair less than all images have,
// also where it is barely larger than the spheres.
static void images_cost_little_and_none_is_lost(void** state)
{
    (void)state;
    enum { n = 140 };
    static double x[n * 3], r[n];
    for (int dim = 2; dim <= 3; ++dim)
        for (int narrow = 0; narrow < 2; ++narrow) {
            scree_rng rng = scree_rng_make(7, (uint64_t)(2 * dim + narrow));
            const double length[3] = {narrow ? 2.1 : 60.0, narrow ? 3.0 : 50.0, narrow ? 2.5 : 40.0};
            scree_box box = scree_box_sized(dim, length);
            int32_t count = narrow ? 20 : n;
            for (int k = 0; k < dim; ++k) {
                box.lower[k] -= 3.0;
                box.upper[k] -= 3.0;
                box.periodic[k] = true;
            }
            for (int32_t i = 0; i < count; ++i) {
                r[i] = 0.5 + 0.5 * scree_rng_uniform(&rng);
                for (int k = 0; k < dim; ++k)
                    x[i * dim + k] = box.lower[k] + (i % 7 == 0 ? 0.0 : scree_rng_uniform(&rng)) * length[k];  // some on a face
            }
            scree_spheres spheres = {.count = count, .dim = dim, .x = x, .r = r};
            int64_t all = 0;
            for (int32_t i = 0; i < count; ++i)
                for (int32_t j = i; j < count; ++j)
                    for (int sx = -3; sx <= 3; ++sx)
                        for (int sy = -3; sy <= 3; ++sy)
                            for (int sz = dim == 2 ? 0 : -3; sz <= (dim == 2 ? 0 : 3); ++sz) {
                                bool ahead = sx > 0 || (sx == 0 && (sy > 0 || (sy == 0 && sz > 0)));
                                all += (i < j || ahead) && scree_pair_gap(&box, spheres, i, j, (const int8_t[3]){(int8_t)sx, (int8_t)sy, (int8_t)sz}) < 0.3;
                            }
            for (int m = 0; m < 2; ++m) {
                scree_index_def def = scree_default_index_def();
                def.method = m == 0 ? SCREE_METHOD_ALL_PAIRS : SCREE_METHOD_VERLET_LIST;
                def.box = box;
                def.gap = 0.3;
                if (m == 1)
                    def.verlet_radius = 2.5;
                scree_index* index;
                scree_pairs pairs;
                CHECK_OK(scree_index_create(&def, &index));
                CHECK_OK(scree_index_update(index, spheres));
                CHECK_OK(scree_index_pairs(index, &pairs));
                assert_int_equal(pairs.count, all);
                double more = 1.0;
                for (int k = 0; k < dim; ++k)
                    more *= 1.0 + 2.0 * 2.5 / length[k];
                if (!narrow)  // a seventh of the spheres lie in a corner and look at all images around it
                    assert_true((double)scree_index_get_stats(index).tests < (6.0 / 7.0 * more + 8.0 / 7.0) * 0.5 * n * n + 2.0 * (double)all);
                scree_index_destroy(index);
            }
        }
}

static const test_case cases[] = {
    UNIT(images_cost_little_and_none_is_lost),
    UNIT(the_list_holds_all_within_the_radius),
    UNIT(it_is_made_anew_when_a_pair_could_be_missed),
    UNIT(a_fixed_interval_is_refused_where_it_is_unsafe),
    UNIT(a_radius_that_would_lose_pairs_is_refused),
    UNIT(rounding_does_not_refuse_a_radius),
    UNIT(by_itself_it_keeps_a_list),
};

const test_group group_verlet = {.name = "verlet", .cases = cases, .count = sizeof cases / sizeof *cases};
