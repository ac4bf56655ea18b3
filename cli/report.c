#include "report.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

report report_begin(bool json)
{
    if (json)
        printf("{");
    return (report){.json = json};
}

// Keys are ours and need no escaping. For people, underscores read as spaces.
static void begin_entry(report* rep, const char* key)
{
    if (rep->json) {
        printf("%s\n  \"%s\": ", rep->entries > 0 ? "," : "", key);
    } else {
        int width = 0;
        for (; key[width] != '\0'; ++width)
            putchar(key[width] == '_' ? ' ' : key[width]);
        printf("%*s", width < 18 ? 18 - width : 1, "");
    }
    ++rep->entries;
}

static void end_entry(const report* rep)
{
    if (!rep->json)
        putchar('\n');
}

void report_integer(report* rep, const char* key, int64_t value)
{
    begin_entry(rep, key);
    printf("%" PRId64, value);
    end_entry(rep);
}

void report_number(report* rep, const char* key, double value)
{
    begin_entry(rep, key);
    if (!rep->json)
        printf("%.6g", value);
    else if (isfinite(value))
        printf("%.17g", value);
    else
        printf("null");
    end_entry(rep);
}

void report_text(report* rep, const char* key, const char* value)
{
    begin_entry(rep, key);
    if (!rep->json) {
        printf("%s", value);
    } else {
        putchar('"');
        for (const char* c = value; *c != '\0'; ++c) {
            if (*c == '"' || *c == '\\')
                printf("\\%c", *c);
            else if ((unsigned char)*c < 0x20)
                printf("\\u%04x", (unsigned)*c);
            else
                putchar(*c);
        }
        putchar('"');
    }
    end_entry(rep);
}

void report_bool(report* rep, const char* key, bool value)
{
    begin_entry(rep, key);
    printf("%s", rep->json ? (value ? "true" : "false") : (value ? "yes" : "no"));
    end_entry(rep);
}

void report_end(report* rep)
{
    if (rep->json)
        printf("\n}\n");
}
