// The emulated device: how small its parts are, for tests.
#ifndef SCREE_DEVICE_EMULATE_H
#define SCREE_DEVICE_EMULATE_H

#include "device/ops.h"

typedef struct emulate_sizes {
    int32_t lanes, warp;    // of a block, up to 128, and of each of its warps: 4, 8, 16 or 32
    int32_t short_row, long_warp, stage, ranges, flush, crowd, together, batch;  // of device_ops
    int64_t few;            // up to this number of spheres launches are recorded
    uint64_t seed;          // of the order of lanes; 0: rising,
    bool falling;           // or falling
} emulate_sizes;

void emulate_set(const emulate_sizes* sizes);  // for devices that are opened from now on; NULL: the usual ones

void emulate_ops(device_ops* out);

#endif
