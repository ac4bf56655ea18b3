#define _DEFAULT_SOURCE  // getloadavg
#include "findings.h"

#include "bench.h"
#include "result.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { most_columns = 24, most_lines = 96, most_word = 48, line_size = 600, most_tables = 4, most_files = 32, most_name = 96 };

typedef enum line_kind { OF_PAPER, OF_US, DIFFERS, NOTE, FIGURE } line_kind;

typedef struct findings_line {
    line_kind kind;
    char text[line_size];
} findings_line;

typedef struct table {
    const char* suffix;      // of its file; "" for the first
    int texts, columns;
    const char* names[most_columns];
    int64_t rows, capacity;
    double* values[most_columns];
    char (*words[most_columns])[most_word];
} table;

// Files are written into a folder of their own inside DIR and moved when all of them are there: after a failure or Ctrl-C, DIR is as it was.
struct findings {
    const arguments* args;
    const common* co;
    const char *name, *title;
    char own[most_word];     // what --file or --sizes gave; "": the paper's system
    double load;             // of the machine when the bench began; NaN: not known
    scree_status status;
    char message[512];       // of the first failure
    int table_count;
    table tables[most_tables];
    int line_count;
    findings_line* lines;
    char folder[most_name];  // inside DIR; "": none
    int file_count;
    char files[most_files][most_name];
};

static findings_summary last;
static result all;  // with --json: what the benchmarks of this call have found

void findings_print(void)
{
    if (all.count > 0)
        result_print(&all, true);
    result_free(&all);
}

findings_summary findings_last(void)
{
    return last;
}

static void keep(findings* f, scree_status status)
{
    if (status == SCREE_OK || f->status != SCREE_OK)
        return;
    f->status = status;
    snprintf(f->message, sizeof f->message, "%s", scree_error_message());
}

// Whether a file of this name can come into DIR: no folder has it.
static scree_status check_target(const findings* f, const char* name)
{
    char path[bench_path_most];
    struct stat about;
    scree_status status = bench_path(f->co, name, path);
    if (status == SCREE_OK && lstat(path, &about) == 0 && S_ISDIR(about.st_mode))
        return scree_fail(SCREE_ERR_IO, "%s: cannot write: a folder has this name", path);
    return status;
}

findings* findings_open(const arguments* args, const common* co, const char* name, const char* title)
{
    last = (findings_summary){.title = title};
    findings* f = scree_calloc(1, sizeof *f);
    if (f == NULL)
        return NULL;
    f->args = args;
    f->co = co;
    f->name = name;
    f->title = title;
    if (getloadavg(&f->load, 1) != 1)
        f->load = NAN;
    f->lines = scree_calloc(most_lines, sizeof *f->lines);
    if (f->lines == NULL)
        keep(f, SCREE_ERR_MEMORY);
    if (co->out == NULL)
        return f;
    char path[bench_path_most];
    snprintf(f->folder, sizeof f->folder, ".%s.%ld", name, (long)getpid());
    keep(f, bench_path(co, f->folder, path));  // makes DIR; whether it can is better known now than after an hour
    if (f->status == SCREE_OK && mkdir(path, 0777) != 0) {
        keep(f, scree_fail(SCREE_ERR_IO, "%s: nothing can be written there: %s", co->out, strerror(errno)));
        f->folder[0] = '\0';
    }
    static const char* const endings[] = {"md", "csv"};
    for (int k = 0; k < 2 && f->status == SCREE_OK; ++k) {
        snprintf(path, sizeof path, "%s.%s", name, endings[k]);
        keep(f, check_target(f, path));
    }
    return f;
}

void findings_own(findings* f, const char* what)
{
    if (f != NULL)
        snprintf(f->own, sizeof f->own, "%s", what);
}

