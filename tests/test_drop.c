// Sequential deposition: no overlap and every sphere stable, both found again from the centres by looking at all pairs; known figures.
#include "support.h"

#include "pack/roll.h"
#include "scree/pack.h"
#include "scree/sizes.h"

static const double pi = 3.14159265358979323846;

// ---- A reference that knows nothing of heaps ---------------------------------------------------------------------------

static bool solve(const double* a, const double* b, const double* c, const double* e, double w[3])
{
    double det = a[0] * (b[1] * c[2] - b[2] * c[1]) - b[0] * (a[1] * c[2] - a[2] * c[1]) + c[0] * (a[1] * b[2] - a[2] * b[1]);
    if (fabs(det) < 1e-12)
        return false;
    w[0] = (e[0] * (b[1] * c[2] - b[2] * c[1]) - b[0] * (e[1] * c[2] - e[2] * c[1]) + c[0] * (e[1] * b[2] - e[2] * b[1])) / det;
    w[1] = (a[0] * (e[1] * c[2] - e[2] * c[1]) - e[0] * (a[1] * c[2] - a[2] * c[1]) + c[0] * (a[1] * e[2] - a[2] * e[1])) / det;
    w[2] = (a[0] * (b[1] * e[2] - b[2] * e[1]) - b[0] * (a[1] * e[2] - a[2] * e[1]) + e[0] * (a[1] * b[2] - a[2] * b[1])) / det;
    return true;
}

// Whether e is a sum of the normals with weights >= 0, to `slack`. In 2D depth, both ways, is one of them.
static bool holds(double (*n)[3], int count, int dim, const double* e, double slack)
{
    double all[80][3];
    int total = 0;
    for (int k = 0; k < count; ++k)
        memcpy(all[total++], n[k], sizeof *all);
    for (int k = 0; k < total; ++k)  // one alone
        if (dot3(all[k], e) > 1.0 - slack * slack)
            return true;
    if (dim == 2) {
        memcpy(all[total++], (double[3]){0.0, 0.0, 1.0}, sizeof *all);
        for (int a = 0; a < count; ++a)
            for (int b = 0; b < a; ++b) {
                double w[3];
                if (solve(all[a], all[b], all[total - 1], e, w) && w[0] >= -slack && w[1] >= -slack)
                    return true;
            }
        return false;
    }
    for (int a = 0; a < total; ++a)
        for (int b = 0; b < a; ++b) {
            double m[3] = {all[a][1] * all[b][2] - all[a][2] * all[b][1], all[a][2] * all[b][0] - all[a][0] * all[b][2],
                           all[a][0] * all[b][1] - all[a][1] * all[b][0]}, w[3];
            if (solve(all[a], all[b], m, e, w) && fabs(w[2]) <= slack && w[0] >= -slack && w[1] >= -slack)
                return true;
            for (int c = 0; c < b; ++c)
                if (solve(all[a], all[b], all[c], e, w) && w[0] >= -slack && w[1] >= -slack && w[2] >= -slack)
                    return true;
        }
    return false;
}

typedef struct verdict {
    int overlaps, outside, unstable;
} verdict;

