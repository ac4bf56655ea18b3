// Mechanically stable packings: contacts and forces are computed here, by all pairs with all images, from the centres that came out.
#include "pack_support.h"

#include <math.h>

typedef struct balance {
    int64_t contacts, bearing;
    int32_t rattlers;
    double mean, residual, overlap;  // overlap: the largest, a length
} balance;

typedef struct touch {
    int32_t i, j;  // j below 0: a wall
} touch;

static void push(int dim, double* net, int32_t i, int32_t j, double force, const double* n)
{
    for (int k = 0; k < dim; ++k) {
        net[(int64_t)i * dim + k] += force * n[k];
        if (j >= 0)
            net[(int64_t)j * dim + k] -= force * n[k];
    }
}

// Springs k o with k = 2 r_i r_j / (r_i + r_j), in 2D 1; box walls and a round one as partners of the sphere's own size.
static balance reference(const scree_packing* p, const double* r)
{
    const int dim = p->box.dim, round = p->container == SCREE_CONTAINER_BOX ? 0 : p->container == SCREE_CONTAINER_CYLINDER ? 2 : dim;
    balance b = {0};
    double *net = calloc((size_t)p->count * (size_t)dim, sizeof *net), sum = 0.0;
    touch* list = malloc((size_t)p->count * 64 * sizeof *list);
    for (int32_t i = 0; i < p->count; ++i) {
        const double* x = p->x + (int64_t)i * dim;
        for (int32_t j = i + 1; j < p->count; ++j) {
            for (int image = 0; image < 27; ++image) {
                double d[3], square = 0.0, n[3];
                bool there = true;
                for (int k = 0; k < 3; ++k) {
                    int s = image / (k == 0 ? 1 : k == 1 ? 3 : 9) % 3 - 1;
                    there = there && (s == 0 || (k < dim && p->box.periodic[k]));
                    if (k < dim) {
                        d[k] = x[k] - p->x[(int64_t)j * dim + k] - s * (p->box.upper[k] - p->box.lower[k]);
                        square += d[k] * d[k];
                    }
                }
                double o = r[i] + r[j] - sqrt(square), k_ij = dim == 3 ? 2.0 * r[i] * r[j] / (r[i] + r[j]) : 1.0;
                if (!there || !(o > 0.0))
                    continue;
                for (int k = 0; k < dim; ++k)
                    n[k] = d[k] / sqrt(square);
                push(dim, net, i, j, k_ij * o, n);
                sum += k_ij * o;
                b.overlap = fmax(b.overlap, o);
                list[b.contacts++] = (touch){i, j};
            }
        }
        for (int k = round; k < dim; ++k)
            for (int side = 0; side < 2 && !p->box.periodic[k]; ++side) {
                double o = r[i] - (side == 0 ? x[k] - p->box.lower[k] : p->box.upper[k] - x[k]), n[3] = {0.0, 0.0, 0.0};
                n[k] = side == 0 ? 1.0 : -1.0;
                if (!(o > 0.0))
                    continue;
                push(dim, net, i, -1, (dim == 3 ? r[i] : 1.0) * o, n);
                sum += (dim == 3 ? r[i] : 1.0) * o;
                b.overlap = fmax(b.overlap, o);
                list[b.contacts++] = (touch){i, -1};
            }
        double from[3] = {0.0, 0.0, 0.0}, square = 0.0;
        for (int k = 0; k < round; ++k) {
            from[k] = x[k] - 0.5 * (p->box.lower[k] + p->box.upper[k]);
            square += from[k] * from[k];
        }
        double o = sqrt(square) + r[i] - 0.5 * (p->box.upper[0] - p->box.lower[0]);
        if (round > 0 && o > 0.0) {
            double n[3] = {-from[0] / sqrt(square), -from[1] / sqrt(square), -from[2] / sqrt(square)};
            push(dim, net, i, -1, (dim == 3 ? r[i] : 1.0) * o, n);
            sum += (dim == 3 ? r[i] : 1.0) * o;
            b.overlap = fmax(b.overlap, o);
            list[b.contacts++] = (touch){i, -1};
        }
    }
    b.mean = sum / (double)b.contacts;
    for (int32_t i = 0; i < p->count; ++i) {
        double square = 0.0;
        for (int k = 0; k < dim; ++k)
            square += net[(int64_t)i * dim + k] * net[(int64_t)i * dim + k];
        b.residual = fmax(b.residual, sqrt(square) / b.mean);
    }
    bool *gone = calloc((size_t)p->count, 1), more = true;
    while (more) {  // rattlers, round by round
        int32_t* held = calloc((size_t)p->count, sizeof *held);
        more = false;
        b.bearing = 0;
        for (int64_t c = 0; c < b.contacts; ++c)
            if (!gone[list[c].i] && (list[c].j < 0 || !gone[list[c].j])) {
                ++b.bearing;
                ++held[list[c].i];
                if (list[c].j >= 0)
                    ++held[list[c].j];
            }
        for (int32_t i = 0; i < p->count; ++i)
            if (!gone[i] && held[i] < dim + 1) {
                gone[i] = more = true;
                ++b.rattlers;
            }
        free(held);
    }
    free(gone);
    free(net);
    free(list);
    return b;
}

