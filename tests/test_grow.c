// Packings by growth of hard spheres: checked pair by pair, by the pressure and contacts of jammed packings, and for the same bits. test_event.c has their motion.
#include "event_support.h"

#include "event/system.h"
#include "scree/event.h"
#include "scree/index.h"
#include "scree/measure.h"
#include "scree/pack.h"
#include "scree/sizes.h"

// ---- Packings ------------------------------------------------------------------------------------------------------------

// No overlap, by all pairs with all images; inside the box; density as reported.
static void check_valid(const scree_grow_def* def, const scree_growth* g, int32_t count, const double* r)
{
    assert_int_equal(g->count, count);
    check_packing(&def->box, &g->box, SCREE_CONTAINER_BOX, count, g->x, r, g->density);
}

enum { REACHED = 1, CONVERGED = 2, JAMMED = 4 };  // how a growth ends

// Grows the spheres, and checks the packing and how it ended. Free it with scree_growth_free.
static scree_growth grow(const scree_grow_def* def, int32_t count, const double* r, int ended)
{
    scree_growth g;
    CHECK_OK(scree_pack_grow(def, count, r, &g));
    if (count > 0)
        check_valid(def, &g, count, r);
    assert_int_equal((g.reached ? REACHED : 0) + (g.converged ? CONVERGED : 0) + (g.jammed ? JAMMED : 0), ended);
    return g;
}

static scree_grow_def def_of(int dim, int axes)
{
    scree_grow_def def = scree_default_grow_def();
    def.box = scree_box_sized(dim, (double[3]){1.0, 1.0, 1.0});
    for (int k = 0; k < dim; ++k)
        def.box.periodic[k] = (axes >> k & 1) == 1;
    return def;
}

static void packings_are_valid(void** state)
{
    (void)state;
    static const struct {
        const char* law;
        int dim, axes;
        int32_t count;
        double density, rate, start, lower, shape[3];
    } cases[] = {
        {"mono:1", 3, 7, 500, 0.6, 0.1, 0.25, 0.0, {1.0, 1.0, 1.0}},
        {"mono:1", 3, 0, 500, 0.5, 0.1, 0.25, -3.0, {1.0, 1.0, 1.0}},
        {"mono:1", 3, 3, 300, 0.55, 0.1, 0.0, 5.0, {1.0, 2.0, 0.5}},
        {"uniform-volume:1:10", 3, 7, 800, 0.65, 0.1, 0.25, 0.0, {1.0, 1.0, 1.0}},
        {"uniform-volume:1:10", 3, 0, 800, 0.55, 0.1, 0.25, 0.0, {1.0, 1.0, 1.0}},
        {"bidisperse:10", 3, 7, 2002, 0.6, 0.2, 0.25, 0.0, {1.0, 1.0, 1.0}},
        {"bidisperse:1.4", 2, 3, 400, 0.8, 0.05, 0.35, 0.0, {1.0, 1.0, 0.0}},
        {"uniform-size:1:3", 2, 1, 300, 0.75, 0.05, 0.35, -2.0, {3.0, 1.0, 0.0}},
        {"uniform-size:1:3", 2, 0, 300, 0.7, 0.05, 0.0, 1e3, {1.0, 1.0, 0.0}},
        {"lognormal:1e100:0.5", 3, 7, 300, 0.6, 0.1, 0.25, 0.0, {1.0, 1.0, 1.0}},
        {"lognormal:1e-100:0.5", 2, 3, 300, 0.75, 0.1, 0.25, 0.0, {1.0, 1.0, 0.0}},
        {"mono:1", 3, 7, 1, 0.3, 0.1, 0.25, 0.0, {1.0, 1.0, 1.0}},
        {"mono:1", 3, 7, 2, 0.3, 0.1, 0.25, 0.0, {1.0, 1.0, 1.0}},
        {"mono:1", 3, 0, 3, 0.1, 0.1, 0.25, 0.0, {1.0, 1.0, 1.0}},
        {"mono:1", 3, 0, 0, 0.1, 0.1, 0.25, 0.0, {1.0, 1.0, 1.0}},
    };
    for (size_t t = 0; t < sizeof cases / sizeof *cases; ++t) {
        int32_t count = cases[t].count;
        double* r = radii(cases[t].law, cases[t].dim, count);
        scree_grow_def def = def_of(cases[t].dim, cases[t].axes);
        for (int k = 0; k < cases[t].dim; ++k) {
            def.box.lower[k] = cases[t].lower * (k + 1);
            def.box.upper[k] = def.box.lower[k] + cases[t].shape[k];
        }
        def.density = cases[t].density;
        def.rate = cases[t].rate;
        def.start_density = cases[t].start;
        scree_growth g = grow(&def, count, r, REACHED + CONVERGED);
        if (count > 0)
            CHECK_CLOSE(g.density, cases[t].density, 1e-9);
        scree_growth_free(&g);
        free(r);
    }
}

