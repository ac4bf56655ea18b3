// What every test file needs: cmocka, labelled cases, checks that print both values, the effort, and the loop in which the n-th
// allocation fails. All test files are one program, scree_tests (main.c); each has a group of cases.
#ifndef TESTS_SUPPORT_H
#define TESTS_SUPPORT_H

// cmocka wants these first, in this order.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "scree/base.h"
#include "scree/geom.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- Cases and groups ------------------------------------------------------------------------------------------------

// What a case is for, by which each build chooses what it runs (tests/CMakeLists.txt). A case has one label: the first that fits, from
// below.
typedef enum test_label {
    TEST_UNIT,        // one answer that is known beforehand
    TEST_PROPERTY,    // many random inputs against an independent reference; as many as the effort says
    TEST_THREADS,     // several threads, and what they give is the same
    TEST_SAME_BITS,   // the same bits from another method, instruction set or compiler, or after an interruption
    TEST_ALLOCATION,  // an allocation or a system call fails
    TEST_LABELS
} test_label;

typedef struct test_case {
    const char* name;
    test_label label;
    CMUnitTestFunction run;
} test_case;

#define UNIT(function) {#function, TEST_UNIT, function}
#define PROPERTY(function) {#function, TEST_PROPERTY, function}
#define THREADS(function) {#function, TEST_THREADS, function}
#define SAME_BITS(function) {#function, TEST_SAME_BITS, function}
#define ALLOCATION(function) {#function, TEST_ALLOCATION, function}

typedef struct test_group {
    const char* name;
    const test_case* cases;
    size_t count;
    CMFixtureFunction begin, end;   // around the group, or NULL
    CMFixtureFunction before_each;  // before each case, or NULL
} test_group;

// Of the case that is running, for messages.
extern const char *test_group_name, *test_case_name;

// ---- Checks ----------------------------------------------------------------------------------------------------------

// The status is OK; else the library's message is shown.
#define CHECK_OK(call) check_ok(__FILE__, __LINE__, #call, (call))
void check_ok(const char* file, int line, const char* call, scree_status status);

// CHECK_FAILS(call, status, parts...): the call fails with this status, and its message names each part: the place (a file and line, a
// sphere, a key, an option) and the value. A string may hold several parts, "m.csv:2 | 'y'"; "1" is not found in "12" or "1.5". The
// wording around the parts is free; tests/messages.txt shows it for review.
#define CHECK_FAILS(call, ...) check_fails(__FILE__, __LINE__, #call, (call), __VA_ARGS__, (const char*)NULL)
void check_fails(const char* file, int line, const char* call, scree_status got, scree_status wanted, ...);

// The message of the last failure names these parts, as above.
bool message_names(const char* parts);

// |a - b| <= tolerance, absolute. A NaN on either side fails.
#define CHECK_CLOSE(a, b, tolerance) check_close(__FILE__, __LINE__, #a, (a), #b, (b), (tolerance))
void check_close(const char* file, int line, const char* a_text, double a, const char* b_text, double b, double tolerance);

// ---- Effort ----------------------------------------------------------------------------------------------------------

// SCREE_TEST_EFFORT, 1 unless set: how many times as many random cases property tests try. Sanitizers run at a part of it: what they look
// for does not hide in the last of a thousand cases, and they are several times slower.
double test_effort(void);

// A watch whose progress must rise; it stops at a tick, counted from 1. stop_at 0: never.
typedef struct tick_count {
    int count, stop_at;
    double last;
} tick_count;

bool rising_tick(void* context, double done);

static inline double dot3(const double* a, const double* b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// A random box with sides of side, 1.3 side and 0.9 side; axes are periodic, with that length, or open, with length 0.
scree_box random_box(scree_rng* rng, int dim, double side, double length[3]);

// Whether a test should take the smaller of two sizes: in the builds that run at a part of the effort.
bool test_is_small(void);

// ---- The n-th allocation fails -----------------------------------------------------------------------------------------

// Runs `call` (an expression giving a scree_status) again and again while its 1st, 2nd, ... allocation fails, until it
// goes through. Each failure must be reported as SCREE_ERR_MEMORY. `check` runs after each failure: what was there must
// still be there. Run under the address sanitizer, this shows that nothing leaks either; builds that run at a part of the
// effort fail each of the first 40 allocations, then each third.
#define EACH_ALLOCATION_FAILS(call, check)                                                                             \
    do {                                                                                                               \
        for (int64_t each_n = 1;; each_n = next_allocation(each_n)) {                                                  \
            scree_memory_fail_at(each_n);                                                                              \
            scree_status each_status = (call);                                                                         \
            if (check_allocation(__FILE__, __LINE__, #call, each_n, scree_memory_fail_at(0), each_status))             \
                break;                                                                                                 \
            check;                                                                                                     \
        }                                                                                                              \
    } while (0)
int64_t next_allocation(int64_t n);
bool check_allocation(const char* file, int line, const char* call, int64_t n, int64_t allocations, scree_status status);

#endif
