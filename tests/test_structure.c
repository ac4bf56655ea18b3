// structure: bond order of crystals, whose values are known, and S(k) against the sum over all spheres and at Bragg peaks.
#include "measure_support.h"

#include "base/wide.h"

enum { most_spheres = 600 };

typedef struct lattice {
    double x[3 * most_spheres], r[most_spheres];
    int32_t count;
    int dim;
    scree_box box;
} lattice;

// Copies of a cell with edge vectors along the axes.
static void repeat_cell(lattice* to, int dim, const double size[3], int count, const double (*basis)[3], double r, const int times[3])
{
    double sides[3];
    *to = (lattice){.dim = dim};
    for (int k = 0; k < dim; ++k)
        sides[k] = size[k] * times[k];
    to->box = scree_box_sized(dim, sides);
    for (int k = 0; k < dim; ++k)
        to->box.periodic[k] = true;
    for (int a = 0; a < times[0]; ++a)
        for (int b = 0; b < times[1]; ++b)
            for (int c = 0; c < (dim == 3 ? times[2] : 1); ++c)
                for (int e = 0; e < count; ++e) {
                    const int at[3] = {a, b, c};
                    for (int k = 0; k < dim; ++k)
                        to->x[to->count * dim + k] = (at[k] + basis[e][k]) * size[k];
                    to->r[to->count++] = r;
                }
}

static scree_spheres spheres_of(const lattice* it)
{
    return (scree_spheres){.count = it->count, .dim = it->dim, .x = it->x, .r = it->r};
}

static scree_bond_order order_of(const scree_box* box, scree_spheres spheres, double cutoff)
{
    scree_measure_def def = def_of(box);
    scree_bond_order_def about = scree_default_bond_order_def();
    scree_bond_order found;
    about.cutoff = cutoff;
    CHECK_OK(scree_measure_bond_order(&def, spheres, &about, &found));
    return found;
}

static void check_order(const scree_box* box, scree_spheres spheres, double cutoff, int neighbours, double q4, double q6)
{
    scree_bond_order found = order_of(box, spheres, cutoff);
    assert_int_equal(found.n, spheres.count);
    assert_int_equal(2 * found.bonds, (int64_t)neighbours * spheres.count);
    for (int32_t i = 0; i < found.n; ++i) {
        assert_int_equal(found.neighbours[i], neighbours);
        CHECK_CLOSE(found.q4[i], q4, 1e-12);
        CHECK_CLOSE(found.q6[i], q6, 1e-12);
    }
    CHECK_CLOSE(found.q4_mean, q4, 1e-12);
    CHECK_CLOSE(found.q6_mean, q6, 1e-12);
    CHECK_CLOSE(found.q4_global, q4, 1e-12);
    CHECK_CLOSE(found.q6_global, q6, 1e-12);
    scree_bond_order_free(&found);
}

static const double fcc[4][3] = {{0, 0, 0}, {0.5, 0.5, 0}, {0.5, 0, 0.5}, {0, 0.5, 0.5}}, bcc[2][3] = {{0, 0, 0}, {0.5, 0.5, 0.5}}, cubic[1][3] = {{0, 0, 0}},
                    hcp[4][3] = {{0, 0, 0}, {0.5, 0.5, 0}, {0.5, 1.0 / 6, 0.5}, {0, 2.0 / 3, 0.5}}, rows[2][3] = {{0, 0, 0}, {0.5, 0.5, 0}};

