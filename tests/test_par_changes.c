// What is set between the runs of a simulation on many ranks, and what is kept of it: each rank does it with its own spheres, and the process of rank 0 never has all of them.
#include "par_support.h"

#include "par/pairs.h"

static void spheres_come_and_go_on_all_ranks(void** state)
{
    (void)state;
    const par_maker makers[] = {par_giant_friction, par_position_verlet, par_fixed, par_dragged_giant, par_flat_friction, par_open_box, par_bonded, par_bonded_giant};
    for (size_t m = 0; m < sizeof makers / sizeof *makers; ++m) {
        par_system s = makers[m](m + 1);
        uint64_t hash[par_looks];
        s.changes = par_swap_some;
        par_run_alone(&s, hash);
        for (int32_t ranks = 1; ranks <= 2 && s.has_bonds; ++ranks)
            par_run_shared(&s, ranks, true, 0, hash);
        par_run_shared(&s, 3, true, 0, hash);
        par_run_shared(&s, 8, m % 2 == 0, 7 * m + 1, hash);
        par_free(&s);
    }
}

// What a run may set on its way, one thing at a time.
enum { settings = 6 };
static void set_one(scree_sim* sim, int number)
{
    static const double rows[] = {0.0, 0.1, 0.0, 0.0, 0.05, 0.2, 0.0, 0.0};
    scree_sim_load load = scree_default_sim_load();
    switch (number) {
    case 0: CHECK_OK(scree_sim_set_gravity(sim, (const double[3]){0.4, 0.0, -0.9}, (const double[3]){0.0, 0.3, 0.0})); break;
    case 1: CHECK_OK(scree_sim_set_wall_velocity(sim, (const double[3][2]){{0.0, 0.0}, {0.0, 0.0}, {0.0, scree_sim_get_box(sim).periodic[2] ? 0.0 : -0.2}})); break;
    case 2:
        load.kind = SCREE_LOAD_DRAG;
        load.value = (scree_signal){.kind = SCREE_SIGNAL_TABLE, .count = 2, .table = rows};
        CHECK_OK(scree_sim_set_load(sim, &load));
        break;
    case 3: CHECK_OK(scree_sim_set_time_step(sim, 0.75 * scree_sim_get_numbers(sim).time_step)); break;
    case 4:
        load.kind = SCREE_LOAD_GRAVITY;
        load.value = (scree_signal){.kind = SCREE_SIGNAL_RAMP, .value = {0.0, 0.0, -1.0}, .to = {0.5, 0.0, 0.0}, .over = 0.3};
        scree_sim_set_gravity(sim, (const double[3]){0.0, 0.0, -1.0}, (const double[3]){0.0, 0.0, 0.0});
        CHECK_OK(scree_sim_set_load(sim, &load));
        break;
    default: CHECK_FAILS(scree_sim_set_gravity(sim, (const double[3]){NAN, 0.0, 0.0}, (const double[3]){0.0, 0.0, 0.0}), SCREE_ERR_ARGUMENT, "nan"); break;
    }
}

// A simulation whose steps have become shorter, and one that takes its state: it begins with the longer ones.
static uint64_t go_on_with_shorter_steps(par_system* s, bool shared)
{
    enum { most = 2000, columns = 5 };
    static double x[3 * most], v[3 * most], w[3 * most], radius[most];
    static uint64_t key[most];
    const scree_sim_values values[columns] = {{"x", x}, {"v", v}, {"w", w}, {"radius", radius}, {"key", key}};
    scree_sim_state taken = {.column_count = columns, .columns = values};
    scree_sim_memory memory;
    scree_sim *sim, *next;
    double length;
    CHECK_OK(scree_sim_create(&s->def, scree_sphere_set_view(&s->set), s->v, &sim));
    CHECK_OK(scree_sim_create(&s->def, scree_sphere_set_view(&s->set), s->v, &next));
    assert_true(scree_sim_get_count(sim) <= most);
    CHECK_OK(scree_sim_run(sim, 20));
    length = scree_sim_get_numbers(sim).time_step;
    set_one(sim, 3);
    CHECK_OK(scree_sim_run(sim, 20));
    CHECK_OK(scree_sim_get_state(sim, &taken));
    CHECK_OK(scree_sim_get_memory(sim, &memory));
    taken.memory = &memory;
    CHECK_OK(scree_sim_set_state(next, &taken));
    assert_true(next->hollow == shared && scree_sim_get_numbers(next).time_step == taken.time_step && taken.time_step < length);
    CHECK_OK(scree_sim_run(sim, 20));
    CHECK_OK(scree_sim_run(next, 20));
    uint64_t hash = scree_sim_hash(sim) + 31 * scree_sim_hash(next);
    scree_sim_destroy(sim);
    scree_sim_destroy(next);
    return hash;
}

