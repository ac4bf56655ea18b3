// Box pairs: against a loop over all spheres and images that compares doubles, through histories of all calls that change spheres, with lists of
// candidates and without; the example of the paper; what is refused, stopped or runs out of memory.
#include "index_support.h"

#include "scree/index.h"

// ---- The reference ----------------------------------------------------------------------------------------------------

enum { most = 48, most_images = 4, most_rows = 40000 };

typedef struct model {  // the spheres as the caller knows them
    scree_box box;
    double gap;
    int32_t n;
    double x[3 * most], r[most], half[3 * most];
    bool boxed;  // half counts
} model;

typedef struct rows {
    int64_t count;
    int32_t ij[most_rows][2];
    int8_t shift[most_rows][3];
} rows;

// Which shifts bring the two together on axis k: ok[s + most_images].
static bool meet_along(const model* m, int32_t i, int32_t j, int k, bool ok[2 * most_images + 1], int* turns)
{
    int dim = m->box.dim;
    double turns_i = 0.0, turns_j = 0.0, length = m->box.periodic[k] ? m->box.upper[k] - m->box.lower[k] : 0.0;
    double a = scree_box_wrap(&m->box, k, m->x[i * dim + k], &turns_i), b = scree_box_wrap(&m->box, k, m->x[j * dim + k], &turns_j);
    double h_i = m->boxed ? fmin(m->r[i], m->half[i * dim + k]) : m->r[i], h_j = m->boxed ? fmin(m->r[j], m->half[j * dim + k]) : m->r[j];
    bool any = false;
    for (int s = -most_images; s <= most_images; ++s) {
        ok[s + most_images] = (s == 0 || m->box.periodic[k]) && fabs((a - b) - s * length) <= (h_i + h_j) + m->gap;
        any = any || ok[s + most_images];
    }
    *turns = (int)(turns_i - turns_j);
    return any;
}

static void reference(const model* m, rows* out)
{
    out->count = 0;
    for (int32_t i = 0; i < m->n; ++i)
        for (int32_t j = i; j < m->n; ++j) {
            bool ok[3][2 * most_images + 1] = {{false}};
            int turns[3] = {0, 0, 0};
            ok[2][most_images] = true;  // 2D
            bool all = true;
            for (int k = 0; k < m->box.dim && all; ++k)
                all = meet_along(m, i, j, k, ok[k], &turns[k]);
            if (!all)
                continue;
            for (int code = 0; code < 9 * 9 * 9; ++code) {
                const int s[3] = {code / 81 - most_images, code / 9 % 9 - most_images, code % 9 - most_images};
                bool meet = ok[0][s[0] + most_images] && ok[1][s[1] + most_images] && ok[2][s[2] + most_images];
                if (!meet || (i == j && (s[0] < 0 || (s[0] == 0 && (s[1] < 0 || (s[1] == 0 && s[2] <= 0))))))
                    continue;
                assert_true(out->count < most_rows);
                out->ij[out->count][0] = i;
                out->ij[out->count][1] = j;
                for (int k = 0; k < 3; ++k)
                    out->shift[out->count][k] = (int8_t)(s[k] + turns[k]);
                ++out->count;
            }
        }
}

static rows wanted;

static int64_t check_boxes(scree_index* index, const model* m, const char* where, int step)
{
    scree_pairs found;
    reference(m, &wanted);
    CHECK_OK(scree_index_box_pairs(index, &found));
    if (found.count != wanted.count)
        fail_msg("%s, step %d: %lld box pairs and should be %lld", where, step, (long long)found.count, (long long)wanted.count);
    assert_int_equal(found.shift != NULL, scree_box_is_periodic(&m->box));
    for (int64_t p = 0; p < found.count; ++p)
        if (memcmp(found.ij[p], wanted.ij[p], sizeof *found.ij) != 0 ||
            (found.shift != NULL && memcmp(found.shift[p], wanted.shift[p], sizeof *found.shift) != 0))
            fail_msg("%s, step %d: row %lld is %d %d and should be %d %d, or its shift differs", where, step, (long long)p, found.ij[p][0], found.ij[p][1],
                     wanted.ij[p][0], wanted.ij[p][1]);
    return found.count;
}

// ---- Histories ----------------------------------------------------------------------------------------------------

static scree_spheres view(const model* m)
{
    return (scree_spheres){.count = m->n, .dim = m->box.dim, .x = m->x, .r = m->r};
}

