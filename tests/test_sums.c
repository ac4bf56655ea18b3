// Sums that depend on no order (sim/sums.h), and the accounts of energies that are made of them.
#include "support.h"

#include "base/wide.h"
#include "sim/sim_inner.h"
#include "sim/sums_four.h"
#include "sim/totals.h"
#include "sim_support.h"

#include <float.h>

enum { terms = 4000 };
__extension__ typedef __int128 wide;

// Terms of very different size and of both signs, some 0.
static void make_terms(scree_rng* rng, double quantum, double out[terms])
{
    for (int k = 0; k < terms; ++k) {
        double size = ldexp(scree_rng_uniform(rng), (int)scree_rng_below(rng, 150) - 120);
        out[k] = k % 13 == 0 ? 0.0 : (scree_rng_below(rng, 2) != 0 ? size : -size) * quantum;
    }
}

// In whole multiples of the last quantum: no sum of these needs more than 128 bits.
static wide whole(const sum_scale* s, double term)
{
    double rest = term / s->quantum[sum_limbs - 1];  // exact
    int exponent;
    double mantissa = frexp(rest, &exponent);
    wide bits = (wide)ldexp(mantissa, 53);
    return exponent >= 53 ? bits << (exponent - 53) : (wide)nearbyint(rest);
}

static wide whole_of(const sim_sum* sum)
{
    return ((wide)sum->limb[0] * ((wide)1 << (2 * sum_bits))) + ((wide)sum->limb[1] * ((wide)1 << sum_bits)) + sum->limb[2];
}

static void sums_are_exact_in_any_order(void** state)
{
    (void)state;
    scree_rng rng = scree_rng_make(5, 0);
    for (int round = 0; round < 20; ++round) {
        const sum_scale s = sum_scale_of(ldexp(1.0, 30 * round - 300));
        static double term[terms];
        sim_sum first = {.limb = {0}};
        wide wanted = 0;
        uint64_t beyond = 0;
        make_terms(&rng, s.quantum[0], term);
        for (int k = 0; k < terms; ++k) {
            sum_add(&s, term[k], &first, &beyond);
            wanted += whole(&s, term[k]);
        }
        sum_carry(&first);
        assert_true(whole_of(&first) == wanted && !sum_is_beyond(beyond));
        CHECK_CLOSE(sum_value(&s, &first) / s.quantum[0], (double)((long double)wanted * 0x1p-88L), 1e-15 * fabs((double)((long double)wanted * 0x1p-88L)));
        for (int k = terms - 1; k > 0; --k) {
            int64_t other = (int64_t)scree_rng_below(&rng, (uint64_t)k + 1);
            double one = term[k];
            term[k] = term[other];
            term[other] = one;
        }
        // In groups of any size, one by one and four at a time.
        sim_sum all = {.limb = {0}};
        for (int k = 0; k < terms;) {
            int count = 4 * (int)scree_rng_below(&rng, 40);
            four_sums fours = {.beyond = {0}};
            sim_sum one = {.limb = {0}};
            for (; count > 0 && k + 4 <= terms; count -= 4, k += 4) {
                four row;
                four_load(&row, term + k);
                four_add(&s, &row, &fours);
            }
            for (int c = 0; c < 4; ++c) {
                sim_sum lane = four_sum_of(&fours, c, &beyond);
                sum_join(&all, &lane);
            }
            if (k < terms)
                sum_add(&s, term[k++], &one, &beyond);
            sum_carry(&one);
            sum_join(&all, &one);
        }
        assert_memory_equal(&all, &first, sizeof all);
        assert_false(sum_is_beyond(beyond));
    }
}

