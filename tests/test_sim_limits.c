// Simulations of no sphere and one, stops, failing allocations, contacts that none may miss, and invalid input.
#include "sim_system_support.h"

// ---- Manners -------------------------------------------------------------------------------------------------------------------

static void none_and_one(void** state)
{
    (void)state;
    scree_sim_def def = scree_default_sim_def();
    def.stiffness = 1.0;
    scree_sim* sim;
    CHECK_OK(scree_sim_create(&def, (scree_spheres){.count = 0, .dim = 3}, NULL, &sim));
    CHECK_OK(scree_sim_run(sim, 10));
    scree_sim_report report;
    CHECK_OK(scree_sim_measure(sim, &report));
    assert_int_equal(report.step, 10);
    scree_sim_destroy(sim);
    double x[3] = {0.0, 0.0, 0.0}, v[3] = {1.0, 2.0, 3.0}, r = 1.0;
    CHECK_OK(scree_sim_create(&def, (scree_spheres){.count = 1, .dim = 3, .x = x, .r = &r}, v, &sim));
    CHECK_OK(scree_sim_run(sim, 10));
    double there[3];
    CHECK_OK(sim_copy_get(sim, &(sim_copy){.x = there}));
    for (int k = 0; k < 3; ++k)
        CHECK_CLOSE(there[k], v[k] * scree_sim_get_time(sim), 1e-12);
    scree_sim_destroy(sim);
}

static bool stop_soon(void* context, double done)
{
    (void)done;
    return --*(int*)context > 0;
}

static void a_stopped_run_can_go_on(void** state)
{
    (void)state;
    setup s = make_system("addition", params_of(3, 3000, 5.0, 0u, 6), 1);
    uint64_t wanted = run_and_hash(&s, 400);
    int left = 3;
    s.def.watch = (scree_watch){.tick = stop_soon, .context = &left};
    scree_sim* sim = start(&s);
    int stops = 0;
    while (scree_sim_get_step(sim) < 400) {
        int64_t before = scree_sim_get_step(sim);
        scree_status status = scree_sim_run(sim, 400 - before);
        if (status == SCREE_OK)
            break;
        assert_int_equal(status, SCREE_ERR_CANCELLED);
        assert_true(scree_sim_get_step(sim) > before);
        ++stops;
        left = stops < 5 ? 2 : 1000000;
    }
    assert_true(scree_sim_hash(sim) == wanted);
    scree_sim_destroy(sim);
    free_system(&s);
}

static scree_status create_and_drop(const setup* s)
{
    scree_sim* sim;
    scree_status status = scree_sim_create(&s->def, scree_sphere_set_view(&s->set), s->v, &sim);
    if (status == SCREE_OK)
        scree_sim_destroy(sim);
    return status;
}

static void memory_that_runs_out(void** state)
{
    (void)state;
    for (int loss = 0; loss < 2; ++loss) {
        setup s = make_system("addition", params_of(3, 300, 4.0, 2u, 6), loss);
        s.def.integrator = loss;
        EACH_ALLOCATION_FAILS(create_and_drop(&s), (void)0);
        // In the middle of a run: it goes on later and ends where it would have ended.
        uint64_t wanted = run_and_hash(&s, 150);
        scree_sim* sim = start(&s);
        for (int64_t n = 1; scree_sim_get_step(sim) < 150; n = n % 7 + 1) {
            int64_t left = 150 - scree_sim_get_step(sim) + (sim->flying ? 1 : 0);
            scree_memory_fail_at(n);
            scree_status status = scree_sim_run(sim, left);
            scree_memory_fail_at(0);
            if (status == SCREE_OK)
                break;
            assert_int_equal(status, SCREE_ERR_MEMORY);
            if (n == 7)
                CHECK_OK(scree_sim_run(sim, sim->flying ? 0 : 1));
        }
        assert_int_equal(scree_sim_get_step(sim), 150);
        assert_true(scree_sim_hash(sim) == wanted);
        scree_sim_contacts contacts;
        EACH_ALLOCATION_FAILS(scree_sim_get_contacts(sim, &contacts), (void)0);
        scree_sim_destroy(sim);
        free_system(&s);
    }
}

