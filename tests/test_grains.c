// Laws of parts: for every combination of parts the same bits whatever the way, momentum and energy that are kept, and results that turn with the frame.
#include "sim_support.h"

#include "base/wide.h"
#include "sim/sim_inner.h"

// ---- Laws --------------------------------------------------------------------------------------------------------------

typedef struct law_case {
    const char* name;
    scree_sim_law law;
    scree_sim_pair pair;
    bool elastic;      // stiffness from Young's modulus
} law_case;

enum { law_case_count = 20 };

static law_case law_of(int number)
{
    law_case c = {.law = scree_default_sim_law(), .pair = scree_default_sim_pair()};
    c.pair.stiffness = 60.0;
    c.pair.restitution = 0.8;
    c.pair.friction = 0.4;
    switch (number) {
    case 0: c.name = "friction"; break;
    case 1: c.name = "friction, elastic"; c.pair.restitution = 0.0; break;
    case 2: c.name = "friction, dashpot"; c.pair.restitution = 0.0; c.pair.damping = 0.4; break;
    case 3: c.name = "two coefficients"; c.pair.friction_dynamic = 0.2; break;
    case 4: c.name = "rolling"; c.pair.rolling_friction = 0.1; c.pair.rolling_damping = 0.5; break;
    case 5: c.name = "rolling and twisting"; c.pair.rolling_friction = 0.1; c.pair.twisting_friction = 0.05; c.pair.twisting_damping = 0.5; break;
    case 6: c.name = "marshall"; c.law.twisting = "marshall"; break;
    case 7: c.name = "no pull"; c.law.no_pull = true; break;
    case 8: c.name = "hertz"; c.elastic = true; c.pair.friction = 0.0; break;
    case 9: c.name = "hertz, mindlin"; c.elastic = true; break;
    case 10: c.name = "hertz, mindlin, rolling"; c.elastic = true; c.pair.rolling_friction = 0.1; break;
    case 11: c.name = "hertz, mindlin, marshall, viscoelastic"; c.elastic = true; c.law.twisting = "marshall"; c.pair.restitution = 0.0; c.pair.viscous_time = 0.01; break;
    case 12: c.name = "hertz, linear friction, no pull"; c.elastic = true; c.law.tangential = "linear"; c.law.no_pull = true; break;
    case 13: c.name = "dmt"; c.law.name = "dmt"; c.elastic = true; c.pair.surface_energy = 0.05; break;
    case 14: c.name = "jkr"; c.law.name = "jkr"; c.elastic = true; c.pair.surface_energy = 0.05; c.pair.rolling_friction = 0.1; c.pair.twisting_friction = 0.05; break;
    case 15: c.name = "plastic"; c.law.name = "plastic"; c.pair.k2 = 240.0; c.pair.kc = 30.0; c.pair.plastic_depth = 0.05; break;
    case 16: c.name = "bridges"; c.pair.bridge_volume = 0.002; c.pair.surface_tension = 0.4; c.pair.wetting_angle = 0.3; break;
    case 17: c.name = "linear"; c.pair.friction = 0.0; break;
    case 18: c.name = "very rough"; c.pair.friction = 1e9; c.pair.restitution = 1.0; c.pair.tangential_stiffness = 0.9; break;
    default: c.name = "hertz, elastic"; c.elastic = true; c.pair.friction = 0.0; c.pair.restitution = 1.0; break;
    }
    if (c.elastic) {
        c.pair.stiffness = 0.0;
        c.law.name = c.law.name != NULL ? c.law.name : "hertz";
    }
    return c;
}

typedef struct grain_system {
    scree_sphere_set set;
    double *v, *spin;
    uint8_t* fixed;
    law_case c;
    scree_sim_material material;
    scree_sim_each each;
    scree_index_def search;
    scree_sim_def def;
} grain_system;

