// Rows of numbers that lie anywhere in memory, as CSV (table.c), as lines in VTP and as cells of a grid in VTI (vtp_write.c). All have the same columns: a further column is one
// more entry of a list, and its values are not copied.
#ifndef SCREE_FILES_ROWS_H
#define SCREE_FILES_ROWS_H

#include "files/output.h"
#include "files/vtp.h"

typedef struct scree_row_column {
    const char* name;
    const char* const* parts;  // CSV: a name for each component; NULL: `name`, of one component
    int32_t components;
    scree_vtk_type type;       // INT8, UINT16, INT32, INT64, FLOAT64; CSV: STRING too, of one component: each value is a const char*
    const void* data;          // the first value of the first row
    size_t stride;             // bytes from a row to the next
} scree_row_column;

static inline const void* scree_row_value(const scree_row_column* column, int64_t row, int32_t component)
{
    return (const unsigned char*)column->data + (size_t)row * column->stride + (size_t)(component * scree_vtk_type_size(column->type));
}

// Of a column of whole numbers.
static inline int64_t scree_row_integer(const scree_row_column* column, int64_t row, int32_t component)
{
    const void* value = scree_row_value(column, row, component);
    switch (column->type) {
    case SCREE_VTK_INT8: return *(const int8_t*)value;
    case SCREE_VTK_UINT16: return *(const uint16_t*)value;
    case SCREE_VTK_INT32: return *(const int32_t*)value;
    default: return *(const int64_t*)value;
    }
}

// The line of row n goes through the points ends[n - 1] .. ends[n] - 1, from 0 on: two or more of them. Closed ones are polygons.
typedef struct scree_row_lines {
    const scree_box* box;      // its dimension, and the box itself where one of its sides is bounded
    const double (*points)[3];
    const int64_t* ends;
    bool closed;
} scree_row_lines;

// A grid of cells, x changing fastest; its rows are the cells.
typedef struct scree_row_grid {
    int32_t dim;
    int32_t cells[3];          // [2] is not used in 2D
    double lower[3], size[3];  // lower corner, and sides of a cell
} scree_row_grid;

// All write as scree_write_table does: safely, the same bytes for the same values. Names are taken as they are. IO, MEMORY, CANCELLED.
scree_status scree_rows_write_csv(const char* path, scree_watch watch, int64_t rows, int32_t columns, const scree_row_column* column);
scree_status scree_rows_write_vtp(const char* path, scree_watch watch, const scree_row_lines* lines, int64_t rows, int32_t columns,
                                  const scree_row_column* column);
scree_status scree_rows_write_vti(const char* path, scree_watch watch, const scree_row_grid* grid, int32_t columns, const scree_row_column* column);

#endif