// The path of a file to be written now, which is moved to DIR/name later.
static scree_status new_file(findings* f, const char* name, char path[bench_path_most])
{
    char inside[2 * most_name];
    if (f->file_count == most_files)
        return scree_fail(SCREE_ERR_UNSUPPORTED, "%s: more files than a benchmark may write", name);
    snprintf(f->files[f->file_count++], most_name, "%s", name);
    snprintf(inside, sizeof inside, "%s/%s", f->folder, name);
    return bench_path(f->co, inside, path);
}

// All files to DIR, or none. What could keep one of them out is looked for before the first is moved.
static void settle_files(findings* f)
{
    char from[bench_path_most], to[bench_path_most], inside[2 * most_name];
    if (f->folder[0] == '\0')
        return;
    for (int n = 0; n < f->file_count && f->status == SCREE_OK; ++n)
        keep(f, check_target(f, f->files[n]));
    for (int n = 0; n < f->file_count; ++n) {
        snprintf(inside, sizeof inside, "%s/%s", f->folder, f->files[n]);
        if (bench_path(f->co, inside, from) != SCREE_OK || bench_path(f->co, f->files[n], to) != SCREE_OK)
            continue;
        if (f->status == SCREE_OK && rename(from, to) != 0)
            keep(f, scree_fail(SCREE_ERR_IO, "%s: cannot write: %s", to, strerror(errno)));
        if (f->status != SCREE_OK)
            unlink(from);
    }
    if (bench_path(f->co, f->folder, from) == SCREE_OK)
        rmdir(from);
}

// ---- Rows ----------------------------------------------------------------------------------------------------------

static int width_of(const table* t, int column)
{
    int width = (int)strlen(t->names[column]), least = column < t->texts ? 18 : 10;
    return width > least ? width : least;
}

static table* current(findings* f)
{
    return f->table_count > 0 ? &f->tables[f->table_count - 1] : NULL;
}

void findings_table(findings* f, const char* suffix, int texts, const char* const* names)
{
    if (f == NULL || f->table_count == most_tables)
        return;
    table* t = &f->tables[f->table_count++];
    t->suffix = suffix;
    t->texts = texts;
    for (t->columns = 0; names[t->columns] != NULL && t->columns < most_columns; ++t->columns)
        t->names[t->columns] = names[t->columns];
    if (f->co->json || f->status != SCREE_OK)
        return;
    if (f->table_count > 1)
        printf("\n");
    for (int c = 0; c < t->columns; ++c)
        printf(c < texts ? "%-*s%s" : "%*s%s", width_of(t, c), t->names[c], c + 1 < t->columns ? " " : "\n");
    fflush(stdout);
}

void findings_columns(findings* f, int texts, const char* const* names)
{
    findings_table(f, "", texts, names);
}

static scree_status grow(table* t)
{
    int64_t more = t->capacity > 0 ? 2 * t->capacity : 64;
    for (int c = 0; c < t->columns; ++c) {
        size_t size = c < t->texts ? sizeof *t->words[c] : sizeof *t->values[c];
        void *old = c < t->texts ? (void*)t->words[c] : (void*)t->values[c], *now = scree_calloc((size_t)more, size);
        if (now == NULL)
            return SCREE_ERR_MEMORY;
        if (t->rows > 0)
            memcpy(now, old, (size_t)t->rows * size);
        scree_free(old);
        if (c < t->texts)
            t->words[c] = now;
        else
            t->values[c] = now;
    }
    t->capacity = more;
    return SCREE_OK;
}

static void print_value(int width, double value)
{
    if (isnan(value))
        printf("%*s", width, "-");
    else if (value == floor(value) && fabs(value) < 1e9)
        printf("%*.0f", width, value);
    else
        printf("%*.4g", width, value);
}

// Neither CSV nor Markdown can hold all that a name of the user's may.
static void put_word(char to[most_word], const char* from)
{
    int n = 0;
    for (; *from != '\0' && n + 1 < most_word; ++from)
        if (*from != ',')
            to[n++] = *from == '"' || *from == '|' || (unsigned char)*from < ' ' ? '_' : *from;
    to[n] = '\0';
}