static void steps_of_a_state_may_be_shorter(void** state)
{
    (void)state;
    par_system s = par_friction(5);
    par_begin(&s);
    s.def.watch_overlaps = 0.1;
    uint64_t hash = go_on_with_shorter_steps(&s, false);
    scree_par* par = par_begin_shared(3);
    assert_true(go_on_with_shorter_steps(&s, true) == hash);
    par_end_shared(par);
    par_free(&s);
}

// Centres and velocities alone, some of them in another image of the box: bonds go on as they are, wherever the spheres are.
static void bonds_go_on_with_other_centres(void** state)
{
    (void)state;
    const par_maker makers[] = {par_bonded, par_bonded_giant};
    enum { most = 400, bonds_most = 4000 };
    static double x[3 * most], v[3 * most], values[bonds_most * SCREE_BOND_WORDS];
    static int64_t broken_at[bonds_most];
    for (size_t m = 0; m < sizeof makers / sizeof *makers; ++m) {
        par_system s = makers[m](21 + m);
        uint64_t wanted = 0;
        for (int32_t ranks = 0; ranks <= 3; ++ranks) {
            scree_sim* sim;
            scree_sim_bonds bonds;
            scree_sim_state now = {.column_count = 2, .columns = (scree_sim_values[]){{"x", x}, {"v", v}}};
            par_begin(&s);
            scree_par* par = par_begin_shared(ranks);
            CHECK_OK(scree_sim_create(&s.def, scree_sphere_set_view(&s.set), s.v, &sim));
            CHECK_OK(scree_sim_run(sim, 80));
            CHECK_OK(scree_sim_get_bonds(sim, &bonds));
            const int64_t count = bonds.count;
            int64_t broken = 0;
            assert_true(count > 0 && count <= bonds_most && s.set.count <= most);
            memcpy(values, bonds.values, (size_t)count * SCREE_BOND_WORDS * sizeof *values);
            memcpy(broken_at, bonds.broken_at, (size_t)count * sizeof *broken_at);
            for (int64_t b = 0; b < count; ++b)
                broken += broken_at[b] >= 0;
            assert_true(broken > 0 && broken < count);
            CHECK_OK(scree_sim_get_state(sim, &now));
            for (int32_t i = 0; i < s.set.count; i += 3)
                x[i * s.set.dim] += (i % 2 == 0 ? 1.0 : -2.0) * (s.set.box.upper[0] - s.set.box.lower[0]);
            CHECK_OK(scree_sim_set_state(sim, &now));
            CHECK_OK(scree_sim_get_bonds(sim, &bonds));
            assert_memory_equal(bonds.values, values, (size_t)count * SCREE_BOND_WORDS * sizeof *values);
            assert_memory_equal(bonds.broken_at, broken_at, (size_t)count * sizeof *broken_at);
            CHECK_OK(scree_sim_run(sim, 20));
            if (ranks == 0)
                wanted = par_shown(sim);
            else if (par_shown(sim) != wanted)
                fail_msg("%s, %d ranks: something else after other centres", s.name, (int)ranks);
            scree_sim_destroy(sim);
            par_end_shared(par);
        }
        par_free(&s);
    }
}