// Sphere i lies on those before it and on walls.
static verdict reference(const scree_drop_def* def, const double* r, const scree_packing* pk)
{
    verdict v = {0, 0, 0};
    int dim = pk->box.dim;
    scree_spheres all = {.count = pk->count, .dim = dim, .x = pk->x, .r = r};
    scree_container c = {.kind = def->container, .box = pk->box};
    CHECK_OK(scree_container_check(&c));
    for (int32_t i = 0; i < pk->count; ++i) {
        double n[64][3] = {{0}};
        int count = 0;
        const double* x = pk->x + (int64_t)i * dim;
        v.outside += scree_container_depth(&c, x, r[i]) > 0.0;
        for (int k = 0; k < dim; ++k)
            assert_true(!pk->box.periodic[k] || (x[k] >= pk->box.lower[k] && x[k] < pk->box.upper[k]));
        for (int32_t j = 0; j <= i; ++j)
            for (int sx = pk->box.periodic[0] ? -1 : 0; sx <= (pk->box.periodic[0] ? 1 : 0); ++sx)
                for (int sy = pk->box.periodic[1] ? -1 : 0; sy <= (pk->box.periodic[1] ? 1 : 0); ++sy) {
                    if (i == j && sx == 0 && sy == 0)
                        continue;
                    int8_t shift[3] = {(int8_t)sx, (int8_t)sy, 0};
                    double gap = scree_pair_gap(&pk->box, all, i, j, shift);
                    v.overlaps += gap < 0.0;
                    if (gap > 1e-8 * r[i] || i == j || count >= 60)
                        continue;
                    for (int k = 0; k < dim; ++k)
                        n[count][k] = (x[k] - (pk->x[(int64_t)j * dim + k] + shift[k] * (pk->box.upper[k] - pk->box.lower[k]))) / (r[i] + r[j]);
                    ++count;
                }
        scree_wall walls[SCREE_WALLS_MAX];
        int32_t near = def->centre ? 0 : scree_container_walls(&c, x, r[i], 1e-8 * r[i], walls);
        for (int32_t w = 0; w < near; ++w)
            if (walls[w].normal[dim - 1] >= 0.0 || c.kind == SCREE_CONTAINER_SPHERE)  // not the top, which follows from the spheres
                memcpy(n[count++], walls[w].normal, sizeof *n);
        double e[3] = {0.0, 0.0, 0.0};
        e[dim - 1] = 1.0;
        double far = 0.0;
        for (int k = 0; k < dim && def->centre; ++k)
            far += x[k] * x[k];
        for (int k = 0; k < dim && def->centre && far > 0.0; ++k)
            e[k] = x[k] / sqrt(far);
        if (def->centre && i == 0)
            continue;
        if (!holds(n, count, dim, e, 1e-5))
            ++v.unstable;
    }
    return v;
}

static void shuffle(double* r, int32_t n, uint64_t seed)
{
    scree_rng rng = scree_rng_make(seed, 99);
    for (int32_t i = n - 1; i > 0; --i) {
        int32_t j = (int32_t)scree_rng_below(&rng, (uint64_t)i + 1);
        double t = r[i];
        r[i] = r[j];
        r[j] = t;
    }
}

static double* draw(const char* law, int dim, int32_t n, uint64_t seed)
{
    double* r = malloc((size_t)n * sizeof *r);
    scree_sizes* sizes;
    CHECK_OK(scree_sizes_parse(law, dim, &sizes));
    CHECK_OK(scree_sizes_draw(sizes, SCREE_SAMPLING_SYSTEMATIC, seed, n, r));
    scree_sizes_destroy(sizes);
    shuffle(r, n, seed);
    return r;
}

static void check_heap(const scree_drop_def* def, const char* law, int32_t n, const char* what)
{
    double* r = draw(law, def->box.dim, n, def->seed);
    scree_packing pk;
    CHECK_OK(scree_pack_drop(def, n, r, &pk));
    verdict v = reference(def, r, &pk);
    if (v.overlaps > 0 || v.outside > 0 || v.unstable > 0)
        fail_msg("%s, %s, %d spheres, seed %d: %d overlaps, %d outside, %d unstable", what, law, (int)n, (int)def->seed, v.overlaps, v.outside,
                 v.unstable);
    if (def->container != SCREE_CONTAINER_SPHERE)
        assert_int_equal(pk.count, n);
    scree_packing_free(&pk);
    free(r);
}

static void heaps_are_valid_and_stable(void** state)
{
    (void)state;
    static const char* const laws[] = {"mono:0.5", "uniform-size:0.2:1", "uniform-volume:0.05:1", "bidisperse:5", "fuller:0.1:2"};
    int seeds = (int)ceil(2.0 * test_effort());
    for (int seed = 1; seed <= seeds; ++seed)
        for (int l = 0; l < 5; ++l)
            for (int kind = 0; kind < 11; ++kind) {
                scree_drop_def def = scree_default_drop_def();
                int dim = kind < 6 || kind == 10 ? 3 : 2;
                def.seed = (uint64_t)(seed * 100 + kind);
                double side = l == 3 ? 12.0 : 6.0;
                def.box = scree_box_sized(dim, (double[]){side, side, side});
                for (int k = 0; k < dim; ++k) {  // off the origin
                    def.box.lower[k] += 0.7;
                    def.box.upper[k] += 0.7;
                }
                def.box.periodic[0] = kind == 1 || kind == 2 || kind == 7;
                def.box.periodic[1] = kind == 1;
                def.container = kind == 3 ? SCREE_CONTAINER_CYLINDER : kind == 4 || kind == 8 ? SCREE_CONTAINER_SPHERE : SCREE_CONTAINER_BOX;
                def.centre = kind == 5 || kind == 9;
                def.lowest = kind == 10 ? 3 : 1;
                static const char* const names[] = {"walls", "periodic", "mixed", "cylinder", "sphere", "centre", "2D walls", "2D periodic",
                                                    "2D circle", "2D centre", "lowest of 3"};
                check_heap(&def, laws[l], 300, names[kind]);
            }
}