// Spheres, some fixed, that overlap from the start, move and turn. The law is that of case `number`. On the heap, as defs point into it.
static grain_system* make_system(int number, int dim, int32_t count, unsigned periodic, bool heavy, uint64_t seed)
{
    grain_system* s = calloc(1, sizeof *s);
    scree_rng rng = scree_rng_make(seed, 7);
    s->c = law_of(number);
    s->def = scree_default_sim_def();
    s->set = sim_gas(dim, count, 3.0, dim == 2 ? 0.45 : 0.28, false, seed);
    for (int k = 0; k < dim; ++k)
        s->set.box.periodic[k] = (periodic >> k & 1) != 0;
    s->v = sim_thermal(scree_sphere_set_view(&s->set), 0.3, seed);
    s->spin = calloc((size_t)count, 3 * sizeof *s->spin);
    s->fixed = calloc((size_t)count, 1);
    for (int32_t i = 0; i < count; ++i) {
        s->set.r[i] *= 1.15;
        s->fixed[i] = heavy && i % 17 == 3;
        for (int k = dim == 2 ? 2 : 0; k < 3; ++k)
            s->spin[3 * i + k] = sim_between(&rng, -1.0, 1.0);  // fixed ones drive the others
        for (int k = 0; k < dim && s->fixed[i]; ++k)
            s->v[i * dim + k] = 0.0;
    }
    s->each = scree_default_sim_each();
    s->each.fixed = s->fixed;
    s->each.spin = s->c.pair.friction > 0.0 ? s->spin : NULL;  // or nothing turns them
    s->material = scree_default_sim_material();
    s->material.young = 200.0;
    s->material.poisson = 0.25;
    s->c.law.material_count = 1;
    s->c.law.materials = s->c.elastic ? &s->material : NULL;
    s->c.law.pairs = &s->c.pair;
    s->search = scree_default_index_def();
    s->def.box = s->set.box;
    s->def.law = &s->c.law;
    s->def.each = &s->each;
    s->def.search = &s->search;
    s->def.threads = 1;
    s->def.order_every = 13;
    s->def.speed = s->c.elastic ? 2.0 : 0.0;
    s->def.energies = true;
    if (heavy)
        s->def.gravity[dim - 1] = -0.5;
    return s;
}

static void free_system(grain_system* s)
{
    scree_sphere_set_free(&s->set);
    free(s->v);
    free(s->spin);
    free(s->fixed);
    free(s);
}

static scree_sim* sim_of(const grain_system* s)
{
    scree_sim* sim;
    CHECK_OK(scree_sim_create(&s->def, scree_sphere_set_view(&s->set), s->v, &sim));
    return sim;
}

static uint64_t hash_after(const grain_system* s, int64_t steps)
{
    scree_sim* sim = sim_of(s);
    CHECK_OK(scree_sim_run(sim, steps));
    uint64_t hash = scree_sim_hash(sim);
    scree_sim_destroy(sim);
    return hash;
}

// ---- Same bits -----------------------------------------------------------------------------------------------------------

// The spans of one pass for any machine and with wide instructions: accelerations, to the last bit.
static void spans_agree(scree_sim* sim)
{
    sim_pass pass;
    sim_pass_make(sim, SIM_REST, &pass);
    size_t bytes = (size_t)sim->n * sizeof *sim->other;
    double (*kept)[4] = malloc(bytes), (*turned)[4] = malloc(bytes);
    for (int64_t span = 0; span * pass.span < sim->blocks; ++span)
        sim_span_plain(&pass, span, &sim->desks[0]);
    memcpy(kept, sim->other, bytes);
    if (sim->law.turns)
        for (int32_t i = 0; i < sim->n; ++i)
            memcpy(turned[i], sim_at(sim->wp_next, i), sizeof *turned);
    for (int wide = 0; wide < (scree_has_avx512() ? 2 : 1); ++wide) {
        memset(sim->other, 0xff, bytes);
        for (int64_t span = 0; span * pass.span < sim->blocks; ++span)
            (wide == 0 ? sim_span_avx2 : sim_span_avx512)(&pass, span, &sim->desks[0]);
        assert_memory_equal(kept, sim->other, bytes);
        for (int32_t i = 0; i < sim->n && sim->law.turns; ++i)
            assert_memory_equal(turned[i], sim_at(sim->wp_next, i), sizeof *turned);
    }
    free(kept);
    free(turned);
}

static void* kept_copy(const void* from, size_t bytes)
{
    return from == NULL ? NULL : memcpy(malloc(bytes + 1), from, bytes);
}

