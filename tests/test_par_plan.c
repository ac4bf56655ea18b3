// Who owns what: the forest, and plans that count the shares of ranks.
#include "par_support.h"

#include "par/forest.h"

// What is counted of them; memory is not the same by both ways.
static bool same_counts(const scree_sim_plan* a, const scree_sim_plan* b)
{
    const scree_sim_share *s[3] = {&a->sum, &a->most, &a->least}, *t[3] = {&b->sum, &b->most, &b->least};
    bool same = a->ranks == b->ranks;
    for (int k = 0; k < 3; ++k)
        same = same && s[k]->own == t[k]->own && s[k]->ghosts == t[k]->ghosts && s[k]->peers == t[k]->peers && s[k]->sent == t[k]->sent && s[k]->candidates == t[k]->candidates && s[k]->work == t[k]->work;
    return same;
}

// A plan of a simulation that is there has the counts of ranks that make it: the work of a sphere does not depend on who owns it, and so does the partition not.
static void a_plan_counts_what_is_made(void** state)
{
    (void)state;
    const par_maker makers[] = {par_friction, par_giant, par_equal_giants, par_flat, par_open_box, par_walls};
    for (size_t m = 0; m < sizeof makers / sizeof *makers; ++m) {
        par_system s = makers[m](31 + m);
        for (int32_t ranks = 2; ranks <= 8; ++ranks) {
            scree_sim* sim;
            scree_par* par;
            scree_sim_plan plan, made, stepped;
            par_begin(&s);
            CHECK_OK(scree_sim_create(&s.def, scree_sphere_set_view(&s.set), s.v, &sim));
            CHECK_OK(scree_sim_find_plan(sim, ranks, &plan));
            CHECK_FAILS(scree_sim_get_shares(sim, &made), SCREE_ERR_ARGUMENT, "scree_par_share");
            scree_sim_destroy(sim);
            CHECK_OK(scree_par_create_virtual(ranks, &par));
            CHECK_OK(scree_par_share(par));
            par_begin(&s);
            CHECK_OK(scree_sim_create(&s.def, scree_sphere_set_view(&s.set), s.v, &sim));
            CHECK_OK(scree_sim_get_shares(sim, &made));
            CHECK_OK(scree_sim_run(sim, 1));
            CHECK_OK(scree_sim_get_shares(sim, &stepped));
            assert_true(same_counts(&plan, &made) && made.sum.own == s.set.count);
            assert_true(plan.least.own <= plan.most.own && plan.least.bytes > 0 && plan.least.bytes <= plan.most.bytes && plan.held <= plan.sum.bytes && plan.held_first <= plan.first);
            assert_true(stepped.sum.bytes > 0 && stepped.sum.bytes <= made.sum.bytes && stepped.sum.own == made.sum.own && stepped.first <= made.first);
            scree_sim_destroy(sim);
            scree_par_destroy(par);
        }
        par_free(&s);
    }
}

