// Tilted periodic boxes: the lattice itself, and pairs, queries, lists and single moves in it, against a loop over all images that knows no structure; cells tilted by
// several boxes; what is refused.
#include "index_support.h"

#include "scree/candidates.h"
#include "scree/neighbours.h"

// ---- The reference ----------------------------------------------------------------------------------------------------

enum { most = 40, most_images = 12, most_rows = 60000 };

typedef struct model {  // the spheres as the caller knows them
    scree_box box;
    double gap;
    int32_t n;
    double x[3 * most], r[most];
} model;

typedef struct rows {
    int64_t count;
    int32_t ij[most_rows][2];
    int8_t shift[most_rows][3];
} rows;

// From edge vectors, written down one by one.
static void image_of(const scree_box* box, const int s[3], double offset[3])
{
    const double a = box->upper[0] - box->lower[0], b = box->upper[1] - box->lower[1], c = box->dim == 3 ? box->upper[2] - box->lower[2] : 0.0;
    offset[0] = box->periodic[0] ? s[0] * a : 0.0;
    offset[1] = box->periodic[1] ? s[1] * b : 0.0;
    offset[2] = box->dim == 3 && box->periodic[2] ? s[2] * c : 0.0;
    offset[0] += s[1] * box->tilt[0];
    if (box->dim == 3) {
        offset[0] += s[2] * box->tilt[1];
        offset[1] += s[2] * box->tilt[2];
    }
}

static bool touches(const double a[3], double r_a, const double b[3], double r_b, const double offset[3], double gap)
{
    double dx = (a[0] - b[0]) - offset[0], dy = (a[1] - b[1]) - offset[1], dz = (a[2] - b[2]) - offset[2], reach = (r_a + r_b) + gap;
    return reach > 0.0 && (dx * dx + dy * dy) + dz * dz < reach * reach;
}

static void wrapped(const model* m, const double* x, double out[3], int turns[3])
{
    double whole[3] = {0.0, 0.0, 0.0};
    out[2] = 0.0;
    for (int k = 0; k < m->box.dim; ++k)
        out[k] = x[k];
    scree_box_wrap_centre(&m->box, out, whole);
    for (int k = 0; k < 3; ++k) {
        turns[k] = (int)whole[k];
        assert_true(k >= m->box.dim || !m->box.periodic[k] || (out[k] >= m->box.lower[k] && out[k] < m->box.upper[k]));
    }
}

// All images of j; `ahead`: of i = j only those with the first shift that is not 0 positive. What is too far away on one axis is too far whatever the others are:
// later axes first, because what the tilt moves is along the earlier ones.
static void verify_one(const model* m, int32_t i, const double a[3], double r, const int turns_i[3], int32_t j, bool ahead, rows* out)
{
    double b[3], offset[3];
    int turns_j[3], range[3];
    wrapped(m, m->x + j * m->box.dim, b, turns_j);
    for (int k = 0; k < 3; ++k)
        range[k] = k < m->box.dim && m->box.periodic[k] ? most_images : 0;
    const double reach = (r + m->r[j]) + m->gap;
    for (int sz = -range[2]; sz <= range[2]; ++sz) {
        image_of(&m->box, (const int[3]){0, 0, sz}, offset);
        for (int sy = -range[1]; sy <= range[1] && fabs((a[2] - b[2]) - offset[2]) < reach; ++sy) {
            double along[3];
            image_of(&m->box, (const int[3]){0, sy, sz}, along);
            for (int sx = -range[0]; sx <= range[0] && fabs((a[1] - b[1]) - along[1]) < reach; ++sx) {
                const int s[3] = {sx, sy, sz};
                double at[3];
                if (ahead && (sx < 0 || (sx == 0 && (sy < 0 || (sy == 0 && sz <= 0)))))
                    continue;
                if (!ahead && i == j && sx == 0 && sy == 0 && sz == 0)
                    continue;
                image_of(&m->box, s, at);
                if (!touches(a, r, b, m->r[j], at, m->gap))
                    continue;
                assert_true(out->count < most_rows);
                for (int k = 0; k < 3; ++k) {
                    assert_true(range[k] == 0 || abs(s[k]) < most_images);  // else some may be missing
                    out->shift[out->count][k] = (int8_t)(s[k] + turns_i[k] - turns_j[k]);
                }
                out->ij[out->count][0] = i;
                out->ij[out->count++][1] = j;
            }
        }
    }
}

