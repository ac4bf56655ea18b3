// device: a run on a device has the bits of the processor's, hash by hash and column by column. The emulated device does what the kernels of CUDA do, lane by lane; with blocks, stages and rows of a few
// entries every case is reached by some hundred spheres, and lanes come in a different order for every seed. The judge is the processor's pass, which test_sim.c and test_grain_library.c judge in turn.
#include "sim_support.h"

#include "device/emulate.h"
#include "device/plan.h"
#include "scree/device.h"
#include "sim/sim_inner.h"

// ---- Systems -----------------------------------------------------------------------------------------------------------

typedef struct system_ {
    scree_sphere_set set;
    double* v;
    scree_sim_def def;
    scree_sim_each each;
    scree_index_def search;
    scree_sim_law law;
    scree_sim_pair pairs[4];
    scree_sim_material materials[2];
    uint16_t* material;
    uint8_t* fixed;
    double *force, *spin;
} system_;

// `loss`: 0 elastic, 1 a restitution, 2 a damping.
static system_ make(int dim, int32_t count, double ratio, double density, bool periodic, int loss, uint64_t seed)
{
    system_ s = {.set = sim_gas(dim, count, ratio, density, periodic, seed), .def = scree_default_sim_def(), .each = scree_default_sim_each(), .search = scree_default_index_def()};
    for (int32_t i = 0; i < count; ++i)
        s.set.r[i] *= 1.06;  // some touch from the start
    for (int32_t i = 0; i < count && !periodic; ++i)
        for (int k = 0; k < dim; ++k)
            s.set.x[(int64_t)i * dim + k] = fmin(fmax(s.set.x[(int64_t)i * dim + k], 0.9 * s.set.r[i]), s.set.box.upper[k] - 0.9 * s.set.r[i]);
    s.v = sim_thermal(scree_sphere_set_view(&s.set), 0.02, seed);
    s.def.box = s.set.box;
    s.def.stiffness = 20.0;
    s.def.restitution = loss == 1 ? 0.7 : 0.0;
    s.def.damping = loss == 2 ? 0.2 : 0.0;
    s.def.order_every = 37;
    s.def.threads = 1;
    s.def.gravity[dim - 1] = periodic ? 0.0 : -0.01;
    return s;
}

static void free_system(system_* s)
{
    scree_sphere_set_free(&s->set);
    free(s->v);
    free(s->material);
    free(s->fixed);
    free(s->force);
    free(s->spin);
}

static void point(system_* s)
{
    s->each.material = s->material;
    s->each.fixed = s->fixed;
    s->each.force = s->force;
    s->each.spin = s->spin;
    s->def.each = &s->each;
    s->def.search = &s->search;
    if (s->law.struct_size > 0) {
        s->law.pairs = s->pairs;
        s->law.materials = s->materials[0].struct_size > 0 ? s->materials : NULL;
        s->def.law = &s->law;
    }
}

static scree_sim* start(system_* s, int32_t device)
{
    scree_sim* sim = NULL;
    point(s);
    s->def.device = device;
    CHECK_OK(scree_sim_create(&s->def, scree_sphere_set_view(&s->set), s->v, &sim));
    return sim;
}

static int watched, brief;  // overlaps that both have told

