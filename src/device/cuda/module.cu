// The device of CUDA: memory, sorts and launches. What the lanes do is in the headers of src/device, which emulate.c runs too. Compiled with -fmad=false, so that results have the bits of the processor.
//
// Nothing here prints or ends the program: calls return the number of the error, and `trouble` its text.
#include "device/cuda/sorts.h"

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <pthread.h>

#include "device/intake.h"
#include "device/ops.h"
#include "device/order.h"
#include "device/overlaps.h"
#include "device/pairs.h"
#include "device/remember.h"
#include "device/search.h"
#include "device/shapes.h"
#include "device/step.h"

namespace {

static_assert(team_lanes == 128, "as many as a block of a step has");
enum { width = 256, width_step = 128, step_few = 200000 };  // up to step_few spheres do not fill the device

// Launches that were recorded, and their name.
struct recording {
    cudaGraphExec_t graph;
    size_t nodes;   // of it
    void* key;
    size_t bytes;
    uint64_t used;  // when
};

enum { recordings_most = 48, ring_slots = 64, ring_bytes = 1 << 16, stage_bytes = 16 << 20, stage_hands = 4 };

struct device {
    cudaStream_t stream;
    cudaStream_t aside;          // for long rows: beside the step of the others
    cudaEvent_t before, after;   // them
    bool forked;                 // long rows are running on `aside`, and `stream` does not wait for them yet
    bool joined;                 // the last launch waits for two
    char* ring;     // small copies go through memory that does not move
    int slot;
    char* stage[2];              // large ones in pieces, of which one is on its way while the other is moved on; NULL: none was yet
    cudaEvent_t staged[2];
    recording known[recordings_most];
    recording* now;
    uint64_t clock;
    char trouble[240];
    char name[256];
    cuda_scratch temp;
    int processors, number;
};

int said(device* d, cudaError_t e, const char* what)
{
    if (e == cudaSuccess)
        return 0;
    std::snprintf(d->trouble, sizeof d->trouble, "%s: %s", what, cudaGetErrorString(e));
    return 1;
}

#define SAY(call, what)                              \
    do {                                             \
        if (said(d, (call), what) != 0)              \
            return 1;                                \
    } while (0)

int open(void** context)
{
    device* d = static_cast<device*>(std::calloc(1, sizeof *d));
    *context = d;
    if (d == nullptr)
        return -1;
    cudaDeviceProp properties;
    int number = 0, driver = 0;
    if (cudaDriverGetVersion(&driver) == cudaSuccess && driver == 0) {
        std::snprintf(d->trouble, sizeof d->trouble, "no driver for NVIDIA GPUs is installed");
        return 1;
    }
    SAY(cudaGetDevice(&number), "no CUDA device");
    SAY(cudaGetDeviceProperties(&properties, number), "no CUDA device");
    std::snprintf(d->name, sizeof d->name, "%s", properties.name);
    d->processors = properties.multiProcessorCount;
    d->number = number;
    SAY(cudaStreamCreateWithFlags(&d->stream, cudaStreamNonBlocking), "creating a stream");
    SAY(cudaStreamCreateWithFlags(&d->aside, cudaStreamNonBlocking), "creating a stream");
    SAY(cudaEventCreateWithFlags(&d->before, cudaEventDisableTiming), "CUDA event");
    SAY(cudaEventCreateWithFlags(&d->after, cudaEventDisableTiming), "CUDA event");
    SAY(cudaMallocHost(reinterpret_cast<void**>(&d->ring), static_cast<size_t>(ring_slots) * ring_bytes), "allocating pinned memory");
    return 0;
}

void close(void* context)
{
    device* d = static_cast<device*>(context);
    for (recording& r : d->known) {
        if (r.graph != nullptr)
            cudaGraphExecDestroy(r.graph);
        std::free(r.key);
    }
    if (d->temp.at != nullptr)
        cudaFree(d->temp.at);
    if (d->ring != nullptr)
        cudaFreeHost(d->ring);
    for (int s = 0; s < 2; ++s) {
        if (d->stage[s] != nullptr)
            cudaFreeHost(d->stage[s]);
        if (d->staged[s] != nullptr)
            cudaEventDestroy(d->staged[s]);
    }
    if (d->before != nullptr)
        cudaEventDestroy(d->before);
    if (d->after != nullptr)
        cudaEventDestroy(d->after);
    if (d->aside != nullptr)
        cudaStreamDestroy(d->aside);
    if (d->stream != nullptr)
        cudaStreamDestroy(d->stream);
    std::free(d);
}

const char* trouble(void* context)
{
    return static_cast<device*>(context)->trouble;
}

const char* describe(void* context)
{
    return static_cast<device*>(context)->name;
}

int memory(void* context, size_t* free, size_t* all)
{
    device* d = static_cast<device*>(context);
    SAY(cudaMemGetInfo(free, all), "asking for free memory");
    return 0;
}

int reserve(void* context, size_t bytes, void** out)
{
    device* d = static_cast<device*>(context);
    cudaError_t e = cudaMalloc(out, bytes);
    if (e != cudaSuccess) {
        *out = nullptr;
        cudaGetLastError();
        said(d, e, "allocating memory");
        return -1;
    }
    return 0;
}

void release(void* context, void* at)
{
    device* d = static_cast<device*>(context);
    cudaStreamSynchronize(d->stream);
    cudaFree(at);
}

// The next place of the ring; slots are used again when all before are done.
char* ring_next(device* d)
{
    if (++d->slot >= ring_slots) {
        d->slot = 0;
        cudaStreamSynchronize(d->stream);
    }
    return d->ring + static_cast<size_t>(d->slot) * ring_bytes;
}

// A piece of a copy within the host's memory.
struct errand {
    char* to;
    const char* from;
    size_t bytes;
};

void* run_errand(void* what)
{
    const errand* e = static_cast<const errand*>(what);
    std::memcpy(e->to, e->from, e->bytes);
    return nullptr;
}

// By several threads: one does not move as much as the bus does.
void move_on(char* to, const char* from, size_t bytes)
{
    errand errands[stage_hands];
    pthread_t hands[stage_hands];
    bool helps[stage_hands];
    for (int h = 0; h < stage_hands; ++h) {
        const size_t begin = bytes / stage_hands * h, end = h + 1 < stage_hands ? bytes / stage_hands * (h + 1) : bytes;
        errands[h] = {to + begin, from + begin, end - begin};
        helps[h] = h > 0 && bytes >= stage_bytes / 4 && pthread_create(&hands[h], nullptr, run_errand, &errands[h]) == 0;
    }
    for (int h = 0; h < stage_hands; ++h)
        if (!helps[h])
            run_errand(&errands[h]);
    for (int h = 0; h < stage_hands; ++h)
        if (helps[h])
            pthread_join(hands[h], nullptr);
}

// Through memory that the system does not move, in pieces.
int put_or_get(device* d, char* device_at, char* host_at, size_t bytes, bool put)
{
    for (int s = 0; s < 2; ++s) {
        if (d->stage[s] == nullptr)
            SAY(cudaMallocHost(reinterpret_cast<void**>(&d->stage[s]), stage_bytes), "allocating pinned memory");
        if (d->staged[s] == nullptr)
            SAY(cudaEventCreateWithFlags(&d->staged[s], cudaEventDisableTiming), "CUDA event");
    }
    const size_t pieces = (bytes + stage_bytes - 1) / stage_bytes;
    const auto length = [&](size_t p) { return bytes - p * stage_bytes < stage_bytes ? bytes - p * stage_bytes : static_cast<size_t>(stage_bytes); };
    for (size_t p = 0; p < pieces + (put ? 0 : 1); ++p) {
        const int s = static_cast<int>(p & 1);
        if (put && p > 1)
            SAY(cudaEventSynchronize(d->staged[s]), "copying to the device");
        if (put)
            move_on(d->stage[s], host_at + p * stage_bytes, length(p));
        if (p < pieces) {
            SAY(put ? cudaMemcpyAsync(device_at + p * stage_bytes, d->stage[s], length(p), cudaMemcpyHostToDevice, d->stream)
                    : cudaMemcpyAsync(d->stage[s], device_at + p * stage_bytes, length(p), cudaMemcpyDeviceToHost, d->stream), "copying");
            SAY(cudaEventRecord(d->staged[s], d->stream), "CUDA event");
        }
        if (!put && p > 0) {
            SAY(cudaEventSynchronize(d->staged[1 - s]), "running a kernel or copying from the device");
            move_on(host_at + (p - 1) * stage_bytes, d->stage[1 - s], length(p - 1));
        }
    }
    SAY(cudaStreamSynchronize(d->stream), "copying");
    return 0;
}

int put(void* context, void* to, const void* from, size_t bytes)
{
    device* d = static_cast<device*>(context);
    if (bytes == 0)
        return 0;
    if (bytes <= ring_bytes) {
        char* there = ring_next(d);
        std::memcpy(there, from, bytes);
        SAY(cudaMemcpyAsync(to, there, bytes, cudaMemcpyHostToDevice, d->stream), "copying to the device");
        return 0;
    }
    return put_or_get(d, static_cast<char*>(to), const_cast<char*>(static_cast<const char*>(from)), bytes, true);
}

int get(void* context, void* to, const void* from, size_t bytes)
{
    device* d = static_cast<device*>(context);
    if (bytes > ring_bytes)
        return put_or_get(d, const_cast<char*>(static_cast<const char*>(from)), static_cast<char*>(to), bytes, false);
    char* there = ring_next(d);
    if (bytes > 0)
        SAY(cudaMemcpyAsync(there, from, bytes, cudaMemcpyDeviceToHost, d->stream), "copying from the device");
    SAY(cudaStreamSynchronize(d->stream), "running a kernel or copying from the device");
    if (bytes > 0)
        std::memcpy(to, there, bytes);
    return 0;
}

int zero(void* context, void* to, size_t bytes)
{
    device* d = static_cast<device*>(context);
    if (bytes > 0)
        SAY(cudaMemsetAsync(to, 0, bytes, d->stream), "clearing memory");
    return 0;
}

int copy(void* context, void* to, const void* from, size_t bytes)
{
    device* d = static_cast<device*>(context);
    if (bytes > 0)
        SAY(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, d->stream), "copying");
    return 0;
}

