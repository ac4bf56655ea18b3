// Simulations: messages for invalid input and states, spheres that are lost, and parameters of lists.
#include "sim_support.h"

// ---- Invalid input ----------------------------------------------------------------------------------------------------

typedef struct wrong {
    size_t offset;  // of a double in the def
    double value;
    const char* says[2];
} wrong;

static void invalid_input_is_reported_with_value_and_expectation(void** state)
{
    (void)state;
    static const double x[] = {1.0, 1.0, 1.0, 5.0, 5.0, 5.0, 3.0, 3.0, 3.0}, r[] = {0.5, 0.9, 0.4};
#define AT(field) offsetof(scree_sim_def, field)
    static const wrong wrongs[] = {
        {AT(material_density), 0.0, {"density | 0", "0"}},
        {AT(material_density), NAN, {"density", "0"}},
        {AT(material_density), INFINITY, {"density | inf", "0"}},
        {AT(stiffness), 0.0, {"stiffness", ""}},
        {AT(stiffness), -3.0, {"stiffness | -3", "0"}},
        {AT(stiffness), NAN, {"stiffness", "0"}},
        {AT(contact_duration), 0.1, {"stiffness", ""}},
        {AT(overlap), 0.1, {"stiffness", ""}},
        {AT(damping), -0.5, {"damping | -0.5", "0"}},
        {AT(damping), NAN, {"damping", "0"}},
        {AT(restitution), 1.5, {"restitution | 1.5", "1"}},
        {AT(restitution), -0.5, {"restitution | -0.5", "0"}},
        {AT(restitution), NAN, {"restitution", "1"}},
        {AT(time_step), -1.0, {"-1", "0"}},
        {AT(time_step), NAN, {"", "0"}},
        {AT(time_step), 1e9, {"1e+09", "sphere 2 | sphere 0"}},
        {AT(gravity[1]), NAN, {"gravity", "axis y"}},
        {AT(gravity[0]), INFINITY, {"gravity | inf", "axis x"}},
        {AT(gravity_turn[2]), INFINITY, {"inf", "axis z"}},
        {AT(wall_velocity[1][1]), NAN, {"velocity", "axis y"}},
        {AT(box.lower[0]), 20.0, {"20", ""}},
        {AT(box.lower[0]), 2.0, {"sphere 0", "x = 1"}},
    };
#undef AT
    for (size_t c = 0; c < sizeof wrongs / sizeof *wrongs; ++c) {
        scree_sim_def def = scree_default_sim_def();
        def.box = sim_cube(3, 10.0, false);
        def.stiffness = 100.0;
        memcpy((char*)&def + wrongs[c].offset, &wrongs[c].value, sizeof(double));
        scree_sim* sim = NULL;
        scree_spheres spheres = {.count = 3, .dim = 3, .x = x, .r = r};
        for (int s = 0; s < 2; ++s)
            CHECK_FAILS(scree_sim_create(&def, spheres, NULL, &sim), SCREE_ERR_ARGUMENT, wrongs[c].says[s]);
        assert_null(sim);
    }
    scree_sim* sim = NULL;
    scree_spheres spheres = {.count = 3, .dim = 3, .x = x, .r = r};
    scree_sim_def good = scree_default_sim_def(), def;
    good.box = sim_cube(3, 10.0, false);
    good.stiffness = 100.0;
#define REFUSED(text) CHECK_FAILS(scree_sim_create(&def, spheres, NULL, &sim), SCREE_ERR_ARGUMENT, text)
    def = good, def.restitution = 0.5, def.damping = 1.0;
    REFUSED("damping | 1 | restitution | 0.5");
    def = good, def.stiffness = 0.0, def.overlap = 1.5, def.speed = 1.0;
    REFUSED("overlap | 1.5");
    def = good, def.stiffness = 0.0, def.overlap = 0.1;
    REFUSED("");
    def = good, def.stiffness = 0.0, def.contact_duration = -1.0;
    REFUSED("-1");
    def = good, def.order_every = 0;
    REFUSED("0");
    def = good, def.threads = -1;
    REFUSED("-1 | threads");
    def = good, def.box.periodic[1] = true, def.wall_velocity[1][0] = 1.0;
    REFUSED("velocity | 1 | axis y");
    def = good, def.box.dim = 2;
    REFUSED("3 | 2");
    def = good, def.struct_size = 7;
    REFUSED("scree_default_sim_def");
    scree_index_def search = scree_default_index_def();
    def = good, def.search = &search, search.verlet_radius = 0.5;
    REFUSED("radius | 0.5");
    search.struct_size = 7;
    REFUSED("7 | scree_default_index_def");
    search.struct_size = (uint32_t)sizeof search + 8;
    REFUSED("sim.search");
    double v[9] = {0.0};
    v[5] = NAN;
    CHECK_FAILS(scree_sim_create(&good, spheres, v, &sim), SCREE_ERR_ARGUMENT, "sphere 1", "velocity");
    double none[3] = {0.5, 0.0, 0.4};
    spheres.r = none;
    def = good;
    REFUSED("sphere 1 | radius | 0");
    // Named by id, wherever it stands in memory.
    double large[3] = {0.5, 5.5, 0.4};
    spheres.r = large;
    for (int k = 0; k < 3; ++k)
        def.box.periodic[k] = true;
    REFUSED("sphere 1 | diameter | 11");
    assert_null(sim);
    // In two dimensions there is no z.
    spheres = (scree_spheres){.count = 1, .dim = 2, .x = x, .r = r};
    def = good, def.box = sim_cube(2, 10.0, false), def.gravity[2] = -1.0;
    REFUSED("");
    def.gravity[2] = 0.0, def.gravity_turn[0] = 1.0;
    REFUSED("");
#undef REFUSED
}

