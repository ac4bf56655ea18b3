// Pairs that many ranks find: those of all pairs in one process, each once and in order, whatever the number of ranks and wherever the borders between them are. All ranks are in this process (par_alone.c).
#include "index_support.h"

#include "par/pairs.h"
#include "scenes.h"
#include "scree/device.h"

// One search by many, kept slice by slice.
static scree_status ask_ranks(int32_t ranks, int64_t slice, const scree_index_def* def, bool boxes, scree_spheres spheres, uint64_t chance, answer* out, scree_par_pairs_stats* stats)
{
    scree_par* par;
    scree_par_pairs* all = NULL;
    scree_pairs some = {.count = 0};
    scree_par_pairs_def wanted = scree_default_par_pairs_def();
    wanted.index = def;
    wanted.boxes = boxes;
    wanted.check = true;
    *out = (answer){.count = 0};
    scree_status status = par_alone(ranks, &par);
    if (status != SCREE_OK)
        return status;
    par->slice = slice;
    status = pairs_find(par, PAIRS_OF_PROGRAM, &wanted, spheres, chance, &all);
    if (status == SCREE_OK) {
        *stats = scree_par_pairs_get_stats(all);
        out->ij = malloc((size_t)(stats->count + 1) * sizeof *out->ij);
        out->shift = calloc((size_t)(stats->count + 1), sizeof *out->shift);  // zeroes where no axis is periodic, as `keep` has them
        status = scree_par_pairs_next(all, &some);
        while (status == SCREE_OK && some.count > 0) {
            assert_true(out->count + some.count <= stats->count);
            memcpy(out->ij + out->count, some.ij, (size_t)some.count * sizeof *out->ij);
            assert_true((some.shift != NULL) == scree_box_is_periodic(&def->box));
            if (some.shift != NULL)
                memcpy(out->shift + out->count, some.shift, (size_t)some.count * sizeof *out->shift);
            out->count += some.count;
            status = scree_par_pairs_next(all, &some);
        }
    }
    if (status == SCREE_OK) {
        int64_t once = out->count;
        assert_int_equal(scree_par_pairs_next(all, &some), SCREE_OK);  // and again from the first
        assert_true(once == 0 ? some.count == 0 : some.count > 0 && memcmp(some.ij, out->ij, (size_t)some.count * sizeof *some.ij) == 0);
    }
    scree_par_pairs_destroy(all);
    par_close(par);
    return status;
}

static answer reference_of(const scree_index_def* given, bool boxes, scree_spheres spheres)
{
    scree_index_def def = scree_default_index_def();
    scree_index* index;
    scree_pairs pairs;
    def.box = given->box;
    def.gap = given->gap;
    def.method = SCREE_METHOD_ALL_PAIRS;
    def.sorted = true;
    CHECK_OK(scree_index_create(&def, &index));
    CHECK_OK(scree_index_update(index, spheres));
    CHECK_OK(boxes ? scree_index_box_pairs(index, &pairs) : scree_index_pairs(index, &pairs));
    answer a = keep(index, &def.box, pairs);
    scree_index_destroy(index);
    return a;
}

static int64_t distinct_of(const answer* a)
{
    int64_t count = 0;
    for (int64_t p = 0; p < a->count; ++p)
        count += p == 0 || a->ij[p][0] != a->ij[p - 1][0] || a->ij[p][1] != a->ij[p - 1][1];
    return count;
}

static void compare_ranks(const scree_index_def* def, bool boxes, const scree_sphere_set* set, const answer* wanted, int32_t ranks, int64_t slice, uint64_t chance, const char* where)
{
    answer found;
    scree_par_pairs_stats stats;
    CHECK_OK(ask_ranks(ranks, slice, def, boxes, scree_sphere_set_view(set), chance, &found, &stats));
    check_same(&found, wanted, where);
    assert_int_equal(stats.count, wanted->count);
    assert_int_equal(stats.distinct, distinct_of(wanted));
    assert_int_equal(stats.ranks, ranks);
    forget(&found);
}

