// index: every method against all-pairs, all-pairs against a reference written here, and how the index answers invalid input.
#include "index_support.h"

#include "base/wide.h"
#include "scenes.h"

// The reference of the reference: no structure, no shared code, long doubles, and a loop over images that is too wide. Pairs
// that are nearer to the threshold than rounding could tell are left out of the comparison.
static int64_t count_slowly(scree_spheres s, const scree_box* box, double gap, int64_t* unsure)
{
    int64_t count = 0;
    *unsure = 0;
    int range[3] = {0, 0, 0};
    for (int k = 0; k < s.dim; ++k)
        if (box->periodic[k])
            range[k] = 3;
    for (int32_t i = 0; i < s.count; ++i)
        for (int32_t j = i; j < s.count; ++j)
            for (int a = -range[0]; a <= range[0]; ++a)
                for (int b = -range[1]; b <= range[1]; ++b)
                    for (int c = -range[2]; c <= range[2]; ++c) {
                        if (i == j && (a < 0 || (a == 0 && (b < 0 || (b == 0 && c <= 0)))))
                            continue;
                        int shift[3] = {a, b, c};
                        long double square = 0.0L;
                        for (int k = 0; k < s.dim; ++k) {
                            long double image = (long double)s.x[j * s.dim + k];
                            if (shift[k] != 0)
                                image += (long double)shift[k] * ((long double)box->upper[k] - (long double)box->lower[k]);
                            long double d = (long double)s.x[i * s.dim + k] - image;
                            square += d * d;
                        }
                        long double reach = (long double)s.r[i] + (long double)s.r[j] + (long double)gap;
                        long double distance = sqrtl(square);
                        if (reach > 0.0L && fabsl(distance - reach) < 1e-12L)
                            ++*unsure;
                        else if (reach > 0.0L && distance < reach)
                            ++count;
                    }
    return count;
}

// ---- The property test -------------------------------------------------------------------------------------------

typedef struct index_case {
    const scene* sc;
    scene_params params;
    double gap;
    int steps;  // > 0: all spheres move, so often, and the index is asked after each step
} index_case;

// Where the spheres are after some steps: each a little away from where it was, now and then through a face.
static void move_all(scree_sphere_set* set, int step)
{
    scree_rng rng = scree_rng_make(77, (uint64_t)step);
    for (int64_t i = 0; i < set->count; ++i)
        for (int k = 0; k < set->dim; ++k) {
            double* x = &set->x[i * set->dim + k];
            *x += 0.05 * (scree_rng_uniform(&rng) - 0.5);
            if (set->box.periodic[k] && step % 2 == 0)  // the caller may wrap or not
                *x = scree_box_wrap(&set->box, k, *x, NULL);
            else if (!set->box.periodic[k])
                *x = fmin(fmax(*x, set->box.lower[k]), set->box.upper[k]);
        }
}

static answer answer_of(scree_index* index, const scree_box* box, scree_spheres spheres)
{
    scree_pairs pairs;
    CHECK_OK(scree_index_update(index, spheres));
    CHECK_OK(scree_index_validate(index));
    CHECK_OK(scree_index_pairs(index, &pairs));
    return keep(index, box, pairs);
}

// One index of each method through all steps, against a new all-pairs search at each.
static void check_case(const index_case* c)
{
    const scene_params* params = &c->params;
    scree_sphere_set set;
    CHECK_OK(c->sc->make(params, &set));
    scree_index_def def = scree_default_index_def();
    def.box = set.box;
    def.sorted = true;
    def.gap = c->gap;
    def.threads = 1;
    char where[200];
    snprintf(where, sizeof where, "scene %s, n %d, dim %d, ratio %g, periodic %d%d%d, gap %g, seed %llu", c->sc->name,
             params->count, params->dim, params->ratio, params->periodic[0], params->periodic[1], params->periodic[2], def.gap,
             (unsigned long long)params->seed);
    scree_index* index[SCREE_METHOD_COUNT] = {NULL};
    for (int m = 0; m < SCREE_METHOD_COUNT; ++m) {
        def.method = m;
        if (m != SCREE_METHOD_ALL_PAIRS)
            CHECK_OK(scree_index_create(&def, &index[m]));
    }
    def.method = SCREE_METHOD_ALL_PAIRS;
    for (int step = 0; step <= c->steps; ++step) {
        if (step > 0)
            move_all(&set, step);
        answer reference = ask(&def, scree_sphere_set_view(&set));
        check_canonical(&reference, where);
        if (params->count <= 60 && c->gap <= 1.0 && step == 0) {
            int64_t unsure;
            int64_t slow = count_slowly(scree_sphere_set_view(&set), &set.box, def.gap, &unsure);
            if (reference.count < slow || reference.count > slow + unsure)
                fail_msg("%s: all-pairs has %lld pairs, %lld (+%lld unsure) are there", where, (long long)reference.count,
                         (long long)slow, (long long)unsure);
        }
        for (int m = 0; m < SCREE_METHOD_COUNT; ++m) {
            if (index[m] == NULL)
                continue;
            char here[280];
            snprintf(here, sizeof here, "%s: %s, step %d", scree_method_name((scree_method)m), where, step);
            answer found = answer_of(index[m], &set.box, scree_sphere_set_view(&set));
            check_same(&found, &reference, here);
            forget(&found);
        }
        forget(&reference);
    }
    for (int m = 0; m < SCREE_METHOD_COUNT; ++m)
        scree_index_destroy(index[m]);
    scree_sphere_set_free(&set);
}

