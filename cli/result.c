#include "result.h"

#include "run.h"

#include "scree/base.h"
#include "scree/files.h"
#include "scree/report.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

typedef enum entry_kind { INTEGER, NUMBER, BOOLEAN, TEXT, INTEGERS, NUMBERS, TEXTS, TABLE, SECTION, PART } entry_kind;

// Values of any kind: `count` of them, one of the arrays.
typedef struct values {
    int64_t count, capacity;
    int64_t* integers;
    double* numbers;
    char** texts;
} values;

typedef struct table_column {
    char* name;
    values of;
    int width;  // in text; 0: not yet known
} table_column;

struct result_entry {
    entry_kind kind;
    int where;
    char *key, *unit, *note, *title, *file;
    values of;
    int columns;
    table_column* column;  // of a table
    result part;
};

// ---- Memory ----------------------------------------------------------------------------------------------------------

static char* copy_text(result* res, const char* text)
{
    char* copy = scree_malloc(strlen(text) + 1, 1);
    if (copy != NULL)
        strcpy(copy, text);
    else
        res->failed = true;
    return copy;
}

static void free_values(values* v)
{
    for (int64_t i = 0; v->texts != NULL && i < v->count; ++i)
        scree_free(v->texts[i]);
    scree_free(v->texts);
    scree_free(v->integers);
    scree_free(v->numbers);
}

static void free_entry(result_entry* e)
{
    for (int c = 0; e->column != NULL && c < e->columns; ++c) {
        scree_free(e->column[c].name);
        free_values(&e->column[c].of);
    }
    scree_free(e->column);
    free_values(&e->of);
    result_free(&e->part);
    scree_free(e->key);
    scree_free(e->unit);
    scree_free(e->note);
    scree_free(e->title);
    scree_free(e->file);
}

void result_free(result* res)
{
    for (int64_t e = 0; e < res->count; ++e)
        free_entry(&res->entries[e]);
    scree_free(res->entries);
    *res = (result){0};
}

static values copy_values(result* res, int64_t count, const int64_t* integers, const double* numbers, const char* const* texts)
{
    values v = {.count = count, .capacity = count + 1};
    size_t room = (size_t)v.capacity;
    if (integers != NULL && (v.integers = scree_malloc(room, sizeof *v.integers)) != NULL)
        memcpy(v.integers, integers, (size_t)count * sizeof *integers);
    if (numbers != NULL && (v.numbers = scree_malloc(room, sizeof *v.numbers)) != NULL)
        memcpy(v.numbers, numbers, (size_t)count * sizeof *numbers);
    if (texts != NULL && (v.texts = scree_calloc(room, sizeof *v.texts)) != NULL)
        for (int64_t i = 0; i < count; ++i)
            v.texts[i] = copy_text(res, texts[i]);
    if ((integers != NULL && v.integers == NULL) || (numbers != NULL && v.numbers == NULL) || (texts != NULL && v.texts == NULL))
        res->failed = true;
    return v;
}

// ---- Adding ----------------------------------------------------------------------------------------------------------

// A new entry at the end; NULL: there is no memory, now or before.
static result_entry* add(result* res, entry_kind kind, const char* key)
{
    if (res->failed)
        return NULL;
    if (res->count == res->capacity) {
        int64_t more = res->capacity > 0 ? 2 * res->capacity : 32;
        result_entry* entries = scree_realloc(res->entries, (size_t)more, sizeof *entries);
        if (entries == NULL) {
            res->failed = true;
            return NULL;
        }
        res->entries = entries;
        res->capacity = more;
    }
    result_entry* e = &res->entries[res->count++];
    *e = (result_entry){.kind = kind, .where = RESULT_TEXT | RESULT_JSON | RESULT_PAGE | RESULT_CSV};
    e->key = copy_text(res, key);
    return e;
}

static void add_values(result* res, entry_kind kind, const char* key, int64_t count, const int64_t* integers, const double* numbers, const char* const* texts)
{
    result_entry* e = add(res, kind, key);
    if (e != NULL)
        e->of = copy_values(res, count, integers, numbers, texts);
}