// sorts.cu: CUB. What they return is a cudaError_t.
int sorted_by(device* d, int wide, void* key[2], uint32_t* value[2], int64_t count, int bits, int* second)
{
    SAY(static_cast<cudaError_t>(cuda_sort(&d->temp, wide, key, value, count, bits, second, d->stream)), "sorting");
    return 0;
}

int sort(void* context, uint32_t* key[2], uint32_t* value[2], int64_t count, int bits, int* second)
{
    void* keys[2] = {key[0], key[1]};
    return sorted_by(static_cast<device*>(context), 0, keys, value, count, bits, second);
}

int sort_wide(void* context, uint64_t* key[2], uint32_t* value[2], int64_t count, int bits, int* second)
{
    void* keys[2] = {key[0], key[1]};
    return sorted_by(static_cast<device*>(context), 1, keys, value, count, bits, second);
}

int sums(void* context, const uint32_t* in, uint32_t* out, int64_t count)
{
    device* d = static_cast<device*>(context);
    SAY(static_cast<cudaError_t>(cuda_sums(&d->temp, in, out, count, d->stream)), "prefix sum");
    return 0;
}

// ---- Arrays of the caller --------------------------------------------------------------------------------------------------

int holds(void* context, const void* at)
{
    device* d = static_cast<device*>(context);
    cudaPointerAttributes what = {};
    int number = 0;
    SAY(cudaGetDevice(&number), "no CUDA device");
    SAY(cudaPointerGetAttributes(&what, at), "asking about an array");
    if (what.type == cudaMemoryTypeManaged || (what.type == cudaMemoryTypeDevice && what.device == number))
        return 0;
    std::snprintf(d->trouble, sizeof d->trouble, "%s", what.type == cudaMemoryTypeDevice ? "it is on another GPU" : "it is in the memory of the processor");
    return 1;
}