// The case with this number in the product of scenes, ratios, mixes of walls and periodic axes in 2D and 3D, gaps, and standing
// still or moving.
static index_case product_case(int64_t number, int64_t* total)
{
    static const double ratios[] = {1.0, 2.0, 10.0, 50.0, 1000.0};
    static const double gaps[] = {0.0, 0.1, 1.0, -0.1};
    static const int32_t counts[] = {300, 13, 60};
    *total = (int64_t)scene_count * 5 * 12 * 4 * 2;
    index_case c = {.sc = &scene_table[number % scene_count], .params = scene_default_params()};
    c.params.seed = (uint64_t)number;
    c.params.count = counts[number % 3];
    number /= scene_count;
    c.params.ratio = ratios[number % 5];
    number /= 5;
    int mix = (int)(number % 12);
    c.params.dim = mix < 4 ? 2 : 3;
    for (int k = 0; k < c.params.dim; ++k)
        c.params.periodic[k] = ((mix < 4 ? mix : mix - 4) >> k & 1) != 0;
    number /= 12;
    c.gap = gaps[number % 4];
    c.steps = number / 4 % 2 == 1 ? 4 : 0;
    if (strcmp(c.sc->name, "addition") == 0 && c.params.ratio > 10.0)
        c.params.ratio = 2.0;  // a few hundred spheres cannot fill a box around one of ratio 50
    if (strcmp(c.sc->name, "addition") == 0)
        c.params.count = 300;
    return c;
}

// A walk through the product that comes by every value of every factor again and again; with an effort of 10, all of it.
static void every_method_agrees_with_all_pairs(void** state)
{
    (void)state;
    int64_t total;
    product_case(0, &total);
    int64_t visits = (int64_t)((double)total * fmin(1.0, 0.1 * test_effort()));
    for (int64_t v = 0; v < visits; ++v) {
        index_case c = product_case(v * 4999 % total, &total);  // a prime that does not divide the total
        check_case(&c);
    }
    for (int32_t count = 0; count <= 2; ++count)
        for (int s = 0; s < scene_count; ++s) {
            index_case c = {.sc = &scene_table[s], .params = scene_default_params(), .steps = 2};
            c.params.count = strcmp(c.sc->name, "addition") == 0 ? 300 : count;
            c.params.periodic[1] = true;
            check_case(&c);
        }
}

// A gap as large as several boxes: many images of each pair, self-images too.
static void gaps_larger_than_the_box(void** state)
{
    (void)state;
    for (int dim = 2; dim <= 3; ++dim)
        for (uint64_t seed = 1; seed <= 3; ++seed) {
            scene_params params = scene_default_params();
            params.dim = dim;
            params.count = 7;
            params.seed = seed;
            params.periodic[0] = params.periodic[1] = true;
            params.periodic[2] = seed == 2;
            check_case(&(index_case){.sc = &scene_table[2], .params = params, .gap = 7.0});
            check_case(&(index_case){.sc = &scene_table[0], .params = params, .gap = 5.0, .steps = 2});
        }
}

// Coordinates far from zero, and tiny ones.
static void far_and_tiny_coordinates(void** state)
{
    (void)state;
    static const double scales[] = {1e12, 1e-12, 1e100, 1e-100};
    for (int t = 0; t < 4; ++t)
        for (int shifted = 0; shifted < 2; ++shifted) {
            scree_sphere_set set;
            scene_params params = scene_default_params();
            params.count = 200;
            params.ratio = 10.0;
            params.seed = (uint64_t)t;
            params.periodic[0] = true;
            CHECK_OK(scene_make("cloud", &params, &set));
            // Scaled; or moved away, so that few digits are left for the spheres.
            for (int64_t k = 0; k < 600; ++k)
                set.x[k] = shifted ? set.x[k] + 1e12 : set.x[k] * scales[t];
            for (int k = 0; k < 3; ++k) {
                set.box.lower[k] = shifted ? 1e12 : 0.0;
                set.box.upper[k] = shifted ? set.box.upper[k] + 1e12 : set.box.upper[k] * scales[t];
            }
            for (int i = 0; i < 200 && !shifted; ++i)
                set.r[i] *= scales[t];
            scree_index_def def = scree_default_index_def();
            def.box = set.box;
            def.sorted = true;
            def.method = SCREE_METHOD_ALL_PAIRS;
            answer reference = ask(&def, scree_sphere_set_view(&set));
            assert_true(reference.count > 50);
            for (int m = 0; m < SCREE_METHOD_COUNT; ++m) {
                def.method = m;
                answer found = ask(&def, scree_sphere_set_view(&set));
                check_same(&found, &reference, scree_method_name((scree_method)m));
                forget(&found);
            }
            forget(&reference);
            scree_sphere_set_free(&set);
        }
}

// Spheres along a line with gaps of one last bit on either side of touching.
static void touching_to_the_last_bit(void** state)
{
    (void)state;
    scree_rng rng = scree_rng_make(77, 0);
    for (int round = 0; round < 200; ++round) {
        enum { n = 64 };
        double x[3 * n], r[n];
        double at = round % 2 == 0 ? 0.0 : 1e6 * scree_rng_uniform(&rng);
        int64_t contacts = 0;
        for (int i = 0; i < n; ++i) {
            r[i] = 0.1 + scree_rng_uniform(&rng);
            if (i > 0) {
                double reach = r[i - 1] + r[i], next = at + reach;
                next = scree_rng_below(&rng, 3) == 0 ? nextafter(next, 0.0) : next;
                contacts += (next - at) * (next - at) < reach * reach;
                at = next;
            }
            x[3 * i] = at;
            x[3 * i + 1] = x[3 * i + 2] = 0.0;
        }
        scree_index_def def = scree_default_index_def();
        def.sorted = true;
        for (int m = 1; m < SCREE_METHOD_COUNT; ++m) {
            def.method = m;
            answer found = ask(&def, (scree_spheres){.count = n, .dim = 3, .x = x, .r = r});
            assert_int_equal(found.count, contacts);
            forget(&found);
        }
    }
}

