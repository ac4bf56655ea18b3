// list: an index that follows moving spheres by its list gives, after every move, the pairs of a new search; rebuilds
// the list when a pair could be missed and not before; and stays valid when memory runs out.
#include "support.h"

#include "base/wide.h"
#include "index/index_inner.h"
#include "scenes.h"

// ---- Helpers -------------------------------------------------------------------------------------------------------

static int compare_keys(const void* a, const void* b)
{
    return memcmp(a, b, 11);
}

// Pairs as keys that can be compared and sorted: i, j, shift, leading bytes first.
static unsigned char (*keys_of(scree_pairs pairs))[11]
{
    unsigned char(*keys)[11] = malloc((size_t)(pairs.count + 1) * 11);
    for (int64_t p = 0; p < pairs.count; ++p) {
        for (int e = 0; e < 2; ++e)
            for (int b = 0; b < 4; ++b)
                keys[p][4 * e + b] = (unsigned char)((uint32_t)pairs.ij[p][e] >> (24 - 8 * b));
        for (int k = 0; k < 3; ++k)
            keys[p][8 + k] = (unsigned char)(pairs.shift != NULL ? pairs.shift[p][k] + 128 : 0);
    }
    return keys;
}

// The index's pairs are those of all-pairs at the same spheres.
static int64_t check_pairs(scree_index* index, const scree_index_def* def, scree_spheres spheres, const char* where)
{
    scree_index_def plain = *def;
    plain.method = SCREE_METHOD_ALL_PAIRS;
    plain.sorted = true;
    plain.skin = -1.0;
    plain.watch = (scree_watch){.tick = NULL};
    scree_index* reference;
    scree_pairs found, wanted;
    CHECK_OK(scree_index_create(&plain, &reference));
    CHECK_OK(scree_index_update(reference, spheres));
    CHECK_OK(scree_index_pairs(reference, &wanted));
    CHECK_OK(scree_index_pairs(index, &found));
    CHECK_OK(scree_index_validate(index));
    unsigned char(*a)[11] = keys_of(found);
    unsigned char(*b)[11] = keys_of(wanted);
    if (!def->sorted)
        qsort(a, (size_t)found.count, 11, compare_keys);
    int64_t count = found.count;
    if (count != wanted.count || memcmp(a, b, 11 * (size_t)count) != 0)
        fail_msg("%s: %lld pairs, and there are %lld", where, (long long)count, (long long)wanted.count);
    free(a);
    free(b);
    scree_index_destroy(reference);
    return count;
}

// Every pair is among the candidates of the list that is held, seen from the centres as given when the list was made.
static void check_candidates(const scree_index* index, scree_pairs pairs, const char* where)
{
    const pair_output* found = &index->list.found;
    int64_t c = 0;
    for (int64_t p = 0; p < pairs.count; ++p) {  // both by (i, j, shift)
        while (c < found->count && (memcmp(found->ij[c], pairs.ij[p], sizeof *found->ij) != 0 ||
                                    (pairs.shift != NULL && memcmp(found->shift[c], pairs.shift[p], 3) != 0)))
            ++c;
        if (c == found->count)
            fail_msg("%s: pair %d %d is not among the candidates", where, pairs.ij[p][0], pairs.ij[p][1]);
    }
}

// Inside walls; anywhere on periodic axes, unless `wrapped` or too far away. Whether some were wrapped.
static bool put_back(scree_sphere_set* set, bool wrapped)
{
    bool any = false;
    for (int64_t i = 0; i < set->count; ++i)
        for (int k = 0; k < set->dim; ++k) {
            double* x = &set->x[i * set->dim + k];
            if (set->box.periodic[k]) {
                double turns, inside = scree_box_wrap(&set->box, k, *x, &turns);
                bool wrap = turns != 0.0 && (wrapped || fabs(turns) > 20.0);
                *x = wrap ? inside : *x;
                any = any || wrap;
            } else {
                *x = fmin(fmax(*x, set->box.lower[k]), set->box.upper[k]);
            }
        }
    return any;
}

