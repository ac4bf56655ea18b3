// octree and loose-octree: against all-pairs through the index, one by one against a plain loop, and where spheres live
// in closed form.
#include "near_support.h"

#include "geom/pair.h"
#include "index/tree/nodes.h"
#include "index/tree/nodes_table.h"
#include "scenes.h"
#include "scree/index.h"

// ---- All pairs, through the index ---------------------------------------------------------------------------------

// The strict octree (0) and loose ones.
static const double looseness[] = {0.0, 1.1, 1.5, 2.0, 3.0};
enum { variants = sizeof looseness / sizeof *looseness };

static void ask_for(scree_index_def* def, int variant)
{
    def->method = variant == 0 ? SCREE_METHOD_OCTREE : SCREE_METHOD_LOOSE_OCTREE;
    def->loose_factor = looseness[variant];
}

static scree_index* make_index(const scree_index_def* def, scree_spheres spheres, scree_pairs* pairs)
{
    scree_index* index;
    CHECK_OK(scree_index_create(def, &index));
    CHECK_OK(scree_index_update(index, spheres));
    CHECK_OK(scree_index_validate(index));
    CHECK_OK(scree_index_pairs(index, pairs));
    return index;
}

static void check_same(scree_pairs found, scree_pairs reference, const char* where)
{
    for (int64_t p = 0; p < found.count && p < reference.count; ++p)
        if (memcmp(found.ij[p], reference.ij[p], sizeof *found.ij) != 0 ||
            (reference.shift != NULL && memcmp(found.shift[p], reference.shift[p], sizeof *found.shift) != 0))
            fail_msg("%s: row %lld is %d %d and should be %d %d (or its shift differs)", where, (long long)p,
                     found.ij[p][0], found.ij[p][1], reference.ij[p][0], reference.ij[p][1]);
    if (found.count != reference.count)
        fail_msg("%s: %lld pairs and should be %lld", where, (long long)found.count, (long long)reference.count);
}

// All variants against all-pairs; gives the number of pairs.
static int64_t check_spheres(scree_spheres spheres, const scree_box* box, double gap, const char* where)
{
    scree_index_def def = scree_default_index_def();
    def.box = *box;
    def.gap = gap;
    def.sorted = true;
    def.threads = 1;
    def.method = SCREE_METHOD_ALL_PAIRS;
    scree_pairs reference, found;
    scree_index* references = make_index(&def, spheres, &reference);
    for (int v = 0; v < variants; ++v) {
        char here[300];
        ask_for(&def, v);
        snprintf(here, sizeof here, "looseness %g: %s", looseness[v], where);
        scree_index* index = make_index(&def, spheres, &found);
        check_same(found, reference, here);
        scree_index_destroy(index);
    }
    int64_t count = reference.count;
    scree_index_destroy(references);
    return count;
}

static void check_scene(const scene* sc, const scene_params* params, double gap)
{
    scree_sphere_set set;
    char where[200];
    CHECK_OK(sc->make(params, &set));
    snprintf(where, sizeof where, "scene %s, n %d, dim %d, ratio %g, periodic %d%d%d, gap %g, seed %llu", sc->name,
             params->count, params->dim, params->ratio, params->periodic[0], params->periodic[1], params->periodic[2],
             gap, (unsigned long long)params->seed);
    check_spheres(scree_sphere_set_view(&set), &set.box, gap, where);
    scree_sphere_set_free(&set);
}

static void both_agree_with_all_pairs(void** state)
{
    (void)state;
    static const double ratios[] = {1.0, 2.0, 10.0, 50.0, 1000.0}, gaps[] = {0.0, 0.1, 1.0, -0.1, -1.5};
    static const int32_t counts[] = {0, 1, 2, 13, 60, 300};
    int64_t rounds = (int64_t)(450 * test_effort());
    scree_rng rng = scree_rng_make(1911, 0);
    for (int64_t round = 0; round < rounds; ++round) {
        const scene* sc = &scene_table[round % scene_count];
        scene_params params = scene_default_params();
        params.dim = 2 + (int32_t)(round / scene_count % 2);
        params.count = counts[scree_rng_below(&rng, 6)];
        params.ratio = ratios[scree_rng_below(&rng, 5)];
        for (int k = 0; k < params.dim; ++k)
            params.periodic[k] = scree_rng_below(&rng, 2) == 1;
        params.seed = (uint64_t)round;
        if (strcmp(sc->name, "addition") == 0) {
            params.count = 300;  // these cannot fill a box around one of ratio 50
            params.ratio = params.ratio > 10.0 ? 2.0 : params.ratio;
        }
        check_scene(sc, &params, gaps[scree_rng_below(&rng, 5)]);
    }
}

static void gaps_larger_than_the_box(void** state)
{
    (void)state;
    for (uint64_t round = 0; round < 24; ++round) {
        scene_params params = scene_default_params();
        params.dim = 2 + (int32_t)(round % 2);
        params.count = 1 + (int32_t)(round / 2);
        params.seed = round;
        params.ratio = round % 3 == 0 ? 1.0 : 3.0;
        for (int k = 0; k < params.dim; ++k)
            params.periodic[k] = (round >> k & 1) == 0;
        check_scene(&scene_table[2], &params, 7.0);  // tight
        check_scene(&scene_table[0], &params, 5.0);  // cloud
    }
}

