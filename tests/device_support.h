// Systems that tests of devices run on the processor and on a device, and the comparison: hash by hash and column by column.
#ifndef SCREE_TESTS_DEVICE_SUPPORT_H
#define SCREE_TESTS_DEVICE_SUPPORT_H

#include "sim_support.h"

#include "scree/device.h"

typedef struct device_system {
    scree_sphere_set set;
    double* v;
    scree_sim_def def;
    scree_sim_each each;
    scree_index_def search;
    scree_sim_law law;
    scree_sim_pair pairs[4];
    scree_sim_material materials[2];
    uint16_t* material;
    uint8_t* fixed;
    double *force, *spin;
    uint16_t* group;
} device_system;

device_system device_make(int dim, int32_t count, double ratio, double density, bool periodic, int loss, uint64_t seed);  // loss: 0 elastic, 1 a restitution, 2 a damping
void device_keep_round(device_system* s, double radius, bool cylinder);  // only spheres within a sphere or a cylinder along z about the middle of the box; the outermost touch it
void device_free(device_system* s);
void device_point(device_system* s);                          // the members of its def
scree_sim* device_start(device_system* s, int32_t device);
const char* device_choose_law(device_system* s, int number);  // from 0 on; NULL: there is none

extern int device_watched, device_brief;                      // overlaps that both have reported
void device_check_same(const char* name, scree_sim* a, scree_sim* b);
int32_t device_tested(void);                                  // SCREE_TEST_DEVICE=cuda runs these tests on a GPU; else emulate
void device_compare(const char* name, device_system* s, int64_t steps);  // in three runs
void device_compare_sims(const char* name, scree_sim* a, scree_sim* b, int64_t steps);  // a on the processor; they are destroyed
void device_set_tiny(uint64_t seed);                          // blocks of 4 lanes, rows of 2, stretches of 3: whatever overflows does so here

#endif