static double largest(const double* x, int64_t n)
{
    double most = 0.0;
    for (int64_t i = 0; i < n; ++i)
        most = fmax(most, x[i]);
    return most;
}

// ---- Many walks ----------------------------------------------------------------------------------------------------

// One step of the walk: mostly small moves, now and then something else.
static void move(scree_sphere_set* set, scree_rng* rng, double size, int kind, int step)
{
    int64_t numbers = (int64_t)set->count * set->dim;
    for (int64_t k = 0; k < numbers; ++k) {
        double way = size * (2.0 * scree_rng_uniform(rng) - 1.0);
        if (kind == 1)
            way = step % 2 == 0 ? size : -size;  // back and forth
        if (kind == 2)
            way = size * (k % set->dim == 0 ? 1.0 : 0.3);  // all one way, through faces
        if (kind == 3)
            way = k < set->dim ? 30.0 * size : 0.01 * way;  // one far faster than the rest
        if (kind == 4 && step % 7 == 6)
            way *= 200.0;  // a jump
        if (kind == 5)
            way = 0.0;
        set->x[k] += way;
    }
    if (kind == 6 && step % 5 == 4)
        for (int64_t i = 0; i < set->count; ++i)
            set->r[i] *= step % 10 == 4 ? 0.7 : 1.0 / 0.7 - 1e-3;  // back to almost what they were
    if (kind == 7 && step % 6 == 5 && set->count > 1)
        --set->count;
}

static void walk(const scene* sc, scene_params params, double gap, double skin, double size, int kind, bool wrapped, int steps)
{
    scree_sphere_set set;
    CHECK_OK(sc->make(&params, &set));
    scree_index_def def = scree_default_index_def();
    scree_rng rng = scree_rng_make(params.seed, 1);
    def.box = set.box;
    def.gap = gap;
    def.threads = 1;
    def.sorted = params.seed % 2 == 0;
    def.method = params.seed % 3 == 0 ? SCREE_METHOD_AUTO : params.seed % 3 == 1 ? SCREE_METHOD_LINKED_CELLS : SCREE_METHOD_HIERARCHICAL_GRID;
    def.skin = skin;
    scree_index* index;
    CHECK_OK(scree_index_create(&def, &index));
    int64_t build = 0;
    // Candidates are for centres that move on without being wrapped. A move by about a box is taken for a wrap.
    double shortest = INFINITY;
    for (int k = 0; k < set.dim; ++k)
        shortest = set.box.periodic[k] ? fmin(shortest, set.box.upper[k] - set.box.lower[k]) : shortest;
    bool all_listed = kind != 3 && kind != 4 && size < 0.1 * shortest;
    int32_t whole = set.count;
    for (int step = 0; step < steps; ++step) {
        char where[300];
        snprintf(where, sizeof where, "%s, n %d, dim %d, ratio %g, periodic %d%d%d, gap %g, skin %g, move %g, kind %d, wrapped %d, seed %llu, step %d",
                 sc->name, params.count, params.dim, params.ratio, params.periodic[0], params.periodic[1], params.periodic[2], gap,
                 skin, size, kind, wrapped, (unsigned long long)params.seed, step);
        scree_status status = scree_index_update(index, scree_sphere_set_view(&set));
        if (status != SCREE_OK)
            fail_msg("%s: %s", where, scree_error_message());
        if (step % 11 != 10)  // an update whose pairs nobody asks for
            check_pairs(index, &def, scree_sphere_set_view(&set), where);
        scree_index_stats stats = scree_index_get_stats(index);
        if (stats.list_build > 0 && all_listed && stats.skin < 0.4 * shortest && step % 11 != 10) {
            scree_pairs pairs;
            CHECK_OK(scree_index_pairs(index, &pairs));
            check_candidates(index, pairs, where);
            assert_true(stats.list_build >= build);
            build = stats.list_build;
        }
        move(&set, &rng, size, kind, step);
        all_listed = !put_back(&set, wrapped) && all_listed;
    }
    scree_index_destroy(index);
    set.count = whole;
    scree_sphere_set_free(&set);
}