// A box that is given stays as it is, to the last bit.
static void a_given_box_is_kept(void** state)
{
    (void)state;
    enum { count = 200 };
    double* r = radii("uniform-size:1:2", 3, count);
    scree_grow_def def = def_of(3, 5);
    for (int k = 0; k < 3; ++k) {
        def.box.lower[k] = 0.1 * k - 7.3;
        def.box.upper[k] = def.box.lower[k] + 18.0 + 0.7 * k;
    }
    def.rate = 0.1;
    scree_growth g = grow(&def, count, r, REACHED + CONVERGED);
    assert_memory_equal(&g.box, &def.box, sizeof g.box);
    scree_growth_free(&g);
    free(r);
}

// Contacts and the split second peak of g(r), as random close packings have them: g(1.73) > g(1.60) + 0.4, g(1.99) > 1.5 > g(2.05) + 0.4, and 5.8 to 6.2 contacts
// within 1e-3, rattlers left out. Small systems are noisy, and have fewer contacts.
static void check_jammed(scree_box box, int32_t count, const double* x, const double* r, bool full)
{
    scree_measure_def measure = scree_default_measure_def();
    measure.box = box;
    measure.r_max = 2.5;
    measure.r_bins = 250;
    scree_measures m;
    CHECK_OK(scree_measure(&measure, (scree_spheres){.count = count, .dim = 3, .x = x, .r = r}, &m));
    CHECK_CLOSE(m.contacts.backbone_coordination, full ? 6.0 : 5.75, full ? 0.2 : 0.35);
    assert_true(m.contacts.rattlers < count / 8);
    const double* peak = m.g_r.g;
    double wide = 0.0;  // mean over 0.03, where few pairs are
    for (int b = 172; b < 175; ++b)
        wide += peak[b] / 3.0;
    if (full) {
        assert_true(wide > peak[160] + 0.4);
        assert_true(peak[198] > 1.5 && 1.5 > peak[205] + 0.4);
    }
    assert_true(peak[198] + peak[199] > peak[202] + peak[203]);
    scree_measures_free(&m);
}

// Equal spheres, slowly, from a gas: random close packing, as growth ended it. At constant size the pressure falls to some thousand before it is steady: at this rate
// they are within 1e-3 of the density at which they jam, but not jammed.
static void equal_spheres_jam(void** state)
{
    (void)state;
    bool full = test_effort() >= 10.0;
    int32_t count = full ? 10000 : 600;
    double* r = radii("mono:0.5", 3, count);
    scree_grow_def def = def_of(3, 7);
    def.density = INFINITY;
    def.pressure = 1e8;
    def.rate = 0.022;
    scree_growth g;
    CHECK_OK(scree_pack_grow(&def, count, r, &g));
    check_valid(&def, &g, count, r);
    assert_true(!g.reached && g.reduced_pressure > 1e8 && g.reduced_pressure_at_rest > 3e3);
    CHECK_CLOSE(g.density, 0.640, full ? 0.003 : 0.012);
    check_jammed(g.box, count, g.x, r, full);
    scree_growth_free(&g);
    free(r);
}

