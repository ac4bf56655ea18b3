// Many ranks: the bits are those of one simulation in one process, whatever the number of ranks and wherever the borders between them are. All ranks are in this process (par_alone.c); the
// borders are random at each new order, some ranks without any space.
#include "par_support.h"

#include "base/wide.h"

static void spheres_without_memory_have_the_bits_of_one_process(void** state)
{
    (void)state;
    const par_maker makers[] = {par_elastic, par_damped, par_walls, par_tight, par_flat, par_open_box, par_giant, par_position_verlet, par_fixed};
    par_compare(makers, sizeof makers / sizeof *makers);
}

static void contacts_remember_across_borders(void** state)
{
    (void)state;
    const par_maker makers[] = {par_record, par_friction, par_fast_friction, par_hertz, par_two_materials, par_flat_friction, par_giant_friction, par_numbered, par_equal_giants, par_sticky};
    par_compare(makers, sizeof makers / sizeof *makers);
}

static void boundaries_and_loads_act_on_all_ranks(void** state)
{
    (void)state;
    const par_maker makers[] = {par_surfaces, par_groups, par_dragged, par_dragged_giant, par_servo, par_sieve};
    par_compare(makers, sizeof makers / sizeof *makers);
}

static void cells_move_on_all_ranks(void** state)
{
    (void)state;
    const par_maker makers[] = {par_tilted, par_sheared, par_sheared_flat, par_constant_volume, par_pressed, par_triaxial};
    par_compare(makers, sizeof makers / sizeof *makers);
}

static void bonds_hold_and_break_across_borders(void** state)
{
    (void)state;
    const par_maker makers[] = {par_bonded, par_bonded_giant};
    for (size_t m = 0; m < sizeof makers / sizeof *makers; ++m) {
        par_system s = makers[m](3);
        scree_sim* sim;
        par_begin(&s);
        CHECK_OK(scree_sim_create(&s.def, scree_sphere_set_view(&s.set), s.v, &sim));
        CHECK_OK(scree_sim_run(sim, 120));
        scree_sim_report r = sim_report_of(sim);
        if (r.bonds < 20 || r.bonds_broken < 20)
            fail_msg("%s: %d bonds hold, %d broke", s.name, (int)r.bonds, (int)r.bonds_broken);
        scree_sim_destroy(sim);
        par_free(&s);
    }
    par_compare(makers, sizeof makers / sizeof *makers);
}

// One process, and what it has after each of two pieces.
static void fuzz_alone(par_system* s, int64_t steps, uint64_t hash[2])
{
    scree_sim* sim;
    par_begin(s);
    CHECK_OK(scree_sim_create(&s->def, scree_sphere_set_view(&s->set), s->v, &sim));
    if (s->begin != NULL)
        s->begin(sim);
    for (int k = 0; k < 2; ++k) {
        CHECK_OK(scree_sim_run(sim, steps));
        hash[k] = scree_sim_hash(sim);
        if (s->changes != NULL)
            s->changes(sim, k);
    }
    scree_sim_destroy(sim);
}

static void fuzz_shared(par_system* s, int32_t ranks, int64_t steps, uint64_t chance, const uint64_t hash[2])
{
    scree_par* par;
    scree_sim* sim;
    par_begin(s);
    CHECK_OK(par_alone(ranks, &par));
    par->slice = chance % 3 == 0 ? 0 : 10 + (int64_t)(chance % 50);
    par_share(par);
    CHECK_OK(scree_sim_create(&s->def, scree_sphere_set_view(&s->set), s->v, &sim));
    if (s->begin != NULL)
        s->begin(sim);
    if (sim->crew == NULL)
        CHECK_OK(par_sim_create(par, sim, (par_sim**)(void*)&sim->crew));
    par_sim_set_chance(sim->crew, chance);
    for (int k = 0; k < 2; ++k) {
        CHECK_OK(scree_sim_run(sim, steps));
        if (scree_sim_hash(sim) != hash[k])
            fail_msg("%s, chance %d: another hash at step %d", s->name, (int)chance, (int)scree_sim_get_step(sim));
        if (s->changes != NULL)
            s->changes(sim, k);
    }
    scree_sim_destroy(sim);
    par_share_end();
    par_close(par);
}

