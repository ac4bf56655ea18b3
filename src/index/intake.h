// What comes in: the caller's arrays, looked through once and copied once.
#ifndef SCREE_INDEX_INTAKE_H
#define SCREE_INDEX_INTAKE_H

#include "index/method.h"

// A sphere that moves on through periodic faces, seen from a reference: its wrapped centre plus `on` boxes is where the
// reference centre, as it was given, has moved to. `apart` is `on` less the turns of the centre as given now: zero unless
// the caller has wrapped it in between.
typedef struct intake_turns {
    int8_t on[3], apart[3], unused[2];
} intake_turns;

enum { intake_few = 32 };  // spheres that share one mark in `turned`

typedef struct intake {
    scree_spheres spheres;
    const double (*given)[4];   // the caller's x y z r in place of spheres.x and spheres.r; NULL: those. What is smaller than any length is 0
    const scree_box* box;
    int32_t threads;
    double lower[3], upper[3];  // of the centres
    double r_min, r_max, r_sum;
    bool doubtful;              // something may be no length
    struct intake_block* blocks;
    int64_t block_capacity;
    double (*xr)[4];            // where the copy goes
    int8_t (*turns)[3];         // NULL: nothing is to be wrapped

    // What the spheres are compared with while they are copied: as many, wrapped. May be `xr` itself.
    const double (*against)[4];        // NULL: nothing
    const int8_t (*against_turns)[3];  // following: by how many boxes `against` was wrapped; NULL: by none
    intake_turns* followed;            // following in a periodic box: where the turns go
    uint8_t* turned;                   // and for each intake_few of them, whether some turns are not zero
    bool same_radii;                   // bit for bit
    double moved;                      // the two largest displacements, added
} intake;

// Looks through all spheres: `doubtful`, lower, upper, r_min, r_max. MEMORY.
scree_status intake_scan(intake* in);

// Copies them as x y z r, wrapped into the box where `turns` is given. With `against`: same_radii and moved.
void intake_copy(intake* in);

// Scan and copy in one pass, under the assumption that these are the spheres of `against`, moved a little. Writes `xr`, which must not
// be `against`, and `followed`. False: the assumption does not hold or a sphere is invalid; `xr` and `followed` are then undefined.
// MEMORY cannot happen: the previous scan has reserved everything.
bool intake_follow(intake* in);

size_t intake_bytes(const intake* in);

#endif
