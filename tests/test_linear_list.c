// linear-list: against all-pairs through whole histories of moves, one by one against a plain loop, the paper's
// example, and what its lists promise.
#include "near_support.h"

#include "geom/pair.h"
#include "index/method.h"
#include "index/pair_output.h"
#include "index/sweep/box_lists.h"
#include "scenes.h"
#include "scree/index.h"

// ---- The paper's example ------------------------------------------------------------------------------------------

// Four boxes as in Fig. 6: along x b1 e1 b2 b3 b4 e3 e2 e4; along y 3 and 4 overlap, and 1 and 2 (spheres counted from
// 1).
static double fig_6_xr[4][4] = {{0.5, 0.5, 0.0, 9.0}, {4.0, 1.0, 0.0, 9.0}, {4.0, 4.0, 0.0, 9.0}, {5.5, 5.0, 0.0, 9.0}};
static const double fig_6_half[4][3] = {{0.5, 0.5, 0.0}, {2.0, 0.7, 0.0}, {1.0, 0.7, 0.0}, {1.5, 0.7, 0.0}};

static items fig_6(void)
{
    return (items){.n = 4, .dim = 2, .xr = (const double(*)[4])fig_6_xr, .half = fig_6_half, .threads = 1,
                   .length = {5.0, 4.5, 0.0}, .r_min = 9.0, .r_max = 9.0};
}

static void the_example_of_the_paper(void** state)
{
    (void)state;
    items it = fig_6();
    box_lists l = {0};
    CHECK_OK(box_lists_update(&l, &it));
    CHECK_OK(box_lists_check(&l));
    static const int owner[8] = {1, 1, 2, 3, 4, 3, 2, 4}, is_end[8] = {0, 1, 0, 0, 0, 1, 1, 1};
    assert_int_equal(l.list[0].count, 8);
    for (int e = 0; e < 8; ++e) {
        assert_int_equal(l.list[0].word[e] + 1, owner[e]);
        assert_int_equal(l.list[0].key[e] & 1, is_end[e]);
    }
    const int none[3] = {0, 0, 0};
    assert_int_equal(l.pairs.count, 1);
    assert_true(pair_set_has(&l.pairs, 2, 3, none));
    assert_true(!pair_set_has(&l.pairs, 0, 1, none));

    // 1 moves along x until it reaches 2: one swap, one pair more. Then back.
    fig_6_xr[0][0] = 1.6;
    CHECK_OK(box_lists_update(&l, &it));
    CHECK_OK(box_lists_check(&l));
    assert_int_equal(l.swaps, 1);
    assert_int_equal(l.sorts, 1);
    assert_int_equal(l.pairs.count, 2);
    assert_true(pair_set_has(&l.pairs, 1, 0, none));
    fig_6_xr[0][0] = 0.5;
    CHECK_OK(box_lists_update(&l, &it));
    assert_int_equal(l.swaps, 1);
    assert_int_equal(l.pairs.count, 1);
    // 3 falls past 2 on y: its end passes both ends and the begin of 2 behind it; they meet and part in one step.
    fig_6_xr[2][1] = -3.0;
    CHECK_OK(box_lists_update(&l, &it));
    CHECK_OK(box_lists_check(&l));
    assert_int_equal(l.pairs.count, 0);
    fig_6_xr[2][1] = 4.0;
    CHECK_OK(box_lists_update(&l, &it));
    CHECK_OK(box_lists_check(&l));
    assert_int_equal(l.pairs.count, 1);
    box_lists_free(&l);
}

// ---- Ends ---------------------------------------------------------------------------------------------------------

static void keys_sort_as_numbers_do(void** state)
{
    (void)state;
    static const double rising[] = {-1e140, -2.0, -1.0, -1e-140, 0.0, 1e-140, 1.0, 2.0, 1e140};
    for (int a = 0; a < 9; ++a) {
        CHECK_CLOSE(box_value(box_key(rising[a])), rising[a], 0.0);
        for (int b = 0; b < 9; ++b)
            assert_int_equal(box_key(rising[a]) < box_key(rising[b]), rising[a] < rising[b]);
    }
    assert_true(box_key(-0.0) == box_key(0.0));
    assert_true(box_key(nextafter(1.0, 2.0)) == box_key(1.0) + 1);
    assert_true(box_key(nextafter(-1.0, 2.0)) == box_key(-1.0) + 1);
    box_axis open = {0};
    int64_t end[2];
    box_ends(&open, 0.0, 0.0, 0, end);
    assert_true(end[0] < end[1]);  // even a point begins before it ends
}