// The same rate, but from a packing that was made in no time and is far from equilibrium: it jams earlier, near 0.634. At constant size it keeps a pressure of some thousand
// and all contacts: the density at which it jams is higher by a part 3 / pressure, less than 1e-3.
static void a_quick_start_jams_earlier(void** state)
{
    (void)state;
    bool full = test_effort() >= 10.0;
    int32_t count = full ? 10000 : 600;
    double* r = radii("mono:0.5", 3, count);
    scree_grow_def quick = def_of(3, 7);
    quick.density = full ? 0.5935 : 0.58;
    quick.rate = 0.23;
    scree_growth g;
    CHECK_OK(scree_pack_grow(&quick, count, r, &g));
    assert_true(g.reached);
    scree_event_def def = scree_default_event_def();
    def.box = g.box;
    def.rate = 0.0224;
    scree_event_system* system;
    CHECK_OK(scree_event_create(&def, (scree_spheres){.count = count, .dim = 3, .x = g.x, .r = r}, g.v, &system));
    scree_event_until until = scree_default_event_until();
    until.collisions = (full ? 5 : 10) * count;
    scree_event_stats s;
    do {
        CHECK_OK(scree_event_set_temperature(system, 1.0));
        scree_event_reset_stats(system);
        CHECK_OK(scree_event_run(system, &until));
        s = scree_event_get_stats(system);
    } while (s.reduced_pressure < 1e8);
    if (full)
        CHECK_CLOSE(s.density, 0.634, 0.004);
    else
        CHECK_CLOSE(s.density, 0.630, 0.014);
    scree_event_rest rest;
    CHECK_OK(scree_event_is_jammed(system, 1e8, &rest));
    assert_true(rest.reduced_pressure > 3e3 && rest.contacts >= 0.95);
    CHECK_FAILS(scree_event_is_jammed(system, NAN, &rest), SCREE_ERR_ARGUMENT, "pressure", "nan");
    s = scree_event_get_stats(system);
    if (full) {
        scree_event_get_state(system, g.x, NULL);
        for (int k = 0; k < 3; ++k)  // boxes of grow begin at 0: the spheres have diameter 1 again
            g.box.upper[k] /= s.scale;
        for (int64_t k = 0; k < 3 * (int64_t)count; ++k)
            g.x[k] /= s.scale;
        check_jammed(g.box, count, g.x, r, full);
    }
    scree_event_destroy(system);
    scree_growth_free(&g);
    free(r);
}

// Contacts within `gap`, by all pairs, of those that have more than dim of them, over what it takes to make these rigid in a periodic box.
static double contacts_needed(scree_box box, int32_t count, const double* x, const double* r, double gap)
{
    uint8_t* loose = calloc((size_t)count, 1);
    double found = 0.0;
    int32_t left = count;
    for (bool again = true; again;) {
        again = false;
        found = 0.0;
        int32_t* held = calloc((size_t)count, sizeof *held);
        for (int32_t i = 0; i < count; ++i)
            for (int32_t j = i + 1; j < count && !loose[i]; ++j) {
                double square = 0.0;
                for (int k = 0; k < box.dim; ++k) {
                    double d = x[i * box.dim + k] - x[j * box.dim + k], length = box.upper[k] - box.lower[k];
                    d -= length * rint(d / length);
                    square += d * d;
                }
                if (loose[j] || sqrt(square) - r[i] - r[j] >= gap)
                    continue;
                ++held[i];
                ++held[j];
                found += 1.0;
            }
        for (int32_t i = 0; i < count; ++i)
            if (!loose[i] && held[i] < box.dim + 1) {
                loose[i] = 1;
                --left;
                again = true;
            }
        free(held);
    }
    free(loose);
    return left > 0 ? found / (box.dim * left - box.dim + 1) : 0.0;
}

