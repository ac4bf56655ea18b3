// Collective rearrangement: packings are looked at from outside, pair by pair, by the plain method of the index.
#include "pack_support.h"

#include "pack/rearrange_inner.h"
#include "scree/index.h"
#include "scree/pack.h"

static scree_rearrange_def def_of(int dim, int axes)
{
    scree_rearrange_def def = scree_default_rearrange_def();
    def.box = scree_box_sized(dim, (double[3]){1.0, 1.0, 1.0});
    for (int k = 0; k < dim; ++k)
        def.box.periodic[k] = (axes >> k & 1) == 1;
    return def;
}

static void packings_are_dense_and_valid(void** state)
{
    (void)state;
    static const struct {
        const char* law;
        int dim, axes;
        int32_t count;
        double least, most, lower, shape[3];
    } cases[] = {
        {"mono:1", 3, 7, 1000, 0.625, 0.66, 0.0, {1.0, 1.0, 1.0}},
        {"mono:1", 3, 0, 1000, 0.57, 0.64, -3.0, {1.0, 1.0, 1.0}},
        {"mono:1", 3, 3, 500, 0.58, 0.65, 5.0, {1.0, 2.0, 0.5}},
        {"uniform-volume:1:10", 3, 7, 1000, 0.68, 0.75, 0.0, {1.0, 1.0, 1.0}},
        {"uniform-size:1:10", 3, 7, 700, 0.64, 0.69, 0.0, {1.0, 1.0, 1.0}},
        {"fuller:1:684.75:0.5:70", 3, 7, 1000, 0.70, 0.86, 0.0, {1.0, 1.0, 1.0}},
        {"bidisperse:1.4", 2, 3, 800, 0.825, 0.86, 0.0, {1.0, 1.0, 0.0}},
        {"uniform-size:1:3", 2, 1, 500, 0.79, 0.88, -2.0, {3.0, 1.0, 0.0}},
        {"uniform-size:1:3", 2, 0, 300, 0.74, 0.88, 1e3, {1.0, 1.0, 0.0}},
        {"lognormal:1e100:0.5", 3, 7, 300, 0.62, 0.76, 0.0, {1.0, 1.0, 1.0}},
        {"lognormal:1e-100:0.5", 2, 3, 300, 0.80, 0.90, 0.0, {1.0, 1.0, 0.0}},
    };
    for (size_t t = 0; t < sizeof cases / sizeof *cases; ++t) {
        int32_t count = cases[t].count;
        double *r = radii(cases[t].law, cases[t].dim, count), *kept = malloc((size_t)count * sizeof *kept);
        memcpy(kept, r, (size_t)count * sizeof *kept);
        scree_rearrange_def def = def_of(cases[t].dim, cases[t].axes);
        for (int k = 0; k < cases[t].dim; ++k) {
            def.box.lower[k] = cases[t].lower * (k + 1);
            def.box.upper[k] = def.box.lower[k] + cases[t].shape[k];
        }
        scree_packing p;
        CHECK_OK(scree_pack_rearrange(&def, count, r, &p));
        check_rearranged(&def, &p, count, r);
        assert_memory_equal(r, kept, (size_t)count * sizeof *kept);
        if (!p.converged || !(p.overlap_left <= def.tolerance) || !(p.density >= cases[t].least && p.density <= cases[t].most))
            fail_msg("case %d, %s: density %.5f, wanted %g to %g; %g of overlap was left", (int)t, cases[t].law, p.density, cases[t].least,
                     cases[t].most, p.overlap_left);
        assert_true(p.sweeps > 0 && p.growths > 0 && p.rebuilds > 0 && p.tests > 0);
        assert_true(p.density <= p.density_net);
        scree_packing_free(&p);
        free(r);
        free(kept);
    }
}