static void a_step_may_be_a_tenth_of_the_shortest_contact(void** state)
{
    (void)state;
    static const double x[] = {1.0, 1.0, 5.0, 5.0, 3.0, 3.0}, r[] = {0.5, 0.9, 0.4};
    scree_sim_def def = scree_default_sim_def();
    def.box = sim_cube(2, 10.0, false);
    def.stiffness = 100.0;
    scree_sim* sim = sim_made(&def, 3, x, r, NULL);
    double most = scree_sim_get_numbers(sim).longest_time_step;
    scree_sim_destroy(sim);
    def.time_step = most;
    scree_sim_destroy(sim_made(&def, 3, x, r, NULL));
    def.time_step = nextafter(most, 1.0);
    CHECK_FAILS(scree_sim_create(&def, (scree_spheres){.count = 3, .dim = 2, .x = x, .r = r}, NULL, &sim), SCREE_ERR_ARGUMENT, "sphere 2", "sphere 0", "0.4", "0.5");
    CHECK_FAILS(scree_sim_create(&def, (scree_spheres){.count = 1, .dim = 2, .x = x, .r = (double[]){0.01}}, NULL, &sim), SCREE_ERR_ARGUMENT, "sphere 0");
}

// ---- When it comes apart -------------------------------------------------------------------------------------------------

static void check_lost(scree_sim* sim, int64_t steps, const char* who, const char* how)
{
    CHECK_FAILS(scree_sim_run(sim, steps), SCREE_ERR_ARGUMENT, who);
    assert_true(strstr(scree_error_message(), how) != NULL);
    char at[64];
    snprintf(at, sizeof at, "step %lld:", (long long)scree_sim_get_step(sim));
    if (strstr(scree_error_message(), at) == NULL)
        fail_msg("without \"%s\": %s", at, scree_error_message());
    int64_t step = scree_sim_get_step(sim);
    CHECK_FAILS(scree_sim_run(sim, 1), SCREE_ERR_ARGUMENT);
    assert_int_equal(scree_sim_get_step(sim), step);
    scree_sim_report report;
    CHECK_FAILS(scree_sim_measure(sim, &report), SCREE_ERR_ARGUMENT);
}

static void a_sphere_that_leaves_is_reported(void** state)
{
    (void)state;
    for (int face = 0; face < 6; ++face) {
        // Soft, and fast: the centre goes through the wall. Id 0 comes last in memory.
        double x[9] = {8.0, 8.0, 8.0, 1.0, 1.0, 1.0, 3.0, 3.0, 3.0}, v[9] = {0.0}, r[3] = {0.7, 0.6, 0.5};
        static const char* const names[] = {"lower x", "upper x", "lower y", "upper y", "lower z", "upper z"};
        int32_t order[3];
        v[face / 2] = face & 1 ? 3.0 : -3.0;
        x[face / 2] = 5.0;
        scree_sim_def def = scree_default_sim_def();
        def.box = sim_cube(3, 10.0, false);
        def.stiffness = 0.5;
        def.order_every = 1000000;
        scree_sim* sim;
        CHECK_OK(scree_sim_create(&def, (scree_spheres){.count = 3, .dim = 3, .x = x, .r = r}, v, &sim));
        sim_copy before = sim_copy_make(3, 3);
        CHECK_OK(sim_copy_get(sim, &before));
        CHECK_OK(sim_copy_get(sim, &(sim_copy){.order = order}));
        assert_int_equal(order[2], 0);
        check_lost(sim, 100000, "sphere 0 ", names[face]);
        // At once: 5 units of way at speed 3 and somewhat slower in the wall.
        assert_true(scree_sim_get_time(sim) > 5.0 / 3.0 && scree_sim_get_time(sim) < 2.0);
        // From the earlier state it goes on until there again.
        int64_t step = scree_sim_get_step(sim);
        CHECK_OK(sim_copy_set(sim, &before));
        CHECK_OK(scree_sim_run(sim, step - 1));
        check_lost(sim, 1, "sphere 0 ", names[face]);
        sim_copy_free(&before);
        scree_sim_destroy(sim);
    }
}