// A packing that says that it is jammed keeps its pressure at constant size and has the contacts that make it rigid; the others lose it. Compared from outside:
// a system of its own that begins with the packing and goes on for 2800 collisions per sphere, and contacts by all pairs. `early`: for a tenth of that the pressure
// is still above 1e4, as if it were jammed; the others are given up after 400.
static void jammed_packings_keep_their_pressure(void** state)
{
    (void)state;
    static const struct {
        const char* law;
        int dim;
        int32_t count;
        double rate;
        uint64_t seed;
        bool early;
    } sets[] = {{"mono:0.5", 3, 300, 0.1, 1, false},
                {"mono:0.5", 2, 300, 0.1, 1, false},
                {"mono:0.5", 3, 150, 0.03, 2, true},
                {"mono:0.5", 3, 150, 0.03, 3, true},
                {"uniform-volume:1:10", 2, 100, 0.02, 3, true},
                {"bidisperse:5", 3, 100, 0.01, 2, true},
                {"lognormal:1:0.5", 3, 200, 0.02, 3, true}};
    int seen[2] = {0, 0};  // of those that look jammed early: how many are not, and are
    for (size_t t = 0; t < sizeof sets / sizeof *sets; ++t) {
        int32_t count = sets[t].count;
        double* r = radii(sets[t].law, sets[t].dim, count);
        scree_grow_def def = def_of(sets[t].dim, 7);
        def.density = INFINITY;
        def.pressure = 1e6;
        def.rate = sets[t].rate;
        def.seed = sets[t].seed;
        scree_growth g;
        CHECK_OK(scree_pack_grow(&def, count, r, &g));
        assert_true(g.reduced_pressure > 1e6 && g.reduced_pressure < 1.5e6);  // while it grew
        scree_event_def rest = scree_default_event_def();
        rest.box = g.box;
        scree_event_system* system;
        CHECK_OK(scree_event_create(&rest, (scree_spheres){.count = count, .dim = sets[t].dim, .x = g.x, .r = r}, g.v, &system));
        double pressure[2], volume = 0.0;
        for (int end = 0; end < 2; ++end) {
            run_for(system, count, end == 0 ? 200.0 : sets[t].early ? 2000.0 : 0.0);
            scree_event_reset_stats(system);
            run_for(system, count, end == 0 ? 100.0 : sets[t].early ? 500.0 : 100.0);
            pressure[end] = scree_event_get_stats(system).reduced_pressure;
        }
        scree_event_get_state(system, g.x, NULL);
        for (int32_t i = 0; i < count; ++i)
            volume += pow(r[i], sets[t].dim) / count;
        double contacts = contacts_needed(g.box, count, g.x, r, 1e-3 * 2.0 * pow(volume, 1.0 / sets[t].dim));
        bool holds = pressure[1] > 1e4 && contacts > 0.95, gives_way = pressure[1] < 5e3 && contacts < 0.9;
        seen[holds] += sets[t].early;
        if (holds == gives_way || (pressure[0] > 1e4) != sets[t].early || g.jammed != holds || g.converged != holds)
            fail_msg("%s, rate %g: jammed %d; pressure %g, then %g, contacts %g", sets[t].law, sets[t].rate, g.jammed, pressure[0], pressure[1], contacts);
        assert_true(g.jammed ? g.reduced_pressure_at_rest > 1e4 : g.reduced_pressure_at_rest < 1e4);
        CHECK_CLOSE(g.slower_rate, holds ? 0.0 : 0.25 * sets[t].rate, 0.0);
        scree_event_destroy(system);
        scree_growth_free(&g);
        free(r);
    }
    assert_true(seen[0] > 0 && seen[1] > 1);
}

// Asked for more than there is: jams before, in a larger box, and says so.
static void what_does_not_fit_is_said(void** state)
{
    (void)state;
    enum { count = 200 };
    double* r = radii("mono:1", 3, count);
    scree_grow_def def = def_of(3, 7);
    def.density = 0.73;
    def.rate = 0.2;
    scree_growth g = grow(&def, count, r, 0);
    assert_true(g.density > 0.55 && g.density < 0.7);
    CHECK_CLOSE(g.slower_rate, 0.05, 1e-15);
    scree_growth_free(&g);
    def.pressure = 1000.0;  // what this comes to at a rate of 0.2 does not last; more slowly it does
    g = grow(&def, count, r, 0);
    assert_true(g.reduced_pressure > 1000.0 && g.reduced_pressure_at_rest < 500.0);
    scree_growth_free(&g);
    def.rate = 0.02;
    g = grow(&def, count, r, JAMMED + CONVERGED);
    assert_true(g.reduced_pressure > 1000.0 && g.reduced_pressure_at_rest > 500.0);
    scree_growth_free(&g);
    free(r);
}

// ---- Same bits, errors, memory -------------------------------------------------------------------------------------------

static void bits_are_the_same(void** state)
{
    (void)state;
    enum { count = 300 };
    double* r = radii("uniform-volume:1:8", 3, count);
    static const struct {
        int method, threads;
    } ways[] = {{SCREE_METHOD_HIERARCHICAL_GRID, 1}, {SCREE_METHOD_HIERARCHICAL_GRID, 7}, {SCREE_METHOD_LOOSE_OCTREE, 2},
                {SCREE_METHOD_LINKED_CELLS, 1},      {SCREE_METHOD_LINEAR_LIST, 1},       {SCREE_METHOD_ALL_PAIRS, 2},
                {SCREE_METHOD_AUTO, 0}};
    scree_growth first = {0};
    for (size_t w = 0; w < sizeof ways / sizeof *ways; ++w) {
        scree_grow_def def = def_of(3, 3);
        def.density = 0.6;
        def.rate = 0.2;
        def.method = ways[w].method;
        def.threads = ways[w].threads;
        scree_growth g;
        CHECK_OK(scree_pack_grow(&def, count, r, &g));
        if (w == 0) {
            first = g;
            continue;
        }
        assert_memory_equal(g.x, first.x, count * 3 * sizeof *g.x);
        assert_memory_equal(g.v, first.v, count * 3 * sizeof *g.v);
        assert_true(g.collisions == first.collisions && g.reduced_pressure == first.reduced_pressure);
        scree_growth_free(&g);
    }
    scree_growth_free(&first);
    free(r);
}