static scree_packing start_of(const char* law, int dim, int axes, int32_t container, int32_t count, double** r)
{
    scree_rearrange_def def = scree_default_rearrange_def();
    def.box = scree_box_sized(dim, (double[3]){1.0, 1.0, 1.0});
    for (int k = 0; k < dim; ++k) {
        def.box.periodic[k] = (axes >> k & 1) == 1;
        def.box.lower[k] = -2.0 * k;
        def.box.upper[k] = def.box.lower[k] + 1.0;
    }
    def.container = container;
    def.tolerance = 1e-3;
    *r = radii(law, dim, count);
    scree_packing p;
    CHECK_OK(scree_pack_rearrange(&def, count, *r, &p));
    return p;
}

static void forces_balance(void** state)
{
    (void)state;
    static const struct {
        const char* law;
        int dim, axes;
        int32_t container, count;
        double overlap;
    } cases[] = {
        {"mono:1", 3, 7, SCREE_CONTAINER_BOX, 150, 1e-5},
        {"uniform-volume:1:6", 3, 7, SCREE_CONTAINER_BOX, 200, 1e-4},
        {"uniform-size:1:2", 3, 0, SCREE_CONTAINER_BOX, 100, 1e-4},
        {"bidisperse:1.4", 2, 3, SCREE_CONTAINER_BOX, 150, 1e-5},
        {"uniform-size:1:3", 2, 1, SCREE_CONTAINER_BOX, 100, 1e-4},
        {"uniform-size:1:2", 3, 4, SCREE_CONTAINER_CYLINDER, 100, 1e-4},
        {"uniform-size:1:2", 2, 0, SCREE_CONTAINER_SPHERE, 60, 1e-4},
    };
    for (size_t t = 0; t < sizeof cases / sizeof *cases; ++t) {
        double* r;
        scree_packing from = start_of(cases[t].law, cases[t].dim, cases[t].axes, cases[t].container, cases[t].count, &r), p;
        scree_stable_def def = scree_default_stable_def();
        def.box = from.box;
        def.container = from.container;
        def.overlap = cases[t].overlap;
        def.threads = 1;
        scree_stability reported;
        CHECK_OK(scree_pack_stable(&def, from.count, r, from.x, &p));
        CHECK_OK(scree_find_stability(&p.box, p.container, 1, (scree_spheres){.count = p.count, .dim = cases[t].dim, .x = p.x, .r = r}, &reported));
        balance b = reference(&p, r);
        int64_t isostatic = (int64_t)cases[t].dim * (p.count - b.rattlers) + 1;
        for (int k = 0; k < cases[t].dim; ++k)
            isostatic -= p.box.periodic[k];
        isostatic -= p.container == SCREE_CONTAINER_BOX ? 0 : p.container == SCREE_CONTAINER_SPHERE && cases[t].dim == 3 ? 3 : 1;
        double excess = (double)(b.bearing - isostatic) / (double)isostatic;
        if (!p.converged || !(b.residual <= 1e-6) || !(excess >= 0.0 && excess < (cases[t].overlap < 5e-5 ? 0.03 : 0.08)))
            fail_msg("case %d: residual %g, %d contacts of %d spheres without %d rattlers; %d would be isostatic", (int)t, b.residual, (int)b.bearing, (int)p.count,
                     (int)b.rattlers, (int)isostatic);
        assert_int_equal(reported.contacts, b.contacts);
        assert_int_equal(reported.bearing, b.bearing);
        assert_int_equal(reported.rattlers, b.rattlers);
        assert_int_equal(reported.isostatic, isostatic);
        assert_true(fabs(reported.force / b.mean - 1.0) < 1e-6 && reported.residual <= 1e-6 && fabs(p.max_overlap - b.overlap) < 1e-9 * r[0]);
        assert_true(reported.overlap > 0.6 * def.overlap && reported.overlap < 1.6 * def.overlap);
        assert_true(fabs(packing_density(&p.box, p.container, p.count, r) - p.density) < 1e-9);
        scree_stability again;
        CHECK_OK(scree_find_stability(&p.box, p.container, 2, (scree_spheres){.count = p.count, .dim = cases[t].dim, .x = p.x, .r = r}, &again));
        assert_memory_equal(&again, &reported, sizeof again);
        scree_packing_free(&p);
        scree_packing_free(&from);
        free(r);
    }
}