int wait_for(device* d, cudaStream_t first, cudaStream_t then)
{
    SAY(cudaEventRecord(d->before, first), "CUDA event of a stream");
    SAY(cudaStreamWaitEvent(then, d->before, 0), "CUDA event of a stream");
    return 0;
}

int usable(void* context)
{
    device* d = static_cast<device*>(context);
    int number = 0;
    return cudaGetDevice(&number) != cudaSuccess || number != d->number || cudaDeviceSynchronize() != cudaSuccess;
}

int follow(void* context, void* stream)
{
    device* d = static_cast<device*>(context);
    return wait_for(d, static_cast<cudaStream_t>(stream), d->stream);
}

int lead(void* context, void* stream)
{
    device* d = static_cast<device*>(context);
    return wait_for(d, d->stream, static_cast<cudaStream_t>(stream));
}

// ---- Kernels -------------------------------------------------------------------------------------------------------------

__device__ __forceinline__ int64_t lane_number()
{
    return static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
}

#define KERNEL(name, job_type)                                                                     \
    __global__ void __launch_bounds__(width) k_##name(const __grid_constant__ job_type job)        \
    {                                                                                              \
        name##_lane(&job, lane_number());                                                          \
    }
KERNEL(keys, search_job)
KERNEL(sorted, search_job)
KERNEL(cells, search_job)
KERNEL(fill, search_job)
KERNEL(hand_on, memory_job)
KERNEL(live, memory_job)
KERNEL(take_out, memory_job)
KERNEL(way, way_job)
KERNEL(wrap, order_job)
KERNEL(gather, gather_job)
KERNEL(turn, turn_job)
KERNEL(pair_shifts, pair_job)
KERNEL(pair_keys, pair_job)
KERNEL(pair_out, pair_job)
KERNEL(pair_vectors, pair_job)
KERNEL(shape_count, shape_job)
KERNEL(shape_fill, shape_job)

__global__ void __launch_bounds__(extent_lanes) k_extent(const __grid_constant__ search_job job)
{
    __shared__ extent_shared shared;
    extent_collect(&job, &shared, lane_number(), static_cast<int64_t>(gridDim.x) * blockDim.x, threadIdx.x);
    __syncthreads();
    extent_join(&job, &shared, threadIdx.x, blockDim.x);
}

__global__ void __launch_bounds__(extent_lanes) k_intake(const __grid_constant__ intake_job job)
{
    __shared__ extent_shared shared;
    intake_collect(&job, &shared, lane_number(), static_cast<int64_t>(gridDim.x) * blockDim.x, threadIdx.x);
    __syncthreads();
    intake_join(&job, &shared, threadIdx.x, blockDim.x);
}

__global__ void __launch_bounds__(extent_lanes) k_sizes(const __grid_constant__ intake_job job)
{
    __shared__ sizes_shared shared;
    sizes_begin(&shared, threadIdx.x, blockDim.x);
    __syncthreads();
    sizes_collect(&job, &shared, lane_number(), static_cast<int64_t>(gridDim.x) * blockDim.x);
    __syncthreads();
    sizes_join(&job, &shared, threadIdx.x, blockDim.x);
}

template <bool WRAPS> __global__ void __launch_bounds__(width) k_rows(const __grid_constant__ search_job job)
{
    rows_lane(&job, WRAPS, lane_number());
}

// Without images: lists and pairs of spheres of which none is a giant, fixed or masked, lists with giants, and all others. A block is a warp, so that it does not wait for others.
enum { SEARCH_LISTS, SEARCH_PAIRS, SEARCH_GIANTS, SEARCH_ANY, SEARCH_WRAPS };

template <int KIND> __global__ void __launch_bounds__(search_lanes, KIND == SEARCH_WRAPS ? 16 : KIND == SEARCH_ANY ? 24 : 32) k_search(const __grid_constant__ search_job job)
{
    // With less of it in use there is more of the L1 cache for what is looked up.
    __shared__ alignas(16) unsigned char memory[KIND == SEARCH_WRAPS ? sizeof(search_shared) : offsetof(search_shared, kept_shift)];
    search_shared& shared = *reinterpret_cast<search_shared*>(memory);
    search_traits traits = search_traits_of(&job);
    traits.wraps = KIND == SEARCH_WRAPS;
    if (KIND < SEARCH_ANY) {
        traits.giants = KIND == SEARCH_GIANTS;
        traits.fixed = false;
        traits.exact = KIND == SEARCH_PAIRS;
        traits.rows = KIND != SEARCH_PAIRS;
        traits.masked = false;
    }
    search_begin(&shared, threadIdx.x);
    __syncwarp();
    search_look(&job, traits, &shared, lane_number(), threadIdx.x);
    __syncwarp();
    search_reserve(&job, &shared, threadIdx.x);
    __syncwarp();
    search_write(&job, traits, &shared, threadIdx.x);
}

__global__ void __launch_bounds__(width) k_long_rows(const __grid_constant__ search_job job)
{
    long_row_copy(&job, blockIdx.x, threadIdx.x, blockDim.x);
    __syncthreads();
    long_row_place(&job, blockIdx.x, threadIdx.x, blockDim.x);
}

// Laws of which the parts are constants here, with what else is usual: without giants; the linear law also without fixed spheres, external forces and several materials. The others share one kernel for
// a lane for each sphere and one for teams.
enum { STEP_FEW, STEP_PLAIN, STEP_DAMPED, STEP_PERIODIC, STEP_GIANTS, STEP_PACKED, STEP_LINEAR,
       STEP_FRICTION, STEP_FRICTION_BOX, STEP_FRICTION_ELASTIC, STEP_FRICTION_GIANTS, STEP_ROLLING, STEP_HERTZ, STEP_MINDLIN, STEP_MINDLIN_ROLLING, STEP_ANY };