// Some steps of small and of large moves, with the list of candidates and without.
static void spheres_that_move(void** state)
{
    (void)state;
    int64_t rounds = (int64_t)(12 * test_effort());
    for (int64_t round = 0; round < rounds; ++round) {
        scene_params params = scene_default_params();
        params.dim = 2 + (int32_t)(round % 2);
        params.count = 150;
        params.ratio = round % 3 == 0 ? 20.0 : 3.0;
        params.seed = (uint64_t)round;
        params.periodic[0] = round % 4 < 2;
        params.periodic[1] = round % 8 < 4;
        scree_sphere_set set;
        CHECK_OK(scene_make("cloud", &params, &set));
        scree_index_def def = scree_default_index_def();
        def.box = set.box;
        for (int k = 0; k < params.dim; ++k)
            if (!def.box.periodic[k]) {
                def.box.lower[k] = -INFINITY;
                def.box.upper[k] = INFINITY;
            }
        def.sorted = true;
        def.skin = round % 2 == 0 ? 0.0 : -1.0;
        scree_index *index[variants], *references;
        for (int v = 0; v < variants; ++v) {
            ask_for(&def, v);
            CHECK_OK(scree_index_create(&def, &index[v]));
        }
        def.method = SCREE_METHOD_ALL_PAIRS;
        def.loose_factor = 0.0;
        def.skin = -1.0;
        CHECK_OK(scree_index_create(&def, &references));
        scree_rng rng = scree_rng_make(7, (uint64_t)round);
        for (int step = 0; step < 12; ++step) {
            double most = step % 5 == 4 ? 3.0 : 0.02;
            for (int64_t k = 0; k < (int64_t)set.count * set.dim; ++k)
                set.x[k] += most * (scree_rng_uniform(&rng) - 0.5);
            scree_pairs reference, found;
            CHECK_OK(scree_index_update(references, scree_sphere_set_view(&set)));
            CHECK_OK(scree_index_pairs(references, &reference));
            for (int v = 0; v < variants; ++v) {
                char where[80];
                snprintf(where, sizeof where, "looseness %g, round %lld, step %d", looseness[v], (long long)round,
                         step);
                CHECK_OK(scree_index_update(index[v], scree_sphere_set_view(&set)));
                CHECK_OK(scree_index_pairs(index[v], &found));
                CHECK_OK(scree_index_validate(index[v]));
                check_same(found, reference, where);
            }
        }
        for (int v = 0; v < variants; ++v)
            scree_index_destroy(index[v]);
        scree_index_destroy(references);
        scree_sphere_set_free(&set);
    }
}

// Centres on borders of cells or in their middle, and diameters that are sides of cells, each give or take a last bit;
// everything touches something.
static void spheres_on_the_borders_of_cells(void** state)
{
    (void)state;
    enum { n = 120 };
    int64_t rounds = (int64_t)(250 * test_effort()), pairs = 0;
    scree_rng rng = scree_rng_make(5, 0);
    for (int64_t round = 0; round < rounds; ++round) {
        int dim = 2 + (int)(round % 2);
        double x[3 * n], r[n], from = round % 3 == 0 ? 0.0 : 1e3 * (scree_rng_uniform(&rng) - 0.5);
        from = round % 7 == 0 ? 1e12 : from;  // where the last bit is 1e-4
        double side = round % 7 == 0 ? 1.0 : round % 4 < 2 ? 64.0 : 10.0 + 50.0 * scree_rng_uniform(&rng);
        scree_box box = scree_box_open(dim);
        for (int k = 0; k < dim; ++k) {
            box.lower[k] = from;
            box.upper[k] = from + side;
            box.periodic[k] = (round >> k & 4) != 0;
        }
        for (int i = 0; i < n; ++i) {
            double cell = side / (double)(1 << (2 + scree_rng_below(&rng, 5)));
            r[i] = 0.5 * cell * (scree_rng_below(&rng, 4) == 0 ? 0.5 : 1.0);
            for (int k = 0; k < dim; ++k) {
                double at = from + cell * (floor(scree_rng_uniform(&rng) * side / cell) + (i % 2 == 0 ? 0.5 : 0.0));
                uint64_t how = scree_rng_below(&rng, 4);
                at = at == 0.0 ? at : how == 0 ? nextafter(at, -INFINITY) : how == 1 ? nextafter(at, INFINITY) : at;
                x[i * dim + k] = fmin(fmax(at, from), from + side);
            }
            if (scree_rng_below(&rng, 3) == 0)
                r[i] = nextafter(r[i], scree_rng_below(&rng, 2) == 0 ? 0.0 : INFINITY);
            if (round % 7 == 0)
                r[i] += 2e-4 * (scree_rng_uniform(&rng) - 0.5);
        }
        pairs += check_spheres((scree_spheres){.count = n, .dim = dim, .x = x, .r = r}, &box,
                               round % 5 == 0 ? 1e-9 : 0.0, "borders");
    }
    assert_true(pairs > 100 * rounds);
}

// Coordinates far from zero, huge and tiny ones, and sets crowded in tiny parts of their box.
static void far_tiny_and_crowded(void** state)
{
    (void)state;
    static const double scales[] = {1e12, 1e-12, 1e100, 1e-100};
    for (int t = 0; t < 12; ++t) {
        scree_sphere_set set;
        scene_params params = scene_default_params();
        params.dim = 2 + t % 2;
        params.count = 150;
        params.ratio = 10.0;
        params.seed = (uint64_t)t;
        params.periodic[0] = t < 8;
        CHECK_OK(scene_make("cloud", &params, &set));
        double scale = t < 4 ? scales[t] : t < 8 ? 1.0 : pow(10.0, -3.0 * (t - 7));
        double shift = t >= 4 && t < 8 ? pow(10.0, 9 + t - 4) : 0.0;
        for (int64_t k = 0; k < (int64_t)set.count * set.dim; ++k)
            set.x[k] = set.x[k] * scale + shift;
        for (int i = 0; i < set.count; ++i)
            set.r[i] *= scale;
        for (int k = 0; k < set.dim; ++k) {
            set.box.lower[k] = shift;
            set.box.upper[k] = set.box.upper[k] * scale + shift;
        }
        if (t >= 8) {  // a handful far away, so that the others share a corner of the root
            for (int i = 0; i < 5; ++i)
                for (int k = 0; k < set.dim; ++k)
                    set.x[i * set.dim + k] = 1.0 + 0.1 * i;
            set.box = scree_box_open(set.dim);
        }
        assert_true(check_spheres(scree_sphere_set_view(&set), &set.box, 0.0, "far, tiny or crowded") > 50);
        scree_sphere_set_free(&set);
    }
}