// Contacts as data, for any machine and with wide instructions.
static void looks_agree(scree_sim* sim)
{
    enum { kinds = 5 };
    scree_sim_contacts now;
    void* kept[kinds] = {NULL};
    for (int wide = 0; wide < 2; ++wide) {
        scree_plain_only = wide == 0;
        CHECK_OK(scree_sim_get_contacts(sim, &now));
        scree_plain_only = false;
        const void* of[kinds] = {now.overlap, now.normal, now.force, now.tangential, now.torque};
        assert_true(now.count > 0);
        for (int k = 0; k < kinds; ++k) {
            const size_t bytes = (size_t)now.count * (k == 0 ? 1 : 3) * sizeof(double);
            if (wide == 0)
                kept[k] = kept_copy(of[k], bytes);
            else if (of[k] != NULL)
                assert_memory_equal(kept[k], of[k], bytes);
        }
    }
    for (int k = 0; k < kinds; ++k)
        free(kept[k]);
}

static void every_way_gives_the_same_bits(void** state)
{
    (void)state;
    for (int number = 0; number < law_case_count; ++number) {
        grain_system* s = make_system(number, number % 4 == 3 ? 2 : 3, 150, number % 3 == 0 ? 7u : 1u, true, (uint64_t)number + 1);
        enum { steps = 60 };
        scree_sim *whole = sim_of(s), *pieces = sim_of(s), *resumed = sim_of(s);
        CHECK_OK(scree_sim_run(whole, steps));
        uint64_t hash = scree_sim_hash(whole);
        scree_sim_report report = sim_report_of(whole);
        assert_true(report.contacts > 50);
        for (int n = 0; n < steps; ++n) {
            scree_sim_contacts contacts;
            CHECK_OK(scree_sim_run(pieces, 1));
            CHECK_OK(scree_sim_get_contacts(pieces, &contacts));
            sim_report_of(pieces);
        }
        assert_true(scree_sim_hash(pieces) == hash);
        scree_sim_report looked = sim_report_of(pieces);
        assert_true(looked.dissipated_normal == report.dissipated_normal && looked.dissipated_tangential == report.dissipated_tangential && looked.work_walls == report.work_walls &&
                    looked.work_gravity == report.work_gravity);
        scree_sim_destroy(pieces);
        pieces = sim_of(s);
        CHECK_OK(scree_sim_run(pieces, 25));
        sim_hand_over(pieces, resumed);
        CHECK_OK(scree_sim_run(resumed, steps - 25));
        assert_true(scree_sim_hash(resumed) == hash);
        assert_true(sim_report_of(resumed).dissipated_normal == report.dissipated_normal);
        scree_sim_destroy(whole);
        scree_sim_destroy(pieces);
        scree_sim_destroy(resumed);
        s->def.backend = SCREE_BACKEND_REFERENCE;
        assert_true(hash_after(s, steps) == hash);
        s->def.backend = SCREE_BACKEND_FUSED;
        s->def.energies = false;
        assert_true(hash_after(s, steps) == hash);
        s->search.skin = -1.0;  // a new list every step
        s->def.energies = true;
        assert_true(hash_after(s, steps) == hash);
        s->search = scree_default_index_def();
        s->search.method = SCREE_METHOD_ALL_PAIRS;
        assert_true(hash_after(s, steps) == hash);
        s->search = scree_default_index_def();
        scree_sim* plain = sim_of(s);
        CHECK_OK(scree_sim_run(plain, steps));
        assert_true(scree_sim_hash(plain) == hash);
        if (scree_has_avx2())
            spans_agree(plain);
        looks_agree(plain);
        scree_sim_destroy(plain);
        int32_t past_from = sim_past_from;
        sim_past_from = 1;
        assert_true(hash_after(s, steps) == hash);
        sim_past_from = past_from;
        scree_avx2_at_most = true;
        assert_true(hash_after(s, steps) == hash);
        scree_avx2_at_most = false;
        scree_plain_only = true;
        assert_true(hash_after(s, steps) == hash);
        scree_plain_only = false;
        free_system(s);
    }
}

// Giants, and contacts across blocks on several threads.
static void many_blocks_and_giants_give_the_same_bits(void** state)
{
    (void)state;
    static const int numbers[] = {0, 5, 10, 14, 16};
    const int steps = test_is_small() ? 5 : 15;
    for (int e = 0; e < 5; e += test_is_small() ? 3 : 1) {
        grain_system* s = make_system(numbers[e], 3, sim_block * 2 + 500, 3u, true, 5);
        s->def.giants = e % 2 == 0 ? 1.2 : 0.0;  // many of them
        uint64_t hash = hash_after(s, steps);
        s->def.threads = 3;
        assert_true(hash_after(s, steps) == hash);
        s->def.backend = SCREE_BACKEND_REFERENCE;
        assert_true(hash_after(s, steps) == hash);
        free_system(s);
    }
}

