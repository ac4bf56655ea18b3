// Compression: pressure, balance and contacts of the packing are worked out here from its centres alone, over all pairs and images.
#include "pack_support.h"
#include "sim_support.h"

#include "scree/pack.h"

static scree_compress_def def_of(int dim, int axes)
{
    scree_compress_def def = scree_default_compress_def();
    def.box = scree_box_sized(dim, (double[3]){1.0, 1.0, 1.0});
    def.start_density = dim == 2 ? 0.4 : 0.3;
    for (int k = 0; k < dim; ++k)
        def.box.periodic[k] = (axes >> k & 1) == 1;
    return def;
}

// What springs of stiffness 1 between overlapping spheres, and between spheres and walls, add up to.
typedef struct statics {
    double pressure;      // by the virial
    double wall_pressure; // forces on walls by their areas; 0 without walls
    double imbalance;     // net by contact forces, roots of mean squares
    double overlap;       // the largest, a length
    double relative;      // the largest in smaller diameters
    double coordination;  // of the spheres that are held
    double held;          // share of the spheres
} statics;

static void add_force(double (*force)[3], int32_t i, const double n[3], double f, int dim)
{
    for (int k = 0; k < dim; ++k)
        force[i][k] += f * n[k];
}

static statics statics_of(const scree_packing* p, const double* r)
{
    int dim = p->box.dim;
    int32_t n = p->count;
    double (*force)[3] = calloc((size_t)n, sizeof *force), squares = 0.0, virial = 0.0, walls = 0.0, area = 0.0;
    int32_t (*pair)[2] = malloc((size_t)n * 100 * sizeof *pair);
    int32_t* touching = calloc((size_t)n, sizeof *touching);
    int64_t contacts = 0, pairs = 0;
    statics s = {0};
    for (int32_t i = 0; i < n; ++i)
        for (int32_t j = i + 1; j < n; ++j) {
            double d[3] = {0}, square = 0.0;
            for (int k = 0; k < dim; ++k) {
                double length = p->box.upper[k] - p->box.lower[k];
                d[k] = p->x[(int64_t)i * dim + k] - p->x[(int64_t)j * dim + k];
                if (p->box.periodic[k])  // the box holds several spheres: one image at most
                    d[k] -= rint(d[k] / length) * length;
                square += d[k] * d[k];
            }
            double overlap = r[i] + r[j] - sqrt(square);
            if (!(overlap > 0.0))
                continue;
            for (int k = 0; k < dim; ++k)
                d[k] /= sqrt(square);
            add_force(force, i, d, overlap, dim);
            add_force(force, j, d, -overlap, dim);
            virial += overlap * sqrt(square);
            squares += overlap * overlap;
            s.overlap = fmax(s.overlap, overlap);
            s.relative = fmax(s.relative, overlap / (2.0 * fmin(r[i], r[j])));
            ++contacts;
            assert_true(pairs < (int64_t)n * 100);
            pair[pairs][0] = i;
            pair[pairs++][1] = j;
        }
    for (int32_t i = 0; i < n; ++i)
        for (int face = 0; face < 2 * dim; ++face) {
            int k = face / 2;
            double side = face & 1 ? -1.0 : 1.0, free = side * (p->x[(int64_t)i * dim + k] - (face & 1 ? p->box.upper : p->box.lower)[k]);
            if (p->box.periodic[k] || !(r[i] - free > 0.0))
                continue;
            force[i][k] += side * (r[i] - free);
            virial += (r[i] - free) * free;
            walls += r[i] - free;
            squares += (r[i] - free) * (r[i] - free);
            s.overlap = fmax(s.overlap, r[i] - free);
            s.relative = fmax(s.relative, (r[i] - free) / (2.0 * r[i]));
            ++contacts;
        }
    double volume = scree_box_volume(&p->box), net = 0.0;
    for (int k = 0; k < dim; ++k)
        area += p->box.periodic[k] ? 0.0 : 2.0 * volume / (p->box.upper[k] - p->box.lower[k]);
    for (int32_t i = 0; i < n; ++i)
        for (int k = 0; k < dim; ++k)
            net += force[i][k] * force[i][k];
    s.pressure = virial / (dim * volume);
    s.wall_pressure = area > 0.0 ? walls / area : 0.0;
    s.imbalance = sqrt(net / n / (squares / (double)contacts));
    // Spheres with fewer than dim + 1 partners hold nothing; without them others lose partners, and so on.
    bool* out = calloc((size_t)n, sizeof *out);
    int32_t held = n;
    for (bool again = true; again;) {
        again = false;
        memset(touching, 0, (size_t)n * sizeof *touching);
        for (int64_t q = 0; q < pairs; ++q)
            if (!out[pair[q][0]] && !out[pair[q][1]]) {
                ++touching[pair[q][0]];
                ++touching[pair[q][1]];
            }
        for (int32_t i = 0; i < n; ++i)
            if (!out[i] && touching[i] < dim + 1) {
                out[i] = again = true;
                --held;
            }
    }
    for (int32_t i = 0; i < n; ++i)
        s.coordination += out[i] ? 0.0 : touching[i];
    s.coordination /= held;
    s.held = (double)held / n;
    free(out);
    free(touching);
    free(pair);
    free(force);
    return s;
}