// Every scene, two and three dimensions, equal and very different sizes, walls and periodic axes, gaps below and above 0.
static void any_partition_gives_all_pairs_once(void** state)
{
    (void)state;
    static const double ratios[] = {1.0, 8.0, 400.0}, gaps[] = {0.0, 0.4, -0.05, 1.5};
    int turns = (int)(3.0 * test_effort());
    uint64_t seed = 1;
    for (int kind = 0; kind < scene_count; ++kind)
        for (int turn = 0; turn < (turns > 0 ? turns : 1); ++turn, ++seed) {
            scree_rng rng = scree_rng_make(seed, 26);
            scene_params params = scene_default_params();
            scree_sphere_set set;
            char where[100];
            params.seed = seed;
            params.dim = scree_rng_uniform(&rng) < 0.3 ? 2 : 3;
            params.count = 20 + (int32_t)(200.0 * scree_rng_uniform(&rng));
            params.ratio = ratios[(int)(3.0 * scree_rng_uniform(&rng))];
            for (int k = 0; k < 3; ++k)
                params.periodic[k] = scree_rng_uniform(&rng) < 0.6;
            CHECK_OK(scene_make(scene_table[kind].name, &params, &set));
            scree_index_def def = scree_default_index_def();
            def.box = set.box;
            def.gap = gaps[(int)(4.0 * scree_rng_uniform(&rng))];
            def.threads = 1;
            bool boxes = scree_rng_uniform(&rng) < 0.2;
            def.method = boxes ? SCREE_METHOD_LINEAR_LIST : SCREE_METHOD_AUTO;
            answer wanted = reference_of(&def, boxes, scree_sphere_set_view(&set));
            for (int part = 0; part < 3; ++part) {
                int32_t ranks = 1 + (int32_t)(9.0 * scree_rng_uniform(&rng));
                int64_t slice = scree_rng_uniform(&rng) < 0.5 ? 0 : 1 + (int64_t)(60.0 * scree_rng_uniform(&rng));
                snprintf(where, sizeof where, "%s, seed %d, %d ranks, part %d", scene_table[kind].name, (int)seed, (int)ranks, part);
                compare_ranks(&def, boxes, &set, &wanted, ranks, slice, part == 0 ? 0 : seed * 17 + (uint64_t)part, where);
            }
            forget(&wanted);
            scree_sphere_set_free(&set);
        }
}

// A giant in dust: its pairs are found where the dust is, and it has more of them than a slice holds.
static void a_giant_is_shown_to_all_whom_it_touches(void** state)
{
    (void)state;
    scree_sphere_set set;
    CHECK_OK(scree_sphere_set_make(3, 900, &set));
    scree_rng rng = scree_rng_make(5, 1);
    set.box = scree_box_sized(3, (const double[3]){10.0, 10.0, 10.0});
    for (int32_t i = 0; i < set.count; ++i) {
        double v[3], norm = 0.0;
        for (int k = 0; k < 3; ++k) {
            v[k] = scree_rng_uniform(&rng) - 0.5;
            norm += v[k] * v[k];
        }
        set.r[i] = i == 450 ? 4.0 : 0.01;
        for (int k = 0; k < 3; ++k)
            set.x[3 * i + k] = 5.0 + (i == 450 ? 0.0 : v[k] / sqrt(norm) * (i % 2 == 0 ? 4.005 : 4.5));
    }
    scree_index_def def = scree_default_index_def();
    def.box = set.box;
    answer wanted = reference_of(&def, false, scree_sphere_set_view(&set));
    assert_true(wanted.count >= 449);
    for (int32_t ranks = 2; ranks < 9; ranks += 3)
        compare_ranks(&def, false, &set, &wanted, ranks, 40, 0, "giant");
    forget(&wanted);
    scree_sphere_set_free(&set);
}

// Tilted boxes, and one barely larger than its spheres, which touch their own images.
static void images_are_those_of_one_process(void** state)
{
    (void)state;
    for (int tilted = 0; tilted < 2; ++tilted) {
        scree_sphere_set set;
        int32_t count = tilted ? 120 : 9;
        CHECK_OK(scree_sphere_set_make(3, count, &set));
        scree_rng rng = scree_rng_make(9, 1);
        set.box = scree_box_sized(3, tilted ? (const double[3]){6.0, 5.0, 7.0} : (const double[3]){2.05, 2.6, 2.2});
        for (int k = 0; k < 3; ++k)
            set.box.periodic[k] = true;
        if (tilted)
            memcpy(set.box.tilt, (const double[3]){2.0, -1.5, 0.8}, sizeof set.box.tilt);
        for (int32_t i = 0; i < count; ++i) {
            set.r[i] = !tilted && i == 0 ? 1.02 : 0.2 + 0.4 * scree_rng_uniform(&rng);
            for (int k = 0; k < 3; ++k)
                set.x[3 * i + k] = (3.0 * scree_rng_uniform(&rng) - 1.0) * set.box.upper[k];  // some boxes away
        }
        scree_index_def def = scree_default_index_def();
        def.box = set.box;
        def.gap = 0.1;
        answer wanted = reference_of(&def, false, scree_sphere_set_view(&set));
        assert_true(wanted.count > 20);
        for (int32_t ranks = 2; ranks < 9; ++ranks)
            compare_ranks(&def, false, &set, &wanted, ranks, 7, ranks % 2 == 0 ? 0 : (uint64_t)ranks, tilted ? "tilted" : "tight");
        forget(&wanted);
        scree_sphere_set_free(&set);
    }
}