// Contacts across spans of several blocks, and spans that change with the number of threads while a list is held.
static void spans_give_the_same_bits(void** state)
{
    (void)state;
    enum { steps = 8 };
    grain_system* s = make_system(0, 3, sim_block * 8 + 700, 3u, true, 6);
    uint64_t hash = hash_after(s, steps);
    scree_sim* sim = sim_of(s);
    assert_true(sim->lists.span == 8 && sim->lists.rows.in_start[sim->lists.rows.blocks] > 0);
    CHECK_OK(scree_sim_run(sim, 3));
    CHECK_OK(scree_sim_set_threads(sim, 2));
    CHECK_OK(scree_sim_run(sim, 2));
    assert_true(sim->lists.span == 3);
    CHECK_OK(scree_sim_set_threads(sim, 1));
    sim_report_of(sim);
    CHECK_OK(scree_sim_run(sim, steps - 5));
    assert_true(sim->lists.span == 8);
    assert_true(scree_sim_hash(sim) == hash);
    if (!test_is_small()) {  // what follows has one thread
        CHECK_OK(scree_sim_validate(sim));
        s->def.backend = SCREE_BACKEND_REFERENCE;
        assert_true(hash_after(s, steps) == hash);
    }
    scree_sim_destroy(sim);
    free_system(s);
}

// Contacts of several materials are worked out side by side. Three materials of the same numbers are as one, and other names of three change nothing.
static void materials_stay_with_their_contacts(void** state)
{
    (void)state;
    enum { count = 400, steps = 20, materials = 3 };
    static const int numbers[] = {0, 3, 4, 9, 10, 15};
    static const int names[2][materials] = {{0, 1, 2}, {2, 0, 1}};
    for (int e = 0; e < 6; ++e) {
        grain_system* s = make_system(numbers[e], 3, count, 7u, false, 11);
        scree_sim_material each[materials];
        scree_sim_pair pairs[materials * materials];
        uint16_t* material = calloc(count, sizeof *material);
        uint64_t one = hash_after(s, steps), mixed[2];
        s->c.law.material_count = materials;
        s->c.law.pairs = pairs;
        s->c.law.materials = s->c.elastic ? each : NULL;
        s->each.material = material;
        for (int i = 0; i < count; ++i)
            material[i] = (uint16_t)(i % materials);
        for (int a = 0; a < materials; ++a)
            each[a] = s->material;
        for (int p = 0; p < materials * materials; ++p)
            pairs[p] = s->c.pair;
        assert_true(hash_after(s, steps) == one);
        for (int way = 0; way < 2; ++way) {
            const int* name = names[way];
            for (int i = 0; i < count; ++i)
                material[i] = (uint16_t)name[i % materials];
            for (int a = 0; a < materials; ++a) {
                each[name[a]].young = 200.0 + 40.0 * a;
                for (int b = 0; b < materials; ++b) {
                    scree_sim_pair* pair = &pairs[name[a] * materials + name[b]];
                    pair->friction = 0.25 + 0.05 * (a + 1) * (b + 1);
                    pair->restitution = 0.5 + 0.04 * (a + 1) * (b + 1);
                    pair->stiffness = s->c.pair.stiffness * (1.0 + 0.05 * (a + 1) * (b + 1));
                }
            }
            s->def.backend = SCREE_BACKEND_REFERENCE;
            mixed[way] = hash_after(s, steps);
            s->def.backend = SCREE_BACKEND_FUSED;
            assert_true(hash_after(s, steps) == mixed[way]);
            s->def.energies = false;
            assert_true(hash_after(s, steps) == mixed[way]);
            s->def.energies = true;
        }
        assert_true(mixed[0] != one && mixed[1] == mixed[0]);
        free(material);
        free_system(s);
    }
}

// ---- What is kept ----------------------------------------------------------------------------------------------------------

static double energy_of(const scree_sim_report* r)
{
    return r->energy_kinetic + r->energy_rotation + r->energy_contact;
}

static double dissipated(const scree_sim_report* r)
{
    return r->dissipated_normal + r->dissipated_tangential + r->dissipated_rolling + r->dissipated_twisting;
}

static double balance_of(const scree_sim_report* r)
{
    return energy_of(r) + dissipated(r) - ((r->work_walls + r->work_gravity) + r->work_forces);
}

