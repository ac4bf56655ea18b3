// scree/report.h: a page that describes a result: headings, tables of values, figures, pictures (library scree_show).
//
//     scree_report* page;
//     scree_report_create("My packing", "5000 spheres", &page);
//     scree_report_heading(page, "Outcome");
//     scree_report_number(page, "density", 0.6401, "", "volume fraction of the spheres");   // successive values form a table
//     scree_report_integer(page, "spheres", 5000, "", "");
//     scree_report_plot(page, "g(r) of the centres.", &plot);
//     scree_write_report(page, "packing.html");
//     scree_report_destroy(page);
//
// The page is one HTML file that is also well-formed XML, without scripts and external files. It follows the light or dark mode of the reader's system,
// fits a phone and can be printed. All text is escaped, so paths and names may contain anything; bytes that are not UTF-8 are shown as a replacement
// character. Text is borrowed for the call. Calls that add content do not fail: the first error is stored, and
// scree_write_report returns it. A page may be used by one thread at a time. The same calls give the same bytes, in every locale.
#ifndef SCREE_REPORT_H
#define SCREE_REPORT_H

#include "scree/plot.h"
#include "scree/run.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct scree_report scree_report;

// A page with this title; `about` (NULL: none) is a line below it. MEMORY.
SCREE_API scree_status scree_report_create(const char* title, const char* about, scree_report** out);
SCREE_API void scree_report_destroy(scree_report* page);  // NULL is fine

// A short status next to the title ("finished", "stopped"). good: it ended as intended.
SCREE_API void scree_report_badge(scree_report* page, const char* text, bool good);

SCREE_API void scree_report_heading(scree_report* page, const char* text);
SCREE_API void scree_report_text(scree_report* page, const char* text);          // a paragraph
SCREE_API void scree_report_lines(scree_report* page, const char* text);         // preformatted text, e.g. a file
// A command line; words are quoted where a shell needs it.
SCREE_API void scree_report_command(scree_report* page, int count, const char* const* words);
// A link to a file in the folder of the page, with a note; successive links form a list. The name is URL-encoded.
SCREE_API void scree_report_link(scree_report* page, const char* path, const char* note);

// A row of a table: name, value, unit and a note (both may be "" or NULL). Six digits are shown; the exact number is in the page too, as
// the `value` of a data element. NaN and infinity show as a dash.
SCREE_API void scree_report_number(scree_report* page, const char* name, double value, const char* unit, const char* note);
SCREE_API void scree_report_integer(scree_report* page, const char* name, int64_t value, const char* unit, const char* note);
SCREE_API void scree_report_value(scree_report* page, const char* name, const char* value, const char* note);
// A row with a bar of the fraction `share`, 0 .. 1.
SCREE_API void scree_report_share(scree_report* page, const char* name, double value, const char* unit, double share);
// A quantity as a row: its key with blanks for _, each of its values, unit, and its share as a bar or else its note.
SCREE_API void scree_report_quantity(scree_report* page, const scree_quantity* quantity);

// Figures; successive figures are side by side if there is space. The plot should have the size SCREE_REPORT_PLOT_WIDTH x _HEIGHT and a
// light background; on dark pages its colours are exchanged. `caption` may be NULL.
#define SCREE_REPORT_PLOT_WIDTH 440
#define SCREE_REPORT_PLOT_HEIGHT 300
SCREE_API void scree_report_plot(scree_report* page, const char* caption, const scree_plot* plot);
// rgba: rows from the top, 4 bytes a pixel; alpha is ignored.
SCREE_API void scree_report_picture(scree_report* page, const char* caption, int32_t width, int32_t height, const uint8_t* rgba);

// Versions of scree, compiler and libraries, as rows of a table.
SCREE_API void scree_report_versions(scree_report* page);

// The number as pages show it: six digits, a decimal point in every locale.
SCREE_API void scree_report_format(char text[32], double value);

// Writes the page; "-" is standard output. IO, MEMORY, or the first error of an earlier call: the file is then unchanged.
SCREE_API scree_status scree_write_report(scree_report* page, const char* path);

// ---- Runs ----------------------------------------------------------------------------------------------------------

// Writes report.html into the folder: how the run ended or its current state, energies, contacts and work as curves (thinned if the log
// is long), derived quantities, the scene, versions, a picture of the current state. No other file in the folder changes, and a failure does not affect
// the run. The page contains run times and a date, so it is the only file that may differ after a resume. The log is
// read once; drawing the picture takes about a second for a million spheres. IO, MEMORY; ARGUMENT: a trial. After a failure the page is unchanged.
SCREE_API scree_status scree_run_write_report(scree_run* run);

// For scree_run_def.draw: a picture of 1280 x 960 pixels. What scree_write_picture rejects.
SCREE_API scree_status scree_draw_frame(const scree_run_frame* frame);

#ifdef __cplusplus
}
#endif
#endif