static int by_row(const void* a, const void* b)
{
    return memcmp(a, b, 7);
}

// In the order of the index: by (i, j, shift).
static void sort_rows(rows* out)
{
    static unsigned char key[most_rows][7];
    for (int64_t p = 0; p < out->count; ++p) {
        key[p][0] = (unsigned char)(out->ij[p][0] + 1);
        key[p][1] = (unsigned char)out->ij[p][1];
        for (int k = 0; k < 3; ++k)
            key[p][2 + k] = (unsigned char)(out->shift[p][k] + 128);
        key[p][5] = key[p][6] = 0;
    }
    qsort(key, (size_t)out->count, sizeof *key, by_row);
    for (int64_t p = 0; p < out->count; ++p) {
        out->ij[p][0] = key[p][0] - 1;
        out->ij[p][1] = key[p][1];
        for (int k = 0; k < 3; ++k)
            out->shift[p][k] = (int8_t)(key[p][2 + k] - 128);
    }
}

static void reference(const model* m, rows* out)
{
    out->count = 0;
    for (int32_t i = 0; i < m->n; ++i) {
        double a[3];
        int turns[3];
        wrapped(m, m->x + i * m->box.dim, a, turns);
        for (int32_t j = i; j < m->n; ++j)
            verify_one(m, i, a, m->r[i], turns, j, i == j, out);
    }
    sort_rows(out);
}

static void reference_near(const model* m, int32_t own, const double* x, double r, rows* out)
{
    double a[3];
    int turns[3];
    out->count = 0;
    wrapped(m, x, a, turns);
    for (int32_t j = 0; j < m->n; ++j)
        verify_one(m, own, a, r, turns, j, false, out);
    sort_rows(out);
}

static void compare(const rows* a, int64_t count, const int32_t (*ij)[2], const int32_t* j, const int8_t (*shift)[3], const char* where)
{
    if (a->count != count)
        fail_msg("%s: %lld pairs by the reference, %lld by the index", where, (long long)a->count, (long long)count);
    for (int64_t p = 0; p < count; ++p) {
        int32_t partner = ij != NULL ? ij[p][1] : j[p];
        if ((ij != NULL && ij[p][0] != a->ij[p][0]) || partner != a->ij[p][1] || memcmp(shift[p], a->shift[p], 3) != 0)
            fail_msg("%s: pair %lld is (%d, %d; %d %d %d) by the reference, (%d, %d; %d %d %d) by the index", where, (long long)p, a->ij[p][0], a->ij[p][1],
                     a->shift[p][0], a->shift[p][1], a->shift[p][2], ij != NULL ? ij[p][0] : -1, partner, shift[p][0], shift[p][1], shift[p][2]);
    }
}

// ---- Random cells ---------------------------------------------------------------------------------------------------

static double between(scree_rng* rng, double low, double high)
{
    return low + (high - low) * scree_rng_uniform(rng);
}

// Boxes of all kinds with a tilt: up to 2.5 boxes, in some of the axes, which are those that are periodic.
static scree_box draw_box(scree_rng* rng)
{
    scree_box box = {.dim = scree_rng_below(rng, 3) == 0 ? 2 : 3};
    uint64_t wall = box.dim == 3 ? scree_rng_below(rng, 5) : 3;  // this axis is not periodic
    for (int k = 0; k < box.dim; ++k) {
        box.lower[k] = between(rng, -3.0, 3.0);
        box.upper[k] = box.lower[k] + between(rng, 1.0, 3.0);
        box.periodic[k] = wall != (uint64_t)k;
    }
    double most_tilt = scree_rng_below(rng, 2) == 0 ? 0.6 : 2.5;
    for (int m = 1; m < box.dim; ++m)
        for (int k = 0; k < m; ++k)
            if (box.periodic[k] && box.periodic[m] && scree_rng_below(rng, 4) != 0)
                box.tilt[k + m - 1] = between(rng, -most_tilt, most_tilt) * (box.upper[k] - box.lower[k]);
    return box;
}

static void draw_centre(const scree_box* box, scree_rng* rng, double* x)
{
    for (int k = 0; k < box->dim; ++k) {
        double length = box->upper[k] - box->lower[k];
        x[k] = box->periodic[k] ? between(rng, box->lower[k] - 0.4 * length, box->upper[k] + 0.4 * length) : between(rng, box->lower[k], box->upper[k]);
        if (scree_rng_below(rng, 12) == 0)
            x[k] = scree_rng_below(rng, 2) == 0 ? box->lower[k] : box->upper[k];
    }
}