// Closed forms by cubic harmonics (the Q6 of hcp: by SciPy); also in boxes of one cell, where spheres are neighbours of their own images.
static void crystals_have_known_bond_order(void** state)
{
    (void)state;
    const double one[3] = {1.0, 1.0, 1.0}, layered[3] = {1.0, sqrt(3.0), sqrt(8.0 / 3.0)}, hexagonal[3] = {1.0, sqrt(3.0), 1.0};
    for (int n = 1; n <= 3; ++n) {
        lattice it;
        const int times[3] = {n, n, n};
        repeat_cell(&it, 3, one, 4, fcc, sqrt(0.125), times);
        check_order(&it.box, spheres_of(&it), NAN, 12, sqrt(7.0 / 192.0), sqrt(169.0 / 512.0));
        check_order(&it.box, spheres_of(&it), 1.2, 12, sqrt(7.0 / 192.0), sqrt(169.0 / 512.0));
        repeat_cell(&it, 3, layered, 4, hcp, 0.5, times);
        check_order(&it.box, spheres_of(&it), NAN, 12, 7.0 / 72.0, 0.48476168522368324);
        repeat_cell(&it, 3, one, 2, bcc, sqrt(0.1875), times);
        check_order(&it.box, spheres_of(&it), NAN, 8, sqrt(7.0 / 27.0), sqrt(32.0 / 81.0));
        check_order(&it.box, spheres_of(&it), 1.3, 14, sqrt(7.0 / 12.0) / 21.0, sqrt(1.0 / 8.0) * 13.0 / 9.0);
        repeat_cell(&it, 3, one, 1, cubic, 0.5, times);
        check_order(&it.box, spheres_of(&it), NAN, 6, sqrt(7.0 / 12.0), sqrt(1.0 / 8.0));
        repeat_cell(&it, 2, one, 1, cubic, 0.5, times);
        check_order(&it.box, spheres_of(&it), 1.1, 4, 1.0, 0.0);
        repeat_cell(&it, 2, hexagonal, 2, rows, 0.5, times);
        check_order(&it.box, spheres_of(&it), 1.1, 6, 0.0, 1.0);
    }
}

// The primitive cells of fcc and of the hexagonal lattice.
static void tilted_cells_have_the_same_bond_order(void** state)
{
    (void)state;
    lattice it;
    const double size[3] = {1.0, sqrt(0.75), sqrt(2.0 / 3.0)};
    for (int n = 1; n <= 4; ++n) {
        const int times[3] = {n, 1, 1};
        repeat_cell(&it, 3, size, 1, cubic, 0.5, times);
        it.box.tilt[0] = it.box.tilt[1] = 0.5;
        it.box.tilt[2] = sqrt(1.0 / 12.0);
        check_order(&it.box, spheres_of(&it), 1.1, 12, sqrt(7.0 / 192.0), sqrt(169.0 / 512.0));
        repeat_cell(&it, 2, size, 1, cubic, 0.5, times);
        it.box.tilt[0] = 0.5;
        check_order(&it.box, spheres_of(&it), NAN, 6, 0.0, 1.0);
    }
}

// Twelve spheres around one: of the middle q4 is 0. Turned by any angle the values stay.
static void clusters_have_known_bond_order(void** state)
{
    (void)state;
    const double g = 0.5 * (1.0 + sqrt(5.0));
    scree_box box = scree_box_sized(3, (double[]){9.0, 9.0, 9.0});
    for (int turn = 0; turn < 5; ++turn) {
        const double c = cos(0.7 * turn), s = sin(0.7 * turn), e = cos(1.3 * turn), f = sin(1.3 * turn);
        double x[14][3] = {{0}}, r[14];
        int n = 1;
        for (int axis = 0; axis < 3; ++axis)
            for (int sign = 0; sign < 4; ++sign) {
                x[n][(axis + 1) % 3] = sign % 2 == 0 ? 1.0 : -1.0;
                x[n++][(axis + 2) % 3] = sign < 2 ? g : -g;
            }
        for (int i = 0; i < 13; ++i) {
            const double y[3] = {x[i][0], c * x[i][1] - s * x[i][2], s * x[i][1] + c * x[i][2]};
            x[i][0] = 4.0 + (e * y[0] - f * y[1]);
            x[i][1] = 4.0 + (f * y[0] + e * y[1]);
            x[i][2] = 4.0 + y[2];
            r[i] = i == 0 ? sqrt(1.0 + g * g) - 0.9 : 0.9;  // touches all; they do not touch each other
        }
        x[13][0] = x[13][1] = x[13][2] = 8.0;
        r[13] = 0.1;
        scree_bond_order found = order_of(&box, (scree_spheres){.count = 14, .dim = 3, .x = x[0], .r = r}, NAN);
        assert_int_equal(found.bonds, 12);
        assert_int_equal(found.neighbours[0], 12);
        CHECK_CLOSE(found.q4[0], 0.0, 1e-7);  // of sums that cancel
        CHECK_CLOSE(found.q6[0], 0.66332495807108, 1e-12);
        CHECK_CLOSE(found.q6_global, 0.66332495807108, 1e-12);
        CHECK_CLOSE(found.q6[5], 1.0, 1e-12);  // one bond has length 1 in every degree
        CHECK_CLOSE(found.q6_mean, (0.66332495807108 + 12.0) / 13.0, 1e-12);
        assert_true(found.neighbours[13] == 0 && isnan(found.q4[13]) && isnan(found.q6[13]));
        scree_bond_order_free(&found);
    }
    const double x[6] = {1.0, 1.0, 1.0, 3.0, 3.0, 3.0}, r[2] = {0.5, 0.5};
    scree_bond_order none = order_of(&box, (scree_spheres){.count = 2, .dim = 3, .x = x, .r = r}, NAN);
    assert_true(none.bonds == 0 && isnan(none.q4_global) && isnan(none.q6_mean));
    scree_bond_order_free(&none);
    none = order_of(&box, (scree_spheres){.dim = 3}, NAN);
    assert_true(none.n == 0 && isnan(none.q6_global));
    scree_bond_order_free(&none);
}