// Spheres that touch to the last bit, anywhere on an axis, periodic or not: their boxes meet. The margin of box_ends.h.
static void boxes_of_pairs_always_meet(void** state)
{
    (void)state;
    int64_t rounds = (int64_t)(300000 * test_effort()), hits = 0;
    scree_rng rng = scree_rng_make(5, 0);
    for (int64_t round = 0; round < rounds; ++round) {
        double scale = pow(10.0, scree_rng_uniform(&rng) * 16.0), r[2], x[2];
        for (int e = 0; e < 2; ++e)
            r[e] = pow(10.0, -3.0 * scree_rng_uniform(&rng));
        double gap = scree_rng_below(&rng, 3) == 0 ? 0.0 : (scree_rng_uniform(&rng) - 0.3) * 0.5 * (r[0] + r[1]);
        items it = {.n = 2, .dim = 2, .gap = gap, .periodic = {round % 2 == 0}};
        it.lower[0] = scale * (scree_rng_uniform(&rng) - 0.5);
        it.length[0] = (it.lower[0] + 2.0 + 3.0 * scree_rng_uniform(&rng)) - it.lower[0];
        double reach = (r[0] + r[1]) + gap, offset[3] = {0.0, 0.0, 0.0};
        if (!(it.length[0] >= 2.0) || !(reach > 0.0))
            continue;
        // j at the threshold behind i, and some last bits around it; wrapped if the axis is periodic.
        x[0] = it.lower[0] + it.length[0] * scree_rng_uniform(&rng);
        int s = 0;
        x[1] = x[0] + reach;
        while (it.periodic[0] && x[1] >= it.lower[0] + it.length[0]) {
            x[1] -= it.length[0];
            ++s;
        }
        for (uint64_t bits = scree_rng_below(&rng, 4); bits > 0; --bits)
            x[1] = nextafter(x[1], -INFINITY);
        if (it.periodic[0] && !(x[0] >= it.lower[0] && x[0] < it.lower[0] + it.length[0] && x[1] >= it.lower[0]))
            continue;
        offset[0] = s * it.length[0];
        const double a[4] = {x[0], 0.0, 0.0, r[0]}, b[4] = {x[1], 0.0, 0.0, r[1]};
        if (!scree_is_pair(a, b, offset, gap))
            continue;
        ++hits;
        // The highest two images with this shift: both listed, and they meet.
        box_axis axis = box_axis_of(&it, 0);
        int image[2], ghosts[2];
        for (int e = 0; e < 2; ++e)
            box_images(&axis, x[e], r[e], &image[e], &ghosts[e]);
        int high = image[0] < image[1] - s ? image[0] : image[1] - s;
        int64_t end[2][2];
        box_ends(&axis, x[0], r[0], high, end[0]);
        box_ends(&axis, x[1], r[1], high + s, end[1]);
        if (high < image[0] - ghosts[0] || high + s < image[1] - ghosts[1] || !box_meets(end[0], end[1]))
            fail_msg("round %lld: %.17g and %.17g, radii %.17g and %.17g, gap %.17g, shift %d, box %.17g from %.17g",
                     (long long)round, x[0], x[1], r[0], r[1], gap, s, it.length[0], it.lower[0]);
    }
    assert_true(hits > rounds / 10);
}

// ---- The set of pairs ---------------------------------------------------------------------------------------------

static void a_set_of_pairs_holds_what_was_put_in(void** state)
{
    (void)state;
    enum { n = 24 };
    for (int rows = 0; rows < 2; ++rows) {
        pair_set set = {.rows = rows == 1};
        bool in[n][n][3] = {{{false}}};  // i <= j, shift -1 .. 1 along y
        int64_t count = 0;
        scree_rng rng = scree_rng_make(8, (uint64_t)rows);
        CHECK_OK(pair_set_clear(&set, n));
        for (int64_t round = 0; round < 60000; ++round) {
            int32_t i = (int32_t)scree_rng_below(&rng, n), j = (int32_t)scree_rng_below(&rng, n);
            int s = (int)scree_rng_below(&rng, 3) - 1, sign = i > j || (i == j && s < 0) ? -1 : 1;
            if (i == j && s == 0)
                continue;
            bool* entry = &in[i < j ? i : j][i < j ? j : i][sign * s + 1];
            const int shift[3] = {0, s, 0};
            assert_int_equal(pair_set_has(&set, i, j, shift), *entry);
            bool add = scree_rng_below(&rng, 5) < (round / 5000 % 2 == 0 ? 3u : 1u);
            if (add)
                CHECK_OK(pair_set_add(&set, i, j, shift));
            else
                pair_set_remove(&set, i, j, shift);
            count += (int64_t)add - (int64_t)*entry;
            *entry = add;
            assert_int_equal(set.count, count);
            if (round % 1000 == 0)
                CHECK_OK(pair_set_check(&set));
        }
        uint8_t marked[n] = {[3] = 1, [7] = 1};
        if (rows == 1)
            pair_set_remove_of(&set, 5);
        pair_set_remove_marked(&set, marked);
        CHECK_OK(pair_set_check(&set));
        for (int32_t i = 0; i < n; ++i)
            for (int32_t j = i; j < n; ++j)
                for (int s = i == j ? 1 : -1; s <= 1; ++s) {
                    bool gone = marked[i] | marked[j] || (rows == 1 && (i == 5 || j == 5));
                    assert_int_equal(pair_set_has(&set, i, j, (const int[]){0, s, 0}), in[i][j][s + 1] && !gone);
                }
        pair_set_free(&set);
    }
}

// ---- All move: against all-pairs through whole histories ----------------------------------------------------------

typedef struct watched {
    scree_index *index, *reference;
    char where[240];
} watched;

static void watch_start(watched* w, scree_index_def def)
{
    def.sorted = true;
    def.skin = -1.0;
    def.method = SCREE_METHOD_LINEAR_LIST;
    CHECK_OK(scree_index_create(&def, &w->index));
    def.method = SCREE_METHOD_ALL_PAIRS;
    def.threads = 1;
    CHECK_OK(scree_index_create(&def, &w->reference));
}

static void watch_end(watched* w)
{
    scree_index_destroy(w->index);
    scree_index_destroy(w->reference);
}

static int64_t check_step(watched* w, scree_spheres spheres, int step)
{
    scree_pairs found, wanted;
    CHECK_OK(scree_index_update(w->index, spheres));
    scree_status status = scree_index_validate(w->index);
    if (status != SCREE_OK)
        fail_msg("%s, step %d: %s", w->where, step, scree_error_message());
    CHECK_OK(scree_index_pairs(w->index, &found));
    CHECK_OK(scree_index_update(w->reference, spheres));
    CHECK_OK(scree_index_pairs(w->reference, &wanted));
    if (found.count != wanted.count)
        fail_msg("%s, step %d: %lld pairs and should be %lld", w->where, step, (long long)found.count,
                 (long long)wanted.count);
    for (int64_t p = 0; p < found.count; ++p)
        if (memcmp(found.ij[p], wanted.ij[p], sizeof *found.ij) != 0 ||
            (found.shift != NULL && memcmp(found.shift[p], wanted.shift[p], sizeof *found.shift) != 0))
            fail_msg("%s, step %d: row %lld is %d %d and should be %d %d", w->where, step, (long long)p, found.ij[p][0],
                     found.ij[p][1], wanted.ij[p][0], wanted.ij[p][1]);
    return found.count;
}

