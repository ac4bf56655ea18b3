#include "device/cuda/sorts.h"

#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>

static cudaError_t reserve(cuda_scratch* scratch, size_t bytes, cudaStream_t stream)
{
    if (bytes <= scratch->bytes)
        return cudaSuccess;
    if (scratch->at != nullptr) {
        cudaStreamSynchronize(stream);
        cudaFree(scratch->at);
    }
    scratch->at = nullptr;
    scratch->bytes = 0;
    cudaError_t e = cudaMalloc(&scratch->at, bytes);
    if (e == cudaSuccess)
        scratch->bytes = bytes;
    return e;
}

template <class KEY> static cudaError_t sort_by(cuda_scratch* scratch, void* key[2], uint32_t* value[2], int64_t count, int bits, int* second, cudaStream_t stream)
{
    cub::DoubleBuffer<KEY> keys(static_cast<KEY*>(key[0]), static_cast<KEY*>(key[1]));
    cub::DoubleBuffer<uint32_t> values(value[0], value[1]);
    size_t bytes = 0;
    cudaError_t e = cub::DeviceRadixSort::SortPairs(nullptr, bytes, keys, values, count, 0, bits, stream);
    if (e == cudaSuccess)
        e = reserve(scratch, bytes, stream);
    if (e == cudaSuccess)
        e = cub::DeviceRadixSort::SortPairs(scratch->at, bytes, keys, values, count, 0, bits, stream);
    *second = keys.selector;
    return e == cudaSuccess && values.selector != keys.selector ? cudaErrorUnknown : e;  // both change places together
}

int cuda_sort(cuda_scratch* scratch, int wide, void* key[2], uint32_t* value[2], int64_t count, int bits, int* second, cudaStream_t stream)
{
    return wide != 0 ? sort_by<uint64_t>(scratch, key, value, count, bits, second, stream) : sort_by<uint32_t>(scratch, key, value, count, bits, second, stream);
}

int cuda_sums(cuda_scratch* scratch, const uint32_t* in, uint32_t* out, int64_t count, cudaStream_t stream)
{
    size_t bytes = 0;
    cudaError_t e = cub::DeviceScan::ExclusiveSum(nullptr, bytes, in, out, count, stream);
    if (e == cudaSuccess)
        e = reserve(scratch, bytes, stream);
    return e == cudaSuccess ? cub::DeviceScan::ExclusiveSum(scratch->at, bytes, in, out, count, stream) : e;
}