// Gravity, walls, drag and the length of steps are set by the ranks; process 0 does not get the spheres for it.
static void compare_settings(const par_maker* makers, size_t count, void (*set)(scree_sim* sim, int number), int settings_of)
{
    for (size_t m = 0; m < count; ++m) {
        par_system s = makers[m](51 + m);
        uint64_t wanted[settings];
        for (int32_t ranks = 0; ranks <= 8; ranks = ranks == 0 ? 1 : ranks == 1 ? 3 : ranks + 5) {
            scree_sim* sim;
            par_begin(&s);
            scree_par* par = par_begin_shared(ranks);
            CHECK_OK(scree_sim_create(&s.def, scree_sphere_set_view(&s.set), s.v, &sim));
            if (s.begin != NULL)
                s.begin(sim);
            for (int k = 0; k < settings_of; ++k) {
                CHECK_OK(scree_sim_run(sim, 9));
                set(sim, k);
                assert_true(ranks == 0 || sim->hollow);
                CHECK_OK(scree_sim_run(sim, 14));
                if (ranks == 0)
                    wanted[k] = par_shown(sim);
                else if (par_shown(sim) != wanted[k])
                    fail_msg("%s, %d ranks: something else after setting %d", s.name, (int)ranks, k);
            }
            scree_sim_destroy(sim);
            par_end_shared(par);
        }
        par_free(&s);
    }
}

static void changes_are_made_by_all_ranks(void** state)
{
    (void)state;
    const par_maker makers[] = {par_walls, par_servo, par_position_verlet, par_dragged_giant};
    compare_settings(makers, sizeof makers / sizeof *makers, set_one, settings);
}

static void set_cell(scree_sim* sim, int number)
{
    scree_sim_cell cell = scree_default_sim_cell();
    if (number == 0 || number == 3)
        cell.rate[SCREE_CELL_XY] = number == 0 ? 0.8 : -0.3;
    if (number == 1) {
        cell.isotropic = true;
        cell.stress[0] = 0.4;
        cell.rate_most = 0.3;
    }
    if (number == 2) {
        cell.rate[0] = 0.2;
        cell.constant_volume = true;
    }
    CHECK_OK(scree_sim_set_cell(sim, &cell));
    cell.rate[0] = NAN;
    CHECK_FAILS(scree_sim_set_cell(sim, &cell), SCREE_ERR_ARGUMENT, "nan");
}

static void set_group(scree_sim* sim, int number)
{
    scree_sim_load load = scree_default_sim_load();
    load.target = number == 4 ? 1 : 2;
    switch (number) {
    case 0:
        load.kind = SCREE_LOAD_VELOCITY;
        load.value = (scree_signal){.kind = SCREE_SIGNAL_RAMP, .value = {0.2, 0.0, 0.0}, .to = {0.0, 0.3, 0.0}, .over = 0.2};
        break;
    case 1:
        CHECK_OK(scree_sim_release_group(sim, 1));
        CHECK_FAILS(scree_sim_release_group(sim, 7), SCREE_ERR_ARGUMENT, "7");
        load.kind = SCREE_LOAD_TORQUE;
        load.target = 0;
        load.value = (scree_signal){.kind = SCREE_SIGNAL_CONSTANT, .value = {0.0, 0.0, 0.01}};
        break;
    case 2:
        CHECK_OK(scree_sim_set_group_force(sim, 0, (const double[3]){0.1, 0.0, -0.1}));
        load.kind = SCREE_LOAD_SPIN;
        load.value = (scree_signal){.kind = SCREE_SIGNAL_CONSTANT, .value = {0.0, 0.4, 0.0}};
        break;
    case 3:
        CHECK_OK(scree_sim_release_group(sim, 2));
        load.kind = SCREE_LOAD_FORCE;
        load.value = (scree_signal){.kind = SCREE_SIGNAL_SINE, .value = {0.0, 0.2, 0.1}, .frequency = 2.0};
        break;
    default:
        load.kind = SCREE_LOAD_VELOCITY;
        load.value = (scree_signal){.kind = SCREE_SIGNAL_CONSTANT, .value = {0.0, 0.0, 0.0}};
        break;
    }
    CHECK_OK(scree_sim_set_load(sim, &load));
    load.target = 9;
    CHECK_FAILS(scree_sim_set_load(sim, &load), SCREE_ERR_ARGUMENT, "9");
}