// A cluster in the open.
static void momentum_and_angular_momentum_stay(void** state)
{
    (void)state;
    for (int number = 0; number < law_case_count; ++number)
        for (int dim = 2; dim <= 3; ++dim) {
            grain_system* s = make_system(number, dim, 60, 0u, false, (uint64_t)number + 20);
            s->def.box = scree_box_open(dim);
            scree_sim* sim = sim_of(s);
            sim_sums before = sim_sums_of(sim, s->set.r);
            CHECK_OK(scree_sim_run(sim, 300));
            sim_sums after = sim_sums_of(sim, s->set.r);
            for (int k = 0; k < 3; ++k)
                if (!(fabs(after.momentum[k] - before.momentum[k]) <= 1e-13 * before.scale) || !(fabs(after.angular[k] - before.angular[k]) <= 1e-12 * before.scale))
                    fail_msg("%s, %dD: momentum %g, angular momentum %g of %g", s->c.name, dim, after.momentum[k] - before.momentum[k], after.angular[k] - before.angular[k],
                             before.scale);
            scree_sim_destroy(sim);
            free_system(s);
        }
}

// In a box with moving walls and gravity. The error of the balance falls with the square of the step, or nearly so where forces jump; nothing is ever gained.
static void every_energy_has_an_owner(void** state)
{
    (void)state;
    for (int number = 0; number < law_case_count; number += test_is_small() ? 4 : 1) {
        double errors[2];
        for (int fine = 0; fine < 2; ++fine) {
            grain_system* s = make_system(number, 3, 80, 1u, true, (uint64_t)number + 40);
            s->def.wall_velocity[1][0] = 0.05;
            scree_sim* probe = sim_of(s);
            double step = scree_sim_get_numbers(probe).time_step;
            scree_sim_destroy(probe);
            s->def.time_step = fine ? step / 8.0 : step;
            scree_sim* sim = sim_of(s);
            scree_sim_report report = sim_report_of(sim);
            double first = balance_of(&report), lost = 0.0, most = energy_of(&report);
            errors[fine] = 0.0;
            for (int n = 0; n < 20; ++n) {
                CHECK_OK(scree_sim_run(sim, fine ? 200 : 25));
                report = sim_report_of(sim);
                double of[4] = {report.dissipated_normal, report.dissipated_tangential, report.dissipated_rolling, report.dissipated_twisting};
                for (int k = 0; k < 4; ++k)
                    if (!(of[k] >= -1e-9 * most))
                        fail_msg("%s: dissipated energy %d is %g", s->c.name, k, of[k]);
                if (!(dissipated(&report) >= lost - 1e-9 * most))
                    fail_msg("%s: dissipated energy falls from %g to %g", s->c.name, lost, dissipated(&report));
                lost = dissipated(&report);
                errors[fine] = fmax(errors[fine], fabs(balance_of(&report) - first) / most);
            }
            if (getenv("SCREE_TEST_SHOW") != NULL)
                printf("%-40s %d  error %.3e  lost %.3e of %.3e\n", s->c.name, fine, errors[fine], lost, most);
            scree_sim_destroy(sim);
            free_system(s);
        }
        if (!(errors[0] < 2e-3) || !(errors[1] < 0.15 * errors[0] || errors[1] < 3e-5))
            fail_msg("law %d: the energies of all owners drift by %g, with an eighth of the step by %g", number, errors[0], errors[1]);
    }
}

// ---- Overlaps ------------------------------------------------------------------------------------------------------------