static double mean_diameter(const double* r, int32_t n)
{
    double sum = 0.0;
    for (int32_t i = 0; i < n; ++i)
        sum += 2.0 * r[i] / n;
    return sum;
}

static void packings_bear_their_pressure(void** state)
{
    (void)state;
    static const struct {
        const char* law;
        int dim, axes;
        int32_t count;
        double pressure, least, most;
    } cases[] = {
        {"mono:1", 3, 7, 400, 1e-3, 0.625, 0.652},
        {"mono:0.01", 3, 0, 300, 1e-3, 0.52, 0.62},   // layers at walls count
        {"bidisperse:1.4", 3, 7, 400, 1e-4, 0.635, 0.66},
        {"bidisperse:1.4", 2, 3, 500, 1e-4, 0.83, 0.85},
        {"uniform-size:1:3", 2, 1, 300, 1e-3, 0.78, 0.87},
        {"uniform-volume:1:5", 3, 7, 300, 1e-2, 0.66, 0.76},
        {"lognormal:1e100:0.3", 2, 3, 200, 1e-3, 0.81, 0.89},
    };
    for (size_t t = 0; t < sizeof cases / sizeof *cases; ++t) {
        int32_t count = cases[t].count, dim = cases[t].dim;
        double* r = radii(cases[t].law, dim, count);
        scree_compress_def def = def_of(dim, cases[t].axes);
        def.pressure = cases[t].pressure;
        def.box.lower[0] = -0.25;
        scree_packing p;
        CHECK_OK(scree_pack_compress(&def, count, r, &p));
        statics s = statics_of(&p, r);
        double unit = pow(mean_diameter(r, count), dim - 2);
        // Wider than the tolerance of the def by what net forces that are not quite 0 do to the virial.
        if (!p.converged || fabs(s.pressure * unit / def.pressure - 1.0) > 0.012 || s.imbalance > 0.0101 ||
            !(p.density >= cases[t].least && p.density <= cases[t].most))
            fail_msg("case %d, %s: pressure %g, asked %g; imbalance %g; density %.5f, wanted %g to %g", (int)t, cases[t].law,
                     s.pressure * unit, def.pressure, s.imbalance, p.density, cases[t].least, cases[t].most);
        if (s.wall_pressure > 0.0 && cases[t].axes == 0)
            CHECK_CLOSE(s.wall_pressure / s.pressure, 1.0, 0.02);
        CHECK_CLOSE(p.max_overlap / s.overlap, 1.0, 1e-6);
        CHECK_CLOSE(p.overlap_left / s.relative, 1.0, 1e-6);
        // Jammed: at least as many contacts as it takes, and not many more at so small a pressure.
        if (cases[t].axes == (1 << dim) - 1 && !(s.coordination > 2.0 * dim - 0.25 && s.coordination < 2.0 * dim + 0.15 + 12.0 * sqrt(def.pressure)))
            fail_msg("case %d, %s: %.3f contacts for each sphere that is held", (int)t, cases[t].law, s.coordination);
        assert_true(s.held > 0.7 || cases[t].axes != (1 << dim) - 1);  // walls are not counted as partners
        for (int k = 0; k < dim; ++k)
            assert_true(p.box.lower[k] == def.box.lower[k] && p.box.periodic[k] == def.box.periodic[k]);
        scree_packing_free(&p);
        free(r);
    }
}