enum { a_little, drift, some, jumps, anywhere, lattice, one_place, boxes, nothing, kinds };

// One coordinate after a step of this kind; walls keep their spheres in.
static double stepped(scree_rng* rng, const scree_box* box, int k, double x, double r, int kind)
{
    double u = 2.0 * scree_rng_uniform(rng) - 1.0, length = box->upper[k] - box->lower[k];
    double steps[kinds] = {
        [a_little] = 0.02 * r * u,
        [drift] = 0.02 * length,
        [some] = 0.5 * r * u,
        [jumps] = scree_rng_below(rng, 30) == 0 ? length * u : 0.0,
        [anywhere] = box->lower[k] + length * scree_rng_uniform(rng) - x,
        [lattice] = box->lower[k] + floor((x - box->lower[k]) / length * 8.0) / 8.0 * length - x,
        [one_place] = scree_rng_below(rng, 3) == 0 ? box->lower[k] + 0.5 * length - x : 0.0,
        [boxes] = scree_rng_below(rng, 4) == 0 ? ((double)scree_rng_below(rng, 5) - 2.0) * length : 0.0,
    };
    x += steps[kind];
    if (box->periodic[k]) {
        while (x < box->lower[k] - 3.0 * length || x > box->upper[k] + 3.0 * length)
            x += x < box->lower[k] ? 2.0 * length : -2.0 * length;
        return x;
    }
    return x < box->lower[k] ? box->lower[k] : x > box->upper[k] ? box->upper[k] : x;
}

static void every_history_agrees_with_all_pairs(void** state)
{
    (void)state;
    static const double ratios[] = {1.0, 2.0, 10.0, 1000.0};
    static const double gaps[] = {0.0, 0.0, 0.3, -0.2, 1.5};
    static const int32_t counts[] = {1, 2, 9, 40, 120, 250};
    int64_t rounds = (int64_t)(220 * test_effort()), pairs = 0;
    for (int64_t round = 0; round < rounds; ++round) {
        scree_rng rng = scree_rng_make(2027, (uint64_t)round);
        scene_params params = scene_default_params();
        params.dim = 2 + (int32_t)(round % 2);
        params.count = counts[scree_rng_below(&rng, 6)];
        params.ratio = ratios[scree_rng_below(&rng, 4)];
        for (int k = 0; k < params.dim; ++k)
            params.periodic[k] = scree_rng_below(&rng, 2) == 1;
        params.seed = (uint64_t)round;
        const char* name = scene_table[round / 2 % scene_count].name;
        if (strcmp(name, "addition") == 0)
            name = "cloud";
        scree_sphere_set set;
        CHECK_OK(scene_make(name, &params, &set));
        for (int32_t i = 0; i < set.count && round % 7 == 0; i += 3)
            set.r[i] = 0.0;
        scree_index_def def = scree_default_index_def();
        def.box = set.box;
        def.gap = gaps[scree_rng_below(&rng, 5)];
        def.threads = 1;
        watched w;
        watch_start(&w, def);
        snprintf(w.where, sizeof w.where, "round %lld: scene %s, n %d, dim %d, ratio %g, periodic %d%d%d, gap %g",
                 (long long)round, name, set.count, params.dim, params.ratio, params.periodic[0], params.periodic[1],
                 params.periodic[2], def.gap);
        for (int step = 0; step < 24; ++step) {
            int kind = step < 6 ? a_little : (int)scree_rng_below(&rng, kinds);
            for (int64_t i = 0; i < set.count && step > 0; ++i)
                for (int k = 0; k < set.dim; ++k)
                    set.x[i * set.dim + k] = stepped(&rng, &set.box, k, set.x[i * set.dim + k], set.r[i], kind);
            pairs += check_step(&w, scree_sphere_set_view(&set), step);
        }
        watch_end(&w);
        scree_sphere_set_free(&set);
    }
    assert_true(pairs > 1000 * rounds);
}

// Far from zero, where boxes are a few last bits wide; and tiny.
static void far_and_tiny_spheres_move_too(void** state)
{
    (void)state;
    static const double scales[] = {1e-12, 1.0, 1e100, 1e-100}, shifts[] = {0.0, 1e12, 3e15, -1e12};
    for (int t = 0; t < 16; ++t) {
        double scale = scales[t % 4], shift = shifts[t / 4] * scale;
        scree_rng rng = scree_rng_make(31, (uint64_t)t);
        scene_params params = scene_default_params();
        params.count = 150;
        params.ratio = 3.0;
        params.seed = (uint64_t)t;
        params.periodic[t % 3] = true;
        scree_sphere_set set;
        CHECK_OK(scene_make("cloud", &params, &set));
        for (int k = 0; k < 3; ++k) {
            set.box.lower[k] = set.box.lower[k] * scale + shift;
            set.box.upper[k] = ceil(set.box.upper[k] + 1.0) * scale + shift;
        }
        for (int64_t i = 0; i < set.count; ++i) {
            set.r[i] *= scale;
            for (int k = 0; k < 3; ++k)
                set.x[3 * i + k] = set.x[3 * i + k] * scale + shift;
        }
        scree_index_def def = scree_default_index_def();
        def.box = set.box;
        def.threads = 1;
        watched w;
        watch_start(&w, def);
        snprintf(w.where, sizeof w.where, "scale %g, moved by %g", scale, shift);
        int64_t pairs = 0;
        for (int step = 0; step < 12; ++step) {
            for (int64_t i = 0; i < set.count && step > 0; ++i)
                for (int k = 0; k < 3; ++k)
                    set.x[3 * i + k] = stepped(&rng, &set.box, k, set.x[3 * i + k], set.r[i], step % 3);
            pairs += check_step(&w, scree_sphere_set_view(&set), step);
        }
        assert_true(pairs > 0);
        watch_end(&w);
        scree_sphere_set_free(&set);
    }
}