scree_status findings_row(findings* f, const char* const* texts, const double* values)
{
    table* t = f != NULL ? current(f) : NULL;
    if (t == NULL)
        return SCREE_ERR_MEMORY;
    if (f->status == SCREE_OK && run_interrupted())
        keep(f, scree_fail(SCREE_ERR_CANCELLED, "stopped on request"));
    if (f->status == SCREE_OK && t->rows == t->capacity)
        keep(f, grow(t));
    if (f->status != SCREE_OK)
        return f->status;
    for (int c = 0; c < t->columns; ++c) {
        if (c < t->texts)
            put_word(t->words[c][t->rows], texts[c]);
        else
            t->values[c][t->rows] = values[c - t->texts];
        if (f->co->json)
            continue;
        if (c < t->texts)
            printf("%-*s", width_of(t, c), texts[c]);
        else
            print_value(width_of(t, c), values[c - t->texts]);
        putchar(c + 1 < t->columns ? ' ' : '\n');
    }
    ++t->rows;
    fflush(stdout);
    return SCREE_OK;
}

// ---- Words ---------------------------------------------------------------------------------------------------------

static void add_line(findings* f, line_kind kind, const char* format, va_list list)
{
    if (f == NULL || f->lines == NULL || f->line_count == most_lines)
        return;
    findings_line* line = &f->lines[f->line_count++];
    line->kind = kind;
    vsnprintf(line->text, line_size, format, list);
}

#define ADD_LINE(kind)              \
    va_list list;                   \
    va_start(list, format);         \
    add_line(f, kind, format, list); \
    va_end(list)

void findings_paper(findings* f, const char* format, ...)
{
    ADD_LINE(OF_PAPER);
}

void findings_note(findings* f, const char* format, ...)
{
    ADD_LINE(NOTE);
}

void findings_agrees(findings* f, const char* format, ...)
{
    ADD_LINE(OF_US);
}

void findings_differs(findings* f, const char* format, ...)
{
    ADD_LINE(DIFFERS);
}

static void add_figure(findings* f, const char* format, ...)
{
    ADD_LINE(FIGURE);
}

// ---- Figures -------------------------------------------------------------------------------------------------------

void findings_plot(findings* f, const char* suffix, const scree_plot* plot)
{
    if (f == NULL || f->status != SCREE_OK || f->co->out == NULL)
        return;
    static const char* const endings[] = {"svg", "png"};
    char name[most_name], path[bench_path_most];
    for (int k = 0; k < 2 && f->status == SCREE_OK; ++k) {
        snprintf(name, sizeof name, "%s%s%s.%s", f->name, suffix[0] != '\0' ? "-" : "", suffix, endings[k]);
        keep(f, new_file(f, name, path));
        if (f->status == SCREE_OK)
            keep(f, scree_plot_write(path, plot));
        if (k == 0)
            add_figure(f, "![%s](%s)", plot->title != NULL ? plot->title : f->title, name);
    }
}

// Where NAME-suffix.png goes, noted as a figure; false: nowhere.
static bool place_picture(findings* f, const char* suffix, char path[bench_path_most])
{
    if (f == NULL || f->status != SCREE_OK || f->co->out == NULL)
        return false;
    char name[most_name];
    snprintf(name, sizeof name, "%s-%s.png", f->name, suffix);
    keep(f, new_file(f, name, path));
    add_figure(f, "![%s](%s)", suffix, name);
    return f->status == SCREE_OK;
}

void findings_picture(findings* f, const char* suffix, const scree_sphere_set* set, const scree_picture_def* look)
{
    char path[bench_path_most];
    if (place_picture(f, suffix, path))
        keep(f, scree_picture_write(path, set, look));
}

void findings_outlines(findings* f, const char* suffix, const scree_outline_set* set, const scree_picture_def* look)
{
    char path[bench_path_most];
    if (place_picture(f, suffix, path))
        keep(f, scree_picture_outlines(path, set, look));
}

