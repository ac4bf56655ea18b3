#define _DEFAULT_SOURCE  // getloadavg
#include "harness.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { most_lines = 96, most_word = bench_most_word, line_size = 900, most_tables = 10, most_files = 48, most_name = 96 };

typedef enum line_kind { OF_PAPER, OF_US, DIFFERS, NOT_JUDGED, HOLDS, FAILS, NOTE, FIGURE, LINE_KINDS } line_kind;

// On the screen and on the page, and as a list of the result.
static const char* const line_words[LINE_KINDS] = {"", "agrees", "differs", "not judged", "check holds", "check fails", "note", ""};
static const char* const line_keys[LINE_KINDS] = {[OF_US] = "agrees", [DIFFERS] = "differs", [NOT_JUDGED] = "not_judged", [HOLDS] = "checks_hold", [FAILS] = "checks_fail"};

typedef struct findings_line {
    line_kind kind;
    char text[line_size];
} findings_line;

// Files are written into a folder of their own inside DIR and moved when all of them are there: after a failure or Ctrl-C, DIR is as it was.
struct findings {
    const experiment* what;
    const bench_options* co;
    const char* name;
    char own[48];            // what --file or --sizes gave; "": the paper's system
    double load;             // of the machine when the bench began; NaN: not known
    scree_status status;
    char message[512];       // of the first failure
    int table_count;
    bench_rows tables[most_tables];
    int line_count;
    findings_line* lines;
    char folder[most_name];  // inside DIR; "": none
    bool made;               // DIR was not there before
    int file_count;
    char files[most_files][most_name];
};

static const bench_host* host;

void bench_use(const bench_host* lent)
{
    host = lent;
}

scree_watch bench_watch(const char* label)
{
    return host->watch(label);
}

void bench_watch_end(void)
{
    host->watch_end();
}

bool bench_interrupted(void)
{
    return host->interrupted();
}