// Whether it is jammed, too: for every method and number of threads, and after a run in pieces. Both verdicts occur.
static void verdicts_are_the_same(void** state)
{
    (void)state;
    enum { count = 60, ways = 4 };
    static const struct {
        int method, threads;
    } way[ways] = {{SCREE_METHOD_HIERARCHICAL_GRID, 1}, {SCREE_METHOD_HIERARCHICAL_GRID, 7}, {SCREE_METHOD_LOOSE_OCTREE, 2}, {SCREE_METHOD_ALL_PAIRS, 2}};
    double* r = radii("uniform-volume:1:5", 2, count);
    bool seen[2] = {false, false};
    static const double rates[] = {0.2, 0.02, 0.005};
    for (int slow = 0; slow < 3; ++slow) {
        scree_growth first = {0};
        static double x[ways][2 * count];
        scree_event_rest rest[ways];
        for (int w = 0; w < ways; ++w) {
            scree_grow_def grow = def_of(2, 3);
            grow.density = INFINITY;
            grow.pressure = 1e6;
            grow.rate = rates[slow];
            grow.method = way[w].method;
            grow.threads = way[w].threads;
            scree_growth g;
            CHECK_OK(scree_pack_grow(&grow, count, r, &g));
            if (w == 0)
                first = g;
            assert_true(g.jammed == first.jammed && g.reduced_pressure_at_rest == first.reduced_pressure_at_rest && g.collisions == first.collisions);
            scree_event_def def = scree_default_event_def();
            def.box = g.box;
            def.method = way[w].method;
            def.threads = way[w].threads;
            scree_event_system* system;
            CHECK_OK(scree_event_create(&def, (scree_spheres){.count = count, .dim = 2, .x = g.x, .r = r}, g.v, &system));
            scree_event_until until = scree_default_event_until();
            double step = 1e-3 * (g.box.upper[0] - g.box.lower[0]);  // some collisions, at a temperature near 1
            for (int k = w % 2 == 0 ? 4 : 1; k <= 4; ++k) {
                until.time = 0.25 * k * step;
                CHECK_OK(scree_event_run(system, &until));
            }
            assert_true(scree_event_get_stats(system).collisions > 0);
            CHECK_OK(scree_event_is_jammed(system, 1e6, &rest[w]));
            scree_event_get_state(system, x[w], NULL);
            assert_true(rest[w].jammed == rest[0].jammed && rest[w].reduced_pressure == rest[0].reduced_pressure && rest[w].contacts == rest[0].contacts &&
                        rest[w].rattlers == rest[0].rattlers && rest[w].collisions == rest[0].collisions);
            assert_memory_equal(x[w], x[0], sizeof x[0]);
            seen[rest[w].jammed] = true;
            scree_event_destroy(system);
            if (w > 0)
                scree_growth_free(&g);
        }
        scree_growth_free(&first);
    }
    assert_true(seen[0] && seen[1]);
    free(r);
}

// Walls alone can jam spheres, and one sphere alone has nobody to collide with.
static void few_spheres_come_to_an_end(void** state)
{
    (void)state;
    double r[3] = {1.0, 1.0, 1.0};
    for (int axes = 0; axes < 8; ++axes)
        for (int count = 1; count <= 3; ++count) {
            patience p = {.left = 2000};
            scree_grow_def def = def_of(3, axes);
            def.density = INFINITY;
            def.pressure = 1e6;
            def.rate = 0.005;
            def.watch = (scree_watch){.tick = lose_patience, .context = &p};
            scree_growth g = grow(&def, count, r, JAMMED + CONVERGED);  // at a rate of 0.1 three of them in a box with two periodic axes are not
            if (count == 1)
                CHECK_CLOSE(g.box.upper[0] - g.box.lower[0], 2.0, 1e-5);
            scree_growth_free(&g);
            p = (patience){.left = 2000};
            def.density = 0.1;
            def.collisions = count == 1 ? 50.0 : 0.0;
            g = grow(&def, count, r, REACHED + CONVERGED);
            scree_growth_free(&g);
        }
}

