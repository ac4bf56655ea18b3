// pack: placed spheres are looked at from outside: by the index' plain method, which knows nothing of how they were placed.
#include "support.h"

#include "scenes.h"
#include "scree/index.h"
#include "scree/pack.h"
#include "scree/sizes.h"

#include <inttypes.h>

static const double pi = 3.14159265358979323846;

typedef struct sample {
    int32_t count;
    double *r, *x, *again;
} sample;

static sample sample_of(const char* law, int dim, int32_t count)
{
    sample s = {.count = count};
    s.r = malloc((size_t)(count + 1) * sizeof *s.r);
    s.x = malloc((size_t)(count + 1) * 3 * sizeof *s.x);
    s.again = malloc((size_t)(count + 1) * 3 * sizeof *s.again);
    scree_sizes* sizes;
    CHECK_OK(scree_sizes_parse(law, dim, &sizes));
    CHECK_OK(scree_sizes_draw(sizes, SCREE_SAMPLING_RANDOM, 5, count, s.r));
    scree_sizes_destroy(sizes);
    return s;
}

static void sample_free(sample* s)
{
    free(s->r);
    free(s->x);
    free(s->again);
}

static double volume(int dim, double r)
{
    return dim == 2 ? pi * r * r : 4.0 / 3.0 * pi * r * r * r;
}

// The largest shape of these proportions at this density, from `lower` on.
static scree_box box_for(const sample* s, int dim, const double* shape, double lower, double density)
{
    double sum = 0.0, product = 1.0;
    for (int32_t i = 0; i < s->count; ++i)
        sum += volume(dim, s->r[i]);
    for (int k = 0; k < dim; ++k)
        product *= shape[k];
    double unit = pow(sum / density / product, 1.0 / dim);
    scree_box box = {.dim = dim};
    for (int k = 0; k < dim; ++k) {
        box.lower[k] = lower * (k + 1);
        box.upper[k] = box.lower[k] + unit * shape[k];
    }
    return box;
}

static int64_t overlaps(const scree_box* box, const sample* s, scree_method method)
{
    scree_index_def def = scree_default_index_def();
    def.method = (int32_t)method;
    def.box = *box;
    scree_index* index;
    scree_pairs pairs;
    CHECK_OK(scree_index_create(&def, &index));
    CHECK_OK(scree_index_update(index, (scree_spheres){.count = s->count, .dim = box->dim, .x = s->x, .r = s->r}));
    CHECK_OK(scree_index_pairs(index, &pairs));
    int64_t count = pairs.count;
    scree_index_destroy(index);
    return count;
}

static void check_inside(const scree_box* box, const sample* s)
{
    for (int64_t i = 0; i < s->count; ++i)
        for (int k = 0; k < box->dim; ++k) {
            double x = s->x[i * box->dim + k], r = s->r[i];
            if (box->periodic[k] ? !(x >= box->lower[k] && x < box->upper[k])
                                 : !(x >= box->lower[k] + r && x <= box->upper[k] - r))
                fail_msg("sphere %d of radius %.17g: %.17g is outside %.17g to %.17g", (int)i, r, x, box->lower[k],
                         box->upper[k]);
        }
}

// ---- Random addition -----------------------------------------------------------------------------------------------