static void pairs_are_those_of_a_search_anew(void** state)
{
    (void)state;
    static const double ratios[] = {1.0, 2.0, 10.0, 50.0}, gaps[] = {0.0, 0.1, 1.0, -0.1};
    static const double skins[] = {0.0, 0.0, 0.0, 1e-9, 0.05, 0.3, 1.0, 4.0}, sizes[] = {0.0, 1e-6, 1e-3, 0.01, 0.05, 0.3};
    static const int32_t counts[] = {0, 1, 2, 13, 60, 200};
    int64_t rounds = (int64_t)(500 * test_effort());
    scree_rng rng = scree_rng_make(4, 0);
    for (int64_t round = 0; round < rounds; ++round) {
        const scene* sc = &scene_table[round % scene_count];
        scene_params params = scene_default_params();
        params.dim = 2 + (int32_t)(round / scene_count % 2);
        params.count = counts[scree_rng_below(&rng, 6)];
        params.ratio = ratios[scree_rng_below(&rng, 4)];
        for (int k = 0; k < params.dim; ++k)
            params.periodic[k] = scree_rng_below(&rng, 2) == 1;
        params.seed = (uint64_t)round;
        if (strcmp(sc->name, "addition") == 0) {
            params.ratio = fmin(params.ratio, 2.0);
            params.count = 300;
        }
        double gap = gaps[scree_rng_below(&rng, 4)], skin = skins[scree_rng_below(&rng, 8)], size = sizes[scree_rng_below(&rng, 6)];
        int kind = (int)scree_rng_below(&rng, 8);
        walk(sc, params, gap, skin, size, kind, scree_rng_below(&rng, 2) == 1, 24);
    }
}

// ---- When the list is rebuilt -----------------------------------------------------------------------------------------

// Two spheres on a line and some far away. The list must hold until the two have used up the skin together.
static void the_list_is_made_anew_exactly_when_it_must(void** state)
{
    (void)state;
    for (int sign = 0; sign < 3; ++sign) {
        double x[12] = {0.0, 0.0, 0.0, 2.9, 0.0, 0.0, 50.0, 0.0, 0.0, 90.0, 0.0, 0.0}, r[4] = {1.0, 1.0, 1.0, 1.0};
        scree_index_def def = scree_default_index_def();
        def.skin = 1.0;
        scree_index* index;
        scree_pairs pairs;
        CHECK_OK(scree_index_create(&def, &index));
        scree_spheres spheres = {.count = 4, .dim = 3, .x = x, .r = r};
        CHECK_OK(scree_index_update(index, spheres));
        CHECK_OK(scree_index_pairs(index, &pairs));
        scree_index_stats stats = scree_index_get_stats(index);
        assert_int_equal(stats.list_build, 1);
        assert_int_equal(stats.candidates, 1);
        CHECK_CLOSE(stats.skin, 1.0, 0.0);
        // 0.49 each, or 0.98 by one, or 0.7 and 0.29: still good. A little more: not.
        double ways[3][2] = {{0.4999999, 0.4999999}, {0.9999999, 0.0}, {0.7, 0.2999999}};
        x[0] = ways[sign][0];
        x[3] = 2.9 - ways[sign][1];
        CHECK_OK(scree_index_update(index, spheres));
        CHECK_OK(scree_index_pairs(index, &pairs));
        assert_int_equal(pairs.count, 1);
        assert_int_equal(scree_index_get_stats(index).list_build, 1);
        assert_int_equal(scree_index_get_stats(index).tests, 1);
        x[3] -= 2e-7;
        x[0] += 1e-7;
        CHECK_OK(scree_index_update(index, spheres));
        CHECK_OK(scree_index_pairs(index, &pairs));
        assert_int_equal(pairs.count, 1);
        assert_int_equal(scree_index_get_stats(index).list_build, 2);
        assert_int_equal(scree_index_get_stats(index).rebuilds, 2);
        scree_index_destroy(index);
    }
}