// Equal spheres jam where contacts just suffice to hold them: six each, once those that nothing holds (fewer than four) are left out.
static void equal_spheres_are_isostatic(void** state)
{
    (void)state;
    enum { count = 1000 };
    double* r = radii("mono:1", 3, count);
    scree_rearrange_def def = def_of(3, 7);
    def.tolerance = 1e-5;
    scree_packing p;
    CHECK_OK(scree_pack_rearrange(&def, count, r, &p));
    check_rearranged(&def, &p, count, r);
    scree_index_def search = scree_default_index_def();
    search.box = p.box;
    search.gap = 1e-3;
    scree_index* index;
    scree_pairs pairs;
    CHECK_OK(scree_index_create(&search, &index));
    CHECK_OK(scree_index_update(index, (scree_spheres){.count = count, .dim = 3, .x = p.x, .r = r}));
    CHECK_OK(scree_index_pairs(index, &pairs));
    static bool loose[count];
    int held = 0, contacts = 0;
    for (bool again = true; again;) {
        static int z[count];
        memset(z, 0, sizeof z);
        held = contacts = 0;
        again = false;
        for (int64_t q = 0; q < pairs.count; ++q)
            if (!loose[pairs.ij[q][0]] && !loose[pairs.ij[q][1]]) {
                ++z[pairs.ij[q][0]];
                ++z[pairs.ij[q][1]];
            }
        for (int i = 0; i < count; ++i) {
            again = again || (!loose[i] && z[i] < 4);
            loose[i] = loose[i] || z[i] < 4;
            held += !loose[i];
            contacts += z[i];
        }
    }
    CHECK_CLOSE((double)contacts / held, 6.0, 0.2);
    assert_true(held > 0.9 * count);
    scree_index_destroy(index);
    scree_packing_free(&p);
    free(r);
}

static void bits_depend_on_the_seed_alone(void** state)
{
    (void)state;
    static const char* const laws[] = {"uniform-volume:1:10", "fuller:1:684.75:0.5:70"};
    for (int t = test_is_small() ? 2 : 0; t < (test_is_small() ? 3 : 4); t += test_effort() < 1.0 ? 3 : 1) {
        int32_t count = t < 2 ? 600 : 2500;
        double* r = radii(laws[t % 2], 3, count);
        scree_rearrange_def def = def_of(3, t < 2 ? 7 : 1);
        // Threads share the work from some thousand spheres on.
        def.sweeps = (t < 2 ? 450 : test_is_small() ? 8 : 60) / (test_effort() < 1.0 && !test_is_small() ? 2 : 1);
        def.threads = 1;
        def.attraction = t < 2 ? 0.0 : 0.5;
        scree_packing first, again;
        CHECK_OK(scree_pack_rearrange(&def, count, r, &first));
        static const int32_t methods[] = {SCREE_METHOD_LOOSE_OCTREE, SCREE_METHOD_LINKED_CELLS, SCREE_METHOD_OCTREE, SCREE_METHOD_HIERARCHICAL_GRID,
                                          SCREE_METHOD_ALL_PAIRS, SCREE_METHOD_AUTO};
        static const int32_t threads[] = {2, 7, 1, 3, 1, 0};
        for (size_t m = 0; m < (test_is_small() ? 2 : sizeof methods / sizeof *methods); ++m) {
            def.method = methods[m];
            def.threads = threads[m];
            CHECK_OK(scree_pack_rearrange(&def, count, r, &again));
            assert_memory_equal(first.x, again.x, 3 * (size_t)count * sizeof *first.x);
            assert_memory_equal(&first.box.upper, &again.box.upper, sizeof first.box.upper);
            assert_int_equal(first.sweeps, again.sweeps);
            assert_int_equal(first.rebuilds, again.rebuilds);
            assert_int_equal(first.tests, again.tests);
            scree_packing_free(&again);
        }
        def.threads = 7;
        CHECK_OK(scree_pack_rearrange(&def, count, r, &again));
        assert_memory_equal(first.x, again.x, 3 * (size_t)count * sizeof *first.x);
        scree_packing_free(&again);
        def.seed = 2;
        CHECK_OK(scree_pack_rearrange(&def, count, r, &again));
        assert_memory_not_equal(first.x, again.x, 3 * (size_t)count * sizeof *first.x);
        scree_packing_free(&again);
        scree_packing_free(&first);
        free(r);
    }
}

// Wherever it is stopped, the largest overlap that the last sweep saw is the largest there is: the final scaling, which looks at all pairs again,
// takes no more away than that.
static void no_contact_is_missed(void** state)
{
    (void)state;
    static const char* const laws[] = {"mono:1", "uniform-volume:1:10", "fuller:1:684.75:0.5:70"};
    static const int64_t stops[] = {1, 5, 33, 120, 320, 500, 700, 900, 1100};
    for (int t = 0; t < 6; ++t) {
        int32_t count = t < 3 ? (int32_t)(200 + 600 * fmin(test_effort(), 1.0)) : 300;
        double* r = radii(laws[t % 3], 3, count);
        for (size_t k = 0; k < sizeof stops / sizeof *stops; ++k) {
            scree_rearrange_def def = def_of(3, t < 3 ? 7 : 2);
            def.sweeps = stops[k];
            scree_packing p;
            CHECK_OK(scree_pack_rearrange(&def, count, r, &p));
            double scaled = cbrt(p.density / p.density_net), least = 1.0 - (t < 3 ? 1.0 : 2.0) * p.overlap_left;
            if (p.sweeps == stops[k] && !(scaled >= least - 1e-9))
                fail_msg("%s, %d sweeps: scaled by %.6f, but the largest overlap seen allows for %.6f", laws[t % 3], (int)stops[k], scaled, least);
            scree_packing_free(&p);
        }
        free(r);
    }
}