static void random_addition_never_overlaps(void** state)
{
    (void)state;
    static const struct {
        const char* law;
        int32_t dim, count;
        double density, lower, shape[3];
    } cases[] = {{"uniform-volume:1:50", 3, 3000, 0.4, 0.0, {1.0, 1.0, 1.0}},
                 {"mono:1", 3, 1000, 0.3, -7.0, {1.0, 2.0, 3.0}},
                 {"uniform-size:0.5:1.5", 2, 2000, 0.45, 1e3, {1.0, 0.2, 0.0}},
                 {"bidisperse:10", 3, 2500, 0.3, -1e6, {1.0, 1.0, 0.5}},
                 {"mono:1e-9", 2, 500, 0.4, 0.1, {3.0, 1.0, 0.0}},  // coordinates that barely tell the spheres apart
                 {"power:1:1000:3", 3, 5000, 0.1, 0.0, {1.0, 1.0, 1.0}},
                 {"lognormal:1e100:0.5", 3, 500, 0.2, -3e101, {1.0, 1.0, 2.0}},
                 {"lognormal:1e-100:0.5", 2, 500, 0.2, 0.0, {1.0, 1.0, 0.0}}};
    for (size_t t = 0; t < sizeof cases / sizeof *cases; ++t) {
        sample s = sample_of(cases[t].law, cases[t].dim, cases[t].count);
        for (int axes = 0; axes < 1 << cases[t].dim; ++axes) {
            scree_place_report report;
            scree_place_def def = scree_default_place_def();
            def.box = box_for(&s, cases[t].dim, cases[t].shape, cases[t].lower, cases[t].density);
            def.report = &report;
            for (int k = 0; k < cases[t].dim; ++k)
                def.box.periodic[k] = (axes >> k & 1) == 1;
            CHECK_OK(scree_place_random(&def, s.count, s.r, s.x));
            check_inside(&def.box, &s);
            assert_int_equal(overlaps(&def.box, &s, SCREE_METHOD_ALL_PAIRS), 0);
            assert_int_equal(report.placed, s.count);
            assert_true(report.tries >= s.count);
            CHECK_CLOSE(report.density, cases[t].density, 1e-5);
            CHECK_CLOSE(report.density_asked, report.density, 1e-12);
            def.threads = 2;
            CHECK_OK(scree_place_random(&def, s.count, s.r, s.again));
            assert_memory_equal(s.x, s.again, (size_t)(s.count * def.box.dim) * sizeof *s.x);
            def.seed = 2;
            CHECK_OK(scree_place_random(&def, s.count, s.r, s.again));
            assert_memory_not_equal(s.x, s.again, (size_t)(s.count * def.box.dim) * sizeof *s.x);
        }
        sample_free(&s);
    }
}

// Few spheres in boxes so short that each one meets others through several images, or nearly its own.
static void random_addition_in_small_periodic_boxes(void** state)
{
    (void)state;
    scree_rng rng = scree_rng_make(8, 0);
    int rounds = (int)(3000 * test_effort()), done = 0;
    for (int round = 0; round < rounds; ++round) {
        int dim = 2 + round % 2;
        sample s = sample_of("uniform-size:0.2:1", dim, 1 + round % 7);
        scree_place_def def = scree_default_place_def();
        def.box = scree_box_sized(dim, (double[3]){1.0, 1.0, 1.0});
        for (int k = 0; k < dim; ++k) {
            def.box.lower[k] = 4.0 * scree_rng_uniform(&rng) - 2.0;
            def.box.upper[k] = def.box.lower[k] + 2.0 + 2.0 * scree_rng_uniform(&rng) * scree_rng_uniform(&rng);
            def.box.periodic[k] = scree_rng_below(&rng, 4) > 0;
        }
        def.seed = (uint64_t)round;
        def.tries = 3000;
        if (scree_place_random(&def, s.count, s.r, s.x) == SCREE_OK) {
            ++done;
            check_inside(&def.box, &s);
            assert_int_equal(overlaps(&def.box, &s, SCREE_METHOD_ALL_PAIRS), 0);
        } else {
            assert_non_null(strstr(scree_error_message(), "density"));
        }
        sample_free(&s);
    }
    assert_true(done > rounds / 4);
}

// Spheres that just fit: exactly as long as the box, with no way to go.
static void random_addition_where_there_is_just_room(void** state)
{
    (void)state;
    for (int periodic = 0; periodic < 2; ++periodic)
        for (int t = 0; t < 200; ++t) {
            double lower = 0.1 * t - 7.3, r = 0.25, x[3];
            scree_place_def def = scree_default_place_def();
            for (int k = 0; k < 3; ++k) {
                def.box.lower[k] = lower;
                def.box.upper[k] = lower + 2.0 * r;
                def.box.periodic[k] = periodic == 1;
            }
            bool fits = periodic ? def.box.upper[0] - def.box.lower[0] >= 2.0 * r
                                 : def.box.lower[0] + r <= def.box.upper[0] - r;
            scree_status status = scree_place_random(&def, 1, &r, x);
            assert_int_equal(status, fits ? SCREE_OK : SCREE_ERR_ARGUMENT);
            if (fits)
                check_inside(&def.box, &(sample){.count = 1, .r = &r, .x = x});
        }
    // None, and points in a box without volume.
    scree_place_report report;
    scree_place_def def = scree_default_place_def();
    def.report = &report;
    CHECK_OK(scree_place_random(&def, 0, NULL, NULL));
    assert_true(report.placed == 0 && report.tries == 0 && report.density == 0.0);
    double r[3] = {0.0, -0.0, 0.0}, x[9];
    def.box.upper[1] = 0.0;
    CHECK_OK(scree_place_random(&def, 3, r, x));
    assert_true(x[1] == 0.0 && x[4] == 0.0 && x[7] == 0.0 && report.density == 0.0);
}