static void draw_model(uint64_t seed, model* m)
{
    scree_rng rng = scree_rng_make(seed, 77);
    *m = (model){.box = draw_box(&rng)};
    double period = fmin(scree_box_period(&m->box), 1.0), largest = 0.5 * period * between(&rng, 0.1, 1.0);
    m->gap = scree_rng_below(&rng, 2) == 0 ? 0.0 : between(&rng, -0.1, 0.8);
    m->n = (int32_t)scree_rng_below(&rng, most + 1);
    for (int32_t i = 0; i < m->n; ++i) {
        draw_centre(&m->box, &rng, m->x + i * m->box.dim);
        m->r[i] = largest * pow(10.0, -between(&rng, 0.0, 2.0));
    }
}

static scree_spheres view(const model* m)
{
    return (scree_spheres){.count = m->n, .dim = m->box.dim, .x = m->x, .r = m->r};
}

// The ways to search that a tilted box has.
enum { ways = 8 };

static scree_index_def def_of(const model* m, int way)
{
    static const double one_level[1] = {20.0};
    scree_index_def def = scree_default_index_def();
    def.box = m->box;
    def.gap = m->gap;
    def.sorted = true;
    def.threads = way % 3;
    def.skin = -1.0;
    def.method = way == 0 ? SCREE_METHOD_ALL_PAIRS : way == 1 ? SCREE_METHOD_AUTO : SCREE_METHOD_HIERARCHICAL_GRID;
    if (way == 3)
        def.direction = SCREE_DIRECTION_COARSER;
    if (way == 4)
        def.range = SCREE_RANGE_HALF_CELL;
    if (way == 5)
        def.range = SCREE_RANGE_IWAI;
    if (way == 6)
        def.box_test = SCREE_BOX_TEST_ON;
    if (way == 7) {
        def.cell_size_count = 1;
        def.cell_sizes = one_level;
    }
    return def;
}

static int64_t effort(double count)
{
    return (int64_t)fmax(4.0, count * test_effort());
}

// ---- The lattice ----------------------------------------------------------------------------------------------------

static void boxes_with_a_tilt_are_checked(void** state)
{
    (void)state;
    scree_box box = {.dim = 3, .upper = {2.0, 3.0, 4.0}, .periodic = {true, true, true}, .tilt = {0.5, -1.0, 7.0}};
    CHECK_OK(scree_box_check(&box));
    assert_true(scree_box_is_tilted(&box));
    CHECK_CLOSE(scree_box_volume(&box), 24.0, 0.0);
    double offset[3];
    scree_box_offset(&box, (const int8_t[3]){2, -1, 3}, offset);
    CHECK_CLOSE(offset[0], 2.0 * 2.0 - 0.5 - 3.0, 0.0);
    CHECK_CLOSE(offset[1], -3.0 + 21.0, 0.0);
    CHECK_CLOSE(offset[2], 12.0, 0.0);
    CHECK_FAILS(scree_box_reject_tilt(&box, "someone"), SCREE_ERR_UNSUPPORTED, "someone", "0.5", "-1", "7");
    box.periodic[1] = false;
    CHECK_FAILS(scree_box_check(&box), SCREE_ERR_ARGUMENT, "xy", "0.5", "y");
    box.tilt[0] = box.tilt[2] = 0.0;
    CHECK_OK(scree_box_check(&box));
    box.tilt[1] = NAN;
    CHECK_FAILS(scree_box_check(&box), SCREE_ERR_ARGUMENT, "xz");
    box.tilt[1] = 1e-150;
    CHECK_FAILS(scree_box_check(&box), SCREE_ERR_ARGUMENT, "xz", "1e-150");
    // In the plane only xy counts.
    scree_box flat = {.dim = 2, .upper = {2.0, 3.0}, .periodic = {true, true}, .tilt = {0.0, NAN, NAN}};
    CHECK_OK(scree_box_check(&flat));
    assert_false(scree_box_is_tilted(&flat));
    CHECK_CLOSE(scree_box_period(&flat), 2.0, 0.0);
    // A round container has right angles around it.
    scree_container round = {.kind = SCREE_CONTAINER_CYLINDER, .box = {.dim = 3, .upper = {1.0, 1.0, 1.0}, .periodic = {true, true, true}, .tilt = {0.1}}};
    CHECK_FAILS(scree_container_check(&round), SCREE_ERR_UNSUPPORTED, "0.1");
}

