// Columns, states and integrators of a simulation.
#include "sim_system_support.h"

// ---- Columns -----------------------------------------------------------------------------------------------------------------

static void columns_are_as_given_and_as_listed(void** state)
{
    (void)state;
    setup s = make_mixed(params_of(3, 200, 5.0, 2u, 4), 1);
    scree_sim* alike = start(&s);
    s.def.each = &s.each;
    s.def.integrator = SCREE_INTEGRATOR_POSITION_VERLET;
    scree_sim* sim = start(&s);
    int32_t n = s.set.count;
    scree_sim_column few[20], all[20];
    int32_t fewer = scree_sim_get_columns(alike, few, 20), count = scree_sim_get_columns(sim, all, 20);
    assert_true(fewer < count && count <= 20 && scree_sim_get_columns(sim, NULL, 0) == count);
    for (int32_t c = 0; c < count; ++c) {
        // Each by its name, and no byte beyond its size.
        size_t bytes = (size_t)n * (size_t)all[c].components * scree_type_size((scree_type)all[c].type);
        unsigned char* values = malloc(bytes + 1);
        values[bytes] = 77;
        CHECK_OK(scree_sim_get_column(sim, all[c].name, values));
        assert_int_equal(values[bytes], 77);
        const void* given = strcmp(all[c].name, "radius") == 0 ? (const void*)s.set.r
                            : strcmp(all[c].name, "material") == 0 ? (const void*)s.each.material
                            : strcmp(all[c].name, "group") == 0 ? (const void*)s.each.group
                            : strcmp(all[c].name, "flags") == 0 ? (const void*)s.each.fixed
                            : strcmp(all[c].name, "force") == 0 ? (const void*)s.each.force
                            : strcmp(all[c].name, "v") == 0 ? (const void*)s.v
                                                            : NULL;
        if (given != NULL)
            assert_memory_equal(values, given, bytes);
        if (strcmp(all[c].name, "id") == 0)
            for (int32_t i = 0; i < n; ++i)
                assert_true(((int64_t*)(void*)values)[i] == i);
        free(values);
    }
    uint16_t group[200];
    CHECK_FAILS(scree_sim_get_column(alike, "group", group), SCREE_ERR_ARGUMENT, "'group'");
    CHECK_FAILS(scree_sim_set_group_force(alike, 1, (double[]){0.0, 0.0, 0.0}), SCREE_ERR_ARGUMENT, "group 1");
    CHECK_FAILS(scree_sim_set_group_force(alike, 0, (double[]){0.0, NAN, 0.0}), SCREE_ERR_ARGUMENT, "y", "nan");
    CHECK_OK(scree_sim_set_group_force(alike, 0, (double[]){0.0, 1.0, 0.0}));  // has the column from now on
    assert_int_equal(scree_sim_get_columns(alike, NULL, 0), fewer + 1);
    // What is not valid is refused with the sphere.
    double* density = (double*)(uintptr_t)s.each.material_density;
    uint8_t* fixed = (uint8_t*)(uintptr_t)s.each.fixed;
    scree_sim* none;
    density[17] = -1.0;
    CHECK_FAILS(scree_sim_create(&s.def, scree_sphere_set_view(&s.set), s.v, &none), SCREE_ERR_ARGUMENT, "sphere 17", "-1");
    density[17] = 1.0;
    fixed[5] = 2;
    CHECK_FAILS(scree_sim_create(&s.def, scree_sphere_set_view(&s.set), s.v, &none), SCREE_ERR_ARGUMENT, "sphere 5", "2");
    scree_sim_destroy(alike);
    scree_sim_destroy(sim);
    free_system(&s);
}

// In a long box a cell is as long as it is wide: the key's bits along the short side begin where the long side is that short.
static void keys_are_cubic(void** state)
{
    (void)state;
    for (int dim = 2; dim <= 3; ++dim) {
        double x[] = {0.3, 15.9, 0.9, 0.2, 0.8, 0.1}, r[] = {0.1, 0.1};
        if (dim == 2)
            x[2] = 0.2, x[3] = 0.8;
        scree_sim_def def = scree_default_sim_def();
        def.box = scree_box_sized(dim, (double[]){1.0, 16.0, 1.0});
        def.stiffness = 1.0;
        scree_sim* sim;
        CHECK_OK(scree_sim_create(&def, (scree_spheres){.count = 2, .dim = dim, .x = x, .r = r}, NULL, &sim));
        uint64_t key[2];
        CHECK_OK(scree_sim_get_column(sim, "key", key));
        for (int i = 0; i < 2; ++i) {
            uint64_t wanted = 0;
            for (int bit = 0; bit < (dim == 2 ? 31 : 21); ++bit)
                for (int k = 0; k < dim; ++k) {
                    uint64_t cell = (uint64_t)(x[i * dim + k] / 16.0 * (dim == 2 ? 2147483648.0 : 2097152.0));
                    wanted |= (cell >> bit & 1) << (bit * dim + k);
                }
            assert_true(key[i] == wanted);
        }
        scree_sim_destroy(sim);
    }
}