// Large before small, equal ones by number: the largest takes the first centre that is drawn, whatever its number.
static void random_addition_places_large_spheres_first(void** state)
{
    (void)state;
    double r[4] = {0.01, 0.1, 0.2, 0.1}, x[12];
    scree_place_def def = scree_default_place_def();
    def.seed = 9;
    def.box.periodic[0] = def.box.periodic[1] = def.box.periodic[2] = true;
    scree_rng rng = scree_rng_make(9, 2);
    double first[3];
    for (int k = 0; k < 3; ++k)
        first[k] = scree_rng_uniform(&rng);
    CHECK_OK(scree_place_random(&def, 4, r, x));
    assert_memory_equal(x + 6, first, sizeof first);
    double swapped[4] = {0.2, 0.1, 0.1, 0.01}, y[12];
    CHECK_OK(scree_place_random(&def, 4, swapped, y));
    assert_memory_equal(y, x + 6, 3 * sizeof *x);
    assert_memory_equal(y + 3, x + 3, 3 * sizeof *x);
    assert_memory_equal(y + 6, x + 9, 3 * sizeof *x);
    assert_memory_equal(y + 9, x, 3 * sizeof *x);
}

// Small spheres beside large ones that stand there, large ones between small ones; on periodic axes whichever image stands there.
static void random_addition_goes_around_what_stands_there(void** state)
{
    (void)state;
    for (int dim = 2; dim <= 3; ++dim)
        for (int periodic = 0; periodic < 2; ++periodic)
            for (int first = 0; first < 2; ++first) {
                enum { n = 300 };
                sample s = sample_of("mono:1", dim, 2 * n);
                for (int i = 0; i < n; ++i)
                    s.r[n * first + i] = 0.05 + 0.4 * i / n;
                scree_place_def def = scree_default_place_def();
                def.box = box_for(&s, dim, (const double[]){1.0, 2.0, 1.5}, -3.0, dim == 2 ? 0.35 : 0.25);
                for (int k = 0; k < dim; ++k)
                    def.box.periodic[k] = periodic == 1;
                CHECK_OK(scree_place_random(&def, n, s.r, s.x));
                def.standing = (scree_spheres){.count = n, .dim = dim, .x = s.x, .r = s.r};
                for (int i = 0; i < n && periodic == 1; ++i)
                    s.x[i * dim] += (i % 3 - 1) * (def.box.upper[0] - def.box.lower[0]);
                scree_place_report report;
                def.report = &report;
                CHECK_OK(scree_place_random(&def, n, s.r + n, s.x + n * dim));
                assert_int_equal(report.placed, n);
                assert_int_equal(overlaps(&def.box, &s, SCREE_METHOD_ALL_PAIRS), 0);
                sample_free(&s);
            }
    // Where there is no room left the message names both.
    double r = 1.0, x[3] = {2.0, 2.0, 2.0}, y[3], big = 1.5;
    scree_place_def def = scree_default_place_def();
    def.box = scree_box_sized(3, (const double[]){4.0, 4.0, 4.0});
    def.tries = 1000;
    def.standing = (scree_spheres){.count = 1, .dim = 3, .x = x, .r = &big};
    CHECK_FAILS(scree_place_random(&def, 1, &r, y), SCREE_ERR_ARGUMENT, "sphere 0", "1000", "density");
    def.standing.dim = 2;
    CHECK_FAILS(scree_place_random(&def, 1, &r, y), SCREE_ERR_ARGUMENT, "2", "3");
    def.standing.dim = 3;
    x[1] = NAN;
    CHECK_FAILS(scree_place_random(&def, 1, &r, y), SCREE_ERR_ARGUMENT, "sphere 0", "nan");
}

