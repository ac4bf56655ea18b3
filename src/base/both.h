// Functions that are compiled twice from one text: as C17 for processors, and as CUDA C++ for devices (src/device/cuda). Such a function uses + - * / and sqrt, no memory but what it is given,
// and gives the same bits on both (docs/gpu.md).
#ifndef SCREE_BASE_BOTH_H
#define SCREE_BASE_BOTH_H

#if defined(__CUDACC__)
#define SCREE_BOTH static inline __host__ __device__
#define SCREE_BOTH_INLINE static __forceinline__ __host__ __device__
#else
#define SCREE_BOTH static inline
#define SCREE_BOTH_INLINE static inline __attribute__((always_inline))
#endif

#endif