// What groups with bonds can have: forces.
static void push_group(scree_sim* sim, int number)
{
    scree_sim_load load = scree_default_sim_load();
    load.kind = number == 0 ? SCREE_LOAD_FORCE : number == 1 ? SCREE_LOAD_TORQUE : SCREE_LOAD_DRAG;
    load.target = number == 2 ? 0 : 1 + number;
    load.value = (scree_signal){.kind = SCREE_SIGNAL_SINE, .value = {0.2, 0.1, number == 2 ? 0.0 : 0.3}, .frequency = 2.0};
    CHECK_OK(scree_sim_set_load(sim, &load));
    CHECK_OK(scree_sim_set_group_force(sim, 0, (const double[3]){0.1, 0.0, -0.1}));
    load.kind = SCREE_LOAD_VELOCITY;
    load.target = 1;
    CHECK_FAILS(scree_sim_set_load(sim, &load), SCREE_ERR_UNSUPPORTED, "bonds");
}

static void groups_are_set_by_all_ranks(void** state)
{
    (void)state;
    const par_maker makers[] = {par_groups, par_giant_groups, par_groups_by_positions}, bonded[] = {par_bonded_groups};
    compare_settings(makers, sizeof makers / sizeof *makers, set_group, 5);
    compare_settings(bonded, 1, push_group, 3);
}

// Goes on from a state in which other spheres are fixed than at the start. `driven`: at the start some are.
static uint64_t go_on_with_others(const par_system* s, const scree_checkpoint* saved, bool driven, bool there)
{
    scree_sim* sim;
    CHECK_OK(scree_sim_create(&s->def, scree_sphere_set_view(&s->set), s->v, &sim));
    if (driven)
        par_drive_groups(sim);
    CHECK_OK(scree_sim_run(sim, 3));
    CHECK_OK(scree_checkpoint_restore(saved, sim));
    assert_true(sim->hollow == there);
    assert_true(scree_sim_hash(sim) == saved->hash);
    CHECK_OK(scree_sim_run(sim, 20));
    uint64_t hash = par_shown(sim);
    scree_sim_destroy(sim);
    return hash;
}

static void others_may_be_fixed_in_a_state(void** state)
{
    (void)state;
    const par_maker makers[] = {par_groups, par_giant_groups};
    for (size_t m = 0; m < sizeof makers / sizeof *makers; ++m) {
        par_system s = makers[m](5);
        scree_checkpoint saved[2] = {{0}, {0}};  // none are fixed; some are
        scree_sim* sim;
        par_begin(&s);
        CHECK_OK(scree_sim_create(&s.def, scree_sphere_set_view(&s.set), s.v, &sim));
        par_drive_groups(sim);
        CHECK_OK(scree_sim_run(sim, 8));
        CHECK_OK(scree_checkpoint_save(sim, &saved[1]));
        CHECK_OK(scree_sim_release_group(sim, 1));
        CHECK_OK(scree_sim_run(sim, 8));
        CHECK_OK(scree_checkpoint_save(sim, &saved[0]));
        scree_sim_destroy(sim);
        for (int k = 0; k < 2; ++k) {
            uint64_t wanted = go_on_with_others(&s, &saved[k], k == 0, false);
            scree_par* par = par_begin_shared(3 + k);
            assert_true(go_on_with_others(&s, &saved[k], k == 0, true) == wanted);
            par_end_shared(par);
            scree_checkpoint_free(&saved[k]);
        }
        par_free(&s);
    }
}