// The two that move most may stand anywhere among many: in one part of the pass or in two, in either order.
static void the_two_largest_moves_are_found_anywhere(void** state)
{
    (void)state;
    enum { n = 40000 };
    static double x[2 * n], r[n];
    static const int32_t who[6][2] = {{0, 1}, {3, 300}, {300, 3}, {39999, 20}, {20, 39999}, {255, 256}};
    for (int w = 0; w < 6; ++w) {
        for (int i = 0; i < n; ++i) {
            x[2 * i] = 4.0 * i;
            x[2 * i + 1] = 1.0;
            r[i] = 1.0;
        }
        scree_index_def def = scree_default_index_def();
        def.box = scree_box_open(2);
        def.skin = 1.0;
        scree_index* index;
        scree_pairs pairs;
        scree_spheres spheres = {.count = n, .dim = 2, .x = x, .r = r};
        CHECK_OK(scree_index_create(&def, &index));
        CHECK_OK(scree_index_update(index, spheres));
        CHECK_OK(scree_index_pairs(index, &pairs));
        x[2 * who[w][0] + 1] += 0.6;
        x[2 * who[w][1] + 1] -= 0.39;
        x[2 * 700] += 0.1;
        CHECK_OK(scree_index_update(index, spheres));
        assert_int_equal(scree_index_get_stats(index).rebuilds, 1);
        x[2 * who[w][1] + 1] -= 0.02;
        CHECK_OK(scree_index_update(index, spheres));
        assert_int_equal(scree_index_get_stats(index).rebuilds, 2);
        scree_index_destroy(index);
    }
}

// A gap so negative that no two spheres can be a pair, however near: many candidates, none of them one.
static void a_reach_below_zero_has_no_pairs(void** state)
{
    (void)state;
    enum { n = 200 };
    double x[3 * n], r[n];
    scree_rng rng = scree_rng_make(5, 0);
    for (int i = 0; i < n; ++i) {
        for (int k = 0; k < 3; ++k)
            x[3 * i + k] = 0.01 * scree_rng_uniform(&rng);
        r[i] = 0.01;
    }
    scree_index_def def = scree_default_index_def();
    def.gap = -0.1;
    def.skin = 0.5;
    scree_index* index;
    scree_pairs pairs;
    CHECK_OK(scree_index_create(&def, &index));
    CHECK_OK(scree_index_update(index, (scree_spheres){.count = n, .dim = 3, .x = x, .r = r}));
    CHECK_OK(scree_index_pairs(index, &pairs));
    assert_int_equal(scree_index_get_stats(index).candidates, n * (n - 1) / 2);
    assert_int_equal(pairs.count, 0);
    scree_index_destroy(index);
}

// Spheres that were just not candidates come together, each with a little less than half the skin, or one with all of it.
static void what_comes_from_outside_the_list_is_seen(void** state)
{
    (void)state;
    scree_rng rng = scree_rng_make(9, 0);
    for (int round = 0; round < 3000; ++round) {
        double x[4] = {1.0 + 7.0 * scree_rng_uniform(&rng), 5.0, 0.0, 5.0}, r[2] = {0.5, 0.25};
        scree_index_def def = scree_default_index_def();
        def.box = scree_box_sized(2, (const double[2]){10.0, 10.0});
        def.box.periodic[0] = round % 2 == 0;
        def.skin = 0.2;
        def.method = SCREE_METHOD_LINKED_CELLS;
        x[2] = x[0] + 0.75 + 0.2 * (1.0 + 1e-15 * scree_rng_uniform(&rng));
        scree_index* index;
        scree_pairs pairs;
        scree_spheres spheres = {.count = 2, .dim = 2, .x = x, .r = r};
        CHECK_OK(scree_index_create(&def, &index));
        CHECK_OK(scree_index_update(index, spheres));
        CHECK_OK(scree_index_pairs(index, &pairs));
        double share = scree_rng_uniform(&rng), much = 0.2 * (1.0 + 1e-15 * (scree_rng_uniform(&rng) - 0.3));
        x[0] += share * much;
        x[2] -= (1.0 - share) * much;
        CHECK_OK(scree_index_update(index, spheres));
        check_pairs(index, &def, spheres, "from outside");
        scree_index_destroy(index);
    }
}

