// Spheres in several VTP files and a list of them, .pvtp, which ParaView opens as one: for sets that are large for one file.
#ifndef SCREE_FILES_PVTP_H
#define SCREE_FILES_PVTP_H

#include "scree/files.h"

// Pieces of at most `most` spheres, by id, as NAME.p0000.vtp and so on beside NAME.pvtp, which comes last. Sets with words are not for it. IO, MEMORY, ARGUMENT
scree_status scree_pvtp_write(const char* path, const scree_file_options* options, const scree_sphere_set* set, int32_t most);

// All pieces as one set, with the box of the first. IO, FORMAT, MEMORY; UNSUPPORTED: columns of words
scree_status scree_pvtp_read(const char* path, const scree_file_options* options, scree_sphere_set* out);

scree_status scree_pvtp_list(const char* path, scree_frame_times* out);  // pvd_read.c: the files of the pieces; times are NAN

#endif