// The shortest vector, by all of many.
static void the_period_is_the_shortest_vector(void** state)
{
    (void)state;
    for (int64_t c = 0; c < effort(100.0); ++c) {
        scree_rng rng = scree_rng_make((uint64_t)c, 5);
        scree_box box = draw_box(&rng);
        double least = INFINITY;
        enum { wide = 14 };
        for (int sz = box.dim == 3 && box.periodic[2] ? -wide : 0; sz <= (box.dim == 3 && box.periodic[2] ? wide : 0); ++sz)
            for (int sy = box.periodic[1] ? -wide : 0; sy <= (box.periodic[1] ? wide : 0); ++sy)
                for (int sx = box.periodic[0] ? -wide : 0; sx <= (box.periodic[0] ? wide : 0); ++sx) {
                    double v[3];
                    if (sx == 0 && sy == 0 && sz == 0)
                        continue;
                    image_of(&box, (const int[3]){sx, sy, sz}, v);
                    least = fmin(least, sqrt((v[0] * v[0] + v[1] * v[1]) + v[2] * v[2]));
                }
        if (fabs(scree_box_period(&box) - least) > 1e-9 * least)
            fail_msg("seed %lld: period %.17g, the shortest vector has %.17g", (long long)c, scree_box_period(&box), least);
    }
    // No two of these vectors shorten each other, but the sum of all three is shorter than each.
    scree_box three = {.dim = 3, .upper = {1.0, 0.893, 0.5135}, .periodic = {true, true, true}, .tilt = {-0.45, -0.45, -0.7306}};
    CHECK_CLOSE(scree_box_period(&three), sqrt(0.1 * 0.1 + 0.1624 * 0.1624 + 0.5135 * 0.5135), 1e-12);
    // One sphere to a cell: face-centred cubic, close-packed.
    scree_box fcc = {.dim = 3, .upper = {1.0, sqrt(0.75), sqrt(2.0 / 3.0)}, .periodic = {true, true, true}, .tilt = {0.5, 0.5, sqrt(1.0 / 12.0)}};
    CHECK_CLOSE(scree_box_period(&fcc), 1.0, 1e-12);
    CHECK_CLOSE(scree_container_largest(&(scree_container){.box = fcc}), 0.5, 1e-12);
    scree_index_def def = scree_default_index_def();
    def.box = fcc;
    def.gap = 1e-6;
    answer a = ask(&def, (scree_spheres){.count = 1, .dim = 3, .x = (const double[3]){0.3, 0.2, 0.1}, .r = (const double[1]){0.5 * (1.0 - 1e-12)}});
    assert_int_equal(a.count, 6);  // of twelve neighbours each is seen from both sides
    forget(&a);
}

static void wrapped_centres_are_images(void** state)
{
    (void)state;
    for (int64_t c = 0; c < effort(200.0); ++c) {
        scree_rng rng = scree_rng_make((uint64_t)c, 6);
        scree_box box = draw_box(&rng);
        double x[3], at[3], turns[3] = {0.0}, offset[3];
        for (int k = 0; k < box.dim; ++k)
            at[k] = x[k] = between(&rng, -20.0, 20.0);
        scree_box_wrap_centre(&box, at, turns);
        image_of(&box, (const int[3]){(int)turns[0], (int)turns[1], (int)turns[2]}, offset);
        for (int k = 0; k < box.dim; ++k) {
            CHECK_CLOSE(at[k] + offset[k], x[k], 1e-12);
            assert_true(!box.periodic[k] || (at[k] >= box.lower[k] && at[k] < box.upper[k]));
        }
    }
}

// ---- Pairs ----------------------------------------------------------------------------------------------------------

static rows expected;

static void pairs_are_those_of_all_images(void** state)
{
    (void)state;
    for (int64_t c = 0; c < effort(250.0); ++c) {
        model m;
        draw_model((uint64_t)c, &m);
        reference(&m, &expected);
        for (int way = 0; way < ways; ++way) {
            scree_index_def def = def_of(&m, way);
            scree_index* index;
            scree_pairs pairs;
            char where[80];
            snprintf(where, sizeof where, "seed %lld, way %d", (long long)c, way);
            CHECK_OK(scree_index_create(&def, &index));
            CHECK_OK(scree_index_update(index, view(&m)));
            CHECK_OK(scree_index_pairs(index, &pairs));
            CHECK_OK(scree_index_validate(index));
            compare(&expected, pairs.count, pairs.ij, NULL, pairs.shift, where);
            for (int64_t p = 0; p < pairs.count; ++p)
                assert_true((scree_pair_gap(&m.box, view(&m), pairs.ij[p][0], pairs.ij[p][1], pairs.shift[p]) < m.gap + 1e-12));
            scree_index_destroy(index);
        }
    }
}

