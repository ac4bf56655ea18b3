// Tables: curves, histograms, findings, contacts as CSV.
#include "files/rows.h"
#include "scree/files.h"

#include "base/argument.h"
#include "base/number.h"
#include "files/csv.h"
#include "files/options.h"
#include "files/yaml_tree.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

// What a table of ours can hold without quotes.
static bool is_word(const char* text)
{
    return text != NULL && text[0] != '\0' && strpbrk(text, ",\"\r\n") == NULL;
}

static bool is_text(const char* text)
{
    size_t at;
    const char* what;
    return text != NULL && scree_scene_plain(text, strlen(text), false, &at, &what);
}

static scree_status check_table(int64_t rows, int32_t columns, const scree_table_column* column)
{
    if (rows < 0 || columns < 1)
        return scree_fail(SCREE_ERR_ARGUMENT, "a table of %" PRId64 " rows and %" PRId32 " columns; expected 0 or more rows and at least one column",
                          rows, columns);
    for (int32_t c = 0; c < columns; ++c) {
        if (!is_word(column[c].name))
            return scree_fail(SCREE_ERR_ARGUMENT, "table: column %" PRId32 " has the name '%s'; expected a name without control characters", c,
                              column[c].name == NULL ? "" : column[c].name);
        if (rows > 0 && column[c].values == NULL && column[c].integers == NULL && column[c].texts == NULL)
            return scree_fail(SCREE_ERR_ARGUMENT, "table: column '%s' has no values; expected an array", column[c].name);
        for (int64_t i = 0; i < rows && column[c].values == NULL && column[c].integers == NULL; ++i)
            if (!is_text(column[c].texts[i]))
                return scree_fail(SCREE_ERR_ARGUMENT, "table: column '%s' has the text '%s'; expected one without control characters", column[c].name,
                                  column[c].texts[i] == NULL ? "" : column[c].texts[i]);
    }
    return SCREE_OK;
}

static void put_text(scree_output* output, const char* text)
{
    scree_output_bytes(output, text, strlen(text));
}

static void put_value(scree_output* output, const scree_row_column* column, int64_t row, int32_t component)
{
    const void* value = scree_row_value(column, row, component);
    if (column->type == SCREE_VTK_STRING) {
        scree_csv_put_text(output, *(const char* const*)value);
        return;
    }
    char* p = scree_output_room(output, 40);
    if (column->type == SCREE_VTK_FLOAT64)
        p += scree_number_format(p, *(const double*)value);
    else
        p += snprintf(p, 32, "%" PRId64, scree_row_integer(column, row, component));
    scree_output_wrote(output, p);
}

static void put_rows(scree_output* output, int64_t rows, int32_t columns, const scree_row_column* column)
{
    for (int32_t c = 0; c < columns; ++c)
        for (int32_t k = 0; k < column[c].components; ++k) {
            scree_output_bytes(output, ",", c + k > 0 ? 1 : 0);
            put_text(output, column[c].parts != NULL ? column[c].parts[k] : column[c].name);
        }
    scree_output_bytes(output, "\n", 1);
    int64_t stride = rows / 256 + 1;
    for (int64_t i = 0; i < rows; ++i) {
        if (i % stride == 0 && scree_output_tick(output, (double)i / (double)rows) != SCREE_OK)
            return;
        for (int32_t c = 0; c < columns; ++c)
            for (int32_t k = 0; k < column[c].components; ++k) {
                scree_output_bytes(output, ",", c + k > 0 ? 1 : 0);
                put_value(output, &column[c], i, k);
            }
        scree_output_bytes(output, "\n", 1);
    }
}

scree_status scree_rows_write_csv(const char* path, scree_watch watch, int64_t rows, int32_t columns, const scree_row_column* column)
{
    scree_output output;
    scree_status status = scree_output_open(&output, path, watch);
    if (status != SCREE_OK)
        return status;
    put_rows(&output, rows, columns, column);
    return scree_output_close(&output, output.status);
}

scree_status scree_write_table(const char* path, const scree_file_options* given, int64_t rows, int32_t columns,
                               const scree_table_column* column)
{
    SCREE_NEED(path);
    if (columns > 0)
        SCREE_NEED(column);
    scree_file_options options;
    scree_status status = scree_file_options_take(given, &options);
    if (status == SCREE_OK && options.format != SCREE_FORMAT_AUTO && options.format != SCREE_FORMAT_CSV)
        status = scree_fail(SCREE_ERR_ARGUMENT, "a table in another format than csv; expected csv");
    if (status == SCREE_OK)
        status = check_table(rows, columns, column);
    if (status != SCREE_OK)
        return status;
    scree_row_column* list = scree_malloc((size_t)columns, sizeof *list);
    if (list == NULL)
        return SCREE_ERR_MEMORY;
    for (int32_t c = 0; c < columns; ++c) {
        const scree_table_column* from = &column[c];
        list[c] = (scree_row_column){.name = from->name, .components = 1, .stride = 8};
        list[c].type = from->values != NULL ? SCREE_VTK_FLOAT64 : from->integers != NULL ? SCREE_VTK_INT64 : SCREE_VTK_STRING;
        list[c].data = from->values != NULL ? (const void*)from->values : from->integers != NULL ? (const void*)from->integers : from->texts;
        if (list[c].type == SCREE_VTK_STRING)
            list[c].stride = sizeof *from->texts;
    }
    status = scree_rows_write_csv(path, options.watch, rows, columns, list);
    scree_free(list);
    return status;
}