// ---- Closed forms --------------------------------------------------------------------------------------------------

static scree_drop_def flat(double width)
{
    scree_drop_def def = scree_default_drop_def();
    def.box = scree_box_sized(2, (double[]){width, 1.0});
    return def;
}

static void few_spheres_lie_where_they_must(void** state)
{
    (void)state;
    double one[2] = {0.5, 0.5};
    scree_packing pk;
    for (uint64_t seed = 1; seed <= 20; ++seed) {
        // Two discs in a slot that is too narrow for both: the second leans on the first and on a wall.
        scree_drop_def def = flat(1.6);
        def.seed = seed;
        CHECK_OK(scree_pack_drop(&def, 2, one, &pk));
        CHECK_CLOSE(pk.x[1], 0.5, 0.0);
        double side = fabs(pk.x[2] - 0.5) < 0.1 ? 0.5 : 1.1, dx = pk.x[0] - side;
        CHECK_CLOSE(pk.x[2], side, 1e-12);
        CHECK_CLOSE(pk.x[3], 0.5 + sqrt(1.0 - dx * dx), 1e-9);
        CHECK_CLOSE(pk.box.upper[1], pk.x[3] + 0.5, 1e-12);
        scree_packing_free(&pk);

        // A ball in a bowl: at the bottom; a second one beside it, both held by wall and each other.
        def = scree_default_drop_def();
        def.seed = seed;
        def.box = scree_box_sized(3, (double[]){4.0, 4.0, 4.0});
        def.container = SCREE_CONTAINER_SPHERE;
        CHECK_OK(scree_pack_drop(&def, 2, one, &pk));
        CHECK_CLOSE(pk.x[0], 2.0, 1e-7);
        CHECK_CLOSE(pk.x[2], 0.5, 1e-12);
        // |c - m| = 1.5 and |c - c1| = 1, c1 = m - 1.5 z: the angle at m is 2 asin(1/3).
        CHECK_CLOSE(pk.x[5], 2.0 - 1.5 * cos(2.0 * asin(1.0 / 3.0)), 1e-9);
        scree_packing_free(&pk);

        // In a tube: the second leans on the wall opposite to the first, or the curve would go on.
        def.container = SCREE_CONTAINER_CYLINDER;
        def.box = scree_box_sized(3, (double[]){1.7, 1.7, 1.0});
        CHECK_OK(scree_pack_drop(&def, 2, one, &pk));
        double d1 = hypot(pk.x[0] - 0.85, pk.x[1] - 0.85), d2 = hypot(pk.x[3] - 0.85, pk.x[4] - 0.85);
        CHECK_CLOSE(d2, 0.35, 1e-9);
        CHECK_CLOSE(pk.x[5], 0.5 + sqrt(1.0 - (d1 + d2) * (d1 + d2)), 1e-7);
        scree_packing_free(&pk);
    }
}

// ---- The way itself, by a second way -------------------------------------------------------------------------------

// Down by a small step, then out of all that overlaps, again and again.
static void creep_down(double (*xr)[4], int count, double r, double x[3])
{
    const double step = 5e-4;
    double before[3] = {0.0, 0.0, INFINITY};
    for (int t = 0; t < 200000; ++t) {
        x[2] -= step;
        for (int round = 0; round < 6; ++round) {
            for (int j = 0; j < count; ++j) {
                double d[3] = {x[0] - xr[j][0], x[1] - xr[j][1], x[2] - xr[j][2]}, length = sqrt(dot3(d, d)), out = r + xr[j][3] - length;
                for (int k = 0; k < 3 && out > 0.0; ++k)
                    x[k] += d[k] / length * out;
            }
            x[2] = fmax(x[2], r);
        }
        if (x[2] <= r)
            return;
        if (t % 500 == 499) {
            if (before[2] - x[2] < 1e-7)
                return;
            memcpy(before, x, sizeof before);
        }
    }
}