// A coordinate inside the box, on eighths in every other round: ends then coincide by the dozen, and boxes touch exactly.
static double draw(const model* m, scree_rng* rng, int k, bool eighths)
{
    double length = m->box.upper[k] - m->box.lower[k], u = scree_rng_uniform(rng);
    return m->box.lower[k] + (eighths ? floor(8.0 * length * u) / 8.0 : length * u);
}

static void start(model* m, int64_t round, scree_rng* rng)
{
    bool eighths = round % 2 == 0;
    *m = (model){.n = (int32_t)scree_rng_below(rng, most - 8), .box = scree_box_sized(2 + (int32_t)(round / 2 % 2), (double[3]){4.0, 5.0, 6.0})};
    m->gap = (const double[]){0.0, 0.0, 0.25, -0.25, 3.0}[scree_rng_below(rng, 5)];
    double from = (const double[]){0.0, -2.0, 1e6}[scree_rng_below(rng, 3)], ratio = (const double[]){1.0, 10.0, 1000.0}[scree_rng_below(rng, 3)];
    for (int k = 0; k < m->box.dim; ++k) {
        m->box.periodic[k] = scree_rng_below(rng, 2) == 1;
        m->box.lower[k] += from;
        m->box.upper[k] += from;
    }
    for (int32_t i = 0; i < most; ++i) {
        for (int k = 0; k < m->box.dim; ++k)
            m->x[i * m->box.dim + k] = draw(m, rng, k, eighths);
        uint64_t kind = scree_rng_below(rng, 10);
        m->r[i] = kind == 0 ? 0.0 : kind == 1 ? 2.0 : eighths ? 0.125 * (double)scree_rng_below(rng, 5) : 0.5 * pow(ratio, -scree_rng_uniform(rng));
    }
}

// All spheres somewhere else: a little, on eighths, through faces and around the box, by last bits, anywhere.
static void stir(model* m, scree_rng* rng, bool eighths)
{
    uint64_t kind = scree_rng_below(rng, 6);
    int dim = m->box.dim;
    for (int64_t e = 0; e < (int64_t)m->n * dim; ++e) {
        int k = (int)(e % dim);
        double length = m->box.upper[k] - m->box.lower[k], u = 2.0 * scree_rng_uniform(rng) - 1.0, x = m->x[e];
        if (kind < 3)
            x += eighths ? 0.125 * (double)((int)scree_rng_below(rng, 3) - 1) : 0.02 * u;
        else if (kind == 3)
            x = x == 0.0 ? x : nextafter(x, u < 0.0 ? -INFINITY : INFINITY);
        else if (kind == 4)
            x += m->box.periodic[k] ? length * (double)((int)scree_rng_below(rng, 3) - 1) : 0.0;
        else
            x = draw(m, rng, k, eighths);
        bool out = m->box.periodic[k] ? fabs(x - m->box.lower[k]) > 20.0 * length : x < m->box.lower[k] || x > m->box.upper[k];
        m->x[e] = out ? draw(m, rng, k, eighths) : x;
    }
}

// One call that changes the index, and the same to the model. Half sides are known until the first single sphere changes.
static void change(model* m, scree_index* index, scree_rng* rng, bool eighths, bool plain)
{
    int dim = m->box.dim;
    uint64_t kind = scree_rng_below(rng, 9);
    int32_t i = m->n > 0 ? (int32_t)scree_rng_below(rng, (uint64_t)m->n) : 0;
    double x[3] = {0.0, 0.0, 0.0};
    for (int k = 0; k < dim; ++k)
        x[k] = draw(m, rng, k, eighths);
    if (plain || kind < 4 || m->n == 0) {
        stir(m, rng, eighths);
        m->boxed = kind == 3;
        for (int32_t e = 0; e < m->n * dim; ++e)
            m->half[e] = eighths ? 0.125 * (double)scree_rng_below(rng, 5) : 0.5 * scree_rng_uniform(rng);
        if (m->boxed)
            CHECK_OK(scree_index_update_boxes(index, view(m), m->half));
        else
            CHECK_OK(scree_index_update(index, view(m)));
        return;
    }
    m->boxed = false;
    if (kind < 6) {
        CHECK_OK(scree_index_move(index, i, x));
        memcpy(&m->x[i * dim], x, (size_t)dim * sizeof *x);
    } else if (kind == 6) {
        m->r[i] = eighths ? 0.125 * (double)scree_rng_below(rng, 7) : scree_rng_uniform(rng);
        CHECK_OK(scree_index_set_radius(index, i, m->r[i]));
    } else if (kind == 7 && m->n < most) {
        CHECK_OK(scree_index_insert(index, x, 0.25, NULL));
        memcpy(&m->x[m->n * dim], x, (size_t)dim * sizeof *x);
        m->r[m->n++] = 0.25;
    } else {
        CHECK_OK(scree_index_remove(index, i));
        --m->n;
        memcpy(&m->x[i * dim], &m->x[m->n * dim], (size_t)dim * sizeof *x);
        m->r[i] = m->r[m->n];
    }
}