// Every pair that overlaps is in both rows, with its image: by a plain loop. Gives their number, and the largest overlap by smaller radius.
static int64_t check_rows(const pile* p, int sweep, double* worst)
{
    const int wide = 2 * shift_most + 1;
    int64_t overlaps = 0;
    int most[3] = {0, 0, 0};
    for (int k = 0; k < p->dim; ++k)
        most[k] = p->periodic[k] ? 1 : 0;
    for (int32_t i = 0; i < p->n; ++i)
        for (int32_t j = 0; j < p->n; ++j)
            for (int sz = -most[2]; sz <= most[2] && j != i; ++sz)
                for (int sy = -most[1]; sy <= most[1]; ++sy)
                    for (int sx = -most[0]; sx <= most[0]; ++sx) {
                        double d[3] = {p->x[i][0] - p->x[j][0] - sx * p->length[0], p->x[i][1] - p->x[j][1] - sy * p->length[1],
                                       p->x[i][2] - p->x[j][2] - sz * p->length[2]};
                        double sum = (p->x[i][3] + p->x[j][3]) * (1.0 - 1e-12);
                        if (d[0] * d[0] + d[1] * d[1] + d[2] * d[2] >= sum * sum)
                            continue;
                        int image = shift_codes / 2 + sx + wide * (sy + wide * sz), found = 0;
                        for (int64_t e = p->rows.row[i].at; e < p->rows.row[i].at + p->rows.row[i].count; ++e)
                            found += p->rows.j[e] == j && p->rows.image[e] == image;
                        if (found != 1)
                            fail_msg("sweep %d: spheres %d and %d (image %d %d %d) overlap and are listed %d times", sweep, i, j, sx, sy, sz, found);
                        ++overlaps;
                        double o = p->x[i][3] + p->x[j][3] - sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
                        *worst = fmax(*worst, o / fmin(p->x[i][3], p->x[j][3]));
                    }
    return overlaps;
}

// From sweep to sweep, while spheres run to the ends of their leashes. Without walls the forces add up to nothing: both sides of a pair see it.
static void rows_are_complete(void** state)
{
    (void)state;
    static const char* const laws[] = {"mono:1", "uniform-volume:1:8"};
    for (int t = 0; t < 4; ++t) {
        double* r = radii(laws[t % 2], 3, 150);
        scree_rearrange_def def = def_of(3, t < 2 ? 7 : 3);
        pile* p;
        CHECK_OK(pile_open(&def, 150, r, &p));
        CHECK_OK(p->way->begin(p));
        int64_t overlaps = 0;
        for (int sweep = 0; sweep < (int)(20 + 100 * test_effort()); ++sweep) {
            sums s;
            CHECK_OK(p->way->push(p, &s));
            double worst = 0.0;
            overlaps += check_rows(p, sweep, &worst);
            if (t < 2)
                CHECK_CLOSE(s.worst, worst, 1e-9);
            double net[3] = {0.0, 0.0, 0.0}, all = 0.0;
            for (int32_t i = 0; i < p->n; ++i)
                for (int k = 0; k < 3; ++k) {
                    net[k] += p->f[i][k];
                    all += fabs(p->f[i][k]);
                }
            for (int k = 0; k < 3; ++k)
                // Near equilibrium what is left of the forces on a sphere is far smaller than the forces themselves, whose rounding counts.
                assert_true(!p->periodic[k] || fabs(net[k]) <= 1e-12 * all + 1e-16 * p->n * s.worst);
            p->way->move(p, &s);
        }
        assert_true(overlaps > 1000 && p->rebuilds > 2);
        pile_close(p);
        free(r);
    }
}