template <int LAW, bool SUMS> __device__ __forceinline__ law_parts parts_of(const law_parts& given)
{
    law_parts parts = given;
    parts.accounts = SUMS && given.accounts;
    parts.levels = LEVELS_HALF;
    if (LAW == STEP_ANY)
        return parts;
    parts.normal = LAW == STEP_HERTZ || LAW == STEP_MINDLIN || LAW == STEP_MINDLIN_ROLLING ? NORMAL_HERTZ : NORMAL_LINEAR;
    parts.tangential = LAW > STEP_LINEAR && LAW != STEP_HERTZ;
    parts.rolling = LAW == STEP_ROLLING || LAW == STEP_MINDLIN_ROLLING;
    parts.twisting = TWISTING_NONE;
    parts.bridge = false;
    if (LAW <= STEP_LINEAR)
        parts.no_pull = parts.accounts = false;
    if (LAW == STEP_FRICTION_ELASTIC || LAW == STEP_FEW || LAW == STEP_PLAIN || LAW == STEP_GIANTS)
        parts.damping = DAMPING_NONE;
    if (LAW == STEP_DAMPED)
        parts.damping = given.damping == DAMPING_RESTITUTION ? DAMPING_RESTITUTION : DAMPING_CONSTANT;
    return parts;
}

template <int LAW, bool SUMS> __device__ __forceinline__ step_traits traits_of(const step_job& job)
{
    step_traits traits = step_traits_of(&job);
    traits.accounts = SUMS && traits.accounts;
    traits.drag = SUMS && traits.drag;
    traits.teams = LAW > STEP_LINEAR;
    traits.steps = (LAW != STEP_LINEAR && LAW != STEP_ANY) || traits.steps;
    traits.ahead = LAW == STEP_FEW ? 8 : LAW == STEP_FRICTION_BOX || LAW == STEP_FRICTION_ELASTIC ? 6 : traits.teams ? 4 : 2;
    traits.apart = LAW != STEP_DAMPED;
    traits.early = LAW != STEP_DAMPED && LAW != STEP_LINEAR;
    traits.lazy = LAW == STEP_PLAIN || LAW == STEP_GIANTS;
    traits.rows = LAW < STEP_LINEAR ? false : LAW > STEP_LINEAR && LAW != STEP_HERTZ && LAW != STEP_ANY ? true : traits.rows;
    if (LAW < STEP_LINEAR) {
        traits.positions = traits.fixed = traits.forces = traits.materials = traits.loads = traits.shapes = traits.servos = traits.bonds = false;
        traits.giants = LAW == STEP_GIANTS || LAW == STEP_PACKED;
        if (LAW != STEP_PACKED)
            traits.images = LAW == STEP_PERIODIC;
        if (LAW != STEP_PERIODIC && LAW != STEP_PACKED)
            traits.damped = LAW == STEP_DAMPED;
    } else if (LAW != STEP_LINEAR && LAW != STEP_ANY) {
        traits.positions = traits.servos = traits.bonds = false;
        traits.giants = LAW == STEP_FRICTION_GIANTS || (SUMS && traits.giants);
        traits.loads = SUMS && traits.loads;
        if (LAW == STEP_FRICTION_ELASTIC)
            traits.damped = false;
        if (LAW == STEP_FRICTION_BOX || LAW == STEP_FRICTION_ELASTIC)
            traits.images = traits.fixed = traits.forces = traits.materials = traits.shapes = false;
    }
    return traits;
}

template <bool NAMES> __global__ void __launch_bounds__(width) k_look(const __grid_constant__ look_job job)
{
    look_lane(&job, NAMES, lane_number());
}

// Blocks that a multiprocessor holds at least. This limits registers; the test build_spills checks that no kernel spills more than it may.
constexpr int blocks_at_once(int law)
{
    switch (law) {
    case STEP_PLAIN: return 8;
    case STEP_GIANTS: return 7;
    case STEP_DAMPED: return 6;
    case STEP_PERIODIC:
    case STEP_FRICTION_ELASTIC:
    case STEP_HERTZ: return 5;
    case STEP_FRICTION_GIANTS:
    case STEP_ROLLING:
    case STEP_MINDLIN_ROLLING: return 3;
    case STEP_ANY: return 2;
    default: return 4;
    }
}

// Every other launch goes from the last sphere to the first: what the one before has just written is still in the cache.
__device__ __forceinline__ int64_t step_block(const step_job& job)
{
    return (job.index & 1) != 0 ? gridDim.x - 1 - blockIdx.x : blockIdx.x;
}

// The same, worked out once more: where contacts need all registers it would be kept in memory.
__device__ __forceinline__ int64_t block_again(const step_job& job)
{
    unsigned number;
    asm volatile("mov.u32 %0, %%ctaid.x;" : "=r"(number));
    return (job.index & 1) != 0 ? gridDim.x - 1 - number : number;
}

template <int LAW, bool SUMS> __device__ __forceinline__ void step_of(const step_job& job, block_sums* sums)
{
    const step_traits traits = traits_of<LAW, SUMS>(job);
    const law_parts parts = parts_of<LAW, SUMS>(job.law.parts);
    const int64_t block = step_block(job);
    if constexpr (LAW <= STEP_LINEAR) {
        step_lane(&job, traits, parts, block * blockDim.x + threadIdx.x, sums);
    } else {
        __shared__ team_shared shared;
        const int lane = static_cast<int>(threadIdx.x);
        team_begin(&shared, lane);
        __syncthreads();
        team_scan(&job, traits, parts, &shared, team_slots, team_sphere(&job, block, lane), lane);
        __syncthreads();
        for (uint32_t begin = 0; begin < shared.many; begin += team_slots) {
            if (begin > 0) {
                team_queue(&job, parts, &shared, team_slots, begin, lane);
                __syncthreads();
            }
            team_work(&job, traits, parts, &shared, team_slots, begin, block, lane, team_lanes, sums);
            __syncthreads();
            team_add(&job, traits, parts, &shared, team_slots, begin, lane);
        }
        team_end(&job, traits, parts, &shared, team_sphere(&job, block_again(job), lane), lane, sums);
    }
}

