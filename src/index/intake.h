// What comes in: the caller's arrays, looked through once and copied once.
#ifndef SCREE_INDEX_INTAKE_H
#define SCREE_INDEX_INTAKE_H

#include "index/method.h"

typedef struct intake {
    scree_spheres spheres;
    const scree_box* box;
    int32_t threads;
    double lower[3], upper[3];  // of the centres
    double r_min, r_max;
    bool doubtful;              // something may be no length
    struct intake_block* blocks;
    int64_t block_capacity;
    double (*xr)[4];            // where the copy goes
    int8_t (*turns)[3];         // NULL: nothing is to be wrapped
} intake;

// Looks through all spheres: `doubtful`, lower, upper, r_min, r_max. MEMORY.
scree_status intake_scan(intake* in);

// Copies them as x y z r, wrapped into the box where `turns` is given.
void intake_copy(intake* in);

#endif