// The watch finds what a look at every step that it looks at finds, with any number of threads, and changes nothing.
static void overlaps_are_watched(void** state)
{
    (void)state;
    enum { steps = 60 };
    for (int hertz = 0; hertz < (test_is_small() ? 1 : 2); ++hertz) {
        grain_system* s = make_system(hertz ? 9 : 0, 2, 5000, 3, true, 11);
        uint64_t hash = 0;
        double deepest[steps / 10 + 1] = {0.0}, shortest = INFINITY;  // in each 10 steps
        scree_sim_overlaps first[steps / 10], seen;
        for (int threads = 0; threads < 4; ++threads) {  // 0: nobody watches, and the test looks itself
            s->def.threads = threads < 2 ? 1 : threads == 2 ? 2 : 7;
            s->def.watch_overlaps = threads > 0 ? 0.01 : 0.0;
            scree_sim* sim = sim_of(s);
            for (int step = 1; step <= steps && threads == 0; ++step) {
                scree_sim_contacts all;
                CHECK_OK(scree_sim_run(sim, 1));
                if (step % (hertz ? 5 : 10) != 0)
                    continue;
                CHECK_OK(scree_sim_get_contacts(sim, &all));
                for (int64_t c = 0; c < all.count; ++c) {
                    int64_t i = all.ij[c][0], j = all.ij[c][1];
                    double ri = s->set.r[i], rj = j >= 0 ? s->set.r[j] : INFINITY, radius = j >= 0 ? ri * rj / (ri + rj) : ri;
                    double inverse = (s->fixed[i] ? 0.0 : 1.0 / sim_mass(2, 1.0, ri)) + (j < 0 || s->fixed[j] ? 0.0 : 1.0 / sim_mass(2, 1.0, rj));
                    deepest[(step - 1) / 10] = fmax(deepest[(step - 1) / 10], all.overlap[c] / fmin(ri, rj));
                    shortest = fmin(shortest, sim_pi / sqrt(2.0 * (0.5 * 200.0 / (1.0 - 0.25 * 0.25)) * sqrt(radius * all.overlap[c]) * inverse));
                }
            }
            for (int part = 0; part < steps / 10 && threads > 0; ++part) {
                CHECK_OK(scree_sim_run(sim, 10));
                CHECK_OK(scree_sim_take_overlaps(sim, &seen));
                first[part] = threads == 1 ? seen : first[part];
                assert_memory_equal(&seen, &first[part], sizeof seen);
                CHECK_CLOSE(seen.deepest.relative, deepest[part], 1e-12);
                assert_true(seen.deepest.step % (hertz ? 5 : 10) == 0 && seen.deepest.ij[0] >= 0 && seen.deepest.ij[1] > seen.deepest.ij[0]);
                assert_true(seen.shortest.duration == INFINITY && shortest > 10.0 * scree_sim_get_numbers(sim).time_step);  // that of hertz is in test_scene_physics.c
                CHECK_OK(scree_sim_take_overlaps(sim, &seen));  // since the last time: nothing
                assert_true(seen.deepest.relative == 0.0 && seen.shortest.duration == INFINITY);
            }
            if (threads == 0) {
                hash = scree_sim_hash(sim);
                CHECK_FAILS(scree_sim_take_overlaps(sim, &seen), SCREE_ERR_ARGUMENT, "watch_overlaps");
            }
            assert_true(scree_sim_hash(sim) == hash);
            scree_sim_destroy(sim);
        }
        free_system(s);
    }
}

// A contact of 53 steps. At step 10 its overlap is 0.09, which is allowed but near the limit of 0.1: the check of step 20 must not be left out.
static void a_deepening_contact_is_watched(void** state)
{
    (void)state;
    const double x[6] = {4.0, 5.0, 5.0, 6.0, 5.0, 5.0}, r[2] = {1.0, 1.0}, v[6] = {0.25, 0.0, 0.0, -0.25, 0.0, 0.0};
    scree_sim_def def = scree_default_sim_def();
    def.box = (scree_box){.dim = 3, .upper = {10.0, 10.0, 10.0}};
    def.stiffness = 20.6713;
    def.time_step = 0.019;
    def.watch_overlaps = 0.1;
    scree_sim* sim;
    scree_sim_overlaps seen;
    CHECK_OK(scree_sim_create(&def, (scree_spheres){.count = 2, .dim = 3, .x = x, .r = r}, v, &sim));
    CHECK_OK(scree_sim_run(sim, 19));
    CHECK_OK(scree_sim_take_overlaps(sim, &seen));
    assert_true(seen.deepest.relative == 0.0);
    CHECK_OK(scree_sim_run(sim, 2));
    CHECK_OK(scree_sim_take_overlaps(sim, &seen));
    assert_int_equal(seen.deepest.step, 20);
    const double rate = sqrt(2.0 * def.stiffness / sim_mass(3, 1.0, 1.0));
    CHECK_CLOSE(seen.deepest.overlap, 0.5 / rate * sin(20.0 * def.time_step * rate), 2e-3);  // what a step of a fiftieth of the contact leaves
    scree_sim_destroy(sim);
}

// ---- The step ------------------------------------------------------------------------------------------------------------

