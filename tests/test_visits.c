// Rearrangement one by one: lists of single spheres against all pairs while spheres move out of step; packings from outside, pair by pair.
#include "pack_support.h"

#include "pack/rearrange_lists.h"
#include "scree/index.h"
#include "scree/pack.h"

static scree_rearrange_def def_of(int dim, int axes)
{
    scree_rearrange_def def = scree_default_rearrange_def();
    def.box = scree_box_sized(dim, (double[3]){1.0, 1.0, 1.0});
    for (int k = 0; k < dim; ++k)
        def.box.periodic[k] = (axes >> k & 1) == 1;
    def.moves = SCREE_MOVES_ONE_BY_ONE;
    def.tolerance = 1e-3;
    return def;
}

// ---- Lists ---------------------------------------------------------------------------------------------------------

// Every pair that overlaps is in both rows, with its image: by a plain loop. Gives their number.
static int64_t check_complete(const lists* l, const pile* p)
{
    int64_t overlaps = 0;
    const int wide = 2 * shift_most + 1;
    int most[3] = {0, 0, 0};
    for (int k = 0; k < p->dim; ++k)
        most[k] = p->periodic[k] ? 2 : 0;
    for (int32_t i = 0; i < p->n; ++i)
        for (int32_t j = 0; j < p->n; ++j)
            for (int sz = -most[2]; sz <= most[2] && j != i; ++sz)
                for (int sy = -most[1]; sy <= most[1]; ++sy)
                    for (int sx = -most[0]; sx <= most[0]; ++sx) {
                        double d[3] = {p->x[i][0] - p->x[j][0] - sx * p->length[0], p->x[i][1] - p->x[j][1] - sy * p->length[1],
                                       p->x[i][2] - p->x[j][2] - sz * p->length[2]};
                        double sum = p->x[i][3] + p->x[j][3];
                        if (d[0] * d[0] + d[1] * d[1] + d[2] * d[2] >= sum * sum)
                            continue;
                        int image = shift_codes / 2 + sx + wide * (sy + wide * sz), found = 0;
                        for (int32_t e = 0; e < l->row[i].count; ++e) {
                            entry here = l->pool[l->row[i].at + e];
                            found += here.j == j && here.image == image;
                        }
                        if (found != 1)
                            fail_msg("spheres %d and %d (image %d %d %d) overlap and are listed %d times", i, j, sx, sy, sz, found);
                        ++overlaps;
                    }
    return overlaps;
}

// Steps about the references, back and forth, of the lengths at which the rule of the paper misses overlaps; each sphere in its own time.
static void lists_are_complete_out_of_step(void** state)
{
    (void)state;
    static const struct {
        const char* law;
        int dim, axes;
        int32_t count, method;
    } cases[] = {{"mono:1", 3, 7, 150, SCREE_METHOD_LOOSE_OCTREE},           {"uniform-volume:1:8", 3, 5, 120, SCREE_METHOD_HIERARCHICAL_GRID},
                 {"uniform-size:1:3", 2, 3, 150, SCREE_METHOD_LINKED_CELLS}, {"mono:1", 3, 0, 150, SCREE_METHOD_OCTREE},
                 {"bidisperse:6", 2, 1, 150, SCREE_METHOD_LOOSE_OCTREE}};
    for (size_t t = 0; t < sizeof cases / sizeof *cases; ++t) {
        double* r = radii(cases[t].law, cases[t].dim, cases[t].count);
        scree_rearrange_def def = def_of(cases[t].dim, cases[t].axes);
        def.method = cases[t].method;
        def.start_density = 0.6;
        pile* p;
        lists l = {0};
        CHECK_OK(pile_open(&def, cases[t].count, r, &p));
        p->skin = pile_skin_within(p, 0.6 * p->r_min);
        CHECK_OK(pile_rows(p));
        CHECK_OK(lists_take(&l, p));
        scree_rng rng = scree_rng_make(7, t);
        double quarter = 0.25 * lists_limit(p);
        int64_t overlaps = 0;
        int rounds = (int)(16 * test_effort());
        for (int round = 0; round < rounds; ++round) {
            for (int32_t i = 0; i < p->n; ++i) {
                if (scree_rng_below(&rng, 3) == 0)
                    continue;
                double step[3] = {0.0, 0.0, 0.0}, length = 0.0, gone = 0.0;
                for (int k = 0; k < p->dim; ++k) {
                    step[k] = scree_rng_uniform(&rng) - 0.5;
                    length += step[k] * step[k];
                }
                for (int k = 0; k < p->dim; ++k) {
                    double to = p->x[i][k] + step[k] / sqrt(length) * quarter * (1.0 - 1e-12);
                    p->x[i][k] = p->periodic[k] ? to : fmin(fmax(to, 0.0), p->length[k]);
                    gone += pow(p->x[i][k] - p->reference[i][k], 2);
                }
                if (gone > quarter * quarter) {
                    bool far = false;
                    CHECK_OK(lists_refresh(&l, p, i, &far));
                    assert_false(far);
                }
            }
            CHECK_OK(lists_validate(&l, p));
            overlaps += check_complete(&l, p);
        }
        assert_true(overlaps > 100 * rounds / 4 && l.refreshes > 20 * rounds);
        lists_free(&l);
        pile_close(p);
        free(r);
    }
}

