// The parts of scree compare that go by texts.
#include "compare.h"
#include "frames.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- Logs --------------------------------------------------------------------------------------------------------------

typedef struct text_table {
    char* text;  // commas and ends of lines are '\0' now
    char** field;
    int64_t columns, rows;  // without the header
} text_table;

static void free_table(text_table* table)
{
    scree_free(table->text);
    scree_free(table->field);
}

bool log_is(const char* path)
{
    char line[16] = "";
    FILE* file = name_ends_in(path, ".csv") ? fopen(path, "r") : NULL;
    const bool is = file != NULL && fgets(line, sizeof line, file) != NULL && strncmp(line, "step,time,", 10) == 0;
    if (file != NULL)
        fclose(file);
    return is;
}

static scree_status read_table(const char* path, text_table* out)
{
    *out = (text_table){.text = read_whole_file(path), .columns = 1};
    if (out->text == NULL)
        return scree_fail(SCREE_ERR_IO, "%s: cannot read: %s", path, strerror(errno));
    int64_t fields = 0, line = 1, width = 1;
    for (const char* at = out->text; *at != '\0'; ++at)
        fields += *at == ',' || *at == '\n';
    for (const char* at = out->text; *at != '\0' && *at != '\n'; ++at)
        out->columns += *at == ',';
    out->field = scree_malloc((size_t)fields + 1, sizeof *out->field);
    if (out->field == NULL)
        return SCREE_ERR_MEMORY;
    fields = 0;
    char* begin = out->text;
    for (char* at = out->text; *at != '\0'; ++at) {  // a last line without its end is being written
        if (*at != ',' && *at != '\n')
            continue;
        const bool ends = *at == '\n';
        *at = '\0';
        out->field[fields++] = begin;
        begin = at + 1;
        if (ends && width != out->columns)
            return scree_fail(SCREE_ERR_FORMAT, "%s:%" PRId64 ": this row has %" PRId64 " values; expected %" PRId64, path, line, width, out->columns);
        width = ends ? 1 : width + 1;
        line += ends;
    }
    out->rows = fields / out->columns - 1;
    return out->rows >= 0 ? SCREE_OK : scree_fail(SCREE_ERR_FORMAT, "%s:1: this log has no header; expected step,time,...", path);
}

// Columns that count work depend on the machine.
static bool is_work(const char* name)
{
    return strcmp(name, "rebuilds") == 0 || strncmp(name, "seconds", 7) == 0;
}

static int64_t find_field(const text_table* table, const char* name)
{
    for (int64_t c = 0; c < table->columns; ++c)
        if (strcmp(table->field[c], name) == 0)
            return c;
    return -1;
}

// The columns that the other one lacks; false if there are any.
static bool put_only(const text_table* table, const text_table* other, const char* key, const char** names, result* res)
{
    int64_t count = 0;
    for (int64_t c = 0; c < table->columns; ++c)
        if (!is_work(table->field[c]) && find_field(other, table->field[c]) < 0)
            names[count++] = table->field[c];
    if (count > 0)
        result_texts(res, key, names, count);
    return count == 0;
}

typedef struct log_column {
    int64_t rows, first;
    double absolute, relative;
} log_column;

static void compare_fields(const char* a, const char* b, int64_t row, log_column* found)
{
    if (strcmp(a, b) == 0)
        return;
    char* ends[2];
    const double x = strtod(a, &ends[0]), y = strtod(b, &ends[1]);
    const bool numbers = *a != '\0' && *b != '\0' && *ends[0] == '\0' && *ends[1] == '\0';
    if (numbers && memcmp(&x, &y, sizeof x) == 0)
        return;
    const double apart = numbers ? fabs(x - y) : (double)INFINITY, size = fmax(fabs(x), fabs(y));
    found->first = found->rows++ == 0 ? row : found->first;
    found->absolute = apart <= found->absolute ? found->absolute : apart;  // NAN too
    found->relative = !(apart > 0.0) || apart / size <= found->relative ? found->relative : apart / size;
}