// Equal spheres in a row, each as far from the next as the reach is, give or take the last bit, anywhere on the axis: cells
// are then exactly as long as the reach, and every sphere lies on a border of two.
static void rows_of_spheres_on_the_borders_of_cells(void** state)
{
    (void)state;
    int64_t rounds = (int64_t)(60000 * test_effort()), contacts = 0;
    scree_rng rng = scree_rng_make(99, 0);
    for (int64_t round = 0; round < rounds; ++round) {
        enum { most = 40 };
        double x[2 * most], r[most];
        int32_t n = 3 + (int32_t)scree_rng_below(&rng, most - 3);
        double radius = 0.05 + scree_rng_uniform(&rng);
        double gap = scree_rng_below(&rng, 2) == 0 ? 0.0 : scree_rng_uniform(&rng) * radius;
        double from = scree_rng_below(&rng, 4) == 0 ? 0.0 : pow(10.0, scree_rng_uniform(&rng) * 16.0 - 2.0);
        from = scree_rng_below(&rng, 2) == 0 ? from : -from;
        double at = from;
        for (int32_t i = 0; i < n; ++i) {
            r[i] = radius;
            x[2 * i] = at;
            x[2 * i + 1] = 0.0;
            at += 2.0 * radius + gap;
            uint64_t how = scree_rng_below(&rng, 4);
            at = how == 0 ? nextafter(at, -INFINITY) : how == 1 ? nextafter(at, INFINITY) : at;
        }
        scree_index_def def = scree_default_index_def();
        def.box = scree_box_open(2);
        def.gap = gap;
        def.threads = 1;
        if (round % 2 == 0 && at - from > 2.0 * radius && x[2 * (n - 1)] < at) {
            def.box.lower[0] = from;
            def.box.upper[0] = at;
            def.box.periodic[0] = true;
        }
        int64_t count[3];
        for (int m = 0; m < 3; ++m) {
            scree_index* index;
            scree_pairs pairs;
            def.method = (const int[]){SCREE_METHOD_ALL_PAIRS, SCREE_METHOD_LINKED_CELLS, SCREE_METHOD_LINEAR_LIST}[m];
            CHECK_OK(scree_index_create(&def, &index));
            CHECK_OK(scree_index_update(index, (scree_spheres){.count = n, .dim = 2, .x = x, .r = r}));
            CHECK_OK(scree_index_pairs(index, &pairs));
            count[m] = pairs.count;
            scree_index_destroy(index);
        }
        if (count[0] != count[1] || count[0] != count[2])
            fail_msg("round %lld: %d spheres of radius %.17g from %.17g, gap %.17g: all-pairs %lld, cells %lld, list %lld",
                     (long long)round, n, radius, from, gap, (long long)count[0], (long long)count[1], (long long)count[2]);
        contacts += count[0];
    }
    assert_true(contacts > rounds);
}

// A large sphere covered with small ones that just touch it, on all sides: the range of the search between levels has to
// reach exactly that far in every direction.
static void large_spheres_covered_with_small_ones(void** state)
{
    (void)state;
    enum { n = 1500 };
    int64_t rounds = (int64_t)(40 * test_effort());
    scree_rng rng = scree_rng_make(123, 0);
    for (int64_t round = 0; round < rounds; ++round) {
        int dim = 2 + (int)(round % 2);
        double x[3 * (n + 1)] = {0.0}, r[n + 1];
        double large = 3.0 + 30.0 * scree_rng_uniform(&rng);
        r[0] = large;
        for (int k = 0; k < dim; ++k)
            x[k] = 100.0 * scree_rng_uniform(&rng);
        for (int i = 1; i <= n; ++i) {
            double d[3], square = 0.0;
            do {  // a direction, evenly
                square = 0.0;
                for (int k = 0; k < dim; ++k) {
                    d[k] = 2.0 * scree_rng_uniform(&rng) - 1.0;
                    square += d[k] * d[k];
                }
            } while (square > 1.0 || square < 1e-4);
            r[i] = 1.0;
            for (int k = 0; k < dim; ++k)
                x[i * dim + k] = x[k] + d[k] / sqrt(square) * (large + 1.0) * (1.0 - 1e-14);
        }
        scree_index_def def = scree_default_index_def();
        def.box = scree_box_open(dim);
        for (int k = 0; k < dim && round % 4 >= 2; ++k) {
            def.box.lower[k] = x[k] - 1.05 * (large + 1.0);
            def.box.upper[k] = def.box.lower[k] + 2.2 * (large + 1.0);
            def.box.periodic[k] = true;
        }
        def.sorted = true;
        def.method = SCREE_METHOD_ALL_PAIRS;
        scree_spheres spheres = {.count = n + 1, .dim = dim, .x = x, .r = r};
        answer reference = ask(&def, spheres);
        assert_true(reference.count >= n);
        def.method = SCREE_METHOD_HIERARCHICAL_GRID;
        answer found = ask(&def, spheres);
        assert_int_equal(found.stats.levels, 2);
        check_same(&found, &reference, "a large sphere covered with small ones");
        forget(&found);
        def.method = SCREE_METHOD_LINEAR_LIST;
        found = ask(&def, spheres);
        check_same(&found, &reference, "the same by box ends");
        forget(&reference);
        forget(&found);
    }
}

// ---- Closed forms ------------------------------------------------------------------------------------------------

static void lattice_has_the_contacts_of_a_lattice(void** state)
{
    (void)state;
    // Touching exactly is no contact; a gap of one bit makes 3 n^2 (n-1) pairs with walls and 3 n^3 with images.
    for (int32_t side = 1; side <= 12; side += test_is_small() && side > 3 ? 4 : 1) {
        scene_params params = scene_default_params();
        params.count = side * side * side;
        for (int periodic = 0; periodic < 2; ++periodic) {
            scree_sphere_set set;
            params.periodic[0] = params.periodic[1] = params.periodic[2] = periodic == 1;
            CHECK_OK(scene_make("lattice", &params, &set));
            scree_index_def def = scree_default_index_def();
            def.box = set.box;
            for (int m = 0; m < SCREE_METHOD_COUNT; ++m) {
                def.method = m;
                def.gap = 0.0;
                answer none = ask(&def, scree_sphere_set_view(&set));
                assert_int_equal(none.count, 0);
                def.gap = 1e-9;
                answer all = ask(&def, scree_sphere_set_view(&set));
                assert_int_equal(all.count, periodic ? 3 * side * side * side : 3 * side * side * (side - 1));
                forget(&none);
                forget(&all);
            }
            scree_sphere_set_free(&set);
        }
    }
}