static void touching_to_the_last_bit(void** state)
{
    (void)state;
    scree_rng rng = scree_rng_make(78, 0);
    for (int round = 0; round < 100; ++round) {
        enum { n = 64 };
        double x[3 * n], r[n], at = round % 2 == 0 ? 0.0 : 1e6 * scree_rng_uniform(&rng);
        scree_box box = scree_box_open(3);
        for (int i = 0; i < n; ++i) {
            r[i] = pow(10.0, -2.0 * scree_rng_uniform(&rng));
            if (i > 0) {
                double next = at + (r[i - 1] + r[i]);
                at = scree_rng_below(&rng, 3) == 0 ? nextafter(next, 0.0) : next;
            }
            for (int k = 0; k < 3; ++k)
                x[3 * i + k] = k == round % 3 ? at : 0.0;
        }
        check_spheres((scree_spheres){.count = n, .dim = 3, .x = x, .r = r}, &box, 0.0, "touching to the last bit");
    }
}

// Large spheres on corners of cells that just fill the outer cube, and on their poles tiny ones that touch by less than
// single precision could tell.
static void tiny_spheres_on_the_poles_of_large_ones(void** state)
{
    (void)state;
    int64_t rounds = (int64_t)(300 * test_effort());
    scree_rng rng = scree_rng_make(17, 0);
    for (int64_t round = 0; round < rounds; ++round) {
        enum { n = 40 };
        int dim = 2 + (int)(round % 2);
        double k = looseness[1 + round % (variants - 1)], cell = ldexp(1.0, -1 - (int)(round / 2 % 3));
        double x[3 * n] = {0.0}, r[n];
        for (int i = 0; i < n; ++i) {
            r[i] = i < n / 2 ? (0.5 * k - 0.5) * cell : pow(10.0, -9.0 + scree_rng_uniform(&rng));
            for (int e = 0; e < dim; ++e)
                x[i * dim + e] = i < n / 2 ? fmin(cell * ceil(scree_rng_uniform(&rng) / cell), 1.0 - cell)
                                           : x[(i - n / 2) * dim + e];
            if (i < n / 2)
                continue;
            x[i * dim + (int)scree_rng_below(&rng, (uint64_t)dim)] +=
                (scree_rng_below(&rng, 2) == 0 ? 1.0 : -1.0) * ((r[i - n / 2] + r[i]) - 1e-11);
        }
        scree_box box = scree_box_sized(dim, (double[]){1.0, 1.0, 1.0});
        for (int e = 0; e < dim; ++e)
            box.periodic[e] = true;  // so that the root is the unit cube
        assert_true(check_spheres((scree_spheres){.count = n, .dim = dim, .x = x, .r = r}, &box, 0.0, "poles") >=
                    n / 2);
    }
}

// Two spheres in two halves of the root, not cut by its mid plane: a walk down the own branch would not find the pair.
static void pairs_across_the_mid_plane(void** state)
{
    (void)state;
    double x[] = {0.0, 0.0, 4.0, 0.0, 6.0, 0.0, 10.0, 10.0}, r[] = {0.5, 0.5, 0.5, 0.5};
    scree_box box = scree_box_open(2);
    scree_spheres spheres = {.count = 4, .dim = 2, .x = x, .r = r};
    assert_int_equal(check_spheres(spheres, &box, 0.99, "gap below"), 0);
    assert_int_equal(check_spheres(spheres, &box, 1.01, "gap above"), 1);
}

static void threads_change_neither_pairs_nor_counters(void** state)
{
    (void)state;
    scene_params params = scene_default_params();
    params.count = 40000;
    params.ratio = 50.0;
    params.periodic[0] = params.periodic[1] = true;
    scree_sphere_set set;
    CHECK_OK(scene_make("cloud", &params, &set));
    for (int v = 0; v < variants; v += 3) {
        scree_index_def def = scree_default_index_def();
        def.box = set.box;
        ask_for(&def, v);
        scree_pairs first, found;
        def.threads = 1;
        scree_index* one = make_index(&def, scree_sphere_set_view(&set), &first);
        scree_index_stats wanted = scree_index_get_stats(one);
        for (int t = 0; t < 2; ++t) {
            def.threads = t == 0 ? 2 : 7;
            scree_index* index = make_index(&def, scree_sphere_set_view(&set), &found);
            scree_index_stats stats = scree_index_get_stats(index);
            check_same(found, first, "threads");  // not sorted: the order too must be the same
            assert_int_equal(stats.tests, wanted.tests);
            assert_int_equal(stats.cells, wanted.cells);
            assert_int_equal(stats.levels, wanted.levels);
            assert_int_equal(stats.bytes, wanted.bytes);
            scree_index_destroy(index);
        }
        scree_index_destroy(one);
    }
    scree_sphere_set_free(&set);
}