// A plan has the counts of a run with as many ranks, and leaves the simulation as it is.
static void a_plan_counts_what_a_run_has(void** state)
{
    (void)state;
    const par_maker makers[] = {par_damped, par_friction, par_giant, par_flat, par_open_box, par_sheared};
    for (size_t m = 0; m < sizeof makers / sizeof *makers; ++m) {
        par_system s = makers[m](21 + m);
        uint64_t hash[par_looks];
        par_run_alone(&s, hash);
        for (int32_t ranks = 1; ranks <= 8; ++ranks) {
            scree_sim* sim;
            scree_par* par;
            par_sim* shared;
            scree_sim_plan plan;
            scree_sim_share sum = {0}, most = {0};
            par_begin(&s);
            CHECK_OK(scree_sim_create(&s.def, scree_sphere_set_view(&s.set), s.v, &sim));
            if (s.begin != NULL)
                s.begin(sim);
            uint64_t before = scree_sim_hash(sim);
            CHECK_OK(scree_sim_find_plan(sim, ranks, &plan));
            assert_true(scree_sim_hash(sim) == before && plan.ranks == ranks);
            CHECK_OK(par_alone(ranks, &par));
            CHECK_OK(par_sim_create(par, sim, &shared));
            CHECK_OK(par_sim_run(shared, 1));
            for (int32_t l = 0; l < ranks; ++l) {
                par_counts has;
                par_sim_counts(shared, l, &has);
                assert_true(has.lists == 1);
                sum.own += has.own;
                sum.ghosts += has.ghosts;
                sum.peers += has.peers;
                sum.sent += has.sent;
                sum.candidates += has.candidates;
                most.own = has.own > most.own ? has.own : most.own;
                most.ghosts = has.ghosts > most.ghosts ? has.ghosts : most.ghosts;
                most.peers = has.peers > most.peers ? has.peers : most.peers;
                most.sent = has.sent > most.sent ? has.sent : most.sent;
                most.candidates = has.candidates > most.candidates ? has.candidates : most.candidates;
            }
            assert_true(sum.own == s.set.count && plan.sum.own == sum.own && plan.most.own == most.own);
            assert_true(plan.sum.ghosts == sum.ghosts && plan.most.ghosts == most.ghosts && (ranks == 1) == (sum.ghosts == 0));
            assert_true(plan.sum.peers == sum.peers && plan.most.peers == most.peers && plan.most.peers < ranks);
            assert_true(plan.sum.sent == sum.sent && plan.most.sent == most.sent && plan.sum.candidates == sum.candidates && plan.most.candidates == most.candidates);
            assert_true(plan.most.work * ranks >= plan.sum.work && plan.most.bytes * ranks >= plan.sum.bytes && (ranks > 1 ? plan.sum.bytes + plan.first : plan.first) > 200 * (sum.own + sum.ghosts));
            par_sim_destroy(shared);
            par_close(par);
            if (ranks % 4 == 3) {  // a plan changes nothing of what comes
                scree_sim_destroy(sim);
                CHECK_OK(scree_sim_create(&s.def, scree_sphere_set_view(&s.set), s.v, &sim));
                if (s.begin != NULL)
                    s.begin(sim);
                for (int k = 0; k < par_looks; ++k) {
                    CHECK_OK(scree_sim_find_plan(sim, ranks, &plan));
                    CHECK_OK(scree_sim_run(sim, par_pieces[k]));
                    assert_true(par_shown(sim) == hash[k]);
                }
            }
            scree_sim_destroy(sim);
        }
        par_free(&s);
    }
}

static int by_key(const void* a, const void* b)
{
    uint64_t x = *(const uint64_t*)a, y = *(const uint64_t*)b;
    return (x > y) - (x < y);
}

static void lay(par_forest* forest, scree_rng* rng, int dim, unsigned periodic)
{
    double size[3] = {9.0, 4.0, 2.5}, sides[3][2] = {{0.0, 9.0}, {0.0, 4.0}, {0.0, dim == 3 ? 2.5 : 0.0}};
    uint64_t markers[16];
    scree_box box = scree_box_sized(dim, size);
    for (int k = 0; k < dim; ++k)
        box.periodic[k] = (periodic >> k & 1) != 0;
    if (dim == 3 && periodic == 7 && scree_rng_uniform(rng) < 0.7) {  // up to half a box, as cells are reduced to
        box.tilt[0] = 9.0 * (scree_rng_uniform(rng) - 0.5);
        box.tilt[1] = 9.0 * (scree_rng_uniform(rng) - 0.5);
        box.tilt[2] = 4.0 * (scree_rng_uniform(rng) - 0.5);
    }
    forest_lay(forest, &box, (const double(*)[2])sides);
    for (int p = 0; p + 1 < forest->ranks; ++p) {
        double x[3] = {9.0 * scree_rng_uniform(rng), 4.0 * scree_rng_uniform(rng), dim == 3 ? 2.5 * scree_rng_uniform(rng) : 0.0};
        markers[p] = p > 0 && scree_rng_uniform(rng) < 0.2 ? markers[p - 1] : forest_key(forest, x);
    }
    qsort(markers, (size_t)forest->ranks - 1, sizeof *markers, by_key);
    CHECK_OK(forest_cut_at(forest, markers));
}