static void a_million_equal_spheres(void** state)
{
    (void)state;
    scene_params params = scene_default_params();
    const int32_t side = test_is_small() ? 50 : 100;
    params.count = side * side * side;
    scree_sphere_set set;
    CHECK_OK(scene_make("lattice", &params, &set));
    assert_int_equal(set.count, side * side * side);
    scree_index_def def = scree_default_index_def();
    def.box = set.box;
    def.gap = 0.1;
    answer all = ask(&def, scree_sphere_set_view(&set));
    assert_int_equal(all.method, SCREE_METHOD_LINKED_CELLS);
    assert_int_equal(all.count, 3 * side * side * (side - 1));
    forget(&all);
    def.gap = 0.42;  // takes in the diagonals of the faces: 6 n (n-1)^2 more
    all = ask(&def, scree_sphere_set_view(&set));
    assert_int_equal(all.count, 3 * side * side * (side - 1) + 6 * side * (side - 1) * (side - 1));
    forget(&all);
    scree_sphere_set_free(&set);
}

static void one_sphere_and_its_images(void** state)
{
    (void)state;
    double x[3] = {0.25, 0.5, 0.75}, r[1] = {0.5};
    scree_index_def def = scree_default_index_def();
    def.box = scree_box_sized(3, (double[]){1.0, 1.0, 1.0});
    def.box.periodic[0] = def.box.periodic[1] = def.box.periodic[2] = true;
    def.sorted = true;
    for (int m = 0; m < SCREE_METHOD_COUNT; ++m) {
        def.method = m;
        def.gap = 0.0;
        scree_spheres one = {.count = 1, .dim = 3, .x = x, .r = r};
        answer a = ask(&def, one);
        assert_int_equal(a.count, 0);  // touches itself exactly
        forget(&a);
        def.gap = 0.1;
        a = ask(&def, one);
        assert_int_equal(a.count, 3);
        static const int8_t wanted[3][3] = {{0, 0, 1}, {0, 1, 0}, {1, 0, 0}};
        for (int p = 0; p < 3; ++p) {
            assert_int_equal(a.ij[p][0] + a.ij[p][1], 0);
            assert_memory_equal(a.shift[p], wanted[p], 3);
        }
        forget(&a);
    }
}

// ---- Laws that must hold -------------------------------------------------------------------------------------------

static void renumbering_renumbers_the_answer(void** state)
{
    (void)state;
    enum { n = 400 };
    scene_params params = scene_default_params();
    params.count = n;
    params.ratio = 10.0;
    params.periodic[1] = true;
    scree_sphere_set set;
    CHECK_OK(scene_make("clusters", &params, &set));
    int32_t to[n];
    double x[3 * n], r[n];
    scree_rng rng = scree_rng_make(4, 0);
    for (int i = 0; i < n; ++i)
        to[i] = i;
    for (int i = n - 1; i > 0; --i) {
        int j = (int)scree_rng_below(&rng, (uint64_t)i + 1);
        int32_t swap = to[i];
        to[i] = to[j];
        to[j] = swap;
    }
    for (int i = 0; i < n; ++i) {
        r[to[i]] = set.r[i];
        memcpy(x + 3 * to[i], set.x + 3 * i, 3 * sizeof *x);
    }
    scree_index_def def = scree_default_index_def();
    def.box = set.box;
    def.sorted = true;
    def.method = SCREE_METHOD_LINKED_CELLS;
    answer a = ask(&def, scree_sphere_set_view(&set));
    answer b = ask(&def, (scree_spheres){.count = n, .dim = 3, .x = x, .r = r});
    assert_int_equal(a.count, b.count);
    assert_true(a.count > 100);
    // Every renumbered pair of a must be in b: look it up by a table of rows.
    for (int64_t p = 0; p < a.count; ++p) {
        int32_t i = to[a.ij[p][0]], j = to[a.ij[p][1]];
        int sign = 1;
        if (i > j) {
            int32_t swap = i;
            i = j;
            j = swap;
            sign = -1;
        }
        bool found = false;
        for (int64_t q = 0; q < b.count && !found; ++q)
            found = b.ij[q][0] == i && b.ij[q][1] == j && b.shift[q][1] == sign * a.shift[p][1];
        assert_true(found);
    }
    forget(&a);
    forget(&b);
    scree_sphere_set_free(&set);
}

static void scaling_by_two_and_moving_by_a_box_change_nothing(void** state)
{
    (void)state;
    scene_params params = scene_default_params();
    params.count = 300;
    params.ratio = 5.0;
    params.periodic[0] = params.periodic[2] = true;
    scree_sphere_set set;
    CHECK_OK(scene_make("cloud", &params, &set));
    scree_index_def def = scree_default_index_def();
    def.sorted = true;
    def.method = SCREE_METHOD_LINKED_CELLS;
    def.box = set.box;
    answer a = ask(&def, scree_sphere_set_view(&set));
    for (int k = 0; k < 900; ++k)
        set.x[k] *= 0.125;
    for (int i = 0; i < 300; ++i)
        set.r[i] *= 0.125;
    for (int k = 0; k < 3; ++k)
        def.box.upper[k] *= 0.125;
    answer b = ask(&def, scree_sphere_set_view(&set));
    check_same(&b, &a, "scaled by 1/8");
    forget(&b);
    forget(&a);

    // Some spheres given one or two boxes away: the same pairs, with shifts that lead to the centres as given. The box
    // has a length with few digits, so that adding it is exact.
    for (int k = 0; k < 3; ++k)
        def.box.upper[k] = ceil(def.box.upper[k]);
    for (int k = 0; k < 900; ++k)
        set.x[k] = round(set.x[k] * 1048576.0) / 1048576.0;
    a = ask(&def, scree_sphere_set_view(&set));
    int8_t turns[300] = {0};
    for (int i = 0; i < 300; ++i) {
        turns[i] = (int8_t)(i % 4 - 1);
        set.x[3 * i] += turns[i] * def.box.upper[0];
    }
    for (int m = 1; m < SCREE_METHOD_COUNT; ++m) {
        def.method = m;
        b = ask(&def, scree_sphere_set_view(&set));
        assert_int_equal(a.count, b.count);
        int64_t sum_a = 0, sum_b = 0;
        for (int64_t p = 0; p < a.count; ++p) {
            sum_a += a.shift[p][0] + turns[a.ij[p][0]] - turns[a.ij[p][1]];
            sum_b += b.shift[p][0];
            double gap = scree_pair_gap(&def.box, scree_sphere_set_view(&set), b.ij[p][0], b.ij[p][1], b.shift[p]);
            assert_true(gap < 0.0);
        }
        assert_int_equal(sum_a, sum_b);
        forget(&b);
    }
    forget(&a);
    scree_sphere_set_free(&set);
}