static void who_is_a_giant(void** state)
{
    (void)state;
    enum { n = 101 };
    double x[3 * n], r[n];
    for (int i = 0; i < n; ++i) {
        r[i] = i < 50 ? 0.5 : i == 50 ? 1.0 : i < 99 ? 2.0 : i == 99 ? 63.9 : 64.0;  // the median is 1
        for (int k = 0; k < 3; ++k)
            x[3 * i + k] = k == 0 ? 200.0 * i : 0.0;
    }
    scree_sim_def def = scree_default_sim_def();
    def.stiffness = 3.0;
    scree_sim_numbers numbers;
    CHECK_OK(scree_sim_find_numbers(&def, (scree_spheres){.count = n, .dim = 3, .x = x, .r = r}, &numbers));
    assert_true(numbers.giant_radius == 64.0 && numbers.giant_count == 1);
    assert_true(numbers.force_quantum == 0x1p-40);  // k r_min = 1.5
    def.giants = 2.0;
    CHECK_OK(scree_sim_find_numbers(&def, (scree_spheres){.count = n, .dim = 3, .x = x, .r = r}, &numbers));
    assert_int_equal(numbers.giant_count, 50);
    def.giants = INFINITY;
    CHECK_OK(scree_sim_find_numbers(&def, (scree_spheres){.count = n, .dim = 3, .x = x, .r = r}, &numbers));
    assert_int_equal(numbers.giant_count, 0);
    def.giants = NAN;
    CHECK_FAILS(scree_sim_find_numbers(&def, (scree_spheres){.count = n, .dim = 3, .x = x, .r = r}, &numbers), SCREE_ERR_ARGUMENT, "nan");
}

// ---- State -------------------------------------------------------------------------------------------------------------------

typedef struct arrays {
    double *x, *v, *a, *x_before;
    uint64_t* key;
} arrays;

static arrays take_arrays(const scree_sim* sim, int dim, sim_copy* state)
{
    size_t n = (size_t)scree_sim_get_count(sim);
    size_t bytes = n * (size_t)dim * 8 + 1;
    arrays all = {malloc(bytes), malloc(bytes), malloc(bytes), NULL, malloc(n * 8 + 1)};
    if (scree_sim_get_integrator(sim) == SCREE_INTEGRATOR_POSITION_VERLET)
        all.x_before = malloc(bytes);
    *state = (sim_copy){.x = all.x, .v = all.v, .a = all.a, .key = all.key, .x_before = all.x_before};
    CHECK_OK(sim_copy_get(sim, state));
    return all;
}

static void free_arrays(arrays* all)
{
    free(all->x);
    free(all->v);
    free(all->a);
    free(all->x_before);
    free(all->key);
}

static void a_state_goes_on_as_if_never_stopped(void** state)
{
    (void)state;
    for (int round = 0; round < 6; ++round)
        for (int64_t stop = 1; stop < 120; stop += 29) {
            int loss = round % 3;
            scene_params params = params_of(2 + loss % 2, 200, 5.0, 1u, 11);
            bool mixed = (round + stop) % 2 == 0;
            setup s = mixed ? make_mixed(params, loss) : make_system("addition", params, loss);
            s.def.each = mixed ? &s.each : NULL;
            s.def.integrator = round / 3;
            if (loss == 2)
                s.def.wall_velocity[1][1] = -0.002;
            scree_sim* sim = start(&s);
            CHECK_OK(scree_sim_run(sim, stop));
            sim_copy kept;
            arrays all = take_arrays(sim, s.set.dim, &kept);
            CHECK_OK(scree_sim_run(sim, 120 - stop));
            uint64_t wanted = scree_sim_hash(sim);
            // Into another simulation, with another method and number of threads; and back into the same.
            s.search.method = SCREE_METHOD_LINKED_CELLS;
            s.def.threads = 2;
            scree_sim* other = start(&s);
            CHECK_OK(sim_copy_set(other, &kept));
            assert_int_equal(scree_sim_get_step(other), stop);
            CHECK_OK(scree_sim_run(other, 120 - stop));
            assert_true(scree_sim_hash(other) == wanted);
            CHECK_OK(sim_copy_set(sim, &kept));
            CHECK_OK(scree_sim_run(sim, 120 - stop));
            assert_true(scree_sim_hash(sim) == wanted);
            scree_sim_destroy(other);
            scree_sim_destroy(sim);
            free_arrays(&all);
            free_system(&s);
        }
}

