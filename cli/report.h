// How commands tell their results: one JSON object, or lines of "name  value" for people.
#ifndef CLI_REPORT_H
#define CLI_REPORT_H

#include <stdbool.h>
#include <stdint.h>

struct scree_report;

typedef struct report {
    struct scree_report* page;  // not NULL: integers, numbers, texts and yes or no go there, as rows of a table
    bool json;
    int entries;
    int width;   // of the names, for people; 18 unless set
    int indent;  // of the names, for people; 2 inside sections
} report;

report report_begin(bool json);
void report_integer(report* rep, const char* key, int64_t value);
void report_number(report* rep, const char* key, double value);  // JSON null if not finite
void report_text(report* rep, const char* key, const char* value);
void report_bool(report* rep, const char* key, bool value);

// Short lists: a JSON array, or the values in one line.
void report_integers(report* rep, const char* key, const int64_t* values, int64_t count);
void report_numbers(report* rep, const char* key, const double* values, int64_t count);
void report_texts(report* rep, const char* key, const char* const* values, int64_t count);

// A column of a table: values or integers, the other one NULL.
typedef struct report_column {
    const char* name;
    const double* values;
    const int64_t* integers;
} report_column;

// In JSON an object of arrays, one per column, under the key. For people the columns side by side below the title.
void report_table(report* rep, const char* key, const char* title, int columns, const report_column* column, int64_t rows);

void report_section(report* rep, const char* title);  // for people only: a title, and what follows is indented below it
void report_end(report* rep);

#endif