// Small steady motion: the list is used, and rebuilt only now and then. Large motion: it is not used.
static void the_index_decides_by_the_motion(void** state)
{
    (void)state;
    for (int large = 0; large < 2; ++large) {
        scene_params params = scene_default_params();
        params.count = 3000;
        params.periodic[0] = params.periodic[1] = true;
        scree_sphere_set set;
        CHECK_OK(scene_make("cloud", &params, &set));
        scree_index_def def = scree_default_index_def();
        def.box = set.box;
        scree_index* index;
        scree_pairs pairs;
        CHECK_OK(scree_index_create(&def, &index));
        scree_rng rng = scree_rng_make(1, 0);
        double size = (large ? 1.0 : 0.005) * largest(set.r, set.count);
        int64_t lists = 0;
        for (int step = 0; step < 100; ++step) {
            CHECK_OK(scree_index_update(index, scree_sphere_set_view(&set)));
            CHECK_OK(scree_index_pairs(index, &pairs));
            lists += scree_index_get_stats(index).list_build > 0;
            if (step < 2)
                assert_int_equal(lists, 0);  // who comes once or twice pays for no list
            move(&set, &rng, size, 0, step);
            put_back(&set, true);
        }
        int64_t rebuilds = scree_index_get_stats(index).rebuilds;
        if (large ? lists > 10 : lists < 90 || rebuilds > 30)
            fail_msg("moves of %g: %lld updates with a list, %lld rebuilds", size, (long long)lists, (long long)rebuilds);
        scree_index_destroy(index);
        scree_sphere_set_free(&set);
    }
}

// ---- Manners -------------------------------------------------------------------------------------------------------

static void a_steady_list_allocates_nothing(void** state)
{
    (void)state;
    for (int auto_skin = 0; auto_skin < 2; ++auto_skin) {
        scene_params params = scene_default_params();
        params.count = 5000;
        params.periodic[0] = true;
        scree_sphere_set set;
        CHECK_OK(scene_make("cloud", &params, &set));
        scree_index_def def = scree_default_index_def();
        def.box = set.box;
        def.sorted = true;
        def.skin = auto_skin ? 0.0 : 0.05;
        scree_index* index;
        scree_pairs pairs;
        CHECK_OK(scree_index_create(&def, &index));
        for (int k = 0; k < 30; ++k) {
            CHECK_OK(scree_index_update(index, scree_sphere_set_view(&set)));
            CHECK_OK(scree_index_pairs(index, &pairs));
            if (k == 5)
                scree_memory_fail_at(0);  // resets the counter
            for (int64_t i = 0; i < 3 * 5000; ++i)
                set.x[i] += k % 2 == 0 ? 1e-6 : -1e-6;
            put_back(&set, false);
        }
        assert_true(scree_index_get_stats(index).list_build > 0);
        assert_int_equal(scree_memory_fail_at(0), 0);
        scree_index_destroy(index);
        scree_sphere_set_free(&set);
    }
}