// ---- Two integrators ---------------------------------------------------------------------------------------------------------

// Moments and what is the same in both, without rounding: at every step n the places x(n), the velocities v(n) and the accelerations a(n); and x_before(n) of
// position Verlet is x(n - 1). Rounding of places to the grid of the box, u = 2^-52 times its length, moves them apart by about u n^(3/2); contacts spread
// that as they spread anything. Over 1200 steps with contacts, walls that move, gravity that is set again and turns, and wrapping, 1e-8 of the box is
// far above what is found (6e-10), and far below what a wrong sign or a missing half step makes; velocities differ by that over a contact's duration: 1e-7 of the
// largest is accepted (8e-9 is found).
static void both_integrators_give_one_trajectory(void** state)
{
    (void)state;
    enum { steps = 1200, stretch = 10 };
    for (int round = 0; round < 8; ++round) {
        int dim = 2 + round % 2, loss = round / 2 % 2;
        setup s = make_system("addition", params_of(dim, 60, 2.0, round < 4 ? 0u : 1u, 3 + (uint64_t)round), loss);
        s.def.gravity[dim - 1] = -0.02;
        s.def.gravity_turn[2] = round == 1 ? 0.05 : 0.0;
        s.def.wall_velocity[1][1] = -1e-4;
        scree_sim* sim[2];
        double far = 0.0, fast = 0.0, length = s.def.box.upper[0] - s.def.box.lower[0], speed = 0.0, moved = 0.0;
        int64_t contacts = 0, walls = 0;
        for (int way = 0; way < 2; ++way) {
            s.def.integrator = way;
            sim[way] = start(&s);
        }
        size_t numbers = (size_t)s.set.count * (size_t)dim;
        double *x[2], *v[2], *earlier = malloc(numbers * sizeof *earlier), *before = malloc(numbers * sizeof *before);
        for (int way = 0; way < 2; ++way) {
            x[way] = malloc(numbers * sizeof **x);
            v[way] = malloc(numbers * sizeof **v);
        }
        for (int step = 0; step < steps; step += stretch) {
            for (int way = 0; way < 2; ++way) {
                if (step == steps / 2)
                    CHECK_OK(scree_sim_set_gravity(sim[way], (double[]){0.03, 0.01, 0.0}, (double[]){0.0, 0.0, 0.02}));
                CHECK_OK(scree_sim_run(sim[way], stretch - 1));
                if (way == 0)
                    CHECK_OK(sim_copy_get(sim[way], &(sim_copy){.x = earlier}));
                CHECK_OK(scree_sim_run(sim[way], 1));
                sim_copy now = {.x = x[way], .v = v[way], .x_before = way == 1 ? before : NULL};
                CHECK_OK(sim_copy_get(sim[way], &now));
                scree_sim_report report;
                CHECK_OK(scree_sim_measure(sim[way], &report));
                contacts += report.contacts;
                walls += report.wall_contacts;
                speed = fmax(speed, report.speed_max);
            }
            for (size_t e = 0; e < numbers; ++e) {
                int k = (int)(e % (size_t)dim);
                double turn = s.def.box.periodic[k] ? s.def.box.upper[k] - s.def.box.lower[k] : INFINITY, apart = fabs(x[0][e] - x[1][e]);
                double one_before = fabs(earlier[e] - before[e]);  // the order may have been renewed in between, and x_before is wrapped with x
                far = fmax(far, fmin(apart, fabs(apart - turn)));
                far = fmax(far, fmin(one_before, fabs(one_before - turn)));
                fast = fmax(fast, fabs(v[0][e] - v[1][e]));
                moved = fmax(moved, fabs(x[0][e] - s.set.x[e]));
            }
        }
        assert_int_equal(scree_sim_get_step(sim[1]), steps);
        if (!(contacts > steps / 4 && walls > steps / 40 && moved > 0.05 * length))
            fail_msg("round %d: %d contacts, %d with walls, moved by %g boxes: too little to tell", round, (int)contacts, (int)walls, moved / length);
        if (!(far <= 1e-8 * length && fast <= 1e-7 * speed))
            fail_msg("round %d: places differ by %g of the box, velocities by %g of the largest", round, far / length, fast / speed);
        print_message("integrators, round %d: places differ by up to %.1e boxes, velocities by %.1e of the largest; %d contacts\n", round, far / length, fast / speed,
                      (int)contacts);
        for (int way = 0; way < 2; ++way) {
            scree_sim_destroy(sim[way]);
            free(x[way]);
            free(v[way]);
        }
        free(earlier);
        free(before);
        free_system(&s);
    }
}