// Fewer spheres than ranks, and none.
static void few_spheres_are_enough(void** state)
{
    (void)state;
    for (int32_t count = 0; count < 4; ++count) {
        scree_sphere_set set;
        CHECK_OK(scree_sphere_set_make(2, count, &set));
        set.box = scree_box_open(2);
        for (int32_t i = 0; i < count; ++i) {
            set.r[i] = 0.6;
            set.x[2 * i] = i;
            set.x[2 * i + 1] = -3.0;
        }
        scree_index_def def = scree_default_index_def();
        def.box = set.box;
        answer wanted = reference_of(&def, false, scree_sphere_set_view(&set));
        assert_int_equal(wanted.count, count > 0 ? count - 1 : 0);
        compare_ranks(&def, false, &set, &wanted, 5, 0, 0, "few");
        compare_ranks(&def, false, &set, &wanted, 5, 1, 7, "few, random borders");
        forget(&wanted);
        scree_sphere_set_free(&set);
    }
}

static void invalid_input_is_reported_as_by_one_process(void** state)
{
    (void)state;
    scene_params params = scene_default_params();
    scree_sphere_set set;
    answer found;
    scree_par_pairs_stats stats;
    params.count = 200;
    params.periodic[0] = true;
    CHECK_OK(scene_make("cloud", &params, &set));
    scree_index_def def = scree_default_index_def();
    def.box = set.box;
    double x = set.x[3 * 177];
    set.x[3 * 177] = 40.0 * set.box.upper[0];
    CHECK_FAILS(ask_ranks(3, 0, &def, false, scree_sphere_set_view(&set), 0, &found, &stats), SCREE_ERR_ARGUMENT, "sphere 177");
    set.x[3 * 177] = NAN;
    CHECK_FAILS(ask_ranks(3, 0, &def, false, scree_sphere_set_view(&set), 0, &found, &stats), SCREE_ERR_ARGUMENT, "sphere 177");
    set.x[3 * 177] = x;
    def.method = SCREE_METHOD_LINKED_CELLS;
    def.cell_size = 1e-3 * set.box.upper[0];
    CHECK_FAILS(ask_ranks(3, 0, &def, false, scree_sphere_set_view(&set), 0, &found, &stats), SCREE_ERR_ARGUMENT, "cell");
    def.cell_size = -1.0;
    CHECK_FAILS(ask_ranks(3, 0, &def, false, scree_sphere_set_view(&set), 0, &found, &stats), SCREE_ERR_ARGUMENT, "-1");
    def = scree_default_index_def();
    def.box = set.box;
    def.device = SCREE_DEVICE_EMULATE;
    scree_par* par;
    scree_par_pairs* all;
    scree_par_pairs_def wanted = scree_default_par_pairs_def();
    CHECK_OK(par_alone(2, &par));
    wanted.index = &def;
    CHECK_FAILS(scree_par_find_pairs(par, &wanted, scree_sphere_set_view(&set), &all), SCREE_ERR_UNSUPPORTED, "device");
    wanted.index = NULL;
    CHECK_FAILS(scree_par_find_pairs(par, &wanted, scree_sphere_set_view(&set), &all), SCREE_ERR_ARGUMENT, "index");
    wanted.struct_size = 3;
    wanted.index = &def;
    CHECK_FAILS(scree_par_find_pairs(par, &wanted, scree_sphere_set_view(&set), &all), SCREE_ERR_ARGUMENT, "struct_size");
    par_close(par);
    scree_sphere_set_free(&set);
}

static void memory_may_be_short_in_a_search(void** state)
{
    (void)state;
    scene_params params = scene_default_params();
    scree_sphere_set set;
    params.count = 60;
    params.periodic[1] = true;
    CHECK_OK(scene_make("cloud", &params, &set));
    scree_index_def def = scree_default_index_def();
    def.box = set.box;
    def.gap = 1.0;
    def.threads = 1;
    answer wanted = reference_of(&def, false, scree_sphere_set_view(&set));
    for (int64_t n = 0; n < 100000; ++n) {
        answer found;
        scree_par_pairs_stats stats;
        scree_memory_fail_at(n);
        scree_status status = ask_ranks(3, 20, &def, false, scree_sphere_set_view(&set), 0, &found, &stats);
        int64_t allocations = scree_memory_fail_at(0);
        assert_true(status == SCREE_OK || status == SCREE_ERR_MEMORY);
        if (status == SCREE_OK)
            check_same(&found, &wanted, "short of memory");
        forget(&found);
        if (n > 0 && n > allocations)
            break;
    }
    forget(&wanted);
    scree_sphere_set_free(&set);
}

static const test_case cases[] = {
    PROPERTY(any_partition_gives_all_pairs_once),
    PROPERTY(a_giant_is_shown_to_all_whom_it_touches),
    PROPERTY(images_are_those_of_one_process),
    UNIT(few_spheres_are_enough),
    UNIT(invalid_input_is_reported_as_by_one_process),
    ALLOCATION(memory_may_be_short_in_a_search),
};

const test_group group_par_pairs = {.name = "par_pairs", .cases = cases, .count = sizeof cases / sizeof *cases};