static void every_history_agrees_with_a_plain_loop(void** state)
{
    (void)state;
    int64_t rounds = (int64_t)(100 * test_effort()), pairs = 0, lists = 0;
    for (int64_t round = 0; round < rounds; ++round)
        for (int by = 0; by < 2; ++by) {
            scree_rng rng = scree_rng_make(71, (uint64_t)round);
            model m;
            start(&m, round, &rng);
            scree_index_def def = scree_default_index_def();
            def.method = by == 0 ? SCREE_METHOD_LINEAR_LIST : SCREE_METHOD_ALL_PAIRS;
            def.box = m.box;
            def.gap = m.gap;
            def.sorted = true;
            def.threads = 1;
            def.skin = (const double[]){-1.0, 0.0, 0.3}[round / 4 % 3];
            scree_index* index;
            CHECK_OK(scree_index_create(&def, &index));
            scree_pairs found;
            CHECK_OK(scree_index_box_pairs(index, &found));  // before the first update: none
            assert_true(found.count == 0 && (found.shift != NULL) == scree_box_is_periodic(&m.box));
            CHECK_OK(scree_index_update(index, view(&m)));
            char where[160];
            snprintf(where, sizeof where, "round %lld by %s, dim %d, periodic %d%d%d, gap %g, skin %g", (long long)round,
                     scree_method_name((scree_method)def.method), m.box.dim, m.box.periodic[0], m.box.periodic[1], m.box.periodic[2], def.gap, def.skin);
            for (int step = 0; step < 14; ++step) {
                bool asked = scree_rng_below(&rng, 2) == 0;
                if (step > 0)
                    change(&m, index, &rng, round % 2 == 0, step < 5);
                if (asked)  // lists are made by this
                    CHECK_OK(scree_index_pairs(index, &found));
                scree_index_stats before = scree_index_get_stats(index);
                pairs += check_boxes(index, &m, where, step);
                check_boxes(index, &m, where, step);
                assert_int_equal(scree_index_get_stats(index).list_build, before.list_build);
                lists += before.list_build > 0;
                CHECK_OK(scree_index_validate(index));
            }
            scree_index_destroy(index);
        }
    assert_true(pairs > 1000 * rounds && lists > rounds);
}

// Pairs are the same whether or not box pairs were asked for in between, and each of them is a box pair.
static void box_pairs_hold_all_pairs_and_leave_them_alone(void** state)
{
    (void)state;
    int64_t closer = 0;
    for (int64_t round = 0; round < 40; ++round) {
        scree_rng rng = scree_rng_make(72, (uint64_t)round);
        model m;
        start(&m, round, &rng);
        scree_index *index, *other;
        scree_index_def def = scree_default_index_def();
        def.method = SCREE_METHOD_LINEAR_LIST;
        def.box = m.box;
        def.gap = m.gap;
        def.sorted = true;
        def.skin = round % 3 == 0 ? -1.0 : 0.2;
        CHECK_OK(scree_index_create(&def, &index));
        CHECK_OK(scree_index_create(&def, &other));
        for (int step = 0; step < 8; ++step) {
            scree_pairs pairs, alone, boxes;
            CHECK_OK(scree_index_update(index, view(&m)));
            CHECK_OK(scree_index_update(other, view(&m)));
            CHECK_OK(scree_index_pairs(other, &alone));
            CHECK_OK(scree_index_box_pairs(index, &boxes));
            CHECK_OK(scree_index_pairs(index, &pairs));
            answer a = keep(index, &m.box, pairs), b = keep(other, &m.box, alone);
            check_same(&a, &b, "pairs after box pairs");
            CHECK_OK(scree_index_box_pairs(index, &boxes));
            int64_t p = 0;
            for (int64_t q = 0; q < boxes.count && p < a.count; ++q)
                p += memcmp(boxes.ij[q], a.ij[p], sizeof *boxes.ij) == 0 && (boxes.shift == NULL || memcmp(boxes.shift[q], a.shift[p], sizeof *a.shift) == 0);
            assert_int_equal(p, a.count);
            closer += boxes.count > a.count;
            forget(&a);
            forget(&b);
            stir(&m, &rng, false);
        }
        scree_index_destroy(index);
        scree_index_destroy(other);
    }
    assert_true(closer > 100);
}

