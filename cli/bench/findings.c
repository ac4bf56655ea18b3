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

enum { most_texts = 8, most_lines = 96, most_word = 48, line_size = 600, most_tables = 4, most_files = 32, most_name = 96 };

typedef enum line_kind { OF_PAPER, OF_US, DIFFERS, NOTE, FIGURE } line_kind;

typedef struct findings_line {
    line_kind kind;
    char text[line_size];
} findings_line;

// Files are written into a folder of their own inside DIR and moved when all of them are there: after a failure or Ctrl-C, DIR is as it was.
struct findings {
    const arguments* args;
    const common* co;
    const char *name, *title;
    char own[most_word];     // what --file or --sizes gave; "": the paper's system
    double load;             // of the machine when the bench began; NaN: not known
    scree_status status;
    char message[512];       // of the first failure
    result found;            // name, tables and, at the end, verdicts
    int table_count, texts;  // tables, and columns of text of the last
    const char* suffixes[most_tables];  // of the files of tables; "" for the first
    int line_count;
    findings_line* lines;
    char folder[most_name];  // inside DIR; "": none
    bool made;               // DIR was not there before
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
    result_text(&f->found, "bench", name);
    result_bool(&f->found, "quick", option_given(args, "quick"));
    if (getloadavg(&f->load, 1) != 1)
        f->load = NAN;
    f->lines = scree_calloc(most_lines, sizeof *f->lines);
    if (f->lines == NULL)
        keep(f, SCREE_ERR_MEMORY);
    if (co->out == NULL)
        return f;
    char path[bench_path_most];
    snprintf(f->folder, sizeof f->folder, ".%s.%ld", name, (long)getpid());
    f->made = access(co->out, F_OK) != 0;
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
    if (f->status != SCREE_OK && f->made)
        rmdir(f->co->out);  // stays if something is in it
}

// ---- Rows ----------------------------------------------------------------------------------------------------------

// The key of a table in JSON; the first is "rows".
static void key_of(const findings* f, int table, char key[2 * most_name])
{
    snprintf(key, 2 * most_name, "rows%s%s", f->suffixes[table][0] != '\0' ? "_" : "", f->suffixes[table]);
}

void findings_table(findings* f, const char* suffix, int texts, const char* const* names)
{
    if (f == NULL || f->table_count == most_tables)
        return;
    char key[2 * most_name];
    f->suffixes[f->table_count++] = suffix;
    f->texts = texts;
    key_of(f, f->table_count - 1, key);
    result_table_begin(&f->found, key, texts, names);
    if (!f->co->json && f->status == SCREE_OK && f->table_count > 1)
        printf("\n");
}

void findings_columns(findings* f, int texts, const char* const* names)
{
    findings_table(f, "", texts, names);
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
    char words[most_texts][most_word];
    const char* shown[most_texts];
    if (f == NULL || f->table_count == 0)
        return SCREE_ERR_MEMORY;
    if (f->status == SCREE_OK && run_interrupted())
        keep(f, scree_fail(SCREE_ERR_CANCELLED, "stopped on request"));
    for (int c = 0; c < f->texts; ++c) {
        put_word(words[c], texts[c]);
        shown[c] = words[c];
    }
    if (f->status == SCREE_OK)
        result_table_row(&f->found, shown, values);
    if (f->found.failed)
        keep(f, SCREE_ERR_MEMORY);
    if (f->status != SCREE_OK)
        return f->status;
    if (!f->co->json) {
        result_print_last_row(&f->found);
        fflush(stdout);
    }
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
            keep(f, scree_write_plot(path, plot));
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
        keep(f, scree_write_picture(path, set, look));
}

void findings_outlines(findings* f, const char* suffix, const scree_outline_set* set, const scree_picture_def* look)
{
    char path[bench_path_most];
    if (place_picture(f, suffix, path))
        keep(f, scree_write_picture_outlines(path, set, look));
}

// ---- The end -------------------------------------------------------------------------------------------------------

static scree_status write_rows(findings* f, int table)
{
    char path[bench_path_most], name[most_name], key[2 * most_name];
    const char* suffix = f->suffixes[table];
    key_of(f, table, key);
    snprintf(name, sizeof name, "%s%s%s.csv", f->name, suffix[0] != '\0' ? "-" : "", suffix);
    scree_status status = new_file(f, name, path);
    return status == SCREE_OK ? result_write_table(&f->found, key, path) : status;
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

static scree_status write_page(findings* f)
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
        fprintf(page, "\n## Rows%s%s\n\n", t > 0 ? ": " : "", f->suffixes[t]);
        char key[2 * most_name];
        key_of(f, t, key);
        result_markdown(&f->found, key, page);
    }
    bool bad = ferror(page) != 0;
    if (fclose(page) != 0 || bad)
        return scree_fail(SCREE_ERR_IO, "%s: cannot write the whole file", path);
    return SCREE_OK;
}

static void add_verdicts(findings* f, const char* key, line_kind kind)
{
    const char* texts[most_lines];
    int count = 0;
    for (int n = 0; n < f->line_count; ++n)
        if (f->lines[n].kind == kind)
            texts[count++] = f->lines[n].text;
    result_texts(&f->found, key, texts, count);
}

// The rest of the text, whose rows are shown already; or what was found as a part of the JSON object of all.
static void show(findings* f)
{
    if (f->co->json) {
        if (all.count == 0)
            all = result_begin("bench");
        result_part(&all, "benches", &f->found);
        return;
    }
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
    add_verdicts(f, "agrees", OF_US);
    add_verdicts(f, "differs", DIFFERS);
    for (int t = 0; t < f->table_count && f->co->out != NULL && f->status == SCREE_OK; ++t)
        keep(f, write_rows(f, t));
    if (f->status == SCREE_OK && f->co->out != NULL)
        keep(f, write_page(f));
    settle_files(f);
    for (int n = 0; n < f->line_count; ++n) {
        last.agrees += f->lines[n].kind == OF_US;
        last.differs += f->lines[n].kind == DIFFERS;
    }
    exit_code code = EXIT_DONE;
    if (f->status == SCREE_OK) {
        show(f);
    } else {
        scree_fail(f->status, "%s", f->message);
        code = run_failed(f->args, f->status);
    }
    result_free(&f->found);
    scree_free(f->lines);
    scree_free(f);
    return code;
}