result result_begin(const char* name)
{
    result res = {.width = 18};
    result_integer(&res, "schema", RESULT_SCHEMA);
    result_only(&res, RESULT_JSON);
    result_text(&res, "command", name);
    result_only(&res, RESULT_JSON);
    return res;
}

void result_integer(result* res, const char* key, int64_t value)
{
    add_values(res, INTEGER, key, 1, &value, NULL, NULL);
}

void result_number(result* res, const char* key, double value)
{
    add_values(res, NUMBER, key, 1, NULL, &value, NULL);
}

void result_text(result* res, const char* key, const char* value)
{
    add_values(res, TEXT, key, 1, NULL, NULL, &value);
}

void result_bool(result* res, const char* key, bool value)
{
    add_values(res, BOOLEAN, key, 1, (int64_t[]){value}, NULL, NULL);
}

void result_integers(result* res, const char* key, const int64_t* list, int64_t count)
{
    add_values(res, INTEGERS, key, count, list, NULL, NULL);
}

void result_numbers(result* res, const char* key, const double* list, int64_t count)
{
    add_values(res, NUMBERS, key, count, NULL, list, NULL);
}

void result_texts(result* res, const char* key, const char* const* list, int64_t count)
{
    add_values(res, TEXTS, key, count, NULL, NULL, list);
}

void result_quantity(result* res, const scree_quantity* q)
{
    if (q->values != NULL)
        add_values(res, q->vector ? NUMBERS : NUMBER, q->key, q->count, NULL, q->values, NULL);
    else if (q->integers != NULL)
        add_values(res, q->vector ? INTEGERS : INTEGER, q->key, q->count, q->integers, NULL, NULL);
    else
        result_text(res, q->key, q->text);
    result_about(res, q->unit, q->note);
}

void result_table(result* res, const char* key, const char* title, int columns, const result_column* from, int64_t rows)
{
    result_entry* e = add(res, TABLE, key);
    if (e == NULL)
        return;
    e->where &= ~RESULT_PAGE;
    e->title = copy_text(res, title);
    e->column = scree_calloc((size_t)columns, sizeof *e->column);
    if (e->column == NULL) {
        res->failed = true;
        return;
    }
    e->columns = columns;
    e->of.count = rows;
    for (int c = 0; c < columns; ++c) {
        e->column[c].name = copy_text(res, from[c].name);
        e->column[c].of = copy_values(res, rows, from[c].integers, from[c].values, from[c].texts);
    }
}

void result_table_begin(result* res, const char* key, int texts, const char* const* names)
{
    static const char* const no_texts[1];
    static const double no_values[1];
    result_column* column = NULL;
    int columns = 0;
    while (names[columns] != NULL)
        ++columns;
    column = scree_calloc((size_t)columns, sizeof *column);
    for (int c = 0; c < columns && column != NULL; ++c)
        column[c] = (result_column){.name = names[c], .texts = c < texts ? no_texts : NULL, .values = c < texts ? NULL : no_values};
    if (column != NULL)
        result_table(res, key, "", columns, column, 0);
    else
        res->failed = true;
    scree_free(column);
}

// Room for one more value; the array that `v` has grows.
static bool grow(values* v)
{
    int64_t more = 2 * v->capacity + 16;
    if (v->count < v->capacity)
        return true;
    char** texts = v->texts != NULL ? scree_realloc(v->texts, (size_t)more, sizeof *texts) : NULL;
    double* numbers = v->numbers != NULL ? scree_realloc(v->numbers, (size_t)more, sizeof *numbers) : NULL;
    if (texts == NULL && numbers == NULL)
        return false;
    v->texts = texts;
    v->numbers = numbers;
    v->capacity = more;
    return true;
}

void result_table_row(result* res, const char* const* texts, const double* numbers)
{
    result_entry* e = res->failed ? NULL : &res->entries[res->count - 1];
    int text_columns = 0;
    for (int c = 0; e != NULL && c < e->columns; ++c) {
        table_column* column = &e->column[c];
        if (!grow(&column->of)) {
            res->failed = true;
            return;
        }
        if (column->of.texts != NULL)
            column->of.texts[column->of.count++] = copy_text(res, texts[text_columns++]);
        else
            column->of.numbers[column->of.count++] = numbers[c - text_columns];
    }
    if (e != NULL)
        ++e->of.count;
}