// ---- S(k) --------------------------------------------------------------------------------------------------------

static scree_structure_factor structure_of(const scree_box* box, scree_spheres spheres, double k_max, int32_t bins)
{
    scree_measure_def def = def_of(box);
    scree_structure_factor_def about = scree_default_structure_factor_def();
    scree_structure_factor found;
    about.k_max = k_max;
    about.bins = bins;
    CHECK_OK(scree_measure_structure_factor(&def, spheres, &about, &found));
    return found;
}

// Every k whose numbers are at most `reach`, by sine and cosine of each sphere; the reciprocal vectors by the usual cross products.
static void check_by_all(const scree_box* box, scree_spheres spheres, const scree_structure_factor* found, int reach)
{
    int dim = spheres.dim;
    double a[3][3] = {{box->upper[0] - box->lower[0]}, {box->tilt[0], box->upper[1] - box->lower[1]}, {0.0, 0.0, 1.0}}, b[3][3];
    if (dim == 3)
        memcpy(a[2], (double[]){box->tilt[1], box->tilt[2], box->upper[2] - box->lower[2]}, sizeof a[2]);
    double volume = a[0][0] * a[1][1] * a[2][2];
    for (int e = 0; e < 3; ++e)
        for (int k = 0; k < 3; ++k) {
            const double *p = a[(e + 1) % 3], *q = a[(e + 2) % 3];
            b[e][k] = 2.0 * pi / volume * (p[(k + 1) % 3] * q[(k + 2) % 3] - p[(k + 2) % 3] * q[(k + 1) % 3]);
        }
    int64_t vectors[64] = {0}, total = 0;
    double sum[64] = {0.0}, k_sum[64] = {0.0}, largest[64] = {0.0};
    for (int m0 = -reach; m0 <= reach; ++m0)
        for (int m1 = -reach; m1 <= reach; ++m1)
            for (int m2 = dim == 3 ? -reach : 0; m2 <= (dim == 3 ? reach : 0); ++m2) {
                double k[3], length = 0.0, re = 0.0, im = 0.0;
                for (int e = 0; e < 3; ++e) {
                    k[e] = m0 * b[0][e] + m1 * b[1][e] + m2 * b[2][e];
                    length += k[e] * k[e];
                }
                length = sqrt(length);
                if ((m0 == 0 && m1 == 0 && m2 == 0) || !(length < found->k_max))
                    continue;
                assert_true(abs(m0) < reach && abs(m1) < reach && (abs(m2) < reach || dim == 2));
                for (int32_t i = 0; i < spheres.count; ++i) {
                    double phase = 0.0;
                    for (int e = 0; e < dim; ++e)
                        phase += k[e] * spheres.x[i * dim + e];
                    re += cos(phase);
                    im += sin(phase);
                }
                int shell = 0;
                while (length >= found->k[shell + 1])
                    ++shell;
                double s = (re * re + im * im) / spheres.count;
                ++vectors[shell];
                sum[shell] += s;
                k_sum[shell] += length;
                largest[shell] = fmax(largest[shell], s);
                ++total;
            }
    assert_int_equal(2 * found->total, total);
    for (int e = 0; e < found->bins; ++e) {
        assert_int_equal(2 * found->vectors[e], vectors[e]);
        if (vectors[e] == 0) {
            assert_true(isnan(found->s[e]) && isnan(found->k_mean[e]) && isnan(found->s_max[e]));
            continue;
        }
        CHECK_CLOSE(found->k_mean[e], k_sum[e] / (double)vectors[e], 1e-12);
        CHECK_CLOSE(found->s[e], sum[e] / (double)vectors[e], 1e-10);
        CHECK_CLOSE(found->s_max[e], largest[e], 1e-10);
    }
}

