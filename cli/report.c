#include "report.h"

#include "scree/base.h"
#include "scree/report.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

report report_begin(bool json)
{
    if (json)
        printf("{");
    return (report){.json = json, .width = 18};
}

static const char* page_name(char name[64], const char* key)
{
    snprintf(name, 64, "%s", key);
    for (char* c = strchr(name, '_'); c != NULL; c = strchr(c, '_'))
        *c = ' ';
    return name;
}

// Keys are ours and need no escaping. For people, underscores read as spaces.
static void begin_entry(report* rep, const char* key)
{
    if (rep->json) {
        printf("%s\n  \"%s\": ", rep->entries > 0 ? "," : "", key);
    } else {
        printf("%*s", rep->indent, "");
        int width = 0;
        for (; key[width] != '\0'; ++width)
            putchar(key[width] == '_' ? ' ' : key[width]);
        int rest = rep->width - rep->indent - width;
        printf("%*s", rest > 0 ? rest : 1, "");
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
    char name[64];
    if (rep->page != NULL) {
        scree_report_integer(rep->page, page_name(name, key), value, "", "");
        return;
    }
    begin_entry(rep, key);
    printf("%" PRId64, value);
    end_entry(rep);
}

static void put_number(const report* rep, double value)
{
    if (!rep->json && isnan(value))
        putchar('-');  // there is none
    else if (!rep->json)
        printf("%.6g", value);
    else if (isfinite(value))
        printf("%.17g", value);
    else
        printf("null");
}

void report_number(report* rep, const char* key, double value)
{
    char name[64];
    if (rep->page != NULL) {
        scree_report_number(rep->page, page_name(name, key), value, "", "");
        return;
    }
    begin_entry(rep, key);
    put_number(rep, value);
    end_entry(rep);
}

// Bytes from 0x80 on as they are, if they are characters that may be shown.
static size_t put_characters(const char* text)
{
    char some[256];
    size_t length = 0;
    while ((unsigned char)text[length] >= 0x80 && length < sizeof some - 1)
        ++length;
    while (length > 4 && ((unsigned char)text[length] & 0xC0) == 0x80)  // not inside of one
        --length;
    memcpy(some, text, length);
    some[length] = '\0';
    scree_text_clean(some, length);
    fputs(some, stdout);
    return length;
}

// Texts may come from outside, names of files for example.
static void put_text(const report* rep, const char* value)
{
    if (rep->json)
        putchar('"');
    for (const char* c = value; *c != '\0';) {
        bool control = (unsigned char)*c < 0x20 || *c == 0x7F;
        if ((unsigned char)*c >= 0x80)
            c += put_characters(c) - 1;
        else if (control && rep->json)
            printf("\\u%04x", (unsigned)*c);
        else if (control)
            putchar('?');
        else if (rep->json && (*c == '"' || *c == '\\'))
            printf("\\%c", *c);
        else
            putchar(*c);
        ++c;
    }
    if (rep->json)
        putchar('"');
}

void report_text(report* rep, const char* key, const char* value)
{
    char name[64];
    if (rep->page != NULL) {
        scree_report_value(rep->page, page_name(name, key), value, "");
        return;
    }
    begin_entry(rep, key);
    put_text(rep, value);
    end_entry(rep);
}

void report_texts(report* rep, const char* key, const char* const* values, int64_t count)
{
    begin_entry(rep, key);
    if (rep->json)
        putchar('[');
    for (int64_t i = 0; i < count; ++i) {
        printf("%s", i == 0 ? "" : rep->json ? ", " : "; ");
        put_text(rep, values[i]);
    }
    if (rep->json)
        putchar(']');
    end_entry(rep);
}

void report_bool(report* rep, const char* key, bool value)
{
    char name[64];
    if (rep->page != NULL) {
        scree_report_value(rep->page, page_name(name, key), value ? "yes" : "no", "");
        return;
    }
    begin_entry(rep, key);
    printf("%s", rep->json ? (value ? "true" : "false") : (value ? "yes" : "no"));
    end_entry(rep);
}

// [1, 2, 3], or 1 2 3.
static void put_list(const report* rep, const double* values, const int64_t* integers, int64_t count)
{
    if (rep->json)
        putchar('[');
    for (int64_t i = 0; i < count; ++i) {
        printf("%s%s", i > 0 && rep->json ? "," : "", i > 0 ? " " : "");
        if (integers != NULL)
            printf("%" PRId64, integers[i]);
        else
            put_number(rep, values[i]);
    }
    if (rep->json)
        putchar(']');
}

void report_integers(report* rep, const char* key, const int64_t* values, int64_t count)
{
    begin_entry(rep, key);
    put_list(rep, NULL, values, count);
    end_entry(rep);
}

void report_numbers(report* rep, const char* key, const double* values, int64_t count)
{
    begin_entry(rep, key);
    put_list(rep, values, NULL, count);
    end_entry(rep);
}

static int column_width(const report_column* column)
{
    int length = (int)strlen(column->name);
    return length < 13 ? 14 : length + 2;
}

void report_table(report* rep, const char* key, const char* title, int columns, const report_column* column, int64_t rows)
{
    if (rep->json) {
        begin_entry(rep, key);
        for (int c = 0; c < columns; ++c) {
            printf("%s\n    \"%s\": ", c > 0 ? "," : "{", column[c].name);
            put_list(rep, column[c].values, column[c].integers, rows);
        }
        printf("\n  }");
        return;
    }
    report_section(rep, title);
    for (int c = 0; c < columns; ++c) {
        char name[32];
        snprintf(name, sizeof name, "%s", column[c].name);
        for (char* p = name; *p != '\0'; ++p)
            *p = *p == '_' ? ' ' : *p;
        printf("%*s", column_width(&column[c]), name);
    }
    putchar('\n');
    for (int64_t i = 0; i < rows; ++i) {
        for (int c = 0; c < columns; ++c)
            if (column[c].integers != NULL)
                printf("%*" PRId64, column_width(&column[c]), column[c].integers[i]);
            else
                printf("%*.6g", column_width(&column[c]), column[c].values[i]);
        putchar('\n');
    }
}

void report_section(report* rep, const char* title)
{
    if (rep->json)
        return;
    printf("%s%s\n", rep->entries > 0 ? "\n" : "", title);
    rep->indent = 2;
}

void report_end(report* rep)
{
    if (rep->json)
        printf("\n}\n");
}