static void threads_change_neither_pairs_nor_counters(void** state)
{
    (void)state;
    scene_params params = scene_default_params();
    params.count = test_is_small() ? 6000 : 20000;
    params.ratio = 3.0;
    params.periodic[0] = true;
    scree_sphere_set set;
    CHECK_OK(scene_make("cloud", &params, &set));
    for (int m = 1; m < SCREE_METHOD_COUNT; ++m) {
        scree_index_def def = scree_default_index_def();
        def.box = set.box;
        def.method = m;
        scree_spheres spheres = scree_sphere_set_view(&set);
        if (m == SCREE_METHOD_ALL_PAIRS)
            spheres.count = test_is_small() ? 600 : 2000;
        static const int32_t threads[] = {1, 2, 7};
        answer first = {0};
        for (int t = 0; t < 3; ++t) {
            def.threads = threads[t];
            answer a = ask(&def, spheres);  // unsorted: the order too must be the same
            if (t == 0) {
                first = a;
                continue;
            }
            assert_int_equal(a.count, first.count);
            assert_memory_equal(a.ij, first.ij, (size_t)a.count * sizeof *a.ij);
            assert_memory_equal(a.shift, first.shift, (size_t)a.count * sizeof *a.shift);
            assert_int_equal(a.stats.tests, first.stats.tests);
            assert_int_equal(a.stats.cells, first.stats.cells);
            assert_int_equal(a.stats.bytes, first.stats.bytes);
            forget(&a);
        }
        forget(&first);
    }
    scree_sphere_set_free(&set);
}

// The search for any machine and those with eight lanes, by AVX2 and by AVX-512: the same pairs in the same order, the same counters.
static void the_wide_search_is_the_plain_one(void** state)
{
    (void)state;
    for (int t = 0; t < 40; ++t) {
        scene_params params = scene_default_params();
        params.dim = 2 + t % 2;
        params.count = 3000;
        params.ratio = t % 4 < 2 ? 1.0 : 30.0;
        params.seed = (uint64_t)t;
        for (int k = 0; k < params.dim; ++k)
            params.periodic[k] = (t >> k & 4) != 0;
        scree_sphere_set set;
        CHECK_OK(scene_make(scene_table[t % scene_count].name, &params, &set));
        scree_index_def def = scree_default_index_def();
        def.box = set.box;
        def.gap = t % 3 == 0 ? 0.2 : t % 3 == 1 ? 0.0 : -0.3;
        def.method = t % 5 == 0 ? SCREE_METHOD_LINKED_CELLS : SCREE_METHOD_HIERARCHICAL_GRID;
        scree_plain_only = true;
        answer plain = ask(&def, scree_sphere_set_view(&set));
        scree_plain_only = false;
        for (int most = 0; most < 2; ++most) {
            scree_avx2_at_most = most == 1;
            answer wide = ask(&def, scree_sphere_set_view(&set));
            scree_avx2_at_most = false;
            check_same(&wide, &plain, scene_table[t % scene_count].name);
            assert_int_equal(wide.stats.tests, plain.stats.tests);
            assert_int_equal(wide.stats.cells, plain.stats.cells);
            forget(&wide);
        }
        forget(&plain);
        scree_sphere_set_free(&set);
    }
}

static void memory_stays_linear_at_any_ratio(void** state)
{
    (void)state;
    static const double ratios[] = {1.0, 50.0, 1000.0};
    for (int t = 0; t < 3; ++t)
        for (int s = 0; s < 3; ++s) {
            scene_params params = scene_default_params();
            params.count = 20000;
            params.ratio = ratios[t];
            scree_sphere_set set;
            CHECK_OK(scene_make((const char*[]){"sparse", "clusters", "corner"}[s], &params, &set));
            scree_index_def def = scree_default_index_def();
            def.method = SCREE_METHOD_HIERARCHICAL_GRID;
            def.threads = 1;
            answer a = ask(&def, scree_sphere_set_view(&set));
            double fixed = 4e5;  // what does not grow with n
            assert_true((double)a.stats.bytes < fixed + 160.0 * params.count + 24.0 * (double)a.count);
            forget(&a);
            scree_sphere_set_free(&set);
        }
}

static void tests_are_counted_as_the_paper_counts_them(void** state)
{
    (void)state;
    // All pairs: n(n-1)/2. Cells: 27/2 n_c^2 - n_c/2 per cell on a periodic lattice with n_c spheres in each cell.
    scene_params params = scene_default_params();
    params.count = 8 * 8 * 8;
    params.periodic[0] = params.periodic[1] = params.periodic[2] = true;
    scree_sphere_set set;
    CHECK_OK(scene_make("lattice", &params, &set));
    scree_index_def def = scree_default_index_def();
    def.box = set.box;
    def.method = SCREE_METHOD_LINKED_CELLS;
    def.gap = 0.9;  // cells of side 2 hold eight spheres each
    answer a = ask(&def, scree_sphere_set_view(&set));
    assert_int_equal(a.stats.tests, 64 * (27 * 64 / 2 - 4));
    assert_int_equal(a.stats.cells, 512 * 14);
    assert_int_equal(a.stats.levels, 1);
    forget(&a);
    for (int k = 0; k < 3; ++k)
        def.box.periodic[k] = false;
    def.method = SCREE_METHOD_ALL_PAIRS;
    a = ask(&def, scree_sphere_set_view(&set));
    assert_int_equal(a.stats.tests, 512 * 511 / 2);
    forget(&a);
    scree_sphere_set_free(&set);
}

// ---- Public calls--------------------------------------------------------------------------------------------------