// A chain of spheres each of which touches the next or misses it by the last bit, shaken by last bits again and again.
static void touching_to_the_last_bit_while_moving(void** state)
{
    (void)state;
    int64_t rounds = (int64_t)(150 * test_effort());
    scree_rng rng = scree_rng_make(78, 0);
    for (int64_t round = 0; round < rounds; ++round) {
        enum { n = 48 };
        double x[2 * n], r[n], at = round % 3 == 0 ? 1.0 : pow(10.0, 12.0 * scree_rng_uniform(&rng));
        for (int i = 0; i < n; ++i) {
            r[i] = 0.1 + scree_rng_uniform(&rng);
            at += i > 0 ? r[i - 1] + r[i] : 0.0;
            x[2 * i] = round % 2 == 0 ? at : 0.25;
            x[2 * i + 1] = round % 2 == 0 ? 0.25 : at;
        }
        scree_index_def def = scree_default_index_def();
        def.box = scree_box_open(2);
        def.threads = 1;
        watched w;
        watch_start(&w, def);
        snprintf(w.where, sizeof w.where, "chain %lld", (long long)round);
        for (int step = 0; step < 8; ++step) {
            for (int i = 0; i < n; ++i) {
                double* moving = &x[2 * i + round % 2];
                uint64_t how = scree_rng_below(&rng, 3);
                *moving = how == 0 ? nextafter(*moving, -INFINITY) : how == 1 ? nextafter(*moving, INFINITY) : *moving;
            }
            check_step(&w, (scree_spheres){.count = n, .dim = 2, .x = x, .r = r}, step);
        }
        watch_end(&w);
    }
}

// Gaps of several boxes: images by the dozen, of the sphere itself too.
static void gaps_larger_than_the_box_while_moving(void** state)
{
    (void)state;
    for (int t = 0; t < 24; ++t) {
        scree_rng rng = scree_rng_make(44, (uint64_t)t);
        int dim = 2 + t % 2;
        double x[12], r[4] = {0.5, 0.2, 0.0, 0.31};
        scree_index_def def = scree_default_index_def();
        def.box = scree_box_sized(dim, (double[3]){1.0, 1.25, 1.5});
        def.gap = (const double[]){0.6, 1.0, 3.2}[t / 2 % 3];
        def.threads = 1;
        for (int k = 0; k < dim; ++k)
            def.box.periodic[k] = t < 6 || (t >> k & 2) != 0;
        for (int k = 0; k < 4 * dim; ++k)
            x[k] = def.box.upper[k % dim] * scree_rng_uniform(&rng);
        watched w;
        watch_start(&w, def);
        snprintf(w.where, sizeof w.where, "set %d, gap %g", t, def.gap);
        for (int step = 0; step < 10; ++step) {
            for (int k = 0; k < 4 * dim && step > 0; ++k)
                x[k] = stepped(&rng, &def.box, k % dim, x[k], 0.3,
                               (const int[]){a_little, some, boxes, drift}[step % 4]);
            check_step(&w, (scree_spheres){.count = 4, .dim = dim, .x = x, .r = r}, step);
        }
        watch_end(&w);
    }
}

// Other radii, other counts and another gap between updates.
static void anything_may_change_between_updates(void** state)
{
    (void)state;
    scene_params params = scene_default_params();
    params.count = 200;
    params.ratio = 4.0;
    params.periodic[0] = params.periodic[1] = true;
    scree_sphere_set set;
    CHECK_OK(scene_make("cloud", &params, &set));
    scree_index_def def = scree_default_index_def();
    def.box = set.box;
    def.threads = 1;
    watched w;
    watch_start(&w, def);
    snprintf(w.where, sizeof w.where, "changing");
    scree_rng rng = scree_rng_make(6, 6);
    for (int step = 0; step < 60; ++step) {
        double factor = step % 5 == 0 ? 0.5 + scree_rng_uniform(&rng) : 1.01;
        scree_spheres spheres = scree_sphere_set_view(&set);
        for (int32_t i = 0; i < set.count; ++i)
            set.r[i] = fmin(set.r[i] * (step % 2 == 0 ? factor : 0.99), 0.45 * set.box.upper[0]);
        spheres.count = step % 7 == 6 ? 100 + (int32_t)scree_rng_below(&rng, 100) : 200;
        check_step(&w, spheres, step);
    }
    watch_end(&w);
    // With a skin around it the index asks this method for candidates now and then, each time with another gap.
    def.sorted = true;
    def.method = SCREE_METHOD_LINEAR_LIST;
    CHECK_OK(scree_index_create(&def, &w.index));
    def.method = SCREE_METHOD_ALL_PAIRS;
    CHECK_OK(scree_index_create(&def, &w.reference));
    for (int step = 0; step < 60; ++step) {
        for (int64_t i = 0; i < set.count; ++i)
            for (int k = 0; k < 3; ++k)
                set.x[3 * i + k] = stepped(&rng, &set.box, k, set.x[3 * i + k], set.r[i],
                                           step % 20 == 19 ? some : a_little);
        check_step(&w, scree_sphere_set_view(&set), step);
    }
    assert_true(scree_index_get_stats(w.index).rebuilds < 50);
    watch_end(&w);
    scree_sphere_set_free(&set);
}

// ---- Counters, threads, memory ------------------------------------------------------------------------------------

