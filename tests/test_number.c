// Numbers as text: the quick ways must give what strtod and snprintf give, bit for bit and letter for letter.
#include "support.h"

#include "base/number.h"

#include <float.h>
#include <inttypes.h>

static bool same_bits(double a, double b)
{
    return memcmp(&a, &b, sizeof a) == 0 || (isnan(a) && isnan(b));
}

static void check_parse(const char* text)
{
    double value = 0.0, wanted = strtod(text, NULL);
    // A copy of just that size, so that the address sanitizer sees a look behind the end.
    size_t length = strlen(text);
    char* exact = malloc(length > 0 ? length : 1);
    assert_non_null(exact);
    memcpy(exact, text, length);
    bool taken = scree_number_parse(exact, exact + length, &value);
    free(exact);
    if (!taken || !same_bits(value, wanted))
        fail_msg("'%s' was read as %s%.17g, not as %.17g", text, taken ? "" : "nothing, ", value, wanted);
}

// What scree_number_format promises, done the plain way.
static void check_format(double value)
{
    char text[32], wanted[64];
    for (int digits = 15; digits <= 17; ++digits) {
        snprintf(wanted, sizeof wanted, "%.*g", digits, value);
        if (strtod(wanted, NULL) == value || isnan(value))
            break;
    }
    int length = scree_text_number(text, value);
    if (strcmp(text, wanted) != 0 || length != (int)strlen(text) || length > 24)
        fail_msg("%a was written as '%s' (%d), not as '%s'", value, text, length, wanted);
    double back = 0.0;
    if (!scree_number_parse(text, text + length, &back) || !same_bits(back, value))
        fail_msg("%a was written as '%s' and read as %a", value, text, back);
}