static void an_index_is_used_again_and_again(void** state)
{
    (void)state;
    scree_index_def def = scree_default_index_def();
    def.sorted = true;
    scree_index* index;
    scree_pairs pairs;
    CHECK_OK(scree_index_create(&def, &index));
    CHECK_OK(scree_index_pairs(index, &pairs));
    assert_int_equal(pairs.count, 0);  // nothing yet
    assert_null(pairs.shift);
    scene_params params = scene_default_params();
    for (uint64_t seed = 1; seed <= 40; ++seed) {
        params.seed = seed;
        params.count = (int32_t)(seed * 37 % 500);
        params.ratio = seed % 2 == 0 ? 1.0 : 20.0;
        scree_sphere_set set;
        CHECK_OK(scene_make(seed % 3 == 0 ? "clusters" : "cloud", &params, &set));
        CHECK_OK(scree_index_update(index, scree_sphere_set_view(&set)));
        CHECK_OK(scree_index_pairs(index, &pairs));
        scree_index_def plain = def;
        plain.method = SCREE_METHOD_ALL_PAIRS;
        answer reference = ask(&plain, scree_sphere_set_view(&set));
        assert_int_equal(pairs.count, reference.count);
        if (reference.count > 0)
            assert_memory_equal(pairs.ij, reference.ij, (size_t)reference.count * sizeof *reference.ij);
        forget(&reference);
        scree_sphere_set_free(&set);
    }
    scree_index_destroy(index);
    scree_index_destroy(NULL);
}

static void a_steady_search_allocates_nothing(void** state)
{
    (void)state;
    scene_params params = scene_default_params();
    params.count = 5000;
    params.periodic[0] = true;
    scree_sphere_set set;
    CHECK_OK(scene_make("cloud", &params, &set));
    scree_index_def def = scree_default_index_def();
    def.box = set.box;
    def.sorted = true;
    def.skin = -1.0;  // lists: test_list.c
    scree_index* index;
    scree_pairs pairs;
    CHECK_OK(scree_index_create(&def, &index));
    for (int k = 0; k < 4; ++k) {
        CHECK_OK(scree_index_update(index, scree_sphere_set_view(&set)));
        CHECK_OK(scree_index_pairs(index, &pairs));
        if (k == 1)
            scree_memory_fail_at(0);  // resets the counter
    }
    assert_int_equal(scree_memory_fail_at(0), 0);
    scree_index_destroy(index);
    scree_sphere_set_free(&set);
}

static scree_status whole_way(const scree_index_def* def, scree_spheres spheres, int64_t* count)
{
    scree_index* index = NULL;
    scree_pairs pairs;
    scree_status status = scree_index_create(def, &index);
    if (status == SCREE_OK)
        status = scree_index_update(index, spheres);
    if (status == SCREE_OK)
        status = scree_index_pairs(index, &pairs);
    if (status == SCREE_OK)
        *count = pairs.count;
    scree_index_destroy(index);
    return status;
}

static void each_allocation_may_fail(void** state)
{
    (void)state;
    scene_params params = scene_default_params();
    params.count = 3000;
    params.periodic[0] = true;
    scree_sphere_set small, large;
    CHECK_OK(scene_make("clusters", &params, &large));
    params.count = 50;
    CHECK_OK(scene_make("cloud", &params, &small));
    large.x[0] += large.box.upper[0];  // so that turns are kept too
    for (int m = 0; m < SCREE_METHOD_COUNT; ++m) {
        if (m == SCREE_METHOD_LINEAR_LIST)
            continue;  // linear-list allocates in its build, which the index asks for again: test_linear_list.c
        scree_index_def def = scree_default_index_def();
        def.box = large.box;
        def.method = m;
        def.sorted = true;
        int64_t count = -1;
        EACH_ALLOCATION_FAILS(whole_way(&def, scree_sphere_set_view(&large), &count), assert_int_equal(count, -1));

        // After a failed update the index still holds what it held, and answers about that.
        scree_index* index;
        scree_pairs pairs;
        CHECK_OK(scree_index_create(&def, &index));
        CHECK_OK(scree_index_update(index, scree_sphere_set_view(&small)));
        CHECK_OK(scree_index_pairs(index, &pairs));
        int64_t before = pairs.count;
        EACH_ALLOCATION_FAILS(scree_index_update(index, scree_sphere_set_view(&large)), {
            CHECK_OK(scree_index_validate(index));
            CHECK_OK(scree_index_pairs(index, &pairs));
            assert_int_equal(pairs.count, before);
        });
        EACH_ALLOCATION_FAILS(scree_index_pairs(index, &pairs), (void)0);
        assert_int_equal(pairs.count, count);
        scree_index_destroy(index);
    }
    scree_sphere_set_free(&small);
    scree_sphere_set_free(&large);
}

// Says stop as often as the context counts, and then goes on.
static bool stop_first(void* context, double done)
{
    int* stops = context;
    assert_true(done >= 0.0 && done <= 1.0);
    return *stops == 0 || (--*stops, false);
}

static void a_stopped_search_can_be_asked_again(void** state)
{
    (void)state;
    scene_params params = scene_default_params();
    params.count = test_is_small() ? 10000 : 20000;
    scree_sphere_set set;
    CHECK_OK(scene_make("cloud", &params, &set));
    // One sphere as large as the box leaves a single cell: even then there are chunks to stop between.
    set.r[0] = 0.49 * set.box.upper[0];
    int stops = 2;
    scree_index_def def = scree_default_index_def();
    def.box = set.box;
    def.method = SCREE_METHOD_LINKED_CELLS;
    def.watch = (scree_watch){.tick = stop_first, .context = &stops};
    def.threads = 1;
    scree_index* index;
    scree_pairs pairs;
    CHECK_OK(scree_index_create(&def, &index));
    CHECK_OK(scree_index_update(index, scree_sphere_set_view(&set)));
    CHECK_FAILS(scree_index_pairs(index, &pairs), SCREE_ERR_CANCELLED);
    CHECK_FAILS(scree_index_pairs(index, &pairs), SCREE_ERR_CANCELLED);
    CHECK_OK(scree_index_pairs(index, &pairs));
    int64_t count = pairs.count;
    scree_index_destroy(index);
    def.method = SCREE_METHOD_HIERARCHICAL_GRID;
    answer reference = ask(&def, scree_sphere_set_view(&set));
    assert_int_equal(reference.count, count);
    forget(&reference);
    scree_sphere_set_free(&set);
}

