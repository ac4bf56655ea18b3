// The result of a command: a list of named quantities, in sections, with tables. The command fills it once; the renderers print it as text, as
// one JSON object, as rows of an HTML page or as CSV files, so that all of them show the same values under the same names.
//
//     result out = result_begin("measure");
//     result_integer(&out, "n", 1000);
//     result_section(&out, "density");
//     result_number(&out, "density", 0.64);
//     result_about(&out, "", "volume fraction of the spheres in the container");   // of the last quantity: unit and note, for pages
//     result_print(&out, co->json);                                             // or result_page, result_write_csv
//     result_free(&out);
//
// Names, values and tables are copied. Calls that add something do not fail: lack of memory is kept, and the renderers report it. The keys and what
// they mean are in output.schema.json beside this file, which tests/cli/json.sh checks against every command.
#ifndef CLI_RESULT_H
#define CLI_RESULT_H

#include "scree/base.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct scree_report;
struct scree_file_options;

// Of the JSON objects; it grows when a key is renamed, removed or changes its meaning. New keys do not change it.
enum { RESULT_SCHEMA = 1 };

typedef struct result_entry result_entry;

typedef struct result {
    int64_t count, capacity;
    result_entry* entries;
    int width;     // of the names in text; 18 unless set
    bool failed;   // there was no memory
} result;

result result_begin(const char* name);      // begins with the keys "schema" and "command"
void result_free(result* res);

void result_integer(result* res, const char* key, int64_t value);
void result_number(result* res, const char* key, double value);  // JSON null if not finite
void result_text(result* res, const char* key, const char* value);
void result_bool(result* res, const char* key, bool value);

// Short lists: a JSON array, or the values in one line.
void result_integers(result* res, const char* key, const int64_t* values, int64_t count);
void result_numbers(result* res, const char* key, const double* values, int64_t count);
void result_texts(result* res, const char* key, const char* const* values, int64_t count);

struct scree_quantity;
void result_quantity(result* res, const struct scree_quantity* quantity);  // of a summary (scree/run.h), with unit and note

// A column of a table: one of the three.
typedef struct result_column {
    const char* name;
    const double* values;
    const int64_t* integers;
    const char* const* texts;
} result_column;

// In JSON an object of arrays, one per column, under the key. In text the columns side by side below the title.
void result_table(result* res, const char* key, const char* title, int columns, const result_column* column, int64_t rows);

// A table that is filled row by row: the first `texts` columns hold text, the others numbers. `names` ends with NULL. A row belongs to the table that was begun last.
void result_table_begin(result* res, const char* key, int texts, const char* const* names);
void result_table_row(result* res, const char* const* texts, const double* numbers);

void result_section(result* res, const char* title);  // of text and pages: what follows stands below this title

// Objects of their own under a key: an array of JSON objects. Takes `part` over.
void result_part(result* res, const char* key, result* part);

// ---- About the last quantity ---------------------------------------------------------------------------------------

void result_about(result* res, const char* unit, const char* note);  // either may be ""

// Where it is shown; everywhere unless said. A long curve has two entries under one key: all rows for JSON and CSV, some for text.
enum { RESULT_TEXT = 1, RESULT_JSON = 2, RESULT_PAGE = 4, RESULT_CSV = 8 };
void result_only(result* res, int where);

void result_file(result* res, const char* name);  // of a table: it is written as PREFIX-NAME.csv

// Every single number in turn, and those of short lists, with the endings _x, _y, _z (or _xx, _xy, ...) for vectors and tensors of `dim` dimensions and _1, _2, ... for other lists.
void result_each_number(const result* res, int dim, void (*take)(void* context, const char* name, double value), void* context);

// ---- Renderers -----------------------------------------------------------------------------------------------------

// On standard output: one JSON object, or lines of "name  value". Lack of memory turns the exit code into EXIT_FAILED (run_end).
void result_print(const result* res, bool json);

// The object of a command that failed: "schema", "command", "error" and "exit_code". Nothing if an object has been printed before. Needs no memory.
void result_print_error(const char* name, const char* message, int code);

// The last row of the table that was begun last, as result_print shows it: for tables that are shown while they are filled. The head is printed before the first row, and again before a row that
// needs wider columns, so that each row stands below the names of its columns.
void result_print_last_row(result* res);

// Rows of the page: single quantities with units and notes; sections become headings. Tables are left to the figures of the page.
void result_page(const result* res, struct scree_report* page);

// PREFIX-summary.csv with the single quantities in one row, and PREFIX-NAME.csv for each table that has a file name. IO, MEMORY, CANCELLED.
scree_status result_write_csv(const result* res, const char* prefix, const struct scree_file_options* options);

// One table, by its key: as a CSV file, and as rows of Markdown. IO, MEMORY; ARGUMENT: there is no such table.
scree_status result_write_table(const result* res, const char* key, const char* path);
void result_markdown(const result* res, const char* key, FILE* page);

#endif
