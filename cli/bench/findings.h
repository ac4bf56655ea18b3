// What a benchmark finds: rows on the screen as they come, and with -o DIR as files: NAME.csv, figures NAME.svg and NAME.png, and a page
// NAME.md that says what the paper found, what was found here, and whether they agree.
//
//     findings* f = findings_open(args, co, "ogarko-levels", "Slow-down against the number of levels");
//     findings_columns(f, 1, (const char*[]){"sizes", "levels", "tests", "seconds", NULL});   // the first one holds text
//     findings_row(f, (const char*[]){"uv50"}, (const double[]){3, 1.2e6, 0.05});
//     findings_paper(f, "Seven or eight levels are best for uniform volume.");
//     findings_agrees(f, best == 7, "%d levels need the fewest tests", best);
//     findings_plot(f, "", &plot);
//     return findings_close(f, status);
//
// All calls take NULL and do nothing then; the first failure is kept and told at the end.
#ifndef CLI_BENCH_FINDINGS_H
#define CLI_BENCH_FINDINGS_H

#include "common.h"

#include "scree/outlines.h"

typedef struct findings findings;

findings* findings_open(const arguments* args, const common* co, const char* name, const char* title);  // NULL: no memory

// Names, NULL at the end; the first `texts` columns hold text. Borrowed.
void findings_columns(findings* f, int texts, const char* const* names);
void findings_row(findings* f, const char* const* texts, const double* values);  // copied; shown at once

int64_t findings_rows(const findings* f);
const double* findings_column(const findings* f, const char* name);  // rows values of a number column; valid until the next row

#if defined(__GNUC__)
#define FINDINGS_FORMAT(n) __attribute__((format(printf, n, n + 1)))
#else
#define FINDINGS_FORMAT(n)
#endif
void findings_paper(findings* f, const char* format, ...) FINDINGS_FORMAT(2);          // what the paper found
void findings_note(findings* f, const char* format, ...) FINDINGS_FORMAT(2);           // how it was done, why it differs
void findings_agrees(findings* f, bool agrees, const char* format, ...) FINDINGS_FORMAT(3);  // what was found here

// NAME.svg and NAME.png, with a suffix NAME-suffix; shown on the page. Nothing without -o.
void findings_plot(findings* f, const char* suffix, const scree_plot* plot);
void findings_picture(findings* f, const char* suffix, const scree_sphere_set* set, const scree_picture_def* look);  // NAME-suffix.png

void findings_outlines(findings* f, const char* suffix, const scree_outline_set* set, const scree_picture_def* look);    // likewise

// Writes table and page, says what agrees, frees everything. `status` is that of the bench itself.
exit_code findings_close(findings* f, scree_status status);

#endif