static void structure_is_the_sum_over_all_spheres(void** state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 16; ++seed) {
        scree_rng rng = scree_rng_make(seed, 5);
        lattice it = {.dim = seed % 2 == 0 ? 3 : 2, .count = (int32_t)(1 + scree_rng_below(&rng, 130))};
        const double size[3] = {2.0 + scree_rng_uniform(&rng), 1.5, 1.0 + scree_rng_uniform(&rng)};
        it.box = scree_box_sized(it.dim, size);
        for (int k = 0; k < it.dim; ++k) {
            it.box.periodic[k] = true;
            it.box.lower[k] -= 0.3;
            it.box.upper[k] -= 0.3;
        }
        for (int k = 0; k < (it.dim == 3 ? 3 : 1) && seed % 4 > 1; ++k)
            it.box.tilt[k] = 3.0 * scree_rng_uniform(&rng) - 1.5;
        for (int64_t e = 0; e < (int64_t)it.count * it.dim; ++e)
            it.x[e] = 3.0 * scree_rng_uniform(&rng) - 1.0;  // some are outside, and are wrapped
        scree_structure_factor found = structure_of(&it.box, spheres_of(&it), 12.0 + 8.0 * scree_rng_uniform(&rng), 17);
        check_by_all(&it.box, spheres_of(&it), &found, 16);
        scree_structure_factor_free(&found);
    }
}

// Of a crystal n at the reciprocal lattice of the cell, where the structure allows it, and 0 elsewhere: bcc has peaks where the sum of the numbers is even.
static void crystals_have_bragg_peaks(void** state)
{
    (void)state;
    lattice it;
    repeat_cell(&it, 3, (const double[]){1.0, 1.0, 1.0}, 2, bcc, 0.1, (const int[]){4, 4, 4});
    scree_structure_factor found = structure_of(&it.box, spheres_of(&it), 2.0 * pi * 2.1, 210);
    for (int e = 0; e < found.bins; ++e) {
        bool peak = e == 141 || e == 200;  // |k| = 2 pi sqrt(2) and 2 pi 2
        assert_true(found.vectors[e] > 0 || !peak);
        if (found.vectors[e] > 0)
            CHECK_CLOSE(found.s_max[e], peak ? 128.0 : 0.0, 1e-9);
    }
    CHECK_CLOSE(found.s[200] * (double)found.vectors[200], 3 * 128.0, 1e-7);  // (2, 0, 0) and two more
    CHECK_CLOSE(found.s[141] * (double)found.vectors[141], 6 * 128.0, 1e-7);  // (1, 1, 0) and five more
    scree_structure_factor_free(&found);
}

