#include "findings.h"

#include "bench.h"
#include "report.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { most_columns = 24, most_lines = 64, most_word = 48, line_size = 600 };

typedef enum line_kind { OF_PAPER, OF_US, DIFFERS, NOTE, FIGURE } line_kind;

typedef struct findings_line {
    line_kind kind;
    char text[line_size];
} findings_line;

struct findings {
    const arguments* args;
    const common* co;
    const char *name, *title;
    scree_status status;
    char message[512];       // of the first failure
    int texts, columns;
    const char* names[most_columns];
    int64_t rows, capacity;
    double* values[most_columns];
    char (*words[most_columns])[most_word];
    int line_count;
    findings_line* lines;
};

static void keep(findings* f, scree_status status)
{
    if (status == SCREE_OK || f->status != SCREE_OK)
        return;
    f->status = status;
    snprintf(f->message, sizeof f->message, "%s", scree_error_message());
}

findings* findings_open(const arguments* args, const common* co, const char* name, const char* title)
{
    findings* f = scree_calloc(1, sizeof *f);
    if (f == NULL)
        return NULL;
    f->args = args;
    f->co = co;
    f->name = name;
    f->title = title;
    f->lines = scree_calloc(most_lines, sizeof *f->lines);
    if (f->lines == NULL)
        keep(f, SCREE_ERR_MEMORY);
    char path[bench_path_most];
    keep(f, bench_path(co, name, path));  // makes the folder; whether it can is better known now than after an hour
    return f;
}

// ---- Rows ----------------------------------------------------------------------------------------------------------

static int width_of(const findings* f, int column)
{
    int width = (int)strlen(f->names[column]), least = column < f->texts ? 18 : 10;
    return width > least ? width : least;
}

void findings_columns(findings* f, int texts, const char* const* names)
{
    if (f == NULL)
        return;
    f->texts = texts;
    for (f->columns = 0; names[f->columns] != NULL && f->columns < most_columns; ++f->columns)
        f->names[f->columns] = names[f->columns];
    for (int c = 0; c < f->columns && !f->co->json; ++c)
        printf(c < texts ? "%-*s%s" : "%*s%s", width_of(f, c), f->names[c], c + 1 < f->columns ? " " : "\n");
    fflush(stdout);
}