static void invalid_input_is_refused(void** state)
{
    (void)state;
    scree_index* index = NULL;
    scree_index_def def = {0};
    CHECK_FAILS(scree_index_create(&def, &index), SCREE_ERR_ARGUMENT, "scree_default_index_def");
    def = scree_default_index_def();
    def.method = 99;
    CHECK_FAILS(scree_index_create(&def, &index), SCREE_ERR_ARGUMENT, "99");
    def = scree_default_index_def();
    def.gap = NAN;
    CHECK_FAILS(scree_index_create(&def, &index), SCREE_ERR_ARGUMENT, "gap", "nan");
    def.gap = 1e200;
    CHECK_FAILS(scree_index_create(&def, &index), SCREE_ERR_ARGUMENT, "1e+200");
    def = scree_default_index_def();
    def.threads = -1;
    CHECK_FAILS(scree_index_create(&def, &index), SCREE_ERR_ARGUMENT, "-1", "threads");
    def = scree_default_index_def();
    def.box.periodic[0] = true;
    CHECK_FAILS(scree_index_create(&def, &index), SCREE_ERR_ARGUMENT, "axis x");
    assert_null(index);

    def = scree_default_index_def();
    def.box = scree_box_sized(3, (double[]){1.0, 1.0, 1.0});
    def.box.periodic[2] = true;
    CHECK_OK(scree_index_create(&def, &index));
    double x[6] = {0.5, 0.5, 0.5, 0.5, 0.5, 0.6}, r[2] = {0.1, 0.1};
    scree_spheres two = {.count = 2, .dim = 3, .x = x, .r = r};
    scree_pairs pairs;
    CHECK_OK(scree_index_update(index, two));
    r[1] = 0.51;
    CHECK_FAILS(scree_index_update(index, two), SCREE_ERR_ARGUMENT, "sphere 1", "diameter", "1.02");
    r[1] = 0.1;
    x[5] = 40.0;
    CHECK_FAILS(scree_index_update(index, two), SCREE_ERR_ARGUMENT, "sphere 1", "z = 40", "40");
    x[5] = NAN;
    CHECK_FAILS(scree_index_update(index, two), SCREE_ERR_ARGUMENT, "sphere 1", "z = nan");
    x[5] = 0.6;
    x[3] = 1.1;
    CHECK_FAILS(scree_index_update(index, two), SCREE_ERR_ARGUMENT);
    // After all that the index still holds the two of the first update.
    CHECK_OK(scree_index_pairs(index, &pairs));
    assert_int_equal(pairs.count, 1);
    scree_index_destroy(index);

    def.gap = 100.0;
    CHECK_OK(scree_index_create(&def, &index));
    x[3] = 0.5;
    CHECK_FAILS(scree_index_update(index, two), SCREE_ERR_ARGUMENT, "gap", "100", "60");
    scree_index_destroy(index);
}

static void names_of_methods(void** state)
{
    (void)state;
    assert_string_equal(scree_method_name(SCREE_METHOD_AUTO), "auto");
    assert_string_equal(scree_method_name(SCREE_METHOD_HIERARCHICAL_GRID), "hierarchical-grid");
    assert_null(scree_method_name(SCREE_METHOD_COUNT));
    assert_null(scree_method_name((scree_method)-1));
}

static void sizes_and_choice_are_reported(void** state)
{
    (void)state;
    double x[4] = {0.0, 0.0, 10.0, 0.0}, r[2] = {1.0, 4.0};
    scree_index_def def = scree_default_index_def();
    def.box = scree_box_open(2);
    answer a = ask(&def, (scree_spheres){.count = 2, .dim = 2, .x = x, .r = r});
    CHECK_CLOSE(a.stats.size_ratio, 4.0, 0.0);
    assert_int_equal(a.method, SCREE_METHOD_ALL_PAIRS);
    assert_true(a.stats.seconds_build >= 0.0 && a.stats.seconds_search >= 0.0);
    forget(&a);
    r[0] = 0.0;
    a = ask(&def, (scree_spheres){.count = 2, .dim = 2, .x = x, .r = r});
    assert_true(isinf(a.stats.size_ratio));
    forget(&a);
    size_t two = a.stats.bytes;
    a = ask(&def, (scree_spheres){.count = 0, .dim = 2});
    CHECK_CLOSE(a.stats.size_ratio, 1.0, 0.0);
    assert_int_equal(a.method, SCREE_METHOD_ALL_PAIRS);  // which holds nothing
    assert_true(a.stats.bytes <= two);
    forget(&a);
}

// What AUTO expects of all-pairs, and of the lists that it makes, is what it then counts: to 15 % for spheres spread at random, whatever axes are periodic
// and however far spheres reach, compared with the box.
static void forecast_of_all_pairs_is_what_it_counts(void** state)
{
    (void)state;
    enum { most = 300 };
    static double x[3 * most], r[most];
    for (int dim = 2; dim <= 3; ++dim)
        for (int axes = 0; axes <= dim; ++axes)
            for (int set = 0; set < 4; ++set) {
                int32_t n = set % 2 == 0 ? 120 : most;
                double radius = set < 2 ? 0.02 : 0.3;  // reach 0.04 and 0.6 of the box
                scree_rng rng = scree_rng_make(5, (uint64_t)set);
                for (int32_t e = 0; e < n * dim; ++e)
                    x[e] = scree_rng_uniform(&rng);
                for (int32_t i = 0; i < n; ++i)
                    r[i] = radius;
                scree_spheres spheres = {.count = n, .dim = dim, .x = x, .r = r};
                scree_index_def def = scree_default_index_def();
                def.box = scree_box_sized(dim, (const double[3]){1.0, 1.0, 1.0});
                for (int k = 0; k < axes; ++k)
                    def.box.periodic[k] = true;
                def.skin = -1.0;
                scree_index* index;
                CHECK_OK(scree_index_create(&def, &index));
                assert_true(scree_index_get_predicted(index, SCREE_METHOD_AUTO) == 0.0);
                CHECK_OK(scree_index_update(index, spheres));
                double expected = scree_index_get_predicted(index, SCREE_METHOD_ALL_PAIRS);
                assert_true(scree_index_get_predicted(index, SCREE_METHOD_AUTO) == scree_index_get_predicted(index, scree_index_method(index)));
                assert_true(scree_index_get_predicted(index, SCREE_METHOD_COUNT) == 0.0 && scree_index_get_predicted(index, (scree_method)-1) == 0.0);
                scree_index_destroy(index);
                def.method = SCREE_METHOD_ALL_PAIRS;
                answer counted = ask(&def, spheres);
                if (!(fabs(expected / counted.stats.work - 1.0) < 0.15))
                    fail_msg("%dD, %d periodic axes, %d spheres of radius %g: work %g was expected, %g counted", dim, axes, (int)n, radius, expected,
                             counted.stats.work);
                forget(&counted);
            }
}