static void a_steady_run_allocates_nothing(void** state)
{
    (void)state;
    setup s = make_system("addition", params_of(3, 2000, 5.0, 0u, 6), 0);
    s.search.skin = 0.5;
    scree_sim* sim = start(&s);
    CHECK_OK(scree_sim_run(sim, 300));
    scree_memory_fail_at(0);
    int64_t rebuilds = sim->lists.rows.build, before = scree_sim_get_step(sim);
    CHECK_OK(scree_sim_run(sim, 20));
    int64_t allocations = scree_memory_fail_at(0);
    if (sim->lists.rows.build == rebuilds)
        assert_int_equal(allocations, 0);
    assert_int_equal(scree_sim_get_step(sim), before + 20);
    scree_sim_destroy(sim);
    free_system(&s);
}

// The list lasts for many steps, but never too long: def.check compares each step with all pairs, here with spheres that shoot about.
static void no_contact_is_missed(void** state)
{
    (void)state;
    int rounds = (int)fmax(2.0, 6.0 * test_effort());
    for (int round = 0; round < rounds; ++round) {
        setup s = make_system("addition", params_of(2 + round % 2, 150, 6.0, (unsigned)round % 4, (uint64_t)round + 20), round % 3);
        for (int64_t e = 0; e < (int64_t)s.set.count * s.set.dim; ++e)
            s.v[e] *= e % 17 == 0 ? 20.0 : 1.0;
        s.def.check = true;
        s.def.integrator = round / 2 % 2;
        if (round % 2 == 1)
            s.def.wall_velocity[1][0] = s.def.box.periodic[1] ? 0.0 : 0.01;
        scree_sim* sim = start(&s);
        scree_status status = scree_sim_run(sim, 300);
        if (status != SCREE_OK && strstr(scree_error_message(), "has left through") == NULL)
            fail_msg("round %d: %s", round, scree_error_message());
        assert_true(sim->lists.rows.build > 1 && sim->lists.rows.build < 200);
        scree_sim_destroy(sim);
        free_system(&s);
    }
}

// The paper's rule, rebuilt every so many steps, is taken at its word, and refused where it would lose contacts.
static void a_fixed_rebuild_is_kept_or_refused(void** state)
{
    (void)state;
    setup s = make_system("addition", params_of(3, 200, 2.0, 0u, 6), 0);
    uint64_t wanted = run_and_hash(&s, 100);
    s.search.method = SCREE_METHOD_VERLET_LIST;
    double widest = 0.0;
    for (int32_t i = 0; i < s.set.count; ++i)
        widest = fmax(widest, 2.0 * s.set.r[i]);
    s.search.verlet_radius = 2.0 * widest;
    s.search.rebuild_every = 10;
    scree_sim* sim = start(&s);
    CHECK_OK(scree_sim_run(sim, 100));
    assert_true(scree_sim_hash(sim) == wanted);
    assert_in_range(sim->lists.rows.build, 10, 14);  // and at the renewals of order
    scree_sim_destroy(sim);
    s.search.verlet_radius = widest + 1e-3;
    sim = start(&s);
    CHECK_FAILS(scree_sim_run(sim, 100), SCREE_ERR_ARGUMENT);
    scree_sim_destroy(sim);
    s.search.verlet_radius = 3.0;
    s.def.search = &s.search;
    scree_sim* none;
    CHECK_FAILS(scree_sim_create(&s.def, scree_sphere_set_view(&s.set), s.v, &none), SCREE_ERR_ARGUMENT, "radius", "3");
    free_system(&s);
}

// def.search and its cell_sizes are borrowed for the call: afterwards they may be overwritten. None is the default one.
static void the_search_is_borrowed_for_the_call(void** state)
{
    (void)state;
    setup s = make_system("addition", params_of(3, 200, 2.0, 0u, 6), 0);
    uint64_t wanted = run_and_hash(&s, 100);
    double widest = 0.0;
    for (int32_t i = 0; i < s.set.count; ++i)
        widest = fmax(widest, 2.0 * s.set.r[i]);
    double sizes[2] = {2.0 * widest, 4.0 * widest};
    s.search.method = SCREE_METHOD_HIERARCHICAL_GRID;
    s.search.cell_size_count = 2;
    s.search.cell_sizes = sizes;
    scree_sim* sim = start(&s);
    memset(&s.search, 0xA5, sizeof s.search);
    memset(sizes, 0xA5, sizeof sizes);
    CHECK_OK(scree_sim_run(sim, 100));
    assert_int_equal(sim_report_of(sim).method, SCREE_METHOD_HIERARCHICAL_GRID);
    assert_true(scree_sim_hash(sim) == wanted);
    scree_sim_destroy(sim);
    s.def.search = NULL;
    CHECK_OK(scree_sim_create(&s.def, scree_sphere_set_view(&s.set), s.v, &sim));
    CHECK_OK(scree_sim_run(sim, 100));
    assert_true(scree_sim_hash(sim) == wanted);
    scree_sim_destroy(sim);
    free_system(&s);
}