// Every owner of a point within reach is found: points are drawn around the centre, across periodic faces and outside of the box. Where a ball is at home, all of its points are.
static void a_ball_meets_all_who_own_a_point_of_it(void** state)
{
    (void)state;
    enum { ranks = 11 };
    scree_rng rng = scree_rng_make(4, 4);
    forest_hits hits = {0};
    int homes = 0;
    for (int trial = 0; trial < (int)(40 * test_effort()); ++trial) {
        par_forest forest;
        int dim = trial % 4 == 0 ? 2 : 3, met = 0;
        unsigned periodic = (unsigned)trial % 8;
        forest_home home[ranks];
        CHECK_OK(forest_open(trial / 8 % 2 == 0 ? ranks : 2, &forest));
        lay(&forest, &rng, dim, periodic);
        for (int p = 0; p < ranks; ++p)
            home[p] = forest_no_home();
        for (int b = 0; b < 40; ++b) {
            forest_ball ball = {.reach = scree_rng_uniform(&rng) * (b % 5 == 0 ? 3.0 : 0.5)};
            bool found[ranks] = {false};
            for (int k = 0; k < dim; ++k)
                ball.x[k] = (1.6 * scree_rng_uniform(&rng) - 0.3) * (forest.box.upper[k] - forest.box.lower[k]);
            int32_t me = b % forest.ranks;
            bool at_home = forest_is_home(&forest, me, ball.x, ball.reach, &home[me]);
            homes += at_home;
            CHECK_OK(forest_meet(&forest, me, 1, &ball, &hits));
            for (int64_t h = 0; h < hits.count; ++h)
                found[hits.hit[h].rank] = true;
            assert_false(found[me]);
            met += (int)hits.count;
            for (int p = 0; p < 60; ++p) {
                double y[3] = {0.0, 0.0, 0.0}, way[3];
                sim_direction(&rng, dim, way);
                double far = ball.reach * (p < 20 ? 1.0 : scree_rng_uniform(&rng));
                for (int k = 0; k < dim; ++k)
                    y[k] = ball.x[k] + way[k] * far * (1.0 - 1e-12);
                int32_t owner = forest_owner(&forest, forest_key(&forest, y));
                if (at_home && owner != me)
                    fail_msg("trial %d, ball %d: rank %d owns %g %g %g, which was said to be home of %d", trial, b, (int)owner, y[0], y[1], y[2], (int)me);
                if (owner != me && !found[owner])
                    fail_msg("trial %d, ball %d: rank %d owns %g %g %g and is not met", trial, b, (int)owner, y[0], y[1], y[2]);
            }
        }
        assert_true(met > 0);
        forest_close(&forest);
    }
    assert_true(homes > 0);
    scree_free(hits.hit);
}

static void cuts_share_the_weight(void** state)
{
    (void)state;
    enum { ranks = 6, many = 3000 };
    scree_rng rng = scree_rng_make(8, 8);
    scree_par* par;
    par_forest forest;
    static uint64_t keys[ranks][many];
    static int64_t sums[ranks][many + 1];
    forest_load loads[ranks];
    int64_t weight[ranks] = {0}, all = 0;
    CHECK_OK(par_alone(ranks, &par));
    CHECK_OK(forest_open(ranks, &forest));
    lay(&forest, &rng, 3, 5);
    for (int l = 0; l < ranks; ++l) {
        int count = l == 2 ? 0 : many / (1 + l);  // who has them now does not matter
        for (int i = 0; i < count; ++i) {
            double x[3] = {9.0 * pow(scree_rng_uniform(&rng), 3.0), 4.0 * scree_rng_uniform(&rng), 2.5 * scree_rng_uniform(&rng)};
            keys[l][i] = forest_key(&forest, x);
        }
        qsort(keys[l], (size_t)count, sizeof *keys[l], by_key);
        for (int i = 0; i <= count; ++i)
            sums[l][i] = 3 * i;
        all += 3 * count;
        loads[l] = (forest_load){.count = count, .key = keys[l], .weight = sums[l]};
    }
    CHECK_OK(forest_cut(&forest, par, loads));
    for (int l = 0; l < ranks; ++l)
        for (int64_t i = 0; i < loads[l].count; ++i)
            weight[forest_owner(&forest, keys[l][i])] += 3;
    for (int p = 0; p < ranks; ++p)
        CHECK_CLOSE((double)weight[p] * ranks / (double)all, 1.0, 0.01);
    forest_close(&forest);
    par_close(par);
}

