// Spheres in several VTP files and a list of them, .pvtp, which ParaView opens as one: for sets that are large for one file.
#ifndef SCREE_FILES_PVTP_H
#define SCREE_FILES_PVTP_H

#include "scree/files.h"

// `count` spheres from `first` on. `out` borrows all but its table of columns, which the caller frees, and holds until the next call.
typedef scree_status scree_piece_maker(void* context, int32_t first, int32_t count, scree_sphere_set* out);
scree_status scree_pvtp_cut(void* set, int32_t first, int32_t count, scree_sphere_set* out);  // from a scree_sphere_set. UNSUPPORTED: columns of words

// Pieces of at most `most` of `count` spheres, as NAME.p0000.vtp and so on beside NAME.pvtp, which comes last. IO, MEMORY, ARGUMENT
scree_status scree_pvtp_write(const char* path, const scree_file_options* options, int32_t count, int32_t most, scree_piece_maker* make, void* context);

// All pieces as one set, with the box of the first. IO, FORMAT, MEMORY; UNSUPPORTED: columns of words
scree_status scree_pvtp_read(const char* path, const scree_file_options* options, scree_sphere_set* out);

scree_status scree_pvtp_list(const char* path, scree_frame_times* out);  // pvd_read.c: the files of the pieces; times are NAN

#endif