// Many partitions, 200 seeds of them, 300 steps each, at 8 ranks: of the systems that have most (friction with giants, spheres that come and go, pairs through several images, drag and surfaces, bonds) and of plain ones. Borders
// are drawn anew with each order and when work is out of balance, a quarter of them the same as others, so that ranks are without any space. Where it is a second compiler's turn: a tenth of the seeds.
static void any_partition_gives_the_same_bits(void** state)
{
    (void)state;
    enum { seeds = 200, ranks = 8, pieces = 2, steps = 150 };
    const par_maker makers[] = {par_giant_friction, par_tight, par_sieve, par_dragged, par_bonded, par_flat_friction, par_walls, par_damped};
    const int count = sizeof makers / sizeof *makers, each = (int)(seeds * (test_is_small() ? 0.1 : fmax(1.0, test_effort()))) / count;
    for (int m = 0; m < count; ++m) {
        par_part = 0.5;
        par_system s = makers[m](31 + (uint64_t)m);
        par_part = 1.0;
        uint64_t hash[pieces];
        s.def.order_every = 31;
        fuzz_alone(&s, steps, hash);
        for (int seed = 0; seed < each; ++seed)
            fuzz_shared(&s, ranks, steps, 1000 + 17 * (uint64_t)(count * seed + m), hash);
        par_free(&s);
    }
}

// Each rank compares its contacts with all pairs, at every step.
static void contacts_of_all_ranks_are_verified(void** state)
{
    (void)state;
    const par_maker makers[] = {par_giant_friction, par_tight, par_fixed, par_sheared};
    for (size_t m = 0; m < sizeof makers / sizeof *makers; ++m) {
        par_system s = makers[m](41 + m);
        uint64_t hash[par_looks];
        par_run_alone(&s, hash);
        s.def.check = true;
        par_run_shared(&s, 4, m % 2 == 0, 5 + m, hash);
        par_free(&s);
    }
}

// Three spheres in a row along x, the left one pressed deeper into the middle one than the right one: the middle one begins to move to the right. They turn, so that
// friction holds them.
static scree_sim* row_of_three(double middle)
{
    const double length = 12.0, x[9] = {middle - 1.8, 4.0, 4.0, middle, 4.0, 4.0, middle + 1.9 - (middle + 1.9 < length ? 0.0 : length), 4.0, 4.0}, r[3] = {1.0, 1.0, 1.0}, spin[9] = {0.0, 0.0, 0.3, 0.0, 0.0, 0.1, 0.0, 0.0, 0.5};
    scree_sim_each each = scree_default_sim_each();
    scree_sim_pair pair = scree_default_sim_pair();
    scree_sim_law law = scree_default_sim_law();
    scree_sim_def def = scree_default_sim_def();
    scree_sim* sim;
    each.spin = spin;
    pair.friction = 0.5;
    law.material_count = 1;
    law.pairs = &pair;
    def.law = &law;
    def.each = &each;
    def.box = sim_cube(3, length, true);
    def.stiffness = 20.0;
    def.order_every = 2;
    def.threads = 1;
    CHECK_OK(scree_sim_create(&def, (scree_spheres){.count = 3, .dim = 3, .x = x, .r = r}, NULL, &sim));
    return sim;
}