template <int LAW> __global__ void __launch_bounds__(width_step, blocks_at_once(LAW)) k_step(const __grid_constant__ step_job job)
{
    step_of<LAW, false>(job, nullptr);
}

// With energies, or drag.
template <int LAW> __global__ void __launch_bounds__(width_step, 2) k_step_sums(const __grid_constant__ step_job job)
{
    __shared__ block_sums sums;
    energies_clear(&sums, threadIdx.x, width_step);
    __syncthreads();
    step_of<LAW, true>(job, &sums);
    __syncthreads();
    energies_put(&job, &sums, threadIdx.x, width_step);
}

// Four rows for a block: first a warp for each, then all lanes for each that is too long for a warp. Both by the same code, which is large.
template <int LAW, bool SUMS> __global__ void __launch_bounds__(long_lanes, 2) k_long_step(const __grid_constant__ step_job job)
{
    __shared__ long_shared shared;
    __shared__ block_sums sums;
    const step_traits traits = traits_of<LAW, SUMS>(job);
    const law_parts parts = parts_of<LAW, SUMS>(job.law.parts);
    const int lane = static_cast<int>(threadIdx.x);
    const int64_t rows = job.head->long_count, first_row = static_cast<int64_t>(blockIdx.x) * long_groups;
    if (first_row >= rows || long_is_over(&job))
        return;
    if (SUMS)
        energies_clear(&sums, lane, long_lanes);
    __syncthreads();
    uint32_t terms = 0;  // of all lanes, since sums were carried
#pragma unroll 1
    for (int round = 0; round <= long_groups; ++round) {
        const bool all = round > 0;
        const int lanes = all ? long_lanes : 32, group = all ? 0 : lane / 32, base = 32 * group;
        const int64_t row = first_row + (all ? round - 1 : group);
        if (row >= rows)
            continue;
        const uint32_t length = job.rows.off[job.long_rows[row] + 1] - job.rows.off[job.long_rows[row]];
        if ((length > static_cast<uint32_t>(job.long_warp)) != all)
            continue;
        const auto meet = [&] {
            if (all)
                __syncthreads();
            else
                __syncwarp();
        };
        uint32_t queued = 0;
        meet();
        long_begin(&job, traits, parts, &shared, row, group, base, lane);
        for (uint32_t first = 0; first < length; first += lanes * long_ahead) {
            long_scan(&job, traits, parts, &shared, row, first, base, lane);
            meet();
            queued = long_queue(&job, &shared, row, first, queued, base, lane, lanes);
            meet();
            if (queued < static_cast<uint32_t>(lanes) && first + lanes * long_ahead < length)
                continue;
            for (uint32_t from = 0; from < queued; from += lanes) {
                long_work(&job, traits, parts, &shared, row, queued, from, base, lane, &sums);
                meet();
                long_add(parts, &shared, queued, from, group, base, lane - base, lanes);
                meet();
            }
            terms += all ? queued : 0;
            queued = 0;
            if (SUMS && all && terms >= energies_most / 2) {
                energies_carry(&sums, lane, long_lanes);
                terms = 0;
                meet();
            }
        }
        meet();
        long_end(&job, traits, parts, &shared, row, group, base, lane, &sums);
    }
    __syncthreads();
    if (SUMS && job.energies != nullptr)
        energies_put(&job, &sums, lane, long_lanes);
}

__global__ void __launch_bounds__(width_step, 2) k_giants(const __grid_constant__ step_job job)
{
    __shared__ block_sums sums;
    energies_clear(&sums, threadIdx.x, width_step);
    __syncthreads();
    lane_follow();
    giants_lane(&job, job.law.turns, lane_number(), &sums);
    __syncthreads();
    if (job.energies != nullptr)
        energies_put(&job, &sums, threadIdx.x, width_step);
}

// Contacts with exact shapes and meshes. They are few and the code is large: with energies or servos one kernel serves all laws.
template <int LAW> __global__ void __launch_bounds__(width_step, 2) k_shapes(const __grid_constant__ step_job job)
{
    if constexpr (LAW != STEP_ANY) {
        shapes_lane(&job, traits_of<LAW, false>(job), parts_of<LAW, false>(job.law.parts), false, lane_number(), nullptr);
    } else {
        __shared__ block_sums sums;
        energies_clear(&sums, threadIdx.x, width_step);
        __syncthreads();
        shapes_lane(&job, step_traits_of(&job), job.law.parts, true, lane_number(), &sums);
        __syncthreads();
        if (job.energies != nullptr)
            energies_put(&job, &sums, threadIdx.x, width_step);
    }
}

template <bool NAMES> __global__ void __launch_bounds__(width) k_look_shapes(const __grid_constant__ look_job job)
{
    look_shapes_lane(&job, NAMES, lane_number());
}

__global__ void __launch_bounds__(width_step, 2) k_bonds(const __grid_constant__ step_job job)
{
    __shared__ block_sums sums;
    energies_clear(&sums, threadIdx.x, width_step);
    __syncthreads();
    bonds_lane(&job, lane_number(), &sums);
    __syncthreads();
    if (job.energies != nullptr)
        energies_put(&job, &sums, threadIdx.x, width_step);
}

__global__ void __launch_bounds__(width_step) k_cross(const __grid_constant__ step_job job)
{
    cross_lane(&job, lane_number());
}

__global__ void __launch_bounds__(width_step, 2) k_cross_shapes(const __grid_constant__ step_job job)
{
    cross_shapes_lane(&job, lane_number());
}

__global__ void __launch_bounds__(width_step) k_launch(const __grid_constant__ step_job job)
{
    launch_lane(&job, job.law.damped, job.law.turns, lane_number());
}