static void terms_that_are_too_large_are_reported(void** state)
{
    (void)state;
    const sum_scale s = sum_scale_of(8.0);
    const double fine[] = {0x1p29 * 8.0, -0x1p29 * 8.0, 0.0, 1e-300, 0x1.ffffffp29 * 8.0}, large[] = {0x1p31 * 8.0, -0x1p31 * 8.0, 0x1p50 * 8.0, 0x1p52 * 8.0, -0x1p53 * 8.0, 1e300, -1e300, INFINITY, -INFINITY, (double)NAN};
    for (size_t k = 0; k < sizeof fine / sizeof *fine; ++k) {
        sim_sum sum = {.limb = {0}};
        uint64_t beyond = 0;
        sum_add(&s, fine[k], &sum, &beyond);
        assert_false(sum_is_beyond(beyond));
    }
    for (size_t k = 0; k < sizeof large / sizeof *large; ++k) {
        sim_sum sum = {.limb = {0}};
        uint64_t beyond = 0;
        sum_add(&s, 1.0, &sum, &beyond);
        sum_add(&s, large[k], &sum, &beyond);
        if (!sum_is_beyond(beyond))
            fail_msg("%g passed", large[k]);
    }
}

// Friction, rolling, gravity, walls, an outer force: the accounts of one system in all ways to work it out.
static void accounts_are_the_same_bits_every_way(void** state)
{
    (void)state;
    enum { ways = 6 };
    scree_sphere_set set = sim_gas(3, 6000, 3.0, 0.4, false, 3);
    double* v = sim_thermal(scree_sphere_set_view(&set), 0.3, 3);
    double wanted[2 * sim_accounts] = {0.0};
    for (int way = 0; way < ways; ++way) {
        scree_sim_pair pair = scree_default_sim_pair();
        scree_sim_law law = scree_default_sim_law();
        scree_sim_def def = scree_default_sim_def();
        scree_index_def search = scree_default_index_def();
        scree_sim* sim;
        pair.friction = 0.4;
        pair.rolling_friction = 0.1;
        law.material_count = 1;
        law.pairs = &pair;
        def.law = &law;
        def.box = set.box;
        def.box.periodic[0] = true;
        def.stiffness = 20.0;
        def.restitution = 0.9;
        def.gravity[2] = -0.5;
        def.order_every = 9;
        def.energies = true;
        def.threads = way == 1 ? 3 : 1;
        def.backend = way == 2 ? SCREE_BACKEND_REFERENCE : SCREE_BACKEND_FUSED;
        search.skin = way == 3 ? 1e-6 : way == 4 ? 0.3 : 0.0;
        def.search = &search;
        scree_plain_only = way == 5;
        CHECK_OK(scree_sim_create(&def, scree_sphere_set_view(&set), v, &sim));
        CHECK_OK(scree_sim_run(sim, 12));
        CHECK_OK(scree_sim_run(sim, 9));
        scree_plain_only = false;
        scree_sim_state now = {0};
        CHECK_OK(scree_sim_get_state(sim, &now));
        assert_int_equal(now.account_count, 2 * sim_accounts);
        if (way == 0)
            memcpy(wanted, now.account, sizeof wanted);
        for (int k = 0; k < 2 * sim_accounts; ++k)
            if (memcmp(&wanted[k], &now.account[k], sizeof *wanted) != 0)
                fail_msg("way %d: account %d is %.17g, not %.17g", way, k, now.account[k], wanted[k]);
        scree_sim_destroy(sim);
    }
    for (int owner = 0; owner < OWNER_TWISTING; ++owner)
        assert_true(wanted[owner] > 0.0);
    free(v);
    scree_sphere_set_free(&set);
}