// Enough spheres for many cells, in all three forms that a grid keeps them in, with any number of threads: the reference is all-pairs, itself compared above.
static void many_spheres_in_all_forms_of_the_grid(void** state)
{
    (void)state;
    enum { n = 1500 };
    static double x[3 * n], r[n];
    for (int c = 0; c < 12; ++c) {
        scree_rng rng = scree_rng_make((uint64_t)c, 9);
        scree_box box = draw_box(&rng);
        const double largest = c % 3 == 0 ? 0.12 : c % 3 == 1 ? 0.02 : 0.002;  // all cells, by rank, occupied rows
        for (int i = 0; i < n; ++i) {
            draw_centre(&box, &rng, x + i * box.dim);
            if (c % 3 == 2 && i % 2 == 1)
                for (int k = 0; k < box.dim; ++k) {
                    double at = x[(i - 1) * box.dim + k] + between(&rng, -0.002, 0.002);
                    x[i * box.dim + k] = box.periodic[k] ? at : fmin(fmax(at, box.lower[k]), box.upper[k]);
                }
            r[i] = largest * (c < 6 ? 1.0 : pow(20.0, -scree_rng_uniform(&rng)));
        }
        scree_spheres spheres = {.count = n, .dim = box.dim, .x = x, .r = r};
        scree_index_def def = scree_default_index_def();
        def.box = box;
        def.sorted = true;
        def.skin = -1.0;
        def.method = SCREE_METHOD_ALL_PAIRS;
        answer all = ask(&def, spheres);
        assert_true(all.count > 0);
        def.method = SCREE_METHOD_HIERARCHICAL_GRID;
        const double side[1] = {2.0 * largest * (1.0 + 1e-9)};
        for (int way = 0; way < 4; ++way) {
            def.threads = (const int32_t[]){1, 2, 7, 2}[way];
            def.cell_size_count = way == 3;
            def.cell_sizes = way == 3 ? side : NULL;
            answer got = ask(&def, spheres);
            char where[80];
            snprintf(where, sizeof where, "set %d, way %d", c, way);
            check_same(&all, &got, where);
            forget(&got);
        }
        forget(&all);
    }
}

// ---- One by one, and lists --------------------------------------------------------------------------------------------

static void neighbours_and_queries_are_those_of_all_images(void** state)
{
    (void)state;
    for (int64_t c = 0; c < effort(60.0); ++c) {
        model m;
        draw_model((uint64_t)c + 1000, &m);
        scree_rng rng = scree_rng_make((uint64_t)c, 8);
        for (int way = 0; way < ways; ++way) {
            scree_index_def def = def_of(&m, way);
            if (way == 7)
                def = def_of(&m, 1);  // levels by hand stay as they are, and queries may be larger
            def.skin = way % 2 == 0 ? -1.0 : 0.05;
            scree_index* index;
            scree_neighbours near;
            CHECK_OK(scree_index_create(&def, &index));
            CHECK_OK(scree_index_update(index, view(&m)));
            for (int step = 0; step < 12 && m.n > 0; ++step) {
                int32_t i = (int32_t)scree_rng_below(&rng, (uint64_t)m.n);
                double* x = m.x + i * m.box.dim;
                if (step % 3 == 2)
                    draw_centre(&m.box, &rng, x);
                for (int k = 0; k < m.box.dim && step % 3 != 2; ++k)
                    if (m.box.periodic[k])
                        x[k] += between(&rng, -0.03, 0.03);
                CHECK_OK(scree_index_move(index, i, x));
                char where[80];
                snprintf(where, sizeof where, "seed %lld, way %d, step %d", (long long)c, way, step);
                reference_near(&m, i, x, m.r[i], &expected);
                CHECK_OK(scree_index_neighbours(index, i, &near));
                compare(&expected, near.count, NULL, near.j, near.shift, where);
                double at[3], r = 0.5 * fmin(scree_box_period(&m.box), 1.0) * scree_rng_uniform(&rng);
                draw_centre(&m.box, &rng, at);
                reference_near(&m, -1, at, r, &expected);
                CHECK_OK(scree_index_query(index, at, r, &near));
                compare(&expected, near.count, NULL, near.j, near.shift, where);
                CHECK_OK(scree_index_validate(index));
            }
            scree_pairs pairs;
            reference(&m, &expected);
            CHECK_OK(scree_index_pairs(index, &pairs));
            compare(&expected, pairs.count, pairs.ij, NULL, pairs.shift, "after moves");
            scree_index_destroy(index);
        }
    }
}