// ---- The end -------------------------------------------------------------------------------------------------------

static void key_of(const table* t, char key[2 * most_name])
{
    snprintf(key, 2 * most_name, "rows%s%s", t->suffix[0] != '\0' ? "_" : "", t->suffix);
}

static scree_status write_rows(findings* f, const result* res, const table* t)
{
    char path[bench_path_most], name[most_name], key[2 * most_name];
    key_of(t, key);
    snprintf(name, sizeof name, "%s%s%s.csv", f->name, t->suffix[0] != '\0' ? "-" : "", t->suffix);
    scree_status status = new_file(f, name, path);
    return status == SCREE_OK ? result_write_table(res, key, path) : status;
}

static void put_lines(FILE* page, const findings* f, line_kind kind, const char* before)
{
    for (int n = 0; n < f->line_count; ++n)
        if (f->lines[n].kind == kind)
            fprintf(page, "%s%s\n", before, f->lines[n].text);
}

static bool any(const findings* f, line_kind kind)
{
    for (int n = 0; n < f->line_count; ++n)
        if (f->lines[n].kind == kind)
            return true;
    return false;
}

// The model of the processor, as Linux names it.
static void find_processor(char* out, size_t size)
{
    snprintf(out, size, "unknown processor");
    FILE* file = fopen("/proc/cpuinfo", "r");
    char line[256];
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        char* value = strchr(line, ':');
        if (strncmp(line, "model name", 10) != 0 || value == NULL)
            continue;
        value += 1 + strspn(value + 1, " \t");
        value[strcspn(value, "\n")] = '\0';
        snprintf(out, size, "%s", value);
        break;
    }
    if (file != NULL)
        fclose(file);
}

// Times mean little without it: the machine, how busy it was, and how much of it the bench took.
static void put_machine(FILE* page, const findings* f)
{
    char processor[256];
    long cores = sysconf(_SC_NPROCESSORS_ONLN), threads = f->co->threads > 0 ? f->co->threads : cores;
    find_processor(processor, sizeof processor);
    fprintf(page, "Machine: %s, %ld core%s", processor, cores, cores == 1 ? "" : "s");
    if (!isnan(f->load))
        fprintf(page, ", load average %.2f at the start", f->load);
    fprintf(page, "; %ld thread%s, unless a row or note says otherwise.\n", threads, threads == 1 ? "" : "s");
}

static scree_status write_page(findings* f, const result* res)
{
    char path[bench_path_most], name[most_name];
    snprintf(name, sizeof name, "%s.md", f->name);
    scree_status status = new_file(f, name, path);
    if (status != SCREE_OK)
        return status;
    FILE* page = fopen(path, "w");
    if (page == NULL)
        return scree_fail(SCREE_ERR_IO, "%s: cannot write", path);
    fprintf(page, "# %s\n\n`scree bench %s%s`%s%s, seed %" PRIu64 ", scree %s.\n", f->title, f->name, option_given(f->args, "quick") ? " --quick" : "",
            f->own[0] != '\0' ? " on " : "", f->own, f->co->seed, scree_version());
    put_machine(page, f);
    if (any(f, OF_PAPER)) {
        fprintf(page, "\n## What the paper found\n\n");
        put_lines(page, f, OF_PAPER, "- ");
    }
    if (any(f, OF_US) || any(f, DIFFERS)) {
        fprintf(page, "\n## What was found here\n\n");
        put_lines(page, f, OF_US, "- **agrees**: ");
        put_lines(page, f, DIFFERS, "- **differs**: ");
    }
    if (any(f, FIGURE)) {
        fprintf(page, "\n");
        put_lines(page, f, FIGURE, "");
    }
    if (any(f, NOTE)) {
        fprintf(page, "\n## Notes\n\n");
        put_lines(page, f, NOTE, "- ");
    }
    for (int t = 0; t < f->table_count; ++t) {
        fprintf(page, "\n## Rows%s%s\n\n", t > 0 ? ": " : "", f->tables[t].suffix);
        char key[2 * most_name];
        key_of(&f->tables[t], key);
        result_markdown(res, key, page);
    }
    bool bad = ferror(page) != 0;
    if (fclose(page) != 0 || bad)
        return scree_fail(SCREE_ERR_IO, "%s: cannot write the whole file", path);
    return SCREE_OK;
}