int law_of(const step_job* job, bool sums)
{
    const law_parts& p = job->law.parts;
    const bool few = job->before == nullptr && job->servo_count == 0 && job->bond_count == 0 && (sums || job->load_count == 0), giants = !sums && job->giant_count > 0;
    const bool plain = job->flags == nullptr && job->force == nullptr && job->torque == nullptr && job->law.many == nullptr && job->shapes.count == 0;
    if (job->mode == MODE_OBSERVE)  // once in a run
        return job->teams ? STEP_ANY : STEP_LINEAR;
    if (!job->teams) {
        if (job->before != nullptr || job->load_count > 0 || !plain || job->servo_count > 0 || job->bond_count > 0)
            return STEP_LINEAR;
        if (job->giant_count > 0)
            return job->rows.shift != nullptr || job->law.damped ? STEP_PACKED : STEP_GIANTS;
        return job->rows.shift != nullptr ? STEP_PERIODIC : job->law.damped ? STEP_DAMPED : job->n <= step_few ? STEP_FEW : STEP_PLAIN;
    }
    if (!few || (giants && !(p.normal == NORMAL_LINEAR && p.tangential && !p.rolling)))
        return STEP_ANY;
    if (p.twisting != TWISTING_NONE || p.bridge || (p.normal != NORMAL_LINEAR && p.normal != NORMAL_HERTZ) || (p.rolling && !p.tangential))
        return STEP_ANY;
    if (p.normal == NORMAL_LINEAR)
        return p.rolling ? STEP_ROLLING : !p.tangential ? STEP_ANY : giants ? STEP_FRICTION_GIANTS : sums || !plain || job->rows.shift != nullptr ? STEP_FRICTION : job->law.damped ? STEP_FRICTION_BOX : STEP_FRICTION_ELASTIC;
    return p.rolling ? STEP_MINDLIN_ROLLING : p.tangential ? STEP_MINDLIN : STEP_HERTZ;
}

int search_of(const search_job* job)
{
    const bool rows = job->row != nullptr;
    if (job->plan.wraps)
        return SEARCH_WRAPS;
    const bool giants = job->giant_radius < INFINITY;
    return job->flags != nullptr || job->group != nullptr || job->exact == rows || (giants && !rows) ? SEARCH_ANY : !rows ? SEARCH_PAIRS : giants ? SEARCH_GIANTS : SEARCH_LISTS;
}

unsigned blocks_of(int64_t items, int lanes_of_block)
{
    return static_cast<unsigned>((items + lanes_of_block - 1) / lanes_of_block);
}

// Long rows go aside. The step of the others, which comes next, waits for them at its end: so both are at work at the same time.
int fork(device* d)
{
    SAY(cudaEventRecord(d->before, d->stream), "CUDA event");
    SAY(cudaStreamWaitEvent(d->aside, d->before, 0), "CUDA event");
    d->forked = true;
    return 0;
}

int join(device* d)
{
    d->joined = d->forked;
    if (!d->forked)
        return 0;
    d->forked = false;
    SAY(cudaEventRecord(d->after, d->aside), "CUDA event");
    SAY(cudaStreamWaitEvent(d->stream, d->after, 0), "CUDA event");
    return 0;
}

// These may begin while the launch before them ends: their lanes wait where they have to (lane_follow).
int launch_following(device* d, void (*kernel)(step_job), const step_job* job, unsigned blocks)
{
    cudaLaunchAttribute follows = {};
    follows.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    follows.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(blocks);
    config.blockDim = dim3(width_step);
    config.stream = d->stream;
    config.attrs = &follows;
    config.numAttrs = d->forked || d->joined ? 0 : 1;
    SAY(cudaLaunchKernelEx(&config, kernel, *job), "launching a kernel");
    return join(d);
}

template <int LAW> int launch_step(device* d, const step_job* job, int64_t items)
{
    return launch_following(d, k_step<LAW>, job, blocks_of(items, LAW > STEP_LINEAR ? job->team : width_step));
}