static void swaps_and_sorts_are_counted(void** state)
{
    (void)state;
    scene_params params = scene_default_params();
    params.count = 3000;
    params.periodic[2] = true;
    scree_sphere_set set;
    CHECK_OK(scene_make("cloud", &params, &set));
    scree_index_def def = scree_default_index_def();
    def.box = set.box;
    def.method = SCREE_METHOD_LINEAR_LIST;
    def.skin = -1.0;
    scree_index* index;
    scree_pairs pairs;
    scree_rng rng = scree_rng_make(3, 3);
    CHECK_OK(scree_index_create(&def, &index));
    for (int step = 0; step < 6; ++step) {
        CHECK_OK(scree_index_update(index, scree_sphere_set_view(&set)));
        CHECK_OK(scree_index_pairs(index, &pairs));
        scree_index_stats stats = scree_index_get_stats(index);
        assert_int_equal(stats.levels, 0);
        assert_true(stats.tests >= pairs.count);
        if (step == 0) {
            assert_int_equal(stats.swaps, 0);
            assert_true(stats.box_tests > stats.tests);
        }
        if (step == 1)  // nothing has moved
            assert_int_equal(stats.swaps + stats.box_tests, 0);
        if (step >= 2 && step < 5)
            assert_true(stats.swaps > 0 && stats.swaps < 20 * 3000 && stats.box_tests < 20 * 3000);
        assert_int_equal(stats.sorts, step < 5 ? 1 : 2);
        for (int64_t i = 0; i < set.count && step > 0; ++i)
            for (int k = 0; k < 3; ++k)
                set.x[3 * i + k] = stepped(&rng, &set.box, k, set.x[3 * i + k], set.r[i],
                                           step == 4 ? anywhere : a_little);
    }
    scree_index_destroy(index);
    scree_sphere_set_free(&set);
}

static void threads_change_nothing_while_moving(void** state)
{
    (void)state;
    static const int32_t threads[] = {1, 2, 7};
    scene_params params = scene_default_params();
    params.count = 12000;
    params.ratio = 3.0;
    params.periodic[0] = true;
    scree_sphere_set set;
    scree_index* index[3];
    CHECK_OK(scene_make("cloud", &params, &set));
    for (int t = 0; t < 3; ++t) {
        scree_index_def def = scree_default_index_def();
        def.box = set.box;
        def.method = SCREE_METHOD_LINEAR_LIST;
        def.skin = -1.0;
        def.threads = threads[t];
        CHECK_OK(scree_index_create(&def, &index[t]));
    }
    scree_rng rng = scree_rng_make(9, 9);
    for (int step = 0; step < (test_is_small() ? 3 : 8); ++step) {
        scree_pairs first = {0};
        scree_index_stats first_stats = {0};
        for (int t = 0; t < 3; ++t) {
            scree_pairs pairs;
            CHECK_OK(scree_index_update(index[t], scree_sphere_set_view(&set)));
            CHECK_OK(scree_index_pairs(index[t], &pairs));
            scree_index_stats stats = scree_index_get_stats(index[t]);
            if (t == 0) {
                first = pairs;
                first_stats = stats;
                continue;
            }
            assert_int_equal(pairs.count, first.count);
            assert_memory_equal(pairs.ij, first.ij, (size_t)pairs.count * sizeof *pairs.ij);
            assert_memory_equal(pairs.shift, first.shift, (size_t)pairs.count * sizeof *pairs.shift);
            assert_int_equal(stats.tests, first_stats.tests);
            assert_int_equal(stats.box_tests, first_stats.box_tests);
            assert_int_equal(stats.swaps, first_stats.swaps);
            assert_int_equal(stats.bytes, first_stats.bytes);
        }
        assert_true(first.count > 1000);
        for (int64_t i = 0; i < set.count; ++i)
            for (int k = 0; k < 3; ++k)
                set.x[3 * i + k] = stepped(&rng, &set.box, k, set.x[3 * i + k], set.r[i], step % 4);
    }
    for (int t = 0; t < 3; ++t)
        scree_index_destroy(index[t]);
    scree_sphere_set_free(&set);
}

static void steady_motion_allocates_nothing_in_the_end(void** state)
{
    (void)state;
    scene_params params = scene_default_params();
    params.count = 2000;
    params.periodic[0] = params.periodic[1] = params.periodic[2] = true;
    scree_sphere_set set;
    CHECK_OK(scene_make("cloud", &params, &set));
    scree_index_def def = scree_default_index_def();
    def.box = set.box;
    def.method = SCREE_METHOD_LINEAR_LIST;
    def.skin = -1.0;
    def.threads = 1;
    scree_index* index;
    scree_pairs pairs;
    CHECK_OK(scree_index_create(&def, &index));
    int64_t allocations = -1;
    for (int step = 0; step < 60; ++step) {
        CHECK_OK(scree_index_update(index, scree_sphere_set_view(&set)));
        CHECK_OK(scree_index_pairs(index, &pairs));
        int64_t more = scree_memory_fail_at(0);
        allocations = step == 39 ? 0 : allocations + more;
        for (int64_t k = 0; k < 3 * (int64_t)set.count; ++k)
            set.x[k] += (step % 2 == 0 ? 0.01 : -0.01) * (k % 5 == 0 ? 1.0 : 0.3);
    }
    assert_int_equal(allocations, 0);
    scree_index_stats stats = scree_index_get_stats(index);
    assert_int_equal(stats.sorts, 1);
    assert_true((double)stats.bytes < 450.0 * set.count + 120.0 * (double)stats.tests);
    scree_index_destroy(index);
    scree_sphere_set_free(&set);
}

// Memory O(n + pairs), whatever the size ratio.
static void memory_is_linear(void** state)
{
    (void)state;
    for (int t = 0; t < 3; ++t) {
        scene_params params = scene_default_params();
        params.count = 20000;
        params.ratio = (const double[]){1.0, 50.0, 1000.0}[t];
        scree_sphere_set set;
        CHECK_OK(scene_make("sparse", &params, &set));
        scree_index_def def = scree_default_index_def();
        def.method = SCREE_METHOD_LINEAR_LIST;
        def.threads = 1;
        scree_index* index;
        scree_pairs pairs;
        CHECK_OK(scree_index_create(&def, &index));
        CHECK_OK(scree_index_update(index, scree_sphere_set_view(&set)));
        CHECK_OK(scree_index_pairs(index, &pairs));
        scree_index_stats stats = scree_index_get_stats(index);
        assert_true((double)stats.bytes < 1e5 + 280.0 * params.count + 60.0 * (double)stats.tests);
        scree_index_destroy(index);
        scree_sphere_set_free(&set);
    }
}

