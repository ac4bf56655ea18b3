// scree/report.h: a page that describes a result: headings, tables of values, figures, pictures (library scree_show).
//
//     scree_report* page;
//     scree_report_create("My packing", "5000 spheres", &page);
//     scree_report_heading(page, "Outcome");
//     scree_report_number(page, "density", 0.6401, "", "share of the box that they fill");   // values in a row make a table
//     scree_report_integer(page, "spheres", 5000, "", "");
//     scree_report_plot(page, "g(r) of the centres.", &plot);
//     scree_write_report(page, "packing.html");
//     scree_report_destroy(page);
//
// The page is one HTML file that is also well-formed XML: no scripts, nothing from elsewhere. It is light or dark as the reader's system
// is, fits a phone and prints. All text is escaped, so paths, names and laws may hold anything; what is no UTF-8 is shown as a replacement
// character. Text is borrowed for the call. Calls that add something do not fail: the first thing that went wrong is kept, and
// scree_write_report returns it. A page belongs to one thread at a time. The same calls give the same bytes, in every locale.
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

// How the work ended, in a word or two beside the title ("finished", "stopped"). good: it came to its end.
SCREE_API void scree_report_badge(scree_report* page, const char* text, bool good);

SCREE_API void scree_report_heading(scree_report* page, const char* text);
SCREE_API void scree_report_text(scree_report* page, const char* text);          // a paragraph
SCREE_API void scree_report_lines(scree_report* page, const char* text);         // with its line ends and blanks, e.g. a file
// A command as one would type it, words quoted where a shell needs it.
SCREE_API void scree_report_command(scree_report* page, int count, const char* const* words);
// A link to a file beside the page, with a word about it; links in a row make a list. The name is encoded as a URL needs it.
SCREE_API void scree_report_link(scree_report* page, const char* path, const char* note);

// A row of a table: name, value, unit and a note (both may be "" or NULL). Six digits are shown; the exact number is in the page too, as
// the `value` of a data element. NaN and infinity show as a dash.
SCREE_API void scree_report_number(scree_report* page, const char* name, double value, const char* unit, const char* note);
SCREE_API void scree_report_integer(scree_report* page, const char* name, int64_t value, const char* unit, const char* note);
SCREE_API void scree_report_value(scree_report* page, const char* name, const char* value, const char* note);
// A row with a bar that shows `share`, 0 .. 1.
SCREE_API void scree_report_share(scree_report* page, const char* name, double value, const char* unit, double share);
// A quantity as a row: its key with blanks for _, each of its values, unit, and its share as a bar or else its note.
SCREE_API void scree_report_quantity(scree_report* page, const scree_quantity* quantity);

// Figures; figures in a row stand side by side where there is room. The plot should have the size SCREE_REPORT_PLOT_WIDTH x _HEIGHT and a
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

// Writes the page as it is now; "-" is standard output. IO, MEMORY, or what went wrong before: the file is as it was then.
SCREE_API scree_status scree_write_report(scree_report* page, const char* path);

// ---- Runs ----------------------------------------------------------------------------------------------------------

// Writes report.html into the folder: how it ended or where it stands, energies, contacts and work as curves (thinned out where the log
// is long), what the scene leads to, the scene, versions, a picture of this moment. Nothing else in the folder changes, and whether it
// succeeds changes nothing for the run. It holds seconds and a date, so it is the one file that is not the same after a resume. The log is
// read once; a picture is drawn, about a second for a million spheres. IO, MEMORY; ARGUMENT: a trial. After a failure the page is as it was.
SCREE_API scree_status scree_run_write_report(scree_run* run);

// For scree_run_def.draw: a picture of 1280 x 960 pixels. What scree_write_picture rejects.
SCREE_API scree_status scree_draw_frame(const scree_run_frame* frame);

#ifdef __cplusplus
}
#endif
#endif