// The fit of costs: two numbers of which none is below 0.
static void costs_are_fitted(void** state)
{
    (void)state;
    const double candidates[3] = {2000.0, 1000.0, 4000.0};
    const struct {
        double seconds[3], sphere, candidate, error;
    } of[] = {
        {{1e-5 + 2000 * 3e-9, 1e-5 + 1000 * 3e-9, 1e-5 + 4000 * 3e-9}, 1e-8, 3e-9, 0.0},  // a line
        {{6e-6, 9e-6, 3e-6}, 6e-9, 0.0, 1.0},                                               // it falls: candidates cost nothing
        {{2e-6, 0.0, 6e-6}, 5.0 * 0.068 / 166e6, 0.068 / 166e6, (7000.0 * 0.068 / 166e6 - 2e-6) / 2e-6},  // it begins below 0: a sphere costs as much as five candidates
    };
    scree_sim_costs found;
    for (size_t k = 0; k < sizeof of / sizeof *of; ++k) {
        sim_costs_fit(1000.0, 3, candidates, of[k].seconds, &found);
        CHECK_CLOSE(found.seconds_sphere, of[k].sphere, 1e-20);
        CHECK_CLOSE(found.seconds_candidate, of[k].candidate, 1e-20);
        CHECK_CLOSE(found.error, of[k].error, 1e-9);
    }
    const double same[3] = {1000.0, 1050.0, 1090.0}, seconds[3] = {1e-6, 2e-6, 3e-6};
    sim_costs_fit(1000.0, 3, same, seconds, &found);  // too near each other
    CHECK_CLOSE(found.seconds_sphere, 2e-9, 1e-20);
    assert_true(found.seconds_candidate == 0.0);
}

// Steps that are measured are those of a run.
static void costs_do_not_change_steps(void** state)
{
    (void)state;
    par_system s = par_friction(4);
    scree_sim *sim, *alone;
    scree_sim_costs costs;
    scree_par* par;
    par_begin(&s);
    CHECK_OK(scree_sim_create(&s.def, scree_sphere_set_view(&s.set), s.v, &sim));
    CHECK_OK(scree_sim_create(&s.def, scree_sphere_set_view(&s.set), s.v, &alone));
    CHECK_FAILS(scree_sim_find_costs(sim, 6, &costs), SCREE_ERR_ARGUMENT, "6 steps");
    CHECK_OK(scree_sim_find_costs(sim, 120, &costs));
    assert_true(scree_sim_get_step(sim) <= 120);
    CHECK_OK(scree_sim_run(alone, scree_sim_get_step(sim)));
    assert_true(scree_sim_hash(sim) == scree_sim_hash(alone));
    assert_true(costs.steps > 0 && costs.steps < scree_sim_get_step(sim) && costs.lists > 0 && costs.seconds_step > 0.0 && costs.seconds_lists > 0.0);
    assert_true(costs.seconds_sphere >= 0.0 && costs.seconds_candidate >= 0.0 && costs.seconds_sphere + costs.seconds_candidate > 0.0);
    scree_sim_destroy(sim);
    CHECK_OK(par_alone(2, &par));
    par_share(par);
    CHECK_OK(scree_sim_create(&s.def, scree_sphere_set_view(&s.set), s.v, &sim));
    CHECK_FAILS(scree_sim_find_costs(sim, 100, &costs), SCREE_ERR_UNSUPPORTED, "several ranks");
    scree_sim_destroy(sim);
    scree_sim_destroy(alone);
    par_share_end();
    par_close(par);
    par_free(&s);
}

static const test_case cases[] = {
    SAME_BITS(a_plan_counts_what_a_run_has),
    SAME_BITS(a_plan_counts_what_is_made),
    PROPERTY(a_ball_meets_all_who_own_a_point_of_it),
    UNIT(cuts_share_the_weight),
    UNIT(costs_are_fitted),
    SAME_BITS(costs_do_not_change_steps),
};

const test_group group_par_plan = {.name = "par_plan", .cases = cases, .count = sizeof cases / sizeof *cases};
