// What the tests of runs share: scenes from a text, frames, files of two runs that must be the same, and a process that is killed on its way.
#ifndef TESTS_RUN_SUPPORT_H
#define TESTS_RUN_SUPPORT_H

#include "file_support.h"

#include "run/scene_parts.h"
#include "scree/report.h"

scree_scene scene_of(const char* text);  // by way of a file in the folder, in which the scene's own files are found

scree_sphere_set frame_of(const char* run, int frame);  // from its CSV

// The file of this name in the folders of two runs: the same bytes.
void check_same_file(const char* name, const char* run, const char* other);

// Begins the run in a process of its own, which is killed at the first step from `step` on at which the run tells how far it is.
void run_until_killed(const scree_scene* scene, const char* run, int64_t step);

#endif