static void a_sphere_without_a_position_is_reported(void** state)
{
    (void)state;
    // Id 1 flies beyond all lengths; it does not stand at place 1 in memory.
    double x[9] = {5.0, 0.0, 0.0, 0.0, 0.0, 0.0, 9.0, 9.0, 9.0}, r[3] = {1.0, 1.0, 1.0}, v[9] = {0.0, 0.0, 0.0, 1e140};
    scree_sim_def def = scree_default_sim_def();
    def.stiffness = 1.0;
    scree_sim* sim;
    CHECK_OK(scree_sim_create(&def, (scree_spheres){.count = 3, .dim = 3, .x = x, .r = r}, v, &sim));
    check_lost(sim, 1000, "sphere 1", "x = 1.0");
    scree_sim_destroy(sim);
    // Round and round a periodic box.
    def.box = sim_cube(3, 12.0, true);
    v[3] = 1e3;
    CHECK_OK(scree_sim_create(&def, (scree_spheres){.count = 3, .dim = 3, .x = x, .r = r}, v, &sim));
    check_lost(sim, 1000, "sphere 1", "periodic box of 12");
    scree_sim_destroy(sim);
    // A force without bound: light spheres deep in each other.
    def = scree_default_sim_def();
    def.stiffness = 1e150;
    def.material_density = 1e-152;
    v[3] = 0.0;
    x[0] = 0.5;
    CHECK_OK(scree_sim_create(&def, (scree_spheres){.count = 3, .dim = 3, .x = x, .r = r}, v, &sim));
    check_lost(sim, 1000, "sphere 0", "has the velocity");
    scree_sim_destroy(sim);
    // Gravity of the largest kind.
    def = scree_default_sim_def();
    def.stiffness = 1.0;
    def.gravity[1] = 1e140;
    CHECK_OK(scree_sim_create(&def, (scree_spheres){.count = 2, .dim = 3, .x = x + 3, .r = r}, NULL, &sim));
    check_lost(sim, 1000, "sphere 0", "y = ");
    scree_sim_destroy(sim);
}

// Places may become smaller than any length that is accepted at the start: they are as good as 0.
static void places_near_zero_are_places(void** state)
{
    (void)state;
    double x[4] = {0.0, 0.0, 3.0, 0.0}, r[2] = {1.0, 1.0}, v[4] = {1e-200, 0.0, 0.0, -1e-160};
    scree_sim_def def = scree_default_sim_def();
    def.box = scree_box_open(2);
    def.stiffness = 1.0;
    def.check = true;
    scree_index_def search = scree_default_index_def();
    search.skin = -1.0;
    def.search = &search;
    scree_sim* sim;
    CHECK_OK(scree_sim_create(&def, (scree_spheres){.count = 2, .dim = 2, .x = x, .r = r}, v, &sim));
    CHECK_OK(scree_sim_run(sim, 10));
    scree_sim_destroy(sim);
}

// ---- Lists ---------------------------------------------------------------------------------------------------------------

// A skin wider than half a periodic box: a sphere can go round once while others stand.
static void a_wide_skin_in_a_periodic_box_loses_nothing(void** state)
{
    (void)state;
    for (int c = 0; c < 4 + 16 * test_effort(); ++c) {  // at least half of the skins
        scree_rng rng = scree_rng_make((uint64_t)c, 41);
        double x[4] = {1.0, 5.0, 3.0, sim_between(&rng, 6.2, 8.0)}, r[2] = {0.5, 0.5}, v[4] = {5.0, 0.0, 0.0, sim_between(&rng, -0.5, -0.1)};
        scree_sim_def def = scree_default_sim_def();
        def.box = sim_cube(2, 10.0, true);
        def.stiffness = 1e3;
        scree_index_def search = scree_default_index_def();
        search.skin = 4.0 + 0.5 * (c % 12);
        def.search = &search;
        def.order_every = 100000;
        def.check = true;
        scree_sim* sim;
        CHECK_OK(scree_sim_create(&def, (scree_spheres){.count = 2, .dim = 2, .x = x, .r = r}, v, &sim));
        CHECK_OK(scree_sim_run(sim, 8000));
        scree_sim_destroy(sim);
    }
}