// Free fall, where both are exact but for rounding: x = x0 + v0 t + g t^2/2 and v = v0 + g t at every step.
static void free_fall_is_exact(void** state)
{
    (void)state;
    for (int way = 0; way < SCREE_INTEGRATOR_COUNT; ++way) {
        const double x0[3] = {1.0, 2.0, 3.0}, v0[3] = {0.5, 0.0, 1.0}, r = 0.5, g[3] = {0.0, -0.3, -2.0};
        scree_sim_def def = scree_default_sim_def();
        def.stiffness = 1000.0;
        def.integrator = way;
        memcpy(def.gravity, g, sizeof g);
        scree_sim* sim;
        CHECK_OK(scree_sim_create(&def, (scree_spheres){.count = 1, .dim = 3, .x = x0, .r = &r}, v0, &sim));
        assert_int_equal(scree_sim_get_integrator(sim), way);
        for (int run = 0; run < 50; ++run) {
            CHECK_OK(scree_sim_run(sim, 40));
            double x[3], v[3], t = scree_sim_get_time(sim);
            CHECK_OK(sim_copy_get(sim, &(sim_copy){.x = x, .v = v}));
            for (int k = 0; k < 3; ++k) {
                CHECK_CLOSE(x[k], x0[k] + v0[k] * t + 0.5 * g[k] * t * t, 1e-9);  // n^2 times the rounding of x
                CHECK_CLOSE(v[k], v0[k] + g[k] * t, 1e-9);
            }
        }
        scree_sim_destroy(sim);
    }
    assert_string_equal(scree_integrator_name(SCREE_INTEGRATOR_POSITION_VERLET), "position-verlet");
    assert_null(scree_integrator_name(SCREE_INTEGRATOR_COUNT));
}

// x_before belongs to position Verlet; a state without it goes on from x and v; a step is refused a number that is none.
static void a_state_knows_its_integrator(void** state)
{
    (void)state;
    setup s = make_system("addition", params_of(2, 50, 2.0, 1u, 2), 0);
    scree_sim* by_velocities = start(&s);
    s.def.integrator = SCREE_INTEGRATOR_POSITION_VERLET;
    scree_sim* by_positions = start(&s);
    CHECK_OK(scree_sim_run(by_positions, 30));
    sim_copy kept;
    arrays all = take_arrays(by_positions, 2, &kept);
    uint64_t untouched = scree_sim_hash(by_velocities);
    CHECK_FAILS(sim_copy_set(by_velocities, &kept), SCREE_ERR_ARGUMENT, "x_before", "velocity-verlet");
    CHECK_FAILS(sim_copy_get(by_velocities, &kept), SCREE_ERR_ARGUMENT, "x_before");
    assert_true(scree_sim_hash(by_velocities) == untouched);
    all.x_before[7] = NAN;
    CHECK_FAILS(sim_copy_set(by_positions, &kept), SCREE_ERR_ARGUMENT, "sphere 3", "x_before");
    // Without it: the next places are those that velocity Verlet makes of x, v and a.
    kept.x_before = NULL;
    CHECK_OK(sim_copy_set(by_positions, &kept));
    CHECK_OK(sim_copy_set(by_velocities, &kept));
    CHECK_OK(scree_sim_run(by_positions, 1));
    CHECK_OK(scree_sim_run(by_velocities, 1));
    double x[2][100];
    CHECK_OK(sim_copy_get(by_positions, &(sim_copy){.x = x[0]}));
    CHECK_OK(sim_copy_get(by_velocities, &(sim_copy){.x = x[1]}));
    for (int e = 0; e < 100; ++e)
        CHECK_CLOSE(x[0][e], x[1][e], 1e-14);
    s.def.integrator = SCREE_INTEGRATOR_COUNT;
    scree_sim* none;
    CHECK_FAILS(scree_sim_create(&s.def, scree_sphere_set_view(&s.set), s.v, &none), SCREE_ERR_ARGUMENT, "integrator", "2");
    scree_sim_destroy(by_velocities);
    scree_sim_destroy(by_positions);
    free_arrays(&all);
    free_system(&s);
}