static void round_containers(void** state)
{
    (void)state;
    static const struct {
        const char* law;
        int dim, axes, container;
        int32_t count;
        double least, most, lower, height;
    } cases[] = {
        {"mono:1", 3, 0, SCREE_CONTAINER_CYLINDER, 600, 0.55, 0.64, 0.0, 1.0},
        {"mono:1", 3, 4, SCREE_CONTAINER_CYLINDER, 600, 0.56, 0.65, -7.0, 2.0},
        {"uniform-volume:1:10", 3, 4, SCREE_CONTAINER_CYLINDER, 500, 0.60, 0.75, 1e3, 0.5},
        {"fuller:1:684.75:0.5:70", 3, 0, SCREE_CONTAINER_SPHERE, 800, 0.55, 0.85, 0.0, 1.0},
        {"mono:1e-50", 3, 0, SCREE_CONTAINER_SPHERE, 400, 0.53, 0.64, 0.0, 1.0},
        {"bidisperse:1.4", 2, 0, SCREE_CONTAINER_SPHERE, 400, 0.76, 0.86, 2.0, 0.0},
        {"mono:1", 3, 0, SCREE_CONTAINER_SPHERE, 1, 0.9 - 1e-6, 1.0, 0.0, 1.0},
        {"mono:1", 3, 0, SCREE_CONTAINER_SPHERE, 2, 0.25 - 1e-3, 0.25, 0.0, 1.0},   // side by side: R = 2 r
        {"mono:1", 2, 0, SCREE_CONTAINER_SPHERE, 3, 0.6461 - 1e-3, 0.6462, 0.0, 0.0},  // 3 / (1 + 2/sqrt 3)^2
        {"mono:1", 3, 0, SCREE_CONTAINER_CYLINDER, 3, 0.20, 0.68, 0.0, 1.0},
    };
    for (size_t t = 0; t < sizeof cases / sizeof *cases; ++t) {
        int32_t count = cases[t].count;
        int dim = cases[t].dim;
        double* r = radii(cases[t].law, dim, count);
        scree_rearrange_def def = def_of(dim, cases[t].axes);
        def.container = cases[t].container;
        def.threads = 1;
        for (int k = 0; k < dim; ++k) {
            def.box.lower[k] = cases[t].lower * (k + 1);
            def.box.upper[k] = def.box.lower[k] + (k == 2 ? cases[t].height : 1.0);
        }
        scree_packing p, again;
        CHECK_OK(scree_pack_rearrange(&def, count, r, &p));
        check_rearranged(&def, &p, count, r);
        if (!p.converged || !(p.density >= cases[t].least && p.density <= cases[t].most))
            fail_msg("case %d, %s: density %.5f, wanted %g to %g", (int)t, cases[t].law, p.density, cases[t].least, cases[t].most);
        def.threads = 3;
        def.method = SCREE_METHOD_LOOSE_OCTREE;
        CHECK_OK(scree_pack_rearrange(&def, count, r, &again));
        assert_memory_equal(p.x, again.x, (size_t)count * (size_t)dim * sizeof *p.x);
        scree_packing_free(&again);
        def.moves = SCREE_MOVES_ONE_BY_ONE;  // the other way of moving meets round walls too
        def.tolerance = 1e-2;
        CHECK_OK(scree_pack_rearrange(&def, count, r, &again));
        check_rearranged(&def, &again, count, r);
        if (!again.converged || !(again.density >= cases[t].least - 0.1 && again.density <= cases[t].most))
            fail_msg("case %d, one by one: density %.5f", (int)t, again.density);
        scree_packing_free(&again);
        def.moves = SCREE_MOVES_TOGETHER;
        def.sweeps = 20;  // stopped in the middle of it: loose, but inside
        CHECK_OK(scree_pack_rearrange(&def, count, r, &again));
        check_rearranged(&def, &again, count, r);
        scree_packing_free(&again);
        scree_packing_free(&p);
        free(r);
    }
    double one = 1.0;
    scree_packing p;
    scree_rearrange_def def = def_of(3, 1);
    def.container = SCREE_CONTAINER_CYLINDER;
    CHECK_FAILS(scree_pack_rearrange(&def, 1, &one, &p), SCREE_ERR_ARGUMENT);
    def = def_of(3, 0);
    def.container = 7;
    CHECK_FAILS(scree_pack_rearrange(&def, 1, &one, &p), SCREE_ERR_ARGUMENT, "7");
}

typedef struct watched {
    scree_rearrange_state now;
    int placing, ticks;
    double done, density;
    int64_t sweeps;
} watched;

static bool look(void* context, double done)
{
    watched* w = context;
    if (w->now.density == 0.0) {  // the first centres are being drawn
        assert_true(done == 0.0);
        ++w->placing;
        return true;
    }
    assert_true(done >= w->done && done <= 1.0);
    assert_true(w->now.density <= w->density && w->now.overlap > 0.0);
    assert_true(w->now.sweeps > w->sweeps || w->ticks == 0);
    w->done = done;
    w->density = w->now.density;
    w->sweeps = w->now.sweeps;
    ++w->ticks;
    return true;
}

