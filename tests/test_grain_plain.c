// grain_plain: the plain judge of contact physics against closed forms (grain_cases.c), and its parts against what they are derived from.
#include "grain_cases.h"
#include "support.h"

static void groove(void** state)
{
    (void)state;
    assert_int_equal(grain_run_cases(&grain_plain_stepper, "groove "), 3);
}

static void others(void** state)
{
    (void)state;
    static const char* const kinds[] = {"impact ", "oblique ", "sticking ", "slide ", "incline ", "block ", "spin ", "image ", "racket", "adhesion ", "plastic", "bridge", "chain"};
    int ran = 0;
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; ++k)
        ran += grain_run_cases(&grain_plain_stepper, kinds[k]);
    assert_int_equal(ran + 3, (int)grain_case_count);
}

static const test_case cases[] = {
    UNIT(groove),
    UNIT(others),
};

const test_group group_grain_plain = {.name = "grain_plain", .cases = cases, .count = sizeof cases / sizeof *cases};
