// scree/device.h: devices (GPUs) that can compute the steps of a simulation (scree_sim_def.device), with the same bits as the processor. docs/gpu.md lists what they support and how fast they are.
//
//     scree_sim_def def = scree_default_sim_def();
//     def.device = SCREE_DEVICE_AUTO;                  // a GPU if there is one and the simulation is large enough for it
#ifndef SCREE_DEVICE_H
#define SCREE_DEVICE_H

#include "scree/base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum scree_device {
    SCREE_DEVICE_NONE = 0,   // the processor
    SCREE_DEVICE_AUTO,       // CUDA if it is available, supports the request and has enough work; else NONE
    SCREE_DEVICE_CUDA,       // an NVIDIA GPU; needs libscree_cuda.so
    SCREE_DEVICE_EMULATE,    // the program of the GPU on the processor, one lane after the other: slow, for tests
    SCREE_DEVICE_COUNT
} scree_device;

SCREE_API const char* scree_device_name(int32_t number);  // "cuda"; NULL for an unknown number

typedef struct scree_device_about {
    char name[80];           // "NVIDIA H200"
    size_t memory, free;     // bytes
} scree_device_about;

// Name and memory of a device. UNSUPPORTED: it is not available; the message gives the reason. ARGUMENT: NONE, AUTO or an unknown number. MEMORY.
SCREE_RESULT(scree_device_describe, (int32_t device, scree_device_about* out), (device, out))

#ifdef __cplusplus
}
#endif
#endif