static void rolling_is_steepest_descent(void** state)
{
    (void)state;
    scree_rng rng = scree_rng_make(11, 0);
    int cases = (int)(150 * test_effort()), apart = 0;
    for (int t = 0; t < cases; ++t) {
        double xr[5][4], radii[5], start[3], x[3], y[3];
        int count = 2 + t % 4;
        for (int j = 0; j < count; ++j) {
            bool free = false;
            while (!free) {
                for (int k = 0; k < 3; ++k)
                    xr[j][k] = (k == 2 ? 1.0 : 0.0) + 2.4 * scree_rng_uniform(&rng);
                xr[j][3] = radii[j] = 0.3 + 0.5 * scree_rng_uniform(&rng);
                free = true;
                for (int i = 0; i < j; ++i) {
                    double d[3] = {xr[i][0] - xr[j][0], xr[i][1] - xr[j][1], xr[i][2] - xr[j][2]};
                    free = free && sqrt(dot3(d, d)) >= xr[i][3] + xr[j][3];
                }
            }
        }
        heap h;
        CHECK_OK(heap_make(&h, count, radii, (double[3]){-5.0, -5.0, 0.0}, (double[3]){12.0, 12.0, 6.0}, (bool[3]){false, false, false}));
        for (int j = 0; j < count; ++j)
            heap_insert(&h, xr[j], radii[j]);
        double r = 0.3 + 0.2 * scree_rng_uniform(&rng);
        start[0] = xr[0][0] + 0.6 * (scree_rng_uniform(&rng) - 0.5);
        start[1] = xr[0][1] + 0.6 * (scree_rng_uniform(&rng) - 0.5);
        start[2] = 5.5;
        roller ro = {.h = &h, .dim = 3, .scale = 10.0, .rng = scree_rng_make(1, 0), .r = r, .tol = 1e-10, .step = r, .step_least = 0.1, .wall_count = 1};
        ro.walls[0] = (obstacle){.kind = OBSTACLE_PLANE, .id = -1, .s = {0.0, 0.0, 1.0}, .R = r};
        bool rests;
        memcpy(x, start, sizeof x);
        memcpy(y, start, sizeof y);
        CHECK_OK(roll_down(&ro, x, &rests));
        assert_true(rests);
        creep_down(xr, count, r, y);
        double d[3] = {x[0] - y[0], x[1] - y[1], x[2] - y[2]};
        apart += sqrt(dot3(d, d)) > 0.02;
        heap_free(&h);
    }
    // Some few ways fork so closely that a small step takes the other branch.
    if (apart > cases / 50)
        fail_msg("%d of %d spheres ended elsewhere", apart, cases);
}

static bool tick_until_half(void* context, double done)
{
    (void)context;
    return done < 0.5;
}

static void same_seed_same_heap_and_stopped_ones_are_its_beginning(void** state)
{
    (void)state;
    scree_drop_def def = scree_default_drop_def();
    def.box = scree_box_sized(3, (double[]){8.0, 8.0, 8.0});
    const int32_t n = 600;
    double* r = draw("uniform-size:0.2:0.6", 3, n, 3);
    scree_packing a, b, c, half;
    CHECK_OK(scree_pack_drop(&def, n, r, &a));
    def.threads = 3;
    CHECK_OK(scree_pack_drop(&def, n, r, &b));
    assert_memory_equal(a.x, b.x, (size_t)n * 3 * sizeof *a.x);
    def.seed = 2;
    CHECK_OK(scree_pack_drop(&def, n, r, &c));
    assert_memory_not_equal(a.x, c.x, (size_t)n * 3 * sizeof *a.x);
    def.seed = 1;
    def.watch.tick = tick_until_half;
    CHECK_FAILS(scree_pack_drop(&def, n, r, &half), SCREE_ERR_CANCELLED);
    assert_true(half.count > n / 4 && half.count < 3 * n / 4);
    assert_false(half.converged);
    assert_memory_equal(a.x, half.x, (size_t)half.count * 3 * sizeof *a.x);
    verdict v = reference(&def, r, &half);
    assert_int_equal(v.overlaps + v.outside + v.unstable, 0);
    // The lowest of several is lower.
    scree_packing low;
    def.watch.tick = NULL;
    def.lowest = 8;
    CHECK_OK(scree_pack_drop(&def, n, r, &low));
    assert_true(low.box.upper[2] < a.box.upper[2]);
    assert_true(low.density > a.density);
    scree_packing_free(&a);
    scree_packing_free(&b);
    scree_packing_free(&c);
    scree_packing_free(&half);
    scree_packing_free(&low);
    free(r);
}