// Where the box is does not change what comes of it, as long as positions can be distinguished.
static void far_boxes_are_kept(void** state)
{
    (void)state;
    enum { count = 200 };
    double* r = radii("mono:1", 3, count);
    for (int far = 0; far < 3; ++far) {
        scree_grow_def def = def_of(3, 7);
        for (int k = 0; k < 3; ++k) {
            def.box.lower[k] = far == 0 ? 0.0 : far == 1 ? -1e7 * (k + 1) : 2e11;
            def.box.upper[k] = def.box.lower[k] + 11.2;
        }
        def.rate = 0.1;
        scree_growth g = grow(&def, count, r, REACHED + CONVERGED);
        assert_memory_equal(&g.box, &def.box, sizeof g.box);
        scree_growth_free(&g);
    }
    scree_grow_def def = def_of(3, 5);
    def.box.lower[1] = 1e17;
    def.box.upper[1] = 1e17 + 32.0;
    def.box.upper[0] = def.box.upper[2] = 32.0;
    scree_growth g;
    CHECK_FAILS(scree_pack_grow(&def, count, r, &g), SCREE_ERR_ARGUMENT);
    free(r);
}

static void stopping_leaves_a_packing(void** state)
{
    (void)state;
    enum { count = 3000 };
    double* r = radii("uniform-size:1:2", 3, count);
    patience p = {.left = 3};
    scree_grow_def def = def_of(3, 7);
    def.density = 0.63;
    def.rate = 0.01;
    def.watch = (scree_watch){.tick = lose_patience, .context = &p};
    scree_growth g;
    CHECK_FAILS(scree_pack_grow(&def, count, r, &g), SCREE_ERR_CANCELLED, "density");
    check_valid(&def, &g, count, r);
    assert_true(!g.converged && !g.reached && g.density > 0.2 && g.density < 0.63);
    scree_growth_free(&g);
    def.watch = (scree_watch){0};
    def.seconds = 1e-9;
    g = grow(&def, count, r, 0);
    scree_growth_free(&g);
    // While it places: nothing has begun, and nothing is left.
    p = (patience){.left = 5, .placing = true};
    def.seconds = 0.0;
    def.watch = (scree_watch){.tick = lose_patience, .context = &p};
    CHECK_FAILS(scree_pack_grow(&def, count, r, &g), SCREE_ERR_CANCELLED);
    assert_true(g.x == NULL && g.v == NULL && g.count == 0);
    scree_growth_free(&g);
    free(r);
}

static scree_status grow_a_few(const double* r)
{
    scree_grow_def def = def_of(3, 3);
    def.density = 0.5;
    def.rate = 0.5;
    def.threads = 1;
    def.collisions = 4.0;
    scree_growth g;
    scree_status status = scree_pack_grow(&def, 60, r, &g);
    scree_growth_free(&g);
    return status;
}

static void each_allocation_may_fail(void** state)
{
    (void)state;
    double* r = radii("uniform-size:1:3", 3, 60);
    EACH_ALLOCATION_FAILS(grow_a_few(r), (void)0);
    free(r);
}

static scree_status check_a_few(const double* x, const double* v, const double* r, int32_t count)
{
    scree_event_def def = scree_default_event_def();
    def.box.periodic[0] = def.box.periodic[1] = def.box.periodic[2] = true;
    def.rate = 1.0;
    def.threads = 1;
    scree_event_system* system;
    scree_event_rest rest = {.jammed = true};
    scree_status status = scree_event_create(&def, (scree_spheres){.count = count, .dim = 3, .x = x, .r = r}, v, &system);
    if (status != SCREE_OK)
        return status;
    status = scree_event_is_jammed(system, 4.0, &rest);  // a gas holds this pressure
    assert_true(status == SCREE_OK ? rest.reduced_pressure > 2.0 : !rest.jammed);
    scree_event_destroy(system);
    return status;
}

// Up to the verdict: the lists that are made while it rests, and the contacts that are counted at the end.
static void each_allocation_of_a_verdict_may_fail(void** state)
{
    (void)state;
    double* r = radii("uniform-size:1:2", 3, 30);
    scree_grow_def def = def_of(3, 7);
    def.density = 0.5;
    def.rate = 0.2;
    scree_growth g;
    CHECK_OK(scree_pack_grow(&def, 30, r, &g));
    for (int k = 0; k < 90; ++k)
        g.x[k] /= g.box.upper[0];
    for (int i = 0; i < 30; ++i)
        r[i] /= g.box.upper[0] * (1.0 + 1e-9);
    EACH_ALLOCATION_FAILS(check_a_few(g.x, g.v, r, 30), (void)0);
    scree_growth_free(&g);
    free(r);
}

// ---- Saved packings ------------------------------------------------------------------------------------------------------