static void bits_depend_on_the_seed_alone(void** state)
{
    (void)state;
    static const struct {
        int threads, method;
        uint64_t seed;
    } cases[] = {{1, SCREE_METHOD_AUTO, 3}, {2, SCREE_METHOD_LINKED_CELLS, 3}, {7, SCREE_METHOD_HIERARCHICAL_GRID, 3},
                 {2, SCREE_METHOD_LOOSE_OCTREE, 3}, {1, SCREE_METHOD_ALL_PAIRS, 3}, {1, SCREE_METHOD_AUTO, 4}};
    enum { count = 150 };
    double* r = radii("uniform-size:1:2", 3, count);
    scree_packing first = {0};
    for (size_t t = 0; t < (test_is_small() ? 2 : sizeof cases / sizeof *cases); ++t) {
        scree_compress_def def = def_of(3, 5);
        def.pressure = 1e-2;
        def.threads = cases[t].threads;
        def.method = cases[t].method;
        def.seed = cases[t].seed;
        scree_packing p;
        CHECK_OK(scree_pack_compress(&def, count, r, &p));
        if (t == 0)
            first = p;
        else
            assert_int_equal(memcmp(p.x, first.x, count * 3 * sizeof *p.x) == 0 && p.box.upper[0] == first.box.upper[0], cases[t].seed == 3);
        if (t > 0)
            scree_packing_free(&p);
    }
    scree_packing_free(&first);
    free(r);
}

static bool few_ticks(void* context, double done)
{
    assert_true(done >= 0.0 && done <= 1.0);
    return --*(int*)context > 0;
}

static void stopped_and_few(void** state)
{
    (void)state;
    double* r = radii("mono:1", 3, 200);
    scree_packing p;
    for (int ticks = 1; ticks < 2000; ticks *= 10) {
        int left = ticks;
        scree_compress_def def = def_of(3, 7);
        def.tolerance = 1e-6;
        def.watch = (scree_watch){.tick = few_ticks, .context = &left};
        CHECK_FAILS(scree_pack_compress(&def, 200, r, &p), SCREE_ERR_CANCELLED);
        assert_true(!p.converged && (p.x != NULL || ticks < 1000));
        scree_packing_free(&p);
    }
    scree_compress_def def = def_of(3, 7);
    def.steps = 100;
    CHECK_OK(scree_pack_compress(&def, 200, r, &p));
    assert_true(!p.converged && p.sweeps == 100);
    scree_packing_free(&p);
    CHECK_OK(scree_pack_compress(&def, 0, r, &p));
    assert_int_equal(p.count, 0);
    scree_packing_free(&p);
    def.steps = 20000;
    for (int32_t n = 1; n < 4; ++n) {  // pressed until a sphere fills its walls, or would meet its own image
        def = def_of(3, n == 3 ? 7 : 0);
        def.steps = 20000;
        scree_status status = scree_pack_compress(&def, n, r, &p);
        assert_true(status == SCREE_OK || status == SCREE_ERR_ARGUMENT);
        scree_packing_free(&p);
    }
    free(r);
}