// Between floor and surface, with the volumes of spheres taken whole at their centres: a slab of ten diameters holds some thousand.
static void equal_spheres_have_the_known_density(void** state)
{
    (void)state;
    scree_drop_def def = scree_default_drop_def();
    def.box = scree_box_sized(3, (double[]){14.0, 14.0, 1.0});
    def.box.periodic[0] = def.box.periodic[1] = true;
    const int32_t n = 4500;
    double* r = draw("mono:0.5", 3, n, 1);
    scree_packing pk;
    CHECK_OK(scree_pack_drop(&def, n, r, &pk));
    int inside = 0;
    for (int32_t i = 0; i < n; ++i)
        inside += pk.x[3 * i + 2] >= 4.0 && pk.x[3 * i + 2] < 16.0;
    CHECK_CLOSE(inside * pi / 6.0 / (14.0 * 14.0 * 12.0), 0.583, 0.008);
    CHECK_CLOSE(pk.density, n * pi / 6.0 / (14.0 * 14.0 * (pk.box.upper[2] - pk.box.lower[2])), 1e-12);
    scree_packing_free(&pk);
    free(r);
}

// One large sphere after many small ones, and small ones after it, at ratios that would break a plain grid.
static void large_spheres_among_small_ones(void** state)
{
    (void)state;
    for (int ratio = 10; ratio <= 1000; ratio *= 10) {
        scree_drop_def def = scree_default_drop_def();
        const int32_t n = 900;
        double r[900], big = 0.01 * ratio;
        for (int32_t i = 0; i < n; ++i)
            r[i] = i % 300 == 299 ? big : 0.01;
        double side = fmax(0.3, 2.5 * big);
        def.box = scree_box_sized(3, (double[]){side, side, side});
        def.box.periodic[0] = ratio == 100;
        scree_packing pk;
        CHECK_OK(scree_pack_drop(&def, n, r, &pk));
        verdict v = reference(&def, r, &pk);
        if (v.overlaps + v.outside + v.unstable > 0)
            fail_msg("ratio %d: %d overlaps, %d outside, %d unstable", ratio, v.overlaps, v.outside, v.unstable);
        scree_packing_free(&pk);
    }
}

// Widths that are whole numbers of diameters: crystals, slots that fit exactly, many contacts at once.
static void exact_fits_come_to_rest(void** state)
{
    (void)state;
    int seeds = (int)ceil(10.0 * test_effort());
    for (int seed = 1; seed <= seeds; ++seed)
        for (int kind = 0; kind < 6; ++kind) {
            scree_drop_def def = kind % 2 == 0 ? flat(1 + kind) : scree_default_drop_def();
            def.seed = (uint64_t)seed;
            if (kind % 2 == 1)
                def.box = scree_box_sized(3, (double[]){kind, kind == 5 ? 1.0 : kind, 1.0});
            def.box.periodic[0] = kind == 2 || kind == 3;
            check_heap(&def, "mono:0.5", 120, "exact fit");
        }
}

// Sizes near the ends of what lengths may be, and the same heap in another unit: the same bits.
static void any_unit_will_do(void** state)
{
    (void)state;
    enum { n = 300 };
    double *r = draw("uniform-size:0.5:1", 3, n, 1), other[n];
    for (int kind = 0; kind < 5; ++kind) {
        scree_packing first, again;
        scree_drop_def def = kind == 0 ? flat(8.0) : scree_default_drop_def();
        if (kind > 0)
            def.box = scree_box_sized(3, (double[]){8.0, 8.0, 8.0});
        def.box.periodic[0] = kind < 2;
        def.container = kind == 2 ? SCREE_CONTAINER_CYLINDER : kind == 3 ? SCREE_CONTAINER_SPHERE : SCREE_CONTAINER_BOX;
        def.centre = kind == 4;
        CHECK_OK(scree_pack_drop(&def, n, r, &first));
        assert_true(kind == 3 || first.converged);
        static const int units[] = {-440, 440, -7, 3};
        for (size_t u = 0; u < sizeof units / sizeof *units; ++u) {
            scree_drop_def there = def;
            for (int i = 0; i < n; ++i)
                other[i] = ldexp(r[i], units[u]);
            for (int k = 0; k < def.box.dim; ++k)
                there.box.upper[k] = ldexp(def.box.upper[k], units[u]);
            CHECK_OK(scree_pack_drop(&there, n, other, &again));
            assert_int_equal(again.count, first.count);
            for (int64_t k = 0; k < (int64_t)first.count * def.box.dim; ++k)
                assert_true(again.x[k] == ldexp(first.x[k], units[u]));
            assert_true(again.density == first.density);
            scree_packing_free(&again);
        }
        scree_packing_free(&first);
    }
    free(r);
}

