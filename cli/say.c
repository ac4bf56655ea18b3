#include "say.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
    fprintf(stderr, "%.*s%s", (int)used, text, line > 0 ? "\n" : "");
    if (text != some)
        free(text);
}