// rebuild_every is refused when contacts could be lost, and only then: here one sphere moves by 0.09 in 9 steps and the skin is 0.1.
static void rebuild_every_is_refused_only_when_it_must(void** state)
{
    (void)state;
    double x[] = {1.0, 5.0, 5.0, 30.0, 6.8, 5.0}, r[] = {0.5, 0.5}, v[] = {10.0, 0.0, 0.0, 0.0, 0.0, 0.0};
    scree_sim_def def = scree_default_sim_def();
    def.stiffness = 1e3;
    def.time_step = 1e-3;
    scree_index_def search = scree_default_index_def();
    search.skin = 0.1;
    search.rebuild_every = 10;
    def.search = &search;
    scree_sim* sim;
    CHECK_OK(scree_sim_create(&def, (scree_spheres){.count = 2, .dim = 3, .x = x, .r = r}, v, &sim));
    CHECK_OK(scree_sim_run(sim, 1000));
    assert_int_equal(sim_report_of(sim).rebuilds, 101);
    scree_sim_destroy(sim);
    v[0] = 12.0;
    CHECK_OK(scree_sim_create(&def, (scree_spheres){.count = 2, .dim = 3, .x = x, .r = r}, v, &sim));
    CHECK_FAILS(scree_sim_run(sim, 1000), SCREE_ERR_ARGUMENT, "rebuild_every", "10");
    scree_sim_destroy(sim);
}

static void a_sphere_alone_needs_few_lists(void** state)
{
    (void)state;
    double x[2] = {5.0, 5.0}, v[2] = {1.0, 0.7};
    scree_sim_def def = scree_default_sim_def();
    def.box = sim_cube(2, 10.0, false);
    def.stiffness = 1e3;
    scree_sim* sim = sim_made(&def, 1, x, (const double[]){0.5}, v);
    CHECK_OK(scree_sim_run(sim, 20000));
    assert_true(sim_report_of(sim).rebuilds < 200);
    scree_sim_destroy(sim);
}

// ---- Invalid states -----------------------------------------------------------------------------------------------------

static void a_state_with_walls_that_are_no_places_is_refused(void** state)
{
    (void)state;
    double x[4] = {1.0, 1.0, 3.0, 3.0}, r[2] = {0.5, 0.5};
    scree_sim_def def = scree_default_sim_def();
    def.box = sim_cube(2, 5.0, false);
    def.stiffness = 1.0;
    scree_sim* sim = sim_made(&def, 2, x, r, NULL);
    sim_copy at = sim_copy_make(2, 2);
    uint64_t hash = scree_sim_hash(sim);
    static const double bad[] = {NAN, INFINITY, -INFINITY};
    for (int c = 0; c < 3; ++c) {
        CHECK_OK(sim_copy_get(sim, &at));
        at.walls.at[1][0] = bad[c];
        CHECK_FAILS(sim_copy_set(sim, &at), SCREE_ERR_ARGUMENT);
        assert_true(scree_sim_hash(sim) == hash);
    }
    CHECK_OK(sim_copy_get(sim, &at));
    CHECK_OK(sim_copy_set(sim, &at));
    sim_copy_free(&at);
    scree_sim_destroy(sim);
}

static const test_case cases[] = {
    UNIT(invalid_input_is_reported_with_value_and_expectation),
    ALLOCATION(a_step_may_be_a_tenth_of_the_shortest_contact),
    UNIT(a_sphere_that_leaves_is_reported),
    UNIT(a_sphere_without_a_position_is_reported),
    UNIT(places_near_zero_are_places),
    UNIT(a_wide_skin_in_a_periodic_box_loses_nothing),
    UNIT(rebuild_every_is_refused_only_when_it_must),
    UNIT(a_sphere_alone_needs_few_lists),
    UNIT(a_state_with_walls_that_are_no_places_is_refused),
};

const test_group group_sim_invalid = {.name = "sim_invalid", .cases = cases, .count = sizeof cases / sizeof *cases};