// A branch that lies wholly within reach is taken without a test.
static void certain_pairs_are_not_tested(void** state)
{
    (void)state;
    enum { n = 1000 };
    scene_params params = scene_default_params();
    params.count = n;
    params.ratio = 5.0;
    scree_sphere_set set;
    CHECK_OK(scene_make("cloud", &params, &set));
    scree_index_def def = scree_default_index_def();
    def.gap = 1000.0;
    for (int v = 0; v < variants; ++v) {
        scree_pairs pairs;
        ask_for(&def, v);
        scree_index* index = make_index(&def, scree_sphere_set_view(&set), &pairs);
        scree_index_stats stats = scree_index_get_stats(index);
        assert_int_equal(pairs.count, n * (n - 1) / 2);
        assert_true(stats.tests < pairs.count / 10 || looseness[v] < 1.2);  // there many live in the root
        scree_index_destroy(index);
    }
    scree_sphere_set_free(&set);
}

static void memory_stays_linear(void** state)
{
    (void)state;
    static const char* const names[] = {"points", "heaps", "corner", "clusters", "sparse"};
    for (int s = 0; s < 5; ++s)
        for (int v = 0; v < variants; v += 3) {
            scene_params params = scene_default_params();
            params.count = 20000;
            params.ratio = 1000.0;
            scree_sphere_set set;
            CHECK_OK(scene_make(names[s], &params, &set));
            scree_index_def def = scree_default_index_def();
            ask_for(&def, v);
            scree_index* index;
            CHECK_OK(scree_index_create(&def, &index));
            CHECK_OK(scree_index_update(index, scree_sphere_set_view(&set)));
            CHECK_OK(scree_index_validate(index));
            assert_true((double)scree_index_get_stats(index).bytes < 4e5 + 220.0 * params.count);
            scree_index_destroy(index);
            scree_sphere_set_free(&set);
        }
}

static void an_invalid_looseness_is_refused(void** state)
{
    (void)state;
    scree_index* index = NULL;
    scree_index_def def = scree_default_index_def();
    static const double wrong[] = {1.0, 0.5, -2.0, NAN, INFINITY, 1e7};
    def.method = SCREE_METHOD_LOOSE_OCTREE;
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; ++k) {
        def.loose_factor = wrong[k];
        CHECK_FAILS(scree_index_create(&def, &index), SCREE_ERR_ARGUMENT, "loose_factor");
    }
    def.loose_factor = 1.5;
    def.method = SCREE_METHOD_OCTREE;
    CHECK_FAILS(scree_index_create(&def, &index), SCREE_ERR_ARGUMENT, "loose_factor", "loose-octree");
    assert_null(index);
}

// ---- Where spheres live -------------------------------------------------------------------------------------------

static void levels_in_closed_form(void** state)
{
    (void)state;
    static const double zero[3] = {0.0, 0.0, 0.0};
    for (int t = 0; t < 4; ++t) {
        double side = t == 0 ? 64.0 : t == 1 ? 65.0 : t == 2 ? 0.1 : 32.0, k = t == 2 ? 1.5 : t == 3 ? 3.0 : 2.0;
        nodes_root root = nodes_root_at(3, k, zero, side);
        for (int level = 0; level < nodes_depth; ++level) {
            // On a corner of cells nothing fits one level deeper. d = (k - 1) s_l exactly lives at l, a little more at
            // l - 1 (where sums of lengths are exact: one bit more).
            double d = (k - 1.0) * ldexp(side, -level), xr[4] = {0.5 * side, 0.25 * side, 0.5 * side, 0.5 * d};
            assert_int_equal(nodes_place_of(&root, xr).level, level);
            xr[3] = nextafter(0.5 * d, 0.0);
            assert_int_equal(nodes_place_of(&root, xr).level, level);
            xr[3] = t == 3 ? nextafter(0.5 * d, INFINITY) : 0.5 * d + 1e-15 * side;
            assert_int_equal(nodes_place_of(&root, xr).level, level > 0 ? level - 1 : 0);
        }
        double point[4] = {0.3 * side, 0.3 * side, 0.3 * side, 0.0}, all[4] = {0.3 * side, 0.3 * side, 0.3 * side, 1e9};
        assert_int_equal(nodes_place_of(&root, point).level, nodes_depth);
        assert_int_equal(nodes_place_of(&root, all).level, 0);
    }
    // One level deeper, in the middle of a cell: up to d = k s_(l + 1).
    nodes_root root = nodes_root_at(2, 2.0, zero, 16.0);
    assert_int_equal(nodes_place_of(&root, (double[]){0.5, 0.5, 0.0, 1.0}).level, 4);
    assert_int_equal(nodes_place_of(&root, (double[]){0.75, 0.5, 0.0, 0.75}).level, 4);
    assert_int_equal(nodes_place_of(&root, (double[]){0.75, 0.5, 0.0, 0.76}).level, 3);
    // Strict: as deep as no mid plane cuts; faces of the root do not cut.
    root = nodes_root_at(2, 1.0, zero, 16.0);
    assert_int_equal(nodes_place_of(&root, (double[]){8.0, 3.0, 0.0, 0.001}).level, 0);
    assert_int_equal(nodes_place_of(&root, (double[]){0.5, 0.5, 0.0, 0.499}).level, 4);
    assert_int_equal(nodes_place_of(&root, (double[]){0.1, 15.9, 0.0, 0.5}).level, 4);
    assert_int_equal(nodes_place_of(&root, (double[]){5.0, 5.0, 0.0, 0.0}).level, nodes_depth);
}

