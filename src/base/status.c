// The message of the last failure, one per thread, text fit for it, and the version.
#include "base/argument.h"
#include "base/number.h"
#include "base/parallel.h"

#include "base/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x)

static _Thread_local char message[2048];

const char* scree_version(void)
{
    return TEXT(SCREE_VERSION_MAJOR) "." TEXT(SCREE_VERSION_MINOR) "." TEXT(SCREE_VERSION_PATCH);
}

static _Thread_local scree_watch own_watch;

scree_watch scree_set_watch(scree_watch watch)
{
    scree_watch before = own_watch;
    own_watch = watch;
    return before;
}

scree_watch scree_get_watch(void)
{
    return own_watch;
}

void scree_shutdown(void)
{
    scree_parallel_shutdown();
}

const char* scree_error_message(void)
{
    return message;
}

int scree_text_number(char text[32], double value)
{
    SCREE_NEED_OR(text, 0);
    return scree_number_format(text, value);
}

size_t scree_text_clean(char* text, size_t length)
{
    SCREE_NEED_OR(text, 0);
    size_t used = 0;
    for (size_t at = 0; at < length;) {
        bool plain;
        size_t bytes = scree_text_next(text + at, length - at, &plain);
        if (plain)
            memmove(text + used, text + at, bytes);
        else
            text[used] = '?';
        used += plain ? bytes : 1;
        at += bytes;
    }
    if (used < length)
        text[used] = '\0';
    return used;
}

scree_status scree_fail(scree_status status, const char* format, ...)
{
    // Built aside first, because an argument may be the old message itself.
    char text[sizeof message];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(text, sizeof text, format != NULL ? format : "no message", arguments);
    va_end(arguments);
    if (length < 0)
        snprintf(text, sizeof text, "an error whose message could not be written (%s)", format);
    else if ((size_t)length >= sizeof text)
        memcpy(text + sizeof text - 4, "...", 4);
    scree_text_clean(text, strlen(text));  // names and words in it came from outside, and it goes to a terminal or a page
    memcpy(message, text, sizeof message);
    return status;
}

size_t scree_type_size(scree_type type)
{
    static const size_t sizes[] = {0, 8, 8, 8, 4, 2, 1, 4};
    return (size_t)type < sizeof sizes / sizeof *sizes ? sizes[type] : 0;
}