// Softer contacts with other friction.
static void soften(const par_system* s, scree_sim* sim)
{
    scree_sim_def def = s->def;
    scree_sim_law law = s->law;
    scree_sim_pair pair = s->pairs[0];
    pair.friction = 0.2;
    law.pairs = &pair;
    def.law = &law;
    def.stiffness = 15.0;
    def.restitution = 0.5;
    // Bonds stay, as a list.
    scree_sim_bonds all;
    scree_sim_bonds_def listed = scree_default_sim_bonds_def();
    scree_sim_bond kind = s->bond;
    CHECK_OK(scree_sim_get_bonds(sim, &all));
    const size_t count = (size_t)all.count + 1;
    int64_t (*ij)[2] = calloc(count, sizeof *ij);
    double* length = calloc(count, sizeof *length);
    for (int64_t b = 0; b < all.count; ++b) {
        memcpy(ij[b], all.ij[b], sizeof *ij);
        length[b] = all.length[b];
    }
    kind.gap = -1.0;
    listed.kinds = &kind;
    listed.kind_count = 1;
    listed.count = all.count;
    listed.ij = (const int64_t(*)[2])ij;
    listed.length = length;
    def.bonds = s->has_bonds ? &listed : NULL;
    CHECK_OK(scree_sim_set_contacts(sim, &def, scree_sphere_set_view(&s->set)));
    free(ij);
    free(length);
}

static void contacts_are_changed_by_all_ranks(void** state)
{
    (void)state;
    const par_maker makers[] = {par_giant_friction, par_friction, par_numbered, par_bonded};
    for (size_t m = 0; m < sizeof makers / sizeof *makers; ++m) {
        par_system s = makers[m](m + 8);
        uint64_t wanted = 0;
        for (int32_t ranks = 0; ranks <= 5; ranks += ranks == 0 ? 3 : 2) {
            scree_sim* sim;
            par_begin(&s);
            scree_par* par = par_begin_shared(ranks);
            CHECK_OK(scree_sim_create(&s.def, scree_sphere_set_view(&s.set), s.v, &sim));
            CHECK_OK(scree_sim_run(sim, 30));
            soften(&s, sim);
            assert_true(ranks == 0 || sim->hollow);
            CHECK_OK(scree_sim_run(sim, 30));
            if (ranks == 0)
                wanted = par_shown(sim);
            else if (par_shown(sim) != wanted)
                fail_msg("%s, %d ranks: something else with other contacts", s.name, (int)ranks);
            scree_sim_destroy(sim);
            par_end_shared(par);
        }
        par_free(&s);
    }
}

static void cells_are_set_by_all_ranks(void** state)
{
    (void)state;
    const par_maker makers[] = {par_sheared, par_sheared_flat, par_pressed};
    compare_settings(makers, sizeof makers / sizeof *makers, set_cell, 4);
}

// Ranks may lack memory while a checkpoint is made of what they have: it is the one before then.
static void a_checkpoint_that_fails_is_the_one_before(void** state)
{
    (void)state;
    par_system s = par_friction(5);
    scree_checkpoint saved = {0};
    scree_sim* sim;
    par_begin(&s);
    scree_par* par = par_begin_shared(3);
    CHECK_OK(scree_sim_create(&s.def, scree_sphere_set_view(&s.set), s.v, &sim));
    CHECK_OK(scree_sim_run(sim, 30));
    CHECK_OK(scree_checkpoint_save(sim, &saved));
    const double* data = saved.columns[0].data;
    int64_t contacts = saved.memory.count;
    size_t bytes = (size_t)saved.count * (size_t)saved.columns[0].components * sizeof *data;
    double* kept = malloc(bytes);
    memcpy(kept, data, bytes);
    CHECK_OK(scree_sim_run(sim, 30));
    assert_true(contacts > 0);
    scree_status status = SCREE_ERR_MEMORY;
    for (int64_t n = 1; status != SCREE_OK; ++n) {
        (void)scree_memory_fail_at(n);
        status = scree_checkpoint_save(sim, &saved);
        (void)scree_memory_fail_at(0);
        assert_true(status == SCREE_OK || (status == SCREE_ERR_MEMORY && saved.step == 30 && saved.memory.count == contacts && memcmp(saved.columns[0].data, kept, bytes) == 0));
    }
    assert_true(saved.step == 60 && saved.hash == scree_sim_hash(sim) && memcmp(saved.columns[0].data, kept, bytes) != 0);
    free(kept);
    scree_checkpoint_free(&saved);
    scree_sim_destroy(sim);
    par_end_shared(par);
    par_free(&s);
}

