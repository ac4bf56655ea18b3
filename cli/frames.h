// The frames that a command is about: of a run's folder, of a list (.pvd), or one file; their boxes, and the contacts beside them.
#ifndef CLI_FRAMES_H
#define CLI_FRAMES_H

#include "common.h"

#include "scree/film.h"

bool is_folder(const char* path);
bool name_ends_in(const char* text, const char* ending);  // whatever its case; `ending` is in lower case

// The files of a folder, of a list or just the one, with their times (NAN: not known). The caller's (scree_frame_times_free).
scree_status frames_list(const char* in, scree_frame_times* out);

// The newest checkpoint in the folder of a run. IO, ARGUMENT: its name is too long.
scree_status frame_checkpoint(const char* folder, char* path, size_t room);

// Frame *frame of a run or a list, from 0 (-1: the last one, which is then set): its file. EXIT_DONE, or the code to end with.
exit_code frame_choose(const arguments* args, const char* in, int64_t* frame, char* path, size_t room);

// Whether the format of a frame is known, by its name or --format. ARGUMENT, with a message.
scree_status frame_check(const common* co, const char* path);

// Reads a frame and settles its box: spheres get one in any case, polygons have that of their file. EXIT_DONE, or the code to end with: then `set` is empty.
exit_code frame_read(const arguments* args, const common* co, const char* path, box_need need, scree_watch watch, scree_outline_set* set);

// The contacts that the run has written beside this frame, as rods: DIR/frames/frame_000012.* has DIR/contacts/contacts_000012.csv. With an option --contacts: that file.
exit_code frame_forces(const arguments* args, const char* frame, scree_watch watch, const scree_outline_set* set, scree_rods* out);

// The surfaces that the run has written beside this frame, as triangles: DIR/surfaces/surfaces_000012.vtp. None where there is no such file. The caller's.
exit_code frame_surfaces(const arguments* args, const char* frame, scree_watch watch, scree_triangles* out);
scree_veil frame_veil(const scree_triangles* triangles);  // borrows them

#endif