// A build without memory: the index keeps the new spheres and asks again, so that the answer comes later or says MEMORY.
static void each_allocation_of_an_update_may_fail(void** state)
{
    (void)state;
    scene_params params = scene_default_params();
    params.count = 600;
    params.ratio = 3.0;
    params.periodic[0] = params.periodic[2] = true;
    scree_sphere_set set;
    CHECK_OK(scene_make("cloud", &params, &set));
    scree_index_def def = scree_default_index_def();
    def.box = set.box;
    def.sorted = true;
    def.skin = -1.0;
    def.threads = 1;
    def.method = SCREE_METHOD_ALL_PAIRS;
    scree_index *reference, *index = NULL;
    scree_pairs wanted, pairs;
    CHECK_OK(scree_index_create(&def, &reference));
    def.method = SCREE_METHOD_LINEAR_LIST;
    scree_rng rng = scree_rng_make(14, 0);
    for (int step = 0; step < 4; ++step) {  // from nothing, a little, a few jump, all
        CHECK_OK(scree_index_update(reference, scree_sphere_set_view(&set)));
        CHECK_OK(scree_index_pairs(reference, &wanted));
        for (int64_t n = 1;; ++n) {
            if (step == 0) {
                scree_index_destroy(index);
                CHECK_OK(scree_index_create(&def, &index));
            }
            scree_memory_fail_at(n);
            scree_status status = scree_index_update(index, scree_sphere_set_view(&set));
            if (status == SCREE_OK)
                status = scree_index_pairs(index, &pairs);
            int64_t allocations = scree_memory_fail_at(0);
            if (status != SCREE_OK) {
                assert_int_equal(status, SCREE_ERR_MEMORY);
                CHECK_OK(scree_index_update(index, scree_sphere_set_view(&set)));
                CHECK_OK(scree_index_pairs(index, &pairs));
            }
            CHECK_OK(scree_index_validate(index));
            assert_int_equal(pairs.count, wanted.count);
            assert_memory_equal(pairs.ij, wanted.ij, (size_t)wanted.count * sizeof *wanted.ij);
            if (allocations < n)
                break;
        }
        for (int64_t i = 0; i < set.count; ++i) {
            set.r[i] *= 1.1;  // more pairs each time
            for (int k = 0; k < 3; ++k)
                set.x[3 * i + k] = stepped(&rng, &set.box, k, set.x[3 * i + k], set.r[i],
                                           (const int[]){a_little, jumps, anywhere, nothing}[step]);
        }
    }
    scree_index_destroy(index);
    scree_index_destroy(reference);
    scree_sphere_set_free(&set);
}

// Bodies inside boxes: every pair whose boxes and spheres meet is reported.
static void bodies_are_found_by_their_boxes(void** state)
{
    (void)state;
    enum { n = 120 };
    double xr[n][4], half[n][3];
    scree_rng rng = scree_rng_make(17, 0);
    items it = {.n = n,
                .dim = 3,
                .xr = (const double(*)[4])xr,
                .half = (const double(*)[3])half,
                .threads = 1,
                .periodic = {true, false, false},
                .length = {10.0, 10.0, 10.0},
                .r_min = 0.0,
                .r_max = 2.0,
                .gap = 0.125};
    void* self = linear_list_method.create();
    assert_non_null(self);
    for (int step = 0; step < 10; ++step) {
        for (int i = 0; i < n; ++i)
            for (int k = 0; k < 3; ++k) {
                xr[i][k] = step == 0 ? 10.0 * scree_rng_uniform(&rng) : xr[i][k] + 0.1 * scree_rng_uniform(&rng);
                xr[i][k] = xr[i][k] >= 10.0 ? xr[i][k] - 10.0 : xr[i][k];
                half[i][k] = 0.2 + scree_rng_uniform(&rng);
                xr[i][3] = 2.0;
            }
        CHECK_OK(linear_list_method.prepare(self, &it));
        CHECK_OK(linear_list_method.build(self, &it));
        CHECK_OK(linear_list_method.validate(self));
        int64_t wanted = 0;
        for (int i = 0; i < n; ++i)
            for (int j = i + 1; j < n; ++j)
                for (int s = -1; s <= 1; ++s) {
                    const double offset[3] = {s * 10.0, 0.0, 0.0};
                    bool meet = scree_is_pair(xr[i], xr[j], offset, it.gap);
                    for (int k = 0; k < 3; ++k)
                        meet = meet && fabs(xr[i][k] - xr[j][k] - offset[k]) < half[i][k] + half[j][k] + it.gap;
                    wanted += meet;
                }
        pair_output found = {0};
        CHECK_OK(pair_list_fill(&found, &linear_list_method, self, &it, true, 1, NULL));
        assert_int_equal(found.count, wanted);
        assert_true(wanted > n / 2);
        pair_list_free(&found);
    }
    linear_list_method.destroy(self);
}

// ---- One by one ---------------------------------------------------------------------------------------------------

enum { most = 160 };

typedef struct few {  // spheres that come and go
    items it;
    scree_box box;
    double xr[most][4];
    bool in[most];
    void* self;
    char where[200];
} few;

static void check_few(const few* f, const double xr[4], int32_t own)
{
    check_near(&linear_list_method, f->self, &f->it, most, f->in, xr, own, f->where);
}

static void place_anywhere(few* f, scree_rng* rng, double xr[4])
{
    for (int k = 0; k < f->it.dim; ++k)
        xr[k] = f->box.lower[k] + (f->box.upper[k] - f->box.lower[k]) * scree_rng_uniform(rng);
}