static void the_watch_is_called(void** state)
{
    (void)state;
    double* r = radii("mono:1", 3, 500);
    watched w = {.density = 0.9 + 1e-12};
    scree_rearrange_def def = def_of(3, 7);
    def.watch = (scree_watch){.tick = look, .context = &w};
    def.state = &w.now;
    scree_packing p;
    CHECK_OK(scree_pack_rearrange(&def, 500, r, &p));
    assert_true(w.placing > 100 && w.ticks > 20 && w.ticks >= p.sweeps / 16 && w.done > 0.9);
    CHECK_CLOSE(w.now.density, p.density_net, 1e-2);
    assert_true(w.now.overlap < 1e-2);
    scree_packing_free(&p);
    free(r);
}

static void few_spheres(void** state)
{
    (void)state;
    scree_packing p;
    const double pi = 3.14159265358979323846;
    for (int dim = 2; dim <= 3; ++dim)
        for (int axes = 0; axes < 1 << dim; ++axes) {
            scree_rearrange_def def = def_of(dim, axes);
            double r[6] = {1.5, 0.5, 0.1, 1.0, 1.5, 0.01};
            CHECK_OK(scree_pack_rearrange(&def, 0, NULL, &p));
            assert_true(p.converged && p.count == 0);
            scree_packing_free(&p);
            CHECK_OK(scree_pack_rearrange(&def, 1, r, &p));
            check_rearranged(&def, &p, 1, r);
            assert_true(p.converged);
            if (axes == (1 << dim) - 1)
                CHECK_CLOSE(p.density, dim == 2 ? pi / 4.0 : pi / 6.0, 1e-6);  // it touches its own images
            scree_packing_free(&p);
            for (int32_t n = 2; n <= 6; ++n)
                for (uint64_t seed = 1; seed <= 10; ++seed) {
                    def.seed = seed;
                    CHECK_OK(scree_pack_rearrange(&def, n, r, &p));
                    check_rearranged(&def, &p, n, r);
                    if (!p.converged || !(p.density > 0.15))
                        fail_msg("%d spheres, dim %d, axes %d, seed %d: density %g", (int)n, dim, axes, (int)seed, p.density);
                    scree_packing_free(&p);
                }
        }
    scree_packing_free(&p);  // a zeroed one
}

// At random: numbers, sizes, shapes, settings. Whatever comes out is valid.
static void anything_is_valid(void** state)
{
    (void)state;
    scree_rng rng = scree_rng_make(12, 0);
    int rounds = (int)(60 * test_effort());
    for (int round = 0; round < rounds; ++round) {
        int dim = 2 + (int)scree_rng_below(&rng, 2);
        int32_t count;
        double* r = random_radii(&rng, 200, &count);
        scree_rearrange_def def = def_of(dim, (int)scree_rng_below(&rng, 8));
        move_box(&rng, &def.box);
        def.seed = (uint64_t)round;
        def.start_density = 0.1 + 1.2 * scree_rng_uniform(&rng);
        def.tolerance = exp(-14.0 * scree_rng_uniform(&rng) - 1.0);
        def.growth = exp(-5.0 * scree_rng_uniform(&rng));
        def.warm_up = (int64_t)scree_rng_below(&rng, 400);
        def.attraction = scree_rng_below(&rng, 2) == 0 ? 0.0 : scree_rng_uniform(&rng);
        def.sweeps = scree_rng_below(&rng, 3) == 0 ? 1 + (int64_t)scree_rng_below(&rng, 100) : 0;
        scree_packing p;
        CHECK_OK(scree_pack_rearrange(&def, count, r, &p));
        check_rearranged(&def, &p, count, r);
        assert_true(def.sweeps > 0 || p.converged);
        scree_packing_free(&p);
        free(r);
    }
}

// Work is counted, not time: of many spheres one sweep at most passes after the watch has said stop, and no sphere is placed after that.
static void stops_come_at_once(void** state)
{
    (void)state;
    enum { count = 40000 };
    double* r = radii("uniform-volume:1:4", 3, count);
    scree_rearrange_def def = def_of(3, 7);
    scree_packing p;
    for (int first = 0; first < 40; first += 13) {
        stopper s = {.placing = first};
        def.watch = (scree_watch){stop_after, &s};
        def.state = &s.now;
        CHECK_FAILS(scree_pack_rearrange(&def, count, r, &p), SCREE_ERR_CANCELLED);
        assert_true(p.x == NULL && s.placing == -1);
    }
    stopper s = {.placing = 1 << 30, .left = 3};
    def.watch = (scree_watch){stop_after, &s};
    def.state = &s.now;
    CHECK_FAILS(scree_pack_rearrange(&def, count, r, &p), SCREE_ERR_CANCELLED);
    assert_int_equal(p.sweeps, 3);
    assert_int_equal(s.left, -1);
    scree_packing_free(&p);
    free(r);
}