static void each_allocation_may_fail(void** state)
{
    (void)state;
    for (int mode = 0; mode < 3; ++mode) {
        scene_params params = scene_default_params();
        params.count = 300;
        params.periodic[0] = mode > 0;
        scree_sphere_set set;
        CHECK_OK(scene_make("cloud", &params, &set));
        scree_index_def def = scree_default_index_def();
        def.box = set.box;
        def.sorted = true;
        def.skin = mode == 2 ? 0.0 : 0.05;
        scree_index* index;
        scree_pairs pairs;
        CHECK_OK(scree_index_create(&def, &index));
        scree_rng rng = scree_rng_make(1, 0);
        for (int step = 0; step < 6; ++step) {
            EACH_ALLOCATION_FAILS(scree_index_update(index, scree_sphere_set_view(&set)), {});
            EACH_ALLOCATION_FAILS(scree_index_pairs(index, &pairs), CHECK_OK(scree_index_validate(index)));
            check_pairs(index, &def, scree_sphere_set_view(&set), "after failures");
            move(&set, &rng, 1e-3, 0, step);
            put_back(&set, false);
        }
        scree_index_destroy(index);
        scree_sphere_set_free(&set);
    }
}

// An update that is refused, for whatever reason, leaves the spheres and the list as they were.
static void a_refused_update_changes_nothing(void** state)
{
    (void)state;
    scene_params params = scene_default_params();
    params.count = 500;
    params.periodic[0] = true;
    scree_sphere_set set;
    CHECK_OK(scene_make("cloud", &params, &set));
    set.x[3 * 9 + 1] = set.box.upper[1];
    set.x[3 * 499 + 2] = 0.0;
    assert_true(set.box.lower[2] == 0.0);
    scree_index_def def = scree_default_index_def();
    def.box = set.box;
    def.sorted = true;
    def.skin = 0.1;
    scree_index* index;
    scree_pairs pairs;
    CHECK_OK(scree_index_create(&def, &index));
    scree_rng rng = scree_rng_make(1, 0);
    for (int step = 0; step < 3; ++step) {
        CHECK_OK(scree_index_update(index, scree_sphere_set_view(&set)));
        CHECK_OK(scree_index_pairs(index, &pairs));
        move(&set, &rng, 1e-3, 2, step);
        put_back(&set, false);
    }
    set.x[3 * 9 + 1] = set.box.upper[1];
    CHECK_OK(scree_index_update(index, scree_sphere_set_view(&set)));  // its pairs are asked for only after the refusals
    double bad[5] = {NAN, INFINITY, 1e-200, -1e9, 1e200};
    for (int b = 0; b < 5; ++b)
        for (int at = 0; at < 3; ++at) {
            size_t k = at == 0 ? 1 : at == 1 ? 751 : 1499;
            double kept = set.x[k];
            set.x[k] = bad[b];
            assert_int_equal(scree_index_update(index, scree_sphere_set_view(&set)), SCREE_ERR_ARGUMENT);
            set.x[k] = kept;
        }
    // Nearly where they were, but not allowed: a last bit behind the wall, and a length that is none.
    set.x[3 * 9 + 1] = nextafter(set.box.upper[1], INFINITY);
    CHECK_FAILS(scree_index_update(index, scree_sphere_set_view(&set)), SCREE_ERR_ARGUMENT, "sphere 9");
    set.x[3 * 9 + 1] = set.box.upper[1];
    double last = set.x[3 * 499 + 2];
    set.x[3 * 499 + 2] = 1e-200;
    CHECK_FAILS(scree_index_update(index, scree_sphere_set_view(&set)), SCREE_ERR_ARGUMENT, "sphere 499");
    set.x[3 * 499 + 2] = last;
    double kept = set.x[0];
    set.x[0] += 40.0 * (set.box.upper[0] - set.box.lower[0]);
    CHECK_FAILS(scree_index_update(index, scree_sphere_set_view(&set)), SCREE_ERR_ARGUMENT);
    set.x[0] = kept;
    set.r[7] = -set.r[7];
    CHECK_FAILS(scree_index_update(index, scree_sphere_set_view(&set)), SCREE_ERR_ARGUMENT, "sphere 7");
    set.r[7] = -set.r[7];
    assert_int_equal(scree_index_get_stats(index).list_build, 1);
    check_pairs(index, &def, scree_sphere_set_view(&set), "after refusals");
    assert_int_equal(scree_index_get_stats(index).list_build, 1);
    scree_index_destroy(index);
    scree_sphere_set_free(&set);
}