// The sample of the paper in a box of 65: the smallest, 1.00002, lives on level 6, or 7 where it lies well.
static void levels_of_the_fuller_sample(void** state)
{
    (void)state;
    enum { n = 10000 };
    double side = 65.0, r_min = INFINITY;
    double* r = malloc(n * sizeof *r);
    double(*xr)[4] = calloc(n, sizeof *xr);
    scree_sizes* sizes;
    CHECK_OK(scree_sizes_parse("fuller:1:684.75:0.5:70", 3, &sizes));
    CHECK_OK(scree_sizes_draw(sizes, SCREE_SAMPLING_SYSTEMATIC, 1, n, r));
    scree_index_def def = scree_default_index_def();
    items it = {.n = n,
                .dim = 3,
                .xr = (const double(*)[4])xr,
                .def = &def,
                .threads = 1,
                .periodic = {true, true, true},
                .length = {side, side, side}};
    scree_rng rng = scree_rng_make(1, 0);
    int32_t smallest = 0;
    for (int32_t i = 0; i < n; ++i) {
        for (int k = 0; k < 3; ++k)
            xr[i][k] = side * scree_rng_uniform(&rng);
        xr[i][3] = r[i];
        smallest = r[i] < r_min ? i : smallest;
        r_min = fmin(r_min, r[i]);
        it.r_max = fmax(it.r_max, r[i]);
    }
    CHECK_CLOSE(2.0 * r_min, 1.00002, 1e-5);
    it.r_min = r_min;
    for (int lies_well = 0; lies_well < 2; ++lies_well) {
        nodes_method* m = loose_octree_method.create();
        for (int k = 0; k < 3; ++k)
            xr[smallest][k] = side / 128.0 * (lies_well ? 31.5 : 32.0);
        CHECK_OK(loose_octree_method.prepare(m, &it));
        CHECK_OK(loose_octree_method.build(m, &it));
        CHECK_OK(loose_octree_method.open(m, &it));
        nodes_root root = nodes_root_of(&it, 2.0);
        assert_int_equal(nodes_place_of(&root, xr[smallest]).level, lies_well ? 7 : 6);
        for (int level = 8; level <= nodes_depth; ++level)
            assert_int_equal(m->sorted.on_level[level] + m->linked.on_level[level], 0);
        assert_true(!lies_well || m->sorted.on_level[7] > 0);
        assert_memory_equal(m->sorted.on_level, m->linked.on_level, sizeof m->sorted.on_level);
        assert_int_equal(m->sorted.on_level[0] + m->sorted.on_level[1] > 0, true);  // the largest, 52.7
        CHECK_OK(loose_octree_method.check(m));
        loose_octree_method.destroy(m);
    }
    scree_sizes_destroy(sizes);
    free(r);
    free(xr);
}

// ---- One by one ---------------------------------------------------------------------------------------------------

enum { most = 260 };

// What the index would hold.
typedef struct world {
    items it;
    scree_index_def def;
    scree_box box;
    double xr[most][4];
    bool in[most];
    const method_table* table;
    void* self;
    scree_rng rng;
} world;

static void check_world(const world* w, const double xr[4], int32_t own, const char* where)
{
    check_near(w->table, w->self, &w->it, most, w->in, xr, own, where);
}

static void random_place(world* w, double reach, double x[3])
{
    for (int k = 0; k < w->it.dim; ++k) {
        double at = reach * (scree_rng_uniform(&w->rng) - 0.5) + 5.0;
        if (scree_rng_below(&w->rng, 4) == 0)
            at = floor(at * 1.6) / 1.6;  // borders of cells
        x[k] = w->it.periodic[k] ? scree_box_wrap(&w->box, k, at, NULL) : at;
    }
}

static world* make_world(uint64_t round)
{
    world* w = calloc(1, sizeof *w);
    w->rng = scree_rng_make(31, round);
    w->def = scree_default_index_def();
    int v = (int)(round % variants);
    w->table = v == 0 ? &octree_method : &loose_octree_method;
    w->def.loose_factor = looseness[v];
    w->it = (items){
        .dim = 2 + (int32_t)(round / variants % 2), .xr = (const double(*)[4])w->xr, .def = &w->def, .threads = 1};
    w->it.gap = (double[]){0.0, 0.3, -0.05, 0.0, 6.0}[scree_rng_below(&w->rng, 5)];
    w->box = scree_box_open(w->it.dim);
    w->it.r_min = INFINITY;
    for (int k = 0; k < w->it.dim; ++k) {
        w->it.periodic[k] = w->box.periodic[k] = scree_rng_below(&w->rng, 2) == 0;
        w->box.lower[k] = 0.0;
        w->box.upper[k] = 10.0;
        w->it.length[k] = w->it.periodic[k] ? 10.0 : 0.0;
    }
    w->self = w->table->create();
    return w;
}

static void end_world(world* w)
{
    w->table->destroy(w->self);
    free(w);
}

// A new sphere; some are points, some as large as the box, some stand where another stands.
static void put_sphere(world* w, int32_t i, double reach)
{
    random_place(w, reach, w->xr[i]);
    uint64_t how = scree_rng_below(&w->rng, 12);
    w->xr[i][3] = how == 0   ? 0.0
                  : how == 1 ? 4.9 * scree_rng_uniform(&w->rng)
                             : 0.6 * pow(10.0, -2.0 * scree_rng_uniform(&w->rng));
    if (how == 2 && w->in[(i + 1) % most])
        memcpy(w->xr[i], w->xr[(i + 1) % most], 3 * sizeof(double));
    if (how == 3)
        w->xr[i][3] = 0.3125;
    w->it.r_max = fmax(w->it.r_max, w->xr[i][3]);
    w->it.r_min = fmin(w->it.r_min, w->xr[i][3]);
    w->it.n = i + 1 > w->it.n ? i + 1 : w->it.n;
    w->in[i] = true;
}

