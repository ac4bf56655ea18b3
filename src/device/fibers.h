// Lanes of an emulated block that wait for each other: each is a fiber, which runs until it meets the others of its warp or block. There the next one continues. In C only; lane.h calls this where a GPU has
// instructions for it.
#ifndef SCREE_DEVICE_FIBERS_H
#define SCREE_DEVICE_FIBERS_H

#include <stdbool.h>
#include <stdint.h>

// What a lane shows to the others where they meet.
typedef struct fiber_value {
    uint64_t word;
    double four[4];
} fiber_value;

typedef struct fibers fibers;

enum { fibers_most = 256 };  // lanes of a block

// `lanes`, up to fibers_most, are a multiple of `warp`, which is even and at most 32. Lanes come in an order drawn with the seed; 0: rising, or falling. NULL: no memory.
fibers* fibers_create(int32_t lanes, int32_t warp, uint64_t seed, bool falling);
void fibers_destroy(fibers* f);                   // NULL is fine

// Calls body(of, lane) for each lane of a block, as a fiber, and returns when all have ended. False: lanes that had to meet did not, or a lane wanted to meet others outside of this; fibers_trouble describes it.
bool fibers_run(fibers* f, void (*body)(void* of, int lane), void* of);
const char* fibers_trouble(const fibers* f);      // "": there was none

// The device whose lanes run on this thread from now on, so that they find it; NULL: none.
void fibers_use(fibers* f);

// ---- Called by lanes -------------------------------------------------------------------------------------------------------

int fibers_warp(void);                            // lanes of a warp
int fibers_lane(void);                            // number of this lane in its warp

// Waits for all lanes of the warp. What each has shown, by number; valid until the next meeting. `name`: the function that meets, which must be the same for all.
const fiber_value* fibers_meet(const char* name, fiber_value mine);
void fibers_meet_block(const char* name);         // waits for all lanes of the block

#endif