// Lists of candidates follow spheres through the faces of a tilted box.
static void lists_follow_through_tilted_faces(void** state)
{
    (void)state;
    for (int64_t c = 0; c < effort(60.0); ++c) {
        model m;
        draw_model((uint64_t)c + 2000, &m);
        scree_rng rng = scree_rng_make((uint64_t)c, 4);
        scree_index_def def = def_of(&m, c % 2 == 0 ? 0 : 2);
        def.skin = 0.1;
        scree_index* index;
        CHECK_OK(scree_index_create(&def, &index));
        def.skin = 0.0;
        scree_candidates_def wish = scree_default_candidates_def();
        wish.search = &def;
        scree_candidates* near;
        CHECK_OK(scree_candidates_create(&wish, &near));
        for (int step = 0; step < 20; ++step) {
            scree_pairs pairs;
            reference(&m, &expected);
            CHECK_OK(scree_index_update(index, view(&m)));
            CHECK_OK(scree_index_pairs(index, &pairs));
            char where[80];
            snprintf(where, sizeof where, "seed %lld, step %d", (long long)c, step);
            compare(&expected, pairs.count, pairs.ij, NULL, pairs.shift, where);
            CHECK_OK(scree_index_validate(index));
            double xr[most][4] = {{0.0}};
            for (int32_t i = 0; i < m.n; ++i) {
                for (int k = 0; k < m.box.dim; ++k)
                    xr[i][k] = m.x[i * m.box.dim + k];
                xr[i][3] = m.r[i];
            }
            // Every pair is a candidate, through the image that it was when the list was made: centres go on, they are not wrapped.
            scree_candidate_items items = {.struct_size = sizeof items, .count = m.n, .xr = (const double(*)[4])xr, .moved = 0.04, .others = step == 0};
            scree_candidate_rows list;
            CHECK_OK(scree_candidates_update(near, &items));
            CHECK_OK(scree_candidates_get_rows(near, &list));
            int64_t at = 0;
            for (int64_t p = 0; p < expected.count; ++p) {
                while (at < list.count && (memcmp(list.ij[at], expected.ij[p], sizeof *list.ij) != 0 || memcmp(list.shift[at], expected.shift[p], 3) != 0))
                    ++at;
                if (at == list.count)
                    fail_msg("%s: pair %lld is no candidate", where, (long long)p);
            }
            for (int32_t i = 0; i < m.n; ++i)
                for (int k = 0; k < m.box.dim; ++k)
                    if (m.box.periodic[k])
                        m.x[i * m.box.dim + k] += between(&rng, -0.023, 0.023) * (1.0 + (i % 5 == 0 ? 0.0 : -0.9));
        }
        assert_true(scree_index_get_stats(index).rebuilds < 20 || m.n == 0);
        scree_candidates_destroy(near);
        scree_index_destroy(index);
    }
}