// Properties of single spheres are labels where they change nothing, and else checked: the message on an invalid one names the sphere.
static void properties_of_single_spheres_are_checked(void** state)
{
    (void)state;
    double x[] = {1.0, 1.0, 1.0, 3.0, 1.0, 1.0}, r[] = {0.5, 0.5}, density[] = {1.0, 1.0}, force[6] = {0.0};
    uint16_t group[] = {0, 3}, material[] = {1, 0};
    uint8_t fixed[] = {0, 0};
    scree_spheres spheres = {.count = 2, .dim = 3, .x = x, .r = r};
    scree_sim_each each = scree_default_sim_each();
    scree_sim_def def = scree_default_sim_def();
    def.stiffness = 1.0;
    scree_sim *bare, *labelled;
    CHECK_OK(scree_sim_create(&def, spheres, NULL, &bare));
    def.each = &each;
    each.material_density = density;
    each.group = group;
    each.material = material;
    each.fixed = fixed;
    each.force = force;
    CHECK_OK(scree_sim_create(&def, spheres, NULL, &labelled));
    each = (scree_sim_each){0};  // it was borrowed
    CHECK_OK(scree_sim_run(bare, 100));
    CHECK_OK(scree_sim_run(labelled, 100));
    assert_int_equal(scree_sim_hash(bare), scree_sim_hash(labelled));
    CHECK_OK(scree_sim_set_group_force(labelled, 3, (const double[3]){0.0, 0.0, 0.0}));
    CHECK_FAILS(scree_sim_set_group_force(labelled, 4, (const double[3]){0.0, 0.0, 0.0}), SCREE_ERR_ARGUMENT, "4");
    CHECK_FAILS(scree_sim_set_group_force(labelled, -1, (const double[3]){0.0, 0.0, 0.0}), SCREE_ERR_ARGUMENT, "-1");
    CHECK_FAILS(scree_sim_set_group_force(labelled, 3, (const double[3]){0.0, NAN, 0.0}), SCREE_ERR_ARGUMENT, "nan");
    CHECK_FAILS(scree_sim_set_group_force(bare, 1, (const double[3]){0.0, 0.0, 0.0}), SCREE_ERR_ARGUMENT, "1");
    scree_sim_destroy(bare);
    scree_sim_destroy(labelled);
    CHECK_FAILS(scree_sim_create(&def, spheres, NULL, &bare), SCREE_ERR_ARGUMENT, "scree_default_sim_each");
    each = scree_default_sim_each();
    each.material_density = (const double[]){1.0, -2.0};
    CHECK_FAILS(scree_sim_create(&def, spheres, NULL, &bare), SCREE_ERR_ARGUMENT, "sphere 1", "-2");
    scree_sim_numbers numbers;
    CHECK_FAILS(scree_sim_find_numbers(&def, spheres, &numbers), SCREE_ERR_ARGUMENT, "sphere 1", "-2");
    each = scree_default_sim_each();
    each.fixed = (const uint8_t[]){0, 2};
    CHECK_FAILS(scree_sim_create(&def, spheres, NULL, &bare), SCREE_ERR_ARGUMENT, "sphere 1", "2");
    each = scree_default_sim_each();
    each.force = (const double[]){0.0, 0.0, 0.0, 0.0, INFINITY, 0.0};
    CHECK_FAILS(scree_sim_create(&def, spheres, NULL, &bare), SCREE_ERR_ARGUMENT, "sphere 1", "inf");
}

static const test_case cases[] = {
    UNIT(properties_of_single_spheres_are_checked),
    UNIT(none_and_one),
    UNIT(a_stopped_run_can_go_on),
    ALLOCATION(memory_that_runs_out),
    ALLOCATION(a_steady_run_allocates_nothing),
    PROPERTY(no_contact_is_missed),
    UNIT(a_fixed_rebuild_is_kept_or_refused),
    UNIT(the_search_is_borrowed_for_the_call),
};

const test_group group_sim_limits = {.name = "sim_limits", .cases = cases, .count = sizeof cases / sizeof *cases};