static void stopped_packings_are_valid(void** state)
{
    (void)state;
    double* r = radii("uniform-volume:1:10", 3, 400);
    scree_rearrange_def def = def_of(3, 7);
    for (int ticks = 0; ticks < 30; ticks = 2 * ticks + 1) {
        stopper s = {.placing = 1 << 30, .left = ticks};
        scree_packing p;
        def.watch = (scree_watch){stop_after, &s};
        def.state = &s.now;
        CHECK_FAILS(scree_pack_rearrange(&def, 400, r, &p), SCREE_ERR_CANCELLED);
        check_rearranged(&def, &p, 400, r);
        assert_false(p.converged);
        scree_packing_free(&p);
    }
    stopper never = {.placing = 1 << 30, .left = 1 << 30};
    scree_packing whole, p;
    def.watch = (scree_watch){stop_after, &never};
    def.state = &never.now;
    CHECK_OK(scree_pack_rearrange(&def, 400, r, &whole));
    assert_true(never.left < 1 << 30);
    def.watch = (scree_watch){0};
    def.state = NULL;
    def.seconds = 1e6;  // a limit that is not reached changes nothing
    CHECK_OK(scree_pack_rearrange(&def, 400, r, &p));
    assert_memory_equal(p.x, whole.x, 3 * 400 * sizeof *p.x);
    scree_packing_free(&p);
    scree_packing_free(&whole);
    def.seconds = 1e-9;
    CHECK_OK(scree_pack_rearrange(&def, 400, r, &p));
    check_rearranged(&def, &p, 400, r);
    assert_false(p.converged);
    scree_packing_free(&p);
    def.seconds = 0.0;
    def.sweeps = 100;
    CHECK_OK(scree_pack_rearrange(&def, 400, r, &p));
    check_rearranged(&def, &p, 400, r);
    assert_false(p.converged);
    assert_int_equal(p.sweeps, 100);
    scree_packing_free(&p);
    free(r);
}

static void attraction_brings_rattlers_home(void** state)
{
    (void)state;
    double* r = radii("uniform-volume:1:10", 3, 500);
    double alone[2];
    for (int t = 0; t < 2; ++t) {
        scree_rearrange_def def = def_of(3, 7);
        def.attraction = t;
        scree_packing p;
        CHECK_OK(scree_pack_rearrange(&def, 500, r, &p));
        check_rearranged(&def, &p, 500, r);
        scree_index_def search = scree_default_index_def();
        search.box = p.box;
        search.gap = 1e-2;
        scree_index* index;
        CHECK_OK(scree_index_create(&search, &index));
        CHECK_OK(scree_index_update(index, (scree_spheres){.count = 500, .dim = 3, .x = p.x, .r = r}));
        alone[t] = 0.0;
        for (int32_t i = 0; i < 500; ++i) {
            scree_neighbours near;
            CHECK_OK(scree_index_neighbours(index, i, &near));
            alone[t] += near.count == 0;
        }
        scree_index_destroy(index);
        scree_packing_free(&p);
    }
    if (!(alone[1] < alone[0]))
        fail_msg("%g spheres without a neighbour with attraction, %g without", alone[1], alone[0]);
    free(r);
}