// Lists of single spheres over an index, moved one at a time.
static void single_lists_know_all_neighbours(void** state)
{
    (void)state;
    for (int64_t c = 0; c < effort(40.0); ++c) {
        model m;
        draw_model((uint64_t)c + 3000, &m);
        scree_rng rng = scree_rng_make((uint64_t)c, 3);
        scree_index_def def = def_of(&m, 2);
        const double skin = 0.1;
        def.gap = m.gap + skin;
        scree_index* index;
        CHECK_OK(scree_index_create(&def, &index));
        CHECK_OK(scree_index_update(index, view(&m)));
        scree_neighbour_lists_def wish = scree_default_neighbour_lists_def();
        wish.index = index;
        scree_neighbour_lists* lists;
        CHECK_OK(scree_neighbour_lists_create(&wish, &lists));
        if (scree_neighbour_lists_make(lists, skin) == SCREE_OK)  // else an image is farther than lists know them
            for (int step = 0; step < 20 && m.n > 0; ++step) {
                int32_t i = (int32_t)scree_rng_below(&rng, (uint64_t)m.n);
                double* x = m.x + i * m.box.dim;
                for (int k = 0; k < m.box.dim; ++k)
                    if (m.box.periodic[k])
                        x[k] += between(&rng, -0.06, 0.06);
                scree_neighbour_change change;
                scree_neighbour_rows list;
                CHECK_OK(scree_neighbour_lists_move(lists, i, x, &change));
                if (change.far)
                    break;
                CHECK_OK(scree_neighbour_lists_get_rows(lists, &list));
                reference_near(&m, i, x, m.r[i], &expected);
                for (int64_t p = 0; p < expected.count; ++p) {
                    bool found = expected.ij[p][1] == i;
                    for (int64_t e = list.row[i].at; e < list.row[i].at + list.row[i].count && !found; ++e) {
                        int s[3];
                        scree_neighbour_shift(7, list.image[e], s);
                        found = list.j[e] == expected.ij[p][1] && s[0] == expected.shift[p][0] && s[1] == expected.shift[p][1] && s[2] == expected.shift[p][2];
                    }
                    if (!found)
                        fail_msg("seed %lld, step %d: sphere %d does not list %d", (long long)c, step, i, expected.ij[p][1]);
                }
            }
        scree_neighbour_lists_destroy(lists);
        scree_index_destroy(index);
    }
}

// The same lattice with other edge vectors: the same pairs through the same images, whose shifts are counted otherwise.
static void tilts_by_whole_boxes_are_the_same_cell(void** state)
{
    (void)state;
    for (int64_t c = 0; c < effort(40.0); ++c) {
        model m;
        draw_model((uint64_t)c + 4000, &m);
        if (m.box.dim != 3 || !m.box.periodic[0] || !m.box.periodic[1] || !m.box.periodic[2])
            continue;
        scree_index_def def = def_of(&m, 2);
        answer a = ask(&def, view(&m));
        const int p = 3, q = -2, s = 4;  // b + p a; c + q a + s b
        double length[2] = {m.box.upper[0] - m.box.lower[0], m.box.upper[1] - m.box.lower[1]};
        def.box.tilt[1] += q * length[0] + s * m.box.tilt[0];
        def.box.tilt[0] += p * length[0];
        def.box.tilt[2] += s * length[1];
        answer b = ask(&def, view(&m));
        assert_int_equal(a.count, b.count);
        for (int64_t e = 0; e < b.count; ++e) {
            bool found = false;
            int z = b.shift[e][2], y = b.shift[e][1] + s * z, x = b.shift[e][0] + p * b.shift[e][1] + q * z;
            for (int64_t f = 0; f < a.count && !found; ++f) {
                bool same = memcmp(a.ij[f], b.ij[e], sizeof *a.ij) == 0;
                int sign = a.ij[f][0] == a.ij[f][1] && (a.shift[f][2] != z || a.shift[f][1] != y || a.shift[f][0] != x) ? -1 : 1;
                found = same && sign * a.shift[f][2] == z && sign * a.shift[f][1] == y && sign * a.shift[f][0] == x;
            }
            if (!found)
                fail_msg("seed %lld: pair (%d, %d; %d %d %d) is missing", (long long)c, b.ij[e][0], b.ij[e][1], x, y, z);
        }
        forget(&a);
        forget(&b);
    }
}

// ---- What is refused --------------------------------------------------------------------------------------------------

