// scree/base.h: what every other header of scree needs: version, status, messages, memory, random numbers.
//
// Errors: a call that can fail returns a scree_status; scree_error_message() then returns, for the calling thread, what was
// wrong, with which value, and what was expected. After a failure the object is unchanged.
// Outputs: the result of a call in `out` is empty after a failure (NULL for a handle, a zeroed struct), so that freeing or
// destroying it is always safe. Calls that keep a partial result (CANCELLED) say so. The previous content of `out` is not freed.
// NULL: a pointer may be NULL only where the function says so. Otherwise the call fails with SCREE_ERR_ARGUMENT and the message names the parameter; a function
// that returns no status sets the message and returns 0, NAN, NULL or a zeroed struct. Functions that free or destroy accept NULL.
// The library never prints, exits or aborts.
#ifndef SCREE_BASE_H
#define SCREE_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SCREE_VERSION_MAJOR 0
#define SCREE_VERSION_MINOR 3
#define SCREE_VERSION_PATCH 0
#define SCREE_VERSION_NUMBER (10000 * SCREE_VERSION_MAJOR + 100 * SCREE_VERSION_MINOR + SCREE_VERSION_PATCH)  // for #if

// Number of the binary interface: libscree.so.2. Programs that were compiled with a header of the same number need not be recompiled (tools/abi checks this).
#define SCREE_ABI 2

#if defined(__GNUC__)
#define SCREE_API __attribute__((visibility("default")))
#define SCREE_PRINTF(text, first) __attribute__((__format__(__printf__, text, first)))
#else
#define SCREE_API
#define SCREE_PRINTF(text, first)
#endif

// A function `name` that returns a struct with its defaults. Such structs may grow in later versions: name_sized gets the size that the caller knows and writes no more (NULL:
// nothing), so that a program works with a newer library too. It returns the size that the library knows.
#define SCREE_DEFAULTS(type, name)                                                                                     \
    SCREE_API size_t name##_sized(type* out, size_t size);                                                             \
    static inline type name(void)                                                                                      \
    {                                                                                                                  \
        type out;                                                                                                      \
        name##_sized(&out, sizeof out);                                                                                \
        return out;                                                                                                    \
    }

// Around functions that headers define: their parameters may have the names of what a program has defined before.
#if defined(__GNUC__)
#define SCREE_INLINE _Pragma("GCC diagnostic push") _Pragma("GCC diagnostic ignored \"-Wshadow\"")
#define SCREE_INLINE_END _Pragma("GCC diagnostic pop")
#else
#define SCREE_INLINE
#define SCREE_INLINE_END
#endif