static void open_world(world* w, int32_t n)
{
    for (int32_t i = 0; i < n; ++i)
        put_sphere(w, i, 10.0);
    for (int k = 0; k < w->it.dim; ++k)
        if (!w->it.periodic[k]) {
            double low = INFINITY, high = -INFINITY;
            for (int32_t i = 0; i < n; ++i) {
                low = fmin(low, w->xr[i][k]);
                high = fmax(high, w->xr[i][k]);
            }
            w->it.lower[k] = n > 0 ? low : 0.0;
            w->it.length[k] = n > 0 ? high - low : 0.0;
        }
    CHECK_OK(w->table->open(w->self, &w->it));
    CHECK_OK(w->table->check(w->self));
}

static void step_world(world* w, const char* where)
{
    int32_t i = (int32_t)scree_rng_below(&w->rng, most);
    uint64_t how = scree_rng_below(&w->rng, 10);
    double from[4];
    memcpy(from, w->xr[i], sizeof from);
    if (!w->in[i]) {
        put_sphere(w, i, how == 0 ? 100.0 : 10.0);
        CHECK_OK(w->table->insert(w->self, i));
    } else if (how == 0) {
        w->table->remove(w->self, i);
        w->in[i] = false;
    } else {
        double reach = how == 1 ? 12.0 : how == 2 ? 40.0 : 0.02 * pow(10.0, 2.0 * scree_rng_uniform(&w->rng));
        if (how <= 2)
            random_place(w, reach, w->xr[i]);
        for (int k = 0; k < w->it.dim && how > 2; ++k) {
            double at = from[k] + reach * (scree_rng_uniform(&w->rng) - 0.5);
            w->xr[i][k] = w->it.periodic[k] ? scree_box_wrap(&w->box, k, at, NULL) : at;
        }
        CHECK_OK(w->table->move(w->self, i, from));
        if (how == 3) {  // and back
            double back[4];
            check_world(w, w->xr[i], i, where);
            memcpy(back, w->xr[i], sizeof back);
            memcpy(w->xr[i], from, sizeof from);
            CHECK_OK(w->table->move(w->self, i, back));
        }
    }
    if (w->in[i])
        check_world(w, w->xr[i], i, where);
}

static void ask_anywhere(world* w, const char* where)
{
    double xr[4] = {0.0, 0.0, 0.0, 0.0};
    random_place(w, 14.0, xr);
    check_world(w, xr, -1, where);
    xr[3] = 6.0 * scree_rng_uniform(&w->rng);
    check_world(w, xr, -1, where);
    random_place(w, 80.0, xr);
    xr[3] = 25.0 * scree_rng_uniform(&w->rng);
    check_world(w, xr, -1, where);
}

// The table leads to the deepest inner node above where a sphere would live, as a descent from the root does.
static void check_paths(world* w, const char* where)
{
    const nodes_method* m = w->self;
    const linked_nodes* l = &m->linked;
    for (int t = 0; t < 12; ++t) {
        double xr[4] = {0.0, 0.0, 0.0, pow(10.0, -9.0 * scree_rng_uniform(&w->rng))};
        random_place(w, 10.0, xr);
        nodes_place at = nodes_place_of(&l->root, xr);
        int32_t deepest = 0, next = 0;
        int64_t touched = 0;
        while (next >= 0) {
            const linked_node* node = &l->nodes[next];
            if (node->level >= at.level || nodes_common(node->cell, at.cell, node->level) < node->level || node->children == 0)
                break;
            deepest = next;
            int octant = nodes_octant(at.cell, node->level + 1);
            next = (node->children >> octant & 1) != 0 ? node->child[octant] : -1;
        }
        int32_t found = table_find(l, &at, 0, at.level - 1, &touched);
        if (found != deepest)
            fail_msg("%s: a place of level %d: the table leads to node %d of level %d, a descent to node %d of level %d", where, at.level, found,
                     l->nodes[found].level, deepest, l->nodes[deepest].level);
    }
}

static void one_by_one(void** state)
{
    (void)state;
    int64_t rounds = (int64_t)(60 * test_effort());
    for (int64_t round = 0; round < rounds; ++round) {
        world* w = make_world((uint64_t)round);
        char where[160];
        snprintf(where, sizeof where, "round %lld: looseness %g, dim %d, periodic %d%d%d, gap %g", (long long)round,
                 w->def.loose_factor, w->it.dim, w->it.periodic[0], w->it.periodic[1], w->it.periodic[2], w->it.gap);
        open_world(w, (int32_t[]){0, 1, 40, 200}[round % 4]);
        for (int step = 0; step < 400; ++step) {
            step_world(w, where);
            if (step % 40 == 0) {
                ask_anywhere(w, where);
                check_paths(w, where);
                CHECK_OK(w->table->check(w->self));
            }
        }
        CHECK_OK(w->table->check(w->self));
        for (int32_t i = 0; i < most; ++i)
            if (w->in[i]) {
                w->table->remove(w->self, i);
                w->in[i] = false;
            }
        CHECK_OK(w->table->check(w->self));
        const nodes_method* m = w->self;
        assert_int_equal(m->linked.count, 0);
        assert_int_equal(m->linked.node_count - m->linked.free_count, 1);
        assert_int_equal(w->table->levels(w->self), 0);
        ask_anywhere(w, where);
        end_world(w);
    }
}