// The deepest overlap on the way is found by whatever rank has it.
static void overlaps_are_watched_on_all_ranks(void** state)
{
    (void)state;
    for (int trial = 0; trial < 4; ++trial) {
        par_system s = trial % 2 == 0 ? par_walls((uint64_t)trial + 1) : par_hertz((uint64_t)trial + 1);
        scree_sim_overlaps wanted, found;
        scree_sim *sim, *reference;
        scree_par* par;
        par_sim* shared;
        s.def.watch_overlaps = trial < 2 ? 0.01 : 0.2;
        par_begin(&s);
        CHECK_OK(scree_sim_create(&s.def, scree_sphere_set_view(&s.set), s.v, &reference));
        CHECK_OK(scree_sim_create(&s.def, scree_sphere_set_view(&s.set), s.v, &sim));
        CHECK_OK(par_alone(5, &par));
        CHECK_OK(par_sim_create(par, sim, &shared));
        par_sim_set_chance(shared, 3 + (uint64_t)trial);
        for (int k = 0; k < 3; ++k) {
            CHECK_OK(scree_sim_run(reference, 80));
            CHECK_OK(par_sim_run(shared, 80));
            CHECK_OK(scree_sim_take_overlaps(reference, &wanted));
            CHECK_OK(scree_sim_take_overlaps(sim, &found));
            assert_true(wanted.deepest.relative == found.deepest.relative && wanted.deepest.step == found.deepest.step);
            assert_true(wanted.deepest.ij[0] == found.deepest.ij[0] && wanted.deepest.ij[1] == found.deepest.ij[1]);
            assert_true(wanted.shortest.duration == found.shortest.duration);
            assert_memory_equal(wanted.deepest.at, found.deepest.at, sizeof found.deepest.at);
            assert_true(trial >= 2 || wanted.deepest.relative > 0.01);
        }
        par_sim_destroy(shared);
        scree_sim_destroy(sim);
        scree_sim_destroy(reference);
        par_close(par);
        par_free(&s);
    }
}

// An exchange that fails leaves the spheres as they were, or they are lost with it.
static void an_exchange_may_be_short_of_memory(void** state)
{
    (void)state;
    par_system s = par_giant_friction(2);
    uint64_t wanted = 0;
    int losses = 0, kept = 0;
    par_begin(&s);
    for (int64_t n = 0; n < 100000; n = n < 20 ? n + 1 : n + n / (test_is_small() ? 4 : 9)) {
        const int64_t gone[2] = {7, 3};
        const double x[3] = {1.0, 1.0, 1.0}, r[1] = {0.4};
        scree_sim* sim;
        scree_par* par;
        par_sim* shared;
        CHECK_OK(scree_sim_create(&s.def, scree_sphere_set_view(&s.set), s.v, &sim));
        CHECK_OK(par_alone(3, &par));
        CHECK_OK(par_sim_create(par, sim, &shared));
        CHECK_OK(par_sim_run(shared, 2));
        uint64_t before = scree_sim_hash(sim);
        scree_memory_fail_at(n);
        scree_status status = scree_sim_exchange(sim, 2, gone, (scree_spheres){.count = 1, .dim = 3, .x = x, .r = r}, NULL, NULL, NULL);
        int64_t allocations = scree_memory_fail_at(0);
        assert_true(status == SCREE_OK || status == SCREE_ERR_MEMORY);
        assert_true(sim->failed == (status != SCREE_OK && scree_sim_get_count(sim) == 0));
        wanted = n == 0 ? scree_sim_hash(sim) : wanted;
        if (!sim->failed)
            assert_true(scree_sim_hash(sim) == (status == SCREE_OK ? wanted : before));
        losses += sim->failed;
        kept += status != SCREE_OK && !sim->failed;
        par_sim_destroy(shared);
        scree_sim_destroy(sim);
        par_close(par);
        if (n > 0 && n > allocations)
            break;
    }
    assert_true(losses > 0 && kept > 0);
    par_free(&s);
}

