// Who is near one sphere: what a method says, beside a loop over all spheres and images. For the tests of methods one by one.
#ifndef TESTS_NEAR_SUPPORT_H
#define TESTS_NEAR_SUPPORT_H

#include "support.h"

#include "index/method.h"

typedef struct near_row {
    int32_t j;
    int8_t shift[3];
} near_row;

// For qsort: by j, then by the shift.
int compare_near_rows(const void* a, const void* b);

typedef struct near_work {
    int64_t found, tests;  // as the method counts them
} near_work;

// What `near` of the method gives for (xr, own) is what a loop over the spheres 0 .. n - 1 of `it` and all their images gives, by the one
// predicate. `in` says which spheres take part; NULL: all. `where` is for messages.
near_work check_near(const method_table* method, const void* self, const items* it, int32_t n, const bool* in, const double xr[4], int32_t own,
                     const char* where);

#endif