static void check_same(const char* name, scree_sim* a, scree_sim* b)
{
    static const char* const columns[] = {"x", "v", "a", "key", "w", "angular_acceleration", "x_before", "force", "material", "flags", "radius", "inverse_mass"};
    if (scree_sim_hash(a) != scree_sim_hash(b) || scree_sim_step(a) != scree_sim_step(b))
        fail_msg("%s: at step %lld the hash is %016llx; %016llx of the processor at step %lld was expected", name, (long long)scree_sim_step(b), (unsigned long long)scree_sim_hash(b),
                 (unsigned long long)scree_sim_hash(a), (long long)scree_sim_step(a));
    int32_t n = scree_sim_count(a);
    char *one = calloc((size_t)n * 3 + 1, 8), *other = calloc((size_t)n * 3 + 1, 8);
    for (size_t c = 0; c < sizeof columns / sizeof *columns; ++c) {
        if (sim_find_column(a, columns[c]) == NULL)
            continue;
        CHECK_OK(scree_sim_get_column(a, columns[c], one));
        CHECK_OK(scree_sim_get_column(b, columns[c], other));
        if (memcmp(one, other, (size_t)n * sim_column_width(a, sim_find_column(a, columns[c]))) != 0)
            fail_msg("%s: column %s differs from the processor's at step %lld", name, columns[c], (long long)scree_sim_step(a));
    }
    free(one);
    free(other);
    scree_sim_contacts p, q;
    CHECK_OK(scree_sim_get_contacts(a, &p));
    CHECK_OK(scree_sim_get_contacts(b, &q));
    assert_int_equal(p.count, q.count);
    if (p.count > 0)
        assert_memory_equal(p.ij, q.ij, (size_t)p.count * sizeof *p.ij);
    if (p.count > 0 && p.force != NULL)
        assert_memory_equal(p.force, q.force, (size_t)p.count * sizeof *p.force);
    scree_sim_report r = sim_report_of(a), t = sim_report_of(b);
    assert_int_equal(r.contacts, t.contacts);
    scree_sim_overlaps deep, deep_too;
    if (a->def.watch_overlaps > 0.0) {
        CHECK_OK(scree_sim_take_overlaps(a, &deep));
        CHECK_OK(scree_sim_take_overlaps(b, &deep_too));
        assert_memory_equal(&deep, &deep_too, sizeof deep);
        watched += deep.deepest.relative > 0.0;
        brief += deep.shortest.duration < INFINITY;
    }
}

// SCREE_TEST_DEVICE=cuda runs these tests on a GPU.
static int32_t tested(void)
{
    const char* given = getenv("SCREE_TEST_DEVICE");
    return given != NULL && strcmp(given, "cuda") == 0 ? SCREE_DEVICE_CUDA : SCREE_DEVICE_EMULATE;
}

static void compare(const char* name, system_* s, int64_t steps)
{
    scree_sim *a = start(s, SCREE_DEVICE_NONE), *b = start(s, tested());
    assert_int_equal(scree_sim_device(b), tested());
    for (int part = 0; part < 3; ++part) {
        CHECK_OK(scree_sim_run(a, steps / 3));
        CHECK_OK(scree_sim_run(b, part == 1 ? 1 : steps / 3));
        if (part == 1)
            CHECK_OK(scree_sim_run(b, steps / 3 - 1));
        check_same(name, a, b);
    }
    if (sim_report_of(a).contacts == 0)
        fail_msg("%s: there are no contacts, so that nothing was compared", name);
    scree_sim_destroy(a);
    scree_sim_destroy(b);
}

// Blocks of 4 lanes, rows of 2, stretches of 3: whatever overflows does so here.
static void set_tiny(uint64_t seed)
{
    emulate_set(&(emulate_sizes){.lanes = seed % 3 == 0 ? 8 : seed % 3 == 1 ? 4 : 33, .short_row = 2, .stage = 3, .ranges = 2, .crowd = 2, .batch = 1 + (int32_t)(seed % 7), .seed = seed});
}

// ---- Without friction ----------------------------------------------------------------------------------------------------

static void spheres_move_as_on_the_processor(void** state)
{
    (void)state;
    for (int c = 0; c < 24; ++c) {
        int dim = c % 2 == 0 ? 3 : 2, loss = c % 3;
        bool periodic = c / 2 % 2 == 1;
        double ratio = c < 8 ? 1.0 : c < 16 ? 4.0 : 15.0;
        char name[80];
        snprintf(name, sizeof name, "case %d: %dD, ratio %g, %s, loss %d", c, dim, ratio, periodic ? "periodic" : "walls", loss);
        system_ s = make(dim, dim == 3 ? 120 : 90, ratio, dim == 3 ? 0.2 : 0.35, periodic, loss, 11 + (uint64_t)c);
        if (c % 4 == 2)
            s.def.integrator = SCREE_INTEGRATOR_POSITION_VERLET;
        if (!periodic && c % 8 >= 4)
            s.def.wall_velocity[0][0] = 0.01;
        if (!periodic && c % 8 == 4 && dim == 3)
            s.def.gravity_turn[1] = 0.3;
        if (c % 5 == 1)
            s.search.skin = 0.05;
        if (c % 5 == 3)
            s.search.skin = -1.0;
        if (c >= 16)
            s.def.giants = 2.5;
        if (c % 6 == 5)
            s.def.box.periodic[1] = !periodic;
        set_tiny(1 + (uint64_t)c);
        compare(name, &s, 90);
        free_system(&s);
    }
    emulate_set(NULL);
}