static void check_same_growth(const scree_growth* a, const scree_growth* b, int dim)
{
    size_t bytes = (size_t)a->count * (size_t)dim * sizeof *a->x;
    assert_memory_equal(a->x, b->x, bytes);
    assert_memory_equal(a->v, b->v, bytes);
    assert_memory_equal(&a->box, &b->box, sizeof a->box);
    assert_int_equal(a->collisions, b->collisions);
    assert_int_equal(a->tests, b->tests);
    assert_int_equal(a->refreshes, b->refreshes);
    assert_int_equal(a->rebuilds, b->rebuilds);
    assert_int_equal(a->jammed * 4 + a->reached * 2 + a->converged, b->jammed * 4 + b->reached * 2 + b->converged);
    assert_memory_equal(&a->reduced_pressure, &b->reduced_pressure, sizeof a->reduced_pressure);
    assert_memory_equal(&a->reduced_pressure_at_rest, &b->reduced_pressure_at_rest, sizeof a->reduced_pressure_at_rest);
    assert_memory_equal(&a->collision_rate, &b->collision_rate, sizeof a->collision_rate);
    assert_memory_equal(&a->time, &b->time, sizeof a->time);
    assert_memory_equal(&a->temperature, &b->temperature, sizeof a->temperature);
}

static int32_t stage_of(const kept_state* k)
{
    int32_t stage;
    memcpy(&stage, k->data + 48, sizeof stage);  // behind the head that all saved packings have
    return stage;
}

// Whatever is saved goes on to the same bits, with other threads and another method of the index: in growth, while jamming is tested, and in the motion afterwards; with and without
// heavy spheres; also what a resumed growth saves.
static void saved_growth_goes_on(void** state)
{
    (void)state;
    static const struct {
        const char* sizes;
        int dim, axes;
        int32_t count;
        double density, pressure, rate, collisions;
        int stages;  // bits: those that are saved
    } cases[] = {{"uniform-size:1:2", 3, 3, 25, INFINITY, 1e4, 0.02, 600.0, 7},
                 {"uniform-volume:1:30", 3, 4, 901, 0.55, 0.0, 0.2, 20.0, 5},
                 {"bidisperse:2", 2, 3, 30, INFINITY, 1e4, 0.02, 0.0, 3}};
    for (size_t t = 0; t < sizeof cases / sizeof *cases; ++t) {
        int32_t count = cases[t].count;
        double* r = radii(cases[t].sizes, cases[t].dim, count);
        scree_grow_def def = def_of(cases[t].dim, cases[t].axes);
        def.density = cases[t].density;
        def.pressure = cases[t].pressure;
        def.rate = cases[t].rate;
        def.collisions = cases[t].collisions;
        def.threads = 1;
        kept_state counted = {0};
        scree_growth plain, saving;
        CHECK_OK(scree_pack_grow(&def, count, r, &plain));
        def.saver = (scree_pack_saver){.save = keep_state, .context = &counted, .seconds = 0.0};
        CHECK_OK(scree_pack_grow(&def, count, r, &saving));
        check_same_growth(&plain, &saving, cases[t].dim);
        scree_growth_free(&saving);
        int stages = 0, parts = count < 100 ? 12 : 3;
        for (int part = 0; part <= parts; ++part) {
            kept_state k = {.keep_at = 1 + part * (counted.calls - 1) / parts}, again = {.keep_at = 2};
            def.saver.context = &k;
            CHECK_OK(scree_pack_grow(&def, count, r, &saving));
            scree_growth_free(&saving);
            assert_true(k.size > 0);
            stages |= 1 << stage_of(&k);
            for (int twice = 0; twice < 2; ++twice) {
                const kept_state* from = twice == 0 ? &k : &again;
                if (from->size == 0)
                    continue;
                scree_grow_def other = def;
                scree_growth resumed;
                other.saver.context = &again;
                other.saver.save = twice == 0 ? keep_state : NULL;
                other.resume = (scree_bytes){from->data, from->size};
                other.threads = 2;
                other.method = SCREE_METHOD_LOOSE_OCTREE;
                CHECK_OK(scree_pack_grow(&other, count, r, &resumed));
                check_same_growth(&plain, &resumed, cases[t].dim);
                scree_growth_free(&resumed);
            }
            free(k.data);
            free(again.data);
        }
        assert_int_equal(stages, cases[t].stages);
        scree_growth_free(&plain);
        free(r);
    }
}