scree_status bench_read(const char* path, scree_sphere_set* out)
{
    return host->read(path, out);
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

static findings* open_findings(const experiment* what, const bench_options* co)
{
    findings* f = scree_calloc(1, sizeof *f);
    if (f == NULL)
        return NULL;
    f->what = what;
    f->co = co;
    f->name = what->name;
    if (getloadavg(&f->load, 1) != 1)
        f->load = NAN;
    f->lines = scree_calloc(most_lines, sizeof *f->lines);
    if (f->lines == NULL)
        keep(f, SCREE_ERR_MEMORY);
    if (co->out == NULL)
        return f;
    char path[bench_path_most];
    snprintf(f->folder, sizeof f->folder, ".%s.%ld", f->name, (long)getpid());
    f->made = access(co->out, F_OK) != 0;
    keep(f, bench_path(co, f->folder, path));  // makes DIR; whether it can is better known now than after an hour
    if (f->status == SCREE_OK && mkdir(path, 0777) != 0) {
        keep(f, scree_fail(SCREE_ERR_IO, "%s: nothing can be written there: %s", co->out, strerror(errno)));
        f->folder[0] = '\0';
    }
    static const char* const endings[] = {"md", "csv"};
    for (int k = 0; k < 2 && f->status == SCREE_OK; ++k) {
        snprintf(path, sizeof path, "%s.%s", f->name, endings[k]);
        keep(f, check_target(f, path));
    }
    return f;
}

void findings_own(findings* f, const char* what)
{
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
    snprintf(key, 2 * most_name, "rows%s%s", f->tables[table].suffix[0] != '\0' ? "_" : "", f->tables[table].suffix);
}

void findings_table(findings* f, const char* suffix, int texts, const char* const* names)
{
    if (f->table_count == most_tables)
        return;
    char key[2 * most_name];
    bench_rows* t = &f->tables[f->table_count++];
    *t = (bench_rows){.suffix = suffix, .texts = texts};
    while (names[t->columns] != NULL && t->columns < bench_most_columns) {
        t->names[t->columns] = names[t->columns];
        ++t->columns;
    }
    key_of(f, f->table_count - 1, key);
    host->table(key, texts, names);
    if (!f->co->json && f->status == SCREE_OK && f->table_count > 1)
        printf("\n");
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

static scree_status add_row(findings* f, const char* const* texts, const double* values, bool shown)
{
    bench_rows* t = &f->tables[f->table_count - 1];
    char words[bench_most_columns][most_word];
    const char* clean[bench_most_columns];
    if (f->status == SCREE_OK && bench_interrupted())
        keep(f, scree_fail(SCREE_ERR_CANCELLED, "stopped on request"));
    for (int c = 0; c < t->texts; ++c) {
        put_word(words[c], texts[c]);
        clean[c] = words[c];
    }
    if (f->status == SCREE_OK)
        keep(f, bench_rows_add(t, clean, values));
    if (f->status == SCREE_OK && !host->row(clean, values, shown))
        keep(f, SCREE_ERR_MEMORY);
    return f->status;
}

scree_status findings_row(findings* f, const char* const* texts, const double* values)
{
    return add_row(f, texts, values, true);
}

scree_status findings_point(findings* f, const char* const* texts, const double* values)
{
    return add_row(f, texts, values, false);
}

// ---- Words ---------------------------------------------------------------------------------------------------------

static void add_line(findings* f, line_kind kind, const char* format, va_list list)
{
    if (f->lines == NULL || f->line_count == most_lines)
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

static void add_figure(findings* f, const char* format, ...)
{
    ADD_LINE(FIGURE);
}

// ---- Figures -------------------------------------------------------------------------------------------------------

void findings_plot(findings* f, const char* suffix, const scree_plot* plot)
{
    if (f->status != SCREE_OK || f->co->out == NULL)
        return;
    static const char* const endings[] = {"svg", "png"};
    char name[most_name], path[bench_path_most];
    for (int k = 0; k < 2 && f->status == SCREE_OK; ++k) {
        snprintf(name, sizeof name, "%s%s%s.%s", f->name, suffix[0] != '\0' ? "-" : "", suffix, endings[k]);
        keep(f, new_file(f, name, path));
        if (f->status == SCREE_OK)
            keep(f, scree_write_plot(path, plot));
        if (k == 0)
            add_figure(f, "![%s](%s)", plot->title != NULL ? plot->title : f->what->title, name);
    }
}

// Where NAME-suffix.png goes, noted as a figure; false: nowhere.
static bool place_picture(findings* f, const char* suffix, char path[bench_path_most])
{
    if (f->status != SCREE_OK || f->co->out == NULL)
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

// ---- Claims ----------------------------------------------------------------------------------------------------------

static void put_limits(const claim* c, char* to, size_t size)
{
    if (isinf(c->least) || isinf(c->most))
        snprintf(to, size, isinf(c->least) ? "at most %.4g" : "at least %.4g", isinf(c->least) ? c->most : c->least);
    else
        snprintf(to, size, "%.4g to %.4g", c->least, c->most);
}

static void add_verdict(findings* f, line_kind kind, const char* format, ...)
{
    ADD_LINE(kind);
}

// Each claim as a sentence, and as a row of NAME-verdicts.csv.
static void judge(findings* f)
{
    const char* const names[] = {"quantity", "source", "paper_value", "verdict", "value", "low", "high", "least", "most", NULL};
    if (f->what->claims == NULL || f->own[0] != '\0' || f->status != SCREE_OK)
        return;
    const int tables = f->table_count;
    findings_table(f, "verdicts", 4, names);
    for (const claim* c = f->what->claims; c->quantity != NULL && f->status == SCREE_OK; ++c) {
        verdict v = bench_judge(c, f->tables, tables, f->co->quick);
        const bool check = c->source == NULL;
        line_kind kind = v.kind == VERDICT_NONE ? NOT_JUDGED : v.kind == VERDICT_AGREES ? (check ? HOLDS : OF_US) : check ? FAILS : DIFFERS;
        char paper[most_word], limits[64], spread[64] = "", value[32];
        snprintf(value, sizeof value, isinf(v.value) ? "never" : "%.4g", v.value);
        snprintf(paper, sizeof paper, "%s", c->words != NULL ? c->words : "none");
        if (c->words == NULL && !check)
            snprintf(paper, sizeof paper, "%.4g", c->paper);
        put_limits(c, limits, sizeof limits);
        if (c->timed && v.kind != VERDICT_NONE)
            snprintf(spread, sizeof spread, " (%.4g to %.4g by quartiles)", v.low, v.high);
        if (check)
            add_verdict(f, kind, "%s: %s%s; expected: %s", c->quantity, v.kind == VERDICT_NONE ? v.why : value, spread, limits);
        else  // tools/papers_page.py takes this sentence apart
            add_verdict(f, kind, "%s: %s%s; %s: %s; accepted: %s", c->quantity, v.kind == VERDICT_NONE ? v.why : value, spread, c->source, paper, limits);
        add_row(f, (const char*[]){c->quantity, check ? "check" : c->source, paper, line_words[kind]}, (const double[]){v.value, v.low, v.high, c->least, c->most}, false);
    }
}

// ---- The end -------------------------------------------------------------------------------------------------------

static scree_status write_rows(findings* f, int table)
{
    char path[bench_path_most], name[most_name], key[2 * most_name];
    const char* suffix = f->tables[table].suffix;
    key_of(f, table, key);
    snprintf(name, sizeof name, "%s%s%s.csv", f->name, suffix[0] != '\0' ? "-" : "", suffix);
    scree_status status = new_file(f, name, path);
    return status == SCREE_OK ? host->write_table(key, path) : status;
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
    fprintf(page, "# %s\n\n`scree bench %s%s`%s%s, seed %" PRIu64 ", scree %s.\n", f->what->title, f->name, f->co->quick ? " --quick" : "",
            f->own[0] != '\0' ? " on " : "", f->own, f->co->seed, scree_version());
    put_machine(page, f);
    if (any(f, OF_PAPER)) {
        fprintf(page, "\n## What the paper found\n\n");
        put_lines(page, f, OF_PAPER, "- ");
    }
    for (int kind = OF_US, found = 0; kind <= FAILS; ++kind)
        if (any(f, kind)) {
            char before[32];
            snprintf(before, sizeof before, "- **%s**: ", line_words[kind]);
            fputs(found++ == 0 ? "\n## What was found here\n\n" : "", page);
            put_lines(page, f, kind, before);
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
        key_of(f, t, key);
        host->markdown(key, page);
    }
    bool bad = ferror(page) != 0;
    if (fclose(page) != 0 || bad)
        return scree_fail(SCREE_ERR_IO, "%s: cannot write the whole file", path);
    return SCREE_OK;
}

// The rest, whose rows are shown already.
static void show(findings* f, findings_summary* out)
{
    int* const counts[LINE_KINDS] = {[OF_US] = &out->agrees, [DIFFERS] = &out->differs, [NOT_JUDGED] = &out->not_judged, [HOLDS] = &out->checks_hold, [FAILS] = &out->checks_fail};
    for (int kind = OF_US; kind <= NOTE; ++kind) {
        const char* texts[most_lines];
        char before[32];
        int count = 0;
        for (int n = 0; n < f->line_count; ++n)
            if (f->lines[n].kind == (line_kind)kind)
                texts[count++] = f->lines[n].text;
        if (counts[kind] != NULL)
            *counts[kind] = count;
        if (line_keys[kind] != NULL)
            host->texts(line_keys[kind], texts, count);
        snprintf(before, sizeof before, "%s: ", line_words[kind]);
        if (!f->co->json && f->status == SCREE_OK)
            put_lines(stdout, f, (line_kind)kind, before);
    }
    if (f->co->out != NULL && !f->co->json && f->status == SCREE_OK)
        printf("written: %s/%s.md and what it shows\n", f->co->out, f->name);
}

scree_status bench_run(const experiment* e, const bench_options* co, findings_summary* out)
{
    *out = (findings_summary){0};
    findings* f = open_findings(e, co);
    if (f == NULL)
        return SCREE_ERR_MEMORY;
    if (e->columns != NULL)
        findings_table(f, "", e->texts, e->columns);
    if (f->status == SCREE_OK)
        keep(f, e->run(f, co));
    if (f->status == SCREE_OK && bench_interrupted())
        keep(f, scree_fail(SCREE_ERR_CANCELLED, "stopped on request"));
    for (const chart* c = e->charts; c != NULL && c->y != NULL && f->status == SCREE_OK; ++c) {
        chart drawn = *c;
        drawn.paper = co->quick || f->own[0] != '\0' ? NULL : c->paper;  // the paper's values are of its size
        if (!c->own || f->own[0] != '\0')
            findings_chart(f, &drawn, f->tables, f->table_count);
    }
    judge(f);
    for (int t = 0; t < f->table_count && co->out != NULL && f->status == SCREE_OK; ++t)
        keep(f, write_rows(f, t));
    if (f->status == SCREE_OK && co->out != NULL)
        keep(f, write_page(f));
    settle_files(f);
    show(f, out);
    scree_status status = f->status;
    if (status != SCREE_OK)
        scree_fail(status, "%s", f->message);
    for (int t = 0; t < f->table_count; ++t)
        bench_rows_free(&f->tables[t]);
    scree_free(f->lines);
    scree_free(f);
    return status;
}