// Bodies with boxes, through the index: every pair whose boxes and spheres meet is reported, by every method, cached or not, and no pair beyond the spheres; what comes
// after (single moves, a plain update) knows the spheres alone.
static void boxes_may_leave_out_what_they_do_not_meet(void** state)
{
    (void)state;
    enum { n = 90 };
    double x[2 * n], r[n], half[2 * n];
    for (int method = 0; method < SCREE_METHOD_COUNT; ++method)
        for (int way = 0; way < 4; ++way) {
            scree_rng rng = scree_rng_make(31, (uint64_t)way);
            scree_index_def def = scree_default_index_def();
            def.box = scree_box_sized(2, (const double[2]){10.0, 10.0});
            def.box.periodic[0] = way % 2 == 1;
            def.method = method;
            def.gap = 0.1;
            def.skin = way < 2 ? -1.0 : 0.3;
            scree_index* index;
            CHECK_OK(scree_index_create(&def, &index));
            for (int step = 0; step < 6; ++step) {
                for (int e = 0; e < 2 * n; ++e) {
                    x[e] = step == 0 ? 0.5 + 9.0 * scree_rng_uniform(&rng) : x[e] + 0.02 * (scree_rng_uniform(&rng) - 0.5);
                    half[e] = 0.1 + 0.5 * scree_rng_uniform(&rng);
                    r[e / 2] = 0.7;
                }
                scree_spheres spheres = {.count = n, .dim = 2, .x = x, .r = r};
                CHECK_OK(scree_index_update_boxes(index, spheres, half));
                CHECK_OK(scree_index_validate(index));
                scree_pairs pairs;
                CHECK_OK(scree_index_pairs(index, &pairs));
                int64_t by_both = 0, by_spheres = 0, reported_both = 0;
                bool (*reported)[n] = calloc(3 * n, sizeof *reported);
                for (int64_t p = 0; p < pairs.count; ++p)
                    reported[(pairs.shift != NULL ? pairs.shift[p][0] + 1 : 1) * n + pairs.ij[p][0]][pairs.ij[p][1]] = true;
                for (int s = -def.box.periodic[0]; s <= def.box.periodic[0]; ++s)
                    for (int i = 0; i < n; ++i)
                        for (int j = i + 1; j < n; ++j) {
                            double dx = fabs(x[2 * i] - x[2 * j] - 10.0 * s), dy = fabs(x[2 * i + 1] - x[2 * j + 1]);
                            bool spheres_meet = sqrt(dx * dx + dy * dy) < 1.5;
                            bool boxes_meet = dx < half[2 * i] + half[2 * j] + 0.1 && dy < half[2 * i + 1] + half[2 * j + 1] + 0.1;
                            by_spheres += spheres_meet;
                            by_both += spheres_meet && boxes_meet;
                            reported_both += spheres_meet && boxes_meet && reported[(s + 1) * n + i][j];
                        }
                free(reported);
                assert_int_equal(reported_both, by_both);
                bool prunes = scree_index_method(index) == SCREE_METHOD_LINEAR_LIST && way < 2;
                assert_int_equal(pairs.count, prunes ? by_both : by_spheres);
                assert_true(by_both > 20 && by_both < by_spheres);
                if (step == 3) {
                    CHECK_OK(scree_index_move(index, 0, x));
                    CHECK_OK(scree_index_pairs(index, &pairs));
                    assert_int_equal(pairs.count, by_spheres);
                }
                if (step == 4) {
                    half[7] = -1.0;
                    CHECK_FAILS(scree_index_update_boxes(index, spheres, half), SCREE_ERR_ARGUMENT, "item 3", "-1");
                    CHECK_OK(scree_index_update_boxes(index, spheres, NULL));
                    CHECK_OK(scree_index_pairs(index, &pairs));
                    assert_int_equal(pairs.count, by_spheres);
                    half[7] = 0.1;
                }
            }
            scree_index_destroy(index);
        }
}

static const test_case cases[] = {
    UNIT(boxes_may_leave_out_what_they_do_not_meet),
    PROPERTY(every_method_agrees_with_all_pairs),
    UNIT(gaps_larger_than_the_box),
    UNIT(far_and_tiny_coordinates),
    UNIT(touching_to_the_last_bit),
    PROPERTY(rows_of_spheres_on_the_borders_of_cells),
    PROPERTY(large_spheres_covered_with_small_ones),
    UNIT(lattice_has_the_contacts_of_a_lattice),
    UNIT(a_million_equal_spheres),
    UNIT(one_sphere_and_its_images),
    UNIT(renumbering_renumbers_the_answer),
    UNIT(scaling_by_two_and_moving_by_a_box_change_nothing),
    THREADS(threads_change_neither_pairs_nor_counters),
    SAME_BITS(the_wide_search_is_the_plain_one),
    UNIT(memory_stays_linear_at_any_ratio),
    UNIT(tests_are_counted_as_the_paper_counts_them),
    UNIT(an_index_is_used_again_and_again),
    ALLOCATION(a_steady_search_allocates_nothing),
    ALLOCATION(each_allocation_may_fail),
    UNIT(a_stopped_search_can_be_asked_again),
    UNIT(invalid_input_is_refused),
    UNIT(names_of_methods),
    UNIT(sizes_and_choice_are_reported),
    UNIT(forecast_of_all_pairs_is_what_it_counts),
};

const test_group group_index = {.name = "index", .cases = cases, .count = sizeof cases / sizeof *cases};