static void put_columns(const text_table table[2], const log_column* found, result* res)
{
    static const char* const names[] = {"column", "rows", "first_row", "absolute", "relative", NULL};
    int64_t first = -1;
    result_table_begin(res, "log_differences", 1, names);
    for (int64_t c = 0; c < table[0].columns; ++c) {
        if (found[c].rows == 0)
            continue;
        first = first < 0 || found[c].first < found[first].first ? c : first;
        result_table_row(res, (const char* const[]){table[0].field[c]},
                         (const double[]){(double)found[c].rows, (double)found[c].first, found[c].absolute, found[c].relative});
    }
    result_integer(res, "log_row", found[first].first);
    result_about(res, "", "the first row that differs, from 1 on");
    result_integer(res, "log_step", strtoll(table[0].field[found[first].first * table[0].columns], NULL, 10));
    result_text(res, "log_column", table[0].field[first]);
}

static scree_status compare_tables(const text_table table[2], result* res, bool* same)
{
    const int64_t columns = table[0].columns, most = columns > table[1].columns ? columns : table[1].columns, rows = table[0].rows < table[1].rows ? table[0].rows : table[1].rows;
    log_column* found = scree_calloc((size_t)columns, sizeof *found);
    const char** names = scree_malloc((size_t)most, sizeof *names);
    scree_status status = found != NULL && names != NULL ? SCREE_OK : SCREE_ERR_MEMORY;
    bool differs = false;
    for (int64_t c = 0; c < columns && status == SCREE_OK; ++c) {
        const int64_t other = is_work(table[0].field[c]) ? -1 : find_field(&table[1], table[0].field[c]);
        for (int64_t row = 1; row <= rows && other >= 0; ++row)
            compare_fields(table[0].field[row * columns + c], table[1].field[row * table[1].columns + other], row, &found[c]);
        differs = differs || found[c].rows > 0;
        if (!run_may_go_on())
            status = scree_fail(SCREE_ERR_CANCELLED, "stopped");
    }
    if (status == SCREE_OK) {
        result_section(res, "logs");
        result_integer(res, "log_rows_a", table[0].rows);
        result_integer(res, "log_rows_b", table[1].rows);
        *same = put_only(&table[0], &table[1], "log_only_a", names, res) && table[0].rows == table[1].rows && !differs;
        *same = put_only(&table[1], &table[0], "log_only_b", names, res) && *same;
        if (differs)
            put_columns(table, found, res);
    }
    scree_free(found);
    scree_free(names);
    return status;
}

scree_status logs_compare(const char* const paths[2], result* res, bool* same)
{
    text_table table[2] = {{0}, {0}};
    scree_status status = read_table(paths[0], &table[0]);
    if (status == SCREE_OK)
        status = read_table(paths[1], &table[1]);
    if (status == SCREE_OK)
        status = compare_tables(table, res, same);
    for (int k = 0; k < 2; ++k)
        free_table(&table[k]);
    return status;
}

// ---- Scenes ------------------------------------------------------------------------------------------------------------
// Their texts are written by the library: a key or an entry on each line, two blanks for each level, lists of one line in brackets.

enum { deepest = 16, path_room = 256 };

typedef struct scene_line {
    char path[path_room];  // spheres.2.count
    const char* value;     // up to the end of the line
    int length;
} scene_line;

typedef struct scene_level {
    int indent;
    int number;  // of an entry, from 1 on; 0: a key
    const char* key;
    int length;
} scene_level;

// The length of the key at the beginning of the text; 0: it is a value.
static int key_length(const char* text)
{
    const char* at = text;
    if (*at == '[' || *at == '{')
        return 0;
    if (*at == '"') {
        for (++at; *at != '"' && *at != '\n' && *at != '\0'; ++at)
            at += *at == '\\' && at[1] != '\0';
        return at[0] == '"' && at[1] == ':' ? (int)(at + 1 - text) : 0;
    }
    for (; *at != '\n' && *at != '\0'; ++at)
        if (*at == ':' && (at[1] == ' ' || at[1] == '\n' || at[1] == '\0'))
            return (int)(at - text);
    return 0;
}