static void start_few(few* f, int64_t round, scree_rng* rng)
{
    *f = (few){.it = {.dim = 2 + (int32_t)(round % 2), .threads = 1, .n = 80, .xr = (const double(*)[4])f->xr}};
    double side = 4.0 + 8.0 * scree_rng_uniform(rng), ratio = (const double[]){1.0, 3.0, 50.0}[round % 3];
    double from = round % 5 == 4 ? 1e12 : 0.0;
    f->box = scree_box_sized(f->it.dim, (double[3]){side, side, 2.0 * side});
    f->it.gap = (const double[]){0.0, 0.3, -0.1, 0.0, 9.0}[scree_rng_below(rng, round % 2 == 0 ? 5 : 4)];
    for (int k = 0; k < f->it.dim; ++k) {
        f->box.periodic[k] = f->it.periodic[k] = scree_rng_below(rng, 2) == 1;
        f->box.lower[k] += from;
        f->box.upper[k] += from;
        f->it.lower[k] = f->box.lower[k];
        f->it.length[k] = f->box.upper[k] - f->box.lower[k];
    }
    f->it.r_max = 0.49 * fmin(side, 4.0);
    f->it.r_min = 0.0;
    for (int i = 0; i < most; ++i) {
        place_anywhere(f, rng, f->xr[i]);
        f->xr[i][3] = scree_rng_below(rng, 10) == 0 ? 0.0 : f->it.r_max * pow(ratio, -scree_rng_uniform(rng)) * 0.3;
        f->xr[i][3] = i == 3 ? f->it.r_max : f->xr[i][3];
        f->in[i] = i < 80;
    }
    snprintf(f->where, sizeof f->where, "round %lld, dim %d, periodic %d%d%d, gap %g", (long long)round, f->it.dim,
             f->it.periodic[0], f->it.periodic[1], f->it.periodic[2], f->it.gap);
    f->self = linear_list_method.create();
    assert_non_null(f->self);
    CHECK_OK(linear_list_method.open(f->self, &f->it));
}

// A move of one of the kinds, through faces too.
static void move_one(few* f, scree_rng* rng, int32_t i)
{
    double from[4], back[4];
    memcpy(from, f->xr[i], sizeof from);
    uint64_t kind = scree_rng_below(rng, 5);
    for (int k = 0; k < f->it.dim; ++k) {
        double u = 2.0 * scree_rng_uniform(rng) - 1.0, length = f->it.length[k], x = f->xr[i][k];
        x += (const double[]){0.02 * u, 0.3 * u, 0.5 * length * u, k == 0 ? 0.2 : 0.0, 0.0}[kind];
        x = f->box.periodic[k] ? scree_box_wrap(&f->box, k, x, NULL) : x;
        f->xr[i][k] = !f->box.periodic[k] && (x < f->box.lower[k] || x > f->box.upper[k]) ? f->xr[i][k] : x;
    }
    memcpy(back, f->xr[i], sizeof back);
    CHECK_OK(linear_list_method.move(f->self, i, from));
    if (kind == 1) {  // and back, and there again
        memcpy(f->xr[i], from, sizeof from);
        CHECK_OK(linear_list_method.move(f->self, i, back));
        check_few(f, f->xr[i], i);
        memcpy(f->xr[i], back, sizeof back);
        CHECK_OK(linear_list_method.move(f->self, i, from));
    }
}

static void one_by_one_agrees_with_a_plain_loop(void** state)
{
    (void)state;
    int64_t rounds = (int64_t)(60 * test_effort());
    static few f;
    for (int64_t round = 0; round < rounds; ++round) {
        scree_rng rng = scree_rng_make(90, (uint64_t)round);
        start_few(&f, round, &rng);
        for (int step = 0; step < 250; ++step) {
            int32_t i = (int32_t)scree_rng_below(&rng, most);
            f.it.n = i >= f.it.n ? i + 1 : f.it.n;
            if (!f.in[i]) {
                place_anywhere(&f, &rng, f.xr[i]);
                CHECK_OK(linear_list_method.insert(f.self, i));
                f.in[i] = true;
            } else if (scree_rng_below(&rng, 8) == 0) {
                linear_list_method.remove(f.self, i);
                f.in[i] = false;
            } else {
                move_one(&f, &rng, i);
            }
            if (f.in[i])
                check_few(&f, f.xr[i], i);
            double xr[4] = {0.0, 0.0, 0.0, scree_rng_below(&rng, 2) == 0 ? 0.0 : f.it.r_max * scree_rng_uniform(&rng)};
            place_anywhere(&f, &rng, xr);
            if (step % 4 == 0)
                check_few(&f, xr, -1);
            xr[3] = f.xr[i][3];
            if (f.in[i] && step % 8 == 0)
                check_few(&f, xr, i);  // where it might go, its own place not left out but as an image
            if (step % 25 == 0 && linear_list_method.check(f.self) != SCREE_OK)
                fail_msg("%s, step %d: %s", f.where, step, scree_error_message());
        }
        CHECK_OK(linear_list_method.check(f.self));
        linear_list_method.destroy(f.self);
    }
}