static void errors_name_what_is_wrong(void** state)
{
    (void)state;
    double r[3] = {1.0, 1.0, 1.0}, bad[3] = {1.0, 0.0, 1.0};
    scree_packing p;
    scree_rearrange_def def = def_of(3, 7);
#define REFUSED(change, text)                                                       \
    do {                                                                            \
        def = def_of(3, 7);                                                         \
        change;                                                                     \
        CHECK_FAILS(scree_pack_rearrange(&def, 3, r, &p), SCREE_ERR_ARGUMENT, text); \
        assert_null(p.x);                                                           \
    } while (0)
    REFUSED(def.struct_size = 0, "scree_default_rearrange_def");
    REFUSED(def.start_density = 0.0, "density");
    REFUSED(def.start_density = NAN, "density");
    REFUSED(def.tolerance = 0.0, "tolerance");
    REFUSED(def.growth = 0.0, "growth");
    REFUSED(def.growth = 1.5, "growth");
    REFUSED(def.balance = -1.0, "balance");
    REFUSED(def.attraction = 2.0, "attraction");
    REFUSED(def.seconds = -1.0, "seconds");
    REFUSED(def.warm_up = -1, "warm_up");
    REFUSED(def.sweeps = -1, "sweeps");
    REFUSED(def.threads = -1, "threads");
    REFUSED(def.method = 99, "method");
    REFUSED(def.box.upper[1] = INFINITY; def.box.periodic[1] = false, "axis y");
    REFUSED(def.box.upper[2] = 0.0, "axis z");
    def = def_of(3, 7);
    CHECK_FAILS(scree_pack_rearrange(&def, -1, r, &p), SCREE_ERR_ARGUMENT);
    CHECK_FAILS(scree_pack_rearrange(&def, 3, NULL, &p), SCREE_ERR_ARGUMENT, "NULL");
    CHECK_FAILS(scree_pack_rearrange(&def, 3, bad, &p), SCREE_ERR_ARGUMENT, "sphere 1");
    bad[1] = NAN;
    CHECK_FAILS(scree_pack_rearrange(&def, 3, bad, &p), SCREE_ERR_ARGUMENT, "sphere 1");
    bad[1] = 1e200;
    CHECK_FAILS(scree_pack_rearrange(&def, 3, bad, &p), SCREE_ERR_ARGUMENT, "sphere 1");
#undef REFUSED
}

static void no_memory(void** state)
{
    (void)state;
    double* r = radii("uniform-size:1:3", 3, 60);
    scree_rearrange_def def = def_of(3, 3);
    def.threads = 1;
    def.tolerance = 1e-2;
    def.warm_up = 30;
    for (int64_t n = 1;; ++n) {
        scree_packing p;
        scree_memory_fail_at(n);
        scree_status status = scree_pack_rearrange(&def, 60, r, &p);
        int64_t used = scree_memory_fail_at(0);
        if (status == SCREE_OK) {
            assert_true(used < n);
            check_rearranged(&def, &p, 60, r);
            scree_packing_free(&p);
            break;
        }
        assert_int_equal(status, SCREE_ERR_MEMORY);
        assert_null(p.x);
    }
    free(r);
}