// The larger set is worked on by several threads.
static void bits_depend_on_the_packing_alone(void** state)
{
    (void)state;
    double* r;
    scree_packing from = start_of("uniform-size:1:2", 3, 7, SCREE_CONTAINER_BOX, 2001, &r), first = {0};
    static const int32_t methods[] = {SCREE_METHOD_HIERARCHICAL_GRID, SCREE_METHOD_LOOSE_OCTREE, SCREE_METHOD_LINKED_CELLS};
    for (int t = 0; t < 3; ++t) {
        scree_stable_def def = scree_default_stable_def();
        def.box = from.box;
        def.overlap = 2e-3;
        def.tolerance = 1e-2;
        def.sweeps = 250;
        def.method = methods[t];
        def.threads = t + 1;
        scree_packing p;
        CHECK_OK(scree_pack_stable(&def, from.count, r, from.x, &p));
        if (t == 0) {
            first = p;
            continue;
        }
        assert_int_equal(p.sweeps, first.sweeps);
        assert_memory_equal(p.x, first.x, (size_t)p.count * 3 * sizeof *p.x);
        assert_memory_equal(&p.box, &first.box, sizeof p.box);
        scree_packing_free(&p);
    }
    scree_packing_free(&first);
    scree_packing_free(&from);
    free(r);
}

// Saved in the sweeps of FIRE, with few and with all steps remembered, in a later stage and in the last one.
static void saved_ones_go_on(void** state)
{
    (void)state;
    static const struct {
        const char* law;
        int dim, axes;
        int32_t container;
        int64_t at;  // step, counted from 1; FIRE takes the first 200
    } cases[] = {{"uniform-volume:1:5", 3, 7, SCREE_CONTAINER_BOX, 7},   {"uniform-volume:1:5", 3, 7, SCREE_CONTAINER_BOX, 204},
                 {"uniform-volume:1:5", 3, 7, SCREE_CONTAINER_BOX, 900}, {"bidisperse:1.4", 2, 1, SCREE_CONTAINER_BOX, 300},
                 {"uniform-size:1:2", 3, 4, SCREE_CONTAINER_CYLINDER, 400}};
    for (size_t t = 0; t < sizeof cases / sizeof *cases; ++t) {
        const int dim = cases[t].dim;
        double* r;
        scree_packing from = start_of(cases[t].law, dim, cases[t].axes, cases[t].container, 120, &r), plain, saving, resumed;
        scree_stable_def def = scree_default_stable_def();
        def.box = from.box;
        def.container = from.container;
        def.overlap = 1e-3;
        def.threads = 1;
        kept_state k = {.keep_at = cases[t].at};
        CHECK_OK(scree_pack_stable(&def, from.count, r, from.x, &plain));
        def.saver = (scree_pack_saver){.save = keep_state, .context = &k, .seconds = 0.0};
        CHECK_OK(scree_pack_stable(&def, from.count, r, from.x, &saving));
        if (!(k.size > 0 && k.calls > cases[t].at + 20) || !plain.converged)
            fail_msg("case %d: %d steps, saved at %d: choose an earlier one", (int)t, (int)k.calls, (int)cases[t].at);
        assert_true(k.size <= 764u * 120u + 2048u);
        def.saver.save = NULL;
        def.resume = (scree_bytes){k.data, k.size};
        def.threads = 2;
        def.method = SCREE_METHOD_LOOSE_OCTREE;
        CHECK_OK(scree_pack_stable(&def, from.count, r, from.x, &resumed));
        for (int w = 0; w < 2; ++w) {
            const scree_packing* p = w == 0 ? &saving : &resumed;
            assert_int_equal(p->sweeps, plain.sweeps);
            assert_int_equal(p->rebuilds, plain.rebuilds);
            assert_memory_equal(p->x, plain.x, (size_t)p->count * (size_t)dim * sizeof *p->x);
            assert_memory_equal(&p->box, &plain.box, sizeof p->box);
        }
        scree_packing_free(&resumed);
        if (t == 1) {  // of another packing; of other settings; cut short; changed; not of this kind
            from.x[0] += 1e-9;
            CHECK_FAILS(scree_pack_stable(&def, from.count, r, from.x, &resumed), SCREE_ERR_ARGUMENT, "120", "other");
            from.x[0] = NAN;
            CHECK_FAILS(scree_pack_stable(&def, from.count, r, from.x, &resumed), SCREE_ERR_ARGUMENT, "sphere 0");
            from.x[0] = plain.x[0];
            def.overlap = 2e-3;
            CHECK_FAILS(scree_pack_stable(&def, from.count, r, from.x, &resumed), SCREE_ERR_ARGUMENT, "stable packing", "settings");
            def.resume.size = k.size - 1;
            CHECK_FAILS(scree_pack_stable(&def, from.count, r, from.x, &resumed), SCREE_ERR_FORMAT, "bytes", "expected");
            def.resume.size = k.size;
            k.data[k.size - 9] ^= 4;
            CHECK_FAILS(scree_pack_stable(&def, from.count, r, from.x, &resumed), SCREE_ERR_FORMAT, "checksum", "changed");
            def.resume.data = NULL;
            def.saver.seconds = -1.0;
            CHECK_FAILS(scree_pack_stable(&def, from.count, r, from.x, &resumed), SCREE_ERR_ARGUMENT, "saver.seconds", "-1");
        }
        scree_packing_free(&plain);
        scree_packing_free(&saving);
        scree_packing_free(&from);
        free(k.data);
        free(r);
    }
}