static void show_lines(const findings* f, result* res, const char* key, line_kind kind)
{
    const char* texts[most_lines];
    int count = 0;
    for (int n = 0; n < f->line_count; ++n)
        if (f->lines[n].kind == kind)
            texts[count++] = f->lines[n].text;
    result_texts(res, key, texts, count);
}

static void show_table(const table* t, result* res)
{
    char key[2 * most_name];
    result_column column[most_columns] = {{0}};
    const char** texts[most_columns] = {NULL};
    key_of(t, key);
    for (int c = 0; c < t->columns; ++c) {
        column[c] = (result_column){.name = t->names[c], .values = t->values[c]};
        if (c >= t->texts)
            continue;
        texts[c] = scree_malloc((size_t)t->rows + 1, sizeof *texts[c]);
        for (int64_t i = 0; i < t->rows && texts[c] != NULL; ++i)
            texts[c][i] = t->words[c][i];
        column[c].texts = texts[c];
        res->failed = res->failed || texts[c] == NULL;
    }
    result_table(res, key, "", t->columns, column, t->rows);
    for (int c = 0; c < t->texts; ++c)
        scree_free(texts[c]);
}

// All that was found, for JSON, CSV and the page. Text came row by row.
static result result_of(const findings* f)
{
    result one = {0};
    result_text(&one, "bench", f->name);
    result_bool(&one, "quick", option_given(f->args, "quick"));
    for (int t = 0; t < f->table_count; ++t)
        show_table(&f->tables[t], &one);
    show_lines(f, &one, "agrees", OF_US);
    show_lines(f, &one, "differs", DIFFERS);
    return one;
}

// Takes `one` over.
static void show(const findings* f, result* one)
{
    if (f->co->json) {
        if (all.count == 0)
            all = result_begin("bench");
        result_part(&all, "benches", one);
        return;
    }
    result_free(one);
    put_lines(stdout, f, OF_US, "agrees: ");
    put_lines(stdout, f, DIFFERS, "differs: ");
    put_lines(stdout, f, NOTE, "note: ");
    if (f->co->out != NULL)
        printf("written: %s/%s.md and what it shows\n", f->co->out, f->name);
}

exit_code findings_close(findings* f, scree_status status)
{
    if (f == NULL) {
        say("scree bench: no memory\n");
        return EXIT_FAILED;
    }
    keep(f, status);
    if (f->status == SCREE_OK && run_interrupted())
        keep(f, scree_fail(SCREE_ERR_CANCELLED, "stopped on request"));
    result one = result_of(f);
    for (int t = 0; t < f->table_count && f->co->out != NULL && f->status == SCREE_OK; ++t)
        keep(f, write_rows(f, &one, &f->tables[t]));
    if (f->status == SCREE_OK && f->co->out != NULL)
        keep(f, write_page(f, &one));
    settle_files(f);
    for (int n = 0; n < f->line_count; ++n) {
        last.agrees += f->lines[n].kind == OF_US;
        last.differs += f->lines[n].kind == DIFFERS;
    }
    exit_code code = EXIT_DONE;
    if (f->status == SCREE_OK) {
        show(f, &one);
    } else {
        result_free(&one);
        scree_fail(f->status, "%s", f->message);
        code = run_failed(f->args, f->status);
    }
    for (int t = 0; t < f->table_count; ++t)
        for (int c = 0; c < f->tables[t].columns; ++c) {
            scree_free(f->tables[t].words[c]);
            scree_free(f->tables[t].values[c]);
        }
    scree_free(f->lines);
    scree_free(f);
    return code;
}