// The same while they are rearranged: from sweep to sweep no overlap is missed.
static void no_overlap_is_missed(void** state)
{
    (void)state;
    static const char* const laws[] = {"mono:1", "uniform-volume:1:8"};
    for (int law = 0; law < 2; ++law)
        for (int margin = 0; margin < 2; ++margin) {
            double* r = radii(laws[law], 3, 150);
            scree_rearrange_def def = def_of(3, law == 0 ? 7 : 3);
            def.margin = 0.1 * margin;
            pile* p;
            sums s;
            CHECK_OK(pile_open(&def, 150, r, &p));
            CHECK_OK(p->way->begin(p));
            int64_t overlaps = 0;
            for (int sweep = 0; sweep < (int)(150 * test_effort()); ++sweep) {
                CHECK_OK(p->way->push(p, &s));
                CHECK_OK(lists_validate(pile_visits_lists(p), p));
                if (sweep % 8 == 0)
                    overlaps += check_complete(pile_visits_lists(p), p);
            }
            assert_true(overlaps > 1000);
            pile_close(p);
            free(r);
        }
}

// ---- Packings ------------------------------------------------------------------------------------------------------

static void packings_are_dense_and_valid(void** state)
{
    (void)state;
    static const struct {
        const char* law;
        int dim, axes;
        int32_t count;
        double tolerance, least, most;
    } cases[] = {
        {"mono:1", 3, 7, 600, 1e-3, 0.63, 0.66},
        {"mono:1", 3, 0, 300, 1e-3, 0.52, 0.62},
        {"uniform-volume:1:10", 3, 7, 500, 3e-3, 0.67, 0.75},
        {"uniform-size:1:10", 3, 3, 250, 3e-3, 0.58, 0.68},
        {"fuller:1:684.75:0.5:70", 3, 7, 600, 1e-2, 0.72, 0.82},
        {"bidisperse:1.4", 2, 3, 300, 1e-3, 0.82, 0.86},
        {"uniform-size:1:3", 2, 1, 300, 1e-3, 0.76, 0.88},
        {"lognormal:1e100:0.5", 3, 7, 300, 1e-3, 0.62, 0.76},
    };
    for (size_t t = 0; t < sizeof cases / sizeof *cases; ++t) {
        double* r = radii(cases[t].law, cases[t].dim, cases[t].count);
        scree_rearrange_def def = def_of(cases[t].dim, cases[t].axes);
        def.tolerance = cases[t].tolerance;
        scree_packing p;
        CHECK_OK(scree_pack_rearrange(&def, cases[t].count, r, &p));
        check_rearranged(&def, &p, cases[t].count, r);
        if (!p.converged || !(p.density >= cases[t].least && p.density <= cases[t].most))
            fail_msg("%s in %dD, axes %d: density %.5f, wanted %g to %g", cases[t].law, cases[t].dim, cases[t].axes, p.density, cases[t].least,
                     cases[t].most);
        assert_true(p.refreshes > 0 && p.search_tests > 0 && p.tests > 0 && p.growths > 0);
        scree_packing_free(&p);
        free(r);
    }
}