int launch(void* context, int kernel, const void* job, int64_t items)
{
    device* d = static_cast<device*>(context);
    if (items <= 0)
        return 0;
    const search_job* search = static_cast<const search_job*>(job);
    const memory_job* remember = static_cast<const memory_job*>(job);
    const step_job* step = static_cast<const step_job*>(job);
    const unsigned blocks = blocks_of(items, width), steps = blocks_of(items, width_step);
    cudaStream_t s = d->stream;
    switch (kernel) {
    case KERNEL_EXTENT: {
        unsigned most = static_cast<unsigned>(d->processors) * 4;
        k_extent<<<blocks < most ? blocks : most, extent_lanes, 0, s>>>(*search);
        break;
    }
    case KERNEL_INTAKE:
    case KERNEL_SIZES: {
        const unsigned most = static_cast<unsigned>(d->processors) * 4, some = blocks < most ? blocks : most;
        const intake_job* intake = static_cast<const intake_job*>(job);
        if (kernel == KERNEL_INTAKE)
            k_intake<<<some, extent_lanes, 0, s>>>(*intake);
        else
            k_sizes<<<some, extent_lanes, 0, s>>>(*intake);
        break;
    }
    case KERNEL_KEYS: k_keys<<<blocks, width, 0, s>>>(*search); break;
    case KERNEL_SORTED: k_sorted<<<blocks, width, 0, s>>>(*search); break;
    case KERNEL_CELLS: k_cells<<<blocks, width, 0, s>>>(*search); break;
    case KERNEL_SEARCH:
        switch (search_of(search)) {
        case SEARCH_LISTS: k_search<SEARCH_LISTS><<<blocks_of(items, search_lanes), search_lanes, 0, s>>>(*search); break;
        case SEARCH_PAIRS: k_search<SEARCH_PAIRS><<<blocks_of(items, search_lanes), search_lanes, 0, s>>>(*search); break;
        case SEARCH_GIANTS: k_search<SEARCH_GIANTS><<<blocks_of(items, search_lanes), search_lanes, 0, s>>>(*search); break;
        case SEARCH_ANY: k_search<SEARCH_ANY><<<blocks_of(items, search_lanes), search_lanes, 0, s>>>(*search); break;
        default: k_search<SEARCH_WRAPS><<<blocks_of(items, search_lanes), search_lanes, 0, s>>>(*search); break;
        }
        break;
    case KERNEL_FILL: k_fill<<<blocks, width, 0, s>>>(*search); break;
    case KERNEL_ROWS:
        if (search->shift != nullptr)
            k_rows<true><<<blocks, width, 0, s>>>(*search);
        else
            k_rows<false><<<blocks, width, 0, s>>>(*search);
        break;
    case KERNEL_LONG_ROWS: k_long_rows<<<static_cast<unsigned>(items), width, 0, s>>>(*search); break;
    case KERNEL_HAND_ON: k_hand_on<<<blocks, width, 0, s>>>(*remember); break;
    case KERNEL_LIVE: k_live<<<blocks, width, 0, s>>>(*remember); break;
    case KERNEL_TAKE_OUT: k_take_out<<<blocks, width, 0, s>>>(*remember); break;
    case KERNEL_LOOK: k_look<false><<<blocks, width, 0, s>>>(*static_cast<const look_job*>(job)); break;
    case KERNEL_NAME: k_look<true><<<blocks, width, 0, s>>>(*static_cast<const look_job*>(job)); break;
    case KERNEL_PAIR_SHIFTS: k_pair_shifts<<<blocks, width, 0, s>>>(*static_cast<const pair_job*>(job)); break;
    case KERNEL_PAIR_KEYS: k_pair_keys<<<blocks, width, 0, s>>>(*static_cast<const pair_job*>(job)); break;
    case KERNEL_PAIR_OUT: k_pair_out<<<blocks, width, 0, s>>>(*static_cast<const pair_job*>(job)); break;
    case KERNEL_PAIR_VECTORS: k_pair_vectors<<<blocks, width, 0, s>>>(*static_cast<const pair_job*>(job)); break;
    case KERNEL_WAY: k_way<<<blocks, width, 0, s>>>(*static_cast<const way_job*>(job)); break;
    case KERNEL_WRAP: k_wrap<<<blocks, width, 0, s>>>(*static_cast<const order_job*>(job)); break;
    case KERNEL_TURN: k_turn<<<blocks, width, 0, s>>>(*static_cast<const turn_job*>(job)); break;
    case KERNEL_GATHER: k_gather<<<blocks, width, 0, s>>>(*static_cast<const gather_job*>(job)); break;
    case KERNEL_BONDS: k_bonds<<<steps, width_step, 0, s>>>(*step); break;
    case KERNEL_CROSS: k_cross<<<steps, width_step, 0, s>>>(*step); break;
    case KERNEL_CROSS_SHAPES: k_cross_shapes<<<steps, width_step, 0, s>>>(*step); break;
    case KERNEL_SHAPE_COUNT: k_shape_count<<<blocks, width, 0, s>>>(*static_cast<const shape_job*>(job)); break;
    case KERNEL_SHAPE_FILL: k_shape_fill<<<blocks, width, 0, s>>>(*static_cast<const shape_job*>(job)); break;
    case KERNEL_LOOK_SHAPES: k_look_shapes<false><<<blocks, width, 0, s>>>(*static_cast<const look_job*>(job)); break;
    case KERNEL_NAME_SHAPES: k_look_shapes<true><<<blocks, width, 0, s>>>(*static_cast<const look_job*>(job)); break;
    case KERNEL_SHAPES: {
        const int law = step->energies != nullptr || step->servo_count > 0 ? STEP_ANY : law_of(step, false);
        return launch_following(d, law == STEP_MINDLIN ? k_shapes<STEP_MINDLIN> : law == STEP_FRICTION ? k_shapes<STEP_FRICTION> : k_shapes<STEP_ANY>, step, steps);
    }
    case KERNEL_LAUNCH: k_launch<<<steps, width_step, 0, s>>>(*step); break;
    case KERNEL_GIANTS: return launch_following(d, k_giants, step, steps);
    case KERNEL_LONG_STEP:
        if (fork(d) != 0)
            return 1;
        s = d->aside;
        if (step->energies == nullptr && law_of(step, false) == STEP_FRICTION_GIANTS)
            k_long_step<STEP_FRICTION_GIANTS, false><<<blocks_of(items, long_groups), long_lanes, 0, s>>>(*step);
        else if (step->teams)
            k_long_step<STEP_ANY, true><<<blocks_of(items, long_groups), long_lanes, 0, s>>>(*step);
        else if (step->energies != nullptr)
            k_long_step<STEP_LINEAR, true><<<blocks_of(items, long_groups), long_lanes, 0, s>>>(*step);
        else
            k_long_step<STEP_LINEAR, false><<<blocks_of(items, long_groups), long_lanes, 0, s>>>(*step);
        break;
    case KERNEL_STEP:
        if (step->energies != nullptr) {
            const int law = law_of(step, true);
            return launch_following(d, !step->teams ? k_step_sums<STEP_LINEAR> : law == STEP_MINDLIN ? k_step_sums<STEP_MINDLIN> : law == STEP_FRICTION ? k_step_sums<STEP_FRICTION> : k_step_sums<STEP_ANY>, step,
                                    step->teams ? blocks_of(items, step->team) : steps);
        }
        switch (law_of(step, false)) {
        case STEP_FEW: return launch_step<STEP_FEW>(d, step, items);
        case STEP_PLAIN: return launch_step<STEP_PLAIN>(d, step, items);
        case STEP_DAMPED: return launch_step<STEP_DAMPED>(d, step, items);
        case STEP_GIANTS: return launch_step<STEP_GIANTS>(d, step, items);
        case STEP_PERIODIC: return launch_step<STEP_PERIODIC>(d, step, items);
        case STEP_PACKED: return launch_step<STEP_PACKED>(d, step, items);
        case STEP_LINEAR: return launch_step<STEP_LINEAR>(d, step, items);
        case STEP_FRICTION: return launch_step<STEP_FRICTION>(d, step, items);
        case STEP_FRICTION_BOX: return launch_step<STEP_FRICTION_BOX>(d, step, items);
        case STEP_FRICTION_ELASTIC: return launch_step<STEP_FRICTION_ELASTIC>(d, step, items);
        case STEP_FRICTION_GIANTS: return launch_step<STEP_FRICTION_GIANTS>(d, step, items);
        case STEP_ROLLING: return launch_step<STEP_ROLLING>(d, step, items);
        case STEP_HERTZ: return launch_step<STEP_HERTZ>(d, step, items);
        case STEP_MINDLIN: return launch_step<STEP_MINDLIN>(d, step, items);
        case STEP_MINDLIN_ROLLING: return launch_step<STEP_MINDLIN_ROLLING>(d, step, items);
        default: return launch_step<STEP_ANY>(d, step, items);
        }
        break;
    default:
        std::snprintf(d->trouble, sizeof d->trouble, "unknown kernel %d", kernel);
        return 1;
    }
    SAY(cudaGetLastError(), "launching a kernel");
    return 0;
}

