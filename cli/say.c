#include "say.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char errors[8192];
static size_t errors_used;

const char* said_errors(void)
{
    return errors;
}

// Keeps the lines that begin with "scree ...: ". One may come in several calls.
static void keep_error(const char* text, size_t used, bool ends)
{
    static bool inside, begun;  // of a line; of one that is kept
    const char* colon = memchr(text, ':', used);
    if (!inside && used > 5 && strncmp(text, "scree", 5) == 0 && (text[5] == ' ' || text[5] == ':') && colon != NULL) {
        const char* from = colon + 1 + (colon[1] == ' ');
        used -= (size_t)(from - text);
        text = from;
        begun = true;
        if (errors_used > 0 && errors_used + 1 < sizeof errors)
            errors[errors_used++] = '\n';
    }
    if (begun && used > sizeof errors - 1 - errors_used)
        used = sizeof errors - 1 - errors_used;
    if (begun) {
        memcpy(errors + errors_used, text, used);
        errors_used += used;
        errors[errors_used] = '\0';
    }
    inside = !ends;
    begun = begun && !ends;
}

void say(const char* format, ...)
{
    char some[4096], *text = some;
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(some, sizeof some, format, arguments);
    va_end(arguments);
    if (length >= (int)sizeof some) {  // without memory its beginning must do
        text = malloc((size_t)length + 1);
        va_start(arguments, format);
        if (text != NULL)
            vsnprintf(text, (size_t)length + 1, format, arguments);
        va_end(arguments);
    }
    if (text == NULL)
        text = some;
    size_t used = strlen(text);
    size_t line = used > 0 && text[used - 1] == '\n';
    used = scree_text_clean(text, used - line);
    keep_error(text, used, line > 0 || (used > 0 && text[0] == '\r'));
    fprintf(stderr, "%.*s%s", (int)used, text, line > 0 ? "\n" : "");
    if (text != some)
        free(text);
}
