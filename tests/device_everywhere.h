// Every case that makes simulations of spheres, or asks an index for pairs, does so on a device too, and each of its calls gives the same there (device_everywhere.c).
#ifndef SCREE_TESTS_DEVICE_EVERYWHERE_H
#define SCREE_TESTS_DEVICE_EVERYWHERE_H

#include <stdbool.h>
#include <stddef.h>

void everywhere_begin(void);             // notes from now on what the case does, if SCREE_TEST_EVERYWHERE names a device
bool everywhere_repeat(size_t number);   // after a case, of this number in its group, that has passed: whether it has to run again, as it does on the device from now on
bool everywhere_is_second(void);         // that run
void everywhere_compare_end(void);       // it is over, and had as many calls as the first one
void everywhere_end(void);               // after each case, also one that has failed
bool everywhere_report(const char* group, const char* label);  // prints what the device did since the last report. False: less than was expected. label NULL: not all cases of one label ran

#endif