// When centres are wrapped, contacts get other images. A ghost must then be where its owner has it, not where the forces on its copy have taken it: who owns the right sphere alone does not know
// of the left one, and its copy of the middle one has not crossed the face when the sphere itself has.
static void ghosts_are_wrapped_as_their_owners_are(void** state)
{
    (void)state;
    double x[9];
    int apart = 0;
    scree_sim* sim = row_of_three(5.0);
    CHECK_OK(scree_sim_run(sim, 1));
    CHECK_OK(scree_sim_get_column(sim, "x", x));
    double first = x[3] - 5.0, begin = 12.0 - 3.0 * first;  // it goes `first`, then three times that: and its copy, not pushed in the second step, less than twice
    scree_sim_destroy(sim);
    assert_true(first > 1e-6);
    scree_sim* reference = row_of_three(begin);
    CHECK_OK(scree_sim_run(reference, 1));
    CHECK_OK(scree_sim_run(reference, 9));
    for (uint64_t seed = 0; seed < 24; ++seed) {
        scree_par* par;
        par_sim* shared;
        par_counts counts;
        sim = row_of_three(begin);
        CHECK_OK(par_alone(3, &par));
        CHECK_OK(par_sim_create(par, sim, &shared));
        par_sim_set_chance(shared, seed);
        CHECK_OK(par_sim_run(shared, 1));
        for (int32_t l = 0; l < 3; ++l) {
            par_sim_counts(shared, l, &counts);
            apart += counts.own == 1 && counts.ghosts == 1;
        }
        CHECK_OK(par_sim_run(shared, 9));
        if (scree_sim_hash(sim) != scree_sim_hash(reference))
            fail_msg("seed %d: another hash", (int)seed);
        par_sim_destroy(shared);
        scree_sim_destroy(sim);
        par_close(par);
    }
    assert_true(apart > 4);
    scree_sim_destroy(reference);
}

// Threads within ranks, the other way to compute forces, the plain instructions.
static void threads_and_backends_do_not_matter(void** state)
{
    (void)state;
    par_system s = par_friction(5);
    uint64_t hash[par_looks];
    par_run_alone(&s, hash);
    s.def.backend = SCREE_BACKEND_REFERENCE;
    par_run_shared(&s, 3, true, 3, hash);
    s.def.backend = SCREE_BACKEND_FUSED;
    s.def.threads = 2;
    scree_plain_only = true;
    par_run_shared(&s, 3, false, 4, hash);
    scree_plain_only = false;
    par_free(&s);
}

// A cube of spheres, folded into a beam.
static void fold(par_system* s)
{
    double side = s->set.box.upper[0] - s->set.box.lower[0];
    for (int64_t i = 0; i < s->set.count; ++i)
        for (int k = 1; k < 3; ++k) {
            double* x = s->set.x + 3 * i;
            if (x[k] >= s->set.box.lower[k] + 0.5 * side) {
                x[k] -= 0.5 * side;
                x[0] += k * side;
            }
        }
    s->set.box.upper[0] += 3.0 * side;
    for (int k = 1; k < 3; ++k) {
        s->set.box.lower[k] -= 1.0;  // those that were cut from their neighbours are not in a wall
        s->set.box.upper[k] += 1.0 - 0.5 * side;
    }
    s->def.box = s->set.box;
}

// Parts of several blocks, each on two threads. In a beam they have blocks without ghosts, which are worked on before those of the step have come.
static void parts_of_many_blocks_have_the_same_bits(void** state)
{
    (void)state;
    par_system s = par_gas(3, 14000, 2.0, 4, 0.3, 77);
    fold(&s);
    scree_sim *sim, *reference;
    scree_par* par;
    par_sim* shared;
    s.pairs[0] = scree_default_sim_pair();
    s.pairs[0].friction = 0.5;
    s.law.material_count = 1;
    s.law.pairs = s.pairs;
    s.def.restitution = 0.6;
    s.def.order_every = 7;
    s.def.threads = 2;
    par_begin(&s);
    CHECK_OK(scree_sim_create(&s.def, scree_sphere_set_view(&s.set), s.v, &reference));
    CHECK_OK(scree_sim_create(&s.def, scree_sphere_set_view(&s.set), s.v, &sim));
    CHECK_OK(par_alone(2, &par));
    CHECK_OK(par_sim_create(par, sim, &shared));
    for (int k = 0; k < 2; ++k) {
        CHECK_OK(scree_sim_run(reference, 9));
        CHECK_OK(par_sim_run(shared, 9));
        assert_true(scree_sim_hash(sim) == scree_sim_hash(reference));
    }
    par_counts counts;
    par_sim_counts(shared, 1, &counts);
    assert_true(counts.own > 6000 && counts.ghosts > 20 && counts.ghosts < 3000 && counts.peers == 1 && counts.inner >= 1);
    par_sim_destroy(shared);
    scree_sim_destroy(sim);
    scree_sim_destroy(reference);
    par_close(par);
    par_free(&s);
}