static void errors_name_what_is_wrong(void** state)
{
    (void)state;
    double r[3] = {1.0, 1.0, 1.0}, bad[3] = {1.0, 0.0, 1.0};
    scree_packing p;
    scree_compress_def def = def_of(3, 7);
#define REFUSED(change, text)                                                       \
    do {                                                                            \
        def = def_of(3, 7);                                                         \
        change;                                                                     \
        CHECK_FAILS(scree_pack_compress(&def, 3, r, &p), SCREE_ERR_ARGUMENT, text); \
        assert_null(p.x);                                                           \
    } while (0)
    REFUSED(def.struct_size = 0, "scree_default_compress_def");
    REFUSED(def.pressure = 0.0, "pressure");
    REFUSED(def.pressure = NAN, "pressure");
    REFUSED(def.rate = -1.0, "rate");
    REFUSED(def.restitution = 1.5, "restitution");
    REFUSED(def.start_density = 0.9, "density");
    REFUSED(def.tolerance = 0.0, "tolerance");
    REFUSED(def.seconds = -1.0, "seconds");
    REFUSED(def.steps = -1, "steps");
    REFUSED(def.threads = -1, "threads");
    REFUSED(def.method = 99, "method");
    REFUSED(def.box.upper[2] = 0.0, "axis z");
#undef REFUSED
    def = def_of(3, 7);
    CHECK_FAILS(scree_pack_compress(&def, -1, r, &p), SCREE_ERR_ARGUMENT);
    CHECK_FAILS(scree_pack_compress(&def, 3, NULL, &p), SCREE_ERR_ARGUMENT, "NULL");
    CHECK_FAILS(scree_pack_compress(&def, 3, bad, &p), SCREE_ERR_ARGUMENT, "sphere 1");
}

static void no_memory(void** state)
{
    (void)state;
    double* r = radii("uniform-size:1:2", 3, 40);
    scree_compress_def def = def_of(3, 3);
    def.threads = 1;
    def.steps = 400;
    scree_packing p;
    EACH_ALLOCATION_FAILS(scree_pack_compress(&def, 40, r, &p), assert_null(p.x));
    scree_packing_free(&p);
    // With a watch the density is predicted too: among the first twenty allocations are those of the prediction, and behind it all is as above.
    tick_count ticks = {.stop_at = 0};
    def.watch = (scree_watch){.tick = rising_tick, .context = &ticks};
    for (int64_t n = 1; n <= 20; ++n) {
        scree_memory_fail_at(n);
        scree_status status = scree_pack_compress(&def, 40, r, &p);
        assert_true(scree_memory_fail_at(0) >= n);
        assert_int_equal(status, SCREE_ERR_MEMORY);
        assert_null(p.x);
    }
    free(r);
}

// ---- scree_sim_scale -------------------------------------------------------------------------------------------------

// A simulation that was scaled has the forces of one that was made like that, and goes on like it; its contacts are those of all pairs at
// every step (def.check), also when many small scalings share a list.
static void a_scaled_simulation_is_as_made_so(void** state)
{
    (void)state;
    for (int t = 0; t < 12; ++t) {
        int dim = 2 + t % 2, periodic = t / 2 % 2;
        int32_t count = 200;
        scree_sphere_set set = sim_gas(dim, count, 3.0, 0.3, periodic == 1, (uint64_t)t + 1);
        double* v = sim_thermal(scree_sphere_set_view(&set), 1e-4, 7);
        scree_sim_def def = scree_default_sim_def();
        def.box = set.box;
        def.stiffness = 1.0;
        def.restitution = t / 4 == 1 ? 0.7 : 0.0;
        def.order_every = 50;
        def.check = true;
        scree_sim *sim, *fresh;
        CHECK_OK(scree_sim_create(&def, scree_sphere_set_view(&set), v, &sim));
        scree_rng rng = scree_rng_make((uint64_t)t, 0);
        for (int round = 0; round < 40; ++round) {
            double centres = round % 10 == 0 ? sim_between(&rng, 0.9, 1.05) : 1.0 + sim_between(&rng, -2e-3, 5e-4);
            scree_box box = scree_sim_get_box(sim);
            CHECK_OK(scree_sim_scale(sim, centres, 0.9));
            scree_box now = scree_sim_get_box(sim);
            for (int k = 0; k < dim; ++k) {
                assert_true(now.lower[k] == box.lower[k]);
                CHECK_CLOSE(now.upper[k] - now.lower[k], (box.upper[k] - box.lower[k]) * centres, 1e-12);
            }
            CHECK_OK(scree_sim_validate(sim));
            CHECK_OK(scree_sim_run(sim, 7));
        }
        // The same state in a simulation of the box as it is now goes on bit by bit.
        sim_copy at = sim_copy_make(count, dim), later = sim_copy_make(count, dim);
        CHECK_OK(sim_copy_get(sim, &at));
        def.box = scree_sim_get_box(sim);
        memcpy(set.x, at.x, (size_t)count * (size_t)dim * sizeof *set.x);
        CHECK_OK(scree_sim_create(&def, scree_sphere_set_view(&set), v, &fresh));
        CHECK_OK(sim_copy_set(fresh, &at));
        CHECK_OK(scree_sim_run(sim, 60));
        CHECK_OK(scree_sim_run(fresh, 60));
        assert_true(scree_sim_hash(sim) == scree_sim_hash(fresh));
        CHECK_OK(sim_copy_get(sim, &later));
        assert_true(memcmp(at.x, later.x, sizeof *at.x) != 0);
        sim_copy_free(&at);
        sim_copy_free(&later);
        scree_sim_destroy(sim);
        scree_sim_destroy(fresh);
        scree_sphere_set_free(&set);
        free(v);
    }
}