static scree_status grow(findings* f)
{
    int64_t more = f->capacity > 0 ? 2 * f->capacity : 64;
    for (int c = 0; c < f->columns; ++c) {
        size_t size = c < f->texts ? sizeof *f->words[c] : sizeof *f->values[c];
        void *old = c < f->texts ? (void*)f->words[c] : (void*)f->values[c], *now = scree_calloc((size_t)more, size);
        if (now == NULL)
            return SCREE_ERR_MEMORY;
        if (f->rows > 0)
            memcpy(now, old, (size_t)f->rows * size);
        scree_free(old);
        if (c < f->texts)
            f->words[c] = now;
        else
            f->values[c] = now;
    }
    f->capacity = more;
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

void findings_row(findings* f, const char* const* texts, const double* values)
{
    if (f == NULL || f->status != SCREE_OK)
        return;
    if (f->rows == f->capacity)
        keep(f, grow(f));
    if (f->status != SCREE_OK)
        return;
    for (int c = 0; c < f->columns; ++c) {
        if (c < f->texts)
            snprintf(f->words[c][f->rows], most_word, "%s", texts[c]);
        else
            f->values[c][f->rows] = values[c - f->texts];
        if (f->co->json)
            continue;
        if (c < f->texts)
            printf("%-*s", width_of(f, c), texts[c]);
        else
            print_value(width_of(f, c), values[c - f->texts]);
        putchar(c + 1 < f->columns ? ' ' : '\n');
    }
    ++f->rows;
    fflush(stdout);
}

int64_t findings_rows(const findings* f)
{
    return f != NULL ? f->rows : 0;
}

const double* findings_column(const findings* f, const char* name)
{
    for (int c = f != NULL ? f->texts : most_columns; f != NULL && c < f->columns; ++c)
        if (strcmp(f->names[c], name) == 0)
            return f->values[c];
    return NULL;
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

void findings_agrees(findings* f, bool agrees, const char* format, ...)
{
    ADD_LINE(agrees ? OF_US : DIFFERS);
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
    char name[128], path[bench_path_most];
    for (int k = 0; k < 2 && f->status == SCREE_OK; ++k) {
        snprintf(name, sizeof name, "%s%s%s.%s", f->name, suffix[0] != '\0' ? "-" : "", suffix, endings[k]);
        keep(f, bench_path(f->co, name, path));
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
    char name[128];
    snprintf(name, sizeof name, "%s-%s.png", f->name, suffix);
    keep(f, bench_path(f->co, name, path));
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

static scree_status write_rows(const findings* f)
{
    char path[bench_path_most], name[128];
    scree_table_column columns[most_columns] = {{0}};
    const char** texts[most_columns] = {NULL};
    snprintf(name, sizeof name, "%s.csv", f->name);
    scree_status status = bench_path(f->co, name, path);
    for (int c = 0; c < f->columns && status == SCREE_OK; ++c) {
        columns[c].name = f->names[c];
        columns[c].values = f->values[c];
        if (c >= f->texts)
            continue;
        texts[c] = scree_malloc((size_t)f->rows + 1, sizeof *texts[c]);
        if (texts[c] == NULL)
            status = SCREE_ERR_MEMORY;
        for (int64_t i = 0; i < f->rows && status == SCREE_OK; ++i)
            texts[c][i] = f->words[c][i];
        columns[c].texts = texts[c];
    }
    if (status == SCREE_OK && f->columns > 0)
        status = scree_write_table(path, NULL, f->rows, f->columns, columns);
    for (int c = 0; c < f->texts; ++c)
        scree_free(texts[c]);
    return status;
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

static void put_table(FILE* page, const findings* f)
{
    for (int c = 0; c < f->columns; ++c)
        fprintf(page, "| %s ", f->names[c]);
    fprintf(page, "|\n");
    for (int c = 0; c < f->columns; ++c)
        fprintf(page, "|%s", c < f->texts ? "---" : "---:");
    fprintf(page, "|\n");
    for (int64_t i = 0; i < f->rows; ++i) {
        for (int c = 0; c < f->columns; ++c)
            if (c < f->texts)
                fprintf(page, "| %s ", f->words[c][i]);
            else
                fprintf(page, "| %.6g ", f->values[c][i]);
        fprintf(page, "|\n");
    }
}

static scree_status write_page(const findings* f)
{
    char path[bench_path_most], name[128];
    snprintf(name, sizeof name, "%s.md", f->name);
    scree_status status = bench_path(f->co, name, path);
    if (status != SCREE_OK)
        return status;
    FILE* page = fopen(path, "w");
    if (page == NULL)
        return scree_fail(SCREE_ERR_IO, "%s: cannot be written", path);
    fprintf(page, "# %s\n\n`scree bench %s%s`, seed %" PRIu64 ", scree %s.\n", f->title, f->name, option_given(f->args, "quick") ? " --quick" : "",
            f->co->seed, scree_version());
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
    if (f->rows > 0) {
        fprintf(page, "\n## Rows\n\n");
        put_table(page, f);
    }
    bool bad = ferror(page) != 0;
    if (fclose(page) != 0 || bad)
        return scree_fail(SCREE_ERR_IO, "%s: could not be written whole", path);
    return SCREE_OK;
}

static void show(const findings* f)
{
    if (f->co->json) {
        report rep = report_begin(true);
        report_text(&rep, "bench", f->name);
        report_integer(&rep, "rows", f->rows);
        for (int c = f->texts; c < f->columns; ++c)
            report_numbers(&rep, f->names[c], f->values[c], f->rows);
        int64_t differs = 0, agrees = 0;
        for (int n = 0; n < f->line_count; ++n) {
            agrees += f->lines[n].kind == OF_US;
            differs += f->lines[n].kind == DIFFERS;
        }
        report_integer(&rep, "agrees", agrees);
        report_integer(&rep, "differs", differs);
        report_end(&rep);
        return;
    }
    put_lines(stdout, f, OF_US, "agrees: ");
    put_lines(stdout, f, DIFFERS, "differs: ");
    if (f->co->out != NULL)
        printf("written: %s/%s.md and what it shows\n", f->co->out, f->name);
}

exit_code findings_close(findings* f, scree_status status)
{
    if (f == NULL)
        return EXIT_FAILED;
    keep(f, status);
    if (f->status == SCREE_OK && f->co->out != NULL) {
        keep(f, write_rows(f));
        if (f->status == SCREE_OK)
            keep(f, write_page(f));
    }
    exit_code code = EXIT_DONE;
    if (f->status == SCREE_OK) {
        show(f);
    } else {
        scree_fail(f->status, "%s", f->message);
        code = run_failed(f->args, f->status);
    }
    for (int c = 0; c < f->columns; ++c) {
        scree_free(f->words[c]);
        scree_free(f->values[c]);
    }
    scree_free(f->lines);
    scree_free(f);
    return code;
}