// ---- What the paper and the header say ------------------------------------------------------------------------------

// Muth et al. (2007), Fig. 7: boxes 1 and 2, 1 and 3, 3 and 4 collide (spheres counted from 1); 3 and 4 as discs do not touch. Then 4 moves until its box
// touches that of 3 along y, and one last bit farther.
static void the_example_of_the_paper(void** state)
{
    (void)state;
    double x[] = {2.0, 2.0, 3.5, 1.0, 1.0, 4.0, 2.75, 5.75}, r[] = {1.0, 1.0, 1.0, 1.0};
    for (int by = 0; by < 2; ++by) {
        scree_index_def def = scree_default_index_def();
        def.method = by == 0 ? SCREE_METHOD_LINEAR_LIST : SCREE_METHOD_ALL_PAIRS;
        def.box = scree_box_open(2);
        def.sorted = true;
        scree_index* index;
        scree_pairs boxes, pairs;
        CHECK_OK(scree_index_create(&def, &index));
        CHECK_OK(scree_index_update(index, (scree_spheres){.count = 4, .dim = 2, .x = x, .r = r}));
        CHECK_OK(scree_index_box_pairs(index, &boxes));
        static const int32_t fig_7[3][2] = {{0, 1}, {0, 2}, {2, 3}};
        assert_int_equal(boxes.count, 3);
        assert_memory_equal(boxes.ij, fig_7, sizeof fig_7);
        assert_null(boxes.shift);
        CHECK_OK(scree_index_pairs(index, &pairs));
        assert_int_equal(pairs.count, 1);  // 1 and 2; boxes 1 and 3 touch, discs 1 and 3 do not
        CHECK_OK(scree_index_move(index, 3, (double[]){2.75, 6.0}));
        CHECK_OK(scree_index_box_pairs(index, &boxes));
        assert_int_equal(boxes.count, 3);
        CHECK_OK(scree_index_move(index, 3, (double[]){2.75, nextafter(6.0, 7.0)}));
        CHECK_OK(scree_index_box_pairs(index, &boxes));
        assert_int_equal(boxes.count, 2);
        scree_index_destroy(index);
    }
}

// A disc as wide as its periodic box touches its own box image, and no pair of spheres does.
static void a_box_touches_its_own_image(void** state)
{
    (void)state;
    for (int by = 0; by < 2; ++by) {
        scree_index_def def = scree_default_index_def();
        def.method = by == 0 ? SCREE_METHOD_LINEAR_LIST : SCREE_METHOD_ALL_PAIRS;
        def.box = scree_box_sized(2, (const double[]){2.0, 3.0});
        def.box.periodic[0] = def.box.periodic[1] = true;
        scree_index* index;
        scree_pairs found;
        CHECK_OK(scree_index_create(&def, &index));
        CHECK_OK(scree_index_update(index, (scree_spheres){.count = 1, .dim = 2, .x = (const double[]){0.5, 0.5}, .r = (const double[]){1.0}}));
        CHECK_OK(scree_index_pairs(index, &found));
        assert_int_equal(found.count, 0);
        CHECK_OK(scree_index_box_pairs(index, &found));
        assert_int_equal(found.count, 1);
        assert_true(found.ij[0][0] == 0 && found.ij[0][1] == 0 && found.shift[0][0] == 1 && found.shift[0][1] == 0);
        scree_index_destroy(index);
    }
}