// Bits that tests and pages of docs stand on: of the scenes and the demo, since the first version.
static void random_addition_keeps_its_bits(void** state)
{
    (void)state;
    scree_sphere_set set;
    CHECK_OK(scree_sphere_set_make(3, 500, &set));
    for (int i = 0; i < 500; ++i)
        set.r[i] = 1.0 + i % 5;
    CHECK_OK(scene_set_cube(&set, 0.3));
    static const uint64_t wanted[2] = {0x03b74e44d3ea5b12u, 0x35cf43ce538e9b9eu};  // walls, periodic
    for (int periodic = 0; periodic < 2; ++periodic) {
        scree_place_def def = scree_default_place_def();
        def.box = set.box;
        for (int k = 0; k < 3; ++k)
            def.box.periodic[k] = periodic == 1;
        CHECK_OK(scree_place_random(&def, set.count, set.r, set.x));
        uint64_t hash = 0;
        for (int k = 0; k < 1500; ++k) {
            uint64_t bits;
            memcpy(&bits, set.x + k, sizeof bits);
            hash = (hash ^ bits) * 0x9E3779B97F4A7C15u;
            hash ^= hash >> 32;
        }
        if (hash != wanted[periodic])
            fail_msg("hash 0x%016" PRIx64 ", not 0x%016" PRIx64, hash, wanted[periodic]);
    }
    scree_sphere_set_free(&set);
}

// Density after t = tries * (volume of a sphere) / (volume of the box), against runs of other programs (algorithms.md, 5): a slope
// turns the tries that a given density took into the density at just t.
static void random_addition_has_the_known_densities(void** state)
{
    (void)state;
    static const struct {
        double t, density;
    } known[] = {{10.0, 0.2991}, {100.0, 0.3410}};
    const double saturated = 0.38413, box = 20.0;
    for (int seed = 1; seed <= 2; ++seed)
        for (int e = 0; e < 2; ++e) {
            int32_t count = (int32_t)lrint(known[e].density * box * box * box / volume(3, 0.5));
            sample s = sample_of("mono:0.5", 3, count);
            scree_place_report report;
            scree_place_def def = scree_default_place_def();
            def.seed = (uint64_t)seed;
            def.report = &report;
            for (int k = 0; k < 3; ++k) {
                def.box.upper[k] = box;
                def.box.periodic[k] = true;
            }
            CHECK_OK(scree_place_random(&def, count, s.r, s.x));
            double t = (double)report.tries * volume(3, 0.5) / (box * box * box);
            double then = saturated - (saturated - report.density) * cbrt(t / known[e].t);
            CHECK_CLOSE(then, known[e].density, 0.003);
            sample_free(&s);
        }
}

// The box in a message, tried.
static bool box_in_message(scree_box* box)
{
    const char* text = strstr(scree_error_message(), " box of ");
    if (text == NULL)
        return false;
    text = strpbrk(text, "0123456789");  // behind "at least", if that is there
    double size[3] = {0.0, 0.0, 0.0};
    if (text == NULL || sscanf(text, "%lf x %lf x %lf", size, size + 1, size + 2) != box->dim)
        return false;
    for (int k = 0; k < box->dim; ++k)
        box->upper[k] = box->lower[k] + size[k];
    return true;
}