static void properties_follow_their_spheres(void** state)
{
    (void)state;
    for (int c = 0; c < 6; ++c) {
        system_ s = make(3, 150, c < 3 ? 3.0 : 12.0, 0.2, c % 2 == 1, c % 3, 300 + (uint64_t)c);
        s.material = calloc(150, sizeof *s.material);
        s.fixed = calloc(150, sizeof *s.fixed);
        s.force = calloc(450, sizeof *s.force);
        s.law = scree_default_sim_law();
        s.law.material_count = 2;
        for (int e = 0; e < 4; ++e) {
            s.pairs[e] = scree_default_sim_pair();
            s.pairs[e].stiffness = 15.0 + 5.0 * (e == 0) + 3.0 * (e == 3);
            s.pairs[e].restitution = c % 3 == 1 ? 0.6 + 0.1 * (e == 0) : 0.0;
            s.pairs[e].damping = c % 3 == 2 ? 0.1 + 0.1 * (e == 3) : 0.0;
        }
        s.def.stiffness = s.def.restitution = s.def.damping = 0.0;
        for (int32_t i = 0; i < 150; ++i) {
            s.material[i] = (uint16_t)(i % 2);
            s.fixed[i] = i % 9 == 4;
            for (int k = 0; k < 3; ++k) {
                s.force[3 * i + k] = 1e-3 * ((i + k) % 4 - 1.5);
                s.v[3 * i + k] *= s.fixed[i] ? 0.0 : 1.0;
            }
        }
        if (c >= 3)
            s.def.giants = 3.0;
        set_tiny(40 + (uint64_t)c);
        compare("properties", &s, 90);
        free_system(&s);
    }
    emulate_set(NULL);
}

static void round_walls_hold_as_on_the_processor(void** state)
{
    (void)state;
    for (int c = 0; c < 3; ++c) {
        system_ s = make(3, 80, 2.0, 0.2, false, 1, 500 + (uint64_t)c);
        double side = s.set.box.upper[0], middle = 0.5 * side;
        scree_sim_boundary b = scree_default_sim_boundary();
        b.kind = c == 0 ? "sphere" : "cylinder";
        b.axis[0] = 0.0;
        b.axis[2] = 1.0;
        for (int k = 0; k < 3; ++k)
            b.at[k] = middle;
        b.radius = side;
        if (c == 2)
            b.spin[2] = 0.2;
        s.def.boundaries = &b;
        s.def.boundary_count = 1;
        set_tiny(60 + (uint64_t)c);
        compare("round", &s, 60);
        free_system(&s);
    }
    emulate_set(NULL);
}

// ---- With friction, and every other law -------------------------------------------------------------------------------------