// A sphere on a floor, held there by gravity, and swung by a small push across the normal, or by a small spin about an axis that only rolling or twisting resistance
// stops. Stiffness k, dashpot g and inverse mass q of that motion, by the law's formulas; the closed form of the largest stable step is 2 / (2 eta + sqrt(4 eta^2 + w0^2)).
typedef struct swing_case {
    const char* part;
    double restitution, tangential_stiffness, tangential_damping, inertia;  // inertia over 2/5 m r^2
    double rolling_stiffness, rolling_damping, twisting_stiffness, twisting_damping;
} swing_case;

enum { swing_density = 1, swing_steps = 400 };

static const double swing_k = 1e4, swing_r = 0.5;

static double swing_mass(void)
{
    return sim_mass(3, swing_density, swing_r);
}

static scree_sim* swinging(const swing_case* c, double step, scree_status* status)
{
    double mass = swing_mass(), sag = mass * 10.0 / swing_k, x[3] = {0.0, 0.0, swing_r - sag}, v[3] = {0.0}, spin[3] = {0.0};
    double inertia = 0.4 * mass * swing_r * swing_r * (c->inertia > 0.0 ? c->inertia : 1.0);
    bool rolls = strcmp(c->part, "rolling") == 0, twists = strcmp(c->part, "twisting") == 0;
    v[0] = rolls || twists ? 0.0 : 1e-9;
    spin[0] = rolls ? 1e-9 : 0.0;
    spin[2] = twists ? 1e-9 : 0.0;
    scree_sim_pair pair = scree_default_sim_pair();
    pair.restitution = c->restitution;
    pair.friction = rolls || twists ? 0.0 : 1.0;
    pair.rolling_friction = rolls ? 1.0 : 0.0;
    pair.twisting_friction = twists ? 1.0 : 0.0;
    pair.tangential_stiffness = c->tangential_stiffness;
    pair.tangential_damping = c->tangential_damping;
    pair.rolling_stiffness = c->rolling_stiffness;
    pair.rolling_damping = c->rolling_damping;
    pair.twisting_stiffness = c->twisting_stiffness;
    pair.twisting_damping = c->twisting_damping;
    scree_sim_law law = scree_default_sim_law();
    law.material_count = 1;
    law.pairs = &pair;
    scree_sim_each each = scree_default_sim_each();
    each.inertia = &inertia;
    each.spin = spin;
    scree_sim_def def = scree_default_sim_def();
    def.box = scree_box_open(3);
    def.box.lower[2] = 0.0;
    def.gravity[2] = -10.0;
    def.material_density = swing_density;
    def.stiffness = swing_k;
    def.law = &law;
    def.each = &each;
    def.time_step = step;
    def.threads = 1;
    scree_sim* sim;
    *status = scree_sim_create(&def, (scree_spheres){.count = 1, .dim = 3, .x = x, .r = &swing_r}, v, &sim);
    return sim;
}

static double swing_now(scree_sim* sim, const swing_case* c)
{
    double v[3], w[3];
    CHECK_OK(scree_sim_get_column(sim, "v", v));
    CHECK_OK(scree_sim_get_column(sim, "w", w));
    return fabs(strcmp(c->part, "rolling") == 0 ? w[0] : strcmp(c->part, "twisting") == 0 ? w[2] : v[0]);
}

static double swing_limit(const swing_case* c, double* square, double* eta)
{
    double mass = swing_mass(), sag = mass * 10.0 / swing_k, inertia = 0.4 * mass * swing_r * swing_r * (c->inertia > 0.0 ? c->inertia : 1.0), loss = -log(c->restitution);
    double kt = c->tangential_stiffness * swing_k, gt = c->tangential_damping * 2.0 * loss / sqrt(sim_pi * sim_pi + loss * loss) * sqrt(swing_k * mass), arm = swing_r - sag;
    double q = 1.0 / mass + arm * arm / inertia;
    if (strcmp(c->part, "rolling") == 0) {
        kt *= c->rolling_stiffness;
        gt *= c->rolling_damping;
        q = swing_r * swing_r / inertia;
    }
    if (strcmp(c->part, "twisting") == 0) {
        kt = c->twisting_stiffness;
        gt *= c->twisting_damping * swing_r * swing_r;
        q = 1.0 / inertia;
    }
    *square = kt * q;
    *eta = 0.5 * gt * q;
    return 2.0 / (2.0 * *eta + sqrt(4.0 * *eta * *eta + *square));
}