static void random_addition_says_why_not(void** state)
{
    (void)state;
    static const struct {
        const char* law;
        int32_t dim, count;
        double size[3];
    } cases[] = {{"mono:1", 3, 15, {4.0, 4.0, 4.0}},        {"mono:1", 3, 500, {14.0, 15.0, 16.0}},
                 {"mono:1", 2, 100, {2.0, 200.0, 0.0}},     {"mono:1", 3, 1000, {10.0, 10.0, 10.0}},
                 {"uniform-size:0.5:1.5", 2, 500, {45.0, 45.0, 0.0}}, {"uniform-volume:1:10", 3, 1000, {40.0, 40.0, 44.0}},
                 {"bidisperse:10", 3, 2500, {40.0, 30.0, 30.0}}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; ++c)
        for (int periodic = 0; periodic < 2; ++periodic) {
            sample s = sample_of(cases[c].law, cases[c].dim, cases[c].count);
            scree_place_report report;
            scree_place_def def = scree_default_place_def();
            def.report = &report;
            def.tries = 300;
            def.box = scree_box_sized(cases[c].dim, cases[c].size);
            for (int k = 0; k < 3; ++k)
                def.box.periodic[k] = periodic == 1;
            for (int64_t k = 0; k < 3 * s.count; ++k)
                s.x[k] = 7.0;
            CHECK_FAILS(scree_place_random(&def, s.count, s.r, s.x), SCREE_ERR_ARGUMENT);
            for (int64_t k = 0; k < 3 * s.count; ++k)
                assert_true(s.x[k] == 7.0);
            assert_true(report.placed < s.count && report.density < report.density_asked);
            if (report.density_asked < 1.0) {
                char text[200];
                snprintf(text, sizeof text, " in 300 tries; %d of %d spheres were placed, density %.4g of %.4g",
                         (int)report.placed, (int)s.count, report.density, report.density_asked);
                assert_non_null(strstr(scree_error_message(), text));
            } else {
                assert_non_null(strstr(scree_error_message(), "times the volume of the box"));
            }
            assert_true(box_in_message(&def.box));
            def.tries = 1000000;
            CHECK_OK(scree_place_random(&def, s.count, s.r, s.x));
            if (report.tries > 100 * (int64_t)s.count)
                fail_msg("%s in 2D or 3D: %" PRId64 " tries, and it was said to be easy", cases[c].law, report.tries);
            sample_free(&s);
        }
}

// ---- Both ----------------------------------------------------------------------------------------------------------

typedef scree_status (*placer)(const scree_place_def*, int32_t, const double*, double*);

static scree_status place_lattice(const scree_place_def* def, int32_t count, const double* r, double* x)
{
    return scree_place_lattice(def, 0.0, count, r, x);
}

static const placer placers[] = {scree_place_random, place_lattice};

static void wrong_arguments_are_named(void** state)
{
    (void)state;
    for (int p = 0; p < 2; ++p) {
        double r[3] = {0.1, 0.6, 0.1}, x[9];
        scree_place_def def = scree_default_place_def();
        CHECK_FAILS(placers[p](&def, 3, r, x), SCREE_ERR_ARGUMENT, "sphere 1", "diameter", "1.2", "0", "1");
        def.box.periodic[2] = true;
        def.box.upper[0] = def.box.upper[1] = 2.0;
        CHECK_FAILS(placers[p](&def, 3, r, x), SCREE_ERR_ARGUMENT, "sphere 1", "diameter", "1.2", "overlap");
        CHECK_FAILS(placers[p](&def, 3, r, x), SCREE_ERR_ARGUMENT, "1", "axis z");
        r[1] = 0.1;
        r[2] = NAN;
        CHECK_FAILS(placers[p](&def, 3, r, x), SCREE_ERR_ARGUMENT, "sphere 2", "radius", "nan");
        r[2] = -1.0;
        CHECK_FAILS(placers[p](&def, 3, r, x), SCREE_ERR_ARGUMENT, "sphere 2", "radius", "-1");
        r[2] = INFINITY;
        CHECK_FAILS(placers[p](&def, 3, r, x), SCREE_ERR_ARGUMENT, "sphere 2", "radius", "inf");
        r[2] = 1e-200;
        CHECK_FAILS(placers[p](&def, 3, r, x), SCREE_ERR_ARGUMENT);
        r[2] = 0.1;
        CHECK_FAILS(placers[p](&def, -1, r, x), SCREE_ERR_ARGUMENT, "-1");
        CHECK_FAILS(placers[p](&def, 3, NULL, x), SCREE_ERR_ARGUMENT, "r", "NULL");
        CHECK_FAILS(placers[p](&def, 3, r, NULL), SCREE_ERR_ARGUMENT, "x", "NULL");
        def.box = scree_box_open(3);
        CHECK_FAILS(placers[p](&def, 3, r, x), SCREE_ERR_ARGUMENT, "axis x");
        def.box = scree_box_sized(3, (double[3]){1.0, -1.0, 1.0});
        CHECK_FAILS(placers[p](&def, 3, r, x), SCREE_ERR_ARGUMENT, "axis y");
        def = scree_default_place_def();
        def.struct_size = 4;
        CHECK_FAILS(placers[p](&def, 3, r, x), SCREE_ERR_ARGUMENT, "scree_default_place_def");
        def = scree_default_place_def();
        def.tries = 0;
        CHECK_FAILS(placers[p](&def, 3, r, x), SCREE_ERR_ARGUMENT, "0", "tries");
        def.tries = 1;
        def.threads = -1;
        CHECK_FAILS(placers[p](&def, 3, r, x), SCREE_ERR_ARGUMENT, "-1", "threads");
    }
}

