// The frames of a run, for commands that take its folder.
#ifndef CLI_FRAMES_H
#define CLI_FRAMES_H

#include "scree/files.h"

bool is_folder(const char* path);

// The frames of a run's folder: by frames.pvd, or, where the run wrote other formats, by their names, without times. FORMAT: it is not the folder of a run; else as scree_read_pvd.
scree_status frames_list(const char* folder, scree_frame_list* out);

bool frames_add(scree_frame_list* list, const char* path);  // without a time; false: no memory

#endif