static void automatic_waves_are_bounded(void** state)
{
    (void)state;
    lattice it;
    repeat_cell(&it, 3, (const double[]){1.0, 1.0, 1.0}, 1, cubic, 0.5, (const int[]){3, 3, 3});
    scree_structure_factor found = structure_of(&it.box, spheres_of(&it), NAN, 100);
    CHECK_CLOSE(found.k_max, 4.0 * pi, 1e-12);
    assert_int_equal(found.bins, 100);
    scree_structure_factor_free(&found);
    for (int32_t i = 0; i < it.count; ++i)
        it.r[i] = 0.0;
    found = structure_of(&it.box, spheres_of(&it), NAN, 100);
    CHECK_CLOSE(found.k_max, 8.0 * pi, 1e-12);
    scree_structure_factor_free(&found);
    repeat_cell(&it, 3, (const double[]){1e6, 1.0, 1.0}, 1, cubic, 0.5, (const int[]){1, 1, 1});
    found = structure_of(&it.box, spheres_of(&it), NAN, 100);
    CHECK_CLOSE(found.k_max, 0.02 * pi, 1e-4);  // 10000 waves along x
    scree_structure_factor_free(&found);
}

// ---- Bits, limits ------------------------------------------------------------------------------------------------

static scree_sphere_set cloud_of(int32_t count)
{
    scree_sphere_set set;
    scene_params params = scene_default_params();
    params.count = count;
    params.ratio = 3.0;
    for (int k = 0; k < 3; ++k)
        params.periodic[k] = true;
    CHECK_OK(scene_make("cloud", &params, &set));
    return set;
}

static void threads_and_machines_change_no_bit(void** state)
{
    (void)state;
    scree_sphere_set set = cloud_of(test_is_small() ? 150 : 700);
    scree_measure_def def = def_of(&set.box);
    scree_structure_factor_def waves = scree_default_structure_factor_def();
    scree_bond_order_def bonds = scree_default_bond_order_def();
    bonds.cutoff = 1.4;
    scree_structure_factor first = {0};
    scree_bond_order order = {0};
    for (int way = 0; way < 4; ++way) {
        def.threads = (const int32_t[]){1, 1, 2, 7}[way];
        scree_plain_only = way == 1;
        scree_structure_factor found;
        scree_bond_order again;
        CHECK_OK(scree_measure_structure_factor(&def, scree_sphere_set_view(&set), &waves, &found));
        CHECK_OK(scree_measure_bond_order(&def, scree_sphere_set_view(&set), &bonds, &again));
        scree_plain_only = false;
        if (way == 0) {
            first = found;
            order = again;
            assert_true(found.total > 500 && again.bonds > set.count / 4);
            continue;
        }
        assert_memory_equal(found.s, first.s, 100 * sizeof *found.s);
        assert_memory_equal(found.s_max, first.s_max, 100 * sizeof *found.s);
        assert_memory_equal(found.k_mean, first.k_mean, 100 * sizeof *found.s);
        assert_memory_equal(again.q4, order.q4, (size_t)set.count * sizeof *again.q4);
        assert_memory_equal(again.q6, order.q6, (size_t)set.count * sizeof *again.q6);
        assert_true(again.q6_global == order.q6_global && again.q4_mean == order.q4_mean);
        scree_structure_factor_free(&found);
        scree_bond_order_free(&again);
    }
    scree_structure_factor_free(&first);
    scree_bond_order_free(&order);
    scree_sphere_set_free(&set);
}

static void order_can_be_watched_and_stopped(void** state)
{
    (void)state;
    scree_sphere_set set = cloud_of(3000);
    scree_measure_def def = def_of(&set.box);
    scree_structure_factor_def waves = scree_default_structure_factor_def();
    scree_bond_order_def bonds = scree_default_bond_order_def();
    scree_structure_factor found;
    scree_bond_order order;
    waves.k_max = 3.0;
    bonds.cutoff = 2.0;
    patience p = {.most = INT64_MAX};
    def.watch = (scree_watch){.tick = count_ticks, .context = &p};
    CHECK_OK(scree_measure_structure_factor(&def, scree_sphere_set_view(&set), &waves, &found));
    scree_structure_factor_free(&found);
    assert_false(p.backwards);
    assert_true(p.ticks > 10);
    for (int64_t most = 1; most <= 10; most += 3) {
        p = (patience){.most = most};
        CHECK_FAILS(scree_measure_structure_factor(&def, scree_sphere_set_view(&set), &waves, &found), SCREE_ERR_CANCELLED);
        assert_int_equal(found.bins, 0);
    }
    p = (patience){.most = 1};
    CHECK_FAILS(scree_measure_bond_order(&def, scree_sphere_set_view(&set), &bonds, &order), SCREE_ERR_CANCELLED);
    assert_int_equal(order.n, 0);
    scree_sphere_set_free(&set);
}