static void memory_may_run_out(void** state)
{
    (void)state;
    for (int p = 0; p < 2; ++p) {
        sample s = sample_of("mono:1", 3, 200);
        scree_place_def def = scree_default_place_def();
        def.box = scree_box_sized(3, (double[3]){20.0, 20.0, 20.0});
        s.x[5] = 7.0;
        EACH_ALLOCATION_FAILS(placers[p](&def, s.count, s.r, s.x), assert_true(s.x[5] == 7.0));
        assert_true(s.x[5] != 7.0);
        sample_free(&s);
    }
}

static void watches_are_called_and_obeyed(void** state)
{
    (void)state;
    sample s = sample_of("mono:1", 3, 5000);
    scree_place_report report;
    for (int p = 0; p < 2; ++p)
        for (int stop_at = 0; stop_at < (p == 0 ? 60 : 2); stop_at += p == 0 ? 29 : 1) {
            tick_count l = {.stop_at = stop_at};
            scree_place_def def = scree_default_place_def();
            def.box = scree_box_sized(3, (double[3]){45.0, 45.0, 45.0});
            def.report = &report;
            def.watch = (scree_watch){.tick = rising_tick, .context = &l};
            s.x[0] = 7.0;
            if (stop_at == 0) {
                CHECK_OK(placers[p](&def, s.count, s.r, s.x));
                assert_true(l.count >= (p == 0 ? 200 : 1) && l.count < 1000);
            } else {
                CHECK_FAILS(placers[p](&def, s.count, s.r, s.x), SCREE_ERR_CANCELLED);
                assert_int_equal(l.count, stop_at);
                assert_true(p == 0 || s.x[0] == 7.0);
                assert_true(p == 1 || (report.placed > 0 && report.placed < s.count));
                int32_t there = 0;  // those that have a place: apart from each other, inside; the others nowhere
                for (int32_t i = 0; i < s.count && p == 0; ++i) {
                    const double* a = &s.x[3 * i];
                    assert_true(isnan(a[0]) == isnan(a[1]) && isnan(a[0]) == isnan(a[2]));
                    for (int32_t j = 0; j < i && !isnan(a[0]); ++j) {
                        const double* b = &s.x[3 * j];
                        double dx = a[0] - b[0], dy = a[1] - b[1], dz = a[2] - b[2];
                        assert_false(dx * dx + dy * dy + dz * dz < 4.0);
                    }
                    assert_true(isnan(a[0]) || (a[0] >= 1.0 && a[0] <= 44.0));
                    there += !isnan(a[0]);
                }
                assert_int_equal(there, p == 0 ? report.placed : 0);
            }
        }
    // Also in the middle of a sphere that finds no place.
    tick_count l = {.stop_at = 20};
    scree_place_def def = scree_default_place_def();
    def.box = scree_box_sized(3, (double[3]){3.9, 3.9, 3.9});
    def.tries = INT64_MAX;
    def.watch = (scree_watch){.tick = rising_tick, .context = &l};
    CHECK_FAILS(scree_place_random(&def, 8, s.r, s.x), SCREE_ERR_CANCELLED, "8");
    sample_free(&s);
}

