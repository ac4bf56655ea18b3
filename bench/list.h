// All experiments, in the order in which `scree bench` lists them. Only the program sees them; papers/ and bench/ do not see each other.
#ifndef BENCH_LIST_H
#define BENCH_LIST_H

#include "harness.h"

extern const experiment* const bench_list[];  // NULL at the end

#endif