static void an_invalid_state_changes_nothing(void** state)
{
    (void)state;
    setup s = make_system("addition", params_of(3, 50, 3.0, 1u, 2), 0);
    scree_sim* sim = start(&s);
    CHECK_OK(scree_sim_run(sim, 10));
    uint64_t before = scree_sim_hash(sim);
    sim_copy kept;
    arrays all = take_arrays(sim, 3, &kept);
    double x = all.x[7];
    all.x[7] = NAN;
    CHECK_FAILS(sim_copy_set(sim, &kept), SCREE_ERR_ARGUMENT, "sphere 2");
    all.x[7] = 1e6;  // y: a wall
    CHECK_FAILS(sim_copy_set(sim, &kept), SCREE_ERR_ARGUMENT);
    all.x[7] = x;
    // Columns that it has not, twice, without data, and spheres that are others.
    double r[50];
    CHECK_OK(scree_sim_get_column(sim, "radius", r));
    scree_sim_values columns[3] = {{"x", all.x}, {"v", all.v}, {"radius", r}};
    scree_sim_state given = {.step = kept.step, .walls = kept.walls, .column_count = 3, .columns = columns};
    r[31] += 1e-9;
    CHECK_FAILS(scree_sim_set_state(sim, &given), SCREE_ERR_ARGUMENT, "sphere 31", "radius");
    r[31] = s.set.r[31];
    columns[2].name = "colour";
    CHECK_FAILS(scree_sim_set_state(sim, &given), SCREE_ERR_ARGUMENT, "'colour'");
    CHECK_FAILS(scree_sim_get_state(sim, &given), SCREE_ERR_ARGUMENT, "'colour'");
    columns[2].name = "x";
    CHECK_FAILS(scree_sim_set_state(sim, &given), SCREE_ERR_ARGUMENT, "'x'");
    columns[2] = (scree_sim_values){"a", NULL};
    CHECK_FAILS(scree_sim_set_state(sim, &given), SCREE_ERR_ARGUMENT, "'a'");
    double* force = calloc(150, sizeof *force);
    force[4] = INFINITY;
    columns[2] = (scree_sim_values){"force", force};
    int32_t had = scree_sim_get_columns(sim, NULL, 0);
    CHECK_FAILS(scree_sim_set_state(sim, &given), SCREE_ERR_ARGUMENT, "sphere 1", "force");
    assert_int_equal(scree_sim_get_columns(sim, NULL, 0), had);  // no column of forces has come
    free(force);
    given.column_count = 1;
    CHECK_FAILS(scree_sim_set_state(sim, &given), SCREE_ERR_ARGUMENT, "v");
    kept.step = -1;
    CHECK_FAILS(sim_copy_set(sim, &kept), SCREE_ERR_ARGUMENT, "step -1");
    assert_true(scree_sim_hash(sim) == before);
    // Places and velocities alone are enough to go on.
    kept = (sim_copy){.step = 0, .walls = kept.walls, .x = all.x, .v = all.v};
    kept.walls.since = kept.walls.gravity_since = 0;
    CHECK_OK(sim_copy_set(sim, &kept));
    CHECK_OK(scree_sim_run(sim, 5));
    scree_sim_destroy(sim);
    free_arrays(&all);
    free_system(&s);
}

static void the_hash_tells_every_number_and_place(void** state)
{
    (void)state;
    setup s = make_system("addition", params_of(2, 30, 3.0, 0u, 2), 0);
    scree_sim* sim = start(&s);
    CHECK_OK(scree_sim_run(sim, 3));
    uint64_t whole = scree_sim_hash(sim);
    for (int64_t i = 0; i < sim->n; ++i)
        for (int k = 0; k < 4; ++k) {
            double* number = k < 2 ? &sim->x[i][k] : &sim_at(sim->v, i)[k - 2];
            double kept = *number;
            *number = nextafter(kept, INFINITY);
            assert_true(scree_sim_hash(sim) != whole);
            *number = kept;
        }
    double first = sim->x[0][0];  // two numbers that change places
    sim->x[0][0] = sim->x[1][0];
    sim->x[1][0] = first;
    assert_true(scree_sim_hash(sim) != whole);
    scree_sim_destroy(sim);
    free_system(&s);
}

static const test_case cases[] = {
    UNIT(columns_are_as_given_and_as_listed),
    UNIT(keys_are_cubic),
    UNIT(who_is_a_giant),
    SAME_BITS(a_state_goes_on_as_if_never_stopped),
    UNIT(both_integrators_give_one_trajectory),
    UNIT(free_fall_is_exact),
    UNIT(a_state_knows_its_integrator),
    UNIT(an_invalid_state_changes_nothing),
    SAME_BITS(the_hash_tells_every_number_and_place),
};

const test_group group_sim_state = {.name = "sim_state", .cases = cases, .count = sizeof cases / sizeof *cases};