// Whatever is saved at any sweep goes on to the same bits, with other threads and another method of the index.
static void saved_packings_go_on(void** state)
{
    (void)state;
    static const struct {
        int dim, axes;
        int32_t container;
        double attraction;
        int64_t at;  // sweep, counted from 1
        int32_t moves;
        double margin, margin_least;
    } cases[] = {{3, 7, 0, 0.0, 1, 0, 0.0, 0.0},
                 {3, 7, 0, 0.0, 137, 0, 0.0, 0.0},
                 {3, 7, 0, 0.0, 500, 0, 0.0, 0.0},
                 {3, 0, 0, 0.5, 123, 0, 0.0, 0.0},
                 {2, 3, 0, 0.0, 211, 0, 0.0, 0.0},
                 {3, 4, SCREE_CONTAINER_CYLINDER, 0.0, 77, 0, 0.0, 0.0},
                 {3, 7, 0, 0.0, 1, SCREE_MOVES_ONE_BY_ONE, 0.0, 0.0},
                 {3, 7, 0, 1.0, 400, SCREE_MOVES_ONE_BY_ONE, 0.5, 0.04},
                 {3, 0, 0, 0.0, 777, SCREE_MOVES_ONE_BY_ONE, 0.0, 0.0},
                 {2, 3, 0, 0.5, 90, SCREE_MOVES_ONE_BY_ONE, 0.3, 0.0}};
    for (size_t t = 0; t < sizeof cases / sizeof *cases; ++t) {
        enum { count = 151 };  // odd: words of the checksum go across pieces
        double* r = radii("uniform-volume:1:5", cases[t].dim, count);
        scree_rearrange_def def = def_of(cases[t].dim, cases[t].axes);
        def.container = cases[t].container;
        def.attraction = cases[t].attraction;
        def.moves = cases[t].moves;
        def.margin = cases[t].margin;
        def.margin_least = cases[t].margin_least;
        def.tolerance = 1e-3;
        kept_state k = {.keep_at = cases[t].at};
        scree_packing plain, saving, resumed;
        CHECK_OK(scree_pack_rearrange(&def, count, r, &plain));
        def.saver = (scree_pack_saver){.save = keep_state, .context = &k, .seconds = 0.0};
        CHECK_OK(scree_pack_rearrange(&def, count, r, &saving));
        assert_true(k.size > 0 && plain.sweeps > cases[t].at);
        def.saver.save = NULL;
        def.resume = (scree_bytes){k.data, k.size};
        def.threads = 2;
        def.method = SCREE_METHOD_LOOSE_OCTREE;
        CHECK_OK(scree_pack_rearrange(&def, count, r, &resumed));
        for (int w = 0; w < 2; ++w) {
            const scree_packing* p = w == 0 ? &saving : &resumed;
            assert_int_equal(p->sweeps, plain.sweeps);
            assert_int_equal(p->rebuilds, plain.rebuilds);
            assert_int_equal(p->refreshes, plain.refreshes);
            assert_memory_equal(p->x, plain.x, (size_t)count * (size_t)cases[t].dim * sizeof *p->x);
            assert_memory_equal(&p->box, &plain.box, sizeof p->box);
        }
        scree_packing_free(&resumed);
        if (t == 1) {  // of another packing; cut short; changed
            def.seed = 9;
            CHECK_FAILS(scree_pack_rearrange(&def, count, r, &resumed), SCREE_ERR_ARGUMENT, "151", "136");
            def.seed = 1;
            r[3] *= 1.0 + 1e-15;
            CHECK_FAILS(scree_pack_rearrange(&def, count, r, &resumed), SCREE_ERR_ARGUMENT, "other", "sizes");
            def.resume.size = k.size - 1;
            CHECK_FAILS(scree_pack_rearrange(&def, count, r, &resumed), SCREE_ERR_FORMAT, "bytes", "expected");
            def.resume.size = 5;
            CHECK_FAILS(scree_pack_rearrange(&def, count, r, &resumed), SCREE_ERR_FORMAT, "saved", "not");
            def.resume.size = k.size;
            k.data[k.size / 2] ^= 4;
            CHECK_FAILS(scree_pack_rearrange(&def, count, r, &resumed), SCREE_ERR_FORMAT, "checksum", "changed");
            def.resume.data = NULL;
            def.saver.save = keep_state;
            def.moves = SCREE_MOVES_ONE_BY_ONE;
            def.margin = -1.0;
            CHECK_FAILS(scree_pack_rearrange(&def, count, r, &resumed), SCREE_ERR_ARGUMENT, "margin", "saving");
        }
        scree_packing_free(&plain);
        scree_packing_free(&saving);
        free(k.data);
        free(r);
    }
}

// The figures of the documents, at a size that a test can afford. With effort: the whole of it.
static void large_packings_reach_their_densities(void** state)
{
    (void)state;
    static const struct {
        const char* law;
        double least;
    } cases[] = {{"mono:1", 0.640}, {"uniform-volume:1:10", 0.715}, {"uniform-size:1:10", 0.655}, {"fuller:1:684.75:0.5:70", 0.80}};
    for (size_t t = 0; t < (test_effort() < 4.0 ? 1 : sizeof cases / sizeof *cases); ++t) {
        int32_t count = test_effort() < 1.0 ? 3000 : 10000;
        double* r = radii(cases[t].law, 3, count);
        scree_rearrange_def def = def_of(3, 7);
        def.threads = 1;
        scree_packing p;
        CHECK_OK(scree_pack_rearrange(&def, count, r, &p));
        check_rearranged(&def, &p, count, r);
        if (!p.converged || !(p.density >= cases[t].least - (count < 10000 ? 0.01 : 0.0)))
            fail_msg("%s: density %.5f, wanted %g", cases[t].law, p.density, cases[t].least);
        scree_packing_free(&p);
        free(r);
    }
}

static const test_case cases[] = {
    UNIT(packings_are_dense_and_valid),
    UNIT(equal_spheres_are_isostatic),
    THREADS(bits_depend_on_the_seed_alone),
    UNIT(no_contact_is_missed),
    PROPERTY(rows_are_complete),
    UNIT(round_containers),
    UNIT(the_watch_is_called),
    UNIT(few_spheres),
    PROPERTY(anything_is_valid),
    UNIT(stopped_packings_are_valid),
    UNIT(stops_come_at_once),
    UNIT(attraction_brings_rattlers_home),
    UNIT(errors_name_what_is_wrong),
    SAME_BITS(saved_packings_go_on),
    ALLOCATION(no_memory),
    UNIT(large_packings_reach_their_densities),
};

const test_group group_rearrange = {.name = "rearrange", .cases = cases, .count = sizeof cases / sizeof *cases};