// From empty space on, at scales far from 1: the root finds its size, and spheres live on several levels.
static void a_tree_that_begins_empty(void** state)
{
    (void)state;
    for (int t = 0; t < 4; ++t) {
        world* w = make_world((uint64_t)t);
        double scale = (double[]){1e-12, 1e12, 1e-100, 1.0}[t];
        memset(w->it.periodic, 0, sizeof w->it.periodic);
        w->it.gap = 0.0;
        for (int k = 0; k < 3; ++k)
            w->it.lower[k] = w->it.length[k] = 0.0;
        CHECK_OK(w->table->open(w->self, &w->it));
        for (int32_t i = 0; i < 200; ++i) {
            put_sphere(w, i, 10.0);
            for (int k = 0; k < 4; ++k)
                w->xr[i][k] *= scale;
            w->it.r_max = fmax(w->it.r_max, w->xr[i][3]);
            CHECK_OK(w->table->insert(w->self, i));
            check_world(w, w->xr[i], i, "begins empty");
        }
        CHECK_OK(w->table->check(w->self));
        assert_true(w->table->levels(w->self) >= 4);
        end_world(w);
    }
}

// A move inside a node leaves the tree as it is.
static void a_move_within_a_node_costs_nothing(void** state)
{
    (void)state;
    world* w = make_world(3);
    open_world(w, 200);
    nodes_method* m = w->self;
    int32_t node = m->linked.spheres[7].node, nodes = m->linked.node_count;
    double from[4];
    memcpy(from, w->xr[7], sizeof from);
    w->xr[7][0] += 1e-12;
    CHECK_OK(w->table->move(w->self, 7, from));
    assert_int_equal(m->linked.spheres[7].node, node);
    assert_int_equal(m->linked.node_count, nodes);
    CHECK_OK(w->table->check(w->self));
    end_world(w);
}

// ---- What changes cost ----------------------------------------------------------------------------------------------

// Spheres of all levels down to `depth`, as many of each, all of them in one corner of the unit cube: on the path there every level has a node. Or spheres
// of that depth alone, far from each other, which leave out most levels.
static void make_deep(int depth, bool crowded, int32_t n, scree_rng* rng, double (*x)[3], double* r)
{
    for (int32_t i = 0; i < n; ++i) {
        int level = crowded ? i % depth + 1 : depth;
        double side = ldexp(1.0, -level);
        r[i] = 0.45 * side;
        for (int k = 0; k < 3; ++k)
            x[i][k] = fmod((crowded ? 4.0 * side : 1.0) * scree_rng_uniform(rng), 1.0);
    }
}

typedef struct change_cost {
    double mean[3];  // nodes for an insertion, a move into another node, and a removal
    int64_t most;    // for any of them
} change_cost;

static int64_t cells_of(const scree_index* index, int64_t* before)
{
    int64_t now = scree_index_get_stats(index).change_cells, cost = now - *before;
    *before = now;
    return cost;
}

// In an index that holds half of the spheres, puts the others in, moves them, and takes them out.
static change_cost cost_of_changes(int variant, int depth, bool crowded)
{
    static double x[2000][3], r[2000];
    const int32_t n = crowded ? 100 * depth : 1000;
    scree_rng rng = scree_rng_make(20, (uint64_t)depth);
    make_deep(depth, crowded, n, &rng, x, r);
    scree_index_def def = scree_default_index_def();
    ask_for(&def, variant);
    def.skin = -1.0;
    def.sorted = true;
    def.box = scree_box_sized(3, (double[]){1.0, 1.0, 1.0});
    for (int k = 0; k < 3; ++k)
        def.box.periodic[k] = true;  // so that the root is the unit cube
    scree_index* index;
    scree_neighbours near;
    CHECK_OK(scree_index_create(&def, &index));
    CHECK_OK(scree_index_update(index, (scree_spheres){.count = n / 2, .dim = 3, .x = x[0], .r = r}));
    CHECK_OK(scree_index_neighbours(index, 0, &near));
    assert_int_equal(scree_index_get_stats(index).changes, 0);  // the structure was made, not changed
    change_cost cost = {.most = 0};
    int64_t sum[3] = {0, 0, 0}, before = 0, found = 0;
    for (int32_t i = n / 2; i < n; ++i) {
        CHECK_OK(scree_index_insert(index, x[i], r[i], NULL));
        int64_t here = cells_of(index, &before);
        sum[0] += here;
        cost.most = here > cost.most ? here : cost.most;
    }
    for (int32_t i = n / 2; i < n; ++i) {
        double to[3];
        for (int k = 0; k < 3; ++k)  // as far as its cell is wide, on all axes
            to[k] = x[i][k] < 0.5 ? x[i][k] + 2.3 * r[i] : x[i][k] - 2.3 * r[i];
        CHECK_OK(scree_index_move(index, i, to));
        int64_t here = cells_of(index, &before);
        sum[1] += here;
        cost.most = here > cost.most ? here : cost.most;
        CHECK_OK(scree_index_neighbours(index, i, &near));
        found += near.count;
    }
    CHECK_OK(scree_index_validate(index));
    assert_true(!crowded || found > n);
    assert_true((double)scree_index_get_stats(index).bytes < 1e5 + 500.0 * n);
    assert_int_equal(scree_index_get_stats(index).changes, n);
    for (int32_t i = n - 1; i >= n / 2; --i) {
        CHECK_OK(scree_index_remove(index, i));
        int64_t here = cells_of(index, &before);
        sum[2] += here;
        cost.most = here > cost.most ? here : cost.most;
    }
    CHECK_OK(scree_index_validate(index));
    scree_index_destroy(index);
    for (int k = 0; k < 3; ++k)
        cost.mean[k] = (double)sum[k] / (n / 2);
    return cost;
}