// A function `name` that fills a struct of the caller, its last parameter `out`. Such structs may grow in later versions: name_sized gets the size that the caller knows
// and writes no more. SCREE_VALUE: the same of a function that returns the struct, SCREE_ROWS of one that fills up to `room` of them and returns a number, SCREE_RELEASE of
// one that frees what the struct owns and zeroes it.
#define SCREE_RESULT(name, parameters, arguments)                                                                      \
    SCREE_API scree_status name##_sized SCREE_SIZE_AND parameters;                                                     \
    SCREE_INLINE static inline scree_status name parameters { return name##_sized SCREE_SIZEOF_AND arguments; } SCREE_INLINE_END
#define SCREE_VALUE(type, name, parameters, arguments)                                                                 \
    SCREE_API void name##_sized SCREE_OUT_AND(type, SCREE_LIST parameters);                                            \
    SCREE_INLINE static inline type name parameters                                                                    \
    {                                                                                                                  \
        type out;                                                                                                      \
        name##_sized SCREE_VALUE_AND arguments;                                                                        \
        return out;                                                                                                    \
    } SCREE_INLINE_END
#define SCREE_ROWS(name, parameters, arguments)                                                                        \
    SCREE_API int32_t name##_sized SCREE_SIZE_AND parameters;                                                          \
    SCREE_INLINE static inline int32_t name parameters { return name##_sized SCREE_SIZEOF_AND arguments; } SCREE_INLINE_END
#define SCREE_RELEASE(type, name)                                                                                      \
    SCREE_API void name##_sized(size_t size, type* given);                                                             \
    static inline void name(type* given) { name##_sized(sizeof *given, given); }
#define SCREE_LIST(...) __VA_ARGS__
#define SCREE_SIZE_AND(...) (size_t size, __VA_ARGS__)
#define SCREE_SIZEOF_AND(...) (sizeof *out, __VA_ARGS__)
#define SCREE_OUT_AND(type, ...) (size_t size, type* out, __VA_ARGS__)
#define SCREE_VALUE_AND(...) (sizeof out, &out, __VA_ARGS__)

#ifdef __cplusplus
extern "C" {
#endif

SCREE_API const char* scree_version(void);  // "0.3.0"; the version of the library that is loaded

typedef enum scree_status {
    SCREE_OK = 0,
    SCREE_ERR_ARGUMENT = -1,     // an invalid value; the message names it
    SCREE_ERR_MEMORY = -2,       // out of memory
    SCREE_ERR_IO = -3,           // the system could not read or write
    SCREE_ERR_FORMAT = -4,       // the content of a file is invalid
    SCREE_ERR_UNSUPPORTED = -5,  // valid, but not supported, or not in this build
    SCREE_ERR_CANCELLED = -6     // the watch returned false
} scree_status;

// Types of values in arrays that are distinguished by name: columns of a simulation, parts of a checkpoint.
typedef enum scree_type {
    SCREE_TYPE_FLOAT64 = 1,
    SCREE_TYPE_INT64,
    SCREE_TYPE_UINT64,
    SCREE_TYPE_INT32,
    SCREE_TYPE_UINT16,
    SCREE_TYPE_UINT8,
    SCREE_TYPE_FLOAT32
} scree_type;

SCREE_API size_t scree_type_size(scree_type type);  // bytes; 0: there is no such type

// The last failure on this thread: never NULL, "" if there was none. Valid until the next failure on this thread.
SCREE_API const char* scree_error_message(void);

// Sets the message of this thread and returns `status`, so that message and return are one statement:
//     return scree_fail(SCREE_ERR_ARGUMENT, "sphere %d: radius %g is not a length", i, r);
// Public, so that extensions of scree (a reader, a callback) can report errors in the same way.
SCREE_API scree_status scree_fail(scree_status status, const char* format, ...) SCREE_PRINTF(2, 3);

// Makes text from outside (names of files and columns, words of a file) safe for a terminal, a message or a page, in place: every
// control character (U+0000 to U+001F, U+007F to U+009F) and every byte that is not UTF-8 becomes '?'. Returns the new length, which is
// `length` or less; if it is less, a '\0' follows it. Messages (scree_fail) are already clean.
SCREE_API size_t scree_text_clean(char* text, size_t length);

// The shortest text of up to 17 digits that reads back as the same double, with a point in every locale: 0.1, 1e-08, inf, nan. Returns its length, at most 24.
// All files and reports of scree have their numbers from it.
SCREE_API int scree_text_number(char text[32], double value);

// Progress and cancellation of long-running calls. `tick` is called some hundred times per call, and at least every 0.1 s of work, always
// on the thread that made the call, with the fraction done in 0..1 (a call of several parts begins again with each); when it returns false
// the call stops with SCREE_ERR_CANCELLED. A zeroed struct means no callback.
typedef struct scree_watch {
    bool (*tick)(void* context, double done);
    void* context;
} scree_watch;

// The watch of the calling thread, for calls that take none: readers and writers without options, scree_surface_create,
// scree_bvh_create and the queries (if scree_bvh_def.watch is zeroed), scree_find_stability, and calls on a simulation:
// creating, measuring, asking for contacts, memory and bonds, exchanging spheres, setting contacts or a state, checkpoints,
// plans and checks. Such a call can be stopped then too (CANCELLED), and leaves what a failed call leaves: a simulation is
// as it was. Runs (scree/run.h) do not ask it while they go on. Returns the watch before; a zeroed one: none.
SCREE_API scree_watch scree_set_watch(scree_watch watch);
SCREE_API scree_watch scree_get_watch(void);

// A thread that calls the library needs 256 KiB of stack; those of the library have them, however small the limit is.
//
// The library keeps threads that wait for work. This ends them; the next call that uses several threads makes new ones. Never needed: they also end
// when the library is unloaded (dlclose) and with the process. Waits until calls on other threads no longer use them; do not call it from a tick.
// libscree_files and libscree_show have threads of their own: scree_files_shutdown(), scree_show_shutdown().
SCREE_API void scree_shutdown(void);

// ---- Threads: of the caller ------------------------------------------------------------------------------------------
// A program with its own pool of threads can run the loops of scree on it. `run` calls work(data) up to `threads` times, concurrently or one after the other, and
// once on the calling thread, which calls the watch. It returns when all calls that were started have returned. Each call takes parts of the loop until none are left, so
// fewer calls than requested are allowed. No result depends on it.
typedef struct scree_tasks {
    void (*run)(void* context, int32_t threads, void (*work)(void* data), void* data);
    void* context;
} scree_tasks;

// NULL: restores the threads of scree. Copied; one for the process, for all libraries of scree. Do not call it while another thread uses scree. ARGUMENT: `run` is NULL.
SCREE_API scree_status scree_set_tasks(const scree_tasks* tasks);
SCREE_API const scree_tasks* scree_get_tasks(void);  // NULL: none are set

// ---- Memory ------------------------------------------------------------------------------------------------
// All memory of scree is allocated here. If there is not enough, the result is NULL and the message is set (the status
// to return is then SCREE_ERR_MEMORY). Sizes are count * size, checked for overflow. Thread-safe.
SCREE_API void* scree_malloc(size_t count, size_t size);  // uninitialised; never NULL for a size of 0
SCREE_API void* scree_calloc(size_t count, size_t size);  // zeroed
SCREE_API void* scree_realloc(void* block, size_t count, size_t size);  // on failure `block` is unchanged
SCREE_API void scree_free(void* block);                                 // NULL is fine

// Functions of the caller that replace malloc, realloc and free. `allocate` returns a block of at least that many bytes, aligned to `alignment` (a power of two, up to
// 64), or NULL. `resize` changes the size of a block (NULL: allocates one), with or without keeping its alignment; if it returns NULL, the block is unchanged. `release` is never called with NULL. All three
// may be called on any thread.
typedef struct scree_allocator {
    void* (*allocate)(void* context, size_t bytes, size_t alignment);
    void* (*resize)(void* context, void* block, size_t bytes);
    void (*release)(void* context, void* block);
    void* context;
} scree_allocator;

// NULL: restores malloc, realloc and free. Copied; one for the process, for all libraries of scree. Do not call it while another thread uses scree. ARGUMENT: a function is missing, or blocks of
// scree are still allocated, which would be freed by the wrong functions; scree_memory_held returns their number.
SCREE_API scree_status scree_set_allocator(const scree_allocator* allocator);
SCREE_API int64_t scree_memory_held(void);  // blocks that were allocated and not yet freed, in the whole process

// For tests: the n-th allocation from now (1 = the next) fails, once; 0 switches the hook off. Returns how many
// allocations there were since the last call, on all threads.
SCREE_API int64_t scree_memory_fail_at(int64_t n);

// ---- Random numbers ---------------------------------------------------------------------------------------------
// Philox4x32-10 (Salmon et al. 2011): a counter encrypted with a key. The key is the seed and the upper half of the
// counter the stream, so that streams never overlap: 2^64 streams of 2^65 numbers for each seed. A plain value: a copy is
// an independent generator with the same numbers. The same numbers on every machine.
typedef struct scree_rng {
    uint32_t key[2];
    uint32_t counter[4];
    uint32_t block[4];  // the current output, used from `left` words before its end
    int32_t left;
} scree_rng;

SCREE_API scree_rng scree_rng_make(uint64_t seed, uint64_t stream);
SCREE_API uint64_t scree_rng_bits(scree_rng* rng);                     // 64 random bits
SCREE_API double scree_rng_uniform(scree_rng* rng);                    // in [0, 1), multiples of 2^-53
SCREE_API uint64_t scree_rng_below(scree_rng* rng, uint64_t n);        // in 0 .. n-1 without bias; 0 for n = 0

#ifdef __cplusplus
}
#endif
#endif
