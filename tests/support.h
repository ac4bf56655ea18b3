// What every test file needs: cmocka, checks that print both values, the effort knob, and the n-th-allocation-fails loop.
#ifndef TESTS_SUPPORT_H
#define TESTS_SUPPORT_H

// cmocka wants these first, in this order.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "scree/base.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The status is OK; else the library's message is shown.
#define CHECK_OK(call)                                                                                                 \
    do {                                                                                                               \
        scree_status check_status = (call);                                                                            \
        if (check_status != SCREE_OK)                                                                                  \
            fail_msg("%s:%d: %s gave status %d: %s", __FILE__, __LINE__, #call, (int)check_status,                     \
                     scree_error_message());                                                                           \
    } while (0)

// The call fails with this status, and its message contains this text.
#define CHECK_FAILS(call, wanted, text)                                                                                \
    do {                                                                                                               \
        scree_status check_status = (call);                                                                            \
        if (check_status != (wanted))                                                                                  \
            fail_msg("%s:%d: %s gave status %d, not %d", __FILE__, __LINE__, #call, (int)check_status, (int)(wanted)); \
        if (strstr(scree_error_message(), (text)) == NULL)                                                             \
            fail_msg("%s:%d: the message is \"%s\", without \"%s\"", __FILE__, __LINE__, scree_error_message(),        \
                     (text));                                                                                          \
    } while (0)

// |a - b| <= tolerance, absolute. A NaN on either side fails.
#define CHECK_CLOSE(a, b, tolerance)                                                                                   \
    do {                                                                                                               \
        double check_a = (a), check_b = (b), check_t = (tolerance);                                                    \
        if (!(fabs(check_a - check_b) <= check_t))                                                                     \
            fail_msg("%s:%d: %s = %.17g, %s = %.17g, off by %.3g, allowed %.3g", __FILE__, __LINE__, #a, check_a, #b,  \
                     check_b, check_a - check_b, check_t);                                                             \
    } while (0)

#if defined(__SANITIZE_THREAD__)
#define TEST_THREAD_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define TEST_THREAD_SANITIZER 1
#endif
#endif

// SCREE_TEST_EFFORT, 1 unless set: how many times longer property tests may take. The thread sanitizer looks for races, which do not
// hide in the last of a thousand cases, and is ten times slower: a quarter for it.
static inline double test_effort(void)
{
    const char* text = getenv("SCREE_TEST_EFFORT");
    double effort = text == NULL ? 1.0 : atof(text);
#if defined(TEST_THREAD_SANITIZER)
    effort *= 0.25;
#endif
    return effort > 0.0 ? effort : 1.0;
}

// Runs `call` (an expression giving a scree_status) again and again while its 1st, 2nd, ... allocation fails, until it
// goes through. Each failure must be told as SCREE_ERR_MEMORY. `check` runs after each failure: what was there must
// still be there. Run under the address sanitizer, this shows that nothing leaks either.
#define EACH_ALLOCATION_FAILS(call, check)                                                                             \
    do {                                                                                                               \
        for (int64_t each_n = 1;; ++each_n) {                                                                        \
            scree_memory_fail_at(each_n);                                                                             \
            scree_status each_status = (call);                                                                        \
            int64_t each_allocations = scree_memory_fail_at(0);                                                       \
            if (each_status == SCREE_OK) {                                                                            \
                if (each_allocations >= each_n)                                                                      \
                    fail_msg("%s:%d: allocation %d failed and %s said OK", __FILE__, __LINE__, (int)each_n, #call);   \
                break;                                                                                                 \
            }                                                                                                          \
            if (each_status != SCREE_ERR_MEMORY)                                                                      \
                fail_msg("%s:%d: allocation %d failed and %s gave %d: %s", __FILE__, __LINE__, (int)each_n, #call,    \
                         (int)each_status, scree_error_message());                                                    \
            check;                                                                                                     \
        }                                                                                                              \
    } while (0)

#endif