// Bonds are made by the ranks, asked for, taken from a state and run: wherever memory is short, that is said, and without a failure the bits are the same.
static scree_status try_bonds(const par_system* s, scree_sim** sim, scree_checkpoint* saved, uint64_t* hash)
{
    scree_sim_bonds some;
    int64_t all;
    scree_status status = scree_sim_create(&s->def, scree_sphere_set_view(&s->set), s->v, sim);
    if (status == SCREE_OK)
        status = scree_sim_run(*sim, 2);
    if (status == SCREE_OK)
        status = scree_sim_get_bond_rows(*sim, 3, 50, &some, &all);
    if (status == SCREE_OK)
        status = scree_checkpoint_save(*sim, saved);
    if (status == SCREE_OK)
        status = scree_checkpoint_restore(saved, *sim);
    if (status == SCREE_OK)
        status = scree_sim_run(*sim, 3);
    *hash = status == SCREE_OK ? scree_sim_hash(*sim) : 0;
    return status;
}

static void bonds_may_be_short_of_memory(void** state)
{
    (void)state;
    uint64_t wanted = 0, hash;
    int failures = 0;
    par_part = 0.5;
    par_system s = par_bonded(4);
    par_part = 1.0;
    s.def.order_every = 2;
    par_begin(&s);
    for (int64_t n = 0; n < 100000; n = n < 20 ? n + 1 : n + n / (test_is_small() ? 4 : 12)) {
        scree_sim* sim = NULL;
        scree_checkpoint saved = {0};
        scree_par* par = par_begin_shared(3);
        scree_memory_fail_at(n);
        scree_status status = try_bonds(&s, &sim, &saved, &hash);
        int64_t allocations = scree_memory_fail_at(0);
        assert_true(status == SCREE_OK || status == SCREE_ERR_MEMORY);
        wanted = n == 0 ? hash : wanted;
        assert_true(hash == 0 || hash == wanted);
        failures += status != SCREE_OK;
        scree_checkpoint_free(&saved);
        scree_sim_destroy(sim);
        par_end_shared(par);
        if (n > 0 && n > allocations)
            break;
    }
    assert_true(wanted != 0 && failures > 30);
    par_free(&s);
}

// Every bond, with its number. A search of the program goes on meanwhile.
static void same_bonds(const par_system* s, scree_sim* alone, int32_t ranks)
{
    scree_sim_bonds wanted, found;
    scree_par* par;
    scree_sim* sim;
    scree_par_pairs* all;
    scree_pairs some;
    scree_index_def search = scree_default_index_def();
    scree_par_pairs_def def = scree_default_par_pairs_def();
    CHECK_OK(par_alone(ranks, &par));
    par->slice = 5 + ranks;
    par_share(par);
    search.box = s->def.box;
    def.index = &search;
    CHECK_OK(scree_par_find_pairs(par, &def, scree_sphere_set_view(&s->set), &all));
    CHECK_OK(scree_sim_create(&s->def, scree_sphere_set_view(&s->set), s->v, &sim));
    int64_t pairs = 0;
    while (scree_par_pairs_next(all, &some) == SCREE_OK && some.count > 0)
        pairs += some.count;
    assert_true(sim->hollow && par->found == NULL && pairs == scree_par_pairs_get_stats(all).count && pairs > 0);
    scree_par_pairs_destroy(all);
    CHECK_OK(scree_sim_get_bonds(alone, &wanted));
    CHECK_OK(scree_sim_get_bonds(sim, &found));
    assert_true(found.count == wanted.count && found.count > 20);
    const size_t n = (size_t)found.count;
    if (memcmp(found.ij, wanted.ij, n * sizeof *found.ij) != 0 || memcmp(found.kind, wanted.kind, n * sizeof *found.kind) != 0 || memcmp(found.length, wanted.length, n * sizeof *found.length) != 0 ||
        (wanted.shift != NULL && memcmp(found.shift, wanted.shift, n * sizeof *found.shift) != 0))
        fail_msg("%s, %d ranks: other bonds", s->name, (int)ranks);
    assert_true(scree_sim_get_numbers(sim).bond_period == scree_sim_get_numbers(alone).bond_period && scree_sim_get_numbers(sim).time_step == scree_sim_get_numbers(alone).time_step);
    scree_sim_destroy(sim);
    par_end_shared(par);
}