static void put_path(const scene_level* level, int count, char path[path_room])
{
    int used = 0;
    path[0] = '\0';
    for (int k = 0; k < count && used < path_room - 1; ++k)
        used += level[k].number > 0 ? snprintf(path + used, (size_t)(path_room - used), "%s%d", k > 0 ? "." : "", level[k].number)
                                    : snprintf(path + used, (size_t)(path_room - used), "%s%.*s", k > 0 ? "." : "", level[k].length, level[k].key);
}

static scree_status list_lines(const char* scene, scene_line** out, int64_t* count)
{
    int64_t lines = 1;
    for (const char* at = scene; *at != '\0'; ++at)
        lines += *at == '\n';
    scene_line* line = scree_malloc((size_t)lines, sizeof *line);
    scene_level level[deepest];
    int levels = 0;
    *out = line;
    *count = 0;
    if (line == NULL)
        return SCREE_ERR_MEMORY;
    for (const char* at = scene; *at != '\0'; at += strcspn(at, "\n"), at += *at == '\n') {
        int indent = (int)strspn(at, " ");
        const char* text = at + indent;
        if (*text == '\n' || *text == '#' || *text == '\0')
            continue;
        while (text[0] == '-' && text[1] == ' ') {
            while (levels > 0 && (level[levels - 1].indent > indent || (level[levels - 1].indent == indent && level[levels - 1].number == 0)))
                --levels;
            if (levels > 0 && level[levels - 1].indent == indent)
                ++level[levels - 1].number;
            else if (levels < deepest)
                level[levels++] = (scene_level){.indent = indent, .number = 1};
            indent += 2;
            text += 2;
        }
        const int length = key_length(text);
        if (length > 0) {
            while (levels > 0 && level[levels - 1].indent >= indent)
                --levels;
            if (levels < deepest)
                level[levels++] = (scene_level){.indent = indent, .key = text, .length = length};
            text += length + 1;
            text += strspn(text, " ");
        }
        if (*text == '\n' || *text == '\0')
            continue;
        put_path(level, levels, line[*count].path);
        line[*count].value = text;
        line[(*count)++].length = (int)strcspn(text, "\n");
    }
    return SCREE_OK;
}

static int by_path(const void* one, const void* other)
{
    return strcmp(((const scene_line*)one)->path, ((const scene_line*)other)->path);
}

static void put_value(const scene_line* line, char text[path_room])
{
    snprintf(text, path_room, "%.*s", line != NULL ? line->length : 0, line != NULL ? line->value : "");
}

scree_status scenes_compare(const char* const scenes[2], result* res)
{
    static const char* const names[] = {"key", "a", "b", NULL};
    scene_line* line[2] = {NULL, NULL};
    int64_t count[2] = {0, 0}, at[2] = {0, 0};
    bool begun = false;
    scree_status status = SCREE_OK;
    for (int k = 0; k < 2 && status == SCREE_OK; ++k) {
        status = list_lines(scenes[k], &line[k], &count[k]);
        if (status == SCREE_OK)
            qsort(line[k], (size_t)count[k], sizeof *line[k], by_path);
    }
    while (status == SCREE_OK && (at[0] < count[0] || at[1] < count[1])) {
        const int order = at[0] == count[0] ? 1 : at[1] == count[1] ? -1 : strcmp(line[0][at[0]].path, line[1][at[1]].path);
        const scene_line *a = order <= 0 ? &line[0][at[0]++] : NULL, *b = order >= 0 ? &line[1][at[1]++] : NULL;
        char values[2][path_room];
        if (a != NULL && b != NULL && a->length == b->length && strncmp(a->value, b->value, (size_t)a->length) == 0)
            continue;
        put_value(a, values[0]);
        put_value(b, values[1]);
        if (!begun) {
            result_section(res, "scenes");
            result_table_begin(res, "scene_differences", 3, names);
        }
        begun = true;
        result_table_row(res, (const char* const[]){a != NULL ? a->path : b->path, values[0], values[1]}, NULL);
    }
    scree_free(line[0]);
    scree_free(line[1]);
    return status;
}