static void threads_change_neither_pairs_nor_counters(void** state)
{
    (void)state;
    for (int mode = 0; mode < 4; ++mode) {
        scree_index* index[4];
        static const int32_t threads[3] = {1, 2, 7};
        scene_params params = scene_default_params();
        params.count = test_is_small() ? 15000 : 40000;
        params.ratio = 10.0;
        params.periodic[2] = mode > 1;
        scree_sphere_set set;
        CHECK_OK(scene_make("cloud", &params, &set));
        scree_index_def def = scree_default_index_def();
        def.box = set.box;
        def.skin = mode % 2 == 0 ? 0.0 : 0.02;
        double size = 1e-3 * largest(set.r, set.count);
        for (int t = 0; t < 4; ++t) {
            def.threads = threads[t % 3];
            CHECK_OK(scree_index_create(&def, &index[t]));
        }
        scree_rng rng = scree_rng_make(1, 0);
        for (int step = 0; step < (test_is_small() ? 4 : 12); ++step) {
            scree_pairs first, other;
            for (int t = 0; t < 4; ++t) {
                scree_plain_only = t == 3;  // and the plain test gives what the wide one gives
                CHECK_OK(scree_index_update(index[t], scree_sphere_set_view(&set)));
                CHECK_OK(scree_index_pairs(index[t], &other));
                scree_plain_only = false;
                if (t == 0)
                    first = other;
                assert_int_equal(other.count, first.count);
                assert_true(first.count > 0);
                assert_memory_equal(other.ij, first.ij, (size_t)first.count * sizeof *first.ij);
                if (first.shift != NULL)
                    assert_memory_equal(other.shift, first.shift, (size_t)first.count * sizeof *first.shift);
                scree_index_stats a = scree_index_get_stats(index[0]), b = scree_index_get_stats(index[t]);
                assert_true(a.tests == b.tests && a.cells == b.cells && a.rebuilds == b.rebuilds && a.list_build == b.list_build &&
                            a.candidates == b.candidates && memcmp(&a.skin, &b.skin, sizeof a.skin) == 0);
            }
            move(&set, &rng, size, 0, step);
            put_back(&set, false);
        }
        assert_true(scree_index_get_stats(index[0]).list_build > 0);
        for (int t = 0; t < 4; ++t)
            scree_index_destroy(index[t]);
        scree_sphere_set_free(&set);
    }
}

static void a_skin_that_is_no_length_is_refused(void** state)
{
    (void)state;
    scree_index_def def = scree_default_index_def();
    scree_index* index;
    def.skin = NAN;
    CHECK_FAILS(scree_index_create(&def, &index), SCREE_ERR_ARGUMENT, "skin");
    def.skin = 1e-200;
    CHECK_FAILS(scree_index_create(&def, &index), SCREE_ERR_ARGUMENT, "skin");
    // A def from before there was a skin.
    def.struct_size = offsetof(scree_index_def, skin);
    CHECK_OK(scree_index_create(&def, &index));
    scree_index_destroy(index);
}

static const test_case cases[] = {
    PROPERTY(pairs_are_those_of_a_search_anew),
    UNIT(the_list_is_made_anew_exactly_when_it_must),
    UNIT(the_two_largest_moves_are_found_anywhere),
    UNIT(a_reach_below_zero_has_no_pairs),
    UNIT(what_comes_from_outside_the_list_is_seen),
    UNIT(the_index_decides_by_the_motion),
    ALLOCATION(a_steady_list_allocates_nothing),
    ALLOCATION(each_allocation_may_fail),
    UNIT(a_refused_update_changes_nothing),
    THREADS(threads_change_neither_pairs_nor_counters),
    UNIT(a_skin_that_is_no_length_is_refused),
};

const test_group group_list = {.name = "list", .cases = cases, .count = sizeof cases / sizeof *cases};