// Totals: exact, in any order and however they are joined, and rounded once.
static void totals_are_exact_in_any_order(void** state)
{
    (void)state;
    scree_rng rng = scree_rng_make(6, 0);
    for (int round = 0; round < 60; ++round) {
        static double term[terms];
        int scale = 33 * round - 1074;
        sim_total whole_total = {{0}}, joined = {{0}}, piece = {{0}};
        wide wanted = 0;
        for (int k = 0; k < terms; ++k) {  // whole multiples of 2^scale, below 2^63 of them
            int64_t units = (int64_t)(scree_rng_bits(&rng) >> (1 + scree_rng_below(&rng, 62)) & ~(uint64_t)0x7ff);
            units = scree_rng_below(&rng, 2) != 0 ? units : -units;
            term[k] = k % 11 == 0 ? 0.0 : ldexp((double)units, scale);
            if (term[k] != 0.0 && fabs(term[k]) <= DBL_MAX)
                wanted += (wide)units;
            else
                term[k] = 0.0;
            total_add(&whole_total, term[k]);
        }
        for (int k = terms - 1; k >= 0; --k) {
            total_add(&piece, term[k]);
            if (scree_rng_below(&rng, 9) == 0 || k == 0) {
                total_carry(&piece);
                total_join(&joined, &piece);
                memset(&piece, 0, sizeof piece);
            }
        }
        total_carry(&whole_total);
        assert_memory_equal(&whole_total, &joined, sizeof joined);
        // A whole number of 128 bits becomes the nearest double, as the total does.
        double value = ldexp((double)wanted, scale);
        if (fabs(value) >= DBL_MIN && fabs(value) <= DBL_MAX)
            assert_true(total_value(&joined) == value);
    }
    sim_total t = {{0}};
    assert_true(total_value(&t) == 0.0);
    const double pairs[][3] = {{1e308, 1e308, INFINITY},      {DBL_MAX, -DBL_MAX, 0.0}, {5e-324, 5e-324, 1e-323},
                               {INFINITY, -1e300, INFINITY}, {-INFINITY, 1.0, -INFINITY}, {1.0, 0x1p-53, 1.0},
                               {1.0, 0x1.000001p-53, 1.0 + DBL_EPSILON}, {-1.0, -0x1.000001p-53, -1.0 - DBL_EPSILON}};
    for (size_t p = 0; p < sizeof pairs / sizeof *pairs; ++p) {
        t = (sim_total){{0}};
        total_add(&t, pairs[p][0]);
        total_add(&t, pairs[p][1]);
        assert_true(total_value(&t) == pairs[p][2]);
    }
    t = (sim_total){{0}};
    total_add(&t, INFINITY);
    total_add(&t, -INFINITY);
    assert_true(isnan(total_value(&t)));
}

// Terms in batches make the same total, whatever their sizes are.
static void batches_of_terms_are_exact(void** state)
{
    (void)state;
    scree_rng rng = scree_rng_make(8, 0);
    for (int round = 0; round < 400; ++round) {
        sim_total one = {{0}}, many = {{0}};
        sim_batch batch = {.count = 0};
        int spread = round % 8 == 0 ? 2000 : round % 8 * 12, count = (int)scree_rng_below(&rng, 300), around = (int)scree_rng_below(&rng, 1900) - 950;
        for (int k = 0; k < count; ++k) {
            double term = ldexp(2.0 * scree_rng_uniform(&rng) - 1.0, around + (int)scree_rng_below(&rng, (uint32_t)spread + 1) - spread / 2);
            if (round % 50 == 49 && k % 70 == 3)
                term = k % 140 == 3 ? INFINITY : NAN;
            if (k % 17 == 5)
                term = 0.0;
            total_add(&one, term);
            total_push(&many, &batch, term);
        }
        total_flush(&many, &batch);
        total_carry(&one);
        total_carry(&many);
        if (memcmp(&one, &many, sizeof one) != 0)
            fail_msg("round %d: %d terms about 2^%d, spread over %d powers of two, have another total", round, count, around, spread);
    }
}

static const test_case cases[] = {
    UNIT(totals_are_exact_in_any_order),
    UNIT(batches_of_terms_are_exact),
    UNIT(sums_are_exact_in_any_order),
    UNIT(terms_that_are_too_large_are_reported),
    SAME_BITS(accounts_are_the_same_bits_every_way),
};

const test_group group_sums = {.name = "sums", .cases = cases, .count = sizeof cases / sizeof *cases};