// Number from 0 on; NULL: there is none.
static const char* choose_law(system_* s, int number)
{
    s->law = scree_default_sim_law();
    s->law.material_count = 2;
    s->law.name = "linear";
    for (int e = 0; e < 4; ++e) {
        scree_sim_pair* p = &s->pairs[e];
        *p = scree_default_sim_pair();
        p->stiffness = 20.0 + (e == 3);
        p->restitution = 0.8;
        p->friction = 0.4 + 0.1 * (e == 0);
    }
    for (int m = 0; m < 2; ++m) {
        s->materials[m] = scree_default_sim_material();
        s->materials[m].young = 60.0 + 10.0 * m;
        s->materials[m].poisson = 0.3;
    }
    s->def.stiffness = s->def.restitution = s->def.damping = 0.0;
    s->def.speed = number >= 4 && number <= 9 ? 0.01 : 0.0;
    s->def.step = number >= 4 && number <= 9 ? 0.05 : 0.005;
    bool curved = number >= 4 && number <= 9;
    for (int e = 0; e < 4; ++e) {
        scree_sim_pair* p = &s->pairs[e];
        if (curved)
            p->stiffness = 0.0;
        switch (number) {
        case 1:
            p->friction_dynamic = 0.3;
            p->rolling_friction = 0.1;
            break;
        case 2:
            p->rolling_friction = 0.1;
            p->rolling_damping = 0.2;
            p->twisting_friction = 0.05;
            break;
        case 3:
            p->restitution = 0.0;
            s->law.no_pull = true;
            break;
        case 4:
            p->friction = 0.0;
            break;
        case 6:
            p->rolling_friction = 0.1;
            p->restitution = 0.0;
            p->viscous_time = 0.01;
            break;
        case 7:
        case 8:
            p->surface_energy = 0.05;
            p->friction = number == 7 ? 0.3 : 0.0;
            break;
        case 9:
            p->surface_energy = 0.05;
            p->friction = 0.3;
            break;
        case 10:
            p->k2 = 50.0;
            p->kc = 10.0;
            p->plastic_depth = 0.1;
            break;
        case 11:
            p->bridge_volume = 0.001;
            p->surface_tension = 0.1;
            p->wetting_angle = 0.3;
            break;
        case 12:
            p->twisting_friction = 0.05;
            s->law.twisting = "marshall";
            break;
        default:
            break;
        }
    }
    static const char* const names[] = {"friction", "rolling", "twisting", "no pull, no damping", "hertz", "mindlin", "viscoelastic, rolling", "jkr, friction", "jkr", "dmt, friction", "plastic",
                                        "bridge", "marshall"};
    if (number >= (int)(sizeof names / sizeof *names))
        return NULL;
    if (curved)
        s->law.name = number == 7 || number == 8 ? "jkr" : number == 9 ? "dmt" : "hertz";
    if (number == 10)
        s->law.name = "plastic";
    return names[number];
}

static void every_law_acts_as_on_the_processor(void** state)
{
    (void)state;
    watched = brief = 0;
    for (int c = 0;; ++c) {
        int dim = c % 3 == 2 ? 2 : 3;
        bool periodic = c / 2 % 2 == 1;
        const int32_t n = 110;
        system_ s = make(dim, n, c % 4 == 3 ? 10.0 : 2.0, dim == 3 ? 0.2 : 0.35, periodic, 0, 700 + (uint64_t)c);
        const char* name = choose_law(&s, c / 2);
        if (name == NULL) {
            free_system(&s);
            break;
        }
        s.material = calloc((size_t)n, sizeof *s.material);
        s.spin = s.pairs[0].friction > 0.0 ? calloc((size_t)n * 3, sizeof *s.spin) : NULL;
        for (int32_t i = 0; i < n; ++i) {
            s.material[i] = (uint16_t)(i % 2);
            for (int k = dim == 3 ? 0 : 2; k < 3 && s.spin != NULL; ++k)
                s.spin[3 * i + k] = 0.1 * ((i + k) % 5 - 2);
        }
        for (int64_t e = 0; e < (int64_t)n * dim; ++e)
            s.v[e] *= 3.0;
        if (c % 4 == 3)
            s.def.giants = 2.0;
        if (!periodic)
            s.def.wall_velocity[0][0] = 0.02;
        s.def.gravity[dim - 1] *= 20.0;
        s.def.watch_overlaps = 0.001;
        set_tiny(80 + (uint64_t)c);
        char title[80];
        snprintf(title, sizeof title, "%d %s", c, name);
        compare(title, &s, 150);
        free_system(&s);
    }
    emulate_set(NULL);
    assert_true(watched > 0 && brief > 0);
}

// ---- What is not done ------------------------------------------------------------------------------------------------------