static void what_ranks_cannot_simulate_is_refused(void** state)
{
    (void)state;
    scree_par* par;
    scree_sim_plan plan;
    CHECK_FAILS(par_alone(0, &par), SCREE_ERR_ARGUMENT, "0");
    CHECK_OK(par_alone(2, &par));
    par_system s = par_damped(3);
    scree_sim* sim;
    par_sim* shared;
    par_begin(&s);
    s.def.energies = false;
    s.def.device = SCREE_DEVICE_EMULATE;
    CHECK_OK(scree_sim_create(&s.def, scree_sphere_set_view(&s.set), s.v, &sim));
    CHECK_FAILS(par_sim_create(par, sim, &shared), SCREE_ERR_UNSUPPORTED, "def.device");
    assert_null(shared);
    CHECK_FAILS(scree_sim_find_plan(sim, 2, &plan), SCREE_ERR_UNSUPPORTED, "def.device");
    CHECK_FAILS(scree_sim_find_plan(sim, 0, &plan), SCREE_ERR_ARGUMENT, "0 ranks");
    CHECK_FAILS(scree_sim_find_plan(sim, SCREE_SIM_RANKS_MOST + 1, &plan), SCREE_ERR_ARGUMENT, "65537");
    scree_sim_destroy(sim);
    par_free(&s);
    par_close(par);
}

static void a_lost_sphere_is_reported_as_in_one_process(void** state)
{
    (void)state;
    const double x[6] = {1.0, 1.0, 0.3, 8.0, 8.0, 8.0}, r[2] = {0.2, 0.2}, v[6] = {0.0, 0.0, -40.0, 0.0, 0.0, 0.0};
    scree_sim_def def = scree_default_sim_def();
    def.box = sim_cube(3, 10.0, false);
    def.stiffness = 1.0;
    def.threads = 1;
    scree_sim* sim;
    scree_par* par;
    par_sim* shared;
    CHECK_OK(par_alone(3, &par));
    CHECK_OK(scree_sim_create(&def, (scree_spheres){.count = 2, .dim = 3, .x = x, .r = r}, v, &sim));
    CHECK_OK(par_sim_create(par, sim, &shared));
    CHECK_FAILS(par_sim_run(shared, 100), SCREE_ERR_ARGUMENT, "sphere 0", "lower z");
    CHECK_FAILS(scree_sim_run(sim, 1), SCREE_ERR_ARGUMENT, "step");
    par_sim_destroy(shared);
    scree_sim_destroy(sim);
    par_close(par);
}

// Wherever it runs out, at each allocation of all ranks once, all of them say so, and a further run gives the same bits. Few spheres and steps, but with new orders and lists.
static void memory_may_be_short_meanwhile(void** state)
{
    (void)state;
    enum { steps = 6 };
    par_part = 0.15;
    par_system s = par_giant_friction(2);
    par_part = 1.0;
    s.def.order_every = 4;
    scree_sim* sim;
    uint64_t wanted = 0;
    int losses = 0;
    par_begin(&s);
    for (int64_t n = 0; n < 100000; n += n > 0 && test_is_small() ? 3 : 1) {
        scree_par* par;
        par_sim* shared;
        CHECK_OK(scree_sim_create(&s.def, scree_sphere_set_view(&s.set), s.v, &sim));
        CHECK_OK(par_alone(3, &par));
        scree_memory_fail_at(n);
        scree_status status = par_sim_create(par, sim, &shared);
        if (status == SCREE_OK)
            status = par_sim_run(shared, steps);
        int64_t allocations = scree_memory_fail_at(0);
        assert_true(status == SCREE_OK || status == SCREE_ERR_MEMORY);
        bool lost = sim->failed;  // in the steps, or while the whole took the state of the parts
        if (lost) {
            scree_sim_state before = {0};
            scree_sim_report report;
            assert_int_equal(scree_sim_get_count(sim), 0);
            CHECK_FAILS(scree_sim_set_state(sim, &before), SCREE_ERR_ARGUMENT, "other processes");
            CHECK_FAILS(scree_sim_measure(sim, &report), SCREE_ERR_ARGUMENT, "step");
            CHECK_FAILS(scree_sim_run(sim, 1), SCREE_ERR_ARGUMENT, "other processes");
        }
        losses += lost;
        if (shared == NULL)
            CHECK_OK(par_sim_create(par, sim, &shared));
        if (!lost)
            CHECK_OK(par_sim_run(shared, steps - scree_sim_get_step(sim)));
        wanted = n == 0 ? scree_sim_hash(sim) : wanted;
        if (!lost && scree_sim_hash(sim) != wanted)
            fail_msg("allocation %d: another hash, step %d", (int)n, (int)scree_sim_get_step(sim));
        par_sim_destroy(shared);
        scree_sim_destroy(sim);
        par_close(par);
        if (n > 0 && n > allocations)
            break;
    }
    assert_true(losses > 100);
    par_free(&s);
}

