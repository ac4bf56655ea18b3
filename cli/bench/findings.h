// What a benchmark finds: rows on the screen as they come, and with -o DIR as files: NAME.csv, figures NAME.svg and NAME.png, and a page
// NAME.md that says what the paper found, what was found here, and whether they agree.
//
//     findings* f = findings_open(args, co, "ogarko-levels", "Slow-down against the number of levels");
//     findings_columns(f, 1, (const char*[]){"sizes", "levels", "tests", "seconds", NULL});   // the first one holds text
//     status = findings_row(f, (const char*[]){"uv50"}, (const double[]){3, 1.2e6, 0.05});
//     findings_paper(f, "Seven or eight levels are best for uniform volume.");
//     if (abs(best - 7) <= 1)
//         findings_agrees(f, "%d levels need the fewest tests; the paper predicts 7, and one off is allowed", best);
//     else
//         findings_differs(f, "%d levels need the fewest tests, not 6 to 8; the paper predicts 7", best);
//     findings_plot(f, "", &plot);
//     return findings_close(f, status);
//
// Each verdict is a sentence of its own, with both numbers and the tolerance. What can only hold, because the bench fails otherwise, is a note.
// All calls take NULL and do nothing then; the first failure is kept and reported at the end.
#ifndef CLI_BENCH_FINDINGS_H
#define CLI_BENCH_FINDINGS_H

#include "common.h"

#include "scree/outlines.h"

typedef struct findings findings;

findings* findings_open(const arguments* args, const common* co, const char* name, const char* title);  // NULL: no memory

void findings_own(findings* f, const char* what);  // it is about the user's spheres, not the paper's: said on the page; copied

// Names, NULL at the end; the first `texts` columns hold text. Borrowed. Rows that follow belong to it.
void findings_columns(findings* f, int texts, const char* const* names);
void findings_table(findings* f, const char* suffix, int texts, const char* const* names);  // one more table: NAME-suffix.csv

// Copied; shown at once. CANCELLED after Ctrl-C, or the first failure: the bench had better stop then.
scree_status findings_row(findings* f, const char* const* texts, const double* values);

#if defined(__GNUC__)
#define FINDINGS_FORMAT(n) __attribute__((format(printf, n, n + 1)))
#else
#define FINDINGS_FORMAT(n)
#endif
void findings_paper(findings* f, const char* format, ...) FINDINGS_FORMAT(2);          // what the paper found
void findings_note(findings* f, const char* format, ...) FINDINGS_FORMAT(2);           // how it was done, why it differs
void findings_agrees(findings* f, const char* format, ...) FINDINGS_FORMAT(2);         // what was found here, as the paper found it
void findings_differs(findings* f, const char* format, ...) FINDINGS_FORMAT(2);        // and what was found here otherwise

// NAME.svg and NAME.png, with a suffix NAME-suffix; shown on the page. Nothing without -o.
void findings_plot(findings* f, const char* suffix, const scree_plot* plot);
void findings_picture(findings* f, const char* suffix, const scree_sphere_set* set, const scree_picture_def* look);  // NAME-suffix.png
void findings_outlines(findings* f, const char* suffix, const scree_outline_set* set, const scree_picture_def* look);    // likewise

// Writes tables and page, says what agrees, frees everything. `status` is that of the bench itself. Files come into DIR all together, and only if
// nothing failed. That a finding differs from the paper's is no failure.
exit_code findings_close(findings* f, scree_status status);

void findings_print(void);  // with --json: one object with everything that was found since the program began, and forgets it

typedef struct findings_summary {
    const char* title;  // borrowed from the bench; NULL: none was opened
    int agrees, differs;
} findings_summary;
findings_summary findings_last(void);  // of the bench that was closed last

#endif