static void bonds_are_found_by_all_ranks(void** state)
{
    (void)state;
    const par_maker makers[] = {par_bonded, par_bonded_giant, par_tight};
    for (size_t m = 0; m < sizeof makers / sizeof *makers; ++m) {
        par_system s = makers[m](m + 2);
        static int64_t ij[12][2];
        scree_sim *sim, *alone;
        scree_par* par;
        char said[500];
        if (!s.has_bonds) {  // pairs have several bonds, to several images
            s.bond = scree_default_sim_bond();
            s.bond.gap = 0.2;
            s.bond.young = 1.0;
            s.bonds = scree_default_sim_bonds_def();
            s.bonds.kind_count = 1;
            s.has_bonds = true;
        }
        par_begin(&s);
        CHECK_OK(scree_sim_create(&s.def, scree_sphere_set_view(&s.set), s.v, &alone));
        for (int32_t ranks = 1; ranks <= 8; ranks += ranks < 3 ? 1 : 5)
            same_bonds(&s, alone, ranks);
        // Some of them in a list too, which comes first, with other lengths; then a step that is too long for the fastest of all.
        scree_sim_bonds all;
        double length[12];
        CHECK_OK(scree_sim_get_bonds(alone, &all));
        for (int b = 0; b < 12; ++b) {
            memcpy(ij[b], all.ij[b * (all.count - 1) / 11], sizeof *ij);
            length[b] = 2.0 + b;
        }
        scree_sim_destroy(alone);
        s.bonds.ij = (const int64_t(*)[2])ij;
        s.bonds.length = length;
        s.bonds.count = m == 2 ? 1 : 12;
        CHECK_OK(scree_sim_create(&s.def, scree_sphere_set_view(&s.set), s.v, &alone));
        same_bonds(&s, alone, 3);
        s.def.time_step = scree_sim_get_numbers(alone).time_step;
        s.bond.young *= 1e5;
        CHECK_FAILS(scree_sim_create(&s.def, scree_sphere_set_view(&s.set), s.v, &sim), SCREE_ERR_ARGUMENT, "bond of spheres");
        snprintf(said, sizeof said, "%s", scree_error_message());
        CHECK_OK(par_alone(3, &par));
        par->slice = 7;
        par_share(par);
        CHECK_FAILS(scree_sim_create(&s.def, scree_sphere_set_view(&s.set), s.v, &sim), SCREE_ERR_ARGUMENT, said);
        assert_true(par->found == NULL);
        par_end_shared(par);
        scree_sim_destroy(alone);
        par_free(&s);
    }
}

static const test_case cases[] = {
    SAME_BITS(spheres_come_and_go_on_all_ranks),
    SAME_BITS(overlaps_are_watched_on_all_ranks),
    SAME_BITS(changes_are_made_by_all_ranks),
    SAME_BITS(cells_are_set_by_all_ranks),
    SAME_BITS(groups_are_set_by_all_ranks),
    SAME_BITS(others_may_be_fixed_in_a_state),
    SAME_BITS(contacts_are_changed_by_all_ranks),
    SAME_BITS(steps_of_a_state_may_be_shorter),
    SAME_BITS(bonds_go_on_with_other_centres),
    SAME_BITS(bonds_are_found_by_all_ranks),
    ALLOCATION(a_checkpoint_that_fails_is_the_one_before),
    ALLOCATION(an_exchange_may_be_short_of_memory),
    ALLOCATION(bonds_may_be_short_of_memory),
};

const test_group group_par_changes = {.name = "par_changes", .cases = cases, .count = sizeof cases / sizeof *cases};