void result_section(result* res, const char* title)
{
    result_entry* e = add(res, SECTION, "");
    if (e != NULL)
        e->title = copy_text(res, title);
}

void result_part(result* res, const char* key, result* part)
{
    result_entry* e = add(res, PART, key);
    if (e != NULL) {
        e->part = *part;
        e->where = RESULT_JSON;
        res->failed = res->failed || part->failed;
        *part = (result){0};
    } else {
        result_free(part);
    }
}

void result_about(result* res, const char* unit, const char* note)
{
    if (res->failed)
        return;
    result_entry* e = &res->entries[res->count - 1];
    e->unit = copy_text(res, unit);
    e->note = copy_text(res, note);
}

void result_only(result* res, int where)
{
    if (!res->failed)
        res->entries[res->count - 1].where = where;
}

void result_file(result* res, const char* name)
{
    if (!res->failed)
        res->entries[res->count - 1].file = copy_text(res, name);
}

// ---- Values as text --------------------------------------------------------------------------------------------------

static void put_number(bool json, double value)
{
    char text[32];
    if (!json && isnan(value))
        putchar('-');  // there is none
    else if (!json)
        printf("%.6g", value);
    else if (isfinite(value))
        fwrite(text, 1, (size_t)scree_text_number(text, value), stdout);
    else
        printf("null");
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
static void put_text(bool json, const char* value)
{
    if (json)
        putchar('"');
    for (const char* c = value; *c != '\0';) {
        bool control = (unsigned char)*c < 0x20 || *c == 0x7F;
        if ((unsigned char)*c >= 0x80)
            c += put_characters(c) - 1;
        else if (control && json)
            printf("\\u%04x", (unsigned)*c);
        else if (*c == '\n')  // of several notes
            printf("; ");
        else if (control)
            putchar('?');
        else if (json && (*c == '"' || *c == '\\'))
            printf("\\%c", *c);
        else
            putchar(*c);
        ++c;
    }
    if (json)
        putchar('"');
}

static void put_value(bool json, const values* v, int64_t i)
{
    if (v->integers != NULL)
        printf("%" PRId64, v->integers[i]);
    else if (v->numbers != NULL)
        put_number(json, v->numbers[i]);
    else
        put_text(json, v->texts[i]);
}

// [1, 2, 3], or 1 2 3.
static void put_list(bool json, const values* v)
{
    if (json)
        putchar('[');
    for (int64_t i = 0; i < v->count; ++i) {
        fputs(i == 0 ? "" : json ? ", " : v->texts != NULL ? "; " : " ", stdout);
        put_value(json, v, i);
    }
    if (json)
        putchar(']');
}

// ---- JSON ------------------------------------------------------------------------------------------------------------

static void put_json(const result* res, int indent);

// Keys with names from scenes in them may hold anything.
static void put_key(int indent, const char* key)
{
    printf("\n%*s", indent, "");
    put_text(true, key);
    printf(": ");
}

static void put_json_entry(const result_entry* e, int indent)
{
    switch (e->kind) {
    case BOOLEAN: fputs(e->of.integers[0] != 0 ? "true" : "false", stdout); break;
    case INTEGERS:
    case NUMBERS:
    case TEXTS: put_list(true, &e->of); break;
    case TABLE:
        for (int c = 0; c < e->columns; ++c) {
            putchar(c > 0 ? ',' : '{');
            put_key(indent + 2, e->column[c].name);
            put_list(true, &e->column[c].of);
        }
        printf("\n%*s}", indent, "");
        break;
    default: put_value(true, &e->of, 0); break;
    }
}

// Parts under one key, which follow each other, are one array.
static int64_t put_parts(const result* res, int64_t first, int indent)
{
    int64_t e = first;
    putchar('[');
    for (; e < res->count && res->entries[e].kind == PART && strcmp(res->entries[e].key, res->entries[first].key) == 0; ++e) {
        fputs(e > first ? ", " : "", stdout);
        put_json(&res->entries[e].part, indent + 2);
    }
    putchar(']');
    return e;
}

static void put_json(const result* res, int indent)
{
    bool any = false;
    putchar('{');
    for (int64_t e = 0; e < res->count;) {
        const result_entry* entry = &res->entries[e];
        if (entry->kind == SECTION || (entry->where & RESULT_JSON) == 0) {
            ++e;
            continue;
        }
        fputs(any ? "," : "", stdout);
        any = true;
        put_key(indent, entry->key);
        if (entry->kind == PART) {
            e = put_parts(res, e, indent);
        } else {
            put_json_entry(entry, indent);
            ++e;
        }
    }
    printf("\n%*s}", indent - 2, "");
}

// ---- Text ------------------------------------------------------------------------------------------------------------

static void put_spaced(const char* key)
{
    for (; *key != '\0'; ++key)
        putchar(*key == '_' ? ' ' : *key);
}

// A number of a table. Five digits; JSON and CSV have all. Whole numbers are counts as a rule and are shown in full.
static const char* number_text(const values* v, int64_t i, char text[32])
{
    if (v->integers != NULL)
        snprintf(text, 32, "%" PRId64, v->integers[i]);
    else if (isnan(v->numbers[i]))
        snprintf(text, 32, "-");
    else if (v->numbers[i] == floor(v->numbers[i]) && fabs(v->numbers[i]) < 1e9)
        snprintf(text, 32, "%.0f", v->numbers[i]);
    else
        snprintf(text, 32, "%.5g", v->numbers[i]);
    return text;
}

static const char* cell_text(const values* v, int64_t i, char text[32])
{
    return v->texts != NULL ? v->texts[i] : number_text(v, i, text);
}

// Makes the columns wide enough for the rows from `first` on; whether one has become wider.
static bool widen(result_entry* e, int64_t first)
{
    char text[32];
    bool wider = false;
    for (int c = 0; c < e->columns; ++c) {
        table_column* column = &e->column[c];
        int width = (int)strlen(column->name), least = column->of.texts != NULL ? 18 : 10;
        for (int64_t i = first; i < e->of.count; ++i) {
            int length = (int)strlen(cell_text(&column->of, i, text));
            width = length > width ? length : width;
        }
        width = 2 + (width > least ? width : least);
        wider = wider || width > column->width;
        column->width = width > column->width ? width : column->width;
    }
    return wider;
}

// Texts to the left, numbers to the right; two blanks before each.
static void print_head(const result_entry* e)
{
    for (int c = 0; c < e->columns; ++c) {
        const table_column* column = &e->column[c];
        int rest = column->width - 2 - (int)strlen(column->name);
        bool left = column->of.texts != NULL;
        printf("  %*s", left ? 0 : rest, "");
        put_spaced(column->name);
        printf("%*s", left && c + 1 < e->columns ? rest : 0, "");
    }
    putchar('\n');
}

static void print_row(const result_entry* e, int64_t i)
{
    char text[32];
    for (int c = 0; c < e->columns; ++c) {
        const table_column* column = &e->column[c];
        const char* cell = cell_text(&column->of, i, text);
        if (column->of.texts != NULL)
            printf("  %-*s", c + 1 < e->columns ? column->width - 2 : 0, cell);
        else
            printf("%*s", column->width, cell);
    }
    putchar('\n');
}

static void print_table(result_entry* e)
{
    widen(e, 0);
    print_head(e);
    for (int64_t i = 0; i < e->of.count; ++i)
        print_row(e, i);
}

static void print_entry(const result_entry* e, int indent, int width)
{
    printf("%*s", indent, "");
    put_spaced(e->key);
    int rest = width - indent - (int)strlen(e->key);
    printf("%*s", rest > 0 ? rest : 1, "");
    if (e->kind == BOOLEAN)
        fputs(e->of.integers[0] != 0 ? "yes" : "no", stdout);
    else
        put_list(false, &e->of);
    if (e->unit != NULL && e->unit[0] != '\0')
        printf(" %s", e->unit);
    putchar('\n');
}

static void print_text(const result* res)
{
    int indent = 0;
    bool any = false;
    for (int64_t k = 0; k < res->count; ++k) {
        result_entry* e = &res->entries[k];
        if ((e->where & RESULT_TEXT) == 0)
            continue;
        bool titled = e->kind == SECTION || (e->kind == TABLE && e->title[0] != '\0');
        if (titled) {
            printf("%s%s\n", any ? "\n" : "", e->title);
            indent = 2;
        }
        if (e->kind == TABLE)
            print_table(e);
        else if (e->kind != SECTION)
            print_entry(e, indent, res->width);
        any = true;
    }
}

static bool object_printed;

void result_print_error(const char* name, const char* message, int code)
{
    if (object_printed)
        return;
    printf("{\n  \"schema\": %d,\n  \"command\": \"%s\",\n  \"error\": ", RESULT_SCHEMA, name);
    put_text(true, message);
    printf(",\n  \"exit_code\": %d\n}\n", code);
    object_printed = true;
}

void result_print(const result* res, bool json)
{
    object_printed = object_printed || (json && !res->failed);
    if (res->failed) {
        run_cannot_print();
    } else if (json) {
        put_json(res, 2);
        putchar('\n');
    } else {
        print_text(res);
    }
}

void result_print_last_row(result* res)
{
    result_entry* e = &res->entries[res->count - 1];
    if (res->failed)
        return;
    if (widen(e, e->of.count - 1))
        print_head(e);
    print_row(e, e->of.count - 1);
}

// ---- A page ----------------------------------------------------------------------------------------------------------

void result_page(const result* res, struct scree_report* page)
{
    if (res->failed)
        run_cannot_print();
    for (int64_t k = 0; k < res->count && !res->failed; ++k) {
        const result_entry* e = &res->entries[k];
        scree_quantity q = {.key = e->key, .count = (int32_t)e->of.count, .values = e->of.numbers, .integers = e->of.integers, .unit = e->unit, .note = e->note, .share = -1.0};
        if ((e->where & RESULT_PAGE) == 0)
            continue;
        if (e->kind == BOOLEAN) {
            q.integers = NULL;
            q.text = e->of.integers[0] != 0 ? "yes" : "no";
        } else if (e->kind == TEXT) {
            q.text = e->of.texts[0];
        }
        if (e->kind == SECTION)
            scree_report_heading(page, e->title);
        else if (e->kind != TABLE && e->kind != PART && e->kind != TEXTS && e->of.count <= 6)  // longer lists are left to figures
            scree_report_quantity(page, &q);
    }
}

// ---- CSV -------------------------------------------------------------------------------------------------------------

static scree_status write_columns(const result_entry* e, const char* path, const scree_file_options* options)
{
    scree_table_column* column = scree_calloc((size_t)e->columns, sizeof *column);
    if (column == NULL)
        return SCREE_ERR_MEMORY;
    for (int c = 0; c < e->columns; ++c)
        column[c] = (scree_table_column){.name = e->column[c].name, .integers = e->column[c].of.integers, .values = e->column[c].of.numbers,
                                         .texts = (const char* const*)e->column[c].of.texts};
    scree_status status = scree_write_table(path, options, e->of.count, e->columns, column);
    scree_free(column);
    return status;
}

// PREFIX-NAME.csv, to be freed; NULL: no memory.
static char* path_of(const char* prefix, const char* name)
{
    size_t room = strlen(prefix) + strlen(name) + 8;
    char* path = scree_malloc(room, 1);
    if (path != NULL)
        snprintf(path, room, "%s-%s.csv", prefix, name);
    return path;
}

// The single quantities, each a column of one row.
static scree_status write_summary(const result* res, const char* prefix, const scree_file_options* options)
{
    scree_table_column* column = scree_calloc((size_t)res->count + 1, sizeof *column);
    int32_t count = 0;
    if (column == NULL)
        return SCREE_ERR_MEMORY;
    for (int64_t k = 0; k < res->count; ++k) {
        const result_entry* e = &res->entries[k];
        if ((e->where & RESULT_CSV) != 0 && (e->kind == INTEGER || e->kind == NUMBER))
            column[count++] = (scree_table_column){.name = e->key, .integers = e->of.integers, .values = e->of.numbers};
    }
    char* path = path_of(prefix, "summary");
    scree_status status = path != NULL ? scree_write_table(path, options, 1, count, column) : SCREE_ERR_MEMORY;
    scree_free(path);
    scree_free(column);
    return status;
}

scree_status result_write_csv(const result* res, const char* prefix, const struct scree_file_options* options)
{
    if (res->failed)
        return SCREE_ERR_MEMORY;
    scree_status status = write_summary(res, prefix, options);
    for (int64_t k = 0; k < res->count && status == SCREE_OK; ++k) {
        const result_entry* e = &res->entries[k];
        if (e->kind != TABLE || e->file == NULL)
            continue;
        char* path = path_of(prefix, e->file);
        status = path != NULL ? write_columns(e, path, options) : SCREE_ERR_MEMORY;
        scree_free(path);
    }
    return status;
}

// ---- Single numbers --------------------------------------------------------------------------------------------------

static bool ends_in(const char* text, const char* ending)
{
    size_t length = strlen(text), tail = strlen(ending);
    return length >= tail && strcmp(text + length - tail, ending) == 0;
}

void result_each_number(const result* res, int dim, void (*take)(void* context, const char* name, double value), void* context)
{
    for (int64_t k = 0; k < res->count; ++k) {
        const result_entry* e = &res->entries[k];
        if (e->kind == INTEGER || e->kind == NUMBER)
            take(context, e->key, e->kind == INTEGER ? (double)e->of.integers[0] : e->of.numbers[0]);
        for (int64_t i = 0; e->kind == NUMBERS && i < e->of.count; ++i) {
            char name[128];
            if (e->of.count == dim && !ends_in(e->key, "_values"))
                snprintf(name, sizeof name, "%s_%c", e->key, "xyz"[i]);
            else if (e->of.count == dim * dim)
                snprintf(name, sizeof name, "%s_%c%c", e->key, "xyz"[i / dim], "xyz"[i % dim]);
            else
                snprintf(name, sizeof name, "%s_%d", e->key, (int)i + 1);
            take(context, name, e->of.numbers[i]);
        }
    }
}

// ---- Single tables ---------------------------------------------------------------------------------------------------

static const result_entry* find_table(const result* res, const char* key)
{
    for (int64_t k = 0; k < res->count; ++k)
        if (res->entries[k].kind == TABLE && strcmp(res->entries[k].key, key) == 0)
            return &res->entries[k];
    return NULL;
}

scree_status result_write_table(const result* res, const char* key, const char* path)
{
    const result_entry* e = find_table(res, key);
    if (res->failed)
        return SCREE_ERR_MEMORY;
    return e != NULL ? write_columns(e, path, NULL) : scree_fail(SCREE_ERR_ARGUMENT, "%s: there is no table %s", path, key);
}

void result_markdown(const result* res, const char* key, FILE* page)
{
    const result_entry* e = find_table(res, key);
    if (e == NULL)
        return;
    for (int c = 0; c < e->columns; ++c)
        fprintf(page, "| %s ", e->column[c].name);
    fprintf(page, "|\n");
    for (int c = 0; c < e->columns; ++c)
        fprintf(page, "|%s", e->column[c].of.texts != NULL ? "---" : "---:");
    fprintf(page, "|\n");
    for (int64_t i = 0; i < e->of.count; ++i) {
        for (int c = 0; c < e->columns; ++c) {
            const values* v = &e->column[c].of;
            if (v->texts != NULL)
                fprintf(page, "| %s ", v->texts[i]);
            else if (v->integers != NULL)
                fprintf(page, "| %" PRId64 " ", v->integers[i]);
            else if (isnan(v->numbers[i]))
                fprintf(page, "| ");
            else
                fprintf(page, "| %.6g ", v->numbers[i]);
        }
        fprintf(page, "|\n");
    }
}
