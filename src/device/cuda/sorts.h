// Sorts and sums, which CUB does; in a file of their own, since that takes the compiler long.
#ifndef SCREE_DEVICE_CUDA_SORTS_H
#define SCREE_DEVICE_CUDA_SORTS_H

#include <cstddef>
#include <cstdint>
#include <cuda_runtime.h>

struct cuda_scratch {
    void* at;
    size_t bytes;
};

// As device_ops has them. `wide`: keys of 64 bits. They return a cudaError_t.
int cuda_sort(cuda_scratch* scratch, int wide, void* key[2], uint32_t* value[2], int64_t count, int bits, int* second, cudaStream_t stream);
int cuda_sums(cuda_scratch* scratch, const uint32_t* in, uint32_t* out, int64_t count, cudaStream_t stream);

#endif