typedef struct onlooker {
    scree_sim* sim;
    int times;
} onlooker;

// In the middle of a run: process 0 has no copy of the spheres. Stops the run.
static bool look_on(void* context, double done)
{
    onlooker* it = context;
    double radius = 0.0;
    (void)done;
    assert_true(it->sim->x == NULL && it->sim->v.at == NULL && it->sim->lists.rows.count == 0 && scree_sim_get_count(it->sim) > 0);
    CHECK_FAILS(scree_sim_get_column(it->sim, "radius", &radius), SCREE_ERR_ARGUMENT, "other processes");
    ++it->times;
    return false;
}

static void the_first_process_has_no_copy_meanwhile(void** state)
{
    (void)state;
    par_system s = par_giant_friction(3);
    onlooker it = {.times = 0};
    scree_sim* alone;
    scree_par* par;
    par_sim* shared;
    par_begin(&s);
    CHECK_OK(scree_sim_create(&s.def, scree_sphere_set_view(&s.set), s.v, &alone));
    s.def.watch = (scree_watch){.tick = look_on, .context = &it};
    CHECK_OK(scree_sim_create(&s.def, scree_sphere_set_view(&s.set), s.v, &it.sim));
    CHECK_OK(par_alone(3, &par));
    CHECK_OK(par_sim_create(par, it.sim, &shared));
    CHECK_FAILS(par_sim_run(shared, 1000000), SCREE_ERR_CANCELLED, "step");
    assert_int_equal(it.times, 1);
    CHECK_OK(scree_sim_run(alone, scree_sim_get_step(it.sim)));
    assert_true(scree_sim_hash(it.sim) == scree_sim_hash(alone));
    par_sim_destroy(shared);
    scree_sim_destroy(it.sim);
    scree_sim_destroy(alone);
    par_close(par);
    par_free(&s);
}

static const test_case cases[] = {
    SAME_BITS(spheres_without_memory_have_the_bits_of_one_process),
    SAME_BITS(contacts_remember_across_borders),
    SAME_BITS(boundaries_and_loads_act_on_all_ranks),
    SAME_BITS(cells_move_on_all_ranks),
    SAME_BITS(contacts_of_all_ranks_are_verified),
    SAME_BITS(bonds_hold_and_break_across_borders),
    SAME_BITS(any_partition_gives_the_same_bits),
    SAME_BITS(ghosts_are_wrapped_as_their_owners_are),
    SAME_BITS(threads_and_backends_do_not_matter),
    THREADS(parts_of_many_blocks_have_the_same_bits),
    UNIT(what_ranks_cannot_simulate_is_refused),
    UNIT(a_lost_sphere_is_reported_as_in_one_process),
    UNIT(the_first_process_has_no_copy_meanwhile),
    ALLOCATION(memory_may_be_short_meanwhile),
};

const test_group group_par = {.name = "par", .cases = cases, .count = sizeof cases / sizeof *cases};