// Nodes touched by a change have a bound and do not become more with the depth of the tree.
static void changes_do_not_depend_on_the_depth(void** state)
{
    (void)state;
    for (int v = 0; v < variants; v += 3)
        for (int crowded = 0; crowded < 2; ++crowded) {
            change_cost shallow = {.most = 0};
            for (int depth = 3; depth <= 20; ++depth) {
                change_cost cost = cost_of_changes(v, depth, crowded == 1);
                for (int k = 0; k < 3; ++k)
                    shallow.mean[k] = depth <= 6 ? fmax(shallow.mean[k], cost.mean[k]) : shallow.mean[k];
                for (int k = 0; k < 3; ++k)
                    if (cost.mean[k] > (crowded == 1 ? 1.4 * shallow.mean[k] + 0.3 : 30.0) || cost.most > 45)
                        fail_msg("looseness %g, %s, depth %d: %g, %g, %g nodes for an insertion, a move and a removal, at most %lld", looseness[v],
                                 crowded == 1 ? "crowded" : "far apart", depth, cost.mean[0], cost.mean[1], cost.mean[2], (long long)cost.most);
            }
        }
}

// By hand: what each change looks at.
static void nodes_that_single_changes_touch(void** state)
{
    (void)state;
    scree_index_def def = scree_default_index_def();
    def.method = SCREE_METHOD_LOOSE_OCTREE;
    def.skin = -1.0;
    def.box = scree_box_sized(2, (double[]){64.0, 64.0});
    def.box.periodic[0] = def.box.periodic[1] = true;
    scree_index* index;
    scree_neighbours near;
    int64_t before = 0;
    CHECK_OK(scree_index_create(&def, &index));
    double x[] = {17.0, 33.0, 16.0, 32.0}, r[] = {0.4, 0.4};  // two leaves of level 6, in one node of level 5
    CHECK_OK(scree_index_update(index, (scree_spheres){.count = 2, .dim = 2, .x = x, .r = r}));
    CHECK_OK(scree_index_neighbours(index, 0, &near));
    CHECK_OK(scree_index_insert(index, x, 0.4, NULL));
    assert_int_equal(cells_of(index, &before), 3);  // the table leads to the parent, a link to the leaf, and the leaf changes
    CHECK_OK(scree_index_move(index, 2, (double[]){17.01, 33.01}));
    assert_int_equal(cells_of(index, &before), 1);  // it still lives there
    CHECK_OK(scree_index_move(index, 2, (double[]){16.01, 32.01}));
    assert_int_equal(cells_of(index, &before), 5);  // its leaf, the parent, the other leaf; and both leaves change
    CHECK_OK(scree_index_remove(index, 2));
    assert_int_equal(cells_of(index, &before), 1);  // another lives there too
    assert_int_equal(scree_index_get_stats(index).changes, 4);
    CHECK_OK(scree_index_update(index, (scree_spheres){.count = 2, .dim = 2, .x = x, .r = r}));
    assert_int_equal(scree_index_get_stats(index).changes, 0);
    assert_int_equal(scree_index_get_stats(index).change_cells, 0);
    scree_index_destroy(index);
}

static void each_allocation_may_fail(void** state)
{
    (void)state;
    for (uint64_t round = 0; round < variants; ++round) {
        world* w = make_world(round);
        EACH_ALLOCATION_FAILS(w->table->open(w->self, &w->it), (void)0);
        for (int32_t i = 0; i < 120; ++i) {
            put_sphere(w, i, 12.0);
            w->in[i] = false;
            EACH_ALLOCATION_FAILS(w->table->insert(w->self, i), {
                CHECK_OK(w->table->check(w->self));
                check_world(w, w->xr[i], -1, "after a failed insert");
            });
            w->in[i] = true;
        }
        CHECK_OK(w->table->check(w->self));
        check_world(w, w->xr[0], 0, "all in");
        // A tree of more spheres than there was room for, opened again.
        for (int32_t i = 120; i < most; ++i)
            put_sphere(w, i, 10.0);
        EACH_ALLOCATION_FAILS(w->table->open(w->self, &w->it), CHECK_OK(w->table->check(w->self)));
        CHECK_OK(w->table->check(w->self));
        check_world(w, w->xr[0], 0, "opened again");
        // And the sorted form beside it.
        EACH_ALLOCATION_FAILS(w->table->prepare(w->self, &w->it), (void)0);
        EACH_ALLOCATION_FAILS(w->table->build(w->self, &w->it), (void)0);
        CHECK_OK(w->table->validate(w->self));
        assert_true(w->table->bytes(w->self) > most * sizeof *w->xr);
        end_world(w);
    }
}

static const test_case cases[] = {
    PROPERTY(both_agree_with_all_pairs),
    UNIT(gaps_larger_than_the_box),
    PROPERTY(spheres_that_move),
    PROPERTY(spheres_on_the_borders_of_cells),
    UNIT(far_tiny_and_crowded),
    UNIT(touching_to_the_last_bit),
    PROPERTY(tiny_spheres_on_the_poles_of_large_ones),
    UNIT(pairs_across_the_mid_plane),
    THREADS(threads_change_neither_pairs_nor_counters),
    UNIT(certain_pairs_are_not_tested),
    UNIT(memory_stays_linear),
    UNIT(an_invalid_looseness_is_refused),
    UNIT(levels_in_closed_form),
    UNIT(levels_of_the_fuller_sample),
    PROPERTY(one_by_one),
    UNIT(a_tree_that_begins_empty),
    UNIT(a_move_within_a_node_costs_nothing),
    PROPERTY(changes_do_not_depend_on_the_depth),
    UNIT(nodes_that_single_changes_touch),
    ALLOCATION(each_allocation_may_fail),
};

const test_group group_octree = {.name = "octree", .cases = cases, .count = sizeof cases / sizeof *cases};
