// The tokenizer that all CSV readers share: lines to records, records to fields, fields to numbers.
//
// Liberal in form, because CSV comes from everywhere: a byte order mark, CRLF, blanks around fields, quoted fields (with
// "" for a quote, and line breaks inside), blank lines and lines that begin with '#', commas or semicolons or tabs. The
// separator is what the header has: a comma if there is one outside quotes, else a semicolon, else a tab.
//
// A record is split where it lies, in the buffer of the input; fields are places in it, and only doubled quotes make bytes
// move. O(bytes), no allocation per line.
#include "files/csv.h"

#include "base/array.h"
#include "base/number.h"
#include "base/text.h"
#include "files/words.h"

#include <inttypes.h>
#include <string.h>

static bool is_blank(char c, char separator)
{
    return c == ' ' || c == '\r' || (c == '\t' && separator != '\t');
}

bool scree_csv_is(const scree_csv* csv, int64_t c, const char* word)
{
    return scree_word_is_any_case((scree_word){csv->text + csv->field[c].begin, csv->text + csv->field[c].end}, word);
}

const char* scree_csv_shown(char shown[SCREE_SHOWN], const char* text, int64_t length)
{
    size_t at = 0, whole = (size_t)length;
    for (bool plain; at < whole && at < SCREE_SHOWN - 8;)  // ends between two characters
        at += scree_text_next(text + at, whole - at, &plain);
    if (at > 0)
        memcpy(shown, text, at);
    strcpy(shown + scree_text_clean(shown, at), at < whole ? "..." : "");
    return shown;
}

const char* scree_csv_shown_field(const scree_csv* csv, int64_t c, char shown[SCREE_SHOWN])
{
    return scree_csv_shown(shown, csv->text + csv->field[c].begin, csv->field[c].end - csv->field[c].begin);
}

// A comma anywhere outside quotes makes it a comma; else a semicolon; else a tab.
static char find_separator(const char* text, int64_t length)
{
    bool quoted = false, semicolon = false, tab = false;
    for (int64_t k = 0; k < length; ++k) {
        quoted ^= text[k] == '"';
        if (!quoted && text[k] == ',')
            return ',';
        semicolon |= !quoted && text[k] == ';';
        tab |= !quoted && text[k] == '\t';
    }
    return semicolon ? ';' : tab ? '\t' : ',';
}

static scree_status check_bytes(const scree_csv* csv, int64_t from, int64_t length)
{
    if (length <= from || memchr(csv->text + from, '\0', (size_t)(length - from)) == NULL)
        return SCREE_OK;
    return scree_input_fail(csv->input, csv->input->line,
                            "a NUL byte; expected plain text in UTF-8 (save UTF-16 as UTF-8 first)");
}

// A quoted field whose quote is at `at`; afterwards `at` is at the separator or the end behind it. Doubled quotes are made
// single in place. Line breaks inside quotes belong to the field: the record then continues on the next line.
static scree_status split_quoted(scree_csv* csv, int64_t* at, int64_t* length, scree_field* field)
{
    int64_t opened = csv->input->line, from = *at + 1, to = from;
    *field = (scree_field){.begin = from, .quoted = true};
    for (;;) {
        char* quote = memchr(csv->text + from, '"', (size_t)(*length - from));
        int64_t stop = quote == NULL ? *length : quote - csv->text;
        memmove(csv->text + to, csv->text + from, (size_t)(stop - from));
        to += stop - from;
        from = stop + 1;
        if (quote == NULL) {
            bool more;
            scree_status status = scree_input_join(csv->input, &csv->text, length, &more);
            if (status == SCREE_OK && !more)
                return scree_input_fail(csv->input, opened, "the quote opened in field %" PRId64 " is never closed; expected a closing quote",
                                        csv->count + 1);
            if (status == SCREE_OK)
                status = check_bytes(csv, stop, *length);
            if (status != SCREE_OK)
                return status;
            csv->text[to++] = '\n';
        } else if (from < *length && csv->text[from] == '"') {
            csv->text[to++] = '"';
            ++from;
        } else {
            break;
        }
    }
    field->end = to;
    while (from < *length && is_blank(csv->text[from], csv->separator))
        ++from;
    if (from < *length && csv->text[from] != csv->separator) {
        char shown[SCREE_SHOWN];
        return scree_input_fail(csv->input, csv->input->line,
                                "field %" PRId64 ": '%s' after the closing quote; expected the end of the field (a quote inside quotes is written \"\")",
                                csv->count + 1, scree_csv_shown(shown, csv->text + from, *length - from));
    }
    *at = from;
    return SCREE_OK;
}