static void invalid_input_is_refused(void** state)
{
    (void)state;
    const double x[6] = {0.5, 0.5, 0.5, 0.5, 0.5, 0.6}, r[2] = {0.1, 0.1};
    const scree_spheres two = {.count = 2, .dim = 3, .x = x, .r = r};
    scree_box box = scree_box_sized(3, (double[]){1.0, 1.0, 1.0});
    box.periodic[0] = box.periodic[1] = true;
    scree_measure_def def = def_of(&box);
    scree_structure_factor_def waves = scree_default_structure_factor_def();
    scree_bond_order_def bonds = scree_default_bond_order_def();
    scree_structure_factor found;
    scree_bond_order order;
    CHECK_FAILS(scree_measure_structure_factor(&def, two, &waves, &found), SCREE_ERR_ARGUMENT, "axis z");
    def.box.periodic[2] = true;
    CHECK_FAILS(scree_measure_structure_factor(&def, (scree_spheres){.dim = 3}, &waves, &found), SCREE_ERR_ARGUMENT, "no spheres");
    for (int k = 0; k < 4; ++k) {
        waves.k_max = (const double[]){0.0, -1.0, INFINITY, 1e9}[k];
        CHECK_FAILS(scree_measure_structure_factor(&def, two, &waves, &found), SCREE_ERR_ARGUMENT, "k_max");
    }
    waves = scree_default_structure_factor_def();
    waves.bins = 0;
    CHECK_FAILS(scree_measure_structure_factor(&def, two, &waves, &found), SCREE_ERR_ARGUMENT, "bins", "0");
    waves.bins = 10001;
    CHECK_FAILS(scree_measure_structure_factor(&def, two, &waves, &found), SCREE_ERR_ARGUMENT, "bins", "10001");
    for (int k = 0; k < 3; ++k) {
        bonds.cutoff = (const double[]){0.0, -1.0, 101.0}[k];
        CHECK_FAILS(scree_measure_bond_order(&def, two, &bonds, &order), SCREE_ERR_ARGUMENT, "cutoff");
    }
}

static void each_allocation_may_fail(void** state)
{
    (void)state;
    scree_sphere_set set = cloud_of(60);
    scree_measure_def def = def_of(&set.box);
    scree_structure_factor_def waves = scree_default_structure_factor_def();
    scree_bond_order_def bonds = scree_default_bond_order_def();
    scree_structure_factor found = {.bins = 7};
    scree_bond_order order = {.n = 7};
    EACH_ALLOCATION_FAILS(scree_measure_structure_factor(&def, scree_sphere_set_view(&set), &waves, &found), assert_int_equal(found.bins, 0));
    scree_structure_factor_free(&found);
    EACH_ALLOCATION_FAILS(scree_measure_bond_order(&def, scree_sphere_set_view(&set), &bonds, &order), assert_int_equal(order.n, 0));
    scree_bond_order_free(&order);
    scree_sphere_set_free(&set);
}

static const test_case cases[] = {
    UNIT(crystals_have_known_bond_order),
    UNIT(tilted_cells_have_the_same_bond_order),
    UNIT(clusters_have_known_bond_order),
    PROPERTY(structure_is_the_sum_over_all_spheres),
    UNIT(crystals_have_bragg_peaks),
    UNIT(automatic_waves_are_bounded),
    THREADS(threads_and_machines_change_no_bit),
    UNIT(order_can_be_watched_and_stopped),
    UNIT(invalid_input_is_refused),
    ALLOCATION(each_allocation_may_fail),
};

const test_group group_structure = {.name = "structure", .cases = cases, .count = sizeof cases / sizeof *cases};