static void check_same_bits(const scree_rearrange_def* def, int32_t count, const double* r, scree_packing* first)
{
    scree_packing p;
    CHECK_OK(scree_pack_rearrange(def, count, r, &p));
    if (first->x == NULL) {
        *first = p;
        return;
    }
    assert_memory_equal(p.x, first->x, (size_t)count * (size_t)def->box.dim * sizeof *p.x);
    assert_true(p.box.upper[0] == first->box.upper[0] && p.sweeps == first->sweeps && p.refreshes == first->refreshes && p.tests == first->tests);
    scree_packing_free(&p);
}

static void bits_do_not_depend_on_the_method(void** state)
{
    (void)state;
    static const char* const laws[] = {"mono:1", "uniform-volume:1:10", "fuller:1:684.75:0.5:70"};
    for (int law = 0; law < 3; ++law)
        for (int way = 0; way < 2; ++way) {
            double* r = radii(laws[law], 3, 300);
            scree_rearrange_def def = def_of(3, law == 1 ? 3 : 7);
            def.sweeps = way == 0 ? 400 : 20;
            def.margin = -way;
            def.attraction = 0.5;
            scree_packing first = {0};
            for (int m = 0; m < SCREE_METHOD_COUNT; ++m) {
                def.method = m;
                check_same_bits(&def, 300, r, &first);
            }
            scree_packing_free(&first);
            free(r);
        }
}

// So many spheres that a colour of units is worth several threads. Few sweeps: what is looked for is a race or a sum in another order.
static void bits_do_not_depend_on_threads(void** state)
{
    (void)state;
    static const char* const laws[] = {"mono:1", "fuller:1:684.75:0.5:70"};
    const int32_t count = test_is_small() ? 15000 : 50000;
    for (int law = 0; law < 2; ++law) {
        double* r = radii(laws[law], 3, count);
        scree_rearrange_def def = def_of(3, 7);
        def.sweeps = 4;
        def.warm_up = 2;
        scree_packing first = {0};
        static const int32_t threads[] = {1, 2, 7};
        for (int t = 0; t < 3; ++t) {
            def.threads = threads[t];
            check_same_bits(&def, count, r, &first);
        }
        scree_packing_free(&first);
        free(r);
    }
}

// At random: numbers, sizes, shapes, settings. Whatever comes out is valid.
static void anything_is_valid(void** state)
{
    (void)state;
    scree_rng rng = scree_rng_make(13, 0);
    int rounds = (int)(40 * test_effort());
    for (int round = 0; round < rounds; ++round) {
        int dim = 2 + (int)scree_rng_below(&rng, 2);
        int32_t count = 1 + (int32_t)scree_rng_below(&rng, 150);
        double* r = malloc((size_t)count * sizeof *r);
        double range = 6.0 * scree_rng_uniform(&rng);
        for (int32_t i = 0; i < count; ++i)
            r[i] = exp(range * (scree_rng_uniform(&rng) - 0.5));
        scree_rearrange_def def = def_of(dim, (int)scree_rng_below(&rng, 8));
        for (int k = 0; k < dim; ++k) {
            def.box.lower[k] = 100.0 * (scree_rng_uniform(&rng) - 0.5);
            def.box.upper[k] = def.box.lower[k] + exp(2.0 * scree_rng_uniform(&rng));
        }
        def.seed = (uint64_t)round;
        def.start_density = 0.1 + 1.2 * scree_rng_uniform(&rng);
        def.tolerance = exp(-6.0 * scree_rng_uniform(&rng) - 1.0);
        def.growth = exp(-5.0 * scree_rng_uniform(&rng));
        def.warm_up = (int64_t)scree_rng_below(&rng, 100);
        def.attraction = scree_rng_below(&rng, 2) == 0 ? 0.0 : scree_rng_uniform(&rng);
        def.margin = scree_rng_below(&rng, 3) == 0 ? 0.0 : scree_rng_below(&rng, 3) == 0 ? -1.0 : exp(3.0 * scree_rng_uniform(&rng) - 3.0);
        def.sweeps = 1 + (int64_t)scree_rng_below(&rng, 1000);
        scree_packing p;
        CHECK_OK(scree_pack_rearrange(&def, count, r, &p));
        check_rearranged(&def, &p, count, r);
        assert_true(p.converged || p.sweeps >= def.sweeps);
        scree_packing_free(&p);
        free(r);
    }
}