static void other_methods_refuse_tilted_boxes(void** state)
{
    (void)state;
    scree_index_def def = scree_default_index_def();
    def.box = (scree_box){.dim = 3, .upper = {2.0, 2.0, 2.0}, .periodic = {true, true, true}, .tilt = {0.25, 0.0, 0.0}};
    static const scree_method others[] = {SCREE_METHOD_VERLET_LIST, SCREE_METHOD_LINKED_CELLS, SCREE_METHOD_LINEAR_LIST, SCREE_METHOD_OCTREE,
                                          SCREE_METHOD_LOOSE_OCTREE};
    scree_index* index;
    for (size_t k = 0; k < sizeof others / sizeof *others; ++k) {
        def.method = (int32_t)others[k];
        CHECK_FAILS(scree_index_create(&def, &index), SCREE_ERR_UNSUPPORTED, scree_method_name(others[k]), "0.25");
        def.box.tilt[0] = 0.0;
        CHECK_OK(scree_index_create(&def, &index));
        def.box.tilt[0] = 0.25;
        CHECK_FAILS(scree_index_set_box(index, &def.box), SCREE_ERR_UNSUPPORTED, scree_method_name(others[k]), "0.25");
        scree_index_destroy(index);
    }
    def.method = SCREE_METHOD_HIERARCHICAL_GRID;
    CHECK_OK(scree_index_create(&def, &index));
    const double x[3] = {1.0, 1.0, 1.0}, far[3] = {1.0, 1.0, 80.0};
    const double small = 0.5, large = 1.01;
    CHECK_FAILS(scree_index_update(index, (scree_spheres){.count = 1, .dim = 3, .x = x, .r = &large}), SCREE_ERR_ARGUMENT, "sphere 0", "2.02", "2");
    CHECK_FAILS(scree_index_update(index, (scree_spheres){.count = 1, .dim = 3, .x = far, .r = &small}), SCREE_ERR_ARGUMENT, "sphere 0", "80", "40");
    CHECK_OK(scree_index_update(index, (scree_spheres){.count = 1, .dim = 3, .x = x, .r = &small}));
    scree_surroundings around;
    CHECK_FAILS(scree_index_surroundings(index, 0, &around), SCREE_ERR_UNSUPPORTED, "0.25");
    CHECK_FAILS(scree_index_move(index, 0, far), SCREE_ERR_ARGUMENT, "sphere 0", "80");
    scree_index_destroy(index);
    def.box.tilt[0] = 300.0;  // images along x would be counted beyond what shifts hold
    CHECK_OK(scree_index_create(&def, &index));
    CHECK_FAILS(scree_index_update(index, (scree_spheres){.count = 1, .dim = 3, .x = x, .r = &small}), SCREE_ERR_ARGUMENT, "300", "x");
    scree_index_destroy(index);
}

// A box scaled, and another box around the same spheres.
static void boxes_change_under_single_spheres(void** state)
{
    (void)state;
    for (int64_t c = 0; c < effort(30.0); ++c) {
        model m;
        draw_model((uint64_t)c + 5000, &m);
        for (int32_t i = 0; i < m.n; ++i)
            scree_box_wrap_centre(&m.box, m.x + i * m.box.dim, NULL);
        scree_index_def def = def_of(&m, 2);
        scree_box straight = m.box;
        memset(straight.tilt, 0, sizeof straight.tilt);
        def.box = straight;
        scree_index* index;
        scree_pairs pairs;
        CHECK_OK(scree_index_create(&def, &index));
        model small = m;
        for (int32_t i = 0; i < m.n; ++i)
            small.r[i] *= 0.3;
        CHECK_OK(scree_index_update(index, view(&small)));
        CHECK_OK(scree_index_set_box(index, &m.box));
        reference(&small, &expected);
        CHECK_OK(scree_index_pairs(index, &pairs));
        compare(&expected, pairs.count, pairs.ij, NULL, pairs.shift, "another box");
        CHECK_OK(scree_index_scale(index, 2.0, 2.0));
        for (int k = 0; k < 3; ++k) {
            small.box.lower[k] *= 2.0;
            small.box.upper[k] *= 2.0;
            small.box.tilt[k] *= 2.0;
        }
        for (int32_t e = 0; e < 3 * most; ++e)
            small.x[e] *= 2.0;
        for (int32_t i = 0; i < m.n; ++i)
            small.r[i] *= 2.0;
        reference(&small, &expected);
        CHECK_OK(scree_index_pairs(index, &pairs));
        compare(&expected, pairs.count, pairs.ij, NULL, pairs.shift, "scaled");
        scree_index_destroy(index);
    }
}

static const test_case cases[] = {
    UNIT(boxes_with_a_tilt_are_checked),
    PROPERTY(the_period_is_the_shortest_vector),
    PROPERTY(wrapped_centres_are_images),
    PROPERTY(pairs_are_those_of_all_images),
    THREADS(many_spheres_in_all_forms_of_the_grid),
    PROPERTY(neighbours_and_queries_are_those_of_all_images),
    PROPERTY(lists_follow_through_tilted_faces),
    PROPERTY(single_lists_know_all_neighbours),
    PROPERTY(tilts_by_whole_boxes_are_the_same_cell),
    UNIT(other_methods_refuse_tilted_boxes),
    PROPERTY(boxes_change_under_single_spheres),
};

const test_group group_cells = {.name = "cells", .cases = cases, .count = sizeof cases / sizeof *cases};
