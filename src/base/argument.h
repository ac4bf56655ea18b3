// Arguments of public functions: pointers that may not be NULL, outputs that are empty until the call has succeeded, and structs that
// came from another version. The first lines of a public function list its required arguments:
//
//     SCREE_EMPTY(out);               // not NULL, and from here on *out is zeroed: to free it after a failure is safe
//     SCREE_NEED(def);                // not NULL
//     SCREE_NEED_AS(given, "def");    // the same, where the header has another name for it
//     SCREE_NEED_OR(index, 0);        // not NULL; else 0 is returned, by a function that returns no status
#ifndef SCREE_BASE_ARGUMENT_H
#define SCREE_BASE_ARGUMENT_H

#include "scree/base.h"

#include <string.h>

// Of a function as its callers know it: without the ending that SCREE_RESULT_OF and its kin give to their bodies.
static inline int scree_length_of_name(const char* function)
{
    static const char ending[] = "_whole";
    size_t length = strlen(function), end = sizeof ending - 1;
    return (int)(length > end && strcmp(function + length - end, ending) == 0 ? length - end : length);
}

#define SCREE_NEED_NAMED(pointer, name, result)                                                                        \
    do {                                                                                                               \
        if ((pointer) == NULL) {                                                                                       \
            scree_fail(SCREE_ERR_ARGUMENT, "%.*s: %s is NULL; expected a pointer",                                             \
                       scree_length_of_name(__func__), __func__, name);                                                \
            return result;                                                                                             \
        }                                                                                                              \
    } while (0)

#define SCREE_NEED(pointer) SCREE_NEED_NAMED(pointer, #pointer, SCREE_ERR_ARGUMENT)
#define SCREE_NEED_AS(pointer, name) SCREE_NEED_NAMED(pointer, name, SCREE_ERR_ARGUMENT)
#define SCREE_NEED_OR(pointer, result) SCREE_NEED_NAMED(pointer, #pointer, result)

#define SCREE_EMPTY(out)                                                                                               \
    do {                                                                                                               \
        SCREE_NEED(out);                                                                                               \
        memset((out), 0, sizeof *(out));                                                                               \
    } while (0)

// The body of a default function (SCREE_DEFAULTS in scree/base.h) follows: SCREE_DEFAULTS_OF(scree_index_def, scree_default_index_def) { return (scree_index_def){...}; }
#define SCREE_DEFAULTS_OF(type, name)                                                                                  \
    static type name##_whole(void);                                                                                    \
    size_t name##_sized(type* out, size_t size)                                                                        \
    {                                                                                                                  \
        type whole = name##_whole();                                                                                   \
        return scree_fill_sized(out, size, &whole, sizeof whole);                                                      \
    }                                                                                                                  \
    static type name##_whole(void)

// As much of a struct that begins with its size as the caller has room for. What only a newer header knows is 0, and its size stays, so that it is rejected.
static inline size_t scree_fill_sized(void* out, size_t size, const void* whole, size_t known)
{
    uint32_t given = (uint32_t)size;
    if (out == NULL || size < sizeof given)
        return known;
    memset(out, 0, size);
    memcpy(out, whole, size < known ? size : known);
    memcpy(out, &given, sizeof given);
    return known;
}

// As much of a result as the caller has room for; what only a newer header knows is 0.
static inline void scree_copy_sized(void* out, size_t size, const void* whole, size_t known)
{
    if (out == NULL)
        return;
    memset(out, 0, size);
    memcpy(out, whole, size < known ? size : known);
}

// The bodies of functions whose results may grow (SCREE_RESULT and its kin in scree/base.h) follow these, and fill a whole struct: SCREE_RESULT_OF(scree_sim_report, scree_sim_measure,
// (scree_sim* sim, scree_sim_report* out), (sim, out)) { SCREE_EMPTY(out); ... }
#define SCREE_RESULT_OF(type, name, parameters, arguments)                                                             \
    static scree_status name##_whole parameters;                                                                       \
    scree_status name##_sized SCREE_SIZE_AND parameters                                                                \
    {                                                                                                                  \
        type scree_whole = {0}, *scree_given = out;                                                                    \
        out = out == NULL ? NULL : &scree_whole;                                                                       \
        scree_status scree_result = name##_whole arguments;                                                            \
        scree_copy_sized(scree_given, size, &scree_whole, sizeof scree_whole);                                         \
        return scree_result;                                                                                           \
    }                                                                                                                  \
    static scree_status name##_whole parameters

#define SCREE_VALUE_OF(type, name, parameters, arguments)                                                              \
    static type name##_whole parameters;                                                                               \
    void name##_sized SCREE_OUT_AND(type, SCREE_LIST parameters)                                                       \
    {                                                                                                                  \
        type scree_whole = name##_whole arguments;                                                                     \
        scree_copy_sized(out, size, &scree_whole, sizeof scree_whole);                                                 \
    }                                                                                                                  \
    static type name##_whole parameters

// The body fills rows of whole structs. A caller with other ones gets them by way of a copy; -1: no memory for it.
#define SCREE_ROWS_OF(type, name, parameters, arguments)                                                               \
    static int32_t name##_whole parameters;                                                                            \
    int32_t name##_sized SCREE_SIZE_AND parameters                                                                     \
    {                                                                                                                  \
        type* scree_given = out;                                                                                       \
        if (out == NULL || room <= 0 || size == sizeof *out)                                                           \
            return name##_whole arguments;                                                                             \
        out = scree_calloc((size_t)room, sizeof *out);                                                                 \
        if (out == NULL)                                                                                               \
            return -1;                                                                                                 \
        int32_t scree_count = name##_whole arguments;                                                                  \
        for (int32_t scree_n = 0; scree_n < scree_count && scree_n < room; ++scree_n)                                  \
            scree_copy_sized((char*)scree_given + (size_t)scree_n * size, size, &out[scree_n], sizeof *out);           \
        scree_free(out);                                                                                               \
        return scree_count;                                                                                            \
    }                                                                                                                  \
    static int32_t name##_whole parameters

#define SCREE_RELEASE_OF(type, name)                                                                                   \
    static void name##_whole(type* given);                                                                             \
    void name##_sized(size_t size, type* given)                                                                        \
    {                                                                                                                  \
        type scree_whole = {0};                                                                                        \
        if (given == NULL)                                                                                             \
            return;                                                                                                    \
        memcpy(&scree_whole, given, size < sizeof scree_whole ? size : sizeof scree_whole);                            \
        name##_whole(&scree_whole);                                                                                    \
        memset(given, 0, size);                                                                                        \
    }                                                                                                                  \
    static void name##_whole(type* given)

// A struct that begins with its size: from `least` bytes (what the first version had of it) to those that this library knows. `what`
// names it, `maker` is the function that fills it.
static inline scree_status scree_check_struct_size(const char* what, const char* maker, uint32_t size, size_t least, size_t known)
{
    enum { largest = 1 << 16 };  // of any struct; a larger number is not a size but uninitialised memory
    if (size >= least && size <= known)
        return SCREE_OK;
    if (size > known && size <= largest)
        return scree_fail(SCREE_ERR_ARGUMENT,
                          "%s: struct_size is %u bytes; expected at most %zu, the size that this library (scree %s) knows: the header is newer", what,
                          (unsigned)size, known, scree_version());
    return scree_fail(SCREE_ERR_ARGUMENT, "%s: struct_size is %u bytes; expected %zu: begin with %s()", what, (unsigned)size, known, maker);
}

#endif
