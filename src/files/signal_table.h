// CSV files of functions of time.
#ifndef SCREE_FILES_SIGNAL_TABLE_H
#define SCREE_FILES_SIGNAL_TABLE_H

#include "scree/base.h"

#define SCREE_SIGNAL_ROWS_MOST 20000

// Rows of four numbers, the time and three values, of which `columns` from number `first` on are in the file and the others 0; scree_free them. IO, FORMAT with the line, MEMORY.
scree_status scree_read_signal_table(const char* path, int columns, int first, double** rows, int32_t* count);

#endif