static void scaling_refuses(void** state)
{
    (void)state;
    scree_sphere_set set = sim_gas(3, 30, 2.0, 0.2, true, 1);
    scree_sim_def def = scree_default_sim_def();
    def.box = set.box;
    def.stiffness = 1.0;
    scree_sim* sim;
    CHECK_OK(scree_sim_create(&def, scree_sphere_set_view(&set), NULL, &sim));
    uint64_t hash = scree_sim_hash(sim);
    CHECK_FAILS(scree_sim_scale(sim, 0.0, 1.0), SCREE_ERR_ARGUMENT, "factors");
    CHECK_FAILS(scree_sim_scale(sim, NAN, 1.0), SCREE_ERR_ARGUMENT, "factors");
    CHECK_FAILS(scree_sim_scale(sim, 1.0, -1.0), SCREE_ERR_ARGUMENT, "factors");
    CHECK_FAILS(scree_sim_scale(sim, 1e-3, 1.0), SCREE_ERR_ARGUMENT, "diameter");
    assert_true(scree_sim_hash(sim) == hash);
    scree_sim_destroy(sim);
    def.box = scree_box_open(3);
    CHECK_OK(scree_sim_create(&def, scree_sphere_set_view(&set), NULL, &sim));
    CHECK_FAILS(scree_sim_scale(sim, 0.5, 1.0), SCREE_ERR_ARGUMENT);
    scree_sim_destroy(sim);
    scree_sphere_set_free(&set);
}

// The figures of the documents.
static void large_packings_reach_their_densities(void** state)
{
    (void)state;
    static const struct {
        const char* law;
        int dim;
        double jammed, within;
    } cases[] = {{"mono:1", 3, 0.639, 0.005}, {"bidisperse:1.4", 3, 0.648, 0.004}, {"bidisperse:1.4", 2, 0.8415, 0.003}};
    int32_t count = test_effort() < 4.0 ? 1000 : 4000;
    for (size_t t = test_effort() < 4.0 ? 2 : 0; t < sizeof cases / sizeof *cases; ++t) {
        double* r = radii(cases[t].law, cases[t].dim, count);
        scree_compress_def def = def_of(cases[t].dim, 7);
        scree_packing p;
        CHECK_OK(scree_pack_compress(&def, count, r, &p));
        assert_true(p.converged);
        CHECK_CLOSE(p.density, cases[t].jammed, cases[t].within);
        scree_packing_free(&p);
        free(r);
    }
}

static const test_case cases[] = {
    UNIT(packings_bear_their_pressure),
    THREADS(bits_depend_on_the_seed_alone),
    UNIT(stopped_and_few),
    UNIT(errors_name_what_is_wrong),
    ALLOCATION(no_memory),
    UNIT(a_scaled_simulation_is_as_made_so),
    UNIT(scaling_refuses),
    UNIT(large_packings_reach_their_densities),
};

const test_group group_compress = {.name = "compress", .cases = cases, .count = sizeof cases / sizeof *cases};