// ---- Lattices ------------------------------------------------------------------------------------------------------

// Series B of Muth et al.: cubes of 8, 13, ... spheres, 2 mm apart.
static void lattices_of_the_benchmark_series(void** state)
{
    (void)state;
    static const int sides[] = {8, 13, 18, 23, 28, 33, 39};
    for (size_t t = 0; t < sizeof sides / sizeof *sides; ++t)
        for (int spelling = 0; spelling < 4; ++spelling) {
            int n = sides[t];
            sample s = sample_of("mono:5e-4", 3, n * n * n);
            scree_place_report report;
            scree_place_def def = scree_default_place_def();
            char text[32];
            snprintf(text, sizeof text, "%de-3", 2 * n);
            double size = spelling % 2 == 0 ? n * 2e-3 : strtod(text, NULL);
            def.box = scree_box_sized(3, (double[3]){size, size, size});
            def.report = &report;
            CHECK_OK(scree_place_lattice(&def, spelling < 2 ? 2e-3 : 0.0, s.count, s.r, s.x));
            CHECK_CLOSE(report.spacing, 2e-3, spelling < 2 ? 0.0 : 1e-18);
            CHECK_CLOSE(report.density, pi / 6.0 / 8.0, 1e-12);
            for (int32_t i = 0; i < s.count; ++i) {
                int at[3] = {i % n, i / n % n, i / n / n};
                for (int k = 0; k < 3; ++k)
                    CHECK_CLOSE(s.x[3 * i + k], (at[k] + 0.5) * 2e-3, spelling < 2 ? 0.0 : 1e-17);
            }
            assert_int_equal(overlaps(&def.box, &s, SCREE_METHOD_HIERARCHICAL_GRID), 0);
            check_inside(&def.box, &s);
            CHECK_FAILS(scree_place_lattice(&def, 2.01e-3, s.count, s.r, s.x), SCREE_ERR_ARGUMENT);
            sample_free(&s);
        }
}

// The spacing chosen is the largest: by trying all that can be, which are L_k / m.
static void lattices_take_the_largest_spacing(void** state)
{
    (void)state;
    scree_rng rng = scree_rng_make(4, 0);
    int rounds = (int)(2000 * test_effort());
    for (int round = 0; round < rounds; ++round) {
        int dim = 2 + round % 2;
        int32_t count = 1 + (int32_t)scree_rng_below(&rng, 300);
        sample s = sample_of("mono:0.5", dim, count);
        scree_place_report report;
        scree_place_def def = scree_default_place_def();
        def.report = &report;
        def.box.dim = dim;
        for (int k = 0; k < dim; ++k) {
            def.box.lower[k] = 20.0 * scree_rng_uniform(&rng) - 10.0;
            def.box.upper[k] = def.box.lower[k] + 1.0 + (round % 3 == 0 ? (double)scree_rng_below(&rng, 20) : 20.0 * scree_rng_uniform(&rng));
            def.box.periodic[k] = scree_rng_below(&rng, 2) == 0;
        }
        double best = 0.0;
        for (int k = 0; k < dim; ++k)
            for (int m = 1; m <= count; ++m) {
                double length = def.box.upper[k] - def.box.lower[k], sites = 1.0;
                for (int e = 0; e < dim; ++e)
                    sites *= floor((def.box.upper[e] - def.box.lower[e]) / (length / m) + 1e-9);
                if (sites >= count)
                    best = fmax(best, length / m);
            }
        scree_status status = scree_place_lattice(&def, 0.0, count, s.r, s.x);
        if (best < 1.0 - 1e-9) {
            assert_int_equal(status, SCREE_ERR_ARGUMENT);
            assert_non_null(strstr(scree_error_message(), "sphere 0 has diameter 1"));
            // The box that is named has room, and one that is smaller by a thousandth has none.
            assert_true(box_in_message(&def.box));
            CHECK_OK(scree_place_lattice(&def, 0.0, count, s.r, s.x));
            CHECK_OK(scree_place_lattice(&def, 1.0, count, s.r, s.x));
            for (int k = 0; k < dim; ++k)
                def.box.upper[k] -= 1e-3 * (def.box.upper[k] - def.box.lower[k]);
            assert_int_equal(scree_place_lattice(&def, 0.0, count, s.r, s.again), SCREE_ERR_ARGUMENT);
        } else if (best > 1.0 + 1e-9) {
            assert_int_equal(status, SCREE_OK);
            CHECK_CLOSE(report.spacing, best, 1e-9);
            check_inside(&def.box, &s);
            assert_int_equal(overlaps(&def.box, &s, SCREE_METHOD_ALL_PAIRS), 0);
            // A little more, and there are too few sites.
            CHECK_FAILS(scree_place_lattice(&def, best * 1.001, count, s.r, s.again), SCREE_ERR_ARGUMENT);
            assert_true(box_in_message(&def.box));
            CHECK_OK(scree_place_lattice(&def, best * 1.001, count, s.r, s.x));
        }
        sample_free(&s);
    }
}

