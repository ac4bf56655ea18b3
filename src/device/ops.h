// The functions of a device, as a table: memory, two sorts, a prefix sum, and the kernels of jobs.h. flow.c calls them; emulate.c implements them in plain C, cuda/module.cu in a module that is opened at run
// time.
#ifndef SCREE_DEVICE_OPS_H
#define SCREE_DEVICE_OPS_H

#include "device/jobs.h"

enum { device_ops_version = 9 };

// Functions return 0 on success; otherwise `trouble` returns the reason. Kernels and copies run in the order in which they are queued; `get` waits for all of them.
typedef struct device_ops {
    int32_t version;        // device_ops_version; a module of another one is not used
    uint32_t job_bytes;     // sum of the sizes of all jobs: the same on both sides
    const char* name;
    int (*open)(void** context);
    void (*close)(void* context);
    const char* (*trouble)(void* context);
    const char* (*describe)(void* context);           // "NVIDIA H200"
    int (*memory)(void* context, size_t* free, size_t* all);
    int (*reserve)(void* context, size_t bytes, void** out);  // -1: there is no room
    void (*release)(void* context, void* memory);
    int (*put)(void* context, void* to, const void* from, size_t bytes);
    int (*get)(void* context, void* to, const void* from, size_t bytes);
    int (*zero)(void* context, void* to, size_t bytes);
    int (*copy)(void* context, void* to, const void* from, size_t bytes);
    // Rising by the lowest `bits` bits of the keys, values beside them; equal ones stay in order. What is sorted may end in the second arrays: *second.
    int (*sort)(void* context, uint32_t* key[2], uint32_t* value[2], int64_t count, int bits, int* second);
    int (*sort_wide)(void* context, uint64_t* key[2], uint32_t* value[2], int64_t count, int bits, int* second);
    int (*sums)(void* context, const uint32_t* in, uint32_t* out, int64_t count);  // out[i]: sum of all before i
    // One lane for each item, or of KERNEL_LONG_ROWS one block. `job` is read before the call returns.
    int (*launch)(void* context, int kernel, const void* job, int64_t items);
    int32_t short_row;      // rows up to this are sorted, and worked on, by one lane,
    int32_t long_warp;      // and rows up to this are worked on by a warp, the others by a block
    int32_t stage, ranges, flush, crowd, together;  // of a search_job
    int32_t batch;          // steps that are launched before anybody looks
    int64_t (*slots)(void* context);  // lanes that work at once
    int32_t (*team)(void* context, int64_t count);  // of so many spheres each block of a step with teams has these
    // Arrays of the caller: `at` is in the memory of this device; what is queued here waits for the stream; the stream waits for what is queued here.
    int (*holds)(void* context, const void* at);
    int (*usable)(void* context);  // waits for all streams: nothing has failed, and it is the calling thread's present device. NULL: it is not kept open
    int (*follow)(void* context, void* stream);
    int (*lead)(void* context, void* stream);
    // Launches that are the same again and again: those between `record` and `recorded` have the name `key`, and `replay` does them once more. -1: it does not know them, or not any longer.
    int (*record)(void* context, const void* key, size_t bytes);
    int (*recorded)(void* context, bool complete);  // not complete: a launch failed, and what was recorded is forgotten
    int (*replay)(void* context, const void* key, size_t bytes);
    void (*forget)(void* context, void* at, size_t bytes);  // for tests: nobody reads again what is there. NULL: nothing is done
    bool timed;             // its time says what is fast
    int64_t few;            // up to this number of spheres batches are recorded as graphs
} device_ops;

static inline uint32_t device_job_bytes(void)
{
    return (uint32_t)(sizeof(search_job) + sizeof(memory_job) + sizeof(step_job) + sizeof(way_job) + sizeof(order_job) + sizeof(gather_job) + sizeof(turn_job) +
                      sizeof(launch_result) + sizeof(batch_head) + sizeof(giant_sums) + sizeof(look_job) + sizeof(look_result) +
                      sizeof(pair_job) + sizeof(intake_job) + sizeof(launch_sums) + sizeof(shape_job) + sizeof(servo_sums));
}

#endif