static scree_status no_room(void* context, int32_t count, const scree_bytes* pieces)
{
    (void)context;
    (void)count;
    (void)pieces;
    return scree_fail(SCREE_ERR_IO, "no room");
}

static scree_status resume_a_few(const scree_grow_def* def, int32_t count, const double* r)
{
    scree_growth g;
    scree_status status = scree_pack_grow(def, count, r, &g);
    if (status != SCREE_OK)
        assert_null(g.x);
    scree_growth_free(&g);
    return status;
}

static void saved_growth_of_others_is_rejected(void** state)
{
    (void)state;
    enum { count = 25 };
    double* r = radii("uniform-size:1:2", 3, count);
    scree_grow_def def = def_of(3, 7);
    def.density = 0.5;
    def.rate = 0.2;
    kept_state k = {.keep_at = 3};
    def.saver = (scree_pack_saver){.save = keep_state, .context = &k, .seconds = 0.0};
    CHECK_OK(resume_a_few(&def, count, r));
    def.saver.save = no_room;
    CHECK_FAILS(resume_a_few(&def, count, r), SCREE_ERR_IO, "no", "room");
    def.saver.seconds = NAN;
    CHECK_FAILS(resume_a_few(&def, count, r), SCREE_ERR_ARGUMENT, "saver.seconds", "nan");
    def.saver = (scree_pack_saver){0};
    def.resume = (scree_bytes){k.data, k.size};
    EACH_ALLOCATION_FAILS(resume_a_few(&def, count, r), (void)0);
    def.seed = 9;
    CHECK_FAILS(resume_a_few(&def, count, r), SCREE_ERR_ARGUMENT, "25", "seed");
    def.seed = 1;
    CHECK_FAILS(resume_a_few(&def, count - 1, r), SCREE_ERR_ARGUMENT, "25", "sizes");
    r[3] *= 1.0 + 1e-15;
    CHECK_FAILS(resume_a_few(&def, count, r), SCREE_ERR_ARGUMENT, "other", "sizes");
    r[3] /= 1.0 + 1e-15;
    def.resume.size = k.size - 1;
    CHECK_FAILS(resume_a_few(&def, count, r), SCREE_ERR_FORMAT, "bytes", "expected");
    def.resume.size = 5;
    CHECK_FAILS(resume_a_few(&def, count, r), SCREE_ERR_FORMAT, "saved", "not");
    def.resume.size = k.size;
    k.data[k.size / 2] ^= 4;
    CHECK_FAILS(resume_a_few(&def, count, r), SCREE_ERR_FORMAT, "checksum", "changed");
    free(k.data);
    free(r);
}

// A program that was compiled before packings by growth could be saved.
static void an_older_def_is_accepted(void** state)
{
    (void)state;
    enum { count = 10 };
    double* r = radii("mono:1", 3, count);
    scree_grow_def def = def_of(3, 7);
    def.density = 0.3;
    scree_growth now, before;
    CHECK_OK(scree_pack_grow(&def, count, r, &now));
    def.struct_size = offsetof(scree_grow_def, saver);
    memset(&def.saver, 0x7f, sizeof def - offsetof(scree_grow_def, saver));  // is not read
    CHECK_OK(scree_pack_grow(&def, count, r, &before));
    check_same_growth(&now, &before, 3);
    def.struct_size -= 1;
    scree_growth none;
    CHECK_FAILS(scree_pack_grow(&def, count, r, &none), SCREE_ERR_ARGUMENT, "struct_size", "scree_default_grow_def");
    scree_growth_free(&now);
    scree_growth_free(&before);
    free(r);
}

static const test_case cases[] = {
    UNIT(packings_are_valid),
    UNIT(a_given_box_is_kept),
    UNIT(equal_spheres_jam),
    UNIT(a_quick_start_jams_earlier),
    UNIT(jammed_packings_keep_their_pressure),
    UNIT(what_does_not_fit_is_said),
    SAME_BITS(bits_are_the_same),
    SAME_BITS(verdicts_are_the_same),
    UNIT(few_spheres_come_to_an_end),
    UNIT(far_boxes_are_kept),
    UNIT(stopping_leaves_a_packing),
    ALLOCATION(each_allocation_may_fail),
    ALLOCATION(each_allocation_of_a_verdict_may_fail),
    SAME_BITS(saved_growth_goes_on),
    ALLOCATION(saved_growth_of_others_is_rejected),
    UNIT(an_older_def_is_accepted),
};

const test_group group_grow = {.name = "grow", .cases = cases, .count = sizeof cases / sizeof *cases};