static void lattices_say_why_not(void** state)
{
    (void)state;
    double r[9] = {0.1, 0.1, 0.3, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1}, x[27];
    scree_place_def def = scree_default_place_def();
    CHECK_FAILS(scree_place_lattice(&def, 0.5, 8, r, x), SCREE_ERR_ARGUMENT, "sphere 2", "diameter", "0.6", "spacing", "0.5", "1.2");
    CHECK_FAILS(scree_place_lattice(&def, 0.0, 8, r, x), SCREE_ERR_ARGUMENT, "8", "0.5", "sphere 2", "diameter", "0.6", "1.2");
    r[2] = 0.1;
    CHECK_OK(scree_place_lattice(&def, 0.5, 8, r, x));
    CHECK_FAILS(scree_place_lattice(&def, 0.5, 9, r, x), SCREE_ERR_ARGUMENT, "spacing", "0.5", "8", "9", "1.5", "0.333333");
    CHECK_FAILS(scree_place_lattice(&def, -1.0, 8, r, x), SCREE_ERR_ARGUMENT, "spacing", "-1");
    CHECK_FAILS(scree_place_lattice(&def, NAN, 8, r, x), SCREE_ERR_ARGUMENT, "spacing", "nan");
    // Rows that are not full, and a box that is no multiple.
    def.box = scree_box_sized(2, (double[3]){1.0, 2.3, 0.0});
    def.box.lower[0] = -1.0;
    CHECK_OK(scree_place_lattice(&def, 0.7, 5, r, x));
    static const double wanted[10] = {-0.65, 0.35, 0.05, 0.35, -0.65, 1.05, 0.05, 1.05, -0.65, 1.75};
    for (int k = 0; k < 10; ++k)
        CHECK_CLOSE(x[k], wanted[k], 1e-15);
    // None; and a box without volume.
    CHECK_OK(scree_place_lattice(&def, 0.0, 0, NULL, NULL));
    def.box.upper[1] = 0.0;
    r[0] = 0.0;
    CHECK_FAILS(scree_place_lattice(&def, 0.0, 1, r, x), SCREE_ERR_ARGUMENT);
    CHECK_FAILS(scree_place_lattice(&def, 0.1, 1, r, x), SCREE_ERR_ARGUMENT);
    CHECK_OK(scree_place_lattice(&def, 0.0, 0, NULL, NULL));
}

static const test_case cases[] = {
    UNIT(random_addition_never_overlaps),
    PROPERTY(random_addition_in_small_periodic_boxes),
    UNIT(random_addition_where_there_is_just_room),
    UNIT(random_addition_places_large_spheres_first),
    SAME_BITS(random_addition_keeps_its_bits),
    UNIT(random_addition_goes_around_what_stands_there),
    UNIT(random_addition_has_the_known_densities),
    UNIT(random_addition_says_why_not),
    UNIT(wrong_arguments_are_named),
    ALLOCATION(memory_may_run_out),
    UNIT(watches_are_called_and_obeyed),
    UNIT(lattices_of_the_benchmark_series),
    PROPERTY(lattices_take_the_largest_spacing),
    UNIT(lattices_say_why_not),
};

const test_group group_pack = {.name = "pack", .cases = cases, .count = sizeof cases / sizeof *cases};