// From a loose packing, from one that overlaps, and from few spheres.
static void any_start_will_do(void** state)
{
    (void)state;
    enum { count = 60 };
    double *r = radii("uniform-size:1:1.5", 3, count), x[3 * count];
    scree_place_def place = scree_default_place_def();
    place.box = scree_box_sized(3, (double[3]){14.0, 14.0, 14.0});
    for (int k = 0; k < 3; ++k)
        place.box.periodic[k] = true;
    CHECK_OK(scree_place_random(&place, count, r, x));
    for (int t = 0; t < 3; ++t) {
        scree_stable_def def = scree_default_stable_def();
        def.box = place.box;
        def.overlap = 1e-4;
        if (t == 1)
            for (int k = 0; k < 3; ++k)
                def.box.upper[k] = 7.0;
        for (int e = 0; e < 3 * count && t == 1; ++e)
            x[e] *= 0.5;
        scree_packing p;
        int32_t n = t == 2 ? 1 : count;
        CHECK_OK(scree_pack_stable(&def, n, r, x, &p));
        if (t < 2) {
            assert_true(p.converged && p.density > 0.55 && p.density < 0.75);
            assert_true(reference(&p, r).residual <= 1e-6);
        }
        scree_packing_free(&p);
    }
    free(r);
}

static void limits_and_errors(void** state)
{
    (void)state;
    double r[2] = {1.0, 1.0}, x[6] = {1.5, 1.5, 1.5, 3.0, 3.0, 3.0};
    scree_stable_def def = scree_default_stable_def();
    def.box = scree_box_sized(3, (double[3]){5.0, 5.0, 5.0});
    scree_packing p;
    def.overlap = 0.0;
    CHECK_FAILS(scree_pack_stable(&def, 2, r, x, &p), SCREE_ERR_ARGUMENT, "overlap", "0");
    def.overlap = 1e-5;
    def.sweeps = -1;
    CHECK_FAILS(scree_pack_stable(&def, 2, r, x, &p), SCREE_ERR_ARGUMENT, "sweeps", "-1");
    def.sweeps = 3;
    x[3] = 6.0;
    CHECK_FAILS(scree_pack_stable(&def, 2, r, x, &p), SCREE_ERR_ARGUMENT, "sphere 1", "6");
    x[3] = 3.0;
    CHECK_OK(scree_pack_stable(&def, 2, r, x, &p));
    assert_true(!p.converged);
    scree_packing_free(&p);
    CHECK_OK(scree_pack_stable(&def, 0, NULL, NULL, &p));
    assert_true(p.converged && p.count == 0);
    scree_packing_free(&p);
}

static void no_memory(void** state)
{
    (void)state;
    double* r;
    scree_packing from = start_of("mono:1", 3, 7, SCREE_CONTAINER_BOX, 30, &r);
    scree_stable_def def = scree_default_stable_def();
    def.box = from.box;
    def.overlap = 1e-2;
    def.tolerance = 1e-2;
    for (int64_t n = 1;; ++n) {
        scree_packing p;
        scree_memory_fail_at(n);
        scree_status status = scree_pack_stable(&def, 30, r, from.x, &p);
        int64_t used = scree_memory_fail_at(0);
        if (status == SCREE_OK) {
            assert_true(used < n);
            scree_packing_free(&p);
            break;
        }
        assert_int_equal(status, SCREE_ERR_MEMORY);
        assert_null(p.x);
    }
    scree_packing_free(&from);
    free(r);
}

static const test_case cases[] = {
    UNIT(forces_balance), THREADS(bits_depend_on_the_packing_alone), SAME_BITS(saved_ones_go_on), UNIT(any_start_will_do), UNIT(limits_and_errors), ALLOCATION(no_memory),
};

const test_group group_stable = {.name = "stable", .cases = cases, .count = sizeof cases / sizeof *cases};