static bool stop_after(void* context, double done)
{
    assert_true(done >= 0.0 && done <= 1.0);
    return (*(int*)context)-- > 0;
}

static void stopped_packings_are_valid(void** state)
{
    (void)state;
    double* r = radii("uniform-volume:1:10", 3, 300);
    scree_rearrange_def def = def_of(3, 7);
    for (int ticks = 0; ticks < 30; ticks = 2 * ticks + 1) {
        int left = ticks;
        scree_packing p;
        def.watch = (scree_watch){stop_after, &left};
        CHECK_FAILS(scree_pack_rearrange(&def, 300, r, &p), SCREE_ERR_CANCELLED);
        check_rearranged(&def, &p, 300, r);
        assert_false(p.converged);
        scree_packing_free(&p);
    }
    free(r);
}

static void errors_name_what_is_wrong(void** state)
{
    (void)state;
    double r[3] = {1.0, 1.0, 1.0};
    scree_packing p;
    scree_rearrange_def def = def_of(3, 7);
    def.moves = 2;
    CHECK_FAILS(scree_pack_rearrange(&def, 3, r, &p), SCREE_ERR_ARGUMENT);
    def.moves = SCREE_MOVES_TOGETHER;
    def.margin = 0.1;
    CHECK_FAILS(scree_pack_rearrange(&def, 3, r, &p), SCREE_ERR_ARGUMENT, "margin");
    def.moves = SCREE_MOVES_ONE_BY_ONE;
    def.margin = NAN;
    CHECK_FAILS(scree_pack_rearrange(&def, 3, r, &p), SCREE_ERR_ARGUMENT, "margin");
    assert_null(scree_moves_name(SCREE_MOVES_COUNT));
    assert_string_equal(scree_moves_name(SCREE_MOVES_ONE_BY_ONE), "one-by-one");
}

static void no_memory(void** state)
{
    (void)state;
    double* r = radii("uniform-size:1:3", 3, 60);
    scree_rearrange_def def = def_of(3, 3);
    def.threads = 1;
    def.tolerance = 1e-2;
    def.warm_up = 30;
    for (int way = 0; way < 2; ++way)
        for (int64_t n = 1;; ++n) {
            scree_packing p;
            def.margin = -way;
            def.sweeps = way == 0 ? 500 : 30;
            scree_memory_fail_at(n);
            scree_status status = scree_pack_rearrange(&def, 60, r, &p);
            int64_t used = scree_memory_fail_at(0);
            if (status == SCREE_OK) {
                check_rearranged(&def, &p, 60, r);
                scree_packing_free(&p);
                if (used < n)
                    break;
                continue;  // the index does without what it did not get, and asks again later
            }
            assert_int_equal(status, SCREE_ERR_MEMORY);
            assert_null(p.x);
        }
    free(r);
}

static const test_case cases[] = {
    PROPERTY(lists_are_complete_out_of_step),
    PROPERTY(no_overlap_is_missed),
    UNIT(packings_are_dense_and_valid),
    SAME_BITS(bits_do_not_depend_on_the_method),
    THREADS(bits_do_not_depend_on_threads),
    PROPERTY(anything_is_valid),
    UNIT(stopped_packings_are_valid),
    UNIT(errors_name_what_is_wrong),
    ALLOCATION(no_memory),
};

const test_group group_visits = {.name = "visits", .cases = cases, .count = sizeof cases / sizeof *cases};