// ---- Launches that are repeated --------------------------------------------------------------------------------------------

recording* find(device* d, const void* key, size_t bytes)
{
    for (recording& r : d->known)
        if (r.graph != nullptr && r.bytes == bytes && std::memcmp(r.key, key, bytes) == 0)
            return &r;
    return nullptr;
}

int replay(void* context, const void* key, size_t bytes)
{
    device* d = static_cast<device*>(context);
    recording* r = find(d, key, bytes);
    if (r == nullptr)
        return -1;
    r->used = ++d->clock;
    SAY(cudaGraphLaunch(r->graph, d->stream), "CUDA graph");
    return 0;
}

// A recording that failed must not be found again.
void forget(recording* r)
{
    if (r->graph != nullptr)
        cudaGraphExecDestroy(r->graph);
    std::free(r->key);
    *r = {};
}

// In the place of the one that was not used for the longest time.
int record(void* context, const void* key, size_t bytes)
{
    device* d = static_cast<device*>(context);
    recording* oldest = &d->known[0];
    for (recording& r : d->known)
        if (r.used < oldest->used)
            oldest = &r;
    void* name = std::malloc(bytes);
    if (name == nullptr) {
        std::snprintf(d->trouble, sizeof d->trouble, "out of memory while recording a CUDA graph");
        return 1;
    }
    std::memcpy(name, key, bytes);
    std::free(oldest->key);
    oldest->key = name;
    oldest->bytes = bytes;
    oldest->used = ++d->clock;
    d->now = oldest;
    const cudaError_t e = cudaStreamBeginCapture(d->stream, cudaStreamCaptureModeThreadLocal);
    if (e != cudaSuccess)
        forget(oldest);
    SAY(e, "CUDA graph");
    return 0;
}

int recorded(void* context, bool complete)
{
    device* d = static_cast<device*>(context);
    recording* r = d->now;
    cudaGraph_t graph = nullptr;
    d->now = nullptr;
    cudaError_t e = cudaStreamEndCapture(d->stream, &graph);
    if (!complete) {  // `trouble` says why
        if (graph != nullptr)
            cudaGraphDestroy(graph);
        forget(r);
        return 0;
    }
    size_t nodes = 0;
    if (e == cudaSuccess)
        e = cudaGraphGetNodes(graph, nullptr, &nodes);
    if (e == cudaSuccess && r->graph != nullptr) {
        cudaGraphExecUpdateResultInfo info;
        if (nodes != r->nodes || cudaGraphExecUpdate(r->graph, graph, &info) != cudaSuccess) {
            cudaGetLastError();
            cudaGraphExecDestroy(r->graph);
            r->graph = nullptr;
        }
    }
    if (e == cudaSuccess && r->graph == nullptr)
        e = cudaGraphInstantiate(&r->graph, graph, 0);
    r->nodes = nodes;
    if (graph != nullptr)
        cudaGraphDestroy(graph);
    if (e == cudaSuccess)
        e = cudaGraphLaunch(r->graph, d->stream);
    if (e != cudaSuccess)
        forget(r);
    SAY(e, "CUDA graph");
    return 0;
}

int64_t slots(void* context)
{
    return static_cast<int64_t>(static_cast<device*>(context)->processors) * 1024;
}

// Few spheres: fewer of them for each block, so that all multiprocessors work on their contacts.
int32_t team(void* context, int64_t count)
{
    enum { at_once = 4, least = 8 };  // blocks on a multiprocessor
    const int64_t blocks = static_cast<int64_t>(static_cast<device*>(context)->processors) * at_once, each = (count + blocks - 1) / blocks;
    return each >= team_lanes ? team_lanes : each < least ? least : static_cast<int32_t>((each + 7) / 8 * 8);
}

}  // namespace

extern "C" __attribute__((visibility("default"))) void scree_cuda_ops(device_ops* out)
{
    device_ops ops = {};
    ops.version = device_ops_version;
    ops.job_bytes = device_job_bytes();
    ops.name = "cuda";
    ops.open = open;
    ops.close = close;
    ops.trouble = trouble;
    ops.describe = describe;
    ops.memory = memory;
    ops.reserve = reserve;
    ops.release = release;
    ops.put = put;
    ops.get = get;
    ops.zero = zero;
    ops.copy = copy;
    ops.sort = sort;
    ops.sort_wide = sort_wide;
    ops.sums = sums;
    ops.launch = launch;
    ops.slots = slots;
    ops.team = team;
    ops.holds = holds;
    ops.usable = usable;
    ops.follow = follow;
    ops.lead = lead;
    ops.record = record;
    ops.recorded = recorded;
    ops.replay = replay;
    ops.timed = true;
    ops.few = 500000;
    ops.short_row = 32;
    ops.long_warp = 512;
    ops.stage = search_stage;
    ops.ranges = search_ranges;
    ops.flush = search_flush;
    ops.crowd = 255;
    ops.together = search_shared_cells;
    ops.batch = 32;
    *out = ops;
}