// Two points that rounding puts at a distance of 0 across a periodic face.
static void points_meet_across_a_face_by_rounding(void** state)
{
    (void)state;
    const double x[] = {nextafter(0.5, 0.0), 0.0, -0.5, 0.0}, r[] = {0.0, 0.0};
    for (int by = 0; by < 2; ++by) {
        model m = {.box = scree_box_sized(2, (const double[]){1.0, 1.0}), .n = 2};
        m.box.lower[0] = -0.5;
        m.box.upper[0] = 0.5;
        m.box.periodic[0] = true;
        memcpy(m.x, x, sizeof x);
        scree_index_def def = scree_default_index_def();
        def.method = by == 0 ? SCREE_METHOD_LINEAR_LIST : SCREE_METHOD_ALL_PAIRS;
        def.box = m.box;
        scree_index* index;
        CHECK_OK(scree_index_create(&def, &index));
        CHECK_OK(scree_index_update(index, (scree_spheres){.count = 2, .dim = 2, .x = x, .r = r}));
        assert_int_equal(check_boxes(index, &m, "points", 0), 1);
        scree_index_destroy(index);
    }
}

static void methods_without_boxes_refuse(void** state)
{
    (void)state;
    for (int method = 0; method < SCREE_METHOD_COUNT; ++method) {
        bool has = method == SCREE_METHOD_LINEAR_LIST || method == SCREE_METHOD_ALL_PAIRS;
        scree_index_def def = scree_default_index_def();
        def.method = method;
        scree_index* index;
        scree_pairs found;
        CHECK_OK(scree_index_create(&def, &index));
        CHECK_OK(scree_index_update(index, (scree_spheres){.count = 2, .dim = 3, .x = (const double[]){0, 0, 0, 1, 0, 0}, .r = (const double[]){1, 1}}));
        memset(&found, 0xA5, sizeof found);
        if (has)
            CHECK_OK(scree_index_box_pairs(index, &found));
        else
            CHECK_FAILS(scree_index_box_pairs(index, &found), SCREE_ERR_UNSUPPORTED, scree_method_name((scree_method)method), "linear-list", "all-pairs");
        assert_int_equal(found.count, has);
        CHECK_OK(scree_index_pairs(index, &found));
        assert_int_equal(found.count, 1);
        scree_index_destroy(index);
    }
}

// ---- Threads, memory, stops -----------------------------------------------------------------------------------------

enum { n_many = 1200 };
static double many_x[3 * n_many], many_r[n_many];

static scree_spheres many(double side)
{
    scree_rng rng = scree_rng_make(73, 0);
    for (int i = 0; i < n_many; ++i)
        many_r[i] = 0.5 + scree_rng_uniform(&rng);
    for (int e = 0; e < 3 * n_many; ++e)
        many_x[e] = side * scree_rng_uniform(&rng);
    return (scree_spheres){.count = n_many, .dim = 3, .x = many_x, .r = many_r};
}

static void threads_change_nothing(void** state)
{
    (void)state;
    scree_spheres spheres = many(15.0);
    for (int way = 0; way < 4; ++way) {
        scree_index_def def = scree_default_index_def();
        def.method = way < 2 ? SCREE_METHOD_LINEAR_LIST : SCREE_METHOD_ALL_PAIRS;
        def.sorted = way % 2 == 1;
        def.box = scree_box_sized(3, (const double[]){15.0, 15.0, 15.0});
        def.box.periodic[0] = def.box.periodic[2] = true;
        answer first = {0};
        for (int t = 0; t < 3; ++t) {
            def.threads = (const int32_t[]){1, 2, 7}[t];
            scree_index* index;
            scree_pairs found;
            CHECK_OK(scree_index_create(&def, &index));
            CHECK_OK(scree_index_update(index, spheres));
            CHECK_OK(scree_index_box_pairs(index, &found));
            answer a = keep(index, &def.box, found);
            scree_index_destroy(index);
            if (t == 0) {
                first = a;
                assert_true(a.count > 3000 && a.stats.tests == 0 && a.stats.box_tests > a.count);
                continue;
            }
            assert_int_equal(a.count, first.count);  // in the same order too
            assert_memory_equal(a.ij, first.ij, (size_t)a.count * sizeof *a.ij);
            assert_memory_equal(a.shift, first.shift, (size_t)a.count * sizeof *a.shift);
            assert_int_equal(a.stats.box_tests, first.stats.box_tests);
            forget(&a);
        }
        forget(&first);
    }
}