// Just below the closed form the swing does not grow, just above it does; a step beyond half of it is refused with the part that asks for less, and the automatic step is within it.
static void steps_are_within_the_stability_limit(void** state)
{
    (void)state;
    static const swing_case all[] = {
        {"tangential", .restitution = 0.2, .tangential_stiffness = 2.0 / 7.0, .tangential_damping = 8.0},
        {"tangential", .restitution = 0.5, .tangential_stiffness = 2.0 / 7.0, .tangential_damping = 1.0, .inertia = 0.01},
        {"tangential", .restitution = 1.0, .tangential_stiffness = 80.0, .tangential_damping = 1.0},
        {"rolling", .restitution = 0.5, .tangential_stiffness = 2.0 / 7.0, .tangential_damping = 1.0, .rolling_stiffness = 100.0},
        {"rolling", .restitution = 0.5, .tangential_stiffness = 2.0 / 7.0, .tangential_damping = 1.0, .rolling_stiffness = 1.0, .rolling_damping = 20.0},
        {"twisting", .restitution = 0.5, .tangential_stiffness = 2.0 / 7.0, .tangential_damping = 1.0, .twisting_stiffness = 1e5},
        {"twisting", .restitution = 0.5, .tangential_stiffness = 2.0 / 7.0, .tangential_damping = 1.0, .twisting_stiffness = 1e3, .twisting_damping = 20.0},
    };
    for (size_t k = 0; k < sizeof all / sizeof *all; ++k) {
        const swing_case* c = &all[k];
        scree_status status;
        double square, eta, limit = swing_limit(c, &square, &eta), grown[2];
        for (int above = 0; above < 2; ++above) {
            scree_sim* sim = swinging(c, 0.0, &status);
            CHECK_OK(status);
            sim->numbers.time_step = (above ? 1.05 : 0.95) * limit;  // whatever is accepted
            grown[above] = 0.0;
            for (int step = 0; step < swing_steps; ++step) {
                CHECK_OK(scree_sim_run(sim, 1));
                grown[above] = step < swing_steps / 2 ? 0.0 : fmax(grown[above], swing_now(sim, c) / 1e-9);
            }
            scree_sim_destroy(sim);
        }
        if (!(grown[0] < 10.0 && grown[1] > 1e3))
            fail_msg("%s, case %zu: swings are %g times as large with 0.95 of the limit %g, and %g times with 1.05 of it", c->part, k, grown[0], limit, grown[1]);
        scree_sim* sim = swinging(c, 0.0, &status);
        CHECK_OK(status);
        scree_sim_numbers n = scree_sim_get_numbers(sim);
        scree_sim_destroy(sim);
        double longest = fmin(0.5 * limit, eta > 0.0 && square <= 0.0 ? INFINITY : sim_pi / sqrt(square) / 5.0);
        assert_string_equal(scree_sim_limit_name(n.longest_time_step_by), c->part);
        assert_true(n.longest_time_step_of[0] == 0 && n.longest_time_step_of[1] == -1);
        CHECK_CLOSE(n.longest_time_step / longest, 1.0, 1e-2);  // the arm is the radius there
        assert_true(n.time_step <= 0.6 * n.longest_time_step * (1.0 + 1e-12) && n.contact_duration / 10.0 > n.longest_time_step);
        (void)swinging(c, 1.01 * n.longest_time_step, &status);
        char part[32], value[32];
        snprintf(part, sizeof part, "the %s", c->part);
        snprintf(value, sizeof value, "%g", 1.01 * n.longest_time_step);
        CHECK_FAILS(status, SCREE_ERR_ARGUMENT, part, value, "sphere 0");
    }
    assert_null(scree_sim_limit_name(-1));
    assert_null(scree_sim_limit_name(SCREE_SIM_LIMIT_COUNT));
}

static const test_case cases[] = {
    SAME_BITS(every_way_gives_the_same_bits),
    THREADS(many_blocks_and_giants_give_the_same_bits),
    THREADS(spans_give_the_same_bits),
    SAME_BITS(materials_stay_with_their_contacts),
    UNIT(momentum_and_angular_momentum_stay),
    UNIT(every_energy_has_an_owner),
    THREADS(overlaps_are_watched),
    UNIT(a_deepening_contact_is_watched),
    UNIT(steps_are_within_the_stability_limit),
};

const test_group group_grains = {.name = "grains", .cases = cases, .count = sizeof cases / sizeof *cases};