static double random_bits(scree_rng* rng)
{
    uint64_t bits = scree_rng_bits(rng);
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static void test_special_values(void** state)
{
    (void)state;
    static const double values[] = {0.0, -0.0, 1.0, -1.0, 0.1, 1e15, 1e16, 1e17, 1e21, 1e22, 1e23, 1e-4, 1e-5, 123456.0,
                                    999999999999999.0, 9999999999999998.0, 99999999999999984.0, 9.9999999999999995e22,
                                    9007199254740992.0, 9007199254740994.0, 0.3, 0.30000000000000004, 5e-324, DBL_MIN, DBL_MAX,
                                    -DBL_MAX, INFINITY, -INFINITY, NAN, 2.2250738585072011e-308, 1e-140, 1e140, 4.35, 0.00001234,
                                    0.00012345678901234567, 123456789012345.67, 1234567890123456.7, 12345678901234567.0};
    for (size_t k = 0; k < sizeof values / sizeof *values; ++k) {
        check_format(values[k]);
        check_format(nextafter(values[k], INFINITY));
        check_format(nextafter(values[k], -INFINITY));
    }
    for (int e = -1074; e < 1024; ++e) {  // powers of two and their neighbours
        check_format(ldexp(1.0, e));
        check_format(nextafter(ldexp(1.0, e), 0.0));
        check_format(nextafter(ldexp(1.0, e), INFINITY));
    }
    for (int e = -330; e < 310; ++e) {  // powers of ten, and what rounds up to them
        char text[64];
        static const char* const front[] = {"1", "9.99999999999999", "9.999999999999999", "9.9999999999999999", "5", "1.5",
                                            "9007199254740993", "1.0000000000000001110223024625156540423631668090820312"};
        for (size_t k = 0; k < sizeof front / sizeof *front; ++k) {
            snprintf(text, sizeof text, "%se%d", front[k], e);
            check_parse(text);
            check_format(strtod(text, NULL));
        }
    }
}

static void test_texts(void** state)
{
    (void)state;
    static const char* const good[] = {
        "0", "-0", "+0", "1", "-1", "+1", "1.", ".5", "-.5", "00012", "0.0000000000000000000000000000000000000000000001",
        "100000000000000000000000000000000000000000000000", "1e5", "1E5", "1e+5", "1e-5", "1.5e0005", "0e99999", "0.000e-99999",
        "1e400", "-1e400", "1e-400", "1e308", "1.7976931348623157e308", "1.7976931348623159e308", "4.9e-324", "2.4e-324",
        "9007199254740993", "9007199254740992.99999999999999999999", "9007199254740993.00000000000000000001",
        "18446744073709551615", "18446744073709551616", "99999999999999999999", "9999999999999999999", "1e23", "8.5e22",
        "7205759403792793199999e-5", "7205759403792793200001e-5", "nan", "NaN", "-nan", "inf", "-Inf", "infinity", "INFINITY",
        "1000000000000000000000000000000e-30", "0.00000000000000000000000000000000000123456789012345678901234567890",
        "123456789012345678901234567890.00", "2.2250738585072011e-308", "2.2250738585072014e-308"};
    for (size_t k = 0; k < sizeof good / sizeof *good; ++k)
        check_parse(good[k]);
    static const char* const bad[] = {"", " ", " 1", "1 ", "+", "-", ".", "e5", ".e5", "1e", "1e+", "1e5.", "1.2.3", "1,5", "--1", "+-1",
                                      "0x10", "0x1p3", "nan(1)", "1f", "1_000", "in", "infinit", "one", "1e5e5", "\t1", "1\n"};
    for (size_t k = 0; k < sizeof bad / sizeof *bad; ++k) {
        double value;
        if (scree_number_parse(bad[k], bad[k] + strlen(bad[k]), &value))
            fail_msg("'%s' was read as %g", bad[k], value);
    }
    char zeros[501];  // 500 characters are read, 501 are not
    double value;
    memset(zeros, '0', sizeof zeros);
    zeros[498] = '7';
    assert_true(scree_number_parse(zeros, zeros + 500, &value));
    CHECK_CLOSE(value, 70.0, 0.0);
    assert_false(scree_number_parse(zeros, zeros + 501, &value));
    static const char nul[] = {'1', '\0', '2'};
    assert_false(scree_number_parse(nul, nul + sizeof nul, &value));
}

static void test_random_bits(void** state)
{
    (void)state;
    scree_rng rng = scree_rng_make(11, 0);
    int64_t rounds = (int64_t)(200000 * test_effort());
    for (int64_t k = 0; k < rounds; ++k) {
        check_format(random_bits(&rng));
        check_format(scree_rng_uniform(&rng) * 100.0);
        check_format((double)scree_rng_below(&rng, 1000000) / 1000.0);
        char text[64];
        double value = random_bits(&rng);
        if (!isfinite(value))
            continue;
        snprintf(text, sizeof text, "%.*e", (int)scree_rng_below(&rng, 25), value);
        check_parse(text);
        snprintf(text, sizeof text, "%.*f", (int)scree_rng_below(&rng, 20), scree_rng_uniform(&rng) * 1e3);
        check_parse(text);
    }
}

static void test_random_digits(void** state)
{
    (void)state;
    scree_rng rng = scree_rng_make(12, 0);
    int64_t rounds = (int64_t)(300000 * test_effort());
    for (int64_t k = 0; k < rounds; ++k) {
        char text[64];
        int count = 1 + (int)scree_rng_below(&rng, 26), used = 0, point = (int)scree_rng_below(&rng, 27);
        for (int d = 0; d < count; ++d) {
            if (d == point)
                text[used++] = '.';
            text[used++] = (char)('0' + scree_rng_below(&rng, 10));
        }
        snprintf(text + used, 16, "e%d", (int)scree_rng_below(&rng, 660) - 330);
        check_parse(text);
    }
}

// Just on, above and below the middle between two doubles, where rounding is decided by the last digit.
static void test_ties(void** state)
{
    (void)state;
    scree_rng rng = scree_rng_make(13, 0);
    int64_t rounds = (int64_t)(50000 * test_effort());
    for (int64_t k = 0; k < rounds; ++k) {
        uint64_t mantissa = (UINT64_C(1) << 52) + scree_rng_below(&rng, UINT64_C(1) << 52);
        int shift = (int)scree_rng_below(&rng, 10);
        char text[400];
        uint64_t middle = 2 * mantissa + 1;  // 54 bits, times 2^shift: a whole number of up to 64 bits
        snprintf(text, sizeof text, "%" PRIu64, middle << shift);
        check_parse(text);
        snprintf(text, sizeof text, "%" PRIu64 ".0000000001", middle << shift);
        check_parse(text);
        snprintf(text, sizeof text, "%" PRIu64 ".9999999999", (middle << shift) - 1);
        check_parse(text);
        // Middles below 1 in all their digits: long double holds them, printf writes them out.
        long double small = ldexpl((long double)middle, -54 - (int)scree_rng_below(&rng, 40));
        snprintf(text, sizeof text, "%.120Lf", small);
        check_parse(text);
        text[60] = '\0';
        check_parse(text);
    }
}

static const test_case cases[] = {
    UNIT(test_special_values),
    UNIT(test_texts),
    SAME_BITS(test_random_bits),
    PROPERTY(test_random_digits),
    PROPERTY(test_ties),
};

const test_group group_number = {.name = "number", .cases = cases, .count = sizeof cases / sizeof *cases};