static void each_allocation_may_fail(void** state)
{
    (void)state;
    for (int64_t round = 0; round < 6; ++round) {
        scree_rng rng = scree_rng_make(74, (uint64_t)round);
        model m;
        start(&m, round, &rng);
        m.n = 30;
        scree_index_def def = scree_default_index_def();
        def.method = round < 5 ? SCREE_METHOD_LINEAR_LIST : SCREE_METHOD_ALL_PAIRS;
        def.box = m.box;
        def.gap = m.gap;
        def.sorted = true;
        def.threads = 1;
        def.skin = round < 3 ? -1.0 : 0.2;
        scree_index* index;
        scree_pairs found;
        CHECK_OK(scree_index_create(&def, &index));
        CHECK_OK(scree_index_update(index, view(&m)));
        CHECK_OK(scree_index_pairs(index, &found));
        int64_t pairs = found.count;
        EACH_ALLOCATION_FAILS(scree_index_box_pairs(index, &found), {
            assert_int_equal(found.count, 0);
            CHECK_OK(scree_index_pairs(index, &found));
            assert_int_equal(found.count, pairs);
        });
        check_boxes(index, &m, "after failures", 0);
        // The update of boxes, and single moves before the question.
        for (int32_t e = 0; e < m.n * m.box.dim; ++e)
            m.half[e] = 0.3;
        for (int64_t n = 1;; ++n) {  // an update may succeed although the method lacks memory; the question then asks it again
            scree_memory_fail_at(n);
            scree_status status = scree_index_update_boxes(index, view(&m), m.half);
            int64_t allocations = scree_memory_fail_at(0);
            assert_true(status == SCREE_OK || status == SCREE_ERR_MEMORY);
            m.boxed = m.boxed || status == SCREE_OK;
            check_boxes(index, &m, "after an update", (int)n);
            if (allocations < n)
                break;
        }
        assert_true(m.boxed);
        m.boxed = false;
        for (int64_t n = 1;; ++n) {
            CHECK_OK(scree_index_move(index, 0, m.x));
            scree_memory_fail_at(n);
            scree_status status = scree_index_box_pairs(index, &found);
            int64_t allocations = scree_memory_fail_at(0);
            assert_true(status == SCREE_OK || (status == SCREE_ERR_MEMORY && found.count == 0));
            check_boxes(index, &m, "after a move", (int)n);
            if (allocations < n)
                break;
        }
        scree_index_destroy(index);
    }
}

static bool count_down(void* context, double done)
{
    int64_t* left = context;
    assert_true(done >= 0.0 && done <= 1.0);
    return --*left != 0;
}

// The watch is asked for the work that is done; a stop is answered with CANCELLED, and the next call gives all.
static void a_stopped_search_can_be_asked_again(void** state)
{
    (void)state;
    scree_spheres spheres = many(2.0);
    for (int by = 0; by < 2; ++by) {
        int64_t left = INT64_MAX;
        scree_index_def def = scree_default_index_def();
        def.method = by == 0 ? SCREE_METHOD_LINEAR_LIST : SCREE_METHOD_ALL_PAIRS;
        def.threads = 1;
        def.sorted = true;
        def.watch = (scree_watch){.tick = count_down, .context = &left};
        scree_index* index;
        scree_pairs found;
        CHECK_OK(scree_index_create(&def, &index));
        CHECK_OK(scree_index_update(index, (scree_spheres){.count = 700, .dim = 3, .x = spheres.x, .r = spheres.r}));
        left = 3;
        CHECK_FAILS(scree_index_box_pairs(index, &found), SCREE_ERR_CANCELLED);
        assert_int_equal(found.count, 0);
        left = INT64_MAX;
        CHECK_OK(scree_index_box_pairs(index, &found));
        assert_true(found.count > 200000 && INT64_MAX - left > found.count >> 16);
        scree_index_destroy(index);
    }
}

static const test_case cases[] = {
    PROPERTY(every_history_agrees_with_a_plain_loop),
    UNIT(box_pairs_hold_all_pairs_and_leave_them_alone),
    UNIT(the_example_of_the_paper),
    UNIT(a_box_touches_its_own_image),
    UNIT(points_meet_across_a_face_by_rounding),
    UNIT(methods_without_boxes_refuse),
    THREADS(threads_change_nothing),
    ALLOCATION(each_allocation_may_fail),
    UNIT(a_stopped_search_can_be_asked_again),
};

const test_group group_box_pairs = {.name = "box_pairs", .cases = cases, .count = sizeof cases / sizeof *cases};