static scree_status split(scree_csv* csv, int64_t length)
{
    csv->count = 0;
    for (int64_t at = 0;; ++at) {
        scree_status status = SCREE_RESERVE(csv->field, csv->capacity, csv->count + 1);
        if (status != SCREE_OK)
            return status;
        scree_field* field = &csv->field[csv->count];
        while (at < length && is_blank(csv->text[at], csv->separator))
            ++at;
        if (at < length && csv->text[at] == '"') {
            status = split_quoted(csv, &at, &length, field);
            if (status != SCREE_OK)
                return status;
        } else {
            char* stop = at < length ? memchr(csv->text + at, csv->separator, (size_t)(length - at)) : NULL;
            int64_t next = stop == NULL ? length : stop - csv->text, end = next;
            while (end > at && is_blank(csv->text[end - 1], csv->separator))
                --end;
            *field = (scree_field){.begin = at, .end = end};
            at = next;
        }
        ++csv->count;
        if (at >= length)
            return SCREE_OK;
    }
}

scree_status scree_csv_next(scree_csv* csv, bool* more)
{
    csv->skipped = false;
    for (;;) {
        int64_t length;
        scree_status status = scree_input_line(csv->input, &csv->text, &length, more);
        if (status != SCREE_OK || !*more)
            return status;
        if (csv->input->line == 1 && length >= 3 && memcmp(csv->text, "\xEF\xBB\xBF", 3) == 0)
            memcpy(csv->text, "   ", 3);  // the byte order mark becomes blanks
        status = check_bytes(csv, 0, length);
        if (status != SCREE_OK)
            return status;
        int64_t at = 0;
        while (at < length && is_blank(csv->text[at], csv->separator))
            ++at;
        if (at == length)
            continue;
        if (csv->text[at] == '#') {
            csv->skipped = true;
            continue;
        }
        csv->line = csv->input->line;
        if (csv->separator == 0)
            csv->separator = find_separator(csv->text, length);
        return split(csv, length);
    }
}

void scree_csv_close(scree_csv* csv)
{
    scree_free(csv->field);
    *csv = (scree_csv){0};
}

bool scree_csv_is_number(const scree_csv* csv, int64_t c, double* value)
{
    return scree_number_parse(csv->text + csv->field[c].begin, csv->text + csv->field[c].end, value);
}

scree_status scree_csv_number(const scree_csv* csv, int64_t c, const char* name, double* value)
{
    if (scree_csv_is_number(csv, c, value))
        return SCREE_OK;
    const scree_field* field = &csv->field[c];
    char column[SCREE_SHOWN], shown[SCREE_SHOWN];
    scree_csv_shown(column, name, (int64_t)strlen(name));
    if (field->begin == field->end)
        return scree_input_fail(csv->input, csv->line, "column '%s' is empty; expected a number", column);
    // Semicolons between fields often mean commas inside numbers.
    int64_t length = field->end - field->begin;
    const char* comma = memchr(csv->text + field->begin, ',', (size_t)length);
    char pointed[32];
    double unused;
    bool decimal_comma = comma != NULL && length < (int64_t)sizeof pointed;
    if (decimal_comma) {
        memcpy(pointed, csv->text + field->begin, (size_t)length);
        pointed[comma - (csv->text + field->begin)] = '.';
        decimal_comma = scree_number_parse(pointed, pointed + length, &unused);
    }
    return scree_input_fail(csv->input, csv->line, "column '%s' holds '%s'; expected a number%s", column,
                            scree_csv_shown_field(csv, c, shown), decimal_comma ? " (with a point, not a comma)" : "");
}

scree_status scree_csv_check_width(const scree_csv* csv, int64_t columns)
{
    if (csv->count == columns)
        return SCREE_OK;
    return scree_input_fail(csv->input, csv->line, "%" PRId64 " field%s; expected %" PRId64 ", the columns of the header",
                            csv->count, csv->count == 1 ? "" : "s", columns);
}

scree_status scree_csv_header(scree_csv* csv, const char* columns)
{
    bool more;
    scree_status status = scree_csv_next(csv, &more);
    if (status == SCREE_OK && !more)
        status = scree_input_fail(csv->input, csv->input->line > 0 ? csv->input->line : 1, "there is no header; expected %s", columns);
    return status;
}