// Without memory a sphere that was to come in or to move is not in; all others are as they were.
static void each_allocation_one_by_one_may_fail(void** state)
{
    (void)state;
    static few f;
    for (int64_t round = 0; round < 6; ++round) {
        scree_rng rng = scree_rng_make(91, (uint64_t)round);
        start_few(&f, round, &rng);
        void* other = linear_list_method.create();
        EACH_ALLOCATION_FAILS(linear_list_method.open(other, &f.it), (void)0);
        CHECK_OK(linear_list_method.check(other));
        linear_list_method.destroy(other);
        for (int32_t i = 80; i < most; ++i) {
            f.it.n = i + 1;
            EACH_ALLOCATION_FAILS(linear_list_method.insert(f.self, i), CHECK_OK(linear_list_method.check(f.self)));
            f.in[i] = true;
            check_few(&f, f.xr[i], i);
        }
        for (int step = 0; step < 200; ++step) {
            int32_t i = (int32_t)scree_rng_below(&rng, most);
            double from[4];
            memcpy(from, f.xr[i], sizeof from);
            for (int k = 0; k < f.it.dim; ++k)  // they crowd in the middle: more and more pairs
                f.xr[i][k] += (0.5 * (f.box.lower[k] + f.box.upper[k]) - f.xr[i][k]) * (step % 3 == 0 ? 0.9 : 0.1);
            for (int64_t n = 1;; ++n) {
                scree_memory_fail_at(n);
                scree_status status = linear_list_method.move(f.self, i, from);
                int64_t allocations = scree_memory_fail_at(0);
                if (status == SCREE_OK) {
                    assert_true(allocations < n);
                    break;
                }
                assert_int_equal(status, SCREE_ERR_MEMORY);
                CHECK_OK(linear_list_method.check(f.self));
                memcpy(f.xr[i], from, sizeof from);
                CHECK_OK(linear_list_method.insert(f.self, i));
                for (int k = 0; k < f.it.dim; ++k)
                    f.xr[i][k] += (0.5 * (f.box.lower[k] + f.box.upper[k]) - f.xr[i][k]) * (step % 3 == 0 ? 0.9 : 0.1);
            }
            check_few(&f, f.xr[i], i);
        }
        CHECK_OK(linear_list_method.check(f.self));
        linear_list_method.destroy(f.self);
    }
}

// What is broken is found: the check would not be worth much if it always said OK.
static void the_check_finds_what_is_broken(void** state)
{
    (void)state;
    items it = fig_6();
    for (int how = 0; how < 5; ++how) {
        box_lists l = {0};
        CHECK_OK(box_lists_update(&l, &it));
        CHECK_OK(box_lists_check(&l));
        const int none[3] = {0, 0, 0};
        switch (how) {
        case 0: l.list[0].key[2] = l.list[0].key[3] + 2; break;
        case 1: l.list[1].word[0] = l.list[1].word[1]; break;
        case 2: pair_set_remove(&l.pairs, 2, 3, none); break;
        case 3: CHECK_OK(pair_set_add(&l.pairs, 0, 1, none)); break;
        default: --l.list[0].count; break;
        }
        assert_int_equal(box_lists_check(&l), SCREE_ERR_ARGUMENT);
        box_lists_free(&l);
    }
}

// A ghost may come out a last bit longer than its main image. A box that begins just before such a ghost ends must still meet it: here
// one that is put in there, and then moves on until the two overlap.
static void ghosts_may_be_longer_than_their_main_image(void** state)
{
    (void)state;
    scree_rng rng = scree_rng_make(31, 0);
    int64_t tried = 0;
    for (int t = 0; t < 4000; ++t) {
        double length = 520.0 + 500.0 * scree_rng_uniform(&rng), r = 0.5 + scree_rng_uniform(&rng);
        double x = length - r * scree_rng_uniform(&rng), other = 0.25;
        items it = {.dim = 2, .periodic = {true}, .length = {length}};
        box_axis axis = box_axis_of(&it, 0);
        int image, ghosts;
        int64_t own[2], ghost[2];
        box_images(&axis, x, r, &image, &ghosts);
        box_ends(&axis, x, r, image, own);
        box_ends(&axis, x, r, image - 1, ghost);
        if (ghosts < 1 || !(box_value(ghost[1]) - box_value(ghost[0]) > box_value(own[1]) - box_value(own[0])))
            continue;
        ++tried;
        double end = box_value(ghost[1]), at = end + other;
        while (box_begin(&axis, at, other, 0) < end)
            at = nextafter(at, INFINITY);
        while (box_begin(&axis, at, other, 0) >= end)
            at = nextafter(at, -INFINITY);
        scree_index_def def = scree_default_index_def();
        def.method = SCREE_METHOD_LINEAR_LIST;
        def.skin = -1.0;
        def.box = scree_box_open(2);
        def.box.lower[0] = 0.0;
        def.box.upper[0] = length;
        def.box.periodic[0] = true;
        scree_index* index;
        scree_neighbours near;
        CHECK_OK(scree_index_create(&def, &index));
        CHECK_OK(scree_index_insert(index, (double[2]){x, 0.0}, r, NULL));
        CHECK_OK(scree_index_neighbours(index, 0, &near));
        CHECK_OK(scree_index_insert(index, (double[2]){nextafter(at, -INFINITY), 0.0}, other, NULL));
        CHECK_OK(scree_index_validate(index));
        CHECK_OK(scree_index_move(index, 1, (double[2]){at - 0.1, 0.0}));
        CHECK_OK(scree_index_neighbours(index, 1, &near));
        assert_int_equal(near.count, 1);
        scree_index_destroy(index);
    }
    assert_true(tried > 100);
}

static const test_case cases[] = {
    UNIT(ghosts_may_be_longer_than_their_main_image),
    UNIT(the_example_of_the_paper),
    UNIT(keys_sort_as_numbers_do),
    PROPERTY(boxes_of_pairs_always_meet),
    UNIT(a_set_of_pairs_holds_what_was_put_in),
    PROPERTY(every_history_agrees_with_all_pairs),
    UNIT(far_and_tiny_spheres_move_too),
    PROPERTY(touching_to_the_last_bit_while_moving),
    UNIT(gaps_larger_than_the_box_while_moving),
    UNIT(anything_may_change_between_updates),
    UNIT(swaps_and_sorts_are_counted),
    THREADS(threads_change_nothing_while_moving),
    ALLOCATION(steady_motion_allocates_nothing_in_the_end),
    UNIT(memory_is_linear),
    ALLOCATION(each_allocation_of_an_update_may_fail),
    UNIT(bodies_are_found_by_their_boxes),
    PROPERTY(one_by_one_agrees_with_a_plain_loop),
    ALLOCATION(each_allocation_one_by_one_may_fail),
    UNIT(the_check_finds_what_is_broken),
};

const test_group group_linear_list = {.name = "linear_list", .cases = cases, .count = sizeof cases / sizeof *cases};
