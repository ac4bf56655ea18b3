// A run on a device of any kind.
#ifndef SCREE_DEVICE_FLOW_H
#define SCREE_DEVICE_FLOW_H

#include "device/ops.h"
#include "device/plan.h"
#include "device/search.h"
#include "sim/device.h"

scree_status device_open_ops(const device_ops* ops, sim_device** out);  // UNSUPPORTED: it could not be opened. MEMORY

#endif
