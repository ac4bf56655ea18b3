// How commands tell their results: one JSON object, or lines of "name  value" for people.
#ifndef CLI_REPORT_H
#define CLI_REPORT_H

#include <stdbool.h>
#include <stdint.h>

typedef struct report {
    bool json;
    int entries;
} report;

report report_begin(bool json);
void report_integer(report* rep, const char* key, int64_t value);
void report_number(report* rep, const char* key, double value);  // JSON null if not finite
void report_text(report* rep, const char* key, const char* value);
void report_bool(report* rep, const char* key, bool value);
void report_end(report* rep);

#endif