static void a_sphere_fills_up(void** state)
{
    (void)state;
    scree_drop_def def = scree_default_drop_def();
    def.box = scree_box_sized(3, (double[]){5.0, 5.0, 5.0});
    def.container = SCREE_CONTAINER_SPHERE;
    double* r = draw("mono:0.5", 3, 200, 1);
    scree_packing pk;
    CHECK_OK(scree_pack_drop(&def, 200, r, &pk));
    assert_false(pk.converged);
    assert_true(pk.count > 40 && pk.count < 80);  // of 125 times the volume
    verdict v = reference(&def, r, &pk);
    assert_int_equal(v.overlaps + v.outside + v.unstable, 0);
    scree_packing_free(&pk);
    free(r);
}

static scree_status drop_and_free(const scree_drop_def* def, int32_t n, const double* r)
{
    scree_packing pk;
    scree_status status = scree_pack_drop(def, n, r, &pk);
    if (status != SCREE_OK)
        assert_null(pk.x);
    scree_packing_free(&pk);
    return status;
}

static void faults_are_named(void** state)
{
    (void)state;
    double r[3] = {0.1, 0.2, 0.1};
    scree_packing pk;
    scree_drop_def def = scree_default_drop_def();
    CHECK_OK(scree_pack_drop(&def, 0, NULL, &pk));
    assert_int_equal(pk.count, 0);
    scree_packing_free(&pk);
    EACH_ALLOCATION_FAILS(drop_and_free(&def, 3, r), (void)0);
    CHECK_FAILS(scree_pack_drop(&def, 3, NULL, &pk), SCREE_ERR_ARGUMENT, "r", "NULL");
    CHECK_FAILS(scree_pack_drop(&def, -1, r, &pk), SCREE_ERR_ARGUMENT, "-1");
    def.box.upper[1] = 0.3;
    CHECK_FAILS(scree_pack_drop(&def, 3, r, &pk), SCREE_ERR_ARGUMENT, "sphere 1", "diameter", "0.4", "0.3");
    def = scree_default_drop_def();
    r[2] = 0.0;
    CHECK_FAILS(scree_pack_drop(&def, 3, r, &pk), SCREE_ERR_ARGUMENT, "sphere 2", "radius", "0");
    r[2] = NAN;
    CHECK_FAILS(scree_pack_drop(&def, 3, r, &pk), SCREE_ERR_ARGUMENT, "sphere 2", "radius", "nan");
    r[2] = 0.1;
    def.box.periodic[2] = true;
    CHECK_FAILS(scree_pack_drop(&def, 3, r, &pk), SCREE_ERR_ARGUMENT);
    def = scree_default_drop_def();
    def.lowest = 0;
    CHECK_FAILS(scree_pack_drop(&def, 3, r, &pk), SCREE_ERR_ARGUMENT, "0");
    def = scree_default_drop_def();
    def.box.upper[0] = INFINITY;
    CHECK_FAILS(scree_pack_drop(&def, 3, r, &pk), SCREE_ERR_ARGUMENT, "axis x");
    def = scree_default_drop_def();
    def.centre = true;
    def.container = SCREE_CONTAINER_CYLINDER;
    CHECK_FAILS(scree_pack_drop(&def, 3, r, &pk), SCREE_ERR_ARGUMENT, "container");
    def = scree_default_drop_def();
    def.box.dim = 0;
    CHECK_FAILS(scree_pack_drop(&def, 3, r, &pk), SCREE_ERR_ARGUMENT, "dimension 0");
    def.struct_size = 3;
    CHECK_FAILS(scree_pack_drop(&def, 3, r, &pk), SCREE_ERR_ARGUMENT, "scree_default_drop_def");
}

static const test_case cases[] = {
    PROPERTY(heaps_are_valid_and_stable),
    PROPERTY(rolling_is_steepest_descent),
    UNIT(few_spheres_lie_where_they_must),
    SAME_BITS(same_seed_same_heap_and_stopped_ones_are_its_beginning),
    UNIT(equal_spheres_have_the_known_density),
    UNIT(large_spheres_among_small_ones),
    PROPERTY(exact_fits_come_to_rest),
    UNIT(any_unit_will_do),
    UNIT(a_sphere_fills_up),
    ALLOCATION(faults_are_named),
};

const test_group group_drop = {.name = "drop", .cases = cases, .count = sizeof cases / sizeof *cases};
