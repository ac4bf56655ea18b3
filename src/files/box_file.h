// The box of an array of NumPy, in a small file beside it: see box_file.c.
#ifndef SCREE_FILES_BOX_FILE_H
#define SCREE_FILES_BOX_FILE_H

#include "files/output.h"
#include "scree/geom.h"

typedef struct scree_box_file {
    char* name;   // for messages: the array's path as given, and ".box"
    char* text;   // what it holds; NULL: there is no such file
    size_t length;
} scree_box_file;

// Looks for the box of the array at `path` ("-" and what is no regular file have none) and reads it as it is. IO, FORMAT: it is no file of ours. MEMORY.
// scree_box_file_free in any case.
scree_status scree_box_file_find(const char* path, scree_box_file* out);
void scree_box_file_free(scree_box_file* file);

// Gives the set of the array, whose bytes have this checksum, its box. FORMAT: the file is broken, or belongs to another array. UNSUPPORTED: a later version.
scree_status scree_box_file_apply(const scree_box_file* file, const char* array, uint64_t sum, scree_sphere_set* set);

// Ends the writing of the array, whose `summed` was set when it was opened, and of its box with it; a set without a box has no file beside it, and one from
// before is removed. As scree_output_close; IO also for a file of that name that is not ours.
scree_status scree_box_file_close(scree_output* array, const scree_sphere_set* set);

#endif