static void what_devices_cannot_do_is_refused_by_name(void** state)
{
    (void)state;
    scree_sim* sim;
    system_ s = make(3, 20, 1.0, 0.1, false, 0, 3);
    point(&s);
    s.def.device = SCREE_DEVICE_EMULATE;
    s.def.energies = true;
    CHECK_FAILS(scree_sim_create(&s.def, scree_sphere_set_view(&s.set), s.v, &sim), SCREE_ERR_UNSUPPORTED, "emulate", "energies");
    assert_null(sim);
    s.def.energies = false;
    s.def.check = true;
    CHECK_FAILS(scree_sim_create(&s.def, scree_sphere_set_view(&s.set), s.v, &sim), SCREE_ERR_UNSUPPORTED, "check");
    s.def.check = false;
    s.def.device = 7;
    CHECK_FAILS(scree_sim_create(&s.def, scree_sphere_set_view(&s.set), s.v, &sim), SCREE_ERR_ARGUMENT, "7");
    s.def.device = SCREE_DEVICE_AUTO;
    CHECK_OK(scree_sim_create(&s.def, scree_sphere_set_view(&s.set), s.v, &sim));
    assert_int_equal(scree_sim_device(sim), SCREE_DEVICE_NONE);  // too few spheres for another one
    scree_sim_destroy(sim);
    scree_device_about about;
    CHECK_OK(scree_device_describe(SCREE_DEVICE_EMULATE, &about));
    assert_true(about.name[0] != '\0' && about.memory > 0);
    CHECK_FAILS(scree_device_describe(SCREE_DEVICE_NONE, &about), SCREE_ERR_ARGUMENT, "0");
    assert_string_equal(scree_device_name(SCREE_DEVICE_CUDA), "cuda");
    assert_null(scree_device_name(-1));
    assert_null(scree_device_name(SCREE_DEVICE_COUNT));
    free_system(&s);
}

static void a_sphere_that_is_lost_is_named_as_on_the_processor(void** state)
{
    (void)state;
    for (int c = 0; c < 2; ++c) {
        system_ s = make(3, 60, 1.0, 0.2, false, 0, 21);
        for (int k = 0; k < 3; ++k)
            s.v[3 * 17 + k] = k == 0 ? 30.0 : 0.0;  // through the wall
        if (c == 1) {  // beyond any length
            s.v[3 * 17] = SCREE_LENGTH_MAX;
            s.def.box = scree_box_open(3);
        }
        char messages[2][400];
        int64_t step[2];
        for (int d = 0; d < 2; ++d) {
            scree_sim* sim = start(&s, d == 0 ? SCREE_DEVICE_NONE : tested());
            assert_int_equal(scree_sim_run(sim, 500), SCREE_ERR_ARGUMENT);
            snprintf(messages[d], sizeof messages[d], "%s", scree_error_message());
            step[d] = scree_sim_step(sim);
            assert_int_equal(scree_sim_run(sim, 1), SCREE_ERR_ARGUMENT);
            scree_sim_destroy(sim);
        }
        assert_string_equal(messages[0], messages[1]);
        assert_int_equal(step[0], step[1]);
        free_system(&s);
    }
}

// ---- Back and forth ------------------------------------------------------------------------------------------------------

// Processor and device in turns, by states and by insertion and removal in between.
static void a_run_goes_on_on_the_other_side(void** state)
{
    (void)state;
    system_ s = make(3, 120, 3.0, 0.2, true, 0, 77);
    choose_law(&s, 1);
    s.spin = calloc(360, sizeof *s.spin);
    s.spin[4] = 0.3;
    scree_sim *a = start(&s, SCREE_DEVICE_NONE), *b = start(&s, tested()), *c = start(&s, SCREE_DEVICE_NONE);
    CHECK_OK(scree_sim_run(a, 90));
    CHECK_OK(scree_sim_run(b, 41));
    sim_hand_over(b, c);
    CHECK_OK(scree_sim_run(c, 20));
    sim_hand_over(c, b);
    CHECK_OK(scree_sim_run(b, 29));
    check_same("in turns", a, b);
    int64_t gone[2] = {5, 60};
    scree_spheres more = {.count = 1, .dim = 3, .x = (double[3]){0.1, 0.1, 0.1}, .r = (double[1]){0.5}};
    scree_sim* both[2] = {a, b};
    for (int k = 0; k < 2; ++k) {
        CHECK_OK(scree_sim_exchange(both[k], 2, gone, more, NULL, NULL, NULL));
        CHECK_OK(scree_sim_run(both[k], 50));
    }
    check_same("after an exchange", a, b);
    scree_sim_destroy(a);
    scree_sim_destroy(b);
    scree_sim_destroy(c);
    free_system(&s);
}

