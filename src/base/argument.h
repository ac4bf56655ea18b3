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

#define SCREE_NEED_NAMED(pointer, name, result)                                                                        \
    do {                                                                                                               \
        if ((pointer) == NULL) {                                                                                       \
            scree_fail(SCREE_ERR_ARGUMENT, "%s: %s is NULL", __func__, name);                                          \
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

// As much of a struct that begins with its size as the caller has room for. What only a newer header knows is 0, and its size stays, so that it is refused.
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

// A struct that begins with its size: from `least` bytes (what the first version had of it) to those that this library knows. `what`
// names it, `maker` is the function that fills it.
static inline scree_status scree_check_struct_size(const char* what, const char* maker, uint32_t size, size_t least, size_t known)
{
    enum { largest = 1 << 16 };  // of any struct; a larger number is not a size but uninitialised memory
    if (size >= least && size <= known)
        return SCREE_OK;
    if (size > known && size <= largest)
        return scree_fail(SCREE_ERR_ARGUMENT,
                          "%s: struct_size is %u bytes, but this library (scree %s) knows %zu: the header is newer than the library", what,
                          (unsigned)size, scree_version(), known);
    return scree_fail(SCREE_ERR_ARGUMENT, "%s: struct_size is %u bytes, %zu were expected: begin with %s()", what, (unsigned)size, known, maker);
}

#endif