// Each allocation of a run fails once: what was done before counts, and the run goes on to the same end.
static void memory_that_runs_out_ends_a_run_that_goes_on(void** state)
{
    (void)state;
    system_ s = make(3, 60, 4.0, 0.2, true, 0, 9);
    choose_law(&s, 2);
    s.def.giants = 1.5;
    s.def.order_every = 10;
    scree_sim* judge = start(&s, SCREE_DEVICE_NONE);
    CHECK_OK(scree_sim_run(judge, 30));
    int64_t failures = 0, lost = 0;
    for (int64_t n = 1; n <= 90; ++n) {
        scree_sim* sim = start(&s, SCREE_DEVICE_EMULATE);
        bool whole = true;
        while (whole && scree_sim_step(sim) < 30) {
            scree_memory_fail_at(n);
            scree_status status = scree_sim_run(sim, 30 - scree_sim_step(sim));
            scree_memory_fail_at(0);
            assert_true(status == SCREE_OK || status == SCREE_ERR_MEMORY);
            failures += status == SCREE_ERR_MEMORY;
            whole = status == SCREE_OK || scree_sim_run(sim, 0) == SCREE_OK;
        }
        lost += !whole;
        CHECK_OK(whole ? scree_sim_run(sim, 0) : SCREE_OK);
        if (whole)
            check_same("memory ran out", judge, sim);
        scree_sim_destroy(sim);
    }
    assert_true(failures > 60);
    assert_int_equal(lost, 0);
    scree_sim_destroy(judge);
    free_system(&s);
}

static bool stop_at_once(void* context, double share)
{
    (void)share;
    return ++*(int*)context < 2;
}

static void a_run_that_is_stopped_goes_on(void** state)
{
    (void)state;
    system_ s = make(2, 90, 2.0, 0.3, false, 1, 31);
    scree_sim* a = start(&s, SCREE_DEVICE_NONE);
    int asked = 0;
    s.def.watch = (scree_watch){.context = &asked, .tick = stop_at_once};
    scree_sim* b = start(&s, tested());
    scree_status status = scree_sim_run(b, 20000);
    assert_true(status == SCREE_ERR_CANCELLED || status == SCREE_OK);
    asked = -1000000;
    CHECK_OK(scree_sim_run(a, scree_sim_step(b)));
    check_same("stopped", a, b);
    CHECK_OK(scree_sim_run(a, 30));
    CHECK_OK(scree_sim_run(b, 30));
    check_same("gone on", a, b);
    scree_sim_destroy(a);
    scree_sim_destroy(b);
    free_system(&s);
}

static const test_case cases[] = {
    SAME_BITS(a_run_goes_on_on_the_other_side),
    SAME_BITS(a_run_that_is_stopped_goes_on),
    ALLOCATION(memory_that_runs_out_ends_a_run_that_goes_on),
    UNIT(what_devices_cannot_do_is_refused_by_name),
    UNIT(a_sphere_that_is_lost_is_named_as_on_the_processor),
    SAME_BITS(every_law_acts_as_on_the_processor),
    SAME_BITS(spheres_move_as_on_the_processor),
    SAME_BITS(properties_follow_their_spheres),
    SAME_BITS(round_walls_hold_as_on_the_processor),
};

const test_group group_device = {.name = "device", .cases = cases, .count = sizeof cases / sizeof *cases};
